//! Bringing books in from a CSV file, whole: every row is added, known already, or listed with the reason why not.
//!
//! The file is read twice. The first pass looks only whether it is sound (encoding, quotes, header), so that a broken
//! file imports nothing; the second imports in batches, each a transaction. Run twice, it adds nothing twice.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use csv::{ReaderBuilder, StringRecord};
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sha2::{Digest as _, Sha256};

use crate::{
    clock::Clock,
    domain::{
        book::{
            AUTHOR, BookForm, DESCRIPTION, GENRE, LOCATION, NO_OF_BOOKS, PHOTO_URL, RATING, Status, TITLE,
        },
        rule::{Invalid, Text},
    },
    server::told,
    storage::{
        Db, Error,
        books::{self, Imported},
        events::{self, Action, Event},
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
/// What a list of rejected rows has besides, so that it can be put right and imported as it is.
const REJECTS: &[&str] = &["line", "reason"];

/// Rows in one transaction: long enough to be quick, short enough not to keep a borrower waiting.
const BATCH: usize = 500;

/// What became of a file's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Rows read.
    pub rows: u64,
    /// New in the catalogue.
    pub added: u64,
    /// In the catalogue from an earlier import.
    pub known: u64,
    /// Listed in the file of rejects.
    pub rejected: u64,
}

/// Imports a file and says what became of it, for the command line.
///
/// # Errors
/// One line for the operator; a file that is not sound imports nothing.
pub fn books(db: &Db, file: &Path, rejected: Option<PathBuf>) -> Result<(), String> {
    let rejects = rejected.unwrap_or_else(|| rejects_name(file));
    let totals = run(db, file, &rejects, true)?;
    db.close();
    println!(
        "{}: {} rows read, {} added, {} in the catalogue before, {} rejected.",
        file.display(),
        totals.rows,
        totals.added,
        totals.known,
        totals.rejected
    );
    if totals.rejected > 0 {
        println!("The rejected rows and the reasons are in {}.", rejects.display());
    }
    Ok(())
}

/// `NAME.rejected.csv` in the current folder.
fn rejects_name(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".csv").unwrap_or(name);
    PathBuf::from(format!("{name}.rejected.csv"))
}

/// Imports a file; see [`books()`].
///
/// # Errors
/// One line for the operator.
pub fn run(db: &Db, file: &Path, rejects: &Path, show_progress: bool) -> Result<Totals, String> {
    let here = |told: String| format!("{}: {told}", file.display());
    check_soundness(open(file, &ProgressBar::hidden())?).map_err(here)?;

    let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let bar = ProgressBar::with_draw_target(
        Some(bytes),
        if show_progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
    );
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}") {
        bar.set_style(style);
    }
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(open(file, &bar)?);
    let header = Header::of(reader.headers().map_err(|error| here(told(&error)))?).map_err(here)?;
    let mut rejects = Rejects::create(rejects, &header)?;
    let mut totals = Totals::default();
    let mut seen: HashMap<[u8; 16], u64> = HashMap::new();
    let mut batch = Vec::with_capacity(BATCH);
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| here(told(&error)))? {
        totals.rows += 1;
        let line = record.position().map_or(0, csv::Position::line);
        match header.row(&record) {
            Ok(row) => match seen.entry(row.key) {
                std::collections::hash_map::Entry::Occupied(first) => {
                    rejects.add(line, &format!("same as line {}", first.get()), &record)?;
                }
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(line);
                    batch.push(row);
                }
            },
            Err(reason) => rejects.add(line, &reason, &record)?,
        }
        if batch.len() == BATCH {
            store(db, &mut batch, &mut totals).map_err(|error| here(stopped(line, &error)))?;
            bar.set_message(format!("{} rows", totals.rows));
        }
    }
    store(db, &mut batch, &mut totals).map_err(|error| here(stopped(totals.rows, &error)))?;
    totals.rejected = rejects.finish()?;
    bar.finish_and_clear();
    Ok(totals)
}

fn stopped(line: u64, error: &Error) -> String {
    format!(
        "stopped near line {line}: {}. What was added before is stored; run the import again to go on",
        told(error)
    )
}

