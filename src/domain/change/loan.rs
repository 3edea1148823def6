//! Changes of loans.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{About, EndedHold, Overridden, PassedOver, is_false, is_zero};
use crate::{
    domain::{
        account::Capability,
        copy::Condition,
        id::{ChangeId, CopyId, HoldId, ImportId, LineId, LoanId},
    },
    message::{self, Message},
    money::Money,
};

/// A change of a loan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum LoanChange {
    Lent {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        barcode: Option<String>,
        due: Date,
        /// Overridden blocks and the reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
        /// The borrower's own hold, fulfilled by the loan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filled: Option<EndedHold>,
        /// Another reader's hold that kept the copy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed_over: Option<PassedOver>,
        /// Condition of the copy before the loan, unless `OnShelf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<Condition>,
    },
    Returned {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        due: Date,
        on: Date,
        to: Condition,
        fine: Money,
        /// The hold for which the copy is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caught: Option<HoldId>,
        /// Charge of the fine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        /// Condition stored during the loan, unless `OnShelf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<Condition>,
        /// The swap, if another copy than the lent one was returned (R-DESK-6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        swapped: Option<Swap>,
        /// True if `on` is before the day of the change, as for a book drop (R-DESK-11).
        #[serde(default, skip_serializing_if = "is_false")]
        backdated: bool,
    },
    Renewed {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
        /// The fine charged by the renewal (R-MONEY-5).
        #[serde(default, skip_serializing_if = "is_zero")]
        charged: Money,
        /// Charge of `charged`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        /// Part of the running fine that the renewal dropped (R-MONEY-5).
        #[serde(default, skip_serializing_if = "is_zero")]
        dropped: Money,
        /// Explanation of the earlier return date, as JSON messages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasons_before: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    /// A reminder slip for the borrower of these loans was printed.
    SlipPrinted { loans: Vec<LoanId> },
    /// The fine that a renewal dropped was charged after all (R-MONEY-5).
    FineCharged { loan: LoanId, title: String, renewal: ChangeId, amount: Money, charge: LineId },
    /// A loan ended because its reader lost the copy (R-MONEY-4).
    DeclaredLost {
        loan: LoanId,
        title: String,
        copy: CopyId,
        barcode: String,
        due: Date,
        /// `Lost`; `Withdrawn` if the title is deleted.
        to: Condition,
        was: Condition,
        fine: Money,
        /// Charge of the fine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        price: Money,
        /// Charge of the price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        price_charge: Option<LineId>,
    },
    /// A change of rules or calendar moved the due date.
    DueDateMoved { loan: LoanId, title: String, from: Date, to: Date },
    /// A librarian set the due date by hand.
    DueDateSet {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
        /// The running fine, dropped by the new date.
        #[serde(default, skip_serializing_if = "is_zero")]
        dropped: Money,
        /// Explanation of the earlier return date, as JSON messages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasons_before: Option<String>,
        reason: String,
    },
    /// A loan that began in another system was imported.
    LoanImported {
        loan: LoanId,
        import: ImportId,
        title: String,
        copy: CopyId,
        barcode: String,
        lent: Date,
        due: Date,
        renewals: i64,
        /// Condition of the copy before the loan, unless `OnShelf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<Condition>,
    },
}

