//! What people have out and owe, counted as everywhere else.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::{
    domain::{
        fine,
        id::UserId,
        loan::Loan,
        money::Money,
        person::{Person, Standing},
        rulebook::Rulebook,
    },
    storage::{
        Result, Tx, ledger,
        people::{self, Out, Record},
    },
};

/// What each of these people has out; whoever has nothing is left out.
pub fn of(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    people: &[UserId],
) -> Result<HashMap<UserId, Standing>> {
    let out = people::out_of(tx, people)?;
    Ok(counted(out, ledger::balances_of(tx, people)?, rulebook, today))
}

/// [`of`] everybody.
pub fn of_all(tx: &mut Tx<'_>, rulebook: &Rulebook, today: Date) -> Result<HashMap<UserId, Standing>> {
    let out = people::out_of_all(tx)?;
    Ok(counted(out, ledger::balances(tx)?, rulebook, today))
}

fn counted(
    out: Vec<Out>,
    balances: Vec<(UserId, Money)>,
    rulebook: &Rulebook,
    today: Date,
) -> HashMap<UserId, Standing> {
    let mut standings: HashMap<UserId, Standing> = HashMap::new();
    for (person, balance) in balances {
        standings.entry(person).or_default().owes += balance;
    }
    // Loans due on the same day cost the same in a category.
    let mut fines: HashMap<(String, Date), Money> = HashMap::new();
    for loan in out {
        let standing = standings.entry(loan.user).or_default();
        standing.open_loans += 1;
        if loan.due < today {
            standing.overdue_loans += 1;
            standing.owes += *fines.entry((loan.category, loan.due)).or_insert_with_key(|(category, due)| {
                fine::amount(*due, today, &rulebook.history, category, &rulebook.calendar)
            });
        }
    }
    standings
}

/// What somebody who has these loans has out and owes.
pub fn of_loans(tx: &mut Tx<'_>, person: UserId, loans: &[Loan]) -> Result<Standing> {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let running: Money = loans.iter().map(|loan| loan.fine).sum();
    Ok(Standing {
        open_loans: count(loans.len()),
        overdue_loans: count(loans.iter().filter(|loan| loan.overdue_days > 0).count()),
        owes: running + ledger::balance(tx, person)?,
    })
}

/// The person with what is out.
#[must_use]
pub fn person(record: Record, standing: Standing) -> Person {
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
        created_at: record.created_at,
    }
}

/// People with what each has out, in their order.
pub fn people(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    records: Vec<Record>,
) -> Result<Vec<Person>> {
    let uids: Vec<UserId> = records.iter().map(|record| record.uid).collect();
    let standings = of(tx, rulebook, today, &uids)?;
    let standing = |uid| standings.get(&uid).copied().unwrap_or_default();
    Ok(records
        .into_iter()
        .map(|record| {
            let of = standing(record.uid);
            person(record, of)
        })
        .collect())
}
