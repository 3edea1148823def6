//! Holds. Rows are never deleted: an ended hold stays with its state.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::{Error, Result, Row, Tx, copies};
use crate::{
    domain::{
        copy::State,
        hold::{Hold, HoldState},
        id::{BookId, CopyId, HoldId, UserId},
        moment::rfc3339,
    },
    insert, sql,
};

fn state(text: &str) -> Result<HoldState> {
    HoldState::parse(text).ok_or_else(|| Error::Database(format!("{text:?} is no state of a hold").into()))
}

/// Open hold, with the fields that decisions need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenHold {
    pub id: HoldId,
    pub user_id: UserId,
    /// Sort key in the queue; ties are sorted by id.
    pub queue_key: i64,
    /// Copy kept for the reader, and the last day to fetch it; `None` while the hold waits.
    pub kept: Option<(CopyId, Date)>,
}

/// Returns the open holds of a title in queue order. A caller that decides on them must lock the title's row.
pub fn of_book(tx: &mut Tx<'_>, book: BookId) -> Result<Vec<OpenHold>> {
    tx.query(
        sql!(
            "SELECT id, user_id, queue_key, copy_id, ready_until FROM holds
             WHERE book_id = $1 AND state IN ('waiting', 'ready') ORDER BY queue_key, id"
        ),
        &[&book],
        |row| {
            let kept = match row.get::<Option<CopyId>>(3)? {
                Some(copy) => Some((copy, row.day(4)?)),
                None => None,
            };
            Ok(OpenHold { id: row.get(0)?, user_id: row.get(1)?, queue_key: row.get(2)?, kept })
        },
    )
}

/// Hold to place.
#[derive(Clone, Debug)]
pub struct NewHold<'h> {
    pub book: BookId,
    pub title: &'h str,
    pub person: UserId,
    pub queue_key: i64,
    /// Epoch milliseconds.
    pub at: i64,
}

/// Inserts a hold and returns its id. The database refuses a second open hold of the person for the title.
pub fn place(tx: &mut Tx<'_>, new: &NewHold<'_>) -> Result<HoldId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO holds (book_id, title, user_id, state, queue_key, placed_at)
             VALUES ($1, $2, $3, 'waiting', $4, $5)"
        ),
        &[&new.book, &new.title, &new.person, &new.queue_key, &new.at],
    )?;
    Ok(id.into())
}

/// Returns the person and the title of a hold; `None` if the hold is not open.
pub fn open(tx: &mut Tx<'_>, id: HoldId) -> Result<Option<(UserId, BookId)>> {
    tx.query_opt(
        sql!("SELECT user_id, book_id FROM holds WHERE id = $1 AND state IN ('waiting', 'ready')"),
        &[&id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Returns the person of a hold, open or ended.
pub fn person_of(tx: &mut Tx<'_>, id: HoldId) -> Result<Option<UserId>> {
    tx.query_opt(sql!("SELECT user_id FROM holds WHERE id = $1"), &[&id], |row| row.get(0))
}

/// Keeps a copy for a waiting hold. The database refuses a second hold that keeps the copy.
pub fn keep(tx: &mut Tx<'_>, id: HoldId, copy: CopyId, until: Date) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE holds SET state = 'ready', copy_id = $2, ready_until = $3 WHERE id = $1 AND state = 'waiting'"
        ),
        &[&id, &copy, &until.to_string()],
    )
}

/// Makes a ready hold wait again, at this place in the queue.
pub fn wait(tx: &mut Tx<'_>, id: HoldId, queue_key: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE holds SET state = 'waiting', copy_id = NULL, ready_until = NULL, queue_key = $2
             WHERE id = $1 AND state = 'ready'"
        ),
        &[&id, &queue_key],
    )
}

/// Ends an open hold. The copy kept for the hold stays recorded, for [`reopen`].
pub fn end(tx: &mut Tx<'_>, id: HoldId, state: HoldState, at: i64) -> Result<()> {
    tx.execute_one(
        sql!("UPDATE holds SET state = $2, ended_at = $3 WHERE id = $1 AND state IN ('waiting', 'ready')"),
        &[&id, &state.as_str(), &at],
    )
}

/// Reopens an ended hold: it waits, or its copy is kept, as before it ended.
pub fn reopen(tx: &mut Tx<'_>, id: HoldId) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE holds SET state = CASE WHEN copy_id IS NULL THEN 'waiting' ELSE 'ready' END, ended_at = NULL
             WHERE id = $1 AND ended_at IS NOT NULL"
        ),
        &[&id],
    )
}

