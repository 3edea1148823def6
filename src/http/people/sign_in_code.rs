//! Sign-in codes that librarians print or mail (R-PEOPLE-3).

use std::sync::Arc;

use axum::extract::State;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{
        account::BATCH,
        code,
        id::UserId,
        mail::Kind,
        moment::{Moment, rfc3339},
        rule::{Invalid, Number, Text},
        wording::Worded,
    },
    http::{
        App, Shared,
        error::{Error, Result},
        extract::{Id, JsonBody, OptionalJsonBody},
        people::list::SEARCH,
        session::{self, SignedIn},
    },
    mail::{Addressed, CodeOf, PATIENCE, SmtpClient, Writing, welcome},
    message,
    people::{self, sign_in_code::DAYS},
    policies::Policies,
    storage::{
        self, Tx,
        authority::Authority,
        claimed_addresses, mail_choices, mails,
        people::{self as records, Record},
        settings,
    },
};

/// Writer of mails with sign-in codes.
#[derive(Clone)]
struct Welcomes {
    post: Arc<SmtpClient>,
    /// Page on which the person enters the code.
    page: String,
    policies: Policies,
}

impl App {
    /// Returns the writer of mails with sign-in codes; `None` if the library sends no mail.
    fn welcomes(&self) -> Option<Welcomes> {
        let post = Arc::clone(self.settings.post.mail.as_ref()?);
        let page = format!("{}library/redeem", self.settings.public_url);
        Some(Welcomes { post, page, policies: self.library.policies.clone() })
    }
}

/// Returns the address to which a person's code can be mailed.
fn mailable(tx: &mut Tx<'_>, person: &Record) -> storage::Result<Option<String>> {
    let Some(address) = person.details.email.clone() else { return Ok(None) };
    Ok((!claimed_addresses::is_unconfirmed(tx, person.uid)?).then_some(address))
}

impl Welcomes {
    /// Queues the mail with a new code. Returns the address; `None` if the person has none that is confirmed.
    fn queue(&self, tx: &mut Tx<'_>, uid: UserId, code: &NewCode<'_>) -> Result<Option<String>> {
        let now = code.made.at;
        let Some(person) = records::by_id(tx, uid)? else { return Ok(None) };
        let Some(address) = mailable(tx, &person)? else { return Ok(None) };
        let library = self.policies.current(tx)?.library.clone();
        let language = mail_choices::of(tx, uid)?.language.unwrap_or(library.language);
        let (_, own) = settings::saved_wordings(tx, Worded::Welcome)?;
        let writing = Writing { language: &language, library: &library.name, own: Some(&own) };
        let roll_number = person.details.roll_number.as_deref();
        let written = CodeOf { roll_number, email: &address, code: code.code, until: code.until };
        let letter = welcome(writing, &person.details.name, written, &self.page);
        let mail = Addressed { person: Some(uid), kind: Kind::Welcome, address: &address, letter: &letter };
        let mail = self.post.addressed(&mail, now, PATIENCE.min(code.expires - now));
        mails::queue(tx, &mail.map_err(|error| Error::Internal(error.to_string().into()))?, now)?;
        Ok(Some(address))
    }
}

/// Code to mail.
struct NewCode<'c> {
    code: &'c str,
    made: Moment,
    /// Epoch milliseconds.
    expires: i64,
    /// Day of the expiry.
    until: Date,
}

/// New code of a person.
struct Made {
    person: Record,
    code: String,
    hash: String,
    /// Address to which the code is mailed.
    mailed_to: Option<String>,
}

/// Makes a code for each of these people, and mails it to those with an address if `by_mail`. Returns the codes in the order
/// of the people, and their expiry in epoch milliseconds.
async fn make(
    app: &Shared,
    librarian: UserId,
    found: Vec<Record>,
    days: i64,
    by_mail: bool,
) -> Result<(Vec<Made>, Option<i64>)> {
    let mut made = Vec::with_capacity(found.len());
    for person in found {
        let code = code::from_random(session::random()?);
        let hash = app.passwords.hash(code::normalized(&code)).await?;
        made.push(Made { person, code, hash, mailed_to: None });
    }
    // All transactions lock people in the order of their ids, to avoid deadlocks.
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_unstable_by_key(|at| made[*at].person.uid);
    let welcomes = app.welcomes().filter(|_| by_mail);
    let clock = app.library.clock.clone();
    app.library
        .db
        .write(move |tx| {
            let (authority, moment) = (Authority::of(tx, librarian)?, clock.moment());
            let mut until = None;
            for at in order {
                let Made { person, code, hash, mailed_to } = &mut made[at];
                let expires = people::sign_in_code::keep(tx, &authority, moment, person.uid, hash, days)?;
                // An earlier code no longer works.
                mails::take_back_welcomes(tx, person.uid, &message::mail_taken_back(), moment.at)?;
                if let Some(welcomes) = &welcomes {
                    let code = NewCode { code, made: moment, expires, until: clock.day_of(expires) };
                    *mailed_to = welcomes.queue(tx, person.uid, &code)?;
                }
                until = Some(expires);
            }
            Ok((made, until))
        })
        .await
}

/// Way in which a new sign-in code goes to its person.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeForm {
    /// True to mail the code instead of showing it.
    #[serde(default)]
    by_mail: bool,
}

