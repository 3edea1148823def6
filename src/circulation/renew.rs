//! Renewal of a loan.

use super::{Actor, Block, Done, Error, Override, Result, decide, hold, money, reader, record, view};
use crate::{
    domain::{
        change::LoanChange,
        due,
        fine::{self, Fine},
        id::LoanId,
        moment::Moment,
        rulebook::Rulebook,
    },
    message::Message,
    money::Money,
    storage::{Tx, events::Entry, loans},
};

/// Arguments of [`renew`].
#[derive(Clone, Debug)]
pub struct Renew {
    pub loan: LoanId,
    pub overriding: Option<Override>,
}

/// Extends a loan by today's rules (R-LOAN-4).
///
/// # Errors
/// [`Error::NotFound`] if the loan is not open or not the student's; [`Error::Refused`] with all blocks.
pub fn renew(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Renew,
) -> Result<Done> {
    // Lock order: the person before the loan.
    let borrower = loans::borrower(tx, what.loan)?.ok_or(Error::NotFound)?;
    let reader = reader::lock(tx, borrower)?;
    let mut loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let rules = rulebook.on(moment.today);
    let policy = rules.for_category(&loan.category);
    let running =
        fine::of(loan.return_date, moment.today, &rulebook.history, &loan.category, &rulebook.calendar);
    let mut blocks = reader::blocks(&reader, moment.today);
    if let Actor::Student(uid) = actor {
        if loan.user_id != uid {
            return Err(Error::NotFound);
        }
        if running.amount > Money::ZERO {
            blocks.push(Block::Fined { fine: running.amount });
        }
        if !rules.self_renew {
            blocks.push(Block::SelfRenewOff);
        }
    }
    if let Some(max) = policy.max_renewals.filter(|max| loan.renewals >= *max) {
        blocks.push(Block::RenewLimit { used: loan.renewals, max });
    }
    blocks.extend(hold::renewal_block(tx, loan.book_id)?);
    let from = loan.return_date;
    let due = due::renewed(from, moment.today, &policy, rules.charge_on_renewal, &rulebook.calendar);
    let due = due::within_membership(due, moment.today, reader.valid_until, from, &rulebook.calendar);
    if due.day == from
        && let Some(why) = due.held_by()
    {
        blocks.push(Block::GainsNothing { due: from, why: why.clone() });
    }
    let overridden = decide(actor, blocks, what.overriding.as_ref())?;
    let charged = if rules.charge_on_renewal { running } else { Fine::default() };
    let charge = money::charge_fine(tx, actor, moment, &loan, &charged)?.map(|charge| charge.id);
    let reasons_before = loan.due_reasons.replace(Message::to_stored(&due.explain));
    loan.return_date = due.day;
    loan.renewals += 1;
    loans::store_due(tx, &loan)?;
    let change = LoanChange::Renewed {
        loan: loan.id,
        title: loan.title.clone(),
        from,
        to: due.day,
        charged: charged.amount,
        charge,
        reasons_before,
        overridden,
    };
    let entry =
        Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: None, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    Ok(Done { loan: view(loan, rulebook, moment.today), change })
}
