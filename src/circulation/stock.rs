//! The stock: copies come in, move between states, and leave. Every function keeps the ledger law of copies (R-COPY-2):
//! `noOfBooks` is the number of copies on the shelf, in the transaction that moves them.

use super::{
    Actor, Error, Moment, Result,
    hold::{self, Line},
    record,
};
use crate::{
    domain::{
        book::BookForm,
        change::{AddedCopy, Change, CopyRecord, Record},
        copy::{Condition, Copy, State},
        id::{BookId, ChangeId, CopyId},
        rulebook::Rulebook,
    },
    storage::{
        self, Tx,
        books::{self, Imported},
        copies,
        events::Entry,
    },
};

/// Copies listed in a change; of more than these only the number is kept.
const LISTED: usize = 200;

/// Why the stock cannot be changed so.
#[derive(Debug)]
pub enum Obstacle {
    /// This barcode is another copy's, or a reader's roll number.
    BarcodeTaken(String),
    /// The copy cannot go from this state to that one.
    NoWay { from: State, to: Condition },
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
    /// These, as a librarian scanned them.
    Given(Vec<String>),
}

/// Adds copies of a title on the shelf; the title's own count is the caller's.
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

/// Adds so many copies of each title on the shelf, with the next accession numbers; the titles' own counts are the
/// caller's.
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

/// Adds a title with as many copies as its form says: those with the given barcodes, the rest with the next accession
/// numbers (R-COPY-3). `None` where an import brought this title before.
pub fn add_title(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    form: &BookForm,
    imported: Option<&Imported>,
    barcodes: &[String],
) -> Result<Option<(BookId, Vec<AddedCopy>)>> {
    let Some(book) = books::add(tx, form, imported, moment.at)? else { return Ok(None) };
    let rest = form.no_of_books - i64::try_from(barcodes.len()).unwrap_or(i64::MAX);
    let mut added = Vec::new();
    for barcodes in [Barcodes::Given(barcodes.to_vec()), Barcodes::Next(rest)] {
        added.append(&mut put_on_shelf(tx, moment, rulebook, book, &barcodes)?);
    }
    Ok(Some((book, added)))
}

/// Adds copies of a title that is there.
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

/// Keeps copies that came onto the shelf for those who wait for the title (R-HOLD-2).
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
        if hold::catch(tx, moment, by, rulebook, &mut line, copy.id, State::OnShelf)?.is_none() {
            break;
        }
        books::count_out(tx, book)?;
    }
    Ok(())
}

/// Deletes a title with its reviews; its loans stay, and its line ends (R-BOOK-6). An undo brings all of it back.
///
/// # Errors
/// [`Error::NotFound`].
pub fn delete_title(tx: &mut Tx<'_>, actor: Actor, moment: Moment, book: BookId) -> Result<ChangeId> {
    books::lock(tx, book)?.ok_or(Error::NotFound)?;
    let before = books::detail(tx, book, moment.today)?.ok_or(Error::NotFound)?;
    // In the same moment, by which an undo finds them.
    hold::title_deleted(tx, actor, moment, book)?;
    books::delete(tx, book, moment.at)?;
    copies::title_deleted(tx, book)?;
    let change = Change::BookDeleted { book: Record::from(&before) };
    record(tx, moment, actor, &Entry::book(book, change))
}

/// [`add_copies`] without a record of it.
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

/// Keeps that copies came in.
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

/// The recorded change: copies were added.
#[must_use]
pub fn added_change(added: &[AddedCopy]) -> Change {
    Change::CopiesAdded {
        count: i64::try_from(added.len()).unwrap_or(i64::MAX),
        copies: added.iter().take(LISTED).cloned().collect(),
    }
}

/// Lets the copies follow an edit of a title's number, whose count is stored already: the difference is added, or
/// withdrawn from the shelf, copies that were never lent first (R-COPY-3).
pub fn follow_number(
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
    for id in leaving {
        let facts = copies::lock(tx, id)?.ok_or(Error::NotFound)?;
        copies::set_condition(tx, id, Condition::Withdrawn)?;
        let change = Change::CopyMoved {
            copy: id,
            barcode: facts.record.barcode,
            from: State::OnShelf,
            to: Condition::Withdrawn,
            note: String::new(),
        };
        record(tx, moment, actor, &Entry { person: None, book: Some(book), copy: Some(id), change })?;
    }
    Ok(())
}

/// Moves a copy into another state (R-COPY-2). One that comes to the shelf is kept for whoever waits for it.
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

/// [`move_copy`], and the change under which it is kept; none where the copy was there already.
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
    // A copy that is there already is no error: somebody was faster, or the code was scanned twice.
    if from != to.state() {
        // The copies of a deleted title stay withdrawn.
        let line = line.filter(|_| from.moves().contains(&to));
        let mut line = line.ok_or(Obstacle::NoWay { from, to })?;
        if from == State::OnShelf && books::take_copy(tx, book)?.is_none() {
            return Err(
                storage::Error::Inconsistent("a copy on the shelf that its title does not count").into()
            );
        }
        hold::pass_over(tx, moment, actor.uid(), &mut line, id, false)?;
        let by = Some(actor.uid());
        let caught = matches!(to, Condition::OnShelf | Condition::ToShelve)
            && hold::catch(tx, moment, by, rulebook, &mut line, id, from)?.is_some();
        let to = if caught { Condition::ToShelve } else { to };
        if to == Condition::OnShelf {
            books::put_back_copies(tx, book, 1)?;
        }
        if !caught {
            copies::set_condition(tx, id, to)?;
        }
        // A copy that waited to be shelved has not moved; that it is kept is told already.
        if from != to.state() {
            let barcode = facts.record.barcode;
            let change = Change::CopyMoved { copy: id, barcode, from, to, note: note.to_owned() };
            let entry = Entry { person: None, book: Some(book), copy: Some(id), change };
            recorded = Some(record(tx, moment, actor, &entry)?);
        }
    }
    Ok((copies::by_id(tx, id)?.ok_or(Error::NotFound)?, recorded))
}

/// What became of the copies that waited to be shelved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shelved {
    pub on_shelf: i64,
    /// Kept for people who waited.
    pub kept: i64,
}

/// Puts up to `limit` of the copies that wait to be shelved onto the shelf (R-COPY-4), or keeps them for those who wait.
pub fn shelve(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    limit: i64,
) -> Result<Shelved> {
    let mut shelved = Shelved::default();
    for id in copies::to_shelve(tx, limit)? {
        match move_copy(tx, actor, moment, rulebook, id, Condition::OnShelf, "") {
            Ok(copy) if copy.state == State::OnHoldShelf => shelved.kept += 1,
            Ok(_) => shelved.on_shelf += 1,
            // It went elsewhere, or its title was deleted, in the same instant.
            Err(Error::Obstacle(Obstacle::NoWay { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(shelved)
}

/// Changes what is recorded of a copy.
pub fn update_copy(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    id: CopyId,
    edit: impl FnOnce(CopyRecord) -> CopyRecord,
) -> Result<Copy> {
    let facts = copies::lock(tx, id)?.ok_or(Error::NotFound)?;
    let before = facts.record;
    let after = edit(before.clone());
    if before != after {
        if !copies::update(tx, id, &after)? {
            return Err(Obstacle::BarcodeTaken(after.barcode).into());
        }
        let change = Change::CopyUpdated { copy: id, before, after };
        record(
            tx,
            moment,
            actor,
            &Entry { person: None, book: Some(facts.book_id), copy: Some(id), change },
        )?;
    }
    copies::by_id(tx, id)?.ok_or(Error::NotFound)
}
