//! Photos of people: uploaded one by one or from an archive named by roll numbers, shown to librarians and to the person.

use axum::{body::Body, http::header::CONTENT_TYPE};
use library::jobs::clear_passing;
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
    covers::png,
    upload::{finished, send, zipped},
};

on_both_databases!(
    a_photo_is_seen_by_librarians_and_its_person_and_goes_with_the_person_r_people_6,
    a_photo_follows_a_merge_and_its_undo_r_people_9,
    photos_named_by_roll_numbers_are_imported_once_and_undone_as_a_whole_r_people_4,
    imports_that_replaced_photos_are_undone_in_any_order_r_people_4,
);

async fn upload(librarian: &Person<'_>, uid: impl std::fmt::Display, file: Vec<u8>) -> Answer {
    let mut request = librarian.request("PUT", &format!("/people/{uid}/photo"), None);
    *request.body_mut() = Body::from(file);
    request.headers_mut().insert(CONTENT_TYPE, "application/octet-stream".parse().expect("a header"));
    librarian.send(request).await
}

/// Returns the version of a person's photo, as the record says.
async fn version(librarian: &Person<'_>, uid: impl std::fmt::Display) -> Value {
    librarian.get(&format!("/people/{uid}")).await.expect(200)["photo"].clone()
}

/// Returns what happened to a person's photo, newest first.
async fn actions(librarian: &Person<'_>, uid: impl std::fmt::Display) -> Vec<String> {
    let list = librarian.get(&format!("/changes?person={uid}")).await.expect(200);
    let all = list["changes"].as_array().expect("a list").iter();
    let actions = all.map(|change| change["action"].as_str().expect("an action").to_owned());
    actions.filter(|action| action.starts_with("photo-")).collect()
}

async fn a_photo_is_seen_by_librarians_and_its_person_and_goes_with_the_person_r_people_6(
    database: Database,
) {
    let app = TestApp::on(database).await;
    let (librarian, student, other) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let uid = student.uid;
    let path = format!("/people/{uid}/photo");
    librarian.get(&path).await.problem(404, "not-found");
    assert_eq!(student.get("/me/photo").await.status, 204);

    let person = upload(&librarian, uid, png([200, 30, 30])).await.expect(200);
    assert_eq!(person["photo"], version(&librarian, uid).await);
    let seen = librarian.get(&path).await;
    assert_eq!((seen.status, seen.header("content-type")), (200, Some("image/jpeg")));
    assert_eq!(seen.header("cache-control"), Some("no-store"), "no shared computer keeps it");
    assert_eq!(student.get("/me/photo").await.status, 200);
    for stranger in [&student, &other] {
        stranger.get(&path).await.problem(403, "forbidden");
    }
    let card = json!({ "code": "cs25-001" });
    let opened = librarian.post("/desk/scans", &card).await.expect(200);
    assert_eq!(opened["person"]["photo"], person["photo"], "the desk shows it");
    let data = student.get("/me/data").await.expect(200);
    assert!(data["photoData"].as_str().is_some_and(|data| data.starts_with("data:image/jpeg;base64,")));

    let newer = upload(&librarian, uid, png([30, 30, 200])).await.expect(200);
    assert_ne!(newer["photo"], person["photo"]);
    for (file, rule) in
        [(b"GIF89a".to_vec(), "notPicture"), (png([1, 2, 3])[..60].to_vec(), "pictureDamaged")]
    {
        let answer = upload(&librarian, uid, file).await;
        assert_eq!(answer.json()["errors"][0]["rule"], rule);
    }
    upload(&librarian, uid, vec![0; 9 * 1024 * 1024]).await.problem(413, "payload-too-large");
    upload(&librarian, 999, png([1, 2, 3])).await.problem(404, "not-found");
    assert_eq!(version(&librarian, uid).await, newer["photo"], "nothing of that changed it");

    assert_eq!(librarian.delete(&path).await.expect(200)["photo"], Value::Null);
    librarian.get(&path).await.problem(404, "not-found");
    upload(&librarian, uid, png([1, 1, 1])).await.expect(200);
    librarian.delete(&format!("/people/{uid}")).await.expect(204);
    assert_eq!(app.raw("SELECT COUNT(*) FROM photos"), [[Some("0".to_owned())]], "erased with the person");
}

