//! The server's own TLS: the certificate, reloaded at run time, and the listener that redirects plain http to https.

use std::{
    fmt, fs,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, InconsistentKeys, ServerConfig,
        crypto::ring::Ticketer,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
        server::{ClientHello, ResolvesServerCert},
        sign::CertifiedKey,
    },
};
use url::Url;

use crate::{clock::Clock, http::API, tls::provider};

/// Poll interval of the files: two small reads.
pub const LOOK: Duration = Duration::from_secs(5);
/// Time before expiry from which a warning is logged: renewals usually happen earlier, and the operator has two weeks
/// to act.
const ENDS_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);
/// Interval of the warning about expiry.
const WARN_EVERY: Duration = Duration::from_hours(24);

/// Paths of the certificate and its private key.
#[derive(Clone, Debug)]
pub struct Files {
    /// PEM: the certificate, then its chain.
    pub certificate: PathBuf,
    /// PEM, without a passphrase.
    pub key: PathBuf,
}

/// Contents of the two files.
#[derive(PartialEq, Eq)]
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// TLS 1.2 and 1.3 for the server.
pub struct Tls {
    files: Files,
    clock: Clock,
    presented: Arc<Presented>,
    acceptor: TlsAcceptor,
}

/// The current certificate.
struct Presented(RwLock<Certificate>);

struct Certificate {
    key: Arc<CertifiedKey>,
    ends: Timestamp,
    read_from: Pair,
}

impl fmt::Debug for Presented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Presented")
    }
}

impl ResolvesServerCert for Presented {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).key))
    }
}

impl Tls {
    /// Reads the files, which must match. An expired certificate is used all the same: browsers warn, but the library
    /// stays reachable after a reboot (O28).
    pub fn open(files: Files, clock: Clock) -> Result<Self> {
        let certificate = certificate(&files, files.read()?, &clock)?;
        if certificate.ends <= now(&clock) {
            tracing::error!(
                file = %files.certificate.display(),
                ended = %certificate.ends,
                "the TLS certificate has ended and browsers warn: renew it, the server reads the new files by itself"
            );
        }
        let presented = Arc::new(Presented(RwLock::new(certificate)));
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&presented) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Session resumption saves returning phones the costly half of the handshake.
        config.ticketer = Ticketer::new()?;
        Ok(Self { files, clock, presented, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    /// Acceptor for one connection.
    #[must_use]
    pub fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// Reloads the certificate when the files change and are valid, and warns before it expires.
    pub async fn renew(&self, look: Duration) {
        let (mut refused, mut warned) = (Refused::default(), None);
        let mut again = tokio::time::interval(look);
        loop {
            again.tick().await;
            match self.take_new() {
                Ok(None) => {}
                Ok(Some(ends)) => {
                    tracing::info!(%ends, "a new TLS certificate is presented");
                    (refused, warned) = (Refused::default(), None);
                }
                Err(error) => refused.log(&format!("{error:#}")),
            }
            let ends = self.ends();
            metrics::gauge!("library_tls_certificate_ends_seconds")
                .set(f64::from(u32::try_from(ends.as_second()).unwrap_or(u32::MAX)));
            let left = ends.duration_since(self.now());
            if left < ENDS_SOON && warned.is_none_or(|at: tokio::time::Instant| at.elapsed() > WARN_EVERY) {
                tracing::warn!(%ends, "the TLS certificate ends soon: renew it, the server reads the new files by itself");
                warned = Some(tokio::time::Instant::now());
            }
        }
    }

    /// Loads a changed certificate and returns its expiry; `None` if unchanged.
    fn take_new(&self) -> Result<Option<Timestamp>> {
        let pair = self.files.read()?;
        if pair == self.presented.0.read().unwrap_or_else(PoisonError::into_inner).read_from {
            return Ok(None);
        }
        let certificate = certificate(&self.files, pair, &self.clock)?;
        let ends = certificate.ends;
        ensure!(
            self.now() < ends,
            "the certificate in {} ended at {ends}: renew it",
            self.files.certificate.display()
        );
        *self.presented.0.write().unwrap_or_else(PoisonError::into_inner) = certificate;
        Ok(Some(ends))
    }

    fn ends(&self) -> Timestamp {
        self.presented.0.read().unwrap_or_else(PoisonError::into_inner).ends
    }

    fn now(&self) -> Timestamp {
        now(&self.clock)
    }
}

/// Logs an error of new files once, and only when it occurs twice: the two files are not written atomically.
#[derive(Default)]
struct Refused {
    reason: String,
    times: u32,
}

impl Refused {
    fn log(&mut self, reason: &str) {
        if self.reason != reason {
            *self = Self { reason: reason.to_owned(), times: 0 };
        }
        self.times += 1;
        if self.times == 2 {
            tracing::error!(reason, "the new TLS certificate cannot be used; the one before is presented");
        }
    }
}

impl Files {
    fn read(&self) -> Result<Pair> {
        let read =
            |path: &PathBuf| fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
        Ok(Pair { certificate: read(&self.certificate)?, key: read(&self.key)? })
    }
}

fn now(clock: &Clock) -> Timestamp {
    Timestamp::from_millisecond(clock.now()).unwrap_or(Timestamp::MAX)
}

fn certificate(files: &Files, pair: Pair, clock: &Clock) -> Result<Certificate> {
    let (file, key_file) = (files.certificate.display(), files.key.display());
    let chain = CertificateDer::pem_slice_iter(&pair.certificate)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| anyhow!("{file} is not PEM: {error}"))?;
    let Some(own) = chain.first() else {
        bail!("{file} holds no certificate: it must be PEM, with a block BEGIN CERTIFICATE");
    };
    let (begins, ends) =
        validity(own).ok_or_else(|| anyhow!("{file}: its first certificate cannot be read"))?;
    let key = PrivateKeyDer::from_pem_slice(&pair.key)
        .map_err(|_| anyhow!("{key_file} holds no private key: it must be PEM, without a passphrase"))?;
    let key = CertifiedKey::from_der(chain, key, &provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            anyhow!("the key in {key_file} does not belong to the certificate in {file}")
        }
        error => anyhow!("{file} and {key_file} cannot be used: {error}"),
    })?;
    let now = now(clock);
    ensure!(
        now >= begins,
        "the certificate in {file} begins at {begins}, and this machine's clock says {now:.0}"
    );
    Ok(Certificate { key: Arc::new(key), ends, read_from: pair })
}

