//! Table in a CSV file, checked as a whole and then read row by row.
//!
//! The file is read twice. The first pass checks encoding, quotes and the size of rows, so that a malformed file imports
//! nothing.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{BufRead, BufReader, Cursor, Read as _, Seek, SeekFrom},
    path::PathBuf,
};

use anyhow::{Context as _, Result, bail, ensure};
use bytes::Bytes;
use csv::{ReaderBuilder, StringRecord};
use flate2::read::MultiGzDecoder;
use indicatif::ProgressBar;

use crate::{
    domain::rule::{Invalid, Text},
    message::Message,
    spreadsheet::unguarded,
};

/// Leading columns of a list of rejected rows; an import ignores them.
pub const REJECT_COLUMNS: [&str; 2] = ["line", "reason"];

/// Maximum bytes in a row. Title, author and description of maximum length have 48 000; without a limit an unclosed quote
/// would swallow the rest of the file.
const MAX_ROW: usize = 1024 * 1024;

/// Source of a CSV file.
#[derive(Clone)]
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

/// A CSV file with a header, plain or gzipped.
pub struct Table {
    source: Source,
    reader: csv::Reader<Box<dyn BufRead>>,
    header: StringRecord,
    columns: HashMap<String, usize>,
    record: StringRecord,
}

/// A row of a [`Table`].
pub struct Row<'t> {
    /// Line on which it begins, from 1.
    pub line: u64,
    table: &'t Table,
}

impl Table {
    /// Opens a file of at most `longest` bytes of text with the column `required` and others of `known`. `bar` shows the
    /// progress of reading.
    pub fn open(
        source: &Source,
        longest: u64,
        known: &[&str],
        required: &str,
        bar: &ProgressBar,
    ) -> Result<Self> {
        let table = || -> Result<Self> {
            check_soundness(open(source, &ProgressBar::hidden())?, longest)?;
            let (reader, header) = begin(source, bar)?;
            let columns = columns(&header, known, required)?;
            Ok(Self { source: source.clone(), reader, header, columns, record: StringRecord::new() })
        };
        table().with_context(|| source.to_string())
    }

    /// Returns to the first row.
    pub fn rewind(&mut self) -> Result<()> {
        let begun = begin(&self.source, &ProgressBar::hidden());
        (self.reader, _) = begun.with_context(|| self.source.to_string())?;
        Ok(())
    }

    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Reads the next row; `None` after the last.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        let more = self.reader.read_record(&mut self.record).with_context(|| self.source.to_string())?;
        let line = self.record.position().map_or(0, csv::Position::line);
        Ok(more.then_some(Row { line, table: self }))
    }

    /// Returns the header's names without the leading columns of a list of rejected rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own_cells(&self.header)
    }

    fn own_cells<'r>(&'r self, record: &'r StringRecord) -> impl Iterator<Item = &'r str> {
        let skipped = REJECT_COLUMNS.map(|name| self.columns.get(name).copied());
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

    /// Returns its size in memory in bytes: the text and the end of each cell.
    #[must_use]
    pub fn length(&self) -> usize {
        self.table.record.as_slice().len() + self.table.record.len() * size_of::<usize>()
    }

    /// True if all cells are blank. Spreadsheets write such rows for lines that were once edited.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.table.record.iter().all(|cell| cell.trim().is_empty())
    }

    /// Fails if the row has more or fewer cells than the header.
    pub fn check_length(&self) -> Result<()> {
        let (cells, names) = (self.table.record.len(), self.table.header.len());
        ensure!(cells == names, "has {cells} fields, but the header has {names}");
        Ok(())
    }

    /// Returns the trimmed cell of a column; blank if the file has no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> &'t str {
        let index = self.table.columns.get(column);
        let cell = index.and_then(|index| self.table.record.get(*index)).unwrap_or_default().trim();
        // Lists of rejected rows are guarded for spreadsheets.
        if self.table.columns.contains_key(REJECT_COLUMNS[1]) { unguarded(cell).trim() } else { cell }
    }

    /// Returns a text. Real data is incomplete, so it may be blank or shorter than a form allows.
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

