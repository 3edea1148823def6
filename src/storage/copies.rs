//! Copies of titles, and their accession numbers.

use std::collections::HashMap;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Error, Param, Result, Row, Tx, accounts, holds, loans};
use crate::{
    domain::{
        change::{AddedCopy, CopyRecord},
        copy::{Condition, Copy, CopyHold, CopyLoan, State, folded_barcode},
        id::{BookId, CopyId, HoldId, LoanId, UserId},
    },
    money::Money,
    select_for_update, sql,
};

fn condition(text: &str) -> Result<Condition> {
    Condition::parse(text)
        .ok_or_else(|| Error::Database(format!("{text:?} is no condition of a copy").into()))
}

/// Facts that circulation needs to decide about a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub id: CopyId,
    pub book_id: BookId,
    pub condition: Condition,
    /// Due date of the open loan; `None` if the copy is not on loan.
    pub due: Option<Date>,
    /// Hold for which the copy is kept on the hold shelf.
    pub kept: Option<HoldId>,
    pub record: CopyRecord,
}

/// Derives the state of a copy from its open loan, the hold that keeps it, and its condition, in this order.
fn state(condition: Condition, lent: bool, kept: bool) -> State {
    match (lent, kept) {
        (true, _) => State::OnLoan,
        (_, true) => State::OnHoldShelf,
        _ => condition.state(),
    }
}

impl Facts {
    #[must_use]
    pub fn state(&self) -> State {
        state(self.condition, self.due.is_some(), self.kept.is_some())
    }
}

/// Returns the title of a copy.
pub fn book_of(tx: &mut Tx<'_>, id: CopyId) -> Result<Option<BookId>> {
    tx.query_opt(sql!("SELECT book_id FROM copies WHERE id = $1"), &[&id], |row| row.get(0))
}

pub fn barcode(tx: &mut Tx<'_>, id: CopyId) -> Result<String> {
    tx.query_one(sql!("SELECT barcode FROM copies WHERE id = $1"), &[&id], |row| row.get(0))
}

/// Locks a copy until the transaction ends and returns its facts. The caller must have locked the title's row: a fixed
/// lock order prevents deadlocks between transactions that need both.
pub fn lock(tx: &mut Tx<'_>, id: CopyId) -> Result<Option<Facts>> {
    let row = tx.query_opt(
        select_for_update!(
            "SELECT book_id, condition, barcode, location, note, price, acquired_on FROM copies WHERE id = $1"
        ),
        &[&id],
        |row| {
            Ok((
                row.get::<BookId>(0)?,
                condition(&row.get::<String>(1)?)?,
                CopyRecord {
                    barcode: row.get(2)?,
                    location: row.get(3)?,
                    note: row.get(4)?,
                    price: row.get(5)?,
                    acquired_on: row.optional_day(6)?,
                },
            ))
        },
    )?;
    let Some((book_id, condition, record)) = row else { return Ok(None) };
    let due = tx.query_opt(
        sql!("SELECT return_date FROM loans WHERE copy_id = $1 AND ended_at IS NULL"),
        &[&id],
        |row| row.day(0),
    )?;
    let kept = holds::keeping(tx, id)?;
    Ok(Some(Facts { id, book_id, condition, due, kept, record }))
}

/// Number of copies of a title that [`to_lend`] reads in its first query.
const SAMPLE_ROWS: i64 = 16;

