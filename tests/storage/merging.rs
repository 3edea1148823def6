//! Merging two records of one person: everything moves to the kept record, and an undo moves exactly that back.

use library::{
    circulation::{
        hold::{self, Place},
        money::{self, Payment},
    },
    domain::{
        account::{Role, User},
        copy::Condition,
        id::{BookId, UserId},
        ledger::Method,
        person::Details,
        review::ReviewForm,
    },
    money::Money,
    people::{
        self, Error,
        merge::{Merged, merge},
    },
    storage::{
        accounts::{self, NewAccount},
        authority::Authority,
        directory::{self, Column, Listing, Order, Source},
        events::{self, Filter},
        holds, ledger, loans, people as records, reviews,
    },
};

use crate::{
    Store,
    circulation::{DESK, TODAY, act, give_back, lend, on, plain, refused, sound, title},
    student, subject,
    undo::{newest, take_back},
};

on_both_databases!(
    everything_goes_over_and_exactly_that_comes_back_r_people_9,
    of_two_holds_the_better_place_stays_and_of_two_reviews_the_newer_r_people_9,
    a_merge_stands_once_something_new_happened_r_people_9,
    who_may_not_is_refused_r_people_9,
    a_line_of_an_account_changes_its_owner_and_nothing_else_r_money_1,
);

fn merged(store: &Store, by: &User, keep: UserId, dropped: UserId) -> people::Result<Merged> {
    try_merge(store, by.uid, (keep, dropped), false)
}

fn try_merge(store: &Store, by: UserId, both: (UserId, UserId), dry_run: bool) -> people::Result<Merged> {
    store.db.write_blocking(move |tx| {
        let authority = Authority::of(tx, by)?;
        merge(tx, &authority, on(TODAY), &plain(), both, dry_run)
    })
}

fn everything(store: &Store) -> Vec<Vec<Vec<Option<String>>>> {
    [
        "SELECT * FROM users ORDER BY id",
        "SELECT * FROM loans ORDER BY id",
        "SELECT * FROM holds ORDER BY id",
        "SELECT * FROM reviews ORDER BY id",
        "SELECT * FROM account_lines ORDER BY id",
        "SELECT * FROM balances WHERE balance <> 0 ORDER BY person_id",
        "SELECT * FROM no_dues ORDER BY number",
    ]
    .iter()
    .map(|statement| store.database.raw(statement).expect(statement))
    .collect()
}

fn reserve(store: &Store, person: UserId, book: BookId) {
    let what = Place { person, book, overriding: None };
    act(store, move |tx| hold::place(tx, DESK, on(TODAY), &plain(), &what)).expect("in line");
}

fn review(store: &Store, reader: &User, book: BookId, comment: &str) {
    let (reader, form) = (reader.clone(), ReviewForm { rating: 4, comment: comment.into() });
    store.write(move |tx| reviews::add(tx, book, &reader, &form, 7)).expect("there");
}

