//! The second factor of a sign-in: codes of an authenticator app (TOTP, RFC 6238), and recovery codes in case the app
//! is lost.

use ring::hmac;
use url::form_urlencoded::byte_serialize;

use crate::domain::code;

/// Length of a key; RFC 4226 (4, R6) recommends 160 bits.
pub const SECRET_BYTES: usize = 20;
/// Validity of a code in seconds (RFC 6238, 5.2).
const STEP: i64 = 30;
/// Steps before and after now whose codes are accepted, because clocks differ (RFC 6238, 5.2).
const DRIFT: i64 = 1;
const DIGITS: usize = 6;

/// Number of recovery codes in a new set.
pub const RECOVERY_CODES: usize = 10;
/// Length of a recovery code in characters: 76 bits cannot be guessed, so a fast hash is enough.
const RECOVERY_SIGNS: usize = 16;

/// Alphabet of Base32 (RFC 4648, 6).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Encodes the key of an authenticator app for storage and typing: Base32 without padding.
#[must_use]
pub fn secret_from_random(random: [u8; SECRET_BYTES]) -> String {
    let mut text = String::with_capacity(SECRET_BYTES * 8 / 5);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in random {
        (bits, count) = (bits << 8 | u32::from(byte), count + 8);
        while count >= 5 {
            count -= 5;
            text.push(char::from(BASE32[(bits >> count & 31) as usize]));
        }
    }
    text
}

/// Decodes a key; `None` if it is not Base32.
fn decoded(secret: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(SECRET_BYTES);
    let (mut bits, mut count) = (0_u32, 0);
    for sign in secret.bytes() {
        let value = BASE32.iter().position(|known| *known == sign)?;
        (bits, count) = (bits << 5 | u32::try_from(value).ok()?, count + 5);
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Address in the QR code for apps (Key URI Format).
#[must_use]
pub fn address(library: &str, account: &str, secret: &str) -> String {
    // Some apps show a plus sign literally.
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20");
    let (library, account) = (encoded(library), encoded(account));
    format!("otpauth://totp/{library}:{account}?secret={secret}&issuer={library}")
}

/// Time step at an instant in epoch milliseconds.
fn step_at(now: i64) -> i64 {
    now.div_euclid(STEP * 1000)
}

/// HOTP code of a time step (RFC 4226, 5.3).
fn code_of(key: &hmac::Key, step: i64) -> u32 {
    let mac = hmac::sign(key, &step.to_be_bytes());
    let mac = mac.as_ref();
    let offset = usize::from(mac[mac.len() - 1] & 15);
    let four = [mac[offset], mac[offset + 1], mac[offset + 2], mac[offset + 3]];
    (u32::from_be_bytes(four) & 0x7fff_ffff) % 10_u32.pow(6)
}

fn key(secret: &str) -> Option<hmac::Key> {
    // Apps compute SHA-1, which is sound within an HMAC.
    Some(hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &decoded(secret)?))
}

/// Code of an app with this key at an instant in epoch milliseconds.
#[must_use]
pub fn code_at(secret: &str, now: i64) -> Option<String> {
    Some(format!("{:06}", code_of(&key(secret)?, step_at(now))))
}

/// Time steps around now (epoch milliseconds) with this code, oldest first: one, or by chance two.
#[must_use]
pub fn steps_of(secret: &str, digits: u32, now: i64) -> Vec<i64> {
    let Some(key) = key(secret) else { return Vec::new() };
    let at = step_at(now);
    (at - DRIFT..=at + DRIFT).filter(|step| code_of(&key, *step) == digits).collect()
}

/// Code typed at the second step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Six digits of the app.
    App(u32),
    /// A recovery code without hyphens.
    Recovery(String),
}

impl Typed {
    /// Parses a code with any spacing.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let signs = code::normalized(text);
        match signs.parse() {
            Ok(digits) if signs.len() == DIGITS => Self::App(digits),
            _ => Self::Recovery(signs),
        }
    }
}

/// Formats a recovery code from random bytes: `K7RM-2QXD-9FGH-TB4C`.
#[must_use]
pub fn recovery_code(random: [u8; 16]) -> String {
    code::signs(random, RECOVERY_SIGNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, SHA-1: the last six of its eight digits.
    #[test]
    fn the_codes_are_those_of_rfc_6238() {
        let secret = secret_from_random(*b"12345678901234567890");
        assert_eq!(secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "RFC 4648");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code_at(&secret, seconds * 1000).as_deref(), Some(code), "at {seconds} s");
        }
    }

    #[test]
    fn a_code_is_good_for_half_a_minute_more_on_either_side() {
        let (secret, now) = (secret_from_random([7; 20]), 1_795_240_800_000);
        let digits: u32 = code_at(&secret, now).and_then(|code| code.parse().ok()).expect("a code");
        let good_after = |seconds: i64| !steps_of(&secret, digits, now + seconds * 1000).is_empty();
        assert_eq!(
            [-31, -30, -1, 0, 29, 59, 60].map(good_after),
            [false, true, true, true, true, true, false]
        );
    }

    #[test]
    fn what_is_typed_is_read_however_it_is_spaced() {
        assert_eq!(Typed::read(" 005 924"), Typed::App(5924));
        for odd in ["00592", "0059245", "K7RM-2QXD", ""] {
            assert!(matches!(Typed::read(odd), Typed::Recovery(_)), "{odd}");
        }
        let code = recovery_code([0xa7; 16]);
        assert_eq!((code.len(), code.matches('-').count()), (19, 3), "{code}");
        assert_eq!(Typed::read(&code.to_lowercase()), Typed::Recovery(code.replace('-', "")));
    }

    #[test]
    fn an_app_reads_names_in_any_script() {
        let address = address("पुस्तकालय: A & B", "asha+1@college.edu", "GEZDGNBV");
        let url = url::Url::parse(&address).expect("a URL");
        assert_eq!((url.scheme(), url.host_str()), ("otpauth", Some("totp")));
        assert_eq!(url.path().matches(':').count(), 1, "{address}");
        let query: Vec<_> = url.query_pairs().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(query, ["secret=GEZDGNBV", "issuer=पुस्तकालय: A & B"]);
    }
}
