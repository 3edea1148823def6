//! `SQLite`: one writer thread that commits for many at once, and a few threads that read.

use std::{
    cell::Cell,
    fs::{File, Permissions, TryLockError},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::{
    Error, Options, Queue, Result, Started, causes,
    health::Health,
    job::{Job, Kind, Verdict},
    like, spawn,
    sql::{Arm, Tx, Watch},
};
use crate::{
    clock::millis,
    fault::{Fault, is_planted},
};

/// Maximum number of jobs in one commit. More gains little (measured: 47,900/s at 32, 56,900/s at 256) and delays the
/// first job.
const BATCH: usize = 64;

/// Time that the writer waits for more jobs if it has fewer than half as many as in the last batch: clients that just
/// got their answers soon send more requests, and one commit for all of them costs less than two.
const GATHERING: Duration = Duration::from_micros(200);

/// Duration above which a write is logged, because it blocks all others.
const SLOW: Duration = Duration::from_millis(50);

/// Time limit for another process (an import, a backup) to hold the file before [`Error::Busy`].
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause between two attempts to lock the file. `SQLite`'s own handler pauses for up to 100 ms; in that time another
/// process may lock the file, release it and lock it again.
const BUSY_LOOK: Duration = Duration::from_millis(5);

/// Page cache of each connection, KiB. `SQLite`'s own 2 MiB hold the indexes of a few thousand books; twice as much as
/// here gains nothing (measured with 300 000 copies).
const CACHE_KIB: i64 = 8 * 1024;

/// Pages of the write-ahead log that trigger a checkpoint. `SQLite`'s own 1000 are filled by a dozen batches of loans,
/// so that each checkpoint would copy most pages of an index again.
const CHECKPOINT_PAGES: i64 = 4000;

/// Interval at which readers check that the file is still in its place; the writer always checks.
const LOOK: Duration = Duration::from_millis(250);

/// Time limit for a statement of a read, like `statement_timeout` on `PostgreSQL`; its caller then gets
/// [`Error::Busy`]. A few longer statements would block all reads.
const LONGEST_READ: Duration = Duration::from_secs(5);

/// Steps of `SQLite`'s virtual machine between two checks of that limit: a few hundred microseconds.
const STEPS: i32 = 20_000;

pub(super) fn start(path: &Path, reads: &Queue, writes: &Queue, options: Options) -> Result<Started> {
    let refuse = |error: rusqlite::Error| cannot_open(path, &error);
    let writer = connect(path).map_err(refuse)?;
    // A file just switched to WAL mode gets its -wal file only with the first statement; OpenedFile::of needs that
    // file.
    writer.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(())).map_err(refuse)?;
    let place = OpenedFile::of(path, &writer)
        .map_err(|error| Error::Open(format!("database file {}: {error}", path.display())))?;
    let (reading, writing) = (Arc::new(Health::default()), Arc::new(Health::default()));
    let mut threads = Vec::with_capacity(options.readers + 1);
    for number in 0..options.readers {
        let mut connection = connect(path).map_err(refuse)?;
        connection.pragma_update(None, "query_only", true).map_err(refuse)?;
        let watch = ends_long_statements(&mut connection).map_err(refuse)?;
        let reader = Reader { connection, watch, place: place.clone(), health: Arc::clone(&reading) };
        let queue = reads.clone();
        threads.push(spawn(&format!("sqlite-read-{number}"), move || reader.serve(&queue))?);
    }
    let room = Room { database: path.to_owned(), looked: Cell::new(None) };
    let writer = Writer { connection: writer, place, room, health: Arc::clone(&writing) };
    let queue = writes.clone();
    threads.push(spawn("sqlite-write", move || writer.serve(&queue))?);
    Ok(Started { threads, reading, writing })
}

/// Time limit for a start to wait for another process that is migrating the file.
const MIGRATION_TIMEOUT: Duration = Duration::from_mins(2);

/// Runs `work` on its own connection, outside any transaction, and creates the file if it is missing.
pub(super) fn alone<T>(path: &Path, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
    has_not_vanished(path)?;
    // The file may exist; if it cannot be created, opening it reports why.
    let _ = create_private(path);
    has_one_name(path)?;
    let connection = connect(path).map_err(|error| cannot_open(path, &error))?;
    connection.busy_timeout(MIGRATION_TIMEOUT).map_err(|error| cannot_open(path, &error))?;
    work_on(path, &connection, work)
}

