//! Grids: motifs that repeat a shape in rows and columns.

use std::fmt::Write as _;

use super::Art;
use crate::cover::Shown;

/// Draws rows of nested arches.
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

/// Draws square tiles of quarter discs, half discs, leaves and triangles.
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

/// Draws overlapping scales, like those of fish or of the sea in old prints.
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

/// Draws stacked cubes.
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

/// Draws shelves of book spines.
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
        // Spines first, then the bands over them; a band never has the colour of its spine.
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

/// Draws a house front at night, one window lit.
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
                // A reader behind the lit window.
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

/// Draws a shoal of fish, and one that swims against it.
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
