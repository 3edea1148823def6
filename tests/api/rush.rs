//! The rush before an exam: two desks and ten students who borrow for themselves, all after the same few copies.
//!
//! A few seconds in every test run, a minute with `make rush`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{Router, body::Body, http::Request};
use http_body_util::BodyExt as _;
use jiff::{SignedDuration, Timestamp};
use library::{
    http::{
        API, Shared,
        idempotency::{KEY, REPLAYED},
    },
    jobs,
    storage::{Location, copies, ledger},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::{
    app::{NOW, Person, TestApp, form},
    common::Database,
    librarian::{Call, Librarian, Random},
};

on_both_databases!(
    in_a_rush_at_two_desks_nobody_gets_two_answers_and_both_ledgers_hold_r_copy_2_r_money_3_s37,
);

const STUDENTS: usize = 10;
const DESKS: usize = 2;
/// Minimum number of writes of each desk.
const AT_LEAST: usize = 300;
/// Titles that stay, with three copies each; others are added and deleted.
const TITLES: usize = 4;
/// Time by which the clock advances: two midnights, so that loans become overdue and holds expire, but less than the lifetime
/// of stored answers.
const SPAN: SignedDuration = SignedDuration::from_hours(47);

/// Returns the duration of a run.
fn length() -> Duration {
    let seconds = std::env::var("LIBRARY_TEST_RUSH").ok();
    Duration::from_secs(
        seconds.map_or(4, |seconds| seconds.parse().expect("LIBRARY_TEST_RUSH is in seconds")),
    )
}

/// Number of answers by action, status, and outcome or problem.
type Tally = BTreeMap<(&'static str, u16, String), usize>;

/// An answer as it arrived.
#[derive(Debug)]
struct Heard {
    status: u16,
    replayed: bool,
    text: String,
}

impl Heard {
    fn is_done(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

/// A client that keeps sending different calls.
struct Busy {
    random: Random,
    cookie: String,
    /// His own server first.
    servers: Vec<Router>,
    titles: Arc<Mutex<Vec<i64>>>,
    writes: usize,
    repeats: usize,
    tally: Tally,
}

impl Busy {
    fn new(seed: usize, person: &Person<'_>, servers: &[TestApp], titles: &Arc<Mutex<Vec<i64>>>) -> Self {
        let mut servers: Vec<Router> = servers.iter().map(|app| app.router.clone()).collect();
        let own = seed % servers.len();
        servers.rotate_left(own);
        Self {
            random: Random(seed as u64),
            cookie: person.cookie().expect("signed in"),
            servers,
            titles: Arc::clone(titles),
            writes: 0,
            repeats: 0,
            tally: Tally::new(),
        }
    }

    async fn send(&self, server: &Router, request: Request<Body>) -> Heard {
        let answer = server.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let (parts, body) = answer.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        Heard {
            status: parts.status.as_u16(),
            replayed: parts.headers.contains_key(REPLAYED),
            text: String::from_utf8(bytes.into()).expect("text"),
        }
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Body> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{API}{path}"))
            .header("host", "localhost")
            .header("cookie", &self.cookie)
            .header("content-type", "application/json");
        let body = body.map_or_else(Body::empty, |body| body.to_string().into());
        request.body(body).expect("a request")
    }

    /// Reads a path; null if it is gone.
    async fn read(&self, path: &str) -> Value {
        let heard = self.send(&self.servers[0], self.request("GET", path, None)).await;
        assert!(matches!(heard.status, 200 | 404), "GET {path}: {heard:?}");
        if heard.status == 200 { heard.json() } else { Value::Null }
    }

    /// Sends a write, sometimes twice with the same key, like a client that lost the answer; the repeat goes to the other
    /// server, if there is one.
    async fn write(&mut self, call: &Call) -> Value {
        self.write_if(call, None).await
    }

    async fn write_if(&mut self, call: &Call, etag: Option<&str>) -> Value {
        self.writes += 1;
        let key = self.writes.to_string();
        let (way, patience) = (self.random.below(8), Duration::from_micros(self.random.below(3000) as u64));
        let request = || {
            let mut request = self.request(call.method, &call.path, call.body.as_ref());
            let headers = request.headers_mut();
            headers.insert(KEY, key.parse().expect("a header"));
            if let Some(etag) = etag {
                headers.insert("if-match", etag.parse().expect("a header"));
            }
            request
        };
        let (here, there) = (&self.servers[0], &self.servers[self.servers.len() - 1]);
        let (first, second) = match way {
            // The answer is lost on its way.
            0 => (Some(self.send(here, request()).await), Some(self.send(there, request()).await)),
            // The connection breaks during the call.
            1 => {
                let first = tokio::time::timeout(patience, self.send(here, request())).await.ok();
                (first, Some(self.send(there, request()).await))
            }
            // A proxy times out.
            2 => {
                let (first, second) = tokio::join!(self.send(here, request()), self.send(there, request()));
                (Some(first), Some(second))
            }
            _ => (Some(self.send(here, request()).await), None),
        };
        self.repeats += usize::from(second.is_some());
        let known = |heard: &Heard| heard.is_done() || matches!(heard.status, 404 | 409 | 412 | 422);
        // These two are answered whatever happens to the copy or the loan at the same moment.
        let scan =
            call.path == "/desk/scans" && call.body.as_ref().is_some_and(|body| body["choice"].is_null());
        let never = if scan {
            [404, 404]
        } else if call.path == "/copies/shelve" {
            [404, 409]
        } else {
            [500, 500]
        };
        for heard in first.iter().chain(&second) {
            assert!(known(heard) && !never.contains(&heard.status), "{call:?}: {heard:?}");
        }
        // A refused write is decided anew; a successful one has one effect and one answer.
        let heard = match (first, second) {
            (Some(first), Some(second)) if first.is_done() && (second.is_done() || way < 2) => {
                assert_eq!((first.status, &first.text), (second.status, &second.text), "{call:?}");
                assert_ne!(first.replayed, second.replayed, "{call:?} was done twice, or never");
                first
            }
            (Some(first), Some(second)) if first.is_done() && !second.is_done() => first,
            (first, second) => second.or(first).expect("an answer"),
        };
        let answer = heard.json();
        let told = [&answer["outcome"], &answer["code"]].into_iter().find_map(Value::as_str);
        *self.tally.entry((call.name, heard.status, told.unwrap_or_default().to_owned())).or_default() += 1;
        answer
    }

    fn title(&mut self) -> i64 {
        *self.random.one_of(&self.titles.lock().expect("no panic")).expect("some stay")
    }

    /// Makes a student's next call.
    async fn study(&mut self) {
        let book = self.title();
        let call = match self.random.below(5) {
            0 | 1 => Call::bare("borrow", "POST", format!("/books/{book}/loans")),
            2 => Call::bare("reserve", "POST", format!("/books/{book}/holds")),
            3 if self.random.below(2) == 0 => {
                let mine = self.read("/me/holds").await;
                let Some(hold) = one_of(&mut self.random, &mine["holds"]) else { return };
                Call::bare("cancel", "DELETE", format!("/holds/{}", hold["id"]))
            }
            _ => {
                let mine = self.read("/me/loans").await;
                let Some(loan) = one_of(&mut self.random, &mine["loans"]) else { return };
                match self.random.below(3) {
                    0 => Call::bare("extend", "POST", format!("/loans/{}/extend", loan["id"])),
                    _ => Call::bare("return", "POST", format!("/loans/{}/return", loan["id"])),
                }
            }
        };
        self.write(&call).await;
    }

    /// Makes a librarian's next call away from the desk.
    async fn stock(&mut self) {
        let book = self.title();
        let path = format!("/books/{book}");
        let call = match self.random.below(8) {
            0 => Call::post("add a copy", format!("{path}/copies"), json!({ "count": 1 })),
            1 => return self.edit(&path).await,
            2 => return self.come_and_go().await,
            3 => Call::bare("shelve", "POST", "/copies/shelve"),
            4 => {
                let loans = self.read("/loans").await;
                let Some(loan) = one_of(&mut self.random, &loans["loans"]) else { return };
                let restock = json!({ "restock": self.random.below(2) == 0 });
                Call::post("return from the list", format!("/loans/{}/return", loan["id"]), restock)
            }
            5 => {
                let line = self.read(&format!("{path}/holds")).await;
                let Some(hold) = one_of(&mut self.random, &line["holds"]) else { return };
                let first = json!({ "place": 1, "reason": "exam" });
                Call::post("move in line", format!("/holds/{}/move", hold["id"]), first)
            }
            _ => {
                let copies = self.read(&format!("{path}/copies")).await;
                let Some(copy) = one_of(&mut self.random, &copies["copies"]) else { return };
                let states =
                    ["on-shelf", "to-shelve", "in-repair", "lost", "missing", "reference", "withdrawn"];
                let state = json!({ "state": self.random.one_of(&states) });
                Call::post("move a copy", format!("/copies/{}/move", copy["id"]), state)
            }
        };
        self.write(&call).await;
    }

    /// Saves a title with one copy more or fewer, unless another librarian saved first.
    async fn edit(&mut self, path: &str) {
        let request = self.request("GET", path, None);
        let answer = self.servers[0].clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let etag = answer.headers().get("etag").and_then(|tag| tag.to_str().ok()).map(ToOwned::to_owned);
        let shown = answer.into_body().collect().await.expect("a body").to_bytes();
        let shown: Value = serde_json::from_slice(&shown).expect("JSON");
        let (Some(etag), Some(copies)) = (etag, shown["noOfBooks"].as_i64()) else { return };
        let wanted = copies + if self.random.below(2) == 0 { 1 } else { -1 };
        let edited = form("Edited", wanted.max(1));
        let call = Call { name: "edit", method: "PUT", path: path.to_owned(), body: Some(edited) };
        self.write_if(&call, Some(&etag)).await;
    }

    /// Adds a title, or deletes an added one, even if it is on loan.
    async fn come_and_go(&mut self) {
        let extra = {
            let mut titles = self.titles.lock().expect("no panic");
            if titles.len() > TITLES + 1 { titles.pop() } else { None }
        };
        let call = match extra {
            Some(book) => Call::bare("delete a title", "DELETE", format!("/books/{book}")),
            None => Call::post("add a title", "/books", form("Comes and goes", 2)),
        };
        let added = self.write(&call).await;
        if let Some(added) = added["id"].as_i64() {
            self.titles.lock().expect("no panic").push(added);
        }
    }
}

fn one_of<'l>(random: &mut Random, list: &'l Value) -> Option<&'l Value> {
    random.one_of(list.as_array().map(Vec::as_slice).unwrap_or_default())
}

/// Advances the clocks of all servers, and lets each clear what has expired.
async fn time_passes(servers: Vec<Shared>, begun: Instant, length: Duration) {
    let start: Timestamp = NOW.parse().expect("an instant");
    while begun.elapsed() < length {
        let passed = SPAN.mul_f64(begun.elapsed().div_duration_f64(length));
        for app in &servers {
            app.library.clock.set(start + passed);
        }
        for (n, app) in servers.iter().enumerate() {
            jobs::expire_holds(&app.library, &format!("server {n}")).await.expect("expired");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Runs all clients until the time is over; returns their answers and the number of repeated writes.
async fn rush(servers: &[TestApp], copies: &[String], titles: Vec<i64>) -> (Tally, usize) {
    let end = Instant::now() + length();
    let titles = Arc::new(Mutex::new(titles));
    let mut running = JoinSet::new();
    let mut people = Vec::new();
    for n in 0..STUDENTS {
        let student = servers[0].student(n).await;
        people.push(student.uid.0);
        let mut busy = Busy::new(n, &student, servers, &titles);
        running.spawn(async move {
            while Instant::now() < end {
                busy.study().await;
                tokio::time::sleep(Duration::from_millis(busy.random.below(30) as u64)).await;
            }
            busy
        });
    }
    for n in 0..DESKS {
        let mut busy = Busy::new(STUDENTS + n, &servers[0].admin(n).await, servers, &titles);
        let mut librarian = Librarian::new(n as u64, copies.to_vec(), people.clone());
        running.spawn(async move {
            // A slow machine continues until every action has occurred.
            while Instant::now() < end || busy.writes < AT_LEAST {
                for _ in 0..4 {
                    let call = librarian.next();
                    let answer = busy.write(&call).await;
                    librarian.hear(&call, &answer);
                }
                busy.stock().await;
            }
            busy
        });
    }
    let (mut tally, mut repeats) = (Tally::new(), 0);
    while let Some(busy) = running.join_next().await {
        let busy = busy.expect("no panic");
        repeats += busy.repeats;
        for (answer, count) in busy.tally {
            *tally.entry(answer).or_default() += count;
        }
    }
    (tally, repeats)
}

async fn in_a_rush_at_two_desks_nobody_gets_two_answers_and_both_ledgers_hold_r_copy_2_r_money_3_s37(
    database: Database,
) {
    let several = matches!(database.location, Location::Postgres(_));
    let database = Arc::new(database);
    let mut servers = Vec::new();
    for _ in 0..if several { 2 } else { 1 } {
        servers.push(TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await);
    }
    let first = &servers[0];
    let desk = first.admin(0).await;
    let rules = json!({ "loanDays": 0, "renewalDays": 1, "holdDays": 1, "maxLoans": 3 });
    let rules = json!({ "categories": [{ "name": "Student", "rules": rules }] });
    desk.put("/settings/rules", &desk.get("/settings/rules").await.etag(), &rules).await.expect(200);
    let (mut titles, mut copies) = (Vec::new(), Vec::new());
    for title in 0..TITLES {
        let book = first.book(&format!("Title {title}"), 3).await;
        let list = desk.get(&format!("/books/{book}/copies")).await.expect(200);
        let of_title = list["copies"].as_array().expect("a list").iter();
        copies.extend(of_title.map(|copy| copy["barcode"].as_str().expect("text").to_owned()));
        titles.push(book);
    }

    let time = tokio::spawn(time_passes(
        servers.iter().map(|app| Arc::clone(&app.state)).collect(),
        Instant::now(),
        length(),
    ));
    let (tally, repeats) = rush(&servers, &copies, titles).await;
    time.await.expect("no panic");
    println!("{} writes, {repeats} of them repeated", tally.values().sum::<usize>());
    for ((name, status, told), count) in &tally {
        println!("{count:6} {name}: {status} {told}");
    }

    let mut found = first.store(|tx| copies::contradictions(tx, 10)).await;
    found.extend(first.store(ledger::contradictions).await);
    assert_eq!(found, Vec::<String>::new(), "{tally:?}");
    // Every reported action happened exactly once.
    let answered = |names: &[&str]| -> usize {
        let told = |(name, status, told): &(&str, u16, String)| {
            *status < 300 && (names.contains(name) || names.contains(&told.as_str()))
        };
        tally.iter().filter(|(answer, _)| told(answer)).map(|(_, count)| count).sum()
    };
    for (action, names) in [
        ("lent", ["borrow", "lent"].as_slice()),
        ("renewed", &["extend", "renewed"]),
        ("paid", &["pay"]),
        ("waived", &["waive"]),
        ("hold-placed", &["reserve"]),
        ("book-deleted", &["delete a title"]),
    ] {
        let kept = first.raw(&format!("SELECT id FROM events WHERE action = '{action}'")).len();
        assert_eq!(kept, answered(names), "{action}: {tally:?}");
        assert!(kept > 0, "nobody got to it: {action}: {tally:?}");
    }
    for name in ["returned", "return", "override", "undo", "choose", "edit", "move a copy"] {
        assert!(answered(&[name]) > 0, "nobody got to it: {name}: {tally:?}");
    }
    let twice = "SELECT copy_id FROM loans WHERE ended_at IS NULL GROUP BY copy_id HAVING COUNT(*) > 1";
    assert_eq!(first.raw(twice), Vec::<Vec<Option<String>>>::new());
    let receipts = first.raw("SELECT receipt FROM account_lines WHERE receipt IS NOT NULL ORDER BY receipt");
    let numbered: Vec<_> = (1..=receipts.len()).map(|n| vec![Some(format!("2026-27/{n:06}"))]).collect();
    assert_eq!(receipts, numbered);
}
