//! Import of books from a CSV file. A repeated import adds nothing twice.

use std::{
    collections::{HashMap, HashSet, hash_map},
    path::Path,
    str::FromStr,
};

use anyhow::{Context as _, Result, anyhow};
use indicatif::ProgressBar;
use sha2::{Digest as _, Sha256};

use super::{
    Pace,
    rejects::{Rejected, Rejects},
    table::{Row, Source, Table},
};
use crate::{
    circulation::{
        self,
        stock::{self, Barcodes},
    },
    clock::Clock,
    domain::{
        book::{
            AUTHOR, BookForm, CALL_NUMBER, DEAREST, DESCRIPTION, EDITION, GENRE, LOCATION, NO_OF_BOOKS,
            PHOTO_URL, PRICE, PUBLISHER, RATING, Status, TITLE,
        },
        change::CatalogueChange,
        copy::{self, folded_barcode},
        id::BookId,
        isbn::isbn_13,
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    money::Money,
    policies::Policies,
    storage::{
        self, Db, Tx, books,
        copies::{self, Holder},
        events::{self, Entry},
    },
};

/// Columns of the file; only the title is required.
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
    "barcode",
    "publisher",
    "edition",
    "callNumber",
    "price",
];

/// Separator of barcodes in a cell.
const BARCODE_SEPARATOR: char = '|';

/// Rows in a transaction: many for speed, few enough that a borrower does not wait.
const BATCH: usize = 500;
/// Bytes of rows, and copies, that end a transaction before it has that many rows.
const BATCH_LENGTH: usize = 1024 * 1024;
const BATCH_COPIES: i64 = 2000;

/// Maximum number of a row's barcodes whose errors are listed.
const TOLD: usize = 20;

/// Numbers of rows of a file by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub rows: u64,
    /// New titles.
    pub added: u64,
    /// Rows that added copies to a known title.
    pub copies: u64,
    /// Rows already in the catalogue.
    pub known: u64,
    pub rejected: u64,
}

/// Row ready to be stored.
struct ImportedBook {
    form: BookForm,
    import_key: String,
    key: Key,
    /// Barcodes of its copies; empty if they get accession numbers.
    barcodes: Vec<String>,
    /// Entry for the list of rejected rows, used if one of its barcodes is taken.
    row: Option<Rejected>,
}

/// Identity of a row: the first 128 bits of the SHA-256 of title, author, ISBN, year and language.
type Key = [u8; 16];

/// First line of each title and each barcode in a file.
#[derive(Default)]
struct Seen {
    titles: HashMap<Key, u64>,
    barcodes: HashMap<String, u64>,
}

impl Seen {
    /// Records a row; returns the line that it repeats, if any. A title may be repeated with other barcodes (R-COPY-7).
    fn note(&mut self, book: &ImportedBook, line: u64) -> Result<(), u64> {
        if book.barcodes.is_empty() {
            return match self.titles.entry(book.key) {
                hash_map::Entry::Occupied(first) => Err(*first.get()),
                hash_map::Entry::Vacant(entry) => {
                    entry.insert(line);
                    Ok(())
                }
            };
        }
        let folded: Vec<String> = book.barcodes.iter().map(|barcode| folded_barcode(barcode)).collect();
        if let Some(first) = folded.iter().find_map(|barcode| self.barcodes.get(barcode)) {
            return Err(*first);
        }
        self.titles.entry(book.key).or_insert(line);
        self.barcodes.extend(folded.into_iter().map(|barcode| (barcode, line)));
        Ok(())
    }
}

