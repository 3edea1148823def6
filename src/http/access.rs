//! Access control (R-ROLE-1): one table of method, route and role. A route missing from the table is refused, and the tests are
//! generated from the table.

use axum::{
    extract::{MatchedPath, Request, State},
    http::Method,
    middleware::Next,
    response::Response,
};

use super::{
    API, Shared,
    accounts::check_limit,
    error::{Error, Result},
    idempotency,
    people::import::ImportPermit,
    phones::CallingPhone,
    security_log,
    session::Caller,
};
use crate::domain::account::{Capability, Role, User};

/// Callers that a route accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No sign-in required.
    Anyone,
    /// Any signed-in user.
    SignedIn,
    /// Any signed-in user, including a librarian who still has to set up the required second factor.
    Enrolling,
    /// Students.
    Student,
    /// Librarians.
    Admin,
    /// Librarians with this capability (R-PEOPLE-8).
    May(Capability),
    /// Librarians with both capabilities.
    Both(Capability, Capability),
    /// Students, for their own data, and librarians with this capability.
    StudentOrMay(Capability),
    /// Phones that scan for a desk, authenticated by a token. A session gives no access to these calls, and the token
    /// gives access to no others.
    Phone,
}

impl Access {
    /// Fails with the reason for the refusal; `None` is a caller who is not signed in.
    pub fn allows(self, person: Option<&User>) -> Result<()> {
        if self == Self::Phone {
            return Err(Error::PhoneEnded);
        }
        let Some(person) = person else {
            return if self == Self::Anyone { Ok(()) } else { Err(Error::NotSignedIn) };
        };
        let allowed = match (self, person.role) {
            (Self::Anyone | Self::SignedIn | Self::Enrolling, _)
            | (Self::Student | Self::StudentOrMay(_), Role::Student)
            | (Self::Admin, Role::Admin) => true,
            (Self::May(capability) | Self::StudentOrMay(capability), Role::Admin) => {
                person.capabilities.contains(&capability)
            }
            (Self::Both(one, other), Role::Admin) => {
                person.capabilities.contains(&one) && person.capabilities.contains(&other)
            }
            _ => false,
        };
        if allowed { Ok(()) } else { Err(Error::Forbidden) }
    }
}

/// Replaces the table's entry for one request, so that a test can drop a guard and verify that other tests fail (R10).
/// No client can send this extension, and a release build ignores it.
#[derive(Clone, Copy, Debug)]
pub struct Loosened(pub Access);

