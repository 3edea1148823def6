//! Books, reviews, and the table of catalogue changes that every server follows.

use library::domain::id::{BookId, ReviewId};
use library::{
    domain::{
        book::{BookForm, Imprint, Status},
        review::ReviewForm,
    },
    storage::{
        Error, Result, Tx,
        books::{self, Loaded, Update},
        catalogue::{self, Change},
        copies, loans, reviews,
    },
};

use crate::{Store, circulation::TODAY, form};

on_both_databases!(
    a_book_comes_back_as_it_went_in,
    extremes_of_numbers_and_texts_survive,
    cards_come_in_the_order_asked_for_and_the_missing_are_left_out,
    an_imported_row_is_added_once,
    an_update_applies_count_and_status_as_differences_r_book_8,
    an_update_of_what_others_changed_is_stale_r_book_7,
    more_copies_than_are_left_cannot_be_taken_away_r_book_8,
    a_copy_is_taken_only_where_one_is_and_the_status_follows_r_loan_2,
    a_deleted_book_takes_its_reviews_along_and_leaves_its_loans_r_book_6,
    nothing_is_found_or_changed_where_no_book_is,
    reviews_come_newest_first_page_by_page_r_rev_1,
    a_reader_has_one_review_of_a_book_u9,
    averages_and_counts_are_those_of_the_reviews_r_rev_2,
    changes_come_in_order_and_a_follower_too_far_behind_is_told,
    whatever_changes_what_is_searched_is_told_to_the_followers_s21,
    books_far_apart_are_told_one_by_one_s21,
    entries_are_read_in_portions,
);

fn a_book_comes_back_as_it_went_in(store: &Store) {
    let given = BookForm {
        title: "गोदान — Ein Weg, 老子 \u{1F4DA}'\"\\%".into(),
        isbn: Some(Some("9780747532699".into())),
        publisher: Some(Some("Navneet".into())),
        edition: Some(Some("2nd".into())),
        published_year: Some(Some(-380)),
        language: Some(Some("hi".into())),
        call_number: Some(Some("891.433 PRE".into())),
        price: Some(Some(library::money::Money(25_050))),
        ..form("", 3)
    };
    let expected = given.clone();
    let imprint = expected.imprint(Imprint::default());
    let id = store.write(move |tx| books::add(tx, &given, Some("k"), 5)).expect("new");
    let detail = store.read(move |tx| books::detail(tx, id, TODAY)).expect("there");
    let book = detail.book;
    assert_eq!(
        (book.id, book.title, book.author, book.genre, book.photo_url, detail.description, book.location),
        (
            id,
            expected.title,
            expected.author,
            expected.genre,
            expected.photo_url,
            expected.description,
            expected.location
        )
    );
    assert_eq!((book.status, book.no_of_books, book.rating), (Status::Available, 3, Some(4)));
    assert_eq!(
        (book.isbn.as_deref(), book.published_year, book.language.as_deref()),
        (Some("9780747532699"), Some(-380), Some("hi"))
    );
    assert_eq!(detail.imprint, imprint);
    assert_eq!((detail.version, book.average_rating, book.review_count), (1, None, 0));
}

fn extremes_of_numbers_and_texts_survive(store: &Store) {
    let long = "\u{10FFFF}".repeat(10_000);
    let given = BookForm {
        author: String::new(),
        genre: "e\u{301}\u{200d}\u{feff}".into(),
        description: long.clone(),
        no_of_books: i64::MAX,
        rating: None,
        ..form("t", 1)
    };
    let of = move |year| BookForm { published_year: Some(Some(year)), ..given.clone() };
    let (low, high) = store.write(move |tx| {
        let low = books::add(tx, &of(i64::MIN), Some("low"), i64::MIN)?.expect("new");
        let high = books::add(tx, &of(i64::MAX), Some("high"), i64::MAX)?.expect("new");
        Ok((
            books::detail(tx, low, TODAY)?.expect("there"),
            books::detail(tx, high, TODAY)?.expect("there").book,
        ))
    });
    let (description, low) = (low.description, low.book);
    assert_eq!(
        (low.published_year, high.published_year, low.no_of_books),
        (Some(i64::MIN), Some(i64::MAX), i64::MAX)
    );
    assert_eq!(
        (description, low.genre.as_str(), low.author.as_str()),
        (long, "e\u{301}\u{200d}\u{feff}", "")
    );
    assert_eq!((low.rating, low.isbn, low.language), (None, None, None));
}

