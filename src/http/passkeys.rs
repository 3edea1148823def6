//! Passkeys: added and removed on the security screen, and used to sign in, alone or after the password.
//!
//! A passkey proves possession and verifies the user in one step, so a sign-in with a passkey has no second step.
//! Passkeys are second factors as well: after the password, a user with a passkey must use the passkey or enter a code.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    API, App, Shared,
    accounts::{Entered, PreparedSession, VerifiedSignIn, check_limit},
    client::Network,
    cookie,
    device::Device,
    error::{Error, Result},
    extract::{Id, JsonBody},
    second_factor::{AuthenticatorBegin, Half, RecoveryCodes, check_proof, fresh_recovery_codes},
    security_log,
    session::{self, SignedIn},
};
use crate::{
    domain::{
        account::User,
        change::SignInChange,
        id::{PasskeyId, UserId},
        moment::rfc3339,
        rule::{Invalid, Kind, Text},
    },
    passkey::{self, ALGORITHMS, CHALLENGE_BYTES, HANDLE_BYTES, Party, Shown},
    storage::{
        Tx, accounts,
        events::{self, Entry},
        passkeys::{self, Passkey},
        second_factors,
    },
};

/// Time limit for the browser's answer, in milliseconds.
const PATIENCE: i64 = 5 * 60 * 1000;
/// Maximum number of passkeys per user.
pub const PASSKEYS: usize = 10;

/// Limits of the name that a user gives a passkey.
pub const NAME: Text = Text { field: "name", label: "Name", min: 1, max: 60, kind: Kind::Line };

fn cookie_name(https: bool) -> &'static str {
    if https { "__Secure-library-passkey" } else { "library-passkey" }
}

/// Builds the cookie of a browser that is asked for a passkey; without a token the cookie is deleted.
fn browser_cookie(https: bool, token: Option<&str>) -> Result<HeaderValue> {
    let lifetime = if token.is_some() { PATIENCE / 1000 } else { 0 };
    cookie::set(https, cookie_name(https), token.unwrap_or_default(), &format!("{API}/auth"), Some(lifetime))
}

fn challenge() -> Result<String> {
    Ok(passkey::encoded(&session::random::<CHALLENGE_BYTES>()?))
}

impl App {
    /// Returns the relying party; fails with [`Error::NotFound`] if browsers create no passkeys at this address.
    fn party(&self) -> Result<Party> {
        Party::at(&self.settings.public_url).ok_or(Error::NotFound)
    }
}

/// Options for the browser's passkey dialog.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyRequest {
    /// For `navigator.credentials`: the JSON form of its options, `PublicKeyCredentialCreationOptionsJSON` or
    /// `PublicKeyCredentialRequestOptionsJSON` (Web Authentication Level 3, 5.1.8 and 5.1.9).
    #[schema(value_type = Object)]
    public_key: Value,
}

/// Passkey of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPasskey {
    id: PasskeyId,
    /// Name chosen by the owner.
    name: String,
    #[schema(format = DateTime)]
    added_at: String,
    /// Null if never used.
    #[schema(required, format = DateTime)]
    last_used_at: Option<String>,
}

impl From<Passkey> for OwnPasskey {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id,
            name: passkey.name,
            added_at: rfc3339(passkey.created_at),
            last_used_at: passkey.used_at.map(rfc3339),
        }
    }
}

/// Describes a passkey to browsers.
fn descriptor(passkey: &Passkey) -> Value {
    let transports: Vec<&str> = passkey.transports.split_ascii_whitespace().collect();
    json!({ "type": "public-key", "id": passkey.credential_id, "transports": transports })
}

/// Begin to add a passkey. The browser must create and send the passkey within five minutes, in the same session.
#[utoipa::path(post, path = "/auth/passkeys", request_body = AuthenticatorBegin,
    responses((status = 200, body = PasskeyRequest)))]