/// Validity period of a certificate (RFC 5280, 4.1): rustls checks it for clients, not for servers.
fn validity(certificate: &[u8]) -> Option<(Timestamp, Timestamp)> {
    let (_, certificate, _) = element(certificate)?;
    let (_, mut fields, _) = element(certificate)?;
    // A certificate of version 1 has no version field.
    let before = if fields.first() == Some(&0xa0) { 4 } else { 3 };
    for _version_serial_algorithm_issuer in 0..before {
        fields = element(fields)?.2;
    }
    let (_, validity, _) = element(fields)?;
    let (begins_as, begins, validity) = element(validity)?;
    let (ends_as, ends, _) = element(validity)?;
    Some((time(begins_as, begins)?, time(ends_as, ends)?))
}

/// Parses the first DER element (X.690): tag, contents, remaining bytes.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, length], rest) = der.split_first_chunk()?;
    let (length, rest) = match length {
        0..=0x7f => (usize::from(length), rest),
        // The length follows in this many bytes.
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((tag, contents, rest))
}

/// Parses a certificate's time: until 2049 with a two-digit year (RFC 5280, 4.1.2.5).
fn time(tag: u8, text: &[u8]) -> Option<Timestamp> {
    let text = str::from_utf8(text).ok()?;
    let text = match tag {
        0x17 if text < "5" => format!("20{text}"),
        0x17 => format!("19{text}"),
        0x18 => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Redirects browsers to the same page at `public_url` and refuses everything else. Ignores the host named by the
/// client, and refuses API calls so that their programmer notices (OWASP ASVS 5.0, 4.1.2).
pub fn redirect(public_url: &Url) -> Router {
    let origin = public_url.as_str().trim_end_matches('/').to_owned();
    Router::new().fallback(async move |request: Request| -> Response {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let page = request.method().is_safe() && path.starts_with('/') && !path.starts_with(API);
        if !page {
            return (StatusCode::FORBIDDEN, format!("The library is at {origin}/library/\n")).into_response();
        }
        let to = [(header::LOCATION, format!("{origin}{path}")), (header::CONNECTION, "close".to_owned())];
        (StatusCode::PERMANENT_REDIRECT, to).into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tag: u8, text: &str) -> Option<String> {
        time(tag, text.as_bytes()).map(|time| time.to_string())
    }

    #[test]
    fn times_of_certificates_are_read_as_rfc_5280_writes_them() {
        assert_eq!(at(0x17, "491231235959Z").as_deref(), Some("2049-12-31T23:59:59Z"));
        assert_eq!(at(0x17, "500101000000Z").as_deref(), Some("1950-01-01T00:00:00Z"));
        assert_eq!(at(0x18, "20500101000000Z").as_deref(), Some("2050-01-01T00:00:00Z"));
        assert_eq!(at(0x17, "20500101000000Z"), None);
        assert_eq!(at(0x04, "491231235959Z"), None);
    }

    #[test]
    fn der_that_was_cut_short_is_no_certificate() {
        let whole = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert;
        assert!(validity(whole.der()).is_some());
        for length in 0..whole.der().len() {
            assert_eq!(validity(&whole.der()[..length]), None, "{length} bytes");
        }
    }
}
