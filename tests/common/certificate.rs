//! Certificates made for one test, and clients that trust them.

use std::{net::TcpStream, path::Path, sync::Arc, time::Duration};

use library::{server::tls::Files, tls::provider};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, StreamOwned, SupportedProtocolVersion,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};

/// A self-signed certificate.
pub struct Certificate {
    pub der: CertificateDer<'static>,
    pub pem: String,
    pub key: String,
}

impl Certificate {
    /// Creates one for these names or addresses, valid from 1 January of one year to 1 January of another.
    pub fn valid(names: &[&str], from: i32, until: i32) -> Self {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = rcgen::KeyPair::generate().expect("a key");
        let mut certificate = rcgen::CertificateParams::new(names).expect("names");
        certificate.not_before = rcgen::date_time_ymd(from, 1, 1);
        certificate.not_after = rcgen::date_time_ymd(until, 1, 1);
        let signed = certificate.self_signed(&key).expect("a certificate");
        Self { der: signed.der().clone(), pem: signed.pem(), key: key.serialize_pem() }
    }

    pub fn of(names: &[&str]) -> Self {
        Self::valid(names, 2020, 2400)
    }

    /// Writes both files into a folder, replacing existing ones.
    pub fn write(&self, folder: &Path) -> Files {
        let files = Files { certificate: folder.join("library.pem"), key: folder.join("library.key") };
        std::fs::write(&files.certificate, &self.pem).expect("written");
        std::fs::write(&files.key, &self.key).expect("written");
        files
    }

    /// Returns the TLS settings of a server with this certificate.
    pub fn server(&self) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).expect("a key");
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone()], key)
            .expect("a certificate with its key");
        Arc::new(config)
    }

    /// Returns a client that trusts this certificate only.
    pub fn client(&self, versions: &[&'static SupportedProtocolVersion]) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).expect("a root");
        let client = ClientConfig::builder_with_provider(provider()).with_protocol_versions(versions);
        let mut client = client.expect("versions").with_root_certificates(roots).with_no_client_auth();
        client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Arc::new(client)
    }
}

/// Opens a TLS connection to this machine; `None` if the handshake fails.
pub fn connect(client: &Arc<ClientConfig>, port: u16) -> Option<StreamOwned<ClientConnection, TcpStream>> {
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(15))).ok()?;
    let mut connection = ClientConnection::new(Arc::clone(client), name).ok()?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).ok()?;
    }
    Some(StreamOwned::new(connection, stream))
}
