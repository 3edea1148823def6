//! Behaviour common to all calls: metrics, limits, headers, timeouts.

use std::{
    collections::BTreeSet,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, Request, header},
    routing::get,
};
use http_body_util::BodyExt as _;
use library::http;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::{
    app::{HOST, TestApp, with},
    common::Database,
};

/// Returns the values of one label in the metrics, over all series.
fn values(rendered: &str, label: &str) -> BTreeSet<String> {
    let marker = format!("{label}=\"");
    rendered
        .lines()
        .filter(|line| line.starts_with("library_http_seconds_count"))
        .filter_map(|line| Some(line.split(&marker).nth(1)?.split('"').next()?.to_owned()))
        .collect()
}

/// P1: each invented method was a metric series, kept for ever.
#[tokio::test]
async fn a_client_cannot_invent_values_of_metric_labels() {
    let app = TestApp::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let visitor = app.visitor();
    for n in 0..50 {
        for path in [format!("/invented-{n}"), "/books".into(), format!("/library/invented-{n}")] {
            visitor.send(visitor.request(&format!("INVENTED{n}"), &path, None)).await;
        }
    }
    visitor.get("/books").await.expect(200);
    let rendered = handle.render();
    let methods: Vec<_> = values(&rendered, "method").into_iter().collect();
    assert_eq!(methods, ["GET", "OTHER"]);
    assert!(values(&rendered, "route").len() <= 4, "{rendered}");
}

/// P9: counters for the operator's alarms.
#[tokio::test]
async fn security_events_are_counted_by_names_of_a_closed_list() {
    let app = TestApp::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let visitor = app.visitor();
    for _ in 0..3 {
        visitor.send(visitor.request("GET", "/loans", None)).await;
    }
    let mut foreign = visitor.request("POST", "/auth/sign-out", None);
    foreign.headers_mut().insert("sec-fetch-site", "cross-site".parse().expect("a header"));
    app.send(foreign).await;
    let mut hostless = visitor.request("GET", "/books", None);
    hostless.headers_mut().remove(header::HOST);
    assert_eq!(app.send(hostless).await.json()["code"], "unsound-request");
    let rendered = handle.render();
    for (event, times) in [("access.not-signed-in", 3), ("access.cross-origin", 1), ("request.unsound", 1)] {
        let series = format!("library_security_events_total{{event=\"{event}\"}} {times}\n");
        assert!(rendered.contains(&series), "{series}{rendered}");
    }
    assert_eq!(rendered.matches("library_security_events_total{").count(), 3, "{rendered}");
}

/// A body that is announced and never arrives.
struct Endless;

impl hyper::body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }
}

/// Answers from routes that no product has, behind the layers that every route has.
async fn guarded(app: &TestApp, method: &str, path: &str, body: Body) -> (u16, HeaderMap, Value) {
    async fn panics() -> &'static str {
        panic!("on purpose")
    }
    let never = || get(std::future::pending::<()>).post(std::future::pending::<()>);
    let reads = async |body: String| body;
    let routes = Router::new()
        .route("/never", never())
        .route("/reads", get("").post(reads))
        .route("/panics", get(panics).post(panics));
    let request =
        Request::builder().method(method).uri(path).header(header::HOST, HOST).body(body).expect("a request");
    let guarded = http::guarded(routes, Arc::clone(&app.state));
    let (parts, body) = guarded.oneshot(request).await.unwrap_or_else(|never| match never {}).into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    (parts.status.as_u16(), parts.headers, serde_json::from_slice(&bytes).unwrap_or_default())
}

