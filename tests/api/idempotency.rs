//! Idempotency: a write whose answer was lost is repeated with its `Idempotency-Key`, has no second effect, and gets the first
//! answer again (desk law 7, P11, W2).

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use axum::{
    body::Body,
    http::{
        Request,
        header::{CONTENT_TYPE, IF_MATCH},
    },
};
use library::{
    http::{idempotency::KEY, openapi},
    storage::{
        Location,
        authority::Authority,
        oidc::{self, Link},
    },
};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::{
    app::{Answer, Person, TestApp, form, with},
    common::Database,
    covers::png,
    mails::{post, queued},
    oidc::known,
};

on_both_databases!(
    every_write_that_is_repeated_happens_once_and_answers_alike,
    of_50_repeats_at_the_same_moment_at_two_servers_one_happens_and_all_get_its_answer,
    a_key_used_for_another_request_is_refused_and_changes_nothing,
    another_persons_same_key_is_another_key,
    a_refused_write_is_decided_anew,
    an_answer_is_kept_for_48_hours,
);

/// A write that can be sent again.
#[derive(Clone)]
struct Write {
    method: &'static str,
    path: String,
    body: Option<Value>,
    file: Option<Vec<u8>>,
    etag: Option<String>,
}

impl Write {
    fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), body: None, file: None, etag: None }
    }

    fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    fn request(&self, person: &Person<'_>, key: &str) -> Request<Body> {
        let mut request = person.request(self.method, &self.path, self.body.as_ref());
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
        if let Some(file) = &self.file {
            *request.body_mut() = Body::from(file.clone());
            request.headers_mut().insert(CONTENT_TYPE, "text/csv".parse().expect("a header"));
        }
        if let Some(etag) = &self.etag {
            request.headers_mut().insert(IF_MATCH, etag.parse().expect("a header"));
        }
        request
    }

    async fn send(&self, person: &Person<'_>, key: &str) -> Answer {
        person.send(self.request(person, key)).await
    }
}

fn borrow(book: i64) -> Write {
    Write::new("POST", format!("/books/{book}/loans"))
}

/// Returns the number of copies of a book on loan.
fn on_loan(app: &TestApp, book: i64) -> usize {
    app.raw(&format!("SELECT id FROM loans WHERE book_id = {book} AND ended_at IS NULL")).len()
}

fn replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed").is_some()
}

fn registration(email: &str, password: &str) -> Value {
    json!({
        "name": "Asha", "email": email, "password": password, "rollNumber": email, "department": "Physics",
        "batch": "2027",
    })
}

/// Everything that a write can change.
fn state(app: &TestApp) -> Vec<Vec<Vec<Option<String>>>> {
    [
        "users",
        "photos",
        "sessions",
        "books",
        "copies",
        "reviews",
        "loans",
        "events",
        "catalogue_changes",
        "settings",
        "idempotency",
        "account_lines",
        "settlements",
        "oidc_links",
        "link_requests",
        "mails",
        "mail_choices",
    ]
    .iter()
    .map(|table| app.raw(&format!("SELECT * FROM {table} ORDER BY 1, 2")))
    .collect()
}

