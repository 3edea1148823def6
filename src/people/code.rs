//! Sign-in codes: what a librarian hands out to somebody who has no password yet, or forgot it (R-PEOPLE-3).

use super::{Authority, Error, Result, record};
use crate::{
    domain::{account::folded_email, change::SignInChange, id::UserId, moment::Moment, rule::Invalid},
    message,
    storage::{
        Tx,
        accounts::{self, Taken},
        oidc, people, sessions, sign_in_codes,
    },
};

/// How long a code is good.
pub const DAYS: i64 = 7;

/// Neither vowels, so that no word comes out, nor what is taken for another sign.
const SIGNS: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXYZ";
/// 38 bits; a guess costs one of the tries of a sign-in.
const LENGTH: usize = 8;

/// Signs in a group, between hyphens.
const GROUP: usize = 4;

/// A code out of random bytes: `K7RM-2QXD`.
#[must_use]
pub fn from_random(random: [u8; 16]) -> String {
    signs(random, LENGTH)
}

/// So many signs out of random bytes, at most 16 of them.
#[must_use]
pub fn signs(random: [u8; 16], length: usize) -> String {
    // Far more bits than signs to choose from: each is as likely as the others but for one in 10¹⁵.
    let mut rest = u128::from_be_bytes(random);
    let mut code = String::with_capacity(length + length / GROUP);
    for place in 0..length {
        if place > 0 && place % GROUP == 0 {
            code.push('-');
        }
        let base = SIGNS.len() as u128;
        code.push(char::from(SIGNS[usize::try_from(rest % base).unwrap_or_default()]));
        rest /= base;
    }
    code
}

/// A code as it is hashed: however it is typed.
#[must_use]
pub fn normalized(typed: &str) -> String {
    typed.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_uppercase()).collect()
}

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
        Err(Error::Forbidden | Error::MoreCapable) => return Ok(false),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_easy_to_read_out_and_however_it_is_typed_the_same() {
        let code = from_random([0xA7; 16]);
        assert_eq!((code.len(), &code[4..5]), (9, "-"));
        assert!(code.replace('-', "").bytes().all(|sign| SIGNS.contains(&sign)));
        for typed in [code.to_lowercase(), code.replace('-', " "), format!(" {code}\n")] {
            assert_eq!(normalized(&typed), code.replace('-', ""));
        }
        assert_ne!(from_random([1; 16]), from_random([2; 16]));
    }
}
