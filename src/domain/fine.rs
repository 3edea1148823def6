//! Fines of overdue loans (R-LOAN-5, R-RULE-3).
//!
//! A fine covers the days after the due date, up to and including the day of the return or today, without closed days
//! unless the rules count them. Each day follows the rules of that day: price, grace days, maximum fine, whether the
//! price of the copy is a maximum too, and whether closed days count. A change of rules therefore alters no fine for
//! earlier days.

use jiff::civil::Date;

use super::{
    calendar::{Calendar, Closed, day, number},
    loan::OpenLoan,
    rules::RuleHistory,
};
use crate::{
    message::{self, Message},
    money::Money,
};

/// A fine and its explanation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fine {
    pub amount: Money,
    /// Charged overdue days.
    pub days: i64,
    /// Explanation; empty for a loan that is not overdue.
    pub explain: Vec<Message>,
}

/// Facts of a loan that its fine depends on, besides the days: the borrower's category, and the price of the copy.
#[derive(Clone, Copy, Debug)]
pub struct FineFacts<'a> {
    category: &'a str,
    price: Option<Money>,
}

impl<'a> From<&'a OpenLoan> for FineFacts<'a> {
    fn from(loan: &'a OpenLoan) -> Self {
        Self { category: &loan.category, price: loan.price }
    }
}

impl<'a> From<(&'a str, Option<Money>)> for FineFacts<'a> {
    fn from((category, price): (&'a str, Option<Money>)) -> Self {
        Self { category, price }
    }
}

/// Creates the facts of a loan whose copy has no price.
impl<'a> From<&'a str> for FineFacts<'a> {
    fn from(category: &'a str) -> Self {
        Self { category, price: None }
    }
}

/// Overdue days under one version of the rules.
struct Stretch {
    first: i64,
    last: i64,
    /// Number of charged days in the stretch.
    days: i64,
    price: Money,
    grace: i64,
    cap: Option<Money>,
    /// True if the cap is the price of the copy.
    is_price: bool,
}

/// Totals of all stretches.
struct Tally {
    days: i64,
    amount: Money,
    /// Amount without the cap.
    uncapped: Money,
}

/// Inputs of a fine, apart from the loan.
#[derive(Clone, Copy)]
struct Terms<'r> {
    history: &'r RuleHistory,
    facts: FineFacts<'r>,
    calendar: &'r Calendar,
}

impl Terms<'_> {
    fn stretches(&self, due: Date, until: Date) -> impl Iterator<Item = Stretch> {
        self.history.between(number(due) + 1, number(until)).map(|(first, last, rules)| {
            let policy = rules.for_category(self.facts.category);
            let price = self.facts.price.filter(|_| policy.fine_up_to_price);
            let is_price = price.is_some_and(|price| policy.max_fine.is_none_or(|max| price < max));
            let closed = if rules.charge_closed_days { 0 } else { self.calendar.closed_days(first, last) };
            Stretch {
                first,
                last,
                days: last - first + 1 - closed,
                price: policy.fine_per_day,
                grace: policy.grace_days,
                cap: if is_price { price } else { policy.max_fine },
                is_price,
            }
        })
    }

    fn tally(&self, due: Date, until: Date) -> Tally {
        let days = self.stretches(due, until).map(|stretch| stretch.days).sum();
        let mut tally = Tally { days, amount: Money::ZERO, uncapped: Money::ZERO };
        for stretch in self.stretches(due, until).filter(|stretch| days > stretch.grace) {
            let cost = stretch.price * stretch.days;
            tally.uncapped += cost;
            let sum = tally.amount + cost;
            // A lowered cap does not reduce what accrued before.
            tally.amount = stretch.cap.map_or(sum, |cap| sum.min(cap)).max(tally.amount);
        }
        tally
    }
}

