//! Money accounts: append-only lines, the settlements of charges, and the numbers of receipts.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::json;

use super::{Error, Result, Row, Tx, till};
use crate::{
    domain::{
        id::{CopyId, LineId, LoanId, UserId},
        ledger::{Booked, Charge, ChargeKind, Line, LineKind, Method, Receipt, ReceiptItem, Settled, Total},
        moment::rfc3339,
    },
    insert,
    message::{self, Message},
    money::Money,
    select_for_update, sql,
};

/// Locks a person's account until the transaction ends; returns the balance.
pub fn lock(tx: &mut Tx<'_>, person: UserId) -> Result<Money> {
    tx.execute(
        sql!("INSERT INTO balances (person_id, balance) VALUES ($1, 0) ON CONFLICT (person_id) DO NOTHING"),
        &[&person],
    )?;
    tx.query_one(select_for_update!("SELECT balance FROM balances WHERE person_id = $1"), &[&person], |row| {
        row.get(0)
    })
}

/// Locks several accounts in the order of all transactions. A transaction that changes the loans of several readers calls
/// this first, because their accounts have the numbers of their open loans.
pub fn lock_all(tx: &mut Tx<'_>, people: impl IntoIterator<Item = UserId>) -> Result<()> {
    for person in BTreeSet::from_iter(people) {
        lock(tx, person)?;
    }
    Ok(())
}

/// Locks the account that has this line and returns its person. Checks again under the lock, because a merge that held
/// the lock may have moved the line.
pub fn lock_of_line(tx: &mut Tx<'_>, line: LineId) -> Result<Option<UserId>> {
    let owner = |tx: &mut Tx<'_>| {
        tx.query_opt(sql!("SELECT person_id FROM account_lines WHERE id = $1"), &[&line], |row| row.get(0))
    };
    let mut known: Option<UserId> = owner(tx)?;
    while let Some(person) = known {
        lock(tx, person)?;
        let now = owner(tx)?;
        if now == known {
            break;
        }
        known = now;
    }
    Ok(known)
}

/// Returns the amount that a person owes; negative if the library owes the person.
pub fn balance(tx: &mut Tx<'_>, person: UserId) -> Result<Money> {
    let balance =
        tx.query_opt(sql!("SELECT balance FROM balances WHERE person_id = $1"), &[&person], |row| {
            row.get(0)
        })?;
    Ok(balance.unwrap_or_default())
}

