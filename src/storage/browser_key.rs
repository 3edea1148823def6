//! The key that proves that a browser signed in before, one row.

use super::{Result, Tx};
use crate::sql;

/// Keeps a fresh key unless there is one already; returns the kept one.
pub fn keep(tx: &mut Tx<'_>, fresh: &str) -> Result<String> {
    tx.execute(
        sql!("INSERT INTO browser_key (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING"),
        &[&fresh],
    )?;
    tx.query_one(sql!("SELECT key FROM browser_key WHERE id = 1"), &[], |row| row.get(0))
}
