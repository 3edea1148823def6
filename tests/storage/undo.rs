//! Undo: after any sequence of actions and their undos everything is as before, and both ledger laws hold.

use library::{
    circulation::{
        self, CheckIn, CheckOut, CopyToLend, Override, Renew, SetDueDate, check_in, check_out,
        hold::{self, Place},
        lost::{self, DeclareLost},
        money::{self, NewCharge, Payment, Refund},
        renew, set_due_date, stock,
        undo::undo,
    },
    clock::Clock,
    domain::{
        account::User,
        change::{CatalogueChange, Change, CopyChange, HoldChange, LoanChange, PersonChange},
        copy::Condition,
        id::{BookId, ChangeId, CopyId, HoldId, LineId, LoanId, UserId},
        ledger::{ChargeKind, Method},
        review::ReviewForm,
    },
    money::Money,
    people::{
        self,
        promotion::{Promotion, promote},
    },
    storage::{
        Tx,
        authority::Authority,
        copies,
        events::{self, Filter, Recorded},
        holds,
        imports::{self, UpTo},
        ledger, loans, reviews,
    },
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use crate::{
    Store,
    circulation::{DESK, TODAY, act, give_back, lend, on, plain, refused, sound, title},
};

on_both_databases!(
    whatever_is_done_and_undone_leaves_everything_as_it_was_r_undo_2,
    something_later_is_undone_first_r_undo_2,
    a_charge_that_was_paid_is_not_undone_before_the_payment_r_undo_2,
    only_today_is_undone_and_only_once_r_undo_1,
    a_batch_that_left_comes_back_with_its_holds_in_their_places_r_people_5,
    who_was_changed_since_stays_and_the_rest_of_the_batch_moves_back_r_people_5,
    a_hold_whose_place_is_gone_stays_cancelled_and_is_told_r_undo_2,
    a_deleted_book_comes_back_with_its_reviews_barcodes_and_line_r_undo_1,
    a_book_stays_deleted_where_its_copy_came_back_or_its_barcode_was_given_away_r_undo_2,
    a_refusal_names_what_is_to_be_undone_first_r_undo_2,
    the_undo_of_an_import_stops_at_the_book_that_is_lent_r_undo_2,
);

/// Undoes a change as of today.
pub fn take_back(store: &Store, id: ChangeId) -> circulation::Result<Vec<String>> {
    act(store, move |tx| {
        let undone = undo(tx, DESK, on(TODAY), 0, id)?;
        Ok(undone.messages.iter().map(library::message::Message::text).collect())
    })
}

/// Returns the newest changes, newest first.
pub fn newest(store: &Store, count: i64) -> Vec<Recorded> {
    store.read(move |tx| events::page(tx, &Filter::default(), ChangeId(i64::MAX), count))
}

/// Returns everything that an undo restores: all but the changes, and when a copy was last returned.
fn everything(store: &Store) -> Vec<Vec<Vec<Option<String>>>> {
    [
        "SELECT id, batch, active, directory_key FROM users ORDER BY id",
        "SELECT id, title, no_of_books, status, version, created_at FROM books ORDER BY id",
        "SELECT id, book_id, user_id, user_name, rating, comment FROM reviews ORDER BY id",
        "SELECT id, barcode_key, condition FROM copies ORDER BY id",
        "SELECT id, user_id, copy_id, return_date, renewals, due_reasons FROM loans WHERE ended_at IS NULL ORDER BY id",
        "SELECT id, fine, ended_on FROM loans WHERE ended_at IS NOT NULL AND NOT voided ORDER BY id",
        "SELECT id, state, copy_id, ready_until, queue_key FROM holds WHERE ended_at IS NULL ORDER BY id",
        "SELECT person_id, balance FROM balances WHERE balance <> 0 ORDER BY person_id",
        "SELECT id, amount - COALESCE((SELECT SUM(amount) FROM settlements WHERE charge_id = line.id), 0)
         FROM account_lines AS line WHERE kind = 'charge'
           AND amount <> COALESCE((SELECT SUM(amount) FROM settlements WHERE charge_id = line.id), 0) ORDER BY id",
    ]
    .iter()
    .map(|statement| store.database.raw(statement).expect(statement))
    .collect()
}

/// An action; numbers select among what exists at that moment.
#[derive(Clone, Copy, Debug)]
enum Act {
    Lend { person: usize, copy: usize },
    TakeAny { person: usize, book: usize },
    Return { loan: usize, to_shelve: bool, late: bool },
    StudentReturns { loan: usize },
    Swap { loan: usize, copy: usize },
    Renew { loan: usize },
    SetDue { loan: usize, days: i64 },
    Move { copy: usize, to: usize },
    Reserve { person: usize, book: usize },
    Cancel { hold: usize },
    Charge { person: usize },
    Pay { person: usize },
    Waive { person: usize },
    Deactivate { person: usize },
    Activate { person: usize },
    MoveBatch { to: usize },
    Lose { loan: usize },
    TakeBack { charge: usize },
    Refund { person: usize },
    DeleteTitle { book: usize },
}

fn an_act() -> impl Strategy<Value = Act> {
    let n = 0_usize..64;
    prop_oneof![
        4 => (n.clone(), n.clone()).prop_map(|(person, copy)| Act::Lend { person, copy }),
        2 => (n.clone(), n.clone()).prop_map(|(person, book)| Act::TakeAny { person, book }),
        3 => (n.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(loan, to_shelve, late)| Act::Return { loan, to_shelve, late }),
        1 => n.clone().prop_map(|loan| Act::StudentReturns { loan }),
        2 => (n.clone(), n.clone()).prop_map(|(loan, copy)| Act::Swap { loan, copy }),
        2 => n.clone().prop_map(|loan| Act::Renew { loan }),
        2 => (n.clone(), 0_i64..40).prop_map(|(loan, days)| Act::SetDue { loan, days }),
        2 => (n.clone(), n.clone()).prop_map(|(copy, to)| Act::Move { copy, to }),
        3 => (n.clone(), n.clone()).prop_map(|(person, book)| Act::Reserve { person, book }),
        2 => n.clone().prop_map(|hold| Act::Cancel { hold }),
        1 => n.clone().prop_map(|person| Act::Charge { person }),
        2 => n.clone().prop_map(|person| Act::Pay { person }),
        1 => n.clone().prop_map(|person| Act::Waive { person }),
        1 => n.clone().prop_map(|person| Act::Deactivate { person }),
        2 => n.clone().prop_map(|person| Act::Activate { person }),
        1 => n.clone().prop_map(|to| Act::MoveBatch { to }),
        2 => n.clone().prop_map(|loan| Act::Lose { loan }),
        2 => n.clone().prop_map(|charge| Act::TakeBack { charge }),
        1 => n.clone().prop_map(|person| Act::Refund { person }),
        1 => n.prop_map(|book| Act::DeleteTitle { book }),
    ]
}

struct World {
    people: Vec<UserId>,
}

fn pick<T: Copy>(from: &[T], number: usize) -> Option<T> {
    (!from.is_empty()).then(|| from[number % from.len()])
}

fn ids<T: From<i64>>(store: &Store, statement: &str) -> Vec<T> {
    let rows = store.database.raw(statement).expect(statement);
    rows.iter().filter_map(|row| row[0].as_deref()?.parse::<i64>().ok()).map(T::from).collect()
}

/// Returns an override for the action.
fn overriding() -> Override {
    let blocks =
        ["title.reserved", "copy.reference", "copy.lost", "copy.missing", "copy.repair", "renew.waiting"];
    Override { blocks: blocks.map(Into::into).to_vec(), reason: "in hand".into(), cancel_hold: false }
}

impl World {
    /// Performs the action if possible; a librarian overrides what can be overridden.
    fn act(&self, store: &Store, what: Act) {
        let person = |n| pick(&self.people, n).unwrap_or(UserId(1));
        let books: Vec<BookId> = ids(store, "SELECT id FROM books ORDER BY id");
        let book = |n| pick(&books, n).unwrap_or(BookId(1));
        let open: Vec<LoanId> = ids(store, "SELECT id FROM loans WHERE ended_at IS NULL ORDER BY id");
        let copies: Vec<CopyId> = ids(store, "SELECT id FROM copies ORDER BY id");
        let holds: Vec<HoldId> = ids(store, "SELECT id FROM holds WHERE ended_at IS NULL ORDER BY id");
        // A refusal is an answer too, and changes nothing.
        let done = match what {
            Act::Lend { person: n, copy } => pick(&copies, copy).map(|copy| {
                let what = CheckOut {
                    reader: person(n),
                    copy: CopyToLend::This(copy),
                    overriding: Some(overriding()),
                };
                act(store, move |tx| check_out(tx, DESK, on(TODAY), &plain(), &what).map(drop))
            }),
            Act::TakeAny { person: n, book: b } => {
                let reader = person(n);
                let what = CheckOut { reader, copy: CopyToLend::AnyOf(book(b)), overriding: None };
                Some(act(store, move |tx| {
                    check_out(tx, circulation::Actor::Student(reader), on(TODAY), &plain(), &what).map(drop)
                }))
            }
            Act::Return { loan, to_shelve, late } => pick(&open, loan).map(|loan| {
                let to = if to_shelve { Condition::ToShelve } else { Condition::OnShelf };
                let mut moment = on(TODAY);
                if late {
                    moment.today = TODAY.checked_add(jiff::Span::new().days(10)).expect("a day");
                }
                let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: None };
                act(store, move |tx| check_in(tx, DESK, moment, &plain(), what).map(drop))
            }),
            Act::StudentReturns { loan } => pick(&open, loan).map(|loan| {
                let what = CheckIn {
                    loan,
                    to: Condition::OnShelf,
                    returned_on: None,
                    passing: false,
                    in_hand: None,
                };
                act(store, move |tx| {
                    let owner = loans::lock_open(tx, loan)?.ok_or(circulation::Error::NotFound)?.user_id;
                    check_in(tx, circulation::Actor::Student(owner), on(TODAY), &plain(), what).map(drop)
                })
            }),
            Act::Swap { loan, copy } => pick(&open, loan).zip(pick(&copies, copy)).map(|(loan, copy)| {
                let to = Condition::OnShelf;
                let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: Some(copy) };
                act(store, move |tx| check_in(tx, DESK, on(TODAY), &plain(), what).map(drop))
            }),
            Act::Renew { loan } => pick(&open, loan).map(|loan| {
                let what = Renew { loan, overriding: Some(overriding()) };
                act(store, move |tx| renew(tx, DESK, on(TODAY), &plain(), &what).map(drop))
            }),
            Act::SetDue { loan, days } => pick(&open, loan).map(|loan| {
                let to = TODAY.saturating_add(jiff::Span::new().days(days));
                let what = SetDueDate { loan, to, reason: "ill".into() };
                act(store, move |tx| set_due_date(tx, DESK, on(TODAY), &plain(), &what).map(drop))
            }),
            Act::Move { copy, to } => pick(&copies, copy).zip(pick(Condition::ALL, to)).map(|(copy, to)| {
                act(store, move |tx| stock::move_copy(tx, DESK, on(TODAY), &plain(), copy, to, "").map(drop))
            }),
            Act::Reserve { person: n, book: b } => {
                let what = Place { person: person(n), book: book(b), overriding: None };
                Some(act(store, move |tx| hold::place(tx, DESK, on(TODAY), &plain(), &what).map(drop)))
            }
            Act::Cancel { hold } => pick(&holds, hold)
                .map(|hold| act(store, move |tx| hold::cancel(tx, DESK, on(TODAY), &plain(), hold, "asked"))),
            // Two titles must remain.
            Act::DeleteTitle { .. } if books.len() < 3 => {
                title(store, "One more", 2);
                None
            }
            Act::DeleteTitle { book: b } => {
                let book = book(b);
                Some(act(store, move |tx| stock::delete_title(tx, DESK, on(TODAY), book).map(drop)))
            }
            Act::Deactivate { .. } | Act::Activate { .. } | Act::MoveBatch { .. } => {
                self.act_on_people(store, what);
                None
            }
            _ => self.act_on_money(store, what, &open),
        };
        match done {
            None
            | Some(
                Ok(())
                | Err(
                    circulation::Error::Refused(_)
                    | circulation::Error::Obstacle(_)
                    | circulation::Error::Invalid(_)
                    | circulation::Error::NotFound,
                ),
            ) => {}
            Some(Err(error)) => panic!("{what:?}: {error:?}"),
        }
    }
}

