//! What an operator's commands do to a database, and what the server says about itself (findings O2, O3, O8, O9, O11, O16, O22,
//! O25, X13).

use std::{
    io::Read as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    common::{Database, folder},
    durability::filled,
    files::ready,
    process::{Server, ask_at, ask_with, done, library, refused, refused_with, run},
    rig::path,
};

/// Creates a library as the first program made it.
fn of_the_first_program() -> Database {
    let database = Database::sqlite();
    let run = |text: &str| {
        let connection = rusqlite::Connection::open(path(&database)).expect("a file");
        connection.execute_batch(text).expect("sound SQL");
    };
    run(include_str!("../../migrations/sqlite/0001_initial.sql"));
    run(include_str!("../fixtures/0001.sql"));
    database
}

fn schema(file: &Path) -> String {
    let rows = crate::common::in_sqlite(file, "SELECT MAX(version) FROM schema_version").expect("readable");
    rows[0][0].clone().expect("a number")
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(15), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn only_serve_and_migrate_change_an_older_schema_o2() {
    let database = of_the_first_program();
    let location = database.location.to_string();
    let folder = folder();
    let csv = folder.path().join("some.csv");
    std::fs::write(&csv, "title\nGodaan\n").expect("written");
    let csv = csv.to_str().expect("UTF-8");
    let commands: [&[&str]; 5] = [
        &["doctor"],
        &["import", "books", csv],
        &["import", "people", csv],
        &["admin", "reset-second-factor", "--email", "a@college.edu"],
        &["restore-book", "--from", csv, "--book", "1"],
    ];
    for command in commands {
        let told = refused(&[command, &["--database", &location]].concat());
        assert!(told.contains("has schema 1") && told.contains("library migrate"), "{command:?}: {told}");
    }
    let create =
        ["admin", "create", "--email", "a@college.edu", "--name", "A", "--password-stdin", "--database"];
    let told = refused_with(&[&create[..], &[&location]].concat(), "four unrelated words\n");
    assert!(told.contains("library migrate"), "{told}");
    let copy = folder.path().join("copy.db");
    done(&["backup", copy.to_str().expect("UTF-8"), "--database", &location]);
    assert_eq!((schema(&copy).as_str(), schema(path(&database)).as_str()), ("1", "1"), "the way back");
    done(&["migrate", "--database", &location]);
    assert_ne!(schema(path(&database)), "1");
    done(&["doctor", "--database", &location]);
}

#[test]
fn a_schema_is_not_changed_under_a_server_and_one_that_was_is_told_o2() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let server = Server::start(&location);
    assert_eq!(ready(&server).0, 200);
    // As if this server were of an earlier program.
    let newest = schema(path(&database));
    database.raw(&format!("DELETE FROM schema_version WHERE version = {newest}")).expect("writable");
    let told = refused(&["migrate", "--database", &location]);
    assert!(told.contains("another server already works on"), "{told}");
    let next = newest.parse::<i64>().expect("a number") + 1;
    for (version, name) in [(next - 1, "last"), (next, "future")] {
        let add = format!("INSERT INTO schema_version (version, name) VALUES ({version}, '{name}')");
        database.raw(&add).expect("writable");
    }
    let (status, told) = ready(&server);
    assert_eq!(status, 503, "{told}");
    assert!(told.contains(&format!("schema is now {next}")) && told.contains("newer program"), "{told}");
    until("the log says so", || server.log().contains("migrated under this server"));
    server.stop();
}

