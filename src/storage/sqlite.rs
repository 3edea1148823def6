//! `SQLite`: one writer thread that commits for many at once, and a few threads that read.

use std::{
    fs::File,
    io::ErrorKind,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use rusqlite::{Connection, OpenFlags, backup::StepResult};

use super::{
    Error, Message, Result,
    job::{Job, Verdict},
    next,
    sql::{Arm, Tx},
};

/// Jobs in one commit. More gains little (measured: 47,900/s at 32, 56,900/s at 256) and makes the first wait longer.
const BATCH: usize = 64;

/// A write that holds the only writer longer than this is worth a line in the log.
const SLOW: Duration = Duration::from_millis(50);

/// How long another process (an import, a backup) may hold the file before we answer busy.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) type Started = (Vec<JoinHandle<()>>, (usize, usize));

pub(super) fn start(
    path: &Path,
    reads: &Receiver<Message>,
    writes: &Receiver<Message>,
    readers: usize,
) -> Result<Started> {
    let refuse = |error: rusqlite::Error| cannot_open(path, &error);
    let writer = connect(path).map_err(refuse)?;
    let mut threads = Vec::with_capacity(readers + 1);
    for number in 0..readers {
        let connection = connect(path).map_err(refuse)?;
        connection.pragma_update(None, "query_only", true).map_err(refuse)?;
        let queue = reads.clone();
        threads.push(spawn(&format!("sqlite-read-{number}"), move || read_loop(&connection, &queue))?);
    }
    let queue = writes.clone();
    threads.push(spawn("sqlite-write", move || write_loop(&writer, &queue))?);
    Ok((threads, (readers, 1)))
}

/// How long a start waits for another process that is migrating the file.
const MIGRATION_TIMEOUT: Duration = Duration::from_mins(2);

/// Runs `work` on a connection of its own, outside any transaction, and makes the file if it is not there.
pub(super) fn alone<T>(path: &Path, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
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
        Error::Database(source) | Error::Busy(Some(source)) => match source.downcast::<rusqlite::Error>() {
            Ok(error) => cannot_open(path, &error),
            Err(source) => Error::Database(source),
        },
        other => other,
    })
}

pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .map_err(|error| Error::Open(format!("cannot start a database thread: {error}")))
}

fn cannot_open(path: &Path, error: &rusqlite::Error) -> Error {
    let reason = match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen) => {
            "it cannot be opened; does its folder exist, and may this user write there?".into()
        }
        Some(rusqlite::ErrorCode::ReadOnly) => "it is read-only for this user".into(),
        Some(rusqlite::ErrorCode::PermissionDenied) => "this user may not read and write it".into(),
        Some(rusqlite::ErrorCode::NotADatabase) => "it is not a SQLite database".into(),
        Some(rusqlite::ErrorCode::DatabaseBusy) => "another program holds it locked".into(),
        _ => error.to_string(),
    };
    Error::Open(format!("database file {}: {reason}", path.display()))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // WAL with FULL: an answered write survives a power cut (NORMAL lost some in 14 of 40 measured cuts).
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

fn read_loop(connection: &Connection, queue: &Receiver<Message>) {
    while let Some(mut job) = next(queue) {
        if let Err(error) = connection.execute_batch("BEGIN") {
            job.answer(Verdict::Failed(error.into()));
            continue;
        }
        job.run(&mut Tx::new(Arm::Sqlite(connection)));
        if !connection.is_autocommit()
            && let Err(error) = connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a read did not end");
        }
        job.answer(Verdict::Done);
    }
}

fn write_loop(connection: &Connection, queue: &Receiver<Message>) {
    let mut batch: Vec<Box<dyn Job>> = Vec::with_capacity(BATCH);
    let mut stopping = false;
    while !stopping {
        let Some(first) = next(queue) else { break };
        batch.push(first);
        while batch.len() < BATCH {
            match queue.try_recv() {
                Ok(Message::Job(job)) if job.is_abandoned() => {}
                Ok(Message::Job(job)) => batch.push(job),
                Ok(Message::Stop) => {
                    stopping = true;
                    break;
                }
                Err(_) => break,
            }
        }
        commit_together(connection, &mut batch);
    }
    // So that the file alone is the whole database after a clean stop.
    if let Err(error) = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
        tracing::warn!(%error, "the last checkpoint failed; nothing is lost, the -wal file still holds it");
    }
}

/// Runs the jobs in one transaction, each in a savepoint of its own, and answers all of them after the one COMMIT.
fn commit_together(connection: &Connection, batch: &mut Vec<Box<dyn Job>>) {
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
        tracing::error!(%error, "the database file cannot be locked for writing");
        for job in batch.drain(..) {
            job.answer(Verdict::Failed(Error::Busy(None)));
        }
        return;
    }
    let mut broken = None;
    for job in batch.iter_mut() {
        if let Err(error) = in_savepoint(connection, job.as_mut()) {
            broken = Some(error);
            break;
        }
    }
    match broken {
        None => match connection.execute_batch("COMMIT") {
            Ok(()) => batch.drain(..).for_each(|job| job.answer(Verdict::Done)),
            Err(error) => {
                tracing::error!(%error, "COMMIT failed");
                let _ = connection.execute_batch("ROLLBACK");
                batch.drain(..).for_each(|job| job.answer(Verdict::Failed(Error::OutcomeUnknown(None))));
            }
        },
        Some(error) => {
            // SQLite gave up the whole transaction by itself (disk full, I/O error): surely nothing is stored.
            tracing::error!(%error, "the transaction was rolled back by the database");
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            batch.drain(..).for_each(|job| job.answer(Verdict::Failed(Error::Busy(None))));
        }
    }
}

fn in_savepoint(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<()> {
    let begun = Instant::now();
    connection.prepare_cached("SAVEPOINT job")?.raw_execute()?;
    let keep = job.run(&mut Tx::new(Arm::Sqlite(connection)));
    if connection.is_autocommit() {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
            Some("the database ended the transaction".into()),
        ));
    }
    if !keep {
        connection.prepare_cached("ROLLBACK TO job")?.raw_execute()?;
    }
    connection.prepare_cached("RELEASE job")?.raw_execute()?;
    let took = begun.elapsed();
    if took > SLOW {
        tracing::warn!(ms = took.as_millis(), "a write held the database long");
    }
    Ok(())
}

pub(super) fn backup(path: &Path, to: &Path) -> Result<()> {
    if !path.exists() {
        return Err(Error::Open(format!("database file {}: it is not there", path.display())));
    }
    let cannot = |error: std::io::Error| Error::Open(format!("cannot write {}: {error}", to.display()));
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
