//! Shared state of the program, without its HTTP layer.

use crate::{catalogue::Catalogue, clock::Clock, policies::Policies, storage::Db};

/// State that circulation, people and jobs work on. Cheap to clone; all clones share it.
#[derive(Clone)]
pub struct Library {
    pub db: Db,
    /// The time, and the library's day.
    pub clock: Clock,
    /// Rules, calendar and settings.
    pub policies: Policies,
    /// Search index.
    pub catalogue: Catalogue,
}
