//! What the program says to people: a code, its parameters, and the words for them in English.
//!
//! Every message stands once in the table below, as an ICU `MessageFormat` template, and its constructor is made from the
//! same line. The table travels with the `OpenAPI` document (`x-messages`), so that the screens say the same, and
//! translate it by its code. The renderer here knows the part of `MessageFormat` that the table uses: `{name}`,
//! `{n, number}`, `{amount, number, money}`, `{day, date, medium}`, `{day, date, full}` and
//! `{n, plural, =0 {…} one {# day} other {# days}}`, nested as needed.

use std::{
    borrow::Cow,
    fmt::Write as _,
    sync::{PoisonError, RwLock},
};

use jiff::civil::Date;
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::{Map, Value};

use crate::domain::money::Money;

/// A text for a person. On the wire: `{code, params, text}`, the text in English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Tells one message from another; never changes.
    pub code: &'static str,
    /// What the template is filled with: text, numbers, days as ISO text, amounts in the currency's main unit, another message.
    pub params: Map<String, Value>,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The message's code.
    pub code: &'static str,
    /// Its words in English.
    pub text: &'static str,
    /// The names of its parameters.
    pub params: &'static [&'static str],
}

macro_rules! messages {
    ($($code:literal = $name:ident($($param:ident: $type:ty),*): $text:literal;)+) => {
        /// Every message of the program.
        pub const TEMPLATES: &[Template] = &[
            $(Template { code: $code, text: $text, params: &[$(stringify!($param)),*] }),+
        ];

        $(
            #[doc = concat!("`", $code, "`: ", $text)]
            #[must_use]
            pub fn $name($($param: $type),*) -> Message {
                #[allow(unused_mut, clippy::allow_attributes, reason = "some messages have no parameters")]
                let mut params = Map::new();
                $(params.insert(
                    stringify!($param).to_owned(),
                    serde_json::to_value($param).unwrap_or_default(),
                );)*
                Message { code: $code, params }
            }
        )+
    };
}

