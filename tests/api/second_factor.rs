//! The second factor: set up, required at sign-in, lost and reset (ASVS 6.3.3, 6.4.4, 6.5; RFC 6238).

use std::sync::Arc;

use library::{
    domain::id::UserId,
    http::{Limits, options::SecondFactor},
    limit::Limit,
    second_factor,
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
};

on_both_databases!(
    a_librarian_sets_it_up_and_signs_in_with_password_and_code,
    one_code_and_one_recovery_code_open_one_session_however_many_send_them_at_once,
    a_recovery_code_is_good_once_and_a_colleague_or_nobody_resets_the_rest,
    half_of_the_tries_at_codes_are_left_to_other_networks_x6,
    a_code_for_a_new_password_does_not_skip_the_second_factor,
    whoever_must_have_one_can_do_nothing_before_they_do,
    two_records_of_one_person_keep_the_second_factor_with_the_password,
);

pub const PASSWORD: &str = "four unrelated words";
pub const EMAIL: &str = "meera@college.edu";

/// Signs Meera in, a librarian with a password, in a browser that has only her session.
pub async fn meera(app: &TestApp) -> Person<'_> {
    let hash = app.state.passwords.hash(PASSWORD.into()).await.expect("hashing works");
    app.person(library::storage::accounts::NewAccount {
        email: EMAIL.into(),
        name: "Meera Iyer".into(),
        role: library::domain::account::Role::Admin,
        roll_number: None,
        department: None,
        batch: None,
        password_hash: hash,
    })
    .await
}

/// Sets an authenticator app up; returns its key and the recovery codes.
pub async fn set_up(person: &Person<'_>) -> (String, Vec<String>) {
    let password = json!({ "currentPassword": PASSWORD });
    let key = person.post("/auth/authenticator", &password).await.expect(200);
    let secret = key["secret"].as_str().expect("a key").to_owned();
    let confirmed = person.post("/auth/authenticator/confirm", &code(person.app, &secret)).await.expect(200);
    let codes = confirmed["recoveryCodes"].as_array().expect("codes");
    (secret, codes.iter().map(|code| code.as_str().expect("a code").to_owned()).collect())
}

/// Returns the app's current code.
fn code(app: &TestApp, secret: &str) -> Value {
    json!({ "code": second_factor::code_at(secret, app.clock.now()).expect("a key") })
}

/// Returns the app's next code, half a minute later.
pub fn next_code(app: &TestApp, secret: &str) -> Value {
    let now = app.clock.now() + 30_000;
    app.set_clock(&library::domain::moment::rfc3339(now));
    code(app, secret)
}

/// Gives the password in a fresh browser, which is then asked for the code.
async fn half(app: &TestApp) -> Person<'_> {
    let browser = app.visitor();
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    browser.post("/auth/sign-in", &form).await.problem(401, "second-factor-needed");
    browser
}

async fn give(browser: &Person<'_>, code: &Value) -> Answer {
    browser.post("/auth/sign-in/code", code).await
}

fn recovery(code: &str) -> Value {
    json!({ "code": code })
}

fn sessions(app: &TestApp, uid: UserId) -> usize {
    app.raw(&format!("SELECT id FROM sessions WHERE user_id = {uid}")).len()
}

async fn actions(person: &Person<'_>) -> Vec<String> {
    let changes = person.get("/changes").await.expect(200)["changes"].clone();
    let changes = changes.as_array().expect("a list");
    changes.iter().map(|change| change["action"].as_str().expect("text").to_owned()).collect()
}

