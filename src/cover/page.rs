//! Page: the layout of a cover, and the areas of title, author and picture in it.

use std::fmt::Write as _;

use super::{
    Dice, HEIGHT, MARGIN, Palette, Shown, WIDTH,
    motifs::{Art, Motif},
    nth,
    words::{Face, Room, Setting, Title, escape},
};

/// Arrangement of text and picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
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
    /// Layouts of consecutive ids. The length is prime, so that no pattern appears in rows of four or six.
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

    pub(super) fn choose(id: i64) -> Self {
        Self::ROUND[nth(id, Self::ROUND.len())]
    }
}

/// Outline of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Rectangle,
    Circle,
    Arch,
}

#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// Cover being drawn.
pub(super) struct Page {
    pub(super) svg: String,
    pub(super) palette: &'static Palette,
    pub(super) motif: Motif,
    pub(super) dice: Dice,
    pub(super) title: Title,
    pub(super) authors: Vec<String>,
    pub(super) face: Face,
}

impl Page {
    /// Draws the layout. Draws nothing and returns false if the texts do not fit it.
    pub(super) fn compose(&mut self, layout: Layout) -> bool {
        match layout {
            Layout::Plinth => self.plinth(),
            Layout::Lintel => self.lintel(),
            Layout::Plate => self.plate(),
            Layout::Label => self.label(),
            Layout::Strip => self.strip(),
            Layout::Vignette => self.vignette(),
        }
    }

    pub(super) fn plinth(&mut self) -> bool {
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

    pub(super) fn lintel(&mut self) -> bool {
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

    pub(super) fn plate(&mut self) -> bool {
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

    pub(super) fn label(&mut self) -> bool {
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

    pub(super) fn strip(&mut self) -> bool {
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

    pub(super) fn vignette(&mut self) -> bool {
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

    /// Returns the start of lines: the left edge, or the right one for a right-to-left title.
    pub(super) fn start(&self, left: f64, right: f64) -> (f64, Align) {
        if self.title.rtl { (right, Align::Right) } else { (left, Align::Left) }
    }

    pub(super) fn set_title(
        &self,
        width: f64,
        height: f64,
        lines: usize,
        sizes: &[f64],
    ) -> (Setting, Setting) {
        // The table of widths is for a bold face; italics and light weights are narrower.
        let width = if self.face.weight == "400" { width * 1.05 } else { width };
        let title = Setting::new(&self.title.main, Room { width, height, lines, sizes });
        let lines = if title.lines.len() > 3 { 2 } else { 3 };
        let most = (title.size * 0.56).clamp(17.0, 24.0);
        let sizes = [most, 19.0_f64.min(most), 17.0];
        let sub = Setting::new(&self.title.sub, Room { width, height: 78.0, lines, sizes: &sizes });
        (title, sub)
    }

    pub(super) fn set_author(&self, width: f64) -> Setting {
        let room = Room { width, height: 84.0, lines: 3, sizes: &[24.0, 22.0, 20.0, 18.0] };
        let mut joined = Setting::new(&self.authors.join(" · "), Room { lines: 2, ..room });
        if (2..=3).contains(&self.authors.len()) {
            // One line per author, if all fit.
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

    /// Writes a setting below `y` and returns its lower end.
    pub(super) fn text(&mut self, setting: &Setting, x: f64, y: f64, align: Align) -> f64 {
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
            "<g text-rendering=\"geometricPrecision\" font-family=\"{}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\"{}{}{}>",
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

    /// Covers the hairline that renderers draw where picture and ground meet between two pixels.
    pub(super) fn seam(&mut self, area: Area) {
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

    /// Draws the mark of the series, an open book, opposite the author's last line.
    pub(super) fn mark(&mut self, author: &Setting, x: f64, y: f64) {
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

    /// Draws the picture, clipped to its outline.
    pub(super) fn art(&mut self, area: Area, shape: Shape) {
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

/// Returns the height of a setting with the space above it; 0 for an empty one.
pub(super) fn gap(setting: &Setting, space: f64) -> f64 {
    if setting.lines.is_empty() { 0.0 } else { space + setting.height() }
}
