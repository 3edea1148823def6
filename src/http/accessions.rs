//! Quick add: adds a title with its ISBN and first copies; a librarian describes the title later.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    books::{self, BookDetail},
    copies::COUNT,
    error::Result,
    extract::{JsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    domain::{
        book::{
            AUTHOR, Book, BookForm, CALL_NUMBER, EDITION, GENRE, ISBN, LOCATION, PUBLISHED_YEAR, PUBLISHER,
            Status, TITLE, check_price, checked_isbn, checked_language, checked_text,
        },
        copy,
        id::BookId,
        rule::{Invalid, Text},
    },
    message,
    money::Money,
    storage,
};

/// Limits of author, genre and shelf location, which may stay empty until the title is described.
pub const LATER_AUTHOR: Text = Text { min: 0, ..AUTHOR };
pub const LATER_GENRE: Text = Text { min: 0, ..GENRE };
pub const LATER_LOCATION: Text = Text { min: 0, ..LOCATION };

/// Title to add without picture, description and rating.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccessionForm {
    #[serde(default)]
    #[schema(required)]
    title: String,
    /// Author or authors.
    #[serde(default)]
    author: String,
    /// Shelf location.
    #[serde(default)]
    location: String,
    /// ISBN of 10 or 13 digits; refused if the catalogue has a title with this ISBN.
    isbn: Option<String>,
    /// Price of a copy.
    price: Option<Money>,
    genre: Option<String>,
    publisher: Option<String>,
    edition: Option<String>,
    /// Year of publication; negative before our era.
    published_year: Option<i64>,
    /// ISO 639 code.
    language: Option<String>,
    call_number: Option<String>,
    /// Barcodes of the first copies; the remaining copies get the next accession numbers.
    #[serde(default)]
    barcodes: Vec<String>,
    /// Number of copies; by default one per barcode, and at least one.
    count: Option<i64>,
}

impl AccessionForm {
    fn checked(self) -> Result<(BookForm, Vec<String>), Invalid> {
        let mut invalid = Invalid::default();
        let barcodes = copy::barcodes(&self.barcodes, self.count, &mut invalid);
        if let Some(count) = self.count {
            COUNT.check(count, &mut invalid);
        }
        check_price(self.price, &mut invalid);
        let copies = self.count.unwrap_or_else(|| i64::try_from(barcodes.len().max(1)).unwrap_or(1));
        let form = BookForm {
            title: TITLE.check(&self.title, &mut invalid),
            author: LATER_AUTHOR.check(&self.author, &mut invalid),
            location: LATER_LOCATION.check(&self.location, &mut invalid),
            no_of_books: copies,
            status: Some(Status::Available),
            isbn: Some(self.isbn.and_then(|raw| checked_isbn(&raw, &mut invalid))),
            price: Some(self.price),
            genre: LATER_GENRE.check(&self.genre.unwrap_or_default(), &mut invalid),
            publisher: checked_text(&PUBLISHER, Some(self.publisher), &mut invalid),
            edition: checked_text(&EDITION, Some(self.edition), &mut invalid),
            published_year: Some(self.published_year.map(|year| PUBLISHED_YEAR.check(year, &mut invalid))),
            language: checked_language(Some(self.language), &mut invalid),
            call_number: checked_text(&CALL_NUMBER, Some(self.call_number), &mut invalid),
            ..BookForm::default()
        };
        invalid.into_result((form, barcodes))
    }
}

/// Add a title without picture, description and rating.
#[utoipa::path(post, path = "/accessions", request_body = AccessionForm,
    responses((status = 201, body = BookDetail, headers(("ETag" = String), ("Location" = String)))))]
pub async fn add_accession(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<AccessionForm>,
) -> Result<Answer> {
    let (form, barcodes) = form.checked()?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        if let Some(isbn) = form.isbn.as_ref().and_then(Option::as_deref)
            && let Some(known) = storage::books::with_isbn(tx, isbn)?.first()
        {
            let title = storage::books::lock(tx, *known)?.unwrap_or_default();
            return Err(Invalid::field(ISBN.field, message::isbn_known(&title)).into());
        }
        let rulebook = policies.current(tx)?;
        books::store_new(tx, moment, &rulebook, &librarian, &form, &barcodes)
    })
    .await
}

/// Position and length of a page of titles without a description.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AccessionsQuery {
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Titles without a description, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessionList {
    books: Vec<Book>,
    /// Number of titles without a description.
    total: i64,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List the titles without a description.
#[utoipa::path(get, path = "/accessions", params(AccessionsQuery),
    responses((status = 200, body = AccessionList)))]
pub async fn list_accessions(
    State(app): State<Shared>,
    Query(query): Query<AccessionsQuery>,
) -> Result<axum::Json<AccessionList>> {
    let limit = page::length(query.limit, 50)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(BookId(i64::MAX));
    let list = app
        .library
        .db
        .snapshot(move |tx| -> Result<AccessionList> {
            let mut ids = storage::books::not_described(tx, before, limit + 1)?;
            let length = usize::try_from(limit).unwrap_or_default();
            let goes_on = ids.len() > length;
            ids.truncate(length);
            Ok(AccessionList {
                books: storage::books::cards(tx, &ids)?,
                total: storage::books::count_not_described(tx)?,
                next: ids.last().filter(|_| goes_on).map(page::cursor),
            })
        })
        .await?;
    Ok(axum::Json(list))
}
