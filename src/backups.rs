//! Backups: copies of the database, verified when they are made, and the server's daily schedule.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{DirBuilder, File},
    io::ErrorKind,
    iter::Peekable,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context as _, Result, ensure};
use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime, Time},
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
/// Pause after a failed daily backup.
const RETRY_PAUSE: Duration = Duration::from_mins(15);
/// Maximum age of the newest backup before it counts as late: a day, plus the time to make the next.
const LATE: SignedDuration = SignedDuration::from_hours(26);
/// Number of backups made by hand that are kept.
const MANUAL_BACKUPS_KEPT: usize = 10;
/// Maximum time that one listing of the backups spends on comparing files with their manifests.
const COMPARE_TIME_LIMIT: Duration = Duration::from_secs(2);
/// Format of the time in the name of a backup made by hand.
const STAMP: &str = "%Y-%m-%d-%H%M%S";

/// Retention of daily backups: the newest `days` backups, then the last backup of each of `weeks` earlier weeks and of
/// `months` earlier months.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    pub days: usize,
    pub weeks: usize,
    pub months: usize,
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<usize>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[days @ 1..=1000, weeks @ 0..=1000, months @ 0..=1000]) => Ok(Self { days, weeks, months }),
            _ => Err("write days, weeks and months, at least one day, such as 7,4,12".into()),
        }
    }
}

/// Settings of the daily backups.
#[derive(Clone, Debug)]
pub struct Daily {
    /// Folder, which must exist.
    pub folder: PathBuf,
    /// Time of day in the library's time zone.
    pub at: Time,
    pub keep: Keep,
}

/// Creates a folder for backups that only its owner may open, and tests that it is writable.
///
/// # Errors
/// The folder and its parent are missing, or the folder cannot be written to.
pub fn prepare(folder: &Path) -> Result<()> {
    let shown = folder.display();
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(error)
                .with_context(|| format!("--backup-folder: {shown} is not there and cannot be made"));
        }
        _ => ensure!(folder.is_dir(), "--backup-folder: {shown} is not a folder"),
    }
    tempfile::tempfile_in(folder).map(drop).with_context(|| {
        format!("--backup-folder: {shown} cannot be written to (systemd: name it in ReadWritePaths=)")
    })
}

impl Daily {
    /// Makes a backup of a database with an older schema, replacing an earlier backup of the same schema. Later daily
    /// backups do not remove it.
    ///
    /// # Errors
    /// Same as [`make`]; the earlier backup is then kept.
    pub fn before_migration(&self, location: &Location, schema: usize, clock: &Clock) -> Result<PathBuf> {
        let file = self.folder.join(format!("library-schema-{schema}.db"));
        let new = self.folder.join(format!("library-schema-{schema}.{}.new", clock.now()));
        remove_partial_files(&self.folder)?;
        let made = make(location, &new)?;
        if let Some(first) = made.contradictions.first() {
            tracing::error!(file = %file.display(), "the records of this backup contradict each other: {first}");
        }
        std::fs::rename(Manifest::path(&new), Manifest::path(&file))?;
        std::fs::rename(&new, &file)?;
        Ok(file)
    }
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

/// Reason for which a backup was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    Daily,
    ByHand,
    /// Before an update of the schema.
    BeforeUpdate,
}

/// Parses the name of a backup into its occasion and day; `None` for other files.
fn parse_name(name: &str) -> Option<(Occasion, Option<Date>)> {
    let stem = name.strip_prefix("library-")?.strip_suffix(".db")?;
    if let Some(schema) = stem.strip_prefix("schema-") {
        return schema.parse::<u32>().ok().map(|_| (Occasion::BeforeUpdate, None));
    }
    if let Ok(moment) = DateTime::strptime(STAMP, stem) {
        return (moment.strftime(STAMP).to_string() == stem)
            .then_some((Occasion::ByHand, Some(moment.date())));
    }
    let date: Date = stem.parse().ok()?;
    (name == self::name(date)).then_some((Occasion::Daily, Some(date)))
}

/// Returns name, occasion and day of each backup in a folder, ignoring other files.
fn names(folder: &Path) -> Result<Vec<(String, Occasion, Option<Date>)>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let known = files.filter_map(|file| {
        let name = file.ok()?.file_name().into_string().ok()?;
        let (occasion, day) = parse_name(&name)?;
        Some((name, occasion, day))
    });
    Ok(known.collect())
}

/// State of a backup's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// Verified when it was made, and unchanged since.
    Verified,
    /// Different from its manifest.
    Damaged,
    /// Not compared with its manifest yet.
    Unchecked,
    /// Without a manifest.
    Unknown,
}

