//! Renewal of a loan, and the fine that it drops.

use jiff::civil::Date;

use super::{
    Actor, Block, Error, NotUndone, Override, Result, decide, hold,
    money::{self, NewCharge},
    reader, record,
    undo::not_undone,
    view,
};
use crate::{
    domain::{
        change::{Change, LoanChange},
        due::{self, Due},
        fine::{self, Fine},
        id::{ChangeId, LoanId, UserId},
        ledger::{Charge, ChargeKind},
        loan::{Loan, OpenLoan},
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message::{self, Message},
    money::Money,
    storage::{
        Tx,
        accounts::{self, Reader},
        events::{self, Entry, Filter, Recorded},
        ledger, loans,
    },
};

/// Arguments of [`renew`].
#[derive(Clone, Debug)]
pub struct Renew {
    pub loan: LoanId,
    pub overriding: Option<Override>,
}

/// A renewed loan.
#[derive(Clone, Debug)]
pub struct Renewed {
    pub loan: Loan,
    /// Due date before the renewal.
    pub from: Date,
    /// Part of the running fine that the renewal dropped (R-MONEY-5).
    pub dropped: Money,
    pub change: ChangeId,
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
) -> Result<Renewed> {
    // Lock order: the person before the loan.
    let borrower = loans::borrower(tx, what.loan)?.ok_or(Error::NotFound)?;
    let reader = reader::lock(tx, borrower)?;
    let mut loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    if matches!(actor, Actor::Student(uid) if uid != loan.user_id) {
        return Err(Error::NotFound);
    }
    let from = loan.return_date;
    let Plan { running, due, blocks } = plan(tx, actor, moment, rulebook, &reader, &loan)?;
    let overridden = decide(actor, blocks, what.overriding.as_ref())?;
    // The fine counts from the due date, so a later due date lowers or drops the fine.
    let rest = running.amount - fine_if_due(due.day, &loan, rulebook, moment.today).amount;
    let (charged, dropped) = if rulebook.on(moment.today).charge_on_renewal {
        (running, Money::ZERO)
    } else {
        (Fine::default(), rest.max(Money::ZERO))
    };
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
        dropped,
        reasons_before,
        overridden,
    };
    let entry =
        Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: None, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    Ok(Renewed { loan: view(loan, rulebook, moment.today), from, dropped, change })
}

/// Effect of a renewal by today's rules, and the reasons against it.
struct Plan {
    /// Fine until today.
    running: Fine,
    due: Due,
    blocks: Vec<Block>,
}

