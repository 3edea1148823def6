//! Reset of a lost second factor, by a librarian or on the command line.

use super::{Error, Result, record};
use crate::{
    domain::{change::SignInChange, id::UserId, moment::Moment},
    storage::{Tx, authority::Authority, second_factors, sessions},
};

/// Removes a person's second factor and ends their sessions: until they set up a new one, the password alone signs in.
/// Refused for the librarian's own account. Returns false if the person had no second factor.
pub fn reset(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<bool> {
    // A stolen session must not be enough to remove the second factor.
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
