//! Staged imports of lists whose rows each make one entry: an open loan or a charge.
//!
//! The file is read once to count its rows and to find the order of its days, then in portions, each decided and stored in one
//! transaction together with the import's progress. A repeated import finds the entry of every row and adds nothing.

use std::{
    collections::{HashMap, hash_map},
    path::Path,
    sync::Arc,
};

use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Pace, RejectedLine,
    books::{LISTED, ROOM_FOR_REJECTS, stopped},
    columns::Vocabulary,
    day::{self, Evidence, Order, Unread},
    patiently, reason,
    rejects::{Excerpt, Rejected, Rejects},
    table::{Columns, Row, Source, Table},
};
use crate::{
    clock::Clock,
    domain::{
        id::{ChangeId, ImportId, UserId},
        moment::Moment,
        rule::Invalid,
    },
    message,
    money::Money,
    storage::{
        self, Db, Tx,
        imports::{self, Counts, Kind, Made, State},
    },
};

/// Maximum rows in a portion, which is stored in one transaction.
const PORTION: usize = 500;
/// Maximum bytes of rows in a portion, which may end it before [`PORTION`] rows.
const PORTION_LENGTH: usize = 1024 * 1024;

/// Maximum bytes of an upload's unpacked text, and its maximum rows.
pub const LONGEST: u64 = 64 * 1024 * 1024;
const MOST_ROWS: u64 = 100_000;

/// Data common to the rows of an import.
#[derive(Clone, Debug)]
pub struct Run {
    /// Librarian; `None` for the command line.
    pub by: Option<UserId>,
    pub moment: Moment,
    /// Name of the file, to be shown.
    pub file_name: String,
}

/// Parameters of an import.
#[derive(Clone, Debug)]
pub struct Options {
    /// Field of each column of the file; `None` takes the fields from the header.
    pub fields: Option<Vec<String>>,
    pub run: Run,
}

/// Rows of a file that were read before, by identity.
#[derive(Default)]
pub struct Seen(HashMap<String, (u64, u64)>);

impl Seen {
    /// Counts a row. If equal rows came before, returns the line of the first of these and their number.
    pub(super) fn count(&mut self, identity: String, line: u64) -> Option<(u64, u64)> {
        match self.0.entry(identity) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert((line, 1));
                None
            }
            hash_map::Entry::Occupied(mut entry) => {
                let (first, count) = entry.get_mut();
                *count += 1;
                Some((*first, *count - 1))
            }
        }
    }
}

/// Row of a list that makes one entry.
pub trait ListRow: Sized + Send + Sync + 'static {
    const KIND: Kind;
    const VOCABULARY: &'static Vocabulary;
    /// Fields that hold days.
    const DAYS: &'static [&'static str];
    /// Decision to make an entry.
    type Plan;

    /// Reads a row, or returns all its errors.
    fn read(row: &Row<'_>, order: Order) -> Result<Self, Invalid>;

    /// Compares the row with those before it in the file.
    fn note(&mut self, line: u64, seen: &mut Seen) -> Result<(), Invalid>;

    /// Amount of the row's charge; zero for a loan.
    fn amount(&self) -> Money {
        Money::ZERO
    }

    /// Decides the effect of each row: a plan, `None` if its entry exists already, or its errors. With `lock`, locks the
    /// records that the plans depend on until the transaction ends.
    fn plan(
        tx: &mut Tx<'_>,
        rows: &[&Self],
        run: &Run,
        lock: bool,
    ) -> storage::Result<Vec<Result<Option<Self::Plan>, Invalid>>>;

    /// Makes an entry; returns it with its change.
    fn make(
        &self,
        tx: &mut Tx<'_>,
        plan: &Self::Plan,
        run: &Run,
        import: ImportId,
    ) -> storage::Result<(Made, ChangeId)>;
}

/// Effect that an import would have.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntriesReport {
    pub rows: u64,
    /// New loans or charges.
    pub added: u64,
    /// Rows whose loan or charge is already recorded.
    pub known: u64,
    pub rejected: u64,
    /// Sum of the new charges; 0 for loans.
    pub amount: Money,
    /// Order in which days such as 05/06/2026 are read: `day-first`, `month-first`, or `mixed` if the file has both orders; null
    /// if no day of the file needs an order.
    #[schema(required)]
    pub day_order: Option<&'static str>,
    /// At most the first 200 of the rejected rows.
    pub rejected_rows: Vec<RejectedLine>,
    /// Rejected rows as CSV, each after its line and reason, to correct and import again; null if there are none, cut if there
    /// are very many.
    #[schema(required)]
    pub rejects_file: Option<String>,
}

