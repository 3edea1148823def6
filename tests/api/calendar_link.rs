//! A reader's due dates in a calendar program.

use serde_json::{Value, json};

use crate::{app::TestApp, common::Database};

on_both_databases!(a_link_shows_the_due_dates_of_its_reader_until_it_ends);

async fn a_link_shows_the_due_dates_of_its_reader_until_it_ends(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, ravi) = (app.student(1).await, app.student(2).await);
    let (godaan, emma) = (app.book("Godaan; part 1, whole", 1).await, app.book("Emma", 1).await);
    let loan = asha.borrow(godaan).await;
    ravi.borrow(emma).await;
    assert_eq!(asha.get("/me/calendar-link").await.expect(200), json!({ "madeAt": null }));
    let made = asha.post("/me/calendar-link", &json!({})).await.expect(200);
    assert_eq!(asha.get("/me/calendar-link").await.expect(200)["madeAt"], made["madeAt"]);
    assert_eq!(asha.get("/me/data").await.expect(200)["calendarLinkMadeAt"], made["madeAt"]);
    let path = |made: &Value| {
        let address = made["address"].as_str().expect("an address").to_owned();
        address[address.find("/library/").expect("of the library")..].to_owned()
    };
    // A calendar program has no session.
    let program = app.visitor();
    let first = path(&made);
    let answer = program.get(&first).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/calendar; charset=utf-8"));
    let file = answer.text;
    assert!(file.contains(&format!("UID:loan-{loan}@")), "{file}");
    assert!(file.contains("DTSTART;VALUE=DATE:20261128\r\n"), "{file}");
    assert!(file.contains("SUMMARY:Return “Godaan\\; part 1\\, whole”\r\n"), "{file}");
    assert!(!file.contains("Emma"), "another reader's loan: {file}");

    // The event moves with the due date, and goes with the book.
    asha.ask(&format!("/loans/{loan}/extend")).await.expect(200);
    let moved = program.get(&first).await.text;
    assert!(moved.contains(&format!("UID:loan-{loan}@")) && moved.contains("DTSTART;VALUE=DATE:20261205"));
    let hindi = json!({ "language": "hi", "refused": [] });
    asha.put("/me/mail-choices", "*", &hindi).await.expect(200);
    assert!(program.get(&first).await.text.contains("SUMMARY:“Godaan\\; part 1\\, whole” लौटाएँ"));
    asha.ask(&format!("/loans/{loan}/return")).await.expect(204);
    assert!(!program.get(&first).await.text.contains("BEGIN:VEVENT"));

    // A new link ends the earlier one; then it is ended, or its reader deactivated.
    let second = path(&asha.post("/me/calendar-link", &json!({})).await.expect(200));
    assert_eq!(program.get(&first).await.status, 404);
    assert_eq!(program.get(&second).await.status, 200);
    assert_eq!(program.get(second.trim_end_matches(".ics")).await.status, 404);
    let librarian = app.admin(0).await;
    librarian.ask(&format!("/people/{}/deactivate", asha.uid.0)).await.expect(200);
    assert_eq!(program.get(&second).await.status, 404);
    librarian.ask(&format!("/people/{}/activate", asha.uid.0)).await.expect(200);
    let asha = app.student(1).await;
    assert_eq!(program.get(&second).await.status, 200);
    asha.delete("/me/calendar-link").await.expect(204);
    assert_eq!(program.get(&second).await.status, 404);
    let stored = app.raw("SELECT COUNT(*) FROM calendar_links");
    assert_eq!(stored, [[Some("0".to_owned())]]);
}
