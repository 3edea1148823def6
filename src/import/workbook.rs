//! Reads the first sheet of a spreadsheet (XLSX, ODS) as lines of CSV, with limits against zip bombs.

use std::io::{BufReader, Cursor, Read as _, Write};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use bytes::Bytes;
use calamine::{DataRef, Reader as _, Xlsx};
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::{file::write_row, table::MOST_COLUMNS};

/// Maximum bytes of a sheet, which is read cell by cell, and of any other part, which is read into memory; unpacked.
const LONGEST_SHEET: u64 = 512 * 1024 * 1024;
const LONGEST_PART: u64 = 48 * 1024 * 1024;
const MOST_PARTS: usize = 5000;
/// Maximum rows with a single cell before the header, such as the name of the school or a date.
const MOST_HEADINGS: usize = 20;

/// Writes the first sheet with content as CSV.
pub fn convert(file: Bytes, out: &mut impl Write) -> Result<()> {
    let mut parts = ZipArchive::new(Cursor::new(file.clone())).map_err(|_| damaged())?;
    check(&mut parts)?;
    let mut lines = Lines { out, written: 0, width: None, early: Vec::new() };
    if parts.index_for_name("content.xml").is_some() {
        let sheet = parts.by_name("content.xml").map_err(|_| damaged())?;
        read_ods(quick_xml::Reader::from_reader(BufReader::new(sheet)), &mut lines)?;
    } else {
        ensure!(
            parts.index_for_name("xl/workbook.xml").is_some(),
            "it is an archive without a spreadsheet in it; save the list as .xlsx, .ods or CSV"
        );
        read_xlsx(file, &mut lines)?;
    }
    lines.finish()
}

fn damaged() -> anyhow::Error {
    anyhow!("the spreadsheet is damaged; open it, and save it again")
}

/// Unpacks every part once without keeping it, because the sizes that an archive states may be wrong.
fn check(parts: &mut ZipArchive<Cursor<Bytes>>) -> Result<()> {
    ensure!(
        parts.len() <= MOST_PARTS,
        "the spreadsheet has {} parts; at most {MOST_PARTS} are read",
        parts.len()
    );
    for index in 0..parts.len() {
        let mut part = parts.by_index(index).map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(_) | zip::result::ZipError::InvalidPassword => {
                anyhow!("the spreadsheet is protected with a password; save it without one")
            }
            _ => damaged(),
        })?;
        let name = part.name().map_err(|_| damaged())?.into_owned();
        if !matches!(name.rsplit('.').next(), Some("xml" | "rels")) {
            continue;
        }
        let is_sheet = name == "content.xml" || name.starts_with("xl/worksheets/");
        let longest = if is_sheet { LONGEST_SHEET } else { LONGEST_PART };
        let length =
            std::io::copy(&mut (&mut part).take(longest + 1), &mut std::io::sink()).map_err(|_| damaged())?;
        ensure!(
            length <= longest,
            "the spreadsheet has more than {} MiB when it is unpacked; save it as CSV, or import it in parts",
            longest / 1024 / 1024
        );
    }
    Ok(())
}

/// Writes rows as CSV and keeps the line number that each row had in the sheet.
struct Lines<'o, W: Write> {
    out: &'o mut W,
    written: u64,
    /// Number of columns of the header; `None` before it.
    width: Option<usize>,
    /// Rows with a single cell, with their numbers; dropped if a wider header follows.
    early: Vec<(u64, Vec<String>)>,
}

impl<W: Write> Lines<'_, W> {
    /// Adds a row with its number, from 1; numbers must increase.
    fn push(&mut self, number: u64, mut cells: Vec<String>) -> Result<()> {
        while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
            cells.pop();
        }
        if cells.is_empty() {
            return Ok(());
        }
        if self.width.is_none() {
            let filled = cells.iter().filter(|cell| !cell.trim().is_empty()).count();
            if filled < 2 && self.early.len() < MOST_HEADINGS {
                self.early.push((number, cells));
                return Ok(());
            }
            self.early.clear();
            self.width = Some(cells.len());
        }
        self.write(number, cells)
    }

    fn write(&mut self, number: u64, mut cells: Vec<String>) -> Result<()> {
        ensure!(number > self.written, "row {number}: the rows of the spreadsheet are out of order");
        while self.written + 1 < number {
            self.out.write_all(b"\n")?;
            self.written += 1;
        }
        cells.resize(cells.len().max(self.width.unwrap_or(0)), String::new());
        write_row(self.out, &cells)?;
        self.written = number;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        for (number, cells) in std::mem::take(&mut self.early) {
            self.write(number, cells)?;
        }
        Ok(self.out.flush()?)
    }
}

/// Sets a cell of a row, which grows as needed; blank cells are ignored.
fn put(row: &mut Vec<String>, number: u64, column: usize, cell: String) -> Result<()> {
    if cell.trim().is_empty() {
        return Ok(());
    }
    ensure!(column < MOST_COLUMNS, "row {number}: there are more than {MOST_COLUMNS} columns");
    row.resize(row.len().max(column + 1), String::new());
    row[column] = cell;
    Ok(())
}

/// Writes a number without an exponent, as barcodes and ISBNs are typed.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { value.to_string() }
}

