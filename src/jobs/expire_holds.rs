//! Ends holds whose last day is past.

use jiff::civil::Date;

use super::{Job, LEASE, Outcome};
use crate::{
    circulation::{self, hold},
    domain::id::HoldId,
    library::Library,
    storage::{self, holds, leases},
};

/// Maximum holds read at once.
const PORTION: i64 = 100;

/// Runs all the time, so that the next reader in the queue gets the copy (R-HOLD-2).
pub struct ExpireHolds;

impl Job for ExpireHolds {
    const NAME: &'static str = "expire-holds";

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        let expired = expire_holds(library, owner).await?;
        if expired > 0 {
            tracing::info!(expired, "holds have expired; their copies went to the next in line");
        }
        Ok(Outcome::Done)
    }
}

/// Ends each hold in its own transaction and passes its copy on. Returns the number of holds ended; 0 if another server holds
/// the lease.
pub async fn expire_holds(library: &Library, owner: &str) -> storage::Result<usize> {
    let mut after = (Date::MIN, HoldId(0));
    let mut expired = 0;
    loop {
        let moment = library.clock.moment();
        let past = library.db.read(move |tx| holds::past(tx, moment.today, after, PORTION)).await?;
        let Some(last) = past.last() else { break };
        after = (last.1, last.0);
        let name = owner.to_owned();
        let take = move |tx: &mut storage::Tx<'_>| {
            leases::take(tx, ExpireHolds::NAME, &name, moment.at, moment.at + LEASE)
        };
        if !library.db.write(take).await? {
            return Ok(expired);
        }
        for (id, _) in past {
            let policies = library.policies.clone();
            let work = move |tx: &mut storage::Tx<'_>| -> circulation::Result<bool> {
                let rulebook = policies.current(tx)?;
                hold::expire(tx, moment, &rulebook, id)
            };
            match library.db.write(work).await.map_err(circulation::Error::into_storage) {
                Ok(ended) => expired += usize::from(ended),
                Err(error) if error.is_told_by_storage() => return Err(error),
                // A hold that cannot be ended must not block the others.
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
        library.db.write(move |tx| leases::give_back(tx, ExpireHolds::NAME, &name)).await?;
    }
    Ok(expired)
}
