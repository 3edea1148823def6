//! The distinct words of the catalogue, to find those that are spelled almost like one that somebody typed.
//!
//! A million titles have about half a million words of some five megabytes. Words of as many bytes stand one behind the
//! other in one text, so that no word needs a pointer, and looking at every word of three lengths is reading that text once.
//! An index of all words with a letter left out would answer sooner and take ten times the memory.
//!
//! Collecting the words of the whole catalogue takes a second or two, so whoever keeps the index does it beside the
//! answering of requests ([`super::Index::learn_words`]). The words of a few books that are added or changed are taken in
//! at once. The words of books that are gone stay until the words are collected anew: nothing is found by them.

use std::collections::HashSet;
use std::sync::Arc;

use super::fit::is_of_word;
use super::skeleton::skeleton;

/// Letters of the shortest word that is kept.
const SHORTEST: usize = 3;

/// Bytes of the longest word that is kept.
const LONGEST: usize = 48;

/// Letters of the shortest word in which a typing error is looked for. Of shorter ones nearly every one is another word.
pub(super) const TYPED: usize = 4;

/// Letters of the shortest skeleton that two words of one script may share, and two of different scripts.
const SKELETON: (usize, usize) = (3, 2);

/// Books of which the words are taken in at once.
const AT_ONCE: usize = 256;

/// Words taken in since all were collected; with more they are collected anew.
const RECENT: usize = 4096;

/// How a word is like another one, the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same word in another script, or in Latin letters written another way.
    Skeleton,
    /// One typing error behind the first letter.
    Typing,
    /// One typing error in the first letter.
    FirstLetter,
}

/// How two folded words are alike; none where they are not, or are the same.
pub(super) fn likeness(typed: &str, word: &str) -> Option<Likeness> {
    if typed == word || !(is_word(typed) && is_word(word)) {
        return None;
    }
    if let Some(own) = skeleton(typed)
        && long_enough(&own, typed, word)
        && skeleton(word) == Some(own)
    {
        return Some(Likeness::Skeleton);
    }
    (typed.chars().count() >= TYPED && is_one_error(typed, word)).then(|| of_error(typed, word))
}

fn of_error(typed: &str, word: &str) -> Likeness {
    if typed.chars().next() == word.chars().next() { Likeness::Typing } else { Likeness::FirstLetter }
}

fn long_enough(skeleton: &str, typed: &str, word: &str) -> bool {
    let (within, across) = SKELETON;
    skeleton.len() >= if typed.is_ascii() == word.is_ascii() { within } else { across }
}

/// Whether one letter more, less or another, or two neighbours swapped, make one word of the other. Nobody mistypes a Latin
/// letter for one of another script.
fn is_one_error(one: &str, other: &str) -> bool {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let shorter = a.len().min(b.len());
    let mut start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    // Letters of one script begin with the same bytes.
    while !one.is_char_boundary(start) || !other.is_char_boundary(start) {
        start -= 1;
    }
    let mut end =
        a.iter().rev().zip(b.iter().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
    // Two letters have at most eight bytes: most words are told apart here.
    if a.len().max(b.len()) - start - end > 8 || one.is_ascii() != other.is_ascii() {
        return false;
    }
    while !one.is_char_boundary(a.len() - end) || !other.is_char_boundary(b.len() - end) {
        end -= 1;
    }
    let letters = |word: &str| {
        let mut letters = word[start..word.len() - end].chars();
        (letters.next(), letters.next(), letters.next())
    };
    match (letters(one), letters(other)) {
        ((_, None, _), (_, None, _)) => one != other,
        ((Some(a), Some(b), None), (Some(c), Some(d), None)) => (a, b) == (d, c),
        _ => false,
    }
}

/// Whether it is a word for which there can be another spelling: not too short, not too long, and no number in it.
fn is_word(word: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&word.len())
        && !word.contains(char::is_numeric)
        && (word.is_ascii() || word.chars().nth(SHORTEST - 1).is_some())
}

/// The words of a folded text that are kept.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_of_word(letter)).filter(|word| is_word(word))
}

/// Distinct words, by their length.
#[derive(Default)]
struct Words {
    /// The words of 0, 1, 2, … bytes.
    of_length: Vec<SameLength>,
    len: usize,
}

/// Words of as many bytes, in order and one behind the other.
#[derive(Default)]
struct SameLength {
    text: Box<str>,
    /// Of each word; 0 where it has none.
    skeletons: Box<[u32]>,
    /// Which letters each word has.
    letters: Box<[u32]>,
}

