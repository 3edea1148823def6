//! Messages for people: a code, its parameters, and an English template.
//!
//! Each area has a table. Each line of a table is an ICU `MessageFormat` template, from which the macro also makes a
//! constructor. The `OpenAPI` document contains all tables (`x-messages`), so that the screens can translate the
//! messages by code.

#[macro_use]
mod table;
mod catalogue;
mod copy;
mod desk;
mod field;
mod hold;
mod import;
mod label;
mod loan;
mod mail;
mod money;
mod notice;
mod person;
mod request;
mod settings;
mod sign_in;
mod template;
mod undo;

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{LazyLock, PoisonError, RwLock},
};

use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::{Map, Value};

pub use catalogue::*;
pub use copy::*;
pub use desk::*;
pub use field::*;
pub use hold::*;
pub use import::*;
pub use label::*;
pub use loan::*;
pub use mail::*;
pub use money::*;
pub use notice::*;
pub use person::*;
pub use request::*;
pub use settings::*;
pub use sign_in::*;
use template::{Style, parse, render};
pub use undo::*;

/// Text for a person. On the wire: `{code, params, text}`, with the text in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Identity of the message; never changes, because stored messages refer to it.
    pub code: &'static str,
    /// Values for the template: text, numbers, days as ISO text, amounts in the currency's main unit, another message.
    pub params: Map<String, Value>,
}

/// Line of a message table.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    pub code: &'static str,
    /// English `MessageFormat` template.
    pub text: &'static str,
    /// Names of the parameters.
    pub params: &'static [&'static str],
}

/// Tables of all areas.
const TABLES: &[&[Template]] = &[
    catalogue::TEMPLATES,
    copy::TEMPLATES,
    desk::TEMPLATES,
    field::TEMPLATES,
    hold::TEMPLATES,
    import::TEMPLATES,
    label::TEMPLATES,
    loan::TEMPLATES,
    mail::TEMPLATES,
    money::TEMPLATES,
    notice::TEMPLATES,
    person::TEMPLATES,
    request::TEMPLATES,
    settings::TEMPLATES,
    sign_in::TEMPLATES,
    undo::TEMPLATES,
];

/// Returns the templates of all messages.
pub fn templates() -> impl Iterator<Item = &'static Template> {
    TABLES.iter().copied().flatten()
}

/// Returns the template with this code.
fn find(code: &str) -> Option<&'static Template> {
    templates().find(|template| template.code == code)
}

impl Message {
    /// Renders the message in English, with the library's currency sign.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_with(&CURRENCY.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Renders the message in a language of the screens; in English if that language lacks the template.
    #[must_use]
    pub fn text_in(&self, language: &str) -> String {
        let sign = CURRENCY.read().unwrap_or_else(PoisonError::into_inner);
        let translated = if language == "hi" { in_hindi(self.code, &self.params, &sign) } else { None };
        translated.unwrap_or_else(|| self.text_with(&sign))
    }

    /// Renders the message in English, with this currency sign.
    #[must_use]
    pub fn text_with(&self, sign: &str) -> String {
        let parts = find(self.code).and_then(|template| parse(template.text).ok()).unwrap_or_default();
        let mut text = String::new();
        render(&parts, &self.params, Style { sign, is_hindi: false }, None, &mut text);
        text
    }
}

/// Renders a message in Hindi, if the screens have its template.
fn in_hindi(code: &str, params: &Map<String, Value>, sign: &str) -> Option<String> {
    let parts = parse(HINDI.get(code)?).ok()?;
    let mut text = String::new();
    render(&parts, params, Style { sign, is_hindi: true }, None, &mut text);
    Some(text)
}

/// Hindi templates of the screens, by code.
static HINDI: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let templates = include_str!("../../web/src/messages/hi.json");
    serde_json::from_str(templates).unwrap_or_default()
});

/// Message as stored in the database: code and parameters without the rendered text.
#[derive(Serialize, serde::Deserialize)]
struct Stored<'m> {
    code: Cow<'m, str>,
    params: Map<String, Value>,
}

