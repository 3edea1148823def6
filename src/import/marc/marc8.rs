//! Decodes MARC-8, the encoding of MARC records before Unicode.
//!
//! `marc8.bin` is generated from the tables of pymarc (BSD-2-Clause, `marc8.LICENSE.txt`), which are the code tables of the
//! Library of Congress. Its entries are sorted: the final byte of the set's escape sequence, three bytes of code, and three of
//! the Unicode character, with the highest bit set for a combining character.

static TABLE: &[u8] = include_bytes!("marc8.bin");
const ENTRY: usize = 7;

const ASCII: u8 = 0x42;
const ANSEL: u8 = 0x45;
/// Set for Chinese, Japanese and Korean, with three bytes per character.
const EACC: u8 = 0x31;

/// Returns the character of a code in a set, and whether it combines with the one that follows.
fn character(set: u8, code: u32) -> Option<(char, bool)> {
    let [_, high, middle, low] = code.to_be_bytes();
    let wanted = [set, high, middle, low];
    let (mut from, mut to) = (0, TABLE.len() / ENTRY);
    while from < to {
        let place = usize::midpoint(from, to);
        let entry = &TABLE[place * ENTRY..(place + 1) * ENTRY];
        match entry[..4].cmp(&wanted) {
            std::cmp::Ordering::Less => from = place + 1,
            std::cmp::Ordering::Greater => to = place,
            std::cmp::Ordering::Equal => {
                let scalar = u32::from_be_bytes([0, entry[4] & 0x7f, entry[5], entry[6]]);
                return char::from_u32(scalar).map(|c| (c, entry[4] & 0x80 != 0));
            }
        }
    }
    None
}

/// Sets in use: codes below 0x80 belong to the first, the others to the second.
struct Sets {
    g0: u8,
    g1: u8,
}

impl Sets {
    const INITIAL: Self = Self { g0: ASCII, g1: ANSEL };

    /// Applies the escape sequence at the beginning of `rest`; returns its length, 1 for an unknown one.
    fn escape(&mut self, rest: &[u8]) -> usize {
        let final_at = |place: usize| match rest.get(place) {
            Some(b'!' | b'"') => rest.get(place + 1).map(|set| (*set, place + 2)),
            Some(set) => Some((*set, place + 1)),
            None => None,
        };
        let found = match rest.get(1) {
            Some(b's') => Some((true, ASCII, 2)),
            Some(set @ (b'g' | b'b' | b'p')) => Some((true, *set, 2)),
            Some(b'(' | b',') => final_at(2).map(|(set, length)| (true, set, length)),
            Some(b')' | b'-') => final_at(2).map(|(set, length)| (false, set, length)),
            Some(b'$') => match rest.get(2) {
                Some(b',') => final_at(3).map(|(set, length)| (true, set, length)),
                Some(b')' | b'-') => final_at(3).map(|(set, length)| (false, set, length)),
                _ => final_at(2).map(|(set, length)| (true, set, length)),
            },
            _ => None,
        };
        let Some((is_first, set, length)) = found else { return 1 };
        if is_first {
            self.g0 = set;
        } else {
            self.g1 = set;
        }
        length
    }
}

/// Decodes the text of a field. A code without a character becomes U+FFFD.
pub fn decode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut sets = Sets::INITIAL;
    // Marks come before their letter in MARC-8 and after it in Unicode.
    let mut marks: Vec<char> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            0x1b => {
                at += sets.escape(&bytes[at..]);
                continue;
            }
            0x1f => {
                out.extend(marks.drain(..));
                out.push('\u{1f}');
                // Each subfield begins with the initial sets; its code is ASCII.
                sets = Sets::INITIAL;
                at += 1;
                continue;
            }
            0..=0x20 => {
                // Attaches pending marks to the blank, so that they are not lost.
                out.push(char::from(byte));
                out.extend(marks.drain(..));
                at += 1;
                continue;
            }
            _ => {}
        }
        let set = if byte < 0x80 { sets.g0 } else { sets.g1 };
        let found = if set == EACC {
            let code = bytes.get(at..at + 3).filter(|code| code.iter().all(|byte| byte & 0x7f > 0x20));
            at += if code.is_some() { 3 } else { 1 };
            code.and_then(|code| {
                character(EACC, u32::from_be_bytes([0, code[0] & 0x7f, code[1] & 0x7f, code[2] & 0x7f]))
            })
        } else if set == ASCII && byte < 0x80 {
            at += 1;
            Some((char::from(byte), false))
        } else {
            at += 1;
            // A set may be used in either half. The superscript, subscript and Greek symbol sets have few characters:
            // other bytes mean their ASCII character.
            let itself = || (byte < 0x80 && set.is_ascii_lowercase()).then(|| (char::from(byte), false));
            character(set, byte.into()).or_else(|| character(set, (byte ^ 0x80).into())).or_else(itself)
        };
        match found {
            Some((mark, true)) => marks.push(mark),
            Some((letter, false)) => {
                out.push(letter);
                out.extend(marks.drain(..));
            }
            None => {
                out.push(char::REPLACEMENT_CHARACTER);
                out.extend(marks.drain(..));
            }
        }
    }
    out.extend(marks);
    out
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn marks_scripts_and_escapes_are_decoded() {
        let text = |bytes: &[u8]| decode(bytes).nfc().collect::<String>();
        assert_eq!(text(b"Caf\xe2e \xe8uber"), "Café über");
        assert_eq!(text(b"\x1b(NpRIWET\x1b(B!"), "Привет!");
        assert_eq!(text(b"H\x1bb2\x1bsO"), "H₂O");
        assert_eq!(text(b"\x1b$1!0!\x1b(B"), "一");
        // A truncated or unknown sequence loses only its own bytes.
        assert_eq!(text(b"a\x1b$1!0"), "a\u{fffd}\u{fffd}");
        assert_eq!(text(b"a\x1b"), "a");
    }
}
