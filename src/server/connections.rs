//! Connections: how many are held, for whom, how long a silent one is borne, and how the last ones are answered.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use axum::{Router, extract::ConnectInfo};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tower::ServiceExt as _;

use crate::http::client::{Network, is_trusted};

/// A header that takes longer ends the connection, and so does silence between requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer that the system holds for a client that has not read them yet (it doubles the number for its own
/// bookkeeping). By itself it would hold up to 4 MiB.
const SEND_BUFFER: usize = 128 * 1024;
/// Connections that may wait to be let in when the listener closes; the system lets fewer wait.
const WAITING: usize = 4096;
/// Files that the process opens beside connections: database, logs, listeners.
const OTHER_FILES: u64 = 128;

/// What the connections of one listener may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections held at once; more wait in the system's queue.
    pub places: usize,
    /// How long a client may take no byte of an answer.
    pub stalled: Duration,
}

impl Bounds {
    /// As many as the system lets the process have, and no more than 12 000.
    #[must_use]
    pub fn of_this_process() -> Self {
        let files = raise_file_limit().saturating_sub(OTHER_FILES);
        let places = usize::try_from(files).unwrap_or(usize::MAX).clamp(16, 12_000);
        Self { places, stalled: Duration::from_secs(30) }
    }

    /// The last places are kept for networks that hold few.
    fn reserve(self) -> usize {
        self.places / 6
    }

    /// What "few" is.
    fn few(self) -> usize {
        (self.places / 120).max(2)
    }
}

/// Most systems let a process have far more files than they give it at first (1024). Answers what it has now.
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

/// Everybody who is connected.
pub struct Connections {
    bounds: Bounds,
    trusted_proxies: Vec<IpAddr>,
    app: Router,
    room: Arc<Semaphore>,
    held: Arc<Mutex<HashMap<Network, usize>>>,
    http: http1::Builder,
    open: GracefulShutdown,
    refused: Complaint,
    failed: Complaint,
}

/// A place for a connection, taken until it is dropped.
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
    /// Nobody yet.
    #[must_use]
    pub fn new(app: Router, bounds: Bounds, trusted_proxies: Vec<IpAddr>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(64 * 1024);
        Self {
            room: Arc::new(Semaphore::new(bounds.places)),
            held: Arc::default(),
            open: GracefulShutdown::new(),
            refused: Complaint::default(),
            failed: Complaint::default(),
            bounds,
            trusted_proxies,
            app,
            http,
        }
    }

    /// Accepts and serves whoever comes, until `end`.
    pub async fn accept_until(&self, listener: &TcpListener, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            let next = async {
                // Never closed.
                let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else {
                    return std::future::pending().await;
                };
                (listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                next = next => next,
                () = &mut end => return,
            };
            match accepted {
                Ok((stream, peer)) => self.serve(stream, peer, permit),
                Err(error) => {
                    self.failed
                        .tell(|times| tracing::warn!(%error, times, "connections could not be accepted"));
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_millis(50)) => {}
                        () = &mut end => return,
                    }
                }
            }
        }
    }

    /// Closes the listener. Those who wait to be let in are served first: closing sends them away unheard (R17).
    pub fn close(&self, listener: TcpListener) {
        let Ok(listener) = listener.into_std() else { return };
        for _ in 0..WAITING {
            let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else { return };
            let Ok((stream, peer)) = listener.accept() else { return };
            if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                self.serve(stream, peer, permit);
            }
        }
    }

    fn serve(&self, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        let Some(place) = self.place(peer.ip(), permit) else {
            self.refused.tell(|times| {
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
        let app = self.app.clone();
        let service = app.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request
        });
        let connection = self.http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let watched = self.open.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }

    /// A place, unless the places are running out and this network has more than a few already. A trusted proxy speaks
    /// for many networks.
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

    /// Closes idle connections and waits until the answers under way are sent.
    pub async fn finish(self) {
        self.open.shutdown().await;
    }
}

fn prepare(stream: &TcpStream, stalled: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    rustix::net::sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER)?;
    // The system gives up a connection whose client takes nothing for so long, also after we closed it.
    #[cfg(target_os = "linux")]
    rustix::net::sockopt::set_tcp_user_timeout(
        stream,
        u32::try_from(stalled.as_millis()).unwrap_or(u32::MAX),
    )?;
    Ok(())
}

/// A fault that may come a thousand times a second is told once in ten seconds, and how often it came.
#[derive(Default)]
struct Complaint(Mutex<(Option<Instant>, u64)>);

impl Complaint {
    fn tell(&self, tell: impl FnOnce(u64)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (told, times) = &mut *state;
        *times += 1;
        if told.is_none_or(|told| told.elapsed() > Duration::from_secs(10)) {
            tell(std::mem::take(times));
            *told = Some(Instant::now());
        }
    }
}
