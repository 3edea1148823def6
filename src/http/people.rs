//! People as librarians see them: the list, one person, and what they have and had out (R-PEOPLE-1, R-PEOPLE-2).

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, State},
    http::{StatusCode, request::Parts},
    response::Response,
};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::{IntoParams, ToSchema};

use super::{
    App, Shared,
    client::Network,
    csv_file::{self, MOST_ROWS, PORTION},
    error::{Error, Result},
    extract::{Body, Id, JsonBody, Nothing, OptionalJsonBody, PathText, Query, given},
    idempotency::{Answer, Once},
    loans::REASON,
    page,
    session::{self, SignedIn},
};
use crate::{
    circulation::{
        standing::{self, Amount},
        view,
    },
    domain::{
        account::{BATCH, Capability, Role, folded_roll_number},
        id::{BookId, ChangeId, CopyId, LoanId, UserId},
        loan::Loan,
        moment::rfc3339,
        money::Money,
        person::{Barred, Details, Person},
        rule::{Invalid, Kind, Text},
        rulebook::Rulebook,
        rules::STUDENT,
    },
    import::{self, people::Report, table::Source as FileSource},
    message,
    people::{
        self as library_people, Authority, Certificate, code, merge,
        promotion::{self, Promotion},
    },
    storage::{
        Tx,
        accounts::Taken,
        directory::{self, Column, Key, Listing, Order, Source},
        loans::{self, Ended},
        page::{Page, Position},
        people::{self, Record},
    },
};

/// Longest search text.
const SEARCH: Text = Text { field: "q", label: "The search", min: 0, max: 200, kind: Kind::Line };

/// Which people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PeopleFilter {
    HasBooks,
    Overdue,
    Owes,
    Inactive,
    Librarians,
}

/// Which people, in which order.
#[derive(Clone, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct PeopleQuery {
    /// Words that name, roll number, email, batch or department contain, each somewhere.
    #[serde(default)]
    q: String,
    /// Only the person with this roll number, or the one into whose record that person's was merged. Everything else is
    /// passed over then.
    roll_number: Option<String>,
    #[param(inline)]
    filter: Option<PeopleFilter>,
    /// `name` if not said, `rollNumber`, `batch`, `department`, `openLoans`, `overdueLoans` or `owes`; with a `-` before it
    /// from the end.
    sort: Option<String>,
    /// How many, 1 to 100; 50 if not said.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` or `previous` of another page.
    cursor: Option<String>,
}

/// A page of the people.
#[derive(Serialize, ToSchema)]
pub struct PeopleList {
    people: Vec<Person>,
    /// How many match in all.
    total: i64,
    /// The day it is in the library.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
    /// Cursor of the page before this one.
    #[schema(required)]
    previous: Option<String>,
}

/// By what the list is ordered.
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

/// A checked [`PeopleQuery`].
#[derive(Clone)]
struct Asked {
    text: String,
    filter: Option<PeopleFilter>,
    order: OrderedBy,
    descending: bool,
}

impl PeopleQuery {
    fn checked(&self) -> Result<Asked> {
        let mut invalid = Invalid::default();
        let text = SEARCH.check(&self.q, &mut invalid);
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
        let order = invalid.or(order.unwrap_or(ORDERS[0].1))?;
        Ok(Asked { text, filter: self.filter, order, descending })
    }
}

impl Asked {
    /// The list as storage reads it. What people have out is counted before where filter or order ask for it.
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
        let source = match (&of_filter, self.filter) {
            (Some(amounts), _) => {
                Source::Among(amounts.iter().filter(|(_, amount)| *amount > 0).map(|(uid, _)| *uid).collect())
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
    let list = app
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
    Ok(axum::Json(list))
}

/// The columns of the file; those that an import takes have the same names there (R-PEOPLE-4).
const FILE_COLUMNS: [&str; 12] = [
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
];

/// The same as a file for a spreadsheet: all that fit, at most 100 000. Cells that would be taken for formulas are guarded.
#[utoipa::path(get, path = "/people.csv", params(PeopleQuery),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub async fn export_people(State(app): State<Shared>, Query(query): Query<PeopleQuery>) -> Result<Response> {
    let asked = query.checked()?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    // Who is listed is found once: the order of some lists is that of amounts, which are counted for everybody.
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

/// The row of a person in the file.
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
    ]
}

