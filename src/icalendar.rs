//! Calendar files (iCalendar, RFC 5545) with whole-day events.

use std::fmt::Write as _;

use jiff::{Timestamp, ToSpan as _, civil::Date};

/// Maximum bytes of a line, without its end (RFC 5545, 3.1).
const LINE: usize = 75;

/// Invisible component for a calendar without events, because a calendar must have a component (RFC 5545, 3.6).
const NOTHING: [&str; 8] = [
    "BEGIN:VTIMEZONE",
    "TZID:Etc/UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "END:STANDARD",
    "END:VTIMEZONE",
];

/// Whole-day event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Stays the same when the day changes, so that calendar programs move the event.
    pub uid: String,
    pub day: Date,
    pub summary: String,
}

/// Writes the file of the calendar `name`; `now` in epoch milliseconds. Calendar programs fetch the file again every six
/// hours, and remind at nine o'clock on the day before each event.
#[must_use]
pub fn file(name: &str, events: &[Event], now: i64) -> String {
    let now = Timestamp::from_millisecond(now).unwrap_or_default();
    let stamp = now.strftime("%Y%m%dT%H%M%SZ");
    let mut file = File(String::new());
    for line in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Library//Due dates//EN", "METHOD:PUBLISH"] {
        file.line(line);
    }
    // RFC 7986 defines `NAME`; older calendar programs read `X-WR-CALNAME`.
    for property in ["NAME", "X-WR-CALNAME"] {
        file.line(&format!("{property}:{}", text(name)));
    }
    file.line("REFRESH-INTERVAL;VALUE=DURATION:PT6H");
    file.line("X-PUBLISHED-TTL:PT6H");
    if events.is_empty() {
        for line in NOTHING {
            file.line(line);
        }
    }
    for Event { uid, day, summary } in events {
        let until = day.saturating_add(1.day());
        for line in [
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{uid}"),
            format!("DTSTAMP:{stamp}"),
            format!("DTSTART;VALUE=DATE:{}", day.strftime("%Y%m%d")),
            format!("DTEND;VALUE=DATE:{}", until.strftime("%Y%m%d")),
            format!("SUMMARY:{}", text(summary)),
            "TRANSP:TRANSPARENT".to_owned(),
            "BEGIN:VALARM".to_owned(),
            "ACTION:DISPLAY".to_owned(),
            format!("DESCRIPTION:{}", text(summary)),
            "TRIGGER:-PT15H".to_owned(),
            "END:VALARM".to_owned(),
            "END:VEVENT".to_owned(),
        ] {
            file.line(&line);
        }
    }
    file.line("END:VCALENDAR");
    file.0
}

struct File(String);

impl File {
    /// Adds a line, folded between characters: each further line begins with a blank.
    fn line(&mut self, line: &str) {
        let mut length = 0;
        for character in line.chars() {
            if length + character.len_utf8() > LINE {
                self.0.push_str("\r\n ");
                length = 1;
            }
            self.0.push(character);
            length += character.len_utf8();
        }
        let _ = write!(self.0, "\r\n");
    }
}

/// Escapes a text value (RFC 5545, 3.3.11). Line breaks stay as `\n`; other control characters are left out.
fn text(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            character if character.is_control() => {}
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(name: &str, summary: &str) -> String {
        let event = Event {
            uid: "loan-7@library.test".into(),
            day: jiff::civil::date(2026, 12, 31),
            summary: summary.into(),
        };
        file(name, &[event], 1_795_688_430_000)
    }

    /// Joins the lines as a calendar program does.
    fn unfolded(file: &str) -> Vec<String> {
        file.replace("\r\n ", "").split_terminator("\r\n").map(ToOwned::to_owned).collect()
    }

    #[test]
    fn an_event_lasts_one_whole_day_and_reminds_on_the_day_before() {
        let lines = unfolded(&written("City Library", "Return “Godaan”"));
        for line in [
            "UID:loan-7@library.test",
            "DTSTAMP:20261126T102030Z",
            "DTSTART;VALUE=DATE:20261231",
            "DTEND;VALUE=DATE:20270101",
            "SUMMARY:Return “Godaan”",
            "TRIGGER:-PT15H",
        ] {
            assert!(lines.iter().any(|one| one == line), "{line} is not in {lines:?}");
        }
        assert_eq!(
            (lines[0].as_str(), lines[lines.len() - 1].as_str()),
            ("BEGIN:VCALENDAR", "END:VCALENDAR")
        );
    }

    #[test]
    fn a_text_cannot_leave_its_line() {
        let lines = unfolded(&written("A, B; C\\D", "One\r\nATTACH:file:///etc/passwd\u{0}"));
        assert!(lines.contains(&"NAME:A\\, B\\; C\\\\D".to_owned()));
        assert!(lines.contains(&"SUMMARY:One\\nATTACH:file:///etc/passwd".to_owned()));
    }

    proptest! {
        #[test]
        fn every_text_keeps_the_form_and_comes_back(name in any::<String>(), summary in "\\PC{0,400}|[क-ह ा-ी]{0,300}") {
            let file = written(&name, &summary);
            for line in file.split("\r\n") {
                prop_assert!(line.len() <= LINE && !line.contains(['\r', '\n']), "{line:?}");
            }
            let lines = unfolded(&file);
            prop_assert_eq!(lines.iter().filter(|line| *line == "BEGIN:VEVENT").count(), 1);
            let shown = lines.iter().find_map(|line| line.strip_prefix("SUMMARY:")).expect("a summary");
            let plain = shown.replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\");
            prop_assert_eq!(plain, summary);
        }
    }
}
