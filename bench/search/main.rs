//! Part of `make bench`: the search index alone, against one pass of `memmem` over the same text, in one run.
//!
//! Goal: a page with its total costs at most 1.5 passes for any of the sixteen queries, and 0.15 passes for uncached
//! words. With other spellings, the p99 of uncached words is at most 20 ms.

#[path = "../common/mod.rs"]
mod common;

use std::{
    hint::black_box,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Result;
use clap::Parser;
use library::{
    fold::fold,
    search::{Entry, Index, Loading, Query, Sort, TOTAL_CAP},
};
use memchr::memmem;

use common::titles::{QUERIES, Random, titles};

/// Measures the search index.
#[derive(Parser)]
struct Options {
    /// Number of titles.
    #[arg(long, env = "BENCH_TITLES", default_value_t = 1_000_000)]
    titles: usize,
    /// Number of rounds.
    #[arg(long, env = "BENCH_ROUNDS", default_value_t = 5)]
    rounds: usize,
    /// CSV file of real titles; by default titles are generated.
    #[arg(long, env = "LIBRARY_REAL_TITLES")]
    real_titles: Option<PathBuf>,
}

const NEW_WORDS: usize = 400;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the duration and the total of a page. First pages are cached by text, order and length, so each round needs
/// another length.
fn time(index: &Index, text: &str, sort: Sort, round: usize) -> (Duration, usize) {
    let begun = Instant::now();
    let page = black_box(index.page(&Query { text, sort, limit: 24 + round, ..Query::default() }));
    (begun.elapsed(), page.total)
}

/// Returns the resident memory of this process in bytes; 0 outside Linux.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or_default() * 1024
}

/// Measures exact totals above [`TOTAL_CAP`], at which the total of a page stops.
fn exact_totals(index: &Index, rounds: usize) {
    println!("\n| Exact total of | is | ms |\n|---|---|---|");
    for text in QUERIES {
        let (mut times, mut total) = (Vec::new(), 0);
        for round in 0..rounds {
            let begun = Instant::now();
            let query = Query { text, exact: true, limit: 24 + round, ..Query::default() };
            let page = black_box(index.page(&query));
            times.push(begun.elapsed());
            total = page.total;
        }
        if total > TOTAL_CAP {
            println!("| {text} | {total} | {:.1} |", median(times).as_secs_f64() * 1000.0);
        }
    }
    println!();
}

/// Returns words of random titles, each with one letter missing; never `volume`, which repeated titles share.
fn mistyped(entries: &[Entry], random: &mut Random, words: usize) -> String {
    let mut text = Vec::new();
    while text.len() < words {
        let entry = &entries[random.below(entries.len())];
        let long: Vec<&str> = entry
            .title
            .split(' ')
            .filter(|word| {
                word.chars().count() > 4 && word.chars().all(char::is_alphabetic) && *word != "volume"
            })
            .collect();
        if !long.is_empty() {
            let mut letters: Vec<char> = long[random.below(long.len())].chars().collect();
            letters.remove(random.below(letters.len()));
            text.push(letters.into_iter().collect::<String>());
        }
    }
    text.join(" ")
}

/// Makes a search text.
type Make<'m> = &'m dyn Fn(&mut Random) -> String;

