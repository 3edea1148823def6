//! Sessions: an opaque token in a cookie, its hash in the database, and a short memory of who it stands for.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, header, request::Parts},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::{
    App, cookie,
    error::{Error, Result},
};
use crate::{
    domain::{
        account::{Role, User},
        agent::Agent,
        id::UserId,
    },
    storage::{self, Db, sessions},
};

/// R-LOGIN-6: 30 days. A session that was not to be kept has the same length on the server; its cookie dies with the
/// browser. A librarian's ends earlier, see [`Lifetimes`].
pub const SESSION_DAYS: i64 = 30;

/// How long a session lasts (ASVS 7.3). A student's ends after 30 days.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// A librarian's, at most.
    pub librarian: Duration,
    /// A librarian's in which nothing is done.
    pub librarian_idle: Duration,
}

impl Lifetimes {
    /// When a session that began at `began` ends, if nothing is done after `seen`; epoch milliseconds.
    #[must_use]
    pub fn end(&self, role: Role, began: i64, seen: i64) -> i64 {
        let after = |from: i64, length: Duration| {
            from.saturating_add(i64::try_from(length.as_millis()).unwrap_or(i64::MAX))
        };
        match role {
            Role::Student => began.saturating_add(SESSION_DAYS * 24 * 60 * 60 * 1000),
            Role::Admin => after(began, self.librarian).min(after(seen, self.librarian_idle)),
        }
    }
}

/// That something was done is kept once a minute at most, so that reading stays reading; in milliseconds.
const SEEN_EVERY: i64 = 60 * 1000;
/// A read does not wait longer for that to be kept.
const SEEN_PATIENCE: Duration = Duration::from_secs(1);

/// The header of a read that a page makes by itself: it does not tell that anybody is there. Writes always do.
pub const BACKGROUND: &str = "library-background";

/// Whether somebody does something by this request.
fn is_activity(method: &Method, headers: &HeaderMap) -> bool {
    !method.is_safe() || !headers.contains_key(BACKGROUND)
}

/// How long a session is trusted without asking the database: what another process changed holds within a second.
const MEMORY: Duration = Duration::from_secs(1);
/// Sessions remembered at once.
const REMEMBERED: usize = 50_000;

/// The cookie's name; over https with the prefix by which browsers refuse it from any other source.
#[must_use]
pub fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-library" } else { "library" }
}

/// Bytes from the system's generator.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string().into()))?;
    Ok(bytes)
}

/// A fresh token: 256 bits.
pub fn new_token() -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(random::<32>()?))
}

/// What the database keeps of a token: its SHA-256 in base64url.
#[must_use]
pub fn hashed(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

/// The `Set-Cookie` that begins a session.
pub fn cookie(https: bool, token: &str, remember: bool) -> Result<HeaderValue> {
    cookie::set(https, cookie_name(https), token, "/", remember.then_some(SESSION_DAYS * 24 * 60 * 60))
}

/// The `Set-Cookie` that ends one.
pub fn no_cookie(https: bool) -> Result<HeaderValue> {
    cookie::set(https, cookie_name(https), "", "/", Some(0))
}

/// The token a request shows.
#[must_use]
pub fn token(https: bool, headers: &HeaderMap) -> Option<String> {
    cookie::read(headers, cookie_name(https)).map(ToOwned::to_owned)
}

/// The hash of the token that a request shows.
pub fn token_hash(https: bool, headers: &HeaderMap) -> Result<String> {
    token(https, headers).map(|token| hashed(&token)).ok_or(Error::NotSignedIn)
}

/// The browser that a request comes from.
#[must_use]
pub fn agent(headers: &HeaderMap) -> Agent {
    let header = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    header.map(Agent::of).unwrap_or_default()
}

/// Who makes a call.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Nobody is signed in.
    Visitor,
    /// Somebody is.
    Person(Arc<User>),
    /// A librarian is who has yet to set up the second factor that is required of them: nothing but that is open to them,
    /// and what is open to anyone.
    Unenrolled(Arc<User>),
    /// Somebody is whose role is none of the two (R-LOGIN-5).
    RoleUndefined,
}

