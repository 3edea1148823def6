//! Signatures: Bloom filters that rule out the blocks of a chunk that cannot contain a text.
//!
//! Most words are in few titles. Every two consecutive bytes in a block of records set one bit of the block's signature,
//! and so do three and four consecutive bytes of a word, and each whole word. A block cannot contain a text if it lacks
//! the bit of any of these sequences of bytes in the text, nor have a word by itself if it lacks the bit of the word.
//! The bits of all blocks of a chunk for the same bytes are one number, and the numbers of sixteen
//! chunks are next to each other, so a few reads rule out all sixteen.

use std::io::{self, Read, Write};
use std::ops::Range;

use memchr::memmem;

use super::at_rest::{Input, Output, damaged};
use super::chunk::{Chunk, SEPARATOR, TERMINATOR};
use super::fit::{self, joined_words};
use super::order::Order;
use super::vocabulary::hash;

/// One bit for each block of a chunk.
pub(super) type Blocks = u32;

/// Number of blocks in a chunk: 1024 records are 32 blocks of 32.
const BLOCKS: usize = Blocks::BITS as usize;

/// Maximum number of chunks whose signatures are together. More would make a search faster and a change slower.
pub(super) const TOGETHER: usize = if cfg!(test) { 4 } else { 16 };

/// Binary logarithm of the number of buckets in a signature. 4096 buckets take 16 KiB per chunk.
const BUCKET_BITS: u32 = 12;

/// Returns the bucket of these bytes. No text contains NUL, so the bytes of a pair never equal those of a triple.
fn bucket(bytes: [u8; 4]) -> usize {
    bucket_of(u32::from_le_bytes(bytes))
}

fn bucket_of(number: u32) -> usize {
    // Fibonacci hashing: the highest bits of a product with 2^32 over the golden ratio.
    (number.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BUCKET_BITS)) as usize
}

/// Returns the buckets that every block with all of these as whole words has. A word with signs has none.
pub(super) fn whole_words(words: &[String]) -> Vec<usize> {
    words.iter().filter(|word| word.chars().all(fit::is_of_word)).map(|word| bucket_of(hash(word))).collect()
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
fn signature(chunk: &Chunk) -> Vec<Blocks> {
    let mut signature = vec![0; 1 << BUCKET_BITS];
    let block = block_len(chunk.len());
    for (index, record) in chunk.all().enumerate() {
        let bit = 1 << (index / block);
        // A query has no control character, so pairs across separators are not needed.
        for part in record.text.split([SEPARATOR, TERMINATOR]) {
            let mut mark = |text: &str| {
                let words = text.split(|letter| !fit::is_of_word(letter)).filter(|word| !word.is_empty());
                let words = words.map(|word| bucket_of(hash(word)));
                let buckets = pairs(text).chain(triples(text)).chain(quadruples(text)).chain(words);
                buckets.for_each(|bucket| signature[bucket] |= bit);
            };
            mark(part);
            joined_words(part).for_each(|word| mark(&word));
        }
    }
    signature
}

/// Signatures of consecutive chunks: for each bucket, the blocks of the first chunk that have it, those of the second,
/// and so on.
pub(super) struct Signatures {
    /// Number of chunks.
    pub(super) len: usize,
    blocks: Box<[Blocks]>,
}

impl Signatures {
    /// Joins the signatures of chunks. Those of a chunk that had one are copied: its signatures, and its number in them.
    pub(super) fn of(chunks: &[(&Chunk, Option<(&Self, usize)>)]) -> Self {
        let len = chunks.len();
        let mut blocks = vec![0; len << BUCKET_BITS].into_boxed_slice();
        for (number, (chunk, before)) in chunks.iter().enumerate() {
            let of_buckets = blocks.chunks_exact_mut(len);
            match before {
                Some((others, place)) => {
                    let same = others.blocks.chunks_exact(others.len);
                    of_buckets.zip(same).for_each(|(all, same)| all[number] = same[*place]);
                }
                None => of_buckets.zip(signature(chunk)).for_each(|(all, new)| all[number] = new),
            }
        }
        Self { len, blocks }
    }

    pub(super) fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.list(&self.blocks, Blocks::to_le_bytes)
    }

    pub(super) fn read(input: &mut Input<impl Read>) -> io::Result<Self> {
        let blocks = input.list(Blocks::from_le_bytes)?;
        let len = blocks.len() >> BUCKET_BITS;
        if len > 0 && blocks.len() == len << BUCKET_BITS { Ok(Self { len, blocks }) } else { Err(damaged()) }
    }

    /// Removes the blocks of each chunk that lack one of these buckets.
    pub(super) fn narrow(&self, blocks: &mut [Blocks], buckets: &[usize]) {
        let mut any = blocks.iter().fold(0, |any, blocks| any | blocks);
        for bucket in buckets {
            if any == 0 {
                return;
            }
            any = 0;
            for (left, having) in blocks.iter_mut().zip(&self.blocks[bucket * self.len..]) {
                *left &= having;
                any |= *left;
            }
        }
    }
}

/// Returns the number of records in a block, given that in the chunk.
fn block_len(records: usize) -> usize {
    records.div_ceil(BLOCKS).max(1)
}

/// Finds a text in the chunks of one order.
pub(super) struct Finder<'n> {
    text: memmem::Finder<'n>,
    /// For each chunk, the blocks that may have the text.
    blocks: Vec<Blocks>,
}

impl<'n> Finder<'n> {
    /// Creates a finder of a folded text, which must not be blank, in these blocks of each chunk.
    pub(super) fn new(order: &Order, text: &'n str, blocks: &[Blocks]) -> Self {
        Self { text: memmem::Finder::new(text), blocks: order.narrow(blocks, &buckets(text)) }
    }

    pub(super) fn into_owned(self) -> Finder<'static> {
        Finder { text: self.text.into_owned(), blocks: self.blocks }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.text.find(text.as_bytes()).is_some()
    }

    /// Returns the offset of the first occurrence in `text` from byte `from` on.
    pub(super) fn find_in(&self, text: &str, from: usize) -> Option<usize> {
        self.text.find(&text.as_bytes()[from..]).map(|found| from + found)
    }

    /// Counts the blocks of a chunk that a search reads.
    pub(super) fn blocks(&self, chunk: usize) -> usize {
        self.blocks[chunk].count_ones() as usize
    }

    /// Returns whether the block with this record of a chunk of `records` may have the text.
    pub(super) fn may_have(&self, chunk: usize, index: usize, records: usize) -> bool {
        self.blocks[chunk] >> (index / block_len(records)) & 1 == 1
    }

    /// Returns the offset in a chunk's text of the first occurrence within these records.
    pub(super) fn find(&self, order: &Order, chunk: usize, records: Range<usize>) -> Option<usize> {
        let (blocks, chunk) = (self.blocks[chunk], &order.chunks[chunk]);
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
