//! Passkeys: created, used alone and after the password, and refused (ASVS 6.3.3, 6.4, 6.5; Web Authentication Level 3).

use std::sync::Arc;

use library::{http::options::SecondFactor, passkey::encoded};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
    device::{Device, Key},
    provider,
    second_factor::{EMAIL, PASSWORD, meera, next_code, set_up},
};

on_both_databases!(
    a_passkey_is_added_and_signs_in_alone_and_after_the_password,
    every_kind_of_key_that_is_asked_for_is_taken,
    two_records_of_one_person_keep_the_passkeys_with_the_password,
    what_a_passkey_must_say_is_asked_of_it_when_it_is_used,
    what_a_passkey_must_say_is_asked_of_it_when_it_is_made,
    passkeys_end_with_what_ends_a_second_factor,
    a_password_alone_changes_no_second_factor_r_seam_8,
);

/// One text for every reason.
const UNKNOWN: &str = "This passkey did not work; perhaps it was removed here. Sign in with your password: \
                       Security shows the passkeys you have.";
const ORIGIN: &str = "http://localhost:8080";

fn a_device(n: u8) -> Device {
    Device::at(ORIGIN, n)
}

async fn library(database: Database) -> TestApp {
    TestApp::with(Arc::new(database), "UTC", |settings| {
        settings.public_url = format!("{ORIGIN}/").parse().expect("a URL");
        settings.second_factor = SecondFactor::Librarians;
    })
    .await
}

fn password() -> Value {
    json!({ "currentPassword": PASSWORD })
}

/// Adds a passkey; returns the recovery codes issued with the first one.
async fn add(person: &Person<'_>, device: &mut Device) -> Vec<String> {
    let asked = person.post("/auth/passkeys", &password()).await.expect(200);
    let added = person.post("/auth/passkeys/confirm", &device.make(&asked)).await.expect(200);
    let codes = added["recoveryCodes"].as_array().expect("codes");
    codes.iter().map(|code| code.as_str().expect("a code").to_owned()).collect()
}

async fn begin(browser: &Person<'_>) -> Value {
    browser.post("/auth/sign-in/passkey/begin", &json!({})).await.expect(200)
}

async fn show(browser: &Person<'_>, shown: &Value) -> Answer {
    browser.post("/auth/sign-in/passkey", shown).await
}

/// Signs in with a passkey alone, in a fresh browser.
async fn sign_in<'a>(app: &'a TestApp, device: &Device) -> (Person<'a>, Answer) {
    let browser = app.visitor();
    let asked = begin(&browser).await;
    let answer = show(&browser, &device.sign(&asked)).await;
    (browser, answer)
}

/// Gives the password in a fresh browser, which is then asked for the second step.
async fn half(app: &TestApp) -> Person<'_> {
    let browser = app.visitor();
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    browser.post("/auth/sign-in", &form).await.problem(401, "second-factor-needed");
    browser
}

