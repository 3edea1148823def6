//! Imports photos of people from a ZIP archive, in which each file has a roll number as its name.

use std::{
    collections::HashMap,
    io::{Cursor, Read as _},
    sync::Arc,
};

use anyhow::{Context as _, Error, Result, anyhow, ensure};
use bytes::Bytes;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;
use zip::ZipArchive;

use super::{patiently, readers::Readers, reason};
use crate::{
    clock::Clock,
    domain::{
        account::folded_roll_number,
        id::{ImportId, UserId},
        moment::Moment,
        rule::{FieldError, Invalid},
    },
    message, people, picture,
    spreadsheet::guarded,
    storage::{
        self, Db, Tx,
        authority::Authority,
        imports::{self, Counts, State},
        people::Record,
        photos::{self, Photo},
    },
};

/// Maximum length of an archive, which is held in memory: a thousand photos of an ID card's size.
pub const LONGEST_ARCHIVE: usize = 64 * 1024 * 1024;
/// Maximum number of files in an archive.
const MOST_FILES: usize = 5000;
/// Files decoded before their photos are stored in one transaction.
const PORTION: usize = 20;
/// Rejected files listed in a report.
const LISTED: usize = 200;
const MEGABYTE: usize = 1024 * 1024;

/// Parameters of an import.
#[derive(Clone, Debug)]
pub struct Options {
    pub by: UserId,
    pub moment: Moment,
    /// True to replace photos that people already have.
    pub replace: bool,
}

/// Rejected file of an archive.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RejectedFile {
    /// Name of the file in the archive.
    pub file: String,
    pub errors: Vec<FieldError>,
}

/// Effect that an import of photos would have. Only the import itself decodes the pictures, so it may reject more.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhotosReport {
    pub files: u64,
    /// People who would get their first photo.
    pub added: u64,
    /// People whose photo would be replaced.
    pub replaced: u64,
    /// People who would keep the photo that they have.
    pub known: u64,
    pub rejected: u64,
    /// At most the first 200 rejected files.
    pub rejected_files: Vec<RejectedFile>,
}

/// File of an archive.
#[derive(Clone)]
struct File {
    /// Place in the archive.
    index: usize,
    name: String,
    /// Folded roll numbers that the name may stand for, the likeliest first.
    roll_numbers: Vec<String>,
    /// Unpacked length that the archive states.
    length: u64,
}

type Archive = ZipArchive<Cursor<Bytes>>;

fn damaged<E>(_: E) -> Error {
    Error::msg(message::import_not_zip())
}

/// Opens an archive and lists its files, without folders and the files that operating systems add. The error of an unusable
/// archive is a [`message::Message`].
fn open(archive: Bytes) -> Result<(Archive, Vec<File>)> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(damaged)?;
    ensure!(archive.len() <= MOST_FILES, Error::msg(message::import_full_zip(MOST_FILES)));
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(damaged)?;
        ensure!(!part.encrypted(), Error::msg(message::import_locked_zip()));
        let path = part.name().map_err(damaged)?.into_owned();
        let name: String = path
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        let is_added = path.starts_with("__MACOSX/") || name.starts_with('.') || name == "Thumbs.db";
        if part.is_dir() || name.is_empty() || is_added {
            continue;
        }
        files.push(File { index, roll_numbers: roll_numbers(&name), name, length: part.size() });
    }
    ensure!(!files.is_empty(), Error::msg(message::import_empty_zip()));
    Ok((archive, files))
}

/// Returns the roll numbers that a file name may stand for. A file name has no slash, so a hyphen or an underscore may be one.
fn roll_numbers(name: &str) -> Vec<String> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let own = folded_roll_number(&stem.nfkc().take(1000).collect::<String>());
    let mut all = vec![own.clone()];
    for sign in ['_', '-'] {
        let slashed = own.replace(sign, "/");
        if !all.contains(&slashed) {
            all.push(slashed);
        }
    }
    all
}

/// Effect of a file.
enum Plan {
    /// Stores the photo of this person, who has another one if `replaces`.
    Store { person: UserId, replaces: bool },
    /// Keeps the person's existing photo.
    Known,
}

/// People found so far, each with the name of the file that found them.
type Seen = HashMap<UserId, String>;

/// Decides the effect of each file by its name.
fn plan(
    tx: &mut Tx<'_>,
    files: &[&File],
    authority: &Authority,
    replace: bool,
) -> storage::Result<Vec<std::result::Result<Plan, Invalid>>> {
    let mut seen = Seen::new();
    let readers =
        Readers::of(tx, files.iter().flat_map(|file| &file.roll_numbers).map(String::as_str), false)?;
    let found: Vec<_> = files.iter().map(|file| person_of(&readers, file, authority, &mut seen)).collect();
    let uids: Vec<UserId> = found.iter().flatten().map(|record| record.uid).collect();
    let known = photos::versions(tx, &uids)?;
    let plans = found.into_iter().map(|person| {
        let Record { uid, .. } = person?;
        let has_photo = known.contains_key(&uid);
        Ok(if has_photo && !replace { Plan::Known } else { Plan::Store { person: uid, replaces: has_photo } })
    });
    Ok(plans.collect())
}

