//! Drawn covers, for books without a picture.
//!
//! [`draw`] makes an SVG of 400 by 600 from the texts of the catalogue alone. It is pure: the same book gives the same
//! bytes, and the SVG has no external references. A cover combines a palette, a motif (an abstract picture), a layout and
//! a typeface, all chosen by the book's id, title and genre. Consecutive ids never share a palette; the genre selects the
//! family of motifs.
//!
//! The background of text is always the plain ground of the palette, so its contrast depends on the table of palettes
//! alone.

/// Appends formatted values to a string; numbers come out with one decimal at most.
macro_rules! put {
    ($out:expr, $form:literal $(, $value:expr)* $(,)?) => {
        // Writing to a String cannot fail.
        let _ = write!($out, $form $(, Shown(&$value))*);
    };
}

mod motifs;
mod page;
mod words;

use std::fmt::{self, Display, Write as _};

use motifs::Motif;
use page::{Layout, Page};
use words::{Face, Title, authors, cut, escape};

const WIDTH: f64 = 400.0;
/// Height of a cover; all covers are 2:3.
const HEIGHT: f64 = 600.0;
/// Distance between the edge of the cover and its text.
const MARGIN: f64 = 36.0;
/// Maximum length of a title in characters; more would not fit in any size.
const TITLE_CHARS: usize = 320;
/// Maximum length of the authors in characters.
const AUTHOR_CHARS: usize = 240;

/// Formats a value for the SVG, numbers with at most one decimal.
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

/// Data of a book from which its cover is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Cover<'a> {
    /// Chooses palette, layout and motif.
    pub id: i64,
    /// Title of any length and in any script.
    pub title: &'a str,
    /// Authors, separated by `; `; may be empty.
    pub author: &'a str,
    /// Selects the family of motifs; may be empty.
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
    // Joint beside the spine, for the look of a bound book; no text reaches it.
    page.svg.push_str(
        "<path d=\"M0 0H8V600H0Z\" opacity=\".13\"/><path d=\"M8 0h2V600H8Z\" fill=\"#fff\" opacity=\".16\"/></svg>",
    );
    page.svg
}

// ---------------------------------------------------------------------------------------------------------------
// Chance
// ---------------------------------------------------------------------------------------------------------------

/// Deterministic random generator (`SplitMix64`), seeded by the book.
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

/// Colours of one cover. Text is `ink` on `ground`; the background of the picture is `field`.
struct Palette {
    /// Background of all text.
    ground: &'static str,
    /// Colour of the text.
    ink: &'static str,
    /// Background of the picture.
    field: &'static str,
    /// Accent, second and third colour of the picture; its main colour is `ground`.
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

/// Returns the relative luminance of `#rrggbb` as defined by WCAG, from 0 (black) to 1 (white).
fn luminance(colour: &str) -> f64 {
    let rgb = u32::from_str_radix(colour.trim_start_matches('#'), 16).unwrap_or_default();
    let part = |shift: u32| {
        let value = f64::from((rgb >> shift) & 0xff) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
}

/// All palettes, ordered so that neighbours on the screen (one apart, or a row of four to six) differ clearly.
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
// Genre
// ---------------------------------------------------------------------------------------------------------------

/// Family of genres that share motifs.
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

/// Parts of a lower-case genre that assign it to a family; the first match wins.
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

    /// Chooses a motif of the family. The step from one id to the next is eight of all nineteen motifs, scaled to the
    /// number in the family, so that neighbours differ and no motif is favoured.
    fn motif(self, id: i64) -> Motif {
        let motifs = self.motifs();
        let place = nth(id.wrapping_mul(8), Motif::ALL.len());
        motifs[place * motifs.len() / Motif::ALL.len()]
    }
}

impl Palette {
    /// Chooses a palette, seven further in the table than for the previous id, so that all are used before one repeats.
    fn choose(id: i64) -> &'static Self {
        &PALETTES[nth(id.wrapping_mul(7), PALETTES.len())]
    }
}

/// Maps any id to an index into a list of `len` items.
fn nth(id: i64, len: usize) -> usize {
    let len = i64::try_from(len).unwrap_or(1);
    usize::try_from(id.rem_euclid(len)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::is_combining_mark;

    use super::{
        words::{Room, Script, Setting, atoms, clean, fill, measure},
        *,
    };

    fn book<'a>(id: i64, title: &'a str, author: &'a str, genre: &'a str) -> Cover<'a> {
        Cover { id, title, author, genre }
    }

    /// Checks that XML is well-formed, as far as a browser would.
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

    /// Returns the values of an attribute in all elements of a name.
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
    fn lines_end_where_a_reader_expects_s28() {
        for (text, width, expected) in [
            ("Forces, 1940-1965", 6.6, &["Forces,", "1940-1965"][..]),
            ("A well-known word", 5.2, &["A well-", "known", "word"]),
            ("Latin classics ...", 7.2, &["Latin", "classics ..."]),
            ("Armageddon—2419", 9.0, &["Armageddon—", "2419"]),
            ("…trotzdem Ja", 6.0, &["…trotzdem", "Ja"]),
            ("새 천년 의 한국인", 3.5, &["새 천년", "의", "한국인"]),
            ("《红楼梦》研究", 5.0, &["《红楼梦》", "研究"]),
            ("中国“改革”", 3.0, &["中国", "“改革”"]),
            ("吾輩は猫であっ", 6.0, &["吾輩は猫で", "あっ"]),
            ("क्षत्रिय", 1.9, &["क्ष", "त्रि", "य"]),
            ("정치 100년", 4.0, &["정치", "100년"]),
        ] {
            assert_eq!(fill(&atoms(text), width).0, expected, "{text}");
        }
        // The Hebrew hyphen is as wide as a letter; it is not a combining mark.
        assert!(measure("ארץ־ישראל") > measure("ארץישראל") + 0.3);
    }

    #[test]
    fn no_line_begins_with_a_mark() {
        for title in awkward_titles().iter().filter(|title| !title.starts_with('\u{301}')) {
            let text = clean(title, TITLE_CHARS);
            for width in [1.2, 3.0, 9.0] {
                let (lines, _) = fill(&atoms(&text), width);
                assert!(lines.iter().all(|line| !line.starts_with(is_combining_mark)), "{lines:?}");
            }
        }
    }
}
