//! One text per statement, one mapping per row, two databases.
//!
//! A statement is written once with [`sql!`](crate::sql!), numbered parameters `$1, $2 …`, and runs on both databases. `SQLite` would
//! bind `$2` by its first appearance, not by its number, so the macro rewrites `$n` to `?n` while compiling.
//! What a statement may bind and read is a closed list ([`Param`], [`Column`]): `PostgreSQL` wants exact types, and a
//! type that only `SQLite` forgives must fail the build, not a librarian.

use std::{
    cmp::Ordering,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::BytesMut;
use tokio_postgres::types::IsNull;

use super::{Error, Result, postgres::Connection};
use crate::domain::{
    account::Capability,
    id::{
        BookId, ChangeId, CopyId, DeskId, HoldId, LineId, LoanId, PasskeyId, PhoneId, PhoneScanId, ReviewId,
        SessionId, UserId,
    },
    money::Money,
};

/// A statement's text for each database; made by [`sql!`](crate::sql!) only, so that no text made at run time can be executed.
#[derive(Clone, Copy, Debug)]
pub struct Sql {
    pub(super) sqlite: &'static str,
    pub(super) postgres: &'static str,
}

impl Sql {
    /// For [`sql!`](crate::sql!) alone.
    #[doc(hidden)]
    #[must_use]
    pub const fn written(postgres: &'static str, sqlite: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// For [`select_for_update!`](crate::select_for_update!), [`select_to_decide!`](crate::select_to_decide!) and [`insert!`](crate::insert!) alone.
    #[doc(hidden)]
    #[must_use]
    pub const fn either(sqlite: Self, postgres: Self) -> Self {
        Self { sqlite: sqlite.sqlite, postgres: postgres.postgres }
    }
}

/// Rewrites `$n` to `?n` outside quotes; refuses, while compiling, a bare `?`, a `$` without a number and an open quote.
#[doc(hidden)]
#[must_use]
pub const fn numbered<const N: usize>(text: &str) -> [u8; N] {
    let from = text.as_bytes();
    let mut to = [0; N];
    let mut quoted = false;
    let mut i = 0;
    while i < N {
        let byte = from[i];
        to[i] = byte;
        if byte == b'\'' {
            quoted = !quoted;
        } else if !quoted {
            assert!(byte != b'?', "parameters are written $1, $2, …");
            if byte == b'$' {
                assert!(i + 1 < N && from[i + 1].is_ascii_digit(), "a $ needs a number");
                to[i] = b'?';
            }
        }
        i += 1;
    }
    assert!(!quoted, "a quote is left open");
    to
}

/// One statement for both databases, from string literals (and macros that expand to them).
#[macro_export]
macro_rules! sql {
    ($($part:expr),+ $(,)?) => {{
        const TEXT: &str = concat!($($part),+);
        const SQLITE: [u8; TEXT.len()] = $crate::storage::sql::numbered(TEXT);
        const { $crate::storage::sql::Sql::written(TEXT, match ::core::str::from_utf8(&SQLITE) {
            Ok(text) => text,
            Err(_) => panic!("statements are UTF-8"),
        }) }
    }};
}

/// A `SELECT` that keeps every row it finds from being changed by others until the transaction ends. It waits for those
/// who hold them and then answers what they left. `SQLite` needs no lock: it writes one transaction at a time.
#[macro_export]
macro_rules! select_for_update {
    ($($part:expr),+ $(,)?) => {
        const { $crate::storage::sql::Sql::either($crate::sql!($($part),+), $crate::sql!($($part),+ , " FOR UPDATE")) }
    };
}

/// [`select_for_update!`](crate::select_for_update!) for rows that others refer to: those may go on adding rows that refer
/// to them. A transaction that holds a title and writes who ended a loan of it must not wait for whoever holds the person
/// and wants the title.
#[macro_export]
macro_rules! select_to_decide {
    ($($part:expr),+ $(,)?) => {
        const {
            $crate::storage::sql::Sql::either(
                $crate::sql!($($part),+),
                $crate::sql!($($part),+ , " FOR NO KEY UPDATE"),
            )
        }
    };
}

/// An `INSERT` of one row for [`Tx::insert`], into a table whose key is `id`. What a statement returns, `SQLite` puts into
/// a table made for it, which takes as long as the insert itself; the id it tells without.
#[macro_export]
macro_rules! insert {
    ($($part:expr),+ $(,)?) => {
        const { $crate::storage::sql::Sql::either($crate::sql!($($part),+), $crate::sql!($($part),+ , " RETURNING id")) }
    };
}

/// What a statement may bind.
pub trait Param: rusqlite::ToSql + tokio_postgres::types::ToSql + Sync {}

macro_rules! params { ($($type:ty),+) => { $(impl Param for $type {})+ } }
params!(i64, bool, String, &str, Option<i64>, Option<String>, Option<&str>);

/// What a row may hold.
pub trait Column: Sized {
    #[doc(hidden)]
    fn read(row: &Row<'_>, index: usize) -> Result<Self>;
}

macro_rules! columns {
    ($($type:ty),+) => { $(impl Column for $type {
        fn read(row: &Row<'_>, index: usize) -> Result<Self> {
            Ok(match row {
                Row::Sqlite(row) => row.get(index)?,
                Row::Postgres(row) => row.try_get(index)?,
            })
        }
    })+ }
}
columns!(i64, bool, String, Option<i64>, Option<bool>, Option<String>);

/// Types that are stored as one number: ids, and money in the smallest unit.
macro_rules! numbers {
    ($($type:ty),+) => { $(
        impl rusqlite::ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl tokio_postgres::types::ToSql for $type {
            fn to_sql(
                &self,
                kind: &tokio_postgres::types::Type,
                out: &mut BytesMut,
            ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
                self.0.to_sql(kind, out)
            }

            fn accepts(kind: &tokio_postgres::types::Type) -> bool {
                <i64 as tokio_postgres::types::ToSql>::accepts(kind)
            }

            tokio_postgres::types::to_sql_checked!();
        }

        impl Param for $type {}
        impl Param for Option<$type> {}

        impl Column for $type {
            fn read(row: &Row<'_>, index: usize) -> Result<Self> {
                row.get::<i64>(index).map(Self)
            }
        }

        impl Column for Option<$type> {
            fn read(row: &Row<'_>, index: usize) -> Result<Self> {
                Ok(row.get::<Option<i64>>(index)?.map(<$type>::from))
            }
        }
    )+ }
}
numbers!(
    UserId,
    BookId,
    CopyId,
    LoanId,
    LineId,
    ReviewId,
    ChangeId,
    HoldId,
    DeskId,
    PhoneId,
    PhoneScanId,
    PasskeyId,
    SessionId,
    Money
);

/// One row of an answer, borrowed from either driver.
pub enum Row<'r> {
    /// From `SQLite`.
    Sqlite(&'r rusqlite::Row<'r>),
    /// From `PostgreSQL`.
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// The column at `index`, counted from 0.
    pub fn get<T: Column>(&self, index: usize) -> Result<T> {
        T::read(self, index)
    }

    /// A calendar day, stored as ISO text, or none.
    pub fn optional_day(&self, index: usize) -> Result<Option<jiff::civil::Date>> {
        self.get::<Option<String>>(index)?.map(|_| self.day(index)).transpose()
    }

    /// A calendar day, stored as ISO text.
    pub fn day(&self, index: usize) -> Result<jiff::civil::Date> {
        self.get::<String>(index)?.parse().map_err(|error| Error::Database(Box::new(error)))
    }
}

pub(super) enum Arm<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut Connection),
}

