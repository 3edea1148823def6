//! Restores a deleted title from a backup that still has it.

use super::{Result, Row, Tx, books, copies};
use crate::{
    domain::{book::Imprint, id::BookId},
    sql,
};

/// Deleted book as read from a backup.
#[derive(Clone, Debug)]
pub struct DeletedBook {
    id: BookId,
    pub title: String,
    author: String,
    genre: String,
    photo_url: String,
    description: String,
    location: String,
    rating: Option<i64>,
    imprint: Imprint,
    version: i64,
    import_key: Option<String>,
    created_at: i64,
    reviews: Vec<Review>,
    copies: Vec<Copy>,
}

#[derive(Clone, Debug)]
struct Review {
    id: i64,
    user: i64,
    user_name: String,
    rating: i64,
    comment: String,
    created_at: i64,
}

#[derive(Clone, Debug)]
struct Copy {
    id: i64,
    barcode: String,
    key: String,
    condition: String,
}

fn deleted_book(row: &Row<'_>) -> Result<DeletedBook> {
    Ok(DeletedBook {
        id: row.get(0)?,
        title: row.get(1)?,
        author: row.get(2)?,
        genre: row.get(3)?,
        photo_url: row.get(4)?,
        description: row.get(5)?,
        location: row.get(6)?,
        rating: row.get(7)?,
        imprint: Imprint {
            isbn: row.get(8)?,
            published_year: row.get(9)?,
            language: row.get(10)?,
            publisher: row.get(14)?,
            edition: row.get(15)?,
            call_number: row.get(16)?,
            price: row.get(17)?,
        },
        version: row.get(11)?,
        import_key: row.get(12)?,
        created_at: row.get(13)?,
        reviews: Vec::new(),
        copies: Vec::new(),
    })
}

/// Reads a title with its reviews and its copies; `None` if there is none.
pub fn read(tx: &mut Tx<'_>, id: BookId) -> Result<Option<DeletedBook>> {
    let found = tx.query_opt(
        sql!(
            "SELECT id, title, author, genre, photo_url, description, location, rating, isbn, published_year, language,
                    version, import_key, created_at, publisher, edition, call_number, price FROM books WHERE id = $1"
        ),
        &[&id],
        deleted_book,
    )?;
    let Some(mut book) = found else { return Ok(None) };
    book.reviews = tx.query(
        sql!(
            "SELECT id, user_id, user_name, rating, comment, created_at FROM reviews WHERE book_id = $1 ORDER BY id"
        ),
        &[&id],
        |row| {
            Ok(Review {
                id: row.get(0)?,
                user: row.get(1)?,
                user_name: row.get(2)?,
                rating: row.get(3)?,
                comment: row.get(4)?,
                created_at: row.get(5)?,
            })
        },
    )?;
    book.copies = tx.query(
        sql!(
            "SELECT id, barcode, barcode_key, condition FROM copies
             WHERE book_id = $1 AND barcode_key IS NOT NULL ORDER BY id"
        ),
        &[&id],
        |row| Ok(Copy { id: row.get(0)?, barcode: row.get(1)?, key: row.get(2)?, condition: row.get(3)? }),
    )?;
    Ok(Some(book))
}

/// Reason why a title cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The title is in the catalogue.
    IsThere,
    /// The title was deleted today, so an undo can restore it.
    Undoable,
    /// The title was never deleted in this library.
    NeverDeleted,
    /// These barcodes now belong to other copies or to readers.
    Taken(Vec<String>),
    /// An import has added the same row again.
    ImportedAgain,
}

