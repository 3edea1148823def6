//! Configuration by librarians: rules with their first days, the calendar, the library's settings.

use jiff::civil::Date;

use super::{
    calendar::Calendar,
    library::LibrarySettings,
    rules::{Policy, RuleHistory, Rules},
};

/// Rules, calendar and settings of the library at one moment.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    pub history: RuleHistory,
    pub calendar: Calendar,
    pub library: LibrarySettings,
    /// Saved versions; 0 if nothing was saved yet.
    pub saved: Saved,
}

/// Numbers of the newest saved versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    pub rules: i64,
    pub calendar: i64,
    pub library: i64,
}

impl Rulebook {
    #[must_use]
    pub fn on(&self, day: Date) -> &Rules {
        self.history.on(day)
    }

    /// Policy of a category on a day.
    #[must_use]
    pub fn policy(&self, category: &str, day: Date) -> Policy {
        self.on(day).for_category(category)
    }

    /// Adds a version of the rules.
    #[must_use]
    pub fn with_rules(&self, first_day: Date, rules: Rules) -> Self {
        Self { history: self.history.clone().with(first_day, rules), ..self.clone() }
    }

    /// Replaces the calendar.
    #[must_use]
    pub fn with_calendar(&self, calendar: Calendar) -> Self {
        Self { calendar, ..self.clone() }
    }
}
