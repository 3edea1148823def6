//! Imports of files: each row is stored, found unchanged, or listed with the reason of its rejection.
//!
//! [`mod@file`] recognises a file and turns spreadsheets (`workbook`) and MARC records ([`marc`]) into CSV text. All imports share
//! [`table`], which reads rows, [`columns`], which guesses what is in which column, and [`rejects`], which lists rejected rows.
//! [`books`] and [`people`] interpret the rows of their kind; [`loans`] and [`charges`] do so for [`staged`], which imports lists
//! whose rows each make one entry. [`photos`] reads an archive of pictures.

mod amount;
pub mod books;
pub mod charges;
pub mod columns;
mod day;
pub mod file;
pub mod loans;
pub mod marc;
pub mod people;
pub mod photos;
mod readers;
pub mod rejects;
pub mod staged;
pub mod table;
pub mod undo;
mod workbook;

use std::time::{Duration, Instant};

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::rule::{FieldError, Invalid},
    storage,
};

/// Rejected row of a report.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RejectedLine {
    pub line: u64,
    /// Errors by field.
    pub errors: Vec<FieldError>,
}

/// Joins the errors of a row into one text.
fn reason(invalid: &Invalid) -> String {
    let errors = invalid.0.iter().map(|error| match error.field.as_ref() {
        "" => error.message.clone(),
        field => format!("{field}: {}", error.message),
    });
    errors.collect::<Vec<_>>().join("; ")
}

/// Maximum retries of a portion that is refused as busy.
const TRIES: u32 = 5;
/// Pause before the first retry; doubles with each retry.
const PAUSE: Duration = Duration::from_millis(100);

/// Stores a portion, and retries while the database is busy.
fn patiently<T>(mut attempt: impl FnMut() -> storage::Result<T>) -> storage::Result<T> {
    let (mut tries, mut pause) = (0, PAUSE);
    loop {
        match attempt() {
            Err(storage::Error::Busy(_)) if tries < TRIES => {
                std::thread::sleep(pause);
                (tries, pause) = (tries + 1, pause * 2);
            }
            done => return done,
        }
    }
}

/// Time for which a command writes without a pause. Beside an import of a million titles, the desk's scans had a p99
/// of 62 ms with 150 ms here, and of 38 ms with 30 ms; the import took 30 s and 41 s (2 cores of an EPYC).
const AT_A_STRETCH: Duration = Duration::from_millis(30);
/// Pause between writes: three times the retry interval of a server on the same `SQLite` file.
const GAP: Duration = Duration::from_millis(15);

/// Pauses between the transactions of a command, so that a server on the same `SQLite` file can write: `SQLite` has no queue of
/// writing processes.
struct Pace(Instant);

impl Pace {
    fn new() -> Self {
        Self(Instant::now())
    }

    /// Pauses if the command has written for [`AT_A_STRETCH`]. Called between two transactions.
    fn keep(&mut self) {
        if self.0.elapsed() > AT_A_STRETCH {
            std::thread::sleep(GAP);
            *self = Self::new();
        }
    }
}
