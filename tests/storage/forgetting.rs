//! Forgetting readers: nothing in the database connects reader and book any more, and everything else stays.

use jiff::{Span, civil::Date};
use library::{
    circulation::{
        Actor, CheckIn, Renew, check_in,
        hold::{self, Place},
        money::{self, Payment},
        renew,
    },
    domain::{
        copy::Condition,
        id::{BookId, UserId},
        ledger::Method,
    },
    people::forgetting::{self, Progress},
    storage::{Location, forget, idempotency},
};

use crate::{
    Store,
    circulation::{DESK, act, give_back, lend, on, plain, sound, title},
};

on_both_databases!(
    nothing_tells_any_more_who_had_a_book_and_the_rest_stays_r_people_10,
    a_loan_is_forgotten_once_nothing_of_it_is_owed_for_so_long_r_people_10,
    a_change_loses_its_reader_and_nothing_else_r_people_10,
);

const READER: UserId = UserId(7_000_001);
const BOOK: i64 = 8_000_001;
const DAY: Date = jiff::civil::date(2026, 3, 2);
/// Later than all actions of the tests.
const NOW: i64 = 1_800_000_000_000;

/// Creates a reader and a book whose numbers and names occur nowhere else.
fn reader_and_book(store: &Store) -> BookId {
    store
        .database
        .raw(
            "INSERT INTO users (id, email, email_key, name, search_key, role, roll_number, department, batch, created_at)
             VALUES (7000001, 'zq@x.in', 'zq@x.in', 'Zenobia Quux', 'zenobia quux', 'student', 'zq-77', 'Physics', '2027', 1)",
        )
        .expect("a reader");
    store
        .database
        .raw(match store.database.location {
            Location::Sqlite(_) => "INSERT INTO sqlite_sequence (name, seq) VALUES ('books', 8000000)",
            Location::Postgres(_) => "SELECT setval('books_id_seq', 8000000)",
        })
        .expect("numbers go on from here");
    let book = title(store, "Unmistakable", 1);
    assert_eq!(book, BookId(BOOK));
    book
}

/// Returns the rows of all tables that name both the reader and the book.
fn connections(store: &Store) -> Vec<String> {
    let tables = store.database.raw(match store.database.location {
        Location::Sqlite(_) => "SELECT name FROM sqlite_master WHERE type = 'table'",
        Location::Postgres(_) => "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
    });
    let mut found = Vec::new();
    for table in tables.expect("readable").into_iter().flatten().flatten() {
        for row in store.database.raw(&format!("SELECT * FROM {table}")).expect("readable") {
            let row = row.into_iter().flatten().collect::<Vec<_>>().join(" | ");
            let reader = ["7000001", "Zenobia", "zq-77", "zq@x.in"].iter().any(|mark| row.contains(mark));
            if reader && ["8000001", "Unmistakable"].iter().any(|mark| row.contains(mark)) {
                found.push(format!("{table}: {row}"));
            }
        }
    }
    found
}

fn forget(store: &Store, before: i64) -> Progress {
    let mut so_far = Progress::default();
    while let Some(further) = store.write(move |tx| forgetting::portion(tx, on(DAY), before, so_far)) {
        so_far = further;
    }
    so_far
}

