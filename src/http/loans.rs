//! Circulation: borrowing, returning, extending, and the lists of what is out.

use axum::{extract::State as AppState, http::StatusCode};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::{
    State,
    error::{Error, Result},
    extract::{Id, Nothing, OptionalJson, Query},
    page,
    session::SignedIn,
};
use crate::{
    domain::{
        account::{Role, User},
        id::{BookId, LoanId},
        loan::{self, Loan},
        rule::{Invalid, Kind, Text},
    },
    storage::{
        Tx, books,
        events::{self, Action, Event},
        loans::{self, BorrowedBook, End},
    },
};

/// Borrow a book: one copy fewer on the shelf and a loan, or neither (R-LOAN-2).
#[utoipa::path(post, path = "/books/{id}/loans", params(("id" = i64, Path)), responses((status = 201, body = Loan)))]
pub async fn borrow_book(
    AppState(app): AppState<State>,
    SignedIn(student): SignedIn,
    Id(book): Id<BookId>,
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
                subject: loan.id.0,
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
fn hold(tx: &mut Tx<'_>, id: LoanId, person: &User, today: Date) -> Result<Loan> {
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
    Id(id): Id<LoanId>,
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
                subject: id.0,
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
    Id(id): Id<LoanId>,
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
                subject: id.0,
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

/// List all open loans of all students (R-FINE-1).
#[utoipa::path(get, path = "/loans", params(LoanQuery), responses((status = 200, body = LoanList)))]
pub async fn list_loans(
    AppState(app): AppState<State>,
    Query(query): Query<LoanQuery>,
) -> Result<axum::Json<LoanList>> {
    let mut invalid = Invalid::default();
    let text = SEARCH.check(&query.q, &mut invalid);
    invalid.or(())?;
    let limit = page::length(query.limit, 50)?;
    let position = page::place(query.cursor.as_deref())?;
    let today = app.clock.today();
    let (page, total) = app
        .db
        .read(move |tx| -> Result<_> {
            Ok((loans::open_page(tx, &text, position, limit, today)?, loans::open_count(tx, &text)?))
        })
        .await?;
    Ok(axum::Json(LoanList {
        next: page.next.as_ref().map(page::cursor),
        previous: page.previous.as_ref().map(page::cursor),
        loans: page.rows,
        total,
        today,
    }))
}
