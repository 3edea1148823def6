//! Loans: borrow, return, extend, and the lists of open loans.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use jiff::{ToSpan as _, civil::Date};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared, copies as stock,
    csv_file::{self, MOST_ROWS, PORTION},
    error::{Error, Result},
    extract::{Id, JsonBody, Nothing, OptionalJsonBody, Query},
    idempotency::{Answer, Once},
    page,
    session::SignedIn,
};
use crate::{
    circulation::{
        self, Actor, BlockShown, CheckIn, CheckOut, CopyToLend, Done, Override, Renew, Renewed, SetDueDate,
        check_in, check_out, reasons_against_renewal, renew, set_due_date as set_due, view,
    },
    clock::Clock,
    domain::{
        account::{Role, User},
        change::LoanChange,
        copy::{Condition, CopyHold, State},
        fine,
        id::{BookId, LoanId, UserId},
        loan::Loan,
        rule::{Invalid, Kind, Text},
        rulebook::Rulebook,
        rules::check_day,
    },
    message,
    money::Money,
    storage::{
        Tx, books, copies,
        events::{self, Entry},
        holds,
        loans::{self, Alike, Borrowed, Found, Listing, Order},
    },
};

/// Converts an error of circulation into an error of the API.
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

/// Returns the user as the actor of a circulation call.
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
        let rulebook = policies.held(tx)?;
        let what = CheckOut { reader: student.uid, copy: CopyToLend::AnyOf(book), overriding: None };
        let Done { loan, .. } = check_out(tx, actor(&student), moment, &rulebook, &what)?;
        Ok(Answer::json(StatusCode::CREATED, &loan)?.undoable(tx, &student))
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
    /// Hold for which the copy is kept now; null without one, and for students.
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
/// With `Prefer: return=representation` the response says where the copy is now.
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
        // Undoing a return lends the copy again, so students may do so only while self-service borrowing is on.
        let has_undo = person.role == Role::Admin || rulebook.on(moment.today).self_borrow;
        let offer =
            |answer: Answer, tx: &Tx<'_>| if has_undo { answer.undoable(tx, &person) } else { answer };
        if !wants_answer {
            return Ok(offer(Answer::empty(), tx));
        }
        let copy = copies::by_id(tx, back.copy_id)?.ok_or(Error::NotFound)?;
        let returned = ReturnedCopy {
            state: copy.state,
            hold: copy.hold.filter(|_| person.role == Role::Admin),
            waiting: holds::waiting(tx, back.book_id)?,
            on_shelf: books::on_shelf(tx, back.book_id)?,
        };
        Ok(offer(Answer::json(StatusCode::OK, &returned)?, tx))
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
        Ok(invalid.into_result(Override { blocks: self.blocks, reason, cancel_hold: self.cancel_hold })?)
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
    /// Part of the running fine that was dropped with the old due date (R-MONEY-5).
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
        let rulebook = policies.held(tx)?;
        let Renewed { loan, dropped: dropped_fine, .. } =
            renew(tx, actor(&person), moment, &rulebook, &Renew { loan, overriding })?;
        Ok(Answer::json(StatusCode::OK, &ExtendedLoan { loan, dropped_fine })?.undoable(tx, &person))
    })
    .await
}

/// Due date set by hand.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DueDateForm {
    /// Today or later.
    #[serde(default)]
    #[schema(required, value_type = String, format = Date)]
    return_date: Option<Date>,
    #[serde(default)]
    #[schema(required)]
    reason: String,
}

/// Set the due date of one loan by hand, with a reason; the number of renewals does not change.
#[utoipa::path(post, path = "/loans/{id}/due-date", params(("id" = i64, Path)), request_body = DueDateForm,
    responses((status = 200, body = Loan)))]
pub async fn set_due_date(
    extract::State(app): extract::State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(loan): Id<LoanId>,
    once: Once,
    JsonBody(form): JsonBody<DueDateForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let reason = REASON.check(&form.reason, &mut invalid);
    match form.return_date {
        Some(day) => check_day("returnDate".into(), "Return date", day, &mut invalid),
        None => invalid.push("returnDate", message::required("Return date")),
    }
    let to = invalid.into_result(form.return_date.unwrap_or_default())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.held(tx)?;
        let what = SetDueDate { loan, to, reason };
        let (loan, change) = set_due(tx, actor(&librarian), moment, &rulebook, &what)?;
        let answer = Answer::json(StatusCode::OK, &loan)?;
        Ok(if change.is_some() { answer.undoable(tx, &librarian) } else { answer })
    })
    .await
}

/// A loan of the caller's own.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyLoan {
    #[serde(flatten)]
    loan: Loan,
    /// Reasons that keep a student from extending the loan.
    refusals: Vec<BlockShown>,
}

