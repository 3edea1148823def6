//! Money: what people are charged, pay, and are let off. Lines are only ever added; a mistake is taken back by an opposite
//! line that names the first (Law 5).

use super::{Actor, Error, Moment, Result, record};
use crate::{
    domain::{
        change::Change,
        fine::Fine,
        id::{ChangeId, LineId, LoanId, UserId},
        ledger::{self, Charge, ChargeKind, LineKind, Method, Receipt, Settled},
        loan::OpenLoan,
        money::Money,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message::{self, Message},
    storage::{
        Tx,
        events::Entry,
        ledger::{
            NewLine, add, balance, charge_by_id, line_by_id, lock, next_receipt, open_charges, receipt,
            settle, settled_by, waived,
        },
    },
};

/// What somebody is charged.
#[derive(Clone, Debug)]
pub struct NewCharge<'a> {
    pub person: UserId,
    pub of: ChargeKind,
    pub amount: Money,
    /// The title of the book, or what else it is for.
    pub reason: &'a str,
    /// How the amount came about, where the reason alone does not tell.
    pub explain: &'a [Message],
    pub loan: Option<LoanId>,
}

/// Writes a charge into a person's account, without a change of its own: it is part of what caused it.
pub(super) fn write_charge(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    new: &NewCharge<'_>,
) -> Result<Charge> {
    lock(tx, new.person)?;
    let reasons = (!new.explain.is_empty()).then(|| Message::to_stored(new.explain));
    let line = NewLine {
        at: moment.at,
        person: new.person,
        kind: LineKind::Charge,
        of: Some(new.of.as_str()),
        amount: new.amount,
        reason: new.reason,
        reasons: reasons.as_deref(),
        reference: "",
        loan: new.loan,
        receipt: None,
        reverses: None,
        by: actor.uid(),
    };
    let id = add(tx, &line)?;
    Ok(Charge {
        id,
        of: new.of,
        reason: new.reason.to_owned(),
        amount: new.amount,
        explain: new.explain.to_vec(),
        open: new.amount,
        loan_id: new.loan,
    })
}

/// Charges the fine of a loan that ends, or whose fine until now is fixed; nothing where there is none (R-MONEY-1).
pub(super) fn charge_fine(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    loan: &OpenLoan,
    fine: &Fine,
) -> Result<Option<Charge>> {
    if fine.amount == Money::ZERO {
        return Ok(None);
    }
    let new = NewCharge {
        person: loan.user_id,
        of: ChargeKind::Overdue,
        amount: fine.amount,
        reason: &loan.title,
        explain: &fine.explain,
        loan: Some(loan.id),
    };
    write_charge(tx, actor, moment, &new).map(Some)
}

/// Charges somebody for something, such as a damaged book.
pub fn charge(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    new: &NewCharge<'_>,
) -> Result<(Charge, ChangeId)> {
    let charge = write_charge(tx, actor, moment, new)?;
    let change = Change::Charged {
        line: charge.id,
        of: charge.of,
        amount: charge.amount,
        reason: charge.reason.clone(),
    };
    let change = record(tx, moment, actor, &Entry::person(new.person, change))?;
    Ok((charge, change))
}

/// A payment to be taken.
#[derive(Clone, Debug)]
pub struct Payment<'a> {
    pub person: UserId,
    pub amount: Money,
    pub method: Method,
    pub reference: &'a str,
    /// The charges it is for, in this order; empty for all, the oldest first (R-MONEY-2).
    pub charges: &'a [LineId],
}

/// A payment that was taken.
#[derive(Clone, Debug)]
pub struct Paid {
    pub receipt: Receipt,
    pub change: ChangeId,
}