fn cards_come_in_the_order_asked_for_and_the_missing_are_left_out(store: &Store) {
    let ids: Vec<BookId> = (0..60).map(|n| store.book(&format!("Book {n}"), 1)).collect();
    let mut asked: Vec<BookId> = ids.iter().rev().copied().collect();
    asked.insert(3, BookId(99_999));
    asked.insert(30, BookId(i64::MAX));
    let found = store.read(move |tx| books::cards(tx, &asked));
    let expected: Vec<BookId> = ids.iter().rev().copied().collect();
    assert_eq!(found.iter().map(|book| book.id).collect::<Vec<_>>(), expected);
    assert_eq!(found[0].title, "Book 59");
    assert!(store.read(|tx| books::cards(tx, &[])).is_empty());
    assert_eq!(store.read(books::count), 60);
}

fn an_imported_row_is_added_once(store: &Store) {
    let added = store.write(move |tx| {
        let once = books::add(tx, &form("t", 1), Some("row"), 1)?;
        let twice = books::add(tx, &form("t", 1), Some("row"), 1)?;
        let by_hand = [books::add(tx, &form("t", 1), None, 1)?, books::add(tx, &form("t", 1), None, 1)?];
        Ok((once.is_some(), twice.is_some(), by_hand.iter().all(Option::is_some)))
    });
    assert_eq!(added, (true, false, true), "only rows of an import are compared");
}

fn loaded(version: i64, copies: i64) -> Loaded {
    Loaded { version, copies, status: Status::of(copies) }
}

fn an_update_applies_count_and_status_as_differences_r_book_8(store: &Store) {
    let id = store.book("Before", 5);
    // Two copies are lent while the form is open; the form adds one to the five it loaded.
    let detail = store.write(move |tx| {
        books::take_copy(tx, id)?;
        books::take_copy(tx, id)?;
        let edit = BookForm { no_of_books: 6, rating: None, ..form("After", 6) };
        assert_eq!(books::update(tx, id, &edit, loaded(1, 5), Imprint::default())?, Update::Stored);
        books::detail(tx, id, TODAY)
    });
    let detail = detail.expect("there");
    assert_eq!((detail.book.no_of_books, detail.version, detail.book.title.as_str()), (4, 2, "After"));
    assert_eq!(
        (detail.book.status, detail.book.rating),
        (Status::Available, Some(4)),
        "stars not sent are left alone"
    );

    // A status equal to the loaded one is no change; another one is.
    let detail = store.write(move |tx| {
        let untouched = BookForm { no_of_books: 0, ..form("t", 4) };
        assert_eq!(books::update(tx, id, &untouched, loaded(2, 4), Imprint::default())?, Update::Stored);
        let by_hand = BookForm { status: Some(Status::NotAvailable), rating: Some(1), ..form("t", 2) };
        assert_eq!(
            books::update(tx, id, &by_hand, loaded(3, 0).with(Status::Available), Imprint::default())?,
            Update::Stored
        );
        books::detail(tx, id, TODAY)
    });
    let book = detail.expect("there").book;
    assert_eq!((book.no_of_books, book.status, book.rating), (2, Status::NotAvailable, Some(1)));
    store.write(move |tx| books::recalculate_status(tx, id));
    assert_eq!(
        store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").book.status,
        Status::Available
    );
}

