//! Registration, sign-in and sign-out, the ID card look-up, and the caller's own profile.

use std::time::Duration;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    App, Limits, Shared,
    client::Network,
    device::{self, Device},
    error::{Error, Result},
    extract::{JsonBody, Nothing, OptionalJsonBody},
    idempotency::{Answer, Once},
    limits::Secret,
    options::IdCard,
    second_factor::Half,
    security_log,
    session::{self, Caller, Lifetimes, SignedIn},
};
use crate::{
    domain::{
        account::{
            EMAIL, PASSWORD, ProfileEdit, ROLL_NUMBER, Registration, Role, User, folded_email,
            folded_roll_number, new_password, normalized_password, refuse_own_words,
        },
        agent::Agent,
        change::{PersonChange, Profile, SignInChange},
        code,
        id::UserId,
        notice::Notice,
        rule::{Invalid, Kind, Text},
    },
    limit::Limit,
    message,
    passkey::Party,
    password::Verdict,
    people::sign_in_code,
    storage::{
        self, Tx,
        accounts::{self, NewAccount, Taken},
        events::{self, Entry},
        notices, people,
        sessions::{self, Opened},
        sign_in_codes,
    },
};

impl From<Taken> for Error {
    fn from(taken: Taken) -> Self {
        match taken {
            Taken::Email => Self::EmailTaken(message::problem_email_taken()),
            Taken::RollNumber => Self::RollNumberTaken(message::problem_roll_number_taken()),
            Taken::Barcode => {
                Invalid::field(ROLL_NUMBER.field, message::roll_number_is_barcode(ROLL_NUMBER.label)).into()
            }
        }
    }
}

/// Maps the refusal of a rate limit to 429 with the seconds to wait.
pub fn check_limit(taken: Result<(), Duration>) -> Result<()> {
    taken.map_err(|wait| Error::TooManyRequests(wait.as_secs() + 1))
}

/// Create a student's account.
#[utoipa::path(post, path = "/auth/register", request_body = Registration, responses((status = 201, body = User)))]
pub async fn register(
    State(app): State<Shared>,
    network: Network,
    once: Once,
    JsonBody(registration): JsonBody<Registration>,
) -> Result<Answer> {
    let policies = app.library.policies.clone();
    let rulebook = app.library.db.read(move |tx| policies.current(tx)).await.map_err(Error::from)?;
    let registration = registration.checked(&rulebook.library.batches, &rulebook.library.name)?;
    check_limit(app.limits.registrations.take(&network))?;
    let new = NewAccount {
        password_hash: app.passwords.hash(registration.password).await?,
        email: registration.email,
        name: registration.name,
        role: Role::Student,
        roll_number: Some(registration.roll_number),
        department: Some(registration.department),
        batch: Some(registration.batch),
    };
    let (now, links) = (app.library.clock.now(), app.address_links());
    app.once(once, move |tx| {
        let user = accounts::add(tx, &new, now)??;
        accounts::claim(tx, user.uid)?;
        if let Some(links) = &links {
            links.claim(tx, &user, now)?;
        }
        let change = PersonChange::Registered { role: user.role };
        events::record(tx, now, Some(user.uid), &Entry::person(user.uid, change))?;
        Answer::json(StatusCode::CREATED, &user)
    })
    .await
}

/// Credentials of a sign-in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// Email address, case-insensitive.
    #[serde(default)]
    #[schema(required, min_length = 1)]
    email: String,
    #[serde(default)]
    #[schema(required, format = Password, min_length = 1)]
    password: String,
    /// Keeps the session for 30 days instead of until the browser closes (R-LOGIN-6).
    #[serde(default)]
    remember: bool,
}

/// Rate limits that count a failed sign-in.
pub(super) enum Tries {
    /// Limit of a browser in which the account has signed in before.
    KnownDevice((String, device::Name)),
    /// Limits of the network and of the account.
    Elsewhere(Secret, Network),
    /// Limits of second-factor codes of an account: one limit per known browser; one limit for all other browsers
    /// together, plus the limit of the network.
    SecondFactor((UserId, Option<device::Name>), Network),
}

