//! Drawn covers: a book without a picture still gets a face worth looking at.
//!
//! [`draw`] makes one 400 by 600 SVG out of nothing but the catalogue's own words. It is pure: the same book gives
//! the same bytes, nothing is read and nothing outside the file is named. A cover is put together from a palette, a
//! motif (an abstract picture), a layout and a typeface, all chosen by the book's id, title and genre. Consecutive
//! ids never share a palette; the genre suggests the family of motifs.
//!
//! Text always stands on the palette's plain ground, so its contrast is a property of the table of palettes alone.

use std::f64::consts::{PI, TAU};
use std::fmt::{self, Display, Write as _};

/// Width of a cover in SVG units.
const WIDTH: f64 = 400.0;
/// Height of a cover in SVG units: covers are 2:3 everywhere.
const HEIGHT: f64 = 600.0;
/// Free space between the edge of the cover and its text.
const MARGIN: f64 = 36.0;
/// As much of a title as is looked at; more could not be shown in any size.
const TITLE_CHARS: usize = 320;
/// As much of the authors as is looked at.
const AUTHOR_CHARS: usize = 240;

/// Appends formatted values to a string; numbers come out with one decimal at most.
macro_rules! put {
    ($out:expr, $form:literal $(, $value:expr)* $(,)?) => {
        // Writing to a String cannot fail.
        let _ = write!($out, $form $(, Shown(&$value))*);
    };
}

/// A value as it stands in the SVG.
struct Shown<'a, T>(&'a T);

impl Display for Shown<'_, f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0 into 0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

impl Display for Shown<'_, &str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Display for Shown<'_, String> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The words of a book that its cover shows or is chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Cover<'a> {
    /// The book's id: the first source of variation.
    pub id: i64,
    /// The title, of any length and in any script.
    pub title: &'a str,
    /// The author, or several joined by `; `; may be empty.
    pub author: &'a str,
    /// The genre, which suggests the family of motifs; may be empty.
    pub genre: &'a str,
}

/// Draws the cover of a book as a complete SVG document.
#[must_use]
pub fn draw(cover: &Cover<'_>) -> String {
    let mut dice = Dice::of(cover);
    let genre = Family::of(cover.genre);
    let title = Title::read(cover.title);
    let face = Face::choose(&title, genre, &mut dice);
    let palette = Palette::choose(cover.id);
    let motif = genre.motif(cover.id);

    let mut svg = String::with_capacity(4096);
    put!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"600\" viewBox=\"0 0 400 600\"><title>{}</title>\
         <path d=\"M0 0H400V600H0Z\" fill=\"{}\"/>",
        escape(&cut(&title.main, 100)),
        palette.ground
    );
    let mut page = Page { svg, palette, motif, dice, title, authors: authors(cover.author), face };
    if !page.compose(Layout::choose(cover.id)) {
        let _ = if cover.id % 2 == 0 { page.lintel() } else { page.plinth() };
    }
    // The joint beside the spine: a hint of a bound book, well left of any text.
    page.svg.push_str(
        "<path d=\"M0 0H8V600H0Z\" opacity=\".13\"/><path d=\"M8 0h2V600H8Z\" fill=\"#fff\" opacity=\".16\"/></svg>",
    );
    page.svg
}

// ---------------------------------------------------------------------------------------------------------------
// Chance
// ---------------------------------------------------------------------------------------------------------------

/// A small deterministic generator (`SplitMix64`), seeded by the book.
struct Dice(u64);

