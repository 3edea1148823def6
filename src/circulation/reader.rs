//! Who borrows: whether the person may at all.

use jiff::civil::Date;

use super::{Block, Error, Result};
use crate::{
    domain::id::UserId,
    storage::{
        Tx,
        accounts::{self, Reader},
    },
};

/// The person, who is there. Those who decide about the same person take turns.
pub(super) fn lock(tx: &mut Tx<'_>, person: UserId) -> Result<Reader> {
    accounts::lock_reader(tx, person)?.ok_or(Error::NotFound)
}

/// What of the person stands in the way, whatever is borrowed (R-PEOPLE-6, R-PEOPLE-9).
#[must_use]
pub fn blocks(reader: &Reader, today: Date) -> Vec<Block> {
    let inactive = (!reader.active).then_some(Block::Inactive);
    // The whole last day is still valid.
    let expired = reader.valid_until.filter(|day| *day < today).map(|on| Block::Expired { on });
    let barred = reader
        .barred
        .as_ref()
        .filter(|barred| today <= barred.until)
        .map(|barred| Block::Barred { until: barred.until, reason: barred.reason.clone() });
    inactive.into_iter().chain(expired).chain(barred).collect()
}
