//! Sessions: an opaque token in a cookie, its hash in the database, and a short-lived cache of their users.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, header, request::Parts},
};
use tokio::time::timeout;

use super::{
    App, Shared, cookie,
    error::{Error, Result},
};
use crate::{
    domain::{
        account::{Role, User},
        agent::Agent,
        id::UserId,
    },
    jobs::{Job, Outcome},
    library::Library,
    storage::{self, Db, sessions},
    token,
};

/// Lifetime of a session in days (R-LOGIN-6). A session that is not kept lasts as long on the server; its cookie ends
/// with the browser. A librarian's session ends earlier, see [`Lifetimes`].
pub const SESSION_DAYS: i64 = 30;

/// Lifetimes of sessions (ASVS 7.3). A student's session lasts 30 days.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// Maximum for a librarian's session.
    pub librarian: Duration,
    /// Maximum for a librarian's session without activity.
    pub librarian_idle: Duration,
}

impl Lifetimes {
    /// Returns the end of a session begun at `began` without activity after `seen`; epoch milliseconds.
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

/// Job that ends, in the database, sessions that could not be ended when their users signed out.
pub struct EndSessions(pub Shared);

impl Job for EndSessions {
    const NAME: &'static str = "end-sessions";

    async fn run(&self, library: &Library, _: &str) -> storage::Result<Outcome> {
        self.0.sessions.end_left_over(&library.db).await;
        Ok(Outcome::Done)
    }
}

/// Minimum interval between two writes of a session's activity, so that reads rarely write; in milliseconds.
const SEEN_EVERY: i64 = 60 * 1000;
/// Time that a read may spend on storing the activity.
const SEEN_PATIENCE: Duration = Duration::from_secs(1);

/// Header of a read that a page makes by itself, which does not count as activity; writes always count.
pub const BACKGROUND: &str = "library-background";

/// True if the request counts as activity of its user.
fn is_activity(method: &Method, headers: &HeaderMap) -> bool {
    !method.is_safe() || !headers.contains_key(BACKGROUND)
}

/// Cache lifetime of a session: changes by another process take effect within a second.
const MEMORY: Duration = Duration::from_secs(1);
/// Maximum number of cached sessions.
const MOST_CACHED: usize = 50_000;

/// Returns the cookie's name; over https, the prefix of the name makes browsers refuse the cookie from any other host.
#[must_use]
pub fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-library" } else { "library" }
}

/// Returns bytes from the system's random generator.
pub fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string().into()))?;
    Ok(bytes)
}

/// Creates a token of 256 random bits.
pub fn new_token() -> Result<String> {
    token::new().map_err(|error| Error::Internal(error.to_string().into()))
}

/// Hashes a token for the database: SHA-256 in base64url.
#[must_use]
pub fn hashed(token: &str) -> String {
    token::hashed(token)
}

/// Builds the `Set-Cookie` that begins a session.
pub fn set_session_cookie(https: bool, token: &str, remember: bool) -> Result<HeaderValue> {
    cookie::set(https, cookie_name(https), token, "/", remember.then_some(SESSION_DAYS * 24 * 60 * 60))
}

/// Builds the `Set-Cookie` that ends a session.
pub fn clear_session_cookie(https: bool) -> Result<HeaderValue> {
    cookie::set(https, cookie_name(https), "", "/", Some(0))
}

/// Returns the session token of a request.
#[must_use]
pub fn token(https: bool, headers: &HeaderMap) -> Option<String> {
    cookie::read(headers, cookie_name(https)).map(ToOwned::to_owned)
}

/// Returns the hash of a request's session token.
pub fn token_hash(https: bool, headers: &HeaderMap) -> Result<String> {
    token(https, headers).map(|token| hashed(&token)).ok_or(Error::NotSignedIn)
}

/// Returns the browser of a request.
#[must_use]
pub fn agent(headers: &HeaderMap) -> Agent {
    let header = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    header.map(Agent::of).unwrap_or_default()
}

/// Caller of a request.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Not signed in.
    Visitor,
    /// Signed in.
    Person(Arc<User>),
    /// Librarian who must still set up the required second factor, and until then may call only the setup and the calls
    /// open to visitors.
    Unenrolled(Arc<User>),
    /// Signed in with a role that is neither student nor librarian (R-LOGIN-5).
    RoleUndefined,
}

impl Caller {
    /// Finds the caller by the session cookie.
    pub async fn of(app: &App, method: &Method, headers: &HeaderMap) -> Result<Self> {
        let Some(token) = token(app.settings.is_https(), headers) else { return Ok(Self::Visitor) };
        app.sessions.caller(app, &hashed(&token), is_activity(method, headers)).await
    }

    /// Returns the role of [`Self::person`].
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.person().map(|user| user.role)
    }

    /// Returns the signed-in user, enrolled or not.
    #[must_use]
    pub fn user(&self) -> Option<&User> {
        match self {
            Self::Person(user) | Self::Unenrolled(user) => Some(user),
            Self::Visitor | Self::RoleUndefined => None,
        }
    }

    /// Returns the signed-in user, if enrolled.
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
        // A request outside the access check has no caller and counts as a visitor's.
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or(Self::Visitor))
    }
}

