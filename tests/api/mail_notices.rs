//! Notices by mail: each once, none that is no longer true, and none that its reader refused.

use std::sync::Arc;

use axum::{body::Body, http::Request};
use jiff::{SignedDuration, Timestamp};
use library::{
    domain::id::UserId,
    jobs::{self, MailNotices, Mailing, SendMails, mail_notices, send_mails},
    mail::{Post, SmtpClient},
};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    common::Database,
    mail_server::{MailServer, header, headers},
    mails::options,
};

on_both_databases!(
    a_kept_copy_is_mailed_once_by_two_servers_r_hold_2,
    the_reminders_of_a_day_are_one_mail_at_the_librarys_hour_law_7,
    a_mail_that_is_no_longer_true_is_not_sent_law_7,
    each_notice_without_a_mail_has_its_reason_r_people_2,
    a_link_ends_the_mails_of_its_kind_and_opening_it_changes_nothing,
    a_link_that_was_used_says_that_the_mails_are_off_and_turns_them_on_again,
    an_overdue_book_is_mailed_to_the_guardian_too_until_the_guardian_ends_it,
    a_guardian_with_the_readers_address_gets_one_mail_about_a_loan,
    a_reader_who_wants_it_is_reminded_on_mondays_alone,
    a_notice_that_its_reader_wants_in_the_digest_waits_for_it,
    a_printed_slip_and_a_mail_are_kept_as_the_day_of_the_reminder_l10,
    an_entered_address_gets_no_notice_before_its_link_was_opened_r_people_3,
    a_link_to_an_address_ends_with_it_and_with_a_newer_one_r_people_3,
    mails_wait_for_the_end_of_the_quiet_hours_but_for_the_safety_of_an_account,
);

/// A library with mail at an address of its own.
struct Mailed {
    app: TestApp,
    notices: MailNotices,
    send: SendMails,
    server: MailServer,
}

const PUBLIC: &str = "http://library.school.in/";

async fn library(database: Arc<Database>) -> Mailed {
    let server = MailServer::plain();
    let post = Arc::new(SmtpClient::new(options(server.port)).expect("options"));
    let public = PUBLIC.parse().expect("a URL");
    let set = |settings: &mut library::http::Settings| settings.post.mail = Some(Arc::clone(&post));
    let app = TestApp::with(database, "Asia/Kolkata", set).await;
    let mailing = Mailing::new(&public, &app.state.browser_key);
    let notices = MailNotices::new(Post { mail: Some(Arc::clone(&post)), texts: None }, mailing);
    Mailed { app, notices, send: SendMails::new(post, &public), server }
}

impl Mailed {
    /// Queues what is to be mailed; returns the number of mails.
    async fn queue(&self) -> usize {
        let done = mail_notices(&self.app.state.library, &self.notices, "here").await.expect("a run");
        done.expect("not elsewhere")
    }

    async fn send(&self) {
        send_mails(&self.app.state.library, &self.send, "here").await.expect("a run");
    }

    async fn remind(&self) {
        jobs::remind(&self.app.state.library, "here").await.expect("done").expect("not elsewhere");
    }

    /// Returns subject and text of the mails to an address, oldest first.
    fn words(&self, address: &str) -> Vec<(String, String)> {
        let statement = format!("SELECT subject, text FROM mails WHERE address = '{address}' ORDER BY id");
        let cell = |cell: &Option<String>| cell.clone().unwrap_or_default();
        self.app.raw(&statement).iter().map(|row| (cell(&row[0]), cell(&row[1]))).collect()
    }

    /// Returns a request outside the API.
    async fn open(&self, method: &str, address: &str, body: &'static str) -> Answer {
        let path = address.strip_prefix(PUBLIC).expect("an address of the library");
        let request = Request::builder()
            .method(method)
            .uri(format!("/{path}"))
            .header("host", "library.school.in")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body));
        self.app.send(request.expect("a request")).await
    }
}

/// Lends a book of two readers' wish and returns it, so that the copy is kept for the second.
async fn keep_copy(app: &TestApp, asha: &Person<'_>, bala: &Person<'_>, title: &str) -> i64 {
    let book = app.book(title, 1).await;
    let loan = asha.borrow(book).await;
    bala.ask(&format!("/books/{book}/holds")).await.expect(201);
    let back = json!({ "restock": true });
    app.admin(0).await.post(&format!("/loans/{loan}/return"), &back).await.expect(204);
    book
}

/// Mails `bala` that a copy is kept, and returns the unsubscribe link of the mail.
async fn mailed_link(mailed: &Mailed, asha: &Person<'_>, bala: &Person<'_>) -> String {
    keep_copy(&mailed.app, asha, bala, "Godaan").await;
    assert_eq!(mailed.queue().await, 1);
    mailed.send().await;
    let mail = mailed.server.received().pop().expect("a mail");
    header(&mail, "List-Unsubscribe").trim_matches(['<', '>']).to_owned()
}

