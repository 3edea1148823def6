//! Undo: a change is undone by an opposite change that names it; nothing is deleted (R-UNDO-1, R-UNDO-2).
//!
//! An undo is possible until the library's day ends, and only while no later change depends on the change: a step fails
//! if the state is no longer the one that the change produced.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::{
    Actor, Block, Error, NotUndone, Refusal, Result,
    check_out::reader_blocks,
    desk::{state_message, where_to},
    hold::Line,
    money, reader, record, renew,
};
use crate::{
    domain::{
        change::{
            CatalogueChange, Change, CopyChange, EndedHold, HoldChange, LoanChange, MoneyChange, PassedOver,
            PersonChange, SignInChange, Swap,
        },
        copy::{Condition, State},
        hold::HoldState,
        id::{BookId, ChangeId, CopyId, HoldId, LineId, LoanId, UserId},
        moment::Moment,
        person::Details,
        rulebook::Rulebook,
    },
    message::{self, Message},
    money::Money,
    storage::{
        Tx, accounts,
        authority::{self, Authority, Subject},
        books, copies,
        events::{self, Entry, Filter, Recorded},
        holds, ledger, loans, merge, people, till,
    },
};

/// Result of an undo.
#[derive(Clone, Debug)]
pub struct Undone {
    /// Change that records the undo.
    pub change: ChangeId,
    /// Description of the restored state.
    pub messages: Vec<Message>,
}

/// Returns the error of a refused undo.
#[must_use]
pub fn not_undone(why: NotUndone) -> Error {
    Error::Refused(Refusal { blocks: vec![Block::NotUndone(why)] })
}

/// Fails with `Later` unless `holds`: later changes must be undone first.
fn require(holds: bool) -> Result<()> {
    if holds { Ok(()) } else { Err(not_undone(NotUndone::Later)) }
}

/// Undoes a change. `day_begins` is the instant at which the library's day began, epoch milliseconds.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Refused`] with the reason.
pub fn undo(tx: &mut Tx<'_>, actor: Actor, moment: Moment, day_begins: i64, id: ChangeId) -> Result<Undone> {
    let found = events::by_id(tx, id)?.ok_or(Error::NotFound)?;
    match undo_found(tx, actor, moment, day_begins, found.clone()) {
        Err(error) if is_later(&error) => match since(tx, &found)? {
            Some(later) => Err(not_undone(later)),
            None => Err(error),
        },
        done => done,
    }
}

/// Minutes that a student has to undo their own loan.
const OWN_MINUTES: i64 = 5;

/// Undoes a student's own borrow, extension or return, which the student made without the desk. A return is undone by the
/// rules of a borrow, and only while no reader waits for the title, because the student then has the copy again.
///
/// # Errors
/// [`Error::NotFound`] unless the student made the change to their own loan; [`Error::Refused`] with the reasons, which
/// reveal nothing about other readers.
pub fn undo_own(
    tx: &mut Tx<'_>,
    student: UserId,
    moment: Moment,
    rulebook: &Rulebook,
    day_begins: i64,
    id: ChangeId,
) -> Result<Undone> {
    let found = events::by_id(tx, id)?.ok_or(Error::NotFound)?;
    let is_theirs = |named: &Option<(UserId, String)>| named.as_ref().is_some_and(|(uid, _)| *uid == student);
    if !is_theirs(&found.actor) || !is_theirs(&found.person) || !matches!(found.change, Change::Loan(_)) {
        return Err(Error::NotFound);
    }
    if found.undone {
        return Err(not_undone(NotUndone::Already));
    }
    if found.at < day_begins.max(moment.at - OWN_MINUTES * 60_000) {
        return Err(not_undone(NotUndone::Late { minutes: OWN_MINUTES }));
    }
    // Lock order: the person before loans and title.
    let reader = reader::lock(tx, student)?;
    lock(tx, &found, &[])?;
    let book = found.book.as_ref().map(|(book, _)| *book);
    let is_return = matches!(found.change, Change::Loan(LoanChange::Returned { .. }));
    let mut blocks = Vec::new();
    if is_return {
        let rules = rulebook.on(moment.today);
        if !rules.self_borrow {
            blocks.push(Block::SelfBorrowOff);
        }
        let policy = rules.for_category(&reader.category);
        reader_blocks(tx, moment, rulebook, &policy, &reader, book, &mut blocks)?;
    } else if !reader.active {
        blocks.push(Block::Inactive);
    }
    if !blocks.is_empty() {
        return Err(Error::Refused(Refusal { blocks }));
    }
    let waiting = match book.filter(|_| is_return) {
        Some(book) => Line::lock(tx, book)?.map_or(0, |line| line.waiting()),
        None => 0,
    };
    let is_linked = events::linked(tx, id)?.is_some();
    if !found.change.undone_by_reader() || is_linked || waiting > 0 || since(tx, &found)?.is_some() {
        return Err(not_undone(NotUndone::AtDesk));
    }
    let messages = found.change.undone().into_iter().collect();
    let (change, _) =
        take_back(tx, Actor::Student(student), moment, found).map_err(|error| match &error {
            Error::Refused(Refusal { blocks })
                if matches!(blocks[..], [Block::NotUndone(NotUndone::Already)]) =>
            {
                error
            }
            Error::Refused(_) => not_undone(NotUndone::AtDesk),
            _ => error,
        })?;
    Ok(Undone { change, messages })
}

