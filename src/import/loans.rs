//! Imports open loans of another system. A repeated import adds no loan twice, even after a return.

use std::collections::HashSet;

use jiff::civil::Date;

use super::{
    columns::{LOANS, Vocabulary},
    day::Order,
    people::roll_number,
    readers::Readers,
    staged::{ListRow, Run, Seen, optional_day, required_day},
    table::Row,
};
use crate::{
    circulation::take_over::{self, From, Lent},
    domain::{
        copy::{self, Copy, folded_barcode},
        due::{self, Due},
        id::{BookId, ChangeId, ImportId},
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    policies::Policies,
    storage::{
        self, Tx, books, copies,
        imports::{Kind, Made},
        loans,
        people::Record,
    },
};

const BARCODE: &str = "barcode";
const LENT: &str = "lent";
const DUE: &str = "due";
const RENEWALS: &str = "renewals";

/// Maximum renewals of a loan; more is a typing mistake.
const MOST_RENEWALS: i64 = 99;

/// Row of a list of loans.
pub struct Loan {
    barcode: String,
    /// Folded roll number.
    roll_number: String,
    lent: Date,
    /// Due date in the file; `None` to compute it from the library's rules.
    due: Option<Date>,
    renewals: i64,
}

/// A loan to make.
pub struct Plan {
    reader: Record,
    copy: Copy,
    due: Due,
}

impl ListRow for Loan {
    const KIND: Kind = Kind::Loans;
    const VOCABULARY: &'static Vocabulary = &LOANS;
    const DAYS: &'static [&'static str] = &[LENT, DUE];
    type Plan = Plan;

    fn read(row: &Row<'_>, order: Order) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let barcode = copy::barcode(row.cell(BARCODE), BARCODE, &mut invalid);
        let roll_number = roll_number(row, &mut invalid);
        let lent = required_day(row, LENT, "Day of the loan", order, &mut invalid);
        let due = optional_day(row, DUE, order, &mut invalid);
        let not_count = |cell: &str| message::import_not_renewals(cell, MOST_RENEWALS);
        let renewals = row.parse(RENEWALS, not_count, &mut invalid, |cell| {
            cell.parse().ok().filter(|renewals| (0..=MOST_RENEWALS).contains(renewals))
        });
        let Some(lent) = lent else { return Err(invalid) };
        if let Some(due) = due.filter(|due| *due < lent) {
            invalid.push(DUE, message::import_due_before_lent(due, lent));
        }
        invalid.into_result(Self { barcode, roll_number, lent, due, renewals: renewals.unwrap_or(0) })
    }

    fn note(&mut self, line: u64, seen: &mut Seen) -> Result<(), Invalid> {
        match seen.count(folded_barcode(&self.barcode), line) {
            None => Ok(()),
            Some((first, _)) => Err(Invalid::field(BARCODE, message::import_barcode_twice(first))),
        }
    }

    fn plan(
        tx: &mut Tx<'_>,
        rows: &[&Self],
        run: &Run,
        lock: bool,
    ) -> storage::Result<Vec<Result<Option<Plan>, Invalid>>> {
        let readers = Readers::of(tx, rows.iter().map(|row| row.roll_number.as_str()), lock)?;
        let locked = if lock { Some(lock_titles(tx, rows)?) } else { None };
        if lock {
            readers.lock_accounts(tx)?;
        }
        let rulebook = Policies::default().current(tx)?;
        let mut plans = Vec::with_capacity(rows.len());
        for row in rows {
            let found = copies::by_barcode(tx, &row.barcode)?;
            if let (Some(copy), Some(locked)) = (&found, &locked)
                && !locked.contains(&copy.book_id)
            {
                // Another transaction has given the barcode to this copy meanwhile: the retry locks the copy's title too.
                return Err(storage::Error::Busy(None));
            }
            plans.push(row.decide(tx, &readers, found, (&rulebook, run))?);
        }
        Ok(plans)
    }

    fn make(
        &self,
        tx: &mut Tx<'_>,
        plan: &Plan,
        run: &Run,
        import: ImportId,
    ) -> storage::Result<(Made, ChangeId)> {
        let Self { lent: on, renewals, .. } = *self;
        let Plan { reader, copy, due } = plan;
        let from = From { import, file: &run.file_name };
        let lent = Lent { from, reader, copy, on, due, renewals };
        let (loan, change) = take_over::loan(tx, run.by, run.moment, &lent)?;
        Ok((Made::Loan { loan, copy: copy.id, due: due.day, renewals }, change))
    }
}

/// Locks the titles of the rows' copies, which locks the copies too.
fn lock_titles(tx: &mut Tx<'_>, rows: &[&Loan]) -> storage::Result<HashSet<BookId>> {
    let barcodes: Vec<String> = rows.iter().map(|row| folded_barcode(&row.barcode)).collect();
    let barcodes: Vec<&str> = barcodes.iter().map(String::as_str).collect();
    let titles = copies::titles_of(tx, &barcodes)?;
    for title in &titles {
        books::lock(tx, *title)?;
    }
    Ok(titles.into_iter().collect())
}

impl Loan {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        readers: &Readers,
        copy: Option<Copy>,
        (rulebook, run): (&Rulebook, &Run),
    ) -> storage::Result<Result<Option<Plan>, Invalid>> {
        let mut invalid = Invalid::default();
        let reader = readers.find(&self.roll_number, &mut invalid);
        if copy.is_none() {
            invalid.push(BARCODE, message::import_unknown_barcode(&self.barcode));
        }
        if self.lent > run.moment.today {
            invalid.push(LENT, message::import_lent_in_future(self.lent));
        }
        let (Some(reader), Some(copy)) = (reader, copy) else { return Ok(Err(invalid)) };
        match &copy.loan {
            Some(loan) if loan.user_id == reader.uid => return Ok(invalid.into_result(None)),
            Some(loan) => {
                invalid.push(BARCODE, message::import_on_loan_to(&loan.user_name, loan.return_date));
            }
            None if loans::is_over(tx, copy.id, reader.uid, self.lent)? => {
                return Ok(invalid.into_result(None));
            }
            None => {
                if let Some(reason) = take_over::reason_against(&copy) {
                    invalid.push(BARCODE, reason);
                }
            }
        }
        if !reader.active {
            invalid.push("rollNumber", message::import_inactive(&reader.details.name));
        }
        let due = match self.due {
            Some(day) => Due { day, explain: Vec::new() },
            None => {
                let policy = rulebook.policy(&reader.details.category, run.moment.today);
                due::first(self.lent, &policy, &rulebook.calendar)
            }
        };
        Ok(invalid.into_result(()).map(|()| Some(Plan { reader: reader.clone(), copy, due })))
    }
}
