//! Sign-in codes that librarians hand out (R-PEOPLE-3).

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{
        account::BATCH,
        code,
        id::UserId,
        moment::rfc3339,
        rule::{Invalid, Number},
    },
    http::{
        Shared,
        error::{Error, Result},
        extract::{Id, JsonBody, Nothing, OptionalJsonBody},
        session::{self, SignedIn},
    },
    people,
    storage::authority::Authority,
};

/// New sign-in code of a person.
#[derive(Serialize, ToSchema)]
pub struct SignInCode {
    /// Sign-in code; shown once, because only its hash is stored.
    code: String,
    /// Expiry; the code works once.
    #[schema(format = DateTime)]
    expires: String,
}

/// Make a code with which a person chooses a password, in place of an earlier code (R-PEOPLE-3).
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
            people::sign_in_code::keep(tx, &authority, moment, uid, &hash, people::sign_in_code::DAYS)
        })
        .await
        .map_err(Error::from)?;
    Ok(axum::Json(SignInCode { code, expires: rfc3339(expires) }))
}

/// Days for which the codes of a batch are valid.
pub const VALID_DAYS: Number = Number { field: "days", label: "Valid for (days)", min: 1, max: 90 };

/// Batch whose people get sign-in codes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchCodesForm {
    #[serde(default)]
    #[schema(required)]
    batch: String,
    /// Days for which the codes are valid; 7 by default.
    #[serde(default = "default_days")]
    #[schema(required = false)]
    days: i64,
    /// Preview: make no codes.
    #[serde(default)]
    dry_run: bool,
}

const fn default_days() -> i64 {
    people::sign_in_code::DAYS
}

/// Person with their sign-in code, to print on a slip.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeSlip {
    name: String,
    roll_number: String,
    /// Sign-in code; shown once, because only its hash is stored.
    code: String,
}

/// Sign-in codes of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchCodes {
    /// Number of people without a password.
    count: usize,
    /// Their codes, by name; empty in a preview.
    slips: Vec<CodeSlip>,
    /// Expiry; each code works once. Null in a preview.
    #[schema(required, format = DateTime)]
    expires: Option<String>,
}

/// Make sign-in codes for the active students of a batch who have no password; the new codes replace earlier ones
/// (R-PEOPLE-3).
#[utoipa::path(post, path = "/people/sign-in-codes", request_body = BatchCodesForm,
    responses((status = 200, body = BatchCodes)))]
pub async fn make_sign_in_codes(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    JsonBody(form): JsonBody<BatchCodesForm>,
) -> Result<axum::Json<BatchCodes>> {
    let mut invalid = Invalid::default();
    let batch = BATCH.check(&form.batch, &mut invalid);
    let days = VALID_DAYS.check(form.days, &mut invalid);
    invalid.into_result(())?;
    let found = app
        .library
        .db
        .write(move |tx| people::sign_in_code::without_password(tx, &batch))
        .await
        .map_err(Error::from)?;
    let count = found.len();
    if form.dry_run {
        return Ok(axum::Json(BatchCodes { count, slips: Vec::new(), expires: None }));
    }
    let mut slips = Vec::with_capacity(count);
    let mut hashes = Vec::with_capacity(count);
    for person in found {
        let code = code::from_random(session::random()?);
        hashes.push((person.uid, app.passwords.hash(code::normalized(&code)).await?));
        slips.push(CodeSlip {
            name: person.details.name,
            roll_number: person.details.roll_number.unwrap_or_default(),
            code,
        });
    }
    // All transactions lock people in the order of their ids, to avoid deadlocks.
    hashes.sort_unstable();
    let moment = app.library.clock.moment();
    let expires = app
        .library
        .db
        .write(move |tx| {
            let authority = Authority::of(tx, librarian.uid)?;
            let mut expires = None;
            for (uid, hash) in &hashes {
                let until = people::sign_in_code::keep(tx, &authority, moment, *uid, hash, days)?;
                expires = Some(until);
            }
            Ok::<_, people::Error>(expires)
        })
        .await
        .map_err(Error::from)?;
    Ok(axum::Json(BatchCodes { count, slips, expires: expires.map(rfc3339) }))
}
