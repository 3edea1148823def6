//! The security log: it shows an attack, each event once, and no personal data but numbers and addresses.

use std::{
    fs::Permissions,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    time::{Duration, Instant},
};

use jiff::tz::TimeZone;
use library::{
    clock::Clock,
    http::{API, oidc::CALLBACK},
    storage::Location,
};
use serde_json::{Value, json};

use crate::{
    common::{Database, folder},
    device::Device,
    process::{Server, library, run},
    provider::{CLIENT, Provider, SECRET},
};

/// In every name, address, number, password and search of this test, and nowhere else.
const MARK: &str = "canary7f3";

pub struct Answer {
    pub status: u16,
    head: String,
    /// Session that the answer begins.
    pub cookie: Option<String>,
    /// Half sign-in that waits for a code.
    half: Option<String>,
    pub body: Value,
}

/// Sends a call as a browser does.
pub fn call(port: u16, method: &str, path: &str, cookie: &str, body: Option<Value>) -> Answer {
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let request = format!(
        "{method} {API}{path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\nUser-Agent: {MARK}\r\n\
         Cookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    let set = |name: &str| {
        let start = format!("set-cookie: {name}=");
        let token = head.lines().find_map(|line| line.strip_prefix(&start)?.split(';').next())?;
        Some(format!("{name}={token}"))
    };
    Answer {
        status: head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"),
        cookie: set("library"),
        half: set("library-half"),
        head: head.to_owned(),
        body: serde_json::from_str(body).unwrap_or_default(),
    }
}

/// Returns the events of the log with account, subject and status.
fn events(log: &str) -> Vec<(String, Option<i64>, Option<i64>, i64)> {
    log.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["fields"]["event"].is_string())
        .map(|line| {
            assert_eq!(line["fields"]["address"], "127.0.0.1", "{line}");
            assert!(line["span"]["id"].as_str().is_some_and(|id| id.len() == 16), "{line}");
            let fields = &line["fields"];
            let event = fields["event"].as_str().unwrap_or_default().to_owned();
            (
                event,
                fields["account"].as_i64(),
                fields["subject"].as_i64(),
                fields["status"].as_i64().unwrap_or(0),
            )
        })
        .collect()
}

/// Asha sets up a second factor, gives a wrong code, then a recovery code; returns the secrets.
fn second_factor(port: u16, asha: &str) -> [String; 4] {
    let post = |path: &str, cookie: &str, body: Value| call(port, "POST", path, cookie, Some(body));
    let password = format!("{MARK} other words");
    let key = post("/auth/authenticator", asha, json!({ "currentPassword": password }));
    let secret = key.body["secret"].as_str().expect("a key").to_owned();
    let now = library::clock::Clock::system(jiff::tz::TimeZone::UTC).now();
    let of_app = library::second_factor::code_at(&secret, now).expect("a key");
    let codes = post("/auth/authenticator/confirm", asha, json!({ "code": of_app }));
    let recovery = codes.body["recoveryCodes"][0].as_str().expect("codes").to_owned();
    let form = json!({ "email": format!("{MARK}.asha@college.edu"), "password": password });
    let half = post("/auth/sign-in", "", form).half.expect("a cookie");
    assert_eq!(post("/auth/sign-in/code", &half, json!({ "code": of_app })).status, 401, "used already");
    assert_eq!(post("/auth/sign-in/code", &half, json!({ "code": recovery })).status, 200);
    let plain = recovery.replace('-', "");
    [secret, half.replace("library-half=", ""), recovery, plain]
}

