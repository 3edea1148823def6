//! Import of people from a CSV file (R-PEOPLE-4).
//!
//! The roll number identifies a person. A blank cell changes nothing, a `-` clears the field. Roles, passwords, bars and
//! deactivation are never changed. A repeated import changes nothing.
//!
//! The file is read row by row, in several passes: check, index of roll numbers, plan, and, unless it is a dry run, store.
//! Memory holds one portion of rows, the roll numbers, the addresses and the report's lists, so memory and time grow no faster
//! than the file (R-SEAM-10). Each portion is planned from a snapshot and stored in its own transaction, which locks its people
//! and plans them anew: a desk waits for one portion at most. A file of one portion is stored whole or not at all.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use csv::StringRecord;
use indicatif::ProgressBar;
use jiff::civil::Date;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;

use super::{
    Pace,
    day::{self, Order},
    patiently, reason,
    rejects::{Excerpt, Rejected, Rejects},
    table::{Columns, Row, Source, Table},
};
use crate::{
    domain::{
        account::{GUARDIAN_EMAIL, GUARDIAN_PHONE, PHONE, ROLL_NUMBER, folded_email, folded_roll_number},
        change::PersonChange,
        id::{ImportId, UserId},
        moment::Moment,
        person::{Details, VALID_UNTIL},
        rule::{FieldError, Invalid},
        rules::{Rules, STUDENT},
    },
    message::{self, Message},
    policies::Policies,
    spreadsheet::unguarded,
    storage::{
        self, Db, Tx,
        authority::{self, Authority, Subject},
        events::{self, Entry},
        imports::{self, Counts, Kind, State},
        people,
    },
};

/// Columns that are read.
const COLUMNS: [&str; 10] = [
    "rollNumber",
    "name",
    "email",
    "department",
    "batch",
    "category",
    VALID_UNTIL,
    PHONE.field,
    GUARDIAN_EMAIL.field,
    GUARDIAN_PHONE.field,
];
/// Column of a school's list that is joined with the batch: class 8 and section B become the batch 8-B.
const SECTION: &str = "section";
/// Further columns of an export, which are ignored.
const IGNORED: [&str; 5] = ["role", "active", "openLoans", "overdueLoans", "owes"];

/// Cell that clears its field.
const CLEAR: &str = "-";

/// Maximum rows in a file, without blank ones.
const MOST_ROWS: usize = 200_000;
/// Maximum bytes of a file's unpacked text: 300 per row.
pub const LONGEST: u64 = 64 * 1024 * 1024;
/// Maximum rejected rows; a file with more is refused.
const MOST_REJECTED: usize = 10_000;

/// Maximum entries in each list of a report: changed people, rejected rows, missing people.
const LISTED: usize = 500;
/// Maximum bytes of JSON of each of these lists: a response stored for a retry has at most 1 MiB.
const ROOM: usize = 200 * 1024;
/// Maximum bytes of JSON of the rejected rows as a file.
const ROOM_FOR_REJECTS: usize = 300 * 1024;

/// Rows planned or stored at once: 0.1 s of the only writer's time in a debug build (measured).
const PORTION: usize = 1000;
/// Maximum bytes of rows in a portion, which may end it before [`PORTION`] rows.
const PORTION_LENGTH: usize = 1024 * 1024;

/// Numbers of rows by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Totals {
    rows: usize,
    added: usize,
    changed: usize,
    unchanged: usize,
    rejected: usize,
}

/// Person whose record a row changes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPerson {
    roll_number: String,
    name: String,
    /// Names of the changed fields.
    #[schema(value_type = Vec<String>)]
    fields: Vec<&'static str>,
    before: Details,
    after: Details,
}

/// Rejected row.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RejectedRow {
    line: u64,
    /// Reason in English.
    reason: String,
    /// Errors by field.
    errors: Vec<FieldError>,
}

/// Active student missing from the file, although others of the student's batch are in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingPerson {
    uid: UserId,
    roll_number: String,
    name: String,
    batch: String,
}

