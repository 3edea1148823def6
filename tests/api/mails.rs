//! Outbox of mail and links to a new password, against an SMTP server that fails as it is asked.

use std::{sync::Arc, time::Duration};

use library::{
    domain::{
        account::Role,
        id::MailId,
        mail::{Channel, Kind},
    },
    http::{self, Settings},
    jobs::{Outcome, SendMails, send_mails},
    mail::{Options, PATIENCE, Security, SmtpClient},
    storage::{
        accounts::NewAccount,
        mails::{self, NewMail},
    },
};
use serde_json::{Value, json};

use crate::{
    app::{NOW, Person, TestApp},
    certificate::Certificate,
    common::Database,
    mail_server::{Act, MailServer, header, headers},
};

on_both_databases!(
    a_link_replaces_a_forgotten_password_once_r_people_3,
    a_link_ends_with_what_it_rests_on_r_seam_8,
    no_answer_and_no_row_tells_whether_an_address_is_known_r_people_3,
    a_link_asked_for_too_often_is_refused_for_every_address_r_people_3,
    mails_about_a_password_are_in_the_language_that_the_person_chose,
    a_mail_whose_answer_was_lost_comes_again_under_its_message_id,
    a_mail_of_a_server_that_died_comes_again_under_its_message_id,
    a_mail_that_is_refused_fails_in_words_and_one_put_off_waits_longer_each_time,
    a_mail_server_in_trouble_is_left_alone_and_loses_no_mail,
    no_name_or_subject_starts_a_header,
    two_servers_send_each_mail_once,
    a_librarian_stops_a_mail_and_sends_one_again,
    all_mails_that_failed_on_a_day_are_sent_again_once,
    a_sign_in_code_is_mailed_to_its_person_alone_r_people_3,
);

const PASSWORD: &str = "four unrelated words";

pub fn options(port: u16) -> Options {
    Options {
        host: "localhost".into(),
        port,
        security: Security::Plain,
        account: None,
        roots: None,
        from: "City Library <library@school.in>".parse().expect("a mailbox"),
        reply_to: Some("desk@school.in".parse().expect("a mailbox")),
        redirect: None,
        rate: 100_000,
        hello: "localhost".into(),
    }
}

/// A way to the server at this port.
pub fn post(port: u16) -> SmtpClient {
    SmtpClient::new(options(port)).expect("options")
}

/// A library with mail, and its job.
async fn library(database: Database, options: Options) -> (TestApp, SendMails) {
    let post = Arc::new(SmtpClient::new(options).expect("options"));
    let set = |settings: &mut Settings| settings.post.mail = Some(Arc::clone(&post));
    let app = TestApp::with(Arc::new(database), "Asia/Kolkata", set).await;
    let job = SendMails::new(post, &app.state.settings.public_url);
    (app, job)
}

async fn send(app: &TestApp, job: &SendMails) {
    assert_eq!(send_mails(&app.state.library, job, "here").await.expect("a run"), Outcome::Done);
}

/// Queues a mail; returns its id.
pub async fn queued(app: &TestApp, address: &str) -> MailId {
    let now = app.clock.now();
    let mail = NewMail {
        channel: Channel::Mail,
        person: None,
        kind: Kind::Test,
        address: address.into(),
        subject: "s".into(),
        text: "t\n".into(),
        html: "<p>t</p>".into(),
        message_id: format!("<{}@school.in>", http::session::new_token().expect("randomness")),
        not_before: now,
        expires_at: now + PATIENCE,
        digest_day: None,
        unsubscribe: None,
    };
    app.store(move |tx| mails::queue(tx, &mail, now)).await
}

