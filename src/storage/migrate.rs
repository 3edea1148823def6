//! The schema, version by version: numbered files, one folder per database; versions are only ever added.
//!
//! Version n is the n-th of [`MIGRATIONS`]. The table `schema_version` keeps the checksum of each applied version, so
//! that a mismatch between database and program is noticed before anything is read or written.

use std::fmt;

use sha2::{Digest as _, Sha256};
use tokio_postgres::error::SqlState;

use super::{Error, Location, Result, Tx, causes, postgres, sqlite, upgrade};
use crate::sql;

/// One version of the schema, applied in one transaction.
///
/// On `SQLite` foreign keys are off during the migration and checked before its COMMIT, so that a table can be rebuilt
/// (create the new one, copy, drop the old one, rename) without deleting or redirecting its children.
#[derive(Clone, Copy)]
pub struct Migration {
    /// File name without `.sql`, the same in both folders; begins with the version.
    pub name: &'static str,
    /// SQL for `SQLite`.
    pub sqlite: &'static str,
    /// SQL for `PostgreSQL`.
    pub postgres: &'static str,
    /// Step that follows the SQL.
    pub step: Option<Step>,
}

/// Part of a migration that SQL cannot do alike on both databases, such as folding a key.
#[derive(Clone, Copy)]
pub struct Step {
    /// Tables whose rows the step changes, as `--dry-run` lists them.
    pub tables: &'static [&'static str],
    /// Runs after the SQL, in the same transaction.
    pub run: fn(&mut Tx<'_>) -> Result<()>,
}

macro_rules! migration {
    ($name:literal) => {
        migration!($name, None)
    };
    ($name:literal, Step { $($step:tt)+ }) => {
        migration!($name, Some(Step { $($step)+ }))
    };
    ($name:literal, $step:expr) => {
        Migration {
            name: $name,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
            step: $step,
        }
    };
}

/// Every version of the schema. Versions in `migrations/released.sha256` are never edited.
pub const MIGRATIONS: &[Migration] = &[
    migration!("0001_initial"),
    migration!("0002_settings"),
    migration!("0003_copies", Step { tables: &["events"], run: upgrade::events_to_changes }),
    migration!("0004_idempotency"),
    migration!("0005_holds"),
    migration!("0006_people", Step { tables: &["users"], run: upgrade::fold_people }),
    migration!("0007_desk"),
    migration!("0008_phone"),
    migration!("0009_money"),
    migration!("0010_desk"),
    migration!("0011_undo"),
    migration!("0012_deleted_titles"),
    migration!("0013_phone_pages"),
    migration!("0014_sessions"),
    migration!("0015_second_factor"),
    migration!("0016_oidc"),
    migration!("0017_passkeys"),
    migration!("0018_other_categories"),
    migration!("0019_proofs"),
    migration!("0020_changes"),
    migration!("0021_phone_codes"),
    migration!("0022_closings"),
    migration!("0023_promotions"),
    migration!("0024_receipt_prints"),
    migration!("0025_opening_float"),
    migration!("0026_imprints"),
    migration!("0027_imports"),
    migration!("0028_first_steps"),
    migration!("0029_loans_of_book"),
    migration!("0030_labels"),
    migration!("0031_time_zone"),
    migration!("0032_browser_key"),
    migration!("0033_covers"),
    migration!("0034_notices"),
    migration!("0035_mails"),
    migration!("0036_mailed_notices"),
    migration!("0037_labels_in_order"),
    migration!("0038_open_loans"),
    migration!("0039_suggestions"),
    migration!("0040_calendar_links"),
    migration!("0041_mail_wordings"),
    migration!("0042_guardians"),
    migration!("0043_reminder_slips"),
    migration!("0044_text_messages"),
    migration!("0045_claimed_addresses"),
    migration!("0046_phone_of_reader"),
    migration!("0047_people_imports"),
    migration!("0048_photos"),
    migration!("0049_notices_in_digest"),
    migration!("0050_review_counts"),
    migration!("0051_mail_stopped_by"),
    migration!("0052_replaced_photos"),
    migration!("0053_search_of_open_loans", Step { tables: &["loans"], run: upgrade::fold_open_loans }),
    migration!("0054_open_loans_of_people"),
    migration!("0055_days_of_open_loans"),
    migration!("0056_arabic_letters", Step { tables: &["users", "loans"], run: upgrade::fold_again }),
];

