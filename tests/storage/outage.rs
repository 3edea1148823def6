//! A slow, silent, disconnected or full database: the error, its delay, and recovery.

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use library::{
    sql,
    storage::{Db, Error, Location, Options, Result, Tx, books},
};

use crate::{Store, common::Database, form, relay::Relay};

on_both_databases!(
    statements_of_a_snapshot_agree_s5,
    too_many_requests_and_those_that_waited_too_long_are_refused_s36,
    what_was_acknowledged_is_on_the_disk_s36,
);

/// A store whose connection to `PostgreSQL` the test can break.
struct Remote {
    relay: Relay,
    store: Store,
}

impl Remote {
    fn new() -> Self {
        Self::with(Options::default())
    }

    fn with(options: Options) -> Self {
        let database = Database::postgres();
        let Location::Postgres(url) = &database.location else { panic!("PostgreSQL") };
        let relay = Relay::to(url);
        let db = Db::open_with(&Location::Postgres(relay.url()), options).expect("the relay works");
        let store = Store { db, database };
        store.book("Before", 1);
        Self { relay, store }
    }

    /// Reads the titles around the relay.
    fn titles(&self) -> Vec<String> {
        let rows = self.store.database.raw("SELECT title FROM books ORDER BY id").expect("readable");
        rows.into_iter().flatten().flatten().collect()
    }

    fn end_all_backends(&self) {
        self.store
            .database
            .raw(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .expect("allowed");
    }
}

fn add(tx: &mut Tx<'_>, title: &str) -> Result<()> {
    books::add(tx, &form(title, 1), None, 1).map(|_| ())
}

fn health(db: &Db) -> (std::result::Result<(), String>, Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let begun = Instant::now();
    (runtime.block_on(db.health()), begun.elapsed())
}

/// Waits until the condition holds, as long as an operator would.
fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{what} did not come to pass");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn refused<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Busy(_) | Error::Unavailable(_)))
}

#[test]
fn a_silent_path_costs_seconds_then_nothing_and_heals_p7() {
    let remote = Remote::new();
    let db = &remote.store.db;
    assert_eq!(health(db).0, Ok(()));
    remote.relay.freeze();

    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(refused(&db.write_blocking(|tx| add(tx, "never")))));
            scope.spawn(|| assert!(refused(&db.read_blocking(books::count))));
        }
        let (told, took) = health(db);
        assert!(told.is_err() && took < Duration::from_secs(2), "{told:?} after {took:?}");
    });
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());

    // Every thread knows of the outage or notices it once: at most one try per second blocks.
    let begun = Instant::now();
    for _ in 0..100 {
        assert!(refused(&db.read_blocking(books::count)));
        assert!(refused(&db.write_blocking(|tx| add(tx, "never"))));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());

    remote.relay.thaw();
    soon("healing", || db.read_blocking(books::count).ok() == Some(1) && health(db).0.is_ok());
    soon("writing", || db.write_blocking(|tx| add(tx, "After")).is_ok());
    assert_eq!(remote.titles(), ["Before", "After"], "what was refused did not happen");
}

#[test]
fn a_database_behind_a_silent_path_can_be_closed_p7() {
    let remote = Remote::new();
    remote.relay.freeze();
    let db = remote.store.db.clone();
    let asking: Vec<_> = (0..20)
        .map(|n| {
            let db = db.clone();
            std::thread::spawn(move || db.write_blocking(move |tx| add(tx, &format!("never {n}"))))
        })
        .collect();
    let begun = Instant::now();
    db.close();
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    assert!(asking.into_iter().all(|thread| thread.join().expect("no panic").is_err()));
}

#[test]
fn a_connection_that_ended_between_two_jobs_costs_nobody_anything() {
    let remote = Remote::new();
    for end in [Remote::end_all_backends, |remote: &Remote| remote.relay.cut()] {
        for _ in 0..3 {
            end(&remote);
            for _ in 0..20 {
                assert!(remote.store.read(books::count) > 0);
                assert!(remote.store.write(|tx| books::take_copy(tx, 999_999.into())).is_none());
            }
        }
    }
}

#[test]
fn a_connection_that_ends_during_a_job_stores_nothing_and_is_told_as_busy_s9() {
    let remote = Arc::new(Remote::new());
    for end in [Remote::end_all_backends, |remote: &Remote| remote.relay.cut()] {
        let breaking = Arc::clone(&remote);
        let outcome = remote.store.db.write_blocking(move |tx| {
            add(tx, "undone")?;
            end(&breaking);
            add(tx, "never")
        });
        assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
        let breaking = Arc::clone(&remote);
        let outcome = remote.store.db.read_blocking(move |tx| {
            books::count(tx)?;
            end(&breaking);
            books::count(tx)
        });
        assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
    }
    remote.store.write(|tx| add(tx, "After"));
    assert_eq!(remote.titles(), ["Before", "After"]);
}

#[test]
fn a_commit_whose_answer_is_lost_is_told_as_unknown_and_may_have_happened_s36() {
    let remote = Remote::new();
    remote.relay.lose_answers_to_commit(true);
    let outcome = remote.store.db.write_blocking(|tx| add(tx, "Stored"));
    assert!(matches!(outcome, Err(Error::OutcomeUnknown(_))), "{outcome:?}");
    soon("the commit", || remote.titles() == ["Before", "Stored"]);
    remote.relay.lose_answers_to_commit(false);
    remote.store.write(|tx| add(tx, "After"));
}