fn everything_goes_over_and_exactly_that_comes_back_r_people_9(store: &Store) {
    let by = store.librarian();
    let (kept, dropped, other) = (store.student(1).uid, store.student(2), store.student(3).uid);
    let (late, out, waited) = (title(store, "Late", 1), title(store, "Out", 1), title(store, "Waited", 1));
    let ended = lend(store, dropped.uid, late, jiff::civil::date(2026, 11, 1));
    give_back(store, ended.id, Condition::OnShelf, TODAY);
    let (own, open) = (lend(store, kept, late, TODAY), lend(store, dropped.uid, out, TODAY));
    lend(store, other, waited, TODAY);
    reserve(store, dropped.uid, waited);
    review(store, &dropped, late, "Fine.");
    let uid = dropped.uid;
    act(store, move |tx| {
        let what = Payment {
            person: uid,
            amount: Money::main(20),
            method: Method::Cash,
            reference: "",
            charges: &[],
        };
        money::pay(tx, DESK, on(TODAY), &plain(), &what).map(drop)
    })
    .expect("paid");
    // The kept record has neither department nor password.
    store
        .write(move |tx| {
            let person = subject(tx, kept);
            let details = person.record().details.clone();
            records::update(tx, &person, &Details { department: None, ..details })
        })
        .expect("nothing is taken");
    store.database.raw(&format!("UPDATE users SET password_hash = NULL WHERE id = {kept}")).unwrap();
    let before = everything(store);
    let owed = store.read(move |tx| ledger::balance(tx, uid));
    assert!(owed > Money::ZERO);

    let done = merged(store, &by, kept, uid).expect("merged");
    assert_eq!((done.moves.open_loans, done.moves.ended_loans, done.moves.lines), (1, 1, 2));
    assert_eq!((done.moves.holds, done.moves.reviews, done.takes_password), (1, 1, true));
    assert_eq!(done.after.department.as_deref(), Some("Physics"));
    let open_ids: Vec<_> =
        store.read(move |tx| loans::open_of_user(tx, kept)).iter().map(|loan| loan.id).collect();
    assert_eq!(open_ids, [own.id, open.id]);
    assert_eq!(store.read(move |tx| loans::ended_of_user(tx, kept, None, 9)).len(), 1);
    assert_eq!(store.read(move |tx| ledger::balance(tx, kept)), owed);
    assert_eq!(store.read(move |tx| holds::open_of_person(tx, kept)).len(), 1);
    let theirs = store.read(move |tx| reviews::by_reader(tx, late, kept)).expect("it went over");
    assert_eq!(theirs.user_name.as_deref(), Some("Student 1"));
    // Both cards open the kept record, and both are found; the other's address no longer signs in.
    for card in ["cs25-001", "cs25-002"] {
        assert_eq!(
            store.read(move |tx| accounts::by_roll_number(tx, card)).map(|account| account.uid),
            Some(kept)
        );
        assert_eq!(
            store.read(move |tx| records::known_as(tx, Some(card), None)).map(|record| record.uid),
            Some(kept)
        );
        let listing = Listing {
            query: card.into(),
            source: Source::Everybody,
            order: Order::Column(Column::Name),
            descending: false,
        };
        let found = store.read(move |tx| directory::page(tx, &listing, None, 9)).0.rows;
        assert_eq!(found.iter().map(|record| record.uid).collect::<Vec<_>>(), [kept], "{card}");
    }
    assert!(store.read(|tx| accounts::credentials(tx, "student2@college.edu")).is_none());
    assert!(store.read(move |tx| records::by_id(tx, uid)).is_none());
    // Changes of the dropped record are listed under the kept one, once.
    let filter = Filter { person: Some(kept), action: Some("lent".into()), ..Filter::default() };
    let lent = store.read(move |tx| events::page(tx, &filter, library::domain::id::ChangeId(i64::MAX), 9));
    assert_eq!(lent.len(), 3);
    assert!(lent.is_sorted_by(|one, next| one.id > next.id));
    sound(store);
    let told = take_back(store, done.change.expect("recorded")).expect("undone");
    assert_eq!(told, ["Undone: Student 2 is a person of their own again."]);
    assert_eq!(everything(store), before);
    sound(store);
}

fn of_two_holds_the_better_place_stays_and_of_two_reviews_the_newer_r_people_9(store: &Store) {
    let by = store.librarian();
    let (kept, dropped, other) = (store.student(1), store.student(2), store.student(3).uid);
    let (one, two) = (title(store, "One", 1), title(store, "Two", 1));
    let (first, _) = (lend(store, other, one, TODAY), lend(store, other, two, TODAY));
    reserve(store, dropped.uid, one);
    reserve(store, kept.uid, one);
    reserve(store, kept.uid, two);
    reserve(store, dropped.uid, two);
    review(store, &kept, one, "Older.");
    review(store, &dropped, one, "Newer.");
    // A copy is kept for the first in the queue.
    give_back(store, first.id, Condition::OnShelf, TODAY);
    let before = everything(store);
    let (keep, uid) = (kept.uid, dropped.uid);
    let done = merged(store, &by, keep, uid).expect("merged");
    assert_eq!(done.holds_cancelled, ["One", "Two"]);
    assert_eq!(done.reviews_given_up, ["One"]);
    let open = store
        .database
        .raw("SELECT book_id, user_id, state FROM holds WHERE ended_at IS NULL ORDER BY book_id");
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(
        open.unwrap(),
        [
            [text(&one.to_string()), text(&keep.to_string()), text("ready")],
            [text(&two.to_string()), text(&keep.to_string()), text("waiting")]
        ]
    );
    let stays = store.read(move |tx| reviews::by_reader(tx, one, keep)).expect("one stays");
    assert_eq!(stays.comment, "Newer.");
    take_back(store, done.change.expect("recorded")).expect("undone");
    assert_eq!(everything(store), before);
    sound(store);
}

