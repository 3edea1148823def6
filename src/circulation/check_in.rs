//! Check-in of a copy.

use jiff::civil::Date;

use super::{
    Actor, Block, Error, Refusal, Result,
    hold::{self, Line},
    money, record,
};
use crate::{
    domain::{
        change::{LoanChange, Swap},
        copy::{Condition, State},
        fine,
        hold::Hold,
        id::{ChangeId, CopyId, LoanId},
        ledger::Charge,
        loan::OpenLoan,
        moment::Moment,
        rulebook::Rulebook,
    },
    message::Message,
    money::Money,
    storage::{
        Tx, books,
        copies::{self, Facts},
        events::Entry,
        loans::{self, End},
    },
};

/// Arguments of [`check_in`].
#[derive(Clone, Copy, Debug)]
pub struct CheckIn {
    pub loan: LoanId,
    /// New condition: `OnShelf`, so that the copy can be lent at once, or `ToShelve` (R-COPY-4).
    pub to: Condition,
    /// Return day to record, from the day of lending to today; `None` for today.
    pub returned_on: Option<Date>,
    /// True if the copy is lent again or moved in the same transaction; it is then not kept for the queue.
    pub passing: bool,
    /// Returned copy, if it is another copy of the title than the lent one (R-DESK-6).
    pub in_hand: Option<CopyId>,
}

#[derive(Clone, Debug)]
pub struct Returned {
    pub loan: OpenLoan,
    /// Day on which the return counts: `CheckIn::returned_on`, but not before the day of lending.
    pub on: Date,
    pub fine: Money,
    /// Explanation of the fine; empty without one.
    pub fine_reasons: Vec<Message>,
    /// Charge of the fine (R-MONEY-1).
    pub charge: Option<Charge>,
    /// Condition of the copy now; for a kept copy, the condition once its hold ends.
    pub to: Condition,
    /// Hold for which the copy is kept now (R-HOLD-2).
    pub caught: Option<Hold>,
    /// Id of the recorded change.
    pub change: ChangeId,
}

/// Takes a copy back: ends the loan, stores its fine and moves the copy to its place (R-LOAN-3).
///
/// # Errors
/// [`Error::NotFound`] if the loan is not open or not the student's; [`Error::Refused`] if the student may not return
/// the copy without the desk (R-LOAN-6).
pub fn check_in(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: CheckIn,
) -> Result<Returned> {
    let (loan, in_other) = lock(tx, what)?;
    let on = what.returned_on.unwrap_or(moment.today).min(moment.today).max(loan.entry_date);
    let running = fine::of(loan.return_date, on, &rulebook.history, &loan, &rulebook.calendar);
    let fine = running.amount;
    if let Actor::Student(uid) = actor {
        if loan.user_id != uid {
            return Err(Error::NotFound);
        }
        let mut blocks = Vec::new();
        if fine > Money::ZERO {
            blocks.push(Block::Fined { fine });
        }
        if !rulebook.on(moment.today).self_return {
            blocks.push(Block::SelfReturnOff);
        }
        if !blocks.is_empty() {
            return Err(Error::Refused(Refusal { blocks }));
        }
    }
    // Lock order: the title before the copy.
    let mut line = Line::lock(tx, loan.book_id)?;
    let copy = what.in_hand.unwrap_or(loan.copy_id);
    let facts =
        copies::lock(tx, copy)?.filter(|facts| facts.book_id == loan.book_id).ok_or(Error::NotFound)?;
    let mut to = match (&line, facts.condition) {
        // A deleted title is no longer in the catalogue, so its copy is withdrawn.
        (None, _) => Condition::Withdrawn,
        (_, Condition::Reference) => Condition::Reference,
        // The copy is promised to the queue only after the desk has seen it.
        (Some(line), _) if matches!(actor, Actor::Student(_)) && line.waiting() > 0 => Condition::Unseen,
        _ => what.to,
    };
    let caught = match &mut line {
        Some(line) if !what.passing && matches!(to, Condition::OnShelf | Condition::ToShelve) => {
            hold::keep_for_first(tx, moment, Some(actor.uid()), rulebook, line, copy, facts.state())?
        }
        _ => None,
    };
    if caught.is_some() {
        to = Condition::ToShelve;
    }
    let end = End { at: moment.at, on, by: actor.uid(), restocked: to == Condition::OnShelf, fine };
    loans::end(tx, loan.id, end)?;
    let swapped = if copy == loan.copy_id { None } else { Some(swap(tx, &loan, &facts, in_other)?) };
    copies::record_return(tx, copy, to, moment.at)?;
    if to == Condition::OnShelf {
        books::put_back_copies(tx, loan.book_id, 1)?;
    }
    let charge = money::charge_fine(tx, actor, moment, &loan, &running)?;
    let change = LoanChange::Returned {
        loan: loan.id,
        title: loan.title.clone(),
        copy: Some(copy),
        due: loan.return_date,
        on,
        to,
        fine,
        caught,
        charge: charge.as_ref().map(|charge| charge.id),
        was: Some(facts.condition).filter(|was| *was != Condition::OnShelf),
        swapped: swapped.clone(),
        backdated: on < moment.today,
    };
    // The entry names the lent copy, whose history would otherwise lack the swap; the change names the returned one.
    let left = swapped.map(|swapped| swapped.copy);
    let entry =
        Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: left, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    let caught = caught.map(|id| hold::shown(tx, &rulebook.calendar, moment.today, id)).transpose()?;
    Ok(Returned { loan, on, fine, fine_reasons: running.explain, charge, to, caught, change })
}

/// Locks the loan that ends, and the open loan of the returned copy if that is another loan.
fn lock(tx: &mut Tx<'_>, what: CheckIn) -> Result<(OpenLoan, Option<LoanId>)> {
    let other = what.in_hand.map(|copy| loans::holder_of_copy(tx, copy)).transpose()?.flatten();
    let other = other.map(|(loan, ..)| loan).filter(|other| *other != what.loan);
    loans::lock_all(tx, other.into_iter().chain([what.loan]).collect())?;
    let loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    if let Some(other) = other {
        loans::lock_open(tx, other)?.ok_or(Error::NotFound)?;
    }
    Ok((loan, other))
}

/// Assigns the returned copy to the ended loan. The loan `with` of the returned copy gets the lent copy; without `with`
/// the lent copy becomes missing.
fn swap(tx: &mut Tx<'_>, loan: &OpenLoan, in_hand: &Facts, with: Option<LoanId>) -> Result<Swap> {
    let lent = copies::lock(tx, loan.copy_id)?.ok_or(Error::NotFound)?;
    match in_hand.state() {
        State::OnLoan if with.is_some() => {}
        State::OnShelf => books::count_out(tx, loan.book_id)?,
        State::ToShelve | State::Unseen => {}
        _ => return Err(Error::NotFound),
    }
    loans::set_copy(tx, loan.id, in_hand.id)?;
    match with {
        Some(other) => loans::set_copy(tx, other, lent.id)?,
        None => copies::set_condition(tx, lent.id, Condition::Missing)?,
    }
    Ok(Swap {
        copy: lent.id,
        barcode: lent.record.barcode,
        in_hand: in_hand.record.barcode.clone(),
        with,
        was: lent.condition,
    })
}
