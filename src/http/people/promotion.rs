//! The end of a batch's year (R-PEOPLE-5).

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{
        account::BATCH,
        id::{ChangeId, UserId},
        person::Person,
        rule::Invalid,
    },
    http::{
        Shared,
        error::Result,
        extract::JsonBody,
        idempotency::{Answer, Once},
        session::SignedIn,
    },
    message,
    people::promotion::{self, Promotion},
    storage::authority::Authority,
};

/// What becomes of a batch at the end of a year.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromotionForm {
    #[serde(default)]
    #[schema(required)]
    from_batch: String,
    /// The batch they go to.
    #[serde(default)]
    to_batch: Option<String>,
    /// They leave instead and are deactivated, but for those who have books or owe something.
    #[serde(default)]
    deactivate: bool,
    /// Deactivates also those who have books or owe something.
    #[serde(default)]
    with_open: bool,
    /// These stay as they are.
    #[serde(default)]
    except: Vec<UserId>,
    /// Only tell whom it would touch.
    #[serde(default)]
    dry_run: bool,
}

/// Whom a promotion touches.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionReport {
    dry_run: bool,
    /// How many people it touches.
    count: usize,
    /// The first 1000 of them.
    people: Vec<Person>,
    /// Who has books or owes something, and so stays active.
    kept: Vec<Person>,
    /// The change that names everybody; null where nothing was done.
    #[schema(required)]
    change: Option<ChangeId>,
}

/// Most people listed in an answer.
const LISTED: usize = 1000;

/// Move a batch on, or let it leave (R-PEOPLE-5).
#[utoipa::path(post, path = "/people/promote", request_body = PromotionForm,
    responses((status = 200, body = PromotionReport)))]
pub async fn promote_batch(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<PromotionForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let from = BATCH.check_as("fromBatch", &form.from_batch, &mut invalid);
    let to = form.to_batch.as_deref().filter(|to| !to.trim().is_empty());
    let to = to.map(|to| BATCH.check_as("toBatch", to, &mut invalid));
    if to.is_some() == form.deactivate {
        invalid.push("toBatch", message::move_or_deactivate());
    }
    if to.as_ref() == Some(&from) {
        invalid.push("toBatch", message::same_batch());
    }
    invalid.refuse_repeats("except", &form.except);
    invalid.or(())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let what = Promotion { from, to, except: form.except, with_open: form.with_open };
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        let mut done = promotion::promote(tx, &authority, moment, &rulebook, &what, form.dry_run)?;
        let count = done.people.len();
        done.people.truncate(LISTED);
        done.kept.truncate(LISTED);
        let report = PromotionReport {
            dry_run: form.dry_run,
            count,
            people: done.people,
            kept: done.kept,
            change: done.change,
        };
        Answer::json(StatusCode::OK, &report)
    })
    .await
}
