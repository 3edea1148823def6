//! Undo by students: their own borrow, extension or return, for five minutes (R-UNDO-1, R-UNDO-2).

use library::{
    circulation::{self, Block, Refusal, undo::undo_own},
    domain::{copy::State, id::ChangeId},
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp, with},
    common::Database,
};

on_both_databases!(
    a_student_undoes_their_own_borrow_and_the_copy_is_free_again_r_undo_1,
    a_student_undoes_their_own_return_and_has_the_loan_as_before_r_undo_1,
    a_student_undoes_their_own_extension_r_undo_1,
    a_borrow_of_a_kept_copy_that_is_undone_keeps_it_again_r_undo_2,
    a_student_undoes_nothing_that_another_person_did_r_role_1,
    after_five_minutes_or_midnight_only_the_desk_undoes_r_undo_1,
    what_the_desk_has_touched_since_is_the_desks_r_undo_2,
    a_refusal_names_no_other_reader_r_undo_2,
    a_return_is_undone_by_the_rules_of_a_borrow_r_rule_1,
    a_return_is_not_undone_while_a_reader_waits_r_hold_3,
    an_inactive_student_undoes_nothing_r_people_6,
    an_undo_is_done_once_r_undo_2,
);

const FIVE_MINUTES_LATER: &str = "2026-11-21T06:05:00Z";

/// Returns the change that an answer offers to undo.
fn offered(answer: &Answer) -> Option<String> {
    answer.header("undoable-change").map(ToOwned::to_owned)
}

async fn undo(person: &Person<'_>, change: &str) -> Answer {
    person.ask(&format!("/changes/{change}/undo")).await
}

/// Undoes, and returns the ids of the blocks of the refusal.
async fn refused(person: &Person<'_>, change: &str) -> Vec<String> {
    let blocks = undo(person, change).await.expect(409)["blocks"].clone();
    let blocks = blocks.as_array().cloned().unwrap_or_default();
    blocks.iter().map(|block| block["id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Borrows; returns the loan and the change to undo.
async fn lend(person: &Person<'_>, book: i64) -> (Value, String) {
    let lent = person.ask(&format!("/books/{book}/loans")).await;
    (lent.expect(201), offered(&lent).expect("a borrow can be undone"))
}

/// Returns a loan; returns the change to undo, if offered.
async fn give_back(person: &Person<'_>, loan: &Value) -> Option<String> {
    let back = person.ask(&format!("/loans/{}/return", loan["id"])).await;
    back.expect(204);
    offered(&back)
}

async fn loans(person: &Person<'_>) -> Vec<Value> {
    person.get("/me/loans").await.expect(200)["loans"].as_array().cloned().unwrap_or_default()
}

/// Changes the library's rules.
async fn set_rules(app: &TestApp, changes: Value) {
    let admin = app.admin(0).await;
    let rules = admin.get("/settings/rules").await;
    let document = with(&rules.json(), changes);
    admin.put("/settings/rules", &rules.etag(), &document).await.expect(200);
}

async fn a_student_undoes_their_own_borrow_and_the_copy_is_free_again_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 1).await;
    let (_, change) = lend(&asha, book).await;
    let undone = undo(&asha, &change).await.expect(200);
    assert_eq!(undone["text"], "Undone: “Godaan” was not lent.");
    assert_eq!(loans(&asha).await, Vec::<Value>::new());
    assert_eq!(app.copies(book).await, [(State::OnShelf, 1)]);
    let log = admin.get(&format!("/changes?book={book}")).await.expect(200);
    assert_eq!(log["changes"][0]["action"], "undone");
    assert_eq!(log["changes"][0]["actor"]["id"], asha.uid.0, "the log names the student");
    // Another student has it at once.
    lend(&app.student(2).await, book).await;
}

async fn a_student_undoes_their_own_return_and_has_the_loan_as_before_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let asha = app.student(1).await;
    let book = app.book("Godaan", 1).await;
    let (loan, _) = lend(&asha, book).await;
    app.set_clock("2026-11-24T06:00:00Z");
    let change = give_back(&asha, &loan).await.expect("a return can be undone");
    assert_eq!(app.copies(book).await, [(State::OnShelf, 1)]);
    undo(&asha, &change).await.expect(200);
    assert_eq!(loans(&asha).await, [may_extend(&loan)], "the same loan with the same dates");
    assert_eq!(app.copies(book).await, [(State::OnLoan, 1)]);
}