fn a_merge_stands_once_something_new_happened_r_people_9(store: &Store) {
    let by = store.librarian();
    let (kept, dropped) = (store.student(1).uid, store.student(2).uid);
    let book = title(store, "One", 1);
    let change = merged(store, &by, kept, dropped).expect("merged").change.expect("recorded");
    lend(store, kept, book, TODAY);
    let lent = newest(store, 1)[0].id;
    assert_eq!(refused(take_back(store, change)), ["undo.later"]);
    take_back(store, lent).expect("undone");
    take_back(store, change).expect("nothing new is left");
    // The dropped number, which is still found after the record is edited.
    let change = merged(store, &by, kept, dropped).expect("merged").change.expect("recorded");
    let edited = store.db.write_blocking(move |tx| {
        let rename = |details: Details| Details { name: "Asha".into(), ..details };
        let authority = Authority::of(tx, DESK.uid())?;
        people::update(tx, &authority, on(TODAY), &plain(), kept, rename)
    });
    edited.expect("edited");
    let found = store.read(|tx| records::search(tx, "cs25-002", 9));
    assert_eq!(found.iter().map(|record| record.details.name.as_str()).collect::<Vec<_>>(), ["Asha"]);
    assert_eq!(refused(take_back(store, change)), ["undo.later"]);
    // A record with a merged one is merged into a third: all three numbers open it.
    let third = store.student(3).uid;
    let change = merged(store, &by, third, kept).expect("merged").change.expect("recorded");
    for card in ["cs25-001", "cs25-002", "cs25-003"] {
        assert_eq!(
            store.read(move |tx| accounts::by_roll_number(tx, card)).map(|found| found.uid),
            Some(third)
        );
    }
    take_back(store, change).expect("undone");
    assert_eq!(store.read(|tx| accounts::by_roll_number(tx, "cs25-002")).map(|found| found.uid), Some(kept));
    sound(store);
}

fn who_may_not_is_refused_r_people_9(store: &Store) {
    let by = store.librarian();
    let (asha, other) = (store.student(1).uid, store.student(2).uid);
    let librarian = |n: u32| {
        let account = NewAccount { role: Role::Admin, roll_number: None, ..student(n) };
        store.write(move |tx| accounts::add(tx, &account, 1_000)).expect("nothing is taken")
    };
    let (assistant, colleague) = (librarian(7), librarian(8));
    let give = |to: &User, what: &str| {
        store.database.raw(&format!("UPDATE users SET {what} WHERE id = {}", to.uid)).expect("given");
    };
    give(&assistant, "capabilities = 'desk,people'");
    // Without a password there would be no librarian left who can sign in.
    give(&colleague, "password_hash = NULL");
    let before = everything(store);
    assert!(matches!(merged(store, &by, asha, asha), Err(Error::Invalid(_))));
    assert!(matches!(merged(store, &by, asha, by.uid), Err(Error::OwnAccount)));
    assert!(matches!(merged(store, &by, asha, UserId(999)), Err(Error::NotFound)));
    assert!(matches!(merged(store, &assistant, by.uid, asha), Err(Error::MoreCapable)));
    assert!(matches!(merged(store, &assistant, asha, by.uid), Err(Error::MoreCapable)));
    assert!(matches!(merged(store, &colleague, asha, by.uid), Err(Error::LastLibrarian)));
    let nobody = try_merge(store, other, (asha, other), true);
    assert!(matches!(nobody, Err(Error::Forbidden)), "a student");
    let tried = try_merge(store, by.uid, (asha, other), true);
    assert_eq!(tried.expect("told").change, None);
    assert_eq!(everything(store), before, "nothing was done");
}

fn a_line_of_an_account_changes_its_owner_and_nothing_else_r_money_1(store: &Store) {
    let (one, two) = (store.student(1).uid, store.student(2).uid);
    let book = title(store, "Late", 1);
    let loan = lend(store, one, book, jiff::civil::date(2026, 11, 1));
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    for refused in ["amount = 1", "reason = ''", "loan_id = NULL", "by_id = 2", "at = 1"] {
        assert!(store.database.raw(&format!("UPDATE account_lines SET {refused}")).is_err(), "{refused}");
    }
    assert!(store.database.raw("DELETE FROM account_lines").is_err());
    store.database.raw(&format!("UPDATE account_lines SET person_id = {two}")).expect("moved");
}
