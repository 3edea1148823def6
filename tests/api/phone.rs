//! Phones as scanners of a desk (R-DESK-9).

use std::sync::{Arc, atomic::Ordering};

use axum::{
    body::Body,
    http::{Request, header},
};
use library::{
    http::{
        Limits,
        access::{Access, TABLE},
        session,
    },
    limit::Limit,
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Events, Person, TestApp},
    common::Database,
};

on_both_databases!(
    a_phone_scans_for_the_desk_and_hears_its_answers_r_desk_9,
    whoever_connects_again_gets_what_it_has_not_got_r_desk_9,
    a_phone_ends_with_the_session_or_after_twelve_hours_r_desk_9,
    a_code_is_good_for_one_phone_r_seam_8,
    a_phone_ends_when_its_librarian_may_no_longer_work_at_the_desk_r_seam_8,
);

const DESK: &str = "front-desk";
const SCANS: &str = "/desk/phone-scans?desk=front-desk";

/// The code that a desk shows.
struct Code<'a> {
    app: &'a TestApp,
    id: i64,
    text: String,
}

impl<'a> Code<'a> {
    async fn of(desk: &Person<'a>) -> Self {
        let code = desk.post("/desk/phones", &json!({ "desk": DESK })).await.expect(201);
        let address = code["address"].as_str().expect("text");
        let (screen, text) = address.split_once('#').expect("the code is behind the #");
        assert_eq!(screen, "http://localhost:8080/library/phone");
        Self { app: desk.app, id: code["id"].as_i64().expect("an id"), text: text.to_owned() }
    }

    /// Opens the code with a token of this phone's own.
    async fn open(&self, token: &str) -> Answer {
        let body = json!({ "code": self.text, "token": token });
        self.app.send(self.app.visitor().request("POST", "/phone/open", Some(&body))).await
    }
}

/// A phone with its token.
struct Phone<'a> {
    app: &'a TestApp,
    id: i64,
    token: String,
}

impl<'a> Phone<'a> {
    /// A phone that has opened the code of this desk.
    async fn of(desk: &Person<'a>) -> Self {
        let code = Code::of(desk).await;
        let token = token();
        code.open(&token).await.expect(204);
        Self { app: code.app, id: code.id, token }
    }

    fn at<'b>(&self, app: &'b TestApp) -> Phone<'b> {
        Phone { app, id: self.id, token: self.token.clone() }
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Body> {
        let mut request = self.app.visitor().request(method, path, body);
        let bearer = format!("Bearer {}", self.token).parse().expect("a header");
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
        request
    }

    async fn send(&self, key: &str, code: &str) -> Answer {
        let body = json!({ "key": key, "code": code });
        self.app.send(self.request("POST", "/phone/scans", Some(&body))).await
    }

    async fn listen(&self, after: Option<&str>) -> Events {
        let mut request = self.request("GET", "/phone/answers", None);
        if let Some(id) = after {
            request.headers_mut().insert("last-event-id", id.parse().expect("a header"));
        }
        Events::of(self.app, request).await
    }

    /// Answer to a call of a phone that is no longer paired.
    async fn refused(&self) -> String {
        self.send("key-refused", "X-1").await.problem(401, "phone-ended")
    }
}

/// A token as a phone draws it.
fn token() -> String {
    session::new_token().expect("randomness")
}

/// Scans as the desk's page does when it receives a scan.
async fn decide(desk: &Person<'_>, scan: &Value) -> Value {
    let body = json!({ "code": scan["code"], "phoneScan": scan["id"] });
    let mut request = desk.request("POST", "/desk/scans", Some(&body));
    let key = scan["key"].as_str().expect("a key").parse().expect("a header");
    request.headers_mut().insert("Idempotency-Key", key);
    desk.send(request).await.expect(200)
}

async fn phones(desk: &Person<'_>) -> Value {
    desk.get("/desk/phones").await.expect(200)["phones"].clone()
}

