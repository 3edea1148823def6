//! Undo of a whole import, in portions, as long as none of its records is in use.

use crate::{
    circulation::{
        self, Actor, NotUndone, stock,
        undo::{not_undone, undo_imported},
    },
    domain::{
        change::{CatalogueChange, Change, PersonChange},
        id::{BookId, CopyId, ImportId, UserId},
        moment::Moment,
        rulebook::Rulebook,
    },
    library::Library,
    people,
    storage::{
        self, Tx,
        authority::Authority,
        events::{self, Entry},
        imports::{self, Kind, State, UpTo},
        photos::{self, TakenOut},
    },
};

/// Maximum number of titles and copies, loans, charges, people or photos undone in one transaction.
const PORTION: i64 = 200;

/// Fails if a record of the import is in use, if the undo would remove a charge from the librarian's own account (X11), or if
/// the import changed a person with capabilities that the librarian lacks (X4).
pub fn check(tx: &mut Tx<'_>, kind: Kind, id: ImportId, by: UserId) -> circulation::Result<()> {
    check_up_to(tx, kind, id, by, UpTo::END)
}

fn check_up_to(
    tx: &mut Tx<'_>,
    kind: Kind,
    id: ImportId,
    by: UserId,
    up_to: UpTo,
) -> circulation::Result<()> {
    if kind == Kind::Charges && imports::charges_of(tx, id, by)? > 0 {
        return Err(circulation::Error::OwnAccount);
    }
    if matches!(kind, Kind::People | Kind::Photos) {
        let authority = Authority::of(tx, by)?;
        for librarian in imports::librarians_of(tx, id, up_to)? {
            authority.over(tx, librarian)?;
        }
    }
    match (imports::in_use(tx, id, up_to)?, kind) {
        (0, _) => Ok(()),
        (books, Kind::Books) => Err(not_undone(NotUndone::Lent { books })),
        (loans, Kind::Loans) => Err(not_undone(NotUndone::Loans { loans })),
        (charges, Kind::Charges) => Err(not_undone(NotUndone::Charges { charges })),
        (people, Kind::People | Kind::Photos) => Err(not_undone(NotUndone::Imported { people })),
    }
}

/// Removes the records that an import added, after [`imports::begin_undo`]. Stops and leaves the rest if one of them is used
/// meanwhile. Blocks on the database, so it must run on a plain thread.
pub fn run(library: &Library, kind: Kind, id: ImportId, by: UserId) -> storage::Result<()> {
    let Library { db, clock, policies, .. } = library;
    loop {
        let (moment, policies) = (clock.moment(), policies.clone());
        let portion = db.write_blocking(move |tx| match kind {
            Kind::Books => take_out_books(tx, id, by, moment).map_err(circulation::Error::from),
            Kind::Loans | Kind::Charges => take_out_entries(tx, id, by, moment),
            Kind::People => {
                let rulebook = policies.current(tx)?;
                take_out_people(tx, id, by, moment, &rulebook)
            }
            Kind::Photos => take_out_photos(tx, id, by, moment),
        });
        match portion {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(circulation::Error::Storage(error)) => return Err(error),
            // A record was used after the check of this portion, which is rolled back.
            Err(_) => {
                return db.write_blocking(move |tx| imports::end(tx, id, State::Stopped, None, moment.at));
            }
        }
    }
}

/// Undoes the next changes of an import; true if the undo is over.
fn take_out_entries(tx: &mut Tx<'_>, id: ImportId, by: UserId, moment: Moment) -> circulation::Result<bool> {
    let changes = imports::entries_left(tx, id, PORTION)?;
    if changes.is_empty() {
        imports::end(tx, id, State::Undone, None, moment.at)?;
        return Ok(true);
    }
    undo_imported(tx, Actor::Librarian(by), moment, &changes)?;
    imports::forget_entries(tx, id, &changes, moment.at)?;
    Ok(false)
}

/// Removes the next titles and copies of an import; true if the undo is over.
fn take_out_books(tx: &mut Tx<'_>, id: ImportId, by: UserId, moment: Moment) -> storage::Result<bool> {
    let (titles, mut copies) = imports::left(tx, id, PORTION)?;
    if titles.is_empty() && copies.is_empty() {
        imports::end(tx, id, State::Undone, None, moment.at)?;
        return Ok(true);
    }
    let up_to = UpTo {
        title: titles.last().copied().unwrap_or(BookId(0)),
        copy: copies.last().map_or(CopyId(0), |(copy, _)| *copy),
        ..UpTo::END
    };
    if imports::in_use(tx, id, up_to)? > 0 {
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
    copies.sort_by_key(|(copy, book)| (*book, *copy));
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
}

/// Erases the next people that an import added, and restores the records that it changed; true if the undo is over.
fn take_out_people(
    tx: &mut Tx<'_>,
    id: ImportId,
    by: UserId,
    moment: Moment,
    rulebook: &Rulebook,
) -> circulation::Result<bool> {
    let people = imports::people_left(tx, id, PORTION)?;
    let Some((last, _)) = people.last() else {
        imports::end(tx, id, State::Undone, None, moment.at)?;
        return Ok(true);
    };
    check_up_to(tx, Kind::People, id, by, UpTo { person: *last, ..UpTo::END })?;
    let authority = Authority::of(tx, by)?;
    for (person, change) in &people {
        let change = events::by_id(tx, *change)?.map(|recorded| recorded.change);
        let undone = match change {
            Some(Change::Person(PersonChange::PersonAdded { .. })) => {
                people::erase(tx, &authority, moment, rulebook, *person)
            }
            Some(Change::Person(PersonChange::PersonUpdated { before, .. })) => {
                people::update(tx, &authority, moment, rulebook, *person, |_| *before)
            }
            // Erased or merged since.
            _ => Ok(()),
        };
        undone.map_err(|error| match error {
            people::Error::Storage(error) => error.into(),
            _ => not_undone(NotUndone::Imported { people: 1 }),
        })?;
    }
    imports::forget_people(tx, id, &people, moment.at)?;
    Ok(false)
}

/// Removes the next photos that an import brought, and restores those that they replaced; true if the undo is over.
fn take_out_photos(tx: &mut Tx<'_>, id: ImportId, by: UserId, moment: Moment) -> circulation::Result<bool> {
    let people = photos::imported(tx, id, PORTION)?;
    if people.is_empty() {
        imports::end(tx, id, State::Undone, None, moment.at)?;
        return Ok(true);
    }
    for subject in Authority::of(tx, by)?.over_all(tx, &people)? {
        let change = match photos::take_out(tx, &subject, id)? {
            TakenOut::Restored => PersonChange::PhotoRestored,
            TakenOut::Removed => PersonChange::PhotoRemoved,
            TakenOut::Replaced => continue,
        };
        events::record(tx, moment.at, Some(by), &Entry::person(subject.uid(), change))?;
    }
    photos::detach(tx, id, &people)?;
    imports::renew(tx, id, moment.at)?;
    Ok(false)
}