/// Stores the sort keys of the queue.
pub fn order(tx: &mut Tx<'_>, keys: &[(HoldId, i64)]) -> Result<()> {
    let rows = Value::Array(keys.iter().map(|(id, key)| json!([id, key])).collect());
    let statement = if tx.is_postgres() {
        sql!(
            "UPDATE holds SET queue_key = CAST(moved.hold ->> 1 AS BIGINT)
             FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS moved (hold)
             WHERE holds.id = CAST(moved.hold ->> 0 AS BIGINT)"
        )
    } else {
        sql!(
            "UPDATE holds SET queue_key = moved.value ->> 1 FROM json_each($1) AS moved
             WHERE holds.id = moved.value ->> 0"
        )
    };
    tx.execute_all(statement, keys.len(), &[&rows.to_string()])
}

/// Counts the open holds of a person.
pub fn count_of_person(tx: &mut Tx<'_>, person: UserId) -> Result<i64> {
    tx.query_one(
        sql!("SELECT COUNT(*) FROM holds WHERE user_id = $1 AND state IN ('waiting', 'ready')"),
        &[&person],
        |row| row.get(0),
    )
}

/// Returns the open holds of a person, in the order for locking their titles.
pub fn open_of_person(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<HoldId>> {
    tx.query(
        sql!("SELECT id FROM holds WHERE user_id = $1 AND state IN ('waiting', 'ready') ORDER BY book_id"),
        &[&person],
        |row| row.get(0),
    )
}

/// Counts the open holds of these people; people without one are left out.
pub fn counts_of(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<(UserId, i64)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT user_id, COUNT(*) FROM holds WHERE state IN ('waiting', 'ready') AND user_id IN
               (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id))
             GROUP BY user_id"
        )
    } else {
        sql!(
            "SELECT user_id, COUNT(*) FROM json_each($1) AS wanted CROSS JOIN holds ON holds.user_id = wanted.value
             WHERE holds.state IN ('waiting', 'ready') GROUP BY user_id"
        )
    };
    tx.query(statement, &[&json!(people).to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns the titles for which these people have open holds, in the order for locking them.
pub fn titles_of(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<BookId>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT DISTINCT book_id FROM holds WHERE state IN ('waiting', 'ready') AND user_id IN
               (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id))
             ORDER BY book_id"
        )
    } else {
        sql!(
            "SELECT DISTINCT book_id FROM json_each($1) AS wanted CROSS JOIN holds ON holds.user_id = wanted.value
             WHERE holds.state IN ('waiting', 'ready') ORDER BY book_id"
        )
    };
    tx.query(statement, &[&json!(people).to_string()], |row| row.get(0))
}

/// Counts the copies kept for readers.
pub fn count_ready(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM holds WHERE state = 'ready'"), &[], |row| row.get(0))
}

/// Returns up to `limit` ready holds after `after` whose stored last day is past.
pub fn past(tx: &mut Tx<'_>, today: Date, after: (Date, HoldId), limit: i64) -> Result<Vec<(HoldId, Date)>> {
    tx.query(
        sql!(
            "SELECT id, ready_until FROM holds WHERE state = 'ready' AND ready_until < $1
               AND (ready_until, id) > ($2, $3) ORDER BY ready_until, id LIMIT $4"
        ),
        &[&today.to_string(), &after.0.to_string(), &after.1, &limit],
        |row| Ok((row.get(0)?, row.day(1)?)),
    )
}

macro_rules! select {
    ($($rest:tt)+) => {
        sql!(
            "SELECT h.id, h.book_id, COALESCE(b.title, h.title), h.user_id, u.name, u.roll_number, h.state,
                    h.ready_until, h.copy_id, c.barcode, h.placed_at, h.queue_key,
                    (SELECT COUNT(*) FROM holds AS other WHERE other.book_id = h.book_id
                        AND other.state IN ('waiting', 'ready') AND other.state = 'waiting'),
                    (SELECT COUNT(*) FROM holds AS other WHERE other.book_id = h.book_id
                        AND other.state IN ('waiting', 'ready') AND other.state = 'waiting'
                        AND (other.queue_key, other.id) <= (h.queue_key, h.id)),
                    (SELECT COUNT(*) FROM copies AS unseen WHERE unseen.book_id = h.book_id AND unseen.condition = 'unseen'),
                    EXISTS (SELECT 1 FROM copies AS come WHERE come.book_id = h.book_id
                              AND (come.condition IN ('on-shelf', 'to-shelve', 'unseen', 'in-repair')
                                   OR EXISTS (SELECT 1 FROM loans WHERE copy_id = come.id AND ended_at IS NULL)))
             FROM holds AS h JOIN users AS u ON u.id = h.user_id LEFT JOIN books AS b ON b.id = h.book_id
                  LEFT JOIN copies AS c ON c.id = h.copy_id ",
            $($rest)+
        )
    };
}

