//! Sign-in with the college's provider (OpenID Connect), and everything that must be refused.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use library::{
    domain::account::Role,
    http::{API, oidc::CALLBACK},
    oidc::{Options, Provider as Known},
    outbound::PATIENCE,
    storage::{Location, accounts::NewAccount},
};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{
    app::{Answer, HOST, Person, TestApp, with},
    certificate::Certificate,
    common::{Database, folder},
    device::Device,
    provider::{Answers, CLIENT, Provider, Rewrite, SECRET, Sign, Tamper},
    second_factor::{EMAIL, PASSWORD, meera, next_code, set_up},
};

on_both_databases!(
    a_student_signs_in_by_the_college_and_is_where_they_wanted_to_go,
    a_return_counts_once_in_its_own_browser_and_for_ten_minutes,
    who_somebody_is_rests_on_what_the_provider_vouches_for,
    a_librarians_account_is_linked_once_its_password_was_asked,
    whoever_has_a_second_factor_is_asked_for_it_on_this_way_too,
    somebody_sees_the_link_and_ends_it,
    whoever_registered_first_with_somebodys_address_does_not_get_their_account_r_seam_8,
    whoever_took_somebodys_roll_number_does_not_get_their_account_r_seam_8,
    an_address_chosen_with_a_code_and_one_that_was_merged_are_proved_first_r_seam_8,
    the_owner_of_a_claimed_account_gets_in_by_a_code_of_the_librarian_r_seam_8,
);

/// Clock of the tests, epoch seconds.
const NOW: i64 = 1_795_240_800;

/// Starts a library whose people sign in with this provider.
async fn library(database: Database, provider: &Provider) -> TestApp {
    library_with(database, provider, |_| {}).await
}

pub async fn library_with(
    database: Database,
    provider: &Provider,
    change: impl FnOnce(&mut Options),
) -> TestApp {
    let known = known(provider.url(), change);
    TestApp::with(Arc::new(database), "Asia/Kolkata", |settings| settings.provider = Some(known)).await
}

/// Configures a provider as an operator would.
pub fn known(issuer: &str, change: impl FnOnce(&mut Options)) -> Arc<Known> {
    let mut options = options(issuer);
    change(&mut options);
    Arc::new(Known::new(options, "/nothing".as_ref()).expect("a provider"))
}

fn options(issuer: &str) -> Options {
    Options {
        issuer: issuer.to_owned(),
        client: CLIENT.into(),
        secret: SECRET.into(),
        label: "College account".into(),
        domains: vec!["college.edu".into()],
        roll_number_claim: None,
        redirect: format!("http://{HOST}{API}{CALLBACK}").parse().expect("a URL"),
        hosts: Vec::new(),
        // A slow machine under test must not look like a provider that is down.
        patience: Duration::from_secs(25),
        rest: Duration::from_hours(1),
    }
}

/// Claims of student number `n`.
fn claims(n: usize) -> Value {
    json!({ "sub": format!("sub-{n}"), "email": format!("Student{n}@College.edu"), "email_verified": true })
}

async fn begin(person: &Person<'_>, form: Value) -> String {
    let begun = person.post("/auth/oidc", &form).await.expect(200);
    begun["location"].as_str().expect("an address").to_owned()
}

async fn come_back(person: &Person<'_>, query: &str) -> Answer {
    person.get(&format!("{CALLBACK}?{query}")).await
}

/// Signs in at the provider with these claims and returns to the library.
pub async fn sign_in(person: &Person<'_>, provider: &Provider, claims: Value) -> Answer {
    let address = begin(person, json!({})).await;
    come_back(person, &provider.approve(&address, claims)).await
}

/// Returns the end of a sign-in, from the redirect.
#[track_caller]
pub fn end(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let location = answer.header("location").expect("a location");
    let end = location.strip_prefix("/library/login?provider=").expect("the sign-in screen");
    end.to_owned()
}

/// Returns the signed-in user.
async fn user(person: &Person<'_>) -> Value {
    person.get("/auth/session").await.expect(200)["user"].clone()
}

/// Creates an account whose password the test knows.
async fn registered(app: &TestApp, name: &str, role: Role) -> (NewAccount, &'static str) {
    let password = "four unrelated words";
    let new = NewAccount {
        email: format!("{name}@college.edu"),
        name: name.into(),
        role,
        roll_number: (role == Role::Student).then(|| format!("cs25-{name}")),
        department: None,
        batch: None,
        password_hash: app.state.passwords.hash(password.into()).await.expect("a hash"),
    };
    app.person(new.clone()).await.ask("/auth/sign-out").await.expect(204);
    (new, password)
}

