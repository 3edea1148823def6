//! Settings that librarians save: rules, calendar, and the library's own settings. Every save is kept; the newest applies.

use std::collections::HashMap;

use jiff::civil::Date;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{Error, Result, Tx, loans::Alike, tolerant};
use crate::{
    domain::{
        calendar::{Calendar, CalendarForm},
        id::{LoanId, UserId},
        library::LibrarySettings,
        notice::NoticeSettings,
        rulebook::{Rulebook, Saved},
        rules::{RuleHistory, Rules},
        wording::{Worded, Wordings},
    },
    insert, select_for_update, sql,
};

/// Returns the number of saves so far; an unchanged number means unchanged settings.
pub fn version(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT version FROM settings_version WHERE id = 1"), &[], |row| row.get(0))
}

/// Serialises saves until the transaction ends. Waits for transactions that called [`hold`].
pub fn lock(tx: &mut Tx<'_>) -> Result<()> {
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_advisory_xact_lock(7309940715)"), &[])?;
    }
    tx.query_one(select_for_update!("SELECT id FROM settings_version WHERE id = 1"), &[], |row| {
        row.get::<i64>(0)
    })?;
    Ok(())
}

/// Makes saves wait until this transaction ends. Takes a shared lock and writes no row, so that desks never wait for
/// each other. A no-op on `SQLite`, which has one writer.
pub fn hold(tx: &mut Tx<'_>) -> Result<()> {
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_advisory_xact_lock_shared(7309940715)"), &[])?;
    }
    Ok(())
}

fn parsed<T: DeserializeOwned>(json: &str) -> Result<T> {
    tolerant::parse(json).map_err(|error| Error::Database(Box::new(error)))
}

/// Loads all settings, with the defaults for those never saved.
pub fn load(tx: &mut Tx<'_>) -> Result<Rulebook> {
    let rules = tx.query(
        sql!("SELECT id, effective_from, data FROM settings WHERE kind = 'rules' ORDER BY id"),
        &[],
        |row| Ok((row.get::<i64>(0)?, row.day(1)?, parsed::<Rules>(&row.get::<String>(2)?)?)),
    )?;
    let newest_rules = rules.last().map_or(0, |(id, _, _)| *id);
    let (calendar_id, calendar) = newest::<CalendarForm>(tx, "calendar")?;
    let (library_id, library) = newest::<LibrarySettings>(tx, "library")?;
    Ok(Rulebook {
        history: RuleHistory::new(rules.into_iter().map(|(_, from, rules)| (from, rules)).collect()),
        calendar: Calendar::from(calendar),
        library,
        saved: Saved { rules: newest_rules, calendar: calendar_id, library: library_id },
    })
}

/// Returns the settings of notices.
pub fn notices(tx: &mut Tx<'_>) -> Result<NoticeSettings> {
    Ok(saved_notices(tx)?.1)
}

/// Returns the settings of notices with the id of their save; 0 if they were never saved.
pub fn saved_notices(tx: &mut Tx<'_>) -> Result<(i64, NoticeSettings)> {
    newest(tx, "notices")
}

/// Returns the library's own wordings of a mail with the id of their save; 0 if they were never saved.
pub fn saved_wordings(tx: &mut Tx<'_>, mail: Worded) -> Result<(i64, Wordings)> {
    let kind = format!("{MAIL}{}", mail.as_str());
    let newest = tx.query_opt(
        sql!("SELECT id, data FROM settings WHERE kind = $1 ORDER BY id DESC LIMIT 1"),
        &[&kind],
        |row| Ok((row.get(0)?, readable(&row.get::<String>(1)?))),
    )?;
    Ok(newest.unwrap_or_default())
}

/// Returns all of the library's own wordings.
pub fn wordings(tx: &mut Tx<'_>) -> Result<HashMap<Worded, Wordings>> {
    let mut found = HashMap::new();
    for mail in Worded::all() {
        let (_, wordings) = saved_wordings(tx, mail)?;
        if wordings != Wordings::default() {
            found.insert(mail, wordings);
        }
    }
    Ok(found)
}

/// Parses wordings. Falls back to the program's own if only a newer version can read them, so that mails are still written.
fn readable(json: &str) -> Wordings {
    tolerant::parse(json).unwrap_or_else(|error| {
        tracing::warn!(%error, "a wording of a mail cannot be read, so the program's own is used");
        Wordings::default()
    })
}

