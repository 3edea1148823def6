//! Imports of people: concurrent with other writes on the same people, one at a time, and of files that are too long
//! (R-PEOPLE-4, R-SEAM-10).

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use axum::{body::Body, http::HeaderValue};
use library::{
    domain::id::UserId,
    http::idempotency::KEY,
    storage::{
        Error, Tx,
        authority::{Authority, Librarians},
        people,
    },
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
    people::import,
    upload::finished,
};

on_both_databases!(
    a_file_overwrites_nothing_that_is_edited_while_it_is_read_r_people_4,
    a_file_brings_nobody_back_who_is_erased_while_it_is_read_r_people_6,
    a_dry_run_waits_for_nobody_r_people_4,
    files_and_forms_with_the_same_people_at_once_end_well_r_people_4,
    a_repeat_of_an_import_gets_the_first_answer_r_people_4,
    an_import_is_undone_as_a_whole_and_can_be_repeated_r_people_4,
    an_import_stays_once_one_of_its_people_used_the_library_r_people_4,
);

/// Imports a file, with or without a key.
async fn send(librarian: &Person<'_>, file: &str, dry_run: bool, key: Option<&str>) -> Answer {
    let mut request = librarian.request("POST", &format!("/people/import?dryRun={dry_run}"), None);
    request.headers_mut().insert("content-type", HeaderValue::from_static("text/csv"));
    if let Some(key) = key {
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
    }
    *request.body_mut() = Body::from(file.to_owned());
    librarian.send(request).await
}

/// Returns a person's row as stored.
fn row(app: &TestApp, uid: UserId) -> Vec<String> {
    let found = app.raw(&format!("SELECT name, email, department, batch FROM users WHERE id = {}", uid.0));
    found.into_iter().flatten().map(Option::unwrap_or_default).collect()
}

/// Imports a file concurrently with another write, which begins before the import and commits after the import has read the
/// rows.
async fn import_beside(
    app: &TestApp,
    file: &str,
    write: impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Send + 'static,
) -> Value {
    let librarian = app.admin(0).await;
    let (begun, begins) = mpsc::channel();
    let (go, waits) = mpsc::channel();
    let db = app.state.library.db.clone();
    let writing = tokio::spawn(async move {
        db.write(move |tx| {
            write(tx)?;
            begun.send(()).expect("somebody waits");
            let _ = waits.recv_timeout(Duration::from_secs(5));
            Ok::<_, Error>(())
        })
        .await
    });
    tokio::task::spawn_blocking(move || begins.recv()).await.expect("no panic").expect("it begins");
    let (imported, _) = tokio::join!(send(&librarian, file, false, None), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        go.send(())
    });
    writing.await.expect("no panic").expect("stored");
    imported.expect(200)
}

async fn a_file_overwrites_nothing_that_is_edited_while_it_is_read_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let uid = app.student(1).await.uid;
    let report = import_beside(&app, "rollNumber,department\ncs25-001,Chemistry\n", move |tx| {
        let mut details = people::by_id(tx, uid)?.expect("there").details;
        (details.name, details.email) = ("New Name".into(), Some("new@college.edu".into()));
        let subject = Authority::command_line().over(tx, uid).expect("there");
        people::update(tx, &subject, &details)?.expect("nothing is taken");
        Ok(())
    })
    .await;
    assert_eq!(row(&app, uid), ["New Name", "new@college.edu", "Chemistry", "2027"]);
    assert_eq!(report["changed"][0]["before"]["name"], "New Name", "what is told is what was changed");
}

async fn a_file_brings_nobody_back_who_is_erased_while_it_is_read_r_people_6(database: Database) {
    let app = TestApp::on(database).await;
    let uid = app.student(1).await.uid;
    let report = import_beside(&app, "rollNumber,name\ncs25-001,Asha Rao\n", move |tx| {
        let librarians = Librarians::lock(tx).expect("there");
        let subject = Authority::command_line().over(tx, uid).expect("there");
        people::erase(tx, &librarians.leave(subject, &[]).expect("a student"), 1)
    })
    .await;
    assert_eq!(row(&app, uid), ["", "", "Physics", "2027"]);
    assert_eq!(report["totals"]["added"], 1, "the number is nobody's by then");
}

