//! Days as lists write them: ISO, day or month first, with the month's name, or as a spreadsheet's number.
//!
//! `05/06/2026` is ambiguous. The whole file decides: one day such as `25/06/2026` shows the file's order. A file without such
//! a day is read day first, as in India; in a file with both orders, only unambiguous days are read.

use jiff::{ToSpan as _, civil::Date};

/// Order of day and month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    DayFirst,
    MonthFirst,
    /// The file writes both.
    Mixed,
}

impl Order {
    /// Name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DayFirst => "day-first",
            Self::MonthFirst => "month-first",
            Self::Mixed => "mixed",
        }
    }
}

/// Reason why a cell is not read as a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    NotDay,
    /// Ambiguous, in a file with both orders.
    TwoWays,
}

/// Orders that the days of a file show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    day_first: bool,
    month_first: bool,
    ambiguous: bool,
}

impl Evidence {
    /// Takes a cell into account.
    pub fn add(&mut self, cell: &str) {
        if let Some(Written::Parts { first, second, year }) = written(cell) {
            let is_day_first = Date::new(year, second, first).is_ok();
            let is_month_first = Date::new(year, first, second).is_ok();
            self.day_first |= is_day_first && !is_month_first;
            self.month_first |= is_month_first && !is_day_first;
            self.ambiguous |= is_day_first && is_month_first && first != second;
        }
    }

    /// Returns the order of the file; `None` if none of its days needs one.
    #[must_use]
    pub fn order(self) -> Option<Order> {
        match (self.day_first, self.month_first) {
            (true, true) => Some(Order::Mixed),
            (false, true) => Some(Order::MonthFirst),
            (true, false) => Some(Order::DayFirst),
            (false, false) => self.ambiguous.then_some(Order::DayFirst),
        }
    }
}

/// A day as written.
enum Written {
    Day(Date),
    Parts { first: i8, second: i8, year: i16 },
}

/// Years of days in lists: earlier and later years are typing mistakes.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;

/// Numbers that spreadsheets use for the days from 1954 to 2119.
const SERIALS: std::ops::RangeInclusive<i64> = 20_000..=80_000;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns the month with this English name or its beginning.
fn month(name: &str) -> Option<i8> {
    let begin: String = name.chars().take(3).collect::<String>().to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| *month == begin)?;
    i8::try_from(place + 1).ok()
}

fn written(cell: &str) -> Option<Written> {
    // Without the time of day, as in 2026-11-12 23:59:00 and 2026-11-12T23:59.
    let cell = cell.trim();
    let cell = match cell.split_once([' ', 'T']) {
        Some((day, time)) if time.contains(':') => day,
        _ => cell,
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(cell) {
        let serial = cell.parse().ok().filter(|serial| SERIALS.contains(serial))?;
        return Date::constant(1899, 12, 30).checked_add(serial.days()).ok().map(Written::Day);
    }
    let parts: Vec<&str> = cell.split(['-', '/', '.', ' ', ',']).filter(|part| !part.is_empty()).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let is_year = |text: &str| text.len() == 4 && is_number(text);
    let short = |text: &str| if text.len() <= 2 && is_number(text) { text.parse::<i8>().ok() } else { None };
    let year = |text: &str| text.parse::<i16>().ok().filter(|year| YEARS.contains(year));
    if is_year(first) {
        return Date::new(year(first)?, short(second)?, short(third)?).ok().map(Written::Day);
    }
    if !is_year(third) {
        return None;
    }
    let year = year(third)?;
    match (short(first), short(second)) {
        (Some(first), Some(second)) => Some(Written::Parts { first, second, year }),
        (Some(day), None) => Date::new(year, month(second)?, day).ok().map(Written::Day),
        (None, Some(day)) => Date::new(year, month(first)?, day).ok().map(Written::Day),
        (None, None) => None,
    }
}

/// Reads a day of a file with this order.
pub fn read(cell: &str, order: Order) -> Result<Date, Unread> {
    let Written::Parts { first, second, year } = (match written(cell).ok_or(Unread::NotDay)? {
        Written::Day(day) => return Ok(day),
        parts @ Written::Parts { .. } => parts,
    }) else {
        return Err(Unread::NotDay);
    };
    let (day_first, month_first) = (Date::new(year, second, first), Date::new(year, first, second));
    match (order, day_first, month_first) {
        (Order::Mixed, Ok(day), Ok(other)) if day != other => Err(Unread::TwoWays),
        (Order::DayFirst | Order::Mixed, Ok(day), _) | (Order::MonthFirst | Order::Mixed, _, Ok(day)) => {
            Ok(day)
        }
        _ => Err(Unread::NotDay),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn order_of(cells: &[&str]) -> Option<Order> {
        let mut evidence = Evidence::default();
        for cell in cells {
            evidence.add(cell);
        }
        evidence.order()
    }

    #[test]
    fn days_are_written_as_in_india_as_iso_or_as_a_spreadsheet_has_them_r_people_4() {
        for (cell, expected) in [
            ("05-06-2027", Some(date(2027, 6, 5))),
            ("5/6/2027", Some(date(2027, 6, 5))),
            ("31.12.2027", Some(date(2027, 12, 31))),
            ("2027-06-05", Some(date(2027, 6, 5))),
            ("2026-11-12 23:59:00", Some(date(2026, 11, 12))),
            ("2026-11-12T23:59", Some(date(2026, 11, 12))),
            ("12/11/2026 9:30", Some(date(2026, 11, 12))),
            ("12-Nov-2026", Some(date(2026, 11, 12))),
            ("12 November 2026", Some(date(2026, 11, 12))),
            ("Nov 12, 2026", Some(date(2026, 11, 12))),
            ("46338", Some(date(2026, 11, 12))),
            ("31-02-2027", None),
            ("06-31-2027", None),
            ("06-30-2027", None),
            ("5-6-27", None),
            ("June 2027", None),
            ("+5-6-2027", None),
            ("12", None),
            ("1-1-0026", None),
            ("", None),
        ] {
            assert_eq!(read(cell, Order::DayFirst).ok(), expected, "{cell}");
        }
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_the_whole_file_and_never_guessed_row_by_row() {
        assert_eq!(order_of(&["2026-11-12", "12 Nov 2026", "46338", "x", ""]), None);
        assert_eq!(order_of(&["05/06/2026"]), Some(Order::DayFirst), "as India writes");
        assert_eq!(order_of(&["05/06/2026", "25/06/2026"]), Some(Order::DayFirst));
        assert_eq!(order_of(&["05/06/2026", "06/25/2026"]), Some(Order::MonthFirst));
        assert_eq!(order_of(&["25/06/2026", "06/25/2026", "05/06/2026"]), Some(Order::Mixed));
        assert_eq!(read("05/06/2026", Order::MonthFirst), Ok(date(2026, 5, 6)));
        assert_eq!(read("25/06/2026", Order::MonthFirst), Err(Unread::NotDay));
        assert_eq!(read("05/06/2026", Order::Mixed), Err(Unread::TwoWays));
        assert_eq!(read("06/06/2026", Order::Mixed), Ok(date(2026, 6, 6)));
        assert_eq!(read("06/25/2026", Order::Mixed), Ok(date(2026, 6, 25)));
    }
}
