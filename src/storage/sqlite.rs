//! `SQLite`: one writer thread that commits for many at once, and a few threads that read.

use std::{
    fs::File,
    io::ErrorKind,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, backup::StepResult, config::DbConfig};

use super::{
    Error, Options, Queue, Result, Started,
    health::Health,
    job::{Job, Verdict},
    spawn,
    sql::{Arm, Tx},
};

/// Jobs in one commit. More gains little (measured: 47,900/s at 32, 56,900/s at 256) and makes the first wait longer.
const BATCH: usize = 64;

/// How long the writer waits for more where fewer than half as many ask as in the batch before: those who were answered
/// just now ask again, and a commit for all of them costs less than one for the first and one for the rest.
const GATHERING: Duration = Duration::from_micros(200);

/// A write that holds the only writer longer than this is worth a line in the log.
const SLOW: Duration = Duration::from_millis(50);

/// How long another process (an import, a backup) may hold the file before we answer busy.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Pages that each connection keeps, KiB. `SQLite`'s own 2 MiB hold the indexes of a few thousand books; twice as much
/// gains nothing (measured with 300 000 copies).
const CACHE_KIB: i64 = 8 * 1024;

/// Pages of the write-ahead log after which they are copied into the database. `SQLite`'s own 1000 are a dozen batches of
/// loans, and most pages of an index would be copied again each time.
const CHECKPOINT_PAGES: i64 = 4000;

/// Readers look this often whether the file is still in its place; the writer always does.
const LOOK: Duration = Duration::from_millis(250);

pub(super) fn start(path: &Path, reads: &Queue, writes: &Queue, options: Options) -> Result<Started> {
    let refuse = |error: rusqlite::Error| cannot_open(path, &error);
    let writer = connect(path).map_err(refuse)?;
    let place = OpenedFile::of(path)
        .map_err(|error| Error::Open(format!("database file {}: {error}", path.display())))?;
    let (reading, writing) = (Arc::new(Health::default()), Arc::new(Health::default()));
    let mut threads = Vec::with_capacity(options.readers + 1);
    for number in 0..options.readers {
        let connection = connect(path).map_err(refuse)?;
        connection.pragma_update(None, "query_only", true).map_err(refuse)?;
        let reader = Reader { connection, place: place.clone(), health: Arc::clone(&reading) };
        let queue = reads.clone();
        threads.push(spawn(&format!("sqlite-read-{number}"), move || reader.serve(&queue))?);
    }
    let writer = Writer { connection: writer, place, health: Arc::clone(&writing) };
    let queue = writes.clone();
    threads.push(spawn("sqlite-write", move || writer.serve(&queue))?);
    Ok(Started { threads, reading, writing })
}

/// How long a start waits for another process that is migrating the file.
const MIGRATION_TIMEOUT: Duration = Duration::from_mins(2);

/// Runs `work` on a connection of its own, outside any transaction, and makes the file if it is not there.
pub(super) fn alone<T>(path: &Path, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
    // It may be there; where it cannot be made, opening it tells why.
    let _ = create_private(path);
    let connection = connect(path).map_err(|error| cannot_open(path, &error))?;
    connection.busy_timeout(MIGRATION_TIMEOUT).map_err(|error| cannot_open(path, &error))?;
    work_on(path, &connection, work)
}

/// Runs `work` on a connection that can change nothing.
pub(super) fn look<T>(path: &Path, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| cannot_open(path, &error))?;
    work_on(path, &connection, work)
}

fn work_on<T>(
    path: &Path,
    connection: &Connection,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T>,
) -> Result<T> {
    work(&mut Tx::new(Arm::Sqlite(connection))).map_err(|error| match error {
        Error::Database(source) | Error::Busy(Some(source)) | Error::Unavailable(source) => {
            match source.downcast::<rusqlite::Error>() {
                Ok(error) => cannot_open(path, &error),
                Err(source) => Error::Database(source),
            }
        }
        other => other,
    })
}

/// The file that was opened, to notice when its name stands for another one or for none: what is written then is lost
/// when the server stops.
#[derive(Clone)]
struct OpenedFile {
    path: PathBuf,
    file: (u64, u64),
}

impl OpenedFile {
    fn of(path: &Path) -> std::io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: identity(path)? })
    }

    fn check(&self) -> Result<()> {
        match identity(&self.path) {
            Ok(file) if file == self.file => Ok(()),
            Ok(_) => {
                Err(Error::Unavailable("another file is in the place of the database file; restart".into()))
            }
            Err(_) => Err(Error::Unavailable("the database file is gone from its place".into())),
        }
    }
}

fn identity(path: &Path) -> std::io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

