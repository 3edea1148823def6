//! Quality of a match: how well a book fits the text of a query.

use std::ops::Range;

use memchr::{memchr, memmem};
use unicode_normalization::char::is_combining_mark;

use super::Field;
use super::chunk::SEPARATOR;
use super::order::Order;
use super::signature::{Blocks, Finder, buckets};

/// Class of a match, best first. A query with too many matches to rank them all lists them by class, each class in the
/// order of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The text is the title, apart from a leading article and a series in brackets.
    Exact,
    /// The title begins with the text, apart from a leading article.
    Begins,
    /// The text is one or more whole words of title or author.
    Words,
    /// The text is any part of title or author.
    Contains,
    /// All words of the text occur, in any order and with anything between them.
    Scattered,
}

/// Place of a match among all matches of a query, lowest first: a [`Fit`] or a [`Rank`]. Matches of the same grade are in
/// the order of the screen.
pub(super) type Grade = u8;

impl Fit {
    /// Returns the fit of a record that contains `needle`.
    pub(super) fn of(text: &str, needle: &str, field: Field) -> Self {
        let title = title(text);
        let searched = if field == Field::Title { title } else { text };
        let (own, alone) = (without_article(title), without_article(needle));
        if without_series(own) == alone {
            Self::Exact
        } else if own.starts_with(alone) || from_first_letter(title).starts_with(from_first_letter(needle)) {
            Self::Begins
        } else if has_whole(searched, needle) {
            Self::Words
        } else {
            Self::Contains
        }
    }
}

/// Leading articles that the order of matches ignores.
pub(super) const ARTICLES: [&str; 3] = ["the ", "a ", "an "];

/// Strips leading punctuation and a leading article from a folded text, unless the text is nothing else.
pub(super) fn without_article(text: &str) -> &str {
    let text = from_first_letter(text);
    ARTICLES
        .iter()
        .find_map(|article| text.strip_prefix(article))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(text)
}

/// Strips a series in brackets at the end: `(The Hunger Games, #1)`.
fn without_series(title: &str) -> &str {
    title.strip_suffix(')').and_then(|title| title.rfind(" (")).map_or(title, |end| &title[..end])
}

/// Returns the title before its subtitle and its series.
fn main_title(title: &str) -> &str {
    // One pass instead of one for each mark: a twentieth of the time of a new word.
    let is_mark = |at: &usize| {
        let rest = &title.as_bytes()[*at..];
        matches!(rest, [b':' | b';', b' ', ..] | [b' ', b'(', ..] | [b' ', b'=' | b'/', b' ', ..])
    };
    &title[..(0..title.len()).find(is_mark).unwrap_or(title.len())]
}

/// Computes the grades of matches that are ranked one by one: by how the record contains the query, how much else its
/// title says, and how popular its book is.
pub(super) struct Rank<'n> {
    /// The query.
    needle: &'n str,
    /// The query without a leading article.
    alone: &'n str,
    words: Vec<String>,
    field: Field,
}

impl<'n> Rank<'n> {
    /// Difference in grade between two kinds of matches. A popular book overtakes two kinds, a very popular one three.
    const KIND: usize = 14;
    /// Maximum added to the grade for the rest of the title: one for every four bytes.
    const REST: usize = 12;
    /// Subtracted from the grade for each step of popularity.
    const POPULAR: usize = 2;
    /// Maximum of [`weight`] that counts.
    const MOST: u8 = 22;

    pub(super) fn new(needle: &'n str, field: Field) -> Self {
        let words = words(needle).into_iter().map(|word| word.text).collect();
        Self { needle, alone: without_article(needle), words, field }
    }

    /// Returns the grade of a record that matches the query.
    pub(super) fn of(&self, text: &str, weight: u8) -> Grade {
        let (kind, covered) = self.kind(text);
        let main = main_title(without_article(title(text)));
        let rest = (main.len().saturating_sub(covered) / 4).min(Self::REST);
        let popular = usize::from(weight.min(Self::MOST)) * Self::POPULAR;
        let most = usize::from(Self::MOST) * Self::POPULAR;
        Grade::try_from(most + kind * Self::KIND + rest - popular).unwrap_or(Grade::MAX)
    }