/// Maps a row to a hold with its place in the queue; leaves `back_by` empty.
fn hold(row: &Row<'_>) -> Result<Hold> {
    let stored = state(&row.get::<String>(6)?)?;
    let place = if stored == HoldState::Waiting { Some(row.get::<i64>(13)?) } else { None };
    let unseen: i64 = row.get(14)?;
    Ok(Hold {
        id: row.get(0)?,
        book_id: row.get(1)?,
        title: row.get(2)?,
        user_id: row.get(3)?,
        user_name: row.get(4)?,
        roll_number: row.get(5)?,
        state: if place.is_some_and(|place| place <= unseen) { HoldState::Processing } else { stored },
        place,
        waiting: row.get(12)?,
        ready_until: row.optional_day(7)?,
        copy_id: row.get(8)?,
        barcode: row.get(9)?,
        back_by: None,
        fillable: row.get(15)?,
        placed_at: rfc3339(row.get(10)?),
    })
}

/// Returns a hold for display.
pub fn by_id(tx: &mut Tx<'_>, id: HoldId) -> Result<Option<Hold>> {
    tx.query_opt(select!("WHERE h.id = $1"), &[&id], hold)
}

/// Returns the hold that keeps a copy.
pub fn keeping(tx: &mut Tx<'_>, copy: CopyId) -> Result<Option<HoldId>> {
    tx.query_opt(sql!("SELECT id FROM holds WHERE copy_id = $1 AND state = 'ready'"), &[&copy], |row| {
        row.get(0)
    })
}

/// Returns a person's open hold for a title.
pub fn of_person_for(tx: &mut Tx<'_>, person: UserId, book: BookId) -> Result<Option<Hold>> {
    tx.query_opt(
        select!("WHERE h.user_id = $1 AND h.book_id = $2 AND h.state IN ('waiting', 'ready')"),
        &[&person, &book],
        hold,
    )
}

/// Returns up to `limit` holds of a person: the open ones, or the ended ones, newest first.
pub fn of_person(tx: &mut Tx<'_>, person: UserId, open: bool, limit: i64) -> Result<Vec<Hold>> {
    if open {
        return tx.query(
            select!(
                "WHERE h.user_id = $1 AND h.state IN ('waiting', 'ready') ORDER BY h.state, h.ready_until, h.id LIMIT $2"
            ),
            &[&person, &limit],
            hold,
        );
    }
    tx.query(
        select!("WHERE h.user_id = $1 AND h.ended_at IS NOT NULL ORDER BY h.id DESC LIMIT $2"),
        &[&person, &limit],
        hold,
    )
}

/// Returns up to `limit` holds of a title in queue order, those with a kept copy included.
pub fn line(tx: &mut Tx<'_>, book: BookId, limit: i64) -> Result<Vec<Hold>> {
    tx.query(
        select!(
            "WHERE h.book_id = $1 AND h.state IN ('waiting', 'ready') ORDER BY h.queue_key, h.id LIMIT $2"
        ),
        &[&book, &limit],
        hold,
    )
}

/// Counts the people who wait for a title.
pub fn waiting(tx: &mut Tx<'_>, book: BookId) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM holds WHERE book_id = $1 AND state IN ('waiting', 'ready') AND state = 'waiting'"
        ),
        &[&book],
        |row| row.get(0),
    )
}

/// Returns the nth earliest due date, counted from 1, of a title's loans that are not overdue.
pub fn nth_due(tx: &mut Tx<'_>, book: BookId, today: Date, nth: i64) -> Result<Option<Date>> {
    if nth < 1 {
        return Ok(None);
    }
    tx.query_opt(
        sql!(
            "SELECT l.return_date FROM copies AS c JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE c.book_id = $1 AND l.return_date >= $2 ORDER BY l.return_date LIMIT 1 OFFSET $3"
        ),
        &[&book, &today.to_string(), &(nth - 1)],
        |row| row.day(0),
    )
}

/// Counts the copies of a title in the building that may go to a waiting reader: on the shelf, to be shelved or unseen.
pub fn at_hand(tx: &mut Tx<'_>, book: BookId) -> Result<i64> {
    tx.query_one(
        sql!(
            "SELECT COUNT(*) FROM copies AS c WHERE c.book_id = $1 AND c.condition IN ('on-shelf', 'to-shelve', 'unseen')
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)
               AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = c.id AND state = 'ready')"
        ),
        &[&book],
        |row| row.get(0),
    )
}

/// Outlook for the reservations of a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prospect {
    /// True if a copy is in the building, on loan or in repair; otherwise no reservation can be filled.
    pub fillable: bool,
    pub in_repair: i64,
}

