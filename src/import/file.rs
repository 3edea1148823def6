//! Recognises a file by its first bytes and turns it into CSV text in UTF-8: CSV in other encodings and with other separators,
//! spreadsheets (XLSX, ODS), and MARC records. Any of them may be gzipped.

use std::{
    fs::File,
    io::{BufRead, BufReader, BufWriter, Cursor, Read, Seek, SeekFrom, Write},
    sync::Arc,
};

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::read::MultiGzDecoder;
use indicatif::ProgressBar;
use tempfile::{NamedTempFile, TempPath};

use super::{
    columns::is_heading,
    marc,
    table::{self, NotUtf8, Source},
    workbook,
};
use crate::picture;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Csv,
    Workbook,
    Marc,
}

/// File of a known kind, with its contents as CSV text.
#[derive(Clone)]
pub struct Recognised {
    pub kind: Kind,
    pub separator: u8,
    /// Encoding of the original text, if it is not UTF-8.
    pub encoding: Option<&'static str>,
    text: Text,
}

#[derive(Clone)]
enum Text {
    /// CSV in UTF-8, plain or gzipped: read from the source.
    Original(Source),
    Converted(Bytes),
    Stored(Arc<TempPath>),
}

impl Recognised {
    fn new(kind: Kind, text: Text) -> Self {
        Self { kind, separator: b',', encoding: None, text }
    }

    /// Opens the text without a byte order mark; `bar` shows the progress of reading.
    pub fn text(&self, bar: &ProgressBar) -> Result<Box<dyn BufRead>> {
        match &self.text {
            Text::Original(source) => open(source, bar),
            Text::Converted(text) => unpacked(Cursor::new(text.clone()), bar),
            Text::Stored(path) => {
                unpacked(BufReader::new(File::open(path.as_ref()).context("cannot be read")?), bar)
            }
        }
    }
}

/// Maximum bytes of converted text in memory.
const IN_MEMORY: usize = 16 * 1024 * 1024;

/// Text under construction, of limited length: in memory, and in a temporary file once it is long.
pub struct Sink {
    out: Out,
    written: u64,
    longest: u64,
}

enum Out {
    Memory(Vec<u8>),
    File(BufWriter<NamedTempFile>),
}

impl Sink {
    fn new(longest: u64) -> Self {
        Self { out: Out::Memory(Vec::new()), written: 0, longest }
    }

    fn finish(self) -> Result<Text> {
        Ok(match self.out {
            Out::Memory(text) => Text::Converted(text.into()),
            Out::File(file) => Text::Stored(Arc::new(file.into_inner()?.into_temp_path())),
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written += bytes.len() as u64;
        if self.written > self.longest {
            return Err(std::io::Error::other(too_long(self.longest)));
        }
        if let Out::Memory(text) = &mut self.out
            && text.len() + bytes.len() > IN_MEMORY
        {
            let mut file = BufWriter::new(NamedTempFile::new()?);
            file.write_all(text)?;
            self.out = Out::File(file);
        }
        match &mut self.out {
            Out::Memory(text) => text.write_all(bytes)?,
            Out::File(file) => file.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.out {
            Out::Memory(_) => Ok(()),
            Out::File(file) => file.flush(),
        }
    }
}

/// Returns the error message for a file that is too long.
#[must_use]
pub fn too_long(longest: u64) -> String {
    format!("it has more than {} MiB of text; import it in parts", longest / 1024 / 1024)
}

/// Writes a row of cells as exactly one line of CSV, so that line numbers are row numbers.
pub fn write_row(out: &mut impl Write, cells: &[String]) -> Result<()> {
    if cells.iter().all(|cell| cell.trim().is_empty()) {
        return Ok(out.write_all(b"\n")?);
    }
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(&mut *out);
    writer.write_record(cells.iter().map(|cell| cell.replace(['\n', '\r', '\0'], " ")))?;
    Ok(writer.flush()?)
}

/// Recognises a file and checks its text, of at most `longest` bytes.
pub fn recognise(source: &Source, longest: u64) -> Result<Recognised> {
    let mut text = open(source, &ProgressBar::hidden())?;
    let head = text.fill_buf().context("cannot be read")?;
    let begin = head.trim_ascii_start();
    if head.starts_with(b"PK\x03\x04") {
        let mut sink = Sink::new(longest);
        workbook::convert(read_to_memory(text, longest)?, &mut sink)?;
        return sound(Recognised::new(Kind::Workbook, sink.finish()?), longest);
    }
    ensure!(
        !head.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]),
        "it is an Excel file of the old kind (.xls); save it as .xlsx or as CSV"
    );
    ensure!(!head.starts_with(b"%PDF"), "it is a PDF; a list must be a spreadsheet or CSV");
    ensure!(picture::check_beginning(head).is_err(), "it is a picture; a list must be a spreadsheet or CSV");
    if marc::is_iso_2709(begin) || begin.starts_with(b"<") {
        let mut sink = Sink::new(longest);
        marc::convert(text, &mut sink)?;
        return sound(Recognised::new(Kind::Marc, sink.finish()?), longest);
    }
    if let Some(encoding) = utf_16(head) {
        return decoded(encoding, "UTF-16", text, longest);
    }
    let separator = separator(head);
    let file = Recognised { separator, ..Recognised::new(Kind::Csv, Text::Original(source.clone())) };
    match sound(file, longest) {
        Err(error) if error.is::<NotUtf8>() => {
            if is_mostly_utf_8(open(source, &ProgressBar::hidden())?)? {
                return Err(error);
            }
            decoded(WINDOWS_1252, "Windows-1252", open(source, &ProgressBar::hidden())?, longest)
        }
        checked => checked,
    }
}

fn sound(file: Recognised, longest: u64) -> Result<Recognised> {
    table::check_soundness(file.text(&ProgressBar::hidden())?, longest, file.separator)?;
    Ok(file)
}

/// Reads a whole file into memory.
pub fn read_to_memory(text: impl Read, longest: u64) -> Result<Bytes> {
    let mut bytes = Vec::new();
    // The file may be compressed, so a limit below that of its text is enough: at most 256 MiB.
    let limit = longest.min(1 << 28);
    text.take(limit + 1).read_to_end(&mut bytes).context("cannot be read; is the file complete?")?;
    ensure!(bytes.len() as u64 <= limit, too_long(limit));
    Ok(bytes.into())
}

/// Returns the encoding of text with a byte order mark of UTF-16, or with a NUL in every second byte.
fn utf_16(head: &[u8]) -> Option<&'static Encoding> {
    let nul_at = |place: usize| {
        let pairs = head.chunks_exact(2).take(20);
        pairs.len() > 3 && pairs.clone().all(|pair| pair[place] == 0 && pair[1 - place] != 0)
    };
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if nul_at(1) => Some(UTF_16LE),
        _ if nul_at(0) => Some(UTF_16BE),
        _ => None,
    }
}

