//! Keyset paging: a page is read from a position in list order, so its cost does not grow with its distance from the
//! start, and concurrent changes neither skip nor repeat a row.

use serde::{Deserialize, Serialize};

/// Start of a page (`After`) or, for reading backwards, its end (`Before`): next to the row with this key and id.
///
/// Every list is ordered by its key and then by id. The row need not exist any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Position<K> {
    #[serde(rename = "a")]
    After(K, i64),
    #[serde(rename = "b")]
    Before(K, i64),
}

/// Part of a list, with the positions of its neighbours, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T, K> {
    pub rows: Vec<T>,
    pub next: Option<Position<K>>,
    pub previous: Option<Position<K>>,
}

impl<T, K> Page<T, K> {
    /// Makes a page of the rows read from `position` (`None`: from the start) in list order. `rows` has one row more
    /// than `limit` if the list goes on in the direction of reading.
    ///
    /// A page may be empty because its rows were deleted after the cursor was made; it still links back.
    pub fn cut(
        mut rows: Vec<T>,
        limit: i64,
        position: Option<Position<K>>,
        key: impl Fn(&T) -> (K, i64),
    ) -> Self {
        let backwards = matches!(position, Some(Position::Before(..)));
        let goes_on = rows.len() > usize::try_from(limit).unwrap_or_default();
        if goes_on {
            rows.remove(if backwards { 0 } else { rows.len() - 1 });
        }
        let before = |(key, id)| Position::Before(key, id);
        let after = |(key, id)| Position::After(key, id);
        let first = rows.first().map(&key).map(before);
        let last = rows.last().map(&key).map(after);
        let (next, previous) = match position {
            None => (last.filter(|_| goes_on), None),
            // An empty page has no row of its own: its cursor is one id past the position, so that the neighbouring page
            // includes the row at the position.
            Some(Position::After(key, id)) => {
                (last.filter(|_| goes_on), first.or(Some(before((key, id.saturating_add(1))))))
            }
            Some(Position::Before(key, id)) => {
                (last.or(Some(after((key, id.saturating_sub(1))))), first.filter(|_| goes_on))
            }
        };
        Self { rows, next, previous }
    }
}
