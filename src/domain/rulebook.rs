//! Everything that librarians have decided: rules with their first days, the calendar, the library's own settings.

use jiff::civil::Date;

use super::{
    calendar::Calendar,
    library::LibrarySettings,
    rules::{Policy, RuleHistory, Rules},
};

/// The library's decisions as they were at one moment.
#[derive(Clone, Debug, Default)]
pub struct Rulebook {
    pub history: RuleHistory,
    pub calendar: Calendar,
    pub library: LibrarySettings,
    /// Which saved versions these are; 0 where nothing was saved yet.
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
    /// The rules of a day.
    #[must_use]
    pub fn on(&self, day: Date) -> &Rules {
        self.history.on(day)
    }

    /// What holds for a category of person on a day.
    #[must_use]
    pub fn policy(&self, category: &str, day: Date) -> Policy {
        self.on(day).for_category(category)
    }

    /// The same with one more version of the rules.
    #[must_use]
    pub fn with_rules(&self, first_day: Date, rules: Rules) -> Self {
        Self { history: self.history.clone().with(first_day, rules), ..self.clone() }
    }

    /// The same with another calendar.
    #[must_use]
    pub fn with_calendar(&self, calendar: Calendar) -> Self {
        Self { calendar, ..self.clone() }
    }
}
