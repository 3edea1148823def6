//! Sends the mails and text messages of the outbox.

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
    mail::{self, Addressed, LINK_MINUTES, Outcome as SendOutcome, Sender, SmtpClient, TextGateway},
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
    counted: Counted,
}

impl SendMails {
    /// Creates the job for a library at this address.
    #[must_use]
    pub fn new(post: Arc<SmtpClient>, public_url: &Url) -> Self {
        Self { post, reset_page: format!("{public_url}library/reset"), counted: Counted::default() }
    }
}

/// Runs all the time. A text message is sent at least once, always under the same id.
pub struct SendTexts {
    gateway: Arc<TextGateway>,
    counted: Counted,
}

impl SendTexts {
    /// Creates the job.
    #[must_use]
    pub fn new(gateway: Arc<TextGateway>) -> Self {
        Self { gateway, counted: Counted::default() }
    }
}

impl Job for SendTexts {
    const NAME: &'static str = "send-texts";
    const PAUSE: Duration = Duration::from_secs(5);

    async fn run(&self, library: &Library, owner: &str) -> storage::Result<Outcome> {
        self.counted.publish(library).await?;
        Sending { lease: Self::NAME, sender: &*self.gateway, library, owner }.run().await
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
    job.counted.publish(library).await?;
    let sending = Sending { lease: SendMails::NAME, sender: &*job.post, library, owner };
    let has_requests = library.db.read(password_links::has_requests).await?;
    if has_requests {
        if !sending.take_lease().await? {
            return Ok(Outcome::Elsewhere);
        }
        while answer_request(library, job).await? {}
    }
    sending.run().await
}

/// Run of the job of one channel.
struct Sending<'s, S> {
    /// Name of the job's lease.
    lease: &'static str,
    sender: &'s S,
    library: &'s Library,
    owner: &'s str,
}

