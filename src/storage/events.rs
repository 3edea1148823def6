//! The record of what happened. Rows are only ever added (the schema refuses anything else).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Error, Result, Row, Tx};
use crate::{
    domain::{
        change::Change,
        id::{BookId, ChangeId, CopyId, UserId},
    },
    insert, sql,
};

/// A change, and whom and what it concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub person: Option<UserId>,
    pub book: Option<BookId>,
    /// For what happens to a copy by itself; a loan tells its copy.
    pub copy: Option<CopyId>,
    pub change: Change,
}

impl Entry {
    /// What concerns a person.
    #[must_use]
    pub fn person(person: UserId, change: Change) -> Self {
        Self { person: Some(person), book: None, copy: None, change }
    }

    /// What concerns a book.
    #[must_use]
    pub fn book(book: BookId, change: Change) -> Self {
        Self { person: None, book: Some(book), copy: None, change }
    }
}

/// The version of [`Change`]'s fields.
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

/// Keeps a change in the transaction of its effect; `actor` is `None` for the command line.
pub fn record(tx: &mut Tx<'_>, at: i64, actor: Option<UserId>, entry: &Entry) -> Result<ChangeId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change)
             VALUES ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &[
            &at,
            &actor,
            &entry.change.action(),
            &entry.person,
            &entry.book,
            &entry.copy,
            &stored(&entry.change)?,
        ],
    )?;
    Ok(id.into())
}

/// [`record`] for many changes, in one statement.
pub fn record_all(tx: &mut Tx<'_>, at: i64, actor: Option<UserId>, entries: &[Entry]) -> Result<()> {
    let row = |entry: &Entry| {
        Ok(json!([entry.change.action(), entry.person, entry.book, entry.copy, stored(&entry.change)?]))
    };
    let rows = entries.iter().map(row).collect::<Result<Vec<_>>>()?;
    let statement = if tx.is_postgres() {
        sql!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change)
             SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), entry.it ->> 0, CAST(entry.it ->> 1 AS BIGINT),
                    CAST(entry.it ->> 2 AS BIGINT), CAST(entry.it ->> 3 AS BIGINT), entry.it ->> 4
             FROM json_array_elements(CAST(CAST($3 AS TEXT) AS JSON)) WITH ORDINALITY AS entry (it, number)
             ORDER BY entry.number"
        )
    } else {
        sql!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change)
             SELECT $1, $2, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
             FROM json_each($3) ORDER BY key"
        )
    };
    tx.execute_all(statement, entries.len(), &[&at, &actor, &Value::Array(rows).to_string()])
}

/// A change as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub id: ChangeId,
    /// Epoch milliseconds.
    pub at: i64,
    /// Who did it, and his name; `None` for the command line.
    pub actor: Option<(UserId, String)>,
    pub person: Option<(UserId, String)>,
    /// The book, and its title as it is now; empty where it is deleted.
    pub book: Option<(BookId, String)>,
    pub copy: Option<CopyId>,
    pub change: Change,
}

fn named<I>(id: Option<I>, name: Option<String>) -> Option<(I, String)> {
    id.map(|id| (id, name.unwrap_or_default()))
}

fn recorded(row: &Row<'_>) -> Result<Recorded> {
    /// Stored beside the version, which is 1 so far.
    #[derive(Deserialize)]
    struct Stored {
        #[serde(flatten)]
        change: Change,
    }
    let stored: Stored =
        serde_json::from_str(&row.get::<String>(9)?).map_err(|error| Error::Database(Box::new(error)))?;
    Ok(Recorded {
        id: row.get(0)?,
        at: row.get(1)?,
        actor: named(row.get(2)?, row.get(3)?),
        person: named(row.get(4)?, row.get(5)?),
        book: named(row.get(6)?, row.get(7)?),
        copy: row.get(8)?,
        change: stored.change,
    })
}

/// Which changes are asked for: all that fit every given filter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Who did it, or whom it concerns.
    pub person: Option<UserId>,
    pub book: Option<BookId>,
    /// What happened to this copy by itself.
    pub copy: Option<CopyId>,
    pub action: Option<String>,
    /// From this instant on, epoch milliseconds.
    pub from: Option<i64>,
    /// Before this instant.
    pub to: Option<i64>,
}

macro_rules! select {
    ($from:literal) => {
        sql!(
            "SELECT e.id, e.at, e.actor_id, a.name, e.person_id, p.name, e.book_id, b.title, e.copy_id, e.change
             FROM ",
            $from,
            " AS e LEFT JOIN users AS a ON a.id = e.actor_id LEFT JOIN users AS p ON p.id = e.person_id
                   LEFT JOIN books AS b ON b.id = e.book_id
             WHERE e.id < $1 AND e.id >= $6 AND ($2 = '' OR e.action = $2) AND e.at >= $3 AND e.at < $4
             ORDER BY e.id DESC LIMIT $5"
        )
    };
}

/// How far a clock may be set back, milliseconds: changes are recorded in the order of time but for so much.
const SET_BACK: i64 = 24 * 60 * 60 * 1000;

/// The first change since an instant, or 1 + the last one; changes are numbered in the order of time.
fn first_since(tx: &mut Tx<'_>, at: i64) -> Result<ChangeId> {
    let last = tx.query_one(sql!("SELECT COALESCE(MAX(id), 0) FROM events"), &[], |row| row.get::<i64>(0))?;
    let (mut low, mut high) = (1, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let next = tx.query_opt(
            sql!("SELECT id, at FROM events WHERE id >= $1 ORDER BY id LIMIT 1"),
            &[&middle],
            |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
        )?;
        match next {
            Some((id, earlier)) if earlier < at => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(low.into())
}

/// Up to `limit` changes that fit the filter, newest first, older than `before`.
pub fn page(tx: &mut Tx<'_>, filter: &Filter, before: ChangeId, limit: i64) -> Result<Vec<Recorded>> {
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
        // What people do for themselves is found by the person, the rest of what they do by the actor: each by an index.
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
