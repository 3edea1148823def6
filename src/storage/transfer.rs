//! Moves a whole library from `SQLite` to `PostgreSQL` or back.
//!
//! Both databases have the same tables and columns. Rows are copied as JSON, which both databases write and read, in
//! one transaction of the target. Then the target is read back: each table must have the same number of rows, and the
//! same checksum.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{Error, Location, Result, Tx, is_there, migrate, only_server, postgres, sqlite, time_zone};

/// Tables that are empty in a new library.
const EMPTY_WHEN_NEW: &[&str] = &["users", "books", "events", "settings", "loans", "account_lines"];
/// Inserted last, in place of what triggers made of other tables' rows: those on loans count the open loans of accounts, and
/// those on second factors delete sign-in codes and links.
const LAST: [&str; 3] = ["balances", "sign_in_codes", "password_links"];
/// Maximum length of the rows that are inserted at once.
const PORTION: usize = 1024 * 1024;

/// Tables by name; each has the types of its columns by name.
type Tables = BTreeMap<String, BTreeMap<String, String>>;

/// Number of rows moved, by table.
pub type Moved = BTreeMap<String, i64>;

/// Copies all rows into an empty database and compares both.
///
/// # Errors
/// [`Error::Open`] with one line for the operator; the target is then still empty.
pub fn move_library(from: &Location, to: &Location) -> Result<Moved> {
    if matches!(from, Location::Sqlite(_)) == matches!(to, Location::Sqlite(_)) {
        return Err(refused(
            "move goes from SQLite to PostgreSQL or back; between two of a kind use their backups",
        ));
    }
    is_there(from)?;
    migrate::is_current(from, migrate::MIGRATIONS)?;
    let _locks = (only_server(from, Duration::ZERO)?, only_server(to, Duration::ZERO)?);
    migrate::apply(to, migrate::MIGRATIONS)?;
    match (from, to) {
        (Location::Sqlite(path), Location::Postgres(url)) => {
            postgres::alone(url, |target| sqlite::look(path, |source| transfer(source, target)))
        }
        (Location::Postgres(url), Location::Sqlite(path)) => {
            postgres::alone(url, |source| sqlite::alone(path, |target| transfer(source, target)))
        }
        _ => Err(refused("move goes between two kinds of databases")),
    }
}

fn refused(reason: &str) -> Error {
    Error::Open(reason.to_owned())
}

fn transfer(source: &mut Tx<'_>, target: &mut Tx<'_>) -> Result<Moved> {
    if source.is_postgres() {
        source.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        time_zone::refuse_other_programs(source)?;
        target.batch("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")?;
    } else {
        source.batch("BEGIN")?;
        target.batch("BEGIN")?;
    }
    let moved = copy(source, target).and_then(|moved| target.batch("COMMIT").map(|()| moved));
    if moved.is_err() {
        target.failed = false;
        // Fails only if the database has rolled back by itself.
        let _ = target.batch("ROLLBACK");
    }
    moved
}

fn copy(source: &mut Tx<'_>, target: &mut Tx<'_>) -> Result<Moved> {
    let (tables, there) = (tables(source)?, tables(target)?);
    let columns = |tables: &Tables| -> Vec<(String, Vec<String>)> {
        tables.iter().map(|(table, columns)| (table.clone(), columns.keys().cloned().collect())).collect()
    };
    if columns(&tables) != columns(&there) {
        return Err(refused(
            "the two databases have other tables or columns, although their schemas are current",
        ));
    }
    for table in EMPTY_WHEN_NEW {
        if target.count(table)? > 0 {
            return Err(Error::Open(format!("the target is not empty: it has rows in the table {table}")));
        }
    }
    defer_references(target, true)?;
    let mut moved = Moved::new();
    let mut sums = Vec::new();
    for (table, columns) in in_order(&there) {
        // A new schema has a few rows, such as the number of the newest settings.
        if target.count(table)? > 0 {
            target.batch(&format!("DELETE FROM \"{table}\""))?;
        }
        let insert = insert(table, columns, target.is_postgres());
        let (mut sum, mut portion) = (Sum::default(), String::new());
        let rows = rows(table, columns, source.is_postgres());
        source.each_text(&rows, |row| {
            sum.add(row)?;
            portion.push(if portion.is_empty() { '[' } else { ',' });
            portion.push_str(row);
            if portion.len() < PORTION {
                return Ok(());
            }
            portion.push(']');
            target.execute_with(&insert, &std::mem::take(&mut portion))
        })?;
        if !portion.is_empty() {
            portion.push(']');
            target.execute_with(&insert, &portion)?;
        }
        sums.push((table, columns, sum));
    }
    for (table, columns, sum) in sums {
        let (rows, mut found) = (rows(table, columns, target.is_postgres()), Sum::default());
        target.each_text(&rows, |row| found.add(row))?;
        if found != sum {
            return Err(Error::Open(format!(
                "the table {table} differs after the move: {} rows were read, {} written, or their checksums differ",
                sum.rows, found.rows
            )));
        }
        moved.insert(table.clone(), sum.rows);
    }
    for table in there.iter().filter(|(_, columns)| columns.contains_key("id")).map(|(table, _)| table) {
        continue_ids(source, target, table)?;
    }
    defer_references(target, false)?;
    Ok(moved)
}

