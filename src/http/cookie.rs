//! Cookies. Ours hold base64url and dots only, so nothing needs to be quoted or escaped.

use axum::http::{HeaderMap, HeaderValue, header};

use super::error::{Error, Result};

/// The value of a cookie that a request shows.
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

/// A `Set-Cookie` out of reach for scripts and other sites; without a lifetime in seconds it ends with the browser.
pub fn set(https: bool, name: &str, value: &str, path: &str, lifetime: Option<i64>) -> Result<HeaderValue> {
    made(https, name, value, path, lifetime, "Strict")
}

/// A `Set-Cookie` that is also sent when another site leads the browser back here, and out of reach otherwise.
pub fn set_to_come_back(
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
