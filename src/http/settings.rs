//! What librarians decide (rules, calendar, the library's own settings), and what of it every screen shows.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    App, Shared,
    error::{Error, Result},
    extract::{JsonBody, Query},
    idempotency::{Answer, Once},
    session::SignedIn,
};
use crate::{
    domain::{
        calendar::CalendarForm,
        change::Change,
        id::UserId,
        library::{LANGUAGES, LibrarySettings},
        money::Money,
        rulebook::Rulebook,
        rules::{Rules, STUDENT},
    },
    effect::{self, Effect},
    message,
    people::forgetting,
    storage::{
        Tx,
        events::{self, Entry},
        forget,
        settings::{self, Document},
    },
};

/// Refuses a save on top of a version that the librarian has not seen. Without `If-Match` the last one to save wins.
fn unchanged(headers: &HeaderMap, saved: i64) -> Result<()> {
    match headers.get(header::IF_MATCH) {
        Some(tag) if tag.as_bytes() != etag(saved).as_bytes() && tag.as_bytes() != b"*" => Err(Error::Stale),
        _ => Ok(()),
    }
}

fn etag(saved: i64) -> String {
    format!("\"{saved}\"")
}

/// A document with the `ETag` of its version.
fn versioned(saved: i64, document: &impl Serialize) -> Result<Answer> {
    Answer::json(StatusCode::OK, document)?.with_etag(&etag(saved))
}

/// What holds, for a call that only reads.
async fn rulebook(app: &App) -> Result<std::sync::Arc<Rulebook>> {
    let policies = app.policies.clone();
    app.db.read(move |tx| policies.current(tx)).await.map_err(Error::from)
}

fn record(tx: &mut Tx<'_>, at: i64, by: UserId, change: Change) -> Result<()> {
    events::record(tx, at, Some(by), &Entry { person: None, book: None, copy: None, change })?;
    Ok(())
}

/// Which version of the rules.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RulesQuery {
    /// The day on which they hold; without it, the version saved last, which may begin later than today.
    #[param(value_type = Option<String>, format = Date)]
    on: Option<Date>,
}

/// The rules, the version saved last or that of a day.
#[utoipa::path(get, path = "/settings/rules", params(RulesQuery),
    responses((status = 200, body = Rules, headers(("ETag" = String)))))]
pub async fn read_rules(State(app): State<Shared>, Query(query): Query<RulesQuery>) -> Result<Answer> {
    let rulebook = rulebook(&app).await?;
    let rules = query.on.map_or_else(|| rulebook.history.newest(), |day| rulebook.on(day));
    versioned(rulebook.saved.rules, rules)
}

/// Save a version of the rules (R-RULE-3), and cut due dates to a new day all books are due back (R-RULE-6).
#[utoipa::path(put, path = "/settings/rules", params(("If-Match" = Option<String>, Header)), request_body = Rules,
    responses((status = 200, body = Rules, headers(("ETag" = String)))))]
pub async fn save_rules(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    headers: HeaderMap,
    once: Once,
    JsonBody(rules): JsonBody<Rules>,
) -> Result<Answer> {
    let (now, today, by) = (app.clock.now(), app.clock.today(), admin.uid);
    let mut rules = rules.checked(today)?;
    let first_day = *rules.effective_from.get_or_insert(today);
    let policies = app.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.rules)?;
        let saved = settings::save(tx, Document::Rules(first_day, &rules), now, by)?;
        let change = Change::RulesChanged {
            before: Box::new(before.history.newest().clone()),
            after: Box::new(rules.clone()),
        };
        record(tx, now, by, change)?;
        let after = before.with_rules(first_day, rules.clone());
        effect::move_due_dates(tx, now, today, by, &before, &after)?;
        versioned(saved, &rules)
    })
    .await
}

/// What these rules would do to the loans that are open (R-RULE-5). Nothing is saved.
#[utoipa::path(post, path = "/settings/rules/preview", request_body = Rules, responses((status = 200, body = Effect)))]
pub async fn preview_rules(
    State(app): State<Shared>,
    JsonBody(rules): JsonBody<Rules>,
) -> Result<axum::Json<Effect>> {
    let today = app.clock.today();
    let rules = rules.checked(today)?;
    let policies = app.policies.clone();
    let effect = app.db.snapshot(move |tx| {
        let before = policies.current(tx)?;
        let after = before.with_rules(rules.effective_from.unwrap_or(today), rules);
        effect::of_change(tx, today, &before, &after)
    });
    Ok(axum::Json(effect.await.map_err(Error::from)?))
}

/// The days on which the library is closed (R-RULE-4).
#[utoipa::path(get, path = "/settings/calendar",
    responses((status = 200, body = CalendarForm, headers(("ETag" = String)))))]
pub async fn read_calendar(State(app): State<Shared>) -> Result<Answer> {
    let rulebook = rulebook(&app).await?;
    versioned(rulebook.saved.calendar, rulebook.calendar.form())
}

/// Save the calendar; due dates of open loans that fall on a day closed now move to the next open day.
#[utoipa::path(put, path = "/settings/calendar", params(("If-Match" = Option<String>, Header)), request_body = CalendarForm,
    responses((status = 200, body = CalendarForm, headers(("ETag" = String)))))]
pub async fn save_calendar(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    headers: HeaderMap,
    once: Once,
    JsonBody(form): JsonBody<CalendarForm>,
) -> Result<Answer> {
    let calendar = form.checked()?;
    let (now, today, by) = (app.clock.now(), app.clock.today(), admin.uid);
    let policies = app.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.calendar)?;
        let saved = settings::save(tx, Document::Calendar(calendar.form()), now, by)?;
        let change = Change::CalendarChanged {
            before: before.calendar.form().clone(),
            after: calendar.form().clone(),
        };
        record(tx, now, by, change)?;
        let after = before.with_calendar(calendar);
        effect::move_due_dates(tx, now, today, by, &before, &after)?;
        versioned(saved, after.calendar.form())
    })
    .await
}

