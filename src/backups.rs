//! Backups, verified when made, and the server's daily ones, kept for seven days and four weeks.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time},
};
use tokio::time::sleep;

use crate::{
    clock::Clock,
    storage::{
        self, Location,
        backup::{self, Manifest, Verified},
    },
};

/// Poll interval for a due backup.
const POLL_INTERVAL: Duration = Duration::from_secs(20);
/// Pause after a failure.
const RETRY_PAUSE: Duration = Duration::from_mins(15);
/// Number of days of which the backup is kept.
const DAYS: usize = 7;
const WEEKS: usize = 4;
/// Maximum age of the newest backup before it counts as late: a day, and time to make the next.
const LATE: SignedDuration = SignedDuration::from_hours(26);

/// Settings of the daily backups.
#[derive(Clone, Debug)]
pub struct Daily {
    /// Folder, which must exist.
    pub folder: PathBuf,
    /// Time of day in the library's time zone.
    pub at: Time,
}

/// Makes a copy of a database and verifies it as a restore would. A copy whose records contradict each other is kept.
///
/// # Errors
/// No copy was made, or the copy could not be verified.
pub fn make(location: &Location, to: &Path) -> Result<Verified> {
    storage::backup(location, to)?;
    backup::verify(to).with_context(|| format!("{} is kept, but it could not be verified", to.display()))
}

fn name(date: Date) -> String {
    format!("library-{date}.db")
}

/// Returns the dates of the backups in a folder, ignoring other files.
fn dates(folder: &Path) -> Result<BTreeSet<Date>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let date = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.ok()?.file_name();
        let date: Date = file.to_str()?.strip_prefix("library-")?.strip_suffix(".db")?.parse().ok()?;
        (file.to_str() == Some(&name(date))).then_some(date)
    };
    Ok(files.filter_map(date).collect())
}

/// Describes the newest backup.
///
/// # Errors
/// There is no backup, or the newest one is late.
pub fn newest(folder: &Path, now: i64) -> Result<String> {
    let newest = dates(folder)?.pop_last();
    let newest = newest.with_context(|| format!("there is no backup in {}", folder.display()))?;
    let path = folder.join(name(newest));
    let made_at = Manifest::beside(&path)?
        .with_context(|| format!("{} has no manifest beside it", path.display()))?
        .made_at;
    let age = Timestamp::from_millisecond(now)?.duration_since(made_at);
    let text = format!("{} is {} hours old", path.display(), age.as_hours());
    ensure!(age <= LATE, "the newest backup {text}");
    Ok(text)
}

/// True if a backup is due: after the time of day if today's is missing, and at any time if yesterday's is missing too, because
/// the server was down.
fn is_due(made: &BTreeSet<Date>, today: Date, time: Time, at: Time) -> bool {
    match made.last() {
        Some(last) if *last >= today => false,
        Some(last) if last.tomorrow().is_ok_and(|next| next >= today) => time >= at,
        _ => true,
    }
}

/// Returns the dates whose backups are no longer kept.
fn outdated(made: &BTreeSet<Date>) -> BTreeSet<Date> {
    let mut kept: BTreeSet<Date> = made.iter().rev().take(DAYS).copied().collect();
    let mut weeks = BTreeSet::new();
    for date in made.iter().rev() {
        let week = date.iso_week_date();
        if weeks.len() < WEEKS && weeks.insert((week.year(), week.week())) {
            kept.insert(*date);
        }
    }
    made.difference(&kept).copied().collect()
}

/// Removes partial files left by a killed server.
fn remove_partial_files(folder: &Path) -> Result<()> {
    for file in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = file?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("library-") && name.ends_with(".partial") {
            std::fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

/// Makes the backup if due; returns whether it did.
fn make_if_due(daily: &Daily, location: &Location, clock: &Clock) -> Result<bool> {
    let moment = Timestamp::from_millisecond(clock.now())?.to_zoned(clock.zone());
    let (today, time) = (moment.date(), moment.time());
    let mut made = dates(&daily.folder)?;
    if !is_due(&made, today, time, daily.at) {
        return Ok(false);
    }
    remove_partial_files(&daily.folder)?;
    let path = daily.folder.join(name(today));
    let Verified { found, contradictions, .. } = make(location, &path)?;
    tracing::info!(file = %path.display(), "backup made: {}", found.contents());
    if let Some(first) = contradictions.first() {
        tracing::error!(
            file = %path.display(),
            contradictions = contradictions.len(),
            "the records of the library, and of this backup, contradict each other: {first}; library doctor lists all"
        );
    }
    made.insert(today);
    for date in outdated(&made) {
        let old = daily.folder.join(name(date));
        std::fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
        // Copies older than manifests have none.
        let _ = std::fs::remove_file(Manifest::path(&old));
    }
    Ok(true)
}

/// Publishes the time of the newest good backup as a metric.
fn publish_age(folder: &Path) {
    let newest = dates(folder).ok().and_then(|mut made| made.pop_last());
    let manifest = newest.and_then(|date| Manifest::beside(&folder.join(name(date))).ok().flatten());
    if let Some(manifest) = manifest {
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 are exact in a float until long after us"
        )]
        let seconds = manifest.made_at.as_second() as f64;
        metrics::gauge!("library_backup_made_timestamp_seconds").set(seconds);
    }
}

/// Makes backups until the task is aborted.
pub async fn run(daily: Daily, location: Location, clock: Clock) {
    loop {
        let (plan, from, time) = (daily.clone(), location.clone(), clock.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let looked = make_if_due(&plan, &from, &time);
            publish_age(&plan.folder);
            looked
        });
        let failed = match looked.await {
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(panic) => Some(panic.to_string()),
        };
        let Some(reason) = failed else {
            sleep(POLL_INTERVAL).await;
            continue;
        };
        tracing::error!(
            reason,
            "no backup was made; it is tried again in {} minutes",
            RETRY_PAUSE.as_secs() / 60
        );
        if let Err(late) = newest(&daily.folder, clock.now()) {
            tracing::warn!("{late:#}");
        }
        sleep(RETRY_PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};

    use super::*;

    #[test]
    fn a_backup_is_due_once_a_day_and_at_once_where_one_was_missed() {
        let (today, at) = (date(2026, 11, 22), time(2, 30, 0, 0));
        let due = |newest: &[Date], now| is_due(&newest.iter().copied().collect(), today, now, at);
        assert!(due(&[], time(0, 0, 0, 0)), "the first");
        assert!(!due(&[date(2026, 11, 21)], time(2, 29, 59, 0)), "not yet");
        assert!(due(&[date(2026, 11, 21)], time(2, 30, 0, 0)), "now");
        assert!(!due(&[today], time(23, 59, 0, 0)), "made");
        assert!(due(&[date(2026, 11, 20)], time(0, 1, 0, 0)), "the server was down yesterday");
        assert!(!due(&[date(2026, 11, 23)], time(12, 0, 0, 0)), "the clock was ahead");
    }

    #[test]
    fn seven_days_and_four_weeks_are_kept() {
        let begin = date(2026, 9, 1);
        let mut made = BTreeSet::new();
        for day in 0..60 {
            made.insert(begin.saturating_add(jiff::Span::new().days(day)));
            let outdated = outdated(&made);
            made.retain(|date| !outdated.contains(date));
        }
        // October 30 is a Friday; Sundays end the weeks.
        let expected: BTreeSet<Date> = (24..=30)
            .map(|day| date(2026, 10, day))
            .chain([date(2026, 10, 11), date(2026, 10, 18), date(2026, 10, 25)])
            .collect();
        assert_eq!(made, expected);
    }
}
