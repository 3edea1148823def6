//! What blocks of a chunk may contain a text, so that the others are not read.
//!
//! A word that nobody asked for before is in few titles or none. Every two and every three bytes that follow each other in
//! a block of records set one bit of the block's signature; a block that lacks the bit of any of those of a text cannot
//! contain it. The bits of all blocks of a chunk for the same bytes are one number, so that a chunk is ruled out by reading
//! a few numbers.

use std::ops::Range;

use memchr::memmem;

use super::chunk::{Chunk, SEPARATOR, TERMINATOR};
use super::fit::joined_words;

/// One bit for each block of a chunk.
type Blocks = u32;

/// Blocks of a chunk: of 1024 records, 32 each.
const BLOCKS: usize = Blocks::BITS as usize;

/// Numbers of a signature, as a power of two. With 4096 a chunk has 16 KiB.
const BUCKET_BITS: u32 = 12;

/// The number of a signature that these bytes belong to.
fn bucket(bytes: [u8; 3]) -> usize {
    let [first, second, third] = bytes;
    let bytes = u32::from_le_bytes([first, second, third, 0]);
    // Fibonacci hashing: the highest bits of a product with 2^32 over the golden ratio.
    (bytes.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BUCKET_BITS)) as usize
}

fn pairs(text: &str) -> impl Iterator<Item = usize> {
    // No text has a NUL.
    text.as_bytes().windows(2).map(|bytes| bucket([bytes[0], bytes[1], 0]))
}

fn triples(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(3).map(|bytes| bucket([bytes[0], bytes[1], bytes[2]]))
}

/// What the signature of a block has that contains a text: its triples, or what it has of shorter ones.
pub(super) fn buckets(text: &str) -> Vec<usize> {
    if text.len() < 3 { pairs(text).collect() } else { triples(text).collect() }
}

/// Which bytes follow each other in which blocks of a chunk.
pub(super) struct Signature(Box<[Blocks]>);

impl Signature {
    /// Of the texts of a chunk's records.
    pub(super) fn of<'a>(records: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut signature = vec![0; 1 << BUCKET_BITS];
        let block = block_of(records.len());
        for (index, record) in records.enumerate() {
            let bit = 1 << (index / block);
            // A text to be found has no control character.
            for part in record.split([SEPARATOR, TERMINATOR]) {
                let mut mark = |text: &str| {
                    pairs(text).chain(triples(text)).for_each(|bucket| signature[bucket] |= bit);
                };
                mark(part);
                joined_words(part).for_each(|word| mark(&word));
            }
        }
        Self(signature.into_boxed_slice())
    }

    /// The blocks that have all of these.
    fn blocks(&self, buckets: &[usize]) -> Blocks {
        buckets.iter().fold(Blocks::MAX, |blocks, bucket| blocks & self.0[*bucket])
    }
}

/// How many records of a chunk with so many are a block.
fn block_of(records: usize) -> usize {
    records.div_ceil(BLOCKS).max(1)
}

/// Finds a text in chunks.
pub(super) struct Finder<'n> {
    text: memmem::Finder<'n>,
    buckets: Vec<usize>,
}

impl<'n> Finder<'n> {
    /// Of a folded text that is not blank.
    pub(super) fn new(text: &'n str) -> Self {
        Self { text: memmem::Finder::new(text), buckets: buckets(text) }
    }

    /// Reads only blocks that have these buckets too.
    pub(super) fn beside(mut self, others: &[usize]) -> Self {
        self.buckets.extend_from_slice(others);
        self.buckets.sort_unstable();
        self.buckets.dedup();
        self
    }

    pub(super) fn into_owned(self) -> Finder<'static> {
        Finder { text: self.text.into_owned(), buckets: self.buckets }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.text.find(text.as_bytes()).is_some()
    }

    /// Where a text has it first from a byte on.
    pub(super) fn find_in(&self, text: &str, from: usize) -> Option<usize> {
        self.text.find(&text.as_bytes()[from..]).map(|found| from + found)
    }

    /// How many blocks of a chunk are read for it.
    pub(super) fn blocks(&self, chunk: &Chunk) -> usize {
        chunk.signature.blocks(&self.buckets).count_ones() as usize
    }

    /// The place in a chunk's text where these records contain it first.
    pub(super) fn find(&self, chunk: &Chunk, records: Range<usize>) -> Option<usize> {
        let blocks = chunk.signature.blocks(&self.buckets);
        let block = block_of(chunk.len());
        let mut index = records.start;
        while index < records.end {
            let at = index / block;
            let ahead = blocks >> at;
            if ahead == 0 {
                return None;
            }
            let without = ahead.trailing_zeros() as usize;
            if without > 0 {
                index = (at + without) * block;
                continue;
            }
            let end = records.end.min((at + ahead.trailing_ones() as usize) * block);
            let (from, to) = (chunk.start(index), chunk.start(end));
            if let Some(found) = self.text.find(&chunk.text.as_bytes()[from..to]) {
                return Some(from + found);
            }
            index = end;
        }
        None
    }
}
