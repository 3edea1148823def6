//! TLS of the connection to `PostgreSQL`: `sslmode` and `sslrootcert` of its URL, with the same meaning as in `libpq`.
//! The driver supports neither certificates nor all of the modes.

use std::{
    fs, io,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{
        self, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
        client::{
            WebPkiServerVerifier,
            danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        },
        crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature},
        pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
    },
};

use crate::{storage::causes, tls::provider};

/// Protection required for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Plain text.
    Disable,
    /// Encrypted if the server supports it.
    Prefer,
    /// Encrypted, without verifying the server.
    Require,
    /// Encrypted, to a server whose certificate chains to a root.
    VerifyCa,
    /// As above, and the certificate names the host.
    VerifyFull,
}

impl Mode {
    fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            other => {
                return Err(format!(
                    "sslmode is disable, prefer, require, verify-ca or verify-full, not {other}"
                ));
            }
        })
    }

    /// Selects the mode for these hosts. Plain text to another machine must be requested explicitly (OWASP ASVS 5.0,
    /// 12.3.1).
    fn of(requested: Option<Self>, has_root: bool, local: bool) -> Result<Self, &'static str> {
        match requested {
            Some(Self::VerifyCa | Self::VerifyFull) if !has_root => {
                Err("sslmode=verify-ca and verify-full need sslrootcert=FILE")
            }
            Some(Self::Prefer) if !local => {
                Err("sslmode=prefer may send everything in plain text to another machine: \
                     say require, verify-full with sslrootcert=FILE, or disable")
            }
            // As `libpq` does.
            Some(Self::Require) if has_root => Ok(Self::VerifyCa),
            Some(mode) => Ok(mode),
            None if local => Ok(Self::Disable),
            None if has_root => Ok(Self::VerifyFull),
            None => {
                Err("the server is another machine: add sslmode=verify-full&sslrootcert=FILE to the URL \
                         (encrypted, and the server proves who it is), sslmode=require (encrypted only) or \
                         sslmode=disable (plain text)")
            }
        }
    }
}

/// Parses a URL into the settings and the TLS of its connections.
pub(super) fn read(url: &str) -> Result<(Config, Connector), String> {
    let (mut requested, mut root) = (None, None);
    let mut plain = String::new();
    let (address, parameters) = url.split_once('?').unwrap_or((url, ""));
    for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "sslmode" => requested = Some(Mode::named(value)?),
            "sslrootcert" => root = Some(decoded(value)),
            _ => {
                plain.push(if plain.is_empty() { '?' } else { '&' });
                plain.push_str(pair);
            }
        }
    }
    let mut config: Config =
        format!("{address}{plain}").parse().map_err(|error: tokio_postgres::Error| causes(&error))?;
    let mode = Mode::of(requested, root.is_some(), is_local(&config))?;
    // Unix sockets have no TLS, whatever mode is requested.
    let sockets = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
    config.ssl_mode(match mode {
        _ if sockets => SslMode::Disable,
        Mode::Disable => SslMode::Disable,
        Mode::Prefer => SslMode::Prefer,
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
    });
    let connector = Connector::new(mode, root.as_deref())?;
    Ok((config, connector))
}

/// Percent-decodes as the driver does: a `+` stays a plus sign.
fn decoded(value: &str) -> String {
    let value = value.replace('+', "%2B").replace('=', "%3D");
    url::form_urlencoded::parse(value.as_bytes())
        .next()
        .map(|(text, _)| text.into_owned())
        .unwrap_or_default()
}

/// True if every host is this machine.
fn is_local(config: &Config) -> bool {
    let loopback = |name: &str| {
        name == "localhost"
            || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
    };
    if !config.get_hostaddrs().is_empty() {
        return config.get_hostaddrs().iter().all(|address| address.to_canonical().is_loopback());
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => loopback(name),
    })
}

/// Opens the encrypted connections of one URL.
#[derive(Clone)]
pub(super) struct Connector(TlsConnector);