impl World {
    /// Performs an action on money.
    fn act_on_money(&self, store: &Store, what: Act, open: &[LoanId]) -> Option<circulation::Result<()>> {
        let person = |n| pick(&self.people, n).unwrap_or(UserId(1));
        let charges: Vec<LineId> =
            ids(store, "SELECT id FROM account_lines WHERE kind = 'charge' ORDER BY id");
        match what {
            Act::Charge { person: n } => {
                let person = person(n);
                Some(act(store, move |tx| charge(tx, person)))
            }
            Act::Pay { person: n } => {
                let person = person(n);
                Some(act(store, move |tx| {
                    let owed = ledger::balance(tx, person)?;
                    let amount = Money(owed.0 / 2);
                    if amount <= Money::ZERO {
                        return Ok(());
                    }
                    let what = Payment { person, amount, method: Method::Cash, reference: "", charges: &[] };
                    money::pay(tx, DESK, on(TODAY), &plain(), &what).map(drop)
                }))
            }
            Act::Waive { person: n } => {
                let person = person(n);
                Some(act(store, move |tx| waive(tx, person)))
            }
            Act::Lose { loan } => pick(open, loan).map(|loan| {
                let what = DeclareLost { loan, price: Some(Money::main(50)) };
                act(store, move |tx| lost::declare_lost(tx, DESK, on(TODAY), &plain(), what).map(drop))
            }),
            Act::TakeBack { charge } => pick(&charges, charge).map(|charge| {
                act(store, move |tx| money::reverse_charge(tx, DESK, on(TODAY), charge, "found").map(drop))
            }),
            Act::Refund { person: n } => {
                let person = person(n);
                Some(act(store, move |tx| {
                    let amount = money::credit(tx, person)?;
                    if amount == Money::ZERO {
                        return Ok(());
                    }
                    let what = Refund { person, amount, method: Method::Cash, reference: "" };
                    money::refund(tx, DESK, on(TODAY), &what).map(drop)
                }))
            }
            _ => None,
        }
    }

