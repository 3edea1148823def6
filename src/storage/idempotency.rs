//! The answers of writes that came with an `Idempotency-Key`: a write whose answer got lost can be repeated, and happens
//! once.

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// How long an answer is kept, milliseconds: 48 hours, so that what waited over a closed day can still be repeated.
pub const KEPT_FOR: i64 = 48 * 60 * 60 * 1000;

/// Answers past their time that a write clears away: more than the one that it adds, so that they do not pile up.
const CLEARED: i64 = 10;

/// A request with a key.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose key it is; `None` for a visitor.
    pub user: Option<UserId>,
    /// The client's key.
    pub key: String,
    /// Tells another request under the same key from a repeat.
    pub fingerprint: String,
}

/// A stored answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The HTTP status.
    pub status: i64,
    pub etag: Option<String>,
    pub location: Option<String>,
    /// JSON, or empty.
    pub body: String,
}

/// What a request with a key turns out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The first with its key: do it, then [`keep`] its answer.
    First,
    /// A repeat: this was the answer.
    Repeat(Kept),
    /// Another request had this key.
    Reused,
}

fn scope(user: Option<UserId>) -> i64 {
    user.map_or(0, |user| user.0)
}

/// Takes the key for this transaction, before anything else is done in it. A repeat at the same moment waits here until
/// the first is stored or given up (on `SQLite` the only writer sees to it).
pub fn begin(tx: &mut Tx<'_>, request: &Request, now: i64) -> Result<Begun> {
    let scope = scope(request.user);
    let first = tx.execute(
        sql!(
            "INSERT INTO idempotency (user_id, key, fingerprint, status, body, created_at) VALUES ($1, $2, $3, 0, '', $4)
             ON CONFLICT (user_id, key) DO NOTHING"
        ),
        &[&scope, &request.key, &request.fingerprint, &now],
    )?;
    if first == 1 {
        return Ok(Begun::First);
    }
    tx.query_one(
        sql!(
            "SELECT fingerprint, status, etag, location, body FROM idempotency WHERE user_id = $1 AND key = $2"
        ),
        &[&scope, &request.key],
        |row| {
            Ok(if row.get::<String>(0)? == request.fingerprint {
                Begun::Repeat(Kept {
                    status: row.get(1)?,
                    etag: row.get(2)?,
                    location: row.get(3)?,
                    body: row.get(4)?,
                })
            } else {
                Begun::Reused
            })
        },
    )
}

/// Stores the answer of the request that [`begin`] said is the first, and clears away some that are past their time.
pub fn keep(tx: &mut Tx<'_>, request: &Request, kept: &Kept, now: i64) -> Result<()> {
    tx.execute(
        sql!("UPDATE idempotency SET status = $3, etag = $4, location = $5, body = $6 WHERE user_id = $1 AND key = $2"),
        &[&scope(request.user), &request.key, &kept.status, &kept.etag, &kept.location, &kept.body],
    )?;
    macro_rules! clear {
        ($lock:literal) => {
            sql!(
                "DELETE FROM idempotency WHERE (user_id, key) IN (
                     SELECT user_id, key FROM idempotency WHERE created_at <= $1 ORDER BY created_at LIMIT $2",
                $lock,
                ")"
            )
        };
    }
    // Many write at once on PostgreSQL, and must not wait for each other here.
    let clear = if tx.is_postgres() { clear!(" FOR UPDATE SKIP LOCKED") } else { clear!("") };
    tx.execute(clear, &[&(now - KEPT_FOR), &CLEARED])?;
    Ok(())
}
