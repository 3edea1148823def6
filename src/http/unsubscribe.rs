//! Page of a mail's unsubscribe link. Opening the page changes nothing, because mail programs open links in advance;
//! its button unsubscribes, and so does the mail program's one-click request (RFC 8058).

use axum::{
    body::Body,
    extract::{Path, Query, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{Shared, error::Result};
use crate::{
    domain::id::UserId,
    mail::{
        escaped,
        unsubscribe::{Scope, Signer},
    },
    message::{self, Message},
    policies::Policies,
    storage::{self, Tx, mail_choices},
};

const STYLE: &str = "body{margin:0;background:#f1f4f6;color:#1f2933;font:18px/1.5 'Noto Sans','Noto Sans Devanagari',Arial,sans-serif}\
main{max-width:32rem;margin:10vh auto;padding:1.5rem;background:#fff;border-radius:8px}\
h1{margin:0 0 .5rem;font-size:1.4rem}p{margin:0 0 1rem}\
button{padding:.7rem 1.2rem;border:0;border-radius:6px;background:#0b6e66;color:#fff;font:inherit;font-weight:bold}\
button:focus-visible{outline:3px solid #1f2933;outline-offset:2px}\
@media(prefers-color-scheme:dark){body{background:#15191d;color:#e6eaee}main{background:#20262c}\
button:focus-visible{outline-color:#e6eaee}}";

/// Maximum length of the body of a one-click request.
const BODY: usize = 4096;

/// Person of a link, with the language and the library's name for the page.
struct Asked {
    person: UserId,
    language: String,
    library: String,
    /// True if the person, or the guardian, already refuses all mails that the link stops.
    is_off: bool,
}

fn asked(
    tx: &mut Tx<'_>,
    policies: &Policies,
    person: UserId,
    scope: Scope,
) -> storage::Result<Option<Asked>> {
    let Some(person) = mail_choices::holder(tx, person)? else { return Ok(None) };
    let library = policies.current(tx)?.library.clone();
    let choices = mail_choices::of(tx, person)?;
    let is_off = match scope {
        Scope::Guardian => mail_choices::guardian_refused(tx, person)?,
        _ => scope.kinds().iter().all(|kind| choices.refused.contains(kind)),
    };
    let language = choices.language.unwrap_or(library.language);
    Ok(Some(Asked { person, language, library: library.name, is_off }))
}

/// Builds the page that asks for confirmation, or says that the mails are off already.
pub async fn ask(State(app): State<Shared>, Path(token): Path<String>) -> Result<Response> {
    let Some((person, scope)) = Signer::new(&app.browser_key).read(&token) else {
        return Ok(invalid_link_page());
    };
    let policies = app.library.policies.clone();
    let found = app.library.db.snapshot(move |tx| asked(tx, &policies, person, scope)).await?;
    Ok(found.map_or_else(invalid_link_page, |Asked { language, library, is_off, .. }| {
        if is_off {
            return off(&language, scope);
        }
        let what = match scope {
            Scope::Guardian => message::letter_stop_guardian_what,
            _ => message::letter_stop_what,
        };
        let library = match library.as_str() {
            "" => message::letter_library().text_in(&language),
            name => name.to_owned(),
        };
        page(
            StatusCode::OK,
            &language,
            &[message::letter_stop_title(), what(&library)],
            &button("", &message::letter_stop_do().text_in(&language)),
        )
    }))
}

/// Parameter of the button that turns the mails on again; a one-click request has none.
#[derive(Deserialize)]
pub struct Choice {
    again: Option<String>,
}

/// Turns the mails off, or on again; a repeat changes nothing.
pub async fn answer(
    State(app): State<Shared>,
    Path(token): Path<String>,
    Query(choice): Query<Choice>,
    request: Request<Body>,
) -> Result<Response> {
    // Reads the body, so that the connection can be reused.
    let _ = axum::body::to_bytes(request.into_body(), BODY).await;
    let Some((person, scope)) = Signer::new(&app.browser_key).read(&token) else {
        return Ok(invalid_link_page());
    };
    let (policies, again) = (app.library.policies.clone(), choice.again.is_some());
    let found = app.library.db.write(move |tx| change(tx, &policies, person, scope, again)).await?;
    Ok(found.map_or_else(invalid_link_page, |Asked { language, .. }| {
        if again {
            let choose = match scope {
                Scope::Guardian => message::letter_stop_guardian_back(),
                _ => message::letter_stop_choose(),
            };
            let words = [message::letter_stop_on(), choose];
            return page(StatusCode::OK, &language, &words, "");
        }
        off(&language, scope)
    }))
}

fn change(
    tx: &mut Tx<'_>,
    policies: &Policies,
    person: UserId,
    scope: Scope,
    again: bool,
) -> storage::Result<Option<Asked>> {
    let found = asked(tx, policies, person, scope)?;
    if let Some(found) = &found {
        match scope {
            Scope::Guardian => mail_choices::refuse_as_guardian(tx, found.person, !again)?,
            _ if again => mail_choices::accept(tx, found.person, &scope.kinds())?,
            _ => mail_choices::refuse(tx, found.person, &scope.kinds())?,
        }
    }
    Ok(found)
}

/// Builds the page that says that the mails are off, and how to turn them on again.
fn off(language: &str, scope: Scope) -> Response {
    let again = button("?again=yes", &message::letter_stop_again().text_in(language));
    let back = match scope {
        Scope::Guardian => message::letter_stop_guardian_back(),
        _ => message::letter_stop_back(),
    };
    page(StatusCode::OK, language, &[message::letter_stop_done(), back], &again)
}

fn button(query: &str, words: &str) -> String {
    let action = if query.is_empty() { String::new() } else { format!(" action=\"{query}\"") };
    format!("<form method=\"post\"{action}><button>{}</button></form>", escaped(words))
}

/// Answers a link without its token.
pub async fn incomplete() -> Response {
    invalid_link_page()
}

/// Builds the page for a link that this library did not sign, or whose person no longer exists.
fn invalid_link_page() -> Response {
    page(StatusCode::NOT_FOUND, "en", &[message::letter_stop_title(), message::letter_stop_dead()], "")
}

/// Builds a page from a heading, a paragraph and the HTML in `end`.
fn page(status: StatusCode, language: &str, [heading, words]: &[Message; 2], end: &str) -> Response {
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
