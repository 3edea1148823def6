//! Borrowing, returning, extending, fines, and the librarian's list.

use library::domain::{
    copy::State as CopyState,
    id::{BookId, UserId},
};
use std::sync::Arc;

use jiff::{ToSpan as _, civil::date};
use library::storage::{copies, loans};
use serde_json::{Value, json};

use crate::{
    app::{Person, TestApp},
    common::Database,
};

fn dates(loan: &Value) -> (&str, &str) {
    (loan["EntryDate"].as_str().unwrap_or_default(), loan["returnDate"].as_str().unwrap_or_default())
}

async fn only_loan(student: &Person<'_>) -> Value {
    let mine = student.get("/me/loans").await.expect(200);
    assert_eq!(mine["loans"].as_array().map(Vec::len), Some(1));
    assert_eq!(mine["totalFine"], mine["loans"][0]["fine"]);
    mine["loans"][0].clone()
}

#[tokio::test]
async fn borrowing_takes_a_copy_and_makes_a_loan_of_seven_days_r_loan_2_r_data_4() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Godaan", 2).await;
    let loan = student.ask(&format!("/books/{book}/loans")).await.expect(201);
    assert_eq!(
        loan,
        json!({
            "id": loan["id"], "userId": student.uid, "bookId": book, "title": "Godaan", "EntryDate": "2026-11-21",
            "returnDate": "2026-11-28", "fine": 0, "overdueDays": 0, "renewals": 0, "renewalDays": 7, "copyId": 1,
            "barcode": "L000001", "titleDeleted": false,
            "explain": ["7 days from Saturday 21 Nov"],
            "reasons": [{
                "code": "explain.due", "params": { "days": 7, "from": "2026-11-21" },
                "text": "7 days from Saturday 21 Nov",
            }],
        })
    );
    assert_eq!(admin.get(&format!("/books/{book}")).await.expect(200)["noOfBooks"], 1);
    let mut shown = only_loan(&student).await;
    let refusals = shown.as_object_mut().and_then(|shown| shown.remove("refusals"));
    assert_eq!((refusals, &shown), (Some(json!([])), &loan));
    let second = student.ask(&format!("/books/{book}/loans")).await.expect(201);
    assert_ne!(second["id"], loan["id"], "several copies of one book may be had");
}

#[tokio::test]
async fn without_a_copy_on_the_shelf_nothing_is_lent_r_loan_1() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    student.borrow(book).await;
    let refused = app.student(2).await.ask(&format!("/books/{book}/loans")).await;
    assert_eq!(
        refused.problem(409, "book-unavailable"),
        "This book is currently not available for borrowing."
    );
    let shown = admin.get(&format!("/books/{book}")).await.expect(200);
    assert_eq!((&shown["noOfBooks"], &shown["status"]), (&json!(0), &json!("Not Available")));
    assert_eq!(admin.get("/loans").await.expect(200)["total"], 1);
    student.ask("/books/999/loans").await.problem(404, "not-found");

    // The number of copies decides, not a status set by hand.
    let other = app.book("By hand", 1).await;
    app.raw(&format!("UPDATE books SET status = 'Not Available' WHERE id = {other}"));
    student.borrow(other).await;
}

#[tokio::test]
async fn return_dates_run_over_month_ends_years_and_leap_days_r_loan_2() {
    let app = TestApp::new().await;
    let book = app.book("Book", 50).await;
    for (at, entry, first, extended) in [
        ("2026-11-28T06:00:00Z", "2026-11-28", "2026-12-05", "2026-12-12"),
        ("2026-12-28T06:00:00Z", "2026-12-28", "2027-01-04", "2027-01-11"),
        ("2027-02-25T06:00:00Z", "2027-02-25", "2027-03-04", "2027-03-11"),
        ("2028-02-22T06:00:00Z", "2028-02-22", "2028-02-29", "2028-03-07"),
        ("2028-02-25T06:00:00Z", "2028-02-25", "2028-03-03", "2028-03-10"),
        ("2100-02-25T06:00:00Z", "2100-02-25", "2100-03-04", "2100-03-11"),
    ] {
        app.set_clock(at);
        let student = app.student(1).await;
        let loan = student.ask(&format!("/books/{book}/loans")).await.expect(201);
        assert_eq!(dates(&loan), (entry, first), "{at}");
        let later = student.ask(&format!("/loans/{}/extend", loan["id"])).await.expect(200);
        assert_eq!(dates(&later), (entry, extended), "{at}");
        student.ask(&format!("/loans/{}/return", loan["id"])).await.expect(204);
    }
}

