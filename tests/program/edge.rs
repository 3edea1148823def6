//! What strangers can do to a listening server: its memory, its connections, its end.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use library::http::API;

use crate::{common::Database, process::Server};

/// Sends the same request `times` over one connection without waiting, and reads all the answers.
fn flood(port: u16, request: &str, times: usize) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(15))).expect("a timeout");
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
