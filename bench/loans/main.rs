//! Part of `make bench`: loans over HTTP. Students borrow and return over 32 connections, each answered after its
//! commit; then one client requests the librarian's lists, with 100 000 open loans of 50 000 students.

#[path = "../common/mod.rs"]
mod common;

use std::{
    hint::black_box,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use clap::Parser;
use rusqlite::{Connection, OpenFlags};

use common::{
    client::Connection as Client,
    figures::{Goal, median, note_goal, percentile},
    library::{add_librarian, import_people, import_titles, lend, pair, register, sign_in},
    lists,
    server::{Server, run, serve_with_metrics, sqlite},
    titles::titles,
};

/// Measures loans over HTTP and the librarian's lists.
#[derive(Parser)]
struct Options {
    /// Number of students, each with two books on loan.
    #[arg(long, env = "BENCH_STUDENTS", default_value_t = 50_000)]
    students: usize,
    /// Seconds of each measurement.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 2)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
    rounds: usize,
    /// Number of requests for each list.
    #[arg(long, env = "BENCH_LISTS", default_value_t = 200)]
    lists: usize,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const CONNECTIONS: usize = 32;
/// Goal: pairs of a borrow and a return per second.
const PAIRS: f64 = 3000.0;
/// Goal: p99 of a list, milliseconds.
const LIST: f64 = 20.0;
/// Titles per student: two on loan, two free.
const TITLES_EACH: usize = 4;

/// Borrows and returns until `until`; returns the milliseconds of each pair.
async fn pairs(
    address: String,
    cookie: String,
    turns: Arc<AtomicU64>,
    titles: u64,
    until: Instant,
) -> Result<Vec<f64>> {
    let mut connection = Client::open(&address).await?;
    let mut took = Vec::new();
    while Instant::now() < until {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        let book = turn.wrapping_mul(61_803) % titles + 1;
        let begun = Instant::now();
        pair(&mut connection, &address, &cookie, book, &turn.to_string()).await?;
        took.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(took)
}

async fn measure_pairs(options: &Options, server: &Server, titles: usize) -> Result<()> {
    let mut cookies = Vec::new();
    for n in 0..CONNECTIONS {
        cookies.push(register(server, n).await?);
    }
    let turns = Arc::new(AtomicU64::new(0));
    let (mut rates, mut times, mut commits, mut writes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        let before = server.commits().await?;
        let begun = Instant::now();
        let until = begun + Duration::from_secs(options.seconds);
        let titles = u64::try_from(titles)?;
        let working: Vec<_> = cookies
            .iter()
            .map(|cookie| {
                let (address, turns) = (server.address.clone(), Arc::clone(&turns));
                tokio::spawn(pairs(address, cookie.clone(), turns, titles, until))
            })
            .collect();
        let mut round = Vec::new();
        for client in working {
            round.extend(client.await??);
        }
        let (after, took) = (server.commits().await?, begun.elapsed().as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        rates.push(round.len() as f64 / took);
        commits.push((after.0 - before.0) / took);
        writes.push((after.1 - before.1) / (after.0 - before.0));
        times.extend(round);
    }
    let rate = median(&rates);
    println!("| Pairs a second | p50 of a pair, ms | p99 ms | commits a second | writes a commit | goal |");
    println!("|---|---|---|---|---|---|");
    println!(
        "| **{rate:.0}** | {:.1} | {:.1} | {:.0} | {:.1} | {PAIRS} |",
        median(&times),
        percentile(&times, 99),
        median(&commits),
        median(&writes)
    );
    println!(
        "\nA pair is a borrow and a return, which are two requests; each commit is one fsync of the log.\n"
    );
    note_goal("Borrow and return over HTTP, 32 connections, pairs", rate, Goal::AtLeast(PAIRS), " a second")
}

/// Measures the search of open loans by `SQLite` alone, without server, fines and page: the limit of a list that reads the
/// database.
fn bare_search(file: &Path, times: usize) -> Result<String> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut keys = connection.prepare(
        "SELECT id, return_date, user_id FROM loans INDEXED BY words_of_open_loans
         WHERE ended_at IS NULL AND return_date >= '' AND search_key LIKE ?1",
    )?;
    let mut readers = connection.prepare(
        "SELECT loans.id, loans.return_date, loans.user_id FROM users CROSS JOIN loans
         WHERE users.id > 0 AND users.search_key LIKE ?1 AND loans.user_id = users.id AND loans.ended_at IS NULL",
    )?;
    let mut took = Vec::with_capacity(times);
    for n in 0..times {
        let begun = Instant::now();
        for statement in [&mut keys, &mut readers] {
            let mut rows = statement.query([format!("%{:04}%", n * 331 % 10_000)])?;
            while rows.next()?.is_some() {}
        }
        took.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let (middle, p99) = (median(&took), percentile(&took, 99));
    Ok(format!(
        "The search by the end of a roll number, by SQLite alone: median {middle:.1} ms, p99 {p99:.1} ms."
    ))
}

/// Measures the reading of all debts by `SQLite` alone: the limit of a list of people by what they owe.
fn bare_debts(file: &Path, times: usize) -> Result<String> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut overdue = connection.prepare(
        "SELECT user_id, return_date FROM loans WHERE ended_at IS NULL AND return_date < date('now')",
    )?;
    let mut balances = connection.prepare(
        "SELECT person_id, balance FROM balances JOIN users ON users.id = person_id
         WHERE balance <> 0 AND users.gone_at IS NULL",
    )?;
    let mut took = Vec::with_capacity(times);
    for _ in 0..times {
        let begun = Instant::now();
        let mut rows = overdue.query([])?;
        while let Some(row) = rows.next()? {
            black_box((row.get_ref(0)?, row.get_ref(1)?));
        }
        let mut rows = balances.query([])?;
        while let Some(row) = rows.next()? {
            black_box((row.get_ref(0)?, row.get_ref(1)?));
        }
        took.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    let (middle, p99) = (median(&took), percentile(&took, 99));
    Ok(format!("All debts, by SQLite alone: median {middle:.1} ms, p99 {p99:.1} ms."))
}

async fn measure_lists(options: &Options, server: &Server, file: &Path) -> Result<()> {
    let cookie = sign_in(server).await?;
    let kinds = lists::measure(server, &cookie, options.students, options.lists).await?;
    let (loans, students) = (options.students * 2, options.students);
    println!(
        "{loans} open loans of {students} students, one client; the slowest of {} lists.\n",
        kinds.len()
    );
    println!("{}", lists::HEAD);
    for row in lists::slowest_rows(&kinds) {
        println!("{row}");
    }
    println!("\n{}", bare_search(file, options.lists)?);
    println!("{}", bare_debts(file, options.lists)?);
    for list in ["loans", "people"] {
        let slowest = kinds
            .iter()
            .filter(|kind| kind.what.starts_with(list))
            .max_by(|a, b| a.p99().total_cmp(&b.p99()));
        if let Some(kind) = slowest {
            let what = format!("Lists, slowest p99: {}", kind.what);
            note_goal(&what, kind.p99(), Goal::AtMost(LIST), " ms")?;
        }
    }
    Ok(())
}

fn prepare(options: &Options, database: &str, folder: &Path, count: usize) -> Result<()> {
    add_librarian(&options.program, database)?;
    import_people(&options.program, database, folder, options.students)?;
    import_titles(&options.program, database, folder, &titles(None, count)?, 3)?;
    lend(database, options.students)
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("loans.db");
    let database = sqlite(&file);
    let count = options.students * TITLES_EACH;
    tokio::task::block_in_place(|| prepare(&options, &database, folder.path(), count))?;
    let server = serve_with_metrics(&options.program, &database).await?;
    println!("### Pairs of a borrow and a return\n");
    measure_pairs(&options, &server, count).await?;
    println!("### The lists of the librarian\n");
    measure_lists(&options, &server, &file).await?;
    drop(server);
    run(&options.program, &["doctor"], &database, "").context("the ledger laws hold afterwards")?;
    Ok(())
}
