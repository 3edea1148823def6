//! Accounts, and the forms for registering and for editing a profile.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;

use super::{
    id::UserId,
    rule::{Invalid, Kind, Text},
};
use crate::message;

/// Label and limits of each field (R-REG-1, R-REG-5, R-PROF-1).
pub const NAME: Text = Text { field: "name", label: "Full name", min: 1, max: 100, kind: Kind::Line };
/// RFC 5321 allows 254 characters.
pub const EMAIL: Text = Text { field: "email", label: "Email", min: 1, max: 254, kind: Kind::Email };
/// R-REG-5: 8 to 128 characters of any kind.
pub const PASSWORD: Text =
    Text { field: "password", label: "Password", min: 8, max: 128, kind: Kind::Secret };
/// Fits easily on a card's barcode.
pub const ROLL_NUMBER: Text =
    Text { field: "rollNumber", label: "Roll number", min: 1, max: 32, kind: Kind::Line };
pub const DEPARTMENT: Text =
    Text { field: "department", label: "Department", min: 1, max: 100, kind: Kind::Line };
/// Parent or guardian, to whom reminders may be mailed.
pub const GUARDIAN_EMAIL: Text =
    Text { field: "guardianEmail", label: "Guardian’s email", min: 1, max: 254, kind: Kind::Email };
/// E.164 has 15 digits; the rest is room for spaces and an extension.
pub const PHONE: Text = Text { field: "phone", label: "Phone", min: 1, max: 30, kind: Kind::Line };
/// As long as [`PHONE`].
pub const GUARDIAN_PHONE: Text =
    Text { field: "guardianPhone", label: "Guardian’s phone", min: 1, max: 30, kind: Kind::Line };
/// Must be one of the batches in the library's settings (R-REG-2).
pub const BATCH: Text = Text { field: "batch", label: "Batch", min: 1, max: 20, kind: Kind::Line };

/// Role of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Student,
}

impl Role {
    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Student => "student",
        }
    }

    /// Parses a role; `None` for any other text (R-LOGIN-5).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "admin" => Some(Self::Admin),
            "student" => Some(Self::Student),
            _ => None,
        }
    }
}

/// Permission of a librarian (R-PEOPLE-8). A new librarian has all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    Desk,
    Catalogue,
    People,
    Money,
    Settings,
}

impl Capability {
    pub const ALL: [Self; 5] = [Self::Desk, Self::Catalogue, Self::People, Self::Money, Self::Settings];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Desk => "desk",
            Self::Catalogue => "catalogue",
            Self::People => "people",
            Self::Money => "money",
            Self::Settings => "settings",
        }
    }

    /// Parses the stored capabilities; `None` means all capabilities of a librarian.
    #[must_use]
    pub fn stored(role: Role, stored: Option<&str>) -> Vec<Self> {
        match (role, stored) {
            (Role::Student, _) => Vec::new(),
            (Role::Admin, None) => Self::ALL.to_vec(),
            (Role::Admin, Some(names)) => Self::ALL
                .into_iter()
                .filter(|one| names.split(',').any(|name| name == one.as_str()))
                .collect(),
        }
    }

    /// Formats the capabilities for storage; `None` means all of them.
    #[must_use]
    pub fn to_stored(capabilities: &[Self]) -> Option<String> {
        let all = Self::ALL.iter().all(|one| capabilities.contains(one));
        let names: Vec<&str> = capabilities.iter().map(|one| one.as_str()).collect();
        (!all).then(|| names.join(","))
    }
}

/// A person with an account (R-DATA-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub uid: UserId,
    /// Address for signing in, as typed; null without one.
    #[schema(required)]
    pub email: Option<String>,
    pub name: String,
    pub role: Role,
    /// Lower-case; null for librarians.
    #[schema(required)]
    pub roll_number: Option<String>,
    /// Null for librarians.
    #[schema(required)]
    pub department: Option<String>,
    /// Year of the class, as text; null for librarians.
    #[schema(required)]
    pub batch: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Permissions of a librarian; empty for others.
    pub capabilities: Vec<Capability>,
}

