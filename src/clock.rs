//! The only caller of "now", and the library's time zone.
//!
//! "Today" is the calendar day where the library stands (R-LOAN-8), whatever the browser or the machine believes.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Tells the time in the library's time zone.
#[derive(Clone, Debug)]
pub struct Clock {
    zone: TimeZone,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    System,
    /// Epoch milliseconds, set by a test.
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// The machine's clock in the given zone.
    #[must_use]
    pub fn system(zone: TimeZone) -> Self {
        Self { zone, source: Source::System }
    }

    /// A clock that stands still until [`Self::set`] moves it, for tests.
    #[must_use]
    pub fn standing_at(instant: Timestamp, zone: TimeZone) -> Self {
        Self { zone, source: Source::Set(Arc::new(AtomicI64::new(instant.as_millisecond()))) }
    }

    /// Moves a clock made by [`Self::standing_at`], and all its clones; the machine's clock is not to be set.
    pub fn set(&self, instant: Timestamp) {
        if let Source::Set(milliseconds) = &self.source {
            milliseconds.store(instant.as_millisecond(), Ordering::SeqCst);
        }
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub fn now(&self) -> i64 {
        match &self.source {
            #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
            Source::System => Timestamp::now().as_millisecond(),
            Source::Set(milliseconds) => milliseconds.load(Ordering::SeqCst),
        }
    }

    /// The IANA name of the library's time zone.
    #[must_use]
    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// Today's date where the library stands.
    #[must_use]
    pub fn today(&self) -> Date {
        let now = Timestamp::from_millisecond(self.now()).unwrap_or(Timestamp::UNIX_EPOCH);
        now.to_zoned(self.zone.clone()).date()
    }
}

/// An instant of the database as the API writes it (RFC 3339, UTC).
#[must_use]
pub fn rfc3339(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
