//! Access control: accepted callers, cross-site requests, and the headers of every answer.

use axum::{
    body::Body,
    http::{Request, header},
};
use library::{
    domain::{account::Capability, id::PhoneId},
    http::{
        access::{Access, Loosened, TABLE},
        session,
    },
    storage::phones::{self, Pairing},
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, HOST, Person, TestApp, form},
    authority::{give, governs},
};

/// Returns a body with which the call would succeed, if it needs one.
fn body(method: &str, path: &str) -> Option<Value> {
    let body = match (method, path) {
        ("POST", "/auth/register") => json!({
            "name": "n", "email": "new@college.edu", "password": "four unrelated words", "rollNumber": "new",
            "department": "d", "batch": "2027",
        }),
        ("POST", "/auth/sign-in") => json!({ "email": "nobody@college.edu", "password": "wrong words" }),
        ("POST", "/auth/redeem") => {
            json!({ "rollNumber": "nobody", "code": "AAAA-BBBB", "password": "four unrelated words" })
        }
        ("POST", "/auth/forgot") => json!({ "email": "nobody@college.edu" }),
        ("POST", "/auth/reset/check") => json!({ "token": "t" }),
        ("POST", "/auth/reset") => json!({ "token": "t", "password": "four unrelated words" }),
        ("POST", "/setup") => json!({
            "code": "AAAA-BBBB", "name": "n", "email": "first@college.edu", "password": "four unrelated words",
        }),
        ("PUT", "/overview/steps") => json!({ "shown": true }),
        // Students 8 and 9 are created for it.
        ("POST", "/people/merge") => json!({ "keep": 0, "drop": 0, "dryRun": true }),
        ("POST", "/people/sign-in-codes" | "/people/no-dues") => json!({ "batch": "2099" }),
        ("POST", "/people/promote") => json!({ "fromBatch": "2099", "toBatch": "2100" }),
        ("POST", "/people/{id}/role") => json!({ "role": "admin", "password": "not the one" }),
        ("POST", "/auth/oidc/link") => json!({ "password": "not the one" }),
        ("POST", "/auth/oidc") => json!({ "next": "/home" }),
        ("PATCH", "/people/{id}") => json!({ "department": "d" }),
        ("POST", "/auth/id-card") => json!({ "rollNumber": "nobody" }),
        ("POST", "/books") | ("PUT", "/books/{id}") => form("t", 3),
        ("POST", "/books/{id}/reviews") => json!({ "rating": 3, "comment": "c" }),
        ("POST", "/auth/password") => {
            json!({ "currentPassword": "not the one", "newPassword": "four unrelated words" })
        }
        ("POST", "/auth/sign-in/code" | "/auth/authenticator/confirm") => json!({ "code": "000000" }),
        ("POST", "/auth/authenticator" | "/auth/passkeys" | "/auth/passkeys/{id}/remove") => {
            json!({ "currentPassword": "not the one" })
        }
        ("POST", "/auth/passkeys/confirm") => {
            json!({ "name": "n", "clientData": "", "attestationObject": "" })
        }
        ("POST", "/auth/sign-in/passkey/begin") => json!({}),
        ("POST", "/auth/sign-in/passkey") => {
            json!({ "credentialId": "", "clientData": "", "authenticatorData": "", "signature": "" })
        }
        ("POST", "/auth/authenticator/remove" | "/auth/recovery-codes") => {
            json!({ "currentPassword": "not the one", "code": "000000" })
        }
        ("PATCH", "/me") => json!({ "name": "n", "rollNumber": "r", "department": "d" }),
        ("PUT" | "POST", "/settings/rules" | "/settings/rules/preview") => {
            json!({ "categories": [{ "name": "Student", "rules": {} }] })
        }
        ("PUT" | "POST", "/settings/calendar" | "/settings/calendar/preview") => {
            json!({ "closedWeekdays": [], "closedDates": [] })
        }
        ("PUT", "/settings/library") | ("POST", "/settings/library/preview" | "/people") => {
            json!({ "name": "n" })
        }
        ("PUT", "/settings/notices") => json!({ "automatic": true }),
        ("POST", "/mails/again") => json!({ "day": "2026-11-21" }),
        ("PUT", "/settings/mails/{kind}") => json!({ "en": null, "hi": null }),
        ("POST", "/settings/mails/{kind}/preview" | "/settings/mails/{kind}/send") => {
            json!({ "language": "en", "subject": "s", "body": "{books}" })
        }
        ("POST", "/me/notices/read") => json!({ "upTo": 1 }),
        ("PUT", "/me/mail-choices") => json!({ "refused": [] }),
        ("PUT", "/me/suggestions") => json!({ "counted": true }),
        ("POST", "/books/{id}/copies") => json!({ "count": 1 }),
        ("POST", "/loans/{id}/due-date") => json!({ "returnDate": "2027-01-15", "reason": "r" }),
        ("POST", "/loans/slips") => json!({ "loans": [1] }),
        ("POST", "/accessions") => json!({ "title": "Quick" }),
        ("PATCH", "/copies/{id}") => json!({ "note": "n" }),
        ("POST", "/copies/{id}/move") => json!({ "state": "to-shelve" }),
        ("POST", "/holds/{id}/move") => json!({ "place": 1, "reason": "r" }),
        ("POST", "/desk/phones") => json!({ "desk": "a desk of the tests" }),
        ("POST", "/phone/open") => json!({ "code": "a code of the tests", "token": "t".repeat(43) }),
        ("POST", "/phone/scans") => json!({ "key": "a key of the tests", "code": "c" }),
        ("POST", "/desk/scans") => json!({ "code": "nothing of this library" }),
        ("POST", "/people/{id}/charges") => json!({ "amount": 5, "kind": "other", "reason": "r" }),
        ("POST", "/people/{id}/payments") => json!({ "amount": 5, "method": "cash" }),
        ("POST", "/charges/{id}/waive" | "/charges/{id}/reverse" | "/receipts/{number}/reverse") => {
            json!({ "reason": "r" })
        }
        ("POST", "/loans/{id}/lost") => json!({ "price": 0 }),
        ("POST", "/people/{id}/refunds") => json!({ "amount": 1, "method": "cash" }),
        ("POST", "/label-batches") => json!({ "copies": [1], "sheet": "s" }),
        ("POST", "/label-sheets") => json!({
            "name": "s", "pageWidth": 5000, "pageHeight": 2500, "columns": 1, "rows": 1, "width": 5000, "height": 2500,
            "left": 0, "top": 0, "lastLeft": 0, "lastTop": 0,
        }),
        ("POST", "/vitals") => json!({ "metrics": [] }),
        _ => return None,
    };
    Some(body)
}

