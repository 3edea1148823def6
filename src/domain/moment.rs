//! An instant with the library's day, and the API's format of instants.

use jiff::{Timestamp, civil::Date};

/// Instant of an action, and the library's day at that instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Epoch milliseconds.
    pub at: i64,
    /// Calendar day in the library's time zone (R-LOAN-8).
    pub today: Date,
}

/// Formats epoch milliseconds for the API: RFC 3339, UTC.
#[must_use]
pub fn rfc3339(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
