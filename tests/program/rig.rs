//! Common parts of the rigs: borrowers under load, and the system's tools (docs/reliability.md).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use library::storage::Location;

use crate::{common::Database, process::ask};

/// Returns the number of rounds of a rig: `gate`, multiplied by `LIBRARY_TEST_SOAK` in `make soak`.
pub fn rounds(gate: usize) -> usize {
    std::env::var("LIBRARY_TEST_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(gate)
}

/// Runs a tool of the system; fails with its output, or if it is missing.
pub fn tool(program: &str, arguments: &[&str]) -> Result<(), String> {
    #[expect(clippy::disallowed_methods, reason = "the server starts no other program, but its rigs do")]
    let ended = std::process::Command::new(program).args(arguments).output();
    let ended = ended.map_err(|error| format!("{program}: {error}"))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&ended.stderr).trim()))
}

/// Reports that this machine cannot run a rig. `make test` prints the report at its end.
pub fn not_run(rig: &str, why: &str) {
    let told = format!("{rig} was not run: {why}");
    eprintln!("{told}");
    let note = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("not-run-{rig}.txt"));
    std::fs::write(note, told + "\n").expect("written");
}

/// Returns the file of a database.
pub fn path(database: &Database) -> &Path {
    match &database.location {
        Location::Sqlite(path) => path,
        Location::Postgres(_) => panic!("a server has no file"),
    }
}

/// Waits until the condition holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        // Beside other programs, 20 s were too short for a debug build to read the largest catalogue.
        assert!(begun.elapsed() < Duration::from_mins(1), "{what} did not come to pass");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Answers that borrowers got.
#[derive(Default)]
pub struct Load {
    lent: Mutex<BTreeSet<i64>>,
    twice: AtomicUsize,
    others: Mutex<BTreeMap<u16, usize>>,
    over: AtomicBool,
}

impl Load {
    /// Borrows the book repeatedly, each thread as one reader, while `during` runs. A thread without an answer keeps trying
    /// until the end.
    pub fn during(&self, port: u16, book: i64, cookies: &[String], during: impl FnOnce()) {
        self.over.store(false, Ordering::Relaxed);
        let path = format!("/books/{book}/loans");
        std::thread::scope(|scope| {
            for cookie in cookies {
                scope.spawn(|| {
                    while !self.over.load(Ordering::Relaxed) {
                        match ask(port, "POST", &path, cookie, None) {
                            Some((201, loan)) => {
                                let id = loan["id"].as_i64().expect("an id");
                                if !self.lent.lock().expect("no panic").insert(id) {
                                    self.twice.fetch_add(1, Ordering::Relaxed);
                                }
                            }
                            Some((status, _)) => {
                                *self.others.lock().expect("no panic").entry(status).or_default() += 1;
                            }
                            None => std::thread::sleep(Duration::from_millis(1)),
                        }
                    }
                });
            }
            let _ended = Ended(&self.over);
            during();
        });
    }

    /// Waits until more than this many loans were answered 201.
    pub fn until_more_than(&self, loans: usize) {
        let begun = Instant::now();
        while self.lent().len() <= loans {
            let (lent, others) = (self.lent().len(), self.others());
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "{lent} loans of {loans}; other answers: {others:?}"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns the loans that were answered 201.
    pub fn lent(&self) -> BTreeSet<i64> {
        self.lent.lock().expect("no panic").clone()
    }

    /// Returns how often a 201 repeated the number of an earlier loan, which is lost then.
    pub fn twice(&self) -> usize {
        self.twice.load(Ordering::Relaxed)
    }

    /// Counts the other answers by status.
    pub fn others(&self) -> BTreeMap<u16, usize> {
        self.others.lock().expect("no panic").clone()
    }
}

/// Sets the flag when dropped, also in a panic, so that no thread waits for ever.
pub struct Ended<'a>(pub &'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns the loans in the database, after checking the file.
pub fn kept(database: &Database) -> BTreeSet<i64> {
    assert_eq!(database.raw("PRAGMA integrity_check"), Ok(vec![vec![Some("ok".to_owned())]]));
    assert_eq!(database.raw("PRAGMA foreign_key_check"), Ok(vec![]));
    let ids = database.raw("SELECT id FROM loans").expect("readable");
    ids.into_iter().flatten().flatten().filter_map(|id| id.parse().ok()).collect()
}
