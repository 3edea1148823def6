//! Changes of holds.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{About, Overridden, is_false};
use crate::{
    domain::{
        account::Capability,
        copy::State,
        hold::HoldState,
        id::{CopyId, HoldId},
    },
    message::{self, Message},
};

/// A change of a hold or a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum HoldChange {
    HoldPlaced {
        hold: HoldId,
        title: String,
        /// Place in the queue, from 1.
        place: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    /// A copy is kept for the person.
    HoldReady {
        hold: HoldId,
        title: String,
        copy: CopyId,
        barcode: String,
        until: Date,
        /// State of the copy before this hold kept the copy.
        from: State,
    },
    HoldCancelled {
        #[serde(flatten)]
        ended: EndedHold,
        title: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The person did not fetch the copy in time.
    HoldExpired {
        #[serde(flatten)]
        ended: EndedHold,
        title: String,
    },
    /// The kept copy is not available; the person is first in the queue again.
    HoldPutBack {
        #[serde(flatten)]
        before: PassedOver,
        title: String,
    },
    /// A person was moved to another place in the queue.
    HoldsReordered {
        hold: HoldId,
        title: String,
        from: i64,
        to: i64,
        /// Sort keys of the queue before and after.
        before: Vec<QueueKey>,
        after: Vec<QueueKey>,
        reason: String,
    },
}

impl HoldChange {
    pub(super) fn about(&self) -> About<'static> {
        let of = |action, holds| About { holds, of_reader: true, ..About::of(action) };
        let at_desk = |action, holds| About { at_desk: true, ..of(action, holds) };
        let undone_by = Some(Capability::Desk);
        match self {
            Self::HoldPlaced { hold, .. } => About { undone_by, ..at_desk("hold-placed", vec![*hold]) },
            Self::HoldReady { hold, copy, .. } => {
                About { copies: vec![*copy], undone_by, ..at_desk("hold-ready", vec![*hold]) }
            }
            // The reason is free text about the person.
            Self::HoldCancelled { ended, reason, .. } => About {
                copies: ended.copies(),
                undone_by,
                personal: !reason.is_empty(),
                ..at_desk("hold-cancelled", ended.holds())
            },
            Self::HoldExpired { ended, .. } => {
                About { copies: ended.copies(), ..of("hold-expired", ended.holds()) }
            }
            Self::HoldPutBack { before, .. } => {
                About { copies: vec![before.copy], ..at_desk("hold-put-back", vec![before.hold]) }
            }
            Self::HoldsReordered { hold, .. } => of("holds-reordered", vec![*hold]),
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        match self {
            Self::HoldPlaced { title, place, overridden, .. } => {
                let placed = message::change_hold_placed(title, *place);
                std::iter::once(placed).chain(overridden.as_ref().map(Overridden::message)).collect()
            }
            Self::HoldReady { title, barcode, until, .. } => {
                vec![message::change_hold_ready(title, barcode, *until)]
            }
            Self::HoldCancelled { title, reason, .. } => {
                let cancelled = message::change_hold_cancelled(title);
                let reason = (!reason.is_empty()).then(|| message::change_reason(reason));
                std::iter::once(cancelled).chain(reason).collect()
            }
            Self::HoldExpired { title, .. } => vec![message::change_hold_expired(title)],
            Self::HoldPutBack { title, .. } => vec![message::change_hold_put_back(title)],
            Self::HoldsReordered { title, from, to, reason, .. } => {
                vec![message::change_holds_reordered(title, *from, *to), message::change_reason(reason)]
            }
        }
    }

    pub(super) fn undone(&self) -> Option<Message> {
        match self {
            Self::HoldPlaced { title, .. } => Some(message::undone_hold_placed(title)),
            Self::HoldReady { title, .. } => Some(message::undone_hold_ready(title)),
            Self::HoldCancelled { title, .. } => Some(message::undone_hold_cancelled(title)),
            Self::HoldExpired { .. } | Self::HoldPutBack { .. } | Self::HoldsReordered { .. } => None,
        }
    }
}

/// An ended hold, with what its undo restores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedHold {
    pub hold: HoldId,
    /// [`HoldState::Ready`] if a copy was kept, otherwise [`HoldState::Waiting`].
    pub was: HoldState,
    /// The kept copy and its last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// The hold that keeps the copy now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_to: Option<HoldId>,
}

impl EndedHold {
    fn copies(&self) -> Vec<CopyId> {
        self.copy.into_iter().collect()
    }

    fn holds(&self) -> Vec<HoldId> {
        [self.hold].into_iter().chain(self.passed_to).collect()
    }
}

/// A hold that lost its kept copy, with what its undo restores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    pub hold: HoldId,
    pub copy: CopyId,
    pub until: Date,
    /// Earlier sort key in the queue.
    pub queue_key: i64,
    /// True if the hold is cancelled; otherwise the hold is first in the queue again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancelled: bool,
}

/// Sort key of a hold in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueKey {
    pub hold: HoldId,
    pub key: i64,
}
