//! Known devices: a browser keeps a proof of each account that signed in there, so that password guesses elsewhere do
//! not lock the account's owner out.
//!
//! The cookie is `DEVICE.PROOF.PROOF…`: a random name of the browser and a proof for each of the last accounts. A proof
//! is a MAC of the device's name under the account's password hash. So the server stores nothing, the cookie works on
//! every server and does not reveal the accounts, and a new password invalidates the account's proof. One more proof,
//! under the key that all servers share, says only that some account signed in there: it lets the browser begin a
//! sign-in even if other browsers have used up the limit of the network (X6).

use axum::http::{HeaderMap, HeaderValue};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{API, cookie, error::Result, session::random};

/// Maximum number of accounts that one browser remembers; a computer shared by more people is not a personal device.
const ACCOUNTS: usize = 8;
/// Maximum number of proofs: one per account, and the one under the servers' key.
const PROOFS: usize = ACCOUNTS + 1;
/// Lifetime of the cookie in seconds: browsers cap it at 400 days (RFC 6265bis).
const LIFETIME: i64 = 400 * 24 * 60 * 60;
/// Length of the device's name and of each proof, in bytes.
const LENGTH: usize = 16;

/// Random name of a browser.
pub type Name = [u8; LENGTH];

/// Browser, and proofs of the accounts that signed in with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    name: Name,
    /// Newest first.
    proofs: Vec<[u8; LENGTH]>,
}

fn cookie_name(https: bool) -> &'static str {
    if https { "__Secure-library-device" } else { "library-device" }
}

impl Device {
    /// Returns the device of a request; `None` without a cookie, or with a malformed one.
    #[must_use]
    pub fn of(https: bool, headers: &HeaderMap) -> Option<Self> {
        let mut parts = cookie::read(headers, cookie_name(https))?.split('.').map(|part| {
            URL_SAFE_NO_PAD.decode(part).ok().and_then(|bytes| <[u8; LENGTH]>::try_from(bytes).ok())
        });
        Some(Self { name: parts.next()??, proofs: parts.take(PROOFS).collect::<Option<_>>()? })
    }

    /// Returns the name that keys the rate limits.
    #[must_use]
    pub fn name(&self) -> Name {
        self.name
    }

    fn mac(&self, password_hash: &str) -> Result<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(password_hash.as_bytes())
            .map_err(|error| super::error::Error::Internal(Box::new(error)))?;
        Ok(mac.chain_update(b"library device").chain_update(self.name))
    }

    /// True if any account signed in with this browser before; `key` is [`super::App::browser_key`].
    pub fn has_signed_in(&self, key: &str) -> Result<bool> {
        self.knows(key)
    }

    /// True if the account with this password hash signed in with this browser before.
    pub fn knows(&self, password_hash: &str) -> Result<bool> {
        let mac = self.mac(password_hash)?;
        Ok(self.proofs.iter().any(|proof| mac.clone().verify_truncated_left(proof).is_ok()))
    }

    /// Builds the cookie after a sign-in. Without `password_hash`, the cookie gains only the proof that some account
    /// signed in.
    pub fn signed_in(
        shown: Option<Self>,
        https: bool,
        key: &str,
        password_hash: Option<&str>,
    ) -> Result<HeaderValue> {
        let mut device = match shown {
            Some(device) => device,
            None => Self { name: random()?, proofs: Vec::new() },
        };
        for secret in password_hash.into_iter().chain([key]) {
            let mac = device.mac(secret)?.finalize().into_bytes();
            let mut proof = [0; LENGTH];
            proof.copy_from_slice(&mac[..LENGTH]);
            device.proofs.retain(|known| *known != proof);
            device.proofs.insert(0, proof);
        }
        device.proofs.truncate(PROOFS);
        let parts: Vec<String> = std::iter::once(&device.name)
            .chain(&device.proofs)
            .map(|part| URL_SAFE_NO_PAD.encode(part))
            .collect();
        // Only the paths of sign-in need the cookie.
        cookie::set(https, cookie_name(https), &parts.join("."), &format!("{API}/auth"), Some(LIFETIME))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;

    fn shown(set: &HeaderValue) -> Device {
        let pair = set.to_str().unwrap().split(';').next().unwrap();
        let headers = HeaderMap::from_iter([(header::COOKIE, pair.parse().unwrap())]);
        Device::of(false, &headers).unwrap()
    }

    #[test]
    fn a_browser_knows_the_accounts_that_signed_in_with_it_and_no_others() -> Result<()> {
        let signed_in =
            |shown: Option<Device>, hash: &str| Device::signed_in(shown, false, "key", Some(hash));
        let one = shown(&signed_in(None, "hash one")?);
        assert!(
            one.knows("hash one")? && !one.knows("hash two")?,
            "nor the same account with a new password"
        );
        let mut both = shown(&signed_in(Some(one.clone()), "hash two")?);
        assert!(both.knows("hash one")? && both.knows("hash two")?);
        assert_eq!(both.name(), one.name());
        for n in 0..ACCOUNTS - 1 {
            both = shown(&signed_in(Some(both), &format!("other {n}"))?);
        }
        assert!(both.knows("hash two")? && !both.knows("hash one")?, "the oldest is forgotten");
        let again = shown(&signed_in(Some(both.clone()), "hash two")?);
        assert_eq!(again.proofs.len(), PROOFS, "a second sign-in takes no second place");
        assert!(again.has_signed_in("key")? && !again.has_signed_in("other key")?);
        let without_account = shown(&Device::signed_in(None, false, "key", None)?);
        assert!(without_account.has_signed_in("key")? && !without_account.knows("hash one")?);
        let other = Device { name: [7; LENGTH], ..one };
        assert!(!other.knows("hash one")?, "a proof of one device proves nothing on another");
        Ok(())
    }

    #[test]
    fn a_cookie_that_is_not_ours_makes_no_device() {
        for odd in ["", "x", "a.b", "AAAAAAAAAAAAAAAAAAAAAA.x", "AAAAAAAAAAAAAAAAAAAAAAAA", "."] {
            let pair = format!("library-device={odd}").parse().unwrap();
            assert_eq!(Device::of(false, &HeaderMap::from_iter([(header::COOKIE, pair)])), None, "{odd}");
        }
    }

    #[test]
    fn the_cookie_travels_to_sign_in_only_and_out_of_reach_for_scripts() -> Result<()> {
        let set = Device::signed_in(None, true, "key", Some("hash"))?;
        let set = set.to_str().unwrap();
        assert!(set.starts_with("__Secure-library-device="), "{set}");
        let attributes = "; Path=/library/api/v1/auth; HttpOnly; SameSite=Strict; Secure; Max-Age=34560000";
        assert!(set.ends_with(attributes), "{set}");
        Ok(())
    }
}
