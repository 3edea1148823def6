//! Mails as librarians see them: queued, sent, failed with the reason, and stopped.

use axum::{extract::State, http::StatusCode};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, Nothing, OptionalJsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    domain::{
        id::{MailId, UserId},
        mail::{Channel, State as MailState},
        moment::rfc3339,
    },
    jobs::{Planned, planned},
    mail::PATIENCE,
    message::Message,
    storage::{
        self, Tx,
        mails::{self, Choice, Counts, Listed, Trouble},
        notices, settings,
    },
};

/// Filters and page of the list of mails.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MailQuery {
    /// Only mails in this state.
    state: Option<MailState>,
    /// Only mails to this person.
    #[param(value_type = Option<i64>)]
    person: Option<UserId>,
    /// Maximum number of mails, 1 to 100.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Mail in the list of the last thirty days.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailItem {
    id: MailId,
    /// Recipient; null if the recipient is not a person of the library.
    #[schema(required)]
    person: Option<UserId>,
    /// Name of the recipient.
    #[schema(required)]
    name: Option<String>,
    channel: Channel,
    kind: String,
    /// Email address, or the phone number of a text message.
    address: String,
    subject: String,
    state: MailState,
    #[schema(format = DateTime)]
    created_at: String,
    /// Next try of a queued mail.
    #[schema(required, format = DateTime)]
    next_try: Option<String>,
    /// Time at which the mail was sent, failed or was stopped.
    #[schema(required, format = DateTime)]
    ended_at: Option<String>,
    tries: i64,
    /// The mail server's last reply.
    #[schema(required)]
    reason: Option<Message>,
    /// Name of the librarian that stopped the mail.
    #[schema(required)]
    stopped_by: Option<String>,
    /// True if the mail can be sent again; a mail with a secret cannot.
    can_send_again: bool,
}

impl From<Listed> for MailItem {
    fn from(mail: Listed) -> Self {
        let ended = matches!(mail.state, MailState::Failed | MailState::Stopped);
        Self {
            id: mail.id,
            person: mail.person,
            name: mail.name,
            channel: mail.channel,
            kind: mail.kind,
            address: mail.address,
            subject: mail.subject,
            state: mail.state,
            created_at: rfc3339(mail.created_at),
            next_try: (mail.state == MailState::Queued).then(|| rfc3339(mail.not_before)),
            ended_at: mail.ended_at.map(rfc3339),
            tries: mail.tries,
            reason: mail.reason,
            stopped_by: mail.stopped_by,
            can_send_again: ended && mail.again,
        }
    }
}

/// Failure that keeps all mails, or all text messages, from being sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailTrouble {
    channel: Channel,
    #[schema(format = DateTime)]
    since: String,
    #[schema(format = DateTime)]
    next_try: String,
    #[schema(required)]
    reason: Option<Message>,
}

impl From<Trouble> for MailTrouble {
    fn from(trouble: Trouble) -> Self {
        let Trouble { channel, since, until, reason, .. } = trouble;
        Self { channel, since: rfc3339(since), next_try: rfc3339(until), reason }
    }
}

/// Number of mails per state.
#[derive(Serialize, ToSchema)]
pub struct MailCounts {
    queued: i64,
    sent: i64,
    failed: i64,
    stopped: i64,
}

/// Notices that wait for the end of the quiet hours.
#[derive(Serialize, ToSchema)]
pub struct QuietNow {
    /// Hour at which the quiet hours end, in the library's time zone.
    #[schema(minimum = 0, maximum = 23)]
    until: i64,
    /// Number of notices that wait; some may turn out not to be mailed.
    waiting: i64,
}

/// Failed mails of a day.
#[derive(Serialize, ToSchema)]
pub struct FailedDay {
    /// Day in the library's time zone.
    #[schema(value_type = String, format = Date)]
    day: Date,
    /// Number of mails that failed on this day and can be sent again.
    count: i64,
}

