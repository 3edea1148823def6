//! Medians and percentiles, and the table of goals of all benches.

use std::{fs::File, io::Write as _};

use anyhow::Result;

/// Returns the median; of an even count the mean of the two middle numbers.
pub fn median(numbers: &[f64]) -> f64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => numbers[n / 2],
        n => f64::midpoint(numbers[n / 2 - 1], numbers[n / 2]),
    }
}

/// Returns a percentile; `share` is in percent.
pub fn percentile(numbers: &[f64], share: usize) -> f64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().saturating_sub(1);
    numbers.get((numbers.len() * share / 100).min(last)).copied().unwrap_or(f64::NAN)
}

/// Goal of a measurement.
#[derive(Clone, Copy)]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// Appends a row to the table of goals, in the file that `BENCH_GOALS` names; no-op without that variable.
pub fn note_goal(what: &str, measured: f64, goal: Goal, unit: &str) -> Result<()> {
    let Some(file) = std::env::var_os("BENCH_GOALS") else { return Ok(()) };
    let (asked, number, kept) = match goal {
        Goal::AtLeast(least) => ("at least", least, measured >= least),
        Goal::AtMost(most) => ("at most", most, measured <= most),
    };
    let text = |number: f64| {
        let decimals = if number.abs() >= 100.0 { 0 } else { 2 };
        format!("{number:.decimals$}{unit}")
    };
    let kept = if kept { "yes" } else { "**no**" };
    let mut file = File::options().create(true).append(true).open(file)?;
    Ok(writeln!(file, "| {what} | {} | {asked} {} | {kept} |", text(measured), text(number))?)
}