    /// Performs an action on people.
    fn act_on_people(&self, store: &Store, what: Act) {
        let (Act::Deactivate { person: n } | Act::Activate { person: n } | Act::MoveBatch { to: n }) = what
        else {
            return;
        };
        let person = pick(&self.people, n).unwrap_or(UserId(1));
        let done = store.db.write_blocking(move |tx| -> library::people::Result<()> {
            let authority = Authority::of(tx, DESK.uid())?;
            match what {
                Act::Deactivate { .. } => {
                    people::deactivate(tx, &authority, on(TODAY), &plain(), person, "left")
                }
                Act::Activate { .. } => people::activate(tx, &authority, on(TODAY), person),
                Act::MoveBatch { to } => {
                    let batches = ["2027", "2028"];
                    let to = (to % 3 > 0).then(|| batches[to % 2].to_owned());
                    let from = batches[usize::from(to.as_deref() == Some(batches[0]))].to_owned();
                    move_batch(tx, from, to).map(drop)
                }
                _ => Ok(()),
            }
        });
        done.expect("people are looked after");
    }
}

fn move_batch(
    tx: &mut Tx<'_>,
    from: String,
    to: Option<String>,
) -> library::people::Result<Option<ChangeId>> {
    let what =
        Promotion { from, to, only: None, except: Vec::new(), with_open: true, preview: None, again: true };
    let authority = Authority::of(tx, DESK.uid())?;
    let clock = Clock::standing_at(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC);
    Ok(promote(tx, &authority, on(TODAY), (&plain(), &clock), &what, false)?.change)
}

