//! Synchronisation of the search index with the database.
//!
//! One task polls `catalogue_changes`, which lists the changes made by this server, other servers and commands. A request
//! that changed a book is answered once the index has the change, so librarians can find a book immediately after saving
//! it.

mod index_file;

use std::{
    cmp::Reverse,
    ops::RangeInclusive,
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
    time::{Duration, Instant},
};

use jiff::{ToSpan as _, civil::Date};
use tokio::sync::{Notify, SetOnce, watch};

use self::index_file::{Found, IndexFile};
use crate::{
    clock::{Clock, millis},
    search::{Entry, Index, Loading},
    storage::{
        Db, Error,
        catalogue::{self as changes, Change, Follower},
    },
    supervise::keep_running,
};

/// Poll interval of `catalogue_changes` without a notification, and so the maximum delay of a change whose notification
/// was lost or that a command made in the same file.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum pause after a poll that found changes; short, because a write to the catalogue waits for the next poll.
const REST: Duration = Duration::from_millis(200);

/// Number of entries read in one query.
const PORTION: i64 = 10_000;

/// Whole days before today whose loans count for popularity (decision 293): about one term, without earlier years.
const POPULAR_DAYS: i64 = 90;

/// Whole days before today whose loans count for [`Catalogue::popular_this_month`], and number of books in that list.
const MONTH_DAYS: i64 = 30;
const POPULAR_BOOKS: usize = 24;

/// Age of the last successful poll after which [`Catalogue::health`] fails.
const STALE: Duration = Duration::from_secs(10);

/// Search index, and the task that synchronises it.
#[derive(Clone)]
pub struct Catalogue {
    shared: Arc<Shared>,
}

struct Shared {
    db: Db,
    clock: Clock,
    /// Day before which the loans were counted (`None` at first), and the month's most lent books.
    counted: Mutex<(Option<Date>, Arc<[i64]>)>,
    /// Set once the whole catalogue is loaded.
    index: SetOnce<Arc<Index>>,
    /// Notified when the catalogue changes.
    changed: Arc<Notify>,
    following: Once,
    /// Number of the last change applied to the index.
    seen: watch::Sender<i64>,
    /// Start of the last successful poll. One poll reads at most a thousand changes.
    polled: Mutex<Instant>,
    /// Held while the words of the index are collected, or the index is written to its file.
    working: Arc<tokio::sync::Mutex<()>>,
    /// File of the index, if the database has one.
    index_file: Option<Arc<IndexFile>>,
}

impl Catalogue {
    /// Starts the task that loads the whole catalogue and then follows its changes. A million titles take some seconds.
    #[must_use]
    pub fn open(db: Db, clock: Clock) -> Self {
        let index_file = IndexFile::beside(db.location()).map(Arc::new);
        let shared = Arc::new(Shared {
            db,
            clock,
            counted: Mutex::default(),
            index: SetOnce::new(),
            changed: Arc::default(),
            following: Once::new(),
            seen: watch::Sender::default(),
            polled: Mutex::new(Instant::now()),
            working: Arc::default(),
            index_file,
        });
        let following = Arc::clone(&shared);
        tokio::spawn(keep_running("search-index", move || follow(Arc::clone(&following))));
        Self { shared }
    }

    /// Waits until the index is loaded, and returns it.
    pub async fn index(&self) -> Arc<Index> {
        Arc::clone(self.shared.index.wait().await)
    }

    /// Returns the books lent most in the last thirty whole days, most first.
    #[must_use]
    pub fn popular_this_month(&self) -> Arc<[i64]> {
        Arc::clone(&self.shared.counted().1)
    }

    /// Checks that the index is loaded and follows the catalogue.
    ///
    /// # Errors
    /// Describes the problem.
    pub fn health(&self) -> Result<(), String> {
        if self.shared.index.get().is_none() {
            return Err("the search index is being loaded".to_owned());
        }
        let behind = self.shared.polled().elapsed();
        if behind < STALE {
            return Ok(());
        }
        Err(format!("the search index has not followed the catalogue for {} s", behind.as_secs()))
    }
}

/// Loads the whole catalogue. Adds one batch to the index while reading the next.
async fn load(db: &Db) -> Result<Index, Error> {
    let (mut loading, mut first) = (Loading::default(), Some(i64::MIN));
    let mut portion = Vec::new();
    while let Some(from) = first {
        let next = db.read(move |tx| changes::entries(tx, from, i64::MAX, PORTION));
        let push = run_blocking(move || {
            loading.push(portion);
            loading
        });
        let (read, pushed) = tokio::join!(next, push);
        (portion, loading) = (read?, pushed?);
        first = after(&portion, i64::MAX);
    }
    run_blocking(move || {
        loading.push(portion);
        loading.finish()
    })
    .await
}