impl Dice {
    fn of(cover: &Cover<'_>) -> Self {
        // FNV-1a over the parts, with a separator that no text contains.
        let parts = [&cover.id.to_le_bytes()[..], cover.title.as_bytes(), cover.genre.as_bytes()];
        let bytes = parts.iter().flat_map(|part| part.iter().chain([&0xff]));
        Self(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn roll(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as u32
    }

    /// A number from `low` up to `high`.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.roll()) / f64::from(u32::MAX)
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[usize::try_from(self.roll()).unwrap_or_default() % items.len()]
    }
}

// ---------------------------------------------------------------------------------------------------------------
// Colour
// ---------------------------------------------------------------------------------------------------------------

/// The colours of one cover. Text is `ink` on `ground`; the picture stands on `field`.
struct Palette {
    /// Paper: behind all text.
    ground: &'static str,
    /// The colour of the text.
    ink: &'static str,
    /// Behind the picture.
    field: &'static str,
    /// The picture's accent, its second colour and a third, quieter one; the ground is its main colour.
    tones: [&'static str; 3],
}

const fn palette(
    ground: &'static str,
    ink: &'static str,
    field: &'static str,
    tones: [&'static str; 3],
) -> Palette {
    Palette { ground, ink, field, tones }
}

/// Relative luminance of `#rrggbb`, from 0 (black) to 1 (white), as WCAG defines it.
fn luminance(colour: &str) -> f64 {
    let rgb = u32::from_str_radix(colour.trim_start_matches('#'), 16).unwrap_or_default();
    let part = |shift: u32| {
        let value = f64::from((rgb >> shift) & 0xff) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}

/// Ordered so that neighbours on a shelf (steps of one, and of a row of four to six) lie far apart.
const PALETTES: [Palette; 24] = [
    palette("#16294a", "#f8ecd2", "#f0b35f", ["#d9482b", "#fbe6bd", "#3c7393"]),
    palette("#f5ecd9", "#25211f", "#d5432a", ["#f2a93b", "#25211f", "#8f2418"]),
    palette("#12402f", "#f5ead0", "#e8d9b4", ["#cc6b2c", "#6f9a6b", "#0a271d"]),
    palette("#f3d8d0", "#43142a", "#ab2f4c", ["#f4b942", "#43142a", "#e88674"]),
    palette("#1f3fa0", "#f8f4e6", "#f6cf4a", ["#e5503a", "#f8f4e6", "#6f8fdc"]),
    palette("#e9e2d2", "#1c1b1a", "#1f1e1d", ["#d4452f", "#f0c05a", "#8f8878"]),
    palette("#962d22", "#fdf0dc", "#f2dcb8", ["#e08a34", "#2c4b50", "#5c1912"]),
    palette("#cfe2e8", "#10283a", "#14304a", ["#f2b035", "#e8573e", "#5c96b8"]),
    palette("#53591f", "#fbf6de", "#e7d88b", ["#d56a27", "#fbf6de", "#2b2f10"]),
    palette("#dad3ee", "#281f4f", "#4c3d96", ["#f5a35b", "#281f4f", "#9182cf"]),
    palette("#e8a726", "#21190f", "#23474a", ["#f6e9c4", "#c9421f", "#4f8580"]),
    palette("#46203f", "#fce7dc", "#f2b29c", ["#d3435c", "#fce7dc", "#8c3c68"]),
    palette("#d4e7d6", "#15352b", "#1d6551", ["#f2c04c", "#15352b", "#79b895"]),
    palette("#262c33", "#eef1ea", "#8ccbb0", ["#ee6a4b", "#f5e8b6", "#3d7a6c"]),
    palette("#f1dfba", "#1e2250", "#2d3583", ["#e46c4e", "#f7f0dd", "#7f8cda"]),
    palette("#0e4a52", "#f5f0df", "#b9d8cc", ["#ef8446", "#f7f2e0", "#2f8482"]),
    palette("#ef8a36", "#2a1110", "#2b1b3b", ["#f8dca4", "#c83a45", "#7a548f"]),
    palette("#3a5874", "#faf5e6", "#f2cda4", ["#c6523a", "#faf5e6", "#1d3146"]),
    palette("#f7f4ec", "#1a2968", "#2b48c4", ["#f9b233", "#101c58", "#8fa3ef"]),
    palette("#3c2518", "#f8e8cf", "#cf9558", ["#f3dcae", "#a4402a", "#7d4a2b"]),
    palette("#f4df79", "#1b2632", "#2d6591", ["#e5552d", "#f8f2da", "#183349"]),
    palette("#5a1221", "#fbe8cf", "#d9a860", ["#fbe8cf", "#26385a", "#8f2f3c"]),
    palette("#82c7c2", "#0b2a33", "#0d3c47", ["#f7efda", "#f17547", "#3a8d93"]),
    palette("#e9694c", "#210b0d", "#fae2cd", ["#7b1f33", "#24405c", "#f4b398"]),
];

// ---------------------------------------------------------------------------------------------------------------
// What the genre suggests
// ---------------------------------------------------------------------------------------------------------------

/// A family of genres that shares motifs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Verse,
    Night,
    Number,
    Cosmos,
    Nature,
    Past,
    Young,
    Journey,
    Society,
    Stage,
    Mind,
    Any,
}

/// Words that tell a family, looked for in the lower-case genre; the first that fits wins.
const FAMILIES: [(Family, &[&str]); 11] = [
    (Family::Young, &["child", "juvenile", "young", "fairy", "folk", "fable", "humo", "picture"]),
    (Family::Night, &["myster", "detect", "crime", "horror", "gothic", "dystop", "thrill", "ghost"]),
    (Family::Cosmos, &["physic", "astron", "science fiction", "thermo", "space", "electr"]),
    (Family::Number, &["math", "comput", "software", "program", "statist", "logic", "engineer", "techn"]),
    (
        Family::Nature,
        &["biolog", "natur", "environ", "medic", "botan", "agric", "cook", "chem", "health", "zoo"],
    ),
    (Family::Verse, &["poe", "verse", "lyric", "romance", "love"]),
    (
        Family::Stage,
        &["drama", "play", "music", "art", "design", "theat", "graphic", "archit", "sport", "film"],
    ),
    (Family::Journey, &["travel", "adventure", "voyage", "geograph", "fantasy", "epic", "myth", "sea "]),
    (Family::Past, &["histor", "biograph", "memoir", "diary", "classic", "relig", "archaeo", "genealog"]),
    (
        Family::Society,
        &["econom", "politic", "law", "sociol", "manage", "busin", "educat", "gender", "social"],
    ),
    (
        Family::Mind,
        &["psych", "philos", "ethic", "essay", "cognit", "linguist", "language", "satire", "short"],
    ),
];

impl Family {
    fn of(genre: &str) -> Self {
        let genre = genre.to_lowercase();
        FAMILIES
            .iter()
            .find(|(_, words)| words.iter().any(|word| genre.contains(word)))
            .map_or(Self::Any, |(family, _)| *family)
    }

    fn motifs(self) -> &'static [Motif] {
        use Motif::{
            Arches, Bloom, Boat, Cubes, Eye, Fish, Hills, Maze, NightSky, Orbits, Peaks, Rays, Ridges,
            Scallops, Slices, Spines, Sprig, Tiles, Windows,
        };
        match self {
            Self::Verse => &[Sprig, Bloom, Boat, Scallops, Hills, NightSky, Ridges, Slices],
            Self::Night => &[Eye, Maze, Windows, Slices, Peaks, Rays, NightSky],
            Self::Number => &[Cubes, Tiles, Slices, Maze, Ridges, Arches, Orbits],
            Self::Cosmos => &[Orbits, NightSky, Ridges, Rays, Slices, Hills, Tiles],
            Self::Nature => &[Sprig, Fish, Bloom, Hills, Scallops, Peaks, Boat],
            Self::Past => &[Arches, Windows, Rays, Spines, Peaks, Scallops, Hills, Tiles],
            Self::Young => &[Fish, Boat, NightSky, Hills, Tiles, Bloom, Peaks, Rays],
            Self::Journey => &[Boat, Peaks, Hills, Rays, NightSky, Arches, Scallops],
            Self::Society => &[Tiles, Arches, Slices, Windows, Rays, Cubes, Spines, Maze],
            Self::Stage => &[Tiles, Eye, Ridges, Rays, Arches, Bloom, Slices, Cubes],
            Self::Mind => &[Eye, Maze, Slices, Orbits, Spines, Windows, Bloom],
            Self::Any => &Motif::ALL,
        }
    }

    /// Eight steps through the round of all motifs from one id to the next, scaled to the family's share of it, so
    /// that neighbours differ and no motif is favoured.
    fn motif(self, id: i64) -> Motif {
        let motifs = self.motifs();
        let place = nth(id.wrapping_mul(8), Motif::ALL.len());
        motifs[place * motifs.len() / Motif::ALL.len()]
    }
}

impl Palette {
    /// Seven steps through the table from one id to the next: a full round before a palette comes again.
    fn choose(id: i64) -> &'static Self {
        &PALETTES[nth(id.wrapping_mul(7), PALETTES.len())]
    }
}

/// The id, as an index into a list of `len`.
fn nth(id: i64, len: usize) -> usize {
    let len = i64::try_from(len).unwrap_or(1);
    usize::try_from(id.rem_euclid(len)).unwrap_or_default()
}

// ---------------------------------------------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------------------------------------------

/// How a script is set: which fonts, how wide, how tall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    /// Latin, Greek, Cyrillic and whatever else has no entry of its own.
    Western,
    /// Chinese characters alone.
    Han,
    Kana,
    Hangul,
    Arabic,
    Hebrew,
    /// The Brahmic scripts of India, by the name that fonts give them.
    Indic(&'static str),
    /// Thai, Lao, Khmer, Burmese and Tibetan: tall, with few spaces.
    Tall(&'static str),
}

impl Script {
    fn of(c: char) -> Self {
        match u32::from(c) {
            0x0590..=0x05ff | 0xfb1d..=0xfb4f => Self::Hebrew,
            0x0600..=0x08ff | 0xfb50..=0xfdff | 0xfe70..=0xfefc => Self::Arabic,
            0x0900..=0x097f => Self::Indic("Devanagari"),
            0x0980..=0x09ff => Self::Indic("Bengali"),
            0x0a00..=0x0a7f => Self::Indic("Gurmukhi"),
            0x0a80..=0x0aff => Self::Indic("Gujarati"),
            0x0b00..=0x0b7f => Self::Indic("Oriya"),
            0x0b80..=0x0bff => Self::Indic("Tamil"),
            0x0c00..=0x0c7f => Self::Indic("Telugu"),
            0x0c80..=0x0cff => Self::Indic("Kannada"),
            0x0d00..=0x0d7f => Self::Indic("Malayalam"),
            0x0d80..=0x0dff => Self::Indic("Sinhala"),
            0x0e00..=0x0e7f => Self::Tall("Thai"),
            0x0e80..=0x0eff => Self::Tall("Lao"),
            0x0f00..=0x0fff => Self::Tall("Tibetan"),
            0x1000..=0x109f => Self::Tall("Myanmar"),
            0x1780..=0x17ff => Self::Tall("Khmer"),
            0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7ff => Self::Hangul,
            0x3040..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Self::Kana,
            0x2e80..=0x2fff | 0x3000..=0x303f | 0x3100..=0x312f | 0x3190..=0x31ef | 0x3200..=0xa4cf => {
                Self::Han
            }
            0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..=0xff65 | 0x20000..=0x3ffff => Self::Han,
            _ => Self::Western,
        }
    }

    /// The script of a text: that of its first letter which is not Western, for fonts fall back on Latin unasked.
    fn of_text(text: &str) -> Self {
        if text.chars().any(|c| Self::of(c) == Self::Kana && c != 'ー' && c != '・') {
            return Self::Kana;
        }
        text.chars()
            .filter(|c| c.is_alphabetic())
            .map(Self::of)
            .find(|s| *s != Self::Western)
            .unwrap_or(Self::Western)
    }

    /// Distance from one baseline to the next, in sizes.
    fn leading(self) -> f64 {
        match self {
            Self::Western | Self::Hebrew => 1.16,
            Self::Han | Self::Kana | Self::Hangul => 1.26,
            Self::Arabic | Self::Indic(_) => 1.42,
            Self::Tall(_) => 1.5,
        }
    }

    /// From the top of a line to its baseline, in sizes.
    fn ascent(self) -> f64 {
        match self {
            Self::Western | Self::Hebrew => 0.74,
            Self::Han | Self::Kana | Self::Hangul => 0.87,
            Self::Arabic | Self::Indic(_) => 0.9,
            Self::Tall(_) => 1.02,
        }
    }
}

/// Widths of the ASCII characters from space to tilde, in hundredths of the size: a bold book face.
const ASCII_WIDTHS: [u8; 95] = [
    26, 38, 51, 56, 56, 91, 80, 29, 40, 40, 50, 56, 29, 31, 29, 30, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57,
    30, 30, 56, 56, 56, 55, 92, 75, 67, 67, 77, 65, 62, 77, 82, 42, 42, 73, 65, 95, 81, 80, 64, 80, 71, 60,
    65, 76, 70, 107, 73, 69, 67, 41, 41, 41, 56, 46, 36, 61, 65, 54, 65, 59, 41, 60, 67, 36, 35, 64, 36, 99,
    68, 63, 65, 65, 52, 50, 43, 67, 61, 86, 65, 60, 53, 44, 56, 44, 56,
];

/// Estimated width of a character, in sizes. Fonts differ from machine to machine, so this errs on the wide side.
fn advance(c: char) -> f64 {
    let code = u32::from(c);
    if let Some(width) = code.checked_sub(32).and_then(|i| ASCII_WIDTHS.get(usize::try_from(i).ok()?)) {
        return f64::from(*width) / 100.0;
    }
    if is_mark(c) && code < 0x0900 || matches!(code, 0xfe20..=0xfe2f | 0x200c | 0x200d) {
        return 0.0;
    }
    match Script::of(c) {
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

/// Combining characters by first and last code point, the Indian blocks apart.
const MARKS: [(u32, u32); 27] = [
    (0x0300, 0x036f),
    (0x0483, 0x0489),
    (0x0591, 0x05c7),
    (0x0610, 0x061a),
    (0x064b, 0x065f),
    (0x0670, 0x0670),
    (0x06d6, 0x06ed),
    (0x0e31, 0x0e31),
    (0x0e33, 0x0e3a),
    (0x0e47, 0x0e4e),
    (0x0eb1, 0x0eb1),
    (0x0eb3, 0x0ebc),
    (0x0ec8, 0x0ece),
    (0x0f71, 0x0f87),
    (0x0f90, 0x0fbc),
    (0x102b, 0x103e),
    (0x17b4, 0x17d3),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x200c, 0x200d),
    (0x20d0, 0x20ff),
    (0x3099, 0x309a),
    (0xfe00, 0xfe0f),
    (0xfe20, 0xfe2f),
    (0x1f3fb, 0x1f3ff),
    (0xe0020, 0xe007f),
    (0xe0100, 0xe01ef),
];

/// Whether a character belongs to the one before it, so that no line may begin with it.
fn is_mark(c: char) -> bool {
    let code = u32::from(c);
    if (0x0900..=0x0dff).contains(&code) {
        // The Indian blocks all place their vowel signs and the virama alike.
        return matches!(code & 0x7f, 0x00..=0x03 | 0x3c | 0x3e..=0x4d | 0x51..=0x57 | 0x62 | 0x63);
    }
    code >= 0x0300 && MARKS.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// What XML can carry and a reader can see: no controls, no unpaired direction switches, single spaces, and no towers
/// of combining marks.
fn clean(text: &str, limit: usize) -> String {
    let mut kept = String::new();
    let (mut count, mut marks, mut gap) = (0, 0, false);
    for c in text.chars() {
        match u32::from(c) {
            0x200b | 0x200e | 0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff0..=0xfffb => {
                continue;
            }
            code if code & 0xfffe == 0xfffe || matches!(code, 0xfdd0..=0xfdef | 0xe0000..) => continue,
            _ if c.is_whitespace() || c.is_control() => {
                gap = !kept.is_empty();
                continue;
            }
            _ => {}
        }
        marks = if is_mark(c) { marks + 1 } else { 0 };
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

/// Typewriter quotation marks as a typesetter would set them, in Western text.
fn quotes(text: &str) -> String {
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

/// The first `limit` characters, with an ellipsis if there were more.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Text as XML character data or attribute value.
fn escape(text: &str) -> String {
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

/// Whether a text runs from right to left, told by its first letter.
fn is_rtl(text: &str) -> bool {
    text.chars()
        .find(|c| c.is_alphabetic())
        .is_some_and(|c| matches!(Script::of(c), Script::Arabic | Script::Hebrew))
}

/// A title, parted as a typographer would part it.
struct Title {
    main: String,
    /// What follows a colon, a dash, a slash or stands in brackets; may be empty.
    sub: String,
    script: Script,
    rtl: bool,
}

impl Title {
    /// Where a subtitle begins; the separator itself is dropped.
    const SEPARATORS: [&str; 10] = [": ", " : ", "; or, ", " / ", " = ", " (", "：", " — ", " – ", " -- "];

    fn read(raw: &str) -> Self {
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
                    // Brackets around all of it go; brackets around its beginning stay.
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

/// The authors, one each; long lists and names are cut where the text is set.
fn authors(raw: &str) -> Vec<String> {
    clean(raw, AUTHOR_CHARS)
        .split(';')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// A typeface, as far as a cover may choose: the reader's machine has the fonts.
#[derive(Clone, Copy)]
struct Face {
    serif: bool,
    weight: &'static str,
    italic: bool,
}

impl Face {
    fn choose(title: &Title, family: Family, dice: &mut Dice) -> Self {
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

    /// The CSS list of fonts for a script, ending in the reader's own serif or sans.
    fn fonts(self, script: Script) -> String {
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

/// A piece of a line that is never broken unless it is wider than the line.
struct Atom<'t> {
    text: &'t str,
    width: f64,
    /// A space stands before it, unless a line begins here.
    spaced: bool,
}

/// Whether a line may end between two neighbouring characters that no space parts.
fn may_break(before: char, after: char) -> bool {
    if is_mark(after) || before == '\u{200d}' {
        return false;
    }
    if matches!(before, '-' | '–' | '—' | '/') && after.is_alphanumeric() {
        return true;
    }
    let wide = |c| matches!(Script::of(c), Script::Han | Script::Kana);
    (wide(before) || wide(after))
        && !"、。，．・：；？！）］｝〕〉》」』】ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…,.:;!?)]}’”"
            .contains(after)
        && !"（［｛〔〈《「『【([{‘“".contains(before)
}

fn atoms(text: &str) -> Vec<Atom<'_>> {
    let mut atoms = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut start = 0;
        let mut before = None;
        for (at, c) in word.char_indices() {
            if before.is_some_and(|before| may_break(before, c)) {
                atoms.push(Atom {
                    text: &word[start..at],
                    width: measure(&word[start..at]),
                    spaced: start == 0,
                });
                start = at;
            }
            before = Some(c);
        }
        atoms.push(Atom { text: &word[start..], width: measure(&word[start..]), spaced: start == 0 });
    }
    atoms
}

fn measure(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

/// Fills lines no wider than `width` (in sizes); also tells whether a word had to be broken.
fn fill(atoms: &[Atom<'_>], width: f64) -> (Vec<String>, bool) {
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
        // Wider than a whole line: broken between letters, each with its marks.
        broken = true;
        let mut rest = atom.text;
        while let Some(first) = rest.chars().next() {
            let end =
                rest[first.len_utf8()..].find(|c| !is_mark(c)).map_or(rest.len(), |at| at + first.len_utf8());
            let (letter, after) = rest.split_at(end);
            let wide = measure(letter);
            if used + wide > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            line.push_str(letter);
            used += wide;
            rest = after;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    (lines, broken)
}

/// As [`fill`], with the column narrowed until one line more would be needed.
fn balanced(atoms: &[Atom<'_>], width: f64) -> (Vec<String>, bool) {
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

/// The room that a text may take.
#[derive(Clone, Copy)]
struct Room<'s> {
    width: f64,
    height: f64,
    lines: usize,
    /// From the size that is wished for down to the smallest that may be.
    sizes: &'s [f64],
}

/// A text set in lines.
struct Setting {
    lines: Vec<String>,
    size: f64,
    script: Script,
    rtl: bool,
    /// Nothing was cut and no word broken.
    whole: bool,
}

impl Setting {
    /// Sets a text in the largest size that fits its room, with lines of about equal length; cuts it if none does.
    fn new(text: &str, room: Room<'_>) -> Self {
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

    /// Weighs a large size against few lines of even length, and takes the best.
    fn tighten(&mut self, atoms: &[Atom<'_>], room: Room<'_>) {
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

    fn shorten(&mut self, room: Room<'_>) {
        let mut dropped = false;
        while self.lines.len() > 1 && (self.lines.len() > room.lines || self.height() > room.height) {
            self.lines.pop();
            dropped = true;
        }
        if let Some(last) = self.lines.last_mut().filter(|_| dropped) {
            while measure(last) + 1.1 > room.width / self.size && last.chars().count() > 1 {
                last.pop();
            }
            let kept = last.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c)).len();
            last.truncate(kept);
            last.push('…');
        }
    }

    fn height(&self) -> f64 {
        let mut height = 0.0;
        for (i, _) in self.lines.iter().enumerate() {
            height += self.size * if i == 0 { self.script.ascent() + 0.2 } else { self.script.leading() };
        }
        height
    }
}

// ---------------------------------------------------------------------------------------------------------------
// The page
// ---------------------------------------------------------------------------------------------------------------

/// Where text and picture stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Picture above, title on a plain foot below.
    Plinth,
    /// Title on a plain head, picture below.
    Lintel,
    /// A framed picture in the middle of a plain cover.
    Plate,
    /// A pasted label on a cover that is all picture.
    Label,
    /// A tall picture along one edge.
    Strip,
    /// A small picture, a large title.
    Vignette,
}

impl Layout {
    /// Eleven places, a prime, so that neither rows of four nor of six fall into step.
    const ROUND: [Self; 11] = [
        Self::Plinth,
        Self::Label,
        Self::Lintel,
        Self::Plate,
        Self::Plinth,
        Self::Vignette,
        Self::Lintel,
        Self::Strip,
        Self::Plinth,
        Self::Plate,
        Self::Label,
    ];

    fn choose(id: i64) -> Self {
        Self::ROUND[nth(id, Self::ROUND.len())]
    }
}

/// The outline of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Rectangle,
    Circle,
    Arch,
}

#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Centre,
    Right,
}

/// A cover in the making.
struct Page {
    svg: String,
    palette: &'static Palette,
    motif: Motif,
    dice: Dice,
    title: Title,
    authors: Vec<String>,
    face: Face,
}

impl Page {
    /// Draws the layout, or nothing at all if the words do not fit it.
    fn compose(&mut self, layout: Layout) -> bool {
        match layout {
            Layout::Plinth => self.plinth(),
            Layout::Lintel => self.lintel(),
            Layout::Plate => self.plate(),
            Layout::Label => self.label(),
            Layout::Strip => self.strip(),
            Layout::Vignette => self.vignette(),
        }
    }

    fn plinth(&mut self) -> bool {
        let width = WIDTH - 2.0 * MARGIN;
        let (title, sub) =
            self.set_title(width, 250.0, 6, &[66.0, 60.0, 54.0, 48.0, 43.0, 38.0, 34.0, 30.0, 27.0, 24.0]);
        let author = self.set_author(width - 44.0);
        let text = title.height() + gap(&sub, 15.0) + gap(&author, 30.0);
        let art = (HEIGHT - text - 38.0 - MARGIN).min(384.0).round();
        self.art(Area { x: 0.0, y: 0.0, width: WIDTH, height: art }, Shape::Rectangle);
        self.seam(Area { x: 0.0, y: art, width: WIDTH, height: 2.0 });
        let (x, align) = self.start(MARGIN, WIDTH - MARGIN);
        let y = self.text(&title, x, art + 38.0, align);
        self.text(&sub, x, y + 15.0, align);
        self.text(&author, x, HEIGHT - MARGIN - author.height(), align);
        self.mark(
            &author,
            if align == Align::Right { MARGIN } else { WIDTH - MARGIN - 24.0 },
            HEIGHT - MARGIN - 21.0,
        );
        true
    }

    fn lintel(&mut self) -> bool {
        let width = WIDTH - 2.0 * MARGIN;
        let (title, sub) =
            self.set_title(width, 240.0, 6, &[66.0, 60.0, 54.0, 48.0, 43.0, 38.0, 34.0, 30.0, 27.0, 24.0]);
        let author = self.set_author(width);
        let head = (44.0 + title.height() + gap(&sub, 15.0) + gap(&author, 24.0) + 34.0).max(196.0).round();
        self.art(Area { x: 0.0, y: head, width: WIDTH, height: HEIGHT - head }, Shape::Rectangle);
        self.seam(Area { x: 0.0, y: head - 2.0, width: WIDTH, height: 2.0 });
        let (x, align) = self.start(MARGIN, WIDTH - MARGIN);
        let y = self.text(&title, x, 44.0, align);
        self.text(&sub, x, y + 15.0, align);
        self.text(&author, x, head - 34.0 - author.height(), align);
        true
    }

    fn plate(&mut self) -> bool {
        let width = WIDTH - 2.0 * MARGIN;
        let (title, sub) = self.set_title(width, 150.0, 3, &[56.0, 50.0, 44.0, 39.0, 34.0, 30.0, 27.0]);
        let author = self.set_author(width);
        let foot = HEIGHT - 42.0 - author.height();
        let head = 46.0 + title.height() + gap(&sub, 13.0);
        let room = foot - head - 52.0;
        if !(title.whole && sub.whole) || room < 210.0 {
            return false;
        }
        let shape = *self.dice.pick(&[Shape::Circle, Shape::Arch, Shape::Rectangle]);
        let (w, h) = match shape {
            Shape::Circle => (room.min(304.0), room.min(304.0)),
            Shape::Arch => ((room * 0.76).min(270.0), room),
            Shape::Rectangle => (288.0, room),
        };
        let area = Area { x: (WIDTH - w) / 2.0, y: head + 26.0 + (room - h) / 2.0, width: w, height: h };
        self.art(area, shape);
        let y = self.text(&title, WIDTH / 2.0, 46.0, Align::Centre);
        self.text(&sub, WIDTH / 2.0, y + 13.0, Align::Centre);
        self.text(&author, WIDTH / 2.0, foot, Align::Centre);
        true
    }

    fn label(&mut self) -> bool {
        let width = 252.0;
        let (title, sub) = self.set_title(width, 190.0, 5, &[46.0, 41.0, 37.0, 33.0, 30.0, 27.0, 24.0]);
        let author = self.set_author(width);
        if !(title.whole && sub.whole) || self.motif.is_scene() {
            return false;
        }
        let ruled = !author.lines.is_empty();
        let rule = if ruled { 40.0 } else { 0.0 };
        let height = (36.0 + title.height() + gap(&sub, 13.0) + rule + author.height() + 32.0).max(150.0);
        let y = if self.dice.chance(0.6) {
            84.0_f64.min((HEIGHT - height) / 2.0)
        } else {
            (HEIGHT - height) / 2.0
        };
        self.art(Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT }, Shape::Rectangle);
        let Palette { ground, ink, .. } = self.palette;
        put!(
            self.svg,
            "<path d=\"M46 {}H354V{}H46Z\" fill=\"{}\"/><path d=\"M54 {}H346V{}H54Z\" fill=\"none\" stroke=\"{}\" opacity=\".55\"/>",
            y,
            y + height,
            *ground,
            y + 8.0,
            y + height - 8.0,
            *ink
        );
        let spare = (height - 68.0 - title.height() - gap(&sub, 13.0) - rule - author.height()) / 2.0;
        let x = WIDTH / 2.0;
        let below = self.text(&title, x, y + 36.0 + spare, Align::Centre);
        let below = below + gap(&sub, 13.0);
        self.text(&sub, x, below - sub.height(), Align::Centre);
        if ruled {
            put!(self.svg, "<path d=\"M184 {}h32\" stroke=\"{}\" stroke-width=\"2\"/>", below + 20.0, *ink);
        }
        self.text(&author, x, below + rule, Align::Centre);
        true
    }

    fn strip(&mut self) -> bool {
        let band = *self.dice.pick(&[112.0, 124.0, 136.0]);
        let width = WIDTH - band - 28.0 - 24.0;
        let (title, sub) = self.set_title(width, 330.0, 7, &[60.0, 54.0, 48.0, 43.0, 38.0, 34.0, 30.0]);
        let author = self.set_author(width);
        if !(title.whole && sub.whole) {
            return false;
        }
        let (from, left, right) = if self.title.rtl {
            (WIDTH - band, 24.0, WIDTH - band - 28.0)
        } else {
            (0.0, band + 28.0, WIDTH - 24.0)
        };
        self.art(Area { x: from, y: 0.0, width: band, height: HEIGHT }, Shape::Rectangle);
        let (x, align) = self.start(left, right);
        let bar = if align == Align::Right { x - 40.0 } else { x };
        put!(self.svg, "<path d=\"M{} 48h40v6h-40Z\" fill=\"{}\"/>", bar, self.palette.ink);
        let y = self.text(&title, x, 78.0, align);
        self.text(&sub, x, y + 15.0, align);
        self.text(&author, x, HEIGHT - MARGIN - author.height(), align);
        true
    }

    fn vignette(&mut self) -> bool {
        let width = WIDTH - 2.0 * MARGIN;
        let (title, sub) = self.set_title(width, 250.0, 5, &[72.0, 66.0, 60.0, 54.0, 48.0, 43.0, 38.0, 34.0]);
        let author = self.set_author(width - 44.0);
        if !(title.whole && sub.whole) {
            return false;
        }
        let text = title.height() + gap(&sub, 15.0) + gap(&author, 32.0);
        let shape = *self.dice.pick(&[Shape::Circle, Shape::Arch, Shape::Rectangle]);
        let tall =
            (HEIGHT - text - 44.0 - MARGIN - 44.0).min(if shape == Shape::Rectangle { 300.0 } else { 264.0 });
        let side = match shape {
            Shape::Circle => tall,
            Shape::Arch => tall * 0.8,
            Shape::Rectangle => width,
        };
        let (x, align) = self.start(MARGIN, WIDTH - MARGIN);
        let from = if align == Align::Right { x - side } else { x };
        self.art(Area { x: from, y: 44.0, width: side, height: tall }, shape);
        let top = HEIGHT - MARGIN - text;
        let y = self.text(&title, x, top, align);
        self.text(&sub, x, y + 15.0, align);
        self.text(&author, x, HEIGHT - MARGIN - author.height(), align);
        self.mark(
            &author,
            if align == Align::Right { MARGIN } else { WIDTH - MARGIN - 24.0 },
            HEIGHT - MARGIN - 21.0,
        );
        true
    }

    /// Where lines begin: at the left, or at the right for a title that runs from there.
    fn start(&self, left: f64, right: f64) -> (f64, Align) {
        if self.title.rtl { (right, Align::Right) } else { (left, Align::Left) }
    }

    fn set_title(&self, width: f64, height: f64, lines: usize, sizes: &[f64]) -> (Setting, Setting) {
        // A face runs wider or narrower than the table; italics and light weights need less.
        let width = if self.face.weight == "400" { width * 1.05 } else { width };
        let title = Setting::new(&self.title.main, Room { width, height, lines, sizes });
        let lines = if title.lines.len() > 3 { 2 } else { 3 };
        let most = (title.size * 0.56).clamp(17.0, 24.0);
        let sizes = [most, 19.0_f64.min(most), 17.0];
        let sub = Setting::new(&self.title.sub, Room { width, height: 78.0, lines, sizes: &sizes });
        (title, sub)
    }

    fn set_author(&self, width: f64) -> Setting {
        let room = Room { width, height: 84.0, lines: 3, sizes: &[24.0, 22.0, 20.0, 18.0] };
        let mut joined = Setting::new(&self.authors.join(" · "), Room { lines: 2, ..room });
        if (2..=3).contains(&self.authors.len()) {
            // A line for each, where they all fit.
            let one = Room { lines: 1, ..room };
            let each: Vec<_> = self.authors.iter().map(|name| Setting::new(name, one)).collect();
            let size = each.iter().map(|set| set.size).fold(f64::INFINITY, f64::min);
            if each.iter().all(|set| set.whole) {
                joined.lines = each.into_iter().flat_map(|set| set.lines).collect();
                joined.size = size;
            }
        }
        joined
    }

    /// Writes a setting below `y` and gives the height at which it ends.
    fn text(&mut self, setting: &Setting, x: f64, y: f64, align: Align) -> f64 {
        if setting.lines.is_empty() {
            return y;
        }
        let display = setting.size > 24.0 && !self.title.main.is_empty();
        let weight =
            if display || !self.face.serif && setting.size > 24.0 { self.face.weight } else { "400" };
        let style = if self.face.italic && display { " font-style=\"italic\"" } else { "" };
        let anchor = match (align, setting.rtl) {
            (Align::Centre, _) => " text-anchor=\"middle\"",
            (Align::Left, false) | (Align::Right, true) => "",
            (Align::Left, true) | (Align::Right, false) => " text-anchor=\"end\"",
        };
        let direction = if setting.rtl { " direction=\"rtl\"" } else { "" };
        put!(
            self.svg,
            "<g font-family=\"{}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\"{}{}{}>",
            self.face.fonts(setting.script),
            setting.size,
            weight,
            self.palette.ink,
            style,
            anchor,
            direction
        );
        let mut baseline = y + setting.size * setting.script.ascent();
        for line in &setting.lines {
            put!(self.svg, "<text x=\"{}\" y=\"{}\">{}</text>", x, baseline, escape(line));
            baseline += setting.size * setting.script.leading();
        }
        self.svg.push_str("</g>");
        y + setting.height()
    }

    /// Covers the line that a renderer leaves where picture and ground meet between two pixels.
    fn seam(&mut self, area: Area) {
        let Area { x, y, width, height } = area;
        put!(
            self.svg,
            "<path d=\"M{} {}h{}v{}h-{}Z\" fill=\"{}\"/>",
            x,
            y - 1.0,
            width,
            height + 2.0,
            width,
            self.palette.ground
        );
    }

    /// The mark of the series, an open book, opposite the author's last line.
    fn mark(&mut self, author: &Setting, x: f64, y: f64) {
        if author.lines.is_empty() {
            return;
        }
        put!(
            self.svg,
            "<path transform=\"translate({} {})\" fill=\"{}\" d=\"M0 2q6-4 11 1v16q-5-5-11-1zM24 2q-6-4-11 1v16q5-5 11-1z\"/>",
            x,
            y,
            self.palette.ink
        );
    }

    /// The picture, cut to its outline.
    fn art(&mut self, area: Area, shape: Shape) {
        let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(f64::round);
        put!(
            self.svg,
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">",
            x,
            y,
            width,
            height,
            width,
            height
        );
        let half = width / 2.0;
        match shape {
            Shape::Rectangle => self.svg.push_str("<g>"),
            Shape::Circle => {
                put!(
                    self.svg,
                    "<clipPath id=\"o\"><circle cx=\"{}\" cy=\"{}\" r=\"{}\"/></clipPath><g clip-path=\"url(#o)\">",
                    half,
                    height / 2.0,
                    half.min(height / 2.0)
                );
            }
            Shape::Arch => {
                put!(
                    self.svg,
                    "<clipPath id=\"o\"><path d=\"M0 {}V{}A{} {} 0 0 1 {} {}V{}Z\"/></clipPath><g clip-path=\"url(#o)\">",
                    height,
                    half,
                    half,
                    half,
                    width,
                    half,
                    height
                );
            }
        }
        let mut art =
            Art { out: &mut self.svg, w: width, h: height, palette: self.palette, dice: &mut self.dice };
        art.fill(art.palette.field, "M-1-1H999V999H-1Z");
        self.motif.draw(&mut art);
        self.svg.push_str("</g></svg>");
    }
}

/// The height of a setting with the space above it; nothing for an empty one.
fn gap(setting: &Setting, space: f64) -> f64 {
    if setting.lines.is_empty() { 0.0 } else { space + setting.height() }
}

// ---------------------------------------------------------------------------------------------------------------
// Motifs
// ---------------------------------------------------------------------------------------------------------------

/// An abstract picture that can be drawn into any rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Motif {
    Hills,
    Tiles,
    Sprig,
    Windows,
    Rays,
    Bloom,
    Arches,
    Boat,
    Cubes,
    NightSky,
    Spines,
    Scallops,
    Peaks,
    Maze,
    Fish,
    Slices,
    Orbits,
    Eye,
    Ridges,
}

impl Motif {
    const ALL: [Self; 19] = [
        Self::Hills,
        Self::Tiles,
        Self::Sprig,
        Self::Windows,
        Self::Rays,
        Self::Bloom,
        Self::Arches,
        Self::Boat,
        Self::Cubes,
        Self::NightSky,
        Self::Spines,
        Self::Scallops,
        Self::Peaks,
        Self::Maze,
        Self::Fish,
        Self::Slices,
        Self::Orbits,
        Self::Eye,
        Self::Ridges,
    ];

    /// Whether it has one subject that a label in the middle would hide.
    fn is_scene(self) -> bool {
        matches!(self, Self::Hills | Self::Boat | Self::Peaks | Self::Eye | Self::Slices | Self::NightSky)
    }

    fn draw(self, art: &mut Art<'_>) {
        match self {
            Self::Hills => hills(art),
            Self::Tiles => tiles(art),
            Self::Sprig => sprig(art),
            Self::Windows => windows(art),
            Self::Rays => rays(art),
            Self::Bloom => bloom(art),
            Self::Arches => arches(art),
            Self::Boat => boat(art),
            Self::Cubes => cubes(art),
            Self::NightSky => night_sky(art),
            Self::Spines => spines(art),
            Self::Scallops => scallops(art),
            Self::Peaks => peaks(art),
            Self::Maze => maze(art),
            Self::Fish => fish(art),
            Self::Slices => slices(art),
            Self::Orbits => orbits(art),
            Self::Eye => eye(art),
            Self::Ridges => ridges(art),
        }
    }
}

/// The sheet that a motif draws on; its origin is the upper left corner.
struct Art<'p> {
    out: &'p mut String,
    w: f64,
    h: f64,
    palette: &'static Palette,
    dice: &'p mut Dice,
}

impl Art<'_> {
    /// The shorter side.
    fn unit(&self) -> f64 {
        self.w.min(self.h)
    }

    /// The ground first, then the three tones, round and round.
    fn tone(&self, i: usize) -> &'static str {
        let [a, b, c] = self.palette.tones;
        [self.palette.ground, a, b, c][i % 4]
    }

    fn fill(&mut self, colour: &str, path: &str) {
        put!(self.out, "<path fill=\"{}\" d=\"{}\"/>", colour, path);
    }

    fn disc(&mut self, colour: &str, x: f64, y: f64, radius: f64) {
        put!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>", x, y, radius, colour);
    }

    fn ring(&mut self, colour: &str, x: f64, y: f64, radius: f64, width: f64) {
        put!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>",
            x,
            y,
            radius,
            colour,
            width
        );
    }

    /// Shows the shape called `id`, moved, turned by degrees and scaled.
    fn stamp(&mut self, id: &str, colour: &str, at: (f64, f64), turn: f64, scale: (f64, f64)) {
        put!(
            self.out,
            "<use href=\"#{}\" fill=\"{}\" transform=\"translate({} {})rotate({})scale({} {})\"/>",
            id,
            colour,
            at.0,
            at.1,
            turn.round(),
            format!("{:.2}", scale.0),
            format!("{:.2}", scale.1)
        );
    }

    /// Defines a leaf from (0,0) to (100,0), its upper half veined in a second colour.
    fn define_leaf(&mut self, half: &str, plump: f64) {
        put!(
            self.out,
            "<defs><g id=\"l\"><path d=\"M0 0C22-{} 72-{} 100 0C72 {} 22 {} 0 0Z\"/><path fill=\"{}\" d=\"M6 0C26-{} 70-{} 94 0Z\"/></g></defs>",
            plump,
            plump * 0.9,
            plump * 0.9,
            plump,
            half,
            plump * 0.74,
            plump * 0.66
        );
    }

    /// How many cells of about `size` fit a length, and how long each then is.
    fn cells(length: f64, size: f64) -> (u32, f64) {
        let mut count = 1;
        while f64::from(count) * size + size / 2.0 < length {
            count += 1;
        }
        (count, length / f64::from(count))
    }
}

/// Layered hills before a sun.
fn hills(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let sun = (
        w * art.dice.between(0.28, 0.72),
        h * art.dice.between(0.3, 0.42),
        unit * art.dice.between(0.17, 0.25),
    );
    if art.dice.chance(0.5) {
        art.ring(art.tone(2), sun.0, sun.1, sun.2 * 1.34, 2.0);
        art.ring(art.tone(2), sun.0, sun.1, sun.2 * 1.68, 2.0);
    }
    art.disc(art.tone(1), sun.0, sun.1, sun.2);
    for (i, tone) in [3, 2, 3, 0].into_iter().enumerate() {
        let y = h * (0.5 + 0.13 * [0.0, 1.0, 2.0, 2.9][i]);
        let rise = h.min(w * 1.2) * art.dice.between(0.07, 0.16) * if i % 2 == 0 { 1.0 } else { -1.0 };
        let mut path = String::new();
        put!(
            path,
            "M0 {}C{} {} {} {} {} {}S{} {} {} {}V{}H0Z",
            y,
            w * 0.18,
            y - rise,
            w * 0.34,
            y - rise,
            w * 0.52,
            y,
            w * 0.82,
            y + rise,
            w,
            y - rise * 0.4,
            h
        );
        art.fill(art.tone(tone), &path);
        // A thin light edge parts two hills of one colour.
        if i == 2 {
            put!(
                art.out,
                "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
                path,
                art.palette.field
            );
        }
    }
}

/// Rows of nested arches.
fn arches(art: &mut Art<'_>) {
    let (columns, cw) = Art::cells(art.w, *art.dice.pick(&[100.0, 134.0, 134.0, 200.0]));
    let (rows, ch) = Art::cells(art.h, cw * 1.12);
    let first = if art.dice.chance(0.5) { 0 } else { 2 };
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (f64::from(column) * cw, f64::from(row) * ch);
            let turn = usize::from((row + column) % 2 == 1) + first;
            for (i, tone) in [turn, turn + 1, turn + 3, turn + 2].into_iter().enumerate() {
                let inset = cw * [0.05, 0.16, 0.28, 0.38][i];
                let radius = cw / 2.0 - inset;
                let mut path = String::new();
                put!(
                    path,
                    "M{} {}V{}A{} {} 0 0 1 {} {}V{}Z",
                    x + inset,
                    y + ch,
                    y + cw / 2.0 + 2.0,
                    radius,
                    radius,
                    x + cw - inset,
                    y + cw / 2.0 + 2.0,
                    y + ch
                );
                art.fill(art.tone(tone), &path);
            }
        }
    }
}

/// Square tiles of quarter discs, half discs, leaves and triangles.
fn tiles(art: &mut Art<'_>) {
    let (columns, cw) = Art::cells(
        art.w,
        if art.h > 450.0 && art.w > 240.0 {
            134.0
        } else if art.w > 240.0 {
            100.0
        } else {
            62.0
        },
    );
    let (rows, ch) = Art::cells(art.h, cw);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (f64::from(column) * cw, f64::from(row) * ch);
            let back = *art.dice.pick(&[4, 4, 0, 1, 2, 3]);
            let mut front = *art.dice.pick(&[0, 0, 1, 2, 3, 4]);
            if front == back {
                front = usize::from(back == 0);
            }
            let colour = |i: usize| if i == 4 { art.palette.field } else { art.tone(i) };
            let (back, front) = (colour(back), colour(front));
            let turn = *art.dice.pick(&[0.0, 90.0, 180.0, 270.0]);
            let shape = *art.dice.pick(&[
                "M0 0H100A100 100 0 0 1 0 100Z",
                "M0 0H100A100 100 0 0 1 0 100Z",
                "M0 0H100A50 50 0 0 1 0 0ZM0 50H100A50 50 0 0 1 0 50Z",
                "M0 0A100 100 0 0 1 100 100A100 100 0 0 1 0 0Z",
                "M0 0A100 100 0 0 1 100 100A100 100 0 0 1 0 0Z",
                "M0 0H100L0 100Z",
                "M50 8A42 42 0 0 1 50 92A42 42 0 0 1 50 8Z",
                "M100 0A100 100 0 0 1 0 100V66A66 66 0 0 0 66 0ZM33 0A33 33 0 0 1 0 33V0Z",
            ]);
            if back != art.palette.field {
                let mut square = String::new();
                put!(square, "M{} {}h{}v{}h-{}Z", x, y, cw + 0.4, ch + 0.4, cw + 0.4);
                art.fill(back, &square);
            }
            put!(
                art.out,
                "<path fill=\"{}\" transform=\"translate({} {})scale({} {})rotate({} 50 50)\" d=\"{}\"/>",
                front,
                x,
                y,
                format!("{:.3}", cw / 100.0),
                format!("{:.3}", ch / 100.0),
                turn,
                shape
            );
        }
    }
}

/// Overlapping scales, as of fish or of the sea in old prints.
fn scallops(art: &mut Art<'_>) {
    let size = if art.w * art.h > 180_000.0 { 134.0 } else { *art.dice.pick(&[80.0, 100.0, 134.0]) };
    let (columns, cw) = Art::cells(art.w, if art.w > 240.0 { size } else { 60.0 });
    let r = cw / 2.0;
    let field = art.palette.field;
    for (id, middle) in [("a", art.tone(3)), ("b", art.tone(1))] {
        put!(
            art.out,
            "<defs><g id=\"{}\"><circle r=\"{}\" fill=\"{}\"/><circle r=\"{}\" fill=\"{}\"/><circle r=\"{}\" fill=\"{}\"/><circle r=\"{}\" fill=\"{}\"/></g></defs>",
            id,
            r,
            art.palette.ground,
            r * 0.84,
            field,
            r * 0.66,
            middle,
            r * 0.3,
            field
        );
    }
    let mut y = 0.0;
    let mut odd = false;
    while y < art.h + r {
        for column in 0..=columns {
            let x = f64::from(column) * cw + if odd { 0.0 } else { r };
            let id = if art.dice.chance(0.2) { "b" } else { "a" };
            put!(art.out, "<use href=\"#{}\" x=\"{}\" y=\"{}\"/>", id, x, y);
        }
        y += r * 0.52;
        odd = !odd;
    }
}

/// Branches with leaves, cut as in linoleum.
fn sprig(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    art.define_leaf(art.tone(3), 30.0);
    let (stems, step) = Art::cells(w, (h * 0.62).max(134.0));
    for stem in 0..stems {
        let x = (f64::from(stem) + 0.5) * step;
        let lean = step * art.dice.between(-0.16, 0.16);
        let top = h * art.dice.between(0.1, 0.16);
        put!(
            art.out,
            "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\"/>",
            x,
            h + 8.0,
            x,
            h * 0.5,
            x + lean,
            top,
            art.palette.ground
        );
        let pairs = (h / (step * 0.26)).clamp(4.0, 9.0).floor();
        let mut pair = 0.0;
        while pair < pairs {
            let t = 0.06 + 0.88 * pair / pairs;
            let at = (x + lean * t * t, h + 8.0 - (h + 8.0 - top) * (0.98 * t + 0.02 * t * t));
            let length = (step * 0.47).min(h * 0.42) * (1.06 - 0.56 * t) / 100.0;
            for side in [-1.0, 1.0] {
                let turn = -90.0 + side * art.dice.between(48.0, 60.0);
                let berry = art.dice.chance(0.16) && pair > 0.0;
                if berry {
                    let (sin, cos) = turn.to_radians().sin_cos();
                    let reach = length * 46.0;
                    put!(
                        art.out,
                        "<path d=\"M{} {}l{} {}\" stroke=\"{}\" stroke-width=\"3\"/>",
                        at.0,
                        at.1,
                        cos * reach,
                        sin * reach,
                        art.palette.ground
                    );
                    art.disc(art.tone(1), at.0 + cos * reach, at.1 + sin * reach, length * 13.0 + 2.0);
                } else {
                    let colour = if art.dice.chance(0.14) { art.tone(2) } else { art.palette.ground };
                    art.stamp("l", colour, at, turn, (length, length * -side));
                }
            }
            pair += 1.0;
        }
        art.stamp(
            "l",
            art.tone(1),
            (x + lean, top + h * 0.05),
            -90.0 + lean * 0.2,
            (h * 0.0012 + 0.1, h * 0.0012 + 0.1),
        );
    }
}

/// Stars joined to a constellation, over star trails.
fn night_sky(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let moon = (w * art.dice.between(0.2, 0.8), h * art.dice.between(0.2, 0.32), unit * 0.15);
    let mut radius = moon.2 * 2.1;
    while radius < (w + h) * 0.85 {
        art.ring(art.tone(3), moon.0, moon.1, radius, 1.6);
        radius += unit * 0.13;
    }
    art.disc(art.tone(1), moon.0, moon.1, moon.2);
    if art.dice.chance(0.6) {
        art.disc(art.palette.field, moon.0 + moon.2 * 0.42, moon.1 - moon.2 * 0.16, moon.2 * 0.84);
    }
    put!(
        art.out,
        "<defs><path id=\"s\" d=\"M0-10Q1.4-1.4 10 0Q1.4 1.4 0 10Q-1.4 1.4-10 0Q-1.4-1.4 0-10Z\"/></defs>"
    );
    let mut points = Vec::new();
    let (steps, step) = if w > h { Art::cells(w, w / 5.0) } else { Art::cells(h, h / 7.0) };
    for i in 0..steps {
        let along = (f64::from(i) + art.dice.between(0.3, 0.7)) * step;
        let across = art.dice.between(0.0, 1.0);
        points.push(if w > h {
            (along, h * (0.46 + across * 0.42))
        } else {
            (w * (0.14 + across * 0.72), along)
        });
    }
    let mut line = String::from("M");
    for (x, y) in &points {
        put!(line, "{} {} ", *x, *y);
    }
    put!(
        art.out,
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>",
        line,
        art.palette.ground
    );
    for at in points {
        let scale = unit.max(180.0) * art.dice.between(0.0045, 0.0085);
        let colour = if art.dice.chance(0.3) { art.tone(1) } else { art.palette.ground };
        art.stamp("s", colour, at, 0.0, (scale, scale));
    }
    for _ in 0..16 {
        let (at, size) = ((art.dice.between(0.0, w), art.dice.between(0.0, h)), art.dice.between(1.4, 3.2));
        art.disc(art.palette.ground, at.0, at.1, size);
    }
}

/// A disc cut in slices that have slipped.
fn slices(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    let radius = (w.min(h) * 0.42).max(w.max(h) * 0.3).min(w * 0.37);
    let discs: &[f64] = if h > w * 2.2 { &[0.2, 0.5, 0.8] } else { &[0.5] };
    let radius = if discs.len() > 1 { radius.min(h * 0.15) } else { radius.min(h * 0.46) };
    let slip = radius * art.dice.between(0.16, 0.3);
    for at in discs {
        let (cx, cy) = (w / 2.0, h * at);
        let mut y0 = -radius;
        let mut left = art.dice.chance(0.5);
        let accent = art.dice.between(-0.6, 0.5) * radius;
        while y0 < radius - 0.5 {
            let y1 = (y0 + radius * art.dice.between(0.13, 0.34)).min(radius);
            let dx = if left { -slip } else { slip } * art.dice.between(0.5, 1.0);
            let (x0, x1) = ((radius * radius - y0 * y0).sqrt(), (radius * radius - y1 * y1).max(0.0).sqrt());
            let mut path = String::new();
            put!(
                path,
                "M{} {}A{} {} 0 0 0 {} {}H{}A{} {} 0 0 0 {} {}Z",
                cx - x0 + dx,
                cy + y0,
                radius,
                radius,
                cx - x1 + dx,
                cy + y1,
                cx + x1 + dx,
                radius,
                radius,
                cx + x0 + dx,
                cy + y0
            );
            let other = *art.dice.pick(&[0, 0, 0, 0, 2, 3]);
            let colour = art.tone(if y0 <= accent && accent < y1 { 1 } else { other });
            art.fill(colour, &path);
            y0 = y1;
            left = !left;
        }
    }
}

/// Planets on their rings.
fn orbits(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let centre = (w * *art.dice.pick(&[0.5, 0.12, 0.88]), h * *art.dice.pick(&[0.5, 0.5, 0.86]));
    let reach = (w - centre.0).max(centre.0).hypot((h - centre.1).max(centre.1));
    let step = unit.max(160.0) * art.dice.between(0.11, 0.14);
    let mut radius = step * 1.7;
    let mut turn: usize = 0;
    while radius < reach {
        let wide = turn % 3 == 1;
        art.ring(
            if wide { art.tone(3) } else { art.palette.ground },
            centre.0,
            centre.1,
            radius,
            if wide { step * 0.42 } else { 2.0 },
        );
        // A planet where the ring is well inside the sheet.
        for _ in 0..12 {
            let (sin, cos) = art.dice.between(0.0, TAU).sin_cos();
            let (x, y) = (centre.0 + radius * cos, centre.1 + radius * sin);
            let edge = unit * 0.08;
            if x > edge && x < w - edge && y > edge && y < h - edge {
                let size = step * art.dice.between(0.18, 0.46);
                let colour = art.tone(turn + usize::from(turn % 4 == 3));
                art.disc(art.palette.field, x, y, size + 4.0);
                art.disc(colour, x, y, size);
                break;
            }
        }
        radius += step;
        turn += 1;
    }
    art.disc(art.tone(1), centre.0, centre.1, step);
}

/// Stacked cubes.
fn cubes(art: &mut Art<'_>) {
    let (columns, cw) =
        Art::cells(art.w, if art.w > 240.0 { *art.dice.pick(&[80.0, 100.0, 134.0]) } else { 66.0 });
    let (x, y) = (cw / 2.0, cw * 0.288_675);
    for (id, top, left, right) in [
        ("a", art.tone(2), art.tone(3), art.palette.ground),
        ("b", art.tone(1), art.tone(3), art.palette.ground),
    ] {
        put!(
            art.out,
            "<defs><g id=\"{}\"><path fill=\"{}\" d=\"M0-{}L{}-{}L0 0L-{}-{}Z\"/><path fill=\"{}\" d=\"M0 0L-{}-{}V{}L0 {}Z\"/><path fill=\"{}\" d=\"M0 0L{}-{}V{}L0 {}Z\"/></g></defs>",
            id,
            top,
            y * 2.0,
            x,
            y,
            x,
            y,
            left,
            x,
            y,
            y,
            y * 2.0,
            right,
            x,
            y,
            y,
            y * 2.0
        );
    }
    let mut cy = art.h % (y * 3.0) / 2.0 - y * 3.0;
    let mut odd = false;
    let bare = art.dice.between(0.06, 0.3);
    while cy < art.h + y * 3.0 {
        for column in 0..=columns {
            if !art.dice.chance(bare) {
                let id = if art.dice.chance(0.16) { "b" } else { "a" };
                put!(
                    art.out,
                    "<use href=\"#{}\" x=\"{}\" y=\"{}\"/>",
                    id,
                    f64::from(column) * cw + if odd { 0.0 } else { x },
                    cy
                );
            }
        }
        cy += y * 3.0;
        odd = !odd;
    }
}

/// Shelves of book spines.
fn spines(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    let (rows, row) = Art::cells(h, 150.0);
    for shelf in 1..=rows {
        let floor = f64::from(shelf) * row - 7.0;
        let mut x = art.dice.between(-14.0, 4.0);
        let mut paths = [const { String::new() }; 5];
        while x < w {
            let wide = art.dice.between(15.0, 40.0);
            let tall = (row - 7.0) * art.dice.between(0.56, 0.9);
            let top = floor - tall;
            let colour = *art.dice.pick(&[0, 0, 1, 2, 3]);
            put!(paths[colour], "M{} {}h{}V{}h-{}Z", x, top, wide, floor, wide);
            let band = if colour == 0 { 2 } else { 4 };
            if wide > 20.0 {
                let at = top + tall * art.dice.between(0.12, 0.2);
                put!(paths[band], "M{} {}h{}v{}h-{}Z", x, at, wide, 4.0, wide);
                if art.dice.chance(0.5) {
                    put!(paths[band], "M{} {}h{}v{}h-{}Z", x, floor - tall * 0.16, wide, 9.0, wide);
                }
            }
            x += wide + if art.dice.chance(0.12) { art.dice.between(10.0, 26.0) } else { 2.0 };
        }
        // Spines first, bands over them; a colour is never banded in itself.
        for i in [1, 3, 0, 2, 4] {
            let colour = if i == 4 { art.palette.field } else { art.tone(i) };
            let path = std::mem::take(&mut paths[i]);
            art.fill(colour, &path);
        }
        let mut board = String::new();
        put!(board, "M0 {}H{}v{}H0Z", floor, w, 7.0);
        art.fill(art.palette.ground, &board);
    }
}

/// Facetted mountains.
fn peaks(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let sun =
        (w * art.dice.between(0.2, 0.8), h * art.dice.between(0.2, 0.3), unit * art.dice.between(0.11, 0.17));
    art.disc(art.tone(1), sun.0, sun.1, sun.2);
    let (count, step) = Art::cells(w, unit.max(150.0) * 0.46);
    for (layer, pair) in [(0.0, [2, 3]), (1.0, [3, 0])] {
        // The sun stands behind: the lighter colour faces it.
        let [mut light, mut dark] = pair.map(|tone| art.tone(tone));
        if luminance(light) < luminance(dark) {
            std::mem::swap(&mut light, &mut dark);
        }
        for i in 0..=count {
            let x =
                (f64::from(i) + if layer > 0.0 { 0.0 } else { 0.5 } + art.dice.between(-0.16, 0.16)) * step;
            let top = h * (0.34 + layer * 0.26 + art.dice.between(-0.07, 0.1));
            let half = step * art.dice.between(0.8, 1.05) + (h - top) * 0.18;
            let (tall, bend) = (h - top, half * art.dice.between(0.14, 0.26));
            let mut face = String::new();
            put!(face, "M{} {}L{} {}H{}Z", x, top, x - half, h, x + half);
            art.fill(if sun.0 < x { dark } else { light }, &face);
            let side = if sun.0 < x { -half } else { half };
            let bend = bend.copysign(side);
            let mut lit = String::new();
            put!(
                lit,
                "M{} {}L{} {}L{} {}L{} {}L{} {}H{}Z",
                x,
                top,
                x - bend * 0.5,
                top + tall * 0.3,
                x + bend * 0.3,
                top + tall * 0.42,
                x - bend * 0.9,
                top + tall * 0.74,
                x - bend * 0.5,
                h,
                x + side
            );
            art.fill(if sun.0 < x { light } else { dark }, &lit);
        }
    }
    let mut lake = String::new();
    put!(lake, "M0 {}H{}V{}H0Z", h * 0.93, w, h);
    art.fill(art.palette.ground, &lake);
}

/// One large flower.
fn bloom(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    art.define_leaf(art.tone(3), 24.0);
    if art.dice.chance(0.5) && w > 240.0 {
        let centre = (w * *art.dice.pick(&[0.16, 0.84, 0.5]), h * *art.dice.pick(&[0.9, 0.62]));
        flower(art, centre, w.max(h) * 0.72);
    } else if h > w * 2.2 {
        // A tall strip: one below the other, from both edges.
        art.out.push_str("<defs><g id=\"f\">");
        flower(art, (0.0, 0.0), w * 0.8);
        art.out.push_str("</g></defs>");
        for (across, down) in [(1.0, 0.14), (0.0, 0.5), (1.0, 0.86)] {
            put!(art.out, "<use href=\"#f\" x=\"{}\" y=\"{}\"/>", w * across, h * down);
        }
    } else {
        flower(art, (w / 2.0, h / 2.0), w.max(h).min(w.min(h) * 1.5) * 0.5);
    }
}

fn flower(art: &mut Art<'_>, centre: (f64, f64), reach: f64) {
    let petals = *art.dice.pick(&[10.0, 12.0, 14.0, 16.0]);
    let skew = art.dice.between(0.0, 30.0);
    for (ring, (tone, size)) in [(0, 1.0), (2, 0.68), (1, 0.42)].into_iter().enumerate() {
        let scale =
            [reach * size / 100.0, reach * size * 7.0 / (petals * 48.0)].map(|scale| format!("{scale:.2}"));
        put!(art.out, "<g fill=\"{}\" transform=\"translate({} {})\">", art.tone(tone), centre.0, centre.1);
        let mut petal = if ring == 1 { 0.5 } else { 0.0 };
        while petal < petals {
            let turn = skew + 360.0 * petal / petals;
            put!(
                art.out,
                "<use href=\"#l\" transform=\"rotate({})scale({} {})\"/>",
                turn,
                scale[0],
                scale[1]
            );
            petal += 1.0;
        }
        art.out.push_str("</g>");
    }
    art.disc(art.palette.ground, centre.0, centre.1, reach * 0.13);
    art.disc(art.tone(1), centre.0, centre.1, reach * 0.08);
}

/// Broken rings around a point: a maze, a tree, an echo.
fn maze(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let centre = (w * art.dice.between(0.34, 0.66), h * art.dice.between(0.36, 0.64));
    let step = unit.max(170.0) * art.dice.between(0.07, 0.095);
    let reach = (w - centre.0).max(centre.0).hypot((h - centre.1).max(centre.1));
    let mut radius = step * 2.0;
    let mut k = 0;
    let accent = *art.dice.pick(&[1, 2, 3]);
    while radius < reach + step {
        let round = TAU * radius;
        let opening = step * art.dice.between(1.0, 2.2);
        let second = round * art.dice.between(0.25, 0.7);
        let colour = if k == accent {
            art.tone(1)
        } else if k % 4 == 3 {
            art.tone(3)
        } else {
            art.palette.ground
        };
        put!(
            art.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{} {} {} {}\" transform=\"rotate({} {} {})\"/>",
            centre.0,
            centre.1,
            radius,
            colour,
            step * 0.5,
            second - opening,
            opening,
            round - second - opening,
            opening,
            art.dice.between(0.0, 360.0),
            centre.0,
            centre.1
        );
        radius += step;
        k += 1;
    }
    art.disc(art.tone(1), centre.0, centre.1, step * 0.8);
}

/// Beams from a half-risen sun.
fn rays(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let centre = (w * *art.dice.pick(&[0.5, 0.5, 0.0, 1.0]), h * *art.dice.pick(&[1.0, 1.0, 0.72]));
    let reach = w.hypot(h) * 1.1;
    let beams = *art.dice.pick(&[28.0, 36.0, 44.0]);
    let skew = art.dice.between(0.0, TAU / beams);
    let mut paths = [const { String::new() }; 2];
    let mut k = 0.0;
    while k < beams {
        let (from, to) = (skew + TAU * k / beams, skew + TAU * (k + 0.5) / beams);
        let middle = f64::midpoint(from, to);
        if middle.sin() < 0.25 {
            let turn = usize::from(art.dice.chance(0.3));
            put!(
                paths[turn],
                "M{} {}L{} {}L{} {}Z",
                centre.0,
                centre.1,
                centre.0 + reach * from.cos(),
                centre.1 + reach * from.sin(),
                centre.0 + reach * to.cos(),
                centre.1 + reach * to.sin()
            );
        }
        k += 1.0;
    }
    let [main, some] = paths;
    art.fill(art.palette.ground, &main);
    art.fill(art.tone(3), &some);
    let sun = unit.max(150.0) * art.dice.between(0.22, 0.3);
    for (tone, size) in [(4, 1.36), (2, 1.22), (4, 1.08), (1, 1.0)] {
        let colour = if tone == 4 { art.palette.field } else { art.tone(tone) };
        art.disc(colour, centre.0, centre.1, sun * size);
    }
    if centre.1 < h {
        let mut sea = String::new();
        put!(sea, "M0 {}H{}V{}H0Z", centre.1, w, h);
        art.fill(art.palette.ground, &sea);
        let mut waves = String::new();
        let mut y = centre.1 + (h - centre.1) * 0.3;
        while y < h {
            let half = w * art.dice.between(0.1, 0.34);
            put!(waves, "M{} {}h{}v3h-{}Z", centre.0 - half, y, half * 2.0, half * 2.0);
            y += 14.0;
        }
        art.fill(art.tone(1), &waves);
    }
}

/// A shoal, and one that swims against it.
fn fish(art: &mut Art<'_>) {
    let (columns, cw) = Art::cells(art.w, *art.dice.pick(&[100.0, 134.0]));
    let (rows, ch) = Art::cells(art.h, cw * 0.56);
    put!(
        art.out,
        "<defs><g id=\"f\"><path d=\"M-44 0Q-6-40 44 0Q-6 40-44 0ZM-36 0L-58-19Q-50 0-58 19Z\"/><path fill=\"{}\" d=\"M-8-20Q2 0-8 20L-14 18.600Q-4 0-14-18.600Z\"/><circle cx=\"24\" cy=\"-5\" r=\"4\" fill=\"{}\"/></g></defs>",
        art.palette.field,
        art.palette.field
    );
    let odd_one = art.dice.roll() % (rows * columns);
    let scale = (cw / 134.0).min(ch / 64.0);
    for row in 0..rows {
        for column in 0..=columns {
            let shift = if row % 2 == 1 { 0.0 } else { 0.5 };
            let at = ((f64::from(column) + shift) * cw, (f64::from(row) + 0.5) * ch);
            let odd = row * columns + column == odd_one && column > 0;
            let other = *art.dice.pick(&[0, 0, 0, 3, 2]);
            let turn = art.dice.between(-5.0, 5.0);
            art.stamp(
                "f",
                art.tone(if odd { 1 } else { other }),
                at,
                turn,
                (if odd { -scale } else { scale }, scale),
            );
        }
    }
}

/// Lines of a signal that rises like a range of hills.
fn ridges(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    let (lines, step) = Art::cells(h * 0.74, (h * 0.052).max(17.0));
    let peak = (w * art.dice.between(0.36, 0.64), w * art.dice.between(0.16, 0.24));
    let accent = art.dice.roll() % lines;
    for i in 0..lines {
        let y = h * 0.24 + (f64::from(i) + 0.4) * step;
        let mut path = String::new();
        put!(path, "M-4 {}", y);
        let stride = w / 12.0;
        let mut x = stride;
        while x < w {
            let near = ((x - peak.0) / peak.1).powi(2);
            let lift = step * (0.2 + 4.2 * (-near).exp()) * art.dice.between(0.15, 1.0);
            let [from, high, to, low] = [x - stride / 2.0, y - lift, x, y - lift * 0.35].map(f64::round);
            put!(path, "Q{} {} {} {}", from, high, to, low);
            x += stride;
        }
        put!(path, "L{} {}", w + 4.0, y);
        let colour = if i == accent { art.tone(1) } else { art.palette.ground };
        put!(
            art.out,
            "<path d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>",
            path,
            art.palette.field,
            colour,
            if i == accent { 4.5 } else { 2.6 }
        );
    }
}

/// A house front at night, one window lit.
fn windows(art: &mut Art<'_>) {
    let size = if art.w * art.h > 180_000.0 { 100.0 } else { *art.dice.pick(&[66.0, 80.0, 100.0]) };
    let (columns, cw) = Art::cells(art.w, size);
    let (rows, ch) = Art::cells(art.h, cw * 1.3);
    let lit = art.dice.roll() % (rows * columns);
    let arched = art.dice.chance(0.65);
    let mut panes = String::new();
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (f64::from(column) * cw, f64::from(row) * ch);
            let (left, right, top, foot) = (x + cw * 0.2, x + cw * 0.8, y + ch * 0.16, y + ch * 0.86);
            let r = cw * 0.3;
            let on = row * columns + column == lit;
            let colour = if on {
                art.tone(1)
            } else if art.dice.chance(0.2) {
                art.tone(3)
            } else {
                art.palette.ground
            };
            let mut path = String::new();
            if arched {
                put!(
                    path,
                    "M{} {}V{}A{} {} 0 0 1 {} {}V{}Z",
                    left,
                    foot,
                    top + r,
                    r,
                    r,
                    right,
                    top + r,
                    foot
                );
            } else {
                put!(path, "M{} {}V{}H{}V{}Z", left, foot, top, right, foot);
            }
            art.fill(colour, &path);
            let middle = x + cw / 2.0;
            put!(panes, "M{} {}V{}M{} {}H{}", middle, top, foot, left, f64::midpoint(top + r, foot), right);
            if on {
                // Somebody is up, reading.
                let mut reader = String::new();
                put!(
                    reader,
                    "M{} {}v-{}a{} {} 0 0 1 {} 0v{}Z",
                    middle - r * 0.6,
                    foot,
                    r * 0.4,
                    r * 0.6,
                    r * 0.6,
                    r * 1.2,
                    r * 0.4
                );
                art.fill(art.palette.ground, &reader);
                art.disc(art.palette.ground, middle, foot - r * 1.3, r * 0.36);
            }
        }
    }
    let field = art.palette.field;
    put!(art.out, "<path d=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>", panes, field);
}

/// An eye, or several.
fn eye(art: &mut Art<'_>) {
    let (columns, cw) = Art::cells(art.w, *art.dice.pick(&[134.0, 400.0, 400.0]));
    let (rows, ch) = Art::cells(art.h, cw * 0.86);
    let shut = if rows * columns > 2 { art.dice.roll() % (rows * columns) } else { u32::MAX };
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = ((f64::from(column) + 0.5) * cw, (f64::from(row) + 0.5) * ch);
            let half = cw * 0.42;
            let bulge = (ch * 0.62).min(half * 1.0);
            let mut lashes = String::new();
            let below = row * columns + column == shut;
            for i in 0..9 {
                let turn = PI * (0.14 + 0.09 * f64::from(i));
                let (sin, cos) = turn.sin_cos();
                let lift = if below { -1.0 } else { 1.0 };
                let (from, to) = (bulge * 0.62, (bulge * 0.86).min(ch * 0.48));
                put!(
                    lashes,
                    "M{} {}L{} {}",
                    x - cos * from * 1.25,
                    y - lift * sin * from,
                    x - cos * to * 1.3,
                    y - lift * sin * to
                );
            }
            put!(
                art.out,
                "<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                lashes,
                art.palette.ground,
                cw * 0.014 + 1.0
            );
            let mut lid = String::new();
            put!(
                lid,
                "M{} {}Q{} {} {} {}Q{} {} {} {}Z",
                x - half,
                y,
                x,
                y - bulge,
                x + half,
                y,
                x,
                y + bulge,
                x - half,
                y
            );
            if below {
                let mut closed = String::new();
                put!(
                    closed,
                    "M{} {}Q{} {} {} {}Q{} {} {} {}Z",
                    x - half,
                    y,
                    x,
                    y + bulge,
                    x + half,
                    y,
                    x,
                    y + bulge * 0.76,
                    x - half,
                    y
                );
                art.fill(art.palette.ground, &closed);
                continue;
            }
            art.fill(art.palette.ground, &lid);
            let iris = bulge * 0.44;
            for (tone, size) in [(3, 1.0), (1, 0.84), (0, 0.42)] {
                art.disc(art.tone(tone), x, y, iris * size);
            }
            art.disc(art.palette.field, x + iris * 0.26, y - iris * 0.28, iris * 0.16);
        }
    }
}

