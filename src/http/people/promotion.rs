//! Year's end: a batch moves up or leaves (R-PEOPLE-5).

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    circulation::BlockShown,
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

/// Promotion of a batch at year's end.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the fields of a form")]
pub struct PromotionForm {
    #[serde(default)]
    #[schema(required)]
    from_batch: String,
    /// New batch; omitted with `deactivate`.
    #[serde(default)]
    to_batch: Option<String>,
    /// True if the batch leaves instead: its people without open loans or dues are deactivated.
    #[serde(default)]
    deactivate: bool,
    /// Deactivate people with open loans or dues too.
    #[serde(default)]
    with_open: bool,
    /// The only people of the batch to change, for instance those missing from an imported list; the whole batch by
    /// default.
    #[serde(default)]
    only: Option<Vec<UserId>>,
    /// People to leave unchanged.
    #[serde(default)]
    except: Vec<UserId>,
    /// Value of `preview` from the report that the librarian saw; the call is refused if the batch or the form has
    /// changed since.
    #[serde(default)]
    preview: Option<String>,
    /// Allow moving people whom another promotion moved into the batch in the last four months.
    #[serde(default)]
    again: bool,
    /// Preview: change nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Result of a promotion, or its preview.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionReport {
    dry_run: bool,
    /// Number of changed people.
    count: usize,
    /// The first 1000 changed people.
    people: Vec<Person>,
    /// People who stay active because of open loans or dues.
    kept: Vec<Person>,
    /// Fingerprint of the form, without its exceptions, and of all people of the batch.
    preview: String,
    /// Earlier promotion that moved some of these people into the batch in the last four months; a move then needs
    /// `again`.
    #[schema(required)]
    moved_before: Option<BlockShown>,
    /// Recorded change with the list of all people; null for a preview or if no person was changed.
    #[schema(required)]
    change: Option<ChangeId>,
}

/// Maximum number of people listed in a response.
const LISTED: usize = 1000;

/// Move a batch up, or deactivate it (R-PEOPLE-5).
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
    if let Some(only) = &form.only {
        invalid.refuse_repeats("only", only);
    }
    invalid.into_result(())?;
    let (clock, policies) = (app.library.clock.clone(), app.library.policies.clone());
    let moment = clock.moment();
    let what = Promotion {
        from,
        to,
        only: form.only,
        except: form.except,
        with_open: form.with_open,
        preview: form.preview,
        again: form.again,
    };
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        let mut done = promotion::promote(tx, &authority, moment, (&rulebook, &clock), &what, form.dry_run)?;
        let count = done.people.len();
        done.people.truncate(LISTED);
        done.kept.truncate(LISTED);
        let report = PromotionReport {
            dry_run: form.dry_run,
            count,
            people: done.people,
            kept: done.kept,
            preview: done.preview,
            moved_before: done.moved_before.as_ref().map(BlockShown::from),
            change: done.change,
        };
        Answer::json(StatusCode::OK, &report)
    })
    .await
}
