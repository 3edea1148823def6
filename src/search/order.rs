//! Orders: all records sorted in chunks, read from any place in both directions, changed by merging.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use super::chunk::{CHUNK, Chunk, Position, Record, SMALL_CHUNK, cut, in_chunks, in_parts};
use super::cursor::{Cursor, Direction, Edge};
use super::fit::{ARTICLES, Fit, Grade, Rank, without_article};
use super::matching::{Matcher, Wanted};
use super::signature::{Blocks, Signatures, TOGETHER};
use super::{Page, Sort};
use crate::fold::sort_key;

/// Maximum number of threads that count together, and number of chunks below which one thread is as fast.
const MOST_COUNTING: usize = 4;
const COUNTED_ALONE: usize = 64;

/// Place of a record in an order, or the end of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) chunk: usize,
    pub(super) index: usize,
}

impl Place {
    pub(super) const START: Self = Self { chunk: 0, index: 0 };
}

/// All records, ascending by [`Position`]. No chunk is empty.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) sort: Sort,
    pub(super) len: usize,
    pub(super) chunks: Vec<Arc<Chunk>>,
    /// Signatures of the first chunks, of those after them, and so on.
    pub(super) signatures: Vec<Arc<Signatures>>,
}

impl Order {
    pub(super) fn empty(sort: Sort) -> Self {
        Self { sort, len: 0, chunks: Vec::new(), signatures: Vec::new() }
    }

