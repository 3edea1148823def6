//! Who somebody of the college's provider is here.
//!
//! What counts is the provider's own name for them, which it gives nobody else. Where that is not known yet, the roll number
//! or a verified address finds the account, once. A role is never taken from the provider.

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
    /// A librarian, whose password here is asked first: an address alone opens no such account.
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
    Ok(match (account.user.filter(|_| account.active), link) {
        (None, _) => Known::Closed(account.uid),
        (Some(user), Some(Link { password_asked: false, .. }) | None) if user.role == Role::Admin => {
            Known::AskPassword(user.uid)
        }
        (Some(user), Some(_)) => Known::Linked(user),
        (Some(user), None) => Known::Found(user),
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
