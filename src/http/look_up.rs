//! ISBN look-up in the operator's sources.

use axum::{Json, extract::State};

use super::{
    Shared,
    error::{Error, Result},
    extract::PathText,
};
use crate::{
    domain::{
        book::{ISBN, checked_isbn},
        rule::Invalid,
    },
    look_up::LookUp,
    message,
};

/// Look up an ISBN of 10 or 13 digits in the sources that the operator named; 404 if the operator named none.
#[utoipa::path(get, path = "/isbn-look-ups/{isbn}", params(("isbn" = String, Path)),
    responses((status = 200, body = LookUp)))]
pub async fn look_up_isbn(State(app): State<Shared>, PathText(isbn): PathText) -> Result<Json<LookUp>> {
    let sources = app.settings.isbn_sources.clone().ok_or(Error::NotFound)?;
    let mut invalid = Invalid::default();
    let isbn = checked_isbn(&isbn, &mut invalid);
    let isbn = invalid.into_result(isbn)?;
    let isbn = isbn.ok_or_else(|| Invalid::field(ISBN.field, message::required(ISBN.label)))?;
    Ok(Json(sources.look_up(isbn).await))
}