/// State and reason of a mail.
fn state(app: &TestApp, id: MailId) -> (String, String) {
    let rows = app.raw(&format!("SELECT state, COALESCE(reason, '') FROM mails WHERE id = {id}"));
    let [state, reason] = &rows[0][..] else { panic!("{rows:?}") };
    let codes: Value =
        serde_json::from_str(reason.as_deref().filter(|json| !json.is_empty()).unwrap_or("[]"))
            .expect("messages");
    (state.clone().unwrap_or_default(), codes[0]["code"].as_str().unwrap_or_default().to_owned())
}

/// Moves the clock forward.
fn later(app: &TestApp, minutes: i64) {
    let now = jiff::Timestamp::from_millisecond(app.clock.now()).expect("an instant");
    app.clock.set(now + jiff::SignedDuration::from_mins(minutes));
}

async fn asha(app: &TestApp) -> Person<'_> {
    let account = NewAccount {
        email: "asha@college.edu".into(),
        name: "Asha".into(),
        role: Role::Student,
        roll_number: Some("cs25-014".into()),
        department: None,
        batch: None,
        password_hash: app.state.passwords.hash("the forgotten words".into()).await.expect("a hash"),
    };
    app.person(account).await
}

async fn forget(app: &TestApp, email: &str) {
    app.visitor().post("/auth/forgot", &json!({ "email": email })).await.expect(204);
}

