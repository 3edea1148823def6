//! Networks that lose, repeat, delay and cut off (R18, docs/reliability.md). A client without an answer repeats under the key
//! of the first attempt, as the screens do, and everything happens exactly once.

use std::{
    collections::BTreeSet,
    pin::pin,
    task::{Context, Poll},
};

use axum::{body::Body, http::Request};
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    seeded::{Chance, Template, answer, each, now, seeds, write},
};

/// Attempts after which the network works again.
const ATTEMPTS: usize = 6;

/// Delayed copies of requests, and the random behaviour of the network.
struct Network<'a> {
    app: &'a TestApp,
    chance: Chance,
    held: Vec<Request<Body>>,
}

/// A request that can be sent again.
struct Write<'a> {
    person: &'a Person<'a>,
    path: String,
    body: Option<Value>,
    key: Option<String>,
}

impl Write<'_> {
    fn request(&self) -> Request<Body> {
        write(self.person, &self.path, self.body.as_ref(), self.key.as_deref())
    }
}

impl Network<'_> {
    /// Drops a request after this many steps of the server, as if the client had disconnected.
    async fn cut_off(&self, request: Request<Body>, mut steps: usize) {
        let mut asked = pin!(answer(self.app, request));
        std::future::poll_fn(|context: &mut Context<'_>| {
            if steps == 0 {
                return Poll::Ready(());
            }
            steps -= 1;
            asked.as_mut().poll(context).map(|_| ())
        })
        .await;
    }

    /// Sends a write until it is answered; returns status and body.
    async fn insist(&mut self, wanted: &Write<'_>) -> (u16, Value) {
        for _ in 0..ATTEMPTS {
            if !self.held.is_empty() && self.chance.once_in(3) {
                let late = self.held.swap_remove(self.chance.below(self.held.len()));
                answer(self.app, late).await;
            }
            let request = wanted.request();
            match self.chance.below(8) {
                // Lost on its way.
                0 => {}
                // Done, but the answer is lost.
                1 | 2 => drop(answer(self.app, request).await),
                3 | 4 => {
                    let steps = self.chance.below(5);
                    self.cut_off(request, steps).await;
                }
                // Arrives after the client has given up and repeated it.
                5 => self.held.push(request),
                6 => {
                    let (one, other) =
                        tokio::join!(answer(self.app, request), answer(self.app, wanted.request()));
                    let (status, _, body) = if self.chance.once_in(2) { one } else { other };
                    return (status, body);
                }
                _ => break,
            }
        }
        let (status, _, body) = answer(self.app, wanted.request()).await;
        (status, body)
    }
}

/// Counts of loans, returns, renewals, holds, charges, payments and reviews.
type Counts = [i64; 7];

fn counted(app: &TestApp) -> Counts {
    let row = app.raw(
        "SELECT COUNT(*), COUNT(ended_at), SUM(renewals), (SELECT COUNT(*) FROM holds),
                (SELECT COUNT(*) FROM account_lines WHERE kind = 'charge'),
                (SELECT COUNT(*) FROM account_lines WHERE kind = 'payment'), (SELECT COUNT(*) FROM reviews) FROM loans",
    );
    let mut counts = [0; 7];
    for (count, cell) in counts.iter_mut().zip(&row[0]) {
        *count = cell.as_deref().unwrap_or("0").parse().expect("a number");
    }
    counts
}

/// What two students and a desk did over such a network.
struct Tally {
    /// Number of actions of each kind that the clients wanted.
    wanted: Counts,
    done: Counts,
    /// Failed answers; every wanted action is possible.
    refused: Vec<String>,
    /// Number of answers that report something new, and the distinct things.
    new: (usize, BTreeSet<String>),
}

/// A library with two titles of many copies, and two whose only copy is on loan.
struct Prepared {
    template: Template,
    many: [i64; 2],
    rare: [i64; 2],
}

fn charge() -> Value {
    json!({ "amount": 500, "kind": "other", "reason": "Lost card" })
}

