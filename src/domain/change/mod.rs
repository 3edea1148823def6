//! Changes: one typed value for every effect, stored in the effect's transaction and never edited. The activity log, the
//! history of a copy and the explanations read the changes; no code parses free text.
//!
//! Each area has an enum of its kinds. Its `about` states once, for each kind, the facts that undo, the desk and erasure
//! read. A new kind needs a variant with its arms here, a sentence in `message/`, and, if it can be undone, an arm in
//! `circulation::undo`.

mod catalogue;
mod copy;
mod hold;
mod loan;
mod money;
mod person;
mod settings;
mod sign_in;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use catalogue::{CatalogueChange, Opinion, Record};
pub use copy::{AddedCopy, CopyChange, CopyRecord};
pub use hold::{EndedHold, HoldChange, PassedOver, QueueKey};
pub use loan::{LoanChange, Swap};
pub use money::MoneyChange;
pub use person::{PersonChange, Profile};
pub use settings::SettingsChange;
pub use sign_in::SignInChange;

use super::{
    account::Capability,
    id::{ChangeId, CopyId, HoldId, LineId, LoanId},
};
use crate::{
    message::{self, Message},
    money::Money,
};

/// An effect with its own fields. Stored as JSON under version 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Change {
    /// Another change was undone.
    Undone { change: ChangeId, first: Box<Change> },
    /// Replaces a change that named an erased person.
    Erased,
    // Frequent areas first: serde tries the untagged variants in this order.
    #[serde(untagged)]
    Loan(LoanChange),
    #[serde(untagged)]
    SignIn(SignInChange),
    #[serde(untagged)]
    Hold(HoldChange),
    #[serde(untagged)]
    Copy(CopyChange),
    #[serde(untagged)]
    Money(MoneyChange),
    #[serde(untagged)]
    Person(PersonChange),
    #[serde(untagged)]
    Catalogue(CatalogueChange),
    #[serde(untagged)]
    Settings(SettingsChange),
    /// Any other kind or shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A change that a newer version of the program wrote, as stored (R-SEAM-9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    pub kind: String,
    #[serde(flatten)]
    pub raw: Map<String, Value>,
}

/// Facts about a change for the modules that act on any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About<'c> {
    /// Name of the kind in the database and the API.
    pub action: &'c str,
    /// Loans that it began, ended or moved.
    pub loans: Vec<LoanId>,
    /// Copies that it lent, returned, kept or moved.
    pub copies: Vec<CopyId>,
    /// Holds that it placed, ended or moved.
    pub holds: Vec<HoldId>,
    /// Charges that it settled or reversed.
    pub lines: Vec<LineId>,
    /// Capability needed to undo it, the same as to make it; `None` if it is never undone.
    pub undone_by: Option<Capability>,
    /// True if it concerns a reader's loan or hold; such a change without a person was anonymised.
    pub of_reader: bool,
    /// True if it is desk work, which the desk lists and counts (R-DESK-12).
    pub at_desk: bool,
    /// True if the change names its person, so that erasing the person erases the change (R-PEOPLE-6).
    pub personal: bool,
}

impl<'c> About<'c> {
    /// Facts with only the action set, for a change that is just listed.
    fn of(action: &'c str) -> Self {
        Self {
            action,
            loans: Vec::new(),
            copies: Vec::new(),
            holds: Vec::new(),
            lines: Vec::new(),
            undone_by: None,
            of_reader: false,
            at_desk: false,
            personal: false,
        }
    }
}

macro_rules! areas {
    ($($area:ident($change:ident)),+ $(,)?) => {
        $(impl From<$change> for Change {
            fn from(change: $change) -> Self {
                Self::$area(change)
            }
        })+
    };
}

areas!(
    Loan(LoanChange),
    SignIn(SignInChange),
    Hold(HoldChange),
    Copy(CopyChange),
    Money(MoneyChange),
    Person(PersonChange),
    Catalogue(CatalogueChange),
    Settings(SettingsChange),
);