trait With {
    fn with(self, status: Status) -> Self;
}

impl With for Loaded {
    fn with(self, status: Status) -> Self {
        Self { status, ..self }
    }
}

fn an_update_of_what_others_changed_is_stale_r_book_7(store: &Store) {
    let id = store.book("Before", 5);
    let outcome = store.write(move |tx| {
        let first = books::update(tx, id, &form("First", 5), loaded(1, 5), Imprint::default())?;
        let second = books::update(tx, id, &form("Second", 5), loaded(1, 5), Imprint::default())?;
        let odd = books::update(tx, id, &form("Odd", 5), loaded(i64::MAX, 5), Imprint::default())?;
        Ok((first, second, odd))
    });
    assert_eq!(outcome, (Update::Stored, Update::Stale, Update::Stale));
    let title = store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").book.title;
    assert_eq!(title, "First", "nothing is silently overwritten");
}

fn more_copies_than_are_left_cannot_be_taken_away_r_book_8(store: &Store) {
    let id = store.book("t", 3);
    let outcome = store.write(move |tx| {
        books::take_copy(tx, id)?;
        books::take_copy(tx, id)?;
        // The form loaded three and wants one: two fewer, but only one is left.
        books::update(tx, id, &form("Changed", 1), loaded(1, 3), Imprint::default())
    });
    assert_eq!(outcome, Update::TooFew(1));
    let detail = store.read(move |tx| books::detail(tx, id, TODAY)).expect("there");
    assert_eq!((detail.book.title.as_str(), detail.book.no_of_books, detail.version), ("t", 1, 1));
}

fn a_copy_is_taken_only_where_one_is_and_the_status_follows_r_loan_2(store: &Store) {
    let id = store.book("Title", 2);
    let state = move |store: &Store| {
        let book = store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").book;
        (book.no_of_books, book.status)
    };
    assert_eq!(store.write(move |tx| books::take_copy(tx, id)).as_deref(), Some("Title"));
    assert_eq!(state(store), (1, Status::Available));
    assert_eq!(store.write(move |tx| books::take_copy(tx, id)).as_deref(), Some("Title"));
    assert_eq!(state(store), (0, Status::NotAvailable));
    assert_eq!(store.write(move |tx| books::take_copy(tx, id)), None);
    assert_eq!(state(store), (0, Status::NotAvailable));
    store.write(move |tx| books::put_back_copies(tx, id, 1));
    assert_eq!(state(store), (1, Status::Available));
    assert_eq!(
        store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").version,
        1,
        "a loan is no edit"
    );
}

fn a_deleted_book_takes_its_reviews_along_and_leaves_its_loans_r_book_6(store: &Store) {
    let (reader, id, other) = (store.student(1), store.book("Gone", 1), store.book("Stays", 1));
    let uid = reader.uid;
    let day = jiff::civil::date(2026, 11, 21);
    let (deleted, again, loans) = store.write(move |tx| {
        let words = ReviewForm { rating: 4, comment: "c".into() };
        reviews::add(tx, id, &reader, &words, 1)?;
        reviews::add(tx, other, &reader, &words, 1)?;
        let copy_id = copies::add(tx, id, "C1", None)?.expect("a free barcode");
        let loan = crate::loan::loan(uid, id, copy_id, "Gone", day, day);
        loans::begin(tx, &loan, 0)?;
        Ok((books::delete(tx, id, 0)?, books::delete(tx, id, 0)?, loans::open_of_user(tx, uid)?))
    });
    assert_eq!((deleted, again, loans.len()), (true, false, 1));
    assert_eq!((loans[0].title.as_str(), loans[0].book_id), ("Gone", id));
    let left = store.database.raw("SELECT book_id FROM reviews").expect("readable");
    assert_eq!(left, [[Some(other.to_string())]]);
    let next = store.book("Next", 1);
    assert!(next > other, "a number is never given again");
}

