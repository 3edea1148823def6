//! Sign-in codes, which a librarian hands out to a person without a password (R-PEOPLE-3).

use super::{Error, Result, record};
use crate::{
    domain::{
        account::{Role, folded_email},
        change::SignInChange,
        id::UserId,
        moment::Moment,
        rule::Invalid,
    },
    message,
    storage::{
        Tx,
        accounts::{self, Taken},
        authority::{self, Authority},
        claimed_addresses,
        directory::{self, Column, Listing, OfBatch, Order, Source},
        oidc, password_links,
        people::{self, Record},
        sessions, sign_in_codes,
    },
};

/// Validity of a code in days, unless the librarian chooses another.
pub const DAYS: i64 = 7;
/// Maximum number of codes made at once; hashing them takes seconds.
pub const MOST: usize = 200;

/// Maximum number of people that a search may find.
const MOST_FOUND: usize = 5000;

/// Returns the active students with a roll number and without a password, in the order of their names: those of a batch, those
/// found by search words as in the list of people, or those of a batch that the words find.
pub fn without_password(tx: &mut Tx<'_>, batch: &str, words: &str) -> Result<Vec<Record>> {
    let too_many = || Error::from(Invalid::field("batch", message::too_many_codes(MOST)));
    let mut found = if words.is_empty() {
        people::of_batch(tx, batch)?
    } else {
        let source = match batch {
            "" => Source::Everybody,
            batch => Source::Among(directory::of_batch(tx, batch, OfBatch::All)?),
        };
        let order = Order::Column(Column::Name);
        let listing = Listing { query: words.to_owned(), source, order, descending: false };
        let uids = directory::uids(tx, &listing, MOST_FOUND)?;
        if uids.len() == MOST_FOUND {
            return Err(too_many());
        }
        people::by_ids(tx, &uids)?
    };
    found.retain(|person| {
        person.active
            && person.role == Some(Role::Student)
            && !person.has_password
            && person.details.roll_number.is_some()
    });
    if found.len() > MOST {
        return Err(too_many());
    }
    Ok(found)
}

/// Stores the hash of a code for a person, replacing an earlier one; returns the expiry in epoch milliseconds.
pub fn keep(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    person: UserId,
    hash: &str,
    days: i64,
) -> Result<i64> {
    let subject = authority.over(tx, person)?;
    let made_by = authority.by().ok_or(Error::Forbidden)?;
    let expires = moment.at + days * 24 * 60 * 60 * 1000;
    sign_in_codes::keep(tx, &subject, made_by, hash, expires)?;
    record(tx, moment, authority.by(), person, SignInChange::SignInCodeMade { expires })?;
    Ok(expires)
}

/// Redeems a code: stores the person's password, and an email if there was none, and ends earlier sessions. Returns false
/// if the code was used meanwhile or its librarian has lost the authority over the person.
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
    // A code grants no more than the librarian who made it may do now (R-SEAM-8).
    let subject = match Authority::of(tx, made_by).and_then(|authority| authority.over(tx, person)) {
        Err(authority::Error::Forbidden | authority::Error::MoreCapable) => return Ok(false),
        found => found?,
    };
    unlink_claimed(tx, moment, person)?;
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

/// Unlinks the provider: a stranger who registered the account may have linked it with a provider account of their own.
fn unlink_claimed(tx: &mut Tx<'_>, moment: Moment, person: UserId) -> Result<()> {
    for provider in oidc::unlink_claimed(tx, person)? {
        record(tx, moment, Some(person), person, SignInChange::ProviderUnlinked { provider })?;
    }
    Ok(())
}

/// Redeems a reset link: stores the new password and ends earlier sessions. Returns false if the link was used or deleted
/// meanwhile.
pub fn redeem_link(
    tx: &mut Tx<'_>,
    moment: Moment,
    person: UserId,
    link_hash: &str,
    password_hash: &str,
) -> Result<bool> {
    let subject = authority::own(tx, person)?;
    if !password_links::use_up(tx, person, link_hash, moment.at)? {
        return Ok(false);
    }
    // If the new password equals the old one, the database's trigger does not delete the person's other links.
    password_links::end_all_of(tx, person)?;
    unlink_claimed(tx, moment, person)?;
    people::set_password(tx, &subject, password_hash)?;
    // The link was read at this address.
    claimed_addresses::confirm(tx, person, moment.at)?;
    sessions::end_all_of(tx, &subject)?;
    record(tx, moment, Some(person), person, SignInChange::PasswordSet { email: None })?;
    Ok(true)
}