messages! {
    // Fields of a form.
    "required" = required(label: &str): "{label} is required.";
    "tooShort" = too_short(label: &str, min: usize): "{label} must be at least {min} characters.";
    "tooLong" = too_long(label: &str, max: usize): "{label} must be at most {max} characters.";
    "outOfRange" = out_of_range(label: &str, min: i64, max: i64):
        "{label} must be a whole number from {min} to {max}.";
    "amountOutOfRange" = amount_out_of_range(label: &str, min: Money, max: Money):
        "{label} must be an amount from {min, number, money} to {max, number, money}.";
    "dayOutOfRange" = day_out_of_range(label: &str, min: Date, max: Date):
        "{label} must be a day from {min, date, medium} to {max, date, medium}.";
    "notUrl" = not_url(label: &str): "{label} must be a web address that starts with http:// or https://.";
    "notEmail" = not_email(label: &str): "{label} must be an address like name@college.edu.";
    "notListed" = not_listed(label: &str): "{label} must be one of the choices offered.";
    "moreThanOwed" = more_than_owed(owed: Money): "At most {owed, number, money} is owed here.";
    "moreThanCredit" = more_than_credit(credit: Money): "The credit is {credit, number, money}.";
    "nobodyBroughtIt" = nobody_brought_it():
        "Nobody brought this copy back today: charge the person on the person's own page.";
    "wrongCode" = wrong_code():
        "This code is not right, or was used already. Wait until the app shows the next one.";
    "setUpExpired" = set_up_expired(): "Setting this up took too long. Begin again.";
    "chargeSettled" = charge_settled(): "Nothing of this is owed any more.";
    "commonPassword" = common_password():
        "This password is among the most common ones. Choose another, for instance four unrelated words.";
    "ownWords" = own_words():
        "This password is little more than your name, address or roll number, or the library's name. Choose another, for instance four unrelated words.";
    "taken" = taken(label: &str, value: &str): "{label} “{value}” is already in the list.";
    "repeated" = repeated(): "This list names the same entry more than once.";
    "tooMany" = too_many(label: &str, max: usize): "{label}: at most {max}.";
    "endsBeforeItBegins" = ends_before_it_begins(): "The last day must not be before the first.";
    "tooManyDays" = too_many_days(max: i64): "From the first to the last day must be at most {max} days.";
    "notCurrencyCode" = not_currency_code(label: &str): "{label} must be three letters, such as INR.";
    "notLettersAndDigits" = not_letters_and_digits(label: &str): "{label} must be letters, digits or hyphens.";
    "studentMissing" = student_missing(): "The category Student must be there.";

    // Fields of a request that do not fit their type.
    "missing" = missing(): "This field is missing.";
    "unknownField" = unknown_field(name: &str): "There is no field \"{name}\" here.";
    "duplicate" = duplicate(): "This field appears twice.";
    "notText" = not_text(): "This must be text.";
    "notWholeNumber" = not_whole_number(): "This must be a whole number.";
    "notNumber" = not_number(): "This must be a number.";
    "notTrueOrFalse" = not_true_or_false(): "This must be true or false.";
    "notAmount" = not_amount(): "This must be an amount with at most two decimals.";
    "notObject" = not_object(): "This must be an object.";
    "notList" = not_list(): "This must be a list.";
    "notOneOf" = not_one_of(choices: &str): "This must be one of {choices}.";
    "wrongType" = wrong_type(reason: &str): "This does not fit: {reason}.";
    "badCursor" = bad_cursor(): "This list has no such page. Start from its first page.";
    "tooFewOnShelf" = too_few_on_shelf(copies: i64):
        "Copies were borrowed while you were editing: {copies, plural, =0 {none is} one {only # is} other {only # are}} on the shelf now. Reload the book and enter the number again.";
    "notIdempotencyKey" = not_idempotency_key(max: usize):
        "Idempotency-Key must be one key of 1 to {max} printable ASCII characters.";
    "tooManyFigures" = too_many_figures(max: usize): "At most {max} figures, each a number.";

    // Cells of a file that is imported.
    "import.notIsbn" = import_not_isbn(value: &str): "\"{value}\" is not an ISBN: its check digit does not fit";
    "import.notYear" = import_not_year(value: &str): "\"{value}\" is not a year";
    "import.notLanguage" = import_not_language(value: &str): "\"{value}\" is not a language code";
    "import.notNumber" = import_not_number(value: &str, min: i64, max: i64):
        "\"{value}\" is not a number from {min} to {max}";
    "import.notWholeNumber" = import_not_whole_number(value: &str): "\"{value}\" is not a whole number";
    "import.outOfRange" = import_out_of_range(value: &str, min: i64, max: i64):
        "\"{value}\" is not a whole number from {min} to {max}";
    "import.notStatus" = import_not_status(value: &str): "\"{value}\" is not \"Available\" or \"Not Available\"";

    "import.row" = import_row(reason: &str): "The row {reason}.";
    "import.rowTwice" = import_row_twice(line: u64): "The same roll number is in line {line}.";
    "import.rowOften" = import_row_often(line: u64, more: usize):
        "The same roll number is in line {line} and in {more, plural, one {# more line} other {# more lines}}.";
    "import.merged" = import_merged(name: &str, roll_number: &str):
        "This number belongs to {name} since two records were merged. Use {roll_number}.";
    "import.zerosLost" = import_zeros_lost(known: &str, name: &str):
        "{name} has the roll number {known}: a spreadsheet may have dropped its zeros. Correct the number; if this is somebody else, add them by hand.";
    "import.notDay" = import_not_day(value: &str): "\"{value}\" is not a day, such as 31-05-2027.";
    "import.emailOfAnother" = import_email_of_another(email: &str): "{email} is the email of another person.";
    "import.tooManyRows" = import_too_many_rows(max: usize):
        "This file has more than {max, number} rows. Split it, and import the parts one after the other.";
    "import.wrongFile" = import_wrong_file(max: usize, line: u64, reason: &Message):
        "More than {max, number} rows of this file cannot be imported. It is probably not the right file, or its columns are mixed up. Nothing was stored. The first of these rows is line {line}: {reason}";
    "import.unsound" = import_unsound(reason: &str): "This file cannot be imported: {reason}.";

    // Requests that failed.
    "problem.invalid" = problem_invalid(count: usize):
        "{count, plural, one {# field needs your attention.} other {# fields need your attention.}}";
    "problem.malformed-json" = problem_malformed_json(reason: &str):
        "The request's body is not well-formed JSON: {reason}.";
    "problem.payload-too-large" = problem_payload_too_large(max: usize):
        "The request's body is larger than {max} KiB.";
    "problem.request-timeout" = problem_request_timeout():
        "The request did not arrive in time. Nothing was changed; please try again.";
    "problem.unsound-request" = problem_unsound_request():
        "The request must name one Host and say the length of its body with Content-Length; bodies in chunks are not taken.";
    "problem.unsupported-media-type" = problem_unsupported_media_type():
        "The request's body must be JSON, sent with Content-Type: application/json.";
    "problem.not-signed-in" = problem_not_signed_in(): "Please sign in first.";
    "problem.invalid-credentials" = problem_invalid_credentials(): "Invalid email or password.";
    "problem.role-undefined" = problem_role_undefined(): "User role not defined.";
    "problem.account-inactive" = problem_account_inactive():
        "This account is not active. Ask at the library's desk.";
    "problem.invalid-code" = problem_invalid_code():
        "This code is not right, or no longer valid. Check what you typed, or ask at the library's desk for a new code.";
    "problem.second-factor-needed" = problem_second_factor_needed():
        "The password is right. Now use your passkey, or enter the code from your authenticator app.";
    "problem.invalid-second-factor" = problem_invalid_second_factor():
        "This code is not right, or was used already. Wait until the app shows the next one.";
    "problem.sign-in-expired" = problem_sign_in_expired():
        "This sign-in took too long. Enter your password again.";
    "problem.second-factor-missing" = problem_second_factor_missing():
        "Librarians sign in with two steps here. Add a passkey or set up your authenticator app first.";
    "problem.second-factor-on" = problem_second_factor_on():
        "Two-step sign-in is on already. Turn it off to set it up anew.";
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
    "problem.last-librarian" = problem_last_librarian():
        "No librarian who may do everything would be left. Give another librarian all rights first.";
    "problem.own-account" = problem_own_account(): "This is your own account. Ask another librarian to do it.";
    "problem.more-capable" = problem_more_capable():
        "This person's account may do more than yours. Ask a librarian who may do as much.";
    "problem.user-missing" = problem_user_missing(): "User data not found.";
    "problem.forbidden" = problem_forbidden(): "Your account may not do this.";
    "problem.cross-origin" = problem_cross_origin(): "This request came from another site and was refused.";
    "problem.not-found" = problem_not_found(): "There is nothing here, or it is no longer there.";
    "problem.method-not-allowed" = problem_method_not_allowed(): "This address does not take this method.";
    "problem.book-unavailable" = problem_book_unavailable(): "This book is currently not available for borrowing.";
    "problem.refused" = problem_refused(): "The library's rules do not allow this.";
    "problem.copy-state" = problem_copy_state(from: &str, to: &str): "A copy that is {from} cannot become {to}.";
    "problem.loan-fined" = problem_loan_fined():
        "This loan is overdue and has a fine. Please return the book at the library's desk.";
    "problem.email-taken" = problem_email_taken():
        "An account with this email already exists. Sign in, or use another address.";
    "problem.roll-number-taken" = problem_roll_number_taken():
        "An account with this roll number already exists. Check the number on your ID card.";
    "problem.person-email-taken" = problem_person_email_taken():
        "Another person here has this email address. Search for it in People.";
    "problem.person-roll-number-taken" = problem_person_roll_number_taken():
        "Another person here has this roll number. Search for it in People.";
    "problem.stale" = problem_stale():
        "Somebody else saved this while you were editing it. Nothing was overwritten.";
    "problem.idempotency-key-reused" = problem_idempotency_key_reused():
        "This Idempotency-Key was used for another request. Nothing was changed; send each new request with a new key.";
    "problem.version-required" = problem_version_required():
        "Say which version you edited: send the ETag that you loaded in If-Match.";
    "problem.too-many-requests" = problem_too_many_requests(seconds: u64, minutes: u64):
        "Too many tries. Wait {minutes, plural, =0 {{seconds, plural, one {a second} other {# seconds}}} one {a minute} other {# minutes}} and try again.";
    "problem.card-unknown" = problem_card_unknown(): "No user found for the scanned roll number.";
    "problem.phone-ended" = problem_phone_ended():
        "This phone no longer scans for the desk. Scan the code on the desk's screen again.";
    "problem.too-many-phones" = problem_too_many_phones(max: i64):
        "{max} phones scan for you already. Disconnect one first.";
    "problem.card-role-unknown" = problem_card_role_unknown(): "User role is not recognized.";
    "problem.import-running" = problem_import_running():
        "Another import of people is still running. Nothing was changed; wait until it is done, and try again.";
    "problem.import-stopped" = problem_import_stopped(stored: usize):
        "The import stopped after {stored, plural, one {# person was} other {# people were}} stored. They stay stored. Import the same file again: it goes on from there.";
    "problem.busy" = problem_busy(): "The library is very busy. Nothing was changed; please try again in a moment.";
    "problem.disk-full" = problem_disk_full():
        "The disk of the library's server is full. Nothing was changed; please tell the library's staff.";
    "problem.unavailable" = problem_unavailable():
        "The library cannot reach its records right now. Nothing was changed; please try again in a few minutes.";
    "problem.outcome-unknown" = problem_outcome_unknown():
        "It is not certain whether this was saved. Please reload and look before you try again: it may have worked.";
    "problem.internal" = problem_internal():
        "Something went wrong on the server. Nothing was changed; please try again.";

    // What a change of the rules or the calendar does to the loans that are open.
    "effect.fines" = effect_fines(loans: i64, before: Money, after: Money):
        "{loans, plural, one {# loan} other {# loans}}: fines {before, number, money} → {after, number, money}";
    "effect.dueDates" = effect_due_dates(loans: i64):
        "{loans, plural, one {# due date moves} other {# due dates move}}";
    "effect.forgets" = effect_forgets(loans: i64):
        "{loans, plural, =0 {No loan is old enough yet} one {Of # loan it would be forgotten tonight who had it} other {Of # loans it would be forgotten tonight who had them}}. This cannot be undone.";
    "effect.nothing" = effect_nothing(): "No open loan changes";
    "notBarcode" = not_barcode(label: &str):
        "{label} must be letters, digits, spaces and signs that a barcode can hold (printable ASCII).";
    "barcodeTaken" = barcode_taken(barcode: &str):
        "{barcode} is the barcode of another copy, or a reader's roll number. Use another one.";
    "barcodeTwice" = barcode_twice(barcode: &str): "{barcode} is in the list twice.";
    "tooManyBarcodes" = too_many_barcodes(given: usize, wanted: i64):
        "There are {given, plural, one {# barcode} other {# barcodes}} for {wanted, plural, one {# copy} other {# copies}}.";

    "rollNumberIsBarcode" = roll_number_is_barcode(label: &str):
        "{label}: a copy of a book has this as its barcode.";
    "otherEmail" = other_email(): "This account has another email address. Leave the field empty.";
    "rollNumberOrEmail" = roll_number_or_email(): "Enter your roll number, or your email.";
    "moveOrDeactivate" = move_or_deactivate(): "Say to which batch they go, or that they are deactivated.";
    "samePerson" = same_person(): "Choose another record: this one cannot be merged with itself.";
    "sameBatch" = same_batch(): "Choose another batch than the one they are in.";
    "wrongPassword" = wrong_password(): "This is not your password.";
    "noSuchOrder" = no_such_order(choices: &str): "The list can be ordered by {choices}.";

    // Why circulation refuses something.
    "block.inactive" = block_inactive(): "This person is not active any more.";
    "block.expired" = block_expired(on: Date): "This person might borrow until {on, date, medium}.";
    "block.barred" = block_barred(until: Date, reason: &str):
        "This person may not borrow until {until, date, medium}: {reason}";
    "block.stillOpen" = block_still_open(books: i64, holds: i64, owes: Money):
        "Something is still open: {books, plural, =0 {no book} one {# book} other {# books}} out, {holds, plural, =0 {no reservation} one {# reservation} other {# reservations}}, {owes, number, money} owed.";
    "block.noCopy" = block_no_copy(): "This book is currently not available for borrowing.";
    "block.selfBorrow" = block_self_borrow(): "Books are borrowed at the library desk.";
    "block.selfReturn" = block_self_return(): "Books are returned at the library desk.";
    "block.selfRenew" = block_self_renew(): "Loans are extended at the library desk.";
    "block.limit" = block_limit(out: i64, max: i64):
        "{out} of {max, plural, one {# book} other {# books}} are out. Return one first.";
    "block.owes" = block_owes(owes: Money, limit: Money):
        "{owes, number, money} is owed; borrowing stops above {limit, number, money}. Pay at the library desk first.";
    "block.overdue" = block_overdue(overdue: i64, limit: i64):
        "{overdue, plural, one {# book is} other {# books are}} overdue; borrowing stops at {limit}. Return what is overdue first.";
    "block.sameTitle" = block_same_title(due: Date):
        "A copy of this book is already on loan to this person, due {due, date, medium}.";
    "block.onLoan" = block_on_loan(due: Date): "This copy is on loan, due {due, date, medium}. Return it first.";
    "block.inRepair" = block_in_repair(): "This copy is in repair.";
    "block.lost" = block_lost(): "This copy is marked as lost.";
    "block.missing" = block_missing(): "This copy is marked as missing.";
    "block.reference" = block_reference(): "This copy is for reference only.";
    "block.withdrawn" = block_withdrawn(): "This copy was withdrawn.";
    "block.state" = block_state(state: &str): "This copy cannot be lent now ({state}).";
    "block.fined" = block_fined():
        "This loan is overdue and has a fine. Please return the book at the library's desk.";
    "block.undoneAlready" = block_undone_already(): "This was undone already.";
    "block.undoLater" = block_undo_later():
        "Something later rests on this: undo the newest of it first, or correct it by hand.";
    "block.undoSince" = block_undo_since(what: &Message):
        "Since then: {what} Undo that first, or correct it by hand.";
    "block.undoSinceFor" = block_undo_since_for(what: &Message, name: &str):
        "Since then, for {name}: {what} Undo that first, or correct it by hand.";
    "block.undoPaid" = block_undo_paid(): "Something of this was paid or waived. Undo that first.";
    "block.undoDay" = block_undo_day(): "Only what was done today can be undone. Correct it by hand.";
    "block.undoPeople" = block_undo_people(people: usize, names: &str):
        "{people, plural, one {# person was} other {# people were}} changed since: {names}. Correct the rest by hand.";
    "block.undoKind" = block_undo_kind(): "This cannot be undone. Correct it by hand.";
    "block.renewLimit" = block_renew_limit(used: i64, max: i64):
        "This loan was extended {used, plural, one {once} other {# times}}; {max} is the most.";
    "block.reserved" = block_reserved(waiting: i64, free: i64):
        "{waiting, plural, one {# reader waits} other {# readers wait}} for this book, and {free, plural, =0 {no copy is free} one {# copy is free} other {# copies are free}}.";
    "block.keptForOther" = block_kept_for_other(until: Date):
        "This copy is kept for another reader until {until, date, medium}.";
    "block.renewWaiting" = block_renew_waiting(waiting: i64):
        "{waiting, plural, one {Another reader waits} other {# readers wait}} for this book. Please bring it back by its due date.";
    "block.freeCopy" = block_free_copy(location: &str):
        "A copy is on the shelf. No need to wait: take it from {location}.";
    "block.hasTitle" = block_has_title(due: Date):
        "This person has a copy of this book, due {due, date, medium}.";
    "block.inLine" = block_in_line(): "This person has reserved this book already.";
    "block.holdLimit" = block_hold_limit(held: i64, max: i64):
        "{held} of {max, plural, one {# hold} other {# holds}} are in use. Cancel one first.";

    // What the desk says to a scan.
    "desk.opened" = desk_opened(name: &str, loans: i64):
        "{name}: {loans, plural, =0 {no book out} one {# book out} other {# books out}}.";
    "desk.opened.overdue" = desk_opened_overdue(loans: i64): "{loans, plural, one {One is} other {# are}} overdue.";
    "desk.opened.owes" = desk_opened_owes(amount: Money): "{amount, number, money} is owed.";
    "desk.closed" = desk_closed(name: &str): "Closed: {name}.";
    "desk.lent" = desk_lent(title: &str, name: &str, due: Date): "Lent: “{title}” to {name}, due {due, date, full}.";
    "desk.countOf" = desk_count_of(out: i64, max: i64): "{out} of {max} out.";
    "desk.alreadyLent" = desk_already_lent(title: &str, due: Date):
        "“{title}” was lent just now, due {due, date, full}.";
    "desk.notLent" = desk_not_lent(title: &str): "Not lent: “{title}”.";
    "desk.returned" = desk_returned(title: &str): "Returned: “{title}”.";
    "desk.returnedBy" = desk_returned_by(title: &str, name: &str): "Returned: “{title}”, which {name} had.";
    "desk.fine" = desk_fine(fine: Money): "Fine: {fine, number, money}.";
    "desk.backTo" = desk_back_to(location: &str): "Goes to {location}.";
    "desk.putAside" = desk_put_aside(): "Put it with the books to be shelved.";
    "desk.referenceAgain" = desk_reference_again(): "Goes back to the reference shelf.";
    "desk.titleGone" = desk_title_gone(): "Its title was deleted from the catalogue, so this copy is withdrawn. Put it aside.";
    "desk.stillHas" = desk_still_has(name: &str, loans: usize):
        "{loans, plural, =0 {{name} has nothing else.} one {{name} has # more book.} other {{name} has # more books.}}";
    "desk.renewed" = desk_renewed(title: &str, due: Date): "Extended: “{title}”, due {due, date, full}.";
    "desk.notRenewed" = desk_not_renewed(title: &str): "Not extended: “{title}”.";
    "desk.onLoanToOther" = desk_on_loan_to_other(title: &str, name: &str, due: Date):
        "“{title}” is on loan to {name}, due {due, date, full}.";
    "desk.onLoan" = desk_on_loan(title: &str): "“{title}” is on loan.";
    "desk.onShelf" = desk_on_shelf(title: &str, location: &str): "“{title}” belongs on the shelf: {location}.";
    "desk.toShelve" = desk_to_shelve(title: &str): "“{title}” came back and waits to be shelved.";
    "desk.unseen" = desk_unseen(title: &str): "“{title}”: its reader says it is returned.";
    "desk.inRepair" = desk_in_repair(title: &str): "“{title}” is recorded as in repair.";
    "desk.lost" = desk_lost(title: &str): "“{title}” is recorded as lost.";
    "desk.missing" = desk_missing(title: &str): "“{title}” is recorded as missing.";
    "desk.reference" = desk_reference(title: &str, location: &str):
        "“{title}” is for reference only: {location}.";
    "desk.withdrawn" = desk_withdrawn(title: &str, barcode: &str): "Copy {barcode} was withdrawn: “{title}”.";
    "desk.kept" = desk_kept(title: &str): "Somebody waits for “{title}”.";
    "desk.keepFor" = desk_keep_for(name: &str, until: Date):
        "Keep it for {name} on the hold shelf, until {until, date, full}.";
    "desk.keptUntil" = desk_kept_until(title: &str, name: &str, until: Date):
        "“{title}” is kept for {name} until {until, date, full}.";
    "desk.choice.keep" = desk_choice_keep(name: &str): "Keep it for {name}";
    "desk.shelved" = desk_shelved(title: &str, location: &str): "On the shelf: “{title}”, {location}.";
    "desk.title" = desk_title(title: &str, author: &str): "“{title}”, {author}.";
    "desk.scanTheLabel" = desk_scan_the_label(): "Scan the label inside, or choose the copy.";
    "desk.personOrCopy" = desk_person_or_copy(name: &str, title: &str):
        "This is both {name}'s card and a copy of “{title}”.";
    "desk.found" = desk_found(text: &str): "Found for “{text}”:";
    "desk.morePeople" = desk_more_people():
        "More people match: type more of the name, or find them under People.";
    "desk.unknown" = desk_unknown(code: &str): "No card, no copy and no book has the code {code}.";
    "desk.choice.person" = desk_choice_person(name: &str): "Open {name}";
    "desk.choice.personWith" = desk_choice_person_with(name: &str, roll_number: &str): "{name}, {roll_number}";
    "desk.choice.copy" = desk_choice_copy(title: &str, barcode: &str): "“{title}”, copy {barcode}";
    "desk.choice.title" = desk_choice_title(title: &str, author: &str): "“{title}”, {author}";
    "desk.choice.return" = desk_choice_return(): "Take it back";
    "desk.choice.returnFor" = desk_choice_return_for(name: &str): "Only return it for {name}";
    "desk.choice.returnAndLend" = desk_choice_return_and_lend(from: &str, to: &str):
        "Return it for {from} and lend it to {to}";
    "desk.choice.foundAndLend" = desk_choice_found_and_lend(): "It is here: lend it";
    "desk.choice.putOnShelf" = desk_choice_put_on_shelf(): "Put it on the shelf";
    "desk.choice.repaired" = desk_choice_repaired(): "Back from repair: put it on the shelf";
    "desk.choice.found" = desk_choice_found(): "Found: put it on the shelf";
    "desk.exchanged" = desk_exchanged(name: &str, barcode: &str): "{name} has copy {barcode} now.";
    "desk.left" = desk_left(barcode: &str): "Copy {barcode} is missing now: look for it on the shelf.";
    "desk.damaged" = desk_damaged(title: &str): "Damaged: “{title}”.";
    "desk.toRepair" = desk_to_repair(): "Put it with the books to be repaired.";
    "desk.choice.swap" = desk_choice_swap(in_hand: &str, lent: &str): "Take {in_hand} back in place of {lent}";
    "desk.choice.swapFor" = desk_choice_swap_for(name: &str, in_hand: &str, lent: &str):
        "{name} brings it: take {in_hand} back in place of {lent}";
    "desk.choice.reinstate" = desk_choice_reinstate(): "Take it into the library again";

    // What happened, as the record of activity tells it.
    "change.registered" = change_registered(role: &str): "Account created ({role}).";
    "change.profileUpdated" = change_profile_updated(): "Profile changed.";
    "change.signedIn" = change_signed_in(): "Signed in.";
    "change.bookAdded" = change_book_added(title: &str): "“{title}” added to the catalogue.";
    "change.bookUpdated" = change_book_updated(title: &str): "“{title}” edited.";
    "change.bookDeleted" = change_book_deleted(title: &str): "“{title}” deleted from the catalogue.";
    "change.booksImported" = change_books_imported(count: i64):
        "{count, plural, one {# book} other {# books}} imported.";
    "change.copiesAdded" = change_copies_added(count: i64, first: &str):
        "{count, plural, one {Copy {first} added.} other {# copies added, from {first} on.}}";
    "change.copyUpdated" = change_copy_updated(barcode: &str): "Copy {barcode} edited.";
    "change.copyMoved" = change_copy_moved(barcode: &str, from: &str, to: &str): "Copy {barcode} moved: {from} → {to}.";
    "change.note" = change_note(note: &str): "Note: {note}";
    "change.lent" = change_lent(title: &str, due: Date): "“{title}” lent, due {due, date, medium}.";
    "change.lentCopy" = change_lent_copy(title: &str, barcode: &str, due: Date):
        "“{title}” lent (copy {barcode}), due {due, date, medium}.";
    "change.returned" = change_returned(title: &str): "“{title}” returned to the shelf.";
    "change.returnedToShelve" = change_returned_to_shelve(title: &str): "“{title}” returned, to be shelved.";
    "change.returnedElsewhere" = change_returned_elsewhere(title: &str): "“{title}” returned.";
    "change.withFine" = change_with_fine(fine: Money): "Fine {fine, number, money}.";
    "change.renewed" = change_renewed(title: &str, from: Date, to: Date):
        "“{title}” extended from {from, date, medium} to {to, date, medium}.";
    "change.charged" = change_charged(amount: Money): "{amount, number, money} charged until then.";
    "change.chargedFor" = change_charged_for(of: &str, amount: Money, reason: &str):
        "{amount, number, money} charged ({of}): {reason}.";
    "change.paid" = change_paid(amount: Money, method: &str, receipt: &str):
        "{amount, number, money} paid ({method}), receipt {receipt}.";
    "change.waived" = change_waived(amount: Money): "{amount, number, money} waived.";
    "change.chargeReversed" = change_charge_reversed(title: &str, amount: Money):
        "{amount, number, money} for “{title}” taken back.";
    "change.refunded" = change_refunded(amount: Money, method: &str):
        "{amount, number, money} of credit paid out ({method}).";
    "change.declaredLost" = change_declared_lost(title: &str, barcode: &str, price: Money):
        "“{title}” (copy {barcode}) declared lost; price {price, number, money}.";
    "undone.lent" = undone_lent(title: &str): "Undone: “{title}” was not lent.";
    "undone.returned" = undone_returned(title: &str, due: Date):
        "Undone: “{title}” is on loan again, due {due, date, medium}.";
    "undone.renewed" = undone_renewed(title: &str, due: Date): "Undone: “{title}” is due {due, date, medium} again.";
    "undone.moved" = undone_moved(barcode: &str, state: &str): "Undone: copy {barcode} is {state} again.";
    "undone.holdPlaced" = undone_hold_placed(title: &str): "Undone: “{title}” is not reserved.";
    "undone.holdCancelled" = undone_hold_cancelled(title: &str): "Undone: “{title}” is reserved again, in its old place.";
    "undone.holdReady" = undone_hold_ready(title: &str): "Undone: “{title}” is not kept; its reader is in line again.";
    "undone.charged" = undone_charged(amount: Money): "Undone: {amount, number, money} is not charged.";
    "undone.paid" = undone_paid(amount: Money, receipt: &str):
        "Undone: {amount, number, money} is owed again; receipt {receipt} is reversed.";
    "undone.waived" = undone_waived(amount: Money): "Undone: {amount, number, money} is owed again.";
    "undone.deactivated" = undone_deactivated(): "Undone: active again.";
    "undone.batchMoved" = undone_batch_moved(from: &str, people: usize):
        "Undone: {people, plural, one {# person is} other {# people are}} in batch {from} again.";
    "undone.batchLeft" = undone_batch_left(from: &str, people: usize):
        "Undone: {people, plural, one {# person} other {# people}} of batch {from} {people, plural, one {is} other {are}} active again.";
    "undone.holdStays" = undone_hold_stays(title: &str, name: &str):
        "The reservation of “{title}” for {name} stays cancelled: its place is gone.";
    "undone.holdsStay" = undone_holds_stay(holds: usize):
        "{holds, plural, one {# more reservation stays} other {# more reservations stay}} cancelled.";
    "undone.chargeReversed" = undone_charge_reversed(title: &str, amount: Money):
        "Undone: {amount, number, money} for “{title}” is owed again, as before.";
    "undone.refunded" = undone_refunded(amount: Money): "Undone: {amount, number, money} is credit again.";
    "undone.bookDeleted" = undone_book_deleted(title: &str): "Undone: “{title}” is in the catalogue again.";
    "undone.peopleMerged" = undone_people_merged(name: &str): "Undone: {name} is a person of their own again.";
    "undone.other" = undone(): "Undone.";
    "change.overridden" = change_overridden(reason: &str): "Against the rules: {reason}";
    "change.rules" = change_rules(): "Rules changed.";
    "change.rulesFrom" = change_rules_from(day: Date): "Rules changed, from {day, date, medium} on.";
    "change.calendar" = change_calendar(): "Calendar changed.";
    "change.settings" = change_settings(): "Library settings changed.";
    "change.personAdded" = change_person_added(name: &str): "{name} added.";
    "change.personUpdated" = change_person_updated(name: &str): "Details of {name} changed.";
    "change.personDeactivated" = change_person_deactivated(): "Deactivated.";
    "change.personActivated" = change_person_activated(): "Active again.";
    "change.signInCodeMade" = change_sign_in_code_made(): "Sign-in code handed out.";
    "change.passwordSet" = change_password_set(): "Password chosen with a sign-in code.";
    "change.passwordChanged" = change_password_changed(): "Password changed; signed out in other browsers.";
    "change.secondFactorOn" = change_second_factor_on(): "Two-step sign-in turned on.";
    "change.secondFactorOff" = change_second_factor_off(): "Two-step sign-in turned off.";
    "change.secondFactorReset" = change_second_factor_reset(): "Two-step sign-in reset.";
    "change.recoveryCodesMade" = change_recovery_codes_made(): "New recovery codes made.";
    "change.recoveryCodeUsed" = change_recovery_code_used(left: i64):
        "Recovery code used; {left, plural, =0 {none is} one {# is} other {# are}} left.";
    "change.passkeyAdded" = change_passkey_added(): "Passkey added.";
    "change.passkeyRemoved" = change_passkey_removed(): "Passkey removed.";
    "change.providerLinked" = change_provider_linked(provider: &str): "Connected with {provider} to sign in there.";
    "change.providerUnlinked" = change_provider_unlinked(provider: &str): "Disconnected from {provider}.";
    "change.sessionsEnded" = change_sessions_ended(sessions: u64):
        "Signed out in {sessions, plural, one {one browser} other {# browsers}}.";
    "change.batchMoved" = change_batch_moved(from: &str, to: &str, people: usize):
        "{people, plural, one {# person} other {# people}} moved from batch {from} to {to}.";
    "change.batchLeft" = change_batch_left(from: &str, people: usize):
        "{people, plural, one {# person} other {# people}} of batch {from} deactivated.";
    "change.noDuesIssued" = change_no_dues_issued(number: &str): "No-dues certificate {number} issued.";
    "change.peopleMerged" = change_people_merged(name: &str, loans: usize, lines: usize):
        "Another record of the same person, {name}, merged into this one: {loans, plural, one {# loan} other {# loans}}, {lines, plural, one {# line of the account} other {# lines of the account}}.";
    "change.personErased" = change_person_erased(): "Personal data erased.";
    "change.readersForgotten" = change_readers_forgotten(loans: i64, holds: i64):
        "Readers forgotten: {loans, plural, one {# loan} other {# loans}}, {holds, plural, one {# hold} other {# holds}}.";
    "change.erased" = change_erased(): "Erased with the person's data.";
    "change.newer" = change_newer(): "Something newer, which this version of the program cannot show.";
    "change.librarianMade" = change_librarian_made(): "Made a librarian.";
    "change.librarianUnmade" = change_librarian_unmade(): "No longer a librarian.";
    "change.capabilitiesChanged" = change_capabilities_changed(): "What this librarian may do changed.";
    "change.dueDateMoved" = change_due_date_moved(title: &str, from: Date, to: Date):
        "Due date of “{title}” moved from {from, date, medium} to {to, date, medium}.";
    "change.holdPlaced" = change_hold_placed(title: &str, place: i64): "“{title}” reserved, place {place} in line.";
    "change.holdReady" = change_hold_ready(title: &str, barcode: &str, until: Date):
        "“{title}” (copy {barcode}) is kept until {until, date, medium}.";
    "change.holdCancelled" = change_hold_cancelled(title: &str): "Hold on “{title}” cancelled.";
    "change.holdExpired" = change_hold_expired(title: &str): "Hold on “{title}” expired: not picked up in time.";
    "change.holdPutBack" = change_hold_put_back(title: &str): "The copy of “{title}” that was kept went another way; first in line again.";
    "change.holdsReordered" = change_holds_reordered(title: &str, from: i64, to: i64):
        "Moved from place {from} to place {to} in the line for “{title}”.";
    "change.reason" = change_reason(reason: &str): "Reason: {reason}";
    "change.swapped" = change_swapped(in_hand: &str, lent: &str):
        "Copy {in_hand} came back in place of {lent}, which is missing.";
    "change.exchanged" = change_exchanged(in_hand: &str, lent: &str):
        "Copy {in_hand} came back in place of {lent}, which is with the reader who had {in_hand}.";
    "change.caught" = change_caught(): "Kept for the reader who is first in line.";
    "change.reviewDeleted" = change_review_deleted(rating: i64): "Review of {rating, plural, one {# star} other {# stars}} deleted.";
    "change.reviewed" = change_reviewed(rating: i64): "Reviewed with {rating, plural, one {# star} other {# stars}}.";

    // How a due date came about.
    "explain.due" = explain_due(days: i64, from: Date):
        "{days, plural, =0 {The day itself, {from, date, full}} one {# day from {from, date, full}} other {# days from {from, date, full}}}";
    "explain.renewed" = explain_renewed(days: i64, from: Date):
        "{days, plural, one {# day more} other {# days more}}, counted from {from, date, full}";
    "explain.renewedTimes" = explain_renewed_times(times: i64, day: Date):
        "Extended {times, plural, one {once} other {# times}}, to {day, date, full}";
    "explain.movedToOpenDay" = explain_moved_to_open_day(day: Date, to: Date):
        "{day, date, full} is closed; moved to {to, date, full}";
    "explain.movedPastHoliday" = explain_moved_past_holiday(day: Date, name: &str, to: Date):
        "{day, date, full} is closed ({name}); moved to {to, date, full}";
    "explain.allBackBy" = explain_all_back_by(day: Date): "All books are due back by {day, date, full}";
    "explain.allBackByClosed" = explain_all_back_by_closed(day: Date, to: Date):
        "All books are due back by {day, date, full}, which is closed; moved to {to, date, full}";
    "explain.validUntil" = explain_valid_until(day: Date): "This person may keep books until {day, date, full}";
    "explain.validUntilClosed" = explain_valid_until_closed(day: Date, to: Date):
        "This person may keep books until {day, date, full}, which is closed; moved to {to, date, full}";
    "explain.neverEarlier" = explain_never_earlier(day: Date):
        "Renewing never moves a date earlier; it stays {day, date, full}";
    "explain.neverOpen" = explain_never_open():
        "The calendar has no open day, so closed days are not taken into account";

    // How a fine came about.
    "explain.fine" = explain_fine(amount: Money, days: i64, rate: Money):
        "{amount, number, money} = {days, plural, one {# day} other {# days}} × {rate, number, money}";
    "explain.fineTwoRates" = explain_fine_two_rates(amount: Money, days1: i64, rate1: Money, days2: i64, rate2: Money):
        "{amount, number, money} = {days1, plural, one {# day} other {# days}} × {rate1, number, money} + {days2, plural, one {# day} other {# days}} × {rate2, number, money}";
    "explain.fineTotal" = explain_fine_total(amount: Money, days: i64):
        "{amount, number, money} for {days, plural, one {# day} other {# days}}";
    "explain.finePart" = explain_fine_part(days: i64, rate: Money):
        "{days, plural, one {# day} other {# days}} × {rate, number, money}";
    "explain.fineCapped" = explain_fine_capped(amount: Money, days: i64, rate: Money, sum: Money, max: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} × {rate, number, money} = {sum, number, money}, at most {max, number, money}";
    "explain.fineCappedTotal" = explain_fine_capped_total(amount: Money, days: i64, sum: Money, max: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} come to {sum, number, money}, at most {max, number, money}";
    "explain.fineCappedByDay" = explain_fine_capped_by_day(amount: Money, days: i64, sum: Money):
        "{amount, number, money}: {days, plural, one {# day} other {# days}} come to {sum, number, money}, cut by the highest fine of each day";
    "explain.grace" = explain_grace(days: i64, grace: i64):
        "{days, plural, one {# day} other {# days}} late, no fine up to {grace, plural, one {# day} other {# days}}";
    "explain.noFine" = explain_no_fine(days: i64):
        "{days, plural, one {# day} other {# days}} late, no fine";
    "explain.freeDays" = explain_free_days(days: i64):
        "{days, plural, one {# day} other {# days}} without a fine";
    "explain.notCounted" = explain_not_counted(day: Date): "{day, date, full} not counted";
    "explain.holidayNotCounted" = explain_holiday_not_counted(day: Date, name: &str):
        "{day, date, full} ({name}) not counted";
    "explain.paid" = explain_paid(amount: Money, receipt: &str): "{amount, number, money} paid, receipt {receipt}";
    "explain.waived" = explain_waived(amount: Money, reason: &str): "{amount, number, money} waived: {reason}";
    "explain.takenBack" = explain_taken_back(amount: Money): "{amount, number, money} taken back";
    "explain.owedAgain" = explain_owed_again(amount: Money):
        "{amount, number, money} owed again: what had settled it was undone";
    "explain.stillOpen" = explain_still_open(open: Money): "{open, number, money} still open";
    "explain.for" = explain_for(amount: Money, reason: &str): "{amount, number, money} for “{reason}”";
    "explain.notOwed" = explain_not_owed(amount: Money, reason: &str):
        "{amount, number, money} for “{reason}” is not owed any more";
    "explain.owedAgainFor" = explain_owed_again_for(amount: Money, reason: &str):
        "{amount, number, money} for “{reason}” is owed again";
    "explain.credit" = explain_credit(amount: Money): "{amount, number, money} had been paid and is credit now";
    "explain.lessCredit" = explain_less_credit(amount: Money): "{amount, number, money} less credit";
    "explain.price" = explain_price(price: Money, barcode: &str): "Price of copy {barcode}: {price, number, money}";
    "explain.priceChanged" = explain_price_changed(amount: Money, price: Money, barcode: &str):
        "{amount, number, money} asked; the price of copy {barcode} is {price, number, money}";
    "explain.priceUnknown" = explain_price_unknown(amount: Money, barcode: &str):
        "{amount, number, money} asked; no price is recorded for copy {barcode}";
    "explain.closedDaysNotCounted" = explain_closed_days_not_counted(days: i64):
        "{days, plural, one {# closed day} other {# closed days}} not counted";
}

