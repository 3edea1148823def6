//! Due dates and their explanations.

use jiff::civil::Date;

use super::{
    calendar::{Calendar, Closed, later},
    rules::Policy,
};
use crate::message::{self, Message};

/// A due date and its explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// Last day for a return without a fine.
    pub day: Date,
    pub explain: Vec<Message>,
}

impl Due {
    /// Returns the reason why a renewal does not move the due date, such as the end of the term.
    #[must_use]
    pub fn held_by(&self) -> Option<&Message> {
        self.explain.iter().rev().find(|reason| reason.code != message::explain_never_earlier(self.day).code)
    }
}

/// Due date of a loan that begins today: the loan days, moved to an open day (R-RULE-4), cut to the day on which all
/// books are due back (R-RULE-6).
#[must_use]
pub fn first(today: Date, policy: &Policy, calendar: &Calendar) -> Due {
    let counted = Due {
        day: later(today, policy.loan_days),
        explain: vec![message::explain_due(policy.loan_days, today)],
    };
    settle(counted, today, policy, calendar)
}

/// Due date after one more renewal. Counts from the due date, even if that is past (R-LOAN-4); with `charge_on_renewal`
/// (R-MONEY-5) an overdue loan counts from today. Never earlier than `due`.
#[must_use]
pub fn after_renewal(
    due: Date,
    today: Date,
    policy: &Policy,
    charge_on_renewal: bool,
    calendar: &Calendar,
) -> Due {
    let from = if charge_on_renewal { due.max(today) } else { due };
    let counted = Due {
        day: later(from, policy.renewal_days),
        explain: vec![message::explain_renewed(policy.renewal_days, from)],
    };
    let mut new = settle(counted, today, policy, calendar);
    if new.day < due {
        new.day = due;
        new.explain.push(message::explain_never_earlier(due));
    }
    new
}

/// New due date of an open loan whose due date became a closed day; `None` if the due date does not change.
#[must_use]
pub fn move_to_open_day(due: Date, today: Date, policy: &Policy, calendar: &Calendar) -> Option<Due> {
    calendar.is_closed(due)?;
    let moved = settle(Due { day: due, explain: Vec::new() }, today, policy, calendar);
    (moved.day != due).then_some(moved)
}

/// New due date of an open loan after librarians set a day on which all books are due back; `None` if the due date does
/// not change.
#[must_use]
pub fn cut_to_all_back_by(due: Date, today: Date, policy: &Policy, calendar: &Calendar) -> Option<Due> {
    let mut cut = Due { day: due, explain: Vec::new() };
    cut_to(&mut cut, today, policy, calendar);
    (cut.day != due).then_some(cut)
}

fn settle(mut due: Due, today: Date, policy: &Policy, calendar: &Calendar) -> Due {
    if calendar.is_never_open() {
        due.explain.push(message::explain_never_open());
    } else if let Some(open) = calendar.next_open(due.day).filter(|open| *open != due.day) {
        due.explain.push(match calendar.is_closed(due.day) {
            Some(Closed::Date(name)) => message::explain_moved_past_holiday(due.day, name, open),
            _ => message::explain_moved_to_open_day(due.day, open),
        });
        due.day = open;
    }
    cut_to(&mut due, today, policy, calendar);
    due
}

fn cut_to(due: &mut Due, today: Date, policy: &Policy, calendar: &Calendar) {
    let (open_day, closed_day) = (message::explain_all_back_by, message::explain_all_back_by_closed);
    cut(due, today, policy.all_back_by, calendar, open_day, closed_day);
}

/// Cuts a due date to the reader's last day of borrowing, but not before `earliest` (R-PEOPLE-9).
#[must_use]
pub fn within_membership(
    mut due: Due,
    today: Date,
    valid_until: Option<Date>,
    earliest: Date,
    calendar: &Calendar,
) -> Due {
    let (open_day, closed_day) = (message::explain_valid_until, message::explain_valid_until_closed);
    cut(&mut due, today, valid_until, calendar, open_day, closed_day);
    if due.day < earliest {
        due.day = earliest;
        due.explain.push(message::explain_never_earlier(earliest));
    }
    due
}

