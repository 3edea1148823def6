//! Holds: people who wait for a title, in line, and the copy that is kept for whoever is first (R-HOLD-1).

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
        /// It waits, and a reader says that they have returned a copy, which the desk has not seen. Not stored: it follows
        /// from the place in the line and the title's unseen copies.
        Processing = "processing",
        /// A copy is kept for the person.
        Ready = "ready",
        /// The person has borrowed a copy.
        Fulfilled = "fulfilled",
        /// The person did not come in time.
        Expired = "expired",
        Cancelled = "cancelled",
    }
}

impl HoldState {
    /// Whether the person still waits, or a copy is kept.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Processing | Self::Ready)
    }
}

/// A person's wish for a title.
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
    /// The place in the line, from 1; null where it is not waiting.
    #[schema(required)]
    pub place: Option<i64>,
    /// How many people wait for the title.
    pub waiting: i64,
    /// The last day on which the copy is kept, or was.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub ready_until: Option<Date>,
    /// The copy that is kept, or was, and its barcode.
    #[schema(required)]
    pub copy_id: Option<CopyId>,
    #[schema(required)]
    pub barcode: Option<String>,
    /// By when a copy should be there for this place, if all that are on loan come back in time; null where nobody can
    /// say, or it is there already.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub back_by: Option<Date>,
    /// When it was placed, RFC 3339.
    #[schema(format = DateTime)]
    pub placed_at: String,
}

/// The last day on which a copy is kept: as it was when the copy was caught, and one that was closed since moves to the
/// next open day.
#[must_use]
pub fn last_day(ready_until: Date, calendar: &Calendar) -> Date {
    calendar.next_open(ready_until).unwrap_or(ready_until)
}
