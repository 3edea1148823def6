//! Strict parsing of requests, with errors that name the field at fault.

use axum::{
    body::{Bytes, HttpBody as _},
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

use super::error::{Error, Result};
use crate::{
    domain::rule::Invalid,
    message::{self, Message},
    money,
};

/// JSON body with exactly the fields of `T`.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        if !is_json(request.headers()) {
            return Err(Error::UnsupportedMediaType);
        }
        parse(&body(request, state).await?).map(Self)
    }
}

/// Raw body.
pub struct Body(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        body(request, state).await.map(Self)
    }
}

/// JSON body that may be omitted.
pub struct OptionalJsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalJsonBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let json = is_json(request.headers());
        let bytes = body(request, state).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        if !json {
            return Err(Error::UnsupportedMediaType);
        }
        // The API document allows `null` for an optional body.
        Ok(Self(parse::<Option<T>>(&bytes)?.unwrap_or_default()))
    }
}

/// Empty body: `{}` or no body at all.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Deserialises a present value, null included, as `Some`, to distinguish it from an omitted one.
pub(super) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

pub(super) async fn body<S: Send + Sync>(mut request: Request, state: &S) -> Result<Bytes> {
    let limit = super::body_limit(request.uri().path());
    // Refuses a body by its declared length, before waiting for its bytes.
    if request.body().size_hint().lower() > limit as u64 {
        return Err(Error::PayloadTooLarge(limit));
    }
    DefaultBodyLimit::max(limit).apply(&mut request);
    Bytes::from_request(request, state).await.map_err(|rejection| match rejection {
        BytesRejection::FailedToBufferBody(refused) if refused.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Error::PayloadTooLarge(limit)
        }
        other => Error::MalformedJson(other.body_text()),
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
        value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    // serde would accept an array as an object with unnamed fields.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
            Ok(_) => Error::Invalid(wrong_field(".", "invalid type: sequence, expected an object")),
            Err(error) => Error::MalformedJson(error.to_string()),
        });
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        match inner.classify() {
            serde_json::error::Category::Data => Error::Invalid(wrong_field(&path, &inner.to_string())),
            _ => Error::MalformedJson(inner.to_string()),
        }
    })?;
    deserializer.end().map_err(|error| Error::MalformedJson(error.to_string()))?;
    Ok(value)
}

/// Builds the error for the field at fault, as far as the parser's message names it.
fn wrong_field(path: &str, reason: &str) -> Invalid {
    // serde's texts: missing field `x` / unknown field `x`, expected … / invalid type: …, then " at line " and the
    // position.
    let reason = reason.split(" at line ").next().unwrap_or(reason);
    let quoted = reason.split('`').nth(1).unwrap_or_default();
    let (field, message) = if reason.starts_with("missing field") {
        (quoted, message::missing())
    } else if reason.starts_with("unknown field") {
        (quoted, message::unknown_field(quoted))
    } else if reason.starts_with("duplicate field") {
        (quoted, message::duplicate())
    } else {
        (if path == "." { "" } else { path }, wrong_type(reason))
    };
    Invalid::field(field.to_owned(), message)
}

/// Translates the parser's message about a wrong type into plain words.
fn wrong_type(reason: &str) -> Message {
    let expected = reason.rsplit_once("expected ").map_or("", |(_, expected)| expected);
    if reason.starts_with("unknown variant") {
        // expected `a` / expected `a` or `b` / expected one of `a`, `b`, `c`
        let choices: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        return message::not_one_of(&choices.join(", "));
    }
    match expected {
        "a string" => message::not_text(),
        "i8" | "i64" | "u64" | "usize" => message::not_whole_number(),
        "f64" => message::not_number(),
        "a boolean" => message::not_true_or_false(),
        money::EXPECTED => message::not_amount(),
        _ if reason.contains("invalid digit") => message::not_whole_number(),
        _ if expected.starts_with("struct") || expected.starts_with("an object") => message::not_object(),
        _ if expected.starts_with("a sequence") => message::not_list(),
        _ => message::wrong_type(reason),
    }
}

/// Text in a path. The request gets 404 if the text is not UTF-8 or contains a NUL, which PostgreSQL does not accept.
pub struct PathText(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        text.ok()
            .filter(|Path(text)| !text.contains('\0'))
            .map(|Path(text)| Self(text))
            .ok_or(Error::NotFound)
    }
}

/// Positive number in a path; any other text gets 404.
pub struct Id<T>(pub T);

impl<S: Send + Sync, T: From<i64>> FromRequestParts<S> for Id<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let PathText(text) = PathText::from_request_parts(parts, state).await?;
        match text.parse::<i64>() {
            Ok(id) if id > 0 && !text.starts_with('+') => Ok(Self(id.into())),
            _ => Err(Error::NotFound),
        }
    }
}

/// Query parameters. Removes NUL, which PostgreSQL does not accept in a text.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let with_nul = parts.uri.query().is_some_and(|query| query.contains("%00"));
        let query = if with_nul {
            let uri = parts.uri.to_string().replace("%00", "").parse();
            axum::extract::Query::<T>::try_from_uri(&uri.map_err(|_| Error::NotFound)?)
        } else {
            axum::extract::Query::<T>::try_from_uri(&parts.uri)
        };
        query.map(|query| Self(query.0)).map_err(|rejection| {
            let text = rejection.body_text();
            let reason = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
            match reason.split_once(": ") {
                Some((field, reason)) if !field.contains(' ') => Error::Invalid(wrong_field(field, reason)),
                _ => Error::Invalid(wrong_field(".", reason)),
            }
        })
    }
}