/// Returns the copy of a title on the shelf that has been unused for longest, with its barcode (R-COPY-5). The caller
/// must have locked the title's row.
///
/// A loan does not update the row of its copy, so copies on loan sort before the others until they are returned. If the
/// first sixteen are all on loan, moves all copies before the found one to the end of the order; this happens to a copy
/// at most once per loan.
pub fn to_lend(tx: &mut Tx<'_>, book: BookId, now: i64) -> Result<Option<(CopyId, String)>> {
    let first = tx.find(
        sql!(
            "SELECT c.id, c.barcode, l.id FROM copies AS c LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE c.book_id = $1 AND c.condition = 'on-shelf' ORDER BY c.used_at, c.id LIMIT $2"
        ),
        &[&book, &SAMPLE_ROWS],
        |row| Ok(if row.get::<Option<LoanId>>(2)?.is_none() { Some((row.get(0)?, row.get(1)?)) } else { None }),
    )?;
    if first.is_some() {
        return Ok(first);
    }
    let found = tx.query_opt(
        sql!(
            "SELECT id, barcode, used_at FROM copies AS free WHERE book_id = $1 AND condition = 'on-shelf'
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = free.id AND ended_at IS NULL)
             ORDER BY used_at, id LIMIT 1"
        ),
        &[&book],
        |row| Ok((row.get::<CopyId>(0)?, row.get(1)?, row.get::<i64>(2)?)),
    )?;
    let Some((id, barcode, used_at)) = found else { return Ok(None) };
    tx.execute(
        sql!(
            "UPDATE copies SET used_at = $4 WHERE book_id = $1 AND condition = 'on-shelf'
               AND (used_at < $2 OR used_at = $2 AND id < $3)"
        ),
        &[&book, &used_at, &id, &now],
    )?;
    Ok(Some((id, barcode)))
}

pub fn set_condition(tx: &mut Tx<'_>, id: CopyId, condition: Condition) -> Result<()> {
    tx.execute_one(sql!("UPDATE copies SET condition = $2 WHERE id = $1"), &[&id, &condition.as_str()])
}

/// Withdraws these copies of a title whose row the caller has locked.
pub fn withdraw(tx: &mut Tx<'_>, copies: &[CopyId]) -> Result<()> {
    macro_rules! withdraw {
        ($list:literal) => {
            sql!("UPDATE copies SET condition = 'withdrawn' WHERE id IN (", $list, ")")
        };
    }
    let statement = if tx.is_postgres() {
        withdraw!(
            "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS leaving (id)"
        )
    } else {
        withdraw!("SELECT value FROM json_each($1)")
    };
    tx.execute_all(statement, copies.len(), &[&json!(copies).to_string()])
}

/// Stores the condition of a returned copy and the time of its return.
pub fn record_return(tx: &mut Tx<'_>, id: CopyId, condition: Condition, now: i64) -> Result<()> {
    tx.execute_one(
        sql!("UPDATE copies SET condition = $2, used_at = $3 WHERE id = $1"),
        &[&id, &condition.as_str(), &now],
    )
}

/// Returns when a copy that is not on loan was last returned, in epoch milliseconds; 0 if never.
pub fn last_returned_at(tx: &mut Tx<'_>, id: CopyId) -> Result<i64> {
    tx.query_one(sql!("SELECT used_at FROM copies WHERE id = $1"), &[&id], |row| row.get(0))
}

macro_rules! select {
    ($($rest:tt)+) => {
        sql!(
            "SELECT c.id, c.book_id, COALESCE(b.title, ''), c.barcode, c.condition, c.location, COALESCE(b.location, ''),
                    c.note, c.price, c.acquired_on, l.id, l.user_id, u.name, l.return_date, h.id, h.user_id, k.name,
                    h.ready_until, b.price
             FROM copies AS c LEFT JOIN books AS b ON b.id = c.book_id
                  LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL LEFT JOIN users AS u ON u.id = l.user_id
                  LEFT JOIN holds AS h ON h.copy_id = c.id AND h.state = 'ready' LEFT JOIN users AS k ON k.id = h.user_id ",
            $($rest)+
        )
    };
}

