//! Backups made while people borrow, and their restoration.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use library::http;
use serde_json::json;

use crate::{
    command_line::address,
    common::{Database, folder, in_sqlite},
    durability::filled,
    process::{Server, ask, done, library, refused, run},
    rig::{path, rounds, until},
};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Creates a librarian whose password the test knows.
fn librarian(location: &str) {
    let create = [
        "admin",
        "create",
        "--email",
        "meera@college.edu",
        "--name",
        "Meera Iyer",
        "--password-stdin",
        "--database",
        location,
    ];
    assert!(run(library(&create), "four unrelated words\n").success);
}

/// Opens a session of the librarian.
fn signed_in(database: &Database) -> String {
    let token = http::session::new_token().expect("randomness");
    let hash = http::session::hashed(&token);
    let now = library::clock::Clock::system(jiff::tz::TimeZone::UTC).now();
    let begin = format!(
        "INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at)
         SELECT '{hash}', id, {now}, {now}, 9000000000000 FROM users WHERE role = 'admin'"
    );
    database.raw(&begin).expect("writable");
    format!("library={token}")
}

fn sign_in(server: &Server) -> u16 {
    let form = json!({ "email": "meera@college.edu", "password": "four unrelated words" });
    server.ask("POST", "/auth/sign-in", "", Some(&form)).expect("an answer").0
}

/// R16: everything answered before the backup began is in it; restored elsewhere it is a working library.
#[test]
fn a_backup_made_under_load_is_restored_elsewhere_and_goes_on_r16() {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 100_000);
    let location = database.location.to_string();
    librarian(&location);
    let folder = folder();
    let server = Server::start(&location);
    let loans_path = format!("/books/{book}/loans");
    let (answered, over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let borrowed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for cookie in &cookies {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let (status, loan) =
                        ask(server.port, "POST", &loans_path, cookie, None).expect("an answer");
                    assert_eq!(status, 201, "{loan}");
                    answered.lock().expect("no panic").push(loan["id"].as_i64().expect("an id"));
                    borrowed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..rounds(3) {
            let begun = (Instant::now(), borrowed.load(Ordering::Relaxed));
            while borrowed.load(Ordering::Relaxed) < begun.1 + 20 {
                assert!(begun.0.elapsed() < Duration::from_secs(10), "nobody borrows");
                std::thread::sleep(Duration::from_millis(1));
            }
            let before = answered.lock().expect("no panic").clone();
            let copy = folder.path().join(format!("{round}.db"));
            done(&["backup", text(&copy), "--database", &location]);
            let kept = in_sqlite(&copy, "SELECT id FROM loans").expect("readable");
            let kept: Vec<i64> =
                kept.into_iter().flatten().flatten().filter_map(|id| id.parse().ok()).collect();
            assert!(before.iter().all(|id| kept.contains(id)), "a loan that was answered is not in the copy");
        }
        over.store(true, Ordering::Relaxed);
    });
    let copy = folder.path().join("0.db");
    assert!(done(&["restore", "--verify", text(&copy)]).contains("is good: schema"));

    let elsewhere = Database::sqlite();
    let there = elsewhere.location.to_string();
    let said = done(&["restore", text(&copy), "--database", &there]);
    assert!(said.contains("Everyone must sign in again") && !said.contains("is kept as"), "{said}");
    let rights = std::fs::metadata(path(&elsewhere)).expect("there").permissions().mode() & 0o777;
    assert_eq!(rights, 0o600);
    assert!(done(&["doctor", "--database", &there]).contains("agree"));
    let restored = Server::start(&there);
    assert_eq!(sign_in(&restored), 200);
    assert_eq!(
        restored.ask("POST", &loans_path, &cookies[0], None).map(|answer| answer.0),
        Some(401),
        "signed out"
    );
    restored.stop();
    server.stop();
}

/// Suffix, damage, and a word of the message.
type Damage<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