async fn a_passkey_is_added_and_signs_in_alone_and_after_the_password(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let mut device = a_device(1);
    assert_eq!(librarian.get("/auth/session").await.expect(200)["passkeys"], true);
    librarian.get("/people").await.problem(403, "second-factor-missing");
    let wrong = librarian.post("/auth/passkeys", &json!({ "currentPassword": "not the one" })).await;
    assert_eq!(wrong.wrong_fields(), ["currentPassword"]);

    let asked = librarian.post("/auth/passkeys", &password()).await.expect(200);
    let options = &asked["publicKey"];
    assert_eq!((&options["rp"]["id"], &options["user"]["name"]), (&json!("localhost"), &json!(EMAIL)));
    let made = device.make(&asked);
    let unnamed =
        librarian.post("/auth/passkeys/confirm", &crate::app::with(&made, json!({ "name": " " }))).await;
    assert_eq!(unnamed.wrong_fields(), ["name"]);
    let added = librarian.post("/auth/passkeys/confirm", &made).await.expect(200);
    assert_eq!(added["recoveryCodes"].as_array().map(Vec::len), Some(10));
    // It counts as the required second factor.
    librarian.get("/people").await.expect(200);
    let own = librarian.get("/me/second-factor").await.expect(200);
    assert_eq!(
        (&own["since"], &own["passkeys"][0]["name"], &own["passkeys"][0]["lastUsedAt"]),
        (&Value::Null, &json!("Meera's phone"), &Value::Null)
    );

    // Alone: no second step follows.
    let (browser, answer) = sign_in(&app, &device).await;
    assert_eq!(answer.expect(200)["email"], EMAIL);
    browser.get("/people").await.expect(200);
    assert!(browser.get("/me/second-factor").await.expect(200)["passkeys"][0]["lastUsedAt"].is_string());

    // After the password, in that browser only.
    let browser = half(&app).await;
    assert_eq!(browser.get("/auth/sign-in/code").await.json(), json!({ "app": false, "passkey": true }));
    app.visitor().get("/auth/sign-in/code").await.problem(401, "sign-in-expired");
    browser
        .post("/auth/sign-in/code", &json!({ "code": "000000" }))
        .await
        .problem(401, "invalid-second-factor");
    let second = json!({ "secondStep": true });
    app.visitor().post("/auth/sign-in/passkey/begin", &second).await.problem(401, "sign-in-expired");
    let asked = browser.post("/auth/sign-in/passkey/begin", &second).await.expect(200);
    let known = &asked["publicKey"]["allowCredentials"][0];
    assert_eq!(
        (&known["id"], &known["transports"]),
        (&json!(encoded(&[1; 16])), &json!(["hybrid", "internal"]))
    );
    // An authenticator given the passkey's id may omit the user handle.
    let shown = crate::app::with(&device.sign(&asked), json!({ "secondStep": true, "userHandle": null }));
    show(&browser, &shown).await.expect(200);
    browser.get("/people").await.expect(200);
    browser.get("/auth/sign-in/code").await.problem(401, "sign-in-expired");

    // Another person's passkey does not complete the second step.
    let mut other = a_device(2);
    let colleague = app.admin(7).await;
    let uid = colleague.uid;
    let hash = app.raw(&format!("SELECT password_hash FROM users WHERE id = {}", librarian.uid));
    let hash = hash[0][0].clone().expect("a hash");
    app.raw(&format!("UPDATE users SET password_hash = '{hash}' WHERE id = {uid}"));
    assert_eq!(add(&colleague, &mut other).await.len(), 10);
    let browser = half(&app).await;
    let asked = browser.post("/auth/sign-in/passkey/begin", &second).await.expect(200);
    let shown = crate::app::with(&other.sign(&asked), second.clone());
    show(&browser, &shown).await.problem(401, "invalid-passkey");
    browser.get("/me").await.problem(401, "not-signed-in");
}

/// Ed25519 and RS256 (Windows Hello with some TPMs) besides ES256, which the other tests use.
async fn every_kind_of_key_that_is_asked_for_is_taken(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let kinds = [(1, Key::ed25519()), (2, Key::Rs256(provider::rsa_key())), (3, Key::es256())];
    let asked = librarian.post("/auth/passkeys", &password()).await.expect(200);
    let wanted = asked["publicKey"]["pubKeyCredParams"].as_array().map(Vec::len);
    assert_eq!(wanted, Some(kinds.len()), "{asked}");
    for (n, key) in kinds {
        let mut device = Device { key, ..a_device(n) };
        add(&librarian, &mut device).await;
        let (browser, answer) = sign_in(&app, &device).await;
        assert_eq!(answer.expect(200)["email"], EMAIL, "{n}");
        browser.ask("/auth/sign-out").await.expect(204);
        // The signature of another answer.
        let browser = app.visitor();
        let asked = begin(&browser).await;
        let mut shown = device.sign(&asked);
        let earlier = begin(&app.visitor()).await;
        shown["signature"] = device.sign(&earlier)["signature"].clone();
        show(&browser, &shown).await.problem(401, "invalid-passkey");
    }
}

