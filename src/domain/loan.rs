//! Loans: what is stored of them, and what they look like on the wire.

use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    id::{BookId, CopyId, LoanId, UserId},
    money::Money,
};
use crate::message::Message;

/// What is stored of an open loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLoan {
    pub id: LoanId,
    pub user_id: UserId,
    pub book_id: BookId,
    /// The book's title when it was borrowed: the loan outlives a deleted book.
    pub title: String,
    pub copy_id: CopyId,
    pub barcode: String,
    pub entry_date: Date,
    pub return_date: Date,
    /// The days it was lent for; a later change of the rules does not change them (R-RULE-3).
    pub loan_days: i64,
    pub renewals: i64,
    /// Why the return date is what it is, where it is not simply entry date and loan days: messages, JSON.
    pub due_reasons: Option<String>,
    /// The borrower's category.
    pub category: String,
    /// The title is deleted: the copy is withdrawn when it comes back.
    pub title_deleted: bool,
}

/// A book that somebody has at home.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loan {
    pub id: LoanId,
    /// Who borrowed it.
    pub user_id: UserId,
    /// The book borrowed; the loan outlives a deleted book.
    pub book_id: BookId,
    /// The book's title when it was borrowed.
    pub title: String,
    /// The title is deleted from the catalogue: the copy is withdrawn when it comes back.
    pub title_deleted: bool,
    /// The copy borrowed, and its barcode.
    pub copy_id: CopyId,
    pub barcode: String,
    /// The day it was borrowed, in the library's time zone.
    #[serde(rename = "EntryDate")]
    #[schema(value_type = String, format = Date)]
    pub entry_date: Date,
    /// The last day on which it can be returned without a fine.
    #[schema(value_type = String, format = Date)]
    pub return_date: Date,
    /// How often it was renewed.
    pub renewals: i64,
    /// By how many days the rules of today extend it (R-LOAN-4).
    #[schema(minimum = 1)]
    pub renewal_days: i64,
    /// Owed as of today.
    pub fine: Money,
    /// Whole days past the return date.
    #[schema(minimum = 0)]
    pub overdue_days: i64,
    /// How the return date and the fine came about, in words.
    pub explain: Vec<String>,
    /// The same as messages: the steps to the return date, then those to the fine.
    pub reasons: Vec<Message>,
}
