//! Index: the current snapshot of both orders, its replacement by writers, and the pages read from it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::batch::{Batch, Difference, difference};
use super::cursor::Cursor;
use super::filter::{Filter, Genres};
use super::fit::{Fit, Grade};
use super::listing::{self, Listing, Marked, Spot};
use super::matching::{Wanted, searched};
use super::order::{Order, Place, in_two_threads, window};
use super::similar::Variant;
use super::vocabulary::Vocabulary;
use super::{Entry, Field, Loans, Page, Query, Sort, TOTAL_CAP, similar};
use crate::fold::fold;

/// Maximum number of matches ranked one by one, as a multiple of the number that is counted.
pub(super) const RANKED: usize = 2;

/// Search index of a catalogue, shared by all threads. Readers never wait for a writer's work.
#[derive(Default)]
pub struct Index {
    current: RwLock<Arc<Snapshot>>,
    /// Counter behind [`Self::version`].
    replaced: AtomicU64,
    /// Held by a writer while it makes the next snapshot.
    writing: Mutex<()>,
    genres: RwLock<Genres>,
}

impl Index {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn of(snapshot: Snapshot, genres: RwLock<Genres>) -> Self {
        Self { current: RwLock::new(Arc::new(snapshot)), genres, ..Self::default() }
    }

    /// Returns the names of all genres, in the order of their numbers.
    pub(super) fn genre_names(&self) -> Vec<String> {
        self.genres.read().unwrap_or_else(PoisonError::into_inner).names.clone()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.snapshot().by_title.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Replaces the books with an id in `range` by `entries`: adds, changes and removes the books that differ.
    ///
    /// This one operation applies the change or deletion of a book (the range of its id), an imported batch, and a reload
    /// of the whole catalogue (the range of all ids). It is one merge for any number of entries, costs only the comparison
    /// if nothing differs, and is atomic for readers. Of several entries with the same id the last one counts. Entries
    /// outside the range are ignored.
    pub fn replace(&self, range: RangeInclusive<i64>, entries: Vec<Entry>) {
        let batch = Batch::fold(&range, entries, &self.genres);
        let wanted = batch.newest_first();

        // The mutex guards no data, so another writer's panic has left nothing half-changed.
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        let Difference { mut removed, mut added, availability_changed } =
            difference(current.newest.records_within(&range), wanted);
        for record in &availability_changed {
            current.by_title.set_available(*record);
            current.newest.set_available(*record);
        }
        if removed.is_empty() && added.is_empty() {
            if !availability_changed.is_empty() {
                self.replaced.fetch_add(1, Ordering::Release);
            }
            return;
        }
        let newest = current.newest.merge(&removed, &added);
        removed.sort_by_cached_key(|record| Sort::Title.position(*record));
        added.sort_by_cached_key(|record| Sort::Title.position(*record));
        let by_title = current.by_title.merge(&removed, &added);
        let merged = |listing: &Listing| {
            let sort = listing.sort;
            let removed = removed.iter().map(|record| Spot::of(sort, *record, &current.loans)).collect();
            let added = added.iter().map(|record| Spot::of(sort, *record, &current.loans)).collect();
            listing.merge(|id| current.spot(sort, id), removed, added)
        };
        let (by_loans, by_author) = (merged(&current.by_loans), merged(&current.by_author));
        let vocabulary = current.vocabulary.with(added.iter().map(|record| record.text));
        let loans = Arc::clone(&current.loans);
        self.publish(Snapshot {
            by_title,
            newest,
            by_loans,
            by_author,
            loans,
            vocabulary,
            first_pages: Mutex::default(),
        });
    }

    /// Sets the loans that [`Sort::Popular`] orders by.
    pub fn count_loans(&self, loans: Loans) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        if *current.loans == loans {
            return;
        }
        let by_loans = Listing::by_loans(&current.by_title, &loans);
        self.publish(Snapshot { by_loans, loans: Arc::new(loans), ..current.without_pages() });
    }