/// Returns the balances of these people; balances of zero are left out.
pub fn balances_of(tx: &mut Tx<'_>, people: &[UserId]) -> Result<Vec<(UserId, Money)>> {
    let statement = if tx.is_postgres() {
        sql!(
            "SELECT person_id, balance FROM balances WHERE balance <> 0 AND person_id IN
               (SELECT CAST(id AS BIGINT) FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS wanted (id))"
        )
    } else {
        sql!(
            "SELECT person_id, balance FROM json_each($1) AS wanted
             CROSS JOIN balances ON balances.person_id = wanted.value WHERE balance <> 0"
        )
    };
    tx.query(statement, &[&json!(people).to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Returns all balances other than zero, except those of erased and merged people.
pub fn balances(tx: &mut Tx<'_>) -> Result<Vec<(UserId, Money)>> {
    tx.query(
        sql!(
            "SELECT person_id, balance FROM balances JOIN users ON users.id = person_id
             WHERE balance <> 0 AND users.gone_at IS NULL"
        ),
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Account line to add.
#[derive(Clone, Debug)]
pub struct NewLine<'a> {
    pub at: i64,
    pub person: UserId,
    pub kind: LineKind,
    pub of: Option<&'a str>,
    /// Amount that is added to the balance.
    pub amount: Money,
    pub reason: &'a str,
    /// For a charge, the calculation of its amount: messages as JSON.
    pub reasons: Option<&'a str>,
    pub reference: &'a str,
    pub loan: Option<LoanId>,
    pub receipt: Option<&'a str>,
    pub reverses: Option<LineId>,
    pub by: UserId,
}

/// Adds a line to an account that [`lock`] has locked.
pub fn add(tx: &mut Tx<'_>, new: &NewLine<'_>) -> Result<LineId> {
    let id = tx.insert(
        insert!(
            "INSERT INTO account_lines (at, person_id, kind, of, amount, reason, reasons, reference, loan_id, receipt, reverses,
                                        by_id)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        ),
        &[
            &new.at,
            &new.person,
            &new.kind.as_str(),
            &new.of,
            &new.amount,
            &new.reason,
            &new.reasons,
            &new.reference,
            &new.loan,
            &new.receipt,
            &new.reverses,
            &new.by,
        ],
    )?;
    tx.execute_one(
        sql!("UPDATE balances SET balance = balance + $2 WHERE person_id = $1"),
        &[&new.person, &new.amount],
    )?;
    let id = id.into();
    if !matches!(new.kind, LineKind::Charge | LineKind::Waiver) {
        till::add(tx, id)?;
    }
    Ok(id)
}

/// Records that a line settles part of a charge; a negative amount reverses a settlement. The caller has locked the
/// account with [`lock`].
///
/// # Errors
/// [`Error::Inconsistent`] unless line and charge belong to one person, and the settled total stays between zero and
/// the amount of the charge (R-MONEY-2).
pub fn settle(tx: &mut Tx<'_>, line: LineId, settled: &Settled) -> Result<()> {
    let recorded = tx.execute(
        sql!(
            "INSERT INTO settlements (charge_id, line_id, amount)
             SELECT charge.id, line.id, CAST($3 AS BIGINT)
             FROM account_lines AS charge JOIN account_lines AS line ON line.person_id = charge.person_id
             WHERE charge.id = $1 AND charge.kind = 'charge' AND line.id = $2
               AND COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM settlements WHERE charge_id = $1), 0) + $3
                   BETWEEN 0 AND charge.amount"
        ),
        &[&settled.charge, &line, &settled.amount],
    )?;
    if recorded == 1 {
        Ok(())
    } else {
        Err(Error::Inconsistent("a line settles more of a charge than is open, or another person's charge"))
    }
}

/// Returns the charges that a line settled, with the amounts.
pub fn settled_by(tx: &mut Tx<'_>, line: LineId) -> Result<Vec<Settled>> {
    tx.query(
        sql!("SELECT charge_id, amount FROM settlements WHERE line_id = $1 ORDER BY id"),
        &[&line],
        |row| Ok(Settled { charge: row.get(0)?, amount: row.get(1)? }),
    )
}

fn charge_kind(text: Option<&str>) -> Result<ChargeKind> {
    text.and_then(ChargeKind::parse).ok_or(Error::Inconsistent("a charge is for nothing"))
}

macro_rules! charges {
    ($where:literal) => {
        sql!(
            "SELECT id, of, reason, amount, loan_id,
                    amount - COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM settlements WHERE charge_id = line.id), 0),
                    reasons, person_id
             FROM account_lines AS line WHERE kind = 'charge' AND ",
            $where
        )
    };
}

fn charge(row: &Row<'_>) -> Result<Charge> {
    Ok(Charge {
        id: row.get(0)?,
        of: charge_kind(row.get::<Option<String>>(1)?.as_deref())?,
        reason: row.get(2)?,
        amount: row.get(3)?,
        loan_id: row.get(4)?,
        open: row.get(5)?,
        explain: stored(row.get(6)?),
    })
}

/// Parses the messages stored with a line.
fn stored(json: Option<String>) -> Vec<Message> {
    json.map_or_else(Vec::new, |json| Message::parse_stored(&json))
}

/// Returns a person's charges that are not fully settled, oldest first.
pub fn open_charges(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<Charge>> {
    let charges = tx.query(charges!("person_id = $1 ORDER BY id"), &[&person], charge)?;
    Ok(charges.into_iter().filter(|charge| charge.open > Money::ZERO).collect())
}

/// Returns a charge and its person.
pub fn charge_by_id(tx: &mut Tx<'_>, id: LineId) -> Result<Option<(UserId, Charge)>> {
    tx.query_opt(charges!("id = $1"), &[&id], |row| Ok((row.get(7)?, charge(row)?)))
}

/// Takes the next receipt number of a financial year. A rollback gives the number back, so that none is missing.
pub fn next_receipt(tx: &mut Tx<'_>, year: &str) -> Result<i64> {
    tx.query_one(
        sql!(
            "INSERT INTO receipts (year, last) VALUES ($1, 1)
             ON CONFLICT (year) DO UPDATE SET last = receipts.last + 1 RETURNING last"
        ),
        &[&year],
        |row| row.get(0),
    )
}

/// Condition for lines with a reversal that was not reversed itself.
macro_rules! reversed {
    () => {
        "EXISTS (SELECT 1 FROM account_lines AS later WHERE later.reverses = line.id
                   AND NOT EXISTS (SELECT 1 FROM account_lines AS again WHERE again.reverses = later.id))"
    };
}

