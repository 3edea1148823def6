//! The rules of lending, set by librarians: by category of person, each version with a first day.
//!
//! The defaults are the specification's constants: 7 days, 7 days more, ₹5 for each day overdue, no limits.

use jiff::civil::{Date, date};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{
    calendar::number,
    rule::{Invalid, Kind, Number, Text},
};
use crate::{message, money::Money};

/// Default category of a person, and the fallback for values that other categories leave out.
pub const STUDENT: &str = "Student";
/// Second category of a new library.
pub const STAFF: &str = "Staff";

/// Resolved rules of one category. `None` is "no limit"; 0 is a limit like any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Days from check-out to the due date (R-LOAN-2).
    pub loan_days: i64,
    /// Days added by a renewal (R-LOAN-4).
    pub renewal_days: i64,
    /// Price of each overdue day (R-LOAN-5).
    pub fine_per_day: Money,
    /// Overdue days without a fine; beyond them, all overdue days are charged.
    pub grace_days: i64,
    /// Maximum fine of a loan.
    pub max_fine: Option<Money>,
    /// True if a fine never exceeds the price of the copy, where one is recorded.
    pub fine_up_to_price: bool,
    /// Maximum number of open loans, inclusive.
    pub max_loans: Option<i64>,
    /// Maximum number of renewals of a loan.
    pub max_renewals: Option<i64>,
    /// True if a second copy of the same title is refused.
    pub one_copy_per_title: bool,
    /// Dues above this amount block borrowing; exactly this amount does not.
    pub block_owing_over: Option<Money>,
    /// Number of overdue loans that blocks borrowing.
    pub block_overdue: Option<i64>,
    /// Open days that a copy is kept on the hold shelf.
    pub hold_days: i64,
    /// Maximum number of open holds.
    pub max_holds: Option<i64>,
    /// Latest due date of all loans, until that day is past.
    pub all_back_by: Option<Date>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            loan_days: 7,
            renewal_days: 7,
            fine_per_day: Money::main(5),
            grace_days: 0,
            max_fine: None,
            fine_up_to_price: false,
            max_loans: None,
            max_renewals: None,
            one_copy_per_title: false,
            block_owing_over: None,
            block_overdue: None,
            hold_days: 3,
            max_holds: None,
            all_back_by: None,
        }
    }
}

/// A category's own values. A missing value is that of `Student`; null is "no limit".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CategoryRules {
    /// Days from check-out to the due date.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub loan_days: Option<i64>,
    /// Days added by a renewal.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub renewal_days: Option<i64>,
    /// Price of each overdue day.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64, required = false)]
    pub fine_per_day: Option<Money>,
    /// Overdue days without a fine; beyond them, all overdue days are charged.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub grace_days: Option<i64>,
    /// Maximum fine of a loan.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub max_fine: Option<Option<Money>>,
    /// True if a fine never exceeds the price of the copy, where one is recorded.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    pub fine_up_to_price: Option<bool>,
    /// Maximum number of open loans.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub max_loans: Option<Option<i64>>,
    /// Maximum number of renewals of a loan.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub max_renewals: Option<Option<i64>>,
    /// True if a second copy of the same title is refused.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = false)]
    pub one_copy_per_title: Option<bool>,
    /// Dues above this amount block borrowing.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub block_owing_over: Option<Option<Money>>,
    /// Number of overdue loans that blocks borrowing.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub block_overdue: Option<Option<i64>>,
    /// Open days that a copy is kept on the hold shelf.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = i64, required = false)]
    pub hold_days: Option<i64>,
    /// Maximum number of open holds.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    pub max_holds: Option<Option<i64>>,
    /// Latest due date of all loans.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Date)]
    pub all_back_by: Option<Option<Date>>,
}