fn nothing_is_found_or_changed_where_no_book_is(store: &Store) {
    let reader = store.student(1);
    store.write(move |tx| {
        for id in [0, -1, 1, i64::MAX, i64::MIN].map(BookId) {
            assert!(books::detail(tx, id, TODAY)?.is_none());
            assert!(!books::exists(tx, id)?);
            assert!(!books::delete(tx, id, 0)?);
            assert!(books::take_copy(tx, id)?.is_none());
            assert_eq!(
                books::update(tx, id, &form("t", 1), loaded(1, 1), Imprint::default())?,
                Update::Missing
            );
            assert!(!books::put_back_copies(tx, id, 1)?);
            assert!(!books::recalculate_status(tx, id)?);
            let words = ReviewForm { rating: 4, comment: "c".into() };
            assert!(reviews::add(tx, id, &reader, &words, 1)?.is_none());
            assert!(reviews::page(tx, id, i64::MAX, 10)?.is_empty());
            assert_eq!(reviews::ratings(tx, id)?, [0; 5]);
            assert!(catalogue::entries(tx, id.0, id.0, 10)?.is_empty());
        }
        Ok(())
    });
    let told = store.refused(|tx| books::set_photo_url(tx, BookId(1), "https://example.org"));
    assert!(matches!(told, Error::NoRow), "{told:?}");
    let id = store.book("t", 1);
    assert!(store.read(move |tx| books::exists(tx, id)));
    store.write(move |tx| books::set_photo_url(tx, id, "https://example.org/new"));
    let photo = store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").book.photo_url;
    assert_eq!(photo, "https://example.org/new");
}

fn reviews_come_newest_first_page_by_page_r_rev_1(store: &Store) {
    let id = store.book("t", 1);
    let readers: Vec<_> = (1..=5).map(|n| store.student(n)).collect();
    let expected = (readers[4].uid, readers[4].name.clone());
    let written: Vec<ReviewId> = (1..=5)
        .zip(readers)
        .map(|(n, reader)| {
            let words = ReviewForm { rating: n, comment: format!("słowo {n}\nनई") };
            store
                .write(move |tx| reviews::add(tx, id, &reader, &words, n * 1_000))
                .expect("the book is there")
                .review
                .id
        })
        .collect();
    let first = store.read(move |tx| reviews::page(tx, id, i64::MAX, 3));
    assert_eq!(first.iter().map(|review| review.rating).collect::<Vec<_>>(), [5, 4, 3]);
    let newest = &first[0];
    assert_eq!((newest.user_id, newest.user_name.clone()), (Some(expected.0), Some(expected.1)));
    assert_eq!(
        (newest.comment.as_str(), newest.created_at.as_str()),
        ("słowo 5\nनई", "1970-01-01T00:00:05Z")
    );
    let before = first[2].id;
    let rest = store.read(move |tx| reviews::page(tx, id, before.0, 3));
    assert_eq!(rest.iter().map(|review| review.id).collect::<Vec<_>>(), [written[1], written[0]]);
}

fn a_reader_has_one_review_of_a_book_u9(store: &Store) {
    let (reader, other, id) = (store.student(1), store.student(2), store.book("t", 1));
    let (uid, stranger) = (reader.uid, other.uid);
    let words = |rating, comment: &str| ReviewForm { rating, comment: comment.into() };
    store.write(move |tx| {
        reviews::add(tx, id, &reader, &words(2, "Dull."), 1)?;
        reviews::add(tx, id, &other, &words(3, "So so."), 2)?;
        let again =
            reviews::add(tx, id, &reader, &words(5, "Read to the end: wonderful."), 3)?.expect("there");
        assert_eq!(
            again.replaced.iter().map(|review| review.comment.as_str()).collect::<Vec<_>>(),
            ["Dull."]
        );
        Ok(())
    });
    assert_eq!(store.read(move |tx| reviews::ratings(tx, id)), [0, 0, 1, 0, 1]);
    let own = store.read(move |tx| reviews::by_reader(tx, id, uid)).expect("written").id;
    assert!(store.write(move |tx| Ok(reviews::delete(tx, own, stranger)?.is_none())), "not by somebody else");
    let gone = store.write(move |tx| reviews::delete(tx, own, uid)).expect("by the one who wrote it");
    assert_eq!((gone.book, gone.review.rating), (id, 5));
    assert_eq!(store.read(move |tx| reviews::by_reader(tx, id, uid)), None);
    assert_eq!(store.read(move |tx| reviews::ratings(tx, id)), [0, 0, 1, 0, 0]);
    counts_are_right(store);
}

