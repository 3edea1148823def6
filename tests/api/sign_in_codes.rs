//! Sign-in codes end when their person's account or their librarian's rights change (R-SEAM-8).

use axum::body::Body;
use library::domain::account::{Capability, Role};
use serde_json::{Value, json};

use crate::{
    app::{Answer, HOST, Person, TestApp},
    authority::{PASSWORD, account, give, undo_path},
    common::Database,
    device::Device,
    second_factor::set_up,
};

on_both_databases!(
    a_code_ends_with_whatever_it_stood_on_r_seam_8,
    a_code_is_worth_what_its_librarian_may_do_r_seam_8,
    a_librarian_with_people_alone_does_not_become_a_full_one_by_an_earlier_code_r_seam_8,
);

async fn code_for(librarian: &Person<'_>, person: &Person<'_>) -> Value {
    librarian.ask(&format!("/people/{}/sign-in-code", person.uid)).await.expect(200)["code"].clone()
}

async fn redeem(app: &TestApp, roll_number: &str, code: &Value) -> Answer {
    let form = json!({ "rollNumber": roll_number, "code": code, "password": "four other words" });
    app.visitor().post("/auth/redeem", &form).await
}

/// Event between the creation of a code and its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    AnotherDepartment,
    LibrarianMade,
    LibrarianMadeAndUnmade,
    OtherCapabilities,
    OwnPassword,
    OtherAddress,
    OtherAddressAndBack,
    OtherAddressByFile,
    OtherNumber,
    OwnAuthenticator,
    OwnPasskey,
    SecondFactorReset,
    DeactivatedAndActivated,
    DeactivatedAndUndone,
    LeftAndUndone,
    MergedAndUndone,
}

const ALL: [Between; 17] = [
    Between::Nothing,
    Between::AnotherDepartment,
    Between::LibrarianMade,
    Between::LibrarianMadeAndUnmade,
    Between::OtherCapabilities,
    Between::OwnPassword,
    Between::OtherAddress,
    Between::OtherAddressAndBack,
    Between::OtherAddressByFile,
    Between::OtherNumber,
    Between::OwnAuthenticator,
    Between::OwnPasskey,
    Between::SecondFactorReset,
    Between::DeactivatedAndActivated,
    Between::DeactivatedAndUndone,
    Between::LeftAndUndone,
    Between::MergedAndUndone,
];

async fn add_passkey(person: &Person<'_>) {
    let mut device = Device::at(&format!("http://{HOST}"), 1);
    let asked = person.post("/auth/passkeys", &json!({ "currentPassword": PASSWORD })).await.expect(200);
    person.post("/auth/passkeys/confirm", &device.make(&asked)).await.expect(200);
}