#[test]
fn a_copy_that_is_not_good_is_told_and_restores_nothing() {
    let database = Database::sqlite();
    let (book, _) = filled(&database, 100);
    let location = database.location.to_string();
    let folder = folder();
    let good = folder.path().join("good.db");
    done(&["backup", text(&good), "--database", &location]);
    let manifest = |copy: &Path| copy.with_extension("db.manifest.json");
    let cut = |copy: &Path| {
        let file = std::fs::File::options().write(true).open(copy).expect("there");
        let length = file.metadata().expect("a file").len();
        file.set_len(length / 2).expect("shortened");
    };
    let forget = |copy: &Path| std::fs::remove_file(manifest(copy)).expect("removed");
    let raw = |copy: &Path, statement: &str| {
        in_sqlite(copy, statement).expect("writable");
        forget(copy);
    };
    let cases: [Damage<'_>; 6] = [
        ("truncated", &cut, "SHA-256"),
        (
            "truncated-alone",
            &|copy| {
                cut(copy);
                forget(copy);
            },
            "malformed",
        ),
        (
            "one-byte",
            &|copy| {
                let mut bytes = std::fs::read(copy).expect("there");
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(copy, bytes).expect("written");
            },
            "SHA-256",
        ),
        (
            "law",
            &|copy| raw(copy, &format!("UPDATE books SET no_of_books = 7 WHERE id = {book}")),
            "the catalogue says 7",
        ),
        (
            "newer",
            &|copy| raw(copy, "INSERT INTO schema_version (version, name) VALUES (9999, 'x')"),
            "newer",
        ),
        ("other", &|copy| raw(copy, "DROP TABLE schema_version"), "not a library's database"),
    ];
    for (name, damage, word) in cases {
        let copy = folder.path().join(format!("{name}.db"));
        std::fs::copy(&good, &copy).expect("copied");
        std::fs::copy(manifest(&good), manifest(&copy)).expect("copied");
        damage(&copy);
        for command in
            [&["restore", "--verify", text(&copy)][..], &["restore", text(&copy), "--database", &location]]
        {
            let told = refused(command);
            assert!(told.contains(word) && told.contains(name), "{name}: {told}");
        }
    }
    let files: Vec<_> = std::fs::read_dir(path(&database).parent().expect("a folder"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .collect();
    assert!(files.iter().all(|name| !name.contains("before") && !name.contains("partial")), "{files:?}");
    done(&["doctor", "--database", &location]);
}

#[test]
fn a_restore_waits_for_no_server_and_keeps_the_database_that_was_there() {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 100);
    let location = database.location.to_string();
    let folder = folder();
    let copy = folder.path().join("copy.db");
    done(&["backup", text(&copy), "--database", &location]);
    let server = Server::start(&location);
    let loans_path = format!("/books/{book}/loans");
    assert_eq!(server.ask("POST", &loans_path, &cookies[0], None).map(|answer| answer.0), Some(201));
    let told = refused(&["restore", text(&copy), "--database", &location]);
    assert!(told.contains("another server already works on") && told.contains("stop it first"), "{told}");
    assert_eq!(
        server.ask("POST", &loans_path, &cookies[1], None).map(|answer| answer.0),
        Some(201),
        "it goes on"
    );
    // Answered loans are in the log, not yet in the database.
    server.kill();

    let said = done(&["restore", text(&copy), "--database", &location]);
    let kept = said.split("is kept as ").nth(1).and_then(|rest| rest.split(';').next()).expect("a name");
    let loans = |file: &Path| in_sqlite(file, "SELECT COUNT(*) FROM loans").expect("readable")[0][0].clone();
    assert_eq!(loans(Path::new(kept)).as_deref(), Some("2"));
    assert_eq!(loans(path(&database)).as_deref(), Some("0"));
    assert!(!Path::new(&format!("{}-wal", path(&database).display())).exists(), "no log of another database");
    Server::start(&location).stop();
    // And back again.
    let wrong = refused(&["restore", path(&database).to_str().expect("UTF-8"), "--database", &location]);
    assert!(wrong.contains("is the database itself"), "{wrong}");
    std::thread::sleep(Duration::from_millis(1100));
    done(&["restore", kept, "--database", &location]);
    assert_eq!(loans(path(&database)).as_deref(), Some("2"));
}

/// O21: "erase them once more" named none of them.
#[test]
fn a_restore_names_the_people_who_were_erased_since_the_backup_r_people_6() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    librarian(&location);
    let server = Server::start(&location);
    let cookie = signed_in(&database);
    let add = |name: &str, roll_number: &str| {
        let form = json!({ "name": name, "rollNumber": roll_number });
        server.ask("POST", "/people", &cookie, Some(&form)).expect("an answer").1["uid"]
            .as_i64()
            .expect("a number")
    };
    let (stays, goes, early) =
        (add("Asha Rao", "cs25-001"), add("Bela Das", "cs25-002"), add("Chand", "cs25-003"));
    let erase = |person: i64| {
        let gone = server.ask("DELETE", &format!("/people/{person}"), &cookie, None);
        assert_eq!(gone.map(|answer| answer.0), Some(204));
    };
    erase(early);
    let folder = folder();
    let copy = folder.path().join("copy.db");
    done(&["backup", text(&copy), "--database", &location]);
    erase(goes);
    server.stop();
    let said = done(&["restore", text(&copy), "--database", &location]);
    let listed = said.split("erase them once more:").nth(1).expect("a list");
    assert_eq!(listed.trim(), format!("people/{goes}  cs25-002"), "{said} ({stays})");
    std::thread::sleep(Duration::from_millis(1100));
    let said = done(&["restore", text(&copy), "--database", &location]);
    assert!(said.contains("No person was erased since the copy was made."), "{said}");
}

