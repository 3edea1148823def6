//! Sends the mails of the outbox.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::try_join_all;
use tokio::sync::Mutex;
use url::Url;

use super::{Job, LEASE, Outcome};
use crate::{
    domain::{mail::Kind, wording::Worded},
    library::Library,
    mail::{self, Addressed, LINK_MINUTES, Outcome as SendOutcome, SmtpClient},
    message,
    storage::{
        self, Error, Tx, accounts, leases, mail_choices,
        mails::{self, Taken},
        notices, password_links, settings,
    },
};

/// Runs all the time. A mail is sent at least once, always under the same Message-ID.
pub struct SendMails {
    post: Arc<SmtpClient>,
    /// Address of the page that a reset link opens, without the token.
    reset_page: String,
    /// Time of the last count of the outbox.
    counted: AtomicI64,
}

impl SendMails {
    /// Creates the job for a library at this address.
    #[must_use]
    pub fn new(post: Arc<SmtpClient>, public_url: &Url) -> Self {
        Self { post, reset_page: format!("{public_url}library/reset"), counted: AtomicI64::new(i64::MIN) }
    }
}

/// Interval of counting the outbox for the metrics, in milliseconds.
const COUNT_EVERY: i64 = 30_000;

/// Maximum number of withdrawn mails skipped at once; the next run continues.
const PORTION: usize = 50;

/// Back-off after the first failure, in milliseconds; it doubles with each further one.
const FIRST_WAIT: i64 = 60_000;
/// Maximum back-off.
const LONGEST_WAIT: i64 = 60 * FIRST_WAIT;

impl Job for SendMails {
    const NAME: &'static str = "send-mails";
    // Short, because a person may be waiting for a reset link.
    const PAUSE: Duration = Duration::from_secs(2);

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        send_mails(library, self, owner).await
    }
}

/// Returns the back-off after `tries` failures.
fn wait(tries: i64) -> i64 {
    let doubled = u32::try_from(tries - 1).ok().and_then(|n| FIRST_WAIT.checked_shl(n.min(20)));
    doubled.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
}

/// Answers requests for reset links, then sends the mails that are due.
///
/// # Errors
/// Errors of the database.
pub async fn send_mails(library: &Library, job: &SendMails, owner: &str) -> storage::Result<Outcome> {
    let now = library.clock.now();
    let is_needed =
        move |tx: &mut Tx<'_>| Ok::<_, Error>(mails::is_due(tx, now)? || password_links::has_requests(tx)?);
    if now.saturating_sub(job.counted.load(Ordering::Relaxed)) >= COUNT_EVERY {
        count(&library.db.read(mails::counts).await?, now);
        job.counted.store(now, Ordering::Relaxed);
    }
    if !library.db.read(is_needed).await? {
        return Ok(Outcome::Done);
    }
    let name = owner.to_owned();
    let begun = library.db.write(move |tx| {
        if !leases::take(tx, SendMails::NAME, &name, now, now + LEASE)? {
            return Ok::<_, Error>(false);
        }
        mails::expire(tx, &message::mail_expired(), now)?;
        Ok(true)
    });
    if !begun.await? {
        return Ok(Outcome::Elsewhere);
    }
    while answer_request(library, job).await? {}
    // The workers of a server take mails one at a time, but send several at once.
    let turn = Mutex::new(());
    let workers = (0..job.post.connections()).map(|_| work(library, job, owner, &turn));
    try_join_all(workers).await?;
    let name = owner.to_owned();
    library.db.write(move |tx| leases::give_back(tx, SendMails::NAME, &name)).await?;
    Ok(Outcome::Done)
}

/// Sends one mail after the other until none is due.
async fn work(library: &Library, job: &SendMails, owner: &str, turn: &Mutex<()>) -> storage::Result<()> {
    loop {
        let taken = {
            let _turn = turn.lock().await;
            let Some(taken) = take(library, job, owner).await? else { return Ok(()) };
            taken
        };
        let outcome = job.post.send(&taken).await;
        settle(library, owner, taken, outcome).await?;
    }
}

/// Takes the next mail when the rate allows it; `None` if none is due or the mail server is in trouble.
async fn take(library: &Library, job: &SendMails, owner: &str) -> storage::Result<Option<Taken>> {
    let now = library.clock.now();
    if !library.db.read(move |tx| mails::is_due(tx, now)).await? {
        return Ok(None);
    }
    job.post.turn().await;
    let (name, now) = (owner.to_owned(), library.clock.now());
    library
        .db
        .write(move |tx| {
            if mails::trouble(tx)?.is_some_and(|trouble| trouble.until > now)
                || !leases::take(tx, SendMails::NAME, &name, now, now + LEASE)?
            {
                return Ok(None);
            }
            for _ in 0..PORTION {
                let Some(taken) = mails::take(tx, &name, now, now + LEASE)? else { return Ok(None) };
                if !notices::is_taken_back(tx, taken.id)? {
                    return Ok(Some(taken));
                }
                notices::release(tx, taken.id)?;
                mails::take_back(tx, taken.id, &message::mail_taken_back(), now)?;
            }
            Ok(None)
        })
        .await
}