impl Migration {
    fn text(&self, postgres: bool) -> &'static str {
        if postgres { self.postgres } else { self.sqlite }
    }

    /// Returns the SHA-256 of the file in hexadecimal, as `sha256sum` prints it.
    #[must_use]
    pub fn checksum(&self, postgres: bool) -> String {
        let digest = Sha256::digest(self.text(postgres));
        digest
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|half| char::from(b"0123456789abcdef"[usize::from(half)]))
            .collect()
    }
}

/// Result of [`apply`].
#[derive(Debug, PartialEq, Eq)]
pub struct Migrated {
    /// Version before; 0 for a new database.
    pub from: usize,
    /// Names of the versions applied.
    pub applied: Vec<&'static str>,
}

/// Brings a database up to date, creating it if it is missing. Safe while other processes do the same.
///
/// # Errors
/// [`Error::Open`] with one line for the operator; the database then has the last version that was applied completely.
pub fn apply(location: &Location, migrations: &[Migration]) -> Result<Migrated> {
    match location {
        Location::Sqlite(path) => sqlite::alone(path, |tx| run(tx, migrations)),
        Location::Postgres(url) => postgres::alone(url, |tx| run(tx, migrations)),
    }
}

fn run(tx: &mut Tx<'_>, migrations: &[Migration]) -> Result<Migrated> {
    let history = history(tx)?;
    check(&history, migrations, tx.is_postgres())?;
    let mut migrated = Migrated { from: history.len(), applied: Vec::new() };
    if history.len() == migrations.len() && history.iter().all(|applied| applied.checksum.is_some()) {
        // Nothing to do, so do not wait for a writer.
        return Ok(migrated);
    }
    if !tx.is_postgres() {
        // Inside a transaction foreign_keys would be ignored. Without legacy_alter_table, renaming a table redirects the
        // references of other tables to the new name, and fails while a trigger mentions a table that is being rebuilt.
        tx.batch("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")?;
    }
    loop {
        tx.batch(if tx.is_postgres() { "BEGIN" } else { "BEGIN IMMEDIATE" })?;
        match apply_next(tx, migrations).and_then(|next| tx.batch("COMMIT").map(|()| next)) {
            Ok(Some(name)) => migrated.applied.push(name),
            Ok(None) => return Ok(migrated),
            Err(error) => {
                tx.failed = false;
                // Fails only if the database has rolled back by itself.
                let _ = tx.batch("ROLLBACK");
                return Err(if lacks_rights(&error) { Error::Open(NOT_THE_OWNER.into()) } else { error });
            }
        }
    }
}

/// Message for the operator if the server's role may not change the schema (ASVS 13.2.2).
const NOT_THE_OWNER: &str = "the schema is older than this program, and this role of PostgreSQL may not change it: run \
                             `library migrate` as the role that owns the tables";

/// True if `PostgreSQL` denied a statement to this role.
fn lacks_rights(error: &Error) -> bool {
    let Error::Database(source) = error else { return false };
    let error = source.downcast_ref::<tokio_postgres::Error>();
    error.and_then(tokio_postgres::Error::code) == Some(&SqlState::INSUFFICIENT_PRIVILEGE)
}

