//! Reasons for a refusal, with their numbers and whether a librarian may override them.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    domain::copy::State,
    message::{self, Message},
    money::Money,
};

/// One reason for a refusal. Its id is part of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The person is not active (R-PEOPLE-6).
    Inactive,
    /// The person's last day of borrowing is past (R-PEOPLE-9).
    Expired {
        on: Date,
    },
    /// A librarian barred the person.
    Barred {
        until: Date,
        reason: String,
    },
    /// The person has books, reservations or dues, or returned copies that the desk has not seen.
    StillOpen {
        books: i64,
        unseen: i64,
        holds: i64,
        owes: Money,
    },
    /// The batch changed since its preview (R-PEOPLE-5).
    PreviewOutdated,
    /// A promotion of this term moved these people into the batch.
    MovedBefore {
        people: usize,
        from: String,
        to: String,
        on: Date,
    },
    /// No copy of the title is on the shelf (R-LOAN-1).
    NoCopy,
    /// Students may not borrow without the desk (R-RULE-1).
    SelfBorrowOff,
    SelfReturnOff,
    SelfRenewOff,
    /// The person has the maximum number of loans (R-RULE-1).
    Limit {
        out: i64,
        max: i64,
    },
    /// The person owes more than the rules allow.
    Owes {
        owes: Money,
        limit: Money,
    },
    /// The person has reached the limit of overdue loans.
    Overdue {
        overdue: i64,
        limit: i64,
    },
    /// The person already has a copy of the title.
    SameTitle {
        due: Date,
    },
    /// The copy is on loan.
    OnLoan {
        due: Date,
    },
    /// A copy in this state is lent only with a reason, or never.
    State(State),
    /// The loan has a fine, so its reader may return or renew it only at the desk (R-LOAN-6).
    Fined {
        fine: Money,
    },
    /// The change cannot be undone.
    NotUndone(NotUndone),
    /// The loan has used all its renewals.
    RenewLimit {
        used: i64,
        max: i64,
    },
    /// More people wait than copies are free, and the borrower is not among the first of them (R-HOLD-3).
    Reserved {
        waiting: i64,
        free: i64,
    },
    /// The copy is kept for another person.
    KeptForOther {
        until: Date,
    },
    /// More people wait than copies are free.
    RenewWaiting {
        waiting: i64,
    },
    /// A renewal would not move the due date, for the reason `why`.
    GainsNothing {
        due: Date,
        why: Message,
    },
    /// A copy of the title is free, so no hold is possible.
    FreeCopy {
        location: String,
    },
    /// The person already has the title.
    HasTitle {
        due: Date,
    },
    /// No copy of the title is left that could be lent.
    NoCopyLeft,
    /// The person already has a hold on the title.
    InLine,
    /// The person has the maximum number of holds.
    HoldLimit {
        held: i64,
        max: i64,
    },
}

/// Reason against an undo (R-UNDO-2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotUndone {
    /// Already undone.
    Already,
    /// A later change depends on the change.
    Later,
    /// The later change `what` depends on the change; `name` is the person of `what`.
    Since { what: Message, name: Option<String> },
    /// A charge that the change made or reopened was paid or waived.
    Paid,
    /// The money of the change is in a closing of the till; `receipt` is set for a payment.
    Closed { receipt: Option<String>, closing: i64 },
    /// The day of the change is over; `instead` describes how to correct the change now.
    Day { instead: Message },
    /// This kind of change cannot be undone.
    Kind,
    /// A student may undo their own loan for this many minutes only.
    Late { minutes: i64 },
    /// Only the desk can undo the change now; the refusal hides from a student what other people did since.
    AtDesk,
    /// Books of the import were lent, reserved or reviewed since.
    Lent { books: i64 },
    /// Loans of the import were returned or changed since.
    Loans { loans: i64 },
    /// Charges of the import were settled since, at least in part.
    Charges { charges: i64 },
    /// People of the import used the library or were changed since.
    Imported { people: i64 },
    /// These people were changed since; `names` lists the first of them.
    People { people: usize, names: String },
}