async fn a_student_signs_in_by_the_college_and_is_where_they_wanted_to_go(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    let uid = app.student(1).await.uid;
    let browser = app.visitor();
    let session = browser.get("/auth/session").await.expect(200);
    assert_eq!(session["provider"], "College account");
    let begun = browser.post("/auth/oidc", &json!({ "next": "/stubook-detail/7", "remember": true })).await;
    let cookie = begun.header("set-cookie").expect("a cookie");
    assert!(
        cookie.starts_with("library-oidc=")
            && cookie.ends_with("; Path=/library/api/v1/auth/oidc; HttpOnly; SameSite=Lax; Max-Age=600"),
        "{cookie}"
    );
    let address = begun.expect(200)["location"].as_str().expect("an address").to_owned();
    assert!(address.starts_with(&format!("{}/authorize?realm=college&", provider.url())), "{address}");
    // A role in the claims is ignored.
    let mut said = claims(1);
    said["role"] = json!("admin");
    let back = come_back(&browser, &provider.approve(&address, said)).await;
    assert_eq!(end(&back), "done&next=%2Fstubook-detail%2F7");
    let cookies: Vec<_> = back.headers.get_all("set-cookie").iter().collect();
    assert!(cookies[0].to_str().is_ok_and(|set| set.contains("SameSite=Strict; Max-Age=2592000")));
    let signed_in = user(&browser).await;
    assert_eq!((&signed_in["uid"], &signed_in["role"]), (&json!(uid), &json!("student")));

    // The link survives a changed address at the provider; this token is signed by another kind of key.
    provider.sign_by(Sign::Ec);
    let again = app.visitor();
    let said = json!({ "sub": "sub-1", "email": "new@elsewhere.org" });
    assert_eq!(end(&sign_in(&again, &provider, said).await), "done");
    assert_eq!(user(&again).await["uid"], json!(uid));
    assert_eq!(provider.was_asked(), (1, 1), "what the provider says of itself is kept");
    let librarian = app.admin(0).await;
    let changes = librarian.get(&format!("/changes?person={uid}")).await.expect(200)["changes"].clone();
    let actions: Vec<_> =
        changes.as_array().expect("a list").iter().map(|change| change["action"].clone()).collect();
    assert_eq!(actions, ["signed-in", "signed-in", "provider-linked"]);
}

async fn a_return_counts_once_in_its_own_browser_and_for_ten_minutes(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    app.student(1).await;
    let (browser, stranger) = (app.visitor(), app.visitor());
    let address = begin(&browser, json!({})).await;
    let query = provider.approve(&address, claims(1));
    // A thief of the address uses another browser, whether it has begun a sign-in or not.
    assert_eq!(end(&come_back(&stranger, &query).await), "forgotten");
    begin(&stranger, json!({})).await;
    assert_eq!(end(&come_back(&stranger, &query).await), "forgotten");
    let copy = browser.copy();
    assert_eq!(end(&come_back(&browser, &query).await), "done");
    // Replays, also with the cookie that the answer deleted.
    for replayed in [&browser, &copy] {
        assert_eq!(end(&come_back(replayed, &query).await), "forgotten");
    }
    assert_eq!(provider.tokens().len(), 1, "nobody else got as far as the provider");
    // The own state with another user's code is refused: the code is bound to another PKCE verifier.
    let theirs = provider.approve(&begin(&browser, json!({})).await, claims(1));
    let own = provider.approve(&begin(&stranger, json!({})).await, claims(2));
    let parameter = |query: &str, name: &str| {
        let found = query.split('&').find(|pair| pair.starts_with(name)).expect("a parameter");
        found.to_owned()
    };
    let mixed = format!("{}&{}", parameter(&theirs, "code="), parameter(&own, "state="));
    assert_eq!(end(&come_back(&stranger, &mixed).await), "refused");
    assert_eq!(user(&stranger).await, Value::Null);
    // Other parameters that a return may lack or contain.
    for (query, wanted) in [
        ("", "forgotten"),
        ("code=c&state=guess", "forgotten"),
        ("error=access_denied", "forgotten"),
        ("STATE&error=access_denied", "cancelled"),
        ("STATE&error=server_error", "refused"),
        ("STATE", "refused"),
        ("STATE&code=guess", "refused"),
        ("STATE&code=guess&iss=https%3A%2F%2Fother.example", "refused"),
    ] {
        let own = provider.approve(&begin(&browser, json!({})).await, claims(1));
        let query = query.replace("STATE", &parameter(&own, "state="));
        assert_eq!(end(&come_back(&browser, &query).await), wanted, "{query}");
    }
    let late = provider.approve(&begin(&browser, json!({})).await, claims(1));
    app.set_clock("2026-11-21T06:10:00Z");
    provider.set_clock(NOW + 600);
    assert_eq!(end(&come_back(&browser, &late).await), "forgotten");
    begin(&browser, json!({})).await;
    assert_eq!(
        app.raw("SELECT COUNT(*) FROM oidc_flows")[0][0].as_deref(),
        Some("1"),
        "old ones are cleared"
    );
}

