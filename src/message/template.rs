//! Templates: parser and renderer of the part of ICU `MessageFormat` that the tables use.
//!
//! That part is `{name}`, `{n, number}`, `{amount, number, money}`, `{day, date, medium}`, `{day, date, full}` and
//! `{n, plural, =0 {…} one {# day} other {# days}}`, nested as needed.

use std::fmt::Write as _;

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::money::Money;

/// Part of a template.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'t> {
    Text(&'t str),
    /// `#`: the number of the enclosing plural.
    Count,
    Param(&'t str, Format<'t>),
}

#[derive(Debug, PartialEq)]
pub(super) enum Format<'t> {
    Plain,
    Number,
    Money,
    /// `28 Nov 2026`
    Medium,
    /// `Sunday 22 Nov`
    Full,
    Plural(Vec<(&'t str, Vec<Part<'t>>)>),
}

/// Splits `{…}…` into the content of the first pair of braces and the rest.
fn braced(text: &str) -> Result<(&str, &str), String> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Ok((&text[1..at], &text[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    Err(format!("a brace is left open: {text}"))
}

pub(super) fn parse(mut text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    while let Some(at) = text.find(['{', '}', '#']) {
        if at > 0 {
            parts.push(Part::Text(&text[..at]));
        }
        text = &text[at..];
        match text.as_bytes()[0] {
            b'#' => {
                parts.push(Part::Count);
                text = &text[1..];
            }
            b'{' => {
                let (inside, rest) = braced(text)?;
                parts.push(param(inside)?);
                text = rest;
            }
            _ => return Err(format!("a brace too many: {text}")),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

fn param(inside: &str) -> Result<Part<'_>, String> {
    let mut words = inside.splitn(3, ',').map(str::trim);
    let name = words.next().unwrap_or_default();
    let format = match (words.next(), words.next()) {
        (None, _) => Format::Plain,
        (Some("number"), None) => Format::Number,
        (Some("number"), Some("money")) => Format::Money,
        (Some("date"), Some("medium")) => Format::Medium,
        (Some("date"), Some("full")) => Format::Full,
        (Some("plural"), Some(mut rest)) => {
            let mut choices = Vec::new();
            while !rest.is_empty() {
                let at = rest.find('{').ok_or_else(|| format!("no words for {rest}"))?;
                let (words, after) = braced(&rest[at..])?;
                choices.push((rest[..at].trim(), parse(words)?));
                rest = after.trim_start();
            }
            if choices.last().is_none_or(|(name, _)| *name != "other") {
                return Err(format!("a plural ends with other: {inside}"));
            }
            Format::Plural(choices)
        }
        _ => return Err(format!("not in the subset: {inside}")),
    };
    Ok(Part::Param(name, format))
}

/// Names of the months in Hindi, as the screens shorten them (Unicode CLDR 48).
const HINDI_MONTHS: [&str; 12] =
    ["जन॰", "फ़र॰", "मार्च", "अप्रैल", "मई", "जून", "जुल॰", "अग॰", "सित॰", "अक्टू॰", "नव॰", "दिस॰"];

/// Names of the days of the week in Hindi, from Monday on.
const HINDI_WEEKDAYS: [&str; 7] = ["सोमवार", "मंगलवार", "बुधवार", "गुरुवार", "शुक्रवार", "शनिवार", "रविवार"];

/// The library's currency sign and the language of names and nested messages.
#[derive(Clone, Copy)]
pub(super) struct Style<'s> {
    pub(super) sign: &'s str,
    pub(super) is_hindi: bool,
}

/// Returns the weekday, and the day with its month.
fn named(day: Date, is_hindi: bool) -> (String, String) {
    if is_hindi {
        let weekday = usize::from(day.weekday().to_monday_zero_offset().unsigned_abs());
        let month = usize::from(day.month().unsigned_abs()) - 1;
        (HINDI_WEEKDAYS[weekday].to_owned(), format!("{} {}", day.day(), HINDI_MONTHS[month]))
    } else {
        (day.strftime("%A").to_string(), day.strftime("%-d %b").to_string())
    }
}

pub(super) fn render(
    parts: &[Part<'_>],
    params: &Map<String, Value>,
    style: Style<'_>,
    count: Option<i64>,
    out: &mut String,
) {
    let Style { sign, is_hindi } = style;
    for part in parts {
        let (name, format) = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Count => {
                out.push_str(&grouped(count.unwrap_or_default(), sign));
                continue;
            }
            Part::Param(name, format) => (name, format),
        };
        let value = params.get(*name).unwrap_or(&Value::Null);
        let number = value.as_i64().unwrap_or_default();
        let day = || value.as_str().and_then(|day| day.parse::<Date>().ok()).unwrap_or_default();
        match format {
            Format::Plain => match value {
                Value::String(text) => out.push_str(text),
                // Nested message.
                Value::Object(message) => {
                    let translated = || {
                        let code = message.get("code")?.as_str()?;
                        super::in_hindi(code, message.get("params")?.as_object()?, sign)
                    };
                    match is_hindi.then(translated).flatten() {
                        Some(text) => out.push_str(&text),
                        None => out.push_str(message.get("text").and_then(Value::as_str).unwrap_or_default()),
                    }
                }
                other => out.push_str(&other.to_string()),
            },
            Format::Number => out.push_str(&grouped(number, sign)),
            Format::Money => {
                let amount = value.as_f64().and_then(Money::from_number).unwrap_or_default();
                let (units, rest) = amount.parts();
                out.push_str(if amount < Money::ZERO { "-" } else { "" });
                out.push_str(sign);
                out.push_str(&grouped(i64::try_from(units).unwrap_or(i64::MAX), sign));
                if rest > 0 {
                    let _ = write!(out, ".{rest:02}");
                }
            }
            Format::Medium => {
                let _ = write!(out, "{} {}", named(day(), is_hindi).1, day().year());
            }
            Format::Full => {
                let (weekday, day) = named(day(), is_hindi);
                let _ = write!(out, "{weekday} {day}");
            }
            Format::Plural(choices) => {
                let exact = format!("={number}");
                let chosen = choices
                    .iter()
                    .find(|(name, _)| *name == exact)
                    .or_else(|| choices.iter().find(|(name, _)| *name == "one" && number == 1))
                    .or_else(|| choices.last());
                if let Some((_, words)) = chosen {
                    render(words, params, style, Some(number), out);
                }
            }
        }
    }
}

/// Groups the digits of a whole number: 12,34,567 with rupees, 1,234,567 otherwise.
fn grouped(number: i64, sign: &str) -> String {
    let digits = number.unsigned_abs().to_string();
    let wide = if sign == "₹" { 2 } else { 3 };
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && (left == 3 || (left > 3 && (left - 3).is_multiple_of(wide))) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::message::{amount_out_of_range, templates};

    fn names<'t>(parts: &[Part<'t>], inside_plural: bool, found: &mut BTreeSet<&'t str>) {
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Count => assert!(inside_plural, "# is allowed inside a plural only"),
                Part::Param(name, format) => {
                    found.insert(name);
                    if let Format::Plural(choices) = format {
                        for (choice, words) in choices {
                            let exact = choice.strip_prefix('=').is_some_and(|n| n.parse::<i64>().is_ok());
                            assert!(matches!(*choice, "one" | "other") || exact, "{choice}");
                            names(words, true, found);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_template_parses_and_names_exactly_the_parameters_of_its_constructor() {
        let mut codes = BTreeSet::new();
        for template in templates() {
            assert!(codes.insert(template.code), "{} stands there twice", template.code);
            let parts = parse(template.text).unwrap_or_else(|error| panic!("{}: {error}", template.code));
            let mut found = BTreeSet::new();
            names(&parts, false, &mut found);
            let declared: BTreeSet<&str> = template.params.iter().copied().collect();
            assert_eq!(found, declared, "{}", template.code);
            // MessageFormat reads an apostrophe before a brace as a quote.
            assert!(!template.text.contains("'{") && !template.text.contains("'}"), "{}", template.code);
        }
    }

    #[test]
    fn a_template_that_the_renderer_does_not_understand_is_noticed() {
        for bad in [
            "{",
            "}",
            "{a",
            "{n, plural, one {# day}}",
            "{n, select, other {}}",
            "{d, date, short}",
            "{n, plural, other}",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn long_numbers_are_grouped_as_the_currency_is_counted() {
        for (number, rupees, dollars) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1,000"),
            (123_456, "1,23,456", "123,456"),
            (12_345_678, "1,23,45,678", "12,345,678"),
            (-50_000, "-50,000", "-50,000"),
        ] {
            assert_eq!((grouped(number, "₹"), grouped(number, "$")), (rupees.to_owned(), dollars.to_owned()));
        }
        let amount = amount_out_of_range("X", Money(-205), Money(123_456_789));
        assert_eq!(amount.text(), "X must be an amount from -₹2.05 to ₹12,34,567.89.");
    }
}
