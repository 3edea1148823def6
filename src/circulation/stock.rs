//! The stock: adds copies, moves copies between states and withdraws them. Every function keeps the invariant of copies
//! (R-COPY-2): `noOfBooks` is the number of copies on the shelf and changes in the transaction that moves copies.

use super::{
    Actor, Error, Result,
    hold::{self, Line},
    record,
};
use crate::{
    domain::{
        book::BookForm,
        change::{AddedCopy, CatalogueChange, CopyChange, CopyRecord, Record},
        copy::{Condition, Copy, State},
        id::{BookId, ChangeId, CopyId},
        moment::Moment,
        rulebook::Rulebook,
    },
    storage::{
        self, Tx, books, copies,
        events::{self, Entry},
        imports, loans,
    },
};

/// Maximum number of copies listed in a change; its count covers all.
const LISTED: usize = 200;

/// Reason why the stock cannot change.
#[derive(Debug)]
pub enum Obstacle {
    /// Another copy's barcode, or a reader's roll number.
    BarcodeTaken(String),
    /// This transition between states is not allowed.
    TransitionNotAllowed { from: State, to: Condition },
}

impl From<Obstacle> for Error {
    fn from(obstacle: Obstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}

/// Barcodes for new copies.
#[derive(Clone, Debug)]
pub enum Barcodes {
    /// This many, with the next accession numbers.
    Next(i64),
    /// These, scanned by a librarian.
    Given(Vec<String>),
}

/// Adds copies of a title on the shelf; the caller updates the title's count.
fn put_on_shelf(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    barcodes: &Barcodes,
) -> Result<Vec<AddedCopy>> {
    match barcodes {
        Barcodes::Next(count) => {
            let added = number_copies(tx, moment, rulebook, &[(book, *count)])?;
            Ok(added.into_iter().map(|(_, copy)| copy).collect())
        }
        Barcodes::Given(barcodes) => {
            let mut added = Vec::with_capacity(barcodes.len());
            for barcode in barcodes {
                match copies::add(tx, book, barcode, Some(moment.today))? {
                    Some(id) => added.push(AddedCopy { id, barcode: barcode.clone() }),
                    None => return Err(Obstacle::BarcodeTaken(barcode.clone()).into()),
                }
            }
            Ok(added)
        }
    }
}

/// Adds `count` copies of each title on the shelf, with the next accession numbers; the caller updates the titles'
/// counts.
pub fn number_copies(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    titles: &[(BookId, i64)],
) -> Result<Vec<(BookId, AddedCopy)>> {
    let each = titles
        .iter()
        .flat_map(|(book, count)| std::iter::repeat_n(*book, usize::try_from(*count).unwrap_or(0)))
        .collect();
    let prefix = &rulebook.library.accession_prefix;
    Ok(copies::add_numbered(tx, each, prefix, Some(moment.today))?)
}

/// Adds a title with the number of copies in its form: first the given barcodes, then the next accession numbers
/// (R-COPY-3). `None` if an earlier import added this title.
pub fn add_title(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    form: &BookForm,
    import_key: Option<&str>,
    barcodes: &[String],
) -> Result<Option<(BookId, Vec<AddedCopy>)>> {
    let Some(book) = books::add(tx, form, import_key, moment.at)? else { return Ok(None) };
    let rest = form.no_of_books - i64::try_from(barcodes.len()).unwrap_or(i64::MAX);
    let mut added = Vec::new();
    for barcodes in [Barcodes::Given(barcodes.to_vec()), Barcodes::Next(rest)] {
        added.append(&mut put_on_shelf(tx, moment, rulebook, book, &barcodes)?);
    }
    Ok(Some((book, added)))
}

/// Adds copies of an existing title.
pub fn add_copies(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    barcodes: &Barcodes,
) -> Result<Vec<AddedCopy>> {
    let added = put_copies(tx, moment, rulebook, book, barcodes)?;
    record_added(tx, moment, actor, book, &added)?;
    keep_added(tx, actor, moment, rulebook, book, &added)?;
    Ok(added)
}

/// Takes new copies off the shelf and keeps them for the title's queue (R-HOLD-2).
fn keep_added(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    added: &[AddedCopy],
) -> Result<()> {
    if added.is_empty() {
        return Ok(());
    }
    let mut line = Line::lock(tx, book)?.ok_or(Error::NotFound)?;
    for copy in added {
        let by = Some(actor.uid());
        if hold::keep_for_first(tx, moment, by, rulebook, &mut line, copy.id, State::OnShelf)?.is_none() {
            break;
        }
        books::count_out(tx, book)?;
    }
    Ok(())
}

/// Deletes a title with its reviews and its queue; its loans stay (R-BOOK-6). An undo restores title, reviews and queue.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete_title(tx: &mut Tx<'_>, actor: Actor, moment: Moment, book: BookId) -> Result<ChangeId> {
    let before = remove_title(tx, actor, moment, book)?;
    let change = CatalogueChange::BookDeleted { book: Record::from(&before) };
    record(tx, moment, actor, &Entry::book(book, change))
}