macro_rules! lines {
    ($more:literal, $($rest:tt)+) => {
        sql!(
            "SELECT line.id, line.at, line.kind, line.of, line.reason, line.amount, line.receipt, line.reference, line.loan_id,
                    line.reverses, ",
            reversed!(),
            ", CASE line.kind WHEN 'charge' THEN line.amount - COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM settlements
                                                                        WHERE charge_id = line.id), 0) ELSE 0 END,
               line.reasons, line.person_id, COALESCE(base.kind, first.kind, line.kind) IN ('payment', 'refund')",
            $more,
            " FROM account_lines AS line LEFT JOIN account_lines AS first ON first.id = line.reverses
                   LEFT JOIN account_lines AS base ON base.id = first.reverses ",
            $($rest)+
        )
    };
}

/// Number of columns that [`lines!`] selects before the columns passed to it.
const COLUMNS: usize = 15;

fn line(row: &Row<'_>) -> Result<Line> {
    let kind: String = row.get(2)?;
    Ok(Line {
        id: row.get(0)?,
        at: rfc3339(row.get(1)?),
        kind: LineKind::parse(&kind).ok_or(Error::Inconsistent("a line of an account is of no kind"))?,
        of: row.get(3)?,
        reason: row.get(4)?,
        amount: row.get(5)?,
        receipt: row.get(6)?,
        reference: row.get(7)?,
        loan_id: row.get(8)?,
        reverses: row.get(9)?,
        reversed: row.get(10)?,
        open: row.get(11)?,
        explain: stored(row.get(12)?),
        moves_money: row.get(14)?,
    })
}

/// Returns up to `limit` lines of a person, newest first, older than `before`.
pub fn lines_of(tx: &mut Tx<'_>, person: UserId, before: LineId, limit: i64) -> Result<Vec<Line>> {
    let mut lines = tx.query(
        lines!("", "WHERE line.person_id = $1 AND line.id < $2 ORDER BY line.id DESC LIMIT $3"),
        &[&person, &before, &limit],
        line,
    )?;
    explain(tx, lines.iter_mut())?;
    Ok(lines)
}

/// Returns a line and its person.
pub fn line_by_id(tx: &mut Tx<'_>, id: LineId) -> Result<Option<(UserId, Line)>> {
    tx.query_opt(lines!("", "WHERE line.id = $1"), &[&id], |row| Ok((row.get(13)?, line(row)?)))
}

/// Returns the payment with this receipt, and its person.
pub fn payment_of(tx: &mut Tx<'_>, receipt: &str) -> Result<Option<(UserId, Line)>> {
    tx.query_opt(lines!("", "WHERE line.receipt = $1"), &[&receipt], |row| Ok((row.get(13)?, line(row)?)))
}

/// Filter of the lines of all accounts.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// First instant, epoch milliseconds.
    pub from: i64,
    /// End (exclusive), epoch milliseconds.
    pub to: i64,
    pub kind: Option<LineKind>,
    /// Method of the payments and refunds; `None` for all lines.
    pub method: Option<Method>,
}

/// Position in the order of all lines: time of the line in epoch milliseconds, then its id.
pub type Place = (i64, LineId);

/// Returns up to `limit` lines of all accounts that fit the filter, each with its position, newest first, before this
/// position.
pub fn booked(
    tx: &mut Tx<'_>,
    filter: &Filter,
    before: Option<Place>,
    limit: i64,
) -> Result<Vec<(Place, Booked)>> {
    // No line has the id 0, so this position leaves out all lines of the instant `to`.
    let (at, id) = before.unwrap_or((filter.to, LineId(0)));
    let kind = filter.kind.map_or("", LineKind::as_str);
    let method = filter.method.map_or("", Method::as_str);
    let mut rows = tx.query(
        lines!(
            ", users.name, users.roll_number, writers.name",
            "JOIN users ON users.id = line.person_id JOIN users AS writers ON writers.id = line.by_id
             WHERE line.at >= $1 AND (line.at, line.id) < ($2, $3) AND ($4 = '' OR line.kind = $4)
               AND ($5 = '' OR (line.of = $5 AND line.kind IN ('payment', 'refund')))
             ORDER BY line.at DESC, line.id DESC LIMIT $6"
        ),
        &[&filter.from, &at, &id, &kind, &method, &limit],
        |row| {
            let booked = Booked {
                line: line(row)?,
                user_id: row.get(13)?,
                user_name: row.get(COLUMNS)?,
                roll_number: row.get(COLUMNS + 1)?,
                by: row.get(COLUMNS + 2)?,
            };
            Ok(((row.get(1)?, booked.line.id), booked))
        },
    )?;
    explain(tx, rows.iter_mut().map(|(_, booked)| &mut booked.line))?;
    Ok(rows)
}

