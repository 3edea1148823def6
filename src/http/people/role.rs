//! Librarians and their capabilities (R-PEOPLE-8).

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use super::shown;
use crate::{
    domain::{
        account::{Capability, Role},
        id::UserId,
        person::Person,
        rule::Invalid,
    },
    http::{
        Shared,
        client::Network,
        error::{Error, Result},
        extract::{Id, JsonBody},
        idempotency::{Answer, Once},
        session::SignedIn,
    },
    message,
    people::librarian,
    storage::{authority::Authority, people},
};

/// Role and capabilities of a person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleForm {
    role: Role,
    /// Capabilities of a librarian; all by default.
    #[serde(default)]
    capabilities: Option<Vec<Capability>>,
    /// Password of the librarian who makes the change.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// Make a person a librarian or a student, or change a librarian's capabilities (R-PEOPLE-8).
#[utoipa::path(post, path = "/people/{id}/role", params(("id" = i64, Path)), request_body = RoleForm,
    responses((status = 200, body = Person)))]
pub async fn change_role(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    network: Network,
    Id(uid): Id<UserId>,
    once: Once,
    JsonBody(form): JsonBody<RoleForm>,
) -> Result<Answer> {
    if app.library.db.read(move |tx| people::by_id(tx, uid)).await.map_err(Error::from)?.is_none() {
        return Err(Error::NotFound);
    }
    if app.own_password(librarian.uid, network, None, form.password).await?.is_none() {
        return Err(Invalid::field("password", message::wrong_password()).into());
    }
    let capabilities =
        (form.role == Role::Admin).then(|| form.capabilities.unwrap_or_else(|| Capability::ALL.to_vec()));
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            librarian::set(tx, &authority, moment, uid, capabilities.as_deref())?;
            Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}
