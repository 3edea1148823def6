//! The desk: one scan, one answer (R-DESK-2).

use library::{
    circulation::{
        Actor,
        hold::{self, Place},
    },
    domain::{id::BookId, rulebook::Rulebook},
    jobs,
};
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    common::Database,
};

on_both_databases!(
    a_scan_does_what_the_table_says_r_desk_2,
    what_this_desk_did_today_is_listed_with_its_till_r_desk_12,
    a_copy_of_a_deleted_title_comes_back_at_the_desk_r_book_6,
    extending_an_overdue_loan_says_and_keeps_the_fine_that_falls_away_r_money_5,
);

/// Returns the barcodes of a title's copies in the order in which they were added.
async fn barcodes(desk: &Person<'_>, book: i64) -> Vec<String> {
    let list = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    let copies = list["copies"].as_array().expect("a list");
    copies.iter().map(|copy| copy["barcode"].as_str().expect("text").to_owned()).collect()
}

async fn scan(desk: &Person<'_>, body: Value) -> Value {
    desk.post("/desk/scans", &body).await.expect(200)
}

fn outcome_of(answer: &Value) -> (&str, &str) {
    (answer["outcome"].as_str().unwrap_or_default(), answer["class"].as_str().unwrap_or_default())
}

fn choices(answer: &Value) -> Vec<&str> {
    answer["choices"].as_array().expect("a list").iter().filter_map(|choice| choice["id"].as_str()).collect()
}

/// Borrowers of the open loans that a search of the list finds.
async fn borrowers(desk: &Person<'_>, query: &str) -> Vec<String> {
    let list = desk.get(&format!("/loans?q={query}")).await.expect(200);
    let loans = list["loans"].as_array().expect("a list");
    loans.iter().map(|loan| loan["userName"].as_str().expect("text").to_owned()).collect()
}

async fn state(desk: &Person<'_>, barcode: &str) -> String {
    let found = desk.get(&format!("/copies?barcode={barcode}")).await.expect(200);
    found["copies"][0]["state"].as_str().expect("a state").to_owned()
}

