//! Holds on both databases: the queue of a title, the copies kept for it, and the end of a hold.

use jiff::civil::{Date, date};
use library::{
    circulation::{
        self, Actor, CheckIn, CheckOut, CopyToLend, Override, Renew, check_in, check_out,
        hold::{self, Place},
        renew,
        stock::{self, Barcodes},
    },
    domain::{
        calendar::CalendarForm,
        change::{Change, HoldChange, LoanChange, QueueKey},
        copy::{Condition, State},
        hold::{Hold, HoldState},
        id::{BookId, CopyId, HoldId, LoanId, UserId},
        rulebook::Rulebook,
        rules::{Policy, Rules},
    },
    storage::{
        copies,
        events::{self, Filter},
        holds,
    },
};

use crate::{
    Store,
    circulation::{
        DESK, TODAY, act, give_back, lend, on, on_the_shelf, plain, refused, rulebook, sound, state_of, title,
    },
    replaceable,
};

on_both_databases!(
    a_hold_is_refused_with_every_reason_r_hold_1,
    the_line_is_counted_by_the_time_of_placing_r_hold_1,
    a_returned_copy_is_kept_for_the_first_in_line_r_hold_2,
    whatever_brings_a_copy_to_the_shelf_is_caught_r_hold_2,
    a_readers_own_return_promises_nothing_until_the_desk_has_seen_it_r_hold_2,
    a_cancelled_or_expired_hold_hands_its_copy_on_r_hold_2,
    a_copy_is_kept_for_open_days_and_a_day_closed_later_moves_the_last_r_hold_2,
    who_waits_longest_is_first_whoever_asks_r_hold_3,
    a_kept_copy_is_lent_to_its_reader_alone_r_hold_3,
    borrowing_any_copy_fulfils_the_borrowers_hold,
    a_loan_is_not_renewed_while_more_wait_than_copies_are_free,
    a_librarian_moves_people_in_the_line_with_a_reason_r_hold_3,
    a_kept_copy_that_is_damaged_puts_its_reader_first_again,
    whoever_may_not_borrow_waits_for_nothing_r_hold_2,
    a_deleted_title_ends_its_line,
    the_database_forbids_two_holds_of_a_person_and_two_of_a_copy,
    a_hold_that_contradicts_its_copy_is_found_and_named,
    what_the_changes_keep_brings_a_line_back,
);

const MONDAY: Date = date(2026, 11, 23);

fn reserve(store: &Store, person: UserId, book: BookId) -> Hold {
    try_reserve(store, Actor::Student(person), person, book, plain(), None).expect("placed")
}

fn try_reserve(
    store: &Store,
    actor: Actor,
    person: UserId,
    book: BookId,
    rulebook: Rulebook,
    overriding: Option<Override>,
) -> circulation::Result<Hold> {
    let what = Place { person, book, overriding };
    act(store, move |tx| hold::place(tx, actor, on(TODAY), &rulebook, &what))
}

fn cancel(store: &Store, actor: Actor, id: HoldId) -> circulation::Result<()> {
    act(store, move |tx| hold::cancel(tx, actor, on(TODAY), &plain(), id, ""))
}

fn expire(store: &Store, id: HoldId, today: Date) -> bool {
    act(store, move |tx| hold::expire(tx, on(today), &plain(), id)).expect("asked")
}

fn of(store: &Store, id: HoldId) -> Hold {
    act(store, move |tx| hold::shown(tx, &plain().calendar, TODAY, id)).expect("there")
}

fn seen(store: &Store, id: HoldId) -> (HoldState, Option<i64>) {
    let hold = of(store, id);
    (hold.state, hold.place)
}

const READY: (HoldState, Option<i64>) = (HoldState::Ready, None);

fn waits(place: i64) -> (HoldState, Option<i64>) {
    (HoldState::Waiting, Some(place))
}

fn try_lend(
    store: &Store,
    actor: Actor,
    reader: UserId,
    copy: CopyToLend,
    overriding: Option<Override>,
) -> circulation::Result<LoanId> {
    let what = CheckOut { reader, copy, overriding };
    act(store, move |tx| check_out(tx, actor, on(TODAY), &plain(), &what).map(|done| done.loan.id))
}

