//! Closures that are queued for a database thread, and the channels for their results.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{Error, Tx, catalogue, notices};
use crate::domain::id::{DeskId, UserId};

/// Outcome of the transaction that a job ran in.
pub(super) enum Verdict {
    /// Committed (or, for a read, ended): the answer is the closure's own result.
    Done,
    /// The job's effects are not stored, or it is unknown whether they are: this error is the answer.
    Failed(Error),
}

/// Transaction that a closure needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each statement may see a different state of the database.
    Read,
    /// All statements see the same state.
    Snapshot,
    /// A snapshot without a time limit, for the command line, which reads everything.
    Unhurried,
    /// Stores all effects or none.
    Write,
}

/// Closure with erased types, so that one queue accepts every closure.
pub(super) trait Job: Send {
    /// Runs the closure; returns whether to keep its effects.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Answers the caller. Even an error waits for the commit, because "no copy left" may depend on another job of the batch.
    fn answer(self: Box<Self>, verdict: Verdict);
    /// True if the caller no longer waits for the answer.
    fn is_abandoned(&self) -> bool;
    fn kind(&self) -> Kind;
    /// Returns the time since the job was queued.
    fn age(&self) -> Duration;
}

/// Effects of a transaction for which other tasks wait.
#[derive(Default)]
pub(super) struct News {
    /// Number of the catalogue change.
    pub change: Option<i64>,
    /// Desk to notify.
    pub desk: Option<DeskId>,
    /// People with changed notices.
    pub people: Vec<UserId>,
}

/// Answer for the caller: the closure's result, and the news after a commit.
pub(super) struct Answer<T, E> {
    pub outcome: Result<T, E>,
    pub news: News,
}

struct Typed<F, T, E> {
    kind: Kind,
    queued_at: Instant,
    closure: Option<F>,
    outcome: Option<Result<T, E>>,
    news: News,
    reply: oneshot::Sender<Answer<T, E>>,
}

/// Packs a closure into a job; the receiver gets the closure's answer.
pub(super) fn pack<F, T, E>(kind: Kind, closure: F) -> (Box<dyn Job>, oneshot::Receiver<Answer<T, E>>)
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let queued_at = Instant::now();
    let job = Typed { kind, queued_at, closure: Some(closure), outcome: None, news: News::default(), reply };
    (Box::new(job), answer)
}

impl<F, T, E> Job for Typed<F, T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let Some(closure) = self.closure.take() else { return false };
        let outcome =
            catch_unwind(AssertUnwindSafe(|| closure(tx))).unwrap_or_else(|_| Err(Error::Panicked.into()));
        // A closure that swallowed a failed statement must not look successful.
        let outcome = if tx.failed && outcome.is_ok() { Err(Error::Aborted.into()) } else { outcome };
        // Comes last in the transaction, so that the row that counts the changes is locked for the commit alone.
        let outcome = outcome.and_then(|done| {
            self.news = News {
                people: notices::announce(tx)?,
                change: catalogue::record(tx)?,
                desk: tx.called.take(),
            };
            Ok(done)
        });
        // A caller that left may have retried and been refused, at another server or on another connection. That answer
        // stays true only if these effects are dropped.
        let keep = outcome.is_ok() && !self.is_abandoned();
        self.outcome = Some(outcome);
        keep
    }

    fn answer(self: Box<Self>, verdict: Verdict) {
        let (outcome, news) = match verdict {
            Verdict::Done => (self.outcome.unwrap_or_else(|| Err(Error::Closed.into())), self.news),
            Verdict::Failed(error) => (Err(error.into()), News::default()),
        };
        // The caller may have left; stored effects stay.
        let _ = self.reply.send(Answer { outcome, news });
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn age(&self) -> Duration {
        self.queued_at.elapsed()
    }
}
