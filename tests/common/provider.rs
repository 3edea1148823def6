//! A college's sign-in provider (OpenID Connect) for tests; it can misbehave on request.

use std::{
    collections::HashMap,
    fmt,
    future::pending,
    io,
    net::SocketAddr,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
    serve::Listener,
};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use futures_util::stream;
use ring::{
    hmac,
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
        RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _},
    server::TlsStream,
};
use url::{Url, form_urlencoded};

use crate::certificate::Certificate;

pub const CLIENT: &str = "library";
/// Contains characters that must be encoded in a header.
pub const SECRET: &str = "s:e c+r%et";

static RSA: LazyLock<RsaKeyPair> = LazyLock::new(|| RsaKeyPair::from_pkcs8(&rsa_key()).expect("an RSA key"));

/// Generates an RSA key as PKCS #8.
pub fn rsa_key() -> Vec<u8> {
    let key = PrivatePkcs8KeyDer::from_pem_slice(include_bytes!("../fixtures/provider.pem")).expect("a key");
    key.secret_pkcs8_der().to_vec()
}

fn ec_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.as_ref(), &random).expect("a key")
}

/// Key that signs a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Rsa,
    Ec,
    /// A key that is not the provider's.
    Stranger,
    /// The provider's public key, as if it were a shared secret.
    PublicKey,
    Nothing,
}

/// Behaviour of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    Well,
    /// Accepts the connection and never answers.
    Never,
    /// Sends an answer without an end.
    Endlessly,
    With500,
    WithHtml,
    AnotherIssuer,
    /// Redirects the caller to another host.
    Redirect,
    /// Names a token endpoint on a host that the operator has not allowed.
    OtherHost,
}

/// Changes header and claims of a token before it is signed.
pub type Tamper = Arc<dyn Fn(&mut Value, &mut Value) + Send + Sync>;

/// Changes the finished token.
pub type Rewrite = fn(String) -> String;

struct Code {
    nonce: String,
    challenge: String,
    redirect: String,
    claims: Value,
}

struct Inner {
    url: String,
    ec: Mutex<(String, EcdsaKeyPair)>,
    stranger: EcdsaKeyPair,
    codes: Mutex<HashMap<String, Code>>,
    answers: Mutex<Answers>,
    sign: Mutex<Sign>,
    tamper: Mutex<Option<Tamper>>,
    rewrite: Mutex<Option<Rewrite>>,
    /// Current time, epoch seconds.
    now: Mutex<i64>,
    keys_read: AtomicUsize,
    described: AtomicUsize,
    made: AtomicUsize,
    tokens: Mutex<Vec<String>>,
}

/// Accepts TLS connections and drops others.
struct Encrypted {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Encrypted {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.listener.accept().await.expect("a connection");
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A provider that listens on this machine until it is dropped.
pub struct Provider {
    inner: Arc<Inner>,
    server: JoinHandle<()>,
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic")
}

impl Provider {
    /// Starts a provider whose clock shows `now` (epoch seconds).
    pub async fn start(now: i64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        Self::behind(listener, url, now)
    }

    /// Starts a provider at `https://localhost` with this certificate.
    pub async fn start_encrypted(now: i64, certificate: &Certificate) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
        Self::behind(Encrypted { listener, acceptor: TlsAcceptor::from(certificate.server()) }, url, now)
    }

    fn behind<L>(listener: L, url: String, now: i64) -> Self
    where
        L: Listener,
        L::Addr: fmt::Debug,
    {
        let inner = Arc::new(Inner {
            url,
            ec: Mutex::new(("ec-1".into(), ec_key())),
            stranger: ec_key(),
            codes: Mutex::default(),
            answers: Mutex::new(Answers::Well),
            sign: Mutex::new(Sign::Rsa),
            tamper: Mutex::default(),
            rewrite: Mutex::default(),
            now: Mutex::new(now),
            keys_read: AtomicUsize::new(0),
            described: AtomicUsize::new(0),
            made: AtomicUsize::new(0),
            tokens: Mutex::default(),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .with_state(Arc::clone(&inner));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the provider serves");
        });
        Self { inner, server }
    }