fn reasoned(block: &str, cancel_hold: bool) -> Override {
    Override { blocks: vec![block.into()], reason: "exam tomorrow".into(), cancel_hold }
}

fn anyway(block: &str) -> Override {
    reasoned(block, false)
}

fn student_returns(store: &Store, reader: UserId, loan: LoanId) -> circulation::Returned {
    let what = CheckIn { loan, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    act(store, move |tx| check_in(tx, Actor::Student(reader), on(TODAY), &plain(), what)).expect("returned")
}

fn copies_of(store: &Store, book: BookId) -> Vec<CopyId> {
    store.read(move |tx| copies::of_book(tx, book, CopyId(0), 9)).into_iter().map(|copy| copy.id).collect()
}

/// Returns the newest change of a title.
fn last_change(store: &Store, book: BookId) -> Change {
    let filter = Filter { book: Some(book), ..Filter::default() };
    store.read(move |tx| events::page(tx, &filter, i64::MAX.into(), 1)).remove(0).change
}

fn people<const N: usize>(store: &Store) -> [UserId; N] {
    let mut n = 0;
    [(); N].map(|()| {
        n += 1;
        store.student(n).uid
    })
}

fn a_hold_is_refused_with_every_reason_r_hold_1(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 1);
    let ask = |person: UserId| try_reserve(store, Actor::Student(person), person, book, plain(), None);
    match ask(asha) {
        Err(circulation::Error::Refused(refusal)) => {
            assert_eq!(refusal.blocks[0].id(), "hold.free");
            assert_eq!(
                refusal.blocks[0].message().text(),
                "A copy is on the shelf. No need to wait: take it from A3."
            );
        }
        other => panic!("{other:?}"),
    }
    let loan = lend(store, asha, book, TODAY).id;
    assert_eq!(refused(ask(asha)), ["hold.has_title"]);
    reserve(store, bala, book);
    assert_eq!(refused(ask(bala)), ["hold.in_line"]);
    let limited = |max| rulebook(Rules::default(), Policy { max_holds: Some(max), ..Policy::default() });
    let student = Actor::Student(chitra);
    let other = title(store, "other", 1);
    lend(store, asha, other, TODAY);
    assert_eq!(refused(try_reserve(store, student, chitra, book, limited(0), None)), ["limit.holds"]);
    assert!(try_reserve(store, student, chitra, book, limited(1), None).is_ok(), "1 lets the first one go");
    let second = |actor, overriding| try_reserve(store, actor, chitra, other, limited(1), overriding);
    assert_eq!(refused(second(student, Some(anyway("limit.holds")))), ["limit.holds"]);
    assert!(second(DESK, Some(anyway("limit.holds"))).is_ok());
    let nowhere = try_reserve(store, DESK, asha, BookId(99), plain(), None);
    assert!(matches!(nowhere, Err(circulation::Error::NotFound)));
    // A copy on the shelf is not free if as many readers wait.
    give_back(store, loan, Condition::InRepair, TODAY);
    sound(store);
}

fn the_line_is_counted_by_the_time_of_placing_r_hold_1(store: &Store) {
    let [asha, bala, chitra, dev] = people(store);
    let book = title(store, "t", 2);
    let first = lend(store, asha, book, TODAY);
    lend(store, bala, book, date(2026, 11, 24));
    let (third, fourth) = (reserve(store, chitra, book), reserve(store, dev, book));
    assert_eq!((third.place, third.waiting, fourth.place, fourth.waiting), (Some(1), 1, Some(2), 2));
    // The first copy due is for the first in the queue.
    assert_eq!((third.back_by, fourth.back_by), (Some(first.return_date), Some(date(2026, 12, 1))));
    cancel(store, Actor::Student(chitra), third.id).expect("cancelled");
    assert_eq!(seen(store, fourth.id), waits(1));
    let again = reserve(store, chitra, book);
    assert_eq!(again.place, Some(2), "whoever cancels and comes again is last");
    assert!(matches!(cancel(store, Actor::Student(dev), again.id), Err(circulation::Error::NotFound)));
    assert!(cancel(store, DESK, again.id).is_ok());
    assert!(matches!(cancel(store, DESK, again.id), Err(circulation::Error::NotFound)));
    sound(store);
}

