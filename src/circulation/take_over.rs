//! Imports open loans and charges from another system unchanged and without notices.

use jiff::civil::Date;

use super::{Actor, Error, Result, money};
use crate::{
    domain::{
        change::{LoanChange, MoneyChange},
        copy::{Condition, Copy, State},
        due::Due,
        id::{ChangeId, ImportId, LineId, LoanId, UserId},
        ledger::ChargeKind,
        loan::OpenLoan,
        moment::Moment,
    },
    message::{self, Message},
    money::Money,
    storage::{
        self, Tx, books, copies,
        events::{self, Entry},
        loans, people,
    },
};

/// Import that a loan or charge comes from.
#[derive(Clone, Copy, Debug)]
pub struct From<'a> {
    pub import: ImportId,
    /// Name of the imported file.
    pub file: &'a str,
}

/// Arguments of [`loan`].
#[derive(Clone, Copy, Debug)]
pub struct Lent<'a> {
    pub from: From<'a>,
    pub reader: &'a people::Record,
    pub copy: &'a Copy,
    pub on: Date,
    /// Without an explanation if the day is in the file.
    pub due: &'a Due,
    pub renewals: i64,
}

/// Returns the reason why a copy in this state cannot be on loan; the caller checks for an open loan of the copy.
#[must_use]
pub fn reason_against(copy: &Copy) -> Option<Message> {
    match copy.state {
        State::OnShelf | State::OnLoan | State::ToShelve | State::Unseen | State::Reference => None,
        State::OnHoldShelf => Some(message::import_copy_kept()),
        State::InRepair => Some(message::import_copy_in_repair()),
        State::Lost => Some(message::import_copy_lost()),
        State::Missing => Some(message::import_copy_missing()),
        State::Withdrawn => Some(message::import_copy_withdrawn()),
    }
}

/// Opens a loan with the dates and renewals of another system. The limits of the rules do not apply, because the reader
/// already has the book; the title's holds are unchanged. The caller has locked the reader and the title, and
/// [`reason_against`] returned `None`.
pub fn loan(
    tx: &mut Tx<'_>,
    by: Option<UserId>,
    moment: Moment,
    lent: &Lent<'_>,
) -> storage::Result<(LoanId, ChangeId)> {
    let Lent { from, reader, copy, on, due, renewals } = *lent;
    let was = Condition::parse(copy.state.as_str())
        .ok_or(storage::Error::Inconsistent("a copy is taken over that is on loan or kept"))?;
    if was == Condition::OnShelf {
        books::count_out(tx, copy.book_id)?;
    } else if was != Condition::Reference {
        copies::set_condition(tx, copy.id, Condition::OnShelf)?;
    }
    let mut reasons = due.explain.clone();
    reasons.push(message::explain_due_imported(from.file));
    let due = due.day;
    let mut loan = OpenLoan {
        id: LoanId(0),
        user_id: reader.uid,
        book_id: copy.book_id,
        title: copy.title.clone(),
        copy_id: copy.id,
        barcode: copy.barcode.clone(),
        entry_date: on,
        return_date: due,
        loan_days: i64::from((due - on).get_days()),
        renewals,
        due_reasons: Some(Message::to_stored(&reasons)),
        category: reader.details.category.clone(),
        price: None,
        title_deleted: false,
    };
    loan.id = loans::take_over(tx, &loan)?;
    let change = LoanChange::LoanImported {
        loan: loan.id,
        import: from.import,
        title: loan.title,
        copy: copy.id,
        barcode: loan.barcode,
        lent: on,
        due,
        renewals,
        was: Some(was).filter(|was| *was != Condition::OnShelf),
    };
    let entry =
        Entry { person: Some(reader.uid), book: Some(copy.book_id), copy: None, change: change.into() };
    let change = events::record(tx, moment.at, by, &entry)?;
    Ok((loan.id, change))
}

/// Arguments of [`charge`].
#[derive(Clone, Copy, Debug)]
pub struct Owed<'a> {
    pub from: From<'a>,
    pub person: UserId,
    pub of: ChargeKind,
    pub amount: Money,
    /// Reason; if empty, the name of the file.
    pub reason: &'a str,
    /// Day since which the amount is owed.
    pub since: Option<Date>,
}

/// Charges what a person owed in another system. The caller has locked the person.
pub fn charge(
    tx: &mut Tx<'_>,
    by: UserId,
    moment: Moment,
    owed: &Owed<'_>,
) -> storage::Result<(LineId, ChangeId)> {
    let Owed { from, person, of, amount, reason, since } = *owed;
    let explain = match since {
        Some(since) => message::explain_charge_imported_since(from.file, since),
        None => message::explain_charge_imported(from.file),
    };
    let reason = if reason.is_empty() { from.file } else { reason };
    let new = money::NewCharge { person, of, amount, reason, explain: &[explain], loan: None };
    let charge: Result<_> = money::write_charge(tx, Actor::Librarian(by), moment, &new);
    let charge = charge.map_err(Error::into_storage)?;
    let change = MoneyChange::ChargeImported {
        line: charge.id,
        import: from.import,
        of,
        amount,
        reason: charge.reason,
    };
    let change = events::record(tx, moment.at, Some(by), &Entry::person(person, change))?;
    Ok((charge.id, change))
}
