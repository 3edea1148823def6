//! Notices to people: their texts, and when they were read or mailed.

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    domain::{
        id::{BookId, HoldId, LoanId, NoticeId, UserId},
        moment::rfc3339,
        notice::{Kind, Unmailed},
    },
    message::Message,
    storage::{
        notices::{self, Written},
        people,
    },
};

/// Notice to a person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    #[schema(value_type = i64)]
    id: NoticeId,
    /// True for a reminder to the person's guardian.
    to_guardian: bool,
    kind: Kind,
    /// Text of the notice, in one or two sentences.
    text: Vec<Message>,
    #[schema(format = DateTime)]
    at: String,
    /// Time at which the person read the notice; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    read_at: Option<String>,
    /// Time at which the notice stopped being true; null while the notice is true.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    withdrawn_at: Option<String>,
    /// Time at which a mail with this notice was queued; null if none was.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    mailed_at: Option<String>,
    /// Reason why the notice was not mailed; null if it was mailed, or if this is not decided yet.
    #[schema(required)]
    unmailed: Option<Unmailed>,
    #[schema(required, value_type = Option<i64>)]
    book_id: Option<BookId>,
    #[schema(required, value_type = Option<i64>)]
    loan_id: Option<LoanId>,
    #[schema(required, value_type = Option<i64>)]
    hold_id: Option<HoldId>,
}

impl Notice {
    /// Converts a stored notice; `None` for a kind that only a newer version of the program knows.
    pub fn of(written: Written) -> Option<Self> {
        Some(Self {
            id: written.id,
            to_guardian: written.to_guardian,
            kind: written.kind?,
            text: written.text,
            at: rfc3339(written.created_at),
            read_at: written.read_at.map(rfc3339),
            withdrawn_at: written.withdrawn_at.map(rfc3339),
            mailed_at: written.mailed_at.map(rfc3339),
            unmailed: written.unmailed,
            book_id: written.book,
            loan_id: written.loan,
            hold_id: written.hold,
        })
    }
}

/// Position and length of a page of notices.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct NoticesQuery {
    cursor: Option<String>,
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
}

/// Notices of a person, newest first.
#[derive(Serialize, ToSchema)]
pub struct NoticePage {
    notices: Vec<Notice>,
    /// Number of unread notices on all pages.
    unread: i64,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Default number of notices on a page.
const LENGTH: i64 = 30;

/// Cuts the list to `limit` rows; an extra row means that another page follows.
fn cut(mut written: Vec<Written>, limit: i64, unread: i64) -> NoticePage {
    let length = usize::try_from(limit).unwrap_or_default();
    let goes_on = written.len() > length;
    written.truncate(length);
    let next = written.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
    NoticePage { notices: written.into_iter().filter_map(Notice::of).collect(), unread, next }
}

/// List the caller's own notices that are still true, newest first.
#[utoipa::path(get, path = "/me/notices", params(NoticesQuery), responses((status = 200, body = NoticePage)))]
pub async fn list_my_notices(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    Query(query): Query<NoticesQuery>,
) -> Result<axum::Json<NoticePage>> {
    let limit = page::length(query.limit, LENGTH)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(NoticeId(i64::MAX));
    let found = app.library.db.snapshot(move |tx| -> Result<NoticePage> {
        let unread = notices::unread(tx, user.uid)?;
        Ok(cut(notices::of_person(tx, user.uid, before, limit + 1)?, limit, unread))
    });
    Ok(axum::Json(found.await?))
}

/// Last notice that the caller has seen.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadNotices {
    /// Id of the notice: this notice and all earlier ones are marked as read.
    up_to: i64,
}

/// Number of unread notices.
#[derive(Serialize, ToSchema)]
pub struct Unread {
    pub(super) unread: i64,
}

/// Mark the caller's own notices as read, up to one of them.
#[utoipa::path(post, path = "/me/notices/read", request_body = ReadNotices, responses((status = 200, body = Unread)))]
pub async fn read_my_notices(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<ReadNotices>,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        notices::read(tx, user.uid, NoticeId(form.up_to), now)?;
        Answer::json(StatusCode::OK, &Unread { unread: notices::unread(tx, user.uid)? })
    })
    .await
}

/// List the notices of a person, newest first, including those that are no longer true.
#[utoipa::path(get, path = "/people/{id}/notices", params(("id" = i64, Path), NoticesQuery),
    responses((status = 200, body = NoticePage)))]
pub async fn list_notices_of_person(
    State(app): State<Shared>,
    Id(person): Id<UserId>,
    Query(query): Query<NoticesQuery>,
) -> Result<axum::Json<NoticePage>> {
    let limit = page::length(query.limit, LENGTH)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(NoticeId(i64::MAX));
    let found = app.library.db.snapshot(move |tx| -> Result<NoticePage> {
        people::by_id(tx, person)?.ok_or(Error::NotFound)?;
        let unread = notices::unread(tx, person)?;
        Ok(cut(notices::all_of_person(tx, person, before, limit + 1)?, limit, unread))
    });
    Ok(axum::Json(found.await?))
}
