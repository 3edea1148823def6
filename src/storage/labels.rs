//! Labels of copies: the copies to print, the printed batches, and the library's own sheets.

use serde::{Deserialize, Serialize};

use super::{Error, Result, Row, Tx, sql::Sql};
use crate::{
    domain::{
        id::{CopyId, UserId},
        label::{Chosen, Label, LabelBatch, Sheet, SheetForm},
        moment::rfc3339,
    },
    insert, sql,
};

/// Position in the order of barcodes: by length, then by text, so that shorter numbers come first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Place(i64, String);

/// Makes a statement about the chosen labels. `$narrow` repeats the title or the batch as a plain condition, so that
/// the database uses an index on that column.
macro_rules! chosen {
    ($columns:expr, $narrow:literal, $rest:expr) => {
        sql!(
            "SELECT ",
            $columns,
            " FROM copies AS c JOIN books AS b ON b.id = c.book_id
              WHERE c.barcode_key IS NOT NULL AND c.condition <> 'withdrawn'
                AND (CAST($1 AS TEXT) IS NULL
                     OR SUBSTR(c.barcode_key, 1, LENGTH(CAST($1 AS TEXT))) = CAST($1 AS TEXT)
                        AND (LENGTH(c.barcode_key), c.barcode_key) >= (LENGTH(CAST($2 AS TEXT)), CAST($2 AS TEXT))
                        AND (LENGTH(c.barcode_key), c.barcode_key) <= (LENGTH(CAST($3 AS TEXT)), CAST($3 AS TEXT)))
                AND (CAST($4 AS BIGINT) IS NULL OR c.book_id = CAST($4 AS BIGINT))
                AND (CAST($5 AS TEXT) IS NULL OR c.acquired_on >= CAST($5 AS TEXT))
                AND (CAST($6 AS BIGINT) IS NULL
                     OR EXISTS (SELECT 1 FROM label_batch_copies AS of WHERE of.batch_id = CAST($6 AS BIGINT)
                                                                         AND of.copy_id = c.id))
                AND (NOT CAST($7 AS BOOLEAN)
                     OR NOT EXISTS (SELECT 1 FROM label_batch_copies AS printed WHERE printed.copy_id = c.id)) ",
            $narrow,
            $rest
        )
    };
}

/// Makes the statement for a choice by title, by batch, or by neither.
macro_rules! narrowed {
    ($chosen:expr, $columns:expr, $rest:expr) => {
        if $chosen.book.is_some() {
            chosen!($columns, "AND c.book_id = CAST($4 AS BIGINT) ", $rest)
        } else if $chosen.batch.is_some() {
            chosen!(
                $columns,
                "AND c.id IN (SELECT copy_id FROM label_batch_copies WHERE batch_id = CAST($6 AS BIGINT)) ",
                $rest
            )
        } else {
            chosen!($columns, "", $rest)
        }
    };
}

/// Counts the labels of a choice.
pub fn count(tx: &mut Tx<'_>, chosen: &Chosen) -> Result<i64> {
    let [prefix, from, to] = ends(chosen);
    tx.query_one(
        narrowed!(chosen, "COUNT(*)", ""),
        &[&prefix, &from, &to, &chosen.book, &chosen.since.as_deref(), &chosen.batch, &chosen.unprinted],
        |row| row.get(0),
    )
}

macro_rules! label {
    () => {
        "c.id, c.book_id, c.barcode, b.title, b.author, COALESCE(c.location, b.location),
         CASE WHEN EXISTS (SELECT 1 FROM label_batch_copies AS p WHERE p.copy_id = c.id) THEN TRUE ELSE FALSE END,
         CAST(LENGTH(c.barcode_key) AS BIGINT), c.barcode_key"
    };
}

/// Returns up to `limit` labels of a choice after a place, in the order of their barcodes.
pub fn page(tx: &mut Tx<'_>, chosen: &Chosen, after: &Place, limit: i64) -> Result<Vec<(Place, Label)>> {
    if chosen.book.is_some() || chosen.batch.is_some() {
        let statement = narrowed!(
            chosen,
            label!(),
            "AND (LENGTH(c.barcode_key), c.barcode_key) > (CAST($8 AS BIGINT), CAST($9 AS TEXT))
             ORDER BY LENGTH(c.barcode_key), c.barcode_key LIMIT $10"
        );
        return part(tx, statement, chosen, after, limit);
    }
    // Two statements: both databases can continue in the index from an equal or from a greater length, but not from a
    // pair with an expression. The unary plus keeps SQLite from converting the indexed length, which would bypass the
    // index.
    let same = chosen!(
        label!(),
        "",
        "AND LENGTH(c.barcode_key) = +CAST($8 AS BIGINT) AND c.barcode_key > CAST($9 AS TEXT)
         ORDER BY c.barcode_key LIMIT $10"
    );
    let longer = chosen!(
        label!(),
        "",
        "AND LENGTH(c.barcode_key) > +CAST($8 AS BIGINT) AND CAST($9 AS TEXT) IS NOT NULL
         ORDER BY LENGTH(c.barcode_key), c.barcode_key LIMIT $10"
    );
    let mut found = part(tx, same, chosen, after, limit)?;
    let rest = limit - i64::try_from(found.len()).unwrap_or(limit);
    if rest > 0 {
        found.extend(part(tx, longer, chosen, after, rest)?);
    }
    Ok(found)
}