fn open(file: &Path, bar: &ProgressBar) -> Result<Box<dyn BufRead>, String> {
    let cannot = |error: std::io::Error| format!("{}: cannot be read: {error}", file.display());
    let mut reader = BufReader::new(File::open(file).map_err(cannot)?);
    // By its first bytes, not by its name.
    let gzipped = reader.fill_buf().map_err(cannot)?.starts_with(&[0x1f, 0x8b]);
    let reader = bar.wrap_read(reader);
    let mut text: Box<dyn BufRead> = if gzipped {
        Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(reader)))
    } else {
        Box::new(BufReader::with_capacity(64 * 1024, reader))
    };
    // Spreadsheets mark UTF-8 with three bytes.
    if text.fill_buf().map_err(cannot)?.starts_with(&[0xef, 0xbb, 0xbf]) {
        text.consume(3);
    }
    Ok(text)
}

/// Where in a field the quote checker is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Bare,
    Quoted,
    /// After a quote inside a quoted field: doubled, or the end.
    QuoteSeen,
}

/// Reads the whole file once: UTF-8, and quotes as RFC 4180 has them. The error tells the line.
fn check_soundness(mut text: impl BufRead) -> Result<(), String> {
    let mut line = Vec::new();
    let mut number = 0_u64;
    let mut place = Place::FieldStart;
    let mut opened = 0;
    loop {
        line.clear();
        let read = text
            .read_until(b'\n', &mut line)
            .map_err(|error| format!("cannot be read after line {number}: {error}; is the file complete?"))?;
        if read == 0 {
            break;
        }
        number += 1;
        if number == 1 && (line.starts_with(&[0xff, 0xfe]) || line.starts_with(&[0xfe, 0xff])) {
            return Err("line 1: the file is UTF-16; save it as \"CSV UTF-8\"".into());
        }
        if let Err(error) = std::str::from_utf8(&line) {
            return Err(format!(
                "line {number}: byte {} is not UTF-8; save the file as \"CSV UTF-8\"",
                error.valid_up_to() + 1
            ));
        }
        if line.contains(&0) {
            return Err(format!("line {number}: there is a NUL character; this is no text file"));
        }
        for byte in &line {
            place = match (place, byte) {
                (Place::FieldStart, b'"') => {
                    opened = number;
                    Place::Quoted
                }
                (Place::Quoted, b'"') => Place::QuoteSeen,
                (Place::Quoted, _) | (Place::QuoteSeen, b'"') => Place::Quoted,
                (Place::Bare, b'"') => {
                    return Err(format!(
                        "line {number}: a quote stands inside a field that is not quoted; put the whole field in \
                         quotes and double the quote"
                    ));
                }
                (_, b',' | b'\n' | b'\r') => Place::FieldStart,
                (Place::QuoteSeen, _) => {
                    return Err(format!(
                        "line {number}: text follows a closing quote; double a quote that belongs to the text"
                    ));
                }
                (Place::FieldStart | Place::Bare, _) => Place::Bare,
            };
        }
    }
    if place == Place::Quoted {
        return Err(format!("line {opened}: the quote opened here is never closed"));
    }
    if number == 0 {
        return Err(format!("the file is empty; its first line must be a header: {}", COLUMNS.join(",")));
    }
    Ok(())
}

/// Which column stands where.
struct Header {
    columns: HashMap<String, usize>,
    names: StringRecord,
}

/// A row that can be stored.
struct Row {
    form: BookForm,
    imported: Imported,
    key: [u8; 16],
}

