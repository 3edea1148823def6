//! Text messages to readers and guardians, against a gateway that answers as it is asked.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use library::{
    http::Settings,
    jobs::{self, Job as _, MailNotices, Mailing, SendTexts, mail_notices},
    mail::{Post, TextGateway, TextOptions},
};
use ring::hmac;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    app::{Person, TestApp},
    common::Database,
    mails::post,
};

on_both_databases!(
    a_guardian_with_a_phone_alone_gets_one_signed_text_message,
    a_gateway_that_fails_gets_each_text_message_again_under_its_id,
    a_reader_without_a_confirmed_address_gets_text_messages,
    a_guardian_with_an_address_gets_mail_and_one_who_ended_it_gets_nothing,
);

/// Request that a gateway got.
#[derive(Clone, Debug)]
struct Request {
    headers: HeaderMap,
    body: String,
}

impl Request {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

#[derive(Clone, Copy)]
enum Told {
    Status(StatusCode),
    Redirect,
    Nothing,
}

#[derive(Clone)]
struct Gateway {
    address: String,
    told: Arc<Mutex<Told>>,
    got: Arc<Mutex<Vec<Request>>>,
}

impl Gateway {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}/send?route=1", listener.local_addr().expect("an address"));
        let gateway = Self {
            address,
            told: Arc::new(Mutex::new(Told::Status(StatusCode::ACCEPTED))),
            got: Arc::default(),
        };
        let shared = gateway.clone();
        let answer = move |headers: HeaderMap, body: Bytes| {
            let body = String::from_utf8(body.to_vec()).expect("UTF-8");
            shared.got.lock().expect("a list").push(Request { headers, body });
            let told = *shared.told.lock().expect("told");
            async move { respond(told).await }
        };
        let router = Router::new().route("/send", axum::routing::post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        gateway
    }

    fn tell(&self, told: Told) {
        *self.told.lock().expect("told") = told;
    }

    fn got(&self) -> Vec<Request> {
        self.got.lock().expect("a list").clone()
    }

    fn client(&self, change: impl FnOnce(&mut TextOptions)) -> TextGateway {
        let mut options = TextOptions {
            url: self.address.parse().expect("a URL"),
            header: None,
            template: None,
            key: None,
            redirect: None,
            rate: 100_000,
            patience: Duration::from_millis(500),
        };
        change(&mut options);
        TextGateway::new(options, "/nothing".as_ref()).expect("options")
    }
}

async fn respond(told: Told) -> Response {
    match told {
        Told::Status(status) => (status, "balance:\r\n 0").into_response(),
        Told::Redirect => (StatusCode::FOUND, [(header::LOCATION, "/elsewhere")]).into_response(),
        Told::Nothing => std::future::pending().await,
    }
}

struct Texted {
    app: TestApp,
    notices: MailNotices,
    send: SendTexts,
}

async fn library(database: Database, post: Post) -> Texted {
    let gateway = Arc::clone(post.texts.as_ref().expect("a gateway"));
    let set = |settings: &mut Settings| settings.post = post.clone();
    let app = TestApp::with(Arc::new(database), "Asia/Kolkata", set).await;
    let mailing = Mailing::new(&"http://library.school.in/".parse().expect("a URL"), &app.state.browser_key);
    Texted { app, notices: MailNotices::new(post, mailing), send: SendTexts::new(gateway) }
}

impl Texted {
    /// Queues the reminders of the day; returns the number of mails and text messages.
    async fn queue(&self) -> usize {
        jobs::remind(&self.app.state.library, "here").await.expect("done").expect("not elsewhere");
        let done = mail_notices(&self.app.state.library, &self.notices, "here").await.expect("a run");
        done.expect("not elsewhere")
    }

    async fn send(&self) {
        self.send.run(&self.app.state.library, "here").await.expect("a run");
    }

    /// Lends a book that is overdue on 29 November.
    async fn lend(&self, reader: &Person<'_>, title: &str) {
        reader.borrow(self.app.book(title, 1).await).await;
    }

    async fn give_guardian(&self, reader: &Person<'_>, guardian: Value) {
        self.app.admin(0).await.patch(&format!("/people/{}", reader.uid), &guardian).await.expect(200);
    }

    /// Returns the newest text message in the librarian's list.
    async fn newest(&self) -> Value {
        let list = self.app.admin(0).await.get("/mails").await.expect(200);
        let mut mails = list["mails"].as_array().expect("a list").iter();
        mails.find(|mail| mail["channel"] == "text").expect("a text message").clone()
    }
}

