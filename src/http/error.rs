//! Everything that can go wrong with a request, and how the person is told (RFC 9457).

use std::borrow::Cow;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::edge::request_id;
use crate::{
    circulation::{Block, Refusal},
    domain::{
        copy,
        rule::{FieldError, Invalid},
    },
    message, password, storage,
};

/// A handler's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is told to the person, in the specification's words where it gives them (its section 8).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields that are missing or wrong.
    #[error("fields are wrong")]
    Invalid(Invalid),
    /// The body is no JSON.
    #[error("the body is no JSON: {0}")]
    MalformedJson(String),
    /// The body is longer than 64 KiB.
    #[error("the body is too large")]
    PayloadTooLarge,
    /// The body did not arrive within the time that a request has.
    #[error("the request did not arrive in time")]
    RequestTimeout,
    /// The body is not said to be JSON.
    #[error("the body is not said to be JSON")]
    UnsupportedMediaType,
    /// Nobody is signed in.
    #[error("nobody is signed in")]
    NotSignedIn,
    /// Sign-in failed, whatever the reason (R-LOGIN-4).
    #[error("sign-in failed")]
    InvalidCredentials,
    /// The account's role is none the program knows (R-LOGIN-5).
    #[error("the account has no usable role")]
    RoleUndefined,
    /// The account vanished during sign-in (R-LOGIN-5).
    #[error("the account is gone")]
    UserMissing,
    /// The signed-in person's role may not do this.
    #[error("the role may not do this")]
    Forbidden,
    /// A browser sent this for another site.
    #[error("the request comes from another site")]
    CrossOrigin,
    /// No such thing, or not yours.
    #[error("not found")]
    NotFound,
    /// The path exists, but not for this method.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// The rules of circulation do not allow it; every reason.
    #[error("circulation refused: {0:?}")]
    Refused(Refusal),
    /// A copy cannot go from one state to the other (R-COPY-2).
    #[error("a copy cannot go from {from:?} to {to:?}")]
    NoWay { from: copy::State, to: copy::Condition },
    /// Another account has this email address.
    #[error("the email address is taken")]
    EmailTaken,
    /// Another account has this roll number.
    #[error("the roll number is taken")]
    RollNumberTaken,
    /// Somebody else saved the book meanwhile (R-BOOK-7).
    #[error("the book was changed meanwhile")]
    Stale,
    /// Another request had this `Idempotency-Key`.
    #[error("the idempotency key was used for another request")]
    IdempotencyKeyReused,
    /// An update did not say which version it edits.
    #[error("If-Match is missing")]
    VersionRequired,
    /// Tried too often; seconds until the next try.
    #[error("too many tries")]
    TooManyRequests(u64),
    /// The card look-up found nobody (R-SCAN-3).
    #[error("no account has this roll number")]
    CardUnknown,
    /// The card look-up found an account without a usable role (R-SCAN-3).
    #[error("the card's account has no usable role")]
    CardRoleUnknown,
    /// The server cannot do it now; nothing was changed.
    #[error("the server is busy")]
    Busy(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// The database is out of reach, its disk full or its file gone; nothing was changed.
    #[error("the database does not work")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The connection to the database broke during COMMIT, or a write took too long: it may have happened or not.
    #[error("nobody knows whether the change was stored")]
    OutcomeUnknown(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// A fault of the program or of the machine.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        match error {
            storage::Error::Busy(source) => Self::Busy(source),
            storage::Error::Unavailable(source) => Self::Unavailable(source),
            storage::Error::OutcomeUnknown(source) => Self::OutcomeUnknown(source),
            storage::Error::Closed => Self::Busy(None),
            other => Self::Internal(Box::new(other)),
        }
    }
}

impl From<password::Error> for Error {
    fn from(error: password::Error) -> Self {
        match error {
            password::Error::Busy => Self::Busy(Some(Box::new(error))),
            password::Error::AccountBusy => Self::TooManyRequests(2),
            password::Error::Failed(_) => Self::Internal(Box::new(error)),
        }
    }
}

/// What a failed request answers: `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: `code` tells the kind.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub kind: &'static str,
    /// The status in words.
    #[schema(value_type = String)]
    pub title: Cow<'static, str>,
    /// The HTTP status.
    pub status: u16,
    /// What happened and what to do, for the person.
    #[schema(value_type = String)]
    pub detail: Cow<'static, str>,
    /// Tells one kind of problem from another; never changes.
    pub code: Code,
    /// Names the request, in the log of the server too.
    #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub request_id: Option<String>,
    /// The fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<FieldError>,
    /// Why circulation refused it, every reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub blocks: Vec<BlockShown>,
}

