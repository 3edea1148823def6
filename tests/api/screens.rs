//! What a browser gets: the screens, their files, covers, and the health of the server.

use library::http::web::SCREENS;

use crate::app::{TestApp, form, with};
use serde_json::json;

fn screens_are_built() -> bool {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web/dist/index.html").exists()
}

#[tokio::test]
async fn every_address_a_person_can_type_or_reload_answers_the_app_r_shell_5() {
    let app = TestApp::new().await;
    let addresses = SCREENS.iter().map(|screen| format!("/library/{}", screen.replace("{id}", "7")));
    for address in addresses.chain([
        "/library".into(),
        "/library/login/".into(),
        "/library/login?next=%2Fprofile".into(),
    ]) {
        let answer = app.visitor().get(&address).await;
        if !screens_are_built() {
            assert_eq!(answer.status, 503, "{address}");
            assert!(answer.text.contains("make build"), "{}", answer.text);
            continue;
        }
        answer.expect(200);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{address}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{address}");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        let nonce =
            policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).unwrap_or_default();
        assert!(nonce.len() >= 22 && answer.text.contains(nonce), "{address}: {policy}");
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("unsafe-eval'")
                || policy.contains("'wasm-unsafe-eval'")
        );
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        let again = app.visitor().get(&address).await;
        assert_ne!(
            again.header("content-security-policy"),
            Some(policy),
            "each answer has a nonce of its own"
        );
    }
}

/// V18.
#[tokio::test]
async fn every_answer_of_the_api_names_the_build_r_shell_5() {
    let app = TestApp::new().await;
    let found = app.visitor().get("/library/api/v1/config").await;
    let missing = app.visitor().get("/library/api/v1/nothing").await;
    found.expect(200);
    let build = found.header("library-build").unwrap_or_default();
    assert!(build.len() == 12 && !build.contains(env!("CARGO_PKG_VERSION")), "{build}");
    assert_eq!(missing.header("library-build"), Some(build), "refusals too");
}

#[tokio::test]
async fn what_is_not_there_is_a_real_404_r_shell_5() {
    let app = TestApp::new().await;
    for missing in [
        "/library/static/js/missing-12345678.js",
        "/library/static/css/missing.css",
        "/library/favicon.gif",
        "/library/static/",
        "/library/..%2f..%2fCargo.toml",
        "/library/static/../../../Cargo.toml",
        "/library/.vite/manifest.json",
        "/library/covers/999.svg",
        "/library/covers/1.png",
    ] {
        let answer = app.visitor().get(missing).await;
        assert_eq!(answer.status, 404, "{missing}: {}", answer.text);
        assert!(
            !answer.text.contains("<div") && !answer.text.contains("[package]"),
            "{missing}: {}",
            answer.text
        );
    }
    let unknown = app.visitor().get("/library/no-such-screen").await;
    assert_eq!(unknown.status, if screens_are_built() { 404 } else { 503 });
    let api = app.visitor().get("/library/api/v1/nothing").await;
    api.problem(404, "not-found");
    assert_eq!(app.visitor().get("/library/api/v2/books").await.status, 404);
    let mut outside = app.visitor().request("GET", "/", None);
    *outside.uri_mut() = "/elsewhere".parse().expect("a path");
    let outside = app.send(outside).await;
    assert!(outside.status == 404 && outside.text.contains("/library/"));
}

