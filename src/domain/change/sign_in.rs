//! Changes of the ways to sign in.

use serde::{Deserialize, Serialize};

use super::About;
use crate::message::{self, Message};

/// A change of the ways to sign in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum SignInChange {
    SignedIn,
    /// A code was made for the first sign-in or a forgotten password.
    SignInCodeMade {
        /// Epoch milliseconds.
        expires: i64,
    },
    /// The person used a code and chose a password.
    PasswordSet {
        /// The email address that the person added for signing in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        email: Option<String>,
    },
    /// The person confirmed the email address with a mailed link.
    AddressConfirmed,
    /// The person replaced the password; other browsers were signed out.
    PasswordChanged,
    /// The person set up an authenticator app, whose codes sign-in now asks for.
    SecondFactorOn,
    /// The person turned off the authenticator app.
    SecondFactorOff,
    /// A librarian removed the person's lost second factor.
    SecondFactorReset,
    /// The person added a passkey, which signs in and serves as second factor.
    PasskeyAdded,
    PasskeyRemoved,
    /// The person replaced the recovery codes.
    RecoveryCodesMade,
    /// The person used a recovery code in place of the app's; `left` codes remain.
    RecoveryCodeUsed {
        left: i64,
    },
    /// The person was signed out in this many browsers.
    SessionsEnded {
        sessions: u64,
    },
    /// The person linked the account to the college's provider.
    ProviderLinked {
        provider: String,
    },
    ProviderUnlinked {
        provider: String,
    },
}

impl SignInChange {
    pub(super) fn about(&self) -> About<'static> {
        match self {
            Self::SignedIn => About::of("signed-in"),
            Self::SignInCodeMade { .. } => About::of("sign-in-code-made"),
            Self::PasswordSet { .. } => About { personal: true, ..About::of("password-set") },
            Self::AddressConfirmed => About::of("address-confirmed"),
            Self::PasswordChanged => About::of("password-changed"),
            Self::SecondFactorOn => About::of("second-factor-on"),
            Self::SecondFactorOff => About::of("second-factor-off"),
            Self::SecondFactorReset => About::of("second-factor-reset"),
            Self::PasskeyAdded => About::of("passkey-added"),
            Self::PasskeyRemoved => About::of("passkey-removed"),
            Self::RecoveryCodesMade => About::of("recovery-codes-made"),
            Self::RecoveryCodeUsed { .. } => About::of("recovery-code-used"),
            Self::SessionsEnded { .. } => About::of("sessions-ended"),
            Self::ProviderLinked { .. } => About::of("provider-linked"),
            Self::ProviderUnlinked { .. } => About::of("provider-unlinked"),
        }
    }

    pub(super) fn messages(&self) -> Vec<Message> {
        vec![match self {
            Self::SignedIn => message::change_signed_in(),
            Self::SignInCodeMade { .. } => message::change_sign_in_code_made(),
            Self::PasswordSet { .. } => message::change_password_set(),
            Self::PasswordChanged => message::change_password_changed(),
            Self::SecondFactorOn => message::change_second_factor_on(),
            Self::SecondFactorOff => message::change_second_factor_off(),
            Self::SecondFactorReset => message::change_second_factor_reset(),
            Self::AddressConfirmed => message::change_address_confirmed(),
            Self::PasskeyAdded => message::change_passkey_added(),
            Self::PasskeyRemoved => message::change_passkey_removed(),
            Self::RecoveryCodesMade => message::change_recovery_codes_made(),
            Self::RecoveryCodeUsed { left } => message::change_recovery_code_used(*left),
            Self::SessionsEnded { sessions } => message::change_sessions_ended(*sessions),
            Self::ProviderLinked { provider } => message::change_provider_linked(provider),
            Self::ProviderUnlinked { provider } => message::change_provider_unlinked(provider),
        }]
    }
}
