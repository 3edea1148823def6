//! Sounds of words in the scripts of India and in Latin letters, to find the same word in another script or spelling.
//!
//! गीता is written *gita*, *geeta* and *Gītā*; प्रेमचन्द is also प्रेमचंद, and *Premcand* or *Premacanda* in catalogues. Unlike a
//! [skeleton](super::skeleton), a sound keeps vowels and aspiration, so *six* is not शिक्षा and *gait* is not गीता. It
//! ignores these differences between spellings of the same word:
//!
//! - the inherent *a*, which Hindi drops and Sanskrit keeps, and the length of vowels in Latin letters;
//! - the nasal before a consonant: anusvara, chandrabindu, or a letter with virama; and a final म्, ं or ः;
//! - nukta, except that ड़ is r; ऋ is r, ri or ru; doubled letters;
//! - the letters of Tamil without voice or aspiration, and b and v in Bengali.

/// Code points from Devanagari to Malayalam, in blocks of 128 with one layout.
const INDIC: std::ops::RangeInclusive<u32> = 0x0900..=0x0D7F;
const DEVANAGARI: u32 = 0x0900;
const BLOCK: u32 = 0x80;
const BENGALI: u32 = 0x0980;
const TAMIL: u32 = 0x0B80;
const MALAYALAM: u32 = 0x0D00;

/// *a* that a spelling may leave out; the long one of an Indian script is `a`.
const INHERENT: char = 'A';
/// Vowel of ऋ: i, u or none.
const VOCALIC: char = 'I';
/// Nasal before a consonant.
const NASAL: char = 'N';
/// Nasal at the end of a word.
const FINAL: char = 'M';

/// Minimum number of letters in a sound.
const SHORTEST: usize = 3;

/// Returns whether a word is written in a script of India.
pub(super) fn is_indic(word: &str) -> bool {
    word.chars().all(|letter| INDIC.contains(&u32::from(letter)))
}

fn sound(word: &str) -> Option<Vec<char>> {
    let mut sound = if word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        of_latin(word.as_bytes())
    } else if is_indic(word) {
        of_indic(word)
    } else {
        return None;
    };
    sound.dedup_by(|one, other| one == other && *one != VOCALIC);
    (sound.len() >= SHORTEST).then_some(sound)
}

/// Returns the outline of a word, which is the same for words that sound alike: its consonants in their broadest classes,
/// its *e* and its *o*, without a nasal at the end. Spellings differ in every other vowel.
pub(super) fn outline(word: &str) -> Option<String> {
    let mut outline: Vec<char> = sound(word)?
        .into_iter()
        .map(|letter| broad(letter, true, true))
        .filter(|letter| !matches!(*letter, INHERENT | VOCALIC | 'a' | 'i' | 'u'))
        .collect();
    outline.dedup();
    outline.pop_if(|letter| *letter == 'n');
    Some(outline.into_iter().collect())
}

/// Sound of a folded word, to be compared with many others.
pub(super) struct Sound {
    letters: Option<Vec<char>>,
    block: u32,
}

impl Sound {
    pub(super) fn of(word: &str) -> Self {
        Self { letters: sound(word), block: block(word) }
    }

    /// Returns whether another folded word is a spelling of the same word.
    pub(super) fn is_of(&self, other: &str) -> bool {
        self.compare(other, |alike| alike.last() == Some(&true))
    }

    /// Returns whether another folded word begins with this sound.
    pub(super) fn begins(&self, other: &str) -> bool {
        self.compare(other, |alike| alike.contains(&true))
    }

    /// Passes on which beginnings of another folded word are alike this one, by their number of letters.
    fn compare(&self, other: &str, is_wanted: impl Fn(&[bool]) -> bool) -> bool {
        let (Some(own), Some(others)) = (&self.letters, sound(other)) else { return false };
        let blocks = [self.block, block(other)];
        let (tamil, bengali) = (blocks.contains(&TAMIL), blocks.contains(&BENGALI));
        if !tamil && !bengali {
            return is_wanted(&alike(own, &others));
        }
        let broad = |letters: &[char]| -> Vec<char> {
            let mut letters: Vec<char> =
                letters.iter().map(|letter| broad(*letter, tamil, bengali)).collect();
            letters.dedup();
            letters
        };
        is_wanted(&alike(&broad(own), &broad(&others)))
    }
}

/// Returns the first code point of the block of a word's first letter.
fn block(word: &str) -> u32 {
    word.chars().next().map_or(0, |letter| u32::from(letter) & !(BLOCK - 1))
}

/// Returns for each number of letters whether this beginning of a sound is equal to another sound, apart from the letters
/// that a spelling may leave out.
fn alike(one: &[char], other: &[char]) -> Vec<bool> {
    let is_optional = |letter: char| matches!(letter, INHERENT | VOCALIC);
    // `alike[j]` is true if the first `i` letters of `one` are alike the first `j` of `other`.
    let mut alike = vec![false; other.len() + 1];
    for i in 0..=one.len() {
        let mut before = false;
        for j in 0..=other.len() {
            let above = alike[j];
            alike[j] = i == 0 && j == 0
                || before && is_same(one[i - 1], other[j - 1])
                || i > 0 && above && (is_optional(one[i - 1]) || i == one.len() && one[i - 1] == FINAL)
                || j > 0
                    && alike[j - 1]
                    && (is_optional(other[j - 1]) || j == other.len() && other[j - 1] == FINAL);
            before = i > 0 && above;
        }
        if !alike.contains(&true) {
            break;
        }
    }
    alike
}

