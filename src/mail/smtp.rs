//! SMTP client: a pool of connections to the operator's mail server, and the server's replies as messages.

use std::{
    error::Error as _,
    fmt,
    io::{self, ErrorKind},
    time::{Duration, UNIX_EPOCH},
};

use anyhow::{Context as _, Result};
use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport as _, Message as Mail, Tokio1Executor,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
    transport::smtp::{
        self, PoolConfig,
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
        extension::ClientId,
        response::{Category, Detail, Severity},
    },
};
use tokio::time::timeout;

use super::{
    letter::one_line,
    sender::{Outcome, Rate, Sender, new_id},
};
use crate::{
    domain::mail::Channel,
    message::{self, Message},
    storage::mails::Taken,
};

/// Time limit of one command.
const COMMAND: Duration = Duration::from_secs(30);
/// Time limit of a mail, shorter than its lease.
const MAIL: Duration = Duration::from_secs(90);
/// Maximum connections at once; free mail services allow few.
const CONNECTIONS: u32 = 4;
/// Time after which idle connections are closed, before the mail server closes them.
const IDLE: Duration = Duration::from_secs(30);
/// Maximum length of the stored part of a server's reply, in characters.
const LONGEST_WORDS: usize = 200;

/// Encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS, required before anything is sent.
    StartTls,
    /// No encryption; the operator asked for it explicitly.
    Plain,
}

/// Mail server and sender, as configured by the operator.
#[derive(Clone)]
pub struct Options {
    pub host: String,
    pub port: u16,
    pub security: Security,
    /// User name and password, if the server asks for them.
    pub account: Option<(String, String)>,
    /// Root certificates (PEM) in place of the system's.
    pub roots: Option<Vec<u8>>,
    pub from: Mailbox,
    pub reply_to: Option<Mailbox>,
    /// Address that gets all mail, for trials.
    pub redirect: Option<Address>,
    /// Maximum number of mails per minute.
    pub rate: u32,
    /// Host name sent in EHLO.
    pub hello: String,
}

/// Client of the operator's mail server: a pool of connections and a rate limit.
pub struct SmtpClient {
    smtp: AsyncSmtpTransport<Tokio1Executor>,
    options: Options,
    rate: Rate,
}

impl fmt::Debug for SmtpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpClient").field("host", &self.options.host).finish_non_exhaustive()
    }
}

