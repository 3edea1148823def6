//! ISBN look-up: fills in the form of a book with data from other catalogues.
//!
//! The server asks the sources that the operator named one after the other, and takes the data of the first that knows the
//! ISBN. Nothing is stored until a librarian saves the form.

mod answer;
mod file;

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use hyper::StatusCode;
use serde::Serialize;
use tokio::time::timeout;
use url::Url;
use utoipa::ToSchema;

use crate::outbound::{self, Outbound};
pub use answer::FoundBook;
use file::OwnFile;

/// Maximum number of sources. With [`outbound::PATIENCE`] each, all of them answer within the time limit of a request.
pub const MOST_SOURCES: usize = 5;
/// Maximum length of an answer.
const LONGEST_ANSWER: usize = 1024 * 1024;
/// Back-off after a failure, during which the source is not asked.
const REST: Duration = Duration::from_mins(1);
/// Time for which a source is not asked again for an ISBN that it does not know.
const UNKNOWN_FOR: Duration = Duration::from_hours(30 * 24);
/// Maximum number of unknown ISBNs remembered per source.
const MOST_UNKNOWN: usize = 10_000;

/// Reason why a source gave no answer.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Outbound(#[from] outbound::Error),
    #[error("it answered with status {0}")]
    Status(StatusCode),
    #[error("its answer cannot be read: {0:#}")]
    Unreadable(anyhow::Error),
    #[error("its file is still being read")]
    Reading,
    #[error("it failed a moment ago")]
    Resting,
}

/// Place where an ISBN is looked up, as the operator writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Open Library, or a server with the same API.
    OpenLibrary(Url),
    /// Google Books, or a server with the same API.
    Google(Url),
    /// Library catalogue that answers SRU with MARCXML; `{isbn}` in its address is replaced.
    Sru(String),
    /// The library's own list of books: MARC, CSV or a spreadsheet.
    File(PathBuf),
}

impl Place {
    /// Parses `openlibrary`, `google`, `sru:URL` or `file:PATH`.
    ///
    /// # Errors
    /// The text is none of these, or an address that may not be called.
    pub fn parse(text: &str) -> Result<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let address = |default: &str| -> Result<Url> {
            let url = Url::parse(if rest.is_empty() { default } else { rest });
            let url = url.with_context(|| format!("{text} names no address"))?;
            ensure!(outbound::is_safe(&url), "{text} must be an address with https");
            Ok(url)
        };
        Ok(match kind {
            "openlibrary" => Self::OpenLibrary(address("https://openlibrary.org")?),
            "google" => Self::Google(address("https://www.googleapis.com")?),
            "sru" => {
                let url = address("")?;
                let standard = "version=1.1&operation=searchRetrieve&recordSchema=marcxml&recordPacking=xml\
                                &maximumRecords=5&query=bath.isbn%3D{isbn}";
                let is_whole = rest.contains("{isbn}");
                Self::Sru(if is_whole { rest.to_owned() } else { format!("{}?{standard}", strip(&url)) })
            }
            "file" if !rest.is_empty() => Self::File(rest.into()),
            _ => bail!("{text} is no source: write openlibrary, google, sru:URL or file:PATH"),
        })
    }
}

/// Returns an address without query.
fn strip(url: &Url) -> &str {
    url[..url::Position::AfterPath].trim_end_matches('/')
}

/// The operator's options.
#[derive(Clone, Debug)]
pub struct Options {
    pub places: Vec<Place>,
    /// Google's API key; without one Google refuses most calls.
    pub google_key: Option<String>,
    /// Timeout of each source.
    pub patience: Duration,
    /// Back-off after a failure of a source.
    pub rest: Duration,
}

impl Options {
    /// Options for these sources with the default times.
    #[must_use]
    pub fn new(places: Vec<Place>, google_key: Option<String>) -> Self {
        Self { places, google_key, patience: outbound::PATIENCE, rest: REST }
    }
}

/// A source with its name, its breaker and its unknown ISBNs.
struct Source {
    name: String,
    ask: Ask,
    outbound: Outbound,
    patience: Duration,
    rest: Duration,
    /// End of the back-off after a failure.
    rests_until: Mutex<Option<Instant>>,
    unknown: Mutex<HashMap<u64, Instant>>,
}

