//! First steps of a library, and the day's work of its librarians.

use jiff::civil::Date;

use super::{Result, Tx};
use crate::sql;

/// Stored mark of the first steps, for a fact that no other row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Labels or cards were printed.
    Printed,
    /// The list of first steps was hidden.
    Hidden,
}

impl Mark {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Hidden => "hidden",
        }
    }
}

/// Stores a mark; a repeat keeps the time of the first one.
pub fn set(tx: &mut Tx<'_>, mark: Mark, at: i64) -> Result<()> {
    tx.execute(
        sql!("INSERT INTO first_steps (step, at) VALUES ($1, $2) ON CONFLICT (step) DO NOTHING"),
        &[&mark.as_str(), &at],
    )?;
    Ok(())
}

pub fn clear(tx: &mut Tx<'_>, mark: Mark) -> Result<()> {
    tx.execute(sql!("DELETE FROM first_steps WHERE step = $1"), &[&mark.as_str()])?;
    Ok(())
}

/// State of the first steps, derived from the stored rows.
#[expect(clippy::struct_excessive_bools, reason = "each is a step of its own")]
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    pub books: bool,
    pub people: bool,
    pub printed: bool,
    pub lent: bool,
    pub hidden: bool,
}

/// Checks which first steps are done.
pub fn steps(tx: &mut Tx<'_>) -> Result<Steps> {
    tx.query_one(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM books),
                    EXISTS (SELECT 1 FROM users WHERE role <> 'admin' AND gone_at IS NULL),
                    EXISTS (SELECT 1 FROM first_steps WHERE step = 'printed'),
                    EXISTS (SELECT 1 FROM loans),
                    EXISTS (SELECT 1 FROM first_steps WHERE step = 'hidden')"
        ),
        &[],
        |row| {
            Ok(Steps {
                books: row.get(0)?,
                people: row.get(1)?,
                printed: row.get(2)?,
                lent: row.get(3)?,
                hidden: row.get(4)?,
            })
        },
    )
}

/// Counts of a day's work.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub due_today: i64,
    /// Ready holds whose last day is today.
    pub holds_ending: i64,
    pub missing: i64,
    /// Time of the last change of the copy that has been missing longest, in epoch milliseconds.
    pub missing_since: Option<i64>,
}

/// Counts the work of `today`.
pub fn work(tx: &mut Tx<'_>, today: Date) -> Result<Work> {
    tx.query_one(
        sql!(
            "SELECT (SELECT COUNT(*) FROM loans WHERE ended_at IS NULL AND return_date = $1),
                    (SELECT COUNT(*) FROM holds WHERE state = 'ready' AND ready_until = $1),
                    COUNT(missing.id), MIN(missing.since)
             FROM (SELECT c.id, (SELECT MAX(at) FROM events WHERE events.copy_id = c.id) AS since FROM copies AS c
                   WHERE c.condition <> 'on-shelf' AND c.condition = 'missing'
                     AND NOT EXISTS (SELECT 1 FROM loans WHERE loans.copy_id = c.id AND loans.ended_at IS NULL)) AS missing"
        ),
        &[&today.to_string()],
        |row| {
            Ok(Work {
                due_today: row.get(0)?,
                holds_ending: row.get(1)?,
                missing: row.get(2)?,
                missing_since: row.get(3)?,
            })
        },
    )
}

/// True if a loan began before this day.
pub fn lent_before(tx: &mut Tx<'_>, day: Date) -> Result<bool> {
    tx.query_one(
        sql!("SELECT EXISTS (SELECT 1 FROM loans WHERE entry_date < $1)"),
        &[&day.to_string()],
        |row| row.get(0),
    )
}
