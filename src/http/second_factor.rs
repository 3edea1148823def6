//! Second factor: setup, sign-in, removal by its owner, and reset by a librarian.
//!
//! With a second factor, a right password opens no session but a *half sign-in*: a token in a cookie, which the browser sends
//! together with the code. It expires after five minutes and works once.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    API, App, Shared,
    accounts::{CODE as SIGN_IN_CODE, Entered, PreparedSession, Tries, VerifiedSignIn, check_limit},
    client::Network,
    cookie,
    device::Device,
    error::{Error, Result},
    extract::{Id, JsonBody},
    idempotency::{Answer, Once},
    passkeys::OwnPasskey,
    security::CURRENT_PASSWORD,
    security_log::{self, Event},
    session::{self, SignedIn},
};
use crate::{
    domain::{
        account::User,
        change::SignInChange,
        code,
        id::UserId,
        moment::rfc3339,
        rule::{Invalid, Text},
    },
    message, people,
    second_factor::{self, RECOVERY_CODES, SECRET_BYTES, Typed},
    storage::{
        Tx, accounts,
        authority::Authority,
        events::{self, Entry},
        passkeys,
        second_factors::{self, Accepted},
        sessions,
    },
};

/// Lifetime of a half sign-in, milliseconds.
const HALF_LIFETIME: i64 = 5 * 60 * 1000;
/// Time to confirm a new authenticator after giving the password, milliseconds.
const SET_UP_LIFETIME: i64 = 15 * 60 * 1000;

/// Time after a sign-in during which the second factor is not asked for again, milliseconds.
const FRESH: i64 = 5 * 60 * 1000;

/// Limits of a code of an authenticator app or a recovery code, which is the longer of the two.
pub const CODE: Text = SIGN_IN_CODE;

fn cookie_name(https: bool) -> &'static str {
    if https { "__Secure-library-half" } else { "library-half" }
}

/// New half sign-in: hash of its token, and the cookie for the browser.
#[derive(Clone)]
pub(super) struct Half {
    hash: String,
    pub cookie: HeaderValue,
    expires_at: i64,
}

impl Half {
    pub fn begin(https: bool, now: i64) -> Result<Self> {
        let token = session::new_token()?;
        let path = format!("{API}/auth");
        let cookie = cookie::set(https, cookie_name(https), &token, &path, Some(HALF_LIFETIME / 1000))?;
        Ok(Self { hash: session::hashed(&token), cookie, expires_at: now + HALF_LIFETIME })
    }

    /// Begins the half sign-in if the account has a second factor, and returns true if so. Every sign-in without a
    /// passkey calls it.
    pub fn begin_if_needed(&self, tx: &mut Tx<'_>, uid: UserId, kept: bool, now: i64) -> Result<bool> {
        let has_one = second_factors::of(tx, uid)?.is_some();
        if has_one {
            second_factors::begin_half_sign_in(tx, &self.hash, uid, kept, now, self.expires_at)?;
        }
        Ok(has_one)
    }

    /// Builds the response that asks for the second factor.
    pub fn answer(self) -> Response {
        (AppendHeaders([(header::SET_COOKIE, self.cookie)]), Error::SecondFactorNeeded).into_response()
    }

    /// Returns the hash of the half sign-in from a browser's cookie.
    pub fn of(https: bool, headers: &HeaderMap) -> Option<String> {
        cookie::read(headers, cookie_name(https)).map(session::hashed)
    }

    pub fn no_cookie(https: bool) -> Result<HeaderValue> {
        cookie::set(https, cookie_name(https), "", &format!("{API}/auth"), Some(0))
    }
}

/// A code of the authenticator app, or a recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecondFactorCode {
    /// Code; case, spaces and hyphens are ignored.
    #[serde(default)]
    #[schema(required)]
    code: String,
}

impl SecondFactorCode {
    fn read(&self) -> Result<Typed> {
        let mut invalid = Invalid::default();
        let code = CODE.check(&self.code, &mut invalid);
        invalid.into_result(Typed::read(&code)).map_err(Error::from)
    }
}

