//! A closure on its way to a database thread, and its answer on the way back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use super::{Error, Tx};

/// What became of the transaction a job ran in.
pub(super) enum Verdict {
    /// Committed (or, for a read, ended): the closure's own result stands.
    Done,
    /// The job's effects are not stored, or nobody knows whether they are: this error is the answer.
    Failed(Error),
}

/// A closure whose types are forgotten, so that one queue takes all.
pub(super) trait Job: Send {
    /// Runs the closure; whether its effects are to be kept.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Tells the caller. Even an error waits for the commit: "no copy left" may rest on another job of the same batch.
    fn answer(self: Box<Self>, verdict: Verdict);
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
}

struct Typed<F, T, E> {
    closure: Option<F>,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

/// Packs a closure; its answer comes through the receiver.
pub(super) fn pack<F, T, E>(closure: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T, E>>)
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    (Box::new(Typed { closure: Some(closure), outcome: None, reply }), answer)
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
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        keep
    }

    fn answer(self: Box<Self>, verdict: Verdict) {
        let outcome = match verdict {
            Verdict::Done => self.outcome.unwrap_or_else(|| Err(Error::Closed.into())),
            Verdict::Failed(error) => Err(error.into()),
        };
        // The caller may have gone; what was stored stays stored.
        let _ = self.reply.send(outcome);
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}
