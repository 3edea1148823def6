//! An instant together with the library's day, and how the API writes an instant.

use jiff::{Timestamp, civil::Date};

/// The time of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Epoch milliseconds.
    pub at: i64,
    /// The calendar day in the library's time zone (R-LOAN-8).
    pub today: Date,
}

/// Formats epoch milliseconds as the API writes them: RFC 3339, UTC.
#[must_use]
pub fn rfc3339(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
