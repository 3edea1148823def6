//! Demo data to try the product with: well-known books with our own descriptions, readers, reviews and loans.

mod work;

use jiff::Span;
use serde::Deserialize;
use url::Url;

use work::HalfYear;

use crate::{
    circulation::{self, stock},
    clock::Clock,
    domain::{account::Role, book::BookForm, moment::Moment, review::ReviewForm},
    password,
    policies::Policies,
    storage::{
        Db, Error, Tx,
        accounts::{self, NewAccount},
        books,
        overview::{self, Mark},
        reviews,
    },
};

pub const LIBRARIAN: &str = "librarian@demo.library";
pub const STUDENT: &str = "student@demo.library";
/// Password of both accounts. It is public, so the demo listens on loopback addresses only.
pub const PASSWORD: &str = "demo-library";

static CATALOGUE: &str = include_str!("catalogue.json");

#[derive(Deserialize)]
struct Catalogue {
    readers: Vec<Reader>,
    books: Vec<DemoBook>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reader {
    name: String,
    roll_number: String,
    department: String,
    batch: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DemoBook {
    title: String,
    author: String,
    genre: String,
    description: String,
    published_year: Option<i64>,
    language: String,
    isbn: Option<String>,
    no_of_books: i64,
    location: String,
    rating: i64,
    reviews: Vec<DemoReview>,
}

#[derive(Deserialize)]
struct DemoReview {
    by: usize,
    rating: i64,
    comment: String,
}

/// Loans of the demo student: index of the book, and days since the check-out. The last one is four days overdue, to show
/// a fine.
const STUDENTS_LOANS: [(usize, i64); 3] = [(0, 2), (17, 5), (7, 11)];

/// Day on which the demo library opened, in days before today: before the oldest review.
const OPENED_DAYS_AGO: i64 = 210;

/// Returns the moment this many days earlier.
fn days_before(moment: Moment, days: i64) -> Moment {
    Moment {
        at: moment.at - days * 24 * 60 * 60 * 1000,
        today: moment.today.saturating_sub(Span::new().days(days)),
    }
}

/// Fills an empty database. Leaves a database with accounts or books unchanged.
pub async fn fill(db: &Db, clock: &Clock, public_url: &Url) -> anyhow::Result<()> {
    let demo: Catalogue = serde_json::from_str(CATALOGUE)?;
    let hash = password::hash_now(PASSWORD)?;
    let covers = public_url.join("library/covers/")?;
    let moment = clock.moment();
    let filled = db
        .write(move |tx| -> Result<bool, Error> {
            if accounts::count(tx)? > 0 || books::count(tx)? > 0 {
                return Ok(false);
            }
            fill_now(tx, &demo, &hash, &covers, moment)?;
            Ok(true)
        })
        .await?;
    if filled {
        tracing::info!("the demo catalogue is in the database");
    } else {
        tracing::info!("the database is not empty: the demo catalogue was left out");
    }
    Ok(())
}

/// Returns the demo accounts that can sign in with the public password. On a server reachable by others, anyone
/// could use them (P12).
pub fn open_accounts(tx: &mut Tx<'_>) -> Result<Vec<&'static str>, Error> {
    let mut open = Vec::new();
    for email in [LIBRARIAN, STUDENT] {
        if let Some((account, Some(hash))) = accounts::credentials(tx, email)?
            && account.active
            && password::fits(PASSWORD, &hash)
        {
            open.push(email);
        }
    }
    Ok(open)
}

fn fill_now(
    tx: &mut Tx<'_>,
    demo: &Catalogue,
    hash: &str,
    covers: &Url,
    moment: Moment,
) -> Result<(), Error> {
    // The demo is set up already, so the list of first steps is hidden.
    overview::set(tx, Mark::Hidden, moment.at)?;
    let opened = days_before(moment, OPENED_DAYS_AGO);
    let rulebook = Policies::default().current(tx)?;
    let account = |tx: &mut Tx<'_>, email: &str, name: &str, role, reader: Option<&Reader>, hash: &str| {
        let new = NewAccount {
            email: email.into(),
            name: name.into(),
            role,
            roll_number: reader.map(|reader| reader.roll_number.clone()),
            department: reader.map(|reader| reader.department.clone()),
            batch: reader.map(|reader| reader.batch.clone()),
            password_hash: hash.into(),
        };
        accounts::add(tx, &new, opened.at)?.map_err(|_| Error::NoRow)
    };
    let librarian = account(tx, LIBRARIAN, "Meera Iyer", Role::Admin, None, hash)?.uid;
    let student = Reader {
        name: "Arjun Nair".into(),
        roll_number: "cs27-001".into(),
        department: "Computer Science".into(),
        batch: "2027".into(),
    };
    let student = account(tx, STUDENT, &student.name, Role::Student, Some(&student), hash)?;
    let mut readers = Vec::new();
    for reader in &demo.readers {
        let email = format!("{}@demo.library", reader.roll_number);
        // No password matches this hash, so demo readers cannot sign in.
        readers.push(account(tx, &email, &reader.name, Role::Student, Some(reader), "!")?);
    }
    let mut ids = Vec::new();
    for (place, book) in demo.books.iter().enumerate() {
        let form = BookForm {
            title: book.title.clone(),
            author: book.author.clone(),
            genre: book.genre.clone(),
            photo_url: String::new(),
            description: book.description.clone(),
            no_of_books: book.no_of_books,
            location: book.location.clone(),
            status: None,
            rating: Some(book.rating),
            isbn: Some(book.isbn.clone()),
            published_year: Some(book.published_year),
            language: Some(Some(book.language.clone())),
            ..BookForm::default()
        };
        let key = format!("demo-{place}");
        let added = stock::add_title(tx, opened, &rulebook, &form, Some(&key), &[]);
        let (id, _) = added.map_err(circulation::Error::into_storage)?.ok_or(Error::NoRow)?;
        if let Ok(cover) = covers.join(&format!("{id}.svg")) {
            books::set_photo_url(tx, id, cover.as_str())?;
        }
        let mut dated: Vec<(i64, &DemoReview)> = (0_i64..)
            .zip(&book.reviews)
            .map(|(number, review)| (3 + (i64::try_from(place).unwrap_or(0) * 7 + number * 13) % 200, review))
            .collect();
        // Oldest first, as if the reviews had been written one after the other.
        dated.sort_by_key(|(days, _)| -days);
        for (days, review) in dated {
            let Some(reader) = readers.get(review.by) else { continue };
            let form = ReviewForm { rating: review.rating, comment: review.comment.clone() };
            reviews::add(tx, id, reader, &form, days_before(moment, days).at)?;
        }
        ids.push(id);
    }
    let of_student = STUDENTS_LOANS.map(|(book, days_ago)| (student.uid, book, days_ago));
    let of_readers = (0_i64..)
        .zip(&readers)
        .enumerate()
        .map(|(number, (days, reader))| (reader.uid, number * 11 + 5, days % 10));
    let scripted = of_student.into_iter().chain(of_readers);
    let scripted: Vec<_> =
        scripted.map(|(reader, book, days)| (reader, ids[book % ids.len()], days)).collect();
    HalfYear::new(tx, &rulebook, librarian, &ids, moment, opened)?.play(&scripted)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::domain::book::Status;

    #[test]
    fn every_demo_book_would_pass_the_form() -> Result<(), serde_json::Error> {
        let demo: Catalogue = serde_json::from_str(CATALOGUE)?;
        let mut seen = HashSet::new();
        for book in &demo.books {
            let form = BookForm {
                title: book.title.clone(),
                author: book.author.clone(),
                genre: book.genre.clone(),
                photo_url: "http://localhost:8080/library/covers/1.svg".into(),
                description: book.description.clone(),
                no_of_books: book.no_of_books.max(1),
                location: book.location.clone(),
                status: Some(Status::Available),
                rating: Some(book.rating),
                ..BookForm::default()
            };
            assert!(form.checked_for_add().is_ok(), "{}", book.title);
            assert!(seen.insert((&book.title, &book.author)), "{} is listed twice", book.title);
            assert!(book.reviews.iter().all(|review| review.by < demo.readers.len()), "{}", book.title);
        }
        let count = |of: fn(&DemoBook) -> &str| demo.books.iter().map(of).collect::<HashSet<_>>().len();
        assert!(demo.books.len() >= 120);
        assert!(count(|book| &book.genre) >= 20);
        assert!(count(|book| &book.language) >= 6);
        Ok(())
    }
}
