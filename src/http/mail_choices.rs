//! A person's preferences about the library's mails.

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Shared,
    error::Result,
    extract::JsonBody,
    idempotency::{Answer, Once},
    session::SignedIn,
};
use crate::{
    domain::{id::UserId, library::LANGUAGE, notice::Kind, rule::Invalid},
    storage::{
        self, Tx, claimed_addresses,
        mail_choices::{self, Choices},
        people, settings,
    },
};

/// The caller's mail preferences, and the kinds of notices that the library mails.
#[derive(Serialize, ToSchema)]
pub struct MailChoices {
    /// False while the library mails no notices.
    on: bool,
    /// The person's email address; null without one.
    #[schema(required)]
    address: Option<String>,
    /// False if the person entered the address and has not opened the mailed link yet: no notices are mailed until then.
    confirmed: bool,
    /// Kinds of notices that the library mails and a person may refuse.
    offered: Vec<Kind>,
    /// Language of mails; null for the library's.
    #[schema(required)]
    language: Option<String>,
    /// Kinds that the person gets on the screen only.
    refused: Vec<Kind>,
    /// True if reminders come once a week, on Monday; otherwise on each day with reminders.
    weekly: bool,
}

fn read(tx: &mut Tx<'_>, person: UserId, has_post: bool) -> storage::Result<MailChoices> {
    let settings = settings::notices(tx)?;
    let Choices { language, refused, weekly } = mail_choices::of(tx, person)?;
    let offered = Kind::ALL
        .into_iter()
        .filter(|kind| kind.is_optional() && settings.sends(*kind) && settings.mails(*kind))
        .collect();
    let address = people::by_id(tx, person)?.and_then(|person| person.details.email);
    let (on, confirmed) = (has_post && settings.by_mail, !claimed_addresses::is_unconfirmed(tx, person)?);
    Ok(MailChoices { on, address, confirmed, offered, language, refused, weekly })
}

/// Read the caller's own mail preferences.
#[utoipa::path(get, path = "/me/mail-choices", responses((status = 200, body = MailChoices)))]
pub async fn read_mail_choices(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<axum::Json<MailChoices>> {
    let has_post = app.settings.post.mail.is_some();
    Ok(axum::Json(app.library.db.snapshot(move |tx| read(tx, user.uid, has_post)).await?))
}

/// Mail preferences to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailChoicesForm {
    /// Language of mails; null or blank for the library's.
    #[serde(default)]
    language: Option<String>,
    /// Kinds to get on the screen only. Notices about the security of the account are always mailed.
    refused: Vec<Kind>,
    /// True to get reminders once a week, on Monday.
    #[serde(default)]
    weekly: bool,
}

/// Save the caller's own mail preferences.
#[utoipa::path(put, path = "/me/mail-choices", request_body = MailChoicesForm,
    responses((status = 200, body = MailChoices)))]
pub async fn save_mail_choices(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    JsonBody(form): JsonBody<MailChoicesForm>,
) -> Result<Answer> {
    let mut invalid = Invalid::default();
    let language = form.language.filter(|language| !language.trim().is_empty());
    let language = language.map(|language| LANGUAGE.check(&language, &mut invalid));
    invalid.into_result(())?;
    let refused =
        Kind::ALL.into_iter().filter(|kind| kind.is_optional() && form.refused.contains(kind)).collect();
    let choices = Choices { language, refused, weekly: form.weekly };
    let (uid, has_post) = (user.uid, app.settings.post.mail.is_some());
    app.once(once, move |tx| {
        mail_choices::save(tx, uid, &choices)?;
        Answer::json(StatusCode::OK, &read(tx, uid, has_post)?)
    })
    .await
}
