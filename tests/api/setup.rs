//! First start: the first librarian by the printed code, and the first steps of the library.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, with},
    common::Database,
};

on_both_databases!(
    the_printed_code_makes_one_librarian_who_is_signed_in_r_role_3,
    two_people_with_the_code_at_once_make_one_librarian_r_role_3,
    the_first_steps_are_ticked_by_what_the_library_has,
    imported_people_sign_in_with_the_codes_of_their_class_r_people_3,
);

fn form(code: &str) -> Value {
    json!({ "code": code, "name": "Meera Iyer", "email": "meera@college.edu", "password": "four unrelated words" })
}

async fn the_printed_code_makes_one_librarian_who_is_signed_in_r_role_3(database: Database) {
    let app = TestApp::on(database).await;
    let meera = app.visitor();
    // Without a printed code none is right.
    assert_eq!(
        meera.post("/setup", &form("BBBB-BBBB-BBBB-BBBB")).await.expect(401)["code"],
        "invalid-setup-code"
    );
    let code = app.state.setup.open(app.clock.now()).expect("randomness");
    assert_eq!(meera.get("/setup").await.expect(200)["needed"], true);
    assert_eq!(meera.get("/auth/session").await.expect(200)["setup"], true);

    // Wrong input names its field and spends nothing.
    let wrong = with(&form(&code), json!({ "email": "meera", "password": "meera iyer" }));
    let errors = meera.post("/setup", &wrong).await.expect(422)["errors"].clone();
    let fields: Vec<_> = errors.as_array().expect("errors").iter().map(|error| &error["field"]).collect();
    assert_eq!(fields, ["email", "password"]);
    meera.post("/setup", &form("BBBB-BBBB-BBBB-BBBB")).await.expect(401);

    let entered = meera.post("/setup", &form(&code.to_lowercase())).await.expect(200);
    assert_eq!((&entered["role"], &entered["name"]), (&json!("admin"), &json!("Meera Iyer")));
    assert_eq!(meera.get("/me").await.expect(200)["email"], "meera@college.edu");
    assert_eq!(meera.get("/setup").await.expect(200)["needed"], false);
    assert!(meera.get("/auth/session").await.expect(200)["setup"].is_null());
    // A repeat, as after a lost answer, and a later visitor.
    let other = with(&form(&code), json!({ "email": "other@college.edu" }));
    assert_eq!(app.visitor().post("/setup", &other).await.expect(409)["code"], "setup-done");
    // Neither the code nor its use is in the log of activity.
    let changes = meera.get("/changes").await.expect(200);
    assert_eq!(changes["changes"].as_array().map(Vec::len), Some(1));
    assert!(!changes.to_string().contains(&code));
}

async fn two_people_with_the_code_at_once_make_one_librarian_r_role_3(database: Database) {
    let app = TestApp::on(database).await;
    let code = app.state.setup.open(app.clock.now()).expect("randomness");
    let (one, other) = (app.visitor(), app.visitor());
    let second = with(&form(&code), json!({ "email": "other@college.edu" }));
    let first = form(&code);
    let (one, other) = tokio::join!(one.post("/setup", &first), other.post("/setup", &second));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert!(matches!(statuses, [200, 401 | 409]), "{statuses:?}");
    assert_eq!(app.raw("SELECT COUNT(*) FROM users"), [[Some("1".to_owned())]]);
}

#[tokio::test]
async fn a_code_ends_after_an_hour_and_its_guesses_are_limited() {
    let app = TestApp::new().await;
    let code = app.state.setup.open(app.clock.now()).expect("randomness");
    app.set_clock("2026-11-21T07:00:00Z");
    let visitor = app.visitor();
    for _ in 0..10 {
        visitor.post("/setup", &form(&code)).await.expect(401);
    }
    visitor.post("/setup", &form(&code)).await.expect(429);
}

async fn steps(app: &TestApp) -> Value {
    app.admin(0).await.get("/overview").await.expect(200)["steps"].clone()
}

fn done(steps: &Value) -> Vec<&str> {
    let steps = steps.as_array().expect("steps").iter().filter(|step| step["done"] == true);
    steps.filter_map(|step| step["step"].as_str()).collect()
}

async fn the_first_steps_are_ticked_by_what_the_library_has(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    assert_eq!(done(&steps(&app).await), Vec::<&str>::new());

    librarian.put("/settings/library", "*", &json!({ "name": "Saraswati Library" })).await.expect(200);
    let rules = json!({ "categories": [{ "name": "Student", "rules": {} }] });
    librarian.put("/settings/rules", "*", &rules).await.expect(200);
    assert_eq!(done(&steps(&app).await), ["name"]);
    let calendar = json!({ "closedWeekdays": [7], "closedDates": [] });
    librarian.put("/settings/calendar", "*", &calendar).await.expect(200);
    let book = app.book("Godaan", 1).await;
    let student = app.student(1).await;
    librarian.ask("/overview/printed").await.expect(204);
    librarian.ask("/overview/printed").await.expect(204);
    assert_eq!(done(&steps(&app).await), ["name", "rules", "books", "people", "print"]);

    // Hidden for every librarian, and shown again.
    librarian.put("/overview/steps", "*", &json!({ "shown": false })).await.expect(204);
    assert!(steps(&app).await.is_null());
    librarian.put("/overview/steps", "*", &json!({ "shown": true })).await.expect(204);
    assert!(steps(&app).await.is_array());
    student.borrow(book).await;
    assert!(steps(&app).await.is_null());
}

