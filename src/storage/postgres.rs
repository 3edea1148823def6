//! `PostgreSQL`: plain threads that each own a connection.
//!
//! The synchronous client starts a runtime of its own and panics inside another, so it lives on these threads only.

use std::{collections::HashMap, time::Duration};

use crossbeam_channel::Receiver;
use postgres::{
    Client, Config, NoTls, Statement, error::Error as PgError, fallible_iterator::FallibleIterator,
    types::ToSql,
};

use super::{
    Error, Message, Result, causes,
    job::{Job, Verdict},
    next,
    sql::{Arm, Tx},
    sqlite::{Started, spawn},
};

/// Connections that write: 16 wrote as fast as a tuned asynchronous pool of 32 (measured); half of it is kept for a
/// server that shares its database with others.
const WRITERS: usize = 8;

/// NOTIFY channel of catalogue changes.
const CHANNEL: &str = "library_catalogue";

/// A connection with its prepared statements.
pub(super) struct Connection {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl Connection {
    fn open(config: &Config) -> Result<Self, PgError> {
        Ok(Self { client: config.connect(NoTls)?, statements: HashMap::new() })
    }

    fn prepared(&mut self, text: &'static str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(text)?;
        self.statements.insert(text, statement.clone());
        Ok(statement)
    }

    pub(super) fn execute(&mut self, text: &'static str, params: &[&(dyn ToSql + Sync)]) -> Result<u64> {
        let statement = self.prepared(text)?;
        Ok(self.client.execute(&statement, params)?)
    }

    pub(super) fn query(
        &mut self,
        text: &'static str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<postgres::Row>> {
        let statement = self.prepared(text)?;
        Ok(self.client.query(&statement, params)?)
    }

    pub(super) fn batch(&mut self, text: &str) -> Result<()> {
        Ok(self.client.batch_execute(text)?)
    }

    /// The one number that a statement without parameters answers.
    pub(super) fn number(&mut self, text: &str) -> Result<i64> {
        Ok(self.client.query_one(text, &[])?.try_get(0)?)
    }
}

fn config(url: &str) -> Result<Config> {
    let mut config: Config = url
        .parse()
        .map_err(|error: PgError| Error::Open(format!("PostgreSQL connection string: {error}")))?;
    config.application_name("library").connect_timeout(Duration::from_secs(5)).options(
        "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=30s -c synchronous_commit=on",
    );
    Ok(config)
}

pub(super) fn start(url: &str, reads: &Receiver<Message>, writes: &Receiver<Message>) -> Result<Started> {
    let config = config(url)?;
    let readers = super::readers();
    let mut threads = Vec::with_capacity(readers + WRITERS);
    for (queue, count, name, writing) in [(reads, readers, "read", false), (writes, WRITERS, "write", true)] {
        for number in 0..count {
            let (queue, config) = (queue.clone(), config.clone());
            threads
                .push(spawn(&format!("postgres-{name}-{number}"), move || serve(&config, &queue, writing))?);
        }
    }
    Ok((threads, (readers, WRITERS)))
}

/// Runs `work` on a connection of its own, outside any transaction, while no other process does the same.
pub(super) fn alone<T: Send>(url: &str, work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send) -> Result<T> {
    let config = config(url)?;
    let run = || {
        let mut connection = Connection::open(&config).map_err(|error| cannot_connect(&error))?;
        // Servers and commands that start together take turns, and a migration takes its time. Behind a table's lock it
        // waits for the usual 10 s only, because the server's readers then wait behind it.
        connection.batch(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0;
             SELECT pg_advisory_lock(7309940713); RESET lock_timeout",
        )?;
        work(&mut Tx::new(Arm::Postgres(&mut connection)))
    };
    // Only a plain thread may hold the client, and the caller may be inside the async runtime.
    std::thread::scope(|scope| scope.spawn(run).join())
        .unwrap_or_else(|_| Err(Error::Open("PostgreSQL: the client panicked".into())))
}

fn cannot_connect(error: &PgError) -> Error {
    Error::Open(format!("PostgreSQL cannot be reached: {}", causes(error)))
}

fn serve(config: &Config, queue: &Receiver<Message>, writing: bool) {
    let mut connection: Option<Connection> = None;
    while let Some(mut job) = next(queue) {
        match begin(config, &mut connection, writing) {
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "no connection to PostgreSQL");
                job.answer(Verdict::Failed(Error::Busy(Some(Box::new(error)))));
            }
            Ok(open) => {
                let verdict = transact(open, job.as_mut(), writing);
                if open.client.is_closed() {
                    connection = None;
                }
                job.answer(verdict);
            }
        }
    }
}

/// A connection with a transaction begun where one is needed. A connection that died unnoticed shows here, before the
/// job ran, so connecting once more is safe.
fn begin<'c>(
    config: &Config,
    connection: &'c mut Option<Connection>,
    writing: bool,
) -> Result<&'c mut Connection, PgError> {
    if let Some(open) = connection.as_mut() {
        // The empty query finds a dead connection out before a read without BEGIN would.
        let alive = open.client.batch_execute(if writing { "BEGIN" } else { "" });
        if alive.is_err() {
            *connection = None;
        }
    }
    if let Some(open) = connection {
        return Ok(open);
    }
    let mut open = Connection::open(config)?;
    if writing {
        open.client.batch_execute("BEGIN")?;
    }
    Ok(connection.insert(open))
}

fn transact(connection: &mut Connection, job: &mut dyn Job, writing: bool) -> Verdict {
    let keep = job.run(&mut Tx::new(Arm::Postgres(connection)));
    if !writing {
        return Verdict::Done;
    }
    if !keep {
        // A failed rollback only means that the connection is gone, and with it the transaction.
        let _ = connection.client.batch_execute("ROLLBACK");
        return Verdict::Done;
    }
    match connection.client.batch_execute("COMMIT") {
        Ok(()) => Verdict::Done,
        Err(error) if error.as_db_error().is_some() => Verdict::Failed(error.into()),
        Err(error) => Verdict::Failed(Error::OutcomeUnknown(Some(Box::new(error)))),
    }
}

/// Listens on a thread of its own for as long as the process lives, reconnecting, and wakes after every (re)connect too:
/// what was told while nobody listened is in the table of changes.
pub(super) fn listen(url: String, wake: impl Fn() + Send + 'static) {
    let started = spawn("postgres-listen", move || {
        let Ok(config) = config(&url) else { return };
        loop {
            if let Err(error) = listen_once(&config, &wake) {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "not listening for catalogue changes"
                );
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    if let Err(error) = started {
        tracing::error!(%error, "catalogue changes of other servers are only seen every few seconds");
    }
}

fn listen_once(config: &Config, wake: &impl Fn()) -> Result<(), PgError> {
    let mut client = config.connect(NoTls)?;
    client.batch_execute(&format!("LISTEN {CHANNEL}"))?;
    wake();
    let mut notifications = client.notifications();
    let mut heard = notifications.blocking_iter();
    // Ends when the connection does.
    while heard.next()?.is_some() {
        wake();
    }
    Ok(())
}