fn copy(row: &Row<'_>) -> Result<Copy> {
    let loan = match row.get::<Option<LoanId>>(10)? {
        Some(id) => {
            Some(CopyLoan { id, user_id: row.get(11)?, user_name: row.get(12)?, return_date: row.day(13)? })
        }
        None => None,
    };
    let hold = match row.get::<Option<HoldId>>(14)? {
        Some(id) => {
            Some(CopyHold { id, user_id: row.get(15)?, user_name: row.get(16)?, ready_until: row.day(17)? })
        }
        None => None,
    };
    let state = state(condition(&row.get::<String>(4)?)?, loan.is_some(), hold.is_some());
    let (own, own_price): (Option<String>, Option<Money>) = (row.get(5)?, row.get(8)?);
    Ok(Copy {
        id: row.get(0)?,
        book_id: row.get(1)?,
        title: row.get(2)?,
        barcode: row.get(3)?,
        state,
        own_location: own.is_some(),
        location: own.map_or_else(|| row.get(6), Ok)?,
        note: row.get(7)?,
        own_price: own_price.is_some(),
        price: own_price.map_or_else(|| row.get(18), |price| Ok(Some(price)))?,
        acquired_on: row.optional_day(9)?,
        moves: state.moves().to_vec(),
        loan,
        hold,
    })
}

/// Returns a copy with its title, loan and hold.
pub fn by_id(tx: &mut Tx<'_>, id: CopyId) -> Result<Option<Copy>> {
    tx.query_opt(select!("WHERE c.id = $1"), &[&id], copy)
}

/// Returns the copy with a barcode, ignoring case.
pub fn by_barcode(tx: &mut Tx<'_>, barcode: &str) -> Result<Option<Copy>> {
    tx.query_opt(select!("WHERE c.barcode_key = $1"), &[&folded_barcode(barcode)], copy)
}

/// Returns the titles of the copies with these (folded) barcodes, each title once, in the order of their ids.
pub fn titles_of(tx: &mut Tx<'_>, barcodes: &[&str]) -> Result<Vec<BookId>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT DISTINCT c.book_id FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (it)
             JOIN copies AS c ON c.barcode_key = wanted.it ORDER BY c.book_id"
        )
    } else {
        sql!(
            "SELECT DISTINCT c.book_id FROM json_each($1) AS wanted CROSS JOIN copies AS c
             ON c.barcode_key = wanted.value ORDER BY c.book_id"
        )
    };
    tx.query(statement, &[&json!(barcodes).to_string()], |row| row.get(0))
}

/// Counts for each reader the copies that were returned without the desk and that the desk has not checked in yet.
pub fn unseen_by_reader(tx: &mut Tx<'_>) -> Result<Vec<(UserId, i64)>> {
    tx.query(
        sql!(
            "SELECT reader, COUNT(*) FROM (
               SELECT (SELECT user_id FROM loans WHERE copy_id = c.id AND ended_at IS NOT NULL AND NOT voided
                       ORDER BY id DESC LIMIT 1) AS reader
               FROM copies AS c WHERE condition <> 'on-shelf' AND condition = 'unseen'
                 AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = c.id AND state = 'ready')
                 AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)) AS unseen
             WHERE reader IS NOT NULL GROUP BY reader"
        ),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns the copy on loan of a deleted title with this barcode; of several, the one lent last.
pub fn on_loan_of_deleted_title(tx: &mut Tx<'_>, barcode: &str) -> Result<Option<Copy>> {
    tx.query_opt(
        select!(
            "WHERE c.barcode_key IS NULL AND lower(c.barcode) = $1 AND l.id IS NOT NULL ORDER BY l.id DESC LIMIT 1"
        ),
        &[&folded_barcode(barcode)],
        copy,
    )
}

/// Owner of a code: barcodes and roll numbers share one number space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A copy of this title has the code as its barcode.
    Copy(BookId),
    /// A reader has the code as their roll number.
    Reader,
}

/// Returns the owner of a code; `None` if the code is free.
pub fn holder(tx: &mut Tx<'_>, barcode: &str) -> Result<Option<Holder>> {
    tx.query_opt(
        sql!(
            "SELECT book_id FROM copies WHERE barcode_key = $1
             UNION ALL SELECT NULL FROM users WHERE roll_number = $1 LIMIT 1"
        ),
        &[&folded_barcode(barcode)],
        |row| Ok(row.get::<Option<BookId>>(0)?.map_or(Holder::Reader, Holder::Copy)),
    )
}