impl Tries {
    /// Selects the limits for second-factor codes of an account.
    pub(super) fn of_code(
        device: Option<&Device>,
        uid: UserId,
        account: &str,
        network: Network,
        stored: Option<&str>,
    ) -> Result<Self> {
        let known = match tries(device, account, network, stored)? {
            Self::KnownDevice((_, device)) => Some(device),
            _ => None,
        };
        Ok(Self::SecondFactor((uid, known), network))
    }
}

impl App {
    /// Rate-limits the start of sign-ins that store a row: per browser in which an account signed in before; otherwise,
    /// and once that limit is used up, per network (X6).
    pub(super) fn take_begin(
        &self,
        of_network: &Limit<Network>,
        network: Network,
        device: Option<&Device>,
    ) -> Result<()> {
        if let Some(device) = device
            && device.has_signed_in(&self.browser_key)?
            && self.limits.begins_of_device.take(&device.name()).is_ok()
        {
            return Ok(());
        }
        check_limit(of_network.take(&network))
    }
}

impl Limits {
    /// Takes rate-limit tokens before a password or a code is verified, so that concurrent guesses count too.
    pub(super) fn take_sign_in(&self, tries: &Tries) -> Result<(), Duration> {
        match tries {
            Tries::KnownDevice(device) => self.failures_of_device.take(device),
            Tries::Elsewhere(account, network) => {
                if self.lately_failed.taken(account) > 0.0 {
                    self.failures_of_network.take_of_half(network)?;
                } else {
                    self.failures_of_network.take(network)?;
                }
                let here = (account.clone(), *network);
                self.failures_of_account_from_network
                    .take(&here)
                    .inspect_err(|_| self.failures_of_network.give_back(network))?;
                self.failures_of_account.take(account).inspect_err(|_| {
                    self.failures_of_network.give_back(network);
                    self.failures_of_account_from_network.give_back(&here);
                })
            }
            Tries::SecondFactor(place @ (_, None), network) => {
                self.failures_of_network.take(network)?;
                let is_suspect = self.lately_wrong_code.taken(&(place.0, *network)) > 0.0;
                let codes = &self.failures_of_second_factor;
                let taken = if is_suspect { codes.take_of_half(place) } else { codes.take(place) };
                taken.inspect_err(|_| self.failures_of_network.give_back(network))
            }
            Tries::SecondFactor(place, _) => self.failures_of_second_factor.take(place),
        }
    }

    /// Notes a wrong second-factor code.
    pub(super) fn note_wrong_code(&self, tries: &Tries) {
        if let Tries::SecondFactor((uid, None), network) = tries {
            // An error means that an earlier wrong code has taken the only token already.
            let _ = self.lately_wrong_code.take(&(*uid, *network));
        }
    }

    /// Returns the weight of a sign-in in the password queue (R12), lowest first: 0 in a known browser, else recent
    /// failures of the account times those of the network. A user who mistypes once is served before an attacker who
    /// guesses from one network or at one account.
    fn failures(&self, tries: &Tries) -> f64 {
        match tries {
            // Second-factor codes do not wait in the password queue.
            Tries::KnownDevice(_) | Tries::SecondFactor(..) => 0.0,
            Tries::Elsewhere(account, network) => {
                self.failures_of_account.taken(account) * self.failures_of_network.taken(network)
            }
        }
    }

    /// Gives the rate-limit tokens back if the secret was right or was not checked.
    pub(super) fn give_back_sign_in(&self, tries: Tries) {
        match tries {
            Tries::KnownDevice(device) => self.failures_of_device.give_back(&device),
            Tries::Elsewhere(account, network) => {
                self.failures_of_network.give_back(&network);
                self.failures_of_account.give_back(&account);
                self.failures_of_account_from_network.give_back(&(account, network));
            }
            Tries::SecondFactor(place, network) => {
                if place.1.is_none() {
                    self.failures_of_network.give_back(&network);
                }
                self.failures_of_second_factor.give_back(&place);
            }
        }
    }
}

/// Selects the limits for passwords of an account: the browser's own limit if the account has signed in there before.
fn tries(device: Option<&Device>, account: &str, network: Network, stored: Option<&str>) -> Result<Tries> {
    Ok(match (device, stored) {
        (Some(device), Some(hash)) if device.knows(hash)? => {
            Tries::KnownDevice((account.to_owned(), device.name()))
        }
        _ => Tries::Elsewhere(Secret::Password(account.to_owned()), network),
    })
}

