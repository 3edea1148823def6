//! Listening: from the command line's choices to a server that stops without dropping anybody.

mod metrics;

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::{Router, extract::ConnectInfo};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};
use tower::ServiceExt as _;

use crate::{
    catalogue::Catalogue,
    clock::Clock,
    config::Serve,
    demo,
    http::{self, App, Limits, Settings, session::Sessions},
    password::Passwords,
    policies::Policies,
    storage::{Db, Location},
};

/// A header that takes longer ends the connection, and so does silence between requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Requests under way at the end get this long to finish.
const DRAIN: Duration = Duration::from_secs(25);
/// Connections held at once; more wait in the system's queue.
const CONNECTIONS: usize = 12_000;

/// Why the server did not start or did not go on; one line for the operator.
pub type Failure = String;

/// Serves until the process is asked to stop.
///
/// # Errors
/// One line for the operator.
pub async fn serve(options: Serve) -> Result<(), Failure> {
    let listener = TcpListener::bind(options.listen).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            format!("{} is in use by another program: choose another with --listen", options.listen)
        }
        _ => format!("cannot listen on {}: {error}", options.listen),
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let public_url = options.public_address(address)?;
    // Held for as long as the process lives.
    let _lock = match &options.database.database {
        Location::Sqlite(path) => Some(only_server(path)?),
        Location::Postgres(_) => None,
    };
    if let Some(at) = options.metrics_listen {
        metrics::serve(at).await?;
    }

    let location = options.database.database.clone();
    let db = open(&location).await?;
    let clock = Clock::system(options.place.time_zone.clone());
    let passwords = Passwords::new().map_err(|error| error.to_string())?;
    if options.demo {
        demo::fill(&db, &clock, &public_url).await.map_err(|error| format!("{error:#}"))?;
    }
    let catalogue = Catalogue::load(db.clone()).await.map_err(|error| told(&error))?;
    let state = Arc::new(App {
        db: db.clone(),
        clock,
        catalogue,
        policies: Policies::default(),
        passwords,
        sessions: Sessions::default(),
        settings: Settings {
            public_url: public_url.clone(),
            trusted_proxies: options.trusted_proxies.clone(),
            id_card: options.id_card,
        },
        limits: Limits::default(),
    });
    // Before it is said to be open: who reads that may ask it to stop at once.
    let stop = stop_signal()?;
    tracing::info!(%address, database = %location, "the library is open at {}library/", public_url);
    if options.demo {
        tracing::info!(
            "demo accounts: {} and {}, both with the password {}",
            demo::LIBRARIAN,
            demo::STUDENT,
            demo::PASSWORD
        );
    }
    accept(listener, http::router(state), stop).await;
    let closing = db.clone();
    let _ = tokio::task::spawn_blocking(move || closing.close()).await;
    tracing::info!("the library is closed");
    Ok(())
}

/// Opens the database on a plain thread: its client must not run inside the runtime.
async fn open(location: &Location) -> Result<Db, Failure> {
    let location = location.clone();
    tokio::task::spawn_blocking(move || Db::open(&location))
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| told(&error))
}

/// An error with its causes, in one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.replace('\n', " ")
}

/// Makes sure that no other server works on the same file.
fn only_server(database: &Path) -> Result<File, Failure> {
    let mut name = database.as_os_str().to_owned();
    name.push(".serving");
    let path = PathBuf::from(name);
    let cannot = |error: &std::io::Error| {
        format!("database file {}: its folder cannot be written to ({error})", database.display())
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| cannot(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(format!(
            "another server already works on {}; use PostgreSQL for several servers",
            database.display()
        )),
        Err(TryLockError::Error(error)) => Err(cannot(&error)),
    }
}

/// Listens for the signals that ask the process to stop, from now on; the future ends with the first.
fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let listen = |kind| signal(kind).map_err(|error| format!("cannot listen for signals: {error}"));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

async fn accept(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(64 * 1024);
    let room = Arc::new(tokio::sync::Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { break };
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
        let service = app.clone().map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request
        });
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = watched.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    tracing::info!("stopping: requests under way are finished first");
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(DRAIN) => tracing::warn!("some requests did not finish in time"),
    }
}
