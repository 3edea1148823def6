//! The search index beside an `SQLite` database, so that a start does not read and sort the whole catalogue.
//!
//! The file is used only by the program that wrote it, and only for the database whose history it continues. Whatever is
//! wrong with it, the index is loaded from the database instead.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter},
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    search::{AtRest, Index},
    storage::{
        self, Location, Tx,
        catalogue::{self as changes, LastEvent},
    },
    version::VERSION,
};

/// Number of books from which a file is written: fewer are loaded in a tenth of a second.
const FEWEST: usize = 20_000;

/// Minimum time between two files. The changes since then are applied at the next start.
const EVERY: Duration = Duration::from_mins(10);

/// Says to which program and to which state of which database a file belongs.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    program: String,
    /// Number of the last change of the catalogue that the index certainly has.
    number: i64,
    /// Newest change in the activity log at that time: in a database restored from a backup, the same id has another time.
    event: Option<LastEvent>,
}

/// Identity of this program. A program that folds or sorts otherwise is another file.
static PROGRAM: LazyLock<Option<String>> = LazyLock::new(|| {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let modified = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", *VERSION, file.len(), modified.as_nanos()))
});

/// File of the index beside a database.
pub(super) struct IndexFile {
    path: PathBuf,
    /// Version of the index in the file, and the time at which it was written or read.
    last: Mutex<Option<(u64, Instant)>>,
}

/// Index from a file, with the number of its last change.
pub(super) struct Found {
    pub(super) index: Index,
    pub(super) number: i64,
}

impl IndexFile {
    /// Returns the file beside this database; `None` for a database server.
    pub(super) fn beside(location: &Location) -> Option<Self> {
        let Location::Sqlite(database) = location else { return None };
        let mut name = database.clone().into_os_string();
        name.push(".search");
        Some(Self { path: name.into(), last: Mutex::default() })
    }

    /// Reads the index if the file belongs to this program and this database. `is_of` says whether the database has a
    /// stamp's numbers. Blocks.
    pub(super) fn read(&self, is_of: impl FnOnce(i64, Option<LastEvent>) -> bool) -> Option<Found> {
        match self.try_read(is_of) {
            Ok(found) => found,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, "the file of the search index is not used");
                }
                None
            }
        }
    }

    fn try_read(&self, is_of: impl FnOnce(i64, Option<LastEvent>) -> bool) -> io::Result<Option<Found>> {
        let file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        let file = AtRest::open(BufReader::with_capacity(1 << 20, file), length)?;
        let Ok(Stamp { program, number, event }) = serde_json::from_str(file.stamp()) else {
            return Ok(None);
        };
        if Some(program) != *PROGRAM || !is_of(number, event) {
            return Ok(None);
        }
        Ok(Some(Found { index: file.index()?, number }))
    }

    /// Remembers that the file has this version of the index.
    pub(super) fn has(&self, index: &Index) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((index.version(), Instant::now()));
    }

    /// True if the index has changed since the last file, and that is old enough.
    pub(super) fn is_due(&self, index: &Index) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = last.is_none_or(|(version, at)| version != index.version() && at.elapsed() >= EVERY);
        is_old && index.len() >= FEWEST && !index.has_words_to_learn()
    }

    /// Writes the index, which has at least all changes up to `number`. A failure is logged; the next try is as late as
    /// after a success. Blocks.
    pub(super) fn write(&self, index: &Index, number: i64, event: Option<LastEvent>) {
        let begun = Instant::now();
        self.has(index);
        let Some(program) = PROGRAM.clone() else { return };
        match self.try_write(index, &Stamp { program, number, event }) {
            Ok(()) => tracing::debug!(
                ms = crate::clock::millis(begun.elapsed()),
                "file of the search index written"
            ),
            Err(error) => tracing::warn!(%error, "the file of the search index cannot be written"),
        }
    }

    fn try_write(&self, index: &Index, stamp: &Stamp) -> io::Result<()> {
        // One name, so that the next server overwrites what a killed one left.
        let mut name = self.path.clone().into_os_string();
        name.push(".new");
        let written = PathBuf::from(name);
        let done = write_to(&written, index, stamp).and_then(|()| std::fs::rename(&written, &self.path));
        if done.is_err() {
            let _ = std::fs::remove_file(&written);
        }
        done
    }
}

fn write_to(path: &Path, index: &Index, stamp: &Stamp) -> io::Result<()> {
    let mut create = File::options();
    create.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut create, 0o600);
    let stamp = serde_json::to_string(stamp)?;
    // Not synchronised: a file that a power cut damaged is not used.
    index.write(&stamp, BufWriter::with_capacity(1 << 20, create.open(path)?))
}

/// True if the database has this change of the catalogue and this newest change of the log in its history, and all changes
/// of the catalogue since then.
pub(super) fn is_of(tx: &mut Tx<'_>, number: i64, event: Option<LastEvent>) -> storage::Result<bool> {
    let is_same = match event {
        Some(event) => changes::has_event(tx, event)?,
        None => true,
    };
    Ok(is_same && changes::newest_change(tx)? >= number && changes::changes_after(tx, number)?.is_some())
}
