//! Concurrent calls, on both databases.

use std::{collections::HashMap, sync::Arc};

use library::{
    domain::{account::Role, copy::State as CopyState},
    http::{self, API},
    storage::{
        accounts::{self, NewAccount},
        copies,
        sessions::{self, Opened},
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
    of_many_who_reserve_cancel_borrow_and_return_at_once_each_is_served_once_r_hold_2,
);

type Call = axum::http::Request<axum::body::Body>;

/// Sends all calls at once; returns the number of answers by status and problem code.
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
            sessions::begin(tx, hash, user.uid, now, now + 1_000_000, Opened::default())?;
        }
        Ok(())
    })
    .await;
    let calls = tokens.iter().map(|token| {
        axum::http::Request::post(format!("{API}/books/{book}/loans"))
            .header("host", "localhost")
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

async fn of_many_who_reserve_cancel_borrow_and_return_at_once_each_is_served_once_r_hold_2(
    database: Database,
) {
    const COPIES: usize = 3;
    const WAITING: usize = 12;
    let app = TestApp::on(database).await;
    let (admin, first) = (app.admin(0).await, app.student(99).await);
    let book = app.book("The one book that all need", 3).await;
    let mut loans = Vec::new();
    for _ in 0..COPIES {
        loans.push(first.borrow(book).await);
    }
    let mut students = Vec::new();
    for n in 0..WAITING {
        students.push(app.student(n).await);
    }
    let path = format!("/books/{book}/holds");
    let calls = students.iter().flat_map(|student| times(3, student, "POST", &path, None)).collect();
    let answers = all_at_once(&app, calls).await;
    assert_eq!(answers, counts([(201, "", WAITING), (409, "refused", 2 * WAITING)]));
    let line = admin.get(&path).await.expect(200);
    let line = line["holds"].as_array().cloned().unwrap_or_default();
    let places: Vec<Option<i64>> = line.iter().map(|hold| hold["place"].as_i64()).collect();
    assert_eq!(places, (1..=12).map(Some).collect::<Vec<_>>());
    // All at once: copies are returned, everyone tries to borrow, the last four give up, two copies are moved, one loan is
    // extended.
    let mut calls = Vec::new();
    for loan in &loans {
        calls.push(admin.request(
            "POST",
            &format!("/loans/{loan}/return"),
            Some(&json!({ "restock": true })),
        ));
        calls.push(first.request("POST", &format!("/loans/{loan}/extend"), None));
    }
    for student in &students {
        calls.push(student.request("POST", &format!("/books/{book}/loans"), None));
    }
    for hold in &line[WAITING - 4..] {
        calls.push(admin.request("DELETE", &format!("/holds/{}", hold["id"]), None));
    }
    for hold in &line[4..6] {
        let body = json!({ "place": 1, "reason": "exam" });
        calls.push(admin.request("POST", &format!("/holds/{}/move", hold["id"]), Some(&body)));
    }
    let answers = all_at_once(&app, calls).await;
    let odd: Vec<_> =
        answers.keys().filter(|(status, _)| ![200, 201, 204, 404, 409].contains(status)).collect();
    assert!(odd.is_empty(), "{answers:?}");
    assert_eq!(app.store(|tx| copies::contradictions(tx, 10)).await, Vec::<String>::new());
    // Each copy is lent to one reader or kept for one, and no reader has two.
    let ready = admin.get("/holds?limit=100").await.expect(200)["holds"].as_array().map_or(0, Vec::len);
    let lent =
        app.copies(book).await.iter().find(|(state, _)| *state == CopyState::OnLoan).map_or(0, |(_, n)| *n);
    assert_eq!(
        i64::try_from(ready).unwrap_or_default() + lent,
        3,
        "nothing lies on the shelf while people wait"
    );
    let greedy = "SELECT user_id FROM loans WHERE ended_at IS NULL GROUP BY user_id HAVING COUNT(*) > 1";
    assert_eq!(app.raw(greedy), Vec::<Vec<Option<String>>>::new());
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