/// Every API call: method, path below [`API`], accepted callers.
pub const TABLE: &[(&str, &str, Access)] = &[
    ("POST", "/auth/register", Access::Anyone),
    ("POST", "/auth/sign-in", Access::Anyone),
    ("GET", "/auth/sign-in/code", Access::Anyone),
    ("POST", "/auth/sign-in/code", Access::Anyone),
    ("POST", "/auth/sign-in/passkey/begin", Access::Anyone),
    ("POST", "/auth/sign-in/passkey", Access::Anyone),
    ("POST", "/auth/redeem", Access::Anyone),
    ("POST", "/auth/sign-out", Access::Anyone),
    ("POST", "/auth/forgot", Access::Anyone),
    ("POST", "/auth/reset", Access::Anyone),
    ("POST", "/auth/reset/check", Access::Anyone),
    ("GET", "/auth/session", Access::Anyone),
    ("POST", "/auth/id-card", Access::Anyone),
    ("POST", "/auth/oidc", Access::Anyone),
    ("GET", "/auth/oidc/callback", Access::Anyone),
    ("POST", "/auth/oidc/link", Access::Anyone),
    ("POST", "/auth/password", Access::SignedIn),
    ("POST", "/auth/authenticator", Access::Enrolling),
    ("POST", "/auth/authenticator/confirm", Access::Enrolling),
    ("POST", "/auth/authenticator/remove", Access::SignedIn),
    ("POST", "/auth/recovery-codes", Access::SignedIn),
    ("POST", "/auth/passkeys", Access::Enrolling),
    ("POST", "/auth/passkeys/confirm", Access::Enrolling),
    ("POST", "/auth/passkeys/{id}/remove", Access::SignedIn),
    ("GET", "/me/second-factor", Access::Enrolling),
    ("GET", "/me", Access::SignedIn),
    ("GET", "/me/sessions", Access::SignedIn),
    ("DELETE", "/me/sessions", Access::SignedIn),
    ("DELETE", "/me/sessions/{id}", Access::SignedIn),
    ("GET", "/me/data", Access::SignedIn),
    ("GET", "/me/photo", Access::SignedIn),
    ("GET", "/me/oidc", Access::SignedIn),
    ("DELETE", "/me/oidc", Access::SignedIn),
    ("PATCH", "/me", Access::Student),
    ("GET", "/me/loans", Access::Student),
    ("GET", "/me/calendar-link", Access::Student),
    ("POST", "/me/calendar-link", Access::Student),
    ("DELETE", "/me/calendar-link", Access::Student),
    ("GET", "/me/suggestions", Access::SignedIn),
    ("PUT", "/me/suggestions", Access::SignedIn),
    ("GET", "/books", Access::Anyone),
    ("GET", "/genres", Access::Anyone),
    ("GET", "/books/counts", Access::Admin),
    ("GET", "/shelves", Access::Anyone),
    ("POST", "/books", Access::May(Capability::Catalogue)),
    ("GET", "/books/{id}", Access::Anyone),
    ("GET", "/books/{id}/also-borrowed", Access::Anyone),
    ("PUT", "/books/{id}", Access::May(Capability::Catalogue)),
    ("DELETE", "/books/{id}", Access::May(Capability::Catalogue)),
    ("POST", "/covers", Access::May(Capability::Catalogue)),
    ("GET", "/accessions", Access::Admin),
    ("POST", "/accessions", Access::May(Capability::Catalogue)),
    ("GET", "/isbn-look-ups/{isbn}", Access::May(Capability::Catalogue)),
    ("GET", "/books/{id}/copies", Access::Admin),
    ("POST", "/books/{id}/copies", Access::May(Capability::Catalogue)),
    ("GET", "/copies", Access::Admin),
    ("PATCH", "/copies/{id}", Access::May(Capability::Catalogue)),
    ("POST", "/copies/{id}/move", Access::May(Capability::Desk)),
    ("POST", "/copies/shelve", Access::May(Capability::Desk)),
    ("GET", "/books.csv", Access::Admin),
    ("GET", "/holds.csv", Access::May(Capability::Desk)),
    ("GET", "/labels", Access::May(Capability::Catalogue)),
    ("GET", "/labels.csv", Access::May(Capability::Catalogue)),
    ("GET", "/label-batches", Access::May(Capability::Catalogue)),
    ("POST", "/label-batches", Access::May(Capability::Catalogue)),
    ("GET", "/label-sheets", Access::May(Capability::Catalogue)),
    ("POST", "/label-sheets", Access::May(Capability::Catalogue)),
    ("DELETE", "/label-sheets/{id}", Access::May(Capability::Catalogue)),
    ("POST", "/desk/scans", Access::May(Capability::Desk)),
    ("GET", "/desk/today", Access::May(Capability::Desk)),
    ("GET", "/desk/phones", Access::May(Capability::Desk)),
    ("POST", "/desk/phones", Access::May(Capability::Desk)),
    ("DELETE", "/desk/phones/{id}", Access::May(Capability::Desk)),
    ("GET", "/desk/phone-scans", Access::May(Capability::Desk)),
    ("POST", "/phone/open", Access::Anyone),
    ("POST", "/phone/scans", Access::Phone),
    ("GET", "/phone/answers", Access::Phone),
    ("GET", "/people/{id}/account", Access::Admin),
    ("POST", "/people/{id}/charges", Access::May(Capability::Money)),
    ("POST", "/people/{id}/payments", Access::May(Capability::Desk)),
    ("POST", "/charges/{id}/waive", Access::May(Capability::Money)),
    ("GET", "/receipts/{number}", Access::Admin),
    ("POST", "/receipts/{number}/prints", Access::Admin),
    ("POST", "/loans/{id}/lost", Access::May(Capability::Desk)),
    ("POST", "/charges/{id}/reverse", Access::May(Capability::Money)),
    ("POST", "/receipts/{number}/reverse", Access::May(Capability::Money)),
    ("POST", "/people/{id}/refunds", Access::May(Capability::Money)),
    ("GET", "/till", Access::May(Capability::Desk)),
    ("POST", "/till/closings", Access::May(Capability::Desk)),
    ("GET", "/till/closings", Access::May(Capability::Desk)),
    ("GET", "/till/closings/{id}", Access::May(Capability::Desk)),
    ("GET", "/money/debtors", Access::May(Capability::Money)),
    ("GET", "/money/lines", Access::May(Capability::Money)),
    ("GET", "/money/lines.csv", Access::May(Capability::Money)),
    ("GET", "/money/totals", Access::May(Capability::Money)),
    ("GET", "/money/takings", Access::May(Capability::Money)),
    ("GET", "/me/account", Access::Student),
    // The capability depends on the kind of change: `Change::undone_by`. Students undo their own loans.
    ("POST", "/changes/{id}/undo", Access::SignedIn),
    ("GET", "/changes", Access::Admin),
    ("GET", "/changes.csv", Access::Admin),
    ("GET", "/books/{id}/reviews", Access::Anyone),
    ("POST", "/books/{id}/reviews", Access::Student),
    ("DELETE", "/reviews/{id}", Access::Student),
    ("POST", "/books/{id}/loans", Access::Student),
    ("GET", "/loans", Access::Admin),
    ("GET", "/loans.csv", Access::May(Capability::Desk)),
    ("POST", "/loans/{id}/return", Access::StudentOrMay(Capability::Desk)),
    ("POST", "/loans/{id}/extend", Access::StudentOrMay(Capability::Desk)),
    ("POST", "/loans/{id}/due-date", Access::May(Capability::Desk)),
    ("POST", "/loans/slips", Access::May(Capability::Desk)),
    ("GET", "/people", Access::Admin),
    ("POST", "/people", Access::May(Capability::People)),
    ("POST", "/people/import", Access::May(Capability::People)),
    ("POST", "/imports/people/columns", Access::May(Capability::People)),
    ("GET", "/imports/books", Access::May(Capability::Catalogue)),
    ("POST", "/imports/books", Access::May(Capability::Catalogue)),
    ("POST", "/imports/books/columns", Access::May(Capability::Catalogue)),
    ("POST", "/imports/books/check", Access::May(Capability::Catalogue)),
    ("GET", "/imports/books/{id}", Access::May(Capability::Catalogue)),
    ("GET", "/imports/books/{id}/rejected.csv", Access::May(Capability::Catalogue)),
    ("POST", "/imports/books/{id}/undo", Access::May(Capability::Catalogue)),
    ("GET", "/imports/people", Access::May(Capability::People)),
    ("GET", "/imports/people/{id}", Access::May(Capability::People)),
    ("GET", "/imports/people/{id}/rejected.csv", Access::May(Capability::People)),
    ("POST", "/imports/people/{id}/undo", Access::May(Capability::People)),
    ("POST", "/imports/photos/check", Access::May(Capability::People)),
    ("POST", "/imports/photos", Access::May(Capability::People)),
    ("GET", "/imports/photos", Access::May(Capability::People)),
    ("GET", "/imports/photos/{id}", Access::May(Capability::People)),
    ("GET", "/imports/photos/{id}/rejected.csv", Access::May(Capability::People)),
    ("POST", "/imports/photos/{id}/undo", Access::May(Capability::People)),
    ("GET", "/imports/loans", Access::Both(Capability::Desk, Capability::People)),
    ("POST", "/imports/loans", Access::Both(Capability::Desk, Capability::People)),
    ("POST", "/imports/loans/columns", Access::Both(Capability::Desk, Capability::People)),
    ("POST", "/imports/loans/check", Access::Both(Capability::Desk, Capability::People)),
    ("GET", "/imports/loans/{id}", Access::Both(Capability::Desk, Capability::People)),
    ("GET", "/imports/loans/{id}/rejected.csv", Access::Both(Capability::Desk, Capability::People)),
    ("POST", "/imports/loans/{id}/undo", Access::Both(Capability::Desk, Capability::People)),
    ("GET", "/imports/charges", Access::Both(Capability::Money, Capability::People)),
    ("POST", "/imports/charges", Access::Both(Capability::Money, Capability::People)),
    ("POST", "/imports/charges/columns", Access::Both(Capability::Money, Capability::People)),
    ("POST", "/imports/charges/check", Access::Both(Capability::Money, Capability::People)),
    ("GET", "/imports/charges/{id}", Access::Both(Capability::Money, Capability::People)),
    ("GET", "/imports/charges/{id}/rejected.csv", Access::Both(Capability::Money, Capability::People)),
    ("POST", "/imports/charges/{id}/undo", Access::Both(Capability::Money, Capability::People)),
    ("GET", "/books.mrc", Access::May(Capability::Catalogue)),
    ("GET", "/people/batches", Access::Admin),
    ("GET", "/people.csv", Access::May(Capability::People)),
    ("GET", "/people/{id}", Access::Admin),
    ("GET", "/people/{id}/photo", Access::Admin),
    ("PUT", "/people/{id}/photo", Access::May(Capability::People)),
    ("DELETE", "/people/{id}/photo", Access::May(Capability::People)),
    ("GET", "/people/{id}/data", Access::May(Capability::People)),
    ("DELETE", "/people/{id}", Access::May(Capability::People)),
    ("POST", "/people/promote", Access::May(Capability::People)),
    ("POST", "/people/no-dues", Access::May(Capability::People)),
    ("POST", "/people/sign-in-codes", Access::May(Capability::People)),
    ("POST", "/people/merge", Access::May(Capability::People)),
    ("POST", "/people/{id}/role", Access::May(Capability::People)),
    ("POST", "/people/{id}/no-dues", Access::May(Capability::People)),
    ("GET", "/no-dues/{number}", Access::Anyone),
    ("PATCH", "/people/{id}", Access::May(Capability::People)),
    ("POST", "/people/{id}/deactivate", Access::May(Capability::People)),
    ("POST", "/people/{id}/activate", Access::May(Capability::People)),
    ("POST", "/people/{id}/sign-in-code", Access::May(Capability::People)),
    ("DELETE", "/people/{id}/sessions", Access::May(Capability::People)),
    ("DELETE", "/people/{id}/second-factor", Access::May(Capability::People)),
    ("GET", "/people/{id}/loans", Access::Admin),
    ("POST", "/books/{id}/holds", Access::StudentOrMay(Capability::Desk)),
    ("GET", "/books/{id}/holds", Access::Admin),
    ("DELETE", "/books/{id}/holds", Access::May(Capability::Desk)),
    ("GET", "/holds", Access::Admin),
    ("GET", "/holds/titles", Access::Admin),
    ("DELETE", "/holds/{id}", Access::StudentOrMay(Capability::Desk)),
    ("POST", "/holds/{id}/move", Access::May(Capability::Desk)),
    ("GET", "/me/holds", Access::Student),
    ("GET", "/people/{id}/holds", Access::Admin),
    ("GET", "/me/notices", Access::SignedIn),
    ("POST", "/me/notices/read", Access::SignedIn),
    ("GET", "/me/notices/unread", Access::SignedIn),
    ("GET", "/me/mail-choices", Access::SignedIn),
    ("PUT", "/me/mail-choices", Access::SignedIn),
    ("POST", "/me/address-link", Access::SignedIn),
    ("GET", "/people/{id}/notices", Access::Admin),
    ("GET", "/settings/notices", Access::Admin),
    ("PUT", "/settings/notices", Access::May(Capability::Settings)),
    ("GET", "/settings/mails", Access::Admin),
    ("GET", "/settings/mails/{kind}", Access::Admin),
    ("PUT", "/settings/mails/{kind}", Access::May(Capability::Settings)),
    ("POST", "/settings/mails/{kind}/preview", Access::May(Capability::Settings)),
    ("POST", "/settings/mails/{kind}/send", Access::May(Capability::Settings)),
    ("GET", "/config", Access::Anyone),
    ("GET", "/settings/rules", Access::Admin),
    ("PUT", "/settings/rules", Access::May(Capability::Settings)),
    ("POST", "/settings/rules/preview", Access::May(Capability::Settings)),
    ("GET", "/settings/calendar", Access::Admin),
    ("PUT", "/settings/calendar", Access::May(Capability::Settings)),
    ("POST", "/settings/calendar/preview", Access::May(Capability::Settings)),
    ("GET", "/settings/library", Access::Admin),
    ("PUT", "/settings/library", Access::May(Capability::Settings)),
    ("POST", "/settings/library/preview", Access::May(Capability::Settings)),
    ("GET", "/backups", Access::May(Capability::Settings)),
    ("POST", "/backups", Access::May(Capability::Settings)),
    // The handler also requires every other capability, because a backup contains all data.
    ("GET", "/backups/{name}", Access::May(Capability::Settings)),
    ("GET", "/overview", Access::Admin),
    ("PUT", "/overview/steps", Access::May(Capability::Settings)),
    ("POST", "/overview/printed", Access::Admin),
    ("GET", "/mails", Access::May(Capability::People)),
    ("GET", "/mails/tomorrow", Access::May(Capability::People)),
    ("POST", "/mails/{id}/stop", Access::May(Capability::People)),
    ("POST", "/mails/again", Access::May(Capability::People)),
    ("POST", "/mails/{id}/again", Access::May(Capability::People)),
    ("GET", "/setup", Access::Anyone),
    ("POST", "/setup", Access::Anyone),
    ("POST", "/vitals", Access::Anyone),
    ("GET", "/openapi.json", Access::Anyone),
];

