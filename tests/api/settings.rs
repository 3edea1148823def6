//! Librarians' settings: rules, calendar, the library's own, and their effect on open loans.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp, with},
    common::Database,
};

/// Builds rules with these values for students and none for other categories.
#[expect(clippy::needless_pass_by_value, reason = "callers write it down on the spot")]
fn students(rules: Value) -> Value {
    json!({ "categories": [{ "name": "Student", "rules": rules }, { "name": "Staff", "rules": {} }] })
}

#[expect(clippy::needless_pass_by_value, reason = "callers write it down on the spot")]
fn closed(weekdays: Value, dates: Value) -> Value {
    json!({ "closedWeekdays": weekdays, "closedDates": dates })
}

/// Saves without `If-Match`.
async fn save(person: &Person<'_>, what: &str, document: &Value) -> Answer {
    person.send(person.request("PUT", &format!("/settings/{what}"), Some(document))).await
}

async fn preview(person: &Person<'_>, what: &str, document: &Value) -> Value {
    person.post(&format!("/settings/{what}/preview"), document).await.expect(200)
}

/// Returns the sentences of a preview.
fn summary(effect: &Value) -> Vec<&str> {
    let summary = effect["summary"].as_array().expect("a list");
    summary.iter().map(|message| message["text"].as_str().expect("words")).collect()
}

/// Returns the due dates of the open loans, most overdue first.
async fn return_dates(app: &TestApp) -> Vec<String> {
    let list = app.admin(0).await.get("/loans").await.expect(200);
    let loans = list["loans"].as_array().expect("a list");
    loans.iter().map(|loan| loan["returnDate"].as_str().expect("a day").to_owned()).collect()
}

/// Returns before and after of the changes recorded under this action.
fn recorded(app: &TestApp, action: &str) -> Vec<(Value, Value)> {
    let rows = app.raw(&format!("SELECT change FROM events WHERE action = '{action}' ORDER BY id"));
    let change = |row: &Vec<Option<String>>| -> Value {
        serde_json::from_str(row[0].as_deref().unwrap_or("null")).expect("JSON")
    };
    // A moved due date has at most two days in its record.
    let either = |change: &Value, one: &str, other: &str| {
        change.get(one).or(change.get(other)).cloned().unwrap_or_default()
    };
    rows.iter()
        .map(change)
        .map(|change| (either(&change, "before", "from"), either(&change, "after", "to")))
        .collect()
}

/// Makes two tests of each function, which gets the application: one on `SQLite`, one on `PostgreSQL`.
macro_rules! each_app {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $( #[tokio::test] async fn $test() {
            super::$test(super::TestApp::new().await).await;
        } )+ }
        mod postgres { $( #[tokio::test] async fn $test() {
            super::$test(super::TestApp::on(super::Database::ready_postgres()).await).await;
        } )+ }
    };
}

each_app!(
    everybody_reads_what_the_screens_show_r_rule_8,
    rules_are_saved_with_a_first_day_r_rule_3,
    what_was_saved_is_in_the_audit_with_before_and_after_r_rule_1,
    nobody_saves_over_what_he_has_not_seen,
    every_mistake_is_told_at_its_field,
    a_preview_tells_the_effect_and_stores_nothing_r_rule_5,
    a_day_all_books_are_due_back_cuts_the_due_dates_of_its_category_r_rule_6,
    a_loan_says_by_how_many_days_the_rules_of_its_reader_extend_it_r_rule_2,
    a_closed_day_added_moves_the_due_dates_on_it_r_rule_4,
    the_batches_of_the_settings_may_register_r_reg_2,
    amounts_are_told_in_the_librarys_currency,
    an_address_for_payments_by_upi_is_refused_where_no_bank_would_know_it,
    many_loans_are_counted_whole_and_fifty_are_listed,
    a_fine_stops_at_the_price_of_the_copy_wherever_it_is_told_r_rule_3,
    a_closed_day_of_every_year_is_entered_once_and_moves_due_dates_r_rule_4,
);

