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

/// A code to hand out.
#[derive(Serialize, ToSchema)]
pub struct SignInCode {
    /// To be shown or printed now: nobody can read it again.
    code: String,
    /// Until when it is good; it is good once.
    #[schema(format = DateTime)]
    expires: String,
}

/// Make a code with which a person chooses a password; one made before is no longer good (R-PEOPLE-3).
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