/// Returns the first id of the next batch; `None` after the last one.
fn after(portion: &[Entry], last: i64) -> Option<i64> {
    let whole = i64::try_from(portion.len()).is_ok_and(|length| length < PORTION);
    portion.last().filter(|entry| !whole && entry.id < last).map(|entry| entry.id + 1)
}

/// Runs blocking work on another thread.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        Err(_) => Err(Error::Closed),
    }
}

async fn follow(catalogue: Arc<Shared>) {
    let mut failing = false;
    loop {
        let started = Instant::now();
        let polled = match catalogue.index.get() {
            // The index follows the catalogue even while the loans cannot be counted.
            Some(index) => match catalogue.catch_up(index).await {
                Ok(has_changed) => catalogue.count_loans(index).await.map(|()| has_changed),
                Err(error) => Err(error),
            },
            None => catalogue.load().await.map(|()| true),
        };
        match polled {
            Ok(true) => {
                failing = false;
                // Pausing as long as the poll took leaves half the time to readers during an import; the next poll then
                // reads several batches at once.
                tokio::time::sleep(started.elapsed().min(REST)).await;
                continue;
            }
            Ok(false) => {
                failing = false;
                if let Some(index) = catalogue.index.get() {
                    catalogue.learn_words(index);
                    if let Err(error) = catalogue.write_file(index).await {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the file of the search index is not written"
                        );
                    }
                }
            }
            Err(Error::Closed) => return,
            // Logged once per outage: storage logs the errors of the database.
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the search index cannot follow the catalogue"
                );
            }
            Err(_) => {}
        }
        let _ = tokio::time::timeout(POLL_INTERVAL, catalogue.changed.notified()).await;
    }
}

