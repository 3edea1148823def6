//! Texts on a cover: cleaned, measured, broken into lines and set in a size that fits.

use unicode_bidi::{Direction, get_base_direction};
use unicode_linebreak::linebreaks;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script as Unicode, UnicodeScript as _};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

use super::{AUTHOR_CHARS, Dice, Family, TITLE_CHARS};
use crate::text::is_invisible;

/// Scripts, distinguished by fonts, width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Latin, Greek, Cyrillic and all scripts not listed here.
    Western,
    /// Chinese characters without kana.
    Han,
    Kana,
    Hangul,
    Arabic,
    Hebrew,
    /// Brahmic scripts of India, with the name used in names of fonts.
    Indic(&'static str),
    /// Thai, Lao, Khmer, Burmese and Tibetan: tall, with few spaces.
    Tall(&'static str),
}

impl Script {
    pub(super) fn of(c: char) -> Self {
        if c.is_ascii() {
            return Self::Western;
        }
        let unicode = c.script();
        if let Some(script) = Self::of_unicode(unicode) {
            return script;
        }
        // Punctuation and marks shared by a few scripts are set like the first of them.
        let scripts = c.script_extension();
        if matches!(unicode, Unicode::Common | Unicode::Inherited) && !scripts.contains_script(Unicode::Latin)
        {
            return scripts.iter().find_map(Self::of_unicode).unwrap_or(Self::Western);
        }
        if is_wide(c) { Self::Han } else { Self::Western }
    }

    fn of_unicode(script: Unicode) -> Option<Self> {
        Some(match script {
            Unicode::Han | Unicode::Bopomofo | Unicode::Yi => Self::Han,
            Unicode::Hiragana | Unicode::Katakana => Self::Kana,
            Unicode::Hangul => Self::Hangul,
            Unicode::Arabic | Unicode::Syriac | Unicode::Thaana | Unicode::Nko => Self::Arabic,
            Unicode::Hebrew => Self::Hebrew,
            Unicode::Devanagari
            | Unicode::Bengali
            | Unicode::Gurmukhi
            | Unicode::Gujarati
            | Unicode::Oriya
            | Unicode::Tamil
            | Unicode::Telugu
            | Unicode::Kannada
            | Unicode::Malayalam
            | Unicode::Sinhala => Self::Indic(script.full_name()),
            Unicode::Thai | Unicode::Lao | Unicode::Tibetan | Unicode::Myanmar | Unicode::Khmer => {
                Self::Tall(script.full_name())
            }
            _ => return None,
        })
    }

    /// Returns the script of the first non-Western letter, because every list of fonts ends in a font with Latin letters.
    /// With any kana the text is Japanese.
    pub(super) fn of_text(text: &str) -> Self {
        if text.chars().any(|c| !c.is_ascii() && matches!(c.script(), Unicode::Hiragana | Unicode::Katakana))
        {
            return Self::Kana;
        }
        text.chars()
            .filter(|c| c.is_alphabetic())
            .map(Self::of)
            .find(|s| *s != Self::Western)
            .unwrap_or(Self::Western)
    }

    /// Distance from one baseline to the next, in multiples of the font size.
    pub(super) fn leading(self) -> f64 {
        match self {
            Self::Western | Self::Hebrew => 1.16,
            Self::Han | Self::Kana | Self::Hangul => 1.26,
            Self::Arabic | Self::Indic(_) => 1.42,
            Self::Tall(_) => 1.5,
        }
    }

    /// Distance from the top of a line to its baseline, in multiples of the font size.
    pub(super) fn ascent(self) -> f64 {
        match self {
            Self::Western | Self::Hebrew => 0.74,
            Self::Han | Self::Kana | Self::Hangul => 0.87,
            Self::Arabic | Self::Indic(_) => 0.9,
            Self::Tall(_) => 1.02,
        }
    }
}

/// Widths of the ASCII characters from space to tilde in a bold serif, in hundredths of the font size.
pub(super) const ASCII_WIDTHS: [u8; 95] = [
    26, 38, 51, 56, 56, 91, 80, 29, 40, 40, 50, 56, 29, 31, 29, 30, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57,
    30, 30, 56, 56, 56, 55, 92, 75, 67, 67, 77, 65, 62, 77, 82, 42, 42, 73, 65, 95, 81, 80, 64, 80, 71, 60,
    65, 76, 70, 107, 73, 69, 67, 41, 41, 41, 56, 46, 36, 61, 65, 54, 65, 59, 41, 60, 67, 36, 35, 64, 36, 99,
    68, 63, 65, 65, 52, 50, 43, 67, 61, 86, 65, 60, 53, 44, 56, 44, 56,
];

/// Estimates the width of a character, in multiples of the font size. Fonts differ from machine to machine, so the
/// estimate errs on the wide side.
pub(super) fn advance(c: char) -> f64 {
    let code = u32::from(c);
    if let Some(width) = code.checked_sub(32).and_then(|i| ASCII_WIDTHS.get(usize::try_from(i).ok()?)) {
        return f64::from(*width) / 100.0;
    }
    let script = Script::of(c);
    // The averages below for Indic and tall scripts include their marks.
    if c.width() == Some(0) && !matches!(script, Script::Indic(_) | Script::Tall(_)) {
        return 0.0;
    }
    match script {
        Script::Han | Script::Kana => 1.0,
        Script::Hangul => 0.92,
        Script::Arabic => 0.52,
        Script::Hebrew => 0.56,
        Script::Indic("Tamil" | "Malayalam" | "Sinhala") => 0.84,
        Script::Indic("Kannada" | "Oriya" | "Telugu") => 0.62,
        Script::Indic("Devanagari" | "Gujarati" | "Gurmukhi") => 0.47,
        Script::Indic(_) => 0.54,
        Script::Tall(_) => 0.5,
        Script::Western => match code {
            0x2018..=0x201f | 0x02b0..=0x02ff | 0x2000..=0x200b => 0.4,
            0x2014 | 0x2026 | 0x1f000.. => 1.1,
            _ if c.is_uppercase() => 0.78,
            _ => 0.66,
        },
    }
}

/// Returns whether a character is as wide as a Chinese one, except for emoji, whose width is handled separately.
fn is_wide(c: char) -> bool {
    c.width() == Some(2) && c < '\u{1f000}'
}

/// Removes invisible characters and those that XML forbids: controls, direction controls, repeated spaces, and more than
/// four combining marks on a letter. Cuts the text at `limit` characters.
pub(super) fn clean(text: &str, limit: usize) -> String {
    let mut kept = String::new();
    let (mut count, mut marks, mut gap) = (0, 0, false);
    for c in text.chars() {
        match u32::from(c) {
            // Joiners and variation selectors choose the form of their neighbours.
            0x200c | 0x200d | 0xfe00..=0xfe0f => {}
            _ if is_invisible(c) => continue,
            code if code & 0xfffe == 0xfffe || matches!(code, 0xfdd0..=0xfdef | 0xfff9..=0xfffb) => continue,
            _ if c.is_whitespace() || c.is_control() => {
                gap = !kept.is_empty();
                continue;
            }
            _ => {}
        }
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        if marks > 4 {
            continue;
        }
        if std::mem::take(&mut gap) {
            kept.push(' ');
        }
        count += 1;
        if count > limit {
            kept.push('…');
            break;
        }
        kept.push(c);
    }
    kept
}

/// Replaces straight quotation marks by typographic ones, in Western text.
pub(super) fn quotes(text: &str) -> String {
    let western = |c: char| Script::of(c) == Script::Western;
    let mut set = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let opens = matches!(before, ' ' | '(' | '[' | '“') && chars.peek().is_some_and(|next| *next != ' ');
        let here = western(before) && chars.peek().is_none_or(|next| western(*next));
        set.push(match c {
            '"' if here && opens => '“',
            '"' if here => '”',
            '\'' if here && before.is_alphanumeric() => '’',
            _ => c,
        });
        before = c;
    }
    set
}

