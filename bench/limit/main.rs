//! Part of `make bench`: the program against the limit of the machine, in one run.
//!
//! The limit is a bare axum handler in this process that returns as many bytes, loaded by the same `wrk` on the same
//! cores. Program and limit take turns; the table has the median of the ratios of each pair of turns. The library has
//! 1 000 000 titles of three copies each.

#[path = "../common/mod.rs"]
mod common;

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use library::{fold::title_key, search::Entry};

use common::{
    client::Connection,
    figures::{Goal, median, note_goal},
    floor::{Floor, PAGE},
    library::{add_librarian, import_titles, sign_in},
    paths::Paths,
    server::{Server, serve, sqlite},
    titles::{Random, titles},
    wrk::{Seen, load},
};

/// Measures the program against the limit of this machine.
#[derive(Parser)]
struct Options {
    /// Number of titles; from 20 000 on the server keeps its index in a file, which the second start needs.
    #[arg(long, env = "BENCH_TITLES", default_value_t = 1_000_000)]
    titles: usize,
    /// Seconds of each measurement.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 2)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
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
const DATABASE: &str = "bench.db";

/// One row of the table.
struct Measured {
    what: &'static str,
    goal: f64,
    /// Figures of the other side and of the program, by round.
    pairs: Vec<(Seen, Seen)>,
    /// Processor time of the program per request, in microseconds.
    processor: f64,
}

impl Measured {
    fn row(&self) -> String {
        let of = |pick: &dyn Fn(&(Seen, Seen)) -> f64| -> Vec<f64> { self.pairs.iter().map(pick).collect() };
        let ratios = of(&|(floor, own)| own.per_second / floor.per_second);
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let mut row = String::new();
        let _ = write!(
            row,
            "| {} | {:.0} | {:.0} | {:.2} | {:.0} | **{:.2}** | {least:.2} to {most:.2} | {:.2} |",
            self.what,
            median(&of(&|(floor, _)| floor.per_second)),
            median(&of(&|(_, own)| own.per_second)),
            median(&of(&|(_, own)| own.p99)),
            self.processor,
            median(&ratios),
            self.goal
        );
        row
    }

    fn note(&self) -> Result<()> {
        let ratios: Vec<f64> =
            self.pairs.iter().map(|(floor, own)| own.per_second / floor.per_second).collect();
        // The table of goals leaves out rows without a goal.
        if self.goal == 0.0 {
            return Ok(());
        }
        note_goal(
            &format!("HTTP, share of the limit: {}", self.what),
            median(&ratios),
            Goal::AtLeast(self.goal),
            "",
        )
    }
}

struct Bench<'o> {
    options: &'o Options,
    folder: &'o Path,
    server: Server,
    cookie: String,
}

impl Bench<'_> {
    fn load(&self, address: &str, paths: &[String], signed_in: bool) -> Result<Seen> {
        let cookie = signed_in.then_some(self.cookie.as_str());
        tokio::task::block_in_place(|| {
            load(address, paths, cookie, CONNECTIONS, self.options.seconds, self.folder)
        })
    }

    /// Measures the program against prepared bytes of the same length.
    async fn against_floor(&self, what: &'static str, goal: f64, paths: &[String]) -> Result<Measured> {
        eprintln!("{what}");
        let mut connection = Connection::open(&self.server.address).await?;
        let mut lengths = 0;
        let sample = &paths[..paths.len().min(50)];
        for path in sample {
            let request = format!(
                "GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\naccept-encoding: br\r\n\r\n",
                self.server.address, self.cookie
            );
            lengths += connection.send(&request).await?.length;
        }
        let floor = Floor::start(&[("content-type", "application/json")], lengths / sample.len()).await?;
        self.by_turns(what, goal, || self.load(&floor.address, paths, true), paths)
    }

    /// Measures pages of the program against a bare handler that reads the rows of as many pages from the same file.
    async fn against_reading(
        &self,
        what: &'static str,
        entries: &[Entry],
        by_title: bool,
        paths: &[String],
    ) -> Result<Measured> {
        eprintln!("{what}");
        let mut ids: Vec<i64> = entries.iter().map(|entry| entry.id).collect();
        if by_title {
            let keys: HashMap<i64, String> =
                entries.iter().map(|entry| (entry.id, title_key(&entry.title))).collect();
            ids.sort_unstable_by(|one, other| keys[one].cmp(&keys[other]));
        }
        let mut random = Random::new(13);
        let pages = (0..paths.len())
            .map(|_| {
                std::array::from_fn::<i64, PAGE, _>({
                    let start = random.below(ids.len() - PAGE);
                    let ids = &ids;
                    move |at| ids[start + at]
                })
            })
            .collect();
        let floor = Floor::reading(&self.folder.join(DATABASE), pages).await?;
        self.by_turns(what, 0.0, || self.load(&floor.address, paths, false), paths)
    }

    /// Measures `other` and the program alternately.
    fn by_turns(
        &self,
        what: &'static str,
        goal: f64,
        other: impl Fn() -> Result<Seen>,
        paths: &[String],
    ) -> Result<Measured> {
        let (mut pairs, mut used, mut requests) = (Vec::new(), 0.0, 0.0);
        for _ in 0..self.options.rounds {
            let limit = other()?;
            let before = self.server.processor_time()?;
            let own = self.load(&self.server.address, paths, true)?;
            used += self.server.processor_time()?.saturating_sub(before).as_secs_f64() * 1e6;
            requests += own.per_second * Duration::from_secs(self.options.seconds).as_secs_f64();
            pairs.push((limit, own));
        }
        Ok(Measured { what, goal, pairs, processor: used / requests })
    }
}

