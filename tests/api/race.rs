//! Many at the same moment, on both databases.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use library::{
    circulation::{self, Actor, CheckOut, Take, check_out},
    domain::{
        account::Role,
        copy::State as CopyState,
        id::{CopyId, UserId},
    },
    http::{self, API},
    storage::{
        Location,
        accounts::{self, NewAccount},
        copies, sessions,
    },
};
use serde_json::{Value, json};
use tokio::{sync::Barrier, task::JoinSet};
use tower::ServiceExt as _;

use crate::{
    app::{Person, TestApp, form},
    common::Database,
};

on_both_databases!(
    the_last_copy_can_be_borrowed_once_by_256_who_ask_at_the_same_moment_r_loan_2,
    a_loan_returned_by_many_at_once_puts_one_copy_back_r_loan_3,
    of_many_who_save_one_version_at_once_one_is_stored_r_book_7,
    of_many_who_save_one_version_of_the_rules_at_once_one_is_stored,
    of_many_edits_of_one_profile_at_once_each_keeps_as_before_what_it_changed_s6,
    of_many_who_register_one_address_at_once_one_is_made_r_reg_5,
    a_book_deleted_while_it_is_borrowed_and_reviewed_is_gone_and_nothing_breaks_r_book_6,
    after_seconds_of_ten_students_and_a_librarian_every_copy_is_accounted_for_r_copy_2_s37,
);

type Call = axum::http::Request<axum::body::Body>;

/// Sends all at the same moment; how many answers of each status and problem code came.
async fn all_at_once(app: &TestApp, calls: Vec<Call>) -> HashMap<(u16, String), usize> {
    let start = Arc::new(Barrier::new(calls.len()));
    let mut running = JoinSet::new();
    for call in calls {
        let (router, start) = (app.router.clone(), Arc::clone(&start));
        running.spawn(async move {
            start.wait().await;
            let answer = router.oneshot(call).await.unwrap_or_else(|never| match never {});
            let status = answer.status().as_u16();
            let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            (status, body["code"].as_str().unwrap_or_default().to_owned())
        });
    }
    let mut counts = HashMap::new();
    while let Some(answer) = running.join_next().await {
        *counts.entry(answer.expect("no panic")).or_default() += 1;
    }
    counts
}

fn counts<const N: usize>(expected: [(u16, &str, usize); N]) -> HashMap<(u16, String), usize> {
    expected.into_iter().map(|(status, code, count)| ((status, code.to_owned()), count)).collect()
}

async fn the_last_copy_can_be_borrowed_once_by_256_who_ask_at_the_same_moment_r_loan_2(database: Database) {
    const READERS: usize = 256;
    let app = TestApp::on(database).await;
    let book = app.book("The last copy", 1).await;
    let tokens: Vec<String> = (0..READERS).map(|_| http::session::new_token().expect("randomness")).collect();
    let (hashes, now) =
        (tokens.iter().map(|token| http::session::hashed(token)).collect::<Vec<_>>(), app.clock.now());
    app.store(move |tx| {
        for (n, hash) in hashes.iter().enumerate() {
            let new = NewAccount {
                email: format!("reader{n}@college.edu"),
                name: format!("Reader {n}"),
                role: Role::Student,
                roll_number: Some(format!("r-{n}")),
                department: Some("d".into()),
                batch: Some("2027".into()),
                password_hash: "!".into(),
            };
            let user = accounts::add(tx, &new, now)?.expect("nothing is taken");
            sessions::begin(tx, hash, user.uid, now, now + 1_000_000)?;
        }
        Ok(())
    })
    .await;
    let calls = tokens.iter().map(|token| {
        axum::http::Request::post(format!("{API}/books/{book}/loans"))
            .header("cookie", format!("library={token}"))
            .body(axum::body::Body::empty())
            .expect("a request")
    });
    let answers = all_at_once(&app, calls.collect()).await;
    assert_eq!(answers, counts([(201, "", 1), (409, "book-unavailable", READERS - 1)]));
    assert_eq!(app.copies(book).await, [(CopyState::OnLoan, 1)]);
    let shown = app.admin(0).await.get(&format!("/books/{book}")).await.expect(200);
    assert_eq!((&shown["noOfBooks"], &shown["status"]), (&json!(0), &json!("Not Available")));
    assert_eq!(app.raw("SELECT COUNT(*) FROM events WHERE action = 'lent'"), [[Some("1".to_owned())]]);
}