/// Pairs a phone with this person's session as its desk.
async fn paired(person: &Person<'_>) -> PhoneId {
    let (uid, now) = (person.uid, person.app.clock.now());
    let cookie = person.cookie().unwrap_or_default();
    let session = session::hashed(cookie.rsplit('=').next().unwrap_or_default());
    let token = session::hashed(&session::new_token().expect("randomness"));
    let desk = "a desk of the tests";
    match person.app.store(move |tx| phones::pair(tx, uid, &session, desk, &token, now)).await {
        Pairing::Begun(id) => id,
        _ => PhoneId(1),
    }
}

/// Stores an import that is done; returns its id.
fn import_done(app: &TestApp, kind: &str) -> i64 {
    app.raw(&format!(
        "INSERT INTO imports (file_name, state, row_count, done, added, more, copies, known, clashes, rejected, rejects,
                              started_at, updated_at, kind)
         VALUES ('list.csv', 'done', 0, 0, 0, 0, 0, 0, 0, 0, '', 0, 0, '{kind}')"
    ));
    let last = app.raw("SELECT MAX(id) FROM imports");
    last[0][0].as_deref().and_then(|id| id.parse().ok()).expect("a number")
}

/// Makes one call of the table as this person, on a book and a loan of student 1 created for it.
async fn call(
    person: &Person<'_>,
    method: &str,
    path: &str,
    change: impl FnOnce(&mut Request<Body>),
) -> Answer {
    let app = person.app;
    let book = app.book("Book", 3).await;
    let loan = app.student(1).await.borrow(book).await;
    let mut body = body(method, path);
    let mut receipt = String::new();
    let id = if path.starts_with("/loans") {
        loan
    } else if path.contains("/holds") {
        // Student 9 has the only copy; the hold is student 1's, or reserved for him by a librarian.
        let waited = app.book("Waited for", 1).await;
        app.student(9).await.borrow(waited).await;
        let admin = app.admin(0).await;
        let first = app.student(1).await;
        if person.uid == admin.uid && method == "POST" && path.starts_with("/books") {
            body = Some(json!({ "person": first.uid }));
        }
        match path {
            _ if path.starts_with("/holds/{id}") => {
                let hold = first.ask(&format!("/books/{waited}/holds")).await.expect(201);
                hold["id"].as_i64().expect("an id")
            }
            _ if path.starts_with("/people") => first.uid.0,
            _ => waited,
        }
    } else if path.starts_with("/copies") {
        let copies = app.admin(0).await.get(&format!("/books/{book}/copies")).await.expect(200);
        copies["copies"][2]["id"].as_i64().expect("an id")
    } else if path.starts_with("/changes/") {
        let lent = app.admin(0).await.get(&format!("/changes?book={book}&action=lent")).await.expect(200);
        lent["changes"][0]["id"].as_i64().expect("an id")
    } else if path.starts_with("/charges")
        || path.ends_with("/payments")
        || path.ends_with("/charges")
        || path.ends_with("/refunds")
        || path.starts_with("/receipts")
    {
        let (uid, admin) = (app.student(8).await.uid, app.admin(0).await);
        let charge = json!({ "amount": 5, "kind": "other", "reason": "r" });
        let made = admin.post(&format!("/people/{uid}/charges"), &charge).await.expect(201);
        if path.starts_with("/receipts") {
            let payment = json!({ "amount": 5, "method": "cash" });
            let paid = admin.post(&format!("/people/{uid}/payments"), &payment).await.expect(201);
            receipt = paid["receipt"]["number"].as_str().expect("a number").replace('/', "%2F");
        }
        if path.ends_with("/refunds") {
            // Paid before its reversal, so that there is credit.
            let charge = &made["charge"]["id"];
            let payment = json!({ "amount": 5, "method": "cash", "charges": [charge] });
            admin.post(&format!("/people/{uid}/payments"), &payment).await.expect(201);
            admin.post(&format!("/charges/{charge}/reverse"), &json!({ "reason": "r" })).await.expect(200);
        }
        if path.starts_with("/people") { uid.0 } else { made["charge"]["id"].as_i64().expect("an id") }
    } else if path.starts_with("/people") {
        app.student(3).await.uid.0
    } else if path.starts_with("/me/sessions/") {
        let own = person.get("/me/sessions").await.json();
        own["sessions"][0]["id"].as_i64().unwrap_or(1)
    } else if path.starts_with("/desk/phone") {
        paired(person).await.0
    } else if path.starts_with("/reviews") {
        let review = json!({ "rating": 3, "comment": "c" });
        let written = app.student(1).await.post(&format!("/books/{book}/reviews"), &review).await.expect(201);
        written["id"].as_i64().expect("a number")
    } else {
        book
    };
    let import = path.strip_prefix("/imports/").and_then(|path| path.split_once("/{id}"));
    let id = import.map_or(id, |(kind, _)| import_done(app, kind));
    if path == "/people/merge" {
        let (keep, drop) = (app.student(8).await.uid, app.student(9).await.uid);
        body = Some(json!({ "keep": keep, "drop": drop, "dryRun": true }));
    }
    if (method, path) == ("POST", "/till/closings") {
        let till = app.admin(0).await.get("/till").await.expect(200);
        body = Some(json!({ "after": till["after"], "expected": till["expected"], "counted": 0 }));
    }
    let path = path.replace("{id}", &id.to_string()).replace("{number}", &receipt);
    let path = path.replace("{name}", "library-2026-11-20.db").replace("{kind}", "digest");
    let query = if path == "/desk/phone-scans" { "?desk=a%20desk%20of%20the%20tests" } else { "" };
    let mut request = person.request(method, &format!("{path}{query}"), body.as_ref());
    if path == "/people/import" || path == "/imports/people/columns" {
        *request.body_mut() = Body::from("rollNumber\n");
    }
    if method == "POST" && !path.ends_with("/undo") {
        for (kind, header) in [
            ("books", "title\n"),
            ("loans", "barcode,rollNumber,lent,due\n"),
            ("charges", "rollNumber,amount\n"),
        ] {
            if path.starts_with(&format!("/imports/{kind}")) {
                *request.body_mut() = Body::from(header);
            }
        }
    }
    if method == "PUT" && path.starts_with("/books") {
        let etag = app.visitor().get(&format!("/books/{book}")).await.etag();
        request.headers_mut().insert(header::IF_MATCH, etag.parse().expect("a header"));
    }
    change(&mut request);
    person.send(request).await
}

