//! Books: their records, and the number of copies on the shelf.

use jiff::civil::Date;
use serde_json::json;

use super::{Error, Param, Result, Row, Tx, imports, reviews};
use crate::{
    domain::{
        book::{Book, BookForm, Imprint, Status, average_rating},
        change::Record,
        id::BookId,
    },
    fault::{Fault, is_planted},
    money::Money,
    select_for_update, sql,
};

macro_rules! columns {
    () => {
        "id, title, author, genre, photo_url, status, no_of_books, location, rating, isbn, published_year, language,
         review_count, rating_sum"
    };
}

fn book(row: &Row<'_>) -> Result<Book> {
    let (review_count, sum) = (row.get(12)?, row.get(13)?);
    Ok(Book {
        id: row.get(0)?,
        title: row.get(1)?,
        author: row.get(2)?,
        genre: row.get(3)?,
        photo_url: row.get(4)?,
        status: status(&row.get::<String>(5)?)?,
        no_of_books: row.get(6)?,
        location: row.get(7)?,
        rating: row.get(8)?,
        isbn: row.get(9)?,
        published_year: row.get(10)?,
        language: row.get(11)?,
        average_rating: average_rating(sum, review_count),
        review_count,
    })
}

fn status(text: &str) -> Result<Status> {
    Status::parse(text).ok_or_else(|| Error::Database(format!("{text:?} is no status of a book").into()))
}

/// Book with the additional data of its detail page.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    pub book: Book,
    pub description: String,
    pub imprint: Imprint,
    /// Number of saves of the record.
    pub version: i64,
    /// Number of copies in any state but withdrawn.
    pub copies: i64,
    /// Next due date of a copy on loan, today or later.
    pub next_due: Option<Date>,
}

impl From<&Detail> for Record {
    fn from(Detail { book, description, imprint, .. }: &Detail) -> Self {
        Self {
            title: book.title.clone(),
            author: book.author.clone(),
            genre: book.genre.clone(),
            photo_url: book.photo_url.clone(),
            description: description.clone(),
            status: book.status,
            no_of_books: book.no_of_books,
            location: book.location.clone(),
            rating: book.rating,
            imprint: Box::new(imprint.clone()),
        }
    }
}

/// Returns a book by its id, with the next due date from `today` on.
pub fn detail(tx: &mut Tx<'_>, id: BookId, today: Date) -> Result<Option<Detail>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            ", description, version,
                (SELECT COUNT(*) FROM copies WHERE book_id = books.id AND condition <> 'withdrawn'),
                (SELECT MIN(loans.return_date) FROM copies JOIN loans ON loans.copy_id = copies.id AND loans.ended_at IS NULL
                 WHERE copies.book_id = books.id AND loans.return_date >= $2),
                publisher, edition, call_number, price
             FROM books WHERE id = $1"
        ),
        &[&id, &today.to_string()],
        |row| {
            let book = book(row)?;
            Ok(Detail {
                imprint: Imprint {
                    isbn: book.isbn.clone(),
                    publisher: row.get(18)?,
                    edition: row.get(19)?,
                    published_year: book.published_year,
                    language: book.language.clone(),
                    call_number: row.get(20)?,
                    price: row.get(21)?,
                },
                book,
                description: row.get(14)?,
                version: row.get(15)?,
                copies: row.get(16)?,
                next_due: row.optional_day(17)?,
            })
        },
    )
}

/// Number of books per statement of [`cards`]; a page of the default length takes one round trip.
const CARDS: usize = 24;

/// Returns the books with these ids, in the same order, without deleted ones.
pub fn cards(tx: &mut Tx<'_>, ids: &[BookId]) -> Result<Vec<Book>> {
    let mut books = Vec::with_capacity(ids.len());
    for ids in ids.chunks(CARDS) {
        // Unused slots contain the id 0, which no book has.
        let mut slots = [BookId(0); CARDS];
        slots[..ids.len()].copy_from_slice(ids);
        let mut found = tx.query(
            sql!(
                "SELECT ",
                columns!(),
                " FROM books WHERE id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                                          $19, $20, $21, $22, $23, $24)"
            ),
            &slots.each_ref().map(|slot| slot as &dyn Param),
            book,
        )?;
        for id in ids {
            if let Some(place) = found.iter().position(|book| book.id == *id) {
                books.push(found.swap_remove(place));
            }
        }
    }
    Ok(books)
}

/// Returns the first eight titles with this ISBN of thirteen digits.
pub fn with_isbn(tx: &mut Tx<'_>, isbn: &str) -> Result<Vec<BookId>> {
    tx.query(sql!("SELECT id FROM books WHERE isbn = $1 ORDER BY id LIMIT 8"), &[&isbn], |row| row.get(0))
}

