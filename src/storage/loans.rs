//! Loans. An ended loan is kept with its fine, and appears in no list of open loans (R-LOAN-9).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{
    Result, Row, Tx, contains,
    page::{Page, Position},
    people,
};
use crate::{
    domain::{
        id::{BookId, CopyId, LoanId, UserId},
        loan::OpenLoan,
        rules::STUDENT,
    },
    fold::fold,
    insert,
    money::Money,
    select_to_decide, sql,
};

/// Columns of an open loan. `PostgreSQL` would answer an `EXISTS` here by collecting all titles.
macro_rules! columns {
    () => {
        "loans.id, loans.user_id, loans.book_id, loans.title, loans.copy_id, loans.entry_date, loans.return_date,
         loans.loan_days, loans.renewals, loans.due_reasons,
         COALESCE((SELECT FALSE FROM books WHERE books.id = loans.book_id), TRUE),
         (SELECT COALESCE(priced.price, (SELECT books.price FROM books WHERE books.id = loans.book_id))
          FROM copies AS priced WHERE priced.id = loans.copy_id)"
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
        price: row.get(11)?,
    })
}

/// Returns the text in which a search of the open loans looks for title and barcode.
pub(super) fn search_key(title: &str, barcode: &str) -> String {
    [fold(title).as_str(), &fold(barcode)].join("\u{1f}")
}

/// Stores the search key of an open loan whose copy or barcode has changed.
pub(super) fn refresh_search_key(tx: &mut Tx<'_>, id: LoanId) -> Result<()> {
    let key = tx.query_one(
        sql!(
            "SELECT loans.title, copies.barcode FROM loans JOIN copies ON copies.id = loans.copy_id WHERE loans.id = $1"
        ),
        &[&id],
        |row| Ok(search_key(&row.get::<String>(0)?, &row.get::<String>(1)?)),
    )?;
    tx.execute_one(sql!("UPDATE loans SET search_key = $2 WHERE id = $1"), &[&id, &key])
}

/// Inserts a loan and returns its id. The database refuses a second open loan of the copy.
pub fn begin(tx: &mut Tx<'_>, new: &OpenLoan, at: i64) -> Result<LoanId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days, due_reasons,
                                begun_at, search_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
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
            &search_key(&new.title, &new.barcode),
        ],
    )?;
    Ok(id.into())
}

/// Inserts a loan that began in another system, with its renewals, and returns its id.
pub fn take_over(tx: &mut Tx<'_>, loan: &OpenLoan) -> Result<LoanId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days, renewals, due_reasons,
                                search_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &[
            &loan.user_id,
            &loan.book_id,
            &loan.title,
            &loan.copy_id,
            &loan.entry_date.to_string(),
            &loan.return_date.to_string(),
            &loan.loan_days,
            &loan.renewals,
            &loan.due_reasons,
            &search_key(&loan.title, &loan.barcode),
        ],
    )?;
    Ok(id.into())
}

/// True if this copy was lent on this day to this person, or to a reader whose name was removed, and has been returned.
pub fn is_over(tx: &mut Tx<'_>, copy: CopyId, user: UserId, begun: Date) -> Result<bool> {
    let found = tx.query_opt(
        sql!(
            "SELECT id FROM loans WHERE copy_id = $1 AND ended_at IS NOT NULL AND NOT voided AND entry_date = $3
               AND (user_id = $2 OR user_id IS NULL) LIMIT 1"
        ),
        &[&copy, &user, &begun.to_string()],
        |row| row.get::<LoanId>(0),
    )?;
    Ok(found.is_some())
}

/// Returns the borrower of an open loan.
pub fn borrower(tx: &mut Tx<'_>, id: LoanId) -> Result<Option<UserId>> {
    tx.query_opt(sql!("SELECT user_id FROM loans WHERE id = $1 AND ended_at IS NULL"), &[&id], |row| {
        row.get(0)
    })
}

/// Locks these loans, open or ended, in the order that all transactions use, and returns their readers.
pub fn lock_all(tx: &mut Tx<'_>, mut loans: Vec<LoanId>) -> Result<BTreeSet<UserId>> {
    loans.sort_unstable();
    let mut readers = BTreeSet::new();
    for id in loans {
        let reader =
            tx.query_opt(select_to_decide!("SELECT user_id FROM loans WHERE id = $1"), &[&id], |row| {
                row.get::<Option<UserId>>(0)
            })?;
        readers.extend(reader.flatten());
    }
    Ok(readers)
}

