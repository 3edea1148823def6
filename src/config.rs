//! Command line. Every flag is also an environment variable: `--listen` is `LIBRARY_LISTEN`.

use std::{
    fs,
    net::{IpAddr, SocketAddr},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, Parser, Subcommand};
use hyper::header::{HeaderName, HeaderValue};
use jiff::{SignedDuration, civil::Time, tz::TimeZone};
use lettre::{Address, message::Mailbox};
use url::Url;

use crate::{
    backups::{self, Daily, Keep},
    http::{
        API,
        limits::CHANGES_A_MINUTE,
        oidc::CALLBACK,
        options::{IdCard, SecondFactor},
    },
    look_up::{self, Place, Sources},
    mail::{self, Post, Security, SmtpClient, TextGateway},
    oidc::{self, Provider},
    outbound,
    storage::Location,
    version::VERSION,
};

/// A library: catalogue, loans and readers, in one program.
#[derive(Parser)]
#[command(version = VERSION.as_str(), propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve the library to browsers.
    Serve(Box<Serve>),
    /// Manage librarians.
    #[command(subcommand)]
    Admin(Admin),
    /// Import books, people, open loans or open charges from a file.
    #[command(subcommand)]
    Import(Import),
    /// Export the catalogue to a file.
    #[command(subcommand)]
    Export(Export),
    /// Upgrade the database's schema and exit.
    Migrate {
        /// Only print what would be done.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        database: Database,
    },
    /// Copy a SQLite database into a new file while the server runs.
    Backup {
        /// New file.
        file: PathBuf,
        #[command(flatten)]
        database: Database,
    },
    /// Replace the database with a copy made by `backup`, and keep the old database under another name. The server must be
    /// stopped. All people have to sign in again.
    Restore {
        /// Copy to restore.
        file: PathBuf,
        /// Only verify the copy; change nothing.
        #[arg(long)]
        verify: bool,
        #[command(flatten)]
        accept: AcceptContradictions,
        #[command(flatten)]
        database: Database,
    },
    /// Restore one deleted book from a backup, with its copies and reviews, while the server runs.
    ///
    /// Erased people cannot be restored: their erasure was promised.
    RestoreBook {
        /// Backup made before the book was deleted.
        #[arg(long)]
        from: PathBuf,
        /// Number of the book, as in the address of its page and in the list of changes.
        #[arg(long)]
        book: i64,
        #[command(flatten)]
        accept: AcceptContradictions,
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        zone: Zone,
    },
    /// Move the whole library from SQLite to PostgreSQL or back, into an empty database. All servers must be stopped.
    ///
    /// Every table is compared afterwards, row by row. The old database stays as it is.
    Move {
        /// Database to read, `sqlite:FILE` or `postgres://USER@HOST/NAME`.
        #[arg(long)]
        from: Location,
        /// Empty database of the other kind; on PostgreSQL its role must own the tables.
        #[arg(long)]
        to: Location,
        #[command(flatten)]
        zone: Zone,
    },
    /// Change the library's time zone. All servers must be stopped; due dates keep their calendar days.
    TimeZone {
        /// IANA name, for instance Asia/Kolkata.
        #[arg(value_parser = zone)]
        name: TimeZone,
        #[command(flatten)]
        database: Database,
    },
    /// Print the API's OpenAPI document.
    Openapi,
    /// Try the mail server.
    #[command(subcommand)]
    Mail(MailCommand),
    /// Try the gateway of text messages.
    #[command(subcommand)]
    Text(TextCommand),
    /// Check database, schema, time zone and accounts.
    Doctor {
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        zone: Zone,
        /// Folder of the server's daily backups; the newest must not be older than 26 hours.
        #[arg(long, env = "LIBRARY_BACKUP_FOLDER", value_name = "DIR")]
        backup_folder: Option<PathBuf>,
        #[command(flatten)]
        visible: Visible,
        #[command(flatten)]
        oidc: Box<Oidc>,
        #[command(flatten)]
        mail: Box<Mail>,
        #[command(flatten)]
        isbn: Isbn,
    },
}

#[derive(Subcommand)]
pub enum MailCommand {
    /// Send a mail to an address at once, and print the mail server's answer.
    Test {
        /// Address that gets the mail.
        address: String,
        #[command(flatten)]
        mail: Box<Mail>,
        #[command(flatten)]
        database: Database,
    },
}

#[derive(Subcommand)]
pub enum TextCommand {
    /// Send a text message to a phone at once, and print the gateway's answer.
    Test {
        /// Phone that gets the message, for instance +919845012345.
        #[arg(allow_hyphen_values = true)]
        phone: String,
        #[command(flatten)]
        texts: Box<Texts>,
        #[command(flatten)]
        database: Database,
    },
}