impl App {
    /// Verifies a password or a code within the limits `tries`.
    async fn try_secret(
        &self,
        tries: Tries,
        account: &str,
        secret: String,
        stored: Option<String>,
    ) -> Result<Verdict> {
        check_limit(self.limits.take_sign_in(&tries))?;
        let failures = self.limits.failures(&tries);
        let verdict = self.passwords.verify(account, secret, stored, failures).await;
        if !matches!(verdict, Ok(Verdict::Wrong)) {
            self.limits.give_back_sign_in(tries);
        } else if let Tries::Elsewhere(account, _) = &tries {
            // An error means that an earlier failure has taken the only token already.
            let _ = self.limits.lately_failed.take(account);
        }
        Ok(verdict?)
    }
}

/// Sign in; the response sets the session cookie. If the account has a second factor, the right password gets
/// `second-factor-needed`, and `POST /auth/sign-in/code` must follow in the same browser within five minutes.
#[utoipa::path(post, path = "/auth/sign-in", request_body = SignIn, responses((status = 200, body = Entered)))]
pub async fn sign_in(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<SignIn>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    for (rule, value) in [(EMAIL, &form.email), (PASSWORD, &form.password)] {
        if value.is_empty() {
            rule.check("", &mut invalid);
        }
    }
    invalid.into_result(())?;
    // No account has values this long: refuse before hashing.
    if form.email.chars().count() > EMAIL.max
        || normalized_password(&form.password).chars().count() > PASSWORD.max
    {
        return Err(Error::InvalidCredentials);
    }
    let email = folded_email(&form.email);
    // No stored address has control characters, and PostgreSQL accepts no NUL: treat the address as unknown, and count
    // the failure.
    let found = if email.contains(char::is_control) {
        None
    } else {
        let key = email.clone();
        app.library.db.read(move |tx| accounts::credentials(tx, &key)).await?
    };
    let (account, stored) = found.unzip();
    let stored = stored.flatten();
    security_log::note_account(account.as_ref().map(|account| account.uid));

    let https = app.settings.is_https();
    let device = Device::of(https, &headers);
    let tries = tries(device.as_ref(), &email, network, stored.as_deref())?;
    let verdict = app.try_secret(tries, &email, form.password, stored.clone()).await?;
    let (Verdict::Right { rehashed }, Some(account), Some(stored)) = (verdict, account, stored) else {
        return Err(Error::InvalidCredentials);
    };
    if !account.active {
        return Err(Error::AccountInactive);
    }
    let user = account.user.ok_or(Error::RoleUndefined)?;
    let hash = rehashed.as_deref().unwrap_or(&stored);
    let (hash, change) = (hash.to_owned(), Some(SignInChange::SignedIn));
    let verified = VerifiedSignIn { device, hash, remember: form.remember, change };
    let uid = user.uid;
    finish_sign_in(&app, &headers, user, verified, move |tx| {
        if let Some(rehashed) = rehashed {
            accounts::change_password(tx, uid, &stored, &rehashed)?;
        }
        Ok(())
    })
    .await
}

impl App {
    /// Verifies a user's password within the sign-in limits; returns the stored hash if the password is right.
    pub async fn own_password(
        &self,
        uid: UserId,
        network: Network,
        device: Option<&Device>,
        password: String,
    ) -> Result<Option<String>> {
        let found = self.library.db.read(move |tx| accounts::own_credentials(tx, uid)).await?;
        let (account, stored) = found.ok_or(Error::NotSignedIn)?;
        let tries = tries(device, &account, network, stored.as_deref())?;
        let verdict = self.try_secret(tries, &account, password, stored.clone()).await?;
        if verdict == Verdict::Wrong {
            security_log::override_event(security_log::Event::PasswordRefused);
        }
        Ok(stored.filter(|_| matches!(verdict, Verdict::Right { .. })))
    }
}

/// Details of a sign-in whose password or passkey was verified.
pub(super) struct VerifiedSignIn {
    /// Browser, if known.
    pub device: Option<Device>,
    /// Password hash as stored now.
    pub hash: String,
    pub remember: bool,
    /// Change to record, if any.
    pub change: Option<SignInChange>,
}

