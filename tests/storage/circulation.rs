//! Circulation: check-out, check-in, renewal and the stock, on both databases, and the ledger law of copies after them.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::civil::{Date, date};
use library::{
    circulation::{
        self, Actor, CheckIn, CheckOut, CopyToLend, Done, Override, Renew, check_in, check_out, renew,
        stock::{self, Barcodes, Obstacle},
    },
    domain::{
        copy::{Condition, Lending, State},
        id::{BookId, CopyId, LoanId, UserId},
        loan::{Loan, OpenLoan},
        moment::Moment,
        rulebook::Rulebook,
        rules::{CategoryRules, Policy, Rules},
    },
    money::Money,
    storage::{
        Tx,
        accounts::{self, NewAccount},
        copies, ledger,
        loans::{self, Listing, Order},
        page::Position,
        reviews,
    },
};

use crate::{Store, form, student};

on_both_databases!(
    a_loan_takes_the_longest_unused_copy_and_is_listed_r_copy_5,
    of_many_copies_too_the_longest_unused_is_lent_r_copy_5,
    an_ended_loan_leaves_every_list_and_is_kept_with_its_fine_r_loan_9,
    a_renewal_moves_the_return_date_and_counts_r_loan_4,
    a_renewal_can_keep_the_fine_until_then_r_money_5,
    the_database_forbids_a_second_open_loan_of_a_copy_r_copy_2,
    where_a_copy_goes_when_it_comes_back_r_copy_4,
    every_limit_that_is_reached_is_told_at_once_r_rule_1,
    a_librarian_overrides_what_can_be_overridden_with_a_reason,
    a_copy_in_hand_is_lent_as_its_state_allows_r_copy_2,
    a_copy_moves_as_the_table_says_and_never_otherwise_r_copy_2,
    new_copies_get_the_next_free_accession_numbers_r_copy_3,
    a_smaller_number_withdraws_copies_that_were_never_lent_first_r_copy_3,
    a_contradiction_of_the_ledger_is_found_and_named,
    the_librarians_list_is_paged_both_ways_without_gaps_r_fine_1,
    the_counts_above_the_librarians_list_are_of_its_search_on_all_days_r_fine_2,
    names_roll_numbers_and_batches_are_searched_r_fine_2,
    titles_and_barcodes_are_searched_and_loans_sorted_by_name_and_batch_r_fine_2,
    a_patterns_own_characters_are_taken_literally_r_fine_2,
    nothing_is_locked_where_no_open_loan_is,
);

pub const TODAY: Date = date(2026, 11, 21);
pub const DESK: Actor = Actor::Librarian(UserId(1));

/// Returns a moment of that day, later than all earlier ones.
pub fn on(today: Date) -> Moment {
    static TICK: AtomicI64 = AtomicI64::new(1_793_000_000_000);
    Moment { at: TICK.fetch_add(1, Ordering::Relaxed), today }
}

/// Builds a rulebook with these rules for all categories.
pub fn rulebook(rules: Rules, policy: Policy) -> Rulebook {
    let mut rules = rules;
    rules.categories[0].rules = CategoryRules::of(&policy);
    let history = library::domain::rules::RuleHistory::new(vec![(date(2026, 1, 1), rules)]);
    Rulebook { history, ..Rulebook::default() }
}

pub fn plain() -> Rulebook {
    Rulebook::default()
}

/// Creates a title with its own copies.
pub fn title(store: &Store, name: &str, number: i64) -> BookId {
    let form = form(name, number);
    let added = store.db.write_blocking(move |tx| {
        let added = stock::add_title(tx, on(TODAY), &plain(), &form, None, &[]);
        added.map_err(circulation::Error::into_storage)
    });
    added.expect("stored").expect("new").0
}

pub fn act<T: Send + 'static>(
    store: &Store,
    work: impl FnOnce(&mut Tx<'_>) -> circulation::Result<T> + Send + 'static,
) -> circulation::Result<T> {
    store.db.write_blocking(work)
}

pub fn lend(store: &Store, reader: UserId, book: BookId, today: Date) -> Loan {
    let what = CheckOut { reader, copy: CopyToLend::AnyOf(book), overriding: None };
    act(store, move |tx| check_out(tx, Actor::Student(reader), on(today), &plain(), &what))
        .expect("lent")
        .loan
}

