//! Money: charges, payments, waivers and refunds. Ledger lines are append-only; a mistake is corrected by an opposite
//! line that names the first (Law 5).

use super::{Actor, Error, Result, record};
use crate::{
    domain::{
        change::MoneyChange,
        fine::Fine,
        id::{ChangeId, LineId, LoanId, UserId},
        ledger::{self, Charge, ChargeKind, Line, LineKind, Method, Receipt, Settled},
        loan::OpenLoan,
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message::{self, Message},
    money::Money,
    storage::{
        Tx,
        events::Entry,
        ledger::{
            NewLine, add, balance, charge_by_id, line_by_id, lock, lock_of_line, next_receipt, open_charges,
            payment_of, receipt, settle, settled_by, waived,
        },
        people,
    },
};

/// Arguments of [`charge`].
#[derive(Clone, Debug)]
pub struct NewCharge<'a> {
    pub person: UserId,
    pub of: ChargeKind,
    pub amount: Money,
    /// The book's title, or another reason.
    pub reason: &'a str,
    /// Calculation of the amount, if the reason does not explain it.
    pub explain: &'a [Message],
    pub loan: Option<LoanId>,
}

/// Writes a charge into a person's account. Records no change: the change that causes the charge names
/// the charge.
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

/// Charges the fine of a loan that ends or is renewed; `None` without a fine (R-MONEY-1).
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

/// Charges a person, for instance for a damaged book.
pub fn charge(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    new: &NewCharge<'_>,
) -> Result<(Charge, ChangeId)> {
    lock(tx, new.person)?;
    // The person may have been erased or merged while this transaction waited for the lock.
    people::by_id(tx, new.person)?.ok_or(Error::NotFound)?;
    let charge = write_charge(tx, actor, moment, new)?;
    let change = MoneyChange::Charged {
        line: charge.id,
        of: charge.of,
        amount: charge.amount,
        reason: charge.reason.clone(),
    };
    let change = record(tx, moment, actor, &Entry::person(new.person, change))?;
    Ok((charge, change))
}

/// Arguments of [`pay`].
#[derive(Clone, Debug)]
pub struct Payment<'a> {
    pub person: UserId,
    pub amount: Money,
    pub method: Method,
    pub reference: &'a str,
    /// Charges to settle, in this order; empty for all, oldest first (R-MONEY-2).
    pub charges: &'a [LineId],
}

#[derive(Clone, Debug)]
pub struct Paid {
    pub receipt: Receipt,
    pub change: ChangeId,
}

