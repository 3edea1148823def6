//! The list of people: searched, filtered, ordered, page by page.

use std::time::{Duration, Instant};

use jiff::civil::date;
use library::{
    domain::{
        id::UserId,
        person::{Barred, Details},
    },
    storage::{
        accounts::Taken,
        copies, loans,
        page::Position,
        people::{self, Column, Key, Listing, Source},
    },
};

use crate::Store;

on_both_databases!(
    a_person_needs_no_email_and_no_roll_number_r_people_3,
    what_another_has_is_taken_and_one_s_own_is_not,
    a_search_finds_all_its_words_anywhere_r_people_1,
    every_order_is_paged_through_whole_both_ways_r_people_1,
    ranks_of_many_people_are_read_once_r_people_1,
    the_search_of_the_desk_has_the_best_first,
    another_name_is_found_and_the_old_one_not,
);

fn details(name: &str, roll_number: Option<&str>) -> Details {
    Details {
        name: name.into(),
        email: None,
        roll_number: roll_number.map(Into::into),
        department: Some("भौतिकी".into()),
        batch: Some("2027".into()),
        category: "Student".into(),
        valid_until: None,
        barred: None,
    }
}

fn add(store: &Store, details: Details) -> UserId {
    store.write(move |tx| people::add(tx, &details, 1_000)).expect("nothing is taken")
}

fn listing(query: &str, source: Source, column: Column, descending: bool) -> Listing {
    Listing { query: query.into(), source, column, descending }
}

fn names(store: &Store, listing: Listing) -> Vec<String> {
    let page = store.read(move |tx| people::page(tx, &listing, None, 100));
    page.rows.into_iter().map(|person| person.details.name).collect()
}

fn a_person_needs_no_email_and_no_roll_number_r_people_3(store: &Store) {
    let full = Details {
        email: Some("Asha@College.edu".into()),
        valid_until: Some(date(2027, 5, 31)),
        barred: Some(Barred { until: date(2026, 12, 1), reason: "Two books torn".into() }),
        ..details("Asha", Some("cs-1"))
    };
    let (bare, with_all) = (add(store, details("Ravi", None)), add(store, full.clone()));
    add(store, details("Ravi", None));
    let person = |uid| store.read(move |tx| people::by_id(tx, uid)).expect("there");
    assert_eq!(person(bare).details, details("Ravi", None));
    assert_eq!((person(bare).active, person(bare).has_password), (true, false));
    assert_eq!(person(with_all).details, full);
    assert_eq!(store.read(|tx| people::by_id(tx, UserId(999))), None);
}

fn what_another_has_is_taken_and_one_s_own_is_not(store: &Store) {
    let book = store.book("Godaan", 1);
    store.write(move |tx| library::storage::copies::add(tx, book, "BC-7", None));
    let uid = add(store, Details { email: Some("a@b.c".into()), ..details("Asha", Some("cs-1")) });
    let other = add(store, details("Ravi", Some("cs-2")));
    for (wanted, taken) in [
        (Details { email: Some("A@B.C".into()), ..details("x", None) }, Taken::Email),
        (details("x", Some("cs-1")), Taken::RollNumber),
        (details("x", Some("bc-7")), Taken::Barcode),
    ] {
        let again = wanted.clone();
        assert_eq!(store.write(move |tx| people::add(tx, &again, 1)), Err(taken));
        assert_eq!(store.write(move |tx| people::update(tx, other, &wanted)), Err(taken));
    }
    let own = Details { email: Some("A@b.c".into()), ..details("Asha K", Some("cs-1")) };
    assert_eq!(store.write(move |tx| people::update(tx, uid, &own)), Ok(()));
}

