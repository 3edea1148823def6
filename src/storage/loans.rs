//! Loans. An ended loan is kept with its fine, and appears in no list (R-LOAN-9).

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{
    Result, Row, Tx,
    page::{Page, Position},
};
use crate::{
    domain::{
        id::{BookId, CopyId, LoanId, UserId},
        loan::OpenLoan,
    },
    insert,
    money::Money,
    select_to_decide, sql,
};

macro_rules! columns {
    () => {
        "loans.id, loans.user_id, loans.book_id, loans.title, loans.copy_id, loans.entry_date, loans.return_date,
         loans.loan_days, loans.renewals, loans.due_reasons,
         CASE WHEN EXISTS (SELECT 1 FROM books WHERE books.id = loans.book_id) THEN FALSE ELSE TRUE END"
    };
}

/// Maps a row of [`columns!`] to an open loan, given its copy's barcode and its borrower's category.
fn loan(row: &Row<'_>, barcode: String, category: String) -> Result<OpenLoan> {
    Ok(OpenLoan {
        id: row.get(0)?,
        user_id: row.get(1)?,
        book_id: row.get(2)?,
        title: row.get(3)?,
        copy_id: row.get(4)?,
        entry_date: row.day(5)?,
        return_date: row.day(6)?,
        loan_days: row.get(7)?,
        renewals: row.get(8)?,
        due_reasons: row.get(9)?,
        barcode,
        category,
        title_deleted: row.get(10)?,
    })
}

/// Inserts a loan and returns its id. The database refuses a second open loan of the copy.
pub fn begin(tx: &mut Tx<'_>, new: &OpenLoan, at: i64) -> Result<LoanId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days, due_reasons,
                                begun_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        ),
        &[
            &new.user_id,
            &new.book_id,
            &new.title,
            &new.copy_id,
            &new.entry_date.to_string(),
            &new.return_date.to_string(),
            &new.loan_days,
            &new.due_reasons,
            &at,
        ],
    )?;
    Ok(id.into())
}

/// Returns the borrower of an open loan.
pub fn borrower(tx: &mut Tx<'_>, id: LoanId) -> Result<Option<UserId>> {
    tx.query_opt(sql!("SELECT user_id FROM loans WHERE id = $1 AND ended_at IS NULL"), &[&id], |row| {
        row.get(0)
    })
}

/// Locks these loans, open or ended, in the order that all transactions use.
pub fn lock_all(tx: &mut Tx<'_>, mut loans: Vec<LoanId>) -> Result<()> {
    loans.sort_unstable();
    for id in loans {
        tx.query_opt(select_to_decide!("SELECT id FROM loans WHERE id = $1"), &[&id], |row| {
            row.get::<LoanId>(0)
        })?;
    }
    Ok(())
}

/// Locks all loans of a person, open and ended, in the same order. The caller has locked the person, who gets no new loan.
pub fn lock_of_user(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    let mut loans = Vec::new();
    for statement in [
        sql!("SELECT id FROM loans WHERE user_id = $1 AND ended_at IS NULL"),
        sql!("SELECT id FROM loans WHERE user_id = $1 AND ended_at IS NOT NULL"),
    ] {
        loans.extend(tx.query(statement, &[&user], |row| row.get::<LoanId>(0))?);
    }
    lock_all(tx, loans)
}

