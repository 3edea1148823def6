//! The library's time zone, one row.

use std::time::{Duration, Instant};

use super::{Error, Location, Result, Tx, is_there, only_server, postgres};
use crate::sql;

/// Returns the IANA name stored at the first start, if any.
pub fn kept(tx: &mut Tx<'_>) -> Result<Option<String>> {
    tx.query_opt(sql!("SELECT name FROM time_zone WHERE id = 1"), &[], |row| row.get(0))
}

/// Stores a name unless another is stored already; returns the stored one.
pub fn keep(tx: &mut Tx<'_>, name: &str) -> Result<String> {
    tx.execute(
        sql!("INSERT INTO time_zone (id, name) VALUES (1, $1) ON CONFLICT (id) DO NOTHING"),
        &[&name],
    )?;
    tx.query_one(sql!("SELECT name FROM time_zone WHERE id = 1"), &[], |row| row.get(0))
}

/// Replaces the stored name.
pub fn change(tx: &mut Tx<'_>, name: &str) -> Result<()> {
    tx.execute(
        sql!(
            "INSERT INTO time_zone (id, name) VALUES (1, $1)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name"
        ),
        &[&name],
    )?;
    Ok(())
}

/// Ensures that every server is stopped; on `SQLite` none can start while the returned lock is held.
///
/// # Errors
/// [`Error::Open`] with one line for the operator.
pub fn without_servers(location: &Location) -> Result<Option<std::fs::File>> {
    is_there(location)?;
    if let Location::Postgres(url) = location {
        postgres::alone(url, refuse_other_programs)?;
    }
    only_server(location, Duration::ZERO)
}

/// Time that `PostgreSQL` may need to end the connections of a server that has just stopped.
const LEAVING: Duration = Duration::from_secs(2);

/// Fails if another program stays connected to the `PostgreSQL` database.
pub(super) fn refuse_other_programs(tx: &mut Tx<'_>) -> Result<()> {
    let begun = Instant::now();
    loop {
        // Within a transaction the view would show the connections of the first look.
        tx.batch("SELECT pg_stat_clear_snapshot()")?;
        // Servers hold connections; background processes of PostgreSQL have no user.
        let others = tx.number(
            "SELECT COUNT(*) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL",
        )?;
        if others == 0 {
            return Ok(());
        }
        if begun.elapsed() > LEAVING {
            return Err(Error::Open(
                "other programs are connected to the PostgreSQL database: stop every server first".into(),
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
