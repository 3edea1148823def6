//! Everything recorded about one person, as a file (R-PEOPLE-6): for a librarian, and for the person.

use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use utoipa::ToSchema;

use super::{loans::EndedLoan, shown};
use crate::{
    circulation::view,
    domain::{
        hold::Hold,
        id::{BookId, ChangeId, LineId, NoticeId, UserId},
        ledger::Line,
        loan::Loan,
        moment::rfc3339,
        notice::Kind,
        person::Person,
        review::Review,
    },
    http::{Shared, error::Result, extract::Id, notices::Notice, session::SignedIn},
    message::Message,
    money::Money,
    storage::{
        Tx, calendar_links,
        events::{self, Recorded},
        holds, ledger,
        loans::{self, Ended},
        mail_choices, notices, oidc, passkeys,
        people::kept_instead,
        photos, reviews, second_factors, sessions, suggestions,
    },
};

/// Maximum rows of each list.
const MOST: usize = 10_000;
/// Rows read of each list: one more than the maximum, to detect that the list is cut.
const READ: i64 = 10_001;

/// Everything recorded about a person; no passwords, keys or codes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonData {
    /// Time at which the file was made.
    #[schema(format = DateTime)]
    made_at: String,
    person: Person,
    /// Photo as a `data:` address of a JPEG; null without one.
    #[schema(required)]
    photo_data: Option<String>,
    open_loans: Vec<Loan>,
    ended_loans: Vec<EndedLoan>,
    open_holds: Vec<Hold>,
    ended_holds: Vec<Hold>,
    reviews: Vec<BookReview>,
    /// Sum of the account's lines: positive if the person owes.
    balance: Money,
    /// Charges, payments, waivers and refunds, newest first.
    account: Vec<Line>,
    /// Changes that concern the person or were made by the person, newest first.
    activity: Vec<Activity>,
    /// Notices to the person, newest first.
    notices: Vec<Notice>,
    /// Language of mails that the person chose; null for the library's.
    #[schema(required)]
    mail_language: Option<String>,
    /// Kinds of notices that the person does not want by mail.
    mails_refused: Vec<Kind>,
    /// Kinds of notices that the person gets in the digest.
    mails_in_digest: Vec<Kind>,
    /// True if the digest is mailed once a week.
    reminders_weekly: bool,
    /// Time at which the person made a calendar link; null without one.
    #[schema(required, format = DateTime)]
    calendar_link_made_at: Option<String>,
    /// True if the person's loans count for suggestions to all readers.
    counted_for_suggestions: bool,
    sessions: Vec<DataSession>,
    second_factors: SecondFactors,
    /// Providers that the account is linked to.
    providers: Vec<LinkedProvider>,
    /// Names of the lists that are cut after 10 000 rows.
    cut: Vec<&'static str>,
}

/// Review with its book.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BookReview {
    book_id: BookId,
    title: String,
    #[serde(flatten)]
    review: Review,
}

/// Change that concerns the person, without the names of other people.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Activity {
    id: ChangeId,
    #[schema(format = DateTime)]
    at: String,
    action: String,
    /// True if the person made the change.
    own: bool,
    /// Description in English.
    text: String,
    undone: bool,
}

impl Activity {
    fn of(person: UserId, recorded: &Recorded) -> Self {
        Self {
            id: recorded.id,
            at: rfc3339(recorded.at),
            action: recorded.change.action().to_owned(),
            own: recorded.actor.as_ref().is_some_and(|(actor, _)| *actor == person),
            text: recorded.change.messages().iter().map(Message::text).collect::<Vec<_>>().join(" "),
            undone: recorded.undone,
        }
    }
}

/// Browser in which the person is signed in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DataSession {
    #[schema(required)]
    browser: Option<String>,
    #[schema(required)]
    system: Option<String>,
    #[schema(format = DateTime)]
    signed_in_at: String,
    #[schema(format = DateTime)]
    last_seen_at: String,
}

/// Second factors that are set up.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SecondFactors {
    /// Time at which the authenticator app was set up; null without one.
    #[schema(required, format = DateTime)]
    app_since: Option<String>,
    passkeys: Vec<NamedPasskey>,
    /// Number of unused recovery codes.
    recovery_codes: i64,
}

/// Passkey of the person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NamedPasskey {
    name: String,
    #[schema(format = DateTime)]
    added_at: String,
    #[schema(required, format = DateTime)]
    used_at: Option<String>,
}

/// Link to a provider's account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LinkedProvider {
    issuer: String,
    subject: String,
    #[schema(format = DateTime)]
    linked_at: String,
}

