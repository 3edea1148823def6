//! Erases the readers' names from old loans and holds.

use super::{Job, LEASE, Outcome};
use crate::{
    library::Library,
    people::forgetting::{self, Progress},
    storage::{self, leases},
};

/// Runs daily if the settings ask for it (R-PEOPLE-10).
pub struct ForgetReaders;

impl Job for ForgetReaders {
    const NAME: &'static str = "forget-readers";
    const DAILY: bool = true;

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        let Some(Progress { loans, holds, .. }) = forget_readers(library, owner).await? else {
            return Ok(Outcome::Elsewhere);
        };
        if loans + holds > 0 {
            tracing::info!(loans, holds, "the readers' names are erased from past loans and holds");
        }
        Ok(Outcome::Done)
    }
}

/// Result of one portion.
enum Round {
    Elsewhere,
    Further(Progress),
    Done,
}

/// Erases the readers of loans and holds that ended long enough ago, in portions. `None` if another server holds the lease.
pub async fn forget_readers(library: &Library, owner: &str) -> storage::Result<Option<Progress>> {
    let mut so_far = Progress::default();
    loop {
        let (Library { clock, policies, .. }, name) = (library.clone(), owner.to_owned());
        let moment = clock.moment();
        let work = move |tx: &mut storage::Tx<'_>| -> storage::Result<Round> {
            let rulebook = policies.current(tx)?;
            let Some(before) = forgetting::before(&clock, &rulebook) else { return Ok(Round::Done) };
            if !leases::take(tx, ForgetReaders::NAME, &name, moment.at, moment.at + LEASE)? {
                return Ok(Round::Elsewhere);
            }
            if let Some(further) = forgetting::portion(tx, moment, before, so_far)? {
                return Ok(Round::Further(further));
            }
            leases::give_back(tx, ForgetReaders::NAME, &name)?;
            Ok(Round::Done)
        };
        match library.db.write(work).await? {
            Round::Elsewhere => return Ok(None),
            Round::Done => return Ok(Some(so_far)),
            Round::Further(further) => so_far = further,
        }
    }
}