/// Asserts that each title counts its reviews.
fn counts_are_right(store: &Store) {
    assert_eq!(store.read(|tx| reviews::contradictions(tx, 10)), Vec::<String>::new());
}

fn averages_and_counts_are_those_of_the_reviews_r_rev_2(store: &Store) {
    let (reader, id, other) = (store.student(1), store.book("t", 1), store.book("u", 1));
    let readers: Vec<_> = (2..=5).map(|n| store.student(n)).collect();
    store.write(move |tx| {
        for (reader, stars) in readers.iter().zip([5, 4, 4, 4]) {
            reviews::add(tx, id, reader, &ReviewForm { rating: stars, comment: "c".into() }, 1)?;
        }
        reviews::add(tx, other, &reader, &ReviewForm { rating: 1, comment: "c".into() }, 1)?;
        Ok(())
    });
    let cards = store.read(move |tx| books::cards(tx, &[id, other]));
    let told: Vec<_> =
        cards.iter().map(|book| (book.average_rating, book.review_count, book.rating)).collect();
    assert_eq!(told, [(Some(4.3), 4, Some(4)), (Some(1.0), 1, Some(4))]);
    assert_eq!(store.read(move |tx| books::detail(tx, id, TODAY)).expect("there").book, cards[0]);
    counts_are_right(store);
    store.database.raw("UPDATE books SET rating_sum = 2 WHERE review_count = 1").expect("writable");
    let told = store.read(|tx| reviews::contradictions(tx, 10));
    assert_eq!(told, [format!("title {other}: 1 reviews with 2 stars are counted, there are 1 with 1")]);
    assert_eq!(store.read(move |tx| reviews::ratings(tx, id)), [0, 0, 0, 3, 1]);
}

fn changes_come_in_order_and_a_follower_too_far_behind_is_told(store: &Store) {
    assert_eq!(store.read(catalogue::newest_change), 0);
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 0)), Some(Vec::new()));
    // Concurrent writes: numbers rise by one in the order of the commits.
    std::thread::scope(|scope| {
        for n in 1..=20 {
            scope.spawn(move || store.book(&format!("Book {n}"), 1));
        }
    });
    let changes = store.read(|tx| catalogue::changes_after(tx, 0)).expect("all are kept");
    assert_eq!(changes.iter().map(|change| change.number).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    let tail = store.read(|tx| catalogue::changes_after(tx, 19)).expect("kept");
    assert_eq!(tail, [Change { number: 20, ..changes[19] }]);
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 20)), Some(Vec::new()));
    assert_eq!(store.read(catalogue::newest_change), 20);

    // Change 10001 drops the first; a server that has not read it must reload everything.
    store.database.raw("UPDATE catalogue SET changes = 10000").expect("writable");
    store.book("One more", 1);
    assert_eq!(store.read(catalogue::newest_change), 10_001);
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 0)), None);
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 500)), None, "a hole is no answer");
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 10_000)).map(|changes| changes.len()), Some(1));
    store.database.raw("DELETE FROM catalogue_changes").expect("writable");
    assert_eq!(
        store.read(|tx| catalogue::changes_after(tx, 10_000)),
        None,
        "a truncated history is no answer"
    );
    assert_eq!(store.read(|tx| catalogue::changes_after(tx, 10_001)), Some(Vec::new()));
}

