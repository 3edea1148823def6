//! Contents of the search index, and the changes that every process with an index follows.

use std::{sync::Arc, time::Duration};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use super::{Result, Tx};
use crate::{domain::id::BookId, search::Entry, sql};

/// Range of books that may have been added, changed or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the change; rises by one in commit order.
    pub number: i64,
    /// Lowest id in the range.
    pub first: i64,
    /// Highest id in the range.
    pub last: i64,
}

/// Number of changes kept; an index that is further behind reads the whole catalogue again.
const KEPT: i64 = 10_000;

/// Maximum distance between the ids of neighbouring books in one change: rereading a few unchanged books costs less
/// than another query.
const NEAR: i64 = 100;

/// Records which books the transaction touched; returns the number of the last change, `None` if no book was
/// touched. Storage calls this at the end of every transaction, so that no caller can forget it.
pub(super) fn record(tx: &mut Tx<'_>) -> Result<Option<i64>> {
    let mut touched = std::mem::take(&mut tx.touched);
    touched.sort_unstable();
    let mut newest = None;
    for near in touched.chunk_by(|a, b| b.saturating_sub(*a) <= NEAR) {
        let number = tx.query_one(
            sql!("UPDATE catalogue SET changes = changes + 1 WHERE id = 1 RETURNING changes"),
            &[],
            |row| row.get::<i64>(0),
        )?;
        tx.execute_one(
            sql!("INSERT INTO catalogue_changes (number, first_id, last_id) VALUES ($1, $2, $3)"),
            &[&number, &near[0], &near[near.len() - 1]],
        )?;
        newest = Some(number);
    }
    if let Some(number) = newest {
        tx.execute(sql!("DELETE FROM catalogue_changes WHERE number <= $1"), &[&(number - KEPT)])?;
        if tx.is_postgres() {
            tx.execute(sql!("SELECT pg_notify('library_catalogue', '')"), &[])?;
        }
    }
    Ok(newest)
}

/// Search index of this process, as storage sees it.
pub struct Follower {
    /// Wakes the index to read changes.
    pub changed: Arc<Notify>,
    /// Number of the last change in the index.
    pub seen: watch::Receiver<i64>,
}

impl Follower {
    /// Time limit for a write's answer to wait for the index.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Waits, at most two seconds, until the index has the change with this number. A timeout is no error: the change
    /// is stored, and the index will follow.
    pub(super) async fn wait_until_seen(&self, number: i64) {
        self.changed.notify_one();
        let mut seen = self.seen.clone();
        if tokio::time::timeout(Self::PATIENCE, seen.wait_for(|seen| *seen >= number)).await.is_err() {
            tracing::warn!(change = number, "the search index lags behind");
        }
    }
}

/// Runs a write that changes nothing, to find out whether writing works.
pub(super) fn touch(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute_one(sql!("UPDATE catalogue SET changes = changes WHERE id = 1"), &[])
}

/// Returns the number of the newest change.
pub fn newest_change(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT changes FROM catalogue WHERE id = 1"), &[], |row| row.get(0))
}

/// Newest change of the activity log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEvent {
    pub id: i64,
    /// Epoch milliseconds.
    pub at: i64,
}

/// Returns the newest change of the activity log.
pub fn last_event(tx: &mut Tx<'_>) -> Result<Option<LastEvent>> {
    tx.query_opt(sql!("SELECT id, at FROM events ORDER BY id DESC LIMIT 1"), &[], |row| {
        Ok(LastEvent { id: row.get(0)?, at: row.get(1)? })
    })
}

/// True if the activity log has this change.
pub fn has_event(tx: &mut Tx<'_>, event: LastEvent) -> Result<bool> {
    let found = tx.query_opt(
        sql!("SELECT 1 FROM events WHERE id = $1 AND at = $2"),
        &[&event.id, &event.at],
        |row| row.get::<i64>(0),
    );
    Ok(found?.is_some())
}

/// Returns the number of the newest change with the number of books at that time.
pub fn size(tx: &mut Tx<'_>) -> Result<(i64, i64)> {
    tx.query_one(
        sql!("SELECT changes, (SELECT COUNT(*) FROM books) FROM catalogue WHERE id = 1"),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns the changes after `number`, oldest first; `None` if some of them are no longer kept.
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

/// Returns up to `limit` entries of the books with ids `first` to `last`, in that order.
pub fn entries(tx: &mut Tx<'_>, first: i64, last: i64, limit: i64) -> Result<Vec<Entry>> {
    let mut entries = tx.query(
        sql!(
            "SELECT id, title, author, genre, no_of_books FROM books WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3"
        ),
        &[&first, &last, &limit],
        |row| {
            Ok(Entry {
                id: row.get(0)?,
                title: row.get(1)?,
                author: row.get(2)?,
                genre: row.get(3)?,
                popularity: 0,
                available: row.get::<i64>(4)? > 0,
            })
        },
    )?;
    let Some(last) = entries.last().map(|entry| entry.id) else { return Ok(entries) };
    // Far fewer books have loans or reviews than there are books, so joining them here is cheaper than in the statement.
    let counted = [
        sql!("SELECT book_id, COUNT(*) FROM loans WHERE book_id BETWEEN $1 AND $2 GROUP BY book_id"),
        sql!("SELECT book_id, COUNT(*) FROM reviews WHERE book_id BETWEEN $1 AND $2 GROUP BY book_id"),
    ];
    for statement in counted {
        for (book, count) in
            tx.query(statement, &[&first, &last], |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)))?
        {
            if let Ok(at) = entries.binary_search_by_key(&book, |entry| entry.id) {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                entries[at].popularity = entries[at].popularity.saturating_add(count);
            }
        }
    }
    Ok(entries)
}

/// Number of loans of one book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    pub id: i64,
    pub loans: u32,
    /// Number of these loans that began on or after the day `month` passed to [`lent`].
    pub since_month: u32,
}

/// Counts the loans of each book from `first` until the day before `end`, and how many of them began on or after
/// `month`. Undone loans do not count. Reads all loans.
pub fn lent(tx: &mut Tx<'_>, first: Date, month: Date, end: Date) -> Result<Vec<Lent>> {
    let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    tx.query(
        sql!(
            "SELECT book_id, COUNT(*), COUNT(CASE WHEN entry_date >= $1 THEN 1 END) FROM loans
             WHERE entry_date >= $2 AND entry_date < $3 AND NOT voided GROUP BY book_id"
        ),
        &[&month.to_string(), &first.to_string(), &end.to_string()],
        |row| Ok(Lent { id: row.get(0)?, loans: count(row.get(1)?), since_month: count(row.get(2)?) }),
    )
}

/// Number of latest changes that [`returned_today`] searches for returns.
const LATEST: i64 = 2_000;

/// Returns up to `limit` books with a copy on the shelf that were returned today, latest first.
pub fn returned_today(tx: &mut Tx<'_>, today: Date, limit: usize) -> Result<Vec<BookId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    tx.query(
        sql!(
            "SELECT books.id FROM events CROSS JOIN books
             WHERE events.id > (SELECT MAX(id) FROM events) - $1 AND events.action = 'returned'
               AND books.id = events.book_id AND books.no_of_books > 0 AND EXISTS (
                 SELECT 1 FROM loans WHERE loans.book_id = events.book_id AND loans.ended_on = $2 AND NOT loans.voided
             ) GROUP BY books.id ORDER BY MAX(events.id) DESC LIMIT $3"
        ),
        &[&LATEST, &today.to_string(), &limit],
        |row| row.get(0),
    )
}