/// Reads the day of a cell; `None`, with an error, if it is missing or cannot be read.
pub(super) fn required_day(
    row: &Row<'_>,
    field: &'static str,
    label: &str,
    order: Order,
    invalid: &mut Invalid,
) -> Option<Date> {
    if row.cell(field).is_empty() {
        invalid.push(field, message::required(label));
        return None;
    }
    optional_day(row, field, order, invalid)
}

/// Reads the day of a cell that may be blank.
pub(super) fn optional_day(
    row: &Row<'_>,
    field: &'static str,
    order: Order,
    invalid: &mut Invalid,
) -> Option<Date> {
    let cell = row.cell(field);
    if cell.is_empty() {
        return None;
    }
    let shown: String = cell.chars().take(40).collect();
    match day::read(cell, order) {
        Ok(day) => return Some(day),
        Err(Unread::NotDay) => invalid.push(field, message::import_not_day(&shown)),
        Err(Unread::TwoWays) => invalid.push(field, message::import_day_two_ways(&shown)),
    }
    None
}

/// Portion of a file: rows to be stored, and rows rejected without looking into the library.
struct Portion<R> {
    rows: i64,
    /// Line of the last row.
    line: u64,
    read: Vec<(Rejected, R)>,
    refused: Vec<(Rejected, Invalid)>,
}

/// A file that is read portion by portion.
struct File<R> {
    table: Table,
    order: Option<Order>,
    /// Number of rows, not counting blank ones.
    rows: u64,
    seen: Seen,
    kind: std::marker::PhantomData<R>,
}

impl<R: ListRow> File<R> {
    /// Opens a file, counts its rows and finds the order of its days.
    fn open(source: &Source, longest: u64, fields: Option<&[String]>, bar: &ProgressBar) -> Result<Self> {
        let Vocabulary { fields: known, required, .. } = R::VOCABULARY;
        let mut table = Table::open(source, longest, Columns { known, required, fields }, bar)?;
        let (mut rows, mut evidence) = (0, Evidence::default());
        while let Some(row) = table.next_row()? {
            if !row.is_blank() {
                rows += 1;
                for field in R::DAYS {
                    evidence.add(row.cell(field));
                }
            }
        }
        table.rewind()?;
        Ok(Self {
            table,
            order: evidence.order(),
            rows,
            seen: Seen::default(),
            kind: std::marker::PhantomData,
        })
    }

    /// Opens an upload; fails if it has too many rows.
    fn uploaded(source: &Source, fields: Option<&[String]>) -> Result<Self> {
        let file = Self::open(source, LONGEST, fields, &ProgressBar::hidden())?;
        ensure!(
            file.rows <= MOST_ROWS,
            anyhow::anyhow!("it has more than {MOST_ROWS} rows; import it in parts").context("the file")
        );
        Ok(file)
    }

    /// Reads the next portion; `None` after the last.
    fn portion(&mut self) -> Result<Option<Portion<R>>> {
        let mut portion = Portion { rows: 0, line: 0, read: Vec::new(), refused: Vec::new() };
        let (order, mut length) = (self.order.unwrap_or(Order::DayFirst), 0);
        while portion.read.len() + portion.refused.len() < PORTION && length < PORTION_LENGTH {
            let Some(row) = self.table.next_row()? else { break };
            if row.is_blank() {
                continue;
            }
            portion.line = row.line;
            portion.rows += 1;
            length += row.size_in_bytes();
            let read = row
                .check_cell_count()
                .map_err(|wrong| Invalid::field("", message::import_row(&wrong.to_string())))
                .and_then(|()| R::read(&row, order))
                .and_then(|mut read| read.note(row.line, &mut self.seen).map(|()| read));
            match read {
                Ok(read) => portion.read.push((Rejected::new(&row, String::new()), read)),
                Err(invalid) => portion.refused.push((Rejected::new(&row, reason(&invalid)), invalid)),
            }
        }
        Ok((portion.rows > 0).then_some(portion))
    }
}

