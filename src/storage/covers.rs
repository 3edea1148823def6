//! Uploaded covers, each under the hash of its bytes.

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{Error, Result, Tx};
use crate::sql;

/// Lifetime of a cover without a title, in milliseconds: a form may be saved days after the upload.
pub const UNUSED_FOR: i64 = 3 * 24 * 60 * 60 * 1000;

/// Stores a cover. If the same bytes are stored already, only sets their time of upload to now.
pub fn add(tx: &mut Tx<'_>, hash: &str, jpeg: &[u8], now: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO covers (hash, jpeg, added_at) VALUES ($1, $2, $3)
             ON CONFLICT (hash) DO UPDATE SET added_at = excluded.added_at"
        ),
        &[&hash, &STANDARD.encode(jpeg), &now],
    )
}

/// Returns the bytes of a cover.
pub fn read(tx: &mut Tx<'_>, hash: &str) -> Result<Option<Vec<u8>>> {
    let found =
        tx.query_opt(sql!("SELECT jpeg FROM covers WHERE hash = $1"), &[&hash], |row| row.get::<String>(0))?;
    found.map(|text| STANDARD.decode(text).map_err(|error| Error::Database(error.into()))).transpose()
}

/// Returns the hash in the address of an uploaded cover.
fn hash_in(address: &str) -> Option<&str> {
    let (_, file) = address.rsplit_once("/library/covers/")?;
    file.strip_suffix(".jpg")
}

/// Deletes old covers to which no title refers, nor a deleted title that can be restored.
pub fn forget_unused(tx: &mut Tx<'_>, now: i64) -> Result<()> {
    let old =
        tx.query(sql!("SELECT hash FROM covers WHERE added_at < $1"), &[&(now - UNUSED_FOR)], |row| {
            row.get::<String>(0)
        })?;
    if old.is_empty() {
        return Ok(());
    }
    let shown = tx.query(
        sql!(
            "SELECT photo_url FROM books WHERE photo_url LIKE '%/library/covers/%.jpg'
             UNION SELECT photo_url FROM deleted_books WHERE photo_url LIKE '%/library/covers/%.jpg'"
        ),
        &[],
        |row| row.get::<String>(0),
    )?;
    let shown: HashSet<&str> = shown.iter().filter_map(|address| hash_in(address)).collect();
    for hash in old.iter().filter(|hash| !shown.contains(hash.as_str())) {
        tx.execute(sql!("DELETE FROM covers WHERE hash = $1"), &[hash])?;
    }
    Ok(())
}