/// Request of `Create Account` (R-REG-1). It has no role: every registered account is a student's (R-REG-3).
#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Registration {
    #[serde(default)]
    #[schema(required)]
    pub name: String,
    /// Unique without regard to case.
    #[serde(default)]
    #[schema(required)]
    pub email: String,
    /// As typed.
    #[serde(default)]
    #[schema(required, format = Password)]
    pub password: String,
    /// Number on the ID card; stored lower-case, unique.
    #[serde(default)]
    #[schema(required)]
    pub roll_number: String,
    #[serde(default)]
    #[schema(required)]
    pub department: String,
    /// Year of the class.
    #[serde(default)]
    #[schema(required)]
    pub batch: String,
}

impl Registration {
    /// Validates and normalises the registration; returns all its errors.
    pub fn checked(self, batches: &[String], library: &str) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let checked = Self {
            name: NAME.check(&self.name, &mut invalid),
            email: EMAIL.check(&self.email, &mut invalid),
            password: new_password(PASSWORD, &self.password, &mut invalid),
            roll_number: folded_roll_number(&ROLL_NUMBER.check(&self.roll_number, &mut invalid)),
            department: DEPARTMENT.check(&self.department, &mut invalid),
            batch: BATCH.check(&self.batch, &mut invalid),
        };
        if !checked.batch.is_empty() && !batches.contains(&checked.batch) {
            invalid.push(BATCH.field, message::not_listed(BATCH.label));
        }
        let own = [&checked.name, &checked.email, &checked.roll_number, library];
        refuse_own_words(PASSWORD, &checked.password, &own, &mut invalid);
        invalid.into_result(checked)
    }
}

/// Request of `Edit Profile` (R-PROF-1).
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProfileEdit {
    #[serde(default)]
    #[schema(required)]
    pub name: String,
    /// Number on the ID card; stored lower-case, unique.
    #[serde(default)]
    #[schema(required)]
    pub roll_number: String,
    #[serde(default)]
    #[schema(required)]
    pub department: String,
}

impl ProfileEdit {
    /// Validates and normalises the edit; returns all its errors.
    pub fn checked(self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let checked = Self {
            name: NAME.check(&self.name, &mut invalid),
            roll_number: folded_roll_number(&ROLL_NUMBER.check(&self.roll_number, &mut invalid)),
            department: DEPARTMENT.check(&self.department, &mut invalid),
        };
        invalid.into_result(checked)
    }
}

/// Normalises a roll number for storage and lookup: trimmed, lower-case (R-REG-2, R-SCAN-2).
#[must_use]
pub fn folded_roll_number(raw: &str) -> String {
    raw.trim().to_lowercase()
}

/// Normalises an email address for comparison, without regard to case (R-REG-5).
#[must_use]
pub fn folded_email(raw: &str) -> String {
    raw.trim().to_lowercase()
}

/// Normalises a password for hashing: some keyboards type é as one character, others as two (NFC, RFC 8265).
#[must_use]
pub fn normalized_password(typed: &str) -> String {
    typed.nfc().collect()
}

/// Validates a new password; the caller also calls [`refuse_own_words`].
pub fn new_password(rule: Text, raw: &str, invalid: &mut Invalid) -> String {
    let before = invalid.0.len();
    let password = rule.check(&normalized_password(raw), invalid);
    if invalid.0.len() == before && is_common(&password) {
        invalid.push(rule.field, message::common_password());
    }
    password
}

/// Word that counts as an account's own: a common first guess at any library.
const CONTEXT: &str = "library";
/// Minimum length of an own word; shorter parts of names and addresses occur in too many words.
const SHORTEST_WORD: usize = 3;
/// Minimum number of letters and digits in a password besides its account's own words.
const BESIDE_WORDS: usize = 5;

/// Rejects a password that contains little besides facts that others know about the account and the library
/// (ASVS 6.2.11): names, addresses, the roll number.
pub fn refuse_own_words(rule: Text, password: &str, own: &[&str], invalid: &mut Invalid) {
    let mut words: Vec<String> = own
        .iter()
        .chain(&[CONTEXT])
        .flat_map(|text| text.split(|sign: char| !sign.is_alphanumeric()).chain([*text]))
        .map(letters)
        .filter(|word| word.chars().count() >= SHORTEST_WORD)
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let whole = letters(password);
    // A blank replaces each word, so that the text around it does not join into a word.
    let rest = words.iter().fold(whole.clone(), |rest, word| rest.replace(word.as_str(), " "));
    let refused = invalid.0.iter().any(|error| error.field == rule.field);
    if !refused && rest != whole && letters(&rest).chars().count() < BESIDE_WORDS {
        invalid.push(rule.field, message::own_words());
    }
}

