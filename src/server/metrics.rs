//! Prometheus metrics on their own listener.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context as _, Result};
use axum::{Router, routing::get};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::net::TcpListener;

use crate::http::security_log;

/// Interval of merging accumulated samples into their distributions; a scrape merges them too.
const UPKEEP: Duration = Duration::from_secs(5);

/// Starts recording metrics and serves them at `/metrics`. Without this call nothing is recorded.
pub async fn serve(at: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind(at).await.with_context(|| format!("cannot listen on {at}"))?;
    let address = listener.local_addr()?;
    let metrics = PrometheusBuilder::new().install_recorder()?;
    security_log::count_from_zero();
    let kept = metrics.clone();
    tokio::spawn(async move {
        let mut again = tokio::time::interval(UPKEEP);
        loop {
            again.tick().await;
            kept.run_upkeep();
        }
    });
    let routes = Router::new().route("/metrics", get(async move || metrics.render()));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    tracing::info!("metrics are at http://{address}/metrics");
    Ok(())
}
