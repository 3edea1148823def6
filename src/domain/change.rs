//! What happened: one typed change for every effect, kept in its transaction and never edited. The record of activity,
//! the history of a copy and the explanations read these; nothing parses free text.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{
    account::{Role, User},
    book::{Book, Status},
    calendar::CalendarForm,
    copy::{Condition, State},
    id::{BookId, CopyId, LoanId, ReviewId},
    library::LibrarySettings,
    money::Money,
    review::Review,
    rules::Rules,
};
use crate::message::{self, Message};

/// An effect with its own fields. Kept as JSON with the version 1 of these fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Change {
    Registered {
        role: Role,
    },
    ProfileUpdated {
        before: Profile,
        after: Profile,
    },
    SignedIn,
    BookAdded {
        book: Record,
    },
    BookUpdated {
        before: Record,
        after: Record,
    },
    BookDeleted {
        book: Record,
    },
    BooksImported {
        first: BookId,
        last: BookId,
        count: i64,
    },
    /// The first of them are listed.
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
    Lent {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        barcode: Option<String>,
        due: Date,
        /// The blocks that were overridden, and why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    Returned {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        due: Date,
        on: Date,
        to: Condition,
        fine: Money,
    },
    Renewed {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
        /// What the renewal fixed of the fine until then (R-MONEY-5).
        #[serde(default, skip_serializing_if = "is_zero")]
        charged: Money,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    Reviewed {
        review: ReviewId,
        rating: i64,
        /// What the same reader had written before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Opinion>,
    },
    ReviewDeleted {
        review: ReviewId,
        before: Opinion,
    },
    RulesChanged {
        before: Box<Rules>,
        after: Box<Rules>,
    },
    CalendarChanged {
        before: CalendarForm,
        after: CalendarForm,
    },
    SettingsChanged {
        before: Box<LibrarySettings>,
        after: Box<LibrarySettings>,
    },
    /// A change of the rules or the calendar moved it.
    DueDateMoved {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
    },
}

/// The stars and the words of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    pub rating: i64,
    pub comment: String,
}

impl From<&Review> for Opinion {
    fn from(review: &Review) -> Self {
        Self { rating: review.rating, comment: review.comment.clone() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(amount: &Money) -> bool {
    *amount == Money::ZERO
}

impl Change {
    /// The kind as the database and the API spell it.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self {
            Self::Registered { .. } => "registered",
            Self::ProfileUpdated { .. } => "profile-updated",
            Self::SignedIn => "signed-in",
            Self::BookAdded { .. } => "book-added",
            Self::BookUpdated { .. } => "book-updated",
            Self::BookDeleted { .. } => "book-deleted",
            Self::BooksImported { .. } => "books-imported",
            Self::CopiesAdded { .. } => "copies-added",
            Self::CopyUpdated { .. } => "copy-updated",
            Self::CopyMoved { .. } => "copy-moved",
            Self::Lent { .. } => "lent",
            Self::Returned { .. } => "returned",
            Self::Renewed { .. } => "renewed",
            Self::Reviewed { .. } => "reviewed",
            Self::ReviewDeleted { .. } => "review-deleted",
            Self::RulesChanged { .. } => "rules-changed",
            Self::CalendarChanged { .. } => "calendar-changed",
            Self::SettingsChanged { .. } => "settings-changed",
            Self::DueDateMoved { .. } => "due-date-moved",
        }
    }
}

impl Change {
    /// What happened, in words.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        match self {
            Self::Registered { role } => vec![message::change_registered(role.as_str())],
            Self::ProfileUpdated { .. } => vec![message::change_profile_updated()],
            Self::SignedIn => vec![message::change_signed_in()],
            Self::BookAdded { book } => vec![message::change_book_added(&book.title)],
            Self::BookUpdated { after, .. } => vec![message::change_book_updated(&after.title)],
            Self::BookDeleted { book } => vec![message::change_book_deleted(&book.title)],
            Self::BooksImported { count, .. } => vec![message::change_books_imported(*count)],
            Self::CopiesAdded { count, copies } => {
                let first = copies.first().map_or("", |copy| copy.barcode.as_str());
                vec![message::change_copies_added(*count, first)]
            }
            Self::CopyUpdated { after, .. } => vec![message::change_copy_updated(&after.barcode)],
            Self::CopyMoved { barcode, from, to, note, .. } => {
                let moved = message::change_copy_moved(barcode, from.as_str(), to.as_str());
                [Some(moved), (!note.is_empty()).then(|| message::change_note(note))]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Self::Lent { title, barcode, due, overridden, .. } => {
                let lent = match barcode {
                    Some(barcode) => message::change_lent_copy(title, barcode, *due),
                    None => message::change_lent(title, *due),
                };
                std::iter::once(lent).chain(overridden.as_ref().map(Overridden::told)).collect()
            }
            Self::Returned { title, to, fine, .. } => {
                let returned = match to {
                    Condition::OnShelf => message::change_returned(title),
                    Condition::ToShelve => message::change_returned_to_shelve(title),
                    _ => message::change_returned_elsewhere(title),
                };
                let fine = (*fine > Money::ZERO).then(|| message::change_with_fine(*fine));
                std::iter::once(returned).chain(fine).collect()
            }
            Self::Renewed { title, from, to, charged, overridden, .. } => {
                let charged = (*charged > Money::ZERO).then(|| message::change_charged(*charged));
                std::iter::once(message::change_renewed(title, *from, *to))
                    .chain(charged)
                    .chain(overridden.as_ref().map(Overridden::told))
                    .collect()
            }
            Self::Reviewed { rating, .. } => vec![message::change_reviewed(*rating)],
            Self::ReviewDeleted { before, .. } => vec![message::change_review_deleted(before.rating)],
            Self::RulesChanged { after, .. } => vec![match after.effective_from {
                Some(day) => message::change_rules_from(day),
                None => message::change_rules(),
            }],
            Self::CalendarChanged { .. } => vec![message::change_calendar()],
            Self::SettingsChanged { .. } => vec![message::change_settings()],
            Self::DueDateMoved { title, from, to, .. } => {
                vec![message::change_due_date_moved(title, *from, *to)]
            }
        }
    }
}

