//! Holds: readers wait for titles, librarians see who waits and for whom copies are kept (R-HOLD-1 to R-HOLD-4).

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
        holds::{self, After},
        loans,
    },
};

/// What the caller can do about a title that others have.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reservation {
    /// Whether the caller may reserve the title now; a librarian does it for somebody.
    offered: bool,
    /// How many people wait.
    waiting: i64,
    /// How many copies the caller may borrow without the desk: the one that is kept for them, or those on the shelf that are not
    /// for people before them in the line.
    free: i64,
    /// By when a copy should be there for whoever reserves now, if all come back in time; null where nobody can say.
    #[schema(required, value_type = Option<String>, format = Date)]
    back_by: Option<Date>,
    /// The caller's own hold; null without one.
    #[schema(required)]
    own: Option<Hold>,
}

/// What a person, or a visitor, can do about a title with so many copies on the shelf.
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
    let offered = may_wait && on_shelf <= waiting;
    let own = match own.map(|hold| hold.id) {
        Some(id) => match holds::by_id(tx, id)? {
            Some(hold) => Some(hold::complete(tx, &rulebook.calendar, today, hold)?),
            None => None,
        },
        None => None,
    };
    let back_by = if offered { hold::back_by(tx, book, today, waiting + 1)? } else { None };
    Ok(Reservation { offered, waiting, free: free.max(0), back_by, own })
}

/// Who is to wait.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewHold {
    /// For librarians: for whom; a student reserves for nobody else.
    #[schema(value_type = Option<i64>)]
    person: Option<UserId>,
    /// For librarians: reserves although the rules say no.
    #[serde(rename = "override")]
    overriding: Option<OverrideForm>,
}

/// Reserve a title of which no copy is free (R-HOLD-1).
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
    let (moment, policies) = (app.clock.moment(), app.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = Place { person, book, overriding };
        let hold = hold::place(tx, actor(&caller), moment, &rulebook, &what)?;
        Ok(Answer::json(StatusCode::CREATED, &hold)?.undoable(tx, &caller))
    })
    .await
}

/// Why a hold is cancelled.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CancelQuery {
    /// A librarian's reason.
    #[serde(default)]
    reason: String,
}

/// Cancel a hold; a copy that was kept goes to the next in line.
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
    invalid.or(())?;
    let (moment, policies) = (app.clock.moment(), app.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        hold::cancel(tx, actor(&caller), moment, &rulebook, id, &reason)?;
        Ok(Answer::empty().undoable(tx, &caller))
    })
    .await
}

/// Where somebody is to stand in the line.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveInLine {
    /// From 1.
    place: i64,
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// A place in the line.
pub const PLACE: Number = Number { field: "place", label: "Place in line", min: 1, max: 100_000 };

/// Move somebody to another place in the line, with a reason (R-HOLD-3).
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
    invalid.or(())?;
    let (moment, policies, actor) =
        (app.clock.moment(), app.policies.clone(), Actor::Librarian(librarian.uid));
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let hold = hold::reorder(tx, actor, moment, &rulebook, id, place, &reason)?;
        Answer::json(StatusCode::OK, &hold)
    })
    .await
}

/// One's own holds.
#[derive(Serialize, ToSchema)]
pub struct MyHolds {
    /// The open ones: those to be fetched first.
    holds: Vec<Hold>,
    /// The last that ended, newest first.
    ended: Vec<Hold>,
}

/// Ended holds that are told.
const ENDED: i64 = 20;
/// Open holds of a person that are told; more than anybody waits for.
const OPEN: i64 = 1000;

async fn of_person(app: Shared, person: UserId) -> Result<axum::Json<MyHolds>> {
    let (today, policies) = (app.clock.today(), app.policies.clone());
    let found = app
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

/// List one's own holds.
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

/// The line for a title.
#[derive(Serialize, ToSchema)]
pub struct LineOfTitle {
    /// In the order of the line; those for whom a copy is kept stand where they stood.
    holds: Vec<Hold>,
}

/// People of one line that are told.
const LINE: i64 = 1000;

/// List who waits for a title, in line.
#[utoipa::path(get, path = "/books/{id}/holds", params(("id" = i64, Path)), responses((status = 200, body = LineOfTitle)))]
pub async fn list_holds_of_book(
    State(app): State<Shared>,
    Id(book): Id<BookId>,
) -> Result<axum::Json<LineOfTitle>> {
    let (today, policies) = (app.clock.today(), app.policies.clone());
    let found = app
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

/// Which holds.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HoldQuery {
    /// Those in this state; ready ones if not said.
    #[param(inline)]
    state: Option<HoldState>,
    /// How many, 1 to 100; 50 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` of another page.
    cursor: Option<String>,
}

/// A page of holds.
#[derive(Serialize, ToSchema)]
pub struct HoldList {
    /// Those to be fetched by their last day, those in line as they were placed, those that ended newest first.
    holds: Vec<Hold>,
    /// The day it is in the library.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the page after this one.
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
    let (today, policies) = (app.clock.today(), app.policies.clone());
    let found = app
        .db
        .read(move |tx| -> Result<HoldList> {
            let rulebook = policies.current(tx)?;
            let mut found = holds::in_state(tx, state, after.as_ref(), limit + 1)?;
            let cut = usize::try_from(limit).unwrap_or_default();
            let goes_on = found.len() > cut;
            found.truncate(cut);
            // The place is that of the stored day, before a day closed since moves it.
            let place =
                |hold: &Hold| (hold.ready_until.map(|day| day.to_string()).unwrap_or_default(), hold.id);
            let next = found.last().filter(|_| goes_on).map(|last| page::cursor(&place(last)));
            let mut holds = Vec::with_capacity(found.len());
            for hold in found {
                holds.push(hold::complete(tx, &rulebook.calendar, today, hold)?);
            }
            Ok(HoldList { holds, today, next })
        })
        .await?;
    Ok(axum::Json(found))
}

/// A title that people wait for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WantedTitle {
    book_id: BookId,
    title: String,
    author: String,
    /// How many people wait.
    waiting: i64,
    /// How many copies the library has, without those withdrawn.
    copies: i64,
    /// By when the first in line should have a copy; null where nobody can say.
    #[schema(required, value_type = Option<String>, format = Date)]
    back_by: Option<Date>,
}

/// A page of titles that people wait for.
#[derive(Serialize, ToSchema)]
pub struct WantedTitles {
    /// The longest lines first.
    titles: Vec<WantedTitle>,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
}

/// Which part of the titles that people wait for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WantedQuery {
    /// How many, 1 to 100; 50 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` of another page.
    cursor: Option<String>,
}

/// List the titles that people wait for, the longest lines first (R-HOLD-4).
#[utoipa::path(get, path = "/holds/titles", params(WantedQuery), responses((status = 200, body = WantedTitles)))]
pub async fn list_wanted_titles(
    State(app): State<Shared>,
    Query(query): Query<WantedQuery>,
) -> Result<axum::Json<WantedTitles>> {
    let limit = page::length(query.limit, 50)?;
    let after = page::place(query.cursor.as_deref())?.unwrap_or((i64::MAX, BookId(0)));
    let today = app.clock.today();
    let found = app
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
                });
            }
            Ok(WantedTitles { titles, next })
        })
        .await?;
    Ok(axum::Json(found))
}
