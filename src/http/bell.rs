//! Bell of a page: the number of the user's unread notices, as server-sent events.

use std::{convert::Infallible, pin::pin, sync::atomic::Ordering, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, sse::Event},
};
use futures_util::stream;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::{
    Shared,
    accounts::check_limit,
    error::Result,
    notices::Unread,
    phones::unbuffered,
    session::{self, SignedIn},
};
use crate::{
    domain::id::UserId,
    storage::{self, Listening, notices, sessions},
};

/// Poll interval without a notification, and so the longest delay until the server notices a lost notification or the end
/// of the session. Thousands of pages listen, most of them in vain.
const POLL: Duration = Duration::from_secs(30);

/// Event of the bell's stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the lines of an event")]
pub struct BellEvent {
    /// `unread`, or `ended` when the session has ended.
    event: String,
    /// JSON; the `Unread` of the event `unread`.
    data: String,
}

/// Listen to the number of the caller's unread notices: as it is, and after each change.
#[utoipa::path(
    get, path = "/me/notices/unread",
    responses((status = 200, body = BellEvent, content_type = "text/event-stream"))
)]
pub async fn hear_unread(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    let session = session::token_hash(app.settings.is_https(), &headers)?;
    check_limit(app.limits.streams.take(&session))?;
    let listening = app.library.db.listen_for_notices(user.uid);
    let bell = Bell { app, person: user.uid, session, listening, shown: None, over: false };
    Ok(unbuffered(stream::unfold(bell, async |mut bell| {
        let event = bell.next().await?;
        Some((Ok::<_, Infallible>(event), bell))
    })))
}

/// Stream of one page; holds no database connection between polls.
struct Bell {
    app: Shared,
    person: UserId,
    /// Hash of the session's token.
    session: String,
    listening: Listening,
    /// Number sent last.
    shown: Option<i64>,
    over: bool,
}

impl Bell {
    /// Returns the next event; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        let Self { app, person, session, listening, shown, over } = self;
        loop {
            // Subscribes before the poll, so that a change during the poll is not missed.
            let mut changed = pin!(listening.changed());
            changed.as_mut().enable();
            // The client reconnects after the end of the stream; during a shutdown, to another server.
            if *over || app.stopping.load(Ordering::Relaxed) {
                return None;
            }
            match unread(app, *person, session.clone()).await {
                Ok(None) => {
                    *over = true;
                    return Some(Event::default().event("ended").data("{}"));
                }
                Ok(Some(unread)) if *shown != Some(unread) => {
                    *shown = Some(unread);
                    let data = serde_json::to_string(&Unread { unread }).unwrap_or_default();
                    return Some(Event::default().event("unread").data(data));
                }
                Ok(Some(_)) => {}
                Err(storage::Error::Closed) => return None,
                // Storage logs outages of the database; the next poll may succeed.
                Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "no look"),
            }
            let _ = timeout(POLL, changed).await;
        }
    }
}

/// Returns the number of unread notices; `None` if the session has ended.
async fn unread(app: &Shared, person: UserId, session: String) -> storage::Result<Option<i64>> {
    let now = app.library.clock.now();
    app.library
        .db
        .read(move |tx| {
            if sessions::find_valid(tx, &session, now)?.is_none() {
                return Ok(None);
            }
            notices::unread(tx, person).map(Some)
        })
        .await
}
