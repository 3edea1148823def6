//! Storage: the only folder that names a database driver.
//!
//! One synchronous layer over two databases. [`Db::read`] and [`Db::write`] take a closure, run it on a database thread
//! and answer when it is safe to: a write's answer comes after COMMIT returned. Every statement and every row mapping is
//! written once, in the file of its area, and runs on both.

pub mod accounts;
pub mod books;
pub mod catalogue;
pub mod copies;
pub mod events;
mod job;
pub mod loans;
pub mod migrate;
pub mod page;
mod postgres;
pub mod reviews;
pub mod sessions;
pub mod settings;
pub mod sql;
mod sqlite;
mod upgrade;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

pub use sql::{Param, Row, Tx};

use catalogue::Follower;
use job::{Answer, Job, pack};

/// Storage's own result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong below a statement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The queue is full, or the database is locked or away: nothing was done; try again.
    #[error("the database is busy")]
    Busy(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// COMMIT failed in a way that leaves open whether it happened.
    #[error("the database did not say whether the change was stored")]
    OutcomeUnknown(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// An earlier statement of the transaction failed.
    #[error("an earlier statement of the transaction failed")]
    Aborted,
    /// The closure panicked; its effects are undone.
    #[error("the change was given up by a fault in the program")]
    Panicked,
    /// The database is closed: the server is stopping.
    #[error("the database is closed")]
    Closed,
    /// What is stored contradicts itself; `library doctor` tells where.
    #[error("the database contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// One row was expected and several came.
    #[error("several rows where one was expected")]
    ManyRows,
    /// One row was expected and none came.
    #[error("no row where one was expected")]
    NoRow,
    /// The database's own error.
    #[error("database error")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database cannot be opened or brought up to date; the text is for the operator.
    #[error("{0}")]
    Open(String),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Self::Busy(Some(Box::new(error)))
            }
            _ => Self::Database(Box::new(error)),
        }
    }
}

impl From<::postgres::Error> for Error {
    fn from(error: ::postgres::Error) -> Self {
        use ::postgres::error::SqlState;
        match error.code() {
            // Deadlock or serialisation failure: undone by the database, worth another try.
            Some(&(SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE)) => {
                Self::Busy(Some(Box::new(error)))
            }
            None if error.is_closed() => Self::Busy(Some(Box::new(error))),
            _ => Self::Database(Box::new(error)),
        }
    }
}

/// Where the database is: `sqlite:PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of the embedded database.
    Sqlite(PathBuf),
    /// A `PostgreSQL` server's connection string (it may hold a password: never printed).
    Postgres(String),
}

impl std::str::FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() || path == ":memory:" {
                return Err("name a file after sqlite:, for instance sqlite:library.db".into());
            }
            Ok(Self::Sqlite(path.into()))
        } else if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Ok(Self::Postgres(text.into()))
        } else {
            Err("a database is sqlite:FILE or postgres://USER@HOST/NAME".into())
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(text) => match url::Url::parse(text) {
                Ok(url) => write!(
                    f,
                    "postgres://{}{}{}",
                    url.host_str().unwrap_or("localhost"),
                    url.port().map(|port| format!(":{port}")).unwrap_or_default(),
                    url.path()
                ),
                Err(_) => f.write_str("postgres"),
            },
        }
    }
}

// A connection string may hold a password.
impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A thread's next thing to do.
enum Message {
    Job(Box<dyn Job>),
    Stop,
}

/// Jobs that may wait for a thread; one more is told [`Error::Busy`] at once instead of waiting without end.
const QUEUE: usize = 4096;

/// Threads that read `SQLite`: twice the cores was best in the measured prototype, and a few keep a slow query from
/// blocking the quick ones on a small machine.
fn readers() -> usize {
    2 * std::thread::available_parallelism().map_or(2, usize::from)
}

/// An open database. Cheap to clone; all clones share the threads.
#[derive(Clone)]
pub struct Db {
    shared: Arc<Shared>,
}

struct Shared {
    location: Location,
    reads: Sender<Message>,
    writes: Sender<Message>,
    threads: std::sync::Mutex<Vec<std::thread::JoinHandle<()>>>,
    /// How many threads serve each queue, to stop them all.
    serving: (usize, usize),
    /// The search index of this process, if it has one.
    follower: OnceLock<Follower>,
}