impl Message {
    /// Serialises messages as JSON for [`Self::parse_stored`].
    #[must_use]
    pub fn to_stored(messages: &[Self]) -> String {
        let stored: Vec<Stored<'_>> = messages
            .iter()
            .map(|message| Stored { code: message.code.into(), params: message.params.clone() })
            .collect();
        // Serialisation of text and JSON values cannot fail.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Parses stored messages; skips those whose template no longer exists.
    #[must_use]
    pub fn parse_stored(json: &str) -> Vec<Self> {
        let stored: Vec<Stored<'_>> = serde_json::from_str(json).unwrap_or_default();
        stored
            .into_iter()
            .filter_map(|stored| {
                let template = find(&stored.code)?;
                Some(Self { code: template.code, params: stored.params })
            })
            .collect()
    }
}

/// Currency sign of the library's settings, set whenever they are read. A process serves one library.
static CURRENCY: RwLock<Cow<'static, str>> = RwLock::new(Cow::Borrowed("₹"));

/// Sets the currency sign of [`Message::text`].
pub fn set_currency(sign: &str) {
    *CURRENCY.write().unwrap_or_else(PoisonError::into_inner) = Cow::Owned(sign.to_owned());
}

/// Joins messages into one line.
#[must_use]
pub fn joined(messages: &[Message]) -> String {
    messages.iter().map(Message::text).collect::<Vec<_>>().join("; ")
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.text()
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Message", 3)?;
        message.serialize_field("code", self.code)?;
        message.serialize_field("params", &self.params)?;
        message.serialize_field("text", &self.text())?;
        message.end()
    }
}

/// Schema of [`Message`] on the wire.
#[derive(utoipa::ToSchema)]
#[schema(as = Message)]
#[expect(dead_code, reason = "stands for its schema")]
struct Wire {
    /// Identity of the message: its template is `x-messages[code]`.
    code: String,
    /// Values for the template.
    params: Map<String, Value>,
    /// The message in English.
    text: String,
}

impl utoipa::PartialSchema for Message {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        Wire::schema()
    }
}

impl utoipa::ToSchema for Message {
    fn name() -> Cow<'static, str> {
        "Message".into()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde_json::json;

    use super::*;
    use crate::money::Money;

    #[test]
    fn amounts_days_and_plurals_are_written_in_english() {
        let (rate, day) = (Money::main(5), date(2026, 11, 22));
        assert_eq!(explain_fine(Money::main(15), 3, rate).text(), "₹15 = 3 days × ₹5");
        assert_eq!(explain_fine(Money(750), 1, Money(750)).text(), "₹7.50 = 1 day × ₹7.50");
        assert_eq!(explain_fine(Money::main(15), 3, rate).text_with("$"), "$15 = 3 days × $5");
        assert_eq!(explain_not_counted(day).text(), "Sunday 22 Nov not counted");
        assert_eq!(
            day_out_of_range("The day", date(2026, 1, 1), date(2026, 11, 28)).text(),
            "The day must be a day from 1 Jan 2026 to 28 Nov 2026."
        );
        assert_eq!(explain_due(0, day).text(), "The day itself, Sunday 22 Nov");
        assert_eq!(explain_due(1, day).text(), "1 day from Sunday 22 Nov");
        assert_eq!(explain_due(7, day).text(), "7 days from Sunday 22 Nov");
    }

    #[test]
    fn days_and_nested_messages_are_written_in_hindi_too() {
        let day = date(2026, 11, 22);
        let text = notice_due_soon("गोदान", day).text_in("hi");
        assert!(text.contains(" 22 नव॰ 2026 "), "{text}");
        let text = explain_not_counted(day).text_in("hi");
        assert!(text.starts_with("रविवार 22 नव॰"), "{text}");
        let text = block_undo_since(&explain_not_counted(day)).text_in("hi");
        assert!(text.contains("रविवार 22 नव॰ नहीं गिना गया"), "{text}");
    }

    #[test]
    fn a_message_travels_with_its_code_its_parameters_and_its_words() {
        let message = explain_moved_past_holiday(date(2026, 12, 25), "Christmas", date(2026, 12, 26));
        assert_eq!(
            serde_json::to_value(message).unwrap(),
            json!({
                "code": "explain.movedPastHoliday",
                "params": { "day": "2026-12-25", "name": "Christmas", "to": "2026-12-26" },
                "text": "Friday 25 Dec is closed (Christmas); moved to Saturday 26 Dec",
            })
        );
    }
}
