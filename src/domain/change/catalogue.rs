//! Changes of titles and their reviews.

use serde::{Deserialize, Serialize};

use super::About;
use crate::{
    domain::{
        account::Capability,
        book::{Imprint, Status},
        id::{BookId, ImportId, ReviewId},
        review::Review,
    },
    message::{self, Message},
};

/// A change of titles and their reviews.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum CatalogueChange {
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
    ImportUndone {
        import: ImportId,
        count: i64,
    },
    Reviewed {
        review: ReviewId,
        rating: i64,
        /// The reader's earlier review.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Opinion>,
    },
    ReviewDeleted {
        review: ReviewId,
        before: Opinion,
    },
}

impl CatalogueChange {
    pub(super) fn about(&self) -> About<'static> {
        match self {
            Self::BookAdded { .. } => About::of("book-added"),
            Self::BookUpdated { .. } => About::of("book-updated"),
            Self::BookDeleted { .. } => {
                About { undone_by: Some(Capability::Catalogue), ..About::of("book-deleted") }
            }
            Self::BooksImported { .. } => About::of("books-imported"),
            Self::ImportUndone { .. } => About::of("import-undone"),
            Self::Reviewed { .. } => About::of("reviewed"),
            Self::ReviewDeleted { .. } => About::of("review-deleted"),
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        vec![match self {
            Self::BookAdded { book } => message::change_book_added(&book.title),
            Self::BookUpdated { after, .. } => message::change_book_updated(&after.title),
            Self::BookDeleted { book } => message::change_book_deleted(&book.title),
            Self::BooksImported { count, .. } => message::change_books_imported(*count),
            Self::ImportUndone { count, .. } => message::change_import_undone(*count),
            Self::Reviewed { rating, .. } => message::change_reviewed(*rating),
            Self::ReviewDeleted { before, .. } => message::change_review_deleted(before.rating),
        }]
    }

    pub(super) fn undone(&self) -> Option<Message> {
        match self {
            Self::BookDeleted { book } => Some(message::undone_book_deleted(&book.title)),
            _ => None,
        }
    }
}

/// Catalogue fields of a book; fields missing from an old change are empty.
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
    #[serde(flatten, skip_serializing_if = "is_blank")]
    pub imprint: Box<Imprint>,
}

#[expect(clippy::borrowed_box, reason = "serde's signature")]
fn is_blank(imprint: &Box<Imprint>) -> bool {
    **imprint == Imprint::default()
}

/// Stars and text of a review.
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
