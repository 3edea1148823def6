//! Ids: 64-bit numbers assigned by the database and never reused. A type for each kind keeps a book's id from being
//! passed for a loan's.

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
    /// Id of a person's account.
    UserId,
    /// Id of a title.
    BookId,
    /// Id of a physical copy.
    CopyId,
    /// Id of a loan, open or ended.
    LoanId,
    /// Id of a review.
    ReviewId,
    /// Id of an account line.
    LineId,
    /// Id of a recorded change.
    ChangeId,
    /// Id of a hold, open or ended.
    HoldId,
    /// Id of a browser page that runs the desk.
    DeskId,
    /// Id of a phone that scans for a desk.
    PhoneId,
    /// Id of a passkey.
    PasskeyId,
    /// Id of a signed-in session.
    SessionId,
    /// Id of a phone's scan.
    PhoneScanId,
    /// Id of an import of books.
    ImportId,
    /// Id of a notice.
    NoticeId,
    /// Id of an outgoing mail.
    MailId,
}
