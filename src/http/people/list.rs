//! List of people, also as a file for a spreadsheet (R-PEOPLE-1).

use std::sync::Arc;

use axum::{extract::State, response::Response};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    circulation::standing::{self, Amount},
    domain::{
        account::{BATCH, folded_roll_number},
        id::UserId,
        person::Person,
        rule::{Invalid, Kind, Text},
        rulebook::Rulebook,
    },
    http::{
        Shared,
        csv_file::{self, MOST_ROWS, PORTION},
        error::Result,
        extract::Query,
        page,
    },
    message,
    storage::{
        Tx,
        directory::{self, Column, Key, Listing, OfBatch, Order, Source},
        page::{Page, Position},
        people::{self, Record},
    },
};

/// Limits of the search text.
pub(super) const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 200, kind: Kind::Line };

/// Selection of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PeopleFilter {
    HasBooks,
    Overdue,
    Owes,
    Inactive,
    Librarians,
}

/// Selection and order of the list of people.
#[derive(Clone, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct PeopleQuery {
    /// Search words; each must occur in name, roll number, email, batch or department.
    #[serde(default)]
    q: String,
    /// Only the person with this roll number; for the number of a merged record, the person who was kept. Other
    /// parameters are then ignored.
    roll_number: Option<String>,
    #[param(inline)]
    filter: Option<PeopleFilter>,
    /// Only the people of this batch.
    batch: Option<String>,
    /// `name` (default), `rollNumber`, `batch`, `department`, `openLoans`, `overdueLoans` or `owes`; a leading `-`
    /// sorts in descending order.
    sort: Option<String>,
    /// Page length, 1 to 100; 50 by default.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// Value of `next` or `previous` from another page.
    cursor: Option<String>,
}

/// Page of people.
#[derive(Serialize, ToSchema)]
pub struct PeopleList {
    people: Vec<Person>,
    /// Number of matches on all pages.
    total: i64,
    /// Today in the library's time zone.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the next page.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the previous page.
    #[schema(required)]
    previous: Option<String>,
}

/// Order of the list.
#[derive(Clone, Copy)]
enum OrderedBy {
    Column(Column),
    Amount(Amount),
}

const ORDERS: &[(&str, OrderedBy)] = &[
    ("name", OrderedBy::Column(Column::Name)),
    ("rollNumber", OrderedBy::Column(Column::RollNumber)),
    ("batch", OrderedBy::Column(Column::Batch)),
    ("department", OrderedBy::Column(Column::Department)),
    ("openLoans", OrderedBy::Amount(Amount::OpenLoans)),
    ("overdueLoans", OrderedBy::Amount(Amount::OverdueLoans)),
    ("owes", OrderedBy::Amount(Amount::Owes)),
];

/// Validated [`PeopleQuery`].
#[derive(Clone)]
struct Asked {
    text: String,
    filter: Option<PeopleFilter>,
    /// Batch; empty for all.
    batch: String,
    order: OrderedBy,
    descending: bool,
}

impl PeopleQuery {
    fn checked(&self) -> Result<Asked> {
        let mut invalid = Invalid::default();
        let text = SEARCH.check(&self.q, &mut invalid);
        let batch = Text { min: 0, ..BATCH }.check(self.batch.as_deref().unwrap_or_default(), &mut invalid);
        let sort = self.sort.as_deref().filter(|sort| !sort.is_empty()).unwrap_or(ORDERS[0].0);
        let (name, descending) = match sort.strip_prefix('-') {
            Some(name) => (name, true),
            None => (sort, false),
        };
        let order = ORDERS.iter().find(|(known, _)| *known == name).map(|(_, order)| *order);
        if order.is_none() {
            let names: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
            invalid.push("sort", message::no_such_order(&names.join(", ")));
        }
        let order = invalid.into_result(order.unwrap_or(ORDERS[0].1))?;
        Ok(Asked { text, filter: self.filter, batch, order, descending })
    }
}

impl Asked {
    /// Returns the query for storage. Amounts are counted first if filter or order need them.
    fn listing(self, tx: &mut Tx<'_>, rulebook: &Rulebook, today: Date) -> Result<Listing> {
        let filtered = match self.filter {
            Some(PeopleFilter::HasBooks) => Some(Amount::OpenLoans),
            Some(PeopleFilter::Overdue) => Some(Amount::OverdueLoans),
            Some(PeopleFilter::Owes) => Some(Amount::Owes),
            Some(PeopleFilter::Inactive | PeopleFilter::Librarians) | None => None,
        };
        let of_filter = match filtered {
            Some(amount) => Some(standing::of_all(tx, rulebook, today, amount)?),
            None => None,
        };
        let of_batch = match (self.batch.as_str(), self.filter) {
            ("", _) => None,
            (batch, Some(PeopleFilter::Inactive)) => Some(directory::of_batch(tx, batch, OfBatch::Inactive)?),
            (batch, Some(PeopleFilter::Librarians)) => {
                Some(directory::of_batch(tx, batch, OfBatch::Librarians)?)
            }
            (batch, _) => Some(directory::of_batch(tx, batch, OfBatch::All)?),
        };
        let source = match (&of_filter, self.filter) {
            (None, _) if let Some(batch) = of_batch => Source::Among(batch),
            (Some(amounts), _) => {
                let of_batch =
                    |uid: &UserId| of_batch.as_ref().is_none_or(|batch| batch.binary_search(uid).is_ok());
                let wanted = amounts.iter().filter(|(_, amount)| *amount > 0).map(|(uid, _)| *uid);
                Source::Among(wanted.filter(of_batch).collect())
            }
            (None, Some(PeopleFilter::Inactive)) => Source::Inactive,
            (None, Some(PeopleFilter::Librarians)) => Source::Librarians,
            (None, _) => Source::Everybody,
        };
        let order = match (self.order, of_filter) {
            (OrderedBy::Column(column), _) => Order::Column(column),
            (OrderedBy::Amount(amount), Some(known)) if filtered == Some(amount) => Order::Amount(known),
            (OrderedBy::Amount(amount), _) => Order::Amount(standing::of_all(tx, rulebook, today, amount)?),
        };
        Ok(Listing { query: self.text, source, order, descending: self.descending })
    }
}

