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

mod filter;
mod fit;
mod signature;
mod similar;
mod skeleton;
mod vocabulary;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter;
use std::num::NonZero;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::fold::{TITLE_KEY_CHARS, fold, sort_key};

use filter::{Filter, Genre, Genres};
use fit::{Fit, Scattered};
use signature::{Finder, Signature};
use vocabulary::Vocabulary;

pub use similar::Similar;

/// Matches are counted up to this number; beyond it a [`Page`] says that its total is not exact.
pub const TOTAL_CAP: usize = 1000;

/// The most records in one chunk: large chunks are faster to search, small ones faster to change. Tests use a small one,
/// so that a small catalogue has many.
const CHUNK: usize = if cfg!(test) { 16 } else { 1024 };

/// A changed chunk with fewer records than this is joined with its neighbour.
const SMALL_CHUNK: usize = CHUNK / 4;

/// Threads that count together, and chunks that one counts as fast as several.
const MOST_COUNTING: usize = 4;
const COUNTED_ALONE: usize = 64;

/// Between the title and the author of a record.
const SEPARATOR: char = '\u{1F}';

/// After each record.
const TERMINATOR: char = '\n';

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

/// A place in one of the orders and the direction in which to read from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Packed", try_from = "Packed")]
pub struct Cursor {
    sort: Sort,
    direction: Direction,
    edge: Edge,
    fit: Fit,
    id: i64,
    /// The title key of the record; empty where the order does not need it.
    key: String,
}

/// The serialised form of a [`Cursor`], short because it appears in URLs. The five lowest bits of the head are sort,
/// direction, edge and, in two, the fit.
type Packed = (u8, i64, String);

/// How a word stands in a text as it is written, given folded as [`Similar::spelled`] has it.
#[must_use]
pub fn written<'t>(text: &'t str, folded: &str) -> Option<&'t str> {
    text.split(|letter| !fit::is_of_word(letter)).find(|word| fold(word) == folded)
}

/// In which direction a page extends from its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// On which side of its record a cursor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Before,
    After,
}

impl Cursor {
    const NEWEST: u8 = 0b001;
    const BACKWARD: u8 = 0b010;
    const AFTER: u8 = 0b100;
    const FIT: u8 = 3;

    /// The order it is a place in.
    #[must_use]
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Whether the record at this position comes before the place where the cursor stands.
    fn passes(&self, position: Position<'_>) -> bool {
        let own = Position { key: &self.key, rank: self.sort.rank(self.id) };
        match self.edge {
            Edge::Before => position < own,
            Edge::After => position <= own,
        }
    }
}

impl From<Cursor> for Packed {
    fn from(cursor: Cursor) -> Self {
        let mut head = 0;
        if cursor.sort == Sort::Newest {
            head |= Cursor::NEWEST;
        }
        if cursor.direction == Direction::Backward {
            head |= Cursor::BACKWARD;
        }
        if cursor.edge == Edge::After {
            head |= Cursor::AFTER;
        }
        head |= (cursor.fit as u8) << Cursor::FIT;
        (head, cursor.id, cursor.key)
    }
}

/// Cursors come back from clients. One that was tampered with is refused, or at worst is another place in the order.
impl TryFrom<Packed> for Cursor {
    type Error = &'static str;

    fn try_from((head, id, key): Packed) -> Result<Self, Self::Error> {
        let fits = [Fit::Begins, Fit::Words, Fit::Contains, Fit::Scattered];
        let fit = *fits.get(usize::from(head >> Self::FIT)).ok_or("an unknown head")?;
        let sort = if head & Self::NEWEST == 0 { Sort::Title } else { Sort::Newest };
        if key.chars().count() > TITLE_KEY_CHARS || (sort == Sort::Newest && !key.is_empty()) {
            return Err("a key that no record has");
        }
        Ok(Self {
            sort,
            direction: if head & Self::BACKWARD == 0 { Direction::Forward } else { Direction::Backward },
            edge: if head & Self::AFTER == 0 { Edge::Before } else { Edge::After },
            fit,
            id,
            key,
        })
    }
}

/// The search index of a catalogue, shared by all threads. Readers never wait for a writer's work.
#[derive(Default)]
pub struct Index {
    current: RwLock<Arc<Snapshot>>,
    /// How often the snapshot was replaced.
    replaced: AtomicU64,
    /// Held while the next snapshot is made.
    writing: Mutex<()>,
    genres: RwLock<Genres>,
}

impl Index {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.snapshot().by_title.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the books with an id in `range` exactly these: adds, changes and removes what differs.
    ///
    /// This one operation follows a change of one book (its id, with the book or without), takes in an imported batch and
    /// reads the whole catalogue anew (the range of all ids). It is one merge whatever the number of entries, costs nothing
    /// more than the comparison where nothing differs, and readers see all of it or nothing. Of several entries with one
    /// id the last counts; entries outside the range are left out.
    pub fn replace(&self, range: RangeInclusive<i64>, entries: Vec<Entry>) {
        let batch = Batch::fold(&range, entries, &self.genres);
        let wanted = batch.newest_first();

        // The mutex guards no data, so another writer's panic has left nothing half-changed.
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        let Difference { mut removed, mut added, borrowed_or_back } =
            difference(current.newest.records_within(&range), wanted);
        for record in &borrowed_or_back {
            current.by_title.set_available(*record);
            current.newest.set_available(*record);
        }
        if removed.is_empty() && added.is_empty() {
            if !borrowed_or_back.is_empty() {
                self.replaced.fetch_add(1, Ordering::Release);
            }
            return;
        }
        let newest = current.newest.merge(&removed, &added);
        removed.sort_by_cached_key(|record| Sort::Title.position(*record));
        added.sort_by_cached_key(|record| Sort::Title.position(*record));
        let by_title = current.by_title.merge(&removed, &added);
        let vocabulary = current.vocabulary.with(added.iter().map(|record| record.text));
        self.publish(Snapshot { by_title, newest, vocabulary, first_pages: Mutex::default() });
    }