#[tokio::test]
async fn a_day_begins_at_the_librarys_own_midnight_r_loan_8() {
    for (zone, before, after) in [
        ("Asia/Kolkata", "2026-11-21T18:29:59.999Z", "2026-11-21T18:30:00Z"),
        ("UTC", "2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00Z"),
        ("America/New_York", "2026-11-22T04:59:59.999Z", "2026-11-22T05:00:00Z"),
        ("Pacific/Kiritimati", "2026-11-21T09:59:59.999Z", "2026-11-21T10:00:00Z"),
    ] {
        let app = TestApp::with(Arc::new(Database::ready_sqlite()), zone, |_| {}).await;
        let book = app.book("Book", 9).await;
        let student = app.student(1).await;
        app.set_clock(before);
        let early = student.ask(&format!("/books/{book}/loans")).await.expect(201);
        app.set_clock(after);
        let late = student.ask(&format!("/books/{book}/loans")).await.expect(201);
        assert_eq!(dates(&early), ("2026-11-21", "2026-11-28"), "{zone}");
        assert_eq!(dates(&late), ("2026-11-22", "2026-11-29"), "{zone}");
        // The fine grows at that same midnight, a week later.
        let fines = async || student.get("/me/loans").await.expect(200)["totalFine"].clone();
        app.set_clock(&before.replace("-21T", "-28T").replace("-22T", "-29T"));
        assert_eq!(fines().await, 0, "{zone}");
        app.set_clock(&after.replace("-21T", "-28T").replace("-22T", "-29T"));
        assert_eq!(fines().await, 5, "{zone}");
    }
}

#[tokio::test]
async fn the_fine_is_five_rupees_a_day_wherever_it_is_read_r_loan_5() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 9).await;
    let loan = student.borrow(book).await;
    app.set_clock("2026-11-24T06:00:00Z");
    student.borrow(book).await;
    for (at, first, second) in [
        ("2026-11-28T18:29:59Z", 0, 0),
        ("2026-11-28T18:30:00Z", 5, 0),
        ("2026-12-01T06:00:00Z", 15, 0),
        ("2026-12-02T06:00:00Z", 20, 5),
        ("2027-11-24T06:00:00Z", 361 * 5, 358 * 5),
    ] {
        app.set_clock(at);
        // The profile was not opened in between: the list is right without it.
        let (student, admin) = if at.starts_with("2027") {
            (app.student(1).await, app.admin(0).await)
        } else {
            (student.copy(), admin.copy())
        };
        let all = admin.get("/loans").await.expect(200);
        assert_eq!(
            (&all["loans"][0]["fine"], &all["loans"][1]["fine"]),
            (&json!(first), &json!(second)),
            "{at}"
        );
        assert_eq!(all["loans"][0]["overdueDays"], first / 5, "{at}");
        let mine = student.get("/me/loans").await.expect(200);
        assert_eq!(
            (&mine["loans"][0]["id"], &mine["loans"][0]["fine"]),
            (&json!(loan), &json!(first)),
            "{at}"
        );
        assert_eq!(mine["totalFine"], first + second, "{at}");
    }
}

