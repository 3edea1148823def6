//! https by the program itself, as an operator sets it up.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
};

use library::http::API;
use serde_json::json;
use tokio_rustls::rustls::{ALL_VERSIONS, ClientConfig};

use crate::{
    certificate::{Certificate, connect},
    common::{Database, folder},
    process::{Server, library, refused, run},
};

/// Returns the whole answer to a request over TLS.
fn ask(client: &Arc<ClientConfig>, port: u16, method: &str, path: &str, cookie: &str, body: &str) -> String {
    let mut stream = connect(client, port).expect("a handshake");
    let request = format!(
        "{method} {API}{path} HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: https://localhost:{port}\r\n\
         Connection: close\r\nCookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// A phone's camera needs https, and a small college has no proxy.
#[test]
fn with_a_certificate_people_sign_in_over_https_and_plain_http_only_points_there() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let mut create = library(&["admin", "create", "--email", "meera@college.edu", "--name", "Meera Iyer"]);
    create.args(["--password-stdin", "--database", &location]);
    assert!(run(create, "four unrelated words\n").success);
    let (folder, certificate) = (folder(), Certificate::of(&["localhost"]));
    let files = certificate.write(folder.path());
    let files = [&files.certificate, &files.key].map(|path| path.to_str().expect("text"));
    let server = Server::start_with(
        &location,
        &["--tls-certificate", files[0], "--tls-key", files[1], "--http-redirect", "127.0.0.1:0"],
    );
    let client = certificate.client(ALL_VERSIONS);
    let form = json!({ "email": "meera@college.edu", "password": "four unrelated words" }).to_string();
    let answer = ask(&client, server.port, "POST", "/auth/sign-in", "", &form);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\r\nstrict-transport-security: max-age="), "{answer}");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: __Host-"));
    let cookie = cookie.expect("a cookie that only https carries");
    assert!(cookie.contains("; Secure") && cookie.contains("; HttpOnly"), "{cookie}");
    let cookie = format!("__Host-{}", cookie.split(';').next().expect("a value"));
    let me = ask(&client, server.port, "GET", "/me", &cookie, "");
    assert!(me.contains("meera@college.edu"), "{me}");

    let log = server.log();
    let plain = log.lines().find_map(|line| line.split("http://127.0.0.1:").nth(1)).expect("told");
    let plain: u16 = plain.split(' ').next().and_then(|port| port.parse().ok()).expect("a port");
    for (request, status, location) in [
        ("GET /library/book/7?from=a%20b HTTP/1.1", 308, Some("/library/book/7?from=a%20b")),
        ("HEAD / HTTP/1.1", 308, Some("/")),
        ("GET //evil.example/ HTTP/1.1", 308, Some("//evil.example/")),
        ("GET http://evil.example/x HTTP/1.1", 308, Some("/x")),
        ("POST /library/ HTTP/1.1", 403, None),
        ("GET /library/api/v1/books HTTP/1.1", 403, None),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", plain)).expect("a connection");
        stream
            .write_all(format!("{request}\r\nHost: evil.example\r\nConnection: close\r\n\r\n").as_bytes())
            .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        let to = answer.lines().find_map(|line| line.strip_prefix("location: ").map(str::to_owned));
        let https = location.map(|path| format!("https://localhost:{}{path}", server.port));
        assert_eq!(to, https, "{request}");
        assert!(!answer.contains("set-cookie"), "{answer}");
    }
    // A client on the wrong port causes no log line.
    let lines = server.log().lines().count();
    let mut plain = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
    plain.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
    assert_eq!(server.log().lines().count(), lines, "{}", server.log());
    server.stop();
}

#[test]
fn files_that_cannot_be_used_are_named_at_the_start() {
    let database = Database::sqlite();
    let (folder, good) = (folder(), Certificate::of(&["localhost"]));
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let (pem, key) = (at("good.pem", &good.pem), at("good.key", &good.key));
    let other = at("other.key", &Certificate::of(&["localhost"]).key);
    let early = Certificate::valid(&["localhost"], 2300, 2400);
    let (early, early_key) = (at("early.pem", &early.pem), at("early.key", &early.key));
    let empty = at("empty", "");
    let missing = folder.path().join("missing").to_str().expect("text").to_owned();
    for (certificate, of, told) in [
        (&missing, &key, "missing cannot be read: No such file"),
        (&pem, &missing, "missing cannot be read: No such file"),
        (&empty, &key, "empty holds no certificate"),
        (&key, &key, "good.key holds no certificate"),
        (&pem, &empty, "empty holds no private key"),
        (&pem, &pem, "good.pem holds no private key"),
        (&pem, &other, "other.key does not belong to the certificate in"),
        (&early, &early_key, "early.pem begins at 2300-01-01T00:00:00Z, and this machine's clock says"),
    ] {
        let line = refused(&[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--database",
            &database.location.to_string(),
            "--tls-certificate",
            certificate,
            "--tls-key",
            of,
        ]);
        assert!(line.contains(told), "{line}");
    }
}