pub fn give_back(store: &Store, loan: LoanId, to: Condition, today: Date) -> circulation::Returned {
    let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: None };
    act(store, move |tx| check_in(tx, DESK, on(today), &plain(), what)).expect("returned")
}

pub fn refused<T>(result: circulation::Result<T>) -> Vec<&'static str> {
    match result {
        Err(circulation::Error::Refused(refusal)) => {
            refusal.blocks.iter().map(circulation::Block::id).collect()
        }
        Err(error) => panic!("{error:?}"),
        Ok(_) => Vec::new(),
    }
}

pub fn sound(store: &Store) {
    assert_eq!(store.read(|tx| copies::contradictions(tx, 10)), Vec::<String>::new());
    assert_eq!(store.read(ledger::contradictions), Vec::<String>::new());
    assert_eq!(store.read(|tx| reviews::contradictions(tx, 10)), Vec::<String>::new());
}

fn a_loan_takes_the_longest_unused_copy_and_is_listed_r_copy_5(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "Título", 2));
    let first = lend(store, uid, book, TODAY);
    let second = lend(store, uid, book, date(2026, 11, 22));
    assert_eq!((first.barcode.as_str(), second.barcode.as_str()), ("L000001", "L000002"));
    assert_eq!((first.entry_date, first.return_date), (TODAY, date(2026, 11, 28)));
    assert_eq!((first.fine, first.overdue_days, first.renewals), (Money::ZERO, 0, 0));
    assert_eq!(first.explain, ["7 days from Saturday 21 Nov"]);
    let listed = store.read(move |tx| loans::open_of_user(tx, uid));
    let ids: Vec<LoanId> = listed.iter().map(|loan| loan.id).collect();
    assert_eq!(ids, [first.id, second.id]);
    let late = circulation::view(listed[0].clone(), &plain(), date(2026, 12, 1));
    assert_eq!((late.fine, late.overdue_days), (Money::main(15), 3));
    assert_eq!(late.explain, ["7 days from Saturday 21 Nov", "₹15 = 3 days × ₹5"]);
    // Both are returned; the earlier one has rested longer.
    give_back(store, second.id, Condition::OnShelf, TODAY);
    give_back(store, first.id, Condition::OnShelf, TODAY);
    assert_eq!(lend(store, uid, book, TODAY).barcode, "L000002");
    sound(store);
}

fn of_many_copies_too_the_longest_unused_is_lent_r_copy_5(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "A textbook", 40));
    let named = |numbers: &[usize]| numbers.iter().map(|n| format!("L{n:06}")).collect::<Vec<_>>();
    let next = |count: usize| -> Vec<Loan> { (0..count).map(|_| lend(store, uid, book, TODAY)).collect() };
    let barcodes = |loans: &[Loan]| loans.iter().map(|loan| loan.barcode.clone()).collect::<Vec<_>>();
    let out = next(37);
    assert_eq!(barcodes(&out), named(&(1..=37).collect::<Vec<_>>()));
    for number in [30, 1, 17] {
        give_back(store, out[number - 1].id, Condition::OnShelf, TODAY);
    }
    assert_eq!(
        barcodes(&next(6)),
        named(&[38, 39, 40, 30, 1, 17]),
        "those never lent, then as they came back"
    );
    assert_eq!(on_the_shelf(store, book), 0);
    sound(store);
}

fn an_ended_loan_leaves_every_list_and_is_kept_with_its_fine_r_loan_9(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 1));
    let loan = lend(store, uid, book, date(2026, 11, 1));
    let returned = give_back(store, loan.id, Condition::OnShelf, TODAY);
    assert_eq!(returned.fine, Money::main(65));
    let id = loan.id;
    store.write(move |tx| {
        assert!(loans::open_of_user(tx, uid)?.is_empty());
        let found = loans::open_page(tx, &Listing::of(""), None, 9)?;
        assert!(found.page.rows.is_empty() && found.total == 0);
        assert!(loans::lock_open(tx, id)?.is_none(), "it cannot be ended twice");
        Ok(())
    });
    let again =
        CheckIn { loan: id, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    let again = act(store, move |tx| check_in(tx, DESK, on(TODAY), &plain(), again));
    assert!(matches!(again, Err(circulation::Error::NotFound)));
    let kept = store
        .database
        .raw("SELECT id, ended_on, ended_by, fine, CASE WHEN restocked THEN 'yes' ELSE 'no' END FROM loans")
        .expect("readable");
    let expected = [&id.to_string(), "2026-11-21", "1", "6500", "yes"];
    assert_eq!(kept, [expected.map(|cell| Some(cell.to_owned())).to_vec()]);
    sound(store);
}