/// R-PEOPLE-9: the kept record takes over the other's password, and the passkeys with it.
async fn two_records_of_one_person_keep_the_passkeys_with_the_password(database: Database) {
    let app = library(database).await;
    let registration = json!({
        "name": "Asha Rao", "email": "asha@college.edu", "password": PASSWORD, "rollNumber": "cs25-014",
        "department": "Physics", "batch": "2027",
    });
    let asha = app.visitor();
    asha.post("/auth/register", &registration).await.expect(201);
    let entered = asha
        .post("/auth/sign-in", &json!({ "email": "asha@college.edu", "password": PASSWORD }))
        .await
        .expect(200);
    let mut device = a_device(1);
    add(&asha, &mut device).await;
    let librarian = meera(&app).await;
    add(&librarian, &mut a_device(2)).await;
    let added = librarian.post("/people", &json!({ "name": "Asha Rao" })).await.expect(201);
    let merge = json!({ "keep": added["uid"], "drop": entered["uid"], "dryRun": false });
    let merged = librarian.post("/people/merge", &merge).await;
    let change = merged.header("undoable-change").expect("a change").to_owned();
    assert_eq!(sign_in(&app, &device).await.1.expect(200)["uid"], added["uid"]);
    librarian.ask(&format!("/changes/{change}/undo")).await.expect(200);
    assert_eq!(sign_in(&app, &device).await.1.expect(200)["uid"], entered["uid"]);
}

async fn what_a_passkey_must_say_is_asked_of_it_when_it_is_used(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let mut device = a_device(1);
    device.count = 5;
    add(&librarian, &mut device).await;
    let refused = async |device: &Device, why: &str| {
        let (browser, answer) = sign_in(&app, device).await;
        assert_eq!(answer.problem(401, "invalid-passkey"), UNKNOWN, "{why}");
        browser.get("/me").await.problem(401, "not-signed-in");
    };
    let right = Device { count: 6, ..device };
    let changed = |change: &dyn Fn(&mut Device)| {
        let mut device = right.clone();
        change(&mut device);
        device
    };
    for (why, odd) in [
        ("another key", changed(&|device| device.key = Key::es256())),
        ("wrong origin", changed(&|device| device.origin = "http://localhost:8081".into())),
        ("wrong party", changed(&|device| device.party = "elsewhere.example".into())),
        ("nobody there", changed(&|device| device.flags = 0b100)),
        ("not verified", changed(&|device| device.flags = 0b001)),
        ("copied at once", changed(&|device| device.flags = 0b1101)),
        ("a foreign credential", changed(&|device| device.id = [9; 16])),
        ("a foreign person", changed(&|device| device.handle = Some(encoded(&[7; 32])))),
        ("no person", changed(&|device| device.handle = None)),
        ("the count stood still", changed(&|device| device.count = 5)),
        ("the count fell", changed(&|device| device.count = 0)),
    ] {
        refused(&odd, why).await;
    }

    // Of another kind, for another browser, too late, and twice.
    let browser = app.visitor();
    let asked = begin(&browser).await;
    show(&browser, &right.sign_as("webauthn.create", &asked)).await.problem(401, "invalid-passkey");
    show(&browser, &right.sign(&asked)).await.problem(401, "sign-in-expired");
    let asked = begin(&browser).await;
    show(&app.visitor(), &right.sign(&asked)).await.problem(401, "sign-in-expired");
    let newer = begin(&browser).await;
    app.set_clock(&library::domain::moment::rfc3339(app.clock.now() + 5 * 60_000));
    show(&browser, &right.sign(&newer)).await.problem(401, "sign-in-expired");
    begin(&browser).await;
    let another = begin(&app.visitor()).await;
    show(&browser, &right.sign(&another)).await.problem(401, "invalid-passkey");
    let replayed = begin(&browser).await;
    let (copy, shown) = (browser.copy(), right.sign(&replayed));
    show(&browser, &shown).await.expect(200);
    show(&copy, &shown).await.problem(401, "sign-in-expired");

    // R-PEOPLE-6, R-LOGIN-5
    let right = changed(&|device| device.count = 7);
    app.raw(&format!("UPDATE users SET active = FALSE WHERE id = {}", librarian.uid));
    sign_in(&app, &right).await.1.problem(403, "account-inactive");
    app.raw(&format!("UPDATE users SET active = TRUE, role = 'owner' WHERE id = {}", librarian.uid));
    sign_in(&app, &right).await.1.problem(403, "role-undefined");
}