#[tokio::test]
async fn a_students_return_puts_the_copy_back_and_a_librarians_only_if_asked_r_loan_3() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 4).await;
    let copies = async || admin.get(&format!("/books/{book}")).await.expect(200)["noOfBooks"].clone();
    let loans = [
        student.borrow(book).await,
        student.borrow(book).await,
        student.borrow(book).await,
        student.borrow(book).await,
    ];
    assert_eq!(copies().await, 0);
    // A student's choice is ignored.
    student.post(&format!("/loans/{}/return", loans[0]), &json!({ "restock": false })).await.expect(204);
    assert_eq!(copies().await, 1);
    admin.ask(&format!("/loans/{}/return", loans[1])).await.expect(204);
    assert_eq!(copies().await, 1, "not restored");
    admin.post(&format!("/loans/{}/return", loans[2]), &json!({ "restock": false })).await.expect(204);
    assert_eq!(copies().await, 1);
    admin.post(&format!("/loans/{}/return", loans[3]), &json!({ "restock": true })).await.expect(204);
    assert_eq!(copies().await, 2);
    assert_eq!(app.copies(book).await, [(CopyState::OnShelf, 2), (CopyState::ToShelve, 2)]);
    let mine = student.get("/me/loans").await.expect(200);
    assert_eq!(mine, json!({ "loans": [], "today": "2026-11-21", "totalFine": 0 }));
    assert_eq!(admin.get("/loans").await.expect(200)["loans"], json!([]));
    for loan in loans {
        for person in [&student, &admin] {
            person.ask(&format!("/loans/{loan}/return")).await.problem(404, "not-found");
            person.ask(&format!("/loans/{loan}/extend")).await.problem(404, "not-found");
        }
    }
    assert_eq!(copies().await, 2, "a loan ends once");
}

#[tokio::test]
async fn an_extension_adds_seven_days_without_limit_for_either_role_r_loan_4() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 1).await;
    let loan = student.borrow(book).await;
    let mut due: jiff::civil::Date = "2026-11-28".parse().expect("a day");
    for round in 0..20 {
        let person = if round % 2 == 0 { &student } else { &admin };
        let extended = person.ask(&format!("/loans/{loan}/extend")).await.expect(200);
        due = due.saturating_add(jiff::Span::new().days(7));
        assert_eq!(dates(&extended), ("2026-11-21", due.to_string().as_str()));
    }
    assert_eq!(dates(&only_loan(&student).await).1, due.to_string());
}