/// Reasons and kinds of a person's notices, newest first; `mailed` where a mail carries one.
async fn outcomes(app: &TestApp, person: &Person<'_>) -> Vec<(String, String)> {
    let all = app.admin(0).await.get(&format!("/people/{}/notices", person.uid)).await.expect(200);
    let outcome = |notice: &Value| match (&notice["mailedAt"], &notice["unmailed"]) {
        (Value::Null, Value::Null) => "open".to_owned(),
        (Value::Null, reason) => reason.as_str().expect("a reason").to_owned(),
        (_, Value::Null) => "mailed".to_owned(),
        both => panic!("{both:?}"),
    };
    let notices = all["notices"].as_array().expect("a list").iter();
    notices.map(|notice| (notice["kind"].as_str().expect("a kind").to_owned(), outcome(notice))).collect()
}

fn outcome(kind: &str, became: &str) -> (String, String) {
    (kind.to_owned(), became.to_owned())
}

async fn a_kept_copy_is_mailed_once_by_two_servers_r_hold_2(database: Database) {
    let database = Arc::new(database);
    let (here, there) = (library(Arc::clone(&database)).await, library(database).await);
    let (asha, bala) = (here.app.student(1).await, here.app.student(2).await);
    keep_copy(&here.app, &asha, &bala, "<b>Godaan</b>").await;
    let run = async |mailed: &Mailed, owner: &'static str| {
        let library = &mailed.app.state.library;
        mail_notices(library, &mailed.notices, owner).await.expect("a run").unwrap_or(0)
    };
    let (one, other) = tokio::join!(run(&here, "here"), run(&there, "there"));
    assert_eq!((one + other, here.queue().await), (1, 0));
    here.send().await;
    assert_eq!(here.server.recipients(), ["RCPT TO:<student2@college.edu>"]);
    let mail = here.server.received().pop().expect("a mail");
    assert_eq!(header(&mail, "Subject"), "Your reserved book is ready at the library");
    assert_eq!(header(&mail, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let (_, text) = here.words("student2@college.edu").remove(0);
    assert!(text.contains("Hello Student 2,\n"), "{text}");
    assert!(text.contains("“<b>Godaan</b>” is kept for you until 24 Nov 2026.\n"), "{text}");
    assert!(text.contains("http://library.school.in/library/notices\n"), "{text}");
    assert_eq!(outcomes(&here.app, &bala).await, [outcome("hold-ready", "mailed")]);
}

async fn the_reminders_of_a_day_are_one_mail_at_the_librarys_hour_law_7(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let mut loans = Vec::new();
    for title in ["Godaan", "Emma", "Ulysses"] {
        loans.push(asha.borrow(app.book(title, 1).await).await);
    }
    bala.borrow(app.book("Gaban", 1).await).await;
    let language = json!({ "language": "hi", "refused": [] });
    bala.put("/me/mail-choices", "*", &language).await.expect(200);
    assert_eq!(bala.get("/me/mail-choices").await.expect(200)["language"], "hi");

    // Midnight, and a minute before eight, in the library's zone.
    for time in ["2026-11-24T18:31:00Z", "2026-11-25T02:29:00Z"] {
        app.set_clock(time);
        mailed.remind().await;
        assert_eq!(mailed.queue().await, 0, "{time}");
    }
    app.admin(0).await.ask(&format!("/loans/{}/extend", loans[2])).await.expect(200);
    app.set_clock("2026-11-25T02:30:00Z");
    assert_eq!((mailed.queue().await, mailed.queue().await), (2, 0));
    mailed.send().await;
    assert_eq!(mailed.server.received().len(), 2);
    let (subject, english) = mailed.words("student1@college.edu").remove(0);
    let (_, hindi) = mailed.words("student2@college.edu").remove(0);
    assert_eq!(subject, "2 books are due back at the library");
    assert!(
        english.contains("• “Godaan” is due back") && english.contains("• “Emma” is due back"),
        "{english}"
    );
    assert!(!english.contains("Ulysses"), "renewed since: {english}");
    assert!(hindi.contains("नमस्ते Student 2,") && !hindi.contains("Hello"), "{hindi}");

    // The next morning has nothing new, and two days later the due date.
    app.set_clock("2026-11-26T02:30:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 0);
    app.set_clock("2026-11-28T02:30:00Z");
    mailed.remind().await;
    assert_eq!((mailed.queue().await, mailed.queue().await), (2, 0));
    // A clock set back and forth doubles nothing.
    app.set_clock("2026-11-25T05:30:00Z");
    assert_eq!(mailed.queue().await, 0);
    app.set_clock("2026-11-28T12:30:00Z");
    assert_eq!(mailed.queue().await, 0);
}

async fn a_mail_that_is_no_longer_true_is_not_sent_law_7(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let book = keep_copy(app, &asha, &bala, "Godaan").await;
    assert_eq!(mailed.queue().await, 1);
    bala.borrow(book).await;
    mailed.send().await;
    assert!(mailed.server.received().is_empty(), "fetched before the mail went");
    let stopped = app.raw("SELECT state, text, html FROM mails");
    assert_eq!(stopped, [[Some("stopped".to_owned()), Some(String::new()), Some(String::new())]]);

    // Of a digest, what is still true goes the same day.
    let loan = asha.borrow(app.book("Emma", 1).await).await;
    asha.borrow(app.book("Ulysses", 1).await).await;
    app.set_clock("2026-11-25T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 2);
    app.admin(0).await.post(&format!("/loans/{loan}/return"), &json!({})).await.expect(204);
    mailed.send().await;
    assert_eq!(mailed.server.received().len(), 1, "the other reader's");
    assert_eq!((mailed.queue().await, mailed.queue().await), (1, 0));
    mailed.send().await;
    let (_, text) = mailed.words("student1@college.edu").pop().expect("a mail");
    assert!(text.contains("Ulysses") && !text.contains("Emma"), "{text}");
}

async fn each_notice_without_a_mail_has_its_reason_r_people_2(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let charge = async |person: &Person<'_>| {
        let charge = json!({ "amount": 5, "kind": "damage", "reason": "Torn page" });
        app.admin(0).await.post(&format!("/people/{}/charges", person.uid), &charge).await.expect(201);
    };
    let (asha, bala, chitra) = (app.student(1).await, app.student(2).await, app.student(3).await);
    charge(&asha).await;
    // Mail was set up two days after.
    app.set_clock("2026-11-23T06:01:00Z");
    let (asha, bala) = (app.student(1).await.uid, bala.uid);
    assert_eq!(mailed.queue().await, 0);
    let of = async |uid| {
        let rows = app.raw(&format!(
            "SELECT COALESCE(unmailed, 'mailed') FROM notices WHERE person_id = {uid} ORDER BY id"
        ));
        rows.into_iter().flatten().flatten().collect::<Vec<String>>()
    };
    assert_eq!(of(asha).await, ["old"]);

    let person = |uid| app.student(if uid == bala { 2 } else { 1 });
    app.raw(&format!("UPDATE users SET email = NULL, email_key = NULL WHERE id = {bala}"));
    app.raw(&format!("UPDATE users SET active = FALSE WHERE id = {}", chitra.uid));
    let admin = app.admin(0).await;
    for uid in [bala, chitra.uid] {
        let form = json!({ "amount": 5, "kind": "damage", "reason": "Torn page" });
        admin.post(&format!("/people/{uid}/charges"), &form).await.expect(201);
    }
    assert_eq!(mailed.queue().await, 0);
    assert_eq!((of(bala).await, of(chitra.uid).await), (vec!["no-address".into()], vec!["inactive".into()]));

    // The reader refuses, then the library, then both allow.
    let reader = person(asha).await;
    let refused = reader
        .put("/me/mail-choices", "*", &json!({ "refused": ["charged", "new-device"] }))
        .await
        .expect(200);
    assert_eq!(refused["refused"], json!(["charged"]), "not the safety of the account");
    charge(&reader).await;
    assert_eq!(mailed.queue().await, 0);
    reader.put("/me/mail-choices", "*", &json!({ "refused": [] })).await.expect(200);
    let mut settings = admin.get("/settings/notices").await.expect(200);
    assert_eq!((&settings["byMail"], &settings["mailHour"]), (&json!(true), &json!(8)));
    settings["mailHour"] = json!(24);
    assert_eq!(admin.put("/settings/notices", "*", &settings).await.wrong_fields(), ["mailHour"]);
    settings["mailHour"] = json!(18);
    settings["screenOnly"] = json!(["charged"]);
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    let offered = reader.get("/me/mail-choices").await.expect(200);
    assert!(
        offered["on"] == true && !offered["offered"].as_array().expect("a list").contains(&json!("charged"))
    );
    charge(&reader).await;
    assert_eq!(mailed.queue().await, 0);
    settings["screenOnly"] = json!([]);
    settings["byMail"] = json!(false);
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    assert_eq!(reader.get("/me/mail-choices").await.expect(200)["on"], false);
    charge(&reader).await;
    assert_eq!(mailed.queue().await, 0);
    settings["byMail"] = json!(true);
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    charge(&reader).await;
    assert_eq!(mailed.queue().await, 1);
    assert_eq!(of(asha).await, ["old", "refused", "library", "library", "mailed"]);
}

async fn a_link_ends_the_mails_of_its_kind_and_opening_it_changes_nothing(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let link = mailed_link(&mailed, &asha, &bala).await;
    let (_, text) = mailed.words("student2@college.edu").remove(0);
    assert!(text.ends_with(&format!("Stop mails like this one:\n{link}\n")), "{text}");

    for _ in 0..2 {
        let page = mailed.open("GET", &link, "").await;
        assert!(page.status == 200 && page.header("cache-control") == Some("no-store"), "{}", page.text);
        assert!(page.text.contains("<button>Stop these mails</button>"), "{}", page.text);
        let policy = page.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("form-action 'self'") && !policy.contains("unsafe"), "{policy}");
    }
    assert_eq!(bala.get("/me/mail-choices").await.expect(200)["refused"], json!([]));
    for _ in 0..2 {
        let done = mailed.open("POST", &link, "List-Unsubscribe=One-Click").await;
        assert!(done.status == 200 && done.text.contains("no more mails like this one"), "{}", done.text);
    }
    assert_eq!(bala.get("/me/mail-choices").await.expect(200)["refused"], json!(["hold-ready"]));
    keep_copy(app, &asha, &bala, "Emma").await;
    assert_eq!(mailed.queue().await, 0);
    assert_eq!(outcomes(app, &bala).await[0], outcome("hold-ready", "refused"));

    let forged = link.replace(&format!("/{}.", bala.uid), &format!("/{}.", asha.uid));
    assert_ne!(forged, link);
    for (method, address) in [("GET", &forged), ("POST", &forged)] {
        let dead = mailed.open(method, address, "").await;
        assert!(dead.status == 404 && dead.text.contains("This link does not work"), "{}", dead.text);
    }
    assert_eq!(asha.get("/me/mail-choices").await.expect(200)["refused"], json!([]));
}

async fn a_link_that_was_used_says_that_the_mails_are_off_and_turns_them_on_again(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let link = mailed_link(&mailed, &asha, &bala).await;
    let refused = async || bala.get("/me/mail-choices").await.expect(200)["refused"].clone();
    let others = json!({ "refused": ["charged"], "language": null });
    bala.put("/me/mail-choices", "*", &others).await.expect(200);
    mailed.open("POST", &link, "List-Unsubscribe=One-Click").await.expect(200);

    let used = mailed.open("GET", &link, "").await;
    assert!(
        used.status == 200 && used.text.contains("You get no more mails like this one."),
        "{}",
        used.text
    );
    assert!(!used.text.contains("Stop these mails"), "{}", used.text);
    assert!(used.text.contains("action=\"?again=yes\"><button>Turn these mails on again<"), "{}", used.text);
    assert_eq!(refused().await, json!(["charged", "hold-ready"]), "opening it changes nothing");
    for _ in 0..2 {
        let on = mailed.open("POST", &format!("{link}?again=yes"), "").await;
        assert!(on.status == 200 && on.text.contains("You will get these mails again."), "{}", on.text);
    }
    assert_eq!(refused().await, json!(["charged"]), "other kinds stay as they were chosen");
    assert!(mailed.open("GET", &link, "").await.text.contains("<button>Stop these mails</button>"));
}

async fn an_overdue_book_is_mailed_to_the_guardian_too_until_the_guardian_ends_it(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let asha = app.student(1).await;
    let path = format!("/people/{}", asha.uid);
    let wrong = json!({ "guardianEmail": "mother", "guardianPhone": "at home" });
    let wrong = app.admin(0).await.patch(&path, &wrong).await.wrong_fields();
    assert_eq!(wrong, ["guardianEmail", "guardianPhone"]);
    let guardian = json!({ "guardianEmail": "mother@home.in", "guardianPhone": "+91 98450 12345" });
    app.admin(0).await.patch(&path, &guardian).await.expect(200);
    let loan = asha.borrow(app.book("Emma", 1).await).await;
    let to_guardian = async || {
        let choices = app.student(1).await.get("/me/mail-choices").await.expect(200);
        choices["toGuardian"].clone()
    };
    assert_eq!(to_guardian().await, true, "the reader sees that the guardian is written to");

    // What is due soon is the reader's own affair.
    app.set_clock("2026-11-25T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 1);
    app.set_clock("2026-11-28T12:00:00Z");
    let plan = app.admin(0).await.get("/mails/tomorrow").await.expect(200);
    let planned = |n: usize| (&plan["first"][n]["address"], &plan["first"][n]["toGuardian"]);
    assert_eq!(planned(0), (&json!("student1@college.edu"), &json!(false)));
    assert_eq!(planned(1), (&json!("mother@home.in"), &json!(true)));
    app.set_clock("2026-11-29T06:00:00Z");
    mailed.remind().await;
    assert_eq!((mailed.queue().await, mailed.queue().await), (2, 0), "as planned");
    mailed.send().await;
    let (subject, text) = mailed.words("mother@home.in").remove(0);
    assert_eq!(subject, "1 book is overdue at the library");
    assert!(text.starts_with("To the parent or guardian of Student 1:\n"), "{text}");
    assert!(text.contains("• “Emma” was due back on 28 Nov 2026."), "{text}");
    assert!(!text.contains("library/notices"), "the page is the reader's: {text}");

    // On the screen it is the reader's once; the librarian sees both.
    let asha = app.student(1).await;
    let own = asha.get("/me/notices").await.expect(200);
    assert_eq!((own["notices"].as_array().map(Vec::len), &own["unread"]), (Some(2), &json!(2)));
    let all = app.admin(0).await.get(&format!("{path}/notices")).await.expect(200);
    let is_guardians = |notice: &&Value| notice["toGuardian"] == true;
    assert_eq!(all["notices"].as_array().expect("a list").iter().filter(is_guardians).count(), 1);

    // The guardian ends the mails; another guardian gets them.
    let of_guardian = |mail: &&String| mail.contains("mother@home.in");
    let mail = mailed.server.received().into_iter().find(|mail| of_guardian(&mail)).expect("a mail");
    let link = header(&mail, "List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    let page = mailed.open("GET", &link, "").await;
    assert!(page.text.contains("about this reader’s books"), "{}", page.text);
    assert_eq!(mailed.open("POST", &link, "List-Unsubscribe=One-Click").await.status, 200);
    app.set_clock("2026-12-05T06:00:00Z");
    mailed.remind().await;
    assert_eq!((mailed.queue().await, to_guardian().await), (1, json!(false)), "the reader's own");
    let other = json!({ "guardianEmail": "father@home.in" });
    app.admin(0).await.patch(&path, &other).await.expect(200);
    app.set_clock("2026-12-12T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 2);

    // A book that is back is no longer asked for.
    let before = mailed.server.received().len();
    app.admin(0).await.post(&format!("/loans/{loan}/return"), &json!({})).await.expect(204);
    mailed.send().await;
    assert_eq!(mailed.server.received().len(), before, "nor for what waited since 5 December");
}

async fn a_guardian_with_the_readers_address_gets_one_mail_about_a_loan(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let asha = app.student(1).await;
    let guardian = json!({ "guardianEmail": "Student1@College.edu" });
    app.admin(0).await.patch(&format!("/people/{}", asha.uid), &guardian).await.expect(200);
    asha.borrow(app.book("Emma", 1).await).await;

    app.set_clock("2026-11-28T12:00:00Z");
    let plan = app.admin(0).await.get("/mails/tomorrow").await.expect(200);
    assert_eq!((&plan["count"], &plan["first"][0]["toGuardian"]), (&json!(1), &json!(false)));
    app.set_clock("2026-11-29T06:00:00Z");
    mailed.remind().await;
    assert_eq!((mailed.queue().await, mailed.queue().await), (1, 0), "as planned");
    assert_eq!(mailed.words("student1@college.edu").len(), 1);
    let [one, other] = &outcomes(app, &asha).await[..] else { panic!("two reminders") };
    let both = [outcome("overdue", "mailed"), outcome("overdue", "same-address")];
    assert!(both.contains(one) && both.contains(other) && one != other, "{one:?} {other:?}");

    // The guardian's reminder is the only one for a reader who refuses the own one.
    asha.put("/me/mail-choices", "*", &json!({ "refused": ["overdue"] })).await.expect(200);
    app.set_clock("2026-12-05T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 1);
    let (_, text) = mailed.words("Student1@College.edu").remove(0);
    assert!(text.starts_with("To the parent or guardian of Student 1:\n"), "{text}");
}

async fn a_reader_who_wants_it_is_reminded_on_mondays_alone(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let asha = app.student(1).await;
    let choices = json!({ "refused": [], "weekly": true });
    assert_eq!(asha.put("/me/mail-choices", "*", &choices).await.expect(200)["weekly"], true);
    asha.borrow(app.book("Emma", 1).await).await;
    let run = async |day: &str| {
        app.set_clock(&format!("{day}T06:00:00Z"));
        mailed.remind().await;
        mailed.queue().await
    };
    // Due on Saturday: Monday's digest says so, the days after are silent, and the next Monday's says that it was due.
    for (day, mails) in [("2026-11-23", 1), ("2026-11-25", 0), ("2026-11-28", 0), ("2026-11-29", 0)] {
        assert_eq!(run(day).await, mails, "{day}");
    }
    let plan = app.admin(0).await.get("/mails/tomorrow").await.expect(200);
    assert_eq!((&plan["count"], &plan["first"][0]["lines"].as_array().map(Vec::len)), (&json!(1), &Some(1)));
    assert_eq!((run("2026-11-30").await, run("2026-12-01").await), (1, 0));
    let words = mailed.words("student1@college.edu");
    let [(soon, _), (late, text)] = &words[..] else { panic!("{words:?}") };
    assert_eq!(
        (soon.as_str(), late.as_str()),
        ("1 book is due back at the library", "1 book is overdue at the library")
    );
    assert_eq!(text.matches("“Emma”").count(), 1, "{text}");
}

async fn a_notice_that_its_reader_wants_in_the_digest_waits_for_it(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    let choices = json!({ "refused": [], "inDigest": ["charged", "hold-ready", "new-device"] });
    let saved = asha.put("/me/mail-choices", "*", &choices).await.expect(200);
    assert_eq!(saved["inDigest"], json!(["due-soon", "due-today", "overdue", "charged"]), "{saved}");
    let can_wait = saved["canWait"].as_array().expect("kinds");
    assert!(can_wait.contains(&json!("charged")) && !can_wait.contains(&json!("hold-ready")), "{saved}");
    let charge = async |amount: i64, reason: &str| {
        let charge = json!({ "amount": amount, "kind": "other", "reason": reason });
        admin.post(&format!("/people/{}/charges", asha.uid), &charge).await.expect(201)["charge"]["id"]
            .clone()
    };

    app.set_clock("2026-11-21T06:00:00Z");
    charge(500, "a lost card").await;
    let mistaken = charge(700, "a mistake").await;
    assert_eq!((mailed.queue().await, mailed.queue().await), (0, 0), "after the digest's hour, too");
    let reason = json!({ "reason": "another reader's" });
    admin.post(&format!("/charges/{mistaken}/reverse"), &reason).await.expect(200);
    assert_eq!(outcomes(app, &asha).await.last(), Some(&outcome("charged", "open")));
    let plan = admin.get("/mails/tomorrow").await.expect(200);
    assert_eq!((&plan["count"], &plan["first"][0]["lines"].as_array().map(Vec::len)), (&json!(1), &Some(1)));
    app.set_clock("2026-11-22T02:29:00Z");
    assert_eq!(mailed.queue().await, 0, "a minute before eight");
    app.set_clock("2026-11-22T02:30:00Z");
    assert_eq!((mailed.queue().await, mailed.queue().await), (1, 0));
    let (subject, text) = mailed.words("student1@college.edu").remove(0);
    assert_eq!(subject, "News about your account at the library");
    assert!(text.contains("a lost card") && !text.contains("a mistake"), "{text}");

    // With reminders, in one mail.
    asha.borrow(app.book("Emma", 1).await).await;
    app.set_clock("2026-11-26T12:00:00Z");
    charge(900, "a torn page").await;
    assert_eq!(mailed.queue().await, 0);
    app.set_clock("2026-11-27T02:30:00Z");
    mailed.remind().await;
    assert_eq!((mailed.queue().await, mailed.queue().await), (1, 0));
    let (subject, text) = mailed.words("student1@college.edu").remove(1);
    assert_eq!(subject, "1 book is due back at the library");
    let (reminders, news) = text.split_once("Also since the last mail:").expect("both");
    assert!(reminders.contains("Emma") && news.contains("a torn page"), "{text}");

    // The digest's link ends all that the digest has.
    mailed.send().await;
    let mail = mailed.server.received().pop().expect("a mail");
    let link = header(&mail, "List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    mailed.open("POST", &link, "List-Unsubscribe=One-Click").await;
    let refused = asha.get("/me/mail-choices").await.expect(200)["refused"].clone();
    assert_eq!(refused, json!(["due-soon", "due-today", "overdue", "charged"]));
    charge(100, "a pen").await;
    mailed.queue().await;
    assert_eq!(outcomes(app, &asha).await[0], outcome("charged", "refused"));
}

async fn mails_wait_for_the_end_of_the_quiet_hours_but_for_the_safety_of_an_account(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    let admin = app.admin(0).await;
    let mut settings = admin.get("/settings/notices").await.expect(200);
    assert_eq!(settings["quiet"], Value::Null);
    settings["quiet"] = json!({ "from": 22, "to": 9 });
    let wrong = admin.put("/settings/notices", "*", &settings).await.wrong_fields();
    assert_eq!(wrong, ["mailHour"], "the reminders go at eight");
    settings["quiet"] = json!({ "from": 22, "to": 7 });
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    // Ten in the evening in the library's zone.
    app.set_clock("2026-11-21T16:30:00Z");
    keep_copy(app, &app.student(1).await, &app.student(2).await, "Godaan").await;
    assert_eq!(mailed.queue().await, 0);
    app.raw(&format!(
        "INSERT INTO notices (person_id, kind, text, cause, created_at)
         VALUES ({}, 'new-device', '[]', 'new-device:1', {})",
        asha.uid,
        app.clock.now()
    ));
    let quiet = async || app.admin(0).await.get("/mails").await.expect(200)["quiet"].clone();
    assert_eq!(quiet().await, json!({ "until": 7, "waiting": 1 }), "the librarian sees what waits");
    assert_eq!(mailed.queue().await, 1, "safety does not wait");
    app.set_clock("2026-11-22T01:29:00Z");
    assert_eq!(mailed.queue().await, 0);
    app.set_clock("2026-11-22T01:30:00Z");
    assert_eq!((mailed.queue().await, quiet().await), (1, Value::Null));
    assert_eq!(outcomes(app, &bala).await, [outcome("hold-ready", "mailed")]);
}

#[tokio::test]
async fn a_guardian_is_seen_by_librarians_who_may_change_people_alone() {
    let app = TestApp::new().await;
    let asha = app.student(1).await;
    let path = format!("/people/{}", asha.uid);
    let guardian = json!({ "guardianEmail": "mother@home.in", "guardianPhone": "+91 98450 12345" });
    let saved = app.admin(0).await.patch(&path, &guardian).await.expect(200);
    assert_eq!(saved["guardianEmail"], "mother@home.in");
    let desk = app.admin(1).await;
    app.raw(&format!("UPDATE users SET capabilities = 'desk,money' WHERE id = {}", desk.uid));
    for (person, may) in [(app.admin(0).await, true), (desk, false)] {
        for path in [path.as_str(), &format!("/changes?person={}", asha.uid)] {
            let answer = person.get(path).await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.text.contains("mother@home.in"), may, "{path}: {}", answer.text);
        }
        assert!(!person.get("/people").await.text.contains("mother@home.in"), "not in the list");
    }
    let file = app.admin(0).await.get("/people.csv").await.text;
    assert!(file.contains("mother@home.in,'+91 98450 12345"), "{file}");
    assert!(asha.get("/me/data").await.text.contains("mother@home.in"));
    let choices = asha.get("/me/mail-choices").await.expect(200);
    assert_eq!(choices["toGuardian"], false, "this library sends nothing");
    app.admin(0).await.delete(&path).await;
    let left = app.raw(&format!("SELECT guardian_email, guardian_phone FROM users WHERE id = {}", asha.uid));
    assert_eq!(left, [[None, None]]);
}

/// Registers a reader and signs in.
async fn registered(app: &TestApp) -> Person<'_> {
    let (email, password) = ("Chandra@College.edu", "four unrelated words");
    let form = json!({ "email": email, "password": password, "name": "Chandra Bose", "rollNumber": "cs25-777",
                       "department": "Physics", "batch": "2027" });
    let user = app.visitor().post("/auth/register", &form).await.expect(201);
    let mut browser = app.visitor();
    browser.post("/auth/sign-in", &json!({ "email": email, "password": password })).await.expect(200);
    browser.uid = UserId(user["uid"].as_i64().expect("an id"));
    browser
}

/// Sends the outbox; returns the newest link that confirms an address.
async fn confirmation(mailed: &Mailed) -> String {
    mailed.send().await;
    let mails = mailed.server.received().into_iter();
    let mut texts = mails.map(|mail| mail.replace("=\r\n", "").replace("=3D", "="));
    let text = texts.rfind(|text| text.contains("/library/confirm/")).expect("a link");
    let (_, after) = text.split_once("/library/confirm/").expect("a link");
    let token: String =
        after.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    format!("{PUBLIC}library/confirm/{token}")
}

async fn an_entered_address_gets_no_notice_before_its_link_was_opened_r_people_3(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let chandra = registered(app).await;
    let link = confirmation(&mailed).await;
    let left =
        app.raw("SELECT text, html FROM mails WHERE kind = 'address-link' AND (text <> '' OR html <> '')");
    assert_eq!(left.len(), 0, "no secret is left");
    assert_eq!(chandra.get("/me/mail-choices").await.expect(200)["confirmed"], false);

    keep_copy(app, &app.student(1).await, &chandra, "Godaan").await;
    assert_eq!(mailed.queue().await, 0);
    assert_eq!(outcomes(app, &chandra).await[0], outcome("hold-ready", "unconfirmed"));

    let asked = mailed.open("GET", &link, "").await;
    assert!(
        asked.text.contains("Chandra@College.edu will get the notices of your account"),
        "{}",
        asked.text
    );
    assert_eq!(
        chandra.get("/me/mail-choices").await.expect(200)["confirmed"],
        false,
        "opening changes nothing"
    );
    for _pressed_twice in 0..2 {
        let done = mailed.open("POST", &link, "").await;
        assert_eq!(done.status, 200, "{}", done.text);
        assert!(done.text.contains("Your address is confirmed."), "{}", done.text);
    }
    assert_eq!(chandra.get("/me/mail-choices").await.expect(200)["confirmed"], true);
    let found = app.admin(0).await.get("/changes?action=address-confirmed").await.expect(200);
    assert_eq!(found["changes"].as_array().map(Vec::len), Some(1), "{found}");

    keep_copy(app, &app.student(1).await, &chandra, "Nirmala").await;
    assert_eq!(mailed.queue().await, 1);
    // A confirmed address needs no link.
    chandra.ask("/me/address-link").await.expect(204);
    mailed.send().await;
    assert!(
        !mailed.words("Chandra@College.edu").iter().skip(1).any(|(subject, _)| subject.contains("Confirm"))
    );
}

async fn a_link_to_an_address_ends_with_it_and_with_a_newer_one_r_people_3(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let chandra = registered(app).await;
    let first = confirmation(&mailed).await;
    chandra.ask("/me/address-link").await.expect(204);
    let second = confirmation(&mailed).await;
    assert_ne!(first, second);
    assert_eq!(mailed.open("POST", &first, "").await.status, 404);
    let now = Timestamp::from_millisecond(app.clock.now()).expect("an instant");
    app.clock.set(now + SignedDuration::from_mins(31));
    let late = mailed.open("POST", &second, "").await;
    assert_eq!(late.status, 404);
    assert!(late.text.contains("Sign in and open your profile to get a new one"), "{}", late.text);

    chandra.ask("/me/address-link").await.expect(204);
    let third = confirmation(&mailed).await;
    // A librarian vouches for the address that they enter.
    let path = format!("/people/{}", chandra.uid);
    let admin = app.admin(0).await;
    admin.patch(&path, &json!({ "email": "chandra.bose@college.edu" })).await.expect(200);
    assert_eq!(mailed.open("POST", &third, "").await.status, 404);
    assert_eq!(chandra.get("/me/mail-choices").await.expect(200)["confirmed"], true);
    admin.delete(&path).await;
    assert_eq!(app.raw("SELECT user_id FROM claimed_addresses").len(), 0, "nothing of an erased reader");
}

#[tokio::test]
async fn a_link_without_its_last_part_is_not_found_in_plain_words() {
    let mailed = library(Arc::new(Database::ready_sqlite())).await;
    for address in ["library/unsubscribe", "library/unsubscribe/"] {
        let page = mailed.open("GET", &format!("{PUBLIC}{address}"), "").await;
        assert_eq!(page.status, 404);
        assert!(page.text.contains("This link does not work. Copy it whole from the mail"), "{}", page.text);
        assert!(page.text.contains("<a href=\"/library/\">Open the library</a>"), "{}", page.text);
    }
    let admin = mailed.app.admin(0).await;
    let mut settings = admin.get("/settings/library").await.expect(200);
    settings["language"] = json!("hi");
    settings["name"] = json!("Sarvodaya");
    admin.put("/settings/library", "*", &settings).await.expect(200);
    let page = mailed.open("GET", &format!("{PUBLIC}library/unsubscribe/nothing"), "").await;
    assert!(page.text.contains("lang=\"hi\"") && page.text.contains("Sarvodaya"), "{}", page.text);
}

#[tokio::test]
async fn a_notice_on_the_safety_of_an_account_is_mailed_whatever_is_refused() {
    let mailed = library(Arc::new(Database::ready_sqlite())).await;
    let app = &mailed.app;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    let mut settings = admin.get("/settings/notices").await.expect(200);
    settings["byMail"] = json!(false);
    admin.put("/settings/notices", "*", &settings).await.expect(200);
    app.raw(&format!(
        "INSERT INTO notices (person_id, kind, text, cause, created_at)
         VALUES ({}, 'new-device', '[]', 'new-device:1', {})",
        asha.uid,
        app.clock.now()
    ));
    assert_eq!(mailed.queue().await, 1);
    mailed.send().await;
    let mail = mailed.server.received().pop().expect("a mail");
    assert!(!headers(&mail).contains(&"list-unsubscribe".to_owned()), "{mail}");
}

#[tokio::test]
async fn a_librarian_sees_what_goes_tomorrow_morning_before_it_goes() {
    let mailed = library(Arc::new(Database::ready_sqlite())).await;
    let app = &mailed.app;
    let (asha, bala) = (app.student(1).await, app.student(2).await);
    for title in ["Godaan", "Emma"] {
        asha.borrow(app.book(title, 1).await).await;
    }
    bala.borrow(app.book("Gaban", 1).await).await;
    app.raw(&format!("UPDATE users SET email = NULL, email_key = NULL WHERE id = {}", bala.uid));
    let admin = app.admin(0).await;
    assert_eq!(admin.get("/mails/tomorrow").await.expect(200)["count"], 0);
    app.set_clock("2026-11-24T12:00:00Z");
    let admin = app.admin(0).await;
    let plan = admin.get("/mails/tomorrow").await.expect(200);
    assert_eq!(
        (&plan["day"], &plan["hour"], &plan["count"], &plan["withoutAddress"]),
        (&json!("2026-11-25"), &json!(8), &json!(1), &json!(1))
    );
    assert_eq!(plan["unreachable"], json!([{ "person": bala.uid, "name": "Student 2" }]));
    let lines = plan["first"][0]["lines"].as_array().expect("lines");
    assert_eq!((lines.len(), &lines[0]["text"]), (2, &json!("“Godaan” is due back on 28 Nov 2026.")));
    app.set_clock("2026-11-25T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 1, "as planned");
    let admin = app.admin(0).await;
    assert_eq!(admin.get("/mails/tomorrow").await.expect(200)["count"], 0, "already told");
}

async fn a_printed_slip_and_a_mail_are_kept_as_the_day_of_the_reminder_l10(database: Database) {
    let mailed = library(Arc::new(database)).await;
    let app = &mailed.app;
    let (desk, asha, bala) = (app.admin(0).await, app.student(1).await, app.student(2).await);
    let book = app.book("Godaan", 3).await;
    let (first, second) = (asha.borrow(book).await, asha.borrow(book).await);
    let other = bala.borrow(book).await;
    let reminded = async || -> Vec<Value> {
        let list = app.admin(0).await.get("/loans").await.expect(200);
        let days = list["loans"].as_array().expect("a list").iter().map(|loan| loan["reminded"].clone());
        days.collect()
    };
    assert_eq!(reminded().await, [Value::Null, Value::Null, Value::Null]);
    let none = desk.post("/loans/slips", &json!({ "loans": [] })).await;
    assert_eq!(none.wrong_fields(), ["loans"]);
    let twice = desk.post("/loans/slips", &json!({ "loans": [first, first] })).await;
    assert_eq!(twice.wrong_fields(), ["loans"]);
    // Of a loan that has ended meanwhile there is nothing to record.
    bala.ask(&format!("/loans/{other}/return")).await.expect(204);
    desk.post("/loans/slips", &json!({ "loans": [first, second, other] })).await.expect(204);
    assert_eq!(reminded().await, [json!("2026-11-21"), json!("2026-11-21")]);
    let log = desk.get("/changes?action=slip-printed").await.expect(200);
    let slips = log["changes"].as_array().expect("a list");
    assert_eq!(slips.len(), 1, "one a reader: {log}");
    assert_eq!(
        (&slips[0]["person"]["id"], &slips[0]["text"], &slips[0]["undoable"]),
        (&json!(asha.uid), &json!("Reminder slip printed for 2 books."), &json!(false))
    );
    // A mail counts as well.
    app.set_clock("2026-11-29T06:00:00Z");
    mailed.remind().await;
    assert_eq!(mailed.queue().await, 1);
    mailed.send().await;
    assert_eq!(reminded().await, [json!("2026-11-29"), json!("2026-11-29")]);
    let file = app.admin(0).await.get("/loans.csv").await;
    assert!(file.text.lines().nth(1).is_some_and(|row| row.ends_with(",2026-11-29")), "{}", file.text);
}