/// Logs a refused code and returns its error.
fn wrong_code() -> Error {
    security_log::override_event(Event::SecondFactorRefused);
    Invalid::field(CODE.field, message::wrong_code()).into()
}

impl App {
    /// Accepts a code and runs the effect in one transaction; returns `None` if the code is wrong. Wrong codes count as failed
    /// sign-ins.
    async fn with_code<T: Send + 'static>(
        &self,
        uid: UserId,
        tries: Tries,
        typed: Typed,
        effect: impl FnOnce(&mut Tx<'_>, i64) -> Result<T> + Send + 'static,
    ) -> Result<Option<T>> {
        check_limit(self.limits.take_sign_in(&tries))?;
        let now = self.library.clock.now();
        let hash = match &typed {
            Typed::App(_) => String::new(),
            Typed::Recovery(signs) => session::hashed(signs),
        };
        let done = self
            .library
            .db
            .write(move |tx| -> Result<Option<T>> {
                let Some(accepted) = second_factors::accept(tx, uid, &typed, &hash, now)? else {
                    return Ok(None);
                };
                if let Accepted::Recovery(left) = accepted {
                    let change = SignInChange::RecoveryCodeUsed { left };
                    events::record(tx, now, Some(uid), &Entry::person(uid, change))?;
                }
                effect(tx, now).map(Some)
            })
            .await;
        if matches!(done, Ok(None)) {
            self.limits.note_wrong_code(&tries);
        } else {
            self.limits.give_back_sign_in(tries);
        }
        done
    }

    /// Returns the rate-limit keys for codes of a person.
    pub(super) async fn tries_of_code(
        &self,
        uid: UserId,
        network: Network,
        device: Option<&Device>,
    ) -> Result<Tries> {
        let found = self.library.db.read(move |tx| accounts::own_credentials(tx, uid)).await?;
        let (account, stored) = found.ok_or(Error::NotSignedIn)?;
        Tries::of_code(device, uid, &account, network, stored.as_deref())
    }
}

/// Complete a sign-in with the code that follows the password. The half sign-in is read from the browser's cookie.
#[utoipa::path(post, path = "/auth/sign-in/code", request_body = SecondFactorCode,
    responses((status = 200, body = Entered)))]
pub async fn give_code(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<SecondFactorCode>,
) -> Result<Response> {
    let typed = form.read()?;
    let https = app.settings.is_https();
    let half = Half::of(https, &headers).ok_or(Error::SignInExpired)?;
    let (key, now) = (half.clone(), app.library.clock.now());
    let found = app
        .library
        .db
        .read(move |tx| {
            let Some((uid, kept)) = second_factors::half_sign_in(tx, &key, now)? else { return Ok(None) };
            let user = accounts::by_id(tx, uid)?.and_then(|account| account.user);
            let hash = accounts::own_credentials(tx, uid)?.and_then(|(_, hash)| hash);
            Ok::<_, crate::storage::Error>(user.zip(hash).map(|(user, hash)| (user, hash, kept)))
        })
        .await?;
    let (user, hash, remember) = found.ok_or(Error::SignInExpired)?;
    let uid = user.uid;
    security_log::note_account(uid);
    let device = Device::of(https, &headers);
    let tries = app.tries_of_code(uid, network, device.as_ref()).await?;
    let verified = VerifiedSignIn { device, hash, remember, change: Some(SignInChange::SignedIn) };
    let prepared = PreparedSession::of(&app, &headers, user, verified)?;
    let (opened, recovery) = (prepared.clone(), matches!(typed, Typed::Recovery(_)));
    let entered = app.with_code(uid, tries, typed, move |tx, now| {
        if !second_factors::use_up_half_sign_in(tx, &half, now)? {
            return Err(Error::SignInExpired);
        }
        opened.open(tx, now)
    });
    entered.await?.ok_or(Error::InvalidSecondFactor)?;
    if recovery {
        security_log::override_event(Event::RecoveryCodeUsed);
    }
    Ok((AppendHeaders([(header::SET_COOKIE, Half::no_cookie(https)?)]), prepared.answer(&app, true))
        .into_response())
}

/// Second factors that can follow the password.
#[derive(Serialize, ToSchema)]
pub struct SecondStep {
    /// Code of an authenticator app.
    app: bool,
    passkey: bool,
}

