//! The role of librarian and its capabilities (R-PEOPLE-8).

use super::{Result, record};
use crate::{
    domain::{
        account::{Capability, Role},
        change::PersonChange,
        id::UserId,
        moment::Moment,
    },
    storage::{
        Tx,
        authority::{Authority, Librarians},
        people, sessions,
    },
};

/// Makes a person a librarian with these capabilities, or a student (`None`). Refused if the caller lacks one of these
/// capabilities, or one that the person has already.
pub fn set(
    tx: &mut Tx<'_>,
    authority: &Authority,
    moment: Moment,
    person: UserId,
    capabilities: Option<&[Capability]>,
) -> Result<()> {
    let librarians = Librarians::lock(tx)?;
    let subject = authority.over(tx, person)?;
    let before = subject.record().clone();
    let mut after = capabilities.unwrap_or_default().to_vec();
    after.sort_unstable();
    after.dedup();
    authority.covers(&after)?;
    let subject = librarians.leave(subject, &after)?;
    let change = match (before.role, capabilities) {
        (Some(Role::Admin), Some(_)) if before.capabilities == after => return Ok(()),
        (Some(Role::Admin), Some(_)) => {
            PersonChange::CapabilitiesChanged { before: before.capabilities, after: after.clone() }
        }
        (Some(Role::Admin), None) => PersonChange::LibrarianUnmade { capabilities: before.capabilities },
        (_, Some(_)) => PersonChange::LibrarianMade { capabilities: after.clone() },
        (_, None) => return Ok(()),
    };
    let role = if capabilities.is_some() { Role::Admin } else { Role::Student };
    people::set_role(tx, &subject, role, &after)?;
    if before.role != Some(role) {
        // Sessions of the former role must not outlive that role.
        sessions::end_all_of(tx, subject.subject())?;
    }
    record(tx, moment, authority.by(), person, change)
}
