//! Who may write on whose record (R-SEAM-8): every call that writes on a person, by librarians with each capability alone,
//! with none and with all, on every kind of person.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::body::Body;
use library::{
    domain::account::{Capability, Role},
    http::access::{Access, TABLE},
    storage::accounts::NewAccount,
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
    covers::png,
    upload::{self, finished, zipped},
};

on_both_databases!(
    the_last_full_librarian_stays_whichever_way_they_would_go_r_people_8,
    two_full_librarians_who_remove_one_another_at_once_leave_one_r_people_8,
);

pub const PASSWORD: &str = "four unrelated words";

/// What a call means for the person it names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Concern {
    /// It writes on the person's record, and asks for authority over them. [`ACTS`] tries it.
    Governs,
    /// Lends, takes back, charges or certifies: the capability is enough, whatever rights the person has.
    Serves,
    /// It names no person, or only the one who calls.
    Nobody,
}

/// What each write of a librarian means; a new one has to be put somewhere.
fn concern(method: &str, path: &str) -> Option<Concern> {
    Some(match (method, path) {
        ("PATCH", "/people/{id}")
        | ("PUT" | "DELETE", "/people/{id}/photo")
        | ("DELETE", "/people/{id}" | "/people/{id}/sessions" | "/people/{id}/second-factor")
        | (
            "POST",
            "/people/{id}/role"
            | "/people/{id}/deactivate"
            | "/people/{id}/activate"
            | "/people/{id}/sign-in-code"
            | "/people/sign-in-codes"
            | "/people/import"
            | "/imports/people/{id}/undo"
            | "/imports/photos"
            | "/imports/photos/{id}/undo"
            | "/people/promote"
            | "/people/merge"
            | "/changes/{id}/undo",
        ) => Concern::Governs,
        (
            "POST",
            "/people/{id}/charges"
            | "/people/{id}/payments"
            | "/people/{id}/refunds"
            | "/people/no-dues"
            | "/people/{id}/no-dues"
            | "/charges/{id}/waive"
            | "/charges/{id}/reverse"
            | "/receipts/{number}/reverse"
            | "/receipts/{number}/prints"
            | "/loans/{id}/lost"
            | "/loans/{id}/return"
            | "/loans/{id}/extend"
            | "/loans/{id}/due-date"
            | "/loans/slips"
            | "/books/{id}/holds"
            | "/holds/{id}/move"
            | "/imports/loans"
            | "/imports/loans/{id}/undo"
            | "/imports/charges"
            | "/imports/charges/{id}/undo"
            | "/desk/scans",
        )
        | ("DELETE", "/holds/{id}" | "/books/{id}/holds") => Concern::Serves,
        (
            "POST",
            "/people"
            | "/books"
            | "/accessions"
            | "/label-batches"
            | "/label-sheets"
            | "/imports/books"
            | "/imports/books/check"
            | "/imports/books/columns"
            | "/imports/books/{id}/undo"
            | "/imports/people/columns"
            | "/imports/photos/check"
            | "/imports/loans/columns"
            | "/imports/loans/check"
            | "/imports/charges/columns"
            | "/imports/charges/check"
            | "/books/{id}/copies"
            | "/copies/{id}/move"
            | "/copies/shelve"
            | "/desk/phones"
            | "/till/closings"
            | "/overview/printed"
            | "/backups"
            | "/covers"
            | "/mails/{id}/stop"
            | "/mails/{id}/again"
            | "/mails/again"
            | "/settings/rules/preview"
            | "/settings/calendar/preview"
            | "/settings/library/preview"
            | "/settings/mails/{kind}/preview"
            | "/settings/mails/{kind}/send",
        )
        | (
            "PUT",
            "/books/{id}"
            | "/overview/steps"
            | "/settings/rules"
            | "/settings/calendar"
            | "/settings/library"
            | "/settings/notices"
            | "/settings/mails/{kind}",
        )
        | ("DELETE", "/books/{id}" | "/desk/phones/{id}" | "/label-sheets/{id}")
        | ("PATCH", "/copies/{id}") => Concern::Nobody,
        _ => return None,
    })
}

