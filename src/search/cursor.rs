//! Cursors: positions between pages, and their packed form in URLs.

use serde::{Deserialize, Serialize};

use super::Sort;
use super::chunk::{Position, SEPARATOR};
use super::fit::{Fit, Grade};
use super::listing::Spot;
use crate::fold::{TITLE_KEY_CHARS, title_key};

/// A position in an order, and the direction in which the page extends from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Packed", try_from = "Packed")]
pub struct Cursor {
    pub(super) sort: Sort,
    pub(super) direction: Direction,
    pub(super) edge: Edge,
    pub(super) grade: Grade,
    pub(super) id: i64,
    /// Title key of the record, in `Popular` after its loans and in `Author` after its author; empty for `Newest`, which
    /// orders by id alone.
    pub(super) key: String,
}

/// Serialised form of a [`Cursor`], short because it appears in URLs: head, id and key. The bits of the head are sort,
/// direction, edge, the grade, and whether the order is a listing.
pub(super) type Packed = (u16, i64, String);

/// Direction in which a page extends from its cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// Side of its record on which a cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Before,
    After,
}

impl Cursor {
    const NEWEST: u16 = 0b001;
    const BACKWARD: u16 = 0b010;
    const AFTER: u16 = 0b100;
    const GRADE: u16 = 3;
    /// With [`Self::NEWEST`]: by author; without: by loans.
    const LISTED: u16 = 0b1000_0000_0000;

    /// Returns the start of the books whose title, or in [`Sort::Author`] author, begins with this text or comes later;
    /// `None` in another order, or for a text without a letter. Only for a query without a text.
    #[must_use]
    pub fn beginning(sort: Sort, text: &str) -> Option<Self> {
        let start = title_key(text.trim());
        let key = match sort {
            _ if start.is_empty() => return None,
            Sort::Title => start,
            Sort::Author => format!("{start}{SEPARATOR}"),
            Sort::Newest | Sort::Popular => return None,
        };
        let (direction, edge) = (Direction::Forward, Edge::Before);
        Some(Self { sort, direction, edge, grade: Fit::Exact as Grade, id: i64::MIN, key })
    }

    /// Returns the order in which the cursor is a position.
    #[must_use]
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Returns whether a record at `position` is before the cursor.
    pub(super) fn passes(&self, position: Position<'_>) -> bool {
        let own = Position { key: &self.key, rank: self.sort.rank(self.id) };
        match self.edge {
            Edge::Before => position < own,
            Edge::After => position <= own,
        }
    }

    /// Returns whether a book at this position of a listing is before the cursor.
    pub(super) fn passes_spot(&self, spot: Spot<'_>) -> bool {
        let own = Spot::parse(self.sort, &self.key, self.id);
        own.is_some_and(|own| match self.edge {
            Edge::Before => spot < own,
            Edge::After => spot <= own,
        })
    }
}

impl From<Cursor> for Packed {
    fn from(cursor: Cursor) -> Self {
        let mut head = 0;
        head |= match cursor.sort {
            Sort::Title => 0,
            Sort::Newest => Cursor::NEWEST,
            Sort::Popular => Cursor::LISTED,
            Sort::Author => Cursor::LISTED | Cursor::NEWEST,
        };
        if cursor.direction == Direction::Backward {
            head |= Cursor::BACKWARD;
        }
        if cursor.edge == Edge::After {
            head |= Cursor::AFTER;
        }
        head |= u16::from(cursor.grade) << Cursor::GRADE;
        (head, cursor.id, cursor.key)
    }
}

/// Unpacks a cursor sent by a client. A tampered cursor is rejected or, at worst, is another position in the order.
impl TryFrom<Packed> for Cursor {
    type Error = &'static str;

    fn try_from((head, id, key): Packed) -> Result<Self, Self::Error> {
        let grade = Grade::try_from((head & !Self::LISTED) >> Self::GRADE).map_err(|_| "an unknown head")?;
        let sort = match (head & Self::LISTED != 0, head & Self::NEWEST != 0) {
            (false, false) => Sort::Title,
            (false, true) => Sort::Newest,
            (true, false) => Sort::Popular,
            (true, true) => Sort::Author,
        };
        let chars = key.chars().count();
        let is_sound = match sort {
            Sort::Title => chars <= TITLE_KEY_CHARS,
            Sort::Newest => key.is_empty(),
            Sort::Popular | Sort::Author => {
                grade == 0 && chars <= 2 * TITLE_KEY_CHARS + 1 && Spot::parse(sort, &key, id).is_some()
            }
        };
        if !is_sound {
            return Err("a key that no record has");
        }
        Ok(Self {
            sort,
            direction: if head & Self::BACKWARD == 0 { Direction::Forward } else { Direction::Backward },
            edge: if head & Self::AFTER == 0 { Edge::Before } else { Edge::After },
            grade,
            id,
            key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_no_page_returns_is_refused() {
        let packed = |head: u16, key: &str| Cursor::try_from((head, 1, key.to_owned()));
        assert!(packed(0b110, &"書".repeat(TITLE_KEY_CHARS)).is_ok());
        assert!(packed(0b000, &"書".repeat(TITLE_KEY_CHARS + 1)).is_err(), "a key too long");
        assert!(packed(0b001, "a").is_err(), "a key where the order has none");
        assert!(packed(0b1_0000_0000_0000, "").is_err(), "an unknown head");
        assert!(packed(0b1000_0000_0110, "12\u{1F}emma").is_ok(), "twelve loans");
        assert!(packed(0b1000_0000_0110, "many\u{1F}emma").is_err(), "loans that are no number");
        assert!(packed(0b1000_0000_0111, "austen\u{1F}emma").is_ok());
        assert!(packed(0b1000_0000_0111, "austen").is_err(), "an author without a title");
        assert!(packed(0b1000_0000_1110, "12\u{1F}emma").is_err(), "a grade where the order has none");
    }
}