async fn everybody_reads_what_the_screens_show_r_rule_8(app: TestApp) {
    let config = json!({
        "name": "", "address": "", "onReceipts": "", "upiAddress": "", "currency": "₹", "currencyCode": "INR", "languages": ["en", "hi"], "language": "en",
        "loanDays": 7, "renewalDays": 7, "finePerDay": 5, "graceDays": 0, "maxFine": null, "maxLoans": null,
        "maxRenewals": null, "selfBorrow": true, "selfReturn": true, "selfRenew": true,
        "batches": ["2025", "2026", "2027", "2028"], "departments": [],
        "today": "2026-11-21", "lastOpenDay": "2026-11-20", "timeZone": "Asia/Kolkata",
        "isbnLookUp": false,
    });
    assert_eq!(app.visitor().get("/config").await.expect(200), config);

    let admin = app.admin(0).await;
    let library = json!({
        "name": "St. Xavier's", "address": "1 Church Road", "onReceipts": "Open from 9 to 5.", "upiAddress": "", "currency": "Rs.",
        "currencyCode": "inr", "batches": ["Class 9", "Class 10"],
        "departments": ["Physics"], "accessionPrefix": "SX-", "language": "hi",
        "financialYearMonth": 4,
        "forgetAfterMonths": null,
        "suggestions": true,
    });
    let saved = save(&admin, "library", &library).await.expect(200);
    assert_eq!(saved, with(&library, json!({ "currencyCode": "INR" })));
    assert_eq!(admin.get("/settings/library").await.expect(200), saved);
    let rules = students(json!({ "loanDays": 14, "finePerDay": 2.5, "maxLoans": 3, "maxFine": 50 }));
    save(&admin, "rules", &with(&rules, json!({ "selfReturn": false }))).await.expect(200);
    assert_eq!(
        app.visitor().get("/config").await.expect(200),
        with(
            &with(
                &config,
                json!({ "name": "St. Xavier's", "address": "1 Church Road", "onReceipts": "Open from 9 to 5.",
                "currency": "Rs.", "batches": ["Class 9", "Class 10"],
                "departments": ["Physics"], "language": "hi" })
            ),
            json!({ "loanDays": 14, "finePerDay": 2.5, "maxLoans": 3, "maxFine": 50, "selfReturn": false }),
        )
    );
}

async fn rules_are_saved_with_a_first_day_r_rule_3(app: TestApp) {
    let admin = app.admin(0).await;
    let days = async |path: &str| {
        let rules = admin.get(path).await.expect(200);
        (rules["effectiveFrom"].clone(), rules["categories"][0]["rules"]["loanDays"].clone())
    };
    assert_eq!(days("/settings/rules").await, (Value::Null, json!(7)));
    // Applies from today by default.
    let saved = save(&admin, "rules", &students(json!({ "loanDays": 10 }))).await.expect(200);
    assert_eq!(saved["effectiveFrom"], "2026-11-21");
    // Values missing from the students' rules are the defaults; other categories keep leaving them out.
    assert_eq!(saved["categories"][0]["rules"]["finePerDay"], 5);
    assert_eq!(saved["categories"][1], json!({ "name": "Staff", "rules": {} }));
    let later = with(&students(json!({ "loanDays": 20 })), json!({ "effectiveFrom": "2026-12-01" }));
    save(&admin, "rules", &later).await.expect(200);
    assert_eq!(days("/settings/rules").await, (json!("2026-12-01"), json!(20)));
    assert_eq!(days("/settings/rules?on=2026-11-30").await, (json!("2026-11-21"), json!(10)));
    assert_eq!(days("/settings/rules?on=2026-11-20").await, (Value::Null, json!(7)));
    assert_eq!(app.visitor().get("/config").await.expect(200)["loanDays"], 10);
    app.set_clock("2026-12-01T06:00:00Z");
    assert_eq!(app.visitor().get("/config").await.expect(200)["loanDays"], 20);
    // A loaded document can be saved unchanged.
    let read = admin.get("/settings/rules").await.expect(200);
    assert_eq!(save(&admin, "rules", &read).await.expect(200), read);
}