/// Applies the next version in the open transaction and returns its name; `None` if all are applied.
fn apply_next(tx: &mut Tx<'_>, migrations: &[Migration]) -> Result<Option<&'static str>> {
    let postgres = tx.is_postgres();
    // Read again under the lock: another process may have been faster.
    let columns = columns(tx)?;
    if columns.is_empty() {
        tx.batch(
            "CREATE TABLE schema_version (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT)",
        )?;
    } else if !columns.iter().any(|column| column == "checksum") {
        tx.batch("ALTER TABLE schema_version ADD COLUMN checksum TEXT")?;
    }
    let history = history(tx)?;
    check(&history, migrations, postgres)?;
    for (migration, applied) in migrations.iter().zip(&history) {
        if applied.checksum.is_none() {
            // Applied by a program that stored no checksums.
            tx.execute(
                sql!("UPDATE schema_version SET checksum = $2 WHERE version = $1"),
                &[&applied.version, &migration.checksum(postgres)],
            )?;
        }
    }
    let Some(migration) = migrations.get(history.len()) else { return Ok(None) };
    apply_one(tx, migration).map_err(|error| {
        if lacks_rights(&error) {
            return error;
        }
        let version = history.len();
        Error::Open(format!(
            "migration {} failed and was undone, the schema is still {version}: {}",
            migration.name,
            causes(&error)
        ))
    })?;
    tx.execute(
        sql!("INSERT INTO schema_version (version, name, checksum) VALUES ($1, $2, $3)"),
        &[&version(history.len() + 1), &migration.name, &migration.checksum(postgres)],
    )?;
    Ok(Some(migration.name))
}

fn apply_one(tx: &mut Tx<'_>, migration: &Migration) -> Result<()> {
    tx.batch(migration.text(tx.is_postgres()))?;
    if let Some(step) = &migration.step {
        (step.run)(tx)?;
    }
    if tx.is_postgres() { Ok(()) } else { check_references(tx) }
}

/// Fails on rows that foreign keys would have refused, had they been on.
pub(super) fn check_references(tx: &mut Tx<'_>) -> Result<()> {
    const SHOWN: usize = 10;
    let mut broken = tx.query(
        sql!(
            "SELECT child.name || ' refers to a table ' || reference.\"table\" || ' that is not there'
             FROM sqlite_schema AS child JOIN pragma_foreign_key_list(child.name) AS reference
             WHERE child.type = 'table' AND NOT EXISTS (
                 SELECT 1 FROM sqlite_schema AS parent
                 WHERE parent.type = 'table' AND parent.name = reference.\"table\" COLLATE NOCASE)"
        ),
        &[],
        |row| row.get::<String>(0),
    )?;
    if broken.is_empty() {
        broken = tx.query(
            sql!(
                "SELECT \"table\" || ' ' || COALESCE(rowid, '') || ' refers to ' || parent || ' that are not there'
                 FROM pragma_foreign_key_check LIMIT 11"
            ),
            &[],
            |row| row.get::<String>(0),
        )?;
    }
    if broken.is_empty() {
        return Ok(());
    }
    let more = if broken.len() > SHOWN { ", and more" } else { "" };
    broken.truncate(SHOWN);
    Err(Error::Open(format!("{}{more}", broken.join(", "))))
}

/// A row of `schema_version`.
struct Applied {
    version: i64,
    name: String,
    checksum: Option<String>,
}

/// Returns the columns of `schema_version`; none if the table is missing.
fn columns(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT CAST(attname AS TEXT) FROM pg_attribute
             WHERE attrelid = to_regclass('schema_version') AND attnum > 0 AND NOT attisdropped"
        )
    } else {
        sql!("SELECT name FROM pragma_table_info('schema_version')")
    };
    tx.query(statement, &[], |row| row.get(0))
}

fn history(tx: &mut Tx<'_>) -> Result<Vec<Applied>> {
    let columns = columns(tx)?;
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let statement = if columns.iter().any(|column| column == "checksum") {
        sql!("SELECT version, name, checksum FROM schema_version ORDER BY version")
    } else {
        sql!("SELECT version, name, CAST(NULL AS TEXT) FROM schema_version ORDER BY version")
    };
    tx.query(statement, &[], |row| {
        Ok(Applied { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? })
    })
}

/// Refuses a database that is newer than this program, or differs from it in a version that both have.
fn check(history: &[Applied], migrations: &[Migration], postgres: bool) -> Result<()> {
    if let Some(newest) = history.last().filter(|newest| newest.version > version(migrations.len())) {
        return Err(Error::Open(format!(
            "the database has schema {}, newer than this program's {}: start a newer program",
            newest.version,
            migrations.len()
        )));
    }
    for (index, applied) in history.iter().enumerate() {
        let same = migrations.get(index).is_some_and(|migration| {
            applied.version == version(index + 1)
                && applied.name == migration.name
                && applied.checksum.as_ref().is_none_or(|checksum| *checksum == migration.checksum(postgres))
        });
        if !same {
            return Err(Error::Open(format!(
                "schema {} of the database ({}) is not the one that this program has under this number: start the \
                 program that made it",
                applied.version, applied.name
            )));
        }
    }
    Ok(())
}

fn version(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Plan of [`apply`].
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// Current version; 0 for a new database.
    pub from: usize,
    /// Missing versions.
    pub missing: Vec<Missing>,
}

/// Version that [`apply`] would apply.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    pub name: &'static str,
    /// Existing tables that the version reads or changes, with their numbers of rows.
    pub tables: Vec<(String, i64)>,
}