    /// Makes `next` the current snapshot.
    fn publish(&self, next: Snapshot) {
        let next = Arc::new(next);
        // Readers wait for this exchange only: the old snapshot is dropped after it.
        let old = std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), next);
        self.replaced.fetch_add(1, Ordering::Release);
        drop(old);
    }

    /// Returns whether [`Self::learn_words`] has work to do.
    #[must_use]
    pub fn has_words_to_learn(&self) -> bool {
        self.snapshot().vocabulary.is_behind()
    }

    /// Rebuilds the vocabulary for other spellings after many books were added at once. This takes a second or two for a
    /// million books, without blocking readers or writers.
    pub fn learn_words(&self) {
        let read = self.snapshot();
        let records = read.newest.chunks.iter().flat_map(|chunk| chunk.all()).map(|record| record.text);
        let collected = read.vocabulary.collected(records);
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.snapshot();
        let vocabulary = current.vocabulary.settled_as(&collected);
        self.publish(Snapshot { vocabulary, ..current.without_pages() });
    }

    /// Returns a number that increases with every change; [`Self::replace`] returns only after the increase.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.replaced.load(Ordering::Acquire)
    }

    /// Returns one page of the books that match a query, with their total and the cursors of the neighbouring pages.
    ///
    /// A cursor is valid for any text and field with the same sort. The page after the last match is empty, and its
    /// `previous` leads back.
    #[must_use]
    pub fn page(&self, query: &Query<'_>) -> Page {
        // Not cached: availability changes without a new snapshot.
        if query.cursor.is_some() || query.available {
            return self.page_counting(query, TOTAL_CAP);
        }
        // Many readers send the same query at the same time. The cache belongs to the snapshot, so a change of the
        // catalogue drops it.
        let snapshot = self.snapshot();
        let key = PageKey {
            text: query.text.to_owned(),
            field: query.field,
            genre: query.genre.map(str::to_owned),
            sort: query.sort,
            limit: query.limit,
            exact: query.exact,
            similar: query.similar,
        };
        let cached = snapshot.first_pages.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        cached.unwrap_or_else(|| {
            let page = self.page_counting(query, TOTAL_CAP);
            let mut pages = snapshot.first_pages.lock().unwrap_or_else(PoisonError::into_inner);
            if pages.len() >= FIRST_PAGES {
                pages.clear();
            }
            pages.insert(key, page.clone());
            page
        })
    }

    pub(super) fn page_counting(&self, query: &Query<'_>, cap: usize) -> Page {
        let snapshot = self.snapshot();
        let order = match query.sort {
            Sort::Title => &snapshot.by_title,
            Sort::Newest | Sort::Popular | Sort::Author => &snapshot.newest,
        };
        let folded = fold(query.text);
        let typed = folded.trim_matches(' ');
        let Some(filter) = self.filter(query) else {
            return Page { total_is_exact: true, ..Page::default() };
        };
        let most = if query.sort == Sort::Title { cap.saturating_mul(RANKED) } else { cap };
        let wanted = Wanted::new(order, typed, query.field, filter);
        let found = order.found(&wanted, most);
        let tries_variants = query.similar && !wanted.is_blank();
        let (mut variants, spellings) =
            if tries_variants && (found.is_empty() || query.cursor.is_none() && found.len() < similar::FEW) {
                similar::variants(typed, &snapshot.vocabulary)
            } else {
                Default::default()
            };
        let meant = (tries_variants && found.is_empty())
            .then(|| similar::meant(&snapshot, typed, (&mut variants, &spellings), query.field, filter))
            .flatten();
        let Some(meant) = meant else {
            return page_of(&snapshot, order, query, (cap, most), &variants, &wanted, found);
        };
        let text = meant.words.join(" ");
        let wanted = Wanted::new(order, &text, query.field, filter);
        let found = order.found(&wanted, most);
        let variants = if meant.fewer { Vec::new() } else { variants };
        let page = page_of(&snapshot, order, query, (cap, most), &variants, &wanted, found);
        Page { meant: Some(meant), ..page }
    }

    /// Returns the filter of a query; `None` if no book has its genre.
    fn filter(&self, query: &Query<'_>) -> Option<Filter> {
        let number = |name| self.genres.read().unwrap_or_else(PoisonError::into_inner).number(name);
        let genre = match query.genre {
            Some(name) => Some(number(name)?),
            None => None,
        };
        Some(Filter { genre, available: query.available })
    }

    /// Returns the genres in use, each with its number of books, most common first.
    #[must_use]
    pub fn genres(&self) -> Vec<(String, usize)> {
        let snapshot = self.snapshot();
        let genres = self.genres.read().unwrap_or_else(PoisonError::into_inner);
        let mut counts = vec![0; genres.names.len()];
        for genre in snapshot.newest.chunks.iter().flat_map(|chunk| &chunk.genres) {
            // Out of range for a genre added after `counts` was made, and for a book without a genre.
            if let Some(count) = counts.get_mut(usize::from(*genre)) {
                *count += 1;
            }
        }
        let mut found: Vec<_> =
            genres.names.iter().cloned().zip(counts).filter(|(_, books)| *books > 0).collect();
        found.sort_by_key(|(_, books)| Reverse(*books)); // stable
        found
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }
}