async fn what_was_saved_is_in_the_audit_with_before_and_after_r_rule_1(app: TestApp) {
    let admin = app.admin(0).await;
    save(&admin, "rules", &students(json!({ "finePerDay": 10 }))).await.expect(200);
    save(&admin, "calendar", &closed(json!([7]), json!([]))).await.expect(200);
    let library = admin.get("/settings/library").await.expect(200);
    save(&admin, "library", &with(&library, json!({ "name": "North" }))).await.expect(200);
    let fine = |rules: &Value| rules["categories"][0]["rules"]["finePerDay"].clone();
    let [(before, after)] = &recorded(&app, "rules-changed")[..] else { panic!("one change") };
    assert_eq!((fine(before), fine(after)), (json!(5), json!(10)));
    assert_eq!(
        recorded(&app, "calendar-changed"),
        [(closed(json!([]), json!([])), closed(json!([7]), json!([])))]
    );
    let [(before, after)] = &recorded(&app, "settings-changed")[..] else { panic!("one change") };
    assert_eq!((&before["name"], &after["name"]), (&json!(""), &json!("North")));
    let by = app.raw("SELECT DISTINCT actor_id FROM events WHERE action LIKE '%-changed'");
    assert_eq!(by, [[Some(admin.uid.to_string())]]);
}

async fn nobody_saves_over_what_he_has_not_seen(app: TestApp) {
    let admin = app.admin(0).await;
    for (what, one, other) in [
        ("rules", students(json!({ "loanDays": 10 })), students(json!({ "loanDays": 20 }))),
        ("calendar", closed(json!([6]), json!([])), closed(json!([7]), json!([]))),
        ("library", json!({ "name": "One" }), json!({ "name": "Other" })),
    ] {
        let path = format!("/settings/{what}");
        let seen = admin.get(&path).await.etag();
        let saved = admin.put(&path, &seen, &one).await;
        assert_eq!((saved.status, saved.etag()), (200, admin.get(&path).await.etag()), "{}", saved.text);
        admin.put(&path, &seen, &other).await.problem(412, "stale");
        admin.put(&path, &saved.etag(), &other).await.expect(200);
    }
}

async fn every_mistake_is_told_at_its_field(app: TestApp) {
    let admin = app.admin(0).await;
    let categories = json!({ "categories": [
        { "name": "Student", "rules": { "loanDays": -1 } },
        { "name": "staff", "rules": { "maxFine": -1 } },
        { "name": "Staff", "rules": {} },
    ] });
    let wrong = ["categories[0].rules.loanDays", "categories[1].rules.maxFine", "categories[2].name"];
    assert_eq!(save(&admin, "rules", &categories).await.wrong_fields(), wrong);
    assert_eq!(admin.post("/settings/rules/preview", &categories).await.wrong_fields(), wrong);
    // Wrong types: null is for limits only, and money has two decimals.
    for (field, value, told) in [
        ("loanDays", json!(null), "This must be a whole number."),
        ("finePerDay", json!(7.555), "This must be an amount with at most two decimals."),
        ("finePerDay", json!("5"), "This must be an amount with at most two decimals."),
        ("maxLoans", json!(1.5), "This must be a whole number."),
    ] {
        let answer = save(&admin, "rules", &students(json!({ field: value }))).await;
        assert_eq!(answer.wrong_fields(), [format!("categories[0].rules.{field}")]);
        assert_eq!(answer.messages(), [told]);
    }
    let dates = json!([{ "from": "2026-12-26", "to": "2026-12-25", "name": "" }]);
    assert_eq!(
        save(&admin, "calendar", &closed(json!([8]), dates)).await.wrong_fields(),
        ["closedWeekdays[0]", "closedDates[0].name", "closedDates[0].to"]
    );
    assert_eq!(
        save(&admin, "library", &json!({ "batches": [], "currencyCode": "rupees" })).await.wrong_fields(),
        ["currencyCode", "batches"]
    );
    assert_eq!(app.raw("SELECT COUNT(*) FROM settings"), [[Some("0".to_owned())]]);
}

