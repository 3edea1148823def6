//! Leases: one server at a time does the work for all servers.

use super::{Result, Tx};
use crate::sql;

/// Takes or extends a lease until `ends_at`; `false` if another owner has it.
pub fn take(tx: &mut Tx<'_>, name: &str, owner: &str, now: i64, ends_at: i64) -> Result<bool> {
    let touched = tx.execute(
        sql!(
            "INSERT INTO leases (name, owner, ends_at) VALUES ($1, $2, $4)
             ON CONFLICT (name) DO UPDATE SET owner = $2, ends_at = $4
             WHERE leases.owner = $2 OR leases.ends_at <= $3"
        ),
        &[&name, &owner, &now, &ends_at],
    )?;
    Ok(touched == 1)
}

/// Releases the owner's lease.
pub fn give_back(tx: &mut Tx<'_>, name: &str, owner: &str) -> Result<()> {
    tx.execute(sql!("DELETE FROM leases WHERE name = $1 AND owner = $2"), &[&name, &owner])?;
    Ok(())
}
