//! Mail: the text of each kind, and the SMTP client that sends it.
//!
//! A caller writes a [`Letter`] and queues it with `storage::mails::queue` in its own transaction; the job `send-mails` sends it.

mod letter;
mod smtp;
pub mod unsubscribe;

pub(crate) use letter::escaped;
pub use letter::{
    Digest, Letter, Links, Writing, digest, example, notice, ours, password_changed, password_link, test,
};
pub use smtp::{Options, Outcome, Security, SmtpClient};

use crate::{
    domain::{id::UserId, mail::Kind},
    storage::mails::{NewMail, Taken},
};

/// Milliseconds after which an unsent mail expires, unless its kind has another limit.
pub const PATIENCE: i64 = 48 * 60 * 60 * 1000;
/// Validity of a reset link in minutes.
pub const LINK_MINUTES: i64 = 30;

/// Letter with its addressee.
#[derive(Clone, Debug)]
pub struct Addressed<'a> {
    pub person: Option<UserId>,
    pub kind: Kind,
    pub address: &'a str,
    pub letter: &'a Letter,
}

impl SmtpClient {
    /// Makes a row of the outbox from a letter, with a Message-ID of its own.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn addressed(
        &self,
        mail: &Addressed<'_>,
        now: i64,
        patience: i64,
    ) -> Result<NewMail, getrandom::Error> {
        Ok(NewMail {
            person: mail.person,
            kind: mail.kind,
            address: mail.address.to_owned(),
            subject: mail.letter.subject(),
            text: mail.letter.text(),
            html: mail.letter.html(),
            message_id: self.new_message_id()?,
            not_before: now,
            expires_at: now + patience,
            digest_day: None,
            unsubscribe: mail.letter.unsubscribe().map(ToOwned::to_owned),
        })
    }

    /// Sends a mail at once, without the outbox, for the command line.
    pub async fn send_now(&self, mail: NewMail, now: i64) -> Outcome {
        self.send(&Taken {
            id: 0.into(),
            address: mail.address,
            subject: mail.subject,
            text: mail.text,
            html: mail.html,
            message_id: mail.message_id,
            created_at: now,
            expires_at: mail.expires_at,
            unsubscribe: mail.unsubscribe,
            tries: 1,
        })
        .await
    }
}
