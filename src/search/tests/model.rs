//! Property tests: the index compared with a simple model.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use proptest::prelude::*;

use super::{ALL, entry, index_of, query};
use crate::fold::{fold, title_key};
use crate::search::chunk::{CHUNK, Record, SMALL_CHUNK};
use crate::search::cursor::Packed;
use crate::search::fit::{Fit, Grade, Rank, Scattered, weight};
use crate::search::index::RANKED;
use crate::search::order::Order;
use crate::search::signature::TOGETHER;
use crate::search::{Cursor, Entry, Field, Index, Loans, Page, Query, Sort, similar, vocabulary};

/// Reference implementation of the index, without regard to speed.
#[derive(Default)]
struct Model(BTreeMap<i64, Entry>, Loans);

impl Model {
    fn replace(&mut self, range: &RangeInclusive<i64>, entries: Vec<Entry>) {
        self.0.retain(|id, _| !range.contains(id));
        for entry in entries.into_iter().filter(|entry| range.contains(&entry.id)) {
            self.0.insert(entry.id, entry);
        }
    }

    /// Returns the matches in order: ranked one by one unless there are more than `most`.
    fn matches(&self, query: &Query<'_>, most: usize) -> Vec<i64> {
        let genre = query.genre.map(fold);
        let admits = |book: &Entry| {
            genre.as_ref().is_none_or(|genre| fold(&book.genre) == *genre)
                && (book.available || !query.available)
        };
        let admitted = |ranked| {
            let found = self.fitting(query.text, query.field, query.sort, ranked).into_iter();
            found.map(|(_, id)| id).filter(|id| admits(&self.0[id])).collect::<Vec<i64>>()
        };
        let found = admitted(true);
        if found.len() > most { admitted(false) } else { found }
    }

    /// Returns the key of a book in the order by loans or by author.
    fn listed(&self, sort: Sort, id: i64) -> (Reverse<u32>, bool, String, String, i64) {
        let book = &self.0[&id];
        let loans = self.1.get(&id).copied().unwrap_or(0);
        let (loans, author) = match sort {
            Sort::Author => (0, title_key(&book.author)),
            _ => (loans, String::new()),
        };
        let is_anonymous = sort == Sort::Author && author.is_empty();
        (Reverse(loans), is_anonymous, author, title_key(&book.title), id)
    }

    fn fitting(&self, text: &str, field: Field, sort: Sort, ranked: bool) -> Vec<(Grade, i64)> {
        let needle = fold(text);
        let needle = needle.trim();
        let scattered = Scattered::new(&Order::empty(sort), &[], needle, field);
        let holds = |text: &str| fold(text).contains(needle);
        let rank = Rank::new(needle, field);
        let fit = |title: &str, author: &str| {
            let record = format!("{}\u{1F}{}\n", fold(title), fold(author));
            if needle.is_empty() {
                Some(Fit::Exact)
            } else if holds(title) || field == Field::Any && holds(author) {
                Some(if sort == Sort::Title { Fit::of(&record, needle, field) } else { Fit::Contains })
            } else {
                scattered.as_ref().filter(|words| words.accepts(&record)).map(|_| Fit::Scattered)
            }
        };
        let grade = |book: &Entry| {
            let fit = fit(&book.title, &book.author)?;
            if matches!(sort, Sort::Popular | Sort::Author) {
                return Some(0);
            }
            if !ranked || needle.is_empty() || sort == Sort::Newest {
                return Some(fit as Grade);
            }
            let record = format!("{}\u{1F}{}\n", fold(&book.title), fold(&book.author));
            Some(rank.of(&record, weight(book.popularity)))
        };
        let found = self.0.values().filter_map(|book| Some((grade(book)?, book.id)));
        let mut found: Vec<(Grade, i64)> = found.collect();
        match sort {
            Sort::Title => {
                found.sort_by_cached_key(|(fit, id)| (*fit, title_key(&self.0[id].title), *id));
            }
            Sort::Newest => found.sort_by_key(|(fit, id)| (*fit, Reverse(*id))),
            Sort::Popular | Sort::Author => found.sort_by_cached_key(|(_, id)| self.listed(sort, *id)),
        }
        found
    }
}

