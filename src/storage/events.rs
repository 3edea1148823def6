//! Record of all changes. The schema refuses to delete or edit a row, except to remove people from it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Error, Result, Row, Tx, notices, people, sql::LastChange};
use crate::{
    domain::{
        account::{Role, User},
        change::{Change, Unknown},
        id::{BookId, ChangeId, CopyId, UserId},
    },
    insert, sql,
};

/// Change, with the person, book and copy it concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub person: Option<UserId>,
    pub book: Option<BookId>,
    /// Set for changes of the copy itself. For the change of a loan, the copy is found through the loan.
    pub copy: Option<CopyId>,
    pub change: Change,
}

impl Entry {
    /// Creates the entry of a change to a person.
    #[must_use]
    pub fn person(person: UserId, change: impl Into<Change>) -> Self {
        Self { person: Some(person), book: None, copy: None, change: change.into() }
    }

    /// Creates the entry of a change to a book.
    #[must_use]
    pub fn book(book: BookId, change: impl Into<Change>) -> Self {
        Self { person: None, book: Some(book), copy: None, change: change.into() }
    }
}

/// Version of the fields of [`Change`].
const VERSION: u8 = 1;

#[derive(Serialize)]
struct Versioned<'c> {
    v: u8,
    #[serde(flatten)]
    change: &'c Change,
}

fn stored(change: &Change) -> Result<String> {
    serde_json::to_string(&Versioned { v: VERSION, change }).map_err(|error| Error::Database(Box::new(error)))
}

/// Records a change in the transaction that makes it, after the change's own writes, and updates the notices that
/// depend on it. `actor` is `None` for the command line.
pub fn record(tx: &mut Tx<'_>, at: i64, actor: Option<UserId>, entry: &Entry) -> Result<ChangeId> {
    let about = entry.change.about();
    let id = tx.insert(
        insert!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change, at_desk, personal)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        ),
        &[
            &at,
            &actor,
            &about.action,
            &entry.person,
            &entry.book,
            &entry.copy,
            &stored(&entry.change)?,
            &about.at_desk,
            &about.personal,
        ],
    )?;
    let id = ChangeId::from(id);
    notices::follow(tx, at, actor, entry, Some(id))?;
    tx.last_change = Some(LastChange {
        id,
        needed: [about.undone_by, entry.change.undone_by_maker()],
        is_own_loan: actor.is_some() && actor == entry.person && entry.change.undone_by_reader(),
    });
    Ok(id)
}

/// Returns the change recorded last if its maker may undo it (R-UNDO-1).
#[must_use]
pub fn undoable(tx: &Tx<'_>, maker: &User) -> Option<ChangeId> {
    let may = |last: &LastChange| match maker.role {
        Role::Student => last.is_own_loan,
        Role::Admin => last.needed.iter().flatten().any(|needed| maker.capabilities.contains(needed)),
    };
    tx.last_change.filter(may).map(|last| last.id)
}

/// Records many changes in one statement, like [`record`].
pub fn record_all(tx: &mut Tx<'_>, at: i64, actor: Option<UserId>, entries: &[Entry]) -> Result<()> {
    let row = |entry: &Entry| {
        let (about, change) = (entry.change.about(), stored(&entry.change)?);
        let (person, book, copy) = (entry.person, entry.book, entry.copy);
        Ok(json!([about.action, person, book, copy, change, about.at_desk, about.personal]))
    };
    let rows = entries.iter().map(row).collect::<Result<Vec<_>>>()?;
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change, at_desk, personal)
             SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), entry.it ->> 0, CAST(entry.it ->> 1 AS BIGINT),
                    CAST(entry.it ->> 2 AS BIGINT), CAST(entry.it ->> 3 AS BIGINT), entry.it ->> 4,
                    CAST(entry.it ->> 5 AS BOOLEAN), CAST(entry.it ->> 6 AS BOOLEAN)
             FROM json_array_elements(CAST(CAST($3 AS TEXT) AS JSON)) WITH ORDINALITY AS entry (it, number)
             ORDER BY entry.number"
        )
    } else {
        sql!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change, at_desk, personal)
             SELECT $1, $2, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
             FROM json_each($3) ORDER BY key"
        )
    };
    tx.execute_all(statement, entries.len(), &[&at, &actor, &Value::Array(rows).to_string()])?;
    notices::follow_all(tx, at, actor, entries, None)
}

