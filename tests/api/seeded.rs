//! Common parts of the seeded rigs (docs/reliability.md): reproducible chance, the number of seeds, and a prepared library.

use std::{
    future::Future,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::atomic::{AtomicUsize, Ordering},
};

use axum::{
    body::Body,
    http::{HeaderMap, Request},
};
use http_body_util::BodyExt as _;
use library::{http::idempotency::KEY, storage::Location};
use serde_json::Value;
use tower::ServiceExt as _;

use crate::{
    app::{Person, TestApp},
    common::{Database, folder},
};

/// Pseudo-random numbers that repeat with their seed (`SplitMix64`).
pub struct Chance(u64);

impl Chance {
    pub fn of(seed: usize) -> Self {
        Self(seed as u64)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below the limit.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.draw() % limit.max(1) as u64).expect("below a usize")
    }

    /// Picks an element.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Returns true once in `times` on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// Returns the seeds of a rig: `gate` of them, or `soak` for each round of `LIBRARY_TEST_SOAK`, beginning at
/// `LIBRARY_TEST_SEED`.
pub fn seeds(gate: usize, soak: usize) -> Range<usize> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let first = number("LIBRARY_TEST_SEED").unwrap_or(0);
    first..first + number("LIBRARY_TEST_SOAK").map_or(gate, |rounds| rounds * soak)
}

/// Runs a future on this thread.
pub fn now<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// Runs the seeds on two threads; names the first that fails.
pub fn each<F: Future<Output = Result<(), String>>>(seeds: Range<usize>, run: impl Fn(usize) -> F + Sync) {
    let next = AtomicUsize::new(seeds.start);
    let go_through = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let again = format!("LIBRARY_TEST_SEED={seed} LIBRARY_TEST_SOAK=1 does it again");
            match catch_unwind(AssertUnwindSafe(|| now(run(seed)))) {
                Ok(Ok(())) => {}
                Ok(Err(wrong)) => panic!("{wrong}; {again}"),
                Err(panic) => {
                    eprintln!("{again}");
                    resume_unwind(panic);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(go_through);
        go_through();
        if let Err(panic) = other.join() {
            resume_unwind(panic);
        }
    });
}

/// A closed library on `SQLite`; a fresh copy costs one file.
pub struct Template(Vec<u8>);

impl Template {
    /// Takes the state of this library.
    pub fn of(app: &TestApp) -> Self {
        app.state.library.db.close();
        match &app.database.location {
            Location::Sqlite(path) => Self(std::fs::read(path).expect("a file")),
            Location::Postgres(_) => panic!("a server has no file"),
        }
    }

    /// Starts a copy of the library.
    pub async fn library(&self) -> TestApp {
        let folder = folder();
        std::fs::write(folder.path().join("library.db"), &self.0).expect("room");
        TestApp::on(Database::sqlite_in(folder)).await
    }
}

/// Builds a write, with a key if given.
pub fn write(person: &Person<'_>, path: &str, body: Option<&Value>, key: Option<&str>) -> Request<Body> {
    let mut request = person.request("POST", path, body);
    if let Some(key) = key {
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
    }
    request
}

/// Returns the answer to a request. It is not checked against the document, which would be most of the work here.
pub async fn answer(app: &TestApp, request: Request<Body>) -> (u16, HeaderMap, Value) {
    let response = app.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    (parts.status.as_u16(), parts.headers, serde_json::from_slice(&bytes).unwrap_or_default())
}