/// Runs `work` on a read-only connection.
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

/// Appends a suffix to the database's file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Refuses to create an empty database in place of one that vanished (P12), if the files that its server left behind
/// show that there was one.
pub(super) fn has_not_vanished(path: &Path) -> Result<()> {
    // Programs create the file before its traces, so checking for the file last finds one that is just being created.
    let trace = traces(path).into_iter().find(|trace| trace.exists());
    match trace {
        Some(trace) if !path.exists() => Err(Error::Open(format!(
            "database file {} is gone, but {} tells that a library was there: bring the file back (library restore \
             BACKUP), or remove what is left beside it to begin anew with an empty one",
            path.display(),
            trace.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses a file that is missing or has hard links.
pub(super) fn existing(path: &Path) -> Result<()> {
    has_not_vanished(path)?;
    if path.exists() { has_one_name(path) } else { Err(missing(path)) }
}

/// Returns the error for a missing database.
pub(super) fn missing(path: &Path) -> Error {
    Error::Open(format!("database file {}: it cannot be opened, it is not there", path.display()))
}

fn traces(path: &Path) -> [PathBuf; 2] {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    [SERVING, "-wal"].map(|suffix| beside(&path, suffix))
}

/// Removes the files that a vanished database left behind.
pub(super) fn begin_anew(path: &Path) {
    if !path.exists() {
        for trace in traces(path) {
            // Opening the database reports traces that cannot be removed.
            let _ = std::fs::remove_file(trace);
        }
    }
}

/// Refuses hard links: `SQLite` keeps its log beside the name of the opened file, so two programs that open the file by
/// two names do not see each other's changes and destroy the file.
fn has_one_name(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_file() && file.nlink() > 1 => Err(Error::Open(format!(
            "database file {} has {} names (hard links), and two programs that use two of them would destroy it: remove \
             the others, or make copies with library backup",
            path.display(),
            file.nlink()
        ))),
        // Opening the file reports any other problem.
        _ => Ok(()),
    }
}

/// Suffix of the file that the server keeps locked.
const SERVING: &str = ".serving";

/// Ensures that no other server works on the file, even under another name, while the returned lock is held; waits up
/// to `patience` for the lock.
pub(super) fn only_server(path: &Path, patience: Duration) -> Result<File> {
    has_not_vanished(path)?;
    // The file is created before the marker, because a marker without a file means that a database has vanished.
    let _ = create_private(path);
    hold_for_server(path, patience)
}

/// Takes the lock of [`only_server`] without its checks.
pub(super) fn hold_for_server(path: &Path, patience: Duration) -> Result<File> {
    let cannot = |error: std::io::Error| {
        Error::Open(format!("database file {}: its folder cannot be written to: {error}", path.display()))
    };
    let true_path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let marker = beside(&true_path, SERVING);
    let mut create = File::options();
    let file = create.create(true).truncate(false).write(true).mode(0o600).open(&marker).map_err(cannot)?;
    // Other users of the machine must not be able to take the lock, and the server's user must still be able to if root
    // created the file.
    let _ = file.set_permissions(Permissions::from_mode(0o600));
    give_to_owner_of_folder(&marker, &file).map_err(cannot)?;
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Open(format!(
                    "another server already works on {}: stop it first, or use PostgreSQL for several servers",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
        }
    }
}

/// Gives a file to the owner of its folder: an operator who is root creates it for the user that the server runs as.
pub(super) fn give_to_owner_of_folder(path: &Path, file: &File) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let (Ok(ours), Ok(owner)) = (file.metadata(), std::fs::metadata(folder))
        && ours.uid() != owner.uid()
    {
        std::os::unix::fs::chown(path, Some(owner.uid()), Some(owner.gid()))?;
    }
    Ok(())
}

/// Returns the database's files that all users of this machine may read or change.
pub(super) fn open_to_others(path: &Path) -> Vec<PathBuf> {
    let files = [path.to_owned(), beside(path, "-wal")].into_iter();
    let exposed = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|file| file.mode() & 0o007 != 0);
    files.filter(exposed).collect()
}

/// Identities of the opened files, to notice when a name leads to another file or to none: later writes would be lost
/// when the server stops.
#[derive(Clone)]
struct OpenedFile {
    path: PathBuf,
    file: (u64, u64),
    /// Write-ahead log, which holds the latest commits.
    log: PathBuf,
    log_file: (u64, u64),
}

impl OpenedFile {
    fn of(path: &Path, connection: &Connection) -> std::io::Result<Self> {
        // The connection's path has symbolic links resolved, so the log is beside it.
        let log = beside(Path::new(connection.path().unwrap_or_default()), "-wal");
        Ok(Self { path: path.to_owned(), file: identity(path)?, log_file: identity(&log)?, log })
    }

    fn check(&self) -> Result<()> {
        match identity(&self.path) {
            Ok(file) if file == self.file => {}
            Ok(_) => {
                return Err(Error::Unavailable(
                    "another file is in the place of the database file; restart".into(),
                ));
            }
            Err(_) => return Err(Error::Unavailable("the database file is gone from its place".into())),
        }
        match identity(&self.log) {
            Ok(file) if file == self.log_file => Ok(()),
            _ => Err(Error::Unavailable(
                "the database's -wal file was taken away while it was in use; stop the server with SIGTERM, which saves \
                 what was in it, and start it anew"
                    .into(),
            )),
        }
    }
}

/// Minimum free disk space for writes; on a small disk a twentieth of its size. The reserve, four times the size of the
/// log between checkpoints, is for reads, for logs and for the operator who makes room.
const LEAST_ROOM: u64 = 64 * 1024 * 1024;

/// Checks that the disk of the database has room for more.
///
/// # Errors
/// [`Error::Full`] if there is no room.
pub(super) fn has_room(database: &Path) -> Result<()> {
    let Ok(disk) = rustix::fs::statvfs(database) else { return Ok(()) };
    let (free, whole) = (disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize);
    if free >= LEAST_ROOM.min(whole / 20) {
        return Ok(());
    }
    Err(Error::Full(format!("{} MiB are left on the disk of the database", free / 1024 / 1024).into()))
}

/// Cached check of the room on the disk.
struct Room {
    database: PathBuf,
    /// Time of the last check that found room.
    looked: Cell<Option<Instant>>,
}

impl Room {
    fn check(&self) -> Result<()> {
        if self.looked.get().is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(());
        }
        self.looked.set(None);
        has_room(&self.database)?;
        self.looked.set(Some(Instant::now()));
        Ok(())
    }
}

pub(super) fn identity(path: &Path) -> std::io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

pub(super) fn cannot_open(path: &Path, error: &rusqlite::Error) -> Error {
    let reason = match error.sqlite_error_code() {
        _ if path.is_dir() => "it cannot be opened, it is a folder".into(),
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

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_handler(Some(|tries: i32| {
        std::thread::sleep(BUSY_LOOK);
        BUSY_LOOK * u32::try_from(tries).unwrap_or_default() < BUSY_TIMEOUT
    }))?;
    // WAL with FULL: an answered write survives a power cut (NORMAL lost some in 14 of 40 measured cuts).
    write_ahead(&connection)?;
    let synchronous = if is_planted(Fault::NoSync) { "NORMAL" } else { "FULL" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Overwrites what is deleted: an erased person's name must not stay in the file's free space.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // A job's savepoint keeps the pages it changes, which in a file would cost as much as the write-ahead log.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    // Otherwise SQLite plans a statement anew each time a value is bound to its LIMIT.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(128);
    like::replace(&connection)?;
    Ok(connection)
}

/// Switches the file to a write-ahead log. Retries, because `SQLite` reports a new file that several programs open at
/// once as busy whatever the busy timeout: it does not wait where a deadlock is possible.
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

fn ends_long_statements(connection: &mut Connection) -> rusqlite::Result<Watch> {
    let watch = Watch::default();
    let watched = watch.clone();
    connection.progress_handler(
        STEPS,
        Some(move || {
            let over = watched.is_over(LONGEST_READ);
            if over {
                tracing::warn!(s = LONGEST_READ.as_secs(), "a read took longer than that and was ended");
            }
            over
        }),
    )?;
    Ok(watch)
}

struct Reader {
    connection: Connection,
    watch: Watch,
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
            if let Err(error) = self.begin() {
                fail(&self.health, std::iter::once(job), &error.into());
                continue;
            }
            let mut tx = Tx::new(Arm::Sqlite(&self.connection));
            tx.watched = (job.kind() != Kind::Unhurried).then_some(&self.watch);
            job.run(&mut tx);
            self.watch.set(None);
            match tx.trouble {
                Some(error) => self.health.failed(&causes(&error)),
                None => self.health.works(),
            }
            if !self.connection.is_autocommit()
                && let Err(error) = run(&self.connection, "ROLLBACK")
            {
                tracing::error!(%error, "a read did not end");
            }
            job.answer(Verdict::Done);
            if is_planted(Fault::StaleRead) {
                let _ = self.connection.execute_batch("BEGIN; SELECT COUNT(*) FROM settings_version");
            }
        }
    }

    fn begin(&self) -> rusqlite::Result<()> {
        if is_planted(Fault::StaleRead) && !self.connection.is_autocommit() {
            return Ok(());
        }
        run(&self.connection, "BEGIN")
    }
}

/// Fails jobs that have not begun, and logs why.
fn fail(health: &Health, jobs: impl Iterator<Item = Box<dyn Job>>, error: &Error) {
    health.failed(&causes(error));
    for job in jobs {
        job.answer(Verdict::Failed(error.trouble().unwrap_or_else(|| match error {
            Error::Busy(_) => Error::Busy(None),
            _ => Error::Unavailable(error.to_string().into()),
        })));
    }
}

/// Reason not to answer a batch with its jobs' own results.
enum Failure {
    NotStored(Error),
    Unknown(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::NotStored(error)
    }
}

/// Adds the waiting jobs of the queue to the batch.
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
    room: Room,
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
        // After a clean stop the file alone is the whole database.
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
            Err(Failure::NotStored(_) | Failure::Unknown(_)) if is_planted(Fault::SwallowedError) => {
                let _ = run(&self.connection, "ROLLBACK");
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

    fn commit(&self, batch: &mut Vec<Box<dyn Job>>) -> Result<(), Failure> {
        self.place.check()?;
        self.room.check()?;
        run(&self.connection, "BEGIN IMMEDIATE").map_err(Error::from)?;
        let mut stored = false;
        for job in batch.iter_mut() {
            // An error means that SQLite rolled back the whole transaction by itself (disk full, I/O error).
            stored |= self.run(job.as_mut(), stored)?;
        }
        if is_planted(Fault::EarlyAnswer) {
            batch.drain(..).for_each(|job| job.answer(Verdict::Done));
            std::thread::sleep(Duration::from_millis(5));
        }
        run(&self.connection, "COMMIT").map_err(|error| match error.sqlite_error_code() {
            // The commit record was not written.
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy) => Failure::NotStored(error.into()),
            // After a failed fsync the commit record may survive a power cut, or not.
            _ => Failure::Unknown(error.to_string()),
        })?;
        // If the file was removed meanwhile, this commit is gone too.
        self.place.check().map_err(|error| Failure::Unknown(error.to_string()))
    }

    /// Runs a job, and undoes its effects unless the job asks to keep them; returns true if they are kept. A savepoint
    /// copies every page changed after it, so the writer sets one only if earlier jobs have `stored` something.
    fn run(&self, job: &mut dyn Job, stored: bool) -> Result<bool> {
        let begun = Instant::now();
        if stored {
            run(&self.connection, "SAVEPOINT job")?;
        }
        let mut tx = Tx::new(Arm::Sqlite(&self.connection));
        let keep = job.run(&mut tx);
        if let Some(error) = tx.trouble {
            return Err(error);
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
            tracing::warn!(ms = millis(took), "a write held the database long");
        }
        Ok(keep)
    }
}

/// Creates an empty file that only its owner may read, because it will hold people's names and password hashes.
pub(super) fn create_private(path: &Path) -> std::io::Result<()> {
    File::options().write(true).create_new(true).mode(0o600).open(path).map(drop)
}
