//! Money and undo through the API.

use serde_json::{Value, json};

use library::domain::account::Capability;

use crate::{
    app::{Person, TestApp},
    authority::give,
    common::Database,
};

on_both_databases!(
    a_fine_is_charged_at_the_desk_paid_and_taken_back_r_money_1_r_undo_1,
    a_payment_that_names_one_charge_twice_is_refused_r_money_2,
    every_amount_of_an_account_says_how_it_came_about_law_6,
    who_owes_what_is_listed_most_first_and_credit_last_r_money_6,
    what_was_taken_today_this_week_and_this_month_is_told_first_r_money_6,
    the_lines_of_a_period_are_listed_summed_up_and_a_file_r_money_6,
    a_copy_is_declared_lost_charged_and_found_again_r_money_4,
    a_price_that_was_paid_becomes_credit_and_is_paid_out_r_money_4,
    a_payment_of_any_day_is_reversed_and_its_receipt_keeps_its_number_r_money_3,
    each_print_of_a_receipt_is_counted_and_the_second_is_a_copy_r_money_3,
    the_day_is_closed_once_with_a_number_without_gaps_r_undo_2,
    nobody_forgives_or_pays_out_what_is_on_their_own_account_x11,
    a_payment_is_undone_by_who_took_it_or_who_may_pay_out_x11,
    a_charge_of_the_desk_is_taken_back_by_its_maker_and_undo_asks_for_every_right_of_the_chain_r_undo_1,
);

async fn barcode(desk: &Person<'_>, book: i64) -> String {
    let list = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    list["copies"][0]["barcode"].as_str().expect("text").to_owned()
}

/// Lends a copy of a new title; returns the copy, its loan and its barcode.
async fn lent(app: &TestApp, desk: &Person<'_>, to: &Person<'_>, title: &str) -> (Value, i64, String) {
    let book = app.book(title, 1).await;
    let loan = to.borrow(book).await;
    let copies = desk.get(&format!("/books/{book}/copies")).await.expect(200);
    let code = copies["copies"][0]["barcode"].as_str().expect("text").to_owned();
    (copies["copies"][0]["id"].clone(), loan, code)
}

/// Returns the English explanation of an amount.
fn reasons_of(explain: &Value) -> Vec<&str> {
    let messages = explain.as_array().expect("a list");
    messages.iter().map(|message| message["text"].as_str().expect("text")).collect()
}

async fn charge(desk: &Person<'_>, person: &Person<'_>, amount: i64) -> Value {
    let form = json!({ "amount": amount, "kind": "other", "reason": "Lost card" });
    desk.post(&format!("/people/{}/charges", person.uid), &form).await.expect(201)
}

async fn pay(desk: &Person<'_>, person: &Person<'_>, form: &Value) -> Value {
    desk.post(&format!("/people/{}/payments", person.uid), form).await.expect(201)
}

async fn undo(desk: &Person<'_>, change: &Value) -> crate::app::Answer {
    desk.ask(&format!("/changes/{change}/undo")).await
}

async fn account(desk: &Person<'_>, of: &Person<'_>) -> Value {
    desk.get(&format!("/people/{}/account", of.uid)).await.expect(200)
}

async fn a_fine_is_charged_at_the_desk_paid_and_taken_back_r_money_1_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Algorithms", 1).await;
    let code = barcode(&desk, book).await;
    desk.post("/desk/scans", &json!({ "code": code, "person": asha.uid })).await.expect(200);

    app.set_clock("2026-12-02T06:00:00Z");
    let owed = account(&desk, &asha).await;
    assert_eq!((&owed["balance"], &owed["running"]), (&json!(0), &json!(20)));
    let back = desk.post("/desk/scans", &json!({ "code": code })).await.expect(200);
    assert_eq!((&back["charge"]["open"], &back["charged"]), (&json!(20), &json!(asha.uid)));
    // The student sees it beside the specification's total, which stays the sum over open loans.
    let own = asha.get("/me/account").await.expect(200);
    assert_eq!((&own["balance"], &own["charges"][0]["reason"]), (&json!(20), &json!("Algorithms")));
    assert_eq!(asha.get("/me/loans").await.expect(200)["totalFine"], 0);
    assert_eq!(desk.get(&format!("/people/{}", asha.uid)).await.expect(200)["owes"], 20);

    // Part of the charge is paid; the rest is waived, with a reason.
    let payments = format!("/people/{}/payments", asha.uid);
    let too_much = desk.post(&payments, &json!({ "amount": 21, "method": "cash" })).await;
    assert_eq!(too_much.problem(422, "invalid"), "Only ₹20 is owed here.");
    assert_eq!(too_much.wrong_fields(), ["amount"]);
    let wrong = desk.post(&payments, &json!({ "amount": -1, "method": "cash" })).await;
    assert_eq!((wrong.status, wrong.wrong_fields()), (422, vec!["amount".to_owned()]));
    let paid = desk
        .post(&payments, &json!({ "amount": 12.5, "method": "upi", "reference": "T-1" }))
        .await
        .expect(201);
    let receipt = &paid["receipt"];
    assert_eq!((&receipt["number"], &receipt["balance"]), (&json!("2026-27/000001"), &json!(7.5)));
    let again = desk.get("/receipts/2026-27%2F000001").await.expect(200);
    assert_eq!(&again, receipt);
    let charge = &back["charge"]["id"];
    let waive = format!("/charges/{charge}/waive");
    assert_eq!(desk.post(&waive, &json!({ "reason": " " })).await.wrong_fields(), ["reason"]);
    desk.post(&waive, &json!({ "reason": "was ill" })).await.expect(200);
    let settled = account(&desk, &asha).await;
    assert_eq!((&settled["balance"], &settled["charges"]), (&json!(0), &json!([])));

    // The return cannot be undone while its charge is paid.
    let undo = |change: &Value| format!("/changes/{change}/undo");
    let refused = desk.ask(&undo(&back["change"])).await;
    assert_eq!(refused.problem(409, "refused"), "Something of this was paid or waived. Undo that first.");
    let waived = desk.get("/changes?action=waived").await.expect(200);
    desk.ask(&undo(&waived["changes"][0]["id"])).await.expect(200);
    let undone = desk.ask(&undo(&paid["change"])).await.expect(200);
    assert_eq!(undone["text"], "Undone: ₹12.50 is owed again; receipt 2026-27/000001 is cancelled.");
    assert_eq!(desk.get("/receipts/2026-27%2F000001").await.expect(200)["reversed"], true);
    desk.ask(&undo(&back["change"])).await.expect(200);
    let open = account(&desk, &asha).await;
    assert_eq!((&open["balance"], &open["running"]), (&json!(0), &json!(20)), "it is on loan again");
    assert_eq!(desk.ask(&undo(&back["change"])).await.problem(409, "refused"), "This was already undone.");

    // Tomorrow is too late.
    let lent = desk.get("/changes?action=lent").await.expect(200);
    let late = desk.ask(&undo(&lent["changes"][0]["id"])).await;
    assert_eq!(
        late.problem(409, "refused"),
        "Only what was done today can be undone. Return it at the desk."
    );
}

