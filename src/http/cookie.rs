//! Cookies. Their values are base64url and dots only, so nothing needs quoting or escaping.

use axum::http::{HeaderMap, HeaderValue, header};

use super::error::{Error, Result};

/// Returns the value of a request's cookie.
#[must_use]
pub fn read<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(known, value)| *known == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// Builds a `Set-Cookie` hidden from scripts and other sites; without a lifetime (in seconds), the cookie ends with the
/// browser.
pub fn set(https: bool, name: &str, value: &str, path: &str, lifetime: Option<i64>) -> Result<HeaderValue> {
    made(https, name, value, path, lifetime, "Strict")
}

/// Builds a `Set-Cookie` hidden from scripts, but sent when another site redirects the browser back here.
pub fn set_for_return(
    https: bool,
    name: &str,
    value: &str,
    path: &str,
    lifetime: i64,
) -> Result<HeaderValue> {
    made(https, name, value, path, Some(lifetime), "Lax")
}

fn made(
    https: bool,
    name: &str,
    value: &str,
    path: &str,
    lifetime: Option<i64>,
    same_site: &str,
) -> Result<HeaderValue> {
    let secure = if https { "; Secure" } else { "" };
    let age = lifetime.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    HeaderValue::try_from(format!("{name}={value}; Path={path}; HttpOnly; SameSite={same_site}{secure}{age}"))
        .map_err(|error| Error::Internal(Box::new(error)))
}
