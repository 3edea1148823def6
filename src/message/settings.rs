//! Rules, calendar and library settings.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    // Errors in form fields.
    "notUpiAddress" = not_upi_address(label: &str): "{label} must look like school@bank.";
    "upiNeedsRupees" = upi_needs_rupees(label: &str): "{label} works with the currency INR only. Leave it blank, or set the currency code to INR.";
    "notCurrencyCode" = not_currency_code(label: &str): "{label} must be three letters, such as INR.";
    "notLettersAndDigits" = not_letters_and_digits(label: &str): "{label} must be letters, digits or hyphens.";
    "studentMissing" = student_missing(): "The category Student must be there.";

    // Effects of new rules or a new calendar on open loans.
    "effect.fines" = effect_fines(loans: i64, before: Money, after: Money):
        "{loans, plural, one {# loan} other {# loans}}: fines {before, number, money} → {after, number, money}";
    "effect.dueDates" = effect_due_dates(loans: i64):
        "{loans, plural, one {# due date moves} other {# due dates move}}";
    "effect.forgets" = effect_forgets(loans: i64):
        "{loans, plural, =0 {No past loan is old enough yet} one {Tonight the reader's name is erased from # past loan} other {Tonight the readers' names are erased from # past loans}}. This cannot be undone.";
    "effect.nothing" = effect_nothing(): "No open loan changes";

    "problem.backups-off" = problem_backups_off():
        "This server makes no backups. The person who looks after it can name a folder for them.";

    // Recorded changes.
    "change.rules" = change_rules(): "Rules changed.";
    "change.rulesFrom" = change_rules_from(day: Date): "Rules changed, from {day, date, medium} on.";
    "change.calendar" = change_calendar(): "Calendar changed.";
    "change.settings" = change_settings(): "Library settings changed.";
    "change.notices" = change_notices(): "Settings of notices changed.";
    "change.mailWording" = change_mail_wording(): "Wording of a mail changed.";

    // Wordings of mails.
    "settings.wording.unknown" = wording_unknown(placeholder: &str, nearest: &str):
        "{placeholder} does not exist here. The nearest placeholder is {nearest}.";
    "settings.wording.missing" = wording_missing(placeholder: &str): "The text must contain {placeholder}.";
    "settings.wording.alone" = wording_alone(placeholder: &str):
        "{placeholder} must be a paragraph of its own, with a blank line before and after it.";
    "settings.wording.once" = wording_once(placeholder: &str): "{placeholder} may be there only once.";
    "settings.wording.oneLine" = wording_one_line(): "The subject must be one line.";
    "settings.wording.name" = wording_name(): "Name of the reader";
    "settings.wording.library" = wording_library(): "Name of the library";
    "settings.wording.link" = wording_link(): "Button with the link, and its address";
    "settings.wording.code" = wording_code(): "The sign-in code, for whom it is, and until when it is valid";
    "settings.wording.reminder" = wording_reminder(): "How many books are due, such as “2 books are due back”";
    "settings.wording.books" = wording_books(): "List of the books with their due dates";
    "settings.wording.notice" = wording_notice(): "The notice itself, as it is under the bell";
    "problem.mail-off" = problem_mail_off():
        "This server sends no mail. The person who looks after it can name a mail server.";
    "problem.no-own-address" = problem_no_own_address(): "Your account has no email address. Add one in your profile.";
}
