//! Idempotent writes (`Idempotency-Key`): a repeat gets the stored response and has no second effect.
//!
//! [`read_key`] reads the header. A handler takes [`Once`] and does its whole effect through [`App::once`], which
//! stores the response in the effect's transaction. Requests without the header cost nothing.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    body::{Body, Bytes, HttpBody as _},
    extract::{FromRequestParts, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    App, BODY_LIMIT,
    error::{Error, Result},
    extract,
    session::Caller,
};
use crate::{
    domain::{account::User, id::ChangeId, rule::Invalid},
    message,
    storage::{
        Tx, events,
        idempotency::{self, Begun, Kept},
    },
};

/// Header with the key of a write.
pub const KEY: &str = "Idempotency-Key";
/// Header that marks a replayed response.
pub const REPLAYED: &str = "Idempotent-Replayed";
/// Header with the id of the change that a librarian can undo.
pub const UNDOABLE: &str = "Undoable-Change";
pub const LONGEST_KEY: usize = 128;

/// Maximum bytes of a stored response. Responses echo requests and stay far below it; a longer one is a design fault.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// POSTs that change nothing or are harmless to repeat. Their responses are not stored, since some contain a session's
/// cookie, a sign-in code, an authenticator's key or a phone's token.
const REPEATABLE: &[&str] = &[
    "/auth/sign-in",
    "/auth/redeem",
    "/auth/reset",
    "/auth/reset/check",
    "/auth/oidc",
    "/auth/oidc/link",
    "/people/{id}/sign-in-code",
    "/me/calendar-link",
    "/auth/sign-out",
    "/auth/password",
    "/auth/sign-in/code",
    "/auth/authenticator",
    "/auth/authenticator/confirm",
    "/auth/authenticator/remove",
    "/auth/recovery-codes",
    "/auth/passkeys",
    "/auth/passkeys/confirm",
    "/auth/passkeys/{id}/remove",
    "/auth/sign-in/passkey/begin",
    "/auth/sign-in/passkey",
    "/auth/id-card",
    "/covers",
    "/desk/phones",
    "/phone/open",
    "/phone/scans",
    "/imports/people/columns",
    "/imports/photos/check",
    "/imports/books/columns",
    "/imports/books/check",
    "/imports/loans/columns",
    "/imports/loans/check",
    "/imports/charges/columns",
    "/imports/charges/check",
    "/settings/rules/preview",
    "/settings/calendar/preview",
    "/settings/library/preview",
    "/settings/mails/{kind}/preview",
    "/people/sign-in-codes",
    "/setup",
    "/vitals",
];

/// True for a write whose response is stored.
#[must_use]
pub fn is_kept(method: &Method, path: &str) -> bool {
    !method.is_safe() && !REPEATABLE.contains(&path)
}

/// Idempotency claim of a write; empty if the request has no key.
#[derive(Clone, Default)]
pub struct Once(Option<Arc<Claim>>);

struct Claim {
    request: idempotency::Request,
    /// Set when the handler calls [`App::once`].
    used: AtomicBool,
}

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// Reads the key and fingerprints the request. Runs inside the access check, because a key belongs to its user.
pub async fn read_key(caller: &Caller, route: &str, request: Request, next: Next) -> Result<Response> {
    if !is_kept(request.method(), route) {
        return Ok(next.run(request).await);
    }
    let Some(key) = key(request.headers())? else { return Ok(next.run(request).await) };
    let (parts, body) = request.into_parts();
    let body = if body.is_end_stream() {
        Bytes::new()
    } else {
        extract::body(Request::from_parts(parts.clone(), body), &()).await?
    };
    let claim = Arc::new(Claim {
        request: idempotency::Request {
            user: caller.person().map(|person| person.uid),
            key,
            fingerprint: fingerprint(&parts, &body),
        },
        used: AtomicBool::new(false),
    });
    let mut request = Request::from_parts(parts, Body::from(body));
    request.extensions_mut().insert(Once(Some(Arc::clone(&claim))));
    let response = next.run(request).await;
    if response.status().is_success() && !claim.used.load(Ordering::Relaxed) {
        tracing::error!(route, "a write took an Idempotency-Key and kept no answer");
        debug_assert!(
            false,
            "{route} took an Idempotency-Key and kept no answer: do its effect through App::once"
        );
    }
    Ok(response)
}

