//! What books a list is narrowed to besides the text that is searched for.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::chunk::Chunk;
use crate::fold::fold;

/// The number of a genre in the index.
pub(super) type Genre = u16;

/// A book without a genre, and one of a genre that came when there were 65,535 others: they are in no list of a genre.
pub(super) const NO_GENRE: Genre = Genre::MAX;

/// The genres that books had since the start. One that differs from another only in case or accents is the same.
#[derive(Default)]
pub(super) struct Genres {
    numbers: HashMap<String, Genre>,
    /// As each was written first.
    pub(super) names: Vec<String>,
}

fn key(name: &str) -> String {
    fold(name).trim_matches(' ').to_owned()
}

impl Genres {
    pub(super) fn number(&self, name: &str) -> Option<Genre> {
        self.numbers.get(&key(name)).copied()
    }

    /// The number of a genre, which it gets now if no book had it.
    pub(super) fn number_of(&mut self, name: &str) -> Genre {
        let key = key(name);
        if key.is_empty() {
            return NO_GENRE;
        }
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let Some(number) = Genre::try_from(self.names.len()).ok().filter(|number| *number != NO_GENRE) else {
            return NO_GENRE;
        };
        self.names.push(name.trim().to_owned());
        self.numbers.insert(key, number);
        number
    }
}

/// Which books are shown at all.
#[derive(Clone, Copy, Default)]
pub(super) struct Filter {
    pub(super) genre: Option<Genre>,
    /// Only those with a copy on the shelf.
    pub(super) available: bool,
}

impl Filter {
    pub(super) fn is_everything(self) -> bool {
        self.genre.is_none() && !self.available
    }

    pub(super) fn admits(self, chunk: &Chunk, index: usize) -> bool {
        self.genre.is_none_or(|genre| chunk.genres[index] == genre)
            && (!self.available || chunk.available[index].load(Ordering::Relaxed))
    }
}
