//! Sessions and password of the caller's own account.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    App, Shared,
    client::Network,
    device::Device,
    error::{Error, Result},
    extract::{Id, JsonBody},
    idempotency::{Answer, Once},
    session::{self, SignedIn},
};
use crate::{
    domain::{
        account::{self, PASSWORD},
        change::SignInChange,
        id::{SessionId, UserId},
        moment::{Moment, rfc3339},
        rule::{Invalid, Text},
    },
    message, people,
    storage::{
        self, Tx, accounts,
        authority::Authority,
        events::{self, Entry},
        sessions,
    },
};

/// A browser with a session of the caller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnSession {
    id: SessionId,
    /// True for the session of this request.
    current: bool,
    /// Name of the browser; null if unknown.
    #[schema(required)]
    browser: Option<String>,
    /// Operating system; null if unknown.
    #[schema(required)]
    system: Option<String>,
    #[schema(format = DateTime)]
    signed_in_at: String,
    /// Last activity, accurate to a minute.
    #[schema(format = DateTime)]
    last_seen_at: String,
}

/// The caller's sessions.
#[derive(Serialize, ToSchema)]
pub struct OwnSessionList {
    /// The current session first, then by last activity.
    sessions: Vec<OwnSession>,
}

/// List the caller's own sessions.
#[utoipa::path(get, path = "/me/sessions", responses((status = 200, body = OwnSessionList)))]
pub async fn list_own_sessions(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    headers: HeaderMap,
) -> Result<axum::Json<OwnSessionList>> {
    let current = session::token_hash(app.settings.is_https(), &headers)?;
    let now = app.library.clock.now();
    let found = app.library.db.read(move |tx| sessions::of_person(tx, user.uid, now)).await?;
    let mut sessions: Vec<_> = found
        .into_iter()
        .map(|one| OwnSession {
            id: one.id,
            current: one.token_hash == current,
            browser: one.browser,
            system: one.system,
            signed_in_at: rfc3339(one.created_at),
            last_seen_at: rfc3339(one.seen_at),
        })
        .collect();
    sessions.sort_by_key(|one| !one.current);
    Ok(axum::Json(OwnSessionList { sessions }))
}

/// Records the number of ended sessions, if any.
fn record_ended(tx: &mut Tx<'_>, moment: Moment, person: UserId, sessions: u64) -> storage::Result<()> {
    if sessions > 0 {
        let change = SignInChange::SessionsEnded { sessions };
        events::record(tx, moment.at, Some(person), &Entry::person(person, change))?;
    }
    Ok(())
}

/// Sign out one of the caller's own browsers.
#[utoipa::path(delete, path = "/me/sessions/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn end_own_session(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    Id(id): Id<SessionId>,
    once: Once,
) -> Result<Answer> {
    let (moment, uid) = (app.library.clock.moment(), user.uid);
    let answer = app
        .once(once, move |tx| {
            if !sessions::end_one_of(tx, uid, id)? {
                return Err(Error::NotFound);
            }
            record_ended(tx, moment, uid, 1)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Sign out all other browsers of the caller.
#[utoipa::path(delete, path = "/me/sessions", responses((status = 204)))]
pub async fn end_other_sessions(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    headers: HeaderMap,
    once: Once,
) -> Result<Answer> {
    let current = session::token_hash(app.settings.is_https(), &headers)?;
    let (moment, uid) = (app.library.clock.moment(), user.uid);
    let answer = app
        .once(once, move |tx| {
            let ended = sessions::end_others_of(tx, uid, &current)?;
            record_ended(tx, moment, uid, ended)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Sign a person out of every browser, for instance after a phone or a card was lost.
#[utoipa::path(delete, path = "/people/{id}/sessions", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn end_sessions_of_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
) -> Result<Answer> {
    let moment = app.library.clock.moment();
    let answer = app
        .once(once, move |tx| {
            let authority = Authority::of(tx, librarian.uid)?;
            people::end_sessions(tx, &authority, moment, uid)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Limits of the current password, which proves the caller's identity.
pub const CURRENT_PASSWORD: Text =
    Text { field: "currentPassword", label: "Current password", min: 1, ..PASSWORD };
pub const NEW_PASSWORD: Text = Text { field: "newPassword", label: "New password", ..PASSWORD };

fn wrong_password() -> Error {
    Invalid::field(CURRENT_PASSWORD.field, message::wrong_password()).into()
}

impl App {
    /// Verifies the caller's own password and returns its stored hash.
    pub(super) async fn current_password(
        &self,
        uid: UserId,
        network: Network,
        device: Option<&Device>,
        password: String,
    ) -> Result<String> {
        self.own_password(uid, network, device, password).await?.ok_or_else(wrong_password)
    }
}

/// Request body of a password change.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasswordChange {
    #[serde(default)]
    #[schema(required, format = Password)]
    current_password: String,
    #[serde(default)]
    #[schema(required, format = Password)]
    new_password: String,
}

/// Change the caller's own password. Other browsers are signed out; this one gets a new cookie.
#[utoipa::path(post, path = "/auth/password", request_body = PasswordChange, responses((status = 204)))]
pub async fn change_password(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PasswordChange>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    CURRENT_PASSWORD.check(&form.current_password, &mut invalid);
    let password = account::new_password(NEW_PASSWORD, &form.new_password, &mut invalid);
    invalid.into_result(())?;

    let (https, uid) = (app.settings.is_https(), user.uid);
    let device = Device::of(https, &headers);
    let stored = app.current_password(uid, network, device.as_ref(), form.current_password).await?;
    let policies = app.library.policies.clone();
    let rulebook = app.library.db.read(move |tx| policies.current(tx)).await.map_err(Error::from)?;
    let known = [user.email.as_deref(), user.roll_number.as_deref()].into_iter().flatten();
    let own: Vec<&str> = [user.name.as_str(), &rulebook.library.name].into_iter().chain(known).collect();
    let mut invalid = Invalid::default();
    account::refuse_own_words(NEW_PASSWORD, &password, &own, &mut invalid);
    invalid.into_result(())?;
    let hash = app.passwords.hash(password).await?;

    let (token, moment) = (session::new_token()?, app.library.clock.moment());
    let before = session::token_hash(https, &headers)?;
    let (now_hash, new_hash, ended) = (session::hashed(&token), hash.clone(), before.clone());
    let kept = app
        .library
        .db
        .write(move |tx| -> Result<bool> {
            accounts::lock(tx, uid)?;
            // A concurrent request has already changed this password.
            if !accounts::change_password(tx, uid, &stored, &new_hash)? {
                return Err(wrong_password());
            }
            let kept = sessions::renew(tx, &ended, &now_hash, moment.at)?.ok_or(Error::NotSignedIn)?;
            sessions::end_others_of(tx, uid, &now_hash)?;
            events::record(tx, moment.at, Some(uid), &Entry::person(uid, SignInChange::PasswordChanged))?;
            Ok(kept)
        })
        .await?;
    app.sessions.forget(&before);
    app.sessions.forget_person(uid);
    let cookies = AppendHeaders([
        (header::SET_COOKIE, session::set_session_cookie(https, &token, kept)?),
        (header::SET_COOKIE, Device::signed_in(device, https, &app.browser_key, Some(&hash))?),
    ]);
    Ok((StatusCode::NO_CONTENT, cookies))
}