/// Returns the first `limit` characters, with an ellipsis if there were more.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Escapes text for XML, in content and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// Returns whether a text is right-to-left, by its first strong character.
pub(super) fn is_rtl(text: &str) -> bool {
    get_base_direction(text) == Direction::Rtl
}

/// Title, split into main title and subtitle.
pub(super) struct Title {
    pub(super) main: String,
    /// Subtitle: the text after a colon, dash or slash, or in brackets; may be empty.
    pub(super) sub: String,
    pub(super) script: Script,
    pub(super) rtl: bool,
}

impl Title {
    /// Separators before a subtitle, not shown.
    const SEPARATORS: [&str; 10] = [": ", " : ", "; or, ", " / ", " = ", " (", "：", " — ", " – ", " -- "];

    pub(super) fn read(raw: &str) -> Self {
        let whole = quotes(&clean(raw, TITLE_CHARS));
        let parted = Self::SEPARATORS
            .iter()
            .filter_map(|separator| Some((whole.find(separator).filter(|at| *at > 0)?, *separator)))
            .min_by_key(|(at, _)| *at);
        let (main, sub) = match parted {
            None => (whole.as_str(), String::new()),
            Some((at, separator)) => {
                let rest = whole[at + separator.len()..].trim();
                let rest = match separator {
                    "; or, " => format!("or, {rest}"),
                    // Drops brackets around the whole subtitle, keeps brackets around its beginning.
                    " (" => match rest.strip_suffix(')') {
                        Some(inner) if !inner.contains(')') => inner.to_owned(),
                        _ => format!("({rest}"),
                    },
                    _ => rest.to_owned(),
                };
                (whole[..at].trim_end(), rest)
            }
        };
        let main = main.trim_end_matches([' ', '/', ':', ',']);
        let main = main.strip_prefix('[').filter(|rest| !rest.contains(']')).unwrap_or(main);
        let main = if main.is_empty() { whole.clone() } else { main.to_owned() };
        Self { script: Script::of_text(&main), rtl: is_rtl(&main), main, sub }
    }
}