/// Asks for a link and returns the token that arrives.
async fn link(app: &TestApp, job: &SendMails, server: &MailServer) -> String {
    forget(app, "Asha@College.edu").await;
    send(app, job).await;
    let mut texts = server.received().into_iter().map(|mail| mail.replace("=\r\n", "").replace("=3D", "="));
    let text = texts.rfind(|text| text.contains("/library/reset#")).expect("a link");
    let (_, after) = text.split_once("/library/reset#").expect("a link");
    after.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn chosen(token: &str) -> Value {
    json!({ "token": token, "password": PASSWORD })
}

async fn a_link_replaces_a_forgotten_password_once_r_people_3(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let elsewhere = asha(&app).await;
    assert_eq!(app.visitor().get("/auth/session").await.expect(200)["mail"], true);
    let (first, token) = (link(&app, &job, &server).await, link(&app, &job, &server).await);
    let mail = server.received().pop().expect("a mail");
    assert_eq!(header(&mail, "To"), "asha@college.edu");
    assert_eq!(header(&mail, "Auto-Submitted"), "auto-generated");
    assert_eq!(header(&mail, "Reply-To"), "desk@school.in");
    assert_eq!(
        app.raw("SELECT text, html FROM mails WHERE text <> '' OR html <> ''").len(),
        0,
        "no secret is left"
    );
    assert!(!app.raw("SELECT * FROM password_links").iter().flatten().flatten().any(|cell| *cell == token));

    let check = async |token: &str| app.visitor().post("/auth/reset/check", &json!({ "token": token })).await;
    check(&token).await.expect(204);
    let browser = app.visitor();
    let short = json!({ "token": token, "password": "short" });
    assert_eq!(browser.post("/auth/reset", &short).await.wrong_fields(), ["password"]);
    let user = browser.post("/auth/reset", &chosen(&token)).await.expect(200);
    assert_eq!(user["name"], "Asha");
    browser.get("/me").await.expect(200);
    elsewhere.get("/me").await.problem(401, "not-signed-in");
    for used in [&token, &first] {
        check(used).await.problem(401, "invalid-link");
        app.visitor().post("/auth/reset", &chosen(used)).await.problem(401, "invalid-link");
    }
    let sign_in = json!({ "email": "asha@college.edu", "password": PASSWORD });
    app.visitor().post("/auth/sign-in", &sign_in).await.expect(200);
    send(&app, &job).await;
    assert_eq!(header(&server.received()[2], "Subject"), "Your password for the library was changed");
}

async fn a_link_ends_with_what_it_rests_on_r_seam_8(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let uid = asha(&app).await.uid;
    for change in [
        "UPDATE users SET password_hash = '!' WHERE id = ",
        "UPDATE users SET email_key = 'new@college.edu' WHERE id = ",
        "UPDATE users SET role = 'admin' WHERE id = ",
        "INSERT INTO authenticators (user_id, secret, begun_at) SELECT id, 'G', 1 FROM users WHERE id = ",
    ] {
        let token = link(&app, &job, &server).await;
        app.raw(&format!("{change}{uid}"));
        app.raw(&format!("UPDATE authenticators SET confirmed_at = 1 WHERE user_id = {uid}"));
        app.visitor().post("/auth/reset", &chosen(&token)).await.problem(401, "invalid-link");
        app.raw(&format!(
            "UPDATE users SET email_key = 'asha@college.edu', role = 'student' WHERE id = {uid}"
        ));
        later(&app, 10);
        app.state.limits.forgotten_of_address.give_back(&"asha@college.edu".to_owned());
    }
    let token = link(&app, &job, &server).await;
    // The second factor is still asked for.
    app.visitor().post("/auth/reset", &chosen(&token)).await.problem(401, "second-factor-needed");
    app.state.limits.forgotten_of_address.give_back(&"asha@college.edu".to_owned());
    let late = link(&app, &job, &server).await;
    later(&app, 30);
    app.visitor().post("/auth/reset", &chosen(&late)).await.problem(401, "invalid-link");
}

async fn no_answer_and_no_row_tells_whether_an_address_is_known_r_people_3(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    asha(&app).await;
    let mut answers = Vec::new();
    for email in ["asha@college.edu", "nobody@college.edu"] {
        let answer = app.visitor().post("/auth/forgot", &json!({ "email": email })).await;
        let headers: Vec<String> =
            answer.headers.keys().map(ToString::to_string).filter(|name| name != "request-id").collect();
        answers.push((answer.status, headers, answer.text));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(app.raw("SELECT id FROM link_requests").len(), 2, "each is one row");
    send(&app, &job).await;
    assert_eq!(server.recipients(), ["RCPT TO:<asha@college.edu>"]);
    assert!(app.raw("SELECT id FROM link_requests").is_empty());
}

async fn mails_about_a_password_are_in_the_language_that_the_person_chose(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let asha = asha(&app).await;
    asha.put("/me/mail-choices", "*", &json!({ "language": "hi", "refused": [] })).await.expect(200);
    let token = link(&app, &job, &server).await;
    app.visitor().post("/auth/reset", &chosen(&token)).await.expect(200);
    send(&app, &job).await;
    // Subjects in Hindi are encoded words.
    for mail in server.received() {
        assert!(header(&mail, "Subject").starts_with("=?utf-8?"), "{mail}");
    }
    assert_eq!(server.received().len(), 2);
}

async fn a_link_asked_for_too_often_is_refused_for_every_address_r_people_3(database: Database) {
    let (app, _) = library(database, options(9)).await;
    asha(&app).await;
    for email in ["asha@college.edu", "nobody@college.edu"] {
        for _ in 0..3 {
            forget(&app, email).await;
        }
        app.visitor()
            .post("/auth/forgot", &json!({ "email": email }))
            .await
            .problem(429, "too-many-requests");
    }
    let wrong = json!({ "email": "asha\r\nBcc: all" });
    assert_eq!(app.visitor().post("/auth/forgot", &wrong).await.wrong_fields(), ["email"]);
    let off = TestApp::new().await;
    off.visitor()
        .post("/auth/forgot", &json!({ "email": "asha@college.edu" }))
        .await
        .problem(404, "not-found");
}

async fn a_mail_whose_answer_was_lost_comes_again_under_its_message_id(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let mail = queued(&app, "a@college.edu").await;
    server.next([Act::Drop]);
    send(&app, &job).await;
    assert_eq!(state(&app, mail).0, "queued");
    later(&app, 1);
    send(&app, &job).await;
    assert_eq!(state(&app, mail), ("sent".into(), "mail.accepted".into()));
    let ids: Vec<String> = server.received().iter().map(|mail| header(mail, "Message-ID")).collect();
    assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
}

async fn a_mail_of_a_server_that_died_comes_again_under_its_message_id(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let mail = queued(&app, "a@college.edu").await;
    server.next([Act::Hang]);
    tokio::select! {
        _ = send_mails(&app.state.library, &job, "died") => panic!("no answer came"),
        () = server.has_received(1) => {}
    }
    // Another server waits for the end of the lease.
    assert_eq!(send_mails(&app.state.library, &job, "other").await.expect("a run"), Outcome::Done);
    assert_eq!(server.received().len(), 1);
    later(&app, 3);
    assert_eq!(send_mails(&app.state.library, &job, "other").await.expect("a run"), Outcome::Done);
    assert_eq!(state(&app, mail).0, "sent");
    let ids: Vec<String> = server.received().iter().map(|mail| header(mail, "Message-ID")).collect();
    assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
}

async fn a_mail_that_is_refused_fails_in_words_and_one_put_off_waits_longer_each_time(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    for (answer, code) in [
        ("550 5.1.1 No such user", "mail.noMailbox"),
        ("552 5.2.2 Over quota", "mail.mailboxFull"),
        ("554 5.7.1 Spam", "mail.refused"),
    ] {
        let mail = queued(&app, "a@college.edu").await;
        server.next([Act::Recipient(answer)]);
        send(&app, &job).await;
        assert_eq!(state(&app, mail), ("failed".into(), code.into()), "{answer}");
    }
    let odd = queued(&app, "no address").await;
    send(&app, &job).await;
    assert_eq!(state(&app, odd), ("failed".into(), "mail.badAddress".into()));

    let mail = queued(&app, "b@college.edu").await;
    server.next(vec![Act::Data("450 4.2.1 Try again"); 60]);
    let (begun, mut tries) = (app.clock.now(), 0);
    loop {
        send(&app, &job).await;
        tries += 1;
        if state(&app, mail).0 == "failed" {
            break;
        }
        let next = app.raw(&format!("SELECT not_before FROM mails WHERE id = {mail}"));
        let next: i64 = next[0][0].as_deref().and_then(|cell| cell.parse().ok()).expect("an instant");
        assert!(next > app.clock.now(), "each wait moves the next try");
        app.clock.set(jiff::Timestamp::from_millisecond(next).expect("an instant"));
    }
    let hours = (app.clock.now() - begun) / (60 * 60 * 1000);
    assert_eq!(state(&app, mail), ("failed".into(), "mail.later".into()));
    assert!((46..=48).contains(&hours) && (45..60).contains(&tries), "{tries} tries in {hours} hours");
    assert!(server.received().is_empty());
}

async fn a_mail_server_in_trouble_is_left_alone_and_loses_no_mail(database: Database) {
    let server = MailServer::plain();
    let account = Some(("library".to_owned(), "wrong".to_owned()));
    let (app, job) = library(database, Options { account, ..options(server.port) }).await;
    let mut all = Vec::new();
    for n in 0..20 {
        all.push(queued(&app, &format!("s{n}@college.edu")).await);
    }
    let librarian = app.admin(0).await;
    for _ in 0..59 {
        send(&app, &job).await;
        later(&app, 1);
    }
    assert!((3..=30).contains(&server.sign_ins()), "{} tries to sign in", server.sign_ins());
    assert!(librarian.get("/overview").await.expect(200)["mailTrouble"].is_null());
    later(&app, 1);
    let trouble = librarian.get("/overview").await.expect(200)["mailTrouble"].clone();
    assert_eq!((&trouble["since"], &trouble["reason"]["code"]), (&json!(NOW), &json!("mail.signInRefused")));
    let list = librarian.get("/mails?state=queued").await.expect(200);
    assert_eq!((&list["counts"]["queued"], &list["trouble"]["since"]), (&json!(20), &json!(NOW)));

    // The operator corrects the password.
    let post = Arc::new(post(server.port));
    let job = SendMails::new(post, &app.state.settings.public_url);
    later(&app, 60);
    send(&app, &job).await;
    assert!(all.iter().all(|mail| state(&app, *mail).0 == "sent"));
    assert!(librarian.get("/overview").await.expect(200)["mailTrouble"].is_null());

    // A server that does not encrypt gets nothing.
    let starttls = Options { security: Security::StartTls, ..options(server.port) };
    let job =
        SendMails::new(Arc::new(SmtpClient::new(starttls).expect("options")), &app.state.settings.public_url);
    let mail = queued(&app, "a@college.edu").await;
    send(&app, &job).await;
    assert_eq!(state(&app, mail), ("queued".into(), "mail.notEncrypted".into()));
    assert_eq!(server.received().len(), 20);
}

async fn no_name_or_subject_starts_a_header(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let now = app.clock.now();
    for (n, subject) in ["Due\r\nBcc: all@x.org", "रश्मिरथी\nX-Evil: 1 — देय तिथि आज है, कृपया पुस्तक लौटा दें"]
        .into_iter()
        .enumerate()
    {
        let mail = NewMail {
            channel: Channel::Mail,
            person: None,
            kind: Kind::Test,
            address: "a@college.edu".into(),
            subject: subject.into(),
            text: "Bcc: all@x.org\r\n.\r\nMAIL FROM:<x@x.org>\n".into(),
            html: "<p>t</p>".into(),
            message_id: format!("<{n}@school.in>"),
            not_before: now,
            expires_at: now + 1,
            digest_day: None,
            unsubscribe: None,
        };
        app.store(move |tx| mails::queue(tx, &mail, now)).await;
    }
    let odd = queued(&app, "a@college.edu>\r\nRCPT TO:<b@college.edu").await;
    send(&app, &job).await;
    assert_eq!(state(&app, odd).0, "failed");
    assert_eq!(server.recipients(), ["RCPT TO:<a@college.edu>"; 2]);
    let received = server.received();
    assert_eq!(received.len(), 2);
    for mail in received {
        for name in headers(&mail) {
            assert!(!["bcc", "x-evil"].contains(&name.as_str()), "{mail}");
        }
        let subject = header(&mail, "Subject");
        assert!(subject.starts_with("Due Bcc:") || subject.starts_with("=?utf-8?"), "{subject}");
        assert!(mail.lines().all(|line| line.len() < 998));
    }
}

async fn two_servers_send_each_mail_once(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    for n in 0..40 {
        queued(&app, &format!("s{n}@college.edu")).await;
    }
    let library = &app.state.library;
    for _ in 0..2 {
        let (one, other) = tokio::join!(send_mails(library, &job, "one"), send_mails(library, &job, "other"));
        assert!(one.is_ok() && other.is_ok());
    }
    let mut ids: Vec<String> = server.received().iter().map(|mail| header(mail, "Message-ID")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), server.received().len()), (40, 40));
}

