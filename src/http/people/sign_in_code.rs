//! Sign-in codes that librarians hand out (R-PEOPLE-3).

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{code, id::UserId, moment::rfc3339},
    http::{
        Shared,
        error::{Error, Result},
        extract::{Id, Nothing, OptionalJsonBody},
        session::{self, SignedIn},
    },
    people,
    storage::authority::Authority,
};

/// Sign-in code.
#[derive(Serialize, ToSchema)]
pub struct SignInCode {
    /// Shown once: only its hash is stored.
    code: String,
    /// Expiry; the code works once.
    #[schema(format = DateTime)]
    expires: String,
}

/// Make a code with which a person chooses a password; it replaces an earlier code (R-PEOPLE-3).
#[utoipa::path(post, path = "/people/{id}/sign-in-code", params(("id" = i64, Path)),
    responses((status = 200, body = SignInCode)))]
pub async fn make_sign_in_code(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<axum::Json<SignInCode>> {
    let code = code::from_random(session::random()?);
    let hash = app.passwords.hash(code::normalized(&code)).await?;
    let moment = app.library.clock.moment();
    let expires = app
        .library
        .db
        .write(move |tx| {
            let authority = Authority::of(tx, librarian.uid)?;
            people::sign_in_code::keep(tx, &authority, moment, uid, &hash)
        })
        .await
        .map_err(Error::from)?;
    Ok(axum::Json(SignInCode { code, expires: rfc3339(expires) }))
}