/// Read the second factors available for this half sign-in. A recovery code can replace each of them.
#[utoipa::path(get, path = "/auth/sign-in/code", responses((status = 200, body = SecondStep)))]
pub async fn read_second_step(
    State(app): State<Shared>,
    headers: HeaderMap,
) -> Result<axum::Json<SecondStep>> {
    let half = Half::of(app.settings.is_https(), &headers).ok_or(Error::SignInExpired)?;
    let now = app.library.clock.now();
    let found = app
        .library
        .db
        .read(move |tx| match second_factors::half_sign_in(tx, &half, now)? {
            Some((uid, _)) => second_factors::of(tx, uid),
            None => Ok(None),
        })
        .await?
        .ok_or(Error::SignInExpired)?;
    Ok(axum::Json(SecondStep { app: found.app_since.is_some(), passkey: found.passkeys > 0 }))
}

/// The caller's own second factors.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnSecondFactor {
    /// Instant when the authenticator app was set up; null without one.
    #[schema(required, format = DateTime)]
    since: Option<String>,
    /// Passkeys, oldest first.
    passkeys: Vec<OwnPasskey>,
    /// Name of the browser's system, offered as the name of a new passkey; null if unknown.
    #[schema(required)]
    device: Option<&'static str>,
    /// Number of unused recovery codes.
    #[schema(minimum = 0)]
    recovery_codes: i64,
    /// True if adding a second factor or removing a passkey requires a code now.
    code_needed: bool,
    /// True if the library requires a second factor for this role (`--second-factor`).
    required: bool,
}

/// Read the caller's own second factors.
#[utoipa::path(get, path = "/me/second-factor", responses((status = 200, body = OwnSecondFactor)))]
pub async fn read_second_factor(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    headers: HeaderMap,
) -> Result<axum::Json<OwnSecondFactor>> {
    let uid = user.uid;
    let code_needed = needs_code(&app, uid, &headers).await?;
    let (found, passkeys) = app
        .library
        .db
        .read(move |tx| {
            Ok::<_, crate::storage::Error>((second_factors::of(tx, uid)?, passkeys::of(tx, uid)?))
        })
        .await?;
    Ok(axum::Json(OwnSecondFactor {
        since: found.and_then(|set_up| set_up.app_since).map(rfc3339),
        device: session::agent(&headers).system,
        passkeys: passkeys.into_iter().map(OwnPasskey::from).collect(),
        recovery_codes: found.map_or(0, |set_up| set_up.recovery_codes),
        code_needed,
        required: app.settings.requires_second_factor(user.role),
    }))
}

/// Proof that the caller owns the account, required to add a second factor or remove a passkey.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthenticatorBegin {
    #[serde(default)]
    #[schema(required, format = Password)]
    current_password: String,
    /// Code of the authenticator app, or a recovery code. Required if the account has a second factor, unless this
    /// session began within the last five minutes (`codeNeeded` of `GET /me/second-factor`).
    #[serde(default)]
    code: String,
}

/// Key for an authenticator app; shown once.
#[derive(Serialize, ToSchema)]
pub struct AuthenticatorKey {
    /// Key to type: Base32 (RFC 4648).
    secret: String,
    /// Key to show as a QR code: an `otpauth:` address.
    address: String,
}

/// Begin the setup of an authenticator app; a code must confirm it within 15 minutes.
#[utoipa::path(post, path = "/auth/authenticator", request_body = AuthenticatorBegin,
    responses((status = 200, body = AuthenticatorKey)))]
pub async fn begin_authenticator(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<AuthenticatorBegin>,
) -> Result<axum::Json<AuthenticatorKey>> {
    check_proof(&app, &user, network, &headers, form).await?;
    let secret = second_factor::secret_from_random(session::random::<SECRET_BYTES>()?);
    let (policies, uid, now, kept) =
        (app.library.policies.clone(), user.uid, app.library.clock.now(), secret.clone());
    let library = app
        .library
        .db
        .write(move |tx| -> Result<String> {
            if !second_factors::begin(tx, uid, &kept, now)? {
                return Err(Error::SecondFactorOn);
            }
            Ok(policies.current(tx)?.library.name.clone())
        })
        .await?;
    let library = if library.is_empty() { "Library" } else { &library };
    let account = user.email.as_deref().unwrap_or(&user.name);
    let address = second_factor::address(library, account, &secret);
    Ok(axum::Json(AuthenticatorKey { secret, address }))
}