/// Session of a verified user, prepared but not begun.
#[derive(Clone)]
pub(super) struct PreparedSession {
    user: User,
    arrival: Arrival,
    change: Option<SignInChange>,
    /// Device cookie. Later sign-ins use it to recognise this browser.
    device: HeaderValue,
    /// True if the account has signed in with this browser before.
    is_known: bool,
    agent: Agent,
}

impl PreparedSession {
    pub fn of(app: &App, headers: &HeaderMap, user: User, verified: VerifiedSignIn) -> Result<Self> {
        security_log::note_account(user.uid);
        let known = verified.device.as_ref().map(|device| device.knows(&verified.hash));
        Ok(Self {
            user,
            is_known: known.transpose()?.unwrap_or(false),
            agent: session::agent(headers),
            arrival: Arrival::of(app, headers, verified.remember)?,
            change: verified.change,
            device: Device::signed_in(
                verified.device,
                app.settings.is_https(),
                &app.browser_key,
                Some(&verified.hash),
            )?,
        })
    }

    /// Records the change and begins the session.
    pub fn open(self, tx: &mut Tx<'_>, now: i64) -> Result<()> {
        let uid = self.user.uid;
        if let Some(change) = self.change {
            let is_expected = self.is_known || !events::has_signed_in(tx, uid)?;
            let change = events::record(tx, now, Some(uid), &Entry::person(uid, change))?;
            if !is_expected {
                notices::write(tx, &[Notice::new_device(uid, change, self.agent)], now)?;
            }
        }
        self.arrival.begin(tx, &self.user, now)
    }

    /// Builds the response, which sets the cookies; call after the commit. `proved`: true if a second factor was given.
    pub fn answer(self, app: &App, proved: bool) -> Response {
        let cookies = [self.arrival.into_cookie(app), self.device].map(|cookie| (header::SET_COOKIE, cookie));
        let entered = Entered::of(app, self.user, proved);
        (AppendHeaders(cookies), axum::Json(entered)).into_response()
    }
}

/// User who has signed in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entered {
    #[serde(flatten)]
    user: User,
    /// Same as `secondFactorMissing` of the session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    second_factor_missing: bool,
}

impl Entered {
    /// Builds the response body. `proved`: true if a second factor was given.
    pub(super) fn of(app: &App, user: User, proved: bool) -> Self {
        Self { second_factor_missing: !proved && app.settings.requires_second_factor(user.role), user }
    }
}

/// Completes a password sign-in in one transaction with `also`: begins the session or, if the account has a second
/// factor, asks for it. The response sets the cookies.
pub(super) async fn finish_sign_in(
    app: &App,
    headers: &HeaderMap,
    user: User,
    verified: VerifiedSignIn,
    also: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
) -> Result<Response> {
    let (now, uid, remember) = (app.library.clock.now(), user.uid, verified.remember);
    let half = Half::begin(app.settings.is_https(), now)?;
    let prepared = PreparedSession::of(app, headers, user, verified)?;
    let (opened, second_step) = (prepared.clone(), half.clone());
    let entered = app
        .library
        .db
        .write(move |tx| -> Result<bool> {
            also(tx)?;
            let needs_second_step = second_step.begin_if_needed(tx, uid, remember, now)?;
            if !needs_second_step {
                opened.open(tx, now)?;
            }
            Ok(!needs_second_step)
        })
        .await?;
    Ok(if entered { prepared.answer(app, false) } else { half.answer() })
}

/// Session about to begin in a browser.
#[derive(Clone)]
pub struct Arrival {
    token: String,
    /// Earlier session of this browser, which the new one ends.
    replaced: Option<String>,
    opened: Opened,
    lifetimes: Lifetimes,
    cookie: HeaderValue,
}

impl Arrival {
    /// Prepares a session for the browser that sent `headers`; a `kept` session outlives the browser (R-LOGIN-6).
    pub fn of(app: &App, headers: &HeaderMap, kept: bool) -> Result<Self> {
        let (https, token) = (app.settings.is_https(), session::new_token()?);
        Ok(Self {
            cookie: session::set_session_cookie(https, &token, kept)?,
            token,
            replaced: session::token(https, headers).map(|token| session::hashed(&token)),
            opened: Opened { agent: session::agent(headers), kept },
            lifetimes: app.settings.lifetimes,
        })
    }

