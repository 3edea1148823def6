//! Phones as scanners of a desk (R-DESK-9). A phone sends codes. Its desk's page receives the codes and scans them one
//! after the other (`POST desk/scans` with `phoneScan`); the server sends each answer to the phone as well.
//!
//! Both sides read server-sent events. Events are numbered: a client that reconnects sends its last number in
//! `Last-Event-ID` and gets the rest.

use std::{collections::VecDeque, convert::Infallible, sync::atomic::Ordering, time::Duration};

use axum::{
    extract::{FromRequestParts, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{
        IntoResponse,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use tokio::{sync::broadcast, time::timeout};
use utoipa::{IntoParams, ToSchema};

use super::{
    App, Shared,
    accounts::check_limit,
    client::Network,
    desk::CODE,
    error::{Error, Result},
    extract::{Id, JsonBody, Query},
    idempotency::{Answer, LONGEST_KEY, Once},
    session::{self, SignedIn},
};
use crate::{
    circulation::desk,
    domain::{
        id::{DeskId, PhoneId, PhoneScanId, UserId},
        moment::rfc3339,
        rule::{Invalid, Kind, Text},
    },
    message::Message,
    storage::{
        self, Tx,
        phones::{self, Opening, Pairing, PollResult},
    },
};

/// Poll interval without a notification, and so the longest delay until the server notices a lost notification, a
/// sign-out or the end of a pairing.
const POLL: Duration = Duration::from_secs(1);
/// Interval of keep-alives on a silent stream, so that proxies do not close the stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Limits of the id of a desk's page; the page chooses it.
pub const DESK: Text = Text { field: "desk", label: "The desk", min: 8, max: 64, kind: Kind::Line };
/// Limits of the code that a desk shows.
pub const PAIRING_CODE: Text = Text { field: "code", label: "The code", min: 1, max: 64, kind: Kind::Line };
/// Limits of a token, which the phone generates at random: 32 bytes in base64url.
pub const TOKEN: Text = Text { field: "token", label: "The token", min: 43, max: 64, kind: Kind::Line };
/// Limits of a scan's idempotency key.
pub const KEY: Text = Text { field: "key", label: "The key", min: 8, max: LONGEST_KEY, kind: Kind::Line };

/// Desk to pair a phone with.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairForm {
    #[serde(default)]
    #[schema(required)]
    desk: String,
}

/// Phone paired with a desk.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairedPhone {
    id: PhoneId,
    /// Id of the desk's page that the phone scans for.
    desk: String,
    /// Time at which a phone opened the code; null until then.
    #[schema(required, format = DateTime)]
    opened_at: Option<String>,
    /// Time at which another phone last tried the used code; null if none has.
    #[schema(required, format = DateTime)]
    refused_at: Option<String>,
    /// Time at which the pairing expires.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Address for a phone to open.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneCode {
    id: PhoneId,
    /// Address of the phone's screen; the fragment after `#`, which browsers send to no server, is the code of `POST
    /// /phone/open`. Returned only once. Valid for ten minutes and for one phone.
    address: String,
}

/// Phones of a librarian.
#[derive(Serialize, ToSchema)]
pub struct PhoneList {
    phones: Vec<PairedPhone>,
}

/// Pair a phone with a desk: returns the address for the phone to open. The address replaces an earlier one of this
/// desk that no phone has opened.
#[utoipa::path(post, path = "/desk/phones", request_body = PairForm, responses((status = 201, body = PhoneCode)))]
pub async fn pair_phone(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PairForm>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let desk = DESK.check(&form.desk, &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.pairings.take(&librarian.uid))?;
    let (session, code, now) = (
        session::token_hash(app.settings.is_https(), &headers)?,
        session::new_token()?,
        app.library.clock.now(),
    );
    let hash = session::hashed(&code);
    let pairing =
        app.library.db.write(move |tx| phones::pair(tx, librarian.uid, &session, &desk, &hash, now)).await;
    match pairing.map_err(Error::from)? {
        Pairing::Begun(id) => {
            let address = format!("{}library/phone#{code}", app.settings.public_url);
            Ok((StatusCode::CREATED, axum::Json(PhoneCode { id, address })))
        }
        Pairing::TooMany => Err(Error::TooManyPhones),
        Pairing::SignedOut => Err(Error::NotSignedIn),
    }
}

/// List the caller's phones, including those of other desks.
#[utoipa::path(get, path = "/desk/phones", responses((status = 200, body = PhoneList)))]
pub async fn list_phones(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
) -> Result<axum::Json<PhoneList>> {
    let now = app.library.clock.now();
    let found = app.library.db.read(move |tx| phones::of_librarian(tx, librarian.uid, now)).await?;
    let phones = found
        .into_iter()
        .map(|phone| PairedPhone {
            id: phone.id,
            desk: phone.desk,
            opened_at: phone.opened_at.map(rfc3339),
            refused_at: phone.refused_at.map(rfc3339),
            expires_at: rfc3339(phone.expires_at),
        })
        .collect();
    Ok(axum::Json(PhoneList { phones }))
}

/// Disconnect a phone: it can no longer scan, and shows that at once.
#[utoipa::path(delete, path = "/desk/phones/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn unpair_phone(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(phone): Id<PhoneId>,
    once: Once,
) -> Result<Answer> {
    app.once(once, move |tx| {
        if phones::end(tx, librarian.uid, phone)? { Ok(Answer::empty()) } else { Err(Error::NotFound) }
    })
    .await
}

