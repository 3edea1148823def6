//! Photo of a person.

use super::{Result, record};
use crate::{
    domain::{
        change::PersonChange,
        id::{ImportId, UserId},
        moment::Moment,
    },
    storage::{
        Tx,
        authority::Authority,
        photos::{self, Photo},
    },
};

/// Stores a person's photo in place of an earlier one. `import` is the import that contains the photo; `None` for an
/// upload.
pub fn set(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    person: UserId,
    photo: &Photo,
    import: Option<ImportId>,
) -> Result<()> {
    let subject = authority.over(tx, person)?;
    let had_photo = photos::versions(tx, &[person])?.contains_key(&person);
    photos::set(tx, &subject, photo, import, moment.at)?;
    let change = if had_photo { PersonChange::PhotoChanged } else { PersonChange::PhotoAdded };
    record(tx, moment, authority.by(), person, change)
}

/// Removes a person's photo, if there is one.
pub fn remove(tx: &mut Tx<'_>, authority: &Authority, moment: Moment, person: UserId) -> Result<()> {
    let subject = authority.over(tx, person)?;
    if photos::remove(tx, &subject)? {
        record(tx, moment, authority.by(), person, PersonChange::PhotoRemoved)?;
    }
    Ok(())
}
