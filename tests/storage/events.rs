//! The record of changes.

use jiff::civil::date;
use library::{
    domain::{
        account::Role,
        change::{Change, LoanChange, PersonChange, SignInChange},
        id::{BookId, ChangeId, CopyId, LoanId, UserId},
    },
    storage::{
        Location,
        events::{self, Entry, Filter},
    },
};

use crate::Store;

on_both_databases!(
    a_change_tells_who_did_what_to_whom_and_what,
    changes_are_found_by_every_filter_and_page_by_page,
    events_are_only_ever_added,
    many_changes_are_kept_as_each_alone_would_be,
);

fn lent(title: &str) -> Change {
    LoanChange::Lent {
        loan: LoanId(1),
        title: title.into(),
        copy: Some(CopyId(2)),
        barcode: Some("L000002".into()),
        due: date(2026, 11, 28),
        overridden: None,
        filled: None,
        passed_over: None,
        was: None,
    }
    .into()
}

fn a_change_tells_who_did_what_to_whom_and_what(store: &Store) {
    let reader = store.student(1);
    let book = store.book("Godaan", 2);
    let (uid, change) = (reader.uid, lent("alt ✎ \"x\""));
    let entry = Entry { person: Some(uid), book: Some(book), copy: None, change };
    let kept = entry.clone();
    store.write(move |tx| events::record(tx, 7, None, &kept));
    let found = store.read(|tx| events::page(tx, &Filter::default(), ChangeId(i64::MAX), 9));
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.at, &found.actor), (7, &None), "the command line has no name");
    assert_eq!(found.person, Some((uid, reader.name)));
    assert_eq!(found.book, Some((book, "Godaan".into())));
    assert_eq!(found.change, entry.change);
}

fn changes_are_found_by_every_filter_and_page_by_page(store: &Store) {
    let (asha, bala) = (store.student(1).uid, store.student(2).uid);
    let write = |at, actor, person, book, copy: Option<i64>, change: Change| {
        let (book, copy) = (Some(BookId(book)), copy.map(CopyId));
        store.write(move |tx| events::record(tx, at, actor, &Entry { person, book, copy, change }))
    };
    let first = write(10, Some(asha), Some(asha), 1, None, lent("a"));
    let second = write(20, Some(bala), Some(asha), 1, Some(5), SignInChange::SignedIn.into());
    let third = write(30, Some(bala), None, 2, None, lent("b"));
    let fourth = write(40, None, Some(bala), 2, Some(5), SignInChange::SignedIn.into());
    let found = |filter: Filter| -> Vec<ChangeId> {
        let page = store.read(move |tx| events::page(tx, &filter, ChangeId(i64::MAX), 9));
        page.into_iter().map(|change| change.id).collect()
    };
    let all = Filter::default();
    assert_eq!(found(all.clone()), [fourth, third, second, first]);
    assert_eq!(found(Filter { person: Some(asha), ..all.clone() }), [second, first]);
    assert_eq!(found(Filter { person: Some(bala), ..all.clone() }), [fourth, third, second]);
    assert_eq!(found(Filter { book: Some(BookId(2)), ..all.clone() }), [fourth, third]);
    let both = Filter { book: Some(BookId(2)), person: Some(bala), ..all.clone() };
    assert_eq!(found(both), [fourth, third]);
    assert_eq!(found(Filter { copy: Some(CopyId(5)), ..all.clone() }), [fourth, second]);
    assert_eq!(found(Filter { action: Some("lent".into()), ..all.clone() }), [third, first]);
    assert_eq!(found(Filter { from: Some(20), to: Some(40), ..all.clone() }), [third, second]);
    assert_eq!(found(Filter { person: Some(UserId(0)), ..all }), []);
    let older = store.read(move |tx| events::page(tx, &Filter::default(), third, 1));
    assert_eq!(older.iter().map(|change| change.id).collect::<Vec<_>>(), [second]);
}

fn events_are_only_ever_added(store: &Store) {
    store.write(|tx| events::record(tx, 1, None, &Entry::book(BookId(7), lent("t"))));
    let emptied = matches!(store.database.location, Location::Postgres(_)).then_some("TRUNCATE events");
    for attack in ["UPDATE events SET actor_id = 9", "DELETE FROM events"].into_iter().chain(emptied) {
        let refused = store.database.raw(attack).err().unwrap_or_default();
        assert!(refused.contains("events are never"), "{attack}: {refused}");
    }
    assert_eq!(store.database.raw("SELECT id FROM events").expect("readable").len(), 1);
}

fn many_changes_are_kept_as_each_alone_would_be(store: &Store) {
    let uid = store.student(1).uid;
    let book = store.book("Godaan", 2);
    let mut entries: Vec<Entry> = (0..12)
        .map(|n| Entry {
            person: Some(uid),
            book: Some(book),
            copy: None,
            change: lent(&format!("\"{n}\" ✎ '")),
        })
        .collect();
    let signed_in = SignInChange::SignedIn.into();
    entries.push(Entry { person: None, book: None, copy: Some(CopyId(2)), change: signed_in });
    entries.push(Entry::person(uid, PersonChange::Registered { role: Role::Student }));
    let kept = entries.clone();
    store.write(move |tx| {
        events::record_all(tx, 7, Some(uid), &kept)?;
        kept.iter().try_for_each(|entry| events::record(tx, 7, Some(uid), entry).map(|_| ()))
    });
    let rows = "SELECT at, actor_id, action, person_id, book_id, copy_id, change, at_desk, personal
                FROM events WHERE at = 7 ORDER BY id";
    let rows = store.database.raw(rows).expect("readable");
    assert_eq!(rows.len(), 2 * entries.len());
    assert_eq!(rows[..entries.len()], rows[entries.len()..]);
}
