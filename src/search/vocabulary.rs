//! Vocabulary: the distinct words of the catalogue, searched for words similar to a typed one.
//!
//! A million titles have about half a million distinct words, some five megabytes. Words of the same length in bytes are
//! concatenated in one text, so no word needs a pointer, and comparing a typed word with the words of similar length and
//! the same first letter is a linear scan. An index of deletions (every word with each letter removed) would be faster and take ten times the memory.
//! Words with the same skeleton, outline or letters after the first are next to each other in lists sorted by these.
//!
//! Collecting the words of the whole catalogue takes a second or two, so it runs in the background
//! ([`super::Index::learn_words`]). The words of a few added or changed books are added at once. The words of deleted
//! books stay until the next collection; they match no book.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::at_rest::{Input, Output, damaged};
use super::fit::is_of_word;
use super::skeleton::{lacks_vowels, skeleton};
use super::sound::{Sound, is_indic, outline};
use crate::fold::fold;

/// Minimum length of a word in the vocabulary, in letters.
const SHORTEST: usize = 3;

/// Maximum length of a word in the vocabulary, in bytes.
const LONGEST: usize = 72;

/// Minimum number of letters of a word in which a typing error is corrected. In a shorter word nearly every error
/// yields another word.
pub(super) const TYPED: usize = 4;

/// Minimum number of letters of a word in which two typing errors are corrected.
const TWICE: usize = 7;

/// Maximum number of books whose words are added at once.
const AT_ONCE: usize = 256;

/// Number of words added since the last collection above which a new collection is due.
const RECENT: usize = 4096;

/// Kind of similarity between two words, likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The same word in another script, or in another spelling of the same Indian script.
    Same,
    /// Another customary spelling of a name, from the table.
    Name,
    /// The same word in another romanisation.
    Romanised,
    /// A word with the same consonants in another script or romanisation.
    Skeleton,
    /// One typing error after the first letter.
    Typing,
    /// One typing error in the first letter.
    FirstLetter,
    /// Two typing errors in a long word.
    Twice,
}

/// All spellings of each name in the table, keyed by each spelling.
static NAMES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("names.txt").lines().filter(|line| !line.starts_with('#'));
    let groups = lines.map(|line| fold(line).split(' ').map(str::to_owned).collect::<Vec<_>>());
    groups.flat_map(|group| group.clone().into_iter().map(move |name| (name, group.clone()))).collect()
});

/// Returns the other spellings of a name in the table.
fn other_names(typed: &str) -> impl Iterator<Item = &'static str> {
    NAMES.get(typed).into_iter().flatten().map(String::as_str).filter(move |name| *name != typed)
}

/// Returns the similarity of two folded words; `None` if they are not similar, or equal.
pub(super) fn likeness(typed: &str, word: &str) -> Option<Likeness> {
    if is_word(typed) && is_word(word) { Typed::of(typed).likeness(word) } else { None }
}

/// A folded word, of a length that the vocabulary keeps, to be compared with the words there.
struct Typed<'t> {
    text: &'t str,
    letters: usize,
    sound: Sound,
    names: Vec<&'static str>,
    /// `None` if too many words share it.
    skeleton: Option<String>,
}

impl<'t> Typed<'t> {
    fn of(text: &'t str) -> Self {
        let skeleton = skeleton(text).filter(|own| is_long_enough(own));
        let names = other_names(text).collect();
        Self { text, letters: text.chars().count(), sound: Sound::of(text), names, skeleton }
    }

    /// As [`likeness`].
    fn likeness(&self, word: &str) -> Option<Likeness> {
        let typed = self.text;
        if typed == word {
            return None;
        }
        if let Some(same) = self.same(word) {
            return Some(same);
        }
        if self.skeleton.is_some() && skeleton(word) == self.skeleton {
            let is_clipped = match (is_indic(typed), is_indic(word)) {
                (true, false) => lacks_vowels(word, typed),
                (false, true) => lacks_vowels(typed, word),
                _ => false,
            };
            return (!is_clipped).then_some(Likeness::Skeleton);
        }
        if self.letters >= TYPED && is_one_error(typed, word) {
            return Some(of_error(typed, word));
        }
        (self.letters >= TWICE && is_two_errors(typed, word)).then_some(Likeness::Twice)
    }

