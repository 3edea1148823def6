//! Sign-in with the college's provider as a browser sees it: redirect to the provider, return with a code, and for some
//! accounts, once, the library password. [`crate::people::provider`] finds the account.
//!
//! State, nonce and PKCE verifier of a sign-in are stored in the database, valid once and for ten minutes, and bound to
//! the browser that began the sign-in, which a separate cookie identifies.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use url::{Url, form_urlencoded};
use utoipa::ToSchema;

use super::{
    API, App, BASE, Shared,
    accounts::{Arrival, Entered},
    client::Network,
    cookie,
    device::Device,
    error::{Error, Result},
    extract::JsonBody,
    idempotency::{Answer, Once},
    second_factor::Half,
    security_log::{self, Event},
    session::{self, SignedIn},
};
use crate::{
    domain::{
        account::{PASSWORD, User},
        change::SignInChange,
        id::UserId,
        moment::rfc3339,
        rule::{Invalid, Text},
    },
    message,
    oidc::{self, AuthorizationRequest, Provider, token::Claims},
    people::provider::{self, Known},
    storage::{
        Tx, accounts,
        events::{self, Entry},
        oidc::{self as flows, Flow, Link, Proof},
    },
};

/// Time limit for a sign-in at the provider, in seconds.
const PATIENCE: i64 = 10 * 60;
/// Maximum length of the path to return to, in bytes.
const LONGEST_NEXT: usize = 2000;

/// Path below [`API`] to which the provider redirects browsers.
pub const CALLBACK: &str = "/auth/oidc/callback";

fn cookie_name(https: bool) -> &'static str {
    if https { "__Secure-library-oidc" } else { "library-oidc" }
}

/// Builds the cookie of a browser on its way to the provider; without a token the cookie is deleted.
fn browser_cookie(https: bool, token: Option<&str>) -> Result<HeaderValue> {
    let lifetime = if token.is_some() { PATIENCE } else { 0 };
    let path = format!("{API}/auth/oidc");
    cookie::set_for_return(https, cookie_name(https), token.unwrap_or_default(), &path, lifetime)
}

/// Prefix of the token of a browser without a device cookie. On the way back from the provider, browsers do not send
/// that cookie (`SameSite=Strict`); only this prefix shows that a new device cookie would replace none.
const NEW_BROWSER: &str = "new-";

/// Returns the hash that identifies the browser in the database.
fn browser(app: &App, headers: &HeaderMap) -> Option<String> {
    cookie::read(headers, cookie_name(app.settings.is_https())).map(session::hashed)
}

impl App {
    fn provider(&self) -> Result<Arc<Provider>> {
        self.settings.provider.clone().ok_or(Error::NotFound)
    }

    fn later(&self) -> i64 {
        self.library.clock.now().saturating_add(PATIENCE * 1000)
    }
}

/// Returns the path below the base to open after the sign-in; empty if invalid, because a redirect must never leave the
/// product.
fn local_path(public_url: &Url, wanted: &str) -> String {
    let sound = wanted.len() <= LONGEST_NEXT && wanted.starts_with('/') && !wanted.contains(char::is_control);
    // Parsed like a browser does: `//`, a backslash or `..` may lead elsewhere.
    let read = sound.then(|| public_url.join(&format!("{BASE}{wanted}")).ok()).flatten();
    let read = read.filter(|url| url.origin() == public_url.origin());
    let path = read.as_ref().map(|url| &url[url::Position::BeforePath..url::Position::AfterQuery]);
    let below = path.and_then(|path| path.strip_prefix(BASE)).filter(|below| below.starts_with('/'));
    below.filter(|below| !below.starts_with("//")).unwrap_or_default().to_owned()
}

/// Options of a sign-in with the provider.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderSignIn {
    /// Path to open afterwards, below the product's base, such as `/home?q=ada`. Anything else leads to the user's
    /// home.
    #[serde(default)]
    next: String,
    /// Keeps the session for 30 days instead of until the browser closes (R-LOGIN-6).
    #[serde(default)]
    remember: bool,
}

