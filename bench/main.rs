//! `make bench-against`: compares this program with an earlier one, on the same catalogue, in one run.
//!
//! Client and servers share the machine, so only compare the numbers with each other. Each round starts the programs on
//! fresh copies of a database with 100 000 titles of three copies each and signed-in students. The programs take turns
//! of half a second, so that other load on the machine affects all alike; the medians are those of all turns. Only
//! successful responses are counted; others are listed separately.

mod common;
mod program;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use anyhow::{Context as _, Result};
use clap::Parser;

use common::{figures::median, load::load, server::Server};
use program::{Program, STUDENTS};

/// Compares programs with each other.
#[derive(Parser)]
struct Options {
    /// Seconds for each measurement of a round.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 3)]
    seconds: u64,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 3)]
    rounds: usize,
    /// Calls to measure, separated by commas; by default all.
    #[arg(long, env = "BENCH_CALLS", value_delimiter = ',', value_enum, default_values_t = Call::ALL)]
    calls: Vec<Call>,
    /// File of real books; the import of the file is measured too.
    #[arg(long, env = "LIBRARY_REAL_BOOKS")]
    real_books: Option<PathBuf>,
    /// Programs as NAME=FILE; the others are compared with the first.
    #[arg(required = true, value_parser = named)]
    programs: Vec<(String, PathBuf)>,
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("write it NAME=FILE")?;
    Ok((name.into(), file.into()))
}

const TITLES: u64 = 100_000;
const COPIES: u64 = 3;

/// Words of the titles; the searches below find many titles, few, or none.
const WORDS: [&str; 40] = [
    "the",
    "of",
    "and",
    "in",
    "a",
    "history",
    "war",
    "peace",
    "poems",
    "letters",
    "river",
    "night",
    "garden",
    "stone",
    "house",
    "world",
    "love",
    "song",
    "science",
    "water",
    "India",
    "village",
    "mountain",
    "shadow",
    "winter",
    "light",
    "dragon",
    "Harry",
    "Shakespeare",
    "physics",
    "algebra",
    "ghost",
    "island",
    "voyage",
    "война",
    "गोदान",
    "红楼梦",
    "été",
    "Straße",
    "Ιλιάδα",
];

const SEARCHES: [&str; 16] = [
    "q=a",
    "q=an",
    "q=zx",
    "q=qz",
    "q=the",
    "q=ing",
    "q=harry",
    "q=dragon",
    "q=xyzq",
    "q=history+of+the",
    "q=agatha+christie",
    "q=zzzz+not+there",
    "q=shakespeare",
    "q=%D0%B2%D0%BE%D0%B9%D0%BD%D0%B0",
    "q=poems&sort=newest",
    "q=war&field=title",
];

fn write_catalogue(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "title,author,genre,description,publishedYear,language,noOfBooks,location")?;
    let mut random = 1_u64;
    let mut word = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[usize::try_from(random >> 33).unwrap_or_default() % WORDS.len()]
    };
    for n in 0..TITLES {
        let title: Vec<_> = (0..3 + n % 5).map(|_| word()).collect();
        let description: Vec<_> = (0..40).map(|_| word()).collect();
        let (title, description) = (title.join(" "), description.join(" "));
        let year = 1900 + n % 120;
        writeln!(
            file,
            "{title} {n},{} {},Fiction,{description},{year},en,{COPIES},A-{}",
            word(),
            word(),
            n % 90
        )?;
    }
    Ok(file.flush()?)
}

/// Calls to measure, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Call {
    CataloguePage,
    Search,
    OneBook,
    SignInScreen,
    Borrow,
}

impl Call {
    const ALL: [Self; 5] =
        [Self::CataloguePage, Self::Search, Self::OneBook, Self::SignInScreen, Self::Borrow];

