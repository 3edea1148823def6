//! Listings: the ids of all books in one more order, without their texts.
//!
//! A second copy of the texts would make every query fast in every order, at 100 MB per million books. A listing takes
//! 8 MB: a query with few matches sorts them, a query with many marks them in a set and reads the listing until the page
//! is full.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::Sort;
use super::chunk::{Record, SEPARATOR, SMALL_CHUNK, TERMINATOR, in_chunks};
use super::cursor::{Cursor, Direction, Edge};
use super::order::{Order, Place};
use super::{Loans, fit};
use crate::fold::sort_key;

/// Position of a book in a listing; the books of a listing ascend by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot<'a> {
    loans: Reverse<u32>,
    /// An unknown author comes last.
    is_anonymous: bool,
    author: &'a str,
    title: &'a str,
    pub(super) id: i64,
}

impl<'a> Spot<'a> {
    pub(super) fn of(sort: Sort, record: Record<'a>, loans: &Loans) -> Self {
        let by_author = sort == Sort::Author;
        let author = if by_author { author_key(record.text) } else { "" };
        Self {
            loans: Reverse(if by_author { 0 } else { loans.get(&record.id).copied().unwrap_or(0) }),
            is_anonymous: by_author && author.is_empty(),
            author,
            title: sort_key(fit::title(record.text)),
            id: record.id,
        }
    }

    /// Parses the key of a cursor; `None` if no book can have it.
    pub(super) fn parse(sort: Sort, key: &'a str, id: i64) -> Option<Self> {
        let (first, title) = key.split_once(SEPARATOR)?;
        let by_author = sort == Sort::Author;
        let loans = if by_author { 0 } else { first.parse().ok()? };
        let author = if by_author { first } else { "" };
        let is_anonymous = by_author && author.is_empty();
        Some(Self { loans: Reverse(loans), is_anonymous, author, title, id })
    }

    /// Writes the key that [`Self::parse`] reads.
    pub(super) fn key(&self, sort: Sort) -> String {
        match sort {
            Sort::Author => format!("{}{SEPARATOR}{}", self.author, self.title),
            _ => format!("{}{SEPARATOR}{}", self.loans.0, self.title),
        }
    }
}

fn author_key(text: &str) -> &str {
    sort_key(text[fit::title(text).len()..].trim_matches([SEPARATOR, TERMINATOR]))
}

/// The ids of all books in an order. No chunk is empty.
#[derive(Clone)]
pub(super) struct Listing {
    pub(super) sort: Sort,
    pub(super) chunks: Vec<Arc<[i64]>>,
}

impl Listing {
    pub(super) fn empty(sort: Sort) -> Self {
        Self { sort, chunks: Vec::new() }
    }

    fn of(sort: Sort, ids: &[i64]) -> Self {
        Self { sort, chunks: in_chunks(ids).map(Arc::from).collect() }
    }

