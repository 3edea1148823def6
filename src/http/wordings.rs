//! Wordings of mails: the program's and the library's own, and previews of mails.

use axum::{extract::State, http::HeaderMap};
use jiff::{Span, civil::Date};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    App, Shared,
    accounts::check_limit,
    error::{Error, Result},
    extract::{JsonBody, PathText},
    idempotency::{Answer, Once},
    session::SignedIn,
    settings::{record, unchanged, versioned},
};
use crate::{
    domain::{
        account::User,
        change::SettingsChange,
        library::{LANGUAGE, LANGUAGES},
        mail::Kind,
        rule::Invalid,
        wording::{Worded, Wording, Wordings},
    },
    mail::{self, Addressed, Letter, Writing, example, ours},
    message::Message,
    storage::{
        loans, mails,
        settings::{self, Document},
    },
};

/// Returns the mail that a path names.
fn named(kind: &str) -> Result<Worded> {
    Worded::of(kind).ok_or(Error::NotFound)
}

/// Placeholder of a wording.
#[derive(Serialize, ToSchema)]
pub struct MailPlaceholder {
    /// Placeholder as written in a wording, with its braces.
    placeholder: &'static str,
    /// Description of the placeholder's value, in one line.
    about: Message,
    /// True for a block, which a wording must contain once, as a paragraph of its own.
    block: bool,
}

/// Mail with a wording.
#[derive(Serialize, ToSchema)]
pub struct WordedMail {
    kind: &'static str,
    placeholders: Vec<MailPlaceholder>,
    /// The program's wordings, in all languages.
    ours: Wordings,
    /// The library's own wordings.
    own: Wordings,
}

/// Mails with a wording.
#[derive(Serialize, ToSchema)]
pub struct WordedMails {
    /// False while no mail server is configured.
    on: bool,
    mails: Vec<WordedMail>,
}

/// List the mails with their wordings and placeholders.
#[utoipa::path(get, path = "/settings/mails", responses((status = 200, body = WordedMails)))]
pub async fn list_wordings(State(app): State<Shared>) -> Result<axum::Json<WordedMails>> {
    let mut own = app.library.db.read(settings::wordings).await?;
    let mails = Worded::all()
        .map(|mail| WordedMail {
            kind: mail.as_str(),
            placeholders: mail
                .placeholders()
                .iter()
                .map(|placeholder| MailPlaceholder {
                    placeholder: placeholder.as_str(),
                    about: placeholder.about(),
                    block: placeholder.is_block(),
                })
                .collect(),
            ours: Wordings { en: Some(ours(mail, "en")), hi: Some(ours(mail, "hi")) },
            own: own.remove(&mail).unwrap_or_default(),
        })
        .collect();
    Ok(axum::Json(WordedMails { on: app.settings.post.mail.is_some(), mails }))
}

/// Read the library's own wordings of a mail.
#[utoipa::path(get, path = "/settings/mails/{kind}", params(("kind" = String, Path)),
    responses((status = 200, body = Wordings, headers(("ETag" = String)))))]
pub async fn read_wordings(State(app): State<Shared>, PathText(kind): PathText) -> Result<Answer> {
    let mail = named(&kind)?;
    let (saved, wordings) = app.library.db.read(move |tx| settings::saved_wordings(tx, mail)).await?;
    versioned(saved, &wordings)
}

/// Save the library's own wordings of a mail; null resets a language to the program's wording.
#[utoipa::path(put, path = "/settings/mails/{kind}", params(("kind" = String, Path), ("If-Match" = Option<String>, Header)),
    request_body = Wordings, responses((status = 200, body = Wordings, headers(("ETag" = String)))))]
pub async fn save_wordings(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    PathText(kind): PathText,
    headers: HeaderMap,
    once: Once,
    JsonBody(wordings): JsonBody<Wordings>,
) -> Result<Answer> {
    let mail = named(&kind)?;
    let wordings = wordings.checked(mail)?;
    let (now, by) = (app.library.clock.now(), admin.uid);
    app.once(once, move |tx| {
        settings::lock(tx)?;
        let (saved, before) = settings::saved_wordings(tx, mail)?;
        unchanged(&headers, saved)?;
        let saved = settings::save(tx, Document::Mail(mail, &wordings), now, by)?;
        let change = SettingsChange::MailWordingChanged {
            mail: mail.as_str().to_owned(),
            before,
            after: wordings.clone(),
        };
        record(tx, now, by, change)?;
        versioned(saved, &wordings)
    })
    .await
}

