//! Sign-in codes: what a librarian hands out to somebody who has no password yet, or forgot it (R-PEOPLE-3).

use super::{Error, Result, record};
use crate::{
    domain::{account::folded_email, change::SignInChange, id::UserId, moment::Moment, rule::Invalid},
    message,
    storage::{
        Tx,
        accounts::{self, Taken},
        authority::{self, Authority},
        oidc, people, sessions, sign_in_codes,
    },
};

/// How long a code is good.
pub const DAYS: i64 = 7;

/// Keeps the hash of a code for a person; an earlier code of theirs is no longer good. When it ends.
pub fn keep(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    person: UserId,
    hash: &str,
) -> Result<i64> {
    let subject = authority.over(tx, person)?;
    let made_by = authority.by().ok_or(Error::Forbidden)?;
    let expires = moment.at + DAYS * 24 * 60 * 60 * 1000;
    sign_in_codes::keep(tx, &subject, made_by, hash, expires)?;
    record(tx, moment, authority.by(), person, SignInChange::SignInCodeMade { expires })?;
    Ok(expires)
}

/// Uses a code up and gives its person a password, and an email to sign in with where there was none. The sessions of
/// before end. `false` where the code was used meanwhile, or its librarian may not write on the person any more.
pub fn redeem(
    tx: &mut Tx<'_>,
    moment: Moment,
    person: UserId,
    code_hash: &str,
    password_hash: &str,
    email: Option<&str>,
) -> Result<bool> {
    accounts::lock(tx, person)?;
    let Some(made_by) = sign_in_codes::use_up(tx, person, code_hash, moment.at)? else { return Ok(false) };
    // The code is worth what its librarian may do now (R-SEAM-8).
    let subject = match Authority::of(tx, made_by).and_then(|authority| authority.over(tx, person)) {
        Err(authority::Error::Forbidden | authority::Error::MoreCapable) => return Ok(false),
        found => found?,
    };
    // Whoever claimed the account may have linked it with an account of their own.
    for provider in oidc::unlink_claimed(tx, person)? {
        record(tx, moment, Some(person), person, SignInChange::ProviderUnlinked { provider })?;
    }
    let mut details = subject.record().details.clone();
    let added = match (email, &details.email) {
        (Some(email), Some(own)) if folded_email(email) != folded_email(own) => {
            return Err(Invalid::field("email", message::other_email()).into());
        }
        (Some(email), None) => {
            details.email = Some(email.to_owned());
            match people::update(tx, &subject, &details)? {
                Err(Taken::Email) => return Err(Error::Taken(Taken::Email)),
                done => done?,
            }
            accounts::claim(tx, person)?;
            Some(email.to_owned())
        }
        _ => None,
    };
    people::set_password(tx, &subject, password_hash)?;
    sessions::end_all_of(tx, &subject)?;
    record(tx, moment, Some(person), person, SignInChange::PasswordSet { email: added })?;
    Ok(true)
}
