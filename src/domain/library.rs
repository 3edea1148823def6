//! Name, currency, classes and other settings of the library.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rule::{Invalid, Kind, Number, Text};
use crate::message;

/// Settings apart from rules and calendar. The defaults are the specification's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LibrarySettings {
    /// May be empty.
    pub name: String,
    /// Printed on receipts; may be empty.
    pub address: String,
    /// A line at the end of receipts; may be empty.
    pub on_receipts: String,
    /// Address at which the library takes payments by UPI, such as `school@bank`; may be empty.
    pub upi_address: String,
    /// Sign shown with amounts.
    pub currency: String,
    /// ISO 4217 code of the currency.
    pub currency_code: String,
    /// Classes offered at registration (R-REG-2).
    pub batches: Vec<String>,
    /// Suggested departments.
    pub departments: Vec<String>,
    /// Prefix of accession numbers (R-COPY-3).
    pub accession_prefix: String,
    /// Language of the screens until a reader chooses one.
    pub language: String,
    /// First month of the financial year, 1 to 12: receipt numbers restart then (R-MONEY-3).
    #[schema(minimum = 1, maximum = 12)]
    pub financial_year_month: i8,
    /// Months after which an ended and settled loan loses its reader's name; null for never (R-PEOPLE-10).
    #[schema(minimum = 1, maximum = 120)]
    pub forget_after_months: Option<i64>,
    /// True if the library suggests books that other readers borrowed.
    pub suggestions: bool,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            address: String::new(),
            on_receipts: String::new(),
            upi_address: String::new(),
            currency: "₹".into(),
            currency_code: "INR".into(),
            batches: ["2025", "2026", "2027", "2028"].map(Into::into).to_vec(),
            departments: Vec::new(),
            accession_prefix: "L".into(),
            language: LANGUAGES[0].into(),
            financial_year_month: 4,
            forget_after_months: None,
            suggestions: true,
        }
    }
}

/// Languages of the screens.
pub const LANGUAGES: &[&str] = &["en", "hi"];

/// Shown under the brand.
pub const NAME: Text = Text { field: "name", label: "Name", min: 0, max: 100, kind: Kind::Line };
pub const ADDRESS: Text = Text { field: "address", label: "Address", min: 0, max: 200, kind: Kind::Line };
/// Tax number, opening hours, a thank-you.
pub const ON_RECEIPTS: Text =
    Text { field: "onReceipts", label: "On receipts", min: 0, max: 200, kind: Kind::Line };
/// Virtual payment address (NPCI, UPI Linking Specification): name, `@`, handle of the bank.
pub const UPI_ADDRESS: Text =
    Text { field: "upiAddress", label: "UPI address", min: 0, max: 100, kind: Kind::Line };
/// `₹`, `Rs.`, `$`.
pub const CURRENCY: Text =
    Text { field: "currency", label: "Currency sign", min: 1, max: 5, kind: Kind::Line };
/// ISO 4217.
pub const CURRENCY_CODE: Text =
    Text { field: "currencyCode", label: "Currency code", min: 3, max: 3, kind: Kind::Line };
pub const BATCH: Text = Text { field: "batches", label: "Batch", min: 1, max: 20, kind: Kind::Line };
pub const DEPARTMENT: Text =
    Text { field: "departments", label: "Department", min: 1, max: 100, kind: Kind::Line };
/// Code 128 and most labels have room for the prefix and the number.
pub const ACCESSION_PREFIX: Text =
    Text { field: "accessionPrefix", label: "Prefix of accession numbers", min: 0, max: 8, kind: Kind::Line };
/// One of [`LANGUAGES`].
pub const LANGUAGE: Text =
    Text { field: "language", label: "Language", min: 1, max: 10, kind: Kind::OneOf(LANGUAGES) };

/// January is 1.
pub const FINANCIAL_YEAR_MONTH: Number =
    Number { field: "financialYearMonth", label: "Financial year begins in", min: 1, max: 12 };

pub const FORGET_AFTER_MONTHS: Number =
    Number { field: "forgetAfterMonths", label: "Forget readers after (months)", min: 1, max: 120 };

/// Maximum number of batches.
pub const BATCHES: usize = 50;
/// Maximum number of departments.
pub const DEPARTMENTS: usize = 200;