async fn a_fine_stops_at_the_price_of_the_copy_wherever_it_is_told_r_rule_3(app: TestApp) {
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let (priced, other) = (app.book("Godaan", 1).await, app.book("Nirmala", 1).await);
    let loan = student.borrow(priced).await;
    app.raw(&format!("UPDATE books SET price = 3000 WHERE id = {priced}"));
    let up_to_price = students(json!({ "fineUpToPrice": true }));
    save(&admin, "rules", &up_to_price).await.expect(200);
    app.set_clock("2026-12-10T06:00:00Z");
    student.borrow(other).await;

    // Twelve days for 5 come to 60.
    let own = student.get("/me/loans").await.expect(200);
    assert_eq!(own["loans"][0]["fine"], 30);
    let words = own["loans"][0]["explain"].as_array().and_then(|all| all.last()).cloned();
    assert_eq!(words, Some(json!("no more than the book costs, ₹30")));
    for path in ["/people?sort=-owes&limit=1", "/people?filter=owes", "/people?q=cs25"] {
        assert_eq!(admin.get(path).await.expect(200)["people"][0]["owes"], 30, "{path}");
    }
    for path in ["/loans", "/loans?q=godaan", "/loans?sort=name"] {
        assert_eq!(admin.get(path).await.expect(200)["fines"], 30, "{path}");
    }
    // Without the rule the days from today on cost again.
    let effect = preview(&admin, "rules", &students(json!({}))).await;
    assert_eq!(summary(&effect), ["1 loan: fines ₹30 → ₹35"]);
    assert_eq!(effect["loans"].as_array().map(Vec::len), Some(1));
    // The copy's own price goes before that of its title.
    app.raw(&format!("UPDATE copies SET price = 2000 WHERE book_id = {priced}"));
    assert_eq!(student.get("/me/loans").await.expect(200)["loans"][0]["fine"], 20);
    admin.post(&format!("/loans/{loan}/return"), &json!({ "restock": true })).await.expect(204);
    assert_eq!(admin.get(&format!("/people/{}/account", student.uid)).await.expect(200)["balance"], 20);
}

async fn a_closed_day_of_every_year_is_entered_once_and_moves_due_dates_r_rule_4(app: TestApp) {
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let fair = json!({ "from": "2020-11-28", "to": "2020-11-28", "name": "Founder's day", "yearly": true });
    let once = json!({ "from": "2020-11-29", "to": "2020-11-29", "name": "Storm" });
    let saved = save(&admin, "calendar", &closed(json!([]), json!([fair, once]))).await.expect(200);
    assert_eq!(saved["closedDates"], json!([fair, once]));
    student.borrow(app.book("Godaan", 1).await).await;
    assert_eq!(return_dates(&app).await, ["2026-11-29"]);
}

async fn a_preview_tells_the_effect_and_stores_nothing_r_rule_5(app: TestApp) {
    let (admin, student) = (app.admin(0).await, app.student(1).await);
    let (late, in_time) = (app.book("Godaan", 1).await, app.book("Nirmala", 1).await);
    student.borrow(late).await;
    app.set_clock("2026-12-02T06:00:00Z");
    student.borrow(in_time).await;

    let dearer = with(&students(json!({ "finePerDay": 10 })), json!({ "effectiveFrom": "2026-12-02" }));
    let effect = preview(&admin, "rules", &dearer).await;
    // Due on 28 November: three days for 5 and one for 10.
    assert_eq!(summary(&effect), ["1 loan: fines ₹20 → ₹25"]);
    assert_eq!(
        (&effect["finesChanged"], &effect["before"], &effect["after"], &effect["dueDatesMoved"]),
        (&json!(1), &json!(20), &json!(25), &json!(0))
    );
    let [loan] = effect["loans"].as_array().expect("a list").as_slice() else { panic!("{effect}") };
    assert_eq!(
        with(loan, json!({ "loanId": null })),
        json!({
            "userId": student.uid, "userName": "Student 1", "title": "Godaan", "fineBefore": 20, "fineAfter": 25,
            "returnDateBefore": "2026-11-28", "returnDateAfter": "2026-11-28", "reasons": [],
        })
    );
    let without_a_day = preview(&admin, "rules", &students(json!({ "finePerDay": 10 }))).await;
    assert_eq!(summary(&without_a_day), ["1 loan: fines ₹20 → ₹25"]);
    let tomorrow = with(&dearer, json!({ "effectiveFrom": "2026-12-03" }));
    assert_eq!(summary(&preview(&admin, "rules", &tomorrow).await), ["No open loan changes"]);
    // Fines that have run up stay.
    let free = with(&students(json!({ "finePerDay": 0 })), json!({ "effectiveFrom": "2026-12-01" }));
    for refused in [admin.post("/settings/rules/preview", &free).await, save(&admin, "rules", &free).await] {
        assert_eq!(refused.wrong_fields(), ["effectiveFrom"]);
        assert_eq!(refused.messages(), ["Valid from must be a day from 2 Dec 2026 to 31 Dec 2999."]);
    }
    assert_eq!(admin.get("/settings/rules").await.expect(200)["effectiveFrom"], Value::Null);
    assert_eq!(recorded(&app, "rules-changed"), []);
}

