//! Changes of copies.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::About;
use crate::{
    domain::{
        account::Capability,
        copy::{Condition, State},
        id::CopyId,
    },
    message::{self, Message},
    money::Money,
};

/// A change of copies, apart from loans and holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum CopyChange {
    /// `copies` lists the first of the `count` copies.
    CopiesAdded {
        count: i64,
        copies: Vec<AddedCopy>,
    },
    CopyUpdated {
        copy: CopyId,
        before: CopyRecord,
        after: CopyRecord,
    },
    CopyMoved {
        copy: CopyId,
        barcode: String,
        from: State,
        to: Condition,
        note: String,
    },
}

impl CopyChange {
    pub(super) fn about(&self) -> About<'static> {
        match self {
            Self::CopiesAdded { .. } => About::of("copies-added"),
            Self::CopyUpdated { copy, .. } => About { copies: vec![*copy], ..About::of("copy-updated") },
            Self::CopyMoved { copy, .. } => About {
                copies: vec![*copy],
                undone_by: Some(Capability::Desk),
                at_desk: true,
                ..About::of("copy-moved")
            },
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        match self {
            Self::CopiesAdded { count, copies } => {
                let first = copies.first().map_or("", |copy| copy.barcode.as_str());
                vec![message::change_copies_added(*count, first)]
            }
            Self::CopyUpdated { after, .. } => vec![message::change_copy_updated(&after.barcode)],
            Self::CopyMoved { barcode, from, to, note, .. } => {
                let moved = message::change_copy_moved(barcode, from.as_str(), to.as_str());
                let note = (!note.is_empty()).then(|| message::change_note(note));
                std::iter::once(moved).chain(note).collect()
            }
        }
    }

    pub(super) fn undone(&self) -> Option<Message> {
        match self {
            Self::CopyMoved { barcode, from, .. } => Some(message::undone_moved(barcode, from.as_str())),
            Self::CopiesAdded { .. } | Self::CopyUpdated { .. } => None,
        }
    }
}

/// A copy added to the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedCopy {
    pub id: CopyId,
    pub barcode: String,
}

/// Editable fields of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyRecord {
    pub barcode: String,
    /// Location of the copy itself; `None` for that of its title.
    pub location: Option<String>,
    pub note: String,
    pub price: Option<Money>,
    pub acquired_on: Option<Date>,
}
