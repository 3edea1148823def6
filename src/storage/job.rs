//! A closure on its way to a database thread, and its answer on the way back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use super::{Error, Tx, catalogue};
use crate::domain::id::DeskId;

/// What became of the transaction a job ran in.
pub(super) enum Verdict {
    /// Committed (or, for a read, ended): the closure's own result stands.
    Done,
    /// The job's effects are not stored, or nobody knows whether they are: this error is the answer.
    Failed(Error),
}

/// What a closure needs around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each statement may see another state.
    Read,
    /// All statements see the same state.
    Snapshot,
    /// A snapshot for the command line, which looks at everything and keeps nobody waiting.
    Unhurried,
    /// Everything is stored or nothing.
    Write,
}

/// A closure whose types are forgotten, so that one queue takes all.
pub(super) trait Job: Send {
    /// Runs the closure; whether its effects are to be kept.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Tells the caller. Even an error waits for the commit: "no copy left" may rest on another job of the same batch.
    fn answer(self: Box<Self>, verdict: Verdict);
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    fn kind(&self) -> Kind;
    /// How long ago it was asked for.
    fn age(&self) -> Duration;
}

/// What a caller is told: the closure's result, the number of the catalogue's change if it made one, and the desk for
/// whose phones it stored something.
pub(super) struct Answer<T, E> {
    pub outcome: Result<T, E>,
    pub change: Option<i64>,
    pub desk: Option<DeskId>,
}

struct Typed<F, T, E> {
    kind: Kind,
    asked: Instant,
    closure: Option<F>,
    outcome: Option<Result<T, E>>,
    change: Option<i64>,
    desk: Option<DeskId>,
    reply: oneshot::Sender<Answer<T, E>>,
}

/// Packs a closure; its answer comes through the receiver.
pub(super) fn pack<F, T, E>(kind: Kind, closure: F) -> (Box<dyn Job>, oneshot::Receiver<Answer<T, E>>)
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let asked = Instant::now();
    let job = Typed { kind, asked, closure: Some(closure), outcome: None, change: None, desk: None, reply };
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
        // Last in the transaction: the row that counts the changes is locked for the commit alone.
        let outcome = outcome.and_then(|done| {
            self.change = catalogue::record(tx)?;
            self.desk = tx.called.take();
            Ok(done)
        });
        // Whoever left may have asked again and been refused, at another server or on another connection; that answer stays
        // true.
        let keep = outcome.is_ok() && !self.is_abandoned();
        self.outcome = Some(outcome);
        keep
    }

    fn answer(self: Box<Self>, verdict: Verdict) {
        let (outcome, change, desk) = match verdict {
            Verdict::Done => {
                (self.outcome.unwrap_or_else(|| Err(Error::Closed.into())), self.change, self.desk)
            }
            Verdict::Failed(error) => (Err(error.into()), None, None),
        };
        // The caller may have gone; what was stored stays stored.
        let _ = self.reply.send(Answer { outcome, change, desk });
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn age(&self) -> Duration {
        self.asked.elapsed()
    }
}
