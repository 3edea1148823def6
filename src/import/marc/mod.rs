//! MARC 21 records: read from ISO 2709 and MARCXML, turned into rows of a book list, kept whole, and written again.
//!
//! The encoding is detected from the bytes, because leaders are often wrong. A damaged record becomes a row with the
//! reason, and reading continues with the next record. The lengths that a record states never decide how much memory is
//! allocated.

mod marc8;
mod xml;

use std::{
    borrow::Cow,
    io::{BufRead, Write},
};

use anyhow::{Result, anyhow, bail, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use unicode_normalization::UnicodeNormalization as _;

use super::{
    amount::price,
    file::write_row,
    table::{PROBLEM, RECORD},
};
use crate::{
    domain::{
        book::{CALL_NUMBER, DESCRIPTION, EDITION, GENRE, LOCATION, PUBLISHER, TITLE},
        id::BookId,
        isbn::isbn_13,
    },
    storage::{
        self, Tx,
        imports::{self, Exported},
    },
};

/// Columns of the book list into which records are converted.
pub const COLUMNS: [&str; 15] = [
    "title",
    "author",
    "isbn",
    "publishedYear",
    "language",
    "genre",
    "location",
    "description",
    "barcode",
    "publisher",
    "edition",
    "callNumber",
    "price",
    RECORD,
    PROBLEM,
];

/// Maximum bytes of a record; ISO 2709 allows 99 999.
const LONGEST: usize = 640 * 1024;

const SUBFIELD: char = '\u{1f}';
const FIELD_END: u8 = 0x1e;
const RECORD_END: u8 = 0x1d;

/// Record with its fields in their original order, with unchanged text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub leader: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub tag: String,
    /// Indicators and subfields, or the text of a control field.
    pub data: String,
}

impl Field {
    /// Returns the subfields: code and text.
    fn subfields(&self) -> impl Iterator<Item = (char, &str)> {
        self.data.split(SUBFIELD).skip(1).filter_map(|part| {
            let code = part.chars().next()?;
            Some((code, &part[code.len_utf8()..]))
        })
    }

    fn first(&self, code: char) -> Option<&str> {
        self.subfields().find(|(found, text)| *found == code && !text.trim().is_empty()).map(|(_, text)| text)
    }
}

/// True if the text begins like a record of ISO 2709.
#[must_use]
pub fn is_iso_2709(head: &[u8]) -> bool {
    let is_number = |bytes: &[u8]| bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ');
    // The leader, and the first entry of the directory.
    head.len() > 36
        && head[..5].iter().all(u8::is_ascii_digit)
        && is_number(&head[12..17])
        && head[24..27].iter().all(u8::is_ascii_alphanumeric)
        && is_number(&head[27..36])
}

/// Writes records as a book list, one line for each.
pub fn convert(mut text: impl BufRead, out: &mut impl Write) -> Result<()> {
    write_row(out, &COLUMNS.map(ToOwned::to_owned))?;
    let mut count = 0_u64;
    let mut each = |record: Result<Record>| -> Result<()> {
        count += 1;
        write_row(out, &record.and_then(|record| row(&record)).unwrap_or_else(|problem| refused(&problem)))
    };
    if text.fill_buf()?.trim_ascii_start().starts_with(b"<") {
        xml::each_record(text, &mut each)?;
    } else {
        each_record(text, &mut each)?;
    }
    ensure!(count > 0, "there is no MARC record in it");
    Ok(out.flush()?)
}

fn refused(problem: &anyhow::Error) -> Vec<String> {
    let mut cells = vec![String::new(); COLUMNS.len()];
    cells[COLUMNS.len() - 1] = problem.to_string();
    cells
}

/// Reads up to and including the byte `end`, and keeps at most `longest` bytes in `kept`; `false` at the end of the
/// text.
fn read_until(
    text: &mut impl BufRead,
    end: u8,
    longest: usize,
    kept: &mut Vec<u8>,
    length: &mut u64,
) -> Result<bool> {
    kept.clear();
    *length = 0;
    loop {
        let read = text.fill_buf()?;
        if read.is_empty() {
            return Ok(*length > 0);
        }
        let found = memchr::memchr(end, read);
        let used = found.map_or(read.len(), |place| place + 1);
        let room = longest.saturating_sub(kept.len());
        kept.extend_from_slice(&read[..used.min(room)]);
        *length += used as u64;
        text.consume(used);
        if found.is_some() {
            return Ok(true);
        }
    }
}

