//! Killed in the middle of its work, the server has lost nothing that it said was stored.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use library::{
    circulation::{self, Moment, stock},
    domain::{
        account::Role,
        book::{BookForm, Status},
        rulebook::Rulebook,
    },
    http,
    storage::{
        Error,
        accounts::{self, NewAccount},
        sessions,
    },
};

use crate::{
    command_line::address,
    common::Database,
    process::{Server, ask, ask_with},
};

const BORROWERS: usize = 4;
const COPIES: i64 = 100_000;

/// A library with one book and readers who are signed in; the book and their cookies.
fn filled(database: &Database) -> (i64, Vec<String>) {
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
                sessions::begin(tx, hash, user.uid, 0, i64::MAX)?;
            }
            let form = BookForm {
                title: "Godaan".into(),
                author: "Premchand".into(),
                genre: String::new(),
                photo_url: String::new(),
                description: String::new(),
                no_of_books: COPIES,
                location: String::new(),
                status: Some(Status::Available),
                rating: None,
            };
            let moment = Moment { at: 0, today: jiff::civil::date(2026, 1, 1) };
            let added = stock::add_title(tx, moment, &Rulebook::default(), &form, None, &[]);
            Ok(added.map_err(circulation::Error::into_storage)?.expect("new").0.0)
        })
        .expect("the write is stored");
    db.close();
    (book, tokens.into_iter().map(|token| format!("library={token}")).collect())
}

#[test]
fn a_killed_server_has_lost_no_loan_that_it_acknowledged_r_loan_2() {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database);
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
            // In the middle of it, not after it.
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

#[test]
fn a_write_repeated_after_the_server_was_killed_happened_once_p11() {
    for database in [Database::sqlite(), Database::postgres()] {
        let (book, cookies) = filled(&database);
        let address = address(&database);
        let borrow = |server: &Server| {
            let headers = [("Cookie", cookies[0].as_str()), ("Idempotency-Key", "6f1c0a52")];
            ask_with(server.port, "POST", &format!("/books/{book}/loans"), &headers, None).expect("an answer")
        };
        let server = Server::start(&address);
        let (status, loan) = borrow(&server);
        assert_eq!(status, 201, "{loan}");
        server.kill();
        let server = Server::start(&address);
        assert_eq!(borrow(&server), (201, loan));
        server.stop();
        assert_eq!(database.raw("SELECT COUNT(*) FROM loans"), Ok(vec![vec![Some("1".to_owned())]]));
    }
}
