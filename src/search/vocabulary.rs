//! Vocabulary: the distinct words of the catalogue, searched for words similar to a typed one.
//!
//! A million titles have about half a million distinct words, some five megabytes. Words of the same length in bytes are
//! concatenated in one text, so no word needs a pointer, and comparing a typed word with all words of similar length is a
//! linear scan. An index of deletions (every word with each letter removed) would be faster and take ten times the memory.
//!
//! Collecting the words of the whole catalogue takes a second or two, so it runs in the background
//! ([`super::Index::learn_words`]). The words of a few added or changed books are added at once. The words of deleted
//! books stay until the next collection; they match no book.

use std::collections::HashSet;
use std::sync::Arc;

use super::fit::is_of_word;
use super::skeleton::skeleton;

/// Minimum length of a word in the vocabulary, in letters.
const SHORTEST: usize = 3;

/// Maximum length of a word in the vocabulary, in bytes.
const LONGEST: usize = 48;

/// Minimum length of a word to correct a typing error in, in letters. In a shorter word nearly every error makes another
/// word.
pub(super) const TYPED: usize = 4;

/// Minimum length of a skeleton shared by two words of the same script, and by two of different scripts.
const SKELETON: (usize, usize) = (3, 2);

/// Maximum number of books whose words are added at once.
const AT_ONCE: usize = 256;

/// Number of words added since the last collection above which a new collection is due.
const RECENT: usize = 4096;

/// Kind of similarity between two words, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same word in another script or another romanisation.
    Skeleton,
    /// One typing error after the first letter.
    Typing,
    /// One typing error in the first letter.
    FirstLetter,
}

/// Returns the similarity of two folded words; `None` if they are not similar, or equal.
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

/// Returns whether two words differ by one letter inserted, deleted or replaced, or by two neighbours swapped. A Latin word
/// and one in another script never do.
fn is_one_error(one: &str, other: &str) -> bool {
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let shorter = a.len().min(b.len());
    let mut start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    // Two letters of a script may share their first bytes.
    while !one.is_char_boundary(start) || !other.is_char_boundary(start) {
        start -= 1;
    }
    let mut end =
        a.iter().rev().zip(b.iter().rev()).take(shorter - start).take_while(|(a, b)| a == b).count();
    // Two letters have at most eight bytes. Most words are rejected here.
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

/// Returns whether the vocabulary keeps a word: not too short, not too long, no digits.
fn is_word(word: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&word.len())
        && !word.contains(char::is_numeric)
        && (word.is_ascii() || word.chars().nth(SHORTEST - 1).is_some())
}

/// Returns the words of a folded text that the vocabulary keeps.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_of_word(letter)).filter(|word| is_word(word))
}

/// Distinct words, grouped by their length in bytes.
#[derive(Default)]
struct Words {
    /// Words of 0, 1, 2, … bytes.
    of_length: Vec<SameLength>,
    len: usize,
}

/// Words of the same length, sorted and concatenated.
#[derive(Default)]
struct SameLength {
    text: Box<str>,
    /// Hash of the skeleton of each word; 0 if it has none.
    skeletons: Box<[u32]>,
    /// [`letters`] of each word.
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

    /// Appends the words similar to `typed`.
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
        // An ASCII letter has one byte, others up to four.
        let most = if typed.is_ascii() { 1 } else { 4 };
        for length in typed.len().saturating_sub(most)..=(typed.len() + most).min(LONGEST) {
            let Some(words) = self.of_length.get(length) else { return };
            // One error changes at most two bits of the set of letters, so few words remain to be compared.
            let near = places(&words.letters, |letters| (letters ^ own).count_ones() <= 2);
            let words = near.map(|at| self.word(length, at)).filter(|word| is_one_error(typed, word));
            found.extend(words.filter_map(|word| Some((likeness(typed, word)?, word))));
        }
    }
}

/// Returns the set of a word's letters as bits; letters with the same code point modulo 32 share one.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % u32::BITS))
}

/// Returns the indices of the wanted numbers, which must be few: it tests sixteen at a time with vector instructions.
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

/// Hashes a skeleton (FNV-1a); never 0.
fn number(skeleton: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    skeleton.bytes().fold(0x811C_9DC5, hash).max(1)
}

/// Words of a snapshot of the catalogue.
#[derive(Clone, Default)]
pub(super) struct Vocabulary {
    /// Words of the last collection.
    settled: Arc<Words>,
    /// Words of books added or changed since then.
    recent: Arc<Words>,
    /// Number of batches too large to add their words at once.
    deferred_batches: u64,
    /// Number of these batches that the last collection includes.
    collected_batches: u64,
}

impl Vocabulary {
    /// Returns the vocabulary with the words of added records.
    pub(super) fn with<'a>(&self, added: impl ExactSizeIterator<Item = &'a str>) -> Self {
        if added.len() > AT_ONCE {
            return Self { deferred_batches: self.deferred_batches + 1, ..self.clone() };
        }
        let new: Vec<&str> = added.flat_map(words_in).filter(|word| !self.has(word)).collect();
        if new.is_empty() {
            return self.clone();
        }
        Self { recent: Arc::new(Words::of(self.recent.all().chain(new))), ..self.clone() }
    }

    /// Returns whether a new collection is due.
    pub(super) fn is_behind(&self) -> bool {
        self.deferred_batches != self.collected_batches || self.recent.len > RECENT
    }

    /// Collects the words of all records of this vocabulary's snapshot.
    pub(super) fn collected<'a>(&self, records: impl Iterator<Item = &'a str>) -> Self {
        Self {
            settled: Arc::new(Words::of(records)),
            collected_batches: self.deferred_batches,
            ..self.clone()
        }
    }

    /// Returns this vocabulary with the collection made from an earlier snapshot.
    pub(super) fn settled_as(&self, collected: &Self) -> Self {
        let recent = self.recent.all().filter(|word| !collected.settled.has(word));
        Self {
            recent: Arc::new(Words::of(recent)),
            settled: Arc::clone(&collected.settled),
            deferred_batches: self.deferred_batches,
            collected_batches: collected.collected_batches,
        }
    }

    /// Returns whether the catalogue contains a word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.settled.has(word) || self.recent.has(word)
    }

    /// Returns the words similar to a folded one, likeliest first.
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

    /// Reference implementation of [`is_one_error`].
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