impl Shared {
    /// Loads the whole catalogue for the first time.
    async fn load(&self) -> Result<(), Error> {
        let begun = Instant::now();
        // Changes committed during the load have a higher number and are applied again: none is missed, and applying one
        // twice is harmless.
        let number = self.db.read(changes::newest_change).await?;
        let found = self.read_file().await?;
        let from_file = found.is_some();
        let Found { index, number } = match found {
            Some(found) => found,
            None => Found { index: load(&self.db).await?, number },
        };
        let index = Arc::new(index);
        self.seen.send_replace(number);
        // From here on, writes wait until the index has them.
        self.following.call_once(|| {
            let follower = Follower { changed: Arc::clone(&self.changed), seen: self.seen.subscribe() };
            self.db.follow_catalogue(follower);
        });
        while self.catch_up(&index).await? {}
        if from_file && !self.is_whole(&index).await? {
            tracing::warn!("the file of the search index has other books than the database, and is not used");
            self.reload(&index).await?;
        }
        if let Err(error) = self.count_loans(&index).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the loans of popular books are not counted yet"
            );
        }
        if let Some(file) = self.index_file.as_deref().filter(|_| from_file) {
            file.has(&index);
        }
        tracing::info!(books = index.len(), from_file, ms = millis(begun.elapsed()), "search index loaded");
        let _ = self.index.set(index);
        Ok(())
    }

    /// Returns the index from its file, if the file belongs to the database as it is now.
    async fn read_file(&self) -> Result<Option<Found>, Error> {
        let Some(file) = self.index_file.clone() else { return Ok(None) };
        let db = self.db.clone();
        run_blocking(move || {
            file.read(|number, event| {
                db.read_blocking(move |tx| index_file::is_of(tx, number, event)).unwrap_or_default()
            })
        })
        .await
    }

    /// True if the index has as many books as the database; also if another process changes the catalogue just now.
    async fn is_whole(&self, index: &Index) -> Result<bool, Error> {
        let (number, books) = self.db.read(changes::size).await?;
        Ok(number != *self.seen.borrow() || i64::try_from(index.len()) == Ok(books))
    }

    /// Writes the index to its file in the background, if due and nothing else runs there.
    async fn write_file(&self, index: &Arc<Index>) -> Result<(), Error> {
        let Some(file) = self.index_file.clone().filter(|file| file.is_due(index)) else { return Ok(()) };
        let Ok(working) = Arc::clone(&self.working).try_lock_owned() else { return Ok(()) };
        // In this order: a database that has the newest change of the log has the change of the catalogue, too.
        let number = *self.seen.borrow();
        let event = self.db.read(changes::last_event).await?;
        let index = Arc::clone(index);
        tokio::task::spawn_blocking(move || {
            file.write(&index, number, event);
            drop(working);
        });
        Ok(())
    }

    /// Reloads the whole catalogue, because the table no longer has all changes since the last poll.
    async fn reload(&self, index: &Arc<Index>) -> Result<(), Error> {
        let number = self.db.read(changes::newest_change).await?;
        self.refresh(index, i64::MIN..=i64::MAX).await?;
        self.seen.send_replace(number);
        Ok(())
    }

    /// Counts the loans for the order by popularity, once a day. Only whole days count, so every server has the same
    /// order, and the order stays the same while a reader pages through the list.
    async fn count_loans(&self, index: &Arc<Index>) -> Result<(), Error> {
        let today = self.clock.today();
        if self.counted().0 == Some(today) {
            return Ok(());
        }
        let first = |days: i64| today.saturating_sub(days.days());
        let (term, month) = (first(POPULAR_DAYS), first(MONTH_DAYS));
        let lent = self.db.read(move |tx| changes::lent(tx, term, month, today)).await?;
        let counting = Arc::clone(index);
        let popular = run_blocking(move || {
            let mut popular: Vec<_> = lent.iter().filter(|book| book.since_month > 0).collect();
            popular.sort_unstable_by_key(|book| (Reverse(book.since_month), Reverse(book.loans), book.id));
            let popular = popular.into_iter().take(POPULAR_BOOKS).map(|book| book.id).collect();
            counting.count_loans(lent.iter().map(|book| (book.id, book.loans)).collect());
            popular
        });
        *self.counted() = (Some(today), popular.await?);
        Ok(())
    }

    /// Applies the changes since the last poll. Returns false if there were none.
    async fn catch_up(&self, index: &Arc<Index>) -> Result<bool, Error> {
        let (seen, now) = (*self.seen.borrow(), Instant::now());
        let changes = self.db.snapshot(move |tx| changes::changes_after(tx, seen)).await?;
        match &changes {
            Some(changes) => {
                for books in joined_ranges(changes) {
                    self.refresh(index, books).await?;
                }
                if let Some(newest) = changes.last() {
                    self.seen.send_replace(newest.number);
                }
            }
            None => self.reload(index).await?,
        }
        *self.polled() = now;
        Ok(changes.is_none_or(|changes| !changes.is_empty()))
    }

    /// Reads these books from the database and replaces them in the index.
    async fn refresh(&self, index: &Arc<Index>, books: RangeInclusive<i64>) -> Result<(), Error> {
        let (mut first, last) = (Some(*books.start()), *books.end());
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(from) = first {
            let portion = self.db.read(move |tx| changes::entries(tx, from, last, PORTION)).await?;
            first = after(&portion, last);
            entries.extend(portion);
        }
        let index = Arc::clone(index);
        run_blocking(move || index.replace(books, entries)).await
    }

    /// Starts collecting the words for other spellings in the background, if due and not already running. Collecting takes
    /// a second or two for a million books.
    fn learn_words(&self, index: &Arc<Index>) {
        if !index.has_words_to_learn() {
            return;
        }
        let Ok(working) = Arc::clone(&self.working).try_lock_owned() else { return };
        let index = Arc::clone(index);
        tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            index.learn_words();
            tracing::info!(ms = millis(begun.elapsed()), "words of the search index collected");
            drop(working);
        });
    }

    fn counted(&self) -> MutexGuard<'_, (Option<Date>, Arc<[i64]>)> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn polled(&self) -> MutexGuard<'_, Instant> {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the ranges of changed books, adjacent ranges joined: a merge costs the same for one book as for a thousand.
fn joined_ranges(changes: &[Change]) -> Vec<RangeInclusive<i64>> {
    let mut ranges: Vec<_> = changes.iter().map(|change| (change.first, change.last)).collect();
    ranges.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined.into_iter().map(|(first, last)| first..=last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_batches_of_an_import_are_one_merge_s18() {
        let changes = |ranges: &[(i64, i64)]| -> Vec<Change> {
            ranges
                .iter()
                .zip(1..)
                .map(|(range, number)| Change { number, first: range.0, last: range.1 })
                .collect()
        };
        let import: Vec<_> = (0..1000).map(|batch| (batch * 500 + 1, batch * 500 + 500)).collect();
        assert_eq!(joined_ranges(&changes(&import)), [1..=500_000]);
        assert_eq!(joined_ranges(&changes(&[(9, 9), (1, 3), (3, 5), (2, 2), (7, 7)])), [1..=5, 7..=7, 9..=9]);
        assert_eq!(joined_ranges(&changes(&[(i64::MIN, i64::MAX), (4, 4)])), [i64::MIN..=i64::MAX]);
        assert!(joined_ranges(&[]).is_empty());
    }
}