fn a_returned_copy_is_kept_for_the_first_in_line_r_hold_2(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 1);
    for to in [Condition::OnShelf, Condition::ToShelve] {
        let loan = lend(store, asha, book, MONDAY);
        let (first, second) = (reserve(store, bala, book), reserve(store, chitra, book));
        let returned = give_back(store, loan.id, to, MONDAY);
        let caught = returned.caught.expect("somebody waits");
        assert_eq!(
            (caught.id, caught.user_name.as_str(), caught.state),
            (first.id, "Student 2", HoldState::Ready)
        );
        assert_eq!(caught.ready_until, Some(date(2026, 11, 26)), "three days after Monday");
        assert_eq!((caught.copy_id, returned.to), (Some(loan.copy_id), Condition::ToShelve));
        assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::OnHoldShelf, 0));
        assert_eq!(seen(store, second.id), waits(1), "who is ready is not in the line");
        let shown = store.read(move |tx| copies::by_id(tx, loan.copy_id)).expect("there");
        assert_eq!(shown.hold.map(|hold| (hold.id, hold.user_id)), Some((first.id, bala)));
        let kept = store.read(|tx| copies::in_state(tx, State::OnHoldShelf, CopyId(0), 9));
        assert_eq!(kept.len(), 1);
        assert_eq!(store.read(copies::count_to_shelve), 0);
        sound(store);
        // Both get the copy, one after the other.
        for (reader, hold) in [(bala, first.id), (chitra, second.id)] {
            let lent =
                try_lend(store, Actor::Student(reader), reader, CopyToLend::AnyOf(book), None).expect("his");
            assert_eq!(seen(store, hold).0, HoldState::Fulfilled);
            give_back(store, lent, to, MONDAY);
        }
        act(store, |tx| stock::shelve(tx, DESK, on(TODAY), &plain(), 9)).expect("shelved");
        assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::OnShelf, 1));
        sound(store);
    }
}

fn whatever_brings_a_copy_to_the_shelf_is_caught_r_hold_2(store: &Store) {
    let [asha, bala] = people(store);
    // Copies back from repair, found, reinstated or seen again: to the shelf, or to be shelved.
    for from in
        [Condition::InRepair, Condition::Lost, Condition::Missing, Condition::Reference, Condition::Withdrawn]
    {
        for to in [Condition::OnShelf, Condition::ToShelve] {
            // Another copy may still come back.
            let book = title(store, "t", 2);
            let out = lend(store, asha, book, TODAY).copy_id;
            let copy = copies_of(store, book).into_iter().find(|copy| *copy != out).expect("one is left");
            let moved = |to| {
                act(store, move |tx| stock::move_copy(tx, DESK, on(TODAY), &plain(), copy, to, ""))
                    .expect("moved")
                    .state
            };
            moved(from);
            let hold = reserve(store, bala, book);
            assert_eq!(moved(to), State::OnHoldShelf, "{from:?} to {to:?}");
            assert_eq!((seen(store, hold.id), on_the_shelf(store, book)), (READY, 0));
            sound(store);
        }
    }
    // All copies that wait to be shelved, at once: one is kept, one goes on the shelf.
    let book = title(store, "t", 2);
    let loans = [lend(store, asha, book, TODAY), lend(store, asha, book, TODAY)];
    for loan in &loans {
        give_back(store, loan.id, Condition::ToShelve, TODAY);
    }
    let hold = reserve(store, bala, book);
    let shelved = act(store, |tx| stock::shelve(tx, DESK, on(TODAY), &plain(), 9)).expect("shelved");
    assert_eq!((shelved.kept, shelved.on_shelf, on_the_shelf(store, book)), (1, 1, 1));
    assert_eq!(seen(store, hold.id), READY);
    // New copies.
    let book = title(store, "t", 1);
    lend(store, asha, book, TODAY);
    let hold = reserve(store, bala, book);
    act(store, move |tx| stock::add_copies(tx, DESK, on(TODAY), &plain(), book, &Barcodes::Next(2)))
        .expect("added");
    assert_eq!((seen(store, hold.id), on_the_shelf(store, book)), (READY, 1));
    // New copies through the number in the form.
    let book = title(store, "t", 1);
    lend(store, asha, book, TODAY);
    let hold = reserve(store, bala, book);
    act(store, move |tx| {
        library::storage::books::put_back_copies(tx, book, 2)?;
        stock::adjust_copies_to_count(tx, DESK, on(TODAY), &plain(), book, 2)
    })
    .expect("followed");
    assert_eq!((seen(store, hold.id), on_the_shelf(store, book)), (READY, 1));
    sound(store);
    // A copy in hand that was not caught for a hold.
    let book = title(store, "t", 1);
    let copy = copies_of(store, book)[0];
    let in_hand = move || {
        act(store, move |tx| hold::keep_in_hand_for_first(tx, DESK, on(TODAY), &plain(), copy))
            .expect("asked")
    };
    assert_eq!(in_hand(), None, "nobody waits");
    let loan = lend(store, asha, book, TODAY);
    reserve(store, bala, book);
    assert_eq!(in_hand(), None, "it is on loan");
    student_returns(store, asha, loan.id);
    assert_eq!(in_hand().map(|hold| hold.user_id), Some(bala), "the desk sees it");
    assert_eq!(in_hand(), None, "a second scan changes nothing");
    sound(store);
}