/// A small boat under a large sky.
fn boat(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let sea = h * art.dice.between(0.66, 0.74);
    let sun = (
        w * *art.dice.pick(&[0.3, 0.5, 0.7]),
        sea - unit * art.dice.between(0.12, 0.3),
        unit * art.dice.between(0.22, 0.3),
    );
    art.disc(art.tone(2), sun.0, sun.1, sun.2);
    art.ring(art.tone(2), sun.0, sun.1, sun.2 * 1.22, 2.0);
    let size = unit.clamp(120.0, 380.0) * art.dice.between(0.0038, 0.0046);
    let at = (w * art.dice.between(0.36, 0.64), sea + 5.0);
    put!(
        art.out,
        "<g transform=\"translate({} {})scale({})\"><path fill=\"{}\" d=\"M-42-16H42Q34 6 14 8H-18Q-36 4-42-16Z\"/><path fill=\"{}\" d=\"M-3-22V-104Q-40-62-44-22Z\"/><path fill=\"{}\" d=\"M3-22V-92Q32-58 36-22Z\"/></g>",
        at.0,
        at.1,
        size,
        art.palette.ground,
        art.tone(1),
        art.palette.ground
    );
    let mut y = sea;
    for (i, tone) in [3, 0, 3, 0].into_iter().enumerate() {
        let length = w / [3.0, 4.0, 3.0, 2.0][i] / (w / 400.0).max(0.5).recip().max(1.0);
        let lift = length * 0.13;
        let mut path = String::new();
        let mut x = -length * art.dice.between(0.1, 0.9);
        put!(path, "M{} {}", x, y + lift);
        while x < w {
            put!(path, "q{} -{} {} 0", length / 2.0, lift * 2.0, length);
            x += length;
        }
        put!(path, "V{}H-{}Z", h, length);
        art.fill(art.tone(tone), &path);
        y += (h - sea) * 0.27;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book<'a>(id: i64, title: &'a str, author: &'a str, genre: &'a str) -> Cover<'a> {
        Cover { id, title, author, genre }
    }

    /// Enough of an XML reader to refuse what a browser would refuse.
    fn check_well_formed(xml: &str) {
        assert!(
            xml.chars().all(|c| matches!(u32::from(c), 0x20..=0xd7ff | 0xe000..=0xfffd | 0x10000..)),
            "a character that XML forbids: {xml:?}"
        );
        let mut open = Vec::new();
        let mut rest = xml;
        while let Some(start) = rest.find('<') {
            check_entities(&rest[..start]);
            let end = start + rest[start..].find('>').expect("every tag ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "tags close in turn");
                continue;
            }
            let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag.trim_end_matches('/'), ""));
            attributes = attributes.trim_end_matches('/').trim();
            let mut names = Vec::new();
            while !attributes.is_empty() {
                let (attribute, value) = attributes.split_once("=\"").expect("an attribute has a value");
                assert!(attribute.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{attribute}");
                assert!(!names.contains(&attribute), "{attribute} twice in {tag}");
                names.push(attribute);
                let (value, more) = value.split_once('"').expect("a value ends");
                assert!(!value.contains('<'));
                check_entities(value);
                attributes = more.trim_start();
            }
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty() && rest.is_empty(), "open at the end: {open:?} {rest:?}");
    }

    fn check_entities(text: &str) {
        for (at, _) in text.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
            assert!(known.iter().any(|entity| text[at..].starts_with(entity)), "{text}");
        }
    }

    /// The value of an attribute in each element of a name.
    fn values(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
        let key = format!(" {attribute}=\"");
        svg.split(&format!("<{element} "))
            .skip(1)
            .map(|rest| {
                let rest = format!(" {rest}");
                let value = rest.split(&key).nth(1).and_then(|rest| rest.split('"').next());
                value.expect("the attribute is there").parse().expect("it is a number")
            })
            .collect()
    }

    fn awkward_titles() -> Vec<String> {
        let mut titles: Vec<String> = [
            "",
            "A",
            "1984",
            " \t\n ",
            "<script>alert(\"&\")</script> & 'more' ]]>",
            "Null \u{0} bell \u{7} escape \u{1b} \u{fffe} \u{feff} del \u{7f} \u{85} \u{2028} end",
            "Override \u{202e} isolate \u{2066} unclosed",
            "Z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}algo",
            "e\u{301}",
            "\u{301}",
            "👩‍👩‍👧‍👦 family 🏳️‍🌈",
            "गोदान",
            "अभिज्ञानशाकुन्तलम्",
            "பொன்னியின் செல்வன்",
            "سیرت: قرۃ العین حیدر (1959)",
            "קיצור תולדות האנושות",
            "红楼梦",
            "吾輩は猫である",
            "엄마를 부탁해",
            "สี่แผ่นดินสี่แผ่นดินสี่แผ่นดินสี่แผ่นดินสี่แผ่นดิน",
            "Преступление и наказание",
            "Βίος και πολιτεία του Αλέξη Ζορμπά",
            "Frankenstein; or, The Modern Prometheus",
            "The Hunger Games (The Hunger Games, #1)",
            "[Report : open",
            "(in brackets)",
            ": ",
            " / ",
            "A: ",
            "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
        ]
        .map(str::to_owned)
        .to_vec();
        titles.push("History of the ".repeat(64));
        titles.push("史".repeat(958));
        titles.push("W".repeat(958));
        titles.push("ക്ഷ്മി".repeat(120));
        titles.push("\u{301}".repeat(958));
        titles
    }

    #[test]
    fn every_cover_is_well_formed_and_self_contained() {
        let authors =
            ["", ";", "R. K. Narayan", "A & B; <C>; D", "प्रेमचंद", "עמוס עוז", &"Committee; ".repeat(62)];
        let genres = ["", "Poetry", "Physics", "Mystery", "Children's", "Law", "Graphic <Novels>", "Essays"];
        for (i, title) in (0_i64..).zip(awkward_titles()) {
            for step in 0..(19 * 11) {
                let turn = usize::try_from(step).unwrap();
                let cover = book(
                    i + step * 7 - 300,
                    &title,
                    authors[turn % authors.len()],
                    genres[turn % genres.len()],
                );
                let svg = draw(&cover);
                check_well_formed(&svg);
                assert_eq!(svg.matches("http").count(), 1, "only the namespace: {svg}");
                assert_eq!(svg.matches("href=\"").count(), svg.matches("href=\"#").count());
                assert!(svg.len() < 9_000, "{} bytes for {cover:?}", svg.len());
            }
        }
    }

    #[test]
    fn the_extremes_of_an_id_are_fine() {
        for id in [i64::MIN, -1, 0, 1, i64::MAX] {
            check_well_formed(&draw(&book(id, "Emma", "Jane Austen", "")));
        }
    }

    #[test]
    fn a_cover_is_the_same_every_time_and_differs_from_book_to_book() {
        let emma = book(7, "Emma", "Jane Austen", "Classics");
        assert_eq!(draw(&emma), draw(&emma));
        assert_ne!(draw(&emma), draw(&Cover { id: 8, ..emma }));
        assert_ne!(draw(&emma), draw(&Cover { title: "Persuasion", ..emma }));
    }

    #[test]
    fn neighbours_differ_in_colour_and_picture() {
        for id in 0..500_i64 {
            for near in [1, 2, 3, 4, 5, 6] {
                assert_ne!(Palette::choose(id).ground, Palette::choose(id + near).ground);
            }
            for family in FAMILIES.map(|(family, _)| family) {
                assert_ne!(family.motif(id), family.motif(id + 1), "{family:?}");
            }
        }
    }

    #[test]
    fn every_motif_is_used() {
        for motif in Motif::ALL {
            assert!((0..19).any(|id| Family::Any.motif(id) == motif));
            assert!(FAMILIES.iter().any(|(family, _)| family.motifs().contains(&motif)), "{motif:?}");
        }
    }

    #[test]
    fn text_has_enough_contrast_in_every_palette() {
        for Palette { ground, ink, field, tones } in &PALETTES {
            let ratio = |a: &str, b: &str| {
                let (a, b) = (luminance(a), luminance(b));
                (a.max(b) + 0.05) / (a.min(b) + 0.05)
            };
            assert!(ratio(ink, ground) >= 4.5, "{ink} on {ground}: {:.2}", ratio(ink, ground));
            assert!(ratio(ground, field) >= 1.6, "{ground} beside {field}: {:.2}", ratio(ground, field));
            for tone in tones {
                assert!(ratio(tone, field) >= 1.15, "{tone} on {field}: {:.2}", ratio(tone, field));
            }
        }
        let black_on_white = (luminance("#ffffff") + 0.05) / (luminance("#000000") + 0.05);
        assert!((black_on_white - 21.0).abs() < 1e-9);
    }

    #[test]
    fn long_titles_are_cut_and_nothing_leaves_the_sheet() {
        for title in awkward_titles() {
            for id in 0..33 {
                let svg = draw(&book(id, &title, "Somebody With Quite a Long Name; Another", "History"));
                for y in values(&svg, "text", "y") {
                    assert!((20.0..=HEIGHT - 20.0).contains(&y), "y {y} of {title} in {svg}");
                }
                for x in values(&svg, "text", "x") {
                    assert!((20.0..=WIDTH - 20.0).contains(&x), "x {x} of {title}");
                }
                let shown: usize = svg
                    .split("<text ")
                    .skip(1)
                    .filter_map(|rest| rest.split_once('>')?.1.split_once('<'))
                    .map(|(line, _)| line.chars().count())
                    .sum();
                assert!(shown < 460, "{shown} characters shown of {title}");
            }
        }
        let svg = draw(&book(0, &"history of the ".repeat(64), "", ""));
        assert!(svg.contains('…'));
    }

    #[test]
    fn lines_keep_to_their_column() {
        let room = Room { width: 328.0, height: 250.0, lines: 6, sizes: &[60.0, 40.0, 24.0] };
        for title in awkward_titles() {
            let set = Setting::new(&clean(&title, TITLE_CHARS), room);
            assert!(set.lines.len() <= room.lines);
            assert!(set.height() <= room.height, "{title}");
            for line in &set.lines {
                assert!(measure(line) * set.size <= room.width + 0.1, "{line} is too wide");
            }
        }
    }

    #[test]
    fn a_subtitle_is_set_apart() {
        let parts = |raw| {
            let title = Title::read(raw);
            (title.main, title.sub)
        };
        let pair = |main: &str, sub: &str| (main.to_owned(), sub.to_owned());
        assert_eq!(parts("Maus: A Survivor's Tale"), pair("Maus", "A Survivor’s Tale"));
        assert_eq!(
            parts("Frankenstein; or, The Modern Prometheus"),
            pair("Frankenstein", "or, The Modern Prometheus")
        );
        assert_eq!(parts("The Hobbit (Illustrated)"), pair("The Hobbit", "Illustrated"));
        assert_eq!(parts("Lives (of some) and others"), pair("Lives", "(of some) and others"));
        assert_eq!(parts("(500) Days"), pair("(500) Days", ""));
        assert_eq!(parts("[Report : open"), pair("Report", "open"));
        assert_eq!(parts(": "), pair(":", ""));
        assert_eq!(parts("\u{0}"), pair("", ""));
    }

    #[test]
    fn scripts_are_told_apart() {
        assert_eq!(Script::of_text("吾輩は猫である"), Script::Kana);
        assert_eq!(Script::of_text("红楼梦"), Script::Han);
        assert_eq!(Script::of_text("C 语言"), Script::Han);
        assert_eq!(Script::of_text("गोदान"), Script::Indic("Devanagari"));
        assert_eq!(Script::of_text("Émile"), Script::Western);
        let hebrew = draw(&book(2, "קיצור תולדות האנושות", "Yuval Noah Harari", ""));
        assert!(hebrew.contains("direction=\"rtl\"") && hebrew.contains("text-anchor=\"end\""));
    }

    #[test]
    fn no_line_begins_with_a_mark() {
        for title in awkward_titles().iter().filter(|title| !title.starts_with('\u{301}')) {
            let text = clean(title, TITLE_CHARS);
            for width in [1.2, 3.0, 9.0] {
                let (lines, _) = fill(&atoms(&text), width);
                assert!(lines.iter().all(|line| !line.starts_with(is_mark)), "{lines:?}");
            }
        }
    }
}