/// Recorded change.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub id: ChangeId,
    /// Epoch milliseconds.
    pub at: i64,
    /// Actor, and their name; `None` for the command line.
    pub actor: Option<(UserId, String)>,
    pub person: Option<(UserId, String)>,
    /// Book, and its current title; empty if the book is deleted.
    pub book: Option<(BookId, String)>,
    pub copy: Option<CopyId>,
    pub change: Change,
    /// True if the change was undone.
    pub undone: bool,
}

fn named<I>(id: Option<I>, name: Option<String>) -> Option<(I, String)> {
    id.map(|id| (id, name.unwrap_or_default()))
}

/// Parses a stored change; one that this version does not know becomes [`Unknown`].
fn read(json: &str) -> serde_json::Result<Change> {
    #[derive(Deserialize)]
    struct Stored {
        v: u64,
        #[serde(flatten)]
        change: Change,
    }
    let stored: Stored = serde_json::from_str(json)?;
    if stored.v == u64::from(VERSION) {
        return Ok(stored.change);
    }
    serde_json::from_str::<Unknown>(json).map(Change::Unknown)
}

fn recorded(row: &Row<'_>) -> Result<Recorded> {
    let change = read(&row.get::<String>(9)?).map_err(|error| Error::Database(Box::new(error)))?;
    Ok(Recorded {
        id: row.get(0)?,
        at: row.get(1)?,
        actor: named(row.get(2)?, row.get(3)?),
        person: named(row.get(4)?, row.get(5)?),
        book: named(row.get(6)?, row.get(7)?),
        copy: row.get(8)?,
        change,
        undone: row.get(10)?,
    })
}

macro_rules! columns {
    () => {
        "e.id, e.at, e.actor_id, a.name, e.person_id, p.name, e.book_id, b.title, e.copy_id, e.change,
         EXISTS (SELECT change_id FROM undone WHERE change_id = e.id)"
    };
}

/// Returns the change with this id.
pub fn by_id(tx: &mut Tx<'_>, id: ChangeId) -> Result<Option<Recorded>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            " FROM events AS e LEFT JOIN users AS a ON a.id = e.actor_id LEFT JOIN users AS p ON p.id = e.person_id
                  LEFT JOIN books AS b ON b.id = e.book_id WHERE e.id = $1"
        ),
        &[&id],
        recorded,
    )
}

/// True if the person has signed in before.
pub fn has_signed_in(tx: &mut Tx<'_>, person: UserId) -> Result<bool> {
    let found = tx.query_opt(
        sql!("SELECT id FROM events WHERE person_id = $1 AND action = 'signed-in' LIMIT 1"),
        &[&person],
        |row| row.get::<ChangeId>(0),
    )?;
    Ok(found.is_some())
}

/// Returns the changes that cancelled holds of a title at this instant, newest first.
pub fn holds_of_title_cancelled_at(tx: &mut Tx<'_>, book: BookId, at: i64) -> Result<Vec<ChangeId>> {
    tx.query(
        sql!(
            "SELECT id FROM events WHERE book_id = $1 AND at = $2 AND action = 'hold-cancelled' ORDER BY id DESC"
        ),
        &[&book, &at],
        |row| row.get(0),
    )
}