async fn a_day_all_books_are_due_back_cuts_the_due_dates_of_its_category_r_rule_6(app: TestApp) {
    let admin = app.admin(0).await;
    for (n, title) in [(1, "Godaan"), (2, "Nirmala")] {
        let book = app.book(title, 1).await;
        app.student(n).await.borrow(book).await;
    }
    app.raw("UPDATE users SET category = 'STAFF' WHERE name = 'Student 2'");
    // The 26th is closed, so it is the 25th.
    save(&admin, "calendar", &closed(json!([]), json!([{ "from": "2026-11-26", "name": "Holiday" }])))
        .await
        .expect(200);
    let term_ends = json!({ "categories": [
        { "name": "Student", "rules": { "allBackBy": "2026-11-26" } },
        { "name": "Staff", "rules": { "allBackBy": null } },
    ] });
    let effect = preview(&admin, "rules", &term_ends).await;
    assert_eq!(summary(&effect), ["1 due date moves"]);
    assert_eq!(
        effect["loans"][0]["reasons"][0]["text"],
        "All books are due back by Thursday 26 Nov, which is closed; moved to Wednesday 25 Nov"
    );
    assert_eq!(return_dates(&app).await, ["2026-11-28", "2026-11-28"]);
    save(&admin, "rules", &term_ends).await.expect(200);
    assert_eq!(return_dates(&app).await, ["2026-11-25", "2026-11-28"]);
    let [(before, after)] = &recorded(&app, "due-date-moved")[..] else { panic!("one due date moved") };
    assert_eq!((before, after), (&json!("2026-11-28"), &json!("2026-11-25")));
    let list = admin.get("/loans").await.expect(200);
    assert_eq!(
        list["loans"][0]["explain"],
        json!([
            "7 days from Saturday 21 Nov",
            "All books are due back by Thursday 26 Nov, which is closed; moved to Wednesday 25 Nov",
        ]),
        "the due date still says how it came about"
    );
    // K2: an extension beyond that day is refused, and uses up no renewal.
    let id = &list["loans"][0]["id"];
    let refused = admin.post(&format!("/loans/{id}/extend"), &json!({})).await;
    refused.problem(409, "refused");
    assert_eq!(refused.json()["blocks"][0]["id"], "renew.nothing");
    assert_eq!(
        refused.json()["blocks"][0]["text"],
        "All books are due back by Thursday 26 Nov, which is closed; moved to Wednesday 25 Nov. It stays due 25 Nov \
         2026: extending it would gain nothing."
    );
    let list = admin.get("/loans").await.expect(200);
    assert_eq!(
        (&list["loans"][0]["returnDate"], &list["loans"][0]["renewals"]),
        (&json!("2026-11-25"), &json!(0))
    );
    // Other rules on the same day: nothing moves any more.
    let dearer = json!({ "categories": [
        { "name": "Student", "rules": { "allBackBy": "2026-11-26", "finePerDay": 9 } },
        { "name": "Staff", "rules": { "allBackBy": null } },
    ] });
    assert_eq!(preview(&admin, "rules", &dearer).await["dueDatesMoved"], 0);
}