/// What this calendar would do to the loans that are open. Nothing is saved.
#[utoipa::path(post, path = "/settings/calendar/preview", request_body = CalendarForm,
    responses((status = 200, body = Effect)))]
pub async fn preview_calendar(
    State(app): State<Shared>,
    JsonBody(form): JsonBody<CalendarForm>,
) -> Result<axum::Json<Effect>> {
    let calendar = form.checked()?;
    let today = app.clock.today();
    let policies = app.policies.clone();
    let effect = app.db.snapshot(move |tx| {
        let before = policies.current(tx)?;
        let after = before.with_calendar(calendar);
        effect::of_change(tx, today, &before, &after)
    });
    Ok(axum::Json(effect.await.map_err(Error::from)?))
}

/// The library's own settings.
#[utoipa::path(get, path = "/settings/library",
    responses((status = 200, body = LibrarySettings, headers(("ETag" = String)))))]
pub async fn read_library(State(app): State<Shared>) -> Result<Answer> {
    let rulebook = rulebook(&app).await?;
    versioned(rulebook.saved.library, &rulebook.library)
}

/// Save the library's own settings.
#[utoipa::path(put, path = "/settings/library", params(("If-Match" = Option<String>, Header)), request_body = LibrarySettings,
    responses((status = 200, body = LibrarySettings, headers(("ETag" = String)))))]
pub async fn save_library(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    headers: HeaderMap,
    once: Once,
    JsonBody(library): JsonBody<LibrarySettings>,
) -> Result<Answer> {
    let library = library.checked()?;
    let (now, by) = (app.clock.now(), admin.uid);
    let policies = app.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.library)?;
        let saved = settings::save(tx, Document::Library(&library), now, by)?;
        let change = Change::SettingsChanged {
            before: Box::new(before.library.clone()),
            after: Box::new(library.clone()),
        };
        record(tx, now, by, change)?;
        versioned(saved, &library)
    })
    .await
}

/// What these settings would do: of how many loans it would be forgotten tonight who had them (R-PEOPLE-10). Nothing is
/// saved.
#[utoipa::path(post, path = "/settings/library/preview", request_body = LibrarySettings,
    responses((status = 200, body = Effect)))]
pub async fn preview_library(
    State(app): State<Shared>,
    JsonBody(library): JsonBody<LibrarySettings>,
) -> Result<axum::Json<Effect>> {
    let library = library.checked()?;
    let (clock, policies) = (app.clock.clone(), app.policies.clone());
    let effect = app.db.snapshot(move |tx| -> Result<Effect> {
        let before = policies.current(tx)?;
        if library.forget_after_months == before.library.forget_after_months {
            return Ok(Effect::default());
        }
        let after = Rulebook { library, ..(*before).clone() };
        let Some(cutoff) = forgetting::before(&clock, &after) else { return Ok(Effect::default()) };
        // It is forgotten in the first hours of tomorrow.
        let loans = forget::count(tx, cutoff)?;
        Ok(Effect {
            summary: vec![message::effect_forgets(loans)],
            forgets: Some(loans),
            ..Effect::default()
        })
    });
    Ok(axum::Json(effect.await?))
}

/// What every screen shows (R-RULE-8). Rules are those of students, today.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// What the library is called; may be empty.
    name: String,
    /// The currency's sign.
    currency: String,
    /// The currency's ISO 4217 code.
    currency_code: String,
    /// The languages of the screens.
    #[schema(value_type = Vec<String>)]
    languages: &'static [&'static str],
    /// The language for whoever has chosen none.
    language: String,
    loan_days: i64,
    renewal_days: i64,
    fine_per_day: Money,
    grace_days: i64,
    #[schema(required)]
    max_fine: Option<Money>,
    #[schema(required)]
    max_loans: Option<i64>,
    #[schema(required)]
    max_renewals: Option<i64>,
    /// What students may do by themselves.
    self_borrow: bool,
    self_return: bool,
    self_renew: bool,
    /// The classes that may be chosen at registration.
    batches: Vec<String>,
    /// Departments that are suggested.
    departments: Vec<String>,
    /// The day it is in the library.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// The library's time zone (IANA name).
    time_zone: String,
}

/// What every screen shows.
#[utoipa::path(get, path = "/config", responses((status = 200, body = Config)))]
pub async fn read_config(State(app): State<Shared>) -> Result<axum::Json<Config>> {
    let rulebook = rulebook(&app).await?;
    let today = app.clock.today();
    let (library, rules, student) =
        (rulebook.library.clone(), rulebook.on(today), rulebook.policy(STUDENT, today));
    Ok(axum::Json(Config {
        name: library.name,
        currency: library.currency,
        currency_code: library.currency_code,
        languages: LANGUAGES,
        language: library.language,
        loan_days: student.loan_days,
        renewal_days: student.renewal_days,
        fine_per_day: student.fine_per_day,
        grace_days: student.grace_days,
        max_fine: student.max_fine,
        max_loans: student.max_loans,
        max_renewals: student.max_renewals,
        self_borrow: rules.self_borrow,
        self_return: rules.self_return,
        self_renew: rules.self_renew,
        batches: library.batches,
        departments: library.departments,
        today,
        time_zone: app.clock.zone_name().to_owned(),
    }))
}