#[tokio::test]
async fn a_student_reads_before_the_press_why_a_loan_is_not_extended_r_loan_4_r_rule_1() {
    let app = TestApp::new().await;
    let (admin, student, other) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Book", 1).await;
    let loan = student.borrow(book).await;
    let ids = async || -> Vec<String> {
        let refusals = only_loan(&student).await["refusals"].as_array().cloned().unwrap_or_default();
        refusals.iter().map(|refusal| refusal["id"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(ids().await, Vec::<String>::new());
    let rules = admin.get("/settings/rules").await;
    let mut document = rules.json();
    document["categories"][0]["rules"]["maxRenewals"] = json!(1);
    admin.put("/settings/rules", &rules.etag(), &document).await.expect(200);
    student.ask(&format!("/loans/{loan}/extend")).await.expect(200);
    other.ask(&format!("/books/{book}/holds")).await.expect(201);
    assert_eq!(ids().await, ["renew.limit", "renew.waiting"]);
    let refused = student.ask(&format!("/loans/{loan}/extend")).await.expect(409);
    assert_eq!(refused["blocks"], only_loan(&student).await["refusals"], "the press says the same");
}

#[tokio::test]
async fn a_fined_loan_is_refused_to_the_student_and_not_to_the_librarian_r_loan_6() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 2).await;
    let (loan, other) = (student.borrow(book).await, student.borrow(book).await);
    student.ask(&format!("/loans/{other}/extend")).await.expect(200);
    app.set_clock("2026-12-05T06:00:00Z");
    let before = student.get("/me/loans").await.expect(200);
    assert_eq!(before["totalFine"], 35);
    for call in ["return", "extend"] {
        student.ask(&format!("/loans/{loan}/{call}")).await.problem(409, "loan-fined");
    }
    assert_eq!(student.get("/me/loans").await.expect(200), before);
    student.ask(&format!("/loans/{other}/return")).await.expect(204);
    student.ask(&format!("/books/{book}/loans")).await.expect(201);

    let extended = admin.ask(&format!("/loans/{loan}/extend")).await.expect(200);
    assert_eq!(
        (dates(&extended).1, &extended["fine"]),
        ("2026-12-05", &json!(0)),
        "counted from the return date"
    );
    student.ask(&format!("/loans/{loan}/extend")).await.expect(200);
    app.set_clock("2026-12-20T06:00:00Z");
    admin.ask(&format!("/loans/{loan}/return")).await.expect(204);
}

#[tokio::test]
async fn ended_loans_and_their_fines_are_kept_r_loan_9() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 2).await;
    let (late, early) = (student.borrow(book).await, student.borrow(book).await);
    student.ask(&format!("/loans/{early}/return")).await.expect(204);
    app.set_clock("2026-12-01T06:00:00Z");
    admin.post(&format!("/loans/{late}/return"), &json!({ "restock": true })).await.expect(204);
    app.set_clock("2027-12-01T06:00:00Z");
    let kept = app.raw("SELECT id, fine, ended_on, ended_by FROM loans ORDER BY id");
    let expected = [(late, "1500", "2026-12-01", admin.uid), (early, "0", "2026-11-21", student.uid)];
    let expected = expected.map(|(id, fine, on, by)| {
        [id.to_string(), fine.to_owned(), on.to_owned(), by.to_string()].map(Some).to_vec()
    });
    assert_eq!(kept, expected);
    let recorded = app.changes(book).await;
    let recorded: Vec<(&str, Option<UserId>)> =
        recorded.iter().map(|(action, by)| (action.as_str(), *by)).collect();
    let (student, admin) = (Some(student.uid), Some(admin.uid));
    let expected = [
        ("book-added", admin),
        ("copies-added", admin),
        ("lent", student),
        ("lent", student),
        ("returned", student),
        ("returned", admin),
    ];
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn the_librarians_list_names_the_borrower_and_can_be_searched_r_fine_2() {
    let app = TestApp::new().await;
    let (admin, book) = (app.admin(0).await, app.book("Godaan", 9).await);
    for (n, name, roll, department) in
        [(1, "Åsa Müller", "EE-1", "d"), (2, "अर्जुन नायर", "me_2", "d"), (3, "Ravi 100%", "me-3", "d")]
    {
        let student = app.student(n).await;
        student
            .patch("/me", &json!({ "name": name, "rollNumber": roll, "department": department }))
            .await
            .expect(200);
        student.borrow(book).await;
    }
    let all = admin.get("/loans").await.expect(200);
    assert_eq!(all["total"], 3);
    let row = &all["loans"][0];
    assert_eq!(
        (
            &row["userName"],
            &row["rollNumber"],
            &row["batch"],
            &row["title"],
            &row["EntryDate"],
            &row["returnDate"],
            &row["fine"]
        ),
        (
            &json!("Åsa Müller"),
            &json!("ee-1"),
            &json!("2027"),
            &json!("Godaan"),
            &json!("2026-11-21"),
            &json!("2026-11-28"),
            &json!(0)
        )
    );
    for (query, expected) in [
        ("asa", vec!["Åsa Müller"]),
        ("%E0%A4%85%E0%A4%B0", vec!["अर्जुन नायर"]),
        ("ME", vec!["अर्जुन नायर", "Ravi 100%"]),
        ("_", vec!["अर्जुन नायर"]),
        ("%25", vec!["Ravi 100%"]),
        ("2027", vec!["Åsa Müller", "अर्जुन नायर", "Ravi 100%"]),
        ("godaan", vec!["Åsa Müller", "अर्जुन नायर", "Ravi 100%"]),
        ("%20ee-1%20", vec!["Åsa Müller"]),
    ] {
        let found = admin.get(&format!("/loans?q={query}")).await.expect(200);
        let names: Vec<&str> = found["loans"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|loan| loan["userName"].as_str())
            .collect();
        assert_eq!((names, &found["total"]), (expected.clone(), &json!(expected.len())), "{query}");
    }
    for (query, field) in
        [("limit=0", "limit"), ("limit=101", "limit"), ("cursor=x", "cursor"), ("cursor=YQ", "cursor")]
    {
        assert_eq!(admin.get(&format!("/loans?{query}")).await.wrong_fields(), [field]);
    }
    assert_eq!(admin.get(&format!("/loans?q={}", "q".repeat(201))).await.wrong_fields(), ["q"]);
}