impl Block {
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Inactive => "person.inactive",
            Self::Expired { .. } => "person.expired",
            Self::Barred { .. } => "person.barred",
            Self::StillOpen { .. } => "person.open",
            Self::PreviewOutdated => "batch.changed",
            Self::MovedBefore { .. } => "batch.moved",
            Self::NotUndone(NotUndone::Already) => "undo.already",
            Self::NotUndone(NotUndone::Later | NotUndone::Since { .. }) => "undo.later",
            Self::NotUndone(NotUndone::Paid) => "undo.paid",
            Self::NotUndone(NotUndone::Closed { .. }) => "undo.closed",
            Self::NotUndone(NotUndone::Day { .. }) => "undo.day",
            Self::NotUndone(NotUndone::Kind) => "undo.kind",
            Self::NotUndone(NotUndone::Late { .. }) => "undo.late",
            Self::NotUndone(NotUndone::AtDesk) => "undo.desk",
            Self::NotUndone(NotUndone::Lent { .. }) => "undo.lent",
            Self::NotUndone(NotUndone::Loans { .. }) => "undo.loans",
            Self::NotUndone(NotUndone::Charges { .. }) => "undo.charges",
            Self::NotUndone(NotUndone::Imported { .. }) => "undo.imported",
            Self::NotUndone(NotUndone::People { .. }) => "undo.people",
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
            Self::Reserved { .. } | Self::KeptForOther { .. } => "title.reserved",
            Self::RenewWaiting { .. } => "renew.waiting",
            Self::GainsNothing { .. } => "renew.nothing",
            Self::FreeCopy { .. } => "hold.free",
            Self::HasTitle { .. } => "hold.has_title",
            Self::NoCopyLeft => "hold.no_copy",
            Self::InLine => "hold.in_line",
            Self::HoldLimit { .. } => "limit.holds",
        }
    }

    /// True if a librarian may override it with a reason.
    #[must_use]
    pub fn overridable(&self) -> bool {
        match self {
            Self::Expired { .. }
            | Self::Barred { .. }
            | Self::Limit { .. }
            | Self::Owes { .. }
            | Self::Overdue { .. }
            | Self::SameTitle { .. }
            | Self::RenewLimit { .. }
            | Self::Reserved { .. }
            | Self::KeptForOther { .. }
            | Self::RenewWaiting { .. }
            | Self::HoldLimit { .. }
            | Self::MovedBefore { .. } => true,
            Self::State(state) => state.lending() == crate::domain::copy::Lending::Override,
            Self::Inactive
            | Self::StillOpen { .. }
            | Self::PreviewOutdated
            | Self::NotUndone(_)
            | Self::NoCopy
            | Self::SelfBorrowOff
            | Self::SelfReturnOff
            | Self::SelfRenewOff
            | Self::OnLoan { .. }
            | Self::Fined { .. }
            | Self::GainsNothing { .. }
            | Self::FreeCopy { .. }
            | Self::HasTitle { .. }
            | Self::NoCopyLeft
            | Self::InLine => false,
        }
    }

    /// Text for the person, with the remedy.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Inactive => message::block_inactive(),
            Self::Expired { on } => message::block_expired(*on),
            Self::Barred { until, reason } => message::block_barred(*until, reason),
            Self::StillOpen { books, unseen, holds, owes } => {
                message::block_still_open(*books, *unseen, *holds, *owes)
            }
            Self::PreviewOutdated => message::block_preview_outdated(),
            Self::MovedBefore { people, from, to, on } => message::block_moved_before(*people, from, to, *on),
            Self::NotUndone(NotUndone::Already) => message::block_undone_already(),
            Self::NotUndone(NotUndone::Later) => message::block_undo_later(),
            Self::NotUndone(NotUndone::Since { what, name: Some(name) }) => {
                message::block_undo_since_for(what, name)
            }
            Self::NotUndone(NotUndone::Since { what, name: None }) => message::block_undo_since(what),
            Self::NotUndone(NotUndone::Paid) => message::block_undo_paid(),
            Self::NotUndone(NotUndone::Closed { receipt: Some(receipt), closing }) => {
                message::block_undo_closed_receipt(receipt, *closing)
            }
            Self::NotUndone(NotUndone::Closed { receipt: None, closing }) => {
                message::block_undo_closed(*closing)
            }
            Self::NotUndone(NotUndone::Day { instead }) => message::block_undo_day(instead),
            Self::NotUndone(NotUndone::Kind) => message::block_undo_kind(),
            Self::NotUndone(NotUndone::Late { minutes }) => message::block_undo_late(*minutes),
            Self::NotUndone(NotUndone::AtDesk) => message::block_undo_at_desk(),
            Self::NotUndone(NotUndone::Lent { books }) => message::block_undo_lent(*books),
            Self::NotUndone(NotUndone::Loans { loans }) => message::block_undo_loans(*loans),
            Self::NotUndone(NotUndone::Charges { charges }) => message::block_undo_charges(*charges),
            Self::NotUndone(NotUndone::Imported { people }) => message::block_undo_imported(*people),
            Self::NotUndone(NotUndone::People { people, names }) => {
                message::block_undo_people(*people, names)
            }
            Self::NoCopy => message::block_no_copy(),
            Self::SelfBorrowOff => message::block_self_borrow(),
            Self::SelfReturnOff => message::block_self_return(),
            Self::SelfRenewOff => message::block_self_renew(),
            Self::Limit { out, max } => message::block_limit(*out, *max, out - max + 1),
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
            Self::Reserved { waiting, free } => message::block_reserved(*waiting, *free),
            Self::KeptForOther { until } => message::block_kept_for_other(*until),
            Self::RenewWaiting { waiting } => message::block_renew_waiting(*waiting),
            Self::GainsNothing { due, why } => message::block_gains_nothing(*due, why),
            Self::FreeCopy { location } => message::block_free_copy(location),
            Self::HasTitle { due } => message::block_has_title(*due),
            Self::NoCopyLeft => message::block_no_copy_left(),
            Self::InLine => message::block_in_line(),
            Self::HoldLimit { held, max } => message::block_hold_limit(*held, *max),
        }
    }
}

/// Reason for a refusal by circulation.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BlockShown {
    #[schema(value_type = String)]
    pub id: &'static str,
    /// Text with the remedy.
    pub text: String,
    /// True if a librarian may override it with a reason.
    pub overridable: bool,
    /// Parameters of the text, such as numbers and days.
    pub facts: Map<String, Value>,
    /// Template of the text: `x-messages[code]`.
    #[schema(value_type = String)]
    pub code: &'static str,
}

impl From<&Block> for BlockShown {
    fn from(block: &Block) -> Self {
        let message = block.message();
        Self {
            id: block.id(),
            text: message.text(),
            overridable: block.overridable(),
            code: message.code,
            facts: message.params,
        }
    }
}

/// Refusal by the rules, with all reasons at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Never empty.
    pub blocks: Vec<Block>,
}
