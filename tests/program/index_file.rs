//! The search index beside the database: a start reads it instead of the catalogue, and uses none that does not belong there.

use std::{fmt::Write as _, os::unix::fs::PermissionsExt as _, path::PathBuf, time::Instant};

use crate::{
    common::{Database, folder},
    process::{Server, ask, done},
    rig::path,
};

/// Fewer books have no file.
const BOOKS: usize = 20_000;

fn file(database: &Database) -> PathBuf {
    path(database).with_extension("db.search")
}

/// Starts a server and waits until its index is loaded; returns whether it came from the file.
fn start(database: &Database) -> (Server, bool) {
    let server = Server::start(&database.location.to_string());
    let begun = Instant::now();
    while !server.log().contains("search index loaded") {
        assert!(begun.elapsed().as_secs() < 60, "{}", server.log());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let from_file = server.log().contains("from_file=true");
    let found = ask(server.port, "GET", "/books?q=the+last+of+all", "", None).expect("an answer").1;
    assert_eq!(found["books"][0]["title"], format!("The last of all {}", BOOKS - 1), "{found}");
    assert_eq!(found["total"], 1);
    (server, from_file)
}

fn until_written(database: &Database) {
    let begun = Instant::now();
    while !file(database).exists() {
        assert!(begun.elapsed().as_secs() < 60, "no file is written");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_start_uses_the_index_beside_its_database_and_none_of_another_history() {
    let (database, folder) = (Database::sqlite(), folder());
    let mut rows = "title,author\n".to_owned();
    (0..BOOKS - 1)
        .for_each(|n| writeln!(rows, "A title of its own {n},Author {}", n % 999).expect("written"));
    writeln!(rows, "The last of all {},Author 1000", BOOKS - 1).expect("written");
    let csv = folder.path().join("books.csv");
    std::fs::write(&csv, rows).expect("written");
    let location = database.location.to_string();
    done(&["migrate", "--database", &location]);
    done(&["import", "books", csv.to_str().expect("text"), "--database", &location]);

    let (server, from_file) = start(&database);
    assert!(!from_file, "there is no file yet");
    until_written(&database);
    server.stop();
    let mode = std::fs::metadata(file(&database)).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads it");
    let (server, from_file) = start(&database);
    assert!(from_file, "{}", server.log());
    server.stop();

    // Changed by a command while no server ran.
    let more = folder.path().join("more.csv");
    std::fs::write(&more, "title,author\nBought later,Author 1\n").expect("written");
    done(&["import", "books", more.to_str().expect("text"), "--database", &location]);
    let (server, from_file) = start(&database);
    let later = ask(server.port, "GET", "/books?q=bought+later", "", None).expect("an answer").1;
    assert_eq!((from_file, &later["total"]), (true, &serde_json::json!(1)));
    server.stop();

    let sound = std::fs::read(file(&database)).expect("a file");
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for content in [damaged, sound[..middle].to_vec(), Vec::new()] {
        std::fs::write(file(&database), content).expect("written");
        let (server, from_file) = start(&database);
        assert!(
            !from_file && server.log().contains("the file of the search index is not used"),
            "{}",
            server.log()
        );
        until_written(&database);
        server.stop();
    }

    // A database with the same numbers and another history, such as one restored from a backup and changed since.
    std::fs::write(file(&database), sound).expect("written");
    let rows = rusqlite::Connection::open(path(&database)).expect("a file");
    rows.execute_batch("DROP TRIGGER events_are_never_changed; UPDATE events SET at = at + 1")
        .expect("changed");
    drop(rows);
    let (server, from_file) = start(&database);
    assert!(!from_file, "{}", server.log());
    server.stop();
}