/// Code that a phone opens, and the token that the phone will send from then on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenForm {
    /// Fragment of the address that the desk shows.
    #[serde(default)]
    #[schema(required)]
    code: String,
    /// Secret that the phone has generated at random: 32 bytes in base64url.
    #[serde(default)]
    #[schema(required)]
    token: String,
}

/// Exchange the code that a desk shows for a token of the phone's own. A code is valid once and for ten minutes, so
/// that a later photo is useless. A repeat with the same token is a no-op.
#[utoipa::path(post, path = "/phone/open", request_body = OpenForm, responses((status = 204)))]
pub async fn open_phone(
    State(app): State<Shared>,
    network: Network,
    JsonBody(form): JsonBody<OpenForm>,
) -> Result<StatusCode> {
    let mut invalid = Invalid::default();
    let code = PAIRING_CODE.check(&form.code, &mut invalid);
    let token = TOKEN.check(&form.token, &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.phone_openings.take(&network))?;
    let (code, token, now) = (session::hashed(&code), session::hashed(&token), app.library.clock.now());
    match app.library.db.write(move |tx| phones::open(tx, &code, &token, now)).await.map_err(Error::from)? {
        Opening::Opened => Ok(StatusCode::NO_CONTENT),
        Opening::Used => Err(Error::PhoneCodeUsed),
        Opening::Ended => Err(Error::PhoneCodeExpired),
    }
}

/// Phone that sends the request; the access check has verified its token.
#[derive(Clone)]
pub struct CallingPhone {
    phone: phones::Phone,
    token_hash: String,
}

impl CallingPhone {
    /// Finds the phone by `Authorization: Bearer …`, which, unlike a cookie, no other site can make a browser send.
    pub async fn of(app: &App, headers: &HeaderMap) -> Result<Self> {
        let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = token.and_then(|value| value.strip_prefix("Bearer ")).ok_or(Error::PhoneEnded)?;
        let (token_hash, now) = (session::hashed(token), app.library.clock.now());
        let hash = token_hash.clone();
        let phone = app.library.db.read(move |tx| phones::by_token(tx, &hash, now)).await?;
        Ok(Self { phone: phone.ok_or(Error::PhoneEnded)?, token_hash })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CallingPhone {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts.extensions.get().cloned().ok_or(Error::PhoneEnded)
    }
}

/// Code read by a phone.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhoneScanForm {
    /// Idempotency key of the scan, which makes a repeat a no-op.
    #[serde(default)]
    #[schema(required)]
    key: String,
    #[serde(default)]
    #[schema(required)]
    code: String,
}

