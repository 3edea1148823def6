//! Merge of two records of one person (R-PEOPLE-9).

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    circulation::standing,
    domain::{
        id::{ChangeId, UserId},
        person::{Details, Person},
    },
    http::{
        Shared,
        error::Result,
        extract::JsonBody,
        idempotency::{Answer, Once},
        session::SignedIn,
    },
    people::merge,
    storage::{authority::Authority, people::Record, photos},
};

/// Two records of one person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeForm {
    /// Record that is kept.
    keep: UserId,
    /// Record that is merged into `keep`.
    drop: UserId,
    /// Preview: change nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Result of a merge, or its preview.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeReport {
    dry_run: bool,
    /// Kept record before the merge.
    keep: Person,
    /// Dropped record before the merge.
    drop: Person,
    /// Details after the merge.
    after: Details,
    open_loans: i64,
    ended_loans: i64,
    /// Number of account lines that move to `keep`.
    lines: i64,
    holds: i64,
    reviews: i64,
    /// Titles reserved by both records: the hold with the better place is kept, the other is cancelled.
    holds_cancelled: Vec<String>,
    /// Titles reviewed by both records: the newer review is kept.
    reviews_given_up: Vec<String>,
    /// True if the kept record takes over the password of the dropped record.
    takes_password: bool,
    /// Recorded change; null for a preview.
    #[schema(required)]
    change: Option<ChangeId>,
}

/// Merge two records of one person (R-PEOPLE-9). All rows of `drop` move to `keep`, and the roll number of `drop` then
/// finds `keep`.
#[utoipa::path(post, path = "/people/merge", request_body = MergeForm, responses((status = 200, body = MergeReport)))]
pub async fn merge_people(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<MergeForm>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let MergeForm { keep, drop, dry_run } = form;
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let standings = standing::of(tx, &rulebook, moment.today, &[keep, drop])?;
            let mut photos = photos::versions(tx, &[keep, drop])?;
            let authority = Authority::of(tx, librarian.uid)?;
            let merged = merge::merge(tx, &authority, moment, &rulebook, (keep, drop), dry_run)?;
            let mut as_it_was = |record: Record| {
                let standing = standings.get(&record.uid).copied().unwrap_or_default();
                let photo = photos.remove(&record.uid);
                standing::person(record, standing, photo)
            };
            let report = MergeReport {
                dry_run,
                keep: as_it_was(merged.keep),
                drop: as_it_was(merged.dropped),
                after: merged.after,
                open_loans: merged.moves.open_loans,
                ended_loans: merged.moves.ended_loans,
                lines: merged.moves.lines,
                holds: merged.moves.holds,
                reviews: merged.moves.reviews,
                holds_cancelled: merged.holds_cancelled,
                reviews_given_up: merged.reviews_given_up,
                takes_password: merged.takes_password,
                change: merged.change,
            };
            Ok(Answer::json(StatusCode::OK, &report)?.undoable(tx, &librarian))
        })
        .await?;
    app.sessions.forget_person(drop);
    app.sessions.forget_person(keep);
    Ok(answer)
}