/// Whether a call asks for authority over the person it names.
pub fn governs(method: &str, path: &str) -> bool {
    concern(method, path) == Some(Concern::Governs)
}

/// An act on a person by a call of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Edit,
    ChangeAddress,
    Bar,
    Deactivate,
    Activate,
    Erase,
    Unmake,
    MakeCode,
    MakeCodes,
    EndSessions,
    ResetSecondFactor,
    MergeAway,
    MergeInto,
    Import,
    UndoImport,
    SetPhoto,
    RemovePhoto,
    ImportPhoto,
    UndoPhotos,
    Promote,
    UndoDeactivation,
    UndoMergeAway,
    UndoMergeInto,
    UndoLeaving,
    UndoMoving,
}

const ACTS: [(Act, &str, &str); 25] = [
    (Act::Edit, "PATCH", "/people/{id}"),
    (Act::ChangeAddress, "PATCH", "/people/{id}"),
    (Act::Bar, "PATCH", "/people/{id}"),
    (Act::Deactivate, "POST", "/people/{id}/deactivate"),
    (Act::Activate, "POST", "/people/{id}/activate"),
    (Act::Erase, "DELETE", "/people/{id}"),
    (Act::Unmake, "POST", "/people/{id}/role"),
    (Act::MakeCode, "POST", "/people/{id}/sign-in-code"),
    (Act::MakeCodes, "POST", "/people/sign-in-codes"),
    (Act::EndSessions, "DELETE", "/people/{id}/sessions"),
    (Act::ResetSecondFactor, "DELETE", "/people/{id}/second-factor"),
    (Act::MergeAway, "POST", "/people/merge"),
    (Act::MergeInto, "POST", "/people/merge"),
    (Act::Import, "POST", "/people/import"),
    (Act::UndoImport, "POST", "/imports/people/{id}/undo"),
    (Act::SetPhoto, "PUT", "/people/{id}/photo"),
    (Act::RemovePhoto, "DELETE", "/people/{id}/photo"),
    (Act::ImportPhoto, "POST", "/imports/photos"),
    (Act::UndoPhotos, "POST", "/imports/photos/{id}/undo"),
    (Act::Promote, "POST", "/people/promote"),
    (Act::UndoDeactivation, "POST", "/changes/{id}/undo"),
    (Act::UndoMergeAway, "POST", "/changes/{id}/undo"),
    (Act::UndoMergeInto, "POST", "/changes/{id}/undo"),
    (Act::UndoLeaving, "POST", "/changes/{id}/undo"),
    (Act::UndoMoving, "POST", "/changes/{id}/undo"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Student,
    DeskOnly,
    Full,
    Own,
    InactiveFull,
}

const TARGETS: [Target; 5] =
    [Target::Student, Target::DeskOnly, Target::Full, Target::Own, Target::InactiveFull];

impl Target {
    fn capabilities(self, own: &[Capability]) -> Vec<Capability> {
        match self {
            Self::Student => Vec::new(),
            Self::DeskOnly => vec![Capability::Desk],
            Self::Full | Self::InactiveFull => Capability::ALL.to_vec(),
            Self::Own => own.to_vec(),
        }
    }
}

/// Expected end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Done,
    Forbidden,
    MoreCapable,
    OwnAccount,
}

fn expected(act: Act, may: &[Capability], target: Target) -> End {
    let own = [Act::Deactivate, Act::Erase, Act::ResetSecondFactor, Act::MergeAway];
    if !may.contains(&Capability::People) {
        End::Forbidden
    } else if target == Target::Own && own.contains(&act) {
        End::OwnAccount
    } else if target.capabilities(may).iter().all(|needed| may.contains(needed))
        || matches!(act, Act::Promote | Act::MakeCodes)
    {
        End::Done
    } else {
        End::MoreCapable
    }
}

