//! Imports of files: each row is stored, found unchanged, or listed with the reason of its rejection.
//!
//! [`file`] recognises a file and turns spreadsheets ([`workbook`]) and MARC records ([`marc`]) into CSV text. All imports share
//! [`table`], which reads rows, [`columns`], which guesses what is in which column, and [`rejects`], which lists rejected rows.
//! [`books`] and [`people`] interpret the rows of their kind.

pub mod books;
pub mod columns;
pub mod file;
pub mod marc;
pub mod people;
pub mod rejects;
pub mod table;
pub mod undo;
mod workbook;

use std::time::{Duration, Instant};

/// Time for which a command may write without a pause.
const AT_A_STRETCH: Duration = Duration::from_millis(150);
/// Pause between writes: three times the retry interval of a server on the same `SQLite` file.
const GAP: Duration = Duration::from_millis(15);

/// Pauses between the transactions of a command, so that a server on the same `SQLite` file can write: `SQLite` has no queue of
/// writing processes.
struct Pace(Instant);

impl Pace {
    fn new() -> Self {
        Self(Instant::now())
    }

    /// Pauses if it is time. Called between two transactions.
    fn keep(&mut self) {
        if self.0.elapsed() > AT_A_STRETCH {
            std::thread::sleep(GAP);
            *self = Self::new();
        }
    }
}