async fn a_photo_follows_a_merge_and_its_undo_r_people_9(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (keep, dropped) = (app.student(1).await.uid, app.student(2).await.uid);
    let photo = upload(&librarian, dropped, png([9, 9, 9])).await.expect(200)["photo"].clone();
    let both = json!({ "keep": keep, "drop": dropped });
    let merged = librarian.post("/people/merge", &both).await.expect(200);
    assert_eq!(version(&librarian, keep).await, photo, "the kept record had none");
    librarian.ask(&format!("/changes/{}/undo", merged["change"])).await.expect(200);
    assert_eq!((version(&librarian, keep).await, version(&librarian, dropped).await), (Value::Null, photo));

    let own = upload(&librarian, keep, png([7, 7, 7])).await.expect(200)["photo"].clone();
    librarian.post("/people/merge", &both).await.expect(200);
    assert_eq!(version(&librarian, keep).await, own, "it had one");
    librarian.delete(&format!("/people/{keep}")).await.expect(204);
    assert_eq!(app.raw("SELECT COUNT(*) FROM photos"), [[Some("0".to_owned())]], "both are erased");
}

async fn imports_that_replaced_photos_are_undone_in_any_order_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (first, second, third) =
        (app.student(1).await.uid, app.student(2).await.uid, app.student(3).await.uid);
    let shown = async || {
        [
            version(&librarian, first).await,
            version(&librarian, second).await,
            version(&librarian, third).await,
        ]
    };
    let import = async |shade: u8| {
        let files = ["cs25-001.png", "cs25-002.png"].map(|name| (name, png([shade, 1, 1])));
        let archive = zipped(&files.each_ref().map(|(name, picture)| (*name, &picture[..])));
        let begun = send(&librarian, "/imports/photos?replace=true", archive, None).await.expect(202);
        finished(&librarian, "photos", &begun["id"]).await["id"].clone()
    };
    let undo = async |import: &Value| {
        librarian.ask(&format!("/imports/photos/{import}/undo")).await.expect(202);
        assert_eq!(finished(&librarian, "photos", import).await["state"], "undone");
    };
    upload(&librarian, second, png([5, 5, 5])).await.expect(200);
    upload(&librarian, third, png([6, 6, 6])).await.expect(200);
    let before = shown().await;
    let (one, other) = (import(10).await, import(200).await);
    let after = shown().await;
    assert!(before[0] != after[0] && before[1] != after[1] && before[2] == after[2]);
    undo(&one).await;
    assert_eq!(shown().await, after, "the later import's photos stay");
    undo(&other).await;
    assert_eq!(shown().await, before);
    assert_eq!(actions(&librarian, first).await, ["photo-removed", "photo-changed", "photo-added"]);
    let of_second = ["photo-restored", "photo-changed", "photo-changed", "photo-added"];
    assert_eq!(actions(&librarian, second).await, of_second);
    assert_eq!(app.raw("SELECT COUNT(*) FROM replaced_photos"), [[Some("0".to_owned())]]);

    // What a librarian removes or uploads meanwhile stays.
    let third_import = import(30).await;
    librarian.delete(&format!("/people/{second}/photo")).await.expect(200);
    let own = upload(&librarian, first, png([8, 8, 8])).await.expect(200)["photo"].clone();
    undo(&third_import).await;
    assert_eq!((version(&librarian, first).await, version(&librarian, second).await), (own, Value::Null));

    // A week later the replaced photos are deleted; the undo still removes what the import brought.
    let last = import(40).await;
    app.set_clock("2026-11-29T06:00:00Z");
    clear_passing(&app.state.library).await.expect("done");
    let librarian = app.admin(0).await;
    librarian.ask(&format!("/imports/photos/{last}/undo")).await.expect(202);
    finished(&librarian, "photos", &last).await;
    assert_eq!(version(&librarian, first).await, Value::Null);
    assert_eq!(app.raw("SELECT COUNT(*) FROM replaced_photos"), [[Some("0".to_owned())]]);

    upload(&librarian, third, png([7, 7, 7])).await.expect(200);
    let archive = zipped(&[("cs25-003.png", &png([9, 9, 9]))]);
    let begun = send(&librarian, "/imports/photos?replace=true", archive, None).await.expect(202);
    finished(&librarian, "photos", &begun["id"]).await;
    assert_eq!(app.raw("SELECT COUNT(*) FROM replaced_photos"), [[Some("1".to_owned())]]);
    librarian.delete(&format!("/people/{third}")).await.expect(204);
    assert_eq!(
        app.raw("SELECT COUNT(*) FROM replaced_photos"),
        [[Some("0".to_owned())]],
        "erased with the person"
    );
}