/// Returns the plan of [`apply`], and changes nothing.
///
/// # Errors
/// Same refusals as [`apply`].
pub fn plan(location: &Location, migrations: &[Migration]) -> Result<Plan> {
    let look = |tx: &mut Tx<'_>| {
        let postgres = tx.is_postgres();
        tx.batch(if postgres { "BEGIN READ ONLY" } else { "BEGIN" })?;
        let history = history(tx)?;
        check(&history, migrations, postgres)?;
        let tables = tables(tx)?;
        let mut missing = Vec::new();
        for migration in &migrations[history.len()..] {
            let mut touched = Vec::new();
            for table in tables.iter().filter(|table| migration.touches(table, postgres)) {
                touched.push((table.clone(), tx.count(table)?));
            }
            missing.push(Missing { name: migration.name, tables: touched });
        }
        Ok(Plan { from: history.len(), missing })
    };
    match location {
        Location::Sqlite(path) if is_new(path) => {
            sqlite::has_not_vanished(path)?;
            let missing = |migration: &Migration| Missing { name: migration.name, tables: Vec::new() };
            Ok(Plan { from: 0, missing: migrations.iter().map(missing).collect() })
        }
        Location::Sqlite(path) => sqlite::look(path, look),
        Location::Postgres(url) => postgres::alone(url, look),
    }
}

/// Refuses a database that [`apply`] would change or refuse.
pub(super) fn is_current(location: &Location, migrations: &[Migration]) -> Result<()> {
    let plan = plan(location, migrations)?;
    match (plan.from, plan.missing.len()) {
        (_, 0) => Ok(()),
        (0, _) => Err(Error::Open(format!("{location} holds no library yet: library migrate makes one"))),
        (from, _) => Err(Error::Open(format!(
            "{location} has schema {from}, and this program needs {}: make a backup (library backup FILE), stop the \
             servers, and run library migrate",
            migrations.len()
        ))),
    }
}

/// Fails if a newer program has migrated the database, so that this server stops serving it.
///
/// # Errors
/// [`Error::Open`] with one line for the operator.
pub fn is_served(tx: &mut Tx<'_>) -> Result<()> {
    let newest: i64 =
        tx.query_one(sql!("SELECT COALESCE(MAX(version), 0) FROM schema_version"), &[], |row| row.get(0))?;
    if newest == version(MIGRATIONS.len()) {
        return Ok(());
    }
    Err(Error::Open(format!(
        "the database's schema is now {newest}, and this program knows {}: stop this server and start the newer program",
        MIGRATIONS.len()
    )))
}

/// Refuses the databases that [`apply`] would refuse.
pub(super) fn is_known(tx: &mut Tx<'_>, migrations: &[Migration]) -> Result<()> {
    let history = history(tx)?;
    if history.is_empty() {
        return Err(Error::Open("it is not a library's database".into()));
    }
    check(&history, migrations, tx.is_postgres())
}

/// True if opening would create this file.
fn is_new(path: &std::path::Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    !path.exists() && folder.is_none_or(std::path::Path::is_dir)
}

pub(super) fn tables(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT CAST(relname AS TEXT) FROM pg_class
             WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relnamespace = CAST(current_schema() AS regnamespace)
             ORDER BY relname"
        )
    } else {
        sql!("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    };
    tx.query(statement, &[], |row| row.get(0))
}

impl Migration {
    /// True if the SQL of the migration, comments excluded, or its step names the table.
    fn touches(&self, table: &str, postgres: bool) -> bool {
        self.text(postgres).lines().any(|line| {
            let sql = line.split("--").next().unwrap_or_default();
            sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == table)
        }) || self.step.as_ref().is_some_and(|step| step.tables.contains(&table))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let newest = self.from + self.missing.len();
        if self.missing.is_empty() {
            return write!(f, "has schema {newest}, as this program wants it. There is nothing to do.");
        }
        if self.from == 0 {
            return write!(f, "is new and would be made with schema {newest}.");
        }
        writeln!(f, "has schema {} and would be brought to {newest}:", self.from)?;
        for missing in &self.missing {
            let tables: Vec<String> =
                missing.tables.iter().map(|(table, rows)| format!("{table} ({rows} rows)")).collect();
            let tables = if tables.is_empty() {
                "only adds to the schema".to_owned()
            } else {
                format!("reads or changes {}", tables.join(", "))
            };
            writeln!(f, "  {} {tables}", missing.name)?;
        }
        write!(f, "Make a backup first: once migrated, it can be opened by this program or a newer one only.")
    }
}
