//! Content of a mail: one source for the subject, the text and the HTML.
//!
//! The HTML is made of tables and inline styles, without pictures: mail programs drop or change almost everything else.

use std::fmt::Write as _;

use super::LINK_MINUTES;
use crate::{
    domain::notice::Kind,
    message::{self, Message},
};

/// Part of a letter.
#[derive(Clone, Debug)]
enum Part {
    Paragraph(Message),
    Items(Vec<Message>),
    Button { label: Message, address: String },
}

/// Content of a mail in one language.
#[derive(Clone, Debug)]
pub struct Letter {
    language: String,
    library: String,
    subject: Message,
    parts: Vec<Part>,
    unsubscribe: Option<String>,
}

/// Returns the name of the library for use in a sentence.
fn named(library: &str, language: &str) -> String {
    let name = one_line(library);
    if name.is_empty() { message::letter_library().text_in(language) } else { name }
}

/// Begins a letter; `subject` gets the library's name.
fn letter(language: &str, library: &str, subject: impl FnOnce(&str) -> Message) -> Letter {
    let library = named(library, language);
    Letter {
        language: language.to_owned(),
        subject: subject(&library),
        library,
        parts: Vec::new(),
        unsubscribe: None,
    }
}

/// Writes the mail with a password reset link.
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

/// Writes the confirmation that a password was changed with a reset link.
#[must_use]
pub fn password_changed(language: &str, library: &str, name: &str) -> Letter {
    let letter = letter(language, library, message::letter_password_changed_subject);
    let what = message::letter_password_changed_what(&letter.library);
    letter
        .says(message::letter_greeting(&one_line(name)))
        .says(what)
        .says(message::letter_password_changed_ignore())
}

/// Links of a mail about notices; none if the library has no public address.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Page that the button opens.
    pub page: Option<String>,
    /// Page to unsubscribe from mails of this kind.
    pub unsubscribe: Option<String>,
}

/// Writes the mail about one notice.
#[must_use]
pub fn notice(
    language: &str,
    library: &str,
    name: &str,
    kind: Kind,
    text: &[Message],
    links: Links,
) -> Letter {
    let subject: fn(&str) -> Message = match kind {
        Kind::DueSoon | Kind::DueToday | Kind::Overdue | Kind::DueDateMoved => {
            message::letter_due_date_subject
        }
        Kind::HoldReady => message::letter_hold_ready_subject,
        Kind::HoldExpiring => message::letter_hold_expiring_subject,
        Kind::HoldLapsed | Kind::HoldCancelled | Kind::HoldPutBack => message::letter_hold_subject,
        Kind::Charged => message::letter_charged_subject,
        Kind::Paid => message::letter_paid_subject,
        Kind::SignInChanged | Kind::NewDevice => message::letter_safety_subject,
        Kind::Lent => message::letter_lent_subject,
        Kind::Returned => message::letter_returned_subject,
    };
    let letter = letter(language, library, subject).says(message::letter_greeting(&one_line(name)));
    text.iter().cloned().fold(letter, Letter::says).links_to(links)
}

/// Reminders of a day.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// Number of overdue loans.
    pub overdue: i64,
    /// Number of loans that are not overdue.
    pub due: i64,
    pub lines: Vec<Message>,
}

/// Writes the mail with all reminders of a person.
#[must_use]
pub fn digest(language: &str, library: &str, name: &str, digest: Digest, links: Links) -> Letter {
    let Digest { overdue, due, lines } = digest;
    let letter = letter(language, library, |library| match overdue {
        0 => message::letter_digest_due(due, library),
        overdue => message::letter_digest_overdue(overdue, library),
    });
    let what = message::letter_digest_what(&letter.library);
    letter.says(message::letter_greeting(&one_line(name))).says(what).lists(lines).links_to(links)
}