impl Caller {
    /// Finds out by the cookie.
    pub async fn of(app: &App, method: &Method, headers: &HeaderMap) -> Result<Self> {
        let Some(token) = token(app.settings.is_https(), headers) else { return Ok(Self::Visitor) };
        app.sessions.caller(app, &hashed(&token), is_activity(method, headers)).await
    }

    /// The caller's role.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.person().map(|user| user.role)
    }

    /// Who is signed in, whether or not they have yet to set up a second factor.
    #[must_use]
    pub fn user(&self) -> Option<&User> {
        match self {
            Self::Person(user) | Self::Unenrolled(user) => Some(user),
            Self::Visitor | Self::RoleUndefined => None,
        }
    }

    /// The person, if one is signed in.
    #[must_use]
    pub fn person(&self) -> Option<&User> {
        match self {
            Self::Person(user) => Some(user),
            _ => None,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        // A route that the access check does not guard has no caller.
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or(Self::Visitor))
    }
}

/// The signed-in person; the access table has made sure that there is one with the right role.
pub struct SignedIn(pub Arc<User>);

impl<S: Send + Sync> FromRequestParts<S> for SignedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        match Caller::from_request_parts(parts, state).await? {
            // The access table keeps whoever is not enrolled from all calls but those that enrol them.
            Caller::Person(user) | Caller::Unenrolled(user) => Ok(Self(user)),
            _ => Err(Error::NotSignedIn),
        }
    }
}

#[derive(Clone)]
struct Remembered {
    /// `None`: the account was changed; read it again.
    caller: Option<Caller>,
    uid: UserId,
    began_at: i64,
    seen_at: i64,
    expires_at: i64,
    asked: Instant,
}

/// Remembers for a second who a token stands for; the database is the truth.
#[derive(Default)]
pub struct Sessions {
    by_hash: Mutex<HashMap<String, Remembered>>,
    /// Sessions that ended while nothing could be stored: good for nothing here, and ended in the database later.
    left_over: Mutex<HashSet<String>>,
}

impl Sessions {
    async fn caller(&self, app: &App, hash: &str, active: bool) -> Result<Caller> {
        let now = app.clock.now();
        let remembered = self.lock().get(hash).cloned().filter(|remembered| {
            remembered.asked.elapsed() < MEMORY
                && remembered.expires_at > now
                && remembered.seen_at <= now.saturating_add(sessions::AHEAD)
                && remembered.caller.is_some()
        });
        let Some(found) = (match remembered {
            Some(remembered) => Some(remembered),
            None if self.left_over().contains(hash) => None,
            None => self.read(app, hash, now).await?,
        }) else {
            return Ok(Caller::Visitor);
        };
        let caller = found.caller.clone().unwrap_or(Caller::Visitor);
        if active
            && found.seen_at.saturating_add(SEEN_EVERY) <= now
            && let Some(role) = caller.user().map(|user| user.role)
        {
            self.touch(app, hash, found, role, now).await;
        }
        Ok(caller)
    }

    async fn read(&self, app: &App, hash: &str, now: i64) -> Result<Option<Remembered>> {
        let asked = Instant::now();
        let key = hash.to_owned();
        let Some(good) = app.db.read(move |tx| sessions::good(tx, &key, now)).await? else {
            self.lock().remove(hash);
            return Ok(None);
        };
        let uid = good.account.uid;
        let caller = match good.account.user {
            None => Caller::RoleUndefined,
            Some(user) if app.settings.requires_second_factor(user.role) && !good.second_factor => {
                Caller::Unenrolled(Arc::new(user))
            }
            Some(user) => Caller::Person(Arc::new(user)),
        };
        let found = Remembered {
            caller: Some(caller),
            uid,
            began_at: good.created_at,
            seen_at: good.seen_at,
            expires_at: good.expires_at,
            asked,
        };
        self.remember(hash.to_owned(), found.clone());
        Ok(Some(found))
    }