fn undo_found(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    day_begins: i64,
    found: Recorded,
) -> Result<Undone> {
    let (id, copy) = (found.id, found.copy.or_else(|| found.change.copy_of_loan()));
    let instead = found.change.instead().ok_or(not_undone(NotUndone::Kind))?;
    if found.at < day_begins {
        return Err(not_undone(NotUndone::Day { instead }));
    }
    let cancelled = holds_cancelled_with(tx, &found)?;
    lock(tx, &found, &cancelled)?;
    let (change, mut messages) = take_back(tx, actor, moment, found)?;
    messages.extend(reserve_again(tx, actor, moment, cancelled)?);
    // Undoing a change also undoes the earlier changes of the same action.
    match (events::linked(tx, id)?, copy) {
        (Some(before), _) => messages.extend(undo(tx, actor, moment, day_begins, before)?.messages),
        (None, Some(copy)) => messages.extend(where_now(tx, copy)?),
        (None, None) => {}
    }
    Ok(Undone { change, messages })
}

/// Undoes all changes of an import. Unlike [`undo`], it accepts changes of earlier days.
///
/// # Errors
/// [`Error::Refused`] if a loan or charge of the import was changed since.
pub fn undo_imported(tx: &mut Tx<'_>, actor: Actor, moment: Moment, changes: &[ChangeId]) -> Result<()> {
    let (mut founds, mut loans) = (Vec::with_capacity(changes.len()), Vec::new());
    let (mut titles, mut accounts) = (BTreeSet::new(), BTreeSet::new());
    for id in changes {
        let found = events::by_id(tx, *id)?.ok_or(Error::NotFound)?;
        loans.extend(found.change.loans());
        titles.extend(found.book.as_ref().map(|(book, _)| *book));
        if matches!(found.change, Change::Money(_)) {
            accounts.extend(found.person.as_ref().map(|(person, _)| *person));
        }
        founds.push(found);
    }
    accounts.extend(loans::lock_all(tx, loans)?);
    for title in titles {
        books::lock(tx, title)?;
    }
    ledger::lock_all(tx, accounts)?;
    for found in founds {
        take_back(tx, actor, moment, found)?;
    }
    Ok(())
}