    /// Returns the likeness of another spelling of the same word.
    fn same(&self, word: &str) -> Option<Likeness> {
        if self.sound.is_of(word) {
            let both_latin = !is_indic(self.text) && !is_indic(word);
            return Some(if both_latin { Likeness::Romanised } else { Likeness::Same });
        }
        self.names.contains(&word).then_some(Likeness::Name)
    }
}

fn of_error(typed: &str, word: &str) -> Likeness {
    if typed.chars().next() == word.chars().next() { Likeness::Typing } else { Likeness::FirstLetter }
}

/// Returns whether a skeleton has more than two consonants: too many words share a shorter one.
fn is_long_enough(skeleton: &str) -> bool {
    skeleton.bytes().filter(|letter| !matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')).count() > 2
}

/// Returns whether two words with the same first letter differ by at most two errors: a letter inserted, deleted or
/// replaced, or two neighbours swapped.
fn is_two_errors(one: &str, other: &str) -> bool {
    if one.chars().next() != other.chars().next() {
        return false;
    }
    // The first error is where the words begin to differ; at most one more follows.
    let (a, b) = without_same_start(one, other);
    let is_near = |a: &str, b: &str| a == b || has_one_error(a, b);
    match (without_first(a), without_first(b)) {
        (None, None) => true,
        (Some(without), None) => is_near(without, b),
        (None, Some(without)) => is_near(a, without),
        (Some(without_a), Some(without_b)) => {
            is_near(without_a, without_b)
                || is_near(without_a, b)
                || is_near(a, without_b)
                || without_swapped(a, b).is_some_and(|(a, b)| is_near(a, b))
        }
    }
}

/// Returns whether two words differ by one letter inserted, deleted or replaced, or by two neighbours swapped. A Latin word
/// and one in another script never do.
fn is_one_error(one: &str, other: &str) -> bool {
    one.is_ascii() == other.is_ascii() && has_one_error(one, other)
}

fn has_one_error(one: &str, other: &str) -> bool {
    let (one, other) = without_same_start(one, other);
    let (a, b) = (one.as_bytes(), other.as_bytes());
    let mut end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    // Two letters have at most eight bytes. Most words are rejected here.
    if a.len().max(b.len()) - end > 8 {
        return false;
    }
    while !one.is_char_boundary(a.len() - end) || !other.is_char_boundary(b.len() - end) {
        end -= 1;
    }
    let letters = |word: &str| {
        let mut letters = word[..word.len() - end].chars();
        (letters.next(), letters.next(), letters.next())
    };
    match (letters(one), letters(other)) {
        ((_, None, _), (_, None, _)) => one != other,
        ((Some(a), Some(b), None), (Some(c), Some(d), None)) => (a, b) == (d, c),
        _ => false,
    }
}

/// Strips the letters with which both words begin.
fn without_same_start<'w>(one: &'w str, other: &'w str) -> (&'w str, &'w str) {
    let mut same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    // Different letters may begin with the same bytes: goes back to a character boundary.
    while !one.is_char_boundary(same) || !other.is_char_boundary(same) {
        same -= 1;
    }
    (&one[same..], &other[same..])
}

fn without_first(word: &str) -> Option<&str> {
    let mut letters = word.chars();
    letters.next().map(|_| letters.as_str())
}

/// Strips the first two letters, if those of one word are the other's swapped.
fn without_swapped<'w>(one: &'w str, other: &'w str) -> Option<(&'w str, &'w str)> {
    let (mut a, mut b) = (one.chars(), other.chars());
    let (first, second) = ((a.next()?, a.next()?), (b.next()?, b.next()?));
    (first == (second.1, second.0)).then_some((a.as_str(), b.as_str()))
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
    /// Words of `n` bytes, at index `n`.
    of_length: Vec<SameLength>,
    len: usize,
    /// Words that have a skeleton, sorted by its hash.
    by_skeleton: Box<[WordAt]>,
    /// Words that have an [`outline`], sorted by its first letters.
    by_sound: Box<[WordAt]>,
    /// All words, sorted by the hash of their letters after the first.
    by_rest: Box<[WordAt]>,
}