    /// Makes a snapshot the current one.
    fn publish(&self, next: Snapshot) {
        let next = Arc::new(next);
        // Readers wait for this exchange only: the old snapshot is dropped after it.
        let old = std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), next);
        self.replaced.fetch_add(1, Ordering::Release);
        drop(old);
    }

    /// Whether there is something for [`Self::learn_words`] to do.
    #[must_use]
    pub fn has_words_to_learn(&self) -> bool {
        self.snapshot().vocabulary.is_behind()
    }

    /// Collects the words among which another spelling is looked for, after many books came at once. It takes a second or
    /// two for a million books, in which readers and writers go on.
    pub fn learn_words(&self) {
        let read = self.snapshot();
        let records = read.newest.chunks.iter().flat_map(|chunk| chunk.all()).map(|record| record.text);
        let collected = read.vocabulary.collected(records);
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        self.publish(Snapshot {
            by_title: current.by_title.clone(),
            newest: current.newest.clone(),
            vocabulary: current.vocabulary.settled_as(&collected),
            first_pages: Mutex::default(),
        });
    }

    /// A number that rises with every change, before the change is answered to whoever waits for it.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.replaced.load(Ordering::Acquire)
    }

    /// The page of the books that match a query, with their total and the cursors of its neighbours.
    ///
    /// Cursors hold for any query text and field of their sort. After the last match comes an empty page, whose
    /// `previous` leads back.
    #[must_use]
    pub fn page(&self, query: &Query<'_>) -> Page {
        // What is on the shelf changes without a new snapshot.
        if query.cursor.is_some() || query.available {
            return self.page_counting(query, TOTAL_CAP);
        }
        // Many people look for the same at the same time. The pages remembered belong to the snapshot, so a change of the
        // catalogue forgets them.
        let snapshot = self.snapshot();
        let asked = Asked {
            text: query.text.to_owned(),
            field: query.field,
            genre: query.genre.map(str::to_owned),
            sort: query.sort,
            limit: query.limit,
            exact: query.exact,
            similar: query.similar,
        };
        let remembered =
            snapshot.first_pages.lock().unwrap_or_else(PoisonError::into_inner).get(&asked).cloned();
        remembered.unwrap_or_else(|| {
            let page = self.page_counting(query, TOTAL_CAP);
            let mut pages = snapshot.first_pages.lock().unwrap_or_else(PoisonError::into_inner);
            if pages.len() >= FIRST_PAGES {
                pages.clear();
            }
            pages.insert(asked, page.clone());
            page
        })
    }

    fn page_counting(&self, query: &Query<'_>, cap: usize) -> Page {
        let snapshot = self.snapshot();
        let order = match query.sort {
            Sort::Title => &snapshot.by_title,
            Sort::Newest => &snapshot.newest,
        };
        let folded = fold(query.text);
        let Some(filter) = self.filter(query) else {
            return Page { total_is_exact: true, ..Page::default() };
        };
        let wanted = Wanted::new(folded.trim_matches(' '), query.field, query.sort, filter);
        let cursor = query.cursor.filter(|cursor| cursor.sort == query.sort);
        let cut = cursor.map_or((Fit::Begins, Place::START), |cursor| (cursor.fit, order.find(cursor)));

        let mut found: Vec<(Fit, Place)> = Vec::new();
        if !wanted.is_blank() {
            let everywhere = Place::START..order.end();
            let contained = order.matches(everywhere.clone(), &wanted.matcher);
            found
                .extend(contained.take(cap.saturating_add(1)).map(|place| (wanted.fit(order, place), place)));
            let room = cap.saturating_add(1).saturating_sub(found.len());
            found.extend(
                order
                    .places(&wanted, Fit::Scattered, everywhere)
                    .take(room)
                    .map(|place| (Fit::Scattered, place)),
            );
        }
        let all_found = found.len() <= cap;
        let total = if wanted.is_blank() || query.exact && !all_found {
            order.count(&wanted)
        } else {
            found.len().min(cap)
        };
        let similar = if query.similar && cursor.is_none() && !wanted.is_blank() && found.len() < similar::FEW
        {
            let found = found.iter().map(|(_, place)| order.record(*place).id).collect();
            similar::find(&snapshot, wanted.needle, query.field, filter, &found)
        } else {
            Vec::new()
        };
        let page = if all_found && !wanted.is_blank() {
            // All matches are at hand.
            found.sort_unstable();
            let (before, after) = found.split_at(found.partition_point(|match_| *match_ < cut));
            order.window(query.limit, cursor, before.iter().rev().copied(), after.iter().copied())
        } else {
            // The page is read outwards from the cut.
            let (fit, place) = cut;
            let of = |fit: Fit| move |place| (fit, place);
            let before = wanted.fits.iter().rev().filter(move |other| **other <= fit).flat_map(|other| {
                let end = if *other == fit { place } else { order.end() };
                order.places_backward(&wanted, *other, Place::START..end).map(of(*other))
            });
            let after = wanted.fits.iter().filter(move |other| **other >= fit).flat_map(|other| {
                let start = if *other == fit { place } else { Place::START };
                order.places(&wanted, *other, start..order.end()).map(of(*other))
            });
            order.window(query.limit, cursor, before, after)
        };
        Page { total, total_is_exact: all_found || query.exact, similar, ..page }
    }

    /// What a query is narrowed to; none where no book has its genre.
    fn filter(&self, query: &Query<'_>) -> Option<Filter> {
        let number = |name| self.genres.read().unwrap_or_else(PoisonError::into_inner).number(name);
        let genre = match query.genre {
            Some(name) => Some(number(name)?),
            None => None,
        };
        Some(Filter { genre, available: query.available })
    }

    /// The genres that books have, each with their number, the most common first.
    #[must_use]
    pub fn genres(&self) -> Vec<(String, usize)> {
        let snapshot = self.snapshot();
        let genres = self.genres.read().unwrap_or_else(PoisonError::into_inner);
        let mut counts = vec![0; genres.names.len()];
        for genre in snapshot.newest.chunks.iter().flat_map(|chunk| &chunk.genres) {
            // One that came after the names were read, or none.
            if let Some(count) = counts.get_mut(usize::from(*genre)) {
                *count += 1;
            }
        }
        let mut found: Vec<_> =
            genres.names.iter().cloned().zip(counts).filter(|(_, books)| *books > 0).collect();
        found.sort_by_key(|(_, books)| Reverse(*books)); // stable
        found
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

/// A whole catalogue on its way into a new index, portion by portion: the entries and their folded texts never are in
/// memory all at once, as [`Index::replace`] has them.
pub struct Loading {
    newest: Order,
    genres: RwLock<Genres>,
}

impl Default for Loading {
    fn default() -> Self {
        Self { newest: Order::empty(Sort::Newest), genres: RwLock::default() }
    }
}

impl Loading {
    /// Takes in entries whose ids are above all that came before.
    pub fn push(&mut self, entries: Vec<Entry>) {
        let batch = Batch::fold(&(i64::MIN..=i64::MAX), entries, &self.genres);
        self.newest = self.newest.merge(&[], &batch.newest_first());
    }

    /// The index of everything that came.
    #[must_use]
    pub fn finish(self) -> Index {
        let texts: Vec<&str> =
            self.newest.chunks.iter().flat_map(|chunk| chunk.all()).map(|record| record.text).collect();
        let vocabulary = Vocabulary::default().with(texts.into_iter());
        let by_title = self.newest.by_title();
        let snapshot = Snapshot { by_title, newest: self.newest, vocabulary, first_pages: Mutex::default() };
        Index { current: RwLock::new(Arc::new(snapshot)), genres: self.genres, ..Index::default() }
    }
}

/// The same records in both orders.
struct Snapshot {
    by_title: Order,
    newest: Order,
    vocabulary: Vocabulary,
    first_pages: Mutex<HashMap<Asked, Page>>,
}

/// A first page as it was asked for.
#[derive(PartialEq, Eq, Hash)]
struct Asked {
    text: String,
    field: Field,
    genre: Option<String>,
    sort: Sort,
    limit: usize,
    exact: bool,
    similar: bool,
}

/// First pages remembered of one snapshot; some hundred bytes each.
const FIRST_PAGES: usize = 1024;

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            by_title: Order::empty(Sort::Title),
            newest: Order::empty(Sort::Newest),
            vocabulary: Vocabulary::default(),
            first_pages: Mutex::default(),
        }
    }
}

/// One book in the index.
#[derive(Clone, Copy)]
struct Record<'a> {
    id: i64,
    /// The folded `title␟author␤`.
    text: &'a str,
    genre: Genre,
    available: bool,
}

/// What the records of an order ascend by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position<'a> {
    key: &'a str,
    rank: i64,
}

impl Sort {
    fn position(self, record: Record<'_>) -> Position<'_> {
        let key = match self {
            Self::Title => sort_key(fit::title(record.text)),
            Self::Newest => "",
        };
        Position { key, rank: self.rank(record.id) }
    }

    /// The id, or for the newest first a number that falls as the id rises.
    fn rank(self, id: i64) -> i64 {
        match self {
            Self::Title => id,
            Self::Newest => !id,
        }
    }
}

/// Entries on their way into the index, folded into one text.
struct Batch {
    text: String,
    spans: Vec<(Record<'static>, Range<usize>)>,
}

impl Batch {
    fn fold(range: &RangeInclusive<i64>, entries: Vec<Entry>, genres: &RwLock<Genres>) -> Self {
        let bytes = entries.iter().map(|entry| entry.title.len() + entry.author.len() + 2);
        let mut text = String::with_capacity(bytes.sum());
        let mut spans = Vec::with_capacity(entries.len());
        let known = |name: &str| genres.read().unwrap_or_else(PoisonError::into_inner).number(name);
        // Books that follow each other often have one genre.
        let (mut last, mut number) = (String::new(), filter::NO_GENRE);
        for entry in entries {
            if range.contains(&entry.id) {
                if entry.genre != last {
                    number = known(&entry.genre).unwrap_or_else(|| {
                        genres.write().unwrap_or_else(PoisonError::into_inner).number_of(&entry.genre)
                    });
                    last = entry.genre;
                }
                let start = text.len();
                text.push_str(&fold(&entry.title));
                text.push(SEPARATOR);
                text.push_str(&fold(&entry.author));
                text.push(TERMINATOR);
                let record = Record { id: entry.id, text: "", genre: number, available: entry.available };
                spans.push((record, start..text.len()));
            }
        }
        Self { text, spans }
    }

