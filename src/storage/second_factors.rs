//! Second factors: the keys of authenticator apps, recovery codes, and sign-ins that wait for a code.

use super::{Result, Tx, accounts, authority::Subject};
use crate::{
    domain::id::UserId,
    second_factor::{self, Typed},
    sql,
};

/// Second factors that a person has set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// Time at which the authenticator app was confirmed, in epoch milliseconds; `None` without an app.
    pub app_since: Option<i64>,
    /// Number of registered passkeys.
    pub passkeys: i64,
    /// Number of unused recovery codes.
    pub recovery_codes: i64,
}

/// Returns a person's second factors; `None` if there are none, or none is confirmed yet.
pub fn of(tx: &mut Tx<'_>, uid: UserId) -> Result<Option<SetUp>> {
    let found = tx.query_one(
        sql!(
            "SELECT (SELECT confirmed_at FROM authenticators WHERE authenticators.user_id = $1),
                    (SELECT COUNT(*) FROM passkeys WHERE passkeys.user_id = $1),
                    (SELECT COUNT(*) FROM recovery_codes WHERE recovery_codes.user_id = $1)"
        ),
        &[&uid],
        |row| Ok(SetUp { app_since: row.get(0)?, passkeys: row.get(1)?, recovery_codes: row.get(2)? }),
    )?;
    Ok((found.app_since.is_some() || found.passkeys > 0).then_some(found))
}

/// Stores the key for an authenticator app, in place of an unconfirmed one; `false` if a key is confirmed already.
pub fn begin(tx: &mut Tx<'_>, uid: UserId, secret: &str, now: i64) -> Result<bool> {
    let kept = tx.execute(
        sql!(
            "INSERT INTO authenticators (user_id, secret, begun_at) VALUES ($1, $2, $3)
             ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, begun_at = excluded.begun_at
             WHERE authenticators.confirmed_at IS NULL"
        ),
        &[&uid, &secret, &now],
    )?;
    Ok(kept == 1)
}

/// Returns a person's unconfirmed key, if it was created after `since`.
pub fn begun(tx: &mut Tx<'_>, uid: UserId, since: i64) -> Result<Option<String>> {
    tx.query_opt(
        sql!(
            "SELECT secret FROM authenticators WHERE user_id = $1 AND confirmed_at IS NULL AND begun_at > $2"
        ),
        &[&uid, &since],
        |row| row.get(0),
    )
}

/// Confirms a person's key; from now on, codes of this key for steps after `step` are accepted. `false` if the key is
/// confirmed already or was replaced.
pub fn confirm(tx: &mut Tx<'_>, uid: UserId, secret: &str, step: i64, now: i64) -> Result<bool> {
    let confirmed = tx.execute(
        sql!(
            "UPDATE authenticators SET confirmed_at = $4, last_step = $3
             WHERE user_id = $1 AND secret = $2 AND confirmed_at IS NULL"
        ),
        &[&uid, &secret, &step, &now],
    )?;
    Ok(confirmed == 1)
}

/// Accepted code, which is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    App,
    /// Recovery code, with the number of codes left.
    Recovery(i64),
}

/// Uses up a code of a person; `None` if it is wrong or was used before. Of concurrent requests with one code, one
/// succeeds.
pub fn accept(tx: &mut Tx<'_>, uid: UserId, typed: &Typed, hash: &str, now: i64) -> Result<Option<Accepted>> {
    // Serialises requests for one person, so that the number of recovery codes left is right.
    accounts::lock(tx, uid)?;
    let Some(set_up) = of(tx, uid)? else { return Ok(None) };
    let Typed::App(digits) = *typed else {
        let used = tx.execute(
            sql!("DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2"),
            &[&uid, &hash],
        )?;
        return Ok((used == 1).then_some(Accepted::Recovery(set_up.recovery_codes - 1)));
    };
    let secret: Option<String> = tx.query_opt(
        sql!("SELECT secret FROM authenticators WHERE user_id = $1 AND confirmed_at IS NOT NULL"),
        &[&uid],
        |row| row.get(0),
    )?;
    let Some(secret) = secret else { return Ok(None) };
    for step in second_factor::steps_of(&secret, digits, now) {
        let taken = tx.execute(
            sql!("UPDATE authenticators SET last_step = $2 WHERE user_id = $1 AND last_step < $2"),
            &[&uid, &step],
        )?;
        if taken == 1 {
            return Ok(Some(Accepted::App));
        }
    }
    Ok(None)
}