/// A backup in the folder.
#[derive(Clone, Debug)]
pub struct BackupFile {
    pub name: String,
    pub occasion: Occasion,
    pub soundness: Soundness,
    pub made_at: Timestamp,
    pub bytes: u64,
    /// Number of rows of each table, according to the manifest.
    pub rows: BTreeMap<String, i64>,
}

/// Results of comparisons with manifests by file name, valid while length and modification time stay the same.
type Compared = BTreeMap<String, (u64, SystemTime, bool)>;

/// Result of the last backup, and whether one is being made by hand.
#[derive(Clone, Debug, Default)]
pub struct Work {
    pub is_running: bool,
    /// Reason why the last backup was not made.
    pub failure: Option<String>,
}

/// Backups of a running server: the daily ones, and those requested by a librarian.
pub struct Backups {
    location: Location,
    daily: Option<Daily>,
    /// Held while a backup is made.
    making: Mutex<()>,
    work: Mutex<Work>,
    compared: Mutex<Compared>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Backups {
    #[must_use]
    pub fn new(location: Location, daily: Option<Daily>) -> Self {
        Self { location, daily, making: Mutex::default(), work: Mutex::default(), compared: Mutex::default() }
    }

    /// Returns the settings of the daily backups, if the server makes them.
    #[must_use]
    pub fn daily(&self) -> Option<&Daily> {
        self.daily.as_ref()
    }

    /// True for PostgreSQL, which `pg_dump` backs up.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.location, Location::Postgres(_))
    }

    #[must_use]
    pub fn work(&self) -> Work {
        locked(&self.work).clone()
    }

    /// Returns the day of the newest backup; `None` without one, or if the folder cannot be read.
    #[must_use]
    pub fn last(&self) -> Option<Date> {
        let found = names(&self.daily()?.folder).ok()?;
        found.into_iter().filter_map(|(_, _, day)| day).max()
    }