fn cannot_open(path: &Path, error: &rusqlite::Error) -> Error {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) => {
            "it cannot be opened; does its folder exist, and may this user write there?".into()
        }
        Some(ErrorCode::ReadOnly) => "it is read-only for this user".into(),
        Some(ErrorCode::PermissionDenied) => "this user may not read and write it".into(),
        Some(ErrorCode::NotADatabase) => "it is not a SQLite database".into(),
        Some(ErrorCode::DatabaseBusy) => "another program holds it locked".into(),
        _ => error.to_string(),
    };
    Error::Open(format!("database file {}: {reason}", path.display()))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // WAL with FULL: an answered write survives a power cut (NORMAL lost some in 14 of 40 measured cuts).
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // A job's savepoint keeps the pages it changes; in a file they cost as much as the write-ahead log.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    // Otherwise a statement is planned anew each time when a value is bound to its LIMIT.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// Switches the file to a write-ahead log. A new file that several programs open at the same moment is busy at once,
/// whatever the busy timeout says: SQLite does not wait where two could wait for each other.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

/// Runs a statement that begins or ends a transaction; each connection parses it once.
fn run(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.raw_execute().map(drop)
}

struct Reader {
    connection: Connection,
    place: OpenedFile,
    health: Arc<Health>,
}

impl Reader {
    fn serve(&self, queue: &Queue) {
        let mut looked: Option<Instant> = None;
        while let Some(mut job) = queue.next() {
            if looked.is_none_or(|looked| looked.elapsed() > LOOK) {
                if let Err(error) = self.place.check() {
                    fail(&self.health, std::iter::once(job), &error);
                    continue;
                }
                looked = Some(Instant::now());
            }
            if let Err(error) = run(&self.connection, "BEGIN") {
                fail(&self.health, std::iter::once(job), &error.into());
                continue;
            }
            let mut tx = Tx::new(Arm::Sqlite(&self.connection));
            job.run(&mut tx);
            match tx.trouble {
                Some(reason) => self.health.failed(&reason),
                None => self.health.works(),
            }
            if !self.connection.is_autocommit()
                && let Err(error) = run(&self.connection, "ROLLBACK")
            {
                tracing::error!(%error, "a read did not end");
            }
            job.answer(Verdict::Done);
        }
    }
}

/// Answers jobs that were not begun, and logs why.
fn fail(health: &Health, jobs: impl Iterator<Item = Box<dyn Job>>, error: &Error) {
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    health.failed(&reason);
    for job in jobs {
        job.answer(Verdict::Failed(match error {
            Error::Busy(_) => Error::Busy(None),
            _ => Error::Unavailable(reason.clone().into()),
        }));
    }
}

/// Why a batch is not answered with its jobs' own results.
enum Failure {
    NotStored(Error),
    Unknown(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::NotStored(error)
    }
}

/// Adds the jobs that wait in the queue.
fn gather(queue: &Queue, batch: &mut Vec<Box<dyn Job>>) {
    while batch.len() < BATCH
        && let Ok(job) = queue.jobs.try_recv()
    {
        batch.extend(queue.wanted(job));
    }
}

struct Writer {
    connection: Connection,
    place: OpenedFile,
    health: Arc<Health>,
}

