//! Content of a mail: one source for the subject, the text and the HTML.
//!
//! The HTML is made of tables and inline styles, without pictures: mail programs drop or change almost everything else.

use std::fmt::Write as _;

use jiff::{Span, civil::Date};

use super::LINK_MINUTES;
use crate::{
    domain::{
        notice::Kind,
        wording::{Piece, Placeholder, Worded, Wording, Wordings, paragraphs, pieces},
    },
    message::{self, Message},
    money::Money,
};

/// Part of a letter.
#[derive(Clone, Debug)]
enum Part {
    /// Lines of a paragraph; only a wording breaks lines, never a value.
    Paragraph(String),
    Items(Vec<String>),
    Button {
        label: String,
        address: String,
    },
}

/// Content of a mail in one language.
#[derive(Clone, Debug)]
pub struct Letter {
    language: String,
    library: String,
    subject: String,
    parts: Vec<Part>,
    unsubscribe: Option<String>,
}

/// Returns the name of the library for use in a sentence.
pub(crate) fn named(library: &str, language: &str) -> String {
    let name = one_line(library);
    if name.is_empty() { message::letter_library().text_in(language) } else { name }
}

/// Returns the subject of the mail about a notice.
pub(super) fn notice_subject(kind: Kind) -> fn(&str) -> Message {
    match kind {
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
    }
}

/// Returns the program's own wording of a mail.
#[must_use]
pub fn ours(mail: Worded, language: &str) -> Wording {
    let (name, library) = (Placeholder::Name.as_str(), Placeholder::Library.as_str());
    let block = |block: Placeholder| block.as_str().to_owned();
    let text = |message: Message| message.text_in(language);
    let (subject, rest) = match mail {
        Worded::PasswordLink => (
            text(message::letter_password_link_subject(library)),
            vec![
                text(message::letter_password_link_what(library, LINK_MINUTES)),
                block(Placeholder::Link),
                text(message::letter_password_link_ignore()),
            ],
        ),
        Worded::AddressLink => (
            text(message::letter_address_link_subject(library)),
            vec![
                text(message::letter_address_link_what(library, LINK_MINUTES)),
                block(Placeholder::Link),
                text(message::letter_address_link_ignore()),
            ],
        ),
        Worded::Welcome => (
            text(message::letter_welcome_subject(library)),
            vec![
                text(message::letter_welcome_what(library)),
                block(Placeholder::Code),
                block(Placeholder::Link),
                text(message::letter_welcome_ignore()),
            ],
        ),
        Worded::PasswordChanged => (
            text(message::letter_password_changed_subject(library)),
            vec![
                text(message::letter_password_changed_what(library)),
                text(message::letter_password_changed_ignore()),
            ],
        ),
        Worded::Digest => (
            block(Placeholder::Reminder),
            vec![text(message::letter_digest_what(library)), block(Placeholder::Books)],
        ),
        Worded::GuardianDigest => (
            block(Placeholder::Reminder),
            vec![text(message::letter_guardian_what(name, library)), block(Placeholder::Books)],
        ),
        Worded::Notice(kind) => (text(notice_subject(kind)(library)), vec![block(Placeholder::Notice)]),
    };
    let greeting = text(match mail {
        Worded::GuardianDigest => message::letter_guardian_greeting(name),
        _ => message::letter_greeting(name),
    });
    let body = std::iter::once(greeting).chain(rest).collect::<Vec<_>>().join("\n\n");
    Wording { subject, body }
}

/// Mail to write: its kind, language, and the library's name and wordings.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'w> {
    pub language: &'w str,
    pub library: &'w str,
    /// The library's own wordings of this mail.
    pub own: Option<&'w Wordings>,
}

/// Values of the placeholders, and content of the blocks.
#[derive(Default)]
struct Values<'v> {
    name: &'v str,
    link: &'v str,
    /// Lines about a sign-in code.
    code: &'v [Message],
    /// Subject of a digest; gets the library's name.
    reminder: Option<&'v dyn Fn(&str) -> Message>,
    books: &'v [Message],
    /// Other notices of a digest.
    news: &'v [Message],
    notice: &'v [Message],
}

