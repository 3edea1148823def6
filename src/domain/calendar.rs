//! Closed days of the library (R-RULE-4).

use jiff::{
    Span,
    civil::{Date, date},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rule::{Invalid, Kind, Number, Text};
use crate::message;

/// Closed days as librarians enter them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Calendar)]
pub struct CalendarForm {
    /// Weekdays, 1 (Monday) to 7 (Sunday).
    #[serde(default)]
    pub closed_weekdays: Vec<i64>,
    /// Holidays and other closed days.
    #[serde(default)]
    pub closed_dates: Vec<ClosedDates>,
}

/// Consecutive closed days and their name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedDates {
    /// First closed day.
    #[schema(value_type = String, format = Date)]
    pub from: Date,
    /// Last closed day; the first if left out.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    pub to: Option<Date>,
    #[serde(default)]
    #[schema(required)]
    pub name: String,
    /// True if the same days are closed in every later year too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub yearly: bool,
}

impl ClosedDates {
    /// Returns the closed days that begin in this year; `None` if there are none. 29 February is left out in
    /// years without one.
    fn in_year(&self, year: i16) -> Option<(Date, Date)> {
        let to = self.to.unwrap_or(self.from);
        if year == self.from.year() {
            return Some((self.from, to));
        }
        if !self.yearly || year < self.from.year() {
            return None;
        }
        let from = Date::new(year, self.from.month(), self.from.day()).ok()?;
        Some((from, later(from, number(to) - number(self.from))))
    }

    fn covers(&self, day: Date) -> bool {
        let of = |year| self.in_year(year).is_some_and(|(from, to)| from <= day && day <= to);
        if self.yearly { of(day.year()) || of(day.year() - 1) } else { of(self.from.year()) }
    }

    /// Returns all closed days, as first and last day numbers.
    fn spans(&self) -> impl Iterator<Item = (i64, i64)> {
        let last = if self.yearly { YEARS.1.year() } else { self.from.year() };
        (self.from.year()..=last)
            .filter_map(|year| self.in_year(year))
            .map(|(from, to)| (number(from), number(to)))
    }
}

pub const NAME: Text = Text { field: "name", label: "Name", min: 1, max: 100, kind: Kind::Line };
/// 1 (Monday) to 7 (Sunday).
pub const WEEKDAY: Number = Number { field: "closedWeekdays", label: "Weekday", min: 1, max: 7 };
/// Maximum number of entries: fifteen years of holidays fit into one request.
const ENTRIES: usize = 500;
/// Longest closure in days: three years.
const LONGEST: i64 = 1096;
/// Longest closure in days that repeats every year: at least one day of the year is left.
const LONGEST_YEARLY: i64 = 364;
/// Accepted years; others are typing mistakes.
const YEARS: (Date, Date) = (date(1900, 1, 1), date(2999, 12, 31));

/// Reason for a closed day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed<'c> {
    /// The day is a closed weekday.
    Weekday,
    /// A closed date with this name.
    Date(&'c str),
}

/// Closed days, indexed for lookup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calendar {
    form: CalendarForm,
    /// Closed weekdays, Monday first.
    weekdays: [bool; 7],
    /// Closed dates as first and last day numbers; sorted, disjoint.
    spans: Vec<(i64, i64)>,
    /// Prefix sums: number of days in all spans before each one, without closed weekdays; the last item is the total.
    before: Vec<i64>,
}

/// Number of a day: days since 1970-01-01.
pub(super) fn number(day: Date) -> i64 {
    day.duration_since(date(1970, 1, 1)).as_hours() / 24
}

/// The day with this number; clamped to the calendar's range.
pub(super) fn day(number: i64) -> Date {
    later(date(1970, 1, 1), number)
}

/// Adds days; clamped to the calendar's range.
#[must_use]
pub fn later(day: Date, days: i64) -> Date {
    day.saturating_add(Span::new().days(days.clamp(-4_000_000, 4_000_000)))
}

/// Weekday of a day number, 0 for Monday; 1970-01-01 was a Thursday.
fn weekday(number: i64) -> usize {
    usize::try_from((number + 3).rem_euclid(7)).unwrap_or_default()
}

