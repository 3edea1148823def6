//! Outgoing mails and text messages: their channels, kinds and states.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Channel of an outgoing message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MailChannel)]
pub enum Channel {
    Mail,
    /// SMS or chat, through the operator's gateway.
    Text,
}

impl Channel {
    pub const ALL: [Self; 2] = [Self::Mail, Self::Text];

    /// Name in the database and the metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Text => "text",
        }
    }

    /// Returns the channel with this name; `None` for one of a newer version.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }
}

/// Kind of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Password reset link.
    PasswordLink,
    /// Link to confirm an address that its person entered.
    AddressLink,
    /// Sign-in code that a librarian made for the person.
    Welcome,
    /// Confirmation that a reset link changed the password.
    PasswordChanged,
    /// One notice, mailed soon after its cause.
    Notice,
    /// Reminders of a person's loans, once a day.
    Digest,
    /// Test mail, sent by `library mail test` or from the page of mails.
    Test,
}

impl Kind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PasswordLink => "password-link",
            Self::AddressLink => "address-link",
            Self::Welcome => "welcome",
            Self::PasswordChanged => "password-changed",
            Self::Notice => "notice",
            Self::Digest => "digest",
            Self::Test => "test",
        }
    }

    /// True if the mail contains a secret: its text is kept no longer than needed.
    #[must_use]
    pub fn is_secret(self) -> bool {
        matches!(self, Self::PasswordLink | Self::AddressLink | Self::Welcome)
    }
}

/// State of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MailState)]
pub enum State {
    Queued,
    /// Accepted by the mail server; not known to be delivered.
    Sent,
    Failed,
    Stopped,
}

impl State {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queued, Self::Sent, Self::Failed, Self::Stopped]
            .into_iter()
            .find(|state| state.as_str() == text)
    }
}