async fn start(options: &Options, folder: &Path, entries: &[Entry]) -> Result<(Server, String)> {
    let database = sqlite(&folder.join(DATABASE));
    add_librarian(&options.program, &database)?;
    let took = import_titles(&options.program, &database, folder, entries, COPIES)?;
    println!("{} titles imported in {:.0} s.", options.titles, took.as_secs_f64());
    let first = serve(&options.program, &database).await?;
    print_start("The first start builds the search index", &first)?;
    wait_for(&folder.join(format!("{DATABASE}.search"))).await?;
    drop(first);
    let server = serve(&options.program, &database).await?;
    print_start("The second start reads it from its file", &server)?;
    println!();
    note_goal("Second start, until it answers", server.started_in.as_secs_f64(), Goal::AtMost(1.0), " s")?;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    note_goal("Memory after the second start", server.memory()? as f64, Goal::AtMost(150.0), " MiB")?;
    let cookie = sign_in(&server).await?;
    Ok((server, cookie))
}

fn print_start(what: &str, server: &Server) -> Result<()> {
    let (seconds, memory) = (server.started_in.as_secs_f64(), server.memory()?);
    println!("{what}: ready to answer after {seconds:.2} s, with {memory} MiB of memory.");
    Ok(())
}

/// Waits until the server has written a file.
async fn wait_for(file: &Path) -> Result<()> {
    for _ in 0..600 {
        if file.exists() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("{} is not written", file.display())
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let entries = titles(options.real_titles.as_deref(), options.titles)?;
    let (server, cookie) = start(&options, folder.path(), &entries).await?;
    let paths = Paths::of(&entries);
    let bench = Bench { options: &options, folder: folder.path(), server, cookie };

    let first = std::slice::from_ref(&paths.first);
    let mut rows = vec![
        bench.against_floor("catalogue, first page, repeated", 0.80, first).await?,
        bench.against_floor("catalogue, any page, title order", 0.45, &paths.by_title).await?,
        bench.against_floor("catalogue, any page, newest order", 0.45, &paths.newest).await?,
        bench
            .against_reading(
                "… against a bare read of its rows, title order",
                &entries,
                true,
                &paths.by_title,
            )
            .await?,
        bench
            .against_reading(
                "… against a bare read of its rows, newest order",
                &entries,
                false,
                &paths.newest,
            )
            .await?,
        bench.against_floor("one book", 0.60, &paths.books).await?,
        bench.against_floor("sixteen searches, repeated", 0.80, &paths.searches).await?,
        bench.against_floor("an uncached word", 0.0, &paths.words).await?,
    ];
    eprintln!("signed in against signed out");
    let signed_out = || bench.load(&bench.server.address, first, false);
    rows.push(bench.by_turns("first page signed in, against signed out", 0.93, signed_out, first)?);
    let screen = screen_script()?;
    rows.push(bench.against_floor("a JavaScript file of the screens", 0.80, &[screen]).await?);

    println!(
        "| What | limit, requests/s | program, requests/s | p99 ms | CPU µs per request | ratio, median | ratio, lowest to highest | goal |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for row in &rows {
        println!("{}", row.row());
        row.note()?;
    }
    let memory = bench.server.memory()?;
    println!("\nMemory after the load: {memory} MiB.");
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    note_goal("Memory after the load", memory as f64, Goal::AtMost(250.0), " MiB")?;
    Ok(())
}

/// Returns the path of the built script that every screen loads first.
fn screen_script() -> Result<String> {
    let page = fs::read_to_string("web/dist/index.html")?;
    let script = page.split("crossorigin src=\"").nth(1).and_then(|rest| rest.split('"').next());
    Ok(script.context("the page loads no script")?.to_owned())
}