async fn a_scan_does_what_the_table_says_r_desk_2(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 2).await;
    let copies = barcodes(&desk, book).await;
    let (first, second) = (copies[0].as_str(), copies[1].as_str());

    // Without an open person an available copy is shown and stays where it is.
    let shown = scan(&desk, json!({ "code": first })).await;
    assert_eq!(outcome_of(&shown), ("shown", "ok"));
    assert_eq!((&shown["person"], &shown["change"]), (&Value::Null, &Value::Null));

    // A card opens its person, whatever its case.
    let opened = scan(&desk, json!({ "code": "CS25-001 " })).await;
    assert_eq!(outcome_of(&opened), ("person", "ok"));
    assert_eq!(
        (&opened["person"]["name"], &opened["person"]["openLoans"], &opened["text"]),
        (&json!("Student 1"), &json!(0), &json!("Student 1: no book out."))
    );

    // With an open person a copy is lent; a repeat at once is the scanner's bounce, a later one is reported.
    let lend = json!({ "code": first.to_lowercase(), "person": asha.uid });
    let lent = scan(&desk, lend.clone()).await;
    assert_eq!(outcome_of(&lent), ("lent", "ok"));
    assert_eq!(lent["text"], "Lent: “Algorithms” to Student 1, due Saturday 28 Nov.");
    assert_eq!((&lent["loan"]["userId"], &lent["person"]["openLoans"]), (&json!(asha.uid), &json!(1)));
    assert_eq!(lent["copy"]["state"], "on-loan");
    assert_eq!(outcome_of(&scan(&desk, lend.clone()).await), ("ignored", "neutral"));
    app.set_clock("2026-11-21T06:01:00Z");
    let told_again = scan(&desk, lend.clone()).await;
    assert_eq!((outcome_of(&told_again), choices(&told_again)), (("shown", "neutral"), vec!["return"]));
    // A copy lent since the person was opened is not returned by a scan, however long ago that was.
    app.set_clock("2026-11-21T06:30:00Z");
    let since = json!({ "code": first, "person": asha.uid, "since": "2026-11-21T05:59:00Z" });
    assert_eq!(outcome_of(&scan(&desk, since).await).0, "shown");

    // Another reader has it: a key decides first. Return and loan are one action.
    let asked = scan(&desk, json!({ "code": first, "person": bala.uid })).await;
    assert_eq!((outcome_of(&asked), choices(&asked)), (("ask", "ask"), vec!["return-and-lend", "return"]));
    assert_eq!(state(&desk, first).await, "on-loan");
    let both = scan(&desk, json!({ "code": first, "person": bala.uid, "choice": "return-and-lend" })).await;
    assert_eq!((outcome_of(&both), &both["loan"]["userId"]), (("lent", "ok"), &json!(bala.uid)));
    assert!(asha.get("/me/loans").await.expect(200)["loans"].as_array().is_some_and(Vec::is_empty));

    // Renewal needs an explicit key.
    let renewed = scan(&desk, json!({ "code": first, "person": bala.uid, "intent": "renew" })).await;
    assert_eq!(
        (outcome_of(&renewed), &renewed["loan"]["returnDate"]),
        (("renewed", "ok"), &json!("2026-12-05"))
    );

    // A copy on loan to the open person is returned; without an open person it is returned for its borrower.
    app.set_clock("2026-11-22T06:00:00Z");
    let back = scan(&desk, json!({ "code": first, "person": bala.uid })).await;
    assert_eq!((outcome_of(&back), &back["copy"]["state"]), (("returned", "ok"), &json!("on-shelf")));
    assert_eq!(outcome_of(&scan(&desk, json!({ "code": first })).await), ("ignored", "neutral"));
    scan(&desk, json!({ "code": second, "person": asha.uid })).await;
    app.set_clock("2026-12-02T06:00:00Z");
    let late = scan(&desk, json!({ "code": second })).await;
    assert_eq!(outcome_of(&late), ("returned", "attention"));
    assert_eq!(
        late["text"],
        "Goes to Shelf A3. Take ₹15. Returned: “Algorithms”, which Student 1 had. Fine: ₹15. Student 1 has nothing else."
    );
    assert_eq!(late["explain"][0]["text"], "₹15 = 3 days × ₹5");

    // The same card closes its person.
    let closed = scan(&desk, json!({ "code": "cs25-001", "person": asha.uid })).await;
    assert_eq!((outcome_of(&closed), &closed["person"]), (("person", "neutral"), &Value::Null));

    // Copies that cannot be lent from their state: a key decides, and the desk does it.
    for (state_before, class) in [
        ("lost", "ask"),
        ("missing", "ask"),
        ("in-repair", "ask"),
        ("to-shelve", "ask"),
        ("withdrawn", "stop"),
    ] {
        let list = desk.get(&format!("/copies?barcode={first}")).await.expect(200);
        let id = &list["copies"][0]["id"];
        desk.post(&format!("/copies/{id}/move"), &json!({ "state": state_before })).await.expect(200);
        let asked = scan(&desk, json!({ "code": first })).await;
        assert_eq!(
            (asked["class"].as_str(), choices(&asked)),
            (Some(class), vec!["put-on-shelf"]),
            "{state_before}"
        );
        if state_before == "withdrawn" {
            let refused = scan(&desk, json!({ "code": first, "person": asha.uid })).await;
            assert_eq!(outcome_of(&refused), ("refused", "stop"));
            assert_eq!(refused["blocks"][0]["overridable"], false);
        } else if state_before != "to-shelve" {
            let asked = scan(&desk, json!({ "code": first, "person": asha.uid })).await;
            assert_eq!((outcome_of(&asked), choices(&asked)), (("ask", "ask"), vec!["lend", "put-on-shelf"]));
        }
        let put = scan(&desk, json!({ "code": first, "choice": "put-on-shelf" })).await;
        assert_eq!((outcome_of(&put), &put["copy"]["state"]), (("shelved", "ok"), &json!("on-shelf")));
    }

    // A name or a title is searched for; an unknown code changes nothing.
    let found = scan(&desk, json!({ "code": "student" })).await;
    assert_eq!(outcome_of(&found), ("ask", "neutral"));
    let person = format!("person:{}", asha.uid);
    assert!(choices(&found).contains(&person.as_str()), "{found}");
    assert_eq!(
        outcome_of(&scan(&desk, json!({ "code": "student", "choice": person })).await),
        ("person", "attention")
    );
    let found = scan(&desk, json!({ "code": "algor" })).await;
    assert_eq!(choices(&found), [format!("book:{book}")]);
    let title = scan(&desk, json!({ "code": "algor", "choice": format!("book:{book}") })).await;
    assert_eq!((outcome_of(&title), title["choices"].as_array().map(Vec::len)), (("ask", "ask"), Some(2)));
    let unknown = scan(&desk, json!({ "code": "X-404", "person": asha.uid })).await;
    assert_eq!((outcome_of(&unknown), &unknown["person"]["uid"]), (("unknown", "stop"), &json!(asha.uid)));
}

async fn a_copy_of_a_deleted_title_comes_back_at_the_desk_r_book_6(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 2).await;
    let copies = barcodes(&desk, book).await;
    for copy in &copies {
        scan(&desk, json!({ "code": copy, "person": asha.uid })).await;
    }
    desk.delete(&format!("/books/{book}")).await.expect(204);
    let loans = desk.get("/loans").await.expect(200);
    assert_eq!(loans["loans"][0]["titleDeleted"], json!(true), "the list of loans knows");

    // Without an open person, or with another one, the copy cannot be lent, so there is nothing to ask.
    app.set_clock("2026-11-22T06:00:00Z");
    let back = scan(&desk, json!({ "code": copies[0].to_uppercase() })).await;
    assert_eq!(outcome_of(&back), ("returned", "ok"));
    assert_eq!(
        back["text"],
        "Put it aside. Returned: “Algorithms”, which Student 1 had. Its title was deleted from the catalogue, so this \
         copy is withdrawn. Student 1 has 1 more book."
    );
    assert_eq!(back["copy"]["state"], "withdrawn");
    let other = scan(&desk, json!({ "code": copies[1], "person": bala.uid })).await;
    assert_eq!(outcome_of(&other), ("returned", "ok"));

    // The title is deleted and has no copies; a new copy may have the barcode.
    assert_eq!(outcome_of(&scan(&desk, json!({ "code": copies[0] })).await), ("unknown", "stop"));
}

