//! R8: the built program keeps its document whatever it is sent. `schemathesis` makes the requests from `api/openapi.json`: the
//! edges of every limit, then random valid and invalid ones, then chains of related calls. `tests/contract/` has its settings
//! and two checks of ours.

use std::path::PathBuf;

use library::http::{
    API,
    access::{Access, TABLE},
};
use serde_json::{Value, json};

use crate::{
    common,
    process::{Server, library, released, run},
    rig::rounds,
    security::call,
};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/api/openapi.json");
const PASSWORD: &str = "four plain words here";

/// Starts a server on a library with books, people, loans, fines and queues.
fn demo(folder: &tempfile::TempDir, fault: Option<&str>) -> (Server, String) {
    let location = format!("sqlite:{}", folder.path().join("library.db").display());
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--demo", "--database", &location];
    let command = match fault {
        None => released(&arguments),
        Some(fault) => {
            let mut command = library(&arguments);
            command.env("LIBRARY_FAULT", fault);
            command
        }
    };
    (Server::start_as(command), location)
}

fn session(server: &Server, email: &str, password: &str) -> String {
    let form = json!({ "email": email, "password": password });
    let answer = call(server.port, "POST", "/auth/sign-in", "", Some(form));
    answer.cookie.expect("signed in")
}

/// Creates a librarian outside the demo, so that no random number hits their own account.
fn librarian(server: &Server, location: &str) -> String {
    let who = ["admin", "create", "--email", "l@contract.test", "--name", "L", "--password-stdin"];
    let ended = run(library(&[&who[..], &["--database", location]].concat()), &format!("{PASSWORD}\n"));
    assert!(ended.success, "{}", ended.stderr);
    session(server, "l@contract.test", PASSWORD)
}

/// Checks the server against the document at `document` as one caller; returns the findings as an error.
fn findings(server: &Server, document: &str, cookie: Option<&str>, options: &[&str]) -> Result<(), String> {
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/target/contract/bin/schemathesis");
    assert!(PathBuf::from(tool).exists(), "{tool} is not there: run scripts/needs");
    #[expect(clippy::disallowed_methods, reason = "the server starts no other program, but its rigs do")]
    let mut command = std::process::Command::new(tool);
    command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["run", document, "--url", &format!("http://localhost:{}{API}", server.port), "--no-color"])
        .args(["--continue-on-failure"])
        // The same requests in each run, others in a soak.
        .args(if rounds(0) == 0 {
            &["--generation-deterministic"][..]
        } else {
            &["--generation-database", "none"]
        })
        // Streams do not end.
        .args(["--exclude-path", "/desk/phone-scans", "--exclude-path", "/phone/answers"])
        .args(options);
    if let Some(cookie) = cookie {
        command.args(["--header", &format!("Cookie: {cookie}")]);
        // These calls would end the session that all the others need.
        command.args(["--exclude-path", "/auth/sign-out", "--exclude-path", "/me/sessions/{id}"]);
    }
    let ended = command.output().expect("the tool starts");
    let said = String::from_utf8_lossy(&ended.stdout);
    match ended.status.code() {
        Some(0) => Ok(()),
        // Findings; any other status is a fault of the rig.
        Some(1) => Err(said.into_owned()),
        _ => panic!("{said}{}", String::from_utf8_lossy(&ended.stderr)),
    }
}

fn is_open_to_students(access: Access) -> bool {
    matches!(
        access,
        Access::Anyone | Access::SignedIn | Access::Enrolling | Access::Student | Access::StudentOrMay(_)
    )
}

/// Options that name the paths of these calls.
fn open_to(is_open: impl Fn(Access) -> bool) -> Vec<&'static str> {
    let mut paths: Vec<&str> =
        TABLE.iter().filter(|(_, _, access)| is_open(*access)).map(|(_, path, _)| *path).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().flat_map(|path| ["--include-path", path]).collect()
}

/// R8: no server error and no undocumented answer, for a visitor, a student and a librarian.
#[test]
fn what_the_document_says_is_what_is_answered_r8() {
    let folders = [common::folder(), common::folder()];
    // A librarian deactivates, merges and erases people, so this library is not shared.
    let (server, _) = demo(&folders[0], None);
    let (other, location) = demo(&folders[1], None);
    let student = session(&server, "student@demo.library", "demo-library");
    let librarian = librarian(&other, &location);
    // Random requests and chains of calls run at night (`make contract`), and there visitors and students try every call.
    // Those that are closed to them are refused alike, which the tests of access show of each.
    let examples = rounds(0);
    let phases = if examples == 0 { "coverage" } else { "coverage,fuzzing,stateful" };
    let examples_text = examples.max(1).to_string();
    let shared = ["--phases", phases, "--max-examples", &examples_text];
    let found: Vec<String> = std::thread::scope(|scope| {
        let callers = [
            (&server, None, open_to(|access| access == Access::Anyone)),
            (&server, Some(&student), open_to(is_open_to_students)),
            (&other, Some(&librarian), Vec::new()),
        ];
        let asking = callers.map(|(at, cookie, open)| {
            scope.spawn(move || {
                let open = if examples == 0 { open } else { Vec::new() };
                let options: Vec<&str> = shared.into_iter().chain(open).collect();
                findings(at, DOCUMENT, cookie.map(String::as_str), &options)
            })
        });
        asking.into_iter().filter_map(|thread| thread.join().expect("no panic").err()).collect()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
    // The session lasted to the end.
    assert_eq!(server.ask("GET", "/me", &student, None).expect("an answer").0, 200);
    assert_eq!(other.ask("GET", "/me", &librarian, None).expect("an answer").0, 200);
}

/// Control of R8: an undocumented answer, an unenforced limit, and a handler that panics.
#[test]
fn an_answer_that_breaks_the_document_is_noticed_r8() {
    let folder = common::folder();
    let (server, _) = demo(&folder, Some("panic"));
    let mut document: Value =
        serde_json::from_str(&std::fs::read_to_string(DOCUMENT).expect("readable")).expect("JSON");
    let list = &mut document["components"]["schemas"]["BookList"];
    list["required"].as_array_mut().expect("a list").push(json!("shelves"));
    let parameters = document["paths"]["/books"]["get"]["parameters"].as_array_mut().expect("a list");
    let limit = parameters.iter_mut().find(|parameter| parameter["name"] == "limit").expect("documented");
    limit["schema"]["maximum"] = json!(10);
    let broken = folder.path().join("openapi.json");
    std::fs::write(&broken, document.to_string()).expect("written");
    let broken = broken.to_str().expect("text");
    let told = |path| {
        let options = ["--phases", "coverage", "--include-path", path];
        findings(&server, broken, None, &options).expect_err("a finding")
    };
    let books = told("/books");
    assert!(books.contains("Response violates schema"), "{books}");
    assert!(books.contains("Schema-violating request accepted"), "{books}");
    assert!(told("/genres").contains("Server error"));
}
