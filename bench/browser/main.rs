//! Part of `make bench`: the screens of a large library in a browser with a processor slowed four times. Creates and
//! serves the library; `web/bench/browser` drives the browser and prints the table.

#[path = "../common/mod.rs"]
mod common;

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use common::{
    library::{EMAIL, PASSWORD, add_librarian, import_people, import_titles, register, roll_number},
    server::{serve, sqlite},
    titles::titles,
};

/// Measures the screens in a slow browser.
#[derive(Parser)]
struct Options {
    /// Number of titles.
    #[arg(long, env = "BENCH_TITLES", default_value_t = 1_000_000)]
    titles: usize,
    /// CSV file of real titles; by default titles are generated.
    #[arg(long, env = "LIBRARY_REAL_TITLES")]
    real_titles: Option<PathBuf>,
    /// Binary to measure.
    #[arg(default_value = "target/release/library")]
    program: PathBuf,
}

const PEOPLE: usize = 1000;

#[tokio::main(worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "the bench runs the script that drives the browser")]
async fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let database = sqlite(&folder.path().join("browser.db"));
    add_librarian(&options.program, &database)?;
    import_people(&options.program, &database, folder.path(), PEOPLE)?;
    let entries = titles(options.real_titles.as_deref(), options.titles)?;
    import_titles(&options.program, &database, folder.path(), &entries, 3)?;
    let server = serve(&options.program, &database).await?;
    register(&server, 0).await?;
    println!(
        "{} titles; the processor of the page is slowed {} times.\n",
        options.titles,
        std::env::var("BENCH_SLOWER").unwrap_or_else(|_| "4".into())
    );
    let output = Command::new("node")
        .arg("bench/browser/run.mjs")
        .current_dir("web")
        .env("BENCH_ORIGIN", format!("http://{}", server.address))
        .env("BENCH_STUDENT", "student0@example.org")
        .env("BENCH_LIBRARIAN", EMAIL)
        .env("BENCH_PASSWORD", PASSWORD)
        .env("BENCH_CARD", roll_number(7))
        .env("BENCH_COPIES", "L000010,L000020,L000030")
        .stdout(Stdio::piped())
        .output()
        .context("node is missing")?;
    ensure!(
        output.status.success(),
        "the browser's part failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    print!("{}", String::from_utf8(output.stdout)?);
    Ok(())
}