#[test]
fn a_server_with_a_backup_folder_makes_a_backup_before_it_migrates_o2() {
    let database = of_the_first_program();
    let backups = folder();
    let options = ["--backup-folder", backups.path().to_str().expect("UTF-8")];
    Server::start_with(&database.location.to_string(), &options).stop();
    let copy = backups.path().join("library-schema-1.db");
    assert_eq!(schema(&copy), "1");
    assert_ne!(schema(path(&database)), "1");
    done(&["restore", "--verify", copy.to_str().expect("UTF-8")]);
    let left: Vec<_> = std::fs::read_dir(backups.path())
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.contains("new") || name.contains("partial"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn holds(file: &Path, text: &str) -> bool {
    let bytes = std::fs::read(file).expect("readable");
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn who_was_erased_is_in_no_byte_of_the_file_nor_of_a_later_backup_o3() {
    const NAME: &str = "Quixotia Zamindar";
    let database = Database::sqlite();
    let location = database.location.to_string();
    filled(&database, 1);
    let folder = folder();
    let people = folder.path().join("people.csv");
    let rows: Vec<String> = (0..300).map(|n| format!("cs25-{n:03},Reader {n},r{n}@college.edu")).collect();
    let rows = rows.join("\n");
    std::fs::write(&people, format!("rollNumber,name,email\nzz-1,{NAME},quixotia@college.edu\n{rows}"))
        .expect("written");
    done(&["import", "people", people.to_str().expect("UTF-8"), "--database", &location]);
    let create =
        ["admin", "create", "--email", "m@college.edu", "--name", "M", "--password-stdin", "--database"];
    assert!(run(library(&[&create[..], &[&location]].concat()), "four unrelated words\n").success);
    let server = Server::start(&location);
    let form = json!({ "email": "m@college.edu", "password": "four unrelated words" });
    let signed_in = crate::security::call(server.port, "POST", "/auth/sign-in", "", Some(form));
    let cookie = signed_in.cookie.expect("signed in");
    let id = database.raw(&format!("SELECT id FROM users WHERE name = '{NAME}'")).expect("readable")[0][0]
        .clone()
        .expect("a number");
    let headers = [("Cookie", cookie.as_str()), ("Idempotency-Key", "erase-1")];
    let (status, told) =
        ask_with(server.port, "DELETE", &format!("/people/{id}"), &headers, None).expect("an answer");
    assert!((200..300).contains(&status), "{status} {told}");
    server.stop();
    let copy = folder.path().join("copy.db");
    done(&["backup", copy.to_str().expect("UTF-8"), "--database", &location]);
    for file in [path(&database), copy.as_path()] {
        for text in [NAME, "quixotia", "zz-1"] {
            assert!(!holds(file, text), "{text} in {}", file.display());
        }
        assert!(holds(file, "Reader 299"), "the others are there");
    }
}

#[test]
fn a_backup_of_a_file_with_old_free_space_holds_live_rows_only_o3() {
    let database = Database::sqlite();
    database.open().close();
    // As a program without `secure_delete` left it.
    for statement in [
        "PRAGMA secure_delete = OFF",
        "CREATE TABLE scratch (text TEXT) STRICT",
        "INSERT INTO scratch VALUES ('Quixotia Zamindar')",
        "DROP TABLE scratch",
    ] {
        database.raw(statement).expect("done");
    }
    let folder = folder();
    let copy = folder.path().join("copy.db");
    let location = database.location.to_string();
    done(&["backup", copy.to_str().expect("UTF-8"), "--database", &location]);
    assert!(!holds(&copy, "Quixotia"));
}

#[test]
fn backups_into_one_name_take_turns_and_a_killed_one_leaves_nothing_for_ever_x13() {
    let database = Database::sqlite();
    filled(&database, 50_000);
    let location = database.location.to_string();
    let folder = folder();
    let copy = folder.path().join("copy.db");
    let command = || library(&["backup", copy.to_str().expect("UTF-8"), "--database", &location]);
    let mut killed = command().spawn().expect("it starts");
    until("it writes", || {
        std::fs::read_dir(folder.path())
            .expect("a folder")
            .any(|file| file.expect("a file").file_name().to_string_lossy().contains("partial"))
    });
    killed.kill().expect("a child");
    killed.wait().expect("a child");
    assert!(!copy.exists());
    let two = std::thread::scope(|scope| {
        let two: Vec<_> = (0..2).map(|_| scope.spawn(|| run(command(), ""))).collect();
        two.into_iter().map(|one| one.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert_eq!(two.iter().filter(|one| one.success).count(), 1, "one of two");
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .collect();
    files.sort();
    assert_eq!(files, ["copy.db", "copy.db.manifest.json"]);
    done(&["restore", "--verify", copy.to_str().expect("UTF-8")]);
}

#[test]
fn nobody_else_can_hold_the_lock_of_a_server_x13() {
    let database = Database::sqlite();
    let server = Server::start(&database.location.to_string());
    let lock = path(&database).with_extension("db.serving");
    assert_eq!(std::fs::metadata(lock).expect("there").permissions().mode() & 0o777, 0o600);
    server.stop();
}

#[test]
fn every_event_and_the_backup_are_counted_from_the_start_o9_o11() {
    let database = Database::sqlite();
    let backups = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = taken.local_addr().expect("an address");
    drop(taken);
    let options =
        ["--metrics-listen", &at.to_string(), "--backup-folder", backups.path().to_str().expect("UTF-8")];
    let server = Server::start_with(&database.location.to_string(), &options);
    let metrics = || ask_at(at.port(), "GET", "/metrics", &[], None).expect("metrics").1;
    until("the backup's time", || metrics().contains("library_backup_made_timestamp_seconds"));
    let metrics = metrics();
    for event in library::http::security_log::Event::ALL {
        let series = format!("library_security_events_total{{event=\"{}\"}} 0", event.name());
        assert!(metrics.contains(&series), "{series}");
    }
    server.stop();
}

#[test]
fn the_doctor_notices_a_backup_that_was_damaged_o11() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let backups = folder();
    let backup_folder = backups.path().to_str().expect("UTF-8");
    let server = Server::start_with(&location, &["--backup-folder", backup_folder]);
    until("a backup", || server.log().contains("backup made"));
    server.stop();
    let doctor = ["doctor", "--database", &location, "--backup-folder", backup_folder];
    assert!(done(&doctor).contains("hours old"));
    let copy = std::fs::read_dir(backups.path())
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .find(|file| file.extension().is_some_and(|end| end == "db"))
        .expect("a copy");
    let mut bytes = std::fs::read(&copy).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&copy, bytes).expect("written");
    let ended = run(library(&doctor), "");
    assert!(!ended.success && ended.stdout.contains("SHA-256"), "{}", ended.stdout);
}

#[test]
fn a_command_in_a_wrong_folder_makes_no_library_and_names_the_file_o16() {
    let elsewhere = folder();
    let in_folder = |arguments: &[&str], input: &str| {
        let mut command = library(arguments);
        command.current_dir(elsewhere.path());
        run(command, input)
    };
    std::fs::write(elsewhere.path().join("people.csv"), "rollNumber,name\n1,Asha\n").expect("written");
    let file = elsewhere.path().join("library.db");
    let whole = file.to_str().expect("UTF-8");
    let ended = in_folder(&["import", "people", "people.csv"], "");
    assert!(!ended.success && ended.stderr.contains("is not there"), "{}", ended.stderr);
    assert!(!file.exists());
    let create = ["admin", "create", "--email", "m@college.edu", "--name", "M", "--password-stdin"];
    let made = in_folder(&create, "four unrelated words\n");
    assert!(made.stdout.contains("A new library was made") && made.stdout.contains(whole), "{}", made.stdout);
    let imported = in_folder(&["import", "people", "people.csv"], "");
    assert!(imported.success && imported.stdout.contains(whole), "{}{}", imported.stdout, imported.stderr);
    assert!(in_folder(&["doctor"], "").stdout.contains(whole));
}

#[test]
fn a_reader_of_the_output_may_leave_early_o25() {
    let mut command = library(&["openapi"]);
    let mut child = command.stdin(Stdio::null()).spawn().expect("it starts");
    let mut first = [0; 16];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("the beginning");
    let mut told = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
    child.wait().expect("a child");
    assert_eq!(told, "", "no panic and no backtrace");
}

#[test]
fn a_proxy_that_is_not_named_is_told_o8() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let asked = |server: &Server| {
        ask_at(server.port, "GET", "/library/healthz", &[("X-Forwarded-For", "203.0.113.9")], None)
    };
    let server = Server::start(&location);
    assert!(asked(&server).is_some() && asked(&server).is_some());
    until("a warning", || server.log().contains("--trusted-proxies does not name"));
    assert_eq!(server.log().matches("--trusted-proxies does not name").count(), 1);
    server.stop();
    let named = Server::start_with(&location, &["--trusted-proxies", "127.0.0.1"]);
    assert!(asked(&named).is_some());
    let log = named.log();
    named.stop();
    assert!(!log.contains("trusted-proxies"), "{log}");
}

#[test]
fn a_librarian_is_listed_gets_a_password_and_leaves_by_the_command_line_o22() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    for (email, name) in [("m@college.edu", "Meera Iyer"), ("n@college.edu", "Nadia Khan")] {
        let create = [
            "admin",
            "create",
            "--email",
            email,
            "--name",
            name,
            "--password-stdin",
            "--database",
            &location,
        ];
        assert!(run(library(&create), "four unrelated words\n").success);
    }
    let server = Server::start(&location);
    let sign_in = |email: &str, password: &str| {
        let form = json!({ "email": email, "password": password });
        server.ask("POST", "/auth/sign-in", "", Some(&form)).expect("an answer").0
    };
    let list = || done(&["admin", "list", "--database", &location]);
    let listed = list();
    assert!(listed.contains("Meera Iyer") && listed.contains("n@college.edu"), "{listed}");
    let reset =
        ["admin", "reset-password", "--email", "M@college.edu", "--password-stdin", "--database", &location];
    assert!(refused_with(&reset, "password\n").contains("common"));
    assert!(run(library(&reset), "another four good words\n").success);
    assert_eq!(
        (
            sign_in("m@college.edu", "four unrelated words"),
            sign_in("m@college.edu", "another four good words")
        ),
        (401, 200)
    );
    let leave = |email| ["admin", "deactivate", "--email", email, "--database", location.as_str()];
    assert!(refused(&leave("nobody@college.edu")).contains("no account"));
    assert!(done(&leave("n@college.edu")).contains("Nadia Khan"));
    assert_ne!(sign_in("n@college.edu", "four unrelated words"), 200);
    assert!(list().contains("inactive"), "{}", list());
    assert!(refused(&leave("m@college.edu")).contains("last librarian"));
    server.stop();
}