async fn photos_named_by_roll_numbers_are_imported_once_and_undone_as_a_whole_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let (first, second) = (app.student(1).await.uid, app.student(2).await.uid);
    let slashed =
        librarian.post("/people", &json!({ "name": "Asha", "rollNumber": "CS/23/7" })).await.expect(201);
    let kept = upload(&librarian, second, png([5, 5, 5])).await.expect(200)["photo"].clone();
    let archive = zipped(&[
        ("class 8/CS25-001.png", &png([1, 1, 1])),
        ("class 8/cs25-002.JPG", &png([2, 2, 2])),
        ("CS-23-7.png", &png([3, 3, 3])),
        ("CS_23_7.png", &png([4, 4, 4])),
        ("=unknown.png", &png([6, 6, 6])),
        ("cs25-003.png", b"no picture"),
        ("__MACOSX/._CS25-001.png", b"of the system"),
        ("Thumbs.db", b"of the system"),
    ]);
    app.student(3).await;
    let report = send(&librarian, "/imports/photos/check", archive.clone(), None).await.expect(200);
    let count = |name: &str| report[name].as_i64();
    assert_eq!(
        ["files", "added", "replaced", "known", "rejected"].map(count),
        [6, 2, 0, 1, 3].map(Some),
        "{report}"
    );
    assert_eq!(report["rejectedFiles"][0]["errors"][0]["rule"], "import.photoTwice");
    assert_eq!(report["rejectedFiles"][2]["errors"][0]["rule"], "notPicture");
    assert_eq!(version(&librarian, first).await, Value::Null, "nothing is stored yet");

    let text = zipped(&[("read me.txt", b"The photos of class 8")]);
    let report = send(&librarian, "/imports/photos/check", text, None).await.expect(200);
    assert_eq!(report["rejectedFiles"][0]["errors"][0]["rule"], "notPicture", "and no roll number");

    let begun = send(&librarian, "/imports/photos?name=photos.zip", archive.clone(), Some("photos")).await;
    let id = begun.expect(202)["id"].clone();
    let done = finished(&librarian, "photos", &id).await;
    let counts = ["rows", "done", "added", "more", "known", "rejected"].map(|count| done[count].as_i64());
    assert_eq!((done["state"].as_str(), counts), (Some("done"), [6, 6, 2, 0, 1, 3].map(Some)), "{done}");
    assert_ne!(version(&librarian, first).await, Value::Null);
    assert_ne!(version(&librarian, &slashed["uid"]).await, Value::Null);
    assert_eq!(version(&librarian, second).await, kept);
    let rejected = librarian.get(&format!("/imports/photos/{id}/rejected.csv")).await.text;
    assert!(rejected.contains("'=unknown.png") && rejected.contains("cs25-003.png"), "{rejected}");
    // Pressed twice: the same import.
    let again = send(&librarian, "/imports/photos?name=photos.zip", archive.clone(), Some("photos")).await;
    assert_eq!(again.expect(202)["id"], id);

    let replaced =
        send(&librarian, "/imports/photos?replace=true", archive, None).await.expect(202)["id"].clone();
    assert_eq!(finished(&librarian, "photos", &replaced).await["more"], 3);
    assert_ne!(version(&librarian, second).await, kept);
    // The second import has replaced all photos of the first.
    assert_eq!(librarian.get(&format!("/imports/photos/{id}")).await.expect(200)["left"], 0);
    let undo = format!("/imports/photos/{replaced}/undo");
    assert_eq!(librarian.ask(&undo).await.expect(202)["left"], 3);
    assert_eq!(finished(&librarian, "photos", &replaced).await["state"], "undone");
    assert_eq!(version(&librarian, second).await, kept, "as it was");
    assert_eq!(librarian.get(&format!("/imports/photos/{id}")).await.expect(200)["left"], 2);
    assert_eq!(librarian.ask(&format!("/imports/photos/{id}/undo")).await.expect(202)["left"], 2);
    assert_eq!(finished(&librarian, "photos", &id).await["state"], "undone");
    assert_eq!((version(&librarian, first).await, version(&librarian, second).await), (Value::Null, kept));
    assert_eq!(app.raw("SELECT COUNT(*) FROM photos"), [[Some("1".to_owned())]]);

    for (file, words) in [
        (b"no archive".to_vec(), "This is not a ZIP file"),
        (zipped(&[]), "contains no files"),
        (zipped(&[("Thumbs.db", b"x")]), "contains no files"),
    ] {
        let answer = send(&librarian, "/imports/photos/check", file, None).await;
        assert_eq!(answer.wrong_fields(), ["file"]);
        assert!(answer.text.contains(words), "{}", answer.text);
    }
}
