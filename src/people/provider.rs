//! Matches a sign-in at the college's provider with an account.
//!
//! The provider's subject identifies a linked account. Before the first link, the roll number or a verified address finds
//! the account. A librarian's account, and one whose holder entered these details, is linked only with its password. Roles
//! never come from the provider.

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

/// Account that matches a sign-in at the provider.
#[derive(Debug)]
pub enum Known {
    /// Linked with the provider's subject already.
    Linked(User),
    /// Found by roll number or address; the caller must link it.
    Found(User),
    /// Needs the account's password first: the account is a librarian's, or its holder entered the address or the roll
    /// number. A stranger who registered with another person's details would otherwise share the account with that person.
    AskPassword(UserId),
    /// No account matches.
    NoAccount,
    /// The account is linked with another subject of the provider.
    Another(UserId),
    /// The account is inactive (R-PEOPLE-6) or has no usable role (R-LOGIN-5).
    Closed(UserId),
}

/// Finds the account of a sign-in. The caller links a match in the same transaction, see [`link`].
pub fn find(tx: &mut Tx<'_>, provider: &Provider, claims: &Claims) -> Result<Known> {
    let link = oidc::linked(tx, provider.issuer(), &claims.subject)?;
    let account = match link {
        Some(link) => accounts::by_id(tx, link.user)?,
        None => by_what_is_said(tx, provider, claims)?,
    };
    let Some(account) = account else { return Ok(Known::NoAccount) };
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

/// Links a person with a subject of the provider, or records on an existing link that the password was asked for. Returns
/// false if the person or the subject has another link by now.
pub fn link(tx: &mut Tx<'_>, issuer: &str, subject: &str, link: Link, now: i64) -> Result<bool> {
    Ok(link.password_asked && oidc::password_was_asked(tx, issuer, subject, link.user)?
        || oidc::link(tx, issuer, subject, link, now)?)
}