impl LoanChange {
    pub(super) fn about(&self) -> About<'static> {
        match self {
            Self::Lent { loan, copy, filled, passed_over, .. } => About {
                copies: copy.iter().copied().collect(),
                holds: filled
                    .iter()
                    .map(|ended| ended.hold)
                    .chain(passed_over.iter().map(|before| before.hold))
                    .collect(),
                ..at_desk("lent", [*loan])
            },
            Self::Returned { loan, copy, caught, swapped, .. } => About {
                copies: copy.iter().copied().collect(),
                holds: caught.iter().copied().collect(),
                ..at_desk(
                    "returned",
                    [*loan].into_iter().chain(swapped.as_ref().and_then(|swapped| swapped.with)),
                )
            },
            Self::Renewed { loan, .. } => at_desk("renewed", [*loan]),
            Self::FineCharged { loan, charge, .. } => {
                About { lines: vec![*charge], ..at_desk("fine-charged", [*loan]) }
            }
            Self::DeclaredLost { loan, copy, .. } => {
                About { copies: vec![*copy], ..at_desk("declared-lost", [*loan]) }
            }
            Self::DueDateMoved { loan, .. } => {
                About { loans: vec![*loan], of_reader: true, ..About::of("due-date-moved") }
            }
            Self::SlipPrinted { loans } => {
                About { loans: loans.clone(), of_reader: true, ..About::of("slip-printed") }
            }
            // The reason is free text about the person.
            Self::DueDateSet { loan, .. } => About { personal: true, ..at_desk("due-date-set", [*loan]) },
            Self::LoanImported { loan, copy, .. } => About {
                loans: vec![*loan],
                copies: vec![*copy],
                of_reader: true,
                ..About::of("loan-imported")
            },
        }
    }

    /// True for a borrow, a renewal and a return to the shelf; the desk decides about all other returned copies.
    pub(super) fn undone_by_reader(&self) -> bool {
        match self {
            Self::Lent { .. } | Self::Renewed { .. } => true,
            Self::Returned { to, .. } => *to == Condition::OnShelf,
            _ => false,
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        match self {
            Self::Lent { title, barcode, due, overridden, .. } => {
                let lent = match barcode {
                    Some(barcode) => message::change_lent_copy(title, barcode, *due),
                    None => message::change_lent(title, *due),
                };
                std::iter::once(lent).chain(overridden.as_ref().map(Overridden::message)).collect()
            }
            Self::Returned { title, on, to, fine, caught, swapped, backdated, .. } => {
                let returned = match to {
                    _ if caught.is_some() => message::change_returned_elsewhere(title),
                    Condition::OnShelf => message::change_returned(title),
                    Condition::ToShelve => message::change_returned_to_shelve(title),
                    _ => message::change_returned_elsewhere(title),
                };
                let fine = (*fine > Money::ZERO).then(|| message::change_with_fine(*fine));
                let caught = caught.map(|_| message::change_caught());
                let swapped = swapped.as_ref().map(Swap::message);
                let backdated = backdated.then(|| message::change_counted_as_of(*on));
                std::iter::once(returned).chain(backdated).chain(swapped).chain(fine).chain(caught).collect()
            }
            Self::Renewed { title, from, to, charged, dropped, overridden, .. } => {
                let charged = (*charged > Money::ZERO).then(|| message::change_charged(*charged));
                let dropped = (*dropped > Money::ZERO).then(|| message::change_fine_dropped(*dropped));
                std::iter::once(message::change_renewed(title, *from, *to))
                    .chain(charged)
                    .chain(dropped)
                    .chain(overridden.as_ref().map(Overridden::message))
                    .collect()
            }
            Self::FineCharged { title, amount, .. } => {
                vec![message::change_fine_charged(title, *amount)]
            }
            Self::DeclaredLost { title, barcode, fine, price, .. } => {
                let fine = (*fine > Money::ZERO).then(|| message::change_with_fine(*fine));
                std::iter::once(message::change_declared_lost(title, barcode, *price)).chain(fine).collect()
            }
            Self::DueDateMoved { title, from, to, .. } => {
                vec![message::change_due_date_moved(title, *from, *to)]
            }
            Self::SlipPrinted { loans } => vec![message::change_slip_printed(loans.len())],
            Self::LoanImported { title, barcode, lent, due, .. } => {
                vec![message::change_loan_imported(title, barcode, *lent, *due)]
            }
            Self::DueDateSet { title, from, to, dropped, reason, .. } => {
                let dropped = (*dropped > Money::ZERO).then(|| message::change_fine_dropped(*dropped));
                std::iter::once(message::change_due_date_set(title, *from, *to))
                    .chain(dropped)
                    .chain([message::change_reason(reason)])
                    .collect()
            }
        }
    }

    pub(super) fn undone(&self) -> Option<Message> {
        match self {
            Self::Lent { title, .. } | Self::LoanImported { title, .. } => Some(message::undone_lent(title)),
            Self::Returned { title, due, .. } | Self::DeclaredLost { title, due, .. } => {
                Some(message::undone_returned(title, *due))
            }
            Self::Renewed { title, from, .. } | Self::DueDateSet { title, from, .. } => {
                Some(message::undone_renewed(title, *from))
            }
            Self::FineCharged { amount, .. } => Some(message::undone_charged(*amount)),
            Self::DueDateMoved { .. } | Self::SlipPrinted { .. } => None,
        }
    }
}

/// Facts about a change that the desk makes to loans and may undo.
fn at_desk(action: &'static str, loans: impl IntoIterator<Item = LoanId>) -> About<'static> {
    About {
        loans: loans.into_iter().collect(),
        undone_by: Some(Capability::Desk),
        of_reader: true,
        at_desk: true,
        ..About::of(action)
    }
}

/// A swap: the reader returned another copy of the title than the lent one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Swap {
    /// The lent copy.
    pub copy: CopyId,
    pub barcode: String,
    /// Barcode of the returned copy.
    pub in_hand: String,
    /// The loan of the returned copy; this loan has the lent copy now. `None` if the returned copy was not on
    /// loan; the lent copy is then missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<LoanId>,
    /// Condition of the lent copy before the swap.
    pub was: Condition,
}

impl Swap {
    fn message(&self) -> Message {
        match self.with {
            Some(_) => message::change_exchanged(&self.in_hand, &self.barcode),
            None => message::change_swapped(&self.in_hand, &self.barcode),
        }
    }
}
