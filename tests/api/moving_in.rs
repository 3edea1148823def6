//! Moving in with open loans and open charges of another system: brought as they are, refused row by row with a reason, found
//! again by a repeat, and undone as a whole while none was touched.

use library::{
    circulation::undo,
    jobs::clear_passing,
    storage::{copies, ledger},
};
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    common::Database,
    upload::{fields, finished, send, xlsx},
};

on_both_databases!(
    open_loans_are_brought_as_they_were_and_a_repeat_brings_nothing_r_seam_10,
    each_row_that_cannot_be_a_loan_is_refused_with_its_field_and_the_way_out_r_seam_10,
    a_missing_due_date_is_counted_by_the_rules_from_the_day_of_the_loan_r_seam_10,
    an_import_of_loans_is_undone_as_a_whole_on_any_day_r_undo_2,
    an_import_of_loans_stays_once_one_was_returned_extended_or_moved_r_undo_2,
    open_charges_are_brought_with_their_reason_and_undone_as_a_whole_r_money_2,
    an_import_of_charges_stays_once_one_was_paid_waived_or_is_the_librarians_own_r_undo_2,
    six_hundred_loans_of_one_title_are_stored_in_portions_r_seam_10,
);

/// A library with the copies B1 to B8 of four titles and three students.
async fn library(database: Database) -> TestApp {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let books =
        "title,barcode\nGodan,B1\nGodan,B2\nKim,B3\nKim,B4\nGora,B5\nGora,B6\nNirmala,B7\nNirmala,B8\n";
    let begun = send(&librarian, "/imports/books", books, None).await.expect(202);
    assert_eq!(finished(&librarian, "books", &begun["id"]).await["copies"], 8);
    for n in 1..=3 {
        app.student(n).await;
    }
    app
}

/// Imports a list and waits until it is stored.
async fn import(librarian: &Person<'_>, kind: &str, list: &str) -> Value {
    let begun = send(librarian, &format!("/imports/{kind}?name=old.csv"), list.to_owned(), None).await;
    finished(librarian, kind, &begun.expect(202)["id"]).await
}

/// Undoes an import and waits until that is done.
async fn undo_import(librarian: &Person<'_>, kind: &str, id: &Value) -> Value {
    librarian.post(&format!("/imports/{kind}/{id}/undo"), &json!({})).await.expect(202);
    finished(librarian, kind, id).await
}

/// Fails unless counts, copies, loans, holds and accounts agree, as `library doctor` asks.
async fn assert_sound(app: &TestApp) {
    assert_eq!(app.store(|tx| copies::contradictions(tx, 10)).await, Vec::<String>::new());
    assert_eq!(app.store(ledger::contradictions).await, Vec::<String>::new());
}

fn copy_with(app: &TestApp, barcode: &str) -> i64 {
    let found = app.raw(&format!("SELECT id FROM copies WHERE barcode = '{barcode}'"));
    found[0][0].as_deref().and_then(|id| id.parse().ok()).expect("a copy")
}

fn book_with(app: &TestApp, title: &str) -> i64 {
    let found = app.raw(&format!("SELECT id FROM books WHERE title = '{title}'"));
    found[0][0].as_deref().and_then(|id| id.parse().ok()).expect("a book")
}

const LOANS: &str = "Item Barcode;Card Number;Issue Date;Date Due;Renewals\n\
                     b1;CS25-001;2026-10-26 10:15:00;2026-11-09 23:59:00;0\n\
                     B3;cs25-001;2026-11-13;2026-11-27;1\n\
                     B5;cs25-002;2026-11-20;2026-12-04;\n";
const COLUMNS: &str = "columns=barcode,rollNumber,lent,due,renewals";

