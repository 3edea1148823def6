//! Codes for a first sign-in or a forgotten password. Only a code's hash is known here.
//!
//! Triggers of the database remove a code with any change of its person's role, capabilities, password, address, roll number,
//! activity or second factor (R-SEAM-8).

use super::{Result, Tx, authority::Subject};
use crate::{domain::id::UserId, sql};

/// Keeps the hash of a person's code, and the librarian who made it; the one of before is gone.
pub fn keep(tx: &mut Tx<'_>, person: &Subject, made_by: UserId, hash: &str, expires_at: i64) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO sign_in_codes (user_id, code_hash, expires_at, made_by) VALUES ($1, $2, $3, $4)
             ON CONFLICT (user_id) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at,
                 made_by = excluded.made_by"
        ),
        &[&person.uid(), &hash, &expires_at, &made_by],
    )
}

/// The hash of a person's code that is still good.
pub fn hash(tx: &mut Tx<'_>, person: UserId, now: i64) -> Result<Option<String>> {
    tx.query_opt(
        sql!("SELECT code_hash FROM sign_in_codes WHERE user_id = $1 AND expires_at > $2"),
        &[&person, &now],
        |row| row.get(0),
    )
}

/// Removes this code and returns the librarian who made it; `None` where it is not the person's any more.
pub fn use_up(tx: &mut Tx<'_>, person: UserId, hash: &str, now: i64) -> Result<Option<UserId>> {
    tx.query_opt(
        sql!(
            "DELETE FROM sign_in_codes WHERE user_id = $1 AND code_hash = $2 AND expires_at > $3 RETURNING made_by"
        ),
        &[&person, &hash, &now],
        |row| row.get(0),
    )
}