/// Kinds of callers.
const ACTORS: [&str; 5] = ["visitor", "student", "other student", "librarian without rights", "admin"];

/// Creates a caller with their own session, because some calls end it.
async fn actor<'a>(app: &'a TestApp, name: &str) -> Person<'a> {
    match name {
        "visitor" => app.visitor(),
        "student" => app.student(1).await,
        "other student" => app.student(2).await,
        "librarian without rights" => {
            let librarian = app.admin(5).await;
            app.raw("UPDATE users SET capabilities = '' WHERE name = 'Librarian 5'");
            app.state.sessions.forget_person(librarian.uid);
            librarian
        }
        _ => app.admin(0).await,
    }
}

/// Returns the refusal that the table prescribes for a caller, if any.
fn refusal(access: Access, actor: &str) -> Option<(u16, &'static str)> {
    match (access, actor) {
        // No session has a phone's token.
        (Access::Phone, _) => Some((401, "phone-ended")),
        (Access::Anyone, _) => None,
        (_, "visitor") => Some((401, "not-signed-in")),
        (Access::Admin | Access::May(_) | Access::Both(..), "student" | "other student")
        | (Access::Student, "admin" | "librarian without rights")
        | (Access::May(_) | Access::Both(..) | Access::StudentOrMay(_), "librarian without rights") => {
            Some((403, "forbidden"))
        }
        _ => None,
    }
}