async fn open_loans_are_brought_as_they_were_and_a_repeat_brings_nothing_r_seam_10(database: Database) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    // Both copies of a title can be out while others wait: the hold stays.
    let kim = book_with(&app, "Kim");
    app.student(3).await.borrow(kim).await;
    let columns = send(&librarian, "/imports/loans/columns", LOANS, None).await.expect(200);
    assert_eq!(fields(&columns).join(","), COLUMNS.trim_start_matches("columns="));
    assert_eq!(columns["required"], json!(["barcode", "rollNumber", "lent"]));
    let report = send(&librarian, &format!("/imports/loans/check?{COLUMNS}"), LOANS, None).await.expect(200);
    // Student 3 has taken B3, the copy that was unused for longest.
    for (field, count) in [("rows", 3), ("added", 2), ("known", 0), ("rejected", 1)] {
        assert_eq!(report[field], count, "{field} of {report}");
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM loans"), app.raw("SELECT 1"));
    let path = format!("/imports/loans?{COLUMNS}&name=old.csv");
    let list = LOANS.replace("B3", "B4");
    let begun = send(&librarian, &path, list.clone(), Some("key")).await.expect(202);
    assert_eq!(send(&librarian, &path, list.clone(), Some("key")).await.expect(202)["id"], begun["id"]);
    let done = finished(&librarian, "loans", &begun["id"]).await;
    for (field, value) in [
        ("state", json!("done")),
        ("rows", json!(3)),
        ("added", json!(3)),
        ("rejected", json!(0)),
        ("left", json!(3)),
        ("inUse", json!(0)),
        ("fileName", json!("old.csv")),
    ] {
        assert_eq!(done[field], value, "{field} of {done}");
    }
    let student = app.student(1).await;
    let loans = student.get("/me/loans").await.expect(200);
    let first = &loans["loans"][0];
    for (field, value) in [
        ("title", json!("Godan")),
        ("barcode", json!("B1")),
        ("EntryDate", json!("2026-10-26")),
        ("returnDate", json!("2026-11-09")),
        ("renewals", json!(0)),
        ("overdueDays", json!(12)),
    ] {
        assert_eq!(first[field], value, "{field} of {first}");
    }
    assert!(first["fine"].as_f64().is_some_and(|fine| fine > 0.0), "the fine follows the due date: {first}");
    assert_eq!(first["explain"][0], "From the imported list “old.csv”");
    assert_eq!(loans["loans"][1]["renewals"], 1);
    assert_eq!(app.raw("SELECT no_of_books FROM books WHERE title = 'Kim'"), app.raw("SELECT 0"));
    // Nothing happened today, at the desk or for the reader.
    assert_eq!(app.raw("SELECT COUNT(*) FROM notices WHERE person_id > 1"), app.raw("SELECT 0"));
    assert_eq!(librarian.get("/desk/today?whose=everyone").await.expect(200)["changes"], json!([]));
    let activity = librarian.get("/changes?action=loan-imported").await.expect(200);
    assert_eq!(activity["changes"].as_array().map(Vec::len), Some(3), "{activity}");
    assert_sound(&app).await;

    // The same list again, now that one of the books is back.
    let loan = first["id"].as_i64().expect("a number");
    librarian.ask(&format!("/loans/{loan}/return")).await.expect(204);
    let again = send(&librarian, &path, list, Some("another")).await.expect(202);
    let again = finished(&librarian, "loans", &again["id"]).await;
    assert_eq!((&again["added"], &again["known"], &again["left"]), (&json!(0), &json!(3), &json!(0)));
    assert_sound(&app).await;
    // A single loan of an import is not undone: it is returned.
    let change = activity["changes"][0]["id"].clone();
    librarian.ask(&format!("/changes/{change}/undo")).await.problem(409, "refused");
}

