//! Pages of links in mails: plain HTML without script, so that they open at once in any browser.
//!
//! Opening such a page changes nothing, because mail programs open links in advance; its button does.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use super::{Shared, error::Result};
use crate::{
    mail::{escaped, named},
    message::{self, Message},
    storage,
};

const STYLE: &str = "body{margin:0;background:#f1f4f6;color:#1f2933;font:18px/1.5 'Noto Sans','Noto Sans Devanagari',Arial,sans-serif}\
main{max-width:32rem;margin:10vh auto;padding:1.5rem;background:#fff;border-radius:8px}\
h1{margin:0 0 .5rem;font-size:1.4rem}p{margin:0 0 1rem}\
button{padding:.7rem 1.2rem;border:0;border-radius:6px;background:#0b6e66;color:#fff;font:inherit;font-weight:bold}\
a{color:#0b6e66}button:focus-visible,a:focus-visible{outline:3px solid #1f2933;outline-offset:2px}\
@media(prefers-color-scheme:dark){body{background:#15191d;color:#e6eaee}main{background:#20262c}a{color:#63cfc4}\
button:focus-visible,a:focus-visible{outline-color:#e6eaee}}";

/// Builds a button that posts to the page's own address with this query.
pub(super) fn button(query: &str, words: &str) -> String {
    let action = if query.is_empty() { String::new() } else { format!(" action=\"{query}\"") };
    format!("<form method=\"post\"{action}><button>{}</button></form>", escaped(words))
}

/// Builds the page for a link that leads nowhere, in the library's language, with a link to the library.
pub(super) async fn dead_link(app: &Shared, words: [Message; 2]) -> Result<Response> {
    let policies = app.library.policies.clone();
    let library =
        app.library.db.snapshot(move |tx| Ok::<_, storage::Error>(policies.current(tx)?.library.clone()));
    let library = library.await?;
    let (open, language) = (message::letter_button().text_in(&library.language), &library.language);
    let name = named(&library.name, language);
    let end = format!("<p>{}</p><p><a href=\"/library/\">{}</a></p>", escaped(&name), escaped(&open));
    Ok(page(StatusCode::NOT_FOUND, language, &words, &end))
}

/// Builds a page from a heading, a paragraph and the HTML in `end`.
pub(super) fn page(
    status: StatusCode,
    language: &str,
    [heading, words]: &[Message; 2],
    end: &str,
) -> Response {
    let (heading, words) = (escaped(&heading.text_in(language)), escaped(&words.text_in(language)));
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{heading}</title><style>{STYLE}</style></head>\
         <body><main><h1>{heading}</h1><p>{words}</p>{end}</main></body></html>\n"
    );
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        STANDARD.encode(Sha256::digest(STYLE))
    );
    let mut response = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
