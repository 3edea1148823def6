//! Holds through the real router: reservations, the queue, kept copies, and their visibility.

use std::sync::Arc;

use library::jobs;
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    common::Database,
};

on_both_databases!(
    what_two_servers_expire_at_once_expires_once_r_hold_2,
    a_server_that_was_stopped_for_days_catches_up_r_hold_2,
);

async fn reserve(student: &Person<'_>, book: i64) -> Value {
    student.ask(&format!("/books/{book}/holds")).await.expect(201)
}

async fn reservation(person: &Person<'_>, book: i64) -> Value {
    person.get(&format!("/books/{book}")).await.expect(200)["reservation"].clone()
}

async fn give_back(admin: &Person<'_>, loan: i64) {
    admin.post(&format!("/loans/{loan}/return"), &json!({ "restock": true })).await.expect(204);
}

#[tokio::test]
async fn a_student_reserves_a_title_without_a_free_copy_and_is_told_the_place_r_hold_1() {
    let app = TestApp::new().await;
    let (asha, bala, chitra) = (app.student(1).await, app.student(2).await, app.student(3).await);
    let book = app.book("Godaan", 1).await;
    let path = format!("/books/{book}/holds");
    assert_eq!(
        reservation(&bala, book).await,
        json!({ "offered": false, "waiting": 0, "free": 1, "fillable": true, "inRepair": 0, "backBy": null, "own": null })
    );
    let told = bala.ask(&path).await;
    assert_eq!(
        told.problem(409, "refused"),
        "A copy is on the shelf. No need to wait: take it from Shelf A3."
    );
    assert_eq!(told.json()["blocks"][0]["id"], "hold.free");
    asha.borrow(book).await;
    assert_eq!(
        reservation(&bala, book).await,
        json!({ "offered": true, "waiting": 0, "free": 0, "fillable": true, "inRepair": 0, "backBy": "2026-11-28", "own": null })
    );
    let hold = reserve(&bala, book).await;
    assert_eq!(
        hold,
        json!({
            "id": hold["id"], "bookId": book, "title": "Godaan", "userId": bala.uid, "userName": "Student 2",
            "rollNumber": "cs25-002", "state": "waiting", "place": 1, "waiting": 1, "readyUntil": null, "copyId": null,
            "barcode": null, "backBy": "2026-11-28", "fillable": true, "placedAt": "2026-11-21T06:00:00Z",
        })
    );
    reserve(&chitra, book).await;
    let mine = reservation(&chitra, book).await;
    assert_eq!(
        (&mine["waiting"], &mine["own"]["place"], &mine["own"]["backBy"]),
        (&json!(2), &json!(2), &Value::Null)
    );
    assert_eq!(reservation(&asha, book).await["offered"], false, "not for a title she has");
    let visitor = reservation(&app.visitor(), book).await;
    assert_eq!((&visitor["offered"], &visitor["waiting"]), (&json!(false), &json!(2)));
    asha.ask(&path).await.problem(409, "refused");
    bala.ask(&path).await.problem(409, "refused");
    app.visitor().ask(&path).await.problem(401, "not-signed-in");
    bala.post(&path, &json!({ "person": chitra.uid })).await.problem(403, "forbidden");
    bala.ask("/books/99/holds").await.problem(404, "not-found");
    let id = &hold["id"];
    chitra.delete(&format!("/holds/{id}")).await.problem(404, "not-found");
    bala.delete(&format!("/holds/{id}")).await.expect(204);
    bala.delete(&format!("/holds/{id}")).await.problem(404, "not-found");
    assert_eq!(reservation(&chitra, book).await["own"]["place"], 1);
    let ended = bala.get("/me/holds").await.expect(200);
    assert_eq!((&ended["holds"], &ended["ended"][0]["state"]), (&json!([]), &json!("cancelled")));
}

