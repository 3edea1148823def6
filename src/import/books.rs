//! Import of books from a file. A repeated import adds nothing twice.
//!
//! Rows are stored in portions, each in one transaction together with the import's progress and the list of what it added, so
//! that an import which stops anywhere can be repeated, and undone as a whole.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet, hash_map},
    path::Path,
    str::FromStr,
};

use anyhow::{Context as _, Result};
use indicatif::ProgressBar;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{
    Pace, RejectedLine,
    amount::price,
    columns::BOOKS,
    file,
    marc::{self, Record},
    reason,
    rejects::{Excerpt, Rejected, Rejects},
    table::{Columns, PROBLEM, RECORD, Row, Source, Table},
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
        id::{BookId, CopyId, ImportId, UserId},
        isbn::isbn_13,
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message::{self, Message},
    policies::Policies,
    storage::{
        self, Db, Tx, books,
        copies::{self, Holder},
        events::{self, Entry},
        imports::{self, Counts, Kind, State},
    },
};

/// Columns of the file; only the title is required.
pub const COLUMNS: &[&str] = &[
    "title",
    "subtitle",
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

/// Fields whose wrong cells can be left out; a book is found and lent without them.
const LEFT_OUT: [&str; 7] =
    ["isbn", "publishedYear", "language", "averageRating", "ratingsCount", "rating", PRICE];

/// True if only cells that can be left out are wrong.
fn is_faulty(invalid: &Invalid) -> bool {
    !invalid.0.is_empty() && invalid.0.iter().all(|error| LEFT_OUT.contains(&error.field.as_ref()))
}

/// Maximum bytes of an upload's unpacked text: 500 per row. It is read row by row.
pub const LONGEST: u64 = 512 * 1024 * 1024;
/// Maximum rows of an upload.
const MOST_ROWS: u64 = 1_000_000;

/// Separators of barcodes in a cell.
const BARCODE_SEPARATORS: [char; 4] = ['|', ';', ',', '\n'];

/// Maximum rows in a transaction: many for speed, few enough that a borrower does not wait.
const BATCH: usize = 500;
/// Maximum bytes of rows and number of copies in a transaction, which may end it before [`BATCH`] rows.
const BATCH_LENGTH: usize = 1024 * 1024;
const BATCH_COPIES: i64 = 2000;

/// Maximum number of a row's barcodes whose errors are listed.
const MAX_LISTED_ERRORS: usize = 20;

/// Maximum rejected rows listed in a report, and the bytes of JSON of their file.
pub(super) const LISTED: usize = 200;
pub(super) const ROOM_FOR_REJECTS: usize = 400 * 1024;

/// Numbers of rows of a file by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
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

/// Effect that an import would have.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BooksReport {
    pub rows: u64,
    /// New titles.
    pub added: u64,
    /// Rows that add copies to a title in the catalogue.
    pub more: u64,
    /// New copies.
    pub copies: u64,
    /// Rows already in the catalogue.
    pub known: u64,
    /// Rejected rows whose ISBN is that of another title in the catalogue.
    pub clashes: u64,
    /// Rows that are wrong only in cells that can be left out: ISBN, year, price, language, ratings. They are rejected, or added
    /// without these cells.
    pub faulty: u64,
    /// Rejected rows, clashes included.
    pub rejected: u64,
    /// The first rejected rows, at most 200.
    pub rejected_rows: Vec<RejectedLine>,
    /// The first rows that are added without wrong cells, at most 200.
    pub left_out: Vec<RejectedLine>,
    /// Rejected rows as CSV, each after its line and reason, to correct and import again; null if there are none, cut if there
    /// are very many.
    #[schema(required)]
    pub rejects_file: Option<String>,
}

/// Parameters of an import.
#[derive(Clone, Debug)]
pub struct Options {
    /// Field of each column of the file; `None` takes the fields from the header.
    pub fields: Option<Vec<String>>,
    /// Adds rows whose ISBN another title in the catalogue has; otherwise they are rejected.
    pub with_clashes: bool,
    /// Adds rows without their wrong cells if these can be left out (`LEFT_OUT`); otherwise such rows are rejected.
    pub without_faulty: bool,
    /// Librarian who imports; `None` for the command line.
    pub by: Option<UserId>,
    pub moment: Moment,
}