#[cfg(test)]
pub fn routes() -> impl Iterator<Item = (Method, &'static str)> {
    TABLE.iter().filter_map(|(method, route, _)| Some((method.parse().ok()?, *route)))
}

/// Looks a route up in the table; HEAD counts as GET.
fn access(method: &Method, path: &str) -> Result<Access> {
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let mut known = false;
    for (verb, listed, access) in TABLE {
        if *listed == path {
            known = true;
            if *verb == method.as_str() {
                return Ok(*access);
            }
        }
    }
    Err(if known { Error::MethodNotAllowed } else { Error::Forbidden })
}

/// Identifies the caller, applies the table and the limit on students' changes, and reads the idempotency key of a write.
pub async fn enforce(
    State(app): State<Shared>,
    path: MatchedPath,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let route = path.as_str().strip_prefix(API).unwrap_or(path.as_str());
    let access = match request.extensions().get::<Loosened>() {
        Some(loosened) if cfg!(debug_assertions) => loosened.0,
        _ => access(request.method(), route)?,
    };
    if access == Access::Phone {
        let phone = CallingPhone::of(&app, request.headers()).await?;
        request.extensions_mut().insert(phone);
        return Ok(next.run(request).await);
    }
    let caller = Caller::of(&app, request.method(), request.headers()).await?;
    security_log::note_account(caller.user().map(|user| user.uid));
    if matches!(caller, Caller::Unenrolled(_)) && !matches!(access, Access::Anyone | Access::Enrolling) {
        return Err(Error::SecondFactorMissing);
    }
    access.allows(caller.user()).map_err(|refused| match caller {
        // Signed in, but the stored role is unknown (R-LOGIN-5).
        Caller::RoleUndefined => Error::RoleUndefined,
        _ => refused,
    })?;
    if let Some(student) = caller.person().filter(|user| user.role == Role::Student)
        && access != Access::Anyone
        && !request.method().is_safe()
    {
        check_limit(app.limits.changes_of_student.take(&student.uid))?;
    }
    if ImportPermit::is_needed(request.method(), route) {
        let permit = ImportPermit::take(&app)?;
        request.extensions_mut().insert(permit);
    }
    request.extensions_mut().insert(caller.clone());
    idempotency::read_key(&caller, route, request, next).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_call_stands_in_the_table_and_the_other_way_round_r_role_1() {
        let document = crate::http::openapi::document();
        let mut documented: Vec<(String, String)> = Vec::new();
        for (path, operations) in document["paths"].as_object().into_iter().flatten() {
            for method in operations.as_object().into_iter().flatten().map(|(method, _)| method) {
                documented.push((method.to_uppercase(), path.clone()));
            }
        }
        let mut listed: Vec<(String, String)> =
            TABLE.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        documented.sort();
        listed.sort();
        assert_eq!(documented, listed);
    }
}