/// Returns the page of a query, given its first matches: up to `cap` are counted and up to `most` ordered by grade.
fn page_of(
    snapshot: &Snapshot,
    order: &Order,
    query: &Query<'_>,
    (cap, most): (usize, usize),
    variants: &[Variant],
    wanted: &Wanted<'_>,
    mut found: Vec<(Grade, Place)>,
) -> Page {
    let cursor = query.cursor.filter(|cursor| cursor.sort == query.sort);
    let all_found = found.len() <= most;
    let total = match (wanted.is_blank(), query.exact, all_found) {
        (true, ..) | (_, true, false) => order.count(wanted),
        (_, true, true) => found.len(),
        (_, false, _) => found.len().min(cap),
    };
    let total_is_exact = found.len() <= cap || query.exact;
    let similar = if query.similar && cursor.is_none() && !wanted.is_blank() && found.len() < similar::FEW {
        let found = found.iter().map(|(_, place)| order.record(*place).id).collect();
        similar::find(snapshot, wanted.needle, variants, query.field, wanted.matcher.filter, &found)
    } else {
        Vec::new()
    };
    let matches = found.iter().map(|(_, place)| searched(order.record(*place).text, query.field));
    let similar_first = !found.is_empty() && similar::is_likelier(wanted.needle, &similar, matches);
    let cut = || cursor.map_or((0, Place::START), |cursor| (cursor.grade, order.find(cursor)));
    let page = if let Some(listing) = snapshot.listing(query.sort) {
        let found = (all_found && !wanted.is_blank()).then_some(&found[..]);
        listed(snapshot, listing, query.limit, cursor, wanted, found)
    } else if all_found && !wanted.is_blank() {
        let cut = cut();
        found.sort_unstable();
        let (before, after) = found.split_at(found.partition_point(|match_| *match_ < cut));
        order.window(query.limit, cursor, before.iter().rev().copied(), after.iter().copied())
    } else {
        // Reads outwards from the cut, until the page is full.
        let (grade, place) = cut();
        let of = |fit: Fit| move |place| (fit as Grade, place);
        let before = wanted.fits.iter().rev().filter(move |fit| **fit as Grade <= grade).flat_map(|fit| {
            let end = if *fit as Grade == grade { place } else { order.end() };
            order.places_backward(wanted, *fit, Place::START..end).map(of(*fit))
        });
        let after = wanted.fits.iter().filter(move |fit| **fit as Grade >= grade).flat_map(|fit| {
            let start = if *fit as Grade == grade { place } else { Place::START };
            order.places(wanted, *fit, start..order.end()).map(of(*fit))
        });
        order.window(query.limit, cursor, before, after)
    };
    Page { total, total_is_exact, similar, similar_first, ..page }
}

/// Returns the page of a query in a listing. Sorts `found` if given, which must be all matches as places in
/// `snapshot.newest`; otherwise reads the listing.
fn listed(
    snapshot: &Snapshot,
    listing: &Listing,
    limit: usize,
    cursor: Option<&Cursor>,
    wanted: &Wanted<'_>,
    found: Option<&[(Grade, Place)]>,
) -> Page {
    let (sort, newest) = (listing.sort, &snapshot.newest);
    let spot = |id| snapshot.spot(sort, id);
    let passed = |id| cursor.is_some_and(|cursor| cursor.passes_spot(spot(id)));
    let cursor_at = |id, direction, edge| listing::cursor_at(sort, &spot(id), direction, edge);
    let (ids, page) = if let Some(found) = found {
        let mut ids: Vec<i64> = found.iter().map(|(_, place)| newest.record(*place).id).collect();
        ids.sort_by_cached_key(|id| spot(*id));
        let (before, after) = ids.split_at(ids.partition_point(|id| passed(*id)));
        window(limit, cursor, before.iter().rev().copied(), after.iter().copied(), cursor_at)
    } else {
        let place = cursor.map_or(Place::START, |_| listing.partition_point(passed));
        let is_everything = wanted.is_blank() && wanted.matcher.filter.is_everything();
        let matching = (!is_everything).then(|| matching(newest, wanted));
        let is_in = |id: &i64| matching.as_ref().is_none_or(|matching| matching.contains(*id));
        let (before, after) = (listing.before(place).filter(is_in), listing.after(place).filter(is_in));
        window(limit, cursor, before, after, cursor_at)
    };
    Page { ids, ..page }
}