fn a_renewal_moves_the_return_date_and_counts_r_loan_4(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 1));
    let loan = lend(store, uid, book, TODAY).id;
    let again = move |today| {
        move |tx: &mut Tx<'_>| {
            renew(tx, Actor::Student(uid), on(today), &plain(), &Renew { loan, overriding: None })
        }
    };
    let renewed = act(store, again(TODAY)).expect("renewed").loan;
    assert_eq!((renewed.return_date, renewed.renewals), (date(2026, 12, 5), 1));
    assert_eq!(renewed.explain, ["7 days more, counted from Saturday 28 Nov"]);
    assert_eq!(refused(act(store, again(date(2026, 12, 6)))), ["loan.fined"]);
    let limited = rulebook(Rules::default(), Policy { max_renewals: Some(1), ..Policy::default() });
    let asked = limited.clone();
    let by_desk = act(store, move |tx| renew(tx, DESK, on(TODAY), &asked, &Renew { loan, overriding: None }));
    assert_eq!(refused(by_desk), ["renew.limit"]);
    let overriding =
        Some(Override { blocks: vec!["renew.limit".into()], reason: "exam week".into(), cancel_hold: false });
    let by_desk = act(store, move |tx| renew(tx, DESK, on(TODAY), &limited, &Renew { loan, overriding }));
    assert_eq!(by_desk.expect("overridden").loan.renewals, 2);
}

fn a_renewal_can_keep_the_fine_until_then_r_money_5(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 1));
    let loan = lend(store, uid, book, date(2027, 2, 22)).id;
    let charging = rulebook(Rules { charge_on_renewal: true, ..Rules::default() }, Policy::default());
    let then = charging.clone();
    let renewed =
        act(store, move |tx| renew(tx, DESK, on(date(2027, 3, 4)), &then, &Renew { loan, overriding: None }))
            .expect("renewed")
            .loan;
    assert_eq!((renewed.return_date, renewed.fine), (date(2027, 3, 11), Money::ZERO));
    let what = CheckIn { loan, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
    let returned = act(store, move |tx| check_in(tx, DESK, on(date(2027, 3, 12)), &charging, what));
    assert_eq!(returned.expect("returned").fine, Money::main(5));
    let charges = store.read(move |tx| ledger::open_charges(tx, uid));
    let amounts: Vec<Money> = charges.iter().map(|charge| charge.open).collect();
    assert_eq!(amounts, [Money::main(15), Money::main(5)], "two entries: worked example 10");
}

fn the_database_forbids_a_second_open_loan_of_a_copy_r_copy_2(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 1));
    lend(store, uid, book, TODAY);
    let second = store.database.raw(&format!(
        "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days)
         VALUES ({uid}, {book}, 't', 1, '2026-11-21', '2026-11-28', 7)"
    ));
    let told = second.err().unwrap_or_default().to_lowercase();
    assert!(told.contains("unique"), "{told}");
}

pub fn state_of(store: &Store, copy: CopyId) -> State {
    store.read(move |tx| copies::by_id(tx, copy)).expect("there").state
}

pub fn on_the_shelf(store: &Store, book: BookId) -> i64 {
    let found = store.read(move |tx| library::storage::books::detail(tx, book, TODAY));
    found.map_or(-1, |detail| detail.book.no_of_books)
}

fn where_a_copy_goes_when_it_comes_back_r_copy_4(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 2));
    let loan = lend(store, uid, book, TODAY);
    assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::OnLoan, 1));
    give_back(store, loan.id, Condition::ToShelve, TODAY);
    assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::ToShelve, 1));
    let shelved = act(store, |tx| stock::shelve(tx, DESK, on(TODAY), &plain(), 100)).expect("shelved");
    assert_eq!((shelved.on_shelf, shelved.kept), (1, 0));
    assert_eq!((state_of(store, loan.copy_id), on_the_shelf(store, book)), (State::OnShelf, 2));
    // A copy whose title is deleted meanwhile has no shelf to go to.
    let loan = lend(store, uid, book, TODAY);
    act(store, move |tx| stock::delete_title(tx, DESK, on(TODAY), book)).expect("deleted");
    assert_eq!(give_back(store, loan.id, Condition::OnShelf, TODAY).to, Condition::Withdrawn);
    assert_eq!(state_of(store, loan.copy_id), State::Withdrawn);
    let again = store.write(|tx| copies::add(tx, BookId(9), "l000001", None));
    assert!(again.is_some(), "the barcodes of a deleted title are free again");
    sound(store);
}

