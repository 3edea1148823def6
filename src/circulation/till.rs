//! Closing of the till.

use super::{Actor, Error, Result, record};
use crate::{
    domain::{change::MoneyChange, moment::Moment, rule::Invalid, till::Closing},
    message,
    money::Money,
    storage::{
        Tx,
        events::Entry,
        till::{self, NewClosing},
    },
};

/// Arguments of [`close`].
#[derive(Clone, Debug)]
pub struct Close<'a> {
    /// Number of the last closing that the librarian saw, 0 for none.
    pub after: i64,
    /// Expected cash that the librarian saw.
    pub expected: Money,
    /// Cash in the till at the start: the opening float.
    pub opening: Money,
    pub counted: Money,
    pub note: &'a str,
}

/// Closes the till. The closing covers all money since the previous one and gets the next number, without gaps.
///
/// # Errors
/// [`Error::Invalid`] if another librarian closed the till meanwhile, or its cash changed since the librarian counted.
pub fn close(tx: &mut Tx<'_>, actor: Actor, moment: Moment, what: &Close<'_>) -> Result<Closing> {
    let last = till::lock(tx)?;
    if last != what.after {
        let by = till::by_number(tx, last)?.map(|closing| closing.by).unwrap_or_default();
        return Err(Error::Invalid(Invalid::field("after", message::till_closed(last, &by))));
    }
    let number = last + 1;
    till::put_into(tx, number)?;
    let expected = till::contents(tx, number)?.expected;
    if expected != what.expected {
        return Err(Error::Invalid(Invalid::field("expected", message::till_changed(expected))));
    }
    let (opening, counted, note) = (what.opening, what.counted, what.note);
    till::insert(
        tx,
        &NewClosing { number, at: moment.at, by: actor.uid(), expected, opening, counted, note },
    )?;
    let change = MoneyChange::TillClosed { number, expected, opening, counted, note: note.to_owned() };
    record(tx, moment, actor, &Entry { person: None, book: None, copy: None, change: change.into() })?;
    till::by_number(tx, number)?.ok_or(Error::NotFound)
}