async fn each_row_that_cannot_be_a_loan_is_refused_with_its_field_and_the_way_out_r_seam_10(
    database: Database,
) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    let (kim, gora) = (book_with(&app, "Kim"), book_with(&app, "Gora"));
    app.student(2).await.borrow(kim).await;
    for (barcode, to) in [("B5", "lost"), ("B6", "in-repair"), ("B7", "withdrawn"), ("B8", "missing")] {
        let moved = json!({ "state": to });
        librarian.post(&format!("/copies/{}/move", copy_with(&app, barcode)), &moved).await.expect(200);
    }
    let (second, third) = (app.student(2).await.uid, app.student(3).await.uid);
    librarian.post(&format!("/people/{third}/deactivate"), &json!({})).await.expect(200);
    assert!(gora > 0 && second.0 > 0);
    let rows = [
        (
            "B99,cs25-001,2026-11-01,2026-11-15,",
            "barcode",
            "No copy has the barcode B99. Import its book first",
        ),
        (",cs25-001,2026-11-01,2026-11-15,", "barcode", "is required"),
        ("B3,cs25-001,2026-11-01,2026-11-15,", "barcode", "Student 2 has this copy on loan"),
        ("B5,cs25-001,2026-11-01,2026-11-15,", "barcode", "marked as lost"),
        ("B6,cs25-001,2026-11-01,2026-11-15,", "barcode", "in repair"),
        ("B7,cs25-001,2026-11-01,2026-11-15,", "barcode", "was withdrawn"),
        ("B8,cs25-001,2026-11-01,2026-11-15,", "barcode", "marked as missing"),
        ("B1,cs25-999,2026-11-01,2026-11-15,", "rollNumber", "No person has the roll number cs25-999"),
        ("B2,cs25-003,2026-11-01,2026-11-15,", "rollNumber", "Student 3 is deactivated"),
        ("b1,cs25-001,2026-11-01,2026-11-15,", "barcode", "The same barcode is in line 9"),
        ("B4,cs25-001,2026-11-22,2026-12-15,", "lent", "22 Nov 2026 is in the future"),
        ("X1,cs25-001,2026-11-10,2026-11-01,", "due", "is before the day of the loan, 10 Nov 2026"),
        ("X2,cs25-001,,2026-11-01,", "lent", "is required"),
        ("X3,cs25-001,2026-11-10,2026-11-31,", "due", "is not a day"),
        ("X4,cs25-001,2026-02-30,2026-11-15,", "lent", "is not a day"),
        ("X5,cs25-001,2026-11-01,2026-11-15,two", "renewals", "is not a number of extensions from 0 to 99"),
        ("X6,cs25-001,2026-11-01,2026-11-15,-1", "renewals", "is not a number of extensions from 0 to 99"),
    ];
    let list = rows.iter().map(|(row, ..)| *row).collect::<Vec<_>>().join("\n");
    let list = format!("barcode,rollNumber,lent,due,renewals\n{list}\n");
    let report = send(&librarian, "/imports/loans/check", list.clone(), None).await.expect(200);
    assert_eq!((&report["added"], &report["rejected"]), (&json!(0), &json!(rows.len())), "{report}");
    for (place, (row, field, reason)) in rows.iter().enumerate() {
        let error = &report["rejectedRows"][place]["errors"][0];
        assert_eq!(error["field"], *field, "{row}: {error}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(reason)), "{row}: {error}");
    }
    let done = import(&librarian, "loans", &list).await;
    assert_eq!((&done["added"], &done["rejected"]), (&json!(0), &json!(rows.len())));
    let path = format!("/imports/loans/{}/rejected.csv", done["id"]);
    let rejects = librarian.get(&path).await.text;
    assert!(rejects.starts_with("line,reason,barcode,rollNumber,lent,due,renewals\n2,"), "{rejects}");
    // The corrected list of rejected rows is a list of loans again.
    let corrected = rejects.replace("B99,", "B1,");
    let again = import(&librarian, "loans", &corrected).await;
    assert_eq!(again["added"], 1, "{again}");
    assert_sound(&app).await;
    // It names readers, so that it is kept for a week only.
    assert_eq!(done["keepsRejected"], true);
    app.set_clock("2026-11-29T06:00:00Z");
    let librarian = app.admin(0).await;
    clear_passing(&app.state.library).await.expect("cleared");
    let read = librarian.get(&format!("/imports/loans/{}", done["id"])).await.expect(200);
    assert_eq!(read["keepsRejected"], false);
    assert_eq!(librarian.get(&path).await.text, "");
    // An import of another kind is not found here.
    librarian.get(&format!("/imports/books/{}", done["id"])).await.problem(404, "not-found");
}

async fn a_missing_due_date_is_counted_by_the_rules_from_the_day_of_the_loan_r_seam_10(database: Database) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    // A register without due dates, and a blank cell beside a filled one.
    let done = import(&librarian, "loans", "barcode,rollNumber,lent\nB1,cs25-001,2026-11-17\n").await;
    assert_eq!(done["added"], 1, "{done}");
    let list = "barcode,rollNumber,lent,due\nB3,cs25-001,2026-11-17,\nB5,cs25-001,2026-11-17,2026-12-24\n";
    assert_eq!(import(&librarian, "loans", list).await["added"], 2);
    let loans = app.student(1).await.get("/me/loans").await.expect(200);
    let due: Vec<_> =
        loans["loans"].as_array().expect("loans").iter().map(|loan| &loan["returnDate"]).collect();
    assert_eq!(due, ["2026-11-24", "2026-11-24", "2026-12-24"], "{loans}");
    let reasons = &loans["loans"][0]["reasons"];
    assert!(reasons.to_string().contains("From the imported list “old.csv”"), "{reasons}");
    assert_sound(&app).await;
}

