//! Complete lists as CSV: titles with their copies, and open holds.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use jiff::civil::Date;

use super::{
    Shared,
    csv_file::{self, PORTION},
    error::{Error, Result},
};
use crate::storage::exports::{self, StockPlace};

fn day(date: Option<Date>) -> String {
    date.map(|date| date.to_string()).unwrap_or_default()
}

/// Export the titles with their copies as CSV.
///
/// One row per copy, and one per title without copies; at most 100 000 rows. Cells that a spreadsheet would read as
/// formulas are guarded.
#[utoipa::path(get, path = "/books.csv", responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_books(State(app): State<Shared>) -> Result<Response> {
    let columns = [
        "title",
        "author",
        "genre",
        "isbn",
        "barcode",
        "state",
        "due",
        "location",
        "acquiredOn",
        "price",
        "note",
    ];
    csv_file::answer("books.csv", columns, StockPlace::default(), move |after| {
        let app = Arc::clone(&app);
        async move {
            let found = app.library.db.read(move |tx| exports::stock(tx, after, PORTION)).await;
            let found = found.map_err(Error::from)?;
            let last = found.last().map(|row| row.place);
            let rows = found.into_iter().map(|row| {
                let state = if row.due.is_some() { Some("on-loan".to_owned()) } else { row.condition };
                let price = row.price.map(|price| {
                    let (units, rest) = price.parts();
                    format!("{units}.{rest:02}")
                });
                [
                    row.title,
                    row.author,
                    row.genre,
                    row.isbn.unwrap_or_default(),
                    row.barcode.unwrap_or_default(),
                    state.unwrap_or_default(),
                    day(row.due),
                    row.location,
                    row.acquired_on.unwrap_or_default(),
                    price.unwrap_or_default(),
                    row.note.unwrap_or_default(),
                ]
            });
            Ok((rows.collect(), last))
        }
    })
    .await
}

/// Export the open holds as CSV, in the order in which they were placed.
///
/// At most 100 000 rows. Cells that a spreadsheet would read as formulas are guarded.
#[utoipa::path(get, path = "/holds.csv", responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_holds(State(app): State<Shared>) -> Result<Response> {
    let columns =
        ["title", "state", "rollNumber", "name", "batch", "department", "placed", "keptUntil", "barcode"];
    csv_file::answer("holds.csv", columns, 0, move |after: i64| {
        let app = Arc::clone(&app);
        async move {
            let found = app.library.db.read(move |tx| exports::wanted(tx, after, PORTION)).await;
            let found = found.map_err(Error::from)?;
            let last = found.last().map(|row| row.id);
            let rows = found.into_iter().map(|row| {
                [
                    row.title,
                    row.state,
                    row.roll_number.unwrap_or_default(),
                    row.name,
                    row.batch.unwrap_or_default(),
                    row.department.unwrap_or_default(),
                    app.library.clock.local(row.placed_at),
                    day(row.ready_until),
                    row.barcode.unwrap_or_default(),
                ]
            });
            Ok((rows.collect(), last))
        }
    })
    .await
}
