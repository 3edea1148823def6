//! Phones as scanners of a desk (R-DESK-9). A phone sends codes; the page of its desk hears them, scans them one after the
//! other as its own (`POST desk/scans` with `phoneScan`), and what the server answers there reaches the phone as well.
//!
//! Both sides listen to server-sent events. Everything is numbered: whoever connects again says with `Last-Event-ID` what
//! it has, and gets the rest.

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
    accounts::within,
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
        phones::{self, Heard, Pairing},
    },
};

/// Between two looks when nobody calls: what a lost call, a sign-out or the end of the twelve hours takes at most to be
/// noticed.
const LOOK: Duration = Duration::from_secs(1);
/// A silent stream says this often that it is there, before a proxy takes it for dead.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Which of the browser's pages a desk is; the page makes it up.
pub const DESK: Text = Text { field: "desk", label: "The desk", min: 8, max: 64, kind: Kind::Line };
/// A scan's idempotency key.
pub const KEY: Text = Text { field: "key", label: "The key", min: 8, max: LONGEST_KEY, kind: Kind::Line };

/// A desk that a phone is to scan for.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PairForm {
    #[serde(default)]
    #[schema(required)]
    desk: String,
}

/// A phone that may scan for a desk.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairedPhone {
    id: PhoneId,
    /// The page that it scans for.
    desk: String,
    /// When a phone opened the code; null as long as none has.
    #[schema(required, format = DateTime)]
    opened_at: Option<String>,
    /// When another phone, or another page of it, last took its place by the same code.
    #[schema(required, format = DateTime)]
    replaced_at: Option<String>,
    /// When it ends by itself.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// What a phone is to open.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneCode {
    id: PhoneId,
    /// Where the phone's screen is; behind the `#`, which no browser sends to any server, stands the phone's token. Told
    /// this once. Good for ten minutes until a phone opens it, and then for twelve hours.
    address: String,
}

/// A librarian's phones.
#[derive(Serialize, ToSchema)]
pub struct PhoneList {
    phones: Vec<PairedPhone>,
}

/// Pair a phone with a desk: the code for the phone to open. It replaces a code of this desk that no phone has opened.
#[utoipa::path(post, path = "/desk/phones", request_body = PairForm, responses((status = 201, body = PhoneCode)))]
pub async fn pair_phone(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PairForm>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let desk = DESK.check(&form.desk, &mut invalid);
    invalid.or(())?;
    within(app.limits.pairings.take(&librarian.uid))?;
    let (session, token, now) =
        (session::token_hash(app.settings.is_https(), &headers)?, session::new_token()?, app.clock.now());
    let hash = session::hashed(&token);
    let pairing = app.db.write(move |tx| phones::pair(tx, librarian.uid, &session, &desk, &hash, now)).await;
    match pairing.map_err(Error::from)? {
        Pairing::Begun(id) => {
            let address = format!("{}library/phone#{token}", app.settings.public_url);
            Ok((StatusCode::CREATED, axum::Json(PhoneCode { id, address })))
        }
        Pairing::TooMany => Err(Error::TooManyPhones),
        Pairing::SignedOut => Err(Error::NotSignedIn),
    }
}

/// List one's own phones, those of other desks too.
#[utoipa::path(get, path = "/desk/phones", responses((status = 200, body = PhoneList)))]
pub async fn list_phones(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
) -> Result<axum::Json<PhoneList>> {
    let now = app.clock.now();
    let found = app.db.read(move |tx| phones::of_librarian(tx, librarian.uid, now)).await?;
    let phones = found
        .into_iter()
        .map(|phone| PairedPhone {
            id: phone.id,
            desk: phone.desk,
            opened_at: phone.opened_at.map(rfc3339),
            replaced_at: phone.replaced_at.map(rfc3339),
            expires_at: rfc3339(phone.expires_at),
        })
        .collect();
    Ok(axum::Json(PhoneList { phones }))
}

/// Disconnect a phone: it can scan no more, and says so at once.
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

/// The phone that makes a call; the access check has seen its token.
#[derive(Clone)]
pub struct CallingPhone {
    phone: phones::Phone,
    token_hash: String,
}

