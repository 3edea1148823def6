//! `PostgreSQL`: plain threads that each own a connection.
//!
//! Each thread drives its connection with its own small runtime, so that every wait for the server has a time limit: a
//! dead network path costs one request a few seconds, and all others are refused at once until a connection works
//! again.

mod tls;

use std::{
    collections::HashMap,
    future::poll_fn,
    rc::Rc,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Runtime},
    sync::{Notify, broadcast},
    task::AbortHandle,
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Config, Error as PgError, Row, Statement,
    error::{Severity, SqlState},
    types::ToSql,
};

use crate::domain::id::{DeskId, UserId};

use super::{
    Error, Options, Queue, Result, Started, causes,
    health::Health,
    job::{Job, Kind, Verdict},
    listeners::Listeners,
    spawn,
    sql::{Arm, Tx},
};

/// Statement that subscribes to catalogue changes, desk notifications and notices.
const LISTEN: &str = "LISTEN library_catalogue; LISTEN library_desk; LISTEN library_notices";
/// Second channel of [`LISTEN`]; its payloads are ids of desks.
const DESKS: &str = "library_desk";
/// Third channel of [`LISTEN`]; its payloads are ids of people.
const NOTICES: &str = "library_notices";

/// Listeners of desks, and of people's notices.
type Calls = (broadcast::Sender<DeskId>, Arc<Listeners>);

/// Time limit from the first packet until the server is ready for statements.
const CONNECTING: Duration = Duration::from_secs(3);
/// Time limit for an answer; a second more than the server's own `statement_timeout`, whose error is clearer.
const STATEMENT: Duration = Duration::from_secs(6);
/// Time limit for statements without work for the server, such as BEGIN.
const PING: Duration = Duration::from_secs(2);
/// Silence after which a connection is tested before it gets a job.
const IDLE: Duration = Duration::from_secs(1);
/// Interval between attempts of one thread to reconnect to an unreachable server; until then jobs are refused.
const RETRY: Duration = Duration::from_secs(1);
/// Interval at which the listener tests its connection, which may be silent for hours.
const LISTENING: Duration = Duration::from_secs(30);
/// Time limit for a migration, whose duration is unknown.
const MIGRATING: Duration = Duration::from_hours(24);

/// Settings of every session: time limits on the server, and durable commits, so that an answered write is on the
/// server's disk.
const SESSION: &str = "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s \
                       -c synchronous_commit=on";

/// Reason for a missing answer.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Postgres(#[from] PgError),
    #[error("PostgreSQL did not answer within {} s", .0.as_secs())]
    Silence(Duration),
}

impl Refusal {
    /// True if the server may still be starting, rather than refusing this role or database.
    fn may_pass(&self) -> bool {
        match self {
            Self::Silence(_) => true,
            Self::Postgres(error) => match error.code() {
                Some(code) => *code == SqlState::CANNOT_CONNECT_NOW,
                // A rejected certificate is an I/O error too, but waiting does not help.
                None => std::error::Error::source(error)
                    .and_then(<dyn std::error::Error>::downcast_ref::<std::io::Error>)
                    .is_some_and(|error| error.kind() != std::io::ErrorKind::InvalidData),
            },
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Postgres(error) => error.into(),
            Refusal::Silence(_) => Self::Busy(Some(Box::new(refusal))),
        }
    }
}

/// A connection with its prepared statements.
pub(super) struct Connection {
    runtime: Rc<Runtime>,
    client: Client,
    /// Task that transfers the bytes whenever the runtime runs.
    mover: AbortHandle,
    statements: HashMap<&'static str, Statement>,
    /// Time limit for an answer.
    patience: Duration,
    /// True if the server went silent, or the state of the session is unknown: do not use the connection any more.
    lost: bool,
    used: Instant,
}

impl Connection {
    fn open(runtime: &Rc<Runtime>, server: &Server, patience: Duration) -> Result<Self, Refusal> {
        let connecting = server.config.connect(server.tls.clone());
        let (client, connection) = wait(runtime, CONNECTING, connecting)?;
        // Callers that wait for an answer get the error of the connection.
        let mover = runtime.spawn(async { connection.await.ok() }).abort_handle();
        Ok(Self {
            runtime: Rc::clone(runtime),
            client,
            mover,
            statements: HashMap::new(),
            patience,
            lost: false,
            used: Instant::now(),
        })
    }

