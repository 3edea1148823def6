//! No-dues certificates.

use jiff::civil::Date;

use super::{Result, Tx};
use crate::{domain::id::UserId, sql};

/// Stores an issued certificate.
pub fn keep(tx: &mut Tx<'_>, number: &str, person: UserId, at: i64, on: Date) -> Result<()> {
    tx.execute_one(
        sql!("INSERT INTO no_dues (number, user_id, issued_at, issued_on) VALUES ($1, $2, $3, $4)"),
        &[&number, &person, &at, &on.to_string()],
    )
}

/// Returns the person and the day of a certificate.
pub fn by_number(tx: &mut Tx<'_>, number: &str) -> Result<Option<(UserId, Date)>> {
    tx.query_opt(sql!("SELECT user_id, issued_on FROM no_dues WHERE number = $1"), &[&number], |row| {
        Ok((row.get(0)?, row.day(1)?))
    })
}