impl CallingPhone {
    /// Finds out by the token: `Authorization: Bearer …`, which unlike a cookie no other site can make a browser send.
    pub async fn of(app: &App, headers: &HeaderMap) -> Result<Self> {
        let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = token.and_then(|value| value.strip_prefix("Bearer ")).ok_or(Error::PhoneEnded)?;
        let (token_hash, now) = (session::hashed(token), app.clock.now());
        let hash = token_hash.clone();
        let phone = app.db.read(move |tx| phones::by_token(tx, &hash, now)).await?;
        Ok(Self { phone: phone.ok_or(Error::PhoneEnded)?, token_hash })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CallingPhone {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts.extensions.get().cloned().ok_or(Error::PhoneEnded)
    }
}

/// A code that the phone has read.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhoneScanForm {
    /// The scan's idempotency key: however often it is sent, it is done once.
    #[serde(default)]
    #[schema(required)]
    key: String,
    #[serde(default)]
    #[schema(required)]
    code: String,
}

/// Send a code to the desk. A repeat with the same key does nothing.
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
    invalid.or(())?;
    let phone = caller.phone;
    within(app.limits.phone_scans.take(&phone.id))?;
    if !app.db.write(move |tx| phones::send(tx, phone, &key, &code)).await.map_err(Error::from)? {
        // The desk's page is shut; whoever scans has been told to wait.
        return Err(Error::TooManyRequests(10));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What the desk's page hears of its phones, as data of the event `scan`. Its id is the scan's number.
#[derive(Serialize, ToSchema)]
pub struct PhoneScan {
    /// For `phoneScan` of the scan at the desk.
    id: PhoneScanId,
    /// The idempotency key to scan it with.
    key: String,
    code: String,
}

/// What the phone hears of its scans, as data of the event `answer`. Its id is the answer's number.
#[derive(Serialize, ToSchema)]
pub struct PhoneAnswer {
    /// Of the scan.
    key: String,
    #[schema(value_type = PhoneTold)]
    answer: serde_json::Value,
}

/// What of the desk's answer a phone is told.
#[derive(Serialize, ToSchema)]
pub struct PhoneTold {
    outcome: desk::Outcome,
    class: desk::Class,
    /// What happened; the first is the headline.
    messages: Vec<Message>,
}

/// Stores the desk's answer for the phone that scanned, in the transaction of the scan.
pub fn answer_phone(
    tx: &mut Tx<'_>,
    session_hash: &str,
    scan: PhoneScanId,
    answer: &desk::Answer,
) -> Result<()> {
    let told = PhoneTold { outcome: answer.outcome, class: answer.class, messages: answer.messages.clone() };
    let told = serde_json::to_string(&told).map_err(|error| Error::Internal(Box::new(error)))?;
    Ok(phones::answer(tx, session_hash, scan, &told)?)
}

/// Which desk listens.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeskQuery {
    /// The page, as it named itself when it paired a phone.
    desk: String,
}

/// Listen, as a desk's page, to what its phones scan.
///
/// Events: `scan` with a `PhoneScan`; `phones` when the list of phones has changed; `elsewhere` when another page listens
/// as this desk; `ended` when the session has ended.
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
    within(app.limits.streams.take(&session))?;
    let heard = app.db.desk_calls();
    let listening = app.db.write(move |tx| phones::desk_listens(tx, &session, &query.desk)).await;
    let (desk, stream) = listening.map_err(Error::from)?.ok_or(Error::NotFound)?;
    let source = Source::Desk { desk: (desk, stream), librarian: librarian.uid, phones: None };
    Ok(listen(app, source, desk, heard, last_number(&headers)))
}

/// Which page of a phone listens.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PhoneQuery {
    /// What it calls itself, also after it was loaded anew: by this the desk sees that another one took its place.
    #[param(inline)]
    page: Option<String>,
}

/// What a phone's page calls itself.
pub const PAGE: Text = Text { field: "page", label: "The page", min: 0, max: 64, kind: Kind::Line };