/// [`delete_title`] without recording a change; returns the title.
pub fn remove_title(tx: &mut Tx<'_>, actor: Actor, moment: Moment, book: BookId) -> Result<books::Detail> {
    books::lock(tx, book)?.ok_or(Error::NotFound)?;
    let before = books::detail(tx, book, moment.today)?.ok_or(Error::NotFound)?;
    // An undo finds the cancelled holds by their timestamp, so the deletion must have the same timestamp.
    hold::cancel_holds_of_title(tx, actor, moment, book)?;
    books::delete(tx, book, moment.at)?;
    copies::withdraw_copies_of_title(tx, book)?;
    Ok(before)
}

/// Withdraws copies that an import added to a title and frees their barcodes. The caller has checked that no loan or hold
/// names these copies.
pub fn take_back_copies(tx: &mut Tx<'_>, book: BookId, added: &[CopyId]) -> Result<()> {
    if books::lock(tx, book)?.is_none() {
        // The title and its copies were deleted in the meantime.
        return Ok(());
    }
    imports::take_back_copies(tx, book, added)?;
    Ok(books::count_copies(tx, book)?)
}

/// [`add_copies`] without recording a change.
pub fn put_copies(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    barcodes: &Barcodes,
) -> Result<Vec<AddedCopy>> {
    books::lock(tx, book)?.ok_or(Error::NotFound)?;
    let added = put_on_shelf(tx, moment, rulebook, book, barcodes)?;
    books::put_back_copies(tx, book, i64::try_from(added.len()).unwrap_or(i64::MAX))?;
    Ok(added)
}

/// Records that copies were added.
pub fn record_added(
    tx: &mut Tx<'_>,
    moment: Moment,
    actor: Actor,
    book: BookId,
    added: &[AddedCopy],
) -> Result<()> {
    if added.is_empty() {
        return Ok(());
    }
    record(tx, moment, actor, &Entry::book(book, added_change(added)))?;
    Ok(())
}

#[must_use]
pub fn added_change(added: &[AddedCopy]) -> CopyChange {
    CopyChange::CopiesAdded {
        count: i64::try_from(added.len()).unwrap_or(i64::MAX),
        copies: added.iter().take(LISTED).cloned().collect(),
    }
}