fn every_limit_that_is_reached_is_told_at_once_r_rule_1(store: &Store) {
    let (uid, book, other) = (store.student(1).uid, title(store, "t", 3), title(store, "other", 9));
    lend(store, uid, book, date(2026, 11, 1));
    lend(store, uid, other, TODAY);
    let ask = |policy: Policy, rules: Rules, book: BookId, actor: Actor| {
        let rulebook = rulebook(rules, policy);
        let what = CheckOut { reader: uid, copy: CopyToLend::AnyOf(book), overriding: None };
        // Rolled back even if allowed, so that each question finds the same state.
        let answer = store.db.write_blocking(move |tx| -> circulation::Result<()> {
            check_out(tx, actor, on(TODAY), &rulebook, &what)?;
            Err(circulation::Error::NotFound)
        });
        match answer {
            Err(circulation::Error::NotFound) => Vec::new(),
            other => refused(other),
        }
    };
    let student = Actor::Student(uid);
    let at = |policy| ask(policy, Rules::default(), book, student);
    let free = Policy::default();
    assert!(at(free).is_empty());
    // Limits count after the loan: with two on loan, 3 allows one more and 2 does not; 0 is a number.
    assert!(at(Policy { max_loans: Some(3), ..free }).is_empty());
    assert_eq!(at(Policy { max_loans: Some(2), ..free }), ["limit.person"]);
    assert_eq!(at(Policy { max_loans: Some(0), ..free }), ["limit.person"]);
    // 13 days at ₹5 are owed by now; a debt equal to the limit is allowed.
    assert!(at(Policy { block_owing_over: Some(Money::main(65)), ..free }).is_empty());
    assert_eq!(at(Policy { block_owing_over: Some(Money::main(64)), ..free }), ["money.owes"]);
    assert!(at(Policy { block_overdue: Some(2), ..free }).is_empty());
    assert_eq!(at(Policy { block_overdue: Some(1), ..free }), ["loans.overdue"]);
    assert_eq!(at(Policy { one_copy_per_title: true, ..free }), ["title.same"]);
    let all = Policy {
        max_loans: Some(1),
        block_owing_over: Some(Money::ZERO),
        block_overdue: Some(1),
        one_copy_per_title: true,
        ..free
    };
    assert_eq!(at(all), ["limit.person", "money.owes", "loans.overdue", "title.same"]);
    let closed = Rules { self_borrow: false, ..Rules::default() };
    assert_eq!(ask(free, closed.clone(), book, student), ["self.borrow"]);
    assert!(ask(free, closed, book, DESK).is_empty(), "the desk lends");
    let empty = title(store, "empty", 1);
    lend(store, uid, empty, TODAY);
    let one = Policy { max_loans: Some(1), ..free };
    assert_eq!(ask(one, Rules::default(), empty, student), ["copy.none", "limit.person"]);
    sound(store);
}

fn a_librarian_overrides_what_can_be_overridden_with_a_reason(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 2));
    lend(store, uid, book, TODAY);
    let ask = |actor: Actor, blocks: &[&str]| {
        let rulebook = rulebook(
            Rules::default(),
            Policy { max_loans: Some(1), one_copy_per_title: true, ..Policy::default() },
        );
        let overriding = Some(Override {
            blocks: blocks.iter().map(|id| (*id).to_owned()).collect(),
            reason: "needs both for the exam".into(),
            cancel_hold: false,
        });
        let what = CheckOut { reader: uid, copy: CopyToLend::AnyOf(book), overriding };
        act(store, move |tx| check_out(tx, actor, on(TODAY), &rulebook, &what))
    };
    let both = ["limit.person", "title.same"];
    assert_eq!(refused(ask(DESK, &["limit.person"])), both, "each must be named");
    assert_eq!(refused(ask(Actor::Student(uid), &both)), both, "students override nothing");
    assert!(ask(DESK, &both).is_ok());
    let kept = store.database.raw("SELECT change FROM events ORDER BY id DESC LIMIT 1").expect("readable");
    let kept = kept[0][0].clone().unwrap_or_default();
    assert!(
        kept.contains(r#""blocks":["limit.person","title.same"],"reason":"needs both for the exam""#),
        "{kept}"
    );
    assert_eq!(refused(ask(DESK, &["copy.none", "limit.person", "title.same"]))[0], "copy.none");
    sound(store);
}

