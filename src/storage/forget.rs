//! Removal of readers from past loans and holds (R-PEOPLE-10). The loans and holds themselves stay, and so do all lines
//! of the money accounts.

use super::{Result, Row, Tx, books, covers, idempotency, imports, mails, merge, notices, photos};
use crate::{
    domain::id::{BookId, HoldId, LoanId, UserId},
    sql,
};

/// Condition for loans that ended before `$1`, have a reader, and have no charge that is owed or was settled since.
macro_rules! settled {
    () => {
        "loans.user_id IS NOT NULL AND loans.ended_at < $1 AND NOT EXISTS (
            SELECT 1 FROM account_lines AS charge WHERE charge.loan_id = loans.id AND charge.kind = 'charge'
               AND (charge.amount > COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM settlements
                                              WHERE charge_id = charge.id), 0)
                    OR EXISTS (SELECT 1 FROM settlements JOIN account_lines AS line ON line.id = settlements.line_id
                               WHERE settlements.charge_id = charge.id AND line.at >= $1)))"
    };
}

/// Counts the loans, ended and settled before this instant, that would lose their reader.
pub fn count(tx: &mut Tx<'_>, before: i64) -> Result<i64> {
    tx.query_one(sql!("SELECT COUNT(*) FROM loans WHERE ", settled!()), &[&before], |row| row.get(0))
}

/// Loan or hold with its reader.
#[derive(Clone, Copy, Debug)]
pub struct Read<I> {
    pub id: I,
    pub person: UserId,
    pub book: BookId,
}

fn read<I: super::sql::Column>(row: &Row<'_>) -> Result<Read<I>> {
    Ok(Read { id: row.get(0)?, person: row.get(1)?, book: row.get(2)? })
}

/// Returns up to `limit` loans after `after` that must lose their reader.
pub fn loans(tx: &mut Tx<'_>, before: i64, after: LoanId, limit: i64) -> Result<Vec<Read<LoanId>>> {
    tx.query(
        sql!(
            "SELECT loans.id, loans.user_id, loans.book_id FROM loans WHERE loans.id > $2 AND ",
            settled!(),
            " ORDER BY loans.id LIMIT $3"
        ),
        &[&before, &after, &limit],
        read,
    )
}

/// Returns up to `limit` holds after `after` that ended before an instant and have a reader.
pub fn holds(tx: &mut Tx<'_>, before: i64, after: HoldId, limit: i64) -> Result<Vec<Read<HoldId>>> {
    tx.query(
        sql!(
            "SELECT id, user_id, book_id FROM holds
             WHERE id > $2 AND user_id IS NOT NULL AND ended_at < $1 ORDER BY id LIMIT $3"
        ),
        &[&before, &after, &limit],
        read,
    )
}

/// Removes the reader from the changes of a loan or a hold; `$field` names the field of a change that contains the id.
macro_rules! forget_changes {
    ($field:literal, $of_undone:literal, $of_undone_postgres:literal) => {
        [
            sql!(
                "UPDATE events SET person_id = NULL,
                        actor_id = CASE WHEN actor_id = person_id THEN NULL ELSE actor_id END
                 WHERE person_id IN (SELECT id FROM users WHERE id = $1 OR merged_into = $1) AND book_id = $2
                   AND CAST(COALESCE(change ->> ",
                $field,
                ", change ->> ",
                $of_undone,
                ") AS TEXT) = $3"
            ),
            sql!(
                "UPDATE events SET person_id = NULL,
                        actor_id = CASE WHEN actor_id = person_id THEN NULL ELSE actor_id END
                 WHERE person_id IN (SELECT id FROM users WHERE id = $1 OR merged_into = $1) AND book_id = $2
                   AND COALESCE(CAST(change AS JSON) ->> ",
                $field,
                ", CAST(change AS JSON) #>> ",
                $of_undone_postgres,
                ") = $3"
            ),
        ]
    };
}

/// Removes the reader from a loan and its changes; the loan keeps department and batch.
pub fn loan(tx: &mut Tx<'_>, loan: Read<LoanId>) -> Result<()> {
    tx.execute(
        sql!(
            "UPDATE loans SET department = (SELECT department FROM users WHERE users.id = loans.user_id),
                    batch = (SELECT batch FROM users WHERE users.id = loans.user_id),
                    ended_by = CASE WHEN ended_by = user_id THEN NULL ELSE ended_by END, user_id = NULL
             WHERE id = $1 AND user_id IS NOT NULL AND ended_at IS NOT NULL"
        ),
        &[&loan.id],
    )?;
    tx.execute(sql!("DELETE FROM notices WHERE loan_id = $1"), &[&loan.id])?;
    let [sqlite, postgres] = forget_changes!("'loan'", "'$.first.loan'", "'{first,loan}'");
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    tx.execute(statement, &[&loan.person, &loan.book, &loan.id.to_string()])?;
    Ok(())
}

/// Removes the reader from a hold and its changes.
pub fn hold(tx: &mut Tx<'_>, hold: Read<HoldId>) -> Result<()> {
    tx.execute(sql!("UPDATE holds SET user_id = NULL WHERE id = $1 AND ended_at IS NOT NULL"), &[&hold.id])?;
    tx.execute(sql!("DELETE FROM notices WHERE hold_id = $1"), &[&hold.id])?;
    let [sqlite, postgres] = forget_changes!("'hold'", "'$.first.hold'", "'{first,hold}'");
    let statement = if tx.is_postgres() { postgres } else { sqlite };
    tx.execute(statement, &[&hold.person, &hold.book, &hold.id.to_string()])?;
    Ok(())
}

/// Lifetime of a notice in milliseconds.
const NOTICES_KEPT_FOR: i64 = 366 * 24 * 60 * 60 * 1000;

/// Purges temporary rows that may name readers: stored responses, phone scans, rows for an undo of the same day.
pub fn purge_temporary(tx: &mut Tx<'_>, now: i64, day_begins: i64) -> Result<()> {
    merge::forget_before(tx, day_begins)?;
    books::purge_deleted(tx, day_begins)?;
    covers::forget_unused(tx, now)?;
    notices::forget_before(tx, now - NOTICES_KEPT_FOR)?;
    imports::forget_rejects(tx, now)?;
    photos::forget_replaced(tx, now)?;
    tx.execute(sql!("DELETE FROM idempotency WHERE created_at <= $1"), &[&(now - idempotency::KEPT_FOR)])?;
    tx.execute(sql!("DELETE FROM phones WHERE expires_at <= $1"), &[&now])?;
    tx.execute(sql!("DELETE FROM sessions WHERE expires_at <= $1"), &[&now])?;
    tx.execute(sql!("DELETE FROM half_sign_ins WHERE expires_at <= $1"), &[&now])?;
    tx.execute(sql!("DELETE FROM password_links WHERE expires_at <= $1"), &[&now])?;
    tx.execute(sql!("DELETE FROM mails WHERE ended_at <= $1"), &[&(now - mails::KEPT_FOR)])?;
    Ok(())
}
