//! Record of a person: show, add, edit, deactivate and erase (R-PEOPLE-2, R-PEOPLE-3, R-PEOPLE-6).

use axum::{extract::State, http::StatusCode};
use jiff::civil::Date;
use serde::Deserialize;
use utoipa::ToSchema;

use super::shown;
use crate::{
    domain::{
        account::Capability,
        id::UserId,
        person::{Barred, Details, Person},
        rule::{Invalid, Text},
        rules::STUDENT,
    },
    http::{
        API, Shared,
        error::{Error, Result},
        extract::{Id, JsonBody, Nothing, OptionalJsonBody, given},
        idempotency::{Answer, Once},
        loans::REASON,
        session::SignedIn,
    },
    people,
    storage::{authority::Authority, people::kept_instead},
};

/// Read a person (R-PEOPLE-2). For the id of a merged record, returns the record that was kept (R-PEOPLE-9).
#[utoipa::path(get, path = "/people/{id}", params(("id" = i64, Path)), responses((status = 200, body = Person)))]
pub async fn read_person(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
) -> Result<axum::Json<Person>> {
    let (today, policies) = (app.library.clock.today(), app.library.policies.clone());
    let person = app
        .library
        .db
        .snapshot(move |tx| -> Result<Person> {
            let rulebook = policies.current(tx)?;
            let uid = kept_instead(tx, uid)?.unwrap_or(uid);
            let mut person = shown(tx, &rulebook, today, uid)?;
            if !librarian.capabilities.contains(&Capability::People) {
                person.details.hide_guardian();
            }
            Ok(person)
        })
        .await?;
    Ok(axum::Json(person))
}

/// New person. The email is needed only to sign in (R-PEOPLE-3).
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonForm {
    /// Full name.
    #[serde(default)]
    #[schema(required)]
    name: String,
    #[serde(default)]
    email: Option<String>,
    /// Number on the ID card; stored lower-case, unique.
    #[serde(default)]
    roll_number: Option<String>,
    #[serde(default)]
    department: Option<String>,
    #[serde(default)]
    batch: Option<String>,
    /// Category of the rules; default `Student`.
    #[serde(default)]
    category: Option<String>,
    /// Last day on which the person may borrow.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    valid_until: Option<Date>,
    #[serde(default)]
    barred: Option<Barred>,
    /// Phone of the person.
    #[serde(default)]
    phone: Option<String>,
    /// Address of a parent or guardian, to whom reminders may be mailed.
    #[serde(default)]
    guardian_email: Option<String>,
    #[serde(default)]
    guardian_phone: Option<String>,
}

/// Add a person without a password.
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
            phone: form.phone,
            guardian_email: form.guardian_email,
            guardian_phone: form.guardian_phone,
        };
        let uid = people::add(tx, Some(librarian.uid), moment, &rulebook, details)?;
        let person = shown(tx, &rulebook, moment.today, uid)?;
        Answer::json(StatusCode::CREATED, &person)?.with_location(&format!("{API}/people/{uid}"))
    })
    .await
}

/// Changed details of a person; omitted fields stay unchanged.
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
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    phone: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    guardian_email: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    guardian_phone: Option<Option<String>>,
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
            phone: self.phone.unwrap_or(before.phone),
            guardian_email: self.guardian_email.unwrap_or(before.guardian_email),
            guardian_phone: self.guardian_phone.unwrap_or(before.guardian_phone),
        }
    }
}

/// Change a person's details.
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
            people::update(tx, &authority, moment, &rulebook, uid, |before| edit.of(before))?;
            Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Reason of a deactivation.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deactivation {
    #[serde(default)]
    reason: String,
}

/// Deactivate a person, who may then no longer sign in, borrow or reserve (R-PEOPLE-6).
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
    invalid.into_result(())?;
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let answer = app
        .once(once, move |tx| {
            let rulebook = policies.current(tx)?;
            let authority = Authority::of(tx, librarian.uid)?;
            people::deactivate(tx, &authority, moment, &rulebook, uid, &reason)?;
            Ok(Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)?
                .undoable(tx, &librarian))
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}

/// Reactivate a person.
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
        people::activate(tx, &authority, moment, uid)?;
        Answer::json(StatusCode::OK, &shown(tx, &rulebook, moment.today, uid)?)
    })
    .await
}

/// Erase a person's data; refused while loans, holds or dues are open (R-PEOPLE-6).
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
            people::erase(tx, &authority, moment, &rulebook, uid)?;
            Ok(Answer::empty())
        })
        .await?;
    app.sessions.forget_person(uid);
    Ok(answer)
}