async fn a_dry_run_waits_for_nobody_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let (librarian, uid) = (app.admin(0).await, app.student(1).await.uid);
    app.student(2).await;
    let (begun, begins) = mpsc::channel();
    let (over, waits) = mpsc::channel::<()>();
    let db = app.state.library.db.clone();
    let writing = tokio::spawn(async move {
        db.write(move |tx| {
            people::lock_all(tx, &[uid])?;
            begun.send(()).expect("somebody waits");
            let _ = waits.recv_timeout(Duration::from_secs(5));
            Ok::<_, Error>(())
        })
        .await
    });
    tokio::task::spawn_blocking(move || begins.recv()).await.expect("no panic").expect("it begins");
    let since = Instant::now();
    let report = send(&librarian, "rollNumber,name\ncs25-002,Other\n", true, None).await.expect(200);
    assert!(since.elapsed() < Duration::from_secs(4), "{:?}", since.elapsed());
    assert_eq!((&report["totals"]["changed"], &report["missing"]), (&json!(1), &json!(1)));
    drop(over);
    writing.await.expect("no panic").expect("stored");
}

async fn files_and_forms_with_the_same_people_at_once_end_well_r_people_4(database: Database) {
    const PEOPLE: usize = 120;
    let database = Arc::new(database);
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let librarian = here.admin(0).await;
    let elsewhere = librarian.at(&there);
    let file = |order: &mut dyn Iterator<Item = usize>, name: &str| {
        let rows = order.map(|n| format!("n-{n},{name} {n},n{n}@college.edu,Physics,2027\n"));
        format!("rollNumber,name,email,department,batch\n{}", rows.collect::<String>())
    };
    let (one, other) = (file(&mut (0..PEOPLE), "One"), file(&mut (0..PEOPLE).rev(), "Other"));
    let forms = async {
        let mut statuses = Vec::new();
        for n in (0..PEOPLE).step_by(3) {
            let form = json!({
                "name": "Form", "rollNumber": format!("n-{n}"), "email": format!("n{}@college.edu", n + 1),
                "category": "Student",
            });
            statuses.push(librarian.post("/people", &form).await.status);
        }
        statuses
    };
    let (first, second, statuses) =
        tokio::join!(send(&librarian, &one, false, None), send(&elsewhere, &other, false, None), forms);
    for report in [first.expect(200), second.expect(200)] {
        let totals = &report["totals"];
        let sum: u64 = ["added", "changed", "unchanged", "rejected"]
            .iter()
            .map(|kind| totals[kind].as_u64().expect("a number"))
            .sum();
        assert_eq!(sum, PEOPLE as u64, "{totals}");
    }
    assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
    let numbers =
        here.raw("SELECT COUNT(*), COUNT(DISTINCT roll_number) FROM users WHERE roll_number LIKE 'n-%'");
    let all = Some(PEOPLE.to_string());
    assert!(numbers[0][0] <= all && numbers[0][0] == numbers[0][1], "{numbers:?}");
    // A second import leaves the person unchanged.
    let again = send(&librarian, &one, false, None).await.expect(200);
    let last = send(&librarian, &one, false, None).await.expect(200);
    assert_eq!((&last["totals"]["added"], &last["totals"]["changed"]), (&json!(0), &json!(0)), "{again}");
}

async fn a_repeat_of_an_import_gets_the_first_answer_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let file = "rollNumber,name\nnew-1,Asha\n";
    let first = send(&librarian, file, false, Some("k")).await;
    let repeated = send(&librarian, file, false, Some("k")).await;
    assert_eq!((first.text.as_str(), repeated.status), (repeated.text.as_str(), 200));
    assert_eq!(repeated.headers.get("idempotent-replayed").map(HeaderValue::as_bytes), Some(&b"true"[..]));
    send(&librarian, "rollNumber,name\nnew-2,Asha\n", false, Some("k"))
        .await
        .problem(422, "idempotency-key-reused");
}

#[tokio::test]
async fn a_second_import_is_told_that_another_runs_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let permit = library::http::people::import::ImportPermit::take(&app.state).expect("free");
    let file = "rollNumber,name\nnew-1,Asha\n";
    for dry_run in [true, false] {
        let told = import(&librarian, file, dry_run).await.problem(409, "import-running");
        assert!(told.starts_with("Another import is still running."), "{told}");
    }
    drop(permit);
    assert_eq!(import(&librarian, file, false).await.expect(200)["totals"]["added"], 1);
}

#[tokio::test]
async fn twins_are_told_by_one_other_line_and_their_number_r_people_4_x2() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let file = format!("rollNumber,name\n{}", "A1,Asha\n".repeat(4000));
    let report = import(&librarian, &file, true).await.expect(200);
    let told = |place: usize| report["rejected"][place]["reason"].clone();
    assert_eq!(told(0), "rollNumber: The same roll number is in line 3 and in 3,998 more lines.");
    assert_eq!(told(9), "rollNumber: The same roll number is in line 2 and in 3,998 more lines.");
    assert_eq!(report["totals"]["rejected"], 4000);
    assert_eq!(report["rejected"].as_array().expect("a list").len(), 500);
    let list = report["rejectsFile"].as_str().expect("a file");
    assert!(list.len() > 100_000 && list.len() < 300 * 1024 && list.ends_with('\n'), "{}", list.len());
}