/// Since when a read's last statement runs.
#[derive(Clone, Default)]
pub(super) struct Watch(Arc<Mutex<Option<Instant>>>);

impl Watch {
    /// A statement begins, or the read is over.
    pub(super) fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    /// Whether a statement has run for longer.
    pub(super) fn is_over(&self, limit: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.elapsed() > limit)
    }
}

/// A transaction (or, for reads, a connection) in the hands of a closure given to [`super::Db`].
///
/// After a statement failed every further one answers [`Error::Aborted`] and nothing is stored, as `PostgreSQL` has it,
/// so that a swallowed error cannot commit half a change on one database only.
pub struct Tx<'c> {
    pub(super) arm: Arm<'c>,
    pub(super) failed: bool,
    /// Told when a statement begins, where one that takes too long is to be ended.
    pub(super) watched: Option<&'c Watch>,
    /// What is wrong with the database itself, where a statement failed for that reason.
    pub(super) trouble: Option<Error>,
    /// Books of which title or author changed; recorded when the closure is done (see [`super::catalogue::record`]).
    pub(super) touched: Vec<i64>,
    /// The desk for whose phones something was stored; those who listen are called after the commit.
    pub(super) called: Option<DeskId>,
    /// The change that was recorded last, and what whoever takes it back must be allowed to do.
    pub(super) last_change: Option<(ChangeId, Option<Capability>)>,
}

impl<'c> Tx<'c> {
    pub(super) fn new(arm: Arm<'c>) -> Self {
        Self {
            arm,
            failed: false,
            watched: None,
            trouble: None,
            touched: Vec::new(),
            called: None,
            last_change: None,
        }
    }