/// Result of an import, or its preview.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// True for a preview.
    dry_run: bool,
    totals: Totals,
    /// Number of new people.
    added: usize,
    /// Changed people; at most the first 500.
    changed: Vec<ChangedPerson>,
    /// Number of unchanged people.
    unchanged: usize,
    /// Rejected rows; at most the first 500.
    rejected: Vec<RejectedRow>,
    /// Number of active students who are not in the file although others of their batch are. They stay unchanged.
    missing: usize,
    /// The missing students, at most the first 500.
    missing_people: Vec<MissingPerson>,
    /// Rejected rows as CSV, each after its line and reason, to correct and import again; null if there are none, cut if there
    /// are very many.
    #[schema(required)]
    rejects_file: Option<String>,
    /// Id for the undo of the import; null if it stored nothing.
    #[schema(required)]
    import: Option<ImportId>,
}

impl Totals {
    #[must_use]
    pub fn rejected(&self) -> usize {
        self.rejected
    }
}

impl Report {
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the number of students missing from the file.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.missing
    }
}

/// Reason why an import stored nothing, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is malformed, or the list of rejected rows cannot be written. The outermost context names the file.
    #[error(transparent)]
    File(#[from] anyhow::Error),
    /// The whole file is refused.
    #[error("{}", .0.text())]
    Refused(Message),
    #[error("nothing was stored")]
    Storage(#[from] storage::Error),
    /// A portion failed; the earlier ones are stored.
    #[error("stopped after {stored} people were stored; run the import again to go on")]
    Stopped {
        stored: usize,
        #[source]
        source: storage::Error,
    },
}

pub type Result<T> = std::result::Result<T, Error>;

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, added, changed, unchanged, rejected } = self;
        write!(
            f,
            "{rows} rows read, {added} added, {changed} changed, {unchanged} unchanged, {rejected} rejected"
        )
    }
}

/// Values of a row's cells; `None` for a blank cell, `Some(None)` for a `-`.
#[expect(clippy::option_option, reason = "a hyphen is told from a blank cell")]
#[derive(Clone)]
struct Wanted {
    name: Option<String>,
    email: Option<Option<String>>,
    department: Option<Option<String>>,
    batch: Option<Option<String>>,
    category: Option<String>,
    valid_until: Option<Option<Date>>,
    phone: Option<Option<String>>,
    guardian_email: Option<Option<String>>,
    guardian_phone: Option<Option<String>>,
}

/// Row of the file with its parsed values.
struct Read {
    line: u64,
    /// Folded; empty if the cell is not a roll number.
    roll_number: String,
    wanted: Wanted,
    invalid: Invalid,
    cells: StringRecord,
}

fn cell<'t>(row: &Row<'t>, column: &'static str) -> Option<&'t str> {
    Some(unguarded(row.cell(column)).trim()).filter(|cell| !cell.is_empty())
}

/// Returns the folded roll number of a row; empty if the cell is not one.
pub(super) fn roll_number(row: &Row<'_>, invalid: &mut Invalid) -> String {
    // NFKC turns full-width digits into digits. It may enlarge a character to eighteen, hence the limit.
    let cell: String = cell(row, COLUMNS[0]).unwrap_or_default().nfkc().take(1000).collect();
    let mut wrong = Invalid::default();
    let roll_number = folded_roll_number(&ROLL_NUMBER.check(&cell, &mut wrong));
    let sound = wrong.0.is_empty();
    invalid.0.extend(wrong.0);
    if sound { roll_number } else { String::new() }
}

fn read_row(row: &Row<'_>) -> Read {
    let mut invalid = Invalid::default();
    if let Err(reason) = row.check_cell_count() {
        invalid.push("", message::import_row(&reason.to_string()));
    }
    let text = |column| cell(row, column).map(ToOwned::to_owned);
    let or_clear = |column| cell(row, column).map(|cell| (cell != CLEAR).then(|| cell.to_owned()));
    let roll_number = roll_number(row, &mut invalid);
    let valid_until = cell(row, VALID_UNTIL).map(|cell| {
        let day = (cell != CLEAR).then(|| day::read(cell, Order::DayFirst).ok());
        if day == Some(None) {
            invalid.push(VALID_UNTIL, message::import_not_day(&cell.chars().take(40).collect::<String>()));
        }
        day.flatten()
    });
    let wanted = Wanted {
        name: text("name"),
        email: or_clear("email"),
        department: or_clear("department"),
        batch: match (or_clear("batch"), cell(row, SECTION)) {
            (Some(Some(batch)), Some(section)) => Some(Some(format!("{batch}-{section}"))),
            (batch, _) => batch,
        },
        category: text("category"),
        valid_until,
        phone: or_clear(PHONE.field),
        guardian_email: or_clear(GUARDIAN_EMAIL.field),
        guardian_phone: or_clear(GUARDIAN_PHONE.field),
    };
    Read { line: row.line, roll_number, wanted, invalid, cells: row.cells().collect() }
}

