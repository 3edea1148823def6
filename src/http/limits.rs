//! Rate limits of the API.

use std::time::Duration;

use super::{client::Network, device};
use crate::{
    domain::id::{PhoneId, UserId},
    limit::Limit,
};

/// Secret that a failed sign-in tried. Codes are counted separately from passwords: wrong passwords must not keep the
/// owner from redeeming a code from the desk (X6).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Secret {
    /// Password of the account with this folded email address.
    Password(String),
    /// Sign-in code of a person, named by email or roll number.
    Code(UserId),
    /// Sign-in code for a name that no person has.
    CodeOfUnknown(String),
}

/// Rate limits: token buckets, one kind per field.
///
/// A failed sign-in counts against three limits, because a campus shares one address and an attacker has many: the
/// network's, the account's from that network, and the account's from anywhere. A browser in which the account's owner
/// has signed in before has a limit of its own instead, so that attackers cannot use it up.
pub struct Limits {
    /// Failed sign-ins to any account from a network. Half of the tokens are reserved for accounts that are not in
    /// `lately_failed`, so that one attacker does not keep a whole campus out (X6).
    pub failures_of_network: Limit<Network>,
    /// Failed sign-ins to an account from a network.
    pub failures_of_account_from_network: Limit<(Secret, Network)>,
    /// Failed sign-ins to an account from anywhere.
    pub failures_of_account: Limit<Secret>,
    /// Accounts with a failed sign-in in the last hour.
    pub lately_failed: Limit<Secret>,
    /// Failed sign-ins to an account in a known browser.
    pub failures_of_device: Limit<(String, device::Name)>,
    /// Wrong second-factor codes of an account: per known browser, and in all other browsers together.
    pub failures_of_second_factor: Limit<(UserId, Option<device::Name>)>,
    /// Accounts and networks with a wrong code in the last hour. Half of `failures_of_second_factor` is reserved for
    /// other networks: a stranger who knows the password must not keep the account's owner from the second step
    /// everywhere (X6).
    pub lately_wrong_code: Limit<(UserId, Network)>,
    /// Wrong codes for the first librarian, from a network.
    pub setups: Limit<Network>,
    /// Reset links requested from one network.
    pub forgotten: Limit<Network>,
    /// Reset links requested for one address, known or not.
    pub forgotten_of_address: Limit<String>,
    /// Wrong reset links from one network.
    pub resets: Limit<Network>,
    /// Accounts registered from a network.
    pub registrations: Limit<Network>,
    /// Sign-ins with the provider begun from a network.
    pub provider_sign_ins: Limit<Network>,
    /// Sign-ins with a passkey begun from a network.
    pub passkey_sign_ins: Limit<Network>,
    /// Sign-ins with provider or passkey begun in a browser that signed in before.
    pub begins_of_device: Limit<device::Name>,
    /// Cards looked up from a network.
    pub card_lookups: Limit<Network>,
    /// Look-ups of certificate numbers that do not exist, from a network.
    pub certificate_misses: Limit<Network>,
    /// Page views reported from a network.
    pub vitals: Limit<Network>,
    /// Mails that a librarian sends to their own address to try a wording.
    pub sample_mails: Limit<UserId>,
    /// Pairing codes for phones requested by a librarian.
    pub pairings: Limit<UserId>,
    /// Pairing codes opened by phones of a network.
    pub phone_openings: Limit<Network>,
    /// Scans of a phone.
    pub phone_scans: Limit<PhoneId>,
    /// Event streams opened by a desk or a phone, keyed by the hash of its token.
    pub streams: Limit<String>,
    /// Changes by a student: loans, holds, reviews, their own account. Librarians have no such limit, because a desk
    /// with a scanner is faster.
    pub changes_of_student: Limit<UserId>,
}

/// Default number of changes that a student may make per minute.
pub const CHANGES_A_MINUTE: u32 = 30;

impl Limits {
    /// Returns the defaults with this many changes per minute for each student.
    #[must_use]
    pub fn with_student_changes(a_minute: u32) -> Self {
        Self { changes_of_student: each_minute(a_minute), ..Self::default() }
    }
}

/// Builds a limit of `number` per minute, with a burst of as many.
fn each_minute(number: u32) -> Limit<UserId> {
    Limit::new(number, Duration::from_mins(1) / number)
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            failures_of_network: Limit::new(200, Duration::from_secs(1)),
            failures_of_account_from_network: Limit::new(20, Duration::from_secs(15)),
            failures_of_account: Limit::new(100, Duration::from_secs(36)),
            lately_failed: Limit::new(1, Duration::from_hours(1)),
            failures_of_device: Limit::new(20, Duration::from_secs(15)),
            // At any time three of a million codes are right. An attacker with the password guesses one with a chance
            // of 0.1 % a day; NIST SP 800-63B-4 (3.2.2) requires a limit and allows a hundred consecutive failures.
            failures_of_second_factor: Limit::new(20, Duration::from_mins(5)),
            lately_wrong_code: Limit::new(1, Duration::from_hours(1)),
            // A code has 76 bits, so it needs no limit; this one keeps the log short.
            setups: Limit::new(10, Duration::from_secs(30)),
            // A campus shares an address; each request stores a row and may send a mail.
            forgotten: Limit::new(60, Duration::from_secs(10)),
            // Enough for a person who finds no mail and asks again; more would let a stranger flood a mailbox.
            forgotten_of_address: Limit::new(3, Duration::from_mins(10)),
            // A token has 256 bits; the limit keeps the log short.
            resets: Limit::new(30, Duration::from_secs(20)),
            registrations: Limit::new(1000, Duration::from_secs(1)),
            // A campus shares an address; each sign-in stores a row for ten minutes.
            provider_sign_ins: Limit::new(300, Duration::from_millis(500)),
            // As above, but each sign-in stores a row for five minutes.
            passkey_sign_ins: Limit::new(300, Duration::from_millis(500)),
            begins_of_device: Limit::new(20, Duration::from_secs(15)),
            // R-SCAN-2: 30 in 10 minutes.
            card_lookups: Limit::new(30, Duration::from_secs(20)),
            // Enough for mistyped numbers; with 57 bits and 10 000 certificates, a hit at three guesses a minute takes
            // millions of years.
            certificate_misses: Limit::new(30, Duration::from_secs(20)),
            // One token per page view; more than the page views of a campus.
            vitals: Limit::new(200, Duration::from_millis(50)),
            // Enough to try a wording; a free mailbox accepts a few hundred mails a day.
            sample_mails: Limit::new(10, Duration::from_mins(1)),
            pairings: Limit::new(20, Duration::from_secs(3)),
            // More than the desks of a campus pair at once; a code has 256 bits, so guesses need no stricter limit.
            phone_openings: Limit::new(60, Duration::from_secs(1)),
            // Faster than a person moves books before a camera; the burst is for scans that were queued while offline.
            phone_scans: Limit::new(30, Duration::from_millis(250)),
            streams: Limit::new(20, Duration::from_secs(1)),
            changes_of_student: each_minute(CHANGES_A_MINUTE),
        }
    }
}
