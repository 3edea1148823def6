//! What a change of the rules or the calendar does to the loans that are open: told before it is saved, and done with it
//! (R-RULE-4, R-RULE-5, R-RULE-6).

use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        due::{self, Due},
        fine,
        id::{LoanId, UserId},
        money::Money,
        rulebook::Rulebook,
    },
    message::{self, Message},
    storage::{
        Result, Tx,
        settings::{self, OpenLoan},
    },
};

/// What a change does to the open loans, as of today.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// In words.
    pub summary: Vec<Message>,
    /// How many loans have another fine.
    pub fines_changed: i64,
    /// What these loans owe by now.
    pub before: Money,
    /// What they owe after the change.
    pub after: Money,
    /// How many due dates move.
    pub due_dates_moved: i64,
    /// The first of the loans that change, the most overdue at the top.
    pub loans: Vec<Affected>,
}

/// An open loan that changes.
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
    /// Why the due date moves.
    pub reasons: Vec<Message>,
}

/// A due date that moves.
#[derive(Debug)]
pub struct Move {
    pub loan: OpenLoan,
    pub to: Due,
}

/// How many loans are listed.
const LISTED: usize = 50;
/// Loans read at once.
const PORTION: i64 = 1000;

/// Goes through the open loans, the most overdue first.
fn each_open_loan(tx: &mut Tx<'_>, mut visit: impl FnMut(OpenLoan)) -> Result<()> {
    let mut last = None;
    loop {
        let portion = settings::open_loans(tx, last.as_ref(), PORTION)?;
        last = portion.last().cloned();
        if last.is_none() {
            return Ok(());
        }
        portion.into_iter().for_each(&mut visit);
    }
}

/// Where a loan's due date moves to with the change, if it does: off a day that is closed now and was open, and to the
/// day all books are due back, where that is another one now.
fn moved(loan: &OpenLoan, today: Date, before: &Rulebook, after: &Rulebook) -> Option<Due> {
    let was = before.history.newest().for_category(&loan.category).all_back_by;
    let newest = after.history.newest().for_category(&loan.category);
    if before.calendar.is_closed(loan.due).is_none() && after.calendar.is_closed(loan.due).is_some() {
        due::moved_to_open_day(loan.due, today, &newest, &after.calendar)
    } else if newest.all_back_by == was {
        None
    } else {
        due::cut_to_all_back_by(loan.due, today, &newest, &after.calendar)
    }
}

/// What the change from one rulebook to the other does. Nothing is stored.
pub fn of_change(tx: &mut Tx<'_>, today: Date, before: &Rulebook, after: &Rulebook) -> Result<Effect> {
    let mut effect = Effect::default();
    each_open_loan(tx, |loan| {
        let to = moved(&loan, today, before, after);
        let due = to.as_ref().map_or(loan.due, |to| to.day);
        let owed = |due, rulebook: &Rulebook| {
            fine::amount(due, today, &rulebook.history, &loan.category, &rulebook.calendar)
        };
        let (fine_before, fine_after) = (owed(loan.due, before), owed(due, after));
        if fine_before != fine_after {
            effect.fines_changed += 1;
            effect.before += fine_before;
            effect.after += fine_after;
        }
        effect.due_dates_moved += i64::from(to.is_some());
        if (to.is_some() || fine_before != fine_after) && effect.loans.len() < LISTED {
            effect.loans.push(Affected {
                loan_id: loan.id,
                user_id: loan.user,
                user_name: loan.user_name,
                title: loan.title,
                fine_before,
                fine_after,
                return_date_before: loan.due,
                return_date_after: due,
                reasons: to.map(|to| to.explain).unwrap_or_default(),
            });
        }
    })?;
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

/// The due dates that the change moves, to be moved with it.
pub fn moves(tx: &mut Tx<'_>, today: Date, before: &Rulebook, after: &Rulebook) -> Result<Vec<Move>> {
    let mut moves = Vec::new();
    each_open_loan(tx, |loan| {
        if let Some(to) = moved(&loan, today, before, after) {
            moves.push(Move { loan, to });
        }
    })?;
    Ok(moves)
}
