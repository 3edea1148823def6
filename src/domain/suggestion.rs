//! Books suggested to readers, counted from the loans of all readers.
//!
//! A suggestion reveals nothing about a single reader: it is based on the loans of at least [`READERS`] readers, shows no
//! count, and changes only once a week, so that comparing two days reveals no single loan.

use std::collections::HashMap;

use jiff::{ToSpan as _, civil::Date};

use super::id::{BookId, UserId};

/// Minimum number of readers behind a suggestion.
pub const READERS: usize = 5;

/// Maximum number of suggested books.
pub const BOOKS: usize = 12;

/// Maximum number of one reader's latest titles that are counted. A teacher who borrows for whole classes has more, which
/// would relate every title to every other.
const TITLES: usize = 200;

/// True if suggestions last counted on this day, or never, must be counted again: once a week, from Monday on.
#[must_use]
pub fn is_due(counted: Option<Date>, today: Date) -> bool {
    let monday = today.saturating_sub(i64::from(today.weekday().to_monday_zero_offset()).days());
    counted.is_none_or(|day| day < monday)
}

/// Finds for each title the titles that its readers also borrowed, best match first. Omits titles without a match and
/// orders the others by id.
///
/// `lent` is grouped by reader and lists each of a reader's titles once, latest first.
#[must_use]
pub fn also_borrowed(lent: &[(UserId, BookId)]) -> Vec<(BookId, Vec<BookId>)> {
    let mut titles: Vec<BookId> = lent.iter().map(|(_, book)| *book).collect();
    titles.sort_unstable();
    titles.dedup();
    let place: HashMap<BookId, usize> =
        titles.iter().enumerate().map(|(place, book)| (*book, place)).collect();
    let shelves: Vec<Vec<usize>> = lent
        .chunk_by(|one, next| one.0 == next.0)
        .map(|reader| reader.iter().take(TITLES).map(|(_, book)| place[book]).collect())
        .collect();
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); titles.len()];
    for (reader, shelf) in shelves.iter().enumerate() {
        for title in shelf {
            readers[*title].push(reader);
        }
    }
    let mut common = vec![0_u32; titles.len()];
    let mut found = Vec::new();
    for (title, own) in readers.iter().enumerate().filter(|(_, own)| own.len() >= READERS) {
        let mut others = Vec::new();
        for other in own.iter().flat_map(|reader| &shelves[*reader]).filter(|other| **other != title) {
            if common[*other] == 0 {
                others.push(*other);
            }
            common[*other] += 1;
        }
        let mut telling: Vec<(f64, usize)> = others
            .iter()
            .map(|other| (f64::from(common[*other]), *other))
            .filter(|(both, _)| *both >= as_number(READERS))
            .map(|(both, other)| (likeness(both, own.len(), readers[other].len()), other))
            .collect();
        telling.sort_unstable_by(|one, next| next.0.total_cmp(&one.0).then(one.1.cmp(&next.1)));
        if !telling.is_empty() {
            found
                .push((titles[title], telling.iter().take(BOOKS).map(|(_, other)| titles[*other]).collect()));
        }
        for other in others {
            common[other] = 0;
        }
    }
    found
}

/// Returns the cosine similarity of two titles' readers, reduced if the titles have few readers in common. The cosine
/// keeps a set text, which every reader borrows, from leading every list.
fn likeness(both: f64, one: usize, other: usize) -> f64 {
    both / (as_number(one) * as_number(other)).sqrt() * (both / (both + as_number(READERS)))
}

#[expect(clippy::cast_precision_loss, reason = "a title has fewer than 2^52 readers")]
fn as_number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds loans from the titles of each reader.
    fn lent(readers: &[&[i64]]) -> Vec<(UserId, BookId)> {
        let reader = |(at, titles): (usize, &&[i64])| {
            let person = UserId(i64::try_from(at).expect("few"));
            titles.iter().map(move |title| (person, BookId(*title))).collect::<Vec<_>>()
        };
        readers.iter().enumerate().flat_map(reader).collect()
    }

    fn suggested(readers: &[&[i64]], title: i64) -> Vec<i64> {
        let all = also_borrowed(&lent(readers));
        let found = all.into_iter().find(|(book, _)| *book == BookId(title));
        found.map(|(_, books)| books.iter().map(|book| book.0).collect()).unwrap_or_default()
    }

    #[test]
    fn five_readers_make_a_suggestion_and_four_do_not() {
        let both: &[i64] = &[1, 2];
        assert_eq!(suggested(&[both; 5], 1), [2]);
        assert_eq!(suggested(&[both; 5], 2), [1]);
        assert_eq!(suggested(&[both, both, both, both, &[1], &[2], &[1]], 1), [0_i64; 0]);
    }

    #[test]
    fn the_text_that_all_borrow_comes_after_the_one_that_only_these_readers_borrow() {
        let mut readers: Vec<&[i64]> = vec![&[9]; 60];
        readers.extend([&[1, 2, 9][..]; 6]);
        assert_eq!(suggested(&readers, 1), [2, 9]);
    }

    #[test]
    fn a_reader_of_thousands_counts_with_the_latest_titles_only() {
        let class: Vec<i64> = (0..5_000).collect();
        let readers = [&class[..]; 5];
        assert_eq!(suggested(&readers, 0).len(), BOOKS);
        assert_eq!(suggested(&readers, 4_999), [0_i64; 0]);
    }

    #[test]
    fn suggestions_are_counted_once_a_week_from_monday_on() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        assert!(is_due(None, day("2026-11-26")));
        assert!(!is_due(Some(day("2026-11-23")), day("2026-11-29")), "Monday to Sunday");
        assert!(is_due(Some(day("2026-11-29")), day("2026-11-30")), "the next Monday");
        assert!(is_due(Some(day("2026-11-20")), day("2026-12-02")), "after a pause");
    }
}