/// T1: the charge was settled twice, and no backup of the library could be restored any more.
async fn a_payment_that_names_one_charge_twice_is_refused_r_money_2(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let id = charge(&desk, &asha, 100).await["charge"]["id"].clone();
    let payments = format!("/people/{}/payments", asha.uid);
    for amount in [50, 100, 200] {
        let form = json!({ "amount": amount, "method": "cash", "charges": [id, id] });
        let refused = desk.post(&payments, &form).await;
        assert_eq!(refused.problem(422, "invalid"), "This list names the same entry more than once.");
        assert_eq!(refused.wrong_fields(), ["charges"]);
    }
    let open = account(&desk, &asha).await;
    assert_eq!((&open["balance"], &open["charges"][0]["open"]), (&json!(100), &json!(100)));
    let once = json!({ "amount": 100, "method": "cash", "charges": [id] });
    assert_eq!(pay(&desk, &asha, &once).await["receipt"]["amount"], 100);
    assert_eq!(account(&desk, &asha).await["balance"], 0);
}

async fn every_amount_of_an_account_says_how_it_came_about_law_6(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let (_, loan, _) = lent(&app, &desk, &asha, "Godaan").await;
    let (_, running, _) = lent(&app, &desk, &asha, "Nirmala").await;
    app.set_clock("2026-12-02T06:00:00Z");
    desk.post(&format!("/loans/{loan}/return"), &json!({ "restock": true })).await.expect(204);
    let open = account(&desk, &asha).await;
    assert_eq!(reasons_of(&open["charges"][0]["explain"]), ["₹20 = 4 days × ₹5"]);
    let fine = &open["fines"][0];
    assert_eq!(
        (&fine["loanId"], &fine["amount"], &open["running"]),
        (&json!(running), &json!(20), &json!(20))
    );
    assert_eq!(reasons_of(&fine["explain"]), ["₹20 = 4 days × ₹5"]);

    let paid = pay(&desk, &asha, &json!({ "amount": 5, "method": "cash" })).await;
    assert_eq!(reasons_of(&paid["receipt"]["items"][0]["explain"]), ["₹20 = 4 days × ₹5"]);
    let waive = format!("/charges/{}/waive", open["charges"][0]["id"]);
    desk.post(&waive, &json!({ "amount": 2, "reason": "was ill" })).await.expect(200);
    let lines = account(&desk, &asha).await["lines"].clone();
    assert_eq!(reasons_of(&lines[0]["explain"]), ["₹2 for “Godaan”"], "the waiver");
    assert_eq!(reasons_of(&lines[1]["explain"]), ["₹5 for “Godaan”"], "the payment");
    assert_eq!(
        reasons_of(&lines[2]["explain"]),
        ["₹20 = 4 days × ₹5", "₹5 paid, receipt 2026-27/000001", "₹2 waived: was ill", "₹13 still owed"]
    );
    let rest = account(&desk, &asha).await["charges"][0]["explain"].clone();
    assert_eq!(reasons_of(&rest), reasons_of(&lines[2]["explain"]));
    undo(&desk, &paid["change"]).await.expect(200);
    let lines = asha.get("/me/account").await.expect(200)["lines"].clone();
    assert_eq!(reasons_of(&lines[0]["explain"]), ["₹5 for “Godaan” is owed again"]);
    assert_eq!(
        reasons_of(&lines[3]["explain"])[3..],
        ["₹5 owed again: what had settled it was undone", "₹18 still owed"]
    );
}

