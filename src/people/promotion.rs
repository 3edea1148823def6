//! Promotion at the end of a year: a batch moves up or leaves (R-PEOPLE-5).

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::{Error, Result, actor};
use crate::{
    circulation::{Block, Refusal, hold, standing},
    clock::Clock,
    domain::{
        change::{Change, PersonChange},
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
    /// The only people to change; `None` for the whole batch.
    pub only: Option<Vec<UserId>>,
    /// People who are left unchanged.
    pub except: Vec<UserId>,
    /// True to deactivate people with open loans or dues too.
    pub with_open: bool,
    /// Fingerprint of the preview that the librarian saw; the promotion is refused if its outcome would differ.
    pub preview: Option<String>,
    /// True to move people whom an earlier promotion of this term moved into the batch.
    pub again: bool,
}

/// Result of a promotion, or its preview.
#[derive(Clone, Debug)]
pub struct PromotionResult {
    pub people: Vec<Person>,
    /// People who stay active because of open loans or dues.
    pub kept: Vec<Person>,
    /// Fingerprint of the form and of all people of the batch, to pass as [`Promotion::preview`].
    pub preview: String,
    /// Earlier promotion of this term that moved some of these people into the batch.
    pub moved_before: Option<Block>,
    /// Recorded change with the list of all people; `None` for a preview or if no person was changed.
    pub change: Option<ChangeId>,
}

/// Time in milliseconds within which a second promotion of the same people needs a confirmation: shorter than half a
/// year.
const TERM: i64 = 120 * 24 * 60 * 60 * 1000;

/// Promotes the active students of a batch; with `dry_run` only previews it.
pub fn promote(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    (rulebook, clock): (&Rulebook, &Clock),
    what: &Promotion,
    dry_run: bool,
) -> Result<PromotionResult> {
    let librarians = Librarians::lock(tx)?;
    let mut of_batch = people::of_batch(tx, &what.from)?;
    if let Some(only) = &what.only {
        let only: HashSet<&UserId> = only.iter().collect();
        of_batch.retain(|person| only.contains(&person.uid));
    }
    let of_batch = standing::people(tx, rulebook, moment.today, of_batch)?;
    let stays = |person: &Person| {
        what.to.is_none() && !what.with_open && (person.open_loans > 0 || person.owes > Money::ZERO)
    };
    let (mut kept, mut people): (Vec<Person>, Vec<Person>) = of_batch.into_iter().partition(stays);
    let preview = fingerprint(what, &people, &kept);
    if what.preview.as_ref().is_some_and(|seen| *seen != preview) {
        return Err(Error::Refused(Refusal { blocks: vec![Block::PreviewOutdated] }));
    }
    for list in [&mut kept, &mut people] {
        list.retain(|person| !what.except.contains(&person.uid));
    }
    let uids: Vec<UserId> = people.iter().map(|person| person.uid).collect();
    let moved_before = moved_before(tx, clock, moment, &what.from, &uids)?;
    if dry_run || people.is_empty() {
        return Ok(PromotionResult { people, kept, preview, moved_before, change: None });
    }
    // A deactivation needs no confirmation here: the preview warns, and a reactivation restores everything.
    if let Some(block) = moved_before.clone().filter(|_| what.to.is_some() && !what.again) {
        return Err(Error::Refused(Refusal { blocks: vec![block] }));
    }
    let subjects = authority.over_all(tx, &uids)?;
    match &what.to {
        Some(to) => {
            let moved =
                |subject: &Subject| Details { batch: Some(to.clone()), ..subject.record().details.clone() };
            let rows: Vec<_> = subjects.iter().map(|subject| (subject, moved(subject))).collect();
            people::update_all(tx, &rows)?;
        }
        None => {
            hold::lock_titles(tx, &uids)?;
            for subject in subjects {
                let subject = librarians.leave(subject, &[])?;
                people::deactivate(tx, &subject)?;
                sessions::end_all_of(tx, subject.subject())?;
                // Cancelled holds get the timestamp of the promotion, so that undo finds them.
                hold::cancel_all_of(tx, actor(authority)?, moment, rulebook, subject.uid(), "")?;
            }
        }
    }
    let change = PersonChange::BatchMoved { from: what.from.clone(), to: what.to.clone(), people: uids };
    let entry = Entry { person: None, book: None, copy: None, change: change.into() };
    let change = Some(events::record(tx, moment.at, authority.by(), &entry)?);
    Ok(PromotionResult { people, kept, preview, moved_before, change })
}

/// Returns the newest promotion of this term that moved some of these people into the batch and was not undone.
fn moved_before(
    tx: &mut Tx<'_>,
    clock: &Clock,
    moment: Moment,
    batch: &str,
    people: &[UserId],
) -> Result<Option<Block>> {
    let people: HashSet<&UserId> = people.iter().collect();
    for (at, change) in events::batches_moved(tx, moment.at - TERM)? {
        let Change::Person(PersonChange::BatchMoved { from, to: Some(to), people: moved }) = change else {
            continue;
        };
        let again = moved.iter().filter(|uid| people.contains(uid)).count();
        if to == batch && again > 0 {
            return Ok(Some(Block::MovedBefore { people: again, from, to, on: clock.day_of(at) }));
        }
    }
    Ok(None)
}

/// Returns the fingerprint of a preview, without the exceptions, which the librarian chooses from the preview.
fn fingerprint(what: &Promotion, people: &[Person], kept: &[Person]) -> String {
    let ids = |list: &[Person]| {
        let mut ids: Vec<i64> = list.iter().map(|person| person.uid.0).collect();
        ids.sort_unstable();
        ids
    };
    let text = format!("{:?}", (&what.from, &what.to, what.with_open, ids(people), ids(kept)));
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}