/// Returns the outlook for the reservations of a title.
pub fn prospect(tx: &mut Tx<'_>, book: BookId) -> Result<Prospect> {
    let counts = copies::counts(tx, book)?;
    let in_repair =
        counts.iter().filter(|(state, _)| *state == State::InRepair).map(|(_, count)| count).sum();
    let gone = [State::Lost, State::Missing, State::Reference, State::Withdrawn];
    Ok(Prospect { fillable: counts.iter().any(|(state, _)| !gone.contains(state)), in_repair })
}

/// Returns the location of a title's first copy on the shelf.
pub fn shelf(tx: &mut Tx<'_>, book: BookId) -> Result<Option<String>> {
    tx.query_opt(
        sql!(
            "SELECT COALESCE(c.location, b.location) FROM copies AS c JOIN books AS b ON b.id = c.book_id
             WHERE c.book_id = $1 AND c.condition = 'on-shelf'
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = c.id AND ended_at IS NULL)
             ORDER BY c.used_at, c.id LIMIT 1"
        ),
        &[&book],
        |row| row.get(0),
    )
}

/// End of a page of holds: the sort key, and the hold.
pub type After = (String, HoldId);

// No title has the id 0: "book_id > 0" makes these lists use the index of open holds instead of scanning the table.

/// Returns up to `limit` holds in a state: ready ones by their last day, waiting ones in the order placed, ended ones
/// newest first.
pub fn in_state(tx: &mut Tx<'_>, of: HoldState, after: Option<&After>, limit: i64) -> Result<Vec<Hold>> {
    let id = after.map_or(HoldId(0), |(_, id)| *id);
    match of {
        HoldState::Ready => {
            let day = after.map_or("", |(day, _)| day.as_str());
            tx.query(
                select!("WHERE h.state = 'ready' AND (h.ready_until, h.id) > ($1, $2) ORDER BY h.ready_until, h.id LIMIT $3"),
                &[&day, &id, &limit],
                hold,
            )
        }
        HoldState::Waiting | HoldState::Processing => {
            let processing = of == HoldState::Processing;
            tx.query(
                select!(
                    "WHERE h.state IN ('waiting', 'ready') AND h.state = 'waiting' AND h.book_id > 0 AND h.id > $1
                       AND $2 = ((SELECT COUNT(*) FROM holds AS other WHERE other.book_id = h.book_id
                                    AND other.state IN ('waiting', 'ready') AND other.state = 'waiting'
                                    AND (other.queue_key, other.id) <= (h.queue_key, h.id))
                                 <= (SELECT COUNT(*) FROM copies AS unseen
                                     WHERE unseen.book_id = h.book_id AND unseen.condition = 'unseen'))
                     ORDER BY h.id LIMIT $3"
                ),
                &[&id, &processing, &limit],
                hold,
            )
        }
        HoldState::Fulfilled | HoldState::Expired | HoldState::Cancelled => {
            let before = after.map_or(HoldId(i64::MAX), |(_, id)| *id);
            tx.query(
                select!("WHERE h.state = $1 AND h.id < $2 ORDER BY h.id DESC LIMIT $3"),
                &[&of.as_str(), &before, &limit],
                hold,
            )
        }
    }
}

/// Title with waiting readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub book: BookId,
    pub title: String,
    pub author: String,
    /// Number of readers who wait.
    pub waiting: i64,
    /// Number of copies in any state but withdrawn.
    pub copies: i64,
    /// True if a copy is in the building, on loan or in repair.
    pub fillable: bool,
}

/// Returns up to `limit` titles with waiting readers, longest queues first, after this queue length and title.
pub fn wanted(tx: &mut Tx<'_>, after: (i64, BookId), limit: i64) -> Result<Vec<Wanted>> {
    tx.query(
        sql!(
            "SELECT b.id, b.title, b.author, line.length,
                    (SELECT COUNT(*) FROM copies WHERE book_id = b.id AND condition <> 'withdrawn'),
                    EXISTS (SELECT 1 FROM copies AS come WHERE come.book_id = b.id
                              AND (come.condition IN ('on-shelf', 'to-shelve', 'unseen', 'in-repair')
                                   OR EXISTS (SELECT 1 FROM loans WHERE copy_id = come.id AND ended_at IS NULL)))
             FROM (SELECT book_id, COUNT(*) AS length FROM holds
                   WHERE state IN ('waiting', 'ready') AND state = 'waiting' AND book_id > 0 GROUP BY book_id) AS line
                  JOIN books AS b ON b.id = line.book_id
             WHERE line.length < $1 OR (line.length = $1 AND b.id > $2)
             ORDER BY line.length DESC, b.id LIMIT $3"
        ),
        &[&after.0, &after.1, &limit],
        |row| {
            Ok(Wanted {
                book: row.get(0)?,
                title: row.get(1)?,
                author: row.get(2)?,
                waiting: row.get(3)?,
                copies: row.get(4)?,
                fillable: row.get(5)?,
            })
        },
    )
}
