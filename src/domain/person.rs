//! People as shown to librarians: their details, their right to borrow and their open loans (R-PEOPLE-1).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    account::{
        BATCH, Capability, DEPARTMENT, EMAIL, GUARDIAN_EMAIL, GUARDIAN_PHONE, NAME, PHONE, ROLL_NUMBER, Role,
        folded_roll_number,
    },
    id::UserId,
    rule::{Invalid, Kind, Text},
    rules::{self, Rules},
};
use crate::{message, money::Money};

/// Reason why a person is barred.
pub const BARRED_REASON: Text =
    Text { field: "barred.reason", label: "Reason", min: 1, max: 200, kind: Kind::Line };
/// Field name of the membership's last day.
pub const VALID_UNTIL: &str = "validUntil";

/// Bar from borrowing, up to and including `until`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Barred {
    #[schema(value_type = String, format = Date)]
    pub until: Date,
    pub reason: String,
}

/// Recorded details of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    pub name: String,
    /// Address for signing in, as typed; null without one.
    #[schema(required)]
    pub email: Option<String>,
    /// Number on the ID card, lower-case, unique.
    #[schema(required)]
    pub roll_number: Option<String>,
    #[schema(required)]
    pub department: Option<String>,
    /// Year of the class, as text.
    #[schema(required)]
    pub batch: Option<String>,
    /// Category, which decides the rules (R-RULE-2).
    pub category: String,
    /// Last day of borrowing; null for no end.
    #[schema(value_type = Option<String>, format = Date, required)]
    pub valid_until: Option<Date>,
    #[schema(required)]
    pub barred: Option<Barred>,
    /// Phone of the person; left out if there is none, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub phone: Option<String>,
    /// Address of a parent or guardian for reminders. Left out if there is none, and for librarians who may not change people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub guardian_email: Option<String>,
    /// Phone of a parent or guardian; left out in the same cases as the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub guardian_phone: Option<String>,
}

impl Details {
    /// Removes the guardian's address and phone, which only librarians who may change people see.
    pub fn hide_guardian(&mut self) {
        (self.guardian_email, self.guardian_phone) = (None, None);
    }

    /// Validates and normalises the details; returns all their errors.
    pub fn checked(self, rules: &Rules) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let optional = |rule: Text, raw: Option<String>, invalid: &mut Invalid| {
            let raw = raw.filter(|raw| !raw.trim().is_empty())?;
            Some(rule.check(&raw, invalid)).filter(|text| !text.is_empty())
        };
        let category = rules
            .categories
            .iter()
            .find(|category| rules::same_name(&category.name, self.category.trim()))
            .map(|category| category.name.clone());
        if category.is_none() {
            invalid.push("category", message::not_listed(rules::NAME.label));
        }
        let checked = Self {
            name: NAME.check(&self.name, &mut invalid),
            email: optional(EMAIL, self.email, &mut invalid),
            roll_number: optional(ROLL_NUMBER, self.roll_number, &mut invalid)
                .map(|roll_number| folded_roll_number(&roll_number)),
            department: optional(DEPARTMENT, self.department, &mut invalid),
            batch: optional(BATCH, self.batch, &mut invalid),
            category: category.unwrap_or_default(),
            valid_until: self.valid_until,
            barred: self
                .barred
                .map(|barred| Barred { reason: BARRED_REASON.check(&barred.reason, &mut invalid), ..barred }),
            phone: optional(PHONE, self.phone, &mut invalid),
            guardian_email: optional(GUARDIAN_EMAIL, self.guardian_email, &mut invalid),
            guardian_phone: optional(GUARDIAN_PHONE, self.guardian_phone, &mut invalid),
        };
        for (rule, phone) in [(PHONE, &checked.phone), (GUARDIAN_PHONE, &checked.guardian_phone)] {
            let is_sound = !invalid.0.iter().any(|error| error.field == rule.field);
            if is_sound && phone.as_deref().is_some_and(|phone| !is_phone(phone)) {
                invalid.push(rule.field, message::not_phone(rule.label));
            }
        }
        if let Some(day) = checked.valid_until {
            rules::check_day(VALID_UNTIL.into(), "Valid until", day, &mut invalid);
        }
        if let Some(barred) = &checked.barred {
            rules::check_day("barred.until".into(), "Barred until", barred.until, &mut invalid);
        }
        invalid.into_result(checked)
    }
}

/// True for digits with the signs that people write between them, such as `+91 98450-12345`.
fn is_phone(text: &str) -> bool {
    text.chars().filter(char::is_ascii_digit).count() >= 5
        && text.chars().all(|c| c.is_ascii_digit() || " +-()/.,".contains(c))
}

/// Open loans and dues of a person today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub open_loans: i64,
    pub overdue_loans: i64,
    /// Balance of the account and today's fines of the open loans.
    pub owes: Money,
}

/// A person as shown to librarians.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    pub uid: UserId,
    #[serde(flatten)]
    pub details: Details,
    /// Null if the stored role is unknown (R-LOGIN-5).
    #[schema(required)]
    pub role: Option<Role>,
    /// Permissions of a librarian; empty for others.
    pub capabilities: Vec<Capability>,
    /// True if the person may sign in, borrow and hold (R-PEOPLE-6).
    pub active: bool,
    /// True if the person is active and has a password.
    pub can_sign_in: bool,
    /// True if sign-in asks the person for a second factor.
    pub second_factor: bool,
    #[schema(minimum = 0)]
    pub open_loans: i64,
    #[schema(minimum = 0)]
    pub overdue_loans: i64,
    /// Balance and fines as of today.
    pub owes: Money,
    /// Version of the person's photo, which changes with the photo; null without one.
    #[schema(required)]
    pub photo: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
}