    /// The records by falling id, of those with the same id the last one given.
    fn newest_first(&self) -> Vec<Record<'_>> {
        let mut records: Vec<Record<'_>> = self
            .spans
            .iter()
            .rev()
            .map(|(record, span)| Record { text: &self.text[span.clone()], ..*record })
            .collect();
        records.sort_by_key(|record| Reverse(record.id)); // stable
        records.dedup_by_key(|record| record.id);
        records
    }
}

/// What has to be done to come from the present records to the wanted ones, all by falling id.
#[derive(Default)]
struct Difference<'a> {
    removed: Vec<Record<'a>>,
    added: Vec<Record<'a>>,
    /// Those of which the first copy came to the shelf, or the last one left it, and nothing else changed.
    borrowed_or_back: Vec<Record<'a>>,
}

fn difference<'a>(present: impl Iterator<Item = Record<'a>>, wanted: Vec<Record<'a>>) -> Difference<'a> {
    let mut present = present.peekable();
    let mut difference = Difference::default();
    for record in wanted {
        while let Some(gone) = present.next_if(|present| present.id > record.id) {
            difference.removed.push(gone);
        }
        match present.next_if(|present| present.id == record.id) {
            Some(same) if (same.text, same.genre) == (record.text, record.genre) => {
                if same.available != record.available {
                    difference.borrowed_or_back.push(record);
                }
            }
            other => {
                difference.removed.extend(other);
                difference.added.push(record);
            }
        }
    }
    difference.removed.extend(present);
    difference
}

/// Some consecutive records of an order.
struct Chunk {
    ids: Box<[i64]>,
    /// Where the text of each record begins, and at last where that of the last one ends.
    starts: Box<[u32]>,
    text: Box<str>,
    genres: Box<[Genre]>,
    /// Changed in place; readers of one page may see it before and after.
    available: Box<[AtomicBool]>,
    signature: Signature,
}

impl Chunk {
    fn of(records: &[Record<'_>]) -> Self {
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
            available: records.iter().map(|record| AtomicBool::new(record.available)).collect(),
            signature: Signature::of(records.iter().map(|record| record.text)),
        }
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn start(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// The index of the record that has this byte of the text.
    fn holding(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= at) - 1
    }

    fn record(&self, index: usize) -> Record<'_> {
        Record {
            id: self.ids[index],
            text: &self.text[self.start(index)..self.start(index + 1)],
            genre: self.genres[index],
            available: self.available[index].load(Ordering::Relaxed),
        }
    }

    fn records(&self, range: Range<usize>) -> impl Iterator<Item = Record<'_>> {
        range.map(|index| self.record(index))
    }

    fn all(&self) -> impl Iterator<Item = Record<'_>> {
        self.records(0..self.len())
    }

    /// The index of the first record from `start` on for which `passed` is false, as it is for all after it.
    fn partition_point(&self, start: usize, passed: impl Fn(Record<'_>) -> bool) -> usize {
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

/// Where a record is in an order. A place may also be the end of a chunk: then no record of the chunk comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    chunk: usize,
    index: usize,
}

impl Place {
    const START: Self = Self { chunk: 0, index: 0 };
}

/// All records, ascending by their position. No chunk is empty.
#[derive(Clone)]
struct Order {
    sort: Sort,
    len: usize,
    chunks: Vec<Arc<Chunk>>,
}

impl Order {
    fn empty(sort: Sort) -> Self {
        Self { sort, len: 0, chunks: Vec::new() }
    }

    /// The chunk in which to look for the first record that is not `passed`, or to put it.
    fn chunk_for(&self, passed: impl Fn(Position<'_>) -> bool) -> usize {
        self.chunks.partition_point(|chunk| passed(self.sort.position(chunk.record(0)))).saturating_sub(1)
    }

    /// The place of the first record behind the cursor.
    fn find(&self, cursor: &Cursor) -> Place {
        self.partition_point(|position| cursor.passes(position))
    }

    /// The place of the first record that is not `passed`, as are all after it.
    fn partition_point(&self, passed: impl Fn(Position<'_>) -> bool) -> Place {
        let chunk = self.chunk_for(&passed);
        let index = self
            .chunks
            .get(chunk)
            .map_or(0, |chunk| chunk.partition_point(0, |record| passed(self.sort.position(record))));
        Place { chunk, index }
    }

    /// Tells whether a copy of this record's book is on the shelf.
    fn set_available(&self, record: Record<'_>) {
        let own = self.sort.position(record);
        let chunk = &self.chunks[self.chunk_for(|first| first <= own)];
        let index = chunk.partition_point(0, |other| self.sort.position(other) < own);
        chunk.available[index].store(record.available, Ordering::Relaxed);
    }

    /// How many records match.
    fn count(&self, wanted: &Wanted<'_>) -> usize {
        if wanted.is_blank() && wanted.matcher.filter.is_everything() {
            return self.len;
        }
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_COUNTING);
        let share = self.chunks.len().div_ceil(threads).max(1);
        let count = |chunks: &[Arc<Chunk>]| chunks.iter().map(|chunk| wanted.count(chunk)).sum();
        if self.chunks.len() < COUNTED_ALONE {
            return count(&self.chunks);
        }
        thread::scope(|scope| {
            let counting: Vec<_> =
                self.chunks.chunks(share).map(|chunks| scope.spawn(move || count(chunks))).collect();
            counting.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        })
    }

    /// The place after the last record.
    fn end(&self) -> Place {
        Place { chunk: self.chunks.len(), index: 0 }
    }

    /// The matches between two places, first to last.
    fn matches(&self, places: Range<Place>, matcher: &Matcher<'_>) -> impl Iterator<Item = Place> {
        self.pieces(places).flat_map(move |(chunk, records)| {
            matcher.matches(&self.chunks[chunk], records).map(move |index| Place { chunk, index })
        })
    }

    /// The matches of one fit between two places, first to last.
    fn places(&self, wanted: &Wanted<'_>, fit: Fit, places: Range<Place>) -> impl Iterator<Item = Place> {
        let pieces = self.pieces(self.within(wanted, fit, places));
        pieces.flat_map(move |(chunk, records)| self.fitting(wanted, fit, chunk, records))
    }

    /// The matches of one fit between two places, last to first.
    fn places_backward(
        &self,
        wanted: &Wanted<'_>,
        fit: Fit,
        places: Range<Place>,
    ) -> impl Iterator<Item = Place> {
        let pieces = self.pieces(self.within(wanted, fit, places)).rev();
        // Within a chunk they are found forwards: only that way is fast.
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

    /// Titles that begin with the text stand together in title order.
    fn within(&self, wanted: &Wanted<'_>, fit: Fit, places: Range<Place>) -> Range<Place> {
        if fit != Fit::Begins || wanted.is_blank() {
            return places;
        }
        let key = sort_key(wanted.needle);
        let start = self.partition_point(|position| position.key < key);
        let end = self.partition_point(|position| position.key < key || position.key.starts_with(key));
        places.start.max(start)..places.end.min(end)
    }

    /// The matches of one fit among these records of a chunk, first to last.
    fn fitting(
        &self,
        wanted: &Wanted<'_>,
        fit: Fit,
        chunk: usize,
        records: Range<usize>,
    ) -> impl Iterator<Item = Place> {
        let own = &self.chunks[chunk];
        let (contained, scattered) = match &wanted.scattered {
            _ if fit != Fit::Scattered => (Some(wanted.matcher.matches(own, records)), Vec::new()),
            Some(scattered) => {
                let mut found = scattered.matches(own, records);
                found.retain(|index| wanted.matcher.filter.admits(own, *index));
                (None, found)
            }
            None => (None, Vec::new()),
        };
        let found = contained.into_iter().flatten().chain(scattered);
        let places = found.map(move |index| Place { chunk, index });
        places.filter(move |place| wanted.fit(self, *place) == fit)
    }

    /// The chunks between two places, each with the records of it that lie between them.
    fn pieces(&self, places: Range<Place>) -> impl DoubleEndedIterator<Item = (usize, Range<usize>)> {
        let Range { start, end } = places;
        let chunks = start.chunk..self.chunks.len().min(end.chunk + 1);
        chunks.map(move |chunk| {
            let first = if chunk == start.chunk { start.index } else { 0 };
            let last = if chunk == end.chunk { end.index } else { self.chunks[chunk].len() };
            (chunk, first..last)
        })
    }

    /// The page at a cut, given the matches on both its sides, the nearest first. The totals are left to the caller.
    fn window(
        &self,
        limit: usize,
        cursor: Option<&Cursor>,
        mut before: impl Iterator<Item = (Fit, Place)>,
        mut after: impl Iterator<Item = (Fit, Place)>,
    ) -> Page {
        let limit = limit.max(1);
        let mut places: Vec<(Fit, Place)>;
        if cursor.is_some_and(|cursor| cursor.direction == Direction::Backward) {
            places = before.by_ref().take(limit).collect();
            places.reverse();
        } else {
            places = after.by_ref().take(limit).collect();
        }
        // A page without matches can only lead on from where it was cut itself.
        let leading = |place: Option<&(Fit, Place)>, direction, edge| match place {
            Some(place) => Some(self.cursor_at(*place, direction, edge)),
            None => cursor.map(|cursor| Cursor { direction, ..cursor.clone() }),
        };
        let next = after.next().and_then(|_| leading(places.last(), Direction::Forward, Edge::After));
        let previous = before.next().and_then(|_| leading(places.first(), Direction::Backward, Edge::Before));
        Page {
            ids: places.iter().map(|(_, place)| self.chunks[place.chunk].ids[place.index]).collect(),
            next,
            previous,
            ..Page::default()
        }
    }

    fn record(&self, place: Place) -> Record<'_> {
        self.chunks[place.chunk].record(place.index)
    }

    fn cursor_at(&self, (fit, place): (Fit, Place), direction: Direction, edge: Edge) -> Cursor {
        let record = self.record(place);
        Cursor {
            sort: self.sort,
            direction,
            edge,
            fit,
            id: record.id,
            key: self.sort.position(record).key.to_owned(),
        }
    }

    /// The records with an id in the range, by falling id. Only the order of the newest can tell.
    fn records_within(&self, range: &RangeInclusive<i64>) -> impl Iterator<Item = Record<'_>> {
        debug_assert_eq!(self.sort, Sort::Newest);
        let (first, last) = (self.sort.rank(*range.end()), self.sort.rank(*range.start()));
        let chunk = self.chunk_for(|position| position.rank < first);
        self.chunks[chunk..]
            .iter()
            .flat_map(|chunk| chunk.all())
            .skip_while(move |record| self.sort.rank(record.id) < first)
            .take_while(move |record| self.sort.rank(record.id) <= last)
    }

    /// The same records in title order, sorted and copied by two threads.
    fn by_title(&self) -> Self {
        let sort = Sort::Title;
        // By their places, because a million records by themselves are 40 MB for a moment.
        let record = |(_, place): &(u64, (u32, u32))| self.chunks[place.0 as usize].record(place.1 as usize);
        // Most titles differ in the first letters, which are compared without going to the texts.
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
        // Finds two sorted runs, and merges them.
        order.sort_by(compare);
        let chunks_of = |order: &[_]| -> Vec<Arc<Chunk>> {
            let of = |places: &[_]| Arc::new(Chunk::of(&places.iter().map(record).collect::<Vec<_>>()));
            in_chunks(order).map(of).collect()
        };
        let (low, high) = order.split_at(middle);
        let (mut chunks, others) = in_two_threads(|| chunks_of(low), || chunks_of(high));
        chunks.extend(others);
        Self { sort, len: self.len, chunks }
    }

    /// This order after the changes. Chunks that nothing changes are shared.
    fn merge<'a>(&'a self, removed: &[Record<'a>], added: &[Record<'a>]) -> Self {
        let sort = self.sort;
        let len = self.len + added.len() - removed.len();
        let mut changes = Changes { sort, removed, added };
        let mut chunks = Vec::with_capacity(self.chunks.len() + added.len() / CHUNK + 1);
        // Records gathered for new chunks, and the first of the old chunks that is not yet carried over.
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
                run.extend(added); // there was no chunk at all
                break;
            };
            old += 1;
            let end = self.chunks.get(old).map(|next| sort.position(next.record(0)));
            changes.apply(chunk, end, &mut run);
        }
        // What is left of a small run joins the chunk after it, or else the one before it.
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
        Self { sort, len, chunks }
    }
}

