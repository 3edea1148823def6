//! Lists as files for a spreadsheet.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};

use super::error::{Error, Result};
use crate::spreadsheet;

/// Most rows in one file; a spreadsheet can hold about ten times as many.
pub const MOST_ROWS: usize = 100_000;
/// Rows read at once for a file.
pub const PORTION: i64 = 1000;

/// A file in the making. Cells that would be taken for formulas are guarded.
pub struct CsvFile {
    writer: csv::Writer<Vec<u8>>,
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Internal(error.into())
}

impl CsvFile {
    /// With the names of its columns.
    pub fn new(columns: &[&str]) -> Result<Self> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(columns).map_err(failed)?;
        Ok(Self { writer })
    }

    pub fn row<const COLUMNS: usize>(&mut self, cells: [String; COLUMNS]) -> Result<()> {
        self.writer.write_record(cells.map(|cell| spreadsheet::guarded(&cell))).map_err(failed)
    }

    /// The answer that a browser saves under this name.
    pub fn into_answer(self, name: &str) -> Result<Response> {
        let bytes = self.writer.into_inner().map_err(|error| failed(error.to_string()))?;
        let saved = format!("attachment; filename=\"{name}\"");
        let kind = "text/csv; charset=utf-8".to_owned();
        Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, saved)], bytes).into_response())
    }
}