fn a_readers_own_return_promises_nothing_until_the_desk_has_seen_it_r_hold_2(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 2);
    let [one, two] = [lend(store, asha, book, TODAY), lend(store, asha, book, TODAY)];
    let (first, second) = (reserve(store, bala, book), reserve(store, chitra, book));
    let returned = student_returns(store, asha, one.id);
    assert_eq!((returned.to, returned.caught), (Condition::Unseen, None));
    assert_eq!((state_of(store, one.copy_id), on_the_shelf(store, book)), (State::Unseen, 0));
    assert_eq!(seen(store, first.id), (HoldState::Processing, Some(1)));
    assert_eq!(seen(store, second.id), waits(2));
    // Another copy reaches the desk first: it is for the first reader, and the unseen one is for the second now.
    assert_eq!(
        give_back(store, two.id, Condition::OnShelf, TODAY).caught.map(|hold| hold.id),
        Some(first.id)
    );
    assert_eq!(seen(store, second.id), (HoldState::Processing, Some(1)));
    // The desk sees the copy.
    let copy = one.copy_id;
    let found =
        act(store, move |tx| stock::move_copy(tx, DESK, on(TODAY), &plain(), copy, Condition::OnShelf, ""));
    assert_eq!(found.expect("moved").state, State::OnHoldShelf);
    assert_eq!(seen(store, second.id), READY);
    sound(store);
    // With an empty queue it goes on the shelf, as the specification says.
    let lent = try_lend(store, DESK, bala, CopyToLend::AnyOf(book), None).expect("his");
    assert_eq!(student_returns(store, bala, lent).to, Condition::OnShelf);
    sound(store);
}

fn a_cancelled_or_expired_hold_hands_its_copy_on_r_hold_2(store: &Store) {
    let [asha, bala, chitra, dev] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY);
    let [first, second, third] = [bala, chitra, dev].map(|person| reserve(store, person, book).id);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    cancel(store, Actor::Student(bala), first).expect("cancelled");
    assert_eq!((seen(store, first).0, seen(store, second)), (HoldState::Cancelled, READY));
    // Kept until the end of its last day, the 24th.
    assert!(!expire(store, second, date(2026, 11, 24)));
    assert!(expire(store, second, date(2026, 11, 25)));
    assert!(!expire(store, second, date(2026, 11, 25)), "once");
    assert_eq!((seen(store, second).0, seen(store, third)), (HoldState::Expired, READY));
    assert_eq!(of(store, third).ready_until, Some(date(2026, 11, 28)), "counted from the day it was caught");
    assert!(
        matches!(last_change(store, book), Change::Hold(HoldChange::HoldExpired { ended, .. }) if ended.passed_to == Some(third))
    );
    assert!(expire(store, third, date(2026, 12, 24)));
    assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::ToShelve, 0));
    assert_eq!(store.read(copies::count_to_shelve), 1, "nobody waits: somebody puts it on the shelf");
    sound(store);
}

