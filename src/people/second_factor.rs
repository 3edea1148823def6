//! Second factors that somebody lost: taken away by a librarian, or on the command line.

use super::{Error, Result, record};
use crate::{
    domain::{change::SignInChange, id::UserId, moment::Moment},
    storage::{Tx, authority::Authority, second_factors, sessions},
};

/// Takes a person's second factor away and signs them out: the password alone opens the account until they set it up
/// again. Nobody does it to themselves. Whether there was one.
pub fn reset(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<bool> {
    // A stolen session must not be enough to be rid of what it was stolen in spite of.
    if authority.by() == Some(person) {
        return Err(Error::OwnAccount);
    }
    let subject = authority.over(tx, person)?;
    if !second_factors::remove(tx, &subject)? {
        return Ok(false);
    }
    sessions::end_all_of(tx, &subject)?;
    record(tx, moment, authority.by(), person, SignInChange::SecondFactorReset)?;
    Ok(true)
}
