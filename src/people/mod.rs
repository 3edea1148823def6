//! The people of the library: added, edited, deactivated (R-PEOPLE-3, R-PEOPLE-6).
//!
//! As in [circulation], each function does everything that belongs to the action in one transaction,
//! the recorded change included, or nothing.

pub mod forgetting;
pub mod librarian;
pub mod merge;
pub mod promotion;
pub mod provider;
pub mod second_factor;
pub mod sign_in_code;

use jiff::civil::Date;

use crate::{
    circulation::{self, Actor, Block, Refusal, hold, standing},
    domain::{
        change::{Change, PersonChange, SignInChange},
        id::UserId,
        moment::Moment,
        person::Details,
        rule::Invalid,
        rulebook::Rulebook,
    },
    storage::{
        self, Tx,
        accounts::{self, Taken},
        authority::{self, Authority, Librarians},
        events::{self, Entry},
        no_dues,
        people::{self, Record},
        sessions,
    },
};

/// Why an action did not happen.
#[derive(Debug)]
pub enum Error {
    /// There is no such person.
    NotFound,
    Invalid(Invalid),
    /// Somebody else has the email or the roll number.
    Taken(Taken),
    /// What is open stands in the way.
    Refused(Refusal),
    /// It would leave no librarian who may do everything.
    LastLibrarian,
    /// The person may do more than the librarian.
    MoreCapable,
    /// The librarian may not look after people, or not any more.
    Forbidden,
    /// It is the librarian's own account.
    OwnAccount,
    Storage(storage::Error),
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        Self::Storage(error)
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<Taken> for Error {
    fn from(taken: Taken) -> Self {
        Self::Taken(taken)
    }
}

impl From<authority::Error> for Error {
    fn from(error: authority::Error) -> Self {
        match error {
            authority::Error::NotFound => Self::NotFound,
            authority::Error::Forbidden => Self::Forbidden,
            authority::Error::MoreCapable => Self::MoreCapable,
            authority::Error::LastLibrarian => Self::LastLibrarian,
            authority::Error::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<circulation::Error> for Error {
    fn from(error: circulation::Error) -> Self {
        match error {
            circulation::Error::NotFound => Self::NotFound,
            circulation::Error::Refused(refusal) => Self::Refused(refusal),
            circulation::Error::Authority(error) => error.into(),
            other => Self::Storage(other.into_storage()),
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Returns the librarian as an actor of circulation; the command line cancels no holds.
fn actor(authority: &Authority) -> Result<Actor> {
    authority.by().map(Actor::Librarian).ok_or(Error::Forbidden)
}

/// Keeps a change; `by` is `None` for the command line.
fn record(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: Option<UserId>,
    person: UserId,
    change: impl Into<Change>,
) -> Result<()> {
    events::record(tx, moment.at, by, &Entry::person(person, change))?;
    Ok(())
}

/// A person, locked until the transaction ends.
fn locked(tx: &mut Tx<'_>, person: UserId) -> Result<Record> {
    accounts::lock(tx, person)?;
    people::by_id(tx, person)?.ok_or(Error::NotFound)
}

/// Adds a person, who has no password.
pub fn add(
    tx: &mut Tx<'_>,
    by: Option<UserId>,
    moment: Moment,
    rulebook: &Rulebook,
    details: Details,
) -> Result<UserId> {
    let details = details.checked(rulebook.on(moment.today))?;
    let person = people::add(tx, &details, moment.at)??;
    record(tx, moment, by, person, PersonChange::PersonAdded { person: details })?;
    Ok(person)
}

/// Changes what is recorded of a person.
pub fn update(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    person: UserId,
    edit: impl FnOnce(Details) -> Details,
) -> Result<()> {
    let subject = authority.over(tx, person)?;
    let before = subject.record().details.clone();
    let after = edit(before.clone()).checked(rulebook.on(moment.today))?;
    if before == after {
        return Ok(());
    }
    people::update(tx, &subject, &after)??;
    record(tx, moment, authority.by(), person, PersonChange::PersonUpdated { before, after })
}

/// Lets a person not sign in, borrow or hold any more. What is out can come back, and what is owed be paid; holds are
/// cancelled.
pub fn deactivate(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    person: UserId,
    reason: &str,
) -> Result<()> {
    let librarians = Librarians::lock(tx)?;
    let subject = authority.over(tx, person)?;
    if !subject.record().active {
        return Ok(());
    }
    let subject = librarians.leave(subject, &[])?;
    people::deactivate(tx, &subject)?;
    sessions::end_all_of(tx, subject.subject())?;
    // In the same moment, by which an undo finds them.
    hold::cancel_all_of(tx, actor(authority)?, moment, rulebook, person, reason)?;
    let change = PersonChange::PersonDeactivated { reason: reason.to_owned() };
    record(tx, moment, authority.by(), person, change)
}

/// Lets a person sign in, borrow and hold again.
pub fn activate(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<()> {
    let subject = authority.over(tx, person)?;
    if subject.record().active {
        return Ok(());
    }
    people::activate(tx, &subject)?;
    record(tx, moment, authority.by(), person, PersonChange::PersonActivated)
}

/// Ends all sessions of a person, such as after a phone or a card was lost.
pub fn end_sessions(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<()> {
    let subject = authority.over(tx, person)?;
    let sessions = sessions::end_all_of(tx, &subject)?;
    if sessions == 0 {
        return Ok(());
    }
    record(tx, moment, authority.by(), person, SignInChange::SessionsEnded { sessions })
}

/// Refuses while something of a locked person is open.
fn settled(tx: &mut Tx<'_>, moment: Moment, rulebook: &Rulebook, person: UserId) -> Result<()> {
    match open(tx, moment, rulebook, person)? {
        None => Ok(()),
        Some(block) => Err(Error::Refused(Refusal { blocks: vec![block] })),
    }
}

/// What of a person is open: books, reservations, dues.
fn open(tx: &mut Tx<'_>, moment: Moment, rulebook: &Rulebook, person: UserId) -> Result<Option<Block>> {
    let standing =
        standing::of(tx, rulebook, moment.today, &[person])?.get(&person).copied().unwrap_or_default();
    let (books, holds, owes) = (standing.open_loans, people::open_holds(tx, person)?, standing.owes);
    let any = books > 0 || holds > 0 || owes > crate::money::Money::ZERO;
    Ok(any.then_some(Block::StillOpen { books, holds, owes }))
}

/// Erases what tells who a person was; refused while anything is open. Loans stay as counts (R-PEOPLE-6).
pub fn erase(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    person: UserId,
) -> Result<()> {
    let librarians = Librarians::lock(tx)?;
    let subject = authority.over(tx, person)?;
    settled(tx, moment, rulebook, person)?;
    let subject = librarians.leave(subject, &[])?;
    people::erase(tx, &subject, moment.at)?;
    record(tx, moment, authority.by(), person, PersonChange::PersonErased)
}

/// Issues a certificate that nothing is open (R-PEOPLE-7).
pub fn certify(
    tx: &mut Tx<'_>,
    by: UserId,
    moment: Moment,
    rulebook: &Rulebook,
    person: UserId,
    number: &str,
) -> Result<()> {
    locked(tx, person)?;
    settled(tx, moment, rulebook, person)?;
    no_dues::keep(tx, number, person, moment.at, moment.today)?;
    record(tx, moment, Some(by), person, PersonChange::NoDuesIssued { number: number.to_owned() })
}

/// A certificate as anybody may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub person: Record,
    pub issued_on: Date,
    /// Whether nothing is open since.
    pub holds: bool,
}

/// The certificate of this number.
pub fn certificate(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    number: &str,
) -> Result<Certificate> {
    let (uid, issued_on) = no_dues::by_number(tx, number)?.ok_or(Error::NotFound)?;
    let person = people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
    Ok(Certificate { person, issued_on, holds: open(tx, moment, rulebook, uid)?.is_none() })
}
