//! The schema, version by version. Files are only ever added; an applied one is never edited.

use super::{Error, Result, Tx};
use crate::sql;

struct Migration {
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migration {
    ($version:literal, $name:literal) => {
        Migration {
            version: $version,
            name: $name,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        }
    };
}

const MIGRATIONS: &[Migration] = &[migration!(1, "0001_initial")];

/// The schema this program works with.
#[must_use]
pub(super) fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// Applies what is missing, each version in one transaction.
pub(super) fn run(tx: &mut Tx<'_>) -> Result<()> {
    let postgres = tx.is_postgres();
    let begin = if postgres { "BEGIN" } else { "BEGIN IMMEDIATE" };
    tx.batch(begin)?;
    tx.batch("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY, name TEXT NOT NULL)")?;
    let applied = tx.query_one(sql!("SELECT COALESCE(MAX(version), 0) FROM schema_version"), &[], |row| {
        row.get::<i64>(0)
    })?;
    tx.batch("COMMIT")?;
    if applied > newest() {
        return Err(Error::Open(format!(
            "the database has schema {applied}, newer than this program's {}: start a newer program",
            newest()
        )));
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > applied) {
        tx.batch(begin)?;
        // Another process may have been faster since we looked.
        let taken = tx.query_one(
            sql!("SELECT COUNT(*) FROM schema_version WHERE version = $1"),
            &[&migration.version],
            |row| row.get::<i64>(0),
        )?;
        if taken == 0 {
            tx.batch(if postgres { migration.postgres } else { migration.sqlite })?;
            tx.execute(
                sql!("INSERT INTO schema_version (version, name) VALUES ($1, $2)"),
                &[&migration.version, &migration.name],
            )?;
        }
        tx.batch("COMMIT")?;
    }
    Ok(())
}