impl Writer {
    fn serve(&self, queue: &Queue) {
        let mut batch: Vec<Box<dyn Job>> = Vec::with_capacity(BATCH);
        let mut last = 0;
        while let Some(first) = queue.next() {
            batch.push(first);
            gather(queue, &mut batch);
            if batch.len() * 2 < last {
                std::thread::sleep(GATHERING);
                gather(queue, &mut batch);
            }
            last = batch.len();
            self.commit_together(&mut batch);
        }
        // So that the file alone is the whole database after a clean stop.
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the last checkpoint failed; nothing is lost, the -wal file still holds it");
        }
    }

    /// Runs the jobs in one transaction and answers all of them after the one COMMIT.
    fn commit_together(&self, batch: &mut Vec<Box<dyn Job>>) {
        match self.commit(batch) {
            Ok(()) => {
                self.health.works();
                #[expect(clippy::cast_precision_loss, reason = "at most as many as a batch has")]
                metrics::histogram!("library_commit_writes").record(batch.len() as f64);
                batch.drain(..).for_each(|job| job.answer(Verdict::Done));
            }
            Err(Failure::NotStored(error)) => {
                let _ = run(&self.connection, "ROLLBACK");
                fail(&self.health, batch.drain(..), &error);
            }
            Err(Failure::Unknown(reason)) => {
                let _ = run(&self.connection, "ROLLBACK");
                self.health.failed(&reason);
                let verdict = || Verdict::Failed(Error::OutcomeUnknown(Some(reason.clone().into())));
                batch.drain(..).for_each(|job| job.answer(verdict()));
            }
        }
    }

    fn commit(&self, batch: &mut [Box<dyn Job>]) -> Result<(), Failure> {
        self.place.check()?;
        run(&self.connection, "BEGIN IMMEDIATE").map_err(Error::from)?;
        let mut stored = false;
        for job in batch {
            // An error here says that SQLite gave up the whole transaction by itself (disk full, I/O error).
            stored |= self.run(job.as_mut(), stored)?;
        }
        run(&self.connection, "COMMIT").map_err(|error| match error.sqlite_error_code() {
            // The record that makes it a commit was not written.
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy) => Failure::NotStored(error.into()),
            // After a failed fsync that record may be found after a power cut, or not.
            _ => Failure::Unknown(error.to_string()),
        })?;
        // Whoever took the file away meanwhile took this along.
        self.place.check().map_err(|error| Failure::Unknown(error.to_string()))
    }

    /// Runs a job, and takes back what it did if that is not to be kept; whether it is. A savepoint copies every page that
    /// is changed after it, so there is one only where something is `stored` that must stay.
    fn run(&self, job: &mut dyn Job, stored: bool) -> Result<bool> {
        let begun = Instant::now();
        if stored {
            run(&self.connection, "SAVEPOINT job")?;
        }
        let mut tx = Tx::new(Arm::Sqlite(&self.connection));
        let keep = job.run(&mut tx);
        if let Some(reason) = tx.trouble {
            return Err(Error::Unavailable(reason.into()));
        }
        if self.connection.is_autocommit() {
            return Err(Error::Unavailable("the database ended the transaction".into()));
        }
        match (stored, keep) {
            (false, true) => {}
            (false, false) => {
                run(&self.connection, "ROLLBACK")?;
                run(&self.connection, "BEGIN IMMEDIATE")?;
            }
            (true, true) => run(&self.connection, "RELEASE job")?,
            (true, false) => {
                run(&self.connection, "ROLLBACK TO job")?;
                run(&self.connection, "RELEASE job")?;
            }
        }
        let took = begun.elapsed();
        if took > SLOW {
            tracing::warn!(ms = took.as_millis(), "a write held the database long");
        }
        Ok(keep)
    }
}

pub(super) fn backup(path: &Path, to: &Path) -> Result<()> {
    let cannot = |error: std::io::Error| Error::Open(format!("cannot write {}: {error}", to.display()));
    if !path.exists() {
        return Err(Error::Open(format!("database file {}: it is not there", path.display())));
    }
    if to.exists() {
        return Err(Error::Open(format!("{} exists; name a new file", to.display())));
    }
    let partial = Partial::beside(to).map_err(cannot)?;
    let source = connect(path).map_err(|error| cannot_open(path, &error))?;
    {
        let mut target = Connection::open(&partial.path)?;
        copy(&source, &mut target)?;
        // The copy is one file, complete in itself.
        target.pragma_update(None, "journal_mode", "DELETE")?;
        let verdict: String = target.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(Error::Open(format!("the copy is not sound: {verdict}")));
        }
    }
    partial.put_in_place(to).map_err(cannot)
}

/// Copies everything in one step. In several steps the copy would begin anew whenever somebody borrows in between, and
/// never end (S7). Writers go on meanwhile: they append to the WAL, and the copy is the library of one moment.
fn copy(source: &Connection, target: &mut Connection) -> Result<()> {
    let copying = rusqlite::backup::Backup::new(source, target)?;
    let begun = Instant::now();
    loop {
        match copying.step(-1)? {
            StepResult::Done => return Ok(()),
            _ if begun.elapsed() > BUSY_TIMEOUT => return Err(Error::Busy(None)),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// A file that is being written, under a name that nobody has, for its owner alone; gone unless it is put in its place.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn beside(to: &Path) -> std::io::Result<Self> {
        let mut number = std::process::id();
        loop {
            let mut name = to.as_os_str().to_owned();
            name.push(format!(".{number}.partial"));
            let path = PathBuf::from(name);
            match create_private(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number = number.wrapping_add(1),
                Err(error) => return Err(error),
            }
        }
    }

    fn put_in_place(self, to: &Path) -> std::io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        std::fs::rename(&self.path, to)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Put in place, it is no more under this name.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Makes an empty file that only its owner may read: what comes into it are people's names and password hashes.
fn create_private(path: &Path) -> std::io::Result<()> {
    File::options().write(true).create_new(true).mode(0o600).open(path).map(drop)
}
