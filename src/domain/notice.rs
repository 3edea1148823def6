//! Notices: messages from the library to a person, one for each cause.

use jiff::{
    Span,
    civil::{Date, Weekday},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    agent::Agent,
    change::{Change, HoldChange, LoanChange, MoneyChange, SignInChange},
    id::{BookId, ChangeId, HoldId, LineId, LoanId, UserId},
    rule::{Invalid, Number},
};
use crate::{
    message::{self, Message},
    money::Money,
};

/// Kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    DueSoon,
    DueToday,
    Overdue,
    HoldReady,
    HoldExpiring,
    HoldLapsed,
    HoldCancelled,
    HoldPutBack,
    DueDateMoved,
    Charged,
    Paid,
    SignInChanged,
    NewDevice,
    Lent,
    Returned,
}

impl Kind {
    pub const ALL: [Self; 15] = [
        Self::DueSoon,
        Self::DueToday,
        Self::Overdue,
        Self::HoldReady,
        Self::HoldExpiring,
        Self::HoldLapsed,
        Self::HoldCancelled,
        Self::HoldPutBack,
        Self::DueDateMoved,
        Self::Charged,
        Self::Paid,
        Self::SignInChanged,
        Self::NewDevice,
        Self::Lent,
        Self::Returned,
    ];

    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DueSoon => "due-soon",
            Self::DueToday => "due-today",
            Self::Overdue => "overdue",
            Self::HoldReady => "hold-ready",
            Self::HoldExpiring => "hold-expiring",
            Self::HoldLapsed => "hold-lapsed",
            Self::HoldCancelled => "hold-cancelled",
            Self::HoldPutBack => "hold-put-back",
            Self::DueDateMoved => "due-date-moved",
            Self::Charged => "charged",
            Self::Paid => "paid",
            Self::SignInChanged => "sign-in-changed",
            Self::NewDevice => "new-device",
            Self::Lent => "lent",
            Self::Returned => "returned",
        }
    }

    /// Returns the kind with this name; `None` for a kind of a newer version.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// False for notices about the safety of an account, which no setting turns off.
    #[must_use]
    pub fn is_optional(self) -> bool {
        !matches!(self, Self::SignInChanged | Self::NewDevice)
    }

    /// True for a reminder of a loan, which is mailed in the daily digest.
    #[must_use]
    pub fn is_reminder(self) -> bool {
        matches!(self, Self::DueSoon | Self::DueToday | Self::Overdue)
    }

    /// True if a reader may get the notice in the digest instead of in a mail of its own. Notices about a kept copy
    /// never wait for the digest.
    #[must_use]
    pub fn can_wait(self) -> bool {
        self.is_optional() && !self.is_reminder() && !matches!(self, Self::HoldReady | Self::HoldExpiring)
    }
}

/// Reason why a notice is not mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unmailed {
    /// The person has no address.
    NoAddress,
    /// The person entered the address and has not confirmed it.
    Unconfirmed,
    /// The person is inactive or no longer exists.
    Inactive,
    /// The library mails no notices of this kind.
    Library,
    /// The person wants no mails of this kind.
    Refused,
    /// The notice is too old to be mailed.
    Old,
    /// A later reminder of the same loan takes its place.
    Replaced,
    /// The guardian has the reader's own address, to which the reader's reminder of the loan goes.
    SameAddress,
}

impl Unmailed {
    pub const ALL: [Self; 8] = [
        Self::NoAddress,
        Self::Unconfirmed,
        Self::Inactive,
        Self::Library,
        Self::Refused,
        Self::Old,
        Self::Replaced,
        Self::SameAddress,
    ];

    /// Name in the database and the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoAddress => "no-address",
            Self::Unconfirmed => "unconfirmed",
            Self::Inactive => "inactive",
            Self::Library => "library",
            Self::Refused => "refused",
            Self::Old => "old",
            Self::Replaced => "replaced",
            Self::SameAddress => "same-address",
        }
    }

    /// Returns the reason with this name; `None` for one of a newer version.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// A notice to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub person: UserId,
    /// True for a reminder that is mailed to the person's guardian and not shown to the person.
    pub to_guardian: bool,
    pub kind: Kind,
    pub loan: Option<LoanId>,
    pub hold: Option<HoldId>,
    pub line: Option<LineId>,
    pub book: Option<BookId>,
    /// Change that caused the notice; `None` for reminders.
    pub change: Option<ChangeId>,
    /// Due date of the loan, or last day of the hold, named in the text; once that day moves, the notice is outdated.
    pub about: Option<Date>,
    /// Rank among the reminders about one loan or hold with the same `about`, earliest first; `None` if a change caused the
    /// notice.
    pub step: Option<i64>,
    /// Day on which the daily job wrote the reminder; `None` if a change caused the notice.
    pub day: Option<Date>,
    pub text: Vec<Message>,
    /// Idempotency key: a second notice with the same cause is never written.
    pub cause: String,
}

