//! Key that proves that a browser has signed in before; a table with one row.

use super::{Result, Tx};
use crate::sql;

/// Stores a fresh key unless one is stored already; returns the stored key.
pub fn keep(tx: &mut Tx<'_>, fresh: &str) -> Result<String> {
    tx.execute(
        sql!("INSERT INTO browser_key (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING"),
        &[&fresh],
    )?;
    tx.query_one(sql!("SELECT key FROM browser_key WHERE id = 1"), &[], |row| row.get(0))
}
