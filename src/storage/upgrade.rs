//! Parts of migrations that SQL cannot do alike on both databases.

use serde_json::{Value, json};

use super::{Error, Result, Tx, accounts, loans, merge};
use crate::{
    domain::id::{LoanId, UserId},
    sql,
};

/// Number of rows read at once.
const PORTION: i64 = 1000;

/// Migration 0003: turns old events, with untyped values before and after, into typed changes.
pub(super) fn events_to_changes(tx: &mut Tx<'_>) -> Result<()> {
    let mut after = 0;
    loop {
        let events = tx.query(
            sql!(
                "SELECT e.id, e.at, e.actor_id, e.action, e.subject, e.subject_id, e.before, e.after,
                        l.user_id, l.book_id, l.title, l.ended_on
                 FROM old_events AS e LEFT JOIN loans AS l ON e.subject = 'loan' AND l.id = e.subject_id
                 WHERE e.id > $1 ORDER BY e.id LIMIT $2"
            ),
            &[&after, &PORTION],
            |row| {
                Ok(Old {
                    id: row.get(0)?,
                    at: row.get(1)?,
                    actor: row.get(2)?,
                    kind: format!("{} {}", row.get::<String>(4)?, row.get::<String>(3)?),
                    subject: row.get(5)?,
                    before: parsed(row.get(6)?)?,
                    after: parsed(row.get(7)?)?,
                    borrower: row.get(8)?,
                    book: row.get(9)?,
                    title: row.get(10)?,
                    ended_on: row.get(11)?,
                })
            },
        )?;
        let Some(last) = events.last() else { break };
        after = last.id;
        for old in &events {
            let (action, person, book, mut change) = old.changed()?;
            change["v"] = json!(1);
            change["kind"] = json!(action);
            tx.execute_one(
                sql!(
                    "INSERT INTO events (id, at, actor_id, action, person_id, book_id, change)
                     VALUES ($1, $2, $3, $4, $5, $6, $7)"
                ),
                &[&old.id, &old.at, &old.actor, &action, &person, &book, &change.to_string()],
            )?;
        }
    }
    if tx.is_postgres() {
        tx.batch(
            "SELECT setval(pg_get_serial_sequence('events', 'id'), COALESCE((SELECT MAX(id) FROM events), 0) + 1, FALSE)",
        )?;
    }
    tx.batch("DROP TABLE old_events")
}

fn parsed(json: Option<String>) -> Result<Value> {
    json.map_or(Ok(Value::Null), |json| {
        serde_json::from_str(&json).map_err(|error| Error::Database(Box::new(error)))
    })
}

struct Old {
    id: i64,
    at: i64,
    actor: Option<i64>,
    /// Subject and action.
    kind: String,
    subject: i64,
    before: Value,
    after: Value,
    borrower: Option<i64>,
    book: Option<i64>,
    title: Option<String>,
    ended_on: Option<String>,
}

impl Old {
    /// Returns action, person, book and fields of the change.
    fn changed(&self) -> Result<(&'static str, Option<i64>, Option<i64>, Value)> {
        let (before, after) = (&self.before, &self.after);
        let person = Some(self.subject);
        let book = Some(self.subject);
        Ok(match self.kind.as_str() {
            "user register" => ("registered", person, None, json!({ "role": after["role"] })),
            "user update-profile" => {
                ("profile-updated", person, None, json!({ "before": before, "after": after }))
            }
            "user sign-in" => ("signed-in", person, None, json!({})),
            "book add" => ("book-added", None, book, json!({ "book": after })),
            "book update" => ("book-updated", None, book, json!({ "before": before, "after": after })),
            "book delete" => ("book-deleted", None, book, json!({ "book": before })),
            "book import" => ("books-imported", None, None, after.clone()),
            "loan borrow" => (
                "lent",
                self.borrower,
                self.book,
                json!({ "loan": self.subject, "title": self.title, "due": after["returnDate"] }),
            ),
            "loan return" => (
                "returned",
                self.borrower,
                self.book,
                json!({
                    "loan": self.subject, "title": self.title, "due": before["returnDate"], "on": self.ended_on,
                    "to": if after["restocked"] == true { "on-shelf" } else { "to-shelve" }, "fine": after["fine"],
                }),
            ),
            "loan extend" => (
                "renewed",
                self.borrower,
                self.book,
                json!({
                    "loan": self.subject, "title": self.title, "from": before["returnDate"], "to": after["returnDate"],
                }),
            ),
            "review review" => (
                "reviewed",
                self.actor,
                after["bookId"].as_i64(),
                json!({ "review": self.subject, "rating": after["rating"] }),
            ),
            other => return Err(Error::Open(format!("event {} is of an unknown kind: {other}", self.id))),
        })
    }
}