/// Creates an account with this role; returns its person, roll number and batch.
pub async fn account<'a>(app: &'a TestApp, role: Role, hash: &str) -> (Person<'a>, String, String) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let n = NUMBER.fetch_add(1, Ordering::Relaxed);
    let (roll_number, batch) = (format!("n-{n}"), format!("batch {n}"));
    let person = app
        .person(NewAccount {
            email: format!("n{n}@college.edu"),
            name: format!("Number {n}"),
            role,
            roll_number: Some(roll_number.clone()),
            department: Some("Physics".into()),
            batch: Some(batch.clone()),
            password_hash: hash.into(),
        })
        .await;
    (person, roll_number, batch)
}

pub fn give(app: &TestApp, person: &Person<'_>, capabilities: &[Capability], active: bool) {
    let stored = Capability::to_stored(capabilities).map_or("NULL".into(), |stored| format!("'{stored}'"));
    app.raw(&format!(
        "UPDATE users SET role = 'admin', capabilities = {stored}, active = {active} WHERE id = {}",
        person.uid
    ));
    app.state.sessions.forget_person(person.uid);
}

/// Returns the undo path of the newest change of this action on a person.
pub async fn undo_path(founder: &Person<'_>, query: &str) -> String {
    let list = founder.get(&format!("/changes?{query}")).await.expect(200);
    format!("/changes/{}/undo", list["changes"][0]["id"])
}

/// Imports a photo of the person with this roll number.
async fn photos_of(actor: &Person<'_>, roll_number: &str) -> Answer {
    let file = zipped(&[(&format!("{roll_number}.png"), &png([1, 2, 3]))]);
    upload::send(actor, "/imports/photos?replace=true", file, None).await
}

