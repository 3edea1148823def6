//! Cache of JSON responses: pages of the catalogue that many clients request and that are the same for all.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    body::Bytes,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;

use super::error::Result;

/// Lifetime of a cached response, after which changes by another server or a command become visible.
const FRESH: Duration = Duration::from_secs(1);

/// Maximum size of the cache in bytes; a page of the catalogue has some 8 KiB.
const MOST: usize = 8 * 1024 * 1024;

/// Versions of the database and the search index behind a response, as far as this process knows.
pub type Version = (u64, u64);

/// JSON response, ready to send.
#[derive(Clone)]
pub struct Ready(Bytes);

impl Ready {
    /// Serialises the body of a response.
    pub fn json(body: &impl Serialize) -> Result<Self> {
        let json = serde_json::to_vec(body).map_err(|error| super::error::Error::Internal(error.into()))?;
        Ok(Self(json.into()))
    }
}

impl IntoResponse for Ready {
    fn into_response(self) -> Response {
        let json = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, json)], self.0).into_response()
    }
}

struct Kept {
    version: Version,
    since: Instant,
    answer: Ready,
}

/// Cached responses by request, and their total size in bytes.
pub struct Answers<K> {
    kept: Mutex<(HashMap<K, Kept>, usize)>,
}

impl<K> Default for Answers<K> {
    fn default() -> Self {
        Self { kept: Mutex::new((HashMap::new(), 0)) }
    }
}

impl<K: Eq + Hash> Answers<K> {
    /// Returns the cached response to the same request if nothing has changed since.
    pub fn get(&self, request: &K, version: Version) -> Option<Ready> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.0.get(request)?;
        let holds = found.version == version && found.since.elapsed() < FRESH;
        holds.then(|| found.answer.clone())
    }

    /// Caches a response. Take `version` and `since` before building the response, so that a concurrent change makes
    /// the entry stale.
    pub fn keep(&self, request: K, version: Version, since: Instant, answer: Ready) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (answers, bytes) = &mut *kept;
        *bytes += answer.0.len();
        // Evicts all: popular pages are soon cached again, and finding the oldest would cost more.
        if *bytes > MOST {
            answers.clear();
            *bytes = answer.0.len();
        }
        if let Some(old) = answers.insert(request, Kept { version, since, answer }) {
            *bytes = bytes.saturating_sub(old.answer.0.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(found: Option<Ready>) -> Option<String> {
        found.map(|ready| String::from_utf8_lossy(&ready.0).into_owned())
    }

    #[test]
    fn an_answer_is_kept_until_something_changes_or_a_second_is_over() {
        let answers = Answers::default();
        let now = Instant::now();
        answers.keep("new", (1, 1), now, Ready::json(&1).expect("a number"));
        let before = now.checked_sub(FRESH).expect("a machine that is up for a second");
        answers.keep("old", (1, 1), before, Ready::json(&2).expect("a number"));
        assert_eq!(text(answers.get(&"new", (1, 1))).as_deref(), Some("1"));
        assert_eq!(text(answers.get(&"new", (2, 1))), None, "the database has changed");
        assert_eq!(text(answers.get(&"new", (1, 2))), None, "the index has changed");
        assert_eq!(text(answers.get(&"old", (1, 1))), None, "somebody else may have changed something");
        assert_eq!(text(answers.get(&"other", (1, 1))), None);
    }

    #[test]
    fn no_more_than_the_most_are_kept() {
        let answers = Answers::default();
        let page = Ready::json(&"x".repeat(MOST / 4)).expect("a text");
        for (request, kept) in [(1, 1), (2, 2), (2, 2), (3, 3), (4, 1), (5, 2)] {
            answers.keep(request, (1, 1), Instant::now(), page.clone());
            let (held, bytes) = &*answers.kept.lock().expect("nobody panicked");
            assert_eq!((held.len(), *bytes), (kept, kept * page.0.len()), "{request}");
            assert!(held.contains_key(&request));
        }
    }
}
