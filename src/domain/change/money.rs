//! Changes of accounts.

use serde::{Deserialize, Serialize};

use super::{About, is_zero};
use crate::{
    domain::{
        account::Capability,
        id::{ImportId, LineId},
        ledger::{ChargeKind, Method, Settled},
    },
    message::{self, Message},
    money::Money,
};

/// A change of an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum MoneyChange {
    Charged {
        line: LineId,
        of: ChargeKind,
        amount: Money,
        reason: String,
    },
    /// A charge of another system was imported.
    ChargeImported {
        line: LineId,
        import: ImportId,
        of: ChargeKind,
        amount: Money,
        reason: String,
    },
    Paid {
        line: LineId,
        receipt: String,
        amount: Money,
        method: Method,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reference: String,
        settled: Vec<Settled>,
    },
    Waived {
        line: LineId,
        charge: LineId,
        of: ChargeKind,
        amount: Money,
        reason: String,
    },
    /// A charge was reversed, such as the price of a copy that was found.
    ChargeReversed {
        line: LineId,
        charge: LineId,
        of: ChargeKind,
        title: String,
        amount: Money,
        /// Paid part of the charge.
        #[serde(default, skip_serializing_if = "is_zero")]
        credit: Money,
        reason: String,
    },
    /// A payment was reversed; its receipt keeps its number.
    PaymentReversed {
        line: LineId,
        payment: LineId,
        receipt: String,
        amount: Money,
        method: Method,
        /// Charges that are owed again.
        charges: Vec<LineId>,
        reason: String,
    },
    /// The till was closed.
    TillClosed {
        number: i64,
        expected: Money,
        /// Opening float.
        #[serde(default, skip_serializing_if = "is_zero")]
        opening: Money,
        counted: Money,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    Refunded {
        line: LineId,
        amount: Money,
        method: Method,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reference: String,
    },
}

impl MoneyChange {
    pub(super) fn about(&self) -> About<'static> {
        let of = |action, undone_by, lines| About {
            lines,
            undone_by: Some(undone_by),
            at_desk: true,
            ..About::of(action)
        };
        match self {
            Self::Charged { .. } => of("charged", Capability::Money, Vec::new()),
            Self::ChargeImported { .. } => About::of("charge-imported"),
            Self::Paid { line, settled, .. } => {
                let charges = settled.iter().map(|part| part.charge);
                of("paid", Capability::Desk, charges.chain([*line]).collect())
            }
            Self::Waived { charge, .. } => of("waived", Capability::Money, vec![*charge]),
            Self::ChargeReversed { charge, .. } => of("charge-reversed", Capability::Money, vec![*charge]),
            Self::PaymentReversed { payment, charges, .. } => {
                of("payment-reversed", Capability::Money, charges.iter().copied().chain([*payment]).collect())
            }
            Self::TillClosed { .. } => About { at_desk: true, ..About::of("till-closed") },
            Self::Refunded { .. } => of("refunded", Capability::Money, Vec::new()),
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        match self {
            Self::Charged { of, amount, reason, .. } => {
                vec![message::change_charged_for(of.as_str(), *amount, reason)]
            }
            Self::ChargeImported { of, amount, reason, .. } => {
                vec![message::change_charge_imported(of.as_str(), *amount, reason)]
            }
            Self::Paid { receipt, amount, method, .. } => {
                vec![message::change_paid(*amount, method.as_str(), receipt)]
            }
            Self::Waived { amount, reason, .. } => {
                vec![message::change_waived(*amount), message::change_reason(reason)]
            }
            Self::ChargeReversed { title, amount, credit, reason, .. } => {
                let credit = (*credit > Money::ZERO).then(|| message::explain_credit(*credit));
                std::iter::once(message::change_charge_reversed(title, *amount))
                    .chain(credit)
                    .chain([message::change_reason(reason)])
                    .collect()
            }
            Self::PaymentReversed { receipt, amount, reason, .. } => {
                vec![message::change_payment_reversed(receipt, *amount), message::change_reason(reason)]
            }
            Self::TillClosed { number, expected, opening, counted, note } => {
                let note = (!note.is_empty()).then(|| message::change_note(note));
                std::iter::once(message::change_till_closed(*number, *counted, *expected + *opening))
                    .chain(note)
                    .collect()
            }
            Self::Refunded { amount, method, .. } => {
                vec![message::change_refunded(*amount, method.as_str())]
            }
        }
    }

    pub(super) fn undone(&self) -> Option<Message> {
        Some(match self {
            Self::Charged { amount, .. } | Self::ChargeImported { amount, .. } => {
                message::undone_charged(*amount)
            }
            Self::Paid { amount, receipt, .. } => message::undone_paid(*amount, receipt),
            Self::Waived { amount, .. } => message::undone_waived(*amount),
            Self::ChargeReversed { title, amount, .. } => message::undone_charge_reversed(title, *amount),
            Self::PaymentReversed { receipt, amount, .. } => {
                message::undone_payment_reversed(receipt, *amount)
            }
            Self::TillClosed { .. } => return None,
            Self::Refunded { amount, .. } => message::undone_refunded(*amount),
        })
    }
}
