//! Backups of a `SQLite` database: made while the database is in use, verified, and restored.
//!
//! A copy is one self-contained file with a manifest beside it. A copy gets its name only after it was verified and
//! synced to disk, so an interrupted copy cannot be mistaken for a good one.

use std::{
    collections::BTreeMap,
    fs::{File, TryLockError},
    io::{ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::{Timestamp, tz::TimeZone};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    Db, Error, Location, Result, Tx, copies, ledger,
    migrate::{self, MIGRATIONS},
    reviews,
    sqlite::{
        beside, cannot_open, connect, give_to_owner_of_folder, hold_for_server, identity, look, missing,
    },
};
use crate::{clock::Clock, sql, text};

/// Suffix of a manifest's file name, after the name of the copy.
const MANIFEST: &str = ".manifest.json";

/// Maximum contradictions of each kind that are printed.
const CONTRADICTIONS: i64 = 10;

/// Description of a copy, recorded when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Start of the backup: the copy contains every write that was acknowledged before.
    pub made_at: Timestamp,
    /// Version of the schema.
    pub schema: i64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    pub bytes: u64,
    /// Number of rows of each table.
    pub rows: BTreeMap<String, i64>,
}

impl Manifest {
    /// Returns the path of a copy's manifest.
    #[must_use]
    pub fn path(copy: &Path) -> PathBuf {
        beside(copy, MANIFEST)
    }

    /// Reads the manifest beside a copy; `None` if there is none.
    ///
    /// # Errors
    /// [`Error::Open`] if the manifest cannot be read.
    pub fn beside(copy: &Path) -> Result<Option<Self>> {
        let path = Self::path(copy);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(read_error(&path, &error)),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| read_error(&path, &error))
    }

    /// Fails unless a copy is the file that this manifest describes.
    ///
    /// # Errors
    /// [`Error::Open`] if the copy is another file, or cannot be read.
    pub fn check(&self, copy: &Path) -> Result<()> {
        if fingerprint(copy)?.0 == self.sha256 {
            return Ok(());
        }
        Err(Error::Open(format!(
            "{} is not the file that its manifest describes (another SHA-256): it was damaged or changed",
            copy.display()
        )))
    }

    /// Summarises the contents for the operator: the schema, and the number of books, copies, people and loans.
    #[must_use]
    pub fn contents(&self) -> String {
        let count = |table: &str| self.rows.get(table).copied().unwrap_or_default();
        format!(
            "schema {}, {} books, {} copies, {} people, {} loans",
            self.schema,
            count("books"),
            count("copies"),
            count("users"),
            count("loans")
        )
    }
}

fn read_error(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Open(format!("cannot read {}: {error}", path.display()))
}

fn write_error(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::Open(format!("cannot write {}: {error}", path.display()))
}

fn now() -> Timestamp {
    Timestamp::from_millisecond(Clock::system(TimeZone::UTC).now()).unwrap_or_default()
}

/// Copies a whole database of any schema version while other programs use it.
pub(super) fn make(path: &Path, to: &Path) -> Result<Manifest> {
    if !path.exists() {
        return Err(missing(path));
    }
    let made_at = now();
    let partial = Partial::beside(to).map_err(|error| write_error(to, &error))?;
    // Checked under the lock of `partial`: no other program can create a copy with this name now.
    if to.exists() {
        return Err(Error::Open(format!("{} exists; name a new file", to.display())));
    }
    let source = connect(path).map_err(|error| cannot_open(path, &error))?;
    {
        copy(&source, &partial.path)?;
        let target = Connection::open(&partial.path)?;
        // Without WAL mode the copy is one self-contained file.
        target.pragma_update(None, "journal_mode", "DELETE")?;
    }
    let (schema, rows) = look(&partial.path, |tx| {
        is_whole(tx)?;
        Ok((schema(tx)?, rows(tx)?))
    })?;
    let (sha256, bytes) = fingerprint(&partial.path)?;
    let manifest = Manifest { made_at, schema, sha256, bytes, rows };
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| write_error(to, &error))?;
    let beside_it = Manifest::path(to);
    let manifest_file = Partial::beside(&beside_it).map_err(|error| write_error(&beside_it, &error))?;
    std::fs::write(&manifest_file.path, text + "\n").map_err(|error| write_error(&beside_it, &error))?;
    // The copy is renamed last, so that a copy always has its manifest.
    manifest_file.put_in_place(&beside_it).map_err(|error| write_error(&beside_it, &error))?;
    partial.put_in_place(to).map_err(|error| write_error(to, &error))?;
    Ok(manifest)
}

