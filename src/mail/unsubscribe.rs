//! Links to unsubscribe from mails of a kind without a sign-in. A MAC authenticates the person and the kind, so no
//! token is stored.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::hmac;

use crate::domain::{id::UserId, notice::Kind};

/// Name of the digest in links, also in those of mails from before a digest had other notices.
const DIGEST: &str = "reminders";
/// Name of the guardian's digest in links.
const GUARDIAN: &str = "guardian";

/// Mails from which a link unsubscribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The digest: reminders, and the kinds that the person gets there.
    Digest,
    /// The digest of reminders to the person's guardian.
    Guardian,
    /// Mails of one kind of notice.
    Kind(Kind),
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Digest => DIGEST,
            Self::Guardian => GUARDIAN,
            Self::Kind(kind) => kind.as_str(),
        }
    }

    fn of(name: &str) -> Option<Self> {
        match name {
            DIGEST => Some(Self::Digest),
            GUARDIAN => Some(Self::Guardian),
            kind => Kind::of(kind).filter(|kind| kind.is_optional()).map(Self::Kind),
        }
    }

    /// Returns the kinds of notices to the person that the scope covers; `in_digest` are those that the person gets in the
    /// digest besides the reminders.
    #[must_use]
    pub fn kinds(self, in_digest: &[Kind]) -> Vec<Kind> {
        match self {
            Self::Digest => {
                let is_in = |kind: &Kind| kind.is_reminder() || in_digest.contains(kind);
                Kind::ALL.into_iter().filter(is_in).collect()
            }
            Self::Guardian => Vec::new(),
            Self::Kind(kind) => vec![kind],
        }
    }
}

/// Signs the links; all servers of a library share the key.
#[derive(Clone, Debug)]
pub struct Signer(hmac::Key);

impl Signer {
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()))
    }

    /// Returns the token of a link: the person, the scope and the MAC.
    #[must_use]
    pub fn token(&self, person: UserId, scope: Scope) -> String {
        let named = format!("{person}.{}", scope.name());
        format!("{named}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, &signed(&named))))
    }

    /// Verifies and parses a token; `None` unless this key signed it.
    #[must_use]
    pub fn read(&self, token: &str) -> Option<(UserId, Scope)> {
        let (named, mac) = token.rsplit_once('.')?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        hmac::verify(&self.0, &signed(named), &mac).ok()?;
        let (person, scope) = named.split_once('.')?;
        Some((UserId(person.parse().ok()?), Scope::of(scope)?))
    }
}

/// Returns the bytes to sign, with a prefix because the key signs other data too.
fn signed(named: &str) -> Vec<u8> {
    format!("library unsubscribe {named}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_its_person_and_kind_and_no_other() {
        let signer = Signer::new("key");
        for scope in [Scope::Digest, Scope::Guardian, Scope::Kind(Kind::HoldReady)] {
            let token = signer.token(UserId(7), scope);
            assert_eq!(signer.read(&token), Some((UserId(7), scope)));
            assert_eq!(Signer::new("another").read(&token), None);
            assert_eq!(signer.read(&token.replacen('7', "8", 1)), None);
            assert_eq!(signer.read(&token.replace(scope.name(), "paid")), None);
        }
        for odd in ["", ".", "7.reminders", "7.reminders.", "7.reminders.AAAA"] {
            assert_eq!(signer.read(odd), None, "{odd}");
        }
    }

    #[test]
    fn no_link_ends_the_mails_on_the_safety_of_an_account() {
        let signer = Signer::new("key");
        assert_eq!(signer.read(&signer.token(UserId(7), Scope::Kind(Kind::NewDevice))), None);
    }
}
