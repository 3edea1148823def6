//! Matching: finds the records of a chunk that match a query.

use std::iter;
use std::ops::Range;

use memchr::memchr;

use super::chunk::SEPARATOR;
use super::filter::Filter;
use super::fit::{self, Fit, Scattered};
use super::order::{Order, Place};
use super::signature::{Blocks, Finder};
use super::{Field, Sort};

/// A query prepared for matching.
pub(super) struct Wanted<'n> {
    /// Folded text of the query.
    pub(super) needle: &'n str,
    pub(super) field: Field,
    sort: Sort,
    pub(super) matcher: Matcher<'n>,
    pub(super) scattered: Option<Scattered>,
    /// Possible fits of a match, best first.
    pub(super) fits: &'static [Fit],
}

impl<'n> Wanted<'n> {
    /// Prepares a folded query for an order.
    pub(super) fn new(order: &Order, needle: &'n str, field: Field, filter: Filter) -> Self {
        Self::within(order, &order.all_blocks(), needle, field, filter)
    }

    /// Prepares a folded query that only these blocks of each chunk may match.
    pub(super) fn within(
        order: &Order,
        blocks: &[Blocks],
        needle: &'n str,
        field: Field,
        filter: Filter,
    ) -> Self {
        let sort = order.sort;
        let fits: &[Fit] = match sort {
            _ if needle.is_empty() => &[Fit::Exact],
            Sort::Title => &[Fit::Exact, Fit::Begins, Fit::Words, Fit::Contains, Fit::Scattered],
            Sort::Newest | Sort::Popular | Sort::Author => &[Fit::Contains, Fit::Scattered],
        };
        let scattered = Scattered::new(order, blocks, needle, field);
        let finder = (!needle.is_empty()).then(|| Finder::new(order, needle, blocks));
        Self { needle, field, sort, matcher: Matcher { finder, field, filter }, scattered, fits }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.needle.is_empty()
    }

    /// Counts the matches in a chunk.
    pub(super) fn count(&self, order: &Order, number: usize) -> usize {
        let chunk = &*order.chunks[number];
        let mut contained = vec![false; chunk.len()];
        match &self.matcher.finder {
            // With a match in most blocks, one scan of the whole text is fastest.
            Some(finder) if self.field == Field::Any && finder.blocks(number) > 16 => {
                let mut index = 0;
                while let Some(found) = finder.find_in(&chunk.text, chunk.start(index)) {
                    while chunk.start(index + 1) <= found {
                        index += 1;
                    }
                    contained[index] = self.matcher.filter.admits(chunk, index);
                    index += 1;
                }
            }
            _ => {
                let matches = self.matcher.matches(order, number, 0..chunk.len());
                matches.for_each(|index| contained[index] = true);
            }
        }
        let others = self.scattered.as_ref().map_or(0, |scattered| {
            let candidates = scattered.candidates(order, number, 0..chunk.len()).into_iter();
            let others =
                candidates.filter(|index| !contained[*index] && self.matcher.filter.admits(chunk, *index));
            others.filter(|index| scattered.accepts(chunk.record(*index).text)).count()
        });
        contained.into_iter().filter(|is_in| *is_in).count() + others
    }

    /// Returns the fit of the matching record at a place.
    pub(super) fn fit(&self, order: &Order, place: Place) -> Fit {
        if self.is_blank() {
            return Fit::Exact;
        }
        let chunk = &order.chunks[place.chunk];
        if self.scattered.is_some()
            && self.matcher.first(order, place.chunk, place.index..place.index + 1).is_none()
        {
            return Fit::Scattered;
        }
        match self.sort {
            Sort::Title => Fit::of(chunk.record(place.index).text, self.needle, self.field),
            Sort::Newest | Sort::Popular | Sort::Author => Fit::Contains,
        }
    }
}

/// Returns the part of a record's text that a query searches.
pub(super) fn searched(text: &str, field: Field) -> &str {
    if field == Field::Title { fit::title(text) } else { text }
}

/// Finds the records that contain the folded text of a query. Every record contains a blank text.
pub(super) struct Matcher<'n> {
    finder: Option<Finder<'n>>,
    field: Field,
    pub(super) filter: Filter,
}

impl Matcher<'_> {
    /// Counts the blocks of a chunk that a search reads.
    pub(super) fn blocks(&self, chunk: usize) -> usize {
        self.finder.as_ref().map_or(0, |finder| finder.blocks(chunk))
    }

    /// Returns whether a chunk may have a match.
    pub(super) fn may_match(&self, chunk: usize) -> bool {
        self.finder.as_ref().is_none_or(|finder| finder.blocks(chunk) > 0)
    }

    /// Returns the matches among these records of a chunk, first to last.
    pub(super) fn matches(
        &self,
        order: &Order,
        chunk: usize,
        mut records: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        iter::from_fn(move || {
            let index = self.first(order, chunk, records.clone())?;
            records.start = index + 1;
            Some(index)
        })
    }

    fn first(&self, order: &Order, number: usize, mut records: Range<usize>) -> Option<usize> {
        let chunk = &*order.chunks[number];
        let Some(finder) = &self.finder else {
            return records.find(|index| self.filter.admits(chunk, *index));
        };
        // A genre has few books, so checking each of them is faster than scanning.
        if self.filter.genre.is_some() {
            return records.find(|index| {
                self.filter.admits(chunk, *index)
                    && finder.may_have(number, *index, chunk.len())
                    && finder.is_in(searched(chunk.record(*index).text, self.field))
            });
        }
        while !records.is_empty() {
            let at = finder.find(order, number, records.clone())?;
            let index = chunk.holding(at);
            let within = &chunk.text.as_bytes()[at..chunk.start(index + 1)];
            // A separator behind the match shows that the match is in the title.
            let in_field = self.field == Field::Any || memchr(SEPARATOR as u8, within).is_some();
            if in_field && self.filter.admits(chunk, index) {
                return Some(index);
            }
            records.start = index + 1;
        }
        None
    }
}