#[tokio::test]
async fn a_search_that_finds_more_people_than_it_shows_says_so() {
    let app = TestApp::new().await;
    let desk = app.admin(0).await;
    for n in 1..=12 {
        app.student(n).await;
    }
    let all = scan(&desk, json!({ "code": "student" })).await;
    assert_eq!((choices(&all).len(), &all["text"]), (12, &json!("Found for “student”:")));
    app.student(13).await;
    let first = scan(&desk, json!({ "code": "student" })).await;
    assert_eq!(choices(&first).len(), 12);
    assert_eq!(
        first["text"],
        "Found for “student”: More people match: type more of the name, or find them under People."
    );
    assert_eq!(first["messages"][1]["code"], "desk.morePeople");
}

#[tokio::test]
async fn a_block_is_told_with_its_numbers_and_lent_over_with_a_reason_r_desk_5() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let rules = desk.get("/settings/rules").await;
    let mut document = rules.json();
    document["categories"][0]["rules"]["maxLoans"] = json!(1);
    desk.put("/settings/rules", &rules.etag(), &document).await.expect(200);
    let book = app.book("Algorithms", 2).await;
    let copies = barcodes(&desk, book).await;
    let third = scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await;
    assert_eq!(third["text"], "Lent: “Algorithms” to Student 1, due Saturday 28 Nov. 1 of 1 out.");
    let refused = scan(&desk, json!({ "code": copies[1], "person": asha.uid })).await;
    assert_eq!(outcome_of(&refused), ("refused", "stop"));
    let block = &refused["blocks"][0];
    assert_eq!((&block["id"], &block["overridable"]), (&json!("limit.person"), &json!(true)));
    assert_eq!(block["facts"], json!({ "out": 1, "max": 1, "excess": 1 }));
    assert_eq!(block["text"], "1 book is out; the limit is 1. Return 1 to borrow again.");
    assert_eq!(state(&desk, &copies[1]).await, "on-shelf");

    let over = |reason: &str| {
        json!({ "code": copies[1], "person": asha.uid,
                "override": { "blocks": ["limit.person"], "reason": reason } })
    };
    let blank = desk.post("/desk/scans", &over(" ")).await;
    blank.problem(422, "invalid");
    assert_eq!(blank.wrong_fields(), ["override.reason"]);
    assert_eq!(outcome_of(&scan(&desk, over("exam week")).await), ("lent", "attention"));
    let log = desk.get(&format!("/changes?person={}&action=lent", asha.uid)).await.expect(200);
    assert_eq!(log["changes"][0]["change"]["overridden"]["reason"], "exam week");
}

#[tokio::test]
async fn an_isbn_shows_the_copies_and_never_picks_one_r_desk_2() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 2).await;
    app.raw(&format!("UPDATE books SET isbn = '9780747532699' WHERE id = {book}"));
    let copies = barcodes(&desk, book).await;
    scan(&desk, json!({ "code": copies[1], "person": asha.uid })).await;
    app.set_clock("2026-11-21T07:00:00Z");
    let asked = scan(&desk, json!({ "code": "0-7475-3269-9", "person": asha.uid })).await;
    assert_eq!(outcome_of(&asked), ("ask", "ask"));
    let first = &asked["choices"][0];
    assert_eq!(first["copy"]["barcode"], copies[1], "what the person has comes first, to be returned");
    let back =
        scan(&desk, json!({ "code": "0-7475-3269-9", "person": asha.uid, "choice": first["id"] })).await;
    assert_eq!(outcome_of(&back), ("returned", "ok"));
}

