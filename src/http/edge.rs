//! Middleware of every request: its id, deadline and log span, and the headers and metrics of its response.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Version, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use hyper::body::{Frame, SizeHint};
use tracing::Instrument as _;

use super::{
    API, HANDLER_TIMEOUT, Shared, client, error::Error, headers, idempotency::REPLAYED, security_log, session,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const BUILD: HeaderName = HeaderName::from_static("library-build");

tokio::task_local! {
    static CURRENT: String;
}

/// Returns the id of the current request, which its log lines carry.
#[must_use]
pub fn request_id() -> Option<String> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Handles a request within the time limit, and adds the headers that every response has.
pub async fn handle_request(
    State(app): State<Shared>,
    matched: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let label = method_label(&method);
    let path = request.uri().path().to_owned();
    let address = client::address(request.extensions(), request.headers(), &app.settings.trusted_proxies);
    client::note_unknown_proxy(request.extensions(), request.headers(), &app.settings.trusted_proxies);
    let sound = is_sound(request.version(), request.headers());
    // The template, not the path: a path may contain the id of a person's loan, and each value creates a metric series
    // that is kept for ever.
    let route = matched.map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let id = name(&request, &app);
    let span = tracing::info_span!("request", id, method = label, route);

    let arrived = Arc::new(AtomicBool::new(request.body().is_end_stream()));
    let writes = !request.method().is_safe();
    let request = if arrived.load(Ordering::Relaxed) {
        request
    } else {
        request.map(|body| Body::new(Arriving { body, arrived: Arc::clone(&arrived) }))
    };
    let answer = security_log::noting(async {
        if sound {
            in_time(next.run(request), writes, &arrived).await
        } else {
            Error::Unsound.into_response()
        }
    });
    let (mut response, noted) = CURRENT.scope(id.clone(), answer).instrument(span.clone()).await;

    headers::secure(response.headers_mut(), &app.settings);
    if path.starts_with(API) {
        // Data must not be cached.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response.headers_mut().insert(BUILD, app.screens.build().clone());
    }
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    // On a keep-alive connection, the server would parse the unread rest of the body as the next request.
    if !sound || !arrived.load(Ordering::Relaxed) || app.stopping.load(Ordering::Relaxed) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let (status, took) = (response.status(), begun.elapsed());
    span.in_scope(|| {
        if !response.headers().contains_key(REPLAYED) {
            security_log::log_event((&method, &route, &path), status, &noted, address);
        }
        tracing::debug!(status = status.as_u16(), us = took.as_micros(), "answered");
    });
    let status = status.as_str().to_owned();
    metrics::histogram!("library_http_seconds", "method" => label, "route" => route, "status" => status)
        .record(took.as_secs_f64());
    response
}

/// True if proxies and this server must agree on the request's end and host: one `Host`, and a body that states its
/// length. Chunked bodies are refused altogether: no screen sends them, and their many spellings allow request
/// smuggling (P13, OWASP ASVS 5.0, 4.2.1). hyper refuses the other ambiguous requests.
fn is_sound(version: Version, headers: &HeaderMap) -> bool {
    let hosts = headers.get_all(header::HOST).iter().count();
    let hosts_wanted = if version == Version::HTTP_10 { 0..=1 } else { 1..=1 };
    hosts_wanted.contains(&hosts) && !headers.contains_key(header::TRANSFER_ENCODING)
}

/// Returns the handler's response, or an error if the handler times out or panics; the outcome of a write is then
/// unknown.
async fn in_time(answer: impl Future<Output = Response>, writes: bool, arrived: &AtomicBool) -> Response {
    let mut answer = pin!(answer);
    let caught = std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(response)) => Poll::Ready(Ok(response)),
            Err(panic) => Poll::Ready(Err(format!("a handler panicked: {}", panic_text(&*panic)))),
        }
    });
    let failed = match tokio::time::timeout(HANDLER_TIMEOUT, caught).await {
        Ok(Ok(response)) => return response,
        Ok(Err(panic)) if writes => Error::OutcomeUnknown(Some(panic.into())),
        Ok(Err(panic)) => Error::Internal(panic.into()),
        Err(_) if !arrived.load(Ordering::Relaxed) => Error::RequestTimeout,
        Err(late) if writes => Error::OutcomeUnknown(Some(late.into())),
        Err(late) => Error::Busy(Some(late.into())),
    };
    failed.into_response()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default()
}

/// Returns the method's metrics label. HTTP allows any token as a method, so unknown ones share one label.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Returns the request id set by a trusted proxy, so that both logs use the same id; otherwise a fresh one.
fn name(request: &Request, app: &super::App) -> String {
    let given = request.headers().get(REQUEST_ID).and_then(|name| name.to_str().ok());
    let sound = |name: &&str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match given.filter(sound) {
        Some(name)
            if client::is_trusted(client::peer(request.extensions()), &app.settings.trusted_proxies) =>
        {
            name.to_owned()
        }
        _ => format!("{:016x}", fresh_name()),
    }
}

/// Returns an id that is unique in this process and very likely among all servers: a random start, advanced in steps
/// that look random. Asking the system for random bytes each time would cost as much as a small response.
fn fresh_name() -> u64 {
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(session::random::<8>().map(u64::from_be_bytes).unwrap_or_default()));
    // Steps of this odd constant, from the golden ratio, visit every 64-bit number once (Weyl sequence).
    NEXT.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)
}

/// Request body that records when it has been read completely.
struct Arriving {
    body: Body,
    arrived: Arc<AtomicBool>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.arrived.store(true, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