/// Options of `serve` that let the doctor detect an undeclared proxy.
#[derive(Args, Clone)]
pub struct Visible {
    /// The same as for `serve`.
    #[arg(long, env = "LIBRARY_PUBLIC_URL", value_parser = public_url)]
    public_url: Option<Url>,
    /// The same as for `serve`.
    #[arg(long, env = "LIBRARY_TLS_CERTIFICATE", value_name = "FILE")]
    tls_certificate: Option<PathBuf>,
    /// The same as for `serve`.
    #[arg(long, env = "LIBRARY_TRUSTED_PROXIES", value_delimiter = ',')]
    trusted_proxies: Vec<IpAddr>,
}

impl Visible {
    /// Returns the address at which browsers open the library; `http://localhost/` if none was given.
    pub fn public_address(&self) -> Result<Url> {
        self.public_url.clone().map_or_else(|| Ok(Url::parse("http://localhost/")?), Ok)
    }

    /// True if browsers use https, but neither a certificate nor a trusted proxy is configured.
    #[must_use]
    pub fn has_unnamed_proxy(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
            && self.tls_certificate.is_none()
            && self.trusted_proxies.is_empty()
    }
}

#[derive(Args, Clone)]
pub struct Database {
    /// `sqlite:FILE` or `postgres://USER@HOST/NAME`
    #[arg(long, env = "LIBRARY_DATABASE", default_value = "sqlite:library.db", hide_env_values = true)]
    pub database: Location,
}

#[derive(Args, Clone, Copy)]
pub struct AcceptContradictions {
    /// Use a backup even if its records contradict each other, because there is no better one. The contradictions are listed in
    /// any case.
    #[arg(long)]
    pub although_records_contradict: bool,
}

#[derive(Args, Clone)]
pub struct Zone {
    /// Time zone in which the library's days begin and end (for instance Asia/Kolkata, Europe/Berlin, UTC). The first start
    /// stores it in the database, Asia/Kolkata by default; later starts need no time zone.
    #[arg(long, env = "LIBRARY_TIME_ZONE", value_parser = zone)]
    pub time_zone: Option<TimeZone>,
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| format!("there is no time zone {name}; names look like Asia/Kolkata"))
}

#[derive(Args, Clone)]
pub struct Serve {
    /// Seconds to wait at the start for a PostgreSQL server that is not up yet.
    #[arg(long, env = "LIBRARY_DATABASE_WAIT", default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(..=3600))]
    pub database_wait: u16,
    /// Address and port to listen on.
    #[arg(long, env = "LIBRARY_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Address and port of the Prometheus metrics, for the operator only; no metrics without this option.
    #[arg(long, env = "LIBRARY_METRICS_LISTEN")]
    pub metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    pub database: Database,
    #[command(flatten)]
    pub zone: Zone,
    /// Address of the library in browsers, for instance `https://library.college.edu`; `http://localhost:PORT` by default,
    /// `https` with a certificate.
    #[arg(long, env = "LIBRARY_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<Url>,
    /// TLS certificate (PEM, with its chain) to serve https without a proxy; renewed files are reloaded automatically.
    #[arg(long, env = "LIBRARY_TLS_CERTIFICATE", requires = "tls_key", value_name = "FILE")]
    pub tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, env = "LIBRARY_TLS_KEY", requires = "tls_certificate", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
    /// Address and port where plain http only redirects browsers to the library's https address, for instance `0.0.0.0:80`.
    #[arg(long, env = "LIBRARY_HTTP_REDIRECT", requires = "tls_certificate", value_name = "ADDRESS")]
    pub http_redirect: Option<SocketAddr>,
    /// Allow browsers on other machines to sign in over plain http. Passwords then cross the network unprotected.
    #[arg(long, env = "LIBRARY_ALLOW_INSECURE_HTTP")]
    pub allow_insecure_http: bool,
    /// Addresses of reverse proxies whose X-Forwarded-For is trusted, separated by commas.
    #[arg(long, env = "LIBRARY_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpAddr>,
    /// Answer of the ID card look-up: the email address, the address with its middle hidden, or nothing.
    #[arg(long, env = "LIBRARY_ID_CARD", value_enum, default_value = "full")]
    pub id_card: IdCard,
    /// Roles that must sign in with a second factor, the code of an authenticator app; optional for all other roles.
    #[arg(long, env = "LIBRARY_SECOND_FACTOR", value_enum, default_value = "optional")]
    pub second_factor: SecondFactor,
    /// Make a daily backup in this folder (SQLite).
    #[arg(long, env = "LIBRARY_BACKUP_FOLDER", value_name = "DIR")]
    pub backup_folder: Option<PathBuf>,
    /// Time of day of the backup, in the library's time zone.
    #[arg(long, env = "LIBRARY_BACKUP_TIME", default_value = "02:30", value_name = "HH:MM", value_parser = time_of_day)]
    pub backup_time: Time,
    /// Daily backups to keep: the newest DAYS, then the last one of each of WEEKS earlier weeks and MONTHS earlier months.
    #[arg(long, env = "LIBRARY_BACKUP_KEEP", default_value = "7,4,12", value_name = "DAYS,WEEKS,MONTHS")]
    pub backup_keep: Keep,
    /// Maximum duration of a librarian's session, for instance 12h.
    #[arg(long, env = "LIBRARY_LIBRARIAN_SESSION", default_value = "12h", value_name = "TIME", value_parser = session_length)]
    pub librarian_session: Duration,
    /// Maximum idle time of a librarian's session, for instance 30m.
    #[arg(long, env = "LIBRARY_LIBRARIAN_IDLE", default_value = "30m", value_name = "TIME", value_parser = session_length)]
    pub librarian_idle: Duration,
    /// Maximum number of changes that a student can make per minute, or in one burst: loans, returns, holds, reviews, account.
    #[arg(long, env = "LIBRARY_STUDENT_CHANGES", default_value_t = CHANGES_A_MINUTE, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub student_changes: u32,
    #[command(flatten)]
    pub oidc: Oidc,
    #[command(flatten)]
    pub mail: Mail,
    #[command(flatten)]
    pub texts: Texts,
    #[command(flatten)]
    pub isbn: Isbn,
    /// Seconds for which the server still answers after SIGTERM while readyz already fails; must be longer than a load balancer
    /// needs to notice the failure.
    #[arg(long, env = "LIBRARY_STOP_DELAY", default_value_t = 1, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(..=300))]
    pub stop_delay: u16,
    /// Fill an empty database with the demo catalogue and two accounts with a public password; only on a loopback address.
    #[arg(long, env = "LIBRARY_DEMO")]
    pub demo: bool,
    /// Log format.
    #[arg(long, env = "LIBRARY_LOG_FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,
}

