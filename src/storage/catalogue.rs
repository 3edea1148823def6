//! What the search index is made of, and how every process that keeps one hears of changes.

use super::{Result, Tx};
use crate::{search::Entry, sql};

/// Books `first` to `last` may have been added, changed or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Numbers rise by one in the order in which changes are committed.
    pub number: i64,
    /// First book touched.
    pub first: i64,
    /// Last book touched.
    pub last: i64,
}

/// Changes kept for those who follow; whoever is further behind reads the whole catalogue again.
const KEPT: i64 = 10_000;

/// Writes down, in the transaction of the change itself, that books `first` to `last` changed; the change's number.
pub fn record(tx: &mut Tx<'_>, first: i64, last: i64) -> Result<i64> {
    let number = tx.query_one(
        sql!("UPDATE catalogue SET changes = changes + 1 WHERE id = 1 RETURNING changes"),
        &[],
        |row| row.get::<i64>(0),
    )?;
    tx.execute(
        sql!("INSERT INTO catalogue_changes (number, first_id, last_id) VALUES ($1, $2, $3)"),
        &[&number, &first, &last],
    )?;
    tx.execute(sql!("DELETE FROM catalogue_changes WHERE number <= $1"), &[&(number - KEPT)])?;
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_notify('library_catalogue', '')"), &[])?;
    }
    Ok(number)
}

/// The number of the newest change.
pub fn newest_change(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT changes FROM catalogue WHERE id = 1"), &[], |row| row.get(0))
}

/// The changes after `number`, oldest first; `None` where some of them are no longer kept.
pub fn changes_after(tx: &mut Tx<'_>, number: i64) -> Result<Option<Vec<Change>>> {
    let changes = tx.query(
        sql!("SELECT number, first_id, last_id FROM catalogue_changes WHERE number > $1 ORDER BY number LIMIT 1000"),
        &[&number],
        |row| Ok(Change { number: row.get(0)?, first: row.get(1)?, last: row.get(2)? }),
    )?;
    let complete = match changes.first() {
        Some(first) => first.number == number + 1,
        None => newest_change(tx)? <= number,
    };
    Ok(complete.then_some(changes))
}

/// Up to `limit` entries of books numbered `first` to `last`, in that order.
pub fn entries(tx: &mut Tx<'_>, first: i64, last: i64, limit: i64) -> Result<Vec<Entry>> {
    tx.query(
        sql!("SELECT id, title, author FROM books WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3"),
        &[&first, &last, &limit],
        |row| Ok(Entry { id: row.get(0)?, title: row.get(1)?, author: row.get(2)? }),
    )
}