/// Cuts a list after [`MOST`] rows and notes its name.
fn cut<T>(mut rows: Vec<T>, name: &'static str, names: &mut Vec<&'static str>) -> Vec<T> {
    if rows.len() > MOST {
        rows.truncate(MOST);
        names.push(name);
    }
    rows
}

async fn answer(app: &Shared, asked: UserId) -> Result<Response> {
    let (moment, policies) = (app.library.clock.moment(), app.library.policies.clone());
    let data = app.library.db.snapshot(move |tx: &mut Tx<'_>| -> Result<PersonData> {
        let rulebook = policies.current(tx)?;
        let uid = kept_instead(tx, asked)?.unwrap_or(asked);
        let person = shown(tx, &rulebook, moment.today, uid)?;
        let mut names = Vec::new();
        let open = loans::open_of_user(tx, uid)?;
        let ended: Vec<Ended> = loans::ended_of_user(tx, uid, None, READ)?;
        let ended_holds = holds::of_person(tx, uid, false, READ)?;
        let lines = ledger::lines_of(tx, uid, LineId(i64::MAX), READ)?;
        let about = events::about(tx, uid, READ)?;
        let told = notices::all_of_person(tx, uid, NoticeId(i64::MAX), READ)?;
        let mail = mail_choices::of(tx, uid)?;
        let factors = second_factors::of(tx, uid)?;
        Ok(PersonData {
            made_at: rfc3339(moment.at),
            person,
            photo_data: photos::of(tx, uid)?
                .map(|photo| format!("data:image/jpeg;base64,{}", STANDARD.encode(photo.jpeg))),
            open_loans: open.into_iter().map(|loan| view(loan, &rulebook, moment.today)).collect(),
            ended_loans: cut(ended, "endedLoans", &mut names).into_iter().map(EndedLoan::from).collect(),
            open_holds: holds::of_person(tx, uid, true, READ)?,
            ended_holds: cut(ended_holds, "endedHolds", &mut names),
            reviews: cut(reviews::of_reader(tx, uid, READ)?, "reviews", &mut names)
                .into_iter()
                .map(|(book_id, title, review)| BookReview { book_id, title, review })
                .collect(),
            balance: ledger::balance(tx, uid)?,
            account: cut(lines, "account", &mut names),
            activity: cut(about, "activity", &mut names).iter().map(|one| Activity::of(uid, one)).collect(),
            notices: cut(told, "notices", &mut names).into_iter().filter_map(Notice::of).collect(),
            mail_language: mail.language,
            mails_refused: mail.refused,
            mails_in_digest: mail.in_digest,
            reminders_weekly: mail.weekly,
            calendar_link_made_at: calendar_links::made_at(tx, uid)?.map(rfc3339),
            counted_for_suggestions: suggestions::is_counted(tx, uid)?,
            sessions: sessions::of_person(tx, uid, moment.at)?
                .into_iter()
                .map(|one| DataSession {
                    browser: one.browser,
                    system: one.system,
                    signed_in_at: rfc3339(one.created_at),
                    last_seen_at: rfc3339(one.seen_at),
                })
                .collect(),
            second_factors: SecondFactors {
                app_since: factors.and_then(|factors| factors.app_since).map(rfc3339),
                passkeys: passkeys::of(tx, uid)?
                    .into_iter()
                    .map(|one| NamedPasskey {
                        name: one.name,
                        added_at: rfc3339(one.created_at),
                        used_at: one.used_at.map(rfc3339),
                    })
                    .collect(),
                recovery_codes: factors.map_or(0, |factors| factors.recovery_codes),
            },
            providers: oidc::links_of(tx, uid)?
                .into_iter()
                .map(|(issuer, subject, at)| LinkedProvider { issuer, subject, linked_at: rfc3339(at) })
                .collect(),
            cut: names,
        })
    });
    let data = data.await?;
    let saved = format!("attachment; filename=\"person-{}.json\"", data.person.uid);
    Ok(([(header::CONTENT_DISPOSITION, saved)], Json(data)).into_response())
}

/// Export everything recorded about a person, at most 10 000 rows of each list (R-PEOPLE-6).
#[utoipa::path(get, path = "/people/{id}/data", params(("id" = i64, Path)),
    responses((status = 200, body = PersonData)))]
pub async fn export_person(State(app): State<Shared>, Id(uid): Id<UserId>) -> Result<Response> {
    answer(&app, uid).await
}

/// Export everything recorded about the caller, at most 10 000 rows of each list (R-PEOPLE-6).
#[utoipa::path(get, path = "/me/data", responses((status = 200, body = PersonData)))]
pub async fn export_me(State(app): State<Shared>, SignedIn(user): SignedIn) -> Result<Response> {
    answer(&app, user.uid).await
}
