//! Index at rest: written to a file and read back, without folding or sorting a title again.
//!
//! The file has a stamp of the caller's, the index, and the checksum (CRC-32) of both. All numbers are little-endian, and
//! every list begins with its length. A file that was cut off or damaged is an error; so is one whose lists contradict each
//! other. Nothing but the stamp says which program and which catalogue a file belongs to.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, RwLock};

use flate2::Crc;

use super::chunk::Chunk;
use super::filter::Genres;
use super::index::{Index, Snapshot};
use super::listing::Listing;
use super::order::Order;
use super::signature::Signatures;
use super::vocabulary::Vocabulary;
use super::{Loans, Sort};

/// Builds the error for a file that contradicts itself.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file of the search index is damaged")
}

/// A file being written.
pub(super) struct Output<W> {
    to: W,
    sum: Crc,
}

impl<W: Write> Output<W> {
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length(bytes.len())?;
        self.sum.update(bytes);
        self.to.write_all(bytes)
    }

    pub(super) fn length(&mut self, length: usize) -> io::Result<()> {
        let length = (length as u64).to_le_bytes();
        self.sum.update(&length);
        self.to.write_all(&length)
    }

    /// Writes a list of numbers of `N` bytes each.
    pub(super) fn list<T: Copy, const N: usize>(
        &mut self,
        items: &[T],
        bytes: impl Fn(T) -> [u8; N],
    ) -> io::Result<()> {
        self.bytes(&items.iter().flat_map(|item| bytes(*item)).collect::<Vec<_>>())
    }
}

/// A file being read.
pub(super) struct Input<R> {
    from: R,
    sum: Crc,
    /// Number of bytes before the checksum that are not read yet: no damaged length asks for more memory.
    left: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        self.take(length)
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.left = self.left.checked_sub(length as u64).ok_or_else(damaged)?;
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes)?;
        self.sum.update(&bytes);
        Ok(bytes)
    }

    pub(super) fn length(&mut self) -> io::Result<usize> {
        let bytes = self.take(size_of::<u64>())?;
        let length = u64::from_le_bytes(bytes.try_into().map_err(|_| damaged())?);
        usize::try_from(length).map_err(|_| damaged())
    }

    pub(super) fn text(&mut self) -> io::Result<Box<str>> {
        Ok(String::from_utf8(self.bytes()?).map_err(|_| damaged())?.into_boxed_str())
    }

    /// Reads a list of numbers of `N` bytes each.
    pub(super) fn list<T, const N: usize>(&mut self, item: impl Fn([u8; N]) -> T) -> io::Result<Box<[T]>> {
        let bytes = self.bytes()?;
        let (items, rest) = bytes.as_chunks::<N>();
        if rest.is_empty() { Ok(items.iter().map(|bytes| item(*bytes)).collect()) } else { Err(damaged()) }
    }
}

impl Order {
    fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.length(self.chunks.len())?;
        self.chunks.iter().try_for_each(|chunk| chunk.write(out))?;
        out.length(self.signatures.len())?;
        self.signatures.iter().try_for_each(|signatures| signatures.write(out))
    }

    fn read(sort: Sort, input: &mut Input<impl Read>) -> io::Result<Self> {
        let chunks =
            (0..input.length()?).map(|_| Chunk::read(input).map(Arc::new)).collect::<io::Result<Vec<_>>>()?;
        let signatures = (0..input.length()?)
            .map(|_| Signatures::read(input).map(Arc::new))
            .collect::<io::Result<Vec<_>>>()?;
        if signatures.iter().map(|signatures| signatures.len).sum::<usize>() != chunks.len() {
            return Err(damaged());
        }
        Ok(Self { sort, len: chunks.iter().map(|chunk| chunk.len()).sum(), chunks, signatures })
    }
}

impl Listing {
    fn write(&self, out: &mut Output<impl Write>) -> io::Result<()> {
        out.length(self.chunks.len())?;
        self.chunks.iter().try_for_each(|chunk| out.list(chunk, i64::to_le_bytes))
    }