/// Prefix of the kind of a document with wordings.
const MAIL: &str = "mail:";

fn newest<T: DeserializeOwned + Default>(tx: &mut Tx<'_>, kind: &str) -> Result<(i64, T)> {
    let newest = tx.query_opt(
        sql!("SELECT id, data FROM settings WHERE kind = $1 ORDER BY id DESC LIMIT 1"),
        &[&kind],
        |row| Ok((row.get(0)?, parsed(&row.get::<String>(1)?)?)),
    )?;
    Ok(newest.unwrap_or_default())
}

/// Document to save.
#[derive(Clone, Copy, Debug)]
pub enum Document<'d> {
    /// Rules, and the first day on which they apply.
    Rules(Date, &'d Rules),
    Calendar(&'d CalendarForm),
    Library(&'d LibrarySettings),
    Notices(&'d NoticeSettings),
    Mail(Worded, &'d Wordings),
}

/// Saves a document after [`lock`] and returns its id. Keeps the fields that a newer version of the program saved.
pub fn save(tx: &mut Tx<'_>, document: Document<'_>, now: i64, by: UserId) -> Result<i64> {
    let (kind, effective_from, data) = match document {
        Document::Rules(from, rules) => ("rules".to_owned(), Some(from.to_string()), json(rules)?),
        Document::Calendar(calendar) => ("calendar".to_owned(), None, json(calendar)?),
        Document::Library(library) => ("library".to_owned(), None, json(library)?),
        Document::Notices(notices) => ("notices".to_owned(), None, json(notices)?),
        Document::Mail(mail, wordings) => (format!("{MAIL}{}", mail.as_str()), None, json(wordings)?),
    };
    let data = with_newer_fields(tx, &kind, data)?;
    tx.execute_one(sql!("UPDATE settings_version SET version = version + 1 WHERE id = 1"), &[])?;
    tx.insert(
        insert!("INSERT INTO settings (kind, effective_from, data, saved_at, saved_by) VALUES ($1, $2, $3, $4, $5)"),
        &[&kind, &effective_from, &data, &now, &by],
    )
}

/// Adds the fields of the last save that this version does not know. Every field missing from `data` is unknown,
/// because a document names all fields that it knows, even empty ones.
fn with_newer_fields(tx: &mut Tx<'_>, kind: &str, data: String) -> Result<String> {
    let (_, mut fields) = newest::<Map<String, Value>>(tx, kind)?;
    let document: Map<String, Value> = parsed(&data)?;
    fields.retain(|name, _| !document.contains_key(name));
    if fields.is_empty() {
        return Ok(data);
    }
    fields.extend(document);
    json(&fields)
}

fn json(document: &impl Serialize) -> Result<String> {
    serde_json::to_string(document).map_err(|error| Error::Database(Box::new(error)))
}

/// Open loan with its borrower.
#[derive(Clone, Debug)]
pub struct OpenLoan {
    pub id: LoanId,
    pub user: UserId,
    pub user_name: String,
    pub title: String,
}

/// Returns up to `limit` loans of a group of [`loans::all_alike`](super::loans::all_alike).
pub fn some_of(tx: &mut Tx<'_>, alike: &Alike, with_prices: bool, limit: i64) -> Result<Vec<OpenLoan>> {
    let statement = if with_prices {
        sql!(
            "SELECT loans.id, loans.user_id, users.name, loans.title
             FROM loans JOIN users ON users.id = loans.user_id JOIN copies ON copies.id = loans.copy_id
                  LEFT JOIN books ON books.id = loans.book_id
             WHERE loans.ended_at IS NULL AND loans.return_date = $1 AND users.category = $2
               AND COALESCE(copies.price, books.price) IS NOT DISTINCT FROM CAST($4 AS BIGINT)
             ORDER BY loans.id LIMIT $3"
        )
    } else {
        sql!(
            "SELECT loans.id, loans.user_id, users.name, loans.title
             FROM loans JOIN users ON users.id = loans.user_id
             WHERE loans.ended_at IS NULL AND loans.return_date = $1 AND users.category = $2
               AND CAST($4 AS BIGINT) IS NULL ORDER BY loans.id LIMIT $3"
        )
    };
    tx.query(statement, &[&alike.due.to_string(), &alike.category, &limit, &alike.price], |row| {
        Ok(OpenLoan { id: row.get(0)?, user: row.get(1)?, user_name: row.get(2)?, title: row.get(3)? })
    })
}
