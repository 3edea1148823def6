//! Holds: readers wait for titles, librarians see the queues and the copies that are kept (R-HOLD-1 to R-HOLD-4).

use axum::{extract::State, http::StatusCode};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    error::{Error, Result},
    extract::{Id, JsonBody, OptionalJsonBody, Query},
    idempotency::{Answer, Once},
    loans::{OverrideForm, REASON, actor},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        Actor,
        hold::{self, Place},
    },
    domain::{
        account::{Role, User},
        hold::{Hold, HoldState},
        id::{BookId, HoldId, UserId},
        rule::{Invalid, Number},
        rulebook::Rulebook,
    },
    message,
    storage::{
        Tx, accounts, books,
        holds::{self, After, Prospect},
        loans,
    },
};

/// Queue for a title as the caller sees it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reservation {
    /// True if the caller may reserve the title now, a librarian for any reader.
    offered: bool,
    /// Number of waiting readers.
    waiting: i64,
    /// Number of copies that the caller may borrow without the desk: the copy kept for the caller, or the copies on the
    /// shelf less the readers ahead of the caller in the queue.
    free: i64,
    /// False if no copy is left that could be lent: a reservation cannot be filled, and no new one is accepted.
    fillable: bool,
    /// Number of copies in repair; 0 while a copy is on the shelf.
    in_repair: i64,
    /// Expected date of a copy for a new hold, if readers return all loans in time; null if unknown or not `offered`.
    #[schema(required, value_type = Option<String>, format = Date)]
    back_by: Option<Date>,
    /// Hold of the caller; null without one.
    #[schema(required)]
    own: Option<Hold>,
}

/// Computes the queue for a title as a user or a visitor sees it, with `on_shelf` copies on the shelf.
pub fn reservation(
    tx: &mut Tx<'_>,
    rulebook: &Rulebook,
    today: Date,
    caller: Option<&User>,
    book: BookId,
    on_shelf: i64,
) -> crate::storage::Result<Reservation> {
    let line = holds::of_book(tx, book)?;
    let in_line = || line.iter().filter(|hold| hold.kept.is_none());
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let waiting = count(in_line().count());
    let student = caller.filter(|user| user.role == Role::Student).map(|user| user.uid);
    let own = student.and_then(|uid| line.iter().find(|hold| hold.user_id == uid));
    let free = match own {
        Some(hold) if hold.kept.is_some() => 1,
        Some(own) => on_shelf - count(in_line().take_while(|hold| hold.id != own.id).count()),
        None => on_shelf - waiting,
    };
    let may_wait = match (caller.map(|user| user.role), student) {
        (Some(Role::Admin), _) => true,
        (_, Some(uid)) => {
            own.is_none() && !loans::open_of_user(tx, uid)?.iter().any(|loan| loan.book_id == book)
        }
        _ => false,
    };
    let prospect =
        if on_shelf > 0 { Prospect { fillable: true, in_repair: 0 } } else { holds::prospect(tx, book)? };
    let offered = may_wait && on_shelf <= waiting && prospect.fillable;
    let own = match own.map(|hold| hold.id) {
        Some(id) => match holds::by_id(tx, id)? {
            Some(hold) => Some(hold::complete(tx, &rulebook.calendar, today, hold)?),
            None => None,
        },
        None => None,
    };
    let back_by = if offered { hold::back_by(tx, book, today, waiting + 1)? } else { None };
    let Prospect { fillable, in_repair } = prospect;
    Ok(Reservation { offered, waiting, free: free.max(0), fillable, in_repair, back_by, own })
}

/// Reader and override of a new hold.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewHold {
    /// For librarians: the reader to reserve for; students reserve for themselves only.
    #[schema(value_type = Option<i64>)]
    person: Option<UserId>,
    /// For librarians: reserves although the rules refuse.
    #[serde(rename = "override")]
    overriding: Option<OverrideForm>,
}

/// Reserve a title that has no free copy (R-HOLD-1).
#[utoipa::path(post, path = "/books/{id}/holds", params(("id" = i64, Path)), request_body = Option<NewHold>,
    responses((status = 201, body = Hold)))]
pub async fn place_hold(
    State(app): State<Shared>,
    SignedIn(caller): SignedIn,
    Id(book): Id<BookId>,
    once: Once,
    OptionalJsonBody(form): OptionalJsonBody<NewHold>,
) -> Result<Answer> {
    let person = match (caller.role, form.person) {
        (Role::Student, None) => caller.uid,
        (Role::Student, Some(person)) if person == caller.uid => caller.uid,
        (Role::Student, Some(_)) => return Err(Error::Forbidden),
        (Role::Admin, Some(person)) => person,
        (Role::Admin, None) => return Err(Invalid::field("person", message::missing()).into()),
    };
    let overriding = form.overriding.map(OverrideForm::checked).transpose()?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = Place { person, book, overriding };
        let hold = hold::place(tx, actor(&caller), moment, &rulebook, &what)?;
        Ok(Answer::json(StatusCode::CREATED, &hold)?.undoable(tx, &caller))
    })
    .await
}

