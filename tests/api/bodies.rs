//! Bodies: only well-formed JSON with exactly the documented fields, of limited size, changes anything.

use axum::{
    body::Body,
    http::{Request, header},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp, form, with},
    common::Database,
};

/// Every call with a body: its caller, a valid body, a field, and a value of the wrong type for that field.
async fn calls(app: &TestApp) -> Vec<(Person<'_>, &'static str, String, Value, &'static str, Value)> {
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 9).await;
    let loan = student.borrow(book).await;
    let registration = json!({
        "name": "n", "email": "new@college.edu", "password": "four unrelated words", "rollNumber": "new",
        "department": "d", "batch": "2027",
    });
    vec![
        (app.visitor(), "POST", "/auth/register".into(), registration, "email", json!(["a@b.c"])),
        (
            app.visitor(),
            "POST",
            "/auth/sign-in".into(),
            json!({ "email": "a@b.c", "password": "p" }),
            "remember",
            json!("yes"),
        ),
        (
            app.visitor(),
            "POST",
            "/auth/id-card".into(),
            json!({ "rollNumber": "r" }),
            "rollNumber",
            json!(25),
        ),
        (app.visitor(), "POST", "/vitals".into(), json!({ "metrics": [] }), "metrics", json!(7)),
        (admin.copy(), "POST", "/books".into(), form("t", 1), "noOfBooks", json!("3")),
        (admin.copy(), "PUT", format!("/books/{book}"), form("t", 1), "status", json!("Lost")),
        (
            admin,
            "POST",
            format!("/loans/{loan}/return"),
            json!({ "restock": true }),
            "restock",
            json!("true"),
        ),
        (
            student.copy(),
            "POST",
            format!("/books/{book}/reviews"),
            json!({ "rating": 3, "comment": "c" }),
            "rating",
            json!(3.5),
        ),
        (
            student,
            "PATCH",
            "/me".into(),
            json!({ "name": "n", "rollNumber": "r", "department": "d" }),
            "name",
            json!(null),
        ),
    ]
}

async fn send(
    person: &Person<'_>,
    method: &str,
    path: &str,
    media: Option<&str>,
    text: impl Into<Body>,
) -> Answer {
    let mut request = person.request(method, path, None);
    *request.body_mut() = text.into();
    request.headers_mut().insert(header::IF_MATCH, "\"1-8-a\"".parse().expect("a header"));
    if let Some(media) = media {
        request.headers_mut().insert(header::CONTENT_TYPE, media.parse().expect("a header"));
    }
    person.send(request).await
}

const JSON: Option<&str> = Some("application/json; charset=utf-8");

/// Everything that a request could have changed.
fn state(app: &TestApp) -> Vec<Vec<Option<String>>> {
    ["users", "books", "loans", "reviews"]
        .iter()
        .flat_map(|table| app.raw(&format!("SELECT * FROM {table} ORDER BY id")))
        .collect()
}

#[tokio::test]
async fn what_is_no_json_is_told_so() {
    let app = TestApp::new().await;
    for (person, method, path, right, ..) in calls(&app).await {
        let (before, right) = (state(&app), right.to_string());
        for broken in
            ["{", "nonsense", "{\"", "[", "\u{feff}{}", &format!("{right}x"), &format!("{right}{right}")]
        {
            let answer = send(&person, method, &path, JSON, broken.to_owned()).await;
            assert!(
                answer.problem(400, "malformed-json").contains("not well-formed"),
                "{method} {path} {broken}"
            );
        }
        for bytes in [&b"{\"\xff\":1}"[..], b"\x00", b"\xff\xfe{\x00}\x00"] {
            send(&person, method, &path, JSON, bytes.to_vec()).await.problem(400, "malformed-json");
        }
        assert_eq!(state(&app), before, "{method} {path}");
    }
}

#[tokio::test]
async fn a_field_of_the_wrong_type_is_named_r_book_5() {
    let app = TestApp::new().await;
    for (person, method, path, right, field, wrong) in calls(&app).await {
        let before = state(&app);
        let mut body = right.clone();
        body[field] = wrong.clone();
        let answer = send(&person, method, &path, JSON, body.to_string()).await;
        assert_eq!(answer.wrong_fields(), [field], "{method} {path} {wrong}");
        for other in [json!([]), json!("text"), json!(7)] {
            let answer = send(&person, method, &path, JSON, other.to_string()).await;
            assert_eq!(answer.status, 422, "{method} {path} {other}: {}", answer.text);
        }
        assert_eq!(state(&app), before, "{method} {path}");
    }
}

