//! The catalogue's search index, kept true to the database.
//!
//! One task follows the table of changes, whoever made them: this server, another, or a command beside it. A handler
//! that changed a book waits until the follower has seen its change, so a librarian finds at once what she just saved.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{Notify, watch};

use crate::{
    search::Index,
    storage::{Db, Error, catalogue as changes},
};

/// Between two looks at the table of changes when nobody calls: what a lost notification or a command on the same file
/// takes at most to be seen.
const LOOK: Duration = Duration::from_secs(1);

/// Entries read at once while loading.
const PORTION: i64 = 10_000;

/// A handler's answer does not wait longer than this for the index.
const PATIENCE: Duration = Duration::from_secs(2);

/// The search index and the task that keeps it.
#[derive(Clone)]
pub struct Catalogue {
    index: Arc<Index>,
    call: Arc<Notify>,
    seen: watch::Receiver<i64>,
}

impl Catalogue {
    /// Reads the whole catalogue and begins to follow its changes.
    ///
    /// # Errors
    /// The database's own, while loading.
    pub async fn load(db: Db) -> Result<Self, Error> {
        let index = Arc::new(Index::new());
        let begun = Instant::now();
        let number = load_all(&db, &index).await?;
        tracing::info!(books = index.len(), ms = begun.elapsed().as_millis(), "search index loaded");
        let (say, seen) = watch::channel(number);
        let call = Arc::new(Notify::new());
        let woken = Arc::clone(&call);
        db.on_catalogue_change(move || woken.notify_one());
        tokio::spawn(follow(db, Arc::clone(&index), Arc::clone(&call), say));
        Ok(Self { index, call, seen })
    }

    /// The index to search.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns when the index has the change with this number. After two seconds it returns anyway: the change is
    /// stored and the index will follow.
    pub async fn has_seen(&self, number: i64) {
        self.call.notify_one();
        let mut seen = self.seen.clone();
        if tokio::time::timeout(PATIENCE, seen.wait_for(|seen| *seen >= number)).await.is_err() {
            tracing::warn!(change = number, "the search index lags behind");
        }
    }
}

async fn load_all(db: &Db, index: &Index) -> Result<i64, Error> {
    // Changes committed while we read are read again by number: nothing is missed, and twice does no harm.
    let number = db.read(changes::newest_change).await?;
    let mut entries = Vec::new();
    let mut first = 0;
    loop {
        let portion = db.read(move |tx| changes::entries(tx, first, i64::MAX, PORTION)).await?;
        let Some(last) = portion.last() else { break };
        first = last.id + 1;
        entries.extend(portion);
    }
    index.replace(i64::MIN..=i64::MAX, entries);
    Ok(number)
}

async fn follow(db: Db, index: Arc<Index>, call: Arc<Notify>, say: watch::Sender<i64>) {
    loop {
        let _ = tokio::time::timeout(LOOK, call.notified()).await;
        match catch_up(&db, &index, &say).await {
            Ok(()) => {}
            Err(Error::Closed) => return,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the search index cannot follow the catalogue"
                );
            }
        }
        if say.is_closed() {
            return;
        }
    }
}

async fn catch_up(db: &Db, index: &Index, say: &watch::Sender<i64>) -> Result<(), Error> {
    loop {
        let from = *say.borrow();
        match db.read(move |tx| changes::changes_after(tx, from)).await? {
            Some(changes) if changes.is_empty() => return Ok(()),
            Some(changes) => {
                for change in changes {
                    let entries =
                        db.read(move |tx| changes::entries(tx, change.first, change.last, i64::MAX)).await?;
                    index.replace(change.first..=change.last, entries);
                    say.send_replace(change.number);
                }
            }
            None => {
                let number = load_all(db, index).await?;
                say.send_replace(number);
            }
        }
    }
}
