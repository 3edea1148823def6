//! List of rejected rows with line and reason, which can be corrected and imported again.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use csv::StringRecord;
use tempfile::NamedTempFile;

use super::table::{REJECT_COLUMNS, Row, Source, Table};
use crate::spreadsheet::guarded;

/// Rejected row with its cells as read.
#[derive(Clone)]
pub struct Rejected {
    line: u64,
    cells: StringRecord,
    reason: String,
}

impl Rejected {
    #[must_use]
    pub fn new(row: &Row<'_>, reason: String) -> Self {
        Self::of(row.line, row.cells().collect(), reason)
    }

    #[must_use]
    pub fn of(line: u64, cells: StringRecord, reason: String) -> Self {
        Self { line, cells, reason }
    }

    /// Returns the line of the row in the imported file.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    #[must_use]
    pub fn for_reason(self, reason: String) -> Self {
        Self { reason, ..self }
    }
}

/// Refuses to overwrite the imported file with the list, also through a link (P12).
pub fn is_another_file(list: &Path, imported: &Path) -> Result<()> {
    let same = list.canonicalize().ok().zip(imported.canonicalize().ok()).is_some_and(|(a, b)| a == b);
    ensure!(
        !same && list != imported,
        "{} is the file that is imported: name another file for the rejected rows",
        list.display()
    );
    Ok(())
}

pub struct Rejects {
    writer: csv::Writer<NamedTempFile>,
    path: PathBuf,
    count: u64,
}

impl Rejects {
    /// Begins the list of rejected rows of `table`. The file appears on [`Self::finish`].
    pub fn create(path: &Path, table: &Table) -> Result<Self> {
        if let Source::Path(imported) = table.source() {
            is_another_file(path, imported)?;
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder).with_context(|| write_failure(path))?;
        let writer = csv::WriterBuilder::new().flexible(true).from_writer(file);
        let mut rejects = Self { writer, path: path.to_owned(), count: 0 };
        rejects.write(REJECT_COLUMNS, table.names())?;
        Ok(rejects)
    }

    /// Appends rows, ordered by line.
    pub fn add(&mut self, rows: &[Rejected]) -> Result<()> {
        for row in rows {
            self.count += 1;
            self.write([&row.line.to_string(), &row.reason], row.cells.iter())?;
        }
        Ok(())
    }

    fn write<'c>(&mut self, first: [&'c str; 2], cells: impl Iterator<Item = &'c str>) -> Result<()> {
        self.writer
            .write_record(first.into_iter().chain(cells).map(guarded))
            .with_context(|| write_failure(&self.path))
    }

    /// Moves the list to its path; returns the number of its rows.
    pub fn finish(self) -> Result<u64> {
        let file = self.writer.into_inner().map_err(csv::IntoInnerError::into_error);
        let put = || -> std::io::Result<()> { Ok(file?.persist(&self.path).map(drop)?) };
        put().with_context(|| write_failure(&self.path))?;
        Ok(self.count)
    }
}

/// List of rejected rows inside a response, truncated to a maximum length.
pub struct Excerpt {
    text: String,
    /// Bytes of JSON left; 0 after a row did not fit.
    room: usize,
}

impl Excerpt {
    /// Begins the list of rejected rows of `table`.
    #[must_use]
    pub fn new(table: &Table, room: usize) -> Self {
        let mut excerpt = Self { text: String::new(), room };
        excerpt.write(REJECT_COLUMNS, table.names());
        excerpt
    }

    pub fn add(&mut self, row: &Rejected) {
        self.write([&row.line.to_string(), &row.reason], row.cells.iter());
    }

    fn write<'c>(&mut self, first: [&'c str; 2], cells: impl Iterator<Item = &'c str>) {
        if self.room == 0 {
            return;
        }
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        // Writing to memory cannot fail.
        let _ = writer.write_record(first.into_iter().chain(cells).map(guarded));
        let line = writer.into_inner().ok().and_then(|line| String::from_utf8(line).ok()).unwrap_or_default();
        let length = serde_json::to_vec(&line).map_or(usize::MAX, |json| json.len());
        match self.room.checked_sub(length) {
            Some(room) => {
                self.room = room;
                self.text.push_str(&line);
            }
            None => self.room = 0,
        }
    }

    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }
}

fn write_failure(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

/// Returns `NAME.rejected.csv` in the current folder, for a file such as `NAME.csv`, `NAME.xlsx` or `NAME.mrc.gz`.
#[must_use]
pub fn default_path(file: &Path) -> PathBuf {
    let mut name = PathBuf::from(file.file_name().unwrap_or_default());
    if name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        name.set_extension("");
    }
    name.set_extension("rejected.csv");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_rejected_rows_is_named_after_the_import() {
        for name in ["books.csv", "/tmp/books.xlsx", "books.mrc.gz", "books"] {
            assert_eq!(default_path(Path::new(name)), Path::new("books.rejected.csv"), "{name}");
        }
    }
}