/// Records the outcome of sending a mail.
async fn settle(library: &Library, owner: &str, mail: Taken, outcome: SendOutcome) -> storage::Result<()> {
    let (owner, now, id) = (owner.to_owned(), library.clock.now(), mail.id);
    let told = match &outcome {
        SendOutcome::Sent(_) => "sent",
        SendOutcome::Refused(_) => "refused",
        SendOutcome::Later(_) => "put off",
        SendOutcome::Trouble(_) => "not tried: the mail server is in trouble",
    };
    // Logs only the code of the reason: the text may contain an address.
    tracing::info!(mail = id.0, tries = mail.tries, reason = outcome.message().code, "a mail was {told}");
    let kind = match &outcome {
        SendOutcome::Sent(_) => "sent",
        SendOutcome::Refused(_) => "refused",
        SendOutcome::Later(_) => "later",
        SendOutcome::Trouble(_) => "trouble",
    };
    metrics::counter!("library_mails_total", "became" => kind).increment(1);
    library
        .db
        .write(move |tx| {
            match outcome {
                SendOutcome::Sent(answer) => {
                    mails::sent(tx, id, &owner, &answer, now)?;
                    mails::out_of_trouble(tx)?;
                }
                SendOutcome::Refused(reason) => {
                    mails::failed(tx, id, &owner, &reason, now)?;
                    mails::out_of_trouble(tx)?;
                }
                SendOutcome::Later(reason) if now + wait(mail.tries) >= mail.expires_at => {
                    mails::failed(tx, id, &owner, &reason, now)?;
                }
                SendOutcome::Later(reason) => {
                    mails::put_off(tx, id, &owner, &reason, now + wait(mail.tries))?;
                }
                SendOutcome::Trouble(reason) => {
                    mails::give_back(tx, id, &owner, &reason)?;
                    let before = mails::trouble(tx)?;
                    // Mails sent concurrently fail for the same reason, which counts as one failure.
                    if before.as_ref().is_none_or(|trouble| trouble.until <= now) {
                        let tries = before.map_or(1, |trouble| trouble.tries + 1);
                        mails::in_trouble(tx, &reason, now, now + wait(tries))?;
                    }
                }
            }
            Ok(())
        })
        .await
}

/// Answers the oldest request for a reset link: mails one to the address of an active account. `false` without a request.
async fn answer_request(library: &Library, job: &SendMails) -> storage::Result<bool> {
    let token = crate::token::new().map_err(|error| Error::Database(error.into()))?;
    let (policies, post, page) = (library.policies.clone(), Arc::clone(&job.post), job.reset_page.clone());
    let now = library.clock.now();
    library
        .db
        .write(move |tx| {
            let Some(request) = password_links::take_request(tx)? else { return Ok(false) };
            let found = accounts::credentials(tx, &request.address_key)?;
            let active = found.map(|(account, _)| account).filter(|account| account.active);
            let Some(user) = active.and_then(|account| account.user) else { return Ok(true) };
            let Some(address) = &user.email else { return Ok(true) };
            let patience = LINK_MINUTES * 60 * 1000;
            password_links::keep(tx, user.uid, &crate::token::hashed(&token), now + patience)?;
            let library = policies.current(tx)?.library.name.clone();
            let link = format!("{page}#{token}");
            // The person's chosen language, or else that of the screen on which the link was requested.
            let language = mail_choices::of(tx, user.uid)?.language.unwrap_or(request.language);
            let (_, own) = settings::saved_wordings(tx, Worded::PasswordLink)?;
            let writing = mail::Writing { language: &language, library: &library, own: Some(&own) };
            let letter = mail::password_link(writing, &user.name, &link);
            let addressed =
                Addressed { person: Some(user.uid), kind: Kind::PasswordLink, address, letter: &letter };
            let new =
                post.addressed(&addressed, now, patience).map_err(|error| Error::Database(error.into()))?;
            mails::queue(tx, &new, now)?;
            Ok(true)
        })
        .await
}

/// Publishes the state of the outbox.
fn count(counts: &mails::Counts, now: i64) {
    #[expect(clippy::cast_precision_loss, reason = "a number of mails or of seconds")]
    let set = |name: &'static str, value: i64| metrics::gauge!(name).set(value as f64);
    set("library_mails_queued", counts.queued);
    set("library_mails_failed", counts.failed);
    set("library_mails_oldest_seconds", counts.oldest.map_or(0, |at| (now - at).max(0) / 1000));
}