/// Reads the next portion; empty after the last row.
fn portion(table: &mut Table) -> Result<Vec<Read>> {
    let (mut rows, mut length) = (Vec::new(), 0);
    while rows.len() < PORTION && length < PORTION_LENGTH {
        let Some(row) = table.next_row()? else { break };
        if !row.is_blank() {
            length += row.size_in_bytes();
            rows.push(read_row(&row));
        }
    }
    Ok(rows)
}

impl Wanted {
    /// Returns the details of a new person.
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
            phone: None,
            guardian_email: None,
            guardian_phone: None,
        };
        self.over(none)
    }

    /// Returns the details with the row's values.
    fn over(&self, record: Details) -> Details {
        Details {
            name: self.name.clone().unwrap_or(record.name),
            email: self.email.clone().unwrap_or(record.email),
            department: self.department.clone().unwrap_or(record.department),
            batch: self.batch.clone().unwrap_or(record.batch),
            category: self.category.clone().unwrap_or(record.category),
            valid_until: self.valid_until.unwrap_or(record.valid_until),
            phone: self.phone.clone().unwrap_or(record.phone),
            guardian_email: self.guardian_email.clone().unwrap_or(record.guardian_email),
            guardian_phone: self.guardian_phone.clone().unwrap_or(record.guardian_phone),
            ..record
        }
    }

    /// Normalises the values; for a known person only filled cells are validated.
    fn checked(&self, row: &Read, known: bool, rules: &Rules, invalid: &mut Invalid) -> Self {
        let mut details = self.new_person(&row.roll_number);
        if known && self.name.is_none() {
            // A known person keeps the name; a placeholder passes the check.
            details.name = "-".into();
        }
        match details.checked(rules) {
            Err(wrong) => {
                // The roll number's own error is already in the list.
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
                phone: self.phone.as_ref().map(|_| sound.phone),
                guardian_email: self.guardian_email.as_ref().map(|_| sound.guardian_email),
                guardian_phone: self.guardian_phone.as_ref().map(|_| sound.guardian_phone),
            },
        }
    }
}

/// Returns the names of the fields that differ.
fn fields(before: &Details, after: &Details) -> Vec<&'static str> {
    [
        ("name", before.name != after.name),
        ("email", before.email != after.email),
        ("department", before.department != after.department),
        ("batch", before.batch != after.batch),
        ("category", before.category != after.category),
        (VALID_UNTIL, before.valid_until != after.valid_until),
        (PHONE.field, before.phone != after.phone),
        (GUARDIAN_EMAIL.field, before.guardian_email != after.guardian_email),
        (GUARDIAN_PHONE.field, before.guardian_phone != after.guardian_phone),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

/// Lines of a roll number in the file.
struct Lines {
    first: u64,
    /// 0 if there is none.
    second: u64,
    count: usize,
}

impl Lines {
    /// Returns the error of the row on this line if other rows have the same number.
    fn twice(&self, line: u64) -> Option<Message> {
        let other = if line == self.first { self.second } else { self.first };
        match self.count {
            0 | 1 => None,
            2 => Some(message::import_row_twice(other)),
            count => Some(message::import_row_often(other, count - 2)),
        }
    }
}

/// Roll numbers of a file.
#[derive(Default)]
struct Index {
    rows: usize,
    lines: HashMap<String, Lines>,
}

impl Index {
    fn of(table: &mut Table) -> Result<Self> {
        let mut index = Self::default();
        while let Some(row) = table.next_row()? {
            if row.is_blank() {
                continue;
            }
            index.rows += 1;
            if index.rows > MOST_ROWS {
                return Err(Error::Refused(message::import_too_many_rows(MOST_ROWS)));
            }
            let roll_number = roll_number(&row, &mut Invalid::default());
            if !roll_number.is_empty() {
                let lines =
                    index.lines.entry(roll_number).or_insert(Lines { first: row.line, second: 0, count: 0 });
                lines.count += 1;
                if lines.count == 2 {
                    lines.second = row.line;
                }
            }
        }
        Ok(index)
    }

    /// True if the file has this roll number, or the same without leading zeros, which spreadsheets drop.
    fn names(&self, roll_number: &str) -> bool {
        self.lines.contains_key(roll_number) || self.lines.contains_key(roll_number.trim_start_matches('0'))
    }
}

/// Owner of an address: a known person, or the new person of the row in this line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Known(UserId),
    New(u64),
}