async fn a_phone_scans_for_the_desk_and_hears_its_answers_r_desk_9(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let code = Code::of(&desk).await;
    assert_eq!(phones(&desk).await[0]["openedAt"], Value::Null);
    let mut heard = desk.listen(SCANS, None).await;
    heard.next_of("phones").await;
    let phone = Phone { app: &app, id: code.id, token: token() };
    code.open(&phone.token).await.expect(204);
    heard.next_of("phones").await;
    let stored = app.raw("SELECT code_hash, token_hash FROM phones");
    let secrets = [Some(code.text.as_str()), Some(phone.token.as_str())];
    assert!(stored[0].iter().all(|hash| !secrets.contains(&hash.as_deref())), "only hashes are stored");
    let mut answers = phone.listen(None).await;
    assert_eq!(phones(&desk).await[0]["openedAt"], "2026-11-21T06:00:00Z");
    assert_eq!(phones(&desk).await[0]["expiresAt"], "2026-11-21T18:00:00Z");

    // Sent twice, as after a lost answer: done once.
    phone.send("key-0001", " CS25-001 ").await.expect(204);
    phone.send("key-0001", " CS25-001 ").await.expect(204);
    phone.send("key-0002", "nothing of ours").await.expect(204);
    let card = heard.next_of("scan").await;
    assert_eq!(card.json()["code"], "CS25-001");
    let answer = decide(&desk, &card.json()).await;
    assert_eq!(answer["person"]["uid"], asha.uid.0);
    let told = answers.next_of("answer").await.json();
    assert_eq!(
        (&told["key"], &told["answer"]["class"], &told["answer"]["messages"]),
        (&json!("key-0001"), &json!("ok"), &answer["messages"])
    );
    let unknown = heard.next_of("scan").await;
    assert_eq!(unknown.json()["key"], "key-0002");
    decide(&desk, &unknown.json()).await;
    assert_eq!(answers.next_of("answer").await.json()["answer"]["outcome"], "unknown");

    // A disconnected phone is notified, and can no longer scan.
    let other = app.admin(1).await;
    other.delete(&format!("/desk/phones/{}", phone.id)).await.problem(404, "not-found");
    desk.delete(&format!("/desk/phones/{}", phone.id)).await.expect(204);
    assert_eq!(answers.next().await.map(|event| event.kind).as_deref(), Some("ended"));
    assert_eq!(answers.next().await, None);
    assert!(phone.refused().await.contains("no longer scans for the desk"));
    assert_eq!(phones(&desk).await, json!([]));
}

async fn whoever_connects_again_gets_what_it_has_not_got_r_desk_9(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let phone = Phone::of(&desk).await;
    for n in 1..=3 {
        phone.send(&format!("key-000{n}"), &format!("X-{n}")).await.expect(204);
    }
    // A page that has received the first scan gets the others; a new page gets all unanswered ones.
    let mut heard = desk.listen(SCANS, None).await;
    let first = heard.next_of("scan").await;
    drop(heard);
    let mut heard = desk.listen(SCANS, first.id.as_deref()).await;
    assert_eq!(heard.next_of("scan").await.json()["code"], "X-2");
    decide(&desk, &first.json()).await;
    let mut again = desk.listen(SCANS, None).await;
    let second = again.next_of("scan").await.json();
    assert_eq!(second["code"], "X-2");
    // One page at a time is the desk: the previous one is notified.
    heard.next_of("elsewhere").await;
    assert_eq!(heard.next().await, None);
    decide(&desk, &second).await;

    // A repeated decision does not send the answer again.
    let mut repeat = desk.request(
        "POST",
        "/desk/scans",
        Some(&json!({ "code": "X-2", "phoneScan": second["id"], "person": app.student(1).await.uid })),
    );
    repeat.headers_mut().insert("Idempotency-Key", "key-0002".parse().expect("a header"));
    desk.send(repeat).await.problem(422, "idempotency-key-reused");
    desk.post("/desk/scans", &json!({ "code": "X-2", "phoneScan": second["id"] })).await.expect(200);

    let mut answers = phone.listen(None).await;
    let told = answers.next_of("answer").await;
    assert_eq!(told.json()["key"], "key-0001");
    drop(answers);
    let mut answers = phone.listen(told.id.as_deref()).await;
    assert_eq!(answers.next_of("answer").await.json()["key"], "key-0002");
    decide(&desk, &again.next_of("scan").await.json()).await;
    assert_eq!(answers.next_of("answer").await.json()["key"], "key-0003");
}