async fn who_somebody_is_rests_on_what_the_provider_vouches_for(database: Database) {
    let provider = Provider::start(NOW).await;
    let change = |options: &mut Options| options.roll_number_claim = Some("student_number".into());
    let app = library_with(database, &provider, change).await;
    let mut uids = Vec::new();
    for n in 1..=4 {
        uids.push(app.student(n).await.uid);
    }
    let email =
        |email: &str, verified: Value| json!({ "sub": "s", "email": email, "email_verified": verified });
    let address = "student1@college.edu";
    for said in [
        email(address, json!("true")),
        email(address, json!(1)),
        email(address, json!(false)),
        email(address, Value::Null),
        email("student1@evil.example", json!(true)),
        email("student1@college.edu.evil.example", json!(true)),
        email("student1@sub.college.edu", json!(true)),
        email("student1@college.edu@evil.example", json!(true)),
        email("nobody@college.edu", json!(true)),
        email("student1\u{0}@college.edu", json!(true)),
        json!({ "sub": "s" }),
        json!({ "sub": "s", "student_number": "nobody" }),
        json!({ "sub": "s", "student_number": 25 }),
        json!({ "sub": "s", "student_number": "cs25-001\u{0}" }),
        json!({ "sub": "s", "roll_number": "cs25-001" }),
    ] {
        let browser = app.visitor();
        assert_eq!(end(&sign_in(&browser, &provider, said.clone()).await), "no-account", "{said}");
        assert_eq!(user(&browser).await, Value::Null);
    }
    // The roll number is tried before the address.
    let browser = app.visitor();
    let mut both = claims(1);
    both["student_number"] = json!("CS25-002");
    assert_eq!(end(&sign_in(&browser, &provider, both).await), "done");
    assert_eq!(user(&browser).await["uid"], json!(uids[1]));
    // An address that the college reassigned does not open the old account.
    let mut heir = claims(2);
    heir["sub"] = json!("another person");
    assert_eq!(end(&sign_in(&app.visitor(), &provider, heir).await), "another");
    // R-PEOPLE-6, R-LOGIN-5
    let librarian = app.admin(0).await;
    for n in [2, 3] {
        let path = format!("/people/{}/deactivate", uids[n - 1]);
        librarian.post(&path, &json!({})).await.expect(200);
    }
    let linked = json!({ "sub": "sub-1" });
    for said in [linked, claims(3)] {
        let browser = app.visitor();
        assert_eq!(end(&sign_in(&browser, &provider, said).await), "closed");
        assert_eq!(user(&browser).await, Value::Null);
    }
    app.raw("UPDATE users SET role = 'owner' WHERE email = 'student4@college.edu'");
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(4)).await), "closed");
}

async fn a_librarians_account_is_linked_once_its_password_was_asked(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    let (_, password) = registered(&app, "meera", Role::Admin).await;
    let meera = json!({ "sub": "m", "email": "meera@college.edu", "email_verified": true });
    let (browser, stranger) = (app.visitor(), app.visitor());
    let right = json!({ "password": password });
    browser.post("/auth/oidc/link", &right).await.problem(401, "provider-forgotten");
    assert_eq!(end(&sign_in(&browser, &provider, meera.clone()).await), "password");
    assert_eq!(user(&browser).await, Value::Null);
    // Only in the browser that came from the provider, and only with the password.
    stranger.post("/auth/oidc/link", &right).await.problem(401, "provider-forgotten");
    let wrong = browser.post("/auth/oidc/link", &json!({ "password": "not the one" })).await;
    assert_eq!(wrong.wrong_fields(), ["password"]);
    let copy = browser.copy();
    assert_eq!(browser.post("/auth/oidc/link", &right).await.expect(200)["email"], "meera@college.edu");
    assert_eq!(user(&browser).await["role"], "admin");
    copy.post("/auth/oidc/link", &right).await.problem(401, "provider-forgotten");
    let again = app.visitor();
    assert_eq!(end(&sign_in(&again, &provider, meera).await), "done");
    assert_eq!(user(&again).await["role"], "admin");

    // A linked student who becomes a librarian is asked too.
    let (_, password) = registered(&app, "asha", Role::Student).await;
    let asha = json!({ "sub": "a", "email": "asha@college.edu", "email_verified": true });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, asha.clone()).await), "done");
    app.raw("UPDATE users SET role = 'admin' WHERE email = 'asha@college.edu'");
    assert_eq!(end(&sign_in(&browser, &provider, asha.clone()).await), "password");
    browser.post("/auth/oidc/link", &json!({ "password": password })).await.expect(200);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, asha.clone()).await), "done");
    // For ten minutes at most.
    app.raw("DELETE FROM oidc_links");
    assert_eq!(end(&sign_in(&browser, &provider, asha).await), "password");
    app.set_clock("2026-11-21T06:10:00Z");
    let late = json!({ "password": password });
    browser.post("/auth/oidc/link", &late).await.problem(401, "provider-forgotten");
}

