//! Undo of a whole import of books in portions, unless one of its books was lent.

use crate::{
    circulation::{self, Actor, NotUndone, stock, undo::not_undone},
    clock::Clock,
    domain::{
        change::CatalogueChange,
        id::{BookId, CopyId, ImportId, UserId},
    },
    storage::{
        self, Db, Tx,
        events::{self, Entry},
        imports::{self, State},
    },
};

/// Maximum titles, and copies, removed in one transaction.
const PORTION: i64 = 200;

/// Fails if books of the import are in use.
pub fn check(tx: &mut Tx<'_>, id: ImportId) -> circulation::Result<()> {
    match imports::in_use(tx, id)? {
        0 => Ok(()),
        books => Err(not_undone(NotUndone::Lent { books })),
    }
}

/// Removes the titles and copies that an import added, after [`imports::begin_undo`]. Stops and leaves the rest if one
/// of its books is lent meanwhile. Blocks on the database, so it must run on a plain thread.
pub fn run(db: &Db, id: ImportId, by: UserId, clock: &Clock) -> storage::Result<()> {
    loop {
        let moment = clock.moment();
        let is_over = db.write_blocking(move |tx| -> storage::Result<bool> {
            let (titles, copies) = imports::left(tx, id, PORTION)?;
            if titles.is_empty() && copies.is_empty() {
                imports::end(tx, id, State::Undone, None, moment.at)?;
                return Ok(true);
            }
            if imports::in_use(tx, id)? > 0 {
                imports::end(tx, id, State::Stopped, None, moment.at)?;
                return Ok(true);
            }
            let mut count = 0;
            for title in &titles {
                match stock::remove_title(tx, Actor::Librarian(by), moment, *title) {
                    Ok(_) => count += 1,
                    // A librarian has deleted the title since.
                    Err(circulation::Error::NotFound) => {}
                    Err(error) => return Err(error.into_storage()),
                }
            }
            for group in copies.chunk_by(|(_, one), (_, next)| one == next) {
                let (book, added): (BookId, Vec<CopyId>) =
                    (group[0].1, group.iter().map(|(copy, _)| *copy).collect());
                stock::take_back_copies(tx, book, &added).map_err(circulation::Error::into_storage)?;
            }
            imports::forget(tx, id, &titles, &copies, moment.at)?;
            let change = CatalogueChange::ImportUndone { import: id, count };
            let entry = Entry { person: None, book: None, copy: None, change: change.into() };
            events::record(tx, moment.at, Some(by), &entry)?;
            Ok(false)
        })?;
        if is_over {
            return Ok(());
        }
    }
}
