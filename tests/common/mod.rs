//! Databases for tests: each test has its own, on SQLite or PostgreSQL.

use std::sync::atomic::{AtomicUsize, Ordering};

use library::storage::{Db, Location};
use tempfile::TempDir;

/// A database that exists for one test: a file in its own folder, or a database in the cluster of the test run.
pub struct Database {
    /// Location of the database.
    pub location: Location,
    _folder: Option<TempDir>,
    _cluster: Option<Cluster>,
}

/// A database of the test cluster, dropped with the test.
struct Cluster {
    url: String,
    name: String,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = in_postgres(&self.url, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

/// Creates a folder that is deleted with the test, in memory if the system has a place for it, because tests wait for each
/// commit to reach the disk.
pub fn folder() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if let Ok(folder) = tempfile::tempdir_in(memory) {
        return folder;
    }
    tempfile::tempdir().expect("a temporary folder")
}

/// Runs this on another thread: the `PostgreSQL` client panics inside the async runtime.
pub fn on_a_plain_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns the URL of the test run's cluster.
pub fn cluster() -> String {
    std::env::var("LIBRARY_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!(
            "LIBRARY_TEST_POSTGRES does not name a PostgreSQL server for the tests: run them through make test, or \
             scripts/with-postgres cargo nextest run"
        )
    })
}

/// Runs one statement on a database of the cluster with the bare driver; returns every cell as text.
pub fn in_postgres(url: &str, statement: &str) -> Result<Vec<Vec<Option<String>>>, String> {
    on_a_plain_thread(|| {
        let mut client =
            postgres::Client::connect(url, postgres::NoTls).map_err(|error| error.to_string())?;
        let messages = client.simple_query(statement).map_err(|error| {
            error.as_db_error().map_or_else(|| error.to_string(), |told| told.message().to_owned())
        })?;
        Ok(messages
            .into_iter()
            .filter_map(|message| match message {
                postgres::SimpleQueryMessage::Row(row) => {
                    Some((0..row.len()).map(|column| row.get(column).map(ToOwned::to_owned)).collect())
                }
                _ => None,
            })
            .collect())
    })
}

/// Runs one statement on a file with the bare driver; returns every cell as text.
pub fn in_sqlite(path: &std::path::Path, statement: &str) -> Result<Vec<Vec<Option<String>>>, String> {
    let connection = rusqlite::Connection::open(path).map_err(|error| error.to_string())?;
    let ask = || -> rusqlite::Result<Vec<Vec<Option<String>>>> {
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        let mut prepared = connection.prepare(statement)?;
        let columns = prepared.column_count();
        // Parameters are left unbound: a plan needs none.
        let mut rows = prepared.raw_query();
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let cell = |column| -> rusqlite::Result<Option<String>> {
                use rusqlite::types::Value;
                Ok(match row.get::<_, Value>(column)? {
                    Value::Null => None,
                    Value::Integer(number) => Some(number.to_string()),
                    Value::Text(text) => Some(text),
                    other => Some(format!("{other:?}")),
                })
            };
            all.push((0..columns).map(cell).collect::<rusqlite::Result<_>>()?);
        }
        Ok(all)
    };
    ask().map_err(|error| error.to_string())
}

impl Database {
    /// Creates an empty SQLite database.
    pub fn sqlite() -> Self {
        Self::sqlite_in(folder())
    }

    /// Creates an empty SQLite database in this folder.
    pub fn sqlite_in(folder: TempDir) -> Self {
        Self {
            location: Location::Sqlite(folder.path().join("library.db")),
            _folder: Some(folder),
            _cluster: None,
        }
    }

    /// Creates an empty database in the cluster named by `LIBRARY_TEST_POSTGRES`.
    pub fn postgres() -> Self {
        Self::postgres_in(cluster())
    }

    /// Creates an empty database in this cluster.
    pub fn postgres_in(url: String) -> Self {
        Self::of_template(url, "")
    }

    /// Creates a database in this cluster, with this clause of `CREATE DATABASE`. Copied by file it is there in a quarter of
    /// the time (26 ms instead of 119, PostgreSQL 15).
    pub fn of_template(url: String, template: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("library_test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        in_postgres(&url, &format!("CREATE DATABASE {name} {template} STRATEGY FILE_COPY"))
            .expect("a fresh database in the test cluster");
        let mut own = url::Url::parse(&url).expect("LIBRARY_TEST_POSTGRES is a URL");
        own.set_path(&name);
        Self {
            location: Location::Postgres(own.into()),
            _folder: None,
            _cluster: Some(Cluster { url, name }),
        }
    }

    /// Opens the database as the program does.
    pub fn open(&self) -> Db {
        Db::open(&self.location).expect("a fresh database opens")
    }

    /// Runs one statement with the bare driver, beside the program; returns every cell as text.
    pub fn raw(&self, statement: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        match &self.location {
            Location::Sqlite(path) => in_sqlite(path, statement),
            Location::Postgres(url) => in_postgres(url, statement),
        }
    }
}
