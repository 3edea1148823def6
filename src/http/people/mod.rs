//! People as librarians see them, one file per task (R-PEOPLE-1 to R-PEOPLE-9).

pub mod certificate;
pub mod data;
pub mod import;
pub mod list;
pub mod loans;
pub mod merge;
pub mod photo;
pub mod promotion;
pub mod record;
pub mod role;
pub mod sign_in_code;

use jiff::civil::Date;

use super::error::{Error, Result};
use crate::{
    circulation::standing,
    domain::{id::UserId, person::Person, rulebook::Rulebook},
    message,
    people::Error as PeopleError,
    storage::{
        Tx,
        accounts::Taken,
        authority,
        people::{self, Record},
    },
};

impl From<authority::Error> for Error {
    fn from(error: authority::Error) -> Self {
        PeopleError::from(error).into()
    }
}

impl From<PeopleError> for Error {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::NotFound => Self::NotFound,
            PeopleError::Invalid(invalid) => invalid.into(),
            PeopleError::Taken(Taken::Email) => Self::EmailTaken(message::problem_person_email_taken()),
            PeopleError::Taken(Taken::RollNumber) => {
                Self::RollNumberTaken(message::problem_person_roll_number_taken())
            }
            PeopleError::Taken(taken) => taken.into(),
            PeopleError::Refused(refusal) => Self::Refused(refusal),
            PeopleError::LastLibrarian => Self::LastLibrarian,
            PeopleError::OwnAccount => Self::OwnAccount,
            PeopleError::MoreCapable => Self::MoreCapable,
            PeopleError::Forbidden => Self::Forbidden,
            PeopleError::Storage(error) => error.into(),
        }
    }
}

/// Reads a person for a response; fails with [`Error::NotFound`] if there is none.
pub fn shown(tx: &mut Tx<'_>, rulebook: &Rulebook, today: Date, uid: UserId) -> Result<Person> {
    let record: Record = people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
    standing::people(tx, rulebook, today, vec![record])?.pop().ok_or(Error::NotFound)
}