/// Distinguishes a present value, null included, from an absent one.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Limits and labels of the whole numbers.
pub const NUMBERS: &[Number] = &[
    Number { field: "loanDays", label: "Loan days", min: 0, max: 3650 },
    Number { field: "renewalDays", label: "Renewal days", min: 1, max: 3650 },
    Number { field: "graceDays", label: "Grace days", min: 0, max: 365 },
    Number { field: "maxLoans", label: "Most loans at once", min: 0, max: 10_000 },
    Number { field: "maxRenewals", label: "Most renewals", min: 0, max: 10_000 },
    Number { field: "blockOverdue", label: "Overdue books that stop borrowing", min: 1, max: 10_000 },
    Number { field: "holdDays", label: "Days a copy is kept", min: 1, max: 365 },
    Number { field: "maxHolds", label: "Most reservations at once", min: 0, max: 10_000 },
];
/// Limits and labels of the amounts: field, label, maximum. The minimum is zero.
pub const AMOUNTS: &[(&str, &str, Money)] = &[
    ("finePerDay", "Fine a day", Money::main(100_000)),
    ("maxFine", "Highest fine", Money::main(1_000_000)),
    ("blockOwingOver", "Owing more than this stops borrowing", Money::main(1_000_000)),
];
/// Field name of a version's first day.
const EFFECTIVE_FROM: &str = "effectiveFrom";
/// Field name of the day on which all books are due back.
const ALL_BACK_BY: &str = "allBackBy";
pub const NAME: Text = Text { field: "name", label: "Category", min: 1, max: 50, kind: Kind::Line };
/// Maximum number of categories.
const CATEGORIES: usize = 50;
/// Accepted days; others are typing mistakes.
const DAYS: (Date, Date) = (date(1900, 1, 1), date(2999, 12, 31));

impl CategoryRules {
    /// Converts a whole policy to a category's values.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        Self {
            loan_days: Some(policy.loan_days),
            renewal_days: Some(policy.renewal_days),
            fine_per_day: Some(policy.fine_per_day),
            grace_days: Some(policy.grace_days),
            max_fine: Some(policy.max_fine),
            fine_up_to_price: Some(policy.fine_up_to_price),
            max_loans: Some(policy.max_loans),
            max_renewals: Some(policy.max_renewals),
            one_copy_per_title: Some(policy.one_copy_per_title),
            block_owing_over: Some(policy.block_owing_over),
            block_overdue: Some(policy.block_overdue),
            hold_days: Some(policy.hold_days),
            max_holds: Some(policy.max_holds),
            all_back_by: Some(policy.all_back_by),
        }
    }

    /// Returns `base`, overridden by these values.
    #[must_use]
    pub fn over(&self, base: Policy) -> Policy {
        Policy {
            loan_days: self.loan_days.unwrap_or(base.loan_days),
            renewal_days: self.renewal_days.unwrap_or(base.renewal_days),
            fine_per_day: self.fine_per_day.unwrap_or(base.fine_per_day),
            grace_days: self.grace_days.unwrap_or(base.grace_days),
            max_fine: self.max_fine.unwrap_or(base.max_fine),
            fine_up_to_price: self.fine_up_to_price.unwrap_or(base.fine_up_to_price),
            max_loans: self.max_loans.unwrap_or(base.max_loans),
            max_renewals: self.max_renewals.unwrap_or(base.max_renewals),
            one_copy_per_title: self.one_copy_per_title.unwrap_or(base.one_copy_per_title),
            block_owing_over: self.block_owing_over.unwrap_or(base.block_owing_over),
            block_overdue: self.block_overdue.unwrap_or(base.block_overdue),
            hold_days: self.hold_days.unwrap_or(base.hold_days),
            max_holds: self.max_holds.unwrap_or(base.max_holds),
            all_back_by: self.all_back_by.unwrap_or(base.all_back_by),
        }
    }

    fn check(&self, place: &str, invalid: &mut Invalid) {
        let field = |name: &str| format!("{place}.{name}");
        for rule in NUMBERS {
            let value = match rule.field {
                "loanDays" => self.loan_days,
                "renewalDays" => self.renewal_days,
                "graceDays" => self.grace_days,
                "maxLoans" => self.max_loans.flatten(),
                "maxRenewals" => self.max_renewals.flatten(),
                "blockOverdue" => self.block_overdue.flatten(),
                "holdDays" => self.hold_days,
                _ => self.max_holds.flatten(),
            };
            if let Some(value) = value {
                rule.check_as(field(rule.field), value, invalid);
            }
        }
        for (name, label, max) in AMOUNTS {
            let value = match *name {
                "finePerDay" => self.fine_per_day,
                "maxFine" => self.max_fine.flatten(),
                _ => self.block_owing_over.flatten(),
            };
            if value.is_some_and(|value| !(Money::ZERO..=*max).contains(&value)) {
                invalid.push(field(name), message::amount_out_of_range(label, Money::ZERO, *max));
            }
        }
        if let Some(Some(day)) = self.all_back_by {
            check_day(field(ALL_BACK_BY), "All back by", day, invalid);
        }
    }
}

