//! The law of the ledger over many sequences (R5, docs/reliability.md): after any sequence of actions, while the clock moves
//! and commits fail, every copy ever added is somewhere, and every rupee is on an account.
//!
//! `model.rs` compares every answer with a model. Here answers are only counted, and the rows are summed by the test's own
//! statements, so that a sequence costs a tenth.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use jiff::{Span, Timestamp, civil::Date, tz::TimeZone};
use library::{domain::copy::Condition, storage::Location};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    app::{NOW, Person, TestApp, form},
    seeded::{Chance, Template, answer, each, now, seeds, write},
};

const STUDENTS: usize = 3;
const STEPS: usize = 50;

/// Makes a statement of the next change fail (1), or its COMMIT (2).
const SABOTAGE: [&str; 5] = [
    "CREATE TABLE sabotage (armed INTEGER NOT NULL)",
    "INSERT INTO sabotage VALUES (0)",
    "CREATE TABLE sabotaged (nobody INTEGER REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED)",
    "CREATE TRIGGER sabotage_statement AFTER INSERT ON events WHEN (SELECT armed FROM sabotage) = 1
     BEGIN SELECT RAISE(ABORT, 'sabotage'); END",
    "CREATE TRIGGER sabotage_commit AFTER INSERT ON events WHEN (SELECT armed FROM sabotage) = 2
     BEGIN INSERT INTO sabotaged VALUES (-1); END",
];

/// Faults that the rig must detect: a surplus copy at a return, a missing one, money missing from a balance, a payment that
/// settles a charge twice, and a return that leaves the number of open loans as it was.
const PLANTED: [&str; 5] = [
    "CREATE TRIGGER planted AFTER UPDATE OF ended_at ON loans WHEN NEW.ended_at IS NOT NULL
     BEGIN INSERT INTO copies (book_id, barcode, condition) VALUES (NEW.book_id, 'planted', 'on-shelf'); END",
    "CREATE TRIGGER planted AFTER UPDATE OF condition ON copies WHEN NEW.condition = 'in-repair'
     BEGIN UPDATE copies SET condition = 'withdrawn' WHERE id = NEW.id; END",
    "CREATE TRIGGER planted AFTER INSERT ON account_lines WHEN NEW.kind = 'payment'
     BEGIN UPDATE balances SET balance = balance + 1 WHERE person_id = NEW.person_id; END",
    "CREATE TRIGGER planted AFTER INSERT ON settlements WHEN NEW.amount > 0
     BEGIN INSERT INTO settlements (charge_id, line_id, amount) VALUES (NEW.charge_id, NEW.line_id, NEW.amount); END",
    "CREATE TRIGGER planted AFTER UPDATE OF ended_at ON loans WHEN NEW.ended_at IS NOT NULL
     BEGIN UPDATE balances SET open_loans = open_loans + 1 WHERE person_id = NEW.user_id; END",
];

/// A title: copies ever added, and how many of them were written off.
#[derive(Clone, Debug)]
struct Title {
    id: i64,
    exists: bool,
    added: i64,
    written_off: i64,
}

#[derive(Clone, Debug)]
struct Loan {
    title: usize,
    student: usize,
    due: Date,
}

/// A charge that can be waived in parts and reversed, in the smallest unit.
#[derive(Clone, Debug)]
struct Charge {
    student: usize,
    amount: i64,
    waived: i64,
}

/// Totals of what the answers reported.
#[derive(Clone, Debug, Default)]
struct Reported {
    titles: Vec<Title>,
    loans: BTreeMap<i64, Loan>,
    charges: BTreeMap<i64, Charge>,
    owed: [i64; STUDENTS],
}

struct Library<'a> {
    app: &'a TestApp,
    people: Vec<Person<'a>>,
    file: Connection,
    chance: Chance,
    now: Timestamp,
    reported: Reported,
    /// The last undoable change, and the totals before it.
    before: Option<(i64, Reported)>,
    /// Number of writes, which makes their keys unique.
    writes: usize,
}