    /// Sends a request to the server, and waits for the answer no longer than `patience`.
    fn ask<T>(
        &mut self,
        patience: Duration,
        ask: impl AsyncFnOnce(&Client) -> Result<T, PgError>,
    ) -> Result<T, Refusal> {
        let answer = wait(&self.runtime, patience, ask(&self.client));
        self.used = Instant::now();
        self.lost |= self.client.is_closed() || matches!(answer, Err(Refusal::Silence(_)));
        answer
    }

    fn prepared(&mut self, text: &'static str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.ask(self.patience, async |client| client.prepare(text).await)?;
        self.statements.insert(text, statement.clone());
        Ok(statement)
    }

    pub(super) fn execute(&mut self, text: &'static str, params: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        let statement = self.prepared(text)?;
        Ok(self.ask(self.patience, async |client| client.execute(&statement, params).await)?)
    }

    pub(super) fn query(&mut self, text: &'static str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let statement = self.prepared(text)?;
        Ok(self.ask(self.patience, async |client| client.query(&statement, params).await)?)
    }

    pub(super) fn batch(&mut self, text: &str) -> Result<()> {
        Ok(self.ask(self.patience, async |client| client.batch_execute(text).await)?)
    }

    /// Runs a statement without parameters that returns one number.
    pub(super) fn number(&mut self, text: &str) -> Result<i64> {
        let row = self.ask(self.patience, async |client| client.query_one(text, &[]).await)?;
        Ok(row.try_get(0)?)
    }

