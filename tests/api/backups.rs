//! Backups in the browser: the list, one more by hand, and a copy to take away.

use std::{path::PathBuf, sync::Arc, time::Duration};

use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use library::{backups::Daily, domain::account::Capability, http::idempotency::KEY, storage::backup};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::{
    app::{Person, TestApp},
    authority::give,
    common::{Database, folder},
};

/// Daily backups into a folder.
pub fn daily(folder: PathBuf) -> Daily {
    Daily { folder, at: "02:30".parse().expect("a time"), keep: "7,4,12".parse().expect("numbers") }
}

/// Waits for the backup that is being made, and lists the backups.
async fn made(librarian: &Person<'_>) -> Value {
    for _ in 0..600 {
        let list = librarian.get("/backups").await.expect(200);
        if list["running"] == false {
            return list;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the backup is not made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_backup_made_by_hand_is_verified_listed_and_taken_away_l3() {
    let folder = folder();
    let path = folder.path().to_owned();
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |settings| {
        settings.daily_backups = Some(daily(path));
    })
    .await;
    let librarian = app.admin(0).await;
    app.book("Godaan", 3).await;

    let empty = librarian.get("/backups").await.expect(200);
    assert_eq!((&empty["backups"], &empty["plan"]["days"]), (&json!([]), &json!(7)));
    assert_eq!((&empty["postgres"], &empty["failure"]), (&json!(false), &Value::Null));

    // Pressed twice, and once more with the key of an answer that was lost.
    let mut press = librarian.request("POST", "/backups", None);
    press.headers_mut().insert(KEY, "one".parse().expect("a header"));
    librarian.send(press).await.expect(204);
    librarian.ask("/backups").await.expect(204);
    let list = made(&librarian).await;
    let mut press = librarian.request("POST", "/backups", None);
    press.headers_mut().insert(KEY, "one".parse().expect("a header"));
    let repeated = librarian.send(press).await;
    assert_eq!((repeated.status, repeated.header("idempotent-replayed").is_some()), (204, true));
    assert_eq!(made(&librarian).await, list);

    let kept = &list["backups"].as_array().expect("backups")[0];
    assert_eq!(list["backups"].as_array().map(Vec::len), Some(1));
    assert_eq!((&kept["occasion"], &kept["state"]), (&json!("by-hand"), &json!("verified")));
    assert_eq!((&kept["books"], &kept["copies"]), (&json!(1), &json!(3)));
    let name = kept["name"].as_str().expect("a name");
    assert_eq!(name, "library-2026-11-21-113000.db");

    let request = librarian.request("GET", &format!("/backups/{name}"), None);
    let answer = app.router.clone().oneshot(request).await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()[CACHE_CONTROL], "no-store");
    assert_eq!(answer.headers()[CONTENT_LENGTH].to_str().ok(), kept["bytes"].to_string().as_str().into());
    let bytes = answer.into_body().collect().await.expect("the whole body").to_bytes();
    let copy = folder.path().join("taken.db");
    std::fs::write(&copy, &bytes).expect("written");
    assert_eq!(backup::verify(&copy).expect("a good copy").found.rows["books"], 1);

    for wrong in ["library.db", "..%2Flibrary.db", "library-2026-11-20.db", "taken.db"] {
        librarian.get(&format!("/backups/{wrong}")).await.problem(404, "not-found");
    }
    // Everything is more than one capability allows to read.
    let settings = app.admin(5).await;
    give(&app, &settings, &[Capability::Settings], true);
    settings.get("/backups").await.expect(200);
    settings.get(&format!("/backups/{name}")).await.problem(403, "forbidden");

    // A file that was changed is named.
    std::fs::write(folder.path().join(name), &bytes[..bytes.len() - 1]).expect("written");
    assert_eq!(made(&librarian).await["backups"][0]["state"], "damaged");
    let mut other = bytes.to_vec();
    *other.last_mut().expect("bytes") ^= 1;
    std::fs::write(folder.path().join(name), &other).expect("written");
    assert_eq!(made(&librarian).await["backups"][0]["state"], "damaged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_ten_backups_made_by_hand_are_kept_and_a_failure_is_told_l3() {
    let folder = folder();
    let path = folder.path().join("backups");
    std::fs::create_dir(&path).expect("made");
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |settings| {
        settings.daily_backups = Some(daily(path.clone()));
    })
    .await;
    let librarian = app.admin(0).await;
    for minute in 10..21 {
        app.set_clock(&format!("2026-11-21T06:{minute}:00Z"));
        librarian.ask("/backups").await.expect(204);
        made(&librarian).await;
    }
    let list = made(&librarian).await;
    let names: Vec<&str> =
        list["backups"].as_array().expect("backups").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names.len(), 10);
    assert!(!names.contains(&"library-2026-11-21-114000.db"));
    std::fs::remove_dir_all(&path).expect("removed");
    librarian.ask("/backups").await.expect(204);
    assert!(made(&librarian).await["failure"].is_string());
}

#[tokio::test]
async fn a_server_without_a_folder_for_backups_says_so_l3() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let list = librarian.get("/backups").await.expect(200);
    assert_eq!((&list["plan"], &list["postgres"]), (&Value::Null, &json!(false)));
    librarian.ask("/backups").await.problem(409, "backups-off");
    let app = TestApp::on(Database::ready_postgres()).await;
    let list = app.admin(0).await.get("/backups").await.expect(200);
    assert_eq!((&list["plan"], &list["postgres"]), (&Value::Null, &json!(true)));
}
