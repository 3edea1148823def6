//! Books from a CSV file: what its columns mean, and adding them to the catalogue. Run twice, it adds nothing twice.

use std::{
    collections::{HashMap, hash_map},
    path::Path,
    str::FromStr,
};

use anyhow::{Context as _, Result, anyhow};
use indicatif::ProgressBar;
use sha2::{Digest as _, Sha256};

use super::{
    rejects::Rejects,
    table::{Row, Table},
};
use crate::{
    circulation::{self, stock},
    clock::Clock,
    domain::{
        book::{
            AUTHOR, BookForm, DESCRIPTION, GENRE, LOCATION, NO_OF_BOOKS, PHOTO_URL, RATING, Status, TITLE,
        },
        change::Change,
        isbn::isbn_13,
        rule::Invalid,
    },
    message,
    policies::Policies,
    storage::{
        self, Db,
        books::Imported,
        events::{self, Entry},
    },
};

/// The columns a file may have; only the title must be there.
const COLUMNS: &[&str] = &[
    "title",
    "author",
    "genre",
    "photoURL",
    "description",
    "isbn",
    "publishedYear",
    "language",
    "averageRating",
    "ratingsCount",
    "location",
    "noOfBooks",
    "rating",
    "status",
];

/// Rows in one transaction: long enough to be quick, short enough not to keep a borrower waiting.
const BATCH: usize = 500;

/// What became of a file's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub rows: u64,
    pub added: u64,
    /// In the catalogue from an earlier import.
    pub known: u64,
    pub rejected: u64,
}

/// A row as it is stored.
struct ImportedBook {
    form: BookForm,
    facts: Imported,
    key: Key,
}

/// Rows are the same when title, author, isbn, year and language are: the first 128 bits of their SHA-256.
type Key = [u8; 16];

/// Adds the books of `file` to the catalogue and lists the rows it cannot take in `rejected`. A file that is not sound
/// adds nothing.
pub fn import(db: &Db, file: &Path, rejected: &Path, bar: &ProgressBar) -> Result<Totals> {
    let mut table = Table::open(file, COLUMNS, "title", bar)?;
    let mut rejects = Rejects::create(rejected, &table)?;
    let mut totals = Totals::default();
    let mut first_lines: HashMap<Key, u64> = HashMap::new();
    let mut batch = Vec::with_capacity(BATCH);
    while let Some(row) = table.next_row()? {
        totals.rows += 1;
        match book(&row) {
            Ok(book) => match first_lines.entry(book.key) {
                hash_map::Entry::Occupied(first) => {
                    rejects.add(&row, &format!("same as line {}", first.get()))?;
                }
                hash_map::Entry::Vacant(entry) => {
                    entry.insert(row.line);
                    batch.push(book);
                }
            },
            Err(reason) => rejects.add(&row, &reason.to_string())?,
        }
        if batch.len() == BATCH {
            let line = row.line;
            store(db, std::mem::take(&mut batch), &mut totals).with_context(|| stopped(file, line))?;
            bar.set_message(format!("{} rows", totals.rows));
        }
    }
    store(db, batch, &mut totals).with_context(|| stopped(file, totals.rows))?;
    totals.rejected = rejects.finish()?;
    bar.finish_and_clear();
    Ok(totals)
}

fn stopped(file: &Path, line: u64) -> String {
    format!(
        "{}: stopped near line {line}, with what was before it stored; run the import again to go on",
        file.display()
    )
}

