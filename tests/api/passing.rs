//! Rows kept for a day only are deleted by a job, in a library with default settings (R-PEOPLE-10, R-UNDO-1).

use std::time::Duration;

use library::jobs;
use serde_json::json;

use crate::{
    app::TestApp,
    common::Database,
    second_factor::{EMAIL, PASSWORD, meera, set_up},
};

on_both_databases!(what_an_undo_needed_and_what_has_expired_goes_the_next_day_r_people_10_r_undo_1);

/// Tables with rows that name people and are kept for a limited time.
const PASSING: [&str; 5] = ["deleted_books", "deleted_reviews", "merges", "half_sign_ins", "idempotency"];

fn kept(app: &TestApp) -> Vec<&'static str> {
    let kept = |table: &&str| !app.raw(&format!("SELECT 1 FROM {table} LIMIT 1")).is_empty();
    PASSING.into_iter().filter(kept).collect()
}

/// Runs the server's jobs until `so` holds, for five seconds at most.
async fn jobs_run(app: &TestApp, so: impl Fn() -> bool) {
    let jobs = tokio::spawn(jobs::run(app.state.library.clone(), "here".into()));
    for _ in 0..500 {
        if so() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    jobs.abort();
}

async fn what_an_undo_needed_and_what_has_expired_goes_the_next_day_r_people_10_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = meera(&app).await;
    let (kept_one, dropped) = (app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 1).await;
    kept_one
        .post(&format!("/books/{book}/reviews"), &json!({ "rating": 5, "comment": "Read it." }))
        .await
        .expect(201);
    librarian.delete(&format!("/books/{book}")).await.expect(204);
    let merge = json!({ "keep": kept_one.uid, "drop": dropped.uid });
    librarian.post("/people/merge", &merge).await.expect(200);
    set_up(&librarian).await;
    let sign_in = json!({ "email": EMAIL, "password": PASSWORD });
    app.visitor().post("/auth/sign-in", &sign_in).await.problem(401, "second-factor-needed");
    assert_eq!(kept(&app), PASSING);

    // The last minute of the day in Kolkata: the half sign-in has expired, everything can still be undone.
    app.set_clock("2026-11-21T18:29:00Z");
    jobs_run(&app, || !kept(&app).contains(&"half_sign_ins")).await;
    assert!(["deleted_books", "deleted_reviews", "merges"].iter().all(|table| kept(&app).contains(table)));
    // The first minute of the next day, and then two days later, when answers for repeats expire.
    app.set_clock("2026-11-21T18:30:00Z");
    jobs_run(&app, || kept(&app) == ["idempotency"]).await;
    assert_eq!(kept(&app), ["idempotency"]);
    app.set_clock("2026-11-23T18:30:00Z");
    jobs_run(&app, || kept(&app).is_empty()).await;
    assert_eq!(kept(&app), [""; 0]);
}