/// Fine of a loan due on `due` and out until `until`.
#[must_use]
pub fn of<'a>(
    due: Date,
    until: Date,
    history: &'a RuleHistory,
    facts: impl Into<FineFacts<'a>>,
    calendar: &'a Calendar,
) -> Fine {
    if until <= due {
        return Fine::default();
    }
    let terms = Terms { history, facts: facts.into(), calendar };
    let tally = terms.tally(due, until);
    Fine { amount: tally.amount, days: tally.days, explain: explain(&terms, &tally, due, until) }
}

/// [`Fine::amount`] alone, for sums over many loans.
#[must_use]
pub fn amount<'a>(
    due: Date,
    until: Date,
    history: &'a RuleHistory,
    facts: impl Into<FineFacts<'a>>,
    calendar: &'a Calendar,
) -> Money {
    if until <= due {
        return Money::ZERO;
    }
    Terms { history, facts: facts.into(), calendar }.tally(due, until).amount
}

/// Whole days past the due date, charged or not; 0 for a loan that is not overdue.
#[must_use]
pub fn overdue_days(due: Date, until: Date) -> i64 {
    (number(until) - number(due)).max(0)
}

fn explain(terms: &Terms<'_>, tally: &Tally, due: Date, until: Date) -> Vec<Message> {
    let mut messages = Vec::new();
    // Charged days by price, in order; `free` counts the others.
    let mut parts: Vec<(i64, Money)> = Vec::new();
    let (mut free, mut grace, mut cap, mut is_price) = (0, None, None, false);
    for stretch in terms.stretches(due, until).filter(|stretch| stretch.days > 0) {
        if stretch.price == Money::ZERO || tally.days <= stretch.grace {
            free += stretch.days;
            grace = grace.max(Some(stretch.grace).filter(|grace| tally.days <= *grace));
            continue;
        }
        (cap, is_price) = (stretch.cap, stretch.is_price);
        match parts.last_mut() {
            Some((days, price)) if *price == stretch.price => *days += stretch.days,
            _ => parts.push((stretch.days, stretch.price)),
        }
    }
    let charged: i64 = parts.iter().map(|(days, _)| days).sum();
    let (amount, sum) = (tally.amount, tally.uncapped);
    let capped = amount < sum;
    match (parts.as_slice(), cap.filter(|cap| *cap == amount)) {
        ([], _) => {}
        ([(days, price)], Some(cap)) if capped => {
            messages.push(message::explain_fine_capped(amount, *days, *price, sum, cap));
        }
        (_, Some(cap)) if capped => {
            messages.push(message::explain_fine_capped_total(amount, charged, sum, cap));
        }
        _ if capped => messages.push(message::explain_fine_capped_by_day(amount, charged, sum)),
        ([(days, price)], _) => messages.push(message::explain_fine(amount, *days, *price)),
        ([(days1, price1), (days2, price2)], _) => {
            messages.push(message::explain_fine_two_rates(amount, *days1, *price1, *days2, *price2));
        }
        (several, _) => {
            messages.push(message::explain_fine_total(amount, charged));
            messages.extend(several.iter().map(|(days, price)| message::explain_fine_part(*days, *price)));
        }
    }
    if let Some(price) = cap.filter(|cap| capped && is_price && *cap == amount) {
        messages.push(message::explain_fine_up_to_price(price));
    }
    match grace {
        _ if free == 0 => {}
        Some(grace) if parts.is_empty() => messages.push(message::explain_grace(free, grace)),
        _ if parts.is_empty() => messages.push(message::explain_no_fine(free)),
        _ => messages.push(message::explain_free_days(free)),
    }
    explain_closed_days(terms, due, until, &mut messages);
    messages
}

/// Maximum number of closed days named one by one.
const MOST_NAMED: i64 = 3;
/// Maximum number of overdue days for which closed days are named; for more overdue days, closed days are only counted.
const MOST_SEARCHED: i64 = 60;

