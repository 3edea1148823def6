//! The time and the library's time zone. No other module reads the system clock.
//!
//! "Today" is the calendar day in the library's time zone (R-LOAN-8), not the browser's or the machine's.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use crate::domain::moment::Moment;

#[derive(Clone, Debug)]
pub struct Clock {
    zone: TimeZone,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    System,
    /// Time set by a test, epoch milliseconds.
    Set(Arc<AtomicI64>),
}

impl Clock {
    #[must_use]
    pub fn system(zone: TimeZone) -> Self {
        Self { zone, source: Source::System }
    }

    /// Test clock that moves only by [`Self::set`].
    #[must_use]
    pub fn standing_at(instant: Timestamp, zone: TimeZone) -> Self {
        Self { zone, source: Source::Set(Arc::new(AtomicI64::new(instant.as_millisecond()))) }
    }

    /// Sets a clock made by [`Self::standing_at`] and all its clones. Does nothing to the system clock.
    pub fn set(&self, instant: Timestamp) {
        if let Source::Set(milliseconds) = &self.source {
            milliseconds.store(instant.as_millisecond(), Ordering::SeqCst);
        }
    }

    /// Epoch milliseconds.
    #[must_use]
    pub fn now(&self) -> i64 {
        match &self.source {
            #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
            Source::System => Timestamp::now().as_millisecond(),
            Source::Set(milliseconds) => milliseconds.load(Ordering::SeqCst),
        }
    }

    #[must_use]
    pub fn zone(&self) -> TimeZone {
        self.zone.clone()
    }

    /// IANA name of the library's time zone.
    #[must_use]
    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// The current instant and the library's day.
    #[must_use]
    pub fn moment(&self) -> Moment {
        let at = self.now();
        Moment { at, today: self.day_of(at) }
    }

    /// Today's date in the library's time zone.
    #[must_use]
    pub fn today(&self) -> Date {
        self.day_of(self.now())
    }

    /// The library's day at an instant in epoch milliseconds.
    #[must_use]
    pub fn day_of(&self, at: i64) -> Date {
        let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        instant.to_zoned(self.zone.clone()).date()
    }

    /// The hour of the library's day at an instant in epoch milliseconds, 0 to 23.
    #[must_use]
    pub fn hour_of(&self, at: i64) -> i64 {
        let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        instant.to_zoned(self.zone.clone()).hour().into()
    }

    /// Formats an instant in the library's time zone: `2026-11-21 11:30`.
    #[must_use]
    pub fn local(&self, at: i64) -> String {
        let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        instant.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// Start of a day in the library's time zone, epoch milliseconds.
    #[must_use]
    pub fn begin_of(&self, day: Date) -> i64 {
        day.to_zoned(self.zone.clone()).map_or(0, |midnight| midnight.timestamp().as_millisecond())
    }
}

/// Returns whole milliseconds as `u64`: the log writes the `u128` of [`Duration::as_millis`] as text.
#[must_use]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::{
        domain::{
            calendar::Calendar,
            fine::amount,
            rules::{RuleHistory, STUDENT},
        },
        money::Money,
    };

    #[test]
    fn example_2_a_book_is_in_time_until_midnight_where_the_library_stands_r_loan_8() {
        for (zone, just_before, just_after) in [
            ("Asia/Kolkata", "2027-03-01T18:29:00Z", "2027-03-01T18:35:00Z"),
            // Daylight saving time begins there on 14 March at 2 o'clock.
            ("America/New_York", "2027-03-02T04:59:00Z", "2027-03-02T05:05:00Z"),
        ] {
            let zone = TimeZone::get(zone).unwrap();
            for (instant, fine) in [(just_before, 0), (just_after, 5)] {
                let today = Clock::standing_at(instant.parse::<Timestamp>().unwrap(), zone.clone()).today();
                assert_eq!(
                    amount(date(2027, 3, 1), today, &RuleHistory::default(), STUDENT, &Calendar::default()),
                    Money::main(fine)
                );
            }
        }
    }
}