    /// True if the session is persistent: it outlives the browser.
    #[must_use]
    pub fn is_persistent(&self) -> bool {
        self.opened.kept
    }

    /// Begins the session of `user`, in the transaction of the sign-in.
    pub fn begin(&self, tx: &mut Tx<'_>, user: &User, now: i64) -> Result<()> {
        if let Some(replaced) = &self.replaced {
            sessions::end(tx, replaced)?;
        }
        let expires_at = self.lifetimes.end(user.role, now, now);
        let hash = session::hashed(&self.token);
        if !sessions::begin(tx, &hash, user.uid, now, expires_at, self.opened)? {
            return Err(Error::UserMissing);
        }
        Ok(())
    }

    /// Evicts the replaced session from the cache and returns the new cookie; call after the commit.
    pub fn into_cookie(self, app: &App) -> HeaderValue {
        if let Some(replaced) = &self.replaced {
            app.sessions.forget(replaced);
        }
        self.cookie
    }
}

/// Sign-in code handed out by a librarian, and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redemption {
    /// Roll number of the code's owner, as on the ID card.
    #[serde(default)]
    roll_number: String,
    /// Email of the code's owner, if no roll number is given. With a roll number, the email is added to the person's
    /// record if the record has none.
    #[serde(default)]
    email: String,
    /// Sign-in code, case-insensitive, with or without the hyphen.
    #[serde(default)]
    #[schema(required)]
    code: String,
    /// The new password.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// Limits of a code as typed.
pub const CODE: Text = Text { field: "code", label: "Code", min: 1, max: 40, kind: Kind::Line };

/// Choose a password with a code, and sign in (R-PEOPLE-3). An unknown person, another person's code and a wrong code
/// get the same response.
#[utoipa::path(post, path = "/auth/redeem", request_body = Redemption, responses((status = 200, body = Entered)))]
pub async fn redeem_code(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<Redemption>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let optional = |rule: Text, raw: &str, invalid: &mut Invalid| {
        (!raw.trim().is_empty()).then(|| rule.check(raw, invalid))
    };
    let roll_number =
        optional(ROLL_NUMBER, &form.roll_number, &mut invalid).map(|raw| folded_roll_number(&raw));
    let email = optional(EMAIL, &form.email, &mut invalid);
    if roll_number.is_none() && email.is_none() {
        invalid.push(ROLL_NUMBER.field, message::roll_number_or_email());
    }
    let code = code::normalized(&CODE.check(&form.code, &mut invalid));
    let password = new_password(PASSWORD, &form.password, &mut invalid);
    invalid.into_result(())?;

    let now = app.library.clock.now();
    let key = email.as_deref().map(folded_email);
    let name = roll_number.clone().or_else(|| key.clone()).unwrap_or_default();
    let policies = app.library.policies.clone();
    let (found, library) = app
        .library
        .db
        .read(move |tx| -> Result<_> {
            let library = policies.current(tx)?.library.name.clone();
            let Some(person) = people::known_as(tx, roll_number.as_deref(), key.as_deref())? else {
                return Ok((None, library));
            };
            let hash = sign_in_codes::hash(tx, person.uid, now)?;
            Ok((Some((person, hash)), library))
        })
        .await?;
    let (person, stored) = found.unzip();
    let stored = stored.flatten();
    security_log::note_account(person.as_ref().map(|person| person.uid));
    let secret =
        person.as_ref().map_or_else(|| Secret::CodeOfUnknown(name.clone()), |one| Secret::Code(one.uid));
    let tries = Tries::Elsewhere(secret, network);
    let verdict = app.try_secret(tries, &name, code, stored.clone()).await?;
    let (Verdict::Right { .. }, Some(person), Some(stored)) = (verdict, person, stored) else {
        return Err(Error::InvalidCode);
    };
    if !person.active {
        return Err(Error::AccountInactive);
    }
    // Only after the code was verified: this refusal reveals details of the person.
    let known = [person.details.email.as_deref(), email.as_deref(), person.details.roll_number.as_deref()];
    let own = [&person.details.name, &library].map(String::as_str);
    let own: Vec<&str> = own.into_iter().chain(known.into_iter().flatten()).collect();
    let mut invalid = Invalid::default();
    refuse_own_words(PASSWORD, &password, &own, &mut invalid);
    invalid.into_result(())?;
    let hash = app.passwords.hash(password).await?;
    let (moment, uid, password_hash) = (app.library.clock.moment(), person.uid, hash.clone());
    let (links, adds_email) = (app.address_links(), person.details.email.is_none() && email.is_some());
    let user = app
        .library
        .db
        .write(move |tx| -> Result<User> {
            if !sign_in_code::redeem(tx, moment, uid, &stored, &password_hash, email.as_deref())? {
                return Err(Error::InvalidCode);
            }
            let account = accounts::by_id(tx, uid)?.ok_or(Error::UserMissing)?;
            let user = account.user.ok_or(Error::RoleUndefined)?;
            if let Some(links) = links.filter(|_| adds_email) {
                links.claim(tx, &user, moment.at)?;
            }
            Ok(user)
        })
        .await?;
    app.sessions.forget_person(uid);
    let device = Device::of(app.settings.is_https(), &headers);
    // The code replaces only the password: the second factor is still required.
    let verified = VerifiedSignIn { device, hash, remember: false, change: None };
    finish_sign_in(&app, &headers, user, verified, |_| Ok(())).await
}