/// Sums the lines of a period by kind, and by reason or payment method.
pub fn totals(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<Vec<Total>> {
    tx.query(
        // A reversal counts for the original line, even if it reverses another reversal.
        sql!(
            "SELECT COALESCE(base.kind, first.kind, line.kind), COALESCE(base.of, first.of, line.of),
                    CAST(SUM(CASE line.kind WHEN 'reversal' THEN 0 ELSE 1 END) AS BIGINT),
                    CAST(SUM(CASE line.kind WHEN 'reversal' THEN 0 ELSE line.amount END) AS BIGINT),
                    CAST(SUM(CASE line.kind WHEN 'reversal' THEN -line.amount ELSE 0 END) AS BIGINT)
             FROM account_lines AS line LEFT JOIN account_lines AS first ON first.id = line.reverses
                  LEFT JOIN account_lines AS base ON base.id = first.reverses
             WHERE line.at >= $1 AND line.at < $2
             GROUP BY 1, 2"
        ),
        &[&from, &to],
        |row| {
            let kind: String = row.get(0)?;
            let kind =
                LineKind::parse(&kind).ok_or(Error::Inconsistent("a line of an account is of no kind"))?;
            let unsigned = |amount: Money| {
                if matches!(kind, LineKind::Payment | LineKind::Waiver) { -amount } else { amount }
            };
            let (amount, taken_back) = (unsigned(row.get(3)?), unsigned(row.get(4)?));
            Ok(Total {
                kind,
                of: row.get(1)?,
                count: row.get(2)?,
                amount,
                taken_back,
                net: amount - taken_back,
            })
        },
    )
}

/// Returns the money taken in a period: payments less refunds, both without reversed amounts.
pub fn taken(tx: &mut Tx<'_>, from: i64, to: i64) -> Result<Money> {
    let totals = totals(tx, from, to)?;
    Ok(totals
        .iter()
        .map(|total| match total.kind {
            LineKind::Payment => total.net,
            LineKind::Refund => -total.net,
            _ => Money::ZERO,
        })
        .sum())
}

/// Part of a charge that a line settled; negative if the line reversed a settlement.
struct Part {
    charge: LineId,
    /// Reason of the charge.
    of: String,
    amount: Money,
    line: LineId,
    kind: String,
    reason: String,
    receipt: String,
}

macro_rules! parts {
    ($wanted:literal, $column:literal) => {
        sql!(
            "SELECT part.charge_id, charge.reason, part.amount, part.line_id, line.kind, line.reason,
                    COALESCE(line.receipt, '') FROM ",
            $wanted,
            " CROSS JOIN settlements AS part CROSS JOIN account_lines AS charge CROSS JOIN account_lines AS line
             WHERE part.",
            $column,
            " = wanted.id AND charge.id = part.charge_id AND line.id = part.line_id ORDER BY part.id"
        )
    };
    (postgres, $column:literal) => {
        parts!(
            "(SELECT CAST(id AS BIGINT) AS id FROM json_array_elements_text(CAST(CAST($1 AS TEXT) AS JSON)) AS listed (id)) AS wanted",
            $column
        )
    };
    (sqlite, $column:literal) => {
        parts!("(SELECT value AS id FROM json_each($1)) AS wanted", $column)
    };
}

fn part(row: &Row<'_>) -> Result<Part> {
    Ok(Part {
        charge: row.get(0)?,
        of: row.get(1)?,
        amount: row.get(2)?,
        line: row.get(3)?,
        kind: row.get(4)?,
        reason: row.get(5)?,
        receipt: row.get(6)?,
    })
}

/// Explains each line: a charge by its settlements, any other line by the charges that it settled (Law 6).
fn explain<'l>(tx: &mut Tx<'_>, lines: impl Iterator<Item = &'l mut Line>) -> Result<()> {
    let mut lines: Vec<&mut Line> = lines.collect();
    if lines.is_empty() {
        return Ok(());
    }
    let ids: Vec<LineId> = lines.iter().map(|line| line.id).collect();
    let of_charges = parts_of(tx, &ids)?;
    let statement = if tx.is_postgres() { parts!(postgres, "line_id") } else { parts!(sqlite, "line_id") };
    let by_lines = tx.query(statement, &[&json!(ids).to_string()], part)?;
    for line in &mut lines {
        let (id, amount) = (line.id, line.amount);
        if line.kind == LineKind::Charge {
            line.explain.extend(describe_settlements(&of_charges, id, line.open));
            continue;
        }
        let parts = || by_lines.iter().filter(|part| part.line == id);
        let charges: Money = parts().map(|part| part.amount).sum();
        line.explain.extend(parts().map(|part| match (part.amount > Money::ZERO, line.kind) {
            (false, _) => message::explain_owed_again_for(-part.amount, &part.of),
            (true, LineKind::Reversal) => message::explain_not_owed(part.amount, &part.of),
            (true, _) => message::explain_for(part.amount, &part.of),
        }));
        // The rest, which settles no charge, is credit.
        let credit = -amount - charges;
        match credit.cmp(&Money::ZERO) {
            Ordering::Greater => line.explain.push(message::explain_credit(credit)),
            Ordering::Less => line.explain.push(message::explain_less_credit(-credit)),
            Ordering::Equal => {}
        }
    }
    Ok(())
}

