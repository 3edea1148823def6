//! Notices: each cause tells its person once, and what is no longer true is withdrawn.

use std::sync::Arc;

use library::jobs;
use serde_json::{Value, json};

use crate::{
    app::{Events, Person, TestApp},
    common::Database,
};

on_both_databases!(
    a_reminder_is_written_once_and_follows_its_loan_law_7,
    a_kept_copy_is_announced_until_it_is_fetched_r_hold_2,
    a_moved_due_date_a_charge_and_a_payment_are_told_and_taken_back_law_6,
    whatever_happens_a_reminder_is_true_and_unique_law_7,
    a_waived_charge_leaves_no_notice_law_6,
    a_bell_hears_at_once_of_a_notice_of_its_end_and_of_its_reading,
);

/// Kinds of a person's notices that are true, newest first, and the number of unread ones.
async fn told(person: &Person<'_>) -> (Vec<String>, i64) {
    let told = person.get("/me/notices").await.expect(200);
    let kinds = told["notices"].as_array().expect("a list").iter();
    let kinds = kinds.map(|notice| notice["kind"].as_str().expect("a kind").to_owned()).collect();
    (kinds, told["unread"].as_i64().expect("a number"))
}

async fn remind(app: &TestApp) -> u64 {
    jobs::remind(&app.state.library, "here").await.expect("done").expect("not elsewhere")
}

/// Undoes the newest change of a title with this name.
async fn undo(admin: &Person<'_>, book: i64, action: &str) {
    let changes = admin.get(&format!("/changes?book={book}&action={action}")).await.expect(200);
    admin.ask(&format!("/changes/{}/undo", changes["changes"][0]["id"])).await.expect(200);
}

async fn a_reminder_is_written_once_and_follows_its_loan_law_7(database: Database) {
    let database = Arc::new(database);
    let app = TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await;
    let there = TestApp::with(database, "Asia/Kolkata", |_| {}).await;
    let (asha, book) = (app.student(1).await, app.book("Godaan", 1).await);
    let loan = asha.borrow(book).await;
    assert_eq!(remind(&app).await, 0, "a week is left");

    // Two servers at once, on the day three days before the 28th.
    for app in [&app, &there] {
        app.set_clock("2026-11-24T18:31:00Z");
    }
    let run = |app: &TestApp, owner: &'static str| {
        let library = app.state.library.clone();
        async move { jobs::remind(&library, owner).await.expect("done").unwrap_or(0) }
    };
    let (one, other) = tokio::join!(run(&app, "here"), run(&there, "there"));
    assert_eq!((one + other, remind(&app).await), (1, 0));
    assert_eq!(told(&asha).await, (vec!["due-soon".to_owned()], 1));
    let notice = asha.get("/me/notices").await.expect(200)["notices"][0].clone();
    assert_eq!(
        (&notice["text"][0]["text"], &notice["loanId"], &notice["bookId"]),
        (&json!("“Godaan” is due back on 28 Nov 2026."), &json!(loan), &json!(book))
    );
    assert_eq!(asha.get("/auth/session").await.expect(200)["unreadNotices"], 1);

    // Read twice, the second time is no other.
    let form = json!({ "upTo": notice["id"] });
    assert_eq!(asha.post("/me/notices/read", &form).await.expect(200)["unread"], 0);
    let first = asha.get("/me/notices").await.expect(200)["notices"][0]["readAt"].clone();
    app.set_clock("2026-11-24T19:31:00Z");
    asha.post("/me/notices/read", &form).await.expect(200);
    assert_eq!(asha.get("/me/notices").await.expect(200)["notices"][0]["readAt"], first);
    assert_eq!(asha.get("/auth/session").await.expect(200)["unreadNotices"], Value::Null);

    // Renewed, and the renewal undone; returned, and the return undone.
    let admin = app.admin(0).await;
    let extend = format!("/loans/{loan}/extend");
    admin.ask(&extend).await.expect(200);
    assert_eq!(told(&asha).await, (vec![], 0));
    undo(&admin, book, "renewed").await;
    assert_eq!(told(&asha).await, (vec!["due-soon".to_owned()], 0));
    admin.post(&format!("/loans/{loan}/return"), &json!({})).await.expect(204);
    assert_eq!((told(&asha).await, remind(&app).await), ((vec![], 0), 0));
    undo(&admin, book, "returned").await;
    assert_eq!((told(&asha).await.0.len(), remind(&app).await), (1, 0));

    // A server that was down for days writes the newest reminder alone; a clock set back takes it back.
    app.set_clock("2026-12-07T06:00:00Z");
    assert_eq!(remind(&app).await, 1);
    assert_eq!(told(&asha).await.0, ["overdue", "due-soon"]);
    app.set_clock("2026-11-26T06:00:00Z");
    let asha = app.student(1).await;
    assert_eq!((remind(&app).await, told(&asha).await.0), (0, vec!["due-soon".to_owned()]));
    app.set_clock("2026-12-07T06:00:00Z");
    assert_eq!((remind(&app).await, remind(&app).await), (1, 0));
    let admin = app.admin(0).await;
    let all = admin.get(&format!("/people/{}/notices", asha.uid)).await.expect(200);
    assert_eq!(all["notices"].as_array().map(Vec::len), Some(2));
    admin.get("/people/999/notices").await.problem(404, "not-found");
}

