//! Health of the database. Logs an outage once when it begins and once when it ends, instead of at every refused
//! request.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Minimum interval between log lines of an intermittent outage.
const APART: Duration = Duration::from_secs(10);
/// Interval of reminders during a lasting outage.
const REMINDER: Duration = Duration::from_mins(1);

/// Health of one kind of work on the database, such as its reads.
#[derive(Default)]
pub(super) struct Health {
    /// True if `state` has a trouble; readable without the lock.
    is_failing: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trouble: Option<Trouble>,
    /// Time of the last log line.
    logged_at: Option<Instant>,
}

struct Trouble {
    reason: String,
    since: Instant,
    refused: u64,
    is_logged: bool,
}

impl Health {
    /// Records a failure; logs the outage if a line is due.
    pub fn failed(&self, reason: &str) {
        let mut state = self.state();
        let State { trouble, logged_at } = &mut *state;
        let trouble = trouble.get_or_insert_with(|| Trouble {
            reason: String::new(),
            since: Instant::now(),
            refused: 0,
            is_logged: false,
        });
        trouble.refused += 1;
        reason.clone_into(&mut trouble.reason);
        let pause = if trouble.is_logged { REMINDER } else { APART };
        if logged_at.is_none_or(|at| at.elapsed() >= pause) {
            *logged_at = Some(Instant::now());
            trouble.is_logged = true;
            tracing::error!(reason, refused = trouble.refused, "the database does not work");
        }
        self.is_failing.store(true, Ordering::Relaxed);
    }

    /// Records a success; logs the end of an outage.
    pub fn works(&self) {
        if !self.is_failing() {
            return;
        }
        let trouble = self.state().trouble.take();
        self.is_failing.store(false, Ordering::Relaxed);
        if let Some(Trouble { reason, since, refused, is_logged: true }) = trouble {
            let seconds = since.elapsed().as_secs();
            tracing::info!(reason, refused, seconds, "the database works again");
        }
    }

    /// True if the last outcome was a failure.
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// Returns the reason of the last failure, while the outage lasts.
    pub fn reason(&self) -> Option<String> {
        self.state().trouble.as_ref().map(|trouble| trouble.reason.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