/// Returns the changes that cancelled holds of these people at this instant, newest first.
pub fn holds_cancelled_at(tx: &mut Tx<'_>, people: &[UserId], at: i64) -> Result<Vec<ChangeId>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT events.id FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id)
             JOIN events ON events.person_id = CAST(wanted.id AS BIGINT)
             WHERE events.at = $2 AND events.action = 'hold-cancelled' ORDER BY events.id DESC"
        )
    } else {
        sql!(
            "SELECT events.id FROM json_each($1) AS wanted CROSS JOIN events ON events.person_id = wanted.value
             WHERE events.at = $2 AND events.action = 'hold-cancelled' ORDER BY events.id DESC"
        )
    };
    tx.query(statement, &[&json!(people).to_string(), &at], |row| row.get(0))
}

/// True if one of these people has a later change that was not undone; `change` then cannot be undone.
pub fn happened_since(tx: &mut Tx<'_>, people: [UserId; 2], change: ChangeId) -> Result<bool> {
    let found = tx.query_opt(
        sql!(
            "SELECT e.id FROM events AS e WHERE e.person_id IN ($1, $2) AND e.id > $3
               AND e.action NOT IN ('undone', 'signed-in')
               AND NOT EXISTS (SELECT 1 FROM undone WHERE undone.change_id = e.id) LIMIT 1"
        ),
        &[&people[0], &people[1], &change],
        |row| row.get::<ChangeId>(0),
    )?;
    Ok(found.is_some())
}

/// Returns the batch promotions since an instant, without undone ones, newest first, with their instants.
pub fn batches_moved(tx: &mut Tx<'_>, since: i64) -> Result<Vec<(i64, Change)>> {
    tx.query(
        sql!(
            "SELECT e.at, e.change FROM events AS e WHERE e.action = 'batch-moved' AND e.at >= $1
               AND NOT EXISTS (SELECT 1 FROM undone WHERE undone.change_id = e.id) ORDER BY e.at DESC, e.id DESC"
        ),
        &[&since],
        |row| {
            let change = read(&row.get::<String>(1)?).map_err(|error| Error::Database(Box::new(error)))?;
            Ok((row.get(0)?, change))
        },
    )
}

/// Records that `by` undid a change; `false` if the change had been undone before.
pub fn mark_undone(tx: &mut Tx<'_>, id: ChangeId, by: ChangeId) -> Result<bool> {
    let touched = tx.execute(
        sql!(
            "INSERT INTO undone (change_id, by_change_id) VALUES ($1, $2) ON CONFLICT (change_id) DO NOTHING"
        ),
        &[&id, &by],
    )?;
    Ok(touched == 1)
}

/// Records that an undo of change `id` also undoes `before`, the change made before it in the same action.
pub fn link(tx: &mut Tx<'_>, id: ChangeId, before: ChangeId) -> Result<()> {
    tx.execute_one(sql!("INSERT INTO linked_changes (change_id, before_id) VALUES ($1, $2)"), &[&id, &before])
}

/// Returns the change that is undone together with this one.
pub fn linked(tx: &mut Tx<'_>, id: ChangeId) -> Result<Option<ChangeId>> {
    tx.query_opt(sql!("SELECT before_id FROM linked_changes WHERE change_id = $1"), &[&id], |row| row.get(0))
}

/// Returns the earlier changes that are undone together with this one, newest first.
pub fn linked_before(tx: &mut Tx<'_>, id: ChangeId) -> Result<Vec<Recorded>> {
    let mut before = Vec::new();
    let mut next = linked(tx, id)?;
    while let Some(id) = next {
        before.extend(by_id(tx, id)?);
        next = linked(tx, id)?;
    }
    Ok(before)
}

/// Filter of changes; a change must fit every field that is set.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Actor, or person concerned.
    pub person: Option<UserId>,
    pub book: Option<BookId>,
    /// Copy; matches its own changes, not those of its loans.
    pub copy: Option<CopyId>,
    pub action: Option<String>,
    /// First instant, epoch milliseconds.
    pub from: Option<i64>,
    /// End (exclusive), epoch milliseconds.
    pub to: Option<i64>,
}

