//! A roll number and a barcode are never the same code (R-COPY-1), or a scan at the desk would mean both. Every call that
//! assigns a roll number or a barcode is tried with a code of the other kind.

use indicatif::ProgressBar;
use library::{domain::id::BookId, import::books, restore_book, storage};
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp, form, with},
    common::{Database, folder},
    oidc, people,
    provider::Provider,
};

on_both_databases!(
    no_door_gives_a_reader_a_barcode_as_roll_number_r_copy_1,
    no_door_gives_a_copy_a_roll_number_as_barcode_r_copy_1,
    a_pair_from_before_does_not_keep_its_reader_from_other_edits_r_copy_1,
);

/// Clock of the tests, epoch seconds.
const NOW: i64 = 1_795_240_800;
/// Spellings of the same code.
const BARCODE: [&str; 3] = ["L000001", "l000001", " L000001 "];
const ROLL_NUMBER: [&str; 3] = ["cs25-001", "CS25-001", " Cs25-001 "];

/// Returns the roll numbers that are also barcodes.
fn pairs(app: &TestApp) -> Vec<Vec<Option<String>>> {
    app.raw("SELECT roll_number FROM users JOIN copies ON copies.barcode_key = users.roll_number")
}

/// Tries one call with each spelling; checks which field is refused.
async fn refused(
    by: &Person<'_>,
    (method, path): (&str, &str),
    body: impl Fn(&str) -> Value,
    codes: [&str; 3],
    field: &str,
) {
    for code in codes {
        let body = body(code);
        let answer = match method {
            "PATCH" => by.patch(path, &body).await,
            _ => by.post(path, &body).await,
        };
        assert_eq!(answer.wrong_fields(), [field], "{method} {path} {body}");
    }
    assert_eq!(pairs(by.app), [[None::<String>; 0]; 0], "{method} {path}");
}

async fn no_door_gives_a_reader_a_barcode_as_roll_number_r_copy_1(database: Database) {
    let provider = Provider::start(NOW).await;
    let claim =
        |options: &mut library::oidc::Options| options.roll_number_claim = Some("student_number".into());
    let app = oidc::library_with(database, &provider, claim).await;
    let (desk, student, visitor) = (app.admin(0).await, app.student(1).await, app.visitor());
    let book = app.book("Godaan", 1).await;

    let registration = json!({
        "name": "Xavier One", "email": "x@college.edu", "password": "four unrelated words", "department": "Physics",
        "batch": "2027",
    });
    let profile = json!({ "name": "Student 1", "department": "Physics" });
    let person = format!("/people/{}", student.uid);
    let doors: [(&Person<'_>, &str, &str, Value); 4] = [
        (&visitor, "POST", "/auth/register", registration),
        (&student, "PATCH", "/me", profile),
        (&desk, "POST", "/people", json!({ "name": "Xavier One" })),
        (&desk, "PATCH", &person, json!({})),
    ];
    for (by, method, path, form) in doors {
        let body = |code: &str| with(&form, json!({ "rollNumber": code }));
        refused(by, (method, path), body, BARCODE, "rollNumber").await;
    }

    // Import of a file.
    for code in BARCODE {
        let file = format!("rollNumber,name\n{code},Xavier One\n");
        let report = people::import(&desk, &file, false).await.expect(200);
        assert_eq!(report["totals"]["added"], 0, "{report}");
        assert_eq!(
            report["rejected"][0]["reason"],
            "rollNumber: Roll number: a copy of a book has this as its barcode. Put a letter before one of the two numbers."
        );
    }

    // Sign-in with the provider opens existing accounts and creates none.
    let known = app.raw("SELECT COUNT(*) FROM users");
    for code in BARCODE {
        let claims =
            json!({ "sub": "x", "email": "x@elsewhere.org", "email_verified": true, "student_number": code });
        assert_eq!(oidc::end(&oidc::sign_in(&app.visitor(), &provider, claims).await), "no-account");
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM users"), known);

    // A copy gets a number while it is free: that of a deleted title, until the deletion is undone.
    let deleted = desk.delete(&format!("/books/{book}")).await;
    let deletion = deleted.header("undoable-change").expect("a change").to_owned();
    desk.patch(&person, &json!({ "rollNumber": "L000001" })).await.expect(200);
    desk.ask(&format!("/changes/{deletion}/undo")).await.problem(409, "refused");
    assert_eq!(pairs(&app), [[None::<String>; 0]; 0]);
}

async fn no_door_gives_a_copy_a_roll_number_as_barcode_r_copy_1(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, kept, dropped) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 1).await;
    let copies = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    let copy = format!("/copies/{}", copies["copies"][0]["id"]);
    let copies = format!("/books/{book}/copies");

    // The second is the number of a merged record, whose card still opens the kept one.
    let merged =
        desk.post("/people/merge", &json!({ "keep": kept.uid, "drop": dropped.uid })).await.expect(200);
    for codes in [ROLL_NUMBER, ["cs25-002", "CS25-002", " cs25-002"]] {
        let new = |code: &str| with(&form("Gaban", 1), json!({ "barcodes": [code] }));
        refused(&desk, ("POST", "/books"), new, codes, "barcodes[0]").await;
        let more = |code: &str| json!({ "barcodes": [code], "count": 1 });
        refused(&desk, ("POST", &copies), more, codes, "barcodes[0]").await;
        refused(&desk, ("PATCH", &copy), |code| json!({ "barcode": code }), codes, "barcode").await;

        // Import of a file.
        let folder = folder();
        let (file, rejected) = (folder.path().join("books.csv"), folder.path().join("rejected.csv"));
        let rows = codes.map(|code| ["Kafan,", code].concat()).join("\n");
        std::fs::write(&file, format!("title,barcode\n{rows}")).expect("written");
        let db = app.state.library.db.clone();
        let import = move || books::import(&db, &file, &rejected, &ProgressBar::hidden());
        let totals = tokio::task::spawn_blocking(import).await.expect("no panic").expect("read");
        assert_eq!((totals.added, totals.rejected), (0, 3), "{codes:?}");
        assert_eq!(pairs(&app), [[None::<String>; 0]; 0], "{codes:?}");
    }
    // The merge is undone, and each reader has their own number again.
    desk.ask(&format!("/changes/{}/undo", merged["change"])).await.expect(200);
    assert_eq!(pairs(&app), [[None::<String>; 0]; 0]);

    // Accession numbers skip a reader's number.
    desk.patch(&format!("/people/{}", kept.uid), &json!({ "rollNumber": "L000003" })).await.expect(200);
    let added = desk.post(&copies, &json!({ "count": 3 })).await.expect(201);
    let barcodes: Vec<&str> = added["copies"]
        .as_array()
        .expect("copies")
        .iter()
        .filter_map(|copy| copy["barcode"].as_str())
        .collect();
    assert!(!barcodes.contains(&"L000003") && barcodes.len() == 3, "{barcodes:?}");
    let titled = desk.post("/books", &form("Nirmala", 2)).await.expect(201);
    assert!(titled["id"].is_i64());
    assert_eq!(pairs(&app), [[None::<String>; 0]; 0]);
}

