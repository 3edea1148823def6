//! The catalogue: searching, reading, adding, updating and deleting books, and their drawn covers.

use std::{sync::Arc, time::Instant};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    copies::refused_in,
    covers,
    error::{Error, Result},
    extract::{Id, JsonBody, PathText, Query},
    holds::{Reservation, reservation},
    idempotency::{Answer, Once},
    page,
    ready::Ready,
    session::{Caller, SignedIn},
};
use crate::{
    circulation::{Actor, BlockShown, reasons_against, stock},
    cover::{self, Cover},
    domain::{
        account::{Role, User},
        book::{Book, BookForm, GENRE, NO_OF_BOOKS, NewBook, Status},
        change::{CatalogueChange, Record},
        id::BookId,
        isbn::isbn_13,
        moment::Moment,
        rule::{Invalid, Kind, Text},
        rulebook::Rulebook,
    },
    fault::panic_if_planted,
    fold::title_key,
    message,
    money::Money,
    search::{self, Cursor, Index},
    storage::{
        self, Tx,
        books::{self, Detail, Loaded, Update},
        copies,
        events::{self, Entry},
    },
};

/// Default page length: four rows of six cards.
const DEFAULT_LIMIT: i64 = 24;
/// Limits of the search text, which may be as long as the longest title.
const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 1000, kind: Kind::Line };
/// Limits of the genre filter, which may be empty.
const OF_GENRE: Text = Text { min: 0, ..GENRE };
/// Limits of the text at which a list begins.
const BEGINNING: Text = Text { field: "from", label: "The beginning", ..SEARCH };
/// Maximum number of genres listed, so that readers can look through the list.
const MOST_GENRES: usize = 60;

/// Search, filters and page of the book list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Text to find in title or author, ignoring case and accents, best matches first: the title itself, whole words,
    /// parts of words, then the more popular book. If no book contains the text, the search tries the text as an ISBN
    /// or a barcode, and then lists the books of `meant`.
    #[serde(default)]
    q: String,
    /// Fields to search.
    #[serde(default)]
    #[param(inline)]
    field: Field,
    /// Only books of this genre, ignoring case and accents.
    #[serde(default)]
    genre: String,
    /// Only books with a copy on the shelf.
    #[serde(default)]
    available: bool,
    /// Counts `total` exactly even above 1000, which may take as long as reading all titles.
    #[serde(default)]
    exact: bool,
    /// Order of the books.
    #[serde(default)]
    #[param(inline)]
    sort: Sort,
    /// Beginning of a title, or in the order by author of an author: the first page begins at the first such book, or at
    /// the next one in the order. Ignored with a text and in other orders. `total` counts the books before it too.
    #[serde(default)]
    from: String,
    /// Page length, 1 to 100; 24 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` or `previous` from another page.
    cursor: Option<String>,
}

/// Fields that a search covers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// Title or author.
    #[default]
    Any,
    /// Title only.
    Title,
}

/// Order of a list.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// By title; with a text, best matches first.
    #[default]
    Title,
    /// Newest first.
    Newest,
    /// By the loans of the last 90 whole days, most first, then by title. Counted once a day.
    Popular,
    /// By author as written, then by title; unknown authors last.
    Author,
}

/// A page of books.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookList {
    /// Books in the requested order.
    books: Vec<Book>,
    /// Number of matches, counted up to 1000 unless `exact` is set.
    total: usize,
    /// True if `total` is exact; otherwise there are more matches.
    total_is_exact: bool,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the previous page.
    #[schema(required)]
    previous: Option<String>,
    /// Text whose books are listed because no book matches the search: another spelling, or fewer words.
    #[schema(required)]
    meant: Option<Meant>,
    /// At most 24 books found by another spelling if fewer than ten books match, likeliest first. They are not counted
    /// in `total` and appear on no other page.
    similar: Vec<SimilarBook>,
    /// True if the similar books are likelier meant than the matches, which contain the text only inside longer words.
    similar_first: bool,
}

/// Text that the search used instead, because no book matches the given text.
#[derive(Serialize, ToSchema)]
pub struct Meant {
    /// Words of the text, as the first book spells them.
    words: String,
    /// True if some of the typed words are left out.
    fewer: bool,
}

