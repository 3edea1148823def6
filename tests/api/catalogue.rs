//! Adding, updating, deleting and finding books.

use std::time::Duration;

use axum::http::header;
use library::domain::id::UserId;
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp, form, with},
    common::Database,
};

#[tokio::test]
async fn an_added_book_is_found_at_once_r_book_4() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let added = admin.post("/books", &form(" Ponniyin\tSelvan ", 3)).await;
    let book = added.expect(201);
    assert_eq!(
        (&book["title"], &book["noOfBooks"], &book["status"]),
        (&json!("Ponniyin Selvan"), &json!(3), &json!("Available"))
    );
    let path = format!("/books/{}", book["id"]);
    assert_eq!(added.header("location"), Some(format!("/library/api/v1{path}").as_str()));
    let read = admin.get(&path).await;
    assert_eq!((read.expect(200), read.etag()), (book, added.etag()));
    assert_eq!(admin.get("/books?q=ponniyin").await.expect(200)["total"], 1);
}

#[tokio::test]
async fn every_rule_of_the_form_is_checked_by_the_server_and_names_its_field_r_book_5() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let id = app.book("Unchanged", 2).await;
    let path = format!("/books/{id}");
    let loaded = admin.get(&path).await;
    let (before, etag) = (loaded.expect(200), loaded.etag());
    for (changes, field) in [
        (json!({ "title": " " }), "title"),
        (json!({ "title": "t".repeat(1001) }), "title"),
        (json!({ "author": "" }), "author"),
        (json!({ "genre": "\u{0}" }), "genre"),
        (json!({ "photoURL": "not an address" }), "photoURL"),
        (json!({ "photoURL": "javascript:alert(1)" }), "photoURL"),
        (json!({ "photoURL": null }), "photoURL"),
        (json!({ "location": null }), "location"),
        (json!({ "description": "d".repeat(199) }), "description"),
        (json!({ "description": format!("{}          ", "d".repeat(195)) }), "description"),
        (json!({ "description": "d".repeat(10_001) }), "description"),
        (json!({ "noOfBooks": 0 }), "noOfBooks"),
        (json!({ "noOfBooks": -1 }), "noOfBooks"),
        (json!({ "noOfBooks": 100_001 }), "noOfBooks"),
        (json!({ "noOfBooks": i64::MIN }), "noOfBooks"),
        (json!({ "noOfBooks": 9_223_372_036_854_775_808_u64 }), "noOfBooks"),
        (json!({ "noOfBooks": 1.5 }), "noOfBooks"),
        (json!({ "noOfBooks": null }), "noOfBooks"),
        (json!({ "rating": 0 }), "rating"),
        (json!({ "rating": 6 }), "rating"),
        (json!({ "status": "available" }), "status"),
        (json!({ "status": null }), "status"),
        (json!({ "isbn": "9780747532698" }), "isbn"),
        (json!({ "isbn": "97807475326" }), "isbn"),
        (json!({ "publisher": "p".repeat(201) }), "publisher"),
        (json!({ "publishedYear": 20_026 }), "publishedYear"),
        (json!({ "price": -1 }), "price"),
        (json!({ "readers": 3 }), "readers"),
    ] {
        let form = with(&form("t", 2), changes.clone());
        assert_eq!(admin.post("/books", &form).await.wrong_fields(), [field], "add {changes}");
        assert_eq!(admin.put(&path, &etag, &form).await.wrong_fields(), [field], "update {changes}");
    }
    let no_stars = with(&form("t", 2), json!({ "rating": null }));
    assert_eq!(admin.post("/books", &no_stars).await.messages(), ["Rating is required."]);
    let several = with(&form(" ", 0), json!({ "description": "short", "rating": 9 }));
    let refused = admin.post("/books", &several).await;
    assert_eq!(refused.wrong_fields().len(), 4);
    assert!(refused.messages().contains(&"Description must be at least 200 characters.".to_owned()));
    assert_eq!(admin.get(&path).await.expect(200), before);
    assert_eq!(admin.get("/books").await.expect(200)["total"], 1, "nothing was added");

    let edge = with(&form("t", 100_000), json!({ "description": "ä".repeat(200), "rating": 5 }));
    admin.post("/books", &edge).await.expect(201);
}

#[tokio::test]
async fn a_missing_book_is_not_found_whatever_is_sent_r_book_3() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    admin.get("/books/999").await.problem(404, "not-found");
    admin.put("/books/999", "\"1-1-a\"", &form("t", 1)).await.problem(404, "not-found");
    admin.delete("/books/999").await.problem(404, "not-found");
}

