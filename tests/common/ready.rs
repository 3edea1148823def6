//! Databases with the current schema, copied from one that the first test of this schema makes: to apply every version
//! takes longer than most tests.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

use library::storage::{Db, Location, migrate::MIGRATIONS};

use crate::common::{Database, cluster, folder, on_a_plain_thread};

/// Fingerprint of the schema: databases of an earlier one are not used.
fn schema() -> u64 {
    let mut hasher = DefaultHasher::new();
    for one in MIGRATIONS {
        (one.name, one.sqlite, one.postgres).hash(&mut hasher);
    }
    hasher.finish()
}

/// Path of a file with the current schema, which this test makes if it is the first. Two tests at once make two; the
/// later one is left.
fn ready_file() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ready-{:x}.db", schema()));
    if !path.exists() {
        let empty = Database::sqlite();
        empty.open().close();
        let own = path.with_extension(std::process::id().to_string());
        empty.raw(&format!("VACUUM INTO '{}'", own.display())).expect("written");
        std::fs::rename(&own, &path).expect("renamed");
    }
    path
}

/// Makes a database to copy, unless another test has. A lock keeps two tests from making it at once.
fn make_template(url: &str, name: &str) {
    let mut client = postgres::Client::connect(url, postgres::NoTls).expect("the test cluster answers");
    let is_there = |client: &mut postgres::Client| {
        let found =
            client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate", &[&name]);
        found.expect("asked").is_some()
    };
    if is_there(&mut client) {
        return;
    }
    client.batch_execute("SELECT pg_advisory_lock(0)").expect("locked");
    if is_there(&mut client) {
        return;
    }
    // A test that was stopped may have left one half made.
    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).expect("dropped");
    client.batch_execute(&format!("CREATE DATABASE {name}")).expect("made");
    let mut own = url::Url::parse(url).expect("LIBRARY_TEST_POSTGRES is a URL");
    own.set_path(name);
    Db::open(&Location::Postgres(own.into())).expect("a fresh database opens").close();
    client.batch_execute(&format!("ALTER DATABASE {name} IS_TEMPLATE true")).expect("marked");
}

impl Database {
    /// Creates a SQLite database with the current schema.
    pub fn ready_sqlite() -> Self {
        let folder = folder();
        std::fs::copy(ready_file(), folder.path().join("library.db")).expect("copied");
        Self::sqlite_in(folder)
    }

    /// Creates a PostgreSQL database with the current schema.
    pub fn ready_postgres() -> Self {
        let url = cluster();
        let template = format!("library_ready_{:x}", schema());
        on_a_plain_thread(|| make_template(&url, &template));
        Self::of_template(url, &format!("TEMPLATE {template}"))
    }
}
