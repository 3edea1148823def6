//! Labels of copies, and the lists that are exported whole.

use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp, with},
    common::Database,
};

on_both_databases!(
    labels_are_chosen_by_range_title_day_and_what_is_not_printed_r_copy_3,
    a_printed_batch_is_remembered_once_and_printed_again_r_copy_3,
    a_measured_sheet_is_saved_under_its_name_and_refused_at_its_field,
    books_loans_and_holds_are_files_without_formulas,
);

async fn barcodes(desk: &Person<'_>, query: &str) -> Vec<String> {
    let list = desk.get(&format!("/labels?{query}")).await.expect(200);
    let labels = list["labels"].as_array().expect("a list");
    assert_eq!(list["total"], labels.len(), "{query}");
    labels.iter().map(|label| label["barcode"].as_str().expect("text").to_owned()).collect()
}

async fn labels_are_chosen_by_range_title_day_and_what_is_not_printed_r_copy_3(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let (first, second) = (app.book("Godaan", 3).await, app.book("=Nirmala", 1).await);
    app.set_clock("2026-12-01T06:00:00Z");
    let more = json!({ "barcodes": ["l99", "L101", "M100"], "count": 3 });
    desk.post(&format!("/books/{second}/copies"), &more).await.expect(201);

    assert_eq!(
        barcodes(&desk, "").await,
        ["l99", "L101", "M100", "L000001", "L000002", "L000003", "L000004"],
        "shorter numbers first, without regard to case"
    );
    assert_eq!(barcodes(&desk, "from=L000002&to=l000003").await, ["L000002", "L000003"]);
    assert_eq!(barcodes(&desk, "from=L98&to=L101").await, ["l99", "L101"]);
    assert_eq!(barcodes(&desk, "to=L101").await, ["L101"], "one end is one copy");
    assert_eq!(barcodes(&desk, &format!("book={first}")).await, ["L000001", "L000002", "L000003"]);
    assert_eq!(barcodes(&desk, "since=2026-12-01").await, ["l99", "L101", "M100"]);
    for (query, rule) in [("from=L1&to=M2", "otherLetters"), ("from=L12&to=L2", "beforeFirst")] {
        let refused = desk.get(&format!("/labels?{query}")).await;
        assert_eq!((refused.status, refused.wrong_fields()), (422, vec!["to".to_owned()]), "{query}");
        assert_eq!(refused.json()["errors"][0]["rule"], rule);
    }
    // A copy that was withdrawn needs no label.
    let copies = desk.get(&format!("/books/{first}/copies")).await.expect(200);
    let gone = copies["copies"][1]["id"].as_i64().expect("an id");
    desk.post(&format!("/copies/{gone}/move"), &json!({ "state": "withdrawn" })).await.expect(200);
    assert_eq!(barcodes(&desk, "from=L000001&to=L000003").await, ["L000001", "L000003"]);
    // The same choice for the program of a label printer.
    let file = desk.get("/labels.csv?from=L000003&to=L000004").await;
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(
        file.text,
        "\u{feff}barcode,title,author,location\nL000003,Godaan,Premchand,Shelf A3\nL000004,'=Nirmala,Premchand,Shelf A3\n"
    );
}

