//! Loans. An ended loan is kept with its fine, and is in no list (R-LOAN-9).

use jiff::civil::Date;

use super::{
    Result, Row, Tx,
    page::{Page, Position},
};
use crate::{
    domain::{
        id::{BookId, LoanId, UserId},
        loan::{Loan, fine, overdue_days},
    },
    fold::fold,
    select_for_update, sql,
};

macro_rules! columns {
    () => {
        "loans.id, loans.user_id, loans.book_id, loans.title, loans.entry_date, loans.return_date"
    };
}

fn loan(row: &Row<'_>, today: Date) -> Result<Loan> {
    let return_date = row.day(5)?;
    Ok(Loan {
        id: row.get(0)?,
        user_id: row.get(1)?,
        book_id: row.get(2)?,
        title: row.get(3)?,
        entry_date: row.day(4)?,
        return_date,
        fine: fine(return_date, today),
        overdue_days: overdue_days(return_date, today),
    })
}

/// Writes a new loan down.
pub fn begin(
    tx: &mut Tx<'_>,
    user: UserId,
    book: BookId,
    title: &str,
    today: Date,
    return_date: Date,
) -> Result<Loan> {
    tx.query_one(
        sql!(
            "INSERT INTO loans (user_id, book_id, title, entry_date, return_date) VALUES ($1, $2, $3, $4, $5)
             RETURNING ",
            columns!()
        ),
        &[&user, &book, &title, &today.to_string(), &return_date.to_string()],
        |row| loan(row, today),
    )
}

/// An open loan, locked until the transaction ends.
pub fn hold_open(tx: &mut Tx<'_>, id: LoanId, today: Date) -> Result<Option<Loan>> {
    tx.query_opt(
        select_for_update!("SELECT ", columns!(), " FROM loans WHERE id = $1 AND ended_at IS NULL"),
        &[&id],
        |row| loan(row, today),
    )
}

/// How a loan ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// When, epoch milliseconds.
    pub at: i64,
    /// The day, in the library's time zone.
    pub on: Date,
    /// Who ended it.
    pub by: UserId,
    /// Whether the copy went back to the shelf (R-LOAN-3).
    pub restocked: bool,
}

/// Ends a loan held by [`hold_open`], writing its fine down.
pub fn end(tx: &mut Tx<'_>, held: &Loan, end: End) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE loans SET ended_at = $2, ended_on = $3, ended_by = $4, restocked = $5, fine = $6
             WHERE id = $1 AND ended_at IS NULL"
        ),
        &[&held.id, &end.at, &end.on.to_string(), &end.by, &end.restocked, &held.fine],
    )
}

/// Moves the return date of a loan held by [`hold_open`].
pub fn set_return_date(tx: &mut Tx<'_>, id: LoanId, return_date: Date, today: Date) -> Result<Loan> {
    tx.query_one(
        sql!("UPDATE loans SET return_date = $2 WHERE id = $1 RETURNING ", columns!()),
        &[&id, &return_date.to_string()],
        |row| loan(row, today),
    )
}

/// All of a reader's open loans, the one to be returned first at the top; the total fine is the sum over them.
pub fn open_of_user(tx: &mut Tx<'_>, user: UserId, today: Date) -> Result<Vec<Loan>> {
    tx.query(
        sql!(
            "SELECT ",
            columns!(),
            " FROM loans WHERE user_id = $1 AND ended_at IS NULL ORDER BY return_date, id"
        ),
        &[&user],
        |row| loan(row, today),
    )
}

/// An open loan with its borrower, as the librarian's list shows it (R-FINE-1).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BorrowedBook {
    /// The loan.
    #[serde(flatten)]
    pub loan: Loan,
    /// The borrower's name.
    pub user_name: String,
    /// The borrower's roll number.
    pub roll_number: String,
    /// The borrower's batch.
    pub batch: String,
}

fn borrowed(row: &Row<'_>, today: Date) -> Result<BorrowedBook> {
    Ok(BorrowedBook {
        loan: loan(row, today)?,
        user_name: row.get(6)?,
        roll_number: row.get::<Option<String>>(7)?.unwrap_or_default(),
        batch: row.get::<Option<String>>(8)?.unwrap_or_default(),
    })
}

/// A `LIKE` pattern that finds `query` anywhere, folded as the keys are, with the pattern's own characters taken literally.
fn contains(query: &str) -> String {
    let mut pattern = String::from("%");
    for c in fold(query.trim()).chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// A page of the open loans whose borrower's name, roll number or batch contains `query` (R-FINE-2), the most overdue
/// first.
pub fn open_page(
    tx: &mut Tx<'_>,
    query: &str,
    position: Option<Position<Date>>,
    limit: i64,
    today: Date,
) -> Result<Page<BorrowedBook, Date>> {
    macro_rules! select {
        ($compare:literal, $order:literal) => {
            sql!(
                "SELECT ",
                columns!(),
                ", users.name, users.roll_number, users.batch
                 FROM loans JOIN users ON users.id = loans.user_id
                 WHERE loans.ended_at IS NULL AND users.search_key LIKE $1 ESCAPE '\\'
                   AND (loans.return_date, loans.id) ",
                $compare,
                " ($2, $3) ORDER BY loans.return_date ",
                $order,
                ", loans.id ",
                $order,
                " LIMIT $4"
            )
        };
    }
    // Before every day there is.
    let start = (String::new(), 0);
    let (statement, (day, id)) = match position {
        None => (select!(">", "ASC"), start),
        Some(Position::After(day, id)) => (select!(">", "ASC"), (day.to_string(), id)),
        Some(Position::Before(day, id)) => (select!("<", "DESC"), (day.to_string(), id)),
    };
    let mut rows =
        tx.query(statement, &[&contains(query), &day, &id, &(limit + 1)], |row| borrowed(row, today))?;
    if matches!(position, Some(Position::Before(..))) {
        rows.reverse();
    }
    Ok(Page::cut(rows, limit, position, |row| (row.loan.return_date, row.loan.id.0)))
}

/// How many open loans [`open_page`] has in all.
pub fn open_count(tx: &mut Tx<'_>, query: &str) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM loans JOIN users ON users.id = loans.user_id
             WHERE loans.ended_at IS NULL AND users.search_key LIKE $1 ESCAPE '\\'"
        ),
        &[&contains(query)],
        |row| row.get(0),
    )
}

/// What the ledger law of a book adds up (see the design of the data): copies on open loans, and copies of loans that
/// ended without going back to the shelf.
pub fn copies_away(tx: &mut Tx<'_>, book: BookId) -> Result<(i64, i64)> {
    tx.query_one(
        sql!(
            "SELECT COALESCE(CAST(SUM(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END) AS BIGINT), 0),
                    COALESCE(CAST(SUM(CASE WHEN NOT restocked THEN 1 ELSE 0 END) AS BIGINT), 0)
             FROM loans WHERE book_id = $1"
        ),
        &[&book],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