impl<S: Sender> Sending<'_, S> {
    /// Sends the mails of the channel that are due.
    async fn run(&self) -> storage::Result<Outcome> {
        if !self.is_due().await? {
            return Ok(Outcome::Done);
        }
        if !self.take_lease().await? {
            return Ok(Outcome::Elsewhere);
        }
        let now = self.library.clock.now();
        let expire = move |tx: &mut Tx<'_>| mails::expire(tx, S::CHANNEL, &message::mail_expired(), now);
        self.library.db.write(expire).await?;
        // The workers of a server take mails one at a time, but send several at once.
        let turn = Mutex::new(());
        let workers = (0..self.sender.connections()).map(|_| self.work(&turn));
        try_join_all(workers).await?;
        let (lease, name) = (self.lease, self.owner.to_owned());
        self.library.db.write(move |tx| leases::give_back(tx, lease, &name)).await?;
        Ok(Outcome::Done)
    }

    async fn is_due(&self) -> storage::Result<bool> {
        let now = self.library.clock.now();
        self.library.db.read(move |tx| mails::is_due(tx, S::CHANNEL, now)).await
    }

    /// Takes the lease of the job; `false` if another server holds it.
    async fn take_lease(&self) -> storage::Result<bool> {
        let (lease, name, now) = (self.lease, self.owner.to_owned(), self.library.clock.now());
        self.library.db.write(move |tx| leases::take(tx, lease, &name, now, now + LEASE)).await
    }

    /// Sends one mail after the other until none is due.
    async fn work(&self, turn: &Mutex<()>) -> storage::Result<()> {
        loop {
            let taken = {
                let _turn = turn.lock().await;
                let Some(taken) = self.take().await? else { return Ok(()) };
                taken
            };
            let outcome = self.sender.send(&taken).await;
            self.settle(taken, outcome).await?;
        }
    }

    /// Takes the next mail when the rate allows it; `None` if none is due or the channel is in trouble.
    async fn take(&self) -> storage::Result<Option<Taken>> {
        if !self.is_due().await? {
            return Ok(None);
        }
        self.sender.rate().turn().await;
        let (lease, name, now) = (self.lease, self.owner.to_owned(), self.library.clock.now());
        let take = move |tx: &mut Tx<'_>| {
            if mails::trouble(tx, S::CHANNEL)?.is_some_and(|trouble| trouble.until > now)
                || !leases::take(tx, lease, &name, now, now + LEASE)?
            {
                return Ok(None);
            }
            for _ in 0..PORTION {
                let Some(taken) = mails::take(tx, S::CHANNEL, &name, now, now + LEASE)? else {
                    return Ok(None);
                };
                if !notices::is_taken_back(tx, taken.id)? {
                    return Ok(Some(taken));
                }
                notices::release(tx, taken.id)?;
                mails::take_back(tx, taken.id, &message::mail_taken_back(), now)?;
            }
            Ok(None)
        };
        self.library.db.write(take).await
    }

    /// Records the outcome of sending a mail.
    async fn settle(&self, mail: Taken, outcome: SendOutcome) -> storage::Result<()> {
        let (owner, now, id) = (self.owner.to_owned(), self.library.clock.now(), mail.id);
        let channel = S::CHANNEL.as_str();
        let (became, told) = match &outcome {
            SendOutcome::Sent(_) => ("sent", "sent"),
            SendOutcome::Refused(_) => ("refused", "refused"),
            SendOutcome::Later(_) => ("later", "put off"),
            SendOutcome::Trouble(_) => ("trouble", "not tried: the server is in trouble"),
        };
        // Logs only the code of the reason: the text may contain an address.
        tracing::info!(
            mail = id.0,
            channel,
            tries = mail.tries,
            reason = outcome.message().code,
            "a mail was {told}"
        );
        metrics::counter!("library_mails_total", "became" => became, "channel" => channel).increment(1);
        let record = move |tx: &mut Tx<'_>| {
            match outcome {
                SendOutcome::Sent(answer) => {
                    mails::sent(tx, id, &owner, &answer, now)?;
                    mails::out_of_trouble(tx, S::CHANNEL)?;
                }
                SendOutcome::Refused(reason) => {
                    mails::failed(tx, id, &owner, &reason, now)?;
                    mails::out_of_trouble(tx, S::CHANNEL)?;
                }
                SendOutcome::Later(reason) if now + wait(mail.tries) >= mail.expires_at => {
                    mails::failed(tx, id, &owner, &reason, now)?;
                }
                SendOutcome::Later(reason) => {
                    mails::put_off(tx, id, &owner, &reason, now + wait(mail.tries))?;
                }
                SendOutcome::Trouble(reason) => {
                    mails::give_back(tx, id, &owner, &reason)?;
                    let before = mails::trouble(tx, S::CHANNEL)?;
                    // Mails sent concurrently fail for the same reason, which counts as one failure.
                    if before.as_ref().is_none_or(|trouble| trouble.until <= now) {
                        let tries = before.map_or(1, |trouble| trouble.tries + 1);
                        mails::in_trouble(tx, S::CHANNEL, &reason, now, now + wait(tries))?;
                    }
                }
            }
            Ok(())
        };
        self.library.db.write(record).await
    }
}

/// Answers the oldest request for a reset link: mails a link if the address is that of an active account. `false` without a
/// request.
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

/// Time of the last count of the outbox, in epoch milliseconds.
struct Counted(AtomicI64);

impl Default for Counted {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl Counted {
    /// Publishes the state of the outbox, of all channels, if the last count is old enough.
    async fn publish(&self, library: &Library) -> storage::Result<()> {
        let now = library.clock.now();
        if now.saturating_sub(self.0.load(Ordering::Relaxed)) < COUNT_EVERY {
            return Ok(());
        }
        let counts = library.db.read(mails::counts).await?;
        self.0.store(now, Ordering::Relaxed);
        #[expect(clippy::cast_precision_loss, reason = "a number of mails or of seconds")]
        let set = |name: &'static str, value: i64| metrics::gauge!(name).set(value as f64);
        set("library_mails_queued", counts.queued);
        set("library_mails_failed", counts.failed);
        set("library_mails_oldest_seconds", counts.oldest.map_or(0, |at| (now - at).max(0) / 1000));
        Ok(())
    }
}