#[test]
fn what_others_hold_for_long_is_told_as_busy_within_seconds_s9() {
    let remote = Remote::new();
    std::thread::scope(|scope| {
        let hold = "BEGIN; LOCK TABLE catalogue; SELECT pg_sleep(6); COMMIT";
        scope.spawn(|| remote.store.database.raw(hold).expect("allowed"));
        let held =
            "SELECT COUNT(*) FROM pg_locks WHERE relation = 'catalogue'::regclass AND mode LIKE 'Access%'";
        soon("the lock", || {
            remote.store.database.raw(held).is_ok_and(|rows| rows[0][0].as_deref() == Some("1"))
        });
        let begun = Instant::now();
        let outcome = remote.store.db.write_blocking(|tx| add(tx, "never"));
        assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        let (told, took) = health(&remote.store.db);
        assert!(told.is_err() && took < Duration::from_secs(2), "{told:?} after {took:?}");
    });
    let begun = Instant::now();
    let slow = remote.store.db.read_blocking(|tx| tx.execute(sql!("SELECT CAST(pg_sleep(20) AS TEXT)"), &[]));
    assert!(matches!(slow, Err(Error::Busy(_))), "{slow:?}");
    assert!(begun.elapsed() < Duration::from_secs(7), "{:?}", begun.elapsed());
    remote.store.write(|tx| add(tx, "After"));
}

fn statements_of_a_snapshot_agree_s5(store: &Store) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let other = store.db.clone();
    let (before, after) = runtime
        .block_on(store.db.snapshot(move |tx| {
            let before = books::count(tx)?;
            other.write_blocking(|tx| add(tx, "Meanwhile"))?;
            Ok::<_, Error>((before, books::count(tx)?))
        }))
        .expect("the snapshot answers");
    assert_eq!((before, after), (0, 0));
    assert_eq!(store.read(books::count), 1);
}

fn too_many_requests_and_those_that_waited_too_long_are_refused_s36(store: &Store) {
    let db =
        Db::open_with(&store.database.location, Options { readers: 1, writers: 1 }).expect("opens again");
    let (go, wait) = mpsc::channel::<()>();
    let holding = db.clone();
    let holder = std::thread::spawn(move || {
        holding.write_blocking(move |tx| {
            let _ = wait.recv_timeout(Duration::from_secs(20));
            add(tx, "Held")
        })
    });
    std::thread::sleep(Duration::from_millis(300));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        // The queue is bounded; the next caller is refused at once.
        let mut waiting = Vec::new();
        let begun = Instant::now();
        let full = loop {
            let mut write = Box::pin(db.write(|tx| add(tx, "waited")));
            tokio::select! {
                biased;
                outcome = &mut write => break outcome,
                () = std::future::ready(()) => waiting.push(write),
            }
            assert!(waiting.len() <= 10_000, "the queue has no end");
        };
        assert!(matches!(full, Err(Error::Busy(_))), "{full:?}");
        assert!(waiting.len() >= 1000 && begun.elapsed() < Duration::from_secs(4), "{}", waiting.len());
        // Jobs that waited too long fail as soon as the database moves again, and are not run.
        tokio::time::sleep(Duration::from_secs(6).saturating_sub(begun.elapsed())).await;
        go.send(()).expect("it waits");
        for write in waiting {
            assert!(matches!(write.await, Err(Error::Busy(_))));
        }
    });
    assert!(holder.join().expect("no panic").is_ok());
    db.close();
    assert_eq!(store.read(books::count), 1);
}

/// On a memory disk a missing fsync would go unnoticed, so the settings of the writing connection are checked.
fn what_was_acknowledged_is_on_the_disk_s36(store: &Store) {
    let told = store.write(|tx| {
        let asked = if tx.is_postgres() {
            [sql!("SHOW synchronous_commit"), sql!("SHOW server_encoding")]
        } else {
            // FULL is 2.
            [sql!("SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous"), sql!("PRAGMA journal_mode")]
        };
        let ask = |tx: &mut Tx<'_>, sql| tx.query_one(sql, &[], |row| row.get::<String>(0));
        Ok([ask(tx, asked[0])?, ask(tx, asked[1])?])
    });
    let expected =
        if matches!(store.database.location, Location::Postgres(_)) { ["on", "UTF8"] } else { ["2", "wal"] };
    assert_eq!(told, expected);
}

/// One long read per reader blocked all reads. `PostgreSQL` is tested above.
#[test]
fn a_read_that_takes_too_long_is_ended_on_sqlite_and_its_thread_reads_on() {
    let database = Database::sqlite();
    let db = Db::open_with(&database.location, Options { readers: 1, writers: 1 }).expect("it opens");
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let endless: Result<i64> = runtime.block_on(db.read(|tx| {
        let count = sql!(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
             SELECT COUNT(*) FROM numbers WHERE n < 0"
        );
        tx.query_one(count, &[], |row| row.get(0))
    }));
    let took = begun.elapsed();
    assert!(matches!(endless, Err(Error::Busy(_))), "{endless:?}");
    assert!((Duration::from_secs(4)..Duration::from_secs(12)).contains(&took), "{took:?}");
    for _ in 0..3 {
        assert_eq!(runtime.block_on(db.read(books::count)).ok(), Some(0));
    }
    db.close();
}