async fn what_a_passkey_must_say_is_asked_of_it_when_it_is_made(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let mut device = a_device(1);
    let ask = async || librarian.post("/auth/passkeys", &password()).await.expect(200);
    for odd in [
        Device { origin: "https://localhost:8080".into(), ..a_device(1) },
        Device { party: "elsewhere.example".into(), ..a_device(1) },
        Device { flags: 0b100, ..a_device(1) },
        Device { flags: 0b001, ..a_device(1) },
    ] {
        let mut odd = odd;
        let made = odd.make(&ask().await);
        librarian.post("/auth/passkeys/confirm", &made).await.problem(409, "passkey-refused");
    }
    let nothing = json!({ "name": "n", "clientData": "?", "attestationObject": "" });
    librarian.post("/auth/passkeys/confirm", &nothing).await.problem(409, "passkey-expired");
    ask().await;
    librarian.post("/auth/passkeys/confirm", &nothing).await.problem(409, "passkey-refused");

    // Once, in time, in the session that gave the password.
    let asked = ask().await;
    let made = device.make(&asked);
    app.set_clock(&library::domain::moment::rfc3339(app.clock.now() + 5 * 60_000));
    librarian.post("/auth/passkeys/confirm", &made).await.problem(409, "passkey-expired");
    // A young session adds another passkey without confirmation by the first.
    app.set_clock("2026-11-21T06:00:00Z");
    let made = device.make(&ask().await);
    librarian.post("/auth/passkeys/confirm", &made).await.expect(200);
    librarian.post("/auth/passkeys/confirm", &made).await.problem(409, "passkey-expired");
    let again = device.make(&ask().await);
    librarian.post("/auth/passkeys/confirm", &again).await.problem(409, "passkey-refused");

    // Ten at most, and the recovery codes of the first stay.
    for n in 2..=10 {
        assert_eq!(add(&librarian, &mut a_device(n)).await, [""; 0]);
    }
    librarian.post("/auth/passkeys", &password()).await.problem(409, "too-many-passkeys");
    let (secret, codes) = set_up(&librarian).await;
    assert_eq!(codes, [""; 0]);
    // The app is removed; the passkeys stay with their codes.
    let off = crate::app::with(&next_code(&app, &secret), password());
    librarian.post("/auth/authenticator/remove", &off).await.expect(204);
    let own = librarian.get("/me/second-factor").await.expect(200);
    assert_eq!((&own["since"], &own["recoveryCodes"]), (&Value::Null, &json!(10)), "{own}");
    half(&app).await;
}

async fn passkeys_end_with_what_ends_a_second_factor(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let mut device = a_device(1);
    let codes = add(&librarian, &mut device).await;
    let id = librarian.get("/me/second-factor").await.expect(200)["passkeys"][0]["id"].clone();
    let path = format!("/auth/passkeys/{id}/remove");
    let mut other = a_device(2);
    let colleague = app.admin(8).await;
    app.raw(&format!(
        "UPDATE users SET password_hash = (SELECT hash.password_hash FROM users AS hash WHERE hash.id = {}) WHERE id = {}",
        librarian.uid, colleague.uid
    ));
    add(&colleague, &mut other).await;

    // A recovery code replaces it, like the app.
    let browser = half(&app).await;
    browser.post("/auth/sign-in/code", &json!({ "code": codes[0] })).await.expect(200);
    // Removed by its owner, with their password.
    colleague.post(&path, &password()).await.problem(404, "not-found");
    let wrong = librarian.post(&path, &json!({ "currentPassword": "not the one" })).await;
    assert_eq!(wrong.wrong_fields(), ["currentPassword"]);
    librarian.post(&path, &password()).await.expect(204);
    sign_in(&app, &device).await.1.problem(401, "invalid-passkey");
    assert_eq!(app.raw("SELECT * FROM recovery_codes").len(), 10, "the colleague's");
    let form = json!({ "email": EMAIL, "password": PASSWORD });
    assert_eq!(app.visitor().post("/auth/sign-in", &form).await.expect(200)["secondFactorMissing"], true);

    // Reset by a colleague.
    add(&librarian, &mut device).await;
    let waiting = half(&app).await;
    let asked = waiting.post("/auth/sign-in/passkey/begin", &json!({ "secondStep": true })).await.expect(200);
    let person = format!("/people/{}", librarian.uid);
    assert_eq!(colleague.get(&person).await.expect(200)["secondFactor"], true);
    colleague.delete(&format!("{person}/second-factor")).await.expect(204);
    assert_eq!(colleague.get(&person).await.expect(200)["secondFactor"], false);
    librarian.get("/me").await.problem(401, "not-signed-in");
    let shown = crate::app::with(&device.sign(&asked), json!({ "secondStep": true }));
    show(&waiting, &shown).await.problem(401, "sign-in-expired");
    sign_in(&app, &device).await.1.problem(401, "invalid-passkey");

    // R-PEOPLE-6: nothing is left of an erased person.
    let again = app.visitor();
    again.post("/auth/sign-in", &form).await.expect(200);
    add(&again, &mut device).await;
    let told = colleague.get("/changes").await.expect(200)["changes"].clone();
    let told: Vec<_> =
        told.as_array().expect("a list").iter().map(|change| change["action"].clone()).collect();
    for action in ["passkey-added", "passkey-removed", "second-factor-reset"] {
        assert!(told.contains(&json!(action)), "{action}: {told:?}");
    }
    app.raw(&format!("UPDATE users SET role = 'student' WHERE id = {}", librarian.uid));
    colleague.delete(&person).await.expect(204);
    sign_in(&app, &device).await.1.problem(401, "invalid-passkey");
    assert_eq!(app.raw("SELECT * FROM passkeys").len(), 1, "the colleague's");
}