/// Letters and digits of a text, lower-case.
fn letters(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The 30 000 commonest passwords as zxcvbn ranks them (MIT, `common_passwords.LICENSE.txt`), lower-case, sorted.
/// Passwords shorter than 8 characters are left out, because the length limit rejects them.
static COMMON: &str = include_str!("common_passwords.txt");
static SORTED: LazyLock<Vec<&str>> = LazyLock::new(|| COMMON.lines().collect());

fn is_common(password: &str) -> bool {
    let lower = password.to_lowercase();
    SORTED.binary_search(&lower.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BATCHES: [&str; 2] = ["2026", "2027"];

    fn registration() -> Registration {
        Registration {
            name: " Asha Rao ".into(),
            email: "Asha@College.edu".into(),
            password: "correct horse".into(),
            roll_number: " CS25-014 ".into(),
            department: "Physics".into(),
            batch: "2027".into(),
        }
    }

    fn wrong_fields(registration: Registration) -> Vec<String> {
        registration
            .checked(&BATCHES.map(Into::into), "Saraswati College Library")
            .err()
            .map(|invalid| invalid.0.into_iter().map(|e| e.field.into_owned()).collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_registration_is_trimmed_and_its_roll_number_lower_cased_r_reg_2() {
        let checked =
            registration().checked(&BATCHES.map(Into::into), "").unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!((checked.name.as_str(), checked.roll_number.as_str()), ("Asha Rao", "cs25-014"));
        assert_eq!(checked.email, "Asha@College.edu");
    }

    #[test]
    fn every_missing_field_is_named_at_once_r_reg_1() {
        let empty = Registration {
            name: String::new(),
            email: String::new(),
            password: String::new(),
            roll_number: " ".into(),
            department: String::new(),
            batch: String::new(),
        };
        assert_eq!(wrong_fields(empty), ["name", "email", "password", "rollNumber", "department", "batch"]);
    }

    #[test]
    fn only_the_batches_of_the_settings_are_taken_r_reg_2() {
        for batch in BATCHES {
            assert!(wrong_fields(Registration { batch: batch.into(), ..registration() }).is_empty());
        }
        assert_eq!(wrong_fields(Registration { batch: "2024".into(), ..registration() }), ["batch"]);
    }

    #[test]
    fn passwords_are_8_to_128_characters_and_not_common_r_reg_5() {
        let with =
            |password: &str| wrong_fields(Registration { password: password.into(), ..registration() });
        assert_eq!(with("1234567"), ["password"]);
        assert_eq!(with("password"), ["password"]);
        assert_eq!(with("PASSWORD"), ["password"]);
        assert_eq!(with("12345678"), ["password"]);
        assert!(with("  spaces count  ").is_empty());
        assert!(with("पुस्तकालय").is_empty());
        assert!(with(&"é".repeat(128)).is_empty());
        assert_eq!(with(&"é".repeat(129)), ["password"]);
        assert!(with(&"e\u{301}".repeat(128)).is_empty(), "counted as the person sees them");
        assert_eq!(with(&"e\u{301}".repeat(7)), ["password"]);
    }

    /// ASVS 6.2.11: `library1` and the account's own address were accepted.
    #[test]
    fn a_password_is_more_than_what_everybody_knows_of_its_account() {
        let with =
            |password: &str| wrong_fields(Registration { password: password.into(), ..registration() });
        for known in [
            "library1",
            "Library 2026",
            "asha@college.edu",
            "AshaRao2027",
            "rao.asha!!",
            "cs25-014",
            "CS25014cs25014",
            "saraswati#1",
        ] {
            assert_eq!(with(known), ["password"], "{known}");
        }
        for other in ["asha's blue umbrella", "four unrelated words", "a library of dreams", "!!!!----????"] {
            assert!(with(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn the_common_passwords_are_sorted_for_the_search() {
        let lines: Vec<&str> = COMMON.lines().collect();
        assert!(
            lines.len() > 3000 && lines.is_sorted() && lines.iter().all(|line| line.chars().count() >= 8)
        );
    }

    proptest! {
        #[test]
        fn folding_a_roll_number_twice_changes_nothing(raw in "\\PC{0,40}") {
            let once = folded_roll_number(&raw);
            prop_assert_eq!(&folded_roll_number(&once), &once);
            prop_assert_eq!(folded_roll_number(&format!("  {raw}\t")), once);
        }
    }
}