/// Describes where a copy is after an undo, and names the first reader in the title's queue.
fn where_now(tx: &mut Tx<'_>, copy: CopyId) -> Result<Vec<Message>> {
    let Some(copy) = copies::by_id(tx, copy)?.filter(|copy| !copy.title.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut messages = vec![match &copy.loan {
        Some(loan) => message::undone_has(&loan.user_name, loan.return_date),
        None => where_to(&copy).unwrap_or_else(|| state_message(&copy)),
    }];
    let line = Line::lock(tx, copy.book_id)?;
    if let Some(first) = line.as_ref().and_then(Line::first)
        && let Some(first) = accounts::by_id(tx, first)?.and_then(|account| account.user)
    {
        messages.push(message::undone_next_in_line(&first.name));
    }
    Ok(messages)
}

/// Returns the cancellations of holds that this change caused in the same instant.
fn holds_cancelled_with(tx: &mut Tx<'_>, found: &Recorded) -> Result<Vec<ChangeId>> {
    let person = found.person.iter().map(|(person, _)| *person);
    let people: Vec<UserId> = match &found.change {
        Change::Person(PersonChange::PersonDeactivated { .. }) => person.collect(),
        Change::Person(PersonChange::BatchMoved { to: None, people, .. }) => people.clone(),
        Change::Person(PersonChange::PeopleMerged { dropped, .. }) => person.chain([*dropped]).collect(),
        Change::Catalogue(CatalogueChange::BookDeleted { .. }) => {
            let (book, _) = found.book.as_ref().ok_or(Error::NotFound)?;
            return Ok(events::holds_of_title_cancelled_at(tx, *book, found.at)?);
        }
        _ => return Ok(Vec::new()),
    };
    Ok(events::holds_cancelled_at(tx, &people, found.at)?)
}

/// Locks the people, loans, titles and accounts of a change, of the changes linked with it and of the holds cancelled with
/// it, in the order of all transactions, before any of them is undone.
fn lock(tx: &mut Tx<'_>, last: &Recorded, cancelled: &[ChangeId]) -> Result<()> {
    let (mut loans, mut titles) =
        (last.change.loans(), Vec::from_iter(last.book.as_ref().map(|(id, _)| *id)));
    let person = last.person.as_ref().map(|(person, _)| *person);
    let mut readers = BTreeSet::new();
    match &last.change {
        Change::Person(PersonChange::PersonDeactivated { .. }) => {
            accounts::lock(tx, person.ok_or(Error::NotFound)?)?;
        }
        Change::Person(PersonChange::BatchMoved { people, .. }) => {
            people::lock_all(tx, people)?;
        }
        Change::Person(PersonChange::PeopleMerged { dropped, .. }) => {
            let keep = person.ok_or(Error::NotFound)?;
            for uid in [keep.min(*dropped), keep.max(*dropped)] {
                accounts::lock(tx, uid)?;
            }
            readers.extend([keep, *dropped]);
            if let Some(moved) = merge::of_change(tx, last.id)? {
                loans.extend(moved.loans());
                titles.extend(moved.titles());
            }
        }
        _ => {}
    }
    for id in cancelled {
        titles.extend(events::by_id(tx, *id)?.and_then(|cancelled| cancelled.book).map(|(book, _)| book));
    }
    let mut next = events::linked(tx, last.id)?;
    while let Some(id) = next {
        let before = events::by_id(tx, id)?.ok_or(Error::NotFound)?;
        loans.extend(before.change.loans());
        titles.extend(before.book.map(|(id, _)| id));
        next = events::linked(tx, id)?;
    }
    readers.extend(loans::lock_all(tx, loans)?);
    titles.sort_unstable();
    titles.dedup();
    for title in titles {
        books::lock(tx, title)?;
    }
    ledger::lock_all(tx, readers)?;
    Ok(())
}

/// Undoes one change; returns the id of the recorded undo and a description of the restored state.
fn take_back(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    found: Recorded,
) -> Result<(ChangeId, Vec<Message>)> {
    if found.undone {
        return Err(not_undone(NotUndone::Already));
    }
    let charged_anyway = matches!(&found.change, Change::Loan(LoanChange::Renewed { dropped, .. }) if *dropped > Money::ZERO)
        && renew::charged_anyway(tx, &found)?.is_some();
    let book = found.book.map(|(book, _)| book);
    let person = found.person.map(|(person, _)| person);
    let mut first = found.change;
    let mut step =
        Step { tx: &mut *tx, actor, moment, at: found.at, id: found.id, book, person, charged_anyway };
    let left = match &mut first {
        Change::Person(PersonChange::BatchMoved { from, to, people }) => {
            step.batch_moved(from, to.as_deref(), people)?
        }
        first => {
            step.take_back(first)?;
            Vec::new()
        }
    };
    let messages = first.undone().into_iter().chain(left).collect();
    let change = Change::Undone { change: found.id, first: Box::new(first) };
    let change = record(tx, moment, actor, &Entry { person, book, copy: found.copy, change })?;
    // Of two concurrent undos of the same change, the second finds the row of the first.
    if !events::mark_undone(tx, found.id, change)? {
        return Err(not_undone(NotUndone::Already));
    }
    Ok((change, messages))
}

/// Maximum number of cancelled holds or changed people named one by one.
const MOST_NAMED: usize = 5;

/// Maximum number of named people whose move cannot be undone: the librarian corrects their batch by hand.
const NAMED_TO_CORRECT: usize = 50;

fn named(names: &[&str], most: usize) -> String {
    let more = if names.len() > most { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(most)].join(", "))
}

