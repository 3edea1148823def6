//! A book's page and its reviews.

use serde_json::{Value, json};

use crate::app::{TestApp, with};

#[tokio::test]
async fn a_books_page_tells_everything_about_it_r_detail_1() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let id = app.book("गोदान", 2).await;
    let book = admin.get(&format!("/books/{id}")).await.expect(200);
    assert_eq!(
        book,
        with(
            &crate::app::form("गोदान", 2),
            json!({
                "id": id, "description": "A book of which the library thinks highly. ".repeat(5).trim(),
                "averageRating": book["averageRating"], "reviewCount": 0, "copies": 2,
                "reservation": { "offered": false, "waiting": 0, "free": 2, "own": null, "backBy": null,
                                 "fillable": true, "inRepair": 0 },
                "refusals": [], "publisher": "", "edition": "", "callNumber": "",
            })
        )
        .as_object()
        .map(|fields| {
            let mut fields = fields.clone();
            for unknown in ["averageRating", "isbn", "publishedYear", "language", "nextDue", "price"] {
                fields.insert(unknown.into(), Value::Null);
            }
            Value::Object(fields)
        })
        .unwrap_or_default()
    );
    for (reader, stars) in [(1, 5), (2, 4), (3, 4), (4, 4)] {
        app.student(reader)
            .await
            .post(&format!("/books/{id}/reviews"), &json!({ "rating": stars, "comment": "c" }))
            .await
            .expect(201);
    }
    let book = admin.get(&format!("/books/{id}")).await.expect(200);
    assert_eq!(
        (&book["averageRating"], &book["reviewCount"], &book["rating"]),
        (&json!(4.3), &json!(4), &json!(4))
    );
}

/// T14: on a full disk the page of a title whose status a librarian had set was an error.
#[tokio::test]
async fn a_title_is_shown_although_its_status_cannot_be_stored_r_detail_3() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let id = app.book("Godaan", 2).await;
    app.raw(&format!("UPDATE books SET status = 'Not Available' WHERE id = {id}"));
    app.raw("CREATE TRIGGER full BEFORE UPDATE ON books BEGIN SELECT RAISE(ABORT, 'full'); END");
    let shown = student.get(&format!("/books/{id}")).await.expect(200);
    assert_eq!(shown["status"], "Available");
}

#[tokio::test]
async fn a_student_reads_before_the_press_why_a_book_is_not_lent_without_the_desk_r_rule_1() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let (first, second) = (app.book("First", 2).await, app.book("Second", 2).await);
    let page = format!("/books/{second}");
    let ids = |book: Value| -> Vec<String> {
        let refusals = book["refusals"].as_array().cloned().unwrap_or_default();
        refusals.iter().map(|refusal| refusal["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(ids(student.get(&page).await.expect(200)), Vec::<String>::new());
    student.borrow(first).await;
    let rules = admin.get("/settings/rules").await;
    let mut document = rules.json();
    document["categories"][0]["rules"]["maxLoans"] = json!(1);
    document["selfBorrow"] = json!(false);
    admin.put("/settings/rules", &rules.etag(), &document).await.expect(200);
    assert_eq!(ids(student.get(&page).await.expect(200)), ["self.borrow", "limit.person"]);
    let refused = student.ask(&format!("{page}/loans")).await.expect(409);
    assert_eq!(
        refused["blocks"],
        student.get(&page).await.expect(200)["refusals"],
        "the press says the same"
    );
    assert_eq!(ids(admin.get(&page).await.expect(200)), Vec::<String>::new());
    assert_eq!(ids(app.visitor().get(&page).await.expect(200)), Vec::<String>::new());
}

#[tokio::test]
async fn the_status_is_recalculated_when_a_student_opens_the_page_r_detail_3() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let id = app.book("Book", 2).await;
    let path = format!("/books/{id}");
    let loaded = admin.get(&path).await;
    let by_hand = with(&crate::app::form("Book", 2), json!({ "status": "Not Available" }));
    let saved = admin.put(&path, &loaded.etag(), &by_hand).await.expect(200);
    assert_eq!(saved["status"], "Not Available");
    let status = async || admin.get(&path).await.expect(200)["status"].clone();
    let card = async || admin.get("/books").await.expect(200)["books"][0]["status"].clone();
    assert_eq!(
        (status().await, card().await),
        (json!("Not Available"), json!("Not Available")),
        "an admin's word stands"
    );
    assert_eq!(app.visitor().get(&path).await.expect(200)["status"], "Not Available");
    assert_eq!(status().await, "Not Available", "a visitor changes nothing");
    assert_eq!(student.get(&path).await.expect(200)["status"], "Available");
    assert_eq!((status().await, card().await), (json!("Available"), json!("Available")));

    student.borrow(id).await;
    assert_eq!(status().await, "Available");
    let last = student.borrow(id).await;
    assert_eq!(status().await, "Not Available", "recalculated after a borrow");
    student.ask(&format!("/loans/{last}/return")).await.expect(204);
    assert_eq!(status().await, "Available", "and after a return");
    assert_eq!(admin.get(&path).await.expect(200)["noOfBooks"], 1);
}

#[tokio::test]
async fn the_etag_of_a_page_is_the_one_its_save_asks_for_whoever_opened_it_r_book_7() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let id = app.book("Book", 2).await;
    let path = format!("/books/{id}");
    let loaded = admin.get(&path).await.etag();
    student.get(&path).await.expect(200);
    student.post(&format!("{path}/reviews"), &json!({ "rating": 5, "comment": "c" })).await.expect(201);
    student.borrow(id).await;
    admin.put(&path, &loaded, &crate::app::form("Edited", 2)).await.expect(200);
    assert_eq!(admin.get(&path).await.expect(200)["noOfBooks"], 1, "the borrowed copy stays borrowed");
}