/// Sign out, and end the session on the server.
#[utoipa::path(post, path = "/auth/sign-out", responses((status = 204)))]
pub async fn sign_out(
    State(app): State<Shared>,
    headers: HeaderMap,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<impl IntoResponse> {
    let https = app.settings.is_https();
    if let Ok(hash) = session::token_hash(https, &headers) {
        app.sessions.end(&app.library.db, &hash, app.library.clock.now()).await?;
    }
    let headers = [
        (header::SET_COOKIE, session::clear_session_cookie(https)?),
        // The back button must not show pages after sign-out.
        (header::HeaderName::from_static("clear-site-data"), HeaderValue::from_static("\"cache\"")),
    ];
    Ok((StatusCode::NO_CONTENT, headers))
}

/// Signed-in user, and the sign-in methods on offer.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact for the screens")]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Signed-in user; null for a visitor.
    #[schema(required)]
    user: Option<User>,
    /// True if ID cards can be looked up (`--id-card`).
    id_card: bool,
    /// True if passkeys work at the library's address; omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    passkeys: bool,
    /// True if the user must set up a second factor before doing anything else (`--second-factor`); omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    second_factor_missing: bool,
    /// True while the first librarian must still be created (`POST /setup`); omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    setup: bool,
    /// True if the library mails password reset links; omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    mail: bool,
    /// Name of the college's provider, if sign-in with it is offered; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    provider: Option<String>,
    /// Number of unread notices of the user; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    unread_notices: Option<i64>,
    /// Seconds until a librarian's session ends without activity; omitted for other users.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    expires_in: Option<i64>,
}

/// Read the session; for a visitor `user` is null.
///
/// The header `Library-Background: 1`, on this and every other call, marks a read that a page makes by itself: such a
/// read does not count as activity. Every other request prolongs a librarian's session.
#[utoipa::path(get, path = "/auth/session", responses((status = 200, body = Session)))]
pub async fn read_session(
    State(app): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<axum::Json<Session>> {
    let user = caller.user().cloned();
    let expires_in = match user.as_ref().map(|user| user.role) {
        Some(Role::Admin) => {
            let end = app.sessions.end_of(&session::token_hash(app.settings.is_https(), &headers)?);
            end.map(|end| (end - app.library.clock.now()).max(0) / 1000)
        }
        _ => None,
    };
    let provider = app.settings.provider.as_ref().map(|provider| provider.label().to_owned());
    let unread_notices = match user.as_ref().map(|user| user.uid) {
        // If reading the count fails, the session is returned without the count.
        Some(uid) => app.library.db.read(move |tx| notices::unread(tx, uid)).await.ok(),
        None => None,
    };
    Ok(axum::Json(Session {
        unread_notices: unread_notices.filter(|unread| *unread > 0),
        user,
        id_card: app.settings.id_card != IdCard::Off,
        passkeys: Party::at(&app.settings.public_url).is_some(),
        second_factor_missing: matches!(caller, Caller::Unenrolled(_)),
        setup: app.setup.is_open(),
        mail: app.settings.post.mail.is_some(),
        provider,
        expires_in,
    }))
}

/// A scanned card.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardLookup {
    /// Roll number on the card.
    #[serde(default)]
    #[schema(required)]
    roll_number: String,
}