    /// Lists the books by author.
    pub(super) fn by_author(by_title: &Order) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut books: Vec<(u32, i64)> = Vec::with_capacity(by_title.len);
        for record in by_title.chunks.iter().flat_map(|chunk| chunk.all()) {
            let next = u32::try_from(numbers.len()).expect("fewer than four thousand million authors");
            books.push((*numbers.entry(author_key(record.text)).or_insert(next), record.id));
        }
        // Most authors have several books, so ranking the authors takes fewer comparisons than sorting the books.
        let mut authors: Vec<(&str, u32)> = numbers.into_iter().collect();
        authors.sort_unstable_by_key(|(author, _)| (author.is_empty(), *author));
        let mut ranks = vec![0_u32; authors.len()];
        for (rank, (_, number)) in (0..).zip(authors) {
            ranks[number as usize] = rank;
        }
        books.sort_by_key(|(number, _)| ranks[*number as usize]); // stable: titles stay in order
        Self::of(Sort::Author, &books.into_iter().map(|(_, id)| id).collect::<Vec<_>>())
    }

    /// Lists the books by loans.
    pub(super) fn by_loans(by_title: &Order, loans: &Loans) -> Self {
        let ids = || by_title.chunks.iter().flat_map(|chunk| chunk.ids.iter().copied());
        let mut lent: Vec<(u32, i64)> =
            ids().filter_map(|id| Some((*loans.get(&id).filter(|loans| **loans > 0)?, id))).collect();
        lent.sort_by_key(|(loans, _)| Reverse(*loans)); // stable: titles stay in order
        let mut listed: Vec<i64> = Vec::with_capacity(by_title.len);
        listed.extend(lent.iter().map(|(_, id)| *id));
        listed.extend(ids().filter(|id| loans.get(id).is_none_or(|loans| *loans == 0)));
        Self::of(Sort::Popular, &listed)
    }

    /// Returns the chunk that contains, or would contain, the first book for which `passed` is false.
    fn chunk_for(&self, passed: impl Fn(i64) -> bool) -> usize {
        self.chunks.partition_point(|chunk| passed(chunk[0])).saturating_sub(1)
    }

    /// Returns the place of the first book for which `passed` is false. `passed` must be monotonic.
    pub(super) fn partition_point(&self, passed: impl Fn(i64) -> bool) -> Place {
        let chunk = self.chunk_for(&passed);
        let index = self.chunks.get(chunk).map_or(0, |chunk| chunk.partition_point(|id| passed(*id)));
        Place { chunk, index }
    }

    /// Returns the books from a place on.
    pub(super) fn after(&self, place: Place) -> impl Iterator<Item = i64> {
        self.chunks.iter().skip(place.chunk).flat_map(|chunk| chunk.iter().copied()).skip(place.index)
    }

    /// Returns the books before a place, nearest first.
    pub(super) fn before(&self, place: Place) -> impl Iterator<Item = i64> {
        let nearest = self.chunks.get(place.chunk).map_or(&[][..], |chunk| &chunk[..place.index]);
        let others = self.chunks[..place.chunk.min(self.chunks.len())].iter().rev();
        nearest.iter().rev().copied().chain(others.flat_map(|chunk| chunk.iter().rev().copied()))
    }

    /// Returns this listing with the changes applied. `spot` returns the position of a book that is listed. Unchanged
    /// chunks are shared.
    pub(super) fn merge<'a>(
        &self,
        spot: impl Fn(i64) -> Spot<'a>,
        mut removed: Vec<Spot<'a>>,
        mut added: Vec<Spot<'a>>,
    ) -> Self {
        removed.sort_unstable();
        added.sort_unstable();
        let (mut removed, mut added) = (&removed[..], &added[..]);
        let mut chunks: Vec<Arc<[i64]>> = Vec::with_capacity(self.chunks.len() + 1);
        // Books collected for new chunks, and the first old chunk not yet carried over.
        let (mut run, mut old): (Vec<i64>, usize) = (Vec::new(), 0);
        while let Some(change) = [removed.first(), added.first()].into_iter().flatten().min().copied() {
            let touched = self.chunk_for(|id| spot(id) <= change);
            while old < touched {
                if run.is_empty() || run.len() >= SMALL_CHUNK {
                    chunks.extend(in_chunks(&run).map(Arc::from));
                    run.clear();
                    chunks.extend_from_slice(&self.chunks[old..touched]);
                    old = touched;
                } else {
                    run.extend_from_slice(&self.chunks[old]);
                    old += 1;
                }
            }
            let end = self.chunks.get(touched + 1).map(|next| spot(next[0]));
            let split = |changes: &'_ [Spot<'a>]| {
                changes.partition_point(|change| end.is_none_or(|end| *change < end))
            };
            let (gone, others_gone) = removed.split_at(split(removed));
            let (new, others_new) = added.split_at(split(added));
            (removed, added) = (others_gone, others_new);
            let chunk = self.chunks.get(touched).map_or(&[][..], |chunk| &chunk[..]);
            apply(&spot, chunk, gone, new, &mut run);
            old = touched + 1;
        }
        // A small last run joins the chunk after it, or else the one before it.
        if !run.is_empty() && run.len() < SMALL_CHUNK {
            if let Some(next) = self.chunks.get(old) {
                run.extend_from_slice(next);
                old += 1;
            } else if let Some(previous) = chunks.pop() {
                run.splice(0..0, previous.iter().copied());
            }
        }
        chunks.extend(in_chunks(&run).map(Arc::from));
        chunks.extend(self.chunks.iter().skip(old).cloned());
        Self { sort: self.sort, chunks }
    }
}

/// Appends the books of a chunk to a run, without those `gone` and with the `new` ones.
fn apply<'a>(
    spot: impl Fn(i64) -> Spot<'a>,
    chunk: &[i64],
    gone: &[Spot<'a>],
    new: &[Spot<'a>],
    run: &mut Vec<i64>,
) {
    let index = |of: &Spot<'a>| chunk.partition_point(|id| spot(*id) < *of);
    let mut gone = gone.iter().map(index).peekable();
    let mut new = new.iter().map(|new| (index(new), new.id)).peekable();
    for (index, id) in chunk.iter().enumerate() {
        while let Some((_, new)) = new.next_if(|(at, _)| *at == index) {
            run.push(new);
        }
        if gone.next_if_eq(&index).is_none() {
            run.push(*id);
        }
    }
    run.extend(new.map(|(_, id)| id));
    debug_assert!(gone.next().is_none(), "a book to be removed is in the listing");
}

/// Set of ids with one bit for each: compact, because ids are mostly consecutive.
#[derive(Default)]
pub(super) struct Marked(HashMap<i64, u64>);

impl Marked {
    const BITS: u32 = u64::BITS.ilog2();

    pub(super) fn contains(&self, id: i64) -> bool {
        self.0.get(&(id >> Self::BITS)).is_some_and(|word| word & Self::bit(id) != 0)
    }

    fn bit(id: i64) -> u64 {
        1 << (id & ((1 << Self::BITS) - 1))
    }
}

impl FromIterator<i64> for Marked {
    fn from_iter<I: IntoIterator<Item = i64>>(ids: I) -> Self {
        let mut words: HashMap<i64, u64> = HashMap::new();
        for id in ids {
            *words.entry(id >> Self::BITS).or_default() |= Self::bit(id);
        }
        Self(words)
    }
}

/// Returns the cursor at a book of a listing.
pub(super) fn cursor_at(sort: Sort, spot: &Spot<'_>, direction: Direction, edge: Edge) -> Cursor {
    Cursor { sort, direction, edge, grade: 0, id: spot.id, key: spot.key(sort) }
}