async fn whoever_has_a_second_factor_is_asked_for_it_on_this_way_too(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    let (secret, _) = set_up(&meera(&app).await).await;
    let claims = json!({ "sub": "m", "email": EMAIL, "email_verified": true });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, claims.clone()).await), "password");
    let link = json!({ "password": PASSWORD });
    browser.post("/auth/oidc/link", &link).await.problem(401, "second-factor-needed");
    assert_eq!(user(&browser).await, Value::Null);
    browser.post("/auth/sign-in/code", &next_code(&app, &secret)).await.expect(200);
    assert_eq!(user(&browser).await["email"], EMAIL);

    let again = app.visitor();
    assert_eq!(end(&sign_in(&again, &provider, claims).await), "code");
    assert_eq!(user(&again).await, Value::Null);
    again.post("/auth/sign-in/code", &next_code(&app, &secret)).await.expect(200);
    assert_eq!(user(&again).await["email"], EMAIL);

    // A passkey alone is a second factor too.
    let (_, password) = registered(&app, "asha", Role::Student).await;
    let asha = app.visitor();
    let form = json!({ "email": "asha@college.edu", "password": password });
    asha.post("/auth/sign-in", &form).await.expect(200);
    let mut device = Device::at(&format!("http://{HOST}"), 1);
    let asked = asha.post("/auth/passkeys", &json!({ "currentPassword": password })).await.expect(200);
    asha.post("/auth/passkeys/confirm", &device.make(&asked)).await.expect(200);
    let claims = json!({ "sub": "a", "email": "asha@college.edu", "email_verified": true });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, claims).await), "code");
    assert_eq!(user(&browser).await, Value::Null);
    let second = json!({ "secondStep": true });
    let asked = browser.post("/auth/sign-in/passkey/begin", &second).await.expect(200);
    browser.post("/auth/sign-in/passkey", &with(&device.sign(&asked), second)).await.expect(200);
    assert_eq!(user(&browser).await["email"], "asha@college.edu");
}

/// Registers an account with a password.
async fn registers<'a>(app: &'a TestApp, email: &str, roll_number: &str) -> Person<'a> {
    let form = json!({
        "name": "Stranger", "email": email, "password": "the stranger's words", "rollNumber": roll_number,
        "department": "Physics", "batch": "2027",
    });
    app.visitor().post("/auth/register", &form).await.expect(201);
    let person = app.visitor();
    let form = json!({ "email": email, "password": "the stranger's words" });
    person.post("/auth/sign-in", &form).await.expect(200);
    person
}

fn links(app: &TestApp) -> usize {
    app.raw("SELECT subject FROM oidc_links").len()
}

/// Adds a person as a librarian; returns the id.
async fn adds(librarian: &Person<'_>, form: Value) -> Value {
    librarian.post("/people", &form).await.expect(201)["uid"].clone()
}

/// Redeems a librarian's sign-in code for this person.
async fn redeems<'a>(librarian: &Person<'a>, uid: &Value, form: Value) -> Person<'a> {
    let code = librarian.ask(&format!("/people/{uid}/sign-in-code")).await.expect(200)["code"].clone();
    let person = librarian.app.visitor();
    let form = with(&form, json!({ "code": code, "password": "the owner's words" }));
    person.post("/auth/redeem", &form).await.expect(200);
    person
}

async fn whoever_registered_first_with_somebodys_address_does_not_get_their_account_r_seam_8(
    database: Database,
) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    registers(&app, "victim@college.edu", "stranger-1").await;
    let victim = json!({ "sub": "v", "email": "victim@college.edu", "email_verified": true });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, victim.clone()).await), "password");
    assert_eq!((user(&browser).await, links(&app)), (Value::Null, 0));
    let guess = browser.post("/auth/oidc/link", &json!({ "password": "the owner's words" })).await;
    assert_eq!(guess.wrong_fields(), ["password"]);
    assert_eq!(links(&app), 0);
    // A self-registered owner knows the password and enters it once.
    let own = json!({ "password": "the stranger's words" });
    browser.post("/auth/oidc/link", &own).await.expect(200);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, victim).await), "done");

    // What the library recorded needs no proof, with a password or without.
    let librarian = app.admin(0).await;
    for (n, chooses) in [(1, false), (2, true)] {
        let email = format!("known{n}@college.edu");
        let form = json!({ "name": "Known", "email": email, "rollNumber": format!("known-{n}") });
        let uid = adds(&librarian, form).await;
        if chooses {
            redeems(&librarian, &uid, json!({ "email": email })).await;
        }
        let known = json!({ "sub": format!("known {n}"), "email": email, "email_verified": true });
        assert_eq!(end(&sign_in(&app.visitor(), &provider, known).await), "done");
    }
}

