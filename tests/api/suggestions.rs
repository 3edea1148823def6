//! Suggestions: what readers also borrowed, and what is popular in a department.

use library::jobs;
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    common::Database,
};

on_both_databases!(
    five_readers_make_a_suggestion_counted_once_a_week,
    readers_and_the_library_choose_whether_loans_are_counted,
);

/// Counts what is due; returns the number of titles with suggestions.
async fn count(app: &TestApp) -> usize {
    jobs::suggest(&app.state.library, "here").await.expect("done").expect("not elsewhere")
}

fn titles(books: &Value) -> Vec<&str> {
    books.as_array().expect("a list").iter().map(|book| book["title"].as_str().expect("a title")).collect()
}

/// Titles that readers of this book also borrowed.
async fn also(person: &Person<'_>, book: i64) -> Vec<String> {
    let found = person.get(&format!("/books/{book}/also-borrowed")).await.expect(200);
    titles(&found["books"]).into_iter().map(str::to_owned).collect()
}

/// Lets students `first` to `last` borrow and return both books.
async fn lend_both(app: &TestApp, students: std::ops::RangeInclusive<usize>, books: [i64; 2]) {
    for n in students {
        let reader = app.student(n).await;
        for book in books {
            let loan = reader.borrow(book).await;
            reader.ask(&format!("/loans/{loan}/return")).await.expect(204);
        }
    }
}

async fn five_readers_make_a_suggestion_counted_once_a_week(database: Database) {
    let app = TestApp::on(database).await;
    let (emma, dubliners) = (app.book("Emma", 1).await, app.book("Dubliners", 1).await);
    let alone = app.book("Amok", 1).await;
    app.set_clock("2026-11-23T06:00:00Z");
    lend_both(&app, 1..=4, [emma, dubliners]).await;
    let reader = app.student(1).await;
    for book in [emma, alone] {
        let loan = reader.borrow(book).await;
        reader.ask(&format!("/loans/{loan}/return")).await.expect(204);
    }

    app.set_clock("2026-11-24T06:00:00Z");
    assert_eq!(count(&app).await, 0, "four readers");
    assert_eq!(also(&reader, emma).await, [""; 0]);

    lend_both(&app, 5..=5, [emma, dubliners]).await;
    app.set_clock("2026-11-29T06:00:00Z");
    assert_eq!(count(&app).await, 0, "counted this week");
    app.set_clock("2026-11-30T06:00:00Z");
    assert_eq!(count(&app).await, 2);
    assert_eq!(also(&reader, emma).await, ["Dubliners"], "Amok has one reader");
    assert_eq!(also(&app.visitor(), dubliners).await, ["Emma"]);
    reader.get("/books/999/also-borrowed").await.problem(404, "not-found");

    let shelf = reader.get("/shelves").await.expect(200);
    assert_eq!(titles(&shelf["department"]), ["Emma", "Dubliners"], "of the reader's department");
    let librarian = app.admin(0).await;
    for person in [&app.visitor(), &librarian] {
        assert_eq!(person.get("/shelves").await.expect(200)["department"], json!([]));
    }

    // A deleted title is suggested no more.
    librarian.delete(&format!("/books/{dubliners}")).await.expect(204);
    assert_eq!(also(&reader, emma).await, [""; 0]);
}

async fn readers_and_the_library_choose_whether_loans_are_counted(database: Database) {
    let app = TestApp::on(database).await;
    let books = [app.book("Emma", 1).await, app.book("Dubliners", 1).await];
    app.set_clock("2026-11-23T06:00:00Z");
    lend_both(&app, 1..=5, books).await;
    let reader = app.student(3).await;
    let choice = |offered, counted| json!({ "offered": offered, "counted": counted });
    assert_eq!(reader.get("/me/suggestions").await.expect(200), choice(true, true));
    let choose = async |counted: bool| {
        let form = json!({ "counted": counted });
        assert_eq!(reader.put("/me/suggestions", "*", &form).await.expect(200), choice(true, counted));
        assert_eq!(reader.get("/me/data").await.expect(200)["countedForSuggestions"], counted);
    };
    choose(false).await;
    app.set_clock("2026-11-24T06:00:00Z");
    assert_eq!(count(&app).await, 0, "one of five is not counted");
    choose(true).await;
    app.set_clock("2026-12-01T06:00:00Z");
    assert_eq!(count(&app).await, 2);

    let librarian = app.admin(0).await;
    let saved = librarian.get("/settings/library").await;
    let mut settings = saved.expect(200);
    settings["suggestions"] = json!(false);
    librarian.put("/settings/library", &saved.etag(), &settings).await.expect(200);
    assert_eq!(also(&reader, books[0]).await, [""; 0], "at once");
    assert_eq!(reader.get("/shelves").await.expect(200)["department"], json!([]));
    assert_eq!(reader.get("/me/suggestions").await.expect(200), choice(false, true));
    assert_eq!(count(&app).await, 0);
    assert_eq!(app.raw("SELECT * FROM also_borrowed"), Vec::<Vec<Option<String>>>::new(), "erased");
}