/// Reopens cancelled holds, last one first, because a copy kept for one may have gone to the next. A hold that later
/// changes block stays cancelled and is reported: one reservation must not block the undo of a person or a title.
fn reserve_again(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    cancelled: Vec<ChangeId>,
) -> Result<Vec<Message>> {
    let mut told = Vec::new();
    let mut untold = 0_usize;
    for id in cancelled {
        let found = events::by_id(tx, id)?.ok_or(Error::NotFound)?;
        if found.undone {
            continue;
        }
        let name = found.person.clone().map(|(_, name)| name).unwrap_or_default();
        let Change::Hold(HoldChange::HoldCancelled { title, .. }) = found.change.clone() else { continue };
        match take_back(tx, actor, moment, found) {
            Ok(_) => {}
            // This check fails before anything is written, so the other holds can still be reopened.
            Err(error) if is_later(&error) && told.len() < MOST_NAMED => {
                told.push(message::undone_hold_stays(&title, &name));
            }
            Err(error) if is_later(&error) => untold += 1,
            Err(error) => return Err(error),
        }
    }
    if untold > 0 {
        told.push(message::undone_holds_stay(untold));
    }
    Ok(told)
}

fn is_later(error: &Error) -> bool {
    matches!(error, Error::Refused(Refusal { blocks }) if *blocks == [Block::NotUndone(NotUndone::Later)])
}

/// Maximum number of changes of the title or person searched for the blocking change.
const MOST_SEARCHED: i64 = 200;

/// Returns the newest later change about the same thing that is still in force and must be undone first.
fn since(tx: &mut Tx<'_>, found: &Recorded) -> Result<Option<NotUndone>> {
    let person = found.person.as_ref().map(|(person, _)| *person);
    let mut filter = Filter { from: Some(found.at), ..Filter::default() };
    match &found.book {
        Some((book, _)) => filter.book = Some(*book),
        None => filter.person = person,
    }
    let later = events::page(tx, &filter, ChangeId(i64::MAX), MOST_SEARCHED)?.into_iter().find(|later| {
        later.id > found.id
            && !later.undone
            && !matches!(later.change, Change::Undone { .. } | Change::SignIn(SignInChange::SignedIn))
            && rests_on(later, found, person)
    });
    Ok(later.and_then(|later| {
        let what = later.change.messages().into_iter().next()?;
        Some(NotUndone::Since { what, name: later.person.map(|(_, name)| name) })
    }))
}

/// Subject of a change.
#[derive(PartialEq, Eq)]
enum Thing {
    Loan(LoanId),
    Copy(CopyId),
    Hold(HoldId),
    Line(LineId),
}

fn things(of: &Recorded) -> Vec<Thing> {
    let about = of.change.about();
    let copies = of.copy.into_iter().chain(about.copies);
    let loans_and_copies = about.loans.into_iter().map(Thing::Loan).chain(copies.map(Thing::Copy));
    let holds_and_lines =
        about.holds.into_iter().map(Thing::Hold).chain(about.lines.into_iter().map(Thing::Line));
    loans_and_copies.chain(holds_and_lines).collect()
}

/// True if a later change may keep an earlier one from being undone.
fn rests_on(later: &Recorded, earlier: &Recorded, person: Option<UserId>) -> bool {
    let of_person = person.is_some() && later.person.as_ref().map(|(person, _)| *person) == person;
    let things = things(later);
    let shares = self::things(earlier).iter().any(|thing| things.contains(thing));
    match (&earlier.change, &later.change) {
        (Change::Person(PersonChange::PersonDeactivated { .. }), later) => {
            matches!(later, Change::Person(PersonChange::PersonActivated))
        }
        (Change::Person(PersonChange::PeopleMerged { .. }), _) => of_person,
        (Change::Money(MoneyChange::ChargeReversed { .. }), Change::Money(MoneyChange::Refunded { .. })) => {
            true
        }
        (Change::Catalogue(CatalogueChange::BookDeleted { .. }), later) => {
            matches!(later, Change::Loan(LoanChange::Returned { .. } | LoanChange::DeclaredLost { .. }))
        }
        // A reader who has reserved the title again gets no second place in the queue.
        (
            Change::Loan(LoanChange::Lent { .. }) | Change::Hold(HoldChange::HoldCancelled { .. }),
            Change::Hold(HoldChange::HoldPlaced { .. }),
        ) => shares || of_person,
        _ => shares,
    }
}

/// Returns the person of a change; fails with `Later` if the person no longer exists.
fn require_person(found: std::result::Result<Subject, authority::Error>) -> Result<Subject> {
    match found {
        Err(authority::Error::NotFound) => Err(not_undone(NotUndone::Later)),
        found => Ok(found?),
    }
}