async fn an_import_of_loans_is_undone_as_a_whole_on_any_day_r_undo_2(database: Database) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    let shelved = json!({ "state": "to-shelve" });
    librarian.post(&format!("/copies/{}/move", copy_with(&app, "B4")), &shelved).await.expect(200);
    let before = app.raw("SELECT id, barcode, condition FROM copies ORDER BY id");
    let counts = app.raw("SELECT id, no_of_books, status FROM books ORDER BY id");
    let list = "barcode,rollNumber,lent,due\nB1,cs25-001,2026-11-01,2026-11-15\nB2,cs25-001,2026-11-01,2026-11-15\n\
                B4,cs25-002,2026-11-01,2026-11-15\n";
    let done = import(&librarian, "loans", list).await;
    assert_eq!(done["added"], 3);
    assert_sound(&app).await;
    // An overdue loan is reminded of, and a later day has begun.
    app.set_clock("2026-11-24T06:00:00Z");
    let librarian = app.admin(0).await;
    let undone = undo_import(&librarian, "loans", &done["id"]).await;
    assert_eq!((&undone["state"], &undone["left"]), (&json!("undone"), &json!(0)));
    assert_eq!(app.raw("SELECT id, barcode, condition FROM copies ORDER BY id"), before);
    assert_eq!(app.raw("SELECT id, no_of_books, status FROM books ORDER BY id"), counts);
    assert_eq!(app.student(1).await.get("/me/loans").await.expect(200)["loans"], json!([]));
    let activity = librarian.get("/changes?action=loan-imported").await.expect(200);
    assert!(activity["changes"].as_array().expect("a list").iter().all(|change| change["undone"] == true));
    assert_sound(&app).await;
    let path = format!("/imports/loans/{}/undo", done["id"]);
    librarian.post(&path, &json!({})).await.problem(409, "refused");
    // The list can be imported again: the undone loans never were.
    assert_eq!(import(&librarian, "loans", list).await["added"], 3);
    assert_sound(&app).await;
}

async fn an_import_of_loans_stays_once_one_was_returned_extended_or_moved_r_undo_2(database: Database) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    for (number, (barcode, act)) in
        [("B1", "return"), ("B3", "extend"), ("B5", "due-date"), ("B7", "delete")].into_iter().enumerate()
    {
        let list = format!("barcode,rollNumber,lent,due\n{barcode},cs25-001,2026-11-20,2026-12-01\n");
        let done = import(&librarian, "loans", &list).await;
        let loan = app.raw("SELECT MAX(id) FROM loans")[0][0].clone().expect("a loan");
        match act {
            "delete" => {
                let book = book_with(&app, "Nirmala");
                librarian.delete(&format!("/books/{book}")).await.expect(204);
            }
            "due-date" => {
                let due = json!({ "returnDate": "2026-12-10", "reason": "ill" });
                librarian.post(&format!("/loans/{loan}/due-date"), &due).await.expect(200);
            }
            act => {
                let done = librarian.ask(&format!("/loans/{loan}/{act}")).await;
                assert!((200..300).contains(&done.status), "{act}: {}", done.text);
            }
        }
        let import = librarian.get(&format!("/imports/loans/{}", done["id"])).await.expect(200);
        assert_eq!(import["inUse"], 1, "after {act}, {number}");
        let path = format!("/imports/loans/{}/undo", done["id"]);
        let refused = librarian.post(&path, &json!({})).await.problem(409, "refused");
        assert!(refused.contains("returned, extended or changed since"), "{act}: {refused}");
        assert_sound(&app).await;
    }
}

const CHARGES: &str = "rollNumber,amount,kind,description,date\n\
                       CS25-001,12.50,overdue,Godan,13/10/2026\n\
                       cs25-001,12.50,overdue,Godan,13/10/2026\n\
                       cs25-002,\"Rs. 1,250/-\",lost,,\n\
                       cs25-002,-5,,,\n\
                       cs25-002,0,,,\n\
                       cs25-002,\"12,50\",,,\n\
                       cs25-002,5,bribe,,\n\
                       cs25-999,5,,,\n\
                       cs25-002,5,,,22/11/2026\n\
                       cs25-002,,,,\n";