async fn a_password_alone_changes_no_second_factor_r_seam_8(database: Database) {
    let app = library(database).await;
    let librarian = meera(&app).await;
    let mut device = a_device(1);
    let codes = add(&librarian, &mut device).await;
    let own = librarian.get("/me/second-factor").await.expect(200);
    assert_eq!(own["codeNeeded"], false, "this session has just begun");
    let remove = format!("/auth/passkeys/{}/remove", own["passkeys"][0]["id"]);

    // An open session, and the password read over a shoulder.
    app.set_clock("2026-11-21T06:05:00Z");
    assert_eq!(librarian.get("/me/second-factor").await.expect(200)["codeNeeded"], true);
    for path in ["/auth/passkeys", "/auth/authenticator", &remove] {
        assert_eq!(librarian.post(path, &password()).await.wrong_fields(), ["code"], "{path}");
        let guess = crate::app::with(&password(), json!({ "code": "000000" }));
        assert_eq!(librarian.post(path, &guess).await.wrong_fields(), ["code"], "{path}");
    }
    // A recovery code replaces the passkey, once.
    let proof = crate::app::with(&password(), json!({ "code": codes[0] }));
    librarian.post("/auth/passkeys", &proof).await.expect(200);
    assert_eq!(librarian.post(&remove, &proof).await.wrong_fields(), ["code"]);
    // A fresh sign-in with the passkey replaces the code.
    let (again, answer) = sign_in(&app, &device).await;
    answer.expect(200);
    again.post(&remove, &password()).await.expect(204);
}

/// Not offered where browsers create no passkeys.
/// X6: 200 made-up passkeys kept a whole campus from signing in with passwords.
#[tokio::test]
async fn unknown_passkeys_use_up_no_tries_of_passwords_r_login_4() {
    let app = library(Database::ready_sqlite()).await;
    let limit = &app.state.limits.failures_of_network;
    let network = "127.0.0.1".parse::<std::net::IpAddr>().expect("an address").into();
    sign_in(&app, &a_device(9)).await.1.problem(401, "invalid-passkey");
    assert!(limit.taken(&network) < 0.5);
}

#[tokio::test]
async fn at_an_address_that_is_a_number_there_are_no_passkeys() {
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "UTC", |settings| {
        settings.public_url = "https://192.168.1.5/".parse().expect("a URL");
    })
    .await;
    let librarian = meera(&app).await;
    assert!(librarian.get("/auth/session").await.expect(200).get("passkeys").is_none());
    librarian.post("/auth/passkeys", &password()).await.problem(404, "not-found");
    app.visitor().post("/auth/sign-in/passkey/begin", &json!({})).await.problem(404, "not-found");
}
