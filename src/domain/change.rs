//! Changes: one typed value for every effect, stored in its transaction and never edited. The activity log, the history
//! of a copy and the explanations read them; nothing parses free text.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    account::{Capability, Role, User},
    book::Status,
    calendar::CalendarForm,
    copy::{Condition, State},
    hold::HoldState,
    id::{BookId, ChangeId, CopyId, HoldId, LineId, LoanId, ReviewId, UserId},
    ledger::{ChargeKind, Method, Settled},
    library::LibrarySettings,
    money::Money,
    person::Details,
    review::Review,
    rules::Rules,
};
use crate::message::{self, Message};

/// An effect with its own fields. Stored as JSON under version 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Change {
    Registered {
        role: Role,
    },
    ProfileUpdated {
        before: Profile,
        after: Profile,
    },
    SignedIn,
    BookAdded {
        book: Record,
    },
    BookUpdated {
        before: Record,
        after: Record,
    },
    BookDeleted {
        book: Record,
    },
    BooksImported {
        first: BookId,
        last: BookId,
        count: i64,
    },
    /// `copies` lists the first of them.
    CopiesAdded {
        count: i64,
        copies: Vec<AddedCopy>,
    },
    CopyUpdated {
        copy: CopyId,
        before: CopyRecord,
        after: CopyRecord,
    },
    CopyMoved {
        copy: CopyId,
        barcode: String,
        from: State,
        to: Condition,
        note: String,
    },
    Lent {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        barcode: Option<String>,
        due: Date,
        /// Overridden blocks and the reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
        /// The borrower's own hold, fulfilled by the loan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filled: Option<EndedHold>,
        /// Another reader's hold that kept the copy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed_over: Option<PassedOver>,
        /// Condition of the copy before, unless on the shelf.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<Condition>,
    },
    Returned {
        loan: LoanId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<CopyId>,
        due: Date,
        on: Date,
        to: Condition,
        fine: Money,
        /// The hold for which the copy is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caught: Option<HoldId>,
        /// Charge of the fine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        /// Condition stored during the loan, unless `OnShelf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        was: Option<Condition>,
        /// The swap, if another copy than the lent one was returned (R-DESK-6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        swapped: Option<Swapped>,
    },
    Renewed {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
        /// The fine charged by the renewal (R-MONEY-5).
        #[serde(default, skip_serializing_if = "is_zero")]
        charged: Money,
        /// Charge of `charged`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        /// Explanation of the earlier return date: messages, JSON.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasons_before: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    Charged {
        line: LineId,
        of: ChargeKind,
        amount: Money,
        reason: String,
    },
    Paid {
        line: LineId,
        receipt: String,
        amount: Money,
        method: Method,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reference: String,
        settled: Vec<Settled>,
    },
    Waived {
        line: LineId,
        charge: LineId,
        of: ChargeKind,
        amount: Money,
        reason: String,
    },
    /// A charge was reversed, such as the price of a copy that was found.
    ChargeReversed {
        line: LineId,
        charge: LineId,
        of: ChargeKind,
        title: String,
        amount: Money,
        /// Paid part of the charge.
        #[serde(default, skip_serializing_if = "is_zero")]
        credit: Money,
        reason: String,
    },
    Refunded {
        line: LineId,
        amount: Money,
        method: Method,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reference: String,
    },
    /// A loan ended because its reader lost the copy (R-MONEY-4).
    DeclaredLost {
        loan: LoanId,
        title: String,
        copy: CopyId,
        barcode: String,
        due: Date,
        /// `Lost`; `Withdrawn` if the title is deleted.
        to: Condition,
        was: Condition,
        fine: Money,
        /// Charge of the fine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charge: Option<LineId>,
        price: Money,
        /// Charge of the price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        price_charge: Option<LineId>,
    },
    /// Another change was undone.
    Undone {
        change: ChangeId,
        first: Box<Change>,
    },
    Reviewed {
        review: ReviewId,
        rating: i64,
        /// The reader's earlier review.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Opinion>,
    },
    ReviewDeleted {
        review: ReviewId,
        before: Opinion,
    },
    RulesChanged {
        before: Box<Rules>,
        after: Box<Rules>,
    },
    CalendarChanged {
        before: CalendarForm,
        after: CalendarForm,
    },
    SettingsChanged {
        before: Box<LibrarySettings>,
        after: Box<LibrarySettings>,
    },
    PersonAdded {
        person: Details,
    },
    PersonUpdated {
        before: Details,
        after: Details,
    },
    /// The person may no longer sign in, borrow or hold; loans and dues stay open.
    PersonDeactivated {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    PersonActivated,
    /// A code for the first sign-in or a forgotten password.
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
    /// A batch moved up or left (R-PEOPLE-5). Lists the ids of all people concerned.
    BatchMoved {
        from: String,
        /// `None` if they were deactivated.
        to: Option<String>,
        people: Vec<UserId>,
    },
    NoDuesIssued {
        number: String,
    },
    /// Another record of the same person was merged into this one (R-PEOPLE-9).
    PeopleMerged {
        dropped: UserId,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roll_number: Option<String>,
        /// Number of rows moved.
        loans: usize,
        lines: usize,
    },
    /// The person's own data was erased.
    PersonErased,
    /// Old loans and holds lost their readers' names (R-PEOPLE-10).
    ReadersForgotten {
        loans: i64,
        holds: i64,
    },
    /// Replaces a change that named an erased person.
    Erased,
    LibrarianMade {
        capabilities: Vec<Capability>,
    },
    LibrarianUnmade {
        capabilities: Vec<Capability>,
    },
    CapabilitiesChanged {
        before: Vec<Capability>,
        after: Vec<Capability>,
    },
    /// A change of rules or calendar moved the due date.
    DueDateMoved {
        loan: LoanId,
        title: String,
        from: Date,
        to: Date,
    },
    HoldPlaced {
        hold: HoldId,
        title: String,
        /// Place in the queue, from 1.
        place: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        overridden: Option<Overridden>,
    },
    /// A copy is kept for the person.
    HoldReady {
        hold: HoldId,
        title: String,
        copy: CopyId,
        barcode: String,
        until: Date,
        /// State of the copy before.
        from: State,
    },
    HoldCancelled {
        #[serde(flatten)]
        ended: EndedHold,
        title: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The person did not fetch the copy in time.
    HoldExpired {
        #[serde(flatten)]
        ended: EndedHold,
        title: String,
    },
    /// The kept copy is not available; the person is first in the queue again.
    HoldPutBack {
        #[serde(flatten)]
        before: PassedOver,
        title: String,
    },
    /// A person was moved to another place in the queue.
    HoldsReordered {
        hold: HoldId,
        title: String,
        from: i64,
        to: i64,
        /// Sort keys of the queue before and after.
        before: Vec<QueueKey>,
        after: Vec<QueueKey>,
        reason: String,
    },
    /// Any other kind or shape.
    #[serde(untagged)]
    Unknown(Unknown),
}

/// A change that a newer version of the program wrote, as stored (R-SEAM-9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unknown {
    pub kind: String,
    #[serde(flatten)]
    pub raw: Map<String, Value>,
}