/// Address at which the sign-in continues.
#[derive(Serialize, ToSchema)]
pub struct ProviderAddress {
    /// Address of the provider, to open in the browser's window, not in a frame.
    location: String,
}

/// Begin a sign-in with the college's provider; the response sets a cookie that identifies the browser on its return.
#[utoipa::path(post, path = "/auth/oidc", request_body = ProviderSignIn, responses((status = 200, body = ProviderAddress)))]
pub async fn begin_oidc(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<ProviderSignIn>,
) -> Result<impl IntoResponse> {
    let provider = app.provider()?;
    let device = Device::of(app.settings.is_https(), &headers);
    app.take_begin(&app.limits.provider_sign_ins, network, device.as_ref())?;
    let [token, state, nonce, verifier] =
        [session::new_token()?, session::new_token()?, session::new_token()?, session::new_token()?];
    let token = if device.is_none() { format!("{NEW_BROWSER}{token}") } else { token };
    let request = AuthorizationRequest { state: &state, nonce: &nonce, verifier: &verifier };
    let location = provider.sign_in_address(&request).await.map_err(|_| Error::ProviderUnavailable)?;
    let (state_hash, browser_hash) = (session::hashed(&state), session::hashed(&token));
    let next = local_path(&app.settings.public_url, &form.next);
    let flow = Flow { nonce, verifier, next, kept: form.remember };
    let (now, expires_at) = (app.library.clock.now(), app.later());
    app.library
        .db
        .write(move |tx| flows::begin(tx, &state_hash, &browser_hash, &flow, now, expires_at))
        .await?;
    let cookie = browser_cookie(app.settings.is_https(), Some(&token))?;
    let address = ProviderAddress { location: location.into() };
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), axum::Json(address)))
}

/// Outcome of a return from the provider, sent to the sign-in screen in its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Signed in.
    Done,
    /// The library password is required once.
    Password,
    /// A code of the account's second factor is required.
    Code,
    /// The user cancelled at the provider.
    Cancelled,
    /// No such sign-in, or it expired or began in another browser.
    Forgotten,
    /// The provider refused the sign-in, or its answer failed verification.
    Refused,
    /// The provider is not available.
    Unavailable,
    /// No account matches.
    NoAccount,
    /// The account is linked with another subject of the provider.
    Another,
    /// The account may not be used.
    Closed,
    /// Internal error.
    Failed,
}

impl End {
    const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Password => "password",
            Self::Code => "code",
            Self::Cancelled => "cancelled",
            Self::Forgotten => "forgotten",
            Self::Refused => "refused",
            Self::Unavailable => "unavailable",
            Self::NoAccount => "no-account",
            Self::Another => "another",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }

    const fn event(self) -> Option<Event> {
        match self {
            Self::Done => Some(Event::ProviderSignedIn),
            Self::Code => Some(Event::SecondFactorAsked),
            Self::Unavailable => Some(Event::ProviderFailed),
            Self::Forgotten | Self::Refused | Self::NoAccount | Self::Another | Self::Closed => {
                Some(Event::ProviderRefused)
            }
            Self::Password | Self::Cancelled | Self::Failed => None,
        }
    }
}

/// Parameters of the provider's redirect (OpenID Connect Core 1.0, 3.1.2.5; RFC 9207).
#[derive(Default)]
struct Returned {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    issuer: Option<String>,
}

impl Returned {
    fn of(query: &str) -> Self {
        let mut returned = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let place = match &*name {
                "state" => &mut returned.state,
                "code" => &mut returned.code,
                "error" => &mut returned.error,
                "iss" => &mut returned.issuer,
                _ => continue,
            };
            *place = Some(value.into_owned());
        }
        returned
    }
}

