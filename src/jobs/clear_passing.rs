//! Deletes rows that are kept for a limited time.

use super::{Job, Outcome};
use crate::{
    library::Library,
    storage::{self, forget},
};

/// Runs daily, regardless of the settings (R-PEOPLE-10).
pub struct ClearPassing;

impl Job for ClearPassing {
    const NAME: &'static str = "clear-passing";
    const DAILY: bool = true;

    async fn run(&self, library: &Library, _: &str) -> storage::Result<Outcome> {
        clear_passing(library).await?;
        Ok(Outcome::Done)
    }
}

/// Deletes rows kept for undoing changes of earlier days, and expired rows. Takes no lease: servers may delete the same
/// rows.
pub async fn clear_passing(library: &Library) -> storage::Result<()> {
    let moment = library.clock.moment();
    let day_begins = library.clock.begin_of(moment.today);
    library.db.write(move |tx| forget::purge_temporary(tx, moment.at, day_begins)).await
}