/// Splits the authors.
pub(super) fn authors(raw: &str) -> Vec<String> {
    clean(raw, AUTHOR_CHARS)
        .split(';')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Style of the typeface; the fonts are those of the reader's machine.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) serif: bool,
    pub(super) weight: &'static str,
    pub(super) italic: bool,
}

impl Face {
    pub(super) fn choose(title: &Title, family: Family, dice: &mut Dice) -> Self {
        let roll = dice.between(0.0, 1.0);
        let sans = match family {
            Family::Number | Family::Cosmos | Family::Society | Family::Stage => 0.5,
            Family::Verse | Family::Past => 0.08,
            _ => 0.25,
        };
        if roll < sans {
            return Self { serif: false, weight: "700", italic: false };
        }
        let western = title.script == Script::Western;
        match family {
            Family::Verse if western && dice.chance(0.5) => Self { serif: true, weight: "400", italic: true },
            _ if dice.chance(0.3) => Self { serif: true, weight: "400", italic: false },
            _ => Self { serif: true, weight: "700", italic: false },
        }
    }

    /// Returns the CSS list of fonts for a script, ending in the reader's own serif or sans.
    pub(super) fn fonts(self, script: Script) -> String {
        let (named, generic) = if self.serif {
            ("Georgia,'Noto Serif','Times New Roman'", "serif")
        } else {
            ("'Avenir Next','Segoe UI','Helvetica Neue','Noto Sans',Arial", "sans-serif")
        };
        let style = if self.serif { "Serif" } else { "Sans" };
        match script {
            Script::Western => format!("{named},{generic}"),
            Script::Han if self.serif => format!("'Songti SC','Noto Serif CJK SC',SimSun,{named},{generic}"),
            Script::Han => format!("'PingFang SC','Noto Sans CJK SC','Microsoft YaHei',{generic}"),
            Script::Kana if self.serif => {
                format!("'Hiragino Mincho ProN','Yu Mincho','Noto Serif CJK JP',{generic}")
            }
            Script::Kana => format!("'Hiragino Sans','Yu Gothic','Noto Sans CJK JP',{generic}"),
            Script::Hangul if self.serif => format!("AppleMyungjo,Batang,'Noto Serif CJK KR',{generic}"),
            Script::Hangul => format!("'Apple SD Gothic Neo','Malgun Gothic','Noto Sans CJK KR',{generic}"),
            Script::Arabic => {
                "'Noto Naskh Arabic','Geeza Pro','Segoe UI','Noto Sans Arabic',serif".to_owned()
            }
            Script::Hebrew => format!("'Noto {style} Hebrew','Times New Roman','Segoe UI',{generic}"),
            Script::Indic(name) | Script::Tall(name) => {
                format!("'Noto {style} {name}','Nirmala UI','Noto Sans {name}',{generic}")
            }
        }
    }
}