async fn who_owes_what_is_listed_most_first_and_credit_last_r_money_6(database: Database) {
    let app = TestApp::on(database).await;
    let desk = app.admin(0).await;
    let (asha, bala, chitra, devi) =
        (app.student(1).await, app.student(2).await, app.student(3).await, app.student(4).await);
    charge(&desk, &asha, 10).await;
    charge(&desk, &bala, 10).await;
    lent(&app, &desk, &bala, "Godaan").await;
    let wrong = charge(&desk, &chitra, 30).await;
    pay(&desk, &chitra, &json!({ "amount": 30, "method": "cash" })).await;
    let reverse = format!("/charges/{}/reverse", wrong["charge"]["id"]);
    desk.post(&reverse, &json!({ "reason": "a mistake" })).await.expect(200);
    lent(&app, &desk, &devi, "Nirmala").await;
    app.set_clock("2026-11-30T06:00:00Z");
    let all = desk.get("/money/debtors").await.expect(200);
    let row = |n: usize| {
        let one = &all["debtors"][n];
        (one["uid"].clone(), one["balance"].clone(), one["running"].clone(), one["owes"].clone())
    };
    assert_eq!(row(0), (json!(bala.uid), json!(10), json!(10), json!(20)));
    // People who owe the same are sorted by name.
    assert_eq!(row(1), (json!(asha.uid), json!(10), json!(0), json!(10)));
    assert_eq!(row(2), (json!(devi.uid), json!(0), json!(10), json!(10)));
    assert_eq!(row(3), (json!(chitra.uid), json!(-30), json!(0), json!(-30)));
    assert_eq!((&all["total"], &all["owed"], &all["credit"]), (&json!(4), &json!(40), &json!(30)));

    let first = desk.get("/money/debtors?limit=3").await.expect(200);
    let cursor = first["next"].as_str().expect("goes on");
    let rest = desk.get(&format!("/money/debtors?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!((&rest["debtors"][0]["uid"], &rest["next"]), (&json!(chitra.uid), &Value::Null));
    assert!(rest["previous"].is_string());

    // One batch, and other orders.
    app.raw("UPDATE users SET batch = '2028' WHERE name IN ('Student 1', 'Student 4')");
    let uids = async |query: &str| -> Vec<Value> {
        let list = desk.get(&format!("/money/debtors?{query}")).await.expect(200);
        list["debtors"].as_array().expect("a list").iter().map(|one| one["uid"].clone()).collect()
    };
    let [asha, bala, chitra, devi] = [&asha, &bala, &chitra, &devi].map(|one| json!(one.uid));
    assert_eq!(uids("batch=2028").await, [asha.clone(), devi.clone()]);
    assert_eq!(uids("sort=name").await, [&asha, &bala, &chitra, &devi].map(Clone::clone));
    assert_eq!(uids("sort=owes").await[0], chitra, "credit first");
    assert_eq!(uids("sort=-batch&limit=1").await, [devi], "the last name of the last batch");
    let batch = desk.get("/money/debtors?batch=2028&limit=1").await.expect(200);
    assert_eq!((&batch["total"], &batch["owed"], &batch["credit"]), (&json!(2), &json!(20), &json!(0)));
    let wrong = desk.get("/money/debtors?sort=running").await;
    assert_eq!((wrong.status, wrong.wrong_fields()), (422, vec!["sort".to_owned()]));
}

async fn what_was_taken_today_this_week_and_this_month_is_told_first_r_money_6(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    // Sunday, Monday and Wednesday.
    for (at, amount) in
        [("2026-11-29T06:00:00Z", 1), ("2026-11-30T06:00:00Z", 10), ("2026-12-02T06:00:00Z", 100)]
    {
        app.set_clock(at);
        charge(&desk, &asha, amount).await;
        pay(&desk, &asha, &json!({ "amount": amount, "method": "cash" })).await;
    }
    let amounts = async || {
        let takings = desk.get("/money/takings").await.expect(200);
        ["today", "week", "month"].map(|of| (takings[of]["amount"].clone(), takings[of]["from"].clone()))
    };
    let told = |[today, week, month]: [i64; 3]| {
        [
            (json!(today), json!("2026-12-02")),
            (json!(week), json!("2026-11-30")),
            (json!(month), json!("2026-12-01")),
        ]
    };
    assert_eq!(amounts().await, told([100, 110, 100]));

    // A payment that is reversed today is not taken, whenever it was made; a waiver moves no money.
    let lines = account(&desk, &asha).await["lines"].clone();
    let receipt = lines[2]["receipt"].as_str().expect("a number").replace('/', "%2F");
    desk.post(&format!("/receipts/{receipt}/reverse"), &json!({ "reason": "bounced" })).await.expect(200);
    let waive = format!("/charges/{}/waive", lines[3]["id"]);
    desk.post(&waive, &json!({ "reason": "was ill" })).await.expect(200);
    assert_eq!(amounts().await, told([90, 100, 90]));
    let lines = account(&desk, &asha).await["lines"].clone();
    let moves: Vec<(&str, bool)> = lines.as_array().expect("a list")[..4]
        .iter()
        .map(|line| (line["kind"].as_str().expect("text"), line["movesMoney"] == true))
        .collect();
    assert_eq!(moves, [("waiver", false), ("reversal", true), ("payment", true), ("charge", false)]);
}

async fn the_lines_of_a_period_are_listed_summed_up_and_a_file_r_money_6(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    app.raw("UPDATE users SET name = '=1+1' WHERE name = 'Student 1'");
    charge(&desk, &asha, 30).await;
    // December at the library, still November in Greenwich.
    app.set_clock("2026-11-30T18:31:00Z");
    let damage = json!({ "amount": 50, "kind": "damage", "reason": "-2 pages" });
    let torn = desk.post(&format!("/people/{}/charges", asha.uid), &damage).await.expect(201);
    let only = json!([torn["charge"]["id"]]);
    pay(&desk, &asha, &json!({ "amount": 12.5, "method": "upi", "reference": "T-1", "charges": only })).await;
    let cash = pay(&desk, &asha, &json!({ "amount": 7, "method": "cash", "charges": only })).await;
    undo(&desk, &cash["change"]).await.expect(200);
    let waive = format!("/charges/{}/waive", torn["charge"]["id"]);
    desk.post(&waive, &json!({ "amount": 1, "reason": "worn" })).await.expect(200);

    let list = async |query: &str| desk.get(&format!("/money/lines?{query}")).await.expect(200);
    let kinds = |list: &Value| -> Vec<String> {
        let lines = list["lines"].as_array().expect("a list").iter();
        lines.map(|line| line["kind"].as_str().expect("text").to_owned()).collect()
    };
    let month = list("").await;
    assert_eq!((&month["from"], &month["to"]), (&json!("2026-12-01"), &json!("2026-12-01")));
    assert_eq!(kinds(&month), ["waiver", "reversal", "payment", "payment", "charge"]);
    let line = &month["lines"][3];
    assert_eq!((&line["userName"], &line["rollNumber"]), (&json!("=1+1"), &json!("cs25-001")));
    assert_eq!((&line["by"], &line["reversed"]), (&json!("Librarian 0"), &json!(false)));
    assert_eq!(kinds(&list("from=2026-11-01&to=2026-11-30").await), ["charge"]);
    assert_eq!(kinds(&list("kind=payment").await), ["payment", "payment"]);
    assert_eq!(list("method=upi").await["lines"][0]["reference"], "T-1");
    let first = list("limit=2&from=2026-11-01").await;
    let cursor = first["next"].as_str().expect("goes on");
    let second = list(&format!("limit=4&from=2026-11-01&cursor={cursor}")).await;
    assert_eq!(
        (kinds(&second), &second["next"]),
        (vec!["payment".into(), "payment".into(), "charge".into(), "charge".into()], &Value::Null)
    );
    for path in ["lines", "lines.csv", "totals"] {
        let wrong = desk.get(&format!("/money/{path}?from=2026-12-02&to=2026-12-01")).await;
        assert_eq!((wrong.status, wrong.wrong_fields()), (422, vec!["to".to_owned()]), "{path}");
    }

    let sums = desk.get("/money/totals?from=2026-11-01&to=2026-12-31").await.expect(200);
    let total = |kind: &str, of: Value, amount: Value, back: i64, net: Value| json!({ "kind": kind, "of": of, "count": 1, "amount": amount, "takenBack": back, "net": net });
    assert_eq!(
        sums["totals"],
        json!([
            total("charge", json!("damage"), json!(50), 0, json!(50)),
            total("charge", json!("other"), json!(30), 0, json!(30)),
            total("payment", json!("cash"), json!(7), 7, json!(0)),
            total("payment", json!("upi"), json!(12.5), 0, json!(12.5)),
            total("waiver", Value::Null, json!(1), 0, json!(1)),
        ])
    );

    let file = desk.get("/money/lines.csv?to=2026-12-01").await;
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    let name = "attachment; filename=\"money-2026-12-01-2026-12-01.csv\"";
    assert_eq!(file.header("content-disposition"), Some(name));
    assert_eq!(
        file.text,
        "\u{feff}when,rollNumber,name,kind,of,reason,reference,receipt,debit,credit,by\n\
         2026-12-01 00:01,cs25-001,'=1+1,waiver,,worn,,,,1.00,Librarian 0\n\
         2026-12-01 00:01,cs25-001,'=1+1,reversal,,,,,7.00,,Librarian 0\n\
         2026-12-01 00:01,cs25-001,'=1+1,payment,cash,,,2026-27/000002,,7.00,Librarian 0\n\
         2026-12-01 00:01,cs25-001,'=1+1,payment,upi,,T-1,2026-27/000001,,12.50,Librarian 0\n\
         2026-12-01 00:01,cs25-001,'=1+1,charge,damage,'-2 pages,,,50.00,,Librarian 0\n"
    );
}

async fn a_copy_is_declared_lost_charged_and_found_again_r_money_4(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let (copy, loan, code) = lent(&app, &desk, &asha, "Godaan").await;
    app.set_clock("2026-12-02T06:00:00Z");
    // Without a price there is nothing to charge; zero is a price.
    let lose = format!("/loans/{loan}/lost");
    let unknown = desk.ask(&lose).await;
    assert_eq!((unknown.status, unknown.wrong_fields()), (422, vec!["price".to_owned()]));
    assert_eq!(desk.post(&lose, &json!({ "price": -1 })).await.wrong_fields(), ["price"]);
    let free = desk.post(&lose, &json!({ "price": 0 })).await.expect(200);
    assert_eq!(free["charges"].as_array().map(Vec::len), Some(1), "the fine alone");
    undo(&desk, &free["change"]).await.expect(200);
    desk.send(desk.request("PATCH", &format!("/copies/{copy}"), Some(&json!({ "price": 450 }))))
        .await
        .expect(200);

    let lost = desk.ask(&lose).await.expect(200);
    assert_eq!(lost["userId"], json!(asha.uid));
    let charged = |n: usize| (lost["charges"][n]["of"].clone(), lost["charges"][n]["amount"].clone());
    assert_eq!(charged(0), (json!("overdue"), json!(20)));
    assert_eq!(charged(1), (json!("lost"), json!(450)));
    assert_eq!(reasons_of(&lost["charges"][1]["explain"]), [format!("Price of copy {code}: ₹450")]);
    let state =
        async || desk.get(&format!("/copies?barcode={code}")).await.expect(200)["copies"][0]["state"].clone();
    assert_eq!((state().await, account(&desk, &asha).await["balance"].clone()), (json!("lost"), json!(470)));
    assert_eq!(desk.ask(&lose).await.status, 404, "it has ended");

    // The copy turns up: reversing its price is offered, the fine stays.
    let to_shelf = json!({ "state": "on-shelf" });
    let found = desk.post(&format!("/copies/{copy}/move"), &to_shelf).await.expect(200);
    let price = &found["lost"];
    assert_eq!(
        (&price["userId"], &price["amount"], &price["paid"]),
        (&json!(asha.uid), &json!(450), &json!(0))
    );
    // The account keeps offering it, until it is done.
    let offered = async |person: &Person<'_>| account(&desk, person).await["found"].clone();
    let mut expected = price.clone();
    expected["title"] = json!("Godaan");
    expected["barcode"] = json!(code);
    assert_eq!(offered(&asha).await, json!([expected]));
    let reverse = format!("/charges/{}/reverse", price["charge"]);
    assert_eq!(desk.post(&reverse, &json!({ "reason": "" })).await.wrong_fields(), ["reason"]);
    app.set_clock("2026-12-02T06:01:00Z");
    let back = desk.post(&reverse, &json!({ "reason": "Found" })).await.expect(200);
    assert_eq!((&back["credit"], &account(&desk, &asha).await["balance"]), (&json!(0), &json!(20)));
    assert_eq!(offered(&asha).await, json!([]));
    assert_eq!(desk.post(&reverse, &json!({ "reason": "Found" })).await.status, 422, "once");

    // The move cannot be undone while the price is reversed.
    let moved = desk.get("/changes?action=copy-moved").await.expect(200)["changes"][0]["id"].clone();
    assert_eq!(undo(&desk, &moved).await.status, 409);
    undo(&desk, &back["change"]).await.expect(200);
    assert_eq!(account(&desk, &asha).await["balance"], 470);
    undo(&desk, &moved).await.expect(200);
    assert_eq!(offered(&asha).await, json!([]), "it is lost again");
    // And once more, all the way back.
    let found = desk.post(&format!("/copies/{copy}/move"), &to_shelf).await.expect(200);
    assert_eq!(found["lost"]["amount"], 450);
    let moved = desk.get("/changes?action=copy-moved").await.expect(200)["changes"][0]["id"].clone();
    undo(&desk, &moved).await.expect(200);
    undo(&desk, &lost["change"]).await.expect(200);
    assert_eq!(state().await, "on-loan");
    let open = account(&desk, &asha).await;
    assert_eq!((&open["balance"], &open["running"]), (&json!(0), &json!(20)));

    // A scan at the desk finds the copy, and offers the same.
    desk.ask(&lose).await.expect(200);
    let scanned = desk.post("/desk/scans", &json!({ "code": code })).await.expect(200);
    assert_eq!((&scanned["outcome"], scanned.get("lost")), (&json!("ask"), None));
    let shelved =
        desk.post("/desk/scans", &json!({ "code": code, "choice": "put-on-shelf" })).await.expect(200);
    assert_eq!((&shelved["outcome"], &shelved["lost"]["amount"]), (&json!("shelved"), &json!(450)));
    undo(&desk, &shelved["change"]).await.expect(200);
    let lost = desk.get("/changes?action=declared-lost").await.expect(200)["changes"][0].clone();
    assert_eq!(lost["undoable"], true);
    undo(&desk, &lost["id"]).await.expect(200);

    // Pitfall 7: a later borrower who returned the copy owes nothing when it is lost from the shelf.
    desk.ask(&lose).await.expect(200);
    desk.post(&format!("/copies/{copy}/move"), &to_shelf).await.expect(200);
    desk.post("/desk/scans", &json!({ "code": code, "person": bala.uid })).await.expect(200);
    desk.post("/desk/scans", &json!({ "code": code, "intent": "return" })).await.expect(200);
    assert_eq!(offered(&asha).await[0]["amount"], 450);
    for state in ["lost", "on-shelf"] {
        assert_eq!((&offered(&asha).await[0]["barcode"], offered(&bala).await), (&json!(code), json!([])));
        let moved = desk.post(&format!("/copies/{copy}/move"), &json!({ "state": state })).await.expect(200);
        assert_eq!(moved.get("lost"), None, "{state}");
    }
}

async fn nobody_forgives_or_pays_out_what_is_on_their_own_account_x11(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, other) = (app.admin(0).await, app.admin(1).await);
    let charged = charge(&other, &desk, 100).await;
    let charge = &charged["charge"]["id"];
    let reason = json!({ "reason": "A friend" });
    for what in ["waive", "reverse"] {
        desk.post(&format!("/charges/{charge}/{what}"), &reason).await.problem(409, "own-account");
    }
    let refund = json!({ "amount": 1, "method": "cash" });
    desk.post(&format!("/people/{}/refunds", desk.uid), &refund).await.problem(409, "own-account");
    undo(&desk, &charged["change"]).await.problem(409, "own-account");
    for (librarian, offered) in [(&desk, false), (&other, true)] {
        let row = librarian.get("/changes?action=charged").await.expect(200)["changes"][0].clone();
        assert_eq!(row["undoable"], offered, "{row}");
    }
    assert_eq!(account(&desk, &desk).await["balance"], 100);
    // Paying is no favour.
    pay(&desk, &desk, &json!({ "amount": 40, "method": "cash" })).await;
    other.post(&format!("/charges/{charge}/waive"), &reason).await.expect(200);
    assert_eq!(account(&desk, &desk).await["balance"], 0);
}

async fn a_payment_is_undone_by_who_took_it_or_who_may_pay_out_x11(database: Database) {
    let app = TestApp::on(database).await;
    let (founder, cashier, asha) = (app.admin(0).await, app.admin(1).await, app.student(2).await);
    give(&app, &cashier, &[Capability::Desk], true);
    charge(&founder, &asha, 100).await;
    let paid = pay(&founder, &asha, &json!({ "amount": 60, "method": "cash" })).await;
    let row = cashier.get("/changes?action=paid").await.expect(200)["changes"][0].clone();
    assert_eq!(row["undoable"], false, "{row}");
    undo(&cashier, &paid["change"]).await.problem(403, "forbidden");
    let own = pay(&cashier, &asha, &json!({ "amount": 40, "method": "cash" })).await;
    undo(&cashier, &own["change"]).await.expect(200);
    undo(&founder, &paid["change"]).await.expect(200);
    assert_eq!(account(&founder, &asha).await["balance"], 100);
}

/// T10: the desk charged for damage and could not take it back; and `money` alone took back a return.
async fn a_charge_of_the_desk_is_taken_back_by_its_maker_and_undo_asks_for_every_right_of_the_chain_r_undo_1(
    database: Database,
) {
    let app = TestApp::on(database).await;
    let (founder, desk, money) = (app.admin(0).await, app.admin(1).await, app.admin(2).await);
    let asha = app.student(3).await;
    give(&app, &desk, &[Capability::Desk], true);
    give(&app, &money, &[Capability::Money], true);
    let (_, _, code) = lent(&app, &founder, &asha, "Godaan").await;
    let torn = json!({ "code": code, "damaged": { "note": "Torn", "charge": 50 } });
    let answer = desk.post("/desk/scans", &torn).await;
    let damaged = answer.expect(200);
    assert_eq!(damaged["charge"]["amount"], 50, "{damaged}");
    let change = &damaged["change"];

    let row = async |by: &Person<'_>| {
        by.get("/changes?action=charged").await.expect(200)["changes"][0]["undoable"].clone()
    };
    assert_eq!([row(&founder).await, row(&desk).await, row(&money).await], [true, true, false]);
    undo(&money, change).await.problem(403, "forbidden");
    undo(&desk, change).await.expect(200);
    assert_eq!(account(&founder, &asha).await["balance"], 0);
    // Another librarian's charge stays `money`'s to take back.
    let charged = charge(&founder, &asha, 20).await;
    undo(&desk, &charged["change"]).await.problem(403, "forbidden");
    undo(&money, &charged["change"]).await.expect(200);
}

