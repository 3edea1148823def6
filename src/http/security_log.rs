//! Security events, as log lines and counters that reveal an attack: successful and refused sign-ins, refused calls,
//! rate limits that were hit, and changes to the rights of accounts.
//!
//! Each event is logged once, when the request is answered, from the route, the outcome and the facts noted on the way.
//! A log line names an account by its number and a client by its address, and never contains a name, an email address,
//! a secret, or any text that a client sent.

use std::{
    cell::Cell,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::http::{Method, StatusCode};

use super::{API, error::Code};
use crate::domain::id::UserId;

macro_rules! events {
    ($($variant:ident = $name:literal: $text:literal),+ $(,)?) => {
        /// Security event: a closed list, so that the values of the metrics label are bounded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event { $( #[doc = $text] $variant, )+ }

        impl Event {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Name in the field `event`, in the label of the counter and in the operator's guide.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            const fn text(self) -> &'static str {
                match self { $( Self::$variant => $text, )+ }
            }
        }
    };
}

events! {
    SignedIn = "sign-in.ok": "signed in",
    SignInRefused = "sign-in.refused": "sign-in refused",
    SignInLimited = "sign-in.limited": "too many failed sign-ins",
    CodeRedeemed = "code.ok": "password set with a sign-in code",
    CodeRefused = "code.refused": "sign-in code refused",
    CodeLimited = "code.limited": "too many attempts with sign-in codes",
    CodeMade = "code.made": "sign-in code created",
    SecondFactorAsked = "second-factor.asked": "password correct, second factor requested",
    SecondFactorRefused = "second-factor.refused": "code of a second factor refused",
    SecondFactorLimited = "second-factor.limited": "too many wrong codes of a second factor",
    SecondFactorOn = "second-factor.on": "second factor set up",
    SecondFactorOff = "second-factor.off": "second factor turned off by its owner",
    SecondFactorReset = "second-factor.reset": "second factor reset by a librarian",
    RecoveryCodeUsed = "recovery-code.used": "signed in with a recovery code",
    RecoveryCodesMade = "recovery-code.made": "new recovery codes created",
    PasskeySignedIn = "passkey.ok": "signed in with a passkey",
    PasskeyRefused = "passkey.refused": "passkey refused",
    PasskeyLimited = "passkey.limited": "too many attempts with passkeys",
    PasskeyAdded = "passkey.added": "passkey added to an account",
    PasskeyRemoved = "passkey.removed": "passkey removed from an account",
    ProviderSignedIn = "provider.ok": "signed in with the college's provider",
    ProviderRefused = "provider.refused": "sign-in with the college's provider refused",
    ProviderFailed = "provider.failed": "college's provider unavailable",
    ProviderLinked = "provider.linked": "account linked with the college's provider",
    ProviderUnlinked = "provider.unlinked": "account unlinked from the college's provider",
    LinkAsked = "link.asked": "reset link by mail requested",
    LinkLimited = "link.limited": "too many requests for reset links, or attempts with them",
    LinkUsed = "link.ok": "password set with a reset link",
    LinkRefused = "link.refused": "reset link refused",
    SetUp = "setup.ok": "first librarian created",
    SetupRefused = "setup.refused": "setup link for the first librarian refused",
    SetupLimited = "setup.limited": "too many attempts with setup links",
    SignedOut = "sign-out": "signed out",
    PasswordRefused = "password.refused": "signed-in person entered their own password wrongly",
    PasswordChanged = "password.changed": "password changed by its owner",
    SessionsEnded = "session.ended": "sessions ended from another browser or by a librarian",
    AccountMade = "account.made": "account created",
    RoleChanged = "account.role": "role or capabilities of an account changed",
    StatusChanged = "account.status": "account deactivated, activated, merged, erased or moved to the next year",
    SettingsChanged = "settings.changed": "rules, calendar, settings, notices or mail wording saved",
    Exported = "data.exported": "list or data of one person exported",
    BackupTaken = "backup.taken": "backup downloaded by a librarian",
    NotSignedIn = "access.not-signed-in": "request without a valid session",
    AccessRefused = "access.refused": "request that the role does not allow",
    CrossOrigin = "access.cross-origin": "browser request from another site",
    Limited = "limit.hit": "too many requests",
    Unsound = "request.unsound": "request with a chunked body, or with two hosts or none",
}

/// Adds every event to the metrics with 0. Prometheus sees no increase in a series that begins with 1, so the first
/// event of a kind would raise no alert (O9).
pub fn count_from_zero() {
    for event in Event::ALL {
        metrics::counter!("library_security_events_total", "event" => event.name()).increment(0);
    }
}

/// Facts noted while a request is answered.
#[derive(Default)]
pub struct Noted {
    account: Cell<Option<UserId>>,
    code: Cell<Option<Code>>,
    event: Cell<Option<Event>>,
    reason: Cell<Option<&'static str>>,
}

tokio::task_local! {
    static NOTED: Noted;
}

/// Runs a request's work; returns its outcome with the facts noted meanwhile.
pub async fn noting<T>(work: impl Future<Output = T>) -> (T, Noted) {
    NOTED
        .scope(Noted::default(), async {
            let done = work.await;
            let noted = NOTED.with(|noted| Noted {
                account: noted.account.clone(),
                code: noted.code.clone(),
                event: noted.event.clone(),
                reason: noted.reason.clone(),
            });
            (done, noted)
        })
        .await
}

/// Notes the account that the request acts as, or tries to.
pub fn note_account(account: impl Into<Option<UserId>>) {
    if let Some(account) = account.into() {
        let _ = NOTED.try_with(|noted| noted.account.set(Some(account)));
    }
}

/// Notes the reason of a refusal.
pub fn note_refusal(code: Code) {
    let _ = NOTED.try_with(|noted| noted.code.set(Some(code)));
}

/// Notes an event that takes precedence over the one derived from route and outcome.
pub fn override_event(event: Event) {
    let _ = NOTED.try_with(|noted| noted.event.set(Some(event)));
}

/// Notes the reason of the event, with a term of the operator's guide.
pub fn note_reason(reason: &'static str) {
    let _ = NOTED.try_with(|noted| noted.reason.set(Some(reason)));
}

/// Derives the event of a response, if any.
fn event(method: &Method, route: &str, status: StatusCode, code: Option<Code>) -> Option<Event> {
    let route = route.strip_prefix(API).unwrap_or(route);
    let (done, limited) = (status.is_success(), code == Some(Code::TooManyRequests));
    let half_done = code == Some(Code::SecondFactorNeeded);
    let of_three = |ok, limit, refused| match code {
        _ if done => Some(ok),
        _ if limited => Some(limit),
        Some(
            Code::InvalidCredentials
            | Code::InvalidCode
            | Code::InvalidLink
            | Code::InvalidSetupCode
            | Code::AccountInactive
            | Code::RoleUndefined
            | Code::UserMissing
            | Code::InvalidSecondFactor
            | Code::InvalidPasskey
            | Code::SignInExpired,
        ) => Some(refused),
        _ => None,
    };
    let of_this_route = match (method.as_str(), route) {
        ("POST", "/auth/sign-in") if half_done => Some(Event::SecondFactorAsked),
        ("POST", "/auth/redeem") if half_done => Some(Event::CodeRedeemed),
        ("POST", "/auth/reset") if half_done => Some(Event::LinkUsed),
        ("POST", "/auth/sign-in/code") => {
            of_three(Event::SignedIn, Event::SecondFactorLimited, Event::SecondFactorRefused)
        }
        ("POST", "/auth/sign-in/passkey") => {
            of_three(Event::PasskeySignedIn, Event::PasskeyLimited, Event::PasskeyRefused)
        }
        ("POST", "/auth/passkeys/confirm") if code == Some(Code::PasskeyRefused) => {
            Some(Event::PasskeyRefused)
        }
        ("POST", "/auth/sign-in") => of_three(Event::SignedIn, Event::SignInLimited, Event::SignInRefused),
        ("POST", "/auth/redeem") => of_three(Event::CodeRedeemed, Event::CodeLimited, Event::CodeRefused),
        ("POST", "/auth/forgot") => of_three(Event::LinkAsked, Event::LinkLimited, Event::LinkRefused),
        ("POST", "/auth/reset/check") if done => None,
        ("POST", "/auth/reset" | "/auth/reset/check") => {
            of_three(Event::LinkUsed, Event::LinkLimited, Event::LinkRefused)
        }
        ("POST", "/setup") => of_three(Event::SetUp, Event::SetupLimited, Event::SetupRefused),
        _ if code == Some(Code::ProviderUnavailable) => Some(Event::ProviderFailed),
        ("POST", "/auth/oidc/link") if !limited && !done => Some(Event::ProviderRefused),
        (method, route) if done => event_of_success(method, route),
        _ => None,
    };
    of_this_route.or_else(|| match code? {
        Code::TooManyRequests => Some(Event::Limited),
        Code::NotSignedIn | Code::PhoneEnded => Some(Event::NotSignedIn),
        Code::Forbidden | Code::RoleUndefined | Code::MoreCapable | Code::SecondFactorMissing => {
            Some(Event::AccessRefused)
        }
        Code::CrossOrigin => Some(Event::CrossOrigin),
        Code::UnsoundRequest => Some(Event::Unsound),
        _ => None,
    })
}

/// Derives the event of a success, if any. Routes that log their refusals too are left to [`event`].
fn event_of_success(method: &str, route: &str) -> Option<Event> {
    match (method, route) {
        ("POST", "/auth/oidc/link") => Some(Event::ProviderLinked),
        ("DELETE", "/me/oidc") => Some(Event::ProviderUnlinked),
        ("POST", "/auth/sign-out") => Some(Event::SignedOut),
        ("POST", "/auth/password") => Some(Event::PasswordChanged),
        ("POST", "/auth/authenticator/confirm") => Some(Event::SecondFactorOn),
        ("POST", "/auth/authenticator/remove") => Some(Event::SecondFactorOff),
        ("POST", "/auth/passkeys/confirm") => Some(Event::PasskeyAdded),
        ("POST", "/auth/passkeys/{id}/remove") => Some(Event::PasskeyRemoved),
        ("POST", "/auth/recovery-codes") => Some(Event::RecoveryCodesMade),
        ("DELETE", "/people/{id}/second-factor") => Some(Event::SecondFactorReset),
        ("DELETE", "/me/sessions" | "/me/sessions/{id}" | "/people/{id}/sessions") => {
            Some(Event::SessionsEnded)
        }
        ("POST", "/auth/register" | "/people") => Some(Event::AccountMade),
        ("POST", "/people/{id}/sign-in-code" | "/people/sign-in-codes") => Some(Event::CodeMade),
        ("POST", "/people/{id}/role") => Some(Event::RoleChanged),
        (
            "POST",
            "/people/{id}/activate"
            | "/people/{id}/deactivate"
            | "/people/merge"
            | "/people/promote"
            | "/imports/people/{id}/undo",
        )
        | ("DELETE", "/people/{id}") => Some(Event::StatusChanged),
        (
            "PUT",
            "/settings/rules"
            | "/settings/calendar"
            | "/settings/library"
            | "/settings/notices"
            | "/settings/mails/{kind}",
        ) => Some(Event::SettingsChanged),
        (
            "GET",
            "/people.csv"
            | "/changes.csv"
            | "/money/lines.csv"
            | "/loans.csv"
            | "/holds.csv"
            | "/imports/people/{id}/rejected.csv"
            | "/imports/photos/{id}/rejected.csv"
            | "/imports/loans/{id}/rejected.csv"
            | "/imports/charges/{id}/rejected.csv"
            | "/people/{id}/data"
            | "/me/data",
        ) => Some(Event::Exported),
        ("GET", "/backups/{name}") => Some(Event::BackupTaken),
        _ => None,
    }
}

/// Logs the event of a response, if any, and counts it in `library_security_events_total`. Reads the id of the affected
/// person from `path`.
pub fn log_event(
    (method, route, path): (&Method, &str, &str),
    status: StatusCode,
    noted: &Noted,
    address: IpAddr,
) {
    let Some(event) = noted.event.get().or_else(|| event(method, route, status, noted.code.get())) else {
        return;
    };
    metrics::counter!("library_security_events_total", "event" => event.name()).increment(1);
    let Some(unwritten) = FLOOD.allows(Instant::now()) else { return };
    if unwritten > 0 {
        tracing::warn!(event = "log.flood", unwritten, "security events came too fast to write each");
    }
    let account = noted.account.get().map(|account| account.0);
    let subject = route.starts_with(&format!("{API}/people/{{id}}")).then(|| number(path)).flatten();
    tracing::info!(
        event = event.name(),
        %address,
        account,
        subject,
        reason = noted.reason.get(),
        status = status.as_u16(),
        "{}",
        event.text()
    );
}

/// Returns the first number among the parts of a path.
fn number(path: &str) -> Option<i64> {
    path.split('/').find_map(|part| part.parse().ok())
}

/// Maximum number of lines per second; more would let a stranger fill the disk. The counters also count events of
/// dropped lines.
const LINES: u32 = 100;

static FLOOD: Flood = Flood(Mutex::new(None));

/// Start of the current second, lines written in it, and lines dropped.
struct Flood(Mutex<Option<(Instant, u32, u64)>>);

impl Flood {
    /// Returns the number of lines dropped since the last one; `None` if this line must be dropped too.
    fn allows(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (begun, written, unwritten) = state.get_or_insert((now, 0, 0));
        if now.duration_since(*begun) >= Duration::from_secs(1) {
            (*begun, *written) = (now, 0);
        }
        if *written >= LINES {
            *unwritten += 1;
            return None;
        }
        *written += 1;
        Some(std::mem::take(unwritten))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::access;

    #[test]
    fn every_route_that_an_event_is_told_of_exists() {
        let names: Vec<&str> = access::routes()
            .filter_map(|(method, route)| event(&method, route, StatusCode::OK, None))
            .map(Event::name)
            .collect();
        for (name, routes) in [
            ("sign-in.ok", 2),
            ("second-factor.on", 1),
            ("second-factor.off", 1),
            ("second-factor.reset", 1),
            ("passkey.ok", 1),
            ("passkey.added", 1),
            ("passkey.removed", 1),
            ("recovery-code.made", 1),
            ("code.ok", 1),
            ("link.asked", 1),
            ("link.ok", 1),
            ("provider.linked", 1),
            ("provider.unlinked", 1),
            ("sign-out", 1),
            ("password.changed", 1),
            ("session.ended", 3),
            ("account.made", 2),
            ("code.made", 2),
            ("account.role", 1),
            ("account.status", 6),
            ("settings.changed", 5),
            ("data.exported", 11),
            ("backup.taken", 1),
        ] {
            assert_eq!(names.iter().filter(|event| **event == name).count(), routes, "{name}");
        }
    }

    #[test]
    fn the_operators_guide_names_every_event() {
        let guide = include_str!("../../docs/operations.md");
        for event in Event::ALL {
            assert!(guide.contains(&format!("`{}`", event.name())), "{}", event.name());
        }
    }

    #[test]
    fn a_flood_of_events_is_written_in_part_and_told() {
        let (flood, now) = (Flood(Mutex::new(None)), Instant::now());
        let written = (0..1000).filter(|_| flood.allows(now).is_some()).count();
        assert_eq!(written, 100);
        assert_eq!(flood.allows(now + Duration::from_secs(1)), Some(900));
        assert_eq!(flood.allows(now + Duration::from_secs(1)), Some(0));
    }
}