/// Piece of text that is broken only if it is wider than a line.
pub(super) struct Atom<'t> {
    pub(super) text: &'t str,
    pub(super) width: f64,
    /// True if a space precedes the piece, except at the start of a line.
    pub(super) spaced: bool,
}

pub(super) fn atoms(text: &str) -> Vec<Atom<'_>> {
    let allowed: Vec<usize> = linebreaks(text).map(|(at, _)| at).collect();
    let mut atoms = Vec::new();
    let mut start = 0;
    let neighbours = text
        .chars()
        .zip(text.char_indices().skip(1).map(|(at, c)| (at, Some(c))).chain([(text.len(), None)]));
    for (before, (end, after)) in neighbours {
        let unicode = allowed.binary_search(&end).is_ok();
        if after.is_none_or(|after| may_break(before, after, unicode)) {
            let word = text[start..end].trim_end_matches(' ');
            atoms.push(Atom { text: word, width: measure(word), spaced: text[..start].ends_with(' ') });
            start = end;
        }
    }
    atoms
}

/// Returns whether a line may end between two characters. `unicode` is the result of UAX #14, with these exceptions:
/// Korean words stay whole, no line begins with a dash, an ellipsis stays with the word after it, and Chinese quotation
/// marks stay with the quotation.
fn may_break(before: char, after: char, unicode: bool) -> bool {
    let [first, second] = [before, after].map(Script::of);
    let wide = |script| matches!(script, Script::Han | Script::Kana);
    if before == ' ' || wide(first) && wide(second) {
        return unicode;
    }
    if wide(first) || wide(second) {
        return unicode || matches!(after, '“' | '‘') || matches!(before, '”' | '’');
    }
    let korean = first == Script::Hangul || second == Script::Hangul;
    unicode && !korean && after != '—' && before != '…'
}

