//! The whole product in process: the real router on its own database, with a clock that the test moves and people who keep
//! their cookies. Every answer of the API is checked against its document.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Request, header},
};
use http_body_util::BodyExt as _;
use jiff::{Timestamp, tz::TimeZone};
use library::{
    backups::Backups,
    catalogue::Catalogue,
    clock::Clock,
    domain::{
        account::Role,
        copy::State as CopyState,
        id::{BookId, ChangeId, UserId},
    },
    http::{
        self, API, App, Limits, Settings, Shared,
        covers::DecodeLimit,
        idempotency::KEY,
        options::{IdCard, SecondFactor},
        people::import::Importing,
        ready::Answers,
        session::{Lifetimes, Sessions},
        setup::Setup,
        web::Screens,
    },
    library::Library,
    mail::Post,
    password::Passwords,
    policies::Policies,
    storage::{
        Result, Tx,
        accounts::{self, NewAccount},
        copies,
        events::{self, Filter},
        sessions::{self, Opened},
    },
};
use rust_embed::RustEmbed;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::{common::Database, contract};

/// Start of every test: a Saturday morning in the library (11:30 in Kolkata).
pub const NOW: &str = "2026-11-21T06:00:00Z";

/// Longer than any test.
const A_CENTURY: Duration = Duration::from_hours(100 * 365 * 24);

/// Host that browsers call.
pub const HOST: &str = "localhost:8080";

/// Built screens, read from their folder.
#[derive(RustEmbed)]
#[folder = "web/dist"]
#[allow_missing = true]
struct Files;

pub struct TestApp {
    pub state: Shared,
    pub clock: Clock,
    pub router: Router,
    pub database: Arc<Database>,
}

/// Hashing is slow on purpose; the tests of one process share one instance.
static PASSWORDS: LazyLock<Passwords> = LazyLock::new(|| Passwords::new().expect("hashing works"));

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

impl TestApp {
    /// Creates a server on a fresh `SQLite` file.
    pub async fn new() -> Self {
        Self::on(Database::ready_sqlite()).await
    }

    /// Creates a server on this database.
    pub async fn on(database: Database) -> Self {
        Self::with(Arc::new(database), "Asia/Kolkata", |_| {}).await
    }

    /// Creates a server with its own settings and time zone, on a database that other servers may share.
    pub async fn with(database: Arc<Database>, zone: &str, change: impl FnOnce(&mut Settings)) -> Self {
        // A few students here do as much as many in a library.
        Self::limited(database, zone, change, Limits::with_student_changes(1_000_000)).await
    }

    /// Same as [`Self::with`], with its own limits.
    pub async fn limited(
        database: Arc<Database>,
        zone: &str,
        change: impl FnOnce(&mut Settings),
        limits: Limits,
    ) -> Self {
        let mut settings = Settings {
            public_url: format!("http://{HOST}/").parse().expect("a URL"),
            trusted_proxies: Vec::new(),
            id_card: IdCard::Full,
            second_factor: SecondFactor::Optional,
            // Most tests move the clock for other reasons; session tests set realistic lifetimes.
            lifetimes: Lifetimes { librarian: A_CENTURY, librarian_idle: A_CENTURY },
            daily_backups: None,
            provider: None,
            post: Post::default(),
            isbn_sources: None,
        };
        change(&mut settings);
        let clock = Clock::standing_at(instant(NOW), TimeZone::get(zone).expect("a time zone"));
        let db = database.open();
        let catalogue = Catalogue::open(db.clone(), clock.clone());
        catalogue.index().await;
        let backups = Backups::new(database.location.clone(), settings.daily_backups.clone());
        let state = Arc::new(App {
            library: Library { db, clock: clock.clone(), policies: Policies::default(), catalogue },
            pages: Answers::default(),
            passwords: PASSWORDS.clone(),
            browser_key: "key of the servers".into(),
            sessions: Sessions::default(),
            settings,
            screens: Screens::embedded::<Files>(),
            limits,
            setup: Setup::default(),
            importing: Importing::default(),
            decode_limit: DecodeLimit::default(),
            backups: Arc::new(backups),
            stopping: false.into(),
        });
        Self { router: http::router(Arc::clone(&state)), state, clock, database }
    }

    /// Moves the clock.
    pub fn set_clock(&self, text: &str) {
        self.clock.set(instant(text));
    }

    /// Writes without the API.
    pub async fn store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> T {
        self.state.library.db.write(work).await.expect("the write is stored")
    }

    /// Runs a statement with the bare driver; returns every cell as text.
    pub fn raw(&self, statement: &str) -> Vec<Vec<Option<String>>> {
        self.database.raw(statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    /// Returns a caller without a session.
    pub fn visitor(&self) -> Person<'_> {
        Person { app: self, uid: UserId(0), cookies: Mutex::default() }
    }

    /// Returns signed-in student number `n`; an existing account gets another session.
    pub async fn student(&self, n: usize) -> Person<'_> {
        self.person(NewAccount {
            email: format!("student{n}@college.edu"),
            name: format!("Student {n}"),
            role: Role::Student,
            roll_number: Some(format!("cs25-{n:03}")),
            department: Some("Physics".into()),
            batch: Some("2027".into()),
            // No password matches, so none needs to be hashed.
            password_hash: "!".into(),
        })
        .await
    }