async fn whoever_took_somebodys_roll_number_does_not_get_their_account_r_seam_8(database: Database) {
    let provider = Provider::start(NOW).await;
    let change = |options: &mut Options| options.roll_number_claim = Some("student_number".into());
    let app = library_with(database, &provider, change).await;
    let librarian = app.admin(0).await;
    // At registration, under an address of the thief's.
    registers(&app, "thief1@college.edu", "victim-1").await;
    // In the profile of an account that the library created.
    let form = json!({ "name": "Thief", "email": "thief2@college.edu", "rollNumber": "thief-2" });
    let uid = adds(&librarian, form).await;
    let thief = redeems(&librarian, &uid, json!({ "rollNumber": "thief-2" })).await;
    let edit = json!({ "name": "Thief", "rollNumber": "victim-2", "department": "d" });
    thief.patch("/me", &edit).await.expect(200);
    for n in 1..=2 {
        let victim = json!({ "sub": format!("v{n}"), "student_number": format!("VICTIM-{n}") });
        let browser = app.visitor();
        assert_eq!(end(&sign_in(&browser, &provider, victim).await), "password", "{n}");
        assert_eq!((user(&browser).await, links(&app)), (Value::Null, 0), "{n}");
    }
    // An edit that keeps the number claims nothing.
    let form = json!({ "name": "Asha", "email": "asha@college.edu", "rollNumber": "asha-1" });
    let uid = adds(&librarian, form).await;
    let asha = redeems(&librarian, &uid, json!({ "rollNumber": "asha-1" })).await;
    let edit = json!({ "name": "Asha Rao", "rollNumber": "ASHA-1", "department": "d" });
    asha.patch("/me", &edit).await.expect(200);
    let said = json!({ "sub": "a", "student_number": "asha-1" });
    assert_eq!(end(&sign_in(&app.visitor(), &provider, said.clone()).await), "done");
    // A link survives a change of the roll number.
    let edit = json!({ "name": "Asha Rao", "rollNumber": "asha-2", "department": "d" });
    asha.patch("/me", &edit).await.expect(200);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, said).await), "done");
}

async fn an_address_chosen_with_a_code_and_one_that_was_merged_are_proved_first_r_seam_8(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    let librarian = app.admin(0).await;
    let victim = |n: u8| json!({ "sub": format!("v{n}"), "email": format!("victim{n}@college.edu"), "email_verified": true });
    let uid = adds(&librarian, json!({ "name": "Thief", "rollNumber": "thief-1" })).await;
    redeems(&librarian, &uid, json!({ "rollNumber": "thief-1", "email": "victim1@college.edu" })).await;
    assert_eq!(end(&sign_in(&app.visitor(), &provider, victim(1)).await), "password");

    // The kept record takes over the address, the password or both of a self-registered one.
    registers(&app, "victim2@college.edu", "thief-2").await;
    let list = librarian.get("/people?rollNumber=thief-2").await.expect(200);
    let keep = adds(&librarian, json!({ "name": "Thief", "rollNumber": "thief-3" })).await;
    let both = json!({ "keep": keep, "drop": list["people"][0]["uid"] });
    let merged = librarian.post("/people/merge", &both).await.expect(200);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, victim(2)).await), "password");
    librarian.ask(&format!("/changes/{}/undo", merged["change"])).await.expect(200);
    let claimed = app.raw("SELECT roll_number FROM users WHERE claimed ORDER BY roll_number");
    assert_eq!(claimed, [[Some("thief-1".to_owned())], [Some("thief-2".to_owned())]]);
    assert_eq!(links(&app), 0);
}