/// Creates a copy of a new title in this state.
fn copy_in(store: &Store, state: State, reader: UserId) -> (BookId, CopyId) {
    let book = title(store, "t", 1);
    let copy = store.read(move |tx| copies::of_book(tx, book, CopyId(0), 1))[0].id;
    match state {
        State::OnShelf => {}
        State::OnLoan => {
            lend(store, reader, book, TODAY);
        }
        other => {
            store.write(move |tx| {
                library::storage::books::take_copy(tx, book)?;
                copies::set_condition(tx, copy, Condition::parse(other.as_str()).expect("stored"))
            });
        }
    }
    assert_eq!(state_of(store, copy), state);
    (book, copy)
}

/// Every state of a copy without a hold; those with holds are in `holds.rs`.
fn states() -> impl Iterator<Item = State> {
    State::ALL.iter().copied().filter(|state| *state != State::OnHoldShelf)
}

fn a_copy_in_hand_is_lent_as_its_state_allows_r_copy_2(store: &Store) {
    let uid = store.student(1).uid;
    for state in states() {
        let (book, copy) = copy_in(store, state, uid);
        let ask = |overriding: Option<Override>| {
            let what = CheckOut { reader: uid, copy: CopyToLend::This(copy), overriding };
            act(store, move |tx| check_out(tx, DESK, on(TODAY), &plain(), &what))
        };
        let blocks = match state.lending() {
            Lending::Yes => Vec::new(),
            _ => refused(ask(None)),
        };
        assert_eq!(blocks.len(), usize::from(state.lending() != Lending::Yes), "{state:?}");
        let overriding = Some(Override {
            blocks: blocks.iter().map(|id| (*id).to_owned()).collect(),
            reason: "in hand".into(),
            cancel_hold: false,
        });
        let lent = ask(overriding);
        assert_eq!(lent.is_ok(), state.lending() != Lending::Never, "{state:?}");
        if let Ok(Done { loan, .. }) = lent {
            assert_eq!((state_of(store, copy), on_the_shelf(store, book)), (State::OnLoan, 0), "{state:?}");
            give_back(store, loan.id, Condition::OnShelf, TODAY);
            let back = if state == State::Reference { State::Reference } else { State::OnShelf };
            assert_eq!(state_of(store, copy), back, "{state:?}");
        }
        sound(store);
    }
}

fn a_copy_moves_as_the_table_says_and_never_otherwise_r_copy_2(store: &Store) {
    let uid = store.student(1).uid;
    for state in states() {
        for to in Condition::ALL.iter().copied() {
            let (book, copy) = copy_in(store, state, uid);
            let moved =
                act(store, move |tx| stock::move_copy(tx, DESK, on(TODAY), &plain(), copy, to, "found"));
            let allowed = state == to.state() || state.moves().contains(&to);
            match moved {
                Ok(now) => assert!(allowed && now.state == to.state(), "{state:?} to {to:?}"),
                Err(circulation::Error::Obstacle(Obstacle::TransitionNotAllowed { from, .. })) => {
                    assert!(!allowed && from == state, "{state:?} to {to:?}");
                    assert_eq!(state_of(store, copy), state);
                }
                Err(other) => panic!("{other:?}"),
            }
            let shelf = i64::from(state_of(store, copy) == State::OnShelf);
            assert_eq!(on_the_shelf(store, book), shelf, "{state:?} to {to:?}");
        }
    }
    sound(store);
}