    /// Whether this is `PostgreSQL`: for the few statements that only one database has.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.arm, Arm::Postgres(_))
    }

    /// Runs a statement that answers no rows; the number of rows it touched.
    pub fn execute(&mut self, sql: Sql, params: &[&dyn Param]) -> Result<u64> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(sql.sqlite)?;
                bind(&mut statement, params)?;
                Ok(statement.raw_execute()? as u64)
            }
            Arm::Postgres(connection) => connection.execute(sql.postgres, &shared(params)),
        })
    }

    /// [`Self::execute`] for a statement that must touch exactly one row: [`Error::NoRow`] or [`Error::ManyRows`], and
    /// nothing is stored, where it touched none or several.
    pub fn execute_one(&mut self, sql: Sql, params: &[&dyn Param]) -> Result<()> {
        self.execute_all(sql, 1, params)
    }

    /// [`Self::execute_one`] for a statement that must touch exactly so many rows.
    pub fn execute_all(&mut self, sql: Sql, rows: usize, params: &[&dyn Param]) -> Result<()> {
        let wrong = match self.execute(sql, params)?.cmp(&(rows as u64)) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => Error::NoRow,
            Ordering::Greater => Error::ManyRows,
        };
        self.failed = true;
        Err(wrong)
    }

    /// Runs an [`insert!`](crate::insert!); the new row's id.
    pub fn insert(&mut self, sql: Sql, params: &[&dyn Param]) -> Result<i64> {
        let Arm::Sqlite(connection) = self.arm else {
            return self.query_one(sql, params, |row| row.get(0));
        };
        self.execute_one(sql, params)?;
        Ok(connection.last_insert_rowid())
    }

    /// Every row of the answer.
    pub fn query<T>(
        &mut self,
        sql: Sql,
        params: &[&dyn Param],
        mut map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.find(sql, params, |row| {
            all.push(map(row)?);
            Ok(None::<()>)
        })?;
        Ok(all)
    }

    /// What `find` finds first in the rows of the answer. `SQLite` looks for no further row then.
    pub fn find<T>(
        &mut self,
        sql: Sql,
        params: &[&dyn Param],
        mut find: impl FnMut(&Row<'_>) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(sql.sqlite)?;
                bind(&mut statement, params)?;
                let mut rows = statement.raw_query();
                while let Some(row) = rows.next()? {
                    if let Some(found) = find(&Row::Sqlite(row))? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            }
            Arm::Postgres(connection) => connection
                .query(sql.postgres, &shared(params))?
                .iter()
                .find_map(|row| find(&Row::Postgres(row)).transpose())
                .transpose(),
        })
    }

    /// The only row of the answer, if there is one; [`Error::ManyRows`] if there are several.
    pub fn query_opt<T>(
        &mut self,
        sql: Sql,
        params: &[&dyn Param],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut rows = self.query(sql, params, map)?;
        if rows.len() > 1 {
            self.failed = true;
            return Err(Error::ManyRows);
        }
        Ok(rows.pop())
    }

    /// The only row of an answer that always has one, such as a count.
    pub fn query_one<T>(
        &mut self,
        sql: Sql,
        params: &[&dyn Param],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.query_opt(sql, params, map)?.ok_or(Error::NoRow)
    }

    /// Notes that a book appeared in the catalogue, left it, or has another title or author: the search index of every
    /// server reads it again after the commit.
    pub(super) fn touch_book(&mut self, id: BookId) {
        self.touched.push(id.0);
    }

    /// Several statements without parameters, as a migration file holds them.
    pub(super) fn batch(&mut self, text: &str) -> Result<()> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            Arm::Postgres(connection) => connection.batch(text),
        })
    }

    /// How many rows a table has; its name is one that the database told.
    pub(super) fn count(&mut self, table: &str) -> Result<i64> {
        let text = format!("SELECT COUNT(*) FROM \"{}\"", table.replace('"', "\"\""));
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => Ok(connection.query_row(&text, [], |row| row.get(0))?),
            Arm::Postgres(connection) => connection.number(&text),
        })
    }

    fn guarded<T>(&mut self, run: impl FnOnce(&mut Arm<'c>) -> Result<T>) -> Result<T> {
        if self.failed {
            return Err(Error::Aborted);
        }
        if let Some(watch) = self.watched {
            watch.set(Some(Instant::now()));
        }
        let answer = run(&mut self.arm);
        self.failed = answer.is_err();
        if let Err(error) = &answer {
            self.trouble = error.trouble();
        }
        answer
    }
}

fn bind(statement: &mut rusqlite::Statement<'_>, params: &[&dyn Param]) -> Result<()> {
    if statement.parameter_count() != params.len() {
        return Err(Error::Database(
            format!("{} parameters for a statement with {}", params.len(), statement.parameter_count())
                .into(),
        ));
    }
    for (index, param) in params.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, *param as &dyn rusqlite::ToSql)?;
    }
    Ok(())
}

fn shared<'p>(params: &[&'p dyn Param]) -> Vec<&'p (dyn tokio_postgres::types::ToSql + Sync)> {
    params.iter().map(|param| *param as &(dyn tokio_postgres::types::ToSql + Sync)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn parameters_are_bound_by_number_not_by_first_appearance() {
        let statement = sql!("UPDATE books SET no_of_books = $2, title = '$9' WHERE id = $1");
        assert_eq!(statement.sqlite, "UPDATE books SET no_of_books = ?2, title = '$9' WHERE id = ?1");
        assert_eq!(statement.postgres, "UPDATE books SET no_of_books = $2, title = '$9' WHERE id = $1");
    }
}