#[tokio::test]
async fn books_and_reviews_are_open_to_visitors_without_the_reviewers_names_r_detail_4() {
    let app = TestApp::new().await;
    let (admin, student, visitor) = (app.admin(0).await, app.student(1).await, app.visitor());
    let id = app.book("Book", 1).await;
    let path = format!("/books/{id}/reviews");
    let written = student
        .post(&path, &json!({ "rating": 4, "comment": " Lesenswert!\r\n\n<b>good</b> " }))
        .await
        .expect(201);
    assert_eq!(
        written,
        json!({
            "id": written["id"], "rating": 4, "comment": "Lesenswert!\n\n<b>good</b>", "userId": student.uid,
            "userName": "Student 1", "createdAt": crate::app::NOW,
        })
    );
    for person in [&admin, &student] {
        assert_eq!(person.get(&path).await.expect(200)["reviews"], json!([written]));
    }
    let withheld = visitor.get(&path).await;
    let mut expected = written.clone();
    expected["userId"] = Value::Null;
    expected["userName"] = Value::Null;
    assert_eq!(withheld.expect(200)["reviews"], json!([expected]));
    assert!(!withheld.text.contains("Student 1"));
    visitor.get(&format!("/books/{id}")).await.expect(200);
    visitor.get("/books").await.expect(200);
    visitor.post(&path, &json!({ "rating": 4, "comment": "c" })).await.problem(401, "not-signed-in");
    visitor.ask(&format!("/books/{id}/loans")).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_review_needs_stars_and_words_r_rev_1() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let id = app.book("Book", 1).await;
    let path = format!("/books/{id}/reviews");
    for (form, fields) in [
        (json!({}), vec!["rating", "comment"]),
        (json!({ "rating": 0, "comment": "c" }), vec!["rating"]),
        (json!({ "rating": 6, "comment": "c" }), vec!["rating"]),
        (json!({ "rating": -1, "comment": "c" }), vec!["rating"]),
        (json!({ "rating": 3, "comment": " \n\t " }), vec!["comment"]),
        (json!({ "rating": 3, "comment": "c".repeat(2001) }), vec!["comment"]),
        (json!({ "rating": 3, "comment": "c", "userName": "Somebody else" }), vec!["userName"]),
        (json!({ "rating": 3, "comment": "c", "userId": 1 }), vec!["userId"]),
    ] {
        assert_eq!(student.post(&path, &form).await.wrong_fields(), fields, "{form}");
    }
    let none = student.get(&path).await.expect(200);
    assert_eq!(
        none,
        json!({
            "reviews": [], "total": 0, "averageRating": null, "ratings": [0, 0, 0, 0, 0], "yours": null, "next": null,
        })
    );
    student
        .post("/books/999/reviews", &json!({ "rating": 3, "comment": "c" }))
        .await
        .problem(404, "not-found");
    student.get("/books/999/reviews").await.problem(404, "not-found");
}

