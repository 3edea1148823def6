//! Sessions: who holds which token. Only a token's hash is known here.

use super::{Result, Tx, accounts::Account};
use crate::{
    domain::{account::Role, id::UserId},
    sql,
};

/// Begins a session; `false` where the account is gone by now (R-LOGIN-5). Sessions that ended long ago are cleared away.
pub fn begin(tx: &mut Tx<'_>, token_hash: &str, uid: UserId, now: i64, expires_at: i64) -> Result<bool> {
    tx.execute(sql!("DELETE FROM sessions WHERE expires_at <= $1"), &[&now])?;
    let begun = tx.execute(
        sql!(
            "INSERT INTO sessions (token_hash, user_id, created_at, expires_at)
             SELECT $1, id, $3, $4 FROM users WHERE id = $2"
        ),
        &[&token_hash, &uid, &now, &expires_at],
    )?;
    Ok(begun == 1)
}

/// The account behind a token that is still good, and until when it is.
pub fn account(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<(Account, i64)>> {
    super::accounts::of_session(tx, token_hash, now)
}

/// Ends a session; ending one that is no more is no error.
pub fn end(tx: &mut Tx<'_>, token_hash: &str) -> Result<()> {
    tx.execute(sql!("DELETE FROM sessions WHERE token_hash = $1"), &[&token_hash])?;
    Ok(())
}

/// Ends all sessions of a person.
pub fn end_all_of(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1"), &[&uid])?;
    Ok(())
}

/// Gives an account another role and ends its sessions, so that the old role is gone at once.
pub fn change_role(tx: &mut Tx<'_>, uid: UserId, role: Role) -> Result<bool> {
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1"), &[&uid])?;
    Ok(tx.execute(sql!("UPDATE users SET role = $2 WHERE id = $1"), &[&uid, &role.as_str()])? == 1)
}
