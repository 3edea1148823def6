//! Wordings of mails: subject and text with placeholders, as a librarian writes them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    notice,
    rule::{Invalid, Kind, Text},
};
use crate::message::{self, Message};

/// Mail with a wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Worded {
    PasswordLink,
    /// Link to confirm an address.
    AddressLink,
    /// Sign-in code that a librarian made for the person.
    Welcome,
    PasswordChanged,
    /// Reminders of a day.
    Digest,
    /// Reminders of a day to a reader's guardian.
    GuardianDigest,
    /// Mail about one notice that is no reminder.
    Notice(notice::Kind),
}

impl Worded {
    /// Returns all mails with a wording.
    pub fn all() -> impl Iterator<Item = Self> {
        let notices = notice::Kind::ALL.into_iter().filter(|kind| !kind.is_reminder()).map(Self::Notice);
        [
            Self::Digest,
            Self::GuardianDigest,
            Self::Welcome,
            Self::PasswordLink,
            Self::PasswordChanged,
            Self::AddressLink,
        ]
        .into_iter()
        .chain(notices)
    }

    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PasswordLink => "password-link",
            Self::AddressLink => "address-link",
            Self::Welcome => "welcome",
            Self::PasswordChanged => "password-changed",
            Self::Digest => "digest",
            Self::GuardianDigest => "guardian-digest",
            Self::Notice(kind) => kind.as_str(),
        }
    }

    /// Returns the mail with this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::all().find(|mail| mail.as_str() == name)
    }

    /// Returns the placeholders that the wording may contain.
    #[must_use]
    pub fn placeholders(self) -> &'static [Placeholder] {
        use Placeholder::{Books, Code, Library, Link, Name, Notice, Reminder};
        match self {
            Self::PasswordLink | Self::AddressLink => &[Name, Library, Link],
            Self::Welcome => &[Name, Library, Code, Link],
            Self::PasswordChanged => &[Name, Library],
            Self::Digest | Self::GuardianDigest => &[Name, Library, Reminder, Books],
            Self::Notice(_) => &[Name, Library, Notice],
        }
    }
}

/// Placeholder of a wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    Name,
    Library,
    Link,
    Code,
    Reminder,
    Books,
    Notice,
}

impl Placeholder {
    /// Placeholder as written in a wording.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "{name}",
            Self::Library => "{library}",
            Self::Link => "{link}",
            Self::Code => "{code}",
            Self::Reminder => "{reminder}",
            Self::Books => "{books}",
            Self::Notice => "{notice}",
        }
    }

    /// True for a block that the program writes. The text must contain each block exactly once, as a paragraph of its
    /// own.
    #[must_use]
    pub fn is_block(self) -> bool {
        matches!(self, Self::Link | Self::Code | Self::Books | Self::Notice)
    }

    /// Describes the placeholder's value in one line.
    #[must_use]
    pub fn about(self) -> Message {
        match self {
            Self::Name => message::wording_name(),
            Self::Library => message::wording_library(),
            Self::Link => message::wording_link(),
            Self::Code => message::wording_code(),
            Self::Reminder => message::wording_reminder(),
            Self::Books => message::wording_books(),
            Self::Notice => message::wording_notice(),
        }
    }
}

/// Wording of a mail in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MailWording)]
pub struct Wording {
    pub subject: String,
    /// Paragraphs with blank lines between them.
    pub body: String,
}

/// The library's own wordings of a mail; null for the program's wording.
///
/// Both languages are named: a save without one would reset it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MailWordings)]
pub struct Wordings {
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    pub en: Option<Wording>,
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    pub hi: Option<Wording>,
}

/// Limit in characters: RFC 5322 advises short lines, and mail programs show no more.
pub const SUBJECT: Text = Text { field: "subject", label: "Subject", min: 1, max: 150, kind: Kind::Line };
pub const BODY: Text = Text { field: "body", label: "Text", min: 1, max: 4000, kind: Kind::Paragraphs };