/// Decodes text into UTF-8.
fn decoded(
    encoding: &'static Encoding,
    name: &'static str,
    mut text: impl BufRead,
    longest: u64,
) -> Result<Recognised> {
    let mut sink = Sink::new(longest);
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut out = String::with_capacity(256 * 1024);
    let mut first = Vec::new();
    loop {
        let read = text.fill_buf().context("cannot be read; is the file complete?")?;
        let (is_last, length) = (read.is_empty(), read.len());
        let mut rest = read;
        loop {
            let (result, used, _) = decoder.decode_to_string(rest, &mut out, is_last);
            rest = &rest[used..];
            if first.len() < 64 * 1024 {
                first.extend_from_slice(out.as_bytes());
            }
            sink.write_all(out.as_bytes()).map_err(plain_error)?;
            out.clear();
            if result == encoding_rs::CoderResult::InputEmpty {
                break;
            }
        }
        text.consume(length);
        if is_last {
            break;
        }
    }
    let separator = separator(&first);
    let file = Recognised { separator, encoding: Some(name), ..Recognised::new(Kind::Csv, sink.finish()?) };
    sound(file, longest)
}

/// Converts an error of a [`Sink`] into its plain message.
fn plain_error(error: std::io::Error) -> anyhow::Error {
    if error.kind() == std::io::ErrorKind::Other { anyhow::anyhow!(error.to_string()) } else { error.into() }
}

/// True if a text contains more non-ASCII characters in valid UTF-8 than invalid sequences: then it is damaged UTF-8,
/// not text in another encoding.
fn is_mostly_utf_8(mut text: impl BufRead) -> Result<bool> {
    let (mut characters, mut wrong) = (0_u64, 0_u64);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut text).take(table::MAX_ROW as u64).read_until(b'\n', &mut line)? == 0 {
            return Ok(characters > wrong);
        }
        for chunk in line.utf8_chunks() {
            characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count() as u64;
            wrong += u64::from(!chunk.invalid().is_empty());
        }
    }
}

