//! The provider's ID token, a signed statement about a person (OpenID Connect Core 1.0, 2 and 3.1.3.7; RFC 7515, 7519).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Tolerated difference between clocks, in seconds.
const SKEW: i64 = 60;
/// Maximum length of a subject (OpenID Connect Core 1.0, 2).
const LONGEST_SUBJECT: usize = 255;

/// Reason for rejecting a token; for the log, without contents of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the token is not of the form that it should have")]
    Malformed,
    #[error("the token is signed by another algorithm than RS256 or ES256")]
    Algorithm,
    #[error("the token is signed by a key that the provider does not name")]
    UnknownKey,
    #[error("the signature of the token is wrong")]
    Signature,
    #[error("the token is of another issuer")]
    Issuer,
    #[error("the token is for another client")]
    Audience,
    #[error("the token has expired, or is not valid yet")]
    Time,
    #[error("the token belongs to another sign-in")]
    Nonce,
}

/// Required values of a token.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'e> {
    pub issuer: &'e str,
    pub client: &'e str,
    pub nonce: &'e str,
    /// Epoch seconds.
    pub now: i64,
}

/// A provider's public key (RFC 7517).
#[derive(Deserialize)]
struct Key {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// A provider's public keys.
pub struct Keys(Vec<Key>);

impl Keys {
    /// Parses the provider's JWK set. Skips keys of unknown kinds.
    #[must_use]
    pub fn read(json: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = serde_json::from_slice(json).ok()?;
        Some(Self(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect()))
    }

    /// Finds the key named by a token; without a name, the only key that fits.
    fn find(&self, algorithm: Algorithm, name: Option<&str>) -> Option<&Key> {
        let mut fitting = self
            .0
            .iter()
            .filter(|key| algorithm.fits(key) && name.is_none_or(|name| key.kid.as_deref() == Some(name)));
        let found = fitting.next()?;
        (name.is_some() || fitting.next().is_none()).then_some(found)
    }
}

/// Accepted algorithms: never `none`, and none with a shared secret as key (RFC 8725, 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }

    fn fits(self, key: &Key) -> bool {
        let (kind, name) = match self {
            Self::Rs256 => ("RSA", "RS256"),
            Self::Es256 => ("EC", "ES256"),
        };
        key.kty == kind
            && key.alg.as_deref().is_none_or(|alg| alg == name)
            && key.purpose.as_deref().is_none_or(|purpose| purpose == "sig")
            && (self == Self::Rs256 || key.crv.as_deref() == Some("P-256"))
    }

    fn verify(self, key: &Key, signed: &[u8], signature: &[u8]) -> Option<()> {
        let part = |part: &Option<String>| URL_SAFE_NO_PAD.decode(part.as_deref()?).ok();
        match self {
            Self::Rs256 => RsaPublicKeyComponents { n: part(&key.n)?, e: part(&key.e)? }
                .verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
                .ok(),
            Self::Es256 => {
                // An uncompressed point (SEC 1, 2.3.3).
                let point = [[4].as_slice(), &part(&key.x)?, &part(&key.y)?].concat();
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature).ok()
            }
        }
    }
}

/// Claims of a checked token.
#[derive(Clone, Debug)]
pub struct Claims {
    /// Id at the provider, never reused there.
    pub subject: String,
    all: Map<String, Value>,
}

impl Claims {
    /// Returns a text claim.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.all.get(name)?.as_str()
    }

    /// The email address, only if `email_verified` is the boolean true; the text `"true"` does not count.
    #[must_use]
    pub fn verified_email(&self) -> Option<&str> {
        (self.all.get("email_verified") == Some(&Value::Bool(true))).then(|| self.text("email")).flatten()
    }
}

/// Checks a token.
///
/// # Errors
/// The token is rejected.
pub fn check(token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Claims, Refused> {
    #[derive(Deserialize)]
    struct Header {
        alg: String,
        kid: Option<String>,
        crit: Option<Value>,
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(Refused::Malformed)?;
    let (header, payload) = signed.split_once('.').ok_or(Refused::Malformed)?;
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| Refused::Malformed);
    let header: Header = serde_json::from_slice(&decoded(header)?).map_err(|_| Refused::Malformed)?;
    let algorithm = Algorithm::named(&header.alg).ok_or(Refused::Algorithm)?;
    if header.crit.is_some() {
        return Err(Refused::Malformed);
    }
    let key = keys.find(algorithm, header.kid.as_deref()).ok_or(Refused::UnknownKey)?;
    algorithm.verify(key, signed.as_bytes(), &decoded(signature)?).ok_or(Refused::Signature)?;
    let all: Map<String, Value> =
        serde_json::from_slice(&decoded(payload)?).map_err(|_| Refused::Malformed)?;
    claims(all, expected)
}

fn claims(all: Map<String, Value>, expected: &Expected<'_>) -> Result<Claims, Refused> {
    let text = |name: &str| all.get(name).and_then(Value::as_str);
    if text("iss") != Some(expected.issuer) {
        return Err(Refused::Issuer);
    }
    let party = all.get("azp").is_none_or(|party| party.as_str() == Some(expected.client));
    let audience = match all.get("aud") {
        Some(Value::String(only)) => only == expected.client,
        // A token with several audiences must name this client as its authorized party.
        Some(Value::Array(several)) => {
            several.iter().any(|one| one.as_str() == Some(expected.client))
                && (several.len() == 1 || all.contains_key("azp"))
        }
        _ => false,
    };
    if !audience || !party {
        return Err(Refused::Audience);
    }
    let second = |name: &str| all.get(name).map(|at| at.as_f64().ok_or(Refused::Malformed)).transpose();
    // Exact as a float for some hundred million years.
    #[expect(clippy::cast_precision_loss, reason = "epoch seconds are far below 2^53")]
    let (now, skew) = (expected.now as f64, SKEW as f64);
    let begun = |at: Option<f64>| at.is_none_or(|at| at <= now + skew);
    let good =
        second("exp")?.is_some_and(|end| now < end + skew) && begun(second("iat")?) && begun(second("nbf")?);
    if !good {
        return Err(Refused::Time);
    }
    if text("nonce") != Some(expected.nonce) {
        return Err(Refused::Nonce);
    }
    let subject = text("sub").filter(|sub| (1..=LONGEST_SUBJECT).contains(&sub.len()) && sub.is_ascii());
    let subject = subject.filter(|sub| !sub.contains('\0')).ok_or(Refused::Malformed)?.to_owned();
    Ok(Claims { subject, all })
}
