//! Loans: borrow, return, extend, and the lists of open loans.

use axum::{
    extract,
    http::{HeaderMap, StatusCode},
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared, copies as stock,
    error::{Error, Result},
    extract::{Id, Nothing, OptionalJsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        self, Actor, CheckIn, CheckOut, Done, Override, Renew, Renewed, Take, check_in, check_out, renew,
        view,
    },
    domain::{
        account::{Role, User},
        copy::{Condition, CopyHold, State},
        id::{BookId, LoanId},
        loan::Loan,
        rule::{Invalid, Kind, Text},
    },
    money::Money,
    storage::{
        books, copies, holds,
        loans::{self, Borrowed},
    },
};

/// Converts a decision of circulation into an answer of the API.
impl From<circulation::Error> for Error {
    fn from(error: circulation::Error) -> Self {
        match error {
            circulation::Error::NotFound => Self::NotFound,
            circulation::Error::Refused(refusal) => Self::Refused(refusal),
            circulation::Error::Invalid(invalid) => invalid.into(),
            circulation::Error::Obstacle(obstacle) => stock::refused(obstacle),
            circulation::Error::OwnAccount => Self::OwnAccount,
            circulation::Error::Authority(error) => error.into(),
            circulation::Error::Storage(error) => error.into(),
        }
    }
}

/// Returns the actor of a circulation call.
#[must_use]
pub fn actor(person: &User) -> Actor {
    match person.role {
        Role::Student => Actor::Student(person.uid),
        Role::Admin => Actor::Librarian(person.uid),
    }
}

/// Borrow a book: takes one copy off the shelf and creates a loan, or neither (R-LOAN-2).
#[utoipa::path(post, path = "/books/{id}/loans", params(("id" = i64, Path)), responses((status = 201, body = Loan)))]
pub async fn borrow_book(
    extract::State(app): extract::State<Shared>,
    SignedIn(student): SignedIn,
    Id(book): Id<BookId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = CheckOut { reader: student.uid, take: Take::AnyOf(book), overriding: None };
        let Done { loan, .. } = check_out(tx, actor(&student), moment, &rulebook, &what)?;
        Answer::json(StatusCode::CREATED, &loan)
    })
    .await
}

/// Options of a return at the desk.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// Puts the copy back on the shelf; otherwise the copy waits to be shelved. Librarians only; a student's return always puts
    /// the copy back (R-LOAN-3, R-COPY-4).
    restock: Option<bool>,
}

/// State of a copy after its return.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnedCopy {
    state: State,
    /// Reader for whom the copy is kept now; only for librarians.
    #[schema(required)]
    hold: Option<CopyHold>,
    /// Number of people in the queue for the title.
    waiting: i64,
    /// Copies of the title on the shelf.
    on_shelf: i64,
}

/// True if the client asks for the result (`Prefer: return=representation`, RFC 7240).
fn wants_representation(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    preferences.flat_map(|value| value.split(',')).any(|one| one.trim() == "return=representation")
}

/// Return a book (R-LOAN-3).
///
/// With `Prefer: return=representation` the answer says where the copy is now.
#[utoipa::path(post, path = "/loans/{id}/return", request_body = Option<Return>,
    params(("id" = i64, Path), ("Prefer" = Option<String>, Header)),
    responses((status = 204), (status = 200, body = ReturnedCopy)))]
pub async fn return_loan(
    extract::State(app): extract::State<Shared>,
    SignedIn(person): SignedIn,
    Id(loan): Id<LoanId>,
    once: Once,
    headers: HeaderMap,
    OptionalJsonBody(form): OptionalJsonBody<Return>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let restock = person.role == Role::Student || form.restock.unwrap_or(false);
    let to = if restock { Condition::OnShelf } else { Condition::ToShelve };
    let wants_answer = wants_representation(&headers);
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: None };
        let back = check_in(tx, actor(&person), moment, &rulebook, what)?.loan;
        if !wants_answer {
            return Ok(Answer::empty().undoable(tx, &person));
        }
        let copy = copies::by_id(tx, back.copy_id)?.ok_or(Error::NotFound)?;
        let returned = ReturnedCopy {
            state: copy.state,
            hold: copy.hold.filter(|_| person.role == Role::Admin),
            waiting: holds::waiting(tx, back.book_id)?,
            on_shelf: books::on_shelf(tx, back.book_id)?,
        };
        Ok(Answer::json(StatusCode::OK, &returned)?.undoable(tx, &person))
    })
    .await
}

/// Override of rules by a librarian.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverrideForm {
    /// Ids of the overridden blocks.
    #[serde(default)]
    #[schema(required)]
    blocks: Vec<String>,
    #[serde(default)]
    #[schema(required)]
    reason: String,
    /// Cancels the hold for which the copy is kept; otherwise the hold becomes first in the queue again.
    #[serde(default)]
    cancel_hold: bool,
}

/// Reason for an override.
pub const REASON: Text = Text { field: "reason", label: "Reason", min: 1, max: 500, kind: Kind::Line };

