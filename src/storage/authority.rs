//! Permission to change a person's record (R-SEAM-8).
//!
//! Every write to a person's record takes a [`Subject`], and a write that removes rights takes a [`Replaceable`]. Only
//! an [`Authority`] or, for the person's own password, [`own`] creates a subject, and only the locked [`Librarians`]
//! make a subject replaceable, so no caller can skip the check.

use super::{
    Tx, accounts,
    people::{self, Record},
};
use crate::domain::{account::Capability, id::UserId};

/// Reason for refusing a write to a person's record.
#[derive(Debug)]
pub enum Error {
    /// No such person, or the person was erased or merged into another.
    NotFound,
    /// The librarian is not active or has no capability for people.
    Forbidden,
    /// The person has capabilities that the librarian lacks.
    MoreCapable,
    /// No librarian with all capabilities would be left.
    LastLibrarian,
    Storage(super::Error),
}

impl From<super::Error> for Error {
    fn from(error: super::Error) -> Self {
        Self::Storage(error)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// Authority of a librarian or of the command line to change people's records.
#[derive(Clone, Debug)]
pub struct Authority {
    /// `None` for the command line.
    by: Option<UserId>,
    capabilities: Vec<Capability>,
}

impl Authority {
    /// Reads the librarian's capabilities in this transaction, because those of a session may be a second old.
    ///
    /// # Errors
    /// [`Error::Forbidden`] unless the librarian is active and has the capability for people.
    pub fn of(tx: &mut Tx<'_>, by: UserId) -> Result<Self> {
        let record = people::by_id(tx, by)?.filter(|record| record.active);
        let capabilities = record.map(|record| record.capabilities).unwrap_or_default();
        if !capabilities.contains(&Capability::People) {
            return Err(Error::Forbidden);
        }
        Ok(Self { by: Some(by), capabilities })
    }

    /// Returns the authority of the operator, over all people.
    #[must_use]
    pub fn command_line() -> Self {
        Self { by: None, capabilities: Capability::ALL.to_vec() }
    }

    /// Returns the librarian; `None` for the command line.
    #[must_use]
    pub fn by(&self) -> Option<UserId> {
        self.by
    }

    /// Fails with [`Error::MoreCapable`] unless the librarian has all these capabilities.
    pub fn covers(&self, capabilities: &[Capability]) -> Result<()> {
        let covers = capabilities.iter().all(|capability| self.capabilities.contains(capability));
        if covers { Ok(()) } else { Err(Error::MoreCapable) }
    }

    fn subject(&self, record: Record) -> Result<Subject> {
        self.covers(&record.capabilities)?;
        Ok(Subject { record })
    }

    /// Locks a person until the transaction ends, so that the caller can change the record.
    ///
    /// # Errors
    /// [`Error::NotFound`], also for a person who was erased or merged into another; [`Error::MoreCapable`].
    pub fn over(&self, tx: &mut Tx<'_>, person: UserId) -> Result<Subject> {
        accounts::lock(tx, person)?;
        let record = people::by_id(tx, person)?.ok_or(Error::NotFound)?;
        self.subject(record)
    }

    /// Locks several people like [`Self::over`], in the order of their ids; skips people who no longer exist.
    pub fn over_all(&self, tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<Subject>> {
        people::lock_all(tx, people)?.into_iter().map(|record| self.subject(record)).collect()
    }

    /// Locks a record that was merged into another, like [`Self::over`].
    pub fn over_merged(&self, tx: &mut Tx<'_>, person: UserId) -> Result<Subject> {
        let record = people::lock_merged(tx, person)?.ok_or(Error::NotFound)?;
        self.subject(record)
    }
}

/// Locks the record of a person who changes their own password.
///
/// # Errors
/// [`Error::NotFound`], also for a person who was erased or merged into another.
pub fn own(tx: &mut Tx<'_>, person: UserId) -> Result<Subject> {
    accounts::lock(tx, person)?;
    let record = people::by_id(tx, person)?.ok_or(Error::NotFound)?;
    Ok(Subject { record })
}

/// Person whose record this transaction may change, locked until the transaction ends.
#[derive(Clone, Debug)]
pub struct Subject {
    record: Record,
}

impl Subject {
    #[must_use]
    pub fn uid(&self) -> UserId {
        self.record.uid
    }

    /// Returns the record as it was when it was locked.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }
}

/// Person who may lose capabilities, because this person or another librarian keeps those that the library needs.
#[derive(Clone, Debug)]
pub struct Replaceable {
    subject: Subject,
}

impl Replaceable {
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    #[must_use]
    pub fn uid(&self) -> UserId {
        self.subject.uid()
    }

    /// Returns the record as it was when it was locked.
    #[must_use]
    pub fn record(&self) -> &Record {
        self.subject.record()
    }
}

/// Active librarians who can sign in, locked until the transaction ends, so that transactions of two librarians who
/// remove each other run one after the other.
///
/// Every transaction locks the librarians before any other person, which prevents deadlocks.
#[derive(Debug)]
pub struct Librarians(Vec<(UserId, Vec<Capability>)>);

impl Librarians {
    pub fn lock(tx: &mut Tx<'_>) -> Result<Self> {
        Ok(Self(people::lock_librarians(tx)?))
    }

    /// Allows a person to keep only these capabilities.
    ///
    /// # Errors
    /// [`Error::LastLibrarian`] if the change would leave no librarian with all capabilities or, in a library that has
    /// no such librarian, none with the capability for people.
    pub fn leave(&self, subject: Subject, left: &[Capability]) -> Result<Replaceable> {
        let now = self.0.iter().find(|(uid, _)| *uid == subject.uid());
        let needed: &[Capability] = match now {
            Some((_, may)) if Capability::ALL.iter().all(|one| may.contains(one)) => &Capability::ALL,
            Some((_, may)) if may.contains(&Capability::People) => &[Capability::People],
            _ => &[],
        };
        let has_all = |may: &[Capability]| needed.iter().all(|one| may.contains(one));
        let another = || self.0.iter().any(|(uid, may)| *uid != subject.uid() && has_all(may));
        if has_all(left) || another() { Ok(Replaceable { subject }) } else { Err(Error::LastLibrarian) }
    }
}
