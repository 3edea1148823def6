//! Copies: listing, adding, changing and moving the physical books of a title (R-COPY-1 to R-COPY-6).

use axum::{extract::State, http::StatusCode};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, Nothing, OptionalJsonBody, Query, given},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        self, Actor,
        lost::{self, LostPrice},
        stock::{self, Barcodes, Obstacle},
    },
    domain::{
        book::{DEAREST, NO_OF_BOOKS},
        copy::{self, BARCODE, BARCODES, Condition, Copy, LOCATION, NOTE, State as CopyState},
        id::{BookId, CopyId, UserId},
        rule::Invalid,
    },
    message,
    money::Money,
    storage::{books, copies},
};

/// Maximum number of copies shelved in one transaction; the client repeats the call for the rest.
const AT_ONCE: i64 = 500;

/// Translates an obstacle to a change of the stock into an error of the API.
#[must_use]
pub fn refused(obstacle: Obstacle) -> Error {
    match obstacle {
        Obstacle::BarcodeTaken(barcode) => {
            Invalid::field(BARCODE.field, message::barcode_taken(&barcode)).into()
        }
        Obstacle::TransitionNotAllowed { from, to } => Error::TransitionNotAllowed { from, to },
    }
}

/// Same as [`refused`], but names a taken barcode by its index in the form's list.
#[must_use]
pub fn refused_in(given: &[String], error: circulation::Error) -> Error {
    match error {
        circulation::Error::Obstacle(Obstacle::BarcodeTaken(barcode)) => {
            let place = given.iter().position(|given| *given == barcode).unwrap_or_default();
            Invalid::field(format!("{BARCODES}[{place}]"), message::barcode_taken(&barcode)).into()
        }
        other => other.into(),
    }
}

/// Page of a title's copies, with the number of the title's copies per state.
#[derive(Serialize, ToSchema)]
pub struct CopyList {
    copies: Vec<Copy>,
    /// Number of copies per state; states without copies are omitted.
    counts: Vec<StateCount>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct StateCount {
    state: CopyState,
    count: i64,
}

/// Position and length of a page of copies.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CopiesQuery {
    /// Page length, 1 to 100; 100 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Cuts the list to `limit` rows; an extra row means that another page follows.
fn cut(mut copies: Vec<Copy>, limit: i64) -> (Vec<Copy>, Option<String>) {
    let limit = usize::try_from(limit).unwrap_or_default();
    let goes_on = copies.len() > limit;
    copies.truncate(limit);
    let next = copies.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
    (copies, next)
}

/// List the copies of a title in the order in which they were added.
#[utoipa::path(get, path = "/books/{id}/copies", params(("id" = i64, Path), CopiesQuery),
    responses((status = 200, body = CopyList)))]
pub async fn list_copies_of_book(
    State(app): State<Shared>,
    Id(book): Id<BookId>,
    Query(query): Query<CopiesQuery>,
) -> Result<axum::Json<CopyList>> {
    let limit = page::length(query.limit, page::LENGTH.max)?;
    let after = page::place(query.cursor.as_deref())?.unwrap_or(CopyId(0));
    let list = app
        .library
        .db
        .read(move |tx| -> Result<CopyList> {
            if !books::exists(tx, book)? {
                return Err(Error::NotFound);
            }
            let (copies, next) = cut(copies::of_book(tx, book, after, limit + 1)?, limit);
            let counts = copies::counts(tx, book)?;
            let counts = counts.into_iter().map(|(state, count)| StateCount { state, count }).collect();
            Ok(CopyList { copies, counts, next })
        })
        .await?;
    Ok(axum::Json(list))
}

/// Copies to add: those with the given barcodes, and the rest of `count` with the next accession numbers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCopies {
    #[serde(default)]
    barcodes: Vec<String>,
    count: Option<i64>,
}

/// Copies that were added, at most the first 100.
#[derive(Serialize, ToSchema)]
pub struct AddedCopies {
    copies: Vec<Copy>,
}

/// Add copies of a title to the shelf.
#[utoipa::path(post, path = "/books/{id}/copies", params(("id" = i64, Path)), request_body = NewCopies,
    responses((status = 201, body = AddedCopies)))]
