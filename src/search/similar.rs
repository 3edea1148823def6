//! Fuzzy search: guesses the meaning of a query that no book matches, and finds books by other spellings.
//!
//! A variant of the query replaces some words with similar words of the catalogue (in another script or spelling, or with
//! a typing error), or adds or removes a blank. If the query matches nothing, the likeliest variant with a match is
//! searched instead, and without such a variant the query with fewer words. The results of the other variants are
//! returned separately.

use std::collections::{HashMap, HashSet};

use super::Field;
use super::filter::Filter;
use super::fit::{self, BETWEEN, Grade, Rank, Whole};
use super::index::Snapshot;
use super::matching::{Wanted, searched};
use super::order::Place;
use super::signature::{buckets, whole_words};
use super::vocabulary::{self, Likeness, Vocabulary, likeness};

/// Number of exact matches below which other spellings are tried.
pub(super) const FEW: usize = 10;

/// Maximum number of books found by other spellings: four rows of six cards, the length of a page.
pub(super) const MOST: usize = 24;

/// Maximum number of words in the query, of other spellings per word, and of variants of the whole query.
const WORDS: usize = 5;
pub(super) const SPELLINGS: usize = 8;
const VARIANTS: usize = 12;

/// Budget for all variants together, in blocks of 32 titles: an eighth of a million titles. Common words are in most
/// blocks, so eight variants of them would read the whole catalogue eight times. Checking one record costs four blocks.
const EFFORT: usize = 4_000;
const RECORD_COST: usize = 4;

/// Maximum number of equally likely variants compared with the first one that matches.
const TRIED: usize = 4;

/// Number of matches at which the search for a variant stops.
const ENOUGH: usize = 4 * MOST;

/// A book found by another spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Similar {
    pub id: i64,
    /// Folded words that found the book in place of the typed ones; empty if typed words were left out.
    pub spelled: Vec<String>,
}

/// The text that is searched instead of a query that matches no book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meant {
    /// Words of the text, folded.
    pub words: Vec<String>,
    /// True if some of the typed words are left out.
    pub fewer: bool,
}

/// The query with some words in another spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variant {
    words: Vec<String>,
    spelled: Vec<String>,
    /// Words typed without blanks, up to a number, if one of them is so short that it is in many books.
    phrases: Vec<Vec<String>>,
    cost: usize,
    /// All books that match, if they are known.
    known: Option<Vec<(Grade, Place)>>,
}

impl Variant {
    /// Creates a variant of typed words.
    fn typed(words: Vec<String>) -> Self {
        Self { words, ..Self::default() }
    }

    fn push(&mut self, word: &str, cost: usize) {
        self.words.push(word.to_owned());
        self.spelled.push(word.to_owned());
        self.cost += cost;
    }
}

/// Cost of keeping a typed word that is not in the catalogue although a similar one is.
const UNKNOWN: usize = 14;

/// Cost of completing the last word in another script: likelier than a typing error, since books are shown while it is typed.
const BEGUN: usize = 3;

/// Cost of removing a blank, and of adding one.
const JOINED: usize = 3;
const SPLIT: usize = 5;

/// Vowels that link the words of a Persian or Urdu title; romanisations differ in them (*diwan e*, *dīvān-i*), or have none.
const LINKS: [&str; 3] = ["e", "i", "o"];

/// Maximum number of words into which a typed word with missing blanks is split.
const PARTS: usize = 4;

fn cost(likeness: Likeness) -> usize {
    match likeness {
        Likeness::Same => 0,
        Likeness::Name => 1,
        Likeness::Romanised => 2,
        Likeness::Skeleton | Likeness::Typing => 4,
        Likeness::FirstLetter => 6,
        Likeness::Twice => 9,
    }
}

/// Returns the words of a split text that must be next to each other; `None` if each names a book by itself.
fn phrase(parts: &[&str]) -> Option<Vec<String>> {
    let is_number = |part: &&&str| part.bytes().all(|letter| letter.is_ascii_digit());
    let words = || parts.iter().take_while(|part| !is_number(part));
    let is_short = |part: &&str| part.chars().count() < vocabulary::TYPED;
    (words().count() > 1 && words().any(is_short)).then(|| words().map(|part| (*part).to_owned()).collect())
}

