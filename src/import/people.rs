//! People from a CSV file: who is new, what changes of whom, and which rows cannot be taken (R-PEOPLE-4).
//!
//! A person is known by the roll number. A blank cell changes nothing, a `-` clears. Roles, passwords, bars and whether
//! somebody is active are never touched. Imported twice, a file changes nothing the second time.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::Path,
};

use anyhow::Result;
use indicatif::ProgressBar;
use jiff::civil::Date;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;

use super::table::{REJECT_COLUMNS, Row, Table};
use crate::{
    circulation::Moment,
    domain::{
        account::{ROLL_NUMBER, folded_email, folded_roll_number},
        change::Change,
        id::UserId,
        person::{Details, VALID_UNTIL},
        rule::{FieldError, Invalid},
        rulebook::Rulebook,
        rules::{Rules, STUDENT},
    },
    message,
    people::{self as library_people, Authority, Subject},
    spreadsheet::{guarded, unguarded},
    storage::{
        self, Tx,
        events::{self, Entry},
        people,
    },
};

/// The columns that are read.
const COLUMNS: [&str; 7] = ["rollNumber", "name", "email", "department", "batch", "category", VALID_UNTIL];
/// What an export has besides; it is left alone.
const IGNORED: [&str; 5] = ["role", "active", "openLoans", "overdueLoans", "owes"];

/// Clears what is recorded.
const CLEAR: &str = "-";

/// Changed people and rejected rows that a report lists; of more there is only the number.
const LISTED: usize = 500;
/// The longest file of rejected rows within an answer, in bytes.
const LONGEST_REJECTS: usize = 500 * 1024;

/// How many rows, and what becomes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Totals {
    rows: usize,
    added: usize,
    changed: usize,
    unchanged: usize,
    rejected: usize,
}

/// Somebody whose record a row changes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPerson {
    roll_number: String,
    name: String,
    /// The names of the fields that change.
    #[schema(value_type = Vec<String>)]
    fields: Vec<&'static str>,
    before: Details,
    after: Details,
}

/// A row that cannot be taken.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RejectedRow {
    line: u64,
    /// Why, in English.
    reason: String,
    /// The same by field.
    errors: Vec<FieldError>,
}

/// Somebody whom the file could have named, and does not.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingPerson {
    uid: UserId,
    roll_number: String,
    name: String,
    batch: String,
}

/// What an import does, or would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Whether nothing was stored.
    dry_run: bool,
    totals: Totals,
    /// How many people are new.
    added: usize,
    /// Whose record changes, and what; the first 500.
    changed: Vec<ChangedPerson>,
    /// How many people stay as they are.
    unchanged: usize,
    /// The first 500 of the rows that cannot be taken.
    rejected: Vec<RejectedRow>,
    /// How many active students are not in the file although others of their batch are. They stay as they are.
    missing: usize,
    /// The first 500 of them.
    missing_people: Vec<MissingPerson>,
    /// The rejected rows as CSV, each with its line and the reason in front, to be corrected and imported again; null where
    /// there are none, cut where there are very many.
    #[schema(required)]
    rejects_file: Option<String>,
}

impl Report {
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The report as an answer has room for it: of very many rejected rows the first.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.rejects_file = self.rejects_file.map(|mut file| {
            if file.len() > LONGEST_REJECTS {
                let end =
                    file[..file.floor_char_boundary(LONGEST_REJECTS)].rfind('\n').map_or(0, |end| end + 1);
                file.truncate(end);
            }
            file
        });
        self
    }

    /// How many people the file could have named, and does not.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The rejected rows as CSV.
    #[must_use]
    pub fn rejects_file(&self) -> Option<&str> {
        self.rejects_file.as_deref()
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, added, changed, unchanged, rejected } = self;
        write!(
            f,
            "{rows} rows read, {added} added, {changed} changed, {unchanged} unchanged, {rejected} rejected"
        )
    }
}