async fn a_price_that_was_paid_becomes_credit_and_is_paid_out_r_money_4(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let (copy, loan, _) = lent(&app, &desk, &asha, "Godaan").await;
    let lost = desk.post(&format!("/loans/{loan}/lost"), &json!({ "price": 450 })).await.expect(200);
    let charge = &lost["charges"][0]["id"];
    let paid = pay(&desk, &asha, &json!({ "amount": 300, "method": "cash" })).await;
    desk.post(&format!("/charges/{charge}/waive"), &json!({ "amount": 50, "reason": "old" }))
        .await
        .expect(200);
    let found =
        desk.post(&format!("/copies/{copy}/move"), &json!({ "state": "to-shelve" })).await.expect(200);
    // The waived part is not reversed again.
    assert_eq!((&found["lost"]["amount"], &found["lost"]["paid"]), (&json!(400), &json!(300)));
    let back =
        desk.post(&format!("/charges/{charge}/reverse"), &json!({ "reason": "Found" })).await.expect(200);
    let now = account(&desk, &asha).await;
    assert_eq!((&back["credit"], &now["credit"], &now["balance"]), (&json!(300), &json!(300), &json!(-300)));
    assert_eq!(
        reasons_of(&now["lines"][0]["explain"]),
        ["₹100 for “Godaan” is no longer owed", "₹300 had been paid and is credit now"]
    );
    // The payment settled the reversed charge: it cannot be undone first.
    assert_eq!(undo(&desk, &paid["change"]).await.status, 409);

    let refunds = format!("/people/{}/refunds", asha.uid);
    let too_much = desk.post(&refunds, &json!({ "amount": 301, "method": "cash" })).await;
    assert_eq!(too_much.problem(422, "invalid"), "The credit is ₹300.");
    let out = desk.post(&refunds, &json!({ "amount": 120, "method": "cash" })).await.expect(201);
    assert_eq!(out["credit"], 180);
    assert_eq!(undo(&desk, &back["change"]).await.status, 409, "what was paid out is undone first");
    undo(&desk, &out["change"]).await.expect(200);
    undo(&desk, &back["change"]).await.expect(200);
    let before = account(&desk, &asha).await;
    assert_eq!((&before["credit"], &before["balance"]), (&json!(0), &json!(100)));
    // A reversed charge that is owed again can be reversed again.
    desk.post(&format!("/charges/{charge}/reverse"), &json!({ "reason": "Found" })).await.expect(200);
    assert_eq!(account(&desk, &asha).await["credit"], 300);
}