struct Step<'a, 'c> {
    tx: &'a mut Tx<'c>,
    actor: Actor,
    moment: Moment,
    /// Instant of the change, epoch milliseconds.
    at: i64,
    /// Change being undone.
    id: ChangeId,
    book: Option<BookId>,
    person: Option<UserId>,
    /// True if the change is a renewal whose dropped fine was charged after all.
    charged_anyway: bool,
}

impl Step<'_, '_> {
    fn take_back(&mut self, change: &Change) -> Result<()> {
        if let Some(person) = self.person.filter(|_| change.is_forgiven_by_undo()) {
            money::refuse_own(self.actor, person)?;
        }
        match change {
            Change::Loan(LoanChange::Lent { loan, copy, due, filled, passed_over, was, .. }) => {
                let was = was.unwrap_or(Condition::OnShelf);
                self.lent(*loan, *copy, (*due, 0), was, filled.as_ref(), passed_over.as_ref())
            }
            Change::Loan(LoanChange::LoanImported { loan, copy, due, renewals, was, .. }) => {
                let was = was.unwrap_or(Condition::OnShelf);
                self.lent(*loan, Some(*copy), (*due, *renewals), was, None, None)
            }
            Change::Loan(LoanChange::Returned { loan, to, caught, charge, was, swapped, .. }) => {
                let was = was.unwrap_or(Condition::OnShelf);
                self.returned(*loan, *to, *caught, &[*charge], was, swapped.as_ref())
            }
            Change::Loan(LoanChange::DeclaredLost { loan, to, charge, price_charge, was, .. }) => {
                self.returned(*loan, *to, None, &[*charge, *price_charge], *was, None)
            }
            Change::Loan(LoanChange::FineCharged { charge, .. }) => self.charged(*charge),
            Change::Loan(LoanChange::Renewed { loan, from, to, charge, reasons_before, .. }) => {
                require(!self.charged_anyway)?;
                self.renewed(*loan, *from, *to, *charge, reasons_before.clone())
            }
            Change::Loan(LoanChange::DueDateSet { loan, from, to, reasons_before, .. }) => {
                self.due_date_set(*loan, *from, *to, reasons_before.clone())
            }
            Change::Copy(CopyChange::CopyMoved { copy, from, to, .. }) => self.moved(*copy, *from, *to),
            Change::Hold(HoldChange::HoldPlaced { hold, .. }) => {
                let line = self.line()?;
                require(line.holds.iter().any(|open| open.id == *hold && open.kept.is_none()))?;
                Ok(holds::end(self.tx, *hold, HoldState::Cancelled, self.moment.at)?)
            }
            Change::Hold(HoldChange::HoldCancelled { ended, .. }) => {
                let line = self.line()?;
                self.bring_back(&line, ended)
            }
            Change::Hold(HoldChange::HoldReady { hold, copy, from, .. }) => {
                let line = self.line()?;
                let was = condition(*from)?;
                self.release(&line, *hold, *copy)?;
                copies::set_condition(self.tx, *copy, was)?;
                self.count(&line, State::OnHoldShelf, was.state())
            }
            Change::Person(PersonChange::PersonDeactivated { .. }) => {
                let person = self.person.ok_or(Error::NotFound)?;
                let authority = self.authority()?;
                let subject = require_person(authority.over(self.tx, person))?;
                require(!subject.record().active)?;
                Ok(people::activate(self.tx, &subject)?)
            }
            Change::Person(PersonChange::PeopleMerged { dropped, .. }) => self.merged(*dropped),
            Change::Money(MoneyChange::Charged { line, .. } | MoneyChange::ChargeImported { line, .. }) => {
                self.charged(*line)
            }
            Change::Money(
                MoneyChange::Paid { line, .. }
                | MoneyChange::Waived { line, .. }
                | MoneyChange::Refunded { line, .. },
            ) => self.reverse(*line),
            Change::Money(MoneyChange::PaymentReversed { line, .. }) => self.payment_reversed(*line),
            Change::Money(MoneyChange::ChargeReversed { line, credit, .. }) => {
                self.charge_reversed(*line, *credit)
            }
            Change::Catalogue(CatalogueChange::BookDeleted { .. }) => {
                let book = self.book.ok_or(Error::NotFound)?;
                require(copies::restore_copies_of_title(self.tx, book)?)?;
                require(books::restore(self.tx, book)?)
            }
            _ => Err(not_undone(NotUndone::Kind)),
        }
    }