/// Sign-in with the college's provider (OpenID Connect); the client's secret is in `LIBRARY_OIDC_CLIENT_SECRET` or in a file.
#[derive(Args, Clone)]
pub struct Oidc {
    /// Issuer of the college's provider (OpenID Connect), exactly as the provider writes it, for instance
    /// `https://accounts.google.com`; turns on sign-in with the provider.
    #[arg(long, env = "LIBRARY_OIDC_ISSUER", requires = "oidc_client_id", value_name = "URL")]
    pub oidc_issuer: Option<String>,
    /// Client id of this library at the provider.
    #[arg(long, env = "LIBRARY_OIDC_CLIENT_ID", requires = "oidc_issuer", value_name = "ID")]
    pub oidc_client_id: Option<String>,
    /// File with the client secret issued by the provider, readable by its owner only; otherwise the secret is read from
    /// `LIBRARY_OIDC_CLIENT_SECRET`.
    #[arg(long, env = "LIBRARY_OIDC_CLIENT_SECRET_FILE", requires = "oidc_issuer", value_name = "FILE")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// Name of the provider on the button: Sign in with …
    #[arg(long, env = "LIBRARY_OIDC_LABEL", default_value = "College account", value_name = "NAME")]
    pub oidc_label: String,
    /// Domains of the college's mail, separated by commas: a verified address there identifies the account with that address.
    #[arg(long, env = "LIBRARY_OIDC_EMAIL_DOMAINS", value_delimiter = ',', value_name = "DOMAINS")]
    pub oidc_email_domains: Vec<String>,
    /// Claim of the provider's ID token that contains the roll number; only for a claim that users cannot edit.
    #[arg(long, env = "LIBRARY_OIDC_ROLL_NUMBER_CLAIM", value_name = "CLAIM")]
    pub oidc_roll_number_claim: Option<String>,
    /// Further hosts that the server may call, besides the issuer's, separated by commas.
    #[arg(long, env = "LIBRARY_OIDC_HOSTS", value_delimiter = ',', value_name = "HOSTS")]
    pub oidc_hosts: Vec<String>,
    /// Root certificates for these hosts (PEM).
    #[arg(
        long,
        env = "LIBRARY_OIDC_CA",
        default_value = "/etc/ssl/certs/ca-certificates.crt",
        value_name = "FILE"
    )]
    pub oidc_ca: PathBuf,
}

/// Maximum length of the provider's name; the button has no room for more.
const LONGEST_LABEL: usize = 30;

