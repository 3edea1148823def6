//! Figures: motifs that grow from a point or a line.

use std::{f64::consts::TAU, fmt::Write as _};

use super::Art;
use crate::cover::Shown;

/// Draws branches with leaves, like a linocut.
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

/// Draws one large flower.
pub(super) fn bloom(art: &mut Art<'_>) {
    let (w, h) = (art.w, art.h);
    art.define_leaf(art.tone(3), 24.0);
    if art.dice.chance(0.5) && w > 240.0 {
        let centre = (w * *art.dice.pick(&[0.16, 0.84, 0.5]), h * *art.dice.pick(&[0.9, 0.62]));
        flower(art, centre, w.max(h) * 0.72);
    } else if h > w * 2.2 {
        // In a tall strip: three flowers from both edges.
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

/// Draws planets on their orbits.
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
        // Puts a planet where the orbit is well inside the sheet.
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

/// Draws broken rings around a point: a maze, tree rings, an echo.
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

/// Draws beams from a half-risen sun.
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

/// Draws the lines of a signal that rises like a range of hills.
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