/// The changes of an order that are still to be made, in its order.
struct Changes<'c, 'a> {
    sort: Sort,
    removed: &'c [Record<'a>],
    added: &'c [Record<'a>],
}

impl<'a> Changes<'_, 'a> {
    /// The position of the first change.
    fn next(&self) -> Option<Position<'a>> {
        [self.removed.first(), self.added.first()]
            .into_iter()
            .flatten()
            .map(|record| self.sort.position(*record))
            .min()
    }

    /// Makes the changes before `end` while appending the records of a chunk to a run.
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

fn in_two_threads<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), other)
    })
}

/// Records in as few chunks as hold them, all about the same size.
fn cut(records: &[Record<'_>]) -> impl Iterator<Item = Arc<Chunk>> {
    in_chunks(records).map(Chunk::of).map(Arc::new)
}

/// As few parts as have at most [`CHUNK`] records each, of nearly the same length.
fn in_chunks<T>(mut records: &[T]) -> impl Iterator<Item = &[T]> {
    (1..=records.len().div_ceil(CHUNK)).rev().map(move |left| {
        let (chunk, rest) = records.split_at(records.len() / left);
        records = rest;
        chunk
    })
}

/// What a query looks for.
struct Wanted<'n> {
    /// The folded text.
    needle: &'n str,
    field: Field,
    sort: Sort,
    matcher: Matcher<'n>,
    scattered: Option<Scattered>,
    /// The fits that matches can have, best first.
    fits: &'static [Fit],
}

impl<'n> Wanted<'n> {
    fn new(needle: &'n str, field: Field, sort: Sort, filter: Filter) -> Self {
        let fits: &[Fit] = match sort {
            _ if needle.is_empty() => &[Fit::Begins],
            Sort::Title => &[Fit::Begins, Fit::Words, Fit::Contains, Fit::Scattered],
            Sort::Newest => &[Fit::Contains, Fit::Scattered],
        };
        let (matcher, scattered) = (Matcher::new(needle, field, filter), Scattered::new(needle, field));
        Self { needle, field, sort, matcher, scattered, fits }
    }

    fn is_blank(&self) -> bool {
        self.needle.is_empty()
    }

    /// How many records of a chunk match.
    fn count(&self, chunk: &Chunk) -> usize {
        let mut contained = vec![false; chunk.len()];
        match &self.matcher.finder {
            // Most blocks have it: the text is read in one go.
            Some(finder) if self.field == Field::Any && finder.blocks(chunk) > 16 => {
                let mut index = 0;
                while let Some(found) = finder.find_in(&chunk.text, chunk.start(index)) {
                    while chunk.start(index + 1) <= found {
                        index += 1;
                    }
                    contained[index] = self.matcher.filter.admits(chunk, index);
                    index += 1;
                }
            }
            _ => self.matcher.matches(chunk, 0..chunk.len()).for_each(|index| contained[index] = true),
        }
        let others = self.scattered.as_ref().map_or(0, |scattered| {
            let candidates = scattered.candidates(chunk, 0..chunk.len()).into_iter();
            let others =
                candidates.filter(|index| !contained[*index] && self.matcher.filter.admits(chunk, *index));
            others.filter(|index| scattered.accepts(chunk.record(*index).text)).count()
        });
        contained.into_iter().filter(|is_in| *is_in).count() + others
    }

    /// How well the record at a place matches.
    fn fit(&self, order: &Order, place: Place) -> Fit {
        if self.is_blank() {
            return Fit::Begins;
        }
        let chunk = &order.chunks[place.chunk];
        if self.scattered.is_some() && self.matcher.first(chunk, place.index..place.index + 1).is_none() {
            return Fit::Scattered;
        }
        match self.sort {
            Sort::Title => Fit::of(chunk.record(place.index).text, self.needle, self.field),
            Sort::Newest => Fit::Contains,
        }
    }
}

/// The part of a record's text in which a query looks.
fn searched(text: &str, field: Field) -> &str {
    if field == Field::Title { fit::title(text) } else { text }
}

/// Tells which records contain a folded query. A blank one is in all of them.
struct Matcher<'n> {
    finder: Option<Finder<'n>>,
    field: Field,
    filter: Filter,
}

impl<'n> Matcher<'n> {
    fn new(needle: &'n str, field: Field, filter: Filter) -> Self {
        Self { finder: (!needle.is_empty()).then(|| Finder::new(needle)), field, filter }
    }

    /// How many blocks of a chunk are read for it.
    fn blocks(&self, chunk: &Chunk) -> usize {
        self.finder.as_ref().map_or(0, |finder| finder.blocks(chunk))
    }

