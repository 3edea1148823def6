//! Activity log for librarians: changes, their authors, and undo.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    csv_file::{self, PORTION},
    error::{Error, Result},
    extract::{Id, Nothing, OptionalJsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        Actor,
        undo::{self, Undone},
    },
    clock::Clock,
    domain::{
        account::{Capability, Role, User},
        change::{Change, MoneyChange},
        id::{BookId, ChangeId, CopyId, UserId},
        moment::rfc3339,
    },
    message::Message,
    storage::{
        self, Tx,
        events::{self, Filter, Recorded},
    },
};

/// Filters of the activity log; a change must match all of them.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChangeQuery {
    /// User who made the change or is affected by it.
    #[param(value_type = Option<i64>)]
    person: Option<UserId>,
    #[param(value_type = Option<i64>)]
    book: Option<BookId>,
    /// Changes of this copy itself; loans of the copy are listed under the title.
    #[param(value_type = Option<i64>)]
    copy: Option<CopyId>,
    /// Kind of change, for instance `lent`.
    action: Option<String>,
    /// First day.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// Last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

/// User or title named by a change.
#[derive(Serialize, ToSchema)]
pub struct Named<I> {
    id: I,
    name: String,
}

#[derive(Serialize, ToSchema)]
pub struct ChangeRow {
    id: ChangeId,
    /// Instant of the change, RFC 3339.
    #[schema(format = DateTime)]
    at: String,
    /// User who made the change; null for the command line.
    #[schema(required)]
    actor: Option<Named<UserId>>,
    action: String,
    /// User affected by the change.
    #[schema(required)]
    person: Option<Named<UserId>>,
    /// Title affected by the change; the name is empty once the title is deleted.
    #[schema(required)]
    book: Option<Named<BookId>>,
    #[schema(required)]
    copy: Option<CopyId>,
    /// Description in English.
    text: String,
    /// Description as messages to translate.
    messages: Vec<Message>,
    /// True if the change was undone.
    undone: bool,
    /// True if the caller may undo the change today; a later change may still prevent it.
    undoable: bool,
    /// Fields of this kind of change.
    #[schema(value_type = Object)]
    change: Change,
    /// True if the affected reader has been forgotten (R-PEOPLE-10).
    forgotten: bool,
}

/// True if the librarian has the capability to undo this kind of change; `None` if the change can never be undone. Only
/// the librarian who took a payment, or one who may pay money out, may undo the payment (X11).
fn may_undo(librarian: &User, recorded: &Recorded) -> Option<bool> {
    let may = |needed| librarian.capabilities.contains(&needed);
    let needed = recorded.change.undone_by()?;
    let is_own = recorded.actor.as_ref().is_some_and(|(actor, _)| *actor == librarian.uid);
    let is_payment = matches!(recorded.change, Change::Money(MoneyChange::Paid { .. }));
    let may_of_own = is_own && recorded.change.undone_by_maker().is_some_and(may);
    Some((may(needed) || may_of_own) && (!is_payment || is_own || may(Capability::Money)))
}

/// True if the librarian may also undo the earlier changes that are undone together with this one.
fn may_undo_linked(tx: &mut Tx<'_>, librarian: &User, id: ChangeId) -> storage::Result<bool> {
    let has_all = Capability::ALL.iter().all(|one| librarian.capabilities.contains(one));
    Ok(has_all
        || events::linked_before(tx, id)?.iter().all(|before| may_undo(librarian, before) != Some(false)))
}

impl ChangeRow {
    /// Builds the row for one viewer; changes before `day_begins` can no longer be undone.
    pub(super) fn seen_by(
        tx: &mut Tx<'_>,
        person: &User,
        day_begins: i64,
        mut recorded: Recorded,
    ) -> storage::Result<Self> {
        if !person.capabilities.contains(&Capability::People) {
            recorded.change.hide_guardian();
        }
        let messages = recorded.change.messages();
        let forgotten = recorded.person.is_none() && recorded.change.is_of_reader();
        let is_own = recorded.person.as_ref().is_some_and(|(of, _)| *of == person.uid);
        let undoable = may_undo(person, &recorded) == Some(true)
            && !(is_own && recorded.change.is_forgiven_by_undo())
            && !recorded.undone
            && recorded.at >= day_begins
            && may_undo_linked(tx, person, recorded.id)?;
        Ok(Self {
            id: recorded.id,
            at: rfc3339(recorded.at),
            actor: recorded.actor.map(|(id, name)| Named { id, name }),
            action: recorded.change.action().to_owned(),
            person: recorded.person.map(|(id, name)| Named { id, name }),
            book: recorded.book.map(|(id, name)| Named { id, name }),
            copy: recorded.copy,
            text: messages.iter().map(Message::text).collect::<Vec<_>>().join(" "),
            messages,
            forgotten,
            undone: recorded.undone,
            undoable,
            change: recorded.change,
        })
    }
}