fn times(
    count: usize,
    person: &Person<'_>,
    method: &str,
    path: &str,
    body: Option<&serde_json::Value>,
) -> Vec<Call> {
    (0..count).map(|_| person.request(method, path, body)).collect()
}

async fn a_loan_returned_by_many_at_once_puts_one_copy_back_r_loan_3(database: Database) {
    let app = TestApp::on(database).await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 1).await;
    let loan = student.borrow(book).await;
    let mut calls = times(16, &student, "POST", &format!("/loans/{loan}/return"), None);
    calls.extend(times(
        16,
        &admin,
        "POST",
        &format!("/loans/{loan}/return"),
        Some(&json!({ "restock": true })),
    ));
    assert_eq!(all_at_once(&app, calls).await, counts([(204, "", 1), (404, "not-found", 31)]));
    assert_eq!(admin.get(&format!("/books/{book}")).await.expect(200)["noOfBooks"], 1);
}

async fn of_many_who_save_one_version_at_once_one_is_stored_r_book_7(database: Database) {
    let app = TestApp::on(database).await;
    let admin = app.admin(0).await;
    let book = app.book("Book", 5).await;
    let path = format!("/books/{book}");
    let etag = admin.get(&path).await.etag();
    let mut calls = times(16, &admin, "PUT", &path, Some(&form("Edited", 6)));
    for call in &mut calls {
        call.headers_mut().insert("if-match", etag.parse().expect("a header"));
    }
    assert_eq!(all_at_once(&app, calls).await, counts([(200, "", 1), (412, "stale", 15)]));
    assert_eq!(admin.get(&path).await.expect(200)["noOfBooks"], 6);
}

async fn of_many_who_save_one_version_of_the_rules_at_once_one_is_stored(database: Database) {
    let app = TestApp::on(database).await;
    let admin = app.admin(0).await;
    let etag = admin.get("/settings/rules").await.etag();
    let rules = json!({ "categories": [{ "name": "Student", "rules": { "loanDays": 10 } }] });
    let mut calls = times(16, &admin, "PUT", "/settings/rules", Some(&rules));
    for call in &mut calls {
        call.headers_mut().insert("if-match", etag.parse().expect("a header"));
    }
    assert_eq!(all_at_once(&app, calls).await, counts([(200, "", 1), (412, "stale", 15)]));
    assert_eq!(app.visitor().get("/config").await.expect(200)["loanDays"], 10);
}

async fn of_many_edits_of_one_profile_at_once_each_keeps_as_before_what_it_changed_s6(database: Database) {
    let app = TestApp::on(database).await;
    let student = app.student(1).await;
    let calls = (0..16).map(|n| {
        let edit = json!({ "name": format!("Name {n}"), "rollNumber": "cs25-001", "department": "d" });
        student.request("PATCH", "/me", Some(&edit))
    });
    assert_eq!(all_at_once(&app, calls.collect()).await, counts([(200, "", 16)]));
    let kept = app.raw("SELECT change FROM events WHERE action = 'profile-updated' ORDER BY id");
    let kept: Vec<Value> =
        kept.iter().flatten().flatten().map(|change| serde_json::from_str(change).expect("JSON")).collect();
    assert_eq!(kept.len(), 16);
    for pair in kept.windows(2) {
        assert_eq!(pair[1]["before"], pair[0]["after"]);
        assert!(pair[1]["before"]["name"].is_string());
    }
}

async fn of_many_who_register_one_address_at_once_one_is_made_r_reg_5(database: Database) {
    let app = TestApp::on(database).await;
    let calls = (0..8).map(|n| {
        let registration = json!({
            "name": "n", "email": if n % 2 == 0 { "same@college.edu" } else { "SAME@college.edu" },
            "password": "four unrelated words", "rollNumber": format!("r-{n}"), "department": "d", "batch": "2027",
        });
        app.visitor().request("POST", "/auth/register", Some(&registration))
    });
    assert_eq!(all_at_once(&app, calls.collect()).await, counts([(201, "", 1), (409, "email-taken", 7)]));
}

