//! ASVS 13.2.2: the server works with a role of PostgreSQL that may read and write rows but change no table. The grants are
//! those of docs/operations.md.

use library::storage::Location;
use serde_json::json;

use crate::{
    common::{Database, in_postgres},
    process::{Server, done, library, refused, run},
    security::call,
};

const PASSWORD: &str = "four plain words here";

/// Creates a database whose tables belong to one role; returns its location for another role that may only use them.
fn with_a_role() -> (Database, String, String) {
    let database = Database::postgres();
    let Location::Postgres(owner) = &database.location else { panic!("PostgreSQL") };
    let owner = owner.clone();
    let role = format!("{}_server", owner.rsplit('/').next().expect("a name"));
    for statement in [
        &format!("CREATE ROLE {role} LOGIN"),
        &format!("ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}"),
    ] {
        database.raw(statement).expect(statement);
    }
    let server = owner.replacen("postgres@", &format!("{role}@"), 1);
    (database, owner, server)
}

#[test]
fn the_server_needs_no_right_to_change_the_schema_asvs_13_2_2() {
    let (_database, owner, server) = with_a_role();
    // Before the owner has created the tables, the message says who can.
    let told = refused(&["serve", "--listen", "127.0.0.1:0", "--database", &server]);
    assert!(told.contains("library migrate") && told.contains("may not change"), "{told}");
    done(&["migrate", "--database", &owner]);
    let folder = crate::common::folder();
    let books = folder.path().join("books.csv");
    std::fs::write(&books, "title,author\nGodan,Premchand\n").expect("written");
    done(&["import", "books", books.to_str().expect("text"), "--database", &server]);
    let who =
        ["admin", "create", "--email", "l@x.edu", "--name", "L", "--password-stdin", "--database", &server];
    assert!(run(library(&who), &format!("{PASSWORD}\n")).success);

    let program = Server::start(&server);
    let ask = |method, path: &str, cookie: &str, body| call(program.port, method, path, cookie, body);
    let sign_in = |email| {
        let answer = ask("POST", "/auth/sign-in", "", Some(json!({ "email": email, "password": PASSWORD })));
        answer.cookie.expect("signed in")
    };
    let form = json!({ "name": "Asha", "email": "a@x.edu", "password": PASSWORD, "rollNumber": "cs25-001",
        "department": "Physics", "batch": "2027" });
    assert_eq!(ask("POST", "/auth/register", "", Some(form)).status, 201);
    let (student, librarian) = (sign_in("a@x.edu"), sign_in("l@x.edu"));
    let loan = ask("POST", "/books/1/loans", &student, None);
    assert_eq!(loan.status, 201, "{}", loan.body);
    let review = json!({ "rating": 4, "comment": "Short and good." });
    assert_eq!(ask("POST", "/books/1/reviews", &student, Some(review)).status, 201);
    assert_eq!(ask("POST", &format!("/loans/{}/return", loan.body["id"]), &student, None).status, 204);
    assert_eq!(ask("DELETE", "/books/1", &librarian, None).status, 204);
    program.stop();
    assert!(done(&["doctor", "--database", &server]).contains("agree"));

    // The grants are in force.
    for statement in
        ["DROP TRIGGER events_are_never_changed ON events", "CREATE TABLE x (y INT)", "TRUNCATE loans"]
    {
        let refused = in_postgres(&server, statement).expect_err(statement);
        assert!(refused.contains("must be owner") || refused.contains("permission denied"), "{refused}");
    }
}
