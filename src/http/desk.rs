//! The desk: every scan is one request (R-DESK-2).

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use jiff::{Timestamp, civil::Date};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    changes::ChangeRow,
    error::{Error, Result},
    extract::{JsonBody, Query},
    idempotency::{Answer, Once},
    loans::OverrideForm,
    page, phones,
    session::{self, SignedIn},
};
use crate::{
    circulation::{
        Actor,
        desk::{self, Choice, Damage, Intent, Scan},
    },
    domain::{
        change::{Change, LoanChange, MoneyChange},
        id::{BookId, ChangeId, PhoneScanId, UserId},
        ledger::{LARGEST, Method},
        rule::{Invalid, Kind, Text},
    },
    message,
    money::Money,
    search,
    storage::{
        self, Tx,
        events::{self, AtDesk, Recorded},
    },
};

/// Limits of a scanned code, or of a name or title that a librarian types.
pub const CODE: Text = Text { field: "code", label: "The code", min: 1, max: 200, kind: Kind::Line };

/// A scan at the desk.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScanForm {
    #[serde(default)]
    #[schema(required)]
    code: String,
    /// Person whose record is open at the desk.
    #[schema(value_type = Option<i64>)]
    person: Option<UserId>,
    /// Time at which the person's record was opened; a scan does not return copies lent since then.
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    intent: Option<Intent>,
    /// Id of one of the `choices` that an earlier scan of this code returned.
    choice: Option<String>,
    /// Lends or renews although the rules refuse.
    #[serde(rename = "override")]
    overriding: Option<OverrideForm>,
    /// Day that counts as the day of the return: from the day of the loan to today.
    #[schema(value_type = Option<String>, format = Date)]
    returned_on: Option<Date>,
    /// Damage to the copy: the copy is returned if it is on loan, and goes to repair.
    damaged: Option<DamageForm>,
    /// Phone scan that this request handles; the answer is sent to the phone as well.
    #[schema(value_type = Option<i64>)]
    phone_scan: Option<PhoneScanId>,
}

/// Damage to a copy, and its charge.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DamageForm {
    #[serde(default)]
    #[schema(required)]
    note: String,
    /// Amount charged to the reader who brought the copy; none if omitted.
    #[serde(default)]
    #[schema(value_type = Money)]
    charge: Money,
}

/// Limits of the note on a damaged copy.
pub const DAMAGE: Text =
    Text { field: "damaged.note", label: "What is damaged", min: 1, max: 300, kind: Kind::Line };

impl DamageForm {
    fn checked(self) -> Result<Damage> {
        let mut invalid = Invalid::default();
        let note = DAMAGE.check(&self.note, &mut invalid);
        if !(Money::ZERO..=LARGEST).contains(&self.charge) {
            invalid.push("damaged.charge", message::amount_out_of_range("The charge", Money::ZERO, LARGEST));
        }
        Ok(invalid.into_result(Damage { note, charge: self.charge })?)
    }
}