async fn a_librarian_sets_it_up_and_signs_in_with_password_and_code(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = meera(&app).await;
    let wrong = json!({ "currentPassword": "not the one" });
    let answer = librarian.post("/auth/authenticator", &wrong).await;
    assert_eq!(answer.wrong_fields(), ["currentPassword"]);

    // Without a confirming code the app does not count.
    let password = json!({ "currentPassword": PASSWORD });
    let key = librarian.post("/auth/authenticator", &password).await.expect(200);
    let address = key["address"].as_str().expect("an address");
    assert!(address.starts_with("otpauth://totp/") && address.contains("meera%40college.edu"), "{address}");
    let refused = librarian.post("/auth/authenticator/confirm", &json!({ "code": "000 000" })).await;
    assert_eq!(refused.wrong_fields(), ["code"]);
    app.visitor().post("/auth/sign-in", &json!({ "email": EMAIL, "password": PASSWORD })).await.expect(200);

    let (secret, codes) = set_up(&librarian).await;
    assert_eq!(codes.iter().collect::<std::collections::BTreeSet<_>>().len(), 10);
    librarian.post("/auth/authenticator", &password).await.problem(409, "second-factor-on");
    let own = librarian.get("/me/second-factor").await.expect(200);
    assert_eq!((&own["recoveryCodes"], &own["required"]), (&json!(10), &json!(false)), "{own}");
    assert!(own["since"].is_string());

    // The password alone opens nothing, and a wrong one gets the usual answer.
    let before = sessions(&app, librarian.uid);
    let browser = half(&app).await;
    browser.get("/me").await.problem(401, "not-signed-in");
    assert_eq!(sessions(&app, librarian.uid), before);
    let guess = json!({ "email": EMAIL, "password": "not the one" });
    app.visitor().post("/auth/sign-in", &guess).await.problem(401, "invalid-credentials");
    give(&app.visitor(), &next_code(&app, &secret)).await.problem(401, "sign-in-expired");
    give(&browser, &json!({ "code": "000000" })).await.problem(401, "invalid-second-factor");
    let user = give(&browser, &code(&app, &secret)).await.expect(200);
    assert_eq!(user["email"], EMAIL);
    browser.get("/people").await.expect(200);
    give(&browser, &next_code(&app, &secret)).await.problem(401, "sign-in-expired");

    // Expired, and after a change of password.
    let late = half(&app).await;
    let changed = half(&app).await;
    app.set_clock(&library::domain::moment::rfc3339(app.clock.now() + 5 * 60_000));
    give(&late, &code(&app, &secret)).await.problem(401, "sign-in-expired");
    let waiting = half(&app).await;
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "four different words" });
    browser.post("/auth/password", &change).await.expect(204);
    for browser in [changed, waiting] {
        give(&browser, &next_code(&app, &secret)).await.problem(401, "sign-in-expired");
    }
    let told = actions(&browser).await;
    for action in ["second-factor-on", "signed-in", "password-changed"] {
        assert!(told.iter().any(|told| told == action), "{action}: {told:?}");
    }

    // Removal needs both password and code.
    let off = |password: &str, code: &Value| json!({ "currentPassword": password, "code": code["code"] });
    let right = next_code(&app, &secret);
    let refused = browser.post("/auth/authenticator/remove", &off(PASSWORD, &right)).await;
    assert_eq!(refused.wrong_fields(), ["currentPassword"]);
    let refused = browser
        .post("/auth/authenticator/remove", &off("four different words", &json!({ "code": "000000" })))
        .await;
    assert_eq!(refused.wrong_fields(), ["code"]);
    browser.post("/auth/authenticator/remove", &off("four different words", &right)).await.expect(204);
    let form = json!({ "email": EMAIL, "password": "four different words" });
    app.visitor().post("/auth/sign-in", &form).await.expect(200);
    assert_eq!(
        app.raw("SELECT * FROM recovery_codes").len() + app.raw("SELECT * FROM authenticators").len(),
        0
    );
}

/// RFC 6238, 5.2: a code works once. 50 browsers sent one, and one recovery code, at the same moment.
async fn one_code_and_one_recovery_code_open_one_session_however_many_send_them_at_once(database: Database) {
    let limits = Limits {
        failures_of_second_factor: Limit::new(1000, std::time::Duration::from_secs(1)),
        ..Limits::default()
    };
    let app = TestApp::limited(Arc::new(database), "UTC", |_| {}, limits).await;
    let librarian = meera(&app).await;
    let (secret, codes) = set_up(&librarian).await;
    // As many half sign-ins as one password could begin.
    let (tokens, uid) = ((0..100).map(|n| format!("half {n}")).collect::<Vec<_>>(), librarian.uid);
    let hashes: Vec<String> = tokens.iter().map(|token| library::http::session::hashed(token)).collect();
    let now = app.clock.now();
    app.store(move |tx| {
        for hash in &hashes {
            library::storage::second_factors::begin_half_sign_in(tx, hash, uid, false, now, i64::MAX)?;
        }
        Ok(())
    })
    .await;
    let before = sessions(&app, uid);
    let of_app = next_code(&app, &secret);
    let calls = tokens.iter().enumerate().map(|(n, token)| {
        let (app, code) = (&app, if n % 2 == 0 { of_app.clone() } else { recovery(&codes[0]) });
        async move {
            let browser = app.visitor();
            let mut request = browser.request("POST", "/auth/sign-in/code", Some(&code));
            let cookie = format!("library-half={token}").parse().expect("a header");
            request.headers_mut().insert(axum::http::header::COOKIE, cookie);
            (n % 2, browser.send(request).await.status)
        }
    });
    let answers = futures_util::future::join_all(calls).await;
    for kind in [0, 1] {
        let of_kind = |status| answers.iter().filter(|answer| **answer == (kind, status)).count();
        assert_eq!((of_kind(200), of_kind(401)), (1, 49), "{answers:?}");
    }
    assert_eq!(sessions(&app, uid), before + 2);
    assert_eq!(app.raw("SELECT * FROM recovery_codes").len(), 9);
}