fn a_search_finds_all_its_words_anywhere_r_people_1(store: &Store) {
    add(store, Details { email: Some("nunez@college.edu".into()), ..details("José Núñez", Some("me-100%")) });
    add(store, details("Asha Rao", Some("cs-1")));
    add(
        store,
        Details { batch: Some("2026".into()), department: None, ..details("Asha Iyer", Some("cs_2")) },
    );
    for (query, found) in [
        ("", ["Asha Iyer", "Asha Rao", "José Núñez"].as_slice()),
        ("  NÚÑEZ ", &["José Núñez"]),
        ("college.edu", &["José Núñez"]),
        ("rao asha", &["Asha Rao"]),
        ("asha 2026", &["Asha Iyer"]),
        ("भौतिकी", &["Asha Rao", "José Núñez"]),
        ("0%", &["José Núñez"]),
        ("cs_", &["Asha Iyer"]),
        ("a a a a", &[]),
        ("asha b", &[]),
    ] {
        assert_eq!(names(store, listing(query, Source::Everybody, Column::Name, false)), found, "{query}");
        let all = listing(query, Source::Everybody, Column::Name, false);
        let (page, total) = store.read(move |tx| people::page_with_total(tx, &all, None, 100));
        let listed: Vec<_> = page.rows.into_iter().map(|person| person.details.name).collect();
        assert_eq!(
            (listed, total),
            (found.iter().map(|name| (*name).to_owned()).collect(), i64::try_from(found.len()).unwrap())
        );
    }
}

fn every_order_is_paged_through_whole_both_ways_r_people_1(store: &Store) {
    let mut uids = Vec::new();
    for n in 0..7 {
        // Every second name comes twice.
        let person = Details {
            batch: (n % 3 > 0).then(|| format!("202{}", n % 3)),
            department: None,
            ..details(&format!("P{}", n / 2), (n != 4).then(|| format!("r{}", 9 - n)).as_deref())
        };
        uids.push(add(store, person));
    }
    let keys: Vec<_> = uids.iter().step_by(2).map(|uid| (*uid, format!("{}", uid.0 % 2))).collect();
    let inactive = uids[3];
    store.database.raw(&format!("UPDATE users SET active = FALSE WHERE id = {inactive}")).unwrap();
    let book = store.book("t", 1);
    for (barcode, uid, day) in
        [("X1", uids[0], 9), ("X2", uids[2], 21), ("X3", uids[5], 20), ("X4", uids[0], 25)]
    {
        store.write(move |tx| {
            let copy = copies::add(tx, book, barcode, None)?.expect("a free barcode");
            let loan = crate::loan::loan(uid, book, copy, "t", date(2026, 11, 1), date(2026, 11, day));
            loans::begin(tx, &loan, 0)
        });
    }
    let overdue = Source::Overdue(date(2026, 11, 21));
    for source in [
        Source::Everybody,
        Source::Inactive,
        Source::Librarians,
        Source::Borrowers,
        overdue.clone(),
        Source::Among(keys.clone()),
        Source::Ranked(keys.clone(), "0".into()),
    ] {
        for column in [Column::Name, Column::RollNumber, Column::Batch, Column::Department, Column::Rank] {
            for (query, descending) in [("", false), ("", true), ("p", false), ("p", true)] {
                let all = listing(query, source.clone(), column, descending);
                let read = |position: Option<Position<Key>>, limit| {
                    let all = all.clone();
                    store.read(move |tx| people::page_with_total(tx, &all, position, limit))
                };
                let whole: Vec<UserId> = {
                    let all = all.clone();
                    let rows = store.read(move |tx| people::page(tx, &all, None, 100)).rows;
                    rows.iter().map(|person| person.uid).collect()
                };
                let ((mut page, total), mut walked, mut back) = (read(None, 2), Vec::new(), Vec::new());
                assert_eq!(usize::try_from(total), Ok(whole.len()));
                assert_eq!(page.previous, None);
                loop {
                    walked.extend(page.rows.iter().map(|person| person.uid));
                    let Some(next) = page.next.clone() else { break };
                    page = read(Some(next), 2).0;
                }
                assert_eq!(walked, whole, "{all:?}");
                loop {
                    back.splice(0..0, page.rows.iter().map(|person| person.uid));
                    let Some(previous) = page.previous.clone() else { break };
                    page = read(Some(previous), 2).0;
                }
                assert_eq!(back, whole, "{all:?} backwards");
            }
        }
    }
    let everybody = |column, descending| names(store, listing("", Source::Everybody, column, descending));
    assert_eq!(everybody(Column::Name, false), ["P0", "P0", "P1", "P1", "P2", "P2", "P3"]);
    assert_eq!(everybody(Column::RollNumber, false), ["P2", "P3", "P2", "P1", "P1", "P0", "P0"]);
    assert_eq!(everybody(Column::Batch, false), ["P0", "P1", "P3", "P0", "P2", "P1", "P2"]);
    assert_eq!(names(store, listing("", Source::Inactive, Column::Name, false)), ["P1"]);
    assert_eq!(names(store, listing("", Source::Borrowers, Column::Name, false)), ["P0", "P1", "P2"]);
    assert_eq!(names(store, listing("", overdue, Column::Name, false)), ["P0", "P2"]);
    let ranked = listing(
        "",
        Source::Ranked(vec![(uids[6], "5".into()), (uids[0], "3".into())], "0".into()),
        Column::Rank,
        true,
    );
    assert_eq!(names(store, ranked)[..2], ["P3", "P0"]);
}

