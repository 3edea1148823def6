//! Merge of two records of one person (R-PEOPLE-9).

use std::collections::BTreeSet;

use super::{Error, Result, actor};
use crate::{
    circulation::hold,
    domain::{
        account::Role,
        change::PersonChange,
        id::{ChangeId, UserId},
        moment::Moment,
        person::Details,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    storage::{
        Tx,
        authority::{Authority, Librarians, Replaceable, Subject},
        books,
        events::{self, Entry},
        holds, loans,
        merge::{self, Belongings, Merge},
        notices,
        people::Record,
    },
};

/// Result of a merge, or its preview.
#[derive(Clone, Debug)]
pub struct Merged {
    pub keep: Record,
    pub dropped: Record,
    /// Rows that move to the kept record.
    pub moves: Belongings,
    /// Details of the merged record.
    pub after: Details,
    /// Titles reserved by both records: the better place stays, the other hold is cancelled.
    pub holds_cancelled: Vec<String>,
    /// Titles reviewed by both records: the newer review stays.
    pub reviews_given_up: Vec<String>,
    /// True if the kept record had no password and gets the password of the dropped record.
    pub takes_password: bool,
    /// `None` for a preview.
    pub change: Option<ChangeId>,
}

/// Merges a record into another; with `dry_run` only previews it. All rows of the dropped record move, and its
/// roll number then finds the kept record.
pub fn merge(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    rulebook: &Rulebook,
    (keep, dropped): (UserId, UserId),
    dry_run: bool,
) -> Result<Merged> {
    if keep == dropped {
        return Err(Invalid::field("drop", message::same_person()).into());
    }
    if authority.by() == Some(dropped) {
        return Err(Error::OwnAccount);
    }
    let librarians = Librarians::lock(tx)?;
    let both = authority.over_all(tx, &[keep, dropped])?;
    let of = |uid| both.iter().find(|subject| subject.uid() == uid).cloned().ok_or(Error::NotFound);
    let (kept, left) = (of(keep)?, librarians.leave(of(dropped)?, &[])?);
    let (keep, dropped) = (kept.record().clone(), left.record().clone());
    if !dry_run {
        loans::lock_of_user(tx, dropped.uid)?;
        let held = holds::titles_of(tx, &[keep.uid, dropped.uid])?;
        let reviewed = merge::two_reviews(tx, keep.uid, dropped.uid)?.into_iter().map(|review| review.book);
        for title in held.into_iter().chain(reviewed).collect::<BTreeSet<_>>() {
            books::lock(tx, title)?;
        }
    }
    let (moves, after) = (merge::belongings(tx, dropped.uid)?, fill(&keep.details, &dropped.details));
    let two_holds = merge::two_holds(tx, keep.uid, dropped.uid)?;
    let two_reviews = merge::two_reviews(tx, keep.uid, dropped.uid)?;
    // A librarian's password must not open another account.
    let takes_password = !keep.has_password && dropped.has_password && keep.role == Some(Role::Student);
    let mut merged = Merged {
        moves,
        after,
        holds_cancelled: two_holds.iter().map(|two| two.title.clone()).collect(),
        reviews_given_up: two_reviews.iter().map(|review| review.title.clone()).collect(),
        takes_password,
        change: None,
        keep,
        dropped,
    };
    if !dry_run {
        for two in &two_holds {
            // Recorded with the timestamp of the merge, so that undo finds the cancellation.
            hold::cancel(tx, actor(authority)?, moment, rulebook, two.worse, "")?;
            // The reader keeps the other reservation of the title, so the notice about the cancelled one is withdrawn.
            notices::withdraw_of_hold(tx, two.worse, moment.at)?;
        }
        merged.change = Some(merge_records(tx, authority, moment, (&kept, &left), &merged)?);
    }
    Ok(merged)
}

fn merge_records(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    (keep, dropped): (&Subject, &Replaceable),
    merged: &Merged,
) -> Result<ChangeId> {
    let what = Merge { keep, dropped, after: &merged.after, password: merged.takes_password };
    let (keep, dropped) = (keep.record(), dropped.record());
    let moved = merge::merge(tx, &what, moment.at)?;
    let (loans, lines) = moved.counts();
    let change = PersonChange::PeopleMerged {
        dropped: dropped.uid,
        name: dropped.details.name.clone(),
        roll_number: dropped.details.roll_number.clone(),
        loans,
        lines,
    };
    let change = events::record(tx, moment.at, authority.by(), &Entry::person(keep.uid, change))?;
    merge::keep(tx, change, moment.at, &moved)?;
    Ok(change)
}

/// Returns the details of the merged record: those of `keep`, completed from `dropped`, with the longer of two bars.
fn fill(keep: &Details, dropped: &Details) -> Details {
    let of = |own: &Option<String>, other: &Option<String>| own.clone().or_else(|| other.clone());
    let barred = keep.barred.iter().chain(&dropped.barred).max_by_key(|barred| barred.until).cloned();
    Details {
        name: keep.name.clone(),
        email: of(&keep.email, &dropped.email),
        roll_number: of(&keep.roll_number, &dropped.roll_number),
        department: of(&keep.department, &dropped.department),
        batch: of(&keep.batch, &dropped.batch),
        category: keep.category.clone(),
        valid_until: keep.valid_until.or(dropped.valid_until),
        barred,
        phone: of(&keep.phone, &dropped.phone),
        guardian_email: of(&keep.guardian_email, &dropped.guardian_email),
        guardian_phone: of(&keep.guardian_phone, &dropped.guardian_phone),
    }
}
