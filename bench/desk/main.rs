//! `make bench-desk`: ten desks at once, in a library of 100 000 people and 1 000 000 copies (R-DESK-8).
//!
//! First, one client searches for people. Then each desk opens a card, lends three copies, closes the card and takes
//! the copies back: at a librarian's pace of one scan per quarter of a second, then as fast as scans are answered.
//! Latencies are measured by the client over the loopback interface, so the server's share is lower.

#[path = "../common/mod.rs"]
mod common;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use common::{
    client::Connection,
    figures::percentile,
    library::{EMAIL, PASSWORD, add_librarian, given_name, import_people, name, person_id, roll_number},
    server::{Server, run, serve, sqlite},
};

/// Measures the desk.
#[derive(Parser)]
struct Options {
    /// Seconds at each pace.
    #[arg(long, env = "BENCH_SECONDS", default_value_t = 30)]
    seconds: u64,
    /// URL of an empty database; by default a temporary SQLite file.
    #[arg(long, env = "BENCH_DATABASE")]
    database: Option<String>,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const DESKS: usize = 10;
const PEOPLE: usize = 100_000;
const TITLES: usize = 100_000;
const COPIES: usize = 10;
/// Interval between two scans of a quick librarian.
const PACE: Duration = Duration::from_millis(250);

fn write_books(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    writeln!(file, "title,author,genre,description,noOfBooks,location")?;
    for n in 0..TITLES {
        writeln!(
            file,
            "A Title of the Bench {n},Author {},Fiction,A book to lend.,{COPIES},A-{}",
            n % 5000,
            n % 90
        )?;
    }
    Ok(file.flush()?)
}

fn prepare(program: &Path, database: &str, folder: &Path) -> Result<()> {
    let (books, rejected) = (folder.join("books.csv"), folder.join("rejected.csv"));
    write_books(&books)?;
    let text = |path: &Path| path.display().to_string();
    add_librarian(program, database)?;
    let took = import_people(program, database, folder, PEOPLE)?;
    eprintln!("{PEOPLE} people imported in {:.1} s", took.as_secs_f64());
    let took =
        run(program, &["import", "books", &text(&books), "--rejected", &text(&rejected)], database, "")?;
    eprintln!("{} copies imported in {:.1} s", TITLES * COPIES, took.as_secs_f64());
    Ok(())
}

fn post(address: &str, path: &str, cookie: &str, key: &str, body: &str) -> String {
    format!(
        "POST /library/api/v1/{path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nidempotency-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Kind of a scan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scan {
    Card,
    Lend,
    Return,
}

/// Milliseconds of each response, by kind of scan.
type Seen = BTreeMap<Scan, Vec<f64>>;

struct Desk {
    number: usize,
    connection: Connection,
    address: String,
    cookie: String,
    sent: usize,
    pace: Option<Duration>,
    seen: Seen,
}

impl Desk {
    async fn open(number: usize, server: &Server) -> Result<Self> {
        let address = server.address.clone();
        let mut connection = Connection::open(&address).await?;
        let cookie = connection.sign_in(&address, EMAIL, PASSWORD).await?;
        Ok(Self { number, connection, address, cookie, sent: 0, pace: None, seen: Seen::new() })
    }

    async fn scan(&mut self, scan: Scan, code: &str, person: Option<usize>) -> Result<()> {
        let mut body = format!(r#"{{"code":"{code}""#);
        if let Some(person) = person {
            let _ = write!(body, r#","person":{}"#, person_id(person));
        }
        body.push('}');
        self.sent += 1;
        let key = format!("desk-{}-{}", self.number, self.sent);
        let request = post(&self.address, "desk/scans", &self.cookie, &key, &body);
        let begun = Instant::now();
        let status = self.connection.send(&request).await?.status;
        let took = begun.elapsed();
        ensure!(status == 200, "a scan answered {status}");
        self.seen.entry(scan).or_default().push(took.as_secs_f64() * 1000.0);
        if let Some(pace) = self.pace {
            tokio::time::sleep(pace.saturating_sub(took)).await;
        }
        Ok(())
    }

    /// Scans until `until`, with readers and copies of no other desk, spread over the whole library.
    async fn work(mut self, until: Instant, first: usize) -> Result<Self> {
        // Librarians do not scan in step.
        if let Some(pace) = self.pace {
            tokio::time::sleep(pace * u32::try_from(self.number)? / u32::try_from(DESKS)?).await;
        }
        let mut turn = first;
        while Instant::now() < until {
            let own = turn * DESKS + self.number;
            let person = own * 7919 % PEOPLE;
            let copies: Vec<_> = (0..3)
                .map(|n| (own * 3 + n) * 61_803 % (TITLES * COPIES) + 1)
                .map(|n| format!("L{n:06}"))
                .collect();
            self.scan(Scan::Card, &roll_number(person), None).await?;
            for code in &copies {
                self.scan(Scan::Lend, code, Some(person)).await?;
            }
            for code in &copies {
                self.scan(Scan::Return, code, None).await?;
            }
            turn += 1;
        }
        Ok(self)
    }
}

/// Text of the n-th search of a kind.
type Words = fn(usize) -> String;

/// Number of searches of each kind.
const SEARCHES: usize = 300;

/// Searches as a librarian does in `People`, each time for another person, one search after the other.
async fn search(desk: &mut Desk, table: &mut String) -> Result<()> {
    let kinds: [(&str, Words); 5] = [
        ("a roll number", |n| roll_number(n * 331 % PEOPLE)),
        ("the end of a roll number", |n| format!("{:04}", n * 331 % 10_000)),
        ("a given name", |n| given_name(n).to_lowercase()),
        ("a whole name", |n| name(n * 7).to_lowercase().replace(' ', "%20")),
        ("an unknown name", |n| format!("zz{n}")),
    ];
    for (kind, query) in kinds {
        let mut times = Vec::new();
        for n in 0..SEARCHES {
            let request = format!(
                "GET /library/api/v1/people?q={} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n\r\n",
                query(n),
                desk.address,
                desk.cookie
            );
            let begun = Instant::now();
            let status = desk.connection.send(&request).await?.status;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            ensure!(status == 200, "a search answered {status}");
        }
        let (median, p99, longest) =
            (percentile(&times, 50), percentile(&times, 99), percentile(&times, 100));
        let _ = writeln!(table, "| {kind} | {median:.1} | {p99:.1} | {longest:.1} |");
    }
    Ok(())
}

/// Appends the rows of one pace to the table.
fn rows(table: &mut String, pace: &str, seen: &Seen, seconds: f64) {
    for (scan, name) in [(Scan::Card, "card"), (Scan::Lend, "lend"), (Scan::Return, "return")] {
        let times = seen.get(&scan).cloned().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let rate = times.len() as f64 / seconds;
        let _ = writeln!(
            table,
            "| {pace} | {name} | {rate:.0} | {:.1} | {:.1} | {:.1} |",
            percentile(&times, 50),
            percentile(&times, 99),
            percentile(&times, 100)
        );
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let database = options.database.clone().unwrap_or_else(|| sqlite(&folder.path().join("desk.db")));
    prepare(&options.program, &database, folder.path())?;
    let server = serve(&options.program, &database).await?;
    let mut searches = String::from("| Search | median ms | p99 ms | longest ms |\n|---|---|---|---|\n");
    search(&mut Desk::open(0, &server).await?, &mut searches).await?;
    // Opened only now: the server closes idle connections.
    let mut desks = Vec::new();
    for number in 0..DESKS {
        desks.push(Desk::open(number, &server).await?);
    }
    let mut table = String::from(
        "| Pace | Scan | a second | median ms | p99 ms | longest ms |\n|---|---|---|---|---|---|\n",
    );
    // The first turns are far apart, so that no reader and no copy occurs twice.
    for (pace, name, first) in [(Some(PACE), "four a second each", 0), (None, "as fast as answered", 3000)] {
        let (begun, processor) = (Instant::now(), server.processor_time()?);
        let until = begun + Duration::from_secs(options.seconds);
        let working: Vec<_> = desks
            .into_iter()
            .map(|desk| tokio::spawn(Desk { pace, seen: Seen::new(), ..desk }.work(until, first)))
            .collect();
        desks = Vec::new();
        let mut seen = Seen::new();
        for desk in working {
            let mut desk = desk.await.context("a desk stopped")??;
            for (scan, mut times) in std::mem::take(&mut desk.seen) {
                seen.entry(scan).or_default().append(&mut times);
            }
            desks.push(desk);
        }
        rows(&mut table, name, &seen, begun.elapsed().as_secs_f64());
        let processor = server.processor_time()?.saturating_sub(processor).as_secs_f64() * 1000.0;
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let scans = seen.values().map(Vec::len).sum::<usize>() as f64;
        eprintln!("{name}: {:.2} ms of the processor a scan", processor / scans);
    }
    println!("{searches}\n{table}\n{} MiB of memory at the end", server.memory()?);
    drop(server);
    run(&options.program, &["doctor"], &database, "").context("the ledger laws hold afterwards")?;
    Ok(())
}
