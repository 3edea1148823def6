//! Options that the operator sets for the HTTP side.

use std::{net::IpAddr, sync::Arc};

use url::Url;

use super::session::Lifetimes;
use crate::{backups::Daily, domain::account::Role, look_up::Sources, mail::Post, oidc::Provider};

/// Response of the ID card look-up (R-SCAN-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum IdCard {
    /// The email address, to be filled into the form.
    Full,
    /// The address with its middle hidden.
    Masked,
    /// Nothing: the look-up does not exist.
    Off,
}

/// Roles that must sign in with a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SecondFactor {
    /// No role.
    Optional,
    /// Librarians: without a second factor they can only set one up.
    Librarians,
}

/// Options of the HTTP side.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address at which browsers reach the product.
    pub public_url: Url,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    /// Response of the ID card look-up.
    pub id_card: IdCard,
    /// Roles that must sign in with a second factor.
    pub second_factor: SecondFactor,
    /// Lifetimes of sessions.
    pub lifetimes: Lifetimes,
    /// Plan of the daily backups, if the server makes them.
    pub daily_backups: Option<Daily>,
    /// The college's provider, if sign-in with it is on.
    pub provider: Option<Arc<Provider>>,
    /// Clients of the mail server and of the gateway of text messages, as far as they are configured.
    pub post: Post,
    /// Sources of the ISBN look-up, if the operator named any.
    pub isbn_sources: Option<Arc<Sources>>,
}

impl Settings {
    /// True if this role must sign in with a second factor.
    #[must_use]
    pub fn requires_second_factor(&self, role: Role) -> bool {
        self.second_factor == SecondFactor::Librarians && role == Role::Admin
    }

    /// True if cookies may be sent over encrypted connections only.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.public_url.scheme() == "https"
    }
}
