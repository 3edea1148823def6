//! Forgotten passwords: a mailed reset link works once, within half an hour (R-PEOPLE-3).

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::IntoResponse,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    Shared,
    accounts::{Entered, VerifiedSignIn, check_limit, finish_sign_in},
    client::Network,
    device::Device,
    error::{Error, Result},
    extract::JsonBody,
    idempotency::{Answer, Once},
    security_log, session,
};
use crate::{
    domain::{
        account::{EMAIL, PASSWORD, User, folded_email, new_password, refuse_own_words},
        library::{LANGUAGE, LANGUAGES},
        mail::Kind,
        notice::Kind as NoticeKind,
        rule::{self, Invalid, Text},
        wording::Worded,
    },
    mail::{self, Addressed},
    people::sign_in_code,
    storage::{accounts, mail_choices, mails, notices, password_links, people, settings},
};

/// Limits of a link's token.
pub const TOKEN: Text = Text { field: "token", label: "Link", min: 1, max: 100, kind: rule::Kind::Secret };

/// Address of a person who has forgotten the password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgottenPassword {
    /// Email address, case-insensitive.
    #[serde(default)]
    #[schema(required)]
    email: String,
    /// Language of the mail, unless the person chose one.
    #[serde(default = "first_language")]
    #[schema(required = false)]
    language: String,
}

fn first_language() -> String {
    LANGUAGES[0].to_owned()
}

/// Request a password reset link by mail. The response is the same for every address, known or not.
#[utoipa::path(post, path = "/auth/forgot", request_body = ForgottenPassword, responses((status = 204)))]
pub async fn forget_password(
    State(app): State<Shared>,
    network: Network,
    once: Once,
    JsonBody(form): JsonBody<ForgottenPassword>,
) -> Result<Answer> {
    if app.settings.post.mail.is_none() {
        return Err(Error::NotFound);
    }
    let mut invalid = Invalid::default();
    let email = folded_email(&EMAIL.check(&form.email, &mut invalid));
    let language = LANGUAGE.check(&form.language, &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.forgotten.take(&network))?;
    check_limit(app.limits.forgotten_of_address.take(&email))?;
    let now = app.library.clock.now();
    // The job that sends mail looks the address up, so that known and unknown addresses take the same time here.
    app.once(once, move |tx| {
        password_links::request(tx, &email, &language, now)?;
        Ok(Answer::empty())
    })
    .await
}

/// Token of a link that was opened.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordLink {
    /// Fragment of the link: the part after `#`.
    #[serde(default)]
    #[schema(required)]
    token: String,
}

/// Check a reset link when its page opens, before a password is typed. Changes nothing.
#[utoipa::path(post, path = "/auth/reset/check", request_body = PasswordLink, responses((status = 204)))]
pub async fn check_password_link(
    State(app): State<Shared>,
    network: Network,
    JsonBody(form): JsonBody<PasswordLink>,
) -> Result<StatusCode> {
    let mut invalid = Invalid::default();
    let token = TOKEN.check(&form.token, &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.resets.take(&network))?;
    let (hash, now) = (session::hashed(&token), app.library.clock.now());
    let owner = app.library.db.read(move |tx| password_links::owner(tx, &hash, now)).await?;
    owner.ok_or(Error::InvalidLink)?;
    app.limits.resets.give_back(&network);
    Ok(StatusCode::NO_CONTENT)
}

/// Token of a link, and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordReset {
    /// Fragment of the link: the part after `#`.
    #[serde(default)]
    #[schema(required)]
    token: String,
    /// The new password.
    #[serde(default)]
    #[schema(required, format = Password)]
    password: String,
    /// Language of the mail that reports the change, unless the person chose one.
    #[serde(default = "first_language")]
    #[schema(required = false)]
    language: String,
}

/// Set a new password with a reset link, and sign in. All other browsers are signed out; a second factor is still required.
#[utoipa::path(post, path = "/auth/reset", request_body = PasswordReset, responses((status = 200, body = Entered)))]
pub async fn reset_password(
    State(app): State<Shared>,
    network: Network,
    headers: HeaderMap,
    JsonBody(form): JsonBody<PasswordReset>,
) -> Result<impl IntoResponse> {
    let mut invalid = Invalid::default();
    let token = TOKEN.check(&form.token, &mut invalid);
    let password = new_password(PASSWORD, &form.password, &mut invalid);
    let language = LANGUAGE.check(&form.language, &mut invalid);
    invalid.into_result(())?;
    check_limit(app.limits.resets.take(&network))?;
    let (hash, now) = (session::hashed(&token), app.library.clock.now());
    let (key, policies) = (hash.clone(), app.library.policies.clone());
    let found = app
        .library
        .db
        .read(move |tx| -> Result<_> {
            let Some(uid) = password_links::owner(tx, &key, now)? else { return Ok(None) };
            let Some(person) = people::by_id(tx, uid)? else { return Ok(None) };
            let chosen = mail_choices::of(tx, uid)?.language;
            let (_, wordings) = settings::saved_wordings(tx, Worded::PasswordChanged)?;
            Ok(Some((person, policies.current(tx)?.library.name.clone(), chosen, wordings)))
        })
        .await?;
    let (person, library, chosen, wordings) = found.ok_or(Error::InvalidLink)?;
    app.limits.resets.give_back(&network);
    security_log::note_account(person.uid);
    if !person.active {
        return Err(Error::AccountInactive);
    }
    let details = &person.details;
    let known = [details.email.as_deref(), details.roll_number.as_deref()].into_iter().flatten();
    let own: Vec<&str> = [details.name.as_str(), &library].into_iter().chain(known).collect();
    let mut invalid = Invalid::default();
    refuse_own_words(PASSWORD, &password, &own, &mut invalid);
    invalid.into_result(())?;
    let password_hash = app.passwords.hash(password).await?;
    let told = app.settings.post.mail.as_ref().zip(details.email.as_deref()).map(|(post, address)| {
        let language = chosen.unwrap_or(language);
        let writing = mail::Writing { language: &language, library: &library, own: Some(&wordings) };
        let letter = mail::password_changed(writing, &details.name);
        let kind = Kind::PasswordChanged;
        post.addressed(
            &Addressed { person: Some(person.uid), kind, address, letter: &letter },
            now,
            mail::PATIENCE,
        )
    });
    let told = told.transpose().map_err(|error| Error::Internal(error.to_string().into()))?;
    let (moment, uid, stored) = (app.library.clock.moment(), person.uid, password_hash.clone());
    let user = app
        .library
        .db
        .write(move |tx| -> Result<User> {
            if !sign_in_code::redeem_link(tx, moment, uid, &hash, &stored)? {
                return Err(Error::InvalidLink);
            }
            if let Some(told) = told {
                let mail = mails::queue(tx, &told, moment.at)?;
                notices::mark_covered_by_mail(tx, mail, uid, NoticeKind::SignInChanged, moment.at)?;
            }
            let account = accounts::by_id(tx, uid)?.ok_or(Error::UserMissing)?;
            account.user.ok_or(Error::RoleUndefined)
        })
        .await?;
    app.sessions.forget_person(uid);
    let device = Device::of(app.settings.is_https(), &headers);
    let verified = VerifiedSignIn { device, hash: password_hash, remember: false, change: None };
    finish_sign_in(&app, &headers, user, verified, |_| Ok(())).await
}