/// True if the answer is that refusal.
fn is_refused(answer: &Answer, (status, code): (u16, &str)) -> bool {
    answer.status == status && answer.json()["code"] == code
}

#[tokio::test]
async fn every_call_is_open_to_exactly_those_the_table_names_r_role_1() {
    let app = TestApp::new().await;
    for (method, path, access) in TABLE {
        for name in ACTORS {
            let person = actor(&app, name).await;
            let answer = call(&person, method, path, |_| {}).await;
            let context = format!("{name}: {method} {path} → {} {}", answer.status, answer.text);
            let strangers =
                ["/loans/", "/reviews/", "/holds/", "/changes/"].iter().any(|start| path.starts_with(start))
                    && name == "other student";
            match refusal(*access, name) {
                Some(refusal) => assert!(is_refused(&answer, refusal), "{context}"),
                None if strangers => assert!(is_refused(&answer, (404, "not-found")), "{context}"),
                None => {
                    let expected = match *path {
                        "/auth/sign-in"
                        | "/auth/sign-in/code"
                        | "/auth/sign-in/passkey"
                        | "/auth/redeem"
                        | "/auth/reset"
                        | "/auth/reset/check" => 401..=401,
                        // No passkey ceremony has begun; no mail server is configured.
                        "/auth/passkeys/confirm" | "/settings/mails/{kind}/send" => 409..=409,
                        "/auth/id-card"
                        // No mail server is configured, and there is no mail.
                        | "/auth/forgot"
                        | "/me/address-link"
                        | "/mails/{id}/stop"
                        | "/mails/{id}/again"
                        | "/no-dues/{number}"
                        | "/auth/passkeys/{id}/remove"
                        // No closing has this number.
                        | "/till/closings/{id}"
                        // The library has no sheet of its own.
                        | "/label-sheets/{id}"
                        // No folder for backups is configured.
                        | "/backups/{name}" => 404..=404,
                        // The test sends no picture.
                        "/covers" | "/imports/photos" | "/imports/photos/check" if *method == "POST" => 422..=422,
                        "/people/{id}/photo" if *method == "PUT" => 422..=422,
                        // The person has no photo.
                        "/people/{id}/photo" if *method == "GET" => 404..=404,
                        "/phone/open" => 410..=410,
                        // The library has a librarian; no folder for backups is configured.
                        "/setup" | "/backups" if *method == "POST" => 409..=409,
                        // No provider is configured.
                        path if path.contains("/oidc") => 404..=404,
                        // No source for a look-up is configured.
                        path if path.contains("/isbn-look-ups") => 404..=404,
                        // The test does not know the password.
                        "/people/{id}/role" | "/auth/password" | "/auth/recovery-codes" => 422..=422,
                        path if path.starts_with("/auth/authenticator") => 422..=422,
                        "/auth/passkeys" => 422..=422,
                        // A copy is on the shelf: a reservation can be filled.
                        "/books/{id}/holds" if *method == "DELETE" => 422..=422,
                        // The handler checks the capability that the change asks for.
                        "/changes/{id}/undo" if name == "librarian without rights" => 403..=403,
                        // The same person registers, or takes the roll number, again.
                        "/auth/register" | "/me" => 200..=409,
                        _ => 200..=299,
                    };
                    let forbidden = answer.status == 403 && !expected.contains(&403);
                    assert!(expected.contains(&answer.status) && !forbidden, "{context}");
                }
            }
        }
    }
}