/// Returns up to `limit` copies of a title with ids after `after`, in the order in which they were added.
pub fn of_book(tx: &mut Tx<'_>, book: BookId, after: CopyId, limit: i64) -> Result<Vec<Copy>> {
    tx.query(
        select!("WHERE c.book_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3"),
        &[&book, &after, &limit],
        copy,
    )
}

/// Returns up to `limit` copies in a state with ids after `after`.
pub fn in_state(tx: &mut Tx<'_>, state: State, after: CopyId, limit: i64) -> Result<Vec<Copy>> {
    let params: [&dyn Param; 2] = [&after, &limit];
    match state {
        State::OnLoan => tx.query(
            select!("WHERE l.id IS NOT NULL AND c.id > $1 ORDER BY c.id LIMIT $2"),
            &params,
            copy,
        ),
        State::OnShelf => tx.query(
            select!("WHERE c.condition = 'on-shelf' AND l.id IS NULL AND c.id > $1 ORDER BY c.id LIMIT $2"),
            &params,
            copy,
        ),
        State::OnHoldShelf => tx.query(
            select!("WHERE h.id IS NOT NULL AND l.id IS NULL AND c.id > $1 ORDER BY c.id LIMIT $2"),
            &params,
            copy,
        ),
        other => tx.query(
            select!(
                "WHERE c.condition <> 'on-shelf' AND c.condition = $3 AND l.id IS NULL AND h.id IS NULL AND c.id > $1
                 ORDER BY c.id LIMIT $2"
            ),
            &[&after, &limit, &other.as_str()],
            copy,
        ),
    }
}

/// Returns up to `limit` copies with ids after `after`.
pub fn all(tx: &mut Tx<'_>, after: CopyId, limit: i64) -> Result<Vec<Copy>> {
    tx.query(select!("WHERE c.id > $1 ORDER BY c.id LIMIT $2"), &[&after, &limit], copy)
}

/// Counts, by condition, the copies that are neither on the shelf, nor on loan, nor kept for a hold.
pub fn elsewhere(tx: &mut Tx<'_>) -> Result<Vec<(State, i64)>> {
    tx.query(
        sql!(
            "SELECT condition, COUNT(*) FROM copies AS c WHERE condition <> 'on-shelf'
               AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = c.id AND state = 'ready')
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)
             GROUP BY condition ORDER BY condition"
        ),
        &[],
        |row| Ok((condition(&row.get::<String>(0)?)?.state(), row.get(1)?)),
    )
}

/// Returns the time of the last recorded change or return of each copy in epoch milliseconds, in the order of `ids`; 0
/// if there is none.
pub fn last_moves(tx: &mut Tx<'_>, ids: &[CopyId]) -> Result<Vec<i64>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT copies.id, copies.used_at, COALESCE((SELECT MAX(at) FROM events WHERE copy_id = copies.id), 0)
             FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN copies ON copies.id = CAST(wanted.id AS BIGINT)"
        )
    } else {
        sql!(
            "SELECT copies.id, copies.used_at, COALESCE((SELECT MAX(at) FROM events WHERE copy_id = copies.id), 0)
             FROM json_each($1) AS wanted CROSS JOIN copies ON copies.id = wanted.value"
        )
    };
    let found = tx.query(statement, &[&json!(ids).to_string()], |row| {
        Ok((row.get::<CopyId>(0)?, row.get::<i64>(1)?.max(row.get(2)?)))
    })?;
    let found: HashMap<CopyId, i64> = found.into_iter().collect();
    Ok(ids.iter().map(|id| found.get(id).copied().unwrap_or_default()).collect())
}