impl Meant {
    fn new(meant: &search::Meant, first: Option<&Book>) -> Self {
        let written = |word: &String| {
            let of = |text| search::written(text, word);
            let found = first.and_then(|book| of(&book.title).or_else(|| of(&book.author)));
            found.map_or_else(|| word.clone(), str::to_owned)
        };
        Self { words: meant.words.iter().map(written).collect::<Vec<_>>().join(" "), fewer: meant.fewer }
    }
}

/// Book found by another spelling of the search: one typing error in a word, or another script.
#[derive(Serialize, ToSchema)]
pub struct SimilarBook {
    #[serde(flatten)]
    book: Book,
    /// Words of the title or author that are spelled almost like the search words.
    spelled: Vec<String>,
}

impl SimilarBook {
    fn new(book: Book, folded: &[String]) -> Self {
        let written = |word: &String| {
            let found = search::written(&book.title, word).or_else(|| search::written(&book.author, word));
            found.map_or_else(|| word.clone(), str::to_owned)
        };
        Self { spelled: folded.iter().map(written).collect(), book }
    }
}

/// Returns the books with this ISBN, or else the book of the copy with this barcode.
fn with_number(tx: &mut Tx<'_>, text: &str) -> storage::Result<Vec<BookId>> {
    let found = isbn_13(text).map(|isbn| books::with_isbn(tx, &isbn)).transpose()?.unwrap_or_default();
    if !found.is_empty() {
        return Ok(found);
    }
    Ok(copies::by_barcode(tx, text)?.map(|copy| copy.book_id).into_iter().collect())
}

/// Validated list request; the key of the page cache.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Asked {
    text: String,
    field: Field,
    genre: Option<String>,
    available: bool,
    exact: bool,
    sort: Sort,
    from: String,
    limit: i64,
    cursor: Option<String>,
}

/// Search and list books.
#[utoipa::path(get, path = "/books", params(ListQuery), responses((status = 200, body = BookList)))]
pub async fn list_books(State(app): State<Shared>, Query(query): Query<ListQuery>) -> Result<Ready> {
    let mut invalid = Invalid::default();
    let text = SEARCH.check(&query.q, &mut invalid);
    let genre = Some(OF_GENRE.check(&query.genre, &mut invalid)).filter(|genre| !genre.is_empty());
    let from = BEGINNING.check(&query.from, &mut invalid);
    invalid.into_result(())?;
    let limit = page::length(query.limit, DEFAULT_LIMIT)?;
    // A page requested before is cached until something changes.
    let asked = Asked {
        text,
        field: query.field,
        genre,
        available: query.available,
        exact: query.exact,
        sort: query.sort,
        from,
        limit,
        cursor: query.cursor,
    };
    let index = app.library.catalogue.index().await;
    let (version, now) = ((app.library.db.version(), index.version()), Instant::now());
    if let Some(ready) = app.pages.get(&asked, version) {
        return Ok(ready);
    }
    let ready = list(&app, index, &asked).await?;
    app.pages.keep(asked, version, now, ready.clone());
    Ok(ready)
}

/// Permit for one exact count at a time.
static COUNTING: Semaphore = Semaphore::const_new(1);

fn find(index: &Index, asked: &Asked, sort: search::Sort, cursor: Option<&Cursor>) -> search::Page {
    index.page(&search::Query {
        text: &asked.text,
        field: match asked.field {
            Field::Any => search::Field::Any,
            Field::Title => search::Field::Title,
        },
        genre: asked.genre.as_deref(),
        available: asked.available,
        exact: asked.exact,
        sort,
        limit: usize::try_from(asked.limit).unwrap_or(1),
        similar: true,
        cursor,
    })
}