/// Locks all loans of a person, open and ended, in the same order. The caller has locked the person, so that no loan is
/// added.
pub fn lock_of_user(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    let mut loans = Vec::new();
    for statement in [
        sql!("SELECT id FROM loans WHERE user_id = $1 AND ended_at IS NULL"),
        sql!("SELECT id FROM loans WHERE user_id = $1 AND ended_at IS NOT NULL"),
    ] {
        loans.extend(tx.query(statement, &[&user], |row| row.get::<LoanId>(0))?);
    }
    lock_all(tx, loans).map(drop)
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
    )?;
    refresh_search_key(tx, id)
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

/// Records that a reminder slip names these open loans; returns those that are open, with their borrowers.
pub fn record_slips(tx: &mut Tx<'_>, loans: &[LoanId], at: i64) -> Result<Vec<(LoanId, UserId)>> {
    let ids = json!(loans).to_string();
    let (locked, update) = if tx.is_postgres() {
        (
            sql!(
                "SELECT id, user_id FROM loans WHERE ended_at IS NULL
                   AND id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)))
                 ORDER BY id FOR NO KEY UPDATE"
            ),
            sql!(
                "UPDATE loans SET slip_at = $2 WHERE ended_at IS NULL
                   AND id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)))"
            ),
        )
    } else {
        (
            sql!(
                "SELECT id, user_id FROM loans WHERE ended_at IS NULL AND id IN (SELECT value FROM json_each($1)) ORDER BY id"
            ),
            sql!(
                "UPDATE loans SET slip_at = $2 WHERE ended_at IS NULL AND id IN (SELECT value FROM json_each($1))"
            ),
        )
    };
    let open = tx.query(locked, &[&ids], |row| Ok((row.get(0)?, row.get(1)?)))?;
    tx.execute_all(update, open.len(), &[&ids, &at])?;
    Ok(open)
}

/// Moves a locked loan to another copy of the same title (R-DESK-6).
pub fn set_copy(tx: &mut Tx<'_>, id: LoanId, copy: CopyId) -> Result<()> {
    tx.execute_one(sql!("UPDATE loans SET copy_id = $2 WHERE id = $1"), &[&id, &copy])?;
    refresh_search_key(tx, id)
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
        |row| loan(row, row.get(12)?, row.get(13)?),
    )
}

/// Ended loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub id: LoanId,
    pub book_id: BookId,
    pub title: String,
    /// `None` for loans from versions without copies.
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
    /// Time of the last reminder of the loan by slip or mail, epoch milliseconds.
    pub reminded_at: Option<i64>,
}

fn borrowed(row: &Row<'_>) -> Result<Borrowed> {
    Ok(Borrowed {
        loan: loan(row, row.get(12)?, row.get(13)?)?,
        user_name: row.get(14)?,
        roll_number: row.get::<Option<String>>(15)?.unwrap_or_default(),
        batch: row.get::<Option<String>>(16)?.unwrap_or_default(),
        reminded_at: row.get::<Option<i64>>(17)?.max(row.get(18)?),
    })
}

/// Order of the list of open loans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Most overdue first.
    #[default]
    ReturnDate,
    /// Borrower's name.
    Name,
    /// Borrower's batch, then name.
    Batch,
}

/// Selection and order of open loans.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Part of the borrower's name, roll number or batch, of the title or of the barcode (R-FINE-2).
    pub query: String,
    /// First and last return date.
    pub due: (Date, Date),
    pub order: Order,
    /// True to group the loans by the price of their copies too, because fines depend on it.
    pub with_prices: bool,
}

impl Listing {
    /// All open loans that match a search, most overdue first.
    #[must_use]
    pub fn of(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            due: (Date::MIN, Date::MAX),
            order: Order::default(),
            with_prices: false,
        }
    }

    /// Returns the range of days as stored text, which sorts in order of time from year 0 to 9999.
    fn days(&self) -> (String, String) {
        (self.due.0.max(jiff::civil::date(0, 1, 1)).to_string(), self.due.1.to_string())
    }

    fn sort_key(&self, due: &str, name: &str, batch: &str) -> String {
        match self.order {
            Order::ReturnDate => due.to_owned(),
            Order::Name => [name, due].join("\u{1f}"),
            Order::Batch => [batch, name, due].join("\u{1f}"),
        }
    }
}