impl CalendarForm {
    /// Validates and normalises the calendar; returns all its errors.
    pub fn checked(mut self) -> Result<Calendar, Invalid> {
        let mut invalid = Invalid::default();
        for (index, weekday) in self.closed_weekdays.iter().enumerate() {
            let field = format!("closedWeekdays[{index}]");
            if !(WEEKDAY.min..=WEEKDAY.max).contains(weekday) {
                invalid.push(field, message::out_of_range(WEEKDAY.label, WEEKDAY.min, WEEKDAY.max));
            }
        }
        self.closed_weekdays.sort_unstable();
        self.closed_weekdays.dedup();
        if self.closed_dates.len() > ENTRIES {
            invalid.push("closedDates", message::too_many("Closed dates", ENTRIES));
        }
        for (index, entry) in self.closed_dates.iter_mut().enumerate() {
            let field = |name: &str| format!("closedDates[{index}].{name}");
            entry.name = NAME.check_as(field("name"), &entry.name, &mut invalid);
            let to = *entry.to.get_or_insert(entry.from);
            for (name, label, day) in [("from", "First day", entry.from), ("to", "Last day", to)] {
                if !(YEARS.0..=YEARS.1).contains(&day) {
                    invalid.push(field(name), message::day_out_of_range(label, YEARS.0, YEARS.1));
                }
            }
            let longest = if entry.yearly { LONGEST_YEARLY } else { LONGEST };
            if to < entry.from {
                invalid.push(field("to"), message::ends_before_it_begins());
            } else if number(to) - number(entry.from) >= longest {
                invalid.push(field("to"), message::too_many_days(longest));
            }
        }
        self.closed_dates
            .sort_by(|a, b| (a.from, a.to, &a.name, a.yearly).cmp(&(b.from, b.to, &b.name, b.yearly)));
        self.closed_dates.dedup();
        invalid.into_result(self).map(Calendar::from)
    }
}

impl From<CalendarForm> for Calendar {
    /// Expects a valid form.
    fn from(form: CalendarForm) -> Self {
        let mut weekdays = [false; 7];
        for weekday in &form.closed_weekdays {
            if let Some(closed) = usize::try_from(weekday - 1).ok().and_then(|index| weekdays.get_mut(index))
            {
                *closed = true;
            }
        }
        let mut all: Vec<(i64, i64)> = form
            .closed_dates
            .iter()
            .flat_map(ClosedDates::spans)
            .filter(|(first, last)| first <= last)
            .collect();
        all.sort_unstable();
        let mut spans: Vec<(i64, i64)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match spans.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => spans.push((first, last)),
            }
        }
        let mut calendar =
            Self { form, weekdays, spans: Vec::new(), before: Vec::with_capacity(spans.len() + 1) };
        let mut sum = 0;
        for (first, last) in &spans {
            calendar.before.push(sum);
            sum += calendar.other_days(*first, *last);
        }
        if !spans.is_empty() {
            calendar.before.push(sum);
        }
        calendar.spans = spans;
        calendar
    }
}

impl Calendar {
    /// Form for storage and the API.
    #[must_use]
    pub fn form(&self) -> &CalendarForm {
        &self.form
    }

    /// True if every weekday is closed. No date can then move to an open day, and the rules count as if the library
    /// were always open.
    #[must_use]
    pub fn is_never_open(&self) -> bool {
        self.weekdays == [true; 7]
    }

