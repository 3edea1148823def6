//! Skeletons: phonetic keys of words across scripts. रामायण, Ramayana and Ramayan have the same skeleton.
//!
//! Titles from India are catalogued in their own script or in Latin letters, and no two catalogues romanise alike. A
//! skeleton keeps the features on which they agree:
//!
//! - Consonants lose their aspiration and place of articulation: `bh` is `b`; श, ष, स and `sh` are `s`; ट, त and `th` are
//!   `t`.
//! - Short and long *a* are dropped except at the beginning, since Hindi drops them where Sanskrit has them and
//!   romanisations do either. The other vowels lose their length: `ee` is `i`, `oo` is `u`.
//! - A doubled consonant becomes a single one.
//!
//! The Indic scripts of Unicode share one layout, that of ISCII: the same offset in each block is the same letter
//! (Unicode 17, chapter 12.1). Words in other scripts, or in two, have no skeleton.

/// Code points from Devanagari to Malayalam, in blocks of 128.
const INDIC: std::ops::RangeInclusive<u32> = 0x0900..=0x0D7F;
const DEVANAGARI: u32 = 0x0900;
const BLOCK: u32 = 0x80;
const TAMIL: u32 = 0x0B80;
const MALAYALAM: u32 = 0x0D00;

/// Returns the skeleton of a folded word.
pub(super) fn skeleton(word: &str) -> Option<String> {
    let skeleton = if word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        of_latin(word.as_bytes())
    } else if word.chars().all(|letter| INDIC.contains(&u32::from(letter))) {
        of_indic(word)
    } else {
        return None;
    };
    (!skeleton.0.is_empty()).then_some(skeleton.0)
}

struct Skeleton(String);