/// Result of a card look-up.
#[derive(Serialize, ToSchema)]
pub struct CardHolder {
    /// Address to sign in with.
    email: String,
}

/// Duration of a card look-up, so that hits and misses take the same time.
const CARD_ANSWER: Duration = Duration::from_millis(25);

/// Find the email address to sign in with, by the roll number on an ID card.
#[utoipa::path(post, path = "/auth/id-card", request_body = CardLookup, responses((status = 200, body = CardHolder)))]
pub async fn look_up_id_card(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(card): JsonBody<CardLookup>,
) -> Result<axum::Json<CardHolder>> {
    if app.settings.id_card == IdCard::Off {
        return Err(Error::NotFound);
    }
    let mut invalid = Invalid::default();
    let roll_number = folded_roll_number(&ROLL_NUMBER.check(&card.roll_number, &mut invalid));
    invalid.into_result(())?;
    // Hits, misses and look-ups beyond the limit run the same read; the delay hides the remaining difference in time.
    let answer_at = tokio::time::Instant::now() + CARD_ANSWER;
    let find = move |tx: &mut Tx<'_>| -> storage::Result<_> {
        let found = accounts::by_roll_number(tx, &roll_number)?;
        let uid = found.as_ref().map(|account| account.uid);
        let own = uid.map(|uid| accounts::own_credentials(tx, uid)).transpose()?.flatten();
        Ok((found, own.and_then(|(_, hash)| hash)))
    };
    let found = app.library.db.read(find).await;
    tokio::time::sleep_until(answer_at).await;
    let (found, hash) = found?;
    // A browser in which the card's owner signed in before learns nothing new, so it is exempt from the limit: an
    // attacker in the same network must not lock it out (X6).
    let device = Device::of(app.settings.is_https(), &headers);
    let is_known = device.zip(hash).map(|(device, hash)| device.knows(&hash)).transpose()?;
    if is_known != Some(true) {
        check_limit(app.limits.card_lookups.take(&network))?;
    }
    let user = found.ok_or(Error::CardUnknown)?.user.ok_or(Error::CardRoleUnknown)?;
    let email = user.email.ok_or(Error::CardUnknown)?;
    let email = match app.settings.id_card {
        IdCard::Masked => masked(&email),
        _ => email,
    };
    Ok(axum::Json(CardHolder { email }))
}

/// Masks an address as `r***@college.edu`, enough for its owner to recognise.
fn masked(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, host)) => format!("{}***@{host}", local.chars().next().unwrap_or('*')),
        None => "***".into(),
    }
}

/// Read the caller's own account.
#[utoipa::path(get, path = "/me", responses((status = 200, body = User)))]
pub async fn read_me(SignedIn(user): SignedIn) -> axum::Json<User> {
    axum::Json(User::clone(&user))
}

/// Edit the caller's own profile.
#[utoipa::path(patch, path = "/me", request_body = ProfileEdit, responses((status = 200, body = User)))]
pub async fn update_me(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    JsonBody(edit): JsonBody<ProfileEdit>,
) -> Result<Answer> {
    let edit = edit.checked()?;
    let (now, uid) = (app.library.clock.now(), user.uid);
    let answer = app
        .once(once, move |tx| {
            // Lock before reading, so that `before` is the version that the update replaces.
            accounts::lock(tx, uid)?;
            let before =
                accounts::by_id(tx, uid)?.and_then(|account| account.user).ok_or(Error::NotSignedIn)?;
            let updated = accounts::update_profile(tx, uid, &edit)?.ok_or(Error::NotSignedIn)??;
            let change = PersonChange::ProfileUpdated {
                before: Profile::from(&before),
                after: Profile::from(&updated),
            };
            events::record(tx, now, Some(uid), &Entry::person(uid, change))?;
            Answer::json(StatusCode::OK, &updated)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_masked_address_shows_its_owner_enough_and_others_little() {
        assert_eq!(super::masked("ravi@college.edu"), "r***@college.edu");
        assert_eq!(super::masked("odd"), "***");
    }
}
