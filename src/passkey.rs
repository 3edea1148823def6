//! Passkeys: checks a browser's answer to a creation or use, step by step in the order of sections 7.1 and 7.2 of Web
//! Authentication Level 3.
//!
//! A passkey here is always discoverable and always verifies its user (a fingerprint, a face, a PIN): possession and
//! verification in one. The maker of the authenticator is not asked for (attestation `none`).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

use self::cbor::Item;

pub mod cbor;

/// Accepted algorithms in order of preference, as COSE numbers (RFC 9053, RFC 8812): Ed25519, ES256, and RS256, the
/// only one of some TPMs under Windows Hello.
pub const ALGORITHMS: [i64; 3] = [EDDSA, ES256, RS256];
const EDDSA: i64 = -8;
const ES256: i64 = -7;
const RS256: i64 = -257;

/// Length of a challenge; the specification advises at least 16 bytes (13.4.3).
pub const CHALLENGE_BYTES: usize = 32;
/// Length of a user handle: random, so that it reveals nothing (14.6.1).
pub const HANDLE_BYTES: usize = 32;
/// Maximum length of a credential id (7.1).
const LONGEST_ID: usize = 1023;

/// Relying party: this library at its own address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    pub id: String,
    /// In the serialised form that browsers send.
    pub origin: String,
}

impl Party {
    /// Party of the library's public address. `None` where browsers make no passkeys: at an IP address, and over plain
    /// http except on this machine.
    #[must_use]
    pub fn at(address: &Url) -> Option<Self> {
        let Some(Host::Domain(domain)) = address.host() else { return None };
        let own = domain == "localhost" || domain.ends_with(".localhost");
        (address.scheme() == "https" || own)
            .then(|| Self { id: domain.to_owned(), origin: address.origin().ascii_serialization() })
    }
}

/// Reason for rejecting a passkey; for the log, without anything sent by the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the answer is not of the form that it should have")]
    Malformed,
    #[error("the answer is to another kind of question")]
    Kind,
    #[error("the answer is to another challenge")]
    Challenge,
    #[error("the answer is from another address, or from within another page")]
    Origin,
    #[error("the passkey is for another address")]
    Party,
    #[error("nobody was there, or it was not checked who")]
    Unverified,
    #[error("the passkey can be copied and yet could not, or the other way round")]
    Backup,
    #[error("the key is of a kind that was not asked for")]
    Algorithm,
    #[error("the signature is wrong")]
    Signature,
}

type Result<T, E = Refused> = std::result::Result<T, E>;

/// Ceremony that the browser answers.
#[derive(Clone, Copy)]
enum Kind {
    Create,
    Get,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Create => "webauthn.create",
            Self::Get => "webauthn.get",
        }
    }
}

/// Client data of the browser (5.8.1).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
    top_origin: Option<String>,
}

impl ClientData {
    /// Steps common to 7.1 and 7.2, up to the hash of the client data.
    fn check(json: &[u8], kind: Kind, challenge: &str, party: &Party) -> Result<()> {
        // Parses UTF-8 JSON; drops a byte order mark.
        let json = json.strip_prefix("\u{feff}".as_bytes()).unwrap_or(json);
        let data: Self = serde_json::from_slice(json).map_err(|_| Refused::Malformed)?;
        // Type: a creation is not accepted as a use.
        if data.kind != kind.name() {
            return Err(Refused::Kind);
        }
        if data.challenge != challenge {
            return Err(Refused::Challenge);
        }
        // `origin`, `crossOrigin` and `topOrigin`: never in a frame of another site.
        if data.origin != party.origin || data.cross_origin || data.top_origin.is_some() {
            return Err(Refused::Origin);
        }
        Ok(())
    }
}

/// Authenticator data (6.1).
struct AuthenticatorData<'a> {
    backup_eligible: bool,
    /// Signature counter; 0 if the authenticator has none.
    count: u32,
    /// Id and key of a new passkey.
    made: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> AuthenticatorData<'a> {
    const USER_PRESENT: u8 = 1;
    const USER_VERIFIED: u8 = 1 << 2;
    const BACKUP_ELIGIBLE: u8 = 1 << 3;
    const BACKED_UP: u8 = 1 << 4;
    const WITH_CREDENTIAL: u8 = 1 << 6;
    const WITH_EXTENSIONS: u8 = 1 << 7;

    /// Steps common to 7.1 and 7.2, from the hash of the party's id to the flags.
    fn check(bytes: &'a [u8], party: &Party) -> Result<Self> {
        let read = || {
            let (party_hash, rest) = bytes.split_at_checked(32)?;
            let (flags, rest) = rest.split_first()?;
            let (count, rest) = rest.split_first_chunk::<4>()?;
            let (made, rest) = if flags & Self::WITH_CREDENTIAL == 0 {
                (None, rest)
            } else {
                let (_aaguid, rest) = rest.split_at_checked(16)?;
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (id, after) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
                let (_, rest) = cbor::read(after)?;
                (Some((id, &after[..after.len() - rest.len()])), rest)
            };
            let rest = if flags & Self::WITH_EXTENSIONS == 0 { rest } else { cbor::read(rest)?.1 };
            rest.is_empty().then_some((party_hash, *flags, u32::from_be_bytes(*count), made))
        };
        let (party_hash, flags, count, made) = read().ok_or(Refused::Malformed)?;
        let has = |flag| flags & flag != 0;
        // `rpIdHash`.
        if party_hash != Sha256::digest(&party.id).as_slice() {
            return Err(Refused::Party);
        }
        // UP and UV: the user was present and verified.
        if !has(Self::USER_PRESENT) || !has(Self::USER_VERIFIED) {
            return Err(Refused::Unverified);
        }
        // BE and BS: a passkey that cannot be backed up must not be marked as backed up.
        if has(Self::BACKED_UP) && !has(Self::BACKUP_ELIGIBLE) {
            return Err(Refused::Backup);
        }
        Ok(Self { backup_eligible: has(Self::BACKUP_ELIGIBLE), count, made })
    }
}