/// Generates short texts of mixed scripts, so that many contain one another.
fn text() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "a",
        "A",
        "b",
        "ab",
        "é",
        "e\u{301}",
        "ß",
        "SS",
        " ",
        "\u{1F}",
        "\n",
        "\"",
        "क",
        "कि",
        "ा",
        "ق",
        "中",
        "国",
        "Й",
        "и",
        "ש",
        "σ",
        "Σ",
        "\u{FE20}",
        "가",
        "ᄀ",
        "か\u{3099}",
        "9",
    ]);
    proptest::collection::vec(part, 0..5).prop_map(|parts| parts.concat())
}

fn field() -> impl Strategy<Value = Field> {
    proptest::sample::select(vec![Field::Any, Field::Title])
}

fn sort() -> impl Strategy<Value = Sort> {
    proptest::sample::select(vec![Sort::Title, Sort::Newest, Sort::Popular, Sort::Author])
}

fn genre() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["", "Novel", "novel", "Law", "गीत"])
}

fn replacement() -> impl Strategy<Value = (RangeInclusive<i64>, Vec<Entry>)> {
    let ids = prop_oneof![
        3 => (1..150_i64).prop_map(|id| id..=id),
        2 => (1..150_i64, 0..60_i64).prop_map(|(id, more)| id..=id + more),
        1 => Just(ALL),
    ];
    let books = prop_oneof![3 => 0..4_usize, 1 => 0..90_usize];
    (ids, books).prop_flat_map(|(range, count)| {
        let within = *range.start().max(&-3)..=*range.end().min(&150);
        let book = (within, text(), text(), genre(), any::<bool>()).prop_map(
            |(id, title, author, genre, available)| Entry {
                id,
                title,
                author,
                genre: genre.to_owned(),
                popularity: u32::try_from(id.max(0) % 3).expect("a small number"),
                available,
            },
        );
        (Just(range), proptest::collection::vec(book, count))
    })
}

fn history() -> impl Strategy<Value = Vec<(RangeInclusive<i64>, Vec<Entry>)>> {
    proptest::collection::vec(replacement(), 1..12)
}

/// Loans of some books, listed or not; `turn` changes them.
fn loans(turn: u32) -> Loans {
    (-3..150_i64).zip(turn..).filter(|(id, _)| id % 3 == 0).map(|(id, number)| (id, number % 4)).collect()
}

fn build(history: Vec<(RangeInclusive<i64>, Vec<Entry>)>) -> (Index, Model) {
    let (index, mut model) = (Index::new(), Model::default());
    for ((range, entries), turn) in history.into_iter().zip(0..) {
        model.1 = loans(turn / 3);
        index.count_loans(model.1.clone());
        // First with every availability inverted, so that the second replacement changes nothing but availability.
        let lent = entries.iter().map(|book| Entry { available: !book.available, ..book.clone() });
        index.replace(range.clone(), lent.collect());
        index.replace(range.clone(), entries.clone());
        model.replace(&range, entries);
    }
    (index, model)
}