impl Overridden {
    fn told(&self) -> Message {
        message::change_overridden(&self.reason)
    }
}

/// A rule that somebody overrode, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overridden {
    pub blocks: Vec<String>,
    pub reason: String,
}

/// What a profile edit changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    pub name: String,
    pub roll_number: Option<String>,
    pub department: Option<String>,
}

impl From<&User> for Profile {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            roll_number: user.roll_number.clone(),
            department: user.department.clone(),
        }
    }
}

/// The catalogue's fields of a book; what an old record does not have is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    pub title: String,
    pub author: String,
    pub genre: String,
    #[serde(rename = "photoURL")]
    pub photo_url: String,
    pub description: String,
    pub status: Status,
    pub no_of_books: i64,
    pub location: String,
    pub rating: Option<i64>,
}

impl From<&Book> for Record {
    fn from(book: &Book) -> Self {
        Self {
            title: book.title.clone(),
            author: book.author.clone(),
            genre: book.genre.clone(),
            photo_url: book.photo_url.clone(),
            description: book.description.clone(),
            status: book.status,
            no_of_books: book.no_of_books,
            location: book.location.clone(),
            rating: book.rating,
        }
    }
}

/// A copy that came into the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedCopy {
    pub id: CopyId,
    pub barcode: String,
}

/// What an edit of a copy changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyRecord {
    pub barcode: String,
    /// The copy's own; `None` for its title's.
    pub location: Option<String>,
    pub note: String,
    pub price: Option<Money>,
    pub acquired_on: Option<Date>,
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_change_is_kept_under_the_name_of_its_action() -> Result<(), serde_json::Error> {
        let changes = [
            Change::SignedIn,
            Change::Lent {
                loan: LoanId(1),
                title: "Godaan".into(),
                copy: Some(CopyId(2)),
                barcode: Some("L000002".into()),
                due: date(2026, 11, 28),
                overridden: None,
            },
            Change::CopyMoved {
                copy: CopyId(2),
                barcode: "L000002".into(),
                from: State::ToShelve,
                to: Condition::OnShelf,
                note: String::new(),
            },
        ];
        for change in changes {
            let json = serde_json::to_value(&change)?;
            assert_eq!(json["kind"], change.action());
            assert_eq!(serde_json::from_value::<Change>(json)?, change);
        }
        Ok(())
    }
}
