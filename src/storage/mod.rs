//! Storage: the only folder that names a database driver.
//!
//! One synchronous layer over two databases. [`Db::read`] and [`Db::write`] take a closure, run it on a database thread
//! and return its result; a write returns only after COMMIT has returned. Every statement and every row mapping is
//! written once, in the file of its area, and runs on both.

pub mod accounts;
pub mod authority;
pub mod backup;
pub mod books;
pub mod browser_key;
pub mod calendar_links;
pub mod catalogue;
pub mod claimed_addresses;
pub mod copies;
pub mod covers;
pub mod directory;
pub mod events;
pub mod exports;
pub mod forget;
mod health;
pub mod holds;
pub mod idempotency;
pub mod imports;
mod job;
pub mod labels;
pub mod leases;
pub mod ledger;
mod like;
mod listeners;
pub mod loans;
pub mod mail_choices;
pub mod mails;
pub mod merge;
pub mod migrate;
pub mod no_dues;
pub mod notices;
pub mod oidc;
pub mod overview;
pub mod page;
pub mod passkeys;
pub mod password_links;
pub mod people;
pub mod phones;
pub mod photos;
mod postgres;
pub mod restored_book;
pub mod reviews;
pub mod second_factors;
pub mod sessions;
pub mod settings;
pub mod sign_in_codes;
pub mod sql;
mod sqlite;
pub mod suggestions;
pub mod till;
pub mod time_zone;
mod tolerant;
pub mod transfer;
mod upgrade;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::{broadcast, oneshot};

pub use listeners::Listening;
pub use sql::{Param, Row, Tx};

use crate::domain::id::{DeskId, UserId};
use backup::Manifest;
use catalogue::Follower;
use health::Health;
use job::{Answer, Job, Kind, News, Verdict, pack};
use listeners::Listeners;

/// Result with the error of storage.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors of the database layer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The queue is full, or another transaction holds a lock: nothing was done; a retry may succeed.
    #[error("the database is busy")]
    Busy(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// The disk is full: nothing was done, and retries fail until the operator makes room.
    #[error("the disk is full")]
    Full(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database is out of reach or its file is gone: nothing was done, and retries may fail for a long time.
    #[error("the database does not work")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// COMMIT failed, and whether the change is stored is unknown.
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
    /// The stored data contradict each other; `library doctor` shows where.
    #[error("the database contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// One row was expected and several were found.
    #[error("several rows where one was expected")]
    ManyRows,
    /// One row was expected and none was found.
    #[error("no row where one was expected")]
    NoRow,
    /// Any other error of the database.
    #[error("database error")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database cannot be opened or brought up to date; the text is for the operator.
    #[error("{0}")]
    Open(String),
    /// `PostgreSQL` cannot be reached now and may still be starting; the text is for the operator.
    #[error("{0}")]
    Unreachable(String),
}

impl Error {
    /// True if storage logs the error, once per outage; callers should not log it again.
    #[must_use]
    pub fn is_told_by_storage(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Full(_) | Self::Unavailable(_) | Self::Closed)
    }

    /// Returns the outage behind this error, if any, so that waiting jobs fail with the same error.
    fn trouble(&self) -> Option<Self> {
        match self {
            Self::Full(reason) => Some(Self::Full(reason.to_string().into())),
            Self::Unavailable(reason) => Some(Self::Unavailable(reason.to_string().into())),
            _ => None,
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::OperationInterrupted) => {
                Self::Busy(Some(Box::new(error)))
            }
            Some(ErrorCode::DiskFull) => Self::Full(Box::new(error)),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase,
            ) => Self::Unavailable(Box::new(error)),
            _ => Self::Database(Box::new(error)),
        }
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        use std::error::Error as _;
        use tokio_postgres::error::SqlState;
        // Errors worth a retry: a lock conflict, or the server gave the statement up. The statement is undone.
        const AGAIN: [SqlState; 9] = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::QUERY_CANCELED,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::OUT_OF_MEMORY,
        ];
        match error.code() {
            Some(code) if AGAIN.contains(code) => Self::Busy(Some(Box::new(error))),
            Some(&SqlState::DISK_FULL) => Self::Full(Box::new(error)),
            Some(&SqlState::IO_ERROR) => Self::Unavailable(Box::new(error)),
            // The connection broke.
            None if error.is_closed()
                || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>) =>
            {
                Self::Busy(Some(Box::new(error)))
            }
            _ => Self::Database(Box::new(error)),
        }
    }
}

/// Location of the database: `sqlite:PATH` or `postgres://…`.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// File of the embedded database.
    Sqlite(PathBuf),
    /// Connection string of a `PostgreSQL` server; never printed, because it may hold a password.
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
            // Absolute, because a relative path names different libraries in different folders.
            Self::Sqlite(path) => {
                write!(f, "sqlite:{}", std::path::absolute(path).as_ref().unwrap_or(path).display())
            }
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