/// Returns an open loan, locked until the transaction ends.
pub fn lock_open(tx: &mut Tx<'_>, id: LoanId) -> Result<Option<OpenLoan>> {
    let locked = tx.query_opt(
        select_to_decide!("SELECT ", columns!(), " FROM loans WHERE id = $1 AND ended_at IS NULL"),
        &[&id],
        |row| loan(row, String::new(), String::new()),
    )?;
    let Some(mut loan) = locked else { return Ok(None) };
    (loan.barcode, loan.category) = tx.query_one(
        sql!(
            "SELECT copies.barcode, users.category FROM copies CROSS JOIN users WHERE copies.id = $1 AND users.id = $2"
        ),
        &[&loan.copy_id, &loan.user_id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(Some(loan))
}

/// Returns the open loan of a copy: its id, its borrower, and the time of lending in epoch milliseconds.
pub fn holder_of_copy(tx: &mut Tx<'_>, copy: CopyId) -> Result<Option<(LoanId, UserId, Option<i64>)>> {
    tx.query_opt(
        sql!("SELECT id, user_id, begun_at FROM loans WHERE copy_id = $1 AND ended_at IS NULL"),
        &[&copy],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )
}

/// End of a loan.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Epoch milliseconds.
    pub at: i64,
    /// Day on which the return counts, in the library's time zone.
    pub on: Date,
    pub by: UserId,
    /// True if the copy went back to the shelf (R-LOAN-3).
    pub restocked: bool,
    pub fine: Money,
}

/// Ends a loan locked by [`lock_open`].
pub fn end(tx: &mut Tx<'_>, id: LoanId, end: End) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE loans SET ended_at = $2, ended_on = $3, ended_by = $4, restocked = $5, fine = $6
             WHERE id = $1 AND ended_at IS NULL"
        ),
        &[&id, &end.at, &end.on.to_string(), &end.by, &end.restocked, &end.fine],
    )
}

/// Voids a mistaken loan locked by [`lock_open`], as if it had never been (R-UNDO-2).
pub fn void(tx: &mut Tx<'_>, id: LoanId, at: i64, on: Date, by: UserId) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE loans SET ended_at = $2, ended_on = $3, ended_by = $4, restocked = $5, fine = 0, voided = $5
             WHERE id = $1 AND ended_at IS NULL"
        ),
        &[&id, &at, &on.to_string(), &by, &true],
    )
}

/// Returns a loan that ended by a return, locked until the transaction ends.
pub fn lock_ended(tx: &mut Tx<'_>, id: LoanId) -> Result<Option<OpenLoan>> {
    tx.query_opt(
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM loans WHERE id = $1 AND ended_at IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL AND NOT voided"
        ),
        &[&id],
        |row| loan(row, String::new(), String::new()),
    )
}

/// Reopens a loan locked by [`lock_ended`].
pub fn reopen(tx: &mut Tx<'_>, id: LoanId) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE loans SET ended_at = NULL, ended_on = NULL, ended_by = NULL, restocked = NULL, fine = NULL
             WHERE id = $1 AND ended_at IS NOT NULL"
        ),
        &[&id],
    )
}

/// Stores the return date, renewals and due reasons of a loan locked by [`lock_open`].
pub fn store_due(tx: &mut Tx<'_>, loan: &OpenLoan) -> Result<()> {
    tx.execute_one(
        sql!("UPDATE loans SET return_date = $2, renewals = $3, due_reasons = $4 WHERE id = $1"),
        &[&loan.id, &loan.return_date.to_string(), &loan.renewals, &loan.due_reasons],
    )
}

/// Returns up to `limit` open loans after `after`, of borrowers of one category and due on one day, locked until the
/// transaction ends. Leaves the barcodes empty.
pub fn lock_alike(
    tx: &mut Tx<'_>,
    category: &str,
    due: Date,
    after: LoanId,
    limit: i64,
) -> Result<Vec<OpenLoan>> {
    tx.query(
        select_to_decide!(
            "SELECT ",
            columns!(),
            " FROM loans WHERE ended_at IS NULL AND return_date = $1 AND id > $3
                AND (SELECT category FROM users WHERE users.id = loans.user_id) = $2
              ORDER BY id LIMIT $4"
        ),
        &[&due.to_string(), &category, &after, &limit],
        |row| loan(row, String::new(), category.to_owned()),
    )
}

