//! Signatures: Bloom filters that rule out the blocks of a chunk that cannot contain a text.
//!
//! Most words are in few titles. Every two consecutive bytes in a block of records set one bit of the block's signature,
//! and so do three and four consecutive bytes of a word. A block cannot contain a text if it lacks the bit of any of
//! these in the text. The bits of all blocks of a chunk for the same bytes are one number, so a few reads rule out a
//! whole chunk.

use std::io::{self, Read, Write};
use std::ops::Range;

use memchr::memmem;

use super::at_rest::{Input, Output, damaged};
use super::chunk::{Chunk, SEPARATOR, TERMINATOR};
use super::fit::joined_words;

/// One bit for each block of a chunk.
pub(super) type Blocks = u32;

/// Number of blocks in a chunk: 1024 records are 32 blocks of 32.
const BLOCKS: usize = Blocks::BITS as usize;

/// Binary logarithm of the number of buckets in a signature. 4096 buckets take 16 KiB per chunk.
const BUCKET_BITS: u32 = 12;

/// Returns the bucket of these bytes. No text contains NUL, so the bytes of a pair never equal those of a triple.
fn bucket(bytes: [u8; 4]) -> usize {
    // Fibonacci hashing: the highest bits of a product with 2^32 over the golden ratio.
    (u32::from_le_bytes(bytes).wrapping_mul(0x9E37_79B1) >> (u32::BITS - BUCKET_BITS)) as usize
}

fn pairs(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(2).map(|bytes| bucket([bytes[0], bytes[1], 0, 0]))
}

/// Three bytes around a blank or sign tell phrases apart; all others across words would only fill the signature.
fn triples(text: &str) -> impl Iterator<Item = usize> {
    let ends_in_words = |bytes: &&[u8]| is_of_word(bytes[0]) && is_of_word(bytes[2]);
    let triples = text.as_bytes().windows(3).filter(ends_in_words);
    triples.map(|bytes| bucket([bytes[0], bytes[1], bytes[2], 0]))
}

/// Far fewer blocks have all quadruples of a word than all its triples, without the word itself.
fn quadruples(text: &str) -> impl Iterator<Item = usize> {
    let is_in_word = |bytes: &&[u8]| bytes.iter().all(|byte| is_of_word(*byte));
    let quadruples = text.as_bytes().windows(4).filter(is_in_word);
    quadruples.map(|bytes| bucket([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Returns whether a byte is part of a letter or digit, or of any sign that is not ASCII.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Returns the buckets that every block with this text has, those of fewest blocks first.
pub(super) fn buckets(text: &str) -> Vec<usize> {
    let buckets: Vec<usize> = quadruples(text).chain(triples(text)).collect();
    if buckets.is_empty() { pairs(text).collect() } else { buckets }
}

/// For each bucket, the blocks of a chunk that have it.
pub(super) struct Signature(Box<[Blocks]>);

impl Signature {
    /// Builds the signature from the texts of a chunk's records.
    pub(super) fn of<'a>(records: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let mut signature = vec![0; 1 << BUCKET_BITS];
        let block = block_len(records.len());
        for (index, record) in records.enumerate() {
            let bit = 1 << (index / block);
            // A query has no control character, so pairs across separators are not needed.
            for part in record.split([SEPARATOR, TERMINATOR]) {
                let mut mark = |text: &str| {
                    let buckets = pairs(text).chain(triples(text)).chain(quadruples(text));
                    buckets.for_each(|bucket| signature[bucket] |= bit);
                };
                mark(part);
                joined_words(part).for_each(|word| mark(&word));
            }
        }
        Self(signature.into_boxed_slice())
    }

    pub(super) fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.list(&self.0, Blocks::to_le_bytes)
    }

    pub(super) fn read(input: &mut Input<impl Read>) -> io::Result<Self> {
        let blocks = input.list(Blocks::from_le_bytes)?;
        if blocks.len() == 1 << BUCKET_BITS { Ok(Self(blocks)) } else { Err(damaged()) }
    }

    /// Returns the blocks that have all of these buckets.
    fn blocks(&self, buckets: &[usize]) -> Blocks {
        let mut blocks = Blocks::MAX;
        for bucket in buckets {
            blocks &= self.0[*bucket];
            if blocks == 0 {
                break;
            }
        }
        blocks
    }
}

/// Returns the number of records in a block, given that in the chunk.
fn block_len(records: usize) -> usize {
    records.div_ceil(BLOCKS).max(1)
}

/// Finds a text in chunks.
pub(super) struct Finder<'n> {
    text: memmem::Finder<'n>,
    buckets: Vec<usize>,
}

impl<'n> Finder<'n> {
    /// Creates a finder of a folded text, which must not be blank.
    pub(super) fn new(text: &'n str) -> Self {
        Self { text: memmem::Finder::new(text), buckets: buckets(text) }
    }

    /// Restricts the search to blocks that also have these buckets.
    pub(super) fn with_buckets(mut self, others: &[usize]) -> Self {
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

    /// Returns the offset of the first occurrence in `text` from byte `from` on.
    pub(super) fn find_in(&self, text: &str, from: usize) -> Option<usize> {
        self.text.find(&text.as_bytes()[from..]).map(|found| from + found)
    }

    /// Counts the blocks of a chunk that a search reads.
    pub(super) fn count_blocks(&self, chunk: &Chunk) -> usize {
        self.blocks(chunk).count_ones() as usize
    }

    /// Returns the blocks of a chunk that may have the text.
    pub(super) fn blocks(&self, chunk: &Chunk) -> Blocks {
        chunk.signature.blocks(&self.buckets)
    }

    /// Returns the offset in a chunk's text of the first occurrence within these records, given [`Self::blocks`].
    pub(super) fn find(&self, chunk: &Chunk, blocks: Blocks, records: Range<usize>) -> Option<usize> {
        let block = block_len(chunk.len());
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
