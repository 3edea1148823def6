//! Money on both databases: accounts, payments, waivers and receipts, and then the ledger law of money.

use jiff::civil::date;
use library::{
    circulation::{
        self,
        money::{self, NewCharge, Payment},
    },
    domain::{
        copy::Condition,
        id::{LineId, UserId},
        ledger::{ChargeKind, Method, Settled},
    },
    money::Money,
    storage::{Error, ledger},
};

use crate::{
    Store,
    circulation::{DESK, TODAY, act, give_back, lend, on, plain, sound, title},
};

on_both_databases!(
    a_loan_that_ends_with_a_fine_writes_a_charge_r_money_1,
    a_payment_settles_the_oldest_charge_first_or_those_named_r_money_2,
    more_than_is_owed_is_refused_and_nothing_is_written_r_money_3,
    a_waiver_never_exceeds_what_is_open_r_money_2,
    no_caller_settles_more_of_a_charge_than_is_open_r_money_2,
    no_caller_settles_a_charge_by_a_line_of_another_person_r_money_2,
    the_doctor_names_a_settlement_of_two_people_and_a_balance_of_a_removed_person,
    receipts_have_no_gap_although_many_pay_at_once_and_some_are_refused_r_money_3,
    each_financial_year_begins_with_number_one_r_money_3,
    a_line_of_an_account_is_never_changed_law_5,
);

fn charge(store: &Store, person: UserId, rupees: i64) -> LineId {
    let charged = act(store, move |tx| {
        let new = NewCharge {
            person,
            of: ChargeKind::Other,
            amount: Money::main(rupees),
            reason: "Lost card",
            explain: &[],
            loan: None,
        };
        money::charge(tx, DESK, on(TODAY), &new)
    });
    charged.expect("charged").0.id
}

fn pay(store: &Store, person: UserId, rupees: i64, charges: Vec<LineId>) -> circulation::Result<String> {
    act(store, move |tx| {
        let amount = Money::main(rupees);
        let what = Payment { person, amount, method: Method::Cash, reference: "", charges: &charges };
        money::pay(tx, DESK, on(TODAY), &plain(), &what).map(|paid| paid.receipt.number)
    })
}

fn waive(store: &Store, charge: LineId, rupees: Option<i64>) -> circulation::Result<Money> {
    act(store, move |tx| {
        money::waive(tx, DESK, on(TODAY), charge, rupees.map(Money::main), "first time")
            .map(|done| done.0.open)
    })
}

fn open(store: &Store, person: UserId) -> Vec<(LineId, i64)> {
    let charges = store.read(move |tx| ledger::open_charges(tx, person));
    charges.into_iter().map(|charge| (charge.id, charge.open.0 / 100)).collect()
}

fn balance(store: &Store, person: UserId) -> i64 {
    store.read(move |tx| ledger::balance(tx, person)).0 / 100
}

/// Returns the invalid field.
fn wrong<T>(result: circulation::Result<T>) -> String {
    match result {
        Err(circulation::Error::Invalid(invalid)) => invalid.0[0].field.to_string(),
        Err(error) => panic!("{error:?}"),
        Ok(_) => String::new(),
    }
}

fn a_loan_that_ends_with_a_fine_writes_a_charge_r_money_1(store: &Store) {
    let (uid, book) = (store.student(1).uid, title(store, "Godaan", 2));
    let late = lend(store, uid, book, TODAY);
    let in_time = lend(store, uid, book, TODAY);
    assert_eq!(give_back(store, in_time.id, Condition::OnShelf, TODAY).charge, None);
    assert_eq!(balance(store, uid), 0, "what runs up is no charge yet");
    let back = give_back(store, late.id, Condition::OnShelf, date(2026, 12, 1));
    let charge = back.charge.expect("charged");
    assert_eq!(
        (charge.open, charge.reason.as_str(), charge.loan_id),
        (Money::main(15), "Godaan", Some(late.id))
    );
    assert_eq!((balance(store, uid), open(store, uid)), (15, vec![(charge.id, 15)]));
    sound(store);
}