fn read_xlsx<W: Write>(file: Bytes, lines: &mut Lines<'_, W>) -> Result<()> {
    let mut workbook = Xlsx::new(Cursor::new(file)).map_err(|_| damaged())?;
    for name in workbook.sheet_names() {
        // A chart sheet has no cells.
        let Ok(mut cells) = workbook.worksheet_cells_reader(&name) else { continue };
        let (mut current, mut row) = (0, Vec::new());
        while let Some(cell) = cells.next_cell().map_err(|_| damaged())? {
            let (line, column) = cell.get_position();
            let line = u64::from(line) + 1;
            if line != current {
                lines.push(current, std::mem::take(&mut row))?;
                current = line;
            }
            let text = match cell.get_value() {
                DataRef::String(text) | DataRef::DurationIso(text) => text.clone(),
                DataRef::SharedString(text) => (*text).to_owned(),
                DataRef::Int(value) => value.to_string(),
                DataRef::Float(value) => number(*value),
                DataRef::Bool(value) => value.to_string(),
                DataRef::DateTime(day) if day.is_datetime() => {
                    let (year, month, day, ..) = day.to_ymd_hms_milli();
                    format!("{year:04}-{month:02}-{day:02}")
                }
                DataRef::DateTime(span) => number(span.as_f64()),
                DataRef::DateTimeIso(text) => text.chars().take(10).collect(),
                DataRef::Error(_) | DataRef::Empty => String::new(),
            };
            put(&mut row, line, column as usize, text)?;
        }
        lines.push(current, row)?;
        if lines.width.is_some() || !lines.early.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Value of an attribute, by its name without prefix.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|found| found.key.local_name().as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

/// Returns the number of times that a row or a cell is repeated.
fn repeated(tag: &BytesStart<'_>, name: &str) -> u64 {
    attribute(tag, name).and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// Partly parsed cell of an ODS sheet.
#[derive(Default)]
struct Cell {
    times: u64,
    /// Value of a number or a date, whose text is only its formatted form.
    value: Option<String>,
    text: String,
}

impl Cell {
    fn of(tag: &BytesStart<'_>) -> Self {
        let value = match attribute(tag, "value-type").as_deref() {
            Some("float" | "currency" | "percentage") => {
                attribute(tag, "value").and_then(|value| value.parse().ok()).map(number)
            }
            Some("date") => attribute(tag, "date-value").map(|day| day.chars().take(10).collect()),
            _ => None,
        };
        Self { times: repeated(tag, "number-columns-repeated"), value, text: String::new() }
    }
}

fn read_ods<W: Write>(
    mut xml: quick_xml::Reader<impl std::io::BufRead>,
    lines: &mut Lines<'_, W>,
) -> Result<()> {
    let mut buffer = Vec::new();
    let (mut next_row, mut row, mut times) = (1_u64, Vec::new(), 1_u64);
    let (mut column, mut cell): (u64, Option<Cell>) = (0, None);
    // Depth inside a comment, whose text is not the cell's.
    let mut comment = 0_u32;
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(|_| damaged())? {
            Event::Eof => return Ok(()),
            Event::DocType(_) => bail!("the spreadsheet has a document type; save it again as .ods or .xlsx"),
            Event::Start(tag) => match tag.local_name().as_ref() {
                "annotation" => comment += 1,
                _ if comment > 0 => {}
                "table-row" => {
                    (times, column) = (repeated(&tag, "number-rows-repeated"), 0);
                    row = Vec::new();
                }
                "table-cell" | "covered-table-cell" => cell = Some(Cell::of(&tag)),
                "p" => {
                    if let Some(cell) = cell.as_mut().filter(|cell| !cell.text.is_empty()) {
                        cell.text.push(' ');
                    }
                }
                _ => {}
            },
            Event::Empty(tag) if comment == 0 => match tag.local_name().as_ref() {
                "table-row" => next_row = next_row.saturating_add(repeated(&tag, "number-rows-repeated")),
                "table-cell" | "covered-table-cell" => {
                    let cell = Cell::of(&tag);
                    end_cell(&mut row, next_row, &mut column, cell)?;
                }
                "s" | "tab" | "line-break" => {
                    if let Some(cell) = &mut cell {
                        cell.text.push(' ');
                    }
                }
                _ => {}
            },
            Event::Text(text) if comment == 0 => {
                if let Some(cell) = &mut cell {
                    cell.text.push_str(&text.xml10_content());
                }
            }
            Event::GeneralRef(name) if comment == 0 => {
                let text = entity(&name).context("the spreadsheet is damaged")?;
                if let Some(cell) = &mut cell {
                    cell.text.push(text);
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                "annotation" => comment = comment.saturating_sub(1),
                _ if comment > 0 => {}
                "table-cell" | "covered-table-cell" => {
                    end_cell(&mut row, next_row, &mut column, cell.take().unwrap_or_default())?;
                }
                "table-row" => {
                    let row = std::mem::take(&mut row);
                    if !row.is_empty() {
                        for number in next_row..next_row.saturating_add(times) {
                            lines.push(number, row.clone())?;
                        }
                    }
                    next_row = next_row.saturating_add(times);
                }
                "table" if lines.width.is_some() || !lines.early.is_empty() => return Ok(()),
                "table" => next_row = 1,
                _ => {}
            },
            _ => {}
        }
    }
}

fn end_cell(row: &mut Vec<String>, line: u64, column: &mut u64, cell: Cell) -> Result<()> {
    let text = cell.value.unwrap_or(cell.text);
    if !text.trim().is_empty() {
        for place in *column..column.saturating_add(cell.times) {
            put(row, line, usize::try_from(place).unwrap_or(usize::MAX), text.clone())?;
        }
    }
    *column = column.saturating_add(cell.times);
    Ok(())
}

/// Returns the character of a reference in XML; `None` for entities that a document declares itself.
pub fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| *c != '\0')
        }
    }
}