/// Verifies the password and, if the account has a second factor, a code: an open session and a stolen password must
/// not be enough to add or remove a factor. A session younger than [`FRESH`] needs no code, because it was opened with
/// the second factor.
pub(super) async fn check_proof(
    app: &App,
    user: &User,
    network: Network,
    headers: &HeaderMap,
    form: AuthenticatorBegin,
) -> Result<()> {
    let mut invalid = Invalid::default();
    let code = if form.code.is_empty() { String::new() } else { CODE.check(&form.code, &mut invalid) };
    invalid.into_result(())?;
    check_own_password(app, user, network, headers, form.current_password).await?;
    if !needs_code(app, user.uid, headers).await? {
        return Ok(());
    }
    if code.is_empty() {
        return Err(Invalid::field(CODE.field, message::code_needed()).into());
    }
    let device = Device::of(app.settings.is_https(), headers);
    let tries = app.tries_of_code(user.uid, network, device.as_ref()).await?;
    app.with_code(user.uid, tries, Typed::read(&code), |_, _| Ok(())).await?.ok_or_else(wrong_code)
}

/// Returns true if the account has a second factor and this session is older than [`FRESH`].
async fn needs_code(app: &App, uid: UserId, headers: &HeaderMap) -> Result<bool> {
    let (hash, now) = (session::token_hash(app.settings.is_https(), headers)?, app.library.clock.now());
    let session = app.library.db.read(move |tx| sessions::find_valid(tx, &hash, now)).await?;
    let session = session.filter(|session| session.account.uid == uid).ok_or(Error::NotSignedIn)?;
    Ok(session.second_factor && now - session.created_at >= FRESH)
}

async fn check_own_password(
    app: &App,
    user: &User,
    network: Network,
    headers: &HeaderMap,
    password: String,
) -> Result<()> {
    let mut invalid = Invalid::default();
    CURRENT_PASSWORD.check(&password, &mut invalid);
    invalid.into_result(())?;
    let device = Device::of(app.settings.is_https(), headers);
    app.current_password(user.uid, network, device.as_ref(), password).await.map(drop)
}

/// Codes that replace a lost app or passkey; shown once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// Codes, each valid once; empty if unused codes exist already.
    recovery_codes: Vec<String>,
}

impl RecoveryCodes {
    /// Returns an empty list: the existing codes stay valid.
    pub(super) const fn none() -> Self {
        Self { recovery_codes: Vec::new() }
    }
}

/// Generates recovery codes: their hashes, and the response that shows them.
pub(super) fn fresh_recovery_codes() -> Result<(Vec<String>, axum::Json<RecoveryCodes>)> {
    let recovery_codes = (0..RECOVERY_CODES)
        .map(|_| session::random().map(second_factor::recovery_code))
        .collect::<Result<Vec<String>>>()?;
    let hashed = |code: &String| session::hashed(&code::normalized(code));
    Ok((recovery_codes.iter().map(hashed).collect(), axum::Json(RecoveryCodes { recovery_codes })))
}

/// Confirm an authenticator app with a code; sign-in requires the app from now on. Recovery codes are issued if there
/// are none.
#[utoipa::path(post, path = "/auth/authenticator/confirm", request_body = SecondFactorCode,
    responses((status = 200, body = RecoveryCodes)))]
