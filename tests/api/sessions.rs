//! Lifetime of sessions, and how their owner and librarians list and end them (ASVS 7).

use std::sync::Arc;

use axum::http::header;
use library::{
    domain::moment::rfc3339,
    http::session::{BACKGROUND, Lifetimes},
};
use serde_json::json;

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
};

on_both_databases!(
    a_librarians_session_ends_after_thirty_minutes_without_activity,
    a_librarians_session_ends_after_twelve_hours_whatever_is_done,
    what_is_done_at_one_server_keeps_the_session_at_another,
    somebody_sees_where_they_are_signed_in_and_ends_it_elsewhere,
    a_librarian_signs_somebody_out_everywhere,
    whatever_changes_what_somebody_may_do_ends_their_sessions,
    another_password_ends_every_other_session_and_goes_on_under_a_new_token,
    of_two_who_change_one_password_at_once_one_does,
);

/// Defaults of `serve`.
const USUAL: Lifetimes = Lifetimes {
    librarian: std::time::Duration::from_hours(12),
    librarian_idle: std::time::Duration::from_mins(30),
};

async fn library(database: Arc<Database>) -> TestApp {
    TestApp::with(database, "Asia/Kolkata", |settings| settings.lifetimes = USUAL).await
}

/// Sets the clock to this time after the start of the test.
fn after(app: &TestApp, minutes: i64, seconds: i64) {
    let begun = 1_795_240_800_000;
    app.set_clock(&rfc3339(begun + (minutes * 60 + seconds) * 1000));
}

/// Sends a background read, which a page makes without its user.
async fn in_background(person: &Person<'_>, path: &str) -> Answer {
    let mut request = person.request("GET", path, None);
    request.headers_mut().insert(BACKGROUND, "1".parse().expect("a header"));
    person.send(request).await
}

/// ASVS 7.3.1.
async fn a_librarians_session_ends_after_thirty_minutes_without_activity(database: Database) {
    let app = library(Arc::new(database)).await;
    let (librarian, student) = (app.admin(0).await, app.student(1).await);
    for minutes in [29, 58] {
        after(&app, minutes, 0);
        librarian.get("/people").await.expect(200);
    }
    // Background reads are answered but do not prolong the session; writes do, even marked as background.
    after(&app, 80, 0);
    in_background(&librarian, "/people").await.expect(200);
    let session = in_background(&librarian, "/auth/session").await.expect(200);
    assert_eq!(session["expiresIn"], 8 * 60);
    after(&app, 87, 59);
    librarian.post("/desk/scans", &json!({ "code": "L000001" })).await.expect(200);
    after(&app, 117, 58);
    in_background(&librarian, "/people").await.expect(200);
    after(&app, 117, 59);
    librarian.get("/people").await.problem(401, "not-signed-in");
    let nobody = json!({ "user": null, "idCard": true, "passkeys": true });
    assert_eq!(in_background(&librarian, "/auth/session").await.expect(200), nobody);
    student.get("/me").await.expect(200);
}

/// ASVS 7.3.2.
async fn a_librarians_session_ends_after_twelve_hours_whatever_is_done(database: Database) {
    let app = library(Arc::new(database)).await;
    let librarian = app.admin(0).await;
    for minutes in (20..12 * 60).step_by(20) {
        after(&app, minutes, 0);
        librarian.get("/people").await.expect(200);
    }
    after(&app, 12 * 60 - 1, 59);
    librarian.get("/people").await.expect(200);
    after(&app, 12 * 60, 0);
    librarian.get("/people").await.problem(401, "not-signed-in");
}

