//! Connections: their limits per server and per network, timeouts, and graceful shutdown.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{Router, extract::ConnectInfo};
use futures_util::future::join_all;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
    service::TowerToHyperService,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::timeout,
};
use tower::ServiceExt as _;

use super::{paced::Paced, tls::Tls};
use crate::{
    fault::{Fault, is_planted},
    http::client::{Network, is_trusted},
};

/// Timeout of a header, and of an idle connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer that the kernel buffers for a slow client (it doubles the number for its own bookkeeping). Its
/// default is up to 4 MiB.
const SEND_BUFFER: usize = 128 * 1024;
/// Maximum number of pending connections served when the listener closes; the kernel queues fewer.
const WAITING: usize = 4096;
/// Files that the process opens besides connections: database, logs, listeners.
const OTHER_FILES: u64 = 128;

/// Limits of all connections together.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of connections; more wait in the kernel's queue.
    pub places: usize,
    /// Timeout of a client that reads no byte of an answer.
    pub stalled: Duration,
    /// Timeout of a client that reads too slowly to make room for the next part of an answer.
    pub slow: Duration,
    /// Timeout of a TLS handshake.
    pub handshake: Duration,
}

impl Bounds {
    /// Allows one place per file that the process may open, at most 12 000.
    #[must_use]
    pub fn of_this_process() -> Self {
        let files = raise_file_limit().saturating_sub(OTHER_FILES);
        let places = usize::try_from(files).unwrap_or(usize::MAX).clamp(16, 12_000);
        Self {
            places,
            stalled: Duration::from_secs(30),
            // The kernel makes room once a third of its buffer is free, so this asks for about a kilobyte a second.
            slow: Duration::from_mins(1),
            handshake: Duration::from_secs(10),
        }
    }

    /// Number of last places that are reserved for networks with few connections.
    fn reserve(self) -> usize {
        self.places / 6
    }

    /// Maximum number of connections that is still "few".
    fn few(self) -> usize {
        (self.places / 120).max(2)
    }
}

/// Raises the limit on open files to the maximum, since most systems start with 1024. Returns the new limit.
fn raise_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let (soft, hard) = (limit.current.unwrap_or(u64::MAX), limit.maximum.unwrap_or(u64::MAX));
    if soft >= hard {
        return soft;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        Ok(()) => hard,
        Err(error) => {
            tracing::warn!(%error, soft, hard, "the limit on open files stays as it is");
            soft
        }
    }
}

/// A listener and its application.
pub struct Door {
    pub listener: TcpListener,
    pub app: Router,
    /// Certificate, for https.
    pub tls: Option<Arc<Tls>>,
}

/// All connections of all listeners.
pub struct Connections {
    bounds: Bounds,
    trusted_proxies: Vec<IpAddr>,
    room: Arc<Semaphore>,
    held: Arc<Mutex<HashMap<Network, usize>>>,
    http: http1::Builder,
    open: GracefulShutdown,
    /// Dropped at shutdown, which ends handshakes in progress.
    handshakes: watch::Sender<()>,
    refused: Complaint,
    failed: Complaint,
}

/// Place of a connection, held until it is dropped.
struct Slot {
    network: Network,
    held: Arc<Mutex<HashMap<Network, usize>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        if let Some(count) = held.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.network);
            }
        }
    }
}