#[tokio::test]
async fn hashed_files_are_kept_for_ever_and_others_are_asked_for_again_r_shell_3() {
    if !screens_are_built() {
        // Without a build there are no files; the addresses are tested above.
        return;
    }
    let app = TestApp::new().await;
    let index = app.visitor().get("/library/login").await;
    let script = index
        .text
        .split("/library/static/js/")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a script");
    let file = app.visitor().get(&format!("/library/static/js/{script}")).await;
    file.expect(200);
    assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert_eq!(file.header("content-type"), Some("text/javascript; charset=utf-8"));
    let mut again = app.visitor().request("GET", &format!("/library/static/js/{script}"), None);
    again.headers_mut().insert("if-none-match", file.etag().parse().expect("a header"));
    let unchanged = app.send(again).await;
    assert!(unchanged.status == 304 && unchanged.text.is_empty());
    let mut seen = vec![file.etag()];
    for encoding in ["br", "gzip"] {
        let mut asked = app.visitor().request("GET", &format!("/library/static/js/{script}"), None);
        asked.headers_mut().insert("accept-encoding", encoding.parse().expect("a header"));
        let packed = app.send(asked).await;
        assert_eq!((packed.status, packed.header("content-encoding")), (200, Some(encoding)));
        assert_eq!(packed.header("vary"), Some("accept-encoding"));
        assert!(!seen.contains(&packed.etag()), "packed and plain are told apart");
        seen.push(packed.etag());
    }
    let icon = app.visitor().get("/library/favicon.svg").await;
    assert_eq!(icon.header("cache-control"), Some("no-cache"));
    let page = app.visitor();
    assert_eq!(page.ask("/library/login").await.status, 405);
}

#[tokio::test]
async fn the_base_leads_to_the_library_and_the_server_says_how_it_is() {
    let app = TestApp::new().await;
    let root = app.visitor().get("/").await;
    assert_eq!((root.status, root.header("location")), (308, Some("/library/")));
    assert_eq!(app.visitor().get("/library/healthz").await.expect(200), serde_json::Value::Null);
    assert_eq!(app.visitor().get("/library/readyz").await.text, "ready\n");
    let closing = app.state.library.db.clone();
    tokio::task::spawn_blocking(move || closing.close()).await.expect("closed");
    assert_eq!(app.visitor().get("/library/readyz").await.status, 503);
    assert_eq!(app.visitor().get("/library/healthz").await.status, 200, "the process itself is well");
    app.visitor().get("/books/1").await.problem(503, "busy");
}

#[tokio::test]
async fn a_drawn_cover_is_a_picture_that_can_do_nothing_r_home_3() {
    let app = TestApp::new().await;
    let title = "<script>alert(1)</script> & \"Quotes\" ' ]]> \u{1F4DA}";
    let book = with(&form(title, 1), json!({ "author": "</text><image href='https://evil.example/'/>" }));
    let id = app.admin(0).await.post("/books", &book).await.expect(201)["id"].clone();
    let cover = app.visitor().get(&format!("/library/covers/{id}.svg")).await;
    cover.expect(200);
    assert_eq!(cover.header("content-type"), Some("image/svg+xml"));
    assert!(cover.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));
    assert!(cover.header("cache-control").is_some_and(|value| value.starts_with("public")));
    assert!(
        cover.text.contains("<svg") && !cover.text.contains("<script") && !cover.text.contains("<image"),
        "{}",
        cover.text
    );
}

#[tokio::test]
async fn the_cover_of_a_book_can_be_seen_before_it_is_saved_u12() {
    let app = TestApp::new().await;
    let id = app.admin(0).await.post("/books", &form("Emma", 1)).await.expect(201)["id"].clone();
    let saved = app.visitor().get(&format!("/library/covers/{id}.svg")).await;
    let book = app.visitor().get(&format!("/books/{id}")).await.expect(200);
    let of = |title: &str| {
        let word = |name: &str| book[name].as_str().unwrap_or_default().replace(' ', "%20");
        format!(
            "/library/covers/preview.svg?id={id}&title={title}&author={}&genre={}",
            word("author"),
            word("genre")
        )
    };
    assert_eq!(app.visitor().get(&of("Emma")).await.text, saved.text);
    let typed = app.visitor().get(&of("Persuasion")).await;
    assert_eq!(typed.header("content-type"), Some("image/svg+xml"));
    assert!(typed.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));
    assert!(typed.text.contains("Persuasion") && !typed.text.contains("Emma"), "{}", typed.text);
    app.visitor().get("/library/covers/preview.svg").await.expect(200);
}