    /// Reason why the library is closed on this day; `None` if it is open.
    #[must_use]
    pub fn is_closed(&self, day: Date) -> Option<Closed<'_>> {
        let at = number(day);
        if self.span_at(at).is_some() {
            let entry = self.form.closed_dates.iter().find(|entry| entry.covers(day));
            return entry.map(|entry| Closed::Date(&entry.name));
        }
        self.weekdays[weekday(at)].then_some(Closed::Weekday)
    }

    /// The day itself if it is open, otherwise the next open day; `None` if there is none.
    #[must_use]
    pub fn next_open(&self, day: Date) -> Option<Date> {
        self.nearest_open(day, 1)
    }

    /// The day itself if it is open, otherwise the previous open day; `None` if there is none.
    #[must_use]
    pub fn previous_open(&self, day: Date) -> Option<Date> {
        self.nearest_open(day, -1)
    }

    /// Adds open days; counts closed days if there is no open day.
    #[must_use]
    pub fn open_days_later(&self, day: Date, days: i64) -> Date {
        let mut at = day;
        for _ in 0..days {
            let tomorrow = later(at, 1);
            at = self.next_open(tomorrow).unwrap_or(tomorrow);
        }
        at
    }

    /// Returns the nearest open day in the direction of `step`. Each iteration skips a whole span or a closed
    /// weekday, so a long closure costs no more than a short one.
    fn nearest_open(&self, from: Date, step: i64) -> Option<Date> {
        if self.is_never_open() {
            return None;
        }
        let (lowest, highest) = (number(Date::MIN), number(Date::MAX));
        let mut at = number(from);
        while (lowest..=highest).contains(&at) {
            match self.span_at(at) {
                Some((first, last)) => at = if step > 0 { last + 1 } else { first - 1 },
                None if self.weekdays[weekday(at)] => at += step,
                None => return Some(day(at)),
            }
        }
        None
    }

    fn span_at(&self, at: i64) -> Option<(i64, i64)> {
        let next = self.spans.partition_point(|(first, _)| *first <= at);
        next.checked_sub(1).map(|index| self.spans[index]).filter(|(_, last)| at <= *last)
    }

    /// Number of closed days in `first..=last` (day numbers); none if the library is never open. Takes the same time for a
    /// century as for a week.
    pub(super) fn closed_days(&self, first: i64, last: i64) -> i64 {
        let always_open = self.spans.is_empty() && self.weekdays == [false; 7];
        if last < first || always_open || self.is_never_open() {
            return 0;
        }
        let begin = self.spans.partition_point(|(_, end)| *end < first);
        let end = self.spans.partition_point(|(from, _)| *from <= last);
        let weekdays = self.closed_weekdays(first, last);
        if begin >= end {
            return weekdays;
        }
        let (early, late) = (self.spans[begin].0, self.spans[end - 1].1);
        let outside = self.other_days(early, first - 1) + self.other_days(last + 1, late);
        weekdays + self.before[end] - self.before[begin] - outside
    }

    /// Number of days in `first..=last` that are not closed weekdays.
    fn other_days(&self, first: i64, last: i64) -> i64 {
        if last < first { 0 } else { last - first + 1 - self.closed_weekdays(first, last) }
    }

    /// Number of closed weekdays in `first..=last`.
    fn closed_weekdays(&self, first: i64, last: i64) -> i64 {
        let days = last - first + 1;
        let of_a_week = self.weekdays.iter().filter(|closed| **closed).count();
        let whole = days / 7 * i64::try_from(of_a_week).unwrap_or_default();
        let rest = (first..first + days % 7).filter(|at| self.weekdays[weekday(*at)]).count();
        whole + i64::try_from(rest).unwrap_or_default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Test calendar of closed weekdays and closed dates (first day, last day, name).
    pub(in crate::domain) fn calendar(weekdays: &[i64], dates: &[(Date, Date, &str)]) -> Calendar {
        let closed_dates = dates
            .iter()
            .map(|(from, to, name)| ClosedDates {
                from: *from,
                to: Some(*to),
                name: (*name).to_owned(),
                yearly: false,
            })
            .collect();
        let form = CalendarForm { closed_weekdays: weekdays.to_vec(), closed_dates };
        form.checked().unwrap_or_else(|invalid| panic!("{invalid:?}"))
    }

    fn wrong(form: &str) -> Vec<String> {
        let form: CalendarForm = serde_json::from_str(form).unwrap();
        let invalid = form.checked().err().unwrap_or_default();
        invalid.0.into_iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
    }

    #[test]
    fn closed_days_are_told_with_their_reason_r_rule_4() {
        let calendar = calendar(&[7], &[(date(2026, 12, 24), date(2027, 1, 2), "Winter break")]);
        assert_eq!(calendar.is_closed(date(2026, 11, 22)), Some(Closed::Weekday));
        assert_eq!(calendar.is_closed(date(2026, 11, 23)), None);
        assert_eq!(calendar.is_closed(date(2026, 12, 23)), None);
        for day in [date(2026, 12, 24), date(2026, 12, 27), date(2027, 1, 1), date(2027, 1, 2)] {
            assert_eq!(calendar.is_closed(day), Some(Closed::Date("Winter break")), "{day}");
        }
        // 3 January is a Sunday.
        assert_eq!(calendar.next_open(date(2026, 12, 24)), Some(date(2027, 1, 4)));
        assert_eq!(calendar.previous_open(date(2027, 1, 3)), Some(date(2026, 12, 23)));
        assert_eq!(calendar.next_open(date(2026, 11, 23)), Some(date(2026, 11, 23)));
    }

    /// K20: librarians had to enter 15 August again each year.
    #[test]
    fn days_that_come_every_year_are_entered_once_r_rule_4() {
        let form: CalendarForm = serde_json::from_str(
            r#"{"closedWeekdays":[7],"closedDates":[
                {"from":"2026-08-15","name":"Independence Day","yearly":true},
                {"from":"2026-12-28","to":"2027-01-03","name":"Winter","yearly":true},
                {"from":"2028-02-29","name":"Leap day","yearly":true},
                {"from":"2029-08-15","name":"Eighty-two years","yearly":false}]}"#,
        )
        .unwrap();
        let calendar = form.checked().unwrap();
        let independence = Some(Closed::Date("Independence Day"));
        for (day, reason) in [
            (date(2025, 8, 15), None),
            (date(2026, 8, 15), independence),
            (date(2027, 8, 15), independence),
            (date(2029, 8, 15), independence),
            (date(2999, 8, 15), independence),
            (date(2027, 8, 14), None),
            (date(2026, 1, 2), None),
            (date(2031, 12, 28), Some(Closed::Date("Winter"))),
            (date(2032, 1, 3), Some(Closed::Date("Winter"))),
            (date(2032, 1, 5), None),
            (date(2028, 2, 29), Some(Closed::Date("Leap day"))),
            (date(2029, 3, 1), None),
            (date(2032, 2, 29), Some(Closed::Date("Leap day"))),
        ] {
            assert_eq!(calendar.is_closed(day), reason, "{day}");
        }
        assert_eq!(calendar.next_open(date(2030, 8, 15)), Some(date(2030, 8, 16)));
        let (first, last) = (number(date(2027, 1, 1)), number(date(2126, 12, 31)));
        let one_by_one = (first..=last).filter(|at| calendar.is_closed(day(*at)).is_some()).count();
        let begun = std::time::Instant::now();
        for _ in 0..100_000 {
            assert_eq!(calendar.closed_days(first, last), i64::try_from(one_by_one).unwrap());
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(1), "{:?}", begun.elapsed());
        assert_eq!(
            wrong(r#"{"closedDates":[{"from":"2026-01-01","to":"2026-12-31","name":"x","yearly":true}]}"#),
            ["closedDates[0].to: From the first to the last day must be at most 364 days."]
        );
    }

    #[test]
    fn a_copy_is_kept_for_open_days_alone_r_hold_2() {
        let calendar = calendar(&[7], &[(date(2026, 12, 24), date(2026, 12, 25), "Christmas")]);
        for (from, days, last) in [
            // Saturday and Sunday: the first of the three days is Monday.
            (date(2026, 11, 21), 3, date(2026, 11, 25)),
            (date(2026, 11, 22), 3, date(2026, 11, 25)),
            (date(2026, 12, 22), 3, date(2026, 12, 28)),
            (date(2026, 11, 23), 1, date(2026, 11, 24)),
        ] {
            assert_eq!(calendar.open_days_later(from, days), last, "{days} from {from}");
        }
        let never = super::tests::calendar(&[1, 2, 3, 4, 5, 6, 7], &[]);
        assert_eq!(never.open_days_later(date(2026, 11, 21), 3), date(2026, 11, 24));
    }

    #[test]
    fn a_library_that_is_never_open_ends_every_search() {
        let never = calendar(&[1, 2, 3, 4, 5, 6, 7], &[]);
        assert_eq!(
            (never.next_open(date(2026, 11, 22)), never.previous_open(date(2026, 11, 22))),
            (None, None)
        );
        let (first, last) = (number(date(2026, 11, 1)), number(date(2026, 11, 30)));
        assert_eq!(never.closed_days(first, last), 0, "fines run as due dates do, by plain days (R-RULE-4)");
        let by_dates: Vec<_> =
            (0..499).map(|year| (date(1990 + year, 1, 1), date(1990 + year, 12, 31), "Closed")).collect();
        let long = calendar(&[6, 7], &by_dates);
        assert_eq!(long.next_open(date(2026, 11, 22)), Some(date(2489, 1, 3)));
        let last = calendar(&[5], &[]);
        assert_eq!(Date::MAX.weekday(), jiff::civil::Weekday::Friday);
        assert_eq!(last.next_open(Date::MAX), None);
    }

    #[test]
    fn every_mistake_in_a_calendar_is_told_at_its_field() {
        assert_eq!(
            wrong(
                r#"{"closedWeekdays":[0,7,8],"closedDates":[{"from":"2026-12-25","to":"2026-12-24","name":"x"}]}"#
            ),
            [
                "closedWeekdays[0]: Weekday must be a whole number from 1 to 7.",
                "closedWeekdays[2]: Weekday must be a whole number from 1 to 7.",
                "closedDates[0].to: The last day must not be before the first.",
            ]
        );
        assert_eq!(
            wrong(
                r#"{"closedDates":[{"from":"2026-12-25","name":" "},{"from":"0206-12-25","to":"0206-12-25","name":"x"}]}"#
            ),
            [
                "closedDates[0].name: Name is required.",
                "closedDates[1].from: First day must be a day from 1 Jan 1900 to 31 Dec 2999.",
                "closedDates[1].to: Last day must be a day from 1 Jan 1900 to 31 Dec 2999.",
            ]
        );
        assert_eq!(
            wrong(r#"{"closedDates":[{"from":"2026-01-01","to":"2029-01-01","name":"x"}]}"#),
            ["closedDates[0].to: From the first to the last day must be at most 1096 days."]
        );
    }

    #[test]
    fn a_calendar_is_kept_in_order_and_says_nothing_twice() {
        let form: CalendarForm = serde_json::from_str(
            r#"{"closedWeekdays":[7,6,7],"closedDates":[{"from":"2027-01-01","name":"b"},{"from":"2026-12-25","name":" a "}]}"#,
        )
        .unwrap();
        let calendar = form.checked().unwrap();
        assert_eq!(
            serde_json::to_string(calendar.form()).unwrap(),
            r#"{"closedWeekdays":[6,7],"closedDates":[{"from":"2026-12-25","to":"2026-12-25","name":"a"},{"from":"2027-01-01","to":"2027-01-01","name":"b"}]}"#
        );
    }

    pub(in crate::domain) fn any_calendar() -> impl Strategy<Value = Calendar> {
        let dates = prop::collection::vec((-800_i64..400, 0_i64..20, any::<bool>()), 0..8);
        (prop::collection::btree_set(1_i64..=7, 0..=7), dates).prop_map(|(weekdays, dates)| {
            let start = date(2026, 11, 1);
            let entry = |(from, length, yearly): &(i64, i64, bool)| ClosedDates {
                from: later(start, *from),
                to: Some(later(start, from + length)),
                name: "Holiday".into(),
                yearly: *yearly,
            };
            let closed_dates = dates.iter().map(entry).collect();
            let form = CalendarForm { closed_weekdays: weekdays.into_iter().collect(), closed_dates };
            form.checked().unwrap_or_else(|invalid| panic!("{invalid:?}"))
        })
    }

    proptest! {
        #[test]
        fn closed_days_are_counted_as_if_one_by_one(calendar in any_calendar(), from in 0_i64..400, days in 0_i64..200) {
            let first = number(date(2026, 10, 1)) + from;
            let counts = |at: &i64| !calendar.is_never_open() && calendar.is_closed(day(*at)).is_some();
            let one_by_one = (first..first + days).filter(counts).count();
            prop_assert_eq!(calendar.closed_days(first, first + days - 1), i64::try_from(one_by_one).unwrap());
        }

        #[test]
        fn the_nearest_open_day_is_open_and_none_lies_between(calendar in any_calendar(), from in 0_i64..500) {
            let from = later(date(2026, 10, 1), from);
            prop_assert_eq!(calendar.next_open(from).is_none(), calendar.is_never_open());
            if let (Some(next), Some(previous)) = (calendar.next_open(from), calendar.previous_open(from)) {
                prop_assert!(previous <= from && from <= next);
                prop_assert!(calendar.is_closed(next).is_none() && calendar.is_closed(previous).is_none());
                let between = number(next) - number(previous) + 1;
                let closed = calendar.closed_days(number(previous), number(next));
                prop_assert!(closed == (between - 2).max(0), "{} of {}", closed, between);
            }
        }

        #[test]
        fn days_and_their_numbers_belong_together(at in -100_000_i64..2_000_000) {
            prop_assert_eq!(number(day(at)), at);
            prop_assert_eq!(weekday(at), usize::try_from(day(at).weekday().to_monday_zero_offset()).unwrap());
        }
    }
}