async fn open_charges_are_brought_with_their_reason_and_undone_as_a_whole_r_money_2(database: Database) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    let report = send(&librarian, "/imports/charges/check?name=old.csv", CHARGES, None).await.expect(200);
    for (field, value) in [
        ("rows", json!(10)),
        ("added", json!(3)),
        ("rejected", json!(7)),
        ("amount", json!(1275)),
        ("dayOrder", json!("day-first")),
    ] {
        assert_eq!(report[field], value, "{field} of {report}");
    }
    let fields: Vec<&Value> = report["rejectedRows"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| &row["errors"][0]["field"])
        .collect();
    assert_eq!(fields, ["amount", "amount", "amount", "kind", "rollNumber", "date", "amount"]);
    let done = import(&librarian, "charges", CHARGES).await;
    assert_eq!((&done["added"], &done["left"]), (&json!(3), &json!(3)));
    let account = app.student(1).await.get("/me/account").await.expect(200);
    assert_eq!(account["balance"], 25);
    let line = &account["lines"][0];
    assert_eq!(
        (&line["of"], &line["reason"], &line["amount"]),
        (&json!("overdue"), &json!("Godan"), &json!(12.5))
    );
    assert_eq!(line["explain"][0]["text"], "From the imported list “old.csv”, of 13 Oct 2026");
    let account = app.student(2).await.get("/me/account").await.expect(200);
    assert_eq!(
        (&account["lines"][0]["of"], &account["lines"][0]["reason"]),
        (&json!("lost"), &json!("old.csv"))
    );
    assert_eq!(app.raw("SELECT COUNT(*) FROM notices WHERE kind = 'charged'"), app.raw("SELECT 0"));
    assert_sound(&app).await;
    // The list of rejected rows, corrected, is a list of charges again.
    let rejects = librarian.get(&format!("/imports/charges/{}/rejected.csv", done["id"])).await.text;
    assert!(rejects.starts_with("line,reason,rollNumber,amount,kind,description,date\n5,"), "{rejects}");
    let corrected =
        send(&librarian, "/imports/charges/check", rejects.replace(",bribe,", ",damage,"), None).await;
    let corrected = corrected.expect(200);
    assert_eq!((&corrected["added"], &corrected["rejected"]), (&json!(1), &json!(6)), "{corrected}");
    // A repeat finds them, also the two that are equal.
    let again = import(&librarian, "charges", CHARGES).await;
    assert_eq!((&again["added"], &again["known"]), (&json!(0), &json!(3)));

    app.set_clock("2026-11-24T06:00:00Z");
    let librarian = app.admin(0).await;
    assert_eq!(undo_import(&librarian, "charges", &done["id"]).await["state"], "undone");
    assert_eq!(app.student(1).await.get("/me/account").await.expect(200)["balance"], 0);
    assert_sound(&app).await;
    // Once more, now that the day of another row has come.
    assert_eq!(import(&librarian, "charges", CHARGES).await["added"], 4);
}

async fn an_import_of_charges_stays_once_one_was_paid_waived_or_is_the_librarians_own_r_undo_2(
    database: Database,
) {
    let app = library(database).await;
    let librarian = app.admin(0).await;
    let student = app.student(1).await.uid;
    let done = import(&librarian, "charges", "rollNumber,amount\ncs25-001,5\n").await;
    let undo = format!("/imports/charges/{}/undo", done["id"]);
    let paid = json!({ "amount": 2, "method": "cash" });
    let paid = librarian.post(&format!("/people/{student}/payments"), &paid).await.expect(201);
    let refused = librarian.post(&undo, &json!({})).await.problem(409, "refused");
    assert!(refused.contains("paid, waived or cancelled since"), "{refused}");
    librarian.post(&format!("/changes/{}/undo", paid["change"]), &json!({})).await.expect(200);
    assert_eq!(undo_import(&librarian, "charges", &done["id"]).await["state"], "undone");
    // The librarian's own charge: another librarian decides (X11).
    app.raw("UPDATE users SET roll_number = 'staff-1' WHERE name = 'Librarian 0'");
    let own = import(&librarian, "charges", "rollNumber,amount\nstaff-1,5\n").await;
    let undo = format!("/imports/charges/{}/undo", own["id"]);
    librarian.post(&undo, &json!({})).await.problem(409, "own-account");
    let another = app.admin(1).await;
    assert_eq!(undo_import(&another, "charges", &own["id"]).await["state"], "undone");
    assert_sound(&app).await;
}