/// Stores the return dates, with their reasons, of loans locked by [`lock_alike`].
pub fn store_due_dates(tx: &mut Tx<'_>, loans: &[OpenLoan]) -> Result<()> {
    let rows = loans.iter().map(|loan| json!([loan.id, loan.return_date, loan.due_reasons])).collect();
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE loans SET return_date = moved.loan ->> 1, due_reasons = moved.loan ->> 2
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS moved (loan)
             WHERE loans.id = CAST(moved.loan ->> 0 AS BIGINT)"
        )
    } else {
        sql!(
            "UPDATE loans SET return_date = moved.value ->> 1, due_reasons = moved.value ->> 2
             FROM json_each($1) AS moved WHERE loans.id = moved.value ->> 0"
        )
    };
    tx.execute_all(statement, loans.len(), &[&Value::Array(rows).to_string()])
}

/// Moves a locked loan to another copy of the same title (R-DESK-6).
pub fn set_copy(tx: &mut Tx<'_>, id: LoanId, copy: CopyId) -> Result<()> {
    tx.execute_one(sql!("UPDATE loans SET copy_id = $2 WHERE id = $1"), &[&id, &copy])
}

/// Returns the open loan of a title with its borrower, if there is exactly one.
pub fn only_open_of_book(tx: &mut Tx<'_>, book: BookId) -> Result<Option<(LoanId, UserId)>> {
    let open = tx.query(
        sql!(
            "SELECT loans.id, loans.user_id FROM copies
             JOIN loans ON loans.copy_id = copies.id AND loans.ended_at IS NULL WHERE copies.book_id = $1 LIMIT 2"
        ),
        &[&book],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(<[_; 1]>::try_from(open).ok().map(|[one]| one))
}

/// Returns all open loans of a reader, earliest return date first; the total fine is the sum over them.
pub fn open_of_user(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<OpenLoan>> {
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            ", copies.barcode, users.category
             FROM loans JOIN copies ON copies.id = loans.copy_id JOIN users ON users.id = loans.user_id
             WHERE loans.user_id = $1 AND loans.ended_at IS NULL ORDER BY loans.return_date, loans.id"
        ),
        &[&user],
        |row| loan(row, row.get(11)?, row.get(12)?),
    )
}

/// Ended loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub id: LoanId,
    pub book_id: BookId,
    pub title: String,
    /// `None` for loans from before copies were recorded.
    pub copy_id: Option<CopyId>,
    pub barcode: Option<String>,
    pub entry_date: Date,
    pub return_date: Date,
    pub renewals: i64,
    /// Epoch milliseconds.
    pub ended_at: i64,
    pub ended_on: Date,
    pub fine: Money,
}

/// Returns up to `limit` ended loans of a reader, last ended first, before the one with this instant and id.
pub fn ended_of_user(
    tx: &mut Tx<'_>,
    user: UserId,
    before: Option<(i64, i64)>,
    limit: i64,
) -> Result<Vec<Ended>> {
    let (at, id) = before.unwrap_or((i64::MAX, i64::MAX));
    tx.query(
        sql!(
            "SELECT loans.id, loans.book_id, loans.title, loans.copy_id, copies.barcode, loans.entry_date,
                    loans.return_date, loans.renewals, loans.ended_at, loans.ended_on, loans.fine
             FROM loans LEFT JOIN copies ON copies.id = loans.copy_id
             WHERE loans.user_id = $1 AND loans.ended_at IS NOT NULL AND NOT loans.voided AND (loans.ended_at, loans.id) < ($2, $3)
             ORDER BY loans.ended_at DESC, loans.id DESC LIMIT $4"
        ),
        &[&user, &at, &id, &limit],
        |row| {
            Ok(Ended {
                id: row.get(0)?,
                book_id: row.get(1)?,
                title: row.get(2)?,
                copy_id: row.get(3)?,
                barcode: row.get(4)?,
                entry_date: row.day(5)?,
                return_date: row.day(6)?,
                renewals: row.get(7)?,
                ended_at: row.get(8)?,
                ended_on: row.day(9)?,
                fine: row.get(10)?,
            })
        },
    )
}