    /// Returns the librarian's authority to change people's records.
    fn authority(&mut self) -> Result<Authority> {
        Ok(Authority::of(self.tx, self.actor.uid())?)
    }

    /// Locks the title's row, which comes before its copies in the lock order.
    fn line(&mut self) -> Result<Line> {
        let book = self.book.ok_or(Error::NotFound)?;
        Line::lock(self.tx, book)?.ok_or(not_undone(NotUndone::Later))
    }

    /// Updates the title's count for a copy that changes its state.
    fn count(&mut self, line: &Line, from: State, to: State) -> Result<()> {
        if from == State::OnShelf && to != State::OnShelf {
            books::count_out(self.tx, line.book)?;
        }
        if from != State::OnShelf && to == State::OnShelf {
            books::put_back_copies(self.tx, line.book, 1)?;
        }
        Ok(())
    }

    fn lent(
        &mut self,
        loan: LoanId,
        copy: Option<CopyId>,
        (due, renewals): (Date, i64),
        was: Condition,
        filled: Option<&EndedHold>,
        passed_over: Option<&PassedOver>,
    ) -> Result<()> {
        let open = loans::lock_open(self.tx, loan)?;
        require(open.as_ref().is_some_and(|open| open.renewals == renewals && open.return_date == due))?;
        let lent = open.map(|open| open.copy_id).ok_or(Error::NotFound)?;
        // A later swap may have given the loan another copy.
        require(copy.is_none_or(|copy| copy == lent))?;
        let copy = lent;
        let line = self.line()?;
        copies::lock(self.tx, copy)?.ok_or(Error::NotFound)?;
        loans::void(self.tx, loan, self.moment.at, self.moment.today, self.actor.uid())?;
        copies::set_condition(self.tx, copy, was)?;
        if let Some(before) = passed_over {
            self.keep_again(&line, before)?;
        }
        if let Some(ended) = filled {
            self.bring_back(&line, ended)?;
        }
        let kept = filled.is_some_and(|ended| ended.copy == Some(copy)) || passed_over.is_some();
        self.found(was, copy)?;
        self.count(&line, State::OnLoan, if kept { State::OnHoldShelf } else { was.state() })
    }

    fn returned(
        &mut self,
        loan: LoanId,
        to: Condition,
        caught: Option<HoldId>,
        charges: &[Option<LineId>],
        was: Condition,
        swapped: Option<&Swap>,
    ) -> Result<()> {
        let other = swapped.and_then(|swapped| swapped.with);
        let other = other.map(|with| loans::lock_open(self.tx, with)).transpose()?.flatten();
        let ended = loans::lock_ended(self.tx, loan)?.ok_or(not_undone(NotUndone::Later))?;
        let line = Line::lock(self.tx, self.book.ok_or(Error::NotFound)?)?;
        let facts = copies::lock(self.tx, ended.copy_id)?.ok_or(Error::NotFound)?;
        require(facts.due.is_none() && facts.condition == to)?;
        match (caught, &line) {
            (Some(hold), Some(line)) => self.release(line, hold, ended.copy_id)?,
            (Some(_), None) => require(false)?,
            (None, _) => require(facts.state() == to.state())?,
        }
        for charge in charges.iter().flatten() {
            self.charged(*charge)?;
        }
        let mut before = State::OnLoan;
        if let Some(swapped) = swapped {
            let lent = copies::lock(self.tx, swapped.copy)?.ok_or(Error::NotFound)?;
            match swapped.with {
                Some(with) => {
                    require(other.is_some_and(|other| other.copy_id == swapped.copy))?;
                    loans::set_copy(self.tx, with, ended.copy_id)?;
                }
                None => {
                    require(lent.state() == State::Missing)?;
                    copies::set_condition(self.tx, swapped.copy, swapped.was)?;
                    before = was.state();
                }
            }
            loans::set_copy(self.tx, loan, swapped.copy)?;
        }
        loans::reopen(self.tx, loan)?;
        copies::set_condition(self.tx, ended.copy_id, was)?;
        // A deleted title has no count.
        line.map_or(Ok(()), |line| self.count(&line, facts.state(), before))
    }

    fn renewed(
        &mut self,
        loan: LoanId,
        from: Date,
        to: Date,
        charge: Option<LineId>,
        reasons_before: Option<String>,
    ) -> Result<()> {
        let open =
            loans::lock_open(self.tx, loan)?.filter(|open| open.return_date == to && open.renewals > 0);
        let mut open = open.ok_or(not_undone(NotUndone::Later))?;
        open.return_date = from;
        open.renewals -= 1;
        open.due_reasons = reasons_before;
        loans::store_due(self.tx, &open)?;
        charge.map_or(Ok(()), |charge| self.charged(charge))
    }