async fn what_is_done_at_one_server_keeps_the_session_at_another(database: Database) {
    let database = Arc::new(database);
    let (here, there) = (library(Arc::clone(&database)).await, library(database).await);
    let librarian = here.admin(0).await;
    let elsewhere = librarian.at(&there);
    for minutes in [25, 50, 75] {
        after(&here, minutes, 0);
        librarian.get("/people").await.expect(200);
    }
    after(&there, 100, 0);
    elsewhere.get("/people").await.expect(200);
    after(&there, 130, 0);
    elsewhere.get("/people").await.problem(401, "not-signed-in");
    after(&here, 130, 0);
    librarian.get("/people").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn reading_stays_reading_for_a_minute() {
    let app = library(Arc::new(Database::ready_sqlite())).await;
    let student = app.student(1).await;
    let seen = || app.raw("SELECT seen_at, expires_at FROM sessions");
    let at_first = seen();
    after(&app, 0, 59);
    student.get("/me").await.expect(200);
    assert_eq!(seen(), at_first);
    after(&app, 1, 0);
    in_background(&student, "/me").await.expect(200);
    assert_eq!(seen(), at_first);
    student.get("/me").await.expect(200);
    assert_ne!(seen()[0][0], at_first[0][0]);
    assert_eq!(seen()[0][1], at_first[0][1], "a student's ends after 30 days all the same");
}

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const PASSWORD: &str = "four unrelated words";

/// Registers Asha, once, and signs her in.
async fn asha(app: &TestApp) -> Person<'_> {
    let registration = json!({
        "name": "Asha Rao", "email": "asha@college.edu", "password": PASSWORD, "rollNumber": "cs25-014",
        "department": "Physics", "batch": "2027",
    });
    app.visitor().post("/auth/register", &registration).await;
    sign_in(app, PASSWORD).await.0
}

async fn sign_in<'a>(app: &'a TestApp, password: &str) -> (Person<'a>, Answer) {
    let person = app.visitor();
    let form = json!({ "email": "asha@college.edu", "password": password, "remember": true });
    let mut request = person.request("POST", "/auth/sign-in", Some(&form));
    request.headers_mut().insert(header::USER_AGENT, FIREFOX.parse().expect("a header"));
    let answer = person.send(request).await;
    (person, answer)
}

async fn actions(librarian: &Person<'_>) -> Vec<String> {
    let changes = librarian.get("/changes").await.expect(200)["changes"].clone();
    let changes = changes.as_array().expect("a list");
    changes.iter().map(|change| change["action"].as_str().expect("text").to_owned()).collect()
}

/// ASVS 7.5.2.
async fn somebody_sees_where_they_are_signed_in_and_ends_it_elsewhere(database: Database) {
    let app = TestApp::on(database).await;
    let (librarian, stranger) = (app.admin(0).await, app.student(1).await);
    let (here, there, third) = (asha(&app).await, asha(&app).await, asha(&app).await);
    after(&app, 5, 0);
    third.get("/me").await.expect(200);
    let listed = here.get("/me/sessions").await.expect(200)["sessions"].clone();
    let listed = listed.as_array().expect("a list");
    assert_eq!(
        listed[0],
        json!({
            "id": listed[0]["id"], "current": true, "browser": "Firefox", "system": "Linux",
            "signedInAt": "2026-11-21T06:00:00Z", "lastSeenAt": "2026-11-21T06:05:00Z",
        })
    );
    assert!(listed.len() == 3 && listed[1..].iter().all(|one| one["current"] == false));
    assert_eq!(listed[2]["lastSeenAt"], "2026-11-21T06:00:00Z", "the one used last comes first");

    let one = format!("/me/sessions/{}", listed[2]["id"]);
    stranger.delete(&one).await.problem(404, "not-found");
    there.get("/auth/session").await.expect(200);
    here.delete(&one).await.expect(204);
    there.get("/me").await.problem(401, "not-signed-in");
    here.delete(&one).await.problem(404, "not-found");
    here.delete("/me/sessions").await.expect(204);
    third.get("/me").await.problem(401, "not-signed-in");
    here.get("/me").await.expect(200);
    stranger.get("/me").await.expect(200);
    assert_eq!(actions(&librarian).await[..2], ["sessions-ended", "sessions-ended"]);
    here.delete("/me/sessions").await.expect(204);
    assert_eq!(actions(&librarian).await[2], "signed-in", "what ended nothing is not kept");
}