/// A person as the API shows one; [`Error::NotFound`] where there is none.
pub fn shown(tx: &mut Tx<'_>, rulebook: &Rulebook, today: Date, uid: UserId) -> Result<Person> {
    let record: Record = people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
    standing::people(tx, rulebook, today, vec![record])?.pop().ok_or(Error::NotFound)
}

/// One person (R-PEOPLE-2). The number of a record that was merged into another answers with that one (R-PEOPLE-9).
#[utoipa::path(get, path = "/people/{id}", params(("id" = i64, Path)), responses((status = 200, body = Person)))]
pub async fn read_person(State(app): State<Shared>, Id(uid): Id<UserId>) -> Result<axum::Json<Person>> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let person = app
        .library
        .db
        .snapshot(move |tx| -> Result<Person> {
            let rulebook = policies.current(tx)?;
            let uid = people::kept_instead(tx, uid)?.unwrap_or(uid);
            shown(tx, &rulebook, today, uid)
        })
        .await?;
    Ok(axum::Json(person))
}

/// Which loans of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoanState {
    #[default]
    Open,
    Ended,
}

/// Which loans of a person.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PersonLoansQuery {
    /// The open ones if not said.
    #[serde(default)]
    #[param(inline, required = false)]
    state: LoanState,
    /// How many ended ones, 1 to 100; 50 if not said. Open ones come all at once.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// `next` of another page.
    cursor: Option<String>,
}

/// A loan that ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedLoan {
    id: LoanId,
    book_id: BookId,
    /// The book's title when it was borrowed.
    title: String,
    /// Null for loans from before copies were known.
    #[schema(required)]
    copy_id: Option<CopyId>,
    #[schema(required)]
    barcode: Option<String>,
    /// The day it was borrowed.
    #[serde(rename = "EntryDate")]
    #[schema(value_type = String, format = Date)]
    entry_date: Date,
    #[schema(value_type = String, format = Date)]
    return_date: Date,
    /// The day as which the return counts.
    #[schema(value_type = String, format = Date)]
    ended_on: Date,
    renewals: i64,
    /// What it cost in the end.
    fine: Money,
}

impl From<Ended> for EndedLoan {
    fn from(ended: Ended) -> Self {
        Self {
            id: ended.id,
            book_id: ended.book_id,
            title: ended.title,
            copy_id: ended.copy_id,
            barcode: ended.barcode,
            entry_date: ended.entry_date,
            return_date: ended.return_date,
            ended_on: ended.ended_on,
            renewals: ended.renewals,
            fine: ended.fine,
        }
    }
}

/// A loan of a person.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum PersonLoan {
    Open(Loan),
    Ended(EndedLoan),
}

/// Loans of a person: the open ones, the first to be returned at the top, or the ended ones, the last to end at the top.
#[derive(Serialize, ToSchema)]
pub struct PersonLoans {
    loans: Vec<PersonLoan>,
    /// The day it is in the library.
    #[schema(value_type = String, format = Date)]
    today: Date,
    /// Cursor of the page after this one.
    #[schema(required)]
    next: Option<String>,
}

/// List the loans of a person.
#[utoipa::path(get, path = "/people/{id}/loans", params(("id" = i64, Path), PersonLoansQuery),
    responses((status = 200, body = PersonLoans)))]
pub async fn list_loans_of_person(
    State(app): State<Shared>,
    Id(uid): Id<UserId>,
    Query(query): Query<PersonLoansQuery>,
) -> Result<axum::Json<PersonLoans>> {
    let limit = page::length(query.limit, 50)?;
    let before: Option<(i64, i64)> = page::place(query.cursor.as_deref())?;
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let loans = app
        .library
        .db
        .snapshot(move |tx| -> Result<PersonLoans> {
            let rulebook = policies.current(tx)?;
            people::by_id(tx, uid)?.ok_or(Error::NotFound)?;
            if query.state == LoanState::Open {
                let open = loans::open_of_user(tx, uid)?.into_iter();
                let loans = open.map(|loan| PersonLoan::Open(view(loan, &rulebook, today))).collect();
                return Ok(PersonLoans { loans, today, next: None });
            }
            let mut ended = loans::ended_of_user(tx, uid, before, limit + 1)?;
            let length = usize::try_from(limit).unwrap_or_default();
            let goes_on = ended.len() > length;
            ended.truncate(length);
            let next = ended.last().filter(|_| goes_on).map(|last| page::cursor(&(last.ended_at, last.id.0)));
            let loans = ended.into_iter().map(|loan| PersonLoan::Ended(loan.into())).collect();
            Ok(PersonLoans { loans, today, next })
        })
        .await?;
    Ok(axum::Json(loans))
}