    /// Returns the chunk that contains, or would contain, the first record for which `passed` is false.
    fn chunk_for(&self, passed: impl Fn(Position<'_>) -> bool) -> usize {
        self.chunks.partition_point(|chunk| passed(self.sort.position(chunk.record(0)))).saturating_sub(1)
    }

    /// Returns the place of the first record after the cursor.
    pub(super) fn find(&self, cursor: &Cursor) -> Place {
        self.partition_point(|position| cursor.passes(position))
    }

    /// Returns the place of the first record for which `passed` is false. `passed` must be monotonic.
    fn partition_point(&self, passed: impl Fn(Position<'_>) -> bool) -> Place {
        let chunk = self.chunk_for(&passed);
        let index = self
            .chunks
            .get(chunk)
            .map_or(0, |chunk| chunk.partition_point(0, |record| passed(self.sort.position(record))));
        Place { chunk, index }
    }

    /// Sets in place whether this record's book has a copy on the shelf.
    pub(super) fn set_available(&self, record: Record<'_>) {
        let own = self.sort.position(record);
        let chunk = &self.chunks[self.chunk_for(|first| first <= own)];
        let index = chunk.partition_point(0, |other| self.sort.position(other) < own);
        chunk.available[index].store(record.available, Ordering::Relaxed);
    }

    /// Counts the matches.
    pub(super) fn count(&self, wanted: &Wanted<'_>) -> usize {
        if wanted.is_blank() && wanted.matcher.filter.is_everything() {
            return self.len;
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_COUNTING);
        let chunks = self.chunks.len();
        let share = chunks.div_ceil(threads).max(1);
        let count = |chunks: Range<usize>| chunks.map(|chunk| wanted.count(self, chunk)).sum();
        if chunks < COUNTED_ALONE {
            return count(0..chunks);
        }
        thread::scope(|scope| {
            let starts = (0..chunks).step_by(share);
            let shares = starts.map(|start| start..chunks.min(start + share));
            let counting: Vec<_> = shares.map(|share| scope.spawn(move || count(share))).collect();
            counting.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        })
    }

    /// Returns the matches of a query in this order with their grades; none for a blank query. If there are more than
    /// `most`, returns `most` + 1 matches, whose grades have no meaning.
    pub(super) fn found(&self, wanted: &Wanted<'_>, most: usize) -> Vec<(Grade, Place)> {
        if wanted.is_blank() {
            return Vec::new();
        }
        let limit = most.saturating_add(1);
        let everywhere = Place::START..self.end();
        let contained = self.matches(everywhere.clone(), &wanted.matcher);
        let mut found: Vec<_> = contained.take(limit).map(|place| (Fit::Contains as Grade, place)).collect();
        let room = limit - found.len();
        let scattered = self.places(wanted, Fit::Scattered, everywhere).take(room);
        found.extend(scattered.map(|place| (Fit::Scattered as Grade, place)));
        if self.sort == Sort::Title && found.len() <= most {
            let rank = Rank::new(wanted.needle, wanted.field);
            for (grade, place) in &mut found {
                let record = self.record(*place);
                *grade = rank.of(record.text, record.weight);
            }
        }
        found
    }

    /// Returns the place after the last record.
    pub(super) fn end(&self) -> Place {
        Place { chunk: self.chunks.len(), index: 0 }
    }

    /// Returns the matches between two places, first to last.
    pub(super) fn matches(&self, places: Range<Place>, matcher: &Matcher<'_>) -> impl Iterator<Item = Place> {
        let pieces = self.pieces(places).filter(|(chunk, _)| matcher.may_match(*chunk));
        pieces.flat_map(move |(chunk, records)| {
            matcher.matches(self, chunk, records).map(move |index| Place { chunk, index })
        })
    }

    /// Returns the matches of one fit between two places, first to last.
    pub(super) fn places(
        &self,
        wanted: &Wanted<'_>,
        fit: Fit,
        places: Range<Place>,
    ) -> impl Iterator<Item = Place> {
        let pieces = self.within(wanted, fit, places).into_iter().flat_map(|places| self.pieces(places));
        pieces.flat_map(move |(chunk, records)| self.fitting(wanted, fit, chunk, records))
    }

    /// Returns the matches of one fit between two places, last to first.
    pub(super) fn places_backward(
        &self,
        wanted: &Wanted<'_>,
        fit: Fit,
        places: Range<Place>,
    ) -> impl Iterator<Item = Place> {
        let within = self.within(wanted, fit, places).into_iter().rev();
        let pieces = within.flat_map(|places| self.pieces(places).rev());
        // Only forward searching is fast, so the matches within a chunk are collected first and then reversed.
        pieces.flat_map(move |(chunk, records)| {
            let (all, found) = if wanted.is_blank() {
                (Some(records), Vec::new())
            } else {
                (None, self.fitting(wanted, fit, chunk, records).collect())
            };
            let all = all.into_iter().flat_map(Iterator::rev);
            let all = all.filter(move |index| wanted.matcher.filter.admits(&self.chunks[chunk], *index));
            let all = all.map(move |index| Place { chunk, index });
            all.chain(found.into_iter().rev())
        })
    }

    /// Narrows the places to search for titles that begin with the text: they are consecutive in title order, after each
    /// article and without one.
    fn within(&self, wanted: &Wanted<'_>, fit: Fit, places: Range<Place>) -> Vec<Range<Place>> {
        if fit > Fit::Begins || wanted.is_blank() {
            return vec![places];
        }
        let text = without_article(wanted.needle);
        let mut within: Vec<Range<Place>> = Vec::new();
        let begun = |text: &str, whole: bool| {
            let key = sort_key(text);
            let start = self.partition_point(|position| position.key < key);
            let end = self
                .partition_point(|position| position.key <= key || !whole && position.key.starts_with(key));
            start..end
        };
        // A title that equals the text either ends there or continues with a series in brackets.
        let all = ARTICLES.into_iter().chain([""]).map(|article| format!("{article}{text}"));
        let mut all: Vec<_> = if fit == Fit::Exact {
            all.flat_map(|text| [begun(&text, true), begun(&format!("{text} ("), false)]).collect()
        } else {
            all.map(|text| begun(&text, false)).collect()
        };
        all.sort_by_key(|begun| (begun.start, begun.end));
        for begun in all {
            let start = within.last().map_or(begun.start, |last| begun.start.max(last.end)).max(places.start);
            let end = begun.end.min(places.end);
            if start < end {
                within.push(start..end);
            }
        }
        within
    }

    /// Returns the matches of one fit among these records of a chunk, first to last.
    fn fitting(
        &self,
        wanted: &Wanted<'_>,
        fit: Fit,
        chunk: usize,
        records: Range<usize>,
    ) -> impl Iterator<Item = Place> {
        let own = &self.chunks[chunk];
        let (contained, scattered) = match &wanted.scattered {
            _ if fit != Fit::Scattered => (Some(wanted.matcher.matches(self, chunk, records)), Vec::new()),
            Some(scattered) => {
                let mut found = scattered.matches(self, chunk, records);
                found.retain(|index| wanted.matcher.filter.admits(own, *index));
                (None, found)
            }
            None => (None, Vec::new()),
        };
        let found = contained.into_iter().flatten().chain(scattered);
        let places = found.map(move |index| Place { chunk, index });
        places.filter(move |place| wanted.fit(self, *place) == fit)
    }

    /// Splits a range of places by chunk: the number of each chunk, and the range of its records.
    pub(super) fn pieces(
        &self,
        places: Range<Place>,
    ) -> impl DoubleEndedIterator<Item = (usize, Range<usize>)> {
        let Range { start, end } = places;
        let chunks = start.chunk..self.chunks.len().min(end.chunk + 1);
        chunks.map(move |chunk| {
            let first = if chunk == start.chunk { start.index } else { 0 };
            let last = if chunk == end.chunk { end.index } else { self.chunks[chunk].len() };
            (chunk, first..last)
        })
    }

    /// Returns the page at a cut, given the matches on either side, nearest first. The caller fills in the totals.
    pub(super) fn window(
        &self,
        limit: usize,
        cursor: Option<&Cursor>,
        before: impl Iterator<Item = (Grade, Place)>,
        after: impl Iterator<Item = (Grade, Place)>,
    ) -> Page {
        let cursor_at = |place, direction, edge| self.cursor_at(place, direction, edge);
        let (places, page) = window(limit, cursor, before, after, cursor_at);
        let ids = places.iter().map(|(_, place)| self.chunks[place.chunk].ids[place.index]);
        Page { ids: ids.collect(), ..page }
    }

    pub(super) fn record(&self, place: Place) -> Record<'_> {
        self.chunks[place.chunk].record(place.index)
    }

    fn cursor_at(&self, (grade, place): (Grade, Place), direction: Direction, edge: Edge) -> Cursor {
        let record = self.record(place);
        Cursor {
            sort: self.sort,
            direction,
            edge,
            grade,
            id: record.id,
            key: self.sort.position(record).key.to_owned(),
        }
    }

    /// Returns the records with an id in the range, by descending id. Requires [`Sort::Newest`].
    pub(super) fn records_within(&self, range: &RangeInclusive<i64>) -> impl Iterator<Item = Record<'_>> {
        debug_assert_eq!(self.sort, Sort::Newest);
        let (first, last) = (self.sort.rank(*range.end()), self.sort.rank(*range.start()));
        let chunk = self.chunk_for(|position| position.rank < first);
        self.chunks[chunk..]
            .iter()
            .flat_map(|chunk| chunk.all())
            .skip_while(move |record| self.sort.rank(record.id) < first)
            .take_while(move |record| self.sort.rank(record.id) <= last)
    }