impl Change {
    /// Facts about a change of any kind.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        match self {
            Self::Undone { first, .. } => {
                let About { of_reader, personal, undone_by, .. } = first.about();
                // A change without `undone_by` is undone only with its whole import, which is not desk work.
                About { of_reader, at_desk: undone_by.is_some(), personal, ..About::of("undone") }
            }
            Self::Erased => About::of("erased"),
            Self::Loan(change) => change.about(),
            Self::SignIn(change) => change.about(),
            Self::Hold(change) => change.about(),
            Self::Copy(change) => change.about(),
            Self::Money(change) => change.about(),
            Self::Person(change) => change.about(),
            Self::Catalogue(change) => change.about(),
            Self::Settings(change) => change.about(),
            Self::Unknown(unknown) => About::of(&unknown.kind),
        }
    }

    /// Loans that the change began, ended or moved.
    #[must_use]
    pub fn loans(&self) -> Vec<LoanId> {
        self.about().loans
    }

    /// Copy of the loan that the change is about; `None` for other kinds.
    #[must_use]
    pub fn copy_of_loan(&self) -> Option<CopyId> {
        match self {
            Self::Loan(_) => self.about().copies.first().copied(),
            _ => None,
        }
    }

    /// Name of the kind in the database and the API.
    #[must_use]
    pub fn action(&self) -> &str {
        self.about().action
    }

    /// True if it concerns a reader's loan or hold; such a change without a person was anonymised.
    #[must_use]
    pub fn is_of_reader(&self) -> bool {
        self.about().of_reader
    }

    /// Capability needed to undo the change, the same as to make it. `None` if it is never undone.
    #[must_use]
    pub fn undone_by(&self) -> Option<Capability> {
        self.about().undone_by
    }

    /// Capability that lets the librarian who made the change undo it: the desk charges for damage and loss, so it
    /// may undo such a charge.
    #[must_use]
    pub fn undone_by_maker(&self) -> Option<Capability> {
        match self {
            Self::Money(MoneyChange::Charged { .. }) => Some(Capability::Desk),
            _ => self.undone_by(),
        }
    }

    /// True if a student who made the change for themselves may undo it without the desk.
    #[must_use]
    pub fn undone_by_reader(&self) -> bool {
        matches!(self, Self::Loan(change) if change.undone_by_reader())
    }

    /// Describes what happened.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        match self {
            Self::Undone { first, .. } => match &**first {
                Self::Unknown(_) => first.messages(),
                first => first.undone().into_iter().collect(),
            },
            Self::Erased => vec![message::change_erased()],
            Self::Loan(change) => change.messages(),
            Self::SignIn(change) => change.messages(),
            Self::Hold(change) => change.messages(),
            Self::Copy(change) => change.messages(),
            Self::Money(change) => change.messages(),
            Self::Person(change) => change.messages(),
            Self::Catalogue(change) => change.messages(),
            Self::Settings(change) => change.messages(),
            Self::Unknown(_) => vec![message::change_newer()],
        }
    }

    /// Describes the state that an undo restores; `None` if the change is never undone.
    #[must_use]
    pub fn undone(&self) -> Option<Message> {
        match self {
            Self::Loan(change) => change.undone(),
            Self::Hold(change) => change.undone(),
            Self::Copy(change) => change.undone(),
            Self::Money(change) => change.undone(),
            Self::Person(change) => change.undone(),
            Self::Catalogue(change) => change.undone(),
            Self::Undone { .. } | Self::Erased | Self::SignIn(_) | Self::Settings(_) | Self::Unknown(_) => {
                None
            }
        }
    }
}

impl Change {
    /// True if undoing the change cancels a debt of the person: a charge, or a reversed payment.
    #[must_use]
    pub fn is_forgiven_by_undo(&self) -> bool {
        matches!(
            self,
            Self::Loan(LoanChange::FineCharged { .. })
                | Self::Money(
                    MoneyChange::Charged { .. }
                        | MoneyChange::ChargeImported { .. }
                        | MoneyChange::PaymentReversed { .. }
                )
        )
    }

    /// Removes the guardian's address and phone from recorded details of a person.
    pub fn hide_guardian(&mut self) {
        match self {
            Self::Undone { first, .. } => first.hide_guardian(),
            Self::Person(PersonChange::PersonAdded { person }) => person.hide_guardian(),
            Self::Person(PersonChange::PersonUpdated { before, after }) => {
                before.hide_guardian();
                after.hide_guardian();
            }
            _ => {}
        }
    }

    /// Names the ordinary way to correct the change once its day is over; `None` if the change is never undone.
    #[must_use]
    pub fn instead(&self) -> Option<Message> {
        Some(match self {
            Self::Loan(LoanChange::Lent { .. }) => message::instead_return(),
            Self::Loan(LoanChange::Returned { .. }) => message::instead_lend(),
            Self::Loan(LoanChange::Renewed { .. }) => message::instead_return_and_lend(),
            Self::Loan(LoanChange::DeclaredLost { .. }) => message::instead_found(),
            Self::Loan(LoanChange::DueDateSet { .. }) => message::instead_set_due_date(),
            Self::Loan(LoanChange::FineCharged { .. }) | Self::Money(MoneyChange::Charged { .. }) => {
                message::instead_cancel_charge()
            }
            Self::Hold(HoldChange::HoldPlaced { .. } | HoldChange::HoldReady { .. }) => {
                message::instead_cancel_hold()
            }
            Self::Hold(HoldChange::HoldCancelled { .. }) => message::instead_reserve(),
            Self::Copy(CopyChange::CopyMoved { .. }) => message::instead_move_copy(),
            Self::Money(MoneyChange::Paid { .. }) => message::instead_reverse_payment(),
            Self::Money(MoneyChange::PaymentReversed { .. }) => message::instead_take_payment(),
            Self::Money(
                MoneyChange::Waived { .. }
                | MoneyChange::ChargeReversed { .. }
                | MoneyChange::Refunded { .. },
            ) => message::instead_charge(),
            Self::Person(PersonChange::PersonDeactivated { .. }) => message::instead_activate(),
            Self::Person(PersonChange::BatchMoved { to: Some(_), .. }) => message::instead_move_batch(),
            Self::Person(PersonChange::BatchMoved { to: None, .. }) => message::instead_activate_all(),
            Self::Person(PersonChange::PeopleMerged { .. }) => message::instead_add_person(),
            Self::Catalogue(CatalogueChange::BookDeleted { .. }) => message::instead_add_title(),
            _ => return None,
        })
    }
}

/// Rules that a librarian overrode, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overridden {
    pub blocks: Vec<String>,
    pub reason: String,
}

impl Overridden {
    fn message(&self) -> Message {
        message::change_overridden(&self.reason)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(amount: &Money) -> bool {
    *amount == Money::ZERO
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !*value
}
