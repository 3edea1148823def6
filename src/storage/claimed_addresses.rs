//! Email addresses that people entered themselves, and the links that confirm them. The database stores only the hash of a
//! link's token. A database trigger deletes a person's row when the address changes.

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// Records that a person entered the present address; notices are not mailed to it until it is confirmed.
pub fn claim(tx: &mut Tx<'_>, person: UserId) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO claimed_addresses (user_id) VALUES ($1)
             ON CONFLICT (user_id) DO UPDATE SET token_hash = NULL, expires_at = NULL, confirmed_at = NULL"
        ),
        &[&person],
    )
}

/// Keeps the hash of the newest link, which replaces the earlier one; `false` if the address needs no confirmation.
pub fn keep_link(tx: &mut Tx<'_>, person: UserId, token_hash: &str, expires_at: i64) -> Result<bool> {
    let kept = tx.execute(
        sql!(
            "UPDATE claimed_addresses SET token_hash = $2, expires_at = $3 WHERE user_id = $1 AND confirmed_at IS NULL"
        ),
        &[&person, &token_hash, &expires_at],
    )?;
    Ok(kept == 1)
}

/// True if the person entered the present address and has not confirmed it.
pub fn is_unconfirmed(tx: &mut Tx<'_>, person: UserId) -> Result<bool> {
    let found = tx.query_opt(
        sql!("SELECT user_id FROM claimed_addresses WHERE user_id = $1 AND confirmed_at IS NULL"),
        &[&person],
        |row| row.get::<UserId>(0),
    )?;
    Ok(found.is_some())
}

/// Address that a link confirms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    pub person: UserId,
    /// Address as the person entered it.
    pub email: String,
    pub is_confirmed: bool,
}

/// Returns the address of a link; `None` if the link is unknown, replaced, or expired before it was used, or if the person has
/// another address now.
pub fn of_link(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<Claimed>> {
    tx.query_opt(
        sql!(
            "SELECT users.id, users.email, claimed_addresses.confirmed_at IS NOT NULL
             FROM claimed_addresses JOIN users ON users.id = claimed_addresses.user_id
             WHERE claimed_addresses.token_hash = $1
               AND (claimed_addresses.expires_at > $2 OR claimed_addresses.confirmed_at IS NOT NULL)"
        ),
        &[&token_hash, &now],
        |row| Ok(Claimed { person: row.get(0)?, email: row.get(1)?, is_confirmed: row.get(2)? }),
    )
}

/// Confirms the present address of a person, who opened a link that was mailed there.
pub fn confirm(tx: &mut Tx<'_>, person: UserId, now: i64) -> Result<()> {
    tx.execute(
        sql!("UPDATE claimed_addresses SET confirmed_at = $2 WHERE user_id = $1 AND confirmed_at IS NULL"),
        &[&person, &now],
    )?;
    Ok(())
}
