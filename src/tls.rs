//! The cryptography of every TLS connection, to browsers and to `PostgreSQL`.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};

/// ring: the smaller of the two that rustls is offered with (decision 115).
#[must_use]
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
