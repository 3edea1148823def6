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
        change::{Change, Opinion},
        id::{BookId, ReviewId, UserId},
        review::{Review, ReviewForm},
    },
    storage::{
        Tx, books,
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
    /// What the caller wrote; null without a review of the own.
    #[schema(required)]
    yours: Option<Review>,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
}

/// Read a book's reviews. A visitor is not told who wrote them (R-DETAIL-4).
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

/// Review a book in one's own name. A reader has one review of a book: a second one takes the place of the first.
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
    let now = app.clock.now();
    app.once(once, move |tx| {
        let added = reviews::add(tx, id, &reader, &form, now)?.ok_or(Error::NotFound)?;
        let before = added.replaced.first().map(Opinion::from);
        let review = added.review;
        let change = Change::Reviewed { review: review.id, rating: review.rating, before };
        record(tx, now, reader.uid, id, change)?;
        Answer::json(StatusCode::CREATED, &review)
    })
    .await
}

/// Delete one's own review.
#[utoipa::path(delete, path = "/reviews/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn delete_review(
    State(app): State<Shared>,
    SignedIn(reader): SignedIn,
    Id(id): Id<ReviewId>,
    once: Once,
) -> Result<Answer> {
    let now = app.clock.now();
    app.once(once, move |tx| {
        // Somebody else's is as good as none.
        let gone = reviews::delete(tx, id, reader.uid)?.ok_or(Error::NotFound)?;
        let change = Change::ReviewDeleted { review: id, before: Opinion::from(&gone.review) };
        record(tx, now, reader.uid, gone.book, change)?;
        Ok(Answer::empty())
    })
    .await
}

fn record(tx: &mut Tx<'_>, now: i64, reader: UserId, book: BookId, change: Change) -> Result<()> {
    let entry = Entry { person: Some(reader), book: Some(book), copy: None, change };
    events::record(tx, now, Some(reader), &entry)?;
    Ok(())
}