impl Oidc {
    /// Builds the provider, if configured; fails if no account could sign in with it.
    pub fn provider(&self, public_url: &Url) -> Result<Option<Provider>> {
        let (Some(issuer), Some(client)) = (&self.oidc_issuer, &self.oidc_client_id) else { return Ok(None) };
        ensure!(
            !self.oidc_email_domains.is_empty() || self.oidc_roll_number_claim.is_some(),
            "--oidc-issuer needs --oidc-email-domains or --oidc-roll-number-claim, or nobody's account would be found"
        );
        let label = self.oidc_label.trim();
        ensure!(
            (1..=LONGEST_LABEL).contains(&label.chars().count()) && !label.contains(char::is_control),
            "--oidc-label must be from 1 to {LONGEST_LABEL} characters"
        );
        let options = oidc::Options {
            issuer: issuer.clone(),
            client: client.clone(),
            secret: self.secret()?,
            label: label.to_owned(),
            domains: self.oidc_email_domains.iter().map(|domain| domain.trim().to_owned()).collect(),
            roll_number_claim: self.oidc_roll_number_claim.clone(),
            redirect: public_url.join(&format!("{API}{CALLBACK}"))?,
            hosts: self.oidc_hosts.iter().map(|host| host.trim().to_owned()).collect(),
            patience: outbound::PATIENCE,
            rest: oidc::REST,
        };
        Provider::new(options, &self.oidc_ca).map(Some)
    }

    /// Reads the client secret. No option has it, because every user of the machine can read command lines.
    fn secret(&self) -> Result<String> {
        secret(self.oidc_client_secret_file.as_deref(), "LIBRARY_OIDC_CLIENT_SECRET")?.context(
            "--oidc-issuer needs the client's secret: --oidc-client-secret-file, or LIBRARY_OIDC_CLIENT_SECRET",
        )
    }
}

/// Reads a secret from the first line of `file`, or from the environment variable if no file is given. Fails if other
/// users have access to the file.
fn secret(file: Option<&Path>, variable: &str) -> Result<Option<String>> {
    let Some(file) = file else {
        return Ok(std::env::var(variable).ok().filter(|secret| !secret.is_empty()));
    };
    let shown = file.display();
    let mode = fs::metadata(file).with_context(|| format!("{shown} cannot be read"))?.permissions().mode();
    ensure!(
        (mode & 0o070, mode & 0o007) == (0, 0),
        "{shown} holds a secret and is open to others: chmod 600 {shown}"
    );
    let text = fs::read_to_string(file).with_context(|| format!("{shown} cannot be read"))?;
    let secret = text.lines().next().unwrap_or_default().trim();
    ensure!(!secret.is_empty(), "{shown} holds no secret in its first line");
    Ok(Some(secret.to_owned()))
}

/// Mail by SMTP, off unless a mail server is named; the password is in `LIBRARY_SMTP_PASSWORD` or in a file.
#[derive(Args, Clone)]
pub struct Mail {
    /// Mail server for outgoing mail; turns mail on: `smtps://USER@HOST` (TLS), `smtp://USER@HOST` (STARTTLS,
    /// required), or `smtp-plain://HOST`, which protects nothing. An @ in the user's name is written %40.
    #[arg(long, env = "LIBRARY_SMTP_URL", requires = "mail_from", value_name = "URL")]
    pub smtp_url: Option<Url>,
    /// File with the password for the mail server, readable by its owner only; otherwise the password is read from
    /// `LIBRARY_SMTP_PASSWORD`.
    #[arg(long, env = "LIBRARY_SMTP_PASSWORD_FILE", requires = "smtp_url", value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,
    /// Root certificates for the mail server (PEM), in place of the system's.
    #[arg(long, env = "LIBRARY_SMTP_CA", requires = "smtp_url", value_name = "FILE")]
    pub smtp_ca: Option<PathBuf>,
    /// Sender of all mail, for instance `City Library <library@school.in>`.
    #[arg(long, env = "LIBRARY_MAIL_FROM", value_name = "ADDRESS")]
    pub mail_from: Option<Mailbox>,
    /// Address for replies, if it is not the sender's.
    #[arg(long, env = "LIBRARY_MAIL_REPLY_TO", value_name = "ADDRESS")]
    pub mail_reply_to: Option<Mailbox>,
    /// For trials: one address that gets all mail in place of the recipients.
    #[arg(long, env = "LIBRARY_MAIL_REDIRECT", value_name = "ADDRESS")]
    pub mail_redirect: Option<Address>,
    /// Maximum number of mails per minute.
    #[arg(long, env = "LIBRARY_MAIL_RATE", default_value_t = 60, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub mail_rate: u32,
}

