//! Outcomes of sending mails, and the texts of the mails themselves.

use jiff::civil::Date;

messages! {
    // Replies of the mail server; `words` quotes the server.
    "mail.accepted" = mail_accepted(server: &str): "Accepted by {server}.";
    "mail.noMailbox" = mail_no_mailbox(words: &str): "There is no such mailbox: {words}";
    "mail.mailboxFull" = mail_mailbox_full(words: &str): "The mailbox is full: {words}";
    "mail.refused" = mail_refused(words: &str): "The mail server refused this mail: {words}";
    "mail.later" = mail_later(words: &str): "The mail server asked to try again later: {words}";
    "mail.badAddress" = mail_bad_address(): "No mail can be sent to an address like this.";
    "mail.expired" = mail_expired(): "It could not be sent in time.";
    "mail.takenBack" = mail_taken_back(): "No longer true, so it was not sent.";
    "mail.busy" = mail_busy(words: &str): "The mail server takes no more mail for now: {words}";
    "mail.unreachable" = mail_unreachable(server: &str): "The mail server {server} cannot be reached.";
    "mail.noAnswer" = mail_no_answer(server: &str): "The mail server {server} did not answer in time.";
    "mail.notEncrypted" = mail_not_encrypted(server: &str): "There is no secure connection to the mail server {server}.";
    "mail.signInRefused" = mail_sign_in_refused(server: &str):
        "The mail server {server} refused the user name or the password.";
    "mail.text.refused" = text_refused(gateway: &str, status: &str, words: &str):
        "{gateway} refused this text message ({status}): {words}";
    "mail.text.later" = text_later(gateway: &str, status: &str):
        "{gateway} could not take this text message ({status}); it is tried again.";
    "mail.text.gatewayRefuses" = text_gateway_refuses(gateway: &str, status: &str, words: &str):
        "{gateway} takes no text messages for now ({status}): {words}";
    "mail.text.unreachable" = text_unreachable(gateway: &str): "{gateway} cannot be reached.";
    "mail.text.noAnswer" = text_no_answer(gateway: &str): "{gateway} did not answer in time.";
    "mail.text.unreadable" = text_unreadable(): "A newer version wrote this text message.";
    "mail.odd" = mail_odd(server: &str): "The mail server {server} broke the connection off.";

    // Texts of the mails.
    "letter.library" = letter_library(): "the library";
    "letter.greeting" = letter_greeting(name: &str): "Hello {name},";
    "letter.foot" = letter_foot(library: &str): "Sent automatically by {library}.";
    "letter.address" = letter_address(): "If the button does not work, open this address in your browser:";
    "letter.passwordLink.subject" = letter_password_link_subject(library: &str): "New password for {library}";
    "letter.passwordLink.what" = letter_password_link_what(library: &str, minutes: i64):
        "A new password was requested for your account at {library}. Choose it within {minutes, plural, one {# minute} other {# minutes}}; the link works once.";
    "letter.passwordLink.button" = letter_password_link_button(): "Choose a new password";
    "letter.passwordLink.ignore" = letter_password_link_ignore():
        "If you did not ask for it, do nothing: your password stays as it is.";
    "letter.addressLink.subject" = letter_address_link_subject(library: &str): "Confirm your address for {library}";
    "letter.addressLink.what" = letter_address_link_what(library: &str, minutes: i64):
        "This address was entered for an account at {library}. Confirm it within {minutes, plural, one {# minute} other {# minutes}}, so that the library can write to you here.";
    "letter.addressLink.button" = letter_address_link_button(): "Confirm this address";
    "letter.addressLink.ignore" = letter_address_link_ignore():
        "If you do not have an account there, do nothing: the library sends no notices to an address that is not confirmed.";
    "letter.welcome.subject" = letter_welcome_subject(library: &str): "Your account at {library}";
    "letter.welcome.what" = letter_welcome_what(library: &str):
        "You have an account at {library}. Choose your password with this code; it works once.";
    "letter.welcome.rollNumber" = letter_welcome_roll_number(number: &str): "Roll number: {number}";
    "letter.welcome.email" = letter_welcome_email(email: &str): "Email: {email}";
    "letter.welcome.code" = letter_welcome_code(code: &str): "Code: {code}";
    "letter.welcome.until" = letter_welcome_until(day: Date): "Valid until {day, date, medium}.";
    "letter.welcome.button" = letter_welcome_button(): "Choose a password";
    "letter.welcome.ignore" = letter_welcome_ignore(): "Keep the code to yourself. The library never asks you for it.";
    "letter.passwordChanged.subject" = letter_password_changed_subject(library: &str): "Your password for {library} was changed";
    "letter.passwordChanged.what" = letter_password_changed_what(library: &str):
        "Your password at {library} was changed with a link that was sent to this address. All other browsers were signed out.";
    "letter.passwordChanged.ignore" = letter_password_changed_ignore():
        "If this was not you, tell the library's desk at once, and change the password of your mailbox.";
    "letter.test.subject" = letter_test_subject(library: &str): "Test mail from {library}";
    "letter.test.what" = letter_test_what(library: &str): "Mail from {library} arrives at this address.";
    "letter.button" = letter_button(): "Open the library";
    "letter.dueDate.subject" = letter_due_date_subject(library: &str): "A due date changed at {library}";
    "letter.holdReady.subject" = letter_hold_ready_subject(library: &str): "Your reserved book is ready at {library}";
    "letter.holdExpiring.subject" = letter_hold_expiring_subject(library: &str):
        "Pick up your reserved book by tomorrow at {library}";
    "letter.hold.subject" = letter_hold_subject(library: &str): "About your reservation at {library}";
    "letter.charged.subject" = letter_charged_subject(library: &str): "A charge on your account at {library}";
    "letter.paid.subject" = letter_paid_subject(library: &str): "Your payment at {library}";
    "letter.safety.subject" = letter_safety_subject(library: &str): "The safety of your account at {library}";
    "letter.lent.subject" = letter_lent_subject(library: &str): "You borrowed a book from {library}";
    "letter.returned.subject" = letter_returned_subject(library: &str): "You returned a book to {library}";
    "letter.digest.overdue" = letter_digest_overdue(count: i64, library: &str):
        "{count, plural, one {# book is} other {# books are}} overdue at {library}";
    "letter.digest.due" = letter_digest_due(count: i64, library: &str):
        "{count, plural, one {# book is} other {# books are}} due back at {library}";
    "letter.digest.news" = letter_digest_news(library: &str): "News about your account at {library}";
    "letter.digest.also" = letter_digest_also(): "Also since the last mail:";
    "letter.digest.what" = letter_digest_what(library: &str): "Your account at {library}:";
    "letter.guardian.greeting" = letter_guardian_greeting(name: &str): "To the parent or guardian of {name}:";
    "letter.guardian.what" = letter_guardian_what(name: &str, library: &str):
        "These are books that {name} has borrowed from {library}.";
    "letter.text.test" = text_test(library: &str): "Text messages from {library} arrive on this phone.";
    "letter.text.more" = text_more(count: i64): "{count, plural, one {and # more book} other {and # more books}}";
    "letter.unsubscribe" = letter_unsubscribe(): "Stop mails like this one";

    // A reader's due dates in a calendar program.
    "letter.calendar.name" = calendar_name(): "Library: due dates";
    "letter.calendar.nameOf" = calendar_name_of(library: &str): "{library}: due dates";
    "letter.calendar.due" = calendar_due(title: &str): "Return “{title}”";

    // Page that a confirmation link opens.
    "letter.confirm.title" = letter_confirm_title(): "Confirm your address";
    "letter.confirm.what" = letter_confirm_what(address: &str, library: &str):
        "{address} will get the notices of your account at {library}: due dates, reserved books, payments.";
    "letter.confirm.do" = letter_confirm_do(): "Confirm this address";
    "letter.confirm.done" = letter_confirm_done(): "Your address is confirmed.";
    "letter.confirm.fromNow" = letter_confirm_from_now(address: &str):
        "The library sends your notices to {address} from now on. You can close this page.";
    "letter.confirm.dead" = letter_confirm_dead():
        "This link does not work any more: it is valid for half an hour, and a newer link replaces it. Sign in and open your profile to get a new one.";
    // Page that an unsubscribe link opens.
    "letter.stop.title" = letter_stop_title(): "Stop these mails?";
    "letter.stop.what" = letter_stop_what(library: &str):
        "You get no more mails like this one from {library}. You still find these notices there, under the bell.";
    "letter.stop.do" = letter_stop_do(): "Stop these mails";
    "letter.stop.done" = letter_stop_done(): "You get no more mails like this one.";
    "letter.stop.back" = letter_stop_back(): "To get them again, sign in and open your profile.";
    "letter.stop.again" = letter_stop_again(): "Turn these mails on again";
    "letter.stop.on" = letter_stop_on(): "You will get these mails again.";
    "letter.stop.choose" = letter_stop_choose(): "To choose what you are mailed, sign in and open your profile.";
    "letter.stop.guardianWhat" = letter_stop_guardian_what(library: &str):
        "You get no more mails from {library} about this reader’s books.";
    "letter.stop.guardianBack" = letter_stop_guardian_back(): "To change your address, ask the library’s desk.";
    "letter.stop.dead" = letter_stop_dead(): "This link does not work. Copy it whole from the mail, or ask the library’s desk.";
}
