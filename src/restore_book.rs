//! Restores one deleted title from a backup into the running library (command `restore-book`).

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::{
    clock::Clock,
    domain::{
        change::{CatalogueChange, Record},
        id::BookId,
    },
    storage::{
        Db,
        backup::{self, Accept},
        books,
        events::{self, Entry},
        restored_book::{self, Hindrance},
    },
};

/// Restores a title with its copies and reviews from a backup and returns its name. Its loans were never deleted.
///
/// # Errors
/// Describes for the operator why the backup is unusable, lacks the title, or conflicts with the library. The library is then
/// unchanged.
pub fn book(backup: &Path, db: &Db, clock: &Clock, id: BookId, accept: Accept<'_>) -> Result<String> {
    let book = backup::read(backup, accept, move |tx| restored_book::read(tx, id))?
        .with_context(|| format!("{} has no book with the number {id}", backup.display()))?;
    let name = book.title.clone();
    let moment = clock.moment();
    let day_begins = clock.begin_of(moment.today);
    let put = db.write_blocking(move |tx| -> Result<()> {
        if let Err(hindrance) = restored_book::put(tx, &book, moment.at, day_begins)? {
            bail!(words(&hindrance, &book.title));
        }
        let restored = books::detail(tx, id, moment.today)?.context("the title is gone again")?;
        let change = CatalogueChange::BookAdded { book: Record::from(&restored) };
        events::record(tx, moment.at, None, &Entry::book(id, change))?;
        Ok(())
    });
    put.map(|()| name)
}

fn words(hindrance: &Hindrance, title: &str) -> String {
    match hindrance {
        Hindrance::IsThere => format!("“{title}” is in the catalogue"),
        Hindrance::Undoable => {
            format!(
                "“{title}” was deleted today: a librarian undoes that under Activity, and nothing is lost"
            )
        }
        Hindrance::NeverDeleted => {
            format!("nobody deleted “{title}” under this number here: the backup is another library's")
        }
        Hindrance::Taken(barcodes) => format!(
            "the barcodes {} of “{title}” are another book's or a reader's by now: give those others first",
            barcodes.join(", ")
        ),
        Hindrance::ImportedAgain => {
            format!("an import has brought “{title}” again: delete that one first, or leave it at that")
        }
    }
}