#[tokio::test]
async fn a_repeat_of_a_scan_gets_the_first_answer_and_does_nothing_law_7() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let body = json!({ "code": barcodes(&desk, book).await[0], "person": asha.uid });
    let keyed = || {
        let mut request = desk.request("POST", "/desk/scans", Some(&body));
        request.headers_mut().insert("Idempotency-Key", "scan-1".parse().expect("a key"));
        request
    };
    let first = desk.send(keyed()).await.expect(200);
    app.set_clock("2026-11-21T09:00:00Z");
    let again = desk.send(keyed()).await;
    assert_eq!(again.header("Idempotent-Replayed"), Some("true"));
    assert_eq!(again.expect(200), first);
    assert_eq!(asha.get("/me/loans").await.expect(200)["loans"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_copy_that_comes_back_is_kept_for_whoever_waits_and_the_desk_says_for_whom_r_hold_2() {
    let app = TestApp::new().await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 1).await;
    let copies = barcodes(&desk, book).await;
    scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await;
    let (uid, moment) = (bala.uid, app.state.library.clock.moment());
    app.state
        .library
        .db
        .write(move |tx| {
            let what = Place { person: uid, book: BookId(book), overriding: None };
            hold::place(tx, Actor::Student(uid), moment, &Rulebook::default(), &what)
        })
        .await
        .expect("in line");
    app.set_clock("2026-11-21T07:00:00Z");
    let back = scan(&desk, json!({ "code": copies[0] })).await;
    assert_eq!(
        (outcome_of(&back), &back["hold"]["userName"]),
        (("returned", "attention"), &json!("Student 2"))
    );
    assert_eq!(back["next"][0]["text"], "Keep for Student 2.", "R-SEAM-7: first what the hand does");
    assert!(back["text"].as_str().is_some_and(|text| text.starts_with("Keep for Student 2. Returned: ")));
    // Another reader gets it only with a reason; the reader it is kept for gets it as usual.
    let refused = scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await;
    assert_eq!(
        (outcome_of(&refused), &refused["blocks"][0]["overridable"]),
        (("refused", "stop"), &json!(true))
    );
    assert_eq!(refused["next"][0]["text"], "Keep for Student 2.", "R-SEAM-7: it goes back to the hold shelf");
    assert_eq!(
        outcome_of(&scan(&desk, json!({ "code": copies[0], "person": bala.uid })).await),
        ("lent", "ok")
    );
}

#[tokio::test]
async fn returning_for_one_and_lending_to_another_is_both_or_neither_r_desk_2() {
    let app = TestApp::new().await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let (waiting, book) = (app.student(3).await, app.book("Algorithms", 1).await);
    let code = barcodes(&desk, book).await[0].clone();
    let loan = asha.borrow(book).await;
    waiting.ask(&format!("/books/{book}/holds")).await.expect(201);
    let both = json!({ "code": code, "person": bala.uid, "choice": "return-and-lend" });
    let refused = scan(&desk, both.clone()).await;
    assert_eq!(
        (outcome_of(&refused), &refused["blocks"][0]["id"]),
        (("refused", "stop"), &json!("title.reserved"))
    );
    assert_eq!(
        asha.get("/me/loans").await.expect(200)["loans"][0]["id"],
        loan,
        "it did not come back either"
    );
    let anyway = json!({ "blocks": ["title.reserved"], "reason": "exam tomorrow" });
    let lent = scan(&desk, crate::app::with(&both, json!({ "override": anyway }))).await;
    assert_eq!((outcome_of(&lent), &lent["loan"]["userId"]), (("lent", "ok"), &json!(bala.uid)));
    // The waiting reader still waits: nothing was kept on the way.
    assert_eq!(waiting.get("/me/holds").await.expect(200)["holds"][0]["state"], "waiting");
}

#[tokio::test]
async fn a_lost_copy_that_turns_up_goes_to_whoever_waits_r_hold_3() {
    let app = TestApp::new().await;
    let (desk, asha, waiting) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 2).await;
    app.student(3).await.borrow(book).await;
    let list = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    let free =
        list["copies"].as_array().and_then(|copies| copies.iter().find(|it| it["state"] == "on-shelf"));
    let (id, code) = free.map(|copy| (&copy["id"], &copy["barcode"])).expect("one is left");
    desk.post(&format!("/copies/{id}/move"), &json!({ "state": "lost" })).await.expect(200);
    waiting.ask(&format!("/books/{book}/holds")).await.expect(201);
    let found = scan(&desk, json!({ "code": code, "person": asha.uid, "choice": "lend" })).await;
    assert_eq!(
        (outcome_of(&found), &found["copy"]["hold"]["userId"]),
        (("kept", "attention"), &json!(waiting.uid))
    );
}