fn waive(tx: &mut Tx<'_>, person: UserId) -> circulation::Result<()> {
    let Some(charge) = ledger::open_charges(tx, person)?.pop() else { return Ok(()) };
    money::waive(tx, DESK, on(TODAY), charge.id, None, "kind").map(drop)
}

fn charge(tx: &mut Tx<'_>, person: UserId) -> circulation::Result<()> {
    let (of, amount) = (ChargeKind::Damage, Money::main(30));
    let new = NewCharge { person, of, amount, reason: "Torn", explain: &[], loan: None };
    money::charge(tx, DESK, on(TODAY), &new).map(drop)
}

/// Returns the change of the action itself; the others are its consequences and are undone with it.
fn leading(changes: &[Recorded]) -> Option<&Recorded> {
    changes.iter().find(|recorded| {
        matches!(
            recorded.change,
            Change::Loan(
                LoanChange::Lent { .. }
                    | LoanChange::Returned { .. }
                    | LoanChange::Renewed { .. }
                    | LoanChange::DueDateSet { .. }
                    | LoanChange::DeclaredLost { .. }
            ) | Change::Copy(CopyChange::CopyMoved { .. })
                | Change::Hold(HoldChange::HoldPlaced { .. } | HoldChange::HoldCancelled { .. })
                | Change::Money(_)
                | Change::Person(PersonChange::PersonDeactivated { .. } | PersonChange::BatchMoved { .. })
                | Change::Catalogue(CatalogueChange::BookDeleted { .. })
        )
    })
}

