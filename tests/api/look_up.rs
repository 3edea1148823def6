//! ISBN look-up: which source answers, and what happens when one fails.

use std::{
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    Router,
    http::{StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
};
use library::look_up::{Options, Place, Sources};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    app::TestApp,
    common::{Database, folder},
};

const ISBN: &str = "9780747532699";
/// Timeout of a source in these tests.
const PATIENCE: Duration = Duration::from_millis(500);
/// Pause after a failure in these tests.
const REST: Duration = Duration::from_millis(700);

/// Catalogue on the network that answers as told.
struct Catalogue {
    address: String,
    asked: Arc<AtomicUsize>,
    answer: Arc<Mutex<Told>>,
}

#[derive(Clone)]
enum Told {
    Text(String),
    Status(StatusCode),
    Redirect(String),
    /// This many bytes.
    Long(usize),
    Nothing,
}

impl Catalogue {
    async fn start(told: Told) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (asked, answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(told)));
        let (counter, answers) = (Arc::clone(&asked), Arc::clone(&answer));
        let respond = move |_: Uri| {
            counter.fetch_add(1, Ordering::Relaxed);
            let told = answers.lock().expect("told").clone();
            async move { respond(told).await }
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(respond)).await });
        Self { address, asked, answer }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn tell(&self, told: Told) {
        *self.answer.lock().expect("told") = told;
    }
}

async fn respond(told: Told) -> Response {
    match told {
        Told::Text(text) => text.into_response(),
        Told::Status(status) => status.into_response(),
        Told::Redirect(to) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Told::Long(length) => " ".repeat(length).into_response(),
        Told::Nothing => std::future::pending().await,
    }
}

fn godaan_at_open_library() -> Told {
    let book = json!({ "title": "Godaan", "authors": [{ "name": "Premchand" }], "publish_date": "1936" });
    Told::Text(json!({ format!("ISBN:{ISBN}"): book }).to_string())
}

async fn library(places: &[String]) -> TestApp {
    let places = places.iter().map(|place| Place::parse(place).expect("a source")).collect();
    let options = Options { patience: PATIENCE, rest: REST, ..Options::new(places, Some("key".into())) };
    let sources = Arc::new(Sources::new(&options, "/nothing".as_ref()).expect("sources"));
    let database = Arc::new(Database::ready_sqlite());
    TestApp::with(database, "Asia/Kolkata", |settings| settings.isbn_sources = Some(sources)).await
}

async fn look_up(app: &TestApp, isbn: &str) -> Value {
    app.admin(0).await.get(&format!("/isbn-look-ups/{isbn}")).await.expect(200)
}

#[tokio::test]
async fn the_first_source_that_knows_an_isbn_fills_the_form_and_is_named() {
    let empty = Catalogue::start(Told::Text(json!({ "totalItems": 0 }).to_string())).await;
    let knows = Catalogue::start(godaan_at_open_library()).await;
    let app = library(&[format!("google:{}", empty.address), format!("openlibrary:{}", knows.address)]).await;
    let answer = look_up(&app, "0-7475-3269-9").await;
    assert_eq!(answer["isbn"], ISBN);
    assert_eq!((&answer["source"], &answer["silent"]), (&json!("Open Library"), &json!([])));
    let found = &answer["found"];
    assert_eq!((&found["title"], &found["author"]), (&json!("Godaan"), &json!("Premchand")));
    assert_eq!((&found["publishedYear"], &found["publisher"]), (&json!(1936), &json!("")));
    // A source is not asked again for what it does not know.
    look_up(&app, ISBN).await;
    assert_eq!((empty.asked(), knows.asked()), (1, 2));
    // Nothing is stored.
    assert_eq!(app.raw("SELECT title FROM books"), Vec::<Vec<Option<String>>>::new());
}

