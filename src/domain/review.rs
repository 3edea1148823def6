//! Reviews of books.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    id::{ReviewId, UserId},
    rule::{Invalid, Kind, Number, Text},
};

/// R-REV-1: 1 to 5; 0 if none was chosen.
pub const RATING: Number = Number { field: "rating", label: "Rating", min: 1, max: 5 };
/// R-REV-1: not blank after trimming.
pub const COMMENT: Text =
    Text { field: "comment", label: "Comment", min: 1, max: 2000, kind: Kind::Paragraphs };

/// A reader's review of a book (R-DATA-3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub id: ReviewId,
    /// Stars, 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
    pub comment: String,
    /// Author; null for visitors who are not signed in (R-DETAIL-4).
    #[schema(required)]
    pub user_id: Option<UserId>,
    /// Author's name when written; null for visitors who are not signed in (R-DETAIL-4).
    #[schema(required)]
    pub user_name: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// Request of the review form (R-REV-1). The author is always the signed-in reader.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewForm {
    /// Stars, 1 to 5.
    #[serde(default)]
    #[schema(required)]
    pub rating: i64,
    #[serde(default)]
    #[schema(required)]
    pub comment: String,
}

impl ReviewForm {
    /// Validates and normalises the review; returns all its errors.
    pub fn checked(self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        if self.rating == 0 {
            RATING.missing(&mut invalid);
        } else {
            RATING.check(self.rating, &mut invalid);
        }
        let comment = COMMENT.check(&self.comment, &mut invalid);
        invalid.into_result(Self { comment, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(rating: i64, comment: &str) -> Vec<String> {
        let form = ReviewForm { rating, comment: comment.into() };
        form.checked().err().map(|i| i.0.into_iter().map(|e| e.message).collect()).unwrap_or_default()
    }

    #[test]
    fn a_review_needs_stars_and_words_r_rev_1() {
        assert!(wrong(1, "short").is_empty() && wrong(5, "good\n\nvery").is_empty());
        assert_eq!(wrong(0, "words"), ["Rating is required."]);
        assert_eq!(wrong(6, "words"), ["Rating must be a whole number from 1 to 5."]);
        assert_eq!(wrong(3, " \n\t "), ["Comment is required."]);
    }
}