/// Returns method and path of the writes that take a key, by the document.
fn documented() -> BTreeSet<(String, String)> {
    let document = openapi::document();
    let mut documented = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            if operation["parameters"].to_string().contains("IdempotencyKey") {
                documented.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    documented
}

/// A library with a provider and a mail server, which are not called here.
async fn with_provider_and_mail(database: Database) -> TestApp {
    let provider = known("http://127.0.0.1:9", |_| {});
    TestApp::with(database.into(), "Asia/Kolkata", |settings| {
        settings.provider = Some(provider);
        settings.post.mail = Some(post(25).into());
    })
    .await
}

async fn every_write_that_is_repeated_happens_once_and_answers_alike(database: Database) {
    let app = with_provider_and_mail(database).await;
    let (visitor, student, admin) = (app.visitor(), app.student(1).await, app.admin(0).await);
    let book = app.book("Godaan", 5).await;
    let etag = admin.get(&format!("/books/{book}")).await.etag();
    let doomed = app.book("Doomed", 1).await;
    let (back, longer) = (student.borrow(book).await, student.borrow(book).await);
    let copies = admin.get(&format!("/books/{book}/copies")).await.expect(200);
    let copies = copies["copies"].as_array().expect("a list");
    let copy = copies.iter().find(|copy| copy["state"] == "on-shelf").expect("one is left");
    let barcode =
        copies.iter().find(|copy| copy["state"] == "on-loan").expect("one is out")["barcode"].clone();
    let copy = copy["id"].as_i64().expect("an id");
    let dull = json!({ "rating": 2, "comment": "Dull." });
    let dull = student.post(&format!("/books/{doomed}/reviews"), &dull).await.expect(201);
    let (bala, chitra, waited) =
        (app.student(2).await, app.student(3).await, app.book("Waited for", 1).await);
    student.borrow(waited).await;
    let hold = bala.ask(&format!("/books/{waited}/holds")).await.expect(201)["id"].clone();
    let writes = [
        (
            &visitor,
            Write::new("POST", "/auth/register").body(registration("a@b.in", "four unrelated words")),
            "/auth/register",
        ),
        (
            &student,
            Write::new("PATCH", "/me").body(json!({ "name": "New", "rollNumber": "new", "department": "d" })),
            "/me",
        ),
        (&admin, Write::new("POST", "/books").body(form("New", 2)), "/books"),
        (
            &admin,
            Write {
                etag: Some(etag),
                ..Write::new("PUT", format!("/books/{book}")).body(form("Godaan, edited", 7))
            },
            "/books/{id}",
        ),
        (&student, Write::new("DELETE", format!("/reviews/{}", dull["id"])), "/reviews/{id}"),
        (&admin, Write::new("DELETE", format!("/books/{doomed}")), "/books/{id}"),
        (
            &student,
            Write::new("POST", format!("/books/{book}/reviews"))
                .body(json!({ "rating": 5, "comment": "Wonderful." })),
            "/books/{id}/reviews",
        ),
        (
            &student,
            Write::new("PUT", "/me/mail-choices").body(json!({ "refused": ["overdue"] })),
            "/me/mail-choices",
        ),
        (&student, Write::new("PUT", "/me/suggestions").body(json!({ "counted": false })), "/me/suggestions"),
        (&student, Write::new("POST", "/me/notices/read").body(json!({ "upTo": 1_000 })), "/me/notices/read"),
        (
            &admin,
            Write::new("POST", format!("/books/{book}/copies")).body(json!({ "barcodes": ["B-7"] })),
            "/books/{id}/copies",
        ),
        (
            &admin,
            Write::new("PATCH", format!("/copies/{copy}")).body(json!({ "note": "torn" })),
            "/copies/{id}",
        ),
        (
            &admin,
            Write::new("POST", format!("/copies/{copy}/move")).body(json!({ "state": "to-shelve" })),
            "/copies/{id}/move",
        ),
        (&admin, Write::new("POST", "/copies/shelve"), "/copies/shelve"),
        (&chitra, Write::new("POST", format!("/books/{waited}/holds")), "/books/{id}/holds"),
        (
            &admin,
            Write::new("POST", format!("/holds/{hold}/move")).body(json!({ "place": 2, "reason": "exam" })),
            "/holds/{id}/move",
        ),
        (&bala, Write::new("DELETE", format!("/holds/{hold}")), "/holds/{id}"),
        (&student, borrow(book), "/books/{id}/loans"),
        (&student, Write::new("POST", format!("/loans/{back}/return")), "/loans/{id}/return"),
        (&admin, Write::new("POST", format!("/loans/{longer}/extend")), "/loans/{id}/extend"),
        (&admin, Write::new("POST", "/desk/scans").body(json!({ "code": barcode })), "/desk/scans"),
    ];
    let phone = admin.post("/desk/phones", &json!({ "desk": "front-desk" })).await.expect(201)["id"].clone();
    let mut all = Vec::from(writes);
    all.extend(to_settings(&admin).await);
    all.extend(to_people(&admin).await.into_iter().chain(to_labels(&admin, copy).await));
    all.push((&admin, Write::new("DELETE", format!("/desk/phones/{phone}")), "/desk/phones/{id}"));
    all.extend(to_money(&admin, student.uid.0).await);
    all.push(to_the_provider(&student).await);
    all.extend(to_mails(&visitor, &admin).await);
    let here = app.student(6).await;
    all.extend(to_sessions(&here, &admin).await.into_iter().chain(to_the_collection(&admin).await));
    repeat(&app, &all).await;
}

/// A librarian's writes on the settings.
async fn to_settings<'a>(admin: &'a Person<'a>) -> [(&'a Person<'a>, Write, &'static str); 6] {
    let library = admin.get("/settings/library").await.expect(200);
    [
        (
            admin,
            Write::new("PUT", "/settings/rules")
                .body(json!({ "categories": [{ "name": "Student", "rules": {} }] })),
            "/settings/rules",
        ),
        (
            admin,
            Write::new("PUT", "/settings/calendar").body(json!({ "closedWeekdays": [7], "closedDates": [] })),
            "/settings/calendar",
        ),
        (admin, Write::new("PUT", "/settings/library").body(library), "/settings/library"),
        (
            admin,
            Write::new("PUT", "/settings/notices").body(json!({ "automatic": false })),
            "/settings/notices",
        ),
        (
            admin,
            Write::new("PUT", "/settings/mails/digest")
                .body(json!({ "en": { "subject": "s", "body": "{books}" }, "hi": null })),
            "/settings/mails/{kind}",
        ),
        (
            admin,
            Write::new("POST", "/settings/mails/digest/send")
                .body(json!({ "language": "en", "subject": "s", "body": "{books}" })),
            "/settings/mails/{kind}/send",
        ),
    ]
}