    /// Returns signed-in librarian number `n`; see [`Self::student`].
    pub async fn admin(&self, n: usize) -> Person<'_> {
        self.person(NewAccount {
            email: format!("librarian{n}@college.edu"),
            name: format!("Librarian {n}"),
            role: Role::Admin,
            roll_number: None,
            department: None,
            batch: None,
            password_hash: "!".into(),
        })
        .await
    }

    /// Creates this account and signs its owner in.
    pub async fn person(&self, new: NewAccount) -> Person<'_> {
        let token = http::session::new_token().expect("randomness");
        let (hash, now) = (http::session::hashed(&token), self.clock.now());
        let expires_at = self.state.settings.lifetimes.end(new.role, now, now);
        let uid = self
            .store(move |tx| {
                let uid = match accounts::credentials(tx, &new.email)? {
                    Some((account, _)) => account.uid,
                    None => accounts::add(tx, &new, now)?.expect("nothing is taken").uid,
                };
                sessions::begin(tx, &hash, uid, now, expires_at, Opened::default())?;
                Ok(uid)
            })
            .await;
        let name = http::session::cookie_name(self.state.settings.is_https());
        Person { app: self, uid, cookies: Mutex::new([(name.to_owned(), token)].into()) }
    }

    /// Adds a book through the API; returns its id.
    pub async fn book(&self, title: &str, copies: i64) -> i64 {
        self.book_by(title, "Premchand", copies).await
    }

    /// Adds a book of this author through the API; returns its id.
    pub async fn book_by(&self, title: &str, author: &str, copies: i64) -> i64 {
        let form = with(&form(title, copies), json!({ "author": author }));
        let librarian = self.admin(0).await;
        let added = librarian.post("/books", &form).await.expect(201);
        // A librarian has ten sessions: those of the test stay.
        librarian.ask("/auth/sign-out").await.expect(204);
        added["id"].as_i64().expect("an id")
    }

    /// How many copies of a title are in each state; states without any are left out.
    pub async fn copies(&self, book: i64) -> Vec<(CopyState, i64)> {
        self.state.library.db.read(move |tx| copies::counts(tx, BookId(book))).await.expect("readable")
    }

    /// What was kept of a book, oldest first: the action and who did it.
    pub async fn changes(&self, book: i64) -> Vec<(String, Option<UserId>)> {
        let filter = Filter { book: Some(BookId(book)), ..Filter::default() };
        let found =
            self.state.library.db.read(move |tx| events::page(tx, &filter, ChangeId(i64::MAX), 1000)).await;
        let found = found.expect("readable").into_iter().rev();
        found.map(|change| (change.change.action().to_owned(), change.actor.map(|(uid, _)| uid))).collect()
    }

    /// Sends a request as it is and holds the answer against the document.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        // A stream has no end.
        let bytes = if is_stream(&parts.headers) {
            Bytes::new()
        } else {
            body.collect().await.expect("a body").to_bytes()
        };
        let answer = Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            call: format!("{method} {path}"),
        };
        if let Some(api) = path.strip_prefix(API) {
            contract::check(method.as_str(), api, &answer);
        }
        answer
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

/// A full `Add New Book` form.
pub fn form(title: &str, copies: i64) -> Value {
    json!({
        "title": title,
        "author": "Premchand",
        "genre": "Fiction",
        "photoURL": "https://example.org/cover.jpg",
        "description": "A book of which the library thinks highly. ".repeat(5),
        "noOfBooks": copies,
        "location": "Shelf A3",
        "status": "Available",
        "rating": 4,
    })
}

/// A JSON object with some fields put in or exchanged; null takes one out.
pub fn with(base: &Value, changes: Value) -> Value {
    let mut changed = base.clone();
    let object = changed.as_object_mut().expect("an object");
    let Value::Object(changes) = changes else { panic!("the changes are an object") };
    for (name, value) in changes {
        if value.is_null() {
            object.remove(&name);
        } else {
            object.insert(name, value);
        }
    }
    changed
}

/// A person with a browser, which keeps the session's cookie.
pub struct Person<'a> {
    pub app: &'a TestApp,
    pub uid: UserId,
    /// By name; the names' order is the one that they are sent in.
    cookies: Mutex<BTreeMap<String, String>>,
}

impl<'a> Person<'a> {
    /// The cookies that are sent, if any.
    pub fn cookie(&self) -> Option<String> {
        let cookies = self.cookies.lock().expect("no panic");
        let pairs: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Loses the session's cookie, as closing the browser does, and keeps what outlives it.
    pub fn close_browser(&self) {
        let name = http::session::cookie_name(self.app.state.settings.is_https());
        self.cookies.lock().expect("no panic").remove(name);
    }

    /// The same browser once more, with the same cookie.
    pub fn copy(&self) -> Person<'a> {
        Person {
            app: self.app,
            uid: self.uid,
            cookies: Mutex::new(self.cookies.lock().expect("no panic").clone()),
        }
    }