/// Migration 0056: fills all folded keys again, because `fold` changed for Arabic letters.
pub(super) fn fold_again(tx: &mut Tx<'_>) -> Result<()> {
    let merged: Vec<UserId> = tx.query(
        sql!("SELECT DISTINCT merged_into FROM users WHERE merged_into IS NOT NULL ORDER BY merged_into"),
        &[],
        |row| row.get(0),
    )?;
    for person in merged {
        merge::set_merged_key(tx, person)?;
    }
    fold_people(tx)?;
    fold_open_loans(tx)
}

/// Migrations 0006 and 0056: fills the folded keys that sort names and find people.
pub(super) fn fold_people(tx: &mut Tx<'_>) -> Result<()> {
    let mut after = 0;
    loop {
        let mut last = after;
        let people = tx.query(
            sql!(
                "SELECT id, name, roll_number, batch, email, department FROM users
                 WHERE gone_at IS NULL AND id > $1 ORDER BY id LIMIT $2"
            ),
            &[&after, &PORTION],
            |row| {
                last = row.get(0)?;
                let [roll_number, batch, email, department]: [Option<String>; 4] =
                    [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
                let keys = accounts::keys(
                    &row.get::<String>(1)?,
                    roll_number.as_deref(),
                    batch.as_deref(),
                    email.as_deref(),
                    department.as_deref(),
                );
                Ok(json!([last, keys.name, keys.directory, keys.search]))
            },
        )?;
        if people.is_empty() {
            return Ok(());
        }
        after = last;
        let statement = if tx.is_postgres() {
            sql!(
                "UPDATE users SET name_key = folded.it ->> 1, directory_key = (folded.it ->> 2) || merged_key,
                   search_key = (folded.it ->> 3) || merged_key
                 FROM json_array_elements(CAST(CAST($1 AS TEXT) AS JSON)) AS folded (it)
                 WHERE users.id = CAST(folded.it ->> 0 AS BIGINT)"
            )
        } else {
            sql!(
                "UPDATE users SET name_key = folded.value ->> 1, directory_key = (folded.value ->> 2) || merged_key,
                   search_key = (folded.value ->> 3) || merged_key
                 FROM json_each($1) AS folded WHERE users.id = folded.value ->> 0"
            )
        };
        tx.execute_all(statement, people.len(), &[&Value::Array(people).to_string()])?;
    }
}

/// Migrations 0053 and 0056: fills the keys that find open loans. An ended loan gets its key when it is reopened.
pub(super) fn fold_open_loans(tx: &mut Tx<'_>) -> Result<()> {
    let mut after = 0;
    loop {
        let open = tx.query(
            sql!("SELECT id FROM loans WHERE ended_at IS NULL AND id > $1 ORDER BY id LIMIT $2"),
            &[&after, &PORTION],
            |row| row.get::<LoanId>(0),
        )?;
        let Some(last) = open.last() else { return Ok(()) };
        after = last.0;
        for loan in open {
            loans::refresh_search_key(tx, loan)?;
        }
    }
}
