//! Reads MARCXML. Each record is cut out and parsed by itself, so that a damaged one does not hide the next.

use std::{io::BufRead, sync::LazyLock};

use anyhow::{Result, anyhow, bail, ensure};
use memchr::memmem;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{Field, LONGEST, Record, SUBFIELD};
use crate::import::workbook::entity;

/// Maximum bytes of a record in XML, which needs room for tags and escapes.
const LONGEST_XML: usize = 4 * LONGEST;

/// Reads all records of a document.
pub fn each_record(
    mut text: impl BufRead,
    each: &mut impl FnMut(Result<Record>) -> Result<()>,
) -> Result<()> {
    static TYPE: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"<!DOCTYPE"));
    // Bytes read but not yet parsed; limited to the length of one record.
    let mut waiting: Vec<u8> = Vec::new();
    let mut is_ended = false;
    let mut count = 0;
    loop {
        let (begin, end) = match place(&waiting) {
            Some((begin, Some(end))) => (begin, end),
            found => {
                let kept = found.map_or(waiting.len().saturating_sub(64), |(begin, _)| begin);
                ensure!(
                    TYPE.find(&waiting[..kept]).is_none(),
                    "it has a document type, which could hold anything; remove it"
                );
                if is_ended {
                    if found.is_some() {
                        each(Err(anyhow!("record {}: the record is cut off", count + 1)))?;
                    }
                    return Ok(());
                }
                waiting.drain(..kept);
                ensure!(
                    waiting.len() <= LONGEST_XML,
                    "record {}: the record is longer than {} KiB",
                    count + 1,
                    LONGEST / 1024
                );
                let read = text.fill_buf()?;
                is_ended = read.is_empty();
                let length = read.len();
                waiting.extend_from_slice(read);
                text.consume(length);
                continue;
            }
        };
        ensure!(
            TYPE.find(&waiting[..begin]).is_none(),
            "it has a document type, which could hold anything; remove it"
        );
        count += 1;
        each(parse(&waiting[begin..end]).map_err(|problem| anyhow!("record {count}: {problem}")))?;
        waiting.drain(..end);
    }
}

/// Finds the first record; returns the offset of its start, and of its end if the text contains it.
fn place(text: &[u8]) -> Option<(usize, Option<usize>)> {
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'<', &text[from..]) {
        let begin = from + found;
        if is_tag(&text[begin + 1..]) {
            let mut after = begin + 1;
            while let Some(found) = memmem::find(&text[after..], b"</") {
                let close = after + found;
                if is_tag(&text[close + 2..]) {
                    let end = memchr::memchr(b'>', &text[close..]).map(|end| close + end + 1);
                    return Some((begin, end));
                }
                after = close + 2;
            }
            return Some((begin, None));
        }
        from = begin + 1;
    }
    None
}

/// True if the name of a tag is `record`, with or without a prefix.
fn is_tag(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'>' | b'/' | b'\t' | b'\r' | b'\n'));
    let Some(end) = end.filter(|end| *end < 40) else { return false };
    let name = &text[..end];
    name == b"record" || name.ends_with(b":record")
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().with_checks(false).flatten().find(|found| found.key.as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

fn parse(bytes: &[u8]) -> Result<Record> {
    let text = std::str::from_utf8(bytes).map_err(|_| anyhow!("its text is not UTF-8"))?;
    let mut xml = Reader::from_str(text);
    let mut record = Record { leader: String::new(), fields: Vec::new() };
    // Text collected so far for the open element; `None` inside elements whose text is ignored.
    let mut open: Option<String> = None;
    loop {
        match xml
            .read_event()
            .map_err(|_| anyhow!("it is not well-formed XML near its character {}", xml.error_position()))?
        {
            Event::Eof => break,
            Event::DocType(_) => bail!("it has a document type"),
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "leader" => open = Some(String::new()),
                "controlfield" => {
                    record.fields.push(Field { tag: tag_of(&tag)?, data: String::new() });
                    open = Some(String::new());
                }
                "datafield" => {
                    let indicator = |name| {
                        attribute(&tag, name)
                            .filter(|value| value.chars().count() == 1)
                            .unwrap_or_else(|| " ".into())
                    };
                    let data = format!("{}{}", indicator("ind1"), indicator("ind2"));
                    record.fields.push(Field { tag: tag_of(&tag)?, data });
                }
                "subfield" => {
                    let code = attribute(&tag, "code").filter(|code| code.chars().count() == 1);
                    let code = code.ok_or_else(|| anyhow!("a subfield has no code"))?;
                    let field =
                        record.fields.last_mut().ok_or_else(|| anyhow!("a subfield is outside a field"))?;
                    field.data.push(SUBFIELD);
                    field.data.push_str(&code);
                    open = Some(String::new());
                }
                _ => {}
            },
            Event::Text(text) => {
                if let Some(open) = &mut open {
                    open.push_str(&text.xml10_content());
                }
            }
            Event::CData(text) => {
                if let Some(open) = &mut open {
                    open.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                let character = entity(&name).ok_or_else(|| {
                    anyhow!("it has the unknown entity \"&{};\"", super::super::table::short(&name))
                })?;
                if let Some(open) = &mut open {
                    open.push(character);
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                "leader" => record.leader = open.take().unwrap_or_default(),
                "controlfield" | "subfield" => {
                    // Separators of ISO 2709 in a text would split it when the record is written.
                    let text = open.take().unwrap_or_default().replace(['\u{1d}', '\u{1e}', '\u{1f}'], " ");
                    if let Some(field) = record.fields.last_mut() {
                        field.data.push_str(&text);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    ensure!(!record.fields.is_empty(), "it has no fields");
    ensure!(
        record.fields.iter().map(|field| field.data.len() + 13).sum::<usize>() <= LONGEST,
        "the record is longer than {} KiB",
        LONGEST / 1024
    );
    Ok(record)
}

fn tag_of(tag: &BytesStart<'_>) -> Result<String> {
    let name = attribute(tag, "tag").filter(|name| !name.is_empty() && name.len() <= 3 && name.is_ascii());
    let name = name.ok_or_else(|| anyhow!("a field has no tag of three characters"))?;
    Ok(if name.len() < 3 && name.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{name:0>3}")
    } else {
        name
    })
}