async fn a_loan_says_by_how_many_days_the_rules_of_its_reader_extend_it_r_rule_2(app: TestApp) {
    let admin = app.admin(0).await;
    let book = app.book("Godaan", 2).await;
    for n in [1, 2] {
        app.student(n).await.borrow(book).await;
    }
    app.raw("UPDATE users SET category = 'STAFF' WHERE name = 'Student 2'");
    let rules = json!({ "categories": [
        { "name": "Student", "rules": {} },
        { "name": "Staff", "rules": { "renewalDays": 21 } },
    ] });
    save(&admin, "rules", &rules).await.expect(200);
    let list = admin.get("/loans").await.expect(200);
    for loan in list["loans"].as_array().unwrap() {
        let days = if loan["userName"] == "Student 2" { 21 } else { 7 };
        assert_eq!(loan["renewalDays"], days);
        let extended = admin.post(&format!("/loans/{}/extend", loan["id"]), &json!({})).await.expect(200);
        let expected = jiff::civil::date(2026, 11, 28) + jiff::Span::new().days(days);
        assert_eq!(extended["returnDate"], expected.to_string());
    }
}

async fn a_closed_day_added_moves_the_due_dates_on_it_r_rule_4(app: TestApp) {
    let admin = app.admin(0).await;
    let book = app.book("Godaan", 2).await;
    app.student(1).await.borrow(book).await;
    app.set_clock("2026-11-22T06:00:00Z");
    app.student(2).await.borrow(book).await;

    // 28 November is a Saturday.
    let weekend = closed(json!([6, 7]), json!([{ "from": "2026-11-30", "name": "Guru Nanak Jayanti" }]));
    let effect = preview(&admin, "calendar", &weekend).await;
    assert_eq!(summary(&effect), ["2 due dates move"]);
    let loan = &effect["loans"][0];
    assert_eq!(
        (&loan["returnDateBefore"], &loan["returnDateAfter"], &loan["reasons"][0]["text"]),
        (
            &json!("2026-11-28"),
            &json!("2026-12-01"),
            &json!("Saturday 28 Nov is closed; moved to Tuesday 1 Dec")
        )
    );
    assert_eq!(return_dates(&app).await, ["2026-11-28", "2026-11-29"]);
    let saved = save(&admin, "calendar", &weekend).await.expect(200);
    assert_eq!(
        saved["closedDates"],
        json!([{ "from": "2026-11-30", "to": "2026-11-30", "name": "Guru Nanak Jayanti" }])
    );
    assert_eq!(admin.get("/settings/calendar").await.expect(200), saved);
    assert_eq!(return_dates(&app).await, ["2026-12-01", "2026-12-01"]);
    assert_eq!(recorded(&app, "due-date-moved").len(), 2);
    // A closed day removed moves nothing back.
    save(&admin, "calendar", &closed(json!([]), json!([]))).await.expect(200);
    assert_eq!(return_dates(&app).await, ["2026-12-01", "2026-12-01"]);
    // Free closed days reduce running fines, and the preview says so.
    let free = with(&students(json!({})), json!({ "chargeClosedDays": false }));
    save(&admin, "rules", &free).await.expect(200);
    app.set_clock("2026-12-07T06:00:00Z");
    let sundays = preview(&admin, "calendar", &closed(json!([7]), json!([]))).await;
    assert_eq!(summary(&sundays), ["2 loans: fines ₹60 → ₹50"]);
    let never = preview(&admin, "calendar", &closed(json!([1, 2, 3, 4, 5, 6, 7]), json!([]))).await;
    assert_eq!(
        summary(&never),
        ["No open loan changes", "The calendar has no open day, so closed days are not taken into account"]
    );
}

async fn the_batches_of_the_settings_may_register_r_reg_2(app: TestApp) {
    let admin = app.admin(0).await;
    let form = |n: u32, batch: &str| {
        json!({ "name": "N", "email": format!("n{n}@college.edu"), "password": "four unrelated words",
            "rollNumber": format!("n{n}"), "department": "Physics", "batch": batch })
    };
    let visitor = app.visitor();
    let refused = visitor.post("/auth/register", &form(1, "2029")).await;
    assert_eq!(refused.messages(), ["Batch must be one of the choices offered."]);
    save(&admin, "library", &json!({ "batches": ["2028", "2029", "Class 10"] })).await.expect(200);
    for (n, batch) in [(1, "2029"), (2, "Class 10")] {
        assert_eq!(visitor.post("/auth/register", &form(n, batch)).await.expect(201)["batch"], batch);
    }
    assert_eq!(visitor.post("/auth/register", &form(3, "2025")).await.wrong_fields(), ["batch"]);
}