const KEY: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async fn a_guardian_with_a_phone_alone_gets_one_signed_text_message(database: Database) {
    let gateway = Gateway::start().await;
    let client = gateway.client(|options| {
        options.key = Some(format!("whsec_{KEY}"));
        options.header = Some((header::AUTHORIZATION, "Bearer 42".parse().expect("a header")));
    });
    let texted = library(database, Post { mail: None, texts: Some(Arc::new(client)) }).await;
    let app = &texted.app;
    let asha = app.student(1).await;
    texted.give_guardian(&asha, json!({ "guardianPhone": "+91 98450-12345" })).await;
    for title in ["Emma", "Godaan", "“Quoted” {{to}}", "Persuasion"] {
        texted.lend(&asha, title).await;
    }
    app.set_clock("2026-11-28T12:00:00Z");
    let plan = app.admin(0).await.get("/mails/tomorrow").await.expect(200);
    assert_eq!((&plan["count"], &plan["first"][0]["channel"]), (&json!(1), &json!("text")), "{plan}");
    app.set_clock("2026-11-29T06:00:00Z");
    assert_eq!((texted.queue().await, texted.queue().await), (1, 0), "none by mail, and none twice");
    texted.send().await;
    texted.send().await;

    let [request] = &gateway.got()[..] else { panic!("{:?}", gateway.got()) };
    let (id, body) = (&request.headers["webhook-id"], request.json());
    assert_eq!((&body["id"], &body["to"]), (&json!(id.to_str().expect("text")), &json!("+919845012345")));
    let text = body["text"].as_str().expect("text");
    assert!(text.starts_with("Student 1: 4 books are overdue at the library\n“"), "{text}");
    assert!(text.ends_with("\nand 1 more book"), "{text}");
    assert_eq!(request.headers["authorization"], "Bearer 42");
    assert_eq!(request.headers["content-type"], "application/json");
    // Standard Webhooks: the MAC of id, time and body, with the key that is in base64 after whsec_.
    let time = request.headers["webhook-timestamp"].to_str().expect("text");
    assert_eq!(time, "1795932000", "the time of the try, in seconds");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(KEY).expect("base64"));
    let signed = format!("{}.{time}.{}", id.to_str().expect("text"), request.body);
    let expected = format!("v1,{}", STANDARD.encode(hmac::sign(&key, signed.as_bytes())));
    assert_eq!(request.headers["webhook-signature"], expected.as_str());

    let newest = texted.newest().await;
    assert_eq!((&newest["state"], &newest["address"]), (&json!("sent"), &json!("+91 98450-12345")));
    assert_eq!(newest["subject"], "Student 1: 4 books are overdue at the library");
}

async fn a_gateway_that_fails_gets_each_text_message_again_under_its_id(database: Database) {
    let gateway = Gateway::start().await;
    let client = gateway.client(|options| {
        let template =
            r#"{"to": ["{{digits}}"], "data": {"v1": "{{name}}", "v2": "{{count}} of {{library}}"}}"#;
        (options.template, options.redirect) = (Some(template.into()), Some("+91 11111".into()));
    });
    let texted = library(database, Post { mail: None, texts: Some(Arc::new(client)) }).await;
    let app = &texted.app;
    let asha = app.student(1).await;
    texted.give_guardian(&asha, json!({ "guardianPhone": "98450 12345", "name": "A \"}, {{to}}\\" })).await;
    texted.lend(&asha, "Emma").await;
    app.set_clock("2026-11-29T06:00:00Z");
    assert_eq!(texted.queue().await, 1);

    // This message fails, the gateway does not: it is tried again a minute later, then two.
    gateway.tell(Told::Status(StatusCode::SERVICE_UNAVAILABLE));
    texted.send().await;
    texted.send().await;
    gateway.tell(Told::Nothing);
    app.set_clock("2026-11-29T06:01:01Z");
    texted.send().await;
    let newest = texted.newest().await;
    assert_eq!((&newest["state"], &newest["tries"]), (&json!("queued"), &json!(2)));
    assert_eq!(newest["reason"]["text"], "127.0.0.1 did not answer in time.");

    // No credit, a wrong address: the next message would fail, too, so all wait.
    for (told, at) in [
        (Told::Status(StatusCode::PAYMENT_REQUIRED), "2026-11-29T06:05:00Z"),
        (Told::Redirect, "2026-11-29T06:10:00Z"),
    ] {
        gateway.tell(told);
        app.set_clock(at);
        texted.send().await;
        texted.send().await;
    }
    let list = app.admin(0).await.get("/mails").await.expect(200);
    assert_eq!(
        (&list["on"], &list["textsOn"], &list["trouble"]),
        (&json!(false), &json!(true), &Value::Null)
    );
    assert_eq!(list["textTrouble"]["since"], "2026-11-29T06:05:00Z");
    app.set_clock("2026-11-29T08:00:00Z");
    let overview = app.admin(0).await.get("/overview").await.expect(200);
    assert_eq!(overview["mailTrouble"]["channel"], "text");

    gateway.tell(Told::Status(StatusCode::OK));
    texted.send().await;
    let got = gateway.got();
    assert_eq!(got.len(), 5, "once each time: {got:?}");
    let id = &got[0].headers["webhook-id"];
    assert!(got.iter().all(|request| request.headers["webhook-id"] == id && request.body == got[0].body));
    let own = json!({ "to": ["9111111"], "data": { "v1": "A \"}, {{to}}\\", "v2": "1 of the library" } });
    assert_eq!(got[0].json(), own, "to the phone for trials; a name stays in its string");
    assert!(!got[0].headers.contains_key("webhook-signature"));
    let list = app.admin(0).await.get("/mails").await.expect(200);
    assert_eq!((&list["textTrouble"], &list["counts"]["sent"]), (&Value::Null, &json!(1)));

    // A number that the gateway does not take fails in its words, and a librarian may send it again.
    app.set_clock("2026-12-05T06:00:00Z");
    assert_eq!(texted.queue().await, 1);
    gateway.tell(Told::Status(StatusCode::BAD_REQUEST));
    texted.send().await;
    let newest = texted.newest().await;
    assert_eq!(newest["reason"]["text"], "127.0.0.1 refused this text message (400): balance: 0");
    assert_eq!((&newest["state"], &newest["canSendAgain"]), (&json!("failed"), &json!(true)));
}

