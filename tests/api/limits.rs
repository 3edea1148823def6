//! Rate limits: guessing is slow, and attackers cannot lock an account's owner out.

use std::{sync::Arc, time::Duration};

use library::{http::Limits, limit::Limit};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp, form},
    common::Database,
};

const PROXY: [u8; 4] = [127, 0, 0, 1];
const RIGHT: &str = "four unrelated words";

/// Starts a server behind a proxy, with one account, `owner@college.edu`.
async fn behind_a_proxy(limits: Limits) -> TestApp {
    let trust = |settings: &mut library::http::Settings| settings.trusted_proxies = vec![PROXY.into()];
    let app = TestApp::limited(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", trust, limits).await;
    let registration = json!({
        "name": "Owner", "email": "owner@college.edu", "password": RIGHT, "rollNumber": "1", "department": "Physics",
        "batch": "2027",
    });
    app.visitor().post("/auth/register", &registration).await.expect(201);
    app
}

/// Sends a POST that the proxy forwards with this list of addresses.
async fn post(browser: &Person<'_>, forwarded: &str, path: &str, body: &Value) -> Answer {
    let mut request = browser.request("POST", path, Some(body));
    request.headers_mut().insert("x-forwarded-for", forwarded.parse().expect("a header"));
    browser.send(request).await
}

async fn sign_in(browser: &Person<'_>, from: &str, email: &str, password: &str) -> Answer {
    post(browser, from, "/auth/sign-in", &json!({ "email": email, "password": password })).await
}

/// A limit that refills one token an hour, so that none returns during a test.
fn burst<K: Clone + Eq + std::hash::Hash>(burst: u32) -> Limit<K> {
    Limit::new(burst, Duration::from_hours(1))
}

/// S2, P3: all of 200 guesses got through, because the limit was checked before the password and charged after it.
#[tokio::test]
async fn guesses_at_the_same_moment_are_all_counted_r_login_4() {
    let app = behind_a_proxy(Limits::default()).await;
    let mut guesses = tokio::task::JoinSet::new();
    for n in 0..200 {
        let (request, router) = {
            let form = json!({ "email": "owner@college.edu", "password": format!("guess {n}") });
            let mut request = app.visitor().request("POST", "/auth/sign-in", Some(&form));
            request.headers_mut().insert("x-forwarded-for", "203.0.113.9".parse().expect("a header"));
            (request, app.router.clone())
        };
        guesses.spawn(async move {
            use tower::ServiceExt as _;
            router.oneshot(request).await.unwrap_or_else(|never| match never {}).status().as_u16()
        });
    }
    let answers = guesses.join_all().await;
    let verified = answers.iter().filter(|status| **status == 401).count();
    assert!((1..=20).contains(&verified), "{verified} of 200 guesses were verified");
    assert!(answers.iter().all(|status| matches!(status, 401 | 429 | 503)), "{answers:?}");
}

/// P3: 100 failures elsewhere, or 200 from the campus's one address, locked an account's owner out.
#[tokio::test]
async fn nobody_is_locked_out_of_an_account_in_his_own_browser() {
    let app = behind_a_proxy(Limits {
        failures_of_network: burst(6),
        failures_of_account_from_network: burst(4),
        failures_of_account: burst(5),
        failures_of_device: burst(3),
        ..Limits::default()
    })
    .await;
    let (campus, own) = ("203.0.113.9", app.visitor());
    sign_in(&own, campus, "owner@college.edu", RIGHT).await.expect(200);
    own.close_browser();

    // An attacker with many addresses uses up the account's limit, and a student on the campus that of its address.
    for n in 0..6 {
        let answer = sign_in(&app.visitor(), &format!("198.51.100.{n}"), "owner@college.edu", "guess").await;
        assert_eq!(answer.status, if n < 5 { 401 } else { 429 }, "{n}");
    }
    for n in 0..7 {
        let answer = sign_in(&app.visitor(), campus, &format!("other{n}@college.edu"), "guess").await;
        assert_eq!(answer.status, if n < 6 { 401 } else { 429 }, "{n}");
    }

    let unknown = app.visitor();
    sign_in(&unknown, "192.0.2.1", "owner@college.edu", RIGHT).await.problem(429, "too-many-requests");
    sign_in(&unknown, campus, "new@college.edu", RIGHT).await.problem(429, "too-many-requests");
    for from in [campus, "192.0.2.1"] {
        sign_in(&own, from, "Owner@college.edu", RIGHT).await.expect(200);
    }
    // A browser that knows one account is unknown to another.
    sign_in(&own, campus, "new@college.edu", "guess").await.problem(429, "too-many-requests");
    // A known browser cannot guess without end either.
    for n in 0..4 {
        let answer = sign_in(&own, campus, "owner@college.edu", "guess").await;
        assert_eq!(answer.status, if n < 3 { 401 } else { 429 }, "{n}");
    }
    app.raw(
        "UPDATE users SET password_hash = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA'",
    );
}

#[tokio::test]
async fn signing_in_uses_up_nothing() {
    let one = || Limits {
        failures_of_network: burst(1),
        failures_of_account_from_network: burst(1),
        failures_of_account: burst(1),
        failures_of_device: burst(1),
        ..Limits::default()
    };
    let app = behind_a_proxy(one()).await;
    let own = app.visitor();
    for _ in 0..3 {
        sign_in(&app.visitor(), "203.0.113.9", "owner@college.edu", RIGHT).await.expect(200);
        sign_in(&own, "203.0.113.9", "owner@college.edu", RIGHT).await.expect(200);
    }
    sign_in(&app.visitor(), "203.0.113.9", "owner@college.edu", "guess").await.expect(401);
    sign_in(&app.visitor(), "203.0.113.9", "owner@college.edu", RIGHT).await.expect(429);
}

/// X6: one laptop kept a whole campus from signing in, because it used up the tries of their one address.
#[tokio::test]
async fn half_of_a_networks_tries_are_left_to_accounts_that_did_not_fail_x6() {
    let app = behind_a_proxy(Limits { failures_of_network: burst(10), ..Limits::default() }).await;
    let campus = "203.0.113.9";
    let mut statuses = Vec::new();
    for n in 0..20 {
        let sprayed = format!("sprayed{}@college.edu", n % 3);
        statuses.push(sign_in(&app.visitor(), campus, &sprayed, "guess").await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 5, "{statuses:?}");
    sign_in(&app.visitor(), campus, "owner@college.edu", RIGHT).await.expect(200);
    // The first failure of an account is one of the other half.
    sign_in(&app.visitor(), campus, "owner@college.edu", "guess").await.expect(401);
    sign_in(&app.visitor(), campus, "owner@college.edu", RIGHT).await.expect(429);
}

/// X6: guessed passwords kept an account's owner from redeeming the desk's code. X13: guesses at a code counted apart by address
/// and by roll number.
#[tokio::test]
async fn codes_count_apart_from_passwords_and_once_by_whatever_name_x6_x13() {
    let limits = Limits { failures_of_account: burst(4), ..Limits::default() };
    let app = behind_a_proxy(limits).await;
    for n in 0..5 {
        let answer = sign_in(&app.visitor(), &format!("198.51.100.{n}"), "owner@college.edu", "guess").await;
        assert_eq!(answer.status, if n < 4 { 401 } else { 429 }, "{n}");
    }
    let redeem = async |n: usize, name: &str, value: &str| {
        let form = json!({ name: value, "code": "ABCD-EFGH", "password": "another four good words" });
        post(&app.visitor(), &format!("192.0.2.{n}"), "/auth/redeem", &form).await.status
    };
    let mut statuses = Vec::new();
    for n in 0..3 {
        statuses.push(redeem(n, "email", "owner@college.edu").await);
        statuses.push(redeem(n + 3, "rollNumber", "1").await);
    }
    let looked_at = statuses.iter().filter(|status| **status != 429).count();
    assert_eq!(looked_at, 4, "{statuses:?}");
}

/// P4: all of 200 look-ups passed through the documented proxy instead of 30.
#[tokio::test]
async fn a_forged_address_gives_no_further_tries_r_scan_2() {
    let app = behind_a_proxy(Limits { card_lookups: burst(5), ..Limits::default() }).await;
    let look_up = async |forwarded: &str| {
        post(&app.visitor(), forwarded, "/auth/id-card", &json!({ "rollNumber": "1" })).await.status
    };
    for n in 0..5 {
        assert_eq!(look_up(&format!("9.9.9.{n}, x, 203.0.113.9")).await, 200);
    }
    for forwarded in ["9.9.9.9, x, 203.0.113.9", "203.0.113.9", "9.9.9.9, 203.0.113.9", "x,203.0.113.9"] {
        assert_eq!(look_up(forwarded).await, 429, "{forwarded}");
    }
    for n in 0..5 {
        assert_eq!(look_up(&format!("2001:db8:0:1::{n}")).await, 200);
    }
    assert_eq!(look_up("2001:db8:0:1:ffff::1").await, 429, "S16: the same /64");
    assert_eq!(look_up("2001:db8:0:2::1").await, 200);
}

/// X6: three look-ups a minute kept the cards of a whole campus out.
#[tokio::test]
async fn a_browser_looks_up_its_own_card_whatever_others_in_its_network_look_up_r_scan_2() {
    let app = behind_a_proxy(Limits { card_lookups: burst(2), ..Limits::default() }).await;
    let (campus, own) = ("203.0.113.9", app.visitor());
    sign_in(&own, campus, "owner@college.edu", RIGHT).await.expect(200);
    own.close_browser();
    let look_up = async |browser: &Person<'_>, number: &str| {
        post(browser, campus, "/auth/id-card", &json!({ "rollNumber": number })).await.status
    };
    for number in ["7", "8"] {
        assert_eq!(look_up(&app.visitor(), number).await, 404);
    }
    assert_eq!(look_up(&app.visitor(), "1").await, 429);
    assert_eq!(look_up(&own, "7").await, 429, "the card of another");
    assert_eq!(look_up(&own, "1").await, 200);
}

/// P2: figures were accepted without any limit.
#[tokio::test]
async fn a_network_reports_so_many_page_views_and_no_more_r_shell_4() {
    let app = behind_a_proxy(Limits { vitals: burst(2), ..Limits::default() }).await;
    let vitals = json!({ "metrics": [{ "name": "LCP", "value": 2500.5, "rating": "good" }] });
    for (from, status) in [("192.0.2.1", 204), ("192.0.2.1", 204), ("192.0.2.1", 429), ("192.0.2.2", 204)] {
        assert_eq!(post(&app.visitor(), from, "/vitals", &vitals).await.status, status, "{from}");
    }
}

/// P11: one reader wrote thousands of rows within a second.
#[tokio::test]
async fn a_rate_limited_student_can_still_read_and_sign_out_p11() {
    let limits = Limits { changes_of_student: burst(3), ..Limits::default() };
    let app = TestApp::limited(Arc::new(Database::ready_sqlite()), "Asia/Kolkata", |_| {}, limits).await;
    let (student, other, librarian) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let book = app.book("Godaan", 5).await;
    let reviews = format!("/books/{book}/reviews");
    let review = json!({ "rating": 5, "comment": "Read it twice." });
    student.post(&reviews, &review).await.expect(201);
    student.borrow(book).await;
    // A refused change counts too.
    student.delete("/holds/999").await.problem(404, "not-found");
    let refused = student.patch("/me", &json!({ "department": "Chemistry" })).await;
    refused.problem(429, "too-many-requests");
    assert_eq!(refused.header("retry-after"), Some("3600"));
    assert_ne!(student.get("/me").await.expect(200)["department"], "Chemistry", "nothing was changed");
    student.ask("/auth/sign-out").await.expect(204);

    other.borrow(book).await;
    for n in 0..10 {
        librarian.post("/books", &form(&format!("Title {n}"), 1)).await.expect(201);
    }
}