/// A librarian's writes on lists of titles, and on what waits for them.
async fn to_the_collection<'a>(admin: &'a Person<'a>) -> [(&'a Person<'a>, Write, &'static str); 6] {
    let app = admin.app;
    let (gone, kept) = (app.book("Gone for good", 1).await, app.book("Kept longer", 1).await);
    let loan = app.student(8).await.borrow(kept).await;
    let lost = app.student(8).await.borrow(gone).await;
    app.student(9).await.ask(&format!("/books/{gone}/holds")).await.expect(201);
    admin.post(&format!("/loans/{lost}/lost"), &json!({ "price": 0 })).await.expect(200);
    [
        (admin, Write::new("DELETE", format!("/books/{gone}/holds?reason=lost")), "/books/{id}/holds"),
        (
            admin,
            Write::new("POST", format!("/loans/{loan}/due-date"))
                .body(json!({ "returnDate": "2026-12-20", "reason": "ill" })),
            "/loans/{id}/due-date",
        ),
        (admin, Write::new("POST", "/loans/slips").body(json!({ "loans": [loan] })), "/loans/slips"),
        (
            admin,
            Write::new("POST", "/accessions").body(json!({ "title": "Quick", "barcodes": ["Q-1"] })),
            "/accessions",
        ),
        (admin, Write::new("POST", "/overview/printed"), "/overview/printed"),
        (admin, Write::new("PUT", "/overview/steps").body(json!({ "shown": true })), "/overview/steps"),
    ]
}