#[tokio::test]
async fn a_file_brings_guardians_and_a_hyphen_takes_them_away_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let stored = || app.raw("SELECT guardian_email, guardian_phone FROM users WHERE roll_number = 'a1'");
    let cell = |text: &str| Some(text.to_owned());
    for (cells, changed, email, phone) in [
        ("mother@home.in,'+91 98450 12345", json!([]), cell("mother@home.in"), cell("+91 98450 12345")),
        (",98450 00000", json!(["guardianPhone"]), cell("mother@home.in"), cell("98450 00000")),
        ("-,", json!(["guardianEmail"]), None, cell("98450 00000")),
    ] {
        let file = format!("rollNumber,name,guardianEmail,guardianPhone\nA1,Asha,{cells}\n");
        let report = import(&librarian, &file, false).await.expect(200);
        let fields = report["changed"].as_array().expect("a list").first().map(|one| one["fields"].clone());
        assert_eq!(fields.unwrap_or(json!([])), changed, "{report}");
        assert_eq!(stored(), [[email, phone]], "{cells}");
    }
    import(&librarian, "rollNumber,phone\nA1,+91 98450 11111\n", false).await.expect(200);
    assert_eq!(app.raw("SELECT phone FROM users WHERE roll_number = 'a1'"), [[cell("+91 98450 11111")]]);
    let wrong = import(&librarian, "rollNumber,guardianPhone\nA1,home\n", true).await.expect(200);
    let reason = &wrong["rejected"][0]["reason"];
    assert_eq!(reason, "guardianPhone: Guardian’s phone must be a number like +91 98450 12345.");
}

#[tokio::test]
async fn rows_without_anything_are_no_rows_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let file = format!("rollNumber,name\n,\nnew-1,Asha\n\" \",\t\n{}", ",\n".repeat(1000));
    let report = import(&librarian, &file, true).await.expect(200);
    assert_eq!(
        report["totals"],
        json!({ "rows": 1, "added": 1, "changed": 0, "unchanged": 0, "rejected": 0 })
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_the_right_one_is_refused_as_a_whole_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let bad = format!("rollNumber,name\ngood-1,Asha\n{}", "A1,Asha\n".repeat(10_001));
    let long = format!(
        "rollNumber,name\n{}",
        (0..200_001).flat_map(|n| [n.to_string(), ",\n".into()]).collect::<String>()
    );
    for (file, told) in [
        (
            &bad,
            "More than 10,000 rows of this file cannot be imported. It is probably not the right file, or its columns are \
             mixed up. Nothing was stored. The first of these rows is line 3: The same roll number is in line 4 and in 9,999 \
             more lines.",
        ),
        (&long, "This file has more than 2,00,000 rows. Split it, and import the parts one after the other."),
    ] {
        let answer = import(&librarian, file, false).await;
        assert_eq!(answer.wrong_fields(), ["file"]);
        assert_eq!(answer.messages(), [told]);
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM users"), [[Some("1".to_owned())]], "the librarian alone");
}

#[tokio::test]
async fn the_longest_texts_have_room_in_an_answer_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    // Four bytes per character, six if written as JSON.
    let wide = "\u{10348}".repeat(100);
    let row = |n: usize, batch: &str| {
        format!("l-{n},{wide},l{n}@college.edu,{wide},{batch}\nl-{n}-b,,no mail,{},\n", "\"\"".repeat(100))
    };
    let file = |batch: &str| {
        let rows: String = (0..600).map(|n| row(n, batch)).collect();
        format!(
            "rollNumber,name,email,department,batch\n{}",
            rows.replace(&"\"\"".repeat(100), &format!("\"{}\"", "\"\"".repeat(100)))
        )
    };
    assert_eq!(import(&librarian, &file("2027"), false).await.expect(200)["totals"]["added"], 600);
    let answer = import(&librarian, &file("2028"), false).await;
    let report = answer.expect(200);
    assert_eq!((&report["totals"]["changed"], &report["totals"]["rejected"]), (&json!(600), &json!(600)));
    let listed = report["changed"].as_array().expect("a list").len();
    assert!(listed > 50 && listed < 500, "{listed}");
}

