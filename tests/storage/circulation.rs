//! Loans: beginning, ending, listing, and the ledger of copies.

use jiff::civil::{Date, date};
use library::domain::id::{BookId, LoanId, UserId};
use library::storage::{
    accounts::{self, NewAccount},
    loans::{self, End},
    page::Position,
};

use crate::{Store, student};

on_both_databases!(
    a_loan_begins_open_and_is_listed_with_todays_fine_r_loan_5,
    a_return_date_moves_and_the_fine_with_it_r_loan_4,
    an_ended_loan_leaves_every_list_and_is_kept_with_its_fine_r_loan_9,
    copies_away_count_open_loans_and_those_not_restocked,
    the_librarians_list_is_paged_both_ways_without_gaps_r_fine_1,
    names_roll_numbers_and_batches_are_searched_r_fine_2,
    a_patterns_own_characters_are_taken_literally_r_fine_2,
    nothing_is_held_where_no_open_loan_is,
);

const TODAY: Date = date(2026, 11, 21);

fn a_loan_begins_open_and_is_listed_with_todays_fine_r_loan_5(store: &Store) {
    let uid = store.student(1).uid;
    let loan = store.write(move |tx| loans::begin(tx, uid, BookId(77), "Título", TODAY, date(2026, 11, 28)));
    assert_eq!((loan.user_id, loan.book_id, loan.title.as_str()), (uid, BookId(77), "Título"));
    assert_eq!(
        (loan.entry_date, loan.return_date, loan.fine, loan.overdue_days),
        (TODAY, date(2026, 11, 28), 0, 0)
    );

    let later = store.write(move |tx| loans::begin(tx, uid, BookId(78), "Later", TODAY, date(2026, 12, 5)));
    let on = |day| store.read(move |tx| loans::open_of_user(tx, uid, day));
    assert_eq!(on(TODAY), [loan.clone(), later]);
    let overdue = &on(date(2026, 12, 1))[0];
    assert_eq!((overdue.id, overdue.fine, overdue.overdue_days), (loan.id, 15, 3));
    assert!(store.read(move |tx| loans::open_of_user(tx, UserId(uid.0 + 1), TODAY)).is_empty());
}

fn a_return_date_moves_and_the_fine_with_it_r_loan_4(store: &Store) {
    let uid = store.student(1).uid;
    let moved = store.write(move |tx| {
        let loan = loans::begin(tx, uid, BookId(1), "t", date(2026, 11, 1), date(2026, 11, 8))?;
        let held = loans::hold_open(tx, loan.id, TODAY)?.expect("it is open");
        assert_eq!(held.fine, 13 * 5);
        loans::set_return_date(tx, loan.id, date(2026, 11, 15), TODAY)
    });
    assert_eq!(
        (moved.entry_date, moved.return_date, moved.fine),
        (date(2026, 11, 1), date(2026, 11, 15), 30)
    );
}

fn end(
    tx: &mut library::storage::Tx<'_>,
    id: LoanId,
    by: UserId,
    restocked: bool,
) -> library::storage::Result<()> {
    let held = loans::hold_open(tx, id, TODAY)?.expect("it is open");
    loans::end(tx, &held, End { at: 1_793_000_000_000, on: TODAY, by, restocked })
}

fn an_ended_loan_leaves_every_list_and_is_kept_with_its_fine_r_loan_9(store: &Store) {
    let uid = store.student(1).uid;
    let id = store.write(move |tx| {
        let loan = loans::begin(tx, uid, BookId(1), "t", date(2026, 11, 1), date(2026, 11, 8))?;
        end(tx, loan.id, uid, true)?;
        assert!(loans::open_of_user(tx, uid, TODAY)?.is_empty());
        assert!(loans::open_page(tx, "", None, 10, TODAY)?.rows.is_empty());
        assert_eq!(loans::open_count(tx, "")?, 0);
        assert!(loans::hold_open(tx, loan.id, TODAY)?.is_none(), "it cannot be ended twice");
        Ok(loan.id)
    });
    let kept = store
        .database
        .raw("SELECT id, ended_at, ended_on, ended_by, fine, CASE WHEN restocked THEN 'yes' ELSE 'no' END FROM loans")
        .expect("readable");
    let expected = [&id.to_string(), "1793000000000", "2026-11-21", &uid.to_string(), "65", "yes"];
    assert_eq!(kept, [expected.map(|cell| Some(cell.to_owned()))]);
}

fn copies_away_count_open_loans_and_those_not_restocked(store: &Store) {
    let uid = store.student(1).uid;
    store.write(move |tx| {
        for restocked in [None, None, Some(true), Some(false), Some(false), Some(false)] {
            let loan = loans::begin(tx, uid, BookId(7), "t", TODAY, TODAY)?;
            if let Some(restocked) = restocked {
                end(tx, loan.id, uid, restocked)?;
            }
        }
        loans::begin(tx, uid, BookId(8), "other", TODAY, TODAY)?;
        assert_eq!(loans::copies_away(tx, BookId(7))?, (2, 3));
        assert_eq!(loans::copies_away(tx, BookId(8))?, (1, 0));
        assert_eq!(loans::copies_away(tx, BookId(9))?, (0, 0));
        Ok(())
    });
}