/// Row ready to be stored.
struct ImportedBook {
    form: BookForm,
    import_key: String,
    key: Key,
    /// Barcodes of its copies; empty if they get accession numbers.
    barcodes: Vec<String>,
    /// MARC record from which the row was read.
    record: Option<String>,
    /// Errors of the cells that were left out.
    left_out: Invalid,
    /// Entry for the list of rejected rows, used if the row is refused because of the catalogue.
    row: Rejected,
}

impl ImportedBook {
    fn isbn(&self) -> Option<&str> {
        self.form.isbn.as_ref()?.as_deref()
    }
}

/// Identity of a row: the first 128 bits of the SHA-256 of title, author, ISBN, year, language and a record's own number.
type Key = [u8; 16];

/// First line of each title and each barcode in a file; 21 bytes a title.
#[derive(Default)]
struct Seen {
    titles: HashMap<Key, u32>,
    barcodes: HashMap<String, u64>,
}

impl Seen {
    /// Records a row; fails with the line of the earlier row that it repeats. A title may be repeated with other
    /// barcodes (R-COPY-7).
    fn note(&mut self, book: &ImportedBook, line: u64) -> Result<(), u64> {
        let short_line = u32::try_from(line).unwrap_or(u32::MAX);
        if book.barcodes.is_empty() {
            return match self.titles.entry(book.key) {
                hash_map::Entry::Occupied(first) => Err(u64::from(*first.get())),
                hash_map::Entry::Vacant(entry) => {
                    entry.insert(short_line);
                    Ok(())
                }
            };
        }
        let folded: Vec<String> = book.barcodes.iter().map(|barcode| folded_barcode(barcode)).collect();
        if let Some(first) = folded.iter().find_map(|barcode| self.barcodes.get(barcode)) {
            return Err(*first);
        }
        self.titles.entry(book.key).or_insert(short_line);
        self.barcodes.extend(folded.into_iter().map(|barcode| (barcode, line)));
        Ok(())
    }
}

/// Portion of a file: rows to be stored, and rows rejected without looking at the catalogue.
#[derive(Default)]
struct Portion {
    rows: u64,
    /// Line of the last row.
    line: u64,
    books: Vec<ImportedBook>,
    refused: Vec<(Rejected, Invalid)>,
}

/// Reads the next portion; `None` after the last.
fn portion(table: &mut Table, seen: &mut Seen, without_faulty: bool) -> Result<Option<Portion>> {
    let mut portion = Portion::default();
    let (mut length, mut copies) = (0, 0);
    while portion.books.len() + portion.refused.len() < BATCH
        && length < BATCH_LENGTH
        && copies < BATCH_COPIES
    {
        let Some(row) = table.next_row()? else { break };
        if row.is_blank() {
            continue;
        }
        portion.line = row.line;
        portion.rows += 1;
        length += row.size_in_bytes();
        match book(&row, without_faulty).and_then(|book| {
            seen.note(&book, row.line)
                .map_err(|first| Invalid::field("", message::import_same_row(first)))?;
            Ok(book)
        }) {
            Ok(book) => {
                copies += book.form.no_of_books;
                portion.books.push(book);
            }
            Err(invalid) => portion.refused.push((Rejected::new(&row, reason(&invalid)), invalid)),
        }
    }
    Ok((portion.rows > 0).then_some(portion))
}