pub(super) fn measure(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

/// Fills lines no wider than `width` (in multiples of the font size). Returns them, and whether a word was broken.
pub(super) fn fill(atoms: &[Atom<'_>], width: f64) -> (Vec<String>, bool) {
    let (mut lines, mut line, mut used, mut broken) = (Vec::new(), String::new(), 0.0, false);
    for atom in atoms {
        let space = if atom.spaced && !line.is_empty() { advance(' ') } else { 0.0 };
        if !line.is_empty() && used + space + atom.width > width {
            lines.push(std::mem::take(&mut line));
            used = 0.0;
        } else if space > 0.0 {
            line.push(' ');
            used += space;
        }
        if atom.width <= width {
            line.push_str(atom.text);
            used += atom.width;
            continue;
        }
        // The atom is wider than a whole line, so it is broken between letters.
        broken = true;
        for letter in atom.text.graphemes(true) {
            // Breaks at the spaces within the atom first.
            if letter == " " {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
                continue;
            }
            let wide = measure(letter);
            if used + wide > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            line.push_str(letter);
            used += wide;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    (lines, broken)
}

/// Like [`fill`], in the narrowest column that needs no more lines.
pub(super) fn balanced(atoms: &[Atom<'_>], width: f64) -> (Vec<String>, bool) {
    let mut best = fill(atoms, width);
    let (mut low, mut high) = (0.0, width);
    for _ in 0..8 {
        let middle = f64::midpoint(low, high);
        let narrower = fill(atoms, middle);
        if (narrower.1 && !best.1) || narrower.0.len() > best.0.len() {
            low = middle;
        } else {
            high = middle;
            best = narrower;
        }
    }
    best
}

#[derive(Clone, Copy)]
pub(super) struct Room<'s> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) lines: usize,
    /// Font sizes, from the preferred one down to the smallest acceptable one.
    pub(super) sizes: &'s [f64],
}

/// Text set in lines.
pub(super) struct Setting {
    pub(super) lines: Vec<String>,
    pub(super) size: f64,
    pub(super) script: Script,
    pub(super) rtl: bool,
    /// True if the text was not cut and no word was broken.
    pub(super) whole: bool,
}

impl Setting {
    /// Sets a text in the largest size that fits, with lines of about equal length. Cuts it if no size fits.
    pub(super) fn new(text: &str, room: Room<'_>) -> Self {
        let atoms = atoms(text);
        let mut setting = Self {
            lines: Vec::new(),
            size: 0.0,
            script: Script::of_text(text),
            rtl: is_rtl(text),
            whole: true,
        };
        for size in room.sizes {
            setting.size = *size;
            let most = room.width / size;
            let (lines, broken) = fill(&atoms, most);
            setting.lines = lines;
            setting.whole = !broken && setting.lines.len() <= room.lines && setting.height() <= room.height;
            if setting.whole {
                setting.tighten(&atoms, room);
                return setting;
            }
        }
        setting.shorten(room);
        setting
    }

    /// Picks the size with the best balance of large type and few lines of even length.
    pub(super) fn tighten(&mut self, atoms: &[Atom<'_>], room: Room<'_>) {
        let most = self.size;
        let mut best = f64::NEG_INFINITY;
        for size in room.sizes.iter().filter(|size| (0.74 * most..=most).contains(*size)) {
            let (lines, broken) = balanced(atoms, room.width / size);
            let widths = lines.iter().map(|line| measure(line));
            let (narrow, wide) =
                widths.fold((f64::INFINITY, 0.0), |(low, high), width| (width.min(low), width.max(high)));
            let mut worth = size / most + 0.35 * narrow / wide;
            for _ in &lines {
                worth -= 0.12;
            }
            if !broken && worth > best {
                (best, self.size, self.lines) = (worth, *size, lines);
            }
        }
    }

    pub(super) fn shorten(&mut self, room: Room<'_>) {
        let mut dropped = false;
        while self.lines.len() > 1 && (self.lines.len() > room.lines || self.height() > room.height) {
            self.lines.pop();
            dropped = true;
        }
        if let Some(last) = self.lines.last_mut().filter(|_| dropped) {
            while measure(last) + 1.1 > room.width / self.size
                && let Some((at, _)) = last.grapheme_indices(true).next_back()
                && at > 0
            {
                last.truncate(at);
            }
            let kept = last.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)).len();
            last.truncate(kept);
            last.push('…');
        }
    }

    pub(super) fn height(&self) -> f64 {
        let mut height = 0.0;
        for (i, _) in self.lines.iter().enumerate() {
            height += self.size * if i == 0 { self.script.ascent() + 0.2 } else { self.script.leading() };
        }
        height
    }
}