/// Writes a letter with the library's own wording, or with the program's if the library has none that this version can read.
fn letter(mail: Worded, writing: Writing<'_>, values: &Values<'_>) -> Letter {
    let Writing { language, library, own } = writing;
    let own = own.and_then(|own| own.of(language)).filter(|own| own.is_usable(mail));
    let wording = own.cloned().unwrap_or_else(|| ours(mail, language));
    let library = named(library, language);
    let words = |message: &Message| one_line(&message.text_in(language));
    let value = |placeholder| match placeholder {
        Placeholder::Name => one_line(values.name),
        Placeholder::Library => library.clone(),
        Placeholder::Reminder => {
            values.reminder.map(|reminder| words(&reminder(&library))).unwrap_or_default()
        }
        Placeholder::Link | Placeholder::Code | Placeholder::Books | Placeholder::Notice => String::new(),
    };
    // Values are put in once and not searched for placeholders again.
    let filled = |text: &str| -> String {
        let pieces = pieces(text, mail.placeholders()).into_iter();
        let words = pieces.map(|piece| match piece {
            Piece::Text(text) | Piece::Unknown(text) => text.to_owned(),
            Piece::Value(placeholder) => value(placeholder),
        });
        words.collect()
    };
    let mut parts = Vec::new();
    for paragraph in paragraphs(&wording.body) {
        match pieces(&paragraph, mail.placeholders())[..] {
            [Piece::Value(Placeholder::Link)] => parts.push(Part::Button {
                label: words(&match mail {
                    Worded::AddressLink => message::letter_address_link_button(),
                    Worded::Welcome => message::letter_welcome_button(),
                    _ => message::letter_password_link_button(),
                }),
                address: values.link.to_owned(),
            }),
            [Piece::Value(Placeholder::Code)] => {
                let lines: Vec<String> = values.code.iter().map(words).collect();
                parts.push(Part::Paragraph(lines.join("\n")));
            }
            [Piece::Value(Placeholder::Books)] => {
                if !values.books.is_empty() {
                    parts.push(Part::Items(values.books.iter().map(words).collect()));
                    if !values.news.is_empty() {
                        parts.push(Part::Paragraph(words(&message::letter_digest_also())));
                    }
                }
                if !values.news.is_empty() {
                    parts.push(Part::Items(values.news.iter().map(words).collect()));
                }
            }
            [Piece::Value(Placeholder::Notice)] => {
                parts.extend(values.notice.iter().map(|message| Part::Paragraph(words(message))));
            }
            _ => {
                let lines: Vec<String> = paragraph.lines().map(|line| one_line(&filled(line))).collect();
                parts.push(Part::Paragraph(lines.join("\n")));
            }
        }
    }
    let subject = one_line(&filled(&wording.subject));
    Letter { language: language.to_owned(), library, subject, parts, unsubscribe: None }
}

/// Writes the mail with a password reset link.
#[must_use]
pub fn password_link(writing: Writing<'_>, name: &str, address: &str) -> Letter {
    letter(Worded::PasswordLink, writing, &Values { name, link: address, ..Values::default() })
}

/// Writes the mail with a link that confirms the address.
#[must_use]
pub fn address_link(writing: Writing<'_>, name: &str, address: &str) -> Letter {
    letter(Worded::AddressLink, writing, &Values { name, link: address, ..Values::default() })
}

/// Sign-in code of a person, for a mail.
#[derive(Clone, Copy, Debug)]
pub struct CodeOf<'c> {
    pub roll_number: Option<&'c str>,
    /// Address to sign in with; named if there is no roll number.
    pub email: &'c str,
    pub code: &'c str,
    /// Last day on which the code works.
    pub until: Date,
}

/// Writes the mail with a sign-in code; `address` is that of the page on which the person enters it.
#[must_use]
pub fn welcome(writing: Writing<'_>, name: &str, code: CodeOf<'_>, address: &str) -> Letter {
    let account = code
        .roll_number
        .map_or_else(|| message::letter_welcome_email(code.email), message::letter_welcome_roll_number);
    let lines = [account, message::letter_welcome_code(code.code), message::letter_welcome_until(code.until)];
    letter(Worded::Welcome, writing, &Values { name, link: address, code: &lines, ..Values::default() })
}