fn each_record(mut text: impl BufRead, each: &mut impl FnMut(Result<Record>) -> Result<()>) -> Result<()> {
    let (mut bytes, mut length, mut offset) = (Vec::new(), 0, 0_u64);
    while read_until(&mut text, RECORD_END, LONGEST, &mut bytes, &mut length)? {
        let begun = offset;
        offset += length;
        let trimmed = bytes.trim_ascii();
        let record = match trimmed.iter().position(|byte| *byte != 0) {
            // Only blanks or NULs, as between records and at the end.
            None => continue,
            Some(place) => &trimmed[place..],
        };
        if record == [RECORD_END] || record == [0x1a] {
            continue;
        }
        let parsed = if length > LONGEST as u64 {
            Err(anyhow!("the record is longer than {} KiB", LONGEST / 1024))
        } else if record.last() != Some(&RECORD_END) {
            Err(anyhow!("the record is cut off"))
        } else {
            parse(&record[..record.len() - 1])
        };
        each(parsed.map_err(|problem| anyhow!("record at byte {begun}: {problem}")))?;
    }
    Ok(())
}

/// Parses a record without its terminator.
fn parse(bytes: &[u8]) -> Result<Record> {
    ensure!(bytes.len() > 24, "it is too short for a record");
    let (leader, rest) = bytes.split_at(24);
    let end = memchr::memchr(FIELD_END, rest).ok_or_else(|| anyhow!("its directory does not end"))?;
    let (directory, data) = (&rest[..end], &rest[end + 1..]);
    let entries: Vec<&[u8]> = directory.chunks(12).filter(|entry| entry.len() >= 3).collect();
    ensure!(!entries.is_empty(), "it has no fields");
    let fields = by_directory(&entries, data).or_else(|| in_order(&entries, data));
    let fields = fields.ok_or_else(|| anyhow!("its directory does not fit its fields"))?;
    let is_utf_8 = is_utf_8(leader, &fields);
    let fields = fields
        .into_iter()
        .map(|(tag, data)| Field {
            tag: String::from_utf8_lossy(tag).into_owned(),
            data: if is_utf_8 { String::from_utf8_lossy(data).into_owned() } else { marc8::decode(data) },
        })
        .collect();
    let mut leader = String::from_utf8_lossy(leader).into_owned();
    if leader.is_char_boundary(9) && leader.is_char_boundary(10) {
        // The data is decoded, so the leader must say UTF-8.
        leader.replace_range(9..10, "a");
    }
    Ok(Record { leader, fields })
}

type Raw<'d> = (&'d [u8], &'d [u8]);

/// Splits the data by the lengths and offsets in the directory; `None` if they do not match the field terminators.
fn by_directory<'d>(entries: &[&'d [u8]], data: &'d [u8]) -> Option<Vec<Raw<'d>>> {
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<usize>().ok();
    let mut fields = Vec::with_capacity(entries.len());
    for entry in entries {
        let (length, start) = (number(entry.get(3..7)?)?, number(entry.get(7..12)?)?);
        let field = data.get(start..start.checked_add(length)?)?;
        let (last, field) = field.split_last()?;
        if *last != FIELD_END
            || field.contains(&FIELD_END)
            || (start > 0 && data.get(start - 1) != Some(&FIELD_END))
        {
            return None;
        }
        fields.push((&entry[..3], field));
    }
    Some(fields)
}

/// Splits the data at the field terminators; `None` if the number of fields differs from the directory's.
fn in_order<'d>(entries: &[&'d [u8]], data: &'d [u8]) -> Option<Vec<Raw<'d>>> {
    let data = data.strip_suffix(&[FIELD_END]).unwrap_or(data);
    let fields: Vec<&[u8]> = data.split(|byte| *byte == FIELD_END).collect();
    (fields.len() == entries.len()).then(|| entries.iter().map(|entry| &entry[..3]).zip(fields).collect())
}

