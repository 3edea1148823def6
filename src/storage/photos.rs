//! Photos of people, at most one each.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::{Error, Result, Tx, authority::Subject};
use crate::{
    domain::id::{ImportId, UserId},
    sql,
};

/// Photo of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Photo {
    pub jpeg: Vec<u8>,
    /// Hash of the bytes, in hexadecimal digits.
    pub version: String,
}

/// Lifetime of a replaced photo in milliseconds: that of the other rows of imports that name readers.
const REPLACED_KEPT_FOR: i64 = 7 * 24 * 60 * 60 * 1000;

/// Stores a person's photo in place of an earlier one, which is stored for an undo of the `import` that brought the new one.
pub fn set(
    tx: &mut Tx<'_>,
    person: &Subject,
    photo: &Photo,
    import: Option<ImportId>,
    now: i64,
) -> Result<()> {
    match import {
        Some(import) => tx.execute(
            sql!(
                "INSERT INTO replaced_photos (import_id, person_id, version, jpeg, earlier_import_id, added_at, replaced_at)
                 SELECT CAST($1 AS BIGINT), person_id, version, jpeg, import_id, added_at, CAST($3 AS BIGINT) FROM photos
                 WHERE person_id = $2 AND COALESCE(import_id, 0) <> $1
                 ON CONFLICT (import_id, person_id) DO NOTHING"
            ),
            &[&import, &person.uid(), &now],
        )?,
        None => forget_replaced_of(tx, person)?,
    };
    tx.execute_one(
        sql!(
            "INSERT INTO photos (person_id, version, jpeg, import_id, added_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (person_id) DO UPDATE SET version = excluded.version, jpeg = excluded.jpeg,
                                                   import_id = excluded.import_id, added_at = excluded.added_at"
        ),
        &[&person.uid(), &photo.version, &STANDARD.encode(&photo.jpeg), &import, &now],
    )
}

/// Returns a person's photo.
pub fn of(tx: &mut Tx<'_>, person: UserId) -> Result<Option<Photo>> {
    let found =
        tx.query_opt(sql!("SELECT version, jpeg FROM photos WHERE person_id = $1"), &[&person], |row| {
            Ok((row.get::<String>(0)?, row.get::<String>(1)?))
        })?;
    let Some((version, text)) = found else { return Ok(None) };
    let jpeg = STANDARD.decode(text).map_err(|error| Error::Database(error.into()))?;
    Ok(Some(Photo { jpeg, version }))
}

/// Returns the versions of the photos of these people; people without a photo are left out.
pub fn versions(tx: &mut Tx<'_>, people: &[UserId]) -> Result<HashMap<UserId, String>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT photos.person_id, photos.version
             FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN photos ON photos.person_id = CAST(wanted.id AS BIGINT)"
        )
    } else {
        sql!(
            "SELECT photos.person_id, photos.version FROM json_each($1) AS wanted
             CROSS JOIN photos ON photos.person_id = wanted.value"
        )
    };
    let found =
        tx.query(statement, &[&json!(people).to_string()], |row| Ok((row.get(0)?, row.get::<String>(1)?)))?;
    Ok(found.into_iter().collect())
}

/// Deletes a person's photo, and those that imports replaced; `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, person: &Subject) -> Result<bool> {
    forget_replaced_of(tx, person)?;
    Ok(tx.execute(sql!("DELETE FROM photos WHERE person_id = $1"), &[&person.uid()])? == 1)
}

fn forget_replaced_of(tx: &mut Tx<'_>, person: &Subject) -> Result<u64> {
    tx.execute(sql!("DELETE FROM replaced_photos WHERE person_id = $1"), &[&person.uid()])
}

/// Deletes the photos that imports replaced a week ago.
pub(super) fn forget_replaced(tx: &mut Tx<'_>, now: i64) -> Result<()> {
    tx.execute(sql!("DELETE FROM replaced_photos WHERE replaced_at <= $1"), &[&(now - REPLACED_KEPT_FOR)])?;
    Ok(())
}

/// Gives a record's photo, and those that imports replaced, to another record that has none; returns its version.
pub(super) fn give(tx: &mut Tx<'_>, from: UserId, to: UserId) -> Result<Option<String>> {
    let version = tx.query_opt(
        sql!(
            "UPDATE photos SET person_id = $2 WHERE person_id = $1
               AND NOT EXISTS (SELECT 1 FROM photos AS own WHERE own.person_id = $2) RETURNING version"
        ),
        &[&from, &to],
        |row| row.get(0),
    )?;
    if version.is_some() {
        give_replaced(tx, from, to)?;
    }
    Ok(version)
}