/// Writes the confirmation that a password was changed with a reset link.
#[must_use]
pub fn password_changed(writing: Writing<'_>, name: &str) -> Letter {
    letter(Worded::PasswordChanged, writing, &Values { name, ..Values::default() })
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
pub fn notice(writing: Writing<'_>, name: &str, kind: Kind, text: &[Message], links: Links) -> Letter {
    letter(Worded::Notice(kind), writing, &Values { name, notice: text, ..Values::default() }).links_to(links)
}

/// Reminders of a day, and the notices that their reader wants with them.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// Number of overdue loans.
    pub overdue: i64,
    /// Number of loans that are not overdue.
    pub due: i64,
    /// Reminders.
    pub lines: Vec<Message>,
    /// Other notices, oldest first.
    pub news: Vec<Message>,
}

/// Writes the mail with all reminders of a person: [`Worded::Digest`], or [`Worded::GuardianDigest`].
#[must_use]
pub fn digest(mail: Worded, writing: Writing<'_>, name: &str, digest: &Digest, links: Links) -> Letter {
    let reminder = |library: &str| digest.reminder(library);
    let values = Values {
        name,
        reminder: Some(&reminder),
        books: &digest.lines,
        news: &digest.news,
        ..Values::default()
    };
    letter(mail, writing, &values).links_to(links)
}

impl Digest {
    /// Returns the number of books, as the subject of a mail and the first line of a text message.
    pub(super) fn reminder(&self, library: &str) -> Message {
        match (self.overdue, self.due) {
            (0, 0) => message::letter_digest_news(library),
            (0, due) => message::letter_digest_due(due, library),
            (overdue, _) => message::letter_digest_overdue(overdue, library),
        }
    }
}

/// Writes a test mail.
#[must_use]
pub fn test(language: &str, library: &str) -> Letter {
    let library = named(library, language);
    let words = |message: Message| one_line(&message.text_in(language));
    Letter {
        language: language.to_owned(),
        subject: words(message::letter_test_subject(&library)),
        parts: vec![Part::Paragraph(words(message::letter_test_what(&library)))],
        library,
        unsubscribe: None,
    }
}

/// Writes a mail with example values, of which only the titles and days come from `loans`; days that do not fit the mail are
/// moved, so that a book which is overdue in it was due before `today`.
#[must_use]
pub fn example(
    mail: Worded,
    writing: Writing<'_>,
    name: &str,
    loans: &[(String, Date)],
    today: Date,
    page: &str,
) -> Letter {
    let links = || Links { page: Some(page.to_owned()), unsubscribe: None };
    let yesterday = today.yesterday().unwrap_or(today);
    let (title, day) = loans.first().map_or(("", Date::default()), |(title, day)| (title.as_str(), *day));
    let kind = match mail {
        Worded::PasswordLink => return password_link(writing, name, page),
        Worded::AddressLink => return address_link(writing, name, page),
        Worded::Welcome => {
            let until = today.checked_add(Span::new().days(7)).unwrap_or(today);
            let code = CodeOf { roll_number: None, email: "reader@example.org", code: "ABCD-2345", until };
            return welcome(writing, name, code, page);
        }
        Worded::PasswordChanged => return password_changed(writing, name),
        Worded::Digest => {
            let is_overdue = |day: Date| day < today;
            let line = |(title, day): &(String, Date)| {
                if is_overdue(*day) {
                    message::notice_overdue(title, *day)
                } else {
                    message::notice_due_soon(title, *day)
                }
            };
            let number = |overdue| {
                let counted = loans.iter().filter(|(_, day)| is_overdue(*day) == overdue);
                i64::try_from(counted.count()).unwrap_or(i64::MAX)
            };
            let lines = loans.iter().map(line).collect();
            let values = Digest { overdue: number(true), due: number(false), lines, ..Digest::default() };
            return digest(mail, writing, name, &values, links());
        }
        Worded::GuardianDigest => {
            // The usual one: a library that changes nothing mails guardians about overdue books only.
            let lines =
                loans.iter().map(|(title, day)| message::notice_overdue(title, (*day).min(yesterday)));
            let overdue = i64::try_from(loans.len()).unwrap_or(i64::MAX);
            let values = Digest { overdue, lines: lines.collect(), ..Digest::default() };
            return digest(mail, writing, name, &values, Links::default());
        }
        Worded::Notice(kind) => kind,
    };
    let ahead = day.max(today.tomorrow().unwrap_or(today));
    let text = match kind {
        Kind::Overdue => message::notice_overdue(title, day.min(yesterday)),
        Kind::DueToday => message::notice_due_today(title, today),
        Kind::DueSoon => message::notice_due_soon(title, ahead),
        Kind::HoldReady => message::notice_hold_ready(title, ahead),
        Kind::HoldExpiring => message::notice_hold_expiring(title, ahead),
        Kind::HoldLapsed => message::notice_hold_lapsed(title),
        Kind::HoldCancelled => message::notice_hold_cancelled(title),
        Kind::HoldPutBack => message::notice_hold_put_back(title),
        Kind::DueDateMoved => message::notice_due_date_moved(
            title,
            ahead,
            ahead.checked_add(Span::new().days(7)).unwrap_or(ahead),
        ),
        Kind::Charged => message::notice_fine_charged(title, Money(1000)),
        Kind::Paid => message::notice_paid(Money(1000), "1"),
        Kind::SignInChanged => message::change_password_changed(),
        Kind::NewDevice => message::notice_new_browser(),
        Kind::Lent => message::notice_lent(title, ahead),
        Kind::Returned => message::notice_returned(title),
    };
    notice(writing, name, kind, &[text], links())
}