async fn six_hundred_loans_of_one_title_are_stored_in_portions_r_seam_10(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let barcodes: Vec<String> = (0..600).map(|n| format!("C{n}")).collect();
    let books = format!("title,barcode\nReader,{}\n", barcodes.join("|"));
    let begun = send(&librarian, "/imports/books", books, None).await.expect(202);
    finished(&librarian, "books", &begun["id"]).await;
    app.student(1).await;
    let rest = ",cs25-001,2026-11-01,2026-11-30\n";
    let list = format!("barcode,rollNumber,lent,due\n{}{rest}", barcodes.join(rest));
    let done = import(&librarian, "loans", &list).await;
    assert_eq!((&done["added"], &done["rejected"]), (&json!(600), &json!(0)));
    assert_sound(&app).await;
    assert_eq!(undo_import(&librarian, "loans", &done["id"]).await["state"], "undone");
    assert_eq!(app.raw("SELECT no_of_books FROM books"), app.raw("SELECT 600"));
    assert_sound(&app).await;
    // Undone loans are no reason to keep the books.
    assert_eq!(undo_import(&librarian, "books", &begun["id"]).await["state"], "undone");
    assert_eq!(app.raw("SELECT COUNT(*) FROM books"), app.raw("SELECT 0"));
    assert_sound(&app).await;
}

#[tokio::test]
async fn days_are_read_in_the_order_that_the_whole_file_shows_r_seam_10() {
    let app = library(Database::ready_sqlite()).await;
    let librarian = app.admin(0).await;
    let header = "barcode,rollNumber,lent,due\n";
    for (rows, order, added) in [
        ("B1,cs25-001,05/11/2026,06/12/2026\n", json!("day-first"), 1),
        ("B1,cs25-001,11/05/2026,12/30/2026\n", json!("month-first"), 1),
        ("B1,cs25-001,25/10/2026,12/30/2026\nB2,cs25-001,05/11/2026,2026-12-01\n", json!("mixed"), 1),
        ("B1,cs25-001,2026-11-05,05-Dec-2026\n", Value::Null, 1),
        ("B1,cs25-001,46331,46338\n", Value::Null, 1),
    ] {
        let report =
            send(&librarian, "/imports/loans/check", format!("{header}{rows}"), None).await.expect(200);
        assert_eq!((&report["dayOrder"], &report["added"]), (&order, &json!(added)), "{rows}: {report}");
    }
    // A spreadsheet's day, formatted as one or not.
    let cell = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let names: String = ["barcode", "rollNumber", "lent", "due"].into_iter().map(cell).collect();
    let sheet = xlsx(&format!(
        "<row r=\"1\">{names}</row><row r=\"2\">{}{}<c><v>46331</v></c><c t=\"d\"><v>2026-12-05T00:00:00</v></c></row>",
        cell("B1"),
        cell("cs25-001"),
    ));
    let begun = send(&librarian, "/imports/loans", sheet, None).await.expect(202);
    assert_eq!(finished(&librarian, "loans", &begun["id"]).await["added"], 1);
    let stored = app.raw("SELECT entry_date, return_date FROM loans");
    assert_eq!(stored, [[Some("2026-11-05".to_owned()), Some("2026-12-05".to_owned())]]);
}

#[tokio::test]
async fn a_loan_that_is_touched_while_its_import_is_undone_stops_the_undo_r_undo_2() {
    let app = library(Database::ready_sqlite()).await;
    let librarian = app.admin(0).await;
    let list = "barcode,rollNumber,lent,due\nB1,cs25-001,2026-11-20,2026-12-01\n";
    let done = import(&librarian, "loans", list).await;
    let loan = app.raw("SELECT MAX(id) FROM loans")[0][0].clone().expect("a loan");
    let change = app.raw("SELECT change_id FROM import_entries")[0][0].clone().expect("a change");
    librarian.ask(&format!("/loans/{loan}/return")).await.expect(204);
    let (by, moment) = (librarian.uid, app.clock.moment());
    let change = library::domain::id::ChangeId(change.parse().expect("a number"));
    let refused = app
        .store(move |tx| {
            let actor = library::circulation::Actor::Librarian(by);
            Ok(undo::undo_imported(tx, actor, moment, &[change]).is_err())
        })
        .await;
    assert!(refused, "the import {} keeps its returned loan", done["id"]);
    assert_sound(&app).await;
}