async fn a_reader_without_a_confirmed_address_gets_text_messages(database: Database) {
    let gateway = Gateway::start().await;
    let both = Post { mail: Some(Arc::new(post(25))), texts: Some(Arc::new(gateway.client(|_| ()))) };
    let texted = library(database, both).await;
    let app = &texted.app;
    let (asha, bala, admin) = (app.student(1).await, app.student(2).await, app.admin(0).await);
    let path = format!("/people/{}", asha.uid);
    assert_eq!(admin.patch(&path, &json!({ "phone": "at home" })).await.wrong_fields(), ["phone"]);
    let saved = admin.patch(&path, &json!({ "phone": "+91 98450 12345" })).await.expect(200);
    assert_eq!(saved["phone"], "+91 98450 12345");
    assert_eq!(asha.get("/me/mail-choices").await.expect(200)["phone"], Value::Null, "mails come first");
    app.raw(&format!("UPDATE users SET email = NULL, email_key = NULL WHERE id = {}", asha.uid));
    let choices = asha.get("/me/mail-choices").await.expect(200);
    assert_eq!((&choices["on"], &choices["phone"]), (&json!(true), &json!("+91 98450 12345")));
    app.raw(&format!("INSERT INTO claimed_addresses (user_id) VALUES ({})", bala.uid));
    app.raw(&format!("UPDATE users SET phone = '98450 00000' WHERE id = {}", bala.uid));

    let book = app.book("Godaan", 1).await;
    let loan = bala.borrow(book).await;
    asha.ask(&format!("/books/{book}/holds")).await.expect(201);
    texted.lend(&asha, "Emma").await;
    texted.lend(&bala, "Persuasion").await;
    app.set_clock("2026-11-29T06:00:00Z");
    let back = json!({ "restock": true });
    app.admin(0).await.post(&format!("/loans/{loan}/return"), &back).await.expect(204);
    assert_eq!((texted.queue().await, texted.queue().await), (4, 0), "each once");
    texted.send().await;
    let mut got: Vec<(String, String)> = gateway
        .got()
        .iter()
        .map(|request| {
            let field = |name: &str| request.json()[name].as_str().expect("text").to_owned();
            (field("to"), field("text").lines().next().unwrap_or_default().to_owned())
        })
        .collect();
    got.sort();
    let text = |to: &str, first: &str| (to.to_owned(), first.to_owned());
    assert_eq!(
        got,
        [
            text("+919845012345", "Student 1: 1 book is overdue at the library"),
            text("+919845012345", "Your reserved book is ready at the library"),
            text("9845000000", "A charge on your account at the library"),
            text("9845000000", "Student 2: 1 book is overdue at the library"),
        ]
    );
}

async fn a_guardian_with_an_address_gets_mail_and_one_who_ended_it_gets_nothing(database: Database) {
    let gateway = Gateway::start().await;
    let both = Post { mail: Some(Arc::new(post(25))), texts: Some(Arc::new(gateway.client(|_| ()))) };
    let texted = library(database, both).await;
    let app = &texted.app;
    let (asha, bala, chand) = (app.student(1).await, app.student(2).await, app.student(3).await);
    let phone = "98450 12345";
    texted.give_guardian(&asha, json!({ "guardianEmail": "mother@home.in", "guardianPhone": phone })).await;
    texted.give_guardian(&bala, json!({ "guardianEmail": "father@home.in", "guardianPhone": phone })).await;
    texted.give_guardian(&chand, json!({ "guardianPhone": phone })).await;
    app.raw(&format!(
        "INSERT INTO mail_choices (person_id, refused, guardian_refused) VALUES ({}, '[]', 'father@home.in')",
        bala.uid
    ));
    for (reader, title) in [(&asha, "Emma"), (&bala, "Godaan"), (&chand, "Persuasion")] {
        texted.lend(reader, title).await;
    }
    app.set_clock("2026-11-29T06:00:00Z");
    assert_eq!(texted.queue().await, 5, "three readers and two guardians");
    let rows =
        app.raw("SELECT channel, address FROM mails WHERE address NOT LIKE 'student%' ORDER BY person_id");
    let cell = |cell: &str| Some(cell.to_owned());
    assert_eq!(rows, [[cell("mail"), cell("mother@home.in")], [cell("text"), cell(phone)]]);
    texted.send().await;
    assert_eq!(gateway.got().len(), 1, "mails do not go to the gateway");
}