async fn happens(
    founder: &Person<'_>,
    between: Between,
    (person, roll_number, batch): (&Person<'_>, &str, &str),
) {
    let uid = person.uid;
    let path = |rest: &str| format!("/people/{uid}{rest}");
    let role = async |form: Value| {
        let form = crate::app::with(&form, json!({ "password": PASSWORD }));
        founder.post(&path("/role"), &form).await.expect(200);
    };
    let edit = async |edit: Value| {
        founder.patch(&path(""), &edit).await.expect(200);
    };
    let address = json!({ "email": format!("moved-{uid}@college.edu") });
    match between {
        Between::Nothing => {}
        Between::AnotherDepartment => edit(json!({ "department": "Chemistry" })).await,
        Between::LibrarianMade => role(json!({ "role": "admin" })).await,
        Between::LibrarianMadeAndUnmade => {
            role(json!({ "role": "admin" })).await;
            role(json!({ "role": "student" })).await;
        }
        Between::OtherCapabilities => {
            role(json!({ "role": "admin", "capabilities": ["desk", "money"] })).await;
        }
        Between::OwnPassword => {
            let form = json!({ "currentPassword": PASSWORD, "newPassword": "four new words" });
            person.post("/auth/password", &form).await.expect(204);
        }
        Between::OtherAddress => edit(address).await,
        Between::OtherAddressAndBack => {
            let before = founder.get(&path("")).await.expect(200)["email"].clone();
            edit(address).await;
            edit(json!({ "email": before })).await;
        }
        Between::OtherAddressByFile => {
            let mut request = founder.request("POST", "/people/import", None);
            *request.body_mut() =
                Body::from(format!("rollNumber,email\n{roll_number},moved-{uid}@college.edu\n"));
            assert_eq!(founder.send(request).await.expect(200)["totals"]["changed"], 1);
        }
        Between::OtherNumber => {
            edit(json!({ "rollNumber": format!("moved-{uid}") })).await;
            edit(json!({ "rollNumber": roll_number })).await;
        }
        Between::OwnAuthenticator => drop(set_up(person).await),
        Between::OwnPasskey => add_passkey(person).await,
        Between::SecondFactorReset => {
            founder.delete(&path("/second-factor")).await.expect(204);
        }
        Between::DeactivatedAndActivated | Between::DeactivatedAndUndone => {
            founder.ask(&path("/deactivate")).await.expect(200);
            let undo = undo_path(founder, &format!("person={uid}&action=person-deactivated")).await;
            let back = if between == Between::DeactivatedAndUndone { undo } else { path("/activate") };
            founder.ask(&back).await.expect(200);
        }
        Between::LeftAndUndone => {
            let leave = json!({ "fromBatch": batch, "deactivate": true });
            let left = founder.post("/people/promote", &leave).await.expect(200);
            founder.ask(&format!("/changes/{}/undo", left["change"])).await.expect(200);
        }
        Between::MergedAndUndone => {
            let keep = account(founder.app, Role::Student, "!").await.0.uid;
            let merge = json!({ "keep": keep, "drop": uid });
            let merged = founder.post("/people/merge", &merge).await.expect(200);
            founder.ask(&format!("/changes/{}/undo", merged["change"])).await.expect(200);
        }
    }
}

async fn a_code_ends_with_whatever_it_stood_on_r_seam_8(database: Database) {
    let app = TestApp::on(database).await;
    let hash = app.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let founder = account(&app, Role::Admin, &hash).await.0;
    let mut wrong = Vec::new();
    for between in ALL {
        let (person, roll_number, batch) = account(&app, Role::Student, &hash).await;
        match between {
            Between::OtherCapabilities => give(&app, &person, &[Capability::Desk], true),
            Between::SecondFactorReset => drop(set_up(&person).await),
            _ => {}
        }
        let code = code_for(&founder, &person).await;
        happens(&founder, between, (&person, &roll_number, &batch)).await;
        let answer = redeem(&app, &roll_number, &code).await;
        let stands = matches!(between, Between::Nothing | Between::AnotherDepartment);
        let ended = answer.status == 401 && answer.json()["code"] == "invalid-code";
        if (stands && answer.status != 200) || (!stands && !ended) {
            wrong.push(format!("{between:?}: {} {}", answer.status, answer.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Events of the librarian who made the code.
async fn a_code_is_worth_what_its_librarian_may_do_r_seam_8(database: Database) {
    let app = TestApp::on(database).await;
    let hash = app.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let founder = account(&app, Role::Admin, &hash).await.0;
    let ways: [(&str, &str, Value); 5] = [
        ("POST", "/deactivate", json!({})),
        ("DELETE", "", Value::Null),
        ("POST", "/role", json!({ "role": "student", "password": PASSWORD })),
        ("POST", "/role", json!({ "role": "admin", "capabilities": ["desk"], "password": PASSWORD })),
        // Loses capabilities that do not concern the person.
        ("POST", "/role", json!({ "role": "admin", "capabilities": ["people"], "password": PASSWORD })),
    ];
    for (method, path, body) in ways {
        let maker = account(&app, Role::Admin, "!").await.0;
        give(&app, &maker, &[Capability::Desk, Capability::People], true);
        let (person, roll_number, _) = account(&app, Role::Student, "!").await;
        let code = code_for(&maker, &person).await;
        let path = format!("/people/{}{path}", maker.uid);
        let body = (!body.is_null()).then_some(body);
        let done = founder.send(founder.request(method, &path, body.as_ref())).await;
        assert!(done.status < 300, "{}", done.text);
        let answer = redeem(&app, &roll_number, &code).await;
        if body.is_some_and(|body| body["capabilities"] == json!(["people"])) {
            answer.expect(200);
        } else {
            answer.problem(401, "invalid-code");
        }
    }
}

/// X1: a code made while the person was a student, used after they became a full librarian.
async fn a_librarian_with_people_alone_does_not_become_a_full_one_by_an_earlier_code_r_seam_8(
    database: Database,
) {
    let app = TestApp::on(database).await;
    let hash = app.state.passwords.hash(PASSWORD.to_owned()).await.expect("hashed");
    let (founder, low) = (account(&app, Role::Admin, &hash).await.0, app.admin(1).await);
    give(&app, &low, &[Capability::People], true);
    let (person, roll_number, _) = account(&app, Role::Student, "!").await;
    let code = code_for(&low, &person).await;
    let everything = json!({ "role": "admin", "password": PASSWORD });
    founder.post(&format!("/people/{}/role", person.uid), &everything).await.expect(200);
    low.ask(&format!("/people/{}/sign-in-code", person.uid)).await.problem(403, "more-capable");
    redeem(&app, &roll_number, &code).await.problem(401, "invalid-code");
    assert_eq!(
        app.raw(&format!("SELECT password_hash FROM users WHERE id = {}", person.uid)),
        [[Some("!".to_owned())]]
    );
}