impl Letter {
    fn links_to(mut self, links: Links) -> Self {
        self.unsubscribe = links.unsubscribe;
        match links.page {
            Some(address) => {
                let label = self.words(&message::letter_button());
                self.parts.push(Part::Button { label, address });
                self
            }
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
        self.subject.clone()
    }

    /// Returns the text part.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let words = match part {
                Part::Paragraph(words) => words.clone(),
                Part::Items(items) => {
                    let items: Vec<String> = items.iter().map(|item| format!("• {item}")).collect();
                    items.join("\n")
                }
                Part::Button { label, address } => format!("{label}:\n{address}"),
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
                Part::Paragraph(words) => {
                    let _ = write!(
                        rows,
                        r#"<tr><td class="ink" style="padding:0 0 16px;color:#1f2933">{}</td></tr>"#,
                        escaped(words).replace('\n', "<br>")
                    );
                }
                Part::Items(items) => {
                    for item in items {
                        let _ = write!(
                            rows,
                            r#"<tr><td class="ink" style="padding:0 0 8px;color:#1f2933">• {}</td></tr>"#,
                            escaped(item)
                        );
                    }
                    rows.push_str(r#"<tr><td style="padding:0 0 8px"></td></tr>"#);
                }
                Part::Button { label, address } => {
                    let (label, address) = (escaped(label), escaped(address));
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
    use proptest::prelude::*;

    use super::*;

    fn by<'w>(language: &'w str, library: &'w str) -> Writing<'w> {
        Writing { language, library, own: None }
    }

    fn own(subject: &str, body: &str) -> Wordings {
        let wording = Wording { subject: subject.into(), body: body.into() };
        Wordings { en: Some(wording.clone()), hi: Some(wording) }
    }

    #[test]
    fn the_programs_own_wording_passes_the_check_of_the_form() {
        for (mail, language) in Worded::all().flat_map(|mail| [(mail, "en"), (mail, "hi")]) {
            assert!(ours(mail, language).is_usable(mail), "{mail:?} {language}");
        }
    }

    #[test]
    fn an_own_wording_is_used_and_one_that_cannot_be_read_is_not() {
        let wordings = own("प्रिय {name}", "Dear {name},\nof {library}\n\n{books}\n\nDesk <2>");
        let writing = Writing { own: Some(&wordings), ..by("en", "City") };
        let lines = vec![message::notice_lent("Emma", Date::default())];
        let lines = Digest { due: 1, lines, ..Digest::default() };
        let letter = digest(Worded::Digest, writing, "Asha", &lines, Links::default());
        assert_eq!(letter.subject(), "प्रिय Asha");
        assert!(
            letter.text().starts_with("Dear Asha,\nof City\n\n• You borrowed “Emma”"),
            "{}",
            letter.text()
        );
        assert!(letter.html().contains("Dear Asha,<br>of City") && letter.html().contains("Desk &lt;2&gt;"));
        let newer = own("{phone}", "{books}");
        let writing = Writing { own: Some(&newer), ..by("en", "City") };
        assert_eq!(
            digest(Worded::Digest, writing, "Asha", &lines, Links::default()).subject(),
            "1 book is due back at City"
        );
    }

    proptest! {
        #[test]
        fn no_value_adds_a_header_a_tag_or_a_placeholder(
            name in prop_oneof![
                any::<String>(),
                Just("{library}{books}".to_owned()),
                Just("a\r\nBcc: all@x.org\r\n\r\n<script>".to_owned()),
                Just("\u{202e}\u{2028}नमस्ते<b>".repeat(500)),
            ],
        ) {
            let wordings = own("For {name} at {library}", "Dear {name}\n\n{notice}");
            let writing = Writing { own: Some(&wordings), ..by("en", "City") };
            let write = |name: &str| {
                let text = [message::notice_returned(name)];
                notice(writing, name, Kind::Returned, &text, Links::default())
            };
            let (letter, plain) = (write(&name), write("Asha"));
            prop_assert_eq!(letter.subject(), one_line(&format!("For {} at City", one_line(&name))));
            prop_assert!(!letter.subject().chars().any(char::is_control));
            prop_assert_eq!(letter.html().matches('<').count(), plain.html().matches('<').count());
            prop_assert_eq!(letter.text().lines().count(), plain.text().lines().count());
        }
    }

    #[test]
    fn names_with_line_breaks_and_markup_stay_text() {
        let letter = password_link(
            by("en", "City\r\nBcc: all@x.org"),
            "<b>Ravi</b>\n",
            "https://l.org/library/reset#t",
        );
        assert_eq!(letter.subject(), "New password for City Bcc: all@x.org");
        assert!(letter.html().contains("Hello &lt;b&gt;Ravi&lt;/b&gt;,"));
        assert!(letter.text().starts_with("Hello <b>Ravi</b>,\n"));
    }

    #[test]
    fn a_letter_says_the_same_in_text_and_html_in_the_readers_language() {
        for language in ["en", "hi"] {
            let letter = password_link(by(language, ""), "Asha", "https://l.org/library/reset#t");
            let text = letter.text();
            says_the_same(&letter);
            assert_eq!(text.matches("https://l.org/library/reset#t").count(), 1, "{text}");
        }
        let hindi = password_link(by("hi", ""), "Asha", "https://l.org/").text();
        assert!(hindi.contains("नमस्ते") && !hindi.contains("Hello"), "{hindi}");
    }

    /// Asserts that the text and the HTML have the same content.
    fn says_the_same(letter: &Letter) {
        let (text, html) = (letter.text(), letter.html());
        let all_words = letter.parts.iter().flat_map(|part| match part {
            Part::Paragraph(words) | Part::Button { label: words, .. } => std::slice::from_ref(words),
            Part::Items(items) => items,
        });
        for words in all_words {
            assert!(text.contains(words) && html.contains(&escaped(words)), "{words}");
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
            let digest = Digest { overdue: 1, due: 1, lines: lines.clone(), ..Digest::default() };
            let letter = digest_of(language, &digest, links);
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
        let alone = digest_of("en", &Digest { due: 2, lines, ..Digest::default() }, Links::default());
        assert_eq!(alone.subject(), "2 books are due back at City");
        assert!(!alone.text().contains("http") && !alone.html().contains("<a "));
    }

    #[test]
    fn the_example_for_a_guardian_speaks_of_overdue_books_and_leads_nowhere() {
        let date = jiff::civil::date;
        let (today, loans) = (date(2026, 11, 29), [("Godaan".to_owned(), date(2026, 12, 4))]);
        let letter =
            example(Worded::GuardianDigest, by("en", "City"), "Asha", &loans, today, "https://x.test");
        let text = letter.text();
        assert!(text.contains("was due back on 28 Nov 2026") && !text.contains("https:"), "{text}");
    }

    fn digest_of(language: &str, lines: &Digest, links: Links) -> Letter {
        digest(Worded::Digest, by(language, "City"), "Asha", lines, links)
    }

    #[test]
    fn each_kind_of_notice_has_a_letter_in_both_languages() {
        for kind in Kind::ALL {
            let text = [message::notice_hold_ready("Emma", jiff::civil::date(2026, 11, 28))];
            let of = |language| notice(by(language, "City"), "Asha", kind, &text, Links::default());
            let (english, hindi) = (of("en"), of("hi"));
            says_the_same(&english);
            says_the_same(&hindi);
            assert!(english.subject().contains("City") && hindi.subject().contains("City"), "{kind:?}");
            assert_ne!(english.subject(), hindi.subject(), "{kind:?}");
        }
    }
}
