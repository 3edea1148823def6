//! Entries to put into the index: folded into records, and compared with the records already there.

use std::cmp::Reverse;
use std::ops::{Range, RangeInclusive};
use std::sync::{PoisonError, RwLock};

use super::Entry;
use super::chunk::{Record, SEPARATOR, TERMINATOR};
use super::filter::{Genres, NO_GENRE};
use super::fit::weight;
use crate::fold::fold;

/// Entries folded into one text.
pub(super) struct Batch {
    text: String,
    spans: Vec<(Record<'static>, Range<usize>)>,
}

impl Batch {
    pub(super) fn fold(range: &RangeInclusive<i64>, entries: Vec<Entry>, genres: &RwLock<Genres>) -> Self {
        let bytes = entries.iter().map(|entry| entry.title.len() + entry.author.len() + 2);
        let mut text = String::with_capacity(bytes.sum());
        let mut spans = Vec::with_capacity(entries.len());
        let number_of = |name: &str| genres.read().unwrap_or_else(PoisonError::into_inner).number(name);
        // Consecutive books often have the same genre.
        let (mut last, mut number) = (String::new(), NO_GENRE);
        for entry in entries {
            if range.contains(&entry.id) {
                if entry.genre != last {
                    number = number_of(&entry.genre).unwrap_or_else(|| {
                        genres.write().unwrap_or_else(PoisonError::into_inner).number_of(&entry.genre)
                    });
                    last = entry.genre;
                }
                let start = text.len();
                text.push_str(&fold(&entry.title));
                text.push(SEPARATOR);
                text.push_str(&fold(&entry.author));
                text.push(TERMINATOR);
                let weight = weight(entry.popularity);
                let record =
                    Record { id: entry.id, text: "", genre: number, weight, available: entry.available };
                spans.push((record, start..text.len()));
            }
        }
        Self { text, spans }
    }

    /// Returns the records by descending id; of several with the same id, the last one given.
    pub(super) fn newest_first(&self) -> Vec<Record<'_>> {
        let mut records: Vec<Record<'_>> = self
            .spans
            .iter()
            .rev()
            .map(|(record, span)| Record { text: &self.text[span.clone()], ..*record })
            .collect();
        records.sort_by_key(|record| Reverse(record.id)); // stable
        records.dedup_by_key(|record| record.id);
        records
    }
}

/// Changes that turn the present records into the wanted ones, each list by descending id.
#[derive(Default)]
pub(super) struct Difference<'a> {
    pub(super) removed: Vec<Record<'a>>,
    pub(super) added: Vec<Record<'a>>,
    /// Records that differ only in having a copy on the shelf.
    pub(super) availability_changed: Vec<Record<'a>>,
}

pub(super) fn difference<'a>(
    present: impl Iterator<Item = Record<'a>>,
    wanted: Vec<Record<'a>>,
) -> Difference<'a> {
    let mut present = present.peekable();
    let mut difference = Difference::default();
    for record in wanted {
        while let Some(gone) = present.next_if(|present| present.id > record.id) {
            difference.removed.push(gone);
        }
        match present.next_if(|present| present.id == record.id) {
            Some(same)
                if (same.text, same.genre, same.weight) == (record.text, record.genre, record.weight) =>
            {
                if same.available != record.available {
                    difference.availability_changed.push(record);
                }
            }
            other => {
                difference.removed.extend(other);
                difference.added.push(record);
            }
        }
    }
    difference.removed.extend(present);
    difference
}