/// Returns the person of a file, or the reason of its rejection.
fn person_of(
    readers: &Readers,
    file: &File,
    authority: &Authority,
    seen: &mut Seen,
) -> std::result::Result<Record, Invalid> {
    let mut invalid = Invalid::default();
    let known = file.roll_numbers.iter().find_map(|number| readers.known(number));
    let own = &file.roll_numbers[0];
    let Some(record) = known.or_else(|| readers.find(own, &mut invalid)) else {
        return Err(if own.is_empty() {
            Invalid::field("", message::import_unknown_roll_number(&file.name))
        } else {
            invalid
        });
    };
    if file.length > picture::LONGEST as u64 {
        return Err(Invalid::field("", message::import_photo_large(picture::LONGEST / MEGABYTE)));
    }
    if authority.covers(&record.capabilities).is_err() {
        return Err(Invalid::field("", message::problem_more_capable()));
    }
    if let Some(other) = seen.get(&record.uid) {
        return Err(Invalid::field("", message::import_photo_twice(other)));
    }
    seen.insert(record.uid, file.name.clone());
    Ok(record.clone())
}

/// Counts the files of an archive; fails if it cannot be imported at all.
pub fn count_files(archive: &Bytes) -> Result<u64> {
    Ok(open(archive.clone())?.1.len() as u64)
}

/// File with its effect, or the reason of its rejection.
type Planned = (File, std::result::Result<Plan, Invalid>);

/// Decides the effect of all files of an archive.
fn plan_all(db: &Db, files: Vec<File>, options: &Options) -> storage::Result<Vec<Planned>> {
    let (by, replace) = (options.by, options.replace);
    db.read_blocking(move |tx| -> storage::Result<_> {
        let authority = authority_of(tx, by)?;
        let all: Vec<&File> = files.iter().collect();
        let plans = plan(tx, &all, &authority, replace)?;
        Ok(files.into_iter().zip(plans).collect())
    })
}

/// Returns the effect that an import would have. Blocks on the database.
pub fn check(db: &Db, archive: Bytes, options: &Options) -> Result<PhotosReport> {
    let (mut archive, files) = open(archive)?;
    let mut report = PhotosReport { files: files.len() as u64, ..PhotosReport::default() };
    for (file, plan) in plan_all(db, files, options)? {
        let checked = match plan {
            Ok(Plan::Known) => plan,
            // A file that is no picture is reported as such, whatever its name.
            _ => check_beginning(&mut archive, &file).and(plan),
        };
        match checked {
            Ok(Plan::Store { replaces: false, .. }) => report.added += 1,
            Ok(Plan::Store { .. }) => report.replaced += 1,
            Ok(Plan::Known) => report.known += 1,
            Err(invalid) => {
                report.rejected += 1;
                if report.rejected_files.len() < LISTED {
                    report.rejected_files.push(RejectedFile { file: file.name, errors: invalid.0 });
                }
            }
        }
    }
    Ok(report)
}

/// Reads the librarian's authority; without one, the import cannot go on.
fn authority_of(tx: &mut Tx<'_>, by: UserId) -> storage::Result<Authority> {
    Authority::of(tx, by)
        .map_err(|_| storage::Error::Database("the librarian may no longer change people".into()))
}

fn refusal(refused: picture::Refused) -> Invalid {
    Invalid::field("", refused.message())
}

/// Unpacks the first bytes of a file, at most `length`.
fn unpacked(archive: &mut Archive, file: &File, length: u64) -> std::result::Result<Vec<u8>, Invalid> {
    let damaged = || refusal(picture::Refused::Damaged);
    let mut bytes = Vec::new();
    let part = archive.by_index(file.index).map_err(|_| damaged())?;
    part.take(length).read_to_end(&mut bytes).map_err(|_| damaged())?;
    Ok(bytes)
}

/// Checks that a file begins like a picture.
fn check_beginning(archive: &mut Archive, file: &File) -> std::result::Result<(), Invalid> {
    picture::check_beginning(&unpacked(archive, file, picture::BEGINNING)?).map_err(refusal)
}

/// Unpacks and decodes a file.
fn decoded(archive: &mut Archive, file: &File) -> std::result::Result<Photo, Invalid> {
    // One byte more than allowed, because the length that the archive states may be wrong.
    let bytes = unpacked(archive, file, picture::LONGEST as u64 + 1)?;
    if bytes.len() > picture::LONGEST {
        return Err(Invalid::field("", message::import_photo_large(picture::LONGEST / MEGABYTE)));
    }
    let jpeg = picture::photo(&bytes).map_err(refusal)?;
    Ok(Photo { version: picture::hash(&jpeg), jpeg })
}