/// The calls of each capability (R-PEOPLE-8), written out a second time: the test above takes its expectations from the table
/// itself, and cannot see that a call asks for the wrong capability.
const BY_CAPABILITY: [(Capability, &[(&str, &str)]); 5] = [
    (
        Capability::Desk,
        &[
            ("POST", "/copies/{id}/move"),
            ("POST", "/copies/shelve"),
            ("POST", "/desk/scans"),
            ("GET", "/desk/today"),
            ("GET", "/desk/phones"),
            ("POST", "/desk/phones"),
            ("DELETE", "/desk/phones/{id}"),
            ("GET", "/desk/phone-scans"),
            ("POST", "/people/{id}/payments"),
            ("GET", "/loans.csv"),
            ("GET", "/holds.csv"),
            ("GET", "/till"),
            ("POST", "/till/closings"),
            ("GET", "/till/closings"),
            ("GET", "/till/closings/{id}"),
            ("POST", "/loans/{id}/lost"),
            ("POST", "/loans/{id}/return"),
            ("POST", "/loans/{id}/extend"),
            ("POST", "/loans/{id}/due-date"),
            ("POST", "/loans/slips"),
            ("POST", "/books/{id}/holds"),
            ("DELETE", "/books/{id}/holds"),
            ("DELETE", "/holds/{id}"),
            ("POST", "/holds/{id}/move"),
            ("GET", "/imports/loans"),
            ("POST", "/imports/loans"),
            ("POST", "/imports/loans/columns"),
            ("POST", "/imports/loans/check"),
            ("GET", "/imports/loans/{id}"),
            ("GET", "/imports/loans/{id}/rejected.csv"),
            ("POST", "/imports/loans/{id}/undo"),
        ],
    ),
    (
        Capability::Catalogue,
        &[
            ("POST", "/books"),
            ("PUT", "/books/{id}"),
            ("DELETE", "/books/{id}"),
            ("POST", "/accessions"),
            ("GET", "/isbn-look-ups/{isbn}"),
            ("POST", "/covers"),
            ("POST", "/books/{id}/copies"),
            ("PATCH", "/copies/{id}"),
            ("GET", "/imports/books"),
            ("POST", "/imports/books"),
            ("POST", "/imports/books/columns"),
            ("POST", "/imports/books/check"),
            ("GET", "/imports/books/{id}"),
            ("GET", "/imports/books/{id}/rejected.csv"),
            ("POST", "/imports/books/{id}/undo"),
            ("GET", "/books.mrc"),
            ("GET", "/labels"),
            ("GET", "/labels.csv"),
            ("GET", "/label-batches"),
            ("POST", "/label-batches"),
            ("GET", "/label-sheets"),
            ("POST", "/label-sheets"),
            ("DELETE", "/label-sheets/{id}"),
        ],
    ),
    (
        Capability::People,
        &[
            ("GET", "/mails"),
            ("GET", "/mails/tomorrow"),
            ("POST", "/mails/{id}/stop"),
            ("POST", "/mails/{id}/again"),
            ("POST", "/mails/again"),
            ("POST", "/people"),
            ("POST", "/people/import"),
            ("POST", "/imports/people/columns"),
            ("GET", "/imports/people"),
            ("GET", "/imports/people/{id}"),
            ("GET", "/imports/people/{id}/rejected.csv"),
            ("POST", "/imports/people/{id}/undo"),
            ("POST", "/imports/photos/check"),
            ("POST", "/imports/photos"),
            ("GET", "/imports/photos"),
            ("GET", "/imports/photos/{id}"),
            ("GET", "/imports/photos/{id}/rejected.csv"),
            ("POST", "/imports/photos/{id}/undo"),
            ("PUT", "/people/{id}/photo"),
            ("DELETE", "/people/{id}/photo"),
            ("GET", "/people.csv"),
            ("GET", "/people/{id}/data"),
            ("DELETE", "/people/{id}"),
            ("POST", "/people/promote"),
            ("POST", "/people/no-dues"),
            ("POST", "/people/merge"),
            ("POST", "/people/{id}/role"),
            ("POST", "/people/{id}/no-dues"),
            ("PATCH", "/people/{id}"),
            ("POST", "/people/{id}/deactivate"),
            ("POST", "/people/{id}/activate"),
            ("POST", "/people/{id}/sign-in-code"),
            ("POST", "/people/sign-in-codes"),
            ("DELETE", "/people/{id}/sessions"),
            ("DELETE", "/people/{id}/second-factor"),
            ("GET", "/imports/loans"),
            ("POST", "/imports/loans"),
            ("POST", "/imports/loans/columns"),
            ("POST", "/imports/loans/check"),
            ("GET", "/imports/loans/{id}"),
            ("GET", "/imports/loans/{id}/rejected.csv"),
            ("POST", "/imports/loans/{id}/undo"),
            ("GET", "/imports/charges"),
            ("POST", "/imports/charges"),
            ("POST", "/imports/charges/columns"),
            ("POST", "/imports/charges/check"),
            ("GET", "/imports/charges/{id}"),
            ("GET", "/imports/charges/{id}/rejected.csv"),
            ("POST", "/imports/charges/{id}/undo"),
        ],
    ),
    (
        Capability::Money,
        &[
            ("POST", "/people/{id}/charges"),
            ("POST", "/charges/{id}/waive"),
            ("POST", "/charges/{id}/reverse"),
            ("POST", "/receipts/{number}/reverse"),
            ("POST", "/people/{id}/refunds"),
            ("GET", "/money/debtors"),
            ("GET", "/money/lines"),
            ("GET", "/money/lines.csv"),
            ("GET", "/money/totals"),
            ("GET", "/money/takings"),
            ("GET", "/imports/charges"),
            ("POST", "/imports/charges"),
            ("POST", "/imports/charges/columns"),
            ("POST", "/imports/charges/check"),
            ("GET", "/imports/charges/{id}"),
            ("GET", "/imports/charges/{id}/rejected.csv"),
            ("POST", "/imports/charges/{id}/undo"),
        ],
    ),
    (
        Capability::Settings,
        &[
            ("PUT", "/settings/rules"),
            ("POST", "/settings/rules/preview"),
            ("PUT", "/settings/calendar"),
            ("POST", "/settings/calendar/preview"),
            ("PUT", "/settings/library"),
            ("POST", "/settings/library/preview"),
            ("PUT", "/settings/notices"),
            ("PUT", "/settings/mails/{kind}"),
            ("POST", "/settings/mails/{kind}/preview"),
            ("POST", "/settings/mails/{kind}/send"),
            ("GET", "/backups"),
            ("POST", "/backups"),
            ("GET", "/backups/{name}"),
            ("PUT", "/overview/steps"),
        ],
    ),
];