fn columns(fields: Option<&[String]>) -> ([&'static str; COLUMNS.len() + 2], Option<&[String]>) {
    let mut known = [""; COLUMNS.len() + 2];
    known[..COLUMNS.len()].copy_from_slice(COLUMNS);
    known[COLUMNS.len()] = RECORD;
    known[COLUMNS.len() + 1] = PROBLEM;
    (known, fields)
}

fn open(source: &Source, longest: u64, fields: Option<&[String]>, bar: &ProgressBar) -> Result<Table> {
    let (known, fields) = columns(fields);
    Table::open(source, longest, Columns { known: &known, required: &[TITLE.field], fields }, bar)
}

/// Counts the rows of an upload; fails if the file cannot be imported at all.
pub fn count_rows(source: &Source, options: &Options) -> Result<u64> {
    let mut table = open(source, LONGEST, options.fields.as_deref(), &ProgressBar::hidden())?;
    let mut rows = 0;
    while let Some(row) = table.next_row()? {
        rows += u64::from(!row.is_blank());
    }
    anyhow::ensure!(
        rows <= MOST_ROWS,
        anyhow::anyhow!("it has more than {MOST_ROWS} rows; import it in parts").context("the file")
    );
    Ok(rows)
}

/// Guesses the columns of a file and calls `each` with every row that could be imported.
pub fn each_form(source: &Source, longest: u64, mut each: impl FnMut(BookForm) -> Result<()>) -> Result<()> {
    let guess = BOOKS.guess(source, longest)?;
    // The header of converted MARC records names all columns, including one that no list has.
    let fields: Vec<String> = guess.columns.into_iter().map(|column| column.field).collect();
    let fields = (guess.table.kind != file::Kind::Marc).then_some(fields);
    let mut table = open(source, longest, fields.as_deref(), &ProgressBar::hidden())?;
    while let Some(row) = table.next_row()? {
        if let Ok(book) = book(&row, false) {
            each(book.form)?;
        }
    }
    Ok(())
}

/// Adds the books of `file` to the catalogue and lists rejected rows in `rejected`. A malformed file adds nothing.
pub fn import(db: &Db, file: &Path, rejected: &Path, bar: &ProgressBar) -> Result<Totals> {
    let moment = Clock::system(jiff::tz::TimeZone::UTC).moment();
    let options = Options { fields: None, with_clashes: true, without_faulty: false, by: None, moment };
    import_with(db, file, rejected, options, bar)
}

/// Imports a file from the command line.
pub fn import_with(
    db: &Db,
    file: &Path,
    rejected: &Path,
    options: Options,
    bar: &ProgressBar,
) -> Result<Totals> {
    let source = Source::Path(file.to_owned());
    let mut table = open(&source, u64::MAX, options.fields.as_deref(), bar)?;
    let mut rejects = Rejects::create(rejected, &table)?;
    let mut running = Running::new(db, options, None, file_name(file));
    let outcome = running.run(&mut table, |line, refused, counts| {
        bar.set_message(format!("{} rows", counts.done));
        rejects
            .add(&refused.into_iter().map(|(row, _)| row).collect::<Vec<_>>())
            .with_context(|| stopped(file, line))
    });
    running.end(outcome.is_ok(), None)?;
    outcome.map_err(|error| match error.downcast::<Broken>() {
        Ok(Broken { line, source }) => anyhow::Error::new(source).context(stopped(file, line)),
        Err(error) => error,
    })?;
    rejects.finish()?;
    bar.finish_and_clear();
    let Counts { done, added, more, known, rejected, .. } = running.counts;
    let [rows, added, copies, known, rejected] = [done, added, more, known, rejected].map(i64::unsigned_abs);
    Ok(Totals { rows, added, copies, known, rejected })
}

/// Returns a file's name for display, cut to 200 characters.
#[must_use]
pub fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().chars().take(200).collect()
}

pub(super) fn stopped(file: &Path, line: u64) -> String {
    format!(
        "{}: stopped near line {line}, with what was before it stored; run the import again to go on",
        file.display()
    )
}

/// Imports an upload that [`imports::begin`] recorded. Blocks on the database, so call it on a thread that may block.
pub fn run(db: &Db, file: &Source, options: Options, id: ImportId) -> Result<()> {
    let mut table = open(file, LONGEST, options.fields.as_deref(), &ProgressBar::hidden())?;
    let mut rejects = Excerpt::new(&table, ROOM_FOR_REJECTS);
    let mut running = Running::new(db, options, Some(id), String::new());
    let outcome = running.run(&mut table, |_, refused, _| {
        for (row, _) in &refused {
            rejects.add(row);
        }
        Ok(())
    });
    let rejects = (running.counts.rejected > 0).then(|| rejects.finish());
    running.end(outcome.is_ok(), rejects)?;
    outcome
}