fn whatever_is_done_and_undone_leaves_everything_as_it_was_r_undo_2(store: &Store) {
    store.librarian();
    let readers: Vec<User> = (1..=4).map(|n| store.student(n)).collect();
    for (name, copies) in [("One", 1), ("Two", 3), ("Three", 2)] {
        review(store, title(store, name, copies), &readers[0]);
    }
    let world = World { people: readers.iter().map(|reader| reader.uid).collect() };
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(15);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let steps = prop::collection::vec((an_act(), any::<bool>(), any::<bool>()), 1..12);
    let tried = runner.run(&steps, |steps| {
        for (what, taken_back, other) in steps {
            let (before, from) =
                (everything(store), newest(store, 1).first().map_or(ChangeId(0), |last| last.id));
            world.act(store, what);
            sound(store);
            let done: Vec<Recorded> =
                newest(store, 20).into_iter().filter(|recorded| recorded.id > from).collect();
            match leading(&done) {
                Some(first) if taken_back => {
                    // A copy passed on has consequences of its own: they are undone with it, or the undo is refused.
                    let undone = take_back(store, first.id);
                    if undone.is_ok() {
                        prop_assert_eq!(&everything(store), &before, "{:?}: {:?}", what, done);
                    } else {
                        let blocks = refused(undone);
                        prop_assert!(
                            matches!(first.change, Change::Copy(CopyChange::CopyMoved { .. })),
                            "{:?} refused {:?}: {:?}",
                            what,
                            blocks,
                            done
                        );
                    }
                }
                // An older change: allowed or refused, the laws hold.
                _ if other => {
                    let older = newest(store, 12);
                    if let Some(any) =
                        pick(&older.iter().map(|one| one.id).collect::<Vec<_>>(), done.len() + 3)
                    {
                        match take_back(store, any) {
                            Ok(_) | Err(circulation::Error::Refused(_) | circulation::Error::NotFound) => {}
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
                _ => {}
            }
            sound(store);
        }
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
}

fn something_later_is_undone_first_r_undo_2(store: &Store) {
    let (asha, bala, book) = (store.student(1).uid, store.student(2).uid, title(store, "Algorithms", 1));
    let loan = lend(store, asha, book, TODAY);
    let lent = newest(store, 1)[0].id;
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let returned = newest(store, 1)[0].id;
    lend(store, bala, book, TODAY);
    let lent_again = newest(store, 1)[0].id;
    assert_eq!(refused(take_back(store, returned)), ["undo.later"], "the copy is lent again");
    assert_eq!(refused(take_back(store, lent)), ["undo.later"], "it came back since");
    assert_eq!(take_back(store, lent_again).expect("undone")[0], "Undone: “Algorithms” was not lent.");
    assert_eq!(
        take_back(store, returned).expect("undone"),
        [
            "Undone: “Algorithms” is on loan again, due 28 Nov 2026.",
            "Student 1 has it until Saturday 28 Nov.",
        ]
    );
    take_back(store, lent).expect("undone");
    let copies = store.read(move |tx| copies::of_book(tx, book, CopyId(0), 9));
    assert_eq!(copies[0].state, library::domain::copy::State::OnShelf);
    // A mistaken loan counts nowhere.
    assert_eq!(store.read(move |tx| loans::ended_of_user(tx, asha, None, 9)).len(), 0);
    let loan = lend(store, asha, book, TODAY);
    let lent = newest(store, 1)[0].id;
    let what = Renew { loan: loan.id, overriding: None };
    act(store, move |tx| renew(tx, DESK, on(TODAY), &plain(), &what).map(drop)).expect("extended");
    let extended = newest(store, 1)[0].id;
    assert_eq!(refused(take_back(store, lent)), ["undo.later"], "it was extended since");
    take_back(store, extended).expect("undone");
    take_back(store, lent).expect("undone");
    sound(store);
}

fn a_charge_that_was_paid_is_not_undone_before_the_payment_r_undo_2(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "Godaan", 1));
    let loan = lend(store, uid, book, jiff::civil::date(2026, 11, 1));
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let returned = newest(store, 1)[0].id;
    let pay = move |tx: &mut Tx<'_>| {
        let amount = Money::main(20);
        let what = Payment { person: uid, amount, method: Method::Cash, reference: "", charges: &[] };
        money::pay(tx, DESK, on(TODAY), &plain(), &what).map(|paid| (paid.change, paid.receipt.number))
    };
    let (paid, number) = act(store, pay).expect("paid");
    assert_eq!(refused(take_back(store, returned)), ["undo.paid"]);
    take_back(store, paid).expect("undone");
    let receipt = store.read(move |tx| ledger::receipt(tx, &number)).expect("it keeps its number");
    assert!(receipt.reversed);
    take_back(store, returned).expect("undone");
    assert_eq!(store.read(move |tx| ledger::balance(tx, uid)), Money::ZERO);
    let open = store.read(move |tx| loans::open_of_user(tx, uid));
    assert_eq!((open[0].id, open[0].return_date), (loan.id, loan.return_date));
    sound(store);
}

fn only_today_is_undone_and_only_once_r_undo_1(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "Godaan", 1));
    lend(store, uid, book, TODAY);
    let lent = &newest(store, 1)[0];
    let (id, tomorrow) = (lent.id, lent.at + 1);
    let late = act(store, move |tx| undo(tx, DESK, on(TODAY), tomorrow, id).map(drop));
    assert_eq!(refused(late), ["undo.day"]);
    take_back(store, id).expect("undone");
    assert_eq!(refused(take_back(store, id)), ["undo.already"]);
    let undone = newest(store, 1)[0].id;
    assert_eq!(refused(take_back(store, undone)), ["undo.kind"]);
    assert!(store.read(move |tx| holds::of_book(tx, book)).is_empty());
}