fn a_copy_is_kept_for_open_days_and_a_day_closed_later_moves_the_last_r_hold_2(store: &Store) {
    let [asha, bala] = people(store);
    let book = title(store, "t", 1);
    let calendar = |json: &str| {
        let form: CalendarForm = serde_json::from_str(json).expect("a calendar");
        Rulebook { calendar: form.checked().expect("sound"), ..plain() }
    };
    let sundays = calendar(r#"{"closedWeekdays":[7]}"#);
    let loan = lend(store, asha, book, TODAY).id;
    let hold = reserve(store, bala, book).id;
    let what = CheckIn { loan, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    let rules = sundays.clone();
    // From Friday: Saturday, Monday, Tuesday.
    let friday = date(2026, 11, 27);
    let caught = act(store, move |tx| check_in(tx, DESK, on(friday), &rules, what)).expect("returned").caught;
    assert_eq!(caught.expect("kept").ready_until, Some(date(2026, 12, 1)));
    let closed = calendar(
        r#"{"closedWeekdays":[7],"closedDates":[{"from":"2026-12-01","to":"2026-12-02","name":"Fair"}]}"#,
    );
    let shown =
        |rules: Rulebook| act(store, move |tx| hold::shown(tx, &rules.calendar, TODAY, hold)).expect("there");
    assert_eq!(shown(closed.clone()).ready_until, Some(date(2026, 12, 3)));
    let late = |rules: &Rulebook, day| {
        let rules = rules.clone();
        act(store, move |tx| hold::expire(tx, on(day), &rules, hold)).expect("asked")
    };
    assert!(!late(&closed, date(2026, 12, 3)));
    assert!(late(&closed, date(2026, 12, 4)));
}

fn who_waits_longest_is_first_whoever_asks_r_hold_3(store: &Store) {
    let [asha, bala, chitra, dev] = people(store);
    let book = title(store, "t", 2);
    let loans = [lend(store, asha, book, TODAY), lend(store, asha, book, TODAY)];
    let [first, _, third] = [bala, chitra, dev].map(|person| reserve(store, person, book).id);
    // A copy on the shelf while readers wait, put there without the desk.
    store.write(move |tx| {
        copies::set_condition(tx, loans[0].copy_id, Condition::OnShelf)?;
        library::storage::books::put_back_copies(tx, book, 1)?;
        let end = library::storage::loans::End {
            at: 1,
            on: TODAY,
            by: asha,
            restocked: true,
            fine: library::money::Money::ZERO,
        };
        library::storage::loans::end(tx, loans[0].id, end)
    });
    sound(store);
    let by_himself = |person| try_lend(store, Actor::Student(person), person, CopyToLend::AnyOf(book), None);
    for person in [asha, chitra, dev] {
        assert_eq!(refused(by_himself(person)), ["title.reserved"]);
    }
    let copy = copies_of(store, book)[0];
    assert_eq!(refused(try_lend(store, DESK, asha, CopyToLend::This(copy), None)), ["title.reserved"]);
    let by_desk = try_lend(store, DESK, dev, CopyToLend::This(copy), Some(anyway("title.reserved")))
        .expect("with a reason");
    assert_eq!(seen(store, third).0, HoldState::Fulfilled, "his own hold is fulfilled");
    assert_eq!(seen(store, first), waits(1), "the others wait as before");
    // A copy to be shelved, in hand, is for the first reader as well.
    store.write(move |tx| {
        let end = library::storage::loans::End {
            at: 2,
            on: TODAY,
            by: asha,
            restocked: false,
            fine: library::money::Money::ZERO,
        };
        library::storage::loans::end(tx, by_desk, end)?;
        copies::set_condition(tx, copy, Condition::ToShelve)
    });
    assert_eq!(refused(try_lend(store, DESK, asha, CopyToLend::This(copy), None)), ["title.reserved"]);
    assert!(try_lend(store, DESK, bala, CopyToLend::This(copy), None).is_ok());
    assert_eq!(seen(store, first).0, HoldState::Fulfilled);
    sound(store);
}

fn a_kept_copy_is_lent_to_its_reader_alone_r_hold_3(store: &Store) {
    let [asha, bala, chitra] = people(store);
    for cancelled in [false, true] {
        let book = title(store, "t", 1);
        let loan = lend(store, asha, book, TODAY);
        let [first, second] = [bala, chitra].map(|person| reserve(store, person, book).id);
        give_back(store, loan.id, Condition::OnShelf, TODAY);
        let this = CopyToLend::This(loan.copy_id);
        assert_eq!(
            refused(try_lend(store, Actor::Student(chitra), chitra, CopyToLend::AnyOf(book), None)),
            ["copy.none"]
        );
        assert_eq!(refused(try_lend(store, DESK, chitra, this, None)), ["title.reserved"]);
        let lent = try_lend(store, DESK, asha, this, Some(reasoned("title.reserved", cancelled)))
            .expect("with a reason");
        assert_eq!(state_of(store, loan.copy_id), State::OnLoan);
        let expected = if cancelled { (HoldState::Cancelled, None) } else { waits(1) };
        assert_eq!(seen(store, first), expected, "first in line again, or cancelled");
        assert_eq!(seen(store, second), waits(if cancelled { 1 } else { 2 }));
        let passed = match last_change(store, book) {
            Change::Loan(LoanChange::Lent { passed_over, .. }) => passed_over.expect("told"),
            other => panic!("{other:?}"),
        };
        assert_eq!((passed.hold, passed.cancelled, passed.until), (first, cancelled, date(2026, 11, 24)));
        let next = give_back(store, lent, Condition::OnShelf, TODAY).caught.map(|hold| hold.id);
        assert_eq!(next, Some(if cancelled { second } else { first }));
        sound(store);
    }
}

fn borrowing_any_copy_fulfils_the_borrowers_hold(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 2);
    let [one, two] = [lend(store, asha, book, TODAY), lend(store, asha, book, TODAY)];
    let [first, second] = [bala, chitra].map(|person| reserve(store, person, book).id);
    give_back(store, one.id, Condition::OnShelf, TODAY);
    // He takes the other copy in hand; the one kept for him goes to the next.
    act(store, move |tx| {
        let what = CheckIn {
            loan: two.id,
            to: Condition::InRepair,
            returned_on: None,
            passing: false,
            in_hand: None,
        };
        check_in(tx, DESK, on(TODAY), &plain(), what)
    })
    .expect("returned");
    let lent = try_lend(store, DESK, bala, CopyToLend::This(two.copy_id), Some(anyway("copy.repair")))
        .expect("lent");
    assert_eq!((seen(store, first).0, seen(store, second)), (HoldState::Fulfilled, READY));
    let filled = match last_change(store, book) {
        Change::Loan(LoanChange::Lent { filled, .. }) => filled.expect("told"),
        other => panic!("{other:?}"),
    };
    assert_eq!((filled.hold, filled.was, filled.copy), (first, HoldState::Ready, Some(one.copy_id)));
    assert_eq!((filled.until, filled.passed_to), (Some(date(2026, 11, 24)), Some(second)));
    sound(store);
    let kept =
        try_lend(store, Actor::Student(chitra), chitra, CopyToLend::AnyOf(book), None).expect("kept for her");
    assert_eq!(seen(store, second).0, HoldState::Fulfilled);
    for loan in [lent, kept] {
        give_back(store, loan, Condition::OnShelf, TODAY);
    }
    assert_eq!(on_the_shelf(store, book), 2);
    sound(store);
}

fn a_loan_is_not_renewed_while_more_wait_than_copies_are_free(store: &Store) {
    let [asha, bala] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY).id;
    let ask = |actor, overriding| {
        act(store, move |tx| renew(tx, actor, on(TODAY), &plain(), &Renew { loan, overriding }))
            .map(|done| done.loan.renewals)
    };
    assert_eq!(ask(Actor::Student(asha), None).ok(), Some(1));
    let hold = reserve(store, bala, book).id;
    assert_eq!(refused(ask(Actor::Student(asha), Some(anyway("renew.waiting")))), ["renew.waiting"]);
    assert_eq!(refused(ask(DESK, None)), ["renew.waiting"]);
    assert_eq!(ask(DESK, Some(anyway("renew.waiting"))).ok(), Some(2));
    // New copies are kept until the queue is empty.
    act(store, move |tx| stock::add_copies(tx, DESK, on(TODAY), &plain(), book, &Barcodes::Next(1)))
        .expect("added");
    assert_eq!(seen(store, hold), READY);
    assert_eq!(ask(Actor::Student(asha), None).ok(), Some(3));
}