async fn a_kept_copy_is_announced_until_it_is_fetched_r_hold_2(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 1).await;
    let loan = asha.borrow(book).await;
    let hold = bala.ask(&format!("/books/{book}/holds")).await.expect(201)["id"].clone();
    admin.post(&format!("/loans/{loan}/return"), &json!({ "restock": true })).await.expect(204);
    assert_eq!(told(&bala).await, (vec!["hold-ready".to_owned()], 1));
    app.set_clock("2026-11-23T06:00:00Z");
    assert_eq!((remind(&app).await, remind(&app).await), (1, 0));
    assert_eq!(told(&bala).await.0, ["hold-expiring", "hold-ready"]);
    let (taken, admin) = (bala.borrow(book).await, app.admin(0).await);
    assert_eq!(told(&bala).await.0, Vec::<String>::new(), "fetched");
    admin.post(&format!("/loans/{taken}/return"), &json!({ "restock": true })).await.expect(204);

    // The library cancels one; a reader's own cancellation is no news.
    asha.borrow(book).await;
    let again = bala.ask(&format!("/books/{book}/holds")).await.expect(201)["id"].clone();
    assert_ne!(again, hold);
    bala.delete(&format!("/holds/{again}")).await.expect(204);
    assert_eq!(told(&bala).await.0, Vec::<String>::new());
    let third = bala.ask(&format!("/books/{book}/holds")).await.expect(201)["id"].clone();
    admin.delete(&format!("/holds/{third}?reason=exam")).await.expect(204);
    assert_eq!(told(&bala).await.0, ["hold-cancelled"]);
    undo(&admin, book, "hold-cancelled").await;
    assert_eq!(told(&bala).await.0, Vec::<String>::new());
}