    /// Reads a listing of the books of an order.
    fn read(sort: Sort, of: &Order, input: &mut Input<impl Read>) -> io::Result<Self> {
        let chunks = (0..input.length()?)
            .map(|_| input.list(i64::from_le_bytes).map(Arc::from))
            .collect::<io::Result<Vec<Arc<[i64]>>>>()?;
        let is_whole = chunks.iter().map(|chunk| chunk.len()).sum::<usize>() == of.len;
        if is_whole && chunks.iter().all(|chunk| !chunk.is_empty()) {
            Ok(Self { sort, chunks })
        } else {
            Err(damaged())
        }
    }
}

/// File of an index, of which only the stamp is read yet.
pub struct AtRest<R> {
    input: Input<R>,
    stamp: Box<str>,
}

impl<R: Read> AtRest<R> {
    /// Reads the stamp of a file of this length in bytes.
    ///
    /// # Errors
    /// The file cannot be read, or is no such file.
    pub fn open(from: R, length: u64) -> io::Result<Self> {
        let left = length.checked_sub(size_of::<u32>() as u64).ok_or_else(damaged)?;
        let mut input = Input { from, sum: Crc::new(), left };
        let stamp = input.text()?;
        Ok(Self { input, stamp })
    }

    /// Returns the stamp that [`Index::write`] got.
    pub fn stamp(&self) -> &str {
        &self.stamp
    }

    /// Reads the index.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn index(self) -> io::Result<Index> {
        let mut input = self.input;
        let mut genres = Genres::default();
        for _ in 0..input.length()? {
            genres.number_of(&input.text()?);
        }
        let newest = Order::read(Sort::Newest, &mut input)?;
        let by_title = Order::read(Sort::Title, &mut input)?;
        let by_loans = Listing::read(Sort::Popular, &newest, &mut input)?;
        let by_author = Listing::read(Sort::Author, &newest, &mut input)?;
        let ids = input.list(i64::from_le_bytes)?;
        let loans: Loans = ids.into_iter().zip(input.list(u32::from_le_bytes)?).collect();
        let vocabulary = Vocabulary::read(&mut input)?;
        let sum = input.sum.sum();
        let mut written = [0; size_of::<u32>()];
        input.from.read_exact(&mut written)?;
        if input.left > 0 || u32::from_le_bytes(written) != sum || newest.len != by_title.len {
            return Err(damaged());
        }
        let (loans, first_pages) = (Arc::new(loans), Mutex::default());
        let snapshot = Snapshot { by_title, newest, by_loans, by_author, loans, vocabulary, first_pages };
        Ok(Index::of(snapshot, RwLock::new(genres)))
    }
}

impl Index {
    /// Writes the index with a stamp that says where it belongs. Readers and writers do not wait for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, stamp: &str, to: impl Write) -> io::Result<()> {
        // After the snapshot: a genre may be newer than its books, but never missing.
        let snapshot = self.snapshot();
        let names = self.genre_names();
        let mut out = Output { to, sum: Crc::new() };
        out.bytes(stamp.as_bytes())?;
        out.length(names.len())?;
        names.iter().try_for_each(|name| out.bytes(name.as_bytes()))?;
        snapshot.newest.write(&mut out)?;
        snapshot.by_title.write(&mut out)?;
        snapshot.by_loans.write(&mut out)?;
        snapshot.by_author.write(&mut out)?;
        let (ids, loans): (Vec<i64>, Vec<u32>) = snapshot.loans.iter().unzip();
        out.list(&ids, i64::to_le_bytes)?;
        out.list(&loans, u32::to_le_bytes)?;
        snapshot.vocabulary.write(&mut out)?;
        let Output { mut to, sum } = out;
        to.write_all(&sum.sum().to_le_bytes())?;
        to.flush()
    }
}