pub async fn begin_passkey(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<AuthenticatorBegin>,
) -> Result<axum::Json<PasskeyRequest>> {
    let party = app.party()?;
    check_proof(&app, &user, network, &headers, form).await?;
    let holder = session::token_hash(app.settings.is_https(), &headers)?;
    let (challenge, handle) = (challenge()?, passkey::encoded(&session::random::<HANDLE_BYTES>()?));
    let (policies, uid, now, stored) =
        (app.library.policies.clone(), user.uid, app.library.clock.now(), challenge.clone());
    let (library, handle, known) = app
        .library
        .db
        .write(move |tx| -> Result<_> {
            let known = passkeys::of(tx, uid)?;
            if known.len() >= PASSKEYS {
                return Err(Error::TooManyPasskeys);
            }
            let handle = known.first().map_or(handle, |passkey| passkey.user_handle.clone());
            passkeys::begin(tx, &holder, &stored, Some(&handle), now, now + PATIENCE)?;
            Ok((policies.current(tx)?.library.name.clone(), handle, known))
        })
        .await?;
    let algorithms = ALGORITHMS.map(|alg| json!({ "type": "public-key", "alg": alg }));
    let public_key = json!({
        "rp": { "id": party.id, "name": if library.is_empty() { "Library" } else { &library } },
        "user": { "id": handle, "name": user.email.as_deref().unwrap_or(&user.name), "displayName": user.name },
        "challenge": challenge,
        "pubKeyCredParams": algorithms,
        "timeout": PATIENCE,
        "excludeCredentials": known.iter().map(descriptor).collect::<Vec<_>>(),
        "authenticatorSelection": {
            "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
        },
        "attestation": "none",
    });
    Ok(axum::Json(PasskeyRequest { public_key }))
}

/// Passkey created by a browser. Bytes are base64url without padding.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPasskey {
    /// Name chosen by the owner.
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    client_data: String,
    #[serde(default)]
    #[schema(required)]
    attestation_object: String,
    /// Transports the browser used to reach the authenticator.
    #[serde(default)]
    transports: Vec<String>,
}

/// Keeps the transports that the specification names (5.8.4), dropping others that a browser may know.
fn known_transports(transports: &[String]) -> String {
    let known = ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"];
    known.into_iter().filter(|way| transports.iter().any(|one| one == way)).collect::<Vec<_>>().join(" ")
}

/// Add the passkey that the browser created. A user without recovery codes gets new ones.
#[utoipa::path(post, path = "/auth/passkeys/confirm", request_body = NewPasskey,
    responses((status = 200, body = RecoveryCodes)))]
pub async fn add_passkey(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    headers: HeaderMap,
    JsonBody(form): JsonBody<NewPasskey>,
) -> Result<axum::Json<RecoveryCodes>> {
    let party = app.party()?;
    let mut invalid = Invalid::default();
    let name = NAME.check(&form.name, &mut invalid);
    invalid.into_result(())?;
    let holder = session::token_hash(app.settings.is_https(), &headers)?;
    let (uid, now) = (user.uid, app.library.clock.now());
    let taken = app.library.db.write(move |tx| passkeys::take(tx, &holder, now)).await?;
    let Some((challenge, Some(handle))) = taken else { return Err(Error::PasskeyExpired) };
    let read = || {
        let client_data = passkey::decoded(&form.client_data).ok_or(passkey::Refused::Malformed)?;
        let attestation = passkey::decoded(&form.attestation_object).ok_or(passkey::Refused::Malformed)?;
        passkey::made(&client_data, &attestation, &challenge, &party)
    };
    let made = read().map_err(|reason| {
        tracing::info!(%reason, "a passkey was not added");
        Error::PasskeyRefused
    })?;
    let transports = known_transports(&form.transports);
    let (hashes, fresh) = fresh_recovery_codes()?;
    let first = app
        .library
        .db
        .write(move |tx| -> Result<bool> {
            accounts::lock(tx, uid)?;
            if passkeys::of(tx, uid)?.len() >= PASSKEYS {
                return Err(Error::TooManyPasskeys);
            }
            if !passkeys::add(tx, uid, &made, &handle, &transports, &name, now)? {
                return Err(Error::PasskeyRefused);
            }
            events::record(tx, now, Some(uid), &Entry::person(uid, SignInChange::PasskeyAdded))?;
            Ok(second_factors::keep_first_recovery_codes(tx, uid, &hashes)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(if first { fresh } else { axum::Json(RecoveryCodes::none()) })
}

/// Remove a passkey of the caller.
#[utoipa::path(post, path = "/auth/passkeys/{id}/remove", params(("id" = i64, Path)), request_body = AuthenticatorBegin,
    responses((status = 204)))]
pub async fn remove_passkey(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    Id(id): Id<PasskeyId>,
    headers: HeaderMap,
    JsonBody(form): JsonBody<AuthenticatorBegin>,
) -> Result<StatusCode> {
    let (uid, now) = (user.uid, app.library.clock.now());
    let own = app.library.db.read(move |tx| passkeys::of(tx, uid)).await?;
    if !own.iter().any(|passkey| passkey.id == id) {
        return Err(Error::NotFound);
    }
    check_proof(&app, &user, network, &headers, form).await?;
    app.library
        .db
        .write(move |tx| -> Result<()> {
            accounts::lock(tx, uid)?;
            if !passkeys::remove(tx, uid, id)? {
                return Err(Error::NotFound);
            }
            second_factors::remove_if_last(tx, uid)?;
            events::record(tx, now, Some(uid), &Entry::person(uid, SignInChange::PasskeyRemoved))?;
            Ok(())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(StatusCode::NO_CONTENT)
}

/// Options of a sign-in with a passkey.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeyBegin {
    /// True if the passkey follows a password given in this browser.
    #[serde(default)]
    second_step: bool,
}

/// Begin to sign in with a passkey, alone or as the second step. The response sets a cookie that identifies the
/// browser.
#[utoipa::path(post, path = "/auth/sign-in/passkey/begin", request_body = PasskeyBegin,
    responses((status = 200, body = PasskeyRequest)))]