/// A visitor's and a librarian's requests for a mail, and a librarian's writes on mails.
async fn to_mails<'a>(
    visitor: &'a Person<'a>,
    admin: &'a Person<'a>,
) -> [(&'a Person<'a>, Write, &'static str); 5] {
    let (waiting, stopped) = (queued(admin.app, "a@x.org").await, queued(admin.app, "b@x.org").await);
    admin.ask(&format!("/mails/{stopped}/stop")).await.expect(204);
    let forgot = Write::new("POST", "/auth/forgot").body(json!({ "email": "student1@college.edu" }));
    [
        (visitor, forgot, "/auth/forgot"),
        (admin, Write::new("POST", "/me/address-link"), "/me/address-link"),
        (admin, Write::new("POST", format!("/mails/{waiting}/stop")), "/mails/{id}/stop"),
        (admin, Write::new("POST", format!("/mails/{stopped}/again")), "/mails/{id}/again"),
        (admin, Write::new("POST", "/mails/again").body(json!({ "day": "2026-11-21" })), "/mails/again"),
    ]
}

/// Unlinks a person, linked for this, from the college's provider.
async fn to_the_provider<'a>(person: &'a Person<'a>) -> (&'a Person<'a>, Write, &'static str) {
    let provider = person.app.state.settings.provider.clone().expect("there is one");
    let link = Link { user: person.uid, password_asked: false };
    assert!(person.app.store(move |tx| oidc::link(tx, provider.issuer(), "s", link, 0)).await);
    (person, Write::new("DELETE", "/me/oidc"), "/me/oidc")
}

/// Writes on a person's own sessions, and a librarian's on another person's.
async fn to_sessions<'a>(
    here: &'a Person<'a>,
    admin: &'a Person<'a>,
) -> [(&'a Person<'a>, Write, &'static str); 4] {
    here.app.student(6).await;
    let sessions = here.get("/me/sessions").await.expect(200)["sessions"].clone();
    here.app.student(6).await;
    let lost = here.app.student(7).await.uid;
    here.app.raw(&format!(
        "INSERT INTO authenticators (user_id, secret, begun_at, confirmed_at) VALUES ({lost}, 'GEZDGNBV', 1, 1)"
    ));
    [
        (here, Write::new("DELETE", format!("/me/sessions/{}", sessions[1]["id"])), "/me/sessions/{id}"),
        (here, Write::new("DELETE", "/me/sessions"), "/me/sessions"),
        (admin, Write::new("DELETE", format!("/people/{lost}/sessions")), "/people/{id}/sessions"),
        (admin, Write::new("DELETE", format!("/people/{lost}/second-factor")), "/people/{id}/second-factor"),
    ]
}

/// A librarian's writes on money.
async fn to_money<'a>(admin: &'a Person<'a>, person: i64) -> [(&'a Person<'a>, Write, &'static str); 10] {
    let gone = admin.app.student(5).await.borrow(admin.app.book("Gone", 1).await).await;
    let form = json!({ "amount": 3, "kind": "other", "reason": "r" });
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(admin.post(&format!("/people/{person}/charges"), &form).await.expect(201));
    }
    let (charge, change) = (&made[0]["charge"]["id"], &made[1]["change"]);
    let (wrong, paid) = (&made[2]["charge"]["id"], &made[3]["charge"]["id"]);
    let all_of_it = json!({ "amount": 3, "method": "cash", "charges": [paid] });
    admin.post(&format!("/people/{person}/payments"), &all_of_it).await.expect(201);
    let reason = json!({ "reason": "r" });
    admin.post(&format!("/charges/{paid}/reverse"), &reason).await.expect(200);
    let refund = json!({ "amount": 2, "method": "upi", "reference": "T-1" });
    let payment = json!({ "amount": 2, "method": "cash", "charges": [charge] });
    let waiver = json!({ "amount": 1, "reason": "r" });
    [
        (admin, Write::new("POST", format!("/people/{person}/charges")).body(form), "/people/{id}/charges"),
        (
            admin,
            Write::new("POST", format!("/people/{person}/payments")).body(payment),
            "/people/{id}/payments",
        ),
        (admin, Write::new("POST", format!("/charges/{charge}/waive")).body(waiver), "/charges/{id}/waive"),
        (admin, Write::new("POST", format!("/changes/{change}/undo")), "/changes/{id}/undo"),
        (
            admin,
            Write::new("POST", format!("/charges/{wrong}/reverse")).body(reason),
            "/charges/{id}/reverse",
        ),
        (admin, Write::new("POST", format!("/people/{person}/refunds")).body(refund), "/people/{id}/refunds"),
        (
            admin,
            Write::new("POST", format!("/loans/{gone}/lost")).body(json!({ "price": 2 })),
            "/loans/{id}/lost",
        ),
        (
            admin,
            Write::new("POST", "/receipts/2026-27%2F000002/reverse").body(json!({ "reason": "r" })),
            "/receipts/{number}/reverse",
        ),
        (admin, Write::new("POST", "/receipts/2026-27%2F000001/prints"), "/receipts/{number}/prints"),
        (
            admin,
            Write::new("POST", "/till/closings").body(json!({ "after": 0, "expected": 3, "counted": 3 })),
            "/till/closings",
        ),
    ]
}