/// Returns the settlements of these charges in the order in which they were recorded.
fn parts_of(tx: &mut Tx<'_>, charges: &[LineId]) -> Result<Vec<Part>> {
    let statement =
        if tx.is_postgres() { parts!(postgres, "charge_id") } else { parts!(sqlite, "charge_id") };
    tx.query(statement, &[&json!(charges).to_string()], part)
}

/// Explains each charge by its settlements (Law 6).
pub fn explain_charges(tx: &mut Tx<'_>, charges: &mut [Charge]) -> Result<()> {
    let ids: Vec<LineId> = charges.iter().map(|charge| charge.id).collect();
    let parts = parts_of(tx, &ids)?;
    for charge in charges {
        charge.explain.extend(describe_settlements(&parts, charge.id, charge.open));
    }
    Ok(())
}

/// Describes the settlements of a charge and the rest still open; empty if there are no settlements.
fn describe_settlements(parts: &[Part], charge: LineId, open: Money) -> Vec<Message> {
    let mut told: Vec<Message> =
        parts.iter().filter(|part| part.charge == charge).map(describe_settlement).collect();
    if !told.is_empty() && open > Money::ZERO {
        told.push(message::explain_still_open(open));
    }
    told
}

/// Describes the effect of a line on a charge.
fn describe_settlement(part: &Part) -> Message {
    if part.amount < Money::ZERO {
        return message::explain_owed_again(-part.amount);
    }
    match LineKind::parse(&part.kind) {
        Some(LineKind::Payment) => message::explain_paid(part.amount, &part.receipt),
        Some(LineKind::Waiver) => message::explain_waived(part.amount, &part.reason),
        _ => message::explain_taken_back(part.amount),
    }
}

/// Returns the waived amount of a charge.
pub fn waived(tx: &mut Tx<'_>, charge: LineId) -> Result<Money> {
    tx.query_one(
        sql!(
            "SELECT CAST(COALESCE(SUM(part.amount), 0) AS BIGINT)
             FROM settlements AS part JOIN account_lines AS line ON line.id = part.line_id
                  LEFT JOIN account_lines AS first ON first.id = line.reverses
             WHERE part.charge_id = $1 AND COALESCE(first.kind, line.kind) = 'waiver'"
        ),
        &[&charge],
        |row| row.get(0),
    )
}

/// Returns the charge for the price of a copy, reversed or not, if the copy's last loan ended with its loss. Earlier
/// borrowers owe nothing for a later loss.
pub fn price_of_lost(tx: &mut Tx<'_>, copy: CopyId) -> Result<Option<LineId>> {
    tx.query_opt(
        sql!(
            "SELECT line.id FROM account_lines AS line WHERE line.kind = 'charge' AND line.of = 'lost' AND line.loan_id =
               (SELECT id FROM loans WHERE copy_id = $1 AND ended_at IS NOT NULL AND NOT voided ORDER BY id DESC LIMIT 1)
             ORDER BY line.id DESC LIMIT 1"
        ),
        &[&copy],
        |row| row.get(0),
    )
}

