//! Uploaded covers: the server stores a picture under the hash of its bytes, and the book stores the picture's address.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use tokio::{sync::Semaphore, time::timeout};
use utoipa::ToSchema;

use super::{
    Shared,
    error::{Error, Result},
    extract::Body,
};
use crate::{
    domain::rule::Invalid,
    picture::{self, Refused},
    storage::covers,
};

/// Time limit for decoding, and for waiting until another decoding ends.
const TIME: Duration = Duration::from_secs(10);

/// Limit of one decoding at a time, because a decoder may use 128 MiB of memory.
pub struct DecodeLimit(Arc<Semaphore>);

impl Default for DecodeLimit {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// Address and size of a stored cover.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedCover {
    /// Address of the picture, to save as the book's `photoURL`.
    url: String,
    /// Size of the stored picture in bytes.
    bytes: usize,
}

fn refused(reason: Refused) -> Error {
    Invalid::field("file", reason.message()).into()
}

/// Decodes an uploaded picture on a thread of its own, one picture at a time.
pub async fn decoded(
    app: &Shared,
    file: Bytes,
    decode: fn(&[u8]) -> std::result::Result<Vec<u8>, Refused>,
) -> Result<Vec<u8>> {
    let waiting = timeout(TIME, Arc::clone(&app.decode_limit.0).acquire_owned()).await;
    let place = waiting.map_err(|_| Error::Busy(None))?.map_err(|error| Error::Internal(error.into()))?;
    let decoding = tokio::task::spawn_blocking(move || {
        let picture = decode(&file);
        drop(place);
        picture
    });
    // A decoder that takes longer cannot be stopped: it runs on and holds the permit until it ends.
    let decoded = timeout(TIME, decoding).await.map_err(|_| refused(Refused::Large))?;
    decoded.map_err(|error| Error::Internal(error.into()))?.map_err(refused)
}

/// Upload a cover: JPEG, PNG or WebP, at most 8 MiB and 25 million pixels. The picture is scaled down, and its metadata
/// is dropped. A cover that no book uses is deleted after three days.
#[utoipa::path(post, path = "/covers",
    request_body(content = String, content_type = "application/octet-stream"),
    responses((status = 200, body = UploadedCover)))]
pub async fn upload_cover(State(app): State<Shared>, Body(file): Body) -> Result<axum::Json<UploadedCover>> {
    let jpeg = decoded(&app, file, picture::cover).await?;
    let hash = picture::hash(&jpeg);
    let url = format!("{}library/covers/{hash}.jpg", app.settings.public_url);
    let (now, bytes) = (app.library.clock.now(), jpeg.len());
    app.library.db.write(move |tx| covers::add(tx, &hash, &jpeg, now)).await.map_err(Error::from)?;
    Ok(axum::Json(UploadedCover { url, bytes }))
}

/// Sends an uploaded cover. The bytes at an address never change.
pub async fn picture(app: Shared, hash: &str, asked: &HeaderMap) -> Result<Response> {
    if hash.len() != 32 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()) {
        return Err(Error::NotFound);
    }
    let wanted = hash.to_owned();
    let jpeg = app.library.db.read(move |tx| covers::read(tx, &wanted)).await.map_err(Error::from)?;
    let jpeg = jpeg.ok_or(Error::NotFound)?;
    let etag = HeaderValue::try_from(format!("\"{hash}\"")).map_err(|error| Error::Internal(error.into()))?;
    let is_known = asked.get_all(header::IF_NONE_MATCH).iter().any(|known| known == etag);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg")),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (header::ETAG, etag),
        // A page opened at 127.0.0.1 may load covers from localhost, which is another origin.
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox")),
    ];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    Ok((headers, jpeg).into_response())
}
