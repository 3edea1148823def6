//! The rulebook in memory, exact on every server.

use std::sync::{Arc, PoisonError, RwLock};

use crate::{
    domain::rulebook::Rulebook,
    message,
    storage::{Result, Tx, settings},
};

/// Keeps the [`Rulebook`] that was read last. Cheap to clone; all clones share it.
#[derive(Clone, Default)]
pub struct Policies {
    read: Arc<RwLock<Read>>,
}

/// The number of saves, and what held after that many; nothing before the first reading.
type Read = Option<(i64, Arc<Rulebook>)>;

impl Policies {
    /// What holds in this transaction. It reads one number by its key, and everything again only after somebody has saved,
    /// so a change on one server holds at once on all others.
    ///
    /// Whoever saves asks before, not after: what is not yet committed must not be kept.
    pub fn current(&self, tx: &mut Tx<'_>) -> Result<Arc<Rulebook>> {
        let version = settings::version(tx)?;
        if let Some((read, rulebook)) = &*self.read.read().unwrap_or_else(PoisonError::into_inner)
            && *read == version
        {
            return Ok(Arc::clone(rulebook));
        }
        // What is read after the number is at least as new; should it be newer, it is read once more next time.
        let rulebook = Arc::new(settings::load(tx)?);
        message::set_currency(&rulebook.library.currency);
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = Some((version, Arc::clone(&rulebook)));
        Ok(rulebook)
    }
}
