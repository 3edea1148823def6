//! Validation. Each limit is defined once, here or in the tables of the areas, and used by the server's checks, by the
//! `OpenAPI` document and, through the document, by the forms.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Map, Value};

use crate::{
    message::{self, Message},
    text::{is_direction_control, is_invisible},
};

/// An invalid field of a request, worded for the person who filled it in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// Name of the field in the request.
    #[schema(value_type = String)]
    pub field: Cow<'static, str>,
    /// Broken rule; the message is `x-messages[rule]`.
    #[schema(value_type = String)]
    pub rule: &'static str,
    /// Parameters of the message.
    pub params: Map<String, Value>,
    /// Error and remedy, in English.
    pub message: String,
}

impl FieldError {
    /// Creates an error for a field.
    #[must_use]
    pub fn new(field: impl Into<Cow<'static, str>>, message: Message) -> Self {
        Self { field: field.into(), rule: message.code, message: message.text(), params: message.params }
    }
}

/// Errors of a request; never empty when returned as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invalid(pub Vec<FieldError>);

impl Invalid {
    /// Creates a list with one error.
    #[must_use]
    pub fn field(field: impl Into<Cow<'static, str>>, message: Message) -> Self {
        let mut invalid = Self::default();
        invalid.push(field, message);
        invalid
    }

    /// Adds an error for a field.
    pub fn push(&mut self, field: impl Into<Cow<'static, str>>, message: Message) {
        self.0.push(FieldError::new(field, message));
    }

    /// Adds an error if the list contains duplicates.
    pub fn refuse_repeats<T: Ord>(&mut self, field: impl Into<Cow<'static, str>>, list: &[T]) {
        if list.iter().collect::<BTreeSet<_>>().len() < list.len() {
            self.push(field, message::repeated());
        }
    }

    /// Returns `Ok(value)` if there are no errors.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// Format of a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One line; line breaks become spaces.
    Line,
    /// Several lines; line breaks are kept.
    Paragraphs,
    /// `http` or `https`, without credentials.
    Url,
    /// Email address.
    Email,
    /// Stored as typed, neither trimmed nor cleaned.
    Secret,
    /// One of these values.
    OneOf(&'static [&'static str]),
}

/// Text field: its name in the request, its label on the screen and its limits in characters.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
    /// Minimum length after trimming; 0 allows an empty field.
    pub min: usize,
    /// Maximum length.
    pub max: usize,
    pub kind: Kind,
}

impl Text {
    /// Returns the text as stored (trimmed, without control characters); adds errors to `invalid`.
    pub fn check(&self, raw: &str, invalid: &mut Invalid) -> String {
        self.check_as(self.field, raw, invalid)
    }

    /// Same as [`Self::check`] for a nested field, such as `categories[1].name`.
    pub fn check_as(&self, field: impl Into<Cow<'static, str>>, raw: &str, invalid: &mut Invalid) -> String {
        let text = match self.kind {
            Kind::Secret => raw.to_owned(),
            Kind::Paragraphs => clean(raw, true),
            _ => clean(raw, false),
        };
        let length = text.chars().count();
        let problem: Option<Message> = if length == 0 && self.min > 0 {
            Some(message::required(self.label))
        } else if length < self.min {
            Some(message::too_short(self.label, self.min))
        } else if length > self.max {
            Some(message::too_long(self.label, self.max))
        } else {
            match self.kind {
                Kind::Url if length > 0 && !is_web_address(&text) => Some(message::not_url(self.label)),
                Kind::Email if !is_email(&text) => Some(message::not_email(self.label)),
                Kind::OneOf(choices) if !choices.contains(&text.as_str()) => {
                    Some(message::not_listed(self.label))
                }
                _ => None,
            }
        };
        if let Some(message) = problem {
            invalid.push(field, message);
        }
        text
    }
}

/// Number field with its inclusive limits.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
    pub min: i64,
    pub max: i64,
}

impl Number {
    /// Adds an error to `invalid` if the number is out of range.
    pub fn check(&self, value: i64, invalid: &mut Invalid) -> i64 {
        self.check_as(self.field, value, invalid)
    }

    /// Same as [`Self::check`] for a nested field, such as `categories[1].rules.loanDays`.
    pub fn check_as(&self, field: impl Into<Cow<'static, str>>, value: i64, invalid: &mut Invalid) -> i64 {
        if !(self.min..=self.max).contains(&value) {
            invalid.push(field, message::out_of_range(self.label, self.min, self.max));
        }
        value
    }