/// An event and its count.
type Expected = (usize, (&'static str, Option<i64>, Option<i64>, i64));

fn of_second_factor(librarian: Option<i64>, asha: Option<i64>) -> [Expected; 5] {
    [
        (1, ("second-factor.on", asha, None, 200)),
        (1, ("second-factor.asked", asha, None, 401)),
        (1, ("second-factor.refused", asha, None, 401)),
        (1, ("recovery-code.used", asha, None, 200)),
        (1, ("second-factor.reset", librarian, asha, 204)),
    ]
}

/// P9, OWASP ASVS 5.0, 16.2.5 and 16.3: thirty wrong sign-ins, twenty refusals and ten rate limits left no line.
fn an_attack_is_in_the_log_and_nothing_about_anybody(database: &Database) {
    let location = match &database.location {
        Location::Postgres(url) => url.clone(),
        sqlite @ Location::Sqlite(_) => sqlite.to_string(),
    };
    let email = format!("{MARK}.admin@college.edu");
    let mut create = library(&["admin", "create", "--email", &email, "--name", &format!("Meera {MARK}")]);
    create.args(["--password-stdin", "--database", &location]);
    assert!(run(create, &format!("{MARK} unrelated words\n")).success);
    let mut serve = library(&["serve", "--listen", "127.0.0.1:0", "--database", &location]);
    serve.args(["--log-format", "json"]).env("LIBRARY_LOG", "trace");
    let server = Server::start_as(serve);
    let port = server.port;
    let post = |path: &str, cookie: &str, body: Value| call(port, "POST", path, cookie, Some(body));
    let right = json!({ "email": email, "password": format!("{MARK} unrelated words") });

    let admin = post("/auth/sign-in", "", right);
    assert_eq!(admin.status, 200, "{}", admin.body);
    let (librarian, uid) = (admin.cookie.expect("a cookie"), admin.body["uid"].as_i64());
    let student = json!({
        "name": format!("Asha {MARK}"), "email": format!("{MARK}.asha@college.edu"), "rollNumber": format!("{MARK}-1"),
        "department": "Physics", "batch": "2026", "password": format!("{MARK} other words"),
    });
    let made = post("/auth/register", "", student.clone());
    assert_eq!(made.status, 201, "{}", made.body);
    let asha = made.body["uid"].as_i64();
    let entered =
        post("/auth/sign-in", "", json!({ "email": student["email"], "password": student["password"] }));
    let student = entered.cookie.expect("a cookie");
    let asha_path = format!("/people/{}", asha.expect("a number"));
    // Of thirty guesses twenty are verified.
    let guess = json!({ "email": email, "password": format!("{MARK} guess") });
    let refused: Vec<u16> = (0..30).map(|_| post("/auth/sign-in", "", guess.clone()).status).collect();
    assert_eq!(refused.iter().filter(|status| **status == 401).count(), 20, "{refused:?}");
    let unknown =
        json!({ "email": format!("{MARK}.nobody@college.edu"), "password": format!("{MARK} guess") });
    assert_eq!(post("/auth/sign-in", "", unknown).status, 401);
    // Calls that neither role nor visitors may make.
    let people = format!("/people?q={MARK}");
    assert_eq!(call(port, "GET", &people, &student, None).status, 403);
    assert_eq!(call(port, "GET", &people, "", None).status, 401);
    assert_eq!(call(port, "GET", &people, &format!("library={MARK}"), None).status, 401);
    assert_eq!(call(port, "GET", &people, &librarian, None).status, 200);
    assert_eq!(call(port, "GET", &format!("/loans?q={MARK}"), &librarian, None).status, 200);
    assert_eq!(call(port, "GET", "/people.csv", &librarian, None).status, 200);
    post("/auth/id-card", "", json!({ "rollNumber": format!("{MARK}-1") }));
    call(port, "PATCH", "/me", &student, Some(json!({ "name": format!("Asha {MARK} K") })));
    let book = json!({ "title": format!("Godaan {MARK}"), "author": MARK, "noOfBooks": 1, "genre": MARK });
    post("/books", &librarian, book);
    let told_once = second_factor(port, &student);
    assert_eq!(call(port, "DELETE", &format!("{asha_path}/second-factor"), &librarian, None).status, 204);
    // A code, given wrongly and rightly.
    let code = post(&format!("{asha_path}/sign-in-code"), &librarian, json!({}));
    assert_eq!(code.status, 200, "{}", code.body);
    let code = code.body["code"].as_str().expect("a code").to_owned();
    let redeem = |code: &str| json!({ "rollNumber": format!("{MARK}-1"), "code": code, "password": format!("{MARK} third words") });
    assert_eq!(post("/auth/redeem", "", redeem("AAAA-AAAA")).status, 401);
    let entered = post("/auth/redeem", "", redeem(&code));
    assert_eq!(entered.status, 200, "{}", entered.body);
    // Changes of rights.
    let wrong = json!({ "role": "admin", "password": format!("{MARK} wrong") });
    assert_eq!(post(&format!("{asha_path}/role"), &librarian, wrong).status, 429, "the guesses above count");
    assert_eq!(post(&format!("{asha_path}/deactivate"), &librarian, json!({})).status, 200);
    assert_eq!(call(port, "DELETE", &asha_path, &librarian, None).status, 204);
    assert_eq!(call(port, "POST", "/auth/sign-out", &librarian, None).status, 204);

    // A thread of the test reads the log as it is written.
    let begun = Instant::now();
    while !server.log().contains("\"sign-out\"") && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = server.log();
    let told = events(&log);
    let count = |wanted: &(&str, Option<i64>, Option<i64>, i64)| {
        let wanted = (wanted.0.to_owned(), wanted.1, wanted.2, wanted.3);
        told.iter().filter(|event| **event == wanted).count()
    };
    let expected = [
        (1, ("sign-in.ok", uid, None, 200)),
        (1, ("account.made", None, None, 201)),
        (1, ("sign-in.ok", asha, None, 200)),
        (20, ("sign-in.refused", uid, None, 401)),
        (10, ("sign-in.limited", uid, None, 429)),
        (1, ("sign-in.refused", None, None, 401)),
        (1, ("access.refused", asha, None, 403)),
        (2, ("access.not-signed-in", None, None, 401)),
        (1, ("data.exported", uid, None, 200)),
        (1, ("code.made", uid, asha, 200)),
        (1, ("code.refused", asha, None, 401)),
        (1, ("code.ok", asha, None, 200)),
        (1, ("limit.hit", uid, asha, 429)),
        (1, ("account.status", uid, asha, 200)),
        (1, ("account.status", uid, asha, 204)),
        (1, ("sign-out", uid, None, 204)),
    ];
    let expected: Vec<_> = expected.into_iter().chain(of_second_factor(uid, asha)).collect();
    for (times, event) in &expected {
        assert_eq!(count(event), *times, "{event:?}: {told:#?}");
    }
    assert_eq!(told.len(), expected.iter().map(|(times, _)| times).sum::<usize>(), "{told:#?}");
    assert!(log.contains("answered"), "everything is logged");
    let plain = code.replace('-', "");
    let secrets = [MARK, &librarian[8..], &student[8..], &code, &plain].map(str::to_owned);
    for secret in secrets.iter().chain(&told_once) {
        assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{secret} is in the log");
    }
    server.stop();
}

/// O19: the first student found a wrong issuer.
#[test]
fn a_provider_that_is_not_the_one_meant_is_told_at_the_start_and_by_the_doctor() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let provider = runtime.block_on(Provider::start(Clock::system(TimeZone::UTC).now() / 1000));
    let database = Database::sqlite();
    let location = database.location.to_string();
    let wrong = format!("{}/", provider.url());
    for (issuer, reason) in
        [(wrong.as_str(), "names another issuer"), ("http://127.0.0.1:1", "Connection refused")]
    {
        let with = |command: &[&str]| {
            let mut command = library(command);
            command.args(["--database", &location, "--oidc-issuer", issuer, "--oidc-client-id", CLIENT]);
            command.args(["--oidc-email-domains", "college.edu"]).env("LIBRARY_OIDC_CLIENT_SECRET", SECRET);
            command
        };
        let server = Server::start_as(with(&["serve", "--listen", "127.0.0.1:0"]));
        let begun = Instant::now();
        while !server.log().contains("the sign-in provider is of no use now")
            && begun.elapsed() < Duration::from_secs(10)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(server.log().contains(reason), "{reason}: {}", server.log());
        server.stop();
        let told = run(with(&["doctor"]), "").stdout;
        assert!(told.contains("warning") && told.contains(reason), "{reason}: {told}");
    }
}

#[test]
fn an_attack_is_in_the_log_and_nothing_about_anybody_on_sqlite() {
    an_attack_is_in_the_log_and_nothing_about_anybody(&Database::sqlite());
}

#[test]
fn an_attack_is_in_the_log_and_nothing_about_anybody_on_postgres() {
    an_attack_is_in_the_log_and_nothing_about_anybody(&Database::postgres());
}

/// Returns the part of a head behind `start`, up to the end of its line or value.
fn after<'h>(head: &'h str, start: &str) -> &'h str {
    let at = head.find(start).unwrap_or_else(|| panic!("no {start} in {head}"));
    head[at + start.len()..].split([';', '\r', '\n', '&']).next().unwrap_or_default()
}