async fn list(app: &Shared, index: Arc<Index>, asked: &Asked) -> Result<Ready> {
    let sort = match asked.sort {
        Sort::Title => search::Sort::Title,
        Sort::Newest => search::Sort::Newest,
        Sort::Popular => search::Sort::Popular,
        Sort::Author => search::Sort::Author,
    };
    let cursor: Option<Cursor> = page::place(asked.cursor.as_deref())?;
    if cursor.as_ref().is_some_and(|cursor| cursor.sort() != sort) {
        return Err(page::bad_cursor());
    }
    let cursor =
        cursor.or_else(|| asked.text.is_empty().then(|| Cursor::beginning(sort, &asked.from)).flatten());
    let found = if asked.exact {
        // On a blocking thread, because an exact count may read all titles.
        let _turn = COUNTING.acquire().await;
        let (asked, cursor) = (asked.clone(), cursor.clone());
        let counting = tokio::task::spawn_blocking(move || find(&index, &asked, sort, cursor.as_ref()));
        counting.await.map_err(|ended| Error::Internal(ended.into()))?
    } else {
        find(&index, asked, sort, cursor.as_ref())
    };
    let ids: Vec<BookId> = found.ids.into_iter().map(BookId).collect();
    let similar = found.similar;
    let everything = asked.genre.is_none() && !asked.available;
    let number = Some(asked.text.clone()).filter(|text| {
        everything
            && (found.total == 0 || found.meant.is_some())
            && text.contains(|letter: char| letter.is_ascii_digit())
    });
    let (next, previous) = (found.next.as_ref().map(page::cursor), found.previous.as_ref().map(page::cursor));
    let (total, total_is_exact, meant) = (found.total, found.total_is_exact, found.meant);
    let similar_first = found.similar_first;
    let of = move |books, similar, meant| BookList {
        books,
        total,
        total_is_exact,
        next,
        previous,
        meant,
        similar,
        similar_first,
    };
    if ids.is_empty() && number.is_none() && similar.is_empty() {
        return Ready::json(&of(Vec::new(), Vec::new(), None));
    }
    // Serialised on the reading thread: dropping a hundred strings made by another thread costs more than reading them.
    let read = move |tx: &mut Tx<'_>| -> Result<Ready> {
        let numbered = number.map(|number| with_number(tx, &number)).transpose()?.unwrap_or_default();
        if !numbered.is_empty() {
            let books = books::cards(tx, &numbered)?;
            let total = books.len();
            return Ready::json(&BookList {
                total,
                total_is_exact: true,
                next: None,
                previous: None,
                ..of(books, Vec::new(), None)
            });
        }
        let others: Vec<BookId> = similar.iter().map(|other| BookId(other.id)).collect();
        let others = books::cards(tx, &others)?.into_iter().filter_map(|book| {
            let spelled = &similar.iter().find(|other| other.id == book.id.0)?.spelled;
            Some(SimilarBook::new(book, spelled))
        });
        let (similar, books) = (others.collect(), books::cards(tx, &ids)?);
        let meant = meant.map(|meant| Meant::new(&meant, books.first()));
        Ready::json(&of(books, similar, meant))
    };
    app.library.db.read(read).await
}

/// Genre with its number of titles.
#[derive(Serialize, ToSchema)]
pub struct Genre {
    genre: String,
    /// Number of titles of this genre.
    books: usize,
}

/// Genres of the catalogue.
#[derive(Serialize, ToSchema)]
pub struct GenreList {
    /// The sixty most common genres, sorted by name.
    genres: Vec<Genre>,
}

/// List the sixty most common genres of the catalogue.
#[utoipa::path(get, path = "/genres", responses((status = 200, body = GenreList)))]
pub async fn list_genres(State(app): State<Shared>) -> axum::Json<GenreList> {
    panic_if_planted();
    let mut genres = app.library.catalogue.index().await.genres();
    genres.truncate(MOST_GENRES);
    genres.sort_by_cached_key(|(genre, _)| title_key(genre));
    let genres = genres.into_iter().map(|(genre, books)| Genre { genre, books });
    axum::Json(GenreList { genres: genres.collect() })
}

/// Titles whose copies are counted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CountsQuery {
    /// Ids of up to 100 titles, separated by commas.
    #[serde(default)]
    ids: String,
}

/// Copies of a title, and readers who wait for one.
#[derive(Serialize, ToSchema)]
pub struct BookCounts {
    id: BookId,
    /// Number of copies in any state but withdrawn.
    copies: i64,
    /// Number of readers in the queue, without those for whom a copy is kept.
    waiting: i64,
}