/// S8: a handler that timed out or panicked was a bare 503 or 500, and its write was said not to have happened.
#[tokio::test]
async fn a_handler_that_fails_is_answered_like_every_other_failure() {
    let app = TestApp::new().await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let _recording = metrics::set_default_local_recorder(&recorder);
    // Paused time advances when nothing else happens.
    tokio::time::pause();
    for (method, path, body, status, code) in [
        ("GET", "/never", Body::empty(), 503, "busy"),
        ("POST", "/never", Body::empty(), 503, "outcome-unknown"),
        ("POST", "/reads", Body::new(Endless), 408, "request-timeout"),
        ("GET", "/panics", Body::empty(), 500, "internal"),
        ("POST", "/panics", Body::empty(), 503, "outcome-unknown"),
    ] {
        let (answered, headers, problem) = guarded(&app, method, path, body).await;
        assert_eq!((answered, &problem["code"]), (status, &json!(code)), "{method} {path}");
        assert_eq!(headers["content-type"], "application/problem+json");
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["x-request-id"].to_str().ok(), problem["requestId"].as_str(), "{problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
    }
    assert_eq!(values(&handle.render(), "status"), ["408", "500", "503"].map(str::to_owned).into());
}

#[tokio::test]
async fn a_request_keeps_the_name_that_a_trusted_proxy_gave_it() {
    let trusting = |settings: &mut http::Settings| settings.trusted_proxies = vec![[127, 0, 0, 1].into()];
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "UTC", trusting).await;
    let name = async |app: &TestApp, given: &str| {
        let mut request = app.visitor().request("GET", "/loans", None);
        request.headers_mut().insert("x-request-id", given.parse().expect("a header"));
        let answer = app.send(request).await;
        let name = answer.header("x-request-id").expect("a name").to_owned();
        assert_eq!(answer.json()["requestId"], name);
        name
    };
    assert_eq!(name(&app, "a1b2-c3_d4.e5").await, "a1b2-c3_d4.e5");
    for odd in ["", "two words", "x\ty", &"x".repeat(65)] {
        assert_eq!(name(&app, odd).await.len(), 16, "{odd}");
    }
    let stranger = TestApp::new().await;
    assert_ne!(name(&stranger, "a1b2").await, name(&stranger, "a1b2").await, "anybody could pretend");
}

/// P13: an unread body stayed in the connection, which the answer promised to keep open.
#[tokio::test]
async fn a_body_that_a_handler_did_not_read_is_read_or_ends_the_connection() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let form = crate::app::form("Godaan", 1);
    for (person, method, path, body, status) in [
        (&app.visitor(), "POST", "/books", Some(&form), 401),
        (&student, "POST", "/books", Some(&form), 403),
        (&student, "GET", "/me", None, 200),
        (&student, "PATCH", "/me", Some(&json!({})), 422),
        (&app.visitor(), "GET", "/loans", None, 401),
        (&app.visitor(), "POST", "/nothing", Some(&with(&form, json!({ "title": "x".repeat(70_000) }))), 404),
    ] {
        let answer = person.send(person.request(method, path, body)).await;
        assert_eq!((answer.status, answer.header("connection")), (status, None), "{method} {path}");
        // This client waits for the server before it sends its body.
        let mut waits = person.request(method, path, body);
        waits.headers_mut().insert("expect", HeaderValue::from_static("100-continue"));
        let is_unread = body.is_some() && matches!(status, 401 | 403 | 404);
        let answer = person.send(waits).await;
        assert_eq!(answer.header("connection"), is_unread.then_some("close"), "{method} {path}");
    }
}

/// P12: a server asked to stop went on saying that it is ready.
#[tokio::test]
async fn a_server_that_is_about_to_stop_answers_and_sends_everybody_elsewhere() {
    let app = TestApp::new().await;
    assert_eq!(app.visitor().get("/library/readyz").await.status, 200);
    app.state.stopping.store(true, Ordering::Relaxed);
    for (path, status) in [("/library/readyz", 503), ("/library/healthz", 200), ("/books", 200)] {
        let answer = app.visitor().get(path).await;
        assert_eq!((answer.status, answer.header("connection")), (status, Some("close")), "{path}");
    }
}