/// Adjusts the copies after an edit of a title's count, which is already stored: adds the missing copies, or withdraws
/// surplus ones from the shelf, those never lent first (R-COPY-3).
pub fn adjust_copies_to_count(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    book: BookId,
    difference: i64,
) -> Result<()> {
    if difference >= 0 {
        let added = put_on_shelf(tx, moment, rulebook, book, &Barcodes::Next(difference))?;
        record_added(tx, moment, actor, book, &added)?;
        return keep_added(tx, actor, moment, rulebook, book, &added);
    }
    let leaving = copies::to_withdraw(tx, book, -difference)?;
    if i64::try_from(leaving.len()) != Ok(-difference) {
        return Err(storage::Error::Inconsistent("a title counts a copy that is not on the shelf").into());
    }
    copies::withdraw(tx, &leaving.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
    let entry = |(id, barcode): (CopyId, String)| {
        let (from, to, note) = (State::OnShelf, Condition::Withdrawn, String::new());
        let change = CopyChange::CopyMoved { copy: id, barcode, from, to, note };
        Entry { person: None, book: Some(book), copy: Some(id), change: change.into() }
    };
    let mut entries: Vec<Entry> = leaving.into_iter().map(entry).collect();
    // The last one alone, because its undo is offered.
    let Some(last) = entries.pop() else { return Ok(()) };
    events::record_all(tx, moment.at, Some(actor.uid()), &entries)?;
    record(tx, moment, actor, &last)?;
    Ok(())
}

/// Moves a copy into another state (R-COPY-2). A copy moved to the shelf is kept for the title's queue, if
/// there is one.
pub fn move_copy(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    id: CopyId,
    to: Condition,
    note: &str,
) -> Result<Copy> {
    Ok(move_copy_recorded(tx, actor, moment, rulebook, id, to, note)?.0)
}

/// [`move_copy`] with the recorded change; `None` if the copy was already in that state.
pub fn move_copy_recorded(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    id: CopyId,
    to: Condition,
    note: &str,
) -> Result<(Copy, Option<ChangeId>)> {
    let mut recorded = None;
    let book = copies::book_of(tx, id)?.ok_or(Error::NotFound)?;
    let line = Line::lock(tx, book)?;
    let facts = copies::lock(tx, id)?.ok_or(Error::NotFound)?;
    let from = facts.state();
    // An unchanged state is not an error: a concurrent request or a double scan moved the copy.
    if from != to.state() {
        // Copies of a deleted title stay withdrawn.
        let line = line.filter(|_| from.moves().contains(&to));
        let mut line = line.ok_or(Obstacle::TransitionNotAllowed { from, to })?;
        if from == State::OnShelf && books::take_copy(tx, book)?.is_none() {
            return Err(
                storage::Error::Inconsistent("a copy on the shelf that its title does not count").into()
            );
        }
        hold::pass_over(tx, moment, actor.uid(), &mut line, id, false)?;
        let by = Some(actor.uid());
        let caught = matches!(to, Condition::OnShelf | Condition::ToShelve)
            && hold::keep_for_first(tx, moment, by, rulebook, &mut line, id, from)?.is_some();
        let to = if caught { Condition::ToShelve } else { to };
        if to == Condition::OnShelf {
            books::put_back_copies(tx, book, 1)?;
        }
        if !caught {
            copies::set_condition(tx, id, to)?;
        }
        // A copy that was to be shelved and is now kept has no new condition to record: `keep_for_first` recorded the hold.
        if from != to.state() {
            let barcode = facts.record.barcode;
            let change = CopyChange::CopyMoved { copy: id, barcode, from, to, note: note.to_owned() };
            let entry = Entry { person: None, book: Some(book), copy: Some(id), change: change.into() };
            recorded = Some(record(tx, moment, actor, &entry)?);
        }
    }
    Ok((copies::by_id(tx, id)?.ok_or(Error::NotFound)?, recorded))
}

/// Numbers of copies that [`shelve`] moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shelved {
    pub on_shelf: i64,
    /// Kept for people in the queue.
    pub kept: i64,
}

/// Moves up to `limit` copies to be shelved onto the shelf (R-COPY-4), or keeps them for the queue.
pub fn shelve(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    limit: i64,
) -> Result<Shelved> {
    let mut shelved = Shelved::default();
    // Lock order: titles by number.
    for (_, id) in copies::to_shelve(tx, limit)? {
        match move_copy(tx, actor, moment, rulebook, id, Condition::OnShelf, "") {
            Ok(copy) if copy.state == State::OnHoldShelf => shelved.kept += 1,
            Ok(_) => shelved.on_shelf += 1,
            // A concurrent request moved the copy or deleted its title.
            Err(Error::Obstacle(Obstacle::TransitionNotAllowed { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(shelved)
}

/// Edits the record of a copy.
pub fn update_copy(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: CopyId,
    edit: impl FnOnce(CopyRecord) -> CopyRecord,
) -> Result<Copy> {
    // Lock order: loans before copies. The loan's search key contains the barcode.
    if let Some((loan, ..)) = loans::holder_of_copy(tx, id)? {
        loans::lock_open(tx, loan)?;
    }
    let facts = copies::lock(tx, id)?.ok_or(Error::NotFound)?;
    let before = facts.record;
    let after = edit(before.clone());
    if before != after {
        if !copies::update(tx, id, &after)? {
            return Err(Obstacle::BarcodeTaken(after.barcode).into());
        }
        let change = CopyChange::CopyUpdated { copy: id, before, after };
        record(
            tx,
            moment,
            actor,
            &Entry { person: None, book: Some(facts.book_id), copy: Some(id), change: change.into() },
        )?;
    }
    copies::by_id(tx, id)?.ok_or(Error::NotFound)
}