#[tokio::test]
async fn a_librarian_without_one_capability_makes_none_of_its_calls_r_people_8() {
    let asked = |(_, _, access): &(_, _, Access)| match access {
        Access::Both(..) => 2,
        Access::May(_) | Access::StudentOrMay(_) => 1,
        _ => 0,
    };
    let listed: usize = BY_CAPABILITY.iter().map(|(_, calls)| calls.len()).sum();
    assert_eq!(
        TABLE.iter().map(asked).sum::<usize>(),
        listed,
        "a new call of a capability belongs into the list"
    );
    let app = TestApp::new().await;
    let librarian = app.admin(5).await;
    for (missing, calls) in BY_CAPABILITY {
        let others: Vec<Capability> = Capability::ALL.into_iter().filter(|one| *one != missing).collect();
        give(&app, &librarian, &others, true);
        for (method, path) in calls {
            let answer = call(&librarian, method, path, |_| {}).await;
            assert!(
                is_refused(&answer, (403, "forbidden")),
                "without {missing:?}: {method} {path} → {} {}",
                answer.status,
                answer.text
            );
        }
    }
}

/// Returns an access that lets this caller in and as few others as possible.
fn loosened(access: Access, actor: &str) -> Access {
    match (access, actor) {
        (_, "visitor") | (Access::Phone, _) => Access::Anyone,
        (Access::May(capability) | Access::Both(capability, _), "student" | "other student") => {
            Access::StudentOrMay(capability)
        }
        (Access::May(_) | Access::Both(..), "librarian without rights") => Access::Admin,
        _ => Access::SignedIn,
    }
}

/// R10: for each cell of the table that refuses a caller, the guard is dropped for that caller, and the test above must notice.
/// Where it cannot, the handler checks again: handlers that need a user refuse visitors, phones show their token, and a write on a person needs authority over that person.
#[tokio::test]
async fn whichever_guard_is_dropped_the_test_of_the_table_notices_r10() {
    let app = TestApp::new().await;
    let (mut dropped, mut unnoticed) = (0, Vec::new());
    for (method, path, access) in TABLE {
        for name in ACTORS {
            let Some(refusal) = refusal(*access, name) else { continue };
            let person = actor(&app, name).await;
            let loosened = Loosened(loosened(*access, name));
            let answer = call(&person, method, path, |request| {
                request.extensions_mut().insert(loosened);
            })
            .await;
            dropped += 1;
            if is_refused(&answer, refusal) && (name == "visitor" || !governs(method, path)) {
                unnoticed.push(format!("{name}: {method} {path}"));
            }
        }
    }
    println!("{dropped} guards dropped, {} asked twice: {unnoticed:#?}", unnoticed.len());
    let asked_twice = |cell: &&String| {
        ["visitor: ", ": POST /phone/scans", ": GET /phone/answers"].iter().any(|known| cell.contains(known))
    };
    let unnoticed: Vec<&String> = unnoticed.iter().filter(|cell| !asked_twice(cell)).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

#[tokio::test]
async fn a_role_is_asked_before_anything_is_read_r_role_1() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    // A caller without access learns neither that a book is missing nor that a body is invalid.
    student.delete("/books/999").await.problem(403, "forbidden");
    app.visitor().delete("/books/999").await.problem(401, "not-signed-in");
    student.post("/books", &json!("nonsense")).await.problem(403, "forbidden");
    app.visitor().ask("/loans/999/return").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn another_method_is_not_allowed_and_another_path_is_not_found() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    for (method, path) in [
        ("DELETE", "/me"),
        ("PUT", "/books"),
        ("POST", "/books/1"),
        ("GET", "/auth/sign-in"),
        ("PATCH", "/loans"),
        ("TRACE", "/me"),
    ] {
        admin.send(admin.request(method, path, None)).await.problem(405, "method-not-allowed");
    }
    for path in ["/nothing", "/books/1/loans/2", "/users", "/loans/1", "/auth"] {
        let answer = admin.get(path).await;
        assert!(matches!(answer.status, 404 | 405), "{path}: {}", answer.status);
    }
    admin.get("/nothing").await.problem(404, "not-found");
}

