//! Mail and text messages: the text of each kind, and the clients that send them.
//!
//! A caller writes a [`Letter`] and queues it with `storage::mails::queue` in its own transaction; the job `send-mails` sends it.

mod gateway;
mod letter;
mod sender;
mod smtp;
pub mod unsubscribe;

use std::sync::Arc;

pub use gateway::{Options as TextOptions, PATIENCE as GATEWAY_PATIENCE, Text, TextGateway};
pub use letter::{
    CodeOf, Digest, Letter, Links, Writing, address_link, digest, example, notice, ours, password_changed,
    password_link, test, welcome,
};
pub(crate) use letter::{escaped, named};
pub use sender::{Outcome, Rate, Sender};
pub use smtp::{Options, Security, SmtpClient};

use crate::{
    domain::{
        id::UserId,
        mail::{Channel, Kind},
    },
    storage::mails::{NewMail, Taken},
};

/// Milliseconds after which an unsent mail expires, unless its kind has another limit.
pub const PATIENCE: i64 = 48 * 60 * 60 * 1000;
/// Validity of a reset link in minutes.
pub const LINK_MINUTES: i64 = 30;

/// Clients for which the operator has configured a server.
#[derive(Clone, Debug, Default)]
pub struct Post {
    pub mail: Option<Arc<SmtpClient>>,
    pub texts: Option<Arc<TextGateway>>,
}

impl Post {
    /// True if the library can send by this channel.
    #[must_use]
    pub fn has(&self, channel: Channel) -> bool {
        match channel {
            Channel::Mail => self.mail.is_some(),
            Channel::Text => self.texts.is_some(),
        }
    }
}

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
            channel: Channel::Mail,
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
}

/// Returns a mail as if it were taken from the outbox, to send it at once from the command line.
#[must_use]
pub fn sent_now(mail: NewMail, now: i64) -> Taken {
    Taken {
        id: 0.into(),
        address: mail.address,
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        message_id: mail.message_id,
        created_at: now,
        tried_at: now,
        expires_at: mail.expires_at,
        unsubscribe: mail.unsubscribe,
        tries: 1,
    }
}
