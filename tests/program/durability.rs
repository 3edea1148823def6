//! A server killed during its work loses nothing that it reported as stored.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use library::{
    circulation::{self, Actor, CheckOut, CopyToLend, check_out, stock},
    domain::{
        account::Role,
        book::{BookForm, Status},
        moment::Moment,
        rulebook::Rulebook,
        rules::Rules,
    },
    http,
    storage::{
        Error, Location,
        accounts::{self, NewAccount},
        sessions::{self, Opened},
        settings::{self, Document},
    },
};

use serde_json::{Value, json};

use crate::{
    command_line::address,
    common::Database,
    librarian::{Call, Librarian, Random},
    process::{Server, ask, ask_for_text, done},
};

const BORROWERS: usize = 4;
const COPIES: i64 = 100_000;
const LIBRARIANS: usize = 2;
const READERS: usize = 8;
/// Number of readers with an overdue book.
const OVERDUE: i64 = 48;
/// Number of times the desk's server is killed.
const ROUNDS: usize = 4;

/// Returns the form of a title with `copies` copies.
pub fn form(copies: i64) -> BookForm {
    BookForm {
        title: "Godaan".into(),
        author: "Premchand".into(),
        genre: String::new(),
        photo_url: String::new(),
        description: String::new(),
        no_of_books: copies,
        location: String::new(),
        status: Some(Status::Available),
        rating: None,
        ..BookForm::default()
    }
}

/// Returns the current time in epoch milliseconds: a session begun long ago would end with the first call.
pub fn now() -> i64 {
    library::clock::Clock::system(jiff::tz::TimeZone::UTC).now()
}

/// Fills a library with one book and signed-in readers; returns the book and their cookies.
pub fn filled(database: &Database, copies: i64) -> (i64, Vec<String>) {
    let tokens: Vec<String> =
        (0..BORROWERS).map(|_| http::session::new_token().expect("randomness")).collect();
    let hashes: Vec<String> = tokens.iter().map(|token| http::session::hashed(token)).collect();
    let db = database.open();
    let book = db
        .write_blocking(move |tx| -> Result<i64, Error> {
            for (n, hash) in hashes.iter().enumerate() {
                let new = NewAccount {
                    email: format!("reader{n}@college.edu"),
                    name: format!("Reader {n}"),
                    role: Role::Student,
                    roll_number: Some(format!("r-{n}")),
                    department: None,
                    batch: None,
                    password_hash: "!".into(),
                };
                let user = accounts::add(tx, &new, 0)?.expect("nothing is taken");
                sessions::begin(tx, hash, user.uid, now(), i64::MAX, Opened::default())?;
            }
            let moment = Moment { at: 0, today: jiff::civil::date(2026, 1, 1) };
            let added = stock::add_title(tx, moment, &Rulebook::default(), &form(copies), None, &[]);
            Ok(added.map_err(circulation::Error::into_storage)?.expect("new").0.0)
        })
        .expect("the write is stored");
    db.close();
    (book, tokens.into_iter().map(|token| format!("library={token}")).collect())
}

#[test]
fn a_killed_server_has_lost_no_loan_that_it_acknowledged_r_loan_2() {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, COPIES);
    let path = format!("/books/{book}/loans");
    let acknowledged = Mutex::new(BTreeSet::new());
    for round in 1..=3 {
        let server = Server::start(&database.location.to_string());
        let (port, over) = (server.port, AtomicBool::new(false));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for cookie in &cookies {
                let (path, over, acknowledged) = (&path, &over, &acknowledged);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        if let Some((status, loan)) = ask(port, "POST", path, cookie, None) {
                            assert_eq!(status, 201, "{loan}");
                            acknowledged
                                .lock()
                                .expect("no panic")
                                .insert(loan["id"].as_i64().expect("an id"));
                        }
                    }
                });
            }
            // During the work, not after it.
            while acknowledged.lock().expect("no panic").len() < round * 60 {
                assert!(begun.elapsed() < Duration::from_secs(20), "too few loans");
                std::thread::sleep(Duration::from_millis(1));
            }
            server.kill();
            over.store(true, Ordering::Relaxed);
        });
    }

    let number = |statement: String| -> i64 {
        let rows = database.raw(&statement).expect("readable");
        rows[0][0].as_deref().and_then(|cell| cell.parse().ok()).expect("a number")
    };
    let kept = database.raw("SELECT id FROM loans").expect("readable");
    let kept: BTreeSet<i64> = kept.into_iter().flatten().flatten().filter_map(|id| id.parse().ok()).collect();
    let acknowledged = acknowledged.into_inner().expect("no panic");
    let lost: Vec<&i64> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "lost: {lost:?} of {}", acknowledged.len());
    let out = i64::try_from(kept.len()).expect("few");
    assert_eq!(
        number(format!("SELECT no_of_books FROM books WHERE id = {book}")),
        COPIES - out,
        "both or neither"
    );
    assert_eq!(number("SELECT COUNT(*) FROM events WHERE action = 'lent'".into()), out);
    assert_eq!(database.raw("PRAGMA integrity_check"), Ok(vec![vec![Some("ok".to_owned())]]));
    Server::start(&database.location.to_string()).stop();
}