/// Returns the effect that an import would have. Blocks on the database.
pub fn check(db: &Db, file: &Source, options: &Options) -> Result<BooksReport> {
    count_rows(file, options)?;
    let mut table = open(file, LONGEST, options.fields.as_deref(), &ProgressBar::hidden())?;
    let mut excerpt = Excerpt::new(&table, ROOM_FOR_REJECTS);
    let (mut counts, mut seen, mut rejected_rows) = (Counts::default(), Seen::default(), Vec::new());
    let (mut faulty, mut left_out) = (0, Vec::new());
    // Titles that earlier rows of the file would add, by key.
    let mut new: HashSet<Key> = HashSet::new();
    while let Some(Portion { rows, books, mut refused, .. }) =
        portion(&mut table, &mut seen, options.without_faulty)?
    {
        faulty += refused.iter().filter(|(_, invalid)| is_faulty(invalid)).count() as u64;
        counts.done += i64::try_from(rows).unwrap_or(i64::MAX);
        let with_clashes = options.with_clashes;
        let (books, facts) = db.read_blocking(move |tx| -> storage::Result<_> {
            let facts = Facts::of(tx, &books, with_clashes, None)?;
            Ok((books, facts))
        })?;
        for mut book in books {
            let added = i64::try_from(book.barcodes.len()).unwrap_or(i64::MAX);
            let step = facts.step(&book);
            let wrong = std::mem::take(&mut book.left_out);
            if is_faulty(&wrong) && !matches!(step, Step::Refuse(..)) {
                faulty += 1;
                if left_out.len() < LISTED {
                    left_out.push(RejectedLine { line: book.row.line(), errors: wrong.0 });
                }
            }
            match step {
                Step::Add if !new.insert(book.key) => {
                    counts.more += 1;
                    counts.copies += added;
                }
                Step::Add => {
                    counts.added += 1;
                    counts.copies += book.form.no_of_books;
                }
                Step::More(_, barcodes) => {
                    counts.more += 1;
                    counts.copies += i64::try_from(barcodes.len()).unwrap_or(i64::MAX);
                }
                Step::Known => counts.known += 1,
                Step::Refuse(invalid, is_clash) => {
                    counts.clashes += i64::from(is_clash);
                    refused.push((book.row.for_reason(reason(&invalid)), invalid));
                }
            }
        }
        refused.sort_by_key(|(row, _)| row.line());
        counts.rejected += i64::try_from(refused.len()).unwrap_or(i64::MAX);
        for (row, invalid) in refused {
            excerpt.add(&row);
            if rejected_rows.len() < LISTED {
                rejected_rows.push(RejectedLine { line: row.line(), errors: invalid.0 });
            }
        }
    }
    let Counts { done, added, more, copies, known, clashes, rejected } = counts;
    let [rows, added, more, copies, known, clashes, rejected] =
        [done, added, more, copies, known, clashes, rejected].map(i64::unsigned_abs);
    let rejects_file = (rejected > 0).then(|| excerpt.finish());
    Ok(BooksReport {
        rows,
        added,
        more,
        copies,
        known,
        clashes,
        faulty,
        rejected,
        rejected_rows,
        left_out,
        rejects_file,
    })
}

/// True for a text that lists use for a missing value.
fn is_no_value(cell: &str) -> bool {
    matches!(cell.to_lowercase().as_str(), "-" | "--" | "na" | "n/a" | "n.a." | "nil" | "none" | "null")
}

/// Reads an ISBN and ignores a remark after it, such as "(pbk.)".
fn isbn(cell: &str) -> Option<String> {
    isbn_13(cell).or_else(|| {
        let number = cell.split(['(', ':', ';', ',', '|']).next()?;
        isbn_13(number.trim().trim_start_matches("ISBN").trim())
    })
}