/// The caller's own loans.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyLoans {
    /// Open loans, earliest due date first.
    loans: Vec<MyLoan>,
    /// Total owed for the open loans (R-LOAN-5).
    total_fine: Money,
    /// Today in the library's time zone (R-LOAN-8).
    #[schema(value_type = String, format = Date)]
    today: Date,
}

/// List the caller's own open loans.
#[utoipa::path(get, path = "/me/loans", responses((status = 200, body = MyLoans)))]
pub async fn list_my_loans(
    extract::State(app): extract::State<Shared>,
    SignedIn(person): SignedIn,
) -> Result<axum::Json<MyLoans>> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let today = moment.today;
    let loans = app
        .library
        .db
        .read(move |tx| -> Result<Vec<MyLoan>> {
            let rulebook = policies.current(tx)?;
            let open = loans::open_of_user(tx, person.uid)?;
            let reasons = match person.role {
                Role::Student => reasons_against_renewal(tx, moment, &rulebook, person.uid, &open)?,
                Role::Admin => vec![Vec::new(); open.len()],
            };
            let shown = open.into_iter().zip(reasons).map(|(loan, blocks)| MyLoan {
                loan: view(loan, &rulebook, today),
                refusals: blocks.iter().map(BlockShown::from).collect(),
            });
            Ok(shown.collect())
        })
        .await?;
    Ok(axum::Json(MyLoans {
        total_fine: loans.iter().map(|MyLoan { loan, .. }| loan.fine).sum(),
        loans,
        today,
    }))
}

/// Limits of the search text of the librarian's list.
const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 200, kind: Kind::Line };

/// Selection of open loans by their return date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Due {
    Overdue,
    Today,
    Week,
}

impl Due {
    /// Returns the first and last return date of the selection.
    fn days(self, today: Date) -> (Date, Date) {
        match self {
            Self::Overdue => (Date::MIN, today.yesterday().unwrap_or(Date::MIN)),
            Self::Today => (today, today),
            Self::Week => {
                let left = 7 - i64::from(today.weekday().to_monday_one_offset());
                (today, today.saturating_add(left.days()))
            }
        }
    }
}

/// Order of open loans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum LoanOrder {
    ReturnDate,
    Name,
    Batch,
}