async fn a_librarian_stops_a_mail_and_sends_one_again(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let (librarian, student) = (app.admin(0).await, asha(&app).await);
    let (stopped, full) = (queued(&app, "a@college.edu").await, queued(&app, "b@college.edu").await);
    librarian.ask(&format!("/mails/{stopped}/stop")).await.expect(204);
    server.next([Act::Recipient("552 5.2.2 Over quota")]);
    send(&app, &job).await;
    forget(&app, "asha@college.edu").await;
    server.next([Act::Recipient("550 5.1.1 No such user")]);
    send(&app, &job).await;
    let list = librarian.get("/mails").await.expect(200);
    assert_eq!(list["counts"], json!({ "queued": 0, "sent": 0, "failed": 2, "stopped": 1 }));
    let [secret, second, first] = &list["mails"].as_array().expect("a list")[..] else { panic!("{list}") };
    assert_eq!(second["reason"]["text"], "The mailbox is full: 5.2.2 Over quota");
    assert_eq!((&first["state"], &first["canSendAgain"]), (&json!("stopped"), &json!(true)));
    assert_eq!([&first["stoppedBy"], &second["stoppedBy"]], [&json!("Librarian 0"), &Value::Null]);
    // A mail with a reset link cannot be sent again: the person requests a new link.
    assert_eq!((&secret["name"], &secret["canSendAgain"]), (&json!("Asha"), &json!(false)));
    let of_asha = librarian.get(&format!("/mails?person={}", student.uid)).await.expect(200);
    assert_eq!(of_asha["mails"], json!([secret]));
    librarian.ask(&format!("/mails/{}/again", secret["id"])).await.problem(404, "not-found");
    for mail in [stopped, full] {
        librarian.ask(&format!("/mails/{mail}/again")).await.expect(204);
        let anew = librarian.get("/mails?state=queued").await.expect(200)["mails"][0].clone();
        assert_eq!((&anew["id"], &anew["stoppedBy"]), (&json!(mail), &Value::Null));
        librarian.ask(&format!("/mails/{mail}/again")).await.expect(204);
    }
    send(&app, &job).await;
    assert_eq!(server.received().len(), 2);
    let page = librarian.get("/mails?limit=2").await.expect(200);
    let next =
        librarian.get(&format!("/mails?cursor={}", page["next"].as_str().expect("more"))).await.expect(200);
    assert_eq!((next["mails"][0]["id"].as_i64(), &next["next"]), (Some(stopped.0), &Value::Null));
    student.get("/mails").await.problem(403, "forbidden");
}

