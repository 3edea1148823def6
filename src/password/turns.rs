//! Queue for hashing: many failing sign-ins do not delay an honest one (R12).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::fault::{Fault, is_planted};

/// Semaphore with a queue. Places go alternately to the request with the fewest recent failures and to the one that has
/// waited longest, so that no request starves.
#[derive(Clone)]
pub(super) struct Turns(Arc<Mutex<Queue>>);

struct Queue {
    free: usize,
    given: u64,
    /// Sorted by arrival.
    waiting: Vec<Waiting>,
}

struct Waiting {
    failures: f64,
    go: oneshot::Sender<Place>,
}

/// A place, held until it is dropped.
pub(super) struct Place(Turns);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().free += 1;
        self.0.give();
    }
}

impl Turns {
    pub(super) fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue { free: places, given: 0, waiting: Vec::new() })))
    }

    /// Waits for a place, at most until `until`; `failures` is the number of recent failures of the request.
    pub(super) async fn take(&self, failures: f64, until: Instant) -> Option<Place> {
        let (go, turn) = oneshot::channel();
        self.lock().waiting.push(Waiting { failures, go });
        self.give();
        timeout_at(until, turn).await.ok()?.ok()
    }

    /// Gives free places to waiting requests. If a request has timed out, its place is dropped and so becomes free
    /// again.
    fn give(&self) {
        loop {
            // Releases the lock before sending, because dropping a place takes the lock.
            let next = self.lock().next();
            let Some(next) = next else { return };
            let _ = next.go.send(Place(self.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Removes the next request and takes a place for it, if one is free.
    fn next(&mut self) -> Option<Waiting> {
        if self.free == 0 {
            return None;
        }
        self.waiting.retain(|waiting| !waiting.go.is_closed());
        let first = if self.given.is_multiple_of(2) && !is_planted(Fault::OneQueue) {
            let least = |one: &(usize, &Waiting), other: &(usize, &Waiting)| {
                one.1.failures.total_cmp(&other.1.failures)
            };
            self.waiting.iter().enumerate().min_by(least)?.0
        } else {
            0
        };
        if self.waiting.is_empty() {
            return None;
        }
        self.free -= 1;
        self.given += 1;
        Some(self.waiting.remove(first))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    /// Returns the failures of these requests in the order of service, if the only place is taken when they arrive.
    async fn served(failures: &[f64]) -> Vec<f64> {
        let turns = Turns::new(1);
        let taken = turns.take(0.0, soon()).await.expect("it is free");
        let (say, mut hear) = tokio::sync::mpsc::unbounded_channel();
        for (n, failures) in failures.iter().copied().enumerate() {
            let (theirs, say) = (turns.clone(), say.clone());
            tokio::spawn(async move {
                let place = theirs.take(failures, soon()).await.expect("its turn comes");
                say.send(failures).expect("somebody listens");
                drop(place);
            });
            while turns.lock().waiting.len() <= n {
                tokio::task::yield_now().await;
            }
        }
        drop((taken, say));
        let mut order = Vec::new();
        while let Some(failures) = hear.recv().await {
            order.push(failures);
        }
        order
    }

    #[tokio::test]
    async fn whoever_has_failed_least_is_next_and_nobody_is_passed_over_for_ever_r12() {
        // Alternates: longest wait, fewest failures, and so on.
        assert_eq!(served(&[9.0, 8.0, 7.0, 1.0, 2.0]).await, [9.0, 1.0, 8.0, 2.0, 7.0]);
        assert_eq!(served(&[1.0, 1.0, 1.0]).await, [1.0; 3]);
    }

    #[tokio::test]
    async fn a_place_that_nobody_waits_for_any_more_is_not_lost() {
        let turns = Turns::new(1);
        let taken = turns.take(0.0, soon()).await.expect("it is free");
        assert!(turns.take(0.0, Instant::now()).await.is_none(), "it came too late");
        drop(taken);
        assert!(turns.take(0.0, soon()).await.is_some());
        assert_eq!(turns.lock().free, 1);
    }
}
