//! Headers of every answer.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State as AppState},
    http::{HeaderName, HeaderValue, Method, header},
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
    let method = method_label(request.method());
    // The template, not the path: a path may name a person's loan, and each value is a series that is kept for ever.
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
        // A year, as OWASP ASVS 5.0 asks (3.4.1). Hosts below ours are not ours to decide about.
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    let (status, took) = (response.status(), begun.elapsed());
    tracing::debug!(method, route, status = status.as_u16(), us = took.as_micros(), "answered");
    let labels = [("method", method.to_owned()), ("route", route), ("status", status.as_str().to_owned())];
    metrics::histogram!("library_http_seconds", &labels).record(took.as_secs_f64());
    response
}

/// A method as metrics name it. Any token is a method in HTTP, so those that no call takes share one name.
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