fn keys(store: &Store, book: BookId) -> Vec<QueueKey> {
    let line = store.read(move |tx| holds::of_book(tx, book));
    line.into_iter().map(|hold| QueueKey { hold: hold.id, key: hold.queue_key }).collect()
}

fn a_librarian_moves_people_in_the_line_with_a_reason_r_hold_3(store: &Store) {
    let [asha, bala, chitra, dev] = people(store);
    let book = title(store, "t", 1);
    lend(store, asha, book, TODAY);
    let ids = [bala, chitra, dev].map(|person| reserve(store, person, book).id);
    // Placed in the same millisecond: the ids decide the order.
    store.database.raw("UPDATE holds SET queue_key = 5").expect("writable");
    let places = || ids.map(|id| seen(store, id).1.expect("waits"));
    assert_eq!(places(), [1, 2, 3]);
    let go = |id, place| {
        act(store, move |tx| hold::reorder(tx, DESK, on(TODAY), &plain(), id, place, "exam")).expect("moved")
    };
    let was = keys(store, book);
    assert_eq!(go(ids[2], 1).place, Some(1));
    assert_eq!(places(), [2, 3, 1]);
    match last_change(store, book) {
        Change::Hold(HoldChange::HoldsReordered { from, to, before, after, reason, .. }) => {
            assert_eq!((from, to, reason.as_str()), (3, 1, "exam"));
            assert_eq!((before, after), (was, keys(store, book)));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(go(ids[1], 2).place, Some(2));
    assert_eq!(places(), [3, 2, 1]);
    assert_eq!(go(ids[2], 99).place, Some(3), "past the end is the end");
    assert_eq!(places(), [2, 1, 3]);
    let late = try_reserve(store, DESK, store.student(9).uid, book, plain(), None).expect("placed");
    assert_eq!(late.place, Some(4), "nobody comes before those who wait");
}

fn a_kept_copy_that_is_damaged_puts_its_reader_first_again(store: &Store) {
    let [asha, bala, chitra] = people(store);
    for to in [Condition::InRepair, Condition::Lost, Condition::Missing] {
        let book = title(store, "t", 1);
        let loan = lend(store, asha, book, TODAY);
        let [first, second] = [bala, chitra].map(|person| reserve(store, person, book).id);
        give_back(store, loan.id, Condition::OnShelf, TODAY);
        act(store, move |tx| hold::reorder(tx, DESK, on(TODAY), &plain(), second, 1, "r"))
            .expect("alone in line");
        let moved =
            act(store, move |tx| stock::move_copy(tx, DESK, on(TODAY), &plain(), loan.copy_id, to, "torn"));
        assert_eq!(moved.expect("moved").state, to.state());
        assert_eq!((seen(store, first), seen(store, second)), (waits(1), waits(2)));
        for never in [Condition::OnShelf, Condition::Withdrawn] {
            let book = title(store, "t", 1);
            let loan = lend(store, asha, book, TODAY);
            reserve(store, bala, book);
            give_back(store, loan.id, Condition::OnShelf, TODAY);
            let moved = act(store, move |tx| {
                stock::move_copy(tx, DESK, on(TODAY), &plain(), loan.copy_id, never, "")
            });
            assert!(matches!(moved, Err(circulation::Error::Obstacle(_))), "{never:?}");
        }
        sound(store);
    }
}

fn whoever_may_not_borrow_waits_for_nothing_r_hold_2(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY);
    let [first, second] = [bala, chitra].map(|person| reserve(store, person, book).id);
    // Deactivated without the action that ends her holds: a hold left over is skipped.
    store.write(move |tx| {
        let left = replaceable(tx, bala);
        library::storage::people::deactivate(tx, &left)
    });
    let caught = give_back(store, loan.id, Condition::OnShelf, TODAY).caught;
    assert_eq!(caught.map(|hold| hold.id), Some(second));
    assert_eq!((seen(store, first).0, seen(store, second)), (HoldState::Cancelled, READY));
    let other = title(store, "other", 1);
    lend(store, asha, other, TODAY);
    assert_eq!(refused(try_reserve(store, DESK, bala, other, plain(), None)), ["person.inactive"]);
    act(store, move |tx| hold::cancel_all_of(tx, DESK, on(TODAY), &plain(), chitra, "left"))
        .expect("cancelled");
    assert_eq!(seen(store, second).0, HoldState::Cancelled);
    assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::ToShelve, 0));
    sound(store);
}