/// A librarian's writes on labels.
async fn to_labels<'a>(admin: &'a Person<'a>, copy: i64) -> [(&'a Person<'a>, Write, &'static str); 3] {
    let roll = json!({
        "name": "roll", "pageWidth": 5000, "pageHeight": 2500, "columns": 1, "rows": 1, "width": 5000, "height": 2500,
        "left": 0, "top": 0, "lastLeft": 0, "lastTop": 0,
    });
    let sheet = admin.post("/label-sheets", &roll).await.expect(201)["id"].clone();
    let batch = json!({ "copies": [copy], "sheet": "A4" });
    let other = with(&roll, json!({ "name": "n" }));
    [
        (admin, Write::new("POST", "/label-batches").body(batch), "/label-batches"),
        (admin, Write::new("POST", "/label-sheets").body(other), "/label-sheets"),
        (admin, Write::new("DELETE", format!("/label-sheets/{sheet}")), "/label-sheets/{id}"),
    ]
}

/// A librarian's writes on people.
async fn to_people<'a>(admin: &'a Person<'a>) -> [(&'a Person<'a>, Write, &'static str); 13] {
    let (app, librarian) = (admin.app, admin.uid);
    // Making a librarian asks for the password.
    let hash = app.state.passwords.hash("four unrelated words".into()).await.expect("hashed");
    app.store(move |tx| {
        let person = Authority::command_line().over(tx, librarian).expect("somebody");
        library::storage::people::set_password(tx, &person, &hash)
    })
    .await;
    let someone = app.student(4).await.uid;
    let (keep, drop) = (admin.app.student(8).await.uid, admin.app.student(9).await.uid);
    let at = |rest: &str| format!("/people/{someone}{rest}");
    let file = "rollNumber,name\nim26-1,Imported\n";
    let import = Write { file: Some(file.into()), ..Write::new("POST", "/people/import?dryRun=false") };
    [
        (admin, import, "/people/import"),
        (
            admin,
            Write { file: Some(png([1, 2, 3])), ..Write::new("PUT", at("/photo")) },
            "/people/{id}/photo",
        ),
        (admin, Write::new("DELETE", at("/photo")), "/people/{id}/photo"),
        (
            admin,
            Write::new("POST", "/people/merge").body(json!({ "keep": keep, "drop": drop })),
            "/people/merge",
        ),
        (admin, Write::new("POST", "/people").body(json!({ "name": "Someone else" })), "/people"),
        (admin, Write::new("PATCH", at("")).body(json!({ "department": "Chemistry" })), "/people/{id}"),
        (admin, Write::new("POST", at("/deactivate")), "/people/{id}/deactivate"),
        (admin, Write::new("POST", at("/activate")), "/people/{id}/activate"),
        (admin, Write::new("POST", at("/no-dues")), "/people/{id}/no-dues"),
        (
            admin,
            Write::new("POST", "/people/promote").body(json!({ "fromBatch": "2027", "toBatch": "2028" })),
            "/people/promote",
        ),
        (admin, Write::new("POST", "/people/no-dues").body(json!({ "batch": "2027" })), "/people/no-dues"),
        (
            admin,
            Write::new("POST", at("/role"))
                .body(json!({ "role": "admin", "password": "four unrelated words" })),
            "/people/{id}/role",
        ),
        (admin, Write::new("DELETE", at("")), "/people/{id}"),
    ]
}