async fn the_owner_of_a_claimed_account_gets_in_by_a_code_of_the_librarian_r_seam_8(database: Database) {
    let provider = Provider::start(NOW).await;
    let change = |options: &mut Options| options.roll_number_claim = Some("student_number".into());
    let app = library_with(database, &provider, change).await;
    let librarian = app.admin(0).await;
    let stranger = registers(&app, "victim@college.edu", "stranger-1").await;
    // The stranger has linked the account with their own identity.
    let theirs = json!({ "sub": "stranger", "student_number": "stranger-1" });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, theirs.clone()).await), "password");
    browser.post("/auth/oidc/link", &json!({ "password": "the stranger's words" })).await.expect(200);

    let uid = user(&browser).await["uid"].clone();
    redeems(&librarian, &uid, json!({ "email": "victim@college.edu" })).await;
    for ended in [&stranger, &browser] {
        ended.get("/me").await.problem(401, "not-signed-in");
    }
    let form = json!({ "email": "victim@college.edu", "password": "the stranger's words" });
    app.visitor().post("/auth/sign-in", &form).await.problem(401, "invalid-credentials");
    assert_eq!(end(&sign_in(&app.visitor(), &provider, theirs).await), "password");
    // From now on the owner's password is required once, which the owner chose.
    let victim = json!({ "sub": "v", "email": "victim@college.edu", "email_verified": true });
    let browser = app.visitor();
    assert_eq!(end(&sign_in(&browser, &provider, victim.clone()).await), "password");
    browser.post("/auth/oidc/link", &json!({ "password": "the owner's words" })).await.expect(200);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, victim).await), "done");
    let changes = librarian.get(&format!("/changes?person={uid}&action=provider-unlinked")).await.expect(200);
    assert_eq!(changes["changes"].as_array().map(Vec::len), Some(1));
}

async fn somebody_sees_the_link_and_ends_it(database: Database) {
    let provider = Provider::start(NOW).await;
    let app = library(database, &provider).await;
    let (here, uid) = (app.visitor(), app.student(1).await.uid);
    let other = app.student(2).await;
    assert_eq!(end(&sign_in(&here, &provider, claims(1)).await), "done");
    let linked = json!({ "label": "College account", "linkedAt": "2026-11-21T06:00:00Z" });
    assert_eq!(here.get("/me/oidc").await.expect(200), linked);
    assert_eq!(other.get("/me/oidc").await.expect(200)["linkedAt"], Value::Null);
    other.delete("/me/oidc").await.expect(204);
    assert_eq!(here.get("/me/oidc").await.expect(200), linked);
    here.delete("/me/oidc").await.expect(204);
    assert_eq!(here.get("/me/oidc").await.expect(200)["linkedAt"], Value::Null);
    assert_eq!(user(&here).await["uid"], json!(uid), "sessions go on");
    let librarian = app.admin(0).await;
    let path = format!("/changes?person={uid}&action=provider-unlinked");
    assert_eq!(librarian.get(&path).await.expect(200)["changes"].as_array().map(Vec::len), Some(1));
    // An erased person's record does not reveal their identity at the provider.
    assert_eq!(end(&sign_in(&here, &provider, claims(1)).await), "done");
    librarian.delete(&format!("/people/{uid}")).await.expect(204);
    assert!(app.raw("SELECT * FROM oidc_links").is_empty());
}