    pub fn url(&self) -> &str {
        &self.inner.url
    }

    pub fn answers(&self, answers: Answers) {
        *lock(&self.inner.answers) = answers;
    }

    pub fn sign_by(&self, sign: Sign) {
        *lock(&self.inner.sign) = sign;
    }

    pub fn tamper(&self, tamper: Option<Tamper>) {
        *lock(&self.inner.tamper) = tamper;
    }

    pub fn rewrite(&self, rewrite: Option<Rewrite>) {
        *lock(&self.inner.rewrite) = rewrite;
    }

    pub fn set_clock(&self, now: i64) {
        *lock(&self.inner.now) = now;
    }

    /// Rotates the signing key and its id.
    pub fn exchange_keys(&self) {
        *lock(&self.inner.ec) = ("ec-2".into(), ec_key());
    }

    /// Returns how often its description and its keys were read.
    pub fn was_asked(&self) -> (usize, usize) {
        (self.inner.described.load(Ordering::Relaxed), self.inner.keys_read.load(Ordering::Relaxed))
    }

    /// Returns the ID tokens that it has issued.
    pub fn tokens(&self) -> Vec<String> {
        lock(&self.inner.tokens).clone()
    }

    /// Signs a user in who came by this address; returns the query of the redirect back.
    pub fn approve(&self, address: &str, claims: Value) -> String {
        let address: Url = address.parse().expect("an address");
        let asked: HashMap<String, String> = address.query_pairs().into_owned().collect();
        let text = |name: &str| asked.get(name).cloned().unwrap_or_default();
        assert_eq!(
            (text("response_type"), text("client_id"), text("code_challenge_method")),
            ("code".into(), CLIENT.into(), "S256".into())
        );
        assert!(text("scope").split(' ').any(|scope| scope == "openid"));
        let code = format!("code-{}-{}", text("state"), self.inner.made.fetch_add(1, Ordering::Relaxed));
        lock(&self.inner.codes).insert(
            code.clone(),
            Code {
                nonce: text("nonce"),
                challenge: text("code_challenge"),
                redirect: text("redirect_uri"),
                claims,
            },
        );
        let query = [("code", code.as_str()), ("state", &text("state")), ("session_state", "x")];
        form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish()
    }
}

/// Returns the answer of a misbehaving provider, if it misbehaves.
async fn instead(provider: &Inner) -> Option<Response> {
    let answers = *lock(&provider.answers);
    Some(match answers {
        Answers::Well | Answers::AnotherIssuer | Answers::OtherHost => return None,
        Answers::Never => pending().await,
        Answers::Endlessly => {
            let spaces = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 8192])));
            Body::from_stream(spaces).into_response()
        }
        Answers::With500 => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Answers::WithHtml => "<!doctype html>".into_response(),
        Answers::Redirect => {
            (StatusCode::FOUND, [(header::LOCATION, format!("{}/keys", provider.url))]).into_response()
        }
    })
}

async fn describe(State(provider): State<Arc<Inner>>) -> Response {
    provider.described.fetch_add(1, Ordering::Relaxed);
    if let Some(instead) = instead(&provider).await {
        return instead;
    }
    let answers = *lock(&provider.answers);
    let url = &provider.url;
    let issuer = if answers == Answers::AnotherIssuer { "https://accounts.example.org" } else { url };
    let token = match answers {
        Answers::OtherHost => url.replace("127.0.0.1", "localhost"),
        _ => url.clone(),
    };
    axum::Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{url}/authorize?realm=college"),
        "token_endpoint": format!("{token}/token"),
        "jwks_uri": format!("{url}/keys"),
        "response_types_supported": ["code"],
    }))
    .into_response()
}

