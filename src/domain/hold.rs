//! Holds: people who queue for a title, and the copy kept for the first (R-HOLD-1).

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    calendar::Calendar,
    copy::names,
    id::{BookId, CopyId, HoldId, UserId},
};

names! {
    /// The state of a hold.
    HoldState {
        Waiting = "waiting",
        /// Waiting, while a reader reported a return that the desk has not checked in. Not stored: derived from the
        /// place in the queue and the title's unseen copies.
        Processing = "processing",
        /// A copy is kept for the person.
        Ready = "ready",
        /// The person borrowed a copy.
        Fulfilled = "fulfilled",
        /// The person did not fetch the copy in time.
        Expired = "expired",
        Cancelled = "cancelled",
    }
}

impl HoldState {
    /// True if the person waits or a copy is kept.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Processing | Self::Ready)
    }
}

/// A person's hold on a title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    pub id: HoldId,
    pub book_id: BookId,
    pub title: String,
    pub user_id: UserId,
    pub user_name: String,
    #[schema(required)]
    pub roll_number: Option<String>,
    pub state: HoldState,
    /// Place in the queue, from 1; null unless waiting.
    #[schema(required)]
    pub place: Option<i64>,
    /// Number of people who wait for the title.
    pub waiting: i64,
    /// Last day on which the copy is, or was, kept.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub ready_until: Option<Date>,
    /// The copy that is, or was, kept, and its barcode.
    #[schema(required)]
    pub copy_id: Option<CopyId>,
    #[schema(required)]
    pub barcode: Option<String>,
    /// Day by which a copy should be back for this place if all loans are returned in time; null if that is unknown or
    /// a copy is available.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub back_by: Option<Date>,
    /// False if no copy of the title is left that could be lent.
    pub fillable: bool,
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub placed_at: String,
}

/// Last day on which a copy is kept: the stored day, or the next open day if the stored day is now a closed day.
#[must_use]
pub fn last_day(ready_until: Date, calendar: &Calendar) -> Date {
    calendar.next_open(ready_until).unwrap_or(ready_until)
}
