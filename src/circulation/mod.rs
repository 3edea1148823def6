//! Circulation: the only place that decides which person may have which copy until when, and at what cost.
//!
//! Check-out, check-in and renewal are functions of a transaction, an actor, a moment and the library's rules. They do the
//! whole action in that transaction, or refuse with all reasons and change nothing. Student and librarian screens call the same
//! functions; handlers contain no rules.
//!
//! Locks are taken in one order to avoid deadlocks: librarians, people, loans, titles, each by number, then copies, then
//! accounts by their person. A change that calls several of these functions takes the earlier locks before the first call.

mod check_in;
mod check_out;
pub mod desk;
pub mod hold;
pub mod lost;
pub mod money;
pub mod reader;
mod refusal;
mod renew;
pub mod standing;
pub mod stock;
pub mod take_over;
pub mod till;
pub mod undo;
mod view;

use crate::{
    domain::{
        change::Overridden,
        id::{ChangeId, UserId},
        loan::Loan,
        moment::Moment,
        rule::Invalid,
    },
    storage::{
        self, Tx, authority,
        events::{self, Entry},
    },
};

pub use check_in::{CheckIn, Returned, check_in};
pub use check_out::{CheckOut, CopyToLend, check_out, reasons_against};
pub use refusal::{Block, BlockShown, NotUndone, Refusal};
pub use renew::{
    ChargedAnyway, Renew, Renewed, SetDueDate, charge_anyway, reasons_against_renewal, renew, set_due_date,
};
pub use view::{due_reasons, view};

/// Signed-in person who makes a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A student, for themselves only.
    Student(UserId),
    /// A librarian, for any person.
    Librarian(UserId),
}

impl Actor {
    #[must_use]
    pub fn uid(self) -> UserId {
        match self {
            Self::Student(uid) | Self::Librarian(uid) => uid,
        }
    }
}

/// A librarian's override of rules, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Ids of the overridden blocks.
    pub blocks: Vec<String>,
    pub reason: String,
    /// Cancels the hold for which the copy is kept; otherwise the hold becomes first in the queue again.
    pub cancel_hold: bool,
}

/// A new loan, and the change recorded for it.
#[derive(Clone, Debug)]
pub struct Done {
    pub loan: Loan,
    pub change: ChangeId,
}

/// Reason why an action failed.
#[derive(Debug)]
pub enum Error {
    /// Not found, or not visible to this actor.
    NotFound,
    /// Refused by the rules.
    Refused(Refusal),
    /// Invalid fields of the request.
    Invalid(Invalid),
    /// The stock cannot change this way.
    Obstacle(stock::Obstacle),
    /// The account is the librarian's own (X11).
    OwnAccount,
    /// The librarian lacks the authority over a person.
    Authority(authority::Error),
    Storage(storage::Error),
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        Self::Storage(error)
    }
}

impl From<authority::Error> for Error {
    fn from(error: authority::Error) -> Self {
        match error {
            authority::Error::Storage(error) => Self::Storage(error),
            other => Self::Authority(other),
        }
    }
}

impl Error {
    /// Converts the error for callers that cannot be refused, such as an import.
    #[must_use]
    pub fn into_storage(self) -> storage::Error {
        match self {
            Self::Storage(error) => error,
            Self::NotFound
            | Self::Refused(_)
            | Self::Invalid(_)
            | Self::Obstacle(_)
            | Self::OwnAccount
            | Self::Authority(_) => storage::Error::NoRow,
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Succeeds if there are no blocks, or a librarian overrides all of them; returns the overridden blocks.
fn decide(actor: Actor, blocks: Vec<Block>, overriding: Option<&Override>) -> Result<Option<Overridden>> {
    if blocks.is_empty() {
        return Ok(None);
    }
    let overridden = |block: &Block| {
        matches!(actor, Actor::Librarian(_))
            && block.overridable()
            && overriding.is_some_and(|given| given.blocks.iter().any(|id| id == block.id()))
    };
    match overriding {
        Some(given) if blocks.iter().all(overridden) => Ok(Some(Overridden {
            blocks: blocks.iter().map(|block| block.id().to_owned()).collect(),
            reason: given.reason.clone(),
        })),
        _ => Err(Error::Refused(Refusal { blocks })),
    }
}

/// Records a change in the transaction of its effect.
fn record(tx: &mut Tx<'_>, moment: Moment, actor: Actor, entry: &Entry) -> Result<ChangeId> {
    Ok(events::record(tx, moment.at, Some(actor.uid()), entry)?)
}