/// Takes a payment: charges are settled, and the receipt has the next number of its financial year, or neither
/// (R-MONEY-2, R-MONEY-3).
///
/// # Errors
/// [`Error::Invalid`] where more is paid than is owed, or a charge is not the person's.
pub fn pay(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Payment<'_>,
) -> Result<Paid> {
    lock(tx, what.person)?;
    let open = open_charges(tx, what.person)?;
    let meant: Vec<&Charge> = if what.charges.is_empty() {
        open.iter().collect()
    } else {
        let find = |id: &LineId| open.iter().find(|charge| charge.id == *id);
        what.charges
            .iter()
            .map(find)
            .collect::<Option<_>>()
            .ok_or_else(|| Error::Invalid(Invalid::field("charges", message::charge_settled())))?
    };
    let owed: Money = meant.iter().map(|charge| charge.open).sum();
    if what.amount > owed {
        return Err(Error::Invalid(Invalid::field("amount", message::more_than_owed(owed))));
    }
    let mut left = what.amount;
    let mut settled = Vec::new();
    for charge in meant {
        let amount = charge.open.min(left);
        if amount > Money::ZERO {
            settled.push(Settled { charge: charge.id, amount });
            left = left - amount;
        }
    }
    let year = ledger::financial_year(moment.today, rulebook.library.financial_year_month);
    let number = ledger::receipt_number(&year, next_receipt(tx, &year)?);
    let line = NewLine {
        at: moment.at,
        person: what.person,
        kind: LineKind::Payment,
        of: Some(what.method.as_str()),
        amount: -what.amount,
        reason: "",
        reasons: None,
        reference: what.reference,
        loan: None,
        receipt: Some(&number),
        reverses: None,
        by: actor.uid(),
    };
    let id = add(tx, &line)?;
    for part in &settled {
        settle(tx, id, part)?;
    }
    let change = Change::Paid {
        line: id,
        receipt: number.clone(),
        amount: what.amount,
        method: what.method,
        reference: what.reference.to_owned(),
        settled,
    };
    let change = record(tx, moment, actor, &Entry::person(what.person, change))?;
    let receipt = receipt(tx, &number)?.ok_or(Error::NotFound)?;
    Ok(Paid { receipt, change })
}

/// Lets somebody off a charge, or part of it, with a reason.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] where that much of it is not open.
pub fn waive(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: LineId,
    amount: Option<Money>,
    reason: &str,
) -> Result<(Charge, ChangeId)> {
    let (person, _) = charge_by_id(tx, id)?.ok_or(Error::NotFound)?;
    lock(tx, person)?;
    let (_, charge) = charge_by_id(tx, id)?.ok_or(Error::NotFound)?;
    let amount = amount.unwrap_or(charge.open);
    if charge.open == Money::ZERO {
        return Err(Error::Invalid(Invalid::field("amount", message::charge_settled())));
    }
    if amount > charge.open {
        return Err(Error::Invalid(Invalid::field("amount", message::more_than_owed(charge.open))));
    }
    let line = NewLine {
        at: moment.at,
        person,
        kind: LineKind::Waiver,
        of: None,
        amount: -amount,
        reason,
        reasons: None,
        reference: "",
        loan: charge.loan_id,
        receipt: None,
        reverses: None,
        by: actor.uid(),
    };
    let line = add(tx, &line)?;
    settle(tx, line, &Settled { charge: id, amount })?;
    let change = Change::Waived { line, charge: id, of: charge.of, amount, reason: reason.to_owned() };
    let change = record(tx, moment, actor, &Entry::person(person, change))?;
    Ok((Charge { open: charge.open - amount, ..charge }, change))
}

/// What the library owes a person: what was paid for charges that were taken back later, and is not paid out.
pub fn credit(tx: &mut Tx<'_>, person: UserId) -> Result<Money> {
    let open: Money = open_charges(tx, person)?.iter().map(|charge| charge.open).sum();
    Ok(open - balance(tx, person)?)
}

/// A charge that was taken back.
#[derive(Clone, Debug)]
pub struct ChargeReversed {
    pub charge: Charge,
    /// What had been paid of it, and is credit now.
    pub credit: Money,
    pub change: ChangeId,
}