/// Signed-in user; the access table has checked the role.
pub struct SignedIn(pub Arc<User>);

impl<S: Send + Sync> FromRequestParts<S> for SignedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        match Caller::from_request_parts(parts, state).await? {
            // The access table limits unenrolled users to the calls that enrol them.
            Caller::Person(user) | Caller::Unenrolled(user) => Ok(Self(user)),
            _ => Err(Error::NotSignedIn),
        }
    }
}

#[derive(Clone)]
struct Remembered {
    /// `None` after a change of the account, which must then be read again.
    caller: Option<Caller>,
    uid: UserId,
    began_at: i64,
    seen_at: i64,
    expires_at: i64,
    read_at: Instant,
}

/// Caches the users of sessions for a second; the database is authoritative.
#[derive(Default)]
pub struct Sessions {
    by_hash: Mutex<HashMap<String, Remembered>>,
    /// Sessions ended while the disk was full: refused here, and ended in the database later.
    left_over: Mutex<HashSet<String>>,
}

impl Sessions {
    async fn caller(&self, app: &App, hash: &str, active: bool) -> Result<Caller> {
        let now = app.library.clock.now();
        let remembered = self.lock().get(hash).cloned().filter(|remembered| {
            remembered.read_at.elapsed() < MEMORY
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
        let read_at = Instant::now();
        let key = hash.to_owned();
        let Some(session) = app.library.db.read(move |tx| sessions::find_valid(tx, &key, now)).await? else {
            self.lock().remove(hash);
            return Ok(None);
        };
        let uid = session.account.uid;
        let caller = match session.account.user {
            None => Caller::RoleUndefined,
            Some(user) if app.settings.requires_second_factor(user.role) && !session.second_factor => {
                Caller::Unenrolled(Arc::new(user))
            }
            Some(user) => Caller::Person(Arc::new(user)),
        };
        let found = Remembered {
            caller: Some(caller),
            uid,
            began_at: session.created_at,
            seen_at: session.seen_at,
            expires_at: session.expires_at,
            read_at,
        };
        self.remember(hash.to_owned(), found.clone());
        Ok(Some(found))
    }

    /// Stores the activity. A database that cannot write must not block reads.
    async fn touch(&self, app: &App, hash: &str, found: Remembered, role: Role, now: i64) {
        let expires_at = app.settings.lifetimes.end(role, found.began_at, now);
        let key = hash.to_owned();
        let kept =
            app.library.db.write(move |tx| sessions::touch(tx, &key, now, expires_at, now - SEEN_EVERY));
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

    /// Caches an entry, unless a newer one exists: a read that began before the session ended must not restore the
    /// session.
    fn remember(&self, hash: String, found: Remembered) {
        let mut by_hash = self.lock();
        if by_hash.len() >= MOST_CACHED {
            by_hash.retain(|_, remembered| remembered.read_at.elapsed() < MEMORY);
        }
        if by_hash.get(&hash).is_none_or(|remembered| remembered.read_at <= found.read_at) {
            by_hash.insert(hash, found);
        }
    }

    /// Ends a session. If the disk is full, this server refuses the token from now on, and ends the session in the
    /// database as soon as there is room.
    ///
    /// # Errors
    /// Errors of the database; the session then continues.
    pub async fn end(&self, db: &Db, hash: &str, now: i64) -> Result<()> {
        let key = hash.to_owned();
        match db.write(move |tx| sessions::end(tx, &key)).await {
            Err(storage::Error::Full(_)) => {
                let key = hash.to_owned();
                // Only existing sessions are kept here, so that invented tokens cannot fill the memory.
                if db.read(move |tx| sessions::find_valid(tx, &key, now)).await?.is_some() {
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

    /// Ends sessions in the database that could not be ended when requested.
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

    /// Returns the end of a cached session if no activity follows; epoch milliseconds.
    #[must_use]
    pub fn end_of(&self, hash: &str) -> Option<i64> {
        self.lock().get(hash).map(|remembered| remembered.expires_at)
    }

    /// Invalidates the token of an ended session at once, on this server.
    pub fn forget(&self, token_hash: &str) {
        let nobody = Remembered {
            caller: Some(Caller::Visitor),
            uid: UserId(0),
            began_at: i64::MAX,
            // Not in the future, or the entry would be ignored.
            seen_at: i64::MIN,
            expires_at: i64::MAX,
            read_at: Instant::now(),
        };
        self.remember(token_hash.to_owned(), nobody);
    }

    /// Invalidates the cached sessions of a person whose account changed.
    pub fn forget_person(&self, uid: UserId) {
        for remembered in self.lock().values_mut().filter(|remembered| remembered.uid == uid) {
            remembered.caller = None;
            remembered.read_at = Instant::now();
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
        let plain = set_session_cookie(false, "t", false).ok();
        assert_eq!(plain, HeaderValue::from_str("library=t; Path=/; HttpOnly; SameSite=Strict").ok());
        let kept = set_session_cookie(true, "t", true).ok();
        assert_eq!(
            kept,
            HeaderValue::from_str(
                "__Host-library=t; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000"
            )
            .ok()
        );
    }
}