/// Cuts a due date to `last`, or to the open day before a closed `last`. A past `last` has no effect.
fn cut(
    due: &mut Due,
    today: Date,
    last: Option<Date>,
    calendar: &Calendar,
    open_day: fn(Date) -> Message,
    closed_day: fn(Date, Date) -> Message,
) {
    let Some(last) = last.filter(|last| today <= *last && *last < due.day) else { return };
    let open = calendar.previous_open(last).unwrap_or(last).max(today);
    due.explain.push(if open == last { open_day(last) } else { closed_day(last, open) });
    due.day = open;
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        domain::calendar::tests::{any_calendar, calendar},
        message::joined,
    };

    const ALWAYS_OPEN: (&[i64], &[(Date, Date, &str)]) = (&[], &[]);

    fn open() -> Calendar {
        calendar(ALWAYS_OPEN.0, ALWAYS_OPEN.1)
    }

    fn days(loan_days: i64) -> Policy {
        Policy { loan_days, renewal_days: loan_days, ..Policy::default() }
    }

    fn all_back_by(day: Date) -> Policy {
        Policy { all_back_by: Some(day), ..Policy::default() }
    }

    fn explained(due: &Due) -> (Date, String) {
        (due.day, joined(&due.explain))
    }

    #[test]
    fn a_loan_runs_its_days_and_says_so_r_loan_2() {
        let due = first(date(2026, 11, 21), &Policy::default(), &open());
        assert_eq!(explained(&due), (date(2026, 11, 28), "7 days from Saturday 21 Nov".into()));
        assert_eq!(first(date(2026, 11, 21), &days(0), &open()).day, date(2026, 11, 21));
    }

    #[test]
    fn a_due_date_on_a_closed_day_moves_to_the_next_open_one_r_rule_4() {
        let sundays = calendar(&[7], &[]);
        let due = first(date(2026, 11, 22), &Policy::default(), &sundays);
        assert_eq!(
            explained(&due),
            (
                date(2026, 11, 30),
                "7 days from Sunday 22 Nov; Sunday 29 Nov is closed; moved to Monday 30 Nov".into()
            )
        );
        // Closed days in between count, and an open due date stays.
        assert_eq!(first(date(2026, 11, 21), &Policy::default(), &sundays).day, date(2026, 11, 28));
        assert_eq!(first(date(2026, 11, 20), &days(14), &sundays).day, date(2026, 12, 4));
    }

    #[test]
    fn a_due_date_in_the_holidays_moves_behind_them_over_the_years_edge_and_29_february() {
        let winter = calendar(&[7], &[(date(2026, 12, 24), date(2027, 1, 2), "Winter break")]);
        let due = first(date(2026, 12, 20), &Policy::default(), &winter);
        assert_eq!(due.day, date(2027, 1, 4));
        assert_eq!(due.explain[1].text(), "Sunday 27 Dec is closed (Winter break); moved to Monday 4 Jan");
        let leap = calendar(&[], &[(date(2028, 2, 29), date(2028, 2, 29), "Founder's day")]);
        assert_eq!(first(date(2028, 2, 22), &Policy::default(), &leap).day, date(2028, 3, 1));
    }

    #[test]
    fn all_back_by_cuts_to_the_open_day_before_it_r_rule_6() {
        let today = date(2027, 4, 27);
        let sundays = calendar(&[7], &[(date(2027, 4, 30), date(2027, 4, 30), "Holiday")]);
        for (last, calendar, due, why) in [
            (date(2027, 4, 30), open(), date(2027, 4, 30), "All books are due back by Friday 30 Apr"),
            (
                date(2027, 5, 2),
                sundays.clone(),
                date(2027, 5, 1),
                "All books are due back by Sunday 2 May, which is closed; moved to Saturday 1 May",
            ),
            (
                date(2027, 4, 30),
                sundays,
                date(2027, 4, 29),
                "All books are due back by Friday 30 Apr, which is closed; moved to Thursday 29 Apr",
            ),
        ] {
            let cut = first(today, &all_back_by(last), &calendar);
            assert_eq!(explained(&cut), (due, format!("7 days from Tuesday 27 Apr; {why}")));
        }
        // A day after the due date or in the past has no effect; today has one.
        for (last, due) in [
            (date(2027, 5, 4), date(2027, 5, 4)),
            (date(2027, 5, 5), date(2027, 5, 4)),
            (date(2027, 4, 26), date(2027, 5, 4)),
            (today, today),
        ] {
            assert_eq!(first(today, &all_back_by(last), &open()).day, due, "{last}");
        }
        // Never before today, open or closed.
        let closed = calendar(&[], &[(date(2027, 4, 20), date(2027, 4, 30), "Exams")]);
        assert_eq!(first(today, &all_back_by(date(2027, 4, 29)), &closed).day, today);
    }

    #[test]
    fn a_library_that_is_never_open_counts_plain_days_and_warns() {
        let never = calendar(&[1, 2, 3, 4, 5, 6, 7], &[]);
        let due = first(date(2026, 11, 21), &Policy::default(), &never);
        assert_eq!(due.day, date(2026, 11, 28));
        assert_eq!(due.explain.last().map(|message| message.code), Some("explain.neverOpen"));
        assert_eq!(
            first(date(2026, 11, 21), &all_back_by(date(2026, 11, 25)), &never).day,
            date(2026, 11, 25)
        );
    }

    #[test]
    fn a_renewal_counts_from_the_due_date_even_when_it_is_past_r_loan_4() {
        let (due, today) = (date(2027, 3, 1), date(2027, 3, 20));
        let new = after_renewal(due, today, &Policy::default(), false, &open());
        assert_eq!(explained(&new), (date(2027, 3, 8), "7 days more, counted from Monday 1 Mar".into()));
    }

    #[test]
    fn a_renewal_that_charges_counts_from_today_when_overdue_r_money_5() {
        // Worked example 10: due on the 1st, renewed on the 4th, 7 days.
        let new = after_renewal(date(2027, 3, 1), date(2027, 3, 4), &Policy::default(), true, &open());
        assert_eq!(new.day, date(2027, 3, 11));
        assert_eq!(
            after_renewal(date(2027, 3, 1), date(2027, 2, 25), &Policy::default(), true, &open()).day,
            date(2027, 3, 8)
        );
    }

    #[test]
    fn a_membership_cuts_a_due_date_to_the_open_day_before_its_end_r_people_9() {
        let today = date(2027, 5, 27);
        let sundays = calendar(&[7], &[]);
        let lent = |valid_until| {
            let due = first(today, &Policy::default(), &sundays);
            within_membership(due, today, valid_until, today, &sundays)
        };
        let words = "7 days from Thursday 27 May; This person may keep books until Sunday 30 May, which is closed; \
                     moved to Saturday 29 May";
        assert_eq!(explained(&lent(Some(date(2027, 5, 30)))), (date(2027, 5, 29), words.into()));
        for (valid_until, due) in [
            (None, date(2027, 6, 3)),
            (Some(date(2027, 6, 3)), date(2027, 6, 3)),
            (Some(date(2027, 6, 2)), date(2027, 6, 2)),
            // The last day itself is valid; a past day has no effect, since a librarian lent the book regardless.
            (Some(today), today),
            (Some(date(2027, 5, 26)), date(2027, 6, 3)),
        ] {
            assert_eq!(lent(valid_until).day, due, "{valid_until:?}");
        }
        let due = date(2027, 6, 3);
        let new = after_renewal(due, today, &Policy::default(), false, &sundays);
        let kept = within_membership(new, today, Some(date(2027, 5, 31)), due, &sundays);
        assert_eq!(kept.day, due);
        assert_eq!(kept.explain.last().map(|message| message.code), Some("explain.neverEarlier"));
    }

    #[test]
    fn a_renewal_never_moves_a_date_earlier() {
        let (due, today) = (date(2027, 5, 10), date(2027, 4, 27));
        let kept = after_renewal(due, today, &all_back_by(date(2027, 4, 30)), false, &open());
        assert_eq!(kept.day, due);
        assert_eq!(kept.explain.last().map(|message| message.code), Some("explain.neverEarlier"));
    }

    #[test]
    fn a_closed_day_added_moves_only_the_due_dates_on_it() {
        let sundays = calendar(&[7], &[]);
        let policy = Policy::default();
        let (today, sunday) = (date(2026, 11, 21), date(2026, 11, 29));
        assert_eq!(
            move_to_open_day(sunday, today, &policy, &sundays).map(|due| due.day),
            Some(date(2026, 11, 30))
        );
        assert_eq!(move_to_open_day(date(2026, 11, 28), today, &policy, &sundays), None);
        assert_eq!(move_to_open_day(sunday, today, &policy, &calendar(&[1, 2, 3, 4, 5, 6, 7], &[])), None);
        // Due on the last day of term, now closed: moves to the day before.
        assert_eq!(
            move_to_open_day(sunday, today, &all_back_by(sunday), &sundays).map(|due| due.day),
            Some(date(2026, 11, 28))
        );
    }

    fn any_policy() -> impl Strategy<Value = Policy> {
        (0_i64..40, 1_i64..40, prop::option::of(-10_i64..60)).prop_map(|(loan_days, renewal_days, last)| {
            Policy {
                loan_days,
                renewal_days,
                all_back_by: last.map(|days| later(date(2027, 1, 1), days)),
                ..Policy::default()
            }
        })
    }

    proptest! {
        #[test]
        fn with_the_default_rules_dates_are_the_specifications(today in 0_i64..80_000, late in -20_i64..400) {
            let today = later(date(1970, 1, 1), today);
            let due = later(today, late);
            prop_assert_eq!(first(today, &Policy::default(), &open()).day, later(today, 7), "R-LOAN-2");
            prop_assert_eq!(after_renewal(due, today, &Policy::default(), false, &open()).day, later(due, 7), "R-LOAN-4");
        }

        #[test]
        fn a_due_date_is_open_unless_nothing_is(calendar in any_calendar(), policy in any_policy(), today in 0_i64..60) {
            let today = later(date(2026, 12, 1), today);
            let due = first(today, &policy, &calendar);
            prop_assert!(due.day >= today);
            // The library does not open again before the all-back day.
            let no_way_back = policy.all_back_by.is_some_and(|last| {
                today <= last && calendar.previous_open(last).is_some_and(|open| open < today)
            });
            if !calendar.is_never_open() && !no_way_back {
                prop_assert_eq!(calendar.is_closed(due.day), None, "{:?}", due);
            }
            if let Some(last) = policy.all_back_by.filter(|last| today <= *last) {
                prop_assert!(due.day <= last);
            }
            for charge in [false, true] {
                prop_assert!(after_renewal(due.day, today, &policy, charge, &calendar).day >= due.day);
            }
        }
    }
}
