//! Reviews: one per reader and book.

use super::{Result, Row, Tx, books};
use crate::{
    domain::{
        account::User,
        id::{BookId, ReviewId, UserId},
        moment::rfc3339,
        review::{Review, ReviewForm},
    },
    sql,
};

fn review(row: &Row<'_>) -> Result<Review> {
    Ok(Review {
        id: row.get(0)?,
        rating: row.get(1)?,
        comment: row.get(2)?,
        user_id: row.get(3)?,
        // The name is empty once the reader is erased.
        user_name: row.get::<Option<String>>(4)?.filter(|name| !name.is_empty()),
        created_at: rfc3339(row.get(5)?),
    })
}

/// New review, and those it replaces.
pub struct Added {
    pub review: Review,
    /// Earlier reviews of the book by the same reader.
    pub replaced: Vec<Review>,
}

/// Adds a review in the reader's name, replacing any earlier one; `None` if the book is gone.
pub fn add(
    tx: &mut Tx<'_>,
    book: BookId,
    reader: &User,
    form: &ReviewForm,
    now: i64,
) -> Result<Option<Added>> {
    // Locked, because a concurrent deletion of the book would break the reference; a second review by the same reader
    // waits here for the first.
    if books::lock(tx, book)?.is_none() {
        return Ok(None);
    }
    let replaced = tx.query(
        sql!(
            "DELETE FROM reviews WHERE book_id = $1 AND user_id = $2
             RETURNING id, rating, comment, user_id, user_name, created_at"
        ),
        &[&book, &reader.uid],
        review,
    )?;
    let review = tx.query_one(
        sql!(
            "INSERT INTO reviews (book_id, user_id, user_name, rating, comment, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             RETURNING id, rating, comment, user_id, user_name, created_at"
        ),
        &[&book, &reader.uid, &reader.name, &form.rating, &form.comment, &now],
        review,
    )?;
    recount(tx, book)?;
    Ok(Some(Added { review, replaced }))
}

/// Counts a title's reviews anew, with the sum of their stars. Each change of reviews locks the title first
/// ([`books::lock`]) and calls this at its end.
pub(super) fn recount(tx: &mut Tx<'_>, book: BookId) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE books
             SET review_count = (SELECT COUNT(*) FROM reviews WHERE book_id = $1),
                 rating_sum = (SELECT CAST(COALESCE(SUM(rating), 0) AS BIGINT) FROM reviews WHERE book_id = $1)
             WHERE id = $1"
        ),
        &[&book],
    )?;
    Ok(())
}

/// Returns the first titles whose number of reviews or sum of stars is wrong, in words.
pub fn contradictions(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<String>> {
    tx.query(
        sql!(
            "SELECT id, review_count, rating_sum, COALESCE(counted.number, 0), COALESCE(counted.stars, 0)
             FROM books LEFT JOIN (SELECT book_id, COUNT(*) AS number, CAST(SUM(rating) AS BIGINT) AS stars
                                   FROM reviews GROUP BY book_id) AS counted ON counted.book_id = books.id
             WHERE review_count <> COALESCE(counted.number, 0) OR rating_sum <> COALESCE(counted.stars, 0)
             ORDER BY id LIMIT $1"
        ),
        &[&limit],
        |row| {
            let (book, count, sum): (BookId, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (reviews, stars): (i64, i64) = (row.get(3)?, row.get(4)?);
            Ok(format!(
                "title {book}: {count} reviews with {sum} stars are counted, there are {reviews} with {stars}"
            ))
        },
    )
}

/// Returns the newest review of a book by one reader.
pub fn by_reader(tx: &mut Tx<'_>, book: BookId, reader: UserId) -> Result<Option<Review>> {
    tx.query_opt(
        sql!(
            "SELECT id, rating, comment, user_id, user_name, created_at FROM reviews
             WHERE book_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 1"
        ),
        &[&book, &reader],
        review,
    )
}

/// Deletes a review by this reader; `None` if there is none.
pub fn delete(tx: &mut Tx<'_>, id: ReviewId, reader: UserId) -> Result<Option<Deleted>> {
    let found = tx.query_opt(
        sql!("SELECT book_id FROM reviews WHERE id = $1 AND user_id = $2"),
        &[&id, &reader],
        |row| row.get::<BookId>(0),
    )?;
    let Some(book) = found else { return Ok(None) };
    books::lock(tx, book)?;
    let deleted = tx.query_opt(
        sql!(
            "DELETE FROM reviews WHERE id = $1 AND user_id = $2
             RETURNING id, rating, comment, user_id, user_name, created_at, book_id"
        ),
        &[&id, &reader],
        |row| Ok(Deleted { review: review(row)?, book: row.get(6)? }),
    )?;
    recount(tx, book)?;
    Ok(deleted)
}

/// Deleted review.
pub struct Deleted {
    pub review: Review,
    pub book: BookId,
}

/// Returns up to `limit` reviews of a book, newest first, older than the review `before`.
pub fn page(tx: &mut Tx<'_>, book: BookId, before: i64, limit: i64) -> Result<Vec<Review>> {
    tx.query(
        sql!(
            "SELECT id, rating, comment, user_id, user_name, created_at FROM reviews
             WHERE book_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
        ),
        &[&book, &before, &limit],
        review,
    )
}

/// Returns up to `limit` reviews by a reader with their books, newest first.
pub fn of_reader(tx: &mut Tx<'_>, reader: UserId, limit: i64) -> Result<Vec<(BookId, String, Review)>> {
    tx.query(
        sql!(
            "SELECT reviews.id, reviews.rating, reviews.comment, reviews.user_id, reviews.user_name, reviews.created_at,
                    reviews.book_id, books.title
             FROM reviews JOIN books ON books.id = reviews.book_id
             WHERE reviews.user_id = $1 ORDER BY reviews.id DESC LIMIT $2"
        ),
        &[&reader, &limit],
        |row| Ok((row.get(6)?, row.get(7)?, review(row)?)),
    )
}

/// Counts the reviews of a book with 1, 2, 3, 4 and 5 stars.
pub fn ratings(tx: &mut Tx<'_>, book: BookId) -> Result<[i64; 5]> {
    let mut ratings = [0; 5];
    let counts = tx.query(
        sql!("SELECT rating, COUNT(*) FROM reviews WHERE book_id = $1 GROUP BY rating"),
        &[&book],
        |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
    )?;
    for (stars, count) in counts {
        if let Some(slot) = usize::try_from(stars - 1).ok().and_then(|index| ratings.get_mut(index)) {
            *slot = count;
        }
    }
    Ok(ratings)
}