/// What the people of the library decided, as the API answers it.
impl From<library_people::Error> for Error {
    fn from(error: library_people::Error) -> Self {
        match error {
            library_people::Error::NotFound => Self::NotFound,
            library_people::Error::Invalid(invalid) => invalid.into(),
            library_people::Error::Taken(Taken::Email) => {
                Self::EmailTaken(message::problem_person_email_taken())
            }
            library_people::Error::Taken(Taken::RollNumber) => {
                Self::RollNumberTaken(message::problem_person_roll_number_taken())
            }
            library_people::Error::Taken(taken) => taken.into(),
            library_people::Error::Refused(refusal) => Self::Refused(refusal),
            library_people::Error::LastLibrarian => Self::LastLibrarian,
            library_people::Error::OwnAccount => Self::OwnAccount,
            library_people::Error::MoreCapable => Self::MoreCapable,
            library_people::Error::Forbidden => Self::Forbidden,
            library_people::Error::Storage(error) => error.into(),
        }
    }
}

/// A new person. Whoever never signs in needs no email (R-PEOPLE-3).
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonForm {
    /// Full name.
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    email: Option<String>,
    /// As on the ID card; stored lower-case, unique.
    #[serde(default)]
    roll_number: Option<String>,
    #[serde(default)]
    department: Option<String>,
    #[serde(default)]
    batch: Option<String>,
    /// One of the categories of the rules; `Student` if not said.
    #[serde(default)]
    category: Option<String>,
    /// The last day on which the person may borrow.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    valid_until: Option<Date>,
    #[serde(default)]
    barred: Option<Barred>,
}

/// Add a person, who has no password yet.
#[utoipa::path(post, path = "/people", request_body = PersonForm, responses((status = 201, body = Person)))]
pub async fn add_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<PersonForm>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let details = Details {
            name: form.name,
            email: form.email,
            roll_number: form.roll_number,
            department: form.department,
            batch: form.batch,
            category: form.category.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| STUDENT.into()),
            valid_until: form.valid_until,
            barred: form.barred,
        };
        let uid = library_people::add(tx, Some(librarian.uid), moment, &rulebook, details)?;
        let person = shown(tx, &rulebook, moment.today, uid)?;
        Answer::json(StatusCode::CREATED, &person)?.with_location(&format!("{}/people/{uid}", super::API))
    })
    .await
}

/// What of a person is changed; what is left out stays.
#[expect(clippy::option_option, reason = "null is told from what is left out")]
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonEdit {
    name: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    email: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    roll_number: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    department: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    batch: Option<Option<String>>,
    category: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, format = Date)]
    valid_until: Option<Option<Date>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Barred>)]
    barred: Option<Option<Barred>>,
}

impl PersonEdit {
    fn of(self, before: Details) -> Details {
        Details {
            name: self.name.unwrap_or(before.name),
            email: self.email.unwrap_or(before.email),
            roll_number: self.roll_number.unwrap_or(before.roll_number),
            department: self.department.unwrap_or(before.department),
            batch: self.batch.unwrap_or(before.batch),
            category: self.category.unwrap_or(before.category),
            valid_until: self.valid_until.unwrap_or(before.valid_until),
            barred: self.barred.unwrap_or(before.barred),
        }
    }
}

/// Change what is recorded of a person.
#[utoipa::path(patch, path = "/people/{id}", params(("id" = i64, Path)), request_body = PersonEdit,
    responses((status = 200, body = Person)))]
pub async fn update_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    JsonBody(edit): JsonBody<PersonEdit>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            library_people::update(tx, &authority, moment, &rulebook, uid, |before| edit.of(before))?;
            Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Why a person is deactivated.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deactivation {
    #[serde(default)]
    reason: String,
}

/// Let a person not sign in, borrow or hold any more (R-PEOPLE-6).
#[utoipa::path(post, path = "/people/{id}/deactivate", params(("id" = i64, Path)),
    request_body = Option<Deactivation>, responses((status = 200, body = Person)))]