async fn all_mails_that_failed_on_a_day_are_sent_again_once(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let refuse = async |address: &str| {
        let id = queued(&app, address).await;
        server.next([Act::Recipient("552 5.2.2 Over quota")]);
        send(&app, &job).await;
        id
    };
    // Half past five in India is midnight in the world's time.
    app.set_clock("2026-11-21T18:29:00Z");
    let yesterday = refuse("a@college.edu").await;
    app.set_clock("2026-11-21T18:30:00Z");
    let today = [refuse("b@college.edu").await, refuse("c@college.edu").await];
    let stopped = queued(&app, "d@college.edu").await;
    let librarian = app.admin(0).await;
    librarian.ask(&format!("/mails/{stopped}/stop")).await.expect(204);
    let days = async || librarian.get("/mails?state=failed").await.expect(200)["failedDays"].clone();
    let (first, second) =
        (json!({ "day": "2026-11-22", "count": 2 }), json!({ "day": "2026-11-21", "count": 1 }));
    assert_eq!(days().await, json!([first, second]));
    assert_eq!(librarian.get("/mails").await.expect(200)["failedDays"], json!([]));

    let form = json!({ "day": "2026-11-22" });
    assert_eq!(librarian.post("/mails/again", &form).await.expect(200)["count"], 2);
    assert_eq!(librarian.post("/mails/again", &form).await.expect(200)["count"], 0);
    for day in ["9999-12-31", "-009999-01-01"] {
        assert_eq!(librarian.post("/mails/again", &json!({ "day": day })).await.expect(200)["count"], 0);
    }
    send(&app, &job).await;
    assert_eq!((server.received().len(), days().await), (2, json!([second])));
    let states = [today[0], today[1], yesterday, stopped].map(|id| state(&app, id).0);
    assert_eq!(states, ["sent", "sent", "failed", "stopped"]);
}

