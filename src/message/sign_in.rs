//! Sign-in, passwords, second factors, passkeys and the college's provider.

messages! {
    // Errors in form fields.
    "codeNeeded" = code_needed():
        "Enter a code of your authenticator app or a recovery code. Or sign out, sign in again, and do this within five minutes.";
    "wrongCode" = wrong_code():
        "This code is not right, or was already used. Wait until the app shows the next one.";
    "setUpExpired" = set_up_expired(): "Setting this up took too long. Begin again.";
    "commonPassword" = common_password():
        "This password is among the most common ones. Choose another, for instance four unrelated words.";
    "ownWords" = own_words():
        "This password is little more than your name, address or roll number, or the library's name. Choose another, for instance four unrelated words.";
    "otherEmail" = other_email(): "This account has another email address. Leave the field empty.";
    "rollNumberOrEmail" = roll_number_or_email(): "Enter your roll number, or your email.";
    "wrongPassword" = wrong_password(): "This is not your password.";

    // Failed requests.
    "problem.not-signed-in" = problem_not_signed_in(): "Please sign in first.";
    "problem.invalid-credentials" = problem_invalid_credentials(): "Invalid email or password.";
    "problem.role-undefined" = problem_role_undefined(): "User role not defined.";
    "problem.account-inactive" = problem_account_inactive():
        "This account is not active. Ask at the library's desk.";
    "problem.invalid-code" = problem_invalid_code():
        "This code is not right, or no longer valid. Check what you typed, or ask at the library's desk for a new code.";
    "problem.invalid-link" = problem_invalid_link():
        "This link is no longer valid: it works once, and for 30 minutes. Ask for a new one.";
    "problem.invalid-setup-code" = problem_invalid_setup_code():
        "This code is not right, or older than an hour. Restart the server: it prints a new address.";
    "problem.setup-done" = problem_setup_done(): "This library already has a librarian. Sign in.";
    "problem.second-factor-needed" = problem_second_factor_needed():
        "The password is right. Now use your passkey, or enter the code from your authenticator app.";
    "problem.invalid-second-factor" = problem_invalid_second_factor():
        "This code is not right, or was already used. Wait until the app shows the next one.";
    "problem.sign-in-expired" = problem_sign_in_expired():
        "This sign-in took too long. Enter your password again.";
    "problem.second-factor-missing" = problem_second_factor_missing():
        "Librarians sign in with two steps here. Add a passkey or set up your authenticator app first.";
    "problem.second-factor-on" = problem_second_factor_on():
        "Two-step sign-in is already on. Turn it off to set it up anew.";
    "problem.invalid-passkey" = problem_invalid_passkey():
        "This passkey did not work; perhaps it was removed here. Sign in with your password: Security shows the passkeys you have.";
    "problem.passkey-refused" = problem_passkey_refused():
        "This passkey cannot be used here. Try again, or choose another device.";
    "problem.passkey-expired" = problem_passkey_expired(): "This took too long. Begin again.";
    "problem.too-many-passkeys" = problem_too_many_passkeys(max: usize):
        "You have {max, number} passkeys, and more are not possible. Remove one that you no longer use.";
    "problem.provider-unavailable" = problem_provider_unavailable():
        "The college's sign-in cannot be reached now. Sign in with email and password, or try again in a moment.";
    "problem.provider-forgotten" = problem_provider_forgotten():
        "This sign-in took too long. Begin it again.";
    "problem.user-missing" = problem_user_missing(): "User data not found.";
    "problem.email-taken" = problem_email_taken():
        "An account with this email already exists. Sign in, or use another address.";
    "problem.roll-number-taken" = problem_roll_number_taken():
        "An account with this roll number already exists. Check the number on your ID card.";

    // Recorded changes.
    "change.signedIn" = change_signed_in(): "Signed in.";
    "change.signInCodeMade" = change_sign_in_code_made(): "Sign-in code handed out.";
    "change.passwordSet" = change_password_set(): "Password chosen with a code or a link.";
    "change.passwordChanged" = change_password_changed(): "Password changed; signed out in other browsers.";
    "change.secondFactorOn" = change_second_factor_on(): "Two-step sign-in turned on.";
    "change.secondFactorOff" = change_second_factor_off(): "Two-step sign-in turned off.";
    "change.secondFactorReset" = change_second_factor_reset(): "Two-step sign-in reset.";
    "change.recoveryCodesMade" = change_recovery_codes_made(): "New recovery codes made.";
    "change.recoveryCodeUsed" = change_recovery_code_used(left: i64):
        "Recovery code used; {left, plural, =0 {none is} one {# is} other {# are}} left.";
    "change.addressConfirmed" = change_address_confirmed(): "Email address confirmed.";
    "change.passkeyAdded" = change_passkey_added(): "Passkey added.";
    "change.passkeyRemoved" = change_passkey_removed(): "Passkey removed.";
    "change.providerLinked" = change_provider_linked(provider: &str): "Connected with {provider} to sign in there.";
    "change.providerUnlinked" = change_provider_unlinked(provider: &str): "Disconnected from {provider}.";
    "change.sessionsEnded" = change_sessions_ended(sessions: u64):
        "Signed out in {sessions, plural, one {one browser} other {# browsers}}.";
}