/// A reason why circulation refused something.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BlockShown {
    #[schema(value_type = String)]
    pub id: &'static str,
    /// In words, with the way out.
    pub text: String,
    /// Whether a librarian may act against it, with a reason.
    pub overridable: bool,
    /// The numbers and days in the words.
    pub facts: serde_json::Map<String, serde_json::Value>,
    /// The template of the words, `x-messages[code]`.
    #[schema(value_type = String)]
    pub code: &'static str,
}

impl From<&Block> for BlockShown {
    fn from(block: &Block) -> Self {
        let message = block.message();
        Self {
            id: block.id(),
            text: message.text(),
            overridable: block.overridable(),
            code: message.code,
            facts: message.params,
        }
    }
}

macro_rules! codes {
    ($($variant:ident = $text:tt),+ $(,)?) => {
        /// The kinds of problems a client can tell apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
        pub enum Code {
            $(
                #[doc = concat!("`", $text, "`")]
                #[serde(rename = $text)]
                $variant,
            )+
        }
    };
}

codes! {
    Invalid = "invalid",
    MalformedJson = "malformed-json",
    PayloadTooLarge = "payload-too-large",
    RequestTimeout = "request-timeout",
    UnsupportedMediaType = "unsupported-media-type",
    NotSignedIn = "not-signed-in",
    InvalidCredentials = "invalid-credentials",
    RoleUndefined = "role-undefined",
    UserMissing = "user-missing",
    Forbidden = "forbidden",
    CrossOrigin = "cross-origin",
    NotFound = "not-found",
    MethodNotAllowed = "method-not-allowed",
    BookUnavailable = "book-unavailable",
    LoanFined = "loan-fined",
    Refused = "refused",
    CopyState = "copy-state",
    EmailTaken = "email-taken",
    RollNumberTaken = "roll-number-taken",
    Stale = "stale",
    VersionRequired = "version-required",
    IdempotencyKeyReused = "idempotency-key-reused",
    TooManyRequests = "too-many-requests",
    CardUnknown = "card-unknown",
    CardRoleUnknown = "card-role-unknown",
    Busy = "busy",
    Unavailable = "unavailable",
    OutcomeUnknown = "outcome-unknown",
    Internal = "internal",
}

const EMAIL_TAKEN: &str = "An account with this email already exists. Sign in, or use another address.";
const ROLL_NUMBER_TAKEN: &str =
    "An account with this roll number already exists. Check the number on your ID card.";

/// Every reason at once; the first tells the code.
fn refused(refusal: &Refusal) -> (StatusCode, Code, Cow<'static, str>) {
    let code = match refusal.blocks.as_slice() {
        [Block::NoCopy, ..] => Code::BookUnavailable,
        [Block::Fined { .. }, ..] => Code::LoanFined,
        _ => Code::Refused,
    };
    let reasons: Vec<String> = refusal.blocks.iter().map(|block| block.message().text()).collect();
    (StatusCode::CONFLICT, code, reasons.join(" ").into())
}

