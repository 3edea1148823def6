//! Year's end: a batch moves up or leaves (R-PEOPLE-5).

use super::{Result, actor};
use crate::{
    circulation::{hold, standing},
    domain::{
        change::PersonChange,
        id::{ChangeId, UserId},
        moment::Moment,
        person::{Details, Person},
        rulebook::Rulebook,
    },
    money::Money,
    storage::{
        Tx,
        authority::{Authority, Librarians, Subject},
        events::{self, Entry},
        people, sessions,
    },
};

/// Promotion of a batch.
#[derive(Clone, Debug)]
pub struct Promotion {
    pub from: String,
    /// New batch; `None` if the people leave and are deactivated.
    pub to: Option<String>,
    /// People who are left unchanged.
    pub except: Vec<UserId>,
    /// True to deactivate people with open loans or dues too.
    pub with_open: bool,
}

/// Result of a promotion, or its preview.
#[derive(Clone, Debug)]
pub struct Promoted {
    pub people: Vec<Person>,
    /// People who stay active because of open loans or dues.
    pub kept: Vec<Person>,
    /// Recorded change with the list of all people; `None` for a preview or if no person was changed.
    pub change: Option<ChangeId>,
}

/// Promotes the active students of a batch; with `dry_run` only previews it.
pub fn promote(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Promotion,
    dry_run: bool,
) -> Result<Promoted> {
    let librarians = Librarians::lock(tx)?;
    let mut of_batch = people::of_batch(tx, &what.from)?;
    of_batch.retain(|person| !what.except.contains(&person.uid));
    let of_batch = standing::people(tx, rulebook, moment.today, of_batch)?;
    let stays = |person: &Person| {
        what.to.is_none() && !what.with_open && (person.open_loans > 0 || person.owes > Money::ZERO)
    };
    let (kept, people): (Vec<Person>, Vec<Person>) = of_batch.into_iter().partition(stays);
    if dry_run || people.is_empty() {
        return Ok(Promoted { people, kept, change: None });
    }
    let uids: Vec<UserId> = people.iter().map(|person| person.uid).collect();
    let subjects = authority.over_all(tx, &uids)?;
    match &what.to {
        Some(to) => {
            let moved =
                |subject: &Subject| Details { batch: Some(to.clone()), ..subject.record().details.clone() };
            let rows: Vec<_> = subjects.iter().map(|subject| (subject, moved(subject))).collect();
            people::update_all(tx, &rows)?;
        }
        None => {
            for subject in subjects {
                let subject = librarians.leave(subject, &[])?;
                people::deactivate(tx, &subject)?;
                sessions::end_all_of(tx, subject.subject())?;
                // Recorded with the same timestamp, so that undo finds them.
                hold::cancel_all_of(tx, actor(authority)?, moment, rulebook, subject.uid(), "")?;
            }
        }
    }
    let change = PersonChange::BatchMoved { from: what.from.clone(), to: what.to.clone(), people: uids };
    let entry = Entry { person: None, book: None, copy: None, change: change.into() };
    let change = Some(events::record(tx, moment.at, authority.by(), &entry)?);
    Ok(Promoted { people, kept, change })
}