/// Measures the search for other spellings, which runs when few or no books match.
fn other_spellings(index: &Index, entries: &[Entry], random: &mut Random) {
    let before = resident();
    let begun = Instant::now();
    index.learn_words();
    let grown = resident().saturating_sub(before) / 1024 / 1024;
    println!("words collected in {:.2} s, {grown} MiB more\n", begun.elapsed().as_secs_f64());
    let kinds: [(&str, Make<'_>); 6] = [
        ("a new word of three syllables", &|random| random.word(3)),
        ("a word that exists nowhere", &|random| random.word(4)),
        ("five of them", &|random| (0..5).map(|_| random.word(3)).collect::<Vec<_>>().join(" ")),
        ("a word with a letter left out", &|random| mistyped(entries, random, 1)),
        ("two of them", &|random| mistyped(entries, random, 2)),
        ("five of them", &|random| mistyped(entries, random, 5)),
    ];
    println!("| With other spellings | with hits | median ms | p99 ms | longest ms |\n|---|---|---|---|---|");
    for (name, make) in kinds {
        let mut found = 0;
        let mut times: Vec<Duration> = (0..NEW_WORDS)
            .map(|_| {
                let text = make(random);
                let begun = Instant::now();
                let page = black_box(index.page(&Query {
                    text: &text,
                    similar: true,
                    limit: 24,
                    ..Query::default()
                }));
                found += usize::from(!page.similar.is_empty());
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        println!(
            "| {name} | {found} of {NEW_WORDS} | {:.2} | {:.2} | {:.2} |",
            ms(times[times.len() / 2]),
            ms(times[times.len() * 99 / 100]),
            ms(times[times.len() - 1])
        );
    }
    println!();
}

fn main() -> Result<()> {
    let options = Options::parse();
    let entries = titles(options.real_titles.as_deref(), options.titles)?;
    let mut text = String::new();
    for entry in &entries {
        text.extend([&*fold(&entry.title), "\u{1f}", &*fold(&entry.author), "\n"]);
    }
    println!("{} titles, {} MB of folded text", entries.len(), text.len() / 1_000_000);
    let begun = Instant::now();
    let mut loading = Loading::default();
    let mut left = entries.iter().cloned().peekable();
    while left.peek().is_some() {
        loading.push(left.by_ref().take(10_000).collect());
    }
    let index = loading.finish();
    println!("built in {:.2} s", begun.elapsed().as_secs_f64());

    let pass = || {
        let finder = memmem::Finder::new("qzxqzx");
        let begun = Instant::now();
        black_box(finder.find(black_box(text.as_bytes())));
        begun.elapsed()
    };
    let passes = median((0..=options.rounds * 2).map(|_| pass()).collect());
    let ratio = |time: Duration| time.as_secs_f64() / passes.as_secs_f64();
    println!("one pass of memmem: {:.2} ms\n", passes.as_secs_f64() * 1000.0);
    println!("| Query | found | title order ms | x pass | newest ms | x pass |\n|---|---|---|---|---|---|");
    for query in QUERIES {
        let (mut by_title, mut newest, mut found) = (Vec::new(), Vec::new(), 0);
        for round in 0..options.rounds {
            let (took, total) = time(&index, query, Sort::Title, round);
            by_title.push(took);
            newest.push(time(&index, query, Sort::Newest, round).0);
            found = total;
        }
        let (by_title, newest) = (median(by_title), median(newest));
        println!(
            "| {query} | {found} | {:.2} | {:.2} | {:.2} | {:.2} |",
            by_title.as_secs_f64() * 1000.0,
            ratio(by_title),
            newest.as_secs_f64() * 1000.0,
            ratio(newest)
        );
    }

    exact_totals(&index, options.rounds);

    let mut random = Random::new(7);
    for (name, words) in [("a new word of three syllables", 1), ("two of them", 2)] {
        let mut times: Vec<Duration> = (0..NEW_WORDS)
            .map(|_| {
                let text: Vec<String> = (0..words).map(|_| random.word(3)).collect();
                time(&index, &text.join(" "), Sort::Title, 0).0
            })
            .collect();
        times.sort_unstable();
        let (middle, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!(
            "{name}: median {:.3} ms ({:.2} x pass), p99 {:.3} ms",
            middle.as_secs_f64() * 1000.0,
            ratio(middle),
            p99.as_secs_f64() * 1000.0
        );
    }

    println!();
    other_spellings(&index, &entries, &mut random);

    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let id = i64::try_from(random.below(options.titles) + 1).unwrap_or(1);
            let entry = Entry {
                id,
                title: format!("Changed {}", random.word(3)),
                author: random.word(2),
                ..Entry::default()
            };
            let begun = Instant::now();
            index.replace(id..=id, vec![entry]);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!(
        "a book changed: median {:.2} ms, longest {:.2} ms",
        times[times.len() / 2].as_secs_f64() * 1000.0,
        times[times.len() - 1].as_secs_f64() * 1000.0
    );
    Ok(())
}