async fn amounts_are_told_in_the_librarys_currency(app: TestApp) {
    let admin = app.admin(0).await;
    let book = app.book("Godaan", 1).await;
    app.student(1).await.borrow(book).await;
    app.set_clock("2026-12-02T06:00:00Z");
    save(&admin, "library", &json!({ "currency": "$", "currencyCode": "USD" })).await.expect(200);
    let cheap = students(json!({ "finePerDay": 0.25 }));
    assert_eq!(summary(&preview(&admin, "rules", &cheap).await), ["1 loan: fines $20 → $15.25"]);
}

async fn an_address_for_payments_by_upi_is_refused_where_no_bank_would_know_it(app: TestApp) {
    let admin = app.admin(0).await;
    for wrong in
        ["school", "@bank", "s@bank", "school@", "school@1b", "sch ool@bank", "school@bank.in", "स्कूल@bank"]
    {
        let answer = save(&admin, "library", &json!({ "upiAddress": wrong })).await;
        assert_eq!(answer.wrong_fields(), ["upiAddress"], "{wrong}");
    }
    let dollars = json!({ "upiAddress": "school@bank", "currency": "$", "currencyCode": "USD" });
    assert_eq!(save(&admin, "library", &dollars).await.wrong_fields(), ["upiAddress"]);
    assert_eq!(app.visitor().get("/config").await.expect(200)["upiAddress"], "");
    save(&admin, "library", &json!({ "upiAddress": " st.xaviers-lib@okbank " })).await.expect(200);
    assert_eq!(app.visitor().get("/config").await.expect(200)["upiAddress"], "st.xaviers-lib@okbank");
}

async fn many_loans_are_counted_whole_and_fifty_are_listed(app: TestApp) {
    let admin = app.admin(0).await;
    let book = app.book("Godaan", 1).await;
    app.student(1).await.borrow(book).await;
    app.raw(
        "INSERT INTO copies (book_id, barcode, condition, used_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
         SELECT l.book_id, 'X', 'on-shelf', 0 FROM loans AS l, n",
    );
    app.raw(
        "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days)
         SELECT l.user_id, l.book_id, l.title, c.id, l.entry_date, l.return_date, 7 FROM loans AS l, copies AS c
         WHERE c.barcode = 'X'",
    );
    app.set_clock("2026-11-29T06:00:00Z");
    let effect = preview(&admin, "rules", &students(json!({ "finePerDay": 10 }))).await;
    assert_eq!(summary(&effect), ["2,501 loans: fines ₹12,505 → ₹25,010"]);
    assert_eq!(effect["loans"].as_array().map(Vec::len), Some(50));
    // None is due on the 29th, all are due on the 28th.
    save(&admin, "calendar", &closed(json!([7]), json!([]))).await.expect(200);
    save(&admin, "calendar", &closed(json!([6, 7]), json!([]))).await.expect(200);
    assert_eq!(
        app.raw("SELECT return_date, COUNT(*) FROM loans GROUP BY return_date"),
        [[Some("2026-11-30".to_owned()), Some("2501".to_owned())]]
    );
}

#[tokio::test]
async fn a_change_on_one_server_holds_on_another_at_once_postgres() {
    let database = Arc::new(Database::ready_postgres());
    let here = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let admin = here.admin(0).await;
    for days in [10, 20, 30] {
        // Both servers have the previous version in memory.
        for app in [&here, &there] {
            app.visitor().get("/config").await.expect(200);
        }
        save(&admin, "rules", &students(json!({ "loanDays": days }))).await.expect(200);
        for app in [&here, &there] {
            assert_eq!(app.visitor().get("/config").await.expect(200)["loanDays"], days);
        }
    }
}