fn lock(held: &Mutex<HashMap<Network, usize>>) -> MutexGuard<'_, HashMap<Network, usize>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connections {
    /// Creates an empty connection table.
    #[must_use]
    pub fn new(bounds: Bounds, trusted_proxies: Vec<IpAddr>) -> Self {
        let mut http = http1::Builder::new();
        let patience = (!is_planted(Fault::NoHeaderTimer)).then_some(HEADER_TIMEOUT);
        http.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(64 * 1024);
        Self {
            room: Arc::new(Semaphore::new(bounds.places)),
            held: Arc::default(),
            open: GracefulShutdown::new(),
            handshakes: watch::Sender::new(()),
            refused: Complaint::default(),
            failed: Complaint::default(),
            bounds,
            trusted_proxies,
            http,
        }
    }

    /// Accepts and serves connections of all doors until `end`.
    pub async fn accept_until(&self, doors: &[Door], end: impl Future<Output = ()>) {
        tokio::select! {
            _ = join_all(doors.iter().map(|door| self.accept(door))) => {}
            () = end => {}
        }
    }

    async fn accept(&self, door: &Door) {
        // The semaphore is never closed, so the loop never ends.
        while let Ok(permit) = Arc::clone(&self.room).acquire_owned().await {
            match door.listener.accept().await {
                Ok((stream, peer)) => self.serve(&door.app, door.tls.as_ref(), stream, peer, permit),
                Err(error) => {
                    self.failed
                        .log(|times| tracing::warn!(%error, times, "connections could not be accepted"));
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Closes a listener. Serves pending connections first: closing would reset them unanswered (R17).
    pub fn close(&self, door: Door) {
        let Door { listener, app, tls } = door;
        let Ok(listener) = listener.into_std() else { return };
        for _ in 0..WAITING {
            let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else { return };
            let Ok((stream, peer)) = listener.accept() else { return };
            if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                self.serve(&app, tls.as_ref(), stream, peer, permit);
            }
        }
    }

    fn serve(
        &self,
        app: &Router,
        tls: Option<&Arc<Tls>>,
        stream: TcpStream,
        peer: SocketAddr,
        permit: OwnedSemaphorePermit,
    ) {
        let Some(place) = self.place(peer.ip(), permit) else {
            self.refused.log(|times| {
                tracing::warn!(
                    times,
                    "connections refused: nearly all are taken, and their network holds many"
                );
            });
            return;
        };
        if let Err(error) = prepare(&stream, self.bounds.stalled) {
            tracing::debug!(%error, "a connection ended before it began");
            return;
        }
        let (http, app, watcher) = (self.http.clone(), app.clone(), self.open.watcher());
        let slow = self.bounds.slow;
        match tls {
            None => {
                tokio::spawn(converse(http, app, Paced::new(stream, slow), peer, watcher, place));
            }
            Some(tls) => {
                let (acceptor, mut handshakes) = (tls.acceptor(), self.handshakes.subscribe());
                let patience = self.bounds.handshake;
                tokio::spawn(async move {
                    let shaken = tokio::select! {
                        shaken = timeout(patience, acceptor.accept(stream)) => shaken,
                        _ = handshakes.changed() => return,
                    };
                    match shaken {
                        Ok(Ok(stream)) => {
                            converse(http, app, Paced::new(stream, slow), peer, watcher, place).await;
                        }
                        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                        Err(_) => tracing::debug!("a TLS handshake took too long"),
                    }
                });
            }
        }
    }

    /// Takes a place, unless few are left and this network holds more than a few. A trusted proxy is exempt: it serves
    /// many networks.
    fn place(&self, peer: IpAddr, permit: OwnedSemaphorePermit) -> Option<Slot> {
        let network = Network::from(peer);
        let crowded = self.room.available_permits() < self.bounds.reserve();
        let mut held = lock(&self.held);
        let count = held.entry(network).or_default();
        if crowded && *count >= self.bounds.few() && !is_trusted(peer, &self.trusted_proxies) {
            return None;
        }
        *count += 1;
        Some(Slot { network, held: Arc::clone(&self.held), _permit: permit })
    }

    /// Closes idle connections and waits until answers in progress are sent.
    pub async fn finish(self) {
        drop(self.handshakes);
        self.open.shutdown().await;
    }
}

/// Serves the requests of a connection until it ends.
async fn converse(
    http: http1::Builder,
    app: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    watcher: Watcher,
    _place: Slot,
) {
    let service = app.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

fn prepare(stream: &TcpStream, stalled: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    rustix::net::sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER)?;
    // The kernel drops a connection whose client reads nothing for this time, also after we closed it.
    #[cfg(target_os = "linux")]
    rustix::net::sockopt::set_tcp_user_timeout(
        stream,
        u32::try_from(stalled.as_millis()).unwrap_or(u32::MAX),
    )?;
    Ok(())
}

/// Rate-limited logging: one line per ten seconds, with a count.
#[derive(Default)]
struct Complaint(Mutex<(Option<Instant>, u64)>);

impl Complaint {
    fn log(&self, log: impl FnOnce(u64)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (logged, times) = &mut *state;
        *times += 1;
        if logged.is_none_or(|at| at.elapsed() > Duration::from_secs(10)) {
            log(std::mem::take(times));
            *logged = Some(Instant::now());
        }
    }
}
