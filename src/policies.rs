//! The rulebook in memory, current on every server.

use std::sync::{Arc, PoisonError, RwLock};

use crate::{
    domain::rulebook::Rulebook,
    message,
    storage::{Result, Tx, settings},
};

/// Cache of the last [`Rulebook`]. Cheap to clone; all clones share it.
#[derive(Clone, Default)]
pub struct Policies {
    read: Arc<RwLock<Read>>,
}

/// Number of saves, and the rulebook after them; `None` before the first read.
type Read = Option<(i64, Arc<Rulebook>)>;

impl Policies {
    /// Returns the rulebook of this transaction. Reads one number by its key, and everything again only after a save,
    /// so a change on one server applies at once on all others.
    ///
    /// A caller that saves must call this before the save: uncommitted rules must not be cached.
    pub fn current(&self, tx: &mut Tx<'_>) -> Result<Arc<Rulebook>> {
        let version = settings::version(tx)?;
        if let Some((read, rulebook)) = &*self.read.read().unwrap_or_else(PoisonError::into_inner)
            && *read == version
        {
            return Ok(Arc::clone(rulebook));
        }
        // Read after its version, so the rulebook may be newer than the version: then the next call reads it again, but
        // no change is missed.
        let rulebook = Arc::new(settings::load(tx)?);
        message::set_currency(&rulebook.library.currency);
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = Some((version, Arc::clone(&rulebook)));
        Ok(rulebook)
    }

    /// Returns the rulebook, and makes saves wait until this transaction ends. A caller that sets a due date needs this: a save
    /// moves the due dates of the loans that it finds (R-RULE-6), and would miss an uncommitted loan.
    ///
    /// Call this before rows are locked, because a save waits for this transaction and then locks loans.
    pub fn held(&self, tx: &mut Tx<'_>) -> Result<Arc<Rulebook>> {
        settings::hold(tx)?;
        self.current(tx)
    }
}
