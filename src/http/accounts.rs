//! Registering, signing in and out, the card look-up, and one's own profile.

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
        change::{Change, Profile},
        id::UserId,
        rule::{Invalid, Kind, Text},
    },
    message,
    passkey::Party,
    password::Verdict,
    people::code,
    storage::{
        Tx,
        accounts::{self, NewAccount, Taken},
        events::{self, Entry},
        people,
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

/// A limit's refusal as an answer.
pub fn within(taken: Result<(), Duration>) -> Result<()> {
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
    let policies = app.policies.clone();
    let rulebook = app.db.read(move |tx| policies.current(tx)).await.map_err(Error::from)?;
    let registration = registration.checked(&rulebook.library.batches, &rulebook.library.name)?;
    within(app.limits.registrations.take(&network))?;
    let new = NewAccount {
        password_hash: app.passwords.hash(registration.password).await?,
        email: registration.email,
        name: registration.name,
        role: Role::Student,
        roll_number: Some(registration.roll_number),
        department: Some(registration.department),
        batch: Some(registration.batch),
    };
    let now = app.clock.now();
    app.once(once, move |tx| {
        let user = accounts::add(tx, &new, now)??;
        let change = Change::Registered { role: user.role };
        events::record(tx, now, Some(user.uid), &Entry::person(user.uid, change))?;
        Answer::json(StatusCode::CREATED, &user)
    })
    .await
}

/// Email and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignIn {
    /// Email address, in any case.
    #[serde(default)]
    #[schema(required, min_length = 1)]
    email: String,
    /// Password.
    #[serde(default)]
    #[schema(required, format = Password, min_length = 1)]
    password: String,
    /// Keeps the session for 30 days instead of until the browser closes (R-LOGIN-6).
    #[serde(default)]
    remember: bool,
}

/// Whose failures a sign-in counts among.
pub(super) enum Tries {
    /// Those of a browser in which the account was signed in to before.
    KnownDevice((String, device::Name)),
    /// Those of the network, and of the account.
    Elsewhere(String, Network),
    /// Those of the codes that follow an account's password: in a browser in which it was signed in to before, or
    /// elsewhere, and there also those of the network.
    SecondFactor((UserId, Option<device::Name>), Network),
}

impl Tries {
    /// Those of an account's codes.
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

impl Limits {
    /// Takes a token before a password or a code is verified, so that guesses at the same moment are counted too.
    pub(super) fn take_sign_in(&self, tries: &Tries) -> Result<(), Duration> {
        match tries {
            Tries::KnownDevice(device) => self.failures_of_device.take(device),
            Tries::Elsewhere(account, network) => {
                self.failures_of_network.take(network)?;
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
                self.failures_of_second_factor
                    .take(place)
                    .inspect_err(|_| self.failures_of_network.give_back(network))
            }
            Tries::SecondFactor(place, _) => self.failures_of_second_factor.take(place),
        }
    }

    /// What speaks against a sign-in whose token is taken, for its turn among many (R12): nothing in a browser that is
    /// known, otherwise how often its account failed of late times how often its network did. Whoever mistypes once is far
    /// behind those who guess from one network, and those who guess at one account, in both.
    fn failures(&self, tries: &Tries) -> f64 {
        match tries {
            // A code is compared at once.
            Tries::KnownDevice(_) | Tries::SecondFactor(..) => 0.0,
            Tries::Elsewhere(account, network) => {
                self.failures_of_account.taken(account) * self.failures_of_network.taken(network)
            }
        }
    }