fn key(headers: &HeaderMap) -> Result<Option<String>> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    let printable = |key: &&[u8]| {
        (1..=LONGEST_KEY).contains(&key.len()) && key.iter().all(|byte| (b' '..=b'~').contains(byte))
    };
    match (Some(key.as_bytes()).filter(printable).map(std::str::from_utf8), keys.next()) {
        (Some(Ok(key)), None) => Ok(Some(key.to_owned())),
        _ => Err(Invalid::field(KEY, message::not_idempotency_key(LONGEST_KEY)).into()),
    }
}

/// Returns the SHA-256 of method, path, query and body. JSON is normalised: spaces and the order of fields make no
/// difference. Passwords are left out, because a fast hash of a password must not be stored.
fn fingerprint(parts: &Parts, body: &[u8]) -> String {
    // Longer bodies are files; parsed as JSON they would take many times their length in memory.
    let fields = if body.len() <= BODY_LIMIT { serde_json::from_slice(body).ok() } else { None };
    let canonical = match fields {
        Some(serde_json::Value::Object(mut fields)) => {
            fields.retain(|name, _| !name.to_ascii_lowercase().contains("password"));
            Cow::Owned(serde_json::Value::Object(fields).to_string().into_bytes())
        }
        // A file, or a body that no handler accepts.
        _ => Cow::Borrowed(body),
    };
    let mut hash = Sha256::new();
    hash.update(format!("{} {}\n", parts.method, parts.uri));
    hash.update(canonical);
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Response to a write, as sent and stored.
#[derive(Clone, Debug)]
pub struct Answer {
    status: StatusCode,
    etag: Option<HeaderValue>,
    location: Option<HeaderValue>,
    change: Option<ChangeId>,
    /// JSON, or empty.
    body: String,
    replayed: bool,
}

impl Answer {
    /// Creates a response with a JSON body.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_string(body).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(Self { status, etag: None, location: None, change: None, body, replayed: false })
    }

    /// Creates a response without a body (204).
    #[must_use]
    pub fn empty() -> Self {
        Self {
            status: StatusCode::NO_CONTENT,
            etag: None,
            location: None,
            change: None,
            body: String::new(),
            replayed: false,
        }
    }

    /// Adds the version of the written resource.
    pub fn with_etag(self, etag: &str) -> Result<Self> {
        Ok(Self { etag: Some(value(etag)?), ..self })
    }

    /// Adds the URL of the new resource.
    pub fn with_location(self, location: &str) -> Result<Self> {
        Ok(Self { location: Some(value(location)?), ..self })
    }

    /// Adds the id of the change that this transaction recorded last, if the person may undo it (R-UNDO-1).
    #[must_use]
    pub fn undoable(self, tx: &Tx<'_>, person: &User) -> Self {
        Self { change: events::undoable(tx, person), ..self }
    }

    fn kept(&self) -> Result<Kept> {
        if self.body.len() > LONGEST_ANSWER {
            return Err(Error::Internal("the answer is too long to be kept".into()));
        }
        let text = |value: &Option<HeaderValue>| {
            value
                .as_ref()
                .map(|value| value.to_str().map(ToOwned::to_owned))
                .transpose()
                .map_err(|error| Error::Internal(Box::new(error)))
        };
        Ok(Kept {
            status: self.status.as_u16().into(),
            etag: text(&self.etag)?,
            location: text(&self.location)?,
            change: self.change,
            body: self.body.clone(),
        })
    }

    fn repeated(kept: Kept) -> Result<Self> {
        let status = u16::try_from(kept.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        Ok(Self {
            status: status.ok_or_else(|| Error::Internal("a kept answer has no status".into()))?,
            etag: kept.etag.as_deref().map(value).transpose()?,
            location: kept.location.as_deref().map(value).transpose()?,
            change: kept.change,
            body: kept.body,
            replayed: true,
        })
    }
}

fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(text).map_err(|error| Error::Internal(Box::new(error)))
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::NO_CONTENT {
            headers.remove(header::CONTENT_TYPE);
        } else {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in [(header::ETAG, self.etag), (header::LOCATION, self.location)] {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        if let Some(change) = self.change {
            headers.insert(UNDOABLE, change.0.into());
        }
        if self.replayed {
            headers.insert(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"));
        }
        response
    }
}

impl App {
    /// Returns the stored response of a repeated write. For writes that span several transactions, which store their
    /// response with [`Self::keep_answer`].
    pub async fn kept_answer(&self, once: &Once) -> Result<Option<Answer>> {
        let Some(claim) = once.0.clone() else { return Ok(None) };
        let begun = self.library.db.write(move |tx| idempotency::begin(tx, &claim.request)).await?;
        match begun {
            Begun::First => Ok(None),
            Begun::Reused => Err(Error::IdempotencyKeyReused),
            Begun::Repeat(kept) => {
                once.0.iter().for_each(|claim| claim.used.store(true, Ordering::Relaxed));
                Answer::repeated(kept).map(Some)
            }
        }
    }

    /// Stores the response of a write that spans several transactions.
    pub async fn keep_answer(&self, once: Once, answer: Answer) -> Result<Answer> {
        if once.0.is_none() {
            return Ok(answer);
        }
        self.once(once, move |_| Ok(answer)).await
    }

    /// Runs a write and stores its response in one transaction. A repeat gets the stored response and skips the effect;
    /// a refused write stores nothing, so its repeat runs again.
    pub async fn once<F>(&self, once: Once, effect: F) -> Result<Answer>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<Answer> + Send + 'static,
    {
        let Some(claim) = once.0 else { return self.library.db.write(effect).await };
        claim.used.store(true, Ordering::Relaxed);
        let now = self.library.clock.now();
        self.library
            .db
            .write(move |tx| match idempotency::begin(tx, &claim.request)? {
                Begun::Reused => Err(Error::IdempotencyKeyReused),
                Begun::Repeat(kept) => Answer::repeated(kept),
                Begun::First => {
                    let answer = effect(tx)?;
                    idempotency::keep(tx, &claim.request, &answer.kept()?, now)?;
                    Ok(answer)
                }
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint_of(method: &str, uri: &str, body: &str) -> String {
        let request = axum::http::Request::builder().method(method).uri(uri).body(()).unwrap_or_default();
        fingerprint(&request.into_parts().0, body.as_bytes())
    }

    #[test]
    fn a_request_is_the_same_whatever_its_spaces_its_order_and_its_password() {
        let first = fingerprint_of("POST", "/books?a=1", r#"{"title":"t","password":"one"}"#);
        assert_eq!(first, fingerprint_of("POST", "/books?a=1", r#"{ "newPassword": "x", "title": "t" }"#));
        for (method, uri, body) in [
            ("PUT", "/books?a=1", r#"{"title":"t"}"#),
            ("POST", "/books", r#"{"title":"t"}"#),
            ("POST", "/books?a=1", r#"{"title":"T"}"#),
            ("POST", "/books?a=1", ""),
        ] {
            assert_ne!(first, fingerprint_of(method, uri, body), "{method} {uri} {body}");
        }
    }

    #[test]
    fn a_key_is_1_to_128_printable_characters() {
        let with = |keys: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for key in keys {
                headers.append(KEY, HeaderValue::from_bytes(key).unwrap_or(HeaderValue::from_static("")));
            }
            key(&headers)
        };
        assert_eq!(with(&[]).ok(), Some(None));
        let longest = [b'k'; LONGEST_KEY];
        for good in [b"a b~!".as_slice(), &longest] {
            assert!(with(&[good]).is_ok_and(|key| key.is_some_and(|key| key.as_bytes() == good)));
        }
        for bad in [b"".as_slice(), &[b'k'; LONGEST_KEY + 1], b"a\tb", "clé".as_bytes()] {
            assert!(matches!(with(&[bad]), Err(Error::Invalid(_))), "{bad:?}");
        }
        assert!(matches!(with(&[b"a", b"b"]), Err(Error::Invalid(_))));
    }
}