impl Error {
    fn told(&self) -> (StatusCode, Code, Cow<'static, str>) {
        let (status, code, detail) = match self {
            Self::Invalid(invalid) => {
                return (StatusCode::UNPROCESSABLE_ENTITY, Code::Invalid, in_one_sentence(invalid));
            }
            Self::MalformedJson(reason) => {
                let detail = format!("The request's body is not well-formed JSON: {reason}.").into();
                return (StatusCode::BAD_REQUEST, Code::MalformedJson, detail);
            }
            Self::TooManyRequests(seconds) => {
                let detail = format!("Too many tries. Wait {} and try again.", in_words(*seconds)).into();
                return (StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail);
            }
            Self::Refused(refusal) => return refused(refusal),
            Self::NoWay { from, to } => {
                let detail = message::copy_no_way(from.as_str(), to.as_str()).text().into();
                return (StatusCode::CONFLICT, Code::CopyState, detail);
            }
            Self::PayloadTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                Code::PayloadTooLarge,
                "The request's body is larger than 64 KiB.",
            ),
            Self::RequestTimeout => (
                StatusCode::REQUEST_TIMEOUT,
                Code::RequestTimeout,
                "The request did not arrive in time. Nothing was changed; please try again.",
            ),
            Self::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Code::UnsupportedMediaType,
                "The request's body must be JSON, sent with Content-Type: application/json.",
            ),
            Self::NotSignedIn => (StatusCode::UNAUTHORIZED, Code::NotSignedIn, "Please sign in first."),
            Self::InvalidCredentials => {
                (StatusCode::UNAUTHORIZED, Code::InvalidCredentials, "Invalid email or password.")
            }
            Self::RoleUndefined => (StatusCode::FORBIDDEN, Code::RoleUndefined, "User role not defined."),
            Self::UserMissing => (StatusCode::UNAUTHORIZED, Code::UserMissing, "User data not found."),
            Self::Forbidden => (StatusCode::FORBIDDEN, Code::Forbidden, "Your account may not do this."),
            Self::CrossOrigin => (
                StatusCode::FORBIDDEN,
                Code::CrossOrigin,
                "This request came from another site and was refused.",
            ),
            Self::NotFound => {
                (StatusCode::NOT_FOUND, Code::NotFound, "There is nothing here, or it is no longer there.")
            }
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                Code::MethodNotAllowed,
                "This address does not take this method.",
            ),
            Self::EmailTaken => (StatusCode::CONFLICT, Code::EmailTaken, EMAIL_TAKEN),
            Self::RollNumberTaken => (StatusCode::CONFLICT, Code::RollNumberTaken, ROLL_NUMBER_TAKEN),
            Self::Stale => (
                StatusCode::PRECONDITION_FAILED,
                Code::Stale,
                "Somebody else saved this book while you were editing it. Nothing was overwritten.",
            ),
            Self::VersionRequired => (
                StatusCode::PRECONDITION_REQUIRED,
                Code::VersionRequired,
                "Say which version you edited: send the book's ETag in If-Match.",
            ),
            Self::IdempotencyKeyReused => (
                StatusCode::UNPROCESSABLE_ENTITY,
                Code::IdempotencyKeyReused,
                "This Idempotency-Key was used for another request. Nothing was changed; send each new request with a new key.",
            ),
            Self::CardUnknown => {
                (StatusCode::NOT_FOUND, Code::CardUnknown, "No user found for the scanned roll number.")
            }
            Self::CardRoleUnknown => {
                (StatusCode::FORBIDDEN, Code::CardRoleUnknown, "User role is not recognized.")
            }
            Self::Busy(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                Code::Busy,
                "The library is very busy. Nothing was changed; please try again in a moment.",
            ),
            Self::Unavailable(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                Code::Unavailable,
                "The library cannot reach its records right now. Nothing was changed; please try again in a few minutes.",
            ),
            Self::OutcomeUnknown(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                Code::OutcomeUnknown,
                "It is not certain whether this was saved. Please reload and look before you try again: it may have worked.",
            ),
            Self::Internal(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                Code::Internal,
                "Something went wrong on the server. Nothing was changed; please try again.",
            ),
        };
        (status, code, detail.into())
    }

    fn fields(&self) -> Vec<FieldError> {
        let field = |field: &'static str, message: &str| {
            vec![FieldError { field: field.into(), message: message.into() }]
        };
        match self {
            Self::Invalid(invalid) => invalid.0.clone(),
            Self::EmailTaken => field("email", EMAIL_TAKEN),
            Self::RollNumberTaken => field("rollNumber", ROLL_NUMBER_TAKEN),
            _ => Vec::new(),
        }
    }
}

fn in_one_sentence(invalid: &Invalid) -> Cow<'static, str> {
    match invalid.0.as_slice() {
        [one] => one.message.clone().into(),
        several => format!("{} fields need your attention.", several.len()).into(),
    }
}

fn in_words(seconds: u64) -> String {
    match seconds {
        0..=1 => "a second".into(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, code, detail) = self.told();
        match &self {
            // Storage tells when this begins and when it ends; a line for each request would fill the disk.
            Self::Busy(None) | Self::Unavailable(_) => {
                tracing::debug!(error = &self as &dyn std::error::Error, "request refused");
            }
            // Logged here and nowhere else; the person sees nothing of it.
            _ if status.is_server_error() => tracing::error!(
                error = &self as &dyn std::error::Error,
                status = status.as_u16(),
                "request failed"
            ),
            _ => {}
        }
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error").into(),
            status: status.as_u16(),
            detail,
            code,
            request_id: request_id(),
            errors: self.fields(),
            blocks: match &self {
                Self::Refused(refusal) => refusal.blocks.iter().map(BlockShown::from).collect(),
                _ => Vec::new(),
            },
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let wait = match self {
            Self::TooManyRequests(seconds) => Some(seconds.max(1)),
            Self::Busy(_) => Some(2),
            Self::Unavailable(_) => Some(10),
            _ => None,
        };
        if let Some(seconds) = wait {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
