//! The library's own list of books as a source that needs no network.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use anyhow::{Context as _, Result, anyhow, ensure};
use tokio::{sync::Mutex, task::JoinHandle};

use super::FoundBook;
use crate::import::{books, table::Source};

/// Maximum memory of the titles of a file, without the map: enough for about half a million titles.
const MOST_MEMORY: usize = 256 * 1024 * 1024;

/// File that is read again when it has changed.
pub struct OwnFile {
    path: PathBuf,
    read: Mutex<Reading>,
}

#[derive(Default)]
struct Reading {
    /// Index, and the modification time of the file that it was built from.
    index: Option<(SystemTime, Arc<Index>)>,
    /// Task that reads the file, and the file's modification time. Continues after the request that started it has ended.
    begun: Option<(SystemTime, JoinHandle<Result<Index>>)>,
}

/// Titles by ISBN, each as JSON, which takes less memory than its values.
pub struct Index(HashMap<u64, Box<str>>);

/// Returns an ISBN-13 as a number.
pub fn key(isbn: &str) -> u64 {
    isbn.parse().unwrap_or_default()
}

impl OwnFile {
    pub fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    /// Returns the titles of the file. Reads the file again if it has changed.
    pub async fn index(&self) -> Result<Arc<Index>> {
        let changed = std::fs::metadata(&self.path).and_then(|facts| facts.modified());
        let changed = changed.context("the file cannot be read")?;
        let mut read = self.read.lock().await;
        if let Some((at, index)) = &read.index
            && *at == changed
        {
            return Ok(Arc::clone(index));
        }
        let (at, reading) = read.begun.get_or_insert_with(|| {
            let path = self.path.clone();
            (changed, tokio::task::spawn_blocking(move || Index::of(&path)))
        });
        let (at, index) = (*at, reading.await);
        read.begun = None;
        let index = Arc::new(index.map_err(|ended| anyhow!(ended))??);
        read.index = Some((at, Arc::clone(&index)));
        Ok(index)
    }
}

impl Index {
    fn of(path: &Path) -> Result<Self> {
        let (mut titles, mut memory) = (HashMap::new(), 0);
        books::each_form(&Source::Path(path.to_owned()), u64::MAX, |form| {
            let Some(isbn) = form.isbn.clone().flatten() else { return Ok(()) };
            let json = serde_json::to_string(&FoundBook::from(form))?.into_boxed_str();
            memory += json.len();
            ensure!(memory <= MOST_MEMORY, "it has more titles than the look-up keeps in memory");
            titles.entry(key(&isbn)).or_insert(json);
            Ok(())
        })?;
        Ok(Self(titles))
    }

    /// Returns the title with an ISBN-13.
    pub fn find(&self, isbn: &str) -> Option<FoundBook> {
        serde_json::from_str(self.0.get(&key(isbn))?).ok()
    }
}