/// Adds a book and returns its id; `None` if an earlier import added this row. `import_key` identifies the same row in
/// another run of the import.
pub fn add(tx: &mut Tx<'_>, form: &BookForm, import_key: Option<&str>, now: i64) -> Result<Option<BookId>> {
    let imprint = form.imprint(Imprint::default());
    let added = tx.query_opt(
        sql!(
            "INSERT INTO books (title, author, genre, photo_url, description, status, no_of_books, location, rating,
                                isbn, published_year, language, import_key, created_at, publisher, edition, call_number,
                                price)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
             ON CONFLICT (import_key) DO NOTHING RETURNING id"
        ),
        &[
            &form.title,
            &form.author,
            &form.genre,
            &form.photo_url,
            &form.description,
            &form.status().as_str(),
            &form.no_of_books,
            &form.location,
            &form.rating,
            &imprint.isbn,
            &imprint.published_year,
            &imprint.language,
            &import_key,
            &now,
            &imprint.publisher,
            &imprint.edition,
            &imprint.call_number,
            &imprint.price,
        ],
        |row| row.get::<BookId>(0),
    )?;
    if let Some(id) = added {
        tx.touch_book(id);
    }
    Ok(added)
}

/// Returns the book that an import added with this key.
pub fn imported(tx: &mut Tx<'_>, key: &str) -> Result<Option<BookId>> {
    tx.query_opt(sql!("SELECT id FROM books WHERE import_key = $1"), &[&key], |row| row.get(0))
}

/// Replaces the picture of a book.
pub fn set_photo_url(tx: &mut Tx<'_>, id: BookId, photo_url: &str) -> Result<()> {
    tx.execute_one(sql!("UPDATE books SET photo_url = $2 WHERE id = $1"), &[&id, &photo_url])
}

/// Values that a form loaded before it was edited: the content of the ETag (R-BOOK-7, R-BOOK-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Version of the record.
    pub version: i64,
    /// Number of copies on the shelf at that time.
    pub copies: i64,
    /// Status at that time.
    pub status: Status,
}

/// Outcome of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    Stored,
    /// No such book.
    Missing,
    /// Another edit was saved since the form was loaded.
    Stale,
    /// The form removes more copies than are left on the shelf; contains the present number on the shelf.
    TooFew(i64),
}

/// Stores an edit of the record. Count and status are applied as differences from the loaded values, so that a
/// concurrent loan is neither undone nor an obstacle. `before` is the imprint of the locked record.
pub fn update(
    tx: &mut Tx<'_>,
    id: BookId,
    form: &BookForm,
    loaded: Loaded,
    before: Imprint,
) -> Result<Update> {
    let imprint = form.imprint(before);
    let stored = tx.execute(
        sql!(
            "UPDATE books SET title = $4, author = $5, genre = $6, photo_url = $7, description = $8, location = $9,
                              status = CASE WHEN $10 THEN $11 ELSE status END,
                              rating = COALESCE($12, rating), isbn = $13, publisher = $14, edition = $15,
                              published_year = $16, language = $17, call_number = $18, price = $19,
                              no_of_books = no_of_books + $3, version = version + 1
             WHERE id = $1 AND version = $2 AND no_of_books + $3 >= 0"
        ),
        &[
            &id,
            &loaded.version,
            &(form.no_of_books - loaded.copies),
            &form.title,
            &form.author,
            &form.genre,
            &form.photo_url,
            &form.description,
            &form.location,
            &(form.status() != loaded.status),
            &form.status().as_str(),
            &form.rating,
            &imprint.isbn,
            &imprint.publisher,
            &imprint.edition,
            &imprint.published_year,
            &imprint.language,
            &imprint.call_number,
            &imprint.price,
        ],
    )?;
    if stored == 1 {
        tx.touch_book(id);
        return Ok(Update::Stored);
    }
    let now = tx.query_opt(sql!("SELECT version, no_of_books FROM books WHERE id = $1"), &[&id], |row| {
        Ok((row.get::<i64>(0)?, row.get::<i64>(1)?))
    })?;
    Ok(match now {
        None => Update::Missing,
        Some((version, copies)) if version == loaded.version => Update::TooFew(copies),
        Some(_) => Update::Stale,
    })
}