/// Send a code to the desk. A repeat with the same key is a no-op.
#[utoipa::path(
    post, path = "/phone/scans", request_body = PhoneScanForm, security(("phone" = [])), responses((status = 204))
)]
pub async fn send_scan(
    State(app): State<Shared>,
    caller: CallingPhone,
    JsonBody(form): JsonBody<PhoneScanForm>,
) -> Result<StatusCode> {
    let mut invalid = Invalid::default();
    let key = KEY.check(&form.key, &mut invalid);
    let code = CODE.check(&form.code, &mut invalid);
    invalid.into_result(())?;
    let phone = caller.phone;
    check_limit(app.limits.phone_scans.take(&phone.id))?;
    if !app.library.db.write(move |tx| phones::send(tx, phone, &key, &code)).await.map_err(Error::from)? {
        // Too many scans of this phone wait for the desk, whose page may be closed: retry in ten seconds.
        return Err(Error::TooManyRequests(10));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Data of the event `scan` for the desk's page. The event's id is the number of the scan.
#[derive(Serialize, ToSchema)]
pub struct PhoneScan {
    /// Value of `phoneScan` for the scan at the desk.
    id: PhoneScanId,
    /// Idempotency key of the scan at the desk.
    key: String,
    code: String,
}

/// Data of the event `answer` for the phone. The event's id is the number of the answer.
#[derive(Serialize, ToSchema)]
pub struct PhoneAnswer {
    /// Key of the scan.
    key: String,
    #[schema(value_type = PhoneReply)]
    answer: serde_json::Value,
}

/// Part of the desk's answer that the phone gets.
#[derive(Serialize, ToSchema)]
#[schema(as = PhoneTold)]
pub struct PhoneReply {
    outcome: desk::Outcome,
    class: desk::Class,
    /// Messages; the first is the headline.
    messages: Vec<Message>,
}

/// Stores the desk's answer for the phone that scanned, in the transaction of the scan.
pub fn answer_phone(
    tx: &mut Tx<'_>,
    session_hash: &str,
    scan: PhoneScanId,
    answer: &desk::Answer,
) -> Result<()> {
    // The librarian's next step comes first, so that the phone shows it as the headline.
    let messages = answer.next.iter().chain(&answer.messages).cloned().collect();
    let part = PhoneReply { outcome: answer.outcome, class: answer.class, messages };
    let part = serde_json::to_string(&part).map_err(|error| Error::Internal(Box::new(error)))?;
    Ok(phones::answer(tx, session_hash, scan, &part)?)
}

/// Desk that listens to its phones.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeskQuery {
    /// Id of the page, as given when the page paired a phone.
    desk: String,
}

/// Listen, as a desk's page, to the scans of its phones.
///
/// Events: `scan` with a `PhoneScan`; `phones` when the list of phones has changed; `elsewhere` when another page
/// listens as this desk; `ended` when the session has ended.
#[utoipa::path(
    get, path = "/desk/phone-scans", params(DeskQuery),
    responses((status = 200, body = PhoneScan, content_type = "text/event-stream"))
)]
pub async fn hear_scans(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    headers: HeaderMap,
    Query(query): Query<DeskQuery>,
) -> Result<impl IntoResponse> {
    let session = session::token_hash(app.settings.is_https(), &headers)?;
    check_limit(app.limits.streams.take(&session))?;
    let heard = app.library.db.desk_calls();
    let listening = app.library.db.write(move |tx| phones::desk_listens(tx, &session, &query.desk)).await;
    let (desk, stream) = listening.map_err(Error::from)?.ok_or(Error::NotFound)?;
    let source = Source::Desk { desk: (desk, stream), librarian: librarian.uid, phones: None };
    Ok(listen(app, source, desk, heard, last_number(&headers)))
}

/// Listen, as a phone, to the answers of the desk.
///
/// Events: `answer` with a `PhoneAnswer`; `elsewhere` when another page of the phone listens; `ended` when the phone
/// was disconnected, or the desk's session has ended.
#[utoipa::path(
    get, path = "/phone/answers", security(("phone" = [])),
    responses((status = 200, body = PhoneAnswer, content_type = "text/event-stream"))
)]
pub async fn hear_answers(
    State(app): State<Shared>,
    caller: CallingPhone,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    let phone = caller.phone;
    check_limit(app.limits.streams.take(&caller.token_hash))?;
    let heard = app.library.db.desk_calls();
    let stream = app.library.db.write(move |tx| phones::phone_listens(tx, phone)).await;
    let stream = stream.map_err(Error::from)?.ok_or(Error::PhoneEnded)?;
    let source = Source::Phone { phone: (phone.id, stream) };
    Ok(listen(app, source, phone.desk, heard, last_number(&headers)))
}

