//! Scenes: motifs with one subject.

use std::{f64::consts::PI, fmt::Write as _};

use super::Art;
use crate::cover::{Shown, luminance};

/// Draws layered hills before a sun.
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
        // Thin light edge between two hills of the same colour.
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

/// Draws facetted mountains.
pub(super) fn peaks(art: &mut Art<'_>) {
    let (w, h, unit) = (art.w, art.h, art.unit());
    let sun =
        (w * art.dice.between(0.2, 0.8), h * art.dice.between(0.2, 0.3), unit * art.dice.between(0.11, 0.17));
    art.disc(art.tone(1), sun.0, sun.1, sun.2);
    let (count, step) = Art::cells(w, unit.max(150.0) * 0.46);
    for (layer, pair) in [(0.0, [2, 3]), (1.0, [3, 0])] {
        // The lighter colour faces the sun.
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

/// Draws a small boat under a large sky.
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

/// Draws a constellation over star trails.
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

/// Draws one eye or several.
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

/// Draws a disc in shifted slices.
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