proptest! {
    #[test]
    fn all_orders_hold_exactly_the_books_in_sound_chunks(history in history()) {
        let (index, model) = build(history);
        prop_assert_eq!(index.len(), model.0.len());
        let snapshot = index.snapshot();
        for listing in [&snapshot.by_loans, &snapshot.by_author] {
            let ids: Vec<i64> = listing.chunks.iter().flat_map(|chunk| chunk.iter().copied()).collect();
            prop_assert_eq!(ids.len(), model.0.len());
            prop_assert!(ids.is_sorted_by_key(|id| model.listed(listing.sort, *id)));
            prop_assert!(ids.is_sorted_by(|a, b| snapshot.spot(listing.sort, *a) < snapshot.spot(listing.sort, *b)));
            for chunk in &listing.chunks {
                prop_assert!((1..=CHUNK).contains(&chunk.len()));
                prop_assert!(chunk.len() >= SMALL_CHUNK || listing.chunks.len() == 1);
            }
        }
        for order in [&snapshot.by_title, &snapshot.newest] {
            let records: Vec<Record<'_>> = order.chunks.iter().flat_map(|chunk| chunk.all()).collect();
            prop_assert_eq!(order.len, records.len());
            prop_assert!(records.is_sorted_by(|a, b| order.sort.position(*a) < order.sort.position(*b)));
            for record in records {
                let Entry { title, author, available, .. } = &model.0[&record.id];
                prop_assert_eq!(record.text, format!("{}\u{1F}{}\n", fold(title), fold(author)));
                prop_assert_eq!(record.available, *available);
            }
            for chunk in &order.chunks {
                prop_assert!((1..=CHUNK).contains(&chunk.len()));
                prop_assert!(chunk.len() >= SMALL_CHUNK || order.chunks.len() == 1);
            }
            let signed: Vec<usize> = order.signatures.iter().map(|signatures| signatures.len).collect();
            prop_assert_eq!(signed.iter().sum::<usize>(), order.chunks.len());
            prop_assert!(signed.iter().all(|chunks| (1..=TOGETHER).contains(chunks)));
            let empty = Order::empty(order.sort);
            let anew = Order { signatures: empty.signatures_of(&order.chunks), ..order.clone() };
            for bucket in (0..4096).step_by(5) {
                prop_assert_eq!(order.narrow(&order.all_blocks(), &[bucket]), anew.narrow(&anew.all_blocks(), &[bucket]));
            }
        }
    }

    #[test]
    fn r_home_2_pages_hold_every_match_once_in_order_both_ways(
        history in history(), text in text(), field in field(), sort in sort(), limit in 1..9_usize, cap in 0..40_usize,
        genre in proptest::option::of(genre().prop_filter("no book is asked for without one", |genre| !genre.is_empty())),
        (available, exact) in any::<(bool, bool)>(),
    ) {
        let (index, model) = build(history);
        let asked = Query { text: &text, field, genre, available, exact, sort, limit, ..Query::default() };
        let expected = model.matches(&asked, if sort == Sort::Title { cap * RANKED } else { cap });
        let counted = exact || fold(&text).trim().is_empty() || expected.len() <= cap;

        let mut pages: Vec<Page> = Vec::new();
        let mut cursor = None;
        loop {
            let page = index.page_counting(&Query { cursor: cursor.as_ref(), ..asked }, cap);
            prop_assert_eq!(page.total, if counted { expected.len() } else { cap });
            prop_assert_eq!(page.total_is_exact, counted);
            prop_assert_eq!(page.previous.is_some(), !pages.is_empty());
            pages.push(page);
            let Some(next) = &pages[pages.len() - 1].next else { break };
            cursor = Cursor::try_from(Packed::from(next.clone())).ok();
            prop_assert_eq!(cursor.as_ref(), Some(next));
        }
        let windows: Vec<&[i64]> = expected.chunks(limit).collect();
        let forward: Vec<&[i64]> = pages.iter().map(|page| &page.ids[..]).collect();
        prop_assert_eq!(&forward, &if windows.is_empty() { vec![&[][..]] } else { windows });

        // Back to the beginning: each page is the window directly before the previous one.
        for pair in pages.windows(2).rev() {
            let cursor = pair[1].previous.as_ref();
            let page = index.page_counting(&Query { cursor, ..asked }, cap);
            prop_assert_eq!(page, pair[0].clone());
        }
    }

    #[test]
    fn a_cursor_of_an_earlier_catalogue_cuts_the_present_one_at_its_position(
        history in history(), later in history(), text in text(), sort in sort(), limit in 1..9_usize,
    ) {
        let (index, mut model) = build(history);
        let blank = Query { sort, limit, ..Query::default() };
        let Some(cursor) = index.page(&blank).next else { return Ok(()) };
        let cut = model.listed(sort, cursor.id);
        for (range, entries) in later {
            index.replace(range.clone(), entries.clone());
            model.replace(&range, entries);
        }
        let key = |id: &i64| match sort {
            Sort::Title => title_key(&model.0[id].title),
            Sort::Newest | Sort::Popular | Sort::Author => String::new(),
        };
        let passed = |id: &i64| match sort {
            Sort::Title | Sort::Newest => (key(id), sort.rank(*id)) <= (cursor.key.clone(), sort.rank(cursor.id)),
            Sort::Popular | Sort::Author => model.listed(sort, *id) <= cut,
        };
        // The cursor was made without a text, so its fit is the best one.
        let matches = model.fitting(&text, Field::Any, sort, true);
        let (before, after): (Vec<_>, Vec<_>) =
            matches.into_iter().partition(|(grade, id)| *grade == 0 && passed(id));
        let ids = |matches: Vec<(Grade, i64)>| matches.into_iter().map(|(_, id)| id).collect::<Vec<i64>>();
        let (before, after) = (ids(before), ids(after));
        let page = index.page(&Query { text: &text, cursor: Some(&cursor), ..blank });
        prop_assert_eq!(&page.ids, &after[..limit.min(after.len())]);
        prop_assert_eq!(page.next.is_some(), after.len() > limit);
        prop_assert_eq!(page.previous.is_some(), !before.is_empty());
        if let Some(back) = &page.previous {
            let page = index.page(&Query { text: &text, cursor: Some(back), ..blank });
            prop_assert_eq!(page.ids, &before[before.len().saturating_sub(limit)..]);
            prop_assert_eq!(page.next.is_some(), !after.is_empty());
            prop_assert_eq!(page.previous.is_some(), before.len() > limit);
        }
    }

    #[test]
    fn u6_similar_books_have_a_word_like_each_that_was_typed(
        titles in proptest::collection::vec("[abr]{3,5}( [abr]{3,5}|राम|बाबर){0,2}", 1..40), text in "[abr]{3,5}( [abr]{3,5})?|राम|बाब",
    ) {
        let index = Index::new();
        index.replace(ALL, (1..).zip(&titles).map(|(id, title)| entry(id, title, "")).collect());
        let page = index.page(&Query { similar: true, ..query(&text) });
        let without = index.page(&query(&text));
        prop_assert_eq!(page.meant.is_some(), without.total == 0 && page.total > 0);
        if page.meant.is_none() {
            prop_assert_eq!((&page.ids, page.total, &page.next), (&without.ids, without.total, &without.next));
        }
        // A similar book contains each typed word, or a word like it or like two of them together, and is no match.
        let like = |title: &str, typed: &str| {
            title.split(' ').any(|word| vocabulary::likeness(typed, word).is_some())
        };
        let joined = text.replace(' ', "");
        let fits = |title: &str| {
            title.contains(&joined) || like(title, &joined)
                || text.split(' ').all(|typed| title.contains(typed) || like(title, typed))
                // Words with blanks left out have no similar word to compare with.
                || text.split(' ').any(|typed| typed.len() > 5)
        };
        let titles_of = |ids: &[i64]| -> Vec<&str> {
            ids.iter().map(|id| titles[usize::try_from(*id).expect("an id of ours") - 1].as_str()).collect()
        };
        let found: Vec<i64> = page.similar.iter().map(|other| other.id).collect();
        prop_assert!(found.iter().all(|id| !page.ids.contains(id)));
        prop_assert!(titles_of(&found).into_iter().all(fits), "{:?}", titles_of(&found));
        prop_assert!(page.total < similar::FEW || found.is_empty());
        if let Some(meant) = &page.meant {
            let has_all = |title: &str| meant.words.iter().all(|word| title.contains(word.as_str()));
            prop_assert!(titles_of(&page.ids).into_iter().all(has_all), "{:?} of {meant:?}", titles_of(&page.ids));
        }
    }

    #[test]
    fn a_tampered_cursor_is_refused_or_another_place(head in 0..8192_u16, id in any::<i64>(), key in "\\PC{0,70}|[0-9]{0,3}\u{1F}[a-z]{0,3}") {
        let index = index_of(&[("a", ""), ("b", ""), ("c", "")]);
        let packed = (head, id, key);
        if let Ok(cursor) = Cursor::try_from(packed.clone()) {
            let page = index.page(&Query { sort: cursor.sort(), cursor: Some(&cursor), ..query("") });
            prop_assert!(page.ids.len() <= 3);
            prop_assert_eq!(Packed::from(cursor), packed);
        }
    }
}