/// ASVS 15.3.7: a field given twice is refused, not left to the parser's choice.
#[tokio::test]
async fn a_query_parameter_that_is_repeated_is_refused_asvs_15_3_7() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    for path in
        ["/books?limit=1&limit=2", "/books?q=a&q=b", "/people?filter=owes&filter=overdue", "/loans?q=&q="]
    {
        assert_eq!(admin.get(path).await.status, 422, "{path}");
    }
    assert_eq!(admin.get("/books?limit=1&limit=2").await.wrong_fields(), ["limit"]);
}

/// R8: `8.0` for a month was answered in the parser's words.
#[tokio::test]
async fn a_number_with_a_point_is_told_in_plain_words_r8() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let form = json!({ "financialYearMonth": 8.5 });
    let refused = admin.post("/settings/library/preview", &form).await;
    assert_eq!((refused.status, refused.messages()), (422, vec!["This must be a whole number.".to_owned()]));
}

/// P13: the document said that a return takes `null`, and that a new book's stars may be `null`.
#[tokio::test]
async fn null_is_taken_where_the_document_says_so_and_nowhere_else() {
    let app = TestApp::new().await;
    let (student, admin) = (app.student(1).await, app.admin(0).await);
    let book = app.book("Book", 9).await;
    let loan = student.borrow(book).await;
    let returned = send(&admin, "POST", &format!("/loans/{loan}/return"), JSON, "null").await;
    assert_eq!(returned.status, 204, "{}", returned.json());
    let starless = with(&form("t", 1), json!({ "rating": null }));
    let refused = send(&admin, "POST", "/books", JSON, starless.to_string()).await;
    assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!("rating")));
    let document = library::http::openapi::document();
    assert_eq!(document["components"]["schemas"]["NewBook"]["properties"]["rating"]["type"], "integer");
}

#[tokio::test]
async fn a_field_that_nobody_asked_for_is_refused_and_nothing_changes() {
    let app = TestApp::new().await;
    for (person, method, path, right, ..) in calls(&app).await {
        let before = state(&app);
        for (field, value) in [
            ("role", json!("admin")),
            ("fine", json!(0)),
            ("id", json!(1)),
            ("userId", json!(1)),
            ("__proto__", json!({})),
        ] {
            let answer =
                send(&person, method, &path, JSON, with(&right, json!({ field: value })).to_string()).await;
            assert_eq!(answer.wrong_fields(), [field], "{method} {path}");
        }
        let name = right.as_object().and_then(|object| object.keys().next()).cloned().unwrap_or_default();
        let twice = right.to_string().replacen('{', &format!("{{\"{name}\":{},", right[&name]), 1);
        assert_eq!(send(&person, method, &path, JSON, twice).await.wrong_fields(), [name], "{method} {path}");
        assert_eq!(state(&app), before, "{method} {path}");
    }
}

#[tokio::test]
async fn a_loans_dates_and_fine_are_the_librarys_alone_r_loan_2() {
    let app = TestApp::new().await;
    let student = app.student(1).await;
    let book = app.book("Book", 9).await;
    let loan = student.borrow(book).await;
    let before = state(&app);
    for path in
        [format!("/books/{book}/loans"), format!("/loans/{loan}/extend"), format!("/loans/{loan}/return")]
    {
        for (field, value) in [
            ("EntryDate", json!("2020-01-01")),
            ("returnDate", json!("2099-12-31")),
            ("fine", json!(0)),
            ("userId", json!(7)),
        ] {
            assert_eq!(student.post(&path, &json!({ field: value })).await.wrong_fields(), [field], "{path}");
        }
    }
    assert_eq!(
        student.post("/auth/sign-out", &json!({ "everywhere": true })).await.wrong_fields(),
        ["everywhere"]
    );
    assert_eq!(state(&app), before);
    student.post(&format!("/books/{book}/loans"), &json!({})).await.expect(201);
    student.post(&format!("/loans/{loan}/extend"), &json!({})).await.expect(200);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let app = TestApp::new().await;
    for (person, method, path, right, field, _) in calls(&app).await {
        let before = state(&app);
        let mut body = right.clone();
        body[field] = json!("x".repeat(64 * 1024));
        send(&person, method, &path, JSON, body.to_string()).await.problem(413, "payload-too-large");
        assert_eq!(state(&app), before, "{method} {path}");
    }
    let student = app.student(1).await;
    // `Full` knows its length, a mapped body does not state it.
    let unsaid = Body::new(http_body_util::Full::from(vec![b' '; 70 * 1024]).map_frame(|frame| frame));
    let request = Request::builder()
        .method("PATCH")
        .uri("/library/api/v1/me")
        .header(header::HOST, crate::app::HOST)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::COOKIE, student.cookie().unwrap_or_default())
        .body(unsaid)
        .expect("a request");
    app.send(request).await.problem(413, "payload-too-large");
}