/// Reason of a cancellation.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CancelQuery {
    /// Reason, given by a librarian.
    #[serde(default)]
    reason: String,
}

/// Cancel a hold; a copy kept for the hold goes to the next reader in the queue.
#[utoipa::path(delete, path = "/holds/{id}", params(("id" = i64, Path), CancelQuery), responses((status = 204)))]
pub async fn cancel_hold(
    State(app): State<Shared>,
    SignedIn(caller): SignedIn,
    Id(id): Id<HoldId>,
    Query(query): Query<CancelQuery>,
    once: Once,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let reason =
        if query.reason.is_empty() { String::new() } else { REASON.check(&query.reason, &mut invalid) };
    invalid.into_result(())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        hold::cancel(tx, actor(&caller), moment, &rulebook, id, &reason)?;
        Ok(Answer::empty().undoable(tx, &caller))
    })
    .await
}

/// Reservations that were cancelled.
#[derive(Serialize, ToSchema)]
pub struct CancelledHolds {
    /// Number of cancelled reservations.
    count: i64,
}

/// Cancel all reservations of a title; refused while the library has a copy that could fill them.
#[utoipa::path(delete, path = "/books/{id}/holds", params(("id" = i64, Path), CancelQuery),
    responses((status = 200, body = CancelledHolds)))]
pub async fn cancel_holds_of_book(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(book): Id<BookId>,
    Query(query): Query<CancelQuery>,
    once: Once,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let reason =
        if query.reason.is_empty() { String::new() } else { REASON.check(&query.reason, &mut invalid) };
    invalid.into_result(())?;
    let (moment, policies, actor) =
        (app.library.clock.moment(), app.library.policies.clone(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let count = hold::cancel_unfillable(tx, actor, moment, &rulebook, book, &reason)?;
        Answer::json(StatusCode::OK, &CancelledHolds { count })
    })
    .await
}

/// New place of a hold in the queue.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveInLine {
    /// Place, counted from 1.
    place: i64,
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Limits of a place in the queue.
pub const PLACE: Number = Number { field: "place", label: "Place in line", min: 1, max: 100_000 };

/// Move a hold to another place in the queue, with a reason (R-HOLD-3).
#[utoipa::path(post, path = "/holds/{id}/move", params(("id" = i64, Path)), request_body = MoveInLine,
    responses((status = 200, body = Hold)))]
pub async fn move_hold(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(id): Id<HoldId>,
    once: Once,
    JsonBody(form): JsonBody<MoveInLine>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let place = PLACE.check(form.place, &mut invalid);
    let reason = REASON.check(&form.reason, &mut invalid);
    invalid.into_result(())?;
    let (moment, policies, actor) =
        (app.library.clock.moment(), app.library.policies.clone(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let hold = hold::reorder(tx, actor, moment, &rulebook, id, place, &reason)?;
        Answer::json(StatusCode::OK, &hold)
    })
    .await
}

/// Holds of one reader.
#[derive(Serialize, ToSchema)]
pub struct MyHolds {
    /// Open holds, ready ones first.
    holds: Vec<Hold>,
    /// Last ended holds, newest first.
    ended: Vec<Hold>,
}

/// Maximum number of ended holds listed.
const ENDED: i64 = 20;
/// Maximum number of open holds listed; far more than a reader has.
const OPEN: i64 = 1000;

async fn of_person(app: Shared, person: UserId) -> Result<axum::Json<MyHolds>> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let found = app
        .library
        .db
        .read(move |tx| -> Result<MyHolds> {
            if accounts::category(tx, person)?.is_none() {
                return Err(Error::NotFound);
            }
            let rulebook = policies.current(tx)?;
            let mut open = Vec::new();
            for hold in holds::of_person(tx, person, true, OPEN)? {
                open.push(hold::complete(tx, &rulebook.calendar, today, hold)?);
            }
            Ok(MyHolds { holds: open, ended: holds::of_person(tx, person, false, ENDED)? })
        })
        .await?;
    Ok(axum::Json(found))
}

/// List the caller's own holds.
#[utoipa::path(get, path = "/me/holds", responses((status = 200, body = MyHolds)))]
pub async fn list_my_holds(
    State(app): State<Shared>,
    SignedIn(student): SignedIn,
) -> Result<axum::Json<MyHolds>> {
    of_person(app, student.uid).await
}

/// List a person's holds.
#[utoipa::path(get, path = "/people/{id}/holds", params(("id" = i64, Path)), responses((status = 200, body = MyHolds)))]
pub async fn list_holds_of_person(
    State(app): State<Shared>,
    Id(person): Id<UserId>,
) -> Result<axum::Json<MyHolds>> {
    of_person(app, person).await
}

/// Queue for a title.
#[derive(Serialize, ToSchema)]
pub struct LineOfTitle {
    /// Holds in queue order; a hold with a kept copy keeps its place.
    holds: Vec<Hold>,
}