fn book(row: &Row<'_>) -> Result<ImportedBook> {
    row.check_length()?;
    let mut invalid = Invalid::default();
    let mut form = BookForm {
        title: row.text("title", TITLE, &mut invalid),
        author: row.text("author", AUTHOR, &mut invalid),
        genre: row.text("genre", GENRE, &mut invalid),
        photo_url: row.text("photoURL", PHOTO_URL, &mut invalid),
        description: row.text("description", DESCRIPTION, &mut invalid),
        location: row.text("location", LOCATION, &mut invalid),
        no_of_books: 1,
        status: None,
        rating: None,
    };
    if form.title.is_empty() {
        TITLE.check("", &mut invalid);
    }
    let isbn = row.parse("isbn", message::import_not_isbn, &mut invalid, isbn_13);
    let published_year =
        row.parse("publishedYear", message::import_not_year, &mut invalid, within(-5000_i64, 2200));
    let language = row.parse("language", message::import_not_language, &mut invalid, |code| {
        Some(code.to_lowercase()).filter(|code| code.chars().count() <= 35)
    });
    let not_average = |cell: &str| message::import_not_number(cell, 0, 5);
    let average = row.parse("averageRating", not_average, &mut invalid, within(0.0_f64, 5.0));
    row.parse("ratingsCount", message::import_not_whole_number, &mut invalid, |text| {
        text.parse::<u64>().ok()
    });
    let out_of = |min, max| move |cell: &str| message::import_out_of_range(cell, min, max);
    let copies = (0, NO_OF_BOOKS.max);
    form.no_of_books = row
        .parse("noOfBooks", out_of(copies.0, copies.1), &mut invalid, within(copies.0, copies.1))
        .unwrap_or(1);
    let stars = (RATING.min, RATING.max);
    let stars = row.parse("rating", out_of(stars.0, stars.1), &mut invalid, within(stars.0, stars.1));
    #[expect(clippy::cast_possible_truncation, reason = "0 to 5")]
    let rounded = average.filter(|stars| *stars > 0.0).map(|stars| (stars.round() as i64).max(RATING.min));
    form.rating = stars.or(rounded);
    form.status = row.parse("status", message::import_not_status, &mut invalid, Status::parse);
    let key = key(&form, isbn.as_deref(), published_year, language.as_deref());
    let facts =
        Imported { key: format!("{:032x}", u128::from_be_bytes(key)), isbn, published_year, language };
    invalid.or(ImportedBook { form, facts, key }).map_err(|invalid| {
        let errors: Vec<_> =
            invalid.0.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
        anyhow!(errors.join("; "))
    })
}

fn within<T: FromStr + PartialOrd>(low: T, high: T) -> impl Fn(&str) -> Option<T> {
    move |text| text.parse().ok().filter(|number| (&low..=&high).contains(&number))
}

fn key(form: &BookForm, isbn: Option<&str>, year: Option<i64>, language: Option<&str>) -> Key {
    let mut hash = Sha256::new();
    let year = year.map(|year| year.to_string()).unwrap_or_default();
    for part in [&form.title, &form.author, isbn.unwrap_or_default(), &year, language.unwrap_or_default()] {
        hash.update(part.as_bytes());
        hash.update([0x1f]);
    }
    let digest = hash.finalize();
    std::array::from_fn(|index| digest[index])
}

fn store(db: &Db, batch: Vec<ImportedBook>, totals: &mut Totals) -> storage::Result<()> {
    if batch.is_empty() {
        return Ok(());
    }
    let rows = batch.len() as u64;
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    let added = db.write_blocking(move |tx| -> storage::Result<u64> {
        let rulebook = Policies::default().current(tx)?;
        let mut ids = Vec::with_capacity(batch.len());
        for book in &batch {
            let added = stock::add_title(tx, moment, &rulebook, &book.form, Some(&book.facts), &[]);
            if let Some((id, _)) = added.map_err(circulation::Error::into_storage)? {
                ids.push(id);
            }
        }
        if let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) {
            let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
            let change = Change::BooksImported { first: *first, last: *last, count };
            let entry = Entry { person: None, book: None, copy: None, change };
            events::record(tx, moment.at, None, &entry)?;
        }
        Ok(ids.len() as u64)
    })?;
    totals.added += added;
    totals.known += rows - added;
    Ok(())
}