/// Queue of jobs for the threads.
#[derive(Clone)]
struct Queue {
    jobs: Receiver<Box<dyn Job>>,
    health: Arc<Health>,
}

impl Queue {
    /// Returns the next job whose caller still waits; `None` when the database is closed and the queue is empty.
    fn next(&self) -> Option<Box<dyn Job>> {
        loop {
            let job = self.jobs.recv().ok()?;
            if let Some(job) = self.wanted(job) {
                return Some(job);
            }
        }
    }

    /// Returns the job, unless its caller has left or has waited too long.
    fn wanted(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        if job.is_abandoned() {
            return None;
        }
        if job.age() > PATIENCE {
            self.health.failed("requests wait for it for too long");
            job.answer(Verdict::Failed(Error::Busy(None)));
            return None;
        }
        self.health.works();
        Some(job)
    }
}

/// Maximum number of queued jobs; one more gets [`Error::Busy`] at once instead of waiting without end.
const QUEUE: usize = 4096;

/// Maximum time in the queue, after which a job gets [`Error::Busy`] too: no caller waits for ever, and jobs that
/// queued up while the database hung do not delay new ones once it works.
const PATIENCE: Duration = Duration::from_secs(5);

/// Capacity of the channel of desk notifications. A listener that lags behind loses the oldest ones and must poll.
const DESK_CALLS: usize = 256;

/// Time limit of [`Db::health`], whatever the database does.
const LOOK: Duration = Duration::from_millis(1500);

/// Time limit for threads to finish the queue when the database is closed.
const CLOSING: Duration = Duration::from_secs(15);

/// Numbers of threads of an open database.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Reader threads; on `PostgreSQL` each has its own connection.
    pub readers: usize,
    /// Writer threads on `PostgreSQL`, each with its own connection. `SQLite` has one.
    pub writers: usize,
}

impl Default for Options {
    /// Returns two readers per core, the best number in the measured prototype; several readers keep a slow query from
    /// blocking the quick ones on a small machine. Returns 8 writers: 16 connections wrote as fast as a tuned asynchronous
    /// pool of 32 (measured), and half as many are right for a server that shares its database with others.
    fn default() -> Self {
        Self { readers: 2 * std::thread::available_parallelism().map_or(2, usize::from), writers: 8 }
    }
}

/// An open database. Cheap to clone; all clones share the threads.
#[derive(Clone)]
pub struct Db {
    shared: Arc<Shared>,
}

struct Shared {
    location: Location,
    /// `None` once the database is closed: the threads end when all senders are dropped.
    senders: RwLock<Option<Senders>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    reading: Arc<Health>,
    writing: Arc<Health>,
    /// Health of the queues.
    queueing: Arc<Health>,
    /// The search index of this process, if it has one.
    follower: OnceLock<Follower>,
    /// Number of answered writes.
    written: AtomicU64,
    /// Channel of desks whose phones have sent something or have something to receive.
    desks: broadcast::Sender<DeskId>,
    listeners: Arc<Listeners>,
}

struct Senders {
    reads: Sender<Box<dyn Job>>,
    writes: Sender<Box<dyn Job>>,
}

/// Threads started by a driver, with their health.
struct Started {
    threads: Vec<JoinHandle<()>>,
    reading: Arc<Health>,
    writing: Arc<Health>,
}

impl Db {
    /// Opens a database with the default options, see [`Self::open_with`].
    ///
    /// # Errors
    /// [`Error::Open`] with one line for the operator.
    pub fn open(location: &Location) -> Result<Self> {
        Self::open_with(location, Options::default())
    }

    /// Opens a database that already has this program's schema, for commands, which neither create nor migrate one.
    ///
    /// # Errors
    /// [`Error::Open`] with one line for the operator if the database is missing, or older or newer than this program.
    pub fn open_existing(location: &Location) -> Result<Self> {
        if let Location::Sqlite(path) = location {
            sqlite::existing(path)?;
        }
        migrate::is_current(location, migrate::MIGRATIONS)?;
        Self::start(location, Options::default())
    }

    /// Opens the database, brings its schema up to date and starts its threads.
    ///
    /// # Errors
    /// [`Error::Open`] with one line for the operator if the database is missing, unreadable, read-only or too new.
    pub fn open_with(location: &Location, options: Options) -> Result<Self> {
        let migrated = migrate::apply(location, migrate::MIGRATIONS)?;
        if migrated.from > 0 {
            for version in migrated.applied {
                tracing::info!(version, "the database was migrated; older programs can no longer open it");
            }
        }
        Self::start(location, options)
    }

