//! Command line: every error is one line, and no failed command leaves anything behind.

use std::{
    net::TcpListener,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    time::{Duration, Instant},
};

use library::storage::Location;
use serde_json::json;

use crate::{
    common::{Database, folder},
    process::{Server, done, library, refused, refused_with, run},
};

#[test]
fn a_port_in_use_is_told() {
    let (taken, database) = (TcpListener::bind("127.0.0.1:0").expect("a port"), Database::sqlite());
    let address = taken.local_addr().expect("an address").to_string();
    let told = refused(&["serve", "--listen", &address, "--database", &database.location.to_string()]);
    assert!(told.contains(&address) && told.contains("in use"), "{told}");
}

#[test]
fn a_database_that_cannot_be_used_is_told() {
    let folder = folder();
    let letters = folder.path().join("letters.txt");
    std::fs::write(&letters, "These are letters and no database. ".repeat(100)).expect("written");
    let missing = folder.path().join("missing/library.db");
    for (path, word) in [
        (folder.path(), "opened"),
        (letters.as_path(), "not a SQLite database"),
        (missing.as_path(), "opened"),
    ] {
        let database = format!("sqlite:{}", path.display());
        for command in ["migrate", "doctor"] {
            let told = refused(&[command, "--database", &database]);
            assert!(told.contains(word) && told.contains(&path.display().to_string()), "{told}");
        }
    }
    let database = format!("sqlite:{}", letters.display());
    assert!(
        refused(&["serve", "--listen", "127.0.0.1:0", "--database", &database])
            .contains("not a SQLite database")
    );
    // For root nothing is read-only.
    if std::fs::metadata(folder.path()).expect("a folder").uid() != 0 {
        let file = folder.path().join("library.db");
        done(&["migrate", "--database", &format!("sqlite:{}", file.display())]);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).expect("changed");
        let told = refused(&["migrate", "--database", &format!("sqlite:{}", file.display())]);
        assert!(told.contains("read-only"), "{told}");
    }
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let database = Database::sqlite();
    database.open().close();
    database.raw("INSERT INTO schema_version (version, name) VALUES (9999, 'future')").expect("writable");
    let told = refused(&["serve", "--listen", "127.0.0.1:0", "--database", &database.location.to_string()]);
    assert!(told.contains("9999") && told.contains("newer"), "{told}");
}

/// Returns the database as the command line names it; the URL of a server is otherwise printed without its password.
pub fn address(database: &Database) -> String {
    match &database.location {
        Location::Postgres(url) => url.clone(),
        sqlite @ Location::Sqlite(_) => sqlite.to_string(),
    }
}

#[test]
fn a_dry_run_of_the_migration_changes_nothing_s27() {
    for database in [Database::sqlite(), Database::postgres()] {
        let address = address(&database);
        let dry = ["migrate", "--dry-run", "--database", &address];
        assert!(done(&dry).contains("is new"));
        assert!(done(&dry).contains("is new"), "nothing was made");
        // Commands that start at the same moment take turns.
        std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..4).map(|_| scope.spawn(|| done(&["migrate", "--database", &address]))).collect();
            let said: Vec<String> = running.into_iter().map(|one| one.join().expect("no panic")).collect();
            assert!(said.iter().all(|said| said.contains("up to date")), "{said:?}");
            let first = said.iter().filter(|said| said.contains("0001_initial applied.")).count();
            assert_eq!(first, 1, "{said:?}");
        });
        assert!(done(&dry).contains("nothing to do"));
        database.raw("UPDATE schema_version SET checksum = 'edited' WHERE version = 1").expect("writable");
        assert!(refused(&dry).contains("not the one"));
        assert!(refused(&["migrate", "--database", &address]).contains("not the one"));
        assert!(refused(&["doctor", "--database", &address]).contains("not the one"));
    }
}

#[test]
fn a_postgres_server_that_is_not_there_is_told_without_its_password() {
    for command in [&["migrate"][..], &["serve", "--listen", "127.0.0.1:0", "--database-wait", "0"]] {
        let url = ["--database", "postgres://library:secret@127.0.0.1:1/library"];
        let told = refused(&[command, &url].concat());
        assert!(told.contains("PostgreSQL cannot be reached") && !told.contains("secret"), "{told}");
    }
}

