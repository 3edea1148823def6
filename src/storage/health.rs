//! Whether the database works, and telling the operator once when it does not and once when it does again, instead of at
//! every request that had to be refused.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// A trouble that comes and goes is told this often at most.
const APART: Duration = Duration::from_secs(10);
/// A trouble that stays is told again.
const REMINDER: Duration = Duration::from_mins(1);

/// How one part of a database does.
#[derive(Default)]
pub(super) struct Health {
    /// What `state` says, for those who only want to know that all is well.
    ails: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trouble: Option<Trouble>,
    /// When a trouble was last told.
    told: Option<Instant>,
}

struct Trouble {
    reason: String,
    since: Instant,
    refused: u64,
    told: bool,
}

impl Health {
    /// Something was refused because of this.
    pub fn failed(&self, reason: &str) {
        let mut state = self.state();
        let State { trouble, told } = &mut *state;
        let trouble = trouble.get_or_insert_with(|| Trouble {
            reason: String::new(),
            since: Instant::now(),
            refused: 0,
            told: false,
        });
        trouble.refused += 1;
        reason.clone_into(&mut trouble.reason);
        let pause = if trouble.told { REMINDER } else { APART };
        if told.is_none_or(|told| told.elapsed() >= pause) {
            *told = Some(Instant::now());
            trouble.told = true;
            tracing::error!(reason, refused = trouble.refused, "the database does not work");
        }
        self.ails.store(true, Ordering::Relaxed);
    }

    /// It worked.
    pub fn works(&self) {
        if !self.ails() {
            return;
        }
        let trouble = self.state().trouble.take();
        self.ails.store(false, Ordering::Relaxed);
        if let Some(Trouble { reason, since, refused, told: true }) = trouble {
            let seconds = since.elapsed().as_secs();
            tracing::info!(reason, refused, seconds, "the database works again");
        }
    }

    /// Whether the last that was heard is a failure.
    pub fn ails(&self) -> bool {
        self.ails.load(Ordering::Relaxed)
    }

    /// What the last failure was, while it lasts.
    pub fn reason(&self) -> Option<String> {
        self.state().trouble.as_ref().map(|trouble| trouble.reason.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
