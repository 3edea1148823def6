//! The least that answering over HTTP costs here: a bare axum handler that returns bytes which are ready.

use anyhow::Result;
use axum::{
    Router,
    body::Bytes,
    http::{HeaderName, HeaderValue},
    routing::get,
    serve::ListenerExt as _,
};
use tokio::{net::TcpListener, task::JoinHandle};

pub struct Floor {
    pub address: String,
    server: JoinHandle<()>,
}

impl Floor {
    /// Answers every path with these headers and so many bytes.
    pub async fn start(headers: &'static [(&'static str, &'static str)], length: usize) -> Result<Self> {
        let body = Bytes::from(vec![b'x'; length]);
        let headers: Vec<(HeaderName, HeaderValue)> = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let handler = move || async move { (axum::http::HeaderMap::from_iter(headers), body) };
        let router = Router::new().fallback(get(handler));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { address, server })
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.server.abort();
    }
}