/// Returns the reader of each copy's last ended loan; copies never lent, and loans without their reader's name, are left out.
pub fn last_readers(tx: &mut Tx<'_>, ids: &[CopyId]) -> Result<HashMap<CopyId, (UserId, String)>> {
    macro_rules! last_readers {
        ($wanted:literal, $id:literal) => {
            sql!(
                "SELECT loans.copy_id, users.id, users.name FROM ",
                $wanted,
                " JOIN loans ON loans.id = (SELECT MAX(id) FROM loans AS ended
                                            WHERE ended.copy_id = ",
                $id,
                " AND ended.ended_at IS NOT NULL AND NOT ended.voided)
                  JOIN users ON users.id = loans.user_id AND users.gone_at IS NULL"
            )
        };
    }
    let statement = if tx.is_postgres() {
        last_readers!(
            "json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)",
            "CAST(wanted.id AS BIGINT)"
        )
    } else {
        last_readers!("json_each($1) AS wanted CROSS", "wanted.value")
    };
    let found =
        tx.query(statement, &[&json!(ids).to_string()], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(found.into_iter().collect())
}

/// Counts the copies that wait to be shelved.
pub fn count_to_shelve(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM copies AS c WHERE condition <> 'on-shelf' AND condition = 'to-shelve'
               AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = c.id AND state = 'ready')"
        ),
        &[],
        |row| row.get(0),
    )
}

/// Returns up to `limit` copies that wait to be shelved, by title.
pub fn to_shelve(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<(BookId, CopyId)>> {
    let mut copies: Vec<(BookId, CopyId)> = tx.query(
        sql!(
            "SELECT book_id, id FROM copies AS c WHERE condition <> 'on-shelf' AND condition = 'to-shelve'
               AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = c.id AND state = 'ready') ORDER BY id LIMIT $1"
        ),
        &[&limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    copies.sort_unstable();
    Ok(copies)
}

/// Adds a copy with this barcode; `None` if another copy has the barcode or a reader has it as roll number.
pub fn add(
    tx: &mut Tx<'_>,
    book: BookId,
    barcode: &str,
    acquired_on: Option<Date>,
) -> Result<Option<CopyId>> {
    let key = folded_barcode(barcode);
    accounts::lock_code(tx, &key)?;
    tx.query_opt(
        sql!(
            "INSERT INTO copies (book_id, barcode, barcode_key, condition, acquired_on)
             SELECT $1, $2, $3, 'on-shelf', $4 WHERE NOT EXISTS (SELECT 1 FROM users WHERE roll_number = $3)
             ON CONFLICT (barcode_key) DO NOTHING RETURNING id"
        ),
        &[&book, &barcode, &key, &acquired_on.map(|day| day.to_string())],
        |row| row.get(0),
    )
}

/// Reserves `count` consecutive accession numbers and returns the first.
fn reserve(tx: &mut Tx<'_>, count: usize) -> Result<i64> {
    tx.query_one(
        sql!("UPDATE accession SET next = next + $1 WHERE id = 1 RETURNING next - $1"),
        &[&i64::try_from(count).unwrap_or(i64::MAX)],
        |row| row.get(0),
    )
}

/// Maximum number of copies added by one statement of [`add_numbered`].
const PORTION: usize = 1000;

/// Adds copies with the next accession numbers, one for each occurrence of a title in `titles` (R-COPY-3). Skips
/// numbers that are already the barcode of a copy or the roll number of a reader.
pub fn add_numbered(
    tx: &mut Tx<'_>,
    mut titles: Vec<BookId>,
    prefix: &str,
    acquired_on: Option<Date>,
) -> Result<Vec<(BookId, AddedCopy)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO copies (book_id, barcode, barcode_key, condition, acquired_on)
             SELECT CAST(copy.it ->> 0 AS BIGINT), copy.it ->> 1, copy.it ->> 2, 'on-shelf', CAST($2 AS TEXT)
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) WITH ORDINALITY AS copy (it, number)
             WHERE NOT EXISTS (SELECT 1 FROM users WHERE roll_number = copy.it ->> 2) ORDER BY copy.number
             ON CONFLICT (barcode_key) DO NOTHING RETURNING id, book_id, barcode"
        )
    } else {
        sql!(
            "INSERT INTO copies (book_id, barcode, barcode_key, condition, acquired_on)
             SELECT value ->> 0, value ->> 1, value ->> 2, 'on-shelf', $2 FROM json_each($1)
             WHERE NOT EXISTS (SELECT 1 FROM users WHERE roll_number = value ->> 2) ORDER BY key
             ON CONFLICT (barcode_key) DO NOTHING RETURNING id, book_id, barcode"
        )
    };
    let acquired_on = acquired_on.map(|day| day.to_string());
    let mut added = Vec::with_capacity(titles.len());
    while !titles.is_empty() {
        let later = titles.split_off(titles.len().min(PORTION));
        let mut portion = std::mem::replace(&mut titles, later);
        let first = reserve(tx, portion.len())?;
        let rows = (first..).zip(&portion).map(|(number, book)| {
            let barcode = format!("{prefix}{number:06}");
            json!([book, barcode, folded_barcode(&barcode)])
        });
        let rows = Value::Array(rows.collect()).to_string();
        let these = tx.query(statement, &[&rows, &acquired_on], |row| {
            Ok((row.get::<BookId>(1)?, AddedCopy { id: row.get(0)?, barcode: row.get(2)? }))
        })?;
        if these.len() < portion.len() {
            for (book, _) in &these {
                if let Some(place) = portion.iter().position(|waiting| waiting == book) {
                    portion.swap_remove(place);
                }
            }
            titles.append(&mut portion);
        }
        added.extend(these);
    }
    added.sort_by_key(|(_, copy)| copy.id);
    Ok(added)
}

