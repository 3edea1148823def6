//! Starts and stops the server: from the command line's options until the last request is answered.

pub mod connections;
mod metrics;
mod paced;
pub mod tls;

use std::{
    io::ErrorKind,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use jiff::tz::TimeZone;
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    task::JoinSet,
    time::{sleep, timeout},
};
use url::Url;

use crate::{
    backups::{self, Backups, Daily},
    catalogue::Catalogue,
    clock::Clock,
    config::Serve,
    demo,
    domain::mail::Channel,
    http::{
        self, App, Limits, Settings, Shared,
        covers::DecodeLimit,
        people::import::Importing,
        ready::Answers,
        session::{EndSessions, Lifetimes, Sessions},
        setup::Setup,
        web::Screens,
    },
    jobs::{self, MailNotices, Mailing, SendMails, SendTexts},
    library::Library,
    oidc::Provider,
    password::Passwords,
    policies::Policies,
    storage::{
        self, Db, Location, accounts, browser_key,
        migrate::{self, MIGRATIONS},
    },
    time_zone,
};
use connections::{Bounds, Connections, Door};
use tls::Tls;

/// Time for pending requests to finish at shutdown.
const DRAIN: Duration = Duration::from_secs(25);
/// Wait for requests that clients sent before the listener closed.
const LAST_REQUESTS: Duration = Duration::from_millis(250);
/// Pause between two tries to reach the database at the start.
const DATABASE_RETRY: Duration = Duration::from_secs(1);
/// Poll interval of the schema's version.
const SCHEMA_POLL: Duration = Duration::from_secs(5);
/// Time for the database to close.
const CLOSE: Duration = Duration::from_secs(5);

/// Warns of files readable by other users of this machine, and of passwords sent unencrypted.
fn warn_of_exposure(options: &Serve, public_url: &Url) {
    for file in storage::open_to_others(&options.database.database) {
        let file = file.display();
        tracing::warn!(
            "{file} holds names and password hashes and is open to everybody on this machine: chmod o= {file}"
        );
    }
    if public_url.scheme() == "https"
        && options.tls_certificate.is_none()
        && options.trusted_proxies.is_empty()
    {
        tracing::warn!(
            "a proxy must be in front of {public_url}, and --trusted-proxies names none: all visitors are counted as one, \
             and limits meant for one network stop them all"
        );
    }
    if options.allow_insecure_http && public_url.scheme() == "http" {
        tracing::warn!(
            "--allow-insecure-http: passwords cross the network unprotected, anybody on the way can read them"
        );
    }
}