/// A swap: another copy of the title was returned than the lent one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Swapped {
    /// The lent copy.
    pub copy: CopyId,
    pub barcode: String,
    /// Barcode of the returned copy.
    pub in_hand: String,
    /// The loan of the returned copy, which has the lent copy now. `None` if it was not on loan; the lent copy is
    /// missing then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<LoanId>,
    /// Condition of the lent copy before.
    pub was: Condition,
}

/// An ended hold, with what its undo restores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedHold {
    pub hold: HoldId,
    /// [`HoldState::Ready`] if a copy was kept, otherwise [`HoldState::Waiting`].
    pub was: HoldState,
    /// The kept copy and its last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// The hold that keeps the copy now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_to: Option<HoldId>,
}

/// A hold that lost its kept copy, with what its undo restores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    pub hold: HoldId,
    pub copy: CopyId,
    pub until: Date,
    /// Sort key in the queue before.
    pub queue_key: i64,
    /// True if it is cancelled; otherwise it is first in the queue again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancelled: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Sort key of a hold in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueKey {
    pub hold: HoldId,
    pub key: i64,
}

/// Stars and text of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    pub rating: i64,
    pub comment: String,
}

impl From<&Review> for Opinion {
    fn from(review: &Review) -> Self {
        Self { rating: review.rating, comment: review.comment.clone() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(amount: &Money) -> bool {
    *amount == Money::ZERO
}

fn messages_of_deactivation(reason: &str) -> Vec<Message> {
    let reason = (!reason.is_empty()).then(|| message::change_note(reason));
    std::iter::once(message::change_person_deactivated()).chain(reason).collect()
}

impl Change {
    /// The loans that the change began, ended or moved.
    #[must_use]
    pub fn loans(&self) -> Vec<LoanId> {
        match self {
            Self::Lent { loan, .. } | Self::Renewed { loan, .. } | Self::DeclaredLost { loan, .. } => {
                vec![*loan]
            }
            Self::Returned { loan, swapped, .. } => {
                std::iter::once(*loan).chain(swapped.as_ref().and_then(|swapped| swapped.with)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Name of the kind in the database and the API.
    #[must_use]
    pub fn action(&self) -> &str {
        match self {
            Self::Registered { .. } => "registered",
            Self::ProfileUpdated { .. } => "profile-updated",
            Self::SignedIn => "signed-in",
            Self::BookAdded { .. } => "book-added",
            Self::BookUpdated { .. } => "book-updated",
            Self::BookDeleted { .. } => "book-deleted",
            Self::BooksImported { .. } => "books-imported",
            Self::CopiesAdded { .. } => "copies-added",
            Self::CopyUpdated { .. } => "copy-updated",
            Self::CopyMoved { .. } => "copy-moved",
            Self::Lent { .. } => "lent",
            Self::Returned { .. } => "returned",
            Self::Renewed { .. } => "renewed",
            Self::Charged { .. } => "charged",
            Self::Paid { .. } => "paid",
            Self::Waived { .. } => "waived",
            Self::ChargeReversed { .. } => "charge-reversed",
            Self::Refunded { .. } => "refunded",
            Self::DeclaredLost { .. } => "declared-lost",
            Self::Undone { .. } => "undone",
            Self::Reviewed { .. } => "reviewed",
            Self::ReviewDeleted { .. } => "review-deleted",
            Self::RulesChanged { .. } => "rules-changed",
            Self::CalendarChanged { .. } => "calendar-changed",
            Self::SettingsChanged { .. } => "settings-changed",
            Self::PersonAdded { .. } => "person-added",
            Self::PersonUpdated { .. } => "person-updated",
            Self::PersonDeactivated { .. } => "person-deactivated",
            Self::PersonActivated => "person-activated",
            Self::SignInCodeMade { .. } => "sign-in-code-made",
            Self::PasswordSet { .. } => "password-set",
            Self::PasswordChanged => "password-changed",
            Self::SecondFactorOn => "second-factor-on",
            Self::SecondFactorOff => "second-factor-off",
            Self::SecondFactorReset => "second-factor-reset",
            Self::PasskeyAdded => "passkey-added",
            Self::PasskeyRemoved => "passkey-removed",
            Self::RecoveryCodesMade => "recovery-codes-made",
            Self::RecoveryCodeUsed { .. } => "recovery-code-used",
            Self::SessionsEnded { .. } => "sessions-ended",
            Self::ProviderLinked { .. } => "provider-linked",
            Self::ProviderUnlinked { .. } => "provider-unlinked",
            Self::BatchMoved { .. } => "batch-moved",
            Self::NoDuesIssued { .. } => "no-dues-issued",
            Self::PeopleMerged { .. } => "people-merged",
            Self::PersonErased => "person-erased",
            Self::ReadersForgotten { .. } => "readers-forgotten",
            Self::Erased => "erased",
            Self::Unknown(Unknown { kind, .. }) => kind,
            Self::LibrarianMade { .. } => "librarian-made",
            Self::LibrarianUnmade { .. } => "librarian-unmade",
            Self::CapabilitiesChanged { .. } => "capabilities-changed",
            Self::DueDateMoved { .. } => "due-date-moved",
            Self::HoldPlaced { .. } => "hold-placed",
            Self::HoldReady { .. } => "hold-ready",
            Self::HoldCancelled { .. } => "hold-cancelled",
            Self::HoldExpired { .. } => "hold-expired",
            Self::HoldPutBack { .. } => "hold-put-back",
            Self::HoldsReordered { .. } => "holds-reordered",
        }
    }
}

impl Change {
    /// Describes what happened.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        match self {
            Self::Registered { role } => vec![message::change_registered(role.as_str())],
            Self::ProfileUpdated { .. } => vec![message::change_profile_updated()],
            Self::SignedIn => vec![message::change_signed_in()],
            Self::BookAdded { .. }
            | Self::BookUpdated { .. }
            | Self::BookDeleted { .. }
            | Self::BooksImported { .. }
            | Self::CopiesAdded { .. }
            | Self::CopyUpdated { .. }
            | Self::CopyMoved { .. } => self.messages_of_stock(),
            Self::Lent { title, barcode, due, overridden, .. } => {
                let lent = match barcode {
                    Some(barcode) => message::change_lent_copy(title, barcode, *due),
                    None => message::change_lent(title, *due),
                };
                std::iter::once(lent).chain(overridden.as_ref().map(Overridden::message)).collect()
            }
            Self::Returned { title, to, fine, caught, swapped, .. } => {
                let returned = match to {
                    _ if caught.is_some() => message::change_returned_elsewhere(title),
                    Condition::OnShelf => message::change_returned(title),
                    Condition::ToShelve => message::change_returned_to_shelve(title),
                    _ => message::change_returned_elsewhere(title),
                };
                let fine = (*fine > Money::ZERO).then(|| message::change_with_fine(*fine));
                let caught = caught.map(|_| message::change_caught());
                let swapped = swapped.as_ref().map(Swapped::message);
                std::iter::once(returned).chain(swapped).chain(fine).chain(caught).collect()
            }
            Self::Renewed { title, from, to, charged, overridden, .. } => {
                let charged = (*charged > Money::ZERO).then(|| message::change_charged(*charged));
                std::iter::once(message::change_renewed(title, *from, *to))
                    .chain(charged)
                    .chain(overridden.as_ref().map(Overridden::message))
                    .collect()
            }
            Self::Charged { .. }
            | Self::Paid { .. }
            | Self::Waived { .. }
            | Self::ChargeReversed { .. }
            | Self::Refunded { .. }
            | Self::DeclaredLost { .. } => self.money_messages(),
            Self::Undone { first, .. } => match &**first {
                Self::Unknown(_) => first.messages(),
                first => first.undone().into_iter().collect(),
            },
            Self::Reviewed { rating, .. } => vec![message::change_reviewed(*rating)],
            Self::ReviewDeleted { before, .. } => vec![message::change_review_deleted(before.rating)],
            Self::RulesChanged { after, .. } => vec![match after.effective_from {
                Some(day) => message::change_rules_from(day),
                None => message::change_rules(),
            }],
            Self::CalendarChanged { .. } => vec![message::change_calendar()],
            Self::SettingsChanged { .. } => vec![message::change_settings()],
            Self::PersonAdded { person } => vec![message::change_person_added(&person.name)],
            Self::PersonUpdated { after, .. } => vec![message::change_person_updated(&after.name)],
            Self::PersonDeactivated { reason } => messages_of_deactivation(reason),
            Self::PersonActivated => vec![message::change_person_activated()],
            Self::SignInCodeMade { .. } => vec![message::change_sign_in_code_made()],
            Self::PasswordSet { .. } => vec![message::change_password_set()],
            Self::PasswordChanged => vec![message::change_password_changed()],
            Self::SecondFactorOn
            | Self::SecondFactorOff
            | Self::SecondFactorReset
            | Self::PasskeyAdded
            | Self::PasskeyRemoved
            | Self::RecoveryCodesMade
            | Self::RecoveryCodeUsed { .. }
            | Self::ProviderLinked { .. }
            | Self::ProviderUnlinked { .. } => self.message_of_sign_in().into_iter().collect(),
            Self::SessionsEnded { sessions } => vec![message::change_sessions_ended(*sessions)],
            Self::BatchMoved { from, to, people } => vec![match to {
                Some(to) => message::change_batch_moved(from, to, people.len()),
                None => message::change_batch_left(from, people.len()),
            }],
            Self::NoDuesIssued { number } => vec![message::change_no_dues_issued(number)],
            Self::PeopleMerged { name, loans, lines, .. } => {
                vec![message::change_people_merged(name, *loans, *lines)]
            }
            Self::PersonErased => vec![message::change_person_erased()],
            Self::ReadersForgotten { loans, holds } => {
                vec![message::change_readers_forgotten(*loans, *holds)]
            }
            Self::Erased => vec![message::change_erased()],
            Self::Unknown(_) => vec![message::change_newer()],
            Self::LibrarianMade { .. } => vec![message::change_librarian_made()],
            Self::LibrarianUnmade { .. } => vec![message::change_librarian_unmade()],
            Self::CapabilitiesChanged { .. } => vec![message::change_capabilities_changed()],
            Self::DueDateMoved { title, from, to, .. } => {
                vec![message::change_due_date_moved(title, *from, *to)]
            }
            Self::HoldPlaced { .. }
            | Self::HoldReady { .. }
            | Self::HoldCancelled { .. }
            | Self::HoldExpired { .. }
            | Self::HoldPutBack { .. }
            | Self::HoldsReordered { .. } => self.messages_of_hold(),
        }
    }

    /// Message of a change to second factors, passkeys or the provider.
    fn message_of_sign_in(&self) -> Option<Message> {
        Some(match self {
            Self::SecondFactorOn => message::change_second_factor_on(),
            Self::SecondFactorOff => message::change_second_factor_off(),
            Self::SecondFactorReset => message::change_second_factor_reset(),
            Self::PasskeyAdded => message::change_passkey_added(),
            Self::PasskeyRemoved => message::change_passkey_removed(),
            Self::RecoveryCodesMade => message::change_recovery_codes_made(),
            Self::ProviderLinked { provider } => message::change_provider_linked(provider),
            Self::ProviderUnlinked { provider } => message::change_provider_unlinked(provider),
            Self::RecoveryCodeUsed { left } => message::change_recovery_code_used(*left),
            _ => return None,
        })
    }

    fn messages_of_stock(&self) -> Vec<Message> {
        match self {
            Self::BookAdded { book } => vec![message::change_book_added(&book.title)],
            Self::BookUpdated { after, .. } => vec![message::change_book_updated(&after.title)],
            Self::BookDeleted { book } => vec![message::change_book_deleted(&book.title)],
            Self::BooksImported { count, .. } => vec![message::change_books_imported(*count)],
            Self::CopiesAdded { count, copies } => {
                let first = copies.first().map_or("", |copy| copy.barcode.as_str());
                vec![message::change_copies_added(*count, first)]
            }
            Self::CopyUpdated { after, .. } => vec![message::change_copy_updated(&after.barcode)],
            Self::CopyMoved { barcode, from, to, note, .. } => moved(barcode, *from, *to, note),
            _ => Vec::new(),
        }
    }

    fn messages_of_hold(&self) -> Vec<Message> {
        match self {
            Self::HoldPlaced { title, place, overridden, .. } => {
                let placed = message::change_hold_placed(title, *place);
                std::iter::once(placed).chain(overridden.as_ref().map(Overridden::message)).collect()
            }
            Self::HoldReady { title, barcode, until, .. } => {
                vec![message::change_hold_ready(title, barcode, *until)]
            }
            Self::HoldCancelled { title, reason, .. } => {
                let cancelled = message::change_hold_cancelled(title);
                let reason = (!reason.is_empty()).then(|| message::change_reason(reason));
                std::iter::once(cancelled).chain(reason).collect()
            }
            Self::HoldExpired { title, .. } => vec![message::change_hold_expired(title)],
            Self::HoldPutBack { title, .. } => vec![message::change_hold_put_back(title)],
            Self::HoldsReordered { title, from, to, reason, .. } => {
                vec![message::change_holds_reordered(title, *from, *to), message::change_reason(reason)]
            }
            _ => Vec::new(),
        }
    }

    /// Messages of a change to money.
    fn money_messages(&self) -> Vec<Message> {
        match self {
            Self::Charged { of, amount, reason, .. } => {
                vec![message::change_charged_for(of.as_str(), *amount, reason)]
            }
            Self::Paid { receipt, amount, method, .. } => {
                vec![message::change_paid(*amount, method.as_str(), receipt)]
            }
            Self::Waived { amount, reason, .. } => {
                vec![message::change_waived(*amount), message::change_reason(reason)]
            }
            Self::ChargeReversed { title, amount, credit, reason, .. } => {
                let credit = (*credit > Money::ZERO).then(|| message::explain_credit(*credit));
                std::iter::once(message::change_charge_reversed(title, *amount))
                    .chain(credit)
                    .chain([message::change_reason(reason)])
                    .collect()
            }
            Self::Refunded { amount, method, .. } => {
                vec![message::change_refunded(*amount, method.as_str())]
            }
            Self::DeclaredLost { title, barcode, fine, price, .. } => {
                let fine = (*fine > Money::ZERO).then(|| message::change_with_fine(*fine));
                std::iter::once(message::change_declared_lost(title, barcode, *price)).chain(fine).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Change {
    /// Describes the state that an undo restores.
    #[must_use]
    pub fn undone(&self) -> Option<Message> {
        Some(match self {
            Self::Lent { title, .. } => message::undone_lent(title),
            Self::Returned { title, due, .. } | Self::DeclaredLost { title, due, .. } => {
                message::undone_returned(title, *due)
            }
            Self::Renewed { title, from, .. } => message::undone_renewed(title, *from),
            Self::CopyMoved { barcode, from, .. } => message::undone_moved(barcode, from.as_str()),
            Self::HoldPlaced { title, .. } => message::undone_hold_placed(title),
            Self::HoldCancelled { title, .. } => message::undone_hold_cancelled(title),
            Self::HoldReady { title, .. } => message::undone_hold_ready(title),
            Self::Charged { amount, .. } => message::undone_charged(*amount),
            Self::Paid { amount, receipt, .. } => message::undone_paid(*amount, receipt),
            Self::Waived { amount, .. } => message::undone_waived(*amount),
            Self::PersonDeactivated { .. } => message::undone_deactivated(),
            Self::BatchMoved { from, to: Some(_), people, .. } => {
                message::undone_batch_moved(from, people.len())
            }
            Self::BatchMoved { from, to: None, people, .. } => message::undone_batch_left(from, people.len()),
            Self::ChargeReversed { title, amount, .. } => message::undone_charge_reversed(title, *amount),
            Self::Refunded { amount, .. } => message::undone_refunded(*amount),
            Self::PeopleMerged { name, .. } => message::undone_people_merged(name),
            Self::BookDeleted { book } => message::undone_book_deleted(&book.title),
            _ => return None,
        })
    }
}

impl Change {
    /// True if it concerns a reader's loan or hold; without a person it was anonymised.
    #[must_use]
    pub fn is_of_reader(&self) -> bool {
        match self {
            Self::Undone { first, .. } => first.is_of_reader(),
            Self::Lent { .. }
            | Self::Returned { .. }
            | Self::Renewed { .. }
            | Self::DueDateMoved { .. }
            | Self::DeclaredLost { .. }
            | Self::HoldPlaced { .. }
            | Self::HoldReady { .. }
            | Self::HoldCancelled { .. }
            | Self::HoldExpired { .. }
            | Self::HoldPutBack { .. }
            | Self::HoldsReordered { .. } => true,
            _ => false,
        }
    }

    /// Capability needed to undo the change, the same as to make it. `None` if it is never undone.
    #[must_use]
    pub fn undone_by(&self) -> Option<Capability> {
        match self {
            Self::Lent { .. }
            | Self::Returned { .. }
            | Self::Renewed { .. }
            | Self::CopyMoved { .. }
            | Self::HoldPlaced { .. }
            | Self::HoldCancelled { .. }
            | Self::HoldReady { .. }
            | Self::DeclaredLost { .. }
            | Self::Paid { .. } => Some(Capability::Desk),
            Self::Charged { .. }
            | Self::Waived { .. }
            | Self::ChargeReversed { .. }
            | Self::Refunded { .. } => Some(Capability::Money),
            Self::PersonDeactivated { .. } | Self::BatchMoved { .. } | Self::PeopleMerged { .. } => {
                Some(Capability::People)
            }
            Self::BookDeleted { .. } => Some(Capability::Catalogue),
            _ => None,
        }
    }
}

/// Messages of a copy's move between states.
fn moved(barcode: &str, from: State, to: Condition, note: &str) -> Vec<Message> {
    let moved = message::change_copy_moved(barcode, from.as_str(), to.as_str());
    let note = (!note.is_empty()).then(|| message::change_note(note));
    std::iter::once(moved).chain(note).collect()
}

impl Swapped {
    fn message(&self) -> Message {
        match self.with {
            Some(_) => message::change_exchanged(&self.in_hand, &self.barcode),
            None => message::change_swapped(&self.in_hand, &self.barcode),
        }
    }
}

impl Overridden {
    fn message(&self) -> Message {
        message::change_overridden(&self.reason)
    }
}

/// Rules that a librarian overrode, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overridden {
    pub blocks: Vec<String>,
    pub reason: String,
}

/// Fields of a profile edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    pub name: String,
    pub roll_number: Option<String>,
    pub department: Option<String>,
}

impl From<&User> for Profile {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            roll_number: user.roll_number.clone(),
            department: user.department.clone(),
        }
    }
}

/// Catalogue fields of a book; fields missing in an old change are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    pub title: String,
    pub author: String,
    pub genre: String,
    #[serde(rename = "photoURL")]
    pub photo_url: String,
    pub description: String,
    pub status: Status,
    pub no_of_books: i64,
    pub location: String,
    pub rating: Option<i64>,
}

/// A copy added to the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedCopy {
    pub id: CopyId,
    pub barcode: String,
}

/// Editable fields of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyRecord {
    pub barcode: String,
    /// The copy's own; `None` for its title's.
    pub location: Option<String>,
    pub note: String,
    pub price: Option<Money>,
    pub acquired_on: Option<Date>,
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_change_is_kept_under_the_name_of_its_action() -> Result<(), serde_json::Error> {
        let changes = [
            Change::SignedIn,
            Change::Lent {
                loan: LoanId(1),
                title: "Godaan".into(),
                copy: Some(CopyId(2)),
                barcode: Some("L000002".into()),
                due: date(2026, 11, 28),
                overridden: None,
                filled: Some(EndedHold {
                    hold: HoldId(3),
                    was: HoldState::Ready,
                    copy: Some(CopyId(2)),
                    until: Some(date(2026, 11, 24)),
                    passed_to: None,
                }),
                passed_over: None,
                was: None,
            },
            Change::HoldExpired {
                ended: EndedHold {
                    hold: HoldId(3),
                    was: HoldState::Ready,
                    copy: Some(CopyId(2)),
                    until: Some(date(2026, 11, 24)),
                    passed_to: Some(HoldId(4)),
                },
                title: "Godaan".into(),
            },
            Change::CopyMoved {
                copy: CopyId(2),
                barcode: "L000002".into(),
                from: State::ToShelve,
                to: Condition::OnShelf,
                note: String::new(),
            },
        ];
        for change in changes {
            let json = serde_json::to_value(&change)?;
            assert_eq!(json["kind"], change.action());
            assert_eq!(serde_json::from_value::<Change>(json)?, change);
        }
        Ok(())
    }
}