/// Scan a card, a copy or an ISBN, or type a name or a title. A refusal by the rules also has status 200.
#[utoipa::path(post, path = "/desk/scans", request_body = ScanForm, responses((status = 200, body = desk::Answer)))]
pub async fn scan_at_desk(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    headers: HeaderMap,
    JsonBody(form): JsonBody<ScanForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    // Some scanners send a prefix of control characters.
    let code =
        CODE.check(form.code.trim_matches(|c: char| c.is_control() || c.is_whitespace()), &mut invalid);
    let choice = form.choice.as_deref().map(Choice::parse);
    if choice == Some(None) {
        invalid.push("choice", message::not_listed("The choice"));
    }
    let today = app.library.clock.moment().today;
    if form.returned_on.is_some_and(|day| day > today) {
        invalid.push("returnedOn", message::day_to_come("The day of the return", today));
    }
    invalid.into_result(())?;
    let damaged = form.damaged.map(DamageForm::checked).transpose()?;
    let overriding = form.overriding.map(OverrideForm::checked).transpose()?;
    // A title search takes milliseconds: keep it out of the write transaction, and skip it for a known code.
    let looked_for = code.clone();
    let known = app.library.db.read(move |tx| desk::is_known(tx, &looked_for)).await.map_err(Error::from)?;
    let titles = if known || choice.is_some() { Vec::new() } else { titles(&app, &code).await };
    let scan = Scan {
        code,
        person: form.person,
        since: form.since.map(Timestamp::as_millisecond),
        intent: form.intent,
        choice: choice.flatten(),
        overriding,
        returned_on: form.returned_on,
        damaged,
        titles,
    };
    let (moment, actor, policies) =
        (app.library.clock.moment(), Actor::Librarian(librarian.uid), app.library.policies.clone());
    let session = session::token_hash(app.settings.is_https(), &headers).ok();
    app.once(once, move |tx| {
        let rulebook = policies.held(tx)?;
        let answer = desk::scan(tx, actor, moment, &rulebook, &scan)?;
        if let (Some(scan), Some(session)) = (form.phone_scan, session) {
            phones::answer_phone(tx, &session, scan, &answer)?;
        }
        Answer::json(StatusCode::OK, &answer)
    })
    .await
}

/// Returns the first titles that contain the text.
async fn titles(app: &Shared, text: &str) -> Vec<BookId> {
    let found = app.library.catalogue.index().await.page(&search::Query {
        text,
        field: search::Field::Any,
        sort: search::Sort::Title,
        limit: 8,
        ..search::Query::default()
    });
    found.ids.into_iter().map(BookId).collect()
}

/// Librarians whose work is listed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whose {
    /// The caller.
    #[default]
    Mine,
    /// All librarians.
    Everyone,
}

/// Filters and page of today's work at the desk.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TodayQuery {
    /// Librarians whose work is listed; the caller by default.
    #[param(inline)]
    whose: Option<Whose>,
    /// Kind of change, for instance `lent`.
    action: Option<String>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from another page.
    cursor: Option<String>,
}

/// Money taken by one method of payment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Takings {
    method: Method,
    payments: i64,
    amount: Money,
    /// Credit that was paid out.
    paid_out: Money,
    /// Total of the payments, of any day, that were reversed today.
    reversed: Money,
}

/// Today's work at the desk; the totals exclude undone changes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskToday {
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    day: Date,
    /// Last day before today on which the library was open; returns from the book drop count on that day.
    #[schema(required, value_type = Option<String>, format = Date)]
    last_open_day: Option<Date>,
    lent: i64,
    returned: i64,
    renewed: i64,
    /// Totals by method of payment, for closing the till.
    takings: Vec<Takings>,
    /// Sum of `amount` over all methods, less `paidOut` and `reversed`.
    taken: Money,
    waived: Money,
    /// Fines dropped because overdue loans were extended (R-MONEY-5).
    fines_dropped: Money,
    /// Changes, newest first.
    changes: Vec<ChangeRow>,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// Read today's work at the desk, with its totals (R-DESK-12).