/// Search, order and page of the librarian's list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LoanQuery {
    /// Part of the borrower's name, roll number or batch, of the title or of the barcode (R-FINE-2); of the barcode only if it
    /// contains a digit.
    #[serde(default)]
    q: String,
    /// Only loans that are overdue, due today, or due from today to Sunday.
    #[param(inline)]
    due: Option<Due>,
    /// By return date (default), name or batch.
    #[param(inline)]
    sort: Option<LoanOrder>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` or `previous` from another page.
    cursor: Option<String>,
}

impl LoanQuery {
    fn listing(&self, today: Date) -> Result<Listing> {
        let mut invalid = Invalid::default();
        let query = SEARCH.check(&self.q, &mut invalid);
        let order = match self.sort {
            None | Some(LoanOrder::ReturnDate) => Order::ReturnDate,
            Some(LoanOrder::Name) => Order::Name,
            Some(LoanOrder::Batch) => Order::Batch,
        };
        let list = Listing { order, ..Listing::of(&query) };
        let due = self.due.map_or(list.due, |due| due.days(today));
        Ok(invalid.into_result(Listing { due, ..list })?)
    }
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
    /// Day of the last reminder of the loan, by slip or mail.
    #[schema(required, value_type = Option<String>, format = Date)]
    reminded: Option<Date>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanList {
    /// Open loans with their borrowers, in the requested order.
    loans: Vec<BorrowedBook>,
    /// Number of matches on all pages.
    total: i64,
    /// Fines of the matches on all pages, as of today.
    fines: Money,
    /// Number of open loans that match the search, whatever `due` says.
    open: i64,
    /// Number of overdue ones among them.
    overdue: i64,
    /// Number of those due today.
    due_today: i64,
    /// Number of those due from today to Sunday.
    due_this_week: i64,
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
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let clock = app.library.clock.clone();
    let mut list = query.listing(today)?;
    let limit = page::length(query.limit, 50)?;
    let position = page::place(query.cursor.as_deref())?;
    let list = app
        .library
        .db
        .snapshot(move |tx| -> Result<LoanList> {
            let rulebook = policies.current(tx)?;
            list.with_prices = rulebook.history.need_prices();
            let Found { page, total, alike, by_due } = loans::open_page(tx, &list, position, limit)?;
            let fine = |of: &Alike| {
                let whose = (of.category.as_str(), of.price);
                let each = fine::amount(of.due, today, &rulebook.history, whose, &rulebook.calendar);
                Money(each.0.saturating_mul(of.loans))
            };
            let due_within = |(first, last): (Date, Date)| -> i64 {
                by_due.iter().filter(|(due, _)| (first..=last).contains(due)).map(|(_, loans)| loans).sum()
            };
            Ok(LoanList {
                next: page.next.as_ref().map(page::cursor),
                previous: page.previous.as_ref().map(page::cursor),
                loans: page.rows.into_iter().map(|row| shown(row, &rulebook, today, &clock)).collect(),
                total,
                fines: alike.iter().map(fine).sum(),
                open: due_within((Date::MIN, Date::MAX)),
                overdue: due_within(Due::Overdue.days(today)),
                due_today: due_within(Due::Today.days(today)),
                due_this_week: due_within(Due::Week.days(today)),
                today,
            })
        })
        .await?;
    Ok(axum::Json(list))
}

fn shown(row: Borrowed, rulebook: &Rulebook, today: Date, clock: &Clock) -> BorrowedBook {
    BorrowedBook {
        reminded: row.reminded_at.map(|at| clock.day_of(at)),
        loan: view(row.loan, rulebook, today),
        user_name: row.user_name,
        roll_number: row.roll_number,
        batch: row.batch,
    }
}

/// Loans for which reminder slips were printed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SlipsForm {
    /// 1 to 2000 open loans; loans that have ended meanwhile are ignored.
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 2000)]
    loans: Vec<LoanId>,
}

/// Maximum number of loans in a call: with the longest ids they fit into a body ([`super::BODY_LIMIT`]).
const SLIPS_AT_ONCE: usize = 2000;

/// Record the printing of reminder slips for these loans: the day on each loan, and the slip in each reader's history.
#[utoipa::path(post, path = "/loans/slips", request_body = SlipsForm, responses((status = 204)))]
pub async fn record_slips(
    extract::State(app): extract::State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<SlipsForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    if form.loans.is_empty() {
        invalid.push("loans", message::missing());
    } else if form.loans.len() > SLIPS_AT_ONCE {
        invalid.push("loans", message::too_many("Loans", SLIPS_AT_ONCE));
    }
    invalid.refuse_repeats("loans", &form.loans);
    invalid.into_result(())?;
    let (now, by) = (app.library.clock.now(), librarian.uid);
    app.once(once, move |tx| {
        let mut readers: BTreeMap<UserId, Vec<LoanId>> = BTreeMap::new();
        for (loan, reader) in loans::record_slips(tx, &form.loans, now)? {
            readers.entry(reader).or_default().push(loan);
        }
        let slip = |(reader, loans)| Entry {
            person: Some(reader),
            book: None,
            copy: None,
            change: LoanChange::SlipPrinted { loans }.into(),
        };
        let slips: Vec<Entry> = readers.into_iter().map(slip).collect();
        events::record_all(tx, now, Some(by), &slips)?;
        Ok(Answer::empty())
    })
    .await
}

const FILE_COLUMNS: [&str; 11] = [
    "name",
    "rollNumber",
    "batch",
    "title",
    "barcode",
    "entryDate",
    "returnDate",
    "renewals",
    "overdueDays",
    "fine",
    "reminded",
];

/// Export the list of open loans as CSV: all matches, at most 100 000. Cells that a spreadsheet would read as formulas
/// are guarded.
#[utoipa::path(get, path = "/loans.csv", params(LoanQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_loans(
    extract::State(app): extract::State<Shared>,
    Query(query): Query<LoanQuery>,
) -> Result<Response> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let list = query.listing(today)?;
    let ids = app.library.db.snapshot(move |tx| loans::open_ids(tx, &list, MOST_ROWS)).await?;
    csv_file::answer(&format!("loans-{today}.csv"), FILE_COLUMNS, ids.into_iter(), move |mut ids| {
        let (app, policies) = (Arc::clone(&app), policies.clone());
        let clock = app.library.clock.clone();
        async move {
            let portion: Vec<LoanId> =
                ids.by_ref().take(usize::try_from(PORTION).unwrap_or_default()).collect();
            let found = app.library.db.snapshot(move |tx| -> Result<Vec<BorrowedBook>> {
                let rulebook = policies.current(tx)?;
                let found = loans::in_order(tx, &portion)?;
                Ok(found.into_iter().map(|row| shown(row, &rulebook, today, &clock)).collect())
            });
            let rows = found.await?.into_iter().map(cells_of).collect();
            Ok((rows, (ids.len() > 0).then_some(ids)))
        }
    })
    .await
}

/// Returns a loan's row of the file.
fn cells_of(borrowed: BorrowedBook) -> [String; FILE_COLUMNS.len()] {
    let (units, rest) = borrowed.loan.fine.parts();
    [
        borrowed.user_name,
        borrowed.roll_number,
        borrowed.batch,
        borrowed.loan.title,
        borrowed.loan.barcode,
        borrowed.loan.entry_date.to_string(),
        borrowed.loan.return_date.to_string(),
        borrowed.loan.renewals.to_string(),
        borrowed.loan.overdue_days.to_string(),
        format!("{units}.{rest:02}"),
        borrowed.reminded.map(|day| day.to_string()).unwrap_or_default(),
    ]
}
