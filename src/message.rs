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
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Tells one message from another; never changes.
    pub code: &'static str,
    /// What the template is filled with: text, numbers, days as ISO text, amounts in the currency's main unit.
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
    "commonPassword" = common_password():
        "This password is among the most common ones. Choose another, for instance four unrelated words.";
    "taken" = taken(label: &str, value: &str): "{label} “{value}” is already in the list.";
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

    // Requests that failed.
    "problem.invalid" = problem_invalid(count: usize):
        "{count, plural, one {# field needs your attention.} other {# fields need your attention.}}";
    "problem.malformed-json" = problem_malformed_json(reason: &str):
        "The request's body is not well-formed JSON: {reason}.";
    "problem.payload-too-large" = problem_payload_too_large(max: usize):
        "The request's body is larger than {max} KiB.";
    "problem.request-timeout" = problem_request_timeout():
        "The request did not arrive in time. Nothing was changed; please try again.";
    "problem.unsupported-media-type" = problem_unsupported_media_type():
        "The request's body must be JSON, sent with Content-Type: application/json.";
    "problem.not-signed-in" = problem_not_signed_in(): "Please sign in first.";
    "problem.invalid-credentials" = problem_invalid_credentials(): "Invalid email or password.";
    "problem.role-undefined" = problem_role_undefined(): "User role not defined.";
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
    "problem.stale" = problem_stale():
        "Somebody else saved this while you were editing it. Nothing was overwritten.";
    "problem.idempotency-key-reused" = problem_idempotency_key_reused():
        "This Idempotency-Key was used for another request. Nothing was changed; send each new request with a new key.";
    "problem.version-required" = problem_version_required():
        "Say which version you edited: send the ETag that you loaded in If-Match.";
    "problem.too-many-requests" = problem_too_many_requests(seconds: u64, minutes: u64):
        "Too many tries. Wait {minutes, plural, =0 {{seconds, plural, one {a second} other {# seconds}}} one {a minute} other {# minutes}} and try again.";
    "problem.card-unknown" = problem_card_unknown(): "No user found for the scanned roll number.";
    "problem.card-role-unknown" = problem_card_role_unknown(): "User role is not recognized.";
    "problem.busy" = problem_busy(): "The library is very busy. Nothing was changed; please try again in a moment.";
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
    "effect.nothing" = effect_nothing(): "No open loan changes";
    "notBarcode" = not_barcode(label: &str):
        "{label} must be letters, digits, spaces and signs that a barcode can hold (printable ASCII).";
    "barcodeTaken" = barcode_taken(barcode: &str):
        "{barcode} is the barcode of another copy, or a reader's roll number. Use another one.";
    "barcodeTwice" = barcode_twice(barcode: &str): "{barcode} is in the list twice.";
    "tooManyBarcodes" = too_many_barcodes(given: usize, wanted: i64):
        "There are {given, plural, one {# barcode} other {# barcodes}} for {wanted, plural, one {# copy} other {# copies}}.";

    // Why circulation refuses something.
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
    "block.renewLimit" = block_renew_limit(used: i64, max: i64):
        "This loan was extended {used, plural, one {once} other {# times}}; {max} is the most.";

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
    "change.charged" = change_charged(amount: Money): "{amount, number, money} kept from before.";
    "change.overridden" = change_overridden(reason: &str): "Against the rules: {reason}";
    "change.rules" = change_rules(): "Rules changed.";
    "change.rulesFrom" = change_rules_from(day: Date): "Rules changed, from {day, date, medium} on.";
    "change.calendar" = change_calendar(): "Calendar changed.";
    "change.settings" = change_settings(): "Library settings changed.";
    "change.dueDateMoved" = change_due_date_moved(title: &str, from: Date, to: Date):
        "Due date of “{title}” moved from {from, date, medium} to {to, date, medium}.";
    "change.reviewDeleted" = change_review_deleted(rating: i64): "Review of {rating, plural, one {# star} other {# stars}} deleted.";
    "change.reviewed" = change_reviewed(rating: i64): "Reviewed with {rating, plural, one {# star} other {# stars}}.";

    "explain.charged" = explain_charged(amount: Money): "{amount, number, money} from before the last renewal";

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