/// Stores an edit of a copy; `false` if another copy has the barcode or a reader has it as roll number.
pub fn update(tx: &mut Tx<'_>, id: CopyId, record: &CopyRecord) -> Result<bool> {
    let key = folded_barcode(&record.barcode);
    accounts::lock_code(tx, &key)?;
    let taken = tx.query_one(
        sql!(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM copies WHERE barcode_key = $1 AND id <> $2)
                           OR EXISTS (SELECT 1 FROM users WHERE roll_number = $1)
                              AND NOT EXISTS (SELECT 1 FROM copies WHERE barcode_key = $1 AND id = $2)
                         THEN TRUE ELSE FALSE END"
        ),
        &[&key, &id],
        |row| row.get::<bool>(0),
    )?;
    if taken {
        return Ok(false);
    }
    tx.execute_one(
        sql!(
            "UPDATE copies SET barcode = $2, barcode_key = CASE WHEN barcode_key IS NULL THEN NULL ELSE $3 END,
                    location = $4, note = $5, price = $6, acquired_on = $7 WHERE id = $1"
        ),
        &[
            &id,
            &record.barcode,
            &key,
            &record.location,
            &record.note,
            &record.price,
            &record.acquired_on.map(|day| day.to_string()),
        ],
    )?;
    if let Some((loan, ..)) = loans::holder_of_copy(tx, id)? {
        loans::refresh_search_key(tx, loan)?;
    }
    Ok(true)
}

