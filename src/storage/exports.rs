//! Rows for exports of whole lists: titles with their copies, open loans, open holds.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{Result, Tx};
use crate::{money::Money, sql};

/// A title with one of its copies; a title without copies has one row.
#[derive(Clone, Debug)]
pub struct Stock {
    pub place: StockPlace,
    pub title: String,
    pub author: String,
    pub genre: String,
    pub isbn: Option<String>,
    pub location: String,
    pub barcode: Option<String>,
    /// Condition of the copy; `None` while it is on loan.
    pub condition: Option<String>,
    pub due: Option<Date>,
    pub acquired_on: Option<String>,
    pub price: Option<Money>,
    pub note: Option<String>,
}

/// Ids of the title and of the copy, 0 for none.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct StockPlace(i64, i64);

/// Returns up to `limit` titles with their copies after a place.
pub fn stock(tx: &mut Tx<'_>, after: StockPlace, limit: i64) -> Result<Vec<Stock>> {
    tx.query(
        sql!(
            "SELECT b.id, COALESCE(c.id, 0), b.title, b.author, b.genre, b.isbn, COALESCE(c.location, b.location),
                    c.barcode, CASE WHEN l.id IS NULL THEN c.condition END, l.return_date, c.acquired_on, c.price, c.note
             FROM books AS b LEFT JOIN copies AS c ON c.book_id = b.id
                  LEFT JOIN loans AS l ON l.copy_id = c.id AND l.ended_at IS NULL
             WHERE b.id >= $1 AND (b.id, COALESCE(c.id, 0)) > (CAST($1 AS BIGINT), CAST($2 AS BIGINT))
             ORDER BY b.id, COALESCE(c.id, 0) LIMIT $3"
        ),
        &[&after.0, &after.1, &limit],
        |row| {
            Ok(Stock {
                place: StockPlace(row.get(0)?, row.get(1)?),
                title: row.get(2)?,
                author: row.get(3)?,
                genre: row.get(4)?,
                isbn: row.get(5)?,
                location: row.get(6)?,
                barcode: row.get(7)?,
                condition: row.get(8)?,
                due: row.optional_day(9)?,
                acquired_on: row.get(10)?,
                price: row.get(11)?,
                note: row.get(12)?,
            })
        },
    )
}

/// An open hold with its reader.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub id: i64,
    pub title: String,
    pub state: String,
    pub roll_number: Option<String>,
    pub name: String,
    pub batch: Option<String>,
    pub department: Option<String>,
    /// Epoch milliseconds.
    pub placed_at: i64,
    pub ready_until: Option<Date>,
    pub barcode: Option<String>,
}

/// Returns up to `limit` open holds with ids after `after`.
pub fn wanted(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<Wanted>> {
    tx.query(
        sql!(
            "SELECT h.id, h.title, h.state, u.roll_number, u.name, u.batch, u.department, h.placed_at, h.ready_until, c.barcode
             FROM holds AS h JOIN users AS u ON u.id = h.user_id LEFT JOIN copies AS c ON c.id = h.copy_id
             WHERE h.state IN ('waiting', 'ready') AND h.id > $1 ORDER BY h.id LIMIT $2"
        ),
        &[&after, &limit],
        |row| {
            Ok(Wanted {
                id: row.get(0)?,
                title: row.get(1)?,
                state: row.get(2)?,
                roll_number: row.get(3)?,
                name: row.get(4)?,
                batch: row.get(5)?,
                department: row.get(6)?,
                placed_at: row.get(7)?,
                ready_until: row.optional_day(8)?,
                barcode: row.get(9)?,
            })
        },
    )
}