async fn a_student_undoes_their_own_extension_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let asha = app.student(1).await;
    let (loan, _) = lend(&asha, app.book("Godaan", 1).await).await;
    let extended = asha.ask(&format!("/loans/{}/extend", loan["id"])).await;
    assert_eq!(extended.expect(200)["returnDate"], "2026-12-05");
    undo(&asha, &offered(&extended).expect("an extension can be undone")).await.expect(200);
    assert_eq!(loans(&asha).await, [may_extend(&loan)]);
}

/// The loan in its reader's list, which says that nothing keeps the reader from extending it.
fn may_extend(loan: &Value) -> Value {
    with(loan, json!({ "refusals": [] }))
}

async fn a_borrow_of_a_kept_copy_that_is_undone_keeps_it_again_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 1).await;
    let (loan, _) = lend(&bala, book).await;
    asha.ask(&format!("/books/{book}/holds")).await.expect(201);
    admin.ask(&format!("/loans/{}/return", loan["id"])).await.expect(204);
    let kept = asha.get("/me/holds").await.expect(200)["holds"].clone();
    assert_eq!(kept[0]["state"], "ready");
    let (_, change) = lend(&asha, book).await;
    undo(&asha, &change).await.expect(200);
    assert_eq!(asha.get("/me/holds").await.expect(200)["holds"], kept);
    assert_eq!(app.copies(book).await, [(State::OnHoldShelf, 1)]);
}

async fn a_student_undoes_nothing_that_another_person_did_r_role_1(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 2).await;
    let (_, others) = lend(&bala, book).await;
    undo(&asha, &others).await.problem(404, "not-found");
    app.visitor().ask(&format!("/changes/{others}/undo")).await.problem(401, "not-signed-in");
    let scan = json!({ "code": "L000002", "person": asha.uid });
    let by_desk = admin.post("/desk/scans", &scan).await.expect(200)["change"].to_string();
    undo(&asha, &by_desk).await.problem(404, "not-found");
    // A hold is the student's own, and cancelled where it was placed.
    let waited = app.book("Gaban", 1).await;
    bala.borrow(waited).await;
    let placed = asha.ask(&format!("/books/{waited}/holds")).await;
    placed.expect(201);
    assert_eq!(offered(&placed), None);
    let log = admin.get("/changes?action=hold-placed").await.expect(200);
    undo(&asha, &log["changes"][0]["id"].to_string()).await.problem(404, "not-found");
    undo(&asha, "999999").await.problem(404, "not-found");
    assert_eq!(loans(&asha).await.len(), 1);
}

async fn after_five_minutes_or_midnight_only_the_desk_undoes_r_undo_1(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 3).await;
    app.set_clock("2026-11-21T06:00:00Z");
    let (_, in_time) = lend(&asha, book).await;
    let (_, late) = lend(&asha, book).await;
    app.set_clock(FIVE_MINUTES_LATER);
    undo(&asha, &in_time).await.expect(200);
    app.set_clock("2026-11-21T06:05:00.001Z");
    let answer = undo(&asha, &late).await;
    assert_eq!(answer.expect(409)["blocks"][0]["id"], "undo.late");
    assert_eq!(
        answer.json()["blocks"][0]["text"],
        "This can be undone for 5 minutes only. Ask at the library desk."
    );
    undo(&admin, &late).await.expect(200);
    // The library's midnight.
    app.set_clock("2026-11-21T18:29:00Z");
    let (_, yesterday) = lend(&asha, book).await;
    app.set_clock("2026-11-21T18:31:00Z");
    assert_eq!(refused(&asha, &yesterday).await, ["undo.late"]);
}

async fn what_the_desk_has_touched_since_is_the_desks_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha) = (app.admin(0).await, app.student(1).await);
    let book = app.book("Godaan", 1).await;
    let (loan, change) = lend(&asha, book).await;
    let form = json!({ "returnDate": "2026-12-20", "reason": "Ill" });
    admin.post(&format!("/loans/{}/due-date", loan["id"]), &form).await.expect(200);
    assert_eq!(refused(&asha, &change).await, ["undo.desk"]);
    admin.ask(&format!("/loans/{}/return", loan["id"])).await.expect(204);
    assert_eq!(refused(&asha, &change).await, ["undo.desk"]);

    // A return is the desk's once the desk has moved the copy, even back to where it was.
    let other = app.book("Gaban", 1).await;
    let (loan, _) = lend(&asha, other).await;
    let change = give_back(&asha, &loan).await.expect("a return can be undone");
    for state in ["in-repair", "on-shelf"] {
        let copy = loan["copyId"].clone();
        admin.post(&format!("/copies/{copy}/move"), &json!({ "state": state })).await.expect(200);
        assert_eq!(refused(&asha, &change).await, ["undo.desk"], "{state}");
    }
    assert_eq!(app.copies(other).await, [(State::OnShelf, 1)]);
}

