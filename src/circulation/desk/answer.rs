//! What is scanned, and what the desk answers.

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
        money::Money,
        person::Person,
    },
    message::{self, Message},
    storage::{Tx, events},
};

/// What the librarian means with a scan, where it is not what a scan usually means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    Lend,
    Return,
    Renew,
}

/// A scan at the desk.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// What was scanned or typed.
    pub code: String,
    /// The person who is open.
    pub person: Option<UserId>,
    /// Since when, epoch milliseconds: what was lent since then does not come back by a scan.
    pub since: Option<i64>,
    pub intent: Option<Intent>,
    /// The answer to the question that this code led to before.
    pub choice: Option<Choice>,
    pub overriding: Option<Override>,
    /// The day as which a return counts, where that is not today (R-DESK-11).
    pub returned_on: Option<Date>,
    /// The copy came back damaged, or is found to be.
    pub damaged: Option<Damage>,
    /// Titles that contain the code, for when it is nothing else.
    pub titles: Vec<BookId>,
}

/// A copy is damaged: it goes to repair, and whoever brought it is charged (R-DESK-11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong with it.
    pub note: String,
    /// May be nothing.
    pub charge: Money,
}

/// What may be answered to a question of the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Open this person.
    Person(UserId),
    /// As if this copy's barcode had been scanned.
    Copy(CopyId),
    /// Show this title and its copies.
    Book(BookId),
    /// Lend it, although it could mean something else.
    Lend,
    /// Take it back from whoever has it.
    Return,
    /// Take it back from whoever has it, and lend it to the person who is open.
    ReturnAndLend,
    /// A copy that was lost or missing is there again, one in repair is whole again, one withdrawn is owned again, one
    /// that came back is put on the shelf.
    PutOnShelf,
    /// Keep it for whoever is first in line.
    Keep,
    /// It came back in place of the copy that was lent by this loan (R-DESK-6).
    Swap(LoanId),
}

impl Choice {
    const NAMED: &[(&str, Self)] = &[
        ("lend", Self::Lend),
        ("return", Self::Return),
        ("return-and-lend", Self::ReturnAndLend),
        ("put-on-shelf", Self::PutOnShelf),
        ("keep", Self::Keep),
    ];

    /// The name on the wire.
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Self::Person(id) => format!("person:{id}"),
            Self::Copy(id) => format!("copy:{id}"),
            Self::Book(id) => format!("book:{id}"),
            Self::Swap(id) => format!("swap:{id}"),
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
                _ => None,
            };
        }
        Self::NAMED.iter().find(|(id, _)| *id == text).map(|(_, choice)| *choice)
    }
}

/// What came of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The person is open now; without one, nobody is.
    Person,
    Lent,
    Returned,
    Renewed,
    /// A copy was put on the shelf.
    Shelved,
    /// A copy is kept for whoever waited for it.
    Kept,
    /// Nothing was changed; this is what it is.
    Shown,
    /// Nothing was changed yet: one of the choices decides.
    Ask,
    /// The rules do not allow it.
    Refused,
    /// Nothing has this code.
    Unknown,
    /// The same again, too soon to be meant.
    Ignored,
}

/// How an answer looks and sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Done.
    Ok,
    /// Done, and there is something to do or to say.
    Attention,
    /// Nothing is done yet: a decision is asked for.
    Ask,
    /// Refused, or unknown.
    Stop,
    Neutral,
}

/// A possible answer to a question of the desk.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = DeskChoice)]
pub struct Offered {
    /// What to send as `choice`.
    pub id: String,
    /// In words.
    pub text: String,
    pub message: Message,
    /// Where it is a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub copy: Option<Copy>,
}

pub(super) fn offer(choice: Choice, message: Message) -> Offered {
    Offered { id: choice.id(), text: message.text(), message, copy: None }
}

/// The person who is open at the desk (R-DESK-3).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskReader)]
pub struct Reader {
    #[serde(flatten)]
    pub person: Person,
    /// Loans that the rules allow at once; null for no limit.
    #[schema(required)]
    pub max_loans: Option<i64>,
    /// What the person has, the first to be returned at the top.
    pub loans: Vec<Loan>,
    /// What of `owes` is owed for what has ended, and so can be paid now. Below zero the library owes.
    pub balance: Money,
    /// What stops lending to this person, whatever the book.
    pub blocks: Vec<BlockShown>,
    /// What is kept on the hold shelf for this person.
    pub ready: Vec<Hold>,
}

/// A title as the desk shows it.
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

/// What a scan is answered with, always.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskAnswer)]
pub struct Answer {
    pub outcome: Outcome,
    pub class: Class,
    /// What happened, in words.
    pub text: String,
    /// The same as messages; the first is the headline.
    pub messages: Vec<Message>,
    /// When, RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    /// Who is open now; null where nobody is.
    #[schema(required)]
    pub person: Option<Reader>,
    /// The loan that began, ended or was renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub loan: Option<Loan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub copy: Option<Copy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub book: Option<Title>,
    /// Who waited for the copy: it is kept for this person now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub hold: Option<Hold>,
    /// For `ask`, and whatever else may be done with what was scanned.
    pub choices: Vec<Offered>,
    /// For `refused`.
    pub blocks: Vec<BlockShown>,
    /// What the return is charged with: to be taken, waived or left for later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub charge: Option<Charge>,
    /// Whose charge that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<i64>)]
    pub charged: Option<UserId>,
    /// Of a lost copy that turned up: its price, which stands charged to whoever lost it (R-MONEY-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub lost: Option<LostPrice>,
    /// What the change is undone by.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub change: Option<ChangeId>,
    /// How a due date or a fine came about.
    pub explain: Vec<Message>,
}

impl Answer {
    /// A further change of the same action: what undoes it undoes what came before.
    pub(super) fn follow(&mut self, tx: &mut Tx<'_>, change: Option<ChangeId>) -> Result<()> {
        let Some(change) = change else { return Ok(()) };
        if let Some(before) = self.change.replace(change) {
            events::link(tx, change, before)?;
        }
        Ok(())
    }

    pub(super) fn tell(&mut self, message: Message) {
        self.text.push(' ');
        self.text.push_str(&message.text());
        self.messages.push(message);
    }

    pub(super) fn headline(&mut self, message: Message) {
        self.messages[0] = message;
        self.text = self.messages.iter().map(Message::text).collect::<Vec<_>>().join(" ");
    }
}

pub(super) fn refusal_title(answer: &Answer) -> String {
    answer.copy.as_ref().map_or_else(String::new, |copy| copy.title.clone())
}

/// What a copy is that nobody has.
pub(super) fn state_message(copy: &Copy) -> Message {
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

/// For whom a copy is put aside, and until when.
pub(super) fn keep_for(hold: &Hold) -> Message {
    match hold.ready_until {
        Some(until) => message::desk_keep_for(&hold.user_name, until),
        None => message::desk_kept(&hold.title),
    }
}

/// Where a copy that came back goes.
pub(super) fn where_to(copy: &Copy) -> Option<Message> {
    match copy.state {
        State::OnShelf if !copy.location.is_empty() => Some(message::desk_back_to(&copy.location)),
        State::ToShelve => Some(message::desk_put_aside()),
        State::Reference => Some(message::desk_reference_again()),
        State::Withdrawn => Some(message::desk_title_gone()),
        _ => None,
    }
}