    /// The matching ones among these records of a chunk.
    fn matches(&self, chunk: &Chunk, mut records: Range<usize>) -> impl Iterator<Item = usize> {
        iter::from_fn(move || {
            let index = self.first(chunk, records.clone())?;
            records.start = index + 1;
            Some(index)
        })
    }

    fn first(&self, chunk: &Chunk, mut records: Range<usize>) -> Option<usize> {
        let Some(finder) = &self.finder else {
            return records.find(|index| self.filter.admits(chunk, *index));
        };
        // Of one genre there are few, and each is asked.
        if self.filter.genre.is_some() {
            return records.find(|index| {
                self.filter.admits(chunk, *index)
                    && finder.is_in(searched(chunk.record(*index).text, self.field))
            });
        }
        while !records.is_empty() {
            let at = finder.find(chunk, records.clone())?;
            let index = chunk.holding(at);
            let within = &chunk.text.as_bytes()[at..chunk.start(index + 1)];
            // The separator still to come shows that the match is in the title.
            let in_field = self.field == Field::Any || memchr(SEPARATOR as u8, within).is_some();
            if in_field && self.filter.admits(chunk, index) {
                return Some(index);
            }
            records.start = index + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::fold::title_key;

    const ALL: RangeInclusive<i64> = i64::MIN..=i64::MAX;

    fn entry(id: i64, title: &str, author: &str) -> Entry {
        Entry { id, title: title.to_owned(), author: author.to_owned(), ..Entry::default() }
    }

    /// An index of books with the ids 1, 2, 3, …
    fn index_of(books: &[(&str, &str)]) -> Index {
        let entries = (1..).zip(books).map(|(id, (title, author))| entry(id, title, author));
        let index = Index::new();
        index.replace(ALL, entries.collect());
        index
    }

    fn query(text: &str) -> Query<'_> {
        Query { text, limit: 100, ..Query::default() }
    }

    /// The ids of the books that contain the text, lowest first.
    fn found(index: &Index, text: &str) -> Vec<i64> {
        let mut ids = index.page(&query(text)).ids;
        ids.sort_unstable();
        ids
    }

    fn found_in_title(index: &Index, text: &str) -> Vec<i64> {
        let page = index.page(&Query { field: Field::Title, ..query(text) });
        page.ids
    }

    #[test]
    fn r_home_2_a_book_is_found_by_any_part_of_its_title_or_author_in_any_case() {
        let index = index_of(&[
            ("The Hobbit", "J. R. R. Tolkien"),
            ("Emma", "Jane Austen"),
            ("Persuasion", "Jane Austen"),
        ]);
        assert_eq!(found(&index, "hob"), [1]);
        assert_eq!(found(&index, "BBIT"), [1]);
        assert_eq!(found(&index, "jane au"), [2, 3]);
        assert_eq!(found(&index, "M"), [2]);
        assert_eq!(found(&index, "e hobbit"), [1]);
        assert_eq!(found(&index, "tolkien"), [1]);
        assert_eq!(found(&index, "dickens"), [0_i64; 0]);
    }

    #[test]
    fn an_index_that_was_loaded_in_portions_is_the_same_as_one_made_at_once() {
        // Titles that differ behind their eighth letter, in the id only, in the first letter, and not in letters at all.
        let title = |n: i64| match n % 4 {
            0 => format!("A history of the {}", 1000 - n),
            1 => "Poems".to_owned(),
            2 => format!("{n}"),
            _ => "???".to_owned(),
        };
        let entries: Vec<Entry> = (1..=200).map(|n| entry(n * 3, &title(n), "Somebody")).collect();
        let whole = Index::new();
        whole.replace(ALL, entries.clone());
        for portion in [1, 7, 64, 1000] {
            let mut loading = Loading::default();
            entries.chunks(portion).for_each(|portion| loading.push(portion.to_vec()));
            let loaded = loading.finish();
            for sort in [Sort::Title, Sort::Newest] {
                let all = Query { sort, limit: 1000, ..Query::default() };
                assert_eq!(loaded.page(&all), whole.page(&all), "{sort:?} in portions of {portion}");
                let some = Query { text: "history", ..all };
                assert_eq!(loaded.page(&some), whole.page(&some), "{sort:?} in portions of {portion}");
            }
            loaded.replace(6..=6, Vec::new());
            assert_eq!(loaded.len(), 199);
        }
        assert!(Loading::default().finish().is_empty());
    }

    #[test]
    fn u6_what_is_as_typed_comes_first_and_then_what_has_all_the_words() {
        let index = index_of(&[
            ("Gemma", "Someone"),
            ("Dear Emma", "Someone"),
            ("Emma's War", "Someone"),
            ("Emma", "Jane Austen"),
            ("Anna Karenina", "Leo Tolstoy"),
            ("Hamlet", "William Shakespeare"),
            ("The Guide", "R. K. Narayan"),
            ("The Hobbit", "J.R.R. Tolkien"),
        ]);
        let all = |text: &str| index.page(&query(text)).ids;
        assert_eq!(all("emma"), [4, 3, 2, 1]);
        assert_eq!(all("tolstoy anna"), [5]);
        assert_eq!(all("shakespeare hamlet"), [6]);
        for narayan in ["RK Narayan", "R K Narayan", "r.k. narayan", "narayan guide", "rk"] {
            assert_eq!(all(narayan), [7], "{narayan}");
        }
        assert_eq!(all("jrr tolkien hobbit"), [8]);
        assert_eq!(all("tolstoy hamlet"), [0_i64; 0], "all words are of one book");
    }

    /// What other spellings of a text find: titles, each with the words that are spelled so.
    fn similar<'b>(index: &Index, books: &[(&'b str, &'b str)], text: &str) -> Vec<(&'b str, String)> {
        let page = index.page(&Query { similar: true, ..query(text) });
        let title = |id: i64| books[usize::try_from(id).expect("an id of ours") - 1].0;
        page.similar.into_iter().map(|other| (title(other.id), other.spelled.join(" "))).collect()
    }

    #[test]
    fn u6_another_spelling_finds_what_the_text_itself_does_not() {
        let books = [
            ("Ramayana", "Valmiki"),
            ("रामायण", "वाल्मीकि"),
            ("The Ramayan of Tulsidas", "F. S. Growse"),
            ("গীতা", ""),
            ("Harry Potter", "J. K. Rowling"),
            ("Pottery for All", "A. Shaper"),
            ("1984", "George Orwell"),
        ];
        let index = index_of(&books);
        let spelled = |text: &str| similar(&index, &books, text);
        let of = |title: &'static str, word: &str| (title, word.to_owned());
        let (latin, indic, tulsidas) = (books[0].0, books[1].0, books[2].0);
        assert_eq!(found(&index, "ramayan"), [1, 3], "as typed");
        assert_eq!(spelled("ramayan"), [of(indic, "रामायण")], "what is found as typed is not told twice");
        assert_eq!(spelled("रामायण"), [of(tulsidas, "ramayan"), of(latin, "ramayana")]);
        assert_eq!(
            spelled("ramyan"),
            spelled("रामायण").into_iter().chain([of(indic, "रामायण")]).collect::<Vec<_>>()
        );
        assert_eq!(spelled("geeta"), [of("গীতা", "গীতা")]);
        assert_eq!(spelled("hary poter"), [of("Harry Potter", "harry potter")], "one error in each word");
        assert_eq!(spelled("poter harry"), [of("Harry Potter", "potter")], "in any order");
        assert_eq!(spelled("rowlnig"), [of("Harry Potter", "rowling")], "two neighbours swapped");
        for text in ["pot", "1985", "xyzzy", "potter", "haryr x", ""] {
            assert_eq!(spelled(text), [], "{text}");
        }
        let in_title = Query { similar: true, field: Field::Title, ..query("rowlnig") };
        assert_eq!(index.page(&in_title).similar, []);
    }

