//! The answers of writes that came with an `Idempotency-Key`: a write whose answer got lost can be repeated, and happens
//! once.

use super::{Result, Tx};
use crate::{
    domain::id::{ChangeId, UserId},
    insert, sql,
};

/// How long an answer is kept, milliseconds: 48 hours, so that what waited over a closed day can still be repeated.
pub const KEPT_FOR: i64 = 48 * 60 * 60 * 1000;

/// Every so many answers, twice as many of the oldest are looked at and cleared away if they are past their time: they do
/// not pile up.
const CLEARED_EVERY: i64 = 16;

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
    /// The change that takes it back.
    pub change: Option<ChangeId>,
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

/// What a request is, before anything else is done in its transaction. A repeat at the same moment waits here until the
/// first is stored or given up (on `SQLite` the only writer sees to it).
pub fn begin(tx: &mut Tx<'_>, request: &Request) -> Result<Begun> {
    let scope = scope(request.user);
    if tx.is_postgres() {
        tx.execute(sql!("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))"), &[&request.key, &scope])?;
    }
    let kept = tx.query_opt(
        sql!(
            "SELECT fingerprint, status, etag, location, change_id, body FROM idempotency WHERE key = $1 AND user_id = $2"
        ),
        &[&request.key, &scope],
        |row| {
            Ok(if row.get::<String>(0)? == request.fingerprint {
                Begun::Repeat(Kept {
                    status: row.get(1)?,
                    etag: row.get(2)?,
                    location: row.get(3)?,
                    change: row.get(4)?,
                    body: row.get(5)?,
                })
            } else {
                Begun::Reused
            })
        },
    )?;
    Ok(kept.unwrap_or(Begun::First))
}

/// Stores the answer of the request that [`begin`] said is the first, and now and then clears away those past their time.
pub fn keep(tx: &mut Tx<'_>, request: &Request, kept: &Kept, now: i64) -> Result<()> {
    let id = tx.insert(
        insert!(
            "INSERT INTO idempotency (user_id, key, fingerprint, status, etag, location, change_id, body, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        ),
        &[
            &scope(request.user),
            &request.key,
            &request.fingerprint,
            &kept.status,
            &kept.etag,
            &kept.location,
            &kept.change,
            &kept.body,
            &now,
        ],
    )?;
    if id % CLEARED_EVERY != 0 {
        return Ok(());
    }
    macro_rules! clear {
        ($lock:literal) => {
            sql!(
                "DELETE FROM idempotency WHERE created_at <= $1 AND id IN (
                     SELECT id FROM idempotency ORDER BY id LIMIT $2",
                $lock,
                ")"
            )
        };
    }
    // Many write at once on PostgreSQL, and must not wait for each other here.
    let clear = if tx.is_postgres() { clear!(" FOR UPDATE SKIP LOCKED") } else { clear!("") };
    tx.execute(clear, &[&(now - KEPT_FOR), &(2 * CLEARED_EVERY)])?;
    Ok(())
}
