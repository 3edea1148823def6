//! Failures of requests, and their responses (RFC 9457).

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{edge::request_id, passkeys::PASSKEYS, security_log};
use crate::{
    circulation::{Block, BlockShown, Refusal},
    domain::{
        copy,
        rule::{FieldError, Invalid},
    },
    import,
    message::{self, Message},
    password,
    storage::{self, phones},
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Failures of a request. The messages for the caller use the wording of the specification (section 8) where there is
/// one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Missing or invalid fields.
    #[error("fields are wrong")]
    Invalid(Invalid),
    /// The body is not JSON.
    #[error("the body is no JSON: {0}")]
    MalformedJson(String),
    /// The body is longer than this limit in bytes.
    #[error("the body is too large")]
    PayloadTooLarge(usize),
    /// The body did not arrive within the request's time limit.
    #[error("the request did not arrive in time")]
    RequestTimeout,
    /// The request's end or host is ambiguous.
    #[error("the request's length or host is uncertain")]
    Unsound,
    /// The content type is not JSON.
    #[error("the body is not said to be JSON")]
    UnsupportedMediaType,
    /// Not signed in.
    #[error("nobody is signed in")]
    NotSignedIn,
    /// Sign-in failed, for any reason (R-LOGIN-4).
    #[error("sign-in failed")]
    InvalidCredentials,
    /// The account's role is unknown to the program (R-LOGIN-5).
    #[error("the account has no usable role")]
    RoleUndefined,
    /// The password is right, but the account is not active (R-PEOPLE-6).
    #[error("the account is not active")]
    AccountInactive,
    /// The sign-in code does not exist, has expired, or belongs to another person.
    #[error("the sign-in code is not right")]
    InvalidCode,
    /// The reset link was used, has expired, or never existed.
    #[error("the link is not valid")]
    InvalidLink,
    /// The code for the first librarian is wrong or has expired.
    #[error("the code for the first librarian is not right")]
    InvalidSetupCode,
    /// The library has a librarian already.
    #[error("the library has a librarian")]
    SetupDone,
    /// The password is right, but the second factor is still missing; no session is open yet.
    #[error("the second factor is asked for")]
    SecondFactorNeeded,
    /// The code is wrong or already used.
    #[error("the second factor is not right")]
    InvalidSecondFactor,
    /// The half sign-in has expired, or began in another browser.
    #[error("the half sign-in has ended")]
    SignInExpired,
    /// A librarian must set up a second factor first (`--second-factor librarians`).
    #[error("a librarian has no second factor")]
    SecondFactorMissing,
    /// An authenticator app is already set up.
    #[error("the second factor is on already")]
    SecondFactorOn,
    /// Unknown passkey or invalid assertion; the caller does not learn which.
    #[error("the passkey is not right")]
    InvalidPasskey,
    /// The new passkey cannot be used here.
    #[error("the passkey cannot be used here")]
    PasskeyRefused,
    /// The new passkey arrived too late or in another session.
    #[error("the passkey came too late")]
    PasskeyExpired,
    /// The person has the maximum number of passkeys.
    #[error("the person has too many passkeys")]
    TooManyPasskeys,
    /// The college's sign-in provider is unavailable at the moment.
    #[error("the sign-in provider is of no use now")]
    ProviderUnavailable,
    /// This browser has not returned from the provider, or its sign-in has expired.
    #[error("there is no sign-in by the provider to go on with")]
    ProviderForgotten,
    /// The action would leave no librarian with all capabilities.
    #[error("the last librarian")]
    LastLibrarian,
    /// Librarians cannot do this to their own account.
    #[error("the librarian's own account")]
    OwnAccount,
    /// The target account has capabilities that the librarian lacks.
    #[error("the account may do more than the librarian's")]
    MoreCapable,
    /// The account was deleted during sign-in (R-LOGIN-5).
    #[error("the account is gone")]
    UserMissing,
    /// The caller's role or capabilities do not allow this.
    #[error("the role may not do this")]
    Forbidden,
    /// Cross-site request from a browser.
    #[error("the request comes from another site")]
    CrossOrigin,
    /// Not found, or not visible to the caller.
    #[error("not found")]
    NotFound,
    /// The path exists, but not with this method.
    #[error("method not allowed")]
    MethodNotAllowed,
    /// Refused by the circulation rules, with every reason.
    #[error("circulation refused: {0:?}")]
    Refused(Refusal),
    /// The copy cannot change from one state to the other (R-COPY-2).
    #[error("a copy cannot go from {from:?} to {to:?}")]
    TransitionNotAllowed { from: copy::State, to: copy::Condition },
    /// Another account has this email address; the message depends on whether its owner or a librarian entered it.
    #[error("the email address is taken")]
    EmailTaken(Message),
    /// Another account has this roll number; the message depends on whether its owner or a librarian entered it.
    #[error("the roll number is taken")]
    RollNumberTaken(Message),
    /// Another save has replaced the version that the caller loaded (R-BOOK-7).
    #[error("the book was changed meanwhile")]
    Stale,
    /// The `Idempotency-Key` belongs to another request.
    #[error("the idempotency key was used for another request")]
    IdempotencyKeyReused,
    /// An update without `If-Match`.
    #[error("If-Match is missing")]
    VersionRequired,
    /// Rate limited; seconds until the next try.
    #[error("too many tries")]
    TooManyRequests(u64),
    /// The phone's token is unknown, or its pairing has ended.
    #[error("the phone no longer scans for a desk")]
    PhoneEnded,
    /// Another phone has opened this pairing code.
    #[error("the pairing code was used")]
    PhoneCodeUsed,
    /// The pairing code does not exist or has expired.
    #[error("the pairing code has expired")]
    PhoneCodeExpired,
    /// The librarian has the maximum number of phones.
    #[error("too many phones scan for this librarian")]
    TooManyPhones,
    /// No account has the card's roll number (R-SCAN-3).
    #[error("no account has this roll number")]
    CardUnknown,
    /// The card's account has no known role (R-SCAN-3).
    #[error("the card's account has no usable role")]
    CardRoleUnknown,
    /// Another import is running on this server.
    #[error("another import is running")]
    ImportRunning,
    /// The server has no folder for backups.
    #[error("the server makes no backups")]
    BackupsOff,
    /// No mail server is configured.
    #[error("no mail server is configured")]
    MailOff,
    /// The caller has no email address.
    #[error("the caller has no address")]
    NoOwnAddress,
    /// The import stopped after storing part of the people.
    #[error("the import stopped after {stored} people were stored")]
    ImportStopped {
        stored: usize,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server is overloaded; nothing was changed.
    #[error("the server is busy")]
    Busy(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// The disk has no room; nothing was changed.
    #[error("the disk is full")]
    DiskFull(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database is unreachable or its file is gone; nothing was changed.
    #[error("the database does not work")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The connection broke during COMMIT, or a write took too long; the change may or may not be stored.
    #[error("nobody knows whether the change was stored")]
    OutcomeUnknown(#[source] Option<Box<dyn std::error::Error + Send + Sync>>),
    /// A fault of the program or the machine.
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
            storage::Error::Full(source) => Self::DiskFull(source),
            storage::Error::Unavailable(source) => Self::Unavailable(source),
            storage::Error::OutcomeUnknown(source) => Self::OutcomeUnknown(source),
            storage::Error::Closed => Self::Busy(None),
            other => Self::Internal(Box::new(other)),
        }
    }
}

impl From<import::people::Error> for Error {
    fn from(error: import::people::Error) -> Self {
        use import::people::Error as Failed;
        match error {
            Failed::File(error) => super::imports::unsound(&error),
            Failed::Refused(message) => Invalid::field("file", message).into(),
            Failed::Storage(error) => error.into(),
            Failed::Stopped { stored, source } => Self::ImportStopped { stored, source: Box::new(source) },
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

/// Response to a failed request: `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`; `code` is the kind of problem.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub kind: &'static str,
    /// Reason phrase of the status.
    #[schema(value_type = String)]
    pub title: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Problem and remedy for the person, in English: `x-messages["problem." + code]`. The field's message if exactly one field
    /// is wrong; every reason if circulation refused.
    pub detail: String,
    /// Kind of the problem; the codes are stable.
    pub code: Code,
    /// Parameters of the message.
    pub params: Map<String, Value>,
    /// Id of the request, also in the server's log.
    #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub request_id: Option<String>,
    /// Fields that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub errors: Vec<FieldError>,
    /// Every reason why circulation refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub blocks: Vec<BlockShown>,
}

macro_rules! codes {
    ($($variant:ident = $text:tt),+ $(,)?) => {
        /// Kinds of problems that a client can distinguish.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
        pub enum Code {
            $(
                #[doc = concat!("`", $text, "`")]
                #[serde(rename = $text)]
                $variant,
            )+
        }

        #[cfg(test)]
        const CODES: &[&str] = &[$($text),+];
    };
}

codes! {
    Invalid = "invalid",
    MalformedJson = "malformed-json",
    PayloadTooLarge = "payload-too-large",
    RequestTimeout = "request-timeout",
    UnsoundRequest = "unsound-request",
    UnsupportedMediaType = "unsupported-media-type",
    NotSignedIn = "not-signed-in",
    InvalidCredentials = "invalid-credentials",
    RoleUndefined = "role-undefined",
    AccountInactive = "account-inactive",
    InvalidCode = "invalid-code",
    InvalidLink = "invalid-link",
    InvalidSetupCode = "invalid-setup-code",
    SetupDone = "setup-done",
    SecondFactorNeeded = "second-factor-needed",
    InvalidSecondFactor = "invalid-second-factor",
    SignInExpired = "sign-in-expired",
    SecondFactorMissing = "second-factor-missing",
    SecondFactorOn = "second-factor-on",
    InvalidPasskey = "invalid-passkey",
    PasskeyRefused = "passkey-refused",
    PasskeyExpired = "passkey-expired",
    TooManyPasskeys = "too-many-passkeys",
    ProviderUnavailable = "provider-unavailable",
    ProviderForgotten = "provider-forgotten",
    LastLibrarian = "last-librarian",
    OwnAccount = "own-account",
    MoreCapable = "more-capable",
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
    PhoneEnded = "phone-ended",
    PhoneCodeUsed = "phone-code-used",
    PhoneCodeExpired = "phone-code-expired",
    TooManyPhones = "too-many-phones",
    CardUnknown = "card-unknown",
    CardRoleUnknown = "card-role-unknown",
    ImportRunning = "import-running",
    BackupsOff = "backups-off",
    MailOff = "mail-off",
    NoOwnAddress = "no-own-address",
    ImportStopped = "import-stopped",
    Busy = "busy",
    DiskFull = "disk-full",
    Unavailable = "unavailable",
    OutcomeUnknown = "outcome-unknown",
    Internal = "internal",
}

/// Describes a refusal; the first reason decides the code.
fn refused(refusal: &Refusal) -> (StatusCode, Code, Message) {
    let (code, message) = match refusal.blocks.as_slice() {
        [Block::NoCopy, ..] => (Code::BookUnavailable, message::problem_book_unavailable()),
        [Block::Fined { .. }, ..] => (Code::LoanFined, message::problem_loan_fined()),
        _ => (Code::Refused, message::problem_refused()),
    };
    (StatusCode::CONFLICT, code, message)
}

fn provider_unavailable() -> (StatusCode, Code, Message) {
    let message = message::problem_provider_unavailable();
    (StatusCode::SERVICE_UNAVAILABLE, Code::ProviderUnavailable, message)
}

fn too_many(seconds: u64) -> (StatusCode, Code, Message) {
    // Up to 90 seconds are shown in seconds, longer waits in minutes.
    let minutes = if seconds > 90 { seconds.div_ceil(60) } else { 0 };
    let message = message::problem_too_many_requests(seconds.max(1), minutes);
    (StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, message)
}

impl Error {
    fn described(&self) -> (StatusCode, Code, Message) {
        match self {
            Self::Invalid(invalid) => {
                (StatusCode::UNPROCESSABLE_ENTITY, Code::Invalid, message::problem_invalid(invalid.0.len()))
            }
            Self::MalformedJson(reason) => {
                (StatusCode::BAD_REQUEST, Code::MalformedJson, message::problem_malformed_json(reason))
            }
            Self::Refused(refusal) => refused(refusal),
            Self::TransitionNotAllowed { from, to } => {
                let message = message::problem_copy_state(from.as_str(), to.as_str());
                (StatusCode::CONFLICT, Code::CopyState, message)
            }
            Self::PayloadTooLarge(max) => {
                let message = message::problem_payload_too_large(max / 1024);
                (StatusCode::PAYLOAD_TOO_LARGE, Code::PayloadTooLarge, message)
            }
            Self::RequestTimeout => {
                (StatusCode::REQUEST_TIMEOUT, Code::RequestTimeout, message::problem_request_timeout())
            }
            Self::Unsound => {
                (StatusCode::BAD_REQUEST, Code::UnsoundRequest, message::problem_unsound_request())
            }
            Self::UnsupportedMediaType => {
                let message = message::problem_unsupported_media_type();
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, Code::UnsupportedMediaType, message)
            }
            Self::NotSignedIn => {
                (StatusCode::UNAUTHORIZED, Code::NotSignedIn, message::problem_not_signed_in())
            }
            Self::InvalidCredentials => {
                (StatusCode::UNAUTHORIZED, Code::InvalidCredentials, message::problem_invalid_credentials())
            }
            Self::RoleUndefined => {
                (StatusCode::FORBIDDEN, Code::RoleUndefined, message::problem_role_undefined())
            }
            Self::AccountInactive => {
                (StatusCode::FORBIDDEN, Code::AccountInactive, message::problem_account_inactive())
            }
            Self::InvalidCode
            | Self::InvalidLink
            | Self::InvalidSetupCode
            | Self::SetupDone
            | Self::SecondFactorNeeded
            | Self::InvalidSecondFactor
            | Self::SignInExpired
            | Self::SecondFactorMissing
            | Self::SecondFactorOn
            | Self::InvalidPasskey
            | Self::PasskeyRefused
            | Self::PasskeyExpired
            | Self::TooManyPasskeys
            | Self::ProviderForgotten => self.described_code(),
            Self::ProviderUnavailable => provider_unavailable(),
            Self::LastLibrarian | Self::OwnAccount | Self::MoreCapable => self.described_rank(),
            Self::UserMissing => {
                (StatusCode::UNAUTHORIZED, Code::UserMissing, message::problem_user_missing())
            }
            Self::Forbidden => (StatusCode::FORBIDDEN, Code::Forbidden, message::problem_forbidden()),
            Self::CrossOrigin => (StatusCode::FORBIDDEN, Code::CrossOrigin, message::problem_cross_origin()),
            Self::NotFound => (StatusCode::NOT_FOUND, Code::NotFound, message::problem_not_found()),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                Code::MethodNotAllowed,
                message::problem_method_not_allowed(),
            ),
            Self::EmailTaken(message) => (StatusCode::CONFLICT, Code::EmailTaken, message.clone()),
            Self::RollNumberTaken(message) => (StatusCode::CONFLICT, Code::RollNumberTaken, message.clone()),
            Self::Stale => (StatusCode::PRECONDITION_FAILED, Code::Stale, message::problem_stale()),
            Self::VersionRequired => (
                StatusCode::PRECONDITION_REQUIRED,
                Code::VersionRequired,
                message::problem_version_required(),
            ),
            Self::IdempotencyKeyReused => {
                let message = message::problem_idempotency_key_reused();
                (StatusCode::UNPROCESSABLE_ENTITY, Code::IdempotencyKeyReused, message)
            }
            Self::TooManyRequests(seconds) => too_many(*seconds),
            Self::PhoneEnded | Self::PhoneCodeUsed | Self::PhoneCodeExpired | Self::TooManyPhones => {
                self.described_phone()
            }
            Self::CardUnknown => (StatusCode::NOT_FOUND, Code::CardUnknown, message::problem_card_unknown()),
            Self::CardRoleUnknown => {
                (StatusCode::FORBIDDEN, Code::CardRoleUnknown, message::problem_card_role_unknown())
            }
            Self::MailOff | Self::NoOwnAddress => self.described_mail(),
            Self::BackupsOff => (StatusCode::CONFLICT, Code::BackupsOff, message::problem_backups_off()),
            Self::ImportRunning => {
                (StatusCode::CONFLICT, Code::ImportRunning, message::problem_import_running())
            }
            Self::ImportStopped { stored, .. } => {
                let message = message::problem_import_stopped(*stored);
                (StatusCode::SERVICE_UNAVAILABLE, Code::ImportStopped, message)
            }
            Self::Busy(_)
            | Self::DiskFull(_)
            | Self::Unavailable(_)
            | Self::OutcomeUnknown(_)
            | Self::Internal(_) => self.described_fault(),
        }
    }

    /// Describes a fault of the server or its database.
    fn described_fault(&self) -> (StatusCode, Code, Message) {
        match self {
            Self::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, Code::Busy, message::problem_busy()),
            Self::DiskFull(_) => {
                (StatusCode::INSUFFICIENT_STORAGE, Code::DiskFull, message::problem_disk_full())
            }
            Self::Unavailable(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, message::problem_unavailable())
            }
            Self::OutcomeUnknown(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, Code::OutcomeUnknown, message::problem_outcome_unknown())
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, message::problem_internal()),
        }
    }

    /// Describes failures of sign-in codes, second factors, passkeys and the provider.
    fn described_code(&self) -> (StatusCode, Code, Message) {
        let (unauthorized, forbidden) = (StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN);
        match self {
            Self::InvalidCode => (unauthorized, Code::InvalidCode, message::problem_invalid_code()),
            Self::InvalidLink => (unauthorized, Code::InvalidLink, message::problem_invalid_link()),
            Self::InvalidSetupCode => {
                (unauthorized, Code::InvalidSetupCode, message::problem_invalid_setup_code())
            }
            Self::SetupDone => (StatusCode::CONFLICT, Code::SetupDone, message::problem_setup_done()),
            Self::SecondFactorNeeded => {
                (unauthorized, Code::SecondFactorNeeded, message::problem_second_factor_needed())
            }
            Self::ProviderForgotten => {
                (unauthorized, Code::ProviderForgotten, message::problem_provider_forgotten())
            }
            Self::SignInExpired => (unauthorized, Code::SignInExpired, message::problem_sign_in_expired()),
            Self::SecondFactorMissing => {
                (forbidden, Code::SecondFactorMissing, message::problem_second_factor_missing())
            }
            Self::SecondFactorOn => {
                (StatusCode::CONFLICT, Code::SecondFactorOn, message::problem_second_factor_on())
            }
            Self::InvalidSecondFactor => {
                (unauthorized, Code::InvalidSecondFactor, message::problem_invalid_second_factor())
            }
            _ => self.described_passkey(),
        }
    }

    /// Describes the errors of a mail to the caller.
    fn described_mail(&self) -> (StatusCode, Code, Message) {
        match self {
            Self::NoOwnAddress => {
                (StatusCode::CONFLICT, Code::NoOwnAddress, message::problem_no_own_address())
            }
            _ => (StatusCode::CONFLICT, Code::MailOff, message::problem_mail_off()),
        }
    }

    /// Describes refusals because of the target's or the caller's capabilities.
    fn described_rank(&self) -> (StatusCode, Code, Message) {
        match self {
            Self::LastLibrarian => {
                (StatusCode::CONFLICT, Code::LastLibrarian, message::problem_last_librarian())
            }
            Self::OwnAccount => (StatusCode::CONFLICT, Code::OwnAccount, message::problem_own_account()),
            _ => (StatusCode::FORBIDDEN, Code::MoreCapable, message::problem_more_capable()),
        }
    }

    fn described_phone(&self) -> (StatusCode, Code, Message) {
        match self {
            Self::PhoneCodeUsed => {
                (StatusCode::CONFLICT, Code::PhoneCodeUsed, message::problem_phone_code_used())
            }
            Self::PhoneCodeExpired => {
                (StatusCode::GONE, Code::PhoneCodeExpired, message::problem_phone_code_expired())
            }
            Self::TooManyPhones => {
                (StatusCode::CONFLICT, Code::TooManyPhones, message::problem_too_many_phones(phones::PHONES))
            }
            _ => (StatusCode::UNAUTHORIZED, Code::PhoneEnded, message::problem_phone_ended()),
        }
    }

    fn described_passkey(&self) -> (StatusCode, Code, Message) {
        let conflict = StatusCode::CONFLICT;
        match self {
            Self::PasskeyRefused => (conflict, Code::PasskeyRefused, message::problem_passkey_refused()),
            Self::PasskeyExpired => (conflict, Code::PasskeyExpired, message::problem_passkey_expired()),
            Self::TooManyPasskeys => {
                (conflict, Code::TooManyPasskeys, message::problem_too_many_passkeys(PASSKEYS))
            }
            _ => (StatusCode::UNAUTHORIZED, Code::InvalidPasskey, message::problem_invalid_passkey()),
        }
    }

    fn fields(&self, message: &Message) -> Vec<FieldError> {
        match self {
            Self::Invalid(invalid) => invalid.0.clone(),
            Self::EmailTaken(_) => vec![FieldError::new("email", message.clone())],
            Self::RollNumberTaken(_) => vec![FieldError::new("rollNumber", message.clone())],
            _ => Vec::new(),
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, code, message) = self.described();
        security_log::note_refusal(code);
        match &self {
            // Storage and the provider log the start of an outage; one line per request would fill the disk.
            Self::Busy(None) | Self::DiskFull(_) | Self::Unavailable(_) | Self::ProviderUnavailable => {
                tracing::debug!(error = &self as &dyn std::error::Error, "request refused");
            }
            // The only log line of this fault; the caller sees no details.
            _ if status.is_server_error() => tracing::error!(
                error = &self as &dyn std::error::Error,
                status = status.as_u16(),
                "request failed"
            ),
            _ => {}
        }
        let errors = self.fields(&message);
        let blocks: Vec<BlockShown> = match &self {
            Self::Refused(refusal) => refusal.blocks.iter().map(BlockShown::from).collect(),
            _ => Vec::new(),
        };
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: match (errors.as_slice(), blocks.as_slice()) {
                ([one], _) => one.message.clone(),
                (_, []) => message.text(),
                (_, blocks) => blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join(" "),
            },
            code,
            params: message.params,
            request_id: request_id(),
            errors,
            blocks,
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let wait = match self {
            Self::TooManyRequests(seconds) => Some(seconds.max(1)),
            Self::Busy(_) | Self::ImportStopped { .. } => Some(2),
            Self::DiskFull(_) | Self::Unavailable(_) => Some(10),
            _ => None,
        };
        if let Some(seconds) = wait {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The screens translate a problem by its code and a field error by its rule.
    #[test]
    fn every_problem_has_its_message_and_each_stands_in_the_table() {
        for code in CODES {
            let key = format!("problem.{code}");
            assert!(message::templates().any(|template| template.code == key), "{key}");
        }
        for error in [
            Error::Invalid(Invalid::field("a", message::missing())),
            Error::MalformedJson(String::new()),
            Error::PayloadTooLarge(1024),
            Error::RequestTimeout,
            Error::Unsound,
            Error::UnsupportedMediaType,
            Error::NotSignedIn,
            Error::InvalidCredentials,
            Error::RoleUndefined,
            Error::SecondFactorNeeded,
            Error::InvalidSecondFactor,
            Error::SignInExpired,
            Error::SecondFactorMissing,
            Error::SecondFactorOn,
            Error::InvalidLink,
            Error::InvalidSetupCode,
            Error::SetupDone,
            Error::InvalidPasskey,
            Error::PasskeyRefused,
            Error::PasskeyExpired,
            Error::TooManyPasskeys,
            Error::UserMissing,
            Error::Forbidden,
            Error::CrossOrigin,
            Error::NotFound,
            Error::MethodNotAllowed,
            Error::Refused(Refusal { blocks: vec![Block::NoCopy] }),
            Error::Refused(Refusal { blocks: vec![Block::SelfBorrowOff] }),
            Error::TransitionNotAllowed { from: copy::State::Lost, to: copy::Condition::OnShelf },
            Error::ProviderUnavailable,
            Error::ProviderForgotten,
            Error::EmailTaken(message::problem_email_taken()),
            Error::RollNumberTaken(message::problem_roll_number_taken()),
            Error::Stale,
            Error::IdempotencyKeyReused,
            Error::VersionRequired,
            Error::TooManyRequests(1),
            Error::PhoneEnded,
            Error::PhoneCodeUsed,
            Error::PhoneCodeExpired,
            Error::TooManyPhones,
            Error::CardUnknown,
            Error::CardRoleUnknown,
            Error::ImportRunning,
            Error::BackupsOff,
            Error::MailOff,
            Error::NoOwnAddress,
            Error::ImportStopped { stored: 1, source: "".into() },
            Error::Busy(None),
            Error::DiskFull("".into()),
            Error::Unavailable("".into()),
            Error::OutcomeUnknown(None),
            Error::Internal("".into()),
        ] {
            let (_, code, message) = error.described();
            assert_eq!(serde_json::json!(message.code.strip_prefix("problem.")), serde_json::json!(code));
        }
    }

    #[test]
    fn a_wait_is_told_in_seconds_or_minutes() {
        let wording = |seconds| Error::TooManyRequests(seconds).described().2.text();
        for (seconds, words) in [
            (0, "a second"),
            (1, "a second"),
            (40, "40 seconds"),
            (90, "90 seconds"),
            (91, "2 minutes"),
            (3600, "60 minutes"),
        ] {
            assert_eq!(wording(seconds), format!("Too many tries. Wait {words} and try again."));
        }
    }
}
