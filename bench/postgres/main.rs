//! Part of `make bench`: the program on PostgreSQL, with one server and with two, against a raw loop: the statements
//! that read the rows, by the same driver over as many connections. Responses from memory (a repeated page, a search)
//! may beat the loop.

#[path = "../common/mod.rs"]
mod common;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use clap::Parser;
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

use common::{
    figures::{median, note_goal, percentile},
    library::{add_librarian, import_people, import_titles, lend, sign_in},
    lists,
    paths::Paths,
    server::{Server, serve},
    titles::{Random, titles},
    wrk::load,
};

/// Measures the program on PostgreSQL.
#[derive(Parser)]
struct Options {
    /// URL of an empty database.
    #[arg(long, env = "LIBRARY_TEST_POSTGRES")]
    database: String,
    /// Number of titles.
    #[arg(long, env = "BENCH_TITLES", default_value_t = 1_000_000)]
    titles: usize,
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
    #[arg(long, env = "BENCH_LISTS", default_value_t = 100)]
    lists: usize,
    /// CSV file of real titles; by default titles are generated.
    #[arg(long, env = "LIBRARY_REAL_TITLES")]
    real_titles: Option<PathBuf>,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const CONNECTIONS: usize = 32;
/// Goal: p99 of a list, milliseconds.
const LIST: f64 = 20.0;

const COLUMNS: &str = "id, title, author, genre, photo_url, status, no_of_books, location, rating, isbn, published_year, language";

/// Query of the raw loop.
#[derive(Clone, Copy)]
enum Raw {
    /// Books of a page, by id.
    Page,
    OneBook,
    /// First page of open loans with their readers.
    Loans,
    /// First page of people by name.
    People,
    /// Search of open loans by the end of a roll number, without fines and page.
    LoanSearch,
    /// All debts: limit of a list of people by what they owe.
    Debts,
}

impl Raw {
    fn statements(self) -> Vec<String> {
        match self {
            Self::Page => vec![format!("SELECT {COLUMNS} FROM books WHERE id = ANY($1)")],
            Self::OneBook => vec![format!("SELECT {COLUMNS}, description, version FROM books WHERE id = $1")],
            Self::Loans => vec![
                "SELECT loans.id, loans.title, loans.entry_date, loans.return_date, users.name, users.roll_number, users.batch
                 FROM loans JOIN users ON users.id = loans.user_id WHERE loans.ended_at IS NULL
                 ORDER BY loans.return_date, loans.id LIMIT 50"
                    .into(),
            ],
            Self::People => vec![
                "SELECT id, name, roll_number, department, batch FROM users ORDER BY search_key, id LIMIT 50".into(),
            ],
            Self::LoanSearch => vec![
                "SELECT id, return_date, user_id FROM loans
                 WHERE ended_at IS NULL AND return_date >= '' AND search_key LIKE $1"
                    .into(),
                "SELECT loans.id, loans.return_date, loans.user_id FROM users JOIN loans ON loans.user_id = users.id
                 WHERE users.id > 0 AND users.search_key LIKE $1 AND loans.ended_at IS NULL"
                    .into(),
            ],
            Self::Debts => vec![
                "SELECT user_id, return_date FROM loans
                 WHERE ended_at IS NULL AND return_date < CAST(CURRENT_DATE AS TEXT)"
                    .into(),
                "SELECT person_id, balance FROM balances JOIN users ON users.id = person_id
                 WHERE balance <> 0 AND users.gone_at IS NULL"
                    .into(),
            ],
        }
    }