/// RFC 8725; OpenID Connect Core 1.0, 3.1.3.7.
#[tokio::test]
async fn a_token_that_is_not_what_it_should_be_lets_nobody_in() {
    let provider = Provider::start(NOW).await;
    let app = library(Database::ready_sqlite(), &provider).await;
    app.student(1).await;
    let set = |name: &'static str, value: Value| -> Option<Tamper> {
        Some(Arc::new(move |_: &mut Value, claims: &mut Value| claims[name] = value.clone()))
    };
    let drop = |name: &'static str| -> Option<Tamper> {
        Some(Arc::new(move |_: &mut Value, claims: &mut Value| {
            claims.as_object_mut().expect("an object").remove(name);
        }))
    };
    let head = |name: &'static str, value: Value| -> Option<Tamper> {
        Some(Arc::new(move |head: &mut Value, _: &mut Value| head[name] = value.clone()))
    };
    let url = provider.url().to_owned();
    let hostile: Vec<(&str, Sign, Option<Tamper>)> = vec![
        ("no signature", Sign::Nothing, None),
        ("no signature, but said to be RS256", Sign::Nothing, head("alg", json!("RS256"))),
        ("the public key as a secret", Sign::PublicKey, None),
        ("a stranger's key", Sign::Stranger, None),
        ("another algorithm of the right key", Sign::Rsa, head("alg", json!("RS512"))),
        ("an algorithm of another kind of key", Sign::Rsa, head("alg", json!("ES256"))),
        ("an algorithm in small letters", Sign::Rsa, head("alg", json!("rs256"))),
        ("another key's name", Sign::Ec, head("kid", json!("rsa"))),
        ("an unknown key", Sign::Rsa, head("kid", json!("unknown"))),
        ("an extension that must be understood", Sign::Rsa, head("crit", json!(["b64"]))),
        ("another issuer", Sign::Rsa, set("iss", json!("https://evil.example"))),
        ("nearly the issuer", Sign::Rsa, set("iss", json!(format!("{url}/")))),
        ("no issuer", Sign::Rsa, drop("iss")),
        ("another client", Sign::Rsa, set("aud", json!("another"))),
        ("other clients too, and for whom it was made unsaid", Sign::Rsa, set("aud", json!([CLIENT, "b"]))),
        ("made for another client", Sign::Rsa, set("azp", json!("another"))),
        ("no audience", Sign::Rsa, drop("aud")),
        ("another sign-in's", Sign::Rsa, set("nonce", json!("another"))),
        ("no sign-in's", Sign::Rsa, drop("nonce")),
        ("expired", Sign::Rsa, set("exp", json!(NOW - 61))),
        ("without an end", Sign::Rsa, drop("exp")),
        ("an end in words", Sign::Rsa, set("exp", json!("tomorrow"))),
        ("from the future", Sign::Rsa, set("iat", json!(NOW + 61))),
        ("not valid yet", Sign::Rsa, set("nbf", json!(NOW + 61))),
        ("of nobody", Sign::Rsa, drop("sub")),
        ("of an empty name", Sign::Rsa, set("sub", json!(""))),
    ];
    for (what, sign, tamper) in hostile {
        provider.sign_by(sign);
        provider.tamper(tamper);
        let browser = app.visitor();
        assert_eq!(end(&sign_in(&browser, &provider, claims(1)).await), "refused", "{what}");
        assert_eq!(user(&browser).await, Value::Null, "{what}");
    }
    provider.sign_by(Sign::Rsa);
    provider.tamper(None);
    let rewrites: [Rewrite; 4] = [
        // Claims changed after signing.
        |token| token.replacen(".ey", ".eyA", 1),
        |token| format!("{token}.more"),
        |token| token.rsplit_once('.').expect("a signature").0.to_owned(),
        |token| format!("{token}="),
    ];
    for rewrite in rewrites {
        provider.rewrite(Some(rewrite));
        assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "refused");
    }
    provider.rewrite(None);
    assert!(app.raw("SELECT * FROM oidc_links").is_empty());
    // The same person with a sound token; further audiences are allowed if the authorised party is named.
    provider.tamper(Some(Arc::new(|_, claims| {
        claims["aud"] = json!(["another", CLIENT]);
        claims["azp"] = json!(CLIENT);
        claims["exp"] = json!(NOW - 59);
    })));
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "done");
}

#[tokio::test]
async fn a_key_that_the_provider_exchanged_is_asked_for_once() {
    let provider = Provider::start(NOW).await;
    let app = library(Database::ready_sqlite(), &provider).await;
    app.student(1).await;
    provider.sign_by(Sign::Ec);
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "done");
    provider.exchange_keys();
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "done");
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "done");
    assert_eq!(provider.was_asked(), (1, 2));
    provider.tamper(Some(Arc::new(|head, _| head["kid"] = json!("unknown"))));
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "refused");
    assert_eq!(provider.was_asked(), (1, 3), "once more, not again and again");
}

/// A6: while the provider is down, sign-in with a password works, and sign-in with the provider fails soon.
#[tokio::test]
async fn a_provider_that_does_not_answer_is_said_so_and_passwords_go_on() {
    for answers in [
        Answers::Never,
        Answers::Endlessly,
        Answers::With500,
        Answers::WithHtml,
        Answers::AnotherIssuer,
        Answers::Redirect,
    ] {
        let provider = Provider::start(NOW).await;
        provider.answers(answers);
        let app =
            library_with(Database::ready_sqlite(), &provider, |options| options.patience = PATIENCE).await;
        let begun = Instant::now();
        let told = app.visitor().post("/auth/oidc", &json!({})).await;
        let took = begun.elapsed();
        let words = told.problem(503, "provider-unavailable");
        assert!(words.contains("email and password"), "{words}");
        // Three seconds, and what a machine under load needs on top.
        assert!(took < Duration::from_secs(25), "{answers:?}: {took:?}");
        // The next caller does not wait for it again.
        app.visitor().post("/auth/oidc", &json!({})).await.problem(503, "provider-unavailable");
        assert_eq!(provider.was_asked(), (1, 0), "{answers:?}");
        if answers == Answers::With500 {
            let (new, password) = registered(&app, "asha", Role::Student).await;
            let form = json!({ "email": new.email, "password": password });
            app.visitor().post("/auth/sign-in", &form).await.expect(200);
        }
    }
}

