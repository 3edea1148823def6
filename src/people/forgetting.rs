//! Anonymisation of past loans and holds, a set number of months after a loan was ended and settled (R-PEOPLE-10).

use jiff::Span;

use crate::{
    clock::Clock,
    domain::{
        change::PersonChange,
        id::{HoldId, LoanId},
        moment::Moment,
        rulebook::Rulebook,
    },
    storage::{
        Result, Tx,
        events::{self, Entry},
        forget,
    },
};

/// Maximum number of loans, and of holds, anonymised in one transaction.
const PORTION: i64 = 200;

/// Returns the instant before which a loan must have ended to be anonymised; `None` if the setting is off.
#[must_use]
pub fn before(clock: &Clock, rulebook: &Rulebook) -> Option<i64> {
    let months = rulebook.library.forget_after_months?;
    let day = clock.today().checked_sub(Span::new().months(months)).ok()?;
    Some(clock.begin_of(day))
}

/// Progress of one run, which visits each loan and each hold once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    loan: i64,
    hold: i64,
    /// Number anonymised so far.
    pub loans: usize,
    pub holds: usize,
}

/// Anonymises the next portion; `None` if none is left.
pub fn portion(tx: &mut Tx<'_>, moment: Moment, before: i64, so_far: Progress) -> Result<Option<Progress>> {
    let loans = forget::loans(tx, before, LoanId(so_far.loan), PORTION)?;
    let holds = forget::holds(tx, before, HoldId(so_far.hold), PORTION)?;
    if loans.is_empty() && holds.is_empty() {
        return Ok(None);
    }
    for loan in &loans {
        forget::loan(tx, *loan)?;
    }
    for hold in &holds {
        forget::hold(tx, *hold)?;
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let change = PersonChange::ReadersForgotten { loans: number(loans.len()), holds: number(holds.len()) };
    events::record(
        tx,
        moment.at,
        None,
        &Entry { person: None, book: None, copy: None, change: change.into() },
    )?;
    Ok(Some(Progress {
        loan: loans.last().map_or(so_far.loan, |last| last.id.0),
        hold: holds.last().map_or(so_far.hold, |last| last.id.0),
        loans: so_far.loans + loans.len(),
        holds: so_far.holds + holds.len(),
    }))
}