/// Lets everyone of batch 2027 leave; returns the change.
fn leave(store: &Store) -> ChangeId {
    let left = store.db.write_blocking(|tx| move_batch(tx, "2027".into(), None));
    left.expect("moved").expect("somebody left")
}

fn reserve(store: &Store, person: UserId, book: BookId) -> HoldId {
    let what = Place { person, book, overriding: None };
    act(store, move |tx| hold::place(tx, DESK, on(TODAY), &plain(), &what)).expect("in line").id
}

fn a_batch_that_left_comes_back_with_its_holds_in_their_places_r_people_5(store: &Store) {
    store.librarian();
    let uids: Vec<UserId> = (1..=5).map(|n| store.student(n).uid).collect();
    store.database.raw(&format!("UPDATE users SET batch = '2028' WHERE id = {}", uids[3])).unwrap();
    let (book, other) = (title(store, "One", 1), title(store, "Two", 1));
    let (loan, _) = (lend(store, uids[4], book, TODAY), lend(store, uids[4], other, TODAY));
    // Two of three waiting readers leave; the copy, kept for the first, goes to the one who stays.
    for uid in [uids[0], uids[1], uids[3]] {
        reserve(store, uid, book);
    }
    reserve(store, uids[2], other);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let before = everything(store);
    let left = leave(store);
    let ready = |store: &Store| ids::<UserId>(store, "SELECT user_id FROM holds WHERE state = 'ready'");
    assert_eq!(ready(store), [uids[3]]);
    let told = take_back(store, left).expect("undone");
    assert_eq!(told, ["Undone: 4 people of batch 2027 are active again."]);
    assert_eq!(everything(store), before);
    assert_eq!(ready(store), [uids[0]]);
    assert_eq!(refused(take_back(store, left)), ["undo.already"]);
    sound(store);
}

