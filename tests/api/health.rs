//! Readiness probe of `/library/readyz` for load balancers.

use std::time::{Duration, Instant};

use library::{catalogue::Catalogue, search::Query};

use crate::{app::TestApp, common::Database};

on_both_databases!(readyz_tells_when_search_no_longer_follows_the_catalogue_s14);

async fn readyz_tells_when_search_no_longer_follows_the_catalogue_s14(database: Database) {
    let app = TestApp::on(database).await;
    let ready = async || {
        let answer = app.visitor().get("/library/readyz").await;
        (answer.status, answer.text)
    };
    assert_eq!(ready().await, (200, "ready\n".to_owned()));
    app.raw("ALTER TABLE catalogue_changes RENAME TO hidden");
    let begun = Instant::now();
    while ready().await.0 == 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nobody notices");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (status, text) = ready().await;
    assert!(status == 503 && text.contains("the search index has not followed"), "{text}");
    app.raw("ALTER TABLE hidden RENAME TO catalogue_changes");
    let begun = Instant::now();
    while ready().await.0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(10), "it does not heal");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    app.book("Godaan", 1).await;
    let found = app.visitor().get("/books?q=godaan").await.expect(200);
    assert_eq!(found["total"], 1);
}

#[tokio::test]
async fn a_search_waits_for_the_index_that_is_loaded_after_the_start() {
    for database in [Database::ready_sqlite(), Database::ready_postgres()] {
        let app = TestApp::on(database).await;
        app.book("Godaan", 1).await;
        // Like a server at start: nothing was awaited yet, so nothing is loaded.
        let catalogue = Catalogue::open(app.state.library.db.clone(), app.clock.clone());
        assert_eq!(catalogue.health(), Err("the search index is being loaded".to_owned()));
        let query = Query { text: "godaan", limit: 1, ..Query::default() };
        assert_eq!(catalogue.index().await.page(&query).total, 1);
        assert_eq!(catalogue.health(), Ok(()));
    }
}