/// Explains why a cell is no ISBN.
fn not_isbn(cell: &str) -> Message {
    let is_shortened = cell.contains(['E', 'e']) && cell.parse::<f64>().is_ok();
    let digits = cell.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).count();
    match digits {
        _ if is_shortened => message::import_isbn_shortened(cell),
        10 | 13 => message::import_not_isbn(cell),
        _ => message::import_isbn_length(cell),
    }
}

/// Reads a year, also from a date or from a note such as "c2001" or `[1999]`.
fn published_year(cell: &str) -> Option<i64> {
    within(-5000_i64, 2200)(cell).or_else(|| {
        let mut groups = cell.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 4);
        let is_note = cell.chars().all(|c| c.is_ascii_digit() || "c©[]-/. :,?T".contains(c));
        let year = groups.next().filter(|_| is_note)?;
        within(1000, 2200)(year)
    })
}

/// Codes of languages by their English names.
const LANGUAGES: &[(&str, &str)] = &[
    ("assamese", "as"),
    ("bengali", "bn"),
    ("english", "en"),
    ("french", "fr"),
    ("german", "de"),
    ("gujarati", "gu"),
    ("hindi", "hi"),
    ("kannada", "kn"),
    ("malayalam", "ml"),
    ("marathi", "mr"),
    ("nepali", "ne"),
    ("odia", "or"),
    ("punjabi", "pa"),
    ("sanskrit", "sa"),
    ("spanish", "es"),
    ("tamil", "ta"),
    ("telugu", "te"),
    ("urdu", "ur"),
];

fn language(cell: &str) -> Option<String> {
    let code = cell.to_lowercase();
    if let Some((_, code)) = LANGUAGES.iter().find(|(name, _)| *name == code) {
        return Some((*code).to_owned());
    }
    Some(code).filter(|code| code.chars().count() <= 35)
}

/// Rewrites several names from the notation of `SLiMS`, `<A><B>`, with a separator.
fn unbracketed<'c>(cell: &'c str, separator: &str) -> Cow<'c, str> {
    match cell.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        Some(inner) if !inner.is_empty() => Cow::Owned(inner.replace("><", separator)),
        _ => Cow::Borrowed(cell),
    }
}

/// Reads a row. With `without_faulty`, cells of [`LEFT_OUT`] are blank if they are wrong and nothing else is.
fn book(row: &Row<'_>, without_faulty: bool) -> std::result::Result<ImportedBook, Invalid> {
    row.check_cell_count().map_err(|wrong| Invalid::field("", message::import_row(&wrong.to_string())))?;
    let problem = row.cell(PROBLEM);
    if !problem.is_empty() {
        return Err(Invalid::field("", message::import_record(problem)));
    }
    let mut invalid = Invalid::default();
    let mut form = BookForm {
        title: row.text("title", TITLE, &mut invalid),
        author: unbracketed(&row.text("author", AUTHOR, &mut invalid), "; ").into_owned(),
        genre: unbracketed(&row.text("genre", GENRE, &mut invalid), "; ").into_owned(),
        photo_url: row.text("photoURL", PHOTO_URL, &mut invalid),
        description: row.text("description", DESCRIPTION, &mut invalid),
        location: row.text("location", LOCATION, &mut invalid),
        no_of_books: 1,
        status: None,
        rating: None,
        ..BookForm::default()
    };
    let subtitle = row.cell("subtitle");
    if !subtitle.is_empty() && !form.title.is_empty() {
        form.title = TITLE.check(&format!("{}: {subtitle}", form.title), &mut invalid);
    }
    if form.title.is_empty() {
        TITLE.check("", &mut invalid);
    }
    let isbn =
        if is_no_value(row.cell("isbn")) { None } else { row.parse("isbn", not_isbn, &mut invalid, isbn) };
    let published_year = row.parse("publishedYear", message::import_not_year, &mut invalid, published_year);
    let language = row.parse("language", message::import_not_language, &mut invalid, language);
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
    let record = marc::record_of(row.cell(RECORD)).filter(|record| !record.is_empty());
    let own = record.as_deref().and_then(|record| Record::from_iso_2709(record).ok()?.identity());
    let key = key(&form, isbn.as_deref(), published_year, language.as_deref(), own.as_deref());
    let import_key = format!("{:032x}", u128::from_be_bytes(key));
    form.isbn = Some(isbn);
    form.published_year = Some(published_year);
    form.language = Some(language);
    form.publisher = Some(Some(row.text(PUBLISHER.field, PUBLISHER, &mut invalid)));
    form.edition = Some(Some(row.text(EDITION.field, EDITION, &mut invalid)));
    form.call_number = Some(Some(row.text(CALL_NUMBER.field, CALL_NUMBER, &mut invalid)));
    let not_price = |cell: &str| message::import_out_of_range(cell, 0, DEAREST.0 / 100);
    form.price = Some(row.parse(PRICE, not_price, &mut invalid, price));
    let row = Rejected::new(row, String::new());
    let left_out =
        if without_faulty && is_faulty(&invalid) { std::mem::take(&mut invalid) } else { Invalid::default() };
    invalid.into_result(ImportedBook { form, import_key, key, barcodes, record, left_out, row })
}

