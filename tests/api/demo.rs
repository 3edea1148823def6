//! The demo: a library at work, to try with the printed sheet of its barcodes.

use library::{
    demo,
    domain::account::folded_roll_number,
    storage::{accounts, copies, ledger, reviews},
};

use crate::{app::TestApp, common::Database};

on_both_databases!(the_demo_shows_a_library_at_work_in_which_both_ledger_laws_hold);

async fn the_demo_shows_a_library_at_work_in_which_both_ledger_laws_hold(database: Database) {
    let app = TestApp::on(database).await;
    let url = "http://localhost:8080/".parse().expect("an address");
    demo::fill(&app.state.library.db, &app.clock, &url).await.expect("an empty database is filled");
    let count = |what: &str| -> i64 {
        let rows = app.raw(&format!("SELECT COUNT(*) FROM {what}"));
        rows[0][0].as_deref().and_then(|count| count.parse().ok()).expect("a number")
    };
    assert!(count("users") >= 300);
    let open = count("loans WHERE ended_at IS NULL");
    assert!((25..=50).contains(&open), "{open} open loans fit one page");
    assert!(count("loans WHERE ended_at IS NOT NULL") > 400);
    assert!(count("loans WHERE ended_at IS NULL AND return_date < '2026-11-21'") >= 2, "some are overdue");
    assert!(count("holds WHERE state = 'waiting'") >= 3);
    assert_eq!(count("holds WHERE state = 'ready'"), 1);
    for (what, least) in [("charge", 20), ("payment", 10), ("waiver", 1)] {
        let found = count(&format!("account_lines WHERE kind = '{what}'"));
        assert!(found >= least, "{found} lines are a {what}");
    }
    assert!(count("balances WHERE balance > 0") >= 2, "some still owe");
    for state in ["in-repair", "lost", "to-shelve"] {
        assert!(count(&format!("copies WHERE condition = '{state}'")) >= 1, "{state}");
    }
    let wrong = app.store(|tx| {
        let reviews = reviews::contradictions(tx, 10)?;
        Ok([copies::contradictions(tx, 10)?, ledger::contradictions(tx)?, reviews].concat())
    });
    assert_eq!(wrong.await, Vec::<String>::new());

    // Every printed code can be scanned: cards of people, and copies on the shelf.
    let sheet = include_str!("../../docs/demo-barcodes.svg");
    let codes: Vec<_> =
        sheet.split(r#"class="code">"#).skip(1).filter_map(|rest| rest.split('<').next()).collect();
    assert_eq!(codes.len(), 12);
    for code in codes {
        let (card, barcode) = (folded_roll_number(code), code.to_owned());
        let found = app
            .store(move |tx| {
                Ok((accounts::by_roll_number(tx, &card)?.is_some(), copies::by_barcode(tx, &barcode)?))
            })
            .await;
        let on_shelf = found.1.is_some_and(|copy| copy.state == library::domain::copy::State::OnShelf);
        assert!(found.0 || on_shelf, "{code} is nobody's card and no copy on the shelf");
    }
}
