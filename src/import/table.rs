//! Table in a file, checked as a whole and then read row by row.
//!
//! CSV text is read twice. The first pass checks encoding, quotes and the size of rows, so that a malformed file imports
//! nothing. [`super::file`] turns files of other kinds into such text.

use std::{
    collections::HashMap,
    fmt,
    io::{BufRead, Read as _},
    path::PathBuf,
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use bytes::Bytes;
use csv::{ReaderBuilder, StringRecord};
use indicatif::ProgressBar;

use super::{
    columns::is_heading,
    file::{self, Kind, Recognised},
};
use crate::{
    domain::rule::{Invalid, Text},
    message::Message,
    spreadsheet::unguarded,
};

/// Leading columns of a list of rejected rows; an import ignores them.
pub const REJECT_COLUMNS: [&str; 2] = ["line", "reason"];

/// Column with the MARC record of a row, which the list of rejected rows leaves out.
pub const RECORD: &str = "marc";

/// Column with the reason why a MARC record could not be converted.
pub const PROBLEM: &str = "problem";

/// Maximum columns of a file.
pub const MOST_COLUMNS: usize = 250;

/// Maximum bytes in a row. Title, author and description of maximum length have 48 000; without a limit an unclosed quote
/// would swallow the rest of the file.
pub(super) const MAX_ROW: usize = 1024 * 1024;

/// File to import.
#[derive(Clone, Debug)]
pub enum Source {
    Path(PathBuf),
    /// Uploaded bytes, plain or gzipped.
    Upload(Bytes),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Upload(_) => f.write_str("the file"),
        }
    }
}

/// Assignment of a file's columns to fields.
#[derive(Clone, Copy)]
pub struct Columns<'c> {
    /// Fields that the import reads.
    pub known: &'c [&'c str],
    /// Fields that the file must have.
    pub required: &'c [&'c str],
    /// Field of each column in order, blank for an ignored column; `None` takes the fields from the header.
    pub fields: Option<&'c [String]>,
}

/// Table with a header, read row by row.
pub struct Table {
    source: Source,
    file: Recognised,
    reader: csv::Reader<Box<dyn BufRead>>,
    /// Number of line breaks that the reader counts with the row that they end: 0 in a file with CR LF, where LF is read with
    /// the next row.
    counted_breaks: u64,
    header: StringRecord,
    columns: HashMap<String, usize>,
    record: StringRecord,
}

/// A row of a [`Table`].
pub struct Row<'t> {
    /// Line of the file on which the row begins, from 1; for MARC the number of the record.
    pub line: u64,
    table: &'t Table,
}

impl Table {
    /// Opens a file of at most `longest` bytes of text. `bar` shows the progress of reading.
    pub fn open(source: &Source, longest: u64, columns: Columns<'_>, bar: &ProgressBar) -> Result<Self> {
        let table = || -> Result<Self> {
            let file = file::recognise(source, longest)?;
            let (reader, counted_breaks, header) = begin(&file, bar)?;
            let columns = match columns.fields {
                None => named(&header, columns.known, columns.required)?,
                Some(fields) => chosen(&header, fields, columns)?,
            };
            let (source, record) = (source.clone(), StringRecord::new());
            Ok(Self { source, file, reader, counted_breaks, header, columns, record })
        };
        table().with_context(|| source.to_string())
    }

    /// Opens a file without assigning its columns to fields.
    pub fn unnamed(source: &Source, longest: u64, bar: &ProgressBar) -> Result<Self> {
        let table = || -> Result<Self> {
            let file = file::recognise(source, longest)?;
            let (reader, counted_breaks, header) = begin(&file, bar)?;
            ensure!(!header.is_empty(), "the file is empty; its first line must name the columns");
            let (source, columns, record) = (source.clone(), HashMap::new(), StringRecord::new());
            Ok(Self { source, file, reader, counted_breaks, header, columns, record })
        };
        table().with_context(|| source.to_string())
    }