/// Wording to try.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WordingDraft {
    language: String,
    subject: String,
    body: String,
}

/// Mail with example values.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailPreview {
    subject: String,
    text: String,
    html: String,
    /// True if the titles are made up, because no book is on loan.
    made_up: bool,
}

/// Titles of the example while no book is on loan.
const TITLES: [&str; 2] = ["Pride and Prejudice", "Godaan"];

/// Days until the books of the example are due.
const DUE_IN: i64 = 3;

/// Writes the mail to the librarian with the titles of two real loans; the mail names no borrower.
async fn written(app: &App, reader: &User, mail: Worded, draft: WordingDraft) -> Result<(Letter, bool)> {
    let mut invalid = Invalid::default();
    let language = LANGUAGE.check(&draft.language, &mut invalid);
    let wording = Wording { subject: draft.subject, body: draft.body }.checked(mail, "", &mut invalid);
    invalid.into_result(())?;
    let own = if language == LANGUAGES[0] {
        Wordings { en: Some(wording), hi: None }
    } else {
        Wordings { en: None, hi: Some(wording) }
    };
    let (policies, today) = (app.library.policies.clone(), app.library.clock.today());
    let found = app.library.db.snapshot(move |tx| -> Result<_> {
        Ok((policies.current(tx)?.library.name.clone(), loans::first_due(tx, DUE_FIRST)?))
    });
    let (library, mut loans) = found.await?;
    let made_up = loans.is_empty();
    if made_up {
        let due: Date = today.checked_add(Span::new().days(DUE_IN)).unwrap_or(today);
        loans = TITLES.iter().map(|title| ((*title).to_owned(), due)).collect();
    }
    let writing = Writing { language: &language, library: &library, own: Some(&own) };
    let page = format!("{}library/notices", app.settings.public_url);
    Ok((example(mail, writing, &reader.name, &loans, today, &page), made_up))
}

/// Number of loans in an example.
const DUE_FIRST: i64 = 2;

/// Preview a mail with this wording. Saves and sends nothing.
#[utoipa::path(post, path = "/settings/mails/{kind}/preview", params(("kind" = String, Path)),
    request_body = WordingDraft, responses((status = 200, body = MailPreview)))]
pub async fn preview_wording(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    PathText(kind): PathText,
    JsonBody(draft): JsonBody<WordingDraft>,
) -> Result<axum::Json<MailPreview>> {
    let (letter, made_up) = written(&app, &admin, named(&kind)?, draft).await?;
    let (subject, text, html) = (letter.subject(), letter.text(), letter.html());
    Ok(axum::Json(MailPreview { subject, text, html, made_up }))
}

/// Send a mail with this wording to the caller's own address. Saves nothing.
#[utoipa::path(post, path = "/settings/mails/{kind}/send", params(("kind" = String, Path)),
    request_body = WordingDraft, responses((status = 204)))]
pub async fn send_wording(
    State(app): State<Shared>,
    SignedIn(admin): SignedIn,
    PathText(kind): PathText,
    once: Once,
    JsonBody(draft): JsonBody<WordingDraft>,
) -> Result<Answer> {
    let (letter, _) = written(&app, &admin, named(&kind)?, draft).await?;
    let post = app.settings.post.mail.as_ref().ok_or(Error::MailOff)?;
    let address = admin.email.as_deref().ok_or(Error::NoOwnAddress)?;
    check_limit(app.limits.sample_mails.take(&admin.uid))?;
    let now = app.library.clock.now();
    let addressed = Addressed { person: Some(admin.uid), kind: Kind::Test, address, letter: &letter };
    let new = post
        .addressed(&addressed, now, mail::PATIENCE)
        .map_err(|error| Error::Internal(error.to_string().into()))?;
    app.once(once, move |tx| {
        mails::queue(tx, &new, now)?;
        Ok(Answer::empty())
    })
    .await
}
