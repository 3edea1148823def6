//! The catalogue's search index, kept true to the database.
//!
//! One task follows the table of changes, whoever made them: this server, another, or a command beside it. A write that
//! changed a book is answered when the index has the change, so a librarian finds at once what she just saved.

use std::{
    ops::RangeInclusive,
    sync::{Arc, Mutex, Once, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::{Notify, SetOnce, watch};

use crate::{
    search::{Entry, Index, Loading},
    storage::{
        Db, Error,
        catalogue::{self as changes, Change, Follower},
    },
};

/// Between two looks at the table of changes when nobody calls: what a lost notification or a command on the same file
/// takes at most to be seen.
const LOOK: Duration = Duration::from_secs(1);

/// Entries read at once.
const PORTION: i64 = 10_000;

/// An index that was not level with the database for this long is no longer trusted.
const STALE: Duration = Duration::from_secs(10);

/// The search index and the task that keeps it.
#[derive(Clone)]
pub struct Catalogue {
    shared: Arc<Shared>,
}

struct Shared {
    db: Db,
    /// Set when the whole catalogue was read.
    index: SetOnce<Arc<Index>>,
    /// Somebody changed something.
    call: Arc<Notify>,
    following: Once,
    /// The number of the last change that the index has.
    seen: watch::Sender<i64>,
    /// When the index was last level with the database, as far as a look at a thousand changes goes.
    level: Mutex<Instant>,
    /// Held while the index learns words.
    learning: Arc<tokio::sync::Mutex<()>>,
}

impl Catalogue {
    /// Begins to read the whole catalogue, and then follows its changes. A million titles take some seconds.
    #[must_use]
    pub fn open(db: Db) -> Self {
        let shared = Arc::new(Shared {
            db,
            index: SetOnce::new(),
            call: Arc::default(),
            following: Once::new(),
            seen: watch::Sender::default(),
            level: Mutex::new(Instant::now()),
            learning: Arc::default(),
        });
        let following = Arc::clone(&shared);
        tokio::spawn(keep_running(move || follow(Arc::clone(&following))));
        Self { shared }
    }

    /// The index to search, as soon as it is loaded.
    pub async fn index(&self) -> Arc<Index> {
        Arc::clone(self.shared.index.wait().await)
    }

    /// Whether the index is loaded and follows the catalogue.
    ///
    /// # Errors
    /// What it is about instead, in words.
    pub fn health(&self) -> Result<(), String> {
        if self.shared.index.get().is_none() {
            return Err("the search index is being loaded".to_owned());
        }
        let behind = self.shared.level().elapsed();
        if behind < STALE {
            return Ok(());
        }
        Err(format!("the search index has not followed the catalogue for {} s", behind.as_secs()))
    }
}

/// The index of the whole catalogue. One portion goes into it while the next is read.
async fn load(db: &Db) -> Result<Index, Error> {
    let (mut loading, mut first) = (Loading::default(), Some(i64::MIN));
    let mut portion = Vec::new();
    while let Some(from) = first {
        let next = db.read(move |tx| changes::entries(tx, from, i64::MAX, PORTION));
        let push = aside(move || {
            loading.push(portion);
            loading
        });
        let (read, pushed) = tokio::join!(next, push);
        (portion, loading) = (read?, pushed?);
        first = after(&portion, i64::MAX);
    }
    aside(move || {
        loading.push(portion);
        loading.finish()
    })
    .await
}

/// Where the portion after this one begins; `None` where it was the last.
fn after(portion: &[Entry], last: i64) -> Option<i64> {
    let whole = i64::try_from(portion.len()).is_ok_and(|length| length < PORTION);
    portion.last().filter(|entry| !whole && entry.id < last).map(|entry| entry.id + 1)
}

/// Does work that takes a while on another thread, where it holds up no requests.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
        Err(_) => Err(Error::Closed),
    }
}

/// Runs a task that is not to end, and begins it anew when a fault in the program ended it.
async fn keep_running<F: Future<Output = ()> + Send + 'static>(task: impl Fn() -> F) {
    while let Err(ended) = tokio::spawn(task()).await {
        if ended.is_cancelled() {
            // The program stops.
            return;
        }
        tracing::error!(error = %ended, "the search index stopped following the catalogue, and begins anew");
        tokio::time::sleep(LOOK).await;
    }
}