/// Imports an upload that [`imports::begin`] recorded. Blocks on the database, so it must run on a plain thread.
pub fn run(db: &Db, archive: Bytes, options: &Options, id: ImportId) -> Result<()> {
    let mut counts = Counts::default();
    let mut rejected = RejectedNames::new();
    let outcome = store_all(db, archive, options, id, (&mut counts, &mut rejected));
    let state = if outcome.is_ok() { State::Done } else { State::Stopped };
    let rejects = (!rejected.is_empty()).then(|| as_csv(&rejected)).transpose()?;
    db.write_blocking(move |tx| imports::end(tx, id, state, rejects.as_deref(), now()))?;
    outcome
}

fn now() -> i64 {
    Clock::system(jiff::tz::TimeZone::UTC).now()
}

/// Lists rejected files and reasons as CSV.
fn as_csv(rejected: &[(String, String)]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["file", "reason"])?;
    for (file, reason) in rejected {
        writer.write_record([guarded(file), guarded(reason)])?;
    }
    let bytes = writer.into_inner().map_err(|error| anyhow!("{error}"))?;
    String::from_utf8(bytes).context("the list of rejected files")
}

/// Names of rejected files, each with the reason.
type RejectedNames = Vec<(String, String)>;

fn store_all(
    db: &Db,
    archive: Bytes,
    options: &Options,
    id: ImportId,
    (counts, rejected): (&mut Counts, &mut RejectedNames),
) -> Result<()> {
    let (mut archive, files) = open(archive)?;
    for portion in plan_all(db, files, options)?.chunks(PORTION) {
        let mut photos = Vec::new();
        for (file, plan) in portion {
            // Decoded before the transaction, which other writers wait for.
            let photo = match plan {
                Ok(Plan::Store { .. }) => decoded(&mut archive, file).map(Some),
                Ok(Plan::Known) => Ok(None),
                Err(invalid) => check_beginning(&mut archive, file).and_then(|()| Err(invalid.clone())),
            };
            match photo {
                Ok(Some(photo)) => photos.push((file.clone(), photo)),
                Ok(None) => counts.known += 1,
                Err(invalid) => {
                    counts.rejected += 1;
                    rejected.push((file.name.clone(), reason(&invalid)));
                }
            }
        }
        counts.done += i64::try_from(portion.len()).unwrap_or(i64::MAX);
        let photos = Arc::new(photos);
        let (stored, refused) = patiently(|| {
            let (photos, counts, options) = (Arc::clone(&photos), *counts, options.clone());
            db.write_blocking(move |tx| store(tx, &photos, &options, counts, id))
        })?;
        *counts = stored;
        rejected.extend(refused);
    }
    Ok(())
}

/// Stores a portion in one transaction, with the progress of the import.
fn store(
    tx: &mut Tx<'_>,
    decoded: &[(File, Photo)],
    options: &Options,
    mut counts: Counts,
    id: ImportId,
) -> storage::Result<(Counts, RejectedNames)> {
    let authority = authority_of(tx, options.by)?;
    let files: Vec<&File> = decoded.iter().map(|(file, _)| file).collect();
    let mut refused = Vec::new();
    let mut plans: Vec<_> = plan(tx, &files, &authority, options.replace)?.into_iter().zip(decoded).collect();
    // Rows are locked in the order of ids.
    plans.sort_by_key(|(plan, _)| match plan {
        Ok(Plan::Store { person, .. }) => Some(*person),
        _ => None,
    });
    for (plan, (file, photo)) in plans {
        match plan {
            Ok(Plan::Store { person, replaces }) => {
                match people::photo::set(tx, &authority, options.moment, person, photo, Some(id)) {
                    Ok(()) if replaces => counts.more += 1,
                    Ok(()) => counts.added += 1,
                    Err(people::Error::Storage(error)) => return Err(error),
                    // Erased, or given more rights, since the plan was made.
                    Err(_) => {
                        counts.rejected += 1;
                        let number = &file.roll_numbers[0];
                        refused.push((file.name.clone(), message::import_unknown_roll_number(number).text()));
                    }
                }
            }
            Ok(Plan::Known) => counts.known += 1,
            Err(invalid) => {
                counts.rejected += 1;
                refused.push((file.name.clone(), reason(&invalid)));
            }
        }
    }
    imports::advance(tx, id, &counts, now())?;
    Ok((counts, refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_stands_for_roll_numbers_with_slashes_too() {
        assert_eq!(roll_numbers("CS-23_101.JPG"), ["cs-23_101", "cs-23/101", "cs/23_101"]);
        assert_eq!(roll_numbers("101.jpg"), ["101"]);
        assert_eq!(roll_numbers("no dot"), ["no dot"]);
    }
}