pub async fn confirm_authenticator(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<SecondFactorCode>,
) -> Result<axum::Json<RecoveryCodes>> {
    let typed = form.read()?;
    let (uid, now) = (user.uid, app.library.clock.now());
    let begun = app.library.db.read(move |tx| second_factors::begun(tx, uid, now - SET_UP_LIFETIME)).await?;
    let expired = || Error::from(Invalid::field(CODE.field, message::set_up_expired()));
    let secret = begun.ok_or_else(expired)?;
    let device = Device::of(app.settings.is_https(), &headers);
    let tries = app.tries_of_code(uid, network, device.as_ref()).await?;
    check_limit(app.limits.take_sign_in(&tries))?;
    let step = match typed {
        Typed::App(digits) => second_factor::steps_of(&secret, digits, now).last().copied(),
        Typed::Recovery(_) => None,
    };
    let Some(step) = step else {
        app.limits.note_wrong_code(&tries);
        return Err(wrong_code());
    };
    app.limits.give_back_sign_in(tries);
    let (hashes, fresh) = fresh_recovery_codes()?;
    let first = app
        .library
        .db
        .write(move |tx| -> Result<bool> {
            accounts::lock(tx, uid)?;
            if !second_factors::confirm(tx, uid, &secret, step, now)? {
                return Err(expired());
            }
            events::record(tx, now, Some(uid), &Entry::person(uid, SignInChange::SecondFactorOn))?;
            Ok(second_factors::keep_first_recovery_codes(tx, uid, &hashes)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(if first { fresh } else { axum::Json(RecoveryCodes::none()) })
}

/// Password, and a code of the authenticator app or a recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecondFactorProof {
    #[serde(default)]
    #[schema(required, format = Password)]
    current_password: String,
    #[serde(default)]
    #[schema(required)]
    code: String,
}

/// Runs an effect that requires the caller's password and a right code.
async fn with_proof(
    app: &App,
    user: &User,
    network: Network,
    headers: &HeaderMap,
    form: SecondFactorProof,
    effect: impl FnOnce(&mut Tx<'_>, i64) -> Result<()> + Send + 'static,
) -> Result<()> {
    let mut invalid = Invalid::default();
    CURRENT_PASSWORD.check(&form.current_password, &mut invalid);
    let code = CODE.check(&form.code, &mut invalid);
    invalid.into_result(())?;
    check_own_password(app, user, network, headers, form.current_password).await?;
    let device = Device::of(app.settings.is_https(), headers);
    let tries = app.tries_of_code(user.uid, network, device.as_ref()).await?;
    app.with_code(user.uid, tries, Typed::read(&code), effect).await?.ok_or_else(wrong_code)
}

/// Remove the caller's own authenticator app. Passkeys remain valid.
#[utoipa::path(post, path = "/auth/authenticator/remove", request_body = SecondFactorProof,
    responses((status = 204)))]
pub async fn remove_authenticator(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<SecondFactorProof>,
) -> Result<StatusCode> {
    let uid = user.uid;
    with_proof(&app, &user, network, &headers, form, move |tx, now| {
        second_factors::remove_app(tx, uid)?;
        events::record(tx, now, Some(uid), &Entry::person(uid, SignInChange::SecondFactorOff))?;
        Ok(())
    })
    .await?;
    app.sessions.forget_person(uid);
    Ok(StatusCode::NO_CONTENT)
}

/// Replace the caller's recovery codes.
#[utoipa::path(post, path = "/auth/recovery-codes", request_body = SecondFactorProof,
    responses((status = 200, body = RecoveryCodes)))]
pub async fn make_recovery_codes(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<SecondFactorProof>,
) -> Result<axum::Json<RecoveryCodes>> {
    let uid = user.uid;
    let (hashes, answer) = fresh_recovery_codes()?;
    with_proof(&app, &user, network, &headers, form, move |tx, now| {
        second_factors::replace_recovery_codes(tx, uid, &hashes)?;
        events::record(tx, now, Some(uid), &Entry::person(uid, SignInChange::RecoveryCodesMade))?;
        Ok(())
    })
    .await?;
    Ok(answer)
}

/// Reset the second factor of a person who lost it. The person is signed out, and can then sign in with the password
/// alone.
#[utoipa::path(delete, path = "/people/{id}/second-factor", params(("id" = i64, Path)),
    responses((status = 204)))]
pub async fn reset_second_factor(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
) -> Result<Answer> {
    let moment = app.library.clock.moment();
    let answer = app
        .once(once, move |tx| {
            let authority = Authority::of(tx, librarian.uid)?;
            people::second_factor::reset(tx, &authority, moment, uid)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}