impl Mail {
    /// Builds the connection to the mail server, if configured.
    pub fn post(&self, hello: &str) -> Result<Option<SmtpClient>> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.mail_from) else { return Ok(None) };
        let (security, port) = match url.scheme() {
            "smtps" => (Security::Implicit, 465),
            "smtp" => (Security::StartTls, 587),
            "smtp-plain" => (Security::Plain, 25),
            other => bail!("--smtp-url begins with smtps://, smtp:// or smtp-plain://, not with {other}:"),
        };
        ensure!(
            url.password().is_none(),
            "--smtp-url must not hold the password, which every user of this machine could read: \
             --smtp-password-file, or LIBRARY_SMTP_PASSWORD"
        );
        let host = url.host_str().filter(|host| !host.is_empty()).context("--smtp-url names no host")?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let user = percent_decoded(url.username());
        let account = if user.is_empty() {
            None
        } else {
            let password = secret(self.smtp_password_file.as_deref(), "LIBRARY_SMTP_PASSWORD")?
                .with_context(|| {
                    format!(
                        "--smtp-url signs in as {user}: give --smtp-password-file, or LIBRARY_SMTP_PASSWORD"
                    )
                })?;
            Some((user, password))
        };
        let roots = self
            .smtp_ca
            .as_ref()
            .map(|file| {
                fs::read(file).with_context(|| format!("--smtp-ca: {} cannot be read", file.display()))
            })
            .transpose()?;
        SmtpClient::new(mail::Options {
            host,
            port: url.port().unwrap_or(port),
            security,
            account,
            roots,
            from: from.clone(),
            reply_to: self.mail_reply_to.clone(),
            redirect: self.mail_redirect.clone(),
            rate: self.mail_rate,
            hello: hello.to_owned(),
        })
        .map(Some)
    }
}

/// Text messages (SMS or chat) by the operator's gateway, off unless a gateway is named; the key of the signature is in
/// `LIBRARY_TEXT_SECRET` or in a file.
#[derive(Args, Clone)]
pub struct Texts {
    /// Address of a gateway for SMS or chat, to which each text message is posted as JSON; turns text messages on.
    #[arg(long, env = "LIBRARY_TEXT_URL", value_name = "URL")]
    pub text_url: Option<Url>,
    /// File with a header line that carries the credentials, for instance `Authorization: Bearer …`, readable by its owner only.
    #[arg(long, env = "LIBRARY_TEXT_HEADER_FILE", requires = "text_url", value_name = "FILE")]
    pub text_header_file: Option<PathBuf>,
    /// JSON file with the body of a request. Placeholders in its strings: `{{to}}`, `{{digits}}`, `{{text}}`, `{{name}}`,
    /// `{{count}}`, `{{library}}` and `{{id}}`.
    #[arg(long, env = "LIBRARY_TEXT_TEMPLATE", requires = "text_url", value_name = "FILE")]
    pub text_template: Option<PathBuf>,
    /// File with the key that signs the requests (Standard Webhooks), readable by its owner only; otherwise the key is read
    /// from `LIBRARY_TEXT_SECRET`.
    #[arg(long, env = "LIBRARY_TEXT_SECRET_FILE", requires = "text_url", value_name = "FILE")]
    pub text_secret_file: Option<PathBuf>,
    /// For trials: one phone that gets all text messages in place of the recipients.
    #[arg(long, env = "LIBRARY_TEXT_REDIRECT", value_name = "PHONE", allow_hyphen_values = true)]
    pub text_redirect: Option<String>,
    /// Maximum number of text messages per minute.
    #[arg(long, env = "LIBRARY_TEXT_RATE", default_value_t = 60, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub text_rate: u32,
    /// Root certificates (PEM) for the gateway.
    #[arg(
        long,
        env = "LIBRARY_TEXT_CA",
        default_value = "/etc/ssl/certs/ca-certificates.crt",
        value_name = "FILE"
    )]
    pub text_ca: PathBuf,
}

impl Texts {
    /// Prepares the client of the gateway, if configured.
    pub fn gateway(&self) -> Result<Option<TextGateway>> {
        let Some(url) = &self.text_url else { return Ok(None) };
        let header = secret(self.text_header_file.as_deref(), "LIBRARY_TEXT_HEADER")?;
        let header = header.as_deref().map(header_line).transpose()?;
        let template = self.text_template.as_ref().map(|file| {
            fs::read_to_string(file)
                .with_context(|| format!("--text-template: {} cannot be read", file.display()))
        });
        let options = mail::TextOptions {
            url: url.clone(),
            header,
            template: template.transpose()?,
            key: secret(self.text_secret_file.as_deref(), "LIBRARY_TEXT_SECRET")?,
            redirect: self.text_redirect.clone(),
            rate: self.text_rate,
            patience: mail::GATEWAY_PATIENCE,
        };
        TextGateway::new(options, &self.text_ca).map(Some)
    }
}

/// Parses a header line.
fn header_line(line: &str) -> Result<(HeaderName, HeaderValue)> {
    let form = "--text-header-file holds one header, such as Authorization: Bearer 1234";
    let (name, value) = line.split_once(':').context(form)?;
    let mut value = HeaderValue::from_str(value.trim()).context(form)?;
    value.set_sensitive(true);
    Ok((HeaderName::from_bytes(name.trim().as_bytes()).context(form)?, value))
}