fn new_copies_get_the_next_free_accession_numbers_r_copy_3(store: &Store) {
    let book = title(store, "t", 2);
    let add = |barcodes: Barcodes| {
        act(store, move |tx| stock::add_copies(tx, DESK, on(TODAY), &plain(), book, &barcodes))
    };
    let names = |added: circulation::Result<Vec<library::domain::change::AddedCopy>>| -> Vec<String> {
        added.expect("free").into_iter().map(|copy| copy.barcode).collect()
    };
    assert_eq!(names(add(Barcodes::Given(vec!["l000003".into(), "Old 17".into()]))), ["l000003", "Old 17"]);
    let roll = NewAccount { roll_number: Some("l000005".into()), ..student(7) };
    store.write(move |tx| accounts::add(tx, &roll, 1)).expect("nothing is taken");
    assert_eq!(
        names(add(Barcodes::Next(3))),
        ["L000004", "L000006", "L000007"],
        "taken ones are passed over"
    );
    for taken in ["OLD 17", "L000003", "L000005"] {
        let refused = add(Barcodes::Given(vec!["free".into(), taken.into()]));
        let told = match &refused {
            Err(circulation::Error::Obstacle(Obstacle::BarcodeTaken(barcode))) => barcode.as_str(),
            other => panic!("{taken}: {other:?}"),
        };
        assert_eq!(told, taken, "and the free one before it is not stored");
    }
    sound(store);
}

fn a_smaller_number_withdraws_copies_that_were_never_lent_first_r_copy_3(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 4));
    let loan = lend(store, uid, book, TODAY);
    give_back(store, loan.id, Condition::OnShelf, TODAY);
    let out = lend(store, uid, book, TODAY);
    store.write(move |tx| {
        // As stored by an edit of the form: three on the shelf become one.
        library::storage::books::take_copy(tx, book)?;
        library::storage::books::take_copy(tx, book)?;
        stock::adjust_copies_to_count(tx, DESK, on(TODAY), &plain(), book, -2)
            .map_err(circulation::Error::into_storage)
    });
    let all = store.read(move |tx| copies::of_book(tx, book, CopyId(0), 9));
    let states: Vec<State> = all.iter().map(|copy| copy.state).collect();
    assert_eq!(all.iter().find(|copy| copy.id == out.copy_id).map(|copy| copy.state), Some(State::OnLoan));
    assert_eq!(states.iter().filter(|state| **state == State::Withdrawn).count(), 2);
    let kept = all.iter().find(|copy| copy.state == State::OnShelf).expect("one is left");
    assert_eq!(kept.id, loan.copy_id, "the one that was lent before stays");
    sound(store);
}

fn a_contradiction_of_the_ledger_is_found_and_named(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "t", 2));
    let loan = lend(store, uid, book, TODAY).id;
    sound(store);
    store.database.raw("UPDATE books SET no_of_books = 2").expect("writable");
    store.database.raw("UPDATE copies SET condition = 'lost' WHERE id = 1").expect("writable");
    let told = store.read(|tx| copies::contradictions(tx, 10));
    assert_eq!(
        told,
        [
            format!("title {book}: the catalogue says 2 on the shelf, its copies say 1"),
            format!("loan {loan} is open, and its copy is lost"),
        ]
    );
    store.database.raw("UPDATE balances SET open_loans = 2").expect("writable");
    assert_eq!(
        store.read(ledger::contradictions),
        [format!("account {uid}: 2 open loans are counted, there are 1")]
    );
}

/// Stores an open loan of its own copy with these days.
fn open_loan(tx: &mut Tx<'_>, user: UserId, entry: Date, due: Date) -> library::storage::Result<LoanId> {
    let barcode = format!("X{}", copies::count(tx)?);
    let copy_id = copies::add(tx, BookId(1), &barcode, None)?.expect("a free barcode");
    let loan = OpenLoan { barcode, ..crate::loan::loan(user, BookId(1), copy_id, "t", entry, due) };
    loans::begin(tx, &loan, 0)
}

fn the_counts_above_the_librarians_list_are_of_its_search_on_all_days_r_fine_2(store: &Store) {
    let [one, other] = [1, 2].map(|n| store.student(n).uid);
    let day = |day| date(2026, 11, day);
    store.write(move |tx| {
        for (reader, due) in [(one, 3), (one, 3), (one, 9), (other, 9), (other, 28)] {
            open_loan(tx, reader, date(2026, 10, 1), date(2026, 11, due))?;
        }
        Ok(())
    });
    let counted = |query: &str| {
        let list = Listing { due: (day(1), day(5)), ..Listing::of(query) };
        let found = store.read(move |tx| loans::open_page(tx, &list, None, 100));
        (found.total, found.page.rows.len(), found.by_due)
    };
    assert_eq!(counted(""), (2, 2, vec![(day(3), 2), (day(9), 2), (day(28), 1)]));
    assert_eq!(counted("student 1"), (2, 2, vec![(day(3), 2), (day(9), 1)]));
    assert_eq!(counted("student 2"), (0, 0, vec![(day(9), 1), (day(28), 1)]));
    assert_eq!(counted("nothing like it"), (0, 0, Vec::new()));
}

