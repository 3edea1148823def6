//! Money of the whole library: debtors, the lines of a period, and their totals (R-MONEY-6).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use axum::{extract::State, response::Response};
use jiff::{ToSpan, civil::Date};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Shared,
    csv_file::{self, PORTION},
    error::{Error, Result},
    extract::Query,
    page,
};
use crate::{
    circulation::standing::{self, Amount},
    clock::Clock,
    domain::{
        id::UserId,
        ledger::{Booked, ChargeKind, LineKind, Method, Total},
        rule::Invalid,
    },
    message,
    money::Money,
    storage::{
        directory::{self, Column, Key, Listing, Order, Source},
        ledger::{self, Filter, Place},
        page::{Page, Position},
        people,
    },
};

/// Selection and order of the list of people with a balance.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DebtorQuery {
    /// Only people of this batch.
    batch: Option<String>,
    /// `owes`, `name` or `batch`; a leading `-` sorts in descending order. `-owes` by default.
    sort: Option<String>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` or `previous` from another page.
    cursor: Option<String>,
}

/// Order of the list.
#[derive(Clone, Copy)]
enum OrderedBy {
    Owes,
    Column(Column),
}

const ORDERS: [(&str, OrderedBy); 3] = [
    ("owes", OrderedBy::Owes),
    ("name", OrderedBy::Column(Column::Name)),
    ("batch", OrderedBy::Column(Column::Batch)),
];

impl DebtorQuery {
    /// Returns the order, and whether it is descending.
    fn order(&self) -> Result<(OrderedBy, bool)> {
        let Some(sort) = self.sort.as_deref().filter(|sort| !sort.is_empty()) else {
            return Ok((OrderedBy::Owes, true));
        };
        let name = sort.strip_prefix('-').unwrap_or(sort);
        let Some((_, order)) = ORDERS.iter().find(|(known, _)| *known == name) else {
            let names = ORDERS.map(|(name, _)| name).join(", ");
            return Err(Invalid::field("sort", message::no_such_order(&names)).into());
        };
        Ok((*order, name.len() < sort.len()))
    }
}

/// A person with a balance.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Debtor {
    uid: UserId,
    name: String,
    #[schema(required)]
    roll_number: Option<String>,
    #[schema(required)]
    batch: Option<String>,
    /// Sum of the account's lines, without running fines. Negative: the library owes the person.
    balance: Money,
    /// Fines of the open loans as of today.
    running: Money,
    /// Balance plus running fines.
    owes: Money,
}

/// A page of people with a balance.
#[derive(Serialize, ToSchema)]
pub struct DebtorList {
    debtors: Vec<Debtor>,
    /// Number of people on all pages.
    total: i64,
    /// Total owed to the library by these people.
    owed: Money,
    /// Total credit owed by the library.
    credit: Money,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the previous page.
    #[schema(required)]
    previous: Option<String>,
}

/// List people who owe money or have credit (R-MONEY-6).
#[utoipa::path(get, path = "/money/debtors", params(DebtorQuery), responses((status = 200, body = DebtorList)))]
pub async fn list_debtors(
    State(app): State<Shared>,
    Query(query): Query<DebtorQuery>,
) -> Result<axum::Json<DebtorList>> {
    let limit = page::length(query.limit, 50)?;
    let position: Option<Position<Key>> = page::place(query.cursor.as_deref())?;
    let (order, descending) = query.order()?;
    let batch = query.batch.filter(|batch| !batch.is_empty());
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let list = app
        .library
        .db
        .snapshot(move |tx| -> Result<DebtorList> {
            let rulebook = policies.current(tx)?;
            let mut owing = standing::of_all(tx, &rulebook, today, Amount::Owes)?;
            if let Some(batch) = batch {
                let members: HashSet<UserId> = people::uids_of_batch(tx, &batch)?.into_iter().collect();
                owing.retain(|(uid, _)| members.contains(uid));
            }
            let sum = |which: fn(Money) -> bool| -> Money {
                owing.iter().map(|(_, owes)| Money(*owes)).filter(|owes| which(*owes)).sum()
            };
            let (owed, credit) = (sum(|owes| owes > Money::ZERO), -sum(|owes| owes < Money::ZERO));
            let listing = Listing {
                query: String::new(),
                source: Source::Among(owing.iter().map(|(uid, _)| *uid).collect()),
                order: match order {
                    OrderedBy::Owes => Order::Amount(owing),
                    OrderedBy::Column(column) => Order::Column(column),
                },
                descending,
            };
            let (page, total) = directory::page(tx, &listing, position, limit)?;
            let Page { rows, next, previous } = page;
            let uids: Vec<UserId> = rows.iter().map(|record| record.uid).collect();
            let balances: HashMap<UserId, Money> = ledger::balances_of(tx, &uids)?.into_iter().collect();
            let standings = standing::of(tx, &rulebook, today, &uids)?;
            let debtors = rows.into_iter().map(|record| {
                let owes = standings.get(&record.uid).copied().unwrap_or_default().owes;
                let balance = balances.get(&record.uid).copied().unwrap_or_default();
                Debtor {
                    uid: record.uid,
                    name: record.details.name,
                    roll_number: record.details.roll_number,
                    batch: record.details.batch,
                    balance,
                    running: owes - balance,
                    owes,
                }
            });
            Ok(DebtorList {
                debtors: debtors.collect(),
                total,
                owed,
                credit,
                next: next.as_ref().map(page::cursor),
                previous: previous.as_ref().map(page::cursor),
            })
        })
        .await?;
    Ok(axum::Json(list))
}

/// Filters of the lines of all accounts; a line must match all of them.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LineQuery {
    /// First day; the first of the month by default.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// Last day; today by default.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
    #[param(inline)]
    kind: Option<LineKind>,
    /// Method of payments and refunds.
    #[param(inline)]
    method: Option<Method>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

/// A period in days of the library's time zone.
#[derive(Clone, Copy)]
struct Period {
    from: Date,
    to: Date,
}

impl Period {
    fn checked(from: Option<Date>, to: Option<Date>, clock: &Clock) -> Result<Self> {
        let today = clock.today();
        let from = from.unwrap_or_else(|| to.unwrap_or(today).first_of_month());
        let to = to.unwrap_or_else(|| today.max(from));
        if to < from {
            return Err(Invalid::field("to", message::ends_before_it_begins()).into());
        }
        Ok(Self { from, to })
    }

    /// Returns the first instant of the period and the first one after it, in epoch milliseconds.
    fn instants(self, clock: &Clock) -> (i64, i64) {
        (clock.begin_of(self.from), clock.begin_of(self.to.tomorrow().unwrap_or(self.to)))
    }
}

impl LineQuery {
    fn checked(&self, clock: &Clock) -> Result<(Period, Filter)> {
        let period = Period::checked(self.from, self.to, clock)?;
        let (from, to) = period.instants(clock);
        Ok((period, Filter { from, to, kind: self.kind, method: self.method }))
    }
}

/// A page of the lines of all accounts, newest first.
#[derive(Serialize, ToSchema)]
pub struct LineList {
    lines: Vec<Booked>,
    /// First day.
    #[schema(value_type = String, format = Date)]
    from: Date,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    to: Date,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
}

/// List the lines of all accounts in a period, newest first.
#[utoipa::path(get, path = "/money/lines", params(LineQuery), responses((status = 200, body = LineList)))]
pub async fn list_lines(
    State(app): State<Shared>,
    Query(query): Query<LineQuery>,
) -> Result<axum::Json<LineList>> {
    let limit = page::length(query.limit, 50)?;
    let before: Option<Place> = page::place(query.cursor.as_deref())?;
    let (period, filter) = query.checked(&app.library.clock)?;
    let mut rows = app
        .library
        .db
        .snapshot(move |tx| ledger::booked(tx, &filter, before, limit + 1))
        .await
        .map_err(Error::from)?;
    let length = usize::try_from(limit).unwrap_or_default();
    let goes_on = rows.len() > length;
    rows.truncate(length);
    let next = rows.last().filter(|_| goes_on).map(|(place, _)| page::cursor(place));
    let lines = rows.into_iter().map(|(_, booked)| booked).collect();
    Ok(axum::Json(LineList { lines, from: period.from, to: period.to, next }))
}

/// Period of the totals.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TotalQuery {
    /// First day; the first of the month by default.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<Date>,
    /// Last day; today by default.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<Date>,
}

/// Totals of the lines of a period.
#[derive(Serialize, ToSchema)]
pub struct PeriodTotals {
    /// Totals by kind, then by reason or method of payment.
    totals: Vec<Total>,
    /// First day.
    #[schema(value_type = String, format = Date)]
    from: Date,
    /// Last day.
    #[schema(value_type = String, format = Date)]
    to: Date,
}

/// Sum up the lines of all accounts in a period.
#[utoipa::path(get, path = "/money/totals", params(TotalQuery), responses((status = 200, body = PeriodTotals)))]
pub async fn read_totals(
    State(app): State<Shared>,
    Query(query): Query<TotalQuery>,
) -> Result<axum::Json<PeriodTotals>> {
    let period = Period::checked(query.from, query.to, &app.library.clock)?;
    let (from, to) = period.instants(&app.library.clock);
    let mut totals =
        app.library.db.read(move |tx| ledger::totals(tx, from, to)).await.map_err(Error::from)?;
    // Sorted in the order in which the kinds are declared.
    totals.sort_by_key(|total| {
        let kind = LineKind::ALL.iter().position(|kind| *kind == total.kind);
        let of = total.of.as_deref().unwrap_or_default();
        let charge = ChargeKind::ALL.iter().position(|kind| kind.as_str() == of);
        let method = Method::ALL.iter().position(|method| method.as_str() == of);
        (kind, if total.kind == LineKind::Charge { charge } else { method })
    });
    Ok(axum::Json(PeriodTotals { totals, from: period.from, to: period.to }))
}

/// Money taken in a period: payments less refunds and reversed payments.
#[derive(Serialize, ToSchema)]
pub struct TakenInPeriod {
    amount: Money,
    /// First day.
    #[schema(value_type = String, format = Date)]
    from: Date,
    /// Last day: today.
    #[schema(value_type = String, format = Date)]
    to: Date,
}

/// Money taken in the current day, week and month.
#[derive(Serialize, ToSchema)]
pub struct TakenUntilNow {
    today: TakenInPeriod,
    /// Since Monday.
    week: TakenInPeriod,
    month: TakenInPeriod,
}

/// Read the money taken today, this week and this month.
#[utoipa::path(get, path = "/money/takings", responses((status = 200, body = TakenUntilNow)))]
pub async fn read_takings(State(app): State<Shared>) -> Result<axum::Json<TakenUntilNow>> {
    let to = app.library.clock.today();
    let monday = to.checked_sub(i64::from(to.weekday().to_monday_zero_offset()).days()).unwrap_or(to);
    let periods = [to, monday, to.first_of_month()].map(|from| Period { from, to });
    let instants = periods.map(|period| period.instants(&app.library.clock));
    let [today, week, month] = app
        .library
        .db
        .snapshot(move |tx| {
            let mut amounts = [Money::ZERO; 3];
            for (amount, (from, to)) in amounts.iter_mut().zip(instants) {
                *amount = ledger::taken(tx, from, to)?;
            }
            Ok::<_, crate::storage::Error>(amounts)
        })
        .await
        .map_err(Error::from)?;
    let taken = |amount, Period { from, to }: Period| TakenInPeriod { amount, from, to };
    let [of_today, of_week, of_month] = periods;
    let (today, week, month) = (taken(today, of_today), taken(week, of_week), taken(month, of_month));
    Ok(axum::Json(TakenUntilNow { today, week, month }))
}

/// Columns of the file. Increases and decreases of the balance have a column each, so that no amount begins with a sign that a
/// spreadsheet reads as a formula.
const FILE_COLUMNS: [&str; 11] =
    ["when", "rollNumber", "name", "kind", "of", "reason", "reference", "receipt", "debit", "credit", "by"];

/// Export the lines of all accounts in a period as CSV.
///
/// Newest first, at most 100 000 rows. Cells that a spreadsheet would read as formulas are guarded.
#[utoipa::path(get, path = "/money/lines.csv", params(LineQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_lines(State(app): State<Shared>, Query(query): Query<LineQuery>) -> Result<Response> {
    let (period, filter) = query.checked(&app.library.clock)?;
    let name = format!("money-{}-{}.csv", period.from, period.to);
    csv_file::answer(&name, FILE_COLUMNS, None, move |before: Option<Place>| {
        let app = Arc::clone(&app);
        async move {
            let found = app.library.db.read(move |tx| ledger::booked(tx, &filter, before, PORTION)).await;
            let found = found.map_err(Error::from)?;
            let last = found.last().map(|(place, _)| Some(*place));
            let rows = found.into_iter().map(|((at, _), Booked { line, user_name, roll_number, by, .. })| {
                let (units, rest) = line.amount.parts();
                let amount = format!("{units}.{rest:02}");
                let (debit, credit) =
                    if line.amount < Money::ZERO { (String::new(), amount) } else { (amount, String::new()) };
                [
                    app.library.clock.local(at),
                    roll_number.unwrap_or_default(),
                    user_name,
                    line.kind.as_str().to_owned(),
                    line.of.unwrap_or_default(),
                    line.reason,
                    line.reference,
                    line.receipt.unwrap_or_default(),
                    debit,
                    credit,
                    by,
                ]
            });
            Ok((rows.collect(), last))
        }
    })
    .await
}