#[utoipa::path(get, path = "/desk/today", params(TodayQuery), responses((status = 200, body = DeskToday)))]
pub async fn read_desk_today(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<TodayQuery>,
) -> Result<axum::Json<DeskToday>> {
    let limit = page::length(query.limit, 50)?;
    let before = page::place(query.cursor.as_deref())?.unwrap_or(ChangeId(i64::MAX));
    let day = app.library.clock.today();
    let since = app.library.clock.begin_of(day);
    let actor = (query.whose.unwrap_or_default() == Whose::Mine).then_some(librarian.uid);
    let all = AtDesk { since, actor, action: None };
    let policies = app.library.policies.clone();
    let today = app
        .library
        .db
        .snapshot(move |tx| -> Result<DeskToday> {
            let counts = events::counts_at_desk(tx, &all)?;
            let count = |action| counts.iter().find(|(of, _)| of == action).map_or(0, |(_, count)| *count);
            let money = |tx: &mut Tx<'_>, action: &str| {
                events::at_desk(tx, &all.only(action), ChangeId(i64::MAX), i64::MAX)
            };
            let takings = takings(
                ["paid", "refunded", "payment-reversed"]
                    .into_iter()
                    .map(|action| money(tx, action))
                    .collect::<storage::Result<Vec<_>>>()?
                    .into_iter()
                    .flatten(),
            );
            let waived = money(tx, "waived")?.into_iter().filter(|waived| !waived.undone);
            let waived = waived.map(|waived| match waived.change {
                Change::Money(MoneyChange::Waived { amount, .. }) => amount,
                _ => Money::ZERO,
            });
            let fines_dropped = fines_dropped(money(tx, "renewed")?, &money(tx, "fine-charged")?);
            let shown = AtDesk { action: query.action.filter(|action| !action.is_empty()), ..all.clone() };
            let mut changes = events::at_desk(tx, &shown, before, limit + 1)?;
            let length = usize::try_from(limit).unwrap_or_default();
            let goes_on = changes.len() > length;
            changes.truncate(length);
            let rulebook = policies.current(tx)?;
            Ok(DeskToday {
                day,
                last_open_day: day.yesterday().ok().and_then(|day| rulebook.calendar.previous_open(day)),
                lent: count("lent"),
                returned: count("returned"),
                renewed: count("renewed"),
                taken: takings.iter().map(|taken| taken.amount - taken.paid_out - taken.reversed).sum(),
                takings,
                waived: waived.sum(),
                fines_dropped,
                next: changes.last().filter(|_| goes_on).map(|last| page::cursor(&last.id)),
                changes: changes
                    .into_iter()
                    .map(|one| ChangeRow::seen_by(tx, &librarian, since, one))
                    .collect::<storage::Result<_>>()?,
            })
        })
        .await?;
    Ok(axum::Json(today))
}

/// Sums the fines that renewals dropped, except those that were charged afterwards.
fn fines_dropped(renewals: Vec<Recorded>, charged: &[Recorded]) -> Money {
    let is_charged = |renewal: ChangeId| {
        charged.iter().any(|one| {
            matches!(&one.change, Change::Loan(LoanChange::FineCharged { renewal: of, .. }) if *of == renewal)
                && !one.undone
        })
    };
    let lasting = renewals.into_iter().filter(|one| !one.undone && !is_charged(one.id));
    let dropped = lasting.map(|one| match one.change {
        Change::Loan(LoanChange::Renewed { dropped, .. }) => dropped,
        _ => Money::ZERO,
    });
    dropped.sum()
}

/// Sums money taken, paid out and reversed by method, without undone changes.
fn takings(changes: impl Iterator<Item = Recorded>) -> Vec<Takings> {
    let mut takings: Vec<Takings> = Vec::new();
    for one in changes.filter(|one| !one.undone) {
        let Change::Money(change) = one.change else { continue };
        let (MoneyChange::Paid { method, .. }
        | MoneyChange::Refunded { method, .. }
        | MoneyChange::PaymentReversed { method, .. }) = change
        else {
            continue;
        };
        let index = takings.iter().position(|taken| taken.method == method).unwrap_or_else(|| {
            let (amount, paid_out, reversed) = Default::default();
            takings.push(Takings { method, payments: 0, amount, paid_out, reversed });
            takings.len() - 1
        });
        let taken = &mut takings[index];
        match change {
            MoneyChange::Paid { amount, .. } => {
                taken.payments += 1;
                taken.amount += amount;
            }
            MoneyChange::Refunded { amount, .. } => taken.paid_out += amount,
            MoneyChange::PaymentReversed { amount, .. } => taken.reversed += amount,
            _ => {}
        }
    }
    takings.sort_by_key(|taken| taken.method.as_str());
    takings
}