    /// Gives the token back: the password was right, or was not looked at.
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

/// Whose failures the tries of an account's password count among.
fn tries(device: Option<&Device>, account: &str, network: Network, stored: Option<&str>) -> Result<Tries> {
    Ok(match (device, stored) {
        (Some(device), Some(hash)) if device.knows(hash)? => {
            Tries::KnownDevice((account.to_owned(), device.name()))
        }
        _ => Tries::Elsewhere(account.to_owned(), network),
    })
}

impl App {
    /// Verifies a password, or a code, within the limits of whoever tries.
    async fn try_secret(
        &self,
        tries: Tries,
        account: &str,
        secret: String,
        stored: Option<String>,
    ) -> Result<Verdict> {
        within(self.limits.take_sign_in(&tries))?;
        let failures = self.limits.failures(&tries);
        let verdict = self.passwords.verify(account, secret, stored, failures).await;
        if !matches!(verdict, Ok(Verdict::Wrong)) {
            self.limits.give_back_sign_in(tries);
        }
        Ok(verdict?)
    }
}

/// Sign in; the answer sets the session's cookie. Where a second factor is set up, the right password is answered with
/// `second-factor-needed`, and `POST /auth/sign-in/code` follows in the same browser within five minutes.
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
    invalid.or(())?;
    // Longer than any account's: refused before it is hashed.
    if form.email.chars().count() > EMAIL.max
        || normalized_password(&form.password).chars().count() > PASSWORD.max
    {
        return Err(Error::InvalidCredentials);
    }
    let email = folded_email(&form.email);
    // No address has control characters, and PostgreSQL takes no NUL: nobody's address, and counted like one.
    let found = if email.contains(char::is_control) {
        None
    } else {
        let key = email.clone();
        app.db.read(move |tx| accounts::credentials(tx, &key)).await?
    };
    let (account, stored) = found.unzip();
    let stored = stored.flatten();
    security_log::concerns(account.as_ref().map(|account| account.uid));

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
    let told = Some(Change::SignedIn);
    let entering = Entering { device, hash: hash.to_owned(), remember: form.remember, told };
    let uid = user.uid;
    enter(&app, &headers, user, entering, move |tx| {
        if let Some(rehashed) = rehashed {
            accounts::change_password(tx, uid, &stored, &rehashed)?;
        }
        Ok(())
    })
    .await
}

impl App {
    /// Whether this is the password of whoever is signed in; tries count as those of a sign-in. The hash behind it.
    pub async fn own_password(
        &self,
        uid: UserId,
        network: Network,
        device: Option<&Device>,
        password: String,
    ) -> Result<Option<String>> {
        let found = self.db.read(move |tx| accounts::own_credentials(tx, uid)).await?;
        let (account, stored) = found.ok_or(Error::NotSignedIn)?;
        let tries = tries(device, &account, network, stored.as_deref())?;
        let verdict = self.try_secret(tries, &account, password, stored.clone()).await?;
        if verdict == Verdict::Wrong {
            security_log::happened(security_log::Event::PasswordRefused);
        }
        Ok(stored.filter(|_| matches!(verdict, Verdict::Right { .. })))
    }
}

/// How somebody comes in.
pub(super) struct Entering {
    /// The browser, if it was known.
    pub device: Option<Device>,
    /// The hash of the password, as it is stored now.
    pub hash: String,
    pub remember: bool,
    /// What is kept of it.
    pub told: Option<Change>,
}

/// The session of somebody who gave the right password, before it begins.
#[derive(Clone)]
pub(super) struct Entrance {
    user: User,
    arrival: Arrival,
    told: Option<Change>,
    /// The cookie by which the browser is known from now on.
    device: HeaderValue,
}

impl Entrance {
    pub fn of(app: &App, headers: &HeaderMap, user: User, entering: Entering) -> Result<Self> {
        security_log::concerns(user.uid);
        Ok(Self {
            user,
            arrival: Arrival::of(app, headers, entering.remember)?,
            told: entering.told,
            device: Device::signed_in(entering.device, app.settings.is_https(), &entering.hash)?,
        })
    }

    /// Begins it.
    pub fn open(self, tx: &mut Tx<'_>, now: i64) -> Result<()> {
        if let Some(told) = self.told {
            events::record(tx, now, Some(self.user.uid), &Entry::person(self.user.uid, told))?;
        }
        self.arrival.begin(tx, &self.user, now)
    }

    /// The answer once it has begun; it sets the cookies. `proved`: a second factor was given.
    pub fn answer(self, app: &App, proved: bool) -> Response {
        let cookies = [self.arrival.begun(app), self.device].map(|cookie| (header::SET_COOKIE, cookie));
        let entered = Entered::of(app, self.user, proved);
        (AppendHeaders(cookies), axum::Json(entered)).into_response()
    }
}

/// Who has come in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entered {
    #[serde(flatten)]
    user: User,
    /// As in the session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    second_factor_missing: bool,
}

impl Entered {
    /// `proved`: a second factor was given.
    pub(super) fn of(app: &App, user: User, proved: bool) -> Self {
        Self { second_factor_missing: !proved && app.settings.requires_second_factor(user.role), user }
    }
}

/// Lets in whoever gave the right password, together with what `also` does: begins a session, or, where the account has a
/// second factor, asks for it. The answer sets the cookies.
async fn enter(
    app: &App,
    headers: &HeaderMap,
    user: User,
    entering: Entering,
    also: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
) -> Result<Response> {
    let (now, uid, remember) = (app.clock.now(), user.uid, entering.remember);
    let half = Half::begin(app.settings.is_https(), now)?;
    let entrance = Entrance::of(app, headers, user, entering)?;
    let (opened, asked) = (entrance.clone(), half.clone());
    let entered = app
        .db
        .write(move |tx| -> Result<bool> {
            also(tx)?;
            let is_asked = asked.stands_for(tx, uid, remember, now)?;
            if !is_asked {
                opened.open(tx, now)?;
            }
            Ok(!is_asked)
        })
        .await?;
    Ok(if entered { entrance.answer(app, false) } else { half.answer() })
}

