//! A person's right to borrow.

use jiff::civil::Date;

use super::{Block, Error, Result};
use crate::{
    domain::id::UserId,
    storage::{
        Tx,
        accounts::{self, Reader},
    },
};

/// Locks an existing person, to serialise decisions about them.
pub(super) fn lock(tx: &mut Tx<'_>, person: UserId) -> Result<Reader> {
    accounts::lock_reader(tx, person)?.ok_or(Error::NotFound)
}

/// Returns the person's blocks that apply to any title (R-PEOPLE-6, R-PEOPLE-9).
#[must_use]
pub fn blocks(reader: &Reader, today: Date) -> Vec<Block> {
    let inactive = (!reader.active).then_some(Block::Inactive);
    // The last day itself is still valid.
    let expired = reader.valid_until.filter(|day| *day < today).map(|on| Block::Expired { on });
    let barred = reader
        .barred
        .as_ref()
        .filter(|barred| today <= barred.until)
        .map(|barred| Block::Barred { until: barred.until, reason: barred.reason.clone() });
    inactive.into_iter().chain(expired).chain(barred).collect()
}