/// Returns the catalogue changes recorded by a write.
fn told<T: Send + 'static>(
    store: &Store,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> Vec<(i64, i64)> {
    let before = store.read(catalogue::newest_change);
    store.write(work);
    let changes = store.read(move |tx| catalogue::changes_after(tx, before)).expect("all are kept");
    changes.into_iter().map(|change| (change.first, change.last)).collect()
}

fn whatever_changes_what_is_searched_is_told_to_the_followers_s21(store: &Store) {
    let id = store.book("Godaan", 2);
    let (one, next) = ([(id.0, id.0)], [(id.0 + 1, id.0 + 1)]);
    assert_eq!(told(store, move |tx| books::add(tx, &form("Nirmala", 1), Some("row"), 1)), next);
    assert_eq!(
        told(store, move |tx| books::add(tx, &form("Nirmala", 1), Some("row"), 1)),
        [],
        "known already"
    );
    assert_eq!(
        told(store, move |tx| books::update(tx, id, &form("Gaban", 2), loaded(1, 2), Imprint::default())),
        one
    );
    assert_eq!(
        told(store, move |tx| books::update(tx, id, &form("Lost", 2), loaded(1, 2), Imprint::default())),
        [],
        "stale"
    );
    let shelf = move |tx: &mut Tx<'_>| {
        books::take_copy(tx, id)?;
        books::put_back_copies(tx, id, 1)?;
        books::recalculate_status(tx, id)?;
        books::set_photo_url(tx, id, "https://example.org/new")
    };
    assert_eq!(told(store, shelf), [], "a borrow is no change of the catalogue");
    assert_eq!(told(store, move |tx| books::delete(tx, id, 0)), one);
    assert_eq!(told(store, move |tx| books::delete(tx, id, 0)), [], "gone already");
    assert_eq!(told(store, move |tx| books::restore(tx, id)), one);
    assert_eq!(told(store, move |tx| books::restore(tx, id)), [], "back already");
    let before = store.read(catalogue::newest_change);
    store.refused(|tx| {
        books::add(tx, &form("Undone", 1), None, 1)?;
        Err::<(), _>(Error::NoRow)
    });
    assert_eq!(store.read(catalogue::newest_change), before, "what is undone is not told");
}

fn books_far_apart_are_told_one_by_one_s21(store: &Store) {
    let ids: Vec<i64> = (0..3).map(|n| store.book(&format!("Book {n}"), 1).0).collect();
    let (first, last) = (ids[0], ids[2]);
    let far = last + 1_000_000;
    store.database.raw(&format!("UPDATE books SET id = {far} WHERE id = {}", ids[1])).expect("writable");
    let all = move |tx: &mut Tx<'_>| {
        for id in [far, last, first] {
            books::delete(tx, BookId(id), 0)?;
        }
        Ok(())
    };
    assert_eq!(told(store, all), [(first, last), (far, far)]);
}

fn entries_are_read_in_portions(store: &Store) {
    let ids: Vec<BookId> = (0..5).map(|n| store.book(&format!("Book {n}"), 1)).collect();
    let (from, to) = (ids[1], ids[3]);
    let portion = store.read(move |tx| catalogue::entries(tx, from.0, i64::MAX, 2));
    assert_eq!(portion.iter().map(|entry| BookId(entry.id)).collect::<Vec<_>>(), ids[1..3]);
    let range = store.read(move |tx| catalogue::entries(tx, from.0, to.0, i64::MAX));
    let texts: Vec<_> = range.iter().map(|entry| (entry.title.as_str(), entry.author.as_str())).collect();
    assert_eq!(texts, [("Book 1", "Premchand"), ("Book 2", "Premchand"), ("Book 3", "Premchand")]);
}