impl Words {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let words: HashSet<&str> = texts.flat_map(words_in).collect();
        let mut of_length: Vec<Vec<&str>> = vec![Vec::new(); LONGEST + 1];
        let len = words.len();
        for word in words {
            of_length[word.len()].push(word);
        }
        let together = |mut words: Vec<&str>| {
            words.sort_unstable();
            let skeletons = words.iter().map(|word| skeleton(word).map_or(0, |own| number(&own)));
            SameLength {
                skeletons: skeletons.collect(),
                letters: words.iter().map(|word| letters(word)).collect(),
                text: words.concat().into_boxed_str(),
            }
        };
        Self { of_length: of_length.into_iter().map(together).collect(), len }
    }

    fn word(&self, length: usize, index: usize) -> &str {
        &self.of_length[length].text[index * length..(index + 1) * length]
    }

    fn has(&self, word: &str) -> bool {
        let Some(words) = self.of_length.get(word.len()) else { return false };
        let (mut low, mut high) = (0, words.skeletons.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.word(word.len(), middle).cmp(word) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        let lengths = self.of_length.iter().enumerate();
        lengths
            .flat_map(move |(length, words)| (0..words.skeletons.len()).map(move |at| self.word(length, at)))
    }

    /// Appends the words that are like this one.
    fn like<'a>(&'a self, typed: &str, found: &mut Vec<(Likeness, &'a str)>) {
        if let Some(own) = skeleton(typed) {
            let wanted = number(&own);
            for (length, words) in self.of_length.iter().enumerate() {
                let equal = places(&words.skeletons, |number| number == wanted);
                let words = equal.map(|at| self.word(length, at));
                found.extend(
                    words
                        .filter(|word| likeness(typed, word) == Some(Likeness::Skeleton))
                        .map(|word| (Likeness::Skeleton, word)),
                );
            }
        }
        if typed.chars().count() < TYPED {
            return;
        }
        let own = letters(typed);
        // A letter has one byte, or up to four.
        let most = if typed.is_ascii() { 1 } else { 4 };
        for length in typed.len().saturating_sub(most)..=(typed.len() + most).min(LONGEST) {
            let Some(words) = self.of_length.get(length) else { return };
            // One letter went and one came: hardly any word has to be compared.
            let near = places(&words.letters, |letters| (letters ^ own).count_ones() <= 2);
            let words = near.map(|at| self.word(length, at)).filter(|word| is_one_error(typed, word));
            found.extend(words.filter_map(|word| Some((likeness(typed, word)?, word))));
        }
    }
}

/// Which letters a word has: one bit for each, shared by letters of other scripts.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % u32::BITS))
}

/// Where the numbers are that are wanted, which are few. Sixteen are looked at together, which a processor does at once.
fn places(numbers: &[u32], wanted: impl Fn(u32) -> bool + Copy) -> impl Iterator<Item = usize> {
    const TOGETHER: usize = 16;
    let together = numbers.chunks(TOGETHER).enumerate();
    let some =
        together.filter(move |(_, numbers)| numbers.iter().fold(false, |any, number| any | wanted(*number)));
    some.flat_map(move |(chunk, numbers)| {
        let wanted = numbers.iter().enumerate().filter(move |(_, number)| wanted(**number));
        wanted.map(move |(at, _)| chunk * TOGETHER + at)
    })
}

/// A number for a skeleton (FNV-1a), never 0.
fn number(skeleton: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    skeleton.bytes().fold(0x811C_9DC5, hash).max(1)
}

/// The words of a snapshot of the catalogue.
#[derive(Clone, Default)]
pub(super) struct Vocabulary {
    /// Collected from the whole catalogue as it was.
    settled: Arc<Words>,
    /// Of books that were added or changed since.
    recent: Arc<Words>,
    /// How often so many books came at once that their words were left for later, and how many of these times the settled
    /// words have.
    left: u64,
    learned: u64,
}