/// Prepares a desk with a title whose copies are all overdue; returns librarians' cookies, barcodes and readers.
fn busy_desk(database: &Database) -> (Vec<String>, Vec<String>, Vec<i64>) {
    let tokens: Vec<String> =
        (0..LIBRARIANS).map(|_| http::session::new_token().expect("randomness")).collect();
    let hashes: Vec<String> = tokens.iter().map(|token| http::session::hashed(token)).collect();
    let db = database.open();
    let (barcodes, readers) = db
        .write_blocking(move |tx| -> circulation::Result<(Vec<String>, Vec<i64>)> {
            let (mut librarians, mut readers) = (Vec::new(), Vec::new());
            for n in 0..LIBRARIANS + READERS {
                let role = if n < LIBRARIANS { Role::Admin } else { Role::Student };
                let new = NewAccount {
                    email: format!("person{n}@college.edu"),
                    name: format!("Person {n}"),
                    role,
                    roll_number: (role == Role::Student).then(|| format!("r-{n}")),
                    department: None,
                    batch: None,
                    password_hash: "!".into(),
                };
                let uid = accounts::add(tx, &new, 0)?.expect("nothing is taken").uid;
                if role == Role::Admin { &mut librarians } else { &mut readers }.push(uid);
            }
            for (librarian, hash) in librarians.iter().zip(&hashes) {
                sessions::begin(tx, hash, *librarian, now(), i64::MAX, Opened::default())?;
            }
            let (today, actor) = (jiff::civil::date(2026, 1, 1), Actor::Librarian(librarians[0]));
            let moment = Moment { at: 0, today };
            // A reader with an overdue book borrows another one only by an override.
            let rules = json!({ "categories": [{ "name": "Student", "rules": { "blockOverdue": 1 } }] });
            let rules: Rules = serde_json::from_value(rules).expect("rules");
            settings::save(tx, Document::Rules(today, &rules), 0, librarians[0])?;
            let rulebook = Rulebook::default();
            let added = stock::add_title(tx, moment, &rulebook, &form(OVERDUE), None, &[])?;
            let book = added.expect("new").0;
            let mut barcodes = Vec::new();
            for reader in readers.iter().cycle().take(usize::try_from(OVERDUE).expect("few")) {
                let what = CheckOut { reader: *reader, copy: CopyToLend::AnyOf(book), overriding: None };
                barcodes.push(check_out(tx, actor, moment, &rulebook, &what)?.loan.barcode);
            }
            Ok((barcodes, readers.into_iter().map(|reader| reader.0).collect()))
        })
        .expect("the write is stored");
    db.close();
    (tokens.into_iter().map(|token| format!("library={token}")).collect(), barcodes, readers)
}

/// A librarian's write, and the answer that arrived.
struct Answered {
    cookie: String,
    key: String,
    call: Call,
    status: u16,
    body: String,
}

impl Answered {
    fn ask(port: u16, cookie: &str, key: &str, call: &Call) -> Option<Self> {
        let headers = [("Cookie", cookie), ("Idempotency-Key", key)];
        let (status, body) = loop {
            let answer = ask_for_text(port, call.method, &call.path, &headers, call.body.as_ref())?;
            // On a busy machine the writer's queue may be full. The server says that nothing was changed, and the librarian
            // presses again.
            if answer.0 != 503 || !answer.1.contains(r#""code":"busy""#) {
                break answer;
            }
        };
        assert!(matches!(status, 200 | 201 | 404 | 409 | 422), "{call:?}: {status} {body}");
        Some(Self { cookie: cookie.to_owned(), key: key.to_owned(), call: call.clone(), status, body })
    }

    /// True for a success; a refused write is decided anew each time.
    fn is_done(&self) -> bool {
        self.status < 300
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Repeats the write with its key.
    fn repeat(&self, port: u16) {
        let again = Self::ask(port, &self.cookie, &self.key, &self.call).expect("an answer");
        assert_eq!((again.status, &again.body), (self.status, &self.body), "{:?}", self.call);
    }

    /// Returns the kind of change that the write records, if any.
    fn action(&self) -> Option<&'static str> {
        let answer = self.json();
        answer["change"].as_i64()?;
        Some(match (self.call.name, answer["outcome"].as_str().unwrap_or_default()) {
            ("pay", _) => "paid",
            ("waive", _) => "waived",
            ("undo", _) => "undone",
            // Its last change.
            ("damaged", _) => "charged",
            (_, "charged") => "fine-charged",
            (_, "lent") => "lent",
            (_, "renewed") => "renewed",
            (_, "returned") => "returned",
            (_, "shelved" | "kept") => "copy-moved",
            other => panic!("{other:?} has a change"),
        })
    }
}