    fn due_date_set(
        &mut self,
        loan: LoanId,
        from: Date,
        to: Date,
        reasons_before: Option<String>,
    ) -> Result<()> {
        let open = loans::lock_open(self.tx, loan)?.filter(|open| open.return_date == to);
        let mut open = open.ok_or(not_undone(NotUndone::Later))?;
        open.return_date = from;
        open.due_reasons = reasons_before;
        Ok(loans::store_due(self.tx, &open)?)
    }

    fn moved(&mut self, copy: CopyId, from: State, to: Condition) -> Result<()> {
        let line = self.line()?;
        let facts = copies::lock(self.tx, copy)?.ok_or(Error::NotFound)?;
        require(facts.due.is_none() && facts.condition == to)?;
        // The move may have caught the copy for a hold.
        if let Some(hold) = line.keeping(copy).map(|hold| hold.id) {
            self.release(&line, hold, copy)?;
        }
        let was = condition(from)?;
        copies::set_condition(self.tx, copy, was)?;
        self.found(was, copy)?;
        self.count(&line, facts.state(), was.state())
    }

    /// Separates two merged records again; requires that neither record has a later change.
    fn merged(&mut self, dropped: UserId) -> Result<()> {
        let keep = self.person.ok_or(Error::NotFound)?;
        // Waits for concurrent payments to commit, so that the checks see them.
        for uid in [keep.min(dropped), keep.max(dropped)] {
            ledger::lock(self.tx, uid)?;
        }
        let authority = self.authority()?;
        let (kept, left) = (
            require_person(authority.over(self.tx, keep))?,
            require_person(authority.over_merged(self.tx, dropped))?,
        );
        let moved = merge::of_change(self.tx, self.id)?.ok_or(not_undone(NotUndone::Later))?;
        require(!events::happened_since(self.tx, [keep, dropped], self.id)?)?;
        require(merge::undo_merge(self.tx, &kept, &left, &moved)?)
    }

    /// Moves people back to the batch or reactivates them, and keeps only these people in `people`. Skips and reports
    /// people who were changed, erased or merged since. Fails if all were.
    fn batch_moved(
        &mut self,
        from: &str,
        to: Option<&str>,
        people: &mut Vec<UserId>,
    ) -> Result<Vec<Message>> {
        let authority = self.authority()?;
        let subjects = authority.over_all(self.tx, people)?;
        let gone = people.len() - subjects.len();
        let as_left = |subject: &Subject| match to {
            Some(to) => subject.record().details.batch.as_deref() == Some(to),
            None => !subject.record().active,
        };
        let (back, stay): (Vec<Subject>, Vec<Subject>) = subjects.into_iter().partition(as_left);
        let stay: Vec<&str> = stay.iter().map(|subject| subject.record().details.name.as_str()).collect();
        if back.is_empty() {
            require(!stay.is_empty())?;
            let names = named(&stay, MOST_NAMED);
            return Err(not_undone(NotUndone::People { people: stay.len(), names }));
        }
        *people = back.iter().map(Subject::uid).collect();
        if to.is_none() {
            people::activate_all(self.tx, &back)?;
        } else {
            let moved = |subject: &Subject| Details {
                batch: Some(from.to_owned()),
                ..subject.record().details.clone()
            };
            let rows: Vec<(&Subject, Details)> =
                back.iter().map(|subject| (subject, moved(subject))).collect();
            people::update_all(self.tx, &rows)?;
        }
        let names = named(&stay, NAMED_TO_CORRECT);
        let stay = (!stay.is_empty()).then(|| message::undone_batch_stays(stay.len(), &names));
        let gone = (gone > 0).then(|| message::undone_batch_gone(gone));
        Ok(stay.into_iter().chain(gone).collect())
    }

    /// Requires, for a found copy that becomes lost again, that its price was not reversed since the change being undone.
    fn found(&mut self, was: Condition, copy: CopyId) -> Result<()> {
        if was != Condition::Lost {
            return Ok(());
        }
        let price = ledger::price_of_lost(self.tx, copy)?;
        let reversed = price.map(|price| ledger::reversed_since(self.tx, price, self.at)).transpose()?;
        require(reversed != Some(true))
    }