    /// Returns the record of a book in the order. Requires [`Sort::Newest`].
    pub(super) fn with_id(&self, id: i64) -> Option<Record<'_>> {
        debug_assert_eq!(self.sort, Sort::Newest);
        let rank = self.sort.rank(id);
        let chunk = self.chunks.get(self.chunk_for(|first| first.rank <= rank))?;
        let index = chunk.ids.binary_search_by_key(&rank, |id| self.sort.rank(*id)).ok()?;
        Some(chunk.record(index))
    }

    /// Builds the order of the same records by title, with two threads.
    pub(super) fn by_title(&self) -> Self {
        let sort = Sort::Title;
        // Sorts places instead of records: a million records would take 40 MB for a moment.
        let record = |(_, place): &(u64, (u32, u32))| self.chunks[place.0 as usize].record(place.1 as usize);
        // Most titles differ in the first letters, so these are compared first, without reading the texts.
        let first_letters = |record: Record<'_>| {
            let mut letters = [0; 8];
            let key = sort.position(record).key.as_bytes();
            let length = key.len().min(letters.len());
            letters[..length].copy_from_slice(&key[..length]);
            u64::from_be_bytes(letters)
        };
        let mut order: Vec<(u64, (u32, u32))> = Vec::with_capacity(self.len);
        for (number, chunk) in (0..).zip(&self.chunks) {
            order.extend(
                (0..).zip(chunk.all()).map(|(index, record)| (first_letters(record), (number, index))),
            );
        }
        let compare = |one: &_, other: &_| {
            let positions = || sort.position(record(one)).cmp(&sort.position(record(other)));
            one.0.cmp(&other.0).then_with(positions)
        };
        let middle = order.len() / 2;
        let (low, high) = order.split_at_mut(middle);
        in_two_threads(|| low.sort_unstable_by(compare), || high.sort_unstable_by(compare));
        // The stable sort detects the two sorted runs and merges them.
        order.sort_by(compare);
        let chunks_of = |order: &[_]| {
            let of = |places: &[_]| Arc::new(Chunk::of(&places.iter().map(record).collect::<Vec<_>>()));
            let chunks: Vec<Arc<Chunk>> = in_chunks(order).map(of).collect();
            let signatures = Self::empty(sort).signatures_of(&chunks);
            (chunks, signatures)
        };
        let (low, high) = order.split_at(middle);
        let (mut first, last) = in_two_threads(|| chunks_of(low), || chunks_of(high));
        first.0.extend(last.0);
        first.1.extend(last.1);
        Self { sort, len: self.len, chunks: first.0, signatures: first.1 }
    }

    /// Returns this order with the changes applied. Unchanged chunks are shared.
    pub(super) fn merge<'a>(&'a self, removed: &[Record<'a>], added: &[Record<'a>]) -> Self {
        let sort = self.sort;
        let len = self.len + added.len() - removed.len();
        let mut changes = Changes { sort, removed, added };
        let mut chunks = Vec::with_capacity(self.chunks.len() + added.len() / CHUNK + 1);
        // Records collected for new chunks, and the first old chunk not yet carried over.
        let mut run = Vec::new();
        let mut old = 0;
        while let Some(change) = changes.next() {
            let touched = self.chunk_for(|first| first <= change);
            while old < touched {
                if run.is_empty() || run.len() >= SMALL_CHUNK {
                    chunks.extend(cut(&run));
                    run.clear();
                    chunks.extend_from_slice(&self.chunks[old..touched]);
                    old = touched;
                } else {
                    run.extend(self.chunks[old].all());
                    old += 1;
                }
            }
            let Some(chunk) = self.chunks.get(touched) else {
                run.extend(added); // the order was empty
                break;
            };
            old += 1;
            let end = self.chunks.get(old).map(|next| sort.position(next.record(0)));
            changes.apply(chunk, end, &mut run);
        }
        // A small last run joins the chunk after it, or else the one before it.
        let small = !run.is_empty() && run.len() < SMALL_CHUNK;
        if small && let Some(next) = self.chunks.get(old) {
            run.extend(next.all());
            old += 1;
            chunks.extend(cut(&run));
        } else if small && let Some(previous) = chunks.pop() {
            let joined: Vec<Record<'_>> = previous.all().chain(run).collect();
            chunks.extend(cut(&joined));
        } else {
            chunks.extend(cut(&run));
        }
        chunks.extend(self.chunks.iter().skip(old).cloned());
        let signatures = self.signatures_of(&chunks);
        Self { sort, len, chunks, signatures }
    }

    /// Returns the signatures of the chunks that this order has after a change; those of unchanged chunks are shared or
    /// copied.
    pub(super) fn signatures_of(&self, chunks: &[Arc<Chunk>]) -> Vec<Arc<Signatures>> {
        // For each chunk of this order, its signatures and the number of the first chunk in them.
        let mut before: HashMap<*const Chunk, (usize, &Arc<Signatures>, usize)> = HashMap::new();
        let mut start = 0;
        for signatures in &self.signatures {
            for (number, chunk) in (start..).zip(&self.chunks[start..start + signatures.len]) {
                before.insert(Arc::as_ptr(chunk), (number, signatures, start));
            }
            start += signatures.len;
        }
        let of_new = |run: &[&Chunk]| -> Vec<Arc<Signatures>> {
            let with_old = |chunk: &&'_ Chunk| {
                let old = before.get(&std::ptr::from_ref(*chunk));
                old.map(|(number, signatures, start)| (&***signatures, number - start))
            };
            let parts = in_parts(run, TOGETHER);
            parts
                .map(|part| part.iter().map(|chunk| (*chunk, with_old(chunk))).collect::<Vec<_>>())
                .map(|part| Arc::new(Signatures::of(&part)))
                .collect()
        };
        let (mut all, mut run, mut at) = (Vec::new(), Vec::new(), 0);
        while let Some(chunk) = chunks.get(at) {
            let unchanged = before.get(&Arc::as_ptr(chunk)).filter(|(number, signatures, start)| {
                let same = chunks[at..].iter().zip(&self.chunks[*start..]).take(signatures.len);
                number == start
                    && (run.is_empty() || signatures.len > TOGETHER / 2)
                    && same.filter(|(new, old)| Arc::ptr_eq(new, old)).count() == signatures.len
            });
            match unchanged {
                Some((_, signatures, _)) => {
                    all.extend(of_new(&run));
                    run.clear();
                    all.push(Arc::clone(signatures));
                    at += signatures.len;
                }
                None => {
                    run.push(&**chunk);
                    at += 1;
                }
            }
        }
        all.extend(of_new(&run));
        all
    }

    /// Returns all blocks of each chunk.
    pub(super) fn all_blocks(&self) -> Vec<Blocks> {
        vec![Blocks::MAX; self.chunks.len()]
    }

    /// Returns those of the blocks of each chunk that have all of these buckets.
    pub(super) fn narrow(&self, blocks: &[Blocks], buckets: &[usize]) -> Vec<Blocks> {
        let mut blocks = blocks.to_vec();
        let mut left = &mut blocks[..];
        for signatures in &self.signatures {
            let (own, others) = left.split_at_mut(signatures.len);
            signatures.narrow(own, buckets);
            left = others;
        }
        blocks
    }
}