/// True if the data is UTF-8, perhaps damaged: more valid non-ASCII characters than invalid sequences. The leader
/// counts for pure ASCII only.
fn is_utf_8(leader: &[u8], fields: &[Raw<'_>]) -> bool {
    let (mut characters, mut wrong) = (0, 0);
    for (_, data) in fields {
        for chunk in data.utf8_chunks() {
            characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            wrong += usize::from(!chunk.invalid().is_empty());
        }
    }
    match (characters, wrong) {
        // Pure ASCII: escape sequences mean MARC-8, unless the leader says UTF-8.
        (0, 0) => leader.get(9) == Some(&b'a') || !fields.iter().any(|(_, data)| data.contains(&0x1b)),
        (_, 0) => true,
        (characters, wrong) => characters > wrong,
    }
}

impl Record {
    fn all<'r>(&'r self, tag: &'r str) -> impl Iterator<Item = &'r Field> {
        self.fields.iter().filter(move |field| field.tag == tag)
    }

    fn field(&self, tag: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.tag == tag)
    }

    /// Writes the record as ISO 2709 in UTF-8. Lengths too large for the format are written as nines; readers then find
    /// the ends of fields by the terminators.
    #[must_use]
    pub fn to_iso_2709(&self) -> String {
        let (mut directory, mut data) = (String::new(), String::new());
        for field in &self.fields {
            let (start, length) = (data.len(), field.data.len() + 1);
            let tag: String = field.tag.chars().chain("   ".chars()).take(3).collect();
            directory.push_str(&tag);
            directory.push_str(&pad(length.min(9999), 4));
            directory.push_str(&pad(start.min(99_999), 5));
            data.push_str(&field.data);
            data.push(char::from(FIELD_END));
        }
        let base = 24 + directory.len() + 1;
        let length = base + data.len() + 1;
        let old: Vec<char> = self.leader.chars().chain(std::iter::repeat(' ')).take(24).collect();
        let part = |from: usize, to: usize| old[from..to].iter().collect::<String>();
        format!(
            "{:05}{}a22{:05}{}4500{directory}{}{data}{}",
            length.min(99_999),
            part(5, 9),
            base.min(99_999),
            part(17, 20),
            char::from(FIELD_END),
            char::from(RECORD_END)
        )
    }

    /// Returns the agency and the control number, which identify the record (fields 003 and 001).
    #[must_use]
    pub fn identity(&self) -> Option<String> {
        let number = self.field("001").filter(|field| !field.data.trim().is_empty())?;
        let agency = self.field("003").map(|field| field.data.trim()).unwrap_or_default();
        Some(format!("{agency} {}", number.data.trim()))
    }

    /// Reads a record that [`Self::to_iso_2709`] wrote.
    pub fn from_iso_2709(text: &str) -> Result<Self> {
        parse(text.trim_end_matches(char::from(RECORD_END)).as_bytes())
    }

    /// Makes a record for a title that was not imported from a MARC record.
    #[must_use]
    pub fn of_title(title: &Exported, barcodes: &[String]) -> Self {
        let mut fields = vec![Field { tag: "001".into(), data: format!("library-{}", title.id) }];
        let mut add = |tag: &str, indicators: &str, parts: &[(char, &str)]| {
            let parts = parts.iter().filter(|(_, text)| !text.is_empty());
            let mut text_of_all = String::new();
            for (code, text) in parts {
                text_of_all.extend([SUBFIELD, *code]);
                text_of_all.push_str(text);
            }
            let text = text_of_all;
            if !text.is_empty() {
                fields.push(Field { tag: tag.to_owned(), data: format!("{indicators}{text}") });
            }
        };
        let year = title.published_year.map(|year| year.to_string()).unwrap_or_default();
        add("020", "  ", &[('a', title.isbn.as_deref().unwrap_or_default())]);
        add("041", "  ", &[('a', title.language.as_deref().unwrap_or_default())]);
        add("100", "0 ", &[('a', &title.author)]);
        add("245", if title.author.is_empty() { "00" } else { "10" }, &[('a', &title.title)]);
        add("250", "  ", &[('a', &title.edition)]);
        add("264", " 1", &[('b', &title.publisher), ('c', &year)]);
        add("650", " 4", &[('a', &title.genre)]);
        add("852", "  ", &[('h', &title.call_number)]);
        for barcode in barcodes {
            add("952", "  ", &[('o', &title.location), ('p', barcode)]);
        }
        Self { leader: "00000nam a2200000 i 4500".into(), fields }
    }
}

/// Writes a number with leading zeros.
fn pad(number: usize, digits: usize) -> String {
    format!("{number:0digits$}")
}

/// Joins texts of a field and normalises the punctuation that cataloguing rules put between and after them.
fn words<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let joined = texts.map(str::trim).collect::<Vec<_>>().join(" ");
    let text: String = plain(&joined).nfc().filter(|c| !c.is_control()).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(" : ", ": ").replace(" ; ", "; ").replace(" , ", ", ");
    let text = text.trim_end_matches([' ', '/', ':', ';', ',', '=']);
    // Strips the full stop at the end of a field, but not that of an abbreviation or an initial.
    let last = text.strip_suffix('.').filter(|rest| {
        rest.rsplit([' ', '-', '.']).next().is_some_and(|word| word.chars().count() > 3)
            && !rest.ends_with('.')
    });
    last.unwrap_or(text).to_owned()
}

