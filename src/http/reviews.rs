//! Reviews of a book.

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::{Caller, SignedIn},
};
use crate::{
    domain::{
        book::average_rating,
        change::{CatalogueChange, Opinion},
        id::{BookId, ReviewId, UserId},
        review::{Review, ReviewForm},
    },
    storage::{
        Tx, books,
        events::{self, Entry},
        reviews,
    },
};

/// Position and length of a page of reviews.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    /// Page length, 1 to 100; 20 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Page of a book's reviews, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewList {
    reviews: Vec<Review>,
    /// Number of all reviews.
    total: i64,
    /// Average with one decimal; null without reviews (R-REV-2).
    #[schema(required)]
    average_rating: Option<f64>,
    /// Number of reviews with 1, 2, 3, 4 and 5 stars.
    #[schema(min_items = 5, max_items = 5)]
    ratings: [i64; 5],
    /// Review by the caller; null without one.
    #[schema(required)]
    yours: Option<Review>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Read a book's reviews. Visitors do not see the reviewers (R-DETAIL-4).
#[utoipa::path(get, path = "/books/{id}/reviews", params(("id" = i64, Path), ReviewQuery),
    responses((status = 200, body = ReviewList)))]
pub async fn list_reviews(
    State(app): State<Shared>,
    caller: Caller,
    Id(id): Id<BookId>,
    Query(query): Query<ReviewQuery>,
) -> Result<axum::Json<ReviewList>> {
    let limit = page::length(query.limit, 20)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(i64::MAX);
    let reader = caller.person().map(|person| person.uid);
    let (mut reviews, ratings, yours) = app
        .library
        .db
        .snapshot(move |tx| -> Result<_> {
            if !books::exists(tx, id)? {
                return Err(Error::NotFound);
            }
            let yours = match reader {
                Some(reader) => reviews::by_reader(tx, id, reader)?,
                None => None,
            };
            Ok((reviews::page(tx, id, before, limit + 1)?, reviews::ratings(tx, id)?, yours))
        })
        .await?;
    let more = reviews.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    if more {
        reviews.pop();
    }
    if reader.is_none() {
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
        yours,
    }))
}

/// Review a book in the caller's name. A reader has one review per book: a second one replaces the first.
#[utoipa::path(post, path = "/books/{id}/reviews", params(("id" = i64, Path)), request_body = ReviewForm,
    responses((status = 201, body = Review)))]
pub async fn add_review(
    State(app): State<Shared>,
    SignedIn(reader): SignedIn,
    Id(id): Id<BookId>,
    once: Once,
    JsonBody(form): JsonBody<ReviewForm>,
) -> Result<Answer> {
    let form = form.checked()?;
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        let added = reviews::add(tx, id, &reader, &form, now)?.ok_or(Error::NotFound)?;
        let before = added.replaced.first().map(Opinion::from);
        let review = added.review;
        let change = CatalogueChange::Reviewed { review: review.id, rating: review.rating, before };
        record(tx, now, reader.uid, id, change)?;
        Answer::json(StatusCode::CREATED, &review)
    })
    .await
}

/// Delete the caller's own review.
#[utoipa::path(delete, path = "/reviews/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn delete_review(
    State(app): State<Shared>,
    SignedIn(reader): SignedIn,
    Id(id): Id<ReviewId>,
    once: Once,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        // Another reader's review gets 404 as well.
        let gone = reviews::delete(tx, id, reader.uid)?.ok_or(Error::NotFound)?;
        let change = CatalogueChange::ReviewDeleted { review: id, before: Opinion::from(&gone.review) };
        record(tx, now, reader.uid, gone.book, change)?;
        Ok(Answer::empty())
    })
    .await
}

fn record(tx: &mut Tx<'_>, now: i64, reader: UserId, book: BookId, change: CatalogueChange) -> Result<()> {
    let entry = Entry { person: Some(reader), book: Some(book), copy: None, change: change.into() };
    events::record(tx, now, Some(reader), &entry)?;
    Ok(())
}