/// The list of ranks was read for each of the people: with 50 000 of both that took a minute, and the server was busy.
fn ranks_of_many_people_are_read_once_r_people_1(store: &Store) {
    for n in 0..20 {
        let (first, last) = (n * 1000, n * 1000 + 999);
        let series = if store.read(|tx| Ok(tx.is_postgres())) {
            format!("SELECT generate_series({first}, {last}) AS n")
        } else {
            format!(
                "WITH RECURSIVE s (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s WHERE n < {last}) SELECT n FROM s"
            )
        };
        let add = format!(
            "INSERT INTO users (name, name_key, search_key, role, created_at)
             SELECT 'P' || n, 'p' || n, 'p' || n, 'student', 1 FROM ({series}) AS numbers"
        );
        store.database.raw(&add).expect("writable");
    }
    let everybody = listing("", Source::Everybody, Column::Name, false);
    let uids = store.read(move |tx| people::page(tx, &everybody, None, 20_000)).rows;
    assert_eq!(uids.len(), 20_000);
    let keys = uids.iter().step_by(2).map(|person| (person.uid, format!("{}", person.uid.0 % 7))).collect();
    let ranked = listing("", Source::Ranked(keys, "0".into()), Column::Rank, true);
    let begun = Instant::now();
    let page = store.read(move |tx| people::page(tx, &ranked, None, 50)).rows;
    assert!(page.iter().all(|person| person.uid.0 % 7 == 6), "the highest ranks come first");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

fn the_search_of_the_desk_has_the_best_first(store: &Store) {
    add(store, details("Kumar Sanu", Some("x-1")));
    add(store, details("Sanjay Kumar", Some("x-2")));
    add(store, details("Vikumar", Some("x-3")));
    add(store, Details { email: Some("kumar".into()), ..details("Zoya", Some("x-4")) });
    let gone = add(store, details("Kumari", Some("x-5")));
    store.database.raw(&format!("UPDATE users SET gone_at = 1 WHERE id = {gone}")).unwrap();
    let found = |query: &'static str, limit| -> Vec<String> {
        let found = store.read(move |tx| people::search(tx, query, limit));
        found.into_iter().map(|person| person.details.name).collect()
    };
    assert_eq!(found("KUMAR", 9), ["Zoya", "Kumar Sanu", "Sanjay Kumar", "Vikumar"]);
    assert_eq!(found("x-3", 9), ["Vikumar"]);
    assert_eq!(found("x-", 2), ["Kumar Sanu", "Sanjay Kumar"]);
    assert_eq!(found("nobody", 9), [""; 0]);
}

fn another_name_is_found_and_the_old_one_not(store: &Store) {
    let uid = add(store, details("Asha", Some("cs-1")));
    store.write(move |tx| people::update(tx, uid, &details("Zoë", Some("cs-2")))).expect("free");
    assert_eq!(names(store, listing("zoe", Source::Everybody, Column::Name, false)), ["Zoë"]);
    assert_eq!(names(store, listing("asha", Source::Everybody, Column::Name, false)), [""; 0]);
    assert_eq!(names(store, listing("cs-1", Source::Everybody, Column::Name, false)), [""; 0]);
}
