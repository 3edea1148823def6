//! Books suggested from the loans of all readers, and a reader's choice not to be counted.

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody},
    idempotency::{Answer, Once},
    session::SignedIn,
};
use crate::{
    domain::{
        book::Book,
        id::{BookId, UserId},
    },
    policies::Policies,
    storage::{self, Tx, books, suggestions},
};

/// Books that readers of a book also borrowed.
#[derive(Serialize, ToSchema)]
pub struct AlsoBorrowed {
    /// Books that at least five readers of this book borrowed, closest first; empty if the library makes no
    /// suggestions.
    books: Vec<Book>,
}

/// List the books that readers of this book also borrowed. Counted once a week.
#[utoipa::path(get, path = "/books/{id}/also-borrowed", params(("id" = i64, Path)),
    responses((status = 200, body = AlsoBorrowed)))]
pub async fn list_also_borrowed(State(app): State<Shared>, Id(id): Id<BookId>) -> Result<Json<AlsoBorrowed>> {
    let policies = app.library.policies.clone();
    let found = app.library.db.read(move |tx| -> Result<_> {
        if !books::exists(tx, id)? {
            return Err(Error::NotFound);
        }
        if !policies.current(tx)?.library.suggestions {
            return Ok(Vec::new());
        }
        let ids = suggestions::also_borrowed(tx, id)?;
        Ok(books::cards(tx, &ids)?)
    });
    Ok(Json(AlsoBorrowed { books: found.await? }))
}

/// A reader's choice about suggestions.
#[derive(Serialize, ToSchema)]
pub struct SuggestionChoice {
    /// False while the library makes no suggestions.
    offered: bool,
    /// True if the reader's loans count for the suggestions to all readers.
    counted: bool,
}

fn read(tx: &mut Tx<'_>, policies: &Policies, person: UserId) -> storage::Result<SuggestionChoice> {
    let offered = policies.current(tx)?.library.suggestions;
    Ok(SuggestionChoice { offered, counted: suggestions::is_counted(tx, person)? })
}

/// Read whether the caller's own loans count for suggestions.
#[utoipa::path(get, path = "/me/suggestions", responses((status = 200, body = SuggestionChoice)))]
pub async fn read_suggestion_choice(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<Json<SuggestionChoice>> {
    let policies = app.library.policies.clone();
    Ok(Json(app.library.db.read(move |tx| read(tx, &policies, user.uid)).await?))
}

/// Choice about suggestions to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SuggestionChoiceForm {
    /// True to count the caller's loans.
    counted: bool,
}

/// Choose whether the caller's own loans count for suggestions, from the next count on.
#[utoipa::path(put, path = "/me/suggestions", request_body = SuggestionChoiceForm,
    responses((status = 200, body = SuggestionChoice)))]
pub async fn save_suggestion_choice(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<SuggestionChoiceForm>,
) -> Result<Answer> {
    let policies = app.library.policies.clone();
    app.once(once, move |tx| {
        suggestions::set_counted(tx, user.uid, form.counted)?;
        Answer::json(StatusCode::OK, &read(tx, &policies, user.uid)?)
    })
    .await
}