fn the_librarians_list_is_paged_both_ways_without_gaps_r_fine_1(store: &Store) {
    let uid = store.student(1).uid;
    // Days out of order, and several loans on one day.
    let days = [9, 3, 3, 3, 28, 1, 9, 14, 3, 1];
    store.write(move |tx| {
        for day in days {
            loans::begin(tx, uid, BookId(1), "t", date(2026, 10, 1), date(2026, 11, day))?;
        }
        Ok(())
    });
    let all = store.read(|tx| loans::open_page(tx, "", None, 100, TODAY)).rows;
    let keys: Vec<(Date, i64)> = all.iter().map(|row| (row.loan.return_date, row.loan.id.0)).collect();
    assert!(keys.is_sorted() && keys.len() == days.len(), "{keys:?}");
    assert_eq!(
        (all[0].user_name.as_str(), all[0].roll_number.as_str(), all[0].batch.as_str()),
        ("Student 1", "cs25-001", "2027")
    );
    assert_eq!((all[0].loan.fine, all[9].loan.fine), (100, 0));

    let page = |position, limit| store.read(move |tx| loans::open_page(tx, "", position, limit, TODAY));
    for limit in 1..=4_i64 {
        let mut pages = vec![page(None, limit)];
        while let Some(next) = pages.last().and_then(|page| page.next) {
            pages.push(page(Some(next), limit));
        }
        let walked: Vec<_> = pages.iter().flat_map(|page| page.rows.clone()).collect();
        assert_eq!(walked, all, "forwards by {limit}");
        for pair in pages.windows(2).rev() {
            let back = page(pair[1].previous, limit);
            assert_eq!(back.rows, pair[0].rows, "backwards by {limit}");
            assert_eq!(back.previous.is_none(), pair[0].previous.is_none(), "backwards by {limit}");
        }
    }
    let (before_all, after_all) =
        (Position::Before(date(2026, 10, 1), 0), Position::After(date(2027, 1, 1), 0));
    assert_eq!(page(Some(before_all), 9).rows, []);
    assert_eq!(page(Some(after_all), 9).rows, []);
}

fn borrower(store: &Store, n: u32, name: &str, roll_number: &str, batch: &str) {
    let new = NewAccount {
        name: name.into(),
        roll_number: Some(roll_number.into()),
        batch: Some(batch.into()),
        ..student(n)
    };
    store.write(move |tx| {
        let user = accounts::add(tx, &new, 1)?.expect("nothing is taken");
        loans::begin(tx, user.uid, BookId(1), "t", TODAY, TODAY)
    });
}

fn found(store: &Store, query: &'static str) -> Vec<String> {
    let (page, count) = store.read(move |tx| {
        Ok((loans::open_page(tx, query, None, 100, TODAY)?.rows, loans::open_count(tx, query)?))
    });
    assert_eq!(i64::try_from(page.len()), Ok(count), "the count is the list's");
    page.into_iter().map(|row| row.user_name).collect()
}

fn names_roll_numbers_and_batches_are_searched_r_fine_2(store: &Store) {
    borrower(store, 1, "Åsa Müller", "cs25-001", "2025");
    borrower(store, 2, "अर्जुन नायर", "me25-002", "2026");
    borrower(store, 3, "Ravi KUMAR", "cs25-003", "2026");
    assert_eq!(found(store, ""), ["Åsa Müller", "अर्जुन नायर", "Ravi KUMAR"]);
    assert_eq!(found(store, "asa mul"), ["Åsa Müller"], "accents and case do not matter");
    assert_eq!(found(store, "अर्जुन"), ["अर्जुन नायर"]);
    assert_eq!(found(store, " CS25 "), ["Åsa Müller", "Ravi KUMAR"]);
    assert_eq!(found(store, "2026"), ["अर्जुन नायर", "Ravi KUMAR"]);
    assert!(
        found(store, "kumar2026").is_empty() && found(store, "kumar cs25").is_empty(),
        "fields do not run together"
    );
    assert!(found(store, "nobody").is_empty());
}

fn a_patterns_own_characters_are_taken_literally_r_fine_2(store: &Store) {
    borrower(store, 1, "per%cent", "under_score", "2025");
    borrower(store, 2, "back\\slash", "quote'quote", "2025");
    borrower(store, 3, "percent", "underscore", "2025");
    assert_eq!(found(store, "%"), ["per%cent"]);
    assert_eq!(found(store, "_"), ["per%cent"]);
    assert_eq!(found(store, "r_s"), ["per%cent"]);
    assert_eq!(found(store, "\\"), ["back\\slash"]);
    assert_eq!(found(store, "k\\s"), ["back\\slash"]);
    assert_eq!(found(store, "'"), ["back\\slash"]);
    assert!(found(store, "%%").is_empty() && found(store, "\\%").is_empty());
}

fn nothing_is_held_where_no_open_loan_is(store: &Store) {
    for id in [0, -1, 1, i64::MAX, i64::MIN].map(LoanId) {
        assert!(store.write(move |tx| loans::hold_open(tx, id, TODAY)).is_none());
    }
}
