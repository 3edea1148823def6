//! Confirmation of an email address that a person entered: the mailed link, and the page that it opens (R-PEOPLE-3).

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};

use super::{
    App, Shared,
    accounts::check_limit,
    error::{Error, Result},
    extract::{Nothing, OptionalJsonBody},
    idempotency::{Answer, Once},
    plain_page::{button, dead_link, page},
    session::{SignedIn, hashed, new_token},
};
use crate::{
    domain::{
        account::{User, folded_email},
        change::SignInChange,
        mail::Kind,
        wording::Worded,
    },
    mail::{Addressed, LINK_MINUTES, SmtpClient, Writing, address_link, named},
    message,
    policies::Policies,
    storage::{
        self, Tx,
        claimed_addresses::{self, Claimed},
        events::{self, Entry},
        mail_choices, mails, settings,
    },
};

/// Sender of confirmation links.
pub(super) struct AddressLinks {
    post: Arc<SmtpClient>,
    /// Address of the page that a link opens, without the token.
    page: String,
    policies: Policies,
}

impl App {
    /// Returns the sender of confirmation links; `None` if the library sends no mail.
    pub(super) fn address_links(&self) -> Option<AddressLinks> {
        let post = Arc::clone(self.settings.post.mail.as_ref()?);
        let page = format!("{}library/confirm/", self.settings.public_url);
        Some(AddressLinks { post, page, policies: self.library.policies.clone() })
    }
}

impl AddressLinks {
    /// Records that the person entered the present address, and mails a link there.
    pub(super) fn claim(&self, tx: &mut Tx<'_>, user: &User, now: i64) -> Result<()> {
        claimed_addresses::claim(tx, user.uid)?;
        self.send(tx, user, now)
    }

    /// Mails a new link, which replaces the earlier one; no-op if the address needs no confirmation.
    fn send(&self, tx: &mut Tx<'_>, user: &User, now: i64) -> Result<()> {
        let Some(address) = &user.email else { return Ok(()) };
        let patience = LINK_MINUTES * 60 * 1000;
        let token = new_token()?;
        if !claimed_addresses::keep_link(tx, user.uid, &hashed(&token), now + patience)? {
            return Ok(());
        }
        let library = self.policies.current(tx)?.library.clone();
        let language = mail_choices::of(tx, user.uid)?.language.unwrap_or(library.language);
        let (_, own) = settings::saved_wordings(tx, Worded::AddressLink)?;
        let writing = Writing { language: &language, library: &library.name, own: Some(&own) };
        let letter = address_link(writing, &user.name, &format!("{}{token}", self.page));
        let addressed =
            Addressed { person: Some(user.uid), kind: Kind::AddressLink, address, letter: &letter };
        let mail = self.post.addressed(&addressed, now, patience);
        let mail = mail.map_err(|error| Error::Internal(error.to_string().into()))?;
        mails::queue(tx, &mail, now)?;
        Ok(())
    }
}

/// Mail a new link to confirm the caller's email address. Does nothing if the address needs no confirmation.
#[utoipa::path(post, path = "/me/address-link", responses((status = 204)))]
pub async fn send_address_link(
    State(app): State<Shared>,
    SignedIn(user): SignedIn,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    let links = app.address_links().ok_or(Error::NotFound)?;
    let address = user.email.as_deref().map(folded_email).unwrap_or_default();
    check_limit(app.limits.forgotten_of_address.take(&address))?;
    let now = app.library.clock.now();
    app.once(once, move |tx| {
        links.send(tx, &user, now)?;
        Ok(Answer::empty())
    })
    .await
}

/// Address of a link, with the language and the library's name for the page.
struct Asked {
    claimed: Claimed,
    language: String,
    library: String,
}

fn asked(tx: &mut Tx<'_>, policies: &Policies, token: &str, now: i64) -> storage::Result<Option<Asked>> {
    let Some(claimed) = claimed_addresses::of_link(tx, &hashed(token), now)? else { return Ok(None) };
    let library = policies.current(tx)?.library.clone();
    let language = mail_choices::of(tx, claimed.person)?.language.unwrap_or(library.language);
    Ok(Some(Asked { claimed, language, library: library.name }))
}

/// Builds the page that asks for confirmation, or says that the address is confirmed.
pub async fn ask(State(app): State<Shared>, Path(token): Path<String>) -> Result<Response> {
    let (policies, now) = (app.library.policies.clone(), app.library.clock.now());
    let found = app.library.db.snapshot(move |tx| asked(tx, &policies, &token, now)).await?;
    let Some(Asked { claimed, language, library }) = found else { return dead_link_page(&app).await };
    if claimed.is_confirmed {
        return Ok(confirmed_page(&language, &claimed.email));
    }
    let library = named(&library, &language);
    let words = [message::letter_confirm_title(), message::letter_confirm_what(&claimed.email, &library)];
    let confirm = button("", &message::letter_confirm_do().text_in(&language));
    Ok(page(StatusCode::OK, &language, &words, &confirm))
}

/// Confirms the address of a link; a repeat changes nothing.
pub async fn answer(State(app): State<Shared>, Path(token): Path<String>) -> Result<Response> {
    let (policies, now) = (app.library.policies.clone(), app.library.clock.now());
    let found = app.library.db.write(move |tx| -> storage::Result<_> {
        let found = asked(tx, &policies, &token, now)?;
        if let Some(Asked { claimed: Claimed { person, is_confirmed: false, .. }, .. }) = found {
            claimed_addresses::confirm(tx, person, now)?;
            events::record(tx, now, Some(person), &Entry::person(person, SignInChange::AddressConfirmed))?;
        }
        Ok(found)
    });
    match found.await? {
        Some(Asked { claimed, language, .. }) => Ok(confirmed_page(&language, &claimed.email)),
        None => dead_link_page(&app).await,
    }
}

fn confirmed_page(language: &str, address: &str) -> Response {
    let words = [message::letter_confirm_done(), message::letter_confirm_from_now(address)];
    page(StatusCode::OK, language, &words, "")
}

/// Answers a link without its token.
pub async fn incomplete(State(app): State<Shared>) -> Result<Response> {
    dead_link_page(&app).await
}

/// Builds the page for a link that is unknown or expired, or replaced by a newer one.
async fn dead_link_page(app: &Shared) -> Result<Response> {
    dead_link(app, [message::letter_confirm_title(), message::letter_confirm_dead()]).await
}
