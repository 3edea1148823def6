//! The look-up of an ID card.

use std::sync::Arc;

use library::http::options::IdCard;
use serde_json::{Value, json};

use crate::{app::TestApp, common::Database};

fn card(roll_number: &str) -> Value {
    json!({ "rollNumber": roll_number })
}

#[tokio::test]
async fn a_scanned_roll_number_finds_the_email_and_nothing_else_r_scan_2() {
    let app = TestApp::new().await;
    app.student(1).await;
    for scanned in ["cs25-001", " CS25-001\r\n", "\tCs25-001 "] {
        let found = app.visitor().post("/auth/id-card", &card(scanned)).await.expect(200);
        assert_eq!(found, json!({ "email": "student1@college.edu" }));
    }
    let found = app.visitor().post("/auth/id-card", &card("CS25-001")).await;
    assert!(found.header("set-cookie").is_none(), "a card alone signs nobody in");
}

#[tokio::test]
async fn the_server_picks_the_message_of_a_failed_look_up_r_scan_3() {
    let app = TestApp::new().await;
    app.student(1).await;
    let ask = async |roll: &str| app.visitor().post("/auth/id-card", &card(roll)).await;
    assert_eq!(
        ask("nobody").await.problem(404, "card-unknown"),
        "No user found for the scanned roll number."
    );
    assert_eq!(ask("%").await.problem(404, "card-unknown"), "No user found for the scanned roll number.");
    app.raw("UPDATE users SET role = 'principal'");
    assert_eq!(ask("cs25-001").await.problem(403, "card-role-unknown"), "User role is not recognized.");
    assert_eq!(ask(" ").await.messages(), ["Roll number is required."]);
    assert_eq!(ask(&"9".repeat(33)).await.wrong_fields(), ["rollNumber"]);
    let closing = app.state.library.db.clone();
    tokio::task::spawn_blocking(move || closing.close()).await.expect("closed");
    let failed = ask("cs25-001").await;
    failed.problem(503, "busy");
    assert!(failed.header("retry-after").is_some());
}

#[tokio::test]
async fn thirty_cards_are_looked_up_and_the_next_one_waits_r_scan_2() {
    let app = TestApp::new().await;
    app.student(1).await;
    for n in 0..30 {
        let answer =
            app.visitor().post("/auth/id-card", &card(if n % 2 == 0 { "cs25-001" } else { "nobody" })).await;
        assert_ne!(answer.status, 429, "card {n}");
    }
    let limited = app.visitor().post("/auth/id-card", &card("cs25-001")).await;
    limited.problem(429, "too-many-requests");
    let wait: u64 = limited.header("retry-after").and_then(|wait| wait.parse().ok()).unwrap_or_default();
    assert!((1..=21).contains(&wait), "{wait}");
    assert!(app.raw("SELECT id FROM events").is_empty(), "looking is no event");
}

#[tokio::test]
async fn an_option_masks_the_address_or_turns_the_look_up_off_r_scan_2() {
    for (choice, status, email) in
        [(IdCard::Masked, 200, json!("s***@college.edu")), (IdCard::Off, 404, Value::Null)]
    {
        let app =
            TestApp::with(Arc::new(Database::ready_sqlite()), "UTC", |settings| settings.id_card = choice)
                .await;
        app.student(1).await;
        let answer = app.visitor().post("/auth/id-card", &card("cs25-001")).await;
        assert_eq!(answer.expect(status)["email"], email);
        let session = app.visitor().get("/auth/session").await.expect(200);
        assert_eq!(session["idCard"], choice != IdCard::Off, "{choice:?}");
        if choice == IdCard::Off {
            answer.problem(404, "not-found");
        }
    }
}