#[tokio::test]
async fn whatever_stands_in_the_place_of_an_id_is_not_found_and_never_an_error() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let odd = [
        "0",
        "-1",
        "abc",
        "9e99",
        "99999999999999999999",
        "9223372036854775808",
        "9223372036854775807",
        "1.0",
        "+1",
        "%201",
        "%00",
        "1%2F2",
        "%FF",
        "NaN",
        "١",
        "0x1",
        "null",
        "1;drop",
        "%F0%9F%93%9A",
    ];
    for (method, path, access) in TABLE.iter().filter(|(_, path, _)| path.contains("{id}")) {
        let person = if matches!(access, Access::Admin | Access::May(_) | Access::Both(..)) {
            &admin
        } else {
            &student
        };
        for id in odd {
            let uri = path.replace("{id}", id);
            let Ok(uri) = uri.parse::<axum::http::Uri>() else { continue };
            let mut request = person.request(method, "/me", body(method, path).as_ref());
            *request.uri_mut() = format!("/library/api/v1{uri}").parse().expect("a URI");
            request.headers_mut().insert(header::IF_MATCH, "\"1-1-a\"".parse().expect("a header"));
            let answer = person.send(request).await;
            assert_eq!(answer.status, 404, "{method} {path} with {id}: {}", answer.text);
        }
    }
    for id in odd {
        let Ok(uri) = format!("/library/covers/{id}.svg").parse::<axum::http::Uri>() else { continue };
        let request = Request::get(uri).header(header::HOST, HOST).body(Body::empty()).expect("a request");
        assert!(matches!(app.send(request).await.status, 400 | 404), "cover {id}");
    }
}