/// ISBN look-up, off unless a source is named; Google's key is in `LIBRARY_GOOGLE_BOOKS_KEY` or in a file.
#[derive(Args, Clone)]
pub struct Isbn {
    /// Sources in which librarians look up an ISBN, separated by commas and asked in this order: `openlibrary`, `google`,
    /// `sru:URL` (a library catalogue that answers SRU with MARCXML; `{isbn}` in the address is replaced), `file:PATH` (your own
    /// MARC file, CSV or spreadsheet). `openlibrary:URL` and `google:URL` name another server with the same API.
    #[arg(long, env = "LIBRARY_ISBN_SOURCES", value_delimiter = ',', value_name = "SOURCES", value_parser = isbn_source)]
    pub isbn_sources: Vec<Place>,
    /// File with Google's API key, readable by its owner only; otherwise the key is read from `LIBRARY_GOOGLE_BOOKS_KEY`.
    #[arg(long, env = "LIBRARY_GOOGLE_BOOKS_KEY_FILE", requires = "isbn_sources", value_name = "FILE")]
    pub google_books_key_file: Option<PathBuf>,
    /// Root certificates for the servers of the sources (PEM).
    #[arg(
        long,
        env = "LIBRARY_ISBN_CA",
        default_value = "/etc/ssl/certs/ca-certificates.crt",
        value_name = "FILE"
    )]
    pub isbn_ca: PathBuf,
}

fn isbn_source(text: &str) -> Result<Place, String> {
    Place::parse(text.trim()).map_err(|error| error.to_string())
}

impl Isbn {
    /// Builds the sources, if there are any.
    pub fn sources(&self) -> Result<Option<Sources>> {
        if self.isbn_sources.is_empty() {
            return Ok(None);
        }
        let key = secret(self.google_books_key_file.as_deref(), "LIBRARY_GOOGLE_BOOKS_KEY")?;
        let options = look_up::Options::new(self.isbn_sources.clone(), key);
        Sources::new(&options, &self.isbn_ca).context("--isbn-sources").map(Some)
    }
}