/// What the cells of a row say; `None` for a blank cell, `Some(None)` for a `-`.
#[expect(clippy::option_option, reason = "a hyphen is told from a blank cell")]
#[derive(Clone)]
struct Wanted {
    name: Option<String>,
    email: Option<Option<String>>,
    department: Option<Option<String>>,
    batch: Option<Option<String>>,
    category: Option<String>,
    valid_until: Option<Option<Date>>,
}

/// A row of the file.
struct Read {
    line: u64,
    roll_number: String,
    wanted: Wanted,
    invalid: Invalid,
    cells: Vec<String>,
}

/// A file of people.
pub struct File {
    header: Vec<String>,
    rows: Vec<Read>,
}

/// Reads a file, plain or gzipped.
///
/// # Errors
/// Where it is not sound as a whole; the first cause is the path.
pub fn read(path: &Path, bar: &ProgressBar) -> Result<File> {
    let known = [COLUMNS.as_slice(), &IGNORED].concat();
    let mut table = Table::open(path, &known, COLUMNS[0], bar)?;
    let header = table.names().map(ToOwned::to_owned).collect();
    let mut rows = Vec::new();
    while let Some(row) = table.next_row()? {
        rows.push(read_row(&row));
    }
    bar.finish_and_clear();
    Ok(File { header, rows })
}

fn read_row(row: &Row<'_>) -> Read {
    let mut invalid = Invalid::default();
    if let Err(reason) = row.check_length() {
        invalid.push("", message::import_row(&reason.to_string()));
    }
    let cell =
        |column: &'static str| Some(unguarded(row.cell(column)).trim()).filter(|cell| !cell.is_empty());
    let text = |column| cell(column).map(ToOwned::to_owned);
    let or_clear = |column| cell(column).map(|cell| (cell != CLEAR).then(|| cell.to_owned()));
    // Full-width digits are digits.
    let roll_number: String = cell(COLUMNS[0]).unwrap_or_default().nfkc().collect();
    let roll_number = folded_roll_number(&ROLL_NUMBER.check(&roll_number, &mut invalid));
    let valid_until = cell(VALID_UNTIL).map(|cell| {
        let day = (cell != CLEAR).then(|| day(cell));
        if day == Some(None) {
            invalid.push(VALID_UNTIL, message::import_not_day(&cell.chars().take(40).collect::<String>()));
        }
        day.flatten()
    });
    let wanted = Wanted {
        name: text("name"),
        email: or_clear("email"),
        department: or_clear("department"),
        batch: or_clear("batch"),
        category: text("category"),
        valid_until,
    };
    Read { line: row.line, roll_number, wanted, invalid, cells: row.cells().map(ToOwned::to_owned).collect() }
}

