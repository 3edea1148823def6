//! Lines of a person's account, and receipt numbers (R-MONEY-2, R-MONEY-3).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    copy::names,
    id::{LineId, LoanId, UserId},
    rule::{Kind, Text},
};
use crate::{message::Message, money::Money};

names! {
    /// Kind of an account line.
    LineKind {
        Charge = "charge",
        Payment = "payment",
        /// Part of a charge that is not collected, with a reason.
        Waiver = "waiver",
        /// Cancels another line.
        Reversal = "reversal",
        /// Credit paid out.
        Refund = "refund",
    }
}

names! {
    /// Reason for a charge.
    ChargeKind {
        /// Fine of an ended loan.
        Overdue = "overdue",
        /// Price of a lost copy.
        Lost = "lost",
        /// Repair of a copy.
        Damage = "damage",
        Other = "other",
    }
}

names! {
    /// Method of payment.
    Method {
        Cash = "cash",
        Upi = "upi",
        Card = "card",
        Other = "other",
    }
}

/// Reason for a charge or a waiver.
pub const REASON: Text = Text { field: "reason", label: "Reason", min: 1, max: 500, kind: Kind::Line };
/// External reference of a payment, such as a transfer number.
pub const REFERENCE: Text =
    Text { field: "reference", label: "Reference", min: 0, max: 100, kind: Kind::Line };
/// Smallest amount of a line.
pub const SMALLEST: Money = Money(1);
/// Largest amount of a line; more is a typing mistake.
pub const LARGEST: Money = Money::main(10_000_000);

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub id: LineId,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    pub kind: LineKind,
    /// Kind of a charge (`overdue`, `lost`, `damage`, `other`), or method of a payment or a refund (`cash`, `upi`,
    /// `card`, `other`).
    #[schema(required)]
    pub of: Option<String>,
    /// Title of the book, or reason of a waiver.
    pub reason: String,
    /// Change of the balance; negative for payments and waivers.
    pub amount: Money,
    /// Explanation of the amount, then the settlements of a charge, or the charges that another line settled.
    pub explain: Vec<Message>,
    /// Unpaid part of a charge; otherwise 0.
    pub open: Money,
    /// Receipt number of a payment.
    #[schema(required)]
    pub receipt: Option<String>,
    pub reference: String,
    #[schema(required)]
    pub loan_id: Option<LoanId>,
    /// The line that a reversal cancels.
    #[schema(required)]
    pub reverses: Option<LineId>,
    /// True if a reversal cancels this line and was not itself reversed.
    pub reversed: bool,
    /// True if money changed hands: a payment, a refund, or the reversal of one. Other lines only change what is owed.
    pub moves_money: bool,
}

/// An account line with its person.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Booked {
    #[serde(flatten)]
    pub line: Line,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(required)]
    pub roll_number: Option<String>,
    /// Name of the librarian.
    pub by: String,
}

/// Totals of one kind of lines in a period. A reversal counts in the period in which it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Total {
    pub kind: LineKind,
    /// Kind of the charges, or method of the payments.
    #[schema(required)]
    pub of: Option<String>,
    /// Number of lines, without reversals.
    pub count: i64,
    /// Sum of the lines; positive for payments and waivers too.
    pub amount: Money,
    /// Sum of the reversals of such lines.
    pub taken_back: Money,
    /// `amount` less `takenBack`.
    pub net: Money,
}

/// A charge that is not settled.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Charge {
    pub id: LineId,
    pub of: ChargeKind,
    /// The book's title, or another reason.
    pub reason: String,
    pub amount: Money,
    /// Explanation of the amount.
    pub explain: Vec<Message>,
    /// Unpaid part.
    pub open: Money,
    #[schema(required)]
    pub loan_id: Option<LoanId>,
}

/// Part of a charge settled by a payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Settled {
    pub charge: LineId,
    pub amount: Money,
}

/// Receipt of a payment.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// `2026-27/000123`: gapless in each financial year (R-MONEY-3).
    pub number: String,
    /// Time of the payment, RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(required)]
    pub roll_number: Option<String>,
    pub amount: Money,
    pub method: Method,
    pub reference: String,
    /// Name of the librarian.
    pub by: String,
    /// Settled charges.
    pub items: Vec<ReceiptItem>,
    /// Balance of the account after the payment.
    pub balance: Money,
    /// True if the payment was reversed.
    pub reversed: bool,
    /// Number of prints. All but the first are copies (R-MONEY-3).
    pub prints: i64,
}

/// Item of a receipt.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReceiptItem {
    pub of: ChargeKind,
    pub reason: String,
    pub amount: Money,
    /// Explanation of the charge.
    pub explain: Vec<Message>,
}

/// Financial year of a day as on receipts: `2026-27`, or `2026` if it begins in January.
#[must_use]
pub fn financial_year(day: Date, first_month: i8) -> String {
    let year = if day.month() < first_month { day.year() - 1 } else { day.year() };
    if first_month == 1 { year.to_string() } else { format!("{year}-{:02}", (year + 1).rem_euclid(100)) }
}

/// Formats a receipt number.
#[must_use]
pub fn receipt_number(year: &str, number: i64) -> String {
    format!("{year}/{number:06}")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_financial_year_begins_in_april_unless_set_otherwise_r_money_3() {
        for (day, month, year) in [
            (date(2026, 4, 1), 4, "2026-27"),
            (date(2027, 3, 31), 4, "2026-27"),
            (date(2099, 12, 31), 4, "2099-00"),
            (date(2026, 1, 1), 1, "2026"),
            (date(2026, 6, 30), 7, "2025-26"),
        ] {
            assert_eq!(financial_year(day, month), year, "{day} {month}");
        }
        assert_eq!(receipt_number("2026-27", 123), "2026-27/000123");
    }
}