/// Takes a payment: settles charges and draws the next receipt number of the financial year, atomically (R-MONEY-2,
/// R-MONEY-3).
///
/// # Errors
/// [`Error::Invalid`] if the amount exceeds what is owed, or a charge is not the person's.
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
    let change = MoneyChange::Paid {
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

/// Refuses waivers, reversals, refunds and undos on the librarian's own account: another librarian must make them (X11).
pub(super) fn refuse_own(actor: Actor, person: UserId) -> Result<()> {
    if actor.uid() == person { Err(Error::OwnAccount) } else { Ok(()) }
}

/// Waives all or part of a charge, with a reason.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::OwnAccount`]; [`Error::Invalid`] if less than this amount is open.
pub fn waive(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: LineId,
    amount: Option<Money>,
    reason: &str,
) -> Result<(Charge, ChangeId)> {
    let person = lock_of_line(tx, id)?.ok_or(Error::NotFound)?;
    refuse_own(actor, person)?;
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
    let change = MoneyChange::Waived { line, charge: id, of: charge.of, amount, reason: reason.to_owned() };
    let change = record(tx, moment, actor, &Entry::person(person, change))?;
    Ok((Charge { open: charge.open - amount, ..charge }, change))
}

/// Credit of a person: payments for charges that were later reversed, less refunds.
pub fn credit(tx: &mut Tx<'_>, person: UserId) -> Result<Money> {
    let open: Money = open_charges(tx, person)?.iter().map(|charge| charge.open).sum();
    Ok(open - balance(tx, person)?)
}

#[derive(Clone, Debug)]
pub struct ChargeReversed {
    pub charge: Charge,
    /// Paid part of the charge, which is credit now.
    pub credit: Money,
    pub change: ChangeId,
}

/// Reverses a charge, for instance the price of a copy that was found (R-MONEY-4). Its waived part stays waived; its
/// paid part becomes credit, to be paid out by [`refund`].
///
/// # Errors
/// [`Error::NotFound`]; [`Error::OwnAccount`]; [`Error::Invalid`] if the charge is already reversed or fully waived.
pub fn reverse_charge(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: LineId,
    reason: &str,
) -> Result<ChargeReversed> {
    let person = lock_of_line(tx, id)?.ok_or(Error::NotFound)?;
    refuse_own(actor, person)?;
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
    let change = MoneyChange::ChargeReversed {
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

/// Arguments of [`refund`].
#[derive(Clone, Debug)]
pub struct Refund<'a> {
    pub person: UserId,
    pub amount: Money,
    pub method: Method,
    pub reference: &'a str,
}

/// Pays out credit. Credit never settles charges by itself.
///
/// # Errors
/// [`Error::OwnAccount`]; [`Error::Invalid`] if the credit is smaller.
pub fn refund(tx: &mut Tx<'_>, actor: Actor, moment: Moment, what: &Refund<'_>) -> Result<ChangeId> {
    refuse_own(actor, what.person)?;
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
    let change = MoneyChange::Refunded { line, amount, method, reference: what.reference.to_owned() };
    record(tx, moment, actor, &Entry::person(what.person, change))
}

#[derive(Clone, Debug)]
pub struct PaymentReversed {
    pub receipt: Receipt,
    pub change: ChangeId,
}

/// Reverses a payment of any day. The receipt keeps its number, and the settled charges are owed again; a part that
/// became credit through a reversed charge is deducted from the credit.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::OwnAccount`]; [`Error::Invalid`] if the payment is already reversed, or its credit was
/// paid out.
pub fn reverse_payment(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    number: &str,
    reason: &str,
) -> Result<PaymentReversed> {
    let (_, found) = payment_of(tx, number)?.ok_or(Error::NotFound)?;
    let person = lock_of_line(tx, found.id)?.ok_or(Error::NotFound)?;
    refuse_own(actor, person)?;
    let (_, payment) = payment_of(tx, number)?.ok_or(Error::NotFound)?;
    if payment.reversed {
        return Err(Error::Invalid(Invalid::field("receipt", message::receipt_reversed())));
    }
    let (mut owed_again, mut from_credit) = (Vec::new(), Money::ZERO);
    for part in settled_by(tx, payment.id)? {
        if line_by_id(tx, part.charge)?.is_some_and(|(_, charge)| charge.reversed) {
            from_credit += part.amount;
        } else {
            owed_again.push(part);
        }
    }
    if from_credit > credit(tx, person)? {
        return Err(Error::Invalid(Invalid::field("receipt", message::paid_out_since(from_credit))));
    }
    let line = add_opposite(tx, actor, moment, person, &payment, reason, &owed_again)?;
    let method = payment.of.as_deref().and_then(Method::parse).ok_or(Error::NotFound)?;
    let change = MoneyChange::PaymentReversed {
        line,
        payment: payment.id,
        receipt: number.to_owned(),
        amount: -payment.amount,
        method,
        charges: owed_again.iter().map(|part| part.charge).collect(),
        reason: reason.to_owned(),
    };
    let change = record(tx, moment, actor, &Entry::person(person, change))?;
    let receipt = receipt(tx, number)?.ok_or(Error::NotFound)?;
    Ok(PaymentReversed { receipt, change })
}

/// Adds a line that reverses `line`. The reversal of a charge settles the charge; the reversal of a payment or waiver
/// reopens the charges that it had settled.
pub(super) fn reverse(tx: &mut Tx<'_>, actor: Actor, moment: Moment, line: LineId) -> Result<LineId> {
    let person = lock_of_line(tx, line)?.ok_or(Error::NotFound)?;
    let (_, first) = line_by_id(tx, line)?.ok_or(Error::NotFound)?;
    let parts = settled_by(tx, line)?;
    let id = add_opposite(tx, actor, moment, person, &first, &first.reason, &parts)?;
    if first.kind == LineKind::Charge {
        settle(tx, id, &Settled { charge: line, amount: first.amount })?;
    }
    Ok(id)
}

/// Adds the reversal of a line, and reopens the settled parts of charges.
fn add_opposite(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    person: UserId,
    first: &Line,
    reason: &str,
    parts: &[Settled],
) -> Result<LineId> {
    let new = NewLine {
        at: moment.at,
        person,
        kind: LineKind::Reversal,
        of: None,
        amount: -first.amount,
        reason,
        reasons: None,
        reference: "",
        loan: first.loan_id,
        receipt: None,
        reverses: Some(first.id),
        by: actor.uid(),
    };
    let id = add(tx, &new)?;
    for part in parts {
        settle(tx, id, &Settled { charge: part.charge, amount: -part.amount })?;
    }
    Ok(id)
}