/// Gives a record's photo back, unless it was replaced or removed since.
pub(super) fn give_back(tx: &mut Tx<'_>, from: UserId, to: UserId, version: &str) -> Result<()> {
    let given = tx.execute(
        sql!("UPDATE photos SET person_id = $2 WHERE person_id = $1 AND version = $3"),
        &[&from, &to, &version],
    )?;
    if given == 1 {
        give_replaced(tx, from, to)?;
    }
    Ok(())
}

fn give_replaced(tx: &mut Tx<'_>, from: UserId, to: UserId) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE replaced_photos SET person_id = $2 WHERE person_id = $1
               AND NOT EXISTS (SELECT 1 FROM replaced_photos AS own
                               WHERE own.person_id = $2 AND own.import_id = replaced_photos.import_id)"
        ),
        &[&from, &to],
    )?;
    Ok(())
}

/// Returns the next people whose photo this import brought, even if a later import has replaced it.
pub fn imported(tx: &mut Tx<'_>, import: ImportId, limit: i64) -> Result<Vec<UserId>> {
    tx.query(
        sql!(
            "SELECT person_id FROM photos WHERE import_id = $1
             UNION SELECT person_id FROM replaced_photos WHERE earlier_import_id = $1 ORDER BY person_id LIMIT $2"
        ),
        &[&import, &limit],
        |row| row.get(0),
    )
}

/// Effect of the undo of a photo import on a person's photo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenOut {
    /// The replaced photo is back.
    Restored,
    Removed,
    /// A later import has replaced the photo; the undo of that import will not restore it.
    Replaced,
}

/// Removes the photo that this import stored for a person, and restores the photo that it had replaced. If a later
/// import has replaced this photo, the undo of that import will restore the earlier one instead.
pub fn take_out(tx: &mut Tx<'_>, person: &Subject, import: ImportId) -> Result<TakenOut> {
    let (uid, of) =
        (person.uid(), sql!("DELETE FROM replaced_photos WHERE import_id = $1 AND person_id = $2"));
    let restored = tx.execute(
        sql!(
            "UPDATE photos SET version = earlier.version, jpeg = earlier.jpeg, import_id = earlier.earlier_import_id,
                    added_at = earlier.added_at
             FROM replaced_photos AS earlier
             WHERE photos.person_id = $2 AND photos.import_id = $1
               AND earlier.import_id = $1 AND earlier.person_id = $2"
        ),
        &[&import, &uid],
    )?;
    if restored == 1 {
        tx.execute(of, &[&import, &uid])?;
        return Ok(TakenOut::Restored);
    }
    let removed =
        tx.execute(sql!("DELETE FROM photos WHERE import_id = $1 AND person_id = $2"), &[&import, &uid])?;
    if removed == 1 {
        return Ok(TakenOut::Removed);
    }
    let passed_on = tx.execute(
        sql!(
            "UPDATE replaced_photos SET version = earlier.version, jpeg = earlier.jpeg,
                    earlier_import_id = earlier.earlier_import_id, added_at = earlier.added_at
             FROM replaced_photos AS earlier
             WHERE replaced_photos.earlier_import_id = $1 AND replaced_photos.person_id = $2
               AND earlier.import_id = $1 AND earlier.person_id = $2"
        ),
        &[&import, &uid],
    )?;
    if passed_on == 0 {
        tx.execute(
            sql!("DELETE FROM replaced_photos WHERE earlier_import_id = $1 AND person_id = $2"),
            &[&import, &uid],
        )?;
    }
    tx.execute(of, &[&import, &uid])?;
    Ok(TakenOut::Replaced)
}

/// Detaches these people's photos from their import: records that were merged since keep theirs.
pub fn detach(tx: &mut Tx<'_>, import: ImportId, people: &[UserId]) -> Result<()> {
    for person in people {
        for statement in [
            sql!("UPDATE photos SET import_id = NULL WHERE person_id = $2 AND import_id = $1"),
            sql!(
                "UPDATE replaced_photos SET earlier_import_id = NULL
                 WHERE person_id = $2 AND earlier_import_id = $1"
            ),
            sql!("DELETE FROM replaced_photos WHERE import_id = $1 AND person_id = $2"),
        ] {
            tx.execute(statement, &[&import, person])?;
        }
    }
    Ok(())
}
