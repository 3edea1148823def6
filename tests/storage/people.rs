//! The list of people: search, filters, order and pages.

use std::collections::BTreeMap;

use jiff::civil::date;
use library::{
    domain::{
        id::UserId,
        person::{Barred, Details},
    },
    storage::{
        accounts::Taken,
        directory::{self, Column, Key, Listing, Order, Source},
        page::Position,
        people,
    },
};

use crate::{Store, subject};

on_both_databases!(
    a_person_needs_no_email_and_no_roll_number_r_people_3,
    what_another_has_is_taken_and_one_s_own_is_not,
    a_search_finds_all_its_words_anywhere_r_people_1,
    every_order_is_paged_through_whole_both_ways_r_people_1,
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
        phone: None,
        guardian_email: None,
        guardian_phone: None,
    }
}

fn add(store: &Store, details: Details) -> UserId {
    store.write(move |tx| people::add(tx, &details, 1_000)).expect("nothing is taken")
}

fn update(store: &Store, uid: UserId, details: Details) -> Result<(), Taken> {
    store.write(move |tx| {
        let person = subject(tx, uid);
        people::update(tx, &person, &details)
    })
}

fn listing(query: &str, source: Source, column: Column, descending: bool) -> Listing {
    Listing { query: query.into(), source, order: Order::Column(column), descending }
}

fn names(store: &Store, listing: Listing) -> Vec<String> {
    let (page, _) = store.read(move |tx| directory::page(tx, &listing, None, 100));
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
        assert_eq!(update(store, other, wanted), Err(taken));
    }
    let own = Details { email: Some("A@b.c".into()), ..details("Asha K", Some("cs-1")) };
    assert_eq!(update(store, uid, own), Ok(()));
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
        let (page, total) = store.read(move |tx| directory::page(tx, &all, None, 100));
        let listed: Vec<_> = page.rows.into_iter().map(|person| person.details.name).collect();
        assert_eq!(
            (listed, total),
            (found.iter().map(|name| (*name).to_owned()).collect(), i64::try_from(found.len()).unwrap())
        );
    }
}

/// Reads a whole list page by page, forwards and back.
fn paged(store: &Store, all: &Listing, length: i64) -> Vec<UserId> {
    let read = |position: Option<Position<Key>>| {
        let all = all.clone();
        store.read(move |tx| directory::page(tx, &all, position, length))
    };
    let ((mut page, total), mut walked, mut back) = (read(None), Vec::new(), Vec::new());
    assert_eq!(page.previous, None);
    loop {
        walked.extend(page.rows.iter().map(|person| person.uid));
        let Some(next) = page.next.clone() else { break };
        page = read(Some(next)).0;
    }
    loop {
        back.splice(0..0, page.rows.iter().map(|person| person.uid));
        let Some(previous) = page.previous.clone() else { break };
        page = read(Some(previous)).0;
    }
    assert_eq!(back, walked, "{all:?} backwards");
    assert_eq!(usize::try_from(total), Ok(walked.len()), "{all:?}");
    walked
}

/// Computes the expected list from the added rows: the name is followed by a number that some have.
fn expected(people: &BTreeMap<UserId, (String, String)>, listing: &Listing) -> Vec<UserId> {
    let mut found: Vec<_> = people.iter().filter(|(_, (name, _))| name.contains(&listing.query)).collect();
    match &listing.source {
        Source::Among(uids) => found.retain(|(uid, _)| uids.binary_search(uid).is_ok()),
        Source::Inactive => found.retain(|(uid, _)| uid.0 % 3 == 0),
        _ => {}
    }
    let key = |uid: &UserId, roll_number: &String| match &listing.order {
        Order::Amount(amounts) => {
            let amount = amounts.binary_search_by_key(uid, |(of, _)| *of).map_or(0, |at| amounts[at].1);
            (amount, String::new())
        }
        Order::Column(Column::RollNumber) => (0, roll_number.clone()),
        Order::Column(_) => (0, String::new()),
    };
    found.sort_by_key(|(uid, (name, roll_number))| (key(uid, roll_number), name.clone(), **uid));
    match (&listing.order, listing.descending) {
        (Order::Column(_), true) => found.reverse(),
        // The names ascend in both directions.
        (Order::Amount(_), true) => found.sort_by_key(|(uid, (_, roll_number))| -key(uid, roll_number).0),
        _ => {}
    }
    found.into_iter().map(|(uid, _)| *uid).collect()
}

/// Adds people: every third is inactive, names repeat, every second has a roll number.
fn many(store: &Store, number: i64) -> BTreeMap<UserId, (String, String)> {
    let series = if store.read(|tx| Ok(tx.is_postgres())) {
        format!("SELECT generate_series(1, {number}) AS n")
    } else {
        format!(
            "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {number}) SELECT n FROM s"
        )
    };
    let add = format!(
        "INSERT INTO users (id, name, name_key, search_key, directory_key, role, active, roll_number, created_at)
         SELECT 100 + n, 'P', 'p' || (n % 40), 'p', 'p' || (n % 40), 'student', (100 + n) % 3 <> 0,
                CASE WHEN n % 2 = 0 THEN 'r' || n END, 1
         FROM ({series}) AS numbers"
    );
    store.database.raw(&add).expect("writable");
    let roll_number = |n: i64| if n % 2 == 0 { format!("r{n}") } else { String::new() };
    (1..=number).map(|n| (UserId(100 + n), (format!("p{}", n % 40), roll_number(n)))).collect()
}

fn every_order_is_paged_through_whole_both_ways_r_people_1(store: &Store) {
    // More than are looked up one by one, and few.
    for number in [4000, 9] {
        store.database.raw("DELETE FROM users WHERE id > 100").expect("writable");
        let people = many(store, number);
        let uids: Vec<UserId> = people.keys().copied().collect();
        let some = |step: usize| uids.iter().copied().step_by(step).collect::<Vec<_>>();
        let amounts = |step: usize, different: i64| {
            some(step)
                .into_iter()
                .map(move |uid| (uid, uid.0 % different - 1))
                .filter(|(_, amount)| *amount != 0)
        };
        for source in [Source::Everybody, Source::Inactive, Source::Among(some(2)), Source::Among(some(7))] {
            for order in [
                Order::Column(Column::Name),
                Order::Column(Column::RollNumber),
                Order::Column(Column::Batch),
                Order::Amount(amounts(1, 3).collect()),
                Order::Amount(amounts(2, 1000).collect()),
                Order::Amount(Vec::new()),
            ] {
                for (query, descending) in [("", false), ("", true), ("p1", false), ("7", true)] {
                    let (source, order) = (source.clone(), order.clone());
                    let all = Listing { query: query.into(), source, order, descending };
                    let whole = paged(store, &all, if number > 100 { 900 } else { 2 });
                    let of_order = (&all.query, all.descending, number, whole.len());
                    assert!(whole == expected(&people, &all), "another order than {of_order:?}");
                }
            }
        }
    }
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
    update(store, uid, details("Zoë", Some("cs-2"))).expect("free");
    assert_eq!(names(store, listing("zoe", Source::Everybody, Column::Name, false)), ["Zoë"]);
    assert_eq!(names(store, listing("asha", Source::Everybody, Column::Name, false)), [""; 0]);
    assert_eq!(names(store, listing("cs-1", Source::Everybody, Column::Name, false)), [""; 0]);
}