/// Copies the live rows of one snapshot, while writers append to the WAL. A copy of all pages would also contain rows
/// that were deleted before `secure_delete` was on (O3).
fn copy(source: &Connection, to: &Path) -> Result<()> {
    let to = to.to_str().ok_or_else(|| write_error(to, &"its name is not UTF-8"))?;
    source.execute("VACUUM INTO ?1", [to])?;
    Ok(())
}

/// Fails unless the whole file passes the integrity and foreign key checks of `SQLite`.
fn is_whole(tx: &mut Tx<'_>) -> Result<()> {
    let verdict: String = tx.query_one(sql!("PRAGMA integrity_check(1)"), &[], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Error::Open(format!("the copy is not sound: {}", verdict.replace('\n', " "))));
    }
    let strays: i64 =
        tx.query_one(sql!("SELECT COUNT(*) FROM pragma_foreign_key_check"), &[], |row| row.get(0))?;
    match strays {
        0 => Ok(()),
        strays => {
            Err(Error::Open(format!("the copy is not sound: {strays} rows refer to rows that are not there")))
        }
    }
}

fn schema(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COALESCE(MAX(version), 0) FROM schema_version"), &[], |row| row.get(0))
}

fn rows(tx: &mut Tx<'_>) -> Result<BTreeMap<String, i64>> {
    let tables = migrate::tables(tx)?;
    tables.into_iter().map(|table| tx.count(&table).map(|rows| (table, rows))).collect()
}

/// Returns the SHA-256 of a file in hexadecimal, and its length.
fn fingerprint(path: &Path) -> Result<(String, u64)> {
    let mut file = File::open(path).map_err(|error| read_error(path, &error))?;
    copy_and_hash(&mut file, &mut std::io::sink()).map_err(|error| read_error(path, &error))
}

/// Copies all bytes; returns their SHA-256 in hexadecimal and their number.
fn copy_and_hash(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<(String, u64)> {
    let (mut digest, mut bytes) = (Sha256::new(), 0);
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
        bytes += read as u64;
    }
    Ok((text::hex(&digest.finalize()), bytes))
}

/// Result of verifying a copy whose file is good.
#[derive(Debug)]
pub struct Verified {
    /// Description of the copy as found.
    pub found: Manifest,
    /// True if a manifest beside the copy confirms its SHA-256.
    pub has_manifest: bool,
    /// Contradictions among the copy's records, as text; `library doctor` finds the same kinds in the live library.
    pub contradictions: Vec<String>,
}

/// Callback that accepts a copy with these contradictions, or rejects it with an error.
pub type Accept<'a> = &'a dyn Fn(&[String]) -> Result<()>;

/// Verifies a copy without changing it: the file must match its manifest, be intact, and not come from a newer program.
/// Contradictions among its records are not an error here, because no better copy may exist.
///
/// # Errors
/// [`Error::Open`] with the reason.
pub fn verify(copy: &Path) -> Result<Verified> {
    if !copy.exists() {
        return Err(Error::Open(format!("{} is not there", copy.display())));
    }
    if std::fs::metadata(beside(copy, "-wal")).is_ok_and(|log| log.len() > 0) {
        return Err(Error::Open(format!(
            "{} has a -wal file beside it, so it is a database in use and not a copy: copy it with library backup",
            copy.display()
        )));
    }
    let of_copy = |error: Error| match error {
        Error::Open(reason) => Error::Open(format!("{}: {reason}", copy.display())),
        other => other,
    };
    let manifest = Manifest::beside(copy)?;
    let (sha256, bytes) = fingerprint(copy)?;
    if manifest.as_ref().is_some_and(|manifest| manifest.sha256 != sha256) {
        return Err(of_copy(Error::Open(
            "its SHA-256 is not the one in its manifest: it was damaged or changed".into(),
        )));
    }
    let (schema, rows) = look(copy, |tx| {
        is_whole(tx)?;
        migrate::is_known(tx, MIGRATIONS)?;
        Ok((schema(tx)?, rows(tx)?))
    })
    .map_err(of_copy)?;
    let contradictions = up_to_date(copy, schema, contradictions).map_err(of_copy)?;
    let made_at = manifest.as_ref().map_or_else(Timestamp::default, |manifest| manifest.made_at);
    let found = Manifest { made_at, schema, sha256, bytes, rows };
    Ok(Verified { found, has_manifest: manifest.is_some(), contradictions })
}

