//! Tasks that must not end while the server runs.

use std::time::Duration;

use tokio::{task::JoinSet, time::sleep};

/// Pause before a task that panicked is restarted.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs a task, and restarts it whenever it panics. Dropping the future aborts the task.
pub async fn keep_running<F: Future<Output = ()> + Send + 'static>(name: &str, task: impl Fn() -> F) {
    loop {
        let mut running = JoinSet::new();
        running.spawn(task());
        match running.join_next().await {
            Some(Err(ended)) if ended.is_panic() => {
                tracing::error!(task = name, error = %ended, "a task panicked and is restarted");
                sleep(PAUSE).await;
            }
            // The task is done, or the server is shutting down.
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_is_restarted_s14() {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        keep_running("test", move || {
            let run = counted.fetch_add(1, Ordering::SeqCst);
            async move { assert!(run == 2, "planted") }
        })
        .await;
        assert_eq!(runs.load(Ordering::SeqCst), 3);
    }
}