impl Vocabulary {
    /// The vocabulary with the words of records that come to the catalogue.
    pub(super) fn with<'a>(&self, added: impl ExactSizeIterator<Item = &'a str>) -> Self {
        if added.len() > AT_ONCE {
            return Self { left: self.left + 1, ..self.clone() };
        }
        let new: Vec<&str> = added.flat_map(words_in).filter(|word| !self.has(word)).collect();
        if new.is_empty() {
            return self.clone();
        }
        Self { recent: Arc::new(Words::of(self.recent.all().chain(new))), ..self.clone() }
    }

    /// Whether the words have to be collected anew.
    pub(super) fn is_behind(&self) -> bool {
        self.left != self.learned || self.recent.len > RECENT
    }

    /// Collects the words of the records of this vocabulary's catalogue.
    pub(super) fn collected<'a>(&self, records: impl Iterator<Item = &'a str>) -> Self {
        Self { settled: Arc::new(Words::of(records)), learned: self.left, ..self.clone() }
    }

    /// This vocabulary, which is that of a later catalogue, with the words collected for an earlier one.
    pub(super) fn settled_as(&self, collected: &Self) -> Self {
        let left = self.recent.all().filter(|word| !collected.settled.has(word));
        Self {
            recent: Arc::new(Words::of(left)),
            settled: Arc::clone(&collected.settled),
            left: self.left,
            learned: collected.learned,
        }
    }

    /// Whether it is a word of the catalogue.
    pub(super) fn has(&self, word: &str) -> bool {
        self.settled.has(word) || self.recent.has(word)
    }

    /// The words that are like a folded one, the likeliest first.
    pub(super) fn like(&self, typed: &str) -> Vec<(Likeness, &str)> {
        let mut found = Vec::new();
        if is_word(typed) {
            self.settled.like(typed, &mut found);
            self.recent.like(typed, &mut found);
            found.sort_unstable();
            found.dedup();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_typing_error_is_a_letter_more_less_or_another_or_two_swapped() {
        for word in ["ramayan", "ramayanaa", "rmayana", "ramajana", "rmaayana", "ramayaan", "xramayana"] {
            assert!(is_one_error(word, "ramayana") && is_one_error("ramayana", word), "{word}");
        }
        for word in ["ramayana", "ramaya", "amaryana", "rnmayan", "sita", "ramaanya"] {
            assert!(!is_one_error(word, "ramayana"), "{word}");
        }
        assert!(
            is_one_error("गोदान", "गोदन") && is_one_error("गोदान", "गोदाम") && !is_one_error("गोदान", "गोद")
        );
        assert!(!is_one_error("gодан", "godan"), "two scripts");
    }

    /// Whether one is at most one error from the other, as one would write it without caring about speed.
    fn is_near(one: &[char], other: &[char]) -> bool {
        let edits = |word: &[char]| {
            let mut edited = Vec::new();
            for at in 0..word.len() {
                edited.push([&word[..at], &word[at + 1..]].concat());
                if at + 1 < word.len() {
                    let mut swapped = word.to_vec();
                    swapped.swap(at, at + 1);
                    edited.push(swapped);
                }
                if let Some(letter) = other.get(at) {
                    edited.push([&word[..at], &[*letter], &word[at + 1..]].concat());
                }
            }
            edited
        };
        one != other
            && (edits(one).contains(&other.to_vec())
                || (0..other.len()).any(|at| [&other[..at], &other[at + 1..]].concat() == one))
    }

    proptest! {
        #[test]
        fn errors_are_found_in_every_script(one in "[abcé]{1,6}|[गोदन]{1,5}", other in "[abcé]{1,6}|[गोदन]{1,5}") {
            let letters = |word: &str| word.chars().collect::<Vec<_>>();
            let expected = one.is_ascii() == other.is_ascii() && is_near(&letters(&one), &letters(&other));
            prop_assert_eq!(is_one_error(&one, &other), expected);
        }

        #[test]
        fn the_words_found_are_those_that_are_alike(
            texts in proptest::collection::vec("([abr]{2,6} |[रामन]{2,5} ){0,5}", 1..8), typed in "[abr]{3,6}|[रामन]{3,5}", at_once in any::<bool>(),
        ) {
            let mut vocabulary = Vocabulary::default();
            for text in &texts {
                vocabulary = vocabulary.with([text.as_str()].into_iter());
            }
            if !at_once {
                let collected = vocabulary.collected(texts.iter().map(String::as_str));
                vocabulary = vocabulary.settled_as(&collected);
                prop_assert_eq!(vocabulary.recent.len, 0);
            }
            let words: std::collections::BTreeSet<&str> = texts.iter().flat_map(|text| text.split(' ')).collect();
            let mut expected: Vec<_> = words.into_iter().filter_map(|word| Some((likeness(&typed, word)?, word))).collect();
            expected.sort_unstable();
            prop_assert_eq!(vocabulary.like(&typed), expected);
        }
    }
}
