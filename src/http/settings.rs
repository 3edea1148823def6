//! Settings that librarians save (rules, calendar, notices, the library's own), and the settings that every screen
//! shows.

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
        change::SettingsChange,
        id::UserId,
        library::{LANGUAGES, LibrarySettings},
        notice::NoticeSettings,
        rulebook::Rulebook,
        rules::{Rules, STUDENT},
    },
    effect::{self, Effect},
    message,
    money::Money,
    people::forgetting,
    storage::{
        Tx,
        events::{self, Entry},
        forget,
        settings::{self, Document},
    },
};

/// Refuses a save over a version that the librarian has not seen. Without `If-Match` the last save wins.
pub(super) fn unchanged(headers: &HeaderMap, saved: i64) -> Result<()> {
    match headers.get(header::IF_MATCH) {
        Some(tag) if tag.as_bytes() != etag(saved).as_bytes() && tag.as_bytes() != b"*" => Err(Error::Stale),
        _ => Ok(()),
    }
}

fn etag(saved: i64) -> String {
    format!("\"{saved}\"")
}

/// Builds the response with a document and the `ETag` of its version.
pub(super) fn versioned(saved: i64, document: &impl Serialize) -> Result<Answer> {
    Answer::json(StatusCode::OK, document)?.with_etag(&etag(saved))
}

/// Returns the current rulebook, for a call that only reads.
async fn rulebook(app: &App) -> Result<std::sync::Arc<Rulebook>> {
    let policies = app.library.policies.clone();
    app.library.db.read(move |tx| policies.current(tx)).await.map_err(Error::from)
}

pub(super) fn record(tx: &mut Tx<'_>, at: i64, by: UserId, change: SettingsChange) -> Result<()> {
    events::record(tx, at, Some(by), &Entry { person: None, book: None, copy: None, change: change.into() })?;
    Ok(())
}

/// Choice of a version of the rules.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RulesQuery {
    /// Day whose rules are read; by default the version saved last, which may begin later than today.
    #[param(value_type = Option<String>, format = Date)]
    on: Option<Date>,
}

/// Read the rules: the version saved last, or the version of a day.
#[utoipa::path(get, path = "/settings/rules", params(RulesQuery),
    responses((status = 200, body = Rules, headers(("ETag" = String)))))]
pub async fn read_rules(State(app): State<Shared>, Query(query): Query<RulesQuery>) -> Result<Answer> {
    let rulebook = rulebook(&app).await?;
    let rules = query.on.map_or_else(|| rulebook.history.newest(), |day| rulebook.on(day));
    versioned(rulebook.saved.rules, rules)
}

/// Save a version of the rules (R-RULE-3), and shorten loans that end after a new day on which all books are due
/// (R-RULE-6).
#[utoipa::path(put, path = "/settings/rules", params(("If-Match" = Option<String>, Header)), request_body = Rules,
    responses((status = 200, body = Rules, headers(("ETag" = String)))))]
pub async fn save_rules(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    headers: HeaderMap,
    once: Once,
    JsonBody(rules): JsonBody<Rules>,
) -> Result<Answer> {
    let (now, today, by) = (app.library.clock.now(), app.library.clock.today(), admin.uid);
    let mut rules = rules.checked(today)?;
    let first_day = *rules.effective_from.get_or_insert(today);
    let policies = app.library.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.rules)?;
        let saved = settings::save(tx, Document::Rules(first_day, &rules), now, by)?;
        let change = SettingsChange::RulesChanged {
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

/// Preview the effect of these rules on open loans (R-RULE-5). Saves nothing.
#[utoipa::path(post, path = "/settings/rules/preview", request_body = Rules, responses((status = 200, body = Effect)))]
pub async fn preview_rules(
    State(app): State<Shared>,
    JsonBody(rules): JsonBody<Rules>,
) -> Result<axum::Json<Effect>> {
    let today = app.library.clock.today();
    let rules = rules.checked(today)?;
    let policies = app.library.policies.clone();
    let effect = app.library.db.snapshot(move |tx| {
        let before = policies.current(tx)?;
        let after = before.with_rules(rules.effective_from.unwrap_or(today), rules);
        effect::of_change(tx, today, &before, &after)
    });
    Ok(axum::Json(effect.await.map_err(Error::from)?))
}

/// Read the days on which the library is closed (R-RULE-4).
#[utoipa::path(get, path = "/settings/calendar",
    responses((status = 200, body = CalendarForm, headers(("ETag" = String)))))]
pub async fn read_calendar(State(app): State<Shared>) -> Result<Answer> {
    let rulebook = rulebook(&app).await?;
    versioned(rulebook.saved.calendar, rulebook.calendar.form())
}

/// Save the calendar; due dates of open loans on a newly closed day move to the next open day.
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
    let (now, today, by) = (app.library.clock.now(), app.library.clock.today(), admin.uid);
    let policies = app.library.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.calendar)?;
        let saved = settings::save(tx, Document::Calendar(calendar.form()), now, by)?;
        let change = SettingsChange::CalendarChanged {
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

/// Preview the effect of this calendar on open loans. Saves nothing.
#[utoipa::path(post, path = "/settings/calendar/preview", request_body = CalendarForm,
    responses((status = 200, body = Effect)))]