/// Restores a title that was deleted before the library's day began (`day_begins`, epoch milliseconds). Reviews of
/// people who were erased stay without their names. Copies on loan stay on loan; the other copies get the state that
/// they have in the backup.
///
/// # Errors
/// Those of the database. On a [`Hindrance`], the caller must roll back.
pub fn put(tx: &mut Tx<'_>, book: &DeletedBook, now: i64, day_begins: i64) -> Result<Result<(), Hindrance>> {
    if let Some(hindrance) = hindrance(tx, book, day_begins)? {
        return Ok(Err(hindrance));
    }
    // The server purges deleted books once a day, and may not have purged this one yet.
    books::purge_deleted(tx, day_begins)?;
    // Stored like a new deletion, because `books::restore` restores from these rows.
    tx.execute_one(
        sql!(
            "INSERT INTO deleted_books (id, deleted_at, title, author, genre, photo_url, description, status, no_of_books,
                                        location, rating, isbn, published_year, language, version, import_key, created_at,
                                        publisher, edition, call_number, price)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'Not Available', 0, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                     $19)"
        ),
        &[
            &book.id,
            &now,
            &book.title,
            &book.author,
            &book.genre,
            &book.photo_url,
            &book.description,
            &book.location,
            &book.rating,
            &book.imprint.isbn,
            &book.imprint.published_year,
            &book.imprint.language,
            &(book.version + 1),
            &book.import_key,
            &book.created_at,
            &book.imprint.publisher,
            &book.imprint.edition,
            &book.imprint.call_number,
            &book.imprint.price,
        ],
    )?;
    for review in &book.reviews {
        tx.execute(
            sql!(
                "INSERT INTO deleted_reviews (id, book_id, user_id, user_name, rating, comment, created_at)
                 SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), id,
                        CASE WHEN gone_at IS NOT NULL AND merged_into IS NULL THEN '' ELSE CAST($4 AS TEXT) END,
                        CAST($5 AS BIGINT), CAST($6 AS TEXT), CAST($7 AS BIGINT) FROM users WHERE id = $3"
            ),
            &[
                &review.id,
                &book.id,
                &review.user,
                &review.user_name,
                &review.rating,
                &review.comment,
                &review.created_at,
            ],
        )?;
    }
    for copy in &book.copies {
        tx.execute(
            sql!(
                "INSERT INTO deleted_copies (id, book_id, barcode, barcode_key, condition, left_as, loan_id)
                 SELECT c.id, c.book_id, c.barcode, CAST($3 AS TEXT),
                        CASE c.condition WHEN 'withdrawn' THEN CAST($4 AS TEXT) ELSE c.condition END, c.condition, l.id
                 FROM copies AS c LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
                 WHERE c.id = $1 AND c.book_id = $2 AND c.barcode_key IS NULL"
            ),
            &[&copy.id, &book.id, &copy.key, &copy.condition],
        )?;
    }
    if !copies::restore_copies_of_title(tx, book.id)? || !books::restore(tx, book.id)? {
        return Ok(Err(Hindrance::ImportedAgain));
    }
    books::count_copies(tx, book.id)?;
    Ok(Ok(()))
}

fn hindrance(tx: &mut Tx<'_>, book: &DeletedBook, day_begins: i64) -> Result<Option<Hindrance>> {
    if books::lock(tx, book.id)?.is_some() {
        return Ok(Some(Hindrance::IsThere));
    }
    let told: (bool, bool, bool) = tx.query_one(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM deleted_books WHERE id = $1 AND deleted_at >= $3),
                    EXISTS (SELECT 1 FROM events WHERE book_id = $1 AND action = 'book-deleted'),
                    EXISTS (SELECT 1 FROM books WHERE import_key = $2)"
        ),
        &[&book.id, &book.import_key, &day_begins],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let mut taken = Vec::new();
    for copy in &book.copies {
        let is_taken: bool = tx.query_one(
            sql!(
                "SELECT EXISTS (SELECT 1 FROM copies WHERE barcode_key = $1 UNION ALL
                                SELECT 1 FROM users WHERE roll_number = $1)"
            ),
            &[&copy.key],
            |row| row.get(0),
        )?;
        if is_taken {
            taken.push(copy.barcode.clone());
        }
    }
    Ok(match told {
        (true, ..) => Some(Hindrance::Undoable),
        (_, false, _) => Some(Hindrance::NeverDeleted),
        (.., true) => Some(Hindrance::ImportedAgain),
        _ if !taken.is_empty() => Some(Hindrance::Taken(taken)),
        _ => None,
    })
}
