//! `make bench-peers`: compares the program with `PocketBase` and a small Express app, with the same titles.

#[path = "../common/mod.rs"]
mod common;
mod others;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use library::search::Entry;

use common::{
    client::Connection,
    figures::median,
    library::{API, add_librarian, import_titles, pair, register},
    paths::{newest_cursor, search},
    server::{Server, serve, sqlite},
    titles::{Random, titles},
    wrk::load,
};
use others::{Rows, express, express_pair, pocketbase, pocketbase_pair};

/// Compares the program with others.
#[derive(Parser)]
struct Options {
    /// Folder of `PocketBase` and the Node modules.
    #[arg(long)]
    peers: PathBuf,
    /// Number of titles.
    #[arg(long, env = "BENCH_TITLES", default_value_t = 100_000)]
    titles: usize,
    /// Seconds of each measurement.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 5)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 3)]
    rounds: usize,
    /// CSV file of real titles; by default titles are generated.
    #[arg(long, env = "LIBRARY_REAL_TITLES")]
    real_titles: Option<PathBuf>,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const CONNECTIONS: usize = 32;
const COPIES: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Own,
    PocketBase,
    Express,
}

/// Running program.
struct Peer {
    who: Who,
    name: &'static str,
    server: Server,
    /// Sessions of the students; the other programs need no sign-in.
    cookies: Vec<String>,
    /// Responses per second for each row of the table, and fsyncs per pair.
    found: Vec<f64>,
    fsyncs: f64,
}

/// Reads, in the order of the table.
const READ: [&str; 4] =
    ["any page, with the total", "`harry`, with the total", "a new word, with the total", "one book"];

impl Peer {
    fn paths(&self, titles: usize) -> [Vec<String>; 4] {
        let mut random = Random::new(17);
        let mut some = |path: &dyn Fn(&mut Random) -> String| (0..5000).map(|_| path(&mut random)).collect();
        let id = move |random: &mut Random| random.below(titles) + 1;
        let page = move |random: &mut Random| random.below(titles / 24);
        match self.who {
            Who::Own => [
                // Pages need a cursor; in newest order it is made from an id alone.
                some(&|random| {
                    format!(
                        "{API}/books?field=any&sort=newest&limit=24&cursor={}",
                        newest_cursor(i64::try_from(id(random)).unwrap_or(1))
                    )
                }),
                vec![search("harry")],
                some(&|random| search(&random.word(3))),
                some(&|random| format!("{API}/books/{}", id(random))),
            ],
            Who::PocketBase => {
                let found = |word: &str| {
                    format!(
                        "/api/collections/books/records?perPage=24&sort=title&filter=(title~%27{word}%27||author~%27{word}%27)"
                    )
                };
                [
                    some(&|random| {
                        format!(
                            "/api/collections/books/records?perPage=24&sort=title&page={}",
                            page(random) + 1
                        )
                    }),
                    vec![found("harry")],
                    some(&|random| found(&random.word(3))),
                    some(&|random| {
                        format!("/api/collections/books/records/{}", others::pocketbase_id(id(random)))
                    }),
                ]
            }
            Who::Express => [
                some(&|random| format!("/books?page={}", page(random))),
                vec!["/books?q=harry".into()],
                some(&|random| format!("/books?q={}", random.word(3))),
                some(&|random| format!("/books/{}", id(random))),
            ],
        }
    }

    /// Waits until the server has finished abandoned requests, so that they do not slow the next program.
    async fn drain(&self, path: &str) -> Result<()> {
        let mut connection = Connection::open(&self.server.address).await?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.server.address);
        let answer = connection.send(&request).await?;
        ensure!(answer.status == 200, "{} answered {}", self.name, answer.status);
        Ok(())
    }

    /// Borrows and returns over all connections; returns pairs per second, and their number.
    async fn pairs(&self, options: &Options, turns: &Arc<AtomicU64>) -> Result<(f64, u64)> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs(options.seconds);
        let titles = u64::try_from(options.titles)?;
        let working: Vec<_> = (0..CONNECTIONS)
            .map(|n| {
                let (address, who, turns) = (self.server.address.clone(), self.who, Arc::clone(turns));
                let cookie = self.cookies.get(n).cloned().unwrap_or_default();
                tokio::spawn(async move {
                    let mut connection = Connection::open(&address).await?;
                    let mut done = 0;
                    while Instant::now() < until {
                        let turn = turns.fetch_add(1, Ordering::Relaxed);
                        let book = turn.wrapping_mul(61_803) % titles + 1;
                        match who {
                            Who::Own => {
                                pair(&mut connection, &address, &cookie, book, &turn.to_string()).await?;
                            }
                            Who::PocketBase => pocketbase_pair(&mut connection, &address, book).await?,
                            Who::Express => express_pair(&mut connection, &address, book).await?,
                        }
                        done += 1;
                    }
                    anyhow::Ok(done)
                })
            })
            .collect();
        let mut done = 0_u64;
        for client in working {
            done += client.await??;
        }
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        Ok((done as f64 / begun.elapsed().as_secs_f64(), done))
    }

    /// Counts the system calls fsync and fdatasync per pair.
    #[expect(clippy::disallowed_methods, reason = "the bench looks at the programs from outside")]
    async fn count_fsyncs(&self, options: &Options, turns: &Arc<AtomicU64>, folder: &Path) -> Result<f64> {
        let file = folder.join("strace");
        let mut watching = Command::new("strace")
            .args(["-f", "-c", "-e", "trace=fsync,fdatasync", "-o"])
            .arg(&file)
            .args(["-p", &self.server.process().to_string()])
            .stderr(Stdio::null())
            .spawn()
            .context("strace is missing")?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let (_, pairs) = self.pairs(options, turns).await?;
        let ended = Command::new("kill").args(["-INT", &watching.id().to_string()]).status()?;
        ensure!(ended.success(), "strace is gone");
        watching.wait()?;
        let seen = std::fs::read_to_string(&file)?;
        // Columns: share, seconds, microseconds per call, calls, errors if any, name.
        let calls: f64 = seen
            .lines()
            .filter(|line| line.ends_with("fsync") || line.ends_with("fdatasync"))
            .filter_map(|line| line.split_whitespace().nth(3)?.parse::<f64>().ok())
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        Ok(calls / pairs as f64)
    }
}