fn who_was_changed_since_stays_and_the_rest_of_the_batch_moves_back_r_people_5(store: &Store) {
    store.librarian();
    let uids: Vec<UserId> = (1..=3).map(|n| store.student(n).uid).collect();
    let moved = store.db.write_blocking(|tx| move_batch(tx, "2027".into(), Some("2028".into())));
    let moved = moved.expect("moved").expect("a change");
    let edited = uids[1];
    let edit = |batch: &'static str| {
        let done = store.db.write_blocking(move |tx| {
            let authority = Authority::of(tx, DESK.uid())?;
            people::update(tx, &authority, on(TODAY), &plain(), edited, |details| {
                library::domain::person::Details { batch: Some(batch.into()), ..details }
            })
        });
        done.expect("edited");
    };
    edit("2030");
    assert_eq!(
        take_back(store, moved).expect("undone"),
        [
            "Undone: 2 people are in batch 2027 again.",
            "1 person was changed since and stays as is: Student 2."
        ]
    );
    let batches = store.database.raw("SELECT batch FROM users WHERE role = 'student' ORDER BY id").unwrap();
    assert_eq!(batches, ["2027", "2030", "2027"].map(|batch| [Some(batch.to_owned())]));

    // If all people were changed since, the undo is refused and changes nothing.
    let moved = store.db.write_blocking(|tx| move_batch(tx, "2030".into(), Some("2031".into())));
    let moved = moved.expect("moved").expect("a change");
    edit("2027");
    let before = everything(store);
    assert_eq!(refused(take_back(store, moved)), ["undo.people"]);
    assert_eq!(everything(store), before);
}

fn a_hold_whose_place_is_gone_stays_cancelled_and_is_told_r_undo_2(store: &Store) {
    store.librarian();
    let (asha, bala) = (store.student(1).uid, store.student(2).uid);
    let (kept, waited) = (title(store, "Kept", 1), title(store, "Waited", 1));
    let loan = lend(store, bala, kept, TODAY);
    lend(store, bala, waited, TODAY);
    let (first, second) = (reserve(store, asha, kept), reserve(store, asha, waited));
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let done = store.db.write_blocking(move |tx| {
        let authority = Authority::of(tx, DESK.uid())?;
        people::deactivate(tx, &authority, on(TODAY), &plain(), asha, "left")
    });
    done.expect("deactivated");
    let deactivated = newest(store, 1)[0].id;
    // The hold of an inactive person does not come back alone.
    assert_eq!(refused(take_back(store, newest(store, 2)[1].id)), ["undo.later"]);
    lend_kept(store, bala, kept);
    assert_eq!(
        take_back(store, deactivated).expect("undone"),
        [
            "Undone: active again.",
            "The reservation of “Kept” for Student 1 stays cancelled: its place is gone."
        ]
    );
    let open: Vec<HoldId> = ids(store, "SELECT id FROM holds WHERE ended_at IS NULL");
    assert_eq!(open, [second]);
    assert_ne!(first, second);
    sound(store);
}

/// Lends the only copy of a title, which waits to be shelved.
fn lend_kept(store: &Store, reader: UserId, book: BookId) {
    let copies = store.read(move |tx| copies::of_book(tx, book, CopyId(0), 9));
    let what = CheckOut { reader, copy: CopyToLend::This(copies[0].id), overriding: None };
    act(store, move |tx| check_out(tx, DESK, on(TODAY), &plain(), &what).map(drop)).expect("lent");
}

pub fn review(store: &Store, book: BookId, reader: &User) {
    let reader = reader.clone();
    let form = ReviewForm { rating: 4, comment: "Read it twice".into() };
    store.write(move |tx| reviews::add(tx, book, &reader, &form, 1)).expect("there");
}

pub fn delete(store: &Store, book: BookId) -> ChangeId {
    act(store, move |tx| stock::delete_title(tx, DESK, on(TODAY), book)).expect("deleted")
}

