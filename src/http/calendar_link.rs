//! A reader's secret link to their due dates, for a calendar program.

use axum::{
    Json,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Shared,
    error::{Error, Result},
    session::{SignedIn, hashed, new_token},
};
use crate::{
    domain::moment::rfc3339,
    icalendar::{self, Event},
    message,
    storage::{calendar_links, loans, mail_choices},
};

/// The caller's calendar link, without its address, which is shown only once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarLink {
    /// Time at which the link was made; null without a link.
    #[schema(required, format = DateTime)]
    made_at: Option<String>,
}

/// New calendar link.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewCalendarLink {
    /// Address for the calendar program; shown only once.
    address: String,
    #[schema(format = DateTime)]
    made_at: String,
}

/// Read whether the caller has a calendar link.
#[utoipa::path(get, path = "/me/calendar-link", responses((status = 200, body = CalendarLink)))]
pub async fn read_calendar_link(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<Json<CalendarLink>> {
    let made_at = app.library.db.read(move |tx| calendar_links::made_at(tx, user.uid)).await?;
    Ok(Json(CalendarLink { made_at: made_at.map(rfc3339) }))
}

/// Make a calendar link for the caller's due dates, in place of an earlier link.
#[utoipa::path(post, path = "/me/calendar-link", responses((status = 200, body = NewCalendarLink)))]
pub async fn make_calendar_link(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<Json<NewCalendarLink>> {
    let token = new_token()?;
    let (hash, now) = (hashed(&token), app.library.clock.now());
    app.library.db.write(move |tx| calendar_links::replace(tx, user.uid, &hash, now)).await?;
    let address = format!("{}library/calendar/{token}.ics", app.settings.public_url);
    Ok(Json(NewCalendarLink { address, made_at: rfc3339(now) }))
}

/// End the caller's calendar link.
#[utoipa::path(delete, path = "/me/calendar-link", responses((status = 204)))]
pub async fn end_calendar_link(State(app): State<Shared>, SignedIn(user): SignedIn) -> Result<StatusCode> {
    app.library.db.write(move |tx| calendar_links::end(tx, user.uid)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the due dates of the link's reader as a calendar file; fails with [`Error::NotFound`] if the link has ended
/// or the reader is deactivated.
pub async fn calendar(State(app): State<Shared>, Path(file): Path<String>) -> Result<Response> {
    let token = file.strip_suffix(".ics").ok_or(Error::NotFound)?;
    let (hash, policies) = (hashed(token), app.library.policies.clone());
    let host = app.settings.public_url.host_str().unwrap_or("library").to_owned();
    let found = app.library.db.snapshot(move |tx| -> Result<_> {
        let reader = calendar_links::owner(tx, &hash)?.ok_or(Error::NotFound)?;
        let library = policies.current(tx)?.library.clone();
        let language = mail_choices::of(tx, reader)?.language.unwrap_or(library.language);
        let events = loans::open_of_user(tx, reader)?
            .into_iter()
            .map(|loan| Event {
                uid: format!("loan-{}@{host}", loan.id),
                day: loan.return_date,
                summary: message::calendar_due(&loan.title).text_in(&language),
            })
            .collect::<Vec<_>>();
        let name = match library.name.as_str() {
            "" => message::calendar_name().text_in(&language),
            name => message::calendar_name_of(name).text_in(&language),
        };
        Ok((name, events))
    });
    let (name, events) = found.await?;
    let body = icalendar::file(&name, &events, app.library.clock.now());
    let headers = [
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::CONTENT_DISPOSITION, "inline; filename=\"library.ics\""),
    ];
    Ok((StatusCode::OK, headers, body).into_response())
}