#[derive(Serialize, ToSchema)]
pub struct BookCountsList {
    /// Counts by title; ids of no title are left out.
    counts: Vec<BookCounts>,
}

/// Maximum number of titles counted at once.
const COUNTED_AT_ONCE: usize = 100;

/// Count the copies of titles, and the readers waiting for them.
#[utoipa::path(get, path = "/books/counts", params(CountsQuery), responses((status = 200, body = BookCountsList)))]
pub async fn count_copies_of_books(
    State(app): State<Shared>,
    Query(query): Query<CountsQuery>,
) -> Result<axum::Json<BookCountsList>> {
    let ids = query.ids.split(',').filter(|id| !id.is_empty()).map(|id| id.parse().map(BookId));
    let ids: Option<Vec<BookId>> = ids.collect::<std::result::Result<_, _>>().ok();
    let mut invalid = Invalid::default();
    let ids = ids.filter(|ids| ids.len() <= COUNTED_AT_ONCE).unwrap_or_else(|| {
        invalid.push("ids", message::not_ids(COUNTED_AT_ONCE));
        Vec::new()
    });
    invalid.into_result(())?;
    let found = app.library.db.read(move |tx| books::counts(tx, &ids)).await?;
    let counts = found.into_iter().map(|(id, copies, waiting)| BookCounts { id, copies, waiting });
    Ok(axum::Json(BookCountsList { counts: counts.collect() }))
}

/// Book with the data of its page.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookDetail {
    #[serde(flatten)]
    book: Book,
    description: String,
    publisher: String,
    edition: String,
    call_number: String,
    /// Price of a copy without a price of its own.
    #[schema(required)]
    price: Option<Money>,
    /// Number of copies of the library in any state but withdrawn.
    copies: i64,
    /// Next due date of a copy on loan, today or later; null without one.
    #[schema(required, value_type = Option<String>, format = Date)]
    next_due: Option<Date>,
    /// Queue for the title, with the caller's own hold and options.
    reservation: Reservation,
    /// Reasons why the calling student may not borrow the title without the desk; empty for other callers. `POST
    /// /books/{id}/loans` checks again.
    refusals: Vec<BlockShown>,
}

fn answer(
    status: StatusCode,
    detail: Detail,
    reservation: Reservation,
    refusals: Vec<BlockShown>,
) -> Result<Answer> {
    let tag = etag(&Loaded {
        version: detail.version,
        copies: detail.book.no_of_books,
        status: detail.book.status,
    });
    let body = BookDetail {
        copies: detail.copies,
        book: detail.book,
        description: detail.description,
        publisher: detail.imprint.publisher,
        edition: detail.imprint.edition,
        call_number: detail.imprint.call_number,
        price: detail.imprint.price,
        next_due: detail.next_due,
        reservation,
        refusals,
    };
    Answer::json(status, &body)?.with_etag(&tag)
}

/// Builds the ETag from the record's version and from the count and status that a form loads. A save sends the ETag
/// back, and its changes to count and status are applied as differences (R-BOOK-7, R-BOOK-8).
fn etag(loaded: &Loaded) -> String {
    let status = if loaded.status == Status::Available { 'a' } else { 'n' };
    format!("\"{}-{}-{status}\"", loaded.version, loaded.copies)
}

fn loaded(headers: &HeaderMap) -> Result<Loaded> {
    let value = headers.get(header::IF_MATCH).ok_or(Error::VersionRequired)?;
    let parse = || {
        let mut parts = value.to_str().ok()?.trim().strip_prefix('"')?.strip_suffix('"')?.split('-');
        let loaded = Loaded {
            version: parts.next()?.parse().ok()?,
            copies: parts.next()?.parse().ok()?,
            status: if parts.next()? == "a" { Status::Available } else { Status::NotAvailable },
        };
        // No upper limit: returns may bring the count above what a form accepts.
        let sound = loaded.version > 0 && loaded.copies >= 0 && parts.next().is_none();
        sound.then_some(loaded)
    };
    // An ETag that the server never issued matches no version.
    parse().ok_or(Error::Stale)
}