    /// Returns how the record contains the query, 0 for best, and the number of bytes of the title that the query covers.
    fn kind(&self, text: &str) -> (usize, usize) {
        let title = title(text);
        let author = if self.field == Field::Any { &text[title.len()..] } else { "" };
        let names = author.trim_matches(['\u{1F}', '\n']);
        let own = without_article(title);
        let main = main_title(own);
        if without_series(own) == self.alone {
            return (0, own.len());
        }
        if main == self.alone || names.split("; ").any(|name| name == self.needle) {
            return (2, main.len());
        }
        let goes_on = |rest: &str| rest.chars().next().is_some_and(is_of_word);
        if let Some(rest) = own.strip_prefix(self.alone) {
            // A text of several words that goes on within a word is a title that is not typed to its end.
            let kind = match (goes_on(rest), self.words.len()) {
                (false, _) => 4,
                (true, 1) => 6,
                (true, _) => 5,
            };
            return (kind, self.alone.len());
        }
        let surname = |name: &str| {
            name.strip_suffix(self.needle)
                .is_some_and(|given| !given.chars().next_back().is_some_and(is_of_word))
        };
        if names.split("; ").any(surname) {
            return (4, self.needle.len());
        }
        if has_whole(main, self.needle) || has_whole(names, self.needle) {
            return (5, self.needle.len());
        }
        if has_whole(title, self.needle) {
            return (6, self.needle.len());
        }
        let whole = |word: &String| has_whole(main, word);
        let covered: usize = self.words.iter().filter(|word| whole(word)).map(|word| word.len() + 1).sum();
        let (all, begun) = self.words.iter().fold((true, true), |(all, begun), word| {
            let is_whole = has_whole(text, word);
            (all && is_whole, begun && (is_whole || begins_word(text, word)))
        });
        let kind = match (all, begun) {
            (true, _) if covered > main.len() => 2,
            (true, _) => 5,
            (false, true) => {
                if self.words.len() == 1 {
                    6
                } else {
                    7
                }
            }
            (false, false) => 8,
        };
        (kind, covered)
    }
}

/// Returns the weight of a book's popularity: twice its binary logarithm.
pub(super) fn weight(popularity: u32) -> u8 {
    let bits = u64::from(popularity).saturating_add(1).saturating_pow(2).ilog2();
    u8::try_from(bits).unwrap_or(u8::MAX)
}

/// Returns whether a word of the text begins with the needle.
pub(super) fn begins_word(text: &str, needle: &str) -> bool {
    let mut found = text.match_indices(needle);
    found.any(|(at, _)| !text[..at].chars().next_back().is_some_and(is_of_word))
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
    if letter.is_ascii() {
        letter.is_ascii_alphanumeric()
    } else {
        letter.is_alphanumeric() || is_combining_mark(letter)
    }
}

/// Signs between two words that readers leave out: *Spider-Man*.
pub(super) const BETWEEN: [&str; 2] = [" ", "-"];

/// Words and phrases to find with no letter on either side. One of [`BETWEEN`] is between the words of a phrase.
pub(super) struct Whole<'v> {
    words: Vec<memmem::Finder<'v>>,
    phrases: &'v [Vec<String>],
}

impl<'v> Whole<'v> {
    pub(super) fn of(words: &'v [String], phrases: &'v [Vec<String>]) -> Self {
        Self { words: words.iter().map(memmem::Finder::new).collect(), phrases }
    }

    /// Returns whether a folded text has all these words and phrases.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.words.iter().all(|word| is_whole_in(word, text))
            && self.phrases.iter().all(|phrase| has_phrase(text, phrase))
    }
}

fn has_phrase(text: &str, words: &[String]) -> bool {
    let Some((first, others)) = words.split_first() else { return true };
    text.match_indices(first.as_str()).any(|(at, _)| {
        let after = others.iter().try_fold(&text[at + first.len()..], |rest, word| {
            let rest = BETWEEN.iter().find_map(|sign| rest.strip_prefix(sign))?;
            rest.strip_prefix(word.as_str())
        });
        let is_inside = |letter: Option<char>| letter.is_some_and(is_of_word);
        after
            .is_some_and(|rest| !is_inside(text[..at].chars().next_back()) && !is_inside(rest.chars().next()))
    })
}

/// Returns whether the needle occurs with no letter on either side.
fn has_whole(text: &str, needle: &str) -> bool {
    is_whole_in(&memmem::Finder::new(needle), text)
}

