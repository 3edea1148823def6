//! What the rigs with many seeds have in common (docs/reliability.md): chance that a seed decides, how many seeds there are,
//! and a library that is there at once.

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

/// Chance that comes again with its seed (`SplitMix64`).
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

    /// A number below this one.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.draw() % limit.max(1) as u64).expect("below a usize")
    }

    /// One of these.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// Once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// How many seeds a rig goes through: so many in the gate, and `soak` for each round of `LIBRARY_TEST_SOAK`, which begin
/// at `LIBRARY_TEST_SEED`.
pub fn seeds(gate: usize, soak: usize) -> Range<usize> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let first = number("LIBRARY_TEST_SEED").unwrap_or(0);
    first..first + number("LIBRARY_TEST_SOAK").map_or(gate, |rounds| rounds * soak)
}

/// Runs something that waits, on this thread.
pub fn now<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// Goes through the seeds on two threads; the first that fails is named.
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

/// A library as it stood once, on `SQLite`, of which fresh copies cost a file.
pub struct Template(Vec<u8>);

impl Template {
    /// Of this library, which is closed.
    pub fn of(app: &TestApp) -> Self {
        app.state.library.db.close();
        match &app.database.location {
            Location::Sqlite(path) => Self(std::fs::read(path).expect("a file")),
            Location::Postgres(_) => panic!("a server has no file"),
        }
    }

    /// A copy of it.
    pub async fn library(&self) -> TestApp {
        let folder = folder();
        std::fs::write(folder.path().join("library.db"), &self.0).expect("room");
        TestApp::on(Database::sqlite_in(folder)).await
    }
}

/// A write with this key, if any.
pub fn write(person: &Person<'_>, path: &str, body: Option<&Value>, key: Option<&str>) -> Request<Body> {
    let mut request = person.request("POST", path, body);
    if let Some(key) = key {
        request.headers_mut().insert(KEY, key.parse().expect("a header"));
    }
    request
}

/// The answer to a request. Other tests hold answers against the document; here that would be most of the work.
pub async fn answer(app: &TestApp, request: Request<Body>) -> (u16, HeaderMap, Value) {
    let response = app.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    (parts.status.as_u16(), parts.headers, serde_json::from_slice(&bytes).unwrap_or_default())
}