/// Read a book. For a student the status is first recalculated from the count (R-DETAIL-3).
#[utoipa::path(get, path = "/books/{id}", params(("id" = i64, Path)),
    responses((status = 200, body = BookDetail, headers(("ETag" = String)))))]
pub async fn read_book(State(app): State<Shared>, caller: Caller, Id(id): Id<BookId>) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let today = moment.today;
    let person = caller.person().cloned();
    let by_count = caller.role() == Some(Role::Student);
    let (answer, recalculated) = app
        .library
        .db
        .read(move |tx| -> Result<_> {
            let mut detail = books::detail(tx, id, today)?.ok_or(Error::NotFound)?;
            let rulebook = policies.current(tx)?;
            let on_shelf = detail.book.no_of_books;
            let reservation = reservation(tx, &rulebook, today, person.as_ref(), id, on_shelf)?;
            let recalculated = by_count && detail.book.status != Status::of(on_shelf);
            if recalculated {
                detail.book.status = Status::of(on_shelf);
            }
            let refusals = match person.filter(|user| user.role == Role::Student) {
                Some(student) => reasons_against(tx, moment, &rulebook, student.uid, id)?,
                None => Vec::new(),
            };
            let refusals = refusals.iter().map(BlockShown::from).collect();
            Ok((answer(StatusCode::OK, detail, reservation, refusals)?, recalculated))
        })
        .await?;
    // The response is right without the write, so a full disk must not make the page fail.
    if recalculated
        && let Err(error) = app.library.db.write(move |tx| books::recalculate_status(tx, id)).await
    {
        tracing::debug!(error = &error as &dyn std::error::Error, "a status was not recalculated");
    }
    Ok(answer)
}

/// Add a book.
#[utoipa::path(post, path = "/books", request_body = NewBook,
    responses((status = 201, body = BookDetail, headers(("ETag" = String), ("Location" = String)))))]
pub async fn add_book(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<NewBook>,
) -> Result<Answer> {
    let (form, barcodes) = form.checked_for_add()?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        store_new(tx, moment, &rulebook, &admin, &form, &barcodes)
    })
    .await
}

/// Stores a new title with its copies and builds the response.
pub(super) fn store_new(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    librarian: &User,
    form: &BookForm,
    barcodes: &[String],
) -> Result<Answer> {
    let missing = || Error::Internal("a book vanished while it was added".into());
    let added = stock::add_title(tx, moment, rulebook, form, None, barcodes);
    let (id, copies) = added.map_err(|error| refused_in(barcodes, error))?.ok_or_else(missing)?;
    let detail = books::detail(tx, id, moment.today)?.ok_or_else(missing)?;
    let change = CatalogueChange::BookAdded { book: Record::from(&detail) };
    events::record(tx, moment.at, Some(librarian.uid), &Entry::book(id, change))?;
    stock::record_added(tx, moment, Actor::Librarian(librarian.uid), id, &copies)?;
    let reservation = reservation(tx, rulebook, moment.today, Some(librarian), id, detail.book.no_of_books)?;
    answer(StatusCode::CREATED, detail, reservation, Vec::new())?
        .with_location(&format!("{}/books/{id}", super::API))
}

/// Update a book, given the `ETag` of the loaded version.
#[utoipa::path(put, path = "/books/{id}", params(("id" = i64, Path), ("If-Match" = String, Header)), request_body = BookForm,
    responses((status = 200, body = BookDetail, headers(("ETag" = String)))))]