impl Header {
    fn of(names: &StringRecord) -> Result<Self, String> {
        let known = || COLUMNS.join(",");
        let mut columns = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            let name = name.trim();
            if !COLUMNS.contains(&name) && !REJECTS.contains(&name) {
                return Err(format!(
                    "line 1: there is no column \"{name}\"; the header may have {}",
                    known()
                ));
            }
            if columns.insert(name.to_owned(), index).is_some() {
                return Err(format!("line 1: the column \"{name}\" stands there twice"));
            }
        }
        if !columns.contains_key("title") {
            return Err(format!(
                "line 1: the header is missing, or it has no column \"title\"; it may have {}",
                known()
            ));
        }
        Ok(Self { columns, names: names.clone() })
    }

    fn cell<'r>(&self, record: &'r StringRecord, column: &str) -> &'r str {
        let cell = self.columns.get(column).and_then(|index| record.get(*index)).unwrap_or_default().trim();
        // A list of rejects guards what a spreadsheet would take for a formula.
        if self.columns.contains_key("reason") {
            cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
        } else {
            cell
        }
    }

    fn row(&self, record: &StringRecord) -> Result<Row, String> {
        if record.len() != self.names.len() {
            return Err(format!("{} fields where the header has {}", record.len(), self.names.len()));
        }
        let mut invalid = Invalid::default();
        // Real catalogues are incomplete: what the forms demand may be blank here, but never too long.
        let mut text =
            |rule: Text, column: &str| Text { min: 0, ..rule }.check(self.cell(record, column), &mut invalid);
        let mut form = BookForm {
            title: text(TITLE, "title"),
            author: text(AUTHOR, "author"),
            genre: text(GENRE, "genre"),
            photo_url: text(PHOTO_URL, "photoURL"),
            description: text(DESCRIPTION, "description"),
            location: text(LOCATION, "location"),
            no_of_books: 1,
            status: None,
            rating: None,
        };
        if form.title.is_empty() {
            TITLE.check("", &mut invalid);
        }
        let isbn = self.read(record, "isbn", &mut invalid, "is no ISBN with a right check digit", isbn_13);
        let year = |text: &str| text.parse().ok().filter(|year| (-5000..=2200).contains(year));
        let published_year = self.read(record, "publishedYear", &mut invalid, "is no year", year);
        let language = Some(self.cell(record, "language").to_lowercase()).filter(|code| !code.is_empty());
        if language.as_ref().is_some_and(|code| code.chars().count() > 35) {
            invalid.push("language", "is no language code");
        }
        let average = |text: &str| text.parse().ok().filter(|stars| (0.0..=5.0).contains(stars));
        let average: Option<f64> =
            self.read(record, "averageRating", &mut invalid, "is no number from 0 to 5", average);
        let count = |text: &str| text.parse::<u64>().ok();
        self.read(record, "ratingsCount", &mut invalid, "is no whole number", count);
        let copies = |text: &str| text.parse().ok().filter(|copies| (0..=NO_OF_BOOKS.max).contains(copies));
        form.no_of_books =
            self.read(record, "noOfBooks", &mut invalid, "is no whole number from 0", copies).unwrap_or(1);
        let stars = |text: &str| text.parse().ok().filter(|stars| (RATING.min..=RATING.max).contains(stars));
        let stars = self.read(record, "rating", &mut invalid, "is no whole number from 1 to 5", stars);
        #[expect(clippy::cast_possible_truncation, reason = "0 to 5")]
        let rounded =
            average.filter(|stars| *stars > 0.0).map(|stars| (stars.round() as i64).max(RATING.min));
        form.rating = stars.or(rounded);
        form.status = self.read(
            record,
            "status",
            &mut invalid,
            "is neither \"Available\" nor \"Not Available\"",
            Status::parse,
        );
        let key = key(&form, isbn.as_deref(), published_year, language.as_deref());
        let hex = format!("{:032x}", u128::from_be_bytes(key));
        invalid
            .or(Row { form, imported: Imported { key: hex, isbn, published_year, language }, key })
            .map_err(|invalid| {
                invalid
                    .0
                    .iter()
                    .map(|error| format!("{}: {}", error.field, error.message))
                    .collect::<Vec<_>>()
                    .join("; ")
            })
    }

    /// A cell that may be blank but must not be wrong.
    fn read<T>(
        &self,
        record: &StringRecord,
        column: &'static str,
        invalid: &mut Invalid,
        wrong: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let cell = self.cell(record, column);
        if cell.is_empty() {
            return None;
        }
        let value = parse(cell);
        if value.is_none() {
            let shown: String = cell.chars().take(40).collect();
            invalid.push(column, format!("\"{shown}\" {wrong}"));
        }
        value
    }
}

/// Rows are the same when title, author, isbn, year and language are; 128 bits of their SHA-256.
fn key(form: &BookForm, isbn: Option<&str>, year: Option<i64>, language: Option<&str>) -> [u8; 16] {
    let mut hash = Sha256::new();
    let year = year.map(|year| year.to_string()).unwrap_or_default();
    for part in [&form.title, &form.author, isbn.unwrap_or_default(), &year, language.unwrap_or_default()] {
        hash.update(part.as_bytes());
        hash.update([0x1f]);
    }
    let digest = hash.finalize();
    std::array::from_fn(|index| digest[index])
}

