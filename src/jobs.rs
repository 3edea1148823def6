//! Work that is done without anybody asking for it. Every server looks for it, one at a time does it: the lease saves the
//! others the trouble, and what is right does not rest on it. A server that was stopped for days finds what is left over.

use std::time::Duration;

use jiff::civil::Date;
use tokio::time::sleep;

use crate::{
    circulation::{self, hold},
    domain::id::HoldId,
    http::{App, Shared},
    people::forgetting::{self, Progress},
    storage::{self, forget, holds, leases},
};

/// How often a server looks for work.
const EVERY: Duration = Duration::from_secs(30);
/// A server that vanished is waited for so long, in milliseconds.
const LEASE: i64 = 120_000;
/// Holds looked for at once.
const PORTION: i64 = 100;

const EXPIRE_HOLDS: &str = "expire-holds";
const FORGET_READERS: &str = "forget-readers";

/// Works until the task is aborted; `owner` names this server among those on the same database.
pub async fn run(app: Shared, owner: String) {
    let (mut forgotten_on, mut cleared_on) = (None, None);
    loop {
        let today = app.clock.today();
        if cleared_on != Some(today) {
            match clear_passing(&app).await {
                Ok(()) => cleared_on = Some(today),
                Err(error) if error.is_told_by_storage() => {}
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "rows that are kept for a day only were not cleared"
                    );
                }
            }
        }
        if forgotten_on != Some(today) {
            match forget_readers(&app, &owner).await {
                Ok(Some(Progress { loans, holds, .. })) => {
                    forgotten_on = Some(today);
                    if loans + holds > 0 {
                        tracing::info!(loans, holds, "it is forgotten who had these");
                    }
                }
                // Another server is at it; the next round asks again.
                Ok(None) => {}
                Err(error) if error.is_told_by_storage() => {}
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "readers were not forgotten");
                }
            }
        }
        app.sessions.end_left_over(&app.db).await;
        match expire_holds(&app, &owner).await {
            // Storage tells of its own trouble; the next round tries again.
            Ok(0) => {}
            Err(error) if error.is_told_by_storage() => {}
            Ok(expired) => {
                tracing::info!(expired, "holds have expired; their copies went to the next in line");
            }
            Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "holds were not expired"),
        }
        sleep(EVERY).await;
    }
}

/// Deletes rows that are kept for a while only, whatever the settings (R-PEOPLE-10): what an undo of an earlier day needed,
/// and what has expired. Without a lease: several servers delete the same.
pub async fn clear_passing(app: &App) -> storage::Result<()> {
    let moment = app.clock.moment();
    let day_begins = app.clock.begin_of(moment.today);
    app.db.write(move |tx| forget::passing(tx, moment.at, day_begins)).await
}

/// What became of one portion.
enum Round {
    /// Another server is at it.
    Elsewhere,
    Further(Progress),
    Done,
}

/// Forgets who had the loans and holds that ended long enough ago, where the library wants that (R-PEOPLE-10): once a day,
/// in portions. `None` where another server is at it.
pub async fn forget_readers(app: &App, owner: &str) -> storage::Result<Option<Progress>> {
    let mut so_far = Progress::default();
    loop {
        let (moment, clock, policies, name) =
            (app.clock.moment(), app.clock.clone(), app.policies.clone(), owner.to_owned());
        let work = move |tx: &mut storage::Tx<'_>| -> storage::Result<Round> {
            let rulebook = policies.current(tx)?;
            let Some(before) = forgetting::before(&clock, &rulebook) else { return Ok(Round::Done) };
            if !leases::take(tx, FORGET_READERS, &name, moment.at, moment.at + LEASE)? {
                return Ok(Round::Elsewhere);
            }
            if let Some(further) = forgetting::portion(tx, moment, before, so_far)? {
                return Ok(Round::Further(further));
            }
            leases::give_back(tx, FORGET_READERS, &name)?;
            Ok(Round::Done)
        };
        match app.db.write(work).await? {
            Round::Elsewhere => return Ok(None),
            Round::Done => return Ok(Some(so_far)),
            Round::Further(further) => so_far = further,
        }
    }
}

/// Ends the holds whose last day is past, each in a transaction of its own, and hands their copies on (R-HOLD-2); how
/// many. None where another server is at it.
pub async fn expire_holds(app: &App, owner: &str) -> storage::Result<usize> {
    let mut after = (Date::MIN, HoldId(0));
    let mut expired = 0;
    loop {
        let moment = app.clock.moment();
        let past = app.db.read(move |tx| holds::past(tx, moment.today, after, PORTION)).await?;
        let Some(last) = past.last() else { break };
        after = (last.1, last.0);
        let name = owner.to_owned();
        let taken = move |tx: &mut storage::Tx<'_>| {
            leases::take(tx, EXPIRE_HOLDS, &name, moment.at, moment.at + LEASE)
        };
        if !app.db.write(taken).await? {
            return Ok(expired);
        }
        for (id, _) in past {
            let policies = app.policies.clone();
            let work = move |tx: &mut storage::Tx<'_>| -> circulation::Result<bool> {
                let rulebook = policies.current(tx)?;
                hold::expire(tx, moment, &rulebook, id)
            };
            match app.db.write(work).await.map_err(circulation::Error::into_storage) {
                Ok(ended) => expired += usize::from(ended),
                Err(error) if error.is_told_by_storage() => return Err(error),
                // One hold that cannot be ended must not keep the others.
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    hold = id.0,
                    "a hold was not expired"
                ),
            }
        }
    }
    if after.1 != HoldId(0) {
        let name = owner.to_owned();
        app.db.write(move |tx| leases::give_back(tx, EXPIRE_HOLDS, &name)).await?;
    }
    Ok(expired)
}