/// Returns the number of the last event that a reconnecting client received; 0 for a new client.
fn last_number(headers: &HeaderMap) -> i64 {
    let number = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    number.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// Desk or phone that listens, with the number of its stream.
enum Source {
    Desk { desk: (DeskId, i64), librarian: UserId, phones: Option<Vec<phones::PairedPhone>> },
    Phone { phone: (PhoneId, i64) },
}

/// Stream of server-sent events; holds no database connection between polls.
struct Listener {
    app: Shared,
    source: Source,
    desk: DeskId,
    calls: broadcast::Receiver<DeskId>,
    /// Number of the last event sent.
    number: i64,
    coming: VecDeque<Event>,
    over: bool,
}

fn listen(
    app: Shared,
    source: Source,
    desk: DeskId,
    calls: broadcast::Receiver<DeskId>,
    number: i64,
) -> impl IntoResponse {
    let listener = Listener { app, source, desk, calls, number, coming: VecDeque::new(), over: false };
    let events = stream::unfold(listener, async |mut listener| {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    unbuffered(events)
}

/// Answers with events as they come.
pub(super) fn unbuffered(
    events: impl stream::Stream<Item = std::result::Result<Event, Infallible>> + Send + 'static,
) -> impl IntoResponse {
    // Some proxies (nginx) buffer a response until it is complete unless this header forbids it.
    let unbuffered = [("x-accel-buffering", "no")];
    (unbuffered, Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

impl Listener {
    /// Returns the next event; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.coming.pop_front() {
                return Some(event);
            }
            // The client reconnects after the end of the stream; during a shutdown, to another server.
            if self.over || self.app.stopping.load(Ordering::Relaxed) {
                return None;
            }
            match self.poll().await {
                Ok(()) => {}
                Err(storage::Error::Closed) => return None,
                // Storage logs outages of the database; the next poll may succeed.
                Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "no look"),
            }
            if self.coming.is_empty() && !self.over {
                // Polls next, with or without a notification.
                let _ = timeout(POLL, self.notified()).await;
            }
        }
    }

    /// Waits for a notification for this desk, or until the channel has dropped notifications, which may include one
    /// for this desk.
    async fn notified(&mut self) {
        while matches!(self.calls.recv().await, Ok(desk) if desk != self.desk) {}
    }

    async fn poll(&mut self) -> storage::Result<()> {
        let (now, after) = (self.app.library.clock.now(), self.number);
        match &mut self.source {
            Source::Desk { desk, librarian, phones } => {
                let (listening, uid) = (*desk, *librarian);
                let (found, list) = self
                    .app
                    .library
                    .db
                    .read(move |tx| -> storage::Result<_> {
                        Ok((phones::scans(tx, listening, after, now)?, phones::of_librarian(tx, uid, now)?))
                    })
                    .await?;
                if phones.as_ref() != Some(&list) {
                    self.coming.push_back(Event::default().event("phones").data("{}"));
                    *phones = Some(list);
                }
                for scan in self.take_news(found) {
                    self.number = scan.number;
                    let data = PhoneScan { id: scan.id, key: scan.key, code: scan.code };
                    self.push("scan", &data);
                }
            }
            Source::Phone { phone } => {
                let listening = *phone;
                let found =
                    self.app.library.db.read(move |tx| phones::answers(tx, listening, after, now)).await?;
                for answer in self.take_news(found) {
                    self.number = answer.number;
                    let value = serde_json::from_str(&answer.answer).unwrap_or_default();
                    self.push("answer", &PhoneAnswer { key: answer.key, answer: value });
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, event: &str, data: &impl Serialize) {
        let data = serde_json::to_string(data).unwrap_or_default();
        self.coming.push_back(Event::default().event(event).id(self.number.to_string()).data(data));
    }

    /// Returns the new rows, or ends the stream with an event that names the reason.
    fn take_news<T>(&mut self, found: PollResult<T>) -> Vec<T> {
        let why = match found {
            PollResult::News(news) => return news,
            PollResult::Elsewhere => "elsewhere",
            PollResult::Ended => "ended",
        };
        self.over = true;
        self.coming.push_back(Event::default().event(why).data("{}"));
        Vec::new()
    }
}
