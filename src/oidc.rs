//! Sign-in by the college's provider (OpenID Connect Core 1.0): the authorization code flow with PKCE.
//!
//! This file knows the provider: where its addresses are, which keys it signs by, and what the operator told of it. It calls
//! out by [`outbound`] and believes what [`token`] has checked. What happens in a browser stands in `http::oidc`, who
//! somebody of the provider is here in `people::provider`.

pub mod token;

use std::{
    fmt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::http::HeaderValue;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hyper::StatusCode;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

use crate::outbound::{self, Outbound};
use token::{Claims, Expected, Keys, Refused};

/// How long the provider's addresses and keys are believed without asking again.
const FRESH: Duration = Duration::from_hours(1);
/// After a failure nobody waits for the provider again so soon.
pub const REST: Duration = Duration::from_secs(5);

/// What the operator tells of the provider.
#[derive(Clone)]
pub struct Options {
    /// As the provider writes it.
    pub issuer: String,
    pub client: String,
    pub secret: String,
    /// What people call it.
    pub label: String,
    /// Domains whose verified addresses open the account with the same address.
    pub domains: Vec<String>,
    /// The claim that holds the roll number.
    pub roll_number_claim: Option<String>,
    /// Where the provider sends browsers back to.
    pub redirect: Url,
    /// Hosts that may be called beside the issuer's.
    pub hosts: Vec<String>,
    /// How long a call may take.
    pub patience: Duration,
    /// How long the provider is left alone after a failure.
    pub rest: Duration,
}

/// Why somebody could not sign in.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The provider does not answer, or not as it should.
    #[error("the sign-in provider is of no use now: {0}")]
    Unavailable(String),
    /// The provider does not vouch for the person.
    #[error("a sign-in by the provider was refused: {0}")]
    Refused(String),
}

impl From<outbound::Error> for Error {
    fn from(error: outbound::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// What the provider says of itself (OpenID Connect Discovery 1.0, 3).
#[derive(Clone, Debug, Deserialize)]
struct Description {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// What was learnt of the provider, and when.
#[derive(Default)]
struct Known {
    description: Option<(Arc<Description>, Instant)>,
    keys: Option<(Arc<Keys>, Instant)>,
    failed: Option<(Instant, String)>,
}

impl Known {
    /// An error where the provider has failed a moment ago: those who waited behind one another are told at once.
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

/// The college's provider. It is first called when somebody wants to sign in by it, so the server starts without it.
pub struct Provider {
    options: Options,
    description: Url,
    outbound: Outbound,
    /// Those who need the same answer at the same moment wait for one request.
    known: Mutex<Known>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("issuer", &self.options.issuer).finish_non_exhaustive()
    }
}

/// Somebody on their way to the provider.
pub struct Way<'w> {
    pub state: &'w str,
    pub nonce: &'w str,
    /// The secret of PKCE; only its hash travels.
    pub verifier: &'w str,
}

impl Provider {
    /// With the file of the roots that vouch for it.
    ///
    /// # Errors
    /// The issuer is no address that may be called, or the file holds no roots.
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
        let outbound = Outbound::new(hosts, options.patience, (issuer.scheme() == "https").then_some(roots))?;
        Ok(Self { options, description, outbound, known: Mutex::default() })
    }

    /// What people call it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.options.label
    }

    /// As the provider writes it.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.options.issuer
    }

    /// What the provider says of somebody's roll number, where the operator named the claim.
    #[must_use]
    pub fn roll_number<'c>(&self, claims: &'c Claims) -> Option<&'c str> {
        claims.text(self.options.roll_number_claim.as_deref()?)
    }

    /// An address that the provider has verified, in one of the domains that the operator listed.
    #[must_use]
    pub fn email<'c>(&self, claims: &'c Claims) -> Option<&'c str> {
        let email = claims.verified_email()?;
        let (_, domain) = email.rsplit_once('@')?;
        self.options.domains.iter().any(|listed| listed.eq_ignore_ascii_case(domain)).then_some(email)
    }

    /// The address to which a browser goes to sign in.
    ///
    /// # Errors
    /// The provider is of no use now.
    pub async fn sign_in_address(&self, way: &Way<'_>) -> Result<Url, Error> {
        let mut url = self.describe().await?.authorization_endpoint.clone();
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(way.verifier.as_bytes()));
        // A claim of the college's own comes with the profile, if with any scope.
        let scope = match self.options.roll_number_claim {
            Some(_) => "openid email profile",
            None => "openid email",
        };
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client)
            .append_pair("redirect_uri", self.options.redirect.as_str())
            .append_pair("scope", scope)
            .append_pair("state", way.state)
            .append_pair("nonce", way.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Exchanges the code that a browser brought back for what the provider says of the person; `now` in epoch milliseconds.
    ///
    /// # Errors
    /// The provider is of no use now, or does not vouch for the person.
    pub async fn redeem(&self, code: &str, verifier: &str, nonce: &str, now: i64) -> Result<Claims, Error> {
        let description = self.describe().await?;
        let exchanged = self.exchange(&description, code, verifier).await;
        let token = exchanged.inspect_err(|error| tracing::warn!("{error}"))?;
        let (issuer, client) = (self.options.issuer.as_str(), self.options.client.as_str());
        let expected = Expected { issuer, client, nonce, now: now.div_euclid(1000) };
        let (keys, fresh) = self.keys(&description, None).await?;
        let checked = match token::check(&token, &keys, &expected) {
            // The provider may have exchanged its keys since they were read; asked once.
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
        // Nothing said means the header (OpenID Connect Discovery 1.0, 3).
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
        let answer = self.outbound.post(&description.token_endpoint, form, authorization).await?;
        if answer.status != StatusCode::OK {
            return Err(refusal(answer.status, &answer.body));
        }
        let granted: Granted = serde_json::from_slice(&answer.body)
            .map_err(|_| Error::Unavailable("its answer to a code holds no ID token".into()))?;
        Ok(granted.id_token)
    }

    /// RFC 6749, 2.3.1: both are form-encoded first.
    fn basic(&self) -> Result<HeaderValue, Error> {
        let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.options.client), encoded(&self.options.secret));
        HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair)))
            .map_err(|error| Error::Unavailable(error.to_string()))
    }

    /// What the provider says of itself; read at most once an hour.
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

    /// The provider's keys, and whether they were read just now. `instead` of these others are wanted, if there are.
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

/// Why the provider gave no token. Only the names of RFC 6749 (5.2) are repeated: the rest could hold anything.
fn refusal(status: StatusCode, body: &[u8]) -> Error {
    #[derive(Deserialize)]
    struct Told {
        error: String,
    }
    let told = serde_json::from_slice::<Told>(body).map(|told| told.error).unwrap_or_default();
    let known = ["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client"];
    match known.into_iter().find(|name| *name == told) {
        Some("invalid_grant") => Error::Refused("the provider does not take the code".into()),
        Some(name) => Error::Unavailable(format!("it says {name}: look at --oidc-client-id and the secret")),
        None => Error::Unavailable(format!("its answer to a code is {}", status.as_u16())),
    }
}
