//! The pictures: abstract motifs drawn from a palette and a throw of the dice.

use std::{
    f64::consts::{PI, TAU},
    fmt::Write as _,
};

use super::{Dice, Palette, Shown, luminance};

/// An abstract picture that can be drawn into any rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motif {
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
    pub(super) const ALL: [Self; 19] = [
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
    pub(super) fn is_scene(self) -> bool {
        matches!(self, Self::Hills | Self::Boat | Self::Peaks | Self::Eye | Self::Slices | Self::NightSky)
    }

    pub(super) fn draw(self, art: &mut Art<'_>) {
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
pub(super) struct Art<'p> {
    pub(super) out: &'p mut String,
    pub(super) w: f64,
    pub(super) h: f64,
    pub(super) palette: &'static Palette,
    pub(super) dice: &'p mut Dice,
}

impl Art<'_> {
    /// The shorter side.
    pub(super) fn unit(&self) -> f64 {
        self.w.min(self.h)
    }

    /// The ground first, then the three tones, round and round.
    pub(super) fn tone(&self, i: usize) -> &'static str {
        let [a, b, c] = self.palette.tones;
        [self.palette.ground, a, b, c][i % 4]
    }

    pub(super) fn fill(&mut self, colour: &str, path: &str) {
        put!(self.out, "<path fill=\"{}\" d=\"{}\"/>", colour, path);
    }

    pub(super) fn disc(&mut self, colour: &str, x: f64, y: f64, radius: f64) {
        put!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>", x, y, radius, colour);
    }

    pub(super) fn ring(&mut self, colour: &str, x: f64, y: f64, radius: f64, width: f64) {
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
    pub(super) fn stamp(&mut self, id: &str, colour: &str, at: (f64, f64), turn: f64, scale: (f64, f64)) {
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
    pub(super) fn define_leaf(&mut self, half: &str, plump: f64) {
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
    pub(super) fn cells(length: f64, size: f64) -> (u32, f64) {
        let mut count = 1;
        while f64::from(count) * size + size / 2.0 < length {
            count += 1;
        }
        (count, length / f64::from(count))
    }
}

/// Layered hills before a sun.
pub(super) fn hills(art: &mut Art<'_>) {
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
pub(super) fn arches(art: &mut Art<'_>) {
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
pub(super) fn tiles(art: &mut Art<'_>) {
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
pub(super) fn scallops(art: &mut Art<'_>) {
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
pub(super) fn sprig(art: &mut Art<'_>) {
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
pub(super) fn night_sky(art: &mut Art<'_>) {
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
pub(super) fn slices(art: &mut Art<'_>) {
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
pub(super) fn orbits(art: &mut Art<'_>) {
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
pub(super) fn cubes(art: &mut Art<'_>) {
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
pub(super) fn spines(art: &mut Art<'_>) {
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
pub(super) fn peaks(art: &mut Art<'_>) {
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
pub(super) fn bloom(art: &mut Art<'_>) {
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

pub(super) fn flower(art: &mut Art<'_>, centre: (f64, f64), reach: f64) {
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
pub(super) fn maze(art: &mut Art<'_>) {
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
pub(super) fn rays(art: &mut Art<'_>) {
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
pub(super) fn fish(art: &mut Art<'_>) {
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
pub(super) fn ridges(art: &mut Art<'_>) {
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
pub(super) fn windows(art: &mut Art<'_>) {
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
pub(super) fn eye(art: &mut Art<'_>) {
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
pub(super) fn boat(art: &mut Art<'_>) {
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
