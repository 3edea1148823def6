//! Event streams of this process that wait for changes to a person's notices.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, futures::Notified};

use crate::domain::id::UserId;

/// Wakes the event streams of people whose notices changed.
#[derive(Default)]
pub(super) struct Listeners {
    of: Mutex<HashMap<UserId, Arc<Notify>>>,
}

impl Listeners {
    pub(super) fn wake(&self, person: UserId) {
        if let Some(waiting) = self.lock().get(&person) {
            waiting.notify_waiters();
        }
    }

    pub(super) fn wake_all(&self) {
        for waiting in self.lock().values() {
            waiting.notify_waiters();
        }
    }

    pub(super) fn listen(self: &Arc<Self>, person: UserId) -> Listening {
        let notify = Arc::clone(self.lock().entry(person).or_default());
        Listening { listeners: Arc::clone(self), person, notify }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Arc<Notify>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One waiting event stream.
pub struct Listening {
    listeners: Arc<Listeners>,
    person: UserId,
    notify: Arc<Notify>,
}

impl Listening {
    /// Returns a future that ends at the next change after its creation.
    pub fn changed(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut of = self.listeners.lock();
        // Two references are the map's and this one: the person has no other stream.
        if Arc::strong_count(&self.notify) == 2 {
            of.remove(&self.person);
        }
    }
}
