//! Imports open charges of another system. A repeated import charges nothing twice.

use std::collections::HashSet;

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use super::{
    amount::amount,
    columns::{CHARGES, Vocabulary},
    day::Order,
    people::roll_number,
    readers::Readers,
    staged::{ListRow, Run, Seen, optional_day},
    table::Row,
};
use crate::{
    circulation::take_over::{self, From, Owed},
    domain::{
        id::{ChangeId, ImportId, UserId},
        ledger::{ChargeKind, LARGEST, REASON, SMALLEST},
        rule::Invalid,
    },
    message,
    money::Money,
    storage::{
        self, Tx,
        imports::{self, Kind, Made},
    },
};

const AMOUNT: &str = "amount";
const KIND: &str = "kind";
/// Not `reason`, which is a column of a list of rejected rows.
const DESCRIPTION: &str = "description";
const DATE: &str = "date";

/// Row of a list of charges.
pub struct Charge {
    /// Folded roll number.
    roll_number: String,
    amount: Money,
    of: ChargeKind,
    reason: String,
    since: Option<Date>,
    /// SHA-256 of the row and the number of equal rows before it.
    key: String,
}

/// Returns the kind of a charge by its own name or by its name in another program.
fn kind(cell: &str) -> Option<ChargeKind> {
    let name = cell.to_ascii_lowercase();
    ChargeKind::parse(&name).or(match name.as_str() {
        "fine" | "fines" | "late" | "late fee" | "late fine" | "overdues" => Some(ChargeKind::Overdue),
        "lost book" | "replacement" | "processing" => Some(ChargeKind::Lost),
        "damaged" | "repair" => Some(ChargeKind::Damage),
        "manual" | "misc" | "sundry" | "others" => Some(ChargeKind::Other),
        _ => None,
    })
}

impl ListRow for Charge {
    const KIND: Kind = Kind::Charges;
    const VOCABULARY: &'static Vocabulary = &CHARGES;
    const DAYS: &'static [&'static str] = &[DATE];
    type Plan = UserId;

    fn read(row: &Row<'_>, order: Order) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let roll_number = roll_number(row, &mut invalid);
        let owed = if row.cell(AMOUNT).is_empty() {
            invalid.push(AMOUNT, message::required("Amount"));
            None
        } else {
            row.parse(AMOUNT, message::import_not_amount, &mut invalid, |cell| {
                amount(cell).filter(|amount| (SMALLEST..=LARGEST).contains(amount))
            })
        };
        let of = row.parse(KIND, message::import_not_charge_kind, &mut invalid, kind);
        let reason = row.text(DESCRIPTION, REASON, &mut invalid);
        let since = optional_day(row, DATE, order, &mut invalid);
        let Some(amount) = owed else { return Err(invalid) };
        let of = of.unwrap_or(ChargeKind::Other);
        invalid.into_result(Self { roll_number, amount, of, reason, since, key: String::new() })
    }

    fn note(&mut self, line: u64, seen: &mut Seen) -> Result<(), Invalid> {
        let day = self.since.map(|day| day.to_string()).unwrap_or_default();
        let amount = self.amount.0.to_string();
        let row = [&self.roll_number, &amount, self.of.as_str(), &self.reason, &day].join("\u{1f}");
        let hashed = |text: &str| {
            let digest = Sha256::digest(text);
            format!("{:032x}", u128::from_be_bytes(std::array::from_fn(|index| digest[index])))
        };
        // Two equal fines of one day are two charges.
        let before = seen.count(hashed(&row), line).map_or(0, |(_, before)| before);
        self.key = hashed(&format!("{row}\u{1f}{before}"));
        Ok(())
    }

    fn amount(&self) -> Money {
        self.amount
    }

    fn plan(
        tx: &mut Tx<'_>,
        rows: &[&Self],
        run: &Run,
        lock: bool,
    ) -> storage::Result<Vec<Result<Option<UserId>, Invalid>>> {
        let readers = Readers::of(tx, rows.iter().map(|row| row.roll_number.as_str()), lock)?;
        if lock {
            readers.lock_accounts(tx)?;
        }
        let keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
        let known: HashSet<String> = imports::known_rows(tx, &keys)?.into_iter().collect();
        let decide = |row: &&Self| {
            let mut invalid = Invalid::default();
            let person = readers.find(&row.roll_number, &mut invalid).map(|person| person.uid);
            if let Some(since) = row.since.filter(|since| *since > run.moment.today) {
                invalid.push(DATE, message::import_lent_in_future(since));
            }
            invalid.into_result(person.filter(|_| !known.contains(&row.key)))
        };
        Ok(rows.iter().map(decide).collect())
    }

    fn make(
        &self,
        tx: &mut Tx<'_>,
        person: &UserId,
        run: &Run,
        import: ImportId,
    ) -> storage::Result<(Made, ChangeId)> {
        let by = run.by.ok_or(storage::Error::Inconsistent("a charge is imported by no librarian"))?;
        let from = From { import, file: &run.file_name };
        let Self { amount, of, since, .. } = *self;
        let owed = Owed { from, person: *person, of, amount, reason: &self.reason, since };
        let (line, change) = take_over::charge(tx, by, run.moment, &owed)?;
        Ok((Made::Charge { line, key: self.key.clone() }, change))
    }
}
