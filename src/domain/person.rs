//! People as librarians see them: who somebody is, whether they may borrow, and what is out (R-PEOPLE-1).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    account::{BATCH, Capability, DEPARTMENT, EMAIL, NAME, ROLL_NUMBER, Role, folded_roll_number},
    id::UserId,
    money::Money,
    rule::{Invalid, Kind, Text},
    rules::{self, Rules},
};
use crate::message;

/// Why a person may not borrow.
pub const BARRED_REASON: Text =
    Text { field: "barred.reason", label: "Reason", min: 1, max: 200, kind: Kind::Line };
/// The last day of a membership.
pub const VALID_UNTIL: &str = "validUntil";

/// Kept from borrowing up to and including a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Barred {
    #[schema(value_type = String, format = Date)]
    pub until: Date,
    pub reason: String,
}

/// What is recorded of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// Full name.
    pub name: String,
    /// The address to sign in with, as it was typed; null for whoever has none.
    #[schema(required)]
    pub email: Option<String>,
    /// As on the ID card, lower-case, unique.
    #[schema(required)]
    pub roll_number: Option<String>,
    #[schema(required)]
    pub department: Option<String>,
    /// Year of the class, as text.
    #[schema(required)]
    pub batch: Option<String>,
    /// Whose rules hold (R-RULE-2).
    pub category: String,
    /// The last day on which the person may borrow; null for no end.
    #[schema(value_type = Option<String>, format = Date, required)]
    pub valid_until: Option<Date>,
    #[schema(required)]
    pub barred: Option<Barred>,
}

impl Details {
    /// The details as they are stored, or everything that is wrong with them.
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
        };
        if let Some(day) = checked.valid_until {
            rules::check_day(VALID_UNTIL.into(), "Valid until", day, &mut invalid);
        }
        if let Some(barred) = &checked.barred {
            rules::check_day("barred.until".into(), "Barred until", barred.until, &mut invalid);
        }
        invalid.or(checked)
    }
}

/// What a person has out today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    pub open_loans: i64,
    pub overdue_loans: i64,
    /// The fines of the open loans as of today.
    pub owes: Money,
}

/// A person as librarians see one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    pub uid: UserId,
    #[serde(flatten)]
    pub details: Details,
    /// Null where the stored role is neither of the two (R-LOGIN-5).
    #[schema(required)]
    pub role: Option<Role>,
    /// What a librarian may do; empty for others.
    pub capabilities: Vec<Capability>,
    /// Whether the person may sign in, borrow and hold (R-PEOPLE-6).
    pub active: bool,
    /// Whether the person has a password to sign in with.
    pub can_sign_in: bool,
    /// Whether a second factor is asked for when the person signs in.
    pub second_factor: bool,
    #[schema(minimum = 0)]
    pub open_loans: i64,
    #[schema(minimum = 0)]
    pub overdue_loans: i64,
    /// Owed as of today.
    pub owes: Money,
    /// When the person was added.
    #[schema(format = DateTime)]
    pub created_at: String,
}