/// Stored facts about the people of some rows.
struct Facts {
    /// People by roll number.
    known: HashMap<String, people::Record>,
    /// People whose roll number matches once leading zeros are dropped, by the number without zeros.
    zeros_lost: HashMap<String, people::Record>,
    /// Kept records by the roll number of the record merged into them.
    merged: HashMap<String, people::Record>,
    barcodes: HashSet<String>,
    /// Owners of email addresses, by folded address.
    owners: HashMap<String, Owner>,
}

/// Maximum leading zeros that a spreadsheet may have dropped.
const ZEROS: usize = 8;

pub(super) fn without_zeros(
    tx: &mut Tx<'_>,
    keys: &[&str],
) -> storage::Result<HashMap<String, people::Record>> {
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

/// Reads and locks the people with these roll numbers until the transaction ends. Until then no other transaction can
/// assign a roll number or an email address. Locks in the same order as an edit of a person.
fn locked(tx: &mut Tx<'_>, keys: &[&str]) -> storage::Result<Vec<people::Record>> {
    let found: Vec<UserId> =
        people::with_roll_numbers(tx, keys)?.into_iter().map(|record| record.uid).collect();
    // Locks librarians before other people, like every change of a librarian's rights.
    people::lock_librarians(tx)?;
    let locked = people::lock_all(tx, &found)?;
    people::lock_identifiers(tx)?;
    let since = people::with_roll_numbers(tx, keys)?;
    if since.iter().any(|record| !found.contains(&record.uid)) {
        // Another transaction has assigned a roll number in between: the retry locks that person too.
        return Err(storage::Error::Busy(None));
    }
    Ok(locked)
}

impl Facts {
    fn of(tx: &mut Tx<'_>, rows: &[Read], lock: bool) -> storage::Result<Self> {
        let keys: HashSet<&str> =
            rows.iter().map(|row| row.roll_number.as_str()).filter(|key| !key.is_empty()).collect();
        let keys: Vec<&str> = keys.into_iter().collect();
        let known = if lock { locked(tx, &keys)? } else { people::with_roll_numbers(tx, &keys)? };
        let known: HashMap<String, people::Record> = known
            .into_iter()
            .filter_map(|record| Some((record.details.roll_number.clone()?, record)))
            .collect();
        let unknown: Vec<&str> = keys.iter().copied().filter(|key| !known.contains_key(*key)).collect();
        let emails = rows.iter().filter_map(|row| row.wanted.email.as_ref()?.as_deref()).map(folded_email);
        let emails: Vec<String> = emails.collect::<HashSet<_>>().into_iter().collect();
        let owners = people::owners_of_emails(tx, &emails)?;
        Ok(Self {
            zeros_lost: without_zeros(tx, &unknown)?,
            merged: people::with_merged_roll_numbers(tx, &unknown)?.into_iter().collect(),
            barcodes: people::barcodes_among(tx, &unknown)?.into_iter().collect(),
            owners: owners.into_iter().map(|(email, uid)| (email, Owner::Known(uid))).collect(),
            known,
        })
    }
}

/// Effect of a row.
enum Step {
    Add(Box<Details>),
    Change(UserId, Box<(Details, Details)>),
    Keep,
}

/// Decides the effect of a row, or returns all its errors. `claimed` holds the addresses given out by earlier rows.
fn decide(
    row: &Read,
    facts: &Facts,
    authority: &Authority,
    lines: Option<&Lines>,
    claimed: &mut HashMap<String, Owner>,
    rules: &Rules,
) -> std::result::Result<Step, Invalid> {
    let mut invalid = row.invalid.clone();
    let known = facts.known.get(&row.roll_number);
    let wanted = row.wanted.checked(row, known.is_some(), rules, &mut invalid);
    if let Some(twice) = lines.and_then(|lines| lines.twice(row.line)) {
        invalid.push(ROLL_NUMBER.field, twice);
    }
    if known.is_none() {
        if let Some(other) = facts.zeros_lost.get(&row.roll_number) {
            let of_other = other.details.roll_number.as_deref().unwrap_or_default();
            invalid.push(ROLL_NUMBER.field, message::import_zeros_lost(of_other, &other.details.name));
        }
        if let Some(other) = facts.merged.get(&row.roll_number) {
            let own = other.details.roll_number.as_deref().unwrap_or_default();
            invalid.push(ROLL_NUMBER.field, message::import_merged(&other.details.name, own));
        }
        if facts.barcodes.contains(&row.roll_number) {
            invalid.push(ROLL_NUMBER.field, message::roll_number_is_barcode(ROLL_NUMBER.label));
        }
    }
    if !invalid.0.is_empty() {
        return Err(invalid);
    }
    if let Some(email) = wanted.email.as_ref().and_then(|email| email.as_deref()).map(folded_email) {
        let own = known.map_or(Owner::New(row.line), |known| Owner::Known(known.uid));
        if *facts.owners.get(&email).or_else(|| claimed.get(&email)).unwrap_or(&own) != own {
            return Err(Invalid::field("email", message::import_email_of_another(&email)));
        }
        claimed.insert(email, own);
    }
    let Some(known) = known else { return Ok(Step::Add(Box::new(wanted.new_person(&row.roll_number)))) };
    let before = known.details.clone();
    let after = wanted.over(before.clone());
    if after == before {
        return Ok(Step::Keep);
    }
    if authority.covers(&known.capabilities).is_err() {
        return Err(Invalid::field(ROLL_NUMBER.field, message::problem_more_capable()));
    }
    Ok(Step::Change(known.uid, Box::new((before, after))))
}

/// Stores the changed records.
fn update(
    tx: &mut Tx<'_>,
    authority: &Authority,
    mut after: HashMap<UserId, &Details>,
) -> storage::Result<()> {
    let uids: Vec<UserId> = after.keys().copied().collect();
    let subjects = authority.over_all(tx, &uids).map_err(|error| match error {
        authority::Error::Storage(error) => error,
        // The rights have changed since the rows were planned: the retry rejects these rows.
        _ => storage::Error::Busy(None),
    })?;
    let row = |subject| Some((subject, after.remove(&Subject::uid(subject))?.clone()));
    people::update_all(tx, &subjects.iter().filter_map(row).collect::<Vec<_>>())
}

/// Result of a stored portion.
#[derive(Default)]
struct Stored {
    added: usize,
    changed: Vec<(Details, Details)>,
    unchanged: usize,
    /// Errors of rejected rows, with the index of each row in the portion.
    rejected: Vec<(usize, Invalid)>,
}

/// Stores a portion. Locks its people and plans their rows again, because their records may have changed since the
/// first plan.
fn store(
    tx: &mut Tx<'_>,
    import: ImportId,
    rows: &[Read],
    authority: &Authority,
    moment: Moment,
    rules: &Rules,
) -> storage::Result<Stored> {
    let facts = Facts::of(tx, rows, true)?;
    let (mut stored, mut claimed) = (Stored::default(), HashMap::new());
    let (mut new, mut changes) = (Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        match decide(row, &facts, authority, None, &mut claimed, rules) {
            Ok(Step::Add(details)) => new.push(*details),
            Ok(Step::Change(uid, records)) => {
                changes.push(uid);
                stored.changed.push(*records);
            }
            Ok(Step::Keep) => stored.unchanged += 1,
            Err(invalid) => stored.rejected.push((place, invalid)),
        }
    }
    let rows = changes.iter().zip(&stored.changed).map(|(uid, (_, after))| (*uid, after));
    update(tx, authority, rows.collect())?;
    let updated = changes.iter().zip(&stored.changed).map(|(uid, (before, after))| {
        Entry::person(
            *uid,
            PersonChange::PersonUpdated { before: Box::new(before.clone()), after: Box::new(after.clone()) },
        )
    });
    let by = authority.by();
    events::record_all(tx, moment.at, by, &updated.collect::<Vec<_>>())?;
    let uids = people::add_all(tx, &new, moment.at)?;
    stored.added = new.len();
    let added = new
        .into_iter()
        .zip(&uids)
        .map(|(person, uid)| Entry::person(*uid, PersonChange::PersonAdded { person: Box::new(person) }))
        .collect::<Vec<_>>();
    events::record_all(tx, moment.at, by, &added)?;
    imports::add_people(tx, import, &[changes, uids].concat())?;
    Ok(stored)
}

/// Destination of the rejected rows.
enum List {
    Answer(Excerpt),
    File(Box<Rejects>),
}

/// List of a report, limited in entries and bytes.
struct Listed<T> {
    items: Vec<T>,
    room: usize,
}

impl<T: Serialize> Listed<T> {
    fn new() -> Self {
        Self { items: Vec::new(), room: ROOM }
    }

    fn push(&mut self, item: impl FnOnce() -> T) {
        if self.items.len() == LISTED || self.room == 0 {
            return;
        }
        let item = item();
        match self.room.checked_sub(serde_json::to_vec(&item).map_or(usize::MAX, |json| json.len())) {
            Some(room) => {
                self.room = room;
                self.items.push(item);
            }
            None => self.room = 0,
        }
    }
}

/// Report under construction.
struct Reporting {
    totals: Totals,
    changed: Listed<ChangedPerson>,
    rejected: Listed<RejectedRow>,
    /// Line and error of the first rejected row.
    first: Option<(u64, FieldError)>,
    missing: usize,
    missing_people: Listed<MissingPerson>,
    list: List,
}

impl Reporting {
    fn reject(&mut self, row: &Read, invalid: Invalid) -> Result<()> {
        self.totals.rejected += 1;
        if self.first.is_none() {
            self.first = invalid.0.first().map(|error| (row.line, error.clone()));
        }
        let reason = reason(&invalid);
        let rejected = Rejected::of(row.line, row.cells.clone(), reason.clone());
        match &mut self.list {
            List::Answer(excerpt) => excerpt.add(&rejected),
            List::File(rejects) => rejects.add(&[rejected])?,
        }
        self.rejected.push(|| RejectedRow { line: row.line, reason, errors: invalid.0 });
        Ok(())
    }

    /// Returns the numbers of the rows stored and rejected so far.
    fn counts(&self) -> Counts {
        let Totals { rows, added, changed, unchanged, rejected } = self.totals;
        let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
        Counts {
            done: count(rows),
            added: count(added),
            more: count(changed),
            copies: 0,
            known: count(unchanged),
            clashes: 0,
            rejected: count(rejected),
        }
    }

    /// Refuses a file with too many rejected rows, before any row is stored.
    fn refuse_too_many_rejected(&self) -> Result<()> {
        match &self.first {
            Some((line, error)) if self.totals.rejected > MOST_REJECTED => {
                let reason = Message { code: error.rule, params: error.params.clone() };
                Err(Error::Refused(message::import_wrong_file(MOST_REJECTED, *line, &reason)))
            }
            _ => Ok(()),
        }
    }

    fn change(&mut self, (before, after): (Details, Details)) {
        self.totals.changed += 1;
        self.changed.push(|| ChangedPerson {
            roll_number: after.roll_number.clone().unwrap_or_default(),
            name: after.name.clone(),
            fields: fields(&before, &after),
            before,
            after,
        });
    }

    fn finish(mut self, dry_run: bool, import: Option<ImportId>) -> Result<Report> {
        // Rows rejected only while storing were appended last.
        self.rejected.items.sort_by_key(|row| row.line);
        Ok(Report {
            dry_run,
            totals: self.totals,
            added: self.totals.added,
            changed: self.changed.items,
            unchanged: self.totals.unchanged,
            rejected: self.rejected.items,
            missing: self.missing,
            missing_people: self.missing_people.items,
            rejects_file: match self.list {
                _ if self.totals.rejected == 0 => None,
                List::Answer(excerpt) => Some(excerpt.finish()),
                List::File(rejects) => {
                    rejects.finish()?;
                    None
                }
            },
            import,
        })
    }
}

/// Parameters of an import.
pub struct Import<'i> {
    pub db: &'i Db,
    pub policies: &'i Policies,
    pub authority: &'i Authority,
    pub moment: Moment,
    /// Name of the file, shown in the list of imports.
    pub name: &'i str,
    /// Field of each column of the file; `None` takes the fields from the header.
    pub fields: Option<&'i [String]>,
    /// True for a preview, which stores nothing.
    pub dry_run: bool,
    /// File for the rejected rows; without one the report holds as many as fit.
    pub rejected: Option<&'i Path>,
}