/// A library may have such pairs from earlier versions; `library doctor` lists them.
async fn a_pair_from_before_does_not_keep_its_reader_from_other_edits_r_copy_1(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, student) = (app.admin(0).await, app.student(1).await);
    let other = app.student(2).await;
    app.book("Godaan", 1).await;
    app.raw(&format!("UPDATE users SET roll_number = 'l000001' WHERE id = {}", student.uid));
    let profile = json!({ "name": "Asha Rao", "department": "Physics", "rollNumber": "l000001" });
    student.patch("/me", &profile).await.expect(200);
    desk.patch(&format!("/people/{}", student.uid), &json!({ "department": "Chemistry" })).await.expect(200);
    // Two records of one person are merged, and separated again.
    for (keep, drop) in [(student.uid, other.uid), (other.uid, student.uid)] {
        let merged = desk.post("/people/merge", &json!({ "keep": keep, "drop": drop })).await.expect(200);
        desk.ask(&format!("/changes/{}/undo", merged["change"])).await.expect(200);
    }
    desk.patch(&format!("/people/{}", student.uid), &json!({ "rollNumber": "cs25-001" })).await.expect(200);
    assert_eq!(pairs(&app), [[None::<String>; 0]; 0]);
}
/// A backup from the day before the barcode was given to a reader.
#[tokio::test]
async fn a_restored_book_takes_no_roll_number_as_barcode_r_copy_1() {
    let app = TestApp::new().await;
    let (desk, student) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 1).await;
    let folder = folder();
    let copy = folder.path().join("copy.db");
    storage::backup(&app.database.location, &copy).expect("copied");
    desk.delete(&format!("/books/{book}")).await.expect(204);
    desk.patch(&format!("/people/{}", student.uid), &json!({ "rollNumber": "L000001" })).await.expect(200);
    app.set_clock("2026-11-22T06:00:00Z");
    let (db, clock) = (app.state.library.db.clone(), app.clock.clone());
    let restored = tokio::task::spawn_blocking(move || {
        restore_book::book(&copy, &db, &clock, BookId(book), &|_| Ok(()))
    });
    let refused = restored.await.expect("no panic").expect_err("it is a reader's by now");
    assert!(format!("{refused:#}").contains("L000001"), "{refused:#}");
    assert_eq!(pairs(&app), [[None::<String>; 0]; 0]);
}
