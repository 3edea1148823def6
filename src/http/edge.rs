//! Middleware of every request: its id, deadline and log span, and the headers and metrics of its response.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use hyper::body::{Frame, SizeHint};
use tracing::Instrument as _;

use super::{
    API, HANDLER_TIMEOUT, Shared, client, error::Error, headers, idempotency::REPLAYED, security_log,
    session, time_limit,
};
use crate::import::photos;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest rest of a body that is read after its answer is known: the longest upload.
const LONGEST_REST: u64 = photos::LONGEST_ARCHIVE as u64;
/// Maximum time without a byte of such a rest.
const SILENCE: Duration = Duration::from_secs(1);
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

    let arrival = Arc::new(Arrival {
        done: AtomicBool::new(request.body().is_end_stream()),
        // Such a client sends no body before the server asks for it.
        asked: AtomicBool::new(!request.headers().contains_key(header::EXPECT)),
        unread: Mutex::default(),
    });
    let writes = !request.method().is_safe();
    let limit = time_limit(request.method(), &path);
    let request = if arrival.is_done() {
        request
    } else {
        request.map(|body| Body::new(Arriving { body, arrival: Arc::clone(&arrival) }))
    };
    let answer = security_log::noting(async {
        if sound {
            in_time(next.run(request), limit, writes, &arrival).await
        } else {
            Error::Unsound.into_response()
        }
    });
    let (mut response, noted) = CURRENT.scope(id.clone(), answer).instrument(span.clone()).await;

    if sound && response.status() != StatusCode::REQUEST_TIMEOUT {
        arrival.read_rest().await;
    }
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
    if !sound || !arrival.is_done() || app.stopping.load(Ordering::Relaxed) {
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
async fn in_time(
    answer: impl Future<Output = Response>,
    limit: Duration,
    writes: bool,
    arrival: &Arrival,
) -> Response {
    let mut answer = pin!(answer);
    let caught = poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(response)) => Poll::Ready(Ok(response)),
        Err(panic) => Poll::Ready(Err(format!("a handler panicked: {}", panic_text(&*panic)))),
    });
    let failed = match tokio::time::timeout(limit, caught).await {
        Ok(Ok(response)) => return response,
        Ok(Err(panic)) if writes => Error::OutcomeUnknown(Some(panic.into())),
        Ok(Err(panic)) => Error::Internal(panic.into()),
        Err(_) if !arrival.is_done() => Error::RequestTimeout,
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

/// Arrival of a request's body.
struct Arrival {
    /// True once the whole body has been read.
    done: AtomicBool,
    /// True once the client sends the body.
    asked: AtomicBool,
    /// Rest that the handler did not read.
    unread: Mutex<Option<Body>>,
}

impl Arrival {
    fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// Reads and drops what the handler did not read, such as a file that is too long. If the server closed the connection
    /// while the client still sends, the client would see that instead of the answer, and nginx would answer 502.
    async fn read_rest(&self) {
        let unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut body) = unread.filter(|_| self.asked.load(Ordering::Relaxed)) else { return };
        if body.size_hint().lower() > LONGEST_REST {
            return;
        }
        let read = async {
            loop {
                let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
                match tokio::time::timeout(SILENCE, frame).await {
                    Ok(Some(Ok(_))) => {}
                    Ok(None) => return true,
                    Ok(Some(Err(_))) | Err(_) => return false,
                }
            }
        };
        let done = tokio::time::timeout(HANDLER_TIMEOUT, read).await.unwrap_or(false);
        self.done.store(done, Ordering::Relaxed);
    }
}

/// Request body that records its arrival.
struct Arriving {
    body: Body,
    arrival: Arc<Arrival>,
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if !self.arrival.is_done() {
            let rest = std::mem::take(&mut self.body);
            *self.arrival.unread.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
        }
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.arrival.asked.store(true, Ordering::Relaxed);
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.arrival.done.store(true, Ordering::Relaxed);
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