pub async fn deactivate_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    OptionalJsonBody(form): OptionalJsonBody<Deactivation>,
) -> Result<Answer> {
    if uid == librarian.uid {
        return Err(Error::OwnAccount);
    }
    let mut invalid = Invalid::default();
    let reason = Text { min: 0, ..REASON }.check(&form.reason, &mut invalid);
    invalid.or(())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            library_people::deactivate(tx, &authority, moment, &rulebook, uid, &reason)?;
            Ok(Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)?
                .undoable(tx, &librarian))
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Let a person sign in, borrow and hold again.
#[utoipa::path(post, path = "/people/{id}/activate", params(("id" = i64, Path)),
    responses((status = 200, body = Person)))]
pub async fn activate_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        library_people::activate(tx, &authority, moment, uid)?;
        Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
    })
    .await
}

/// A code to hand out.
#[derive(Serialize, ToSchema)]
pub struct SignInCode {
    /// To be shown or printed now: nobody can read it again.
    code: String,
    /// Until when it is good; it is good once.
    #[schema(format = DateTime)]
    expires: String,
}

/// Make a code with which a person chooses a password; one made before is no longer good (R-PEOPLE-3).
#[utoipa::path(post, path = "/people/{id}/sign-in-code", params(("id" = i64, Path)),
    responses((status = 200, body = SignInCode)))]
pub async fn make_sign_in_code(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<axum::Json<SignInCode>> {
    let code = code::from_random(session::random()?);
    let hash = app.passwords.hash(code::normalized(&code)).await?;
    let moment = app.library.clock.moment();
    let expires = app
        .library
        .db
        .write(move |tx| {
            let authority = Authority::of(tx, librarian.uid)?;
            code::keep(tx, &authority, moment, uid, &hash)
        })
        .await
        .map_err(Error::from)?;
    Ok(axum::Json(SignInCode { code, expires: rfc3339(expires) }))
}

/// Whether an import only tells what it would do.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct ImportQuery {
    /// Store nothing and tell what would happen.
    #[serde(default)]
    dry_run: bool,
}

/// Bring people in from a CSV file, plain or gzipped, with the header
/// `rollNumber,name,email,department,batch,category,validUntil` or a part of it, at most 200 000 rows (R-PEOPLE-4). A thousand
/// rows at a time are stored whole or not at all.
#[utoipa::path(post, path = "/people/import", params(ImportQuery),
    request_body(content = String, content_type = "text/csv"), responses((status = 200, body = Report)))]
pub async fn import_people(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Query(query): Query<ImportQuery>,
    turn: Turn,
    once: Once,
    Body(file): Body,
) -> Result<Answer> {
    if let Some(answer) = app.kept_answer(&once).await? {
        return Ok(answer);
    }
    // Goes on where the librarian's browser left, so that the file is stored as a whole and the answer is kept for a repeat.
    let by = librarian.uid;
    let authority = app.library.db.read(move |tx| Authority::of(tx, by)).await?;
    let work = tokio::spawn(async move {
        let library = app.library.clone();
        let report = tokio::task::spawn_blocking(move || {
            let import = import::people::Import {
                db: &library.db,
                policies: &library.policies,
                authority: &authority,
                moment: library.clock.moment(),
                dry_run: query.dry_run,
                rejected: None,
            };
            let report = import.run(&FileSource::Upload(file));
            drop(turn);
            report
        });
        let report: Report = report.await.map_err(|error| Error::Internal(Box::new(error)))??;
        app.keep_answer(once, Answer::json(StatusCode::OK, &report)?).await
    });
    work.await.map_err(|error| Error::Internal(Box::new(error)))?
}

/// One import of a server at a time: a file and what is made of it may need 100 MiB of memory.
pub struct Importing(Arc<Semaphore>);

