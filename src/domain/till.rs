//! The till: money taken, paid out and reversed, and its closings.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    ledger::Method,
    rule::{Kind, Text},
};
use crate::money::Money;

/// Limits of the note on a closing.
pub const NOTE: Text = Text { field: "note", label: "Note", min: 0, max: 500, kind: Kind::Line };

/// Money of one method of payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TillSum {
    pub method: Method,
    /// Number of payments.
    pub payments: i64,
    pub amount: Money,
    /// Credit that was paid out.
    pub paid_out: Money,
    /// Payments of any day that were reversed.
    pub reversed: Money,
    /// `amount` less `paidOut` and `reversed`.
    pub net: Money,
}

/// Receipts from the first to the last, without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptRange {
    pub first: String,
    pub last: String,
    pub count: i64,
}

/// Money taken, paid out and reversed since a closing, or until the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TillContents {
    /// Totals for each method of payment.
    pub sums: Vec<TillSum>,
    /// Cash that should have been added to the till.
    pub expected: Money,
    /// Null without a payment.
    #[schema(required)]
    pub receipts: Option<ReceiptRange>,
    /// Receipts that were reversed.
    pub reversed: Vec<String>,
}

/// A closing of the till.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Closing {
    /// Without gaps, from 1.
    pub number: i64,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    /// Name of the librarian.
    pub by: String,
    #[serde(flatten)]
    pub contents: TillContents,
    /// Cash in the till at the start: the opening float.
    pub opening: Money,
    /// Counted cash, with the opening float.
    pub counted: Money,
    /// `counted` less `opening` and `expected`.
    pub difference: Money,
    pub note: String,
}