/// OWASP ASVS 5.0, 16.2.5: no secret of an account, at the provider or here, is in the log at any level.
#[test]
fn a_sign_in_by_the_provider_is_in_the_log_without_its_secrets() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let now = Clock::system(TimeZone::UTC).now() / 1000;
    let provider = runtime.block_on(Provider::start(now));
    let database = Database::sqlite();
    let location = database.location.to_string();
    let folder = folder();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).expect("written");
    let command = || {
        let mut serve = library(&["serve", "--listen", "127.0.0.1:0", "--database", &location]);
        serve.args(["--oidc-issuer", provider.url(), "--oidc-client-id", CLIENT, "--oidc-label", "College"]);
        serve.args(["--oidc-email-domains", "college.edu,alumni.college.edu"]);
        serve.arg("--oidc-client-secret-file").arg(&secret);
        serve.args(["--log-format", "json"]).env("LIBRARY_LOG", "trace");
        serve
    };
    // A file that others can read is refused.
    std::fs::set_permissions(&secret, Permissions::from_mode(0o640)).expect("set");
    let told = run(command(), "").stderr;
    assert!(told.contains("chmod 600"), "{told}");
    std::fs::set_permissions(&secret, Permissions::from_mode(0o600)).expect("set");
    let server = Server::start_as(command());
    let port = server.port;
    let post = |path: &str, cookie: &str, body: Value| call(port, "POST", path, cookie, Some(body));
    // A person recorded by the library: identifiers claimed at registration are linked only with the password.
    let people = folder.path().join("people.csv");
    let row = format!("rollNumber,name,email\n{MARK}-1,Asha {MARK},{MARK}@college.edu\n");
    std::fs::write(&people, row).expect("written");
    let ended =
        run(library(&["import", "people", people.to_str().expect("text"), "--database", &location]), "");
    assert!(ended.success, "{}", ended.stderr);
    let mut secrets = vec![MARK.to_owned(), SECRET.to_owned()];
    let mut ends = Vec::new();
    let email = format!("{MARK}@college.edu");
    for sub in [format!("{MARK} one"), format!("{MARK} two")] {
        let begun = post("/auth/oidc", "", json!({ "next": format!("/books?q={MARK}") }));
        assert_eq!(begun.status, 200, "{}", begun.body);
        let browser = after(&begun.head, "set-cookie: library-oidc=");
        let address = begun.body["location"].as_str().expect("an address");
        let said = json!({ "sub": sub, "email": email, "email_verified": true });
        let query = provider.approve(address, said);
        let back =
            call(port, "GET", &format!("{CALLBACK}?{query}"), &format!("library-oidc={browser}"), None);
        ends.push(after(&back.head, "location: /library/login?provider=").to_owned());
        secrets.push(browser.to_owned());
        for name in ["state=", "nonce=", "code_challenge="] {
            secrets.push(after(address, name).to_owned());
        }
        secrets.extend(back.cookie.map(|cookie| cookie["library=".len()..].to_owned()));
    }
    assert_eq!(ends, ["done", "another"]);
    let tokens = provider.tokens();
    assert_eq!(tokens.len(), 2);
    secrets.extend(tokens.iter().flat_map(|token| token.split('.')).map(ToOwned::to_owned));
    let begun = Instant::now();
    while !server.log().contains("provider.refused") && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = server.log();
    let told: Vec<String> = events(&log).into_iter().map(|(event, ..)| event).collect();
    assert_eq!(told, ["provider.ok", "provider.refused"]);
    let reasons: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["fields"]["event"] == "provider.refused")
        .map(|line| line["fields"]["reason"].clone())
        .collect();
    assert_eq!(reasons, [json!("linked-with-another")], "O19: refusals looked alike");
    assert!(log.contains("the sign-in provider answers"), "{log}");
    for secret in secrets {
        assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{secret} is in the log");
    }
    server.stop();
}