#[test]
fn an_unknown_time_zone_is_named_r_loan_8() {
    let ended = run(library(&["serve", "--time-zone", "Mars/Olympus"]), "");
    assert!(!ended.success);
    let first = ended.stderr.lines().next().unwrap_or_default();
    assert!(first.contains("Mars/Olympus") && first.contains("time zone"), "{}", ended.stderr);
}

fn servers_and_commands_share_the_kept_time_zone(database: &Database) {
    let location = address(database);
    let with = |command: &[&str], more: &[&str]| {
        [command, &["--database", location.as_str()], more].concat().into_iter().map(str::to_owned).collect()
    };
    let run =
        |arguments: Vec<String>| run(library(&arguments.iter().map(String::as_str).collect::<Vec<_>>()), "");
    let new_york = ["--time-zone", "America/New_York"];
    done(&["migrate", "--database", &location]);
    let unset = run(with(&["doctor"], &new_york)).stdout;
    assert!(unset.contains("in America/New_York"), "{unset}");

    let server = Server::start_with(&location, &["--time-zone", "Europe/Berlin"]);
    let zone = server.ask("GET", "/config", "", None).expect("an answer").1["timeZone"].clone();
    assert_eq!(zone, "Europe/Berlin");
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["doctor"]] {
        // On SQLite a second server is refused before that.
        if command[0] == "serve" && matches!(database.location, Location::Sqlite(_)) {
            continue;
        }
        let told = run(with(command, &new_york));
        let way_out = "stop every server and run library time-zone America/New_York";
        assert!(!told.success && told.stderr.contains("days are those of Europe/Berlin"), "{}", told.stderr);
        assert!(told.stderr.contains(way_out), "{}", told.stderr);
    }
    let while_served = run(with(&["time-zone", "America/New_York"], &[]));
    assert!(!while_served.success, "{}", while_served.stdout);
    server.stop();

    let told = run(with(&["serve", "--listen", "127.0.0.1:0"], &new_york));
    assert!(told.stderr.contains("days are those of Europe/Berlin"), "{}", told.stderr);
    let told = run(with(&["time-zone", "America/New_York"], &[]));
    assert!(
        told.success && told.stdout.contains("America/New_York now, no longer of Europe/Berlin"),
        "{}",
        told.stderr
    );
    assert!(run(with(&["doctor"], &[])).stdout.contains("in America/New_York"));
    drop(Server::start_with(&location, &new_york));
}

#[test]
fn servers_and_commands_share_the_kept_time_zone_r_loan_8_on_sqlite() {
    servers_and_commands_share_the_kept_time_zone(&Database::sqlite());
}

#[test]
fn servers_and_commands_share_the_kept_time_zone_r_loan_8_on_postgres() {
    servers_and_commands_share_the_kept_time_zone(&Database::postgres());
}

#[test]
fn the_demos_known_passwords_stay_on_this_machine() {
    let database = Database::sqlite();
    let told = refused(&[
        "serve",
        "--demo",
        "--listen",
        "0.0.0.0:0",
        "--allow-insecure-http",
        "--database",
        &database.location.to_string(),
    ]);
    assert!(told.contains("--demo"), "{told}");
    let told = refused(&["serve", "--listen", "0.0.0.0:0", "--database", &database.location.to_string()]);
    assert!(told.contains("in the clear"), "{told}");
}