fn paise(amount: &Value) -> i64 {
    // Only whole rupees are charged here.
    amount.as_i64().expect("rupees") * 100
}

impl Library<'_> {
    fn today(&self) -> Date {
        self.now.to_zoned(TimeZone::get("Asia/Kolkata").expect("a zone")).date()
    }

    fn arm(&self, how: usize) {
        self.file
            .execute("UPDATE sabotage SET armed = ?1", [i64::try_from(how).expect("small")])
            .expect("armed");
    }

    /// Sends a call, and after a failure once more under the same key, so that it has one effect.
    async fn ask(&mut self, by: usize, path: &str, body: Option<Value>) -> Result<(u16, Value), String> {
        self.writes += 1;
        let key = format!("write {}", self.writes);
        let sabotaged = self.chance.once_in(8);
        if sabotaged {
            let how = 1 + self.chance.below(2);
            self.arm(how);
        }
        let mut reported = self.send(by, path, body.as_ref(), &key).await;
        if sabotaged {
            self.arm(0);
            if reported.0 >= 500 {
                self.law()?;
                reported = self.send(by, path, body.as_ref(), &key).await;
            }
        }
        let (status, headers, answered) = reported;
        if status >= 500 {
            return Err(format!("{path}: {status} {answered}"));
        }
        if (200..300).contains(&status) {
            let change = headers.get("Undoable-Change").and_then(|change| change.to_str().ok()?.parse().ok());
            self.before = change.map(|change| (change, self.reported.clone()));
        }
        Ok((status, answered))
    }

    async fn send(&self, by: usize, path: &str, body: Option<&Value>, key: &str) -> (u16, HeaderMap, Value) {
        answer(self.app, write(&self.people[by], path, body, Some(key))).await
    }

    /// Ends a loan; overdue days are charged if the desk ends it.
    fn ended(&mut self, loan: i64) {
        let loan = self.reported.loans.remove(&loan).expect("it was open");
        let late = i64::from(loan.due.until(self.today()).expect("days").get_days()).max(0);
        self.reported.owed[loan.student] += late * 500;
        let title = &mut self.reported.titles[loan.title];
        // The copy of a deleted title does not return to the shelf.
        title.written_off += i64::from(!title.exists);
    }

    async fn step(&mut self) -> Result<(), String> {
        let (student, desk) = (self.chance.below(STUDENTS), STUDENTS);
        let title = self.chance.below(self.reported.titles.len());
        let book = self.reported.titles[title].id;
        let loans: Vec<i64> = self.reported.loans.keys().copied().collect();
        let charges: Vec<i64> = self.reported.charges.keys().copied().collect();
        let person = format!("/people/{}", self.people[student].uid);
        match self.chance.below(24) {
            0..5 => {
                let due = self.today().saturating_add(Span::new().days(7));
                if let (201, lent) = self.ask(student, &format!("/books/{book}/loans"), None).await? {
                    let id = lent["id"].as_i64().expect("an id");
                    self.reported.loans.insert(id, Loan { title, student, due });
                }
            }
            5..11 if !loans.is_empty() => {
                let loan = *self.chance.one(&loans);
                self.end_or_extend(loan).await?;
            }
            11 => {
                let form = json!({ "amount": 10, "kind": "other", "reason": "Lost card" });
                let (status, made) = self.ask(desk, &format!("{person}/charges"), Some(form)).await?;
                if status == 201 {
                    self.charged(&made["charge"], student);
                    self.reported.owed[student] += 1000;
                }
            }
            12 | 13 => self.pay(student).await?,
            14 | 15 if !charges.is_empty() => {
                let charge = *self.chance.one(&charges);
                self.waive_or_reverse(charge).await?;
            }
            16 | 17 => self.move_a_copy(title).await?,
            18 => {
                let form = json!({ "count": 2 });
                if self.ask(desk, &format!("/books/{book}/copies"), Some(form)).await?.0 == 201 {
                    self.reported.titles[title].added += 2;
                    self.before = None;
                }
            }
            19 if self.chance.once_in(8) => {
                self.people[desk].delete(&format!("/books/{book}")).await;
                let lent = self.reported.loans.values().filter(|loan| loan.title == title).count();
                let title = &mut self.reported.titles[title];
                title.exists = false;
                title.written_off = title.added - i64::try_from(lent).expect("few");
                self.before = None;
            }
            19 | 20 => {
                self.ask(student, &format!("/books/{book}/holds"), None).await?;
            }
            21 => {
                if let Some((change, before)) = self.before.take()
                    && self.ask(desk, &format!("/changes/{change}/undo"), None).await?.0 == 200
                {
                    self.reported = before;
                }
            }
            22 => {
                library::jobs::expire_holds(&self.app.state.library, "here")
                    .await
                    .map_err(|error| error.to_string())?;
            }
            _ => {
                let hours = i64::try_from(self.chance.below(130)).expect("small") - 26;
                self.now = self.now.saturating_add(Span::new().hours(hours)).expect("hours are small");
                self.app.clock.set(self.now);
                self.people = sign_in(self.app).await;
            }
        }
        self.law()
    }

    /// Pays all charges, or a list that may contain one twice.
    async fn pay(&mut self, student: usize) -> Result<(), String> {
        let charges = self.reported.charges.iter().filter(|(_, charge)| charge.student == student);
        let charges: Vec<i64> = charges.map(|(id, _)| *id).collect();
        let amount = *self.chance.one(&[5_i64, 10, 20, 300]);
        let mut form = json!({ "amount": amount, "method": "cash" });
        let mut repeats = false;
        if !charges.is_empty() && self.chance.once_in(2) {
            let length = 1 + self.chance.below(3);
            let listed: Vec<i64> = (0..length).map(|_| *self.chance.one(&charges)).collect();
            repeats = listed.iter().enumerate().any(|(place, id)| listed[..place].contains(id));
            form["charges"] = json!(listed);
        }
        let path = format!("/people/{}/payments", self.people[student].uid);
        let (status, answered) = self.ask(STUDENTS, &path, Some(form)).await?;
        if status == 201 {
            self.reported.owed[student] -= amount * 100;
        }
        if repeats && (status != 422 || answered["errors"][0]["field"] != "charges") {
            return Err(format!("a list with a repeat: {status} {answered}"));
        }
        Ok(())
    }

    async fn end_or_extend(&mut self, loan: i64) -> Result<(), String> {
        let by = self.reported.loans[&loan].student;
        match self.chance.below(6) {
            0 => {
                if self.ask(by, &format!("/loans/{loan}/return"), None).await?.0 == 204 {
                    self.ended(loan);
                }
            }
            1 | 2 => {
                let form = json!({ "restock": self.chance.once_in(2) });
                if self.ask(STUDENTS, &format!("/loans/{loan}/return"), Some(form)).await?.0 == 204 {
                    self.ended(loan);
                }
            }
            3 => {
                let form = json!({ "price": 300 });
                let (status, lost) = self.ask(STUDENTS, &format!("/loans/{loan}/lost"), Some(form)).await?;
                if status == 200 {
                    self.ended(loan);
                    self.reported.owed[by] += 30_000;
                    for charge in lost["charges"].as_array().into_iter().flatten() {
                        self.charged(charge, by);
                    }
                }
            }
            _ => {
                if self.ask(STUDENTS, &format!("/loans/{loan}/extend"), None).await?.0 == 200 {
                    let loan = self.reported.loans.get_mut(&loan).expect("it is open");
                    loan.due = loan.due.saturating_add(Span::new().days(7));
                }
            }
        }
        Ok(())
    }

    fn charged(&mut self, charge: &Value, student: usize) {
        let (id, amount) = (charge["id"].as_i64().expect("an id"), paise(&charge["amount"]));
        self.reported.charges.insert(id, Charge { student, amount, waived: 0 });
    }

    async fn waive_or_reverse(&mut self, id: i64) -> Result<(), String> {
        let Charge { student, amount, waived } = self.reported.charges[&id].clone();
        if self.chance.once_in(2) {
            let form = json!({ "amount": 2, "reason": "was ill" });
            if self.ask(STUDENTS, &format!("/charges/{id}/waive"), Some(form)).await?.0 == 200 {
                self.reported.owed[student] -= 200;
                self.reported.charges.get_mut(&id).expect("it is known").waived += 200;
            }
        } else {
            let form = json!({ "reason": "a mistake" });
            if self.ask(STUDENTS, &format!("/charges/{id}/reverse"), Some(form)).await?.0 == 200 {
                self.reported.owed[student] -= amount - waived;
                self.reported.charges.remove(&id);
            }
        }
        Ok(())
    }

    async fn move_a_copy(&mut self, title: usize) -> Result<(), String> {
        let book = self.reported.titles[title].id;
        let copies: Vec<(i64, String)> =
            self.rows("SELECT id, condition FROM copies WHERE book_id = ?1 ORDER BY id", book, |row| {
                Ok((row.get(0)?, row.get(1)?))
            });
        let (id, was) = self.chance.one(&copies).clone();
        let to = self.chance.one(Condition::ALL).as_str();
        let form = json!({ "state": to });
        if self.ask(STUDENTS, &format!("/copies/{id}/move"), Some(form)).await?.0 == 200 {
            let off = |state: &str| i64::from(state == "withdrawn");
            self.reported.titles[title].written_off += off(to) - off(&was);
        }
        Ok(())
    }

    fn rows<T>(
        &self,
        statement: &str,
        of: i64,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Vec<T> {
        let mut prepared = self.file.prepare_cached(statement).expect("a statement");
        let rows = prepared.query_map([of], read).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("readable")
    }

    /// Checks the invariants of every state.
    fn law(&self) -> Result<(), String> {
        let wrong = |what: &str, reported: &dyn std::fmt::Debug, kept: &dyn std::fmt::Debug| {
            if format!("{reported:?}") == format!("{kept:?}") {
                return Ok(());
            }
            Err(format!("{what}: reported {reported:?}, kept {kept:?}"))
        };
        for (number, title) in self.reported.titles.iter().enumerate() {
            let lent = self.reported.loans.values().filter(|loan| loan.title == number).count();
            let kept = self.rows(
                "SELECT COUNT(*),
                        SUM(lent > 0), SUM(lent = 0 AND condition = 'withdrawn'),
                        SUM(lent = 0 AND condition = 'on-shelf'),
                        SUM(lent = 0 AND condition IN ('to-shelve', 'unseen', 'in-repair', 'lost', 'missing', 'reference')),
                        MAX(lent), SUM(lent > 0 AND kept > 0),
                        (SELECT no_of_books FROM books WHERE id = ?1)
                 FROM (SELECT condition,
                              (SELECT COUNT(*) FROM loans WHERE copy_id = c.id AND ended_at IS NULL) AS lent,
                              (SELECT COUNT(*) FROM holds WHERE copy_id = c.id AND state = 'ready') AS kept
                       FROM copies AS c WHERE book_id = ?1)",
                title.id,
                |row| Ok(std::array::from_fn::<Option<i64>, 8, _>(|column| row.get(column).expect("a number"))),
            );
            let [all, on_loan, written_off, shelf, elsewhere, most, both, shown] =
                kept[0].map(|n| n.unwrap_or(-1));
            wrong("copies ever added", &title.added, &all)?;
            wrong("copies on loan", &lent, &on_loan)?;
            wrong("copies written off", &title.written_off, &written_off)?;
            wrong(
                "shelf, loans, written off and elsewhere",
                &all,
                &(shelf + on_loan + written_off + elsewhere),
            )?;
            if most > 1 || both > 0 || (title.exists && shown != shelf) {
                return Err(format!(
                    "{most} loans of a copy, {both} lent and kept, {shown} shown of {shelf}"
                ));
            }
        }
        let open: Vec<i64> =
            self.rows("SELECT id FROM loans WHERE ended_at IS NULL AND id > ?1 ORDER BY id", 0, |row| {
                row.get(0)
            });
        wrong("open loans", &self.reported.loans.keys().copied().collect::<Vec<i64>>(), &open)?;
        for (student, person) in self.people[..STUDENTS].iter().enumerate() {
            let sums = self.rows(
                "SELECT COALESCE((SELECT balance FROM balances WHERE person_id = ?1), 0),
                        COALESCE((SELECT SUM(amount) FROM account_lines WHERE person_id = ?1), 0),
                        COALESCE((SELECT open_loans FROM balances WHERE person_id = ?1), 0)",
                person.uid.0,
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
            );
            let owed = self.reported.owed[student];
            let open = self.reported.loans.values().filter(|loan| loan.student == student).count();
            let open = i64::try_from(open).expect("few");
            wrong("balance, sum of the lines and number of loans", &(owed, owed, open), &sums[0])?;
        }
        let unsound = self.rows(
            "SELECT line.id, line.amount, COALESCE(SUM(part.amount), 0) AS settled
             FROM account_lines AS line LEFT JOIN settlements AS part ON part.charge_id = line.id
             WHERE line.kind = 'charge' AND line.id > ?1 GROUP BY line.id HAVING settled NOT BETWEEN 0 AND line.amount",
            0,
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
        );
        wrong("charges settled beyond their amount", &Vec::<(i64, i64, i64)>::new(), &unsound)?;
        let uneven = self.rows(
            "SELECT line.id FROM account_lines AS line LEFT JOIN settlements AS part ON part.line_id = line.id
             WHERE line.kind = 'payment' AND line.id > ?1 GROUP BY line.id HAVING -line.amount <> COALESCE(SUM(part.amount), 0)",
            0,
            |row| row.get::<_, i64>(0),
        );
        wrong("payments that settle another amount", &Vec::<i64>::new(), &uneven)
    }
}