/// K13: yesterday's payment on the wrong account had no way back.
async fn a_payment_of_any_day_is_reversed_and_its_receipt_keeps_its_number_r_money_3(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    let (first, lost) = (charge(&desk, &asha, 30).await, charge(&desk, &asha, 50).await);
    pay(&desk, &asha, &json!({ "amount": 80, "method": "upi" })).await;
    app.set_clock("2026-11-23T06:00:00Z");
    let reverse = "/receipts/2026-27%2F000001/reverse";
    let no_reason = desk.post(reverse, &json!({ "reason": " " })).await;
    assert_eq!((no_reason.status, no_reason.wrong_fields()), (422, vec!["reason".to_owned()]));
    let why = json!({ "reason": "The transfer bounced" });
    let reversed = desk.post(reverse, &why).await.expect(200);
    let receipt = &reversed["receipt"];
    assert_eq!((&receipt["number"], &receipt["reversed"]), (&json!("2026-27/000001"), &json!(true)));
    let owed = account(&desk, &asha).await;
    assert_eq!((&owed["balance"], owed["charges"].as_array().map(Vec::len)), (&json!(80), Some(2)));
    assert_eq!(owed["lines"][0]["reason"], "The transfer bounced");
    let again = desk.post(reverse, &why).await;
    assert_eq!(again.problem(422, "invalid"), "This receipt is already cancelled.");
    let changes = desk.get("/changes?action=payment-reversed").await.expect(200);
    assert_eq!(
        changes["changes"][0]["text"],
        "Receipt 2026-27/000001 cancelled: ₹80 is owed again. Reason: The transfer bounced"
    );
    let today = desk.get("/desk/today").await.expect(200);
    assert_eq!((&today["takings"][0]["reversed"], &today["taken"]), (&json!(80), &json!(-80)));

    // The day's other changes are undone in the same way: exactly, and not once the charge is paid anew.
    let paid = pay(&desk, &asha, &json!({ "amount": 10, "method": "cash" })).await;
    let refused = undo(&desk, &reversed["change"]).await;
    assert_eq!(refused.problem(409, "refused"), "Something of this was paid or waived. Undo that first.");
    undo(&desk, &paid["change"]).await.expect(200);
    let undone = undo(&desk, &reversed["change"]).await.expect(200);
    assert_eq!(undone["text"], "Undone: receipt 2026-27/000001 is valid again; ₹80 is paid.");
    assert_eq!(account(&desk, &asha).await["balance"], 0);
    assert_eq!(desk.get("/receipts/2026-27%2F000001").await.expect(200)["reversed"], false);

    // What became credit is taken from the credit, unless that was paid out.
    let cancel = format!("/charges/{}/reverse", lost["charge"]["id"]);
    let credit = desk.post(&cancel, &json!({ "reason": "found" })).await.expect(200);
    assert_eq!(credit["credit"], 50);
    let out = json!({ "amount": 20, "method": "cash" });
    let refund = desk.post(&format!("/people/{}/refunds", asha.uid), &out).await.expect(201);
    let refused = desk.post(reverse, &why).await;
    assert_eq!(
        refused.problem(422, "invalid"),
        "₹50 of this payment became credit and was paid out. Undo that, or charge it again."
    );
    undo(&desk, &refund["change"]).await.expect(200);
    desk.post(reverse, &why).await.expect(200);
    let rest = account(&desk, &asha).await;
    assert_eq!((&rest["balance"], &rest["credit"]), (&json!(30), &json!(0)));
    assert_eq!(rest["charges"][0]["id"], first["charge"]["id"]);
}