/// Strips the escape sequences of MARC-8 (superscript, subscript, Greek) that some programs leave in UTF-8 records.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.strip_prefix(['p', 'b', 'g', 's']).unwrap_or(part));
    }
    Cow::Owned(plain)
}

fn title_of(field: &Field) -> String {
    words(
        field
            .subfields()
            .filter(|(code, _)| matches!(code, 'a' | 'b' | 'n' | 'p' | 'k'))
            .map(|(_, text)| text),
    )
}

/// Returns a name with the family name last, as books print it.
fn name(field: &Field) -> String {
    let name = words(
        field.subfields().filter(|(code, _)| matches!(code, 'a' | 'b' | 'q')).take(1).map(|(_, text)| text),
    );
    match name.split_once(", ") {
        Some((family, first)) if field.data.starts_with('1') && !first.contains(',') => {
            format!("{first} {family}")
        }
        _ => name,
    }
}

fn author(record: &Record) -> String {
    let main = ["100", "110", "111"].iter().find_map(|tag| record.field(tag)).map(name);
    main.filter(|name| !name.is_empty()).unwrap_or_else(|| {
        let people: Vec<String> =
            record.all("700").take(3).map(name).filter(|name| !name.is_empty()).collect();
        if people.is_empty() { record.field("710").map(name).unwrap_or_default() } else { people.join("; ") }
    })
}

/// Returns the first four-digit number that can be a year of the common calendar.
pub(crate) fn year(text: &str) -> Option<&str> {
    let is_year = |digits: &&str| digits.len() == 4 && digits.parse().is_ok_and(|year: u32| year <= 2200);
    text.split(|c: char| !c.is_ascii_digit()).find(is_year)
}