#[tokio::test]
async fn the_librarians_list_is_paged_both_ways_the_most_overdue_first_r_fine_1() {
    let app = TestApp::new().await;
    let (admin, book) = (app.admin(0).await, app.book("Book", 99).await);
    let student = app.student(1).await;
    for n in 0..11 {
        let loan = student.borrow(book).await;
        for _ in 0..(n * 7 % 4) {
            student.ask(&format!("/loans/{loan}/extend")).await.expect(200);
        }
    }
    let ids = |page: &Value| -> Vec<i64> {
        page["loans"].as_array().into_iter().flatten().filter_map(|loan| loan["id"].as_i64()).collect()
    };
    let all = admin.get("/loans?limit=100").await.expect(200);
    let days: Vec<&str> = all["loans"].as_array().into_iter().flatten().map(|loan| dates(loan).1).collect();
    assert!(days.is_sorted() && days.len() == 11, "{days:?}");
    assert_eq!((&all["next"], &all["previous"]), (&Value::Null, &Value::Null));
    for limit in [1, 3, 4, 11] {
        let base = format!("/loans?limit={limit}");
        let mut pages = vec![admin.get(&base).await.expect(200)];
        while let Some(next) = pages.last().and_then(|page| page["next"].as_str()) {
            pages.push(admin.get(&format!("{base}&cursor={next}")).await.expect(200));
        }
        assert_eq!(pages.iter().flat_map(&ids).collect::<Vec<_>>(), ids(&all), "by {limit}");
        let mut back = pages.pop().expect("the last page");
        let mut walked = ids(&back);
        while let Some(previous) = back["previous"].as_str() {
            back = admin.get(&format!("{base}&cursor={previous}")).await.expect(200);
            let mut page = ids(&back);
            page.append(&mut walked);
            walked = page;
        }
        assert_eq!(walked, ids(&all), "by {limit}, backwards");
    }
}

#[tokio::test]
async fn a_profile_lists_ones_own_loans_alone_r_prof_2() {
    let app = TestApp::new().await;
    let (one, other) = (app.student(1).await, app.student(2).await);
    let book = app.book("Book", 9).await;
    let loan = one.borrow(book).await;
    other.borrow(book).await;
    assert_eq!(only_loan(&one).await["id"], loan);
    for call in ["return", "extend"] {
        other.ask(&format!("/loans/{loan}/{call}")).await.problem(404, "not-found");
    }
    assert_eq!(only_loan(&one).await["returnDate"], "2026-11-28");
}