fn part(
    tx: &mut Tx<'_>,
    statement: Sql,
    chosen: &Chosen,
    after: &Place,
    limit: i64,
) -> Result<Vec<(Place, Label)>> {
    let [prefix, from, to] = ends(chosen);
    tx.query(
        statement,
        &[
            &prefix,
            &from,
            &to,
            &chosen.book,
            &chosen.since.as_deref(),
            &chosen.batch,
            &chosen.unprinted,
            &after.0,
            &after.1,
            &limit,
        ],
        |row| {
            let label = Label {
                copy_id: row.get(0)?,
                book_id: row.get(1)?,
                barcode: row.get(2)?,
                title: row.get(3)?,
                author: row.get(4)?,
                location: row.get(5)?,
                printed: row.get(6)?,
            };
            Ok((Place(row.get(7)?, row.get(8)?), label))
        },
    )
}

fn ends(chosen: &Chosen) -> [Option<&str>; 3] {
    let range = chosen.range.as_ref();
    [
        range.map(|range| range.prefix.as_str()),
        range.map(|range| range.from.as_str()),
        range.map(|range| range.to.as_str()),
    ]
}

/// Stores a printed batch and returns its id. Skips ids of copies that do not exist.
pub fn add_batch(tx: &mut Tx<'_>, at: i64, by: UserId, sheet: &str, copies: &[CopyId]) -> Result<i64> {
    let batch = tx.insert(
        insert!("INSERT INTO label_batches (at, by_id, sheet) VALUES ($1, $2, $3)"),
        &[&at, &by, &sheet],
    )?;
    let copies = serde_json::to_string(copies).map_err(|error| Error::Database(Box::new(error)))?;
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO label_batch_copies (batch_id, copy_id)
             SELECT CAST($1 AS BIGINT), copies.id
             FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS printed (id)
                  JOIN copies ON copies.id = CAST(printed.id AS BIGINT)"
        )
    } else {
        sql!(
            "INSERT INTO label_batch_copies (batch_id, copy_id)
             SELECT $1, copies.id FROM json_each($2) AS printed JOIN copies ON copies.id = printed.value"
        )
    };
    tx.execute(statement, &[&batch, &copies])?;
    Ok(batch)
}

macro_rules! batches {
    ($rest:literal) => {
        sql!(
            "SELECT batch.id, batch.at, u.name, batch.sheet,
                    (SELECT COUNT(*) FROM label_batch_copies AS n WHERE n.batch_id = batch.id),
                    COALESCE((SELECT c.barcode FROM label_batch_copies AS f JOIN copies AS c ON c.id = f.copy_id
                              WHERE f.batch_id = batch.id ORDER BY LENGTH(c.barcode), LOWER(c.barcode) LIMIT 1), ''),
                    COALESCE((SELECT c.barcode FROM label_batch_copies AS z JOIN copies AS c ON c.id = z.copy_id
                              WHERE z.batch_id = batch.id
                              ORDER BY LENGTH(c.barcode) DESC, LOWER(c.barcode) DESC LIMIT 1), '')
             FROM label_batches AS batch JOIN users AS u ON u.id = batch.by_id ",
            $rest
        )
    };
}

fn batch(row: &Row<'_>) -> Result<LabelBatch> {
    Ok(LabelBatch {
        id: row.get(0)?,
        at: rfc3339(row.get(1)?),
        by: row.get(2)?,
        sheet: row.get(3)?,
        count: row.get(4)?,
        first: row.get(5)?,
        last: row.get(6)?,
    })
}

/// Returns a printed batch.
pub fn batch_by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<LabelBatch>> {
    tx.query_opt(batches!("WHERE batch.id = $1"), &[&id], batch)
}

/// Returns up to `limit` printed batches with ids before `before`, newest first.
pub fn batches(tx: &mut Tx<'_>, before: i64, limit: i64) -> Result<Vec<LabelBatch>> {
    tx.query(batches!("WHERE batch.id < $1 ORDER BY batch.id DESC LIMIT $2"), &[&before, &limit], batch)
}

/// Saves a sheet, in place of one with the same name (case-insensitive), and returns its id.
pub fn save_sheet(tx: &mut Tx<'_>, form: &SheetForm) -> Result<i64> {
    let data = serde_json::to_string(form).map_err(|error| Error::Database(Box::new(error)))?;
    tx.query_one(
        sql!(
            "INSERT INTO label_sheets (name_key, data) VALUES ($1, $2)
             ON CONFLICT (name_key) DO UPDATE SET data = excluded.data RETURNING id"
        ),
        &[&form.name.to_lowercase(), &data],
        |row| row.get(0),
    )
}

/// Deletes a sheet; false if there is none.
pub fn delete_sheet(tx: &mut Tx<'_>, id: i64) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM label_sheets WHERE id = $1"), &[&id])? > 0)
}

/// Returns the library's own sheets by name.
pub fn sheets(tx: &mut Tx<'_>) -> Result<Vec<Sheet>> {
    tx.query(sql!("SELECT id, data FROM label_sheets ORDER BY name_key LIMIT 100"), &[], |row| {
        let measures = serde_json::from_str(&row.get::<String>(1)?);
        Ok(Sheet { id: row.get(0)?, measures: measures.map_err(|error| Error::Database(Box::new(error)))? })
    })
}
