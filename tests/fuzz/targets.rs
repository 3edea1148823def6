//! Fuzz targets (R9): each parser of untrusted input, as a function of bytes that must not panic. Called by `tests/api/fuzz.rs`
//! in the gate, and by libFuzzer in `fuzz/`, guided by coverage.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Method, Request, Uri, header},
};
use indicatif::ProgressBar;
use library::{
    cover::{Cover, draw},
    domain::{
        account, agent, book, copy, isbn,
        rule::{Invalid, Text},
    },
    fold,
    http::API,
    import::{self, table::Source},
    search::{Cursor, Entry, Index, Loading, Query, Sort},
    spreadsheet,
    storage::authority::Authority,
};
use tokio::runtime::Runtime;

use crate::app::{HOST, TestApp};

/// A library with a book, a copy, a loan and a librarian, and the callers' cookies.
pub struct Library {
    runtime: Runtime,
    app: TestApp,
    student: String,
    librarian: String,
    folder: tempfile::TempDir,
}

impl Library {
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let (app, student, librarian) = runtime.block_on(async {
            let app = TestApp::new().await;
            let book = app.book("Godan", 3).await;
            let student = app.student(1).await;
            student.borrow(book).await;
            let (student, librarian) = (student.cookie(), app.admin(1).await.cookie());
            (app, student.expect("signed in"), librarian.expect("signed in"))
        });
        Self { runtime, app, student, librarian, folder: crate::common::folder() }
    }

    /// Sends a request given as text: `POST /books/1/reviews student`, header lines, an empty line, the body. The answer must
    /// fit the document and be no server error. Returns false if the text is no request.
    pub fn request(&self, data: &[u8]) -> bool {
        let Some(request) = self.read(data) else { return false };
        let told = format!("{} {}", request.method(), request.uri());
        let status = self.runtime.block_on(self.app.send(request)).status;
        assert_ne!(status, 500, "{told}");
        true
    }

    fn read(&self, data: &[u8]) -> Option<Request<Body>> {
        let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
        let (head, body) = (&data[..end], data.get(end + 2..).unwrap_or_default());
        let mut lines = head.split(|byte| *byte == b'\n');
        let mut words = lines.next()?.split(|byte| *byte == b' ');
        let method = Method::from_bytes(words.next()?).ok()?;
        let path = [API.as_bytes(), words.next()?].concat();
        let mut request = Request::builder().method(method).uri(Uri::try_from(path.as_slice()).ok()?);
        // A path of the API, and no other with the same beginning.
        request.uri_ref()?.path().strip_prefix(API)?.strip_prefix('/')?;
        request = match words.next().unwrap_or_default() {
            b"student" => request.header(header::COOKIE, &self.student),
            b"librarian" => request.header(header::COOKIE, &self.librarian),
            _ => request,
        };
        request = request.header(header::HOST, HOST).header("sec-fetch-site", "same-origin");
        for line in lines {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
            request = request.header(name, value);
        }
        request.body(Body::from(body.to_vec())).ok()
    }

    /// Imports a file of books, plain or gzipped; returns whether it was accepted.
    pub fn file(&self, data: &[u8]) -> bool {
        let file = self.folder.path().join("books.csv");
        let rejected = self.folder.path().join("rejected.csv");
        std::fs::write(&file, data).expect("written");
        let bar = ProgressBar::hidden();
        let state = &self.app.state;
        let people = import::people::Import {
            db: &state.library.db,
            policies: &state.library.policies,
            authority: &Authority::command_line(),
            moment: state.library.clock.moment(),
            name: "people.csv",
            fields: None,
            dry_run: true,
            rejected: None,
        };
        let _ = people.run(&Source::Path(file.clone()));
        import::books::import(&state.library.db, &file, &rejected, &bar).is_ok()
    }
}

/// Parses a text as everything that is typed, scanned, or sent in a header.
pub fn text(data: &[u8]) {
    static INDEX: std::sync::LazyLock<Arc<Index>> = std::sync::LazyLock::new(|| {
        let titles =
            ["Godan", "गोदान", "The C Programming Language", "Ramayana", "50% of Nothing_", "ﬁnd İt"];
        let entries = titles.iter().zip(1..).map(|(title, id)| Entry {
            id,
            title: (*title).to_owned(),
            author: "Premchand".to_owned(),
            genre: "Fiction".to_owned(),
            popularity: 0,
            available: true,
        });
        let mut loading = Loading::default();
        loading.push(entries.collect());
        Arc::new(loading.finish())
    });
    let text = &*String::from_utf8_lossy(data);
    let _ = (fold::fold(text), fold::title_key(text), isbn::isbn_13(text), agent::Agent::of(text));
    let _ = (account::folded_email(text), account::folded_roll_number(text), copy::folded_barcode(text));
    assert_eq!(spreadsheet::unguarded(&spreadsheet::guarded(text)), text, "a cell comes back as it was");
    let rules: [Text; 6] =
        [book::TITLE, book::DESCRIPTION, book::PHOTO_URL, account::EMAIL, account::PASSWORD, copy::BARCODE];
    for rule in rules {
        let mut invalid = Invalid::default();
        let kept = rule.check(text, &mut invalid);
        if invalid.0.is_empty() {
            assert_eq!(rule.check(&kept, &mut invalid), kept, "what was taken is taken again as it is");
            assert!(invalid.0.is_empty(), "{invalid:?}");
        }
    }
    let cursor = serde_json::from_slice::<Cursor>(data).ok();
    // One sort order per text: thousands of texts cover each order, and all four orders took minutes of the gate.
    let sort = [Sort::Title, Sort::Newest, Sort::Popular, Sort::Author][data.len() % 4];
    let query = Query { text, sort, limit: 3, similar: true, cursor: cursor.as_ref(), ..Query::default() };
    assert!(INDEX.page(&query).ids.len() <= 3);
    let svg =
        draw(&Cover { id: i64::try_from(data.len()).unwrap_or(1), title: text, author: text, genre: text });
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"), "{svg}");
}