#[tokio::test]
async fn an_update_must_name_the_version_it_edits_r_book_7() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let id = app.book("Before", 3).await;
    let path = format!("/books/{id}");
    let unsaid = admin.send(admin.request("PUT", &path, Some(&form("After", 3)))).await;
    unsaid.problem(428, "version-required");
    for odd in [
        "*",
        "\"\"",
        "1-3-a",
        "\"0-3-a\"",
        "\"2-3-a\"",
        "\"1--3-a\"",
        "\"1-3\"",
        "W/\"1-3-a\"",
        "\"9223372036854775807-3-a\"",
        "x",
    ] {
        admin.put(&path, odd, &form("After", 3)).await.problem(412, "stale");
    }
    assert_eq!(admin.get(&path).await.expect(200)["title"], "Before");
}

#[tokio::test]
async fn of_two_admins_who_edit_one_book_the_second_is_told_r_book_7() {
    let app = TestApp::new().await;
    let (one, other) = (app.admin(1).await, app.admin(2).await);
    let id = app.book("Book", 3).await;
    let path = format!("/books/{id}");
    let loaded = one.get(&path).await.etag();
    assert_eq!(other.get(&path).await.etag(), loaded);
    let saved = one.put(&path, &loaded, &form("By the first", 3)).await;
    saved.expect(200);
    assert!(
        other
            .put(&path, &loaded, &form("By the second", 3))
            .await
            .problem(412, "stale")
            .contains("Nothing was overwritten")
    );
    assert_eq!(other.get(&path).await.expect(200)["title"], "By the first");
    // The librarian who saved can go on from there, and the other one after reloading.
    one.put(&path, &saved.etag(), &form("Again", 3)).await.expect(200);
    let fresh = other.get(&path).await.etag();
    other.put(&path, &fresh, &form("Last", 3)).await.expect(200);
}

#[tokio::test]
async fn the_number_of_books_is_applied_as_a_difference_to_what_the_form_had_loaded_r_book_8() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let id = app.book("Book", 5).await;
    let path = format!("/books/{id}");
    let copies = async || admin.get(&path).await.expect(200)["noOfBooks"].clone();
    let save = async |etag: &str, copies: i64| {
        admin.put(&path, etag, &with(&form("Book", copies), json!({ "rating": null }))).await
    };

    let loaded = admin.get(&path).await.etag();
    for _ in 0..3 {
        student.borrow(id).await;
    }
    let saved = save(&loaded, 7).await;
    assert_eq!(
        saved.expect(200)["noOfBooks"],
        4,
        "5 were loaded, 7 wanted: two more than the 2 that are left"
    );
    assert_eq!(saved.json()["rating"], 4, "stars that were not sent stay");

    let loaded = admin.get(&path).await.etag();
    for _ in 0..3 {
        student.borrow(id).await;
    }
    let refused = save(&loaded, 1).await;
    assert_eq!(refused.wrong_fields(), ["noOfBooks"]);
    assert!(refused.messages()[0].contains("only 1 is on the shelf"), "{}", refused.text);
    assert_eq!(copies().await, 1);

    // All copies are lent: 0 may stay 0, but cannot be typed.
    let loaded = admin.get(&path).await.etag();
    assert_eq!(save(&loaded, 0).await.wrong_fields(), ["noOfBooks"]);
    student.borrow(id).await;
    let loaded = admin.get(&path).await.etag();
    let kept = save(&loaded, 0).await.expect(200);
    assert_eq!((&kept["noOfBooks"], &kept["status"]), (&json!(0), &json!("Available")));
    let loaded = admin.get(&path).await.etag();
    assert_eq!(save(&loaded, 2).await.expect(200)["noOfBooks"], 2);
}

#[tokio::test]
async fn a_shelf_that_outgrew_the_form_can_still_be_edited_r_book_8() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let id = app.book("Book", 100_000).await;
    let path = format!("/books/{id}");
    let loan = student.borrow(id).await;
    let loaded = admin.get(&path).await.etag();
    admin.put(&path, &loaded, &form("Book", 100_000)).await.expect(200);
    student.ask(&format!("/loans/{loan}/return")).await.expect(204);
    let loaded = admin.get(&path).await;
    assert_eq!(loaded.expect(200)["noOfBooks"], 100_001);
    assert_eq!(
        admin.put(&path, &loaded.etag(), &form("Book", 99_999)).await.expect(200)["noOfBooks"],
        99_999
    );
}

