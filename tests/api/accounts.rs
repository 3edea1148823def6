//! Registration, sign-in, sign-out, sessions and profiles.

use std::{sync::Arc, time::Instant};

use axum::http::header;
use serde_json::{Value, json};

use crate::{
    app::{NOW, TestApp, with},
    common::Database,
};

fn registration() -> Value {
    json!({
        "name": " Asha Rao ",
        "email": "Asha.Rao@College.edu",
        "password": "four unrelated words",
        "rollNumber": " CS25-014 ",
        "department": "Physics",
        "batch": "2027",
    })
}

async fn sign_in(app: &TestApp, password: &str) -> crate::app::Answer {
    app.visitor()
        .post("/auth/sign-in", &json!({ "email": "asha.rao@college.edu", "password": password }))
        .await
}

#[tokio::test]
async fn anyone_registers_and_is_a_student_who_can_sign_in_r_reg_3() {
    let app = TestApp::new().await;
    let user = app.visitor().post("/auth/register", &registration()).await.expect(201);
    assert_eq!(
        user,
        json!({
            "uid": user["uid"], "email": "Asha.Rao@College.edu", "name": "Asha Rao", "role": "student",
            "rollNumber": "cs25-014", "department": "Physics", "batch": "2027", "capabilities": [], "createdAt": NOW,
        })
    );
    let asha = app.visitor();
    let signed_in = asha
        .post(
            "/auth/sign-in",
            &json!({ "email": " ASHA.RAO@college.edu", "password": "four unrelated words" }),
        )
        .await;
    assert_eq!(signed_in.expect(200), user);
    assert_eq!(
        asha.get("/auth/session").await.expect(200),
        json!({ "user": user, "idCard": true, "passkeys": true })
    );
    assert_eq!(asha.get("/me").await.expect(200), user);
}