/// Performs the act, after the founder has prepared what it undoes.
async fn perform(
    founder: &Person<'_>,
    actor: &Person<'_>,
    act: Act,
    (target, roll_number, batch): (&Person<'_>, &str, &str),
    as_it_is: impl Fn(),
) -> Answer {
    let app = founder.app;
    let uid = target.uid;
    let path = |rest: &str| format!("/people/{uid}{rest}");
    let other = account(app, Role::Student, "!").await.0.uid;
    let merge = |keep, drop| json!({ "keep": keep, "drop": drop });
    match act {
        Act::Edit => actor.patch(&path(""), &json!({ "department": "Chemistry" })).await,
        Act::ChangeAddress => {
            actor.patch(&path(""), &json!({ "email": format!("new-{uid}@college.edu") })).await
        }
        Act::Bar => {
            let bar =
                json!({ "barred": { "until": "2026-12-01", "reason": "r" }, "validUntil": "2026-12-01" });
            actor.patch(&path(""), &bar).await
        }
        Act::Deactivate => actor.ask(&path("/deactivate")).await,
        Act::Activate => actor.ask(&path("/activate")).await,
        Act::Erase => actor.delete(&path("")).await,
        Act::Unmake => actor.post(&path("/role"), &json!({ "role": "student", "password": PASSWORD })).await,
        Act::MakeCode => actor.ask(&path("/sign-in-code")).await,
        Act::MakeCodes => actor.post("/people/sign-in-codes", &json!({ "batch": batch })).await,
        Act::EndSessions => actor.delete(&path("/sessions")).await,
        Act::ResetSecondFactor => actor.delete(&path("/second-factor")).await,
        Act::MergeAway => actor.post("/people/merge", &merge(other, uid)).await,
        Act::MergeInto => actor.post("/people/merge", &merge(uid, other)).await,
        Act::Import => {
            let mut request = actor.request("POST", "/people/import", None);
            *request.body_mut() = Body::from(format!("rollNumber,department\n{roll_number},Chemistry\n"));
            actor.send(request).await
        }
        Act::UndoImport => {
            // They were a student when the list was imported.
            app.raw(&format!("UPDATE users SET role = 'student' WHERE id = {uid}"));
            let mut request = founder.request("POST", "/people/import", None);
            *request.body_mut() = Body::from(format!("rollNumber,department\n{roll_number},Chemistry\n"));
            let imported = founder.send(request).await.expect(200);
            as_it_is();
            actor.ask(&format!("/imports/people/{}/undo", imported["import"])).await
        }
        Act::SetPhoto => {
            let mut request = actor.request("PUT", &path("/photo"), None);
            *request.body_mut() = Body::from(png([1, 2, 3]));
            actor.send(request).await
        }
        Act::RemovePhoto => actor.delete(&path("/photo")).await,
        Act::ImportPhoto => {
            let begun = photos_of(actor, roll_number).await;
            if begun.status != 202 {
                return begun;
            }
            let id = begun.json()["id"].clone();
            finished(founder, "photos", &id).await;
            founder.get(&format!("/imports/photos/{id}")).await
        }
        Act::UndoPhotos => {
            // They were a student when the photos were imported.
            app.raw(&format!("UPDATE users SET role = 'student' WHERE id = {uid}"));
            let import = photos_of(founder, roll_number).await.expect(202)["id"].clone();
            assert_eq!(finished(founder, "photos", &import).await["added"], 1);
            as_it_is();
            actor.ask(&format!("/imports/photos/{import}/undo")).await
        }
        Act::Promote => {
            actor.post("/people/promote", &json!({ "fromBatch": batch, "deactivate": true })).await
        }
        Act::UndoDeactivation => {
            app.raw(&format!("UPDATE users SET active = TRUE WHERE id = {uid}"));
            founder.ask(&path("/deactivate")).await.expect(200);
            let undo = undo_path(founder, &format!("person={uid}&action=person-deactivated")).await;
            actor.ask(&undo).await
        }
        Act::UndoMergeAway | Act::UndoMergeInto => {
            let both = if act == Act::UndoMergeAway { merge(other, uid) } else { merge(uid, other) };
            let merged = founder.post("/people/merge", &both).await.expect(200);
            actor.ask(&format!("/changes/{}/undo", merged["change"])).await
        }
        Act::UndoLeaving | Act::UndoMoving => {
            // They were students of a batch, and have another role since.
            app.raw(&format!("UPDATE users SET role = 'student', active = TRUE WHERE id = {uid}"));
            let form = if act == Act::UndoLeaving {
                json!({ "fromBatch": batch, "deactivate": true })
            } else {
                json!({ "fromBatch": batch, "toBatch": "another" })
            };
            let done = founder.post("/people/promote", &form).await.expect(200);
            as_it_is();
            if act == Act::UndoLeaving {
                app.raw(&format!("UPDATE users SET active = FALSE WHERE id = {uid}"));
            }
            actor.ask(&format!("/changes/{}/undo", done["change"])).await
        }
    }
}

fn end(act: Act, answer: &Answer) -> Option<End> {
    let told = answer.json();
    Some(match (answer.status, told["code"].as_str()) {
        // An import rejects the row or the picture, not the file.
        (200, _) if act == Act::ImportPhoto && told["rejected"] == 1 => End::MoreCapable,
        (200, _) if act == Act::Import && told["totals"]["rejected"] == 1 => End::MoreCapable,
        (200..=299, _) => End::Done,
        (403, Some("forbidden")) => End::Forbidden,
        (403, Some("more-capable")) => End::MoreCapable,
        (409, Some("own-account")) => End::OwnAccount,
        _ => return None,
    })
}

#[test]
fn every_write_that_names_a_person_is_tried_r_seam_8() {
    for (method, path, access) in TABLE.iter().filter(|(method, ..)| *method != "GET") {
        let by_librarians =
            matches!(access, Access::Admin | Access::May(_) | Access::Both(..) | Access::StudentOrMay(_));
        let tried = ACTS.iter().any(|(_, by, of)| (by, of) == (method, path));
        if by_librarians || path.starts_with("/people") || governs(method, path) {
            let concern = concern(method, path);
            assert!(concern.is_some(), "{method} {path}: say whether it writes on a person's record");
            assert_eq!(tried, governs(method, path), "{method} {path}");
        } else {
            assert!(!tried, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn nobody_writes_on_somebody_who_may_do_more_r_seam_8() {
    let app = TestApp::new().await;
    let founder = app.admin(0).await;
    let hash = app.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let none: &[Capability] = &[];
    let alone = Capability::ALL.iter().map(std::slice::from_ref);
    let mut wrong = Vec::new();
    for may in alone.chain([none, Capability::ALL.as_slice()]) {
        for target in TARGETS {
            for (act, ..) in ACTS {
                // An inactive or merged-away librarian has no session to undo it with.
                let gone = [Act::UndoDeactivation, Act::UndoLeaving, Act::UndoMergeAway];
                if target == Target::Own && gone.contains(&act) {
                    continue;
                }
                let (actor, own_number, own_batch) = account(&app, Role::Admin, &hash).await;
                give(&app, &actor, may, true);
                let (other, number, batch) = account(&app, Role::Student, "!").await;
                let as_it_is = || match target {
                    Target::Student => {}
                    Target::Own => give(&app, &actor, may, true),
                    _ => give(&app, &other, &target.capabilities(may), target != Target::InactiveFull),
                };
                as_it_is();
                let concerned = if target == Target::Own {
                    (&actor, own_number.as_str(), own_batch.as_str())
                } else {
                    (&other, number.as_str(), batch.as_str())
                };
                let answer = perform(&founder, &actor, act, concerned, as_it_is).await;
                let (ended, expected) = (end(act, &answer), expected(act, may, target));
                if ended != Some(expected) {
                    wrong.push(format!(
                        "{may:?}: {act:?} on {target:?}: {expected:?} expected, {} {}",
                        answer.status,
                        answer.text.chars().take(90).collect::<String>()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
}

/// Returns the number of librarians who are active, have all capabilities and can sign in.
fn full(app: &TestApp) -> usize {
    app.raw(
        "SELECT id FROM users WHERE role = 'admin' AND capabilities IS NULL AND active AND gone_at IS NULL
           AND password_hash IS NOT NULL",
    )
    .len()
}

async fn the_last_full_librarian_stays_whichever_way_they_would_go_r_people_8(database: Database) {
    let app = TestApp::on(database).await;
    let hash = app.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let (last, assistant) = (account(&app, Role::Admin, &hash).await.0, app.admin(7).await);
    give(&app, &assistant, &[Capability::People, Capability::Desk], true);
    // The last one cannot do it alone, even if another librarian looks after people.
    let role = format!("/people/{}/role", last.uid);
    for form in [
        json!({ "role": "student", "password": PASSWORD }),
        json!({ "role": "admin", "capabilities": ["people", "desk", "catalogue", "money"], "password": PASSWORD }),
    ] {
        last.post(&role, &form).await.problem(409, "last-librarian");
    }
    last.ask(&format!("/people/{}/deactivate", last.uid)).await.problem(409, "own-account");
    last.delete(&format!("/people/{}", last.uid)).await.problem(409, "own-account");
    // Nor can a colleague with all capabilities but without a password, who could not sign in again.
    let colleague = app.admin(8).await;
    app.raw(&format!("UPDATE users SET password_hash = NULL WHERE id = {}", colleague.uid));
    let student = app.student(1).await.uid;
    colleague.ask(&format!("/people/{}/deactivate", last.uid)).await.problem(409, "last-librarian");
    colleague.delete(&format!("/people/{}", last.uid)).await.problem(409, "last-librarian");
    let merge = json!({ "keep": student, "drop": last.uid });
    colleague.post("/people/merge", &merge).await.problem(409, "last-librarian");
    assert_eq!(full(&app), 1);
    // With another full librarian each of them works.
    app.raw(&format!("UPDATE users SET password_hash = '!' WHERE id = {}", colleague.uid));
    let fewer = json!({ "role": "admin", "capabilities": ["people"], "password": PASSWORD });
    last.post(&role, &fewer).await.expect(200);
    colleague.ask(&format!("/people/{}/deactivate", last.uid)).await.expect(200);
    assert_eq!(full(&app), 1);
}

async fn two_full_librarians_who_remove_one_another_at_once_leave_one_r_people_8(database: Database) {
    let database = Arc::new(database);
    let (here, there) = (
        TestApp::with(Arc::clone(&database), "Asia/Kolkata", |_| {}).await,
        TestApp::with(database, "Asia/Kolkata", |_| {}).await,
    );
    let hash = here.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let ways = [Act::Deactivate, Act::Erase, Act::Unmake, Act::MergeAway];
    for round in 0..2 {
        for first in ways {
            for second in ways {
                here.raw("UPDATE users SET active = FALSE");
                let one = account(&here, Role::Admin, &hash).await.0;
                let two = account(&here, Role::Admin, &hash).await.0;
                let keep = account(&here, Role::Student, "!").await.0.uid;
                let start = Arc::new(Barrier::new(2));
                let remove = async |by: &Person<'_>, who: &Person<'_>, way: Act| {
                    start.wait().await;
                    let path = |rest: &str| format!("/people/{}{rest}", who.uid);
                    match way {
                        Act::Deactivate => by.ask(&path("/deactivate")).await,
                        Act::Erase => by.delete(&path("")).await,
                        Act::MergeAway => {
                            by.post("/people/merge", &json!({ "keep": keep, "drop": who.uid })).await
                        }
                        _ => {
                            let form = json!({ "role": "student", "password": PASSWORD });
                            by.post(&path("/role"), &form).await
                        }
                    }
                };
                let elsewhere = two.at(&there);
                let (a, b): (Answer, Answer) =
                    tokio::join!(remove(&one, &two, first), remove(&elsewhere, &one, second));
                let told =
                    format!("{round}: {first:?} {} {}, {second:?} {} {}", a.status, a.text, b.status, b.text);
                assert_eq!(full(&here), 1, "{told}");
                assert!(a.status < 500 && b.status < 500, "{told}");
                assert_ne!(a.status < 300, b.status < 300, "{told}");
            }
        }
    }
}

/// X4: only a colleague with at least the same capabilities can reactivate a dismissed full librarian.
#[tokio::test]
async fn whoever_may_do_less_does_not_bring_a_dismissed_librarian_back_r_seam_8() {
    let app = TestApp::new().await;
    let (founder, dismissed, low) = (app.admin(0).await, app.admin(2).await, app.admin(1).await);
    give(&app, &low, &[Capability::People], true);
    let path = format!("/people/{}", dismissed.uid);
    founder.ask(&format!("{path}/deactivate")).await.expect(200);
    let undo = undo_path(&founder, &format!("person={}&action=person-deactivated", dismissed.uid)).await;
    low.ask(&format!("{path}/activate")).await.problem(403, "more-capable");
    low.ask(&undo).await.problem(403, "more-capable");
    let active = |app: &TestApp| {
        app.raw(&format!("SELECT CAST(active AS INTEGER) FROM users WHERE id = {}", dismissed.uid))[0][0]
            .clone()
    };
    assert_eq!(active(&app).as_deref(), Some("0"));
    // A librarian dismissed meanwhile can do nothing, even on a server without the notification.
    founder.ask(&undo).await.expect(200);
    assert_eq!(active(&app).as_deref(), Some("1"));
    let nothing: Value = json!({});
    app.raw(&format!("UPDATE users SET active = FALSE WHERE id = {}", low.uid));
    let student = app.student(3).await.uid;
    let late = low.post(&format!("/people/{student}/deactivate"), &nothing).await;
    assert!(matches!(late.status, 401 | 403), "{}", late.text);
}