#[tokio::test]
async fn the_morning_counts_what_waits_and_nothing_that_is_done() {
    let app = TestApp::new().await;
    let librarian = app.admin(0).await;
    let book = app.book("Godaan", 3).await;
    let loan = app.student(1).await.borrow(book).await;
    let copies = librarian.get(&format!("/books/{book}/copies")).await.expect(200);
    let on_shelf =
        copies["copies"].as_array().expect("copies").iter().find(|copy| copy["state"] == "on-shelf");
    let copy = on_shelf.expect("a copy")["id"].clone();
    librarian.post(&format!("/copies/{copy}/move"), &json!({ "state": "missing" })).await.expect(200);

    app.set_clock("2026-11-28T06:00:00Z");
    let morning = librarian.get("/overview").await.expect(200);
    assert_eq!((&morning["dueToday"], &morning["overdue"]), (&json!(1), &json!(0)));
    assert_eq!((&morning["missing"], &morning["missingSince"]), (&json!(1), &json!("2026-11-21")));
    app.set_clock("2026-11-29T06:00:00Z");
    let morning = librarian.get("/overview").await.expect(200);
    assert_eq!((&morning["dueToday"], &morning["overdue"]), (&json!(0), &json!(1)));
    librarian.ask(&format!("/loans/{loan}/return")).await.expect(204);
    let morning = librarian.get("/overview").await.expect(200);
    assert_eq!((&morning["overdue"], &morning["toShelve"]), (&json!(0), &json!(1)));
    assert!(morning["lateBackup"].is_null());
}

#[tokio::test]
async fn a_daily_backup_that_is_late_is_named_in_the_morning() {
    let folder = crate::common::folder();
    let path = folder.path().to_owned();
    let database = std::sync::Arc::new(Database::ready_sqlite());
    let app = TestApp::with(database, "Asia/Kolkata", |settings| {
        settings.daily_backups = Some(crate::backups::daily(path));
    })
    .await;
    let librarian = app.admin(0).await;
    assert!(librarian.get("/overview").await.expect(200)["lateBackup"].is_null());
    let backup = folder.path().join("library-2026-11-18.db");
    std::fs::write(&backup, "").expect("written");
    assert_eq!(librarian.get("/overview").await.expect(200)["lateBackup"]["lastOn"], "2026-11-18");
    std::fs::rename(&backup, folder.path().join("library-2026-11-19.db")).expect("renamed");
    assert!(librarian.get("/overview").await.expect(200)["lateBackup"].is_null());
}

async fn imported_people_sign_in_with_the_codes_of_their_class_r_people_3(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    for (name, number, batch) in [("Uma", "cs-2", "10A"), ("Asha", "cs-1", "10A"), ("Ravi", "cs-3", "10B")] {
        let form = json!({ "name": name, "rollNumber": number, "batch": batch });
        librarian.post("/people", &form).await.expect(201);
    }
    let ask = async |changes: Value| {
        let form = with(&json!({ "batch": "10A" }), changes);
        librarian.post("/people/sign-in-codes", &form).await
    };
    assert_eq!(ask(json!({ "days": 91 })).await.wrong_fields(), ["days"]);
    let preview = ask(json!({ "dryRun": true })).await.expect(200);
    assert_eq!((&preview["count"], &preview["slips"]), (&json!(2), &json!([])));
    let made = ask(json!({ "days": 30 })).await.expect(200);
    assert_eq!(made["expires"], "2026-12-21T06:00:00Z");
    let names: Vec<_> = made["slips"].as_array().expect("slips").iter().map(|slip| &slip["name"]).collect();
    assert_eq!(names, ["Asha", "Uma"]);

    // Later than a code from the person's page would last.
    app.set_clock("2026-12-10T06:00:00Z");
    let asha = &made["slips"][0];
    let form = json!({
        "rollNumber": asha["rollNumber"], "email": "asha@college.edu", "code": asha["code"],
        "password": "four unrelated words",
    });
    let visitor = app.visitor();
    assert_eq!(visitor.post("/auth/redeem", &form).await.expect(200)["name"], "Asha");
    // A person with a password gets no further slip.
    assert_eq!(ask(json!({ "dryRun": true })).await.expect(200)["count"], 1);

    // Search words choose among all people, or among those of the batch.
    let found = async |changes: Value| ask(with(&json!({ "dryRun": true }), changes)).await;
    assert_eq!(found(json!({ "batch": "", "q": "cs-" })).await.expect(200)["count"], 2);
    assert_eq!(found(json!({ "q": "uma" })).await.expect(200)["count"], 1);
    assert_eq!(found(json!({ "q": "ravi" })).await.expect(200)["count"], 0);
    assert_eq!(found(json!({ "batch": "" })).await.wrong_fields(), ["batch"]);
    let codes = ask(json!({ "batch": "", "q": "ravi" })).await.expect(200);
    assert_eq!(codes["slips"][0]["rollNumber"], "cs-3");
}