#[tokio::test]
async fn another_copy_of_the_title_comes_back_in_place_of_the_one_that_was_lent_r_desk_6() {
    let app = TestApp::new().await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 3).await;
    let copies = barcodes(&desk, book).await;
    let loan = scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await["loan"]["id"].clone();
    let swap = format!("swap:{loan}");

    // A second copy is either lent, or swapped for the one on loan: a key decides.
    let second = scan(&desk, json!({ "code": copies[1], "person": asha.uid })).await;
    assert_eq!((outcome_of(&second), choices(&second)), (("lent", "attention"), vec![swap.as_str()]));
    let told = format!("Student 1 already has another copy: {}, due Saturday 28 Nov.", copies[0]);
    assert!(second["text"].as_str().is_some_and(|text| text.contains(&told)), "{second}");
    let offered = format!("Student 1 is returning, not borrowing: take {} back for {}", copies[1], copies[0]);
    assert_eq!(second["choices"][0]["text"], offered);
    let back = scan(&desk, json!({ "code": copies[1], "person": asha.uid, "choice": swap })).await;
    assert_eq!(
        (outcome_of(&back), &back["loan"]["id"]),
        (("returned", "attention"), &loan),
        "that one never was a loan"
    );
    assert_eq!([state(&desk, &copies[0]).await, state(&desk, &copies[1]).await], ["missing", "on-shelf"]);
    desk.ask(&format!("/changes/{}/undo", back["change"])).await.expect(200);
    assert_eq!([state(&desk, &copies[0]).await, state(&desk, &copies[1]).await], ["on-loan", "on-shelf"]);

    // Without an open person the swap is offered if exactly one person has the title.
    app.set_clock("2026-11-22T06:00:00Z");
    let shown = scan(&desk, json!({ "code": copies[1] })).await;
    assert_eq!((outcome_of(&shown), choices(&shown)), (("shown", "ok"), vec![swap.as_str()]));
    let back = scan(&desk, json!({ "code": copies[1], "choice": swap })).await;
    assert_eq!((outcome_of(&back), &back["loan"]["userId"]), (("returned", "attention"), &json!(asha.uid)));
    assert_eq!(
        [state(&desk, &copies[0]).await, state(&desk, &copies[1]).await],
        ["missing", "on-shelf"],
        "{back}"
    );
    assert!(asha.get("/me/loans").await.expect(200)["loans"].as_array().is_some_and(Vec::is_empty));
    // Both are one action, and are undone as one.
    desk.ask(&format!("/changes/{}/undo", back["change"])).await.expect(200);
    assert_eq!([state(&desk, &copies[0]).await, state(&desk, &copies[1]).await], ["on-loan", "on-shelf"]);

    // If another reader has that copy by the records, the two loans are exchanged.
    scan(&desk, json!({ "code": copies[2], "person": bala.uid })).await;
    let asked = scan(&desk, json!({ "code": copies[2], "person": asha.uid })).await;
    assert_eq!(choices(&asked), [swap.as_str(), "return-and-lend", "return"]);
    let back = scan(&desk, json!({ "code": copies[2], "person": asha.uid, "choice": swap })).await;
    assert_eq!((outcome_of(&back), &back["person"]["openLoans"]), (("returned", "attention"), &json!(0)));
    assert_eq!([state(&desk, &copies[0]).await, state(&desk, &copies[2]).await], ["on-loan", "on-shelf"]);
    assert_eq!(bala.get("/me/loans").await.expect(200)["loans"][0]["barcode"], copies[0]);
    assert_eq!(
        borrowers(&desk, &copies[0]).await,
        ["Student 2"],
        "found by the copy that is out now (R-FINE-2)"
    );
    let history = desk.get(&format!("/changes?book={book}&action=returned")).await.expect(200);
    assert!(
        history["changes"][0]["text"].as_str().is_some_and(|text| text.contains("was returned instead of")),
        "{history}"
    );
    desk.ask(&format!("/changes/{}/undo", back["change"])).await.expect(200);
    assert_eq!(bala.get("/me/loans").await.expect(200)["loans"][0]["barcode"], copies[2]);
    assert_eq!(borrowers(&desk, &copies[2]).await, ["Student 2"]);
    assert_eq!(borrowers(&desk, &copies[0]).await, ["Student 1"]);
}

#[tokio::test]
async fn an_open_loan_is_found_by_the_barcode_that_its_copy_has_now_r_fine_2() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let loan = asha.borrow(book).await;
    let list = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    let (id, before) = (&list["copies"][0]["id"], list["copies"][0]["barcode"].as_str().expect("text"));
    desk.patch(&format!("/copies/{id}"), &json!({ "barcode": "NEW-77" })).await.expect(200);
    assert_eq!(borrowers(&desk, "new-7").await, ["Student 1"]);
    assert!(borrowers(&desk, before).await.is_empty(), "{before} is on no copy");

    // A loan that ended before the keys of open loans were stored gets its key when it is open again.
    let back = scan(&desk, json!({ "code": "NEW-77" })).await;
    app.raw("UPDATE loans SET search_key = ''");
    assert!(borrowers(&desk, "new-77").await.is_empty(), "{loan} is returned");
    desk.ask(&format!("/changes/{}/undo", back["change"])).await.expect(200);
    assert_eq!(borrowers(&desk, "new-77").await, ["Student 1"]);
}

#[tokio::test]
async fn the_day_of_a_book_drop_is_said_and_never_one_to_come_r_desk_11() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = &barcodes(&desk, book).await[0];
    let from_drop = |day: &str| json!({ "code": code, "intent": "return", "returnedOn": day });
    asha.borrow(book).await;
    assert_eq!(desk.post("/desk/scans", &from_drop("2026-11-22")).await.wrong_fields(), ["returnedOn"]);
    assert_eq!(state(&desk, code).await, "on-loan");
    // The box was emptied before the book was lent: the day of lending is the earliest that can be true.
    let back = scan(&desk, from_drop("2026-11-20")).await;
    assert_eq!(outcome_of(&back).0, "returned");
    let says = |answer: &Value, words: &str| {
        answer["messages"].as_array().expect("a list").iter().any(|said| said["text"] == words)
    };
    let clamped = "Borrowed after the day of the book drop, so it counts as returned on Saturday 21 Nov.";
    assert!(says(&back, clamped), "{back}");

    // On a later day the log names the day as well (K7).
    asha.borrow(book).await;
    app.set_clock("2026-11-23T06:00:00Z");
    let back = scan(&desk, from_drop("2026-11-22")).await;
    assert!(says(&back, "Counts as returned on Sunday 22 Nov."), "{back}");
    let log = desk.get("/changes?action=returned").await.expect(200);
    let changes = log["changes"].as_array().expect("a list").iter();
    let texts: Vec<&str> = changes.filter_map(|change| change["text"].as_str()).collect();
    assert!(texts[0].contains("Counted as of 22 Nov 2026."), "{texts:?}");
    assert!(!texts[1].contains("Counted as of"), "{texts:?}");
}

