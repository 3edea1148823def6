//! Money: the lines of a person's account, and the numbers of receipts (R-MONEY-2, R-MONEY-3).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    copy::names,
    id::{LineId, LoanId, UserId},
    money::Money,
    rule::{Kind, Text},
};
use crate::message::Message;

names! {
    /// What a line of an account is.
    LineKind {
        Charge = "charge",
        Payment = "payment",
        /// Part of a charge that is not asked for, with a reason.
        Waiver = "waiver",
        /// Takes back another line.
        Reversal = "reversal",
        /// Credit that was paid out.
        Refund = "refund",
    }
}

names! {
    /// What a charge is for.
    ChargeKind {
        /// The fine of a loan that has ended.
        Overdue = "overdue",
        /// What a lost copy costs.
        Lost = "lost",
        /// What the repair of a copy costs.
        Damage = "damage",
        Other = "other",
    }
}

names! {
    /// How a payment is made.
    Method {
        Cash = "cash",
        Upi = "upi",
        Card = "card",
        Other = "other",
    }
}

/// Why something is charged or waived.
pub const REASON: Text = Text { field: "reason", label: "Reason", min: 1, max: 500, kind: Kind::Line };
/// What a payment is found by elsewhere, such as the number of a transfer.
pub const REFERENCE: Text =
    Text { field: "reference", label: "Reference", min: 0, max: 100, kind: Kind::Line };
/// The smallest amount of one line.
pub const SMALLEST: Money = Money(1);
/// The largest amount of one line; more is a typing mistake.
pub const LARGEST: Money = Money::main(10_000_000);

/// A line of an account.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub id: LineId,
    /// When, RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    pub kind: LineKind,
    /// What a charge is for (`overdue`, `lost`, `damage`, `other`), or how a payment or a refund was made (`cash`, `upi`,
    /// `card`, `other`).
    #[schema(required)]
    pub of: Option<String>,
    /// In words: the title of the book, why it is waived.
    pub reason: String,
    /// What the balance grows by; payments and waivers are below zero.
    pub amount: Money,
    /// How the amount came about, and what became of it.
    pub explain: Vec<Message>,
    /// Of a charge, what is still to be paid; otherwise 0.
    pub open: Money,
    /// Of a payment, the number of its receipt.
    #[schema(required)]
    pub receipt: Option<String>,
    pub reference: String,
    #[schema(required)]
    pub loan_id: Option<LoanId>,
    /// Of a reversal, the line that is taken back.
    #[schema(required)]
    pub reverses: Option<LineId>,
    /// Whether a reversal has taken it back, and stands itself.
    pub reversed: bool,
}

/// A line among those of everybody.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Booked {
    #[serde(flatten)]
    pub line: Line,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(required)]
    pub roll_number: Option<String>,
    /// Who wrote it.
    pub by: String,
}

/// What the lines of one kind come to in a period. What was taken back counts in the period in which that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Total {
    pub kind: LineKind,
    /// What the charges are for, or how the payments were made.
    #[schema(required)]
    pub of: Option<String>,
    /// How many lines, without those that take back.
    pub count: i64,
    /// Their sum; above zero for payments and waivers too.
    pub amount: Money,
    /// What was taken back of such lines.
    pub taken_back: Money,
    /// The sum without what was taken back.
    pub net: Money,
}

/// A charge that is not settled.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Charge {
    pub id: LineId,
    pub of: ChargeKind,
    /// The title of the book, or what else it is for.
    pub reason: String,
    pub amount: Money,
    /// How the amount came about.
    pub explain: Vec<Message>,
    /// What is still to be paid.
    pub open: Money,
    #[schema(required)]
    pub loan_id: Option<LoanId>,
}

/// Part of a charge that a payment settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Settled {
    pub charge: LineId,
    pub amount: Money,
}

/// What is printed for a payment.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// `2026-27/000123`: gapless in each financial year (R-MONEY-3).
    pub number: String,
    /// When it was paid, RFC 3339.
    #[schema(format = DateTime)]
    pub at: String,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(required)]
    pub roll_number: Option<String>,
    pub amount: Money,
    pub method: Method,
    pub reference: String,
    /// Who took it.
    pub by: String,
    /// What it was for.
    pub items: Vec<ReceiptItem>,
    /// What was owed on the account afterwards.
    pub balance: Money,
    /// Whether the payment was taken back.
    pub reversed: bool,
}

/// A line of a receipt.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReceiptItem {
    pub of: ChargeKind,
    pub reason: String,
    pub amount: Money,
    /// How the charge came about.
    pub explain: Vec<Message>,
}

/// The financial year of a day as receipts write it: `2026-27`, or `2026` where it begins in January.
#[must_use]
pub fn financial_year(day: Date, first_month: i8) -> String {
    let year = if day.month() < first_month { day.year() - 1 } else { day.year() };
    if first_month == 1 { year.to_string() } else { format!("{year}-{:02}", (year + 1).rem_euclid(100)) }
}

/// The number of a receipt.
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
