//! Scans at the desk and their answers.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::{BlockShown, Override, Result, lost::LostPrice};
use crate::{
    domain::{
        copy::{Copy, State},
        hold::Hold,
        id::{BookId, ChangeId, CopyId, LoanId, UserId},
        ledger::Charge,
        loan::Loan,
        person::Person,
    },
    message::{self, Message},
    money::Money,
    storage::{Tx, events},
};

/// Meaning of a scan that overrides the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    Lend,
    Return,
    Renew,
}

/// Input of one scan at the desk.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Scanned or typed text.
    pub code: String,
    /// Person whose card is open.
    pub person: Option<UserId>,
    /// Opening time of the card, epoch milliseconds; a scan does not return copies lent since then.
    pub since: Option<i64>,
    pub intent: Option<Intent>,
    /// Librarian's answer to the question that an earlier scan of this code led to.
    pub choice: Option<Choice>,
    pub overriding: Option<Override>,
    /// Day to record for a return; `None` for today (R-DESK-11).
    pub returned_on: Option<Date>,
    /// Set if the copy is damaged.
    pub damaged: Option<Damage>,
    /// Titles that contain the code, used if nothing else matches.
    pub titles: Vec<BookId>,
}

/// Damage to a copy, which goes to repair; its last borrower is charged (R-DESK-11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Description of the damage.
    pub note: String,
    /// Amount to charge, which may be zero.
    pub charge: Money,
}

/// Answer to a question of the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Open this person's card.
    Person(UserId),
    /// Scan this copy's barcode.
    Copy(CopyId),
    /// Show this title and its copies.
    Book(BookId),
    /// Lend despite other possible meanings.
    Lend,
    /// Take the copy back from its borrower.
    Return,
    /// Take the copy back from its borrower and lend it to the person whose card is open.
    ReturnAndLend,
    /// Put the copy on the shelf: a lost or missing copy was found, a copy in repair was mended, a withdrawn copy is
    /// owned again, or the copy was still to be shelved.
    PutOnShelf,
    /// Keep the copy for the first in the queue.
    Keep,
    /// Take the copy back in place of the copy of this loan (R-DESK-6).
    Swap(LoanId),
    /// Charge the fine that this renewal dropped (R-MONEY-5).
    ChargeFine(ChangeId),
}

impl Choice {
    const NAMED: &[(&str, Self)] = &[
        ("lend", Self::Lend),
        ("return", Self::Return),
        ("return-and-lend", Self::ReturnAndLend),
        ("put-on-shelf", Self::PutOnShelf),
        ("keep", Self::Keep),
    ];

    /// Id in the API, the inverse of [`Self::parse`].
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Self::Person(id) => format!("person:{id}"),
            Self::Copy(id) => format!("copy:{id}"),
            Self::Book(id) => format!("book:{id}"),
            Self::Swap(id) => format!("swap:{id}"),
            Self::ChargeFine(id) => format!("charge-fine:{id}"),
            named => {
                Self::NAMED.iter().find(|(_, choice)| *choice == named).map_or("", |(id, _)| id).to_owned()
            }
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some((kind, number)) = text.split_once(':') {
            let number = number.parse::<i64>().ok()?;
            return match kind {
                "person" => Some(Self::Person(UserId(number))),
                "copy" => Some(Self::Copy(CopyId(number))),
                "book" => Some(Self::Book(BookId(number))),
                "swap" => Some(Self::Swap(LoanId(number))),
                "charge-fine" => Some(Self::ChargeFine(ChangeId(number))),
                _ => None,
            };
        }
        Self::NAMED.iter().find(|(id, _)| *id == text).map(|(_, choice)| *choice)
    }
}

/// Result of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The person's card was opened, or closed if `person` is null.
    Person,
    Lent,
    Returned,
    Renewed,
    /// A fine was charged.
    Charged,
    /// The copy was put on the shelf.
    Shelved,
    /// The copy is kept for a hold.
    Kept,
    /// Nothing was changed; shows the scanned object.
    Shown,
    /// Nothing was changed yet; the librarian must choose.
    Ask,
    /// The rules refuse the action.
    Refused,
    /// The code is unknown.
    Unknown,
    /// The scan repeats an earlier one too soon to be intended.
    Ignored,
}

/// Look and sound of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Done.
    Ok,
    /// Done, and the librarian has something to do or say.
    Attention,
    /// Not done yet: the librarian must decide.
    Ask,
    /// Refused or unknown.
    Stop,
    Neutral,
}

/// Possible answer to a question of the desk.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DeskChoice)]
pub struct Offered {
    /// Value to send as `choice`.
    pub id: String,
    pub text: String,
    pub message: Message,
    /// Copy to choose, if the choice is a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub copy: Option<Copy>,
}

pub(super) fn offer(choice: Choice, message: Message) -> Offered {
    Offered { id: choice.id(), text: message.text(), message, copy: None }
}