fn the_librarians_list_is_paged_both_ways_without_gaps_r_fine_1(store: &Store) {
    let uid = store.student(1).uid;
    // Days out of order, and several loans on one day.
    let days = [9, 3, 3, 3, 28, 1, 9, 14, 3, 1];
    store.write(move |tx| {
        for day in days {
            open_loan(tx, uid, date(2026, 10, 1), date(2026, 11, day))?;
        }
        Ok(())
    });
    let all = store.read(|tx| loans::open_page(tx, &Listing::of(""), None, 100)).page.rows;
    let keys: Vec<(Date, i64)> = all.iter().map(|row| (row.loan.return_date, row.loan.id.0)).collect();
    assert!(keys.is_sorted() && keys.len() == days.len(), "{keys:?}");
    assert_eq!(
        (all[0].user_name.as_str(), all[0].roll_number.as_str(), all[0].batch.as_str()),
        ("Student 1", "cs25-001", "2027")
    );

    for query in ["", "student"] {
        let page = |position, limit| {
            store.read(move |tx| loans::open_page(tx, &Listing::of(query), position, limit)).page
        };
        for limit in 1..=4_i64 {
            let mut pages = vec![page(None, limit)];
            while let Some(next) = pages.last().and_then(|page| page.next.clone()) {
                pages.push(page(Some(next), limit));
            }
            let walked: Vec<_> = pages.iter().flat_map(|page| page.rows.clone()).collect();
            assert_eq!(walked, all, "forwards by {limit}");
            for pair in pages.windows(2).rev() {
                let back = page(pair[1].previous.clone(), limit);
                assert_eq!(back.rows, pair[0].rows, "backwards by {limit}");
                assert_eq!(back.previous.is_none(), pair[0].previous.is_none(), "backwards by {limit}");
            }
        }
        let (before_all, after_all) =
            (Position::Before("2026-10-01".to_owned(), 0), Position::After("2027-01-01".to_owned(), 0));
        assert_eq!(page(Some(before_all), 9).rows, []);
        assert_eq!(page(Some(after_all), 9).rows, []);
    }
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
        open_loan(tx, user.uid, TODAY, TODAY)
    });
}

fn found(store: &Store, query: &'static str) -> Vec<String> {
    let found = store.read(move |tx| loans::open_page(tx, &Listing::of(query), None, 100));
    assert_eq!(i64::try_from(found.page.rows.len()), Ok(found.total), "the count is the list's");
    found.page.rows.into_iter().map(|row| row.user_name).collect()
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

fn titles_and_barcodes_are_searched_and_loans_sorted_by_name_and_batch_r_fine_2(store: &Store) {
    borrower(store, 1, "Ravi Das", "cs25-001", "2026");
    borrower(store, 2, "Asha Rao", "cs25-002", "2026");
    borrower(store, 3, "Uma Das", "cs25-003", "2025");
    let first =
        store.read(|tx| loans::open_page(tx, &Listing::of("ravi"), None, 1)).page.rows[0].loan.clone();
    let barcode: &'static str = first.barcode.to_uppercase().leak();
    assert_eq!(found(store, barcode), ["Ravi Das"]);
    assert!(found(store, first.title.to_lowercase().leak()).contains(&"Ravi Das".to_owned()));
    let sorted = |order| {
        let mut names = Vec::new();
        let mut position = None;
        loop {
            let list = Listing { order, ..Listing::of("") };
            let found = store.read(move |tx| loans::open_page(tx, &list, position, 1));
            names.extend(found.page.rows.into_iter().map(|row| row.user_name));
            position = found.page.next;
            if position.is_none() {
                return names;
            }
        }
    };
    assert_eq!(sorted(Order::Name), ["Asha Rao", "Ravi Das", "Uma Das"]);
    assert_eq!(sorted(Order::Batch), ["Uma Das", "Asha Rao", "Ravi Das"]);
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

fn nothing_is_locked_where_no_open_loan_is(store: &Store) {
    for id in [0, -1, 1, i64::MAX, i64::MIN].map(LoanId) {
        assert!(store.write(move |tx| loans::lock_open(tx, id)).is_none());
    }
}
