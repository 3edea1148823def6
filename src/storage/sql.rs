//! One text per statement, one mapping per row, two databases.
//!
//! A statement is written once with [`sql!`](crate::sql!), numbered parameters `$1, $2 …`, and runs on both databases. `SQLite` would
//! bind `$2` by its first appearance, not by its number, so the macro rewrites `$n` to `?n` while compiling.
//! Types to bind and to read are a closed list ([`Param`], [`Column`]): `PostgreSQL` requires exact types, and a type
//! that only `SQLite` accepts must fail the build, not a librarian's request.

use std::{
    cmp::Ordering,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::BytesMut;
use tokio_postgres::types::IsNull;

use super::{Error, Result, postgres::Connection};
use crate::{
    domain::{
        account::Capability,
        id::{
            BookId, ChangeId, CopyId, DeskId, HoldId, ImportId, LineId, LoanId, MailId, NoticeId, PasskeyId,
            PhoneId, PhoneScanId, ReviewId, SessionId, UserId,
        },
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
    /// Used by [`sql!`](crate::sql!) alone.
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

/// Makes one statement for both databases from string literals (and macros that expand to them).
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

/// Makes a `SELECT` that locks every row it finds until the transaction ends. It waits for transactions that hold a lock,
/// and then returns the rows as those transactions left them. `SQLite` needs no lock: it writes one transaction at a time.
#[macro_export]
macro_rules! select_for_update {
    ($($part:expr),+ $(,)?) => {
        const { $crate::storage::sql::Sql::either($crate::sql!($($part),+), $crate::sql!($($part),+ , " FOR UPDATE")) }
    };
}

/// Locks rows like [`select_for_update!`](crate::select_for_update!), but lets other transactions add rows that refer
/// to them. Otherwise a transaction that holds a title and records the person who ended a loan could deadlock with one
/// that holds the person and waits for the title.
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

/// Locks rows like [`select_to_decide!`](crate::select_to_decide!), but skips rows that another transaction has locked.
#[macro_export]
macro_rules! select_unlocked {
    ($($part:expr),+ $(,)?) => {
        const {
            $crate::storage::sql::Sql::either(
                $crate::sql!($($part),+),
                $crate::sql!($($part),+ , " FOR NO KEY UPDATE SKIP LOCKED"),
            )
        }
    };
}

/// Makes an `INSERT` of one row for [`Tx::insert`], into a table whose key is `id`. Only `PostgreSQL` gets `RETURNING`:
/// `SQLite` would build a temporary table, which takes as long as the insert itself, and reports the new id anyway.
#[macro_export]
macro_rules! insert {
    ($($part:expr),+ $(,)?) => {
        const { $crate::storage::sql::Sql::either($crate::sql!($($part),+), $crate::sql!($($part),+ , " RETURNING id")) }
    };
}

/// Types that a statement may bind.
pub trait Param: rusqlite::ToSql + tokio_postgres::types::ToSql + Sync {}

macro_rules! params { ($($type:ty),+) => { $(impl Param for $type {})+ } }
params!(i64, bool, String, &str, Option<i64>, Option<String>, Option<&str>);

/// Types that a row may hold.
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

/// Implements the traits for types stored as one number: ids, and money in the smallest unit.
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
    NoticeId,
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
    ImportId,
    MailId,
    Money
);

/// Row of a result, borrowed from either driver.
pub enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// Returns the column at `index`, counted from 0.
    pub fn get<T: Column>(&self, index: usize) -> Result<T> {
        T::read(self, index)
    }

    /// Returns a calendar day, stored as ISO text, or none.
    pub fn optional_day(&self, index: usize) -> Result<Option<jiff::civil::Date>> {
        self.get::<Option<String>>(index)?.map(|_| self.day(index)).transpose()
    }

    /// Returns a calendar day, stored as ISO text.
    pub fn day(&self, index: usize) -> Result<jiff::civil::Date> {
        // Without a copy of the text: a list of people by what they owe reads the due dates of all overdue loans.
        let text = match self {
            Self::Sqlite(row) => {
                row.get_ref(index)?.as_str().map_err(|error| Error::Database(Box::new(error)))?
            }
            Self::Postgres(row) => row.try_get(index)?,
        };
        match plain_day(text) {
            Some(day) => Ok(day),
            None => text.parse().map_err(|error| Error::Database(Box::new(error))),
        }
    }
}

/// Parses `2026-11-30`, the form in which days are stored; `None` for any other text.
fn plain_day(text: &str) -> Option<jiff::civil::Date> {
    let (year, rest) = text.split_at_checked(4)?;
    let (month, rest) = rest.strip_prefix('-')?.split_at_checked(2)?;
    let day = rest.strip_prefix('-').filter(|day| day.len() == 2)?;
    let number = |digits: &str| {
        let add = |sum, digit: u8| digit.is_ascii_digit().then(|| sum * 10 + i16::from(digit - b'0'));
        digits.bytes().try_fold(0_i16, add)
    };
    let (month, day) = (number(month)?, number(day)?);
    jiff::civil::Date::new(number(year)?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

pub(super) enum Arm<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut Connection),
}

/// Start time of the statement that a read is running.
#[derive(Clone, Default)]
pub(super) struct Watch(Arc<Mutex<Option<Instant>>>);

impl Watch {
    /// Records that a statement begins, or that the read is over.
    pub(super) fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    /// True if a statement has run for longer than `limit`.
    pub(super) fn is_over(&self, limit: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.elapsed() > limit)
    }
}