/// Length of a word in bytes and its index among the words of this length, in one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordAt(u32);

impl WordAt {
    const INDEX_BITS: u32 = 24;

    /// Returns `None` for an index after the first sixteen million words of the same length.
    fn of(length: usize, index: usize) -> Option<Self> {
        let index = u32::try_from(index).ok().filter(|index| index >> Self::INDEX_BITS == 0)?;
        Some(Self(u32::try_from(length).ok()? << Self::INDEX_BITS | index))
    }

    fn length(self) -> usize {
        (self.0 >> Self::INDEX_BITS) as usize
    }

    fn index(self) -> usize {
        (self.0 & ((1 << Self::INDEX_BITS) - 1)) as usize
    }
}

/// Function that returns the hash of what similar words have in common.
type Key = fn(&str) -> Option<u32>;

const SKELETON: Key = |word| skeleton(word).map(|skeleton| hash(&skeleton));
const OUTLINE: Key = |word| outline(word).map(|outline| first_letters(&outline));
const REST: Key = |word| without_first(word).map(hash);

/// Number of an outline's letters that its key has, four bits each.
const OUTLINED: usize = 8;

/// Returns the first letters of an outline as a number in the order of the outlines, so that those with the same beginning
/// are next to each other.
fn first_letters(outline: &str) -> u32 {
    let code = |letter| "kptsnyrlheo".find(letter).map_or(15, |at| at + 1);
    let codes = outline.chars().map(code).chain(std::iter::repeat(0)).take(OUTLINED);
    codes.fold(0, |letters, code| letters << 4 | u32::try_from(code).unwrap_or_default())
}

/// Words of the same length, sorted and concatenated.
#[derive(Default)]
struct SameLength {
    text: Box<str>,
    /// Binary logarithm of the number of occurrences of each word.
    common: Box<[u8]>,
    /// [`letters`] of each word.
    letters: Box<[u32]>,
}

