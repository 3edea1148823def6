//! The audit: who did what to what, before and after. Rows are only ever added (the schema refuses anything else).

use serde_json::Value;

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// What was done to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An account was made.
    Register,
    /// A profile was edited.
    UpdateProfile,
    /// Somebody signed in.
    SignIn,
    /// A book came into the catalogue.
    AddBook,
    /// A book's record was edited.
    UpdateBook,
    /// A book left the catalogue.
    DeleteBook,
    /// Books came in from a file.
    ImportBooks,
    /// A student borrowed.
    Borrow,
    /// A loan ended.
    Return,
    /// A return date moved.
    Extend,
    /// A review was written.
    Review,
    /// The rules were saved.
    ChangeRules,
    /// The calendar was saved.
    ChangeCalendar,
    /// The library's own settings were saved.
    ChangeSettings,
    /// A due date moved with the rules or the calendar.
    DueDateMoved,
}

impl Action {
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Register => ("register", "user"),
            Self::UpdateProfile => ("update-profile", "user"),
            Self::SignIn => ("sign-in", "user"),
            Self::AddBook => ("add", "book"),
            Self::UpdateBook => ("update", "book"),
            Self::DeleteBook => ("delete", "book"),
            Self::ImportBooks => ("import", "book"),
            Self::Borrow => ("borrow", "loan"),
            Self::Return => ("return", "loan"),
            Self::Extend => ("extend", "loan"),
            Self::Review => ("review", "review"),
            Self::ChangeRules => ("rules-changed", "settings"),
            Self::ChangeCalendar => ("calendar-changed", "settings"),
            Self::ChangeSettings => ("settings-changed", "settings"),
            Self::DueDateMoved => ("due-date-moved", "loan"),
        }
    }
}

/// Something that happened.
pub struct Event {
    /// When, epoch milliseconds.
    pub at: i64,
    /// Who did it; `None` for the command line.
    pub actor: Option<UserId>,
    /// What was done.
    pub action: Action,
    /// The number of what it was done to.
    pub subject: i64,
    /// The values before.
    pub before: Option<Value>,
    /// The values after.
    pub after: Option<Value>,
}

/// Writes an event down, in the transaction of what it tells.
pub fn record(tx: &mut Tx<'_>, event: &Event) -> Result<()> {
    let (action, subject) = event.action.names();
    tx.execute(
        sql!(
            "INSERT INTO events (at, actor_id, action, subject, subject_id, before, after)
             VALUES ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &[
            &event.at,
            &event.actor,
            &action,
            &subject,
            &event.subject,
            &event.before.as_ref().map(Value::to_string),
            &event.after.as_ref().map(Value::to_string),
        ],
    )?;
    Ok(())
}

/// An event as it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What was done.
    pub action: String,
    /// Who did it.
    pub actor: Option<UserId>,
    /// The values before, JSON.
    pub before: Option<String>,
    /// The values after, JSON.
    pub after: Option<String>,
}

/// What happened to one subject (`book`, `loan`, `user`, `review`), oldest first.
pub fn of(tx: &mut Tx<'_>, subject: &str, id: i64) -> Result<Vec<Recorded>> {
    tx.query(
        sql!("SELECT action, actor_id, before, after FROM events WHERE subject = $1 AND subject_id = $2 ORDER BY id"),
        &[&subject, &id],
        |row| Ok(Recorded { action: row.get(0)?, actor: row.get(1)?, before: row.get(2)?, after: row.get(3)? }),
    )
}