/// Returns the barcodes of a row, one per copy; a number of copies in the row must equal the number of barcodes.
fn barcodes(row: &Row<'_>, copies: Option<i64>, invalid: &mut Invalid) -> Vec<String> {
    let cell = unbracketed(row.cell(copy::BARCODE.field), "|");
    let raw: Vec<&str> =
        cell.split(BARCODE_SEPARATORS).map(str::trim).filter(|barcode| !barcode.is_empty()).collect();
    let (mut barcodes, mut seen) = (Vec::with_capacity(raw.len()), HashSet::new());
    for raw in &raw {
        // A cell can contain hundreds of thousands of barcodes; only the first errors are listed.
        if invalid.0.len() >= MAX_LISTED_ERRORS {
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

fn key(
    form: &BookForm,
    isbn: Option<&str>,
    year: Option<i64>,
    language: Option<&str>,
    own: Option<&str>,
) -> Key {
    let mut hash = Sha256::new();
    let year = year.map(|year| year.to_string()).unwrap_or_default();
    for part in [&form.title, &form.author, isbn.unwrap_or_default(), &year, language.unwrap_or_default()] {
        hash.update(part.as_bytes());
        hash.update([0x1f]);
    }
    // Two records of one edition become two titles, as in the catalogue from which they were exported.
    hash.update(own.unwrap_or_default());
    let digest = hash.finalize();
    std::array::from_fn(|index| digest[index])
}

/// Stored data about the rows of a portion.
struct Facts {
    /// Titles by import key.
    known: HashMap<String, BookId>,
    /// Stored titles by ISBN; another title with the same ISBN is a clash.
    isbns: HashMap<String, String>,
    /// Holders of barcodes, by folded barcode.
    holders: HashMap<String, Holder>,
}

/// Effect of a row.
enum Step {
    Add,
    /// Adds copies with these barcodes to a known title.
    More(BookId, Vec<String>),
    Known,
    /// Rejected; true for a clash of ISBNs.
    Refuse(Invalid, bool),
}

impl Facts {
    fn of(
        tx: &mut Tx<'_>,
        books: &[ImportedBook],
        with_clashes: bool,
        import: Option<ImportId>,
    ) -> storage::Result<Self> {
        let keys: Vec<&str> = books.iter().map(|book| book.import_key.as_str()).collect();
        let known = imports::known_keys(tx, &keys)?.into_iter().collect();
        let mut isbns = HashMap::new();
        if !with_clashes {
            let wanted: Vec<&str> = books.iter().filter_map(ImportedBook::isbn).collect();
            for (isbn, id, title) in imports::known_isbns(tx, &wanted)? {
                let is_own = match import {
                    Some(import) => imports::has_added(tx, import, id)?,
                    None => false,
                };
                if !is_own {
                    isbns.insert(isbn, title);
                }
            }
        }
        let mut holders = HashMap::new();
        for barcode in books.iter().flat_map(|book| &book.barcodes) {
            if let Some(holder) = copies::holder(tx, barcode)? {
                holders.insert(folded_barcode(barcode), holder);
            }
        }
        Ok(Self { known, isbns, holders })
    }

    fn step(&self, book: &ImportedBook) -> Step {
        let title = self.known.get(&book.import_key).copied();
        let (mut new, mut taken) = (Vec::new(), Vec::new());
        for barcode in &book.barcodes {
            match self.holders.get(&folded_barcode(barcode)) {
                None => new.push(barcode.clone()),
                Some(Holder::Copy(of)) if Some(*of) == title => {}
                Some(_) => taken.push(barcode),
            }
        }
        if !taken.is_empty() {
            let mut invalid = Invalid::default();
            for barcode in taken {
                invalid.push(copy::BARCODE.field, message::barcode_taken(barcode));
            }
            return Step::Refuse(invalid, false);
        }
        match title {
            Some(_) if new.is_empty() => Step::Known,
            Some(title) => Step::More(title, new),
            None => match book.isbn().and_then(|isbn| self.isbns.get(isbn)) {
                Some(other) => Step::Refuse(Invalid::field("isbn", message::import_clash(other)), true),
                None => Step::Add,
            },
        }
    }
}

/// Cause of a stopped import.
#[derive(Debug, thiserror::Error)]
#[error("stopped near line {line}")]
struct Broken {
    line: u64,
    source: storage::Error,
}

/// An import that stores portion by portion.
struct Running<'d> {
    db: &'d Db,
    options: Options,
    /// `None` until the first portion of an import from the command line is stored.
    id: Option<ImportId>,
    file_name: String,
    counts: Counts,
}

impl<'d> Running<'d> {
    fn new(db: &'d Db, options: Options, id: Option<ImportId>, file_name: String) -> Self {
        Self { db, options, id, file_name, counts: Counts::default() }
    }

    /// Stores all rows; `report` gets the last line and the rejected rows of each portion.
    fn run(
        &mut self,
        table: &mut Table,
        mut report: impl FnMut(u64, Vec<(Rejected, Invalid)>, &Counts) -> Result<()>,
    ) -> Result<()> {
        let (mut seen, mut pace) = (Seen::default(), Pace::new());
        while let Some(portion) = portion(table, &mut seen, self.options.without_faulty)? {
            let line = portion.line;
            let mut refused = self.store(portion).map_err(|source| Broken { line, source })?;
            refused.sort_by_key(|(row, _)| row.line());
            report(line, refused, &self.counts)?;
            pace.keep();
        }
        Ok(())
    }

    /// Stores a portion in one transaction; returns its rejected rows.
    fn store(&mut self, portion: Portion) -> storage::Result<Vec<(Rejected, Invalid)>> {
        let Options { with_clashes, by, moment, .. } = self.options;
        let (id, file_name, mut counts) = (self.id, self.file_name.clone(), self.counts);
        let now = Clock::system(jiff::tz::TimeZone::UTC).moment().at;
        let (refused, id, counts) = self.db.write_blocking(move |tx| -> storage::Result<_> {
            let id = match id {
                Some(id) => id,
                None => imports::begin_apart(tx, Kind::Books, &file_name, None, now)?,
            };
            let Portion { rows, books, mut refused, .. } = portion;
            let rulebook = Policies::default().current(tx)?;
            lock_titles(tx, &books)?;
            let facts = Facts::of(tx, &books, with_clashes, Some(id))?;
            let mut new = New::default();
            for book in books {
                new.store(tx, &facts, (id, by, moment), &rulebook, book, &mut counts, &mut refused)?;
            }
            let numbered = stock::number_copies(tx, moment, &rulebook, &new.unnumbered);
            numbered.map_err(circulation::Error::into_storage)?;
            if let (Some(first), Some(last)) = (new.titles.first(), new.titles.last()) {
                let count = i64::try_from(new.titles.len()).unwrap_or(i64::MAX);
                let change = CatalogueChange::BooksImported { first: *first, last: *last, count };
                let entry = Entry { person: None, book: None, copy: None, change: change.into() };
                events::record(tx, moment.at, by, &entry)?;
                imports::add_titles(tx, id, &new.titles)?;
            }
            counts.done += i64::try_from(rows).unwrap_or(i64::MAX);
            counts.rejected += i64::try_from(refused.len()).unwrap_or(i64::MAX);
            imports::advance(tx, id, &counts, now)?;
            Ok((refused, id, counts))
        })?;
        (self.id, self.counts) = (Some(id), counts);
        Ok(refused)
    }

    /// Records the end of the import, with the rejected rows as CSV.
    fn end(&self, is_done: bool, rejects: Option<String>) -> storage::Result<()> {
        let Some(id) = self.id else { return Ok(()) };
        let now = Clock::system(jiff::tz::TimeZone::UTC).moment().at;
        let state = if is_done { State::Done } else { State::Stopped };
        self.db.write_blocking(move |tx| imports::end(tx, id, state, rejects.as_deref(), now))
    }
}

/// Titles that a portion added.
#[derive(Default)]
struct New {
    titles: Vec<BookId>,
    /// Titles whose copies still need accession numbers, with the number of copies.
    unnumbered: Vec<(BookId, i64)>,
    /// Titles by import key, because a later row may add copies to the same title.
    by_key: HashMap<Key, BookId>,
}

impl New {
    #[expect(
        clippy::too_many_arguments,
        reason = "one row of a portion, with what the portion has in common"
    )]
    fn store(
        &mut self,
        tx: &mut Tx<'_>,
        facts: &Facts,
        (id, by, moment): (ImportId, Option<UserId>, Moment),
        rulebook: &Rulebook,
        book: ImportedBook,
        counts: &mut Counts,
        refused: &mut Vec<(Rejected, Invalid)>,
    ) -> storage::Result<()> {
        let step = match self.by_key.get(&book.key) {
            // An earlier row of this portion added the title; no two rows of a file share a barcode, so all barcodes
            // are free.
            Some(title) if matches!(facts.step(&book), Step::Add) => {
                Step::More(*title, book.barcodes.clone())
            }
            _ => facts.step(&book),
        };
        match step {
            Step::Add => {
                let given = &book.barcodes;
                let added = if given.is_empty() {
                    books::add(tx, &book.form, Some(&book.import_key), moment.at)?
                } else {
                    stock::add_title(tx, moment, rulebook, &book.form, Some(&book.import_key), given)
                        .map_err(circulation::Error::into_storage)?
                        .map(|(id, _)| id)
                };
                // Another import may have added the title since.
                let Some(title) = added else {
                    counts.known += 1;
                    return Ok(());
                };
                if given.is_empty() {
                    self.unnumbered.push((title, book.form.no_of_books));
                }
                if let Some(record) = &book.record {
                    imports::keep_record(tx, title, record)?;
                }
                self.titles.push(title);
                self.by_key.insert(book.key, title);
                counts.added += 1;
                counts.copies += book.form.no_of_books;
            }
            Step::More(title, barcodes) => {
                let added = stock::put_copies(tx, moment, rulebook, title, &Barcodes::Given(barcodes))
                    .map_err(circulation::Error::into_storage)?;
                events::record(tx, moment.at, by, &Entry::book(title, stock::added_change(&added)))?;
                if !self.by_key.contains_key(&book.key) && !imports::has_added(tx, id, title)? {
                    let copies: Vec<CopyId> = added.iter().map(|copy| copy.id).collect();
                    imports::add_copies(tx, id, title, &copies)?;
                }
                counts.more += 1;
                counts.copies += i64::try_from(added.len()).unwrap_or(i64::MAX);
            }
            Step::Known => counts.known += 1,
            Step::Refuse(invalid, is_clash) => {
                counts.clashes += i64::from(is_clash);
                refused.push((book.row.for_reason(reason(&invalid)), invalid));
            }
        }
        Ok(())
    }
}

/// Locks the titles that get more copies, in the order of their ids and before all else, to avoid deadlocks:
/// librarians, too, lock the title first and then wait for an accession number.
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