/// A day as India writes it (5-6-2027 is the fifth of June), or as ISO does.
fn day(cell: &str) -> Option<Date> {
    let parts: Vec<&str> = cell.split(['-', '/', '.']).collect();
    let [first, month, last] = parts.as_slice() else { return None };
    let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
    if year.len() != 4 || parts.iter().any(|part| !part.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

impl Wanted {
    /// The record of somebody new.
    fn new_person(&self, roll_number: &str) -> Details {
        let none = Details {
            name: String::new(),
            email: None,
            roll_number: Some(roll_number.to_owned()),
            department: None,
            batch: None,
            category: STUDENT.into(),
            valid_until: None,
            barred: None,
        };
        self.over(none)
    }

    /// A record with what the row says.
    fn over(&self, record: Details) -> Details {
        Details {
            name: self.name.clone().unwrap_or(record.name),
            email: self.email.clone().unwrap_or(record.email),
            department: self.department.clone().unwrap_or(record.department),
            batch: self.batch.clone().unwrap_or(record.batch),
            category: self.category.clone().unwrap_or(record.category),
            valid_until: self.valid_until.unwrap_or(record.valid_until),
            ..record
        }
    }

    /// The same as it is stored: of somebody who is there only what the row says is looked at.
    fn checked(&self, row: &Read, known: bool, rules: &Rules, invalid: &mut Invalid) -> Self {
        let mut details = self.new_person(&row.roll_number);
        if known && self.name.is_none() {
            // Stays as it is, and need not be said again.
            details.name = "-".into();
        }
        match details.checked(rules) {
            Err(wrong) => {
                // The roll number was told already.
                invalid.0.extend(wrong.0.into_iter().filter(|error| error.field != ROLL_NUMBER.field));
                self.clone()
            }
            Ok(sound) => Self {
                name: self.name.as_ref().map(|_| sound.name),
                email: self.email.as_ref().map(|_| sound.email),
                department: self.department.as_ref().map(|_| sound.department),
                batch: self.batch.as_ref().map(|_| sound.batch),
                category: self.category.as_ref().map(|_| sound.category),
                valid_until: self.valid_until,
            },
        }
    }
}

/// The fields in which two records differ.
fn fields(before: &Details, after: &Details) -> Vec<&'static str> {
    [
        ("name", before.name != after.name),
        ("email", before.email != after.email),
        ("department", before.department != after.department),
        ("batch", before.batch != after.batch),
        ("category", before.category != after.category),
        (VALID_UNTIL, before.valid_until != after.valid_until),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

/// What the rows come to.
#[derive(Default)]
struct Plan<'f> {
    new: Vec<Details>,
    changed: Vec<(UserId, Details, Details)>,
    unchanged: usize,
    rejected: Vec<(&'f Read, Invalid)>,
    missing: Vec<MissingPerson>,
}

/// As many zeros in front of a number may have been lost.
const ZEROS: usize = 8;

/// The people whose roll number would be one of these, had a spreadsheet not taken it for a number; by what it made of it.
fn without_zeros(tx: &mut Tx<'_>, keys: &[&str]) -> storage::Result<HashMap<String, people::Record>> {
    let numbers =
        keys.iter().filter(|key| !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit()));
    let padded: Vec<String> =
        numbers.flat_map(|key| (1..=ZEROS).map(move |zeros| format!("{}{key}", "0".repeat(zeros)))).collect();
    let padded: Vec<&str> = padded.iter().map(String::as_str).collect();
    let found = people::with_roll_numbers(tx, &padded)?.into_iter().filter_map(|record| {
        Some((record.details.roll_number.as_deref()?.trim_start_matches('0').to_owned(), record))
    });
    Ok(found.collect())
}

/// The active students of the batches of those whom the file knows, without those whom it names.
fn missing(
    tx: &mut Tx<'_>,
    known: &HashMap<String, people::Record>,
    named: &HashMap<&str, Vec<u64>>,
) -> storage::Result<Vec<MissingPerson>> {
    let batches: BTreeSet<&str> =
        known.values().filter_map(|record| record.details.batch.as_deref()).collect();
    let mut missing = Vec::new();
    for batch in batches {
        for record in people::of_batch(tx, batch)? {
            let Some(roll_number) = record.details.roll_number else { continue };
            let without_zeros = roll_number.trim_start_matches('0');
            if !named.contains_key(roll_number.as_str()) && !named.contains_key(without_zeros) {
                let (uid, name, batch) = (record.uid, record.details.name, batch.to_owned());
                missing.push(MissingPerson { uid, roll_number, name, batch });
            }
        }
    }
    Ok(missing)
}

fn plan<'f>(
    tx: &mut Tx<'_>,
    authority: &Authority,
    file: &'f File,
    rules: &Rules,
) -> storage::Result<Plan<'f>> {
    let mut lines: HashMap<&str, Vec<u64>> = HashMap::new();
    for row in &file.rows {
        lines.entry(&row.roll_number).or_default().push(row.line);
    }
    let keys: Vec<&str> = lines.keys().copied().filter(|key| !key.is_empty()).collect();
    let known: HashMap<String, people::Record> = people::with_roll_numbers(tx, &keys)?
        .into_iter()
        .filter_map(|record| Some((record.details.roll_number.clone()?, record)))
        .collect();
    let unknown: Vec<&str> = keys.iter().copied().filter(|key| !known.contains_key(*key)).collect();
    let zeros_lost = without_zeros(tx, &unknown)?;
    let merged: HashMap<String, people::Record> =
        people::with_merged_roll_numbers(tx, &unknown)?.into_iter().collect();
    let barcodes: HashSet<String> = people::barcodes_among(tx, &keys)?.into_iter().collect();
    let emails = file.rows.iter().filter_map(|row| row.wanted.email.as_ref()?.as_deref()).map(folded_email);
    let emails: Vec<String> = emails.collect::<HashSet<_>>().into_iter().collect();
    // Who has each address, and after that who gets it.
    let mut owners: HashMap<String, String> = HashMap::new();
    for (email, uid) in people::owners_of_emails(tx, &emails)? {
        owners.insert(email, format!("#{uid}"));
    }
    let mut plan = Plan { missing: missing(tx, &known, &lines)?, ..Plan::default() };
    for row in &file.rows {
        let mut invalid = row.invalid.clone();
        let known = known.get(&row.roll_number);
        let wanted = row.wanted.checked(row, known.is_some(), rules, &mut invalid);
        let twice = lines
            .get(row.roll_number.as_str())
            .filter(|lines| lines.len() > 1 && !row.roll_number.is_empty());
        if let Some(lines) = twice {
            let others: Vec<String> =
                lines.iter().filter(|line| **line != row.line).map(u64::to_string).collect();
            invalid.push(ROLL_NUMBER.field, message::import_row_twice(&others.join(", ")));
        }
        if let Some(other) = zeros_lost.get(&row.roll_number).filter(|_| known.is_none()) {
            let of_other = other.details.roll_number.as_deref().unwrap_or_default();
            invalid.push(ROLL_NUMBER.field, message::import_zeros_lost(of_other, &other.details.name));
        }
        if let Some(other) = merged.get(&row.roll_number) {
            let own = other.details.roll_number.as_deref().unwrap_or_default();
            invalid.push(ROLL_NUMBER.field, message::import_merged(&other.details.name, own));
        }
        if known.is_none() && barcodes.contains(&row.roll_number) {
            invalid.push(ROLL_NUMBER.field, message::roll_number_is_barcode(ROLL_NUMBER.label));
        }
        if let Some(email) = wanted.email.as_ref().and_then(|email| email.as_deref()).map(folded_email) {
            let own = known.map_or_else(|| row.roll_number.clone(), |known| format!("#{}", known.uid));
            if invalid.0.is_empty() && *owners.entry(email.clone()).or_insert_with(|| own.clone()) != own {
                invalid.push("email", message::import_email_of_another(&email));
            }
        }
        if !invalid.0.is_empty() {
            plan.rejected.push((row, invalid));
            continue;
        }
        match known {
            None => plan.new.push(wanted.new_person(&row.roll_number)),
            Some(known) => {
                let after = wanted.over(known.details.clone());
                if after == known.details {
                    plan.unchanged += 1;
                } else if authority.covers(&known.capabilities).is_err() {
                    invalid.push(ROLL_NUMBER.field, message::problem_more_capable());
                    plan.rejected.push((row, invalid));
                } else {
                    plan.changed.push((known.uid, known.details.clone(), after));
                }
            }
        }
    }
    Ok(plan)
}