pub async fn preview_calendar(
    State(app): State<Shared>,
    JsonBody(form): JsonBody<CalendarForm>,
) -> Result<axum::Json<Effect>> {
    let calendar = form.checked()?;
    let today = app.library.clock.today();
    let policies = app.library.policies.clone();
    let effect = app.library.db.snapshot(move |tx| {
        let before = policies.current(tx)?;
        let after = before.with_calendar(calendar);
        effect::of_change(tx, today, &before, &after)
    });
    Ok(axum::Json(effect.await.map_err(Error::from)?))
}

/// Read the library's own settings.
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
    let (now, by) = (app.library.clock.now(), admin.uid);
    let policies = app.library.policies.clone();
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let before = policies.current(tx)?;
        unchanged(&headers, before.saved.library)?;
        let saved = settings::save(tx, Document::Library(&library), now, by)?;
        let change = SettingsChange::SettingsChanged {
            before: Box::new(before.library.clone()),
            after: Box::new(library.clone()),
        };
        record(tx, now, by, change)?;
        versioned(saved, &library)
    })
    .await
}

/// Read the settings of automatic notices.
#[utoipa::path(get, path = "/settings/notices",
    responses((status = 200, body = NoticeSettings, headers(("ETag" = String)))))]
pub async fn read_notices(State(app): State<Shared>) -> Result<Answer> {
    let (saved, notices) = app.library.db.read(settings::saved_notices).await?;
    versioned(saved, &notices)
}

/// Save the settings of automatic notices.
#[utoipa::path(put, path = "/settings/notices", params(("If-Match" = Option<String>, Header)), request_body = NoticeSettings,
    responses((status = 200, body = NoticeSettings, headers(("ETag" = String)))))]
pub async fn save_notices(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    headers: HeaderMap,
    once: Once,
    JsonBody(notices): JsonBody<NoticeSettings>,
) -> Result<Answer> {
    let notices = notices.checked()?;
    let (now, by) = (app.library.clock.now(), admin.uid);
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let (saved, before) = settings::saved_notices(tx)?;
        unchanged(&headers, saved)?;
        let saved = settings::save(tx, Document::Notices(&notices), now, by)?;
        record(tx, now, by, SettingsChange::NoticesChanged { before, after: notices.clone() })?;
        versioned(saved, &notices)
    })
    .await
}

/// Preview the effect of these settings: the number of past loans whose readers' names would be erased tonight
/// (R-PEOPLE-10). Saves nothing.
#[utoipa::path(post, path = "/settings/library/preview", request_body = LibrarySettings,
    responses((status = 200, body = Effect)))]
pub async fn preview_library(
    State(app): State<Shared>,
    JsonBody(library): JsonBody<LibrarySettings>,
) -> Result<axum::Json<Effect>> {
    let library = library.checked()?;
    let (clock, policies) = (app.library.clock.clone(), app.library.policies.clone());
    let effect = app.library.db.snapshot(move |tx| -> Result<Effect> {
        let before = policies.current(tx)?;
        if library.forget_after_months == before.library.forget_after_months {
            return Ok(Effect::default());
        }
        let after = Rulebook { library, ..(*before).clone() };
        let Some(cutoff) = forgetting::before(&clock, &after) else { return Ok(Effect::default()) };
        // Counts with today's cutoff, although the names are erased in the first hours of tomorrow.
        let loans = forget::count(tx, cutoff)?;
        Ok(Effect {
            summary: vec![message::effect_forgets(loans)],
            forgets: Some(loans),
            ..Effect::default()
        })
    });
    Ok(axum::Json(effect.await?))
}

/// Settings that every screen shows (R-RULE-8). The rules are those of students, as of today.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Config {
    /// Name of the library; may be empty.
    name: String,
    /// Address of the library, printed on receipts; may be empty.
    address: String,
    /// A line at the end of receipts; may be empty.
    on_receipts: String,
    /// Address for payments by UPI; may be empty.
    upi_address: String,
    /// The currency's sign.
    currency: String,
    /// The currency's ISO 4217 code.
    currency_code: String,
    /// The languages of the screens.
    #[schema(value_type = Vec<String>)]
    languages: &'static [&'static str],
    /// Language for users who have chosen none.
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
    /// True if students may borrow without the desk.
    self_borrow: bool,
    self_return: bool,
    self_renew: bool,
    /// Batches offered at registration.
    batches: Vec<String>,
    /// Suggested departments.
    departments: Vec<String>,
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Last day before today on which the library was open; returns from the book drop count on that day.
    #[schema(required, value_type = Option<String>, format = Date)]
    last_open_day: Option<Date>,
    /// The library's time zone (IANA name).
    time_zone: String,
    /// True if an ISBN can be looked up in other catalogues.
    isbn_look_up: bool,
}

/// Read the settings that every screen shows.
#[utoipa::path(get, path = "/config", responses((status = 200, body = Config)))]
pub async fn read_config(State(app): State<Shared>) -> Result<axum::Json<Config>> {
    let rulebook = rulebook(&app).await?;
    let today = app.library.clock.today();
    let (library, rules, student) =
        (rulebook.library.clone(), rulebook.on(today), rulebook.policy(STUDENT, today));
    Ok(axum::Json(Config {
        name: library.name,
        address: library.address,
        on_receipts: library.on_receipts,
        upi_address: library.upi_address,
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
        last_open_day: today.yesterday().ok().and_then(|day| rulebook.calendar.previous_open(day)),
        time_zone: app.library.clock.zone_name().to_owned(),
        isbn_look_up: app.settings.isbn_sources.is_some(),
    }))
}