/// Open loans that the rules treat alike: of borrowers of one category, due on the same day, of copies of one price.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    pub category: String,
    pub due: Date,
    /// Price of the copies; read only if fines depend on the price.
    pub price: Option<Money>,
    pub loans: i64,
}

/// Number of open loans by return date.
pub type ByDue = Vec<(Date, i64)>;

/// Open loans of a [`Listing`].
pub struct Found {
    pub page: Page<Borrowed, String>,
    /// Number of loans on all pages.
    pub total: i64,
    /// All loans of the listing, in groups with the same fine.
    pub alike: Vec<Alike>,
    /// Number of matches of the search by return date, also of those outside the listing's days.
    pub by_due: ByDue,
}

/// Returns a page of the open loans of a listing.
pub fn open_page(
    tx: &mut Tx<'_>,
    list: &Listing,
    position: Option<Position<String>>,
    limit: i64,
) -> Result<Found> {
    let backwards = matches!(position, Some(Position::Before(..)));
    // An empty text sorts before every key.
    let from = match &position {
        None => (String::new(), LoanId(0)),
        Some(Position::After(key, id) | Position::Before(key, id)) => (key.clone(), LoanId(*id)),
    };
    if list.query.trim().is_empty() && list.order == Order::ReturnDate {
        let by_due = by_due(tx)?;
        let days = list.days();
        let mut rows = ordered(tx, &days, &from, backwards, limit + 1)?;
        if backwards {
            rows.reverse();
        }
        let alike = alike(tx, list, &by_due)?;
        let total = alike.iter().map(|group| group.loans).sum();
        let key = |row: &Borrowed| (row.loan.return_date.to_string(), row.loan.id.0);
        return Ok(Found { page: Page::cut(rows, limit, position, key), total, alike, by_due });
    }
    let (found, by_due) = matching(tx, list)?;
    let others: HashMap<UserId, String> = people::of_other_categories(tx)?.into_iter().collect();
    let category = |one: &Match| others.get(&one.user).map_or(STUDENT, String::as_str);
    let alike = in_groups(found.iter().map(|one| (one.due, category(one), one.price, 1)));
    let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let is_behind = |one: &Match| {
        let here = (&one.key, &one.id);
        if backwards { here < (&from.0, &from.1) } else { here > (&from.0, &from.1) }
    };
    let behind: Vec<Match> = found.into_iter().filter(is_behind).collect();
    let length = usize::try_from(limit).unwrap_or_default() + 1;
    let skipped = if backwards { behind.len().saturating_sub(length) } else { 0 };
    let page: Vec<Match> = behind.into_iter().skip(skipped).take(length).collect();
    let rows = in_order(tx, &page.iter().map(|one| one.id).collect::<Vec<_>>())?;
    let keys: HashMap<LoanId, String> = page.into_iter().map(|one| (one.id, one.key)).collect();
    let key = |row: &Borrowed| (keys.get(&row.loan.id).cloned().unwrap_or_default(), row.loan.id.0);
    Ok(Found { page: Page::cut(rows, limit, position, key), total, alike, by_due })
}

/// Returns the ids of the open loans of a listing, in the order of the listing.
pub fn open_ids(tx: &mut Tx<'_>, list: &Listing, limit: usize) -> Result<Vec<LoanId>> {
    let (found, _) = matching(tx, list)?;
    Ok(found.into_iter().take(limit).map(|one| one.id).collect())
}

/// Returns open loans by their ids, in this order; loans that have ended are left out.
pub fn in_order(tx: &mut Tx<'_>, ids: &[LoanId]) -> Result<Vec<Borrowed>> {
    let mut rows = these(tx, ids)?;
    let places: HashMap<LoanId, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    rows.sort_by_key(|row| places.get(&row.loan.id).copied());
    Ok(rows)
}

/// Open loan that matches a search.
struct Match {
    key: String,
    id: LoanId,
    due: Date,
    user: UserId,
    price: Option<Money>,
}