impl Words {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut words: HashMap<&str, u32> = HashMap::new();
        texts.flat_map(words_in).for_each(|word| *words.entry(word).or_default() += 1);
        let mut of_length: Vec<Vec<(&str, u32)>> = vec![Vec::new(); LONGEST + 1];
        let len = words.len();
        for (word, count) in words {
            of_length[word.len()].push((word, count));
        }
        let together = |mut counted: Vec<(&str, u32)>| {
            counted.sort_unstable();
            let words: Vec<&str> = counted.iter().map(|(word, _)| *word).collect();
            SameLength {
                common: counted
                    .iter()
                    .map(|(_, count)| u8::try_from(count.ilog2()).unwrap_or_default())
                    .collect(),
                letters: words.iter().map(|word| letters(word)).collect(),
                text: words.concat().into_boxed_str(),
            }
        };
        let of_length = of_length.into_iter().map(together).collect();
        let words = Self { of_length, len, ..Self::default() };
        let [by_skeleton, by_sound, by_rest] = [SKELETON, OUTLINE, REST].map(|key| words.sorted_by(key));
        Self { by_skeleton, by_sound, by_rest, ..words }
    }

    /// Returns the words that have a key, sorted by it.
    fn sorted_by(&self, key: Key) -> Box<[WordAt]> {
        let all = self.of_length.iter().enumerate().flat_map(|(length, words)| {
            (0..words.letters.len()).filter_map(move |index| WordAt::of(length, index))
        });
        let mut keyed: Vec<(u32, WordAt)> = all.filter_map(|at| Some((key(self.at(at))?, at))).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, at)| at).collect()
    }

    fn at(&self, at: WordAt) -> &str {
        self.word(at.length(), at.index())
    }

    fn word(&self, length: usize, index: usize) -> &str {
        &self.of_length[length].text[index * length..(index + 1) * length]
    }

    fn find(&self, word: &str) -> Option<&str> {
        self.place(word).map(|at| self.at(at))
    }

    fn place(&self, word: &str) -> Option<WordAt> {
        let words = self.of_length.get(word.len())?;
        let at = partition_point(0..words.letters.len(), |at| self.word(word.len(), at) < word);
        WordAt::of(word.len(), at).filter(|_| at < words.letters.len() && self.word(word.len(), at) == word)
    }

    /// Returns the binary logarithm of the number of occurrences of a word; `None` if it does not occur.
    fn common(&self, word: &str) -> Option<u8> {
        self.place(word).map(|at| self.of_length[at.length()].common[at.index()])
    }

    fn has(&self, word: &str) -> bool {
        self.common(word).is_some()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        let lengths = self.of_length.iter().enumerate();
        lengths.flat_map(move |(length, words)| (0..words.letters.len()).map(move |at| self.word(length, at)))
    }

    /// Returns the words with a key, given the words sorted by it.
    fn with_key<'a>(
        &'a self,
        wanted: Option<u32>,
        key: Key,
        sorted: &'a [WordAt],
    ) -> impl Iterator<Item = &'a str> {
        // Keys are not stored: a search computes some forty of them.
        let key_at = |at: &WordAt| key(self.at(*at));
        let from = &sorted[sorted.partition_point(|at| key_at(at) < wanted)..];
        let with_key = &from[..from.partition_point(|at| key_at(at) == wanted)];
        with_key.iter().map(|at| self.at(*at))
    }

    /// Returns the words that may sound like `typed`.
    fn with_outline(&self, typed: &str) -> impl Iterator<Item = &str> {
        self.with_key(OUTLINE(typed), OUTLINE, &self.by_sound)
    }

    /// Returns the words of other scripts that begin with the sound of `typed`.
    fn begun<'a>(&'a self, typed: &str, sound: &Sound) -> impl Iterator<Item = &'a str> {
        let outline = outline(typed).unwrap_or_default();
        let letters = outline.len().min(OUTLINED);
        let from = first_letters(&outline);
        let to = from | u32::try_from(u64::from(u32::MAX) >> (4 * letters)).unwrap_or_default();
        let key_at = |at: &WordAt| OUTLINE(self.at(*at));
        let start = self.by_sound.partition_point(|at| key_at(at) < Some(from));
        let end = self.by_sound.partition_point(|at| key_at(at) <= Some(to));
        let words = self.by_sound[start..end].iter().filter(move |_| letters > 1).map(|at| self.at(*at));
        words.filter(|word| word.is_ascii() != typed.is_ascii() && sound.begins(word))
    }

    /// Appends the other spellings of `typed`.
    fn same<'a>(&'a self, word: &Typed<'_>, found: &mut Vec<(Likeness, &'a str)>) {
        let others = self.with_outline(word.text).filter(|other| *other != word.text);
        found.extend(others.filter_map(|other| Some((word.same(other)?, other))));
        let names = word.names.iter().filter_map(|name| self.find(name));
        found.extend(names.filter_map(|name| Some((word.same(name)?, name))));
    }

    /// Appends the words with the skeleton of `typed`.
    fn with_skeleton<'a>(&'a self, word: &Typed<'_>, found: &mut Vec<(Likeness, &'a str)>) {
        if word.skeleton.is_some() {
            let alike = self.with_key(SKELETON(word.text), SKELETON, &self.by_skeleton);
            found.extend(alike.filter_map(|other| Some((word.likeness(other)?, other))));
        }
    }

    /// Appends the words that differ from `typed` by one error.
    fn mistyped<'a>(&'a self, word: &Typed<'_>, found: &mut Vec<(Likeness, &'a str)>) {
        let typed = word.text;
        let Some(rest) = without_first(typed).filter(|_| word.letters >= TYPED) else { return };
        let near = self.near::<1>(typed).filter(|other| is_one_error(typed, other));
        found.extend(near.filter_map(|other| Some((word.likeness(other)?, other))));
        // One error in the first letter.
        let added_or_replaced = [typed, rest].map(|rest| Some(hash(rest)));
        let others = added_or_replaced.into_iter().flat_map(|key| self.with_key(key, REST, &self.by_rest));
        let others =
            others.chain(self.find(rest)).chain(swapped_first(typed).and_then(|word| self.find(&word)));
        let others = others.filter(|other| is_one_error(typed, other));
        found.extend(others.filter_map(|other| Some((word.likeness(other)?, other))));
    }

    /// Appends the words that differ from the long word `typed` by two errors after the first letter.
    fn twice<'a>(&'a self, typed: &str, found: &mut Vec<(Likeness, &'a str)>) {
        let near = self.near::<2>(typed).filter(|word| is_two_errors(typed, word));
        found.extend(near.map(|word| (Likeness::Twice, word)));
    }

    /// Returns the words with the same first letter that may differ by at most `ERRORS` errors.
    fn near<const ERRORS: usize>(&self, typed: &str) -> impl Iterator<Item = &str> {
        let (own, first) = (letters(typed), &typed[..typed.len() - without_first(typed).map_or(0, str::len)]);
        // An ASCII letter has one byte, others up to four.
        let most = ERRORS * if typed.is_ascii() { 1 } else { 4 };
        let lengths = self.of_length.iter().enumerate().take(typed.len() + most + 1);
        lengths.skip(typed.len().saturating_sub(most)).flat_map(move |(length, words)| {
            let start = partition_point(0..words.letters.len(), |at| self.word(length, at) < first);
            let end =
                partition_point(start..words.letters.len(), |at| self.word(length, at).starts_with(first));
            let may_be_near = move |letters| may_have_changed::<ERRORS>(letters ^ own);
            let near = places(&words.letters[start..end], may_be_near);
            // Of ASCII letters, one added or removed changes one bit instead of two. Few words remain to be compared.
            let most = 2 * ERRORS - if typed.is_ascii() { typed.len().abs_diff(length) } else { 0 };
            let near = near.map(move |at| (words.letters[start + at] ^ own, self.word(length, start + at)));
            let near =
                near.filter(move |(changed, word)| changed.count_ones() as usize <= most || !word.is_ascii());
            near.map(|(_, word)| word)
        })
    }
}