/// Returns whether a word is likely meant by itself, without the other words of the query. One error makes another word
/// of many a short one, as *nita* of *gita*.
fn is_sure(likeness: Likeness, typed: &str) -> bool {
    const LONG: usize = 6;
    likeness <= Likeness::Romanised || likeness <= Likeness::Typing && typed.chars().count() >= LONG
}

/// Likeliest other spelling of each word of a query; `None` for a word like no other.
type Spellings = HashMap<String, Option<String>>;

/// Returns the variants of a folded query, likeliest first, and the spellings found on the way: finding the words similar
/// to one takes a quarter of a search.
pub(super) fn variants(needle: &str, vocabulary: &Vocabulary) -> (Vec<Variant>, Spellings) {
    let words: Vec<String> = fit::words(needle).into_iter().map(|word| word.text).collect();
    let mut spellings = Spellings::new();
    if words.len() > WORDS {
        return (Vec::new(), spellings);
    }
    // `of_first[n]` has the variants of the first `n` words.
    let mut of_first = vec![vec![Variant::default()]];
    let mut most = VARIANTS;
    for (at, word) in words.iter().enumerate() {
        let mut longer = Vec::new();
        let mut extend = |from: &[Variant], word: &[&str], cost: usize| {
            longer.extend(from.iter().map(|variant| {
                let mut next = variant.clone();
                for part in word {
                    next.push(part, 0);
                }
                next.phrases.extend(phrase(word));
                next.cost += cost;
                next
            }));
        };
        let mut like = vocabulary.like(word);
        like.truncate(SPELLINGS);
        spellings.insert(word.clone(), like.first().map(|(_, like)| (*like).to_owned()));
        let is_known = vocabulary.has(word);
        for (likeness, spelled) in &like {
            extend(&of_first[at], &[spelled], cost(*likeness));
        }
        if !is_known && at + 1 == words.len() {
            for spelled in vocabulary.begun(word).into_iter().take(SPELLINGS) {
                extend(&of_first[at], &[spelled], BEGUN);
            }
        }
        if !is_known {
            for (parts, rarity) in split(word, vocabulary) {
                extend(&of_first[at], &parts, SPLIT * (parts.len() - 1) + rarity);
            }
        }
        if let Some(before) = at.checked_sub(1) {
            let joined = format!("{}{word}", words[before]);
            if vocabulary.has(&joined) {
                extend(&of_first[before], &[&joined], JOINED);
            }
            if let Some(spelled) = vocabulary.sounding(&joined) {
                extend(&of_first[before], &[spelled], JOINED + cost(Likeness::Romanised));
            }
        }
        let unknown = if !like.is_empty() && !is_known { UNKNOWN } else { 0 };
        longer.extend(of_first[at].iter().map(|variant| {
            let mut as_typed = variant.clone();
            as_typed.words.push(word.clone());
            as_typed.cost += unknown;
            as_typed
        }));
        if at > 0 && LINKS.contains(&word.as_str()) {
            // Each variant once more without the vowel, after those with it, which win a tie.
            longer.extend_from_slice(&of_first[at]);
            most = 2 * VARIANTS;
        }
        longer.sort_by_key(|variant| variant.cost); // stable
        // One more than the limit, because the query as typed is usually among these variants.
        longer.truncate(most + 1);
        of_first.push(longer);
    }
    let mut variants = of_first.pop().unwrap_or_default();
    variants.retain(|variant| !variant.spelled.is_empty());
    variants.truncate(most);
    (variants, spellings)
}

