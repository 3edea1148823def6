//! Circulation: the one place that decides who may have which copy until when, and what it costs.
//!
//! Check-out, check-in and renewal are functions of a transaction, an actor, a moment and the library's rules. They do
//! everything that belongs to the action in that transaction, or refuse with every reason at once, and do nothing. The
//! student's screens, the librarian's and whatever comes later call the same functions; no rule stands in a handler.
//!
//! Rows are locked in one order, so that nobody waits in a circle: the person who borrows, loans by their number, the title,
//! its copies, the account. A change that goes through several of these functions locks what comes first in this order
//! before it calls the first of them.

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
pub use check_out::{CheckOut, Take, check_out};
pub use refusal::{Block, BlockShown, NotUndone, Refusal};
pub use renew::{Renew, renew};
pub use view::{due_reasons, view};

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A student, for nobody else.
    Student(UserId),
    /// A librarian, for anybody.
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

/// A librarian's decision to act against a rule, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The ids of the blocks that are overridden.
    pub blocks: Vec<String>,
    pub reason: String,
    /// What becomes of the hold of somebody for whom the copy is kept: it is cancelled; otherwise first in line again.
    pub cancel_hold: bool,
}

/// A loan that an action began or changed, and the change under which that is kept.
#[derive(Clone, Debug)]
pub struct Done {
    pub loan: Loan,
    pub change: ChangeId,
}

/// Why an action did not happen.
#[derive(Debug)]
pub enum Error {
    /// There is no such thing, or it is not the actor's.
    NotFound,
    /// The rules do not allow it.
    Refused(Refusal),
    /// What is asked for cannot be: the fields, and why.
    Invalid(Invalid),
    /// The stock cannot be changed so.
    Obstacle(stock::Obstacle),
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
    /// For callers that ask for nothing that could be refused, such as an import.
    #[must_use]
    pub fn into_storage(self) -> storage::Error {
        match self {
            Self::Storage(error) => error,
            Self::NotFound | Self::Refused(_) | Self::Invalid(_) | Self::Obstacle(_) | Self::Authority(_) => {
                storage::Error::NoRow
            }
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Lets the action go on if nothing stands in its way, or a librarian overrides all that does; what was overridden.
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

/// Keeps a change in the transaction of its effect.
fn record(tx: &mut Tx<'_>, moment: Moment, actor: Actor, entry: &Entry) -> Result<ChangeId> {
    Ok(events::record(tx, moment.at, Some(actor.uid()), entry)?)
}
