//! The books that are found by another spelling of what somebody typed.
//!
//! Every word may be written as one that is like it: with one typing error, or in another script. A few variants of the
//! text are made of such words, the likeliest first, and looked for as any other text. What they find stands beside the
//! exact hits, never among them.

use std::collections::HashSet;

use super::fit::{self, Fit, has_whole};
use super::vocabulary::{Likeness, Vocabulary};
use super::{Field, Place, Snapshot, Sort, Wanted};

/// Other spellings are looked for where fewer books than this match.
pub(super) const FEW: usize = 10;

/// The most books found by other spellings: four rows of six cards, as the length of a page.
pub(super) const MOST: usize = 24;

/// The longest text, in words, and the most spellings of one word and of the whole text.
const WORDS: usize = 6;
pub(super) const SPELLINGS: usize = 8;
const VARIANTS: usize = 12;

/// How many records that contain a variant somewhere are looked at for its words, so that a search for a rare word which
/// is a part of many others ends in time. One whose words have to be taken apart counts for ten.
const EFFORT: usize = 40_000;
const TAKEN_APART: usize = 10;

/// A book that another spelling finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Similar {
    pub id: i64,
    /// The words by which it was found instead of those typed, folded.
    pub spelled: Vec<String>,
}

/// A text with some words in another spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Variant {
    words: Vec<String>,
    spelled: Vec<String>,
    cost: usize,
}

/// A word nobody wrote is not what was meant, if there is one like it.
const UNKNOWN: usize = 5;

fn cost(likeness: Likeness) -> usize {
    match likeness {
        Likeness::Skeleton => 1,
        Likeness::Typing => 2,
        Likeness::FirstLetter => 3,
    }
}

/// The variants of a folded text, the likeliest first.
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
        // One is the text as it was typed.
        longer.truncate(VARIANTS + 1);
        variants = longer;
    }
    variants.retain(|variant| !variant.spelled.is_empty());
    variants
}

/// The books that other spellings of a folded text find, besides those that the text itself finds: those of the likeliest
/// spelling first, each by how well they fit and then by title.
pub(super) fn find(snapshot: &Snapshot, needle: &str, field: Field, exact: &HashSet<i64>) -> Vec<Similar> {
    let mut search = Search { snapshot, field, effort: EFFORT, seen: exact.clone(), found: Vec::new() };
    for variant in variants(needle, &snapshot.vocabulary) {
        if search.found.len() >= MOST || search.effort == 0 {
            break;
        }
        search.look_for(&variant);
    }
    search.found
}

struct Search<'s> {
    snapshot: &'s Snapshot,
    field: Field,
    effort: usize,
    seen: HashSet<i64>,
    found: Vec<Similar>,
}

impl Search<'_> {
    fn look_for(&mut self, variant: &Variant) {
        let order = &self.snapshot.by_title;
        let text = variant.words.join(" ");
        let wanted = Wanted::new(&text, self.field, Sort::Title);
        let mut found: Vec<(Fit, Place)> = Vec::new();
        for place in order.matches(Place::START..order.end(), &wanted.matcher).take(self.effort) {
            self.effort -= 1;
            if self.has_words(variant, place) {
                found.push((wanted.fit(order, place), place));
            }
        }
        if let Some(scattered) = wanted.scattered.as_ref().filter(|_| variant.words.len() > 1) {
            for (chunk, records) in order.pieces(Place::START..order.end()) {
                let candidates = scattered.candidates(&order.chunks[chunk], records);
                self.effort = self.effort.saturating_sub(candidates.len() * TAKEN_APART);
                let places = candidates.into_iter().map(|index| Place { chunk, index });
                let places = places.filter(|place| {
                    self.has_words(variant, *place) && scattered.accepts(order.record(*place).text)
                });
                found.extend(places.map(|place| (Fit::Scattered, place)));
                if self.effort == 0 || found.len() > MOST * 2 {
                    break;
                }
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

    /// Whether the words of another spelling stand in a record as whole words: that is what a reader is told.
    fn has_words(&self, variant: &Variant, place: Place) -> bool {
        let text = self.snapshot.by_title.record(place).text;
        let searched = if self.field == Field::Title { fit::title(text) } else { text };
        variant.spelled.iter().all(|word| has_whole(searched, word))
    }
}