    /// Returns the headings.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }

    /// True for a list of rejected rows.
    #[must_use]
    pub fn is_list_of_rejects(&self) -> bool {
        is_list_of_rejects(&self.header)
    }

    #[must_use]
    pub fn separator(&self) -> u8 {
        self.file.separator
    }

    /// Returns the encoding of the file, if it is not UTF-8.
    #[must_use]
    pub fn encoding(&self) -> Option<&'static str> {
        self.file.encoding
    }

    /// Rewinds to the first row.
    pub fn rewind(&mut self) -> Result<()> {
        let begun = begin(&self.file, &ProgressBar::hidden());
        (self.reader, ..) = begun.with_context(|| self.source.to_string())?;
        Ok(())
    }

    #[must_use]
    pub fn kind(&self) -> Kind {
        self.file.kind
    }

    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Reads the next row; `None` after the last.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        let more = self.reader.read_record(&mut self.record).with_context(|| self.source.to_string())?;
        let begun = self.record.position().map_or(0, csv::Position::line);
        // The reader counts blank lines before a row with the row itself.
        let breaks = self.record.as_slice().bytes().filter(|byte| *byte == b'\n').count() as u64;
        let ended = self.reader.position().line();
        let line = begun.max(ended.saturating_sub(breaks + self.counted_breaks));
        // A MARC file has no header line, so records are numbered from 1.
        let line = if self.file.kind == Kind::Marc { line - 1 } else { line };
        Ok(more.then_some(Row { line, table: self }))
    }

    /// Returns the header's names without the leading columns of a list of rejected rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own_cells(&self.header)
    }

    fn own_cells<'r>(&'r self, record: &'r StringRecord) -> impl Iterator<Item = &'r str> {
        let skipped = [REJECT_COLUMNS[0], REJECT_COLUMNS[1], RECORD, PROBLEM]
            .map(|name| self.columns.get(name).copied());
        record
            .iter()
            .enumerate()
            .filter(move |(index, _)| !skipped.contains(&Some(*index)))
            .map(|(_, cell)| cell)
    }
}

impl<'t> Row<'t> {
    /// Returns the cells as read, without the leading columns of a list of rejected rows.
    pub fn cells(&self) -> impl Iterator<Item = &'t str> {
        self.table.own_cells(&self.table.record)
    }

    /// Returns all cells as read.
    pub fn all_cells(&self) -> impl Iterator<Item = &'t str> {
        self.table.record.iter()
    }

    /// Returns the memory in bytes that the row takes: its text, and an offset for each cell.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.table.record.as_slice().len() + self.table.record.len() * size_of::<usize>()
    }

    /// True if all cells are blank. Spreadsheets write such rows for lines that were once edited.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.table.record.iter().all(|cell| cell.trim().is_empty())
    }

    /// Fails if the row has more or fewer cells than the header.
    pub fn check_cell_count(&self) -> Result<()> {
        let (cells, names) = (self.table.record.len(), self.table.header.len());
        ensure!(cells == names, "has {cells} fields, but the header has {names}");
        Ok(())
    }

    /// Returns the trimmed cell of a column; blank if the file has no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> &'t str {
        let index = self.table.columns.get(column);
        let cell = index.and_then(|index| self.table.record.get(*index)).unwrap_or_default().trim();
        // A list of rejected rows was written with a guard against formulas.
        if self.table.columns.contains_key(REJECT_COLUMNS[1]) { unguarded(cell).trim() } else { cell }
    }

    /// Returns the checked text of a column. Real data is incomplete, so the text may be blank or shorter than a form
    /// allows.
    pub fn text(&self, column: &'static str, rule: Text, invalid: &mut Invalid) -> String {
        Text { min: 0, field: column, ..rule }.check(self.cell(column), invalid)
    }

    /// Parses a cell; `None` if it is blank. If `parse` fails, the message of `unreadable` is added to `invalid`.
    pub fn parse<T>(
        &self,
        column: &'static str,
        unreadable: impl Fn(&str) -> Message,
        invalid: &mut Invalid,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return None;
        }
        let value = parse(cell);
        if value.is_none() {
            let shown: String = cell.chars().take(40).collect();
            invalid.push(column, unreadable(&shown));
        }
        value
    }
}