fn nothing_tells_any_more_who_had_a_book_and_the_rest_stays_r_people_10(store: &Store) {
    store.student(1);
    let other = store.student(2).uid;
    let book = reader_and_book(store);
    // Reserved, borrowed, renewed and returned by himself; and once more at the desk.
    let first = lend(store, other, book, DAY);
    let what = Place { person: READER, book, overriding: None };
    act(store, move |tx| hold::place(tx, Actor::Student(READER), on(DAY), &plain(), &what)).expect("in line");
    give_back(store, first.id, Condition::OnShelf, DAY);
    let loan = lend(store, READER, book, DAY);
    act(store, move |tx| {
        renew(tx, Actor::Student(READER), on(DAY), &plain(), &Renew { loan: loan.id, overriding: None })
    })
    .expect("renewed");
    let what =
        CheckIn { loan: loan.id, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    act(store, move |tx| check_in(tx, Actor::Student(READER), on(DAY), &plain(), what)).expect("returned");
    let again = lend(store, READER, book, DAY);
    give_back(store, again.id, Condition::OnShelf, DAY);
    let open = lend(store, READER, book, DAY);
    // An answer stored for a repeat.
    store
        .database
        .raw(
            "INSERT INTO idempotency (user_id, key, fingerprint, status, body, created_at)
             VALUES (1, 'k', 'f', 200, 'Zenobia Quux has Unmistakable', 5)",
        )
        .expect("kept");
    let tables = |found: &[String]| {
        let mut tables: Vec<String> =
            found.iter().map(|row| row.split(':').next().unwrap_or_default().to_owned()).collect();
        tables.dedup();
        tables.sort();
        tables.dedup();
        tables
    };
    assert_eq!(tables(&connections(store)), ["events", "holds", "idempotency", "loans", "notices"]);
    let count = |store: &Store, of: &str| store.database.raw(&format!("SELECT COUNT(*) FROM {of}")).unwrap();
    let counts = |store: &Store| ["loans", "holds"].map(|of| count(store, of));
    let before = counts(store);

    assert_eq!(store.read(|tx| forget::count(tx, NOW)), 3, "his two and the one before");
    store.write(|tx| forget::purge_temporary(tx, NOW + idempotency::KEPT_FOR, NOW));
    let done = forget(store, NOW);
    assert_eq!((done.loans, done.holds), (3, 1));
    // The open loan is not forgotten: its row, and the change that began it.
    let left = connections(store);
    assert_eq!(tables(&left), ["events", "loans"], "{left:#?}");
    assert_eq!(left.len(), 2, "{left:#?}");
    give_back(store, open.id, Condition::OnShelf, DAY);
    forget(store, NOW);
    assert_eq!(connections(store), [""; 0]);

    assert_eq!(counts(store), before, "nothing is deleted");
    let kept =
        store.database.raw(&format!("SELECT department, batch, title FROM loans WHERE id = {}", loan.id.0));
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(kept.unwrap(), [[text("Physics"), text("2027"), text("Unmistakable")]]);
    assert_eq!(
        store.database.raw("SELECT name FROM users WHERE id = 7000001").unwrap(),
        [[text("Zenobia Quux")]],
        "the person stays"
    );
    let told = store.database.raw("SELECT COUNT(*) FROM events WHERE action = 'readers-forgotten'").unwrap();
    assert_eq!(told, [[text("2")]]);
    assert_eq!(forget(store, NOW), Progress::default(), "there is nothing left to forget");
    sound(store);
}

fn a_loan_is_forgotten_once_nothing_of_it_is_owed_for_so_long_r_people_10(store: &Store) {
    let uid = store.student(1).uid;
    let book = title(store, "Late", 1);
    let loan = lend(store, uid, book, DAY);
    give_back(store, loan.id, Condition::OnShelf, DAY.checked_add(Span::new().days(10)).unwrap());
    let count = |before: i64| store.read(move |tx| forget::count(tx, before));
    assert_eq!(count(NOW), 0, "₹15 is owed");
    let paid = act(store, move |tx| {
        let amount = library::money::Money::main(15);
        let what = Payment { person: uid, amount, method: Method::Cash, reference: "", charges: &[] };
        money::pay(tx, DESK, on(DAY), &plain(), &what).map(|paid| paid.change)
    })
    .expect("paid");
    let change = store.read(move |tx| library::storage::events::by_id(tx, paid)).expect("recorded");
    assert_eq!(count(change.at), 0, "so long after it was paid, not after it came back");
    assert_eq!(count(change.at + 1), 1);
    assert_eq!(forget(store, change.at + 1).loans, 1);
    // The account stays complete.
    let lines = store.database.raw(&format!("SELECT COUNT(*) FROM account_lines WHERE person_id = {uid}"));
    assert_eq!(lines.unwrap(), [[Some("2".to_owned())]]);
    sound(store);
}

fn a_change_loses_its_reader_and_nothing_else_r_people_10(store: &Store) {
    let uid = store.student(1).uid;
    lend(store, uid, title(store, "One", 1), DAY);
    for refused in [
        "UPDATE events SET person_id = NULL, change = '{}' WHERE action = 'lent'",
        "UPDATE events SET person_id = NULL, at = 1 WHERE action = 'lent'",
        "UPDATE events SET person_id = 2 WHERE action = 'lent'",
        "UPDATE events SET person_id = NULL, book_id = NULL WHERE action = 'lent'",
        "UPDATE events SET person_id = NULL, at_desk = FALSE WHERE action = 'lent'",
        "UPDATE events SET person_id = NULL, personal = TRUE WHERE action = 'lent'",
    ] {
        assert!(store.database.raw(refused).is_err(), "{refused}");
    }
    store
        .database
        .raw("UPDATE events SET person_id = NULL, actor_id = NULL WHERE action = 'lent'")
        .expect("let go");
}
