//! Outcomes of mails, and the words of the mails themselves.

messages! {
    // Answers of the mail server; `words` are its own.
    "mail.accepted" = mail_accepted(server: &str): "Accepted by {server}.";
    "mail.noMailbox" = mail_no_mailbox(words: &str): "There is no such mailbox: {words}";
    "mail.mailboxFull" = mail_mailbox_full(words: &str): "The mailbox is full: {words}";
    "mail.refused" = mail_refused(words: &str): "The mail server refused this mail: {words}";
    "mail.later" = mail_later(words: &str): "The mail server asked to try again later: {words}";
    "mail.badAddress" = mail_bad_address(): "No mail can be sent to an address like this.";
    "mail.expired" = mail_expired(): "It could not be sent in time.";
    "mail.busy" = mail_busy(words: &str): "The mail server takes no more mail for now: {words}";
    "mail.unreachable" = mail_unreachable(server: &str): "The mail server {server} cannot be reached.";
    "mail.noAnswer" = mail_no_answer(server: &str): "The mail server {server} did not answer in time.";
    "mail.notEncrypted" = mail_not_encrypted(server: &str): "There is no secure connection to the mail server {server}.";
    "mail.signInRefused" = mail_sign_in_refused(server: &str):
        "The mail server {server} refused the user name or the password.";
    "mail.odd" = mail_odd(server: &str): "The mail server {server} broke the connection off.";

    // Words of the mails.
    "letter.library" = letter_library(): "the library";
    "letter.greeting" = letter_greeting(name: &str): "Hello {name},";
    "letter.foot" = letter_foot(library: &str): "Sent automatically by {library}.";
    "letter.address" = letter_address(): "If the button does not work, open this address in your browser:";
    "letter.passwordLink.subject" = letter_password_link_subject(library: &str): "New password for {library}";
    "letter.passwordLink.what" = letter_password_link_what(library: &str, minutes: i64):
        "A new password was asked for on your account at {library}. Choose it within {minutes, plural, one {# minute} other {# minutes}}; the link works once.";
    "letter.passwordLink.button" = letter_password_link_button(): "Choose a new password";
    "letter.passwordLink.ignore" = letter_password_link_ignore():
        "If you did not ask for it, do nothing: your password stays as it is.";
    "letter.passwordChanged.subject" = letter_password_changed_subject(library: &str): "Your password for {library} was changed";
    "letter.passwordChanged.what" = letter_password_changed_what(library: &str):
        "Your password at {library} was changed with a link that was sent to this address. All other browsers were signed out.";
    "letter.passwordChanged.ignore" = letter_password_changed_ignore():
        "If this was not you, tell the library's desk at once, and change the password of your mailbox.";
    "letter.test.subject" = letter_test_subject(library: &str): "Test mail from {library}";
    "letter.test.what" = letter_test_what(library: &str): "Mail from {library} arrives at this address.";
}