impl Connector {
    fn new(mode: Mode, root: Option<&str>) -> Result<Self, String> {
        let roots = root.map(roots).transpose()?.unwrap_or_default();
        let provider = provider();
        let chain = match mode {
            Mode::VerifyCa | Mode::VerifyFull => {
                let mut store = RootCertStore::empty();
                store.add_parsable_certificates(roots.iter().cloned());
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider));
                Some(verifier.build().map_err(|error| format!("sslrootcert: {error}"))?)
            }
            Mode::Disable | Mode::Prefer | Mode::Require => None,
        };
        let verifier = CertificateVerifier {
            chain,
            roots,
            name: mode == Mode::VerifyFull,
            provider: Arc::clone(&provider),
        };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        // Required by servers from version 17 on with `sslnegotiation=direct`.
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

fn roots(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = fs::read(file).map_err(|error| format!("sslrootcert: {file} cannot be read: {error}"))?;
    let roots: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("sslrootcert: {file} is not PEM: {error}"))?;
    if roots.is_empty() {
        return Err(format!("sslrootcert: {file} holds no certificate"));
    }
    Ok(roots)
}

/// Verifier of a server's certificate.
#[derive(Debug)]
struct CertificateVerifier {
    /// Verifier of the chain; `None` to accept any certificate.
    chain: Option<Arc<WebPkiServerVerifier>>,
    roots: Vec<CertificateDer<'static>>,
    /// True if the certificate must name the host.
    name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for CertificateVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        // A self-signed certificate, like the first example in the PostgreSQL manual, is its own root.
        if !self.name && self.roots.contains(own) {
            return Ok(ServerCertVerified::assertion());
        }
        match chain.verify_server_cert(own, between, name, ocsp, now) {
            // The name is verified last, so everything else about the certificate is valid.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        own: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, own, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The handshake with one host.
pub(super) struct Handshake {
    connector: TlsConnector,
    host: String,
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Connector {
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake { connector: self.0.clone(), host: host.to_owned() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            Ok(Encrypted(self.connector.connect(name, stream).await?))
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(url: &str) -> Result<SslMode, String> {
        read(url).map(|(config, _)| config.get_ssl_mode())
    }

    #[test]
    fn on_this_machine_the_connection_is_plain_unless_asked() {
        for here in
            ["localhost", "127.0.0.1", "127.9.9.9:5433", "[::1]", "[::ffff:127.0.0.1]", "%2Frun%2Fpostgresql"]
        {
            assert_eq!(mode(&format!("postgres://a:b@{here}/library")), Ok(SslMode::Disable), "{here}");
        }
        assert_eq!(mode("postgres://a@localhost/library?sslmode=prefer"), Ok(SslMode::Prefer));
        assert_eq!(mode("postgres://a@localhost/library?sslmode=require"), Ok(SslMode::Require));
        assert_eq!(mode("postgres://a@/library?host=/run/postgresql&sslmode=require"), Ok(SslMode::Disable));
    }

    #[test]
    fn another_machine_is_spoken_to_in_plain_text_only_if_that_is_said() {
        for there in [
            "db.college.edu",
            "10.0.0.7",
            "localhost,10.0.0.7",
            "localhost.college.edu",
            "[2001:db8::1]",
            "10.0.0.7:5433",
        ] {
            let url = format!("postgres://a:b@{there}/library?application_name=x");
            assert!(mode(&url).is_err_and(|error| error.contains("sslmode=verify-full")), "{there}");
            assert!(mode(&format!("{url}&sslmode=prefer")).is_err_and(|error| error.contains("plain text")));
            assert_eq!(mode(&format!("{url}&sslmode=disable")), Ok(SslMode::Disable));
            assert_eq!(mode(&format!("{url}&sslmode=require")), Ok(SslMode::Require));
        }
        let hidden = mode("postgres://a@localhost/library?hostaddr=10.0.0.7");
        assert!(hidden.is_err_and(|error| error.contains("another machine")));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        for (parameters, text) in [
            ("sslmode=full", "not full"),
            ("sslmode=verify-full", "need sslrootcert"),
            ("sslmode=verify-ca&sslrootcert=/no/such+file", "/no/such+file cannot be read"),
            ("sslmode=verify-ca&sslrootcert=Cargo.toml", "holds no certificate"),
            ("colour=blue", "colour"),
        ] {
            let refused = mode(&format!("postgres://a@db.college.edu/library?{parameters}"));
            assert!(refused.as_ref().is_err_and(|error| error.contains(text)), "{parameters}: {refused:?}");
        }
    }
}