async fn a_phone_ends_with_the_session_or_after_twelve_hours_r_desk_9(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    // An unopened code expires after ten minutes.
    let unopened = Code::of(&desk).await;
    app.set_clock("2026-11-21T06:10:00Z");
    unopened.open(&token()).await.problem(410, "phone-code-expired");
    // A phone expires after twelve hours.
    let phone = Phone::of(&desk).await;
    let mut answers = phone.listen(None).await;
    app.set_clock("2026-11-21T18:09:59Z");
    phone.send("key-0001", "X-1").await.expect(204);
    app.set_clock("2026-11-21T18:10:00Z");
    answers.next_of("ended").await;
    phone.refused().await;
    assert_eq!(phones(&desk).await, json!([]));

    // Signing out ends the phones of this session and no others.
    let (phone, elsewhere) = (Phone::of(&desk).await, app.admin(0).await);
    let other = Phone::of(&elsewhere).await;
    let mut answers = phone.listen(None).await;
    let mut heard = desk.listen(SCANS, None).await;
    desk.ask("/auth/sign-out").await.expect(204);
    answers.next_of("ended").await;
    heard.next_of("ended").await;
    phone.refused().await;
    other.send("key-0002", "X-1").await.expect(204);
    // The expiry of the session does the same.
    other.listen(None).await;
    app.raw(&format!("UPDATE sessions SET expires_at = {}", app.clock.now()));
    other.refused().await;
}

async fn a_code_is_good_for_one_phone_r_seam_8(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let code = Code::of(&desk).await;
    // The code itself scans nothing, opened or not.
    let holder = Phone { app: &app, id: code.id, token: code.text.clone() };
    holder.refused().await;
    let phone = Phone { app: &app, id: code.id, token: token() };
    code.open(&phone.token).await.expect(204);
    holder.refused().await;
    // Its answer may have been lost.
    code.open(&phone.token).await.expect(204);
    let mut answers = phone.listen(None).await;
    assert_eq!(phones(&desk).await[0]["refusedAt"], Value::Null);

    // A picture of the code opens nothing; the desk shows the attempt, and the phone still works.
    app.set_clock("2026-11-21T06:01:00Z");
    let thief = Phone { app: &app, id: code.id, token: token() };
    let told = code.open(&thief.token).await.problem(409, "phone-code-used");
    assert!(told.contains("disconnect it at the desk"), "{told}");
    thief.refused().await;
    assert_eq!(phones(&desk).await[0]["refusedAt"], "2026-11-21T06:01:00Z");
    phone.send("key-0001", "X-1").await.expect(204);
    let scan = desk.listen(SCANS, None).await.next_of("scan").await.json();
    decide(&desk, &scan).await;
    assert_eq!(answers.next_of("answer").await.json()["key"], "key-0001");

    // A token belongs to one phone.
    let other = Code::of(&desk).await;
    other.open(&phone.token).await.problem(409, "phone-code-used");
    assert_eq!(other.open("short").await.wrong_fields(), ["token"]);
    app.visitor()
        .post("/phone/open", &json!({ "code": "never shown", "token": token() }))
        .await
        .problem(410, "phone-code-expired");
}

async fn a_phone_ends_when_its_librarian_may_no_longer_work_at_the_desk_r_seam_8(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let phone = Phone::of(&desk).await;
    phone.send("key-0001", "X-1").await.expect(204);
    app.raw(&format!("UPDATE users SET capabilities = 'money' WHERE id = {}", desk.uid));
    phone.refused().await;
}

#[tokio::test]
async fn a_token_can_only_scan_for_its_desk_r_desk_9() {
    let app = TestApp::new().await;
    let desk = app.admin(0).await;
    let phone = Phone::of(&desk).await;
    for (method, path, access) in TABLE {
        let request = phone.request(method, &path.replace("{id}", "1"), None);
        let answer = app.send(request).await;
        match access {
            Access::Phone => assert!([200, 415].contains(&answer.status), "{method} {path}: {}", answer.text),
            Access::Anyone => assert_ne!(answer.status, 403, "{method} {path}"),
            _ => assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text),
        }
    }
    // Tokens that were never issued, however they look.
    for odd in ["", "x", "'; DROP TABLE phones; --", "ünknown"] {
        let mut request = phone.request("POST", "/phone/scans", None);
        let value = header::HeaderValue::from_bytes(format!("Bearer {odd}").as_bytes()).expect("a header");
        request.headers_mut().insert(header::AUTHORIZATION, value);
        app.send(request).await.problem(401, "phone-ended");
    }
    // A scan belongs to its desk: another librarian's page cannot answer it.
    phone.send("key-0001", "X-1").await.expect(204);
    let scan = desk.listen(SCANS, None).await.next_of("scan").await.json();
    decide(&app.admin(1).await, &scan).await;
    assert_eq!(app.raw("SELECT answer FROM phone_scans"), [[None]]);
}

