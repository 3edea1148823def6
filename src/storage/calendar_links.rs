//! Links to people's due dates for calendar programs. The database stores only the hash of each token.

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// Stores a person's new link in place of the earlier one.
pub fn replace(tx: &mut Tx<'_>, person: UserId, token_hash: &str, now: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO calendar_links (person_id, token_hash, made_at) VALUES ($1, $2, $3)
             ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash, made_at = excluded.made_at"
        ),
        &[&person, &token_hash, &now],
    )
}

/// Deletes a person's link, if any.
pub fn end(tx: &mut Tx<'_>, person: UserId) -> Result<()> {
    tx.execute(sql!("DELETE FROM calendar_links WHERE person_id = $1"), &[&person])?;
    Ok(())
}

/// Returns the time at which a person's link was made.
pub fn made_at(tx: &mut Tx<'_>, person: UserId) -> Result<Option<i64>> {
    tx.query_opt(sql!("SELECT made_at FROM calendar_links WHERE person_id = $1"), &[&person], |row| {
        row.get(0)
    })
}

/// Returns the person of a link, if the person is still active.
pub fn owner(tx: &mut Tx<'_>, token_hash: &str) -> Result<Option<UserId>> {
    tx.query_opt(
        sql!(
            "SELECT users.id FROM calendar_links JOIN users ON users.id = calendar_links.person_id
             WHERE calendar_links.token_hash = $1 AND users.active AND users.gone_at IS NULL"
        ),
        &[&token_hash],
        |row| row.get(0),
    )
}