/// Returns the open loans of a listing, in the order of the listing, and the number of matches of its search by return date,
/// whatever the days of the listing.
fn matching(tx: &mut Tx<'_>, list: &Listing) -> Result<(Vec<Match>, ByDue)> {
    let (mut found, by_due) =
        if list.query.trim().is_empty() { (all(tx, list)?, by_due(tx)?) } else { searched(tx, list)? };
    found.sort_unstable_by(|a, b| (&a.key, a.id).cmp(&(&b.key, b.id)));
    Ok((found, by_due))
}

/// Price of a loan's copy, for statements with `copies`.
macro_rules! price {
    () => {
        "COALESCE(copies.price, (SELECT books.price FROM books WHERE books.id = loans.book_id))"
    };
}

macro_rules! select_matches {
    ($with_prices:literal, $from:expr, $which:literal) => {
        sql!(
            "SELECT loans.id, loans.return_date, loans.user_id, users.name_key, COALESCE(users.batch, ''), CASE WHEN ",
            $with_prices,
            " THEN (SELECT ",
            price!(),
            " FROM copies WHERE copies.id = loans.copy_id) END FROM ",
            $from,
            " WHERE loans.ended_at IS NULL AND ",
            $which
        )
    };
}

/// Maps a row of [`select_matches!`].
fn a_match(list: &Listing, row: &Row<'_>) -> Result<Match> {
    let (due, name, batch): (String, String, String) = (row.get(1)?, row.get(3)?, row.get(4)?);
    let key = list.sort_key(&due, &name, &fold(&batch));
    Ok(Match { key, id: row.get(0)?, due: row.day(1)?, user: row.get(2)?, price: row.get(5)? })
}

/// Returns the open loans due on the days of a listing.
fn all(tx: &mut Tx<'_>, list: &Listing) -> Result<Vec<Match>> {
    let (first, last) = list.days();
    tx.query(
        select_matches!(
            "$3",
            "loans JOIN users ON users.id = loans.user_id",
            "loans.return_date >= $1 AND loans.return_date <= $2"
        ),
        &[&first, &last, &list.with_prices],
        |row| a_match(list, row),
    )
}

/// Returns the open loans due on the days of a listing that match its search, and the number of all matches by return date.
/// One pass over an index finds titles and barcodes; asking for each loan whether its reader matches would take twice as
/// long with 100 000 loans.
fn searched(tx: &mut Tx<'_>, list: &Listing) -> Result<(Vec<Match>, ByDue)> {
    let pattern = contains(&list.query);
    let by_words = if tx.is_postgres() {
        sql!(
            "SELECT id, return_date, user_id FROM loans
             WHERE ended_at IS NULL AND return_date >= '' AND search_key LIKE $1 ESCAPE '\\'"
        )
    } else {
        sql!(
            "SELECT id, return_date, user_id FROM loans INDEXED BY words_of_open_loans
             WHERE ended_at IS NULL AND return_date >= '' AND search_key LIKE $1 ESCAPE '\\'"
        )
    };
    let mut found: BTreeMap<LoanId, (Date, UserId)> = BTreeMap::new();
    found.extend(tx.query(by_words, &[&pattern], |row| Ok((row.get(0)?, (row.day(1)?, row.get(2)?))))?);
    let of_readers = tx.query(
        sql!(
            "SELECT loans.id, loans.return_date, loans.user_id FROM users CROSS JOIN loans
             WHERE users.id > 0 AND users.search_key LIKE $1 ESCAPE '\\'
               AND loans.user_id = users.id AND loans.ended_at IS NULL"
        ),
        &[&pattern],
        |row| Ok((row.get(0)?, (row.day(1)?, row.get(2)?))),
    )?;
    found.extend(of_readers);
    let mut by_due: BTreeMap<Date, i64> = BTreeMap::new();
    for (due, _) in found.values() {
        *by_due.entry(*due).or_default() += 1;
    }
    let by_due = by_due.into_iter().collect();
    found.retain(|_, (due, _)| (list.due.0..=list.due.1).contains(due));
    if list.order == Order::ReturnDate && !list.with_prices {
        let of = |(id, (due, user)): (LoanId, (Date, UserId))| Match {
            key: list.sort_key(&due.to_string(), "", ""),
            id,
            due,
            user,
            price: None,
        };
        return Ok((found.into_iter().map(of).collect(), by_due));
    }
    let ids = json!(found.keys().collect::<Vec<_>>()).to_string();
    let statement = if tx.is_postgres() {
        select_matches!(
            "$2",
            "json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN loans ON loans.id = CAST(wanted.id AS BIGINT) JOIN users ON users.id = loans.user_id",
            "TRUE"
        )
    } else {
        select_matches!(
            "$2",
            "json_each($1) AS wanted CROSS JOIN loans ON loans.id = wanted.value
             CROSS JOIN users ON users.id = loans.user_id",
            "TRUE"
        )
    };
    Ok((tx.query(statement, &[&ids, &list.with_prices], |row| a_match(list, row))?, by_due))
}

