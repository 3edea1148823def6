//! First start of the program on an empty database.

use serde_json::json;

use crate::{
    common::Database,
    process::{Server, done},
};

fn code(server: &Server) -> String {
    let log = server.log();
    let address = format!("http://localhost:{}/library/setup#", server.port);
    let codes: Vec<&str> = log.split(&address).skip(1).collect();
    assert_eq!(codes.len(), 1, "printed once: {log}");
    codes[0].chars().take_while(|sign| !sign.is_whitespace()).collect()
}

#[test]
fn a_server_without_a_librarian_prints_a_code_that_a_restart_renews_and_a_librarian_ends_r_role_3() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let server = Server::start(&location);
    let first = wait_for_code(&server);
    server.stop();
    let server = Server::start(&location);
    let second = wait_for_code(&server);
    assert_ne!(first, second);

    let form = |code: &str| json!({ "code": code, "name": "Meera", "email": "m@college.edu", "password": "four plain words" });
    let post = |code: &str| server.ask("POST", "/setup", "", Some(&form(code))).expect("an answer");
    assert_eq!(post(&first).0, 401);
    let (status, entered) = post(&second);
    assert_eq!((status, &entered["role"]), (200, &json!("admin")));
    assert_eq!(post(&second).0, 409);
    // One line has the code; none of those that follow a request.
    assert_eq!(server.log().matches(&second).count(), 1);
    server.stop();

    let server = Server::start(&location);
    assert!(!server.log().contains("/setup#"));
    server.stop();
    assert!(done(&["admin", "list", "--database", &location]).contains("m@college.edu"));
}

/// The line comes right after the one that the library is open.
fn wait_for_code(server: &Server) -> String {
    for _ in 0..200 {
        if server.log().contains("/setup#") {
            return code(server);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("no code: {}", server.log());
}