/// Returns up to `limit` copies of a title that can be withdrawn, with their barcodes: first those never lent, newest
/// first, then the longest unused (R-COPY-3).
pub fn to_withdraw(tx: &mut Tx<'_>, book: BookId, limit: i64) -> Result<Vec<(CopyId, String)>> {
    tx.query(
        sql!(
            "SELECT id, barcode FROM copies AS c WHERE book_id = $1 AND condition = 'on-shelf'
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)
             ORDER BY used_at, id DESC LIMIT $2"
        ),
        &[&book, &limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Withdraws the copies of a title that is being deleted ([`super::books::delete`]), except those on loan, and frees
/// the barcodes of all its copies.
pub fn withdraw_copies_of_title(tx: &mut Tx<'_>, book: BookId) -> Result<()> {
    tx.execute(
        sql!(
            "INSERT INTO deleted_copies (id, book_id, barcode, barcode_key, condition, left_as, loan_id)
             SELECT c.id, c.book_id, c.barcode, c.barcode_key, c.condition,
                    CASE WHEN l.id IS NULL THEN 'withdrawn' ELSE c.condition END, l.id
             FROM copies AS c LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE c.book_id = $1 AND c.barcode_key IS NOT NULL"
        ),
        &[&book],
    )?;
    tx.execute(
        sql!(
            "UPDATE copies SET barcode_key = NULL,
                    condition = CASE WHEN EXISTS (SELECT 1 FROM loans WHERE copy_id = copies.id AND ended_at IS NULL)
                                     THEN condition ELSE 'withdrawn' END
             WHERE book_id = $1"
        ),
        &[&book],
    )?;
    Ok(())
}

/// Restores the copies of a deleted title; must be called before [`super::books::restore`]. Returns `false` if a copy
/// was changed or returned since the deletion, or if its barcode now belongs to another copy or a reader.
pub fn restore_copies_of_title(tx: &mut Tx<'_>, book: BookId) -> Result<bool> {
    // Locks the open loans: a concurrent return waits, or has committed and is found by the next query.
    tx.query(
        select_for_update!(
            "SELECT id FROM loans WHERE ended_at IS NULL
               AND copy_id IN (SELECT d.id FROM deleted_copies AS d WHERE d.book_id = $1) ORDER BY id"
        ),
        &[&book],
        |row| row.get::<LoanId>(0),
    )?;
    let changed: i64 = tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM deleted_copies AS d JOIN copies AS c ON c.id = d.id
                  LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE d.book_id = $1
               AND (c.condition <> d.left_as OR c.barcode <> d.barcode OR COALESCE(l.id, 0) <> COALESCE(d.loan_id, 0)
                    OR EXISTS (SELECT 1 FROM copies AS other WHERE other.barcode_key = d.barcode_key)
                    OR EXISTS (SELECT 1 FROM users WHERE roll_number = d.barcode_key))"
        ),
        &[&book],
        |row| row.get(0),
    )?;
    if changed > 0 {
        return Ok(false);
    }
    tx.execute(
        sql!(
            "UPDATE copies SET barcode_key = (SELECT d.barcode_key FROM deleted_copies AS d WHERE d.id = copies.id),
                    condition = (SELECT d.condition FROM deleted_copies AS d WHERE d.id = copies.id)
             WHERE id IN (SELECT d.id FROM deleted_copies AS d WHERE d.book_id = $1)"
        ),
        &[&book],
    )?;
    Ok(true)
}

/// Counts the copies of a title by state, in the order of [`State::ALL`]; states without copies are left out.
pub fn counts(tx: &mut Tx<'_>, book: BookId) -> Result<Vec<(State, i64)>> {
    let found = tx.query(
        sql!(
            "SELECT c.condition, CASE WHEN l.id IS NULL THEN FALSE ELSE TRUE END,
                    CASE WHEN h.id IS NULL THEN FALSE ELSE TRUE END, COUNT(*)
             FROM copies AS c LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
                  LEFT JOIN holds AS h ON h.copy_id = c.id AND h.state = 'ready'
             WHERE c.book_id = $1 GROUP BY 1, 2, 3"
        ),
        &[&book],
        |row| Ok((state(condition(&row.get::<String>(0)?)?, row.get(1)?, row.get(2)?), row.get::<i64>(3)?)),
    )?;
    let of = |state| found.iter().filter(|(found, _)| *found == state).map(|(_, count)| count).sum();
    Ok(State::ALL.iter().map(|state| (*state, of(*state))).filter(|(_, count)| *count > 0).collect())
}