/// L19: no till could be closed, though an undo was to stop at one.
async fn each_print_of_a_receipt_is_counted_and_the_second_is_a_copy_r_money_3(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, asha) = (app.admin(0).await, app.student(1).await);
    charge(&desk, &asha, 10).await;
    let paid = pay(&desk, &asha, &json!({ "amount": 10, "method": "cash" })).await;
    assert_eq!(paid["receipt"]["prints"], 0);
    let prints = "/receipts/2026-27%2F000001/prints";
    let original = desk.ask(prints).await.expect(200);
    assert_eq!((&original["number"], &original["prints"]), (&json!("2026-27/000001"), &json!(1)));
    assert_eq!(desk.get("/receipts/2026-27%2F000001").await.expect(200), original);
    // Two desks at once never print the same copy.
    let (one, two) = tokio::join!(desk.ask(prints), desk.ask(prints));
    let mut copies = [one, two].map(|print| print.expect(200)["prints"].as_i64());
    copies.sort_unstable();
    assert_eq!(copies, [Some(2), Some(3)]);
    assert_eq!(desk.ask("/receipts/2026-27%2F000002/prints").await.status, 404);
}

async fn the_day_is_closed_once_with_a_number_without_gaps_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let (desk, other, asha) = (app.admin(0).await, app.admin(1).await, app.student(1).await);
    charge(&desk, &asha, 100).await;
    let cash = pay(&desk, &asha, &json!({ "amount": 40, "method": "cash" })).await;
    let mistaken = pay(&desk, &asha, &json!({ "amount": 10, "method": "cash" })).await;
    undo(&desk, &mistaken["change"]).await.expect(200);
    pay(&desk, &asha, &json!({ "amount": 5, "method": "upi" })).await;
    let till = async || desk.get("/till").await.expect(200);
    let open = till().await;
    assert_eq!((&open["after"], &open["expected"], &open["closedAt"]), (&json!(0), &json!(40), &Value::Null));
    assert_eq!(
        open["sums"],
        json!([
            { "method": "cash", "payments": 2, "amount": 50, "paidOut": 0, "reversed": 10, "net": 40 },
            { "method": "upi", "payments": 1, "amount": 5, "paidOut": 0, "reversed": 0, "net": 5 },
        ])
    );
    assert_eq!(
        (&open["receipts"], &open["reversed"]),
        (
            &json!({ "first": "2026-27/000001", "last": "2026-27/000003", "count": 3 }),
            &json!(["2026-27/000002"])
        )
    );

    // Money that came in after the count is not closed unseen.
    let form = |after, expected, counted| json!({ "after": after, "expected": expected, "opening": 100, "counted": counted, "note": "two short" });
    let stale = desk.post("/till/closings", &form(0, 20, 120)).await;
    assert_eq!(
        stale.problem(422, "invalid"),
        "The till has changed since you counted: ₹40 in cash is expected now. Reload, and count again."
    );
    let negative = desk.post("/till/closings", &form(0, 40, -1)).await;
    assert_eq!(negative.wrong_fields(), ["counted"]);
    let mut float = form(0, 40, 138);
    float["opening"] = json!(-1);
    assert_eq!(desk.post("/till/closings", &float).await.wrong_fields(), ["opening"]);

    // When two librarians close at once, the second is refused with the name of the first.
    let body = form(0, 40, 138);
    let (first, second) =
        tokio::join!(desk.post("/till/closings", &body), other.post("/till/closings", &body));
    let (done, refused) = if first.status == 201 { (first, second) } else { (second, first) };
    let closing = done.expect(201);
    let by = closing["by"].as_str().expect("a name");
    assert_eq!((&closing["number"], &closing["difference"]), (&json!(1), &json!(-2)));
    assert_eq!((&closing["opening"], &till().await["opening"]), (&json!(100), &json!(100)), "as last time");
    assert_eq!(
        refused.problem(422, "invalid"),
        format!("{by} has already closed the day (closing 1). Reload the page.")
    );

    // Its payments can be reversed, no longer undone; the reversal is in the next closing.
    let refused = undo(&desk, &cash["change"]).await;
    assert_eq!(
        refused.problem(409, "refused"),
        "Receipt 2026-27/000001 is in closing 1. Cancel the payment on the person's account instead."
    );
    let why = json!({ "reason": "wrong account" });
    desk.post("/receipts/2026-27%2F000001/reverse", &why).await.expect(200);
    let next = till().await;
    assert_eq!((&next["after"], &next["expected"]), (&json!(1), &json!(-40)));
    assert_eq!((&next["receipts"], &next["reversed"]), (&Value::Null, &json!(["2026-27/000001"])));
    let second = desk.post("/till/closings", &form(1, -40, 100)).await.expect(201);
    assert_eq!((&second["number"], &second["difference"]), (&json!(2), &json!(40)));

    let list = desk.get("/till/closings").await.expect(200);
    assert_eq!(list["closings"], json!([second, closing]));
    assert_eq!(desk.get("/till/closings/1").await.expect(200), closing);
    assert_eq!(desk.get("/till/closings/3").await.status, 404);
    let activity = desk.get("/changes?action=till-closed").await.expect(200);
    assert_eq!(
        activity["changes"][1]["text"],
        "Day closed, closing 1: ₹138 counted, ₹140 expected. Note: two short"
    );
}