impl OverrideForm {
    /// Validates the override for circulation.
    pub fn checked(self) -> Result<Override> {
        let mut invalid = Invalid::default();
        let reason = REASON.check_as("override.reason", &self.reason, &mut invalid);
        Ok(invalid.or(Override { blocks: self.blocks, reason, cancel_hold: self.cancel_hold })?)
    }
}

/// Options of an extension.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// Librarians only: extends against the rules.
    #[serde(rename = "override")]
    overriding: Option<OverrideForm>,
}

/// A loan with its new due date.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExtendedLoan {
    #[serde(flatten)]
    loan: Loan,
    /// Part of the running fine that fell away with the old due date (R-MONEY-5).
    dropped_fine: Money,
}

/// Extend a loan by the renewal days of the rules (R-LOAN-4).
#[utoipa::path(post, path = "/loans/{id}/extend", params(("id" = i64, Path)), request_body = Option<Extension>,
    responses((status = 200, body = ExtendedLoan)))]
pub async fn extend_loan(
    extract::State(app): extract::State<Shared>,
    SignedIn(person): SignedIn,
    Id(loan): Id<LoanId>,
    once: Once,
    OptionalJsonBody(form): OptionalJsonBody<Extension>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let overriding = form.overriding.map(OverrideForm::checked).transpose()?;
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let Renewed { loan, dropped: dropped_fine, .. } =
            renew(tx, actor(&person), moment, &rulebook, &Renew { loan, overriding })?;
        Ok(Answer::json(StatusCode::OK, &ExtendedLoan { loan, dropped_fine })?.undoable(tx, &person))
    })
    .await
}

/// The caller's own loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyLoans {
    /// Open loans, earliest due date first.
    loans: Vec<Loan>,
    /// Total owed for the open loans (R-LOAN-5).
    total_fine: Money,
    /// Today in the library's time zone (R-LOAN-8).
    #[schema(value_type = String, format = Date)]
    today: Date,
}

/// List one's own open loans.
#[utoipa::path(get, path = "/me/loans", responses((status = 200, body = MyLoans)))]
pub async fn list_my_loans(
    extract::State(app): extract::State<Shared>,
    SignedIn(student): SignedIn,
) -> Result<axum::Json<MyLoans>> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let loans = app
        .library
        .db
        .read(move |tx| -> Result<Vec<Loan>> {
            let rulebook = policies.current(tx)?;
            let open = loans::open_of_user(tx, student.uid)?;
            Ok(open.into_iter().map(|loan| view(loan, &rulebook, today)).collect())
        })
        .await?;
    Ok(axum::Json(MyLoans { total_fine: loans.iter().map(|loan| loan.fine).sum(), loans, today }))
}

/// Search text of the librarian's list.
const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 200, kind: Kind::Line };

/// Search and page of the librarian's list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoanQuery {
    /// Part of the borrower's name, roll number or batch (R-FINE-2).
    #[serde(default)]
    q: String,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` or `previous` of another page.
    cursor: Option<String>,
}

/// An open loan with its borrower, for the librarian's list (R-FINE-1).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BorrowedBook {
    #[serde(flatten)]
    loan: Loan,
    /// Borrower's name.
    user_name: String,
    /// Borrower's roll number.
    roll_number: String,
    /// Borrower's batch.
    batch: String,
}

#[derive(Serialize, ToSchema)]
pub struct LoanList {
    /// Open loans with their borrowers, most overdue first.
    loans: Vec<BorrowedBook>,
    /// Number of matches on all pages.
    total: i64,
    /// Number of overdue loans among all open loans.
    overdue: i64,
    /// Today in the library's time zone (R-LOAN-8).
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the previous page.
    #[schema(required)]
    previous: Option<String>,
}

/// List all open loans of all students (R-FINE-1).
#[utoipa::path(get, path = "/loans", params(LoanQuery), responses((status = 200, body = LoanList)))]
pub async fn list_loans(
    extract::State(app): extract::State<Shared>,
    Query(query): Query<LoanQuery>,
) -> Result<axum::Json<LoanList>> {
    let mut invalid = Invalid::default();
    let text = SEARCH.check(&query.q, &mut invalid);
    invalid.or(())?;
    let limit = page::length(query.limit, 50)?;
    let position = page::place(query.cursor.as_deref())?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let list = app
        .library
        .db
        .snapshot(move |tx| -> Result<LoanList> {
            let rulebook = policies.current(tx)?;
            let (page, total) = loans::open_page(tx, &text, position, limit)?;
            let shown = |row: Borrowed| BorrowedBook {
                loan: view(row.loan, &rulebook, today),
                user_name: row.user_name,
                roll_number: row.roll_number,
                batch: row.batch,
            };
            Ok(LoanList {
                next: page.next.as_ref().map(page::cursor),
                previous: page.previous.as_ref().map(page::cursor),
                loans: page.rows.into_iter().map(shown).collect(),
                total,
                overdue: loans::overdue_count(tx, today)?,
                today,
            })
        })
        .await?;
    Ok(axum::Json(list))
}