/// Returns a word with its first two letters swapped.
fn swapped_first(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let (first, second) = (letters.next()?, letters.next()?);
    Some([second, first].into_iter().chain(letters).collect())
}

/// Returns the first of these numbers for which `passed`, which must be monotonic, is false; their end if there is none.
fn partition_point(numbers: Range<usize>, passed: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (numbers.start, numbers.end);
    while low < high {
        let middle = low.midpoint(high);
        if passed(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Returns the set of a word's letters as bits; letters with the same code point modulo 32 share one.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |letters, letter| letters | 1 << (u32::from(letter) % u32::BITS))
}

/// Returns the indices of the wanted numbers. Fast if these are few, because vector instructions test sixteen at a time.
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

/// Returns whether at most `ERRORS` errors, each of two letters, may have changed these bits of a set of letters.
fn may_have_changed<const ERRORS: usize>(bits: u32) -> bool {
    // Clears a bit at a time: faster than counting them in a loop with vector instructions.
    (0..2 * ERRORS).fold(bits, |bits, _| bits & bits.wrapping_sub(1)) == 0
}

/// Hashes a key or a word (FNV-1a).
pub(super) fn hash(key: &str) -> u32 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    key.bytes().fold(0x811C_9DC5, hash)
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

impl Words {
    fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.length(self.of_length.len())?;
        for SameLength { text, common, letters } in &self.of_length {
            out.bytes(text.as_bytes())?;
            out.bytes(common)?;
            out.list(letters, u32::to_le_bytes)?;
        }
        let mut sorted = [&self.by_skeleton, &self.by_sound, &self.by_rest].into_iter();
        sorted.try_for_each(|words| out.list(words, |at| at.0.to_le_bytes()))
    }

    /// Reads words; the lists of each length agree with each other.
    fn read(input: &mut Input<impl Read>) -> io::Result<Self> {
        let mut words = Self::default();
        for length in 0..input.length()? {
            let same = SameLength {
                text: input.text()?,
                common: input.bytes()?.into_boxed_slice(),
                letters: input.list(u32::from_le_bytes)?,
            };
            let count = same.letters.len();
            let is_sound = same.common.len() == count
                && same.text.len() == count * length
                && (0..count).all(|at| same.text.is_char_boundary(at * length));
            if length > LONGEST || !is_sound {
                return Err(damaged());
            }
            words.len += count;
            words.of_length.push(same);
        }
        let sorted = [&mut words.by_skeleton, &mut words.by_sound, &mut words.by_rest];
        for list in sorted {
            *list = input.list(|bytes| WordAt(u32::from_le_bytes(bytes)))?;
        }
        let exists = |at: &WordAt| {
            words.of_length.get(at.length()).is_some_and(|same| at.index() < same.letters.len())
        };
        if ![&words.by_skeleton, &words.by_sound, &words.by_rest].into_iter().flatten().all(exists) {
            return Err(damaged());
        }
        Ok(words)
    }
}

impl Vocabulary {
    /// Writes the words. The batches that are not collected yet are left out: [`super::Index::has_words_to_learn`] says
    /// whether there are any.
    pub(super) fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        self.settled.write(out)?;
        self.recent.write(out)
    }

    pub(super) fn read(input: &mut Input<impl Read>) -> io::Result<Self> {
        let (settled, recent) = (Arc::new(Words::read(input)?), Arc::new(Words::read(input)?));
        Ok(Self { settled, recent, ..Self::default() })
    }

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

    /// Returns how common a word is: the binary logarithm of its occurrences; `None` if the catalogue does not contain
    /// it.
    pub(super) fn common(&self, word: &str) -> Option<u8> {
        self.settled.common(word).max(self.recent.common(word))
    }

    /// Returns a word of the catalogue that sounds like a folded word, or is another spelling of the name.
    pub(super) fn sounding(&self, typed: &str) -> Option<&str> {
        let mut found = Vec::new();
        if is_word(typed) {
            let typed = Typed::of(typed);
            for words in [&self.settled, &self.recent] {
                words.same(&typed, &mut found);
            }
        }
        found.into_iter().max_by_key(|(_, word)| (self.common(word), *word)).map(|(_, word)| word)
    }

    /// Returns the words of other scripts that begin with the sound of a folded word, the most common first: a reader who
    /// types sees them before the word is complete.
    pub(super) fn begun(&self, typed: &str) -> Vec<&str> {
        if !is_word(typed) || typed.chars().count() < TYPED {
            return Vec::new();
        }
        let sound = Sound::of(typed);
        let mut found: Vec<&str> =
            [&self.settled, &self.recent].iter().flat_map(|words| words.begun(typed, &sound)).collect();
        found.sort_unstable();
        found.dedup();
        found.sort_by_cached_key(|word| std::cmp::Reverse(self.common(word))); // stable
        found
    }

    /// Returns the words similar to a folded word, likeliest first; among equally likely words, those in the typed script
    /// first, then the more common ones. Leaves out words with the same skeleton if other words sound alike, and words
    /// with two errors if there is any other word.
    pub(super) fn like(&self, typed: &str) -> Vec<(Likeness, &str)> {
        let mut found = Vec::new();
        // A name with signs, as .net, is like no word.
        if !is_word(typed) || !typed.chars().all(is_of_word) {
            return found;
        }
        let (word, parts) = (Typed::of(typed), [&self.settled, &self.recent]);
        for words in parts {
            words.same(&word, &mut found);
        }
        // Words with the same skeleton count only if none is the same.
        if found.is_empty() {
            for words in parts {
                words.with_skeleton(&word, &mut found);
            }
        }
        for words in parts {
            words.mistyped(&word, &mut found);
        }
        if found.is_empty() && typed.chars().count() >= TWICE {
            for words in parts {
                words.twice(typed, &mut found);
            }
        }
        if found.iter().any(|(likeness, _)| *likeness <= Likeness::Romanised) {
            found.retain(|(likeness, _)| *likeness != Likeness::Skeleton);
        }
        found.sort_unstable();
        found.dedup();
        found.sort_by_cached_key(|(likeness, word)| {
            let other_script = typed.is_ascii() != word.is_ascii();
            (*likeness, other_script, std::cmp::Reverse(self.common(word))) // stable
        });
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

    #[test]
    fn a_word_of_another_script_is_found_by_the_sound_of_its_first_letters_the_commonest_first() {
        let titles = ["प्रेमचंद", "प्रेमचंद घर में", "प्रेमाश्रम", "preman", "பொன்னியின்", "কথা"];
        let vocabulary = Vocabulary::default().with(titles.into_iter());
        let collected = vocabulary.collected(titles.into_iter());
        let settled = vocabulary.settled_as(&collected);
        for vocabulary in [&vocabulary, &settled] {
            for (typed, begun) in [
                ("prem", &["प्रेमचंद", "प्रेमाश्रम"][..]),
                ("premch", &["प्रेमचंद"]),
                ("ponni", &["பொன்னியின்"]),
                ("pre", &[]),
                ("प्रेम", &["preman"]),
                ("xyzz", &[]),
                (".net", &[]),
            ] {
                let found: Vec<String> =
                    vocabulary.begun(&fold(typed)).into_iter().map(str::to_owned).collect();
                assert_eq!(found, begun.iter().map(|word| fold(word)).collect::<Vec<_>>(), "{typed}");
            }
        }
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

    #[test]
    fn an_error_in_the_first_letter_is_found_in_every_script() {
        let vocabulary = Vocabulary::default().with(["hobbit गोदान azərbaycan"].into_iter());
        for (typed, word) in [
            ("obbit", "hobbit"),
            ("xhobbit", "hobbit"),
            ("jobbit", "hobbit"),
            ("ohbbit", "hobbit"),
            ("ोगदान", "गोदान"),
            ("रगोदान", "गोदान"),
            ("सोदान", "गोदान"),
        ] {
            assert_eq!(vocabulary.like(typed), [(Likeness::FirstLetter, word)], "{typed}");
        }
        assert_eq!(
            vocabulary.like("azerbaycan"),
            [(Likeness::Twice, "azərbaycan")],
            "a letter that folding keeps"
        );
    }

    /// Returns the optimal string alignment distance of two words.
    fn errors(one: &[char], other: &[char]) -> usize {
        let mut errors: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
        for i in 1..=one.len() {
            let mut row = vec![i];
            for j in 1..=other.len() {
                let replaced = errors[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
                let is_swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
                let swapped = if is_swapped { errors[i - 2][j - 2] + 1 } else { usize::MAX };
                row.push(replaced.min(errors[i - 1][j] + 1).min(row[j - 1] + 1).min(swapped));
            }
            errors.push(row);
        }
        errors[one.len()][other.len()]
    }

    proptest! {
        #[test]
        fn two_errors_are_found_in_every_script(one in "[abcé]{1,8}|[गोदन]{1,6}", other in "[abcé]{1,8}|[गोदन]{1,6}") {
            let letters = |word: &str| word.chars().collect::<Vec<_>>();
            let expected = one.chars().next() == other.chars().next()
                && errors(&letters(&one), &letters(&other)) <= 2;
            prop_assert_eq!(is_two_errors(&one, &other), expected);
        }

        #[test]
        fn errors_are_found_in_every_script(one in "[abcé]{1,6}|[गोदन]{1,5}", other in "[abcé]{1,6}|[गोदन]{1,5}") {
            let letters = |word: &str| word.chars().collect::<Vec<_>>();
            let expected = one.is_ascii() == other.is_ascii() && is_near(&letters(&one), &letters(&other));
            prop_assert_eq!(is_one_error(&one, &other), expected);
        }

        #[test]
        fn the_words_found_are_those_that_are_alike(
            texts in proptest::collection::vec("([abero]{2,9} |[रामनेों]{2,8} |[மநகரிெ]{2,6} |[মনবরীে]{2,6} ){0,5}", 1..8), typed in "[abero]{3,9}|[रामनेों]{3,8}|[மநகரிெ]{3,6}|[মনবরীে]{3,6}", at_once in any::<bool>(),
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
            if expected.iter().any(|(likeness, _)| *likeness <= Likeness::Romanised) {
                expected.retain(|(likeness, _)| *likeness != Likeness::Skeleton);
            }
            if expected.iter().any(|(likeness, _)| *likeness != Likeness::Twice) {
                expected.retain(|(likeness, _)| *likeness != Likeness::Twice);
            }
            expected.sort_by_key(|(likeness, word)| {
                let other_script = typed.is_ascii() != word.is_ascii();
                (*likeness, other_script, std::cmp::Reverse(vocabulary.common(word)), *word)
            });
            prop_assert_eq!(vocabulary.like(&typed), expected);
        }
    }
}