fn named(header: &StringRecord, known: &[&str], required: &[&str]) -> Result<HashMap<String, usize>> {
    let first = &known[..known.len().min(3)];
    ensure!(
        !header.is_empty(),
        "the file is empty; its first line must name the columns, such as {}",
        first.join(",")
    );
    let mut columns = HashMap::new();
    for (index, name) in header.iter().enumerate() {
        let name = name.trim();
        ensure!(
            known.contains(&name) || REJECT_COLUMNS.contains(&name),
            "line 1: unknown column \"{}\"; the header may have {}",
            short(name),
            listed(known)
        );
        ensure!(columns.insert(name.to_owned(), index).is_none(), "line 1: column \"{name}\" appears twice");
    }
    for field in required {
        ensure!(
            columns.contains_key(*field),
            "line 1: the header is missing or has no column \"{field}\"; it may have {}",
            listed(known)
        );
    }
    Ok(columns)
}

/// Lists the columns that a CSV file may have; the others exist for MARC only.
fn listed(known: &[&str]) -> String {
    let known: Vec<&str> = known.iter().copied().filter(|name| ![RECORD, PROBLEM].contains(name)).collect();
    known.join(",")
}

/// Shortens a text from a file for a message.
pub(super) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn chosen(
    header: &StringRecord,
    fields: &[String],
    Columns { known, required, .. }: Columns<'_>,
) -> Result<HashMap<String, usize>> {
    ensure!(!header.is_empty(), "the file is empty; its first line must name the columns");
    ensure!(
        header.len() == fields.len(),
        "the file has {} columns, and {} were chosen; choose the columns again",
        header.len(),
        fields.len()
    );
    let mut columns = HashMap::new();
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| !field.is_empty()) {
        ensure!(known.contains(&field.as_str()), "there is no field \"{}\"", short(field));
        ensure!(columns.insert(field.clone(), index).is_none(), "two columns are chosen as \"{field}\"");
    }
    for field in required {
        ensure!(columns.contains_key(*field), "no column is chosen as \"{field}\"");
    }
    if is_list_of_rejects(header) {
        columns.extend(REJECT_COLUMNS.iter().enumerate().map(|(index, name)| ((*name).to_owned(), index)));
    }
    Ok(columns)
}

/// True for the header of a list of rejected rows.
pub(super) fn is_list_of_rejects(header: &StringRecord) -> bool {
    REJECT_COLUMNS.iter().enumerate().all(|(index, name)| header.get(index) == Some(name))
}

/// Rows of a file after its header, the line breaks that their reader counts with a row (see [`Table`]), and the header.
type Begun = (csv::Reader<Box<dyn BufRead>>, u64, StringRecord);

/// Opens a reader of a file's rows and reads the header.
fn begin(file: &Recognised, bar: &ProgressBar) -> Result<Begun> {
    let titles = titles(file)?;
    let mut text = file.text(bar)?;
    let head = text.fill_buf()?;
    let first_break = head.iter().position(|byte| *byte == b'\n').unwrap_or_default();
    let counted_breaks = u64::from(!head[..first_break].ends_with(b"\r"));
    let mut reader = rows_of(text, file.separator);
    let mut header = StringRecord::new();
    for _ in 0..=titles {
        reader.read_record(&mut header)?;
    }
    ensure!(
        header.len() <= MOST_COLUMNS,
        "line {}: there are {} columns; a file may have {MOST_COLUMNS}",
        titles + 1,
        header.len()
    );
    Ok((reader, counted_breaks, header))
}

