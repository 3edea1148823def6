//! Backups in the browser: list, make and download.

use std::{
    fs::File,
    io::Read as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use jiff::civil::Time;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Shared,
    error::{Error, Result},
    extract::{Nothing, OptionalJsonBody, PathText},
    idempotency::{Answer, Once},
    session::SignedIn,
};
use crate::{
    backups::{BackupFile, Daily, Occasion, Soundness},
    domain::account::{Capability, User},
};

/// Bytes read at once for a download.
const PORTION: usize = 256 * 1024;

/// A kept backup.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptBackup {
    /// Name of the backup's file.
    name: String,
    /// `daily`, `by-hand` or `before-update`.
    occasion: &'static str,
    /// `verified`: verified when the backup was made, and unchanged since. `damaged`: the file differs from its
    /// manifest. `unchecked`: the file is not compared with its manifest yet; read the list again. `unknown`: the
    /// backup has no manifest.
    state: &'static str,
    made_at: String,
    /// Size of the file in bytes.
    bytes: u64,
    /// Number of titles in the backup; null if unknown.
    #[schema(required)]
    books: Option<i64>,
    #[schema(required)]
    copies: Option<i64>,
    #[schema(required)]
    people: Option<i64>,
    /// Number of loans, including past ones; null if unknown.
    #[schema(required)]
    loans: Option<i64>,
}

impl From<BackupFile> for KeptBackup {
    fn from(kept: BackupFile) -> Self {
        let count = |table: &str| kept.rows.get(table).copied();
        Self {
            occasion: match kept.occasion {
                Occasion::Daily => "daily",
                Occasion::ByHand => "by-hand",
                Occasion::BeforeUpdate => "before-update",
            },
            state: match kept.soundness {
                Soundness::Verified => "verified",
                Soundness::Damaged => "damaged",
                Soundness::Unchecked => "unchecked",
                Soundness::Unknown => "unknown",
            },
            made_at: kept.made_at.to_string(),
            bytes: kept.bytes,
            books: count("books"),
            copies: count("copies"),
            people: count("users"),
            loans: count("loans"),
            name: kept.name,
        }
    }
}

/// Plan of the daily backups.
#[derive(Serialize, ToSchema)]
pub struct BackupPlan {
    /// Folder on the server.
    folder: String,
    /// Time of day in the library's time zone.
    #[schema(value_type = String)]
    at: Time,
    /// Number of newest days whose last backup is kept.
    days: usize,
    /// Number of weeks before those days whose last backup is kept.
    weeks: usize,
    /// Number of months before those weeks whose last backup is kept.
    months: usize,
}

impl From<&Daily> for BackupPlan {
    fn from(daily: &Daily) -> Self {
        Self {
            folder: daily.folder.display().to_string(),
            at: daily.at,
            days: daily.keep.days,
            weeks: daily.keep.weeks,
            months: daily.keep.months,
        }
    }
}

/// Kept backups, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupList {
    /// Plan of the daily backups; null if the server makes none.
    #[schema(required)]
    plan: Option<BackupPlan>,
    /// True if the database is PostgreSQL, which `pg_dump` backs up.
    postgres: bool,
    /// True while a backup requested by hand is being made.
    running: bool,
    /// Reason why the server could not list the backups or make the last backup; null without a failure.
    #[schema(required)]
    failure: Option<String>,
    /// True if the caller has every capability, which a download requires.
    may_download: bool,
    backups: Vec<KeptBackup>,
}

/// True for a librarian with every capability, because a backup contains all data.
fn may_download(librarian: &User) -> bool {
    Capability::ALL.iter().all(|one| librarian.capabilities.contains(one))
}

/// List the kept backups, newest first, and the plan of the daily ones.
#[utoipa::path(get, path = "/backups", responses((status = 200, body = BackupList)))]
pub async fn list_backups(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
) -> Result<axum::Json<BackupList>> {
    let backups = Arc::clone(&app.backups);
    let found = tokio::task::spawn_blocking(move || backups.list()).await;
    let found = found.map_err(|error| Error::Internal(error.into()))?;
    let work = app.backups.work();
    let (kept, unread) = match found {
        Ok(kept) => (kept, None),
        Err(error) => (Vec::new(), Some(format!("{error:#}"))),
    };
    Ok(axum::Json(BackupList {
        plan: app.backups.daily().map(BackupPlan::from),
        postgres: app.backups.is_postgres(),
        running: work.is_running,
        failure: unread.or(work.failure),
        may_download: may_download(&librarian),
        backups: kept.into_iter().map(KeptBackup::from).collect(),
    }))
}

/// Make a backup now, in addition to the daily ones; the server keeps the last ten backups made by hand. The backup is
/// made in the background: read the list for the result. While a backup is being made, a second call changes nothing.
#[utoipa::path(post, path = "/backups", responses((status = 204)))]
pub async fn make_backup(
    State(app): State<Shared>,
    once: Once,
    OptionalJsonBody(Nothing {}): OptionalJsonBody<Nothing>,
) -> Result<Answer> {
    if app.backups.daily().is_none() {
        return Err(Error::BackupsOff);
    }
    let is_first = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_first);
    let answer = app
        .once(once, move |_| {
            noted.store(true, Ordering::Relaxed);
            Ok(Answer::empty())
        })
        .await?;
    if is_first.load(Ordering::Relaxed) && app.backups.begin() {
        let (backups, clock) = (Arc::clone(&app.backups), app.library.clock.clone());
        tokio::task::spawn_blocking(move || backups.make_by_hand(&clock));
    }
    Ok(answer)
}

/// Download a backup, a SQLite file for `library restore`. Only for librarians with every capability, because a backup
/// contains all data. Each download is logged.
#[utoipa::path(get, path = "/backups/{name}", params(("name" = String, Path)),
    responses((status = 200, body = String, content_type = "application/vnd.sqlite3")))]
pub async fn download_backup(
    State(app): State<Shared>,
    SignedIn(librarian): SignedIn,
    PathText(name): PathText,
) -> Result<Response> {
    let (backups, wanted) = (Arc::clone(&app.backups), name.clone());
    let opened = tokio::task::spawn_blocking(move || backups.open(&wanted)).await;
    let opened = opened.map_err(|error| Error::Internal(error.into()))?;
    let (file, bytes) = opened.map_err(|error| Error::Internal(error.into()))?.ok_or(Error::NotFound)?;
    if !may_download(&librarian) {
        return Err(Error::Forbidden);
    }
    let headers = [
        (header::CONTENT_TYPE, "application/vnd.sqlite3".to_owned()),
        (header::CONTENT_LENGTH, bytes.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    let portions = stream::try_unfold(file, |file| async {
        let portion = tokio::task::spawn_blocking(move || next(file)).await;
        portion.map_err(std::io::Error::other)?
    });
    Ok((headers, Body::from_stream(portions)).into_response())
}

/// Reads the next bytes of a file; `None` at its end.
fn next(mut file: File) -> std::io::Result<Option<(Bytes, File)>> {
    let mut portion = vec![0; PORTION];
    let read = file.read(&mut portion)?;
    portion.truncate(read);
    Ok((read > 0).then(|| (portion.into(), file)))
}