async fn a_refusal_names_no_other_reader_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 1).await;
    let (loan, _) = lend(&asha, book).await;
    let change = give_back(&asha, &loan).await.expect("a return can be undone");
    let (others, _) = lend(&bala, book).await;
    let answer = undo(&asha, &change).await;
    assert_eq!(
        answer.expect(409)["blocks"][0]["text"],
        "This can no longer be undone here. Ask at the library desk."
    );
    assert!(!answer.text.contains("Student 2"), "{}", answer.text);
    // Not even once the copy is on the shelf again: another reader had it meanwhile.
    give_back(&bala, &others).await;
    assert_eq!(refused(&asha, &change).await, ["undo.desk"]);
}

async fn a_return_is_undone_by_the_rules_of_a_borrow_r_rule_1(database: Database) {
    let app = TestApp::on(database).await;
    let asha = app.student(1).await;
    let (first, second) = (app.book("First", 1).await, app.book("Second", 1).await);
    let (loan, _) = lend(&asha, first).await;
    let rules = app.admin(0).await.get("/settings/rules").await.expect(200);
    let mut categories = rules["categories"].clone();
    categories[0]["rules"]["maxLoans"] = json!(1);
    set_rules(&app, json!({ "categories": categories })).await;
    let back = give_back(&asha, &loan).await.expect("a return can be undone");
    let (_, borrow) = lend(&asha, second).await;
    assert_eq!(refused(&asha, &back).await, ["limit.person"]);

    set_rules(&app, json!({ "selfBorrow": false })).await;
    // To give a book up is always allowed.
    undo(&asha, &borrow).await.expect(200);
    assert_eq!(refused(&asha, &back).await, ["self.borrow"]);
    set_rules(&app, json!({ "selfBorrow": true })).await;
    undo(&asha, &back).await.expect(200);
    set_rules(&app, json!({ "selfBorrow": false })).await;
    assert_eq!(give_back(&asha, &loan).await, None, "the screen offers nothing that the server refuses");
}

async fn a_return_is_not_undone_while_a_reader_waits_r_hold_3(database: Database) {
    let app = TestApp::on(database).await;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 1).await;
    let (loan, _) = lend(&asha, book).await;
    bala.ask(&format!("/books/{book}/holds")).await.expect(201);
    assert_eq!(give_back(&asha, &loan).await, None, "the desk looks at the copy first");
    let log = app.admin(0).await.get("/changes?action=returned").await.expect(200);
    assert_eq!(refused(&asha, &log["changes"][0]["id"].to_string()).await, ["undo.desk"]);
    assert_eq!(app.copies(book).await, [(State::Unseen, 1)]);
}

async fn an_inactive_student_undoes_nothing_r_people_6(database: Database) {
    let app = TestApp::on(database).await;
    let (admin, asha) = (app.admin(0).await, app.student(1).await);
    let (loan, _) = lend(&asha, app.book("Godaan", 1).await).await;
    let change = give_back(&asha, &loan).await.expect("a return can be undone");
    admin.ask(&format!("/people/{}/deactivate", asha.uid)).await.expect(200);
    undo(&asha, &change).await.problem(401, "not-signed-in");
    // A request that was let in before is decided in its transaction.
    let (uid, moment) = (asha.uid, app.clock.moment());
    let (policies, id) =
        (app.state.library.policies.clone(), change.parse().map(ChangeId).expect("a number"));
    let refusal = app
        .store(move |tx| {
            let rulebook = policies.current(tx)?;
            Ok(undo_own(tx, uid, moment, &rulebook, 0, id))
        })
        .await;
    let Err(circulation::Error::Refused(Refusal { blocks })) = refusal else { panic!("{refusal:?}") };
    assert_eq!(blocks, [Block::Inactive]);
}

async fn an_undo_is_done_once_r_undo_2(database: Database) {
    let app = TestApp::on(database).await;
    let asha = app.student(1).await;
    let book = app.book("Godaan", 1).await;
    let (_, change) = lend(&asha, book).await;
    let keyed = || {
        let mut request = asha.request("POST", &format!("/changes/{change}/undo"), None);
        request.headers_mut().insert("Idempotency-Key", "undo-1".parse().expect("a key"));
        request
    };
    let first = asha.send(keyed()).await.expect(200);
    assert_eq!(asha.send(keyed()).await.expect(200), first, "a repeat has the same answer");
    assert_eq!(refused(&asha, &change).await, ["undo.already"]);
    assert_eq!(app.copies(book).await, [(State::OnShelf, 1)]);
}