/// Serves the API and the screens until the process is asked to stop.
pub async fn serve(options: Serve, screens: Screens) -> Result<()> {
    let listener = listen(options.listen, "--listen").await?;
    let address = listener.local_addr()?;
    let public_url = options.public_address(address)?;
    let requested = options.zone.time_zone.clone();
    let before_open = Clock::system(time_zone::provisional(requested.as_ref()));
    let tls = tls(&options, &before_open)?;
    let provider = options.oidc.provider(&public_url)?.map(Arc::new);
    let post = options.post(&public_url)?;
    let isbn_sources = options.isbn.sources()?.map(Arc::new);
    let redirect = redirect(&options, &public_url).await?;
    let daily = options.daily_backups()?;
    // The demo first removes the traces of a deleted database; `_lock` is then held for the life of the process.
    if options.demo {
        storage::begin_anew(&options.database.database);
    }
    let _lock = storage::only_server(&options.database.database, Duration::ZERO)?;
    if let Some(at) = options.metrics_listen {
        metrics::serve(at).await?;
    }

    let location = options.database.database.clone();
    let before = (location.clone(), daily.clone(), before_open);
    tokio::task::spawn_blocking(move || back_up_before_migration(&before.0, before.1.as_ref(), &before.2))
        .await??;
    let db = open(&location, Duration::from_secs(options.database_wait.into())).await?;
    let (clock, browser_key) = shared_by_servers(&db, requested).await?;
    let passwords = Passwords::new()?;
    if options.demo {
        demo::fill(&db, &clock, &public_url).await?;
    } else {
        refuse_demo_accounts(&db).await?;
    }
    let state = Arc::new(App {
        library: Library {
            db: db.clone(),
            catalogue: Catalogue::open(db.clone(), clock.clone()),
            clock,
            policies: Policies::default(),
        },
        pages: Answers::default(),
        passwords,
        browser_key,
        sessions: Sessions::default(),
        settings: Settings {
            public_url: public_url.clone(),
            trusted_proxies: options.trusted_proxies.clone(),
            id_card: options.id_card,
            second_factor: options.second_factor,
            lifetimes: Lifetimes {
                librarian: options.librarian_session,
                librarian_idle: options.librarian_idle,
            },
            daily_backups: daily.clone(),
            provider,
            post,
            isbn_sources,
        },
        screens,
        limits: Limits::with_student_changes(options.student_changes),
        setup: Setup::default(),
        importing: Importing::default(),
        decode_limit: DecodeLimit::default(),
        backups: Arc::new(Backups::new(location.clone(), daily)),
        stopping: AtomicBool::new(false),
    });
    tokio::spawn(backups::run(Arc::clone(&state.backups), state.library.clock.clone()));
    let mut jobs = start_jobs(&state, http::session::new_token()?);
    // Must come before the log says that the library is open: a supervisor reading that line may send a stop signal at once.
    let mut stop = Stop::listen()?;
    tracing::info!(%address, database = %location, "the library is open at {}library/", public_url);
    name_demo_accounts(&options);
    invite_librarian(&state).await?;
    warn_of_exposure(&options, &public_url);
    let connections = Connections::new(Bounds::of_this_process(), options.trusted_proxies.clone());
    let library = Door { listener, app: http::router(Arc::clone(&state)), tls };
    let doors: Vec<Door> = [library].into_iter().chain(redirect).collect();
    connections.accept_until(&doors, stop.asked()).await;

    tracing::info!("stopping: requests under way are finished first; a second signal stops at once");
    let finish = async {
        state.stopping.store(true, Ordering::Relaxed);
        // The streams of the bells end now; otherwise each would end at its next poll.
        state.library.db.wake_listeners();
        jobs.abort_all();
        // The load balancer sees `readyz` fail while the server still answers.
        connections.accept_until(&doors, sleep(Duration::from_secs(options.stop_delay.into()))).await;
        for door in doors {
            connections.close(door);
        }
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

/// Starts the background jobs; `owner` identifies this server among those on the same database.
fn start_jobs(state: &Shared, owner: String) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    jobs.spawn(watch_schema(state.library.db.clone()));
    jobs.spawn(probe_provider(state.settings.provider.clone()));
    if let Some(sources) = state.settings.isbn_sources.clone() {
        jobs.spawn(async move { sources.prepare().await });
    }
    jobs.spawn(jobs::run(state.library.clone(), owner.clone()));
    let post = state.settings.post.clone();
    if let Some(smtp) = post.mail.clone() {
        let send = SendMails::new(smtp, &state.settings.public_url);
        jobs.spawn(jobs::keep(send, state.library.clone(), owner.clone()));
    }
    if let Some(gateway) = post.texts.clone() {
        jobs.spawn(jobs::keep(SendTexts::new(gateway), state.library.clone(), owner.clone()));
    }
    if Channel::ALL.into_iter().any(|channel| post.has(channel)) {
        let mailing = Mailing::new(&state.settings.public_url, &state.browser_key);
        jobs.spawn(jobs::keep(MailNotices::new(post, mailing), state.library.clone(), owner.clone()));
    }
    jobs.spawn(jobs::keep(EndSessions(Arc::clone(state)), state.library.clone(), owner));
    jobs
}

/// Binds the listener of an option.
async fn listen(at: SocketAddr, option: &str) -> Result<TcpListener> {
    TcpListener::bind(at).await.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("{at} is in use by another program: choose another with {option}"),
        ErrorKind::PermissionDenied => anyhow!(
            "cannot listen on {at}: ports below 1024 need the right to do so (systemd: \
             AmbientCapabilities=CAP_NET_BIND_SERVICE)"
        ),
        _ => anyhow!("cannot listen on {at}: {error}"),
    })
}

/// Loads the certificate, if configured, and reloads it when its files change.
fn tls(options: &Serve, clock: &Clock) -> Result<Option<Arc<Tls>>> {
    let (Some(certificate), Some(key)) = (&options.tls_certificate, &options.tls_key) else {
        return Ok(None);
    };
    let files = tls::Files { certificate: certificate.clone(), key: key.clone() };
    let tls = Arc::new(Tls::open(files, clock.clone())?);
    let renewed = Arc::clone(&tls);
    tokio::spawn(async move { renewed.renew(tls::LOOK).await });
    Ok(Some(tls))
}

