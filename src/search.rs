//! The catalogue search index: the title and author of every book, folded, in memory, in the orders the screen shows.
//!
//! A reader types any part of a title or an author and sees a page of the books that contain it, in title order or
//! newest first, with their total. The index answers that for a million books in a few milliseconds, for a query of
//! any length in any script, because all it does is scan contiguous text with vector instructions, and only where it may
//! find something:
//!
//! - Each order keeps its records in chunks of about a thousand. A chunk holds one text, `title␟author␤` after
//!   `title␟author␤`, and beside it the offset and the id of each record. [Folding](crate::fold::fold) leaves no control
//!   character in a text or a query, so a match never runs from a title into an author or from one book into the next.
//! - A signature of every block of 32 records rules out most of them for a rare text.
//! - The key by which titles are ordered is a part of the record's own text and is stored nowhere else.
//! - Readers take the current snapshot and never wait for a writer's work. A writer makes a new snapshot, which shares
//!   all chunks it did not change with the old one.
//! - What contains the text as typed comes first: titles that begin with it, then whole words, then the rest; behind them
//!   the books with all its words in any order.
//! - Where all that finds only a few, the books found by another spelling are told beside it.
//! - A list may be narrowed to a genre and to books with a copy on the shelf. Whether one has is changed in place, because it
//!   changes with every other loan.
//! - Pages are cut at positions in the order, not at books, so that a [`Cursor`] keeps its meaning when the book it was
//!   made at is renamed or deleted.

mod batch;
mod chunk;
mod cursor;
mod filter;
mod fit;
mod index;
mod matching;
mod order;
mod signature;
mod similar;
mod skeleton;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::fold::fold;

pub use cursor::Cursor;
pub use index::{Index, Loading};
pub use similar::Similar;

/// Matches are counted up to this number; beyond it a [`Page`] says that its total is not exact.
pub const TOTAL_CAP: usize = 1000;

/// A book as it is added to the index, with its texts as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub id: i64,
    pub title: String,
    /// Blank if nobody is known.
    pub author: String,
    /// Blank if it is not known.
    pub genre: String,
    /// Whether a copy is on the shelf.
    pub available: bool,
}

/// Where a query is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field {
    /// Title or author.
    #[default]
    Any,
    Title,
}

/// The order of the books on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The best matches first, and of equally good ones by [`title_key`](crate::fold::title_key), books with the same key
    /// by id.
    #[default]
    Title,
    /// By id, highest first; books that only have the words of the text behind all that contain it.
    Newest,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// The text to find, as typed. Blank matches every book.
    pub text: &'a str,
    pub field: Field,
    /// Only books of this genre, without regard to case and accents.
    pub genre: Option<&'a str>,
    /// Only books with a copy on the shelf.
    pub available: bool,
    /// Whether to count all that match, and not only up to [`TOTAL_CAP`].
    pub exact: bool,
    pub sort: Sort,
    /// The most books on the page; zero counts as one.
    pub limit: usize,
    /// Whether to look for other spellings too, where few books match.
    pub similar: bool,
    /// Where the page begins or ends; none for the first page. A cursor of another sort is ignored.
    pub cursor: Option<&'a Cursor>,
}

/// One page of the answer to a [`Query`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub ids: Vec<i64>,
    /// How many books match the query on all pages together, at most [`TOTAL_CAP`] unless the query is blank or
    /// asks for the exact number.
    pub total: usize,
    /// Whether no more books match than `total` says.
    pub total_is_exact: bool,
    /// Leads to the page after this one, if a match follows.
    pub next: Option<Cursor>,
    /// Leads to the page before this one, if a match precedes it.
    pub previous: Option<Cursor>,
    /// The books that another spelling of the text finds; only on the first page, if asked for. They are in no total.
    pub similar: Vec<Similar>,
}

/// How a word stands in a text as it is written, given folded as [`Similar::spelled`] has it.
#[must_use]
pub fn written<'t>(text: &'t str, folded: &str) -> Option<&'t str> {
    text.split(|letter| !fit::is_of_word(letter)).find(|word| fold(word) == folded)
}