/// S15: the driver of PostgreSQL logs the parameters of every statement at debug.
#[test]
fn the_fullest_log_tells_no_address_and_no_password_on_postgres() {
    let database = Database::postgres();
    let mut command = library(&["serve", "--listen", "127.0.0.1:0", "--database", &address(&database)]);
    command.env("LIBRARY_LOG", "trace");
    let server = Server::start_as(command);
    let registration = json!({
        "name": "Asha Rao", "email": "asha.rao@college.edu", "password": "four unrelated words",
        "rollNumber": "cs25-014", "department": "Physics", "batch": "2027",
    });
    let answer = server.ask("POST", "/auth/register", "", Some(&registration)).map(|answer| answer.0);
    assert_eq!(answer, Some(201));
    let begun = Instant::now();
    while !server.log().contains("/auth/register") && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let log = server.log();
    assert!(log.contains("/auth/register"), "every request has a line: {log}");
    for secret in ["asha", "Rao", "argon2", "unrelated", "cs25"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

fn the_doctor_tells_where_the_catalogue_and_its_copies_disagree(database: &Database) {
    let location = address(database);
    let db = database.open();
    db.write_blocking(|tx| -> library::storage::Result<()> {
        let moment = library::clock::Clock::system(jiff::tz::TimeZone::UTC).moment();
        let rulebook = library::policies::Policies::default().current(tx)?;
        let form = library::domain::book::BookForm {
            title: "Godan".into(),
            author: String::new(),
            genre: String::new(),
            photo_url: String::new(),
            description: String::new(),
            location: String::new(),
            no_of_books: 2,
            status: None,
            rating: None,
            ..Default::default()
        };
        library::circulation::stock::add_title(tx, moment, &rulebook, &form, None, &[])
            .map(drop)
            .map_err(library::circulation::Error::into_storage)
    })
    .expect("a title with two copies");
    db.close();
    assert!(done(&["doctor", "--database", &location]).contains("1 books"));
    database.raw("UPDATE copies SET condition = 'lost' WHERE barcode = 'L000001'").expect("broken by hand");
    let output = library(&["doctor", "--database", &location]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("title 1: the catalogue says 2 on the shelf, its copies say 1"), "{told}");
}

#[test]
fn the_doctor_tells_where_the_catalogue_and_its_copies_disagree_r_copy_2_on_sqlite() {
    the_doctor_tells_where_the_catalogue_and_its_copies_disagree(&Database::sqlite());
}

#[test]
fn the_doctor_tells_where_the_catalogue_and_its_copies_disagree_r_copy_2_on_postgres() {
    the_doctor_tells_where_the_catalogue_and_its_copies_disagree(&Database::postgres());
}

#[test]
fn the_doctor_names_both_sides_of_a_roll_number_that_is_a_barcode_r_copy_1() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    crate::durability::filled(&database, 2);
    done(&["doctor", "--database", &location]);
    database.raw("UPDATE users SET roll_number = 'l000002' WHERE name = 'Reader 1'").expect("broken by hand");
    let ended = run(library(&["doctor", "--database", &location]), "");
    assert!(!ended.success, "{}", ended.stdout);
    for side in ["L000002", "Reader 1", "“Godaan”"] {
        assert!(ended.stdout.contains(side), "{side}: {}", ended.stdout);
    }
}

#[test]
fn one_file_has_one_server_at_a_time() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let first = Server::start(&location);
    let told = refused(&["serve", "--listen", "127.0.0.1:0", "--database", &location]);
    assert!(told.contains("another server"), "{told}");
    assert_eq!(first.ask("GET", "/books", "", None).map(|answer| answer.0), Some(200), "the first goes on");
    // Commands work beside the server.
    done(&["migrate", "--database", &location]);
    assert!(done(&["doctor", "--database", &location]).contains("0 books"));
    first.stop();
    Server::start(&location).stop();
}

#[test]
fn asked_to_stop_as_soon_as_it_is_open_the_server_ends_well() {
    let database = Database::sqlite();
    for _ in 0..5 {
        Server::start(&database.location.to_string()).stop();
    }
}

