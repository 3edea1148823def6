//! Rate limits of the API.

use std::time::Duration;

use super::{client::Network, device};
use crate::{
    domain::id::{PhoneId, UserId},
    limit::Limit,
};

/// How often something may be tried.
///
/// Failed sign-ins count in three ways, because a campus shares one address and an attacker has many: for the network,
/// for the account from that network, and for the account from anywhere. A browser that the account's owner has signed
/// in with before has a count of its own instead, which nobody else can use up.
pub struct Limits {
    /// Failed sign-ins to any account from a network.
    pub failures_of_network: Limit<Network>,
    /// Failed sign-ins to an account from a network.
    pub failures_of_account_from_network: Limit<(String, Network)>,
    /// Failed sign-ins to an account from anywhere.
    pub failures_of_account: Limit<String>,
    /// Failed sign-ins to an account in a browser that it was signed in to with before.
    pub failures_of_device: Limit<(String, device::Name)>,
    /// Wrong codes after the right password of an account, in each browser in which it was signed in to before, and in all
    /// others together.
    pub failures_of_second_factor: Limit<(UserId, Option<device::Name>)>,
    /// Accounts made from a network.
    pub registrations: Limit<Network>,
    /// Sign-ins by the provider begun from a network.
    pub provider_sign_ins: Limit<Network>,
    /// Sign-ins with a passkey begun from a network.
    pub passkey_sign_ins: Limit<Network>,
    /// Cards looked up from a network.
    pub card_lookups: Limit<Network>,
    /// Page views reported from a network.
    pub vitals: Limit<Network>,
    /// Codes shown for phones, by a librarian.
    pub pairings: Limit<UserId>,
    /// Scans of a phone.
    pub phone_scans: Limit<PhoneId>,
    /// Times that a desk or a phone begins to listen, by its token.
    pub streams: Limit<String>,
    /// What a student changes: loans, holds, reviews, their own account. Librarians have no such limit: a desk with a scanner
    /// is faster.
    pub changes_of_student: Limit<UserId>,
}

/// Changes that a student may make in a minute, where the operator says nothing else.
pub const CHANGES_A_MINUTE: u32 = 30;

impl Limits {
    /// The defaults, but with this many changes a minute for each student.
    #[must_use]
    pub fn with_student_changes(a_minute: u32) -> Self {
        Self { changes_of_student: each_minute(a_minute), ..Self::default() }
    }
}

/// As many at once as in a minute.
fn each_minute(number: u32) -> Limit<UserId> {
    Limit::new(number, Duration::from_mins(1) / number)
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            failures_of_network: Limit::new(200, Duration::from_secs(1)),
            failures_of_account_from_network: Limit::new(20, Duration::from_secs(15)),
            failures_of_account: Limit::new(100, Duration::from_secs(36)),
            failures_of_device: Limit::new(20, Duration::from_secs(15)),
            // Three of a million codes are right at any time. Whoever has the password guesses one with a chance of 0.1 %
            // a day; NIST SP 800-63B-4 (3.2.2) asks for a limit and allows a hundred in a row.
            failures_of_second_factor: Limit::new(20, Duration::from_mins(5)),
            registrations: Limit::new(1000, Duration::from_secs(1)),
            // A campus shares an address; each takes a row for ten minutes.
            provider_sign_ins: Limit::new(300, Duration::from_millis(500)),
            // The same: each takes a row for five minutes.
            passkey_sign_ins: Limit::new(300, Duration::from_millis(500)),
            // R-SCAN-2: 30 in 10 minutes.
            card_lookups: Limit::new(30, Duration::from_secs(20)),
            // A page view each; more than a campus looks at.
            vitals: Limit::new(200, Duration::from_millis(50)),
            pairings: Limit::new(20, Duration::from_secs(3)),
            // Faster than anybody moves books before a camera; what waited while the connection was cut comes at once.
            phone_scans: Limit::new(30, Duration::from_millis(250)),
            streams: Limit::new(20, Duration::from_secs(1)),
            changes_of_student: each_minute(CHANGES_A_MINUTE),
        }
    }
}
