//! A whole library on its way from one kind of database to the other.

use library::storage::Location;
use serde_json::json;

use crate::{
    common::{Database, folder},
    durability::filled,
    process::{Server, ask, done, library, refused, run},
    rig::until,
};

const PASSWORD: &str = "four unrelated words";

/// Returns the location with its user, which `Display` leaves out.
fn as_given(database: &Database) -> String {
    match &database.location {
        Location::Postgres(url) => url.clone(),
        sqlite @ Location::Sqlite(_) => sqlite.to_string(),
    }
}

/// Signs in and returns the status.
fn sign_in(server: &Server) -> u16 {
    let form = json!({ "email": "meera@college.edu", "password": PASSWORD });
    server.ask("POST", "/auth/sign-in", "", Some(&form)).expect("an answer").0
}

/// Returns what the tables hold, as far as both databases write it alike.
fn contents(database: &Database) -> Vec<Vec<Vec<Option<String>>>> {
    [
        "SELECT id, title, author, no_of_books, status FROM books ORDER BY id",
        "SELECT id, name, email, roll_number, role, password_hash FROM users ORDER BY id",
        "SELECT id, user_id, copy_id, return_date, ended_at FROM loans ORDER BY id",
        "SELECT id, at, actor_id, action, change FROM events ORDER BY id",
        "SELECT id, barcode, condition FROM copies ORDER BY id",
    ]
    .map(|statement| database.raw(statement).expect(statement))
    .into()
}

/// O6: a library that had chosen SQLite stayed there.
#[test]
fn a_library_moves_to_postgresql_and_back_with_every_row_r_data_1() {
    let (first, second) = (Database::sqlite(), Database::postgres());
    let (book, cookies) = filled(&first, 300);
    let (from, to) = (first.location.to_string(), as_given(&second));
    let create = [
        "admin",
        "create",
        "--email",
        "meera@college.edu",
        "--name",
        "Meera “Iyer” अय्यर",
        "--password-stdin",
    ];
    assert!(run(library(&[&create[..], &["--database", &from]].concat()), &format!("{PASSWORD}\n")).success);
    let server = Server::start(&from);
    let lend = |server: &Server, cookie: &str| {
        let (status, loan) =
            ask(server.port, "POST", &format!("/books/{book}/loans"), cookie, None).expect("an answer");
        assert_eq!(status, 201, "{loan}");
        loan["id"].as_i64().expect("an id")
    };
    let before = lend(&server, &cookies[0]);
    let serving = refused(&["move", "--from", &from, "--to", &to]);
    assert!(serving.contains("another server already works on"), "{serving}");
    drop(server);

    let told = done(&["move", "--from", &from, "--to", &to]);
    assert!(told.contains("compared row by row") && told.contains("every balance is the sum"), "{told}");
    assert_eq!(contents(&first), contents(&second));
    let full = refused(&["move", "--from", &from, "--to", &to]);
    assert!(full.contains("the target is not empty"), "{full}");

    let server = Server::start(&to);
    assert_eq!(sign_in(&server), 200);
    assert_eq!(lend(&server, &cookies[1]), before + 1, "ids go on");
    let folder = folder();
    let back = format!("sqlite:{}", folder.path().join("library.db").display());
    let serving = refused(&["move", "--from", &to, "--to", &back]);
    assert!(serving.contains("stop every server"), "{serving}");
    drop(server);
    // PostgreSQL notices within moments that the killed server's connections are gone.
    until("the server's connections are gone", || {
        let others = "SELECT COUNT(*) FROM pg_stat_activity
                      WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL";
        second.raw(others).is_ok_and(|rows| rows == [[Some("0".to_owned())]])
    });

    done(&["move", "--from", &to, "--to", &back]);
    let third = Database::sqlite_in(folder);
    assert_eq!(contents(&second), contents(&third));
    let server = Server::start(&back);
    assert_eq!(sign_in(&server), 200);
    assert_eq!(lend(&server, &cookies[2]), before + 2);
}