/// Person whose card is open at the desk (R-DESK-3).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskReader)]
pub struct Reader {
    #[serde(flatten)]
    pub person: Person,
    /// Maximum number of open loans; null for no limit.
    #[schema(required)]
    pub max_loans: Option<i64>,
    /// Open loans, earliest due date first.
    pub loans: Vec<Loan>,
    /// Part of `owes` from ended loans, payable now. Negative if the library owes the person.
    pub balance: Money,
    /// Blocks that apply to any book.
    pub blocks: Vec<BlockShown>,
    /// Holds ready on the hold shelf.
    pub ready: Vec<Hold>,
}

/// A title shown at the desk.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskTitle)]
pub struct Title {
    pub id: BookId,
    pub title: String,
    pub author: String,
    pub location: String,
    /// Copies on the shelf.
    pub no_of_books: i64,
}

/// Answer to every scan.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskAnswer)]
pub struct Answer {
    pub outcome: Outcome,
    pub class: Class,
    /// All of `next` and `messages` in English.
    pub text: String,
    /// Next steps of the librarian, to be shown largest: where to put the copy, what money to take (R-SEAM-7).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub next: Vec<Message>,
    /// Messages, the headline first.
    pub messages: Vec<Message>,
    /// Time of the scan, RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    /// Person whose card is open; null for none.
    #[schema(required)]
    pub person: Option<Reader>,
    /// The loan that the scan began, ended or renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub loan: Option<Loan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub copy: Option<Copy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub book: Option<Title>,
    /// Hold for which the copy is kept now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub hold: Option<Hold>,
    /// Answers to `ask`, and further actions on the scanned object.
    pub choices: Vec<Offered>,
    /// Reasons for `refused`.
    pub blocks: Vec<BlockShown>,
    /// Charge of the return, to be paid, waived or left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub charge: Option<Charge>,
    /// Person who owes `charge`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<i64>)]
    pub charged: Option<UserId>,
    /// Price charged for a lost copy that is now found, if the charge is not reversed (R-MONEY-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub lost: Option<LostPrice>,
    /// Change id to pass to `POST /changes/{id}/undo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub change: Option<ChangeId>,
    /// Explanation of a due date or fine.
    pub explain: Vec<Message>,
}

impl Answer {
    /// Links a further change of the same action, so that one undo covers both.
    pub(super) fn follow(&mut self, tx: &mut Tx<'_>, change: Option<ChangeId>) -> Result<()> {
        let Some(change) = change else { return Ok(()) };
        if let Some(before) = self.change.replace(change) {
            events::link(tx, change, before)?;
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, message: Message) {
        self.messages.push(message);
        self.write_text();
    }

    pub(super) fn headline(&mut self, message: Message) {
        self.messages[0] = message;
        self.write_text();
    }

    /// Adds a next step for the librarian.
    pub(super) fn ask_for(&mut self, step: Message) {
        self.next.push(step);
        self.write_text();
    }

    /// Adds the step and the message for a kept copy: its reader and its last day.
    pub(super) fn keep(&mut self, hold: Hold) {
        self.ask_for(message::desk_next_keep(&hold.user_name));
        if let Some(until) = hold.ready_until {
            let roll_number = hold.roll_number.as_deref().unwrap_or_default().to_uppercase();
            self.tell(message::desk_hold_shelf(until, &roll_number));
        }
        self.class = Class::Attention;
        self.hold = Some(hold);
    }

    fn write_text(&mut self) {
        let all = self.next.iter().chain(&self.messages);
        self.text = all.map(Message::text).collect::<Vec<_>>().join(" ");
    }
}

pub(super) fn refusal_title(answer: &Answer) -> String {
    answer.copy.as_ref().map_or_else(String::new, |copy| copy.title.clone())
}

/// Describes the state of a copy not on loan.
pub(in super::super) fn state_message(copy: &Copy) -> Message {
    let title = &copy.title;
    match copy.state {
        State::OnShelf => message::desk_on_shelf(title, &copy.location),
        State::ToShelve => message::desk_to_shelve(title),
        State::Unseen => message::desk_unseen(title),
        State::InRepair => message::desk_in_repair(title),
        State::Lost => message::desk_lost(title),
        State::Missing => message::desk_missing(title),
        State::Reference => message::desk_reference(title, &copy.location),
        State::Withdrawn => message::desk_withdrawn(title, &copy.barcode),
        State::OnHoldShelf => match &copy.hold {
            Some(hold) => message::desk_kept_until(title, &hold.user_name, hold.ready_until),
            None => message::desk_kept(title),
        },
        State::OnLoan => message::desk_on_loan(title),
    }
}

/// Returns the instruction for putting a returned copy away, if its state has one.
pub(in super::super) fn where_to(copy: &Copy) -> Option<Message> {
    match copy.state {
        State::OnShelf if !copy.location.is_empty() => Some(message::desk_back_to(&copy.location)),
        State::ToShelve => Some(message::desk_put_aside()),
        State::Reference => Some(message::desk_reference_again()),
        State::Withdrawn => Some(message::desk_next_aside()),
        _ => None,
    }
}