    /// Adds the error of a missing number.
    pub fn missing(&self, invalid: &mut Invalid) {
        invalid.push(self.field, message::required(self.label));
    }
}

/// Field with a fixed set of values, which the request's type enforces.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
}

impl Choice {
    /// Adds an error to `invalid` if no value was chosen.
    pub fn present<T>(&self, chosen: Option<T>, invalid: &mut Invalid) -> Option<T> {
        if chosen.is_none() {
            invalid.push(self.field, message::required(self.label));
        }
        chosen
    }
}

/// Trims the text, removes control characters (`PostgreSQL` cannot store NUL) and, in a single line, replaces line breaks
/// with spaces.
fn clean(raw: &str, paragraphs: bool) -> String {
    let text: String = raw
        .replace("\r\n", "\n")
        .chars()
        .filter_map(|c| match c {
            '\n' | '\t' if paragraphs => Some(c),
            '\n' | '\t' | '\r' => Some(' '),
            c if c.is_control() || is_direction_control(c) => None,
            c => Some(c),
        })
        .collect();
    // A text without visible characters is empty.
    if text.chars().all(|c| c.is_whitespace() || is_invisible(c)) {
        String::new()
    } else {
        text.trim().to_owned()
    }
}

/// True for the address of a picture: http or https, with a host, without credentials.
#[must_use]
pub fn is_web_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if !(lower.starts_with("http://") || lower.starts_with("https://")) {
        return false;
    }
    url::Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// Same check as a browser's email field, which requires no dot: `name@localhost` is valid.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    !local.is_empty()
        && local.chars().count() <= 64
        && !local.contains(|c: char| c.is_whitespace() || "@,;:\\\"<>()[]".contains(c))
        && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TITLE: Text = Text { field: "title", label: "Title", min: 1, max: 10, kind: Kind::Line };

    fn error_of(rule: &Text, raw: &str) -> Option<String> {
        let mut invalid = Invalid::default();
        rule.check(raw, &mut invalid);
        invalid.0.pop().map(|error| error.message)
    }

    #[test]
    fn a_blank_field_is_a_missing_field() {
        assert_eq!(error_of(&TITLE, " \t\n").as_deref(), Some("Title is required."));
        assert_eq!(error_of(&TITLE, "\0\u{1}").as_deref(), Some("Title is required."));
        assert_eq!(error_of(&TITLE, "\u{200b}\u{a0}\u{202e}").as_deref(), Some("Title is required."));
        assert_eq!(error_of(&TITLE, "\u{115f}\u{fe0f}").as_deref(), Some("Title is required."), "S24");
    }

    #[test]
    fn lengths_are_counted_in_characters_not_bytes() {
        assert_eq!(error_of(&TITLE, "गोदानगोदान"), None);
        assert_eq!(error_of(&TITLE, "12345678901").as_deref(), Some("Title must be at most 10 characters."));
    }

    #[test]
    fn a_photo_is_an_http_address_and_nothing_cleverer_r_book_2() {
        for good in [
            "https://example.org/a.jpg",
            "http://localhost:8080/library/covers/1.svg",
            "HTTPS://EXAMPLE.ORG/é.png",
        ] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in [
            "",
            "a.jpg",
            "//example.org/a.jpg",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:image/png;base64,AA",
            "ftp://example.org/a.jpg",
            "https://",
            "https://user:secret@example.org/a.jpg",
            "http:/example.org",
            "https:\\\\example.org",
            " file:///etc/passwd",
            "https://exa mple.org/",
            "blob:https://example.org/1",
        ] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }

    #[test]
    fn email_addresses_are_told_from_other_text() {
        for good in ["a@b", "asha.rao+lib@college.edu", "ümlaut@köln.de", "o'neil@x-y.org"] {
            assert!(is_email(good), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a@b..c", "a b@c.d", "a@-b.c", "a@b@c d", "<a@b.c>", "a@b.c>"] {
            assert!(!is_email(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_was_accepted_once_is_accepted_unchanged_again(raw in "\\PC{0,30}") {
            let rule = Text { field: "t", label: "T", min: 0, max: 30, kind: Kind::Paragraphs };
            let mut invalid = Invalid::default();
            let once = rule.check(&raw, &mut invalid);
            let twice = rule.check(&once, &mut invalid);
            prop_assert_eq!(&once, &twice);
            prop_assert!(!once.contains('\0'));
        }
    }
}
