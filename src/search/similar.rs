//! Fuzzy search: the books that another spelling of the query finds.
//!
//! A variant of the query replaces some of its words by similar words of the catalogue: with one typing error, or in
//! another script. The likeliest variants are searched like any other text. Their results are returned separately from
//! the exact matches.

use std::collections::HashSet;

use super::filter::Filter;
use super::fit::{self, Fit, has_whole};
use super::index::Snapshot;
use super::matching::{Wanted, searched};
use super::order::Place;
use super::vocabulary::{Likeness, Vocabulary};
use super::{Field, Sort};

/// Number of exact matches below which other spellings are tried.
pub(super) const FEW: usize = 10;

/// Maximum number of books found by other spellings: four rows of six cards, the length of a page.
pub(super) const MOST: usize = 24;

/// Maximum number of words in the query, of other spellings per word, and of variants of the whole query.
const WORDS: usize = 5;
pub(super) const SPELLINGS: usize = 8;
const VARIANTS: usize = 8;

/// Budget for all variants together, in blocks of 32 titles: a quarter of a million titles. Common words are in most
/// blocks, so eight variants of them would read the whole catalogue eight times. Checking one record costs four blocks.
const EFFORT: usize = 8_000;
const RECORD_COST: usize = 4;

/// Number of matches at which the search for a variant stops.
const ENOUGH: usize = 4 * MOST;

/// A book found by another spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Similar {
    pub id: i64,
    /// The words that found it instead of those typed, folded.
    pub spelled: Vec<String>,
}

/// The query with some words in another spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Variant {
    words: Vec<String>,
    spelled: Vec<String>,
    cost: usize,
}

/// Cost of keeping a typed word that is not in the catalogue although a similar one is.
const UNKNOWN: usize = 5;

fn cost(likeness: Likeness) -> usize {
    match likeness {
        Likeness::Skeleton => 1,
        Likeness::Typing => 2,
        Likeness::FirstLetter => 3,
    }
}

/// Returns the variants of a folded query, likeliest first.
fn variants(needle: &str, vocabulary: &Vocabulary) -> Vec<Variant> {
    let words = fit::words(needle);
    if words.len() > WORDS {
        return Vec::new();
    }
    let mut variants = vec![Variant::default()];
    for word in words {
        let mut like = vocabulary.like(&word.text);
        like.truncate(SPELLINGS);
        let unknown = !like.is_empty() && !vocabulary.has(&word.text);
        let mut longer = Vec::with_capacity(variants.len() * (like.len() + 1));
        for variant in variants {
            for (likeness, spelled) in &like {
                let mut next = variant.clone();
                next.words.push((*spelled).to_owned());
                next.spelled.push((*spelled).to_owned());
                next.cost += cost(*likeness);
                longer.push(next);
            }
            let mut as_typed = variant;
            as_typed.words.push(word.text.clone());
            as_typed.cost += if unknown { UNKNOWN } else { 0 };
            longer.push(as_typed);
        }
        longer.sort_by_key(|variant| variant.cost); // stable
        // One of them is the query as typed.
        longer.truncate(VARIANTS + 1);
        variants = longer;
    }
    variants.retain(|variant| !variant.spelled.is_empty());
    variants
}

/// Finds books by other spellings of a folded query, except the `exact` matches: those of the likeliest variant first,
/// and for each variant by fit and then by title.
pub(super) fn find(
    snapshot: &Snapshot,
    needle: &str,
    field: Field,
    filter: Filter,
    exact: &HashSet<i64>,
) -> Vec<Similar> {
    let mut search =
        Search { snapshot, field, filter, effort: EFFORT, seen: exact.clone(), found: Vec::new() };
    for variant in variants(needle, &snapshot.vocabulary) {
        if search.found.len() >= MOST || search.effort == 0 {
            break;
        }
        search.search_variant(&variant);
    }
    search.found
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
    fn search_variant(&mut self, variant: &Variant) {
        let order = &self.snapshot.by_title;
        let text = variant.words.join(" ");
        let wanted = Wanted::new(&text, self.field, Sort::Title, self.filter);
        let scattered = wanted.scattered.as_ref().filter(|_| variant.words.len() > 1);
        let mut found: Vec<(Fit, Place)> = Vec::new();
        for (chunk, records) in order.pieces(Place::START..order.end()) {
            let own = &order.chunks[chunk];
            let blocks = wanted.matcher.blocks(own) + scattered.map_or(0, |scattered| scattered.blocks(own));
            if blocks == 0 {
                continue;
            }
            self.spend(blocks);
            for index in wanted.matcher.matches(own, records.clone()) {
                self.spend(RECORD_COST);
                let place = Place { chunk, index };
                if self.has_words(variant, place) {
                    found.push((wanted.fit(order, place), place));
                }
            }
            if let Some(scattered) = scattered {
                let candidates = scattered.candidates(own, records);
                self.spend(candidates.len() * RECORD_COST);
                let places = candidates.into_iter().map(|index| Place { chunk, index });
                let places = places.filter(|place| {
                    self.filter.admits(own, place.index)
                        && self.has_words(variant, *place)
                        && scattered.accepts(order.record(*place).text)
                });
                found.extend(places.map(|place| (Fit::Scattered, place)));
            }
            if self.effort == 0 || found.len() >= ENOUGH {
                break;
            }
        }
        found.sort_unstable();
        for (_, place) in found {
            let id = order.record(place).id;
            if self.found.len() < MOST && self.seen.insert(id) {
                self.found.push(Similar { id, spelled: variant.spelled.clone() });
            }
        }
    }

    fn spend(&mut self, effort: usize) {
        self.effort = self.effort.saturating_sub(effort);
    }

    /// Returns whether a record contains the words in another spelling as whole words, as the screen states.
    fn has_words(&self, variant: &Variant, place: Place) -> bool {
        let text = self.snapshot.by_title.record(place).text;
        variant.spelled.iter().all(|word| has_whole(searched(text, self.field), word))
    }
}