async fn a_sign_in_code_is_mailed_to_its_person_alone_r_people_3(database: Database) {
    let server = MailServer::plain();
    let (app, job) = library(database, options(server.port)).await;
    let librarian = app.admin(0).await;
    let (form, path) = (json!({ "byMail": true }), |uid: &Value| format!("/people/{uid}/sign-in-code"));
    let add = async |roll: &str, email: Value| {
        let person = json!({ "name": roll, "rollNumber": roll, "email": email, "batch": "2029" });
        librarian.post("/people", &person).await.expect(201)["uid"].clone()
    };
    let (asha, bala) = (add("cs29-1", json!("asha@college.edu")).await, add("cs29-2", Value::Null).await);
    assert_eq!(librarian.post(&path(&bala), &form).await.wrong_fields(), ["byMail"], "no address");
    let made = librarian.post(&path(&asha), &form).await.expect(200);
    assert_eq!((&made["code"], &made["mailedTo"]), (&Value::Null, &json!("asha@college.edu")));
    // Another code takes the place of the first, also in the queue.
    let batch = json!({ "batch": "2029", "days": 14, "byMail": true });
    let preview = json!({ "batch": "2029", "dryRun": true });
    let before = librarian.post("/people/sign-in-codes", &preview).await.expect(200);
    assert_eq!((&before["count"], &before["mailed"]), (&json!(2), &json!(1)));
    let codes = librarian.post("/people/sign-in-codes", &batch).await.expect(200);
    assert_eq!((&codes["mailed"], codes["slips"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    assert_eq!(codes["slips"][0]["rollNumber"], "cs29-2");
    send(&app, &job).await;
    let [mail] = &server.received()[..] else { panic!("one mail") };
    assert_eq!(header(mail, "To"), "asha@college.edu");
    let text = mail.replace("=\r\n", "");
    assert!(text.contains("Roll number: cs29-1") && text.contains("Valid until 5 Dec 2026."), "{text}");
    let code: String =
        text.split_once("Code: ").expect("a code").1.chars().take_while(|c| !c.is_whitespace()).collect();
    let stored = app.raw("SELECT text, html FROM mails WHERE kind = 'welcome'");
    assert!(stored.iter().flatten().all(|text| text.as_deref() == Some("")), "{stored:?}");

    let redeem = json!({ "rollNumber": "cs29-1", "code": code, "password": PASSWORD });
    app.visitor().post("/auth/redeem", &redeem).await.expect(200);
    app.visitor().post("/auth/redeem", &redeem).await.problem(401, "invalid-code");
    // A mail whose code was replaced cannot be sent again.
    let list = librarian.get("/mails").await.expect(200);
    let states: Vec<_> =
        list["mails"].as_array().expect("a list").iter().map(|mail| &mail["state"]).collect();
    assert_eq!(states, ["sent", "stopped"]);
    assert_eq!(list["mails"][1]["canSendAgain"], false);
}

/// The certificate is checked, and all mail of a trial goes to one address.
async fn goes_encrypted(security: Security, start: fn(&Certificate) -> MailServer) {
    let certificate = Certificate::of(&["localhost"]);
    let server = start(&certificate);
    let redirect = Some("trial@school.in".parse().expect("an address"));
    let trusted = Options {
        security,
        roots: Some(certificate.pem.clone().into_bytes()),
        redirect,
        ..options(server.port)
    };
    let (app, job) = library(Database::ready_sqlite(), trusted).await;
    let mail = queued(&app, "asha@college.edu").await;
    send(&app, &job).await;
    assert_eq!(state(&app, mail).0, "sent");
    assert_eq!(server.recipients(), ["RCPT TO:<trial@school.in>"]);
    let other = Certificate::of(&["localhost"]);
    let untrusted = Options { security, roots: Some(other.pem.clone().into_bytes()), ..options(server.port) };
    let post = SmtpClient::new(untrusted).expect("options");
    let refused = tokio::time::timeout(Duration::from_secs(10), post.check()).await.expect("an answer");
    assert_eq!(refused.expect_err("another certificate").code, "mail.notEncrypted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_goes_encrypted_to_the_address_of_a_trial() {
    goes_encrypted(Security::Implicit, MailServer::encrypted).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_goes_after_starttls_to_a_server_with_the_right_certificate() {
    goes_encrypted(Security::StartTls, MailServer::starttls).await;
}