async fn a_book_deleted_while_it_is_borrowed_and_reviewed_is_gone_and_nothing_breaks_r_book_6(
    database: Database,
) {
    let app = TestApp::on(database).await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    for _ in 0..8 {
        let book = app.book("Book", 100).await;
        let path = format!("/books/{book}");
        let mut calls = times(1, &admin, "DELETE", &path, None);
        calls.extend(times(8, &student, "POST", &format!("{path}/loans"), None));
        calls.extend(times(
            8,
            &student,
            "POST",
            &format!("{path}/reviews"),
            Some(&json!({ "rating": 3, "comment": "c" })),
        ));
        calls.extend(times(4, &student, "GET", &path, None));
        let answers = all_at_once(&app, calls).await;
        assert_eq!(answers.get(&(204, String::new())), Some(&1), "{answers:?}");
        assert!(answers.keys().all(|(status, _)| matches!(status, 200 | 201 | 204 | 404)), "{answers:?}");
        student.get(&path).await.problem(404, "not-found");
        let left = app.raw(&format!("SELECT COUNT(*) FROM reviews WHERE book_id = {book}"));
        assert_eq!(left, [[Some("0".to_owned())]]);
    }
}

/// How long they go on.
const STORM: Duration = Duration::from_secs(4);
const STUDENTS: usize = 10;
const TITLES: i64 = 4;

/// Somebody who goes on asking one server, each time something else.
struct Busy {
    state: http::Shared,
    router: axum::Router,
    cookie: String,
    random: u64,
    answers: HashMap<(String, u16), usize>,
}

impl Busy {
    fn new(app: &TestApp, person: &Person<'_>, seed: u64) -> Self {
        Self {
            state: Arc::clone(&app.state),
            router: app.router.clone(),
            cookie: person.cookie().expect("signed in"),
            random: seed,
            answers: HashMap::new(),
        }
    }

    /// A number below `n` (Knuth's MMIX generator).
    fn below(&mut self, n: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % n
    }

    fn one_of<'v>(&mut self, list: &'v Value) -> Option<&'v Value> {
        let list = list.as_array().filter(|list| !list.is_empty())?;
        list.get(usize::try_from(self.below(list.len() as u64)).expect("small"))
    }

    /// Asks, and notes the status under a name for what was done.
    async fn ask(&mut self, name: &str, method: &str, path: &str, body: Option<Value>) -> (Value, String) {
        self.ask_if(name, method, path, body, None).await
    }

    async fn ask_if(
        &mut self,
        name: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
        etag: Option<&str>,
    ) -> (Value, String) {
        let mut call = axum::http::Request::builder()
            .method(method)
            .uri(format!("{API}{path}"))
            .header("cookie", &self.cookie)
            .header("content-type", "application/json");
        if let Some(etag) = etag {
            call = call.header("if-match", etag);
        }
        let body = body.map_or_else(axum::body::Body::empty, |body| body.to_string().into());
        let call = call.body(body).expect("a request");
        let answer = self.router.clone().oneshot(call).await.unwrap_or_else(|never| match never {});
        *self.answers.entry((name.to_owned(), answer.status().as_u16())).or_default() += 1;
        let etag =
            answer.headers().get("etag").and_then(|tag| tag.to_str().ok()).unwrap_or_default().to_owned();
        let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
        (serde_json::from_slice(&body).unwrap_or_default(), etag)
    }

    /// What a student does next.
    async fn study(&mut self, book: i64) {
        match self.below(3) {
            0 => drop(self.ask("borrow", "POST", &format!("/books/{book}/loans"), None).await),
            which => {
                let (mine, _) = self.ask("read", "GET", "/me/loans", None).await;
                let Some(loan) = self.one_of(&mine["loans"]) else { return };
                let (name, what) = if which == 1 { ("return", "return") } else { ("extend", "extend") };
                self.ask(name, "POST", &format!("/loans/{}/{what}", loan["id"]), None).await;
            }
        }
    }

    /// What a librarian does next.
    async fn work(&mut self, book: i64, reader: UserId) {
        let path = format!("/books/{book}");
        match self.below(8) {
            0 => drop(
                self.ask("add copies", "POST", &format!("{path}/copies"), Some(json!({ "count": 2 }))).await,
            ),
            1 => {
                let (shown, etag) = self.ask("read", "GET", &path, None).await;
                let copies = shown["noOfBooks"].as_i64().unwrap_or(1).max(1);
                let wanted = (copies + i64::try_from(self.below(3)).expect("small") - 1).max(1);
                let edited = form("Edited", wanted);
                self.ask_if("edit", "PUT", &path, Some(edited), Some(&etag)).await;
            }
            2 => {
                let (loans, _) = self.ask("read", "GET", "/loans", None).await;
                let Some(loan) = self.one_of(&loans["loans"]) else { return };
                let restock = json!({ "restock": self.below(2) == 0 });
                self.ask("take back", "POST", &format!("/loans/{}/return", loan["id"]), Some(restock)).await;
            }
            3 => drop(self.ask("shelve", "POST", "/copies/shelve", None).await),
            4 if self.below(4) == 0 => drop(self.ask("delete", "DELETE", &path, None).await),
            5 => self.lend(book, reader).await,
            _ => {
                let (copies, _) = self.ask("read", "GET", &format!("{path}/copies"), None).await;
                let Some(copy) = self.one_of(&copies["copies"]) else { return };
                let states = json!([
                    "on-shelf",
                    "to-shelve",
                    "in-repair",
                    "lost",
                    "missing",
                    "reference",
                    "withdrawn"
                ]);
                let state = self.one_of(&states).expect("one").clone();
                self.ask(
                    "move",
                    "POST",
                    &format!("/copies/{}/move", copy["id"]),
                    Some(json!({ "state": state })),
                )
                .await;
            }
        }
    }

    /// The copy in somebody's hand, past the API.
    async fn lend(&mut self, book: i64, reader: UserId) {
        let (copies, _) = self.ask("read", "GET", &format!("/books/{book}/copies"), None).await;
        let Some(copy) = self.one_of(&copies["copies"]).and_then(|copy| copy["id"].as_i64()) else { return };
        let what = CheckOut { reader, take: Take::This(CopyId(copy)), overriding: None };
        let (moment, policies) = (self.state.clock.moment(), self.state.policies.clone());
        let lent = self
            .state
            .db
            .write(move |tx| {
                let rulebook = policies.current(tx)?;
                check_out(tx, Actor::Librarian(UserId(1)), moment, &rulebook, &what).map(drop)
            })
            .await;
        let status = match lent {
            Ok(()) => 201,
            Err(circulation::Error::Storage(error)) => panic!("lending failed: {error}"),
            Err(_) => 409,
        };
        *self.answers.entry(("lend".to_owned(), status)).or_default() += 1;
    }
}