/// Binds the plain-http listener that redirects to https, if configured.
async fn redirect(options: &Serve, public_url: &Url) -> Result<Option<Door>> {
    let Some(at) = options.http_redirect else { return Ok(None) };
    let listener = listen(at, "--http-redirect").await?;
    tracing::info!("http://{} sends browsers to {public_url}", listener.local_addr()?);
    Ok(Some(Door { listener, app: tls::redirect(public_url), tls: None }))
}

/// Makes a backup if opening the database will migrate it: without one there is no way back.
fn back_up_before_migration(location: &Location, daily: Option<&Daily>, clock: &Clock) -> Result<()> {
    let Some(daily) = daily else { return Ok(()) };
    let plan = migrate::plan(location, MIGRATIONS)?;
    if plan.from == 0 || plan.missing.is_empty() {
        return Ok(());
    }
    let file = daily.before_migration(location, plan.from, clock)?;
    tracing::info!(file = %file.display(), schema = plan.from, "backup made before the schema is brought up to date");
    Ok(())
}

/// Opens the database on a blocking thread, because its client must not run inside the runtime. Waits for a `PostgreSQL`
/// server that starts later than this one, as after a power cut.
async fn open(location: &Location, patience: Duration) -> Result<Db> {
    let begun = Instant::now();
    let mut told = false;
    loop {
        let location = location.clone();
        match tokio::task::spawn_blocking(move || Db::open(&location)).await? {
            Err(storage::Error::Unreachable(reason)) if begun.elapsed() < patience => {
                if !told {
                    tracing::warn!(reason, "waiting for PostgreSQL, at most {} s", patience.as_secs());
                    told = true;
                }
                sleep(DATABASE_RETRY).await;
            }
            opened => return Ok(opened?),
        }
    }
}

/// Returns the values that all servers of a database share: the clock in its time zone, and the key of known browsers.
async fn shared_by_servers(db: &Db, requested: Option<TimeZone>) -> Result<(Clock, String)> {
    let fresh = http::session::new_token()?;
    db.write(move |tx| -> Result<_> {
        let zone = time_zone::keep(tx, requested.as_ref())?;
        Ok((Clock::system(zone), browser_key::keep(tx, &fresh)?))
    })
    .await
}

/// Checks that the sign-in provider answers, and logs a warning if it does not.
async fn probe_provider(provider: Option<Arc<Provider>>) {
    let Some(provider) = provider else { return };
    if provider.probe().await.is_ok() {
        tracing::info!(issuer = provider.issuer(), "the sign-in provider answers");
    }
}

/// Logs once when a newer program has migrated the database under this server.
async fn watch_schema(db: Db) {
    loop {
        sleep(SCHEMA_POLL).await;
        if let Err(storage::Error::Open(reason)) = db.read(migrate::is_served).await {
            tracing::error!(reason, "the database was migrated under this server");
            return;
        }
    }
}

/// Refuses a demo database without `--demo`: anyone could sign in with the demo's password.
async fn refuse_demo_accounts(db: &Db) -> Result<()> {
    let open = db.read(demo::open_accounts).await?;
    ensure!(
        open.is_empty(),
        "{} can sign in with the demo's password, which everybody knows: add --demo to go on trying, or give your own \
         library a --database of its own; to keep this one, make yourself a librarian (library admin create), start it \
         with --demo once more and deactivate these accounts",
        open.join(" and ")
    );
    Ok(())
}

/// Logs the address for creating the first librarian if the library has none. Warns if no librarian can sign in.
async fn invite_librarian(state: &App) -> Result<()> {
    let db = &state.library.db;
    if !db.read(accounts::has_librarian).await? {
        let code = state.setup.open(state.library.clock.now())?;
        let address = http::setup::address(&state.settings.public_url, &code);
        tracing::warn!("the library has no librarian yet: within an hour, open {address}");
    } else if db.read(accounts::by_role).await?.1 == 0 {
        tracing::warn!("no librarian can sign in: make one with library admin create --email E --name N");
    }
    Ok(())
}

/// Logs how to sign in to the demo.
fn name_demo_accounts(options: &Serve) {
    if options.demo {
        let (librarian, student, password) = (demo::LIBRARIAN, demo::STUDENT, demo::PASSWORD);
        tracing::info!("demo accounts: {librarian} and {student}, both with the password {password}");
    }
}

/// Signals that ask the process to stop; caught from [`Stop::listen`] on.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Waits for the next signal.
    async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
