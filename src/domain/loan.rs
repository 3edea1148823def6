//! Loans: their dates, their fines and what they look like on the wire.

use jiff::{Span, civil::Date};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    id::{BookId, CopyId, LoanId, UserId},
    money::Money,
};
use crate::message::Message;

/// Days from the borrowing to the return date (R-LOAN-2).
pub const LOAN_DAYS: i64 = 7;
/// Days an extension adds (R-LOAN-4).
pub const EXTENSION_DAYS: i64 = 7;
/// Rupees for each whole day past the return date (R-LOAN-5).
pub const FINE_PER_DAY: i64 = 5;

/// The return date of a loan that begins today.
#[must_use]
pub fn first_return_date(today: Date) -> Date {
    later(today, LOAN_DAYS)
}

/// The return date after one more extension: counted from the return date, not from today (R-LOAN-4).
#[must_use]
pub fn extended(return_date: Date) -> Date {
    later(return_date, EXTENSION_DAYS)
}

fn later(day: Date, days: i64) -> Date {
    day.saturating_add(Span::new().days(days))
}

/// Whole days past the return date; 0 while the loan is not overdue.
#[must_use]
pub fn overdue_days(return_date: Date, today: Date) -> i64 {
    today.since(return_date).map_or(0, |span| i64::from(span.get_days())).max(0)
}

/// The fine in rupees as it stands today.
#[must_use]
pub fn fine(return_date: Date, today: Date) -> i64 {
    FINE_PER_DAY * overdue_days(return_date, today)
}

/// What is stored of an open loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLoan {
    pub id: LoanId,
    pub user_id: UserId,
    pub book_id: BookId,
    /// The book's title when it was borrowed: the loan outlives a deleted book.
    pub title: String,
    pub copy_id: CopyId,
    pub barcode: String,
    pub entry_date: Date,
    pub return_date: Date,
    /// The days it was lent for; a later change of the rules does not change them (R-RULE-3).
    pub loan_days: i64,
    pub renewals: i64,
    /// Why the return date is what it is, where it is not simply entry date and loan days: messages, JSON.
    pub due_reasons: Option<String>,
    /// What renewals of the overdue loan have fixed of its fine (R-MONEY-5).
    pub charged: Money,
    /// The borrower's category.
    pub category: String,
}

/// A book that somebody has at home.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loan {
    pub id: LoanId,
    /// Who borrowed it.
    pub user_id: UserId,
    /// The book borrowed; the loan outlives a deleted book.
    pub book_id: BookId,
    /// The book's title when it was borrowed.
    pub title: String,
    /// The copy borrowed, and its barcode.
    pub copy_id: CopyId,
    pub barcode: String,
    /// The day it was borrowed, in the library's time zone.
    #[serde(rename = "EntryDate")]
    #[schema(value_type = String, format = Date)]
    pub entry_date: Date,
    /// The last day on which it can be returned without a fine.
    #[schema(value_type = String, format = Date)]
    pub return_date: Date,
    /// How often it was renewed.
    pub renewals: i64,
    /// Owed as of today.
    pub fine: Money,
    /// Whole days past the return date.
    #[schema(minimum = 0)]
    pub overdue_days: i64,
    /// How the return date and the fine came about, in words.
    pub explain: Vec<String>,
    /// The same as messages: the steps to the return date, then those to the fine.
    pub reasons: Vec<Message>,
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_loan_runs_seven_days_over_month_ends_and_leap_days_r_loan_2() {
        assert_eq!(first_return_date(date(2026, 11, 21)), date(2026, 11, 28));
        assert_eq!(first_return_date(date(2026, 11, 28)), date(2026, 12, 5));
        assert_eq!(first_return_date(date(2026, 12, 28)), date(2027, 1, 4));
        assert_eq!(first_return_date(date(2028, 2, 25)), date(2028, 3, 3));
        assert_eq!(first_return_date(date(2027, 2, 25)), date(2027, 3, 4));
        assert_eq!(first_return_date(date(2100, 2, 25)), date(2100, 3, 4));
    }

    #[test]
    fn an_extension_counts_from_the_return_date_r_loan_4() {
        assert_eq!(extended(date(2026, 11, 28)), date(2026, 12, 5));
        assert_eq!(extended(date(2028, 2, 29)), date(2028, 3, 7));
    }

    #[test]
    fn the_fine_is_five_rupees_per_whole_overdue_day_r_loan_5() {
        let due = date(2026, 11, 28);
        assert_eq!(fine(due, date(2026, 11, 21)), 0);
        assert_eq!(fine(due, due), 0, "the return date itself is still in time");
        assert_eq!(fine(due, date(2026, 11, 29)), 5);
        assert_eq!(fine(due, date(2026, 12, 8)), 50);
        assert_eq!(fine(due, date(2027, 11, 28)), 5 * 365);
    }

    #[test]
    fn the_end_of_the_calendar_is_not_passed() {
        assert_eq!(first_return_date(Date::MAX), Date::MAX);
        assert!(fine(Date::MIN, Date::MAX) > 0);
    }

    fn any_day() -> impl Strategy<Value = Date> {
        (0_i64..80_000).prop_map(|days| later(date(1970, 1, 1), days))
    }

    proptest! {
        #[test]
        fn a_fine_never_falls_below_nothing_and_grows_by_five_a_day(due in any_day(), today in any_day()) {
            let owed = fine(due, today);
            prop_assert!(owed >= 0);
            prop_assert_eq!(owed == 0, today <= due);
            if today >= due {
                prop_assert_eq!(fine(due, later(today, 1)), owed + FINE_PER_DAY);
            }
        }

        #[test]
        fn an_extension_lowers_the_fine_by_a_week_at_most(due in any_day(), today in any_day()) {
            let (before, after) = (fine(due, today), fine(extended(due), today));
            prop_assert_eq!(after, (before - EXTENSION_DAYS * FINE_PER_DAY).max(0));
        }

        #[test]
        fn a_new_loan_owes_nothing_for_a_week(today in any_day()) {
            prop_assert_eq!(fine(first_return_date(today), later(today, LOAN_DAYS)), 0);
            prop_assert_eq!(fine(first_return_date(today), later(today, LOAN_DAYS + 1)), FINE_PER_DAY);
        }
    }
}