#[test]
fn the_server_makes_a_backup_every_day_and_the_doctor_asks_for_it() {
    let database = Database::sqlite();
    filled(&database, 10);
    let location = database.location.to_string();
    let folder = folder();
    let doctor = ["doctor", "--database", &location, "--backup-folder", text(folder.path())];
    let asked = || library(&doctor).output().expect("it runs");
    assert!(String::from_utf8_lossy(&asked().stdout).contains("there is no backup in"));
    assert_eq!(asked().status.code(), Some(1));
    let left_over = folder.path().join("library-2026-01-01.db.7.partial");
    std::fs::write(&left_over, "broken off").expect("written");
    let server = Server::start_with(&location, &["--backup-folder", text(folder.path())]);
    let begun = Instant::now();
    while !server.log().contains("backup made") {
        assert!(begun.elapsed() < Duration::from_secs(10), "{}", server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!left_over.exists());
    assert!(done(&doctor).contains("0 hours old"));
    let made = std::fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").path());
    let made = made.into_iter().find(|path| path.extension().is_some_and(|end| end == "db")).expect("a copy");
    done(&["restore", "--verify", text(&made)]);
    server.stop();
    // The backup is late.
    let manifest = made.with_extension("db.manifest.json");
    let old = std::fs::read_to_string(&manifest).expect("there");
    let at = old.find("\"made_at\": \"").expect("a time") + "\"made_at\": \"".len();
    std::fs::write(&manifest, format!("{}2026-01-01{}", &old[..at], &old[at + 10..])).expect("written");
    assert!(String::from_utf8_lossy(&asked().stdout).contains("the newest backup"), "late");
    assert_eq!(asked().status.code(), Some(1));

    let missing = folder.path().join("missing/backups");
    let told = refused(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database",
        &location,
        "--backup-folder",
        text(&missing),
    ]);
    assert!(told.contains("is not there and cannot be made"), "{told}");
    let postgres = Database::postgres();
    let told = refused(&["restore", text(&made), "--database", &address(&postgres)]);
    assert!(told.contains("pg_restore"), "{told}");
}

/// Creates a library whose catalogue counts seven copies that do not exist.
fn contradicting() -> (Database, i64) {
    let database = Database::sqlite();
    let (book, _) = filled(&database, 3);
    database.raw(&format!("UPDATE books SET no_of_books = 7 WHERE id = {book}")).expect("writable");
    (database, book)
}

const CONTRADICTION: &str = "the catalogue says 7 on the shelf, its copies say 3";

/// Runs a command that must fail; returns what it listed and its last line.
fn listed_and_refused(arguments: &[&str]) -> (String, String) {
    let ended = run(library(arguments), "");
    assert!(!ended.success, "{arguments:?} succeeded: {}", ended.stdout);
    assert_eq!(ended.stderr.trim_end().lines().count(), 1, "{}", ended.stderr);
    (ended.stdout, ended.stderr)
}