impl Skeleton {
    /// Adds a letter, unless it doubles the one directly before it (`joined`).
    fn push(&mut self, letter: char, joined: bool) {
        if !(joined && self.0.ends_with(letter)) {
            self.0.push(letter);
        }
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

fn of_latin(word: &[u8]) -> Skeleton {
    let mut skeleton = Skeleton(String::with_capacity(word.len()));
    // True while no letter has been dropped since the last push.
    let mut joined = true;
    let mut at = 0;
    while let Some(letter) = word.get(at).copied() {
        let next = word.get(at + 1).copied().unwrap_or(b' ');
        let (letters, taken): (&str, usize) = match (letter, next) {
            // Scholars write ज्ञ as jn, all others as gy. Within a word, j and n are mostly two letters.
            (b'j', b'n') if at == 0 => ("gy", 2),
            (b'c', b'h') => ("c", 2),
            (b'c', b'e' | b'i' | b'y') | (b's', _) => ("s", if next == b'h' { 2 } else { 1 }),
            (b'p', b'h') => ("f", 2),
            (b'k', b'h') | (b'c', b'k') => ("k", 2),
            (b'g', b'h') => ("g", 2),
            (b'j', b'h') => ("j", 2),
            (b't', b'h') => ("t", 2),
            (b'd', b'h') => ("d", 2),
            (b'b', b'h') => ("b", 2),
            // The Tamil letter ழ is romanised as zh or l.
            (b'z', b'h') => ("l", 2),
            (b'c' | b'q', _) => ("k", 1),
            (b'w', _) => ("v", 1),
            (b'x', _) => ("ks", 1),
            (b'z', _) => ("j", 1),
            (b'a', b'i') | (b'e', b'e') => ("i", 2),
            (b'a', b'u') | (b'o', b'o' | b'u') => ("u", 2),
            (b'a', _) => (if at == 0 { "a" } else { "" }, 1),
            (b'y', vowel) => (if is_vowel(vowel) { "y" } else { "i" }, 1),
            _ => ("", 0),
        };
        if taken == 0 {
            skeleton.push(char::from(letter), joined);
        }
        for letter in letters.chars() {
            skeleton.push(letter, joined);
        }
        joined = taken == 0 || !letters.is_empty();
        at += taken.max(1);
    }
    skeleton
}

/// Meaning of an offset in the common layout.
enum Sign {
    /// Consonant, followed by *a* unless a sign follows.
    Consonant(char),
    Vowel(&'static str),
    /// Virama, which takes the vowel from the consonant before it, or nukta, which modifies that consonant.
    Virama,
    /// Nasal: m before a labial consonant, otherwise n.
    Anusvara,
    Silent,
}

fn sign(letter: u32) -> Sign {
    let block = letter - (letter - DEVANAGARI) % BLOCK;
    let place = letter - block;
    let consonant = match place {
        0x15 | 0x16 => 'k',
        0x17 | 0x18 => 'g',
        // Tamil has one letter for c and s, and romanisations mostly write s.
        0x1A if block == TAMIL => 's',
        0x1A | 0x1B => 'c',
        0x1C | 0x1D => 'j',
        0x1F | 0x20 | 0x24 | 0x25 | 0x4E => 't',
        0x21 | 0x22 | 0x26 | 0x27 => 'd',
        0x7A | 0x7B if block == MALAYALAM => 'n',
        0x19 | 0x1E | 0x23 | 0x28 | 0x29 => 'n',
        0x2A => 'p',
        0x2B => 'f',
        0x2C | 0x2D => 'b',
        0x2E => 'm',
        0x2F => 'y',
        0x7C if block == MALAYALAM => 'r',
        0x30 | 0x31 => 'r',
        0x7D | 0x7E if block == MALAYALAM => 'l',
        0x32..=0x34 => 'l',
        0x35 => 'v',
        0x36..=0x38 => 's',
        0x39 => 'h',
        0x7F if block == MALAYALAM => 'k',
        0x01 | 0x02 | 0x70 => return Sign::Anusvara,
        0x05 | 0x06 => return Sign::Vowel("a"),
        0x3E => return Sign::Vowel(""),
        0x07 | 0x08 | 0x10 | 0x3F | 0x40 | 0x48 => return Sign::Vowel("i"),
        0x09 | 0x0A | 0x14 | 0x41 | 0x42 | 0x4C => return Sign::Vowel("u"),
        0x0B | 0x43 | 0x44 | 0x60 => return Sign::Vowel("ri"),
        0x0D..=0x0F | 0x45..=0x47 => return Sign::Vowel("e"),
        0x11..=0x13 | 0x49..=0x4B => return Sign::Vowel("o"),
        0x3C | 0x4D => return Sign::Virama,
        _ => return Sign::Silent,
    };
    Sign::Consonant(consonant)
}

fn of_indic(word: &str) -> Skeleton {
    let mut skeleton = Skeleton(String::with_capacity(word.len()));
    let mut joined = false;
    let mut letters = word.chars().map(u32::from).peekable();
    while let Some(letter) = letters.next() {
        let was_joined = std::mem::take(&mut joined);
        match sign(letter) {
            // ज्ञ, pronounced gy.
            Sign::Consonant('n') if was_joined && letter % BLOCK == 0x1E && skeleton.0.ends_with('j') => {
                skeleton.0.pop();
                skeleton.0.push_str("gy");
            }
            Sign::Consonant(consonant) => skeleton.push(consonant, was_joined),
            Sign::Vowel("a") if !skeleton.0.is_empty() => {}
            Sign::Vowel(vowel) => vowel.chars().for_each(|letter| skeleton.push(letter, true)),
            Sign::Virama => joined = true,
            Sign::Anusvara => {
                let before_labial = letters
                    .peek()
                    .is_some_and(|next| matches!(sign(*next), Sign::Consonant('p' | 'f' | 'b' | 'm')));
                skeleton.push(if before_labial { 'm' } else { 'n' }, true);
                joined = true;
            }
            Sign::Silent => {}
        }
    }
    skeleton
}

/// Returns whether a Latin word has fewer vowels than a reader would write of an Indian word with the same skeleton, as
/// *bart* for भारत. Long words lose up to half of their vowels when they are spoken.
pub(super) fn lacks_vowels(latin: &str, indic: &str) -> bool {
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let written = latin.split(|letter| !is_vowel(letter)).filter(|vowels| !vowels.is_empty()).count();
    let mut spoken = 0_usize;
    let mut inherent = false;
    for letter in indic.chars().map(u32::from) {
        match sign(letter) {
            Sign::Consonant(_) => {
                spoken += 1;
                inherent = true;
            }
            // A sign takes the place of the consonant's own vowel.
            Sign::Vowel(_) => spoken += usize::from(!std::mem::take(&mut inherent)),
            Sign::Virama if std::mem::take(&mut inherent) => spoken -= 1,
            Sign::Virama | Sign::Anusvara | Sign::Silent => {}
        }
    }
    // The inherent vowel of the last consonant is silent.
    spoken -= usize::from(inherent);
    written + spoken.saturating_sub(1) / 2 < spoken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;

    #[test]
    fn one_word_has_one_skeleton_in_every_script_of_india_and_in_latin_letters() {
        for spellings in [
            &["रामायण", "Ramayana", "Ramayan", "Rāmāyaṇa", "Raamaayan", "রামায়ণ", "ராமாயண", "రామాయణ", "രാമായണ"][..],
            &["महाभारत", "Mahabharata", "Mahabharat", "Mahābhārata", "મહાભારત", "ਮਹਾਭਾਰਤ", "ಮಹಾಭಾರತ"],
            &["गोदान", "Godan", "Godaan", "Godāna"],
            &["प्रेमचंद", "प्रेमचन्द", "Premchand", "Prem\u{200C}chand"],
            &["गीता", "Gita", "Geeta", "Gītā", "ଗୀତା"],
            &["कृष्ण", "Krishna"],
            &["ज्ञान", "Gyan", "Gyaan", "Jnana"],
            &["पूर्ण", "Purna", "Poorna"],
            &["लक्ष्मी", "Lakshmi", "Laxmi"],
            &["चेन्नै", "Chennai"],
            &["संबंध", "Sambandh"],
            &["உலகம்", "Ulakam"],
            &["பொன்னியின்", "Ponniyin"],
            &["രവി", "Ravi", "रवि", "Ravee"],
        ] {
            let skeletons: Vec<_> = spellings.iter().map(|word| skeleton(&fold(word))).collect();
            assert!(
                skeletons.iter().all(|one| one.is_some() && *one == skeletons[0]),
                "{spellings:?} {skeletons:?}"
            );
        }
    }

    #[test]
    fn other_words_have_another_skeleton() {
        for (one, other) in
            [("गोदान", "gideon"), ("रामायण", "roman"), ("गीता", "gate"), ("भारत", "birth"), ("नाना", "na")]
        {
            assert_ne!(skeleton(&fold(one)), skeleton(other), "{one} {other}");
        }
    }

    #[test]
    fn a_latin_word_of_too_few_vowels_is_another_word() {
        for (latin, indic) in [("bart", "भारत"), ("six", "शिक्षा"), ("grt", "गीता")]
        {
            assert!(lacks_vowels(latin, indic), "{latin} {indic}");
        }
        for (latin, indic) in [
            ("bharat", "भारत"),
            ("shiksha", "शिक्षा"),
            ("kamla", "कमला"),
            ("karm", "कर्म"),
            ("ramcharitmanas", "रामचरितमानस"),
            ("ponniyin", "பொன்னியின்"),
        ] {
            assert!(!lacks_vowels(latin, indic), "{latin} {indic}");
        }
    }

    #[test]
    fn words_of_other_scripts_or_of_two_have_none() {
        for word in ["война", "المعلم", "紅樓夢", "ramराम", "a1", ""] {
            assert_eq!(skeleton(word), None, "{word}");
        }
    }
}
