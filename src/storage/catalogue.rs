//! What the search index is made of, and how every process that keeps one hears of changes.

use std::{sync::Arc, time::Duration};

use tokio::sync::{Notify, watch};

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

/// Books whose numbers are this far apart at most are told as one change: reading a few too many again costs less than
/// one more look.
const NEAR: i64 = 100;

/// Writes down, in the transaction of the change itself, which books of the catalogue it touched; the number of the last
/// change, `None` where it touched no book. Storage calls this at the end of every transaction, so nobody can forget it.
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

/// The search index of this process, as far as storage needs to know it.
pub struct Follower {
    /// Makes it look for changes.
    pub call: Arc<Notify>,
    /// The number of the last change that it has.
    pub seen: watch::Receiver<i64>,
}

impl Follower {
    /// A write's answer does not wait longer than this for the index.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// Returns when the index has the change with this number. After two seconds it returns anyway: the change is
    /// stored and the index will follow.
    pub(super) async fn has_seen(&self, number: i64) {
        self.call.notify_one();
        let mut seen = self.seen.clone();
        if tokio::time::timeout(Self::PATIENCE, seen.wait_for(|seen| *seen >= number)).await.is_err() {
            tracing::warn!(change = number, "the search index lags behind");
        }
    }
}

/// A write that changes nothing, to find out whether writing works.
pub(super) fn touch(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute_one(sql!("UPDATE catalogue SET changes = changes WHERE id = 1"), &[])
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
                available: row.get::<i64>(4)? > 0,
            })
        },
    )
}
