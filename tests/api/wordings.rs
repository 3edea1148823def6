//! The library's own wordings of the mails.

use std::sync::Arc;

use library::{
    jobs::{SendMails, send_mails},
    mail::SmtpClient,
};
use serde_json::json;

use crate::{
    app::TestApp,
    common::Database,
    mail_server::{MailServer, header},
    mails::options,
};

on_both_databases!(a_wording_is_saved_over_the_version_that_was_read_and_reset,);

async fn a_wording_is_saved_over_the_version_that_was_read_and_reset(database: Database) {
    let app = TestApp::on(database).await;
    let admin = app.admin(0).await;
    let list = admin.get("/settings/mails").await.expect(200);
    let digest = &list["mails"][0];
    assert_eq!((&digest["kind"], &digest["own"]["en"]), (&json!("digest"), &json!(null)));
    assert_eq!(digest["ours"]["en"]["body"], "Hello {name},\n\nYour account at {library}:\n\n{books}");
    let own =
        json!({ "en": { "subject": "Books, {name}", "body": "Dear {name},\r\n\r\n{books}" }, "hi": null });
    let read = admin.get("/settings/mails/digest").await;
    let tag = read.headers["etag"].to_str().expect("a tag").to_owned();
    let saved = admin.put("/settings/mails/digest", &tag, &own).await.expect(200);
    assert_eq!(saved["en"]["body"], "Dear {name},\n\n{books}");
    admin.put("/settings/mails/digest", &tag, &own).await.problem(412, "stale");
    assert_eq!(admin.get("/settings/mails").await.expect(200)["mails"][0]["own"], saved);
    // A save without a language would reset the wording of that language.
    let half = admin.put("/settings/mails/digest", "*", &json!({ "hi": null })).await;
    assert_eq!((half.status, half.wrong_fields()), (422, vec!["en".to_owned()]));
    assert_eq!(admin.get("/settings/mails").await.expect(200)["mails"][0]["own"], saved);
    let log = admin.get("/changes?action=mail-wording-changed").await.expect(200);
    assert_eq!(log["changes"].as_array().map(Vec::len), Some(1), "{log}");
    let none = json!({ "en": null, "hi": null });
    assert_eq!(admin.put("/settings/mails/digest", "*", &none).await.expect(200), none);
    assert_eq!(admin.get("/settings/mails").await.expect(200)["mails"][0]["own"], none);
}

#[tokio::test]
async fn a_wrong_wording_names_its_field_and_is_not_saved() {
    let app = TestApp::new().await;
    let admin = app.admin(0).await;
    let wrong = json!({ "en": { "subject": "a\r\nBcc: b@c.d", "body": "See {lnik}" }, "hi": { "subject": "", "body": "x" } });
    let answer = admin.put("/settings/mails/password-link", "*", &wrong).await;
    assert_eq!(answer.wrong_fields(), ["en.subject", "en.body", "hi.subject", "hi.body"]);
    let message = &answer.json()["errors"][1]["message"];
    assert_eq!(message, "{lnik} does not exist here. The nearest placeholder is {link}.");
    let saved = admin.get("/settings/mails/password-link").await.expect(200);
    assert_eq!(saved, json!({ "en": null, "hi": null }));
    admin.get("/settings/mails/overdue").await.problem(404, "not-found");
}

#[tokio::test]
async fn a_preview_shows_titles_on_loan_and_no_reader() {
    let app = TestApp::new().await;
    let (asha, admin) = (app.student(1).await, app.admin(0).await);
    let draft = json!({ "language": "en", "subject": "For {name}", "body": "Dear {name}\n\n{books}" });
    let preview = "/settings/mails/digest/preview";
    let made_up = admin.post(preview, &draft).await.expect(200);
    assert_eq!((&made_up["madeUp"], &made_up["subject"]), (&json!(true), &json!("For Librarian 0")));
    asha.borrow(app.book("<i>Emma</i>", 1).await).await;
    let real = admin.post(preview, &draft).await.expect(200);
    assert_eq!(real["madeUp"], false);
    let (text, html) = (real["text"].as_str().expect("text"), real["html"].as_str().expect("HTML"));
    assert!(text.contains("• “<i>Emma</i>” is due back on ") && !text.contains("Student"), "{text}");
    assert!(html.contains("&lt;i&gt;Emma&lt;/i&gt;"), "{html}");
    let wrong = json!({ "language": "fr", "subject": "s", "body": "no books" });
    assert_eq!(admin.post(preview, &wrong).await.wrong_fields(), ["language", "body"]);
    admin.post("/settings/mails/digest/send", &draft).await.problem(409, "mail-off");
}

#[tokio::test]
async fn a_reset_mail_uses_the_own_wording_and_one_goes_to_the_librarian_alone() {
    let server = MailServer::plain();
    let post = Arc::new(SmtpClient::new(options(server.port)).expect("options"));
    let set = |settings: &mut library::http::Settings| settings.post.mail = Some(Arc::clone(&post));
    let app = TestApp::with(Arc::new(Database::sqlite()), "Asia/Kolkata", set).await;
    let send = SendMails::new(Arc::clone(&post), &"http://library.school.in/".parse().expect("a URL"));
    let (_asha, admin) = (app.student(1).await, app.admin(0).await);
    let own =
        json!({ "en": { "subject": "Key for {name}", "body": "Namaste {name}\n\n{link}" }, "hi": null });
    admin.put("/settings/mails/password-link", "*", &own).await.expect(200);
    let asked = json!({ "email": "student1@college.edu", "language": "en" });
    admin.post("/auth/forgot", &asked).await;
    send_mails(&app.state.library, &send, "here").await.expect("a run");
    let mail = server.received().pop().expect("a mail");
    assert_eq!(header(&mail, "Subject"), "Key for Student 1");
    let draft = json!({ "language": "hi", "subject": "कुंजी", "body": "{link}" });
    for _ in 0..10 {
        admin.post("/settings/mails/password-link/send", &draft).await.expect(204);
    }
    admin.post("/settings/mails/password-link/send", &draft).await.problem(429, "too-many-requests");
    let rows = app.raw("SELECT DISTINCT address FROM mails WHERE kind = 'test'");
    assert_eq!(rows, [[Some("librarian0@college.edu".to_owned())]]);
}