    /// Returns the hold that a copy is kept for to its old place in the queue.
    fn release(&mut self, line: &Line, hold: HoldId, copy: CopyId) -> Result<()> {
        let keeping = line.keeping(copy).filter(|keeping| keeping.id == hold);
        let keeping = keeping.ok_or(not_undone(NotUndone::Later))?;
        Ok(holds::wait(self.tx, hold, keeping.queue_key)?)
    }

    /// Reopens an ended hold: it waits in its old place, or its copy is kept again.
    fn bring_back(&mut self, line: &Line, ended: &EndedHold) -> Result<()> {
        // The person may have reserved the title again since.
        let person = holds::person_of(self.tx, ended.hold)?.ok_or(Error::NotFound)?;
        require(line.of(person).is_none())?;
        // An inactive person cannot have a hold.
        require(accounts::category_and_activity(self.tx, person)?.is_some_and(|(_, active)| active))?;
        match (ended.copy, ended.passed_to) {
            (Some(copy), Some(next)) => self.release(line, next, copy)?,
            (Some(copy), None) => {
                let facts = copies::lock(self.tx, copy)?.ok_or(Error::NotFound)?;
                require(facts.state() == State::ToShelve)?;
            }
            (None, _) => {}
        }
        Ok(holds::reopen(self.tx, ended.hold)?)
    }

    /// Keeps a copy again for the hold that had lost the copy.
    fn keep_again(&mut self, line: &Line, before: &PassedOver) -> Result<()> {
        if before.cancelled {
            return Ok(holds::reopen(self.tx, before.hold)?);
        }
        let waiting = line.holds.iter().any(|hold| hold.id == before.hold && hold.kept.is_none());
        require(waiting)?;
        holds::order(self.tx, &[(before.hold, before.queue_key)])?;
        Ok(holds::keep(self.tx, before.hold, before.copy, before.until)?)
    }

    /// Reverses a charge; requires that nothing was paid or waived.
    fn charged(&mut self, line: LineId) -> Result<()> {
        ledger::lock_of_line(self.tx, line)?.ok_or(Error::NotFound)?;
        let (_, charge) = ledger::charge_by_id(self.tx, line)?.ok_or(Error::NotFound)?;
        if charge.open != charge.amount {
            return Err(not_undone(NotUndone::Paid));
        }
        self.reverse(line)
    }

    /// Undoes a reversal of a charge; requires that its credit was not paid out.
    fn charge_reversed(&mut self, line: LineId, credit: Money) -> Result<()> {
        let person = ledger::lock_of_line(self.tx, line)?.ok_or(Error::NotFound)?;
        require(credit == Money::ZERO || money::credit(self.tx, person)? >= credit)?;
        money::reverse(self.tx, self.actor, self.moment, line)?;
        Ok(())
    }

    /// Undoes a reversal of a payment; requires that the charges it reopened are still owed.
    fn payment_reversed(&mut self, line: LineId) -> Result<()> {
        ledger::lock_of_line(self.tx, line)?.ok_or(Error::NotFound)?;
        for part in ledger::settled_by(self.tx, line)? {
            let charge = ledger::charge_by_id(self.tx, part.charge)?;
            if charge.is_none_or(|(_, charge)| charge.open < -part.amount) {
                return Err(not_undone(NotUndone::Paid));
            }
        }
        self.reverse(line)
    }

    /// Reverses a line that was not reversed before.
    fn reverse(&mut self, line: LineId) -> Result<()> {
        ledger::lock_of_line(self.tx, line)?.ok_or(Error::NotFound)?;
        let (_, found) = ledger::line_by_id(self.tx, line)?.ok_or(Error::NotFound)?;
        if found.reversed {
            return Err(not_undone(NotUndone::Already));
        }
        if let Some(closing) = till::closing_of(self.tx, line)? {
            return Err(not_undone(NotUndone::Closed { receipt: found.receipt, closing }));
        }
        // A charge that the line settled may have been reversed since.
        for part in ledger::settled_by(self.tx, line)? {
            let charge = ledger::line_by_id(self.tx, part.charge)?;
            require(charge.is_some_and(|(_, charge)| !charge.reversed))?;
        }
        money::reverse(self.tx, self.actor, self.moment, line)?;
        Ok(())
    }
}

/// Returns the stored condition of a copy in this state; fails for a copy on loan or on the hold shelf.
fn condition(state: State) -> Result<Condition> {
    Condition::parse(state.as_str()).ok_or(not_undone(NotUndone::Later))
}