/// X6: with a stolen password one laptop kept its owner from the second step in every new browser.
async fn half_of_the_tries_at_codes_are_left_to_other_networks_x6(database: Database) {
    let trust =
        |settings: &mut library::http::Settings| settings.trusted_proxies = vec![[127, 0, 0, 1].into()];
    let limits = Limits {
        failures_of_second_factor: Limit::new(8, std::time::Duration::from_hours(1)),
        ..Limits::default()
    };
    let app = TestApp::limited(Arc::new(database), "UTC", trust, limits).await;
    let (secret, _) = set_up(&meera(&app).await).await;
    let from = async |browser: &Person<'_>, network: &str, path: &str, body: &Value| {
        let mut request = browser.request("POST", path, Some(body));
        request.headers_mut().insert("x-forwarded-for", network.parse().expect("a header"));
        browser.send(request).await.status
    };
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let thief = app.visitor();
        assert_eq!(from(&thief, "198.51.100.7", "/auth/sign-in", &form).await, 401);
        statuses.push(from(&thief, "198.51.100.7", "/auth/sign-in/code", &json!({ "code": "000000" })).await);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 4, "{statuses:?}");
    let owner = app.visitor();
    assert_eq!(from(&owner, "203.0.113.9", "/auth/sign-in", &form).await, 401);
    assert_eq!(from(&owner, "203.0.113.9", "/auth/sign-in/code", &json!({ "code": "000000" })).await, 401);
    assert_eq!(from(&owner, "192.0.2.1", "/auth/sign-in/code", &next_code(&app, &secret)).await, 200);
}

async fn a_recovery_code_is_good_once_and_a_colleague_or_nobody_resets_the_rest(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = meera(&app).await;
    let (secret, codes) = set_up(&librarian).await;
    let entered = half(&app).await;
    // Spelling does not matter.
    give(&entered, &recovery(&codes[3].to_lowercase().replace('-', " "))).await.expect(200);
    give(&half(&app).await, &recovery(&codes[3])).await.problem(401, "invalid-second-factor");
    assert_eq!(entered.get("/me/second-factor").await.expect(200)["recoveryCodes"], 9);
    // New codes end the old ones; answers that contain codes are not stored.
    let proof = json!({ "currentPassword": PASSWORD, "code": next_code(&app, &secret)["code"] });
    let fresh = entered.post("/auth/recovery-codes", &proof).await.expect(200);
    give(&half(&app).await, &recovery(&codes[4])).await.problem(401, "invalid-second-factor");
    let fresh = fresh["recoveryCodes"][0].as_str().expect("a code").to_owned();
    let kept = app.raw("SELECT body FROM idempotency").into_iter().flatten().flatten().collect::<String>();
    assert!(!kept.contains(&secret) && !kept.contains(&fresh), "{kept}");

    // Librarians cannot reset their own, nor that of a colleague with more capabilities.
    let path = format!("/people/{}/second-factor", librarian.uid);
    entered.delete(&path).await.problem(409, "own-account");
    let colleague = app.admin(7).await;
    app.raw(&format!("UPDATE users SET capabilities = 'people' WHERE id = {}", colleague.uid));
    app.state.sessions.forget_person(colleague.uid);
    colleague.delete(&path).await.problem(403, "more-capable");
    let chief = app.admin(8).await;
    assert_eq!(chief.get(&format!("/people/{}", librarian.uid)).await.expect(200)["secondFactor"], true);
    let waiting = half(&app).await;
    chief.delete(&path).await.expect(204);
    entered.get("/me").await.problem(401, "not-signed-in");
    give(&waiting, &recovery(&fresh)).await.problem(401, "sign-in-expired");
    assert_eq!(chief.get(&format!("/people/{}", librarian.uid)).await.expect(200)["secondFactor"], false);
    assert!(actions(&chief).await.starts_with(&["second-factor-reset".into()]));
    app.visitor().post("/auth/sign-in", &json!({ "email": EMAIL, "password": PASSWORD })).await.expect(200);
    // A repeat changes nothing and is not recorded again.
    chief.delete(&path).await.expect(204);
    assert_eq!(actions(&chief).await.iter().filter(|action| *action == "second-factor-reset").count(), 1);
}