async fn own(options: &Options, folder: &Path, entries: &[Entry]) -> Result<Peer> {
    let database = sqlite(&folder.join("own.db"));
    add_librarian(&options.program, &database)?;
    import_titles(&options.program, &database, folder, entries, COPIES)?;
    let server = serve(&options.program, &database).await?;
    let mut cookies = Vec::new();
    for n in 0..CONNECTIONS {
        cookies.push(register(&server, n).await?);
    }
    Ok(Peer { who: Who::Own, name: "My Library", server, cookies, found: Vec::new(), fsyncs: 0.0 })
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let entries = titles(options.real_titles.as_deref(), options.titles)?;
    let rows = Rows { entries: &entries, copies: COPIES };
    let other =
        |who, name, server| Peer { who, name, server, cookies: Vec::new(), found: Vec::new(), fsyncs: 0.0 };
    let mut peers = vec![
        own(&options, folder, &entries).await?,
        other(Who::PocketBase, "PocketBase", pocketbase(&options.peers, folder, &rows).await?),
        other(Who::Express, "Express", express(&options.peers, folder, &rows).await?),
    ];
    let all: Vec<_> = peers.iter().map(|peer| peer.paths(options.titles)).collect();
    for kind in 0..READ.len() {
        eprintln!("{}", READ[kind]);
        let mut rates = vec![Vec::new(); peers.len()];
        for _ in 0..options.rounds {
            for (n, peer) in peers.iter().enumerate() {
                let seen = tokio::task::block_in_place(|| {
                    let cookie = peer.cookies.first().map(String::as_str);
                    load(&peer.server.address, &all[n][kind], cookie, CONNECTIONS, options.seconds, folder)
                })?;
                rates[n].push(seen.per_second);
                peer.drain(&all[n][3][0]).await?;
            }
        }
        for (peer, rates) in peers.iter_mut().zip(&rates) {
            peer.found.push(median(rates));
        }
    }
    eprintln!("pairs");
    let turns = Arc::new(AtomicU64::new(0));
    let mut rates = vec![Vec::new(); peers.len()];
    for _ in 0..options.rounds {
        for (n, peer) in peers.iter().enumerate() {
            rates[n].push(peer.pairs(&options, &turns).await?.0);
        }
    }
    for (peer, rates) in peers.iter_mut().zip(&rates) {
        peer.found.push(median(rates));
        peer.fsyncs = peer.count_fsyncs(&options, &turns, folder).await?;
    }
    print!("{}", table(&options, &peers)?);
    Ok(())
}

/// Formats a rate, below ten with a decimal, so that less than one per second is not shown as 0.
fn rate(per_second: f64) -> String {
    let decimals = usize::from(per_second < 10.0);
    format!("{per_second:.decimals$}")
}

fn table(options: &Options, peers: &[Peer]) -> Result<String> {
    let mut table = format!(
        "With {} titles, over {CONNECTIONS} connections. Rows without a unit are answers a second, or pairs of a borrow and a return a second.\n\n| What |",
        options.titles
    );
    for peer in peers {
        let _ = write!(table, " {} |", peer.name);
    }
    let _ = writeln!(table, "\n|---{}|", "|---".repeat(peers.len()));
    let mut row = |what: &str, cells: Vec<String>| {
        let _ = writeln!(table, "| {what} | {} |", cells.join(" | "));
    };
    for (n, what) in READ.iter().chain(&["borrow and return"]).enumerate() {
        row(what, peers.iter().map(|peer| rate(peer.found[n])).collect());
    }
    row("fsyncs for a pair, 32 at once", peers.iter().map(|peer| format!("{:.2}", peer.fsyncs)).collect());
    let mut memory = Vec::new();
    for peer in peers {
        memory.push(format!("{} MiB", peer.server.memory()?));
    }
    row("memory after the load", memory);
    let start = |peer: &Peer| format!("{:.0} ms", peer.server.started_in.as_secs_f64() * 1000.0);
    row("ready after the start", peers.iter().map(start).collect());
    Ok(table)
}
