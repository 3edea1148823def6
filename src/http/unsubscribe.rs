//! Page of a mail's unsubscribe link. Its button unsubscribes, and so does the mail program's one-click request (RFC 8058).

use axum::{
    body::Body,
    extract::{Path, Query, Request, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;

use super::{
    Shared,
    error::Result,
    plain_page::{button, dead_link, page},
};
use crate::{
    domain::{id::UserId, notice::Kind},
    mail::{
        named,
        unsubscribe::{Scope, Signer},
    },
    message,
    policies::Policies,
    storage::{self, Tx, mail_choices},
};

/// Maximum length of the body of a one-click request.
const BODY: usize = 4096;

/// Person of a link, with the language and the library's name for the page.
struct Asked {
    person: UserId,
    language: String,
    library: String,
    /// Kinds of notices that the link stops.
    kinds: Vec<Kind>,
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
    let kinds = scope.kinds(&choices.in_digest);
    let is_off = match scope {
        Scope::Guardian => mail_choices::guardian_refused(tx, person)?,
        _ => kinds.iter().all(|kind| choices.refused.contains(kind)),
    };
    let language = choices.language.unwrap_or(library.language);
    Ok(Some(Asked { person, language, library: library.name, kinds, is_off }))
}

/// Builds the page that asks for confirmation, or says that the mails are off already.
pub async fn ask(State(app): State<Shared>, Path(token): Path<String>) -> Result<Response> {
    let Some((person, scope)) = Signer::new(&app.browser_key).read(&token) else {
        return invalid_link_page(&app).await;
    };
    let policies = app.library.policies.clone();
    let found = app.library.db.snapshot(move |tx| asked(tx, &policies, person, scope)).await?;
    let Some(Asked { language, library, is_off, .. }) = found else {
        return invalid_link_page(&app).await;
    };
    if is_off {
        return Ok(off(&language, scope));
    }
    let what = match scope {
        Scope::Guardian => message::letter_stop_guardian_what,
        _ => message::letter_stop_what,
    };
    let library = named(&library, &language);
    Ok(page(
        StatusCode::OK,
        &language,
        &[message::letter_stop_title(), what(&library)],
        &button("", &message::letter_stop_do().text_in(&language)),
    ))
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
        return invalid_link_page(&app).await;
    };
    let (policies, again) = (app.library.policies.clone(), choice.again.is_some());
    let found = app.library.db.write(move |tx| change(tx, &policies, person, scope, again)).await?;
    let Some(Asked { language, .. }) = found else { return invalid_link_page(&app).await };
    if !again {
        return Ok(off(&language, scope));
    }
    let choose = match scope {
        Scope::Guardian => message::letter_stop_guardian_back(),
        _ => message::letter_stop_choose(),
    };
    Ok(page(StatusCode::OK, &language, &[message::letter_stop_on(), choose], ""))
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
            _ if again => mail_choices::accept(tx, found.person, &found.kinds)?,
            _ => mail_choices::refuse(tx, found.person, &found.kinds)?,
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

/// Answers a link without its token.
pub async fn incomplete(State(app): State<Shared>) -> Result<Response> {
    invalid_link_page(&app).await
}

/// Builds the page for a link that this library did not sign, or whose person no longer exists.
async fn invalid_link_page(app: &Shared) -> Result<Response> {
    dead_link(app, [message::letter_stop_title(), message::letter_stop_dead()]).await
}