impl Message {
    /// The message in English, with the library's currency sign.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_with(&CURRENCY.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The message in English, with this currency sign.
    #[must_use]
    pub fn text_with(&self, sign: &str) -> String {
        let template = TEMPLATES.iter().find(|template| template.code == self.code);
        let parts = template.and_then(|template| parse(template.text).ok()).unwrap_or_default();
        let mut text = String::new();
        render(&parts, &self.params, sign, None, &mut text);
        text
    }
}

/// A message as it is kept in the database: without its text.
#[derive(Serialize, serde::Deserialize)]
struct Stored<'m> {
    code: Cow<'m, str>,
    params: Map<String, Value>,
}

impl Message {
    /// Messages for [`Self::stored`], as JSON.
    #[must_use]
    pub fn to_stored(messages: &[Self]) -> String {
        let stored: Vec<Stored<'_>> = messages
            .iter()
            .map(|message| Stored { code: message.code.into(), params: message.params.clone() })
            .collect();
        // Codes and parameters cannot fail to serialise.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Messages that were kept; one whose template is gone is left out.
    #[must_use]
    pub fn stored(json: &str) -> Vec<Self> {
        let stored: Vec<Stored<'_>> = serde_json::from_str(json).unwrap_or_default();
        stored
            .into_iter()
            .filter_map(|stored| {
                let template = TEMPLATES.iter().find(|template| template.code == stored.code)?;
                Some(Self { code: template.code, params: stored.params })
            })
            .collect()
    }
}

/// The currency sign of the library's settings. A process serves one library; the settings set it when they are read.
static CURRENCY: RwLock<Cow<'static, str>> = RwLock::new(Cow::Borrowed("₹"));

/// Sets the currency sign of [`Message::text`].
pub fn set_currency(sign: &str) {
    *CURRENCY.write().unwrap_or_else(PoisonError::into_inner) = Cow::Owned(sign.to_owned());
}

/// Several messages as one line.
#[must_use]
pub fn joined(messages: &[Message]) -> String {
    messages.iter().map(Message::text).collect::<Vec<_>>().join("; ")
}

impl From<Message> for String {
    fn from(message: Message) -> Self {
        message.text()
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut message = serializer.serialize_struct("Message", 3)?;
        message.serialize_field("code", self.code)?;
        message.serialize_field("params", &self.params)?;
        message.serialize_field("text", &self.text())?;
        message.end()
    }
}

/// What [`Message`] is on the wire.
#[derive(utoipa::ToSchema)]
#[schema(as = Message)]
#[expect(dead_code, reason = "stands for its schema")]
struct Wire {
    /// Tells one message from another: the template is `x-messages[code]`.
    code: String,
    /// What the template is filled with.
    params: Map<String, Value>,
    /// The message in English.
    text: String,
}

impl utoipa::PartialSchema for Message {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        Wire::schema()
    }
}