#[tokio::test]
async fn reviews_come_newest_first_in_pages_with_their_average_r_rev_2() {
    let app = TestApp::new().await;
    let id = app.book("Book", 1).await;
    let path = format!("/books/{id}/reviews");
    let student = app.student(7).await;
    for n in 1..=7 {
        app.student(n)
            .await
            .post(&path, &json!({ "rating": n % 5 + 1, "comment": format!("Review {n}") }))
            .await
            .expect(201);
    }
    let mut comments = Vec::new();
    let mut next = String::new();
    loop {
        let page = student.get(&format!("{path}?limit=3&cursor={next}")).await.expect(200);
        assert_eq!(
            (&page["total"], &page["averageRating"], &page["ratings"]),
            (&json!(7), &json!(2.9), &json!([1, 2, 2, 1, 1]))
        );
        comments
            .extend(page["reviews"].as_array().into_iter().flatten().map(|review| review["comment"].clone()));
        match page["next"].as_str() {
            Some(cursor) => next = cursor.to_owned(),
            None => break,
        }
    }
    let expected: Vec<Value> = (1..=7).rev().map(|n| json!(format!("Review {n}"))).collect();
    assert_eq!(comments, expected);
    for (query, field) in
        [("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("cursor=x", "cursor")]
    {
        assert_eq!(student.get(&format!("{path}?{query}")).await.wrong_fields(), [field]);
    }
    student
        .patch("/me", &json!({ "name": "New Name", "rollNumber": "r", "department": "d" }))
        .await
        .expect(200);
    let page = student.get(&path).await.expect(200);
    assert_eq!(page["reviews"][0]["userName"], "Student 7", "as the writer was called then");
}

#[tokio::test]
async fn a_reader_has_one_review_of_a_book_to_change_or_take_back_u9() {
    let app = TestApp::new().await;
    let (reader, other) = (app.student(1).await, app.student(2).await);
    let id = app.book("Book", 1).await;
    let path = format!("/books/{id}/reviews");
    reader.post(&path, &json!({ "rating": 2, "comment": "Dull." })).await.expect(201);
    other.post(&path, &json!({ "rating": 4, "comment": "Good." })).await.expect(201);
    let second = reader.post(&path, &json!({ "rating": 5, "comment": "Wonderful." })).await.expect(201);

    let page = reader.get(&path).await.expect(200);
    assert_eq!((&page["total"], &page["averageRating"]), (&json!(2), &json!(4.5)));
    assert_eq!((&page["yours"], &page["reviews"][0]), (&second, &second));
    assert_eq!(app.visitor().get(&path).await.expect(200)["yours"], Value::Null);

    let own = format!("/reviews/{}", second["id"]);
    other.delete(&own).await.problem(404, "not-found");
    reader.delete(&own).await.expect(204);
    reader.delete(&own).await.problem(404, "not-found");
    let page = reader.get(&path).await.expect(200);
    assert_eq!((&page["total"], &page["yours"]), (&json!(1), &Value::Null));
    let kept = app.raw("SELECT change FROM events WHERE action LIKE 'review%' ORDER BY id");
    let told: Vec<_> =
        kept.into_iter().map(|row| row.into_iter().next().flatten().unwrap_or_default()).collect();
    assert!(told[2].contains("Dull.") && told[3].contains("Wonderful."), "{told:?}");
}

#[tokio::test]
async fn the_page_says_how_many_copies_there_are_and_when_the_next_comes_back_u15() {
    let app = TestApp::new().await;
    let id = app.book("Book", 2).await;
    let path = format!("/books/{id}");
    let shown = async || {
        let book = app.visitor().get(&path).await.expect(200);
        (book["noOfBooks"].clone(), book["copies"].clone(), book["nextDue"].clone())
    };
    assert_eq!(shown().await, (json!(2), json!(2), Value::Null));
    let loan = app.student(1).await.borrow(id).await;
    let due = app.raw(&format!("SELECT return_date FROM loans WHERE id = {loan}"))[0][0].clone();
    assert_eq!(shown().await, (json!(1), json!(2), json!(due)));
    // An overdue loan says nothing about the next return.
    app.raw(&format!(
        "UPDATE loans SET entry_date = '2020-01-01', return_date = '2020-01-08' WHERE id = {loan}"
    ));
    assert_eq!(shown().await, (json!(1), json!(2), Value::Null));
}
