//! The screens: embedded files, and `index.html` for every address that a person can type or reload (R-SHELL-5).

use std::{borrow::Cow, collections::HashMap, fmt, sync::LazyLock};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use ring::digest;
use rust_embed::RustEmbed;

use super::{BASE, Shared, error::Error};
use crate::version::VERSION;

/// Placeholder in `index.html` for the style nonce, which differs in each response.
const NONCE: &str = "__CSP_NONCE__";

/// Addresses of the screens; `{id}` matches one path segment. A test compares the client's own list with this one.
pub const SCREENS: &[&str] = &[
    "",
    "login",
    "library",
    "register",
    "redeem",
    "forgot",
    "reset",
    "home",
    "fine",
    "closings",
    "closings/{id}",
    "update/{id}",
    "delete",
    "books",
    "add",
    "quick-add",
    "book-detail/{id}",
    "people",
    "people/{id}",
    "import-people",
    "import-books",
    "promote",
    "no-dues/{id}",
    "desk",
    "desk/today",
    "holds",
    "money",
    "phone",
    "receipt/{id}",
    "to-shelve",
    "labels",
    "mails",
    "settings",
    "setup",
    "activity",
    "profile",
    "notices",
    "security",
    "student-home",
    "stubook-detail/{id}",
    "new-home",
];

fn is_screen(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    SCREENS.iter().any(|screen| match screen.strip_suffix("{id}") {
        Some(before) => path.strip_prefix(before).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => path == *screen,
    })
}

/// Handles every path below the base that is neither API nor cover.
pub async fn app(State(app): State<Shared>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().strip_prefix(BASE).unwrap_or_default().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return Error::NotFound.into_response();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        return Error::MethodNotAllowed.into_response();
    }
    // Build tools keep their files in folders that begin with a dot.
    let hidden = path == "index.html" || path.starts_with('.');
    if let Some(asset) = app.screens.files.assets.get(path).filter(|_| !hidden) {
        return send(asset, &headers);
    }
    // A missing file gets a 404: a browser could otherwise take `index.html` for a script.
    let last = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("static/") || last.contains('.') {
        return (StatusCode::NOT_FOUND, [(header::CACHE_CONTROL, "no-store")], "Not found\n").into_response();
    }
    let status = if is_screen(path) { StatusCode::OK } else { StatusCode::NOT_FOUND };
    index(&app, status)
}

/// File of the screens: plain, and compressed where that is smaller.
struct Asset {
    content_type: &'static str,
    keep: &'static str,
    plain: Form,
    packed: Vec<(&'static str, Form)>,
}

/// One form of a file, with its unique ETag.
struct Form {
    tag: HeaderValue,
    bytes: Bytes,
}

/// The built screens, loaded from the program at the first request and then cached, because files are sent often and
/// never change. The program, not this library crate, embeds the files, so that both compile in parallel.
pub struct Screens {
    files: LazyLock<Files>,
    build: HeaderValue,
}

/// `index.html`, the page of all screens, and the other files.
struct Files {
    index: Option<Cow<'static, [u8]>>,
    assets: HashMap<String, Asset>,
}

impl Screens {
    /// Returns the screens that `F` embeds.
    #[must_use]
    pub fn embedded<F: RustEmbed>() -> Self {
        // The page refers to its files by their hashes, so its own hash identifies the screens.
        let page = F::get("index.html").map(|file| file.metadata.sha256_hash()).unwrap_or_default();
        let both = digest::digest(&digest::SHA256, &[VERSION.as_bytes(), &page].concat());
        let build = HeaderValue::try_from(STANDARD_NO_PAD.encode(&both.as_ref()[..9]));
        Self {
            files: LazyLock::new(Files::embedded::<F>),
            build: build.unwrap_or(HeaderValue::from_static("")),
        }
    }

    /// Returns the fingerprint of program and screens. Every response of the API carries the fingerprint, so that an
    /// open page notices an update of the library. Unlike a version number, the fingerprint tells strangers nothing.
    #[must_use]
    pub const fn build(&self) -> &HeaderValue {
        &self.build
    }
}

impl fmt::Debug for Screens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Screens").finish_non_exhaustive()
    }
}