/// Page of mails, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailList {
    /// False while no mail server is configured.
    on: bool,
    /// False while no gateway of text messages is configured.
    texts_on: bool,
    mails: Vec<MailItem>,
    counts: MailCounts,
    #[schema(required)]
    trouble: Option<MailTrouble>,
    #[schema(required)]
    text_trouble: Option<MailTrouble>,
    /// Null outside the quiet hours, and while the library mails no notices.
    #[schema(required)]
    quiet: Option<QuietNow>,
    /// Days with failed mails, newest first, in a list of failed mails; otherwise empty.
    failed_days: Vec<FailedDay>,
    /// Cursor of the next page; null on the last one.
    #[schema(required)]
    next: Option<String>,
}

/// Default number of mails on a page.
const PAGE: i64 = 50;

/// List the mails of the last thirty days.
#[utoipa::path(get, path = "/mails", params(MailQuery), responses((status = 200, body = MailList)))]
pub async fn list_mails(
    State(app): State<Shared>,
    Query(query): Query<MailQuery>,
) -> Result<axum::Json<MailList>> {
    let limit = page::length(query.limit, PAGE)?;
    let before = page::place::<i64>(query.cursor.as_deref())?.unwrap_or(i64::MAX);
    let choice = Choice { state: query.state, person: query.person };
    let hour = app.library.clock.hour_of(app.library.clock.now());
    let [on, texts_on] = [app.settings.post.mail.is_some(), app.settings.post.texts.is_some()];
    let clock = app.library.clock.clone();
    let list = app.library.db.snapshot(move |tx| -> Result<MailList> {
        let mut failed_days: Vec<FailedDay> = Vec::new();
        let failures =
            if choice.state == Some(MailState::Failed) { mails::failures(tx)? } else { Vec::new() };
        for (stretch, failed) in failures {
            let day = clock.day_of(stretch * mails::STRETCH);
            match failed_days.last_mut().filter(|last| last.day == day) {
                Some(last) => last.count += failed,
                None => failed_days.push(FailedDay { day, count: failed }),
            }
        }
        let mut found = mails::page(tx, &choice, before, limit + 1)?;
        let length = usize::try_from(limit).unwrap_or_default();
        let goes_on = found.len() > length;
        found.truncate(length);
        let next = found.last().filter(|_| goes_on).map(|mail| page::cursor(&mail.id.0));
        let Counts { queued, sent, failed, stopped, .. } = mails::counts(tx)?;
        Ok(MailList {
            on,
            texts_on,
            mails: found.into_iter().map(Into::into).collect(),
            counts: MailCounts { queued, sent, failed, stopped },
            trouble: mails::trouble(tx, Channel::Mail)?.map(Into::into),
            text_trouble: mails::trouble(tx, Channel::Text)?.map(Into::into),
            quiet: quiet_now(tx, hour)?,
            failed_days,
            next,
        })
    });
    Ok(axum::Json(list.await?))
}

fn quiet_now(tx: &mut Tx<'_>, hour: i64) -> Result<Option<QuietNow>> {
    let settings = settings::notices(tx)?;
    match settings.quiet {
        Some(quiet) if settings.by_mail && quiet.include(hour) => {
            Ok(Some(QuietNow { until: quiet.to, waiting: notices::count_quiet(tx)? }))
        }
        _ => Ok(None),
    }
}

/// Reminder mail planned for tomorrow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedMail {
    person: UserId,
    /// Name of the reader, also for a mail to the guardian.
    name: String,
    to_guardian: bool,
    channel: Channel,
    /// Email address, or the phone number of a text message.
    address: String,
    /// Lines of the mail.
    lines: Vec<Message>,
}

/// Person without an address or a phone for a reminder.
#[derive(Serialize, ToSchema)]
pub struct UnreachablePerson {
    person: UserId,
    name: String,
}

/// Reminder mails planned for tomorrow, as of now.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailPlan {
    #[schema(value_type = String, format = Date)]
    day: Date,
    /// Hour at which the mails are sent, in the library's time zone.
    hour: i64,
    /// False while the library mails no notices; these mails are then not sent.
    by_mail: bool,
    /// Number of mails.
    count: i64,
    /// Number of reminders that cannot be sent, because the library knows no confirmed address and no phone.
    without_address: i64,
    /// The first ten people with such reminders.
    unreachable: Vec<UnreachablePerson>,
    /// The first ten of these mails.
    first: Vec<PlannedMail>,
}