    /// Runs a statement without parameters, built at run time, that returns one text per row.
    pub(super) fn texts(&mut self, text: &str) -> Result<Vec<String>> {
        let rows = self.ask(self.patience, async |client| client.query(text, &[]).await)?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Runs a statement, built at run time, with one text parameter.
    pub(super) fn execute_with(&mut self, text: &str, value: &str) -> Result<()> {
        self.ask(self.patience, async |client| client.execute(text, &[&value]).await)?;
        Ok(())
    }

    /// Prepares for a job of this kind. An error means that the connection is unusable; the job has not run.
    fn begin(&mut self, kind: Kind) -> Result<(), Refusal> {
        let statement = match kind {
            // A test costs a round trip, so it runs only after a pause.
            Kind::Read if self.used.elapsed() < IDLE => return Ok(()),
            Kind::Read => "",
            Kind::Snapshot | Kind::Unhurried => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Kind::Write => "BEGIN",
        };
        self.ask(PING, async |client| client.batch_execute(statement).await)
    }

    /// Processes what has arrived since the last job; `false` if the connection has ended.
    fn is_open(&self) -> bool {
        self.runtime.block_on(async {
            // Yields once to poll the socket, and once more so that the mover reads it.
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        });
        !self.client.is_closed()
    }

    fn run(&mut self, job: &mut dyn Job) -> Verdict {
        let keep = job.run(&mut Tx::new(Arm::Postgres(self)));
        match job.kind() {
            Kind::Read => return Verdict::Done,
            Kind::Write if keep => {}
            Kind::Snapshot | Kind::Unhurried | Kind::Write => {
                if !self.lost {
                    let ended = self.ask(PING, async |client| client.batch_execute("ROLLBACK").await);
                    // The error does not matter: the server rolls back when the connection closes.
                    self.lost = ended.is_err();
                }
                return Verdict::Done;
            }
        }
        match self.ask(self.patience, async |client| client.batch_execute("COMMIT").await) {
            Ok(()) => Verdict::Done,
            // A plain ERROR: the server refused the commit. On FATAL, as from a server that shuts down, the write may
            // be stored.
            Err(Refusal::Postgres(error)) if is_plain(&error) => Verdict::Failed(error.into()),
            Err(error) => Verdict::Failed(Error::OutcomeUnknown(Some(Box::new(error)))),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.mover.abort();
        // Closes the socket now, not when the next connection is opened.
        self.runtime.block_on(tokio::task::yield_now());
    }
}

fn is_plain(error: &PgError) -> bool {
    error.as_db_error().is_some_and(|error| error.parsed_severity() == Some(Severity::Error))
}

fn wait<T>(
    runtime: &Runtime,
    patience: Duration,
    work: impl Future<Output = Result<T, PgError>>,
) -> Result<T, Refusal> {
    match runtime.block_on(async { timeout(patience, work).await }) {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Refusal::Silence(patience)),
    }
}

/// Creates the runtime of one thread, which must not be inside another runtime.
fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Settings of connections to the server.
#[derive(Clone)]
struct Server {
    config: Config,
    tls: tls::Connector,
}

fn server(url: &str, more: &str) -> Result<Server> {
    let (mut config, tls) =
        tls::read(url).map_err(|error| Error::Open(format!("PostgreSQL connection string: {error}")))?;
    // Later options win, so ours come last.
    let options = format!("{} {SESSION} {more}", config.get_options().unwrap_or_default());
    config
        .application_name("library")
        .options(options.trim())
        // Notices a vanished peer in half a minute, or in ten seconds while a statement is under way.
        .keepalives_idle(Duration::from_secs(15))
        .keepalives_interval(Duration::from_secs(5))
        .keepalives_retries(3)
        .tcp_user_timeout(Duration::from_secs(10));
    Ok(Server { config, tls })
}

pub(super) fn start(url: &str, reads: &Queue, writes: &Queue, options: Options) -> Result<Started> {
    let reading = server(url, "-c default_transaction_read_only=on")?;
    let writing = server(url, "")?;
    let reach = Arc::new(Reach::default());
    let start = |name: String, server: &Server, queue: &Queue| {
        let (server, reach, queue) = (server.clone(), Arc::clone(&reach), queue.clone());
        spawn(&name, move || match runtime() {
            Ok(runtime) => {
                Worker { runtime: Rc::new(runtime), server, reach, connection: None }.serve(&queue);
            }
            Err(error) => tracing::error!(%error, "a database thread cannot wait for PostgreSQL"),
        })
    };
    let mut threads = Vec::with_capacity(options.readers + options.writers);
    for number in 0..options.readers {
        threads.push(start(format!("postgres-read-{number}"), &reading, reads)?);
    }
    for number in 0..options.writers {
        threads.push(start(format!("postgres-write-{number}"), &writing, writes)?);
    }
    Ok(Started { threads, reading: Arc::clone(&reach.health), writing: Arc::clone(&reach.health) })
}

/// Runs `work` on its own connection, outside any transaction, while no other process does the same.
pub(super) fn alone<T: Send>(url: &str, work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send) -> Result<T> {
    let server = server(url, "")?;
    let cannot = |error: &dyn std::error::Error| format!("PostgreSQL cannot be reached: {}", causes(error));
    let run = || {
        let runtime = Rc::new(runtime().map_err(|error| Error::Open(cannot(&error)))?);
        let mut connection = Connection::open(&runtime, &server, MIGRATING).map_err(|error| {
            let reason = cannot(&error);
            if error.may_pass() { Error::Unreachable(reason) } else { Error::Open(reason) }
        })?;
        // The wait for the advisory lock has no time limit, because another process may be migrating. Table locks have
        // the usual limit, because queries of running servers queue behind them.
        connection.batch(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0;
             SELECT pg_advisory_lock(7309940713); RESET lock_timeout",
        )?;
        work(&mut Tx::new(Arm::Postgres(&mut connection)))
    };
    // A connection has its own runtime, and the caller may be inside another.
    std::thread::scope(|scope| scope.spawn(run).join())
        .unwrap_or_else(|_| Err(Error::Open("PostgreSQL: the client panicked".into())))
}

/// Reachability of the server, shared by all threads.
#[derive(Default)]
struct Reach {
    health: Arc<Health>,
    /// Time of the next retry while the server is out of reach. Jobs do not wait for the retry but are refused.
    retry: Mutex<Option<Instant>>,
}

impl Reach {
    fn is_out(&self) -> bool {
        self.retry().is_some()
    }

    /// True if this thread must retry now; the others leave the retry to it.
    fn is_due(&self) -> bool {
        let mut retry = self.retry();
        let due = retry.is_some_and(|at| at <= Instant::now());
        if due {
            *retry = Some(Instant::now() + CONNECTING + RETRY);
        }
        due
    }

    fn lost(&self, error: &Refusal) {
        *self.retry() = Some(Instant::now() + RETRY);
        self.health.failed(&causes(error));
    }