impl LibrarySettings {
    /// Validates and normalises the settings; returns all their errors.
    pub fn checked(self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let checked = Self {
            name: NAME.check(&self.name, &mut invalid),
            address: ADDRESS.check(&self.address, &mut invalid),
            on_receipts: ON_RECEIPTS.check(&self.on_receipts, &mut invalid),
            upi_address: UPI_ADDRESS.check(&self.upi_address, &mut invalid),
            currency: CURRENCY.check(&self.currency, &mut invalid),
            currency_code: CURRENCY_CODE.check(&self.currency_code, &mut invalid).to_uppercase(),
            batches: list(&BATCH, BATCHES, &self.batches, &mut invalid),
            departments: list(&DEPARTMENT, DEPARTMENTS, &self.departments, &mut invalid),
            accession_prefix: ACCESSION_PREFIX.check(&self.accession_prefix, &mut invalid),
            language: LANGUAGE.check(&self.language, &mut invalid),
            financial_year_month: i8::try_from(
                FINANCIAL_YEAR_MONTH.check(self.financial_year_month.into(), &mut invalid),
            )
            .unwrap_or(4),
            forget_after_months: self
                .forget_after_months
                .map(|months| FORGET_AFTER_MONTHS.check(months, &mut invalid)),
            suggestions: self.suggestions,
        };
        if checked.batches.is_empty() {
            invalid.push(BATCH.field, message::required(BATCH.label));
        }
        if checked.currency_code.chars().any(|c| !c.is_ascii_uppercase()) {
            invalid.push(CURRENCY_CODE.field, message::not_currency_code(CURRENCY_CODE.label));
        }
        if !checked.upi_address.is_empty() {
            if !is_upi_address(&checked.upi_address) {
                invalid.push(UPI_ADDRESS.field, message::not_upi_address(UPI_ADDRESS.label));
            } else if checked.currency_code != UPI_CURRENCY {
                invalid.push(UPI_ADDRESS.field, message::upi_needs_rupees(UPI_ADDRESS.label));
            }
        }
        if checked.accession_prefix.chars().any(|c| !c.is_ascii_alphanumeric() && c != '-') {
            invalid.push(ACCESSION_PREFIX.field, message::not_letters_and_digits(ACCESSION_PREFIX.label));
        }
        invalid.into_result(checked)
    }
}

/// Currency of UPI payments.
const UPI_CURRENCY: &str = "INR";

fn is_upi_address(address: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    address.split_once('@').is_some_and(|(name, handle)| {
        name.len() > 1
            && name.chars().all(is_name)
            && handle.len() > 1
            && handle.starts_with(|c: char| c.is_ascii_alphabetic())
            && handle.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Validates a list; reports a duplicate, without regard to case, at its index.
fn list(rule: &Text, most: usize, raw: &[String], invalid: &mut Invalid) -> Vec<String> {
    if raw.len() > most {
        invalid.push(rule.field, message::too_many(rule.label, most));
    }
    let mut entries: Vec<String> = Vec::with_capacity(raw.len());
    for (index, entry) in raw.iter().enumerate().take(most) {
        let place = format!("{}[{index}]", rule.field);
        let entry = rule.check_as(place.clone(), entry, invalid);
        if entries.iter().any(|before| before.to_lowercase() == entry.to_lowercase()) {
            invalid.push(place, message::taken(rule.label, &entry));
        }
        entries.push(entry);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_specification_r_reg_2() {
        let settings = LibrarySettings::default();
        assert_eq!(settings.clone().checked(), Ok(settings.clone()));
        assert_eq!(settings.batches, ["2025", "2026", "2027", "2028"]);
        assert_eq!(settings.currency, "₹");
    }

    #[test]
    fn every_mistake_in_the_settings_is_told_at_its_field() {
        let wrong = LibrarySettings {
            name: "x".repeat(101),
            address: "x".repeat(201),
            on_receipts: "x".repeat(201),
            upi_address: "school".into(),
            currency: " ".into(),
            currency_code: "1NR".into(),
            batches: vec!["2025".into(), String::new(), "2025".into()],
            departments: vec!["Physics".into(), "PHYSICS".into()],
            accession_prefix: "L_".into(),
            language: "tlh".into(),
            financial_year_month: 13,
            forget_after_months: Some(0),
            suggestions: true,
        };
        let errors: Vec<String> = wrong
            .checked()
            .unwrap_err()
            .0
            .into_iter()
            .map(|error| format!("{}: {}", error.field, error.message))
            .collect();
        assert_eq!(
            errors,
            [
                "name: Name must be at most 100 characters.",
                "address: Address must be at most 200 characters.",
                "onReceipts: On receipts must be at most 200 characters.",
                "currency: Currency sign is required.",
                "batches[1]: Batch is required.",
                "batches[2]: Batch “2025” is already in the list.",
                "departments[1]: Department “PHYSICS” is already in the list.",
                "language: Language must be one of the choices offered.",
                "financialYearMonth: Financial year begins in must be a whole number from 1 to 12.",
                "forgetAfterMonths: Forget readers after (months) must be a whole number from 1 to 120.",
                "currencyCode: Currency code must be three letters, such as INR.",
                "upiAddress: UPI address must look like school@bank.",
                "accessionPrefix: Prefix of accession numbers must be letters, digits or hyphens.",
            ]
        );
        let none = LibrarySettings { batches: Vec::new(), ..LibrarySettings::default() };
        assert_eq!(none.checked().unwrap_err().0[0].field, "batches");
    }
}
