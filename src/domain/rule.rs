//! Validation: each limit stands once, here and in the tables of the areas, and flows from here into the server's
//! checks, the `OpenAPI` document and, through it, the forms.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Map, Value};

use crate::{
    message::{self, Message},
    text::{is_direction_control, is_invisible},
};

/// One field of a request that is wrong, in words for the person who filled it in.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// The field's name as it stands in the request.
    #[schema(value_type = String)]
    pub field: Cow<'static, str>,
    /// Which rule it breaks: the message is `x-messages[rule]`.
    #[schema(value_type = String)]
    pub rule: &'static str,
    /// What the message is filled with.
    pub params: Map<String, Value>,
    /// What is wrong and what would be right, in English.
    pub message: String,
}

impl FieldError {
    /// A field and what it is told.
    #[must_use]
    pub fn new(field: impl Into<Cow<'static, str>>, message: Message) -> Self {
        Self { field: field.into(), rule: message.code, message: message.text(), params: message.params }
    }
}

/// Everything that is wrong with a request; never empty when it is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invalid(pub Vec<FieldError>);

impl Invalid {
    /// An error of one field.
    #[must_use]
    pub fn field(field: impl Into<Cow<'static, str>>, message: Message) -> Self {
        let mut invalid = Self::default();
        invalid.push(field, message);
        invalid
    }

    /// Adds what is wrong with a field.
    pub fn push(&mut self, field: impl Into<Cow<'static, str>>, message: Message) {
        self.0.push(FieldError::new(field, message));
    }

    /// Adds an error where a list names one entry more than once.
    pub fn refuse_repeats<T: Ord>(&mut self, field: impl Into<Cow<'static, str>>, list: &[T]) {
        if list.iter().collect::<BTreeSet<_>>().len() < list.len() {
            self.push(field, message::repeated());
        }
    }

    /// `Ok(value)` if nothing was wrong.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// What is asked of a text field beyond its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One line; line breaks become blanks.
    Line,
    /// Line breaks are kept.
    Paragraphs,
    /// `http` or `https`, without credentials.
    Url,
    /// An email address.
    Email,
    /// Taken as typed: neither trimmed nor cleaned.
    Secret,
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// A text field: its name in the request, its label on the screen and its limits in characters.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
    /// Fewest characters after trimming; 0 lets the field be empty.
    pub min: usize,
    /// Most characters.
    pub max: usize,
    /// What else is asked.
    pub kind: Kind,
}

impl Text {
    /// The text as it is stored (trimmed, without control characters), noting in `invalid` what is wrong with it.
    pub fn check(&self, raw: &str, invalid: &mut Invalid) -> String {
        self.check_as(self.field, raw, invalid)
    }

    /// [`Self::check`] where the field stands deeper in the request: `categories[1].name`.
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

/// A number field with its limits, both included.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
    /// Smallest.
    pub min: i64,
    /// Largest.
    pub max: i64,
}

impl Number {
    /// Notes in `invalid` if the number is out of its range.
    pub fn check(&self, value: i64, invalid: &mut Invalid) -> i64 {
        self.check_as(self.field, value, invalid)
    }

    /// [`Self::check`] where the field stands deeper in the request: `categories[1].rules.loanDays`.
    pub fn check_as(&self, field: impl Into<Cow<'static, str>>, value: i64, invalid: &mut Invalid) -> i64 {
        if !(self.min..=self.max).contains(&value) {
            invalid.push(field, message::out_of_range(self.label, self.min, self.max));
        }
        value
    }

    /// Notes in `invalid` that the number is missing.
    pub fn missing(&self, invalid: &mut Invalid) {
        invalid.push(self.field, message::required(self.label));
    }
}

/// A field with a few known values, which the request's type knows.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Name in the request.
    pub field: &'static str,
    /// Name on the screen.
    pub label: &'static str,
}

impl Choice {
    /// Notes in `invalid` if nothing was chosen.
    pub fn present<T>(&self, chosen: Option<T>, invalid: &mut Invalid) -> Option<T> {
        if chosen.is_none() {
            invalid.push(self.field, message::required(self.label));
        }
        chosen
    }
}

/// Trims, and drops what is no text: control characters (`PostgreSQL` cannot even store NUL) and, on one line, breaks.
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
    // A text without a visible character is empty.
    if text.chars().all(|c| c.is_whitespace() || is_invisible(c)) {
        String::new()
    } else {
        text.trim().to_owned()
    }
}

/// Whether this is a web address a picture may have: http or https, a host, no credentials.
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

/// What the browser's own email check lets through, and a dot is not asked for either: `name@localhost` exists.
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

    fn told(rule: &Text, raw: &str) -> Option<String> {
        let mut invalid = Invalid::default();
        rule.check(raw, &mut invalid);
        invalid.0.pop().map(|error| error.message)
    }

    #[test]
    fn a_blank_field_is_a_missing_field() {
        assert_eq!(told(&TITLE, " \t\n").as_deref(), Some("Title is required."));
        assert_eq!(told(&TITLE, "\0\u{1}").as_deref(), Some("Title is required."));
        assert_eq!(told(&TITLE, "\u{200b}\u{a0}\u{202e}").as_deref(), Some("Title is required."));
        assert_eq!(told(&TITLE, "\u{115f}\u{fe0f}").as_deref(), Some("Title is required."), "S24");
    }

    #[test]
    fn lengths_are_counted_in_characters_not_bytes() {
        assert_eq!(told(&TITLE, "गोदानगोदान"), None);
        assert_eq!(told(&TITLE, "12345678901").as_deref(), Some("Title must be at most 10 characters."));
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
