//! Loans of one person, open and ended (R-PEOPLE-2).

use axum::extract::State;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    circulation::view,
    domain::{
        id::{BookId, CopyId, LoanId, UserId},
        loan::Loan,
    },
    http::{
        Shared,
        error::{Error, Result},
        extract::{Id, Query},
        page,
    },
    money::Money,
    storage::{
        loans::{self, Ended},
        people,
    },
};

/// State of a loan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoanState {
    #[default]
    Open,
    Ended,
}

/// Selection of a person's loans.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PersonLoansQuery {
    /// State of the loans; `open` by default.
    #[serde(default)]
    #[param(inline, required = false)]
    state: LoanState,
    /// Page length of ended loans, 1 to 100; 50 by default. All open loans are on one page.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedLoan {
    id: LoanId,
    book_id: BookId,
    /// Title at the time of the loan.
    title: String,
    /// Copy that was lent; null for loans from before the library recorded copies.
    #[schema(required)]
    copy_id: Option<CopyId>,
    #[schema(required)]
    barcode: Option<String>,
    /// Day of the loan.
    #[serde(rename = "EntryDate")]
    #[schema(value_type = String, format = Date)]
    entry_date: Date,
    #[schema(value_type = String, format = Date)]
    return_date: Date,
    /// Day of the return, as counted for the fine.
    #[schema(value_type = String, format = Date)]
    ended_on: Date,
    renewals: i64,
    /// Fine when the loan ended.
    fine: Money,
}

impl From<Ended> for EndedLoan {
    fn from(ended: Ended) -> Self {
        Self {
            id: ended.id,
            book_id: ended.book_id,
            title: ended.title,
            copy_id: ended.copy_id,
            barcode: ended.barcode,
            entry_date: ended.entry_date,
            return_date: ended.return_date,
            ended_on: ended.ended_on,
            renewals: ended.renewals,
            fine: ended.fine,
        }
    }
}

/// Open or ended loan.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum PersonLoan {
    Open(Loan),
    Ended(EndedLoan),
}

/// Page of a person's loans: open ones by due date, or ended ones, the last ended first.
#[derive(Serialize, ToSchema)]
pub struct PersonLoans {
    loans: Vec<PersonLoan>,
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List the loans of a person.
#[utoipa::path(get, path = "/people/{id}/loans", params(("id" = i64, Path), PersonLoansQuery),
    responses((status = 200, body = PersonLoans)))]
pub async fn list_loans_of_person(
    State(app): State<Shared>,
    Id(uid): Id<UserId>,
    Query(query): Query<PersonLoansQuery>,
) -> Result<axum::Json<PersonLoans>> {
    let limit = page::length(query.limit, 50)?;
    let before: Option<(i64, i64)> = page::place(query.cursor.as_deref())?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let loans = app
        .library
        .db
        .snapshot(move |tx| -> Result<PersonLoans> {
            let rulebook = policies.current(tx)?;
            people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
            if query.state == LoanState::Open {
                let open = loans::open_of_user(tx, uid)?.into_iter();
                let loans = open.map(|loan| PersonLoan::Open(view(loan, &rulebook, today))).collect();
                return Ok(PersonLoans { loans, today, next: None });
            }
            let mut ended = loans::ended_of_user(tx, uid, before, limit + 1)?;
            let length = usize::try_from(limit).unwrap_or_default();
            let goes_on = ended.len() > length;
            ended.truncate(length);
            let next = ended.last().filter(|_| goes_on).map(|last| page::cursor(&(last.ended_at, last.id.0)));
            let loans = ended.into_iter().map(|loan| PersonLoan::Ended(loan.into())).collect();
            Ok(PersonLoans { loans, today, next })
        })
        .await?;
    Ok(axum::Json(loans))
}
