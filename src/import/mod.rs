//! Bringing data in from CSV files, whole: every row is stored, known already, or listed with the reason why not.
//!
//! [`table`] and [`rejects`] are what every import shares: the first reads the rows, the second lists those that could
//! not be taken. What a row means is told by the file of its kind, for instance [`books`].

pub mod books;
pub mod people;
pub mod rejects;
pub mod table;

use std::time::{Duration, Instant};

/// So long a command may write one transaction after the other.
const AT_A_STRETCH: Duration = Duration::from_millis(150);
/// Three times as long as a server on the same `SQLite` file waits between two tries to write.
const GAP: Duration = Duration::from_millis(15);

/// Lets the server on the same `SQLite` file write between the transactions of a command: nothing else makes two processes
/// take turns there.
struct Pace(Instant);

impl Pace {
    fn new() -> Self {
        Self(Instant::now())
    }

    /// Between two transactions.
    fn keep(&mut self) {
        if self.0.elapsed() > AT_A_STRETCH {
            std::thread::sleep(GAP);
            *self = Self::new();
        }
    }
}
