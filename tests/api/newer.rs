//! Rows written by a newer version of the program are read without failing (R-SEAM-9).

use serde_json::{Value, json};

use crate::{
    app::{Answer, TestApp, with},
    common::Database,
};

on_both_databases!(
    changes_of_a_newer_version_are_shown_as_something_newer_r_seam_9,
    settings_of_a_newer_version_work_and_keep_its_fields_r_seam_9,
);

/// Returns the ids of the changes in a list.
fn ids(list: &Value) -> Vec<i64> {
    let changes = list["changes"].as_array().expect("a list");
    changes.iter().map(|change| change["id"].as_i64().expect("an id")).collect()
}

async fn changes_of_a_newer_version_are_shown_as_something_newer_r_seam_9(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 1).await;
    let copy = desk.get(&format!("/books/{book}/copies")).await.expect(200)["copies"][0]["id"].clone();
    let (now, librarian, student) = (app.clock.now(), desk.uid, asha.uid);
    let mail =
        json!({ "v": 1, "kind": "mail-sent", "to": ["asha@college.edu"], "template": { "name": "due" } });
    let rows = [
        ("mail-sent", &mail),
        // Known kinds with unknown fields or an unknown version.
        (
            "paid",
            &json!({ "v": 1, "kind": "paid", "line": 1, "amount": 5, "method": "wallet", "settled": [] }),
        ),
        ("signed-in", &json!({ "v": 2, "kind": "signed-in", "by": "passkey" })),
        ("undone", &json!({ "v": 1, "kind": "undone", "change": 1, "first": mail })),
    ];
    let mut newer: Vec<i64> = Vec::new();
    for (action, change) in rows {
        app.raw(&format!(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, copy_id, change, at_desk)
             VALUES ({now}, {librarian}, '{action}', {student}, {book}, {copy}, '{change}', TRUE)"
        ));
        let id = app.raw("SELECT MAX(id) FROM events")[0][0].as_deref().and_then(|id| id.parse().ok());
        newer.insert(0, id.expect("a number"));
    }

    let all = desk.get("/changes").await.expect(200);
    assert_eq!(ids(&all)[..4], newer);
    for change in &all["changes"].as_array().expect("a list")[..4] {
        assert_eq!(change["messages"][0]["code"], "change.newer", "{change}");
        assert_eq!((&change["undone"], &change["undoable"]), (&json!(false), &json!(false)));
    }
    let sent = &all["changes"][3];
    assert_eq!((&sent["action"], &sent["change"]["template"]["name"]), (&json!("mail-sent"), &json!("due")));
    assert_eq!(all["changes"][1]["change"]["by"], "passkey");

    for histories in [format!("?person={student}"), format!("?copy={copy}"), format!("?book={book}")] {
        let history = desk.get(&format!("/changes{histories}")).await.expect(200);
        assert_eq!(ids(&history)[..4], newer, "{histories}");
    }
    assert_eq!(ids(&desk.get("/changes?action=mail-sent").await.expect(200)), newer[3..]);
    let file = desk.get("/changes.csv").await;
    assert_eq!(file.status, 200);
    assert!(file.text.contains("mail-sent"), "{}", file.text);

    let today = desk.get("/desk/today").await.expect(200);
    assert_eq!(ids(&today), newer);
    assert_eq!(today["takings"], json!([]));

    for id in &newer[1..] {
        let refused = desk.ask(&format!("/changes/{id}/undo")).await;
        assert_eq!(refused.json()["blocks"][0]["id"], "undo.kind", "{}", refused.text);
        assert_eq!(refused.status, 409);
    }
    // This version's own change can be undone next to it.
    let lent = desk.post("/desk/scans", &json!({ "code": "L000001", "person": student })).await.expect(200);
    desk.ask(&format!("/changes/{}/undo", lent["change"])).await.expect(200);
}

async fn settings_of_a_newer_version_work_and_keep_its_fields_r_seam_9(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 2).await;
    let library = json!({ "name": "Tomorrow", "mailFrom": "library@college.edu" });
    let rules = json!({
        "categories": [{ "name": "Student", "rules": { "loanDays": 3, "maxFees": 7 }, "colour": "red" }],
        "mailDaysBefore": 2,
    });
    let calendar = json!({
        "closedDates": [{ "from": "2026-12-25", "to": "2026-12-25", "name": "Christmas", "repeats": true }],
        "opens": "09:00",
    });
    for (kind, from, data) in
        [("library", "NULL", &library), ("rules", "'2026-11-01'", &rules), ("calendar", "NULL", &calendar)]
    {
        app.raw(&format!(
            "INSERT INTO settings (kind, effective_from, data, saved_at, saved_by)
             VALUES ('{kind}', {from}, '{data}', 1, {})",
            desk.uid
        ));
    }
    app.raw("UPDATE settings_version SET version = version + 1");

    let config = asha.get("/config").await.expect(200);
    assert_eq!((&config["name"], &config["loanDays"]), (&json!("Tomorrow"), &json!(3)));
    let loan = asha.ask(&format!("/books/{book}/loans")).await.expect(201);
    assert_eq!(loan["returnDate"], "2026-11-24");
    let scan = json!({ "code": "L000002", "person": app.student(2).await.uid });
    assert_eq!(desk.post("/desk/scans", &scan).await.expect(200)["outcome"], "lent");

    // The API shows and accepts what this version knows; a save keeps the rest.
    let save = async |what: &str, document: &Value| -> Answer {
        desk.send(desk.request("PUT", &format!("/settings/{what}"), Some(document))).await
    };
    for (what, newer) in [("library", "mailFrom"), ("rules", "mailDaysBefore"), ("calendar", "opens")] {
        let shown = desk.get(&format!("/settings/{what}")).await.expect(200);
        assert_eq!(shown.get(newer), None, "{shown}");
        assert_eq!(save(what, &with(&shown, json!({ newer: "x" }))).await.wrong_fields(), [newer]);
        let edited = if what == "rules" { with(&shown, json!({ "effectiveFrom": null })) } else { shown };
        save(what, &edited).await.expect(200);
        let stored = format!("SELECT data FROM settings WHERE kind = '{what}' ORDER BY id DESC LIMIT 1");
        let stored = app.raw(&stored)[0][0].clone().expect("JSON");
        let stored: Value = serde_json::from_str(&stored).expect("JSON");
        let written = [&library, &rules, &calendar].into_iter().find_map(|written| written.get(newer));
        assert_eq!(stored.get(newer), written, "{stored}");
    }
}
