//! Effect of a change of rules or calendar on open loans: previewed before it is saved, and applied with it (R-RULE-4,
//! R-RULE-5, R-RULE-6).

use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    circulation,
    domain::{
        change::LoanChange,
        due::{self, Due},
        fine,
        id::{LoanId, UserId},
        rulebook::Rulebook,
    },
    message::{self, Message},
    money::Money,
    storage::{
        Result, Tx,
        events::{self, Entry},
        loans::{self, Alike},
        settings,
    },
};

/// Effect of a change on open loans, as of today.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    pub summary: Vec<Message>,
    /// Number of loans whose fine changes.
    pub fines_changed: i64,
    /// Dues of these loans now.
    pub before: Money,
    /// Dues of these loans after the change.
    pub after: Money,
    /// Number of due dates that move.
    pub due_dates_moved: i64,
    /// Number of loans that lose their reader's name tonight; null if no names are erased, or if the setting is unchanged
    /// (R-PEOPLE-10).
    #[schema(required)]
    pub forgets: Option<i64>,
    /// The first changed loans, most overdue first.
    pub loans: Vec<Affected>,
}

/// An open loan that the change affects.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Affected {
    pub loan_id: LoanId,
    pub user_id: UserId,
    pub user_name: String,
    pub title: String,
    pub fine_before: Money,
    pub fine_after: Money,
    #[schema(value_type = String, format = Date)]
    pub return_date_before: Date,
    #[schema(value_type = String, format = Date)]
    pub return_date_after: Date,
    /// Explanation of the new due date.
    pub reasons: Vec<Message>,
}

/// Maximum number of listed loans.
const LISTED: i64 = 50;

/// Returns the new due date of these loans, if it moves: off a day that the change closes, or to the day on which all
/// books are due back, if that day changed.
fn moved(loans: &Alike, today: Date, before: &Rulebook, after: &Rulebook) -> Option<Due> {
    let was = before.history.newest().for_category(&loans.category).all_back_by;
    let newest = after.history.newest().for_category(&loans.category);
    if before.calendar.is_closed(loans.due).is_none() && after.calendar.is_closed(loans.due).is_some() {
        due::move_to_open_day(loans.due, today, &newest, &after.calendar)
    } else if newest.all_back_by == was {
        None
    } else {
        due::cut_to_all_back_by(loans.due, today, &newest, &after.calendar)
    }
}

/// Computes the effect of a change between two rulebooks. Stores nothing.
pub fn of_change(tx: &mut Tx<'_>, today: Date, before: &Rulebook, after: &Rulebook) -> Result<Effect> {
    let mut effect = Effect::default();
    let mut listed = 0;
    let with_prices = before.history.need_prices() || after.history.need_prices();
    for alike in loans::all_alike(tx, with_prices)? {
        let to = moved(&alike, today, before, after);
        let due = to.as_ref().map_or(alike.due, |to| to.day);
        let owed = |due, rulebook: &Rulebook| {
            let whose = (alike.category.as_str(), alike.price);
            fine::amount(due, today, &rulebook.history, whose, &rulebook.calendar)
        };
        let (fine_before, fine_after) = (owed(alike.due, before), owed(due, after));
        if fine_before != fine_after {
            effect.fines_changed += alike.loans;
            effect.before += fine_before * alike.loans;
            effect.after += fine_after * alike.loans;
        } else if to.is_none() {
            continue;
        }
        let reasons = to.map(|to| to.explain).unwrap_or_default();
        effect.due_dates_moved += if due == alike.due { 0 } else { alike.loans };
        if listed < LISTED {
            let some = settings::some_of(tx, &alike, with_prices, LISTED - listed)?;
            listed += alike.loans;
            effect.loans.extend(some.into_iter().map(|loan| Affected {
                loan_id: loan.id,
                user_id: loan.user,
                user_name: loan.user_name,
                title: loan.title,
                fine_before,
                fine_after,
                return_date_before: alike.due,
                return_date_after: due,
                reasons: reasons.clone(),
            }));
        }
    }
    if effect.fines_changed > 0 {
        effect.summary.push(message::effect_fines(effect.fines_changed, effect.before, effect.after));
    }
    if effect.due_dates_moved > 0 {
        effect.summary.push(message::effect_due_dates(effect.due_dates_moved));
    }
    if effect.summary.is_empty() {
        effect.summary.push(message::effect_nothing());
    }
    if after.calendar.is_never_open() {
        effect.summary.push(message::explain_never_open());
    }
    Ok(effect)
}

/// Batch size of moved loans.
const PORTION: i64 = 1000;

/// Moves the due dates. Stores the reason in each loan and records one change per loan.
pub fn move_due_dates(
    tx: &mut Tx<'_>,
    at: i64,
    today: Date,
    by: UserId,
    before: &Rulebook,
    after: &Rulebook,
) -> Result<()> {
    for alike in loans::all_alike(tx, false)? {
        let Some(to) = moved(&alike, today, before, after) else { continue };
        let mut last = LoanId(0);
        loop {
            let mut portion = loans::lock_alike(tx, &alike.category, alike.due, last, PORTION)?;
            let Some(end) = portion.last() else { break };
            last = end.id;
            let mut entries = Vec::with_capacity(portion.len());
            for loan in &mut portion {
                let reasons = [circulation::due_reasons(loan), to.explain.clone()].concat();
                loan.due_reasons = Some(Message::to_stored(&reasons));
                loan.return_date = to.day;
                entries.push(Entry {
                    person: Some(loan.user_id),
                    book: Some(loan.book_id),
                    copy: None,
                    change: LoanChange::DueDateMoved {
                        loan: loan.id,
                        title: loan.title.clone(),
                        from: alike.due,
                        to: to.day,
                    }
                    .into(),
                });
            }
            loans::store_due_dates(tx, &portion)?;
            events::record_all(tx, at, Some(by), &entries)?;
        }
    }
    Ok(())
}
