//! Open loans, overdue loans and dues of people.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::{
    domain::{
        fine,
        id::UserId,
        loan::Loan,
        person::{Person, Standing},
        rulebook::Rulebook,
        rules::STUDENT,
    },
    money::Money,
    storage::{
        Result, Tx, ledger, loans,
        people::{self, OpenLoanFacts, Record},
        photos,
    },
};

/// Returns the standings of these people; people without loans and balance are left out.
pub fn of(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    people: &[UserId],
) -> Result<HashMap<UserId, Standing>> {
    let out = people::open_loans_of(tx, people)?;
    Ok(counted(&out, ledger::balances_of(tx, people)?, rulebook, today))
}

/// A field of [`Standing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    OpenLoans,
    OverdueLoans,
    Owes,
}

/// Returns one amount for each person, ordered by id; zeros are left out.
pub fn of_all(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    amount: Amount,
) -> Result<Vec<(UserId, i64)>> {
    match amount {
        Amount::OpenLoans => loans::counts(tx),
        Amount::OverdueLoans => {
            let overdue = loans::overdue(tx, today, false)?;
            Ok(summed(overdue.into_iter().map(|loan| (loan.user, 1)).collect()))
        }
        Amount::Owes => owed_by_all(tx, rulebook, today),
    }
}

fn owed_by_all(tx: &mut Tx<'_>, rulebook: &Rulebook, today: Date) -> Result<Vec<(UserId, i64)>> {
    let others = people::of_other_categories(tx)?;
    let mut fines = Fines::new(rulebook, today);
    let mut owes: Vec<(UserId, i64)> =
        ledger::balances(tx)?.into_iter().map(|(user, balance)| (user, balance.0)).collect();
    let overdue = loans::overdue(tx, today, rulebook.history.need_prices())?;
    owes.extend(overdue.into_iter().map(|loan| {
        let other = others.binary_search_by_key(&loan.user, |(uid, _)| *uid);
        (loan.user, fines.of(other.map_or(STUDENT, |at| &others[at].1), loan.due, loan.price).0)
    }));
    Ok(summed(owes))
}

/// Adds up the amounts of each person, ordered by id; sums of zero are left out.
fn summed(mut amounts: Vec<(UserId, i64)>) -> Vec<(UserId, i64)> {
    amounts.sort_unstable_by_key(|(user, _)| *user);
    amounts.dedup_by(|(user, amount), (previous, sum)| {
        let is_same = user == previous;
        *sum += if is_same { *amount } else { 0 };
        is_same
    });
    amounts.retain(|(_, sum)| *sum != 0);
    amounts
}

/// Cache of today's fines of open loans. They depend only on category, due date and price of the copy.
struct Fines<'a> {
    rulebook: &'a Rulebook,
    today: Date,
    known: HashMap<(&'a str, Date, Option<Money>), Money>,
}

impl<'a> Fines<'a> {
    fn new(rulebook: &'a Rulebook, today: Date) -> Self {
        Self { rulebook, today, known: HashMap::new() }
    }

    fn of(&mut self, category: &'a str, due: Date, price: Option<Money>) -> Money {
        let history = &self.rulebook.history;
        let price = price.filter(|_| history.need_prices());
        *self.known.entry((category, due, price)).or_insert_with(|| {
            fine::amount(due, self.today, history, (category, price), &self.rulebook.calendar)
        })
    }
}

fn counted(
    out: &[OpenLoanFacts],
    balances: Vec<(UserId, Money)>,
    rulebook: &Rulebook,
    today: Date,
) -> HashMap<UserId, Standing> {
    let mut standings: HashMap<UserId, Standing> = HashMap::new();
    for (person, balance) in balances {
        standings.entry(person).or_default().owes += balance;
    }
    let mut fines = Fines::new(rulebook, today);
    for loan in out {
        let standing = standings.entry(loan.user).or_default();
        standing.open_loans += 1;
        if loan.due < today {
            standing.overdue_loans += 1;
            standing.owes += fines.of(&loan.category, loan.due, loan.price);
        }
    }
    standings
}

/// Standing of a person with these loans and this account balance.
#[must_use]
pub fn of_loans(loans: &[Loan], balance: Money) -> Standing {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let running: Money = loans.iter().map(|loan| loan.fine).sum();
    Standing {
        open_loans: count(loans.len()),
        overdue_loans: count(loans.iter().filter(|loan| loan.overdue_days > 0).count()),
        owes: running + balance,
    }
}

/// Joins a person's record, standing, and the version of the photo.
#[must_use]
pub fn person(record: Record, standing: Standing, photo: Option<String>) -> Person {
    Person {
        uid: record.uid,
        details: record.details,
        role: record.role,
        capabilities: record.capabilities,
        active: record.active,
        can_sign_in: record.active && record.has_password,
        second_factor: record.second_factor,
        open_loans: standing.open_loans,
        overdue_loans: standing.overdue_loans,
        owes: standing.owes,
        photo,
        created_at: record.created_at,
    }
}

/// Joins records with their standings and photos, in the same order.
pub fn people(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    records: Vec<Record>,
) -> Result<Vec<Person>> {
    let uids: Vec<UserId> = records.iter().map(|record| record.uid).collect();
    let standings = of(tx, rulebook, today, &uids)?;
    let standing = |uid| standings.get(&uid).copied().unwrap_or_default();
    let mut photos = photos::versions(tx, &uids)?;
    Ok(records
        .into_iter()
        .map(|record| {
            let (of, photo) = (standing(record.uid), photos.remove(&record.uid));
            person(record, of, photo)
        })
        .collect())
}
