//! Lost and found (R-MONEY-4): a reader pays for a lost copy; if it turns up, the charge can be cancelled.

use super::{
    Actor, Error, Result,
    hold::Line,
    money::{self, NewCharge},
    record,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        change::LoanChange,
        copy::{Condition, Copy, State},
        fine,
        id::{ChangeId, CopyId, LineId, LoanId, UserId},
        ledger::{Charge, ChargeKind, LARGEST},
        loan::OpenLoan,
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    money::Money,
    storage::{
        Tx, books, copies,
        events::Entry,
        ledger,
        loans::{self, End},
        people,
    },
};

/// Arguments of [`declare_lost`].
#[derive(Clone, Copy, Debug)]
pub struct DeclareLost {
    pub loan: LoanId,
    /// Price to charge, which may be zero; `None` for the copy's recorded price.
    pub price: Option<Money>,
}

#[derive(Clone, Debug)]
pub struct DeclaredLost {
    pub loan: OpenLoan,
    /// The fine until today and the price, each only if above zero.
    pub charges: Vec<Charge>,
    pub change: ChangeId,
}

/// Ends the loan of a lost copy and charges the fine, as at a return, and the copy's price.
///
/// # Errors
/// [`Error::NotFound`] if the loan is not open; [`Error::Invalid`] if no price is given or recorded, or the price is
/// out of range.
pub fn declare_lost(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: DeclareLost,
) -> Result<DeclaredLost> {
    let loan = loans::lock_open(tx, what.loan)?.ok_or(Error::NotFound)?;
    let running = fine::of(loan.return_date, moment.today, &rulebook.history, &loan, &rulebook.calendar);
    let line = Line::lock(tx, loan.book_id)?;
    let facts = copies::lock(tx, loan.copy_id)?.ok_or(Error::NotFound)?;
    let recorded = match facts.record.price {
        Some(price) => Some(price),
        None => books::price(tx, loan.book_id)?,
    };
    let price = what.price.or(recorded);
    let price = price.ok_or_else(|| Error::Invalid(Invalid::field(PRICE, message::required("Price"))))?;
    if !(Money::ZERO..=LARGEST).contains(&price) {
        let error = message::amount_out_of_range("Price", Money::ZERO, LARGEST);
        return Err(Error::Invalid(Invalid::field(PRICE, error)));
    }
    // Copies of a deleted title stay withdrawn.
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
    let change = LoanChange::DeclaredLost {
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
    let entry = Entry {
        person: Some(loan.user_id),
        book: Some(loan.book_id),
        copy: Some(loan.copy_id),
        change: change.into(),
    };
    let change = record(tx, moment, actor, &entry)?;
    Ok(DeclaredLost { loan, charges: overdue.into_iter().chain(lost).collect(), change })
}

/// Field name of the price.
const PRICE: &str = "price";

/// Price of a lost copy, charged to its reader and not reversed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LostPrice {
    pub charge: LineId,
    pub user_id: UserId,
    pub user_name: String,
    /// Amount that a reversal would cancel: the price less its waived part.
    pub amount: Money,
    /// Paid part, which would become credit.
    pub paid: Money,
}

/// Returns the price charged for a lost copy; `None` if it is not lost, or the charge is reversed or fully waived.
pub fn lost_price(tx: &mut Tx<'_>, copy: &Copy) -> Result<Option<LostPrice>> {
    if copy.state != State::Lost {
        return Ok(None);
    }
    let Some(id) = ledger::price_of_lost(tx, copy.id)? else { return Ok(None) };
    price_charged(tx, id)
}

/// Returns the price that a reversal of this charge would cancel; `None` if it is reversed or fully waived.
fn price_charged(tx: &mut Tx<'_>, id: LineId) -> Result<Option<LostPrice>> {
    let (user_id, line) = ledger::line_by_id(tx, id)?.ok_or(Error::NotFound)?;
    let amount = line.amount - ledger::waived(tx, id)?;
    let Some(person) = people::by_id(tx, user_id)? else { return Ok(None) };
    if line.reversed || amount == Money::ZERO {
        return Ok(None);
    }
    let user_name = person.details.name;
    Ok(Some(LostPrice { charge: id, user_id, user_name, amount, paid: amount - line.open }))
}

/// Price of a lost copy that was found, charged to its reader and not reversed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundPrice {
    #[serde(flatten)]
    pub price: LostPrice,
    pub title: String,
    pub barcode: String,
}

/// Returns the prices that a person was charged for copies found since, oldest first (R-MONEY-4).
pub fn found_prices(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<FoundPrice>> {
    let mut prices = Vec::new();
    for found in ledger::prices_of_found(tx, person)? {
        if let Some(price) = price_charged(tx, found.charge)? {
            prices.push(FoundPrice { price, title: found.title, barcode: found.barcode });
        }
    }
    Ok(prices)
}

/// Returns the [`lost_price`] of a copy, if a move to this condition means that the copy was found.
pub fn price_if_found(tx: &mut Tx<'_>, id: CopyId, to: Condition) -> Result<Option<LostPrice>> {
    if !matches!(to, Condition::OnShelf | Condition::ToShelve | Condition::InRepair | Condition::Reference) {
        return Ok(None);
    }
    let copy = copies::by_id(tx, id)?.ok_or(Error::NotFound)?;
    lost_price(tx, &copy)
}
