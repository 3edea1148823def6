//! Second factors that somebody lost: taken away by a librarian, or on the command line.

use super::{Error, Result, locked, record};
use crate::{
    circulation::Moment,
    domain::{account::User, change::Change, id::UserId},
    storage::{Tx, second_factors, sessions},
};

/// Takes a person's second factor away and signs them out: the password alone opens the account until they set it up
/// again. Nobody does it to themselves, nor to whoever may do more; `None` is the command line. Whether there was one.
pub fn reset(tx: &mut Tx<'_>, by: Option<&User>, moment: Moment, person: UserId) -> Result<bool> {
    let capabilities = locked(tx, person)?.capabilities;
    if let Some(by) = by {
        // A stolen session must not be enough to be rid of what it was stolen in spite of.
        if by.uid == person {
            return Err(Error::OwnAccount);
        }
        if capabilities.iter().any(|capability| !by.capabilities.contains(capability)) {
            return Err(Error::MoreCapable);
        }
    }
    if !second_factors::remove(tx, person)? {
        return Ok(false);
    }
    sessions::end_all_of(tx, person)?;
    record(tx, moment, by.map(|by| by.uid), person, Change::SecondFactorReset)?;
    Ok(true)
}