impl Db {
    /// Opens the database, brings its schema up to date and starts its threads.
    ///
    /// # Errors
    /// [`Error::Open`] with one line for the operator: not there, not readable, read-only, newer than this program.
    pub fn open(location: &Location) -> Result<Self> {
        let migrated = migrate::apply(location, migrate::MIGRATIONS)?;
        if migrated.from > 0 {
            for version in migrated.applied {
                tracing::info!(version, "the database was migrated; older programs can no longer open it");
            }
        }
        let (reads, read_queue) = bounded(QUEUE);
        let (writes, write_queue) = bounded(QUEUE);
        let (threads, serving) = match location {
            Location::Sqlite(path) => sqlite::start(path, &read_queue, &write_queue, readers())?,
            Location::Postgres(url) => postgres::start(url, &read_queue, &write_queue)?,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                location: location.clone(),
                reads,
                writes,
                threads: std::sync::Mutex::new(threads),
                serving,
                follower: OnceLock::new(),
            }),
        })
    }

    /// Where this database is.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.shared.location
    }

    /// Reads. On `SQLite` the closure sees one snapshot; on `PostgreSQL` each statement sees its own, without the cost of
    /// a transaction, so a closure of several statements must not need them to agree.
    pub async fn read<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = pack(closure);
        submit(&self.shared.reads, job)?;
        answer.await.map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// One transaction: everything the closure does, or, when it answers an error or panics, nothing of it.
    ///
    /// The answer comes after COMMIT, and where the catalogue changed, after the search index of this process has the
    /// change. Dropping the future does not undo a write that already started.
    pub async fn write<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = pack(closure);
        submit(&self.shared.writes, job)?;
        let Ok(Answer { outcome, change }) = answer.await else { return Err(Error::Closed.into()) };
        if let (Some(change), Some(follower)) = (change, self.shared.follower.get()) {
            follower.has_seen(change).await;
        }
        outcome
    }

    /// [`Self::read`] for plain threads (the command line); panics inside the async runtime.
    pub fn read_blocking<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = pack(closure);
        submit(&self.shared.reads, job)?;
        answer.blocking_recv().map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// [`Self::write`] for plain threads (the command line); panics inside the async runtime.
    pub fn write_blocking<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = pack(closure);
        submit(&self.shared.writes, job)?;
        answer.blocking_recv().map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// Makes the search index of this process known: it is called after every write that changed the catalogue, and, on
    /// `PostgreSQL`, whenever another process did so (NOTIFY). `SQLite` has no such call; there, as after a lost
    /// connection, looking at the table of changes now and then finds everything.
    pub fn follow_catalogue(&self, follower: Follower) {
        if let Location::Postgres(url) = &self.shared.location {
            let call = Arc::clone(&follower.call);
            postgres::listen(url.clone(), move || call.notify_one());
        }
        let _ = self.shared.follower.set(follower);
    }

    /// Lets the threads finish what is queued and ends them; later calls answer [`Error::Closed`].
    pub fn close(&self) {
        for _ in 0..self.shared.serving.0 {
            let _ = self.shared.reads.send_timeout(Message::Stop, Duration::from_secs(5));
        }
        for _ in 0..self.shared.serving.1 {
            let _ = self.shared.writes.send_timeout(Message::Stop, Duration::from_secs(5));
        }
        let threads = std::mem::take(
            &mut *self.shared.threads.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        );
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// Copies the whole database, whatever its schema, into a new file while others go on working. `SQLite` only:
/// `PostgreSQL` has `pg_dump`.
///
/// # Errors
/// [`Error::Open`] where the database is `PostgreSQL` or the file exists; the database's own otherwise.
pub fn backup(location: &Location, to: &std::path::Path) -> Result<()> {
    match location {
        Location::Sqlite(path) => sqlite::backup(path, to),
        Location::Postgres(_) => Err(Error::Open(
            "a PostgreSQL database is backed up with its own tool: pg_dump --format=custom --file=FILE DATABASE".into(),
        )),
    }
}

/// An error with its causes, in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace('\n', " ")
}

fn submit(queue: &Sender<Message>, job: Box<dyn Job>) -> Result<()> {
    queue.try_send(Message::Job(job)).map_err(|refused| match refused {
        TrySendError::Full(_) => Error::Busy(None),
        TrySendError::Disconnected(_) => Error::Closed,
    })
}

/// The next job that somebody still waits for; `None` when the thread is to end.
fn next(queue: &Receiver<Message>) -> Option<Box<dyn Job>> {
    loop {
        match queue.recv() {
            Ok(Message::Job(job)) if job.is_abandoned() => {}
            Ok(Message::Job(job)) => return Some(job),
            Ok(Message::Stop) | Err(_) => return None,
        }
    }
}
