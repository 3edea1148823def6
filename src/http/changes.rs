//! Activity: who did what, as a librarian reads it.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::Query,
    page,
};
use crate::{
    clock::{self, Clock},
    domain::id::{BookId, ChangeId, CopyId, UserId},
    message::Message,
    spreadsheet,
    storage::events::{self, Filter, Recorded},
};

/// Which changes: all that fit every filter given.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChangeQuery {
    /// Who did it, or whom it concerns.
    #[param(value_type = Option<i64>)]
    person: Option<UserId>,
    #[param(value_type = Option<i64>)]
    book: Option<BookId>,
    /// What happened to this copy by itself; its loans are told by its title.
    #[param(value_type = Option<i64>)]
    copy: Option<CopyId>,
    /// The kind of change, for instance `lent`.
    action: Option<String>,
    /// The first day.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// The last day.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
    /// How many, 1 to 100; 50 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` of another page.
    cursor: Option<String>,
}

/// Somebody whom a change names.
#[derive(Serialize, ToSchema)]
pub struct Named<I> {
    id: I,
    name: String,
}

/// One change.
#[derive(Serialize, ToSchema)]
pub struct ChangeRow {
    id: ChangeId,
    /// When, RFC 3339.
    #[schema(format = DateTime)]
    at: String,
    /// Who did it; null for the command line.
    #[schema(required)]
    actor: Option<Named<UserId>>,
    action: String,
    /// Whom it concerns.
    #[schema(required)]
    person: Option<Named<UserId>>,
    /// Which title it concerns; the name is empty once the title is deleted.
    #[schema(required)]
    book: Option<Named<BookId>>,
    #[schema(required)]
    copy: Option<CopyId>,
    /// What happened, in words.
    text: String,
    /// The same as messages.
    messages: Vec<Message>,
    /// The change's own fields.
    #[schema(value_type = Object)]
    change: crate::domain::change::Change,
}

impl From<Recorded> for ChangeRow {
    fn from(recorded: Recorded) -> Self {
        let messages = recorded.change.messages();
        Self {
            id: recorded.id,
            at: clock::rfc3339(recorded.at),
            actor: recorded.actor.map(|(id, name)| Named { id, name }),
            action: recorded.change.action().to_owned(),
            person: recorded.person.map(|(id, name)| Named { id, name }),
            book: recorded.book.map(|(id, name)| Named { id, name }),
            copy: recorded.copy,
            text: messages.iter().map(Message::text).collect::<Vec<_>>().join(" "),
            messages,
            change: recorded.change,
        }
    }
}

/// A page of changes, newest first.
#[derive(Serialize, ToSchema)]
pub struct ChangeList {
    changes: Vec<ChangeRow>,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
}

/// Most rows in one file; a spreadsheet can hold about ten times as many.
const MOST_ROWS: usize = 100_000;
/// Rows read at once for a file.
const PORTION: i64 = 1000;

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

/// List what happened, newest first.
#[utoipa::path(get, path = "/changes", params(ChangeQuery), responses((status = 200, body = ChangeList)))]
pub async fn list_changes(
    State(app): State<Shared>,
    Query(query): Query<ChangeQuery>,
) -> Result<axum::Json<ChangeList>> {
    let limit = page::length(query.limit, 50)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(ChangeId(i64::MAX));
    let filter = filter(&query, &app.clock);
    let mut found =
        app.db.read(move |tx| events::page(tx, &filter, before, limit + 1)).await.map_err(Error::from)?;
    let limit = usize::try_from(limit).unwrap_or_default();
    let goes_on = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| goes_on).map(|last| page::cursor(&last.id));
    Ok(axum::Json(ChangeList { changes: found.into_iter().map(ChangeRow::from).collect(), next }))
}

/// The same as a file for a spreadsheet: all that fit, newest first, at most 100 000. Cells that would be taken for
/// formulas are guarded.
#[utoipa::path(get, path = "/changes.csv", params(ChangeQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_changes(State(app): State<Shared>, Query(query): Query<ChangeQuery>) -> Result<Response> {
    let filter = filter(&query, &app.clock);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Error::Internal(Box::new(error));
    writer.write_record(["when", "who", "action", "person", "title", "what"]).map_err(failed)?;
    let mut before = ChangeId(i64::MAX);
    let mut rows = 0;
    while rows < MOST_ROWS {
        let filter = filter.clone();
        let found =
            app.db.read(move |tx| events::page(tx, &filter, before, PORTION)).await.map_err(Error::from)?;
        let Some(last) = found.last() else { break };
        before = last.id;
        rows += found.len();
        for recorded in found {
            let when = app.clock.local(recorded.at);
            let row = ChangeRow::from(recorded);
            let name = |named: Option<String>| named.unwrap_or_default();
            let cells = [
                when,
                name(row.actor.map(|actor| actor.name)),
                row.action,
                name(row.person.map(|person| person.name)),
                name(row.book.map(|book| book.name)),
                row.text,
            ];
            writer.write_record(cells.map(|cell| spreadsheet::guarded(&cell))).map_err(failed)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| Error::Internal(error.to_string().into()))?;
    let name = format!("attachment; filename=\"activity-{}.csv\"", app.clock.today());
    Ok((
        [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)],
        bytes,
    )
        .into_response())
}
