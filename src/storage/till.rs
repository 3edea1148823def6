//! The till: money lines that belong to no closing yet, and the closings.

use super::{Error, Result, Row, Tx};
use crate::{
    domain::{
        id::{LineId, UserId},
        ledger::{LineKind, Method},
        moment::rfc3339,
        till::{Closing, ReceiptRange, TillContents, TillSum},
    },
    money::Money,
    select_for_update, sql,
};

/// Adds a line to the till if it moves money: a payment, a refund, or the reversal of one.
pub fn add(tx: &mut Tx<'_>, line: LineId) -> Result<()> {
    tx.execute(
        sql!(
            "INSERT INTO till_lines (line_id)
             SELECT line.id FROM account_lines AS line LEFT JOIN account_lines AS first ON first.id = line.reverses
                  LEFT JOIN account_lines AS base ON base.id = first.reverses
             WHERE line.id = $1 AND COALESCE(base.kind, first.kind, line.kind) IN ('payment', 'refund')"
        ),
        &[&line],
    )?;
    Ok(())
}

/// Locks the till until the transaction ends; returns the number of the last closing, 0 for none.
pub fn lock(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(select_for_update!("SELECT number FROM last_closing WHERE id = $1"), &[&1_i64], |row| {
        row.get(0)
    })
}

/// Returns the number of the last closing, 0 for none.
pub fn last(tx: &mut Tx<'_>) -> Result<i64> {
    tx.query_one(sql!("SELECT number FROM last_closing WHERE id = 1"), &[], |row| row.get(0))
}

/// Returns the closing that contains this line.
pub fn closing_of(tx: &mut Tx<'_>, line: LineId) -> Result<Option<i64>> {
    let found = tx.query_opt(
        sql!("SELECT COALESCE(closing, 0) FROM till_lines WHERE line_id = $1"),
        &[&line],
        |row| row.get::<i64>(0),
    )?;
    Ok(found.filter(|closing| *closing > 0))
}

/// Puts all lines of the till into a closing.
pub fn put_into(tx: &mut Tx<'_>, number: i64) -> Result<()> {
    tx.execute(sql!("UPDATE till_lines SET closing = $1 WHERE closing IS NULL"), &[&number])?;
    tx.execute_one(sql!("UPDATE last_closing SET number = $1 WHERE id = 1"), &[&number])
}

/// Closing to add.
#[derive(Clone, Debug)]
pub struct NewClosing<'a> {
    pub number: i64,
    pub at: i64,
    pub by: UserId,
    pub expected: Money,
    pub opening: Money,
    pub counted: Money,
    pub note: &'a str,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewClosing<'_>) -> Result<()> {
    tx.execute_one(
        sql!(
            "INSERT INTO closings (number, at, by_id, expected, opening, counted, note)
             VALUES ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &[&new.number, &new.at, &new.by, &new.expected, &new.opening, &new.counted, &new.note],
    )
}

macro_rules! moved {
    ($columns:literal, $rest:literal) => {
        // The original line names the method, even if its reversal was reversed.
        sql!(
            "SELECT ",
            $columns,
            " FROM till_lines AS till JOIN account_lines AS line ON line.id = till.line_id
                   LEFT JOIN account_lines AS first ON first.id = line.reverses
                   LEFT JOIN account_lines AS base ON base.id = first.reverses
              WHERE ((CAST($1 AS BIGINT) = 0 AND till.closing IS NULL) OR till.closing = $1) ",
            $rest
        )
    };
}

/// Sums up the lines of a closing; 0 selects the lines in no closing yet.
pub fn contents(tx: &mut Tx<'_>, closing: i64) -> Result<TillContents> {
    let parts = tx.query(
        moved!(
            "COALESCE(base.of, first.of, line.of), COALESCE(base.kind, first.kind, line.kind), line.kind, COUNT(*),
             CAST(SUM(line.amount) AS BIGINT)",
            "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        ),
        &[&closing],
        |row| {
            let (method, base, kind): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let method = Method::parse(&method).ok_or(Error::Inconsistent("a payment was made in no way"))?;
            Ok((method, LineKind::parse(&base), LineKind::parse(&kind), row.get(3)?, row.get(4)?))
        },
    )?;
    let mut sums: Vec<TillSum> = Vec::new();
    for (method, base, kind, count, amount) in parts {
        let (count, amount): (i64, Money) = (count, amount);
        let index = sums.iter().position(|sum| sum.method == method).unwrap_or_else(|| {
            let zero = Money::ZERO;
            sums.push(TillSum {
                method,
                payments: 0,
                amount: zero,
                paid_out: zero,
                reversed: zero,
                net: zero,
            });
            sums.len() - 1
        });
        let sum = &mut sums[index];
        match (base, kind) {
            (Some(LineKind::Payment), Some(LineKind::Payment)) => {
                sum.payments += count;
                sum.amount += -amount;
            }
            (Some(LineKind::Payment), _) => sum.reversed += amount,
            _ => sum.paid_out += amount,
        }
        sum.net += -amount;
    }
    let receipts = tx.query_opt(
        moved!(
            "MIN(line.receipt), MAX(line.receipt), COUNT(*)",
            "AND line.kind = 'payment' HAVING COUNT(*) > 0"
        ),
        &[&closing],
        |row| Ok(ReceiptRange { first: row.get(0)?, last: row.get(1)?, count: row.get(2)? }),
    )?;
    let reversed = tx.query(
        moved!(
            "COALESCE(base.receipt, first.receipt)",
            "AND line.kind = 'reversal' AND COALESCE(base.kind, first.kind) = 'payment'
             GROUP BY 1 HAVING SUM(line.amount) <> 0 ORDER BY 1"
        ),
        &[&closing],
        |row| row.get(0),
    )?;
    let cash = sums.iter().find(|sum| sum.method == Method::Cash);
    let expected = cash.map_or(Money::ZERO, |sum| sum.net);
    Ok(TillContents { sums, expected, receipts, reversed })
}

macro_rules! closings {
    ($rest:literal) => {
        sql!(
            "SELECT closings.number, closings.at, users.name, closings.opening, closings.counted, closings.note
             FROM closings JOIN users ON users.id = closings.by_id ",
            $rest
        )
    };
}

type Stored = (i64, i64, String, Money, Money, String);

fn stored(row: &Row<'_>) -> Result<Stored> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
}

fn with_contents(tx: &mut Tx<'_>, (number, at, by, opening, counted, note): Stored) -> Result<Closing> {
    let contents = contents(tx, number)?;
    let difference = counted - opening - contents.expected;
    Ok(Closing { number, at: rfc3339(at), by, contents, opening, counted, difference, note })
}

pub fn by_number(tx: &mut Tx<'_>, number: i64) -> Result<Option<Closing>> {
    let found = tx.query_opt(closings!("WHERE closings.number = $1"), &[&number], stored)?;
    found.map(|found| with_contents(tx, found)).transpose()
}

/// Returns up to `limit` closings, newest first, before this number.
pub fn page(tx: &mut Tx<'_>, before: i64, limit: i64) -> Result<Vec<Closing>> {
    let found = tx.query(
        closings!("WHERE closings.number < $1 ORDER BY closings.number DESC LIMIT $2"),
        &[&before, &limit],
        stored,
    )?;
    found.into_iter().map(|found| with_contents(tx, found)).collect()
}