impl Notice {
    fn new(person: UserId, kind: Kind, cause: &str, text: Message) -> Self {
        Self {
            person,
            to_guardian: false,
            kind,
            loan: None,
            hold: None,
            line: None,
            book: None,
            change: None,
            about: None,
            step: None,
            day: None,
            text: vec![text],
            cause: format!("{}:{cause}", kind.as_str()),
        }
    }

    /// Creates the notice of a sign-in from a browser new to the account.
    #[must_use]
    pub fn new_device(person: UserId, change: ChangeId, agent: Agent) -> Self {
        let names: Vec<&str> = agent.browser.into_iter().chain(agent.system).collect();
        let text = match names.as_slice() {
            [] => message::notice_new_browser(),
            names => message::notice_new_device(&names.join(", ")),
        };
        Self { change: Some(change), ..Self::new(person, Kind::NewDevice, &change.to_string(), text) }
    }

    /// Creates a reminder of a loan.
    #[must_use]
    pub fn reminder(loan: &DueLoan, kind: Kind, step: i64, today: Date) -> Self {
        let (title, due) = (&loan.title, loan.due);
        let text = match kind {
            Kind::DueToday => message::notice_due_today(title, due),
            Kind::Overdue => message::notice_overdue(title, due),
            _ => message::notice_due_soon(title, due),
        };
        let cause = format!("{}:{due}:{step}", loan.id);
        Self {
            loan: Some(loan.id),
            book: Some(loan.book),
            about: Some(due),
            step: Some(step),
            day: Some(today),
            ..Self::new(loan.person, kind, &cause, text)
        }
    }

    /// Returns the same reminder for the reader's guardian.
    #[must_use]
    pub fn for_guardian(&self) -> Self {
        Self { to_guardian: true, cause: format!("guardian:{}", self.cause), ..self.clone() }
    }

    /// Creates the notice that a kept copy goes to the next reader after `until`; `hold.until` is the hold's last day before
    /// the calendar moved that day.
    #[must_use]
    pub fn hold_expiring(hold: &KeptHold, until: Date, today: Date) -> Self {
        let text = message::notice_hold_expiring(&hold.title, until);
        let cause = format!("{}:{}", hold.id, hold.until);
        Self {
            hold: Some(hold.id),
            book: Some(hold.book),
            about: Some(hold.until),
            step: Some(0),
            day: Some(today),
            ..Self::new(hold.person, Kind::HoldExpiring, &cause, text)
        }
    }
}

/// Open loan that a reminder may concern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueLoan {
    pub id: LoanId,
    pub person: UserId,
    pub book: BookId,
    pub title: String,
    pub begun: Date,
    pub due: Date,
    /// True if the reader has a guardian with an address who has not ended the mails.
    pub has_guardian: bool,
    /// True if the reader gets reminders once a week.
    pub is_weekly: bool,
}

/// True on Monday, the day of weekly digests: the books due that week can still be returned in time.
#[must_use]
pub fn is_weekly_day(day: Date) -> bool {
    day.weekday() == Weekday::Monday
}

/// Hold with a kept copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptHold {
    pub id: HoldId,
    pub person: UserId,
    pub book: BookId,
    pub title: String,
    /// Last day as stored.
    pub until: Date,
}

/// Automatic notices: the kinds that the library sends, and on which days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NoticeSettings {
    /// False turns off all notices except those about the safety of an account.
    pub automatic: bool,
    /// Number of days before the due date at which the first reminder is due; null for none.
    #[schema(minimum = 1, maximum = 30)]
    pub due_soon_days: Option<i64>,
    /// Numbers of days after the due date at which further reminders are due, ascending.
    pub overdue_days: Vec<i64>,
    /// Kinds that are not sent.
    pub off: Vec<Kind>,
    /// False turns off the mails of all notices except those about the safety of an account.
    pub by_mail: bool,
    /// Hour of the library's day at which the reminders are mailed.
    #[schema(minimum = 0, maximum = 23)]
    pub mail_hour: i64,
    /// Kinds that are shown on the screen and not mailed.
    pub screen_only: Vec<Kind>,
    /// Kinds of reminders that are mailed to the reader's guardian too.
    pub to_guardians: Vec<Kind>,
    /// Hours in which only notices about the safety of an account are mailed; null for none.
    pub quiet: Option<QuietHours>,
}