    /// Lists the backups, newest first. Compares files with their manifests for at most two seconds;
    /// later calls continue.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Vec<BackupFile>> {
        let Some(daily) = &self.daily else { return Ok(Vec::new()) };
        let mut kept = Vec::new();
        for (name, occasion, _) in names(&daily.folder)? {
            let path = daily.folder.join(&name);
            // The file was removed after the folder was read.
            let Ok(file) = std::fs::metadata(&path) else { continue };
            let manifest = Manifest::beside(&path).ok().flatten();
            let changed_at = file.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let soundness = match &manifest {
                None => Soundness::Unknown,
                Some(manifest) if manifest.bytes != file.len() => Soundness::Damaged,
                Some(_) => match locked(&self.compared).get(&name) {
                    Some((bytes, at, sound)) if (*bytes, *at) == (file.len(), changed_at) => {
                        soundness(*sound)
                    }
                    _ => Soundness::Unchecked,
                },
            };
            let (made_at, rows) = match manifest {
                Some(manifest) => (manifest.made_at, manifest.rows),
                None => (Timestamp::try_from(changed_at).unwrap_or_default(), BTreeMap::new()),
            };
            kept.push(BackupFile { name, occasion, soundness, made_at, bytes: file.len(), rows });
        }
        kept.sort_by(|one, other| (other.made_at, &other.name).cmp(&(one.made_at, &one.name)));
        let begun = Instant::now();
        for backup in kept.iter_mut().filter(|backup| backup.soundness == Soundness::Unchecked) {
            if begun.elapsed() >= COMPARE_TIME_LIMIT {
                break;
            }
            backup.soundness = self.compare(&daily.folder.join(&backup.name), &backup.name);
        }
        Ok(kept)
    }

    /// Compares a file with its manifest and caches the result.
    fn compare(&self, path: &Path, name: &str) -> Soundness {
        let (Ok(file), Ok(Some(manifest))) = (std::fs::metadata(path), Manifest::beside(path)) else {
            return Soundness::Unknown;
        };
        let sound = manifest.check(path).is_ok();
        let changed_at = file.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        locked(&self.compared).insert(name.to_owned(), (file.len(), changed_at, sound));
        soundness(sound)
    }

    /// Opens a backup in the folder and returns it with its length; `None` if there is no backup with this name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(&self, name: &str) -> std::io::Result<Option<(File, u64)>> {
        let Some(daily) = self.daily.as_ref().filter(|_| parse_name(name).is_some()) else { return Ok(None) };
        match File::open(daily.folder.join(name)) {
            Ok(file) => {
                let bytes = file.metadata()?.len();
                Ok(Some((file, bytes)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reserves the next backup by hand; `false` if one is already being made, or if no folder is configured.
    #[must_use]
    pub fn begin(&self) -> bool {
        let mut work = locked(&self.work);
        if work.is_running || self.daily.is_none() {
            return false;
        }
        *work = Work { is_running: true, failure: None };
        true
    }

    /// Makes the reserved backup, and removes the oldest ones made by hand.
    pub fn make_by_hand(&self, clock: &Clock) {
        let made = self.daily.as_ref().map_or(Ok(()), |daily| self.write(daily, clock));
        if let Err(error) = &made {
            tracing::error!(reason = format!("{error:#}"), "no backup was made by hand");
        }
        let failure = made.err().map(|error| format!("{error:#}"));
        *locked(&self.work) = Work { is_running: false, failure };
    }

    fn write(&self, daily: &Daily, clock: &Clock) -> Result<()> {
        let _alone = locked(&self.making);
        remove_partial_files(&daily.folder)?;
        let moment = Timestamp::from_millisecond(clock.now())?.to_zoned(clock.zone());
        let path = daily.folder.join(format!("library-{}.db", moment.strftime(STAMP)));
        log_backup(&path, &make(&self.location, &path)?);
        let mut by_hand: Vec<String> = names(&daily.folder)?
            .into_iter()
            .filter_map(|(name, occasion, _)| (occasion == Occasion::ByHand).then_some(name))
            .collect();
        by_hand.sort();
        for name in by_hand.iter().rev().skip(MANUAL_BACKUPS_KEPT) {
            remove(&daily.folder.join(name))?;
        }
        Ok(())
    }
}

fn soundness(is_sound: bool) -> Soundness {
    if is_sound { Soundness::Verified } else { Soundness::Damaged }
}

/// Logs a new backup and the contradictions in its records.
fn log_backup(path: &Path, Verified { found, contradictions, .. }: &Verified) {
    tracing::info!(file = %path.display(), "backup made: {}", found.contents());
    if let Some(first) = contradictions.first() {
        tracing::error!(
            file = %path.display(),
            contradictions = contradictions.len(),
            "the records of the library, and of this backup, contradict each other: {first}; library doctor lists all"
        );
    }
}

/// Removes a backup and its manifest.
fn remove(old: &Path) -> Result<()> {
    std::fs::remove_file(old).with_context(|| format!("cannot remove {}", old.display()))?;
    // Backups made before manifests were introduced have none.
    let _ = std::fs::remove_file(Manifest::path(old));
    Ok(())
}

/// Describes the newest backup.
///
/// # Errors
/// There is no backup, or the newest one is late or damaged.
pub fn newest(folder: &Path, now: i64) -> Result<String> {
    let newest = dates(folder)?.pop_last();
    let newest = newest.with_context(|| format!("there is no backup in {}", folder.display()))?;
    let path = folder.join(name(newest));
    let manifest =
        Manifest::beside(&path)?.with_context(|| format!("{} has no manifest beside it", path.display()))?;
    manifest.check(&path)?;
    let age = Timestamp::from_millisecond(now)?.duration_since(manifest.made_at);
    let text = format!("{} is {} hours old", path.display(), age.as_hours());
    ensure!(age <= LATE, "the newest backup {text}");
    Ok(format!("{text}, and unchanged since"))
}

/// True if a backup is due: from the time `at` on if only today's is missing, at any time if yesterday's is missing too
/// (the server was down).
fn is_due(made: &BTreeSet<Date>, today: Date, time: Time, at: Time) -> bool {
    match made.last() {
        Some(last) if *last >= today => false,
        Some(last) if last.tomorrow().is_ok_and(|next| next >= today) => time >= at,
        _ => true,
    }
}

/// Returns the dates whose backups are no longer kept.
fn outdated(made: &BTreeSet<Date>, keep: Keep) -> BTreeSet<Date> {
    let mut newest_first = made.iter().rev().copied().peekable();
    let mut kept: BTreeSet<Date> = newest_first.by_ref().take(keep.days).collect();
    let week = |date: Date| {
        let week = date.iso_week_date();
        (week.year(), week.week())
    };
    keep_newest_of_each(&mut kept, &mut newest_first, keep.weeks, week);
    keep_newest_of_each(&mut kept, &mut newest_first, keep.months, |date| (date.year(), date.month()));
    made.difference(&kept).copied().collect()
}

/// Keeps the newest date of each of the next `most` periods; the dates of older periods stay in the iterator.
fn keep_newest_of_each(
    kept: &mut BTreeSet<Date>,
    newest_first: &mut Peekable<impl Iterator<Item = Date>>,
    most: usize,
    period: impl Fn(Date) -> (i16, i8),
) {
    let mut periods = BTreeSet::new();
    while let Some(date) =
        newest_first.next_if(|date| periods.len() < most || periods.contains(&period(*date)))
    {
        if periods.insert(period(date)) {
            kept.insert(date);
        }
    }
}

/// Removes partial files left by a killed server.
fn remove_partial_files(folder: &Path) -> Result<()> {
    for file in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let file = file?;
        let name = file.file_name();
        let name = name.to_string_lossy();
        let is_left = name.ends_with("partial") || name.contains(".new");
        if name.starts_with("library-") && is_left {
            std::fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

/// Makes the daily backup if it is due. Returns true if it made one.
fn make_if_due(daily: &Daily, location: &Location, clock: &Clock) -> Result<bool> {
    let moment = Timestamp::from_millisecond(clock.now())?.to_zoned(clock.zone());
    let (today, time) = (moment.date(), moment.time());
    let mut made = dates(&daily.folder)?;
    if !is_due(&made, today, time, daily.at) {
        return Ok(false);
    }
    remove_partial_files(&daily.folder)?;
    let path = daily.folder.join(name(today));
    log_backup(&path, &make(location, &path)?);
    made.insert(today);
    for date in outdated(&made, daily.keep) {
        remove(&daily.folder.join(name(date)))?;
    }
    Ok(true)
}

/// Publishes the time of the newest backup as a metric. Without a backup it is 0, because an alert does
/// not fire on a missing series.
fn publish_age(folder: &Path) {
    let newest = dates(folder).ok().and_then(|mut made| made.pop_last());
    let manifest = newest.and_then(|date| Manifest::beside(&folder.join(name(date))).ok().flatten());
    let seconds = manifest.map_or(0, |manifest| manifest.made_at.as_second());
    #[expect(
        clippy::cast_precision_loss,
        reason = "seconds since 1970 are exact in a float until long after us"
    )]
    metrics::gauge!("library_backup_made_timestamp_seconds").set(seconds as f64);
}

/// Makes the daily backups until the task is aborted.
pub async fn run(backups: Arc<Backups>, clock: Clock) {
    let Some(daily) = backups.daily.clone() else { return };
    // Published before the first backup, which takes a while in a large library.
    publish_age(&daily.folder);
    loop {
        let (plan, work, time) = (daily.clone(), Arc::clone(&backups), clock.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let _alone = locked(&work.making);
            let looked = make_if_due(&plan, &work.location, &time);
            publish_age(&plan.folder);
            looked
        });
        let failed = match looked.await {
            Ok(Ok(is_made)) => {
                if is_made {
                    locked(&backups.work).failure = None;
                }
                None
            }
            Ok(Err(error)) => Some(format!("{error:#}")),
            Err(panic) => Some(panic.to_string()),
        };
        let Some(reason) = failed else {
            sleep(POLL_INTERVAL).await;
            continue;
        };
        locked(&backups.work).failure = Some(reason.clone());
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
    fn a_backup_is_known_by_its_whole_name() {
        let day = date(2026, 11, 22);
        for (name, expected) in [
            ("library-2026-11-22.db", Some((Occasion::Daily, Some(day)))),
            ("library-2026-11-22-143005.db", Some((Occasion::ByHand, Some(day)))),
            ("library-schema-30.db", Some((Occasion::BeforeUpdate, None))),
            ("library-2026-11-22.db.manifest.json", None),
            ("library-2026-11-22.db.library-partial", None),
            ("library-2026-11-22-9.db", None),
            ("library-schema-../../etc.db", None),
            ("../library-2026-11-22.db", None),
            ("library.db", None),
        ] {
            assert_eq!(parse_name(name), expected, "{name}");
        }
    }

    #[test]
    fn seven_days_four_weeks_behind_them_and_twelve_months_behind_those_are_kept_o17() {
        let keep: Keep = "7,4,12".parse().expect("sound");
        let begin = date(2025, 1, 1);
        let mut made = BTreeSet::new();
        for day in 0..=700 {
            made.insert(begin.saturating_add(jiff::Span::new().days(day)));
            let outdated = outdated(&made, keep);
            made.retain(|date| !outdated.contains(date));
        }
        let last = begin.saturating_add(jiff::Span::new().days(700));
        assert_eq!(last, date(2026, 12, 2), "a Wednesday");
        let days = (0..7).map(|day| last.saturating_sub(jiff::Span::new().days(day)));
        let weeks = [date(2026, 11, 25), date(2026, 11, 22), date(2026, 11, 15), date(2026, 11, 8)];
        // The last Sunday of each month; in November, the last one before the four weeks.
        let months = [
            date(2026, 11, 1),
            date(2026, 10, 25),
            date(2026, 9, 27),
            date(2026, 8, 30),
            date(2026, 7, 26),
            date(2026, 6, 28),
            date(2026, 5, 31),
            date(2026, 4, 26),
            date(2026, 3, 29),
            date(2026, 2, 22),
            date(2026, 1, 25),
            date(2025, 12, 28),
        ];
        let expected: BTreeSet<Date> = days.chain(weeks).chain(months).collect();
        assert_eq!(made, expected);
        assert!(
            ["", "0,4,12", "7,4", "7,4,12,1", "a,b,c"].iter().all(|wrong| wrong.parse::<Keep>().is_err())
        );
    }
}