/// Splits a word into words of the catalogue, in the three likeliest ways, each with the rarity of its parts. The parts
/// have three letters or more, or are short words that many titles have.
fn split<'w>(word: &'w str, vocabulary: &Vocabulary) -> Vec<(Vec<&'w str>, usize)> {
    const SHORT: [&str; 16] =
        ["a", "of", "in", "to", "on", "at", "my", "me", "no", "by", "an", "it", "is", "we", "up", "pi"];
    let rarity = |part: &str| {
        if SHORT.contains(&part) || part.bytes().all(|letter| letter.is_ascii_digit()) {
            return Some(0);
        }
        // A part that occurs in few books is often an accidental match, so it costs more, and one of three letters must
        // occur in sixteen.
        vocabulary
            .common(part)
            .map(|common| 6_usize.saturating_sub(usize::from(common)))
            .filter(|rarity| *rarity < 3 || part.len() > 3)
    };
    // `ways[n]` has the best ways to split the first `n` bytes.
    let mut ways: Vec<Vec<(Vec<&str>, usize)>> = vec![Vec::new(); word.len() + 1];
    ways[0].push((Vec::new(), 0));
    for end in 1..=word.len() {
        let mut found = Vec::new();
        for start in (0..end).filter(|start| word.is_char_boundary(*start) && word.is_char_boundary(end)) {
            let part = &word[start..end];
            if ways[start].is_empty() || part.len() == word.len() {
                continue;
            }
            let Some(rarity) = rarity(part) else { continue };
            for (parts, cost) in ways[start].iter().filter(|(parts, _)| parts.len() < PARTS) {
                found.push((parts.iter().copied().chain([part]).collect::<Vec<_>>(), cost + rarity));
            }
        }
        found.sort_by_key(|(parts, cost)| SPLIT * parts.len() + cost);
        found.truncate(3);
        ways[end] = found;
    }
    ways.pop().unwrap_or_default()
}

/// Finds the text to search instead of a folded query that no book matches, given its [`variants`]. Keeps the matches of
/// the variants that it tried.
pub(super) fn meant(
    snapshot: &Snapshot,
    needle: &str,
    (variants, spellings): (&mut [Variant], &Spellings),
    field: Field,
    filter: Filter,
) -> Option<Meant> {
    let mut search =
        Search { snapshot, field, filter, effort: EFFORT, seen: HashSet::new(), found: Vec::new() };
    if let Some(words) = search.best_of(variants) {
        return Some(Meant { words, fewer: false });
    }
    search.effort = EFFORT / 2;
    search.fewer(needle, spellings).map(|words| Meant { words, fewer: true })
}

/// Words that name no book by themselves.
const COMMON: [&str; 14] = [
    "the", "and", "for", "with", "from", "book", "books", "novel", "pdf", "ebook", "edition", "by", "of",
    "in",
];

/// Words that a reader adds to a title or a name.
const ADDED: [&str; 6] = ["book", "books", "novel", "pdf", "ebook", "edition"];

/// Maximum number of words in a query that is tried again with fewer words.
const MOST_WORDS: usize = 12;

/// Finds books by the variants of a query, except the `exact` matches: those of the likeliest variant first,
/// and for each variant by fit and then by title. The last variant leaves out words such as *book*.
pub(super) fn find(
    snapshot: &Snapshot,
    needle: &str,
    variants: &[Variant],
    field: Field,
    filter: Filter,
    exact: &HashSet<i64>,
) -> Vec<Similar> {
    let mut search =
        Search { snapshot, field, filter, effort: EFFORT, seen: exact.clone(), found: Vec::new() };
    for variant in variants {
        if search.found.len() >= MOST || search.effort == 0 {
            break;
        }
        search.search_variant(variant);
    }
    let spelled_otherwise = search.found.len();
    if let Some(variant) = without_added(needle) {
        search.search_variant(&variant);
    }
    for similar in &mut search.found[spelled_otherwise..] {
        similar.spelled.clear();
    }
    search.found
}

/// Returns the query without the words that a reader adds to a title or a name; `None` if there are none, or no others.
fn without_added(needle: &str) -> Option<Variant> {
    let typed = fit::words(needle).into_iter().map(|word| word.text);
    let (added, words): (Vec<String>, Vec<String>) = typed.partition(|word| ADDED.contains(&word.as_str()));
    let is_shorter = !added.is_empty() && words.iter().any(|word| word.len() >= vocabulary::TYPED);
    is_shorter.then(|| Variant { spelled: words.clone(), ..Variant::typed(words) })
}