/// New sign-in code of a person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInCode {
    /// Sign-in code; shown once, because only its hash is stored. Null if it is mailed.
    #[schema(required)]
    code: Option<String>,
    /// Address to which the code is mailed.
    #[schema(required)]
    mailed_to: Option<String>,
    /// Expiry; the code works once.
    #[schema(format = DateTime)]
    expires: String,
}

/// Make a code with which a person chooses a password, in place of an earlier code (R-PEOPLE-3).
#[utoipa::path(post, path = "/people/{id}/sign-in-code", params(("id" = i64, Path)), request_body = Option<CodeForm>,
    responses((status = 200, body = SignInCode)))]
pub async fn make_sign_in_code(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    Id(uid): Id<UserId>,
    OptionalJsonBody(CodeForm { by_mail }): OptionalJsonBody<CodeForm>,
) -> Result<axum::Json<SignInCode>> {
    let (person, address) = app
        .library
        .db
        .snapshot(move |tx| -> Result<(Record, Option<String>)> {
            let person = records::by_id(tx, uid)?.ok_or(Error::NotFound)?;
            let address = mailable(tx, &person)?;
            Ok((person, address))
        })
        .await?;
    if by_mail && (address.is_none() || app.welcomes().is_none()) {
        return Err(Error::Invalid(Invalid::field("byMail", message::cannot_be_mailed())));
    }
    let (mut made, expires) = make(&app, librarian.uid, vec![person], DAYS, by_mail).await?;
    let (Some(Made { code, mailed_to, .. }), Some(expires)) = (made.pop(), expires) else {
        return Err(Error::NotFound);
    };
    // A code whose address was deleted meanwhile is shown.
    let code = mailed_to.is_none().then_some(code);
    Ok(axum::Json(SignInCode { code, mailed_to, expires: rfc3339(expires) }))
}

/// Days for which the codes of a batch are valid.
pub const VALID_DAYS: Number = Number { field: "days", label: "Valid for (days)", min: 1, max: 90 };

/// People who get sign-in codes: a batch, the people found by search words, or those of a batch that the words find.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchCodesForm {
    /// May be blank if there are search words.
    #[serde(default)]
    #[schema(required)]
    batch: String,
    /// Search words, as in the list of people.
    #[serde(default)]
    q: String,
    /// Days for which the codes are valid; 7 by default.
    #[serde(default = "default_days")]
    #[schema(required = false)]
    days: i64,
    /// True to mail the codes to the people with an address; the others get slips.
    #[serde(default)]
    by_mail: bool,
    /// Preview: make no codes.
    #[serde(default)]
    dry_run: bool,
}

const fn default_days() -> i64 {
    DAYS
}

/// Person with their sign-in code, to print on a slip.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeSlip {
    name: String,
    roll_number: String,
    /// Sign-in code; shown once, because only its hash is stored.
    code: String,
}

/// Sign-in codes of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchCodes {
    /// Number of people without a password.
    count: usize,
    /// Number of these people whose codes are mailed; in a preview, of those whose codes can be mailed.
    mailed: usize,
    /// The codes that are not mailed, by name; empty in a preview.
    slips: Vec<CodeSlip>,
    /// Expiry; each code works once. Null in a preview.
    #[schema(required, format = DateTime)]
    expires: Option<String>,
}

/// Make sign-in codes for the active students of a selection who have no password; the new codes replace earlier ones
/// (R-PEOPLE-3).
#[utoipa::path(post, path = "/people/sign-in-codes", request_body = BatchCodesForm,
    responses((status = 200, body = BatchCodes)))]
pub async fn make_sign_in_codes(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    JsonBody(form): JsonBody<BatchCodesForm>,
) -> Result<axum::Json<BatchCodes>> {
    let mut invalid = Invalid::default();
    let words = SEARCH.check(&form.q, &mut invalid);
    let batch = if words.is_empty() { BATCH } else { Text { min: 0, ..BATCH } };
    let batch = batch.check(&form.batch, &mut invalid);
    let days = VALID_DAYS.check(form.days, &mut invalid);
    invalid.into_result(())?;
    let has_mail = app.welcomes().is_some();
    let searches = !words.is_empty();
    let read = move |tx: &mut Tx<'_>| -> Result<(Vec<Record>, usize)> {
        let found = people::sign_in_code::without_password(tx, &batch, &words)?;
        let mut reachable = 0;
        for person in &found {
            reachable += usize::from(has_mail && mailable(tx, person)?.is_some());
        }
        Ok((found, reachable))
    };
    let db = &app.library.db;
    // A search has several statements; a batch is locked while it is read.
    let (found, reachable) = if searches { db.snapshot(read).await? } else { db.write(read).await? };
    let count = found.len();
    if form.dry_run {
        return Ok(axum::Json(BatchCodes { count, mailed: reachable, slips: Vec::new(), expires: None }));
    }
    let (made, expires) = make(&app, librarian.uid, found, days, form.by_mail).await?;
    let (mailed, rest): (Vec<Made>, Vec<Made>) = made.into_iter().partition(|one| one.mailed_to.is_some());
    let slip = |Made { person, code, .. }: Made| CodeSlip {
        name: person.details.name,
        roll_number: person.details.roll_number.unwrap_or_default(),
        code,
    };
    Ok(axum::Json(BatchCodes {
        count,
        mailed: mailed.len(),
        slips: rest.into_iter().map(slip).collect(),
        expires: expires.map(rfc3339),
    }))
}