async fn keys(State(provider): State<Arc<Inner>>) -> Response {
    provider.keys_read.fetch_add(1, Ordering::Relaxed);
    if let Some(instead) = instead(&provider).await {
        return instead;
    }
    let public: RsaPublicKeyComponents<Vec<u8>> = RSA.public().into();
    let ec = lock(&provider.ec);
    let point = ec.1.public_key().as_ref().to_vec();
    let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    axum::Json(json!({ "keys": [
        { "kty": "OKP", "kid": "other", "crv": "Ed25519", "x": "AAAA" },
        { "kty": "RSA", "kid": "rsa", "use": "enc", "n": "AAAA", "e": "AQAB" },
        {
            "kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256",
            "n": encoded(&public.n), "e": encoded(&public.e),
        },
        { "kty": "EC", "kid": ec.0, "crv": "P-256", "x": encoded(&point[1..33]), "y": encoded(&point[33..]) },
    ] }))
    .into_response()
}

fn refused(error: &str) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(json!({ "error": error, "error_description": "no" })))
        .into_response()
}

async fn token(State(provider): State<Arc<Inner>>, headers: HeaderMap, body: String) -> Response {
    if let Some(instead) = instead(&provider).await {
        return instead;
    }
    let form: HashMap<String, String> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let text = |name: &str| form.get(name).cloned().unwrap_or_default();
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let proof = format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(CLIENT), encoded(SECRET))));
    if headers.get(header::AUTHORIZATION).is_none_or(|sent| sent != proof.as_str()) {
        return refused("invalid_client");
    }
    // A code works once, and only with the PKCE verifier behind the challenge.
    let Some(code) = lock(&provider.codes).remove(&text("code")) else { return refused("invalid_grant") };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(text("code_verifier")));
    if challenge != code.challenge || text("redirect_uri") != code.redirect {
        return refused("invalid_grant");
    }
    let token = provider.id_token(&code);
    lock(&provider.tokens).push(token.clone());
    axum::Json(json!({ "access_token": "a", "token_type": "Bearer", "id_token": token })).into_response()
}

impl Inner {
    fn id_token(&self, code: &Code) -> String {
        let sign = *lock(&self.sign);
        let ec = lock(&self.ec);
        let (algorithm, kid) = match sign {
            Sign::Rsa => ("RS256", "rsa"),
            Sign::Ec | Sign::Stranger => ("ES256", ec.0.as_str()),
            Sign::PublicKey => ("HS256", "rsa"),
            Sign::Nothing => ("none", "rsa"),
        };
        let now = *lock(&self.now);
        let mut head = json!({ "alg": algorithm, "kid": kid, "typ": "JWT" });
        let mut claims = json!({
            "iss": self.url, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": code.nonce,
        });
        for (name, value) in code.claims.as_object().expect("an object") {
            claims[name] = value.clone();
        }
        if let Some(tamper) = &*lock(&self.tamper) {
            tamper(&mut head, &mut claims);
        }
        let encoded = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let signed = format!("{}.{}", encoded(&head), encoded(&claims));
        let signature = self.signature(sign, &ec.1, signed.as_bytes());
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
        lock(&self.rewrite).map_or_else(|| token.clone(), |rewrite| rewrite(token.clone()))
    }

    fn signature(&self, sign: Sign, ec: &EcdsaKeyPair, text: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match sign {
            Sign::Rsa => {
                let mut signature = vec![0; RSA.public().modulus_len()];
                RSA.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature).expect("a signature");
                signature
            }
            Sign::Ec => ec.sign(&random, text).expect("a signature").as_ref().to_vec(),
            Sign::Stranger => self.stranger.sign(&random, text).expect("a signature").as_ref().to_vec(),
            Sign::PublicKey => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, RSA.public().as_ref());
                hmac::sign(&key, text).as_ref().to_vec()
            }
            Sign::Nothing => Vec::new(),
        }
    }
}