/// An ISBN-13, from one with 13 or 10 digits, with hyphens or blanks; `None` where the check digit is wrong.
fn isbn_13(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !matches!(c, '-' | ' '))
        .map(|c| if matches!(c, 'x' | 'X') { Some(10) } else { c.to_digit(10) })
        .collect::<Option<_>>()?;
    let weighed = |digits: &[u32]| {
        digits.iter().zip([1, 3].iter().cycle()).map(|(digit, weight)| digit * weight).sum::<u32>()
    };
    let thirteen = match digits.len() {
        13 if !digits.contains(&10) && weighed(&digits) % 10 == 0 => digits,
        10 if !digits[..9].contains(&10)
            && digits.iter().zip((1..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11
                == 0 =>
        {
            let mut thirteen = vec![9, 7, 8];
            thirteen.extend(&digits[..9]);
            thirteen.push((10 - weighed(&thirteen) % 10) % 10);
            thirteen
        }
        _ => return None,
    };
    Some(thirteen.iter().map(u32::to_string).collect())
}

fn store(db: &Db, batch: &mut Vec<Row>, totals: &mut Totals) -> Result<(), Error> {
    if batch.is_empty() {
        return Ok(());
    }
    let rows = std::mem::replace(batch, Vec::with_capacity(BATCH));
    let asked = rows.len() as u64;
    let now = Clock::system(jiff::tz::TimeZone::UTC).now();
    let added = db.write_blocking(move |tx| -> Result<u64, Error> {
        let mut ids = Vec::with_capacity(rows.len());
        for row in &rows {
            ids.extend(books::add(tx, &row.form, Some(&row.imported), now)?);
        }
        if let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) {
            let event = Event {
                at: now,
                actor: None,
                action: Action::ImportBooks,
                subject: first.0,
                before: None,
                after: Some(serde_json::json!({ "first": first, "last": last, "count": ids.len() })),
            };
            events::record(tx, &event)?;
        }
        Ok(ids.len() as u64)
    })?;
    totals.added += added;
    totals.known += asked - added;
    Ok(())
}

/// The list of rejected rows: line, reason and the row itself.
struct Rejects {
    writer: csv::Writer<BufWriter<File>>,
    path: PathBuf,
    /// Columns that a list of rejects has of its own are not repeated when such a list is imported.
    own: Vec<usize>,
    count: u64,
}

impl Rejects {
    fn create(path: &Path, header: &Header) -> Result<Self, String> {
        let cannot =
            |error: &dyn std::error::Error| format!("{}: cannot be written: {}", path.display(), told(error));
        // Written beside and moved into place at the end, because it may be the very file that is read.
        let partial = path.with_extension("partial");
        let file = File::create(&partial).map_err(|error| cannot(&error))?;
        let own = REJECTS.iter().filter_map(|name| header.columns.get(*name).copied()).collect();
        let mut rejects = Self {
            writer: csv::WriterBuilder::new().flexible(true).from_writer(BufWriter::new(file)),
            path: path.to_owned(),
            own,
            count: 0,
        };
        rejects.write(REJECTS[0], REJECTS[1], &header.names)?;
        Ok(rejects)
    }

    fn add(&mut self, line: u64, reason: &str, record: &StringRecord) -> Result<(), String> {
        self.count += 1;
        self.write(&line.to_string(), reason, record)
    }

    fn write(&mut self, line: &str, reason: &str, record: &StringRecord) -> Result<(), String> {
        let own = &self.own;
        let row = record
            .iter()
            .enumerate()
            .filter(|(index, _)| !own.contains(index))
            .map(|(_, cell)| guarded(cell));
        let cells = [line.to_owned(), guarded(reason)].into_iter().chain(row);
        self.writer
            .write_record(cells)
            .map_err(|error| format!("{}: cannot be written: {}", self.path.display(), told(&error)))
    }