/// Listen, as a phone, to what the desk answers.
///
/// Events: `answer` with a `PhoneAnswer`; `elsewhere` when another phone listens with this token; `ended` when the phone
/// was disconnected, or the desk's session has ended.
#[utoipa::path(
    get, path = "/phone/answers", params(PhoneQuery), security(("phone" = [])),
    responses((status = 200, body = PhoneAnswer, content_type = "text/event-stream"))
)]
pub async fn hear_answers(
    State(app): State<Shared>,
    caller: CallingPhone,
    headers: HeaderMap,
    Query(query): Query<PhoneQuery>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let page = PAGE.check(&query.page.unwrap_or_default(), &mut invalid);
    invalid.or(())?;
    let (phone, now) = (caller.phone, app.clock.now());
    within(app.limits.streams.take(&caller.token_hash))?;
    let heard = app.db.desk_calls();
    let stream = app.db.write(move |tx| phones::phone_listens(tx, phone, &page, now)).await;
    let stream = stream.map_err(Error::from)?.ok_or(Error::PhoneEnded)?;
    let source = Source::Phone { phone: (phone.id, stream) };
    Ok(listen(app, source, phone.desk, heard, last_number(&headers)))
}

/// The number of the last event that somebody who connects again has got; nothing, for whoever begins.
fn last_number(headers: &HeaderMap) -> i64 {
    let number = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    number.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// What somebody listens to.
enum Source {
    Desk { desk: (DeskId, i64), librarian: UserId, phones: Option<Vec<phones::Paired>> },
    Phone { phone: (PhoneId, i64) },
}

/// Somebody who listens; between two looks nothing of the database is held.
struct Listener {
    app: Shared,
    source: Source,
    desk: DeskId,
    calls: broadcast::Receiver<DeskId>,
    /// Of the last event that was sent.
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
    // Some proxies (nginx) keep an answer back until it is whole, unless they are told not to.
    let unbuffered = [("x-accel-buffering", "no")];
    (unbuffered, Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

impl Listener {
    /// The next event; `None` ends the stream.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.coming.pop_front() {
                return Some(event);
            }
            // Whoever listens connects again, to a server that stays.
            if self.over || self.app.stopping.load(Ordering::Relaxed) {
                return None;
            }
            match self.look().await {
                Ok(()) => {}
                Err(storage::Error::Closed) => return None,
                // Storage tells what ails the database; the next look may be luckier.
                Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "no look"),
            }
            if self.coming.is_empty() && !self.over {
                // A call or not, the next thing is to look.
                let _ = timeout(LOOK, self.called()).await;
            }
        }
    }

    /// Somebody stored something for this desk; or so much was stored for others that it may have been missed.
    async fn called(&mut self) {
        while matches!(self.calls.recv().await, Ok(desk) if desk != self.desk) {}
    }

    async fn look(&mut self) -> storage::Result<()> {
        let (now, after) = (self.app.clock.now(), self.number);
        match &mut self.source {
            Source::Desk { desk, librarian, phones } => {
                let (listening, uid) = (*desk, *librarian);
                let (heard, list) = self
                    .app
                    .db
                    .read(move |tx| -> storage::Result<_> {
                        Ok((phones::scans(tx, listening, after, now)?, phones::of_librarian(tx, uid, now)?))
                    })
                    .await?;
                if phones.as_ref() != Some(&list) {
                    self.coming.push_back(Event::default().event("phones").data("{}"));
                    *phones = Some(list);
                }
                for scan in self.heard(heard) {
                    self.number = scan.number;
                    let told = PhoneScan { id: scan.id, key: scan.key, code: scan.code };
                    self.tell("scan", &told);
                }
            }
            Source::Phone { phone } => {
                let listening = *phone;
                let heard = self.app.db.read(move |tx| phones::answers(tx, listening, after, now)).await?;
                for answer in self.heard(heard) {
                    self.number = answer.number;
                    let told = serde_json::from_str(&answer.answer).unwrap_or_default();
                    self.tell("answer", &PhoneAnswer { key: answer.key, answer: told });
                }
            }
        }
        Ok(())
    }

    fn tell(&mut self, event: &str, data: &impl Serialize) {
        let data = serde_json::to_string(data).unwrap_or_default();
        self.coming.push_back(Event::default().event(event).id(self.number.to_string()).data(data));
    }

    /// What there is to tell, or that it is over and why.
    fn heard<T>(&mut self, heard: Heard<T>) -> Vec<T> {
        let why = match heard {
            Heard::News(news) => return news,
            Heard::Elsewhere => "elsewhere",
            Heard::Ended => "ended",
        };
        self.over = true;
        self.coming.push_back(Event::default().event(why).data("{}"));
        Vec::new()
    }
}