impl Prepared {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let (reader, other, desk) = (app.student(0).await, app.student(1).await, app.admin(0).await);
        let many = [app.book("Godaan", 40).await, app.book("Nirmala", 40).await];
        let rare = [app.book("Gaban", 1).await, app.book("Rangbhumi", 1).await];
        for book in rare {
            other.borrow(book).await;
        }
        desk.post(&format!("/people/{}/charges", reader.uid), &charge()).await.expect(201);
        Self { template: Template::of(&app), many, rare }
    }
}

async fn over_a_bad_network(prepared: &Prepared, seed: usize, keys: bool) -> Tally {
    let app = prepared.template.library().await;
    let people = [app.student(0).await, app.student(1).await, app.admin(0).await];
    let (titles, mut rare) = (prepared.many, prepared.rare.to_vec());
    let before = counted(&app);

    let mut network = Network { app: &app, chance: Chance::of(seed), held: Vec::new() };
    let mut tally = Tally { wanted: [0; 7], done: [0; 7], refused: Vec::new(), new: Default::default() };
    let mut open: Vec<(usize, Value)> = Vec::new();
    let mut unread: Vec<(usize, i64)> =
        (0..2).flat_map(|student| titles.map(|book| (student, book))).collect();
    for number in 0..20 {
        let student = network.chance.below(2);
        let chosen = network.chance.below(open.len().max(1));
        let kind = match network.chance.below(10) {
            0..3 => 0,
            3 if !open.is_empty() => 1,
            4 | 5 if !open.is_empty() => 2,
            6 if !rare.is_empty() => 3,
            7 => 4,
            8 => 5,
            _ if !unread.is_empty() => 6,
            _ => 0,
        };
        let (by, path, body) = match kind {
            0 => (student, format!("/books/{}/loans", titles[network.chance.below(2)]), None),
            1 => {
                let (by, loan) = open.swap_remove(chosen);
                (by, format!("/loans/{loan}/return"), None)
            }
            2 => (open[chosen].0, format!("/loans/{}/extend", open[chosen].1), None),
            3 => (0, format!("/books/{}/holds", rare.pop().expect("there is one")), None),
            4 => (2, format!("/people/{}/charges", people[student].uid), Some(charge())),
            5 => {
                let paid = json!({ "amount": 5, "method": "cash" });
                (2, format!("/people/{}/payments", people[0].uid), Some(paid))
            }
            _ => {
                let (by, book) = unread.pop().expect("there is one");
                (by, format!("/books/{book}/reviews"), Some(json!({ "rating": 4, "comment": "Good." })))
            }
        };
        let wanted = Write { person: &people[by], path, body, key: keys.then(|| format!("intent {number}")) };
        let (status, body) = network.insist(&wanted).await;
        tally.wanted[kind] += 1;
        if !(200..300).contains(&status) {
            tally.refused.push(format!("{} {status} {body}", wanted.path));
        } else if kind == 0 {
            open.push((by, body["id"].clone()));
        }
        if status == 201 {
            tally.new.0 += 1;
            let name = [&body["id"], &body["charge"]["id"], &body["receipt"]["number"]];
            tally.new.1.insert(format!("{kind} {name:?}"));
        }
    }
    for late in std::mem::take(&mut network.held) {
        answer(&app, late).await;
    }
    // Queued behind whatever was cut off.
    app.store(|_| Ok(())).await;
    let after = counted(&app);
    tally.done = std::array::from_fn(|kind| after[kind] - before[kind]);
    app.state.library.db.close();
    tally
}

#[test]
fn over_a_network_that_loses_and_repeats_everything_happens_exactly_once_r18_p11() {
    let prepared = now(Prepared::new());
    each(seeds(200, 500), async |seed| {
        let tally = over_a_bad_network(&prepared, seed, true).await;
        let sound =
            tally.done == tally.wanted && tally.refused.is_empty() && tally.new.0 == tally.new.1.len();
        let Tally { wanted, done, refused, new } = tally;
        if sound { Ok(()) } else { Err(format!("wanted {wanted:?}, done {done:?}; {refused:?}; {new:?}")) }
    });
    // Control: clients that repeat without a key.
    let twice = (0..20).any(|seed| {
        let tally = now(over_a_bad_network(&prepared, seed, false));
        tally.done.iter().zip(tally.wanted).any(|(done, wanted)| *done > wanted)
    });
    assert!(twice, "the rig does not notice what is done twice");
}