/// Returns whether similar books are likelier meant than the matches of a query: each match has a word of the query only
/// inside a longer word, and the first similar book has the words in another script or romanisation.
pub(super) fn is_likelier<'t>(
    needle: &str,
    similar: &[Similar],
    mut matches: impl Iterator<Item = &'t str>,
) -> bool {
    let typed = fit::words(needle);
    let is_same_word = |spelled: &String| {
        let mut found = typed.iter().filter_map(|word| likeness(&word.text, spelled));
        found.any(|likeness| likeness <= Likeness::Romanised)
    };
    similar.first().is_some_and(|first| !first.spelled.is_empty() && first.spelled.iter().all(is_same_word))
        && matches.all(|text| !typed.iter().all(|word| fit::begins_word(text, &word.text)))
}

struct Search<'s> {
    snapshot: &'s Snapshot,
    field: Field,
    filter: Filter,
    effort: usize,
    seen: HashSet<i64>,
    found: Vec<Similar>,
}

impl Search<'_> {
    /// Returns the words of the best of the variants of lowest cost that match a book.
    fn best_of(&mut self, variants: &mut [Variant]) -> Option<Vec<String>> {
        let mut best: Option<(Grade, &Variant)> = None;
        let mut tried = 0;
        for variant in variants {
            if self.effort == 0 || tried == TRIED || best.is_some_and(|(_, best)| variant.cost > best.cost) {
                break;
            }
            tried += usize::from(best.is_some());
            if let Some(grade) = self.best_grade(variant)
                && best.is_none_or(|(lowest, _)| grade < lowest)
            {
                best = Some((grade, variant));
            }
        }
        best.map(|(_, variant)| variant.words.clone())
    }

    /// Prepares the text of a variant for the catalogue: searches only blocks that may have its other spellings as whole
    /// words, and its phrases.
    fn wanted<'t>(&self, variant: &Variant, text: &'t str) -> Wanted<'t> {
        let order = &self.snapshot.by_title;
        let mut blocks = order.narrow(&order.all_blocks(), &whole_words(&variant.spelled));
        for pair in variant.phrases.iter().flat_map(|phrase| phrase.windows(2)) {
            let [one, other] = BETWEEN.map(|sign| order.narrow(&blocks, &buckets(&pair.join(sign))));
            blocks = one.into_iter().zip(other).map(|(one, other)| one | other).collect();
        }
        Wanted::within(order, &blocks, text, self.field, self.filter)
    }

    /// Returns the grade of the best match of a variant; `None` without a match.
    fn best_grade(&mut self, variant: &mut Variant) -> Option<Grade> {
        let (found, is_all) = self.books_of(variant);
        let best = found.iter().map(|(grade, _)| *grade).min();
        variant.known = is_all.then_some(found);
        best
    }

    /// Returns the books that match a variant and have its words in another spelling as whole words, and whether these are
    /// all.
    fn books_of(&mut self, variant: &Variant) -> (Vec<(Grade, Place)>, bool) {
        let order = &self.snapshot.by_title;
        let text = variant.words.join(" ");
        let (wanted, whole) = (self.wanted(variant, &text), Whole::of(&variant.spelled, &variant.phrases));
        // A whole word is contained in the text, so only several words may be scattered.
        let is_one_word = variant.words.len() == 1 && !variant.spelled.is_empty();
        let scattered = wanted.scattered.as_ref().filter(|_| !is_one_word);
        let rank = Rank::new(&text, self.field);
        let (mut found, mut read) = (Vec::new(), 0);
        for (chunk, records) in order.pieces(Place::START..order.end()) {
            let own = &order.chunks[chunk];
            let blocks =
                wanted.matcher.blocks(chunk) + scattered.map_or(0, |scattered| scattered.blocks(chunk));
            if blocks == 0 {
                continue;
            }
            if self.effort == 0 || read >= ENOUGH {
                return (found, false);
            }
            let is_whole = |index: &usize| whole.is_in(searched(own.record(*index).text, self.field));
            let mut matches: Vec<usize> = wanted.matcher.matches(order, chunk, records.clone()).collect();
            let mut cost = blocks + matches.len() * RECORD_COST;
            matches.retain(is_whole);
            read += matches.len();
            if let Some(scattered) = scattered {
                let mut others = scattered.candidates(order, chunk, records);
                cost += others.len() * RECORD_COST;
                others.retain(|index| {
                    is_whole(index)
                        && !matches.contains(index)
                        && self.filter.admits(own, *index)
                        && scattered.accepts(own.record(*index).text)
                });
                read += others.len();
                matches.extend(others);
            }
            self.spend(cost);
            let matches = matches.into_iter().map(|index| {
                let record = own.record(index);
                (rank.of(record.text, record.weight), Place { chunk, index })
            });
            found.extend(matches);
        }
        (found, true)
    }

    /// Leaves out words of a query until books match: one word if that is enough, otherwise every word that matches no
    /// book together with rarer words.
    fn fewer(&mut self, needle: &str, spellings: &Spellings) -> Option<Vec<String>> {
        let vocabulary = &self.snapshot.vocabulary;
        let typed: Vec<String> =
            fit::words(needle).into_iter().map(|word| word.text).take(MOST_WORDS).collect();
        let known = |word: String| {
            if vocabulary.has(&word) || word.len() < 3 || word.contains(char::is_numeric) {
                return Some(word);
            }
            let like = spellings.get(&word).cloned();
            like.unwrap_or_else(|| vocabulary.like(&word).first().map(|(_, like)| (*like).to_owned()))
                .filter(|like| likeness(&word, like).is_some_and(|likeness| is_sure(likeness, &word)))
        };
        let count = typed.len();
        let words: Vec<String> = typed.into_iter().filter_map(known).collect();
        let names_books = |words: &Vec<String>| {
            words.iter().any(|word| word.len() >= 3 && !COMMON.contains(&word.as_str()))
        };
        let mut all = (words.len() < count && names_books(&words)).then(|| Variant::typed(words.clone()));
        if let Some(words) = self.best_of(all.as_mut_slice()) {
            return Some(words);
        }
        let without = |left_out: usize| {
            let mut words = words.clone();
            words.remove(left_out);
            words
        };
        let mut one_less: Vec<Variant> =
            (0..words.len()).map(without).filter(names_books).map(Variant::typed).collect();
        if words.len() > 2
            && let Some(words) = self.best_of(&mut one_less)
        {
            return Some(words);
        }
        self.effort = EFFORT / 2;
        // Rarest first; each further word that still matches is kept.
        let mut rarest: Vec<usize> = (0..words.len()).collect();
        rarest.sort_by_key(|at| {
            (COMMON.contains(&words[*at].as_str()), vocabulary.common(&words[*at]).unwrap_or(u8::MAX))
        });
        let mut kept: Vec<usize> = Vec::new();
        for at in rarest {
            let mut more = kept.clone();
            more.push(at);
            more.sort_unstable();
            let text: Vec<String> = more.iter().map(|at| words[*at].clone()).collect();
            if names_books(&text) && self.best_grade(&mut Variant::typed(text)).is_some() {
                kept = more;
            }
        }
        let kept: Vec<String> = kept.into_iter().map(|at| words[at].clone()).collect();
        (!kept.is_empty()).then_some(kept)
    }

    /// Adds the books of a variant, best first.
    fn search_variant(&mut self, variant: &Variant) {
        let mut found = variant.known.clone().unwrap_or_else(|| self.books_of(variant).0);
        found.sort_unstable();
        for (_, place) in found {
            let id = self.snapshot.by_title.record(place).id;
            if self.found.len() < MOST && self.seen.insert(id) {
                self.found.push(Similar { id, spelled: variant.spelled.clone() });
            }
        }
    }

    fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_sub(effort);
    }
}