/// A session that is about to begin in a browser.
#[derive(Clone)]
pub struct Arrival {
    token: String,
    /// The earlier session of the browser: one that signs in again leaves none behind.
    replaced: Option<String>,
    opened: Opened,
    lifetimes: Lifetimes,
    cookie: HeaderValue,
}

impl Arrival {
    /// In the browser that sends these headers, which keeps the session when it closes or not (R-LOGIN-6).
    pub fn of(app: &App, headers: &HeaderMap, kept: bool) -> Result<Self> {
        let (https, token) = (app.settings.is_https(), session::new_token()?);
        Ok(Self {
            cookie: session::cookie(https, &token, kept)?,
            token,
            replaced: session::token(https, headers).map(|token| session::hashed(&token)),
            opened: Opened { agent: session::agent(headers), kept },
            lifetimes: app.settings.lifetimes,
        })
    }

    /// Whether the browser keeps it.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.opened.kept
    }

    /// Begins it for this person, in the transaction of their sign-in.
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

    /// Its cookie, after the transaction.
    pub fn begun(self, app: &App) -> HeaderValue {
        if let Some(replaced) = &self.replaced {
            app.sessions.forget(replaced);
        }
        self.cookie
    }
}

/// A code that a librarian handed out, and the password that its person chooses.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Redemption {
    /// Whose code it is, as on the ID card.
    #[serde(default)]
    roll_number: String,
    /// Whose code it is, where no roll number is given; beside one, the address to sign in with, for whoever has none yet.
    #[serde(default)]
    email: String,
    /// In any case, with or without the hyphen.
    #[serde(default)]
    #[schema(required)]
    code: String,
    /// The new password.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// As long as somebody may type it.
pub const CODE: Text = Text { field: "code", label: "Code", min: 1, max: 40, kind: Kind::Line };

/// Choose a password with a code, and be signed in (R-PEOPLE-3). Whoever the code is not of is told the same as for a code
/// that is wrong.
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
    invalid.or(())?;

    let now = app.clock.now();
    let key = email.as_deref().map(folded_email);
    let name = roll_number.clone().or_else(|| key.clone()).unwrap_or_default();
    let policies = app.policies.clone();
    let (found, library) = app
        .db
        .read(move |tx| -> Result<_> {
            let library = policies.current(tx)?.library.name.clone();
            let Some(person) = people::known_as(tx, roll_number.as_deref(), key.as_deref())? else {
                return Ok((None, library));
            };
            Ok((sign_in_codes::hash(tx, person.uid, now)?.map(|hash| (person, hash)), library))
        })
        .await?;
    let (person, stored) = found.unzip();
    security_log::concerns(person.as_ref().map(|person| person.uid));
    let tries = Tries::Elsewhere(name.clone(), network);
    let verdict = app.try_secret(tries, &name, code, stored.clone()).await?;
    let (Verdict::Right { .. }, Some(person), Some(stored)) = (verdict, person, stored) else {
        return Err(Error::InvalidCode);
    };
    if !person.active {
        return Err(Error::AccountInactive);
    }
    // Only now: what is refused tells something of the person.
    let known = [person.details.email.as_deref(), email.as_deref(), person.details.roll_number.as_deref()];
    let own = [&person.details.name, &library].map(String::as_str);
    let own: Vec<&str> = own.into_iter().chain(known.into_iter().flatten()).collect();
    let mut invalid = Invalid::default();
    refuse_own_words(PASSWORD, &password, &own, &mut invalid);
    invalid.or(())?;
    let hash = app.passwords.hash(password).await?;
    let (moment, uid, password_hash) = (app.clock.moment(), person.uid, hash.clone());
    let user = app
        .db
        .write(move |tx| -> Result<User> {
            if !code::redeem(tx, moment, uid, &stored, &password_hash, email.as_deref())? {
                return Err(Error::InvalidCode);
            }
            let account = accounts::by_id(tx, uid)?.ok_or(Error::UserMissing)?;
            account.user.ok_or(Error::RoleUndefined)
        })
        .await?;
    app.sessions.forget_person(uid);
    let device = Device::of(app.settings.is_https(), &headers);
    // The code stands for the password alone: a second factor is asked for all the same.
    let entering = Entering { device, hash, remember: false, told: None };
    enter(&app, &headers, user, entering, |_| Ok(())).await
}