/// Adds up loans in groups by return date, category and price, in this order.
fn in_groups<'a>(loans: impl Iterator<Item = (Date, &'a str, Option<Money>, i64)>) -> Vec<Alike> {
    let mut groups: BTreeMap<(Date, &str, Option<Money>), i64> = BTreeMap::new();
    for (due, category, price, loans) in loans {
        *groups.entry((due, category, price)).or_default() += loans;
    }
    groups
        .into_iter()
        .filter(|(_, loans)| *loans > 0)
        .map(|((due, category, price), loans)| Alike { category: category.to_owned(), due, price, loans })
        .collect()
}

/// Groups all open loans, by price too if fines depend on it.
pub fn all_alike(tx: &mut Tx<'_>, with_prices: bool) -> Result<Vec<Alike>> {
    let by_due = by_due(tx)?;
    alike(tx, &Listing { with_prices, ..Listing::of("") }, &by_due)
}

/// Groups the open loans due on the days of a listing, by price too if fines depend on it; `by_due` has all open loans.
fn alike(tx: &mut Tx<'_>, list: &Listing, by_due: &[(Date, i64)]) -> Result<Vec<Alike>> {
    let (first, last) = list.days();
    if list.with_prices {
        let groups = tx.query(
            sql!(
                "SELECT loans.return_date, users.category, COALESCE(copies.price, books.price), COUNT(*)
                 FROM loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id
                      LEFT JOIN books ON books.id = loans.book_id
                 WHERE loans.ended_at IS NULL AND loans.return_date >= $1 AND loans.return_date <= $2
                 GROUP BY loans.return_date, users.category, COALESCE(copies.price, books.price)"
            ),
            &[&first, &last],
            |row| Ok((row.day(0)?, row.get::<String>(1)?, row.get(2)?, row.get(3)?)),
        )?;
        return Ok(in_groups(
            groups.iter().map(|(due, category, price, loans)| (*due, category.as_str(), *price, *loans)),
        ));
    }
    // Most readers are of the default category, so only the others are read: all loans are counted in an index.
    let others = tx.query(
        sql!(
            "SELECT loans.return_date, users.category, COUNT(*)
             FROM users CROSS JOIN loans
             WHERE users.id > 0 AND users.category <> 'Student' AND loans.user_id = users.id AND loans.ended_at IS NULL
               AND loans.return_date >= $1 AND loans.return_date <= $2
             GROUP BY loans.return_date, users.category"
        ),
        &[&first, &last],
        |row| Ok((row.day(0)?, row.get::<String>(1)?, row.get::<i64>(2)?)),
    )?;
    let listed = by_due.iter().filter(|(due, _)| (list.due.0..=list.due.1).contains(due));
    let all = listed.map(|(due, loans)| (*due, STUDENT, None, *loans));
    let others = others.iter().flat_map(|(due, category, loans)| {
        [(*due, STUDENT, None, -loans), (*due, category.as_str(), None, *loans)]
    });
    Ok(in_groups(all.chain(others)))
}

/// Counts all open loans by their return date.
fn by_due(tx: &mut Tx<'_>) -> Result<ByDue> {
    tx.query(
        sql!("SELECT return_date, COUNT(*) FROM loans WHERE ended_at IS NULL AND return_date >= '' GROUP BY return_date"),
        &[],
        |row| Ok((row.day(0)?, row.get(1)?)),
    )
}

