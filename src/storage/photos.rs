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

/// Stores a person's photo in place of an earlier one; `import` brought it, if any.
pub fn set(
    tx: &mut Tx<'_>,
    person: &Subject,
    photo: &Photo,
    import: Option<ImportId>,
    now: i64,
) -> Result<()> {
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

/// Deletes a person's photo; `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, person: &Subject) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM photos WHERE person_id = $1"), &[&person.uid()])? == 1)
}

/// Gives a record's photo to another record that has none; returns its version.
pub(super) fn give(tx: &mut Tx<'_>, from: UserId, to: UserId) -> Result<Option<String>> {
    tx.query_opt(
        sql!(
            "UPDATE photos SET person_id = $2 WHERE person_id = $1
               AND NOT EXISTS (SELECT 1 FROM photos AS own WHERE own.person_id = $2) RETURNING version"
        ),
        &[&from, &to],
        |row| row.get(0),
    )
}

/// Gives a record's photo back, unless it was replaced or removed since.
pub(super) fn give_back(tx: &mut Tx<'_>, from: UserId, to: UserId, version: &str) -> Result<()> {
    tx.execute(
        sql!("UPDATE photos SET person_id = $2 WHERE person_id = $1 AND version = $3"),
        &[&from, &to, &version],
    )?;
    Ok(())
}

/// Returns the next people whose photo this import brought.
pub fn imported(tx: &mut Tx<'_>, import: ImportId, limit: i64) -> Result<Vec<UserId>> {
    tx.query(
        sql!("SELECT person_id FROM photos WHERE import_id = $1 ORDER BY person_id LIMIT $2"),
        &[&import, &limit],
        |row| row.get(0),
    )
}

/// Detaches these people's photos from their import: records that were merged since keep theirs.
pub fn detach(tx: &mut Tx<'_>, import: ImportId, people: &[UserId]) -> Result<()> {
    for person in people {
        tx.execute(
            sql!("UPDATE photos SET import_id = NULL WHERE person_id = $1 AND import_id = $2"),
            &[person, &import],
        )?;
    }
    Ok(())
}