fn plan(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    reader: &Reader,
    loan: &OpenLoan,
) -> Result<Plan> {
    let rules = rulebook.on(moment.today);
    let policy = rules.for_category(&loan.category);
    let from = loan.return_date;
    let running = fine_if_due(from, loan, rulebook, moment.today);
    let mut blocks = reader::blocks(reader, moment.today);
    if matches!(actor, Actor::Student(_)) {
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
    let due = due::after_renewal(from, moment.today, &policy, rules.charge_on_renewal, &rulebook.calendar);
    let due = due::within_membership(due, moment.today, reader.valid_until, from, &rulebook.calendar);
    if due.day == from
        && let Some(why) = due.held_by()
    {
        blocks.push(Block::GainsNothing { due: from, why: why.clone() });
    }
    Ok(Plan { running, due, blocks })
}

/// Returns the loan's fine until today if it were due on `due`.
fn fine_if_due(due: Date, loan: &OpenLoan, rulebook: &Rulebook, today: Date) -> Fine {
    fine::of(due, today, &rulebook.history, loan, &rulebook.calendar)
}

/// Returns, for each of a student's loans, the reasons that keep the student from extending it. Locks nothing, so
/// [`renew`] decides again.
pub fn reasons_against_renewal(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    student: UserId,
    loans: &[OpenLoan],
) -> Result<Vec<Vec<Block>>> {
    let Some(reader) = accounts::reader(tx, student)? else { return Ok(vec![Vec::new(); loans.len()]) };
    let actor = Actor::Student(student);
    loans.iter().map(|loan| Ok(plan(tx, actor, moment, rulebook, &reader, loan)?.blocks)).collect()
}

/// Arguments of [`set_due_date`].
#[derive(Clone, Debug)]
pub struct SetDueDate {
    pub loan: LoanId,
    pub to: Date,
    pub reason: String,
}

/// Sets the due date of one loan by hand; the number of renewals is unchanged. The fine counts from the new date.
/// Returns no change if the loan already has this date.
///
/// # Errors
/// [`Error::NotFound`] if the loan is not open; [`Error::Invalid`] for a day before today.
pub fn set_due_date(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &SetDueDate,
) -> Result<(Loan, Option<ChangeId>)> {
    if what.to < moment.today {
        let error = message::day_past("Return date", moment.today);
        return Err(Error::Invalid(Invalid::field("returnDate", error)));
    }
    // Lock order: the person before the loan.
    let borrower = loans::borrower(tx, what.loan)?.ok_or(Error::NotFound)?;
    reader::lock(tx, borrower)?;
    let mut loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let from = loan.return_date;
    if from == what.to {
        return Ok((view(loan, rulebook, moment.today), None));
    }
    let dropped = fine::of(from, moment.today, &rulebook.history, &loan, &rulebook.calendar).amount;
    let explain = [message::explain_by_hand(what.to)];
    let reasons_before = loan.due_reasons.replace(Message::to_stored(&explain));
    loan.return_date = what.to;
    loans::store_due(tx, &loan)?;
    let change = LoanChange::DueDateSet {
        loan: loan.id,
        title: loan.title.clone(),
        from,
        to: what.to,
        dropped,
        reasons_before,
        reason: what.reason.clone(),
    };
    let entry =
        Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: None, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    Ok((view(loan, rulebook, moment.today), Some(change)))
}

/// Maximum number of a title's later charges searched for the charge of a fine that a renewal dropped.
const MOST_SEARCHED: i64 = 200;

/// Returns the change that charged the fine dropped by this renewal, unless that change was undone.
pub(super) fn charged_anyway(tx: &mut Tx<'_>, renewal: &Recorded) -> Result<Option<Recorded>> {
    let filter = Filter {
        book: renewal.book.as_ref().map(|(book, _)| *book),
        action: Some("fine-charged".to_owned()),
        from: Some(renewal.at),
        ..Filter::default()
    };
    let later = events::page(tx, &filter, ChangeId(i64::MAX), MOST_SEARCHED)?;
    Ok(later.into_iter().find(|later| {
        let Change::Loan(LoanChange::FineCharged { renewal: of, .. }) = &later.change else { return false };
        *of == renewal.id && !later.undone
    }))
}

/// A fine that a renewal dropped and that was charged after all.
#[derive(Clone, Debug)]
pub struct ChargedAnyway {
    pub person: UserId,
    pub name: String,
    pub title: String,
    pub charge: Charge,
    pub change: ChangeId,
}

/// Charges the fine that a renewal dropped (R-MONEY-5). Idempotent: a repeated call returns the first charge.
///
/// # Errors
/// [`Error::NotFound`] if no such renewal dropped a fine; [`Error::Refused`] if the renewal was undone.
pub fn charge_anyway(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    renewal: ChangeId,
) -> Result<ChargedAnyway> {
    let found = events::by_id(tx, renewal)?.ok_or(Error::NotFound)?;
    // An undo of the renewal locks the loan too; the change is read again under the lock.
    loans::lock_all(tx, found.change.loans())?;
    let found = events::by_id(tx, renewal)?.ok_or(Error::NotFound)?;
    let before = charged_anyway(tx, &found)?;
    let Change::Loan(LoanChange::Renewed { loan, title, from, to, dropped, .. }) = found.change else {
        return Err(Error::NotFound);
    };
    let (person, name) = found.person.filter(|_| dropped > Money::ZERO).ok_or(Error::NotFound)?;
    if found.undone {
        return Err(not_undone(NotUndone::Already));
    }
    if let Some(Recorded { id, change: Change::Loan(LoanChange::FineCharged { charge, .. }), .. }) = before {
        let (_, charge) = ledger::charge_by_id(tx, charge)?.ok_or(Error::NotFound)?;
        return Ok(ChargedAnyway { person, name, title, charge, change: id });
    }
    let new = NewCharge {
        person,
        of: ChargeKind::Overdue,
        amount: dropped,
        reason: &title,
        explain: &[message::explain_had_fallen_away(dropped, from, to)],
        loan: Some(loan),
    };
    let charge = money::write_charge(tx, actor, moment, &new)?;
    let change =
        LoanChange::FineCharged { loan, title: title.clone(), renewal, amount: dropped, charge: charge.id };
    let book = found.book.map(|(book, _)| book);
    let entry = Entry { person: Some(person), book, copy: None, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    Ok(ChargedAnyway { person, name, title, charge, change })
}