    #[test]
    fn u6_other_spellings_follow_the_catalogue() {
        let index = Index::new();
        let ids = |text: &str| -> Vec<i64> {
            let page = index.page(&Query { similar: true, ..query(text) });
            page.similar.into_iter().map(|other| other.id).collect()
        };
        let many = (1..=1000).map(|id| entry(id, &format!("Volume {id}"), "Somebody")).collect();
        index.replace(ALL, many);
        assert_eq!(ids("someboby"), [0_i64; 0], "the words of many books are collected later");
        assert!(index.has_words_to_learn());
        index.replace(2000..=2000, vec![entry(2000, "Godaan", "")]);
        assert_eq!(ids("गोदान"), [2000], "those of a book at once");
        index.learn_words();
        assert!(!index.has_words_to_learn());
        assert_eq!(ids("someboby").len(), 24, "four rows of six");
        assert_eq!(ids("गोदान"), [2000]);
        index.replace(2000..=2000, vec![entry(2000, "Nirmala", "")]);
        assert_eq!((ids("गोदान"), ids("निर्मला")), (vec![], vec![2000]));
        index.replace(2000..=2000, Vec::new());
        assert_eq!(ids("निर्मला"), [0_i64; 0]);
    }

    #[test]
    fn u6_where_ten_books_match_or_a_page_is_not_the_first_no_other_spelling_is_told() {
        for (count, told) in [(9, 1), (10, 0)] {
            let mut books: Vec<Entry> = (1..=count).map(|id| entry(id, "Harry", "")).collect();
            books.push(entry(100, "Hary", ""));
            let index = Index::new();
            index.replace(ALL, books);
            let first = index.page(&Query { similar: true, limit: 4, ..query("harry") });
            assert_eq!((first.total, first.similar.len()), (usize::try_from(count).expect("few"), told));
            let second = Query { similar: true, limit: 4, cursor: first.next.as_ref(), ..query("harry") };
            assert_eq!(index.page(&second).similar, []);
        }
    }

    #[test]
    fn a_folded_word_is_told_as_it_is_written() {
        assert_eq!(written("The «Rāmāyaṇa» of Vālmīki", "ramayana"), Some("Rāmāyaṇa"));
        assert_eq!(written("The Rāmāyaṇa", "rama"), None);
    }

    #[test]
    fn r_home_2_books_are_found_in_every_script() {
        let index = index_of(&[
            ("गोदान", "मुंशी प्रेमचंद"),
            ("الأيام", "طه حسين"),
            ("紅樓夢", "曹雪芹"),
            ("Война и мир", "Лев Толстой"),
            ("סיפור פשוט", "שמואל יוסף עגנון"),
            ("Βίος και Πολιτεία", "Νίκος Καζαντζάκης"),
            ("Les Misérables", "Victor Hugo"),
            ("Prestuplenie i nakazanie: russkai\u{FE20}a\u{FE21} klassika", "F. M. Dostoevskiĭ"),
            ("토지", "박경리"),
        ]);
        for (text, id) in [
            ("दान", 1),
            ("प्रेम", 1),
            ("أيام", 2),
            ("حسين", 2),
            ("樓", 3),
            ("ВОЙНА", 4),
            ("воина", 4),
            ("толстой", 4),
            ("פשוט", 5),
            ("ΠΟΛΙΤΕΙΑ", 6),
            ("καζαντζακης", 6),
            ("miserables", 7),
            ("MISE\u{301}RABLES", 7),
            ("russkaia", 8),
            ("dostoevskii", 8),
            ("토지", 9),
        ] {
            assert_eq!(found(&index, text), [id], "{text}");
        }
        assert_eq!(found(&index, "गोदीन"), [0_i64; 0], "another vowel, another word");
    }

    #[test]
    fn a_title_query_does_not_look_into_the_author() {
        let index = index_of(&[("Homer", "Someone"), ("Iliad", "Homer"), ("Home and Homer", "Homer")]);
        assert_eq!(found(&index, "homer"), [1, 2, 3]);
        assert_eq!(found_in_title(&index, "homer"), [1, 3]);
        assert_eq!(found_in_title(&index, "someone"), [0_i64; 0]);
    }

    #[test]
    fn a_match_does_not_run_from_title_to_author_or_from_book_to_book() {
        let index = index_of(&[("ab", "cd"), ("ef", "gh")]);
        for text in ["bc", "b c", "b\u{1F}c", "b\nc", "de", "d e", "d\ne"] {
            assert_eq!(found(&index, text), [0_i64; 0], "{text:?}");
            assert_eq!(found_in_title(&index, text), [0_i64; 0], "{text:?}");
        }
        let index = index_of(&[("a\u{1F}b\nc", "d\n\u{1F}e")]);
        assert_eq!(found(&index, "a b c"), [1]);
        assert_eq!(found_in_title(&index, "b c"), [1]);
        assert_eq!(found_in_title(&index, "d e"), [0_i64; 0]);
    }

    #[test]
    fn a_blank_query_lists_every_book_with_the_exact_total() {
        let index = index_of(&[("b", ""), ("a", ""), ("", "x")]);
        for text in ["", " ", "\t\n", "\u{A0}"] {
            let page = index.page(&query(text));
            assert_eq!(page.ids, [3, 2, 1]);
            assert_eq!((page.total, page.total_is_exact), (3, true));
        }
        assert_eq!(found(&index, "  x "), [3], "blanks at the ends are trimmed");
    }

    #[test]
    fn an_empty_index_has_an_empty_page() {
        let exact = Page { total_is_exact: true, ..Page::default() };
        let index = Index::new();
        assert!(index.is_empty());
        assert_eq!(index.page(&query("")), exact);
        assert_eq!(index.page(&query("a")), exact);
    }

