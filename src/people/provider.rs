//! Who somebody of the college's provider is here.
//!
//! What counts is the provider's own name for them, which it gives nobody else. Where that is not known yet, the roll number
//! or a verified address finds the account, once. An account whose holder claimed these by themself, and a librarian's, is
//! linked only with its password. A role is never taken from the provider.

use crate::{
    domain::{
        account::{EMAIL, ROLL_NUMBER, Role, User, folded_roll_number},
        id::UserId,
    },
    oidc::{Provider, token::Claims},
    storage::{
        Result, Tx,
        accounts::{self, Account},
        oidc::{self, Link},
    },
};

/// Who it is.
#[derive(Debug)]
pub enum Known {
    /// Linked before.
    Linked(User),
    /// Found now, and linked by that.
    Found(User),
    /// Asks for the password here first: a librarian's account, or one whose holder claimed the address or the roll number.
    /// A stranger may have registered with it, and would share the account with its owner.
    AskPassword(UserId),
    /// Nobody here.
    Nobody,
    /// The account here is linked with somebody else at the provider.
    Another(UserId),
    /// The account may not be used (R-PEOPLE-6), or its role is none (R-LOGIN-5).
    Closed(UserId),
}

/// Finds out who it is. The caller's transaction links whoever was found, see [`link`].
pub fn find(tx: &mut Tx<'_>, provider: &Provider, claims: &Claims) -> Result<Known> {
    let link = oidc::linked(tx, provider.issuer(), &claims.subject)?;
    let account = match link {
        Some(link) => accounts::by_id(tx, link.user)?,
        None => by_what_is_said(tx, provider, claims)?,
    };
    let Some(account) = account else { return Ok(Known::Nobody) };
    if link.is_none() && oidc::linked_since(tx, provider.issuer(), account.uid)?.is_some() {
        return Ok(Known::Another(account.uid));
    }
    let Some(user) = account.user.filter(|_| account.active) else { return Ok(Known::Closed(account.uid)) };
    let is_librarian = user.role == Role::Admin;
    Ok(match link {
        Some(link) if is_librarian && !link.password_asked => Known::AskPassword(user.uid),
        Some(_) => Known::Linked(user),
        None if is_librarian || account.claimed => Known::AskPassword(user.uid),
        None => Known::Found(user),
    })
}

fn by_what_is_said(tx: &mut Tx<'_>, provider: &Provider, claims: &Claims) -> Result<Option<Account>> {
    let sound = |text: &&str, max: usize| !text.contains(char::is_control) && text.chars().count() <= max;
    if let Some(number) = provider.roll_number(claims).filter(|text| sound(text, ROLL_NUMBER.max))
        && let Some(account) = accounts::by_roll_number(tx, &folded_roll_number(number))?
    {
        return Ok(Some(account));
    }
    let Some(email) = provider.email(claims).filter(|text| sound(text, EMAIL.max)) else { return Ok(None) };
    Ok(accounts::credentials(tx, email)?.map(|(account, _)| account))
}

/// Links a person with whom they are at the provider, or keeps that the password was asked for a link that there is;
/// `false` where one of the two was linked with another meanwhile.
pub fn link(tx: &mut Tx<'_>, issuer: &str, subject: &str, link: Link, now: i64) -> Result<bool> {
    Ok(link.password_asked && oidc::password_was_asked(tx, issuer, subject, link.user)?
        || oidc::link(tx, issuer, subject, link, now)?)
}
