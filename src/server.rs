//! Starting and stopping the server: from the options of the command line until the last request is answered.

pub mod connections;
mod metrics;

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    time::{sleep, timeout},
};

use crate::{
    catalogue::Catalogue,
    clock::Clock,
    config::Serve,
    demo,
    http::{
        self, App, Limits, Settings,
        ready::Answers,
        session::{Lifetimes, Sessions},
    },
    jobs,
    password::Passwords,
    policies::Policies,
    storage::{Db, Location},
};
use connections::{Bounds, Connections};

/// Requests under way at the end get this long to finish.
const DRAIN: Duration = Duration::from_secs(25);
/// Requests that were sent before the listener closed get this long to arrive.
const LAST_REQUESTS: Duration = Duration::from_millis(250);
/// The database gets this long to close.
const CLOSE: Duration = Duration::from_secs(5);

/// Serves until the process is asked to stop.
pub async fn serve(options: Serve) -> Result<()> {
    let listener = TcpListener::bind(options.listen).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow!("{} is in use by another program: choose another with --listen", options.listen)
        }
        _ => anyhow!("cannot listen on {}: {error}", options.listen),
    })?;
    let address = listener.local_addr()?;
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
    let clock = Clock::system(options.zone.time_zone.clone());
    let passwords = Passwords::new()?;
    if options.demo {
        demo::fill(&db, &clock, &public_url).await?;
    }
    let catalogue = Catalogue::load(db.clone()).await?;
    let state = Arc::new(App {
        db: db.clone(),
        clock,
        catalogue,
        pages: Answers::default(),
        policies: Policies::default(),
        passwords,
        sessions: Sessions::default(),
        settings: Settings {
            public_url: public_url.clone(),
            trusted_proxies: options.trusted_proxies.clone(),
            id_card: options.id_card,
            lifetimes: Lifetimes {
                librarian: options.librarian_session,
                librarian_idle: options.librarian_idle,
            },
        },
        limits: Limits::default(),
        stopping: AtomicBool::new(false),
    });
    let jobs = tokio::spawn(jobs::run(Arc::clone(&state), http::session::new_token()?));
    // Before the log says that it is open: whoever reads that may ask it to stop at once.
    let mut stop = Stop::listen()?;
    tracing::info!(%address, database = %location, "the library is open at {}library/", public_url);
    if options.demo {
        tracing::info!(
            "demo accounts: {} and {}, both with the password {}",
            demo::LIBRARIAN,
            demo::STUDENT,
            demo::PASSWORD
        );
    }
    if options.allow_insecure_http && public_url.scheme() == "http" {
        tracing::warn!(
            "--allow-insecure-http: passwords cross the network unprotected, anybody on the way can read them"
        );
    }
    let connections = Connections::new(
        http::router(Arc::clone(&state)),
        Bounds::of_this_process(),
        options.trusted_proxies.clone(),
    );
    connections.accept_until(&listener, stop.asked()).await;

    tracing::info!("stopping: requests under way are finished first; a second signal stops at once");
    let finish = async {
        state.stopping.store(true, Ordering::Relaxed);
        jobs.abort();
        // Whoever balances the load sees that the server is going, while it still answers.
        connections.accept_until(&listener, sleep(Duration::from_secs(options.stop_delay.into()))).await;
        drop(listener);
        sleep(LAST_REQUESTS).await;
        if timeout(DRAIN, connections.finish()).await.is_err() {
            tracing::warn!("some requests did not finish in time");
        }
        let closing = tokio::task::spawn_blocking(move || db.close());
        if timeout(CLOSE, closing).await.is_err() {
            tracing::warn!("the database did not close in time; what was answered is stored");
        }
    };
    tokio::select! {
        () = finish => tracing::info!("the library is closed"),
        () = stop.asked() => tracing::warn!("asked again: stopped at once; what was answered is stored"),
    }
    Ok(())
}

/// Opens the database on a plain thread: its client must not run inside the runtime.
async fn open(location: &Location) -> Result<Db> {
    let location = location.clone();
    Ok(tokio::task::spawn_blocking(move || Db::open(&location)).await??)
}

/// Makes sure that no other server works on the same file.
fn only_server(database: &Path) -> Result<File> {
    let mut name = database.as_os_str().to_owned();
    name.push(".serving");
    let path = PathBuf::from(name);
    let cannot = || format!("database file {}: its folder cannot be written to", database.display());
    let file = File::options().create(true).truncate(false).write(true).open(&path).with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another server already works on {}; use PostgreSQL for several servers",
            database.display()
        ),
        Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
    }
}

/// The signals that ask the process to stop, heard from [`Stop::listen`] on.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Completes with the next of them.
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
