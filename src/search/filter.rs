//! Filters by genre and availability, applied besides the text of a query.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::chunk::Chunk;
use crate::fold::fold;

/// Number of a genre in the index.
pub(super) type Genre = u16;

/// Number for a blank genre and for every genre after the first 65,535. No filter by genre admits such a book.
pub(super) const NO_GENRE: Genre = Genre::MAX;

/// All genres that books have had since the start. Genres that differ only in case or accents are the same.
#[derive(Default)]
pub(super) struct Genres {
    numbers: HashMap<String, Genre>,
    /// Name of each genre, in the first spelling seen.
    pub(super) names: Vec<String>,
}

fn key(name: &str) -> String {
    fold(name).trim_matches(' ').to_owned()
}

impl Genres {
    pub(super) fn number(&self, name: &str) -> Option<Genre> {
        self.numbers.get(&key(name)).copied()
    }

    /// Returns the number of a genre; a new genre gets the next one.
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

/// Restriction of a query to some books.
#[derive(Clone, Copy, Default)]
pub(super) struct Filter {
    pub(super) genre: Option<Genre>,
    /// Restricts to books with a copy on the shelf.
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
