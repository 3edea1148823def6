//! The catalogue's search index, kept true to the database.
//!
//! One task follows the table of changes, whoever made them: this server, another, or a command beside it. A write that
//! changed a book is answered when the index has the change, so a librarian finds at once what she just saved.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{Notify, watch};

use crate::{
    search::Index,
    storage::{
        Db, Error,
        catalogue::{self as changes, Follower},
    },
};

/// Between two looks at the table of changes when nobody calls: what a lost notification or a command on the same file
/// takes at most to be seen.
const LOOK: Duration = Duration::from_secs(1);

/// Entries read at once while loading.
const PORTION: i64 = 10_000;

/// The search index and the task that keeps it.
#[derive(Clone)]
pub struct Catalogue {
    index: Arc<Index>,
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
        db.follow_catalogue(Follower { call: Arc::clone(&call), seen });
        tokio::spawn(follow(db, Arc::clone(&index), call, say));
        Ok(Self { index })
    }

    /// The index to search.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
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
