//! Circulation: borrowing, returning, extending, and the lists of what is out.

use axum::{extract::State as AppState, http::StatusCode};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::{
    State,
    books::{bad_cursor, page_length},
    error::{Error, Result},
    extract::{Id, Nothing, OptionalJson, Query},
    session::SignedIn,
};
use crate::{
    domain::{
        account::{Role, User},
        loan::{self, Loan},
        rule::{Invalid, Kind, Text},
    },
    storage::{
        Tx, books,
        events::{self, Action, Event},
        loans::{self, BorrowedBook, End, Part, Place},
    },
};

/// Borrow a book: one copy fewer on the shelf and a loan, or neither (R-LOAN-2).
#[utoipa::path(post, path = "/books/{id}/loans", params(("id" = i64, Path)), responses((status = 201, body = Loan)))]
pub async fn borrow_book(
    AppState(app): AppState<State>,
    SignedIn(student): SignedIn,
    Id(book): Id,
    OptionalJson(Nothing {}): OptionalJson<Nothing>,
) -> Result<(StatusCode, axum::Json<Loan>)> {
    let (now, today) = (app.clock.now(), app.clock.today());
    let loan = app
        .db
        .write(move |tx| -> Result<Loan> {
            let Some(title) = books::take_copy(tx, book)? else {
                return Err(if books::exists(tx, book)? { Error::BookUnavailable } else { Error::NotFound });
            };
            let loan = loans::begin(tx, student.uid, book, &title, today, loan::first_return_date(today))?;
            let event = Event {
                at: now,
                actor: Some(student.uid),
                action: Action::Borrow,
                subject: loan.id,
                before: None,
                after: Some(json!({ "bookId": book, "returnDate": loan.return_date })),
            };
            events::record(tx, &event)?;
            Ok(loan)
        })
        .await?;
    Ok((StatusCode::CREATED, axum::Json(loan)))
}

/// An open loan that this person may return or extend, held until the transaction ends. A student reaches only his own,
/// and those only while they owe nothing (R-LOAN-6); librarians are not blocked.
fn hold(tx: &mut Tx<'_>, id: i64, person: &User, today: Date) -> Result<Loan> {
    let loan = loans::hold_open(tx, id, today)?.ok_or(Error::NotFound)?;
    if person.role == Role::Student {
        if loan.user_id != person.uid {
            return Err(Error::NotFound);
        }
        if loan.fine > 0 {
            return Err(Error::LoanFined);
        }
    }
    Ok(loan)
}

/// How a librarian takes a book back.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// Puts the copy back on the shelf. Only a librarian chooses; a student's return always does (R-LOAN-3).
    restock: Option<bool>,
}

/// Return a book (R-LOAN-3).
#[utoipa::path(post, path = "/loans/{id}/return", params(("id" = i64, Path)), request_body = Option<Return>,
    responses((status = 204)))]
pub async fn return_loan(
    AppState(app): AppState<State>,
    SignedIn(person): SignedIn,
    Id(id): Id,
    OptionalJson(form): OptionalJson<Return>,
) -> Result<StatusCode> {
    let (now, today) = (app.clock.now(), app.clock.today());
    let restocked = person.role == Role::Student || form.restock.unwrap_or(false);
    app.db
        .write(move |tx| -> Result<()> {
            let loan = hold(tx, id, &person, today)?;
            loans::end(tx, &loan, End { at: now, on: today, by: person.uid, restocked })?;
            if restocked {
                books::put_back_copy(tx, loan.book_id)?;
            }
            let event = Event {
                at: now,
                actor: Some(person.uid),
                action: Action::Return,
                subject: id,
                before: Some(json!({ "returnDate": loan.return_date })),
                after: Some(json!({ "restocked": restocked, "fine": loan.fine })),
            };
            Ok(events::record(tx, &event)?)
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Move a return date 7 days later (R-LOAN-4).
#[utoipa::path(post, path = "/loans/{id}/extend", params(("id" = i64, Path)), responses((status = 200, body = Loan)))]
pub async fn extend_loan(
    AppState(app): AppState<State>,
    SignedIn(person): SignedIn,
    Id(id): Id,
    OptionalJson(Nothing {}): OptionalJson<Nothing>,
) -> Result<axum::Json<Loan>> {
    let (now, today) = (app.clock.now(), app.clock.today());
    let loan = app
        .db
        .write(move |tx| -> Result<Loan> {
            let before = hold(tx, id, &person, today)?;
            let loan = loans::set_return_date(tx, id, loan::extended(before.return_date), today)?;
            let event = Event {
                at: now,
                actor: Some(person.uid),
                action: Action::Extend,
                subject: id,
                before: Some(json!({ "returnDate": before.return_date })),
                after: Some(json!({ "returnDate": loan.return_date })),
            };
            events::record(tx, &event)?;
            Ok(loan)
        })
        .await?;
    Ok(axum::Json(loan))
}

/// One's own loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyLoans {
    /// The open ones, the first to be returned at the top.
    loans: Vec<Loan>,
    /// Rupees owed in all (R-LOAN-5).
    total_fine: i64,
    /// The day it is in the library (R-LOAN-8).
    #[schema(value_type = String, format = Date)]
    today: Date,
}

/// List one's own loans.
#[utoipa::path(get, path = "/me/loans", responses((status = 200, body = MyLoans)))]
pub async fn list_my_loans(
    AppState(app): AppState<State>,
    SignedIn(student): SignedIn,
) -> Result<axum::Json<MyLoans>> {
    let today = app.clock.today();
    let loans =
        app.db.read(move |tx| loans::open_of_user(tx, student.uid, today)).await.map_err(Error::from)?;
    Ok(axum::Json(MyLoans { total_fine: loans.iter().map(|loan| loan.fine).sum(), loans, today }))
}

/// Longest search text of the librarian's list.
const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 200, kind: Kind::Line };

/// Which part of the librarian's list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoanQuery {
    /// What the borrower's name, roll number or batch contains (R-FINE-2).
    #[serde(default)]
    q: String,
    /// How many loans, 1 to 100; 50 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` or `previous` of another page.
    cursor: Option<String>,
}