/// Hours of the library's day in which mails wait, from `from` up to but not including `to`; the range may cross midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietHours {
    #[schema(minimum = 0, maximum = 23)]
    pub from: i64,
    #[schema(minimum = 0, maximum = 23)]
    pub to: i64,
}

impl QuietHours {
    /// True if `hour` is a quiet hour.
    #[must_use]
    pub fn include(self, hour: i64) -> bool {
        if self.from <= self.to {
            (self.from..self.to).contains(&hour)
        } else {
            hour >= self.from || hour < self.to
        }
    }
}

pub const DUE_SOON_DAYS: Number =
    Number { field: "dueSoonDays", label: "Days before the due date", min: 1, max: 30 };
pub const OVERDUE_DAYS: Number =
    Number { field: "overdueDays", label: "Days after the due date", min: 1, max: 365 };

/// Hours after midnight.
pub const MAIL_HOUR: Number =
    Number { field: "mailHour", label: "Hour of the reminders by mail", min: 0, max: 23 };

/// Hours after midnight.
pub const QUIET_FROM: Number = Number { field: "from", label: "First quiet hour", min: 0, max: 23 };
/// Hours after midnight.
pub const QUIET_TO: Number = Number { field: "to", label: "End of the quiet hours", min: 0, max: 23 };

/// Days that a weekly digest looks ahead: the interval between two digests.
const WEEK: i64 = 7;

/// Maximum number of reminders of one overdue loan.
const REMINDERS: usize = 12;

impl Default for NoticeSettings {
    fn default() -> Self {
        Self {
            automatic: true,
            due_soon_days: Some(3),
            overdue_days: vec![1, 7, 14],
            off: vec![Kind::Lent, Kind::Returned],
            by_mail: true,
            mail_hour: 8,
            screen_only: Vec::new(),
            to_guardians: vec![Kind::Overdue],
            quiet: None,
        }
    }
}