/// List people (R-PEOPLE-1).
#[utoipa::path(get, path = "/people", params(PeopleQuery), responses((status = 200, body = PeopleList)))]
pub async fn list_people(
    State(app): State<Shared>,
    Query(query): Query<PeopleQuery>,
) -> Result<axum::Json<PeopleList>> {
    let asked = query.checked()?;
    let number = query.roll_number.as_deref().map(folded_roll_number);
    let limit = page::length(query.limit, 50)?;
    let position: Option<Position<Key>> = page::place(query.cursor.as_deref())?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let mut list = app
        .library
        .db
        .snapshot(move |tx| -> Result<PeopleList> {
            let rulebook = policies.current(tx)?;
            if let Some(number) = &number {
                let found: Vec<Record> = people::known_as(tx, Some(number), None)?.into_iter().collect();
                let total = i64::try_from(found.len()).unwrap_or_default();
                let people = standing::people(tx, &rulebook, today, found)?;
                return Ok(PeopleList { people, total, today, next: None, previous: None });
            }
            let listing = asked.listing(tx, &rulebook, today)?;
            let (page, total) = directory::page(tx, &listing, position, limit)?;
            let Page { rows, next, previous } = page;
            Ok(PeopleList {
                people: standing::people(tx, &rulebook, today, rows)?,
                total,
                today,
                next: next.as_ref().map(page::cursor),
                previous: previous.as_ref().map(page::cursor),
            })
        })
        .await?;
    for person in &mut list.people {
        person.details.hide_guardian();
        person.details.phone = None;
    }
    Ok(axum::Json(list))
}

/// Batches to choose from.
#[derive(Serialize, ToSchema)]
pub struct Batches {
    batches: Vec<String>,
}

/// Maximum number of people's batches: a college has a hundred, and the answer stays within 64 KiB.
const MOST_BATCHES: i64 = 500;

/// List batches: those of the settings, then those that only people have, for instance imported classes.
#[utoipa::path(get, path = "/people/batches", responses((status = 200, body = Batches)))]
pub async fn list_batches(State(app): State<Shared>) -> Result<axum::Json<Batches>> {
    let policies = app.library.policies.clone();
    let found = app.library.db.snapshot(move |tx| -> Result<_> {
        let mut batches = policies.current(tx)?.library.batches.clone();
        for batch in people::batches(tx, MOST_BATCHES)? {
            if !batches.contains(&batch) {
                batches.push(batch);
            }
        }
        Ok(batches)
    });
    Ok(axum::Json(Batches { batches: found.await? }))
}

/// Columns of the file, named as in an import (R-PEOPLE-4).
const FILE_COLUMNS: [&str; 15] = [
    "rollNumber",
    "name",
    "email",
    "department",
    "batch",
    "category",
    "validUntil",
    "role",
    "active",
    "openLoans",
    "overdueLoans",
    "owes",
    "guardianEmail",
    "guardianPhone",
    "phone",
];

/// Export the list of people as CSV: all matches, at most 100 000. Cells that a spreadsheet would read as formulas are
/// guarded.
#[utoipa::path(get, path = "/people.csv", params(PeopleQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_people(State(app): State<Shared>, Query(query): Query<PeopleQuery>) -> Result<Response> {
    let asked = query.checked()?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    // Reads all ids once, not per portion: some orders need amounts, which are counted for all people.
    let (listed, counted) = (policies.clone(), asked);
    let uids = app.library.db.snapshot(move |tx| -> Result<_> {
        let rulebook = listed.current(tx)?;
        let listing = counted.listing(tx, &rulebook, today)?;
        Ok(directory::uids(tx, &listing, MOST_ROWS)?)
    });
    let uids = uids.await?.into_iter();
    csv_file::answer(&format!("people-{today}.csv"), FILE_COLUMNS, uids, move |mut uids| {
        let (app, policies) = (Arc::clone(&app), policies.clone());
        async move {
            let portion: Vec<UserId> =
                uids.by_ref().take(usize::try_from(PORTION).unwrap_or_default()).collect();
            let found = app.library.db.snapshot(move |tx| -> Result<_> {
                let rulebook = policies.current(tx)?;
                let records = people::by_ids(tx, &portion)?;
                Ok(standing::people(tx, &rulebook, today, records)?)
            });
            let rows = found.await?.into_iter().map(cells_of).collect();
            Ok((rows, (uids.len() > 0).then_some(uids)))
        }
    })
    .await
}

/// Returns a person's row of the file.
fn cells_of(person: Person) -> [String; FILE_COLUMNS.len()] {
    let (units, rest) = person.owes.parts();
    let text = |text: Option<String>| text.unwrap_or_default();
    [
        text(person.details.roll_number),
        person.details.name,
        text(person.details.email),
        text(person.details.department),
        text(person.details.batch),
        person.details.category,
        text(person.details.valid_until.map(|day| day.to_string())),
        person.role.map_or("", |role| role.as_str()).to_owned(),
        if person.active { "yes" } else { "no" }.to_owned(),
        person.open_loans.to_string(),
        person.overdue_loans.to_string(),
        format!("{units}.{rest:02}"),
        text(person.details.guardian_email),
        text(person.details.guardian_phone),
        text(person.details.phone),
    ]
}