async fn a_printed_batch_is_remembered_once_and_printed_again_r_copy_3(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let book = app.book("Godaan", 3).await;
    let list = desk.get(&format!("/labels?book={book}")).await.expect(200);
    let ids: Vec<Value> = (0..2).map(|place| list["labels"][place]["copyId"].clone()).collect();
    let form = json!({ "copies": ids, "sheet": "A4 24" });
    // Pressed twice: the second answer is the first one's.
    let send = || async {
        let mut request = desk.request("POST", "/label-batches", Some(&form));
        request.headers_mut().insert("idempotency-key", "labels-1".parse().expect("a header"));
        desk.send(request).await.expect(201)
    };
    let (first, again) = (send().await, send().await);
    assert_eq!(first, again);
    assert_eq!(
        with(&first, json!({ "id": 1 })),
        json!({ "id": 1, "at": "2026-11-21T06:00:00Z", "by": "Librarian 0", "sheet": "A4 24", "count": 2,
                "first": "L000001", "last": "L000002" })
    );
    let kept = desk.get("/label-batches").await.expect(200);
    assert_eq!(kept, json!({ "batches": [first], "next": null }));
    let steps = desk.get("/overview").await.expect(200)["steps"].clone();
    assert!(steps.as_array().expect("steps").contains(&json!({ "step": "print", "done": true })));
    assert_eq!(barcodes(&desk, &format!("batch={}", first["id"])).await, ["L000001", "L000002"]);
    assert_eq!(barcodes(&desk, "unprinted=true").await, ["L000003"]);
    let printed = desk.get(&format!("/labels?book={book}")).await.expect(200);
    assert_eq!(
        (&printed["labels"][0]["printed"], &printed["labels"][2]["printed"]),
        (&json!(true), &json!(false))
    );

    for (odd, field) in [
        (json!({ "copies": [], "sheet": "s" }), "copies"),
        (json!({ "copies": [1, 1], "sheet": "s" }), "copies"),
        (json!({ "copies": [1], "sheet": " " }), "sheet"),
    ] {
        assert_eq!(desk.post("/label-batches", &odd).await.wrong_fields(), [field], "{odd}");
    }
}

async fn a_measured_sheet_is_saved_under_its_name_and_refused_at_its_field(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let sheet = json!({
        "name": "Ours", "pageWidth": 21000, "pageHeight": 29700, "columns": 3, "rows": 8, "width": 6400, "height": 3400,
        "left": 700, "top": 1250, "lastLeft": 13900, "lastTop": 25050,
    });
    let saved = desk.post("/label-sheets", &sheet).await.expect(201);
    let again =
        desk.post("/label-sheets", &with(&sheet, json!({ "name": "OURS", "top": 1300 }))).await.expect(201);
    assert_eq!(saved["id"], again["id"], "a sheet of the same name is replaced");
    let list = desk.get("/label-sheets").await.expect(200);
    assert_eq!(
        list["sheets"],
        json!([{ "id": saved["id"], "measures": with(&sheet, json!({ "name": "OURS", "top": 1300 })) }])
    );
    for (change, field) in [
        (json!({ "lastTop": 27000 }), "lastTop"),
        (json!({ "lastLeft": 12000 }), "lastLeft"),
        (json!({ "rows": 0 }), "rows"),
        (json!({ "name": "" }), "name"),
    ] {
        let refused = desk.post("/label-sheets", &with(&sheet, change)).await;
        assert_eq!((refused.status, refused.wrong_fields()), (422, vec![field.to_owned()]));
    }
    let path = format!("/label-sheets/{}", saved["id"]);
    desk.delete(&path).await.expect(204);
    desk.delete(&path).await.problem(404, "not-found");
    assert_eq!(desk.get("/label-sheets").await.expect(200), json!({ "sheets": [] }));
}

async fn books_loans_and_holds_are_files_without_formulas(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let lent = app.book("गोदान", 1).await;
    app.book("=cmd()", 1).await;
    asha.borrow(lent).await;
    bala.ask(&format!("/books/{lent}/holds")).await.expect(201);
    app.set_clock("2026-11-30T06:00:00Z");

    let lines = |text: &str| -> Vec<String> {
        text.strip_prefix('\u{feff}')
            .expect("a byte order mark")
            .lines()
            .skip(1)
            .map(ToOwned::to_owned)
            .collect()
    };
    assert_eq!(
        lines(&desk.get("/books.csv").await.text),
        [
            "गोदान,Premchand,Fiction,,L000001,on-loan,2026-11-28,Shelf A3,2026-11-21,,",
            "'=cmd(),Premchand,Fiction,,L000002,on-shelf,,Shelf A3,2026-11-21,,"
        ]
    );
    assert_eq!(
        lines(&desk.get("/holds.csv").await.text),
        ["गोदान,waiting,cs25-002,Student 2,2027,Physics,2026-11-21 11:30,,"]
    );
    // A file of many portions has each row once.
    let many = app.book("Many", 600).await;
    let file = desk.get("/books.csv").await.text;
    assert_eq!(file.lines().filter(|line| line.starts_with("Many,")).count(), 600, "{many}");
    assert_eq!(desk.get("/labels.csv").await.text.lines().count(), 603);
}