/// Charge for the price of a copy that is no longer lost.
#[derive(Clone, Debug)]
pub struct FoundCharge {
    pub charge: LineId,
    pub title: String,
    pub barcode: String,
}

/// Returns a person's charges, reversed ones included, for the price of lost copies that came back or were lent to a
/// later reader; oldest first.
pub fn prices_of_found(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<FoundCharge>> {
    tx.query(
        sql!(
            "SELECT line.id, line.reason, copies.barcode
             FROM account_lines AS line JOIN loans ON loans.id = line.loan_id JOIN copies ON copies.id = loans.copy_id
             WHERE line.person_id = $1 AND line.kind = 'charge' AND line.of = 'lost'
               AND (copies.condition IN ('on-shelf', 'to-shelve', 'in-repair', 'reference')
                    OR EXISTS (SELECT 1 FROM loans AS later WHERE later.copy_id = loans.copy_id AND later.id > loans.id
                                 AND NOT later.voided))
             ORDER BY line.id"
        ),
        &[&person],
        |row| Ok(FoundCharge { charge: row.get(0)?, title: row.get(1)?, barcode: row.get(2)? }),
    )
}

/// True if this line was reversed after this instant, by a reversal that was not reversed itself.
pub fn reversed_since(tx: &mut Tx<'_>, line: LineId, at: i64) -> Result<bool> {
    let found = tx.query_opt(
        sql!(
            "SELECT later.id FROM account_lines AS later WHERE later.reverses = $1 AND later.at > $2
                AND NOT EXISTS (SELECT 1 FROM account_lines AS again WHERE again.reverses = later.id)"
        ),
        &[&line, &at],
        |row| row.get::<i64>(0),
    )?;
    Ok(found.is_some())
}

/// Returns the receipt with this number.
pub fn receipt(tx: &mut Tx<'_>, number: &str) -> Result<Option<Receipt>> {
    let found = tx.query_opt(
        sql!(
            "SELECT line.id, line.at, line.person_id, users.name, users.roll_number, line.amount, line.of, line.reference,
                    takers.name, ",
            reversed!(),
            ", COALESCE((SELECT count FROM receipt_prints WHERE line_id = line.id), 0), (SELECT CAST(SUM(before.amount) AS BIGINT) FROM account_lines AS before
                     WHERE before.person_id = line.person_id AND before.id <= line.id)
             FROM account_lines AS line JOIN users ON users.id = line.person_id JOIN users AS takers ON takers.id = line.by_id
             WHERE line.receipt = $1"
        ),
        &[&number],
        |row| {
            let method: Option<String> = row.get(6)?;
            let method = method.as_deref().and_then(Method::parse);
            let receipt = Receipt {
                number: number.to_owned(),
                at: rfc3339(row.get(1)?),
                user_id: row.get(2)?,
                user_name: row.get(3)?,
                roll_number: row.get(4)?,
                amount: -row.get::<Money>(5)?,
                method: method.ok_or(Error::Inconsistent("a payment was made in no way"))?,
                reference: row.get(7)?,
                by: row.get(8)?,
                items: Vec::new(),
                balance: row.get(11)?,
                reversed: row.get(9)?,
                prints: row.get(10)?,
            };
            Ok((row.get::<LineId>(0)?, receipt))
        },
    )?;
    let Some((id, mut receipt)) = found else { return Ok(None) };
    receipt.items = tx.query(
        sql!(
            "SELECT charge.of, charge.reason, settlements.amount, charge.reasons
             FROM settlements JOIN account_lines AS charge ON charge.id = settlements.charge_id
             WHERE settlements.line_id = $1 ORDER BY settlements.id"
        ),
        &[&id],
        |row| {
            Ok(ReceiptItem {
                of: charge_kind(row.get::<Option<String>>(0)?.as_deref())?,
                reason: row.get(1)?,
                amount: row.get(2)?,
                explain: stored(row.get(3)?),
            })
        },
    )?;
    Ok(Some(receipt))
}

/// Increments the print count of a receipt; `false` if there is no such receipt.
pub fn count_print(tx: &mut Tx<'_>, number: &str) -> Result<bool> {
    let counted = tx.execute(
        sql!(
            "INSERT INTO receipt_prints (line_id, count)
             SELECT id, 1 FROM account_lines WHERE receipt = $1
             ON CONFLICT (line_id) DO UPDATE SET count = receipt_prints.count + 1"
        ),
        &[&number],
    )?;
    Ok(counted > 0)
}