/// Maximum number of holds listed per title.
const LINE: i64 = 1000;

/// List the holds of a title in queue order.
#[utoipa::path(get, path = "/books/{id}/holds", params(("id" = i64, Path)), responses((status = 200, body = LineOfTitle)))]
pub async fn list_holds_of_book(
    State(app): State<Shared>,
    Id(book): Id<BookId>,
) -> Result<axum::Json<LineOfTitle>> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let found = app
        .library
        .db
        .read(move |tx| -> Result<LineOfTitle> {
            if !books::exists(tx, book)? {
                return Err(Error::NotFound);
            }
            let rulebook = policies.current(tx)?;
            let mut line = Vec::new();
            for hold in holds::line(tx, book, LINE)? {
                line.push(hold::complete(tx, &rulebook.calendar, today, hold)?);
            }
            Ok(LineOfTitle { holds: line })
        })
        .await?;
    Ok(axum::Json(found))
}

/// Filter and page of the list of holds.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HoldQuery {
    /// State of the holds; ready by default.
    #[param(inline)]
    state: Option<HoldState>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// A page of holds.
#[derive(Serialize, ToSchema)]
pub struct HoldList {
    /// Ready holds by their last day, waiting ones in the order placed, ended ones newest first.
    holds: Vec<Hold>,
    /// Number of copies kept for readers.
    ready: i64,
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List holds of all titles (R-HOLD-4).
#[utoipa::path(get, path = "/holds", params(HoldQuery), responses((status = 200, body = HoldList)))]
pub async fn list_holds(
    State(app): State<Shared>,
    Query(query): Query<HoldQuery>,
) -> Result<axum::Json<HoldList>> {
    let limit = page::length(query.limit, 50)?;
    let after: Option<After> = page::place(query.cursor.as_deref())?;
    let state = query.state.unwrap_or(HoldState::Ready);
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let found = app
        .library
        .db
        .read(move |tx| -> Result<HoldList> {
            let rulebook = policies.current(tx)?;
            let mut found = holds::in_state(tx, state, after.as_ref(), limit + 1)?;
            let cut = usize::try_from(limit).unwrap_or_default();
            let goes_on = found.len() > cut;
            found.truncate(cut);
            // The cursor names the stored day, before `complete` moves it past days closed since then.
            let place =
                |hold: &Hold| (hold.ready_until.map(|day| day.to_string()).unwrap_or_default(), hold.id);
            let next = found.last().filter(|_| goes_on).map(|last| page::cursor(&place(last)));
            let mut holds = Vec::with_capacity(found.len());
            for hold in found {
                holds.push(hold::complete(tx, &rulebook.calendar, today, hold)?);
            }
            Ok(HoldList { holds, ready: holds::count_ready(tx)?, today, next })
        })
        .await?;
    Ok(axum::Json(found))
}

/// Title with waiting readers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WantedTitle {
    book_id: BookId,
    title: String,
    author: String,
    /// Number of waiting readers.
    waiting: i64,
    /// Number of copies of the library, without withdrawn ones.
    copies: i64,
    /// False if no copy is left that could be lent.
    fillable: bool,
    /// Expected date of a copy for the first reader in the queue; null if unknown.
    #[schema(required, value_type = Option<String>, format = Date)]
    back_by: Option<Date>,
}

/// Page of titles with waiting readers.
#[derive(Serialize, ToSchema)]
pub struct WantedTitles {
    /// Titles, longest queues first.
    titles: Vec<WantedTitle>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Position and length of a page of titles.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WantedQuery {
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// List the titles with waiting readers, longest queues first (R-HOLD-4).
#[utoipa::path(get, path = "/holds/titles", params(WantedQuery), responses((status = 200, body = WantedTitles)))]
pub async fn list_wanted_titles(
    State(app): State<Shared>,
    Query(query): Query<WantedQuery>,
) -> Result<axum::Json<WantedTitles>> {
    let limit = page::length(query.limit, 50)?;
    let after = page::place(query.cursor.as_deref())?.unwrap_or((i64::MAX, BookId(0)));
    let today = app.library.clock.today();
    let found = app
        .library
        .db
        .read(move |tx| -> Result<WantedTitles> {
            let mut found = holds::wanted(tx, after, limit + 1)?;
            let cut = usize::try_from(limit).unwrap_or_default();
            let goes_on = found.len() > cut;
            found.truncate(cut);
            let next = found.last().filter(|_| goes_on).map(|last| page::cursor(&(last.waiting, last.book)));
            let mut titles = Vec::with_capacity(found.len());
            for wanted in found {
                titles.push(WantedTitle {
                    back_by: hold::back_by(tx, wanted.book, today, 1)?,
                    book_id: wanted.book,
                    title: wanted.title,
                    author: wanted.author,
                    waiting: wanted.waiting,
                    copies: wanted.copies,
                    fillable: wanted.fillable,
                });
            }
            Ok(WantedTitles { titles, next })
        })
        .await?;
    Ok(axum::Json(found))
}