async fn a_code_for_a_new_password_does_not_skip_the_second_factor(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = meera(&app).await;
    let (secret, _) = set_up(&librarian).await;
    let made = app.admin(8).await.ask(&format!("/people/{}/sign-in-code", librarian.uid)).await.expect(200);
    let form = json!({ "email": EMAIL, "code": made["code"], "password": "another four words" });
    let browser = app.visitor();
    browser.post("/auth/redeem", &form).await.problem(401, "second-factor-needed");
    browser.get("/me").await.problem(401, "not-signed-in");
    librarian.get("/me").await.problem(401, "not-signed-in");
    give(&browser, &next_code(&app, &secret)).await.expect(200);
    browser.get("/me").await.expect(200);
}

async fn whoever_must_have_one_can_do_nothing_before_they_do(database: Database) {
    let app = TestApp::with(Arc::new(database), "UTC", |settings| {
        settings.second_factor = SecondFactor::Librarians;
    })
    .await;
    let (librarian, student) = (meera(&app).await, app.student(1).await);
    for path in ["/people", "/me", "/me/sessions", "/desk/phones", "/changes"] {
        librarian.get(path).await.problem(403, "second-factor-missing");
    }
    let scan = json!({ "code": "L000001" });
    librarian.post("/desk/scans", &scan).await.problem(403, "second-factor-missing");
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    assert_eq!(app.visitor().post("/auth/sign-in", &form).await.expect(200)["secondFactorMissing"], true);
    let session = librarian.get("/auth/session").await.expect(200);
    assert_eq!((&session["secondFactorMissing"], &session["user"]["email"]), (&json!(true), &json!(EMAIL)));
    assert_eq!(librarian.get("/me/second-factor").await.expect(200)["required"], true);
    // Calls open to visitors work, without what librarians see there.
    librarian.get("/books").await.expect(200);
    student.get("/me").await.expect(200);
    assert!(student.get("/auth/session").await.expect(200).get("secondFactorMissing").is_none());
    set_up(&librarian).await;
    librarian.get("/people").await.expect(200);
    assert!(librarian.get("/auth/session").await.expect(200).get("secondFactorMissing").is_none());
}

/// R-PEOPLE-9: the kept record takes over the other's password, and the second factor with it.
async fn two_records_of_one_person_keep_the_second_factor_with_the_password(database: Database) {
    let app = TestApp::on(database).await;
    let registration = json!({
        "name": "Asha Rao", "email": EMAIL, "password": PASSWORD, "rollNumber": "cs25-014",
        "department": "Physics", "batch": "2027",
    });
    let asha = app.visitor();
    asha.post("/auth/register", &registration).await.expect(201);
    let entered =
        asha.post("/auth/sign-in", &json!({ "email": EMAIL, "password": PASSWORD })).await.expect(200);
    let (secret, _) = set_up(&asha).await;
    let librarian = app.admin(0).await;
    let added = librarian.post("/people", &json!({ "name": "Asha Rao" })).await.expect(201);
    let merge = json!({ "keep": added["uid"], "drop": entered["uid"], "dryRun": false });
    let merged = librarian.post("/people/merge", &merge).await;
    let change = merged.header("undoable-change").expect("a change").to_owned();
    give(&half(&app).await, &next_code(&app, &secret)).await.expect(200);
    librarian.ask(&format!("/changes/{change}/undo")).await.expect(200);
    let back = half(&app).await;
    assert_eq!(give(&back, &next_code(&app, &secret)).await.expect(200)["uid"], entered["uid"]);
    // R-PEOPLE-6: an erased person keeps no second factor.
    librarian.delete(&format!("/people/{}", entered["uid"])).await.expect(204);
    assert_eq!(
        app.raw("SELECT * FROM recovery_codes").len() + app.raw("SELECT * FROM authenticators").len(),
        0
    );
}

/// NIST SP 800-63B-4, 3.2.2: an attacker with the password cannot try code after code, and does not lock the owner out of a
/// known browser.
#[tokio::test]
async fn wrong_codes_are_limited_and_a_known_browser_is_not_locked_out() {
    let app = TestApp::new().await;
    let librarian = meera(&app).await;
    let (secret, codes) = set_up(&librarian).await;
    let known = half(&app).await;
    give(&known, &next_code(&app, &secret)).await.expect(200);
    known.ask("/auth/sign-out").await.expect(204);
    let wrong = json!({ "code": "000000" });
    let browsers = [half(&app).await, half(&app).await];
    // The other half of twenty is left to other networks.
    for n in 0..10 {
        give(&browsers[n % 2], &wrong).await.problem(401, "invalid-second-factor");
    }
    let limited = give(&browsers[0], &next_code(&app, &secret)).await;
    limited.problem(429, "too-many-requests");
    give(&half(&app).await, &recovery(&codes[0])).await.problem(429, "too-many-requests");
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    known.post("/auth/sign-in", &form).await.problem(401, "second-factor-needed");
    give(&known, &code(&app, &secret)).await.expect(200);
}