async fn sign_in(app: &TestApp) -> Vec<Person<'_>> {
    let mut people = Vec::new();
    for student in 0..STUDENTS {
        people.push(app.student(student).await);
    }
    people.push(app.admin(0).await);
    people
}

/// A library with three titles of 1, 2 and 3 copies.
struct Prepared {
    template: Template,
    titles: Vec<Title>,
}

impl Prepared {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let people = sign_in(&app).await;
        let mut titles = Vec::new();
        for added in 1..=3 {
            let made = people[STUDENTS].post("/books", &form(&format!("Title {added}"), added)).await;
            let id = made.expect(201)["id"].as_i64().expect("an id");
            titles.push(Title { id, exists: true, added, written_off: 0 });
        }
        for statement in SABOTAGE {
            app.raw(statement);
        }
        Self { template: Template::of(&app), titles }
    }

    async fn sequence(&self, seed: usize, planted: Option<&'static str>) -> Result<(), String> {
        let app = self.template.library().await;
        if let Some(fault) = planted {
            app.raw(fault);
        }
        let file = match &app.database.location {
            Location::Sqlite(path) => Connection::open(path).expect("it opens"),
            Location::Postgres(_) => unreachable!("it is on SQLite"),
        };
        file.busy_timeout(std::time::Duration::from_secs(5)).expect("set");
        let mut library = Library {
            app: &app,
            people: sign_in(&app).await,
            file,
            chance: Chance::of(seed),
            now: NOW.parse().expect("an instant"),
            reported: Reported { titles: self.titles.clone(), ..Reported::default() },
            before: None,
            writes: 0,
        };
        for step in 0..STEPS {
            library.step().await.map_err(|wrong| format!("step {step}: {wrong}"))?;
        }
        app.state.library.db.close();
        Ok(())
    }
}

#[test]
fn every_copy_and_every_rupee_is_accounted_for_whatever_happens_r5_r_copy_2_r_money_1() {
    let prepared = now(Prepared::new());
    each(seeds(150, 1000), |seed| prepared.sequence(seed, None));
    // Controls.
    for fault in PLANTED {
        let noticed = (0..20).any(|seed| now(prepared.sequence(seed, Some(fault))).is_err());
        assert!(noticed, "the rig does not notice {fault}");
    }
}
