//! The till: its contents, and closing it at the end of the day.

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        Actor,
        till::{Close, close},
    },
    domain::{
        ledger::LARGEST,
        rule::Invalid,
        till::{Closing, NOTE, TillContents},
    },
    message,
    money::Money,
    storage::till,
};

/// Contents of the till since the last closing.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Till {
    /// Number of the last closing, 0 for none; to send as `after` when closing the till.
    after: i64,
    /// Time of the last closing, RFC 3339; null for none.
    #[schema(required, format = DateTime)]
    closed_at: Option<String>,
    /// Opening float of the last closing, to propose for the next one; 0 for none.
    opening: Money,
    #[serde(flatten)]
    contents: TillContents,
}

/// Read the expected contents of the till.
#[utoipa::path(get, path = "/till", responses((status = 200, body = Till)))]
pub async fn read_till(State(app): State<Shared>) -> Result<axum::Json<Till>> {
    let till = app
        .library
        .db
        .snapshot(|tx| {
            let after = till::last(tx)?;
            let last = till::by_number(tx, after)?;
            let opening = last.as_ref().map(|closing| closing.opening).unwrap_or_default();
            let closed_at = last.map(|closing| closing.at);
            Ok::<_, crate::storage::Error>(Till {
                after,
                closed_at,
                opening,
                contents: till::contents(tx, 0)?,
            })
        })
        .await
        .map_err(Error::from)?;
    Ok(axum::Json(till))
}

/// Request body of a closing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosingForm {
    /// Value of `after` from the till that the librarian saw.
    after: i64,
    /// Value of `expected` from the till that the librarian saw.
    expected: Money,
    /// Opening float: cash that was in the till at the start; 0 by default.
    #[serde(default)]
    opening: Money,
    /// Counted cash, including the opening float.
    #[schema(required, value_type = Money)]
    counted: Option<Money>,
    #[serde(default)]
    note: String,
}

/// Close the till. Closings are numbered without gaps; payments in a closing can no longer be undone, only reversed.
#[utoipa::path(post, path = "/till/closings", request_body = ClosingForm, responses((status = 201, body = Closing)))]
pub async fn close_till(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<ClosingForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let note = NOTE.check(&form.note, &mut invalid);
    match form.counted {
        None => invalid.push("counted", message::missing()),
        Some(counted) if !(Money::ZERO..=LARGEST).contains(&counted) => {
            invalid.push("counted", message::amount_out_of_range("Counted", Money::ZERO, LARGEST));
        }
        Some(_) => {}
    }
    if !(Money::ZERO..=LARGEST).contains(&form.opening) {
        invalid.push("opening", message::amount_out_of_range("Opening float", Money::ZERO, LARGEST));
    }
    invalid.into_result(())?;
    let (moment, actor) = (app.library.clock.moment(), Actor::Librarian(librarian.uid));
    let counted = form.counted.unwrap_or_default();
    app.once(once, move |tx| {
        let (after, expected, opening) = (form.after, form.expected, form.opening);
        let what = Close { after, expected, opening, counted, note: &note };
        Answer::json(StatusCode::CREATED, &close(tx, actor, moment, &what)?)
    })
    .await
}

/// Position and length of a page of closings.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ClosingQuery {
    /// Page length, 1 to 100; 30 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

/// Closings, newest first.
#[derive(Serialize, ToSchema)]
pub struct ClosingList {
    closings: Vec<Closing>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List the closings of the till, newest first.
#[utoipa::path(get, path = "/till/closings", params(ClosingQuery), responses((status = 200, body = ClosingList)))]
pub async fn list_closings(
    State(app): State<Shared>,
    Query(query): Query<ClosingQuery>,
) -> Result<axum::Json<ClosingList>> {
    let limit = page::length(query.limit, 30)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(i64::MAX);
    let mut closings =
        app.library.db.snapshot(move |tx| till::page(tx, before, limit + 1)).await.map_err(Error::from)?;
    let length = usize::try_from(limit).unwrap_or_default();
    let goes_on = closings.len() > length;
    closings.truncate(length);
    let next = closings.last().filter(|_| goes_on).map(|last| page::cursor(&last.number));
    Ok(axum::Json(ClosingList { closings, next }))
}

/// Read a closing of the till.
#[utoipa::path(get, path = "/till/closings/{id}", params(("id" = i64, Path)), responses((status = 200, body = Closing)))]
pub async fn read_closing(State(app): State<Shared>, Id(number): Id<i64>) -> Result<axum::Json<Closing>> {
    let closing =
        app.library.db.snapshot(move |tx| till::by_number(tx, number)).await.map_err(Error::from)?;
    closing.map(axum::Json).ok_or(Error::NotFound)
}
