//! Connections on real sockets: limits per network, timeouts, and shutdown when all places are taken.

use std::{net::SocketAddr, time::Duration};

use axum::{Router, routing::get};
use library::server::connections::{Bounds, Connections, Door};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::oneshot,
    time::{Instant, sleep, timeout},
};

const GET: &[u8] = b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n";
const LONG: usize = 3 * 1024 * 1024;
const BOUNDS: Bounds = Bounds {
    places: 24,
    stalled: Duration::from_secs(30),
    slow: Duration::from_secs(30),
    handshake: Duration::from_secs(10),
};

/// A listening server, and the way to stop it.
struct Server {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(bounds: Bounds, trusted: &[&str]) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = Router::new().route("/long", get(async || vec![b'x'; LONG]));
    let trusted = trusted.iter().map(|proxy| proxy.parse().expect("an address")).collect();
    let (end, ends) = oneshot::channel::<()>();
    let connections = Connections::new(bounds, trusted);
    let doors = [Door { listener, app, tls: None }];
    let ended = tokio::spawn(async move {
        let end = async {
            ends.await.expect("somebody ends it");
        };
        connections.accept_until(&doors, end).await;
    });
    Server { address, end, ended }
}

impl Server {
    /// Connects from this address of the machine; returns whether the server keeps the connection.
    async fn connect(&self, from: &str) -> (TcpStream, bool) {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(format!("{from}:0").parse().expect("an address")).expect("an address of this machine");
        let mut stream = socket.connect(self.address).await.expect("accepted by the system");
        let closed = timeout(Duration::from_millis(100), stream.read(&mut [0])).await;
        (stream, closed.is_err())
    }
}

async fn read_to_end(stream: &mut TcpStream, pause: Duration) -> usize {
    let (mut all, mut buffer) = (0, vec![0; 64 * 1024]);
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        all += read;
        if all >= LONG {
            break;
        }
        sleep(pause).await;
    }
    all
}

/// P6, S11: 300 clients that read nothing held 300 connections and 1.1 GiB of the system's memory.
#[tokio::test]
async fn who_takes_nothing_of_an_answer_loses_the_connection_and_who_takes_it_slowly_does_not() {
    let server = start(Bounds { stalled: Duration::from_secs(1), ..BOUNDS }, &[]).await;
    let (mut silent, _) = server.connect("127.0.0.1").await;
    let (mut slow, _) = server.connect("127.0.0.1").await;
    silent.write_all(GET).await.expect("sent");
    slow.write_all(GET).await.expect("sent");
    let begun = Instant::now();
    let slowly = read_to_end(&mut slow, Duration::from_millis(80)).await;
    assert!(slowly >= LONG, "only {slowly} bytes");
    sleep((begun + Duration::from_secs(4)).saturating_duration_since(Instant::now())).await;
    let left = read_to_end(&mut silent, Duration::ZERO).await;
    assert!(left < LONG, "the connection still stood");
}

/// X12: 600 clients that read 64 bytes a second held their connections and 153 MiB of the system's memory.
#[tokio::test]
async fn who_takes_an_answer_byte_by_byte_loses_the_connection() {
    let server = start(Bounds { slow: Duration::from_secs(1), ..BOUNDS }, &[]).await;
    let (mut slow, _) = server.connect("127.0.0.1").await;
    slow.write_all(GET).await.expect("sent");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(4) {
        slow.read_exact(&mut [0; 64]).await.expect("still in the buffers");
        sleep(Duration::from_millis(100)).await;
    }
    let left = read_to_end(&mut slow, Duration::ZERO).await;
    assert!(left < LONG - 64 * 1024, "the connection still stood");
}

/// P6: one address could take all 12 000 places.
#[tokio::test]
async fn when_places_run_out_the_last_ones_are_for_those_who_hold_few() {
    let server = start(BOUNDS, &["127.0.0.9"]).await;
    let mut all = Vec::new();
    let mut kept = async |from: &str| {
        let (stream, kept) = server.connect(from).await;
        all.push(stream);
        kept
    };
    for n in 0..20 {
        assert!(kept("127.0.0.1").await, "{n}");
    }
    assert!(!kept("127.0.0.1").await, "it holds most of them");
    assert!(kept("127.0.0.2").await && kept("127.0.0.2").await);
    assert!(!kept("127.0.0.2").await, "it has two");
    assert!(kept("127.0.0.9").await, "a trusted proxy brings many people");
    assert!(kept("127.0.0.9").await);
}

/// S11, P6: with all places taken the server did not notice the stop signal.
#[tokio::test]
async fn a_full_server_hears_the_end() {
    let server = start(BOUNDS, &["127.0.0.1"]).await;
    let mut all = Vec::new();
    for _ in 0..24 {
        all.push(server.connect("127.0.0.1").await);
    }
    let (mut waiting, _) = server.connect("127.0.0.1").await;
    waiting.write_all(GET).await.expect("the system accepts it");
    assert!(timeout(Duration::from_millis(300), waiting.read(&mut [0])).await.is_err(), "no place is free");
    server.end.send(()).expect("it listens");
    timeout(Duration::from_secs(2), server.ended).await.expect("it ends").expect("no panic");
}
