//! People of the library: add, edit, deactivate and erase (R-PEOPLE-3, R-PEOPLE-6).
//!
//! As in [circulation], each function is one complete action within the caller's transaction, with its recorded change;
//! if it fails, nothing is written.

pub mod forgetting;
pub mod librarian;
pub mod merge;
pub mod photo;
pub mod promotion;
pub mod provider;
pub mod second_factor;
pub mod sign_in_code;

use std::collections::HashMap;

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
    message,
    money::Money,
    storage::{
        self, Tx,
        accounts::{self, Taken},
        authority::{self, Authority, Librarians},
        copies,
        events::{self, Entry},
        holds, ledger, no_dues,
        people::{self, Record},
        sessions,
    },
};

/// Reason why an action is refused.
#[derive(Debug)]
pub enum Error {
    /// No such person.
    NotFound,
    Invalid(Invalid),
    /// Another person has the email or the roll number.
    Taken(Taken),
    /// Refused because of open loans, holds or dues.
    Refused(Refusal),
    /// No librarian with all capabilities would be left.
    LastLibrarian,
    /// The person has capabilities that the librarian lacks.
    MoreCapable,
    /// The librarian is not active or has no capability for people.
    Forbidden,
    /// The action is not possible on the librarian's own account.
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
            circulation::Error::OwnAccount => Self::OwnAccount,
            circulation::Error::Authority(error) => error.into(),
            other => Self::Storage(other.into_storage()),
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Returns the librarian as an actor of circulation; fails for the command line, which has no librarian.
fn actor(authority: &Authority) -> Result<Actor> {
    authority.by().map(Actor::Librarian).ok_or(Error::Forbidden)
}

/// Records a change; `by` is `None` for the command line.
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

/// Reads a person and locks the row until the transaction ends.
fn locked(tx: &mut Tx<'_>, person: UserId) -> Result<Record> {
    accounts::lock(tx, person)?;
    people::by_id(tx, person)?.ok_or(Error::NotFound)
}

/// Adds a person without a password.
pub fn add(
    tx: &mut Tx<'_>,
    by: Option<UserId>,
    moment: Moment,
    rulebook: &Rulebook,
    details: Details,
) -> Result<UserId> {
    let details = details.checked(rulebook.on(moment.today))?;
    let person = people::add(tx, &details, moment.at)??;
    record(tx, moment, by, person, PersonChange::PersonAdded { person: Box::new(details) })?;
    Ok(person)
}

/// Changes a person's details.
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
    let (before, after) = (Box::new(before), Box::new(after));
    record(tx, moment, authority.by(), person, PersonChange::PersonUpdated { before, after })
}

/// Deactivates a person: sign-in, loans and holds are refused from then on. Open holds are cancelled; open loans and dues
/// stay.
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
    // Cancelled holds get the timestamp of the deactivation, so that undo finds them.
    // The command line cancels holds in their owner's name.
    let actor = authority.by().map_or(Actor::Student(person), Actor::Librarian);
    hold::cancel_all_of(tx, actor, moment, rulebook, person, reason)?;
    let change = PersonChange::PersonDeactivated { reason: reason.to_owned() };
    record(tx, moment, authority.by(), person, change)
}

/// Gives a person a new password, and ends their sessions.
pub fn set_password(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    person: UserId,
    password_hash: &str,
) -> Result<()> {
    let subject = authority.over(tx, person)?;
    people::set_password(tx, &subject, password_hash)?;
    sessions::end_all_of(tx, &subject)?;
    record(tx, moment, authority.by(), person, SignInChange::PasswordChanged)
}