/// Preview the reminder mails planned for tomorrow. Sends nothing.
#[utoipa::path(get, path = "/mails/tomorrow", responses((status = 200, body = MailPlan)))]
pub async fn preview_mails(State(app): State<Shared>) -> Result<axum::Json<MailPlan>> {
    let clock = app.library.clock.clone();
    let tomorrow = clock.today().tomorrow().map_err(|error| Error::Internal(error.into()))?;
    let post = app.settings.post.clone();
    let planned = app.library.db.snapshot(move |tx| {
        let planned = planned(tx, tomorrow, |channel| post.has(channel))?;
        Ok::<_, storage::Error>((settings::notices(tx)?, planned))
    });
    let (settings, planned) = planned.await?;
    let Planned { mails, mut without_address } = planned;
    let reminders = without_address.len();
    // A reader's own reminder and the guardian's follow each other.
    without_address.dedup_by_key(|(person, _)| *person);
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Ok(axum::Json(MailPlan {
        day: tomorrow,
        hour: settings.mail_hour,
        by_mail: settings.by_mail,
        count: number(mails.len()),
        without_address: number(reminders),
        unreachable: without_address
            .into_iter()
            .take(SHOWN)
            .map(|(person, name)| UnreachablePerson { person, name })
            .collect(),
        first: mails
            .into_iter()
            .take(SHOWN)
            .map(|mail| PlannedMail {
                person: mail.person,
                name: mail.name,
                to_guardian: mail.to_guardian,
                channel: mail.channel,
                address: mail.address,
                lines: mail.lines,
            })
            .collect(),
    }))
}

/// Maximum number of planned mails, and of people without an address, in a preview.
const SHOWN: usize = 10;

/// Stop a queued mail. A mail that is being sent at this moment may still arrive; a sent, failed or stopped mail does
/// not change.
#[utoipa::path(post, path = "/mails/{id}/stop", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn stop_mail(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(id): Id<MailId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        let (state, _) = mails::lock(tx, id)?.ok_or(Error::NotFound)?;
        if state == MailState::Queued {
            mails::stop(tx, id, librarian.uid, now)?;
        }
        Ok(Answer::empty())
    })
    .await
}

/// Send a failed or stopped mail again; a queued or sent mail does not change.
#[utoipa::path(post, path = "/mails/{id}/again", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn send_mail_again(
    State(app): State<Shared>,
    Id(id): Id<MailId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        let (state, has_words) = mails::lock(tx, id)?.ok_or(Error::NotFound)?;
        if matches!(state, MailState::Failed | MailState::Stopped) {
            // The text of a mail with a secret was deleted: the person must request another mail.
            if !has_words {
                return Err(Error::NotFound);
            }
            mails::again(tx, id, now, now + PATIENCE)?;
        }
        Ok(Answer::empty())
    })
    .await
}

/// Day whose failed mails are sent again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedDayForm {
    /// Day in the library's time zone.
    #[schema(value_type = String, format = Date)]
    day: Date,
}

/// Number of mails that wait to be sent again.
#[derive(Serialize, ToSchema)]
pub struct SentAgain {
    count: u64,
}

/// Send all mails again that failed on a day, except those with a secret.
#[utoipa::path(post, path = "/mails/again", request_body = FailedDayForm, responses((status = 200, body = SentAgain)))]
pub async fn send_failed_mails_again(
    State(app): State<Shared>,
    once: Once,
    JsonBody(FailedDayForm { day }): JsonBody<FailedDayForm>,
) -> Result<Answer> {
    let clock = app.library.clock.clone();
    // No mail fails on the last day of the calendar.
    let next = day.tomorrow().unwrap_or(day);
    let (now, of_day) = (clock.now(), (clock.begin_of(day), clock.begin_of(next)));
    app.once(once, move |tx| {
        let count = mails::all_again(tx, of_day, now, now + PATIENCE)?;
        Answer::json(StatusCode::OK, &SentAgain { count })
    })
    .await
}
