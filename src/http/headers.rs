//! Headers of every answer.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State as AppState},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};

use super::State;

/// API answers are data, never documents, and never kept.
pub async fn api(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox"),
    );
    response
}

/// Security headers that fit every answer, a line in the log, and the time it took.
pub async fn every_response(
    AppState(app): AppState<State>,
    matched: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    // The template, not the path: a path may name a person's loan.
    let route = matched.map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(self), microphone=(), geolocation=(), payment=(), usb=()"),
    );
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    headers
        .entry(HeaderName::from_static("cross-origin-resource-policy"))
        .or_insert(HeaderValue::from_static("same-origin"));
    if app.settings.is_https() {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=63072000; includeSubDomains"),
        );
    }
    let (status, took) = (response.status(), begun.elapsed());
    tracing::debug!(%method, route, status = status.as_u16(), us = took.as_micros(), "answered");
    let labels = [("method", method.to_string()), ("route", route), ("status", status.as_str().to_owned())];
    metrics::histogram!("library_http_seconds", &labels).record(took.as_secs_f64());
    response
}