impl NoticeSettings {
    /// Validates and normalises the settings; returns all their errors.
    pub fn checked(mut self) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        self.due_soon_days = self.due_soon_days.map(|days| DUE_SOON_DAYS.check(days, &mut invalid));
        if self.overdue_days.len() > REMINDERS {
            invalid.push(OVERDUE_DAYS.field, message::too_many(OVERDUE_DAYS.label, REMINDERS));
        }
        for (index, days) in self.overdue_days.iter().enumerate() {
            OVERDUE_DAYS.check_as(format!("{}[{index}]", OVERDUE_DAYS.field), *days, &mut invalid);
        }
        self.overdue_days.sort_unstable();
        self.overdue_days.dedup();
        self.mail_hour = MAIL_HOUR.check(self.mail_hour, &mut invalid);
        if let Some(QuietHours { from, to }) = self.quiet {
            QUIET_FROM.check_as("quiet.from", from, &mut invalid);
            QUIET_TO.check_as("quiet.to", to, &mut invalid);
            if from == to {
                invalid.push("quiet.to", message::quiet_hours_empty());
            }
        }
        if self.quiet.is_some_and(|quiet| quiet.include(self.mail_hour)) {
            invalid.push(MAIL_HOUR.field, message::mail_hour_is_quiet());
        }
        let ordered = |kinds: &[Kind]| {
            Kind::ALL.into_iter().filter(|kind| kind.is_optional() && kinds.contains(kind)).collect()
        };
        (self.off, self.screen_only) = (ordered(&self.off), ordered(&self.screen_only));
        self.to_guardians = ordered(&self.to_guardians);
        self.to_guardians.retain(|kind| kind.is_reminder());
        invalid.into_result(self)
    }

    /// True if notices of this kind are written.
    #[must_use]
    pub fn sends(&self, kind: Kind) -> bool {
        !kind.is_optional() || (self.automatic && !self.off.contains(&kind))
    }

    /// True if notices of this kind are mailed.
    #[must_use]
    pub fn mails(&self, kind: Kind) -> bool {
        !kind.is_optional() || (self.by_mail && !self.screen_only.contains(&kind))
    }

    /// True if a reminder of this kind goes to the reader's guardian too.
    #[must_use]
    pub fn reminds_guardian(&self, kind: Kind) -> bool {
        self.by_mail && self.sends(kind) && self.to_guardians.contains(&kind)
    }

    /// Returns the reminders due for a loan today: the reader's, and the guardian's.
    #[must_use]
    pub fn reminders(&self, loan: &DueLoan, today: Date) -> Vec<Notice> {
        let Some((kind, step)) = self.step(loan, today) else { return Vec::new() };
        let own = Notice::reminder(loan, kind, step, today);
        let is_shared = loan.has_guardian && self.reminds_guardian(kind);
        let guardians = is_shared.then(|| own.for_guardian());
        std::iter::once(own).chain(guardians).collect()
    }

    /// True if mails wait in this hour.
    #[must_use]
    pub fn is_quiet(&self, hour: i64) -> bool {
        self.quiet.is_some_and(|quiet| quiet.include(hour))
    }

    /// Returns the latest due date for which a reminder may be due today; `is_weekly` if a reader has weekly digests.
    #[must_use]
    pub fn last_due(&self, today: Date, is_weekly: bool) -> Date {
        let days = self.due_soon_days.filter(|_| self.sends(Kind::DueSoon)).unwrap_or(0);
        let days = if is_weekly && days > 0 { days.max(WEEK) } else { days };
        today.checked_add(Span::new().days(days)).unwrap_or(today)
    }

    /// Returns the kind and the rank of the newest reminder due for a loan today; skips earlier reminders that were missed.
    #[must_use]
    pub fn step(&self, loan: &DueLoan, today: Date) -> Option<(Kind, i64)> {
        let late = i64::from((today - loan.due).get_days());
        if late < 0 {
            let length = i64::from((loan.due - loan.begun).get_days());
            // For a loan no longer than the warning period, the reminder would come at once, so it comes halfway through
            // the loan. The week of a weekly digest is not shortened: the next digest may come after the due date.
            let days = self.due_soon_days.map(|days| match days {
                _ if loan.is_weekly => days.max(WEEK),
                _ if days < length => days,
                _ => length / 2,
            })?;
            return (self.sends(Kind::DueSoon) && -late <= days).then_some((Kind::DueSoon, -1));
        }
        let overdue = self.overdue_days.iter().copied().filter(|days| (1..=late).contains(days)).max();
        match overdue.filter(|_| self.sends(Kind::Overdue)) {
            Some(days) => Some((Kind::Overdue, days)),
            None => (late == 0 && self.sends(Kind::DueToday) && loan.begun < loan.due)
                .then_some((Kind::DueToday, 0)),
        }
    }
}

/// Returns the notice that a change causes for the person it concerns; `None` if it causes none.
#[must_use]
pub fn of_change(
    change: &Change,
    person: Option<UserId>,
    actor: Option<UserId>,
    book: Option<BookId>,
    id: Option<ChangeId>,
    at: i64,
) -> Option<Notice> {
    let person = person?;
    let occurrence = id.map_or_else(|| at.to_string(), |id| id.to_string());
    let of = |kind, text| Notice { book, change: id, ..Notice::new(person, kind, &occurrence, text) };
    match change {
        Change::Loan(change) => of_loan(change, &occurrence, of),
        Change::Hold(change) => {
            let (kind, hold, until, text) = match change {
                HoldChange::HoldReady { hold, title, until, .. } => {
                    (Kind::HoldReady, *hold, Some(*until), message::notice_hold_ready(title, *until))
                }
                HoldChange::HoldExpired { ended, title } => {
                    (Kind::HoldLapsed, ended.hold, None, message::notice_hold_lapsed(title))
                }
                HoldChange::HoldCancelled { ended, title, .. } if actor != Some(person) => {
                    (Kind::HoldCancelled, ended.hold, None, message::notice_hold_cancelled(title))
                }
                HoldChange::HoldPutBack { before, title } => {
                    (Kind::HoldPutBack, before.hold, None, message::notice_hold_put_back(title))
                }
                _ => return None,
            };
            Some(Notice { hold: Some(hold), about: until, ..of(kind, text) })
        }
        Change::Money(change) => {
            let (kind, line, text) = match change {
                MoneyChange::Charged { line, amount, reason, .. } => {
                    (Kind::Charged, *line, message::notice_charged(*amount, reason))
                }
                MoneyChange::Paid { line, amount, receipt, .. } => {
                    (Kind::Paid, *line, message::notice_paid(*amount, receipt))
                }
                _ => return None,
            };
            Some(Notice { line: Some(line), ..of(kind, text) })
        }
        Change::SignIn(change) => {
            let changed = matches!(
                change,
                SignInChange::PasswordSet { .. }
                    | SignInChange::PasswordChanged
                    | SignInChange::SecondFactorOn
                    | SignInChange::SecondFactorOff
                    | SignInChange::SecondFactorReset
                    | SignInChange::PasskeyAdded
                    | SignInChange::PasskeyRemoved
                    | SignInChange::RecoveryCodesMade
                    | SignInChange::RecoveryCodeUsed { .. }
                    | SignInChange::ProviderLinked { .. }
                    | SignInChange::ProviderUnlinked { .. }
            );
            let text = change_messages(change).filter(|_| changed)?;
            Some(of(Kind::SignInChanged, text))
        }
        _ => None,
    }
}

