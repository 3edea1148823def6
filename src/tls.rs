//! The cryptography of all TLS connections, to browsers and to `PostgreSQL`.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::{CryptoProvider, ring};

/// ring: the smaller of rustls's two providers (decision 115).
#[must_use]
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
