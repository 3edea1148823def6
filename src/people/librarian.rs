//! Librarians made and unmade, and what each may do (R-PEOPLE-8).

use super::{Error, Result, locked, record};
use crate::{
    circulation::Moment,
    domain::{
        account::{Capability, Role, User},
        change::Change,
        id::UserId,
    },
    storage::{Tx, people, sessions},
};

/// Makes a person a librarian who may do this, or (`None`) a student again. Nobody gives more than they have, nor takes from
/// whom may do more.
pub fn set(
    tx: &mut Tx<'_>,
    by: &User,
    moment: Moment,
    person: UserId,
    capabilities: Option<&[Capability]>,
) -> Result<()> {
    // Before the person's row, so that two who unmake one another take turns.
    let librarians = people::lock_librarians(tx)?;
    let before = locked(tx, person)?;
    let mut after = capabilities.unwrap_or_default().to_vec();
    after.sort_unstable();
    after.dedup();
    let mut concerned = before.capabilities.iter().chain(&after);
    if concerned.any(|capability| !by.capabilities.contains(capability)) {
        return Err(Error::MoreCapable);
    }
    if !after.contains(&Capability::People)
        && before.capabilities.contains(&Capability::People)
        && !anybody_but(&librarians, person)
    {
        return Err(Error::LastLibrarian);
    }
    let change = match (before.role, capabilities) {
        (Some(Role::Admin), Some(_)) if before.capabilities == after => return Ok(()),
        (Some(Role::Admin), Some(_)) => {
            Change::CapabilitiesChanged { before: before.capabilities, after: after.clone() }
        }
        (Some(Role::Admin), None) => Change::LibrarianUnmade { capabilities: before.capabilities },
        (_, Some(_)) => Change::LibrarianMade { capabilities: after.clone() },
        (_, None) => return Ok(()),
    };
    let role = if capabilities.is_some() { Role::Admin } else { Role::Student };
    people::set_role(tx, person, role, &after)?;
    if before.role != Some(role) {
        // What a role may see ends with it.
        sessions::end_all_of(tx, person)?;
    }
    record(tx, moment, Some(by.uid), person, change)
}

/// Whether anybody but this one looks after the librarians.
pub(super) fn anybody_but(librarians: &[(UserId, Vec<Capability>)], but: UserId) -> bool {
    librarians.iter().any(|(uid, may)| *uid != but && may.contains(&Capability::People))
}

/// Refuses what would leave nobody who looks after the librarians.
pub(super) fn others_look_after(tx: &mut Tx<'_>, but: UserId) -> Result<()> {
    if anybody_but(&people::lock_librarians(tx)?, but) { Ok(()) } else { Err(Error::LastLibrarian) }
}