#[tokio::test]
async fn phones_scans_and_codes_are_bounded_r_desk_9() {
    let limits =
        Limits { phone_scans: Limit::new(60, std::time::Duration::from_hours(1)), ..Limits::default() };
    let app = TestApp::limited(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |_| {}, limits).await;
    let desk = app.admin(0).await;
    // An unopened code is replaced by the next one.
    Code::of(&desk).await;
    let phone = Phone::of(&desk).await;
    assert_eq!(phones(&desk).await.as_array().map(Vec::len), Some(1));
    phone.listen(None).await;
    for _ in 0..4 {
        Phone::of(&desk).await.listen(None).await;
    }
    let told = desk.post("/desk/phones", &json!({ "desk": DESK })).await.problem(409, "too-many-phones");
    assert_eq!(told, "5 phones already scan for you. Disconnect one first.");

    for n in 0..50 {
        phone.send(&format!("key-{n:04}"), "X-1").await.expect(204);
    }
    let full = phone.send("key-more", "X-1").await;
    full.problem(429, "too-many-requests");
    assert!(full.header("retry-after").is_some());
    // A repeat of a known scan is not limited.
    phone.send("key-0000", "X-1").await.expect(204);
    for _ in 0..8 {
        phone.send("key-0000", "X-1").await.expect(204);
    }
    phone.send("key-0000", "X-1").await.problem(429, "too-many-requests");
    assert_eq!(phone.send("k", &"x".repeat(201)).await.wrong_fields(), ["key", "code"]);
}

#[tokio::test]
async fn phone_and_desk_may_be_connected_to_different_servers_r_desk_9() {
    let database = Arc::new(Database::ready_postgres());
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let desk = here.admin(0).await;
    let phone = Phone::of(&desk).await.at(&there);
    let mut heard = desk.listen(SCANS, None).await;
    let mut answers = phone.listen(None).await;
    let mut took = Vec::new();
    for n in 0..5 {
        let begun = std::time::Instant::now();
        phone.send(&format!("key-000{n}"), &format!("X-{n}")).await.expect(204);
        let scan = heard.next_of("scan").await.json();
        assert_eq!(scan["code"], format!("X-{n}"));
        decide(&desk, &scan).await;
        let told = answers.next_of("answer").await.json();
        assert_eq!(told["key"], format!("key-000{n}"));
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    assert!(
        took[2].as_millis() < 900,
        "NOTIFY wakes the other server, and not the look each second: {took:?}"
    );
    desk.delete(&format!("/desk/phones/{}", phone.id)).await.expect(204);
    answers.next_of("ended").await;
}

#[tokio::test]
async fn a_server_that_stops_ends_the_streams_r_desk_9() {
    let app = TestApp::new().await;
    let desk = app.admin(0).await;
    let phone = Phone::of(&desk).await;
    let mut answers = phone.listen(None).await;
    let mut heard = desk.listen(SCANS, None).await;
    heard.next_of("phones").await;
    app.state.stopping.store(true, Ordering::Relaxed);
    assert_eq!((answers.next().await, heard.next().await), (None, None));
    // Stored scans are delivered by the next server.
    phone.send("key-0001", "X-1").await.expect(204);
}

#[tokio::test]
async fn those_who_listen_hold_nothing_of_the_database_r_desk_9() {
    let app = TestApp::new().await;
    let desk = app.admin(0).await;
    let mut listening = Vec::new();
    for _ in 0..5 {
        let phone = Phone::of(&desk).await;
        listening.push(phone.listen(None).await);
    }
    // More streams than reader threads.
    for n in 1..=20 {
        let librarian = app.admin(n).await;
        let phone = Phone::of(&librarian).await;
        listening.push(phone.listen(None).await);
        listening.push(librarian.listen(SCANS, None).await);
    }
    let reading: Vec<_> = listening.iter_mut().map(Events::next).collect();
    let waiting = futures_util::future::join_all(reading);
    let asked = async {
        let begun = std::time::Instant::now();
        app.visitor().get("/books").await.expect(200);
        begun.elapsed()
    };
    tokio::select! {
        _ = waiting => panic!("the phones hear nothing"),
        took = asked => assert!(took.as_secs() < 2, "{took:?}"),
    }
}