/// Returns the separator that occurs most often outside quotes in the first line that has one, if the lines above are no
/// headings; a comma if there is none.
fn separator(head: &[u8]) -> u8 {
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0), (b'|', 0)];
    let mut is_quoted = false;
    let mut begun = 0;
    for (at, byte) in head.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => {
                let is_found = counts.iter().any(|(_, count)| *count > 0);
                if is_found || is_heading(&String::from_utf8_lossy(&head[begun..at])) {
                    break;
                }
                begun = at + 1;
            }
            _ if is_quoted => {}
            _ => {
                for (_, count) in counts.iter_mut().filter(|(separator, _)| separator == byte) {
                    *count += 1;
                }
            }
        }
    }
    // Headings may contain commas, so on a tie another separator wins.
    let most = counts.iter().filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count);
    most.map_or(b',', |(separator, _)| *separator)
}

/// Opens a file, decompresses it if needed, and skips a UTF-8 byte order mark.
fn open(source: &Source, bar: &ProgressBar) -> Result<Box<dyn BufRead>> {
    match source {
        Source::Path(path) => unpacked(BufReader::new(File::open(path).context("cannot be read")?), bar),
        Source::Upload(bytes) => unpacked(Cursor::new(bytes.clone()), bar),
    }
}

fn unpacked(mut file: impl BufRead + Seek + 'static, bar: &ProgressBar) -> Result<Box<dyn BufRead>> {
    let length = file.seek(SeekFrom::End(0)).context("cannot be read")?;
    file.rewind().context("cannot be read")?;
    bar.set_length(length);
    // Gzip is recognised by the first bytes, not by the file's name.
    let gzipped = file.fill_buf().context("cannot be read")?.starts_with(&[0x1f, 0x8b]);
    let file = bar.wrap_read(file);
    let mut text: Box<dyn BufRead> = if gzipped {
        Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::with_capacity(64 * 1024, file))
    };
    if text.fill_buf().context("cannot be read")?.starts_with(&[0xef, 0xbb, 0xbf]) {
        text.consume(3);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn read(bytes: &[u8]) -> Result<(String, u8)> {
        let file = recognise(&Source::Upload(Bytes::copy_from_slice(bytes)), 1024 * 1024)?;
        let mut text = String::new();
        file.text(&ProgressBar::hidden())?.read_to_string(&mut text)?;
        Ok((text, file.separator))
    }

    #[test]
    fn text_that_unpacks_without_end_is_refused_p13() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all("title\nx\n".repeat(200_000).as_bytes()).expect("packed");
        let sheet = "<table:table xmlns:table=\"t\" xmlns:text=\"x\"><table:table-row table:number-rows-repeated=\"4000000000\">\
                     <table:table-cell><text:p>title</text:p></table:table-cell><table:table-cell><text:p>x</text:p>\
                     </table:table-cell></table:table-row></table:table>";
        let mut workbook = zip::ZipWriter::new(Cursor::new(Vec::new()));
        workbook.start_file("content.xml", zip::write::SimpleFileOptions::default()).expect("a part");
        workbook.write_all(sheet.as_bytes()).expect("written");
        let workbook = workbook.finish().expect("an archive").into_inner();
        for bytes in [packed.finish().expect("packed"), workbook] {
            let told = read(&bytes).map_or_else(|error| format!("{error:#}"), |_| String::new());
            assert!(told.contains("more than 1 MiB of text"), "{told}");
        }
    }

    #[test]
    fn a_file_that_is_no_list_is_named_by_its_kind() {
        for (bytes, kind) in [
            (&b"%PDF-1.7 "[..], "it is a PDF"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "it is a picture"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", "it is a picture"),
        ] {
            let told = read(bytes).map_or_else(|error| format!("{error:#}"), |_| String::new());
            assert!(told.contains(kind), "{told}");
        }
    }

    #[test]
    fn encodings_and_separators_are_recognised_r_book_10() {
        let table = "Titel;Preis, €\n\"Größe; 1\";1,5\n";
        let utf_16: Vec<u8> = table.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let with_mark = [&[0xff, 0xfe], utf_16.as_slice()].concat();
        let windows = WINDOWS_1252.encode(table).0.into_owned();
        for bytes in [table.as_bytes(), &with_mark, &windows] {
            assert_eq!(read(bytes).expect("a table"), (table.to_owned(), b';'));
        }
        assert_eq!(read(b"a\tb\n1,2\t3\n").expect("a table").1, b'\t');
        assert_eq!(read(b"title\nPoems\n").expect("a table").1, b',');
        // Damaged UTF-8 is not mistaken for another encoding.
        let damaged = read(
            "title\nगोदान\nÜber\n\u{e9}"
                .as_bytes()
                .iter()
                .chain(b"\xff")
                .copied()
                .collect::<Vec<u8>>()
                .as_slice(),
        );
        assert!(damaged.is_err_and(|error| error.to_string().starts_with("line 4: byte")));
        assert!(read(b"\xd0\xcf\x11\xe0").is_err_and(|error| error.to_string().contains(".xlsx")));
    }
}