    fn name(self) -> &'static str {
        match self {
            Self::CataloguePage => "catalogue page",
            Self::Search => "search",
            Self::OneBook => "one book",
            Self::SignInScreen => "sign-in screen",
            Self::Borrow => "borrow",
        }
    }

    /// Returns the request of a turn. 61 803 and the number of titles have no common divisor, so every book is taken
    /// once, spread over the catalogue, before any is repeated.
    fn request(self, turn: u64, address: &str, cookies: &[String]) -> String {
        let api = "/library/api/v1";
        let book = turn.wrapping_mul(61_803) % TITLES + 1;
        let index = usize::try_from(turn).unwrap_or_default();
        match self {
            Self::CataloguePage => get(&format!("{api}/books"), address),
            Self::Search => get(&format!("{api}/books?{}", SEARCHES[index % SEARCHES.len()]), address),
            Self::OneBook => get(&format!("{api}/books/{book}"), address),
            Self::SignInScreen => get("/library/login", address),
            Self::Borrow => format!(
                "POST {api}/books/{book}/loans HTTP/1.1\r\nhost: {address}\r\ncookie: {}\r\nidempotency-key: bench-{turn}\r\n\
                 content-length: 0\r\n\r\n",
                cookies[index % STUDENTS]
            ),
        }
    }
}

fn get(path: &str, address: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept-encoding: br\r\n\r\n")
}

/// One measurement.
#[derive(Clone, Copy)]
struct Figures {
    per_second: f64,
    p99: f64,
    /// Processor time of the server per request, in milliseconds.
    processor: f64,
}

/// All measurements of one program.
#[derive(Default)]
struct Results {
    calls: BTreeMap<(Call, usize), Vec<Figures>>,
    refused: BTreeMap<(Call, usize, u16), u64>,
    import: Vec<f64>,
    start: Vec<f64>,
    memory: Vec<f64>,
}

const CONNECTIONS: [usize; 2] = [1, 32];

/// Duration of a turn of one program.
const TURN: Duration = Duration::from_millis(500);

/// Program that runs in this round.
struct Running<'p> {
    program: &'p Program,
    server: Server,
    /// Number of requests of each call in this round, so that no book is borrowed again before all others were.
    turns: BTreeMap<Call, Arc<AtomicU64>>,
}

impl<'p> Running<'p> {
    async fn start(program: &'p Program, folder: &Path) -> Result<Self> {
        Ok(Self { program, server: program.start(folder).await?, turns: BTreeMap::new() })
    }

    /// Measures one turn.
    async fn measure(&mut self, call: Call, connections: usize, results: &mut Results) -> Result<()> {
        let (address, cookies) = (self.server.address.clone(), self.program.cookies.clone());
        let request = move |turn| call.request(turn, &address, &cookies);
        let turns = self.turns.entry(call).or_default();
        let before = self.server.processor_time()?;
        let mut seen = load(&self.server.address, connections, TURN, turns, request).await?;
        let processor = self.server.processor_time()?.saturating_sub(before);
        for (status, count) in &seen.refused {
            *results.refused.entry((call, connections, *status)).or_default() += count;
        }
        seen.latencies.sort_unstable();
        let answered = seen.latencies.len();
        let p99 = seen.latencies.get(answered * 99 / 100).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let asked = (answered as f64, answered as f64 + seen.refused.values().sum::<u64>() as f64);
        results.calls.entry((call, connections)).or_default().push(Figures {
            per_second: asked.0 / seen.took.as_secs_f64(),
            p99: p99.as_secs_f64() * 1000.0,
            processor: processor.as_secs_f64() * 1000.0 / asked.1,
        });
        Ok(())
    }
}