fn columns(header: &StringRecord, known: &[&str], required: &str) -> Result<HashMap<String, usize>> {
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
            "line 1: unknown column \"{name}\"; the header may have {}",
            known.join(",")
        );
        ensure!(columns.insert(name.to_owned(), index).is_none(), "line 1: column \"{name}\" appears twice");
    }
    ensure!(
        columns.contains_key(required),
        "line 1: the header is missing or has no column \"{required}\"; it may have {}",
        known.join(",")
    );
    Ok(columns)
}

/// Opens a reader of a file's rows and reads the header.
fn begin(source: &Source, bar: &ProgressBar) -> Result<(csv::Reader<Box<dyn BufRead>>, StringRecord)> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(open(source, bar)?);
    let header = reader.headers()?.clone();
    Ok((reader, header))
}

/// Opens the text of a file, unpacked, without a byte order mark.
fn open(source: &Source, bar: &ProgressBar) -> Result<Box<dyn BufRead>> {
    match source {
        Source::Path(path) => unpacked(BufReader::new(File::open(path).context("cannot be read")?), bar),
        Source::Upload(bytes) => unpacked(Cursor::new(bytes.clone()), bar),
    }
}

fn unpacked(mut file: impl BufRead + Seek + 'static, bar: &ProgressBar) -> Result<Box<dyn BufRead>> {
    let length = file.seek(SeekFrom::End(0)).context("cannot be read")?;
    file.rewind().context("cannot be read")?;
    bar.set_length(length);
    // Recognised by its first bytes, not by its name.
    let gzipped = file.fill_buf().context("cannot be read")?.starts_with(&[0x1f, 0x8b]);
    let file = bar.wrap_read(file);
    let mut text: Box<dyn BufRead> = if gzipped {
        Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::with_capacity(64 * 1024, file))
    };
    if text.fill_buf().context("cannot be read")?.starts_with(&[0xef, 0xbb, 0xbf]) {
        text.consume(3);
    }
    Ok(text)
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

/// Checks the whole file: UTF-8, quotes after RFC 4180, no row beyond [`MAX_ROW`], at most `longest` bytes (unpacking may
/// enlarge a file a thousand times). The `csv` crate accepts a misplaced quote silently.
fn check_soundness(mut text: impl BufRead, longest: u64) -> Result<()> {
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
        if number == 1 && (line.starts_with(&[0xff, 0xfe]) || line.starts_with(&[0xfe, 0xff])) {
            bail!("line 1: the file is UTF-16; save it as \"CSV UTF-8\"");
        }
        if let Err(error) = std::str::from_utf8(&line) {
            let byte = error.valid_up_to() + 1;
            bail!("line {number}: byte {byte} is not UTF-8; save the file as \"CSV UTF-8\"");
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
                (_, b',' | b'\n' | b'\r') => State::FieldStart,
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
        check_soundness(text, u64::MAX).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_file_that_is_not_sound_is_refused_with_the_line() {
        assert!(unsound(b"title\n\"open").starts_with("line 2: the quote opened here is never closed"));
        assert!(unsound(b"title\na\n\"b\" c\n").starts_with("line 3: text after a closing quote"));
        assert!(unsound(b"title\na \"b\"\n").starts_with("line 2: a quote inside"));
        assert!(unsound(b"title\nok\ncaf\xe9\n").starts_with("line 3: byte 4 is not UTF-8"));
        assert!(unsound(b"\xff\xfet\0").contains("UTF-16"));
        assert_eq!(unsound(b"title,author\r\n\"a \"\"b\"\"\nc\",d\r\n,\r\n"), "");
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
            columns(&StringRecord::from(names.to_vec()), &["title", "author"], "title")
                .map_or_else(|error| error.to_string(), |columns| columns.len().to_string())
        };
        assert!(header(&["Madame Bovary", "Gustave Flaubert"]).contains("Madame Bovary"));
        assert!(header(&[]).contains("empty") && header(&["author"]).contains("title"));
        assert!(header(&["title", "title"]).contains("twice"));
        assert_eq!(header(&["reason", "title", "author"]), "3");
    }
}
