//! Background jobs. Every server runs each job in its own task. A lease keeps two servers from doing the same work at once;
//! correctness does not depend on it. A server that was down for days catches up.
//!
//! To add a job, implement [`Job`] in a new file here and add a line to [`run`].

mod clear_passing;
mod expire_holds;
mod forget_readers;
mod mail_notices;
mod remind;
mod send_mails;
mod suggest;

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

pub use clear_passing::{ClearPassing, clear_passing};
pub use expire_holds::{ExpireHolds, expire_holds};
pub use forget_readers::{ForgetReaders, forget_readers};
pub use mail_notices::{MailNotices, Mailing, Planned, mail_notices, planned};
pub use remind::{Remind, remind};
pub use send_mails::{SendMails, SendTexts, send_mails};
pub use suggest::{Suggest, suggest};

use crate::{library::Library, storage, supervise::keep_running};

/// Duration of a lease, in milliseconds. After a crash of a server, its jobs are delayed by up to this long.
const LEASE: i64 = 120_000;

/// A recurring job.
pub trait Job: Send + Sync + 'static {
    /// Name of the job in the log, and of its lease.
    const NAME: &'static str;
    /// True for a job that runs once per day of the library.
    const DAILY: bool = false;
    /// Pause between two runs, and between two checks of a daily job.
    const PAUSE: Duration = Duration::from_secs(30);

    /// Runs the job once; `owner` identifies this server among those on the same database. A failed run is logged and
    /// retried.
    fn run(&self, library: &Library, owner: &str) -> impl Future<Output = storage::Result<Outcome>> + Send;
}

/// Result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Another server holds the lease.
    Elsewhere,
}

/// Runs all jobs until the future is dropped.
pub async fn run(library: Library, owner: String) {
    tokio::join!(
        keep(ExpireHolds, library.clone(), owner.clone()),
        keep(ForgetReaders, library.clone(), owner.clone()),
        keep(Remind, library.clone(), owner.clone()),
        keep(Suggest, library.clone(), owner.clone()),
        keep(ClearPassing, library, owner),
    );
}

/// Runs one job until the future is dropped, also after a panic.
pub async fn keep<J: Job>(job: J, library: Library, owner: String) {
    let job = Arc::new(job);
    keep_running(J::NAME, move || repeat(Arc::clone(&job), library.clone(), owner.clone())).await;
}

async fn repeat<J: Job>(job: Arc<J>, library: Library, owner: String) {
    let mut done_on = None;
    loop {
        let today = library.clock.today();
        if !J::DAILY || done_on != Some(today) {
            match job.run(&library, &owner).await {
                Ok(Outcome::Done) => done_on = Some(today),
                Ok(Outcome::Elsewhere) => {}
                // Storage logs its own outage.
                Err(error) if error.is_told_by_storage() => {}
                Err(error) => tracing::error!(
                    job = J::NAME,
                    error = &error as &dyn std::error::Error,
                    "a job failed and is repeated"
                ),
            }
        }
        sleep(J::PAUSE).await;
    }
}