#[tokio::test]
async fn a_provider_that_fails_while_somebody_is_there_is_said_so_too() {
    let provider = Provider::start(NOW).await;
    let app = library_with(Database::ready_sqlite(), &provider, |options| options.patience = PATIENCE).await;
    app.student(1).await;
    for answers in
        [Answers::Never, Answers::Endlessly, Answers::With500, Answers::WithHtml, Answers::Redirect]
    {
        let browser = app.visitor();
        let address = begin(&browser, json!({ "next": "/home" })).await;
        let query = provider.approve(&address, claims(1));
        provider.answers(answers);
        assert_eq!(end(&come_back(&browser, &query).await), "unavailable&next=%2Fhome", "{answers:?}");
        provider.answers(Answers::Well);
    }
    assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), "done");
}

/// The server calls only hosts that the operator named (decision 126).
#[tokio::test]
async fn a_host_that_the_operator_did_not_name_is_not_called() {
    let provider = Provider::start(NOW).await;
    provider.answers(Answers::OtherHost);
    for (hosts, wanted) in [(vec![], "unavailable"), (vec!["localhost".to_owned()], "done")] {
        let app = library_with(Database::ready_sqlite(), &provider, |options| options.hosts = hosts).await;
        app.student(1).await;
        assert_eq!(end(&sign_in(&app.visitor(), &provider, claims(1)).await), wanted);
    }
}

/// OWASP ASVS 5.0, 12.3.2: a certificate of another name, expired, or from an untrusted root is refused.
#[tokio::test]
async fn a_provider_is_called_over_tls_and_only_one_whom_the_operators_roots_vouch_for() {
    let folder = folder();
    let here = Certificate::of(&["localhost"]);
    let elsewhere = Certificate::of(&["provider.example"]);
    let expired = Certificate::valid(&["localhost"], 2020, 2021);
    let cases = [
        (&here, &here, true),
        (&here, &elsewhere, false),
        (&elsewhere, &elsewhere, false),
        (&expired, &expired, false),
    ];
    for (shown, trusted, believed) in cases {
        let provider = Provider::start_encrypted(NOW, shown).await;
        let roots = folder.path().join("roots.pem");
        std::fs::write(&roots, &trusted.pem).expect("written");
        let known = Arc::new(Known::new(options(provider.url()), &roots).expect("a provider"));
        let app = TestApp::with(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |settings| {
            settings.provider = Some(known);
        })
        .await;
        app.student(1).await;
        let browser = app.visitor();
        if believed {
            assert_eq!(end(&sign_in(&browser, &provider, claims(1)).await), "done");
        } else {
            browser.post("/auth/oidc", &json!({})).await.problem(503, "provider-unavailable");
            assert_eq!(provider.was_asked(), (0, 0), "nothing was sent");
        }
    }
}

/// A return without a sign-in begun here only reads: forged returns neither wait for writes nor delay them.
#[tokio::test]
async fn a_return_that_nobody_began_writes_nothing() {
    let provider = Provider::start(NOW).await;
    let app = library(Database::ready_sqlite(), &provider).await;
    let browser = app.visitor();
    begin(&browser, json!({})).await;
    let Location::Sqlite(path) = &app.database.location else { unreachable!("it is on SQLite") };
    let other = Connection::open(path).expect("it opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody writes");
    assert_eq!(end(&come_back(&browser, "code=c&state=guess").await), "forgotten");
}

#[tokio::test]
async fn sign_ins_by_the_provider_are_begun_so_many_times_at_most() {
    let provider = Provider::start(NOW).await;
    let app = library(Database::ready_sqlite(), &provider).await;
    let (known, stranger) = (app.visitor(), app.visitor());
    app.student(1).await;
    assert_eq!(end(&sign_in(&known, &provider, claims(1)).await), "done");
    known.ask("/auth/sign-out").await.expect(204);
    let limits = &app.state.limits;
    let network = "127.0.0.1".parse::<std::net::IpAddr>().expect("an address").into();
    for limit in [&limits.provider_sign_ins, &limits.passkey_sign_ins] {
        while limit.take(&network).is_ok() {}
    }
    for path in ["/auth/oidc", "/auth/sign-in/passkey/begin"] {
        stranger.post(path, &json!({})).await.problem(429, "too-many-requests");
        // X6: one laptop kept the browsers of a whole campus from these ways.
        known.post(path, &json!({})).await.expect(200);
    }
    // A browser that signed in before has a limit of its own.
    let statuses: Vec<u16> = futures_util::future::join_all(
        (0..30).map(|_| async { known.post("/auth/oidc", &json!({})).await.status }),
    )
    .await;
    // Two were begun above; the network's own limit gives two more a second meanwhile.
    let begun = statuses.iter().filter(|status| **status == 200).count();
    assert!((18..24).contains(&begun), "{statuses:?}");
}
