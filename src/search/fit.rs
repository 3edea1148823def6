//! Quality of a match: how well a book fits the text of a query.

use std::ops::Range;

use memchr::{memchr, memmem};
use unicode_normalization::char::is_combining_mark;

use super::Field;
use super::chunk::{Chunk, SEPARATOR};
use super::signature::{Finder, buckets};

/// Quality of a match, best first. Books of the same fit are in the order of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The title begins with the text. In title order a title equal to the text comes first.
    Begins,
    /// The text is one or more whole words of title or author.
    Words,
    /// The text is any part of title or author.
    Contains,
    /// All words of the text occur, in any order and with anything between them.
    Scattered,
}

impl Fit {
    /// Returns the fit of a record that contains `needle`.
    pub(super) fn of(text: &str, needle: &str, field: Field) -> Self {
        let title = title(text);
        let searched = if field == Field::Title { title } else { text };
        if from_first_letter(title).starts_with(from_first_letter(needle)) {
            Self::Begins
        } else if has_whole(searched, needle) {
            Self::Words
        } else {
            Self::Contains
        }
    }
}

/// Returns the title in a record's text.
pub(super) fn title(text: &str) -> &str {
    let end = memchr(SEPARATOR as u8, text.as_bytes());
    &text[..end.unwrap_or(text.len())]
}

/// Strips leading punctuation, unless the text is nothing else.
pub(super) fn from_first_letter(text: &str) -> &str {
    match text.trim_start_matches(|letter: char| !letter.is_alphanumeric()) {
        "" => text,
        rest => rest,
    }
}

/// Returns whether a character is part of a word. Vowel signs and viramas are.
pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || is_combining_mark(letter)
}

/// Returns whether the needle occurs with no letter on either side.
pub(super) fn has_whole(text: &str, needle: &str) -> bool {
    let mut from = 0;
    while let Some(found) = text[from..].find(needle) {
        let at = from + found;
        let before = text[..at].chars().next_back();
        let after = text[at + needle.len()..].chars().next();
        if !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word) {
            return true;
        }
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// A word of a query or a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Occurs in the text unchanged: no apostrophe was removed, no initials were joined.
    literal: bool,
}

/// Splits a folded text into words at punctuation, removes apostrophes and joins consecutive initials: `R. K. Narayan`
/// and `RK Narayan` have the same words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut initials = 0;
    for part in text.split(|letter: char| !is_of_word(letter) && letter != '\'') {
        let letters: String = part.chars().filter(|letter| *letter != '\'').collect();
        if letters.is_empty() {
            continue;
        }
        let is_initial = letters.chars().filter(|letter| !is_combining_mark(*letter)).count() == 1;
        initials = if is_initial { initials + 1 } else { 0 };
        match words.last_mut().filter(|_| initials > 1) {
            Some(word) => {
                word.text.push_str(&letters);
                word.literal = false;
            }
            None => words.push(Word { literal: letters.len() == part.len(), text: letters }),
        }
    }
    words
}

/// Returns whether a folded text may have words that are not [`literal`](Word::literal). Most texts have neither an
/// apostrophe nor consecutive initials.
fn has_joined(text: &str) -> bool {
    let mut letters_before = 0;
    let mut initials = 0;
    text.chars().chain([' ']).any(|letter| {
        if letter == '\'' {
            return true;
        }
        if is_of_word(letter) {
            letters_before += usize::from(!is_combining_mark(letter));
            return false;
        }
        match std::mem::take(&mut letters_before) {
            0 => {}
            1 => initials += 1,
            _ => initials = 0,
        }
        initials > 1
    })
}

/// Returns the words of a folded text that are not [`literal`](Word::literal).
pub(super) fn joined_words(text: &str) -> impl Iterator<Item = String> {
    let words = if has_joined(text) { words(text) } else { Vec::new() };
    words.into_iter().filter(|word| !word.literal).map(|word| word.text)
}

/// Numbers of letters for which a word may be initials.
const INITIALS: Range<usize> = 2..5;

/// Finds the records with all words of a query in any order. It scans for the anchors, which are the longest word as
/// typed and the same letters as initials, and checks the other words in the records found.
pub(super) struct Scattered {
    words: Vec<String>,
    /// Finder of each word as it is.
    literally: Vec<memmem::Finder<'static>>,
    anchors: Vec<Finder<'static>>,
    field: Field,
}