fn contradictions(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let mut found = copies::contradictions(tx, CONTRADICTIONS)?;
    found.extend(ledger::contradictions(tx)?);
    found.extend(reviews::contradictions(tx, CONTRADICTIONS)?);
    Ok(found)
}

/// Verifies a copy, then reads from it.
///
/// # Errors
/// Errors of [`verify`], `accept` and `work`.
pub fn read<T: Send + 'static>(
    copy: &Path,
    accept: Accept<'_>,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let verified = verify(copy)?;
    accept(&verified.contradictions)?;
    up_to_date(copy, verified.found.schema, work)
}

/// Reads from a backup. If its schema is older, reads from a temporary copy that is migrated first.
fn up_to_date<T: Send + 'static>(
    copy: &Path,
    schema: i64,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    if usize::try_from(schema) == Ok(MIGRATIONS.len()) {
        return look(copy, work);
    }
    let folder = tempfile::tempdir().map_err(|error| write_error(&std::env::temp_dir(), &error))?;
    let newer = folder.path().join("library.db");
    std::fs::copy(copy, &newer).map_err(|error| write_error(&newer, &error))?;
    let newer = Location::Sqlite(newer);
    // Migrates before `open`, which would log a migration of the library itself.
    migrate::apply(&newer, MIGRATIONS)?;
    let db = Db::open(&newer)?;
    let found = db.read_blocking(work);
    db.close();
    found
}

/// Outcome of a restore.
#[derive(Debug)]
pub struct Restored {
    /// Manifest of the restored backup.
    pub found: Manifest,
    /// New name of the replaced database file.
    pub kept: Option<PathBuf>,
    /// People erased after the copy was made; `None` if the replaced database cannot be read.
    pub erased: Option<Vec<ErasedPerson>>,
}

/// Person erased after a copy was made, as recorded in the copy.
#[derive(Debug, PartialEq, Eq)]
pub struct ErasedPerson {
    /// Id of the person, as in the address of their page.
    pub id: i64,
    pub roll_number: Option<String>,
}