/// Rows in one statement.
const PORTION: usize = 500;

/// Brings the people of a file in, or with `dry_run` tells what that would do. All of it is one transaction.
pub fn import(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    file: &File,
    dry_run: bool,
) -> library_people::Result<Report> {
    let by = authority.by();
    let plan = plan(tx, authority, file, rulebook.on(moment.today))?;
    if !dry_run {
        for portion in plan.changed.chunks(PORTION) {
            let changed: HashMap<UserId, &Details> =
                portion.iter().map(|(uid, _, after)| (*uid, after)).collect();
            let uids: Vec<UserId> = changed.keys().copied().collect();
            let subjects = authority.over_all(tx, &uids)?;
            let row = |subject: &Subject| changed.get(&subject.uid()).map(|after| Details::clone(after));
            let rows: Vec<(&Subject, Details)> =
                subjects.iter().filter_map(|subject| Some((subject, row(subject)?))).collect();
            people::update_all(tx, &rows)?;
            let entry = |(uid, before, after): &(UserId, Details, Details)| {
                Entry::person(*uid, Change::PersonUpdated { before: before.clone(), after: after.clone() })
            };
            events::record_all(tx, moment.at, by, &portion.iter().map(entry).collect::<Vec<_>>())?;
        }
        for portion in plan.new.chunks(PORTION) {
            let uids = people::add_all(tx, portion, moment.at)?;
            let entry = |(person, uid): (&Details, &UserId)| {
                Entry::person(*uid, Change::PersonAdded { person: person.clone() })
            };
            events::record_all(tx, moment.at, by, &portion.iter().zip(&uids).map(entry).collect::<Vec<_>>())?;
        }
    }
    let totals = Totals {
        rows: file.rows.len(),
        added: plan.new.len(),
        changed: plan.changed.len(),
        unchanged: plan.unchanged,
        rejected: plan.rejected.len(),
    };
    let rejected: Vec<(&Read, RejectedRow)> = plan
        .rejected
        .into_iter()
        .map(|(row, invalid)| {
            (row, RejectedRow { line: row.line, reason: reason(&invalid), errors: invalid.0 })
        })
        .collect();
    Ok(Report {
        dry_run,
        totals,
        added: totals.added,
        changed: plan
            .changed
            .into_iter()
            .take(LISTED)
            .map(|(_, before, after)| ChangedPerson {
                roll_number: after.roll_number.clone().unwrap_or_default(),
                name: after.name.clone(),
                fields: fields(&before, &after),
                before,
                after,
            })
            .collect(),
        unchanged: totals.unchanged,
        missing: plan.missing.len(),
        missing_people: plan.missing.into_iter().take(LISTED).collect(),
        rejects_file: rejects_file(file, &rejected),
        rejected: rejected.into_iter().take(LISTED).map(|(_, row)| row).collect(),
    })
}