#[test]
fn the_first_librarian_is_made_on_the_command_line_and_can_sign_in_r_role_3() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let server = Server::start(&location);
    let sign_in = |password: &str| {
        let form = json!({ "email": "meera@college.edu", "password": password });
        server.ask("POST", "/auth/sign-in", "", Some(&form)).expect("an answer")
    };
    assert_eq!(sign_in("four unrelated words").0, 401, "there is no account until one is made");
    let create = [
        "admin",
        "create",
        "--email",
        "Meera@college.edu",
        "--name",
        "Meera Iyer",
        "--password-stdin",
        "--database",
        &location,
    ];
    assert!(refused_with(&create, "password\n").contains("common"));
    assert!(refused_with(&create, "\n").contains("Password is required."));
    let made = run(library(&create), "four unrelated words\r\n");
    assert!(made.success, "{}", made.stderr);
    assert!(
        made.stdout.contains("Meera@college.edu") && !made.stdout.contains("unrelated"),
        "{}",
        made.stdout
    );
    assert!(refused_with(&create, "four unrelated words\n").contains("exists"));
    let (status, user) = sign_in("four unrelated words");
    assert_eq!((status, &user["role"], &user["rollNumber"]), (200, &json!("admin"), &json!(null)));
    let wrong = [
        "admin",
        "create",
        "--email",
        "nonsense",
        "--name",
        " ",
        "--password-stdin",
        "--database",
        &location,
    ];
    let told = refused_with(&wrong, "four unrelated words\n");
    assert!(told.contains("Email must be") && told.contains("Full name is required."), "{told}");

    // An owner who lost phone and recovery codes gets in again while the server runs.
    let reset = |email| ["admin", "reset-second-factor", "--email", email, "--database", location.as_str()];
    assert!(refused_with(&reset("nobody@college.edu"), "").contains("no account"));
    assert!(refused_with(&reset("meera@college.edu"), "").contains("Meera Iyer has no second factor"));
    let on = "INSERT INTO authenticators (user_id, secret, begun_at, confirmed_at) SELECT id, 'GEZDGNBV', 1, 1 FROM users";
    database.raw(on).expect("writable");
    let (status, asked) = sign_in("four unrelated words");
    assert_eq!((status, &asked["code"]), (401, &json!("second-factor-needed")));
    let told = run(library(&reset("Meera@College.edu")), "");
    assert!(
        told.success && told.stdout.contains("Meera Iyer is signed out"),
        "{}{}",
        told.stdout,
        told.stderr
    );
    assert_eq!(sign_in("four unrelated words").0, 200);
}

fn found_within_seconds(database: &Database) {
    let location = &address(database);
    let folder = folder();
    let file = folder.path().join("books.csv");
    std::fs::write(&file, "title,author\nGodaan,Premchand\nGodaan,Premchand\n").expect("written");
    let server = Server::start(location);
    let total = || server.ask("GET", "/books?q=godaan", "", None).expect("an answer").1["total"].clone();
    assert_eq!(total(), 0);
    let rejected = folder.path().join("rejected.csv");
    let rejected = rejected.to_str().expect("UTF-8");
    let file = file.to_str().expect("UTF-8");
    let said = done(&["import", "books", file, "--rejected", rejected, "--database", location]);
    assert!(said.contains("2 rows read, 1 added, 0 in the catalogue before, 1 rejected."), "{said}");
    assert!(said.contains(rejected), "{said}");
    let begun = Instant::now();
    while total() != 1 {
        assert!(begun.elapsed() < Duration::from_secs(5), "the server does not find what was imported");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_import_beside_a_server_is_found_within_seconds_on_sqlite() {
    found_within_seconds(&Database::sqlite());
}

#[test]
fn an_import_beside_a_server_is_found_within_seconds_on_postgres() {
    found_within_seconds(&Database::postgres());
}

#[test]
fn a_backup_made_beside_a_server_is_a_whole_library() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let folder = folder();
    let csv = folder.path().join("books.csv");
    std::fs::write(&csv, "title\nGodaan\n").expect("written");
    let server = Server::start(&location);
    let rejected = folder.path().join("rejected.csv");
    done(&[
        "import",
        "books",
        csv.to_str().expect("UTF-8"),
        "--rejected",
        rejected.to_str().expect("UTF-8"),
        "--database",
        &location,
    ]);
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().expect("UTF-8");
    done(&["backup", copy, "--database", &location]);
    assert!(refused(&["backup", copy, "--database", &location]).contains("exists"), "nothing is overwritten");
    server.stop();
    let restored = Server::start(&format!("sqlite:{copy}"));
    assert_eq!(
        restored.ask("GET", "/books?q=godaan", "", None).map(|answer| answer.1["total"].clone()),
        Some(json!(1))
    );
    restored.stop();
}

#[test]
fn the_program_prints_the_document_of_its_api() {
    assert_eq!(done(&["openapi"]), library::http::openapi::text());
}