/// Open loan with its borrower.
#[derive(Clone, Debug, PartialEq)]
pub struct Borrowed {
    pub loan: OpenLoan,
    pub user_name: String,
    pub roll_number: String,
    pub batch: String,
}

fn borrowed(row: &Row<'_>) -> Result<Borrowed> {
    Ok(Borrowed {
        loan: loan(row, row.get(11)?, row.get(12)?)?,
        user_name: row.get(13)?,
        roll_number: row.get::<Option<String>>(14)?.unwrap_or_default(),
        batch: row.get::<Option<String>>(15)?.unwrap_or_default(),
    })
}

/// Maximum number of found loans to sort in memory; if a search finds more, a page in list order is soon full.
const FEW: usize = 10_000;

/// Returns a page of the open loans whose borrower's name, roll number or batch contains `query` (R-FINE-2), most
/// overdue first, and the number of all of them.
pub fn open_page(
    tx: &mut Tx<'_>,
    query: &str,
    position: Option<Position<Date>>,
    limit: i64,
) -> Result<(Page<Borrowed, Date>, i64)> {
    let pattern = super::contains(query);
    let backwards = matches!(position, Some(Position::Before(..)));
    // An empty text sorts before every day.
    let from = match position {
        None => (String::new(), LoanId(0)),
        Some(Position::After(day, id) | Position::Before(day, id)) => (day.to_string(), LoanId(id)),
    };
    let found = if pattern == "%%" { None } else { few(tx, &pattern)? };
    let (mut rows, total) = match found {
        Some(mut found) => {
            let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
            found.sort_unstable();
            if backwards {
                found.reverse();
            }
            let is_behind = |loan: &(String, LoanId)| if backwards { *loan < from } else { *loan > from };
            let page = found.into_iter().filter(is_behind).map(|(_, id)| id);
            let page: Vec<LoanId> = page.take(usize::try_from(limit).unwrap_or_default() + 1).collect();
            (these(tx, &page, backwards)?, total)
        }
        None => (ordered(tx, &pattern, &from, backwards, limit + 1)?, count(tx, &pattern)?),
    };
    if backwards {
        rows.reverse();
    }
    Ok((Page::cut(rows, limit, position, |row| (row.loan.return_date, row.loan.id.0)), total))
}

/// Returns the open loans of borrowers that fit a pattern, with their return dates, if these are few: the most overdue
/// may be anywhere among all loans, but the index of their borrowers has the sort key.
fn few(tx: &mut Tx<'_>, pattern: &str) -> Result<Option<Vec<(String, LoanId)>>> {
    let limit = i64::try_from(FEW + 1).unwrap_or(i64::MAX);
    let found = tx.query(
        sql!(
            "SELECT loans.return_date, loans.id FROM users CROSS JOIN loans
             WHERE loans.user_id = users.id AND loans.ended_at IS NULL AND users.search_key LIKE $1 ESCAPE '\\' LIMIT $2"
        ),
        &[&pattern, &limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok((found.len() <= FEW).then_some(found))
}

/// Counts the open loans of borrowers that fit a pattern.
fn count(tx: &mut Tx<'_>, pattern: &str) -> Result<i64> {
    let number = |row: &Row<'_>| row.get(0);
    if pattern == "%%" {
        return tx.query_one(sql!("SELECT COUNT(*) FROM loans WHERE ended_at IS NULL"), &[], number);
    }
    // Reading all people in their order is faster than reading each borrower in the order of the loans.
    tx.query_one(
        sql!(
            "SELECT CAST(COALESCE(SUM((SELECT COUNT(*) FROM loans WHERE loans.user_id = users.id AND loans.ended_at IS NULL)),
                                  0) AS BIGINT)
             FROM users WHERE users.search_key LIKE $1 ESCAPE '\\'"
        ),
        &[&pattern],
        number,
    )
}