/// A public key (RFC 9052, 7) of one of three kinds.
enum Key<'a> {
    Ed25519(&'a [u8]),
    /// An uncompressed point (SEC 1, 2.3.3).
    Es256(Vec<u8>),
    Rs256(RsaPublicKeyComponents<&'a [u8]>),
}

impl<'a> Key<'a> {
    fn read(cose: &'a [u8]) -> Result<Self> {
        // Labels and values of RFC 9053, 7, and RFC 8230, 4.
        const KIND: i64 = 1;
        const ALGORITHM: i64 = 3;
        const CURVE: i64 = -1;
        let (key, rest) = cbor::read(cose).ok_or(Refused::Malformed)?;
        if !rest.is_empty() {
            return Err(Refused::Malformed);
        }
        let number = |label| match key.get(&Item::Whole(label)) {
            Some(Item::Whole(number)) => Some(*number),
            _ => None,
        };
        let part = |label| key.get(&Item::Whole(label)).and_then(Item::bytes).ok_or(Refused::Malformed);
        let coordinate =
            |label| part(label).and_then(|x| (x.len() == 32).then_some(x).ok_or(Refused::Malformed));
        match (number(ALGORITHM), number(KIND), number(CURVE)) {
            (Some(EDDSA), Some(1), Some(6)) => Ok(Self::Ed25519(coordinate(-2)?)),
            (Some(ES256), Some(2), Some(1)) => {
                Ok(Self::Es256([[4].as_slice(), coordinate(-2)?, coordinate(-3)?].concat()))
            }
            (Some(RS256), Some(3), None) => {
                Ok(Self::Rs256(RsaPublicKeyComponents { n: part(-1)?, e: part(-2)? }))
            }
            _ => Err(Refused::Algorithm),
        }
    }

    fn verify(&self, signed: &[u8], signature: &[u8]) -> Result<()> {
        match self {
            Self::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(signed, signature),
            Self::Es256(key) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(signed, signature)
            }
            Self::Rs256(key) => key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature),
        }
        .map_err(|_| Refused::Signature)
    }
}

/// A newly created passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub credential_id: Vec<u8>,
    /// COSE (RFC 9052).
    pub public_key: Vec<u8>,
    pub count: u32,
    pub backup_eligible: bool,
}

/// Checks the answer to a creation (7.1). The storage rejects a credential that already exists.
///
/// # Errors
/// The passkey is rejected.
pub fn made(client_data: &[u8], attestation: &[u8], challenge: &str, party: &Party) -> Result<Made> {
    ClientData::check(client_data, Kind::Create, challenge, party)?;
    // The attestation object, without trailing bytes.
    let (object, rest) = cbor::read(attestation).ok_or(Refused::Malformed)?;
    let data = object.get(&Item::Text("authData")).and_then(Item::bytes).filter(|_| rest.is_empty());
    let data = AuthenticatorData::check(data.ok_or(Refused::Malformed)?, party)?;
    let (id, key) = data.made.ok_or(Refused::Malformed)?;
    // Fails unless the key has an accepted algorithm and fits it.
    Key::read(key)?;
    // Attestation was not requested: a statement sent regardless proves nothing and is ignored.

    if id.is_empty() || id.len() > LONGEST_ID {
        return Err(Refused::Malformed);
    }
    Ok(Made {
        credential_id: id.to_vec(),
        public_key: key.to_vec(),
        count: data.count,
        backup_eligible: data.backup_eligible,
    })
}

/// Answer of a browser to a request.
#[derive(Clone, Debug)]
pub struct Shown {
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    pub signature: Vec<u8>,
}

/// Checks the answer to a request (7.2) with the stored key and returns the signature counter. The caller checks the
/// credential's owner and that the counter increased.
///
/// # Errors
/// The passkey is rejected.
pub fn used(
    shown: &Shown,
    challenge: &str,
    party: &Party,
    public_key: &[u8],
    backup_eligible: bool,
) -> Result<u32> {
    ClientData::check(&shown.client_data, Kind::Get, challenge, party)?;
    let data = AuthenticatorData::check(&shown.authenticator_data, party)?;
    // BE never changes for a passkey.
    if data.backup_eligible != backup_eligible {
        return Err(Refused::Backup);
    }
    // The signature covers the authenticator data and the hash of the client data.
    let hash = Sha256::digest(&shown.client_data);
    let signed = [shown.authenticator_data.as_slice(), hash.as_slice()].concat();
    Key::read(public_key)?.verify(&signed, &shown.signature)?;
    Ok(data.count)
}

/// Encodes bytes for browsers and the database: base64url without padding.
#[must_use]
pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reverses [`encoded`].
#[must_use]
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_are_for_the_own_name_over_https_or_for_this_machine() {
        let at = |address: &str| Party::at(&Url::parse(address).expect("a URL")).map(|party| party.origin);
        assert_eq!(at("https://Library.college.edu/").as_deref(), Some("https://library.college.edu"));
        assert_eq!(at("http://localhost:8080/").as_deref(), Some("http://localhost:8080"));
        for none in
            ["http://library.college.edu/", "https://192.168.1.5/", "http://127.0.0.1:80/", "https://[::1]/"]
        {
            assert_eq!(at(none), None, "{none}");
        }
    }
}