/// Writes a test mail.
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

    fn lists(mut self, items: Vec<Message>) -> Self {
        self.parts.push(Part::Items(items));
        self
    }

    fn links_to(mut self, links: Links) -> Self {
        self.unsubscribe = links.unsubscribe;
        match links.page {
            Some(page) => self.offers(message::letter_button(), &page),
            None => self,
        }
    }

    /// Returns the unsubscribe link of the mail.
    #[must_use]
    pub fn unsubscribe(&self) -> Option<&str> {
        self.unsubscribe.as_deref()
    }

    /// Renders a message as one line, so that line breaks in a title start no paragraph.
    fn words(&self, message: &Message) -> String {
        one_line(&message.text_in(&self.language))
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
                Part::Items(items) => {
                    let items: Vec<String> =
                        items.iter().map(|item| format!("• {}", self.words(item))).collect();
                    items.join("\n")
                }
                Part::Button { label, address } => format!("{}:\n{address}", self.words(label)),
            };
            let _ = write!(text, "{words}\n\n");
        }
        let _ = write!(text, "-- \n{}\n", self.foot());
        if let Some(address) = &self.unsubscribe {
            let _ = writeln!(text, "{}:\n{address}", self.words(&message::letter_unsubscribe()));
        }
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
                Part::Items(items) => {
                    for item in items {
                        let _ = write!(
                            rows,
                            r#"<tr><td class="ink" style="padding:0 0 8px;color:#1f2933">• {}</td></tr>"#,
                            escaped(&self.words(item))
                        );
                    }
                    rows.push_str(r#"<tr><td style="padding:0 0 8px"></td></tr>"#);
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
        let unsubscribe = self.unsubscribe.as_deref().map_or_else(String::new, |address| {
            format!(
                r#"<br><a class="link" href="{}" style="color:#0b6e66">{}</a>"#,
                escaped(address),
                escaped(&self.words(&message::letter_unsubscribe()))
            )
        });
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
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;table-layout:fixed;word-break:break-word;overflow-wrap:anywhere;background:#ffffff;border-radius:8px;font-family:'Noto Sans','Noto Sans Devanagari',Arial,sans-serif;font-size:16px;line-height:1.5;text-align:start"><tr><td style="padding:24px 20px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">{rows}<tr><td class="dim" style="padding:0 0 16px;color:#52606d;font-size:14px">{foot}{unsubscribe}</td></tr></table>
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

/// Replaces control characters and line separators by spaces, so that no name can inject a header.
pub(super) fn one_line(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes text for HTML.
pub(crate) fn escaped(text: &str) -> String {
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
            let text = letter.text();
            says_the_same(&letter);
            assert_eq!(text.matches("https://l.org/library/reset#t").count(), 1, "{text}");
        }
        let hindi = password_link("hi", "", "Asha", "https://l.org/").text();
        assert!(hindi.contains("नमस्ते") && !hindi.contains("Hello"), "{hindi}");
    }

    /// Asserts that the text and the HTML have the same content.
    fn says_the_same(letter: &Letter) {
        let (text, html) = (letter.text(), letter.html());
        let messages = letter.parts.iter().flat_map(|part| match part {
            Part::Paragraph(message) | Part::Button { label: message, .. } => std::slice::from_ref(message),
            Part::Items(items) => items,
        });
        for message in messages {
            let words = letter.words(message);
            assert!(text.contains(&words) && html.contains(&escaped(&words)), "{words}");
        }
    }

    #[test]
    fn a_digest_lists_every_book_and_offers_to_end_it() {
        let due = jiff::civil::date(2026, 11, 28);
        let lines = vec![
            message::notice_overdue("Emma\r\n\r\nDear reader", due),
            message::notice_due_soon("<i>Godaan</i> & more", due),
        ];
        for (language, subject) in
            [("en", "1 book is overdue at City"), ("hi", "City: 1 पुस्तक की तिथि निकल चुकी है")]
        {
            let links = Links {
                page: Some("https://l.org/library/profile".into()),
                unsubscribe: Some("https://l.org/library/unsubscribe/7.reminders.x".into()),
            };
            let digest = Digest { overdue: 1, due: 1, lines: lines.clone() };
            let letter = digest_of(language, digest, links);
            assert_eq!(letter.subject(), subject);
            says_the_same(&letter);
            let (text, html) = (letter.text(), letter.html());
            assert!(text.contains("• “Emma Dear reader” "), "{text}");
            assert!(html.contains("“&lt;i&gt;Godaan&lt;/i&gt; &amp; more” "), "{html}");
            for address in
                ["https://l.org/library/profile", "https://l.org/library/unsubscribe/7.reminders.x"]
            {
                assert!(text.contains(address) && html.contains(&format!("href=\"{address}\"")), "{address}");
            }
        }
        let alone = digest_of("en", Digest { overdue: 0, due: 2, lines }, Links::default());
        assert_eq!(alone.subject(), "2 books are due back at City");
        assert!(!alone.text().contains("http") && !alone.html().contains("<a "));
    }

    fn digest_of(language: &str, lines: Digest, links: Links) -> Letter {
        digest(language, "City", "Asha", lines, links)
    }

    #[test]
    fn each_kind_of_notice_has_a_letter_in_both_languages() {
        for kind in Kind::ALL {
            let text = [message::notice_hold_ready("Emma", jiff::civil::date(2026, 11, 28))];
            let of = |language| notice(language, "City", "Asha", kind, &text, Links::default());
            let (english, hindi) = (of("en"), of("hi"));
            says_the_same(&english);
            says_the_same(&hindi);
            assert!(english.subject().contains("City") && hindi.subject().contains("City"), "{kind:?}");
            assert_ne!(english.subject(), hindi.subject(), "{kind:?}");
        }
    }
}