pub async fn update_book(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    Id(id): Id<BookId>,
    headers: HeaderMap,
    once: Once,
    JsonBody(form): JsonBody<BookForm>,
) -> Result<Answer> {
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(admin.uid));
    let policies = app.library.policies.clone();
    app.once(once, move |tx| {
        // Lock before reading, so that `before` is the version that the update replaces.
        books::lock(tx, id)?.ok_or(Error::NotFound)?;
        // A missing book is reported before a missing or stale version.
        let loaded = loaded(&headers)?;
        let form = form.checked_for_update(loaded.copies)?;
        let before = books::detail(tx, id, moment.today)?.ok_or(Error::NotFound)?;
        match books::update(tx, id, &form, loaded, before.imprint.clone())? {
            Update::Stored => {}
            Update::Missing => return Err(Error::NotFound),
            Update::Stale => return Err(Error::Stale),
            Update::TooFew(copies) => {
                let message = message::too_few_on_shelf(copies);
                return Err(Invalid::field(NO_OF_BOOKS.field, message).into());
            }
        }
        let rulebook = policies.current(tx)?;
        let difference = form.no_of_books - loaded.copies;
        stock::adjust_copies_to_count(tx, actor, moment, &rulebook, id, difference)?;
        let detail = books::detail(tx, id, moment.today)?.ok_or(Error::NotFound)?;
        let change =
            CatalogueChange::BookUpdated { before: Record::from(&before), after: Record::from(&detail) };
        events::record(tx, moment.at, Some(admin.uid), &Entry::book(id, change))?;
        let reservation =
            reservation(tx, &rulebook, moment.today, Some(&admin), id, detail.book.no_of_books)?;
        answer(StatusCode::OK, detail, reservation, Vec::new())
    })
    .await
}

/// Delete a book and its reviews; open loans of the book continue.
#[utoipa::path(delete, path = "/books/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn delete_book(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    Id(id): Id<BookId>,
    once: Once,
) -> Result<Answer> {
    let moment = app.library.clock.moment();
    app.once(once, move |tx| {
        stock::delete_title(tx, Actor::Librarian(admin.uid), moment, id)?;
        Ok(Answer::empty().undoable(tx, &admin))
    })
    .await
}

/// Serves an uploaded cover (`.jpg`), or the drawn cover of a book without one (`.svg`).
pub async fn cover(
    State(app): State<Shared>,
    PathText(file): PathText,
    headers: HeaderMap,
) -> Result<Response> {
    if let Some(hash) = file.strip_suffix(".jpg") {
        return covers::picture(app, hash, &headers).await;
    }
    let id = file.strip_suffix(".svg").and_then(|id| id.parse().ok()).map(BookId).ok_or(Error::NotFound)?;
    let detail = app.library.db.read(move |tx| books::cards(tx, &[id])).await.map_err(Error::from)?;
    let book = detail.first().ok_or(Error::NotFound)?;
    Ok(drawn(&Cover { id: id.0, title: &book.title, author: &book.author, genre: &book.genre }))
}

/// Fields of an unsaved book that its cover depends on.
#[derive(Deserialize)]
pub struct Preview {
    #[serde(default)]
    id: i64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    author: String,
    #[serde(default)]
    genre: String,
}

/// Draws the cover of a book while a librarian types the title, author and genre. The colours depend on the id, so they
/// may change when a new book is added.
pub async fn preview_cover(Query(of): Query<Preview>) -> Response {
    drawn(&Cover { id: of.id, title: &of.title, author: &of.author, genre: &of.genre })
}

/// Builds the response for a drawn cover.
fn drawn(of: &Cover<'_>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        // After a minute browsers show the old cover once more while they fetch the new one.
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=60, stale-while-revalidate=86400")),
        // A page opened at 127.0.0.1 may load covers from localhost, which is another origin.
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ),
    ];
    (headers, cover::draw(of)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_brings_back_what_the_form_had_loaded_r_book_8() {
        let given = Loaded { version: 3, copies: 0, status: Status::NotAvailable };
        let mut headers = HeaderMap::new();
        assert!(matches!(loaded(&headers), Err(Error::VersionRequired)));
        headers.insert(
            header::IF_MATCH,
            HeaderValue::try_from(etag(&given)).unwrap_or(HeaderValue::from_static("")),
        );
        assert_eq!(loaded(&headers).ok(), Some(given));
        for odd in
            ["*", "\"\"", "\"3\"", "W/\"3-0-n\"", "\"3--1-n\"", "\"9999999999999999999-0-n\"", "\"1-1-a-a\""]
        {
            headers.insert(header::IF_MATCH, HeaderValue::from_static(odd));
            assert!(matches!(loaded(&headers), Err(Error::Stale)), "{odd}");
        }
    }
}