    #[test]
    fn books_stand_in_title_order_or_newest_first() {
        let index = index_of(&[
            ("Ulysses", ""),
            ("éclair", ""),
            ("\"Dubliners\"", ""),
            ("dubliners", ""),
            ("Zorro", ""),
            ("1984", ""),
        ]);
        assert_eq!(index.page(&query("")).ids, [6, 4, 3, 2, 1, 5]);
        let newest = index.page(&Query { sort: Sort::Newest, ..query("") });
        assert_eq!(newest.ids, [6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn matches_are_counted_up_to_a_thousand() {
        let books = |count: i64| (1..=count).map(|id| entry(id, "Poems", "")).collect();
        let index = Index::new();
        for (count, total, exact) in [(999, 999, true), (1000, 1000, true), (1001, 1000, false)] {
            index.replace(ALL, books(count));
            let page = index.page(&query("poem"));
            assert_eq!((page.total, page.total_is_exact), (total, exact));
            let page = index.page(&Query { exact: true, ..query("poem") });
            assert_eq!((page.total, page.total_is_exact), (index.len(), true));
            let page = index.page(&query(""));
            assert_eq!((page.total, page.total_is_exact), (index.len(), true));
        }
    }

    #[test]
    fn replacing_a_range_adds_changes_and_removes() {
        let index = index_of(&[("one", ""), ("two", ""), ("three", ""), ("four", "")]);
        index.replace(
            2..=5,
            vec![entry(5, "five", ""), entry(2, "zwei", ""), entry(9, "stray", ""), entry(2, "deux", "")],
        );
        assert_eq!(found(&index, ""), [1, 2, 5]);
        assert_eq!(found(&index, "deux"), [2], "the last entry of an id counts");
        index.replace(1..=1, Vec::new());
        assert_eq!(found(&index, ""), [2, 5]);
        #[expect(clippy::reversed_empty_ranges, reason = "an empty range is the case at hand")]
        index.replace(9..=1, vec![entry(5, "stray", "")]);
        assert_eq!(found(&index, ""), [2, 5]);
        index.replace(ALL, vec![entry(i64::MAX, "last", ""), entry(i64::MIN, "first", "")]);
        assert_eq!(found(&index, ""), [i64::MIN, i64::MAX]);
        index.replace(ALL, Vec::new());
        assert!(index.is_empty());
    }

    #[test]
    fn changing_one_book_copies_only_the_chunks_it_is_in() {
        let index = Index::new();
        let books = (1..=800).map(|id| entry(id, &format!("Title {id:04}"), ""));
        index.replace(ALL, books.collect());
        let before = index.snapshot();
        index.replace(400..=400, vec![entry(400, "Title 0001 again", "")]);
        let after = index.snapshot();
        let copied = |old: &Order, new: &Order| {
            let shared = |chunk| old.chunks.iter().any(|other| Arc::ptr_eq(chunk, other));
            new.chunks.iter().filter(|chunk| !shared(chunk)).count()
        };
        assert_eq!(copied(&before.newest, &after.newest), 1);
        assert!(copied(&before.by_title, &after.by_title) <= 3, "where it was, and where it is now, in two");

        index.replace(400..=400, vec![entry(400, "TITLE 0001 Again", "")]);
        assert!(Arc::ptr_eq(&after, &index.snapshot()), "nothing differs once folded");
    }

    #[test]
    fn chunks_that_have_lost_most_books_are_joined() {
        let index = Index::new();
        let books: Vec<Entry> = (1..=800).map(|id| entry(id, &id.to_string(), "")).collect();
        index.replace(ALL, books);
        for id in 1..=800 {
            if id % 100 != 0 {
                index.replace(id..=id, Vec::new());
            }
        }
        let snapshot = index.snapshot();
        for order in [&snapshot.by_title, &snapshot.newest] {
            assert_eq!(order.len, 8);
            assert!(order.chunks.len() <= order.len / SMALL_CHUNK);
        }
    }

    #[test]
    fn a_chunk_left_small_between_two_changes_is_joined_too() {
        let index = Index::new();
        let books: Vec<Entry> = (1..=800).map(|id| entry(id, &format!("{id:04}"), "")).collect();
        index.replace(ALL, books.clone());
        let mut left = books.into_iter().skip(13).collect::<Vec<_>>();
        left.extend([entry(800, "0800", "Someone")]);
        index.replace(ALL, left);
        let snapshot = index.snapshot();
        for order in [&snapshot.by_title, &snapshot.newest] {
            assert_eq!(order.len, 787);
            assert!(order.chunks.iter().all(|chunk| chunk.len() >= SMALL_CHUNK));
        }
    }

    #[test]
    fn a_cursor_keeps_its_place_when_its_book_is_renamed_or_deleted() {
        let index = index_of(&[("a", ""), ("b", ""), ("c", ""), ("d", ""), ("e", "")]);
        let page = |cursor: Option<&Cursor>| index.page(&Query { limit: 2, cursor, ..query("") });
        let first = page(None);
        assert_eq!(first.ids, [1, 2]);
        let next = first.next.expect("more books follow");
        index.replace(2..=2, Vec::new());
        assert_eq!(page(Some(&next)).ids, [3, 4]);
        index.replace(2..=2, vec![entry(2, "z", "")]);
        assert_eq!(page(Some(&next)).ids, [3, 4]);
        let back = page(Some(&next)).previous.expect("a book comes before");
        assert_eq!(page(Some(&back)).ids, [1], "fewer than the limit come before");
    }

    #[test]
    fn a_page_behind_the_last_match_is_empty_and_leads_back() {
        let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
        let page = |cursor: Option<&Cursor>| index.page(&Query { limit: 2, cursor, ..query("") });
        let next = page(None).next.expect("one more book follows");
        index.replace(3..=3, Vec::new());
        let empty = page(Some(&next));
        assert_eq!(empty.ids, [0_i64; 0]);
        assert_eq!(empty.next, None);
        let back = page(empty.previous.as_ref());
        assert_eq!(back.ids, [1, 2], "the book before the cut is not lost");
        assert_eq!((back.next, back.previous), (None, None));
    }

    #[test]
    fn a_cursor_of_another_sort_is_passed_over() {
        let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
        let by_title = Query { limit: 1, ..query("") };
        let cursor = index.page(&by_title).next.expect("more books follow");
        assert_eq!(cursor.sort(), Sort::Title);
        let newest = Query { sort: Sort::Newest, cursor: Some(&cursor), ..by_title };
        let page = index.page(&newest);
        assert_eq!(page.ids, [3]);
        assert_eq!(page.next.map(|cursor| cursor.sort()), Some(Sort::Newest));
    }

    #[test]
    fn a_page_has_at_least_one_book() {
        let index = index_of(&[("a", ""), ("b", "")]);
        let page = index.page(&Query { limit: 0, ..query("") });
        assert_eq!(page.ids, [1]);
    }

    #[test]
    fn a_cursor_that_no_page_gave_is_refused() {
        let packed = |head: u8, key: &str| Cursor::try_from((head, 1, key.to_owned()));
        assert!(packed(0b110, &"書".repeat(TITLE_KEY_CHARS)).is_ok());
        assert!(packed(0b000, &"書".repeat(TITLE_KEY_CHARS + 1)).is_err(), "a key too long");
        assert!(packed(0b001, "a").is_err(), "a key where the order has none");
        assert!(packed(0b10_0000, "").is_err(), "an unknown head");
    }

    #[test]
    fn readers_see_all_of_a_replacement_or_nothing() {
        let books = |title: &str| (1..=60).map(|id| entry(id, title, "")).collect::<Vec<_>>();
        let index = Index::new();
        index.replace(ALL, books("old"));
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for sort in [Sort::Title, Sort::Newest] {
                let (index, done) = (&index, &done);
                scope.spawn(move || {
                    while !done.load(Ordering::Relaxed) {
                        let page = index.page(&Query { sort, ..query("old") });
                        assert!(matches!(page.total, 0 | 60));
                        assert_eq!(page.ids.len(), page.total);
                    }
                });
            }
            for round in 0..200 {
                index.replace(ALL, books(if round % 2 == 0 { "new" } else { "old" }));
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    /// The index as one would write it without caring about speed.
    #[derive(Default)]
    struct Model(BTreeMap<i64, Entry>);

    impl Model {
        fn replace(&mut self, range: &RangeInclusive<i64>, entries: Vec<Entry>) {
            self.0.retain(|id, _| !range.contains(id));
            for entry in entries.into_iter().filter(|entry| range.contains(&entry.id)) {
                self.0.insert(entry.id, entry);
            }
        }

        fn matches(&self, query: &Query<'_>) -> Vec<i64> {
            let genre = query.genre.map(fold);
            let admits = |book: &Entry| {
                genre.as_ref().is_none_or(|genre| fold(&book.genre) == *genre)
                    && (book.available || !query.available)
            };
            let found = self.fitting(query.text, query.field, query.sort).into_iter();
            found.map(|(_, id)| id).filter(|id| admits(&self.0[id])).collect()
        }

        fn fitting(&self, text: &str, field: Field, sort: Sort) -> Vec<(Fit, i64)> {
            let needle = fold(text);
            let needle = needle.trim();
            let scattered = Scattered::new(needle, field);
            let holds = |text: &str| fold(text).contains(needle);
            let fit = |title: &str, author: &str| {
                let record = format!("{}\u{1F}{}\n", fold(title), fold(author));
                if needle.is_empty() {
                    Some(Fit::Begins)
                } else if holds(title) || field == Field::Any && holds(author) {
                    Some(if sort == Sort::Title { Fit::of(&record, needle, field) } else { Fit::Contains })
                } else {
                    scattered.as_ref().filter(|words| words.accepts(&record)).map(|_| Fit::Scattered)
                }
            };
            let found = self.0.values().filter_map(|book| Some((fit(&book.title, &book.author)?, book.id)));
            let mut found: Vec<(Fit, i64)> = found.collect();
            match sort {
                Sort::Title => {
                    found.sort_by_cached_key(|(fit, id)| (*fit, title_key(&self.0[id].title), *id));
                }
                Sort::Newest => found.sort_by_key(|(fit, id)| (*fit, Reverse(*id))),
            }
            found
        }
    }

    /// Short texts of mixed scripts, so that many contain one another.
    fn text() -> impl Strategy<Value = String> {
        let part = proptest::sample::select(vec![
            "a",
            "A",
            "b",
            "ab",
            "é",
            "e\u{301}",
            "ß",
            "SS",
            " ",
            "\u{1F}",
            "\n",
            "\"",
            "क",
            "कि",
            "ा",
            "ق",
            "中",
            "国",
            "Й",
            "и",
            "ש",
            "σ",
            "Σ",
            "\u{FE20}",
            "가",
            "ᄀ",
            "か\u{3099}",
            "9",
        ]);
        proptest::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
    }

    fn field() -> impl Strategy<Value = Field> {
        proptest::sample::select(vec![Field::Any, Field::Title])
    }

    fn sort() -> impl Strategy<Value = Sort> {
        proptest::sample::select(vec![Sort::Title, Sort::Newest])
    }

    fn genre() -> impl Strategy<Value = &'static str> {
        proptest::sample::select(vec!["", "Novel", "novel", "Law", "गीत"])
    }

    fn replacement() -> impl Strategy<Value = (RangeInclusive<i64>, Vec<Entry>)> {
        let ids = prop_oneof![
            3 => (1..150_i64).prop_map(|id| id..=id),
            2 => (1..150_i64, 0..60_i64).prop_map(|(id, more)| id..=id + more),
            1 => Just(ALL),
        ];
        let books = prop_oneof![3 => 0..4_usize, 1 => 0..90_usize];
        (ids, books).prop_flat_map(|(range, count)| {
            let within = *range.start().max(&-3)..=*range.end().min(&150);
            let book = (within, text(), text(), genre(), any::<bool>()).prop_map(
                |(id, title, author, genre, available)| Entry {
                    id,
                    title,
                    author,
                    genre: genre.to_owned(),
                    available,
                },
            );
            (Just(range), proptest::collection::vec(book, count))
        })
    }

    fn history() -> impl Strategy<Value = Vec<(RangeInclusive<i64>, Vec<Entry>)>> {
        proptest::collection::vec(replacement(), 1..12)
    }

    fn build(history: Vec<(RangeInclusive<i64>, Vec<Entry>)>) -> (Index, Model) {
        let (index, mut model) = (Index::new(), Model::default());
        for (range, entries) in history {
            // First with everything lent that is there and back that is lent: then nothing else changes.
            let lent = entries.iter().map(|book| Entry { available: !book.available, ..book.clone() });
            index.replace(range.clone(), lent.collect());
            index.replace(range.clone(), entries.clone());
            model.replace(&range, entries);
        }
        (index, model)
    }

    proptest! {
        #[test]
        fn both_orders_hold_exactly_the_books_in_sound_chunks(history in history()) {
            let (index, model) = build(history);
            prop_assert_eq!(index.len(), model.0.len());
            let snapshot = index.snapshot();
            for order in [&snapshot.by_title, &snapshot.newest] {
                let records: Vec<Record<'_>> = order.chunks.iter().flat_map(|chunk| chunk.all()).collect();
                prop_assert_eq!(order.len, records.len());
                prop_assert!(records.is_sorted_by(|a, b| order.sort.position(*a) < order.sort.position(*b)));
                for record in records {
                    let Entry { title, author, available, .. } = &model.0[&record.id];
                    prop_assert_eq!(record.text, format!("{}\u{1F}{}\n", fold(title), fold(author)));
                    prop_assert_eq!(record.available, *available);
                }
                for chunk in &order.chunks {
                    prop_assert!((1..=CHUNK).contains(&chunk.len()));
                    prop_assert!(chunk.len() >= SMALL_CHUNK || order.chunks.len() == 1);
                }
            }
        }

        #[test]
        fn r_home_2_pages_hold_every_match_once_in_order_both_ways(
            history in history(), text in text(), field in field(), sort in sort(), limit in 1..9_usize, cap in 0..40_usize,
            genre in proptest::option::of(genre().prop_filter("no book is asked for without one", |genre| !genre.is_empty())),
            (available, exact) in any::<(bool, bool)>(),
        ) {
            let (index, model) = build(history);
            let asked = Query { text: &text, field, genre, available, exact, sort, limit, ..Query::default() };
            let expected = model.matches(&asked);
            let counted = exact || fold(&text).trim().is_empty() || expected.len() <= cap;

            let mut pages: Vec<Page> = Vec::new();
            let mut cursor = None;
            loop {
                let page = index.page_counting(&Query { cursor: cursor.as_ref(), ..asked }, cap);
                prop_assert_eq!(page.total, if counted { expected.len() } else { cap });
                prop_assert_eq!(page.total_is_exact, counted);
                prop_assert_eq!(page.previous.is_some(), !pages.is_empty());
                pages.push(page);
                let Some(next) = &pages[pages.len() - 1].next else { break };
                cursor = Cursor::try_from(Packed::from(next.clone())).ok();
                prop_assert_eq!(cursor.as_ref(), Some(next));
            }
            let windows: Vec<&[i64]> = expected.chunks(limit).collect();
            let forward: Vec<&[i64]> = pages.iter().map(|page| &page.ids[..]).collect();
            prop_assert_eq!(&forward, &if windows.is_empty() { vec![&[][..]] } else { windows });

            // Back to the beginning: each page is the window directly before the last one.
            for pair in pages.windows(2).rev() {
                let cursor = pair[1].previous.as_ref();
                let page = index.page_counting(&Query { cursor, ..asked }, cap);
                prop_assert_eq!(page, pair[0].clone());
            }
        }

        #[test]
        fn a_cursor_of_an_earlier_catalogue_cuts_the_present_one_at_its_position(
            history in history(), later in history(), text in text(), sort in sort(), limit in 1..9_usize,
        ) {
            let (index, mut model) = build(history);
            let blank = Query { sort, limit, ..Query::default() };
            let Some(cursor) = index.page(&blank).next else { return Ok(()) };
            for (range, entries) in later {
                index.replace(range.clone(), entries.clone());
                model.replace(&range, entries);
            }
            let own = (cursor.key.clone(), sort.rank(cursor.id));
            let key = |id: &i64| match sort {
                Sort::Title => title_key(&model.0[id].title),
                Sort::Newest => String::new(),
            };
            // It was a place among all books.
            let matches = model.fitting(&text, Field::Any, sort);
            let (before, after): (Vec<_>, Vec<_>) =
                matches.into_iter().partition(|(fit, id)| *fit == Fit::Begins && (key(id), sort.rank(*id)) <= own);
            let ids = |matches: Vec<(Fit, i64)>| matches.into_iter().map(|(_, id)| id).collect::<Vec<i64>>();
            let (before, after) = (ids(before), ids(after));
            let page = index.page(&Query { text: &text, cursor: Some(&cursor), ..blank });
            prop_assert_eq!(&page.ids, &after[..limit.min(after.len())]);
            prop_assert_eq!(page.next.is_some(), after.len() > limit);
            prop_assert_eq!(page.previous.is_some(), !before.is_empty());
            if let Some(back) = &page.previous {
                let page = index.page(&Query { text: &text, cursor: Some(back), ..blank });
                prop_assert_eq!(page.ids, &before[before.len().saturating_sub(limit)..]);
                prop_assert_eq!(page.next.is_some(), !after.is_empty());
                prop_assert_eq!(page.previous.is_some(), before.len() > limit);
            }
        }

        #[test]
        fn u6_similar_books_have_a_word_like_each_that_was_typed(
            titles in proptest::collection::vec("[abr]{3,5}( [abr]{3,5}|राम|बाबर){0,2}", 1..40), text in "[abr]{3,5}( [abr]{3,5})?|राम|बाब",
        ) {
            let index = Index::new();
            index.replace(ALL, (1..).zip(&titles).map(|(id, title)| entry(id, title, "")).collect());
            let page = index.page(&Query { similar: true, ..query(&text) });
            let without = index.page(&query(&text));
            prop_assert_eq!((&page.ids, page.total, &page.next), (&without.ids, without.total, &without.next));
            // A book is similar if each word typed is in it, or one of its own words is like it; and as typed it is not found.
            let like = |title: &str, typed: &str| {
                title.split(' ').any(|word| vocabulary::likeness(typed, word).is_some())
            };
            let fits = |title: &str| text.split(' ').all(|typed| title.contains(typed) || like(title, typed));
            let expected: Vec<i64> = (1..).zip(&titles)
                .filter(|(id, title)| !page.ids.contains(id) && fits(title)).map(|(id, _)| id).collect();
            let found: Vec<i64> = page.similar.iter().map(|other| other.id).collect();
            prop_assert!(found.iter().all(|id| expected.contains(id)), "{:?} of {:?}", found, expected);
            prop_assert!(page.total < similar::FEW || found.is_empty());
            // All of them, as long as one word has no more spellings than are tried.
            let spellings: std::collections::BTreeSet<&str> = titles.iter().flat_map(|title| title.split(' '))
                .filter(|word| vocabulary::likeness(&text, word).is_some()).collect();
            if page.total < similar::FEW && !text.contains(' ') && spellings.len() <= similar::SPELLINGS && expected.len() <= similar::MOST {
                prop_assert_eq!(found.len(), expected.len());
            }
        }

        #[test]
        fn a_tampered_cursor_is_refused_or_another_place(head in 0..64_u8, id in any::<i64>(), key in "\\PC{0,70}") {
            let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
            let packed = (head, id, key);
            if let Ok(cursor) = Cursor::try_from(packed.clone()) {
                let page = index.page(&Query { sort: cursor.sort(), cursor: Some(&cursor), ..query("") });
                prop_assert!(page.ids.len() <= 3);
                prop_assert_eq!(Packed::from(cursor), packed);
            }
        }
    }
}