/// Reactivates a person.
pub fn activate(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<()> {
    let subject = authority.over(tx, person)?;
    if subject.record().active {
        return Ok(());
    }
    people::activate(tx, &subject)?;
    record(tx, moment, authority.by(), person, PersonChange::PersonActivated)
}

/// Ends all sessions of a person, for instance after a lost phone.
pub fn end_sessions(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<()> {
    let subject = authority.over(tx, person)?;
    let sessions = sessions::end_all_of(tx, &subject)?;
    if sessions == 0 {
        return Ok(());
    }
    record(tx, moment, authority.by(), person, SignInChange::SessionsEnded { sessions })
}

/// Fails with [`Error::Refused`] if the locked person has open loans, unseen copies, holds or dues.
fn settled(tx: &mut Tx<'_>, moment: Moment, rulebook: &Rulebook, person: UserId) -> Result<()> {
    ledger::lock(tx, person)?;
    match open(tx, moment, rulebook, &[person])?.remove(&person) {
        None => Ok(()),
        Some(block) => Err(Error::Refused(Refusal { blocks: vec![block] })),
    }
}

/// Returns the blocks for people's open loans, unseen copies, holds and dues; people without any are left out.
fn open(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    people: &[UserId],
) -> Result<HashMap<UserId, Block>> {
    let standings = standing::of(tx, rulebook, moment.today, people)?;
    // Read after the loans, so that a copy returned in between is counted at least once.
    let unseen: HashMap<UserId, i64> = copies::unseen_by_reader(tx)?.into_iter().collect();
    let holds: HashMap<UserId, i64> = holds::counts_of(tx, people)?.into_iter().collect();
    let block = |uid: &UserId| {
        let standing = standings.get(uid).copied().unwrap_or_default();
        let count = |of: &HashMap<UserId, i64>| of.get(uid).copied().unwrap_or_default();
        let (books, unseen, holds, owes) =
            (standing.open_loans, count(&unseen), count(&holds), standing.owes);
        let any = books > 0 || unseen > 0 || holds > 0 || owes > Money::ZERO;
        any.then_some((*uid, Block::StillOpen { books, unseen, holds, owes }))
    };
    Ok(people.iter().filter_map(block).collect())
}

/// Erases a person's data; refused while loans, holds or dues are open. Loans stay, anonymous (R-PEOPLE-6).
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

/// A no-dues certificate to issue (R-PEOPLE-7).
#[derive(Clone, Debug)]
pub struct Certify {
    pub person: UserId,
    pub number: String,
    /// True to cancel the person's holds first.
    pub cancel_holds: bool,
}

/// Issues a no-dues certificate; refused while loans, unseen copies, holds or dues are open. A refusal cancels no hold.
pub fn certify(
    tx: &mut Tx<'_>,
    by: UserId,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Certify,
) -> Result<()> {
    let &Certify { person, ref number, cancel_holds } = what;
    locked(tx, person)?;
    if cancel_holds {
        hold::cancel_all_of(tx, Actor::Librarian(by), moment, rulebook, person, "")?;
    }
    settled(tx, moment, rulebook, person)?;
    issue(tx, by, moment, person, number)
}

/// Issues a certificate; the caller has checked that the person has nothing open.
fn issue(tx: &mut Tx<'_>, by: UserId, moment: Moment, person: UserId, number: &str) -> Result<()> {
    no_dues::keep(tx, number, person, moment.at, moment.today)?;
    record(tx, moment, Some(by), person, PersonChange::NoDuesIssued { number: number.to_owned() })
}

/// Certificates of a batch, or their preview.
#[derive(Clone, Debug)]
pub struct BatchCertified {
    /// People without open loans, holds or dues, in the order in which numbers are assigned.
    pub clear: Vec<Record>,
    /// The other people, each with their open loans, holds and dues.
    pub open: Vec<(Record, Block)>,
}

/// Maximum number of active students in a batch whose certificates are issued at once.
pub const MOST_CERTIFIED: usize = 1000;

/// Issues certificates with these numbers to the active students of a batch who have nothing open; with empty `numbers` only
/// previews the certificates (R-PEOPLE-7).
pub fn certify_batch(
    tx: &mut Tx<'_>,
    by: UserId,
    moment: Moment,
    rulebook: &Rulebook,
    batch: &str,
    numbers: &[String],
) -> Result<BatchCertified> {
    let people = people::of_batch(tx, batch)?;
    if people.len() > MOST_CERTIFIED {
        return Err(Invalid::field("batch", message::batch_too_large(MOST_CERTIFIED)).into());
    }
    let uids: Vec<UserId> = people.iter().map(|person| person.uid).collect();
    ledger::lock_all(tx, uids.iter().copied())?;
    let mut blocks = open(tx, moment, rulebook, &uids)?;
    let mut certified = BatchCertified { clear: Vec::new(), open: Vec::new() };
    for person in people {
        match blocks.remove(&person.uid) {
            Some(block) => certified.open.push((person, block)),
            None => certified.clear.push(person),
        }
    }
    for (person, number) in certified.clear.iter().zip(numbers) {
        issue(tx, by, moment, person.uid, number)?;
    }
    Ok(certified)
}

/// A no-dues certificate, as shown without sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    pub person: Record,
    pub issued_on: Date,
    /// True if the person has no open loans, holds or dues now.
    pub is_still_clear: bool,
}

/// Returns the certificate with this number.
pub fn certificate(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    number: &str,
) -> Result<Certificate> {
    let (uid, issued_on) = no_dues::by_number(tx, number)?.ok_or(Error::NotFound)?;
    let person = people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
    Ok(Certificate { person, issued_on, is_still_clear: open(tx, moment, rulebook, &[uid])?.is_empty() })
}