fn is_whole_in(needle: &memmem::Finder<'_>, text: &str) -> bool {
    let length = needle.needle().len();
    let mut from = 0;
    while let Some(found) = needle.find(&text.as_bytes()[from..]) {
        let at = from + found;
        let before = text[..at].chars().next_back();
        let after = text[at + length..].chars().next();
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
/// and `RK Narayan` have the same words. Signs that make a name of a letter belong to it: `c++`, `c#`, `.net`.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut initials = 0;
    let mut left = text;
    let is_in = |letter: char| is_of_word(letter) || letter == '\'';
    while let Some(start) = left.find(is_in) {
        let before = &left[..start];
        left = &left[start..];
        let (part, rest) = left.split_at(left.find(|letter| !is_in(letter)).unwrap_or(left.len()));
        left = rest;
        let letters: String = part.chars().filter(|letter| *letter != '\'').collect();
        if letters.is_empty() {
            continue;
        }
        let is_single = letters.chars().filter(|letter| !is_combining_mark(*letter)).count() == 1;
        let signs = if is_single { signs(rest) } else { 0 };
        if signs > 0 || part == "net" && (before.ends_with(" .") || words.is_empty() && before.ends_with('.'))
        {
            let dot = if signs > 0 { "" } else { "." };
            words.push(Word { text: format!("{dot}{letters}{}", &rest[..signs]), literal: true });
            left = &rest[signs..];
            initials = 0;
            continue;
        }
        initials = if is_single { initials + 1 } else { 0 };
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

/// Returns the length of the signs after a single letter that are part of its name.
fn signs(rest: &str) -> usize {
    let signs = ["++", "#"].into_iter().find(|signs| rest.starts_with(signs)).map_or(0, str::len);
    if rest[signs..].chars().next().is_some_and(is_of_word) { 0 } else { signs }
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

/// Finds the records with all words of a query in any order. Scans for the anchors (the longest word, its letters
/// written as initials, and its possessive), then checks all words in the records found.
pub(super) struct Scattered {
    words: Vec<String>,
    /// Finder of each word as it is.
    literally: Vec<memmem::Finder<'static>>,
    anchors: Vec<Finder<'static>>,
    field: Field,
}

impl Scattered {
    /// Prepares the search of these blocks of each chunk. Returns `None` if every record with all words also contains the
    /// text.
    pub(super) fn new(order: &Order, blocks: &[Blocks], needle: &str, field: Field) -> Option<Self> {
        let words = words(needle);
        let longest = words.iter().max_by_key(|word| (word.literal, word.text.len()))?;
        let letters = longest.text.chars().count();
        let initials =
            !longest.literal || INITIALS.contains(&letters) && longest.text.chars().all(is_of_word);
        if words.len() == 1 && longest.text == needle && !initials {
            return None;
        }
        let mut anchors = vec![longest.text.clone()];
        if initials {
            let letters: Vec<String> = longest.text.chars().map(String::from).collect();
            anchors.extend([". ", ".", " "].map(|between| letters.join(between)));
        }
        if let Some(owner) = longest.text.strip_suffix('s').filter(|owner| owner.len() > 2) {
            anchors.push(format!("{owner}'s"));
        }
        // A block without the buckets of all words has no match, however far apart the words are.
        let all: Vec<usize> = words.iter().flat_map(|word| buckets(&word.text)).collect();
        let blocks = order.narrow(blocks, &all);
        let anchors = anchors.iter().map(|anchor| Finder::new(order, anchor, &blocks).into_owned()).collect();
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
        // A word has only letters, so each occurrence is within one word.
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
    pub(super) fn matches(&self, order: &Order, chunk: usize, records: Range<usize>) -> Vec<usize> {
        let mut found = self.candidates(order, chunk, records);
        found.retain(|index| self.accepts(order.chunks[chunk].record(*index).text));
        found
    }

    /// Counts the blocks of a chunk that a search reads.
    pub(super) fn blocks(&self, chunk: usize) -> usize {
        self.anchors.iter().map(|anchor| anchor.blocks(chunk)).sum()
    }

    /// Returns the records that contain an anchor, first to last.
    pub(super) fn candidates(&self, order: &Order, chunk: usize, records: Range<usize>) -> Vec<usize> {
        let mut found = Vec::new();
        for anchor in &self.anchors {
            let mut next = records.start;
            while let Some(at) = anchor.find(order, chunk, next..records.end) {
                let index = order.chunks[chunk].holding(at);
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
    fn a_letter_with_its_signs_is_one_word() {
        assert_eq!(of("C++: the C# way"), ["c++", "the", "c#", "way"]);
        assert_eq!(of(".NET and ASP.NET"), [".net", "and", "asp", "net"]);
        assert_eq!(of("Ask #12, C ++"), ["ask", "12", "c"]);
    }

    #[test]
    fn a_record_fits_by_how_it_contains_the_text() {
        let of = |title: &str, author: &str, text: &str| {
            Fit::of(&format!("{}\u{1F}{}\n", fold(title), fold(author)), &fold(text), Field::Any)
        };
        assert_eq!(of("Emma", "Jane Austen", "emma"), Fit::Exact);
        assert_eq!(of("The Emma (Novels, #4)", "Jane Austen", "an emma"), Fit::Exact);
        assert_eq!(of("\"Emma\"", "Jane Austen", "emma"), Fit::Begins);
        assert_eq!(of("Emmanuel", "", "emma"), Fit::Begins);
        assert_eq!(of("My Emma", "", "emma"), Fit::Words);
        assert_eq!(of("Persuasion", "Emma, Jane", "emma"), Fit::Words);
        assert_eq!(of("Gemma", "", "emma"), Fit::Contains);
        assert_eq!(of("Dilemma, Emma", "", "emma"), Fit::Words, "not only the first place counts");
        assert_eq!(of("नया गोदान", "", "गोदा"), Fit::Contains, "a word goes on with its vowel signs");
    }
}