macro_rules! borrowed {
    ($from:expr, $which:literal, $order:literal, $limit:literal) => {
        sql!(
            "SELECT ",
            columns!(),
            ", copies.barcode, users.category, users.name, users.roll_number, users.batch FROM ",
            $from,
            " WHERE ",
            $which,
            " ORDER BY loans.return_date ",
            $order,
            ", loans.id ",
            $order,
            $limit
        )
    };
}

/// Returns loans by their ids, in list order or backwards.
fn these(tx: &mut Tx<'_>, ids: &[LoanId], backwards: bool) -> Result<Vec<Borrowed>> {
    macro_rules! these {
        ($order:literal) => {
            if tx.is_postgres() {
                borrowed!(
                    "json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
                     JOIN loans ON loans.id = CAST(wanted.id AS BIGINT)
                     JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
                    "TRUE",
                    $order,
                    ""
                )
            } else {
                borrowed!(
                    "json_each($1) AS wanted CROSS JOIN loans ON loans.id = wanted.value
                     CROSS JOIN users ON users.id = loans.user_id CROSS JOIN copies ON copies.id = loans.copy_id",
                    "TRUE",
                    $order,
                    ""
                )
            }
        };
    }
    let statement = if backwards { these!("DESC") } else { these!("ASC") };
    tx.query(statement, &[&json!(ids).to_string()], borrowed)
}

/// Returns open loans of borrowers that fit a pattern, after `from` in list order or backwards.
fn ordered(
    tx: &mut Tx<'_>,
    pattern: &str,
    (day, id): &(String, LoanId),
    backwards: bool,
    limit: i64,
) -> Result<Vec<Borrowed>> {
    let statement = if backwards {
        borrowed!(
            "loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL AND users.search_key LIKE $1 ESCAPE '\\' AND (loans.return_date, loans.id) < ($2, $3)",
            "DESC",
            " LIMIT $4"
        )
    } else {
        borrowed!(
            "loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL AND users.search_key LIKE $1 ESCAPE '\\' AND (loans.return_date, loans.id) > ($2, $3)",
            "ASC",
            " LIMIT $4"
        )
    };
    tx.query(statement, &[&pattern, day, id, &limit], borrowed)
}

/// Counts the open loans due before `today`.
pub fn overdue_count(tx: &mut Tx<'_>, today: Date) -> Result<i64> {
    tx.query_one(
        sql!("SELECT COUNT(*) FROM loans WHERE ended_at IS NULL AND return_date < $1"),
        &[&today.to_string()],
        |row| row.get(0),
    )
}

/// Counts the open loans of each borrower, in the order of the ids.
pub fn counts(tx: &mut Tx<'_>) -> Result<Vec<(UserId, i64)>> {
    tx.query(
        sql!("SELECT user_id, COUNT(*) FROM loans WHERE ended_at IS NULL GROUP BY user_id ORDER BY user_id"),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Counts the open loans due before `today` of each borrower, in the order of the ids.
pub fn overdue_counts(tx: &mut Tx<'_>, today: Date) -> Result<Vec<(UserId, i64)>> {
    tx.query(
        sql!(
            "SELECT user_id, COUNT(*) FROM loans WHERE ended_at IS NULL AND return_date < $1
             GROUP BY user_id ORDER BY user_id"
        ),
        &[&today.to_string()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns borrower and return date of all open loans due before `today`.
pub fn overdue(tx: &mut Tx<'_>, today: Date) -> Result<Vec<(UserId, Date)>> {
    tx.query(
        sql!(
            "SELECT user_id, return_date FROM loans WHERE ended_at IS NULL AND return_date < $1
             ORDER BY user_id, return_date"
        ),
        &[&today.to_string()],
        |row| Ok((row.get(0)?, row.day(1)?)),
    )
}