async fn after_seconds_of_ten_students_and_a_librarian_every_copy_is_accounted_for_r_copy_2_s37(
    database: Database,
) {
    let several = matches!(database.location, Location::Postgres(_));
    let database = Arc::new(database);
    let mut servers = Vec::new();
    for _ in 0..if several { 2 } else { 1 } {
        servers.push(TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await);
    }
    let first = &servers[0];
    let mut books = Vec::new();
    for title in 0..TITLES {
        books.push(first.book(&format!("Title {title}"), 3).await);
    }
    let mut running = JoinSet::new();
    let end = Instant::now() + STORM;
    let reader = first.student(0).await.uid;
    for n in 0..STUDENTS {
        let mut busy = Busy::new(&servers[n % servers.len()], &first.student(n).await, n as u64);
        let books = books.clone();
        running.spawn(async move {
            while Instant::now() < end {
                let book = busy.below(books.len() as u64);
                busy.study(books[usize::try_from(book).expect("small")]).await;
            }
            busy.answers
        });
    }
    for (n, app) in servers.iter().enumerate() {
        let mut busy = Busy::new(app, &first.admin(n).await, 1000 + n as u64);
        let mut books = books.clone();
        running.spawn(async move {
            while Instant::now() < end {
                let place = usize::try_from(busy.below(books.len() as u64)).expect("small");
                busy.work(books[place], reader).await;
                // A deleted title leaves its readers something else to do.
                let (shown, _) = busy.ask("read", "GET", &format!("/books/{}", books[place]), None).await;
                if shown["id"].is_null() && books.len() > 2 {
                    books.remove(place);
                }
            }
            busy.answers
        });
    }
    let mut answers: HashMap<(String, u16), usize> = HashMap::new();
    while let Some(of_one) = running.join_next().await {
        for (answer, count) in of_one.expect("no panic") {
            *answers.entry(answer).or_default() += count;
        }
    }
    let unexpected: Vec<_> = answers
        .iter()
        .filter(|((_, status), _)| !matches!(status, 200 | 201 | 204 | 404 | 409 | 412 | 422))
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    for done in
        [("borrow", 201), ("return", 204), ("extend", 200), ("take back", 204), ("move", 200), ("edit", 200)]
    {
        assert!(answers.contains_key(&(done.0.to_owned(), done.1)), "nobody got to {done:?}: {answers:?}");
    }
    assert_eq!(first.store(|tx| copies::contradictions(tx, 10)).await, Vec::<String>::new(), "{answers:?}");
}