macro_rules! select {
    ($from:literal) => {
        sql!(
            "SELECT ",
            columns!(),
            " FROM ",
            $from,
            " AS e LEFT JOIN users AS a ON a.id = e.actor_id LEFT JOIN users AS p ON p.id = e.person_id
                   LEFT JOIN books AS b ON b.id = e.book_id
             WHERE e.id < $1 AND e.id >= $6 AND ($2 = '' OR e.action = $2) AND e.at >= $3 AND e.at < $4
             ORDER BY e.id DESC LIMIT $5"
        )
    };
}

/// Largest backward step of the clock that the log tolerates, in milliseconds: ids may be out of time order by as much.
const SET_BACK: i64 = 24 * 60 * 60 * 1000;

/// Finds the first change since an instant, or the id after the last one, by binary search over the ids. Skips changes
/// that are more than [`SET_BACK`] later than the newest one: the clock was ahead when they were recorded.
fn first_since(tx: &mut Tx<'_>, at: i64) -> Result<ChangeId> {
    let newest = tx.query_opt(sql!("SELECT id, at FROM events ORDER BY id DESC LIMIT 1"), &[], |row| {
        Ok((row.get::<i64>(0)?, row.get::<i64>(1)?))
    })?;
    let (last, newest) = newest.unwrap_or_default();
    if at > newest {
        return Ok(ChangeId(last + 1));
    }
    let (mut low, mut high) = (1, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let next = tx.query_opt(
            sql!("SELECT id, at FROM events WHERE id >= $1 AND at <= $2 ORDER BY id LIMIT 1"),
            &[&middle, &newest.saturating_add(SET_BACK)],
            |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
        )?;
        match next {
            Some((id, earlier)) if earlier < at => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(low.into())
}

/// Returns up to `limit` changes that fit the filter, newest first, older than `before`; for a person also changes of
/// records merged into theirs.
pub fn page(tx: &mut Tx<'_>, filter: &Filter, before: ChangeId, limit: i64) -> Result<Vec<Recorded>> {
    let mut found = page_of(tx, filter, before, limit)?;
    let merged = match filter.person {
        Some(person) => people::merged_into(tx, person)?,
        None => Vec::new(),
    };
    for earlier in &merged {
        found.extend(page_of(tx, &Filter { person: Some(*earlier), ..filter.clone() }, before, limit)?);
    }
    if !merged.is_empty() {
        found.sort_unstable_by_key(|recorded| std::cmp::Reverse(recorded.id));
        found.dedup_by_key(|recorded| recorded.id);
        found.truncate(usize::try_from(limit).unwrap_or_default());
    }
    Ok(found)
}

/// Returns up to `limit` changes that concern a person, newest first; also those of records merged into theirs.
pub fn about(tx: &mut Tx<'_>, person: UserId, limit: i64) -> Result<Vec<Recorded>> {
    let mut found = Vec::new();
    for uid in std::iter::once(person).chain(people::merged_into(tx, person)?) {
        found.extend(tx.query(
            sql!(
                "SELECT ",
                columns!(),
                " FROM events AS e LEFT JOIN users AS a ON a.id = e.actor_id LEFT JOIN users AS p ON p.id = e.person_id
                       LEFT JOIN books AS b ON b.id = e.book_id
                  WHERE e.person_id = $1 ORDER BY e.id DESC LIMIT $2"
            ),
            &[&uid, &limit],
            recorded,
        )?);
    }
    found.sort_unstable_by_key(|recorded| std::cmp::Reverse(recorded.id));
    found.truncate(usize::try_from(limit).unwrap_or_default());
    Ok(found)
}

fn page_of(tx: &mut Tx<'_>, filter: &Filter, before: ChangeId, limit: i64) -> Result<Vec<Recorded>> {
    let action = filter.action.as_deref().unwrap_or_default();
    let before = match filter.to {
        Some(to) => before.min(first_since(tx, to.saturating_add(SET_BACK))?),
        None => before,
    };
    let least = match filter.from {
        Some(from) => first_since(tx, from.saturating_sub(SET_BACK))?,
        None => ChangeId(0),
    };
    let (from, to) = (filter.from.unwrap_or(i64::MIN), filter.to.unwrap_or(i64::MAX));
    match (filter.copy, filter.book, filter.person) {
        (Some(copy), _, _) => tx.query(
            select!("(SELECT * FROM events WHERE copy_id = $7)"),
            &[&before, &action, &from, &to, &limit, &least, &copy],
            recorded,
        ),
        (_, Some(book), Some(person)) => tx.query(
            select!("(SELECT * FROM events WHERE book_id = $7 AND (person_id = $8 OR actor_id = $8))"),
            &[&before, &action, &from, &to, &limit, &least, &book, &person],
            recorded,
        ),
        (_, Some(book), None) => tx.query(
            select!("(SELECT * FROM events WHERE book_id = $7)"),
            &[&before, &action, &from, &to, &limit, &least, &book],
            recorded,
        ),
        // Two indexes: `person_id` finds the changes that concern the person, `actor_id` the others that the person
        // made.
        (_, None, Some(person)) => tx.query(
            select!(
                "(SELECT * FROM events WHERE person_id = $7
                  UNION ALL SELECT * FROM events WHERE actor_id = $7 AND actor_id IS DISTINCT FROM person_id)"
            ),
            &[&before, &action, &from, &to, &limit, &least, &person],
            recorded,
        ),
        (None, None, None) => {
            tx.query(select!("events"), &[&before, &action, &from, &to, &limit, &least], recorded)
        }
    }
}

/// Filter of the work at the desk from an instant on, by one librarian or by all.
#[derive(Clone, Debug)]
pub struct AtDesk {
    /// Epoch milliseconds.
    pub since: i64,
    pub actor: Option<UserId>,
    /// Kind of change; `None` for all kinds that are made at the desk.
    pub action: Option<String>,
}

impl AtDesk {
    /// Restricts the filter to one kind.
    #[must_use]
    pub fn only(&self, action: &str) -> Self {
        Self { action: Some(action.to_owned()), ..self.clone() }
    }
}

macro_rules! at_desk {
    ($what:expr, $end:expr) => {
        sql!(
            "SELECT ",
            $what,
            " FROM events AS e JOIN users AS a ON a.id = e.actor_id LEFT JOIN users AS p ON p.id = e.person_id
                   LEFT JOIN books AS b ON b.id = e.book_id
              WHERE e.id >= $1 AND e.at >= $2 AND (CAST($3 AS BIGINT) = 0 OR e.actor_id = $3) AND ($4 = '' OR e.action = $4)
                AND a.role = 'admin' AND e.at_desk ",
            $end
        )
    };
}

/// Returns up to `limit` changes at the desk, newest first, older than `before`.
pub fn at_desk(tx: &mut Tx<'_>, of: &AtDesk, before: ChangeId, limit: i64) -> Result<Vec<Recorded>> {
    let first = first_since(tx, of.since.saturating_sub(SET_BACK))?;
    let actor = of.actor.map_or(0, |actor| actor.0);
    let action = of.action.as_deref().unwrap_or_default();
    tx.query(
        at_desk!(columns!(), "AND e.id < $5 ORDER BY e.id DESC LIMIT $6"),
        &[&first, &of.since, &actor, &action, &before, &limit],
        recorded,
    )
}

/// Counts the changes at the desk by kind, without undone ones.
pub fn counts_at_desk(tx: &mut Tx<'_>, of: &AtDesk) -> Result<Vec<(String, i64)>> {
    let first = first_since(tx, of.since.saturating_sub(SET_BACK))?;
    let actor = of.actor.map_or(0, |actor| actor.0);
    tx.query(
        at_desk!(
            "e.action, COUNT(*)",
            "AND NOT EXISTS (SELECT change_id FROM undone WHERE change_id = e.id) GROUP BY e.action ORDER BY e.action"
        ),
        &[&first, &of.since, &actor, &""],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
