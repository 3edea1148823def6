//! Load: requests over many connections, as fast as they are answered.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::client::Connection;

/// Figures of a load.
#[derive(Default)]
pub struct Seen {
    /// Latencies of the responses with a status of 200 to 299.
    pub latencies: Vec<Duration>,
    /// Numbers of other responses, by status.
    pub refused: BTreeMap<u16, u64>,
    pub took: Duration,
}

/// Sends requests over `connections` connections for `time`. `request` makes each from its turn, counted by `turns`.
pub async fn load(
    address: &str,
    connections: usize,
    time: Duration,
    turns: &Arc<AtomicU64>,
    request: impl Fn(u64) -> String + Clone + Send + 'static,
) -> io::Result<Seen> {
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..connections {
        let (request, turns) = (request.clone(), Arc::clone(turns));
        let mut connection = Connection::open(address).await?;
        tasks.push(tokio::spawn(async move {
            let mut seen = Seen::default();
            while begun.elapsed() < time {
                let request = request(turns.fetch_add(1, Ordering::Relaxed));
                let sent = Instant::now();
                let status = connection.send(&request).await?.status;
                if (200..300).contains(&status) {
                    seen.latencies.push(sent.elapsed());
                } else {
                    *seen.refused.entry(status).or_default() += 1;
                }
            }
            io::Result::Ok(seen)
        }));
    }
    let mut all = Seen::default();
    for task in tasks {
        let seen = task.await.map_err(io::Error::other)??;
        all.latencies.extend(seen.latencies);
        for (status, count) in seen.refused {
            *all.refused.entry(status).or_default() += count;
        }
    }
    all.took = begun.elapsed();
    Ok(all)
}
