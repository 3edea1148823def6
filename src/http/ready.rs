//! Answers that are ready to send: pages of the catalogue that many ask for, and which are the same for everybody.

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

/// What another server, or a command on the same file, changed is seen after this time at the latest.
const FRESH: Duration = Duration::from_secs(1);

/// Bytes of the answers kept; a page of the catalogue has some 8 KiB.
const MOST: usize = 8 * 1024 * 1024;

/// The state of everything that an answer is made of, as far as this process knows.
pub type Version = (u64, u64);

/// An answer as JSON.
#[derive(Clone)]
pub struct Ready(Bytes);

impl Ready {
    /// Of what is to be answered.
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

/// The answers kept, by what was asked, and how many bytes they have.
pub struct Answers<K> {
    kept: Mutex<(HashMap<K, Kept>, usize)>,
}

impl<K> Default for Answers<K> {
    fn default() -> Self {
        Self { kept: Mutex::new((HashMap::new(), 0)) }
    }
}

impl<K: Eq + Hash> Answers<K> {
    /// The answer to the same question, if nothing was changed since it was made.
    pub fn get(&self, asked: &K, version: Version) -> Option<Ready> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.0.get(asked)?;
        let holds = found.version == version && found.since.elapsed() < FRESH;
        holds.then(|| found.answer.clone())
    }

    /// Keeps an answer. `version` and `since` are those of before it was made, so that a change meanwhile makes it old.
    pub fn keep(&self, asked: K, version: Version, since: Instant, answer: Ready) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (answers, bytes) = &mut *kept;
        *bytes += answer.0.len();
        // What many ask for is soon there again, and looking for the old ones would cost more.
        if *bytes > MOST {
            answers.clear();
            *bytes = answer.0.len();
        }
        if let Some(old) = answers.insert(asked, Kept { version, since, answer }) {
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
        for (asked, kept) in [(1, 1), (2, 2), (2, 2), (3, 3), (4, 1), (5, 2)] {
            answers.keep(asked, (1, 1), Instant::now(), page.clone());
            let (held, bytes) = &*answers.kept.lock().expect("nobody panicked");
            assert_eq!((held.len(), *bytes), (kept, kept * page.0.len()), "{asked}");
            assert!(held.contains_key(&asked));
        }
    }
}
