//! Renewal: a loan runs longer.

use super::{Actor, Block, Error, Moment, Override, Result, decide, record, view};
use crate::{
    domain::{change::Change, due, fine, id::LoanId, loan::Loan, money::Money, rulebook::Rulebook},
    message::Message,
    storage::{Tx, events::Entry, loans},
};

/// What is renewed.
#[derive(Clone, Debug)]
pub struct Renew {
    pub loan: LoanId,
    pub overriding: Option<Override>,
}

/// Moves a return date later (R-LOAN-4), by the rules of today.
///
/// # Errors
/// [`Error::NotFound`] where the loan is not open, or not the student's; [`Error::Refused`] with every reason.
pub fn renew(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Renew,
) -> Result<Loan> {
    let mut loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let rules = rulebook.on(moment.today);
    let policy = rules.for_category(&loan.category);
    let running =
        fine::amount(loan.return_date, moment.today, &rulebook.history, &loan.category, &rulebook.calendar);
    let mut blocks = Vec::new();
    if let Actor::Student(uid) = actor {
        if loan.user_id != uid {
            return Err(Error::NotFound);
        }
        let fine = loan.charged + running;
        if fine > Money::ZERO {
            blocks.push(Block::Fined { fine });
        }
        if !rules.self_renew {
            blocks.push(Block::SelfRenewOff);
        }
    }
    if let Some(max) = policy.max_renewals.filter(|max| loan.renewals >= *max) {
        blocks.push(Block::RenewLimit { used: loan.renewals, max });
    }
    let overridden = decide(actor, blocks, what.overriding.as_ref())?;
    let from = loan.return_date;
    let due = due::renewed(from, moment.today, &policy, rules.charge_on_renewal, &rulebook.calendar);
    let charged = if rules.charge_on_renewal { running } else { Money::ZERO };
    loan.return_date = due.day;
    loan.due_reasons = Some(Message::to_stored(&due.explain));
    loan.renewals += 1;
    loan.charged += charged;
    loans::store_due(tx, &loan)?;
    let change =
        Change::Renewed { loan: loan.id, title: loan.title.clone(), from, to: due.day, charged, overridden };
    let entry = Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: None, change };
    record(tx, moment, actor, &entry)?;
    Ok(view(loan, rulebook, moment.today))
}