/// Adds the books of `file` to the catalogue and lists rejected rows in `rejected`. A malformed file adds nothing.
pub fn import(db: &Db, file: &Path, rejected: &Path, bar: &ProgressBar) -> Result<Totals> {
    let source = Source::Path(file.to_owned());
    let mut table = Table::open(&source, u64::MAX, COLUMNS, "title", bar)?;
    let mut rejects = Rejects::create(rejected, &table)?;
    let mut totals = Totals::default();
    let mut seen = Seen::default();
    let (mut batch, mut refused) = (Vec::with_capacity(BATCH), Vec::new());
    let (mut length, mut copies, mut pace) = (0, 0, Pace::new());
    while let Some(row) = table.next_row()? {
        totals.rows += 1;
        length += row.length();
        match book(&row) {
            Ok(book) => match seen.note(&book, row.line) {
                Ok(()) => {
                    copies += book.form.no_of_books;
                    batch.push(book);
                }
                Err(first) => refused.push(Rejected::new(&row, format!("same as line {first}"))),
            },
            Err(reason) => refused.push(Rejected::new(&row, reason.to_string())),
        }
        if batch.len() + refused.len() >= BATCH || length >= BATCH_LENGTH || copies >= BATCH_COPIES {
            (length, copies) = (0, 0);
            let line = row.line;
            refused.extend(
                store(db, std::mem::take(&mut batch), &mut totals).with_context(|| stopped(file, line))?,
            );
            rejects.add(std::mem::take(&mut refused))?;
            pace.keep();
            bar.set_message(format!("{} rows", totals.rows));
        }
    }
    refused.extend(store(db, batch, &mut totals).with_context(|| stopped(file, totals.rows))?);
    rejects.add(refused)?;
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
        ..BookForm::default()
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
    let copies = row.parse("noOfBooks", out_of(copies.0, copies.1), &mut invalid, within(copies.0, copies.1));
    let barcodes = barcodes(row, copies, &mut invalid);
    form.no_of_books = match (copies, barcodes.len()) {
        (copies, 0) => copies.unwrap_or(1),
        (_, barcodes) => NO_OF_BOOKS.check(i64::try_from(barcodes).unwrap_or(i64::MAX), &mut invalid),
    };
    let stars = (RATING.min, RATING.max);
    let stars = row.parse("rating", out_of(stars.0, stars.1), &mut invalid, within(stars.0, stars.1));
    #[expect(clippy::cast_possible_truncation, reason = "0 to 5")]
    let rounded = average.filter(|stars| *stars > 0.0).map(|stars| (stars.round() as i64).max(RATING.min));
    form.rating = stars.or(rounded);
    form.status = row.parse("status", message::import_not_status, &mut invalid, Status::parse);
    let key = key(&form, isbn.as_deref(), published_year, language.as_deref());
    let import_key = format!("{:032x}", u128::from_be_bytes(key));
    form.isbn = Some(isbn);
    form.published_year = Some(published_year);
    form.language = Some(language);
    form.publisher = Some(Some(row.text(PUBLISHER.field, PUBLISHER, &mut invalid)));
    form.edition = Some(Some(row.text(EDITION.field, EDITION, &mut invalid)));
    form.call_number = Some(Some(row.text(CALL_NUMBER.field, CALL_NUMBER, &mut invalid)));
    let not_price = |cell: &str| message::import_out_of_range(cell, 0, DEAREST.0 / 100);
    form.price = Some(row.parse(PRICE, not_price, &mut invalid, |cell| {
        let price = Money::from_number(cell.parse().ok()?)?;
        (Money::ZERO..=DEAREST).contains(&price).then_some(price)
    }));
    let row = (!barcodes.is_empty()).then(|| Rejected::new(row, String::new()));
    invalid.or(ImportedBook { form, import_key, key, barcodes, row }).map_err(|invalid| {
        let errors: Vec<_> =
            invalid.0.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
        anyhow!(errors.join("; "))
    })
}