/// Reads the tables and their columns.
fn tables(tx: &mut Tx<'_>) -> Result<Tables> {
    let text = if tx.is_postgres() {
        "SELECT table_name || chr(9) || column_name || chr(9) || data_type
         FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'schema_version'"
    } else {
        "SELECT tables.name || char(9) || columns.name || char(9) || columns.type
         FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND tables.name <> 'schema_version'"
    };
    let mut tables = Tables::new();
    tx.each_text(text, |line| {
        let mut parts = line.split('\t').map(str::to_owned);
        if let (Some(table), Some(column), Some(kind)) = (parts.next(), parts.next(), parts.next()) {
            tables.entry(table).or_default().insert(column, kind);
        }
        Ok(())
    })?;
    Ok(tables)
}

fn in_order(tables: &Tables) -> impl Iterator<Item = (&String, &BTreeMap<String, String>)> {
    let is_last = |(table, _): &(&String, _)| LAST.contains(&table.as_str());
    tables.iter().filter(move |one| !is_last(one)).chain(tables.iter().filter(is_last))
}

fn quoted(columns: &BTreeMap<String, String>) -> String {
    columns.keys().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ")
}

/// Returns the statement that reads each row as a JSON array.
fn rows(table: &str, columns: &BTreeMap<String, String>, postgres: bool) -> String {
    let columns = quoted(columns);
    if postgres {
        format!("SELECT CAST(json_build_array({columns}) AS TEXT) FROM \"{table}\"")
    } else {
        format!("SELECT json_array({columns}) FROM \"{table}\"")
    }
}

/// Returns the statement that inserts a JSON array of such rows.
fn insert(table: &str, columns: &BTreeMap<String, String>, postgres: bool) -> String {
    let values = columns.values().enumerate().map(|(n, kind)| {
        if postgres {
            format!("CAST(it ->> {n} AS {kind})")
        } else {
            format!("json_extract(value, '$[{n}]')")
        }
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let from = if postgres {
        "json_array_elements(CAST(CAST($1 AS TEXT) AS json)) AS rows (it)"
    } else {
        "json_each(?1)"
    };
    format!("INSERT INTO \"{table}\" ({}) SELECT {values} FROM {from}", quoted(columns))
}

/// Count of rows, and a checksum that does not depend on their order.
#[derive(Default, PartialEq, Eq)]
struct Sum {
    rows: i64,
    sum: u128,
}

impl Sum {
    fn add(&mut self, row: &str) -> Result<()> {
        let mut values: Vec<Value> =
            serde_json::from_str(row).map_err(|error| Error::Database(Box::new(error)))?;
        for value in &mut values {
            // SQLite stores booleans as numbers.
            if let Value::Bool(truth) = value {
                *value = i64::from(*truth).into();
            }
        }
        let text = serde_json::to_vec(&values).map_err(|error| Error::Database(Box::new(error)))?;
        let hash = Sha256::digest(text);
        let half = hash.iter().take(16).fold(0, |sum: u128, byte| sum << 8 | u128::from(*byte));
        self.rows += 1;
        self.sum = self.sum.wrapping_add(half);
        Ok(())
    }
}

/// Defers the checks of references to the end, so that tables can be filled in any order. With `defer` false, checks
/// the references and restores the usual checks.
fn defer_references(tx: &mut Tx<'_>, defer: bool) -> Result<()> {
    if !tx.is_postgres() {
        return if defer { Ok(()) } else { migrate::check_references(tx) };
    }
    if !defer {
        tx.batch("SET CONSTRAINTS ALL IMMEDIATE")?;
    }
    let how = if defer { "DEFERRABLE INITIALLY DEFERRED" } else { "NOT DEFERRABLE" };
    let mut statements = Vec::new();
    tx.each_text(
        &format!(
            "SELECT 'ALTER TABLE ' || CAST(conrelid AS regclass) || ' ALTER CONSTRAINT ' || quote_ident(conname) || ' {how}'
             FROM pg_constraint
             WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace)"
        ),
        |statement| {
            statements.push(statement.to_owned());
            Ok(())
        },
    )?;
    tx.batch(&statements.join("; "))
}

/// Continues the ids of a table where the source left off, because ids are never used again.
fn continue_ids(source: &mut Tx<'_>, target: &mut Tx<'_>, table: &str) -> Result<()> {
    let newest = |tx: &mut Tx<'_>| tx.number(&format!("SELECT COALESCE(MAX(id), 0) FROM \"{table}\""));
    if target.is_postgres() {
        let Some(sequence) = sequence(target, table)? else { return Ok(()) };
        let kept = source
            .number(&format!("SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = '{table}'"))?;
        let next = kept.max(newest(source)?) + 1;
        target.number(&format!("SELECT setval('{sequence}', {next}, FALSE)")).map(|_| ())
    } else {
        let Some(sequence) = sequence(source, table)? else { return Ok(()) };
        let kept = source.number(&format!(
            "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {sequence}"
        ))?;
        let last = kept.max(newest(source)?);
        target.batch(&format!(
            "DELETE FROM sqlite_sequence WHERE name = '{table}';
             INSERT INTO sqlite_sequence (name, seq)
                 SELECT '{table}', {last} FROM sqlite_schema WHERE name = '{table}' AND sql LIKE '%AUTOINCREMENT%'"
        ))
    }
}

/// Returns the sequence of a table's ids on `PostgreSQL`.
fn sequence(tx: &mut Tx<'_>, table: &str) -> Result<Option<String>> {
    let mut found = None;
    tx.each_text(&format!("SELECT COALESCE(pg_get_serial_sequence('\"{table}\"', 'id'), '')"), |sequence| {
        found = Some(sequence.to_owned()).filter(|sequence| !sequence.is_empty());
        Ok(())
    })?;
    Ok(found)
}