impl Default for Importing {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// The turn of the import that is under way.
#[derive(Clone)]
pub struct Turn(#[expect(dead_code, reason = "given back when it is dropped")] Arc<OwnedSemaphorePermit>);

impl Turn {
    /// The call that needs a turn.
    pub const ROUTE: &str = "/people/import";

    /// Takes the turn, before the file is read into memory.
    pub fn take(app: &App) -> Result<Self> {
        let permit = Arc::clone(&app.importing.0).try_acquire_owned();
        permit.map(|permit| Self(Arc::new(permit))).map_err(|_| Error::ImportRunning)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Turn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts.extensions.remove().ok_or(Error::ImportRunning)
    }
}

/// Erase a person's data; refused while anything is open (R-PEOPLE-6).
#[utoipa::path(delete, path = "/people/{id}", params(("id" = i64, Path)), responses((status = 204)))]
pub async fn erase_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
) -> Result<Answer> {
    if uid == librarian.uid {
        return Err(Error::OwnAccount);
    }
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            library_people::erase(tx, &authority, moment, &rulebook, uid)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// What becomes of a batch at the end of a year.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromotionForm {
    #[serde(default)]
    #[schema(required)]
    from_batch: String,
    /// The batch they go to.
    #[serde(default)]
    to_batch: Option<String>,
    /// They leave instead and are deactivated, but for those who have books or owe something.
    #[serde(default)]
    deactivate: bool,
    /// Deactivates also those who have books or owe something.
    #[serde(default)]
    with_open: bool,
    /// These stay as they are.
    #[serde(default)]
    except: Vec<UserId>,
    /// Only tell whom it would touch.
    #[serde(default)]
    dry_run: bool,
}

/// Whom a promotion touches.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromotionReport {
    dry_run: bool,
    /// How many people it touches.
    count: usize,
    /// The first 1000 of them.
    people: Vec<Person>,
    /// Who has books or owes something, and so stays active.
    kept: Vec<Person>,
    /// The change that names everybody; null where nothing was done.
    #[schema(required)]
    change: Option<ChangeId>,
}

/// Most people listed in an answer.
const LISTED: usize = 1000;

/// Move a batch on, or let it leave (R-PEOPLE-5).
#[utoipa::path(post, path = "/people/promote", request_body = PromotionForm,
    responses((status = 200, body = PromotionReport)))]
pub async fn promote_batch(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<PromotionForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let from = BATCH.check_as("fromBatch", &form.from_batch, &mut invalid);
    let to = form.to_batch.as_deref().filter(|to| !to.trim().is_empty());
    let to = to.map(|to| BATCH.check_as("toBatch", to, &mut invalid));
    if to.is_some() == form.deactivate {
        invalid.push("toBatch", message::move_or_deactivate());
    }
    if to.as_ref() == Some(&from) {
        invalid.push("toBatch", message::same_batch());
    }
    invalid.refuse_repeats("except", &form.except);
    invalid.or(())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let what = Promotion { from, to, except: form.except, with_open: form.with_open };
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let authority = Authority::of(tx, librarian.uid)?;
        let mut done = promotion::promote(tx, &authority, moment, &rulebook, &what, form.dry_run)?;
        let count = done.people.len();
        done.people.truncate(LISTED);
        done.kept.truncate(LISTED);
        let report = PromotionReport {
            dry_run: form.dry_run,
            count,
            people: done.people,
            kept: done.kept,
            change: done.change,
        };
        Answer::json(StatusCode::OK, &report)
    })
    .await
}

/// Two records of one person.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeForm {
    /// The record that stays.
    keep: UserId,
    /// The record that is merged into it.
    drop: UserId,
    /// Only tell what goes over.
    #[serde(default)]
    dry_run: bool,
}

/// What a merge does, or would do.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeReport {
    dry_run: bool,
    /// The record that stays, as it was.
    keep: Person,
    /// The record that is merged into it.
    drop: Person,
    /// What is recorded of the person from now on.
    after: Details,
    open_loans: i64,
    ended_loans: i64,
    /// Lines of the account.
    lines: i64,
    holds: i64,
    reviews: i64,
    /// Titles that both wait for: the better place stays, the other hold is cancelled.
    holds_cancelled: Vec<String>,
    /// Titles that both have reviewed: the newer review stays.
    reviews_given_up: Vec<String>,
    /// The person signs in with the password of the record that goes.
    takes_password: bool,
    /// Null where nothing was done.
    #[schema(required)]
    change: Option<ChangeId>,
}