fn a_deleted_title_ends_its_line(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "Godaan", 1);
    let loan = lend(store, asha, book, TODAY);
    let holds = [bala, chitra].map(|person| reserve(store, person, book).id);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    act(store, move |tx| stock::delete_title(tx, DESK, on(TODAY), book)).expect("deleted");
    for id in holds {
        assert_eq!((seen(store, id).0, of(store, id).title.as_str()), (HoldState::Cancelled, "Godaan"));
    }
    assert_eq!(state_of(store, loan.copy_id), State::Withdrawn);
    sound(store);
}

fn the_database_forbids_two_holds_of_a_person_and_two_of_a_copy(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY);
    let holds = [bala, chitra].map(|person| reserve(store, person, book).id);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    for statement in [
        format!(
            "INSERT INTO holds (book_id, title, user_id, state, queue_key, placed_at)
             VALUES ({book}, 't', {bala}, 'waiting', 1, 1)"
        ),
        format!(
            "UPDATE holds SET state = 'ready', copy_id = {}, ready_until = '2026-11-24' WHERE id = {}",
            loan.copy_id, holds[1]
        ),
    ] {
        let told = store.database.raw(&statement).err().unwrap_or_default().to_lowercase();
        assert!(told.contains("unique"), "{statement}: {told}");
    }
}