/// Returns all matches of a query.
fn matching(newest: &Order, wanted: &Wanted<'_>) -> Marked {
    let everywhere = Place::START..newest.end();
    let contained = newest.matches(everywhere.clone(), &wanted.matcher);
    let scattered = (!wanted.is_blank()).then(|| newest.places(wanted, Fit::Scattered, everywhere));
    contained.chain(scattered.into_iter().flatten()).map(|place| newest.record(place).id).collect()
}

/// Builder of an index from a whole catalogue in portions. Unlike [`Index::replace`], it never holds all entries and their
/// folded texts in memory at once.
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
    /// Adds entries, whose ids must be higher than all added before.
    pub fn push(&mut self, entries: Vec<Entry>) {
        let batch = Batch::fold(&(i64::MIN..=i64::MAX), entries, &self.genres);
        self.newest = self.newest.merge(&[], &batch.newest_first());
    }

    /// Builds the index of all entries added.
    #[must_use]
    pub fn finish(self) -> Index {
        let texts: Vec<&str> =
            self.newest.chunks.iter().flat_map(|chunk| chunk.all()).map(|record| record.text).collect();
        let vocabulary = Vocabulary::default().with(texts.into_iter());
        let by_title = self.newest.by_title();
        let loans = Arc::<Loans>::default();
        let (by_loans, by_author) =
            in_two_threads(|| Listing::by_loans(&by_title, &loans), || Listing::by_author(&by_title));
        let newest = self.newest;
        let first_pages = Mutex::default();
        let snapshot = Snapshot { by_title, newest, by_loans, by_author, loans, vocabulary, first_pages };
        Index::of(snapshot, self.genres)
    }
}

/// Immutable state of the index, apart from availability: the same books in each order.
pub(super) struct Snapshot {
    pub(super) by_title: Order,
    pub(super) newest: Order,
    pub(super) by_loans: Listing,
    pub(super) by_author: Listing,
    /// Loans that `by_loans` is ordered by.
    pub(super) loans: Arc<Loans>,
    pub(super) vocabulary: Vocabulary,
    pub(super) first_pages: Mutex<HashMap<PageKey, Page>>,
}

impl Snapshot {
    /// Returns the listing of a sort; `None` if the sort has an [`Order`] instead.
    fn listing(&self, sort: Sort) -> Option<&Listing> {
        match sort {
            Sort::Title | Sort::Newest => None,
            Sort::Popular => Some(&self.by_loans),
            Sort::Author => Some(&self.by_author),
        }
    }

    /// Returns the position of a book in a listing.
    pub(super) fn spot(&self, sort: Sort, id: i64) -> Spot<'_> {
        let record = self.newest.with_id(id).expect("every listed book is in the order of ids");
        Spot::of(sort, record, &self.loans)
    }

    /// Copies the state, sharing its chunks; the cached pages are left out.
    fn without_pages(&self) -> Self {
        Self {
            by_title: self.by_title.clone(),
            newest: self.newest.clone(),
            by_loans: self.by_loans.clone(),
            by_author: self.by_author.clone(),
            loans: Arc::clone(&self.loans),
            vocabulary: self.vocabulary.clone(),
            first_pages: Mutex::default(),
        }
    }
}

/// Key of a cached first page: the query without its cursor.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct PageKey {
    text: String,
    field: Field,
    genre: Option<String>,
    sort: Sort,
    limit: usize,
    exact: bool,
    similar: bool,
}

/// Maximum number of first pages cached for one snapshot; some hundred bytes each.
const FIRST_PAGES: usize = 1024;

impl Default for Snapshot {
    fn default() -> Self {
        Self {
            by_title: Order::empty(Sort::Title),
            newest: Order::empty(Sort::Newest),
            by_loans: Listing::empty(Sort::Popular),
            by_author: Listing::empty(Sort::Author),
            loans: Arc::default(),
            vocabulary: Vocabulary::default(),
            first_pages: Mutex::default(),
        }
    }
}