async fn follow(catalogue: Arc<Shared>) {
    let mut failing = false;
    loop {
        let begun = Instant::now();
        let looked = match catalogue.index.get() {
            Some(index) => catalogue.catch_up(index).await,
            None => catalogue.load().await.map(|()| true),
        };
        match looked {
            Ok(true) => {
                failing = false;
                // During an import half the time is left to readers, and the next look finds several batches at once.
                tokio::time::sleep(begun.elapsed().min(LOOK)).await;
                continue;
            }
            Ok(false) => {
                failing = false;
                if let Some(index) = catalogue.index.get() {
                    catalogue.learn_words(index);
                }
            }
            Err(Error::Closed) => return,
            // Told once: storage tells what ails the database.
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the search index cannot follow the catalogue"
                );
            }
            Err(_) => {}
        }
        let _ = tokio::time::timeout(LOOK, catalogue.call.notified()).await;
    }
}

impl Shared {
    /// Reads the whole catalogue for the first time.
    async fn load(&self) -> Result<(), Error> {
        let begun = Instant::now();
        // Changes committed while we read are read again by number: nothing is missed, and twice does no harm.
        let number = self.db.read(changes::newest_change).await?;
        let index = Arc::new(load(&self.db).await?);
        self.seen.send_replace(number);
        // From here on a write is answered when the index has it.
        self.following.call_once(|| {
            let follower = Follower { call: Arc::clone(&self.call), seen: self.seen.subscribe() };
            self.db.follow_catalogue(follower);
        });
        while self.catch_up(&index).await? {}
        tracing::info!(books = index.len(), ms = begun.elapsed().as_millis(), "search index loaded");
        let _ = self.index.set(index);
        Ok(())
    }

    /// Reads the whole catalogue again, because the table does not tell all changes any more.
    async fn load_all(&self, index: &Arc<Index>) -> Result<(), Error> {
        let number = self.db.read(changes::newest_change).await?;
        self.read_again(index, i64::MIN..=i64::MAX).await?;
        self.seen.send_replace(number);
        Ok(())
    }

    /// Applies the changes since the last look; `false` if there were none.
    async fn catch_up(&self, index: &Arc<Index>) -> Result<bool, Error> {
        let (seen, now) = (*self.seen.borrow(), Instant::now());
        let changes = self.db.snapshot(move |tx| changes::changes_after(tx, seen)).await?;
        match &changes {
            Some(changes) => {
                for books in together(changes) {
                    self.read_again(index, books).await?;
                }
                if let Some(newest) = changes.last() {
                    self.seen.send_replace(newest.number);
                }
            }
            None => self.load_all(index).await?,
        }
        *self.level() = now;
        Ok(changes.is_none_or(|changes| !changes.is_empty()))
    }

    /// Makes the index hold what the database holds of these books.
    async fn read_again(&self, index: &Arc<Index>, books: RangeInclusive<i64>) -> Result<(), Error> {
        let (mut first, last) = (Some(*books.start()), *books.end());
        let mut entries: Vec<Entry> = Vec::new();
        while let Some(from) = first {
            let portion = self.db.read(move |tx| changes::entries(tx, from, last, PORTION)).await?;
            first = after(&portion, last);
            entries.extend(portion);
        }
        let index = Arc::clone(index);
        aside(move || index.replace(books, entries)).await
    }

    /// Begins to collect the words for other spellings, if many books came since they were collected and nothing is
    /// collecting them: beside everything else, since for a million books it takes a second or two.
    fn learn_words(&self, index: &Arc<Index>) {
        if !index.has_words_to_learn() {
            return;
        }
        let Ok(learning) = Arc::clone(&self.learning).try_lock_owned() else { return };
        let index = Arc::clone(index);
        tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            index.learn_words();
            tracing::info!(ms = begun.elapsed().as_millis(), "words of the search index collected");
            drop(learning);
        });
    }

    fn level(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The books that the changes touched, where changes touch neighbours as one range: a merge costs the same for one book
/// as for a thousand.
fn together(changes: &[Change]) -> Vec<RangeInclusive<i64>> {
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
    use std::sync::atomic::{AtomicUsize, Ordering};

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
        assert_eq!(together(&changes(&import)), [1..=500_000]);
        assert_eq!(together(&changes(&[(9, 9), (1, 3), (3, 5), (2, 2), (7, 7)])), [1..=5, 7..=7, 9..=9]);
        assert_eq!(together(&changes(&[(i64::MIN, i64::MAX), (4, 4)])), [i64::MIN..=i64::MAX]);
        assert!(together(&[]).is_empty());
    }

    #[tokio::test]
    async fn a_task_that_a_fault_ended_begins_anew_s14() {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        keep_running(move || {
            let run = counted.fetch_add(1, Ordering::SeqCst);
            async move { assert!(run >= 2, "a fault in the program, as the test wants it") }
        })
        .await;
        assert_eq!(runs.load(Ordering::SeqCst), 3);
    }
}