fn a_payment_settles_the_oldest_charge_first_or_those_named_r_money_2(store: &Store) {
    let uid = store.student(1).uid;
    let (first, second, third) = (charge(store, uid, 15), charge(store, uid, 10), charge(store, uid, 7));
    // Worked example 14: 15 and 10 are charged, 20 is paid.
    let number = pay(store, uid, 20, Vec::new()).expect("paid");
    assert_eq!(open(store, uid), [(second, 5), (third, 7)]);
    let receipt = store.read(move |tx| ledger::receipt(tx, &number)).expect("kept");
    let items: Vec<Money> = receipt.items.iter().map(|item| item.amount).collect();
    assert_eq!((receipt.amount, items), (Money::main(20), vec![Money::main(15), Money::main(5)]));
    assert_eq!((receipt.balance, receipt.reversed), (Money::main(12), false));
    pay(store, uid, 7, vec![third]).expect("paid");
    assert_eq!(open(store, uid), [(second, 5)]);
    assert_eq!(wrong(pay(store, uid, 1, vec![first])), "charges", "it is settled");
    sound(store);
}

fn no_caller_settles_more_of_a_charge_than_is_open_r_money_2(store: &Store) {
    let uid = store.student(1).uid;
    let id = charge(store, uid, 10);
    let settle = |rupees| {
        store.db.write_blocking(move |tx| {
            ledger::lock(tx, uid)?;
            ledger::settle(tx, id, &Settled { charge: id, amount: Money::main(rupees) })
        })
    };
    assert!(matches!(settle(11), Err(Error::Inconsistent(_))), "more than the charge");
    assert!(matches!(settle(-1), Err(Error::Inconsistent(_))), "less than nothing");
    settle(7).expect("part of it");
    assert!(matches!(settle(4), Err(Error::Inconsistent(_))), "more than is left");
    settle(-7).expect("taken back");
    assert_eq!(open(store, uid), [(id, 10)]);
    // A payment that names one charge twice fails completely.
    assert!(pay(store, uid, 20, vec![id, id]).is_err());
    assert_eq!((balance(store, uid), open(store, uid)), (10, vec![(id, 10)]));
    assert_eq!(pay(store, uid, 10, vec![id]).expect("paid"), "2026-27/000001", "no number was used up");
    sound(store);
}

fn more_than_is_owed_is_refused_and_nothing_is_written_r_money_3(store: &Store) {
    let (uid, other) = (store.student(1).uid, store.student(2).uid);
    let (own, foreign) = (charge(store, uid, 15), charge(store, other, 15));
    assert_eq!(wrong(pay(store, uid, 16, Vec::new())), "amount");
    assert_eq!(wrong(pay(store, uid, 16, vec![own])), "amount");
    assert_eq!(wrong(pay(store, uid, 5, vec![foreign])), "charges");
    assert_eq!((balance(store, uid), balance(store, other)), (15, 15));
    assert_eq!(pay(store, uid, 15, Vec::new()).expect("paid"), "2026-27/000001");
    assert_eq!(wrong(pay(store, uid, 1, Vec::new())), "amount", "nothing is owed");
    sound(store);
}

fn a_waiver_never_exceeds_what_is_open_r_money_2(store: &Store) {
    // Account 1 is the librarian's, who may not waive on it.
    let (_, uid) = (store.student(1).uid, store.student(2).uid);
    let id = charge(store, uid, 15);
    pay(store, uid, 5, Vec::new()).expect("paid");
    assert_eq!(wrong(waive(store, id, Some(11))), "amount");
    assert_eq!(waive(store, id, Some(4)).expect("waived"), Money::main(6));
    assert_eq!(waive(store, id, None).expect("waived"), Money::ZERO);
    // A paid charge cannot be waived: the cash would vanish from the books.
    assert_eq!(wrong(waive(store, id, None)), "amount");
    assert_eq!(balance(store, uid), 0);
    sound(store);
}

