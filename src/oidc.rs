//! Sign-in by the college's provider (OpenID Connect Core 1.0): the authorization code flow with PKCE.
//!
//! This file handles the provider: its addresses, its keys and the operator's options. It calls out through
//! [`outbound`] and trusts what [`token`] has checked. The browser's part is in `http::oidc`; `people::provider` maps
//! the provider's people to accounts.

pub mod token;

use std::{
    fmt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use axum::http::HeaderValue;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hyper::{
    HeaderMap, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

use crate::outbound::{self, Outbound};
use token::{Claims, Expected, Keys, Refused};

/// Cache lifetime of the provider's addresses and keys.
const FRESH: Duration = Duration::from_hours(1);
/// Maximum length of an answer; a large provider's keys and metadata take some 10 KiB.
const LONGEST_ANSWER: usize = 256 * 1024;
/// Back-off after a failure of the provider.
pub const REST: Duration = Duration::from_secs(5);

/// The operator's options for the provider.
#[derive(Clone)]
pub struct Options {
    /// Exactly as the provider spells it.
    pub issuer: String,
    pub client: String,
    pub secret: String,
    /// Name shown to people.
    pub label: String,
    /// Domains whose verified addresses sign in to the account with the same address.
    pub domains: Vec<String>,
    /// Name of the claim with the roll number.
    pub roll_number_claim: Option<String>,
    /// Address to which the provider redirects browsers.
    pub redirect: Url,
    /// Hosts that may be called besides the issuer's.
    pub hosts: Vec<String>,
    /// Timeout of a call.
    pub patience: Duration,
    /// Back-off after a failure.
    pub rest: Duration,
}

/// Reason why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The provider does not answer, or answers wrongly.
    #[error("the sign-in provider is of no use now: {0}")]
    Unavailable(String),
    /// The provider does not confirm the person.
    #[error("a sign-in by the provider was refused: {0}")]
    Refused(String),
}

impl From<outbound::Error> for Error {
    fn from(error: outbound::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// Provider metadata (OpenID Connect Discovery 1.0, 3).
#[derive(Clone, Debug, Deserialize)]
struct Description {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// Cached answers of the provider, with their times.
#[derive(Default)]
struct Known {
    description: Option<(Arc<Description>, Instant)>,
    keys: Option<(Arc<Keys>, Instant)>,
    failed: Option<(Instant, String)>,
}

impl Known {
    /// Fails during the back-off after a failure, so that queued requests fail at once.
    fn may_ask(&self, rest: Duration) -> Result<(), Error> {
        match &self.failed {
            Some((at, reason)) if at.elapsed() < rest => Err(Error::Unavailable(reason.clone())),
            _ => Ok(()),
        }
    }

    fn learnt<T>(&mut self, read: Result<T, Error>) -> Result<T, Error> {
        self.failed = read.as_ref().err().map(|error| (Instant::now(), error.reason().to_owned()));
        read.inspect_err(|error| tracing::warn!("{error}"))
    }
}

/// The college's provider. The server starts without waiting for the provider.
pub struct Provider {
    options: Options,
    description: Url,
    outbound: Outbound,
    /// The lock makes concurrent requests share one call.
    known: Mutex<Known>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("issuer", &self.options.issuer).finish_non_exhaustive()
    }
}

/// Secrets of one sign-in at the provider.
pub struct AuthorizationRequest<'w> {
    pub state: &'w str,
    pub nonce: &'w str,
    /// PKCE's secret; only its hash is sent.
    pub verifier: &'w str,
}

impl Provider {
    /// Creates the provider; `roots` is the file of trusted root certificates.
    ///
    /// # Errors
    /// The issuer is not an address that may be called, or the file has no roots.
    pub fn new(options: Options, roots: &Path) -> anyhow::Result<Self> {
        let issuer = Url::parse(&options.issuer)?;
        anyhow::ensure!(
            outbound::is_safe(&issuer) && issuer.query().is_none() && issuer.fragment().is_none(),
            "--oidc-issuer must be an address with https, as the provider writes it"
        );
        let description = Url::parse(&format!(
            "{}/.well-known/openid-configuration",
            options.issuer.trim_end_matches('/')
        ))?;
        let own = issuer.host_str().map(ToOwned::to_owned);
        let hosts = own.into_iter().chain(options.hosts.iter().cloned()).collect();
        let roots = (issuer.scheme() == "https").then_some(roots);
        let outbound = Outbound::new(hosts, options.patience, LONGEST_ANSWER, roots).context("--oidc-ca")?;
        Ok(Self { options, description, outbound, known: Mutex::default() })
    }

    #[must_use]
    pub fn label(&self) -> &str {
        &self.options.label
    }

    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.options.issuer
    }

    /// Roll number claimed by the provider, if the operator named the claim.
    #[must_use]
    pub fn roll_number<'c>(&self, claims: &'c Claims) -> Option<&'c str> {
        claims.text(self.options.roll_number_claim.as_deref()?)
    }

    /// Email address verified by the provider, if its domain is listed by the operator.
    #[must_use]
    pub fn email<'c>(&self, claims: &'c Claims) -> Option<&'c str> {
        let email = claims.verified_email()?;
        let (_, domain) = email.rsplit_once('@')?;
        self.options.domains.iter().any(|listed| listed.eq_ignore_ascii_case(domain)).then_some(email)
    }

    /// Returns the reason why the claims match no account.
    #[must_use]
    pub fn why_unknown(&self, claims: &Claims) -> &'static str {
        if self.email(claims).is_some() || self.roll_number(claims).is_some() {
            "unknown-person"
        } else if claims.verified_email().is_some() {
            "another-domain"
        } else if claims.text("email").is_some() {
            "unverified-address"
        } else {
            "nothing-to-know-by"
        }
    }

    /// Reads the provider's description and keys, as the first sign-in would. Does not cache them: if the provider goes down
    /// later, the next sign-in must say so instead of redirecting to a dead page.
    ///
    /// # Errors
    /// The provider is unavailable, or is not the configured issuer.
    pub async fn probe(&self) -> Result<(), Error> {
        let description = self.describe().await?;
        self.keys(&description, None).await?;
        let mut known = self.known.lock().await;
        (known.description, known.keys) = (None, None);
        Ok(())
    }

    /// Address at which a browser begins to sign in.
    ///
    /// # Errors
    /// The provider is unavailable.
    pub async fn sign_in_address(&self, request: &AuthorizationRequest<'_>) -> Result<Url, Error> {
        let mut url = self.describe().await?.authorization_endpoint.clone();
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(request.verifier.as_bytes()));
        // Custom claims of a college usually come with the profile scope.
        let scope = match self.options.roll_number_claim {
            Some(_) => "openid email profile",
            None => "openid email",
        };
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client)
            .append_pair("redirect_uri", self.options.redirect.as_str())
            .append_pair("scope", scope)
            .append_pair("state", request.state)
            .append_pair("nonce", request.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Exchanges a browser's code for the checked claims about the person; `now` in epoch milliseconds.
    ///
    /// # Errors
    /// The provider is unavailable, or does not confirm the person.
    pub async fn redeem(&self, code: &str, verifier: &str, nonce: &str, now: i64) -> Result<Claims, Error> {
        let description = self.describe().await?;
        let exchanged = self.exchange(&description, code, verifier).await;
        let token = exchanged.inspect_err(|error| tracing::warn!("{error}"))?;
        let (issuer, client) = (self.options.issuer.as_str(), self.options.client.as_str());
        let expected = Expected { issuer, client, nonce, now: now.div_euclid(1000) };
        let (keys, fresh) = self.keys(&description, None).await?;
        let checked = match token::check(&token, &keys, &expected) {
            // The provider may have rotated its keys: fetch them once more.
            Err(Refused::UnknownKey) if !fresh => {
                let (keys, _) = self.keys(&description, Some(&keys)).await?;
                token::check(&token, &keys, &expected)
            }
            checked => checked,
        };
        let checked = checked.map_err(|refused| Error::Refused(refused.to_string()));
        checked.inspect_err(|error| tracing::warn!("{error}"))
    }

    async fn exchange(&self, description: &Description, code: &str, verifier: &str) -> Result<String, Error> {
        #[derive(Deserialize)]
        struct Granted {
            id_token: String,
        }
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.options.redirect.as_str()),
            ("code_verifier", verifier),
        ];
        // The default is the header (OpenID Connect Discovery 1.0, 3).
        let methods = description.token_endpoint_auth_methods_supported.as_deref();
        let in_header = methods.is_none_or(|all| all.iter().any(|method| method == "client_secret_basic"));
        let authorization = in_header.then(|| self.basic()).transpose()?;
        if !in_header {
            form.extend([
                ("client_id", self.options.client.as_str()),
                ("client_secret", &self.options.secret),
            ]);
        }
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        if let Some(mut authorization) = authorization {
            authorization.set_sensitive(true);
            headers.insert(AUTHORIZATION, authorization);
        }
        let answer = self.outbound.post(&description.token_endpoint, headers, form).await?;
        if answer.status != StatusCode::OK {
            return Err(refusal(answer.status, &answer.body));
        }
        let granted: Granted = serde_json::from_slice(&answer.body)
            .map_err(|_| Error::Unavailable("its answer to a code holds no ID token".into()))?;
        Ok(granted.id_token)
    }

    /// RFC 6749, 2.3.1: both parts are form-encoded first.
    fn basic(&self) -> Result<HeaderValue, Error> {
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.options.client), encoded(&self.options.secret));
        HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair)))
            .map_err(|error| Error::Unavailable(error.to_string()))
    }

    /// Returns the provider's metadata, fetched at most once an hour.
    async fn describe(&self) -> Result<Arc<Description>, Error> {
        let mut known = self.known.lock().await;
        if let Some((description, at)) = &known.description
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(description));
        }
        known.may_ask(self.options.rest)?;
        let read = self.read_description().await;
        let description = Arc::new(known.learnt(read)?);
        known.description = Some((Arc::clone(&description), Instant::now()));
        Ok(description)
    }

    async fn read_description(&self) -> Result<Description, Error> {
        let answer = self.outbound.get(&self.description).await?;
        if answer.status != StatusCode::OK {
            return Err(Error::Unavailable(format!("its description answers {}", answer.status.as_u16())));
        }
        let description: Description = serde_json::from_slice(&answer.body)
            .map_err(|_| Error::Unavailable("its description is not one of OpenID Connect".into()))?;
        if description.issuer != self.options.issuer {
            return Err(Error::Unavailable(
                "its description names another issuer: write --oidc-issuer exactly as the provider does"
                    .into(),
            ));
        }
        if !outbound::is_safe(&description.authorization_endpoint) {
            return Err(Error::Unavailable("it would have people sign in without https".into()));
        }
        Ok(description)
    }

    /// Returns the provider's keys, and true if just fetched. Fetches them again if the cached ones are `instead`.
    async fn keys(
        &self,
        description: &Description,
        instead: Option<&Arc<Keys>>,
    ) -> Result<(Arc<Keys>, bool), Error> {
        let mut known = self.known.lock().await;
        if let Some((keys, at)) = &known.keys
            && at.elapsed() < FRESH
            && instead.is_none_or(|others| !Arc::ptr_eq(others, keys))
        {
            return Ok((Arc::clone(keys), false));
        }
        known.may_ask(self.options.rest)?;
        let read = self.read_keys(description).await;
        let keys = Arc::new(known.learnt(read)?);
        known.keys = Some((Arc::clone(&keys), Instant::now()));
        Ok((keys, true))
    }

    async fn read_keys(&self, description: &Description) -> Result<Keys, Error> {
        let answer = self.outbound.get(&description.jwks_uri).await?;
        let keys = (answer.status == StatusCode::OK).then(|| Keys::read(&answer.body)).flatten();
        keys.ok_or_else(|| Error::Unavailable("its keys cannot be read".into()))
    }
}

impl Error {
    fn reason(&self) -> &str {
        match self {
            Self::Unavailable(reason) | Self::Refused(reason) => reason,
        }
    }
}

/// Converts the provider's refusal of a token. Repeats only error names of RFC 6749 (5.2): the rest is untrusted text.
fn refusal(status: StatusCode, body: &[u8]) -> Error {
    #[derive(Deserialize)]
    struct ErrorBody {
        error: String,
    }
    let error = serde_json::from_slice::<ErrorBody>(body).map(|body| body.error).unwrap_or_default();
    let known = ["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client"];
    match known.into_iter().find(|name| *name == error) {
        Some("invalid_grant") => Error::Refused("the provider does not take the code".into()),
        Some(name) => Error::Unavailable(format!("it says {name}: look at --oidc-client-id and the secret")),
        None => Error::Unavailable(format!("its answer to a code is {}", status.as_u16())),
    }
}