/// Returns the people whom the replaced database had erased and the restored copy still names.
fn erased_since(before: &Path, restored: &Path) -> rusqlite::Result<Vec<ErasedPerson>> {
    let open = |path| Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
    let (before, restored) = (open(before)?, open(restored)?);
    let mut gone =
        before.prepare("SELECT id FROM users WHERE gone_at IS NOT NULL AND name = '' ORDER BY id")?;
    let ids = gone.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    let mut back = restored.prepare("SELECT roll_number FROM users WHERE id = ?1 AND name <> ''")?;
    let mut erased = Vec::new();
    for id in ids {
        match back.query_row([id], |row| row.get(0)) {
            Ok(roll_number) => erased.push(ErasedPerson { id, roll_number }),
            Err(rusqlite::Error::QueryReturnedNoRows) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(erased)
}

/// Replaces a database by a copy, and keeps the replaced file under another name. Signs all users out: sessions that
/// were ended after the copy was made would otherwise be valid again.
///
/// # Errors
/// [`Error::Open`] if another program uses the database or the copy fails verification, and errors of `accept`; in
/// these cases nothing is changed.
pub fn restore(copy: &Path, location: &Location, accept: Accept<'_>) -> Result<Restored> {
    let Location::Sqlite(path) = location else {
        return Err(Error::Open(
            "a PostgreSQL database is restored with its own tool: pg_restore --clean --if-exists --dbname=DATABASE FILE; \
             library doctor then tells whether it is sound"
                .into(),
        ));
    };
    // If the path is a symbolic link, its target is replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.clone());
    if identity(copy).is_ok_and(|copy| identity(path).is_ok_and(|database| database == copy)) {
        return Err(Error::Open(format!("{} is the database itself", copy.display())));
    }
    let _alone = hold_for_server(path, Duration::ZERO)?;
    let Verified { found, contradictions, .. } = verify(copy)?;
    accept(&contradictions)?;
    let cannot = |error: std::io::Error| write_error(path, &error);
    let partial = Partial::beside(path).map_err(cannot)?;
    take_over(copy, &partial.path, &found.sha256)?;
    sign_everybody_out(&partial.path)?;
    let kept = set_aside(path)?;
    let erased = kept.as_deref().and_then(|kept| erased_since(kept, &partial.path).ok());
    partial.put_in_place(path).map_err(cannot)?;
    Ok(Restored { found, kept, erased })
}

/// Copies a verified file, checks its SHA-256 again, and gives it to the owner of the library's folder.
fn take_over(copy: &Path, to: &Path, sha256: &str) -> Result<()> {
    let mut from = File::open(copy).map_err(|error| read_error(copy, &error))?;
    let mut file =
        File::options().write(true).truncate(true).open(to).map_err(|error| write_error(to, &error))?;
    let (copied, _) = copy_and_hash(&mut from, &mut file).map_err(|error| write_error(to, &error))?;
    if copied != sha256 {
        return Err(Error::Open(format!("{} changed while it was copied", copy.display())));
    }
    give_to_owner_of_folder(to, &file).map_err(|error| write_error(to, &error))?;
    Ok(())
}

fn sign_everybody_out(path: &Path) -> Result<()> {
    let restored = Connection::open(path)?;
    restored.pragma_update(None, "foreign_keys", true)?;
    for table in ["sessions", "sign_in_codes", "half_sign_ins", "password_links", "link_requests"] {
        // An older schema may lack the table.
        if restored.table_exists(None, table)? {
            restored.execute(&format!("DELETE FROM {table}"), [])?;
        }
    }
    // Stops queued mails: the library has probably sent them after the copy was made.
    if restored.table_exists(None, "mails")? {
        restored.execute(
            "UPDATE mails SET state = 'stopped', ended_at = created_at, leased_by = NULL, leased_until = NULL,
                    text = CASE WHEN secret THEN '' ELSE text END, html = CASE WHEN secret THEN '' ELSE html END
             WHERE state = 'queued'",
            [],
        )?;
    }
    if restored.column_exists(None, "notices", "unmailed")? {
        restored.execute(
            "UPDATE notices SET unmailed = 'old' WHERE mailed_at IS NULL AND unmailed IS NULL",
            [],
        )?;
    }
    Ok(())
}

/// Renames the present database, together with its WAL or journal if a checkpoint failed; returns the new name.
fn set_aside(path: &Path) -> Result<Option<PathBuf>> {
    let cannot = |error: std::io::Error| write_error(path, &error);
    let stamp = now().strftime("%Y%m%d-%H%M%S");
    let aside = beside(path, &format!(".before-{stamp}"));
    if aside.exists() {
        return Err(Error::Open(format!("{} exists; wait a second", aside.display())));
    }
    // Only a busy database is an error: a damaged one is kept unchanged.
    if path.exists()
        && let Err(Error::Busy(_)) = checkpoint_wal(path)
    {
        return Err(Error::Open(format!(
            "another program works on {}: wait until it is done",
            path.display()
        )));
    }
    let mut kept = None;
    for suffix in ["-wal", "-shm", "-journal"] {
        let file = beside(path, suffix);
        if file.exists() {
            std::fs::rename(&file, beside(&aside, suffix)).map_err(cannot)?;
            kept = Some(aside.clone());
        }
    }
    if path.exists() {
        // A hard link, so that the path never lacks a database; a rename where the file system has no hard links.
        std::fs::hard_link(path, &aside).or_else(|_| std::fs::rename(path, &aside)).map_err(cannot)?;
        kept = Some(aside);
    }
    Ok(kept)
}

/// Writes the WAL into the database file and leaves WAL mode; fails with [`Error::Busy`] if another program has the
/// file open.
fn checkpoint_wal(path: &Path) -> Result<()> {
    let old = connect(path)?;
    old.busy_timeout(Duration::from_secs(1))?;
    old.pragma_update(None, "journal_mode", "DELETE")?;
    Ok(())
}

/// File under construction, readable by its owner only, named after its target plus a suffix; deleted on drop unless it
/// was renamed to the target. A lock lets one program at a time write a target; the file of a killed program is reused.
struct Partial {
    path: PathBuf,
    locked: File,
    /// True once the file has its final name. The temporary name may then belong to another program, so drop must not
    /// delete it.
    is_in_place: bool,
}

impl Partial {
    fn beside(to: &Path) -> std::io::Result<Self> {
        let path = beside(to, ".library-partial");
        loop {
            let mut create = File::options();
            let file = create.create(true).truncate(false).write(true).mode(0o600).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(std::io::Error::new(
                        ErrorKind::ResourceBusy,
                        "another program is writing it at this moment",
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let locked = file.metadata()?;
            // Tries again if the previous holder of the lock has just renamed or deleted the locked file.
            if identity(&path).is_ok_and(|there| there == (locked.dev(), locked.ino())) {
                file.set_len(0)?;
                return Ok(Self { path, locked: file, is_in_place: false });
            }
        }
    }

    fn put_in_place(mut self, to: &Path) -> std::io::Result<()> {
        self.locked.sync_all()?;
        std::fs::rename(&self.path, to)?;
        self.is_in_place = true;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_in_place {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