async fn a_moved_due_date_a_charge_and_a_payment_are_told_and_taken_back_law_6(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    let loan = asha.borrow(app.book("Godaan", 1).await).await;
    let calendar = json!({ "closedWeekdays": [6], "closedDates": [] });
    admin.put("/settings/calendar", "*", &calendar).await.expect(200);
    let moved = asha.get("/me/notices").await.expect(200)["notices"][0].clone();
    assert_eq!(moved["text"][0]["text"], "“Godaan” is now due back on 29 Nov 2026 instead of 28 Nov 2026.");
    let date = json!({ "returnDate": "2026-12-20", "reason": "ill" });
    admin.post(&format!("/loans/{loan}/due-date"), &date).await.expect(200);
    assert_eq!(told(&asha).await, (vec!["due-date-moved".to_owned()], 1), "the newest date alone");
    let newest = async || asha.get("/me/notices").await.expect(200)["notices"][0]["text"][0]["text"].clone();
    assert_eq!(newest().await, "“Godaan” is now due back on 20 Dec 2026 instead of 28 Nov 2026.");
    let back = json!({ "returnDate": "2026-11-28", "reason": "well again" });
    admin.post(&format!("/loans/{loan}/due-date"), &back).await.expect(200);
    assert_eq!(told(&asha).await, (Vec::new(), 0), "as the reader knew it");
    admin.post(&format!("/loans/{loan}/due-date"), &date).await.expect(200);
    asha.post("/me/notices/read", &json!({ "upTo": 1_000 })).await.expect(200);
    let later = json!({ "returnDate": "2026-12-22", "reason": "ill" });
    admin.post(&format!("/loans/{loan}/due-date"), &later).await.expect(200);
    assert_eq!(newest().await, "“Godaan” is now due back on 22 Dec 2026 instead of 20 Dec 2026.");

    let charge = json!({ "amount": 50, "kind": "damage", "reason": "Torn page" });
    admin.post(&format!("/people/{}/charges", asha.uid), &charge).await.expect(201);
    let payment = json!({ "amount": 50, "method": "cash" });
    admin.post(&format!("/people/{}/payments", asha.uid), &payment).await.expect(201);
    let texts = asha.get("/me/notices").await.expect(200);
    assert_eq!(
        [&texts["notices"][0]["text"][0]["text"], &texts["notices"][1]["text"][0]["text"]],
        ["You paid ₹50. Receipt 2026-27/000001.", "₹50 was charged: Torn page"]
    );
    admin.post("/receipts/2026-27%2F000001/reverse", &json!({ "reason": "wrong person" })).await.expect(200);
    assert_eq!(told(&asha).await.0, ["charged", "due-date-moved"]);
    let made = admin.post(&format!("/people/{}/charges", asha.uid), &charge).await.expect(201);
    assert_eq!(told(&asha).await.0.len(), 3);
    admin.ask(&format!("/changes/{}/undo", made["change"])).await.expect(200);
    assert_eq!(told(&asha).await.0, ["charged", "due-date-moved"]);
}

async fn a_waived_charge_leaves_no_notice_law_6(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    let charge = json!({ "amount": 50, "kind": "damage", "reason": "Torn page" });
    let made = admin.post(&format!("/people/{}/charges", asha.uid), &charge).await.expect(201);
    let waive = async |charge: &Value, amount: Value| {
        let form = json!({ "amount": amount, "reason": "An accident" });
        admin.post(&format!("/charges/{charge}/waive"), &form).await.expect(200)
    };
    waive(&made["charge"]["id"], json!(20)).await;
    assert_eq!(told(&asha).await.0, ["charged"], "₹30 are left");
    let waived = waive(&made["charge"]["id"], Value::Null).await;
    assert_eq!(told(&asha).await, (Vec::new(), 0));
    admin.ask(&format!("/changes/{}/undo", waived["change"])).await.expect(200);
    assert_eq!(told(&asha).await, (vec!["charged".to_owned()], 1));

    // One notice of a lost copy names price and fine.
    let loan = asha.borrow(app.book("Godaan", 1).await).await;
    app.set_clock("2026-12-07T06:00:00Z");
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    admin.post(&format!("/loans/{loan}/lost"), &json!({ "price": 300 })).await.expect(200);
    let account = admin.get(&format!("/people/{}/account", asha.uid)).await.expect(200);
    let of_loan =
        account["charges"].as_array().expect("a list").iter().filter(|charge| charge["loanId"] == loan);
    let of_loan: Vec<Value> = of_loan.map(|charge| charge["id"].clone()).collect();
    assert_eq!((of_loan.len(), told(&asha).await.0), (2, vec!["charged".to_owned(); 2]));
    for (charge, left) in of_loan.iter().zip([2, 1]) {
        let form = json!({ "reason": "Found at home" });
        admin.post(&format!("/charges/{charge}/waive"), &form).await.expect(200);
        assert_eq!(told(&asha).await.0.len(), left);
    }
}

