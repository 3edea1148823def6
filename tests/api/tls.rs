//! TLS on real sockets: accepted clients, slow and malformed handshakes, and renewal of the certificate.

use std::{
    io::{Read as _, Write as _},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use axum::{Router, routing::get};
use library::{
    clock::Clock,
    server::{
        connections::{Bounds, Connections, Door},
        tls::Tls,
    },
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::rustls::{
    ALL_VERSIONS, ClientConfig, ProtocolVersion,
    version::{TLS12, TLS13},
};

use crate::{
    certificate::{Certificate, connect},
    common::folder,
};

const BOUNDS: Bounds = Bounds {
    places: 24,
    stalled: Duration::from_secs(30),
    slow: Duration::from_secs(30),
    handshake: Duration::from_millis(700),
};
const LOOK: Duration = Duration::from_millis(20);

struct Server {
    address: SocketAddr,
    folder: TempDir,
    end: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(certificate: &Certificate) -> Server {
    let folder = folder();
    let files = certificate.write(folder.path());
    let tls = Arc::new(Tls::open(files, Clock::system(jiff::tz::TimeZone::UTC)).expect("sound files"));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = Router::new().route("/", get(async || "hello"));
    let doors = [Door { listener, app, tls: Some(Arc::clone(&tls)) }];
    tokio::spawn(async move { tls.renew(LOOK).await });
    let (end, ends) = oneshot::channel::<()>();
    let ended = tokio::spawn(async move {
        let connections = Connections::new(BOUNDS, Vec::new());
        let end = async { ends.await.expect("somebody ends it") };
        connections.accept_until(&doors, end).await;
        connections.finish().await;
    });
    Server { address, folder, end, ended }
}

/// Returns the answer to a client with this configuration and the TLS version; `None` if the handshake fails.
async fn hello(client: &Arc<ClientConfig>, port: u16) -> Option<(String, ProtocolVersion)> {
    let client = Arc::clone(client);
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = connect(&client, port)?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        Some((answer, stream.conn.protocol_version()?))
    });
    asked.await.expect("no panic")
}

#[tokio::test]
async fn browsers_with_tls_1_2_and_1_3_are_answered() {
    let certificate = Certificate::of(&["localhost"]);
    let server = start(&certificate).await;
    for (version, name) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        let (answer, spoken) =
            hello(&certificate.client(&[version]), server.address.port()).await.expect("TLS");
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"), "{answer}");
        assert_eq!(spoken, name);
    }
}

#[tokio::test]
async fn a_renewed_certificate_is_presented_without_a_restart_and_a_bad_one_never() {
    let (old, new) = (Certificate::of(&["localhost"]), Certificate::of(&["localhost"]));
    let server = start(&old).await;
    let port = server.address.port();
    let (believes_old, believes_new) = (old.client(ALL_VERSIONS), new.client(ALL_VERSIONS));
    assert!(hello(&believes_old, port).await.is_some());
    assert!(hello(&believes_new, port).await.is_none());

    // Half of a renewal, and unusable files.
    let ended = Certificate::valid(&["localhost"], 2020, 2021);
    for (certificate, key) in [(&new.pem, &old.key), (&ended.pem, &ended.key), (&String::new(), &new.key)] {
        std::fs::write(server.folder.path().join("library.pem"), certificate).expect("written");
        std::fs::write(server.folder.path().join("library.key"), key).expect("written");
        sleep(LOOK * 5).await;
        assert!(hello(&believes_old, port).await.is_some());
    }
    std::fs::remove_file(server.folder.path().join("library.pem")).expect("removed");
    sleep(LOOK * 5).await;
    assert!(hello(&believes_old, port).await.is_some());

    new.write(server.folder.path());
    let begun = Instant::now();
    while hello(&believes_new, port).await.is_none() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the old one is still presented");
        sleep(LOOK).await;
    }
}

/// O28: after a reboot a library whose certificate had ended was down.
#[tokio::test]
async fn a_server_with_an_ended_certificate_starts_and_takes_the_next_one() {
    let new = Certificate::of(&["localhost"]);
    let server = start(&Certificate::valid(&["localhost"], 2020, 2021)).await;
    let believes_new = new.client(ALL_VERSIONS);
    assert!(hello(&believes_new, server.address.port()).await.is_none());
    new.write(server.folder.path());
    let begun = Instant::now();
    while hello(&believes_new, server.address.port()).await.is_none() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the new one is not presented");
        sleep(LOOK).await;
    }
}

#[tokio::test]
async fn plain_http_on_the_tls_port_is_closed_without_an_answer() {
    let server = start(&Certificate::of(&["localhost"])).await;
    for foolish in [
        &b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"[..],
        b"\x16\x03\x01\x00\x05c\x00\x00\x01\x00",
        &[0; 3000],
    ] {
        let mut stream = TcpStream::connect(server.address).await.expect("a connection");
        stream.write_all(foolish).await.expect("sent");
        let mut said = Vec::new();
        // A reset ends it too.
        let end = timeout(BOUNDS.handshake / 2, stream.read_to_end(&mut said)).await;
        assert!(end.is_ok(), "the connection still stands");
        assert!(said.len() < 16 && !said.starts_with(b"HTTP"), "{said:?}");
    }
}

/// A half-finished handshake held its place without limit.
#[tokio::test]
async fn a_slow_handshake_takes_a_place_and_loses_it_after_a_while() {
    let certificate = Certificate::of(&["localhost"]);
    let server = start(&certificate).await;
    let mut slow = Vec::new();
    let begun = Instant::now();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(server.address).await.expect("a connection");
        stream.write_all(b"\x16\x03\x01").await.expect("sent");
        slow.push(stream);
    }
    let client = certificate.client(ALL_VERSIONS);
    assert!(hello(&client, server.address.port()).await.is_none(), "the network holds most places");
    assert!(begun.elapsed() < BOUNDS.handshake, "the machine was too slow for this test");
    for stream in &mut slow {
        let end = timeout(Duration::from_secs(3), stream.read_to_end(&mut Vec::new())).await;
        assert!(end.is_ok(), "the connection still stands");
    }
    assert!(begun.elapsed() >= BOUNDS.handshake);
    assert!(hello(&client, server.address.port()).await.is_some(), "the places are free again");
}

#[tokio::test]
async fn a_handshake_under_way_does_not_hold_up_the_end() {
    let server = start(&Certificate::of(&["localhost"])).await;
    let mut slow = TcpStream::connect(server.address).await.expect("a connection");
    slow.write_all(b"\x16\x03\x01").await.expect("sent");
    sleep(Duration::from_millis(50)).await;
    server.end.send(()).expect("it listens");
    timeout(BOUNDS.handshake / 3, server.ended).await.expect("it ends").expect("no panic");
}
