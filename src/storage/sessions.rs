//! Sessions: who holds which token. Only a token's hash is known here.

use super::{Result, Tx, accounts::Account, authority::Subject, second_factors};
use crate::{
    domain::{
        agent::Agent,
        id::{SessionId, UserId},
    },
    sql,
};

/// Sessions of one person; whoever begins one more loses the one that was not used for longest.
pub const SESSIONS: i64 = 10;

/// How far the clock of another server may be ahead, milliseconds. A session that was used later than that was used before
/// the clock was set back: nobody knows how long ago, so it is not good.
pub const AHEAD: i64 = 5 * 60 * 1000;

/// How a session was opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opened {
    pub agent: Agent,
    /// Whether the browser keeps it when it closes (R-LOGIN-6).
    pub kept: bool,
}

/// Begins a session; `false` where the account is gone by now (R-LOGIN-5). Sessions that ended long ago are cleared away.
pub fn begin(
    tx: &mut Tx<'_>,
    token_hash: &str,
    uid: UserId,
    now: i64,
    expires_at: i64,
    opened: Opened,
) -> Result<bool> {
    // Two at once must not both be the last.
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

/// A session that is still good, and the account it stands for.
pub struct Good {
    pub account: Account,
    pub created_at: i64,
    pub seen_at: i64,
    pub expires_at: i64,
    /// Whether its person has a second factor.
    pub second_factor: bool,
}

/// The session behind a token, while it is good.
pub fn good(tx: &mut Tx<'_>, token_hash: &str, now: i64) -> Result<Option<Good>> {
    super::accounts::of_session(tx, token_hash, now)
}

/// Keeps that something was done in a session, and until when it is good now. Where another server has kept it in the
/// meantime (after `unless_seen_after`), nothing is written.
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

/// A session as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: SessionId,
    pub token_hash: String,
    pub browser: Option<String>,
    pub system: Option<String>,
    pub created_at: i64,
    pub seen_at: i64,
}

/// A person's sessions that are still good, the one that was used last first.
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

/// Ends one of a person's sessions; `false` where they have no such session.
pub fn end_one_of(tx: &mut Tx<'_>, uid: UserId, id: SessionId) -> Result<bool> {
    Ok(tx.execute(sql!("DELETE FROM sessions WHERE id = $1 AND user_id = $2"), &[&id, &uid])? == 1)
}

/// Ends all sessions of a person but the one with this token, and what was half signed in; how many sessions there were.
pub fn end_others_of(tx: &mut Tx<'_>, uid: UserId, token_hash: &str) -> Result<u64> {
    second_factors::end_half_sign_ins(tx, uid)?;
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2"), &[&uid, &token_hash])
}

/// Lets a session go on under another token, and its phones with it: whether the browser keeps it. `None` where it has
/// ended.
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

/// Ends all sessions of a person, and what was half signed in; how many sessions there were.
pub fn end_all_of(tx: &mut Tx<'_>, person: &Subject) -> Result<u64> {
    second_factors::end_half_sign_ins(tx, person.uid())?;
    tx.execute(sql!("DELETE FROM sessions WHERE user_id = $1"), &[&person.uid()])
}
