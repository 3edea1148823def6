//! The server's own jobs go on whatever happens to one run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use library::{
    jobs::{self, Job, Outcome},
    library::Library,
    storage,
};
use tokio::time::{sleep, timeout};

use crate::app::TestApp;

/// A job that panics in its first run; counts its runs.
struct Planted(Arc<AtomicUsize>);

impl Job for Planted {
    const NAME: &'static str = "planted";

    async fn run(&self, _: &Library, _: &str) -> storage::Result<Outcome> {
        assert!(self.0.fetch_add(1, SeqCst) > 0, "planted");
        Ok(Outcome::Done)
    }
}

#[tokio::test]
async fn a_job_that_panics_is_run_again_t11() {
    let app = TestApp::new().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let job = Planted(Arc::clone(&runs));
    let server = tokio::spawn(jobs::keep(job, app.state.library.clone(), "here".into()));
    let second_run = async {
        while runs.load(SeqCst) < 2 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(30), second_run).await.expect("a second run");
    server.abort();
}