#[test]
fn a_backup_of_contradicting_records_is_kept_says_so_and_is_restored_when_told_r16() {
    let (database, book) = contradicting();
    let location = database.location.to_string();
    let folder = folder();
    let copy = folder.path().join("copy.db");
    let (listed, refused) = listed_and_refused(&["backup", text(&copy), "--database", &location]);
    assert!(listed.contains(CONTRADICTION), "{listed}");
    assert!(refused.contains("is kept") && refused.contains("contradict each other"), "{refused}");
    assert!(copy.exists(), "it is better than none");

    let elsewhere = Database::sqlite();
    let there = elsewhere.location.to_string();
    let restore = ["restore", text(&copy), "--database", &there];
    for command in [&["restore", "--verify", text(&copy)][..], &restore] {
        let (listed, refused) = listed_and_refused(command);
        assert!(listed.contains(CONTRADICTION), "{listed}");
        assert!(
            refused.contains(CONTRADICTION) && refused.contains("--although-records-contradict"),
            "{refused}"
        );
    }
    assert!(!path(&elsewhere).exists(), "nothing was restored");
    let told = done(&[&restore[..], &["--although-records-contradict"]].concat());
    assert!(told.contains(CONTRADICTION) && told.contains("is now what"), "{told}");
    let (listed, _) = listed_and_refused(&["doctor", "--database", &there]);
    assert!(listed.contains(CONTRADICTION), "{listed}");

    // One book of that copy, into a library that deleted it.
    librarian(&location);
    let (server, cookie) = (Server::start(&location), signed_in(&database));
    let deleted = server.ask("DELETE", &format!("/books/{book}"), &cookie, None).map(|answer| answer.0);
    assert_eq!(deleted, Some(204));
    server.stop();
    database.raw("UPDATE deleted_books SET deleted_at = deleted_at - 24 * 60 * 60 * 1000").expect("writable");
    let number = book.to_string();
    let one = ["restore-book", "--from", text(&copy), "--book", &number, "--database", &location];
    let (listed, refused) = listed_and_refused(&one);
    assert!(listed.contains(CONTRADICTION) && refused.contains("--although-records-contradict"), "{refused}");
    let told = done(&[&one[..], &["--although-records-contradict"]].concat());
    assert!(told.contains(CONTRADICTION) && told.contains("is in the catalogue again"), "{told}");
    done(&["doctor", "--database", &location]);
}

#[test]
fn the_daily_backup_of_contradicting_records_is_kept_and_logged_as_an_error_r16() {
    let (database, _) = contradicting();
    let location = database.location.to_string();
    let folder = folder();
    let server = Server::start_with(&location, &["--backup-folder", text(folder.path())]);
    until("the backup", || server.log().contains("backup made"));
    until("the alarm", || {
        let log = server.log();
        log.lines().any(|line| line.contains("ERROR") && line.contains(CONTRADICTION))
    });
    let kept = std::fs::read_dir(folder.path()).expect("a folder").map(|file| file.expect("a file").path());
    assert_eq!(kept.filter(|path| path.extension().is_some_and(|end| end == "db")).count(), 1);
    server.stop();
}

#[test]
fn one_deleted_book_comes_back_from_a_backup_while_the_server_works() {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 3);
    let location = database.location.to_string();
    let folder = folder();
    let copy = folder.path().join("copy.db");
    done(&["backup", text(&copy), "--database", &location]);
    let server = Server::start(&location);
    let loans_path = format!("/books/{book}/loans");
    assert_eq!(server.ask("POST", &loans_path, &cookies[0], None).map(|answer| answer.0), Some(201));
    librarian(&location);
    let cookie = signed_in(&database);
    let number = book.to_string();
    let restore = ["restore-book", "--from", text(&copy), "--book", &number, "--database", &location];
    assert!(refused(&restore).contains("is in the catalogue"));
    let deleted = server.ask("DELETE", &format!("/books/{book}"), &cookie, None).map(|answer| answer.0);
    assert_eq!(deleted, Some(204));
    assert!(refused(&restore).contains("under Activity"));
    // The program uses the machine's clock, so the deletion is moved to yesterday instead. Nothing else has run since.
    database.raw("UPDATE deleted_books SET deleted_at = deleted_at - 24 * 60 * 60 * 1000").expect("writable");
    assert!(done(&restore).contains("“Godaan” is in the catalogue again"));
    let begun = Instant::now();
    while server.ask("GET", "/books?q=godaan", "", None).expect("an answer").1["total"] != 1 {
        assert!(begun.elapsed() < Duration::from_secs(5), "the server does not find it");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.ask("POST", &loans_path, &cookies[1], None).map(|answer| answer.0), Some(201));
    done(&["doctor", "--database", &location]);
    let told = refused(&["restore-book", "--from", text(&copy), "--book", "77", "--database", &location]);
    assert!(told.contains("no book with the number 77"), "{told}");
    server.stop();
}
