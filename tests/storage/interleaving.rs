//! Races between transactions on people's records, on `PostgreSQL`: a second connection holds a lock until both wait.
//! `SQLite` has one writer, which runs one transaction after the other.

use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use jiff::ToSpan;
use library::{
    circulation::{
        self, CheckIn, CheckOut, CopyToLend, check_in, check_out,
        desk::{self, Choice, Scan},
        hold::{self, Place},
        money::{self, NewCharge, Payment},
        stock::{self, Barcodes},
    },
    clock::Clock,
    domain::{
        account::{Role, User},
        calendar::{Calendar, CalendarForm, ClosedDates},
        copy::Condition,
        id::{BookId, ChangeId, CopyId, LineId, LoanId, ReviewId, UserId},
        ledger::{ChargeKind, Method},
        review::ReviewForm,
    },
    effect,
    money::Money,
    people::{
        self,
        merge::{Merged, merge},
        promotion::{Promotion, PromotionResult, promote},
    },
    policies::Policies,
    storage::{
        Result, Tx,
        accounts::{self, NewAccount},
        authority::{Authority, Librarians},
        books, ledger, loans, people as records, reviews,
        settings::{self, Document},
    },
};

use crate::{
    Store,
    circulation::{DESK, TODAY, act, give_back, lend, on, plain, refused, sound, title},
    student,
    undo::take_back,
};