#[tokio::test]
async fn a_request_cannot_choose_its_role_r_reg_3() {
    let app = TestApp::new().await;
    for (field, value) in [
        ("role", json!("admin")),
        ("isAdmin", json!(true)),
        ("uid", json!(1)),
        ("createdAt", json!("2020-01-01T00:00:00Z")),
    ] {
        let answer =
            app.visitor().post("/auth/register", &with(&registration(), json!({ field: value }))).await;
        assert_eq!(answer.wrong_fields(), [field]);
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM users"), [[Some("0".to_owned())]], "nobody was made");
}

#[tokio::test]
async fn every_field_is_required_and_each_wrong_one_is_named_r_reg_1() {
    let app = TestApp::new().await;
    let register =
        async |changes| app.visitor().post("/auth/register", &with(&registration(), changes)).await;
    let none = app.visitor().post("/auth/register", &json!({})).await;
    assert_eq!(none.wrong_fields(), ["name", "email", "password", "rollNumber", "department", "batch"]);
    assert_eq!(none.messages()[3], "Roll number is required.");
    for (changes, field) in [
        (json!({ "name": " \u{0} " }), "name"),
        (json!({ "name": "n".repeat(101) }), "name"),
        (json!({ "email": "not an address" }), "email"),
        (json!({ "email": format!("{}@college.edu", "e".repeat(250)) }), "email"),
        (json!({ "rollNumber": "r".repeat(33) }), "rollNumber"),
        (json!({ "department": "" }), "department"),
        (json!({ "batch": "2024" }), "batch"),
        (json!({ "batch": 2027 }), "batch"),
        (json!({ "password": "1234567" }), "password"),
        (json!({ "password": "Password" }), "password"),
        (json!({ "password": "p".repeat(129) }), "password"),
    ] {
        assert_eq!(register(changes.clone()).await.wrong_fields(), [field], "{changes}");
    }
    assert_eq!(app.raw("SELECT COUNT(*) FROM users"), [[Some("0".to_owned())]]);
}

#[tokio::test]
async fn email_and_roll_number_are_unique_without_regard_to_case_r_reg_5() {
    let app = TestApp::new().await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let same_email = with(&registration(), json!({ "email": "ASHA.rao@college.EDU", "rollNumber": "other" }));
    let refused = app.visitor().post("/auth/register", &same_email).await;
    assert!(refused.problem(409, "email-taken").contains("email"));
    assert_eq!(refused.json()["errors"][0]["field"], "email");
    let same_roll = with(&registration(), json!({ "email": "other@college.edu", "rollNumber": "cS25-014" }));
    let refused = app.visitor().post("/auth/register", &same_roll).await;
    refused.problem(409, "roll-number-taken");
    assert_eq!(refused.json()["errors"][0]["field"], "rollNumber");
}

#[tokio::test]
async fn a_password_may_be_any_characters_and_is_taken_as_typed_r_reg_5() {
    let app = TestApp::new().await;
    let password = "  पुस्तकालय \u{1F4DA}\t";
    app.visitor()
        .post("/auth/register", &with(&registration(), json!({ "password": password })))
        .await
        .expect(201);
    sign_in(&app, password).await.expect(200);
    sign_in(&app, password.trim()).await.problem(401, "invalid-credentials");
    let kept = app.raw("SELECT password_hash FROM users");
    assert!(kept[0][0].as_deref().is_some_and(|hash| hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")));
}

/// S19: an é typed as two characters was another password.
#[tokio::test]
async fn a_password_opens_from_every_keyboard_and_an_older_hash_is_renewed_r_reg_5() {
    let app = TestApp::new().await;
    let (composed, decomposed) = ("caf\u{e9} au lait", "cafe\u{301} au lait");
    let form = with(&registration(), json!({ "password": decomposed }));
    app.visitor().post("/auth/register", &form).await.expect(201);
    sign_in(&app, composed).await.expect(200);
    sign_in(&app, decomposed).await.expect(200);

    // The same password, hashed by a program with half the cost.
    let cheaper =
        "$argon2id$v=19$m=8192,t=2,p=1$iwnmMXp9zIxrVYF+Qqw1RA$4hQ+0ZlJvyLxuCc2nc8QLw8mQUXaqIkMn78gIgLJGms";
    app.raw(&format!("UPDATE users SET password_hash = '{cheaper}'"));
    sign_in(&app, "wrong words").await.problem(401, "invalid-credentials");
    assert_eq!(app.raw("SELECT password_hash FROM users")[0][0].as_deref(), Some(cheaper));
    for _ in 0..2 {
        sign_in(&app, composed).await.expect(200);
        let kept = app.raw("SELECT password_hash FROM users");
        assert!(
            kept[0][0].as_deref().is_some_and(|hash| hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"))
        );
    }
}

#[tokio::test]
async fn any_failed_sign_in_has_the_same_words_and_takes_as_long_r_login_4() {
    let app = TestApp::new().await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        for (place, email) in ["asha.rao@college.edu", "nobody@college.edu"].into_iter().enumerate() {
            let begun = Instant::now();
            let answer = app
                .visitor()
                .post("/auth/sign-in", &json!({ "email": email, "password": "wrong words" }))
                .await;
            took[place].push(begun.elapsed());
            assert_eq!(answer.problem(401, "invalid-credentials"), "Invalid email or password.");
            assert!(answer.header("set-cookie").is_none());
        }
    }
    let [known, unknown] = took.map(|mut times| {
        times.sort();
        times[2]
    });
    assert!(
        unknown * 3 > known && known * 3 > unknown,
        "{known:?} for a known address, {unknown:?} for an unknown one"
    );

    for (form, fields) in [
        (json!({}), vec!["email", "password"]),
        (json!({ "email": "a@b.c" }), vec!["password"]),
        (json!({ "email": "a@b.c", "password": "p", "role": "admin" }), vec!["role"]),
    ] {
        assert_eq!(app.visitor().post("/auth/sign-in", &form).await.wrong_fields(), fields);
    }
    let long = "x".repeat(10_000);
    sign_in(&app, &long).await.problem(401, "invalid-credentials");
}

#[tokio::test]
async fn an_account_without_a_usable_role_is_told_so_r_login_5() {
    let app = TestApp::new().await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let student = app.student(1).await;
    app.raw("UPDATE users SET role = 'principal'");
    assert_eq!(
        sign_in(&app, "four unrelated words").await.problem(403, "role-undefined"),
        "User role not defined."
    );
    sign_in(&app, "wrong words").await.problem(401, "invalid-credentials");
    for path in ["/me", "/me/loans", "/loans"] {
        assert_eq!(student.get(path).await.problem(403, "role-undefined"), "User role not defined.");
    }
    assert_eq!(
        student.get("/auth/session").await.expect(200),
        json!({ "user": null, "idCard": true, "passkeys": true })
    );
}

#[tokio::test]
async fn a_session_ends_with_the_browser_unless_it_is_kept_r_login_6() {
    let app = TestApp::new().await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let form =
        json!({ "email": "asha.rao@college.edu", "password": "four unrelated words", "remember": false });
    let browser = app.visitor();
    let set = browser.post("/auth/sign-in", &form).await;
    let cookie = set.header("set-cookie").expect("a cookie").to_owned();
    assert!(
        cookie.starts_with("library=") && cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    let kept = app.visitor();
    let set = kept.post("/auth/sign-in", &with(&form, json!({ "remember": true }))).await;
    assert!(set.header("set-cookie").is_some_and(|cookie| cookie.ends_with("; Max-Age=2592000")));

    // Only the token's hash is stored, and it expires after 30 days whatever the browser does.
    let token = cookie.split([';', '=']).nth(1).unwrap_or_default().to_owned();
    assert!(token.len() >= 43, "256 bits");
    let stored = app.raw("SELECT token_hash FROM sessions");
    assert!(stored.len() == 2 && stored.iter().flatten().flatten().all(|hash| !hash.contains(&token)));
    app.set_clock("2026-12-21T05:59:59Z");
    kept.get("/me").await.expect(200);
    app.set_clock("2026-12-21T06:00:00Z");
    kept.get("/me").await.problem(401, "not-signed-in");
    assert_eq!(
        browser.get("/auth/session").await.expect(200),
        json!({ "user": null, "idCard": true, "passkeys": true })
    );
}

#[tokio::test]
async fn signing_out_ends_the_session_on_the_server_at_once_r_login_7() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    student.get("/me").await.expect(200);
    let stolen = student.copy();
    let elsewhere = app.student(1).await;
    let out = student.ask("/auth/sign-out").await;
    out.expect(204);
    let cleared = out.header("set-cookie").unwrap_or_default();
    assert!(cleared.starts_with("library=;") && cleared.contains("Max-Age=0"), "{cleared}");
    assert_eq!(out.header("clear-site-data"), Some("\"cache\""));
    assert!(student.cookie().is_none());
    stolen.get("/me").await.problem(401, "not-signed-in");
    elsewhere.get("/me").await.expect(200);
    student.ask("/auth/sign-out").await.expect(204);
}

#[tokio::test]
async fn a_token_is_dead_after_sign_out_even_while_it_is_used_r_login_7() {
    let app = TestApp::new().await;
    for round in 0..30 {
        let student = app.student(round).await;
        let asking = async {
            for _ in 0..4 {
                student.copy().get("/me").await;
            }
        };
        let leaving = student.copy();
        tokio::join!(asking, leaving.ask("/auth/sign-out"), student.get("/me"));
        student.copy().get("/me").await.problem(401, "not-signed-in");
    }
}

#[tokio::test]
async fn signing_in_again_leaves_no_earlier_session_behind_r_login_6() {
    let app = TestApp::new().await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let form = json!({ "email": "asha.rao@college.edu", "password": "four unrelated words" });
    let browser = app.visitor();
    browser.post("/auth/sign-in", &form).await.expect(200);
    let earlier = browser.copy();
    browser.post("/auth/sign-in", &form).await.expect(200);
    earlier.get("/me").await.problem(401, "not-signed-in");
    browser.get("/me").await.expect(200);
}

#[tokio::test]
async fn over_https_the_cookie_is_bound_to_the_host_r_login_6() {
    let https = |settings: &mut library::http::Settings| {
        settings.public_url = "https://library.college.edu".parse().expect("a URL");
    };
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", https).await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let answer = sign_in(&app, "four unrelated words").await;
    let cookie = answer.header("set-cookie").unwrap_or_default();
    assert!(
        cookie.starts_with("__Host-library=") && cookie.contains("; Secure") && !cookie.contains("Domain"),
        "{cookie}"
    );
    // S4: for this host only, without subdomains.
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    let student = app.student(1).await;
    student.get("/me").await.expect(200);
    // The cookie of a plain-http origin opens nothing here.
    let mut request = app.visitor().request("GET", "/me", None);
    let plain = student.cookie().unwrap_or_default().replace("__Host-", "");
    request.headers_mut().insert(header::COOKIE, plain.parse().expect("a header"));
    app.send(request).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn who_guesses_passwords_is_slowed_down_and_others_are_not_r_login_4() {
    let app = TestApp::with(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |settings| {
        settings.trusted_proxies = vec![[127, 0, 0, 1].into()];
    })
    .await;
    app.visitor().post("/auth/register", &registration()).await.expect(201);
    let second = json!({ "email": "second@college.edu", "rollNumber": "2" });
    app.visitor().post("/auth/register", &with(&registration(), second)).await.expect(201);
    let sign_in = async |address: &str, email: &str, password: &str| {
        let mut request = app.visitor().request(
            "POST",
            "/auth/sign-in",
            Some(&json!({ "email": email, "password": password })),
        );
        request.headers_mut().insert("x-forwarded-for", address.parse().expect("a header"));
        app.send(request).await
    };
    let (asha, second, right) = ("asha.rao@college.edu", "second@college.edu", "four unrelated words");
    for _ in 0..20 {
        sign_in("203.0.113.9", asha, "wrong words").await.problem(401, "invalid-credentials");
    }
    for (email, password) in [(asha, "wrong words"), (asha, right), ("ASHA.RAO@college.edu", right)] {
        let limited = sign_in("203.0.113.9", email, password).await;
        limited.problem(429, "too-many-requests");
        let wait: u64 = limited.header("retry-after").and_then(|wait| wait.parse().ok()).unwrap_or_default();
        assert!((1..=16).contains(&wait), "{wait}");
    }
    sign_in("203.0.113.9", second, right).await.expect(200);
    sign_in("203.0.113.10", asha, right).await.expect(200);
}

#[tokio::test]
async fn a_profile_shows_and_edits_name_roll_number_and_department_r_prof_1() {
    let app = TestApp::new().await;
    let (student, other) = (app.student(1).await, app.student(2).await);
    let before = student.get("/me").await.expect(200);
    let edit = json!({ "name": " नया नाम ", "rollNumber": " ME25-9 ", "department": "Arts" });
    let after = student.patch("/me", &edit).await.expect(200);
    let changed = json!({ "name": "नया नाम", "rollNumber": "me25-9", "department": "Arts" });
    assert_eq!(after, with(&before, changed.clone()));
    assert_eq!(student.get("/me").await.expect(200), after, "seen at once");
    assert_eq!(student.get("/auth/session").await.expect(200)["user"], after);
    student.patch("/me", &changed).await.expect(200);

    assert_eq!(student.patch("/me", &json!({})).await.wrong_fields(), ["name", "rollNumber", "department"]);
    assert_eq!(
        student.patch("/me", &with(&edit, json!({ "name": " " }))).await.messages(),
        ["Full name is required."]
    );
    for field in ["role", "email", "batch", "fine", "uid"] {
        assert_eq!(
            student.patch("/me", &with(&edit, json!({ field: "2028" }))).await.wrong_fields(),
            [field]
        );
    }
    let taken = with(&edit, json!({ "rollNumber": "CS25-002" }));
    let refused = student.patch("/me", &taken).await;
    refused.problem(409, "roll-number-taken");
    assert_eq!(refused.json()["errors"][0]["field"], "rollNumber");
    assert_eq!(student.get("/me").await.expect(200), after);
    assert_eq!(other.get("/me").await.expect(200)["name"], "Student 2");
}