impl Import<'_> {
    /// Imports a file, plain or gzipped. Blocks on the database, so it must run on a plain thread.
    ///
    /// # Errors
    /// If nothing was stored, or not all rows.
    pub fn run(&self, file: &Source) -> Result<Report> {
        let known = [COLUMNS.as_slice(), &[SECTION], &IGNORED].concat();
        let columns = Columns { known: &known, required: &[COLUMNS[0]], fields: self.fields };
        let mut table = Table::open(file, LONGEST, columns, &ProgressBar::hidden())?;
        let index = Index::of(&mut table)?;
        let mut reporting = Reporting {
            totals: Totals { rows: index.rows, ..Totals::default() },
            changed: Listed::new(),
            rejected: Listed::new(),
            first: None,
            missing: 0,
            missing_people: Listed::new(),
            list: match self.rejected {
                None => List::Answer(Excerpt::new(&table, ROOM_FOR_REJECTS)),
                Some(path) => List::File(Box::new(Rejects::create(path, &table)?)),
            },
        };
        table.rewind()?;
        let (due, batches) = self.plan(&mut table, &index, &mut reporting)?;
        self.find_missing(&batches, &index, &mut reporting)?;
        if self.dry_run {
            return reporting.finish(true, None);
        }
        (reporting.totals.added, reporting.totals.changed) = (0, 0);
        if !due.contains(&true) {
            return reporting.finish(false, None);
        }
        table.rewind()?;
        let import = self.begin()?;
        let applied = self.apply(&mut table, &due, import, &mut reporting);
        let counts = reporting.counts();
        let report = applied.and_then(|()| reporting.finish(false, Some(import)));
        let state = if report.is_ok() { State::Done } else { State::Stopped };
        let rejects = report.as_ref().ok().and_then(|report| report.rejects_file.clone());
        let now = self.moment.at;
        self.db.write_blocking(move |tx| {
            imports::advance(tx, import, &counts, now)?;
            imports::end(tx, import, state, rejects.as_deref(), now)
        })?;
        report
    }

    /// Creates the import's record, which its undo needs.
    fn begin(&self) -> Result<ImportId> {
        let (name, by, now) = (self.name.to_owned(), self.authority.by(), self.moment.at);
        let begun = self.db.write_blocking(move |tx| imports::begin_apart(tx, Kind::People, &name, by, now));
        Ok(begun?)
    }

    /// Plans all rows: returns, for each, whether it must be stored, and the batches of the known people in the file.
    fn plan(
        &self,
        table: &mut Table,
        index: &Index,
        reporting: &mut Reporting,
    ) -> Result<(Vec<bool>, BTreeSet<String>)> {
        let (mut due, mut batches) = (Vec::with_capacity(index.rows), BTreeSet::new());
        let mut claimed = HashMap::new();
        loop {
            let rows = Arc::new(portion(table)?);
            if rows.is_empty() {
                return Ok((due, batches));
            }
            let (asked, policies) = (Arc::clone(&rows), self.policies.clone());
            let (facts, rulebook) = self.db.read_blocking(move |tx| -> storage::Result<_> {
                Ok((Facts::of(tx, &asked, false)?, policies.current(tx)?))
            })?;
            let rules = rulebook.on(self.moment.today);
            batches.extend(facts.known.values().filter_map(|record| record.details.batch.clone()));
            for row in &*rows {
                let step = decide(
                    row,
                    &facts,
                    self.authority,
                    index.lines.get(&row.roll_number),
                    &mut claimed,
                    rules,
                );
                due.push(matches!(step, Ok(Step::Add(_) | Step::Change(..))));
                match step {
                    Ok(Step::Add(_)) => reporting.totals.added += 1,
                    Ok(Step::Change(_, records)) if self.dry_run => reporting.change(*records),
                    // Reported when the change is stored.
                    Ok(Step::Change(..)) => {}
                    Ok(Step::Keep) => reporting.totals.unchanged += 1,
                    Err(invalid) => {
                        reporting.reject(row, invalid)?;
                        reporting.refuse_too_many_rejected()?;
                    }
                }
            }
        }
    }

    /// Stores the rows that are due, in portions.
    fn apply(
        &self,
        table: &mut Table,
        due: &[bool],
        import: ImportId,
        reporting: &mut Reporting,
    ) -> Result<()> {
        let (mut due, mut pace) = (due.iter(), Pace::new());
        let mut waiting: Vec<Read> = Vec::new();
        loop {
            let mut rows = portion(table)?;
            let is_last = rows.is_empty();
            rows.retain(|_| due.next() == Some(&true));
            // Small portions are joined with the next.
            if is_last || waiting.len() + rows.len() > PORTION {
                self.store(std::mem::take(&mut waiting), import, reporting)?;
                pace.keep();
            }
            waiting.append(&mut rows);
            if is_last {
                return Ok(());
            }
        }
    }

    fn store(&self, rows: Vec<Read>, import: ImportId, reporting: &mut Reporting) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let rows = Arc::new(rows);
        let stored = patiently(|| {
            let (rows, policies, authority, moment) =
                (Arc::clone(&rows), self.policies.clone(), self.authority.clone(), self.moment);
            self.db.write_blocking(move |tx| {
                let rulebook = policies.current(tx)?;
                store(tx, import, &rows, &authority, moment, rulebook.on(moment.today))
            })
        });
        let before = reporting.totals.added + reporting.totals.changed;
        let stored = stored.map_err(|source| match before {
            0 => Error::Storage(source),
            stored => Error::Stopped { stored, source },
        })?;
        reporting.totals.added += stored.added;
        reporting.totals.unchanged += stored.unchanged;
        for records in stored.changed {
            reporting.change(records);
        }
        for (place, invalid) in stored.rejected {
            reporting.reject(&rows[place], invalid)?;
        }
        Ok(())
    }

    /// Reports the active students of these batches who are not in the file.
    fn find_missing(
        &self,
        batches: &BTreeSet<String>,
        index: &Index,
        reporting: &mut Reporting,
    ) -> Result<()> {
        let begin_of = |batch: &String| (batch.clone(), String::new(), UserId(0));
        let mut from = batches.first().map(begin_of);
        while let Some(place) = from {
            let page = self.db.read_blocking(move |tx| people::along_batches(tx, &place, PORTION))?;
            let last = page.last().map(|person| (person.batch.clone(), person.name_key.clone(), person.uid));
            from = last.and_then(|last| {
                // If the page ended in a batch that is not in the file, continues with the next one that is.
                let next = || batches.range(last.0.clone()..).next().map(begin_of);
                if batches.contains(&last.0) { Some(last) } else { next() }
            });
            for person in page {
                let Some(roll_number) = person.roll_number.filter(|_| person.is_active_student) else {
                    continue;
                };
                if batches.contains(&person.batch) && !index.names(&roll_number) {
                    reporting.missing += 1;
                    let (uid, name, batch) = (person.uid, person.name, person.batch);
                    reporting.missing_people.push(|| MissingPerson { uid, roll_number, name, batch });
                }
            }
        }
        Ok(())
    }
}
