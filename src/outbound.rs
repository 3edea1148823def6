//! The server's only outgoing HTTP requests: to hosts named by the operator, encrypted, limited in time and size
//! (decision 126). Redirects are not followed.

use std::{fs, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use axum::body::{Body, to_bytes};
use hyper::{
    Method, Request, StatusCode,
    client::conn::http1,
    header::{ACCEPT, HOST, HeaderMap, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};
use url::{Host, Url};

use crate::tls;

/// Timeout from name lookup to the last byte. A waiting person gets an error after three seconds.
pub const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum length of the head of an answer.
const LONGEST_HEAD: usize = 32 * 1024;

/// Reason for a missing answer. Contains nothing that was sent or received.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operator did not name this host.
    #[error("{0} is not among the hosts that may be called: add it to --oidc-hosts if you trust it")]
    HostNotNamed(String),
    /// The scheme is not https, or the address has no host.
    #[error("an address is not https")]
    NotEncrypted,
    /// Timeout.
    #[error("there was no answer in time")]
    Late,
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// The answer exceeds the maximum length.
    #[error("the answer broke off or is longer than {} KiB", .0 / 1024)]
    TooLong(usize),
}

/// True for an address on this machine, where plain http crosses no network.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// True for an address that is encrypted or on this machine.
#[must_use]
pub fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}

pub struct Answer {
    pub status: StatusCode,
    pub body: Vec<u8>,
}

/// Client for the hosts named by the operator.
pub struct Outbound {
    hosts: Vec<String>,
    patience: Duration,
    longest: usize,
    tls: Option<TlsConnector>,
}

impl Outbound {
    /// Creates a client for `hosts` with a timeout per request and a maximum length of a body in bytes. Without `roots` (PEM)
    /// it can call only this machine.
    ///
    /// # Errors
    /// The file cannot be read or has no certificate.
    pub fn new(
        hosts: Vec<String>,
        patience: Duration,
        longest: usize,
        roots: Option<&Path>,
    ) -> anyhow::Result<Self> {
        Ok(Self { hosts, patience, longest, tls: roots.map(connector).transpose()? })
    }

    /// Fetches a body.
    ///
    /// # Errors
    /// No answer, or the address may not be called.
    pub async fn get(&self, url: &Url) -> Result<Answer, Error> {
        self.send(Method::GET, url, HeaderMap::new(), Body::empty()).await
    }

    /// Posts a body; `headers` name its type and the sender's credentials.
    ///
    /// # Errors
    /// No answer, or the address may not be called.
    pub async fn post(&self, url: &Url, headers: HeaderMap, body: String) -> Result<Answer, Error> {
        self.send(Method::POST, url, headers, Body::from(body)).await
    }

    async fn send(&self, method: Method, url: &Url, headers: HeaderMap, body: Body) -> Result<Answer, Error> {
        let host = url.host_str().ok_or(Error::NotEncrypted)?;
        if !is_safe(url) {
            return Err(Error::NotEncrypted);
        }
        if !self.hosts.iter().any(|named| named.eq_ignore_ascii_case(host)) {
            return Err(Error::HostNotNamed(host.to_owned()));
        }
        let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let mut request = Request::builder()
            .method(&method)
            .uri(&url[url::Position::BeforePath..url::Position::AfterQuery])
            .header(HOST, authority)
            .header(USER_AGENT, "library")
            .header(ACCEPT, "application/json, application/xml;q=0.9");
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        let request = request.body(body).map_err(failed)?;
        timeout(self.patience, self.exchange(url, host, request)).await.unwrap_or(Err(Error::Late))
    }

    async fn exchange(&self, url: &Url, host: &str, request: Request<Body>) -> Result<Answer, Error> {
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let port = url.port_or_known_default().unwrap_or(443);
        let stream = TcpStream::connect((name, port)).await.map_err(failed)?;
        if url.scheme() == "http" {
            return answered(stream, request, self.longest).await;
        }
        let tls = self.tls.as_ref().ok_or(Error::NotEncrypted)?;
        let name = ServerName::try_from(name.to_owned()).map_err(failed)?;
        answered(tls.connect(name, stream).await.map_err(failed)?, request, self.longest).await
    }
}

fn failed(error: impl std::error::Error) -> Error {
    Error::Connection(error.to_string())
}

/// Sends a request over its own connection.
async fn answered(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Body>,
    longest: usize,
) -> Result<Answer, Error> {
    #[expect(clippy::disallowed_methods, reason = "the one place that calls out")]
    let mut builder = http1::Builder::new();
    builder.max_buf_size(LONGEST_HEAD);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(failed)?;
    // Dropping the set aborts the task, also after a timeout.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let (head, body) = sender.send_request(request).await.map_err(failed)?.into_parts();
    let body = to_bytes(Body::new(body), longest).await.map_err(|_| Error::TooLong(longest))?;
    Ok(Answer { status: head.status, body: body.into() })
}

fn connector(file: &Path) -> anyhow::Result<TlsConnector> {
    let text = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&text).filter_map(Result::ok));
    ensure!(!roots.is_empty(), "{} holds no certificate", file.display());
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