fn a_hold_that_contradicts_its_copy_is_found_and_named(store: &Store) {
    let [asha, bala] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY);
    let hold = reserve(store, bala, book).id;
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    sound(store);
    let told = |statement: &str| {
        store.database.raw(statement).expect("writable");
        store.read(|tx| copies::contradictions(tx, 10))
    };
    assert_eq!(
        told("UPDATE copies SET condition = 'lost'"),
        [format!("hold {hold} keeps a copy that is lost")]
    );
    store.database.raw("UPDATE copies SET condition = 'to-shelve'").expect("writable");
    assert_eq!(
        told("UPDATE holds SET book_id = 77"),
        [
            format!("hold {hold} keeps a copy of another title"),
            format!("hold {hold} waits for title 77, which is gone")
        ]
    );
}

/// The basis of undo: an ended hold opens again as it was, and a kept one waits again at its place.
fn what_the_changes_keep_brings_a_line_back(store: &Store) {
    let [asha, bala, chitra] = people(store);
    let book = title(store, "t", 1);
    let loan = lend(store, asha, book, TODAY);
    let [first, second] = [bala, chitra].map(|person| reserve(store, person, book).id);
    let before = keys(store, book);
    cancel(store, DESK, first).expect("cancelled");
    store.write(move |tx| holds::reopen(tx, first));
    assert_eq!((seen(store, first), keys(store, book)), (waits(1), before.clone()));
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    store.write(move |tx| holds::wait(tx, first, before[0].key));
    assert_eq!((seen(store, first), seen(store, second)), (waits(1), waits(2)));
    assert_eq!(state_of(store, loan.copy_id), State::ToShelve);
    store.write(move |tx| holds::keep(tx, first, loan.copy_id, date(2026, 11, 24)));
    let lent = try_lend(store, DESK, bala, CopyToLend::AnyOf(book), None);
    assert!(lent.is_ok());
    assert_eq!(seen(store, first).0, HoldState::Fulfilled);
}
