//! Passkeys, and the pending challenges of browsers.

use super::{Result, Tx, sql::Row};
use crate::{
    domain::id::{PasskeyId, UserId},
    passkey::{self, Made},
    sql,
};

/// Stored passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passkey {
    pub id: PasskeyId,
    pub user: UserId,
    /// base64url.
    pub credential_id: String,
    /// COSE, base64url.
    pub public_key: String,
    pub user_handle: String,
    pub backup_eligible: bool,
    /// Transports of the authenticator, separated by blanks.
    pub transports: String,
    pub name: String,
    /// Epoch milliseconds.
    pub created_at: i64,
    pub used_at: Option<i64>,
}

macro_rules! columns {
    () => {
        "passkeys.id, passkeys.user_id, passkeys.credential_id, passkeys.public_key, passkeys.user_handle,
         passkeys.backup_eligible, passkeys.transports, passkeys.name, passkeys.created_at, passkeys.used_at"
    };
}

fn passkey(row: &Row<'_>) -> Result<Passkey> {
    Ok(Passkey {
        id: row.get(0)?,
        user: row.get(1)?,
        credential_id: row.get(2)?,
        public_key: row.get(3)?,
        user_handle: row.get(4)?,
        backup_eligible: row.get(5)?,
        transports: row.get(6)?,
        name: row.get(7)?,
        created_at: row.get(8)?,
        used_at: row.get(9)?,
    })
}

/// Returns the passkeys of a person, oldest first.
pub fn of(tx: &mut Tx<'_>, uid: UserId) -> Result<Vec<Passkey>> {
    tx.query(sql!("SELECT ", columns!(), " FROM passkeys WHERE user_id = $1 ORDER BY id"), &[&uid], passkey)
}

/// Returns the passkey with this credential id, unless its owner was erased or merged into another person.
pub fn by_credential(tx: &mut Tx<'_>, credential_id: &str) -> Result<Option<Passkey>> {
    tx.query_opt(
        sql!(
            "SELECT ",
            columns!(),
            " FROM passkeys JOIN users ON users.id = passkeys.user_id
             WHERE passkeys.credential_id = $1 AND users.gone_at IS NULL"
        ),
        &[&credential_id],
        passkey,
    )
}

/// Adds a new passkey; `false` if its credential id is taken.
pub fn add(
    tx: &mut Tx<'_>,
    uid: UserId,
    made: &Made,
    user_handle: &str,
    transports: &str,
    name: &str,
    now: i64,
) -> Result<bool> {
    let added = tx.execute(
        sql!(
            "INSERT INTO passkeys (user_id, credential_id, public_key, user_handle, sign_count, backup_eligible,
                                   transports, name, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING"
        ),
        &[
            &uid,
            &passkey::encoded(&made.credential_id),
            &passkey::encoded(&made.public_key),
            &user_handle,
            &i64::from(made.count),
            &made.backup_eligible,
            &transports,
            &name,
            &now,
        ],
    )?;
    Ok(added == 1)
}

/// Records a use; `false` if the passkey is gone, or if its counter did not rise: the passkey was copied, or its answer
/// replayed.
pub fn count_use(tx: &mut Tx<'_>, id: PasskeyId, count: u32, now: i64) -> Result<bool> {
    let counted = tx.execute(
        sql!(
            "UPDATE passkeys SET sign_count = $2, used_at = $3
             WHERE id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)"
        ),
        &[&id, &i64::from(count), &now],
    )?;
    Ok(counted == 1)
}

/// Deletes a passkey of a person; `false` if they have no such passkey.
pub fn remove(tx: &mut Tx<'_>, uid: UserId, id: PasskeyId) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM passkeys WHERE id = $1 AND user_id = $2"), &[&id, &uid])? == 1)
}

/// Stores the challenge for a browser in place of an earlier one, and deletes expired challenges.
pub fn begin(
    tx: &mut Tx<'_>,
    holder_hash: &str,
    challenge: &str,
    user_handle: Option<&str>,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    tx.execute(sql!("DELETE FROM passkey_challenges WHERE expires_at <= $1"), &[&now])?;
    tx.execute_one(
        sql!(
            "INSERT INTO passkey_challenges (holder_hash, challenge, user_handle, expires_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (holder_hash) DO UPDATE SET challenge = excluded.challenge,
                 user_handle = excluded.user_handle, expires_at = excluded.expires_at"
        ),
        &[&holder_hash, &challenge, &user_handle, &expires_at],
    )
}

/// Consumes the challenge of a browser and returns it, with the user handle for a new passkey; valid once.
pub fn take(tx: &mut Tx<'_>, holder_hash: &str, now: i64) -> Result<Option<(String, Option<String>)>> {
    tx.query_opt(
        sql!(
            "DELETE FROM passkey_challenges WHERE holder_hash = $1 AND expires_at > $2
             RETURNING challenge, user_handle"
        ),
        &[&holder_hash, &now],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