fn reason(invalid: &Invalid) -> String {
    let told = invalid.0.iter().map(|error| match error.field.as_ref() {
        "" => error.message.clone(),
        field => format!("{field}: {}", error.message),
    });
    told.collect::<Vec<_>>().join("; ")
}

fn rejects_file(file: &File, rejected: &[(&Read, RejectedRow)]) -> Option<String> {
    if rejected.is_empty() {
        return None;
    }
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let header = REJECT_COLUMNS.into_iter().chain(file.header.iter().map(String::as_str));
    writer.write_record(header.map(guarded)).ok()?;
    for (row, rejected) in rejected {
        let line = rejected.line.to_string();
        let cells = [line.as_str(), &rejected.reason].into_iter().chain(row.cells.iter().map(String::as_str));
        writer.write_record(cells.map(guarded)).ok()?;
    }
    String::from_utf8(writer.into_inner().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_written_as_in_india_or_as_iso_r_people_4() {
        for (cell, expected) in [
            ("05-06-2027", Some(date(2027, 6, 5))),
            ("5/6/2027", Some(date(2027, 6, 5))),
            ("31.12.2027", Some(date(2027, 12, 31))),
            ("2027-06-05", Some(date(2027, 6, 5))),
            ("31-02-2027", None),
            ("06-31-2027", None),
            ("5-6-27", None),
            ("June 2027", None),
            ("+5-6-2027", None),
        ] {
            assert_eq!(day(cell), expected, "{cell}");
        }
    }
}
