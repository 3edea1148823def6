//! Several servers, or a command beside a server, on the same database.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    app::{TestApp, form},
    common::Database,
};

/// Waits until the condition holds, as long as a reader would.
async fn soon(what: &str, holds: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < Duration::from_secs(5), "{what} did not come to pass");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn what_one_server_did_holds_in_another_within_seconds(database: Database) {
    let database = Arc::new(database);
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let count = async |query: &str| {
        there.visitor().get(&format!("/books?q={query}")).await.expect(200)["total"].clone()
    };

    let (admin, id) = (here.admin(0).await, here.book("Godaan", 2).await);
    let path = format!("/books/{id}");
    soon("an added book", async || count("godaan").await == 1).await;
    let etag = there.visitor().get(&path).await.etag();
    admin.put(&path, &etag, &form("Nirmala", 2)).await.expect(200);
    soon("another title", async || count("nirmala").await == 1 && count("godaan").await == 0).await;
    admin.put(&path, &etag, &form("Lost", 2)).await.problem(412, "stale");
    admin.delete(&path).await.expect(204);
    soon("a deletion", async || count("").await == 0).await;

    let student = here.student(1).await;
    let elsewhere = student.at(&there);
    assert_eq!(elsewhere.get("/me").await.expect(200)["uid"], student.uid.0);
    student.patch("/me", &json!({ "name": "New", "rollNumber": "new", "department": "d" })).await.expect(200);
    soon("another name", async || elsewhere.copy().get("/me").await.json()["name"] == "New").await;
    student.ask("/auth/sign-out").await.expect(204);
    soon("a sign-out", async || elsewhere.copy().get("/me").await.status == 401).await;
}

#[tokio::test]
async fn what_one_server_did_holds_in_another_within_seconds_on_postgres() {
    what_one_server_did_holds_in_another_within_seconds(Database::ready_postgres()).await;
}

#[tokio::test]
async fn what_another_process_did_holds_within_seconds_on_sqlite() {
    what_one_server_did_holds_in_another_within_seconds(Database::ready_sqlite()).await;
}