/// ISO 639 codes of two letters for the codes of MARC.
const LANGUAGES: &[(&str, &str)] = &[
    ("ara", "ar"),
    ("asm", "as"),
    ("ben", "bn"),
    ("chi", "zh"),
    ("cze", "cs"),
    ("dan", "da"),
    ("dut", "nl"),
    ("eng", "en"),
    ("fin", "fi"),
    ("fre", "fr"),
    ("ger", "de"),
    ("gre", "el"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hun", "hu"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("kas", "ks"),
    ("kor", "ko"),
    ("lat", "la"),
    ("mal", "ml"),
    ("mar", "mr"),
    ("nep", "ne"),
    ("nor", "no"),
    ("ori", "or"),
    ("pan", "pa"),
    ("per", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("rus", "ru"),
    ("san", "sa"),
    ("sin", "si"),
    ("snd", "sd"),
    ("spa", "es"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tel", "te"),
    ("tha", "th"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("vie", "vi"),
];

fn language(record: &Record) -> String {
    let fixed = record.field("008").and_then(|field| field.data.get(35..38)).map(str::to_lowercase);
    let code = fixed.filter(|code| code.bytes().all(|byte| byte.is_ascii_lowercase()));
    let code = code.or_else(|| record.field("041").and_then(|field| field.first('a')).map(str::to_lowercase));
    let code = code.filter(|code| !matches!(code.as_str(), "und" | "zxx" | "mul")).unwrap_or_default();
    LANGUAGES.iter().find(|(marc, _)| *marc == code).map_or(code, |(_, iso)| (*iso).to_owned())
}

fn limited(text: String, max: usize) -> String {
    if text.chars().count() <= max { text } else { text.chars().take(max - 1).chain(['…']).collect() }
}

/// Returns the ISBNs of a record.
fn isbns(record: &Record) -> impl Iterator<Item = String> {
    let numbers = record
        .all("020")
        .flat_map(|field| field.subfields().filter(|(code, _)| *code == 'a').map(|(_, text)| text));
    numbers.filter_map(|text| {
        let is_number = |c: &char| c.is_ascii_digit() || matches!(c, '-' | 'X' | 'x');
        isbn_13(&text.trim().chars().take_while(is_number).collect::<String>())
    })
}

/// Returns the first record of a `MARCXML` document with this ISBN-13.
pub fn with_isbn(xml: &[u8], isbn: &str) -> Result<Option<Record>> {
    let mut found = None;
    xml::each_record(xml, &mut |record| {
        found = found.take().or_else(|| record.ok().filter(|record| isbns(record).any(|own| own == isbn)));
        Ok(())
    })?;
    Ok(found)
}

/// Turns a record into a row of [`COLUMNS`].
fn row(record: &Record) -> Result<Vec<String>> {
    let Some(main) = record.field("245") else {
        if record.field("200").is_some() {
            bail!("it is UNIMARC, whose fields have other numbers; export it as MARC 21");
        }
        bail!("it has no title (field 245)");
    };
    let latin = title_of(main);
    let own = record.all("880").find(|field| field.first('6').is_some_and(|link| link.starts_with("245")));
    let own = own.map(title_of).filter(|own| !own.is_empty() && *own != latin);
    // The title in its own script, followed by its romanisation, so that a search finds both.
    let title = match own {
        Some(own) if !own.contains(char::REPLACEMENT_CHARACTER) && !latin.is_empty() => {
            let both = format!("{own} = {latin}");
            if both.chars().count() > TITLE.max { own } else { both }
        }
        Some(own) if latin.is_empty() => own,
        _ => latin,
    };
    ensure!(!title.is_empty(), "its title (field 245) is empty");
    ensure!(!title.contains(char::REPLACEMENT_CHARACTER), "the letters of its title (field 245) are damaged");
    let isbn = isbns(record).next();
    let date =
        ["264", "260"].iter().flat_map(|tag| record.all(tag)).find_map(|field| year(field.first('c')?));
    let date = date.or_else(|| year(record.field("008")?.data.get(7..11)?));
    let genre = record.field("655").or(record.field("650")).and_then(|field| field.first('a'));
    let place = record.field("952").and_then(|field| field.first('o')).map(|text| words([text].into_iter()));
    let place = place.or_else(|| {
        let field = record.field("852")?;
        let parts: Vec<&str> = field
            .subfields()
            .filter(|(code, _)| matches!(code, 'k' | 'h' | 'i'))
            .map(|(_, text)| text)
            .collect();
        (!parts.is_empty()).then(|| words(parts.into_iter()))
    });
    let place =
        place.or_else(|| Some(words([record.field("082")?.first('a')?].into_iter()).replace('/', "")));
    let publisher = ["264", "260"].iter().flat_map(|tag| record.all(tag)).find_map(|field| field.first('b'));
    let edition = record.field("250").and_then(|field| field.first('a'));
    let number = [("852", 'h'), ("952", 'o'), ("082", 'a')];
    let number = number.iter().find_map(|(tag, code)| record.field(tag)?.first(*code));
    // A note in place of a price must not reject the record.
    let price = record.all("952").find_map(|field| field.first('g')).filter(|cost| price(cost).is_some());
    let summary = record.field("520").or(record.field("505")).and_then(|field| field.first('a'));
    let barcodes: Vec<&str> = ["952", "876", "852"]
        .iter()
        .map(|tag| record.all(tag).filter_map(|field| field.first('p')).map(str::trim).collect::<Vec<_>>())
        .find(|barcodes| !barcodes.is_empty())
        .unwrap_or_default();
    let text = |text: Option<&str>, max| limited(words(text.into_iter()), max);
    let stored = record.to_iso_2709();
    Ok(vec![
        limited(title, TITLE.max),
        limited(author(record), 1000),
        isbn.unwrap_or_default(),
        date.unwrap_or_default().to_owned(),
        language(record),
        text(genre, GENRE.max),
        limited(place.unwrap_or_default(), LOCATION.max),
        text(summary, DESCRIPTION.max),
        barcodes.join("|"),
        text(publisher, PUBLISHER.max),
        text(edition, EDITION.max),
        text(number, CALL_NUMBER.max),
        price.unwrap_or_default().trim().to_owned(),
        STANDARD.encode(stored.replace('\0', " ")),
        String::new(),
    ])
}

/// Returns the records of up to `limit` titles after `after` as ISO 2709, and the id of the last title.
pub fn portion(tx: &mut Tx<'_>, after: BookId, limit: i64) -> storage::Result<(String, Option<BookId>)> {
    let titles = imports::exported(tx, after, limit)?;
    let last = titles.last().map(|title| title.id);
    let mut records = String::new();
    for title in titles {
        match &title.record {
            Some(record) => records.push_str(record),
            None => {
                let barcodes = imports::barcodes(tx, title.id)?;
                records.push_str(&Record::of_title(&title, &barcodes).to_iso_2709());
            }
        }
    }
    Ok((records, last))
}

/// Decodes the cell of a row that contains its MARC record; `None` if it cannot be decoded.
#[must_use]
pub fn record_of(cell: &str) -> Option<String> {
    STANDARD.decode(cell).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests;