/// Reports a day that can only be a typing mistake.
pub fn check_day(field: String, label: &str, day: Date, invalid: &mut Invalid) {
    if !(DAYS.0..=DAYS.1).contains(&day) {
        invalid.push(field, message::day_out_of_range(label, DAYS.0, DAYS.1));
    }
}

/// A category of person and its rules (R-RULE-2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Unique without regard to case.
    #[serde(default)]
    #[schema(required)]
    pub name: String,
    /// The category's own values.
    #[serde(default)]
    pub rules: CategoryRules,
}

/// One version of the rules.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the settings")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Rules {
    /// First day; null for the defaults, and for "from today" in a request.
    #[schema(value_type = Option<String>, format = Date)]
    pub effective_from: Option<Date>,
    /// `Student`, which is complete, then the others.
    pub categories: Vec<Category>,
    /// True if students may borrow without the desk.
    pub self_borrow: bool,
    /// True if students may return without the desk.
    pub self_return: bool,
    /// True if students may renew without the desk.
    pub self_renew: bool,
    /// True if closed days are charged as overdue days too.
    pub charge_closed_days: bool,
    /// True if renewing an overdue loan charges its fine first and counts from today (R-MONEY-5).
    pub charge_on_renewal: bool,
    /// True if a copy returned at the desk must be shelved before a student can take it without the desk (R-RULE-7).
    pub returns_wait_to_be_shelved: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            effective_from: None,
            categories: vec![
                Category { name: STUDENT.into(), rules: CategoryRules::of(&Policy::default()) },
                Category { name: STAFF.into(), rules: CategoryRules::default() },
            ],
            self_borrow: true,
            self_return: true,
            self_renew: true,
            charge_closed_days: true,
            charge_on_renewal: false,
            returns_wait_to_be_shelved: false,
        }
    }
}

/// Compares names of categories without regard to case.
#[must_use]
pub fn same_name(one: &str, other: &str) -> bool {
    one == other || one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

impl Rules {
    /// Validates and normalises the rules (`Student` first and complete); returns all their errors. The first day is today
    /// or later, so the fines of earlier days do not change (R-RULE-3).
    pub fn checked(mut self, today: Date) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        if self.effective_from.is_some_and(|day| !(today..=DAYS.1).contains(&day)) {
            invalid.push(EFFECTIVE_FROM, message::day_out_of_range("Valid from", today, DAYS.1));
        }
        if self.categories.len() > CATEGORIES {
            invalid.push("categories", message::too_many("Categories", CATEGORIES));
        }
        for index in 0..self.categories.len() {
            let place = format!("categories[{index}]");
            let name = NAME.check_as(format!("{place}.name"), &self.categories[index].name, &mut invalid);
            if !name.is_empty()
                && self.categories[..index].iter().any(|before| same_name(&before.name, &name))
            {
                invalid.push(format!("{place}.name"), message::taken(NAME.label, &name));
            }
            let category = &mut self.categories[index];
            category.name = name;
            category.rules.check(&format!("{place}.rules"), &mut invalid);
        }
        match self.categories.iter().position(|category| same_name(&category.name, STUDENT)) {
            Some(at) => self.categories[..=at].rotate_right(1),
            None => invalid.push("categories", message::student_missing()),
        }
        if let Some(student) = self.categories.first_mut() {
            student.name =
                if same_name(&student.name, STUDENT) { STUDENT.into() } else { student.name.clone() };
            student.rules = CategoryRules::of(&student.rules.over(Policy::default()));
        }
        invalid.into_result(self)
    }

    /// Policy of a category; an unknown category has that of `Student`.
    #[must_use]
    pub fn for_category(&self, name: &str) -> Policy {
        let of = |name: &str| self.categories.iter().find(|category| same_name(&category.name, name));
        let student =
            of(STUDENT).map_or_else(Policy::default, |student| student.rules.over(Policy::default()));
        match of(name) {
            Some(category) => category.rules.over(student),
            None => student,
        }
    }

    /// This version's spelling of a category's name; `None` if there is no such category.
    #[must_use]
    pub fn category(&self, name: &str) -> Option<&str> {
        self.categories.iter().map(|category| category.name.as_str()).find(|known| same_name(known, name))
    }
}

