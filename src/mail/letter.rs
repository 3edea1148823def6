//! Words of a mail: one source for the subject, the text and the HTML.
//!
//! The HTML is made of tables and inline styles, without pictures: mail programs drop or change almost everything else.

use std::fmt::Write as _;

use super::LINK_MINUTES;
use crate::message::{self, Message};

/// Part of a letter.
#[derive(Clone, Debug)]
enum Part {
    Paragraph(Message),
    Button { label: Message, address: String },
}

/// Mail in the words of a language.
#[derive(Clone, Debug)]
pub struct Letter {
    language: String,
    library: String,
    subject: Message,
    parts: Vec<Part>,
}

/// Returns the name of the library in running text.
fn named(library: &str, language: &str) -> String {
    let name = one_line(library);
    if name.is_empty() { message::letter_library().text_in(language) } else { name }
}

/// Begins a letter; `subject` gets the library's name.
fn letter(language: &str, library: &str, subject: impl FnOnce(&str) -> Message) -> Letter {
    let library = named(library, language);
    Letter { language: language.to_owned(), subject: subject(&library), library, parts: Vec::new() }
}

/// Password reset link.
#[must_use]
pub fn password_link(language: &str, library: &str, name: &str, address: &str) -> Letter {
    let letter = letter(language, library, message::letter_password_link_subject);
    let what = message::letter_password_link_what(&letter.library, LINK_MINUTES);
    letter
        .says(message::letter_greeting(&one_line(name)))
        .says(what)
        .offers(message::letter_password_link_button(), address)
        .says(message::letter_password_link_ignore())
}

/// Confirmation that a reset link changed the password.
#[must_use]
pub fn password_changed(language: &str, library: &str, name: &str) -> Letter {
    let letter = letter(language, library, message::letter_password_changed_subject);
    let what = message::letter_password_changed_what(&letter.library);
    letter
        .says(message::letter_greeting(&one_line(name)))
        .says(what)
        .says(message::letter_password_changed_ignore())
}

/// Test mail.
#[must_use]
pub fn test(language: &str, library: &str) -> Letter {
    let letter = letter(language, library, message::letter_test_subject);
    let what = message::letter_test_what(&letter.library);
    letter.says(what)
}

impl Letter {
    fn says(mut self, paragraph: Message) -> Self {
        self.parts.push(Part::Paragraph(paragraph));
        self
    }

    fn offers(mut self, label: Message, address: &str) -> Self {
        self.parts.push(Part::Button { label, address: address.to_owned() });
        self
    }

    fn words(&self, message: &Message) -> String {
        message.text_in(&self.language)
    }

    fn foot(&self) -> String {
        self.words(&message::letter_foot(&self.library))
    }

    /// Returns the subject: one line, whatever names it contains.
    #[must_use]
    pub fn subject(&self) -> String {
        one_line(&self.words(&self.subject))
    }

    /// Returns the text part.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let words = match part {
                Part::Paragraph(message) => self.words(message),
                Part::Button { label, address } => format!("{}:\n{address}", self.words(label)),
            };
            let _ = write!(text, "{words}\n\n");
        }
        let _ = write!(text, "-- \n{}\n", self.foot());
        text
    }

    /// Returns the HTML part.
    #[must_use]
    pub fn html(&self) -> String {
        let mut rows = String::new();
        for part in &self.parts {
            match part {
                Part::Paragraph(message) => {
                    let _ = write!(
                        rows,
                        r#"<tr><td class="ink" style="padding:0 0 16px;color:#1f2933">{}</td></tr>"#,
                        escaped(&self.words(message))
                    );
                }
                Part::Button { label, address } => {
                    let (label, address) = (escaped(&self.words(label)), escaped(address));
                    let _ = write!(
                        rows,
                        r##"<tr><td style="padding:0 0 16px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#0b6e66" style="border-radius:6px"><a href="{address}" style="display:inline-block;padding:12px 20px;color:#ffffff;font-weight:bold;text-decoration:none">{label}</a></td></tr></table></td></tr><tr><td class="dim" style="padding:0 0 16px;color:#52606d;font-size:14px">{}<br><a class="link" href="{address}" style="color:#0b6e66;word-break:break-all;overflow-wrap:anywhere">{address}</a></td></tr>"##,
                        escaped(&self.words(&message::letter_address()))
                    );
                }
            }
        }
        format!(
            r#"<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{subject}</title>
<style>
:root {{ color-scheme: light dark }}
@media (prefers-color-scheme: dark) {{
 .page {{ background: #15191d !important }}
 .card {{ background: #20262c !important }}
 .ink {{ color: #e6eaee !important }}
 .dim {{ color: #a9b4bf !important }}
 .link {{ color: #5fd0c5 !important }}
}}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f1f4f6">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f1f4f6"><tr><td align="center" style="padding:16px 8px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;background:#ffffff;border-radius:8px;font-family:'Noto Sans','Noto Sans Devanagari',Arial,sans-serif;font-size:16px;line-height:1.5;text-align:start"><tr><td style="padding:24px 20px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">{rows}<tr><td class="dim" style="padding:0 0 16px;color:#52606d;font-size:14px">{foot}</td></tr></table>
</td></tr></table>
</td></tr></table>
</body>
</html>
"#,
            language = self.language,
            subject = escaped(&self.subject()),
            foot = escaped(&self.foot()),
        )
    }
}

/// Replaces every control character and line separator by a space, so that no name starts a header.
pub(super) fn one_line(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_line_breaks_and_markup_stay_text() {
        let letter =
            password_link("en", "City\r\nBcc: all@x.org", "<b>Ravi</b>\n", "https://l.org/library/reset#t");
        assert_eq!(letter.subject(), "New password for City Bcc: all@x.org");
        assert!(letter.html().contains("Hello &lt;b&gt;Ravi&lt;/b&gt;,"));
        assert!(letter.text().starts_with("Hello <b>Ravi</b>,\n"));
    }

    #[test]
    fn a_letter_says_the_same_in_text_and_html_in_the_readers_language() {
        for language in ["en", "hi"] {
            let letter = password_link(language, "", "Asha", "https://l.org/library/reset#t");
            let (text, html) = (letter.text(), letter.html());
            for part in &letter.parts {
                let message = match part {
                    Part::Paragraph(message) | Part::Button { label: message, .. } => message,
                };
                let words = letter.words(message);
                assert!(text.contains(&words) && html.contains(&escaped(&words)), "{language}: {words}");
            }
            assert_eq!(text.matches("https://l.org/library/reset#t").count(), 1, "{text}");
        }
        let hindi = password_link("hi", "", "Asha", "https://l.org/").text();
        assert!(hindi.contains("नमस्ते") && !hindi.contains("Hello"), "{hindi}");
    }
}
