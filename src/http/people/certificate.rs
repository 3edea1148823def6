//! No-dues certificates (R-PEOPLE-7).

use axum::{extract::State, http::StatusCode};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    circulation::BlockShown,
    domain::{account::BATCH, code, id::UserId, person::Details, rule::Invalid},
    http::{
        Shared,
        accounts::check_limit,
        client::Network,
        error::{Error, Result},
        extract::{Id, JsonBody, OptionalJsonBody, PathText},
        idempotency::{Answer, Once},
        session::{self, SignedIn},
    },
    people::{self, Certificate, Certify},
};

/// Number of characters in a certificate's number: 57 bits.
const NUMBER_LENGTH: usize = 12;

/// No-dues certificate, as shown without sign-in.
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
    /// True if the person has no open loans, holds or dues now.
    valid: bool,
}

fn no_dues(number: String, certificate: Certificate) -> NoDues {
    let Certificate { person, issued_on, is_still_clear } = certificate;
    let Details { name, roll_number, department, batch, .. } = person.details;
    NoDues { number, name, roll_number, department, batch, issued_on, valid: is_still_clear }
}

/// Options of a no-dues certificate to issue.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoDuesForm {
    /// Cancel the person's reservations in the same step.
    #[serde(default)]
    cancel_holds: bool,
}

/// Issue a no-dues certificate; refused while loans, holds or dues are open (R-PEOPLE-7).
#[utoipa::path(post, path = "/people/{id}/no-dues", params(("id" = i64, Path)),
    request_body = Option<NoDuesForm>,
    responses((status = 201, body = NoDues)))]
pub async fn issue_no_dues(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    once: Once,
    OptionalJsonBody(form): OptionalJsonBody<NoDuesForm>,
) -> Result<Answer> {
    // Random, so that a known number does not reveal others.
    let number = code::signs(session::random()?, NUMBER_LENGTH);
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let what = Certify { person: uid, number, cancel_holds: form.cancel_holds };
        people::certify(tx, librarian.uid, moment, &rulebook, &what)?;
        let certificate = people::certificate(tx, moment, &rulebook, &what.number)?;
        Answer::json(StatusCode::CREATED, &no_dues(what.number, certificate))
    })
    .await
}

/// Batch whose students get certificates.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchNoDuesForm {
    #[serde(default)]
    #[schema(required)]
    batch: String,
    /// Preview: issue nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Person who gets no certificate.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotClear {
    uid: UserId,
    name: String,
    #[schema(required)]
    roll_number: Option<String>,
    /// Reason for the refusal, with the number or amount that is open.
    open: BlockShown,
}

/// No-dues certificates of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchNoDues {
    /// Number of people without open loans, holds or dues.
    count: usize,
    /// Their certificates, by name; empty in a preview.
    issued: Vec<NoDues>,
    /// People who get no certificate, by name.
    open: Vec<NotClear>,
}

/// Issue no-dues certificates to the active students of a batch without open loans, holds or dues (R-PEOPLE-7).
#[utoipa::path(post, path = "/people/no-dues", request_body = BatchNoDuesForm,
    responses((status = 200, body = BatchNoDues)))]
pub async fn issue_no_dues_of_batch(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<BatchNoDuesForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let batch = BATCH.check_as("batch", &form.batch, &mut invalid);
    invalid.into_result(())?;
    let count = if form.dry_run { 0 } else { people::MOST_CERTIFIED };
    let numbers: Vec<String> =
        (0..count).map(|_| Ok(code::signs(session::random()?, NUMBER_LENGTH))).collect::<Result<_>>()?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    app.once(once, move |tx| {
        let rulebook = policies.current(tx)?;
        let certified = people::certify_batch(tx, librarian.uid, moment, &rulebook, &batch, &numbers)?;
        let count = certified.clear.len();
        let issued = certified.clear.into_iter().zip(numbers);
        let issued = issued.map(|(person, number)| {
            no_dues(number, Certificate { person, issued_on: moment.today, is_still_clear: true })
        });
        let open = certified.open.into_iter().map(|(person, block)| NotClear {
            uid: person.uid,
            name: person.details.name,
            roll_number: person.details.roll_number,
            open: BlockShown::from(&block),
        });
        let certificates = BatchNoDues { count, issued: issued.collect(), open: open.collect() };
        Answer::json(StatusCode::OK, &certificates)
    })
    .await
}

/// Check a certificate. Numbers that do not exist count against a limit of the network, because a certificate shows a
/// person's name.
#[utoipa::path(get, path = "/no-dues/{number}", params(("number" = String, Path)),
    responses((status = 200, body = NoDues)))]
pub async fn read_no_dues(
    State(app): State<Shared>,
    network: Network,
    PathText(number): PathText,
) -> Result<axum::Json<NoDues>> {
    check_limit(app.limits.certificate_misses.take(&network))?;
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
            let certificate = people::certificate(tx, moment, &rulebook, &number)?;
            Ok(no_dues(number, certificate))
        })
        .await;
    if !matches!(found, Err(Error::NotFound)) {
        app.limits.certificate_misses.give_back(&network);
    }
    found.map(axum::Json)
}