async fn a_librarian_signs_somebody_out_everywhere(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (one, other) = (asha(&app).await, asha(&app).await);
    let uid = one.get("/me").await.expect(200)["uid"].clone();
    librarian.delete(&format!("/people/{uid}/sessions")).await.expect(204);
    for browser in [&one, &other] {
        browser.get("/me").await.problem(401, "not-signed-in");
    }
    let newest = librarian.get("/changes").await.expect(200)["changes"][0].clone();
    assert_eq!(
        (&newest["action"], &newest["actor"]["id"], &newest["person"]["id"], &newest["change"]["sessions"]),
        (&json!("sessions-ended"), &json!(librarian.uid), &uid, &json!(2))
    );
    librarian.delete("/people/999/sessions").await.problem(404, "not-found");
}

/// T25, ASVS 7.4.2: role, status and password.
async fn whatever_changes_what_somebody_may_do_ends_their_sessions(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let hash = library::password::hash_now(PASSWORD).expect("hashing works");
    app.raw(&format!("UPDATE users SET password_hash = '{hash}' WHERE id = {}", librarian.uid));
    let role = |role: &str| json!({ "role": role, "password": PASSWORD });
    let steps = [
        ("POST", "/role", Some(role("admin"))),
        ("POST", "/role", Some(role("student"))),
        ("POST", "/deactivate", None),
        ("DELETE", "", None),
    ];
    for (n, (method, path, body)) in steps.iter().enumerate() {
        if path.is_empty() {
            librarian.ask(&format!("/people/{}/activate", app.student(1).await.uid)).await.expect(200);
        }
        let browser = app.student(1).await;
        browser.get("/auth/session").await.expect(200);
        let path = format!("/people/{}{path}", browser.uid);
        let answer = librarian.send(librarian.request(method, &path, body.as_ref())).await;
        assert!(answer.status < 300, "{n}: {}", answer.text);
        browser.get("/me").await.problem(401, "not-signed-in");
        let left = app.raw(&format!("SELECT COUNT(*) FROM sessions WHERE user_id = {}", browser.uid));
        assert_eq!(left, [[Some("0".to_owned())]], "{n}");
    }
}

/// ASVS 6.2.2, 6.2.3, 7.4.3.
async fn another_password_ends_every_other_session_and_goes_on_under_a_new_token(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (here, there) = (asha(&app).await, asha(&app).await);
    let stolen = here.copy();
    let change = |current: &str, new: &str| json!({ "currentPassword": current, "newPassword": new });
    let path = "/auth/password";
    assert_eq!(here.post(path, &change("", "")).await.wrong_fields(), ["currentPassword", "newPassword"]);
    assert_eq!(
        here.post(path, &change("wrong words", "four other words")).await.wrong_fields(),
        ["currentPassword"]
    );
    for weak in ["short", "password1", "asha@college.edu", "CS25-014 2026"] {
        assert_eq!(here.post(path, &change(PASSWORD, weak)).await.wrong_fields(), ["newPassword"], "{weak}");
    }
    there.get("/me").await.expect(200);
    let changed = here.post(path, &change(PASSWORD, "four other words")).await;
    changed.expect(204);
    assert!(changed.header("set-cookie").is_some_and(|set| set.ends_with("; Max-Age=2592000")), "still kept");
    here.get("/me").await.expect(200);
    for ended in [&stolen, &there] {
        ended.get("/me").await.problem(401, "not-signed-in");
    }
    assert_eq!(here.get("/me/sessions").await.expect(200)["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(actions(&librarian).await[0], "password-changed");
    sign_in(&app, PASSWORD).await.1.problem(401, "invalid-credentials");
    sign_in(&app, "four other words").await.1.expect(200);
    // Guesses count like those of a sign-in.
    for _ in 0..20 {
        here.post(path, &change("a guess", "four new words")).await;
    }
    here.post(path, &change("four other words", "four new words")).await.problem(429, "too-many-requests");
}

async fn of_two_who_change_one_password_at_once_one_does(database: Database) {
    let app = TestApp::on(database).await;
    let (here, there) = (asha(&app).await, asha(&app).await);
    let change = |new: &str| json!({ "currentPassword": PASSWORD, "newPassword": new });
    let (one, other) = (change("four other words"), change("four new words"));
    let (first, second) =
        tokio::join!(here.post("/auth/password", &one), there.post("/auth/password", &other));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 204, "{} {}", first.text, second.text);
    assert!([401, 422].contains(&statuses[1]), "{} {}", first.text, second.text);
}