/// Takes a charge back, for instance the price of a copy that is found again (R-MONEY-4). What was waived of it stays so;
/// what was paid of it becomes credit, to be paid out by [`refund`].
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] where it was taken back before, or all of it is waived.
pub fn reverse_charge(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: LineId,
    reason: &str,
) -> Result<ChargeReversed> {
    let (person, _) = charge_by_id(tx, id)?.ok_or(Error::NotFound)?;
    lock(tx, person)?;
    let (_, charge) = charge_by_id(tx, id)?.ok_or(Error::NotFound)?;
    let taken_back = line_by_id(tx, id)?.is_some_and(|(_, line)| line.reversed);
    let amount = charge.amount - waived(tx, id)?;
    if taken_back || amount == Money::ZERO {
        return Err(Error::Invalid(Invalid::field("charge", message::charge_settled())));
    }
    let new = NewLine {
        at: moment.at,
        person,
        kind: LineKind::Reversal,
        of: None,
        amount: -amount,
        reason,
        reasons: None,
        reference: "",
        loan: charge.loan_id,
        receipt: None,
        reverses: Some(id),
        by: actor.uid(),
    };
    let line = add(tx, &new)?;
    if charge.open > Money::ZERO {
        settle(tx, line, &Settled { charge: id, amount: charge.open })?;
    }
    let credit = amount - charge.open;
    let change = Change::ChargeReversed {
        line,
        charge: id,
        of: charge.of,
        title: charge.reason.clone(),
        amount,
        credit,
        reason: reason.to_owned(),
    };
    let change = record(tx, moment, actor, &Entry::person(person, change))?;
    Ok(ChargeReversed { charge: Charge { open: Money::ZERO, ..charge }, credit, change })
}

/// Credit to be paid out.
#[derive(Clone, Debug)]
pub struct Refund<'a> {
    pub person: UserId,
    pub amount: Money,
    pub method: Method,
    pub reference: &'a str,
}

/// Pays credit out. It is never used for other charges by itself.
///
/// # Errors
/// [`Error::Invalid`] where there is not as much credit.
pub fn refund(tx: &mut Tx<'_>, actor: Actor, moment: Moment, what: &Refund<'_>) -> Result<ChangeId> {
    lock(tx, what.person)?;
    let credit = credit(tx, what.person)?;
    if what.amount > credit {
        return Err(Error::Invalid(Invalid::field("amount", message::more_than_credit(credit))));
    }
    let line = NewLine {
        at: moment.at,
        person: what.person,
        kind: LineKind::Refund,
        of: Some(what.method.as_str()),
        amount: what.amount,
        reason: "",
        reasons: None,
        reference: what.reference,
        loan: None,
        receipt: None,
        reverses: None,
        by: actor.uid(),
    };
    let line = add(tx, &line)?;
    let (amount, method) = (what.amount, what.method);
    let change = Change::Refunded { line, amount, method, reference: what.reference.to_owned() };
    record(tx, moment, actor, &Entry::person(what.person, change))
}

/// Takes a line back: an opposite line, which names it. A charge's is settled by it; what a payment or a waiver settled is
/// open again.
pub(super) fn reverse(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    person: UserId,
    line: LineId,
) -> Result<LineId> {
    lock(tx, person)?;
    let (_, first) = line_by_id(tx, line)?.ok_or(Error::NotFound)?;
    let new = NewLine {
        at: moment.at,
        person,
        kind: LineKind::Reversal,
        of: None,
        amount: -first.amount,
        reason: &first.reason,
        reasons: None,
        reference: "",
        loan: first.loan_id,
        receipt: None,
        reverses: Some(line),
        by: actor.uid(),
    };
    let id = add(tx, &new)?;
    if first.kind == LineKind::Charge {
        settle(tx, id, &Settled { charge: line, amount: first.amount })?;
    }
    for part in settled_by(tx, line)? {
        settle(tx, id, &Settled { charge: part.charge, amount: -part.amount })?;
    }
    Ok(id)
}
