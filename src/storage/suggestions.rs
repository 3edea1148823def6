//! Suggestions counted from loans, and the readers who are not counted.

use jiff::civil::Date;
use serde_json::json;

use super::{Result, Tx};
use crate::{
    domain::{
        id::{BookId, UserId},
        suggestion::READERS,
    },
    sql,
};

/// Condition for loans from `$1` until the day before `$2` that are counted.
macro_rules! counted {
    () => {
        "loans.entry_date >= $1 AND loans.entry_date < $2 AND NOT loans.voided AND loans.user_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM uncounted_readers WHERE person_id = loans.user_id)"
    };
}

/// Returns the day of the last count.
pub fn counted_on(tx: &mut Tx<'_>) -> Result<Option<Date>> {
    tx.query_one(sql!("SELECT suggestions_on FROM catalogue WHERE id = 1"), &[], |row| row.optional_day(0))
}

/// Returns the titles lent from `first` to the day before `end`, once per reader: reader by reader, the latest first.
pub fn lent(tx: &mut Tx<'_>, first: Date, end: Date) -> Result<Vec<(UserId, BookId)>> {
    tx.query(
        sql!(
            "SELECT user_id, book_id FROM loans WHERE ",
            counted!(),
            " GROUP BY user_id, book_id ORDER BY user_id, MAX(id) DESC"
        ),
        &[&first.to_string(), &end.to_string()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns the titles that at least [`READERS`] readers of one department borrowed from `first` to the day before `end`:
/// department by department, the title of most readers first.
pub fn lent_in_departments(tx: &mut Tx<'_>, first: Date, end: Date) -> Result<Vec<(String, BookId)>> {
    let readers = i64::try_from(READERS).unwrap_or(i64::MAX);
    tx.query(
        sql!(
            "SELECT users.department, loans.book_id FROM loans JOIN users ON users.id = loans.user_id
             WHERE users.department <> '' AND ",
            counted!(),
            " GROUP BY users.department, loans.book_id HAVING COUNT(DISTINCT loans.user_id) >= $3
              ORDER BY users.department, COUNT(DISTINCT loans.user_id) DESC, loans.book_id"
        ),
        &[&first.to_string(), &end.to_string(), &readers],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn to_json(books: &[BookId]) -> String {
    json!(books).to_string()
}

/// Replaces the books also borrowed by readers of each title after `after` up to `last`.
pub fn replace_also_borrowed(
    tx: &mut Tx<'_>,
    after: BookId,
    last: BookId,
    found: &[(BookId, Vec<BookId>)],
) -> Result<()> {
    tx.execute(sql!("DELETE FROM also_borrowed WHERE book_id > $1 AND book_id <= $2"), &[&after, &last])?;
    for (book, others) in found {
        tx.execute_one(
            sql!("INSERT INTO also_borrowed (book_id, books) VALUES ($1, $2)"),
            &[book, &to_json(others)],
        )?;
    }
    Ok(())
}

/// Replaces the popular books of all departments.
pub fn replace_departments(tx: &mut Tx<'_>, found: &[(String, Vec<BookId>)]) -> Result<()> {
    tx.execute(sql!("DELETE FROM popular_in_department"), &[])?;
    for (department, books) in found {
        tx.execute_one(
            sql!("INSERT INTO popular_in_department (department, books) VALUES ($1, $2)"),
            &[department, &to_json(books)],
        )?;
    }
    Ok(())
}

/// Stores the day of the count; `None` if nothing is counted any more.
pub fn set_counted_on(tx: &mut Tx<'_>, day: Option<Date>) -> Result<()> {
    tx.execute_one(
        sql!("UPDATE catalogue SET suggestions_on = $1 WHERE id = 1"),
        &[&day.map(|day| day.to_string())],
    )
}

/// Parses stored ids; an unreadable value becomes an empty list.
fn ids(json: Option<String>) -> Vec<BookId> {
    json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// Returns the books that readers of this book also borrowed, some of which may be deleted.
pub fn also_borrowed(tx: &mut Tx<'_>, book: BookId) -> Result<Vec<BookId>> {
    let found =
        tx.query_opt(sql!("SELECT books FROM also_borrowed WHERE book_id = $1"), &[&book], |row| {
            row.get::<String>(0)
        })?;
    Ok(ids(found))
}

/// Returns the books popular in a department, some of which may be deleted.
pub fn in_department(tx: &mut Tx<'_>, department: &str) -> Result<Vec<BookId>> {
    let found = tx.query_opt(
        sql!("SELECT books FROM popular_in_department WHERE department = $1"),
        &[&department],
        |row| row.get::<String>(0),
    )?;
    Ok(ids(found))
}

/// True if a person's loans are counted.
pub fn is_counted(tx: &mut Tx<'_>, person: UserId) -> Result<bool> {
    let none = tx.query_opt(
        sql!("SELECT person_id FROM uncounted_readers WHERE person_id = $1"),
        &[&person],
        |row| row.get::<i64>(0),
    )?;
    Ok(none.is_none())
}

/// Sets whether later counts include a person's loans.
pub fn set_counted(tx: &mut Tx<'_>, person: UserId, counted: bool) -> Result<()> {
    let statement = if counted {
        sql!("DELETE FROM uncounted_readers WHERE person_id = $1")
    } else {
        sql!("INSERT INTO uncounted_readers (person_id) VALUES ($1) ON CONFLICT (person_id) DO NOTHING")
    };
    tx.execute(statement, &[&person])?;
    Ok(())
}
