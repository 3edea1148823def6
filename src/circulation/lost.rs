//! Lost and found (R-MONEY-4): a reader lost a copy and pays for it; if it turns up, the price can be taken back.

use super::{
    Actor, Error, Moment, Result,
    hold::Line,
    money::{self, NewCharge},
    record,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        change::Change,
        copy::{Condition, Copy, State},
        fine,
        id::{ChangeId, CopyId, LineId, LoanId, UserId},
        ledger::{Charge, ChargeKind, LARGEST},
        loan::OpenLoan,
        money::Money,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    storage::{
        Tx, copies,
        events::Entry,
        ledger,
        loans::{self, End},
        people,
    },
};

/// A copy that its reader lost.
#[derive(Clone, Copy, Debug)]
pub struct DeclareLost {
    pub loan: LoanId,
    /// What is asked for it; the copy's price if left out. Zero is a price.
    pub price: Option<Money>,
}

/// A loan that ended because its copy is lost.
#[derive(Clone, Debug)]
pub struct DeclaredLost {
    pub loan: OpenLoan,
    /// The fine until today, and the price; what is zero is not charged.
    pub charges: Vec<Charge>,
    pub change: ChangeId,
}

/// Ends a loan whose copy is lost: its fine is charged as at a return, and the price of the copy.
///
/// # Errors
/// [`Error::NotFound`] where the loan is not open; [`Error::Invalid`] where no price is known and none is given, or it is no
/// price.
pub fn declare_lost(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: DeclareLost,
) -> Result<DeclaredLost> {
    let loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let running =
        fine::of(loan.return_date, moment.today, &rulebook.history, &loan.category, &rulebook.calendar);
    let line = Line::lock(tx, loan.book_id)?;
    let facts = copies::lock(tx, loan.copy_id)?.ok_or(Error::NotFound)?;
    let recorded = facts.record.price;
    let price = what.price.or(recorded);
    let price = price.ok_or_else(|| Error::Invalid(Invalid::field(PRICE, message::required("Price"))))?;
    if !(Money::ZERO..=LARGEST).contains(&price) {
        let error = message::amount_out_of_range("Price", Money::ZERO, LARGEST);
        return Err(Error::Invalid(Invalid::field(PRICE, error)));
    }
    // The copies of a deleted title stay withdrawn.
    let to = if line.is_some() { Condition::Lost } else { Condition::Withdrawn };
    let end =
        End { at: moment.at, on: moment.today, by: actor.uid(), restocked: false, fine: running.amount };
    loans::end(tx, loan.id, end)?;
    copies::set_condition(tx, loan.copy_id, to)?;
    let overdue = money::charge_fine(tx, actor, moment, &loan, &running)?;
    let lost = if price > Money::ZERO {
        let explain = match recorded {
            Some(recorded) if recorded == price => message::explain_price(price, &loan.barcode),
            Some(recorded) => message::explain_price_changed(price, recorded, &loan.barcode),
            None => message::explain_price_unknown(price, &loan.barcode),
        };
        let new = NewCharge {
            person: loan.user_id,
            of: ChargeKind::Lost,
            amount: price,
            reason: &loan.title,
            explain: &[explain],
            loan: Some(loan.id),
        };
        Some(money::write_charge(tx, actor, moment, &new)?)
    } else {
        None
    };
    let id = |charge: &Option<Charge>| charge.as_ref().map(|charge| charge.id);
    let change = Change::DeclaredLost {
        loan: loan.id,
        title: loan.title.clone(),
        copy: loan.copy_id,
        barcode: loan.barcode.clone(),
        due: loan.return_date,
        to,
        was: facts.condition,
        fine: running.amount,
        charge: id(&overdue),
        price,
        price_charge: id(&lost),
    };
    let entry =
        Entry { person: Some(loan.user_id), book: Some(loan.book_id), copy: Some(loan.copy_id), change };
    let change = record(tx, moment, actor, &entry)?;
    Ok(DeclaredLost { loan, charges: overdue.into_iter().chain(lost).collect(), change })
}

/// The field of the price.
const PRICE: &str = "price";

/// The price of a lost copy that stands charged to the reader who lost it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostPrice {
    pub charge: LineId,
    pub user_id: UserId,
    pub user_name: String,
    /// What taking it back would take back; what was waived is left out.
    pub amount: Money,
    /// What of it is paid and would become credit.
    pub paid: Money,
}

/// What is charged to whoever lost this copy, for when it turns up; nothing where it is not lost, or the price does not stand.
pub fn lost_price(tx: &mut Tx<'_>, copy: &Copy) -> Result<Option<LostPrice>> {
    if copy.state != State::Lost {
        return Ok(None);
    }
    let Some(id) = ledger::price_of_lost(tx, copy.id)? else { return Ok(None) };
    let (user_id, line) = ledger::line_by_id(tx, id)?.ok_or(Error::NotFound)?;
    let amount = line.amount - ledger::waived(tx, id)?;
    let Some(person) = people::by_id(tx, user_id)? else { return Ok(None) };
    if line.reversed || amount == Money::ZERO {
        return Ok(None);
    }
    let user_name = person.details.name;
    Ok(Some(LostPrice { charge: id, user_id, user_name, amount, paid: amount - line.open }))
}

/// [`lost_price`] of a copy that a move to this state would bring back.
pub fn price_if_found(tx: &mut Tx<'_>, id: CopyId, to: Condition) -> Result<Option<LostPrice>> {
    if !matches!(to, Condition::OnShelf | Condition::ToShelve | Condition::InRepair | Condition::Reference) {
        return Ok(None);
    }
    let copy = copies::by_id(tx, id)?.ok_or(Error::NotFound)?;
    lost_price(tx, &copy)
}