/// OWASP ASVS 5.0, 16.2.5 and 16.3: passkey events are logged, without personal data and secrets.
#[test]
fn passkeys_are_in_the_log_without_what_they_say() {
    let database = Database::sqlite();
    let mut serve = library(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    serve.args(["--database", &database.location.to_string()]);
    serve.env("LIBRARY_LOG", "trace");
    let server = Server::start_as(serve);
    let port = server.port;
    let post = |path: &str, cookie: &str, body: Value| call(port, "POST", path, cookie, Some(body));
    let (email, password) = (format!("{MARK}@college.edu"), format!("{MARK} other words"));
    let student = json!({
        "name": format!("Asha {MARK}"), "email": email, "rollNumber": format!("{MARK}-1"),
        "department": "Physics", "batch": "2026", "password": password,
    });
    let asha = post("/auth/register", "", student).body["uid"].as_i64();
    let entered = post("/auth/sign-in", "", json!({ "email": email, "password": password }));
    let session = entered.cookie.expect("a cookie");
    let own = json!({ "currentPassword": password });
    let mut device = Device::at(&format!("http://localhost:{port}"), 1);
    let mut said = Vec::new();
    let mut tell = |body: Value| {
        said.extend(
            ["clientData", "attestationObject", "authenticatorData", "signature"]
                .map(|name| body[name].clone()),
        );
        body
    };

    // Made for another address, then for this one.
    let asked = post("/auth/passkeys", &session, own.clone()).body;
    let odd = tell(Device { origin: "http://elsewhere.example".into(), ..device.clone() }.make(&asked));
    assert_eq!(post("/auth/passkeys/confirm", &session, odd).status, 409);
    let asked = post("/auth/passkeys", &session, own.clone()).body;
    let mut made = tell(device.make(&asked));
    made["name"] = json!(format!("{MARK} phone"));
    let added = post("/auth/passkeys/confirm", &session, made);
    assert_eq!(added.status, 200, "{}", added.body);
    // Used rightly, then with the signature of something else.
    let begin = || {
        let begun = post("/auth/sign-in/passkey/begin", "", json!({}));
        let browser = after(&begun.head, "set-cookie: library-passkey=").to_owned();
        (begun.body, format!("library-passkey={browser}"))
    };
    let (asked, browser) = begin();
    let in_again = post("/auth/sign-in/passkey", &browser, tell(device.sign(&asked)));
    assert_eq!(in_again.status, 200, "{}", in_again.body);
    let (asked, second) = begin();
    let mut wrong = device.sign(&asked);
    wrong["signature"] = said.last().expect("a signature").clone();
    assert_eq!(post("/auth/sign-in/passkey", &second, wrong).status, 401);
    let id = call(port, "GET", "/me/second-factor", &session, None).body["passkeys"][0]["id"].clone();
    assert_eq!(post(&format!("/auth/passkeys/{id}/remove"), &session, own).status, 204);

    let begun = Instant::now();
    while !server.log().contains("passkey.removed") && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = server.log();
    let told: Vec<_> = events(&log).into_iter().map(|(event, account, ..)| (event, account)).collect();
    let expected = [
        ("account.made", None),
        ("sign-in.ok", asha),
        ("passkey.refused", asha),
        ("passkey.added", asha),
        ("passkey.ok", asha),
        ("passkey.refused", asha),
        ("passkey.removed", asha),
    ];
    assert_eq!(told, expected.map(|(event, account)| (event.to_owned(), account)));
    let texts = said.iter().filter_map(Value::as_str).map(ToOwned::to_owned);
    let codes = added.body["recoveryCodes"].as_array().expect("codes").iter();
    let codes = codes.map(|code| code.as_str().expect("a code").to_owned());
    let cookies = [&session, &browser, &second, in_again.cookie.as_ref().expect("a cookie")];
    let cookies = cookies.map(|cookie| cookie.split_once('=').expect("a cookie").1.to_owned());
    let own =
        [MARK.to_owned(), device.handle.clone().expect("a handle"), library::passkey::encoded(&device.id)];
    for secret in texts.chain(codes).chain(cookies).chain(own) {
        assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{secret} is in the log");
    }
    server.stop();
}
