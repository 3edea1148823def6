//! Part of `make bench`: cost of a response as the catalogue grows. Sends the same requests to libraries of each size,
//! prints a table, and plots the processor time per response as an SVG.

#[path = "../common/mod.rs"]
mod common;
mod plot;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
use clap::Parser;

use common::{
    figures::{Goal, median, note_goal},
    library::{add_librarian, import_titles, sign_in},
    paths::Paths,
    server::{serve, sqlite},
    titles::titles,
    wrk::load,
};
use plot::{Line, plot};

/// Measures how the cost of a response grows.
#[derive(Parser)]
struct Options {
    /// Numbers of titles, separated by commas.
    #[arg(long, env = "BENCH_SIZES", value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    sizes: Vec<usize>,
    /// Seconds of each measurement.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 2)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
    rounds: usize,
    /// CSV file of real titles; by default titles are generated.
    #[arg(long, env = "LIBRARY_REAL_TITLES")]
    real_titles: Option<PathBuf>,
    /// File for the plot.
    #[arg(long, default_value = "docs/growth.svg")]
    plot: PathBuf,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const CONNECTIONS: usize = 32;
const COPIES: usize = 3;
/// Goal: maximum cost of a page or a book in the largest library, as a multiple of that in the smallest.
const FLAT: f64 = 1.2;
/// Number of the first kinds that must stay flat; the cost of a search may grow with the catalogue.
const TO_BE_FLAT: usize = 3;

/// Cost of one kind of response in one library.
#[derive(Clone, Copy)]
struct Cost {
    per_second: f64,
    p99: f64,
    /// Processor time per response, in microseconds.
    processor: f64,
}

/// Returns the requests for each library, in the order of the table.
fn kinds(paths: &Paths) -> [(&'static str, &[String]); 5] {
    [
        ("any page, title order", &paths.by_title),
        ("any page, newest order", &paths.newest),
        ("one book", &paths.books),
        ("sixteen searches, repeated", &paths.searches),
        ("an uncached word", &paths.words),
    ]
}

async fn measure(options: &Options, size: usize, folder: &Path) -> Result<Vec<(&'static str, Cost)>> {
    let entries = titles(options.real_titles.as_deref(), size)?;
    let database = sqlite(&folder.join(format!("{size}.db")));
    add_librarian(&options.program, &database)?;
    import_titles(&options.program, &database, folder, &entries, COPIES)?;
    let server = serve(&options.program, &database).await?;
    let cookie = sign_in(&server).await?;
    let paths = Paths::of(&entries);
    let mut found = Vec::new();
    for (what, paths) in kinds(&paths) {
        eprintln!("{size}: {what}");
        let (mut rates, mut p99s, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.rounds {
            let before = server.processor_time()?;
            let seen = tokio::task::block_in_place(|| {
                load(&server.address, paths, Some(&cookie), CONNECTIONS, options.seconds, folder)
            })?;
            let used = server.processor_time()?.saturating_sub(before).as_secs_f64() * 1e6;
            rates.push(seen.per_second);
            p99s.push(seen.p99);
            costs.push(used / (seen.per_second * Duration::from_secs(options.seconds).as_secs_f64()));
        }
        let cost = Cost { per_second: median(&rates), p99: median(&p99s), processor: median(&costs) };
        found.push((what, cost));
    }
    Ok(found)
}

/// Returns a number in short form, such as `10 k`.
fn count(size: usize) -> String {
    match size {
        size if size % 1_000_000 == 0 => format!("{} M", size / 1_000_000),
        size if size % 1000 == 0 => format!("{} k", size / 1000),
        size => size.to_string(),
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let options = Options::parse();
    let mut sizes = Vec::new();
    for &size in &options.sizes {
        let folder = tempfile::tempdir()?;
        sizes.push((size, measure(&options, size, folder.path()).await?));
    }
    let (mut lines, mut slopes): (Vec<Line>, Vec<(&str, f64)>) = (Vec::new(), Vec::new());
    println!("| What | titles | a second | p99 ms | processor µs an answer |");
    println!("|---|---|---|---|---|");
    let kinds = sizes.first().map_or(0, |(_, found)| found.len());
    for kind in 0..kinds {
        let mut line = Line { name: "", points: Vec::new() };
        for (size, found) in &sizes {
            let (what, cost) = found[kind];
            println!(
                "| {what} | {} | {:.0} | {:.2} | {:.0} |",
                count(*size),
                cost.per_second,
                cost.p99,
                cost.processor
            );
            line.name = what;
            #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
            line.points.push((*size as f64, cost.processor));
        }
        if let [(least, first), .., (most, last)] = line.points[..] {
            let what = format!("Growth, cost ratio of the largest to the smallest library: {}", line.name);
            let most_cost = if kind < TO_BE_FLAT { FLAT } else { most / least };
            note_goal(&what, last / first, Goal::AtMost(most_cost), " times")?;
            slopes.push((line.name, (last - first) / (most - least) * 1e6));
        }
        lines.push(line);
    }
    println!("\nWhat another million titles add to an answer, in µs of the processor:\n");
    for (name, slope) in slopes {
        println!("- {name}: {slope:.0}");
    }
    let labels: Vec<String> = sizes.iter().map(|(size, _)| count(*size)).collect();
    fs::write(&options.plot, plot(&lines, &labels))?;
    Ok(())
}