impl utoipa::ToSchema for Message {
    fn name() -> Cow<'static, str> {
        "Message".into()
    }
}

/// A piece of a template.
#[derive(Debug, PartialEq)]
enum Part<'t> {
    Text(&'t str),
    /// `#`: the number of the plural around it.
    Count,
    Param(&'t str, Format<'t>),
}

#[derive(Debug, PartialEq)]
enum Format<'t> {
    Plain,
    Number,
    Money,
    /// `28 Nov 2026`
    Medium,
    /// `Sunday 22 Nov`
    Full,
    Plural(Vec<(&'t str, Vec<Part<'t>>)>),
}

/// Splits `{…}…` into what is inside the first pair of braces and what follows it.
fn braced(text: &str) -> Result<(&str, &str), String> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Ok((&text[1..at], &text[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    Err(format!("a brace is left open: {text}"))
}

fn parse(mut text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    while let Some(at) = text.find(['{', '}', '#']) {
        if at > 0 {
            parts.push(Part::Text(&text[..at]));
        }
        text = &text[at..];
        match text.as_bytes()[0] {
            b'#' => {
                parts.push(Part::Count);
                text = &text[1..];
            }
            b'{' => {
                let (inside, rest) = braced(text)?;
                parts.push(param(inside)?);
                text = rest;
            }
            _ => return Err(format!("a brace too many: {text}")),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

fn param(inside: &str) -> Result<Part<'_>, String> {
    let mut words = inside.splitn(3, ',').map(str::trim);
    let name = words.next().unwrap_or_default();
    let format = match (words.next(), words.next()) {
        (None, _) => Format::Plain,
        (Some("number"), None) => Format::Number,
        (Some("number"), Some("money")) => Format::Money,
        (Some("date"), Some("medium")) => Format::Medium,
        (Some("date"), Some("full")) => Format::Full,
        (Some("plural"), Some(mut rest)) => {
            let mut choices = Vec::new();
            while !rest.is_empty() {
                let at = rest.find('{').ok_or_else(|| format!("no words for {rest}"))?;
                let (words, after) = braced(&rest[at..])?;
                choices.push((rest[..at].trim(), parse(words)?));
                rest = after.trim_start();
            }
            if choices.last().is_none_or(|(name, _)| *name != "other") {
                return Err(format!("a plural ends with other: {inside}"));
            }
            Format::Plural(choices)
        }
        _ => return Err(format!("not in the subset: {inside}")),
    };
    Ok(Part::Param(name, format))
}

fn render(parts: &[Part<'_>], params: &Map<String, Value>, sign: &str, count: Option<i64>, out: &mut String) {
    for part in parts {
        let (name, format) = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Count => {
                out.push_str(&grouped(count.unwrap_or_default(), sign));
                continue;
            }
            Part::Param(name, format) => (name, format),
        };
        let value = params.get(*name).unwrap_or(&Value::Null);
        let number = value.as_i64().unwrap_or_default();
        let day = || value.as_str().and_then(|day| day.parse::<Date>().ok()).unwrap_or_default();
        match format {
            Format::Plain => match value {
                Value::String(text) => out.push_str(text),
                // A message within a message.
                Value::Object(message) => {
                    out.push_str(message.get("text").and_then(Value::as_str).unwrap_or_default());
                }
                other => out.push_str(&other.to_string()),
            },
            Format::Number => out.push_str(&grouped(number, sign)),
            Format::Money => {
                let amount = value.as_f64().and_then(Money::from_number).unwrap_or_default();
                let (units, rest) = amount.parts();
                out.push_str(if amount < Money::ZERO { "-" } else { "" });
                out.push_str(sign);
                out.push_str(&grouped(i64::try_from(units).unwrap_or(i64::MAX), sign));
                if rest > 0 {
                    let _ = write!(out, ".{rest:02}");
                }
            }
            Format::Medium => out.push_str(&day().strftime("%-d %b %Y").to_string()),
            Format::Full => out.push_str(&day().strftime("%A %-d %b").to_string()),
            Format::Plural(choices) => {
                let exact = format!("={number}");
                let chosen = choices
                    .iter()
                    .find(|(name, _)| *name == exact)
                    .or_else(|| choices.iter().find(|(name, _)| *name == "one" && number == 1))
                    .or_else(|| choices.last());
                if let Some((_, words)) = chosen {
                    render(words, params, sign, Some(number), out);
                }
            }
        }
    }
}

/// A whole number with its digits grouped: 12,34,567 where money is counted in rupees, 1,234,567 elsewhere.
fn grouped(number: i64, sign: &str) -> String {
    let digits = number.unsigned_abs().to_string();
    let wide = if sign == "₹" { 2 } else { 3 };
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && (left == 3 || (left > 3 && (left - 3).is_multiple_of(wide))) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::civil::date;
    use serde_json::json;

    use super::*;

    fn names<'t>(parts: &[Part<'t>], inside_plural: bool, found: &mut BTreeSet<&'t str>) {
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Count => assert!(inside_plural, "# stands for the number of a plural"),
                Part::Param(name, format) => {
                    found.insert(name);
                    if let Format::Plural(choices) = format {
                        for (choice, words) in choices {
                            let exact = choice.strip_prefix('=').is_some_and(|n| n.parse::<i64>().is_ok());
                            assert!(matches!(*choice, "one" | "other") || exact, "{choice}");
                            names(words, true, found);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_template_parses_and_names_exactly_the_parameters_of_its_constructor() {
        let mut codes = BTreeSet::new();
        for template in TEMPLATES {
            assert!(codes.insert(template.code), "{} stands there twice", template.code);
            let parts = parse(template.text).unwrap_or_else(|error| panic!("{}: {error}", template.code));
            let mut found = BTreeSet::new();
            names(&parts, false, &mut found);
            let declared: BTreeSet<&str> = template.params.iter().copied().collect();
            assert_eq!(found, declared, "{}", template.code);
            // MessageFormat would read it as a quote.
            assert!(!template.text.contains("'{") && !template.text.contains("'}"), "{}", template.code);
        }
    }

    #[test]
    fn a_template_that_the_renderer_does_not_understand_is_noticed() {
        for bad in [
            "{",
            "}",
            "{a",
            "{n, plural, one {# day}}",
            "{n, select, other {}}",
            "{d, date, short}",
            "{n, plural, other}",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn amounts_days_and_plurals_are_written_in_english() {
        let (rate, day) = (Money::main(5), date(2026, 11, 22));
        assert_eq!(explain_fine(Money::main(15), 3, rate).text(), "₹15 = 3 days × ₹5");
        assert_eq!(explain_fine(Money(750), 1, Money(750)).text(), "₹7.50 = 1 day × ₹7.50");
        assert_eq!(explain_fine(Money::main(15), 3, rate).text_with("$"), "$15 = 3 days × $5");
        assert_eq!(explain_not_counted(day).text(), "Sunday 22 Nov not counted");
        assert_eq!(
            day_out_of_range("The day", date(2026, 1, 1), date(2026, 11, 28)).text(),
            "The day must be a day from 1 Jan 2026 to 28 Nov 2026."
        );
        assert_eq!(explain_due(0, day).text(), "The day itself, Sunday 22 Nov");
        assert_eq!(explain_due(1, day).text(), "1 day from Sunday 22 Nov");
        assert_eq!(explain_due(7, day).text(), "7 days from Sunday 22 Nov");
    }

    #[test]
    fn long_numbers_are_grouped_as_the_currency_is_counted() {
        for (number, rupees, dollars) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1,000"),
            (123_456, "1,23,456", "123,456"),
            (12_345_678, "1,23,45,678", "12,345,678"),
            (-50_000, "-50,000", "-50,000"),
        ] {
            assert_eq!((grouped(number, "₹"), grouped(number, "$")), (rupees.to_owned(), dollars.to_owned()));
        }
        let amount = amount_out_of_range("X", Money(-205), Money(123_456_789));
        assert_eq!(amount.text(), "X must be an amount from -₹2.05 to ₹12,34,567.89.");
    }

    #[test]
    fn a_message_travels_with_its_code_its_parameters_and_its_words() {
        let message = explain_moved_past_holiday(date(2026, 12, 25), "Christmas", date(2026, 12, 26));
        assert_eq!(
            serde_json::to_value(message).unwrap(),
            json!({
                "code": "explain.movedPastHoliday",
                "params": { "day": "2026-12-25", "name": "Christmas", "to": "2026-12-26" },
                "text": "Friday 25 Dec is closed (Christmas); moved to Saturday 26 Dec",
            })
        );
    }
}
