//! Catalogue search index: the folded title and author of every book, in memory, in the orders the screen shows.
//!
//! A reader types any part of a title or an author and sees a page of the books that contain it, in title order or
//! newest first, with their total. The index answers a query of any length in any script over a million books in a few
//! milliseconds: it scans contiguous text with vector instructions, and skips most of the text where the query is rare:
//!
//! - Each order keeps its records in chunks of about a thousand. A chunk holds one text, `title␟author␤` after
//!   `title␟author␤`, and beside it the offset and the id of each record. [Folding](crate::fold::fold) leaves no control
//!   character in a text or a query, so a match never runs from a title into an author or from one book into the next.
//! - A signature of every block of 32 records rules out most blocks for a rare text.
//! - The sort key of a title is a slice of the record's own text and is stored nowhere else.
//! - Readers take the current snapshot and never wait for a writer's work. A writer makes a new snapshot, which shares
//!   all unchanged chunks with the old one.
//! - Up to two thousand matches are ranked one by one (`fit::Rank`): the title itself, whole words, parts of words; then
//!   the shorter title and the more popular book. More matches are listed by class (`fit::Fit`).
//! - A query without a match is replaced by the text that was probably meant ([`Meant`]): another spelling, or fewer words.
//!   A query with few matches also returns, separately, the books that other spellings find.
//! - A query can filter by genre and by having a copy on the shelf. Many loans change the latter, so the index updates it in
//!   place.
//! - The orders by loans and by author are kept as ids alone (`listing`).
//! - A [`Cursor`] is a position in an order, not a book, so it stays valid when the book it was made at is renamed or
//!   deleted.

mod at_rest;
mod batch;
mod chunk;
mod cursor;
mod filter;
mod fit;
mod index;
mod listing;
mod matching;
mod order;
mod signature;
mod similar;
mod skeleton;
mod sound;
#[cfg(test)]
mod tests;
mod vocabulary;

use crate::fold::fold;

pub use at_rest::AtRest;
pub use cursor::Cursor;
pub use index::{Index, Loading};
pub use similar::{Meant, Similar};

/// Number up to which matches are counted. With more matches, the total of a [`Page`] is not exact.
pub const TOTAL_CAP: usize = 1000;

/// Book to add to the index, its texts not folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub id: i64,
    pub title: String,
    /// Blank if unknown.
    pub author: String,
    /// Blank if unknown.
    pub genre: String,
    /// Number of loans and reviews.
    pub popularity: u32,
    /// True if a copy is on the shelf.
    pub available: bool,
}

/// Part of a book in which to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Field {
    /// Title or author.
    #[default]
    Any,
    Title,
}

/// Order of the books on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Best matches first, equally good ones by [`title_key`](crate::fold::title_key), equal keys by id. Without a text,
    /// all books by title.
    #[default]
    Title,
    /// By id, highest first. Books that only have the words of the text follow those that contain the text itself.
    Newest,
    /// By the loans that [`Index::count_loans`] was given, most first, then by title.
    Popular,
    /// By author as written, then by title. Books without an author come last.
    Author,
}

/// Number of loans of each book that was lent, by id.
pub type Loans = std::collections::HashMap<i64, u32>;

#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// Text to find, as typed. Blank matches every book.
    pub text: &'a str,
    pub field: Field,
    /// Restricts to books of this genre, ignoring case and accents.
    pub genre: Option<&'a str>,
    /// Restricts to books with a copy on the shelf.
    pub available: bool,
    /// Counts all matches instead of stopping at [`TOTAL_CAP`].
    pub exact: bool,
    pub sort: Sort,
    /// Maximum number of books on the page; zero counts as one.
    pub limit: usize,
    /// Tries other spellings too if few books match, and fewer words if none do.
    pub similar: bool,
    /// Start or end of the page; `None` for the first page. A cursor of another sort is ignored.
    pub cursor: Option<&'a Cursor>,
}

/// One page of the books that match a [`Query`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub ids: Vec<i64>,
    /// Number of matches on all pages together, at most [`TOTAL_CAP`] unless the query is blank or asks for the exact
    /// number.
    pub total: usize,
    /// False if more books may match than `total`.
    pub total_is_exact: bool,
    /// Cursor of the page after this one, if a match follows.
    pub next: Option<Cursor>,
    /// Cursor of the page before this one, if a match precedes it.
    pub previous: Option<Cursor>,
    /// Text that was searched in place of the typed text, if no book matches the typed text.
    pub meant: Option<Meant>,
    /// Books that another spelling of the text finds, not counted in `total`. Empty except on the first page of a query
    /// with [`Query::similar`].
    pub similar: Vec<Similar>,
    /// True if `similar` is likelier meant than `ids`: the matches have the text only inside longer words, and the first
    /// similar book has it as a word in another script or romanisation.
    pub similar_first: bool,
}

/// Returns the word of a text that folds to `folded`, as in [`Similar::spelled`], in its original spelling.
#[must_use]
pub fn written<'t>(text: &'t str, folded: &str) -> Option<&'t str> {
    text.split(|letter| !fit::is_of_word(letter)).find(|word| fold(word) == folded)
}