enum Ask {
    OpenLibrary(Url),
    Google(Url, Option<String>),
    Sru(String),
    File(OwnFile),
}

/// Sources in the order in which they are asked.
pub struct Sources(Vec<Source>);

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|source| &source.name)).finish()
    }
}

/// Result of a look-up.
#[derive(Debug, Serialize, ToSchema)]
pub struct LookUp {
    /// ISBN-13 that was looked up.
    isbn: String,
    /// Data of the book; null if no source that answered knows the ISBN.
    #[schema(required)]
    found: Option<FoundBook>,
    /// Name of the source of the data.
    #[schema(required)]
    source: Option<String>,
    /// Names of the sources that gave no answer.
    silent: Vec<String>,
}

impl Sources {
    /// Creates the sources; `roots` is the file of trusted root certificates.
    ///
    /// # Errors
    /// There are too many, an address cannot be parsed, or a file is missing.
    pub fn new(options: &Options, roots: &Path) -> Result<Self> {
        ensure!(options.places.len() <= MOST_SOURCES, "at most {MOST_SOURCES} sources can be named");
        let sources = options.places.iter().map(|place| Source::new(place, options, roots));
        Ok(Self(sources.collect::<Result<_>>()?))
    }

    /// Reads the library's own files, so that the first look-up need not wait.
    pub async fn prepare(&self) {
        for source in &self.0 {
            if let Ask::File(file) = &source.ask
                && let Err(error) = file.index().await
            {
                tracing::warn!("ISBN look-up in {}: {error:#}", source.name);
            }
        }
    }

    /// Looks up an ISBN-13.
    pub async fn look_up(&self, isbn: String) -> LookUp {
        let mut silent = Vec::new();
        for source in &self.0 {
            match source.look_up(&isbn).await {
                Ok(Some(found)) => {
                    return LookUp { isbn, found: Some(found), source: Some(source.name.clone()), silent };
                }
                Ok(None) => {}
                Err(error) => {
                    if !matches!(error, Error::Resting) {
                        tracing::warn!("ISBN look-up in {}: {error}", source.name);
                    }
                    silent.push(source.name.clone());
                }
            }
        }
        LookUp { isbn, found: None, source: None, silent }
    }

    /// Asks each source for an ISBN. Returns the name of each source, with the reason if the source failed.
    pub async fn probe(&self, isbn: &str) -> Vec<(String, Option<String>)> {
        let mut answers = Vec::new();
        for source in &self.0 {
            let failure = source.answer(isbn).await.err().map(|error| error.to_string());
            answers.push((source.name.clone(), failure));
        }
        answers
    }
}

impl Source {
    fn new(place: &Place, options: &Options, roots: &Path) -> Result<Self> {
        let host = |url: &Url| url.host_str().unwrap_or_default().to_owned();
        let (name, ask, url) = match place {
            Place::OpenLibrary(url) => {
                ("Open Library".to_owned(), Ask::OpenLibrary(url.clone()), Some(url.clone()))
            }
            Place::Google(url) => (
                "Google Books".to_owned(),
                Ask::Google(url.clone(), options.google_key.clone()),
                Some(url.clone()),
            ),
            Place::Sru(address) => {
                let url = sru(address, "")?;
                (host(&url), Ask::Sru(address.clone()), Some(url))
            }
            Place::File(path) => {
                ensure!(path.is_file(), "{} is not a file that can be read", path.display());
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (name, Ask::File(OwnFile::new(path.clone())), None)
            }
        };
        let roots = url.as_ref().filter(|url| url.scheme() == "https").map(|_| roots);
        let hosts = url.iter().map(host).collect();
        let outbound = Outbound::new(hosts, options.patience, LONGEST_ANSWER, roots)?;
        let (patience, rest) = (options.patience, options.rest);
        Ok(Self {
            name,
            ask,
            outbound,
            patience,
            rest,
            rests_until: Mutex::default(),
            unknown: Mutex::default(),
        })
    }

