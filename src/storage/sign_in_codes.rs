//! Codes for a first sign-in or a forgotten password. The database stores only the hash of each code.
//!
//! Database triggers delete a person's code whenever their role, capabilities, password, address, roll number, activity
//! or second factor changes (R-SEAM-8).

use super::{Result, Tx, authority::Subject};
use crate::{domain::id::UserId, sql};

/// Stores the hash of a person's code and the librarian who made it, in place of an earlier code.
pub fn keep(tx: &mut Tx<'_>, person: &Subject, made_by: UserId, hash: &str, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO sign_in_codes (user_id, code_hash, expires_at, made_by) VALUES ($1, $2, $3, $4)
             ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at,
                 made_by = excluded.made_by"
        ),
        &[&person.uid(), &hash, &expires_at, &made_by],
    )
}

/// Returns the hash of a person's code, if it is still valid.
pub fn hash(tx: &mut Tx<'_>, person: UserId, now: i64) -> Result<Option<String>> {
    tx.query_opt(
        sql!("SELECT code_hash FROM sign_in_codes WHERE user_id = $1 AND expires_at > $2"),
        &[&person, &now],
        |row| row.get(0),
    )
}

/// Deletes this code and returns the librarian who made it; `None` if the code is no longer valid.
pub fn use_up(tx: &mut Tx<'_>, person: UserId, hash: &str, now: i64) -> Result<Option<UserId>> {
    tx.query_opt(
        sql!(
            "DELETE FROM sign_in_codes WHERE user_id = $1 AND code_hash = $2 AND expires_at > $3 RETURNING made_by"
        ),
        &[&person, &hash, &now],
        |row| row.get(0),
    )
}