/// Sends each of these writes, which must be all there are, and repeats it twice.
async fn repeat(app: &TestApp, writes: &[(&Person<'_>, Write, &str)]) {
    let tried: BTreeSet<(String, String)> =
        writes.iter().map(|(_, write, path)| (write.method.to_owned(), (*path).to_owned())).collect();
    let mut all = documented();
    // Jobs go on after their answer: `book_import` and `backups` repeat them.
    all.retain(|(_, path)| !path.starts_with("/imports/") && path != "/backups");
    assert_eq!(tried, all, "every write that takes a key is tried here");

    for (person, write, path) in writes {
        let key = format!("{} {path}", write.method);
        let first = write.send(person, &key).await;
        assert!((200..300).contains(&first.status) && !replayed(&first), "{path}: {first:?}");
        // The answer got lost.
        let before = state(app);
        for _ in 0..2 {
            let again = write.send(person, &key).await;
            assert!(replayed(&again), "{path}: {again:?}");
            assert_eq!((again.status, &again.text), (first.status, &first.text), "{path}");
            for header in ["etag", "location", "content-type", "cache-control"] {
                assert_eq!(again.header(header), first.header(header), "{path}: {header}");
            }
        }
        assert_eq!(state(app), before, "{path}");
    }
}

async fn of_50_repeats_at_the_same_moment_at_two_servers_one_happens_and_all_get_its_answer(
    database: Database,
) {
    let database = Arc::new(database);
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let student = here.student(1).await;
    let book = here.book("Godaan", 50).await;
    for round in 0..3 {
        let mut running = JoinSet::new();
        for n in 0..50 {
            let router = if n % 2 == 0 { here.router.clone() } else { there.router.clone() };
            let request = borrow(book).request(&student, &format!("round {round}"));
            running.spawn(async move {
                let answer = router.oneshot(request).await.unwrap_or_else(|never| match never {});
                let (status, first) =
                    (answer.status().as_u16(), answer.headers().get("idempotent-replayed").is_none());
                let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("a body");
                ((status, String::from_utf8_lossy(&body).into_owned()), first)
            });
        }
        let answers = running.join_all().await;
        assert_eq!(answers[0].0.0, 201, "{answers:?}");
        assert!(
            answers.iter().all(|(answer, _)| *answer == answers[0].0),
            "all get the same answer: {answers:?}"
        );
        assert_eq!(answers.iter().filter(|(_, first)| *first).count(), 1);
        assert_eq!(on_loan(&here, book), round + 1);
    }
}

async fn a_key_used_for_another_request_is_refused_and_changes_nothing(database: Database) {
    let app = TestApp::on(database).await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let (book, other) = (app.book("Godaan", 5).await, app.book("Nirmala", 5).await);
    let review = Write::new("POST", format!("/books/{book}/reviews"));
    let good = review.clone().body(json!({ "rating": 5, "comment": "Good." }));
    good.send(&student, "k").await.expect(201);
    let before = state(&app);
    for another in [
        review.body(json!({ "rating": 1, "comment": "Good." })),
        Write { path: format!("/books/{other}/reviews"), ..good.clone() },
        borrow(book),
    ] {
        let refused = another.send(&student, "k").await;
        refused.problem(422, "idempotency-key-reused");
    }
    assert_eq!(state(&app), before);
    // The same content in another spelling is the same request.
    let mut request = student.request("POST", &good.path, Some(&json!({})));
    request.headers_mut().insert(KEY, "k".parse().expect("a header"));
    *request.body_mut() = Body::from(r#"{  "comment": "Good.",  "rating": 5 }"#);
    assert!(replayed(&student.send(request).await));
    let deleted = Write::new("DELETE", format!("/books/{other}"));
    deleted.send(&admin, "k").await.expect(204);
}

async fn another_persons_same_key_is_another_key(database: Database) {
    let app = TestApp::on(database).await;
    let (ravi, asha) = (app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 5).await;
    let first = borrow(book).send(&ravi, "1").await.expect(201);
    let second = borrow(book).send(&asha, "1").await;
    assert!(!replayed(&second));
    assert_ne!(second.expect(201)["userId"], first["userId"]);
    let visitor = Write::new("POST", "/auth/register").body(registration("new@b.in", "four unrelated words"));
    visitor.send(&app.visitor(), "1").await.expect(201);
    assert_eq!(on_loan(&app, book), 2);
}

async fn a_refused_write_is_decided_anew(database: Database) {
    let app = TestApp::on(database).await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    let loan = admin.app.student(2).await.borrow(book).await;
    for _ in 0..2 {
        borrow(book).send(&student, "k").await.problem(409, "book-unavailable");
    }
    admin.post(&format!("/loans/{loan}/return"), &json!({ "restock": true })).await.expect(204);
    let lent = borrow(book).send(&student, "k").await;
    assert!(!replayed(&lent));
    lent.expect(201);
    assert!(replayed(&borrow(book).send(&student, "k").await));
}

async fn an_answer_is_kept_for_48_hours(database: Database) {
    let app = TestApp::on(database).await;
    let student = app.student(1).await;
    let book = app.book("Godaan", 50).await;
    app.raw("DELETE FROM idempotency");
    for n in 0..20 {
        borrow(book).send(&student, &format!("early {n}")).await.expect(201);
    }
    let kept = || {
        let rows = app.raw("SELECT COUNT(*) FROM idempotency WHERE key LIKE 'early %'");
        rows[0][0].clone().unwrap_or_default()
    };
    app.set_clock("2026-11-23T05:59:59Z");
    assert!(replayed(&borrow(book).send(&student, "early 0").await));
    borrow(book).send(&student, "soon").await.expect(201);
    assert_eq!(kept(), "20");
    app.set_clock("2026-11-23T06:00:00Z");
    for n in 0..16 {
        borrow(book).send(&student, &format!("late {n}")).await.expect(201);
    }
    assert_eq!(kept(), "0", "every sixteenth clears away what is past its time");
    assert!(replayed(&borrow(book).send(&student, "late 0").await));
}

#[tokio::test]
async fn no_trace_of_a_password_is_kept() {
    let app = TestApp::new().await;
    let register = |password: &str| {
        Write::new("POST", "/auth/register").body(registration("asha@college.edu", password))
    };
    let made = register("four unrelated words").send(&app.visitor(), "k").await;
    made.expect(201);
    assert_eq!(made.header("set-cookie"), None);
    // A request with another password is the same request.
    assert!(replayed(&register("five quite unrelated words").send(&app.visitor(), "k").await));
    let sign_in = Write::new("POST", "/auth/sign-in")
        .body(json!({ "email": "asha@college.edu", "password": "four unrelated words" }));
    let (first, second) = (app.visitor(), app.visitor());
    for person in [&first, &second] {
        assert!(!replayed(&sign_in.send(person, "s").await));
    }
    assert_ne!(first.cookie(), second.cookie(), "a session each");
    let rows = app.raw("SELECT key, body FROM idempotency");
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].iter().flatten().any(|cell| cell.contains("words")), "{rows:?}");
}

#[tokio::test]
async fn a_key_that_is_none_is_refused_before_anything_is_done() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let book = app.book("Godaan", 1).await;
    for key in [String::new(), "k".repeat(129), "a\tb".into()] {
        assert_eq!(borrow(book).send(&student, &key).await.wrong_fields(), [KEY], "{key:?}");
    }
    let mut twice = borrow(book).request(&student, "a");
    twice.headers_mut().append(KEY, "b".parse().expect("a header"));
    assert_eq!(student.send(twice).await.wrong_fields(), [KEY]);
    assert_eq!(on_loan(&app, book), 0);
    let long = Write::new("POST", format!("/books/{book}/reviews"))
        .body(json!({ "rating": 1, "comment": "c".repeat(70_000) }));
    long.send(&student, "k").await.problem(413, "payload-too-large");
    borrow(book).send(&student, &"~ ".repeat(63)).await.expect(201);
}

