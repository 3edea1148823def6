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
    domain::{id::UserId, library::LANGUAGE, mail::Channel, notice::Kind, rule::Invalid},
    mail::Post,
    storage::{
        self, Tx, claimed_addresses,
        mail_choices::{self, Choices, Contacts, Guardian},
        people, settings,
    },
};

/// The caller's preferences about notices by mail or text message, and the kinds that the library sends.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own on the form")]
pub struct MailChoices {
    /// False while the library mails no notices.
    on: bool,
    /// The person's email address; null without one.
    #[schema(required)]
    address: Option<String>,
    /// False if the person entered the address and has not opened the mailed link yet: no notices are mailed until then.
    confirmed: bool,
    /// Phone that gets text messages, because the person has no confirmed address; null if mails go to the address, or the
    /// library sends no text messages.
    #[schema(required)]
    phone: Option<String>,
    /// True if the library also sends reminders of the person's loans to a guardian.
    to_guardian: bool,
    /// Kinds of notices that the library mails and a person may refuse.
    offered: Vec<Kind>,
    /// Language of mails; null for the library's.
    #[schema(required)]
    language: Option<String>,
    /// Kinds that the person gets on the screen only.
    refused: Vec<Kind>,
    /// Offered kinds that have a mail of their own, but may come in the digest.
    can_wait: Vec<Kind>,
    /// Kinds that the person gets in the digest and not by a mail of their own: reminders, and those that the person chose.
    in_digest: Vec<Kind>,
    /// True if the digest comes once a week, on Monday; otherwise on each day on which there is something to say.
    weekly: bool,
}

fn read(tx: &mut Tx<'_>, person: UserId, post: &Post) -> storage::Result<MailChoices> {
    let settings = settings::notices(tx)?;
    let Choices { language, refused, in_digest: chosen, weekly } = mail_choices::of(tx, person)?;
    let offered: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.is_optional() && settings.sends(*kind) && settings.mails(*kind))
        .collect();
    let details = people::by_id(tx, person)?.map(|person| person.details);
    let guardian = Guardian {
        contacts: details.as_ref().map_or_else(Contacts::default, |details| Contacts {
            email: details.guardian_email.clone(),
            phone: details.guardian_phone.clone(),
        }),
        refuses: mail_choices::guardian_refused(tx, person)?,
    };
    let is_for_guardians = Kind::ALL.into_iter().any(|kind| settings.reminds_guardian(kind));
    let to_guardian = is_for_guardians && guardian.contact(|channel| post.has(channel)).is_some();
    let (address, phone) = details.map_or((None, None), |details| (details.email, details.phone));
    let confirmed = !claimed_addresses::is_unconfirmed(tx, person)?;
    let is_mailed = post.has(Channel::Mail) && address.is_some() && confirmed;
    let phone = phone.filter(|_| post.has(Channel::Text) && !is_mailed);
    let on = settings.by_mail && (post.has(Channel::Mail) || phone.is_some());
    let in_digest =
        Kind::ALL.into_iter().filter(|kind| kind.is_reminder() || chosen.contains(kind)).collect();
    let can_wait = offered.iter().copied().filter(|kind| kind.can_wait()).collect();
    Ok(MailChoices {
        on,
        address,
        confirmed,
        phone,
        to_guardian,
        offered,
        language,
        refused,
        can_wait,
        in_digest,
        weekly,
    })
}

/// Read the caller's own mail preferences.
#[utoipa::path(get, path = "/me/mail-choices", responses((status = 200, body = MailChoices)))]
pub async fn read_mail_choices(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
) -> Result<axum::Json<MailChoices>> {
    let post = app.settings.post.clone();
    Ok(axum::Json(app.library.db.snapshot(move |tx| read(tx, user.uid, &post)).await?))
}

/// Mail preferences to save.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MailChoicesForm {
    /// Language of mails; null or blank for the library's.
    #[serde(default)]
    language: Option<String>,
    /// Kinds to get on the screen only. Notices about the security of the account are always mailed.
    refused: Vec<Kind>,
    /// Kinds to get in the digest; those that cannot wait are left out. A kind that is refused comes neither way.
    #[serde(default)]
    in_digest: Vec<Kind>,
    /// True to get the digest once a week, on Monday.
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
    let in_digest =
        Kind::ALL.into_iter().filter(|kind| kind.can_wait() && form.in_digest.contains(kind)).collect();
    let choices = Choices { language, refused, in_digest, weekly: form.weekly };
    let (uid, post) = (user.uid, app.settings.post.clone());
    app.once(once, move |tx| {
        mail_choices::save(tx, uid, &choices)?;
        Answer::json(StatusCode::OK, &read(tx, uid, &post)?)
    })
    .await
}