macro_rules! borrowed {
    ($from:expr, $which:literal, $order:literal, $limit:literal) => {
        sql!(
            "SELECT ",
            columns!(),
            ", copies.barcode, users.category, users.name, users.roll_number, users.batch, loans.slip_at,
             (SELECT MAX(notices.mailed_at) FROM notices WHERE notices.loan_id = loans.id AND notices.step IS NOT NULL)
             FROM ",
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

/// Returns open loans by their ids.
fn these(tx: &mut Tx<'_>, ids: &[LoanId]) -> Result<Vec<Borrowed>> {
    let statement = if tx.is_postgres() {
        borrowed!(
            "json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN loans ON loans.id = CAST(wanted.id AS BIGINT)
             JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL",
            "ASC",
            ""
        )
    } else {
        borrowed!(
            "json_each($1) AS wanted CROSS JOIN loans ON loans.id = wanted.value
             CROSS JOIN users ON users.id = loans.user_id CROSS JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL",
            "ASC",
            ""
        )
    };
    tx.query(statement, &[&json!(ids).to_string()], borrowed)
}

/// Returns open loans due on these days in order of their return date, after this position; backwards, before it.
fn ordered(
    tx: &mut Tx<'_>,
    (first, last): &(String, String),
    (day, id): &(String, LoanId),
    backwards: bool,
    limit: i64,
) -> Result<Vec<Borrowed>> {
    let statement = if backwards {
        borrowed!(
            "loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL AND loans.return_date >= $1 AND loans.return_date <= $2
             AND (loans.return_date, loans.id) < ($3, $4)",
            "DESC",
            " LIMIT $5"
        )
    } else {
        borrowed!(
            "loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id",
            "loans.ended_at IS NULL AND loans.return_date >= $1 AND loans.return_date <= $2
             AND (loans.return_date, loans.id) > ($3, $4)",
            "ASC",
            " LIMIT $5"
        )
    };
    tx.query(statement, &[first, last, day, id, &limit], borrowed)
}

/// Counts the open loans due before `today`.
pub fn overdue_count(tx: &mut Tx<'_>, today: Date) -> Result<i64> {
    tx.query_one(
        sql!("SELECT COUNT(*) FROM loans WHERE ended_at IS NULL AND return_date < $1"),
        &[&today.to_string()],
        |row| row.get(0),
    )
}

/// Returns the number of open loans of each borrower, in the order of the borrowers' ids. Triggers on the loans change
/// these numbers, because counting 100 000 loans was half of a list's time.
pub fn counts(tx: &mut Tx<'_>) -> Result<Vec<(UserId, i64)>> {
    tx.query(
        sql!("SELECT person_id, open_loans FROM balances WHERE open_loans > 0 ORDER BY person_id"),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Open loan past its return date.
#[derive(Clone, Debug)]
pub struct Overdue {
    pub user: UserId,
    pub due: Date,
    /// Price of the copy; read only if fines depend on the price.
    pub price: Option<Money>,
}

/// Returns all open loans due before `today`, in no order: `SQLite` would read all open loans in the order of their
/// borrowers.
pub fn overdue(tx: &mut Tx<'_>, today: Date, with_prices: bool) -> Result<Vec<Overdue>> {
    let statement = if with_prices {
        sql!(
            "SELECT loans.user_id, loans.return_date, ",
            price!(),
            " FROM loans JOIN copies ON copies.id = loans.copy_id
             WHERE loans.ended_at IS NULL AND loans.return_date < $1"
        )
    } else {
        sql!(
            "SELECT user_id, return_date, CAST(NULL AS BIGINT) FROM loans WHERE ended_at IS NULL AND return_date < $1"
        )
    };
    tx.query(statement, &[&today.to_string()], |row| {
        Ok(Overdue { user: row.get(0)?, due: row.day(1)?, price: row.get(2)? })
    })
}

/// Returns titles and due dates of the open loans that are due first.
pub fn first_due(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<(String, Date)>> {
    tx.query(
        sql!("SELECT title, return_date FROM loans WHERE ended_at IS NULL ORDER BY return_date, id LIMIT $1"),
        &[&limit],
        |row| Ok((row.get(0)?, row.day(1)?)),
    )
}