#[tokio::test]
async fn a_refused_second_copy_of_a_title_is_offered_as_a_swap_r_desk_6() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let rules = desk.get("/settings/rules").await;
    let mut document = rules.json();
    document["categories"][0]["rules"]["oneCopyPerTitle"] = json!(true);
    desk.put("/settings/rules", &rules.etag(), &document).await.expect(200);
    let book = app.book("Algorithms", 2).await;
    let copies = barcodes(&desk, book).await;
    let loan = scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await["loan"]["id"].clone();
    let swap = format!("swap:{loan}");
    let refused = scan(&desk, json!({ "code": copies[1], "person": asha.uid })).await;
    assert_eq!((outcome_of(&refused), choices(&refused)), (("refused", "stop"), vec![swap.as_str()]));
    let back = scan(&desk, json!({ "code": copies[1], "person": asha.uid, "choice": swap })).await;
    assert_eq!((outcome_of(&back), &back["loan"]["id"]), (("returned", "attention"), &loan));
}

#[tokio::test]
async fn a_copy_scanned_again_later_says_when_it_came_back_and_from_whom_r_desk_4() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await[0].clone();
    scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    scan(&desk, json!({ "code": code, "intent": "return" })).await;
    for (later, ago) in [("2026-11-21T06:10:00Z", "10 minutes"), ("2026-11-21T08:00:00Z", "2 hours")] {
        app.set_clock(later);
        let shown = scan(&desk, json!({ "code": code })).await;
        let told = format!("Student 1 returned it {ago} ago.");
        assert!(shown["text"].as_str().is_some_and(|text| text.contains(&told)), "{shown}");
    }
    app.set_clock("2026-11-22T08:00:00Z");
    let shown = scan(&desk, json!({ "code": code })).await;
    assert!(shown["text"].as_str().is_some_and(|text| !text.contains("returned it")), "{shown}");
}

#[tokio::test]
async fn a_copy_passed_on_to_the_next_reader_asks_for_a_new_slip_r_hold_2() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await[0].clone();
    scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    for waiting in [app.student(2).await, app.student(3).await] {
        waiting.ask(&format!("/books/{book}/holds")).await.expect(201);
    }
    scan(&desk, json!({ "code": code, "intent": "return" })).await;
    app.set_clock("2026-11-21T07:00:00Z");
    let shown = scan(&desk, json!({ "code": code })).await;
    assert_eq!((outcome_of(&shown), &shown["hold"]), (("shown", "neutral"), &Value::Null));

    app.set_clock("2026-11-26T06:00:00Z");
    jobs::expire_holds(&app.state.library, "here").await.expect("done");
    let desk = app.admin(0).await;
    let shown = scan(&desk, json!({ "code": code })).await;
    assert_eq!(
        (outcome_of(&shown), &shown["hold"]["userName"], &shown["next"][0]["text"]),
        (("shown", "attention"), &json!("Student 3"), &json!("Keep for Student 3."))
    );
    let told = "New slip: it was kept for Student 2.";
    assert!(shown["text"].as_str().is_some_and(|text| text.contains(told)), "{shown}");
}

#[tokio::test]
async fn an_undo_says_who_has_the_copy_and_who_is_next_r_undo_2() {
    let app = TestApp::new().await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await[0].clone();
    let lent = scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    let undone = desk.ask(&format!("/changes/{}/undo", lent["change"])).await.expect(200);
    let text = undone["text"].as_str().unwrap_or_default();
    assert!(text.ends_with("Goes to Shelf A3."), "{text}");

    scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    bala.ask(&format!("/books/{book}/holds")).await.expect(201);
    let back = scan(&desk, json!({ "code": code, "intent": "return" })).await;
    let undone = desk.ask(&format!("/changes/{}/undo", back["change"])).await.expect(200);
    let text = undone["text"].as_str().unwrap_or_default();
    assert!(text.ends_with("Student 1 has it until Saturday 28 Nov. Next in line: Student 2."), "{text}");
}