#[tokio::test]
async fn one_switch_turns_off_all_notices_but_those_on_the_safety_of_the_account_r_rule_1() {
    let app = TestApp::new().await;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    asha.borrow(app.book("Godaan", 1).await).await;
    let wrong = json!({ "dueSoonDays": 31, "overdueDays": [1, 0] });
    assert_eq!(
        admin.put("/settings/notices", "*", &wrong).await.wrong_fields(),
        ["dueSoonDays", "overdueDays[1]"]
    );
    let mut settings = admin.get("/settings/notices").await.expect(200);
    assert_eq!(settings["overdueDays"], json!([1, 7, 14]));
    settings["automatic"] = json!(false);
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    app.set_clock("2026-12-20T06:00:00Z");
    assert_eq!(remind(&app).await, 0);
    settings["automatic"] = json!(true);
    settings["overdueDays"] = json!([30, 2]);
    settings["off"] = json!(["due-today"]);
    let admin = app.admin(0).await;
    let saved = admin.put("/settings/notices", "*", &settings).await.expect(200);
    assert_eq!(saved["overdueDays"], json!([2, 30]));
    assert_eq!((remind(&app).await, told(&asha).await.0), (1, vec!["overdue".to_owned()]));
}

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

async fn whatever_happens_a_reminder_is_true_and_unique_law_7(database: Database) {
    let app = TestApp::on(database).await;
    let mut dice = Dice(7);
    let mut books = Vec::new();
    for n in 0..4 {
        books.push(app.book(&format!("Book {n}"), 1).await);
    }
    let students = [app.student(1).await.uid, app.student(2).await.uid];
    let mut day = 21_i64;
    for step in 0..120 {
        let (reader, admin) =
            (app.student(1 + usize::try_from(dice.roll(2)).expect("small")).await, app.admin(0).await);
        let book = books[usize::try_from(dice.roll(4)).expect("small")];
        let open = admin.get("/loans").await.expect(200)["loans"].clone();
        let loan = open.as_array().expect("a list").iter().find(|loan| loan["bookId"] == book).cloned();
        match (dice.roll(6), loan) {
            (0 | 1, None) => {
                reader.ask(&format!("/books/{book}/loans")).await;
            }
            (0, Some(loan)) => {
                admin
                    .post(&format!("/loans/{}/return", loan["id"]), &json!({ "restock": true }))
                    .await
                    .expect(204);
            }
            (1, Some(loan)) => {
                // Refused while others wait.
                admin.ask(&format!("/loans/{}/extend", loan["id"])).await;
            }
            (2, _) => {
                let action = ["lent", "returned", "renewed"][usize::try_from(dice.roll(3)).expect("small")];
                let changes = admin.get(&format!("/changes?book={book}&action={action}")).await.expect(200);
                // Refused if something else has happened since.
                admin.ask(&format!("/changes/{}/undo", changes["changes"][0]["id"])).await;
            }
            (3, _) => {
                reader.ask(&format!("/books/{book}/holds")).await;
            }
            (roll, _) => {
                // Mostly onwards, now and then back.
                day += if roll == 4 && dice.roll(3) == 0 { -1 } else { 1 };
                let at = jiff::civil::date(2026, 11, 1)
                    .checked_add(jiff::Span::new().days(day - 1))
                    .expect("a day");
                app.set_clock(&format!("{at}T06:00:00Z"));
                remind(&app).await;
                assert_eq!(remind(&app).await, 0, "step {step}: twice");
                let missing = app.raw(&format!(
                    "SELECT id FROM loans WHERE ended_at IS NULL AND return_date = '{at}' AND entry_date < return_date
                       AND NOT EXISTS (SELECT 1 FROM notices WHERE loan_id = loans.id AND about = return_date
                                          AND kind IN ('due-today', 'overdue') AND withdrawn_at IS NULL)"
                ));
                assert!(missing.is_empty(), "step {step}: {missing:?} have no reminder");
                let ahead = app.raw(&format!("SELECT id FROM notices WHERE day > '{at}'"));
                assert!(ahead.is_empty(), "step {step}: {ahead:?} of days to come");
            }
        }
        let untrue = app.raw(
            "SELECT notices.id FROM notices LEFT JOIN loans ON loans.id = notices.loan_id
             LEFT JOIN holds ON holds.id = notices.hold_id
             WHERE (about IS NOT NULL OR kind IN ('hold-lapsed', 'hold-cancelled', 'hold-put-back')) AND withdrawn_at IS NULL
               AND NOT COALESCE(loans.ended_at IS NULL AND loans.return_date = about AND loans.user_id = person_id, FALSE)
               AND NOT COALESCE(holds.user_id = person_id AND (holds.state = 'ready' AND holds.ready_until = about
                   OR kind = 'hold-lapsed' AND holds.state = 'expired'
                   OR kind = 'hold-cancelled' AND holds.state = 'cancelled'
                   OR kind = 'hold-put-back' AND holds.state = 'waiting'), FALSE)",
        );
        assert!(untrue.is_empty(), "step {step}: {untrue:?} are not true");
        let twice = app.raw(
            "SELECT loan_id, about, step FROM notices WHERE step IS NOT NULL GROUP BY loan_id, about, step HAVING COUNT(*) > 1",
        );
        assert!(twice.is_empty(), "step {step}: {twice:?} twice");
    }
    for uid in students {
        let some = app.raw(&format!("SELECT id FROM notices WHERE person_id = {uid}"));
        assert!(!some.is_empty(), "the steps meet every reader");
    }
}