/// Counts the rows of an upload; fails if the file cannot be imported at all.
pub fn count_rows<R: ListRow>(source: &Source, options: &Options) -> Result<u64> {
    Ok(File::<R>::uploaded(source, options.fields.as_deref())?.rows)
}

/// Returns the effect that an import of an upload would have. Blocks on the database.
pub fn check<R: ListRow>(db: &Db, source: &Source, options: &Options) -> Result<EntriesReport> {
    let mut file = File::<R>::uploaded(source, options.fields.as_deref())?;
    let mut excerpt = Excerpt::new(&file.table, ROOM_FOR_REJECTS);
    let mut report = report(db, &mut file, options, |row| {
        excerpt.add(row);
        Ok(())
    })?;
    report.rejects_file = (report.rejected > 0).then(|| excerpt.finish());
    Ok(report)
}

/// Returns the effect that an import from the command line would have, and lists rejected rows in `rejected`.
pub fn check_file<R: ListRow>(
    db: &Db,
    file: &Path,
    rejected: &Path,
    options: &Options,
) -> Result<EntriesReport> {
    let (source, bar) = (Source::Path(file.to_owned()), ProgressBar::hidden());
    let mut file = File::<R>::open(&source, u64::MAX, options.fields.as_deref(), &bar)?;
    let mut rejects = Rejects::create(rejected, &file.table)?;
    let report = report(db, &mut file, options, |row| rejects.add(std::slice::from_ref(row)))?;
    rejects.finish()?;
    Ok(report)
}

fn report<R: ListRow>(
    db: &Db,
    file: &mut File<R>,
    options: &Options,
    mut reject: impl FnMut(&Rejected) -> Result<()>,
) -> Result<EntriesReport> {
    let mut report = EntriesReport {
        rows: file.rows,
        added: 0,
        known: 0,
        rejected: 0,
        amount: Money::ZERO,
        day_order: file.order.map(Order::as_str),
        rejected_rows: Vec::new(),
        rejects_file: None,
    };
    while let Some(Portion { read, mut refused, .. }) = file.portion()? {
        let run = options.run.clone();
        let planned = db.read_blocking(move |tx| -> storage::Result<_> {
            let rows: Vec<&R> = read.iter().map(|(_, row)| row).collect();
            let plans = R::plan(tx, &rows, &run, false)?;
            let plans: Vec<_> = plans.into_iter().map(|plan| plan.map(|plan| plan.is_some())).collect();
            Ok(read.into_iter().zip(plans).collect::<Vec<_>>())
        })?;
        for ((rejected, row), plan) in planned {
            match plan {
                Ok(true) => {
                    report.added += 1;
                    report.amount += row.amount();
                }
                Ok(false) => report.known += 1,
                Err(invalid) => refused.push((rejected.for_reason(reason(&invalid)), invalid)),
            }
        }
        refused.sort_by_key(|(row, _)| row.line());
        report.rejected += refused.len() as u64;
        for (row, invalid) in refused {
            reject(&row)?;
            if report.rejected_rows.len() < LISTED {
                report.rejected_rows.push(RejectedLine { line: row.line(), errors: invalid.0 });
            }
        }
    }
    Ok(report)
}

/// Imports a file from the command line and lists rejected rows in `rejected`. A malformed file adds nothing.
pub fn import_file<R: ListRow>(
    db: &Db,
    file: &Path,
    rejected: &Path,
    options: Options,
    bar: &ProgressBar,
) -> Result<Counts> {
    let source = Source::Path(file.to_owned());
    let mut rows = File::<R>::open(&source, u64::MAX, options.fields.as_deref(), bar)?;
    let mut rejects = Rejects::create(rejected, &rows.table)?;
    let mut storing = Storing { db, run: options.run, id: None, counts: Counts::default() };
    let outcome = storing.store_all(&mut rows, |refused, counts| {
        bar.set_message(format!("{} rows", counts.done));
        rejects.add(&refused)
    });
    storing.end(outcome.is_ok(), None)?;
    outcome.map_err(|Stopped { line, source }| source.context(stopped(file, line)))?;
    rejects.finish()?;
    bar.finish_and_clear();
    Ok(storing.counts)
}

