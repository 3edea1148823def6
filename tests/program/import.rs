//! Books from CSV files: imported completely, once, and with every rejected row listed.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use indicatif::ProgressBar;
use jiff::tz::TimeZone;
use library::domain::id::BookId;
use library::{
    catalogue::Catalogue,
    clock::Clock,
    import::books::{self as book_import, Totals},
    search::{Field, Query, Sort},
    storage::{Db, books, copies},
};
use tempfile::TempDir;

use crate::common::{Database, folder};

/// A database and a folder for files.
struct Desk {
    db: Db,
    database: Database,
    folder: TempDir,
}

impl Desk {
    fn on(database: Database) -> Self {
        Self { db: database.open(), database, folder: folder() }
    }

    fn new() -> Self {
        Self::on(Database::sqlite())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    }

    fn rejected(&self) -> PathBuf {
        self.folder.path().join("books.rejected.csv")
    }

    /// Imports a file with this content.
    fn import(&self, content: impl AsRef<[u8]>) -> Result<Totals, String> {
        let file = self.file("books.csv", content);
        self.import_file(&file, &self.rejected())
    }

    fn import_file(&self, file: &Path, rejected: &Path) -> Result<Totals, String> {
        book_import::import(&self.db, file, rejected, &ProgressBar::hidden())
            .map_err(|error| format!("{error:#}"))
    }

    /// Returns the titles, oldest first.
    fn titles(&self) -> Vec<String> {
        let rows = self.database.raw("SELECT title FROM books ORDER BY id").expect("readable");
        rows.into_iter().flatten().flatten().collect()
    }

    /// Returns the rows of the list of rejects, with its header.
    fn rejects(&self) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_path(self.rejected())
            .expect("a list of rejects");
        reader.records().map(|record| record.expect("CSV").iter().map(ToOwned::to_owned).collect()).collect()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.db.close();
    }
}

const fn totals(rows: u64, added: u64, known: u64, rejected: u64) -> Totals {
    Totals { rows, added, copies: 0, known, rejected }
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content).expect("packed");
    packed.finish().expect("packed")
}

fn every_column_is_taken_and_a_second_run_adds_nothing(desk: &Desk) {
    let content = "title,author,genre,photoURL,description,isbn,publishedYear,language,averageRating,ratingsCount,\
                   location,noOfBooks,rating,status\r\n\
                   \"गोदान, \"\"The Gift\"\"\",प्रेमचंद,Fiction,https://example.org/g.jpg,\"Two\r\nlines\",0-7475-3269-9,1936,HI,\
                   4.36,12,A3,7,2,Not Available\r\n\
                   Bare,,,,,,,,,,,,,\r\n\
                   Rated,,,,,,-380,,4.5,1,,0,,\r\n";
    assert_eq!(desk.import(content), Ok(totals(3, 3, 0, 0)));
    let rows = desk
        .database
        .raw(
            "SELECT title, author, genre, photo_url, description, isbn, published_year, language, location, no_of_books,
                    rating, status FROM books ORDER BY id",
        )
        .expect("readable");
    let texts: Vec<Vec<&str>> =
        rows.iter().map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect()).collect();
    assert_eq!(
        texts,
        [
            [
                "गोदान, \"The Gift\"",
                "प्रेमचंद",
                "Fiction",
                "https://example.org/g.jpg",
                "Two\nlines",
                "9780747532699",
                "1936",
                "hi",
                "A3",
                "7",
                "2",
                "Not Available"
            ],
            ["Bare", "", "", "", "", "NULL", "NULL", "NULL", "", "1", "NULL", "Available"],
            ["Rated", "", "", "", "", "NULL", "-380", "NULL", "", "0", "5", "Not Available"],
        ]
    );
    assert_eq!(desk.import(content), Ok(totals(3, 0, 3, 0)));
    assert_eq!(desk.titles().len(), 3);
    // The same columns in another order.
    assert_eq!(
        desk.import("author,title,unitless\n,Bare,\n").err().map(|told| told.contains("unitless")),
        Some(true)
    );
    assert_eq!(desk.import("author,title\n,Bare\nSomebody,Bare\n"), Ok(totals(2, 1, 1, 0)));
}