pub async fn begin_passkey_sign_in(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PasskeyBegin>,
) -> Result<Response> {
    let party = app.party()?;
    let (https, now, challenge) = (app.settings.is_https(), app.library.clock.now(), challenge()?);
    app.take_begin(&app.limits.passkey_sign_ins, network, Device::of(https, &headers).as_ref())?;
    let half = form.second_step.then(|| Half::of(https, &headers).ok_or(Error::SignInExpired)).transpose()?;
    let token = session::new_token()?;
    let (own, stored) = (session::hashed(&token), challenge.clone());
    let alone = half.is_none();
    let known = app
        .library
        .db
        .write(move |tx| -> Result<Vec<Passkey>> {
            let known = match &half {
                None => Vec::new(),
                Some(half) => {
                    let (uid, _) =
                        second_factors::half_sign_in(tx, half, now)?.ok_or(Error::SignInExpired)?;
                    passkeys::of(tx, uid)?
                }
            };
            passkeys::begin(tx, half.as_ref().unwrap_or(&own), &stored, None, now, now + PATIENCE)?;
            Ok(known)
        })
        .await?;
    let public_key = json!({
        "rpId": party.id,
        "challenge": challenge,
        "timeout": PATIENCE,
        "userVerification": "required",
        "allowCredentials": known.iter().map(descriptor).collect::<Vec<_>>(),
    });
    let answer = axum::Json(PasskeyRequest { public_key });
    Ok(if alone {
        let cookie = browser_cookie(https, Some(&token))?;
        (AppendHeaders([(header::SET_COOKIE, cookie)]), answer).into_response()
    } else {
        answer.into_response()
    })
}

/// Assertion that a browser made with a passkey. Bytes are base64url without padding.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeySignIn {
    /// Same value as in the request that began the sign-in.
    #[serde(default)]
    second_step: bool,
    /// Keeps the session for 30 days instead of until the browser closes (R-LOGIN-6); ignored at the second step.
    #[serde(default)]
    remember: bool,
    #[serde(default)]
    #[schema(required)]
    credential_id: String,
    #[serde(default)]
    #[schema(required)]
    client_data: String,
    #[serde(default)]
    #[schema(required)]
    authenticator_data: String,
    #[serde(default)]
    #[schema(required)]
    signature: String,
    /// User handle from the authenticator; may be omitted at the second step.
    #[serde(default)]
    user_handle: Option<String>,
}

/// Challenge taken for a sign-in, and the passkey found.
struct Attempt {
    challenge: String,
    /// User who gave the password before; true if the session will outlive the browser.
    half: Option<(UserId, bool)>,
    found: Option<Found>,
}

struct Found {
    passkey: Passkey,
    active: bool,
    user: Option<User>,
    password_hash: Option<String>,
}

impl Attempt {
    /// Takes the challenge of a browser, and looks up the passkey's account.
    fn take(tx: &mut Tx<'_>, holder: &str, second_step: bool, credential: &str, now: i64) -> Result<Self> {
        let (challenge, _) = passkeys::take(tx, holder, now)?.ok_or(Error::SignInExpired)?;
        let half = second_step
            .then(|| second_factors::half_sign_in(tx, holder, now)?.ok_or(Error::SignInExpired))
            .transpose()?;
        let found = match passkeys::by_credential(tx, credential)? {
            None => None,
            Some(passkey) => {
                let uid = passkey.user;
                let password_hash = accounts::own_credentials(tx, uid)?.and_then(|(_, hash)| hash);
                accounts::by_id(tx, uid)?.map(|account| Found {
                    passkey,
                    active: account.active,
                    user: account.user,
                    password_hash,
                })
            }
        };
        Ok(Self { challenge, half, found })
    }

