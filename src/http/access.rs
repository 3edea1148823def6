//! Who may call what (R-ROLE-1): one table of route and role. A route that is missing here is refused to everybody, and
//! the tests are generated from the same table.

use axum::{
    extract::{MatchedPath, Request, State},
    http::Method,
    middleware::Next,
    response::Response,
};

use super::{
    API, Shared,
    error::{Error, Result},
    idempotency,
    session::Caller,
};
use crate::domain::account::Role;

/// Who may make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever comes.
    Anyone,
    /// Whoever is signed in.
    SignedIn,
    /// Students.
    Student,
    /// Librarians.
    Admin,
}

impl Access {
    /// Whether this person (`None`: nobody signed in) may; the error tells why not.
    pub fn allows(self, role: Option<Role>) -> Result<()> {
        match (self, role) {
            (Self::Anyone, _)
            | (Self::SignedIn, Some(_))
            | (Self::Student, Some(Role::Student))
            | (Self::Admin, Some(Role::Admin)) => Ok(()),
            (_, None) => Err(Error::NotSignedIn),
            (_, Some(_)) => Err(Error::Forbidden),
        }
    }
}

/// Every call of the API: method, path under the API's base, who may make it.
pub const TABLE: &[(&str, &str, Access)] = &[
    ("POST", "/auth/register", Access::Anyone),
    ("POST", "/auth/sign-in", Access::Anyone),
    ("POST", "/auth/sign-out", Access::Anyone),
    ("GET", "/auth/session", Access::Anyone),
    ("POST", "/auth/id-card", Access::Anyone),
    ("GET", "/me", Access::SignedIn),
    ("PATCH", "/me", Access::Student),
    ("GET", "/me/loans", Access::Student),
    ("GET", "/books", Access::Anyone),
    ("POST", "/books", Access::Admin),
    ("GET", "/books/{id}", Access::Anyone),
    ("PUT", "/books/{id}", Access::Admin),
    ("DELETE", "/books/{id}", Access::Admin),
    ("GET", "/books/{id}/copies", Access::Admin),
    ("POST", "/books/{id}/copies", Access::Admin),
    ("GET", "/copies", Access::Admin),
    ("PATCH", "/copies/{id}", Access::Admin),
    ("POST", "/copies/{id}/move", Access::Admin),
    ("POST", "/copies/shelve", Access::Admin),
    ("GET", "/changes", Access::Admin),
    ("GET", "/changes.csv", Access::Admin),
    ("GET", "/books/{id}/reviews", Access::Anyone),
    ("POST", "/books/{id}/reviews", Access::Student),
    ("DELETE", "/reviews/{id}", Access::Student),
    ("POST", "/books/{id}/loans", Access::Student),
    ("GET", "/loans", Access::Admin),
    ("POST", "/loans/{id}/return", Access::SignedIn),
    ("POST", "/loans/{id}/extend", Access::SignedIn),
    ("GET", "/config", Access::Anyone),
    ("GET", "/settings/rules", Access::Admin),
    ("PUT", "/settings/rules", Access::Admin),
    ("POST", "/settings/rules/preview", Access::Admin),
    ("GET", "/settings/calendar", Access::Admin),
    ("PUT", "/settings/calendar", Access::Admin),
    ("POST", "/settings/calendar/preview", Access::Admin),
    ("GET", "/settings/library", Access::Admin),
    ("PUT", "/settings/library", Access::Admin),
    ("POST", "/vitals", Access::Anyone),
    ("GET", "/openapi.json", Access::Anyone),
];

/// What the table says of a route; HEAD is asked like GET.
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

/// Finds out who calls, lets through what the table allows, and reads the key of a write.
pub async fn enforce(
    State(app): State<Shared>,
    path: MatchedPath,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let route = path.as_str().strip_prefix(API).unwrap_or(path.as_str());
    let access = access(request.method(), route)?;
    let caller = Caller::of(&app, request.headers()).await?;
    access.allows(caller.role()).map_err(|refused| match caller {
        // Signed in, but with a role that is none (R-LOGIN-5).
        Caller::RoleUndefined => Error::RoleUndefined,
        _ => refused,
    })?;
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