/// Deletes a book and its reviews, but not its loans (R-BOOK-6). Keeps the rows of book and reviews until the end of
/// the day, for [`restore`]. Returns `false` if there is no such book.
pub fn delete(tx: &mut Tx<'_>, id: BookId, now: i64) -> Result<bool> {
    let kept = tx.execute(
        sql!(
            "INSERT INTO deleted_books (id, deleted_at, title, author, genre, photo_url, description, status, no_of_books,
                                        location, rating, isbn, published_year, language, version, import_key, created_at,
                                        publisher, edition, call_number, price)
             SELECT id, $2, title, author, genre, photo_url, description, status, no_of_books, location, rating, isbn,
                    published_year, language, version, import_key, created_at, publisher, edition, call_number, price
             FROM books WHERE id = $1"
        ),
        &[&id, &now],
    )?;
    if kept == 0 {
        return Ok(false);
    }
    tx.execute(
        sql!(
            "INSERT INTO deleted_reviews (id, book_id, user_id, user_name, rating, comment, created_at)
             SELECT id, book_id, user_id, user_name, rating, comment, created_at FROM reviews WHERE book_id = $1"
        ),
        &[&id],
    )?;
    tx.execute_one(sql!("DELETE FROM books WHERE id = $1"), &[&id])?;
    tx.touch_book(id);
    Ok(true)
}

/// Restores a deleted book and its reviews; a review by a person merged since then goes to the kept record. Returns
/// `false` if the rows of the deleted book were purged, or an import added the same row again.
pub fn restore(tx: &mut Tx<'_>, id: BookId) -> Result<bool> {
    let restored = tx.execute(
        sql!(
            "INSERT INTO books (id, title, author, genre, photo_url, description, status, no_of_books, location, rating,
                                isbn, published_year, language, version, import_key, created_at, publisher, edition,
                                call_number, price)
             SELECT id, title, author, genre, photo_url, description, status, no_of_books, location, rating, isbn,
                    published_year, language, version, import_key, created_at, publisher, edition, call_number, price
             FROM deleted_books WHERE id = $1
             ON CONFLICT (import_key) DO NOTHING"
        ),
        &[&id],
    )?;
    if restored == 0 {
        return Ok(false);
    }
    tx.execute(
        sql!(
            "INSERT INTO reviews (id, book_id, user_id, user_name, rating, comment, created_at)
             SELECT review.id, review.book_id, COALESCE(kept.id, review.user_id), COALESCE(kept.name, review.user_name),
                    review.rating, review.comment, review.created_at
             FROM deleted_reviews AS review JOIN users AS writer ON writer.id = review.user_id
                  LEFT JOIN users AS kept ON kept.id = writer.merged_into
             WHERE review.book_id = $1"
        ),
        &[&id],
    )?;
    reviews::recount(tx, id)?;
    tx.execute_one(sql!("DELETE FROM deleted_books WHERE id = $1"), &[&id])?;
    tx.touch_book(id);
    Ok(true)
}

/// Recounts the copies on the shelf, and sets the status from the count.
pub fn count_copies(tx: &mut Tx<'_>, id: BookId) -> Result<()> {
    tx.execute_one(
        sql!(
            "UPDATE books SET no_of_books = (
                 SELECT COUNT(*) FROM copies WHERE book_id = books.id AND condition = 'on-shelf'
                    AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = copies.id AND ended_at IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM holds WHERE copy_id = copies.id AND state = 'ready'))
             WHERE id = $1"
        ),
        &[&id],
    )?;
    tx.execute_one(
        sql!(
            "UPDATE books SET status = CASE WHEN no_of_books > 0 THEN 'Available' ELSE 'Not Available' END WHERE id = $1"
        ),
        &[&id],
    )
}

/// Purges the books deleted before this instant.
pub fn purge_deleted(tx: &mut Tx<'_>, before: i64) -> Result<()> {
    imports::forget_records(tx, before)?;
    tx.execute(sql!("DELETE FROM deleted_books WHERE deleted_at < $1"), &[&before])?;
    Ok(())
}

/// Sets the status from the count when a student opens the book (R-DETAIL-3); `false` if there is no such book.
pub fn recalculate_status(tx: &mut Tx<'_>, id: BookId) -> Result<bool> {
    let touched = tx.execute(
        sql!(
            "UPDATE books SET status = CASE WHEN no_of_books > 0 THEN 'Available' ELSE 'Not Available' END WHERE id = $1"
        ),
        &[&id],
    )?;
    Ok(touched == 1)
}

/// Takes one copy from the shelf, if there is one, and returns the title; locks the book's row before counting
/// (R-LOAN-2).
pub fn take_copy(tx: &mut Tx<'_>, id: BookId) -> Result<Option<String>> {
    let title = tx.query_opt(
        select_for_update!("SELECT title FROM books WHERE id = $1 AND no_of_books > 0"),
        &[&id],
        |row| row.get(0),
    )?;
    if title.is_some() {
        count_out(tx, id)?;
    }
    Ok(title)
}