/// Describes for the operator the violations of the rules that link copies, loans and holds (R-COPY-2), at most `limit`
/// of each kind.
pub fn contradictions(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<String>> {
    let mut found = tx.query(
        sql!(
            "SELECT b.id, b.no_of_books, COALESCE(s.count, 0) FROM books AS b
             LEFT JOIN (SELECT c.book_id, COUNT(*) AS count FROM copies AS c
                        WHERE c.condition = 'on-shelf'
                          AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)
                        GROUP BY c.book_id) AS s ON s.book_id = b.id
             WHERE b.no_of_books <> COALESCE(s.count, 0) ORDER BY b.id LIMIT $1"
        ),
        &[&limit],
        |row| {
            Ok(format!(
                "title {}: the catalogue says {} on the shelf, its copies say {}",
                row.get::<BookId>(0)?,
                row.get::<i64>(1)?,
                row.get::<i64>(2)?
            ))
        },
    )?;
    found.extend(tx.query(
        sql!(
            "SELECT l.id, l.book_id, c.book_id, c.condition FROM loans AS l LEFT JOIN copies AS c ON c.id = l.copy_id
             WHERE l.ended_at IS NULL AND (c.id IS NULL OR c.book_id <> l.book_id
                                           OR c.condition NOT IN ('on-shelf', 'reference'))
             ORDER BY l.id LIMIT $1"
        ),
        &[&limit],
        |row| {
            let loan = row.get::<LoanId>(0)?;
            Ok(match row.get::<Option<BookId>>(2)? {
                None => format!("loan {loan} is open and has no copy"),
                Some(other) if other != row.get::<BookId>(1)? => {
                    format!("loan {loan} is of title {}, its copy of title {other}", row.get::<BookId>(1)?)
                }
                Some(_) => {
                    format!("loan {loan} is open, and its copy is {}", row.get::<String>(3)?)
                }
            })
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT h.id, c.condition, CASE WHEN c.book_id = h.book_id THEN TRUE ELSE FALSE END,
                    CASE WHEN l.id IS NULL THEN FALSE ELSE TRUE END
             FROM holds AS h JOIN copies AS c ON c.id = h.copy_id
                  LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE h.state = 'ready' AND (c.condition <> 'to-shelve' OR c.book_id <> h.book_id OR l.id IS NOT NULL)
             ORDER BY h.id LIMIT $1"
        ),
        &[&limit],
        |row| {
            let hold = row.get::<HoldId>(0)?;
            Ok(match (row.get::<bool>(2)?, row.get::<bool>(3)?) {
                (false, _) => format!("hold {hold} keeps a copy of another title"),
                (_, true) => format!("hold {hold} keeps a copy that is on loan"),
                _ => format!("hold {hold} keeps a copy that is {}", row.get::<String>(1)?),
            })
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT id, book_id FROM holds WHERE state IN ('waiting', 'ready')
               AND NOT EXISTS (SELECT 1 FROM books WHERE books.id = holds.book_id) ORDER BY id LIMIT $1"
        ),
        &[&limit],
        |row| {
            Ok(format!(
                "hold {} waits for title {}, which is gone",
                row.get::<HoldId>(0)?,
                row.get::<BookId>(1)?
            ))
        },
    )?);
    Ok(found)
}

/// Describes for the operator up to `limit` roll numbers that are also barcodes. Only libraries older than the rule
/// that roll numbers and barcodes must differ have such numbers.
pub fn shared_with_readers(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<String>> {
    tx.query(
        sql!(
            "SELECT c.barcode, u.name, u.id, b.title, b.id
             FROM users AS u JOIN copies AS c ON c.barcode_key = u.roll_number JOIN books AS b ON b.id = c.book_id
             WHERE u.roll_number IS NOT NULL ORDER BY c.id LIMIT $1"
        ),
        &[&limit],
        |row| {
            let (barcode, name, person): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (title, book): (String, i64) = (row.get(3)?, row.get(4)?);
            Ok(format!(
                "{barcode} is the roll number of {name} (person {person}) and the barcode of a copy of “{title}” \
                 (title {book}): change one of them"
            ))
        },
    )
}

/// Counts all copies.
pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM copies"), &[], |row| row.get(0))
}