fn rows_of(text: Box<dyn BufRead>, separator: u8) -> csv::Reader<Box<dyn BufRead>> {
    ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(text)
}

/// Maximum number of rows above the headings.
const MOST_TITLES: usize = 10;

/// Returns the number of rows above the headings: rows of at most one cell that is no heading, such as a school's name, before
/// the first row of several cells. 0 if there is no such row.
fn titles(file: &Recognised) -> Result<usize> {
    let mut reader = rows_of(file.text(&ProgressBar::hidden())?, file.separator);
    let mut record = StringRecord::new();
    for above in 0..=MOST_TITLES {
        if !reader.read_record(&mut record)? {
            break;
        }
        let mut filled = record.iter().filter(|cell| !cell.trim().is_empty());
        let (first, second) = (filled.next(), filled.next());
        if second.is_some() || first.is_some_and(is_heading) {
            return Ok(above);
        }
    }
    Ok(0)
}

/// State of the check of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    Bare,
    Quoted,
    /// After a quote in a quoted field: an escape or the end.
    QuoteSeen,
}

/// Cause of an error: the text is not UTF-8.
#[derive(Debug, thiserror::Error)]
#[error("the text is not UTF-8")]
pub(super) struct NotUtf8;

/// Checks the whole file: UTF-8, quotes according to RFC 4180, no row beyond [`MAX_ROW`], at most `longest` bytes (a
/// gzipped file may be a thousand times longer unpacked). The `csv` crate silently accepts a misplaced quote.
pub(super) fn check_soundness(mut text: impl BufRead, longest: u64, separator: u8) -> Result<()> {
    let mut line = Vec::new();
    let mut length = 0;
    let mut number = 0_u64;
    let mut state = State::FieldStart;
    let mut quote_opened = 0;
    let (mut row, mut row_begun) = (0, 1);
    loop {
        line.clear();
        let read = (&mut text)
            .take(MAX_ROW as u64 + 1)
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot be read after line {number}; is the file complete?"))?;
        if read == 0 {
            break;
        }
        number += 1;
        length += read as u64;
        ensure!(
            length <= longest,
            "it has more than {} MiB of text; import it in parts",
            longest / 1024 / 1024
        );
        if state == State::Quoted {
            row += read;
        } else {
            (row, row_begun) = (read, number);
        }
        ensure!(
            row <= MAX_ROW,
            "line {row_begun}: the row is longer than 1 MiB; is a closing quote missing?"
        );
        if let Err(error) = std::str::from_utf8(&line) {
            let byte = error.valid_up_to() + 1;
            return Err(anyhow!(NotUtf8).context(format!(
                "line {number}: byte {byte} is not UTF-8; save the file as \"CSV UTF-8\""
            )));
        }
        ensure!(!line.contains(&0), "line {number}: there is a NUL character; this is not a text file");
        for byte in &line {
            state = match (state, byte) {
                (State::FieldStart, b'"') => {
                    quote_opened = number;
                    State::Quoted
                }
                (State::Quoted, b'"') => State::QuoteSeen,
                (State::Quoted, _) | (State::QuoteSeen, b'"') => State::Quoted,
                (State::Bare, b'"') => bail!(
                    "line {number}: a quote inside a field that is not quoted; put the whole field in quotes and \
                     double the quote"
                ),
                (_, b'\n' | b'\r') => State::FieldStart,
                (_, byte) if *byte == separator => State::FieldStart,
                (State::QuoteSeen, _) => {
                    bail!(
                        "line {number}: text after a closing quote; double a quote that belongs to the text"
                    )
                }
                (State::FieldStart | State::Bare, _) => State::Bare,
            };
        }
    }
    ensure!(state != State::Quoted, "line {quote_opened}: the quote opened here is never closed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsound(text: &[u8]) -> String {
        check_soundness(text, u64::MAX, b',').map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_file_that_is_not_sound_is_refused_with_the_line() {
        assert!(unsound(b"title\n\"open").starts_with("line 2: the quote opened here is never closed"));
        assert!(unsound(b"title\na\n\"b\" c\n").starts_with("line 3: text after a closing quote"));
        assert!(unsound(b"title\na \"b\"\n").starts_with("line 2: a quote inside"));
        assert!(unsound(b"title\nok\ncaf\xe9\n").starts_with("line 3: byte 4 is not UTF-8"));
        assert_eq!(unsound(b"title,author\r\n\"a \"\"b\"\"\nc\",d\r\n,\r\n"), "");
    }

    #[test]
    fn a_row_has_the_line_that_an_editor_shows() {
        for end in ["\n", "\r\n"] {
            for last in ["", end] {
                let lines = ["title,author", "a,b", "", "", "\"c\n d\",e", "f,g", ",", "h,i"];
                let text = lines.join("\n").replace('\n', end) + last;
                let source = Source::Upload(text.into_bytes().into());
                let mut table = Table::unnamed(&source, u64::MAX, &ProgressBar::hidden()).expect("a table");
                let mut found = Vec::new();
                while let Some(row) = table.next_row().expect("a row") {
                    found.push(row.line);
                }
                assert_eq!(found, [2, 5, 7, 8, 9], "{end:?} {last:?}");
            }
        }
    }

    #[test]
    fn the_name_of_a_school_above_the_headings_is_no_heading() {
        let found = |text: &str| {
            let source = Source::Upload(text.to_owned().into_bytes().into());
            let mut table = Table::unnamed(&source, u64::MAX, &ProgressBar::hidden()).expect("a table");
            let header = table.header().collect::<Vec<_>>().join("|");
            let line = table.next_row().expect("a row").map_or(0, |row| row.line);
            (header, line)
        };
        let is = |header: &str, line| (header.to_owned(), line);
        assert_eq!(found("Title,Author\nGodan,Premchand\n"), is("Title|Author", 2));
        assert_eq!(found("St. Mary School\n\nTitle,Author\nGodan,Premchand\n"), is("Title|Author", 4));
        assert_eq!(found("Stock of 2025,\r\n,\r\nTitle,Author\r\nGodan,P\r\n"), is("Title|Author", 4));
        assert_eq!(found("St. Mary School\nTitle;Author\nGodan;Premchand\n"), is("Title|Author", 3));
        // A single heading is one, also above rows with more cells; without any row of several cells the first is taken.
        assert_eq!(found("Title,\nGodan,Premchand\n"), is("Title|", 2));
        assert_eq!(found("Our books\nGodan\nGaban\n"), is("Our books", 2));
        assert_eq!(found("title\nPoems; a choice\n"), is("title", 2));
    }

    #[test]
    fn a_row_has_a_greatest_size_p13() {
        let long = "x".repeat(MAX_ROW - 9);
        assert_eq!(unsound(format!("title\n{long}\n{long}\n\"{long}\"\n").as_bytes()), "");
        for row in [
            format!("{long}1234567890"),
            format!("\"{long}\n1234567890\""),
            format!("\"{}", "x\n".repeat(600_000)),
        ] {
            assert!(
                unsound(format!("title\nfirst\n{row}").as_bytes()).starts_with("line 3: the row is longer")
            );
        }
    }

    #[test]
    fn a_header_is_asked_for_and_a_misspelt_column_named() {
        let header = |names: &[&str]| {
            named(&StringRecord::from(names.to_vec()), &["title", "author"], &["title"])
                .map_or_else(|error| error.to_string(), |columns| columns.len().to_string())
        };
        assert!(header(&["Madame Bovary", "Gustave Flaubert"]).contains("Madame Bovary"));
        assert!(header(&[]).contains("empty") && header(&["author"]).contains("title"));
        assert!(header(&["title", "title"]).contains("twice"));
        assert_eq!(header(&["reason", "title", "author"]), "3");
    }
}
