//! Codes that people read out and type: groups of letters and digits that are not mistaken for one another.

/// Alphabet without vowels, so that no words arise, and without characters that are mistaken for one another.
const SIGNS: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXYZ";
/// Characters in a code: 38 bits. Each guess uses up one sign-in attempt.
const LENGTH: usize = 8;

/// Characters between hyphens.
const GROUP: usize = 4;

/// Creates a code from random bytes: `K7RM-2QXD`.
#[must_use]
pub fn from_random(random: [u8; 16]) -> String {
    signs(random, LENGTH)
}

/// Creates a code of `length` characters, at most 16, from random bytes.
#[must_use]
pub fn signs(random: [u8; 16], length: usize) -> String {
    // 128 bits for at most 16 characters: the characters' frequencies differ by less than one in 10¹⁵.
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

/// Normalises a typed code for hashing: upper case, no separators.
#[must_use]
pub fn normalized(typed: &str) -> String {
    typed.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_uppercase()).collect()
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