/// Works as a librarian until the server is gone; returns the answered writes and the unanswered one.
fn work_until_killed(
    port: u16,
    round: usize,
    cookie: &str,
    librarian: &mut Librarian,
    count: &AtomicUsize,
) -> (Vec<Answered>, String, Call) {
    let mut answered: Vec<Answered> = Vec::new();
    loop {
        let (call, key) = (librarian.next(), format!("{round}-{}", answered.len()));
        let Some(answer) = Answered::ask(port, cookie, &key, &call) else { return (answered, key, call) };
        librarian.hear(&call, &answer.json());
        answered.push(answer);
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_desk_whose_server_is_killed_has_lost_nothing_it_was_told_and_no_receipt_r_money_3_law_7_p11() {
    for database in [Database::sqlite(), Database::postgres()] {
        let (cookies, barcodes, readers) = busy_desk(&database);
        let address = address(&database);
        let mut random = Random(1);
        let mut librarians: Vec<Librarian> =
            (0..LIBRARIANS).map(|n| Librarian::new(n as u64, barcodes.clone(), readers.clone())).collect();
        let mut answered = Vec::new();
        let mut server = Server::start(&address);
        for round in 0..ROUNDS {
            let (port, count, begun) = (server.port, AtomicUsize::new(0), Instant::now());
            let cut: Vec<_> = std::thread::scope(|scope| {
                let working: Vec<_> = cookies
                    .iter()
                    .zip(&mut librarians)
                    .map(|(cookie, librarian)| {
                        let count = &count;
                        scope.spawn(move || work_until_killed(port, round, cookie, librarian, count))
                    })
                    .collect();
                let wanted = 60 + random.below(60);
                while count.load(Ordering::Relaxed) < wanted {
                    assert!(begun.elapsed() < Duration::from_mins(1), "too few answers");
                    std::thread::sleep(Duration::from_micros(200));
                }
                std::thread::sleep(Duration::from_micros(random.below(8000) as u64));
                server.kill();
                working.into_iter().map(|librarian| librarian.join().expect("no panic")).collect()
            });
            server = Server::start(&address);
            for ((before, key, call), (cookie, librarian)) in
                cut.into_iter().zip(cookies.iter().zip(&mut librarians))
            {
                for answer in before.iter().filter(|answer| answer.is_done()) {
                    answer.repeat(server.port);
                }
                answered.extend(before);
                // The write happened completely, or happens now, and only once.
                let settled = Answered::ask(server.port, cookie, &key, &call).expect("an answer");
                librarian.hear(&call, &settled.json());
                answered.push(settled);
            }
        }
        answered.retain(Answered::is_done);
        for answer in &answered {
            answer.repeat(server.port);
        }
        is_kept(&server, &cookies[0], &answered, barcodes.len());
        server.stop();
        done(&["doctor", "--database", &address]);
        if let Location::Sqlite(_) = database.location {
            assert_eq!(database.raw("PRAGMA integrity_check"), Ok(vec![vec![Some("ok".to_owned())]]));
        }
    }
}

/// Checks that the list of changes and the receipts contain everything that was answered and nothing else.
fn is_kept(server: &Server, cookie: &str, answered: &[Answered], lent_before: usize) {
    let read = |path: &str| {
        let (status, body) = server.ask("GET", path, cookie, None).expect("an answer");
        assert_eq!(status, 200, "{path}: {body}");
        body
    };
    let (mut kept, mut next) = (BTreeMap::new(), Some(String::new()));
    while let Some(cursor) = next {
        let page = read(&format!("/changes?limit=100{cursor}"));
        for change in page["changes"].as_array().expect("a list") {
            kept.insert(change["id"].as_i64().expect("an id"), change.clone());
        }
        next = page["next"].as_str().map(|cursor| format!("&cursor={cursor}"));
    }
    let mut receipts = BTreeSet::new();
    for answer in answered {
        let Some(action) = answer.action() else { continue };
        let told = answer.json();
        let change = &kept[&told["change"].as_i64().expect("an id")];
        assert_eq!(change["action"], action, "{:?}", answer.call);
        if action == "paid" {
            let number = told["receipt"]["number"].as_str().expect("a number");
            assert_eq!(change["change"]["receipt"], number);
            let receipt = read(&format!("/receipts/{}", number.replace('/', "%2F")));
            assert_eq!(
                (&receipt["number"], &receipt["amount"]),
                (&json!(number), &told["receipt"]["amount"])
            );
            assert!(receipts.insert(number.to_owned()), "given twice: {number}");
        }
    }
    let year = receipts.first().and_then(|number| number.split('/').next()).expect("a receipt").to_owned();
    let gapless: BTreeSet<String> = (1..=receipts.len()).map(|n| format!("{year}/{n:06}")).collect();
    assert_eq!(receipts, gapless);
    for (action, before) in [("lent", lent_before), ("renewed", 0), ("paid", 0), ("waived", 0)] {
        let told = answered.iter().filter(|answer| answer.action() == Some(action)).count();
        let kept = kept.values().filter(|change| change["action"] == action).count();
        assert_eq!(kept, before + told, "{action}");
        assert!(told > 0, "nobody got to it: {action}");
    }
    for name in ["undo", "override", "damaged"] {
        assert!(answered.iter().any(|answer| answer.call.name == name), "nobody got to it: {name}");
    }
}
