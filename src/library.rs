//! The library without its HTTP side.

use crate::{catalogue::Catalogue, clock::Clock, policies::Policies, storage::Db};

/// What circulation, people and jobs need to act. Cheap to clone; all clones share it.
#[derive(Clone)]
pub struct Library {
    /// The database.
    pub db: Db,
    /// The time, and the library's day.
    pub clock: Clock,
    /// Rules, calendar and settings.
    pub policies: Policies,
    /// The search index.
    pub catalogue: Catalogue,
}