    /// Keeps that something was done. A database that cannot write does not keep anybody from reading.
    async fn touch(&self, app: &App, hash: &str, found: Remembered, role: Role, now: i64) {
        let expires_at = app.settings.lifetimes.end(role, found.began_at, now);
        let key = hash.to_owned();
        let kept = app.db.write(move |tx| sessions::touch(tx, &key, now, expires_at, now - SEEN_EVERY));
        match timeout(SEEN_PATIENCE, kept).await {
            Ok(Ok(())) => self.remember(hash.to_owned(), Remembered { seen_at: now, expires_at, ..found }),
            Ok(Err(error)) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "a session's activity was not kept"
                );
            }
            Err(_) => tracing::debug!("a session's activity was not kept in time"),
        }
    }

    /// Keeps what is newer: a look that began before the session ended must not bring it back.
    fn remember(&self, hash: String, found: Remembered) {
        let mut by_hash = self.lock();
        if by_hash.len() >= REMEMBERED {
            by_hash.retain(|_, remembered| remembered.asked.elapsed() < MEMORY);
        }
        if by_hash.get(&hash).is_none_or(|remembered| remembered.asked <= found.asked) {
            by_hash.insert(hash, found);
        }
    }

    /// Ends a session. A full disk keeps nobody signed in: this server takes the token for nobody's from now on, and the
    /// database is told as soon as it has room.
    ///
    /// # Errors
    /// The database's own; the session goes on then.
    pub async fn end(&self, db: &Db, hash: &str, now: i64) -> Result<()> {
        let key = hash.to_owned();
        match db.write(move |tx| sessions::end(tx, &key)).await {
            Err(storage::Error::Full(_)) => {
                let key = hash.to_owned();
                // Only what is a session takes room here.
                if db.read(move |tx| sessions::good(tx, &key, now)).await?.is_some() {
                    self.left_over().insert(hash.to_owned());
                }
            }
            done => {
                done?;
                self.end_left_over(db).await;
            }
        }
        self.forget(hash);
        Ok(())
    }

    /// Ends in the database what could not be ended when it was asked for.
    pub async fn end_left_over(&self, db: &Db) {
        let hashes: Vec<String> = self.left_over().iter().cloned().collect();
        for hash in hashes {
            let key = hash.clone();
            if db.write(move |tx| sessions::end(tx, &key)).await.is_err() {
                return;
            }
            self.left_over().remove(&hash);
        }
    }

    fn left_over(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.left_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When a session ends that was looked at just now, if nothing is done in it.
    #[must_use]
    pub fn end_of(&self, hash: &str) -> Option<i64> {
        self.lock().get(hash).map(|remembered| remembered.expires_at)
    }

    /// A session ended: it is nobody's at once.
    pub fn forget(&self, token_hash: &str) {
        let nobody = Remembered {
            caller: Some(Caller::Visitor),
            uid: UserId(0),
            began_at: i64::MAX,
            // Not after now, so that it is remembered.
            seen_at: i64::MIN,
            expires_at: i64::MAX,
            asked: Instant::now(),
        };
        self.remember(token_hash.to_owned(), nobody);
    }

    /// A person changed: whoever they are is read again at the next call.
    pub fn forget_person(&self, uid: UserId) {
        for remembered in self.lock().values_mut().filter(|remembered| remembered.uid == uid) {
            remembered.caller = None;
            remembered.asked = Instant::now();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Remembered>> {
        self.by_hash.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_out_of_reach_for_scripts_and_other_sites_r_login_6() {
        let plain = cookie(false, "t", false).ok();
        assert_eq!(plain, HeaderValue::from_str("library=t; Path=/; HttpOnly; SameSite=Strict").ok());
        let kept = cookie(true, "t", true).ok();
        assert_eq!(
            kept,
            HeaderValue::from_str(
                "__Host-library=t; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000"
            )
            .ok()
        );
    }
}