/// Complete a sign-in with the college's provider, given `code` and `state`. Redirects to the sign-in screen, which
/// continues from there or shows the failure.
#[utoipa::path(get, path = "/auth/oidc/callback", responses((status = 303, description = "To the sign-in screen.")))]
pub async fn finish_oidc(
    State(app): State<Shared>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let provider = app.provider()?;
    let https = app.settings.is_https();
    let returned = Returned::of(&query.unwrap_or_default());
    let mut next = String::new();
    let (end, session) = match complete_sign_in(&app, &provider, &headers, returned, &mut next).await {
        Ok(come) => come,
        Err(error) => {
            // Logs the error like any other; a browser that was redirected here gets a screen, not a problem document.
            drop(error.into_response());
            (End::Failed, None)
        }
    };
    // Distinguishes in the log the outcomes that share one security event.
    tracing::info!(outcome = end.name(), "somebody came back from the provider");
    if let Some(event) = end.event() {
        security_log::override_event(event);
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("provider", end.name());
    if !next.is_empty() {
        query.append_pair("next", &next);
    }
    let location = format!("{BASE}/login?{}", query.finish());
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response();
    // Only the password step needs the cookie again, to identify the browser.
    let spent = (end != End::Password).then(|| browser_cookie(https, None)).transpose()?;
    let is_new =
        cookie::read(&headers, cookie_name(https)).is_some_and(|token| token.starts_with(NEW_BROWSER));
    let known = (end == End::Done && is_new).then(|| Device::signed_in(None, https, &app.browser_key, None));
    for cookie in session.into_iter().chain(spent).chain(known.transpose()?) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the outcome, and the cookie of the session or of the second step.
async fn complete_sign_in(
    app: &Shared,
    provider: &Arc<Provider>,
    headers: &HeaderMap,
    returned: Returned,
    next: &mut String,
) -> Result<(End, Option<HeaderValue>)> {
    let (Some(state), Some(browser)) = (returned.state, browser(app, headers)) else {
        security_log::note_reason("another-browser");
        return Ok((End::Forgotten, None));
    };
    let (state_hash, browser_hash, now) = (session::hashed(&state), browser.clone(), app.library.clock.now());
    // Clients can forge any number of returns: reads first, so that only the return of a begun sign-in waits for a
    // write transaction.
    let key = (state_hash.clone(), browser_hash.clone());
    if !app.library.db.read(move |tx| flows::is_begun(tx, &key.0, &key.1, now)).await? {
        security_log::note_reason("expired-or-another-browser");
        return Ok((End::Forgotten, None));
    }
    let flow = app.library.db.write(move |tx| flows::take(tx, &state_hash, &browser_hash, now)).await?;
    let Some(flow) = flow else {
        security_log::note_reason("used-before");
        return Ok((End::Forgotten, None));
    };
    next.clone_from(&flow.next);
    if let Some(error) = returned.error {
        security_log::note_reason("refused-by-provider");
        return Ok((if error == "access_denied" { End::Cancelled } else { End::Refused }, None));
    }
    // Refuses a return that names another issuer (RFC 9207).
    let ours = returned.issuer.is_none_or(|issuer| issuer == provider.issuer());
    let Some(code) = returned.code.filter(|_| ours) else {
        security_log::note_reason(if ours { "no-code" } else { "another-issuer" });
        return Ok((End::Refused, None));
    };
    let claims = match provider.redeem(&code, &flow.verifier, &flow.nonce, now).await {
        Ok(claims) => claims,
        Err(oidc::Error::Refused(_)) => {
            security_log::note_reason("token-refused");
            return Ok((End::Refused, None));
        }
        Err(oidc::Error::Unavailable(_)) => return Ok((End::Unavailable, None)),
    };
    let arrival = Arrival::of(app, headers, flow.kept)?;
    let half = Half::begin(app.settings.is_https(), now)?;
    let vouched =
        VouchedUser { provider: Arc::clone(provider), claims, browser, now, expires_at: app.later() };
    let (begun, second_step) = (arrival.clone(), half.clone());
    let unknown = provider.why_unknown(&vouched.claims);
    let Ended { end, account } =
        app.library.db.write(move |tx| vouched.sign_in(tx, &begun, &second_step)).await?;
    security_log::note_account(account);
    match end {
        End::NoAccount => security_log::note_reason(unknown),
        End::Another => security_log::note_reason("linked-with-another"),
        End::Closed => security_log::note_reason("account-closed"),
        _ => {}
    }
    let cookie = match end {
        End::Done => Some(arrival.into_cookie(app)),
        End::Code => Some(half.cookie),
        _ => None,
    };
    Ok((end, cookie))
}

/// User whom the provider vouches for.
struct VouchedUser {
    provider: Arc<Provider>,
    claims: Claims,
    /// Hash of the browser's cookie.
    browser: String,
    now: i64,
    expires_at: i64,
}

struct Ended {
    end: End,
    account: Option<UserId>,
}

impl VouchedUser {
    /// Signs the user in or returns the reason for the refusal, all in one transaction.
    fn sign_in(self, tx: &mut Tx<'_>, arrival: &Arrival, half: &Half) -> Result<Ended> {
        let found = provider::find(tx, &self.provider, &self.claims)?;
        let (issuer, subject) = (self.provider.issuer(), self.claims.subject.as_str());
        let (end, account) = match found {
            Known::Linked(user) => (begin_session(tx, arrival, half, &user, self.now)?, Some(user.uid)),
            Known::Found(user) => {
                let link = Link { user: user.uid, password_asked: false };
                if provider::link(tx, issuer, subject, link, self.now)? {
                    record_link(tx, self.provider.label(), user.uid, self.now)?;
                    (begin_session(tx, arrival, half, &user, self.now)?, Some(user.uid))
                } else {
                    (End::Another, Some(user.uid))
                }
            }
            Known::AskPassword(user) => {
                let (issuer, subject) = (issuer.to_owned(), subject.to_owned());
                let proof = Proof { issuer, subject, user, kept: arrival.is_persistent() };
                flows::keep_proof(tx, &self.browser, &proof, self.expires_at)?;
                (End::Password, Some(user))
            }
            Known::NoAccount => (End::NoAccount, None),
            Known::Another(uid) => (End::Another, Some(uid)),
            Known::Closed(uid) => (End::Closed, Some(uid)),
        };
        Ok(Ended { end, account })
    }
}

/// Begins the session of a user whom the provider vouches for. Still asks for a second factor that was set up here,
/// because the provider's own checks are unknown.
fn begin_session(tx: &mut Tx<'_>, arrival: &Arrival, half: &Half, user: &User, now: i64) -> Result<End> {
    if half.begin_if_needed(tx, user.uid, arrival.is_persistent(), now)? {
        return Ok(End::Code);
    }
    events::record(tx, now, Some(user.uid), &Entry::person(user.uid, SignInChange::SignedIn))?;
    arrival.begin(tx, user, now)?;
    Ok(End::Done)
}

fn record_link(tx: &mut Tx<'_>, label: &str, uid: UserId, now: i64) -> Result<()> {
    let change = SignInChange::ProviderLinked { provider: label.to_owned() };
    events::record(tx, now, Some(uid), &Entry::person(uid, change))?;
    Ok(())
}

/// Limits of the account's library password, as opposed to its password at the provider.
pub const LIBRARY_PASSWORD: Text = Text { field: "password", label: "Library password", min: 1, ..PASSWORD };

/// Library password of an account to link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderLink {
    /// Password at the library, not at the provider.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// Link an account with the college's provider, once, by its library password; the response sets the session cookie.
#[utoipa::path(post, path = "/auth/oidc/link", request_body = ProviderLink, responses((status = 200, body = Entered)))]
pub async fn link_oidc(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<ProviderLink>,
) -> Result<Response> {
    let provider = app.provider()?;
    let mut invalid = Invalid::default();
    LIBRARY_PASSWORD.check(&form.password, &mut invalid);
    invalid.into_result(())?;
    let (browser, now) = (browser(&app, &headers).ok_or(Error::ProviderForgotten)?, app.library.clock.now());
    let key = browser.clone();
    let proof = app.library.db.read(move |tx| flows::proof(tx, &key, now)).await?;
    let proof = proof.filter(|proof| proof.issuer == provider.issuer()).ok_or(Error::ProviderForgotten)?;
    let (uid, https) = (proof.user, app.settings.is_https());
    security_log::note_account(uid);
    let device = Device::of(https, &headers);
    let stored = app.own_password(uid, network, device.as_ref(), form.password).await?;
    let stored = stored.ok_or_else(|| {
        security_log::override_event(Event::ProviderRefused);
        security_log::note_reason("wrong-password");
        Invalid::field(LIBRARY_PASSWORD.field, message::wrong_password())
    })?;
    let arrival = Arrival::of(&app, &headers, proof.kept)?;
    let half = Half::begin(https, now)?;
    let (begun, second_step) = (arrival.clone(), half.clone());
    let (user, end) = app
        .library
        .db
        .write(move |tx| -> Result<(User, End)> {
            if !flows::use_up_proof(tx, &browser)? {
                return Err(Error::ProviderForgotten);
            }
            accounts::lock(tx, uid)?;
            let account = accounts::by_id(tx, uid)?.ok_or(Error::UserMissing)?;
            if !account.active {
                return Err(Error::AccountInactive);
            }
            let user = account.user.ok_or(Error::RoleUndefined)?;
            let link = Link { user: uid, password_asked: true };
            if !provider::link(tx, &proof.issuer, &proof.subject, link, now)? {
                return Err(Error::ProviderForgotten);
            }
            record_link(tx, provider.label(), uid, now)?;
            let end = begin_session(tx, &begun, &second_step, &user, now)?;
            Ok((user, end))
        })
        .await?;
    let spent = AppendHeaders([(header::SET_COOKIE, browser_cookie(https, None)?)]);
    if end == End::Code {
        return Ok((spent, half.answer()).into_response());
    }
    let cookies = AppendHeaders([
        (header::SET_COOKIE, arrival.into_cookie(&app)),
        (header::SET_COOKIE, Device::signed_in(device, https, &app.browser_key, Some(&stored))?),
    ]);
    Ok((spent, cookies, axum::Json(Entered::of(&app, user, false))).into_response())
}

/// Link of the caller's account with the college's provider.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnProviderLink {
    /// Name of the provider.
    label: String,
    /// Time of linking; null if not linked.
    #[schema(required, format = DateTime)]
    linked_at: Option<String>,
}

/// Read whether the caller's account is linked with the college's provider.
#[utoipa::path(get, path = "/me/oidc", responses((status = 200, body = OwnProviderLink)))]
pub async fn read_own_oidc(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<axum::Json<OwnProviderLink>> {
    let provider = app.provider()?;
    let (issuer, uid) = (provider.issuer().to_owned(), user.uid);
    let since = app.library.db.read(move |tx| flows::linked_since(tx, &issuer, uid)).await?;
    let label = provider.label().to_owned();
    Ok(axum::Json(OwnProviderLink { label, linked_at: since.map(rfc3339) }))
}

/// Unlink the caller's account from the college's provider. Sessions continue.
#[utoipa::path(delete, path = "/me/oidc", responses((status = 204)))]
pub async fn unlink_own_oidc(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
) -> Result<Answer> {
    let provider = app.provider()?;
    let (now, uid) = (app.library.clock.now(), user.uid);
    app.once(once, move |tx| {
        if flows::unlink(tx, provider.issuer(), uid)? {
            let change = SignInChange::ProviderUnlinked { provider: provider.label().to_owned() };
            events::record(tx, now, Some(uid), &Entry::person(uid, change))?;
        }
        Ok(Answer::empty())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_never_leaves_the_product() {
        let public: Url = "https://library.college.edu/".parse().unwrap();
        for (wanted, next) in [
            ("/home?q=ada&genre=Fiction", "/home?q=ada&genre=Fiction"),
            ("/book-detail/7", "/book-detail/7"),
            ("/a/../home", "/home"),
            ("", ""),
            ("home", ""),
            ("//evil.example", ""),
            ("/\\evil.example", ""),
            ("/../evil", ""),
            ("/%2e%2e/evil", ""),
            ("/a/../../library//evil.example", ""),
            ("https://evil.example/", ""),
            ("/home\r\nSet-Cookie: a=b", ""),
        ] {
            assert_eq!(local_path(&public, wanted), next, "{wanted}");
        }
        assert_eq!(local_path(&public, &format!("/{}", "a".repeat(LONGEST_NEXT))), "");
    }
}
