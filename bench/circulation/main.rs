//! `make bench-circulation`: borrowing and returning in this process, against a raw loop on a copy of the database.
//!
//! The raw loop writes the rows of a borrow and a return (loan, count of the title, copy, change) with prepared
//! statements, one borrow or 32 per transaction, on one thread. It makes no checks, applies no rules and returns no
//! results. Both sides commit durably (`synchronous = FULL`) and take turns.

#[path = "../common/mod.rs"]
mod common;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use jiff::civil::date;
use library::{
    circulation::{self, Actor, CheckIn, CheckOut, CopyToLend, check_in, check_out},
    domain::{
        account::Role,
        copy::Condition,
        id::{BookId, LoanId, UserId},
        moment::Moment,
        rulebook::Rulebook,
    },
    storage::{
        Db, Location,
        accounts::{self, NewAccount},
    },
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use rusqlite::{Connection, params};

use common::{
    figures::{Goal, median, note_goal},
    server::{run, sqlite},
    titles::Random,
};

/// Measures circulation against a raw loop.
#[derive(Parser)]
struct Options {
    /// Seconds of each measurement.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 2)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
    rounds: usize,
    /// Binary that imports the titles.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const TITLES: i64 = 100_000;
const COPIES: i64 = 3;
/// Title that all clients borrow.
const HOT: i64 = 1;
const HOT_COPIES: i64 = 600;
const STUDENTS: i64 = 1000;

fn moment() -> Moment {
    static TICK: AtomicI64 = AtomicI64::new(1_795_000_000_000);
    Moment { at: TICK.fetch_add(1, Ordering::Relaxed), today: date(2026, 11, 21) }
}

/// Creates a library with titles and students; returns the id of the first student.
fn prepare(program: &Path, folder: &Path, database: &Path) -> Result<i64> {
    let catalogue = folder.join("catalogue.csv");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&catalogue)?);
    writeln!(file, "title,author,description,noOfBooks")?;
    for n in 1..=TITLES {
        let copies = if n == HOT { HOT_COPIES } else { COPIES };
        writeln!(file, "Title {n},Author {},{},{copies}", n % 5000, "of many words ".repeat(12))?;
    }
    file.flush()?;
    let (catalogue, rejected) =
        (catalogue.display().to_string(), folder.join("rejected.csv").display().to_string());
    run(program, &["migrate"], &sqlite(database), "")?;
    run(program, &["import", "books", &catalogue, "--rejected", &rejected], &sqlite(database), "")?;
    let db = Db::open(&Location::Sqlite(database.to_owned()))?;
    let first = db.write_blocking(|tx| -> library::storage::Result<i64> {
        let mut first = 0;
        for n in 0..STUDENTS {
            let student = NewAccount {
                email: format!("student{n}@example.org"),
                name: format!("Student {n}"),
                role: Role::Student,
                roll_number: Some(format!("cs28-{n}")),
                department: Some("Physics".into()),
                batch: Some("2028".into()),
                password_hash: "!".into(),
            };
            let added = accounts::add(tx, &student, 1)?;
            first = if n == 0 { added.map_or(0, |user| user.uid.0) } else { first };
        }
        Ok(first)
    })?;
    db.close();
    Ok(first)
}

/// Figures of a round: borrows and returns per second, and the p99 of a borrow in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Seen {
    per_second: f64,
    p99: f64,
}

fn seen(mut borrows: Vec<Duration>, actions: usize, took: Duration) -> Seen {
    borrows.sort_unstable();
    let p99 = borrows.get(borrows.len() * 99 / 100).copied().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    Seen { per_second: actions as f64 / took.as_secs_f64(), p99: p99.as_secs_f64() * 1000.0 }
}

/// Choice of the titles to borrow.
#[derive(Clone, Copy)]
enum Titles {
    Random,
    Hot,
}

impl Titles {
    fn pick(self, random: &mut Random) -> i64 {
        match self {
            Self::Random => {
                i64::try_from(random.below(usize::try_from(TITLES).unwrap_or(1))).unwrap_or(0) + 1
            }
            Self::Hot => HOT,
        }
    }
}

