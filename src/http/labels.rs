//! Labels of copies: the copies to print, printed batches, and the library's own sheets.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    csv_file::{self, PORTION},
    error::{Error, Result},
    extract::{Id, JsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    domain::{
        id::{BookId, CopyId},
        label::{self, AT_ONCE, Chosen, Label, LabelBatch, Range, Sheet, SheetForm},
        rule::Invalid,
    },
    message,
    storage::{
        labels::{self, Place},
        overview::{self, Mark},
    },
};

/// Choice of copies; a copy must match all parameters that are given. Withdrawn copies are left out.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LabelQuery {
    /// First barcode of a range.
    from: Option<String>,
    /// Last barcode of a range.
    to: Option<String>,
    /// Only copies of this title.
    #[param(value_type = Option<i64>)]
    book: Option<BookId>,
    /// Only copies added on this day or later.
    #[param(value_type = Option<String>, format = Date)]
    since: Option<Date>,
    /// Only copies of this printed batch.
    batch: Option<i64>,
    /// Only copies without a printed label.
    #[serde(default)]
    unprinted: bool,
}

impl LabelQuery {
    fn checked(self) -> Result<Chosen> {
        let range =
            Range::checked(self.from.as_deref().unwrap_or_default(), self.to.as_deref().unwrap_or_default())?;
        Ok(Chosen {
            range,
            book: self.book,
            since: self.since.map(|day| day.to_string()),
            batch: self.batch,
            unprinted: self.unprinted,
        })
    }
}

/// Labels in the order of their barcodes, at most 2000.
#[derive(Serialize, ToSchema)]
pub struct LabelList {
    labels: Vec<Label>,
    /// Number of matching copies, including those beyond the listed 2000.
    total: i64,
}

/// List the labels of chosen copies.
#[utoipa::path(get, path = "/labels", params(LabelQuery), responses((status = 200, body = LabelList)))]
pub async fn list_labels(
    State(app): State<Shared>,
    Query(query): Query<LabelQuery>,
) -> Result<axum::Json<LabelList>> {
    let chosen = query.checked()?;
    let most = i64::try_from(AT_ONCE).unwrap_or_default();
    let list = app.library.db.snapshot(move |tx| -> crate::storage::Result<LabelList> {
        let total = labels::count(tx, &chosen)?;
        let found = labels::page(tx, &chosen, &Place::default(), most)?;
        Ok(LabelList { labels: found.into_iter().map(|(_, label)| label).collect(), total })
    });
    Ok(axum::Json(list.await.map_err(Error::from)?))
}

/// Export the labels of chosen copies as CSV, for the program of a label printer.
///
/// At most 100 000 rows. Cells that a spreadsheet would read as formulas are guarded.
#[utoipa::path(get, path = "/labels.csv", params(LabelQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_labels(State(app): State<Shared>, Query(query): Query<LabelQuery>) -> Result<Response> {
    let chosen = Arc::new(query.checked()?);
    let columns = ["barcode", "title", "author", "location"];
    csv_file::answer("labels.csv", columns, Place::default(), move |after: Place| {
        let (app, chosen) = (Arc::clone(&app), Arc::clone(&chosen));
        async move {
            let found = app.library.db.read(move |tx| labels::page(tx, &chosen, &after, PORTION)).await;
            let found = found.map_err(Error::from)?;
            let last = found.last().map(|(place, _)| place.clone());
            let rows = found
                .into_iter()
                .map(|(_, label)| [label.barcode, label.title, label.author, label.location])
                .collect();
            Ok((rows, last))
        }
    })
    .await
}

/// Copies whose labels were sent to the printer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelBatchForm {
    /// 1 to 2000 copies.
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 2000)]
    copies: Vec<CopyId>,
    /// Name of the sheet.
    sheet: String,
}

/// Record a printed batch of labels.
#[utoipa::path(post, path = "/label-batches", request_body = LabelBatchForm, responses((status = 201, body = LabelBatch)))]
pub async fn add_label_batch(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<LabelBatchForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let sheet = label::SHEET.check(&form.sheet, &mut invalid);
    if form.copies.is_empty() {
        invalid.push("copies", message::missing());
    } else if form.copies.len() > AT_ONCE {
        invalid.push("copies", message::too_many("Copies", AT_ONCE));
    }
    invalid.refuse_repeats("copies", &form.copies);
    invalid.into_result(())?;
    let (now, by) = (app.library.clock.now(), librarian.uid);
    app.once(once, move |tx| {
        let id = labels::add_batch(tx, now, by, &sheet, &form.copies)?;
        overview::set(tx, Mark::Printed, now)?;
        Answer::json(StatusCode::CREATED, &labels::batch_by_id(tx, id)?)
    })
    .await
}

/// Position and length of a page of printed batches.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LabelBatchQuery {
    /// Page length, 1 to 100; 30 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

/// Printed batches of labels, newest first.
#[derive(Serialize, ToSchema)]
pub struct LabelBatchList {
    batches: Vec<LabelBatch>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List printed batches of labels, newest first.
#[utoipa::path(get, path = "/label-batches", params(LabelBatchQuery), responses((status = 200, body = LabelBatchList)))]
pub async fn list_label_batches(
    State(app): State<Shared>,
    Query(query): Query<LabelBatchQuery>,
) -> Result<axum::Json<LabelBatchList>> {
    let limit = page::length(query.limit, 30)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(i64::MAX);
    let mut batches =
        app.library.db.read(move |tx| labels::batches(tx, before, limit + 1)).await.map_err(Error::from)?;
    let length = usize::try_from(limit).unwrap_or_default();
    let goes_on = batches.len() > length;
    batches.truncate(length);
    let next = batches.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
    Ok(axum::Json(LabelBatchList { batches, next }))
}

/// The library's own sheets of labels.
#[derive(Serialize, ToSchema)]
pub struct SheetList {
    sheets: Vec<Sheet>,
}

/// List the library's own sheets of labels.
#[utoipa::path(get, path = "/label-sheets", responses((status = 200, body = SheetList)))]
pub async fn list_label_sheets(State(app): State<Shared>) -> Result<axum::Json<SheetList>> {
    let sheets = app.library.db.read(labels::sheets).await.map_err(Error::from)?;
    Ok(axum::Json(SheetList { sheets }))
}

/// Save a sheet of labels; a sheet of the same name is replaced.
#[utoipa::path(post, path = "/label-sheets", request_body = SheetForm, responses((status = 201, body = Sheet)))]
pub async fn save_label_sheet(
    State(app): State<Shared>,
    once: Once,
    JsonBody(form): JsonBody<SheetForm>,
) -> Result<Answer> {
    let form = form.checked()?;
    app.once(once, move |tx| {
        let id = labels::save_sheet(tx, &form)?;
        Answer::json(StatusCode::CREATED, &Sheet { id, measures: form })
    })
    .await
}

/// Delete a sheet of labels.
#[utoipa::path(delete, path = "/label-sheets/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn delete_label_sheet(State(app): State<Shared>, Id(id): Id<i64>, once: Once) -> Result<Answer> {
    app.once(
        once,
        move |tx| {
            if labels::delete_sheet(tx, id)? { Ok(Answer::empty()) } else { Err(Error::NotFound) }
        },
    )
    .await
}