/// Stores these recovery codes if the person has a second factor but no recovery codes left; `false` if nothing was
/// stored.
pub fn keep_first_recovery_codes(tx: &mut Tx<'_>, uid: UserId, hashes: &[String]) -> Result<bool> {
    let none_left = of(tx, uid)?.is_some_and(|set_up| set_up.recovery_codes == 0);
    if none_left {
        replace_recovery_codes(tx, uid, hashes)?;
    }
    Ok(none_left)
}

/// Replaces a person's recovery codes.
pub fn replace_recovery_codes(tx: &mut Tx<'_>, uid: UserId, hashes: &[String]) -> Result<()> {
    tx.execute(sql!("DELETE FROM recovery_codes WHERE user_id = $1"), &[&uid])?;
    for hash in hashes {
        tx.execute_one(
            sql!("INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, $2)"),
            &[&uid, hash],
        )?;
    }
    Ok(())
}

/// Removes a person's authenticator app. Recovery codes stay while there are passkeys.
pub fn remove_app(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.execute(sql!("DELETE FROM authenticators WHERE user_id = $1"), &[&uid])?;
    remove_if_last(tx, uid)
}

/// Deletes recovery codes and half sign-ins of a person without a second factor.
pub fn remove_if_last(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    if of(tx, uid)?.is_none() {
        tx.execute(sql!("DELETE FROM recovery_codes WHERE user_id = $1"), &[&uid])?;
        end_half_sign_ins(tx, uid)?;
    }
    Ok(())
}

/// Removes all second factors of a person and the sign-ins that wait for one; `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, person: &Subject) -> Result<bool> {
    remove_all(tx, person.uid())
}

fn remove_all(tx: &mut Tx<'_>, uid: UserId) -> Result<bool> {
    let was = of(tx, uid)?.is_some();
    tx.execute(sql!("DELETE FROM authenticators WHERE user_id = $1"), &[&uid])?;
    tx.execute(sql!("DELETE FROM passkeys WHERE user_id = $1"), &[&uid])?;
    tx.execute(sql!("DELETE FROM recovery_codes WHERE user_id = $1"), &[&uid])?;
    end_half_sign_ins(tx, uid)?;
    Ok(was)
}

/// Moves the second factors of a record to another record of the same person, in place of that record's own.
pub(super) fn hand_over(tx: &mut Tx<'_>, from: UserId, to: UserId) -> Result<()> {
    remove_all(tx, to)?;
    tx.execute(sql!("UPDATE authenticators SET user_id = $2 WHERE user_id = $1"), &[&from, &to])?;
    tx.execute(sql!("UPDATE passkeys SET user_id = $2 WHERE user_id = $1"), &[&from, &to])?;
    tx.execute(sql!("UPDATE recovery_codes SET user_id = $2 WHERE user_id = $1"), &[&from, &to])?;
    Ok(())
}

/// Records that the password was right and a second factor must follow. Deletes expired half sign-ins.
pub fn begin_half_sign_in(
    tx: &mut Tx<'_>,
    token_hash: &str,
    uid: UserId,
    kept: bool,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    tx.execute(sql!("DELETE FROM half_sign_ins WHERE expires_at <= $1"), &[&now])?;
    tx.execute_one(
        sql!("INSERT INTO half_sign_ins (token_hash, user_id, kept, expires_at) VALUES ($1, $2, $3, $4)"),
        &[&token_hash, &uid, &kept, &expires_at],
    )
}

/// Returns the person of a half sign-in, and whether the session outlives the browser; `None` if the half sign-in has ended.
pub fn half_sign_in(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<(UserId, bool)>> {
    tx.query_opt(
        sql!(
            "SELECT half.user_id, half.kept FROM half_sign_ins AS half JOIN users ON users.id = half.user_id
             WHERE half.token_hash = $1 AND half.expires_at > $2 AND users.active AND users.gone_at IS NULL"
        ),
        &[&token_hash, &now],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Uses up a half sign-in; `false` if the half sign-in has ended.
pub fn use_up_half_sign_in(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<bool> {
    let used = tx.execute(
        sql!("DELETE FROM half_sign_ins WHERE token_hash = $1 AND expires_at > $2"),
        &[&token_hash, &now],
    )?;
    Ok(used == 1)
}

/// Ends the half sign-ins of a person, who must then begin with the password again.
pub(super) fn end_half_sign_ins(tx: &mut Tx<'_>, uid: UserId) -> Result<()> {
    tx.execute(sql!("DELETE FROM half_sign_ins WHERE user_id = $1"), &[&uid])?;
    Ok(())
}
