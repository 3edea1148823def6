//! Why an action is refused: every reason, with its numbers and whether a librarian may override it.

use jiff::civil::Date;

use crate::{
    domain::{copy::State, money::Money},
    message::{self, Message},
};

/// One reason. Their ids are part of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// No copy of the title is on the shelf (R-LOAN-1).
    NoCopy,
    /// Students do not borrow by themselves (R-RULE-1).
    SelfBorrowOff,
    SelfReturnOff,
    SelfRenewOff,
    /// As many loans as the person may have (R-RULE-1).
    Limit {
        out: i64,
        max: i64,
    },
    /// The person owes more than the rules let pass.
    Owes {
        owes: Money,
        limit: Money,
    },
    /// The person has so many overdue loans.
    Overdue {
        overdue: i64,
        limit: i64,
    },
    /// The person has a copy of the title already.
    SameTitle {
        due: Date,
    },
    /// The copy is on loan to somebody.
    OnLoan {
        due: Date,
    },
    /// The copy is in a state in which it is not lent without a reason, or not at all.
    State(State),
    /// The loan has a fine, and its reader may not return or renew it by himself (R-LOAN-6).
    Fined {
        fine: Money,
    },
    /// The loan was renewed as often as it may be.
    RenewLimit {
        used: i64,
        max: i64,
    },
}

impl Block {
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::NoCopy => "copy.none",
            Self::SelfBorrowOff => "self.borrow",
            Self::SelfReturnOff => "self.return",
            Self::SelfRenewOff => "self.renew",
            Self::Limit { .. } => "limit.person",
            Self::Owes { .. } => "money.owes",
            Self::Overdue { .. } => "loans.overdue",
            Self::SameTitle { .. } => "title.same",
            Self::OnLoan { .. } => "copy.on_loan",
            Self::State(State::InRepair) => "copy.repair",
            Self::State(State::Lost) => "copy.lost",
            Self::State(State::Missing) => "copy.missing",
            Self::State(State::Reference) => "copy.reference",
            Self::State(State::Withdrawn) => "copy.withdrawn",
            Self::State(_) => "copy.state",
            Self::Fined { .. } => "loan.fined",
            Self::RenewLimit { .. } => "renew.limit",
        }
    }

    /// Whether a librarian may act against it, with a reason.
    #[must_use]
    pub fn overridable(&self) -> bool {
        match self {
            Self::Limit { .. }
            | Self::Owes { .. }
            | Self::Overdue { .. }
            | Self::SameTitle { .. }
            | Self::RenewLimit { .. } => true,
            Self::State(state) => state.lending() == crate::domain::copy::Lending::Override,
            Self::NoCopy
            | Self::SelfBorrowOff
            | Self::SelfReturnOff
            | Self::SelfRenewOff
            | Self::OnLoan { .. }
            | Self::Fined { .. } => false,
        }
    }

    /// In words for the person, with the way out.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::NoCopy => message::block_no_copy(),
            Self::SelfBorrowOff => message::block_self_borrow(),
            Self::SelfReturnOff => message::block_self_return(),
            Self::SelfRenewOff => message::block_self_renew(),
            Self::Limit { out, max } => message::block_limit(*out, *max),
            Self::Owes { owes, limit } => message::block_owes(*owes, *limit),
            Self::Overdue { overdue, limit } => message::block_overdue(*overdue, *limit),
            Self::SameTitle { due } => message::block_same_title(*due),
            Self::OnLoan { due } => message::block_on_loan(*due),
            Self::State(State::InRepair) => message::block_in_repair(),
            Self::State(State::Lost) => message::block_lost(),
            Self::State(State::Missing) => message::block_missing(),
            Self::State(State::Reference) => message::block_reference(),
            Self::State(State::Withdrawn) => message::block_withdrawn(),
            Self::State(state) => message::block_state(state.as_str()),
            Self::Fined { .. } => message::block_fined(),
            Self::RenewLimit { used, max } => message::block_renew_limit(*used, *max),
        }
    }
}

/// An action that the rules do not allow, with every reason at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Never empty.
    pub blocks: Vec<Block>,
}