/// Returns barcodes and titles of the copies on the shelf, in the order in which they were added.
fn shelf(desk: &Desk) -> Vec<(String, String)> {
    let rows = desk.database.raw(
        "SELECT c.barcode, b.title FROM copies AS c JOIN books AS b ON b.id = c.book_id WHERE c.condition = 'on-shelf' ORDER BY c.id",
    );
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    rows.expect("readable").iter().map(|row| (text(&row[0]), text(&row[1]))).collect()
}

fn copies_come_with_their_barcodes_and_one_that_is_taken_is_rejected(desk: &Desk) {
    desk.database
        .raw("INSERT INTO users (email, email_key, name, search_key, role, roll_number, password_hash, created_at) VALUES ('a@b.c', 'a@b.c', 'A', 'a', 'student', 'cs25-014', '!', 0)")
        .expect("a reader");
    let content = "title,noOfBooks,barcode\n\
                   Godan,,A1\n\
                   Gaban,2,b1|B2\n\
                   Plain,,\n\
                   Godan,1,A2\n\
                   Nirmala,,a1\n\
                   Nirmala,,CS25-014\n\
                   Nirmala,3,N1|N2\n\
                   Nirmala,,N1|n1\n\
                   Nirmala,,ए1\n\
                   Plain,,P1 | P2\n";
    assert_eq!(desk.import(content), Ok(Totals { rows: 10, added: 3, copies: 2, known: 0, rejected: 5 }));
    let barcodes = |title: &str| {
        shelf(desk).into_iter().filter(|(_, of)| of == title).map(|(barcode, _)| barcode).collect::<Vec<_>>()
    };
    assert_eq!(barcodes("Godan"), ["A1", "A2"]);
    assert_eq!(barcodes("Gaban"), ["b1", "B2"]);
    assert_eq!(barcodes("Plain"), ["P1", "P2", "L000001"], "a copy without a barcode gets a number");
    assert_eq!(desk.titles(), ["Godan", "Gaban", "Plain"]);
    let reasons: Vec<Vec<String>> = desk.rejects().into_iter().skip(1).map(|row| row[..2].to_vec()).collect();
    assert_eq!(
        reasons,
        [
            ["6", "same as line 2"],
            [
                "7",
                "barcode: CS25-014 is the barcode of another copy, or a reader's roll number. Use another one."
            ],
            ["8", "noOfBooks: There are 2 barcodes for 3 copies."],
            ["9", "barcode: n1 is in the list twice."],
            [
                "10",
                "barcode \"ए1\": Barcode must be letters, digits, spaces and signs that a barcode can hold (printable ASCII)."
            ],
        ]
    );
    let counts = desk.database.raw("SELECT no_of_books FROM books ORDER BY id").expect("readable");
    assert_eq!(counts.into_iter().flatten().flatten().collect::<Vec<_>>(), ["2", "2", "3"]);

    // A second run adds nothing; a barcode of another title stays there.
    let before = shelf(desk);
    let again =
        desk.import(content).map(|totals| (totals.added, totals.copies, totals.known, totals.rejected));
    assert_eq!(again, Ok((0, 0, 5, 5)));
    assert_eq!(desk.import("title,barcode\nNirmala,b2\n"), Ok(totals(1, 0, 0, 1)));
    assert!(desk.rejects()[1][1].contains("b2 is the barcode of another copy"));
    assert_eq!(shelf(desk), before);
    let wrong = desk.db.read_blocking(|tx| copies::contradictions(tx, 10)).expect("readable");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn copies_come_with_their_barcodes_and_one_that_is_taken_is_rejected_r_copy_7_on_sqlite() {
    copies_come_with_their_barcodes_and_one_that_is_taken_is_rejected(&Desk::new());
}

#[test]
fn copies_come_with_their_barcodes_and_one_that_is_taken_is_rejected_r_copy_7_on_postgres() {
    copies_come_with_their_barcodes_and_one_that_is_taken_is_rejected(&Desk::on(Database::postgres()));
}

#[test]
fn every_column_is_taken_and_a_second_run_adds_nothing_on_sqlite() {
    every_column_is_taken_and_a_second_run_adds_nothing(&Desk::new());
}

#[test]
fn every_column_is_taken_and_a_second_run_adds_nothing_on_postgres() {
    every_column_is_taken_and_a_second_run_adds_nothing(&Desk::on(Database::postgres()));
}

#[test]
fn a_file_that_is_not_sound_imports_nothing_and_names_the_line() {
    let desk = Desk::new();
    let good = "title,author\nFirst,A\nSecond,B\n";
    for (content, words) in [
        (b"".to_vec(), vec!["empty", "title,author"]),
        (format!("{good}\"Third,C\n").into_bytes(), vec!["line 4", "never closed"]),
        (format!("{good}\"Third\" x,C\n").into_bytes(), vec!["line 4", "closing quote"]),
        (format!("{good}Thi\"rd,C\n").into_bytes(), vec!["line 4", "quote"]),
        ([good.as_bytes(), "गोदान".as_bytes(), b"\xe9,C\n"].concat(), vec!["line 4", "byte 16", "UTF-8"]),
        ([good.as_bytes(), b"a\0b,C\n"].concat(), vec!["line 4", "NUL"]),
        (b"First,A\nSecond,B\n".to_vec(), vec!["line 1", "First"]),
        (b"author,genre\nA,B\n".to_vec(), vec!["line 1", "title"]),
        (b"title,titel\nA,B\n".to_vec(), vec!["line 1", "titel"]),
        (b"title,title\nA,B\n".to_vec(), vec!["line 1", "twice"]),
        (gzipped(good.as_bytes())[..30].to_vec(), vec!["complete"]),
    ] {
        let told = desk.import(&content).err().unwrap_or_default();
        for word in words {
            assert!(
                told.contains(word) && told.contains("books.csv") && !told.contains('\n'),
                "{word}: {told}"
            );
        }
        assert!(desk.titles().is_empty(), "{told}");
    }
    let nowhere = desk.import_file(&desk.folder.path().join("nowhere.csv"), &desk.rejected());
    assert!(nowhere.is_err_and(|told| told.contains("nowhere.csv")));
    assert_eq!(desk.import("title,author\n"), Ok(totals(0, 0, 0, 0)));
}

#[test]
fn packed_files_and_marks_of_spreadsheets_are_read_as_they_are() {
    let desk = Desk::new();
    assert_eq!(desk.import(gzipped(b"title\nPacked\n")), Ok(totals(1, 1, 0, 0)));
    let parts = [gzipped(b"title\nPart one\n"), gzipped(b"Part two\n")].concat();
    assert_eq!(desk.import(parts), Ok(totals(2, 2, 0, 0)));
    assert_eq!(desk.import("\u{feff}title,author\nMarked,A\n"), Ok(totals(1, 1, 0, 0)));
    assert_eq!(desk.import(b"title;author\nCaf\xe9;A\n"), Ok(totals(1, 1, 0, 0)));
    assert!(desk.titles().contains(&"Café".to_owned()));
    assert_eq!(
        desk.import(gzipped("\u{feff}\"title\"\r\n\"Both\"\r\n\r\n".as_bytes())),
        Ok(totals(1, 1, 0, 0))
    );
    assert_eq!(desk.import("title\nNo line end"), Ok(totals(1, 1, 0, 0)));
    assert_eq!(desk.titles(), ["Packed", "Part one", "Part two", "Marked", "Café", "Both", "No line end"]);
}

#[test]
fn every_rejected_row_is_listed_with_line_and_reason_and_can_be_put_right() {
    let desk = Desk::new();
    let content = "title,author,isbn,publishedYear,noOfBooks\n\
                   Good,A,,,\n\
                   ,No title,,,\n\
                   Good,A,,,\n\
                   \"Over\nlines\",B,978-0-7475-3269-8,MCM,-1\n\
                   Short,C\n\
                   =SUM(1+1),\"@cmd\",,x,\n\
                   -dash,A,,,\n";
    assert_eq!(desk.import(content), Ok(totals(7, 2, 0, 5)));
    assert_eq!(desk.titles(), ["Good", "-dash"]);
    let rejects = desk.rejects();
    assert_eq!(rejects[0], ["line", "reason", "title", "author", "isbn", "publishedYear", "noOfBooks"]);
    let listed: Vec<(&str, &str)> =
        rejects[1..].iter().map(|row| (row[0].as_str(), row[2].as_str())).collect();
    assert_eq!(listed, [("3", ""), ("4", "Good"), ("5", "Over\nlines"), ("7", "Short"), ("8", "'=SUM(1+1)")]);
    assert!(rejects[1][1].contains("Title is required."), "{}", rejects[1][1]);
    assert_eq!(rejects[2][1], "same as line 2");
    for part in ["isbn: \"978-0-7475-3269-8\"", "publishedYear: \"MCM\"", "noOfBooks: \"-1\""] {
        assert!(rejects[3][1].contains(part), "{}", rejects[3][1]);
    }
    assert!(rejects[4][1].contains("2 fields, but the header has 5"), "{}", rejects[4][1]);
    assert_eq!(rejects[5][3], "'@cmd", "a spreadsheet must not calculate it");
    assert_eq!(rejects[3][6], "'-1");

    // Corrected in the list of rejects, which is then imported unchanged.
    let corrected: Vec<u8> = {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for (number, mut row) in rejects.clone().into_iter().enumerate() {
            match number {
                1 => row[2] = "Now with a title".into(),
                3 => (row[4], row[5], row[6]) = ("9780747532699".into(), "1900".into(), "2".into()),
                5 => row[5] = "2001".into(),
                _ => {}
            }
            writer.write_record(&row).expect("CSV");
        }
        writer.into_inner().expect("CSV")
    };
    let corrected = desk.file("corrected.csv", corrected);
    let again = desk.import_file(&corrected, &desk.rejected());
    assert_eq!(again, Ok(totals(5, 3, 1, 1)));
    assert_eq!(
        desk.titles()[2..],
        ["Now with a title", "Over lines", "=SUM(1+1)"],
        "the guard is taken off again"
    );
    let left = desk.rejects();
    assert_eq!((left.len(), left[1][2].as_str(), left[0].len()), (2, "Short", 7));
}

#[test]
fn a_long_file_is_imported_in_batches_and_its_changes_are_heard_of() {
    let desk = Desk::new();
    let rows = (0..1_234).map(|n| format!("Book {n},A\n"));
    let content: String = std::iter::once("title,author\n".to_owned()).chain(rows).collect();
    assert_eq!(desk.import(&content), Ok(totals(1_234, 1_234, 0, 0)));
    let changes = desk
        .database
        .raw("SELECT SUM(last_id - first_id + 1), COUNT(*) FROM catalogue_changes")
        .expect("readable");
    assert_eq!(changes, [["1234", "3"].map(|cell| Some(cell.to_owned()))]);
    let events =
        desk.database.raw("SELECT COUNT(*) FROM events WHERE action = 'books-imported'").expect("readable");
    assert_eq!(events, [[Some("3".to_owned())]]);
    assert_eq!(desk.import(&content), Ok(totals(1_234, 0, 1_234, 0)));
    assert_eq!(desk.database.raw("SELECT changes FROM catalogue"), Ok(vec![vec![Some("3".to_owned())]]));
}

/// Name of a script, and the test for its letters.
type Script = (&'static str, fn(char) -> bool);

/// Returns every row of the real catalogue's file, by its header.
fn real_rows(path: &str) -> Vec<HashMap<String, String>> {
    let mut file = BufReader::new(std::fs::File::open(path).expect("the real books"));
    let packed = file.fill_buf().expect("the real books").starts_with(&[0x1f, 0x8b]);
    let file: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers().expect("a header").clone();
    reader
        .records()
        .map(|record| {
            let record = record.expect("CSV");
            header
                .iter()
                .zip(record.iter())
                .map(|(name, cell)| (name.to_owned(), cell.trim().to_owned()))
                .collect()
        })
        .collect()
}

/// Runs if `LIBRARY_REAL_BOOKS` names a large catalogue's file, which is not part of the product.
#[test]
fn a_real_catalogue_is_imported_whole_and_found_in_every_script() {
    let Ok(path) = std::env::var("LIBRARY_REAL_BOOKS") else {
        eprintln!("LIBRARY_REAL_BOOKS names no file: the real catalogue is not imported");
        return;
    };
    let rows = real_rows(&path);
    let mut seen = HashMap::new();
    for row in &rows {
        let key = ["title", "author", "isbn", "publishedYear", "language"].map(|name| row[name].clone());
        *seen.entry(key).or_insert(0_u64) += 1;
    }
    let (all, different) = (rows.len() as u64, seen.len() as u64);
    let desk = Desk::new();
    let run = || desk.import_file(Path::new(&path), &desk.rejected());
    assert_eq!(run(), Ok(totals(all, different, 0, all - different)));
    assert!(desk.rejects()[1..].iter().all(|row| row[1].starts_with("same as line ")));
    assert_eq!(desk.rejects().len() as u64, all - different + 1);
    assert_eq!(run(), Ok(totals(all, 0, different, all - different)));
    assert_eq!(desk.db.read_blocking(books::count).ok(), i64::try_from(different).ok());

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let index = runtime
        .block_on(async { Catalogue::open(desk.db.clone(), Clock::system(TimeZone::UTC)).index().await });
    let found = |text: &str| {
        let query = Query { text, field: Field::Title, sort: Sort::Newest, limit: 100, ..Query::default() };
        let ids: Vec<BookId> = index.page(&query).ids.into_iter().map(BookId).collect();
        desk.db.read_blocking(move |tx| books::cards(tx, &ids)).expect("readable")
    };
    let scripts: [Script; 7] = [
        ("Cyrillic", |c| ('А'..='я').contains(&c)),
        ("Greek", |c| ('α'..='ω').contains(&c)),
        ("Hebrew", |c| ('א'..='ת').contains(&c)),
        ("Arabic", |c| ('\u{620}'..='\u{64a}').contains(&c)),
        ("Han", |c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
        ("Hangul", |c| ('\u{ac00}'..='\u{d7af}').contains(&c)),
        ("Latin with accents", |c| "éèüöäñç".contains(c)),
    ];
    for (script, belongs) in scripts {
        let title = rows
            .iter()
            .map(|row| &row["title"])
            .find(|title| title.chars().filter(|c| belongs(*c)).count() > 2);
        let title = title.unwrap_or_else(|| panic!("no title in {script}"));
        // A part of the title as typed: its longest word in that script, without the first letter.
        let word = title.split(' ').filter(|word| word.chars().any(belongs)).max_by_key(|word| word.len());
        let part: String = word.unwrap_or_default().chars().skip(1).collect();
        assert!(found(&part).iter().any(|book| book.title.contains(&part)), "{script}: {part} of {title}");
    }
    assert!(found("ВОЙНА").iter().any(|book| book.title.contains("война")));
}

#[test]
fn the_list_of_rejects_never_takes_the_place_of_the_file_that_is_read_p12() {
    let desk = Desk::new();
    let content = "title,author\n,No title\nGood,A\n";
    let file = desk.file("books.csv", content);
    let otherwise_spelt = desk.folder.path().join(".").join("books.csv");
    for rejected in [&file, &otherwise_spelt] {
        let refused = desk.import_file(&file, rejected).err().unwrap_or_default();
        assert!(refused.contains("books.csv is the file that is imported"), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), content);
    assert!(desk.titles().is_empty());
    // Other files in the folder are left alone.
    let partial = desk.file("books.rejected.partial", "mine");
    assert_eq!(desk.import_file(&file, &desk.rejected()), Ok(totals(2, 1, 0, 1)));
    assert_eq!(std::fs::read_to_string(partial).expect("it is there"), "mine");
    assert_eq!(std::fs::read_dir(desk.folder.path()).expect("readable").count(), 3);
}

#[test]
fn a_row_without_end_is_refused_before_it_fills_the_memory_p13() {
    let desk = Desk::new();
    let content = ["title,author\nFirst,A\n", &"x".repeat(64 * 1024 * 1024), ",A\n"].concat();
    let refused = desk.import(gzipped(content.as_bytes())).err().unwrap_or_default();
    assert!(refused.contains("line 3: the row is longer than 1 MiB"), "{refused}");
    assert!(desk.titles().is_empty());
}

#[test]
fn formulas_in_the_list_of_rejects_are_guarded_behind_white_space_too_p13() {
    let desk = Desk::new();
    let content = "title,author,publishedYear\n\" =1\",\"\n=1\",x\n'=1,A,x\n";
    assert_eq!(desk.import(content), Ok(totals(2, 0, 0, 2)));
    let rejects = desk.rejects();
    assert_eq!((rejects[1][2].as_str(), rejects[1][3].as_str()), ("' =1", "'\n=1"));
    let corrected = std::fs::read_to_string(desk.rejected()).expect("readable").replace(",x", ",2001");
    let corrected = desk.file("corrected.csv", corrected);
    assert_eq!(desk.import_file(&corrected, &desk.rejected()), Ok(totals(2, 2, 0, 0)));
    assert_eq!(desk.titles(), ["=1", "'=1"]);
}