#[tokio::test]
async fn a_deleted_book_is_gone_with_its_reviews_and_its_loans_stay_r_book_6() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let (id, path) = {
        let id = app.book("Gone", 2).await;
        (id, format!("/books/{id}"))
    };
    let (returned, extended) = (student.borrow(id).await, student.borrow(id).await);
    student.post(&format!("{path}/reviews"), &json!({ "rating": 3, "comment": "c" })).await.expect(201);
    admin.delete(&path).await.expect(204);
    for gone in [path.clone(), format!("{path}/reviews")] {
        student.get(&gone).await.problem(404, "not-found");
    }
    assert_eq!(student.get("/books?q=gone").await.expect(200)["total"], 0, "not even for a moment");
    student.ask(&format!("{path}/loans")).await.problem(404, "not-found");
    admin.delete(&path).await.problem(404, "not-found");
    assert!(app.raw("SELECT * FROM reviews").is_empty());

    let mine = student.get("/me/loans").await.expect(200);
    assert_eq!(mine["loans"].as_array().map(Vec::len), Some(2));
    assert_eq!(mine["loans"][0]["title"], "Gone");
    student.ask(&format!("/loans/{extended}/extend")).await.expect(200);
    student.ask(&format!("/loans/{returned}/return")).await.expect(204);
    admin.post(&format!("/loans/{extended}/return"), &json!({ "restock": true })).await.expect(204);
    assert_eq!(admin.get("/loans").await.expect(200)["total"], 0);
}

async fn titles(person: &Person<'_>, query: &str) -> Vec<String> {
    let page = person.get(&format!("/books?{query}")).await.expect(200);
    let titles = titles_of(&page["books"]);
    assert_eq!(page["total"], titles.len(), "all of {query} fit on one page");
    titles
}