fn is_same(a: char, b: char) -> bool {
    let is_nasal = |letter| matches!(letter, 'm' | 'n' | NASAL | FINAL);
    a == b
        || matches!((a, b), (INHERENT, 'a') | ('a', INHERENT) | (VOCALIC, 'i' | 'u') | ('i' | 'u', VOCALIC))
        || is_nasal(a) && is_nasal(b) && [a, b].iter().any(|letter| matches!(*letter, NASAL | FINAL))
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, INHERENT | VOCALIC | 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Returns the class of a letter: letters that a script does not distinguish share one class.
fn broad(letter: char, tamil: bool, bengali: bool) -> char {
    let letter = if bengali && letter == 'v' { 'b' } else { letter };
    match letter {
        'K' | 'g' | 'G' if tamil => 'k',
        'd' | 'D' if tamil => 't',
        'P' | 'b' | 'B' if tamil => 'p',
        'c' | 'j' | 'J' if tamil => 's',
        'm' | FINAL | NASAL if tamil && bengali => 'n',
        other => other,
    }
}

fn of_latin(word: &[u8]) -> Vec<char> {
    let mut sound = Vec::with_capacity(word.len());
    let mut at = 0;
    while let Some(letter) = word.get(at).copied() {
        let next = word.get(at + 1).copied().unwrap_or(b' ');
        let (letters, taken): (&str, usize) = match (letter, next) {
            (b'c', b'h') => ("c", if word.get(at + 2) == Some(&b'h') { 3 } else { 2 }),
            (b's', b'h') => ("s", 2),
            (b'k', b'h') => ("K", 2),
            (b'c', b'k') => ("k", 2),
            (b'g', b'h') => ("G", 2),
            (b'j', b'h') => ("J", 2),
            (b't', b'h') => ("t", 2),
            (b'd', b'h') => ("D", 2),
            (b'p', b'h') => ("P", 2),
            (b'b', b'h') => ("B", 2),
            (b'z', b'h') => ("l", 2),
            (b'g', b'y') => ("jn", 2),
            (b'f', _) => ("P", 1),
            (b'q', _) => ("k", 1),
            (b'w', _) => ("v", 1),
            (b'x', _) => ("ks", 1),
            (b'z', _) => ("j", 1),
            (b'a', b'i') => ("Ay", 2),
            (b'a', b'u') => ("Av", 2),
            (b'a', _) => ("A", 1),
            (b'e', b'e') => ("i", 2),
            (b'o', b'o' | b'u') => ("u", 2),
            _ => ("", 0),
        };
        if taken == 0 {
            sound.push(char::from(letter));
        }
        sound.extend(letters.chars());
        at += taken.max(1);
    }
    sound
}

fn of_indic(word: &str) -> Vec<char> {
    let mut sound: Vec<char> = Vec::with_capacity(word.len());
    let drop_inherent = |sound: &mut Vec<char>| {
        if sound.last() == Some(&INHERENT) {
            sound.pop();
        }
    };
    for letter in word.chars().map(u32::from) {
        let place = (letter - DEVANAGARI) % BLOCK;
        let is_malayalam = letter - place == MALAYALAM;
        let consonant = match place {
            0x15 => 'k',
            0x16 => 'K',
            0x17 => 'g',
            0x18 => 'G',
            0x1A | 0x1B => 'c',
            0x1C => 'j',
            0x1D => 'J',
            0x1F | 0x20 | 0x24 | 0x25 => 't',
            0x21 | 0x26 => 'd',
            0x22 | 0x27 => 'D',
            0x19 | 0x1E | 0x23 | 0x28 | 0x29 => 'n',
            0x2A => 'p',
            0x2B => 'P',
            0x2C => 'b',
            0x2D => 'B',
            0x2E => 'm',
            0x2F => 'y',
            0x30 | 0x31 => 'r',
            0x32..=0x34 => 'l',
            0x35 => 'v',
            0x36..=0x38 => 's',
            0x39 => 'h',
            _ => ' ',
        };
        if consonant != ' ' {
            sound.extend([consonant, INHERENT]);
            continue;
        }
        let vowel = match place {
            0x01 | 0x02 | 0x70 => {
                sound.push(NASAL);
                continue;
            }
            0x3C => {
                if let [.., last @ ('d' | 'D'), INHERENT] = sound.as_mut_slice() {
                    *last = 'r';
                }
                continue;
            }
            0x4D => "",
            0x4E => "t",
            0x7A | 0x7B if is_malayalam => "n",
            0x7C if is_malayalam => "r",
            0x7D | 0x7E if is_malayalam => "l",
            0x7F if is_malayalam => "k",
            0x05 => "A",
            0x06 | 0x3E => "a",
            0x07 | 0x08 | 0x3F | 0x40 => "i",
            0x09 | 0x0A | 0x41 | 0x42 => "u",
            0x0B | 0x43 | 0x44 | 0x60 => "rI",
            0x0D..=0x0F | 0x45..=0x47 => "e",
            0x10 | 0x48 => "Ay",
            0x11..=0x13 | 0x49..=0x4B => "o",
            0x14 | 0x4C => "Av",
            _ => continue,
        };
        // A sign replaces the inherent vowel; an independent vowel or a final consonant follows it.
        if matches!(place, 0x3E..=0x4D) {
            drop_inherent(&mut sound);
        }
        sound.extend(vowel.chars());
    }
    let is_bare = sound.last() != Some(&INHERENT);
    if let Some(last) = sound.last_mut().filter(|last| is_bare && matches!(**last, 'm' | NASAL)) {
        *last = FINAL;
    }
    // म् before another consonant is the nasal that anusvara writes; before म it doubles the letter.
    for at in 1..sound.len() {
        if sound[at - 1] == 'm' && !is_vowel(sound[at]) && !matches!(sound[at], 'y' | 'r' | 'm' | FINAL) {
            sound[at - 1] = NASAL;
        }
    }
    sound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;

    fn sounds_alike(one: &str, other: &str) -> bool {
        Sound::of(one).is_of(other)
    }

    #[test]
    fn spellings_of_one_word_sound_alike_in_every_script() {
        for spellings in [
            &["गीता", "gita", "Gītā", "geeta", "গীতা"][..],
            &["शिक्षा", "Śikṣā", "shiksha"],
            &["प्रेमचन्द", "प्रेमचंद", "premchand", "Premacanda"],
            &["आंचल", "आँचल", "anchal"],
            &["पंचतंत्र", "पंचतन्त्र", "पञ्चतन्त्रम्", "panchatantra", "Pañcatantra"],
            &["अभिज्ञानशाकुन्तलम्", "अभिज्ञानशाकुंतलम", "abhigyanshakuntalam"],
            &["कृष्ण", "krishna", "Kr̥ṣṇa", "krushna"],
            &["রবীন্দ্রনাথ", "रवीन्द्रनाथ", "rabindranath", "Rabīndranātha"],
            &["दुःख", "दुख", "dukh"],
            &["ਪਿੰਜਰ", "pinjar", "पिंजर"],
            &["திருக்குறள்", "thirukkural", "Tirukkur̲aḷ"],
            &["மணிமேகலை", "Maṇimēkalai", "manimegalai"],
            &["राय", "রায়", "rai", "ray"],
            &["मेघदूत", "meghadūta", "meghdoot"],
            &["ಸಂಸ್ಕಾರ", "samskara"],
            &["ചെമ്മീൻ", "chemmeen", "Cemmīn"],
            &["अम्मा", "amma", "অম্মা"],
        ] {
            let one = fold(spellings[0]);
            for other in spellings.iter().map(|other| fold(other)) {
                assert!(sounds_alike(&one, &other), "{one} {other}: {:?} {:?}", sound(&one), sound(&other));
                assert!(sounds_alike(&other, &one), "{other} {one}");
                assert_eq!(outline(&one), outline(&other), "{one} {other}");
            }
        }
    }

    #[test]
    fn a_word_begins_with_the_sound_of_its_first_letters_in_another_script() {
        for (typed, word) in [
            ("prem", "प्रेमचंद"),
            ("premch", "प्रेमचंद"),
            ("panchat", "पंचतंत्र"),
            ("gitanj", "গীতাঞ্জলি"),
            ("गीतां", "gitanjali"),
            ("ponni", "பொன்னியின்"),
            ("madhus", "मधुशाला"),
            ("godaa", "गोदान"),
        ] {
            let (typed, word) = (fold(typed), fold(word));
            assert!(
                Sound::of(&typed).begins(&word),
                "{typed} {word}: {:?} {:?}",
                sound(&typed),
                sound(&word)
            );
            let (begun, whole) = (outline(&typed).expect("long"), outline(&word).expect("long"));
            assert!(whole.starts_with(&begun), "{begun} {whole}");
        }
        for (typed, word) in [("prema", "पंचतंत्र"), ("gitan", "गीता"), ("madhus", "मधुर")]
        {
            assert!(!Sound::of(typed).begins(&fold(word)), "{typed} {word}");
        }
    }

    #[test]
    fn other_words_sound_otherwise() {
        for (one, other) in [
            ("गीता", "gait"),
            ("गीता", "gaita"),
            ("गीता", "ghita"),
            ("शिक्षा", "six"),
            ("शिक्षा", "seeks"),
            ("भारत", "barat"),
            ("गोदान", "gideon"),
            ("na", "नाना"),
        ] {
            assert!(!sounds_alike(&fold(one), &fold(other)), "{one} {other}");
        }
    }
}