    fn found(&self) {
        *self.retry() = None;
        self.health.works();
    }

    fn retry(&self) -> MutexGuard<'_, Option<Instant>> {
        self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One thread and its connection.
struct Worker {
    runtime: Rc<Runtime>,
    server: Server,
    reach: Arc<Reach>,
    connection: Option<Connection>,
}

impl Worker {
    fn serve(mut self, queue: &Queue) {
        while let Some(mut job) = queue.next() {
            let verdict = match self.ready(job.kind()) {
                Ok(open) => open.run(job.as_mut()),
                Err(error) => Verdict::Failed(error),
            };
            self.connection.take_if(|open| open.lost);
            job.answer(verdict);
            if self.connection.is_none() && self.reach.is_due() {
                self.connection = self.connect().ok();
            }
        }
    }

    /// Returns a connection ready for a job. A connection that died unnoticed fails here, before the job ran, so that
    /// reconnecting once is safe.
    fn ready(&mut self, kind: Kind) -> Result<&mut Connection> {
        self.connection.take_if(|open| !open.is_open() || open.begin(kind).is_err());
        if self.connection.is_none() {
            if self.reach.is_out() {
                return Err(Error::Unavailable("PostgreSQL is out of reach".into()));
            }
            let mut open = self.connect()?;
            open.begin(kind)?;
            self.connection = Some(open);
        }
        self.connection.as_mut().ok_or(Error::Closed)
    }

    fn connect(&self) -> Result<Connection> {
        match Connection::open(&self.runtime, &self.server, STATEMENT) {
            Ok(open) => {
                self.reach.found();
                Ok(open)
            }
            Err(error) => {
                self.reach.lost(&error);
                Err(Error::Unavailable(Box::new(error)))
            }
        }
    }
}

/// Starts a thread that listens as long as the process lives. The thread notifies `call` of catalogue changes by other
/// processes and after every (re)connect, because notifications missed while disconnected are read from
/// `catalogue_changes`. It forwards notifications of desks and of people's notices to `calls`.
pub(super) fn listen(url: String, call: Arc<Notify>, calls: Calls) {
    let started = spawn("postgres-listen", move || {
        let (Ok(server), Ok(runtime)) = (server(&url, ""), runtime()) else { return };
        let mut is_logged = false;
        loop {
            let connected = Instant::now();
            let ended = runtime.block_on(listen_once(&server, &call, &calls));
            if !is_logged || connected.elapsed() > LISTENING {
                let reason =
                    ended.err().map_or_else(|| "the connection ended".into(), |error| causes(&error));
                tracing::warn!(reason, "catalogue changes of other servers are seen a second later");
                is_logged = true;
            }
            std::thread::sleep(RETRY);
        }
    });
    if let Err(error) = started {
        tracing::error!(%error, "catalogue changes of other servers are seen a second later");
    }
}

/// Listens until the connection ends.
async fn listen_once(server: &Server, call: &Arc<Notify>, (desks, listeners): &Calls) -> Result<(), Refusal> {
    let silence = |_| Refusal::Silence(CONNECTING);
    let (client, mut connection) =
        timeout(CONNECTING, server.config.connect(server.tls.clone())).await.map_err(silence)??;
    let (heard, desks, listeners) = (Arc::clone(call), desks.clone(), Arc::clone(listeners));
    let mut mover = tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                AsyncMessage::Notification(notification) if notification.channel() == DESKS => {
                    if let Ok(desk) = notification.payload().parse() {
                        // There may be no listener.
                        let _ = desks.send(DeskId(desk));
                    }
                }
                AsyncMessage::Notification(notification) if notification.channel() == NOTICES => {
                    if let Ok(person) = notification.payload().parse() {
                        listeners.wake(UserId(person));
                    }
                }
                AsyncMessage::Notification(_) => heard.notify_one(),
                _ => {}
            }
        }
    });
    let mut ask = LISTEN;
    while !mover.is_finished() {
        timeout(PING, client.batch_execute(ask)).await.map_err(|_| Refusal::Silence(PING))??;
        if !ask.is_empty() {
            call.notify_one();
            ask = "";
        }
        tokio::select! {
            () = tokio::time::sleep(LISTENING) => {}
            _ = &mut mover => {}
        }
    }
    Ok(())
}