fn explain_closed_days(terms: &Terms<'_>, due: Date, until: Date, messages: &mut Vec<Message>) {
    let all = |stretch: &Stretch| stretch.last - stretch.first + 1;
    let left_out: i64 = terms.stretches(due, until).map(|stretch| all(&stretch) - stretch.days).sum();
    if left_out > MOST_NAMED || (left_out > 0 && overdue_days(due, until) > MOST_SEARCHED) {
        messages.push(message::explain_closed_days_not_counted(left_out));
        return;
    }
    for stretch in terms.stretches(due, until).filter(|stretch| all(stretch) > stretch.days) {
        for day in (stretch.first..=stretch.last).map(day) {
            match terms.calendar.is_closed(day) {
                Some(Closed::Weekday) => messages.push(message::explain_not_counted(day)),
                Some(Closed::Date(name)) => messages.push(message::explain_holiday_not_counted(day, name)),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;
    use crate::{
        domain::{
            calendar::{
                later,
                tests::{any_calendar, calendar},
            },
            due,
            rules::{CategoryRules, Policy, Rules, STUDENT},
        },
        message::joined,
    };

    /// 1 March 2027 is a Monday.
    fn march(day: i8) -> Date {
        date(2027, 3, day)
    }

    fn rules(change: impl FnOnce(&mut Policy)) -> Rules {
        let mut policy = Policy::default();
        change(&mut policy);
        let mut rules = Rules::default();
        rules.categories[0].rules = CategoryRules::of(&policy);
        rules
    }

    fn history(rules: Rules) -> RuleHistory {
        RuleHistory::new(vec![(Date::MIN, rules)])
    }

    fn closed_days_free() -> Rules {
        Rules { charge_closed_days: false, ..Rules::default() }
    }

    fn open() -> Calendar {
        Calendar::default()
    }

    fn fined(history: &RuleHistory, calendar: &Calendar, due: i8, until: i8) -> (Money, String) {
        let fine = of(march(due), march(until), history, STUDENT, calendar);
        assert_eq!(fine.amount, amount(march(due), march(until), history, STUDENT, calendar));
        (fine.amount, joined(&fine.explain))
    }

    fn rupees(amount: i64) -> Money {
        Money::main(amount)
    }

    #[test]
    fn example_1_each_day_late_costs_five_rupees_r_loan_5() {
        assert_eq!(fined(&RuleHistory::default(), &open(), 1, 4), (rupees(15), "₹15 = 3 days × ₹5".into()));
        assert_eq!(fined(&RuleHistory::default(), &open(), 1, 1), (rupees(0), String::new()));
        assert_eq!(fined(&RuleHistory::default(), &open(), 4, 1), (rupees(0), String::new()));
    }

    // Example 2 is in `clock`: the day on which a fine begins depends on the time zone.
    #[test]
    fn example_3_closed_days_are_free_if_the_rules_say_so_r_rule_4() {
        let sundays = calendar(&[7], &[]);
        assert_eq!(
            fined(&history(closed_days_free()), &sundays, 5, 8),
            (rupees(10), "₹10 = 2 days × ₹5; Sunday 7 Mar not counted".into())
        );
        assert_eq!(fined(&RuleHistory::default(), &sundays, 5, 8).0, rupees(15));
        let holidays = calendar(&[7], &[(march(22), march(23), "Holi")]);
        assert_eq!(
            fined(&history(closed_days_free()), &holidays, 20, 24).1,
            "₹5 = 1 day × ₹5; Sunday 21 Mar not counted; Monday 22 Mar (Holi) not counted; Tuesday 23 Mar (Holi) not counted"
        );
        assert_eq!(
            fined(&history(closed_days_free()), &holidays, 1, 31).1,
            "₹120 = 24 days × ₹5; 6 closed days not counted"
        );
        assert_eq!(
            fined(&history(closed_days_free()), &sundays, 6, 7),
            (rupees(0), "Sunday 7 Mar not counted".into())
        );
    }

    #[test]
    fn example_4_the_due_date_itself_is_never_counted_closed_or_not() {
        let declared_later = calendar(&[], &[(march(10), march(10), "Holiday")]);
        assert_eq!(fined(&history(closed_days_free()), &declared_later, 10, 12).0, rupees(10));
    }

    #[test]
    fn example_5_days_of_grace_are_free_or_all_of_them_cost_r_rule_3() {
        let grace = history(rules(|policy| policy.grace_days = 2));
        assert_eq!(fined(&grace, &open(), 1, 3), (rupees(0), "2 days late, no fine up to 2 days".into()));
        assert_eq!(fined(&grace, &open(), 1, 4), (rupees(15), "₹15 = 3 days × ₹5".into()));
    }

    #[test]
    fn example_6_grace_is_counted_in_days_that_count() {
        let grace = Rules { charge_closed_days: false, ..rules(|policy| policy.grace_days = 2) };
        assert_eq!(
            fined(&history(grace), &calendar(&[7], &[]), 5, 8),
            (rupees(0), "2 days late, no fine up to 2 days; Sunday 7 Mar not counted".into())
        );
    }

    #[test]
    fn examples_7_8_and_11_a_fine_stops_exactly_at_its_highest_value() {
        let capped = |price, cap| {
            history(rules(|policy| {
                policy.fine_per_day = rupees(price);
                policy.max_fine = Some(rupees(cap));
            }))
        };
        assert_eq!(
            fined(&capped(5, 50), &open(), 1, 26),
            (rupees(50), "₹50: 25 days × ₹5 = ₹125, at most ₹50".into())
        );
        assert_eq!(fined(&capped(15, 50), &open(), 1, 5).0, rupees(50));
        assert_eq!(fined(&capped(5, 20), &open(), 1, 11).0, rupees(20));
        assert_eq!(fined(&capped(5, 50), &open(), 1, 11), (rupees(50), "₹50 = 10 days × ₹5".into()));
        assert_eq!(fined(&capped(5, 0), &open(), 1, 11).0, rupees(0), "0 is a number, not \"no limit\"");
    }

    #[test]
    fn example_9_each_day_costs_what_held_on_it_r_rule_3() {
        let dearer = RuleHistory::default().with(march(11), rules(|policy| policy.fine_per_day = rupees(10)));
        assert_eq!(fined(&dearer, &open(), 8, 13), (rupees(40), "₹40 = 2 days × ₹5 + 3 days × ₹10".into()));
        let dearer_still = dearer.with(march(13), rules(|policy| policy.fine_per_day = rupees(20)));
        assert_eq!(
            fined(&dearer_still, &open(), 8, 13),
            (rupees(50), "₹50 for 5 days; 2 days × ₹5; 2 days × ₹10; 1 day × ₹20".into())
        );
        let free = RuleHistory::default().with(march(11), rules(|policy| policy.fine_per_day = rupees(0)));
        assert_eq!(
            fined(&free, &open(), 8, 13),
            (rupees(10), "₹10 = 2 days × ₹5; 3 days without a fine".into())
        );
        assert_eq!(fined(&free, &open(), 11, 13), (rupees(0), "2 days late, no fine".into()));
    }

    #[test]
    fn example_10_renewing_an_overdue_loan_that_charges_leaves_two_sums() {
        let default = RuleHistory::default();
        let first = amount(march(1), march(4), &default, STUDENT, &open());
        let due = due::after_renewal(march(1), march(4), &Policy::default(), true, &open()).day;
        assert_eq!((first, due), (rupees(15), march(11)));
        assert_eq!(amount(due, march(12), &default, STUDENT, &open()), rupees(5));
    }

    #[test]
    fn example_12_nothing_is_rounded_by_day() {
        let half = history(rules(|policy| policy.fine_per_day = Money(250)));
        assert_eq!(fined(&half, &open(), 1, 4), (Money(750), "₹7.50 = 3 days × ₹2.50".into()));
    }

    #[test]
    fn example_13_a_return_from_the_book_drop_costs_the_days_until_its_day() {
        let returned_on = |day| amount(march(4), march(day), &RuleHistory::default(), STUDENT, &open());
        assert_eq!((returned_on(5), returned_on(8)), (rupees(5), rupees(20)));
    }

    /// K20: a fine exceeded the price of the book.
    #[test]
    fn a_fine_stops_at_the_price_of_the_copy_if_the_rules_say_so_r_rule_3() {
        let bounded = |max: Option<i64>| {
            history(rules(|policy| {
                policy.fine_up_to_price = true;
                policy.max_fine = max.map(rupees);
            }))
        };
        let of = |history: &RuleHistory, price: Option<i64>| {
            let fine = of(march(1), march(26), history, (STUDENT, price.map(rupees)), &open());
            (fine.amount, joined(&fine.explain))
        };
        assert_eq!(
            of(&bounded(None), Some(80)),
            (rupees(80), "₹80: 25 days × ₹5 = ₹125, at most ₹80; no more than the book costs, ₹80".into())
        );
        assert_eq!(
            of(&bounded(Some(50)), Some(80)),
            (rupees(50), "₹50: 25 days × ₹5 = ₹125, at most ₹50".into())
        );
        assert_eq!(of(&bounded(Some(100)), Some(80)).0, rupees(80));
        assert_eq!(of(&bounded(None), Some(0)).0, rupees(0));
        assert_eq!(of(&bounded(None), None), (rupees(125), "₹125 = 25 days × ₹5".into()));
        assert_eq!(of(&bounded(None), Some(125)), (rupees(125), "₹125 = 25 days × ₹5".into()));
        assert_eq!(of(&RuleHistory::default(), Some(80)).0, rupees(125));
    }

    #[test]
    fn a_cap_lowered_later_takes_nothing_back() {
        let lowered =
            RuleHistory::default().with(march(11), rules(|policy| policy.max_fine = Some(rupees(20))));
        assert_eq!(
            fined(&lowered, &open(), 1, 20),
            (rupees(45), "₹45: 19 days come to ₹95, cut by the highest fine of each day".into())
        );
    }

    #[test]
    fn categories_pay_their_own_price_and_an_unknown_one_the_students_r_rule_2() {
        let mut rules = Rules::default();
        rules.categories[1].rules.fine_per_day = Some(Money::ZERO);
        let history = history(rules);
        let of = |category: &'static str| amount(march(1), march(4), &history, category, &open());
        assert_eq!(
            (of("Staff"), of("STAFF"), of("Student"), of("Alumni")),
            (rupees(0), rupees(0), rupees(15), rupees(15))
        );
    }

    #[test]
    fn ten_years_late_is_as_quick_as_a_day() {
        let holidays: Vec<_> =
            (0..200).map(|n| later(date(2017, 1, 1), n * 18)).map(|day| (day, day, "Holiday")).collect();
        let calendar = calendar(&[7], &holidays);
        let history = history(closed_days_free());
        let begun = std::time::Instant::now();
        for _ in 0..1000 {
            let fine = of(date(2017, 1, 1), date(2027, 1, 1), &history, STUDENT, &calendar);
            assert!(fine.days > 2000);
        }
        // A thousand fines take a few milliseconds; day by day they would take seconds.
        assert!(begun.elapsed() < std::time::Duration::from_secs(1), "{:?}", begun.elapsed());
    }

    fn any_rules() -> impl Strategy<Value = Rules> {
        (0_i64..3000, 0_i64..6, prop::option::of(0_i64..20_000), any::<bool>(), any::<bool>()).prop_map(
            |(price, grace, cap, charge_closed_days, up_to_price)| Rules {
                charge_closed_days,
                ..rules(|policy| {
                    policy.fine_per_day = Money(price);
                    policy.grace_days = grace;
                    policy.max_fine = cap.map(Money);
                    policy.fine_up_to_price = up_to_price;
                })
            },
        )
    }

    fn any_history() -> impl Strategy<Value = RuleHistory> {
        prop::collection::vec((0_i64..100, any_rules()), 0..5).prop_map(|saved| {
            RuleHistory::new(saved.into_iter().map(|(from, rules)| (later(march(1), from), rules)).collect())
        })
    }

    /// Reference implementation, day by day.
    fn day_by_day(
        due: Date,
        until: Date,
        history: &RuleHistory,
        price: Option<Money>,
        calendar: &Calendar,
    ) -> Money {
        let counts = |day: &Date| {
            history.on(*day).charge_closed_days
                || calendar.is_never_open()
                || calendar.is_closed(*day).is_none()
        };
        let days: Vec<Date> = (number(due) + 1..=number(until)).map(day).filter(counts).collect();
        let mut total = Money::ZERO;
        for day in &days {
            let policy = history.on(*day).for_category(STUDENT);
            if i64::try_from(days.len()).unwrap() > policy.grace_days {
                let sum = total + policy.fine_per_day;
                let price = price.filter(|_| policy.fine_up_to_price);
                let cap = policy.max_fine.into_iter().chain(price).min();
                total = total.max(cap.map_or(sum, |cap| sum.min(cap)));
            }
        }
        total
    }

    proptest! {
        #[test]
        fn with_the_default_rules_the_fine_is_the_specifications(due in 0_i64..80_000, late in -20_i64..4000) {
            let due = later(date(1970, 1, 1), due);
            let until = later(due, late);
            let fine = of(due, until, &RuleHistory::default(), STUDENT, &open());
            // R-LOAN-5: ₹5 for each whole day past the return date.
            prop_assert_eq!(fine.amount, rupees(5 * late.max(0)));
            prop_assert_eq!(fine.days, late.max(0));
            prop_assert_eq!(overdue_days(due, until), late.max(0));
        }

        #[test]
        fn fines_are_the_sum_of_their_days_and_never_shrink(
            history in any_history(), calendar in any_calendar(), due in -20_i64..60, late in 0_i64..80,
            price in prop::option::of(0_i64..20_000),
        ) {
            let (due, price) = (later(march(1), due), price.map(Money));
            let of = |until| amount(due, until, &history, (STUDENT, price), &calendar);
            let until = later(due, late);
            prop_assert_eq!(of(until), day_by_day(due, until, &history, price, &calendar));
            // A cap in force on every day bounds the whole fine.
            let bounded = history.between(number(due) + 1, number(until)).all(|(_, _, rules)| {
                rules.for_category(STUDENT).fine_up_to_price
            });
            if let Some(price) = price.filter(|_| bounded) {
                prop_assert!(of(until) <= price);
            }
            prop_assert!(of(until) <= of(later(until, 1)));
            let one_version = history.between(number(due), number(until)).count() == 1;
            if let (true, Some(cap)) = (one_version, history.on(due).for_category(STUDENT).max_fine) {
                prop_assert!(of(until) <= cap);
            }
        }

        #[test]
        fn a_change_moves_no_money_for_days_before_it(
            history in any_history(), changed in any_rules(), from in 0_i64..60, due in -20_i64..60,
        ) {
            let (first_day, due) = (later(march(1), from), later(march(1), due));
            let until = later(first_day, -1);
            let after = history.clone().with(first_day, changed);
            prop_assert_eq!(
                of(due, until, &history, STUDENT, &open()),
                of(due, until, &after, STUDENT, &open())
            );
        }

        #[test]
        fn whatever_is_owed_is_explained(
            history in any_history(), calendar in any_calendar(), due in -20_i64..60, late in 1_i64..80,
        ) {
            let due = later(march(1), due);
            let fine = of(due, later(due, late), &history, (STUDENT, Some(Money(5000))), &calendar);
            let words = joined(&fine.explain);
            prop_assert!(!fine.explain.is_empty());
            if fine.amount > Money::ZERO {
                let amount = message::explain_fine_total(fine.amount, 1).text();
                prop_assert!(words.starts_with(amount.trim_end_matches(" for 1 day")), "{}", words);
            }
        }
    }
}