async fn a_bell_hears_at_once_of_a_notice_of_its_end_and_of_its_reading(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let mut bell = asha.listen("/me/notices/unread", None).await;
    let mut others = bala.listen("/me/notices/unread", None).await;
    let unread = async |bell: &mut Events| bell.next_of("unread").await.json()["unread"].clone();
    assert_eq!((unread(&mut bell).await, unread(&mut others).await), (json!(0), json!(0)));
    let charge = json!({ "amount": 5, "kind": "damage", "reason": "Torn" });
    let begun = std::time::Instant::now();
    let charged = admin.post(&format!("/people/{}/charges", asha.uid), &charge).await;
    assert_eq!(unread(&mut bell).await, 1);
    // Taken back by an undo, and caused again.
    let change = charged.header("undoable-change").expect("undoable").to_owned();
    admin.ask(&format!("/changes/{change}/undo")).await.expect(200);
    assert_eq!(unread(&mut bell).await, 0);
    admin.post(&format!("/people/{}/charges", asha.uid), &charge).await.expect(201);
    assert_eq!(unread(&mut bell).await, 1);
    // Read on another page of the same person.
    asha.post("/me/notices/read", &json!({ "upTo": 1_000 })).await.expect(200);
    assert_eq!(unread(&mut bell).await, 0);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "sooner than the next poll");
    admin.post(&format!("/people/{}/charges", bala.uid), &charge).await.expect(201);
    assert_eq!(unread(&mut others).await, 1, "each hears of the own notices alone");
    let again = std::time::Instant::now();
    admin.delete(&format!("/people/{}/sessions", asha.uid)).await;
    assert_eq!(bell.next().await.map(|event| event.kind).as_deref(), Some("ended"));
    assert!(again.elapsed() < std::time::Duration::from_secs(20), "sooner than the next poll");
    bala.ask("/auth/sign-out").await.expect(204);
    admin.post(&format!("/people/{}/charges", bala.uid), &charge).await.expect(201);
    assert_eq!(others.next().await.map(|event| event.kind).as_deref(), Some("ended"));
    assert_eq!(others.next().await, None);
    app.state.stopping.store(true, std::sync::atomic::Ordering::Relaxed);
}