#[tokio::test]
async fn a_damaged_copy_goes_to_repair_and_whoever_brought_it_is_charged_r_desk_11() {
    let app = TestApp::new().await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await[0].clone();
    let blank = json!({ "code": code, "damaged": { "note": " ", "charge": 50 } });
    assert_eq!(desk.post("/desk/scans", &blank).await.wrong_fields(), ["damaged.note"]);
    let torn = json!({ "code": code, "damaged": { "note": "Cover torn", "charge": 50 } });
    let nobody = desk.post("/desk/scans", &torn).await;
    assert_eq!(nobody.wrong_fields(), ["damaged.charge"], "nobody had it");
    assert_eq!(state(&desk, &code).await, "on-shelf", "nothing was half-done");

    // Damage reported with the return, or a moment later: the same result.
    for first in [None, Some(json!({ "code": code }))] {
        scan(&desk, json!({ "code": code, "person": asha.uid, "choice": "lend" })).await;
        if let Some(back) = first {
            app.set_clock("2026-11-21T07:00:00Z");
            assert_eq!(outcome_of(&scan(&desk, back).await), ("returned", "ok"));
        }
        let damaged = scan(&desk, torn.clone()).await;
        assert_eq!(
            (outcome_of(&damaged), &damaged["copy"]["state"]),
            (("returned", "attention"), &json!("in-repair"))
        );
        assert_eq!((&damaged["charge"]["amount"], &damaged["charged"]), (&json!(50), &json!(asha.uid)));
        let account = desk.get(&format!("/people/{}/account", asha.uid)).await.expect(200);
        assert_eq!(account["balance"], 50);
        assert_eq!(account["lines"][0]["reason"], "Algorithms: Cover torn");
        desk.ask(&format!("/changes/{}/undo", damaged["change"])).await.expect(200);
        assert_eq!(desk.get(&format!("/people/{}/account", asha.uid)).await.expect(200)["balance"], 0);
        if state(&desk, &code).await == "on-loan" {
            scan(&desk, json!({ "code": code, "intent": "return" })).await;
        }
        assert_eq!(state(&desk, &code).await, "on-shelf");
    }
}

#[tokio::test]
async fn lending_what_another_had_is_undone_as_one_r_undo_1() {
    let app = TestApp::new().await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await[0].clone();
    scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    let both = scan(&desk, json!({ "code": code, "person": bala.uid, "choice": "return-and-lend" })).await;
    assert_eq!(outcome_of(&both), ("lent", "ok"));
    let undone = desk.ask(&format!("/changes/{}/undo", both["change"])).await.expect(200);
    assert_eq!(
        undone["text"],
        "Undone: “Algorithms” was not lent. Undone: “Algorithms” is on loan again, due 28 Nov 2026. \
         Student 1 has it until Saturday 28 Nov."
    );
    assert_eq!(asha.get("/me/loans").await.expect(200)["loans"].as_array().map(Vec::len), Some(1));
    assert!(bala.get("/me/loans").await.expect(200)["loans"].as_array().is_some_and(Vec::is_empty));
}

async fn what_this_desk_did_today_is_listed_with_its_till_r_desk_12(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, other, asha) = (app.admin(0).await, app.admin(1).await, app.student(1).await);
    let (book, free) = (app.book("Algorithms", 2).await, app.book("Godaan", 1).await);
    let copies = barcodes(&desk, book).await;
    scan(&desk, json!({ "code": copies[0], "person": asha.uid })).await;
    // A student's own loans, and those of another day, are not work of the desk.
    asha.borrow(free).await;
    app.set_clock("2026-11-30T06:00:00Z");
    let empty = desk.get("/desk/today").await.expect(200);
    assert_eq!((&empty["day"], &empty["lastOpenDay"]), (&json!("2026-11-30"), &json!("2026-11-29")));
    assert_eq!((&empty["changes"], &empty["lent"], &empty["takings"]), (&json!([]), &json!(0), &json!([])));

    let back = scan(&desk, json!({ "code": copies[0] })).await;
    let (charge, owed) = (&back["charge"]["id"], back["charge"]["amount"].as_f64().expect("an amount"));
    assert!((owed - 10.0).abs() < f64::EPSILON, "{back}");
    let pay = |amount, method: &str| json!({ "amount": amount, "method": method });
    let payments = format!("/people/{}/payments", asha.uid);
    desk.post(&payments, &pay(4, "cash")).await.expect(201);
    let mistaken = desk.post(&payments, &pay(3, "upi")).await.expect(201);
    desk.ask(&format!("/changes/{}/undo", mistaken["change"])).await.expect(200);
    desk.post(&payments, &pay(5, "upi")).await.expect(201);
    desk.post(&format!("/charges/{charge}/waive"), &json!({ "reason": "a rupee" })).await.expect(200);
    let lent = scan(&other, json!({ "code": copies[1], "person": asha.uid })).await;

    let today = desk.get("/desk/today").await.expect(200);
    let takings = json!([
        { "method": "cash", "payments": 1, "amount": 4, "paidOut": 0, "reversed": 0 },
        { "method": "upi", "payments": 1, "amount": 5, "paidOut": 0, "reversed": 0 },
    ]);
    assert_eq!((&today["takings"], &today["taken"], &today["waived"]), (&takings, &json!(9), &json!(1)));
    assert_eq!((&today["lent"], &today["returned"]), (&json!(0), &json!(1)), "the other desk lent");
    let actions: Vec<_> =
        today["changes"].as_array().expect("a list").iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, ["waived", "paid", "undone", "paid", "paid", "returned"]);
    let mistake = &today["changes"][3];
    assert_eq!((&mistake["undone"], &mistake["undoable"]), (&json!(true), &json!(false)));
    assert_eq!(today["changes"][0]["undoable"], true);

    let all = desk.get("/desk/today?whose=everyone&action=lent").await.expect(200);
    assert_eq!((&all["lent"], &all["changes"][0]["id"]), (&json!(1), &lent["change"]));
    let page = desk.get("/desk/today?limit=2").await.expect(200);
    let next = page["next"].as_str().expect("more");
    let rest = desk.get(&format!("/desk/today?limit=2&cursor={next}")).await.expect(200);
    assert_eq!(rest["changes"][0]["action"], "undone");
}

