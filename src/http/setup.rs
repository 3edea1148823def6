//! First librarian of an empty library, made in the browser with a code that the server prints.
//!
//! The code exists in this server's memory only, so a restart creates a new code. The code is the fragment of an
//! address, which browsers send to no server.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::{extract::State, http::HeaderMap, response::IntoResponse};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use super::{
    App, Shared,
    accounts::{self, CODE, Entered, VerifiedSignIn, check_limit},
    client::Network,
    device::Device,
    error::{Error, Result},
    extract::JsonBody,
    session,
};
use crate::{
    domain::{
        account::{EMAIL, NAME, PASSWORD, Role, new_password, refuse_own_words},
        change::PersonChange,
        code,
        rule::Invalid,
    },
    storage::{
        accounts::{NewAccount, add, has_librarian},
        events::{self, Entry},
        settings,
    },
};

/// Validity of a code in milliseconds: an hour.
const VALID: i64 = 60 * 60 * 1000;
/// Number of characters of a code: 76 bits.
const LENGTH: usize = 16;

/// Code for the first librarian, while the library has none.
#[derive(Default)]
pub struct Setup(Mutex<Option<Code>>);

struct Code {
    hash: String,
    /// Epoch milliseconds.
    expires: i64,
}

impl Setup {
    /// Creates a code in place of an earlier one.
    pub fn open(&self, now: i64) -> Result<String> {
        let code = code::signs(session::random()?, LENGTH);
        *self.lock() = Some(Code { hash: session::hashed(&code::normalized(&code)), expires: now + VALID });
        Ok(code)
    }

    /// True until this server knows of a librarian.
    pub fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// Deletes the code.
    fn close(&self) {
        *self.lock() = None;
    }

    fn accepts(&self, typed: &str, now: i64) -> bool {
        let hash = session::hashed(&code::normalized(typed));
        self.lock().as_ref().is_some_and(|code| now < code.expires && equal(&code.hash, &hash))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Code>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares two hashes in a time that depends on their length only.
fn equal(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && std::hint::black_box(one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b))) == 0
}

/// Returns the address of the screen that creates the first librarian.
#[must_use]
pub fn address(public_url: &Url, code: &str) -> String {
    format!("{public_url}library/setup#{code}")
}

/// State of the first-run setup.
#[derive(Serialize, ToSchema)]
pub struct SetupState {
    /// True while the library has no librarian.
    needed: bool,
}

async fn is_needed(app: &App) -> Result<bool> {
    let needed = !app.library.db.read(has_librarian).await?;
    if !needed {
        app.setup.close();
    }
    Ok(needed)
}

/// Read whether the first librarian must still be created.
#[utoipa::path(get, path = "/setup", responses((status = 200, body = SetupState)))]
pub async fn read_setup(State(app): State<Shared>) -> Result<axum::Json<SetupState>> {
    Ok(axum::Json(SetupState { needed: is_needed(&app).await? }))
}

/// First librarian to create, with the code that permits it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstLibrarian {
    /// Code that the server printed at its start, case-insensitive, with or without hyphens.
    #[serde(default)]
    #[schema(required)]
    code: String,
    #[serde(default)]
    #[schema(required)]
    name: String,
    /// Address to sign in with.
    #[serde(default)]
    #[schema(required)]
    email: String,
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// Make the first librarian with the code that the server printed, and sign in. Refused as soon as any librarian exists.
#[utoipa::path(post, path = "/setup", request_body = FirstLibrarian, responses((status = 200, body = Entered)))]
pub async fn set_up(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<FirstLibrarian>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let code = CODE.check(&form.code, &mut invalid);
    let name = NAME.check(&form.name, &mut invalid);
    let email = EMAIL.check(&form.email, &mut invalid);
    let password = new_password(PASSWORD, &form.password, &mut invalid);
    refuse_own_words(PASSWORD, &password, &[&name, &email], &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.setups.take(&network))?;
    if !is_needed(&app).await? {
        return Err(Error::SetupDone);
    }
    if !app.setup.accepts(&code, app.library.clock.now()) {
        return Err(Error::InvalidSetupCode);
    }
    app.limits.setups.give_back(&network);
    let hash = app.passwords.hash(password).await?;
    let new = NewAccount {
        email,
        name,
        role: Role::Admin,
        roll_number: None,
        department: None,
        batch: None,
        password_hash: hash.clone(),
    };
    let now = app.library.clock.now();
    let user = app
        .library
        .db
        .write(move |tx| -> Result<_> {
            // Two servers with one database may each have printed a code; the lock lets only one code be used.
            settings::lock(tx)?;
            if has_librarian(tx)? {
                return Err(Error::SetupDone);
            }
            let user = add(tx, &new, now)??;
            let change = PersonChange::Registered { role: user.role };
            events::record(tx, now, None, &Entry::person(user.uid, change))?;
            Ok(user)
        })
        .await?;
    app.setup.close();
    let device = Device::of(app.settings.is_https(), &headers);
    accounts::finish_sign_in(
        &app,
        &headers,
        user,
        VerifiedSignIn { device, hash, remember: false, change: None },
        |_| Ok(()),
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_for_an_hour_and_until_the_next_one() {
        let setup = Setup::default();
        assert!(!setup.accepts("", 0));
        let first = setup.open(0).expect("randomness");
        assert_eq!(first.len(), 19);
        assert!(setup.accepts(&first.to_lowercase().replace('-', " "), VALID - 1));
        assert!(!setup.accepts(&first, VALID));
        let second = setup.open(1).expect("randomness");
        assert!(!setup.accepts(&first, 1) && setup.accepts(&second, 1));
        setup.close();
        assert!(!setup.accepts(&second, 1) && !setup.is_open());
    }
}
