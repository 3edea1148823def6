//! Chunks: consecutive records of an order, their texts joined into one.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::at_rest::{Input, Output, damaged};
use super::filter::Genre;
use super::{Sort, fit};
use crate::fold::sort_key;

/// Maximum number of records in a chunk. Large chunks are faster to search, small ones faster to change. Small in tests,
/// so that a small catalogue has many chunks.
pub(super) const CHUNK: usize = if cfg!(test) { 16 } else { 1024 };

/// A changed chunk with fewer records than this is joined with its neighbour.
pub(super) const SMALL_CHUNK: usize = CHUNK / 4;

/// Separates the title and the author of a record.
pub(super) const SEPARATOR: char = '\u{1F}';

/// Ends each record.
pub(super) const TERMINATOR: char = '\n';

/// One book in the index.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) id: i64,
    /// Folded `title␟author␤`.
    pub(super) text: &'a str,
    pub(super) genre: Genre,
    /// [`fit::weight`] of the book's popularity.
    pub(super) weight: u8,
    pub(super) available: bool,
}

/// Sort key of a record; the records of an order ascend by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position<'a> {
    pub(super) key: &'a str,
    pub(super) rank: i64,
}

impl Sort {
    pub(super) fn position(self, record: Record<'_>) -> Position<'_> {
        let key = match self {
            Self::Newest => "",
            Self::Title | Self::Popular | Self::Author => sort_key(fit::title(record.text)),
        };
        Position { key, rank: self.rank(record.id) }
    }

    /// Returns the id, or for `Newest` a number that decreases as the id increases.
    pub(super) fn rank(self, id: i64) -> i64 {
        match self {
            Self::Newest => !id,
            Self::Title | Self::Popular | Self::Author => id,
        }
    }
}

/// Consecutive records of an order.
pub(super) struct Chunk {
    pub(super) ids: Box<[i64]>,
    /// Offset of the text of each record, and finally the end of the last one.
    starts: Box<[u32]>,
    pub(super) text: Box<str>,
    pub(super) genres: Box<[Genre]>,
    weights: Box<[u8]>,
    /// Changed in place: a reader may see both values while it reads one page.
    pub(super) available: Box<[AtomicBool]>,
}

impl Chunk {
    pub(super) fn of(records: &[Record<'_>]) -> Self {
        let mut text = String::with_capacity(records.iter().map(|record| record.text.len()).sum());
        let mut starts = Vec::with_capacity(records.len() + 1);
        let mut mark = |text: &str| {
            starts.push(u32::try_from(text.len()).expect("a thousand titles are less than 4 GiB"));
        };
        for record in records {
            mark(&text);
            text.push_str(record.text);
        }
        mark(&text);
        Self {
            ids: records.iter().map(|record| record.id).collect(),
            starts: starts.into_boxed_slice(),
            text: text.into_boxed_str(),
            genres: records.iter().map(|record| record.genre).collect(),
            weights: records.iter().map(|record| record.weight).collect(),
            available: records.iter().map(|record| AtomicBool::new(record.available)).collect(),
        }
    }

    pub(super) fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.list(&self.ids, i64::to_le_bytes)?;
        out.list(&self.starts, u32::to_le_bytes)?;
        out.bytes(self.text.as_bytes())?;
        out.list(&self.genres, Genre::to_le_bytes)?;
        out.bytes(&self.weights)?;
        let available: Vec<u8> =
            self.available.iter().map(|available| u8::from(available.load(Ordering::Relaxed))).collect();
        out.bytes(&available)
    }

    /// Reads a chunk; its lists agree with each other.
    pub(super) fn read(input: &mut Input<impl Read>) -> io::Result<Self> {
        let chunk = Self {
            ids: input.list(i64::from_le_bytes)?,
            starts: input.list(u32::from_le_bytes)?,
            text: input.text()?,
            genres: input.list(Genre::from_le_bytes)?,
            weights: input.bytes()?.into_boxed_slice(),
            available: input.list(|[available]| AtomicBool::new(available != 0))?,
        };
        let ends_record = |start: &u32| {
            chunk.text.as_bytes().get((*start as usize).wrapping_sub(1)) == Some(&(TERMINATOR as u8))
        };
        let len = chunk.len();
        let is_sound = len > 0
            && chunk.starts.len() == len + 1
            && [chunk.genres.len(), chunk.weights.len(), chunk.available.len()] == [len; 3]
            && chunk.starts[0] == 0
            && chunk.start(len) == chunk.text.len()
            && chunk.starts.is_sorted()
            && chunk.starts[1..].iter().all(ends_record);
        if is_sound { Ok(chunk) } else { Err(damaged()) }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn start(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// Returns the index of the record that contains this byte of the text.
    pub(super) fn holding(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= at) - 1
    }

    pub(super) fn record(&self, index: usize) -> Record<'_> {
        Record {
            id: self.ids[index],
            text: &self.text[self.start(index)..self.start(index + 1)],
            genre: self.genres[index],
            weight: self.weights[index],
            available: self.available[index].load(Ordering::Relaxed),
        }
    }

    pub(super) fn records(&self, range: Range<usize>) -> impl Iterator<Item = Record<'_>> {
        range.map(|index| self.record(index))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Record<'_>> {
        self.records(0..self.len())
    }

    /// Returns the index of the first record from `start` on for which `passed` is false. `passed` must be monotonic.
    pub(super) fn partition_point(&self, start: usize, passed: impl Fn(Record<'_>) -> bool) -> usize {
        let (mut low, mut high) = (start, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if passed(self.record(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Builds chunks of these records, as few as possible and of nearly the same size.
pub(super) fn cut(records: &[Record<'_>]) -> impl Iterator<Item = Arc<Chunk>> {
    in_chunks(records).map(Chunk::of).map(Arc::new)
}

/// Splits a slice into parts of at most [`CHUNK`] items, as few as possible and of nearly the same length.
pub(super) fn in_chunks<T>(records: &[T]) -> impl Iterator<Item = &[T]> {
    in_parts(records, CHUNK)
}

/// Splits a slice into parts of at most `most` items, as few as possible and of nearly the same length.
pub(super) fn in_parts<T>(mut items: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    (1..=items.len().div_ceil(most)).rev().map(move |left| {
        let (part, rest) = items.split_at(items.len() / left);
        items = rest;
        part
    })
}