#[tokio::test]
async fn no_other_site_can_change_anything_in_a_readers_name() {
    let app = TestApp::new().await;
    let own = format!("http://{HOST}");
    let matrix: &[(Option<&str>, Option<&str>, bool)] = &[
        (None, None, true),
        (Some("same-origin"), None, true),
        (Some("same-origin"), Some(&own), true),
        (Some("none"), None, true),
        (None, Some(&own), true),
        (Some("cross-site"), None, false),
        (Some("cross-site"), Some(&own), false),
        (Some("cross-site"), Some("https://evil.example"), false),
        (Some("same-site"), Some("http://other.localhost:8080"), false),
        (Some("anything"), None, false),
        (None, Some("https://evil.example"), false),
        (None, Some("http://localhost"), false),
        (None, Some("http://localhost:8080.evil.example"), false),
        (None, Some("null"), false),
    ];
    let dump = "SELECT (SELECT COUNT(*) FROM loans), (SELECT COUNT(*) FROM reviews), (SELECT COUNT(*) FROM users), \
                (SELECT COUNT(*) FROM sessions), (SELECT COUNT(*) FROM books)";
    for (method, path, access) in TABLE.iter().filter(|(method, ..)| *method != "GET") {
        for (site, origin, passes) in matrix {
            let person = if matches!(access, Access::Admin | Access::May(_) | Access::Both(..)) {
                app.admin(0).await
            } else {
                app.student(1).await
            };
            let mut before = Vec::new();
            let answer = call(&person, method, path, |request| {
                let headers = request.headers_mut();
                headers.remove("sec-fetch-site");
                if let Some(site) = site {
                    headers.insert("sec-fetch-site", site.parse().expect("a header"));
                }
                if let Some(origin) = origin {
                    headers.insert(header::ORIGIN, origin.parse().expect("a header"));
                }
                before = app.raw(dump);
            })
            .await;
            let context =
                format!("{method} {path} with {site:?} {origin:?} → {} {}", answer.status, answer.text);
            let refused = answer.status == 403 && answer.json()["code"] == "cross-origin";
            assert_eq!(refused, !passes, "{context}");
            if refused {
                assert_eq!(app.raw(dump), before, "{context}");
                assert!(
                    answer.header("set-cookie").is_none()
                        && answer.header("access-control-allow-origin").is_none()
                );
            }
        }
    }
    // Reads are allowed from other sites, since links need them; scripts of another site cannot see the answer.
    let mut link = app.visitor().request("GET", "/library/login", None);
    link.headers_mut().insert("sec-fetch-site", "cross-site".parse().expect("a header"));
    assert_ne!(app.send(link).await.status, 403);
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_protect_it() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let mut foreign = student.request("POST", "/auth/sign-out", None);
    foreign.headers_mut().insert("sec-fetch-site", "cross-site".parse().expect("a header"));
    let huge = student.request("PATCH", "/me", Some(&json!({ "name": "n".repeat(70_000) })));
    let book = app.book("t", 1).await;
    let answers = [
        (true, 200, student.get("/books").await),
        (true, 200, app.visitor().get("/auth/session").await),
        (true, 404, student.get("/books/999").await),
        (true, 404, student.get("/nothing/here").await),
        (true, 413, student.send(huge).await),
        (true, 403, student.get("/loans").await),
        (true, 401, app.visitor().get("/me").await),
        (false, 403, app.send(foreign).await),
        (false, 200, student.get(&format!("/library/covers/{book}.svg")).await),
        (false, 404, student.get("/library/static/js/missing.js").await),
        (false, 200, student.get("/library/healthz").await),
        (false, 200, student.get("/library/readyz").await),
        (false, 308, student.get("/").await),
    ];
    for (api, status, answer) in answers {
        let context = format!("{answer:?}");
        assert_eq!(answer.status, status, "{context}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{context}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{context}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"), "{context}");
        assert!(answer.header("cross-origin-resource-policy").is_some(), "{context}");
        assert!(
            answer.header("permissions-policy").is_some_and(|policy| policy.starts_with("camera=(self)")),
            "{context}"
        );
        assert!(answer.header("set-cookie").is_none() && answer.header("server").is_none(), "{context}");
        assert!(
            answer.header("strict-transport-security").is_none(),
            "plain http cannot promise https: {context}"
        );
        if api {
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{context}");
            let policy = answer.header("content-security-policy").unwrap_or_default();
            assert!(
                policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
                "{context}"
            );
        }
    }
}

/// The session's last use is left out: it changes once a minute.
const TABLES: [&str; 8] = [
    "users",
    "books",
    "reviews",
    "loans",
    "(SELECT id, token_hash, user_id, created_at FROM sessions) AS sessions",
    "events",
    "catalogue",
    "catalogue_changes",
];

fn everything(app: &TestApp) -> Vec<Vec<Vec<Option<String>>>> {
    TABLES.iter().map(|table| app.raw(&format!("SELECT * FROM {table} ORDER BY 1"))).collect()
}

#[tokio::test]
async fn reading_changes_nothing_but_the_status_that_a_student_opens_r_detail_3() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let (book, by_hand) = (app.book("Lent", 2).await, app.book("By hand", 2).await);
    student.borrow(book).await;
    student
        .post(&format!("/books/{book}/reviews"), &json!({ "rating": 3, "comment": "c" }))
        .await
        .expect(201);
    app.raw(&format!("UPDATE books SET status = 'Not Available' WHERE id = {by_hand}"));
    app.set_clock("2026-12-10T06:00:00Z");
    let before = everything(&app);
    for person in [&app.visitor(), &admin, &student] {
        for (_, path, _) in TABLE.iter().filter(|(method, ..)| *method == "GET") {
            person.get(&path.replace("{id}", &book.to_string())).await;
            person.send(person.request("HEAD", &path.replace("{id}", &book.to_string()), None)).await;
        }
        for path in ["/library/login", "/library/healthz", "/library/readyz", "/library/covers/1.svg"] {
            person.get(path).await;
        }
    }
    let seen_by_admin = admin.get(&format!("/books/{by_hand}")).await.expect(200);
    app.visitor().get(&format!("/books/{by_hand}")).await.expect(200);
    assert_eq!(seen_by_admin["status"], "Not Available");
    assert!(everything(&app) == before, "a GET changed something");

    student.get(&format!("/books/{by_hand}")).await.expect(200);
    let after = everything(&app);
    let changed: Vec<&str> = TABLES
        .into_iter()
        .zip(before.iter().zip(&after))
        .filter(|(_, (a, b))| a != b)
        .map(|(table, _)| table)
        .collect();
    assert_eq!(changed, ["books"]);
    let cells: usize =
        before[1].iter().flatten().zip(after[1].iter().flatten()).filter(|(a, b)| a != b).count();
    assert_eq!(cells, 1, "the status alone");
}