/// A page of all open loans.
#[derive(Serialize, ToSchema)]
pub struct LoanList {
    /// The loans with their borrowers, the most overdue first.
    loans: Vec<BorrowedBook>,
    /// How many match in all.
    total: i64,
    /// The day it is in the library (R-LOAN-8).
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the page before this one.
    #[schema(required)]
    previous: Option<String>,
}

fn cursor(part: &Part) -> String {
    let (direction, place) = match part {
        Part::After(place) => ('a', place),
        Part::Before(place) => ('b', place),
    };
    URL_SAFE_NO_PAD.encode(format!("{direction}{} {}", place.return_date, place.id))
}

fn part(cursor: &str) -> Option<Part> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let (day, id) = text.get(1..)?.split_once(' ')?;
    let day: Date = day.parse().ok()?;
    let place = Place { return_date: day.to_string(), id: id.parse().ok()? };
    match text.as_bytes().first()? {
        b'a' => Some(Part::After(place)),
        b'b' => Some(Part::Before(place)),
        _ => None,
    }
}

/// List all open loans of all students (R-FINE-1).
#[utoipa::path(get, path = "/loans", params(LoanQuery), responses((status = 200, body = LoanList)))]
pub async fn list_loans(
    AppState(app): AppState<State>,
    Query(query): Query<LoanQuery>,
) -> Result<axum::Json<LoanList>> {
    let mut invalid = Invalid::default();
    let text = SEARCH.check(&query.q, &mut invalid);
    invalid.or(())?;
    let limit = page_length(query.limit, 50)?;
    let from = match query.cursor.as_deref().filter(|cursor| !cursor.is_empty()) {
        Some(cursor) => part(cursor).ok_or_else(bad_cursor)?,
        None => Part::After(Place { return_date: String::new(), id: 0 }),
    };
    let today = app.clock.today();
    let asked = from.clone();
    let (mut page, total) = app
        .db
        .read(move |tx| -> Result<_> {
            Ok((loans::open_page(tx, &text, &asked, limit + 1, today)?, loans::open_count(tx, &text)?))
        })
        .await?;
    // One more than asked for tells whether the list goes on in the direction of reading.
    let goes_on = page.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    let backwards = matches!(from, Part::Before(_));
    if goes_on {
        if backwards {
            page.remove(0);
        } else {
            page.pop();
        }
    }
    let at_start = matches!(&from, Part::After(place) if place.return_date.is_empty());
    let place = |of: Option<&BorrowedBook>| {
        of.map(|of| Place { return_date: of.loan.return_date.to_string(), id: of.loan.id })
    };
    let next =
        if backwards || goes_on { place(page.last()).map(|place| cursor(&Part::After(place))) } else { None };
    let previous = if (backwards && goes_on) || (!backwards && !at_start) {
        place(page.first()).map(|place| cursor(&Part::Before(place)))
    } else {
        None
    };
    Ok(axum::Json(LoanList { loans: page, total, today, next, previous }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_of_the_list_survives_the_way_to_the_browser_and_back() {
        let place = Place { return_date: "2026-11-28".into(), id: 7 };
        for given in [Part::After(place.clone()), Part::Before(place)] {
            assert_eq!(part(&cursor(&given)), Some(given));
        }
        for odd in ["", "a", "%%", "YQ", "YTIwMjYtMTEtMjgg", "eDIwMjYtMTEtMjggNw"] {
            assert_eq!(part(odd), None, "{odd}");
        }
    }
}
