//! Common parts of the clients of the mail server and of the text message gateway: outcome, rate, and ids.

use std::time::Duration;

use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until},
};

use crate::{domain::mail::Channel, message::Message, storage::mails::Taken};

/// Outcome of an attempt to send a mail or a text message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Accepted by the server.
    Sent(Message),
    /// This mail can never be sent.
    Refused(Message),
    /// This mail cannot be sent now.
    Later(Message),
    /// No mail can be sent now.
    Trouble(Message),
}

impl Outcome {
    /// Returns the message of any outcome.
    #[must_use]
    pub fn message(&self) -> &Message {
        let (Self::Sent(message) | Self::Refused(message) | Self::Later(message) | Self::Trouble(message)) =
            self;
        message
    }
}

/// Client that sends the mails of one channel.
pub trait Sender: Send + Sync + 'static {
    const CHANNEL: Channel;

    /// Maximum number of mails sent at once.
    fn connections(&self) -> usize;

    fn rate(&self) -> &Rate;

    /// Hands a mail over.
    fn send(&self, mail: &Taken) -> impl Future<Output = Outcome> + Send;
}

/// Limit of mails per minute.
#[derive(Debug)]
pub struct Rate {
    pause: Duration,
    /// Earliest time of the next mail.
    next: Mutex<Instant>,
}

impl Rate {
    /// Creates the limit; `per_minute` is at least 1.
    #[must_use]
    pub fn new(per_minute: u32) -> Self {
        Self { pause: Duration::from_mins(1) / per_minute.max(1), next: Mutex::new(Instant::now()) }
    }

    /// Waits until the rate allows another mail.
    pub async fn turn(&self) {
        let mut next = self.next.lock().await;
        let at = (*next).max(Instant::now());
        *next = at + self.pause;
        drop(next);
        sleep_until(at).await;
    }
}

/// Returns a random id of 32 hexadecimal digits.
pub(super) fn new_id() -> Result<String, getrandom::Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}
