//! Headers of every response.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use super::Settings;

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Sets the security headers of every response, except those that a handler has set.
pub fn secure(headers: &mut HeaderMap, settings: &Settings) {
    let or = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    or(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    or(headers, header::REFERRER_POLICY, "same-origin");
    or(headers, PERMISSIONS_POLICY, "camera=(self), microphone=(), geolocation=(), payment=(), usb=()");
    or(headers, CROSS_ORIGIN_OPENER_POLICY, "same-origin");
    or(headers, CROSS_ORIGIN_RESOURCE_POLICY, "same-origin");
    or(headers, header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox");
    if settings.is_https() {
        // A year, as OWASP ASVS 5.0 requires (3.4.1); without subdomains, which the library does not control.
        or(headers, header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}
