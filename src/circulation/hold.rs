//! Holds: people queue for a title, and an incoming copy is kept for the first in the queue (R-HOLD-1 to R-HOLD-4).
//!
//! The place in the queue is computed, never stored: holds are ordered by their time, unless a librarian moved them. A
//! copy belongs to a hold only while the copy is kept. Every function that changes a queue locks the title's row first;
//! this lock covers the title's copies and queue.

use jiff::civil::Date;

use super::{Actor, Block, Error, Override, Result, decide, reader};
use crate::{
    domain::{
        calendar::Calendar,
        change::{EndedHold, HoldChange, PassedOver, QueueKey},
        copy::{Condition, State},
        hold::{Hold, HoldState, last_day},
        id::{BookId, CopyId, HoldId, UserId},
        moment::Moment,
        rule::Invalid,
        rulebook::Rulebook,
    },
    message,
    storage::{
        Tx, accounts, books, copies,
        events::{self, Entry},
        holds::{self, NewHold, OpenHold},
        loans,
    },
};

/// A title and its queue, locked until the transaction ends.
#[derive(Clone, Debug)]
pub struct Line {
    pub book: BookId,
    pub title: String,
    /// Number of copies on the shelf.
    pub on_shelf: i64,
    /// Open holds in queue order, including those with a kept copy.
    pub holds: Vec<OpenHold>,
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Line {
    /// Locks a title and its queue; `None` if the title is deleted.
    pub fn lock(tx: &mut Tx<'_>, book: BookId) -> Result<Option<Self>> {
        let Some((title, on_shelf)) = books::lock_shelf(tx, book)? else { return Ok(None) };
        Ok(Some(Self { book, title, on_shelf, holds: holds::of_book(tx, book)? }))
    }

    /// Holds without a kept copy.
    fn in_line(&self) -> impl Iterator<Item = &OpenHold> {
        self.holds.iter().filter(|hold| hold.kept.is_none())
    }

    /// Number of waiting people.
    #[must_use]
    pub fn waiting(&self) -> i64 {
        number(self.in_line().count())
    }

    /// The person's own hold.
    #[must_use]
    pub fn of(&self, person: UserId) -> Option<&OpenHold> {
        self.holds.iter().find(|hold| hold.user_id == person)
    }

    /// The hold that keeps this copy.
    #[must_use]
    pub fn keeping(&self, copy: CopyId) -> Option<&OpenHold> {
        self.holds.iter().find(|hold| hold.kept.is_some_and(|(kept, _)| kept == copy))
    }

    /// The person who gets the next copy.
    #[must_use]
    pub fn first(&self) -> Option<UserId> {
        self.in_line().next().map(|hold| hold.user_id)
    }

    /// Number of people ahead of this person in the queue; all waiting people if this person does not wait.
    #[must_use]
    pub fn before(&self, person: UserId) -> i64 {
        number(self.in_line().take_while(|hold| hold.user_id != person).count())
    }

    /// Returns the block if others precede this person for all `free` copies (R-HOLD-3).
    #[must_use]
    pub fn reserved(&self, person: UserId, free: i64) -> Option<Block> {
        (free <= self.before(person)).then(|| Block::Reserved { waiting: self.waiting(), free })
    }
}

fn record(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: Option<UserId>,
    person: UserId,
    line: &Line,
    copy: Option<CopyId>,
    change: HoldChange,
) -> Result<()> {
    let entry = Entry { person: Some(person), book: Some(line.book), copy, change: change.into() };
    events::record(tx, moment.at, by, &entry)?;
    Ok(())
}

/// Keeps a copy for the first in the queue and returns that hold; `None` if the queue is empty. The caller has ended
/// the copy's loan or hold and no longer counts it as on the shelf (R-HOLD-2).
pub(super) fn keep_for_first(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: Option<UserId>,
    rulebook: &Rulebook,
    line: &mut Line,
    copy: CopyId,
    from: State,
) -> Result<Option<HoldId>> {
    let Some(first) = line.holds.iter_mut().find(|hold| hold.kept.is_none()) else { return Ok(None) };
    let (category, active) = accounts::category_and_activity(tx, first.user_id)?.ok_or(Error::NotFound)?;
    if !active {
        // Deactivation ends all holds; this one was placed concurrently.
        let gone = first.id;
        cancel_for_inactive(tx, moment, by, line, gone)?;
        return keep_for_first(tx, moment, by, rulebook, line, copy, from);
    }
    let policy = rulebook.policy(&category, moment.today);
    let until = rulebook.calendar.open_days_later(moment.today, policy.hold_days);
    holds::keep(tx, first.id, copy, until)?;
    first.kept = Some((copy, until));
    let (hold, person) = (first.id, first.user_id);
    // This condition takes effect once the hold ends.
    copies::set_condition(tx, copy, Condition::ToShelve)?;
    let barcode = copies::barcode(tx, copy)?;
    let change = HoldChange::HoldReady { hold, title: line.title.clone(), copy, barcode, until, from };
    record(tx, moment, by, person, line, Some(copy), change)?;
    Ok(Some(hold))
}

/// Cancels a waiting hold of an inactive person.
fn cancel_for_inactive(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: Option<UserId>,
    line: &mut Line,
    id: HoldId,
) -> Result<()> {
    let Some(at) = line.holds.iter().position(|hold| hold.id == id) else { return Ok(()) };
    let hold = line.holds.remove(at);
    holds::end(tx, id, HoldState::Cancelled, moment.at)?;
    let ended = EndedHold { hold: id, was: HoldState::Waiting, copy: None, until: None, passed_to: None };
    let change = HoldChange::HoldCancelled { ended, title: line.title.clone(), reason: String::new() };
    record(tx, moment, by, hold.user_id, line, None, change)
}

/// Keeps a copy at hand for the first in the queue, from the states `OnShelf`, `ToShelve` and `Unseen`. `None` if the
/// queue is empty or the copy has another state.
///
/// # Errors
/// [`Error::NotFound`] if the copy does not exist.
pub fn keep_in_hand_for_first(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    copy: CopyId,
) -> Result<Option<Hold>> {
    let book = copies::book_of(tx, copy)?.ok_or(Error::NotFound)?;
    let Some(mut line) = Line::lock(tx, book)? else { return Ok(None) };
    let from = copies::lock(tx, copy)?.ok_or(Error::NotFound)?.state();
    if !matches!(from, State::OnShelf | State::ToShelve | State::Unseen) {
        return Ok(None);
    }
    let Some(hold) = keep_for_first(tx, moment, Some(actor.uid()), rulebook, &mut line, copy, from)? else {
        return Ok(None);
    };
    if from == State::OnShelf {
        books::count_out(tx, book)?;
    }
    shown(tx, &rulebook.calendar, moment.today, hold).map(Some)
}

/// Returns a hold completed by [`complete`].
///
/// # Errors
/// [`Error::NotFound`] if it does not exist.
pub fn shown(tx: &mut Tx<'_>, calendar: &Calendar, today: Date, id: HoldId) -> Result<Hold> {
    let hold = holds::by_id(tx, id)?.ok_or(Error::NotFound)?;
    Ok(complete(tx, calendar, today, hold)?)
}

/// Completes a hold: sets the last day of a ready hold by today's calendar, and the expected day of a waiting hold.
pub fn complete(
    tx: &mut Tx<'_>,
    calendar: &Calendar,
    today: Date,
    mut hold: Hold,
) -> crate::storage::Result<Hold> {
    if hold.state == HoldState::Ready {
        hold.ready_until = hold.ready_until.map(|day| last_day(day, calendar));
    }
    if hold.state == HoldState::Waiting
        && let Some(place) = hold.place
    {
        hold.back_by = back_by(tx, hold.book_id, today, place)?;
    }
    Ok(hold)
}

/// Returns the latest day a copy should be back for a place in the queue: copies in the building serve the first
/// places, then loans in order of due date. `None` if only overdue loans are left.
pub fn back_by(
    tx: &mut Tx<'_>,
    book: BookId,
    today: Date,
    place: i64,
) -> crate::storage::Result<Option<Date>> {
    let at_hand = holds::at_hand(tx, book)?;
    holds::nth_due(tx, book, today, place - at_hand)
}

/// Arguments of [`place`].
#[derive(Clone, Debug)]
pub struct Place {
    pub person: UserId,
    pub book: BookId,
    pub overriding: Option<Override>,
}

/// Puts a person into the queue for a title (R-HOLD-1).
///
/// # Errors
/// [`Error::Refused`] with all blocks; [`Error::NotFound`] if title or person does not exist.
pub fn place(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &Place,
) -> Result<Hold> {
    // The lock keeps two concurrent holds from both being the last allowed. Lock order as in a check-out: the person
    // before the title.
    let reader = reader::lock(tx, what.person)?;
    let policy = rulebook.policy(&reader.category, moment.today);
    let line = Line::lock(tx, what.book)?.ok_or(Error::NotFound)?;
    let mut blocks = reader::blocks(&reader, moment.today);
    if line.of(what.person).is_some() {
        blocks.push(Block::InLine);
    }
    let open = loans::open_of_user(tx, what.person)?;
    if let Some(loan) = open.iter().find(|loan| loan.book_id == what.book) {
        blocks.push(Block::HasTitle { due: loan.return_date });
    }
    if line.on_shelf == 0 && !holds::prospect(tx, what.book)?.fillable {
        blocks.push(Block::NoCopyLeft);
    }
    if blocks.is_empty() && line.on_shelf > line.waiting() {
        blocks.push(Block::FreeCopy { location: holds::shelf(tx, what.book)?.unwrap_or_default() });
    }
    if let Some(max) = policy.max_holds {
        let held = holds::count_of_person(tx, what.person)?;
        if held >= max {
            blocks.push(Block::HoldLimit { held, max });
        }
    }
    let overridden = decide(actor, blocks, what.overriding.as_ref())?;
    // A new hold goes last, even if the clock was set back.
    let queue_key = line.holds.last().map_or(moment.at, |last| last.queue_key.max(moment.at));
    let new = NewHold { book: what.book, title: &line.title, person: what.person, queue_key, at: moment.at };
    let hold = holds::place(tx, &new)?;
    let change =
        HoldChange::HoldPlaced { hold, title: line.title.clone(), place: line.waiting() + 1, overridden };
    record(tx, moment, Some(actor.uid()), what.person, &line, None, change)?;
    shown(tx, &rulebook.calendar, moment.today, hold)
}

/// Ends a hold. Its kept copy is then kept for the next in the queue, or is to be shelved.
fn end(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: Option<UserId>,
    rulebook: &Rulebook,
    line: &mut Line,
    id: HoldId,
    state: HoldState,
) -> Result<EndedHold> {
    let at = line.holds.iter().position(|hold| hold.id == id).ok_or(Error::NotFound)?;
    let hold = line.holds.remove(at);
    holds::end(tx, id, state, moment.at)?;
    let passed_to = match hold.kept {
        Some((copy, _)) => keep_for_first(tx, moment, by, rulebook, line, copy, State::OnHoldShelf)?,
        None => None,
    };
    Ok(EndedHold {
        hold: id,
        was: if hold.kept.is_some() { HoldState::Ready } else { HoldState::Waiting },
        copy: hold.kept.map(|(copy, _)| copy),
        until: hold.kept.map(|(_, until)| until),
        passed_to,
    })
}

/// Returns the person and the locked queue of an open hold. Checks again under the lock that the hold is open.
fn locked(tx: &mut Tx<'_>, id: HoldId) -> Result<(UserId, Line)> {
    let (person, book) = holds::open(tx, id)?.ok_or(Error::NotFound)?;
    let line = Line::lock(tx, book)?.ok_or(Error::NotFound)?;
    if line.holds.iter().any(|hold| hold.id == id) { Ok((person, line)) } else { Err(Error::NotFound) }
}

/// Cancels a waiting or ready hold.
///
/// # Errors
/// [`Error::NotFound`] if the hold is not open or not the student's.
pub fn cancel(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    id: HoldId,
    reason: &str,
) -> Result<()> {
    let (person, mut line) = locked(tx, id)?;
    if matches!(actor, Actor::Student(uid) if uid != person) {
        return Err(Error::NotFound);
    }
    let by = Some(actor.uid());
    let ended = end(tx, moment, by, rulebook, &mut line, id, HoldState::Cancelled)?;
    let copy = ended.copy;
    let change = HoldChange::HoldCancelled { ended, title: line.title.clone(), reason: reason.to_owned() };
    record(tx, moment, by, person, &line, copy, change)
}

/// Cancels all waiting holds of a title that no copy can fill; returns their number.
///
/// # Errors
/// [`Error::NotFound`] if the title does not exist; [`Error::Invalid`] if a copy may still become available.
pub fn cancel_unfillable(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    reason: &str,
) -> Result<i64> {
    let line = Line::lock(tx, book)?.ok_or(Error::NotFound)?;
    if holds::prospect(tx, book)?.fillable {
        return Err(Error::Invalid(Invalid::field("id", message::may_still_come())));
    }
    let waiting: Vec<HoldId> = line.in_line().map(|hold| hold.id).collect();
    for id in &waiting {
        cancel(tx, actor, moment, rulebook, *id, reason)?;
    }
    Ok(number(waiting.len()))
}

/// Locks the titles for which these people have open holds, before several of the holds are cancelled.
pub fn lock_titles(tx: &mut Tx<'_>, people: &[UserId]) -> Result<()> {
    for title in holds::titles_of(tx, people)? {
        books::lock(tx, title)?;
    }
    Ok(())
}

/// Cancels all open holds of a person who may no longer place holds.
pub fn cancel_all_of(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    person: UserId,
    reason: &str,
) -> Result<()> {
    for id in holds::open_of_person(tx, person)? {
        match cancel(tx, actor, moment, rulebook, id, reason) {
            // Another transaction ended the hold while this one waited for the title's lock.
            Err(Error::NotFound) => {}
            done => done?,
        }
    }
    Ok(())
}

/// Cancels all holds of a title before the title is deleted. The caller has locked the title's row.
pub fn cancel_holds_of_title(tx: &mut Tx<'_>, actor: Actor, moment: Moment, book: BookId) -> Result<()> {
    let Some(line) = Line::lock(tx, book)? else { return Ok(()) };
    for hold in &line.holds {
        holds::end(tx, hold.id, HoldState::Cancelled, moment.at)?;
        let ended = EndedHold {
            hold: hold.id,
            was: if hold.kept.is_some() { HoldState::Ready } else { HoldState::Waiting },
            copy: hold.kept.map(|(copy, _)| copy),
            until: hold.kept.map(|(_, until)| until),
            passed_to: None,
        };
        let change = HoldChange::HoldCancelled { ended, title: line.title.clone(), reason: String::new() };
        record(tx, moment, Some(actor.uid()), hold.user_id, &line, None, change)?;
    }
    Ok(())
}

/// Ends a hold whose last day is past. Returns false if that day is not past or the hold has ended.
pub fn expire(tx: &mut Tx<'_>, moment: Moment, rulebook: &Rulebook, id: HoldId) -> Result<bool> {
    let (person, mut line) = match locked(tx, id) {
        Err(Error::NotFound) => return Ok(false),
        found => found?,
    };
    let kept = line.holds.iter().find(|hold| hold.id == id).and_then(|hold| hold.kept);
    if kept.is_none_or(|(_, until)| last_day(until, &rulebook.calendar) >= moment.today) {
        return Ok(false);
    }
    let ended = end(tx, moment, None, rulebook, &mut line, id, HoldState::Expired)?;
    let copy = ended.copy;
    let change = HoldChange::HoldExpired { ended, title: line.title.clone() };
    record(tx, moment, None, person, &line, copy, change)?;
    Ok(true)
}

/// Fulfils the borrower's own hold with the lent copy. Another copy kept for the borrower is then kept for the next in
/// the queue, or is to be shelved.
pub(super) fn fulfil(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: UserId,
    rulebook: &Rulebook,
    line: &mut Line,
    borrower: UserId,
    lent: CopyId,
) -> Result<Option<EndedHold>> {
    let Some(own) = line.of(borrower).cloned() else { return Ok(None) };
    if own.kept.is_some_and(|(copy, _)| copy != lent) {
        return end(tx, moment, Some(by), rulebook, line, own.id, HoldState::Fulfilled).map(Some);
    }
    line.holds.retain(|hold| hold.id != own.id);
    holds::end(tx, own.id, HoldState::Fulfilled, moment.at)?;
    Ok(Some(EndedHold {
        hold: own.id,
        was: if own.kept.is_some() { HoldState::Ready } else { HoldState::Waiting },
        copy: own.kept.map(|(copy, _)| copy),
        until: own.kept.map(|(_, until)| until),
        passed_to: None,
    }))
}

/// Releases a kept copy from its hold, which becomes the first in the queue or is cancelled. The copy's condition is
/// `ToShelve` until the caller sets another.
pub(super) fn pass_over(
    tx: &mut Tx<'_>,
    moment: Moment,
    by: UserId,
    line: &mut Line,
    copy: CopyId,
    cancelled: bool,
) -> Result<Option<PassedOver>> {
    let Some(hold) = line.keeping(copy).cloned() else { return Ok(None) };
    let Some((_, until)) = hold.kept else { return Ok(None) };
    let before = PassedOver { hold: hold.id, copy, until, queue_key: hold.queue_key, cancelled };
    line.holds.retain(|other| other.id != hold.id);
    let title = line.title.clone();
    let change = if cancelled {
        holds::end(tx, hold.id, HoldState::Cancelled, moment.at)?;
        let ended = EndedHold {
            hold: hold.id,
            was: HoldState::Ready,
            copy: Some(copy),
            until: Some(until),
            passed_to: None,
        };
        HoldChange::HoldCancelled { ended, title, reason: String::new() }
    } else {
        let first = line.in_line().map(|other| other.queue_key).min();
        let queue_key = first.map_or(hold.queue_key, |first| hold.queue_key.min(first - 1));
        holds::wait(tx, hold.id, queue_key)?;
        line.holds.insert(0, OpenHold { queue_key, kept: None, ..hold.clone() });
        HoldChange::HoldPutBack { before: before.clone(), title }
    };
    record(tx, moment, Some(by), hold.user_id, line, Some(copy), change)?;
    Ok(Some(before))
}

/// Moves a person to another place in the queue, counted from 1 (R-HOLD-3).
///
/// # Errors
/// [`Error::NotFound`] if the hold is not waiting.
pub fn reorder(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    id: HoldId,
    place: i64,
    reason: &str,
) -> Result<Hold> {
    let (person, line) = locked(tx, id)?;
    let before: Vec<QueueKey> =
        line.in_line().map(|hold| QueueKey { hold: hold.id, key: hold.queue_key }).collect();
    let from = before.iter().position(|key| key.hold == id).ok_or(Error::NotFound)?;
    let to = usize::try_from(place - 1).unwrap_or(0).min(before.len() - 1);
    if from != to {
        let mut order = before.clone();
        let moved = order.remove(from);
        order.insert(to, moved);
        // Reuses the keys in the new order, strictly increasing.
        let mut after: Vec<QueueKey> = Vec::with_capacity(order.len());
        for (moved, place) in order.iter().zip(&before) {
            let least = after.last().map_or(i64::MIN, |last| last.key + 1);
            after.push(QueueKey { hold: moved.hold, key: place.key.max(least) });
        }
        holds::order(tx, &after.iter().map(|key| (key.hold, key.key)).collect::<Vec<_>>())?;
        let change = HoldChange::HoldsReordered {
            hold: id,
            title: line.title.clone(),
            from: number(from) + 1,
            to: number(to) + 1,
            before,
            after,
            reason: reason.to_owned(),
        };
        record(tx, moment, Some(actor.uid()), person, &line, None, change)?;
    }
    shown(tx, &rulebook.calendar, moment.today, id)
}

/// Returns a block if more people are waiting than copies are free.
pub(super) fn renewal_block(tx: &mut Tx<'_>, book: BookId) -> Result<Option<Block>> {
    let waiting = holds::waiting(tx, book)?;
    if waiting == 0 || waiting <= books::on_shelf(tx, book)? {
        return Ok(None);
    }
    Ok(Some(Block::RenewWaiting { waiting }))
}
