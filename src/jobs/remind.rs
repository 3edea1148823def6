//! Reminders of due dates and of kept copies.

use jiff::{ToSpan as _, civil::Date};

use super::{Job, LEASE, Outcome};
use crate::{
    domain::{
        hold,
        id::LoanId,
        notice::{Kind, Notice},
    },
    library::Library,
    storage::{self, leases, mail_choices, notices, settings},
};

/// Maximum loans read and locked per transaction: a request from a desk waits for one portion at most.
const PORTION: i64 = 200;

/// Runs daily. Idempotent: a second run on the same day writes no reminder twice.
pub struct Remind;

impl Job for Remind {
    const NAME: &'static str = "remind";
    const DAILY: bool = true;

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        let Some(written) = remind(library, owner).await? else { return Ok(Outcome::Elsewhere) };
        if written > 0 {
            tracing::info!(written, "reminders are written");
        }
        Ok(Outcome::Done)
    }
}

/// Place in the list of due loans.
type Place = (Date, LoanId);

/// Result of one portion.
enum Round {
    Elsewhere,
    Further(Place, u64),
    Done(u64),
}

/// Writes the reminders of today in portions, in one pass over the loans due. Returns the number of reminders; `None` if
/// another server holds the lease.
pub async fn remind(library: &Library, owner: &str) -> storage::Result<Option<u64>> {
    let (mut after, mut written) = ((Date::MIN, LoanId(0)), 0);
    loop {
        let (policies, name, moment) = (library.policies.clone(), owner.to_owned(), library.clock.moment());
        let work = move |tx: &mut storage::Tx<'_>| -> storage::Result<Round> {
            if !leases::take(tx, Remind::NAME, &name, moment.at, moment.at + LEASE)? {
                return Ok(Round::Elsewhere);
            }
            let (today, settings) = (moment.today, settings::notices(tx)?);
            if after.1 == LoanId(0) {
                notices::forget_ahead(tx, today)?;
            }
            let last_due = settings.last_due(today, mail_choices::is_any_weekly(tx)?);
            let due = notices::due_loans(tx, last_due, after, PORTION)?;
            if let Some(last) = due.last() {
                let ids: Vec<LoanId> = due.iter().map(|(_, id)| *id).collect();
                let reminders: Vec<Notice> = notices::lock_due(tx, &ids)?
                    .iter()
                    .flat_map(|loan| settings.reminders(loan, today))
                    .collect();
                return Ok(Round::Further(*last, notices::write(tx, &reminders, moment.at)?));
            }
            let mut expiring = Vec::new();
            if settings.sends(Kind::HoldExpiring)
                && let Ok(tomorrow) = today.checked_add(1.day())
            {
                let calendar = &policies.current(tx)?.calendar;
                expiring.extend(notices::lock_kept(tx, tomorrow)?.iter().filter_map(|kept| {
                    let until = hold::last_day(kept.until, calendar);
                    (until == tomorrow).then(|| Notice::hold_expiring(kept, until, today))
                }));
            }
            let further = notices::write(tx, &expiring, moment.at)?;
            leases::give_back(tx, Remind::NAME, &name)?;
            Ok(Round::Done(further))
        };
        match library.db.write(work).await? {
            Round::Elsewhere => return Ok(None),
            Round::Further(last, further) => (after, written) = (last, written + further),
            Round::Done(further) => return Ok(Some(written + further)),
        }
    }
}