    fn start(location: &Location, options: Options) -> Result<Self> {
        let queueing = Arc::new(Health::default());
        let queue = |jobs| Queue { jobs, health: Arc::clone(&queueing) };
        let (reads, read_queue) = bounded(QUEUE);
        let (writes, write_queue) = bounded(QUEUE);
        let (read_queue, write_queue) = (queue(read_queue), queue(write_queue));
        let Started { threads, reading, writing } = match location {
            Location::Sqlite(path) => sqlite::start(path, &read_queue, &write_queue, options)?,
            Location::Postgres(url) => postgres::start(url, &read_queue, &write_queue, options)?,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                location: location.clone(),
                senders: RwLock::new(Some(Senders { reads, writes })),
                threads: Mutex::new(threads),
                reading,
                writing,
                queueing,
                follower: OnceLock::new(),
                written: AtomicU64::new(0),
                desks: broadcast::Sender::new(DESK_CALLS),
                listeners: Arc::default(),
            }),
        })
    }

    #[must_use]
    pub fn location(&self) -> &Location {
        &self.shared.location
    }

    /// Runs a read. On `SQLite` the closure sees one snapshot; on `PostgreSQL` each statement sees a snapshot of its
    /// own, without the cost of a transaction. Use [`Self::snapshot`] if several statements must agree.
    pub async fn read<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.ask(Kind::Read, closure)?
            .await
            .map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// Runs a read in which every statement of the closure sees the same state of the database.
    pub async fn snapshot<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.ask(Kind::Snapshot, closure)?
            .await
            .map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// Runs one transaction: stores everything the closure does or, if it returns an error or panics, nothing.
    ///
    /// The answer comes after COMMIT and, if the catalogue changed, after the search index of this process has the
    /// change. A write whose future is dropped before its COMMIT begins stores nothing; dropped later, it is stored.
    pub async fn write<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let answer = self.ask(Kind::Write, closure)?;
        let Ok(Answer { outcome, news: News { change, desk, people } }) = answer.await else {
            return Err(Error::Closed.into());
        };
        self.shared.written.fetch_add(1, Ordering::Release);
        if let Some(desk) = desk {
            // There may be no listener.
            let _ = self.shared.desks.send(desk);
        }
        for person in people {
            self.shared.listeners.wake(person);
        }
        if let (Some(change), Some(follower)) = (change, self.shared.follower.get()) {
            follower.wait_until_seen(change).await;
        }
        outcome
    }

    /// Runs a [`Self::snapshot`] from a plain thread (the command line), on `SQLite` without a time limit; panics
    /// inside the async runtime.
    pub fn read_blocking<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let answer = self.ask(Kind::Unhurried, closure)?;
        answer.blocking_recv().map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// Runs a [`Self::write`] from a plain thread (the command line); panics inside the async runtime.
    pub fn write_blocking<F, T, E>(&self, closure: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let answer = self.ask(Kind::Write, closure)?.blocking_recv();
        self.shared.written.fetch_add(1, Ordering::Release);
        answer.map_or_else(|_| Err(Error::Closed.into()), |answer| answer.outcome)
    }

    /// Returns a counter that rises with every write of this process, before the write is answered. It does not count
    /// the writes of other processes.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.shared.written.load(Ordering::Acquire)
    }

    /// Registers the search index of this process, which every write that changes the catalogue then wakes; on
    /// `PostgreSQL` writes of other processes wake the index too (NOTIFY). `SQLite` has no such notification; there, as
    /// after a lost connection, polling `catalogue_changes` finds every change.
    pub fn follow_catalogue(&self, follower: Follower) {
        if let Location::Postgres(url) = &self.shared.location {
            let calls = (self.shared.desks.clone(), Arc::clone(&self.shared.listeners));
            postgres::listen(url.clone(), Arc::clone(&follower.changed), calls);
        }
        let _ = self.shared.follower.set(follower);
    }

    /// Subscribes to desks with news from or for their phones, stored by this server or, on `PostgreSQL`, by another.
    /// Notifications may get lost, so listeners must poll too.
    #[must_use]
    pub fn desk_calls(&self) -> broadcast::Receiver<DeskId> {
        self.shared.desks.subscribe()
    }

    /// Waits for changes of a person's notices, stored by this server or, on `PostgreSQL`, by another. Notifications may
    /// get lost, so listeners must poll too.
    #[must_use]
    pub fn listen_for_notices(&self, person: UserId) -> Listening {
        self.shared.listeners.listen(person)
    }

    /// Ends the waiting of all [`Self::listen_for_notices`] on this server.
    pub fn wake_listeners(&self) {
        self.shared.listeners.wake_all();
    }

    /// Tests the database with a read and, if the last write failed, with a write that changes nothing. Answers within
    /// two seconds.
    ///
    /// # Errors
    /// Reason for the operator, in words.
    pub async fn health(&self) -> Result<(), String> {
        let look = async {
            if self.shared.writing.is_failing() {
                self.write(catalogue::touch).await?;
            }
            let location = self.shared.location.clone();
            self.read(move |tx| {
                if let Location::Sqlite(path) = &location {
                    sqlite::has_room(path)?;
                }
                migrate::is_served(tx)?;
                catalogue::newest_change(tx)
            })
            .await
        };
        let error = match tokio::time::timeout(LOOK, look).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => causes(&error),
            Err(_) => format!("the database did not answer within {} s", LOOK.as_secs_f64()),
        };
        Err(self.shared.writing.reason().or_else(|| self.shared.reading.reason()).unwrap_or(error))
    }

    /// Lets the threads finish the queue and ends them; later calls return [`Error::Closed`]. A thread that does not
    /// end in time runs until the end of the process.
    pub fn close(&self) {
        let deadline = Instant::now() + CLOSING;
        drop(self.shared.senders.write().unwrap_or_else(PoisonError::into_inner).take());
        let threads =
            std::mem::take(&mut *self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            while !thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                let _ = thread.join();
            } else {
                tracing::warn!("a database thread did not end in time");
            }
        }
    }

    fn ask<F, T, E>(&self, kind: Kind, closure: F) -> Result<oneshot::Receiver<Answer<T, E>>>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = pack(kind, closure);
        let senders = self.shared.senders.read().unwrap_or_else(PoisonError::into_inner);
        let Senders { reads, writes } = senders.as_ref().ok_or(Error::Closed)?;
        match if kind == Kind::Write { writes } else { reads }.try_send(job) {
            Ok(()) => Ok(answer),
            Err(TrySendError::Full(_)) => {
                self.shared.queueing.failed("too many requests wait for it");
                Err(Error::Busy(None))
            }
            Err(TrySendError::Disconnected(_)) => Err(Error::Closed),
        }
    }
}