#[tokio::test]
async fn a_page_that_has_emptied_leads_back_both_ways_s12() {
    let app = TestApp::new().await;
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Book", 9).await;
    let mut loans = Vec::new();
    for _ in 0..4 {
        loans.push(student.borrow(book).await);
    }
    let page = async |cursor: &Value| {
        let cursor = cursor.as_str().expect("the page leads there");
        admin.get(&format!("/loans?limit=2&cursor={cursor}")).await.expect(200)
    };
    let give_back = async |loans: &[i64]| {
        for loan in loans {
            student.ask(&format!("/loans/{loan}/return")).await.expect(204);
        }
    };
    let first = admin.get("/loans?limit=2").await.expect(200);
    let second = page(&first["next"]).await;
    give_back(&loans[2..]).await;
    let emptied = page(&first["next"]).await;
    assert_eq!((&emptied["loans"], &emptied["next"]), (&json!([]), &Value::Null));
    assert_eq!(page(&emptied["previous"]).await["loans"], first["loans"]);

    give_back(&loans[..2]).await;
    let later = student.borrow(book).await;
    let emptied = page(&second["previous"]).await;
    assert_eq!((&emptied["loans"], &emptied["previous"]), (&json!([]), &Value::Null));
    assert_eq!(page(&emptied["next"]).await["loans"][0]["id"], later);
}

#[tokio::test]
async fn the_total_fine_is_the_sum_of_every_open_loan_s13_r_loan_5() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let (uid, begun) = (student.uid, date(2026, 11, 13));
    app.store(move |tx| {
        for n in 0..1001 {
            let copy_id = copies::add(tx, BookId(1), &format!("C{n}"), None)?.expect("a free barcode");
            let loan =
                crate::loan::loan(uid, BookId(1), copy_id, "Book", begun, begun.saturating_add(7.days()));
            loans::begin(tx, &loan, 0)?;
        }
        Ok(())
    })
    .await;
    let mine = student.get("/me/loans").await.expect(200);
    assert_eq!(mine["totalFine"], 1001 * 5);
    assert_eq!(mine["loans"].as_array().map(Vec::len), Some(1001), "each can be returned");
}

#[tokio::test]
async fn a_due_date_is_set_by_hand_with_a_reason_and_undone_r_loan_4() {
    let app = TestApp::new().await;
    let (admin, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 1).await;
    let loan = asha.borrow(book).await;
    let path = format!("/loans/{loan}/due-date");
    app.set_clock("2026-12-01T06:00:00Z");
    for (form, field) in [
        (json!({ "returnDate": "2026-11-30", "reason": "Ill" }), "returnDate"),
        (json!({ "returnDate": "9999-01-01", "reason": "Ill" }), "returnDate"),
        (json!({ "reason": "Ill" }), "returnDate"),
        (json!({ "returnDate": "2026-12-20", "reason": " " }), "reason"),
    ] {
        assert_eq!(admin.post(&path, &form).await.wrong_fields(), [field], "{form}");
    }
    let form = json!({ "returnDate": "2026-12-20", "reason": "In hospital" });
    asha.post(&path, &form).await.problem(403, "forbidden");
    let keyed = || {
        let mut request = admin.request("POST", &path, Some(&form));
        request.headers_mut().insert("Idempotency-Key", "due-1".parse().expect("a key"));
        request
    };
    let set = admin.send(keyed()).await;
    let moved = set.expect(200);
    assert_eq!(
        (&moved["returnDate"], &moved["renewals"], &moved["fine"]),
        (&json!("2026-12-20"), &json!(0), &json!(0))
    );
    assert_eq!(moved["explain"], json!(["Set to Sunday 20 Dec by the library"]));
    admin.send(keyed()).await.expect(200);
    // Pressed twice: nothing more happened.
    assert_eq!(admin.post(&path, &form).await.header("undoable-change"), None);
    let changes = admin.get("/changes?action=due-date-set").await.expect(200);
    assert_eq!(changes["changes"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        changes["changes"][0]["text"],
        "Due date of “Godaan” set from 28 Nov 2026 to 20 Dec 2026 by hand. Fine of ₹15 dropped. Reason: In hospital"
    );
    let change = set.header("undoable-change").expect("undoable").to_owned();
    admin.ask(&format!("/changes/{change}/undo")).await.expect(200);
    let back = asha.get("/me/loans").await.expect(200)["loans"][0].clone();
    assert_eq!((&back["returnDate"], &back["fine"]), (&json!("2026-11-28"), &json!(15)));
}