#[tokio::test]
async fn a_source_that_fails_is_named_and_left_alone_for_a_while() {
    let elsewhere = Catalogue::start(godaan_at_open_library()).await;
    let failures = [
        Told::Status(StatusCode::TOO_MANY_REQUESTS),
        Told::Redirect(elsewhere.address.clone()),
        Told::Text("<html>".into()),
        Told::Long(1024 * 1024 + 1),
        Told::Nothing,
    ];
    for failure in failures {
        let fails = Catalogue::start(failure).await;
        let knows = Catalogue::start(godaan_at_open_library()).await;
        let app =
            library(&[format!("google:{}", fails.address), format!("openlibrary:{}", knows.address)]).await;
        app.admin(0).await;
        let begun = Instant::now();
        for _ in 0..3 {
            let answer = look_up(&app, ISBN).await;
            assert_eq!(
                (&answer["source"], &answer["silent"]),
                (&json!("Open Library"), &json!(["Google Books"]))
            );
        }
        assert!(begun.elapsed() < PATIENCE * 2, "waited once: {:?}", begun.elapsed());
        assert_eq!((fails.asked(), knows.asked()), (1, 3));
        fails.tell(Told::Text(json!({ "items": [] }).to_string()));
        tokio::time::sleep(REST).await;
        assert_eq!(look_up(&app, ISBN).await["silent"], json!([]));
    }
    assert_eq!(elsewhere.asked(), 0, "no redirect is followed");
}

#[tokio::test]
async fn an_own_list_of_books_is_a_source_without_a_network() {
    let folder = folder();
    let file = folder.path().join("union.csv");
    let list = |publisher: &str| {
        format!(
            "Name of the Book,Author,ISBN,Publisher,Year\nGodaan,Premchand,{ISBN},{publisher},1936\n,,080442957X,,\n"
        )
    };
    std::fs::write(&file, list("Hans")).expect("written");
    let app = library(&[format!("file:{}", file.display())]).await;
    let answer = look_up(&app, ISBN).await;
    assert_eq!((&answer["source"], &answer["found"]["publisher"]), (&json!("union.csv"), &json!("Hans")));
    assert_eq!(look_up(&app, "080442957X").await["found"], Value::Null, "the row has no title");
    // A changed list is read again.
    std::fs::write(&file, list("Saraswati Press")).expect("written");
    let changed = std::fs::File::options().write(true).open(&file).expect("open");
    let before = changed.metadata().and_then(|facts| facts.modified()).expect("a time");
    changed.set_modified(before + Duration::from_secs(5)).expect("a time");
    assert_eq!(look_up(&app, ISBN).await["found"]["publisher"], "Saraswati Press");
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(look_up(&app, ISBN).await["silent"], json!(["union.csv"]));
}

#[tokio::test]
async fn a_wrong_isbn_is_named_and_without_sources_there_is_no_look_up() {
    let app = library(&["openlibrary:http://127.0.0.1:9".into()]).await;
    let librarian = app.admin(0).await;
    for wrong in ["9780747532698", "12", "%20"] {
        let answer = librarian.get(&format!("/isbn-look-ups/{wrong}")).await;
        assert_eq!((answer.status, answer.wrong_fields()), (422, vec!["isbn".to_owned()]), "{wrong}");
    }
    assert_eq!(librarian.get("/config").await.expect(200)["isbnLookUp"], true);
    assert_eq!(look_up(&app, ISBN).await["silent"], json!(["Open Library"]), "it cannot be reached");

    let app = TestApp::new().await;
    app.admin(0).await.get(&format!("/isbn-look-ups/{ISBN}")).await.problem(404, "not-found");
    assert_eq!(app.visitor().get("/config").await.expect(200)["isbnLookUp"], false);
}

/// Ends the program.
struct Ztest(Child);

impl Drop for Ztest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// YAZ's own test server is not ours: it repeats the query in its answer and ignores the ISBN.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test starts another program")]
async fn a_foreign_sru_server_is_understood() {
    let port =
        TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address").port();
    let folder = folder();
    let server = Command::new("yaz-ztest")
        .args(["-w", &folder.path().display().to_string(), &format!("tcp:127.0.0.1:{port}")])
        .stderr(Stdio::null())
        .spawn()
        .expect("yaz-ztest, of Debian's package yaz");
    let _server = Ztest(server);
    let base = format!("http://127.0.0.1:{port}/Default");
    let all = "version=1.1&operation=searchRetrieve&recordSchema=marcxml&recordPacking=xml&maximumRecords=18";
    let app = library(&[
        // The standard query; five records without this ISBN.
        format!("sru:{base}"),
        format!("sru:{base}?{all}&query=bath.isbn%3D{{isbn}}"),
    ])
    .await;
    for _ in 0..100 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let answer = look_up(&app, "0836968433").await;
    assert_eq!(answer["silent"], json!([]), "{answer}");
    assert_eq!(answer["found"]["title"], "The religious teachers of Greece");
    assert_eq!(look_up(&app, ISBN).await["found"], Value::Null);
}