/// Decodes the percent-encoded user name of a URL.
fn percent_decoded(text: &str) -> String {
    let form = format!("text={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(form.as_bytes()).map(|(_, text)| text.into_owned()).collect()
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum LogFormat {
    /// Plain text for people.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

fn time_of_day(text: &str) -> Result<Time, String> {
    Time::strptime("%H:%M", text).map_err(|_| "write the time of day as HH:MM, for instance 02:30".into())
}

/// Activity is stored once a minute, so a shorter limit would sign active users out.
const SHORTEST_SESSION: Duration = Duration::from_mins(5);
const LONGEST_SESSION: Duration = Duration::from_hours(30 * 24);

fn session_length(text: &str) -> Result<Duration, String> {
    let length: SignedDuration = text.parse().map_err(|_| "write it like 12h or 30m".to_owned())?;
    Duration::try_from(length)
        .ok()
        .filter(|length| (SHORTEST_SESSION..=LONGEST_SESSION).contains(length))
        .ok_or_else(|| "it must be from 5 minutes to 30 days".to_owned())
}

fn public_url(text: &str) -> Result<Url, String> {
    let url =
        Url::parse(text).map_err(|error| format!("{error}; write it like https://library.college.edu"))?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some()
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.username().is_empty();
    if plain { Ok(url) } else { Err("give scheme and host only, like https://library.college.edu".into()) }
}

impl Serve {
    /// Builds the client of the mail server and the client of the text message gateway, each if configured.
    pub fn post(&self, public_url: &Url) -> Result<Post> {
        let post = Post {
            mail: self.mail.post(public_url.host_str().unwrap_or("localhost"))?.map(Arc::new),
            texts: self.texts.gateway()?.map(Arc::new),
        };
        ensure!(
            self.mail.mail_redirect.is_none() || post.texts.is_none() || self.texts.text_redirect.is_some(),
            "--mail-redirect is for trials: with --text-url, --text-redirect is needed, too"
        );
        Ok(post)
    }

    /// Returns the library's address in browsers for a listening address; fails if the combination is unsafe.
    pub fn public_address(&self, listening: SocketAddr) -> Result<Url> {
        let own_tls = self.tls_certificate.is_some();
        let url = match &self.public_url {
            Some(url) => url.clone(),
            None => {
                let scheme = if own_tls { "https" } else { "http" };
                let host = if listening.ip().is_loopback() || listening.ip().is_unspecified() {
                    "localhost".to_owned()
                } else if listening.is_ipv6() {
                    format!("[{}]", listening.ip())
                } else {
                    listening.ip().to_string()
                };
                Url::parse(&format!("{scheme}://{host}:{}/", listening.port()))?
            }
        };
        ensure!(
            !own_tls || url.scheme() == "https",
            "--tls-certificate serves https, but --public-url is {url}: write it with https"
        );
        let on_this_machine = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        ensure!(
            !self.demo || self.listen.ip().is_loopback() && on_this_machine && url.scheme() == "http",
            "--demo has passwords that everybody knows and stays on this machine: it is refused at {url} (listening on {}); \
             listen on 127.0.0.1 without --public-url, or leave --demo out",
            self.listen
        );
        ensure!(
            url.scheme() != "http"
                || self.allow_insecure_http
                || on_this_machine && self.listen.ip().is_loopback(),
            "plain http at {url} (listening on {}) would send passwords in the clear: \
             give --tls-certificate and --tls-key, or --public-url https://… and put a TLS proxy in front, \
             or say --allow-insecure-http",
            self.listen
        );
        Ok(url)
    }
}

impl Serve {
    /// Returns the settings of the daily backups, if configured, and creates their folder; fails if it is not writable.
    pub fn daily_backups(&self) -> Result<Option<Daily>> {
        let Some(folder) = &self.backup_folder else { return Ok(None) };
        ensure!(
            matches!(self.database.database, Location::Sqlite(_)),
            "--backup-folder is for SQLite: PostgreSQL is backed up by pg_dump, which cron runs"
        );
        backups::prepare(folder)?;
        Ok(Some(Daily { folder: folder.clone(), at: self.backup_time, keep: self.backup_keep }))
    }
}

#[derive(Subcommand)]
pub enum Admin {
    /// Create a librarian's account; asks for the password.
    Create {
        /// Email address to sign in with.
        #[arg(long)]
        email: String,
        /// Full name.
        #[arg(long)]
        name: String,
        /// Read the password from the first line of standard input.
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        database: Database,
    },
    /// List the librarians: name, address, what they may do, and whether they can sign in.
    List {
        #[command(flatten)]
        database: Database,
    },
    /// Set a new password for a person while the server runs; asks for the password. The person is signed out.
    ResetPassword {
        /// Email address of the account.
        #[arg(long)]
        email: String,
        /// Read the password from the first line of standard input.
        #[arg(long)]
        password_stdin: bool,
        #[command(flatten)]
        database: Database,
    },
    /// Deactivate a person who has left, while the server runs. The person is signed out at once and cannot sign in again.
    Deactivate {
        /// Email address of the account.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        zone: Zone,
    },
    /// Remove the second factor of a person who lost the authenticator app and the recovery codes, while the server runs. The
    /// person is signed out and then signs in with the password alone.
    ResetSecondFactor {
        /// Email address of the account.
        #[arg(long)]
        email: String,
        #[command(flatten)]
        database: Database,
    },
}

#[derive(Subcommand)]
pub enum Export {
    /// Export as MARC 21 (ISO 2709, UTF-8): imported records unchanged, a short record for each other title.
    Marc {
        /// File to be written; it must not exist.
        file: PathBuf,
        #[command(flatten)]
        database: Database,
    },
}

#[derive(Subcommand)]
pub enum Import {
    /// Import from CSV or a spreadsheet (XLSX, ODS) with the header title,subtitle,author,genre,photoURL,description,isbn,
    /// publishedYear,language,averageRating,ratingsCount,location,noOfBooks,rating,status,barcode,publisher,edition,
    /// callNumber,price or some of these columns, or from MARC 21 records (ISO 2709, MARCXML). Any of them may be gzipped.
    Books {
        /// File (.csv, .xlsx, .ods, .mrc, .xml, also .gz).
        file: PathBuf,
        /// Field of each column in order, as title,author,,isbn with a blank for an ignored column; "guess" guesses the fields
        /// from the headings and the content.
        #[arg(long)]
        columns: Option<String>,
        /// File for the rejected rows; NAME.rejected.csv in the current folder by default.
        #[arg(long)]
        rejected: Option<PathBuf>,
        #[command(flatten)]
        database: Database,
    },
    /// Import from CSV or a spreadsheet (XLSX, ODS), also gzipped: header
    /// rollNumber,name,email,department,batch,category,validUntil,phone,guardianEmail,guardianPhone or some of these columns.
    People {
        /// File (.csv, .xlsx, .ods, also .gz).
        file: PathBuf,
        /// Field of each column in order, blank for an ignored column; "guess" guesses the fields from headings and content.
        #[arg(long)]
        columns: Option<String>,
        /// Only print what would be done.
        #[arg(long)]
        dry_run: bool,
        /// File for the rejected rows; NAME.rejected.csv in the current folder by default.
        #[arg(long)]
        rejected: Option<PathBuf>,
        #[command(flatten)]
        database: Database,
        #[command(flatten)]
        zone: Zone,
    },
    /// Import open loans of another system from CSV or a spreadsheet (XLSX, ODS), also gzipped: header
    /// barcode,rollNumber,lent,due,renewals, the last one optional. Import books and people first.
    Loans {
        #[command(flatten)]
        list: List,
    },
    /// Import open charges of another system from CSV or a spreadsheet (XLSX, ODS), also gzipped: header
    /// rollNumber,amount,kind,description,date; the first two are required. Import people first.
    Charges {
        #[command(flatten)]
        list: List,
        /// Email of the librarian who makes the charges and must have the right to money.
        #[arg(long)]
        by: String,
    },
}

/// Arguments for the import of a list that makes one loan or charge per row.
#[derive(Args)]
pub struct List {
    /// File (.csv, .xlsx, .ods, also .gz).
    pub file: PathBuf,
    /// Field of each column in order, blank for an ignored column; "guess" guesses the fields from the headings.
    #[arg(long)]
    pub columns: Option<String>,
    /// Only print what would be done.
    #[arg(long)]
    pub dry_run: bool,
    /// File for the rejected rows; NAME.rejected.csv in the current folder by default.
    #[arg(long)]
    pub rejected: Option<PathBuf>,
    #[command(flatten)]
    pub database: Database,
    #[command(flatten)]
    pub zone: Zone,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(arguments: &[&str]) -> Result<Url, String> {
        let cli = Cli::try_parse_from(["library", "serve"].iter().chain(arguments))
            .map_err(|error| error.to_string())?;
        match cli.command {
            Command::Serve(serve) => serve.public_address(serve.listen).map_err(|error| error.to_string()),
            _ => Err("another command".into()),
        }
    }

    #[test]
    fn plain_http_stays_on_this_machine_unless_told() {
        assert_eq!(serve(&[]).map(String::from).as_deref(), Ok("http://localhost:8080/"));
        assert!(serve(&["--listen", "0.0.0.0:80"]).is_err());
        assert!(serve(&["--listen", "0.0.0.0:80", "--allow-insecure-http"]).is_ok());
        assert!(serve(&["--listen", "0.0.0.0:80", "--public-url", "https://library.example.org"]).is_ok());
        assert!(serve(&["--public-url", "http://library.example.org"]).is_err());
    }

    #[test]
    fn with_a_certificate_the_address_is_https() {
        let tls = ["--tls-certificate", "a.pem", "--tls-key", "a.key"];
        let with = |more: &[&'static str]| serve(&[&tls[..], more].concat());
        assert_eq!(with(&[]).map(String::from).as_deref(), Ok("https://localhost:8080/"));
        let other = with(&["--listen", "192.0.2.7:443"]).map(String::from);
        assert_eq!(other.as_deref(), Ok("https://192.0.2.7/"));
        let plain = with(&["--public-url", "http://library.example.org", "--allow-insecure-http"]);
        assert!(plain.is_err_and(|message| message.contains("write it with https")));
        assert!(serve(&tls[..2]).is_err_and(|message| message.contains("--tls-key")));
        assert!(
            serve(&["--http-redirect", "127.0.0.1:80"]).is_err_and(|message| message.contains("--tls-cert"))
        );
    }

    #[test]
    fn the_demo_is_refused_on_other_addresses() {
        assert!(serve(&["--demo"]).is_ok());
        let refused = serve(&["--demo", "--listen", "0.0.0.0:8080", "--allow-insecure-http"]);
        assert!(refused.is_err_and(|message| message.contains("--demo")));
        // P12: a server behind a proxy listens on a loopback address too.
        for public in ["https://library.example.org", "https://localhost", "http://library.example.org"] {
            let refused = serve(&["--demo", "--public-url", public, "--allow-insecure-http"]);
            assert!(refused.is_err_and(|message| message.contains("--demo")), "{public}");
        }
        assert!(serve(&["--demo", "--public-url", "http://localhost:5173"]).is_ok());
    }

    /// S17: a bare image has no time zone data.
    #[test]
    fn time_zones_are_known_without_the_systems_data_r_loan_8() {
        assert!(jiff::tz::TimeZoneDatabase::bundled().get("Asia/Kolkata").is_ok());
    }

    #[test]
    fn an_unknown_time_zone_is_named_r_loan_8() {
        assert!(
            serve(&["--time-zone", "Mars/Olympus"]).is_err_and(|message| message.contains("Mars/Olympus"))
        );
    }

    #[test]
    fn a_librarians_session_has_a_length_that_lets_them_work() {
        let parsed = |length: &str| session_length(length);
        assert_eq!(parsed("12h"), Ok(Duration::from_hours(12)));
        assert_eq!(parsed("1h 30m"), Ok(Duration::from_mins(90)));
        for wrong in ["30", "1m", "-1h", "31d", "2000h"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