/// Measures one round, in which all programs take turns.
async fn round(
    programs: &[Program],
    results: &mut [Results],
    options: &Options,
    folder: &Path,
) -> Result<()> {
    let mut running = Vec::new();
    for program in programs {
        running.push(Running::start(program, folder).await?);
    }
    let mut order: Vec<usize> = (0..running.len()).collect();
    for &call in &options.calls {
        for connections in CONNECTIONS {
            for _ in 0..options.seconds * 2 {
                for &index in &order {
                    running[index].measure(call, connections, &mut results[index]).await?;
                }
                order.reverse();
            }
        }
    }
    for (running, results) in running.iter().zip(results) {
        results.start.push(running.server.started_in.as_secs_f64() * 1000.0);
        #[expect(clippy::cast_precision_loss, reason = "MiB")]
        results.memory.push(running.server.memory()? as f64);
    }
    Ok(())
}

/// Appends a row of medians: the first program, then each other one with its ratio to the first.
fn row(table: &mut String, label: &str, unit: &str, decimals: usize, medians: &[f64]) {
    let _ = write!(table, "{label:<34}{unit:<16}");
    for (index, value) in medians.iter().enumerate() {
        let _ = write!(table, "{value:>12.decimals$}");
        if index > 0 {
            let _ = write!(table, "{:>8.2} x", value / medians[0]);
        }
    }
    table.push('\n');
}

type Pick = fn(&Figures) -> f64;

fn report(options: &Options, programs: &[Program], results: &[Results]) -> String {
    let mut table = format!("{:<50}", "Medians");
    for (index, program) in programs.iter().enumerate() {
        let _ = write!(table, "{:>12}{}", program.name, if index > 0 { "   ratio" } else { "" });
        if index > 0 {
            table.push_str("  ");
        }
    }
    table.push('\n');
    let columns: [(&str, usize, Pick); 3] = [
        ("requests/s", 0, |figures| figures.per_second),
        ("p99 ms", 2, |figures| figures.p99),
        ("processor ms", 3, |figures| figures.processor),
    ];
    for &call in &options.calls {
        for connections in CONNECTIONS {
            let label = format!("{}, {connections} at once", call.name());
            for (unit, decimals, pick) in columns {
                let medians: Vec<f64> = results
                    .iter()
                    .map(|results| {
                        median(&results.calls[&(call, connections)].iter().map(pick).collect::<Vec<_>>())
                    })
                    .collect();
                row(&mut table, &label, unit, decimals, &medians);
            }
        }
    }
    let of = |pick: fn(&Results) -> &Vec<f64>| -> Vec<f64> {
        results.iter().map(|results| median(pick(results))).collect()
    };
    row(&mut table, "start until ready", "ms", 0, &of(|results| &results.start));
    row(&mut table, "memory at the end", "MiB", 0, &of(|results| &results.memory));
    if results.iter().all(|results| !results.import.is_empty()) {
        row(&mut table, "import of the real books", "s", 2, &of(|results| &results.import));
    }
    for (program, results) in programs.iter().zip(results) {
        for ((call, connections, status), count) in &results.refused {
            let _ = writeln!(
                table,
                "{}: {count} of {}, {connections} at once, answered {status} (not counted above)",
                program.name,
                call.name()
            );
        }
    }
    table
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let catalogue = folder.join("catalogue.csv");
    write_catalogue(&catalogue)?;
    let mut programs = Vec::new();
    for (name, binary) in &options.programs {
        eprintln!("preparing {name}");
        programs.push(Program::prepare(name, binary, &catalogue, folder).await.context(name.clone())?);
    }
    let mut results: Vec<Results> = programs.iter().map(|_| Results::default()).collect();
    for number in 0..options.rounds {
        eprintln!("round {} of {}", number + 1, options.rounds);
        round(&programs, &mut results, &options, folder).await?;
        let Some(books) = &options.real_books else { continue };
        for (index, program) in programs.iter().enumerate() {
            let database = folder.join(format!("import-{number}-{index}.db"));
            results[index].import.push(program.import(books, &database, folder).await?.as_secs_f64());
            std::fs::remove_file(database)?;
        }
    }
    print!("{}", report(&options, &programs, &results));
    Ok(())
}