/// Subtracts one copy from the count; the caller has locked the title's row and found a copy on the shelf.
pub fn count_out(tx: &mut Tx<'_>, id: BookId) -> Result<()> {
    let left: i64 = tx.query_one(
        sql!(
            "UPDATE books SET no_of_books = no_of_books - 1,
                              status = CASE WHEN no_of_books > 1 THEN 'Available' ELSE 'Not Available' END
             WHERE id = $1 RETURNING no_of_books"
        ),
        &[&id],
        |row| row.get(0),
    )?;
    // The last copy has left the shelf, so the search index must be updated.
    if left == 0 {
        tx.touch_book(id);
    }
    Ok(())
}

/// Returns up to `limit` titles that have no description and were added before `before`, newest first.
pub fn not_described(tx: &mut Tx<'_>, before: BookId, limit: i64) -> Result<Vec<BookId>> {
    tx.query(
        sql!("SELECT id FROM books WHERE description = '' AND id < $1 ORDER BY id DESC LIMIT $2"),
        &[&before, &limit],
        |row| row.get(0),
    )
}

/// Counts the titles without a description.
pub fn count_not_described(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM books WHERE description = ''"), &[], |row| row.get(0))
}

/// Returns the price of a title, which applies to copies without their own price.
pub fn price(tx: &mut Tx<'_>, id: BookId) -> Result<Option<Money>> {
    let price = tx.query_opt(sql!("SELECT price FROM books WHERE id = $1"), &[&id], |row| row.get(0))?;
    Ok(price.flatten())
}

/// Returns the number of copies of a title on the shelf; 0 if there is no such title.
pub fn on_shelf(tx: &mut Tx<'_>, id: BookId) -> Result<i64> {
    let found =
        tx.query_opt(sql!("SELECT no_of_books FROM books WHERE id = $1"), &[&id], |row| row.get(0))?;
    Ok(found.unwrap_or(0))
}

/// Locks a title's row like [`lock`]; returns the title and its number of copies on the shelf.
pub fn lock_shelf(tx: &mut Tx<'_>, id: BookId) -> Result<Option<(String, i64)>> {
    let statement = if is_planted(Fault::NoTitleLock) {
        sql!("SELECT title, no_of_books FROM books WHERE id = $1")
    } else {
        select_for_update!("SELECT title, no_of_books FROM books WHERE id = $1")
    };
    tx.query_opt(statement, &[&id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Locks a book's row, and so all its copies, until the transaction ends; returns the title.
pub fn lock(tx: &mut Tx<'_>, id: BookId) -> Result<Option<String>> {
    tx.query_opt(select_for_update!("SELECT title FROM books WHERE id = $1"), &[&id], |row| row.get(0))
}

/// Counts copies back onto the shelf; `false` if the book was deleted meanwhile (a loan outlives its book, R-BOOK-6).
pub fn put_back_copies(tx: &mut Tx<'_>, id: BookId, count: i64) -> Result<bool> {
    if count == 0 {
        return exists(tx, id);
    }
    let there: Option<i64> = tx.query_opt(
        sql!(
            "UPDATE books SET no_of_books = no_of_books + $2, status = 'Available' WHERE id = $1 RETURNING no_of_books"
        ),
        &[&id, &count],
        |row| row.get(0),
    )?;
    // The first copies are on the shelf again, so the search index must be updated.
    if there == Some(count) {
        tx.touch_book(id);
    }
    Ok(there.is_some())
}

pub fn exists(tx: &mut Tx<'_>, id: BookId) -> Result<bool> {
    Ok(tx.query_opt(sql!("SELECT id FROM books WHERE id = $1"), &[&id], |row| row.get::<i64>(0))?.is_some())
}

/// Counts the books of the catalogue.
pub fn count(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM books"), &[], |row| row.get(0))
}

/// Returns for each of these books the number of copies that are not withdrawn, and of waiting readers.
pub fn counts(tx: &mut Tx<'_>, ids: &[BookId]) -> Result<Vec<(BookId, i64, i64)>> {
    macro_rules! counts {
        ($list:literal) => {
            sql!(
                "SELECT id, (SELECT COUNT(*) FROM copies WHERE book_id = books.id AND condition <> 'withdrawn'),
                        (SELECT COUNT(*) FROM holds WHERE book_id = books.id AND state IN ('waiting', 'ready')
                           AND state = 'waiting')
                 FROM books WHERE id IN (",
                $list,
                ")"
            )
        };
    }
    let statement = if tx.is_postgres() {
        counts!(
            "SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS asked (id)"
        )
    } else {
        counts!("SELECT value FROM json_each($1)")
    };
    tx.query(statement, &[&json!(ids).to_string()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}