#[tokio::test]
async fn a_write_without_a_key_keeps_nothing() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let book = app.book("Godaan", 5).await;
    app.raw("DELETE FROM idempotency");
    for _ in 0..2 {
        student.send(student.request("POST", &borrow(book).path, None)).await.expect(201);
    }
    assert_eq!(on_loan(&app, book), 2);
    assert_eq!(app.raw("SELECT COUNT(*) FROM idempotency"), [[Some("0".to_owned())]]);
}

#[tokio::test]
async fn a_repeat_needs_the_rights_of_the_first() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let book = app.book("Godaan", 5).await;
    borrow(book).send(&student, "k").await.expect(201);
    let before = student.copy();
    student.ask("/auth/sign-out").await.expect(204);
    borrow(book).send(&before, "k").await.problem(401, "not-signed-in");
}

const PASS: u8 = 0;
const CUT_BEFORE_COMMIT: u8 = 1;
const CUT_AFTER_COMMIT: u8 = 2;

/// A connection to `PostgreSQL` that can be cut at the next COMMIT: before COMMIT arrives, or before its answer does.
struct Cable {
    port: u16,
    next_commit: Arc<AtomicU8>,
}

impl Cable {
    fn to(server: (String, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let next_commit = Arc::new(AtomicU8::new(PASS));
        let armed = Arc::clone(&next_commit);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect((server.0.as_str(), server.1)) else { continue };
                let deaf = Arc::new(AtomicBool::new(false));
                let (asking, answering) = (client.try_clone(), server.try_clone());
                let (Ok(asking), Ok(answering)) = (asking, answering) else { continue };
                let (armed, deafened) = (Arc::clone(&armed), Arc::clone(&deaf));
                std::thread::spawn(move || {
                    carry(asking, server, |bytes| {
                        if !bytes.windows(6).any(|word| word == b"COMMIT") {
                            return true;
                        }
                        let cut = armed.swap(PASS, Ordering::SeqCst);
                        deafened.store(cut == CUT_AFTER_COMMIT, Ordering::SeqCst);
                        cut != CUT_BEFORE_COMMIT
                    });
                });
                std::thread::spawn(move || carry(answering, client, |_| !deaf.load(Ordering::SeqCst)));
            }
        });
        Self { port, next_commit }
    }
}