#[tokio::test]
async fn a_returned_copy_is_kept_and_only_its_reader_borrows_it_r_hold_2_r_hold_3() {
    let app = TestApp::new().await;
    let (asha, bala, chitra, admin) =
        (app.student(1).await, app.student(2).await, app.student(3).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    let loan = asha.borrow(book).await;
    reserve(&bala, book).await;
    reserve(&chitra, book).await;
    give_back(&admin, loan).await;
    let shown = admin.get(&format!("/books/{book}")).await.expect(200);
    assert_eq!((&shown["noOfBooks"], &shown["status"]), (&json!(0), &json!("Not Available")));
    let copies = admin.get(&format!("/books/{book}/copies")).await.expect(200);
    let copy = &copies["copies"][0];
    assert_eq!(
        (&copy["state"], &copy["hold"]["userName"], &copy["hold"]["readyUntil"]),
        (&json!("on-hold-shelf"), &json!("Student 2"), &json!("2026-11-24"))
    );
    let ready = admin.get("/holds").await.expect(200);
    assert_eq!(
        (&ready["holds"][0]["userName"], &ready["holds"][0]["barcode"], &ready["ready"]),
        (&json!("Student 2"), &json!("L000001"), &json!(1))
    );
    let mine = bala.get("/me/holds").await.expect(200);
    assert_eq!((&mine["holds"][0]["state"], &mine["holds"][0]["place"]), (&json!("ready"), &Value::Null));
    assert_eq!(reservation(&bala, book).await["free"], 1);
    assert_eq!(reservation(&chitra, book).await["free"], 0);
    chitra.ask(&format!("/books/{book}/loans")).await.problem(409, "book-unavailable");
    bala.borrow(book).await;
    assert_eq!(bala.get("/me/holds").await.expect(200)["ended"][0]["state"], "fulfilled");
    assert_eq!(admin.get("/holds").await.expect(200)["holds"], json!([]));
    let actions: Vec<String> = app.changes(book).await.into_iter().map(|(action, _)| action).collect();
    assert_eq!(
        actions[2..],
        ["lent", "hold-placed", "hold-placed", "hold-ready", "returned", "lent"].map(String::from)
    );
}

#[tokio::test]
async fn a_readers_own_return_is_seen_by_the_desk_before_it_is_promised_r_hold_2() {
    let app = TestApp::new().await;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    let loan = asha.borrow(book).await;
    reserve(&bala, book).await;
    asha.ask(&format!("/loans/{loan}/return")).await.expect(204);
    assert_eq!(reservation(&bala, book).await["own"]["state"], "processing");
    let listed = async |state: &str| {
        let list = admin.get(&format!("/holds?state={state}")).await.expect(200);
        list["holds"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([listed("processing").await, listed("waiting").await, listed("ready").await], [1, 0, 0]);
    bala.ask(&format!("/books/{book}/loans")).await.problem(409, "book-unavailable");
    let unseen = admin.get("/copies?state=unseen").await.expect(200);
    let copy = &unseen["copies"][0]["id"];
    let seen = admin.post(&format!("/copies/{copy}/move"), &json!({ "state": "on-shelf" })).await.expect(200);
    assert_eq!((&seen["state"], &seen["hold"]["userName"]), (&json!("on-hold-shelf"), &json!("Student 2")));
    assert_eq!([listed("processing").await, listed("waiting").await, listed("ready").await], [0, 0, 1]);
}

#[tokio::test]
async fn librarians_see_lines_reserve_for_readers_and_move_them_with_a_reason_r_hold_3_r_hold_4() {
    let app = TestApp::new().await;
    let (asha, bala, chitra, admin) =
        (app.student(1).await, app.student(2).await, app.student(3).await, app.admin(0).await);
    let (book, other) = (app.book("Godaan", 1).await, app.book("Nirmala", 1).await);
    asha.borrow(book).await;
    asha.borrow(other).await;
    let path = format!("/books/{book}/holds");
    assert_eq!(admin.ask(&path).await.wrong_fields(), ["person"]);
    admin.post(&path, &json!({ "person": 999 })).await.problem(404, "not-found");
    let first = admin.post(&path, &json!({ "person": bala.uid })).await.expect(201);
    let second = reserve(&chitra, book).await;
    reserve(&chitra, other).await;
    let wanted = admin.get("/holds/titles?limit=1").await.expect(200);
    assert_eq!(
        wanted["titles"],
        json!([{ "bookId": book, "title": "Godaan", "author": "Premchand", "waiting": 2, "copies": 1, "backBy": "2026-11-28",
                 "fillable": true }])
    );
    let next = wanted["next"].as_str().expect("a second page");
    let rest = admin.get(&format!("/holds/titles?limit=1&cursor={next}")).await.expect(200);
    assert_eq!((&rest["titles"][0]["title"], &rest["next"]), (&json!("Nirmala"), &Value::Null));
    let go = async |body: Value| admin.post(&format!("/holds/{}/move", second["id"]), &body).await;
    assert_eq!(go(json!({ "place": 0, "reason": " " })).await.wrong_fields(), ["place", "reason"]);
    assert_eq!(go(json!({ "place": 1, "reason": "exam" })).await.expect(200)["place"], 1);
    let line = admin.get(&path).await.expect(200);
    let names: Vec<&Value> =
        line["holds"].as_array().into_iter().flatten().map(|hold| &hold["userName"]).collect();
    assert_eq!(names, ["Student 3", "Student 2"]);
    let page = admin.get("/holds?state=waiting&limit=2").await.expect(200);
    let next = page["next"].as_str().expect("a second page");
    let rest = admin.get(&format!("/holds?state=waiting&limit=2&cursor={next}")).await.expect(200);
    assert_eq!(
        (page["holds"].as_array().map(Vec::len), rest["holds"].as_array().map(Vec::len)),
        (Some(2), Some(1))
    );
    let holds = admin.get(&format!("/people/{}/holds", chitra.uid)).await.expect(200);
    assert_eq!(holds["holds"].as_array().map(Vec::len), Some(2));
    admin.get("/people/999/holds").await.problem(404, "not-found");
    admin.delete(&format!("/holds/{}?reason=left%20college", first["id"])).await.expect(204);
    let told = admin.get(&format!("/changes?book={book}&action=hold-cancelled")).await.expect(200);
    assert_eq!(told["changes"][0]["text"], "Reservation of “Godaan” cancelled. Reason: left college");
    for hidden in ["/holds", "/holds/titles", &path, &format!("/people/{}/holds", bala.uid)] {
        bala.get(hidden).await.problem(403, "forbidden");
    }
}

#[tokio::test]
async fn copies_that_are_shelved_tell_how_many_are_kept_r_hold_2() {
    let app = TestApp::new().await;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 2).await;
    for loan in [asha.borrow(book).await, asha.borrow(book).await] {
        admin.ask(&format!("/loans/{loan}/return")).await.expect(204);
    }
    assert_eq!(reservation(&bala, book).await["offered"], true);
    reserve(&bala, book).await;
    assert_eq!(admin.ask("/copies/shelve").await.expect(200), json!({ "count": 1, "kept": 1 }));
    assert_eq!(admin.get("/copies").await.expect(200)["toShelve"], 0);
}

#[tokio::test]
async fn a_book_that_is_deleted_ends_its_line_and_a_renewal_says_who_waits() {
    let app = TestApp::new().await;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    let loan = asha.borrow(book).await;
    reserve(&bala, book).await;
    let refused = asha.ask(&format!("/loans/{loan}/extend")).await;
    assert_eq!(
        refused.problem(409, "refused"),
        "Another reader is waiting for this book. Please bring it back by its due date."
    );
    let anyway = json!({ "override": { "blocks": ["renew.waiting"], "reason": "ill" } });
    admin.post(&format!("/loans/{loan}/extend"), &anyway).await.expect(200);
    admin.delete(&format!("/books/{book}")).await.expect(204);
    assert_eq!(bala.get("/me/holds").await.expect(200)["ended"][0]["state"], "cancelled");
    bala.ask(&format!("/books/{book}/holds")).await.problem(404, "not-found");
}

/// Creates titles, each with a copy kept until 24 November and a second reader waiting.
async fn kept(app: &TestApp, titles: usize) -> Vec<i64> {
    let (asha, bala, chitra, admin) =
        (app.student(1).await, app.student(2).await, app.student(3).await, app.admin(0).await);
    let mut books = Vec::new();
    for n in 0..titles {
        let book = app.book(&format!("Book {n}"), 1).await;
        let loan = asha.borrow(book).await;
        reserve(&bala, book).await;
        reserve(&chitra, book).await;
        give_back(&admin, loan).await;
        books.push(book);
    }
    books
}

async fn what_two_servers_expire_at_once_expires_once_r_hold_2(database: Database) {
    const TITLES: usize = 12;
    let database = Arc::new(database);
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let books = kept(&here, TITLES).await;
    let both = async |now: &str| {
        here.set_clock(now);
        there.set_clock(now);
        let (one, other) = tokio::join!(
            jobs::expire_holds(&here.state.library, "here"),
            jobs::expire_holds(&there.state.library, "there")
        );
        one.expect("done") + other.expect("done")
    };
    // The last minute of the last day in Kolkata, and the first one after it.
    assert_eq!(both("2026-11-24T18:29:00Z").await, 0);
    assert_eq!(both("2026-11-24T18:30:00Z").await, TITLES);
    assert_eq!(both("2026-11-24T18:31:00Z").await, 0);
    assert_eq!(
        here.raw("SELECT COUNT(*) FROM events WHERE action = 'hold-expired'"),
        [[Some(TITLES.to_string())]]
    );
    let admin = here.admin(0).await;
    for book in books {
        let line = admin.get(&format!("/books/{book}/holds")).await.expect(200);
        let next = &line["holds"][0];
        assert_eq!(
            (&next["userName"], &next["state"], &next["readyUntil"]),
            (&json!("Student 3"), &json!("ready"), &json!("2026-11-28"))
        );
    }
    assert_eq!(here.raw("SELECT COUNT(*) FROM leases"), [[Some("0".to_owned())]], "given back");
}

async fn a_server_that_was_stopped_for_days_catches_up_r_hold_2(database: Database) {
    let app = TestApp::on(database).await;
    let book = kept(&app, 1).await[0];
    app.set_clock("2026-12-10T06:00:00Z");
    // A server vanished at work: its lease must expire first.
    app.raw("INSERT INTO leases (name, owner, ends_at) VALUES ('expire-holds', 'gone', 1796882401000)");
    assert_eq!(jobs::expire_holds(&app.state.library, "here").await.expect("asked"), 0);
    app.set_clock("2026-12-10T06:00:01Z");
    assert_eq!(jobs::expire_holds(&app.state.library, "here").await.expect("done"), 1);
    let admin = app.admin(0).await;
    let next = admin.get("/holds").await.expect(200)["holds"][0].clone();
    assert_eq!((&next["userName"], &next["readyUntil"]), (&json!("Student 3"), &json!("2026-12-13")));
    // The queue behind her is empty: the copy is to be shelved.
    app.set_clock("2026-12-24T06:00:00Z");
    assert_eq!(jobs::expire_holds(&app.state.library, "here").await.expect("done"), 1);
    let admin = app.admin(0).await;
    let copies = admin.get(&format!("/books/{book}/copies")).await.expect(200);
    assert_eq!(copies["copies"][0]["state"], "to-shelve");
    let told = admin.get("/changes?action=hold-expired").await.expect(200);
    assert_eq!(
        (told["changes"].as_array().map(Vec::len), &told["changes"][0]["actor"]),
        (Some(2), &Value::Null)
    );
}

#[tokio::test]
async fn reservations_that_no_copy_can_fill_are_said_refused_and_cancelled_together_r_hold_1() {
    let app = TestApp::new().await;
    let (admin, asha, bala, chitra) =
        (app.admin(0).await, app.student(1).await, app.student(2).await, app.student(3).await);
    let book = app.book("Godaan", 1).await;
    let path = format!("/books/{book}/holds");
    let loan = asha.borrow(book).await;
    reserve(&bala, book).await;
    reserve(&chitra, book).await;
    assert_eq!(admin.delete(&path).await.wrong_fields(), ["id"], "a copy may still come");

    admin.post(&format!("/loans/{loan}/lost"), &json!({ "price": 0 })).await.expect(200);
    let told = reservation(&asha, book).await;
    assert_eq!((&told["offered"], &told["fillable"]), (&json!(false), &json!(false)));
    assert_eq!(bala.get("/me/holds").await.expect(200)["holds"][0]["fillable"], false);
    assert_eq!(admin.get("/holds/titles").await.expect(200)["titles"][0]["fillable"], false);
    let refused = asha.ask(&path).await;
    refused.problem(409, "refused");
    assert_eq!(refused.json()["blocks"][0]["id"], "hold.no_copy");

    // A copy in repair may come back.
    let copy = admin.get(&format!("/books/{book}/copies")).await.expect(200)["copies"][0]["id"].clone();
    admin.post(&format!("/copies/{copy}/move"), &json!({ "state": "in-repair" })).await.expect(200);
    let told = reservation(&asha, book).await;
    assert_eq!((&told["offered"], &told["inRepair"]), (&json!(true), &json!(1)));
    admin.post(&format!("/copies/{copy}/move"), &json!({ "state": "withdrawn" })).await.expect(200);

    asha.delete(&path).await.problem(403, "forbidden");
    let keyed = || {
        let mut request = admin.request("DELETE", &format!("{path}?reason=Lost"), None);
        request.headers_mut().insert("Idempotency-Key", "all-1".parse().expect("a key"));
        request
    };
    assert_eq!(admin.send(keyed()).await.expect(200)["count"], 2);
    assert_eq!(admin.send(keyed()).await.expect(200)["count"], 2, "the first answer again");
    for reader in [&bala, &chitra] {
        let mine = reader.get("/me/holds").await.expect(200);
        assert_eq!(mine["holds"], json!([]));
        assert_eq!(
            (&mine["ended"][0]["state"], &mine["ended"][0]["fillable"]),
            (&json!("cancelled"), &json!(false))
        );
    }
    // A new copy, and the title can be reserved again.
    admin.post(&format!("/books/{book}/copies"), &json!({ "count": 1 })).await.expect(201);
    bala.borrow(book).await;
    reserve(&chitra, book).await;
}
