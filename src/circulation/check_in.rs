//! Check-in: a copy comes back.

use jiff::civil::Date;

use super::{Actor, Block, Error, Moment, Refusal, Result, record};
use crate::{
    domain::{
        change::Change, copy::Condition, fine, id::LoanId, loan::OpenLoan, money::Money, rulebook::Rulebook,
    },
    storage::{
        Tx, books, copies,
        events::Entry,
        loans::{self, End},
    },
};

/// What comes back, and where it goes.
#[derive(Clone, Copy, Debug)]
pub struct CheckIn {
    pub loan: LoanId,
    /// Onto the shelf, where it can be lent at once, or to the copies that wait to be shelved (R-COPY-4).
    pub to: Condition,
    /// The day as which it counts, where that is not today: between the day of lending and today.
    pub returned_on: Option<Date>,
}

/// A loan that has ended.
#[derive(Clone, Debug)]
pub struct Returned {
    pub loan: OpenLoan,
    pub fine: Money,
    /// Where the copy is now.
    pub to: Condition,
}

/// Takes a copy back: the loan is ended with its fine written down, and the copy is where it goes (R-LOAN-3).
///
/// # Errors
/// [`Error::NotFound`] where the loan is not open, or not the student's; [`Error::Refused`] where a student may not
/// return it by himself (R-LOAN-6).
pub fn check_in(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: CheckIn,
) -> Result<Returned> {
    let loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let on = what.returned_on.unwrap_or(moment.today).min(moment.today).max(loan.entry_date);
    let fine = loan.charged
        + fine::amount(loan.return_date, on, &rulebook.history, &loan.category, &rulebook.calendar);
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
    // The title's row before the copy's, as everywhere.
    let book = books::lock(tx, loan.book_id)?;
    let facts = copies::lock(tx, loan.copy_id)?.ok_or(Error::NotFound)?;
    let to = match (book, facts.condition) {
        // Nobody can find a copy of a title that is gone.
        (None, _) => Condition::Withdrawn,
        (_, Condition::Reference) => Condition::Reference,
        _ => what.to,
    };
    let end = End { at: moment.at, on, by: actor.uid(), restocked: to == Condition::OnShelf, fine };
    loans::end(tx, loan.id, end)?;
    copies::come_back(tx, loan.copy_id, to, moment.at)?;
    if to == Condition::OnShelf {
        books::put_back_copies(tx, loan.book_id, 1)?;
    }
    let change = Change::Returned {
        loan: loan.id,
        title: loan.title.clone(),
        copy: Some(loan.copy_id),
        due: loan.return_date,
        on,
        to,
        fine,
    };
    let entry = Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: None, change };
    record(tx, moment, actor, &entry)?;
    Ok(Returned { loan, fine, to })
}