/// K3, L6: the fine was gone, and neither the desk nor the change said so.
async fn extending_an_overdue_loan_says_and_keeps_the_fine_that_falls_away_r_money_5(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcodes(&desk, book).await.remove(0);
    scan(&desk, json!({ "code": code, "person": asha.uid })).await;
    app.set_clock("2026-12-01T06:00:00Z");
    let renew = json!({ "code": code, "intent": "renew" });
    let renewed = scan(&desk, renew.clone()).await;
    assert_eq!(outcome_of(&renewed), ("renewed", "attention"));
    assert_eq!(
        renewed["text"],
        "Extended for Student 1: “Algorithms”, due Saturday 5 Dec; it was due Saturday 28 Nov. The fine of ₹15 is \
         dropped."
    );
    let anyway = format!("charge-fine:{}", renewed["change"]);
    assert_eq!(renewed["choices"][0]["text"], "Charge ₹15 anyway");
    assert_eq!(choices(&renewed), [anyway.as_str()]);
    let changes = desk.get("/changes?action=renewed").await.expect(200);
    assert_eq!(
        changes["changes"][0]["text"],
        "“Algorithms” extended from 28 Nov 2026 to 5 Dec 2026. Fine of ₹15 dropped."
    );
    let dropped = async || desk.get("/desk/today").await.expect(200)["finesDropped"].clone();
    assert_eq!(dropped().await, json!(15));

    // Charged after all, once however often it is pressed.
    let charge = json!({ "code": code, "choice": anyway });
    let charged = scan(&desk, charge.clone()).await;
    assert_eq!(outcome_of(&charged), ("charged", "attention"));
    assert_eq!(charged["text"], "Charged to Student 1: ₹15 for “Algorithms”.");
    assert_eq!((&charged["charge"]["open"], &charged["charged"]), (&json!(15), &json!(asha.uid)));
    assert_eq!(
        charged["charge"]["explain"][0]["text"],
        "₹15 had been dropped when the loan was extended from 28 Nov 2026 to 5 Dec 2026"
    );
    let again = scan(&desk, charge.clone()).await;
    assert_eq!((&again["charge"]["id"], &again["change"]), (&charged["charge"]["id"], &charged["change"]));
    let account = async || desk.get(&format!("/people/{}/account", asha.uid)).await.expect(200);
    assert_eq!(account().await["balance"], 15);
    assert_eq!(dropped().await, json!(0), "it did not fall away");

    // The extension is undone after the charge; both leave everything as it was.
    let undo = async |change: &Value| desk.ask(&format!("/changes/{change}/undo")).await;
    let refused = undo(&renewed["change"]).await;
    assert_eq!(
        refused.problem(409, "refused"),
        "Since then, for Student 1: Fine of ₹15 for “Algorithms” charged after the extension had dropped it. Undo that \
         first, or correct it by hand."
    );
    undo(&charged["change"]).await.expect(200);
    assert_eq!(dropped().await, json!(15));
    undo(&renewed["change"]).await.expect(200);
    let before = account().await;
    assert_eq!((&before["balance"], &before["running"]), (&json!(0), &json!(15)), "it runs again");
    assert_eq!(dropped().await, json!(0));
    let late = desk.post("/desk/scans", &charge).await;
    assert_eq!(late.problem(409, "refused"), "This was already undone.");

    // A loan that stays overdue drops only a part; one in time drops nothing and is no matter of attention.
    app.set_clock("2026-12-08T06:00:00Z");
    let desk = app.admin(0).await;
    let part = scan(&desk, renew.clone()).await;
    assert_eq!(part["messages"][1]["text"], "The fine of ₹35 is dropped.");
    assert_eq!((&part["loan"]["fine"], &part["loan"]["returnDate"]), (&json!(15), &json!("2026-12-05")));
    scan(&desk, renew.clone()).await;
    let in_time = scan(&desk, renew).await;
    assert_eq!((outcome_of(&in_time), choices(&in_time).len()), (("renewed", "ok"), 0));
}