    async fn look_up(&self, isbn: &str) -> Result<Option<FoundBook>, Error> {
        let key = file::key(isbn);
        if self.knows_not(key) {
            return Ok(None);
        }
        let now = Instant::now();
        if self.rests_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|end| now < end) {
            return Err(Error::Resting);
        }
        let answer = self.answer(isbn).await;
        match &answer {
            Ok(None) => self.remember_unknown(key),
            Ok(Some(_)) | Err(Error::Reading) => {}
            Err(_) => {
                *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Instant::now() + self.rest);
            }
        }
        answer
    }

    /// True if the source recently did not know the ISBN. Never true for a file, which may have changed since.
    fn knows_not(&self, isbn: u64) -> bool {
        let unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        unknown.get(&isbn).is_some_and(|at| at.elapsed() < UNKNOWN_FOR)
    }

    fn remember_unknown(&self, isbn: u64) {
        if matches!(self.ask, Ask::File(_)) {
            return;
        }
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if unknown.len() >= MOST_UNKNOWN {
            unknown.clear();
        }
        unknown.insert(isbn, Instant::now());
    }

    /// Asks the source, even during its back-off.
    async fn answer(&self, isbn: &str) -> Result<Option<FoundBook>, Error> {
        match &self.ask {
            Ask::OpenLibrary(base) => {
                let url = query(
                    base,
                    "/api/books",
                    &[
                        ("bibkeys", format!("ISBN:{isbn}")),
                        ("format", "json".into()),
                        ("jscmd", "data".into()),
                    ],
                );
                let body = self.fetch(&url).await?;
                answer::of_open_library(&body, isbn).map_err(Error::Unreadable)
            }
            Ask::Google(base, google_key) => {
                let mut pairs = vec![("q", format!("isbn:{isbn}")), ("maxResults", "5".into())];
                pairs.extend(google_key.clone().map(|google_key| ("key", google_key)));
                let body = self.fetch(&query(base, "/books/v1/volumes", &pairs)).await?;
                answer::of_google(&body, isbn).map_err(Error::Unreadable)
            }
            Ask::Sru(address) => {
                let url = sru(address, isbn).map_err(Error::Unreadable)?;
                let body = self.fetch(&url).await?;
                answer::of_sru(&body, isbn).map_err(Error::Unreadable)
            }
            Ask::File(file) => match timeout(self.patience, file.index()).await {
                Ok(index) => Ok(index.map_err(Error::Unreadable)?.find(isbn)),
                Err(_) => Err(Error::Reading),
            },
        }
    }

    async fn fetch(&self, url: &Url) -> Result<Vec<u8>, Error> {
        let answer = self.outbound.get(url).await?;
        if answer.status == StatusCode::OK { Ok(answer.body) } else { Err(Error::Status(answer.status)) }
    }
}

fn query(base: &Url, path: &str, pairs: &[(&str, String)]) -> Url {
    let mut url = base.clone();
    url.set_path(path);
    url.query_pairs_mut().clear().extend_pairs(pairs);
    url
}

fn sru(address: &str, isbn: &str) -> Result<Url> {
    Url::parse(&address.replace("{isbn}", isbn)).with_context(|| format!("{address} is no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_written_shortly_and_only_encrypted_ones_are_called() {
        let place = |text: &str| Place::parse(text).map_err(|error| error.to_string());
        assert!(matches!(place("openlibrary"), Ok(Place::OpenLibrary(_))));
        assert_eq!(place("file:/srv/books.mrc"), Ok(Place::File("/srv/books.mrc".into())));
        let sru = |text: &str| match place(text) {
            Ok(Place::Sru(address)) => address,
            other => panic!("{other:?}"),
        };
        assert!(
            sru("sru:https://sru.example.org/opac").starts_with("https://sru.example.org/opac?version=1.1&")
        );
        let own = "https://sru.example.org/opac?query=pica.isb%3D{isbn}";
        assert_eq!(sru(&format!("sru:{own}")), own);
        for wrong in ["", "amazon", "file:", "sru:", "sru:http://sru.example.org/", "google:ftp://x"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
