//! Loans as stored and as sent.

use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::id::{BookId, CopyId, LoanId, UserId};
use crate::{message::Message, money::Money};

/// An open loan as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLoan {
    pub id: LoanId,
    pub user_id: UserId,
    pub book_id: BookId,
    /// Title at check-out: the loan outlives a deleted book.
    pub title: String,
    pub copy_id: CopyId,
    pub barcode: String,
    pub entry_date: Date,
    pub return_date: Date,
    /// Loan days at check-out; later changes of the rules do not alter them (R-RULE-3).
    pub loan_days: i64,
    pub renewals: i64,
    /// Explanation of the return date as JSON messages, if it is not just entry date plus loan days.
    pub due_reasons: Option<String>,
    /// The borrower's category.
    pub category: String,
    /// Price of the copy, or of the title's copies, if one is recorded.
    pub price: Option<Money>,
    /// True if the title is deleted: the copy is withdrawn at its return.
    pub title_deleted: bool,
}

/// A loan, with its fine as of today.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loan {
    pub id: LoanId,
    /// The borrower.
    pub user_id: UserId,
    /// Id of the title, which may have been deleted since.
    pub book_id: BookId,
    /// Title at check-out.
    pub title: String,
    /// True if the title is deleted from the catalogue: the copy is withdrawn at its return.
    pub title_deleted: bool,
    pub copy_id: CopyId,
    pub barcode: String,
    /// Day of check-out in the library's time zone.
    #[serde(rename = "EntryDate")]
    #[schema(value_type = String, format = Date)]
    pub entry_date: Date,
    /// Last day for a return without a fine.
    #[schema(value_type = String, format = Date)]
    pub return_date: Date,
    /// Number of renewals.
    pub renewals: i64,
    /// Days that a renewal adds by today's rules (R-LOAN-4).
    #[schema(minimum = 1)]
    pub renewal_days: i64,
    /// Fine as of today.
    pub fine: Money,
    /// Whole days past the return date.
    #[schema(minimum = 0)]
    pub overdue_days: i64,
    /// `reasons` in English.
    pub explain: Vec<String>,
    /// Explanation of the return date, then of the fine.
    pub reasons: Vec<Message>,
}
