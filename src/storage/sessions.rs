//! Sessions of signed-in people. The database stores only the hash of each token.

use super::{Result, Tx, accounts::Account, authority::Subject, second_factors};
use crate::{
    domain::{
        agent::Agent,
        id::{SessionId, UserId},
    },
    sql,
};

/// Maximum number of sessions per person; a new one replaces the least recently used one.
pub const SESSIONS: i64 = 10;

/// Tolerated clock difference between servers, milliseconds. A session whose last use is further in the future was used
/// before the clock was set back: its idle time is unknown, so the session is not valid.
pub const AHEAD: i64 = 5 * 60 * 1000;

/// Properties of a new session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opened {
    pub agent: Agent,
    /// True if the session outlives the browser (R-LOGIN-6).
    pub kept: bool,
}

/// Begins a session; `false` if the account no longer exists (R-LOGIN-5). Deletes expired sessions.
pub fn begin(
    tx: &mut Tx<'_>,
    token_hash: &str,
    uid: UserId,
    now: i64,
    expires_at: i64,
    opened: Opened,
) -> Result<bool> {
    // Serialises sign-ins of one person, so that together they do not exceed the maximum.
    super::accounts::lock(tx, uid)?;
    tx.execute(sql!("DELETE FROM sessions WHERE expires_at <= $1"), &[&now])?;
    tx.execute(
        sql!(
            "DELETE FROM sessions WHERE id IN (
                 SELECT id FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC
                 LIMIT 1000 OFFSET CAST($2 AS BIGINT))"
        ),
        &[&uid, &(SESSIONS - 1)],
    )?;
    let begun = tx.execute(
        sql!(
            "INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, kept, browser, system)
             SELECT $1, id, $3, $3, $4, $5, $6, $7 FROM users WHERE id = $2"
        ),
        &[
            &token_hash,
            &uid,
            &now,
            &expires_at,
            &opened.kept,
            &opened.agent.browser,
            &opened.agent.system,
        ],
    )?;
    Ok(begun == 1)
}

/// Valid session, and its account.
pub struct ValidSession {
    pub account: Account,
    pub created_at: i64,
    pub seen_at: i64,
    pub expires_at: i64,
    /// True if the person has a second factor.
    pub second_factor: bool,
}

/// Returns the session of a token, if it is valid.
pub fn find_valid(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<ValidSession>> {
    super::accounts::of_session(tx, token_hash, now)
}

/// Records activity in a session, and its new end. No-op if another server has recorded activity after
/// `unless_seen_after`.
pub fn touch(
    tx: &mut Tx<'_>,
    token_hash: &str,
    now: i64,
    expires_at: i64,
    unless_seen_after: i64,
) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE sessions SET seen_at = $2, expires_at = $3
             WHERE token_hash = $1 AND expires_at > $2 AND seen_at <= $4"
        ),
        &[&token_hash, &now, &expires_at, &unless_seen_after],
    )?;
    Ok(())
}

/// Ends a session; a no-op if it does not exist.
pub fn end(tx: &mut Tx<'_>, token_hash: &str) -> Result<()> {
    tx.execute(sql!("DELETE FROM sessions WHERE token_hash = $1"), &[&token_hash])?;
    Ok(())
}

/// Session as listed for its person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: SessionId,
    pub token_hash: String,
    pub browser: Option<String>,
    pub system: Option<String>,
    pub created_at: i64,
    pub seen_at: i64,
}

/// Returns a person's valid sessions, last used first.
pub fn of_person(tx: &mut Tx<'_>, uid: UserId, now: i64) -> Result<Vec<Listed>> {
    tx.query(
        sql!(
            "SELECT id, token_hash, browser, system, created_at, seen_at FROM sessions
             WHERE user_id = $1 AND expires_at > $2 ORDER BY seen_at DESC, id DESC"
        ),
        &[&uid, &now],
        |row| {
            Ok(Listed {
                id: row.get(0)?,
                token_hash: row.get(1)?,
                browser: row.get(2)?,
                system: row.get(3)?,
                created_at: row.get(4)?,
                seen_at: row.get(5)?,
            })
        },
    )
}

/// Ends one of a person's sessions; `false` if they have no such session.
pub fn end_one_of(tx: &mut Tx<'_>, uid: UserId, id: SessionId) -> Result<bool> {
    tx.noticed.push(uid);
    Ok(tx.execute(sql!("DELETE FROM sessions WHERE id = $1 AND user_id = $2"), &[&id, &uid])? == 1)
}

/// Ends the half sign-ins of a person, and all sessions but the one with this token; returns the number of sessions
/// ended.
pub fn end_others_of(tx: &mut Tx<'_>, uid: UserId, token_hash: &str) -> Result<u64> {
    second_factors::end_half_sign_ins(tx, uid)?;
    tx.noticed.push(uid);
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2"), &[&uid, &token_hash])
}

/// Moves a session and its phones to another token; returns whether the session outlives the browser, or `None` if the
/// session has ended.
pub fn renew(tx: &mut Tx<'_>, token_hash: &str, new_hash: &str, now: i64) -> Result<Option<bool>> {
    let kept = tx.query_opt(
        sql!(
            "INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, kept, browser, system)
             SELECT $2, user_id, created_at, seen_at, expires_at, kept, browser, system FROM sessions
             WHERE token_hash = $1 AND expires_at > $3
             RETURNING kept"
        ),
        &[&token_hash, &new_hash, &now],
        |row| row.get(0),
    )?;
    tx.execute(
        sql!("UPDATE desks SET session_hash = $2 WHERE session_hash = $1"),
        &[&token_hash, &new_hash],
    )?;
    end(tx, token_hash)?;
    Ok(kept)
}

/// Ends all sessions and half sign-ins of a person; returns the number of sessions ended.
pub fn end_all_of(tx: &mut Tx<'_>, person: &Subject) -> Result<u64> {
    second_factors::end_half_sign_ins(tx, person.uid())?;
    tx.noticed.push(person.uid());
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1"), &[&person.uid()])
}