/// Imports an upload that [`imports::begin`] recorded. Blocks on the database, so it must run on a plain thread.
pub fn run<R: ListRow>(db: &Db, source: &Source, options: Options, id: ImportId) -> Result<()> {
    let mut rows = File::<R>::uploaded(source, options.fields.as_deref())?;
    let mut excerpt = Excerpt::new(&rows.table, ROOM_FOR_REJECTS);
    let mut storing = Storing { db, run: options.run, id: Some(id), counts: Counts::default() };
    let outcome = storing.store_all(&mut rows, |refused, _| {
        for row in &refused {
            excerpt.add(row);
        }
        Ok(())
    });
    let rejects = (storing.counts.rejected > 0).then(|| excerpt.finish());
    storing.end(outcome.is_ok(), rejects)?;
    outcome.map_err(|Stopped { source, .. }| source)
}

/// Failure that stopped an import near a line.
struct Stopped {
    line: u64,
    source: anyhow::Error,
}

/// An import that stores portion by portion.
struct Storing<'d> {
    db: &'d Db,
    run: Run,
    /// `None` until the first portion of an import from the command line is stored.
    id: Option<ImportId>,
    counts: Counts,
}

impl Storing<'_> {
    /// Stores all rows; `report` gets the rejected rows of each portion.
    fn store_all<R: ListRow>(
        &mut self,
        rows: &mut File<R>,
        mut report: impl FnMut(Vec<Rejected>, &Counts) -> Result<()>,
    ) -> Result<(), Stopped> {
        let (mut pace, mut line) = (Pace::new(), 1);
        let at = |line| move |source| Stopped { line, source };
        while let Some(portion) = rows.portion().map_err(at(line))? {
            line = portion.line;
            let refused = self.store(portion).map_err(|error| at(line)(error.into()))?;
            report(refused, &self.counts).map_err(at(line))?;
            pace.keep();
        }
        Ok(())
    }

    /// Stores a portion in one transaction; returns its rejected rows.
    fn store<R: ListRow>(&mut self, portion: Portion<R>) -> storage::Result<Vec<Rejected>> {
        let Portion { rows, read, refused, .. } = portion;
        let (read, count) = (Arc::new(read), i64::try_from(refused.len()).unwrap_or(i64::MAX));
        let stored = patiently(|| {
            let (read, run) = (Arc::clone(&read), self.run.clone());
            let (id, mut counts) = (self.id, self.counts);
            self.db.write_blocking(move |tx| -> storage::Result<_> {
                let id = match id {
                    Some(id) => id,
                    None => imports::begin_apart(tx, R::KIND, &run.file_name, None, run.moment.at)?,
                };
                let rows_of: Vec<&R> = read.iter().map(|(_, row)| row).collect();
                let mut refused = Vec::new();
                for (place, plan) in R::plan(tx, &rows_of, &run, true)?.into_iter().enumerate() {
                    match plan {
                        Ok(Some(plan)) => {
                            let (made, change) = rows_of[place].make(tx, &plan, &run, id)?;
                            imports::add_entry(tx, id, change, &made)?;
                            counts.added += 1;
                        }
                        Ok(None) => counts.known += 1,
                        Err(invalid) => refused.push((place, reason(&invalid))),
                    }
                }
                counts.done += rows;
                counts.rejected += count + i64::try_from(refused.len()).unwrap_or(i64::MAX);
                imports::advance(tx, id, &counts, Clock::system(jiff::tz::TimeZone::UTC).now())?;
                Ok((refused, id, counts))
            })
        });
        let (late, id, counts) = stored?;
        (self.id, self.counts) = (Some(id), counts);
        let late = late.into_iter().map(|(place, reason)| read[place].0.clone().for_reason(reason));
        let mut all: Vec<Rejected> = refused.into_iter().map(|(row, _)| row).chain(late).collect();
        all.sort_by_key(Rejected::line);
        Ok(all)
    }

    /// Records the end of the import, with the rejected rows as CSV.
    fn end(&self, is_done: bool, rejects: Option<String>) -> storage::Result<()> {
        let Some(id) = self.id else { return Ok(()) };
        let now = Clock::system(jiff::tz::TimeZone::UTC).now();
        let state = if is_done { State::Done } else { State::Stopped };
        self.db.write_blocking(move |tx| imports::end(tx, id, state, rejects.as_deref(), now))
    }
}
