//! Finds the people of a list's roll numbers, or the reason why a number matches no person.

use std::collections::{HashMap, HashSet};

use super::people::without_zeros;
use crate::{
    domain::{account::ROLL_NUMBER, rule::Invalid},
    message,
    storage::{
        self, Tx, ledger,
        people::{self, Record},
    },
};

/// People by folded roll number.
pub(super) struct Readers {
    known: HashMap<String, Record>,
    zeros_lost: HashMap<String, Record>,
    merged: HashMap<String, Record>,
}

impl Readers {
    /// Reads the people with these folded roll numbers. With `lock` their records are locked, librarians first, until the
    /// transaction ends.
    pub(super) fn of<'k>(
        tx: &mut Tx<'_>,
        roll_numbers: impl Iterator<Item = &'k str>,
        lock: bool,
    ) -> storage::Result<Self> {
        let keys: Vec<&str> =
            roll_numbers.filter(|key| !key.is_empty()).collect::<HashSet<_>>().into_iter().collect();
        let mut found = people::with_roll_numbers(tx, &keys)?;
        if lock {
            people::lock_librarians(tx)?;
            found = people::lock_all(tx, &found.into_iter().map(|record| record.uid).collect::<Vec<_>>())?;
        }
        let known: HashMap<String, Record> = found
            .into_iter()
            .filter_map(|record| Some((record.details.roll_number.clone()?, record)))
            .collect();
        let unknown: Vec<&str> = keys.into_iter().filter(|key| !known.contains_key(*key)).collect();
        Ok(Self {
            zeros_lost: without_zeros(tx, &unknown)?,
            merged: people::with_merged_roll_numbers(tx, &unknown)?.into_iter().collect(),
            known,
        })
    }

    /// Locks the accounts of the people until the transaction ends.
    pub(super) fn lock_accounts(&self, tx: &mut Tx<'_>) -> storage::Result<()> {
        ledger::lock_all(tx, self.known.values().map(|record| record.uid))
    }

    /// Returns the person with a folded roll number.
    pub(super) fn known(&self, roll_number: &str) -> Option<&Record> {
        self.known.get(roll_number)
    }

    /// Returns the person with a folded roll number, or adds an error. An empty number already has an error of its own, so no
    /// other is added.
    pub(super) fn find(&self, roll_number: &str, invalid: &mut Invalid) -> Option<&Record> {
        if let Some(known) = self.known.get(roll_number) {
            return Some(known);
        }
        let message = if let Some(other) = self.zeros_lost.get(roll_number) {
            let of_other = other.details.roll_number.as_deref().unwrap_or_default();
            message::import_zeros_lost_of(of_other, &other.details.name)
        } else if let Some(other) = self.merged.get(roll_number) {
            let own = other.details.roll_number.as_deref().unwrap_or_default();
            message::import_merged(&other.details.name, own)
        } else {
            message::import_unknown_roll_number(roll_number)
        };
        if !roll_number.is_empty() {
            invalid.push(ROLL_NUMBER.field, message);
        }
        None
    }
}
