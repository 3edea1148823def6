//! Stored responses to writes with an `Idempotency-Key`: a client can repeat a write whose response got lost, and the
//! write takes effect once.

use super::{Result, Tx};
use crate::{
    domain::id::{ChangeId, UserId},
    insert, sql,
};

/// Lifetime of a response, milliseconds: 48 hours, so that a request held over a closed day can still be repeated.
pub const KEPT_FOR: i64 = 48 * 60 * 60 * 1000;

/// Number of stored responses between two clean-ups. Each clean-up checks twice as many of the oldest responses and
/// deletes the expired ones, so that the table does not grow.
const CLEARED_EVERY: i64 = 16;

/// Request with an idempotency key.
#[derive(Clone, Debug)]
pub struct Request {
    /// Owner of the key; `None` for a visitor.
    pub user: Option<UserId>,
    /// Key chosen by the client.
    pub key: String,
    /// Distinguishes a repeat from another request with the same key.
    pub fingerprint: String,
}

/// Stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// HTTP status.
    pub status: i64,
    pub etag: Option<String>,
    pub location: Option<String>,
    /// Change id to pass to `POST /changes/{id}/undo`.
    pub change: Option<ChangeId>,
    /// JSON, or empty.
    pub body: String,
}

/// Outcome of [`begin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// First request with its key: run it, then [`keep`] its response.
    First,
    /// Repeat, with the stored response.
    Repeat(Kept),
    /// Another request has used this key.
    Reused,
}

fn scope(user: Option<UserId>) -> i64 {
    user.map_or(0, |user| user.0)
}

/// Classifies a request; must come first in its transaction. A concurrent repeat waits here until the first request is
/// stored or rolled back (on `SQLite` the only writer ensures that).
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

/// Stores the response to a request that [`begin`] classified as the first; purges expired responses from time to time.
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
    // Concurrent writers on PostgreSQL must not wait for each other here.
    let clear = if tx.is_postgres() { clear!(" FOR UPDATE SKIP LOCKED") } else { clear!("") };
    tx.execute(clear, &[&(now - KEPT_FOR), &(2 * CLEARED_EVERY)])?;
    Ok(())
}