fn titles_of(books: &Value) -> Vec<String> {
    let books = books.as_array().into_iter().flatten();
    books.map(|book| book["title"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Encodes the value of a query.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn a_search_finds_any_part_of_title_or_author_in_any_script_r_home_2() {
    let app = TestApp::new().await;
    for (title, author) in [
        ("Les Misérables", "Victor Hugo"),
        ("Война и мир", "Лев Толстой"),
        ("गोदान", "प्रेमचंद"),
        ("道德經", "老子"),
        ("ألف ليلة وليلة", "مجهول"),
        ("Straße nach Åbo", "Jörg Ødegård"),
        ("100% Proof_of\\Work", "O'Neil"),
        ("Victory", "Joseph Conrad"),
    ] {
        app.book_by(title, author, 1).await;
    }
    let visitor = app.visitor();
    for (query, expected) in [
        ("miserables", vec!["Les Misérables"]),
        ("MISÉRABLES", vec!["Les Misérables"]),
        ("isér", vec!["Les Misérables"]),
        ("victor", vec!["Les Misérables", "Victory"]),
        ("война", vec!["Война и мир"]),
        ("ТОЛСТ", vec!["Война и мир"]),
        ("गोदान", vec!["गोदान"]),
        ("प्रेम", vec!["गोदान"]),
        ("德", vec!["道德經"]),
        ("老", vec!["道德經"]),
        ("ليلة", vec!["ألف ليلة وليلة"]),
        ("strasse", vec!["Straße nach Åbo"]),
        ("jorg", vec!["Straße nach Åbo"]),
        ("100%", vec!["100% Proof_of\\Work"]),
        ("f_o", vec!["100% Proof_of\\Work"]),
        ("\\", vec!["100% Proof_of\\Work"]),
        ("o'neil", vec!["100% Proof_of\\Work"]),
        ("  victor   hugo ", vec!["Les Misérables"]),
        ("hugo victor miserables", vec!["Les Misérables"]),
        ("%", vec!["100% Proof_of\\Work"]),
        ("nothing at all", vec![]),
    ] {
        assert_eq!(titles(&visitor, &format!("q={}", encoded(query))).await, expected, "{query}");
    }
    // U6: numbers printed on a book.
    app.raw("UPDATE books SET isbn = '9780747532699' WHERE title = 'Victory'");
    for number in ["9780747532699", "978-0-7475-3269-9", "0-7475-3269-9", "074753269 9", "l000001"] {
        let found = titles(&visitor, &format!("q={}", encoded(number))).await;
        assert_eq!(found, [if number == "l000001" { "Les Misérables" } else { "Victory" }], "{number}");
    }
    let isbn = visitor.get("/books?q=9780747532699").await.expect(200);
    assert_eq!((&isbn["total"], &isbn["next"]), (&json!(1), &Value::Null));
    assert_eq!(titles(&visitor, "q=victor&field=title").await, ["Victory"]);
    assert_eq!(titles(&visitor, "q=victor&sort=newest").await, ["Victory", "Les Misérables"]);
    assert_eq!(titles(&visitor, "q=").await.len(), 8);
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("sort=oldest", "sort"),
        ("field=isbn", "field"),
        ("cursor=nonsense", "cursor"),
    ] {
        assert_eq!(visitor.get(&format!("/books?{query}")).await.wrong_fields(), [field], "{query}");
    }
    assert_eq!(visitor.get(&format!("/books?q={}", "q".repeat(1001))).await.wrong_fields(), ["q"]);
    assert_eq!(
        visitor.get("/books?q=%00%01").await.expect(200)["total"],
        8,
        "what is no text is not searched for"
    );
    assert_eq!(visitor.get("/books?q=%ff%fe").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn books_of_another_spelling_are_listed_if_none_match_else_beside_the_matches_r_home_2() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    for (title, author) in [("Rāmāyaṇa", "Vālmīki"), ("रामायण", "तुलसीदास"), ("Harry Potter", "J. K. Rowling")]
    {
        app.book_by(title, author, 1).await;
    }
    let ask = async |text: &str| {
        let page = admin.get(&format!("/books?q={}", encoded(text))).await.expect(200);
        let similar: Vec<(String, Value)> = page["similar"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|book| (book["title"].as_str().unwrap_or_default().to_owned(), book["spelled"].clone()))
            .collect();
        (page["total"].clone(), page["meant"]["words"].clone(), page["meant"]["fewer"].clone(), similar)
    };
    let found = |title: &str, spelled: &[&str]| (title.to_owned(), json!(spelled));
    let none = Value::Null;
    let typed =
        |total: i32, similar: Vec<(String, Value)>| (json!(total), none.clone(), none.clone(), similar);
    let meant = |words: &str, similar: Vec<(String, Value)>| (json!(1), json!(words), json!(false), similar);
    assert_eq!(ask("ramayan").await, typed(1, vec![found("रामायण", &["रामायण"])]));
    assert_eq!(ask("रामायन").await.1, "रामायण", "written as in the book");
    assert_eq!(ask("hary poter").await, meant("Harry Potter", vec![]));
    assert_eq!(ask("potter").await, typed(1, vec![]));
    assert_eq!(ask("potter magic").await, (json!(1), json!("Potter"), json!(true), vec![]));

    let id = app.book("Godaan", 1).await;
    assert_eq!(ask("गोदान").await, meant("Godaan", vec![]), "found at once");
    let path = format!("/books/{id}");
    let etag = admin.get(&path).await.etag();
    admin.put(&path, &etag, &form("Nirmala", 1)).await.expect(200);
    assert_eq!(ask("गोदान").await, typed(0, vec![]));
    assert_eq!(ask("निर्मला").await, meant("Nirmala", vec![]));
    admin.delete(&path).await.expect(204);
    assert_eq!(ask("निर्मला").await, typed(0, vec![]));
}

#[tokio::test]
async fn a_list_is_narrowed_to_a_genre_and_to_what_is_on_the_shelf_at_this_moment() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let mut ids = Vec::new();
    for (title, genre) in [("Emma", "Novel"), ("Middlemarch", "novel"), ("Hamlet", "Drama")] {
        let form = with(&form(title, 1), json!({ "genre": genre }));
        ids.push(admin.post("/books", &form).await.expect(201)["id"].as_i64().expect("a number"));
    }
    assert_eq!(titles(&student, "genre=NOVEL").await, ["Emma", "Middlemarch"]);
    assert_eq!(titles(&student, "genre=Novel&sort=newest&q=m").await, ["Middlemarch", "Emma"]);
    assert_eq!(titles(&student, "genre=Poetry").await, Vec::<String>::new());
    let genres = student.get("/genres").await.expect(200)["genres"].clone();
    assert_eq!(genres, json!([{ "genre": "Drama", "books": 1 }, { "genre": "Novel", "books": 2 }]));

    let loan = student.borrow(ids[0]).await;
    assert_eq!(titles(&student, "available=true").await, ["Hamlet", "Middlemarch"], "lent a moment ago");
    assert_eq!(titles(&student, "available=true&genre=novel&q=emma").await, Vec::<String>::new());
    student.ask(&format!("/loans/{loan}/return")).await.expect(204);
    assert_eq!(titles(&student, "available=true").await.len(), 3, "and back");
    assert_eq!(student.get("/books?available=perhaps").await.wrong_fields(), ["available"]);
    let counted = student.get("/books?q=m&exact=true").await.expect(200);
    assert_eq!((&counted["total"], &counted["totalIsExact"]), (&json!(3), &json!(true)));
}

/// Waits for the count of loans that follows a new day.
async fn titles_once(person: &Person<'_>, query: &str, first: &str) -> Vec<String> {
    for _ in 0..200 {
        let found = titles(person, query).await;
        if found.first().is_some_and(|title| title == first) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{first} does not come first: {:?}", titles(person, query).await)
}

#[tokio::test]
async fn r_home_2_the_popular_books_come_first_from_the_day_after_their_loans() {
    for database in [Database::ready_sqlite(), Database::ready_postgres()] {
        let app = TestApp::on(database).await;
        let reader = app.student(1).await;
        let mut books = Vec::new();
        for title in ["Emma", "Dubliners", "Candide", "Beowulf", "Amok"] {
            books.push(app.book(title, 2).await);
        }
        for (book, times) in [(books[0], 1), (books[1], 2), (books[2], 2)] {
            for _ in 0..times {
                let loan = reader.borrow(book).await;
                reader.ask(&format!("/loans/{loan}/return")).await.expect(204);
            }
        }
        assert_eq!(
            titles(&reader, "sort=popular").await,
            ["Amok", "Beowulf", "Candide", "Dubliners", "Emma"],
            "today does not count yet"
        );
        let shelves = reader.get("/shelves").await.expect(200);
        assert_eq!(titles_of(&shelves["popular"]), Vec::<String>::new());
        assert_eq!(titles_of(&shelves["returned"]), ["Candide", "Dubliners", "Emma"], "latest first");
        assert_eq!(titles_of(&shelves["newest"]), ["Amok", "Beowulf", "Candide", "Dubliners", "Emma"]);

        app.set_clock("2026-11-22T12:00:00+05:30");
        let all = titles_once(&reader, "sort=popular", "Candide").await;
        assert_eq!(all, ["Candide", "Dubliners", "Emma", "Amok", "Beowulf"]);
        let shelves = app.visitor().get("/shelves").await.expect(200);
        assert_eq!(
            titles_of(&shelves["popular"]),
            ["Dubliners", "Candide", "Emma"],
            "of equal ones the older"
        );
        assert_eq!(titles_of(&shelves["returned"]), Vec::<String>::new(), "yesterday's");

        // Loans move no book while a reader turns the pages.
        let (mut walked, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = reader.get(&format!("/books?sort=popular&limit=2{cursor}")).await.expect(200);
            walked.extend(titles_of(&page["books"]));
            for book in &books[3..] {
                let loan = reader.borrow(*book).await;
                reader.ask(&format!("/loans/{loan}/return")).await.expect(204);
            }
            let Some(next) = page["next"].as_str() else { break };
            cursor = format!("&cursor={}", encoded(next));
        }
        assert_eq!(walked, all);
        assert_eq!(
            titles(&reader, "sort=popular&field=title&q=e").await,
            ["Candide", "Dubliners", "Emma", "Beowulf"]
        );
    }
}

#[tokio::test]
async fn r_home_2_books_are_listed_by_author_with_a_cursor_of_that_order_only() {
    let app = TestApp::new().await;
    for (title, author) in [("Nana", "Émile Zola"), ("Emma", "Jane Austen"), ("Germinal", "emile zola")] {
        app.book_by(title, author, 1).await;
    }
    let visitor = app.visitor();
    assert_eq!(titles(&visitor, "sort=author").await, ["Germinal", "Nana", "Emma"]);
    assert_eq!(titles(&visitor, "sort=author&q=n").await, ["Germinal", "Nana", "Emma"]);
    let first = visitor.get("/books?sort=author&limit=1").await.expect(200);
    let next = encoded(first["next"].as_str().expect("more follow"));
    let second = visitor.get(&format!("/books?sort=author&limit=1&cursor={next}")).await.expect(200);
    assert_eq!(titles_of(&second["books"]), ["Nana"]);
    let other = visitor.get(&format!("/books?sort=popular&cursor={next}")).await;
    assert_eq!(other.wrong_fields(), ["cursor"]);
    assert_eq!(visitor.get("/books?sort=price").await.wrong_fields(), ["sort"]);
}

#[tokio::test]
async fn r_home_2_a_list_begins_at_a_letter_and_goes_on_by_its_cursors() {
    let app = TestApp::new().await;
    for (title, author) in [("Nana", "Émile Zola"), ("Emma", "Jane Austen"), ("Germinal", "Émile Zola")] {
        app.book_by(title, author, 1).await;
    }
    let visitor = app.visitor();
    for (query, listed) in [
        ("sort=title&from=g", &["Germinal", "Nana"][..]),
        ("sort=author&from=F", &["Emma"]),
        ("sort=title&from=Z", &[]),
    ] {
        let page = visitor.get(&format!("/books?{query}")).await.expect(200);
        assert_eq!(titles_of(&page["books"]), listed, "{query}");
    }
    let first = visitor.get("/books?sort=title&from=G&limit=1").await.expect(200);
    assert_eq!(first["total"], 3, "the books before the letter count");
    let next = encoded(first["next"].as_str().expect("more follow"));
    let second = visitor.get(&format!("/books?sort=title&from=G&limit=1&cursor={next}")).await.expect(200);
    assert_eq!(titles_of(&second["books"]), ["Nana"]);
    for ignored in ["sort=newest&from=G", "sort=popular&from=G", "q=a&from=G"] {
        assert_eq!(titles(&visitor, ignored).await.len(), 3, "{ignored}");
    }
    let long = "x".repeat(1001);
    assert_eq!(visitor.get(&format!("/books?from={long}")).await.wrong_fields(), ["from"]);
}

#[tokio::test]
async fn a_book_that_is_lent_again_leaves_the_shelf_of_returned_ones() {
    for database in [Database::ready_sqlite(), Database::ready_postgres()] {
        let app = TestApp::on(database).await;
        let reader = app.student(1).await;
        let book = app.book("Emma", 1).await;
        let loan = reader.borrow(book).await;
        reader.ask(&format!("/loans/{loan}/return")).await.expect(204);
        assert_eq!(titles_of(&reader.get("/shelves").await.expect(200)["returned"]), ["Emma"]);
        reader.borrow(book).await;
        assert_eq!(titles_of(&reader.get("/shelves").await.expect(200)["returned"]), Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_admin_finds_at_once_what_was_just_saved_r_home_2() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    for round in 0..10 {
        let id = app.book(&format!("First name {round}"), 1).await;
        assert_eq!(titles(&admin, "q=first").await.len(), 1);
        let path = format!("/books/{id}");
        let etag = admin.get(&path).await.etag();
        admin.put(&path, &etag, &form("Second name", 1)).await.expect(200);
        assert_eq!(titles(&admin, "q=first").await, Vec::<String>::new());
        assert_eq!(titles(&admin, "q=second").await, ["Second name"]);
        admin.delete(&path).await.expect(204);
        assert_eq!(titles(&admin, "").await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn pages_lead_forwards_and_back_without_gaps_or_repeats_r_home_2() {
    let app = TestApp::new().await;
    // Several of one title, so that a cursor must distinguish them.
    for n in 0..23 {
        app.book(&format!("Volume {}", n / 4), 1).await;
    }
    let visitor = app.visitor();
    for (sort, limit) in [("title", 5), ("newest", 4), ("title", 1), ("popular", 5), ("author", 4)] {
        let ids = |page: &Value| -> Vec<i64> {
            page["books"].as_array().into_iter().flatten().filter_map(|book| book["id"].as_i64()).collect()
        };
        let base = format!("/books?q=volume&sort={sort}&limit={limit}");
        let all = ids(&visitor.get(&format!("/books?q=volume&sort={sort}&limit=100")).await.expect(200));
        let mut pages = vec![visitor.get(&base).await.expect(200)];
        assert_eq!(pages[0]["previous"], Value::Null);
        while let Some(next) = pages.last().and_then(|page| page["next"].as_str()) {
            let page = visitor.get(&format!("{base}&cursor={}", encoded(next))).await.expect(200);
            assert_eq!((&page["total"], &page["totalIsExact"]), (&json!(23), &json!(true)));
            pages.push(page);
        }
        let walked: Vec<i64> = pages.iter().flat_map(&ids).collect();
        assert_eq!(walked, all, "{sort} by {limit}");
        let mut back = pages.pop().expect("the last page");
        let mut walked = ids(&back);
        while let Some(previous) = back["previous"].as_str() {
            back = visitor.get(&format!("{base}&cursor={}", encoded(previous))).await.expect(200);
            let mut page = ids(&back);
            page.append(&mut walked);
            walked = page;
        }
        assert_eq!(walked, all, "{sort} by {limit}, backwards");
    }
}

#[tokio::test]
async fn a_write_names_the_change_that_takes_it_back_to_who_may_r_undo_1() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let id = app.book("Godaan", 2).await;
    let review = json!({ "rating": 3, "comment": "c" });
    let reviewed = student.post(&format!("/books/{id}/reviews"), &review).await;
    reviewed.expect(201);
    assert_eq!(reviewed.header("undoable-change"), None, "a student takes back nothing but loans");
    let loan = student.borrow(id).await;
    let own = student.ask(&format!("/loans/{loan}/extend")).await;
    assert!(own.header("undoable-change").is_some(), "a student takes their own loan back");
    let extended = admin.ask(&format!("/loans/{loan}/extend")).await;
    let deleted = admin.delete(&format!("/books/{id}")).await;
    let [extended, deleted] =
        [extended, deleted].map(|answer| answer.header("undoable-change").map(str::to_owned));
    admin.ask(&format!("/changes/{}/undo", extended.expect("undoable"))).await.expect(200);
    let undone = admin.ask(&format!("/changes/{}/undo", deleted.expect("undoable"))).await;
    assert_eq!(undone.expect(200)["text"], "Undone: “Godaan” is in the catalogue again.");
    assert_eq!(student.get("/books?q=godaan").await.expect(200)["total"], 1, "not even for a moment");
    let book = student.get(&format!("/books/{id}")).await.expect(200);
    assert_eq!((&book["reviewCount"], &book["noOfBooks"]), (&json!(1), &json!(1)));
}

/// T15: a server ran for some hours with a clock five years ahead.
#[tokio::test]
async fn changes_after_a_clock_was_ahead_are_found_by_their_day_r_undo_1() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let add = |at: &str| {
        let at = at.parse::<jiff::Timestamp>().expect("an instant").as_millisecond();
        app.raw(&format!(
            "INSERT INTO events (at, action, change, at_desk, personal)
             VALUES ({at}, 'book-added', '{{\"kind\":\"book-added\",\"v\":1}}', FALSE, FALSE)"
        ));
    };
    add("2026-11-21T06:00:00Z");
    for _ in 0..40 {
        add("2031-11-21T06:00:00Z");
    }
    add("2026-11-21T07:00:00Z");
    for _ in 0..5 {
        add("2026-12-21T07:00:00Z");
    }
    app.set_clock("2026-11-21T08:00:00Z");
    let list = admin.get("/changes?to=2026-11-22").await.expect(200);
    let found = list["changes"].as_array().map(Vec::len);
    let all = admin.get("/changes?from=2026-11-21&to=2026-11-22").await.expect(200);
    assert!(list.to_string().contains("2026-11-21T07:00:00Z"), "{list}");
    assert_eq!(all["changes"].as_array().map(Vec::len), found);
}

#[tokio::test]
async fn every_change_of_the_catalogue_is_written_down_with_who_made_it() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let id = app.book("First", 2).await;
    let path = format!("/books/{id}");
    let mut request = admin.request("PUT", &path, Some(&form("Second", 3)));
    request.headers_mut().insert(header::IF_MATCH, admin.get(&path).await.etag().parse().expect("a header"));
    admin.send(request).await.expect(200);
    admin.delete(&path).await.expect(204);
    let recorded = app.changes(id).await;
    let recorded: Vec<(&str, Option<UserId>)> =
        recorded.iter().map(|(action, by)| (action.as_str(), *by)).collect();
    let by = Some(admin.uid);
    let expected = [
        ("book-added", by),
        ("copies-added", by),
        ("copies-added", by),
        ("book-updated", by),
        ("book-deleted", by),
    ];
    assert_eq!(recorded, expected);
    let list = admin.get(&format!("/changes?book={id}")).await.expect(200);
    let changes: Vec<&Value> = list["changes"].as_array().into_iter().flatten().collect();
    let (deleted, updated) = (&changes[0]["change"], &changes[1]["change"]);
    assert_eq!((&updated["before"]["title"], &updated["after"]["noOfBooks"]), (&json!("First"), &json!(3)));
    assert_eq!(deleted["book"]["title"], "Second");
    assert_eq!(changes[0]["text"], "“Second” deleted from the catalogue.");
}

#[tokio::test]
async fn the_imprint_of_a_form_is_stored_found_by_its_isbn_and_corrected_r_book_2() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let imprint = json!({
        "isbn": "0-7475-3269-9", "publisher": "Bloomsbury", "edition": "2nd", "publishedYear": 1997, "language": "EN",
        "callNumber": "823.914 ROW", "price": 250.5,
    });
    let added = admin.post("/books", &with(&form("Stone", 1), imprint)).await;
    let book = added.expect(201);
    let path = format!("/books/{}", book["id"]);
    for (field, value) in [
        ("isbn", json!("9780747532699")),
        ("publisher", json!("Bloomsbury")),
        ("edition", json!("2nd")),
        ("publishedYear", json!(1997)),
        ("language", json!("en")),
        ("callNumber", json!("823.914 ROW")),
        ("price", json!(250.5)),
    ] {
        assert_eq!(book[field], value, "{field}");
    }
    for number in ["0747532699", "978-0-7475-3269-9"] {
        assert_eq!(titles(&admin, &format!("q={number}")).await, ["Stone"], "{number}");
    }
    // A client that knows nothing of the imprint leaves it as it is.
    let kept = admin.put(&path, &added.etag(), &form("Stone", 1)).await;
    assert_eq!(kept.expect(200)["isbn"], "9780747532699");
    let copies = admin.get(&format!("{path}/copies")).await.expect(200);
    assert_eq!(
        (&copies["copies"][0]["price"], &copies["copies"][0]["ownPrice"]),
        (&json!(250.5), &json!(false))
    );

    let mut cleared = form("Stone", 1);
    for (field, value) in [("isbn", json!("")), ("price", Value::Null), ("publishedYear", Value::Null)] {
        cleared[field] = value;
    }
    let cleared = admin.put(&path, &kept.etag(), &cleared).await.expect(200);
    assert_eq!((&cleared["isbn"], &cleared["price"]), (&Value::Null, &Value::Null));
    assert_eq!(cleared["publisher"], "Bloomsbury");
    assert_eq!(titles(&admin, "q=0747532699").await, Vec::<String>::new());
    let changes = admin.get("/changes?action=book-updated").await.expect(200);
    assert_eq!(
        changes["changes"][0]["change"]["before"]["isbn"], "9780747532699",
        "the log says what was corrected"
    );
}

#[tokio::test]
async fn a_quick_added_book_waits_for_its_description_and_its_isbn_is_taken_once_r_book_5() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let quick = json!({
        "title": "Gaban", "author": "Premchand", "location": "K2", "isbn": "9780747532699", "barcodes": ["Q1", "Q2"],
        "publisher": "Hans", "publishedYear": 1931, "language": "HI", "genre": "Novel",
    });
    let keyed = || {
        let mut request = admin.request("POST", "/accessions", Some(&quick));
        request.headers_mut().insert("Idempotency-Key", "quick-1".parse().expect("a key"));
        request
    };
    let added = admin.send(keyed()).await;
    let book = added.expect(201);
    assert_eq!(
        (&book["copies"], &book["rating"], &book["description"]),
        (&json!(2), &Value::Null, &json!(""))
    );
    let imprint =
        ["publisher", "publishedYear", "language", "genre", "edition"].map(|field| book[field].clone());
    assert_eq!(imprint, [json!("Hans"), json!(1931), json!("hi"), json!("Novel"), json!("")]);
    let repeated = admin.send(keyed()).await;
    assert_eq!(repeated.expect(201)["id"], book["id"], "a lost answer is given again");

    let again = admin.post("/accessions", &with(&quick, json!({ "barcodes": ["Q3"] }))).await;
    assert_eq!(again.wrong_fields(), ["isbn"]);
    assert_eq!(again.messages(), ["“Gaban” already has this ISBN. Add copies to it instead."]);
    for (changes, field) in [
        (json!({ "title": " " }), "title"),
        (json!({ "isbn": "9780747532698" }), "isbn"),
        (json!({ "isbn": null, "barcodes": ["Q1"] }), "barcodes[0]"),
        (json!({ "count": 1 }), "barcodes"),
        (json!({ "price": -1 }), "price"),
        (json!({ "publishedYear": 20_261 }), "publishedYear"),
        (json!({ "publisher": "p".repeat(201) }), "publisher"),
    ] {
        let refused = admin.post("/accessions", &with(&quick, changes.clone())).await;
        assert_eq!(refused.wrong_fields(), [field], "{changes}");
    }
    admin.post("/accessions", &json!({ "title": "Untitled" })).await.expect(201);
    let list = admin.get("/accessions?limit=1").await.expect(200);
    assert_eq!((&list["total"], &list["books"][0]["title"]), (&json!(2), &json!("Untitled")), "newest first");
    let next = format!("/accessions?cursor={}", list["next"].as_str().expect("a second page"));
    assert_eq!(admin.get(&next).await.expect(200)["books"][0]["title"], "Gaban");

    // The specification's form describes it: the list no longer has it.
    let path = format!("/books/{}", book["id"]);
    let etag = admin.get(&path).await.etag();
    let no_words = with(&form("Gaban", 2), json!({ "description": "" }));
    assert_eq!(admin.put(&path, &etag, &no_words).await.wrong_fields(), ["description"]);
    admin.put(&path, &etag, &form("Gaban", 2)).await.expect(200);
    assert_eq!(admin.get("/accessions").await.expect(200)["total"], 1);
    assert_eq!(admin.get(&path).await.expect(200)["isbn"], "9780747532699");
}
