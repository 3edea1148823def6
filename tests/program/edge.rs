//! What strangers can do to a listening server: its memory, its connections, its end.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use library::http::API;

use crate::{
    common::Database,
    process::{Server, library},
};

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(15))).expect("a timeout");
    stream
}

/// The next answer of a connection: its head, in lower case. Empty where the connection ended instead.
fn answer(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        text.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&text).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    if stream.read_exact(&mut body).is_err() {
        return String::new();
    }
    head
}

const HEALTHY: &[u8] = b"GET /library/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Sends the same request `times` over one connection without waiting, and reads all the answers.
fn flood(port: u16, request: &str, times: usize) {
    let mut stream = connect(port);
    let mut sending = stream.try_clone().expect("a second handle");
    let batch = request.repeat(100);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..times / 100 {
                sending.write_all(batch.as_bytes()).expect("the server reads on");
            }
            sending.shutdown(std::net::Shutdown::Write).expect("shut down");
        });
        let mut answers = 0;
        let mut buffer = vec![0; 256 * 1024];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            answers += read;
        }
        assert!(answers > times * 50, "only {answers} bytes came back");
    });
}

/// P2: without a listener for metrics nothing ever drained the samples, 16 bytes each, and anybody could send 20 at once.
#[test]
fn memory_does_not_grow_with_the_figures_that_browsers_send() {
    let database = Database::sqlite();
    let figure = r#"{"name":"LCP","value":2500.5,"rating":"good"}"#;
    let body = format!(r#"{{"metrics":[{}]}}"#, [figure; 20].join(","));
    let request = format!(
        "POST {API}/vitals HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = Server::start(&database.location.to_string());
    // What hashing needed at the start is given back a little later.
    let settled = || {
        let readings = (0..5).map(|_| {
            flood(server.port, &request, 500);
            std::thread::sleep(Duration::from_millis(200));
            server.memory()
        });
        readings.min().expect("five readings")
    };
    let before = settled();
    flood(server.port, &request, 30_000);
    let grown = settled().saturating_sub(before);
    assert!(grown < 4 * 1024, "600 000 figures took {grown} KiB");
    server.stop();
}

/// P12: of 32 requests that were sent already, up to 25 got no answer.
#[test]
fn who_asked_before_the_end_gets_an_answer() {
    let database = Database::sqlite();
    let server = Server::start(&database.location.to_string());
    let mut known: Vec<TcpStream> = (0..32).map(|_| connect(server.port)).collect();
    for stream in &mut known {
        stream.write_all(HEALTHY).expect("sent");
        assert!(answer(stream).starts_with("http/1.1 200"));
    }
    let mut fresh: Vec<TcpStream> = (0..32).map(|_| connect(server.port)).collect();
    server.terminate();
    for stream in known.iter_mut().chain(&mut fresh) {
        stream.write_all(HEALTHY).expect("sent");
    }
    let answers: Vec<String> = known.iter_mut().chain(&mut fresh).map(answer).collect();
    let whole = answers.iter().filter(|answer| answer.starts_with("http/1.1 200")).count();
    assert_eq!(whole, 64, "answered of 64");
    // A load balancer is told while new connections are still answered.
    let told = std::iter::from_fn(|| {
        let mut asking = TcpStream::connect(("127.0.0.1", server.port)).ok()?;
        asking.write_all(b"GET /library/readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").ok()?;
        Some(answer(&mut asking))
    });
    let told = told.take(1000).find(|answer| answer.starts_with("http/1.1 503"));
    assert!(told.is_some_and(|answer| answer.contains("\r\nconnection: close\r\n")));
    server.ended();
}

/// S36: a request that is under way when the server is asked to stop.
#[test]
fn a_request_under_way_is_finished_before_the_end() {
    let database = Database::sqlite();
    let server = Server::start(&database.location.to_string());
    let body = r#"{"email":"nobody@college.edu","password":"four unrelated words"}"#;
    let mut slow = connect(server.port);
    let head = format!(
        "POST {API}/auth/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    slow.write_all(head.as_bytes()).expect("sent");
    std::thread::sleep(Duration::from_millis(200));
    server.terminate();
    // Longer than the server goes on accepting.
    std::thread::sleep(Duration::from_secs(2));
    assert!(TcpStream::connect(("127.0.0.1", server.port)).is_err(), "nobody new comes in");
    slow.write_all(body.as_bytes()).expect("sent");
    let answer = answer(&mut slow);
    assert!(answer.starts_with("http/1.1 401") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
    server.ended();
}

/// P13: the second signal was not heard, and one client held the server up for 25 s.
#[test]
fn a_second_signal_ends_the_server_at_once() {
    let database = Database::sqlite();
    let server = Server::start(&database.location.to_string());
    let mut held = connect(server.port);
    held.write_all(
        format!("POST {API}/vitals HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n").as_bytes(),
    )
    .expect("sent");
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    server.terminate();
    std::thread::sleep(Duration::from_millis(1600));
    server.terminate();
    server.ended();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

/// P6: the limit on open files stayed where shells and service managers begin, at 1024.
#[test]
fn the_server_takes_as_many_files_as_it_may_have() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    let program = library(&["serve", "--listen", "127.0.0.1:0", "--database", &location]);
    #[expect(clippy::disallowed_methods, reason = "the standard library sets no limits")]
    let mut limited = std::process::Command::new("sh");
    limited
        .args(["-c", "ulimit -Sn 64 && ulimit -Hn 1024 && exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    for (unset, _) in program.get_envs() {
        limited.env_remove(unset);
    }
    let server = Server::start_as(limited);
    let mut many: Vec<TcpStream> = (0..200).map(|_| connect(server.port)).collect();
    for (n, stream) in many.iter_mut().enumerate() {
        stream.write_all(HEALTHY).expect("sent");
        assert!(answer(stream).starts_with("http/1.1 200"), "connection {n}");
    }
    drop(many);
    server.stop();
}
