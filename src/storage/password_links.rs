//! Password reset links. The database stores only the hash of each token.
//!
//! Database triggers delete a person's links whenever their role, capabilities, password, address, roll number,
//! activity or second factor changes (R-SEAM-8).

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// Request for a link, as typed by a visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub id: i64,
    /// Folded address; it may belong to no account.
    pub address_key: String,
    /// Language of the mail.
    pub language: String,
}

/// Stores a request without looking up the account, so that a known and an unknown address cost the same.
pub fn request(tx: &mut Tx<'_>, address_key: &str, language: &str, at: i64) -> Result<()> {
    tx.execute_one(
        sql!("INSERT INTO link_requests (address_key, language, at) VALUES ($1, $2, $3)"),
        &[&address_key, &language, &at],
    )
}

/// True if requests wait for the job.
pub fn has_requests(tx: &mut Tx<'_>) -> Result<bool> {
    tx.query_one(
        sql!("SELECT CASE WHEN EXISTS (SELECT 1 FROM link_requests WHERE id > 0) THEN TRUE ELSE FALSE END"),
        &[],
        |row| row.get(0),
    )
}

/// Takes the oldest request, if any.
pub fn take_request(tx: &mut Tx<'_>) -> Result<Option<Request>> {
    tx.query_opt(
        sql!(
            "DELETE FROM link_requests WHERE id = (SELECT id FROM link_requests WHERE id > 0 ORDER BY id LIMIT 1)
             RETURNING id, address_key, language"
        ),
        &[],
        |row| Ok(Request { id: row.get(0)?, address_key: row.get(1)?, language: row.get(2)? }),
    )
}

/// Keeps the hash of a person's new link; earlier links stay valid until one is used.
pub fn keep(tx: &mut Tx<'_>, person: UserId, token_hash: &str, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!("INSERT INTO password_links (token_hash, user_id, expires_at) VALUES ($1, $2, $3)"),
        &[&token_hash, &person, &expires_at],
    )
}

/// Returns the person of a valid link.
pub fn owner(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<UserId>> {
    tx.query_opt(
        sql!("SELECT user_id FROM password_links WHERE token_hash = $1 AND expires_at > $2"),
        &[&token_hash, &now],
        |row| row.get(0),
    )
}

/// Deletes a valid link of this person; `false` if the link is no longer valid.
pub fn use_up(tx: &mut Tx<'_>, person: UserId, token_hash: &str, now: i64) -> Result<bool> {
    let used = tx.execute(
        sql!("DELETE FROM password_links WHERE token_hash = $1 AND user_id = $2 AND expires_at > $3"),
        &[&token_hash, &person, &now],
    )?;
    Ok(used == 1)
}

/// Deletes all links of a person.
pub fn end_all_of(tx: &mut Tx<'_>, person: UserId) -> Result<()> {
    tx.execute(sql!("DELETE FROM password_links WHERE user_id = $1"), &[&person])?;
    Ok(())
}