    async fn ask(
        self,
        client: &Client,
        statements: &[Statement],
        random: &mut Random,
        titles: usize,
    ) -> Result<()> {
        let mut id = || i64::try_from(random.below(titles) + 1).unwrap_or(1);
        let count = if matches!(self, Self::Page) { 24 } else { 1 };
        let ids: Vec<i64> = (0..count).map(|_| id()).collect();
        let ending = format!("%{:04}%", random.below(10_000));
        let parameters: &[&(dyn ToSql + Sync)] = match self {
            Self::Page => &[&ids],
            Self::OneBook => &[&ids[0]],
            Self::LoanSearch => &[&ending],
            Self::Loans | Self::People | Self::Debts => &[],
        };
        for statement in statements {
            client.query(statement, parameters).await?;
        }
        Ok(())
    }
}

async fn connect(database: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(database, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Repeats a query over `connections` connections; returns queries per second, and the milliseconds of each.
async fn raw(options: &Options, what: Raw, connections: usize) -> Result<(f64, Vec<f64>)> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        let client = connect(&options.database).await?;
        let mut statements = Vec::new();
        for statement in what.statements() {
            statements.push(client.prepare(&statement).await?);
        }
        clients.push((client, statements));
    }
    let begun = Instant::now();
    let until = begun + Duration::from_secs(options.seconds);
    let (titles, seed) = (options.titles, Arc::new(AtomicUsize::new(1)));
    let working: Vec<_> = clients
        .into_iter()
        .map(|(client, statements)| {
            let seed = Arc::clone(&seed);
            tokio::spawn(async move {
                let mut random =
                    Random::new(u64::try_from(seed.fetch_add(7919, Ordering::Relaxed)).unwrap_or(1));
                let mut times = Vec::new();
                while Instant::now() < until {
                    let asked = Instant::now();
                    what.ask(&client, &statements, &mut random, titles).await?;
                    times.push(asked.elapsed().as_secs_f64() * 1000.0);
                }
                anyhow::Ok(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for client in working {
        times.extend(client.await??);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
    Ok((times.len() as f64 / begun.elapsed().as_secs_f64(), times))
}

/// Returns the requests per second of all servers together; they share the connections.
fn answers(
    options: &Options,
    servers: &[&Server],
    cookie: &str,
    paths: &[String],
    folder: &Path,
) -> Result<f64> {
    std::thread::scope(|scope| {
        let loading: Vec<_> = servers
            .iter()
            .enumerate()
            .map(|(n, server)| {
                let (own, connections) = (folder.join(format!("load-{n}")), CONNECTIONS / servers.len());
                scope.spawn(move || -> Result<f64> {
                    std::fs::create_dir_all(&own)?;
                    let seen =
                        load(&server.address, paths, Some(cookie), connections, options.seconds, &own)?;
                    Ok(seen.per_second)
                })
            })
            .collect();
        loading.into_iter().map(|one| one.join().map_err(|_| anyhow::anyhow!("a load broke off"))?).sum()
    })
}

async fn pages(options: &Options, servers: &[Server; 2], paths: &Paths, folder: &Path) -> Result<()> {
    // Both servers accept the session: they share the database.
    let cookie = sign_in(&servers[0]).await?;
    let first = std::slice::from_ref(&paths.first);
    let kinds: [(&str, Raw, &[String]); 6] = [
        ("catalogue, first page, repeated", Raw::Page, first),
        ("catalogue, any page, title order", Raw::Page, &paths.by_title),
        ("catalogue, any page, newest order", Raw::Page, &paths.newest),
        ("one book", Raw::OneBook, &paths.books),
        ("sixteen searches, repeated", Raw::Page, &paths.searches),
        ("an uncached word", Raw::Page, &paths.words),
    ];
    println!("| What | raw loop a second | one server a second | ratio | two servers a second | ratio |");
    println!("|---|---|---|---|---|---|");
    for (what, statement, paths) in kinds {
        eprintln!("{what}");
        let (mut loops, mut ones, mut twos) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            loops.push(raw(options, statement, CONNECTIONS).await?.0);
            let load = |servers: &[&Server]| {
                tokio::task::block_in_place(|| answers(options, servers, &cookie, paths, folder))
            };
            ones.push(load(&[&servers[0]])?);
            twos.push(load(&[&servers[0], &servers[1]])?);
        }
        let ratios =
            |own: &[f64]| median(&own.iter().zip(&loops).map(|(own, floor)| own / floor).collect::<Vec<_>>());
        println!(
            "| {what} | {:.0} | {:.0} | **{:.2}** | {:.0} | **{:.2}** |",
            median(&loops),
            median(&ones),
            ratios(&ones),
            median(&twos),
            ratios(&twos)
        );
    }
    Ok(())
}

async fn librarian(options: &Options, server: &Server) -> Result<()> {
    let cookie = sign_in(server).await?;
    println!("\n{}", lists::HEAD);
    for (what, statement) in [
        ("raw loop: loans", Raw::Loans),
        ("raw loop: people", Raw::People),
        ("raw loop: loans, the end of a roll number", Raw::LoanSearch),
        ("raw loop: all debts", Raw::Debts),
    ] {
        let (_, times) = raw(options, statement, 1).await?;
        println!("{}", lists::Kind { what: what.into(), times }.row());
    }
    let kinds = lists::measure(server, &cookie, options.students, options.lists).await?;
    for row in lists::slowest_rows(&kinds) {
        println!("{row}");
    }
    let slowest = kinds.iter().max_by(|a, b| a.p99().total_cmp(&b.p99())).context("nothing was asked for")?;
    let what = format!("PostgreSQL, lists, slowest p99: {}", slowest.what);
    note_goal(&what, percentile(&slowest.times, 99), common::figures::Goal::AtMost(LIST), " ms")
}

fn prepare(options: &Options, folder: &Path, entries: &[library::search::Entry]) -> Result<()> {
    add_librarian(&options.program, &options.database)?;
    import_people(&options.program, &options.database, folder, options.students)?;
    let took = import_titles(&options.program, &options.database, folder, entries, 3)?;
    println!("{} titles imported in {:.0} s.\n", entries.len(), took.as_secs_f64());
    lend(&options.database, options.students)
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let entries = titles(options.real_titles.as_deref(), options.titles)?;
    tokio::task::block_in_place(|| prepare(&options, folder.path(), &entries))?;
    // Statistics and visibility map are as current as after a nightly autovacuum.
    connect(&options.database).await?.batch_execute("VACUUM ANALYZE").await?;
    let servers = [
        serve(&options.program, &options.database).await?,
        serve(&options.program, &options.database).await?,
    ];
    pages(&options, &servers, &Paths::of(&entries), folder.path()).await?;
    librarian(&options, &servers[0]).await
}