fn change_messages(change: &SignInChange) -> Option<Message> {
    Change::from(change.clone()).messages().into_iter().next()
}

fn of_loan(change: &LoanChange, occurrence: &str, of: impl Fn(Kind, Message) -> Notice) -> Option<Notice> {
    Some(match change {
        LoanChange::DueDateMoved { loan, title, from, to }
        | LoanChange::DueDateSet { loan, title, from, to, .. } => {
            // Moved back before the reader was notified.
            if from == to {
                return None;
            }
            let text = message::notice_due_date_moved(title, *from, *to);
            let notice = of(Kind::DueDateMoved, text);
            // One change of the calendar moves many loans at one instant, so the cause also names the loan.
            let cause = format!("{}:{loan}:{occurrence}", notice.kind.as_str());
            Notice { loan: Some(*loan), about: Some(*to), cause, ..notice }
        }
        LoanChange::Renewed { loan, title, charged, charge, .. } if *charged > Money::ZERO => {
            let text = message::notice_fine_charged(title, *charged);
            Notice { loan: Some(*loan), line: *charge, ..of(Kind::Charged, text) }
        }
        LoanChange::FineCharged { loan, title, amount, charge, .. } => {
            let text = message::notice_fine_charged(title, *amount);
            Notice { loan: Some(*loan), line: Some(*charge), ..of(Kind::Charged, text) }
        }
        LoanChange::DeclaredLost { loan, title, fine, charge, price, price_charge, .. } => {
            let fine = (*fine > Money::ZERO).then(|| message::notice_fine_charged(title, *fine));
            let price = (*price > Money::ZERO).then(|| message::notice_price_charged(title, *price));
            let mut text = price.into_iter().chain(fine);
            let mut notice = of(Kind::Charged, text.next()?);
            notice.text.extend(text);
            Notice { loan: Some(*loan), line: price_charge.or(*charge), ..notice }
        }
        LoanChange::Returned { loan, title, fine, charge, .. } if *fine > Money::ZERO => {
            let text = message::notice_fine_charged(title, *fine);
            Notice { loan: Some(*loan), line: *charge, ..of(Kind::Charged, text) }
        }
        LoanChange::Returned { loan, title, .. } => {
            Notice { loan: Some(*loan), ..of(Kind::Returned, message::notice_returned(title)) }
        }
        LoanChange::Lent { loan, title, due, .. } => {
            Notice { loan: Some(*loan), ..of(Kind::Lent, message::notice_lent(title, *due)) }
        }
        // A free renewal, an imported loan and a printed slip tell the reader nothing new.
        LoanChange::Renewed { .. } | LoanChange::LoanImported { .. } | LoanChange::SlipPrinted { .. } => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn loan(begun: Date, due: Date) -> DueLoan {
        let (id, person, book) = (LoanId(1), UserId(1), BookId(1));
        DueLoan { id, person, book, title: "Emma".into(), begun, due, has_guardian: true, is_weekly: false }
    }

    #[test]
    fn a_loan_gets_the_newest_reminder_of_its_day_alone() {
        let settings = NoticeSettings::default();
        let loan = loan(date(2026, 11, 1), date(2026, 11, 10));
        let step = |day| settings.step(&loan, date(2026, 11, day));
        assert_eq!(step(6), None);
        for day in 7..10 {
            assert_eq!(step(day), Some((Kind::DueSoon, -1)));
        }
        assert_eq!(step(10), Some((Kind::DueToday, 0)));
        assert_eq!(step(11), Some((Kind::Overdue, 1)));
        assert_eq!(step(16), Some((Kind::Overdue, 1)));
        assert_eq!(step(17), Some((Kind::Overdue, 7)));
        assert_eq!(step(30), Some((Kind::Overdue, 14)));
    }

    #[test]
    fn a_loan_no_longer_than_the_warning_is_announced_halfway() {
        let step = |begun, days, today| {
            let settings = NoticeSettings { due_soon_days: Some(days), ..NoticeSettings::default() };
            settings.step(&loan(date(2026, 11, begun), date(2026, 11, 10)), date(2026, 11, today))
        };
        let soon = Some((Kind::DueSoon, -1));
        for days in [7, 10] {
            assert_eq!(
                (step(3, days, 6), step(3, days, 7)),
                (None, soon),
                "a week, warned of {days} days before"
            );
        }
        assert_eq!((step(3, 6, 3), step(3, 6, 4)), (None, soon));
        assert_eq!((step(8, 3, 8), step(8, 3, 9)), (None, soon));
        assert_eq!((step(9, 3, 9), step(9, 3, 10)), (None, Some((Kind::DueToday, 0))));
    }

    #[test]
    fn one_switch_turns_off_all_but_the_safety_of_the_account() {
        let settings = NoticeSettings { automatic: false, ..NoticeSettings::default() };
        let sent: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| settings.sends(*kind)).collect();
        assert_eq!(sent, [Kind::SignInChanged, Kind::NewDevice]);
        assert_eq!(settings.last_due(date(2026, 11, 10), true), date(2026, 11, 10));
    }

    #[test]
    fn a_weekly_reader_hears_of_all_that_is_due_before_the_next_digest() {
        let settings = NoticeSettings::default();
        let loan = DueLoan { is_weekly: true, ..loan(date(2026, 11, 1), date(2026, 11, 15)) };
        let step = |day| settings.step(&loan, date(2026, 11, day));
        assert_eq!((step(7), step(8)), (None, Some((Kind::DueSoon, -1))));
        assert_eq!(settings.last_due(date(2026, 11, 8), true), date(2026, 11, 15));
        assert!(is_weekly_day(date(2026, 11, 9)) && !is_weekly_day(date(2026, 11, 10)));
    }

    #[test]
    fn a_guardian_gets_what_the_library_chose_and_never_a_notice_that_is_off() {
        let loan = loan(date(2026, 11, 1), date(2026, 11, 10));
        let guardians = |settings: &NoticeSettings, day| {
            let all = settings.reminders(&loan, date(2026, 11, day));
            all.iter().filter(|notice| notice.to_guardian).map(|notice| notice.kind).collect::<Vec<_>>()
        };
        let settings = NoticeSettings::default();
        assert_eq!((guardians(&settings, 10), guardians(&settings, 11)), (vec![], vec![Kind::Overdue]));
        for none in [
            NoticeSettings { off: vec![Kind::Overdue], ..settings.clone() },
            NoticeSettings { automatic: false, ..settings.clone() },
            NoticeSettings { by_mail: false, ..settings.clone() },
            NoticeSettings { to_guardians: Vec::new(), ..settings.clone() },
        ] {
            assert_eq!(guardians(&none, 11), []);
        }
        let asked = NoticeSettings { to_guardians: vec![Kind::Charged, Kind::DueToday], ..settings };
        assert_eq!(asked.checked().expect("valid").to_guardians, [Kind::DueToday], "reminders alone");
    }

    #[test]
    fn quiet_hours_go_past_midnight_and_hold_no_reminders_hour() {
        let night = QuietHours { from: 21, to: 7 };
        let hours: Vec<i64> = (0..24).filter(|hour| night.include(*hour)).collect();
        assert_eq!(hours, [0, 1, 2, 3, 4, 5, 6, 21, 22, 23]);
        let noon = QuietHours { from: 12, to: 14 };
        assert_eq!((0..24).filter(|hour| noon.include(*hour)).collect::<Vec<_>>(), [12, 13]);
        for (quiet, field) in [
            (QuietHours { from: 21, to: 9 }, "mailHour"),
            (QuietHours { from: 5, to: 5 }, "quiet.to"),
            (QuietHours { from: 24, to: 7 }, "quiet.from"),
        ] {
            let settings = NoticeSettings { quiet: Some(quiet), ..NoticeSettings::default() };
            let Invalid(errors) = settings.checked().expect_err("refused");
            assert_eq!(errors.iter().map(|error| &error.field).collect::<Vec<_>>(), [field], "{quiet:?}");
        }
    }
}
