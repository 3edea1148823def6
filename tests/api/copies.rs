//! Lists of the copies that are not where readers find them.

use library::domain::id::UserId;
use serde_json::{Value, json};

use crate::{app::TestApp, common::Database};

on_both_databases!(
    a_list_of_copies_names_since_when_and_who_had_each_last_l11,
    the_copies_of_the_titles_on_a_page_are_counted_at_once_l26,
);

async fn a_list_of_copies_names_since_when_and_who_had_each_last_l11(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala, desk) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 2).await;
    let lend = async |reader: UserId| {
        let scan = json!({ "code": "L000001", "person": reader });
        desk.post("/desk/scans", &scan).await.expect(200)
    };
    // One copy is lent twice, and a third time by mistake; the other copy is never lent.
    for reader in [asha.uid, bala.uid] {
        lend(reader).await;
        desk.post("/desk/scans", &json!({ "code": "L000001" })).await.expect(200);
    }
    let mistake = lend(asha.uid).await;
    desk.ask(&format!("/changes/{}/undo", mistake["change"])).await.expect(200);
    app.set_clock("2026-11-22T06:00:00Z");
    let copies = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    for copy in copies["copies"].as_array().expect("a list") {
        let path = format!("/copies/{}/move", copy["id"]);
        desk.post(&path, &json!({ "state": "missing" })).await.expect(200);
    }
    let listed = async || {
        let list = desk.get("/copies?state=missing").await.expect(200);
        let one = |n: usize| (list["copies"][n]["since"].clone(), list["copies"][n]["lastReader"].clone());
        [one(0), one(1)]
    };
    let day = json!("2026-11-22");
    let reader = json!({ "uid": bala.uid, "name": "Student 2" });
    assert_eq!(listed().await, [(day.clone(), reader), (day.clone(), Value::Null)]);
    // An erased reader is not named.
    desk.delete(&format!("/people/{}", bala.uid)).await.expect(204);
    assert_eq!(listed().await, [(day.clone(), Value::Null), (day, Value::Null)]);
}

async fn the_copies_of_the_titles_on_a_page_are_counted_at_once_l26(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala, desk) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let (godaan, emma) = (app.book("Godaan", 1).await, app.book("Emma", 3).await);
    asha.borrow(godaan).await;
    bala.ask(&format!("/books/{godaan}/holds")).await.expect(201);
    let copies = desk.get(&format!("/books/{emma}/copies")).await.expect(200);
    let path = format!("/copies/{}/move", copies["copies"][0]["id"]);
    desk.post(&path, &json!({ "state": "withdrawn" })).await.expect(200);

    let list = desk.get(&format!("/books/counts?ids={emma},{godaan},999")).await.expect(200);
    let mut counts = list["counts"].as_array().expect("a list").clone();
    counts.sort_by_key(|one| one["id"].as_i64());
    let expected = [(godaan, 1, 1), (emma, 2, 0)];
    assert_eq!(
        counts,
        expected.map(|(id, copies, waiting)| json!({ "id": id, "copies": copies, "waiting": waiting }))
    );
    assert_eq!(desk.get("/books/counts").await.expect(200), json!({ "counts": [] }));
    let many = vec!["1"; 101].join(",");
    for wrong in ["1,x", "1;2", many.as_str()] {
        assert_eq!(desk.get(&format!("/books/counts?ids={wrong}")).await.wrong_fields(), ["ids"], "{wrong}");
    }
    asha.get(&format!("/books/counts?ids={emma}")).await.problem(403, "forbidden");
}