/// Sign out: the session ends on the server.
#[utoipa::path(post, path = "/auth/sign-out", responses((status = 204)))]
pub async fn sign_out(
    State(app): State<Shared>,
    headers: HeaderMap,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<impl IntoResponse> {
    let https = app.settings.is_https();
    if let Ok(hash) = session::token_hash(https, &headers) {
        app.sessions.end(&app.db, &hash, app.clock.now()).await?;
    }
    let headers = [
        (header::SET_COOKIE, session::no_cookie(https)?),
        // Back must not show what a signed-in person saw.
        (header::HeaderName::from_static("clear-site-data"), HeaderValue::from_static("\"cache\"")),
    ];
    Ok((StatusCode::NO_CONTENT, headers))
}

/// Who is signed in, and what may be offered to sign in with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The person; null for nobody.
    #[schema(required)]
    user: Option<User>,
    /// Whether an ID card can be looked up (`--id-card`).
    id_card: bool,
    /// Whether one can sign in with a passkey at the library's address; left out where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    passkeys: bool,
    /// Whether the person has to set up a second factor before anything else is open to them (`--second-factor`); left
    /// out where not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    second_factor_missing: bool,
    /// What people call the college's provider, where one can sign in by it; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    provider: Option<String>,
    /// Seconds until a librarian's session ends if nothing is done in it; left out for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = i64)]
    expires_in: Option<i64>,
}

/// Who is signed in; nobody is no error.
///
/// What a page asks by itself, here and elsewhere, it sends with the header `Library-Background: 1`: it does not tell that
/// anybody is there. Every other request keeps a librarian's session from ending for want of activity.
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
            end.map(|end| (end - app.clock.now()).max(0) / 1000)
        }
        _ => None,
    };
    let provider = app.settings.provider.as_ref().map(|provider| provider.label().to_owned());
    Ok(axum::Json(Session {
        user,
        id_card: app.settings.id_card != IdCard::Off,
        passkeys: Party::at(&app.settings.public_url).is_some(),
        second_factor_missing: matches!(caller, Caller::Unenrolled(_)),
        provider,
        expires_in,
    }))
}

/// A scanned card.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardLookup {
    /// The roll number as the card has it.
    #[serde(default)]
    #[schema(required)]
    roll_number: String,
}

/// Whose card it is.
#[derive(Serialize, ToSchema)]
pub struct CardHolder {
    /// The address to sign in with.
    email: String,
}

/// How long each look-up of a card takes, whatever it finds.
const CARD_ANSWER: Duration = Duration::from_millis(25);

/// Find the email address to sign in with, by the roll number on an ID card.
#[utoipa::path(post, path = "/auth/id-card", request_body = CardLookup, responses((status = 200, body = CardHolder)))]
pub async fn look_up_id_card(
    State(app): State<Shared>,
    network: Network,
    JsonBody(card): JsonBody<CardLookup>,
) -> Result<axum::Json<CardHolder>> {
    if app.settings.id_card == IdCard::Off {
        return Err(Error::NotFound);
    }
    let mut invalid = Invalid::default();
    let roll_number = folded_roll_number(&ROLL_NUMBER.check(&card.roll_number, &mut invalid));
    invalid.or(())?;
    within(app.limits.card_lookups.take(&network))?;
    // A hit and a miss are the same one read; what little differs vanishes in this time.
    let answer_at = tokio::time::Instant::now() + CARD_ANSWER;
    let found = app.db.read(move |tx| accounts::by_roll_number(tx, &roll_number)).await;
    tokio::time::sleep_until(answer_at).await;
    let user = found?.ok_or(Error::CardUnknown)?.user.ok_or(Error::CardRoleUnknown)?;
    let email = user.email.ok_or(Error::CardUnknown)?;
    let email = match app.settings.id_card {
        IdCard::Masked => masked(&email),
        _ => email,
    };
    Ok(axum::Json(CardHolder { email }))
}

/// `r***@college.edu`: enough for the owner to know it.
fn masked(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, host)) => format!("{}***@{host}", local.chars().next().unwrap_or('*')),
        None => "***".into(),
    }
}

/// One's own account.
#[utoipa::path(get, path = "/me", responses((status = 200, body = User)))]
pub async fn read_me(SignedIn(user): SignedIn) -> axum::Json<User> {
    axum::Json(User::clone(&user))
}

/// Edit one's own profile.
#[utoipa::path(patch, path = "/me", request_body = ProfileEdit, responses((status = 200, body = User)))]
pub async fn update_me(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    JsonBody(edit): JsonBody<ProfileEdit>,
) -> Result<Answer> {
    let edit = edit.checked()?;
    let (now, uid) = (app.clock.now(), user.uid);
    let answer = app
        .once(once, move |tx| {
            // Locked before it is read, so that what is kept as before is what was changed.
            accounts::lock(tx, uid)?;
            let before =
                accounts::by_id(tx, uid)?.and_then(|account| account.user).ok_or(Error::NotSignedIn)?;
            let updated = accounts::update_profile(tx, uid, &edit)?.ok_or(Error::NotSignedIn)??;
            let change =
                Change::ProfileUpdated { before: Profile::from(&before), after: Profile::from(&updated) };
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