macro_rules! on_postgres {
    ($($test:ident),+ $(,)?) => {
        mod postgres { $( #[test] fn $test() { super::$test(&crate::Store::on(crate::common::Database::ready_postgres())); } )+ }
    };
}

on_postgres!(
    a_promotion_and_an_import_lock_people_in_one_order,
    a_change_of_librarians_and_an_import_lock_them_in_one_order,
    a_merge_locks_loans_before_titles,
    an_undone_merge_and_a_return_with_a_fine_are_both_done_r_people_9,
    an_undone_merge_locks_titles_before_accounts,
    books_handed_over_in_opposite_directions_and_an_undo_lock_accounts_in_order_r_desk_2,
    a_merge_that_gives_up_a_review_and_a_new_review_are_both_done_r_people_9_r_rev_2,
    a_review_is_deleted_while_its_reader_writes_another_r_rev_2,
    an_undone_merge_sees_a_payment_that_it_waited_for_r_people_9,
    money_that_waits_for_a_merge_is_booked_on_the_kept_record_r_people_9,
    a_batch_that_leaves_locks_titles_in_order,
    shelving_locks_titles_in_order,
    a_loan_that_begins_while_the_calendar_is_saved_moves_with_it_r_rule_6,
);

/// Number of connections to this database that wait for a lock.
fn waiting(store: &Store) -> usize {
    let statement = "SELECT COUNT(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock'";
    store.database.raw(statement).expect("counted")[0][0]
        .as_deref()
        .unwrap_or_default()
        .parse()
        .expect("a number")
}

/// Waits until this many connections wait for a lock. Gives up before a lock does.
fn wait_for(store: &Store, count: usize) {
    let begin = Instant::now();
    while waiting(store) < count && begin.elapsed() < Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs two transactions that compete for locks. `held` locks rows on another connection; `first` starts, then `second` once the first
/// waits, and the rows are released once both wait.
fn meet<A: Send, B: Send>(
    store: &Store,
    held: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let other = store.database.open();
    let (locked, is_locked) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let both = thread::scope(|scope| {
        let holder = scope.spawn(|| {
            other.write_blocking(move |tx| {
                held(tx)?;
                locked.send(()).expect("awaited");
                released.recv().expect("released");
                Ok::<_, library::storage::Error>(())
            })
        });
        is_locked.recv().expect("locked");
        let first = scope.spawn(first);
        wait_for(store, 1);
        let second = scope.spawn(second);
        wait_for(store, 2);
        release.send(()).expect("held");
        holder.join().expect("no panic").expect("released");
        (first.join().expect("no panic"), second.join().expect("no panic"))
    });
    other.close();
    both
}

fn named(store: &Store, n: u32, name: &str, role: Role) -> UserId {
    let new = NewAccount { name: name.into(), role, ..student(n) };
    store.write(move |tx| accounts::add(tx, &new, 1_000)).expect("nothing is taken").uid
}

fn move_batch(store: &Store, to: Option<&str>) -> people::Result<PromotionResult> {
    let (from, to) = ("2027".into(), to.map(ToOwned::to_owned));
    let what =
        Promotion { from, to, only: None, except: Vec::new(), with_open: true, preview: None, again: true };
    store.db.write_blocking(move |tx| {
        let clock = Clock::standing_at(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC);
        let authority = Authority::of(tx, DESK.uid())?;
        promote(tx, &authority, on(TODAY), (&plain(), &clock), &what, false)
    })
}

fn merged(store: &Store, keep: UserId, dropped: UserId) -> people::Result<Merged> {
    store.db.write_blocking(move |tx| {
        let authority = Authority::of(tx, DESK.uid())?;
        merge(tx, &authority, on(TODAY), &plain(), (keep, dropped), false)
    })
}

/// Merges two records beforehand and returns the change.
fn merge_first(store: &Store, keep: UserId, dropped: UserId) -> ChangeId {
    merged(store, keep, dropped).expect("merged").change.expect("recorded")
}

fn reserve(store: &Store, person: UserId, book: BookId) {
    let what = Place { person, book, overriding: None };
    act(store, move |tx| hold::place(tx, DESK, on(TODAY), &plain(), &what)).expect("in line");
}

fn charge(store: &Store, person: UserId) -> circulation::Result<LineId> {
    let (of, amount) = (ChargeKind::Damage, Money::main(30));
    act(store, move |tx| {
        let new = NewCharge { person, of, amount, reason: "Torn", explain: &[], loan: None };
        money::charge(tx, DESK, on(TODAY), &new).map(|(charge, _)| charge.id)
    })
}

fn pay(store: &Store, person: UserId) -> circulation::Result<()> {
    act(store, move |tx| {
        let (amount, method) = (Money::main(30), Method::Cash);
        let what = Payment { person, amount, method, reference: "", charges: &[] };
        money::pay(tx, DESK, on(TODAY), &plain(), &what).map(drop)
    })
}

fn balances(store: &Store, people: [UserId; 2]) -> [Money; 2] {
    people.map(|uid| store.read(move |tx| ledger::balance(tx, uid)))
}

/// Locks rows in the order of `circulation/mod.rs`: a loan, titles by number, an account.
fn in_order(store: &Store, loan: Option<LoanId>, titles: Vec<BookId>, account: Option<UserId>) -> Result<()> {
    store.db.write_blocking(move |tx| {
        loans::lock_all(tx, loan.into_iter().collect())?;
        for title in titles {
            books::lock(tx, title)?;
        }
        account.map_or(Ok(()), |person| ledger::lock(tx, person).map(drop))
    })
}

fn a_promotion_and_an_import_lock_people_in_one_order(store: &Store) {
    store.librarian();
    let (last, first) = (named(store, 1, "Zoya", Role::Student), named(store, 2, "Abid", Role::Student));
    let (promoted, imported) = meet(
        store,
        move |tx| accounts::lock(tx, first),
        || move_batch(store, Some("2028")),
        || store.db.write_blocking(move |tx| records::lock_all(tx, &[last, first]).map(drop)),
    );
    let names: Vec<_> =
        promoted.expect("no deadlock").people.into_iter().map(|person| person.details.name).collect();
    assert_eq!(names, ["Abid", "Zoya"], "listed by name all the same");
    imported.expect("no deadlock");
}

fn a_change_of_librarians_and_an_import_lock_them_in_one_order(store: &Store) {
    store.librarian();
    let (last, first) = (named(store, 1, "Zoya", Role::Admin), named(store, 2, "Abid", Role::Admin));
    let (changed, imported) = meet(
        store,
        move |tx| accounts::lock(tx, first),
        || store.db.write_blocking(|tx| Librarians::lock(tx).map(drop)),
        || store.db.write_blocking(move |tx| records::lock_all(tx, &[last, first]).map(drop)),
    );
    assert!(changed.is_ok(), "no deadlock");
    imported.expect("no deadlock");
}

/// Two records of one person that both wait for a title; the second has another book.
fn two_who_wait(store: &Store) -> (UserId, UserId, BookId, LoanId) {
    store.librarian();
    let [keep, dropped, other] = [1, 2, 3].map(|n| store.student(n).uid);
    let (wanted, out) = (title(store, "Wanted", 1), title(store, "Out", 1));
    lend(store, other, wanted, TODAY);
    let loan = lend(store, dropped, out, TODAY).id;
    reserve(store, keep, wanted);
    reserve(store, dropped, wanted);
    (keep, dropped, wanted, loan)
}

fn a_merge_locks_loans_before_titles(store: &Store) {
    let (keep, dropped, wanted, loan) = two_who_wait(store);
    let (merged, other) = meet(
        store,
        move |tx| books::lock(tx, wanted).map(drop),
        || merged(store, keep, dropped),
        || in_order(store, Some(loan), vec![wanted], None),
    );
    merged.expect("no deadlock");
    other.expect("no deadlock");
    sound(store);
}

fn an_undone_merge_and_a_return_with_a_fine_are_both_done_r_people_9(store: &Store) {
    store.librarian();
    let [keep, dropped] = [1, 2].map(|n| store.student(n).uid);
    let book = title(store, "Out", 1);
    let loan = lend(store, dropped, book, jiff::civil::date(2026, 11, 1)).id;
    let change = merge_first(store, keep, dropped);
    let what = CheckIn { loan, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    let (undone, returned) = meet(
        store,
        move |tx| ledger::lock(tx, keep).map(drop),
        || take_back(store, change),
        || act(store, move |tx| check_in(tx, DESK, on(TODAY), &plain(), what)),
    );
    undone.expect("no deadlock");
    let fine = returned.expect("no deadlock").fine;
    assert!(fine > Money::ZERO);
    assert_eq!(balances(store, [keep, dropped]), [Money::ZERO, fine]);
    sound(store);
}

fn an_undone_merge_locks_titles_before_accounts(store: &Store) {
    let (keep, dropped, wanted, _) = two_who_wait(store);
    let change = merge_first(store, keep, dropped);
    let (undone, other) = meet(
        store,
        move |tx| ledger::lock(tx, keep).map(drop),
        || take_back(store, change),
        || in_order(store, None, vec![wanted], Some(keep)),
    );
    undone.expect("no deadlock");
    other.expect("no deadlock");
    sound(store);
}

fn hand_over(store: &Store, barcode: &str, to: UserId) -> circulation::Result<ChangeId> {
    let choice = Some(Choice::ReturnAndLend);
    let scan = Scan { code: barcode.to_owned(), person: Some(to), choice, ..Scan::default() };
    let answer = act(store, move |tx| desk::scan(tx, DESK, on(TODAY), &plain(), &scan))?;
    Ok(answer.change.expect("handed over"))
}

fn books_handed_over_in_opposite_directions_and_an_undo_lock_accounts_in_order_r_desk_2(store: &Store) {
    store.librarian();
    let [one, other] = [1, 2].map(|n| store.student(n).uid);
    let lent = |reader, name| lend(store, reader, title(store, name, 1), TODAY).barcode;
    let (first, second, third) = (lent(one, "First"), lent(other, "Second"), lent(one, "Third"));
    let accounts = move |tx: &mut Tx<'_>| ledger::lock_all(tx, [one, other]);
    let (there, back) =
        meet(store, accounts, || hand_over(store, &first, other), || hand_over(store, &second, one));
    let there = there.expect("no deadlock");
    back.expect("no deadlock");
    sound(store);
    let (undone, handed) =
        meet(store, accounts, || take_back(store, there), || hand_over(store, &third, other));
    undone.expect("no deadlock");
    handed.expect("no deadlock");
    sound(store);
}

fn review(store: &Store, reader: &User, book: BookId) -> ReviewId {
    let (reader, form) = (reader.clone(), ReviewForm { rating: 4, comment: "Good.".into() });
    store.write(move |tx| reviews::add(tx, book, &reader, &form, 1)).expect("there").review.id
}

fn a_merge_that_gives_up_a_review_and_a_new_review_are_both_done_r_people_9_r_rev_2(store: &Store) {
    store.librarian();
    let [keep, dropped, other] = [1, 2, 3].map(|n| store.student(n));
    let book = title(store, "Read by all", 1);
    let lock = move |tx: &mut Tx<'_>| books::lock(tx, book).map(drop);
    review(store, &keep, book);
    review(store, &dropped, book);
    let (done, _) =
        meet(store, lock, || merged(store, keep.uid, dropped.uid), || review(store, &other, book));
    let change = done.expect("no deadlock").change.expect("recorded");
    sound(store);
    let (undone, _) = meet(store, lock, || take_back(store, change), || review(store, &other, book));
    undone.expect("no deadlock");
    sound(store);
    let counted = store.read(move |tx| books::cards(tx, &[book]))[0].review_count;
    assert_eq!(counted, 3);
}

fn a_review_is_deleted_while_its_reader_writes_another_r_rev_2(store: &Store) {
    let reader = store.student(1);
    let (uid, book) = (reader.uid, title(store, "Read", 1));
    let lock = move |tx: &mut Tx<'_>| books::lock(tx, book).map(drop);
    let first = review(store, &reader, book);
    let delete = || store.db.write_blocking(move |tx| reviews::delete(tx, first, uid));
    let (deleted, _) = meet(store, lock, delete, || review(store, &reader, book));
    assert!(deleted.expect("no deadlock").is_some());
    sound(store);
    let second = review(store, &reader, book);
    let (_, gone) = meet(
        store,
        lock,
        || review(store, &reader, book),
        || store.db.write_blocking(move |tx| reviews::delete(tx, second, uid)),
    );
    assert!(gone.expect("no deadlock").is_none(), "replaced meanwhile");
    sound(store);
}

fn an_undone_merge_sees_a_payment_that_it_waited_for_r_people_9(store: &Store) {
    store.librarian();
    let [keep, dropped] = [1, 2].map(|n| store.student(n).uid);
    charge(store, dropped).expect("charged");
    let change = merge_first(store, keep, dropped);
    let (paid, undone) = meet(
        store,
        move |tx| ledger::lock(tx, keep).map(drop),
        || pay(store, keep),
        || take_back(store, change),
    );
    paid.expect("paid");
    assert_eq!(refused(undone), ["undo.later"]);
    assert_eq!(balances(store, [keep, dropped]), [Money::ZERO; 2]);
    sound(store);
}

fn money_that_waits_for_a_merge_is_booked_on_the_kept_record_r_people_9(store: &Store) {
    type Act = fn(&Store, UserId, LineId) -> circulation::Result<()>;
    store.librarian();
    let acts: [(Act, Money); 4] = [
        (
            |store, _, line| {
                act(store, move |tx| money::waive(tx, DESK, on(TODAY), line, None, "kind").map(drop))
            },
            Money::ZERO,
        ),
        (
            |store, _, line| {
                act(store, move |tx| money::reverse_charge(tx, DESK, on(TODAY), line, "wrong").map(drop))
            },
            Money::ZERO,
        ),
        // The record is gone: the librarian sees the kept one and charges again.
        (|store, dropped, _| charge(store, dropped).map(drop), Money::main(30)),
        (|store, dropped, _| pay(store, dropped), Money::main(30)),
    ];
    for (n, (what, owed)) in (1..).zip(acts) {
        let [keep, dropped] = [2 * n, 2 * n + 1].map(|n| store.student(n).uid);
        let line = charge(store, dropped).expect("charged");
        let (merged, done) = meet(
            store,
            move |tx| ledger::lock(tx, dropped).map(drop),
            || merged(store, keep, dropped),
            || what(store, dropped, line),
        );
        merged.expect("no deadlock");
        assert_eq!(done.is_ok(), owed == Money::ZERO, "{n}: {done:?}");
        assert_eq!(balances(store, [keep, dropped]), [owed, Money::ZERO], "{n}");
        sound(store);
    }
}

fn a_batch_that_leaves_locks_titles_in_order(store: &Store) {
    store.librarian();
    let other = store.student(9).uid;
    store.database.raw(&format!("UPDATE users SET batch = '2020' WHERE id = {other}")).expect("moved");
    let [first, second] = [1, 2].map(|n| store.student(n).uid);
    let (one, two) = (title(store, "One", 1), title(store, "Two", 1));
    for book in [one, two] {
        lend(store, other, book, TODAY);
    }
    reserve(store, first, two);
    reserve(store, second, one);
    let (left, locked) = meet(
        store,
        move |tx| books::lock(tx, two).map(drop),
        || move_batch(store, None),
        || in_order(store, None, vec![one, two], None),
    );
    left.expect("no deadlock");
    locked.expect("no deadlock");
    sound(store);
}

fn shelving_locks_titles_in_order(store: &Store) {
    store.librarian();
    let reader = store.student(1).uid;
    let (one, two) = (title(store, "One", 1), title(store, "Two", 1));
    act(store, move |tx| stock::add_copies(tx, DESK, on(TODAY), &plain(), one, &Barcodes::Next(1)))
        .expect("added");
    // The copy of the second title is older than the last copy of the first.
    for copy in [2, 3].map(CopyId) {
        let what = CheckOut { reader, copy: CopyToLend::This(copy), overriding: None };
        let lent = act(store, move |tx| check_out(tx, DESK, on(TODAY), &plain(), &what)).expect("lent");
        give_back(store, lent.loan.id, Condition::ToShelve, TODAY);
    }
    let (shelved, locked) = meet(
        store,
        move |tx| books::lock(tx, two).map(drop),
        || act(store, |tx| stock::shelve(tx, DESK, on(TODAY), &plain(), 100)),
        || in_order(store, None, vec![one, two], None),
    );
    shelved.expect("no deadlock");
    locked.expect("no deadlock");
    sound(store);
}

fn a_loan_that_begins_while_the_calendar_is_saved_moves_with_it_r_rule_6(store: &Store) {
    let librarian = store.librarian().uid;
    let (reader, book) = (store.student(1).uid, title(store, "One", 1));
    let due = TODAY.saturating_add(7.days());
    let holiday = ClosedDates { from: due, to: None, name: "Founder's day".into(), yearly: false };
    let form = CalendarForm { closed_dates: vec![holiday], ..CalendarForm::default() };
    let policies = Policies::default();
    let rules = policies.clone();
    let (lent, saved) = meet(
        store,
        // Stops the loan after it has read the rules.
        move |tx| books::lock(tx, book).map(drop),
        || {
            act(store, move |tx| {
                let what = CheckOut { reader, copy: CopyToLend::AnyOf(book), overriding: None };
                let rulebook = rules.held(tx)?;
                check_out(tx, DESK, on(TODAY), &rulebook, &what)
            })
        },
        || {
            store.db.write_blocking(move |tx| {
                settings::lock(tx)?;
                let before = policies.current(tx)?;
                settings::save(tx, Document::Calendar(&form), 1_000, librarian)?;
                let after = before.with_calendar(Calendar::from(form));
                effect::move_due_dates(tx, 1_000, TODAY, librarian, &before, &after)
            })
        },
    );
    assert_eq!(lent.expect("lent").loan.return_date, due, "by the calendar of its moment");
    saved.expect("saved");
    let open = store.read(move |tx| loans::open_of_user(tx, reader));
    assert_eq!(open[0].return_date, due.saturating_add(1.days()), "no book is due on a closed day");
    sound(store);
}
