//! Ids: 64-bit numbers counted by the database and never reused, each with a type of its own so that a book's cannot
//! stand where a loan's belongs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }
    )+ };
}

ids! {
    /// A person's account.
    UserId,
    /// A title of the catalogue.
    BookId,
    /// A physical copy of a title.
    CopyId,
    /// A loan, open or ended.
    LoanId,
    /// A review.
    ReviewId,
    /// A line of a person's account.
    LineId,
    /// An entry of the record of changes.
    ChangeId,
    /// A reader's wish for a title, open or ended.
    HoldId,
    /// A page of a browser at which scans are decided.
    DeskId,
    /// A phone that scans for a desk.
    PhoneId,
    /// A passkey.
    PasskeyId,
    /// A session of somebody who is signed in.
    SessionId,
    /// A scan that a phone made.
    PhoneScanId,
}
