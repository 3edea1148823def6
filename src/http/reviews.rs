//! Reviews of a book.

use axum::{extract::State as AppState, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    State,
    error::{Error, Result},
    extract::{Id, Json, Query},
    idempotency::{Answer, Once},
    page,
    session::{Caller, SignedIn},
};
use crate::{
    domain::{
        book::average_rating,
        change::Change,
        id::BookId,
        review::{Review, ReviewForm},
    },
    storage::{
        books,
        events::{self, Entry},
        reviews,
    },
};

/// Which part of a book's reviews.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    /// How many reviews, 1 to 100; 20 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` of another page.
    cursor: Option<String>,
}

/// A page of a book's reviews, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewList {
    /// The reviews.
    reviews: Vec<Review>,
    /// How many there are in all.
    total: i64,
    /// Their average with one decimal; null without reviews (R-REV-2).
    #[schema(required)]
    average_rating: Option<f64>,
    /// How many gave 1, 2, 3, 4 and 5 stars.
    #[schema(min_items = 5, max_items = 5)]
    ratings: [i64; 5],
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
}

/// Read a book's reviews. A visitor is not told who wrote them (R-DETAIL-4).
#[utoipa::path(get, path = "/books/{id}/reviews", params(("id" = i64, Path), ReviewQuery),
    responses((status = 200, body = ReviewList)))]
pub async fn list_reviews(
    AppState(app): AppState<State>,
    caller: Caller,
    Id(id): Id<BookId>,
    Query(query): Query<ReviewQuery>,
) -> Result<axum::Json<ReviewList>> {
    let limit = page::length(query.limit, 20)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(i64::MAX);
    let (mut reviews, ratings) = app
        .db
        .snapshot(move |tx| -> Result<_> {
            if !books::exists(tx, id)? {
                return Err(Error::NotFound);
            }
            Ok((reviews::page(tx, id, before, limit + 1)?, reviews::ratings(tx, id)?))
        })
        .await?;
    let more = reviews.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    if more {
        reviews.pop();
    }
    if caller.person().is_none() {
        for review in &mut reviews {
            review.user_id = None;
            review.user_name = None;
        }
    }
    let total = ratings.iter().sum();
    let sum = ratings.iter().zip(1_i64..).map(|(count, stars)| count * stars).sum();
    Ok(axum::Json(ReviewList {
        next: reviews.last().filter(|_| more).map(|last| page::cursor(&last.id)),
        reviews,
        total,
        average_rating: average_rating(sum, total),
        ratings,
    }))
}

/// Review a book in one's own name.
#[utoipa::path(post, path = "/books/{id}/reviews", params(("id" = i64, Path)), request_body = ReviewForm,
    responses((status = 201, body = Review)))]
pub async fn add_review(
    AppState(app): AppState<State>,
    SignedIn(reader): SignedIn,
    Id(id): Id<BookId>,
    once: Once,
    Json(form): Json<ReviewForm>,
) -> Result<Answer> {
    let form = form.checked()?;
    let now = app.clock.now();
    app.once(once, move |tx| {
        let review = reviews::add(tx, id, &reader, &form, now)?.ok_or(Error::NotFound)?;
        let change = Change::Reviewed { review: review.id, rating: review.rating };
        let entry = Entry { person: Some(reader.uid), book: Some(id), copy: None, change };
        events::record(tx, now, Some(reader.uid), &entry)?;
        Answer::json(StatusCode::CREATED, &review)
    })
    .await
}