/// All saved versions. On each day, the version saved last among the versions that have begun applies; the defaults apply
/// before all versions.
#[derive(Clone, Debug)]
pub struct RuleHistory {
    /// Versions by first day; each holds until the next begins. Never empty.
    periods: Vec<(Option<Date>, Rules)>,
}

impl Default for RuleHistory {
    fn default() -> Self {
        Self { periods: vec![(None, Rules::default())] }
    }
}

impl RuleHistory {
    /// Builds the history from saved versions and their first days, in the order in which they were saved.
    #[must_use]
    pub fn new(saved: Vec<(Date, Rules)>) -> Self {
        saved.into_iter().fold(Self::default(), |history, (from, rules)| history.with(from, rules))
    }

    /// Adds a version saved after all others.
    #[must_use]
    pub fn with(mut self, from: Date, mut rules: Rules) -> Self {
        rules.effective_from = Some(from);
        // A version replaces earlier saved versions that would begin on the same day or later.
        self.periods.retain(|(begun, _)| begun.is_none_or(|begun| begun < from));
        self.periods.push((Some(from), rules));
        self
    }

    /// True if any version limits a fine to the price of the copy.
    #[must_use]
    pub fn need_prices(&self) -> bool {
        let needs = |category: &Category| category.rules.fine_up_to_price == Some(true);
        self.periods.iter().any(|(_, rules)| rules.categories.iter().any(needs))
    }

    #[must_use]
    pub fn on(&self, day: Date) -> &Rules {
        let after = self.periods.partition_point(|(begun, _)| begun.is_none_or(|begun| begun <= day));
        &self.periods[after.max(1) - 1].1
    }

    /// The version saved last, which also begins last.
    #[must_use]
    pub fn newest(&self) -> &Rules {
        &self.periods[self.periods.len() - 1].1
    }