impl Files {
    fn embedded<F: RustEmbed>() -> Self {
        let assets = F::iter().filter_map(|path| {
            let form = |suffix: &str, encoding: &str| {
                let file = F::get(&format!("{path}{suffix}"))?;
                let tag = STANDARD_NO_PAD.encode(&file.metadata.sha256_hash()[..16]);
                let tag = HeaderValue::try_from(format!("\"{tag}{encoding}\"")).ok()?;
                let bytes = match file.data {
                    Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                    Cow::Owned(bytes) => Bytes::from(bytes),
                };
                Some(Form { tag, bytes })
            };
            let packed = [("br", ".br"), ("gzip", ".gz")]
                .into_iter()
                .filter_map(|(encoding, suffix)| Some((encoding, form(suffix, encoding)?)));
            let asset = Asset {
                content_type: content_type(&path),
                // Names under static/ contain a hash of the content.
                keep: if path.starts_with("static/") {
                    "public, max-age=31536000, immutable"
                } else {
                    "no-cache"
                },
                plain: form("", "")?,
                packed: packed.collect(),
            };
            Some((path.into_owned(), asset))
        });
        Self { assets: assets.collect(), index: F::get("index.html").map(|file| file.data) }
    }
}

fn send(asset: &Asset, headers: &HeaderMap) -> Response {
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = |encoding: &str| {
        accepted.split(',').any(|part| {
            let mut part = part.split(';').map(str::trim);
            part.next() == Some(encoding)
                && !part.any(|quality| matches!(quality, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
    };
    let packed = asset.packed.iter().find(|(encoding, _)| accepts(encoding));
    let form = packed.map_or(&asset.plain, |(_, form)| form);
    let mut response = if headers.get(header::IF_NONE_MATCH).is_some_and(|seen| *seen == form.tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, asset.content_type)], form.bytes.clone()).into_response()
    };
    let set = response.headers_mut();
    set.insert(header::CACHE_CONTROL, HeaderValue::from_static(asset.keep));
    set.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    set.insert(header::ETAG, form.tag.clone());
    if asset.content_type.starts_with("text/javascript") {
        // A page's scripts run under the policy of the page, but a worker under the policy sent with its own script.
        set.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
            ),
        );
    }
    if let Some((encoding, _)) = packed {
        set.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn index(app: &super::App, status: StatusCode) -> Response {
    let Some(page) = &app.screens.files.index else {
        let text = "The screens are not built into this program. Build them with: make build\n";
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    };
    let mut bytes = [0_u8; 18];
    if let Err(error) = getrandom::fill(&mut bytes) {
        return Error::Internal(error.to_string().into()).into_response();
    }
    let nonce = STANDARD_NO_PAD.encode(bytes);
    let html = with_nonce(page, &nonce);
    // Covers may be on other hosts, which may use http if this server does.
    let (pictures, upgrade) = if app.settings.is_https() {
        ("https:", "; upgrade-insecure-requests")
    } else {
        ("https: http:", "")
    };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' blob: {pictures}; font-src 'self'; connect-src 'self'; manifest-src 'self'; object-src 'none'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'{upgrade}"
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        ),
    ];
    (status, headers, html).into_response()
}

/// Returns the page with the nonce in place of every placeholder.
fn with_nonce(page: &[u8], nonce: &str) -> Vec<u8> {
    let mut html = Vec::with_capacity(page.len());
    let mut done = 0;
    for place in memchr::memmem::find_iter(page, NONCE) {
        html.extend_from_slice(&page[done..place]);
        html.extend_from_slice(nonce.as_bytes());
        done = place + NONCE.len();
    }
    html.extend_from_slice(&page[done..]);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nonce_stands_in_all_its_places() {
        let page = format!("{NONCE}<é {NONCE}{NONCE}>");
        assert_eq!(with_nonce(page.as_bytes(), "n+/1"), "n+/1<é n+/1n+/1>".as_bytes());
        assert_eq!(with_nonce(b"plain", "n"), b"plain");
    }

    #[test]
    fn the_screens_addresses_are_known_r_shell_5() {
        for screen in ["", "login", "home/", "update/7", "stubook-detail/12"] {
            assert!(is_screen(screen), "{screen}");
        }
        for other in ["nothing", "update", "update/", "update/7/8", "login/x"] {
            assert!(!is_screen(other), "{other}");
        }
    }
}