/// Transaction (or, for reads, connection) that [`super::Db`] passes to a closure.
///
/// After a failed statement every further one returns [`Error::Aborted`] and nothing is stored, as on `PostgreSQL`, so
/// that a swallowed error cannot commit half a change on one database only.
pub struct Tx<'c> {
    pub(super) arm: Arm<'c>,
    pub(super) failed: bool,
    /// Watch that ends a statement that takes too long; set when a statement begins.
    pub(super) watched: Option<&'c Watch>,
    /// Outage behind a failed statement, if any.
    pub(super) trouble: Option<Error>,
    /// Books to index again; recorded when the closure is done (see [`super::catalogue::record`]).
    pub(super) touched: Vec<i64>,
    /// Desk with news from or for its phones; its listeners are notified after the commit.
    pub(super) called: Option<DeskId>,
    /// People whose notices changed or whose sessions ended; their pages are notified after the commit (see [`super::notices::announce`]).
    pub(super) noticed: Vec<UserId>,
    pub(super) last_change: Option<LastChange>,
}

/// Change that a transaction recorded last.
#[derive(Clone, Copy)]
pub(super) struct LastChange {
    pub(super) id: ChangeId,
    /// Capabilities; any one of them lets the change's maker undo it.
    pub(super) needed: [Option<Capability>; 2],
    /// True if the change concerns a loan of the student who made it, and students may undo such a change.
    pub(super) is_own_loan: bool,
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
            noticed: Vec::new(),
            last_change: None,
        }
    }

    /// True on `PostgreSQL`, for the few statements that only one database has.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.arm, Arm::Postgres(_))
    }

    /// Runs a statement that returns no rows; returns the number of rows it touched.
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

    /// Runs a statement that must touch exactly one row; otherwise fails with [`Error::NoRow`] or [`Error::ManyRows`],
    /// and nothing is stored.
    pub fn execute_one(&mut self, sql: Sql, params: &[&dyn Param]) -> Result<()> {
        self.execute_all(sql, 1, params)
    }

    /// Runs a statement that must touch exactly `rows` rows, like [`Self::execute_one`].
    pub fn execute_all(&mut self, sql: Sql, rows: usize, params: &[&dyn Param]) -> Result<()> {
        let wrong = match self.execute(sql, params)?.cmp(&(rows as u64)) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => Error::NoRow,
            Ordering::Greater => Error::ManyRows,
        };
        self.failed = true;
        Err(wrong)
    }

    /// Runs an [`insert!`](crate::insert!) and returns the new row's id.
    pub fn insert(&mut self, sql: Sql, params: &[&dyn Param]) -> Result<i64> {
        let Arm::Sqlite(connection) = self.arm else {
            return self.query_one(sql, params, |row| row.get(0));
        };
        self.execute_one(sql, params)?;
        Ok(connection.last_insert_rowid())
    }

    /// Returns every row of the result.
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

    /// Returns the first row for which `find` returns a value. `SQLite` then reads no further row.
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

    /// Returns the only row of the result, if there is one; [`Error::ManyRows`] if there are several.
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

    /// Returns the only row of a result that always has one, such as a count.
    pub fn query_one<T>(
        &mut self,
        sql: Sql,
        params: &[&dyn Param],
        map: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.query_opt(sql, params, map)?.ok_or(Error::NoRow)
    }

    /// Marks a book that was added or deleted, or has another title, author or availability: the search index of every
    /// server reads it again after the commit.
    pub(super) fn touch_book(&mut self, id: BookId) {
        self.touched.push(id.0);
    }

    /// Runs several statements without parameters, such as a migration file.
    pub(super) fn batch(&mut self, text: &str) -> Result<()> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => Ok(connection.execute_batch(text)?),
            Arm::Postgres(connection) => connection.batch(text),
        })
    }

    /// Counts the rows of a table; its name must come from the database.
    pub(super) fn count(&mut self, table: &str) -> Result<i64> {
        self.number(&format!("SELECT COUNT(*) FROM \"{}\"", table.replace('"', "\"\"")))
    }

    /// Passes the text of each row of a statement built at run time to `each`; names in it must come from the database.
    /// Reads in batches, so it must run in a transaction.
    pub(super) fn each_text(&mut self, text: &str, mut each: impl FnMut(&str) -> Result<()>) -> Result<()> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => {
                let mut statement = connection.prepare(text)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    each(&row.get::<_, String>(0)?)?;
                }
                Ok(())
            }
            Arm::Postgres(connection) => {
                connection.batch(&format!("DECLARE texts CURSOR FOR {text}"))?;
                loop {
                    let portion = connection.texts("FETCH 2000 FROM texts")?;
                    if portion.is_empty() {
                        return connection.batch("CLOSE texts");
                    }
                    for row in &portion {
                        each(row)?;
                    }
                }
            }
        })
    }

    /// Runs a statement, built at run time, with one text parameter; names in it must come from the database.
    pub(super) fn execute_with(&mut self, text: &str, value: &str) -> Result<()> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => Ok(connection.execute(text, [value]).map(|_| ())?),
            Arm::Postgres(connection) => connection.execute_with(text, value),
        })
    }

    /// Runs a statement, built at run time, that returns one number; names in it must come from the database.
    pub(super) fn number(&mut self, text: &str) -> Result<i64> {
        self.guarded(|arm| match arm {
            Arm::Sqlite(connection) => Ok(connection.query_row(text, [], |row| row.get(0))?),
            Arm::Postgres(connection) => connection.number(text),
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
    fn a_stored_day_is_read_as_by_the_general_parser_and_other_texts_are_left_to_it() {
        let first = jiff::civil::date(1999, 12, 31);
        for day in first.series(jiff::Span::new().days(1)).take(10_000) {
            assert_eq!(super::plain_day(&day.to_string()), Some(day));
        }
        for text in [
            "",
            "2026-02-30",
            "2026-13-01",
            "+2026-1-01",
            "2026-1-001",
            "20261130",
            "2026-11-3०",
            "2026-11-30 ",
        ] {
            assert_eq!(super::plain_day(text), None, "{text}");
        }
    }

    #[test]
    fn parameters_are_bound_by_number_not_by_first_appearance() {
        let statement = sql!("UPDATE books SET no_of_books = $2, title = '$9' WHERE id = $1");
        assert_eq!(statement.sqlite, "UPDATE books SET no_of_books = ?2, title = '$9' WHERE id = ?1");
        assert_eq!(statement.postgres, "UPDATE books SET no_of_books = $2, title = '$9' WHERE id = $1");
    }
}