/// Returns the barcodes of a row, one per copy; a number of copies beside them must equal their number.
fn barcodes(row: &Row<'_>, copies: Option<i64>, invalid: &mut Invalid) -> Vec<String> {
    let cell = row.cell(copy::BARCODE.field);
    let raw: Vec<&str> =
        cell.split(BARCODE_SEPARATOR).map(str::trim).filter(|barcode| !barcode.is_empty()).collect();
    let (mut barcodes, mut seen) = (Vec::with_capacity(raw.len()), HashSet::new());
    for raw in &raw {
        // A cell can hold hundreds of thousands; only the first errors are listed.
        if invalid.0.len() >= TOLD {
            break;
        }
        let shown: String = raw.chars().take(40).collect();
        let barcode = copy::barcode(raw, &format!("{} \"{shown}\"", copy::BARCODE.field), invalid);
        if !seen.insert(folded_barcode(&barcode)) {
            invalid.push(copy::BARCODE.field, message::barcode_twice(&barcode));
        }
        barcodes.push(barcode);
    }
    if let Some(copies) = copies.filter(|copies| !raw.is_empty() && i64::try_from(raw.len()) != Ok(*copies)) {
        invalid.push(NO_OF_BOOKS.field, message::too_many_barcodes(raw.len(), copies));
    }
    barcodes
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

/// Outcome of a row.
enum Stored {
    /// Added; this number of its copies still needs accession numbers.
    Title(BookId, i64),
    Copies,
    Known,
    /// Rejected: these barcodes belong to other copies or are roll numbers.
    Taken(Vec<String>),
}

/// Stores rows in one transaction; returns those rejected because a barcode is taken.
fn store(db: &Db, batch: Vec<ImportedBook>, totals: &mut Totals) -> storage::Result<Vec<Rejected>> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    let so_far = *totals;
    let (refused, after) = db.write_blocking(move |tx| -> storage::Result<_> {
        let (mut refused, mut totals) = (Vec::new(), so_far);
        let rulebook = Policies::default().current(tx)?;
        lock_titles(tx, &batch)?;
        let mut titles = Vec::with_capacity(batch.len());
        for mut book in batch {
            match store_row(tx, moment, &rulebook, &book)? {
                Stored::Title(id, unnumbered) => {
                    totals.added += 1;
                    titles.push((id, unnumbered));
                }
                Stored::Copies => totals.copies += 1,
                Stored::Known => totals.known += 1,
                Stored::Taken(barcodes) => {
                    let reasons: Vec<String> =
                        barcodes.iter().map(|barcode| message::barcode_taken(barcode).text()).collect();
                    let reason = format!("{}: {}", copy::BARCODE.field, reasons.join("; "));
                    refused.extend(book.row.take().map(|row| row.for_reason(reason)));
                }
            }
        }
        stock::number_copies(tx, moment, &rulebook, &titles).map_err(circulation::Error::into_storage)?;
        if let (Some((first, _)), Some((last, _))) = (titles.first(), titles.last()) {
            let count = i64::try_from(titles.len()).unwrap_or(i64::MAX);
            let change = CatalogueChange::BooksImported { first: *first, last: *last, count };
            let entry = Entry { person: None, book: None, copy: None, change: change.into() };
            events::record(tx, moment.at, None, &entry)?;
        }
        Ok((refused, totals))
    })?;
    *totals = after;
    Ok(refused)
}

/// Locks the titles that get more copies, in one order and before all else: librarians too lock the title first and then wait
/// for an accession number.
fn lock_titles(tx: &mut Tx<'_>, batch: &[ImportedBook]) -> storage::Result<()> {
    let mut titles = Vec::new();
    for book in batch.iter().filter(|book| !book.barcodes.is_empty()) {
        titles.extend(books::imported(tx, &book.import_key)?);
    }
    titles.sort_unstable();
    titles.dedup();
    for title in titles {
        books::lock(tx, title)?;
    }
    Ok(())
}

fn store_row(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    book: &ImportedBook,
) -> storage::Result<Stored> {
    let title = if book.barcodes.is_empty() { None } else { books::imported(tx, &book.import_key)? };
    let (mut new, mut taken) = (Vec::new(), Vec::new());
    for barcode in &book.barcodes {
        match copies::holder(tx, barcode)? {
            None => new.push(barcode.clone()),
            Some(Holder::Copy(of)) if Some(of) == title => {}
            Some(_) => taken.push(barcode.clone()),
        }
    }
    if !taken.is_empty() {
        return Ok(Stored::Taken(taken));
    }
    let Some(title) = title else {
        if new.is_empty() {
            let added = books::add(tx, &book.form, Some(&book.import_key), moment.at)?;
            return Ok(added.map_or(Stored::Known, |id| Stored::Title(id, book.form.no_of_books)));
        }
        let added = stock::add_title(tx, moment, rulebook, &book.form, Some(&book.import_key), &new)
            .map_err(circulation::Error::into_storage)?;
        return Ok(added.map_or(Stored::Known, |(id, _)| Stored::Title(id, 0)));
    };
    if new.is_empty() {
        return Ok(Stored::Known);
    }
    let added = stock::put_copies(tx, moment, rulebook, title, &Barcodes::Given(new))
        .map_err(circulation::Error::into_storage)?;
    events::record(tx, moment.at, None, &Entry::book(title, stock::added_change(&added)))?;
    Ok(Stored::Copies)
}