/// Piece of a wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'w> {
    Text(&'w str),
    Value(Placeholder),
    /// Braces without a known placeholder.
    Unknown(&'w str),
}

/// Splits text at its placeholders.
#[must_use]
pub fn pieces<'w>(mut text: &'w str, known: &[Placeholder]) -> Vec<Piece<'w>> {
    let mut pieces = Vec::new();
    while let Some(at) = text.find('{') {
        if at > 0 {
            pieces.push(Piece::Text(&text[..at]));
        }
        let end = text[at..].find(['}', '\n']).map_or(text.len(), |end| at + end);
        let end = if text[end..].starts_with('}') { end + 1 } else { end };
        let found = &text[at..end];
        let placeholder = known.iter().find(|placeholder| placeholder.as_str() == found);
        pieces.push(placeholder.map_or(Piece::Unknown(found), |placeholder| Piece::Value(*placeholder)));
        text = &text[end..];
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// Splits a text into paragraphs at its blank lines.
#[must_use]
pub fn paragraphs(body: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in body.lines().map(str::trim) {
        match paragraphs.last_mut() {
            Some(last) if !line.is_empty() => {
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(line);
            }
            Some(last) if !last.is_empty() => paragraphs.push(String::new()),
            _ => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

impl Wording {
    /// Validates and normalises the wording; errors name the fields with this prefix.
    #[must_use]
    pub fn checked(&self, mail: Worded, prefix: &str, invalid: &mut Invalid) -> Self {
        let field = |name: &str| format!("{prefix}{name}");
        let known = mail.placeholders();
        let mut problems = Invalid::default();
        if self.subject.trim().chars().any(char::is_control) {
            problems.push(field("subject"), message::wording_one_line());
        }
        let subject = SUBJECT.check_as(field("subject"), &self.subject, &mut problems);
        let body = BODY.check_as(field("body"), &self.body, &mut problems);
        for piece in pieces(&subject, known) {
            match piece {
                Piece::Unknown(found) => problems.push(field("subject"), unknown(found, known)),
                Piece::Value(value) if value.is_block() => {
                    problems.push(field("subject"), message::wording_alone(value.as_str()));
                }
                _ => {}
            }
        }
        let mut blocks: Vec<Placeholder> = Vec::new();
        for paragraph in paragraphs(&body) {
            let pieces = pieces(&paragraph, known);
            for piece in &pieces {
                match piece {
                    Piece::Unknown(found) => problems.push(field("body"), unknown(found, known)),
                    Piece::Value(value) if value.is_block() => {
                        if pieces.len() > 1 {
                            problems.push(field("body"), message::wording_alone(value.as_str()));
                        } else if blocks.contains(value) {
                            problems.push(field("body"), message::wording_once(value.as_str()));
                        }
                        blocks.push(*value);
                    }
                    _ => {}
                }
            }
        }
        if !body.is_empty() {
            for block in known.iter().filter(|value| value.is_block() && !blocks.contains(value)) {
                problems.push(field("body"), message::wording_missing(block.as_str()));
            }
        }
        // Keeps one error per field: the screen shows only one, and the first must be corrected first.
        let mut fields = BTreeSet::new();
        problems.0.retain(|problem| fields.insert(problem.field.clone()));
        invalid.0.extend(problems.0);
        Self { subject, body }
    }

    /// True if this version of the program can write mails with the wording.
    #[must_use]
    pub fn is_usable(&self, mail: Worded) -> bool {
        let mut invalid = Invalid::default();
        let _ = self.checked(mail, "", &mut invalid);
        invalid.0.is_empty()
    }
}

impl Wordings {
    /// Validates and normalises the wordings; returns all their errors.
    pub fn checked(&self, mail: Worded) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let mut check = |wording: &Option<Wording>, prefix: &str| {
            wording.as_ref().map(|wording| wording.checked(mail, prefix, &mut invalid))
        };
        let checked = Self { en: check(&self.en, "en."), hi: check(&self.hi, "hi.") };
        invalid.into_result(checked)
    }

    /// Returns the wording in a language.
    #[must_use]
    pub fn of(&self, language: &str) -> Option<&Wording> {
        if language == "hi" { self.hi.as_ref() } else { self.en.as_ref() }
    }
}

/// Longest piece of a wrong placeholder that an error quotes, in characters.
const QUOTED: usize = 40;

/// Builds the error of an unknown placeholder, with the nearest known one.
fn unknown(found: &str, known: &[Placeholder]) -> Message {
    let found: String = found.chars().take(QUOTED).collect();
    let nearest = known.iter().map(|known| known.as_str()).min_by_key(|known| distance(&found, known));
    message::wording_unknown(&found, nearest.unwrap_or_default())
}

/// Counts the edits between two short texts (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, c) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, d) in other.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(mail: Worded, subject: &str, body: &str) -> Vec<(String, String)> {
        let wording = Wording { subject: subject.into(), body: body.into() };
        let mut invalid = Invalid::default();
        let _ = wording.checked(mail, "en.", &mut invalid);
        invalid.0.into_iter().map(|error| (error.field.into_owned(), error.message)).collect()
    }

    #[test]
    fn a_wrong_placeholder_is_named_with_the_nearest_one() {
        let [(field, text)] = &problems(Worded::Digest, "Books", "Hello {nmae},\n\n{books}")[..] else {
            panic!("one error")
        };
        assert_eq!(field, "en.body");
        assert_eq!(text, "{nmae} does not exist here. The nearest placeholder is {name}.");
        for open in ["{", "a {name", "{books} {", "{password_hash}", "{{name}}", "{link}"] {
            assert!(!problems(Worded::Digest, open, "{books}").is_empty(), "{open}");
        }
    }

    #[test]
    fn a_block_is_required_once_and_alone() {
        let link = Worded::PasswordLink;
        assert!(problems(link, "New password", "Hello {name},\n\n{link}\n\nBye").is_empty());
        for body in ["Hello", "See {link}", "{link}\nBye", "{link}\n\n{link}", "", " \n "] {
            assert_eq!(problems(link, "New password", body).len(), 1, "{body}");
        }
        assert_eq!(problems(link, "{link}", "{link}").len(), 1);
        for subject in ["", "a\r\nBcc: x@y.z", "a\nb", &"a".repeat(151)] {
            assert_eq!(problems(link, subject, "{link}")[0].0, "en.subject", "{subject}");
        }
    }

    #[test]
    fn each_mail_has_a_name_of_its_own() {
        for mail in Worded::all() {
            assert_eq!(Worded::of(mail.as_str()), Some(mail));
        }
        assert_eq!(Worded::of("overdue"), None);
    }
}
