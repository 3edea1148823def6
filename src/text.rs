//! Properties of characters, shared by search, validation and covers; bytes as text.

use std::fmt::Write as _;

/// Writes bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns whether a character is invisible and only affects joining, direction, line breaks or the choice of a glyph:
/// Unicode's property `Default_Ignorable_Code_Point`.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}'                  // soft hyphen
        | '\u{034F}'                // combining grapheme joiner
        | '\u{061C}'                // Arabic letter mark
        | '\u{115F}'..='\u{1160}'   // Hangul fillers
        | '\u{17B4}'..='\u{17B5}'   // Khmer inherent vowels
        | '\u{180B}'..='\u{180F}'   // Mongolian variation selectors and vowel separator
        | '\u{200B}'..='\u{200F}'   // zero-width space and joiners, direction marks
        | '\u{202A}'..='\u{202E}'   // direction embeddings and overrides
        | '\u{2060}'..='\u{206F}'   // word joiner, invisible operators, direction isolates
        | '\u{3164}'                // Hangul filler
        | '\u{FE00}'..='\u{FE0F}'   // variation selectors
        | '\u{FEFF}'                // byte order mark
        | '\u{FFA0}'                // half-width Hangul filler
        | '\u{FFF0}'..='\u{FFF8}'   // unassigned
        | '\u{1BCA0}'..='\u{1BCA3}' // shorthand format controls
        | '\u{1D173}'..='\u{1D17A}' // musical beams and slurs
        | '\u{E0000}'..='\u{E0FFF}' // tags, more variation selectors
    )
}

/// Returns whether a character changes the direction of everything after it. No word needs such a character.
#[must_use]
pub fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