impl SmtpClient {
    /// Prepares the pool; connects at the first mail.
    ///
    /// # Errors
    /// The roots are no certificates.
    pub fn new(options: Options) -> Result<Self> {
        let tls = || -> Result<TlsParameters> {
            let mut tls = TlsParameters::builder(options.host.clone());
            if let Some(pem) = &options.roots {
                let roots = Certificate::from_pem(pem).context("--smtp-ca holds no certificate")?;
                tls = tls.certificate_store(CertificateStore::None).add_root_certificate(roots);
            }
            Ok(tls.build()?)
        };
        let tls = match options.security {
            Security::Implicit => Tls::Wrapper(tls()?),
            Security::StartTls => Tls::Required(tls()?),
            Security::Plain => Tls::None,
        };
        let pool = PoolConfig::new().max_size(CONNECTIONS).idle_timeout(IDLE);
        let mut smtp = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&options.host)
            .port(options.port)
            .tls(tls)
            .timeout(Some(COMMAND))
            .hello_name(ClientId::Domain(options.hello.clone()))
            .pool_config(pool);
        if let Some((user, password)) = options.account.clone() {
            smtp = smtp.credentials(Credentials::new(user, password));
        }
        let rate = Rate::new(options.rate);
        Ok(Self { smtp: smtp.build(), options, rate })
    }

    /// Host name of the mail server, for messages.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.options.host
    }

    /// Makes a Message-ID in the sender's domain.
    pub(super) fn new_message_id(&self) -> std::result::Result<String, getrandom::Error> {
        Ok(format!("<{}@{}>", new_id()?, self.options.from.email.domain()))
    }

    /// Connects and signs in, as for a mail, without sending one.
    pub async fn check(&self) -> std::result::Result<(), Message> {
        match timeout(MAIL, self.smtp.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(message::mail_odd(self.server())),
            Ok(Err(error)) => Err(self.trouble(&error)),
            Err(_) => Err(message::mail_no_answer(self.server())),
        }
    }

    async fn hand_over(&self, mail: &Taken) -> Outcome {
        let Some(mail) = self.message(mail) else { return Outcome::Refused(message::mail_bad_address()) };
        match timeout(MAIL, self.smtp.send(mail)).await {
            Ok(Ok(_)) => Outcome::Sent(message::mail_accepted(self.server())),
            Ok(Err(error)) => self.outcome(&error).await,
            Err(_) => Outcome::Trouble(message::mail_no_answer(self.server())),
        }
    }

    /// Builds the mail; `None` for an address that SMTP cannot carry.
    fn message(&self, mail: &Taken) -> Option<Mail> {
        let to: Address = mail.address.parse().ok()?;
        let to = self.options.redirect.clone().unwrap_or(to);
        let date = UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.created_at).unwrap_or_default());
        let automatic =
            HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
        let mut built = Mail::builder()
            .from(self.options.from.clone())
            .to(Mailbox::new(None, to))
            .subject(one_line(&mail.subject))
            .message_id(Some(mail.message_id.clone()))
            .date(date)
            .raw_header(automatic);
        if let Some(address) = &mail.unsubscribe {
            // RFC 8058: a mail program may offer one click, without opening the page.
            let header = |name, value| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
            built = built
                .raw_header(header("List-Unsubscribe", format!("<{}>", one_line(address))))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
        }
        if let Some(reply_to) = self.options.reply_to.clone() {
            built = built.reply_to(reply_to);
        }
        built.multipart(MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone())).ok()
    }

    async fn outcome(&self, error: &smtp::Error) -> Outcome {
        let Some(code) = error.status() else { return Outcome::Trouble(self.trouble(error)) };
        let words = words(error);
        let enhanced = enhanced(&words);
        if is_sign_in(error) {
            return Outcome::Trouble(message::mail_sign_in_refused(self.server()));
        }
        if code.severity == Severity::PermanentNegativeCompletion {
            // If the server refuses connections altogether, the mail is not at fault.
            if let Err(trouble) = self.check().await {
                return Outcome::Trouble(trouble);
            }
            return Outcome::Refused(match enhanced {
                Some((1, 1 | 2 | 3 | 6 | 10)) => message::mail_no_mailbox(&words),
                Some((2, 2)) => message::mail_mailbox_full(&words),
                _ => message::mail_refused(&words),
            });
        }
        // 421 announces that the server closes the connection; 4.3, 4.5.3 and 4.7 concern the server and its limits,
        // not the mailbox.
        let is_closing = code.category == Category::Connections && code.detail == Detail::One;
        match enhanced {
            Some((3 | 7, _) | (5, 3)) => Outcome::Trouble(message::mail_busy(&words)),
            _ if is_closing => Outcome::Trouble(message::mail_busy(&words)),
            Some((2, 2)) => Outcome::Later(message::mail_mailbox_full(&words)),
            _ => Outcome::Later(message::mail_later(&words)),
        }
    }

    /// Returns the message for a failure to reach or use the server, which says nothing about the mail.
    fn trouble(&self, error: &smtp::Error) -> Message {
        let server = self.server();
        if is_sign_in(error) {
            message::mail_sign_in_refused(server)
        } else if error.status().is_some() {
            message::mail_busy(&words(error))
        } else if error.is_tls()
            || is_handshake(error)
            || error.is_client() && self.options.security != Security::Plain
        {
            message::mail_not_encrypted(server)
        } else if error.is_timeout() {
            message::mail_no_answer(server)
        } else if error.is_response() {
            message::mail_odd(server)
        } else {
            message::mail_unreachable(server)
        }
    }
}

impl Sender for SmtpClient {
    const CHANNEL: Channel = Channel::Mail;

    fn connections(&self) -> usize {
        CONNECTIONS as usize
    }

    fn rate(&self) -> &Rate {
        &self.rate
    }

    async fn send(&self, mail: &Taken) -> Outcome {
        self.hand_over(mail).await
    }
}

/// True if the server rejected or demands the user name and password.
fn is_sign_in(error: &smtp::Error) -> bool {
    error.status().is_some_and(|code| {
        matches!(code.to_string().as_str(), "432" | "454" | "530" | "534" | "535" | "538")
    })
}

/// True if TLS failed: the certificate is not trusted, or the server does not speak TLS.
fn is_handshake(error: &smtp::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::InvalidData) {
            return true;
        }
        source = cause.source();
    }
    false
}

/// Returns the server's reply as one short line.
fn words(error: &smtp::Error) -> String {
    let source = error.source().map(ToString::to_string).unwrap_or_default();
    one_line(&source).chars().take(LONGEST_WORDS).collect()
}

/// Returns the subject and detail numbers of the enhanced status code (RFC 3463) at the start of the server's reply, if
/// it has one.
fn enhanced(words: &str) -> Option<(u16, u16)> {
    let mut numbers = words.split_whitespace().next()?.split('.').map(str::parse::<u16>);
    match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(_)), Some(Ok(subject)), Some(Ok(detail)), None) => Some((subject, detail)),
        _ => None,
    }
}
