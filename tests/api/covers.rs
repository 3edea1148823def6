//! Uploaded covers: a picture becomes a small JPEG under an address that never changes, and goes with its title.

use axum::{
    body::Body,
    http::header::{CACHE_CONTROL, CONTENT_TYPE, IF_NONE_MATCH},
};
use http_body_util::BodyExt as _;
use library::jobs::clear_passing;
use serde_json::json;
use tower::ServiceExt as _;

use crate::{
    app::{Answer, Person, TestApp, form, with},
    common::Database,
};

on_both_databases!(
    an_uploaded_cover_is_shown_under_an_address_that_never_changes_r_book_2,
    a_cover_that_no_title_shows_is_deleted_after_three_days_r_book_2,
);

/// A picture of one colour as PNG.
pub fn png(colour: [u8; 3]) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(30, 45, image::Rgb(colour));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("encoded");
    bytes.into_inner()
}

async fn upload(person: &Person<'_>, file: Vec<u8>) -> Answer {
    let mut request = person.request("POST", "/covers", None);
    *request.body_mut() = Body::from(file);
    request.headers_mut().insert(CONTENT_TYPE, "application/octet-stream".parse().expect("a header"));
    person.send(request).await
}

async fn picture(app: &TestApp, url: &str, known: Option<&str>) -> (u16, axum::http::HeaderMap, Vec<u8>) {
    let path = url.split_once("8080").expect("the library's address").1;
    let mut request = axum::http::Request::get(path).header("host", "localhost:8080");
    if let Some(known) = known {
        request = request.header(IF_NONE_MATCH, known);
    }
    let request = request.body(Body::empty()).expect("a request");
    let answer = app.router.clone().oneshot(request).await.expect("an answer");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, answer.into_body().collect().await.expect("a body").to_bytes().to_vec())
}

async fn an_uploaded_cover_is_shown_under_an_address_that_never_changes_r_book_2(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let uploaded = upload(&librarian, png([200, 30, 30])).await.expect(200);
    // Pressed twice.
    assert_eq!(upload(&librarian, png([200, 30, 30])).await.expect(200), uploaded);
    let url = uploaded["url"].as_str().expect("an address");
    let (status, headers, jpeg) = picture(&app, url, None).await;
    assert_eq!((status, headers[CONTENT_TYPE].as_bytes()), (200, b"image/jpeg".as_slice()));
    assert_eq!(headers[CACHE_CONTROL], "public, max-age=31536000, immutable");
    assert!(jpeg.starts_with(&[0xff, 0xd8]) && json!(jpeg.len()) == uploaded["bytes"]);
    let etag = headers["etag"].to_str().expect("text");
    let (status, _, body) = picture(&app, url, Some(etag)).await;
    assert_eq!((status, body.len()), (304, 0));
    let book = with(&form("Godaan", 1), json!({ "photoURL": url }));
    librarian.post("/books", &book).await.expect(201);

    for (file, rule) in [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(), "notPicture"),
        (png([1, 2, 3])[..60].to_vec(), "pictureDamaged"),
        (Vec::new(), "notPicture"),
    ] {
        let answer = upload(&librarian, file).await;
        assert_eq!(answer.wrong_fields(), ["file"]);
        assert_eq!(answer.json()["errors"][0]["rule"], rule);
    }
    upload(&librarian, vec![0; 9 * 1024 * 1024]).await.problem(413, "payload-too-large");
    upload(&app.student(1).await, png([1, 2, 3])).await.problem(403, "forbidden");
    for wrong in ["0".repeat(32), "x".repeat(32), "..".into(), String::new()] {
        assert_eq!(
            picture(&app, &format!("http://localhost:8080/library/covers/{wrong}.jpg"), None).await.0,
            404
        );
    }
}

async fn a_cover_that_no_title_shows_is_deleted_after_three_days_r_book_2(database: Database) {
    let app = TestApp::on(database).await;
    let librarian = app.admin(0).await;
    let mut urls = Vec::new();
    for colour in [[200, 30, 30], [30, 200, 30], [30, 30, 200]] {
        let uploaded = upload(&librarian, png(colour)).await.expect(200);
        urls.push(uploaded["url"].as_str().expect("an address").to_owned());
    }
    let shown = with(&form("Godaan", 1), json!({ "photoURL": urls[0] }));
    let shown = librarian.post("/books", &shown).await.expect(201);
    let gone = with(&form("Nirmala", 1), json!({ "photoURL": urls[1] }));
    let gone = librarian.post("/books", &gone).await.expect(201);
    let kept = async || {
        clear_passing(&app.state.library).await.expect("cleared");
        let mut found = Vec::new();
        for url in &urls {
            found.push(picture(&app, url, None).await.0);
        }
        found
    };
    assert_eq!(kept().await, [200, 200, 200]);
    app.set_clock("2026-11-25T06:00:00Z");
    // Deleted today: the title can still come back.
    librarian.delete(&format!("/books/{}", gone["id"])).await.expect(204);
    assert_eq!(kept().await, [200, 200, 404]);
    app.set_clock("2026-11-26T06:00:00Z");
    assert_eq!(kept().await, [200, 404, 404]);
    librarian.delete(&format!("/books/{}", shown["id"])).await.expect(204);
    app.set_clock("2026-11-27T06:00:00Z");
    assert_eq!(kept().await, [404, 404, 404]);
}