    /// The same browser at another server.
    pub fn at<'b>(&self, app: &'b TestApp) -> Person<'b> {
        Person { app, uid: self.uid, cookies: Mutex::new(self.cookies.lock().expect("no panic").clone()) }
    }

    /// A request as a browser on the product's own page sends it. Paths under the API's base are written without it.
    pub fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Body> {
        let uri = if path == "/" || path.starts_with("/library") {
            path.to_owned()
        } else {
            format!("{API}{path}")
        };
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header(header::HOST, HOST)
            .header("sec-fetch-site", "same-origin");
        if let Some(cookie) = self.cookie() {
            request = request.header(header::COOKIE, cookie);
        }
        let request = match body {
            Some(json) => {
                request.header(header::CONTENT_TYPE, "application/json").body(Body::from(json.to_string()))
            }
            None => request.body(Body::empty()),
        };
        request.expect("a request")
    }

    /// A write as the screens send it: with an `Idempotency-Key` of its own.
    fn write(&self, method: &str, path: &str, body: Option<&Value>) -> Request<Body> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let mut request = self.request(method, path, body);
        let key = format!("screen {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
        request
    }

    /// Sends a request and keeps the cookies that the answer sets.
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let answer = self.app.send(request).await;
        let mut cookies = self.cookies.lock().expect("no panic");
        for set in answer.headers.get_all(header::SET_COOKIE) {
            let pair = set.to_str().expect("text").split(';').next().unwrap_or_default();
            match pair.split_once('=') {
                Some((name, "")) => cookies.remove(name),
                Some((name, value)) => cookies.insert(name.to_owned(), value.to_owned()),
                None => panic!("no cookie: {set:?}"),
            };
        }
        drop(cookies);
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path, None)).await
    }

    /// Listens to a stream, from behind the event with this number.
    pub async fn listen(&self, path: &str, after: Option<&str>) -> Events {
        let mut request = self.request("GET", path, None);
        if let Some(id) = after {
            request.headers_mut().insert("last-event-id", id.parse().expect("a header"));
        }
        Events::of(self.app, request).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.write("POST", path, Some(body))).await
    }

    /// POST without a body.
    pub async fn ask(&self, path: &str) -> Answer {
        self.send(self.write("POST", path, None)).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(self.write("PATCH", path, Some(body))).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.write("DELETE", path, None)).await
    }

    pub async fn put(&self, path: &str, etag: &str, body: &Value) -> Answer {
        let mut request = self.write("PUT", path, Some(body));
        request.headers_mut().insert(header::IF_MATCH, etag.parse().expect("a header"));
        self.send(request).await
    }

    /// Borrows; the loan's id.
    pub async fn borrow(&self, book: i64) -> i64 {
        self.ask(&format!("/books/{book}/loans")).await.expect(201)["id"].as_i64().expect("an id")
    }
}

/// A stream of server-sent events.
pub struct Events {
    body: Body,
    text: String,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: String,
    pub id: Option<String>,
    pub data: String,
}

impl Event {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).expect("JSON")
    }
}

impl Events {
    /// The answer to this request.
    pub async fn of(app: &TestApp, request: Request<Body>) -> Self {
        let response = app.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        assert_eq!(response.status(), 200);
        assert!(is_stream(response.headers()));
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(|value| value.trim().to_owned())
                };
                let event = field("event:").map(|kind| Event {
                    kind,
                    id: field("id:"),
                    data: field("data:").unwrap_or_default(),
                });
                self.text = self.text.split_off(self.text.len() - rest.len());
                match event {
                    Some(event) => return Some(event),
                    // A sign of life.
                    None => continue,
                }
            }
            let frame = tokio::time::timeout(Duration::from_secs(10), self.body.frame()).await;
            let frame = frame.expect("an event in time")?;
            let bytes = frame.expect("a stream that does not break").into_data().expect("data");
            self.text.push_str(std::str::from_utf8(&bytes).expect("text"));
        }
    }

    /// The next event of this kind; others are passed over.
    pub async fn next_of(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind:?}"));
            if event.kind == kind {
                return event;
            }
        }
    }
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    call: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body; null where there is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The body, after the status was looked at.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.call, self.text);
        self.json()
    }

    /// The words of a problem, after its status and code were looked at.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> String {
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{}: {}", self.call, self.text);
        problem["detail"].as_str().unwrap_or_default().to_owned()
    }

    /// The fields that a 422 names, in its order.
    #[track_caller]
    pub fn wrong_fields(&self) -> Vec<String> {
        self.problem(422, "invalid");
        let errors = self.json()["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["field"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The messages that a 422 gives, in its order.
    #[track_caller]
    pub fn messages(&self) -> Vec<String> {
        self.problem(422, "invalid");
        let errors = self.json()["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|error| error["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    #[track_caller]
    pub fn etag(&self) -> String {
        self.header("etag").unwrap_or_else(|| panic!("{} has no ETag", self.call)).to_owned()
    }
}