/// Merge two records of one person into one (R-PEOPLE-9). Everything of `drop` goes to `keep`; its roll number opens `keep`
/// from then on.
#[utoipa::path(post, path = "/people/merge", request_body = MergeForm, responses((status = 200, body = MergeReport)))]
pub async fn merge_people(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<MergeForm>,
) -> Result<Answer> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let MergeForm { keep, drop, dry_run } = form;
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let standings = standing::of(tx, &rulebook, moment.today, &[keep, drop])?;
            let authority = Authority::of(tx, librarian.uid)?;
            let merged = merge::merge(tx, &authority, moment, &rulebook, (keep, drop), dry_run)?;
            let as_it_was = |record: Record| {
                let standing = standings.get(&record.uid).copied().unwrap_or_default();
                standing::person(record, standing)
            };
            let report = MergeReport {
                dry_run,
                keep: as_it_was(merged.keep),
                drop: as_it_was(merged.dropped),
                after: merged.after,
                open_loans: merged.moves.open_loans,
                ended_loans: merged.moves.ended_loans,
                lines: merged.moves.lines,
                holds: merged.moves.holds,
                reviews: merged.moves.reviews,
                holds_cancelled: merged.holds_cancelled,
                reviews_given_up: merged.reviews_given_up,
                takes_password: merged.takes_password,
                change: merged.change,
            };
            Ok(Answer::json(StatusCode::OK, &report)?.undoable(tx, &librarian))
        })
        .await?;
    app.sessions.forget_person(drop);
    app.sessions.forget_person(keep);
    Ok(answer)
}

/// A certificate that nothing is open, as anybody may check it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoDues {
    number: String,
    name: String,
    #[schema(required)]
    roll_number: Option<String>,
    #[schema(required)]
    department: Option<String>,
    #[schema(required)]
    batch: Option<String>,
    #[schema(value_type = String, format = Date)]
    issued_on: Date,
    /// Whether it still holds: nothing was borrowed and nothing fell due since.
    valid: bool,
}

fn no_dues(number: String, certificate: Certificate) -> NoDues {
    let Certificate { person, issued_on, holds } = certificate;
    let Details { name, roll_number, department, batch, .. } = person.details;
    NoDues { number, name, roll_number, department, batch, issued_on, valid: holds }
}

/// Issue a certificate that nothing is open; refused while something is (R-PEOPLE-7).
#[utoipa::path(post, path = "/people/{id}/no-dues", params(("id" = i64, Path)),
    responses((status = 201, body = NoDues)))]
pub async fn issue_no_dues(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    // Not counted: from one number nobody gets at another.
    let number = code::from_random(session::random()?);
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        library_people::certify(tx, librarian.uid, moment, &rulebook, uid, &number)?;
        let certificate = library_people::certificate(tx, moment, &rulebook, &number)?;
        Answer::json(StatusCode::CREATED, &no_dues(number, certificate))
    })
    .await
}

/// Check a certificate.
#[utoipa::path(get, path = "/no-dues/{number}", params(("number" = String, Path)),
    responses((status = 200, body = NoDues)))]
pub async fn read_no_dues(
    State(app): State<Shared>,
    PathText(number): PathText,
) -> Result<axum::Json<NoDues>> {
    if number.len() > 20 || !number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(Error::NotFound);
    }
    let number = number.to_ascii_uppercase();
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let found = app
        .library
        .db
        .snapshot(move |tx| -> Result<NoDues> {
            let rulebook = policies.current(tx)?;
            let certificate = library_people::certificate(tx, moment, &rulebook, &number)?;
            Ok(no_dues(number, certificate))
        })
        .await?;
    Ok(axum::Json(found))
}

/// Who becomes what.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleForm {
    role: Role,
    /// What the librarian may do; everything if not said.
    #[serde(default)]
    capabilities: Option<Vec<Capability>>,
    /// The password of whoever decides it.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
}

/// Make a person a librarian, change what a librarian may do, or unmake one (R-PEOPLE-8).
#[utoipa::path(post, path = "/people/{id}/role", params(("id" = i64, Path)), request_body = RoleForm,
    responses((status = 200, body = Person)))]
pub async fn change_role(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    network: Network,
    Id(uid): Id<UserId>,
    once: Once,
    JsonBody(form): JsonBody<RoleForm>,
) -> Result<Answer> {
    if app.library.db.read(move |tx| people::by_id(tx, uid)).await.map_err(Error::from)?.is_none() {
        return Err(Error::NotFound);
    }
    if app.own_password(librarian.uid, network, None, form.password).await?.is_none() {
        return Err(Invalid::field("password", message::wrong_password()).into());
    }
    let capabilities =
        (form.role == Role::Admin).then(|| form.capabilities.unwrap_or_else(|| Capability::ALL.to_vec()));
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            library_people::librarian::set(tx, &authority, moment, uid, capabilities.as_deref())?;
            Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}