/// Checks the invariants of the ledger and returns the violations in words: each balance is the sum of its lines, each
/// account has the number of its person's open loans, no charge is settled beyond its amount or by a line of another person,
/// no removed person owes, no line is reversed twice, and no year's receipts have a gap.
pub fn contradictions(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let mut found = tx.query(
        sql!(
            "SELECT person_id, balance, COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM account_lines AS line
                                                 WHERE line.person_id = balances.person_id), 0)
             FROM balances ORDER BY person_id"
        ),
        &[],
        |row| {
            let (balance, sum): (Money, Money) = (row.get(1)?, row.get(2)?);
            let person: UserId = row.get(0)?;
            Ok((balance != sum).then(|| format!("account {person}: the balance is {}, its lines sum to {}", balance.0, sum.0)))
        },
    )?;
    found.extend(tx.query(
        sql!(
            "SELECT users.id, COALESCE(balances.open_loans, 0), COALESCE(counted.loans, 0)
             FROM users LEFT JOIN balances ON balances.person_id = users.id
                  LEFT JOIN (SELECT user_id, COUNT(*) AS loans FROM loans WHERE ended_at IS NULL GROUP BY user_id) AS counted
                       ON counted.user_id = users.id
             WHERE COALESCE(balances.open_loans, 0) <> COALESCE(counted.loans, 0) ORDER BY users.id"
        ),
        &[],
        |row| {
            let (person, known, open): (UserId, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Some(format!("account {person}: {known} open loans are counted, there are {open}")))
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT id, amount, COALESCE((SELECT CAST(SUM(amount) AS BIGINT) FROM settlements WHERE charge_id = line.id), 0)
             FROM account_lines AS line WHERE kind = 'charge' ORDER BY id"
        ),
        &[],
        |row| {
            let (amount, settled): (Money, Money) = (row.get(1)?, row.get(2)?);
            let id: LineId = row.get(0)?;
            let sound = (Money::ZERO..=amount).contains(&settled);
            Ok((!sound).then(|| format!("charge {id}: {} of {} is settled", settled.0, amount.0)))
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT charge.id, charge.person_id, line.id, line.person_id
             FROM settlements JOIN account_lines AS charge ON charge.id = settlements.charge_id
                  JOIN account_lines AS line ON line.id = settlements.line_id
             WHERE line.person_id <> charge.person_id ORDER BY settlements.id"
        ),
        &[],
        |row| {
            let (charge, owed_by): (LineId, UserId) = (row.get(0)?, row.get(1)?);
            let (line, person): (LineId, UserId) = (row.get(2)?, row.get(3)?);
            Ok(Some(format!(
                "charge {charge} of account {owed_by} is settled by line {line} of account {person}"
            )))
        },
    )?);
    // An erased person may keep a credit; a merge moves the credit to the kept record.
    found.extend(tx.query(
        sql!(
            "SELECT balances.person_id, balances.balance
             FROM balances JOIN users ON users.id = balances.person_id
             WHERE users.gone_at IS NOT NULL
               AND (balances.balance > 0 OR (balances.balance < 0 AND users.merged_into IS NOT NULL))
             ORDER BY balances.person_id"
        ),
        &[],
        |row| {
            let (person, balance): (UserId, Money) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("account {person} of a removed person: the balance is {}", balance.0)))
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT reverses, COUNT(*) FROM account_lines AS line
             WHERE reverses IS NOT NULL AND NOT EXISTS (SELECT 1 FROM account_lines AS again WHERE again.reverses = line.id)
             GROUP BY reverses HAVING COUNT(*) > 1 ORDER BY reverses"
        ),
        &[],
        |row| {
            let (id, times): (LineId, i64) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("line {id} is taken back {times} times")))
        },
    )?);
    found.extend(tx.query(
        sql!(
            "SELECT year, last, (SELECT COUNT(*) FROM account_lines WHERE receipt LIKE receipts.year || '/%')
             FROM receipts ORDER BY year"
        ),
        &[],
        |row| {
            let (year, last, count): (String, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok((last != count)
                .then(|| format!("receipts of {year}: the last number is {last}, there are {count}")))
        },
    )?);
    Ok(found.into_iter().flatten().collect())
}