/// Forwards bytes until `pass` refuses or an end closes; then closes both ends.
fn carry(mut from: TcpStream, mut to: TcpStream, pass: impl Fn(&[u8]) -> bool) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !pass(&bytes[..count]) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for end in [from, to] {
        let _ = end.shutdown(Shutdown::Both);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_nobody_knows_whether_it_happened_a_repeat_makes_sure_p11() {
    let mut database = Database::ready_postgres();
    let Location::Postgres(url) = &database.location else { panic!("a server") };
    let mut url: url::Url = url.parse().expect("a URL");
    let server = (url.host_str().expect("a host").to_owned(), url.port().unwrap_or(5432));
    let cable = Cable::to(server);
    url.set_host(Some("127.0.0.1")).expect("a host");
    url.set_port(Some(cable.port)).expect("a port");
    database.location = Location::Postgres(url.into());
    let app = TestApp::on(database).await;
    let student = app.student(1).await;
    let book = app.book("Godaan", 9).await;
    for (n, cut, stored) in [(1, CUT_BEFORE_COMMIT, false), (2, CUT_AFTER_COMMIT, true)] {
        let key = format!("k{n}");
        cable.next_commit.store(cut, Ordering::SeqCst);
        borrow(book).send(&student, &key).await.problem(503, "outcome-unknown");
        let again = borrow(book).send(&student, &key).await;
        assert_eq!(replayed(&again), stored);
        again.expect(201);
        assert_eq!(on_loan(&app, book), n, "one loan each");
    }
}