fn no_caller_settles_a_charge_by_a_line_of_another_person_r_money_2(store: &Store) {
    let (asha, bala) = (store.student(1).uid, store.student(2).uid);
    let (hers, his) = (charge(store, asha, 10), charge(store, bala, 10));
    let settled = store.db.write_blocking(move |tx| {
        ledger::lock(tx, asha)?;
        ledger::lock(tx, bala)?;
        ledger::settle(tx, his, &Settled { charge: hers, amount: Money::main(1) })
    });
    assert!(matches!(settled, Err(Error::Inconsistent(_))), "{settled:?}");
    assert_eq!((open(store, asha), open(store, bala)), (vec![(hers, 10)], vec![(his, 10)]));
    sound(store);
}

fn the_doctor_names_a_settlement_of_two_people_and_a_balance_of_a_removed_person(store: &Store) {
    let people = [1, 2, 3, 4].map(|number| store.student(number).uid);
    let [asha, bala, merged, erased] = people;
    let charges = people.map(|person| charge(store, person, 10));
    let [hers, his, ..] = charges;
    // A merge moves every line, and an erasure waits until nothing is owed.
    for wrong in [
        format!("INSERT INTO settlements (charge_id, line_id, amount) VALUES ({hers}, {his}, 100)"),
        format!("UPDATE users SET gone_at = 1, active = FALSE, merged_into = {asha} WHERE id = {merged}"),
        format!("UPDATE users SET gone_at = 1, active = FALSE, name = '' WHERE id = {erased}"),
    ] {
        store.database.raw(&wrong).expect("planted");
    }
    assert_eq!(
        store.read(ledger::contradictions),
        [
            format!("charge {hers} of account {asha} is settled by line {his} of account {bala}"),
            format!("account {merged} of a removed person: the balance is 1000"),
            format!("account {erased} of a removed person: the balance is 1000"),
        ]
    );
}

fn receipts_have_no_gap_although_many_pay_at_once_and_some_are_refused_r_money_3(store: &Store) {
    let people: Vec<UserId> = (1..=8).map(|n| store.student(n).uid).collect();
    for person in &people {
        charge(store, *person, 12);
    }
    let mut numbers: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = people
            .iter()
            .map(|person| {
                // Three times 5 of 12: the third is refused, and its receipt number is reused.
                scope.spawn(move || {
                    (0..3).filter_map(|_| pay(store, *person, 5, Vec::new()).ok()).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    numbers.sort();
    let expected: Vec<String> = (1..=16).map(|n| format!("2026-27/{n:06}")).collect();
    assert_eq!(numbers, expected);
    sound(store);
}

fn each_financial_year_begins_with_number_one_r_money_3(store: &Store) {
    let uid = store.student(1).uid;
    charge(store, uid, 100);
    let paid_on = |day| {
        act(store, move |tx| {
            let what = Payment {
                person: uid,
                amount: Money::main(1),
                method: Method::Upi,
                reference: "T-1",
                charges: &[],
            };
            money::pay(tx, DESK, on(day), &plain(), &what).map(|paid| paid.receipt.number)
        })
        .expect("paid")
    };
    assert_eq!(paid_on(date(2027, 3, 31)), "2026-27/000001");
    assert_eq!(paid_on(date(2027, 4, 1)), "2027-28/000001");
    for n in 2..=11 {
        // Beyond the number at which text would sort 10 before 9.
        assert_eq!(paid_on(date(2027, 4, 2)), format!("2027-28/{n:06}"));
    }
}

fn a_line_of_an_account_is_never_changed_law_5(store: &Store) {
    let uid = store.student(1).uid;
    charge(store, uid, 15);
    pay(store, uid, 5, Vec::new()).expect("paid");
    for statement in [
        "UPDATE account_lines SET amount = 1",
        "DELETE FROM account_lines",
        "UPDATE settlements SET amount = 1",
        "DELETE FROM settlements",
    ] {
        assert!(store.database.raw(statement).is_err(), "{statement}");
    }
    sound(store);
}