pub async fn add_copies(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(book): Id<BookId>,
    once: Once,
    JsonBody(form): JsonBody<NewCopies>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let given = copy::barcodes(&form.barcodes, form.count, &mut invalid);
    let rest = match form.count {
        Some(count) => {
            super::copies::COUNT.check(count, &mut invalid);
            count - i64::try_from(given.len()).unwrap_or(i64::MAX)
        }
        None if given.is_empty() => {
            super::copies::COUNT.missing(&mut invalid);
            0
        }
        None => 0,
    };
    invalid.into_result(())?;
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let mut ids = Vec::new();
        for barcodes in [Barcodes::Given(given.clone()), Barcodes::Next(rest)] {
            let added = stock::add_copies(tx, actor, moment, &rulebook, book, &barcodes);
            ids.extend(added.map_err(|error| refused_in(&given, error))?);
        }
        let mut added = Vec::with_capacity(ids.len());
        // Returns the first page of the added copies; the list of copies has the rest.
        for copy in ids.iter().take(100) {
            added.extend(copies::by_id(tx, copy.id)?);
        }
        Answer::json(StatusCode::CREATED, &AddedCopies { copies: added })
    })
    .await
}

/// Limits of the number of copies added at once; the maximum is that of the book form.
pub const COUNT: crate::domain::rule::Number =
    crate::domain::rule::Number { field: "count", label: "Number of copies", min: 1, max: NO_OF_BOOKS.max };

/// Changes to a copy; omitted fields stay unchanged.
#[expect(clippy::option_option, reason = "null differs from an omitted field")]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyEdit {
    barcode: Option<String>,
    /// Shelf location; if empty or null, the location of the title.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    location: Option<Option<String>>,
    note: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Money>)]
    price: Option<Option<Money>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, format = Date)]
    acquired_on: Option<Option<Date>>,
}

/// Change the record of a copy.
#[utoipa::path(patch, path = "/copies/{id}", params(("id" = i64, Path)), request_body = CopyEdit,
    responses((status = 200, body = Copy)))]
pub async fn update_copy(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(id): Id<CopyId>,
    once: Once,
    JsonBody(edit): JsonBody<CopyEdit>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let barcode = edit.barcode.map(|raw| copy::barcode(&raw, BARCODE.field, &mut invalid));
    let location = edit
        .location
        .map(|raw| raw.map(|raw| LOCATION.check(&raw, &mut invalid)).filter(|location| !location.is_empty()));
    let note = edit.note.map(|raw| NOTE.check(&raw, &mut invalid));
    if edit.price.flatten().is_some_and(|price| !(Money::ZERO..=DEAREST).contains(&price)) {
        invalid.push("price", message::amount_out_of_range("Price", Money::ZERO, DEAREST));
    }
    if let Some(Some(day)) = edit.acquired_on {
        crate::domain::rules::check_day("acquiredOn".into(), "Day acquired", day, &mut invalid);
    }
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let updated = stock::update_copy(tx, actor, moment, id, |mut record| {
            if let Some(barcode) = barcode {
                record.barcode = barcode;
            }
            if let Some(location) = location {
                record.location = location;
            }
            if let Some(note) = note {
                record.note = note;
            }
            if let Some(price) = edit.price {
                record.price = price;
            }
            if let Some(acquired_on) = edit.acquired_on {
                record.acquired_on = acquired_on;
            }
            record
        })?;
        Answer::json(StatusCode::OK, &updated)
    })
    .await
}

/// New state of a copy.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    state: Condition,
    #[serde(default)]
    note: String,
}

/// Copy in its new state.
#[derive(Serialize, ToSchema)]
pub struct Moved {
    #[serde(flatten)]
    copy: Copy,
    /// Price of a lost copy that was found, if the price is still charged to the reader (R-MONEY-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    lost: Option<LostPrice>,
}

/// Move a copy into another state (R-COPY-2).
#[utoipa::path(post, path = "/copies/{id}/move", params(("id" = i64, Path)), request_body = Move,
    responses((status = 200, body = Moved)))]
