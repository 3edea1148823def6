//! Photo of a person: show, upload and remove.

use axum::{
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};

use super::shown;
use crate::{
    domain::{id::UserId, person::Person},
    http::{
        Shared, covers,
        error::{Error, Result},
        extract::{Body, Id},
        idempotency::{Answer, Once},
        session::SignedIn,
    },
    people::photo,
    picture,
    storage::{
        authority::Authority,
        people::{self, kept_instead},
        photos::{self, Photo},
    },
};

/// Answers with a photo's picture.
fn sent(photo: Photo) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ];
    (headers, photo.jpeg).into_response()
}

/// Read a person's photo. For the id of a merged record, returns the photo of the record that was kept.
#[utoipa::path(get, path = "/people/{id}/photo", params(("id" = i64, Path)),
    responses((status = 200, body = String, content_type = "image/jpeg")))]
pub async fn read_photo(State(app): State<Shared>, Id(asked): Id<UserId>) -> Result<Response> {
    let found = app.library.db.snapshot(move |tx| -> Result<_> {
        let uid = kept_instead(tx, asked)?.unwrap_or(asked);
        Ok(photos::of(tx, uid)?)
    });
    Ok(sent(found.await?.ok_or(Error::NotFound)?))
}

/// Read the caller's own photo; 204 if there is none.
#[utoipa::path(get, path = "/me/photo",
    responses((status = 200, body = String, content_type = "image/jpeg"), (status = 204)))]
pub async fn read_my_photo(State(app): State<Shared>, SignedIn(user): SignedIn) -> Result<Response> {
    let photo = app.library.db.read(move |tx| photos::of(tx, user.uid)).await?;
    Ok(photo.map_or_else(|| StatusCode::NO_CONTENT.into_response(), sent))
}

/// Upload a person's photo, in place of an earlier one: JPEG, PNG or WebP, at most 8 MiB and 25 million pixels. The picture
/// is scaled down, and its metadata is dropped.
#[utoipa::path(put, path = "/people/{id}/photo", params(("id" = i64, Path)),
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = Person)))]
pub async fn upload_photo(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    // Decoding is the longest part, so an unknown person is refused before it.
    let known = app.library.db.read(move |tx| people::by_id(tx, uid)).await.map_err(Error::from)?;
    known.ok_or(Error::NotFound)?;
    let jpeg = covers::decoded(&app, file, picture::photo).await?;
    let photo = Photo { version: picture::hash(&jpeg), jpeg };
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        photo::set(tx, &authority, moment, uid, &photo, None)?;
        Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
    })
    .await
}

/// Remove a person's photo.
#[utoipa::path(delete, path = "/people/{id}/photo", params(("id" = i64, Path)),
    responses((status = 200, body = Person)))]
pub async fn remove_photo(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        photo::remove(tx, &authority, moment, uid)?;
        Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
    })
    .await
}