/// Changes of an order not yet applied, each list in that order.
struct Changes<'c, 'a> {
    sort: Sort,
    removed: &'c [Record<'a>],
    added: &'c [Record<'a>],
}

impl<'a> Changes<'_, 'a> {
    /// Returns the position of the first change.
    fn next(&self) -> Option<Position<'a>> {
        [self.removed.first(), self.added.first()]
            .into_iter()
            .flatten()
            .map(|record| self.sort.position(*record))
            .min()
    }

    /// Appends the records of a chunk to a run, with the changes before `end` applied.
    fn apply(&mut self, chunk: &'a Chunk, end: Option<Position<'_>>, run: &mut Vec<Record<'a>>) {
        let mut index = 0;
        loop {
            if let Some((gone, others)) = self.removed.split_first()
                && chunk.ids.get(index) == Some(&gone.id)
            {
                self.removed = others;
                index += 1;
                continue;
            }
            let Some(change) = self.next().filter(|next| end.is_none_or(|end| *next < end)) else {
                break;
            };
            let unchanged = chunk.partition_point(index, |record| self.sort.position(record) < change);
            if unchanged > index {
                run.extend(chunk.records(index..unchanged));
                index = unchanged;
            } else if let Some((record, others)) = self.added.split_first() {
                run.push(*record);
                self.added = others;
            } else {
                unreachable!("a record to be removed is in both orders");
            }
        }
        run.extend(chunk.records(index..chunk.len()));
    }
}