pub async fn move_copy(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(id): Id<CopyId>,
    once: Once,
    JsonBody(form): JsonBody<Move>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let note = NOTE.check(&form.note, &mut invalid);
    invalid.into_result(())?;
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let lost = lost::price_if_found(tx, id, form.state)?;
        let copy = stock::move_copy(tx, actor, moment, &rulebook, id, form.state, &note)?;
        Ok(Answer::json(StatusCode::OK, &Moved { copy, lost })?.undoable(tx, &librarian))
    })
    .await
}

/// Filters and page of the list of copies.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CopyQuery {
    /// Only the copy with this barcode.
    barcode: Option<String>,
    /// Only copies in this state.
    #[param(inline)]
    state: Option<CopyState>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Reader of a copy's last ended loan.
#[derive(Serialize, ToSchema)]
pub struct LastReader {
    uid: UserId,
    name: String,
}

/// Copy in a list of all titles.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedCopy {
    #[serde(flatten)]
    copy: Copy,
    /// Day of the copy's last recorded change or return; null if none is recorded.
    #[schema(required, value_type = Option<String>, format = Date)]
    since: Option<Date>,
    /// Reader of the last ended loan; null without one, or if the reader's name is erased.
    #[schema(required)]
    last_reader: Option<LastReader>,
}

/// Copies of all titles.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllCopies {
    copies: Vec<ListedCopy>,
    /// Number of copies that wait to be shelved.
    to_shelve: i64,
    /// Number of copies per state that are not on the shelf, on loan or kept; states without copies are omitted.
    elsewhere: Vec<StateCount>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Find copies of all titles by barcode or state.
#[utoipa::path(get, path = "/copies", params(CopyQuery), responses((status = 200, body = AllCopies)))]
pub async fn list_copies(
    State(app): State<Shared>,
    Query(query): Query<CopyQuery>,
) -> Result<axum::Json<AllCopies>> {
    let limit = page::length(query.limit, 50)?;
    let after = page::place(query.cursor.as_deref())?.unwrap_or(CopyId(0));
    let clock = app.library.clock.clone();
    let found = app
        .library
        .db
        .read(move |tx| -> Result<AllCopies> {
            let found = match (&query.barcode, query.state) {
                (Some(barcode), state) => {
                    let found = copies::by_barcode(tx, barcode)?;
                    found.into_iter().filter(|copy| state.is_none_or(|state| copy.state == state)).collect()
                }
                (None, Some(state)) => copies::in_state(tx, state, after, limit + 1)?,
                (None, None) => copies::all(tx, after, limit + 1)?,
            };
            let (found, next) = cut(found, limit);
            let ids: Vec<CopyId> = found.iter().map(|copy| copy.id).collect();
            let since =
                copies::last_moves(tx, &ids)?.into_iter().map(|at| (at > 0).then(|| clock.day_of(at)));
            let mut readers = copies::last_readers(tx, &ids)?;
            let mut listed = |(copy, since): (Copy, Option<Date>)| {
                let last_reader = readers.remove(&copy.id).map(|(uid, name)| LastReader { uid, name });
                ListedCopy { copy, since, last_reader }
            };
            let copies = found.into_iter().zip(since).map(&mut listed).collect();
            let elsewhere = copies::elsewhere(tx)?;
            let elsewhere = elsewhere.into_iter().map(|(state, count)| StateCount { state, count }).collect();
            Ok(AllCopies { copies, to_shelve: copies::count_to_shelve(tx)?, elsewhere, next })
        })
        .await?;
    Ok(axum::Json(found))
}

/// Result of shelving the waiting copies.
#[derive(Serialize, ToSchema)]
pub struct Shelved {
    /// Number of copies put on the shelf.
    count: i64,
    /// Number of copies kept for readers in the queue.
    kept: i64,
}

/// Put up to 500 of the copies that wait to be shelved on the shelf; repeat the call for the rest (R-COPY-4).
#[utoipa::path(post, path = "/copies/shelve", responses((status = 200, body = Shelved)))]
pub async fn shelve_copies(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let shelved = stock::shelve(tx, actor, moment, &rulebook, AT_ONCE)?;
        Answer::json(StatusCode::OK, &Shelved { count: shelved.on_shelf, kept: shelved.kept })
    })
    .await
}