/// A page of changes, newest first.
#[derive(Serialize, ToSchema)]
pub struct ChangeList {
    changes: Vec<ChangeRow>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

fn filter(query: &ChangeQuery, clock: &Clock) -> Filter {
    let next_day = |day: Date| day.tomorrow().unwrap_or(day);
    Filter {
        person: query.person,
        book: query.book,
        copy: query.copy,
        action: query.action.clone().filter(|action| !action.is_empty()),
        from: query.from.map(|day| clock.begin_of(day)),
        to: query.to.map(|day| clock.begin_of(next_day(day))),
    }
}

/// List the changes, newest first.
#[utoipa::path(get, path = "/changes", params(ChangeQuery), responses((status = 200, body = ChangeList)))]
pub async fn list_changes(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<ChangeQuery>,
) -> Result<axum::Json<ChangeList>> {
    let limit = page::length(query.limit, 50)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(ChangeId(i64::MAX));
    let filter = filter(&query, &app.library.clock);
    let day_begins = app.library.clock.begin_of(app.library.clock.today());
    let list = move |tx: &mut Tx<'_>| -> storage::Result<ChangeList> {
        let mut found = events::page(tx, &filter, before, limit + 1)?;
        let limit = usize::try_from(limit).unwrap_or_default();
        let goes_on = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
        let changes = found.into_iter().map(|one| ChangeRow::seen_by(tx, &librarian, day_begins, one));
        Ok(ChangeList { changes: changes.collect::<storage::Result<_>>()?, next })
    };
    Ok(axum::Json(app.library.db.read(list).await.map_err(Error::from)?))
}

/// Result of an undo.
#[derive(Serialize, ToSchema)]
pub struct UndoneChange {
    /// Change that records the undo.
    change: ChangeId,
    /// Restored state, in English.
    text: String,
    messages: Vec<Message>,
}

/// Undo a change of today (R-UNDO-1), completely or not at all: refused while a later change depends on it.
///
/// Students may undo their own borrow, extension or return within five minutes.
#[utoipa::path(post, path = "/changes/{id}/undo", params(("id" = i64, Path)),
    responses((status = 200, body = UndoneChange)))]
pub async fn undo_change(
    State(app): State<Shared>,
    SignedIn(person): SignedIn,
    Id(id): Id<ChangeId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let moment = app.library.clock.moment();
    let day_begins = app.library.clock.begin_of(moment.today);
    if person.role == Role::Student {
        let policies = app.library.policies.clone();
        return app
            .once(once, move |tx| {
                let rulebook = policies.current(tx)?;
                undone_answer(undo::undo_own(tx, person.uid, moment, &rulebook, day_begins, id)?)
            })
            .await;
    }
    let (actor, librarian) = (Actor::Librarian(person.uid), person);
    let may = move |tx: &mut Tx<'_>| -> Result<bool> {
        let touched = events::by_id(tx, id)?.ok_or(Error::NotFound)?;
        // A change that can never be undone passes here, so that `undo` refuses it with the reason.
        Ok(may_undo(&librarian, &touched) != Some(false) && may_undo_linked(tx, &librarian, id)?)
    };
    if !app.library.db.read(may).await? {
        return Err(Error::Forbidden);
    }
    app.once(once, move |tx| undone_answer(undo::undo(tx, actor, moment, day_begins, id)?)).await
}

fn undone_answer(undone: Undone) -> Result<Answer> {
    let text = undone.messages.iter().map(Message::text).collect::<Vec<_>>().join(" ");
    Answer::json(StatusCode::OK, &UndoneChange { change: undone.change, text, messages: undone.messages })
}

/// Export the activity log as CSV.
///
/// All matching changes, newest first, at most 100 000. Cells that a spreadsheet would read as formulas are guarded.
#[utoipa::path(get, path = "/changes.csv", params(ChangeQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_changes(State(app): State<Shared>, Query(query): Query<ChangeQuery>) -> Result<Response> {
    let filter = filter(&query, &app.library.clock);
    let name = format!("activity-{}.csv", app.library.clock.today());
    let columns = ["when", "who", "action", "person", "title", "what"];
    csv_file::answer(&name, columns, ChangeId(i64::MAX), move |before| {
        let (app, filter) = (Arc::clone(&app), filter.clone());
        async move {
            let found = app.library.db.read(move |tx| events::page(tx, &filter, before, PORTION)).await;
            let found = found.map_err(Error::from)?;
            let last = found.last().map(|last| last.id);
            let rows = found.into_iter().map(|recorded| {
                let messages = recorded.change.messages();
                [
                    app.library.clock.local(recorded.at),
                    recorded.actor.map(|(_, name)| name).unwrap_or_default(),
                    recorded.change.action().to_owned(),
                    recorded.person.map(|(_, name)| name).unwrap_or_default(),
                    recorded.book.map(|(_, title)| title).unwrap_or_default(),
                    messages.iter().map(Message::text).collect::<Vec<_>>().join(" "),
                ]
            });
            Ok((rows.collect(), last))
        }
    })
    .await
}