/// Copies the whole database, whatever its schema, into a new file while other processes go on working. `SQLite` only:
/// `PostgreSQL` has `pg_dump`.
///
/// # Errors
/// [`Error::Open`] if the database is `PostgreSQL` or the file exists; errors of the database otherwise.
pub fn backup(location: &Location, to: &std::path::Path) -> Result<Manifest> {
    match location {
        Location::Sqlite(path) => backup::make(path, to),
        Location::Postgres(_) => Err(Error::Open(
            "a PostgreSQL database is backed up with its own tool: pg_dump --format=custom --file=FILE DATABASE".into(),
        )),
    }
}

/// Ensures that no other server works on a `SQLite` file while the returned lock is held; waits up to `patience` for the lock.
///
/// # Errors
/// [`Error::Open`] if another server works on the file, or if the file is gone but traces of a server are beside it.
pub fn only_server(location: &Location, patience: Duration) -> Result<Option<std::fs::File>> {
    match location {
        Location::Sqlite(path) => sqlite::only_server(path, patience).map(Some),
        Location::Postgres(_) => Ok(None),
    }
}

/// True if the database does not exist yet: no file, or no table in it.
///
/// # Errors
/// Same refusals as [`migrate::plan`].
pub fn is_new(location: &Location) -> Result<bool> {
    Ok(migrate::plan(location, migrate::MIGRATIONS)?.from == 0)
}

/// Refuses a missing `SQLite` file, for commands that only read and must not create one.
///
/// # Errors
/// [`Error::Open`] if the file is missing.
pub fn is_there(location: &Location) -> Result<()> {
    match location {
        Location::Sqlite(path) if !path.exists() => Err(sqlite::missing(path)),
        _ => Ok(()),
    }
}

/// Removes the files that a vanished database left behind, so that a new one can be created. Only for the demo, whose
/// data may be lost.
pub fn begin_anew(location: &Location) {
    if let Location::Sqlite(path) = location {
        sqlite::begin_anew(path);
    }
}

/// Returns database files (names, addresses, password hashes) that all users of this machine may read or change.
#[must_use]
pub fn open_to_others(location: &Location) -> Vec<PathBuf> {
    match location {
        Location::Sqlite(path) => sqlite::open_to_others(path),
        Location::Postgres(_) => Vec::new(),
    }
}

/// Formats an error with its causes in one line.
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

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .map_err(|error| Error::Open(format!("cannot start a database thread: {error}")))
}

/// Builds a `LIKE` pattern that finds `query` anywhere, folded like the keys; `%`, `_` and `\` are escaped.
fn contains(query: &str) -> String {
    anywhere(&crate::fold::fold(query.trim()))
}

/// Builds a `LIKE` pattern that finds a text anywhere, not folded.
fn anywhere(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