impl Scattered {
    /// Returns `None` if every record with all words also contains the text.
    pub(super) fn new(needle: &str, field: Field) -> Option<Self> {
        let words = words(needle);
        let longest = words.iter().max_by_key(|word| (word.literal, word.text.len()))?;
        let letters = longest.text.chars().count();
        let initials = !longest.literal || INITIALS.contains(&letters);
        if words.len() == 1 && longest.text == needle && !initials {
            return None;
        }
        let mut anchors = vec![longest.text.clone()];
        if initials {
            let letters: Vec<String> = longest.text.chars().map(String::from).collect();
            anchors.extend([". ", ".", " "].map(|between| letters.join(between)));
        }
        // A block without the buckets of all words has no match, however far apart the words are.
        let all: Vec<usize> = words.iter().flat_map(|word| buckets(&word.text)).collect();
        let anchors =
            anchors.iter().map(|anchor| Finder::new(anchor).into_owned().with_buckets(&all)).collect();
        let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
        let literally = words.iter().map(|word| memmem::Finder::new(word).into_owned()).collect();
        Some(Self { words, literally, anchors, field })
    }

    /// Returns whether a record has all words.
    pub(super) fn accepts(&self, text: &str) -> bool {
        let searched = if self.field == Field::Title { title(text) } else { text };
        if !self.anchors.iter().any(|anchor| anchor.is_in(searched)) {
            return false;
        }
        // A word has only letters, so an occurrence of it is within one word.
        if self.literally.iter().all(|word| word.find(searched.as_bytes()).is_some()) {
            return true;
        }
        // Splitting a text into words costs ten times as much as this check.
        if !has_joined(searched) {
            return false;
        }
        let has: Vec<Word> = searched.split(SEPARATOR).flat_map(words).collect();
        self.words.iter().all(|wanted| has.iter().any(|word| word.text.contains(wanted.as_str())))
    }

    /// Returns the matches among these records of a chunk, first to last.
    pub(super) fn matches(&self, chunk: &Chunk, records: Range<usize>) -> Vec<usize> {
        let mut found = self.candidates(chunk, records);
        found.retain(|index| self.accepts(chunk.record(*index).text));
        found
    }

    /// Counts the blocks of a chunk that a search reads.
    pub(super) fn blocks(&self, chunk: &Chunk) -> usize {
        self.anchors.iter().map(|anchor| anchor.blocks(chunk)).sum()
    }

    /// Returns the records that contain an anchor, first to last.
    pub(super) fn candidates(&self, chunk: &Chunk, records: Range<usize>) -> Vec<usize> {
        let mut found = Vec::new();
        for anchor in &self.anchors {
            let mut next = records.start;
            while let Some(at) = anchor.find(chunk, next..records.end) {
                let index = chunk.holding(at);
                found.push(index);
                next = index + 1;
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;

    fn of(text: &str) -> Vec<String> {
        words(&fold(text)).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn initials_are_one_word_and_apostrophes_are_in_none() {
        for text in ["R. K. Narayan", "R.K. Narayan", "RK Narayan", "r k narayan"] {
            assert_eq!(of(text), ["rk", "narayan"], "{text}");
        }
        assert_eq!(of("O’Brien’s «Book»: No. 7"), ["obriens", "book", "no", "7"]);
        assert_eq!(of("कि ताब"), ["कि", "ताब"]);
        assert_eq!(of(" - ' "), [""; 0]);
    }

    #[test]
    fn a_record_fits_by_how_it_contains_the_text() {
        let of = |title: &str, author: &str, text: &str| {
            Fit::of(&format!("{}\u{1F}{}\n", fold(title), fold(author)), &fold(text), Field::Any)
        };
        assert_eq!(of("\"Emma\"", "Jane Austen", "emma"), Fit::Begins);
        assert_eq!(of("Emmanuel", "", "emma"), Fit::Begins);
        assert_eq!(of("My Emma", "", "emma"), Fit::Words);
        assert_eq!(of("Persuasion", "Emma, Jane", "emma"), Fit::Words);
        assert_eq!(of("Gemma", "", "emma"), Fit::Contains);
        assert_eq!(of("Dilemma, Emma", "", "emma"), Fit::Words, "not only the first place counts");
        assert_eq!(of("नया गोदान", "", "गोदा"), Fit::Contains, "a word goes on with its vowel signs");
    }
}