    fn finish(self) -> Result<u64, String> {
        let cannot = |error: &dyn std::error::Error| {
            format!("{}: cannot be written: {}", self.path.display(), told(error))
        };
        let mut file = self.writer.into_inner().map_err(|error| cannot(error.error()))?;
        file.flush().map_err(|error| cannot(&error))?;
        std::fs::rename(self.path.with_extension("partial"), &self.path).map_err(|error| cannot(&error))?;
        Ok(self.count)
    }
}

/// Whether a spreadsheet would take this for a formula.
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

fn guarded(cell: &str) -> String {
    if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsound(text: &[u8]) -> String {
        check_soundness(text).err().unwrap_or_default()
    }

    #[test]
    fn a_file_that_is_not_sound_is_refused_with_the_line() {
        assert!(unsound(b"").contains("empty"));
        assert!(unsound(b"title\n\"open").starts_with("line 2: the quote opened here is never closed"));
        assert!(unsound(b"title\na\n\"b\" c\n").starts_with("line 3: text follows a closing quote"));
        assert!(unsound(b"title\na \"b\"\n").starts_with("line 2: a quote stands inside"));
        assert!(unsound(b"title\nok\ncaf\xe9\n").starts_with("line 3: byte 4 is not UTF-8"));
        assert!(unsound(b"\xff\xfet\0").contains("UTF-16"));
        assert_eq!(unsound(b"title,author\r\n\"a \"\"b\"\"\nc\",d\r\n,\r\n"), "");
    }

    fn header(names: &[&str]) -> Result<Header, String> {
        Header::of(&StringRecord::from(names.to_vec()))
    }

    #[test]
    fn a_header_is_asked_for_and_a_misspelt_column_named() {
        assert!(
            header(&["Madame Bovary", "Gustave Flaubert"]).is_err_and(|told| told.contains("Madame Bovary"))
        );
        assert!(header(&["author"]).is_err_and(|told| told.contains("title")));
        assert!(header(&["title", "title"]).is_err_and(|told| told.contains("twice")));
        assert!(header(&["title", "author", "noOfBooks"]).is_ok());
    }

    fn row(cells: &[(&str, &str)]) -> Result<Row, String> {
        let header = header(&cells.iter().map(|cell| cell.0).collect::<Vec<_>>())?;
        header.row(&StringRecord::from(cells.iter().map(|cell| cell.1).collect::<Vec<_>>()))
    }

    #[test]
    fn a_row_needs_a_title_and_nothing_else() -> Result<(), String> {
        let bare = row(&[("title", "  Poems ")])?;
        assert_eq!(
            (bare.form.title.as_str(), bare.form.no_of_books, bare.form.status()),
            ("Poems", 1, Status::Available)
        );
        assert!(
            row(&[("title", " "), ("author", "Anon")]).is_err_and(|told| told.contains("Title is required."))
        );
        Ok(())
    }

    #[test]
    fn wrong_cells_are_named_with_what_stands_in_them() -> Result<(), String> {
        let told = row(&[
            ("title", "t"),
            ("isbn", "9780747532698"),
            ("publishedYear", "MCM"),
            ("noOfBooks", "-1"),
            ("photoURL", "ftp://x/y"),
        ])
        .err()
        .unwrap_or_default();
        for part in ["photoURL: ", "isbn: \"9780747532698\"", "publishedYear: \"MCM\"", "noOfBooks: \"-1\""] {
            assert!(told.contains(part), "{told}");
        }
        let none = row(&[("title", "t"), ("noOfBooks", "0"), ("averageRating", "4.31")])?;
        assert_eq!((none.form.status(), none.form.rating), (Status::NotAvailable, Some(4)));
        Ok(())
    }

    #[test]
    fn isbns_of_both_lengths_become_thirteen_digits() {
        assert_eq!(isbn_13("978-0-7475-3269-9").as_deref(), Some("9780747532699"));
        assert_eq!(isbn_13("0-7475-3269-9").as_deref(), Some("9780747532699"));
        assert_eq!(isbn_13("080442957X").as_deref(), Some("9780804429573"));
        for wrong in ["9780747532698", "0747532698", "X747532699", "123", "isbn"] {
            assert_eq!(isbn_13(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn formulas_are_guarded_in_lists_for_spreadsheets() {
        assert_eq!(guarded("=1+1"), "'=1+1");
        assert_eq!(guarded("Poems"), "Poems");
    }
}
