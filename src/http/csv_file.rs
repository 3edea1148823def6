//! Lists exported as CSV. A file is streamed portion by portion, so that memory use does not depend on its size.

use axum::{
    body::{Body, Bytes},
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt as _, stream};

use super::error::{Error, Result};
use crate::spreadsheet;

/// Maximum rows in one file; a spreadsheet can hold about ten times as many.
pub const MOST_ROWS: usize = 100_000;
/// Rows read at once: few, because a change of a book may contain its description twice, up to 80 KiB.
pub const PORTION: i64 = 250;

/// Rows, and the position of the next portion; `None` after the last portion.
pub type Portion<const COLUMNS: usize, P> = (Vec<[String; COLUMNS]>, Option<P>);

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Internal(error.into())
}

/// Formats rows as CSV. Cells that a spreadsheet would read as formulas are guarded.
fn lines<const COLUMNS: usize>(rows: impl IntoIterator<Item = [String; COLUMNS]>) -> Result<Bytes> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cells in rows {
        writer.write_record(cells.map(|cell| spreadsheet::guarded(&cell))).map_err(failed)?;
    }
    Ok(writer.into_inner().map_err(|error| failed(error.to_string()))?.into())
}

/// Streams a download with a header line and up to [`MOST_ROWS`] rows; `read` returns the portion at a position. A
/// failure before the first row gets a problem response; a later failure truncates the file.
pub async fn answer<const COLUMNS: usize, P, R, F>(
    name: &str,
    columns: [&str; COLUMNS],
    from: P,
    read: R,
) -> Result<Response>
where
    P: Send + 'static,
    R: Fn(P) -> F + Send + 'static,
    F: Future<Output = Result<Portion<COLUMNS, P>>> + Send,
{
    let (rows, next) = read(from).await?;
    let count = rows.len();
    // Without the byte order mark, spreadsheets read the file in the system's legacy encoding, which garbles other
    // scripts.
    let mark = Bytes::from_static("\u{feff}".as_bytes());
    let first = lines(std::iter::once(columns.map(ToOwned::to_owned)).chain(rows))?;
    let rest = stream::try_unfold((next, count, read), async |(next, count, read)| {
        let Some(from) = next.filter(|_| count < MOST_ROWS) else { return Ok(None) };
        let (rows, next) = read(from).await?;
        let count = count + rows.len();
        Ok(Some((lines(rows)?, (next, count, read))))
    });
    let rest = rest.inspect(|portion: &Result<Bytes>| {
        if let Err(error) = portion {
            tracing::error!(error = error as &dyn std::error::Error, "a file broke off while it was sent");
        }
    });
    let body = Body::from_stream(stream::iter([Ok(mark), Ok(first)]).chain(rest));
    let saved = format!("attachment; filename=\"{name}\"");
    let kind = "text/csv; charset=utf-8".to_owned();
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, saved)], body).into_response())
}