/// Returns the matches of the page at a cut, given those on either side, nearest first, and the page with its cursors.
pub(super) fn window<T: Copy>(
    limit: usize,
    cursor: Option<&Cursor>,
    mut before: impl Iterator<Item = T>,
    mut after: impl Iterator<Item = T>,
    cursor_at: impl Fn(T, Direction, Edge) -> Cursor,
) -> (Vec<T>, Page) {
    let limit = limit.max(1);
    let mut matches: Vec<T>;
    if cursor.is_some_and(|cursor| cursor.direction == Direction::Backward) {
        matches = before.by_ref().take(limit).collect();
        matches.reverse();
    } else {
        matches = after.by_ref().take(limit).collect();
    }
    // The neighbours of a page without matches are found from the page's own cursor.
    let leading = |match_: Option<&T>, direction, edge| match match_ {
        Some(match_) => Some(cursor_at(*match_, direction, edge)),
        None => cursor.map(|cursor| Cursor { direction, ..cursor.clone() }),
    };
    let next = after.next().and_then(|_| leading(matches.last(), Direction::Forward, Edge::After));
    let previous = before.next().and_then(|_| leading(matches.first(), Direction::Backward, Edge::Before));
    (matches, Page { next, previous, ..Page::default() })
}

pub(super) fn in_two_threads<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), other)
    })
}