/// Texts in an address.
const TEXTS: [&str; 6] = ["%00", "a%00b", "%01%1f", "%ff%fe", "%ef%bf%be", "%f4%8f%bf%bf"];

/// P10: PostgreSQL takes no NUL in a text, and a sign-in with one was a 500.
async fn no_text_is_too_odd(app: TestApp) {
    let odd = ["\u{0}", "a\u{0}b", "\u{1}\u{1f}\u{7f}\u{85}", "\u{feff}\u{202e}", "\u{fffe}\u{10ffff}"];
    for (person, method, path, right, ..) in calls(&app).await {
        let texts: Vec<&String> = right.as_object().expect("an object").keys().collect();
        for field in texts.into_iter().filter(|field| right[*field].is_string()) {
            for text in odd {
                let body = with(&right, json!({ field.clone(): format!("{text}@college.edu") }));
                let answer = send(&person, method, &path, JSON, body.to_string()).await;
                assert!(answer.status < 500, "{method} {path} {field} {text:?}: {}", answer.text);
            }
        }
    }
    let admin = app.admin(0).await;
    let document = library::http::openapi::document();
    let mut asked = 0;
    for (path, operations) in document["paths"].as_object().expect("paths") {
        // Streams have no end.
        if path.starts_with("/desk/phone") || path.starts_with("/phone") {
            continue;
        }
        let parameters = operations["get"]["parameters"].as_array().into_iter().flatten();
        for (parameter, text) in parameters.flat_map(|parameter| TEXTS.map(|text| (parameter, text))) {
            let name = parameter["name"].as_str().unwrap_or_default();
            let path = match parameter["in"].as_str() {
                Some("path") => path.replace(&format!("{{{name}}}"), text),
                Some("query") => format!("{}?{name}={text}", path.replace("{id}", "1")),
                _ => continue,
            };
            let answer = admin.get(&path).await;
            assert!(answer.status < 500, "{path}: {}", answer.text);
            asked += 1;
        }
    }
    assert!(asked > 300, "{asked}");
}

#[tokio::test]
async fn no_text_is_too_odd_on_sqlite() {
    no_text_is_too_odd(TestApp::new().await).await;
}

#[tokio::test]
async fn no_text_is_too_odd_on_postgres() {
    no_text_is_too_odd(TestApp::on(Database::ready_postgres()).await).await;
}

/// P10: such a sign-in was not counted as a failure.
#[tokio::test]
async fn an_address_that_nobody_can_have_counts_as_a_failed_sign_in_r_login_4() {
    let app = TestApp::new().await;
    let form = json!({ "email": "a\u{0}@college.edu", "password": "p" });
    for _ in 0..20 {
        app.visitor().post("/auth/sign-in", &form).await.problem(401, "invalid-credentials");
    }
    app.visitor().post("/auth/sign-in", &form).await.problem(429, "too-many-requests");
}

#[tokio::test]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    let app = TestApp::new().await;
    for (person, method, path, right, ..) in calls(&app).await {
        let before = state(&app);
        for media in [
            None,
            Some("text/plain"),
            Some("application/x-www-form-urlencoded"),
            Some("multipart/form-data; boundary=x"),
            Some("text/json"),
            Some("application/jsonx"),
        ] {
            let answer = send(&person, method, &path, media, right.to_string()).await;
            answer.problem(415, "unsupported-media-type");
        }
        assert_eq!(state(&app), before, "{method} {path}");
    }
}

/// The screens translate a problem by its rule and parameters.
#[tokio::test]
async fn a_problem_and_each_wrong_field_name_their_message_and_what_fills_it() {
    let app = TestApp::new().await;
    let wrong = json!({ "name": "", "email": "no address", "password": "short", "rollNumber": "r", "department": "d", "batch": "2027" });
    let told = app.visitor().post("/auth/register", &wrong).await;
    told.problem(422, "invalid");
    let problem = told.json();
    assert_eq!(problem["params"], json!({ "count": 3 }));
    assert_eq!(
        problem["errors"][0],
        json!({
            "field": "name",
            "rule": "required",
            "params": { "label": "Full name" },
            "message": "Full name is required.",
        })
    );
    assert_eq!(problem["errors"][2]["rule"], "tooShort");
    assert_eq!(problem["errors"][2]["params"], json!({ "label": "Password", "min": 8 }));
    let one = app.visitor().post("/auth/id-card", &json!({ "rollNumber": 25 })).await.json();
    assert_eq!(one["errors"][0]["rule"], "notText");
    assert_eq!(one["detail"], one["errors"][0]["message"], "one wrong field is told in full");
}
