//! The library's time zone: kept in the database at the first start, so that all servers and commands count the same days.

use anyhow::{Context as _, Result, bail};
use jiff::tz::TimeZone;

use crate::storage::{Tx, time_zone};

/// Time zone of a new library.
const DEFAULT: &str = "Asia/Kolkata";

/// Returns the kept time zone, or the requested one if none is kept yet.
///
/// # Errors
/// If a time zone other than the kept one was requested.
pub fn of(tx: &mut Tx<'_>, requested: Option<&TimeZone>) -> Result<TimeZone> {
    let kept = time_zone::kept(tx)?;
    agreed(kept.as_deref().unwrap_or_else(|| name(requested)), requested)
}

/// Like [`of`], and keeps the time zone of a library that has none yet.
///
/// # Errors
/// If a time zone other than the kept one was requested.
pub fn keep(tx: &mut Tx<'_>, requested: Option<&TimeZone>) -> Result<TimeZone> {
    let kept = time_zone::keep(tx, name(requested))?;
    agreed(&kept, requested)
}

/// Returns the time zone for file names before the database is open.
#[must_use]
pub fn provisional(requested: Option<&TimeZone>) -> TimeZone {
    requested.cloned().or_else(|| TimeZone::get(DEFAULT).ok()).unwrap_or(TimeZone::UTC)
}

/// Returns the IANA name to keep.
#[must_use]
pub fn name(requested: Option<&TimeZone>) -> &str {
    requested.map_or(DEFAULT, |zone| zone.iana_name().unwrap_or("UTC"))
}

fn agreed(kept: &str, requested: Option<&TimeZone>) -> Result<TimeZone> {
    if let Some(requested) = requested
        && name(Some(requested)) != kept
    {
        bail!(
            "this library's days are those of {kept}, not of {other}: leave --time-zone (LIBRARY_TIME_ZONE) out; to \
             change it, stop every server and run library time-zone {other}",
            other = name(Some(requested))
        );
    }
    TimeZone::get(kept).with_context(|| format!("this program does not know the library's time zone {kept}"))
}