    /// Returns the challenge and the passkey, if the half sign-in or, without one, the user handle names the passkey's
    /// owner.
    fn passkey_of(self, handle: Option<&str>) -> Option<(String, Found)> {
        let found = self.found?;
        let named = handle.is_some_and(|handle| handle == found.passkey.user_handle);
        let fits = match self.half {
            Some((uid, _)) => uid == found.passkey.user && (named || handle.is_none()),
            None => named,
        };
        fits.then_some((self.challenge, found))
    }
}

/// Logs the reason for refusing a passkey, and returns an error without the reason.
fn refused(reason: &dyn std::fmt::Display) -> Error {
    tracing::info!(%reason, "a passkey was refused");
    Error::InvalidPasskey
}

impl PasskeySignIn {
    /// Verifies the assertion and returns the passkey's signature counter.
    fn check(&self, passkey: &Passkey, challenge: &str, party: &Party) -> Result<u32, passkey::Refused> {
        let bytes = |text: &str| passkey::decoded(text).ok_or(passkey::Refused::Malformed);
        let shown = Shown {
            client_data: bytes(&self.client_data)?,
            authenticator_data: bytes(&self.authenticator_data)?,
            signature: bytes(&self.signature)?,
        };
        passkey::used(&shown, challenge, party, &bytes(&passkey.public_key)?, passkey.backup_eligible)
    }
}

/// Sign in with a passkey; the response sets the session cookie. No second step follows.
#[utoipa::path(post, path = "/auth/sign-in/passkey", request_body = PasskeySignIn,
    responses((status = 200, body = Entered)))]
pub async fn sign_in_with_passkey(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PasskeySignIn>,
) -> Result<Response> {
    let (party, https, now) = (app.party()?, app.settings.is_https(), app.library.clock.now());
    let holder = if form.second_step {
        Half::of(https, &headers)
    } else {
        cookie::read(&headers, cookie_name(https)).map(session::hashed)
    };
    let holder = holder.ok_or(Error::SignInExpired)?;
    let (key, second_step, credential) = (holder.clone(), form.second_step, form.credential_id.clone());
    let attempt =
        app.library.db.write(move |tx| Attempt::take(tx, &key, second_step, &credential, now)).await?;
    let remember = attempt.half.map_or(form.remember, |(_, kept)| kept);
    let Some((challenge, found)) = attempt.passkey_of(form.user_handle.as_deref()) else {
        // Not counted as a failed sign-in: a signature cannot be guessed, and a campus shares one address (X6).
        return Err(refused(&"nobody here has it, or somebody else"));
    };
    let (id, uid) = (found.passkey.id, found.passkey.user);
    security_log::note_account(uid);
    let device = Device::of(https, &headers);
    let tries = app.tries_of_code(uid, network, device.as_ref()).await?;
    check_limit(app.limits.take_sign_in(&tries))?;
    let count = form.check(&found.passkey, &challenge, &party).map_err(|reason| {
        app.limits.note_wrong_code(&tries);
        refused(&reason)
    })?;
    app.limits.give_back_sign_in(tries);
    if !found.active {
        return Err(Error::AccountInactive);
    }
    let user = found.user.ok_or(Error::RoleUndefined)?;
    let hash = found.password_hash.ok_or(Error::AccountInactive)?;
    let verified = VerifiedSignIn { device, hash, remember, change: Some(SignInChange::SignedIn) };
    let prepared = PreparedSession::of(&app, &headers, user, verified)?;
    let opened = prepared.clone();
    app.library
        .db
        .write(move |tx| -> Result<()> {
            if !passkeys::count_use(tx, id, count, now)? {
                return Err(refused(
                    &"its count of uses did not go on: it was copied, or its answer used before",
                ));
            }
            if second_step && !second_factors::use_up_half_sign_in(tx, &holder, now)? {
                return Err(Error::SignInExpired);
            }
            opened.open(tx, now)
        })
        .await?;
    let spent = if second_step { Half::no_cookie(https)? } else { browser_cookie(https, None)? };
    Ok((AppendHeaders([(header::SET_COOKIE, spent)]), prepared.answer(&app, true)).into_response())
}