    /// The versions of the days `first..=last` (day numbers), each with its part of the days.
    pub(super) fn between(&self, first: i64, last: i64) -> impl Iterator<Item = (i64, i64, &Rules)> {
        self.periods.iter().enumerate().filter_map(move |(index, (begun, rules))| {
            let from = begun.map_or(first, |begun| number(begun).max(first));
            let next = self.periods.get(index + 1).and_then(|(begun, _)| *begun);
            let to = next.map_or(last, |next| (number(next) - 1).min(last));
            (from <= to).then_some((from, to, rules))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const TODAY: Date = jiff::civil::date(2026, 11, 21);

    fn checked(rules: Value) -> Result<Rules, Vec<String>> {
        let rules: Rules = serde_json::from_value(rules).map_err(|error| vec![error.to_string()])?;
        rules.checked(TODAY).map_err(|invalid| {
            invalid.0.into_iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
        })
    }

    fn student(rules: &Value) -> Value {
        json!({ "categories": [{ "name": "Student", "rules": rules }] })
    }

    #[test]
    fn the_defaults_are_the_specification_r_rule_1() {
        let rules = Rules::default();
        assert_eq!(rules.clone().checked(TODAY), Ok(rules.clone()));
        assert_eq!(
            serde_json::to_value(&rules).unwrap(),
            json!({
                "effectiveFrom": null,
                "categories": [
                    { "name": "Student", "rules": {
                        "loanDays": 7, "renewalDays": 7, "finePerDay": 5, "graceDays": 0, "maxFine": null, "fineUpToPrice": false,
                        "maxLoans": null, "maxRenewals": null, "oneCopyPerTitle": false, "blockOwingOver": null,
                        "blockOverdue": null, "holdDays": 3, "maxHolds": null, "allBackBy": null,
                    } },
                    { "name": "Staff", "rules": {} },
                ],
                "selfBorrow": true, "selfReturn": true, "selfRenew": true, "chargeClosedDays": true,
                "chargeOnRenewal": false, "returnsWaitToBeShelved": false,
            })
        );
        assert_eq!(rules.for_category("Staff"), Policy::default());
    }

    #[test]
    fn a_category_leaves_out_what_is_as_for_students_and_null_is_no_limit_r_rule_2() {
        let rules = checked(json!({ "categories": [
            { "name": "Teacher", "rules": { "loanDays": 30, "maxLoans": null } },
            { "name": "student", "rules": { "maxLoans": 3, "finePerDay": 2.5 } },
            { "name": "Guest", "rules": { "maxLoans": 0 } },
        ] }))
        .unwrap();
        assert_eq!(rules.categories[0].name, "Student");
        let of = |name: &str| {
            let policy = rules.for_category(name);
            (policy.loan_days, policy.max_loans, policy.fine_per_day)
        };
        assert_eq!(of("Student"), (7, Some(3), Money(250)));
        assert_eq!(of("TEACHER"), (30, None, Money(250)));
        assert_eq!(of("Guest"), (7, Some(0), Money(250)));
        assert_eq!(of("nobody"), of("Student"));
        // Stored and loaded, absent stays absent and null stays null.
        let again: Rules = serde_json::from_value(serde_json::to_value(&rules).unwrap()).unwrap();
        assert_eq!(again, rules);
    }

    #[test]
    fn every_mistake_in_the_rules_is_told_at_its_field() {
        let mut many = Rules::default();
        many.categories
            .extend((0..50).map(|n| Category { name: format!("C{n}"), rules: CategoryRules::default() }));
        assert_eq!(
            checked(serde_json::to_value(many).unwrap()),
            Err(vec!["categories: Categories: at most 50.".into()])
        );
        let wrong = checked(json!({ "categories": [
            { "name": "Student", "rules": { "loanDays": -1, "maxFine": -0.5, "allBackBy": "0026-04-30" } },
            { "name": " ", "rules": { "renewalDays": 0 } },
            { "name": "STAFF" },
            { "name": "staff", "rules": { "blockOverdue": 0, "maxHolds": 10_001 } },
        ] }));
        assert_eq!(
            wrong.unwrap_err(),
            [
                "categories[0].rules.loanDays: Loan days must be a whole number from 0 to 3650.",
                "categories[0].rules.maxFine: Highest fine must be an amount from ₹0 to ₹10,00,000.",
                "categories[0].rules.allBackBy: All back by must be a day from 1 Jan 1900 to 31 Dec 2999.",
                "categories[1].name: Category is required.",
                "categories[1].rules.renewalDays: Renewal days must be a whole number from 1 to 3650.",
                "categories[3].name: Category “staff” is already in the list.",
                "categories[3].rules.blockOverdue: Overdue books that stop borrowing must be a whole number from 1 to 10000.",
                "categories[3].rules.maxHolds: Most reservations at once must be a whole number from 0 to 10000.",
            ]
        );
        assert_eq!(
            checked(json!({ "categories": [{ "name": "Staff" }] })).unwrap_err(),
            ["categories: The category Student must be there."]
        );
        // Only limits may be null.
        for rules in [
            json!({ "loanDays": null }),
            json!({ "finePerDay": null }),
            json!({ "oneCopyPerTitle": null }),
            json!({ "loandays": 7 }),
        ] {
            assert!(checked(student(&rules)).is_err(), "{rules}");
        }
    }

    #[test]
    fn the_rules_of_a_day_are_those_saved_last_that_have_begun_r_rule_3() {
        let rules = |days: i64| checked(student(&json!({ "loanDays": days }))).unwrap();
        let loan_days = |history: &RuleHistory, day: Date| history.on(day).for_category(STUDENT).loan_days;
        let at = |day| date(2027, 3, day);
        let history = RuleHistory::new(vec![(at(10), rules(10)), (at(20), rules(20))]);
        assert_eq!([1, 9, 10, 19, 20, 31].map(|day| loan_days(&history, at(day))), [7, 7, 10, 10, 20, 20]);
        assert_eq!(
            (history.on(at(1)).effective_from, history.on(at(25)).effective_from),
            (None, Some(at(20)))
        );
        assert_eq!(history.newest().effective_from, Some(at(20)));
        // Saved later with an earlier first day: it replaces versions that would begin later.
        let replaced = history.clone().with(at(15), rules(15));
        assert_eq!([1, 10, 14, 15, 20, 31].map(|day| loan_days(&replaced, at(day))), [7, 10, 10, 15, 15, 15]);
        assert_eq!(loan_days(&history.with(at(20), rules(21)), at(20)), 21);
    }
}
