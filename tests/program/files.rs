//! The files of a library: their permissions, their locks, and what happens when they disappear (P12).

use std::{
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    common::Database,
    durability::filled,
    process::{Server, ask, ask_at, done, library, refused, run},
    rig::path,
};

/// Returns a file whose name begins with the database's.
fn beside(database: &Database, suffix: &str) -> PathBuf {
    let mut name = path(database).as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the one-line refusal to serve, after the log.
fn not_served(database: &str) -> String {
    let ended = run(library(&["serve", "--listen", "127.0.0.1:0", "--database", database]), "");
    assert!(!ended.success, "{}", ended.stderr);
    ended.stderr.lines().last().unwrap_or_default().to_owned()
}

/// Returns status and text of `readyz`.
pub fn ready(server: &Server) -> (u16, String) {
    ask_at(server.port, "GET", "/library/readyz", &[], None).expect("an answer")
}

/// P12: the demo's password worked on the same database without `--demo`.
#[test]
fn a_demo_is_not_served_as_a_library_of_its_own_while_its_password_works_p12() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    Server::start_with(&location, &["--demo"]).stop();
    let told = not_served(&location);
    assert!(told.contains("librarian@demo.library and student@demo.library"), "{told}");
    assert!(told.contains("--demo") && told.contains("library admin create"), "the way out: {told}");
    assert!(done(&["doctor", "--database", &location]).contains("the demo's password"));
    Server::start_with(&location, &["--demo"]).stop();

    // As the message advises.
    database.raw("UPDATE users SET active = 0 WHERE email_key LIKE '%demo.library'").expect("writable");
    Server::start(&location).stop();
    assert!(!done(&["doctor", "--database", &location]).contains("the demo's password"));
}

#[test]
fn nobody_else_on_the_machine_reads_a_library_and_an_open_file_is_told_p12() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let server = Server::start(&location);
    for file in [path(&database).to_owned(), beside(&database, "-wal"), beside(&database, "-shm")] {
        let rights = std::fs::metadata(&file).expect("there").permissions().mode() & 0o777;
        assert_eq!(rights, 0o600, "{}", file.display());
    }
    assert!(!server.log().contains("open to everybody"));
    server.stop();
    std::fs::set_permissions(path(&database), std::fs::Permissions::from_mode(0o644)).expect("changed");
    assert!(
        done(&["doctor", "--database", &location]).contains("open to everybody on this machine: chmod o=")
    );
    let server = Server::start(&location);
    let begun = Instant::now();
    while !server.log().contains("open to everybody") {
        assert!(begun.elapsed() < Duration::from_secs(5), "{}", server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    server.stop();
}

/// P12: after the file was deleted, a restart silently created a new empty library.
#[test]
fn an_empty_library_is_not_made_where_one_was_p12() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    // The first start needs no preparation.
    Server::start(&location).stop();
    std::fs::remove_file(path(&database)).expect("removed");
    let told = not_served(&location);
    assert!(
        told.contains("is gone") && told.contains("library restore") && told.contains(".serving"),
        "{told}"
    );
    for command in [&["migrate"][..], &["migrate", "--dry-run"], &["import", "books", "Cargo.toml"]] {
        let told = refused(&[command, &["--database", &location]].concat());
        assert!(told.contains("is gone"), "{told}");
    }
    assert!(
        refused(&["doctor", "--database", &location]).contains("not there"),
        "who only looks makes nothing"
    );
    assert!(!path(&database).exists());
    // The demo has nothing to lose.
    Server::start_with(&location, &["--demo"]).stop();
    std::fs::remove_file(path(&database)).expect("removed");
    // As the message advises, remove all that is left. Connections that close at the same time may leave the log.
    std::fs::remove_file(beside(&database, ".serving")).expect("removed");
    for log in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(beside(&database, log));
    }
    Server::start(&location).stop();
}

/// P12: the lock was bound to the name, not the file.
#[test]
fn a_second_server_is_not_let_in_through_a_link_p12() {
    let database = Database::sqlite();
    let server = Server::start(&database.location.to_string());
    let folder = crate::common::folder();
    let linked = folder.path().join("linked.db");
    symlink(path(&database), &linked).expect("a link");
    let told = not_served(&format!("sqlite:{}", linked.display()));
    assert!(told.contains("another server"), "{told}");
    let hard = beside(&database, ".hard");
    std::fs::hard_link(path(&database), &hard).expect("a link");
    for name in [&hard, path(&database)] {
        let told = not_served(&format!("sqlite:{}", name.display()));
        assert!(told.contains("2 names") || told.contains("another server"), "{told}");
        let told = refused(&["migrate", "--database", &format!("sqlite:{}", name.display())]);
        assert!(told.contains("2 names"), "a log of its own beside each name: {told}");
    }
    std::fs::remove_file(&hard).expect("removed");
    server.stop();
    Server::start(&format!("sqlite:{}", linked.display())).stop();
}

/// Waits until the server reports that it is not ready.
fn until_unready(server: &Server) -> String {
    let begun = Instant::now();
    loop {
        match ready(server) {
            (503, told) => return told,
            (status, told) => {
                assert!(begun.elapsed() < Duration::from_secs(5), "nobody notices: {status} {told}");
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Suffix of the file's name, what happens to the file, and a word of the message.
type Taken<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

/// P12: borrows of a deleted database were answered 201 and were gone after the restart.
#[test]
fn a_file_that_is_taken_away_stops_the_writes_p12() {
    let take = |path: &Path| std::fs::remove_file(path).expect("removed");
    let swap = |path: &Path| {
        let other = path.with_extension("other");
        std::fs::copy(path, &other).expect("copied");
        std::fs::rename(other, path).expect("renamed");
    };
    let cases: [Taken<'_>; 3] =
        [("", &take, "gone from its place"), ("", &swap, "another file"), ("-wal", &take, "-wal")];
    for (suffix, happens, word) in cases {
        let database = Database::sqlite();
        let (book, cookies) = filled(&database, 100);
        let server = Server::start(&database.location.to_string());
        let borrow = || {
            ask(server.port, "POST", &format!("/books/{book}/loans"), &cookies[0], None).expect("an answer")
        };
        assert_eq!(borrow().0, 201);
        happens(&beside(&database, suffix));
        let (status, told) = borrow();
        assert_eq!((status, &told["code"]), (503, &json!("unavailable")), "{word}: {told}");
        assert!(until_unready(&server).contains(word), "{:?}", ready(&server));
        for _ in 0..200 {
            assert_eq!(borrow().0, 503);
        }
        let log = server.log();
        assert!(log.contains(word) && log.lines().count() < 20, "{word}: {log}");
        server.stop();
        if suffix == "-wal" {
            // A clean stop wrote the log's contents into the database.
            let kept = database.raw("SELECT COUNT(*) FROM loans").expect("readable");
            assert_eq!(kept[0][0].as_deref(), Some("1"));
        }
    }
}