/// Borrows and returns through circulation, with `clients` concurrent clients.
async fn circulate(db: &Db, clients: i64, titles: Titles, first: i64, time: Duration) -> Result<Seen> {
    static SEED: AtomicU64 = AtomicU64::new(7);
    let begun = Instant::now();
    let working: Vec<_> = (0..clients)
        .map(|client| {
            let db = db.clone();
            tokio::spawn(async move {
                let student = UserId(first + client % STUDENTS);
                let mut random = Random::new(SEED.fetch_add(1, Ordering::Relaxed));
                let mut borrows = Vec::new();
                while begun.elapsed() < time {
                    let book = BookId(titles.pick(&mut random));
                    let asked = Instant::now();
                    let loan = borrow(&db, student, book).await?;
                    borrows.push(asked.elapsed());
                    give_back(&db, student, loan).await?;
                }
                anyhow::Ok(borrows)
            })
        })
        .collect();
    let mut borrows = Vec::new();
    for client in working {
        borrows.extend(client.await??);
    }
    let actions = borrows.len() * 2;
    Ok(seen(borrows, actions, begun.elapsed()))
}

async fn borrow(db: &Db, student: UserId, book: BookId) -> Result<LoanId> {
    let lent = db.write(move |tx| {
        let what = CheckOut { reader: student, copy: CopyToLend::AnyOf(book), overriding: None };
        check_out(tx, Actor::Student(student), moment(), &Rulebook::default(), &what)
            .map(|done| done.loan.id)
            .map_err(circulation::Error::into_storage)
    });
    Ok(lent.await?)
}

async fn give_back(db: &Db, student: UserId, loan: LoanId) -> Result<()> {
    let back = db.write(move |tx| {
        let what = CheckIn { loan, to: Condition::OnShelf, returned_on: None, passing: false, in_hand: None };
        check_in(tx, Actor::Student(student), moment(), &Rulebook::default(), what)
            .map(drop)
            .map_err(circulation::Error::into_storage)
    });
    Ok(back.await?)
}

/// Writes the same rows with prepared statements: `batch` borrows in one transaction, then their returns in another.
fn raw(database: &Path, batch: usize, first: i64, time: Duration) -> Result<Seen> {
    let connection = Connection::open(database)?;
    for (name, value) in [("journal_mode", "WAL"), ("synchronous", "FULL"), ("temp_store", "MEMORY")] {
        connection.pragma_update(None, name, value)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -8 * 1024)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    let mut random = Random::new(99);
    let (begun, mut borrows, mut actions) = (Instant::now(), Vec::new(), 0);
    while begun.elapsed() < time {
        let mut loans = Vec::with_capacity(batch);
        let asked = Instant::now();
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for n in 0..batch {
            let student = first + i64::try_from(n)? % STUDENTS;
            loans.push(raw_borrow(&connection, student, Titles::Random.pick(&mut random))?);
        }
        connection.execute_batch("COMMIT")?;
        borrows.push(asked.elapsed());
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for loan in &loans {
            raw_return(&connection, *loan)?;
        }
        connection.execute_batch("COMMIT")?;
        actions += batch * 2;
    }
    Ok(seen(borrows, actions, begun.elapsed()))
}

/// Ids of a loan, its title, copy and borrower.
type Lent = (i64, i64, i64, i64);

fn raw_borrow(connection: &Connection, student: i64, book: i64) -> Result<Lent> {
    let title: String = connection
        .prepare_cached("SELECT title FROM books WHERE id = ?1")?
        .query_row([book], |row| row.get(0))?;
    let (copy, barcode): (i64, String) = connection
        .prepare_cached(
            "SELECT id, barcode FROM copies AS free WHERE book_id = ?1 AND condition = 'on-shelf'
               AND NOT EXISTS (SELECT 1 FROM loans WHERE copy_id = free.id AND ended_at IS NULL)
             ORDER BY used_at, id LIMIT 1",
        )?
        .query_row([book], |row| Ok((row.get(0)?, row.get(1)?)))?;
    connection
        .prepare_cached("UPDATE books SET no_of_books = no_of_books - 1 WHERE id = ?1 AND no_of_books > 0")?
        .execute([book])?;
    let at = moment().at;
    connection
        .prepare_cached(
            "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days, begun_at)
             VALUES (?1, ?2, ?3, ?4, '2026-11-21', '2026-11-28', 7, ?5)",
        )?
        .execute(params![student, book, title, copy, at])?;
    let loan = connection.last_insert_rowid();
    let change = format!(
        r#"{{"v":1,"kind":"lent","loan":{loan},"title":"{title}","copy":{copy},"barcode":"{barcode}","due":"2026-11-28"}}"#
    );
    raw_change(connection, at, "loan.lend", student, book, &change)?;
    Ok((loan, book, copy, student))
}