/// A file of several portions is stored portion by portion: the number reported at a stop is right, and importing the same file
/// again stores the rest.
#[tokio::test]
async fn an_import_that_stops_tells_what_is_stored_and_goes_on_r_people_4() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let row = |n: usize| format!("p-{n},Reader {n},p{n}@college.edu,Physics,2027\n");
    let file = format!("rollNumber,name,email,department,batch\n{}", (0..2500).map(row).collect::<String>());
    app.raw(
        "CREATE TRIGGER broken BEFORE INSERT ON users WHEN NEW.roll_number = 'p-1500' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    let told = import(&librarian, &file, false).await.problem(503, "import-stopped");
    assert!(
        told.starts_with("The import stopped after 1,000 people were stored. They stay stored."),
        "{told}"
    );
    let stored = || app.raw("SELECT COUNT(*) FROM users WHERE roll_number LIKE 'p-%'")[0][0].clone();
    assert_eq!(stored(), Some("1000".to_owned()));
    app.raw("DROP TRIGGER broken");
    let report = import(&librarian, &file, false).await.expect(200);
    assert_eq!(
        report["totals"],
        json!({ "rows": 2500, "added": 1500, "changed": 0, "unchanged": 1000, "rejected": 0 })
    );
    assert_eq!(stored(), Some("2500".to_owned()));
    // A file of one portion is stored whole or not at all.
    app.raw(
        "CREATE TRIGGER broken BEFORE INSERT ON users WHEN NEW.roll_number = 'q-5' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    let short = format!(
        "rollNumber,name\n{}",
        (0..9).flat_map(|n| [format!("q-{n}"), ",Reader\n".into()]).collect::<String>()
    );
    import(&librarian, &short, false).await.problem(500, "internal");
    assert_eq!(app.raw("SELECT COUNT(*) FROM users WHERE roll_number LIKE 'q-%'"), [[Some("0".to_owned())]]);
}

const LIST: &str =
    "rollNumber,name,department\ncs25-001,,Chemistry\nn-1,Asha Rao,Physics\nn-2,Bela Shah,Physics\n";

async fn an_import_is_undone_as_a_whole_and_can_be_repeated_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let known = app.student(1).await.uid;
    let before = row(&app, known);
    let mut request = librarian.request("POST", "/people/import?name=class.csv", None);
    *request.body_mut() = Body::from(format!("{LIST}n-3,,Physics\n"));
    let report = librarian.send(request).await.expect(200);
    let id = &report["import"];
    let list = librarian.get("/imports/people").await.expect(200);
    let told = &list["imports"][0];
    assert_eq!((&told["id"], &told["fileName"]), (id, &json!("class.csv")));
    let counts = ["added", "more", "known", "rejected", "done"].map(|count| told[count].as_i64());
    assert_eq!(counts, [2, 1, 0, 1, 4].map(Some));
    let rejected = librarian.get(&format!("/imports/people/{id}/rejected.csv")).await;
    assert!(rejected.text.contains("n-3"), "{}", rejected.text);
    // A list that changes nothing leaves no import behind.
    assert_eq!(send(&librarian, LIST, false, None).await.expect(200)["import"], Value::Null);

    let undo = format!("/imports/people/{id}/undo");
    assert_eq!(librarian.ask(&undo).await.expect(202)["left"], 3);
    assert_eq!(finished(&librarian, "people", id).await["state"], "undone");
    assert_eq!(row(&app, known), before);
    let found = librarian.get("/people?q=n-").await.expect(200);
    assert_eq!(found["people"], json!([]));
    librarian.ask(&undo).await.problem(409, "refused");
    let again = send(&librarian, LIST, false, None).await.expect(200);
    assert_eq!((&again["totals"]["added"], &again["totals"]["changed"]), (&json!(2), &json!(1)));
}

async fn an_import_stays_once_one_of_its_people_used_the_library_r_people_4(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    app.student(1).await;
    let id = send(&librarian, LIST, false, None).await.expect(200)["import"].clone();
    let uid_of = |roll_number: &str| {
        let found = app.raw(&format!("SELECT id FROM users WHERE roll_number = '{roll_number}'"));
        found[0][0].clone().expect("a person")
    };
    let (asha, bela) = (uid_of("n-1"), uid_of("n-2"));
    // Erased by hand: nothing of hers is left to be undone, and nothing prevents the rest.
    librarian.delete(&format!("/people/{bela}")).await.expect(204);
    assert_eq!(librarian.get(&format!("/imports/people/{id}")).await.expect(200)["inUse"], 0);
    let charge = json!({ "amount": 5, "kind": "other", "reason": "A card" });
    librarian.post(&format!("/people/{asha}/charges"), &charge).await.expect(201);
    let read = librarian.get(&format!("/imports/people/{id}")).await.expect(200);
    assert_eq!(read["inUse"], 1);
    let refused = librarian.ask(&format!("/imports/people/{id}/undo")).await.problem(409, "refused");
    assert!(refused.contains("has used the library or was changed since"), "{refused}");
    assert_eq!(uid_of("n-1"), asha);
}
