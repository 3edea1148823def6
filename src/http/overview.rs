//! Librarian's home: the first steps of a new library, and the day's work.

use std::sync::Arc;

use axum::extract::State;
use jiff::{ToSpan as _, civil::Date};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    App, Shared,
    error::{Error, Result},
    extract::{JsonBody, Nothing, OptionalJsonBody},
    idempotency::{Answer, Once},
    mails::MailTrouble,
};
use crate::{
    domain::{mail::Channel, rulebook::Rulebook},
    storage::{
        copies, loans, mails,
        overview::{self, Mark, Steps},
    },
};

/// First step of a new library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// The library has a name.
    Name,
    /// Rules and calendar were saved.
    Rules,
    /// The catalogue has a book.
    Books,
    /// The library has a person who is not a librarian.
    People,
    /// Labels or cards were printed.
    Print,
    /// A book was lent.
    Lend,
}

/// First step, and whether the library's records show it as done.
#[derive(Serialize, ToSchema)]
pub struct FirstStep {
    step: Step,
    done: bool,
}

/// Last daily backup, if it is more than two days old.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LateBackup {
    /// Day of the last backup; null if there is none.
    #[schema(required, value_type = Option<String>, format = Date)]
    last_on: Option<Date>,
}

/// First steps and the day's work.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// First steps in their order; null once all are done or the list is hidden.
    #[schema(required)]
    steps: Option<Vec<FirstStep>>,
    /// Number of overdue loans.
    overdue: i64,
    /// Number of loans due today.
    due_today: i64,
    /// Number of copies to shelve.
    to_shelve: i64,
    /// Number of ready holds whose last day is today.
    holds_ending: i64,
    /// Number of missing copies.
    missing: i64,
    /// Day on which the earliest of the missing copies went missing; null if none is known.
    #[schema(required, value_type = Option<String>, format = Date)]
    missing_since: Option<Date>,
    /// Set if the server makes daily backups and the last one is more than two days old.
    #[schema(required)]
    late_backup: Option<LateBackup>,
    /// Set if sending mails or text messages has failed for an hour or longer.
    #[schema(required)]
    mail_trouble: Option<MailTrouble>,
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    today: Date,
}

fn first_steps(found: Steps, rulebook: &Rulebook) -> Option<Vec<FirstStep>> {
    let steps = [
        (Step::Name, !rulebook.library.name.is_empty()),
        (Step::Rules, rulebook.saved.rules > 0 && rulebook.saved.calendar > 0),
        (Step::Books, found.books),
        (Step::People, found.people),
        (Step::Print, found.printed),
        (Step::Lend, found.lent),
    ];
    let shown = !found.hidden && steps.iter().any(|(_, done)| !done);
    shown.then(|| steps.into_iter().map(|(step, done)| FirstStep { step, done }).collect())
}

/// Returns a late backup if the last backup is more than two days old, or if the library has none although it lent
/// books more than two days ago.
async fn late_backup(app: &App, today: Date) -> Result<Option<LateBackup>> {
    if app.backups.daily().is_none() {
        return Ok(None);
    }
    let backups = Arc::clone(&app.backups);
    let last_on = tokio::task::spawn_blocking(move || backups.last())
        .await
        .map_err(|error| Error::Internal(error.into()))?;
    let Ok(limit) = today.checked_sub(2.days()) else { return Ok(None) };
    let late = match last_on {
        Some(day) => day < limit,
        // Without any backup, the first one is late only if the library lent before the limit: a new library may still
        // wait for its first backup.
        None => app.library.db.read(move |tx| overview::lent_before(tx, limit)).await.map_err(Error::from)?,
    };
    Ok(late.then_some(LateBackup { last_on }))
}

/// Duration of a mail failure after which librarians see it, in milliseconds.
const MAIL_TROUBLE: i64 = 60 * 60 * 1000;

/// Read the first steps of a new library, and the day's work.
#[utoipa::path(get, path = "/overview", responses((status = 200, body = Overview)))]
pub async fn read_overview(State(app): State<Shared>) -> Result<axum::Json<Overview>> {
    let (clock, policies) = (app.library.clock.clone(), app.library.policies.clone());
    let (today, now, post) = (clock.today(), clock.now(), app.settings.post.clone());
    let late_backup = late_backup(&app, today).await?;
    let read = app.library.db.snapshot(move |tx| -> Result<Overview> {
        let rulebook = policies.current(tx)?;
        let work = overview::work(tx, today)?;
        let mut trouble = None;
        for channel in Channel::ALL.into_iter().filter(|channel| post.has(*channel)) {
            let found = mails::trouble(tx, channel)?;
            trouble = trouble.or(found.filter(|found| now - found.since >= MAIL_TROUBLE));
        }
        Ok(Overview {
            steps: first_steps(overview::steps(tx)?, &rulebook),
            overdue: loans::overdue_count(tx, today)?,
            due_today: work.due_today,
            to_shelve: copies::count_to_shelve(tx)?,
            holds_ending: work.holds_ending,
            missing: work.missing,
            missing_since: work.missing_since.map(|at| clock.day_of(at)),
            late_backup,
            mail_trouble: trouble.map(Into::into),
            today,
        })
    });
    Ok(axum::Json(read.await?))
}

/// Visibility of the first steps.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StepsForm {
    shown: bool,
}

/// Hide the first steps for all librarians, or show them again.
#[utoipa::path(put, path = "/overview/steps", request_body = StepsForm, responses((status = 204)))]
pub async fn show_steps(
    State(app): State<Shared>,
    once: Once,
    JsonBody(form): JsonBody<StepsForm>,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        if form.shown {
            overview::clear(tx, Mark::Hidden)?;
        } else {
            overview::set(tx, Mark::Hidden, now)?;
        }
        Ok(Answer::empty())
    })
    .await
}

/// Record that labels or cards were printed, which completes a first step.
#[utoipa::path(post, path = "/overview/printed", responses((status = 204)))]
pub async fn note_printed(
    State(app): State<Shared>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        overview::set(tx, Mark::Printed, now)?;
        Ok(Answer::empty())
    })
    .await
}