fn raw_return(connection: &Connection, (loan, book, copy, student): Lent) -> Result<()> {
    let at = moment().at;
    connection
        .prepare_cached(
            "UPDATE loans SET ended_at = ?2, ended_on = '2026-11-21', ended_by = ?3, restocked = 1, fine = 0 WHERE id = ?1",
        )?
        .execute([loan, at, student])?;
    connection.prepare_cached("UPDATE copies SET used_at = ?2 WHERE id = ?1")?.execute([copy, at])?;
    connection
        .prepare_cached("UPDATE books SET no_of_books = no_of_books + 1 WHERE id = ?1")?
        .execute([book])?;
    let change = format!(r#"{{"v":1,"kind":"returned","loan":{loan},"copy":{copy},"to":"on-shelf"}}"#);
    raw_change(connection, at, "loan.return", student, book, &change)
}

fn raw_change(
    connection: &Connection,
    at: i64,
    action: &str,
    student: i64,
    book: i64,
    change: &str,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO events (at, actor_id, action, person_id, book_id, change) VALUES (?1, ?2, ?3, ?2, ?4, ?5)",
        )?
        .execute(params![at, student, action, book, change])?;
    Ok(())
}

/// Returns the number of commits so far, and of the writes in them.
fn commits(recorded: &PrometheusHandle) -> (f64, f64) {
    let text = recorded.render();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse().ok()).unwrap_or(0.0)
    };
    (value("library_commit_writes_count"), value("library_commit_writes_sum"))
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let recorded = PrometheusBuilder::new().install_recorder()?;
    let folder = tempfile::tempdir()?;
    let (own, loop_) = (folder.path().join("own.db"), folder.path().join("raw.db"));
    let prepared = own.clone();
    let (program, place) = (options.program.clone(), folder.path().to_owned());
    let first = tokio::task::spawn_blocking(move || prepare(&program, &place, &prepared)).await??;
    ensure!(first > 0, "the students were not added");
    std::fs::copy(&own, &loop_)?;
    let location = Location::Sqlite(own);
    let db = tokio::task::spawn_blocking(move || Db::open(&location)).await??;
    let time = Duration::from_secs(options.seconds);

    println!(
        "| Clients | raw loop, loans/s | circulation, loans/s | ratio, median | ratio, lowest to highest | p99 of a borrow, ms | writes per commit | goal |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let rows = [
        (1, 1, Titles::Random, 0.6),
        (32, 32, Titles::Random, 0.6),
        (256, 32, Titles::Random, 0.6),
        (32, 32, Titles::Hot, 0.8),
    ];
    let mut of_32 = f64::NAN;
    for (clients, batch, titles, goal) in rows {
        let (mut ratios, mut floors, mut owns, mut p99s) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let before = commits(&recorded);
        for _ in 0..options.rounds {
            let file = loop_.clone();
            let floor = tokio::task::spawn_blocking(move || raw(&file, batch, first, time)).await??;
            let seen = circulate(&db, clients, titles, first, time).await?;
            ratios.push(seen.per_second / floor.per_second);
            floors.push(floor.per_second);
            owns.push(seen.per_second);
            p99s.push(seen.p99);
        }
        let after = commits(&recorded);
        let writes = (after.1 - before.1) / (after.0 - before.0);
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let own = median(&owns);
        let (name, goal) = match titles {
            Titles::Random => {
                (format!("{clients}, random titles"), format!("{goal:.2} of the loop of {batch}"))
            }
            Titles::Hot => (
                format!("{clients}, all the same title"),
                format!("{goal:.2} of random titles: {:.2}", own / of_32),
            ),
        };
        let (measured, asked) = match titles {
            Titles::Random => (median(&ratios), 0.6),
            Titles::Hot => (own / of_32, 0.8),
        };
        note_goal(&format!("Circulation, share of a raw loop: {name}"), measured, Goal::AtLeast(asked), "")?;
        if clients == 32 && matches!(titles, Titles::Random) {
            of_32 = own;
        }
        println!(
            "| {name} | {:.0} | {own:.0} | **{:.2}** | {least:.2} to {most:.2} | {:.1} | {writes:.1} | {goal} |",
            median(&floors),
            median(&ratios),
            median(&p99s)
        );
    }
    println!(
        "\nEach commit costs one fsync of the write-ahead log; a checkpoint, after every 4000 pages, costs two more."
    );
    tokio::task::spawn_blocking(move || db.close()).await.context("the database closes")?;
    run(&options.program, &["doctor"], &sqlite(&folder.path().join("own.db")), "")
        .context("the ledger laws hold afterwards")?;
    Ok(())
}
