//! Motifs: abstract pictures, drawn with a palette and random numbers.

mod figures;
mod grids;
mod scenes;

use std::fmt::Write as _;

use super::{Dice, Palette, Shown};

/// Abstract picture that can be drawn into any rectangle.
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

    /// Returns whether the motif has one subject, which a label in the middle would hide.
    pub(super) fn is_scene(self) -> bool {
        matches!(self, Self::Hills | Self::Boat | Self::Peaks | Self::Eye | Self::Slices | Self::NightSky)
    }

    pub(super) fn draw(self, art: &mut Art<'_>) {
        match self {
            Self::Hills => scenes::hills(art),
            Self::Tiles => grids::tiles(art),
            Self::Sprig => figures::sprig(art),
            Self::Windows => grids::windows(art),
            Self::Rays => figures::rays(art),
            Self::Bloom => figures::bloom(art),
            Self::Arches => grids::arches(art),
            Self::Boat => scenes::boat(art),
            Self::Cubes => grids::cubes(art),
            Self::NightSky => scenes::night_sky(art),
            Self::Spines => grids::spines(art),
            Self::Scallops => grids::scallops(art),
            Self::Peaks => scenes::peaks(art),
            Self::Maze => figures::maze(art),
            Self::Fish => grids::fish(art),
            Self::Slices => scenes::slices(art),
            Self::Orbits => figures::orbits(art),
            Self::Eye => scenes::eye(art),
            Self::Ridges => figures::ridges(art),
        }
    }
}

/// Sheet on which a motif is drawn. The origin is the upper left corner.
pub(super) struct Art<'p> {
    pub(super) out: &'p mut String,
    pub(super) w: f64,
    pub(super) h: f64,
    pub(super) palette: &'static Palette,
    pub(super) dice: &'p mut Dice,
}

impl Art<'_> {
    /// Returns the length of the shorter side.
    pub(super) fn unit(&self) -> f64 {
        self.w.min(self.h)
    }

    /// Returns the ground for 0 and the three tones for 1 to 3, modulo 4.
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

    /// Draws the shape defined as `id`: moved, turned by degrees and scaled.
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

    /// Divides a length into cells of about `size`. Returns their number and exact length.
    pub(super) fn cells(length: f64, size: f64) -> (u32, f64) {
        let mut count = 1;
        while f64::from(count) * size + size / 2.0 < length {
            count += 1;
        }
        (count, length / f64::from(count))
    }
}