fn a_deleted_book_comes_back_with_its_reviews_barcodes_and_line_r_undo_1(store: &Store) {
    let readers = [1, 2, 3].map(|n| store.student(n));
    let [asha, bala, chitra] = readers.each_ref().map(|reader| reader.uid);
    let book = title(store, "Godaan", 2);
    review(store, book, &readers[0]);
    lend(store, asha, book, TODAY);
    let kept = lend(store, bala, book, TODAY);
    let what = Place { person: chitra, book, overriding: None };
    act(store, move |tx| hold::place(tx, DESK, on(TODAY), &plain(), &what)).expect("in line");
    give_back(store, kept.id, Condition::OnShelf, TODAY);
    let before = everything(store);
    let deleted = delete(store, book);
    assert_ne!(everything(store), before);
    assert_eq!(take_back(store, deleted).expect("undone"), ["Undone: “Godaan” is in the catalogue again."]);
    assert_eq!(everything(store), before);
    assert_eq!(refused(take_back(store, deleted)), ["undo.already"]);
    sound(store);
}

/// Returns the reason why a change cannot be undone.
fn reason(store: &Store, id: ChangeId) -> String {
    match take_back(store, id) {
        Err(circulation::Error::Refused(refusal)) => refusal.blocks[0].message().text(),
        other => panic!("{other:?}"),
    }
}

fn a_refusal_names_what_is_to_be_undone_first_r_undo_2(store: &Store) {
    let [asha, bala] = [1, 2].map(|n| store.student(n).uid);
    let (book, other) = (title(store, "Godaan", 1), title(store, "Nirmala", 1));
    let loan = lend(store, asha, book, TODAY);
    let lent = newest(store, 1)[0].id;
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let returned = newest(store, 1)[0].id;
    lend(store, bala, other, TODAY);
    assert_eq!(
        reason(store, lent),
        "Since then, for Student 1: “Godaan” returned to the shelf. Undo that first, or correct it by hand."
    );
    let deleted = {
        let loan = lend(store, asha, book, TODAY);
        let deleted = delete(store, book);
        give_back(store, loan.id, Condition::OnShelf, TODAY);
        deleted
    };
    assert_eq!(
        reason(store, returned),
        "Since then, for Student 1: “Godaan” returned. Undo that first, or correct it by hand."
    );
    let last = newest(store, 1)[0].id;
    assert_eq!(
        reason(store, deleted),
        "Since then, for Student 1: “Godaan” returned. Undo that first, or correct it by hand."
    );
    take_back(store, last).expect("the newest");
    take_back(store, deleted).expect("then what it had rested on");
}

fn a_book_stays_deleted_where_its_copy_came_back_or_its_barcode_was_given_away_r_undo_2(store: &Store) {
    let (asha, book) = (store.student(1).uid, title(store, "Nirmala", 1));
    let loan = lend(store, asha, book, TODAY);
    let deleted = delete(store, book);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let returned = newest(store, 1)[0].id;
    assert_eq!(refused(take_back(store, deleted)), ["undo.later"], "the copy came back since");
    take_back(store, returned).expect("the loan runs again");
    take_back(store, deleted).expect("and the title is there");
    sound(store);

    let (other, taken) = (title(store, "Gaban", 1), title(store, "Kafan", 1));
    let deleted = delete(store, other);
    let barcode: Vec<_> =
        store.database.raw("SELECT barcode FROM copies ORDER BY id DESC LIMIT 2").expect("read");
    let barcode = barcode[1][0].clone().expect("a barcode");
    store.write(move |tx| copies::add(tx, taken, &barcode, None)).expect("free again");
    assert_eq!(refused(take_back(store, deleted)), ["undo.later"], "another copy has the barcode");
}

fn the_undo_of_an_import_stops_at_the_book_that_is_lent_r_undo_2(store: &Store) {
    let titles = ["One", "Two"].map(|name| title(store, name, 1));
    let id = store.write(move |tx| {
        let id = imports::begin_apart(tx, imports::Kind::Books, "books.csv", None, 2)?;
        imports::add_titles(tx, id, &titles)?;
        Ok(id)
    });
    lend(store, store.student(1).uid, titles[1], TODAY);
    let in_use = |up_to| store.read(move |tx| imports::in_use(tx, id, up_to));
    assert_eq!((in_use(UpTo { title: titles[0], ..UpTo::END }), in_use(UpTo::END)), (0, 1));
}
