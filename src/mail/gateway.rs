//! Text messages, by SMS or chat: one request per message to the operator's gateway, signed as Standard Webhooks asks
//! (<https://www.standardwebhooks.com>).

use std::{fmt, path::Path, time::Duration};

use anyhow::{Context as _, Result, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use hyper::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use ring::hmac;
use serde_json::{Map, Value, json};
use url::Url;

use super::{
    Digest, Outcome, Rate, Writing,
    letter::{named, notice_subject, one_line},
    sender::{Sender, new_id},
};
use crate::{
    domain::{
        id::UserId,
        mail::{Channel, Kind},
        notice::Kind as NoticeKind,
    },
    message::{self, Message},
    outbound::{self, Outbound},
    storage::mails::{NewMail, Taken},
};

/// Usual timeout of a request: gateways hand the message on before they answer.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// Maximum length of an answer in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;
/// Maximum length of the stored part of an answer, in characters.
const LONGEST_WORDS: usize = 200;
/// Maximum number of books named in a message: an SMS is short, and each of its parts costs money.
const LONGEST_LIST: usize = 3;
/// Maximum number of requests at once.
const CONNECTIONS: usize = 2;

/// Minimum length of the signature's key in bytes (Standard Webhooks).
const SHORTEST_KEY: usize = 24;

/// Default template of the body, for an operator who configures none.
const TEMPLATE: &str = r#"{ "id": "{{id}}", "to": "{{to}}", "text": "{{text}}" }"#;
/// Placeholders of a template; all other text in double braces is an error.
const PLACEHOLDERS: [&str; 7] = ["id", "to", "digits", "text", "name", "library", "count"];

/// Gateway, as configured by the operator.
pub struct Options {
    pub url: Url,
    /// Header with the operator's credentials.
    pub header: Option<(HeaderName, HeaderValue)>,
    /// JSON with placeholders in its strings; `TEMPLATE` if `None`.
    pub template: Option<String>,
    /// Key of the signature, in base64 after `whsec_`; unsigned if `None`.
    pub key: Option<String>,
    /// Phone that gets all messages, for trials.
    pub redirect: Option<String>,
    /// Maximum number of messages per minute.
    pub rate: u32,
    /// Timeout of a request.
    pub patience: Duration,
}

/// Client of the operator's gateway.
pub struct TextGateway {
    url: Url,
    host: String,
    header: Option<(HeaderName, HeaderValue)>,
    template: Value,
    key: Option<hmac::Key>,
    redirect: Option<String>,
    outbound: Outbound,
    rate: Rate,
}

impl fmt::Debug for TextGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextGateway").field("host", &self.host).finish_non_exhaustive()
    }
}

impl TextGateway {
    /// Prepares the client; `roots` (PEM) are read if the address has https.
    ///
    /// # Errors
    /// The address is not safe, the template is not JSON or has an unknown placeholder, or the roots are no certificates.
    pub fn new(options: Options, roots: &Path) -> Result<Self> {
        let Options { url, header, template, key, redirect, rate, patience } = options;
        ensure!(outbound::is_safe(&url), "--text-url must be an address with https");
        ensure!(
            url.password().is_none() && url.username().is_empty(),
            "--text-url must not hold credentials: --text-header-file"
        );
        let host = url.host_str().context("--text-url names no host")?.to_owned();
        let template = serde_json::from_str(template.as_deref().unwrap_or(TEMPLATE))
            .context("--text-template is not JSON")?;
        check(&template)?;
        let roots = (url.scheme() == "https").then_some(roots);
        let outbound =
            Outbound::new(vec![host.clone()], patience, LONGEST_ANSWER, roots).context("--text-ca")?;
        let key = key.as_deref().map(signer).transpose()?;
        Ok(Self { url, host, header, template, key, redirect, outbound, rate: Rate::new(rate) })
    }

    /// Returns the body and the headers of a message.
    fn request(&self, message: &Taken) -> Option<(HeaderMap, String)> {
        let mut values: Map<String, Value> = serde_json::from_str(&message.text).ok()?;
        let to = self.redirect.as_ref().unwrap_or(&message.address);
        let digits: String = to.chars().filter(char::is_ascii_digit).collect();
        let plus = if to.trim_start().starts_with('+') { "+" } else { "" };
        values.extend([
            ("id".to_owned(), json!(message.message_id)),
            ("to".to_owned(), json!(format!("{plus}{digits}"))),
            ("digits".to_owned(), json!(digits)),
        ]);
        let body = fill(&self.template, &values).to_string();
        let seconds = (message.tried_at / 1000).to_string();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("webhook-id", message.message_id.parse().ok()?);
        headers.insert("webhook-timestamp", seconds.parse().ok()?);
        if let Some(key) = &self.key {
            let signed = format!("{}.{seconds}.{body}", message.message_id);
            let mac = STANDARD.encode(hmac::sign(key, signed.as_bytes()));
            headers.insert("webhook-signature", format!("v1,{mac}").parse().ok()?);
        }
        if let Some((name, value)) = &self.header {
            headers.insert(name.clone(), value.clone());
        }
        Some((headers, body))
    }

    fn outcome(&self, status: StatusCode, body: &[u8]) -> Outcome {
        let host = self.host.as_str();
        let words =
            || -> String { one_line(&String::from_utf8_lossy(body)).chars().take(LONGEST_WORDS).collect() };
        match status {
            status if status.is_success() => Outcome::Sent(message::mail_accepted(host)),
            // The address or the credentials are wrong, or the limit is reached: the next message would fail, too.
            StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::PAYMENT_REQUIRED
            | StatusCode::TOO_MANY_REQUESTS => {
                Outcome::Trouble(message::text_gateway_refuses(host, status.as_str(), &words()))
            }
            status if status.is_client_error() => {
                Outcome::Refused(message::text_refused(host, status.as_str(), &words()))
            }
            status if status.is_server_error() => Outcome::Later(message::text_later(host, status.as_str())),
            status => Outcome::Trouble(message::text_gateway_refuses(host, status.as_str(), "")),
        }
    }
}

impl Sender for TextGateway {
    const CHANNEL: Channel = Channel::Text;

    fn connections(&self) -> usize {
        CONNECTIONS
    }

    fn rate(&self) -> &Rate {
        &self.rate
    }

    async fn send(&self, message: &Taken) -> Outcome {
        let Some((headers, body)) = self.request(message) else {
            return Outcome::Refused(message::text_unreadable());
        };
        match self.outbound.post(&self.url, headers, body).await {
            Ok(answer) => self.outcome(answer.status, &answer.body),
            Err(outbound::Error::Late) => Outcome::Later(message::text_no_answer(&self.host)),
            // An answer that is too long still shows that the gateway has the message.
            Err(outbound::Error::TooLong(_)) => Outcome::Sent(message::mail_accepted(&self.host)),
            Err(_) => Outcome::Trouble(message::text_unreachable(&self.host)),
        }
    }
}

fn signer(key: &str) -> Result<hmac::Key> {
    let key = STANDARD.decode(key.trim_start_matches("whsec_"));
    let key = key.ok().filter(|key| key.len() >= SHORTEST_KEY).with_context(|| {
        format!("--text-secret-file must hold at least {SHORTEST_KEY} bytes in base64, with or without whsec_ before them")
    })?;
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &key))
}

/// Fails on an unknown placeholder.
fn check(template: &Value) -> Result<()> {
    match template {
        Value::String(text) => {
            for part in text.split("{{").skip(1) {
                let name = part.split_once("}}").map_or(part, |(name, _)| name);
                ensure!(
                    PLACEHOLDERS.contains(&name) && part.contains("}}"),
                    "--text-template: there is no placeholder {{{{{name}}}}}; there are {}",
                    PLACEHOLDERS.map(|name| format!("{{{{{name}}}}}")).join(", ")
                );
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(check),
        Value::Object(fields) => fields.values().try_for_each(check),
        _ => Ok(()),
    }
}

/// Replaces the placeholders in all strings. Values are not searched for placeholders, and cannot leave their string.
fn fill(template: &Value, values: &Map<String, Value>) -> Value {
    match template {
        Value::String(text) => {
            let mut parts = text.split("{{");
            let mut filled = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
                match values.get(name) {
                    Some(Value::String(value)) => filled.push_str(value),
                    Some(value) => filled.push_str(&value.to_string()),
                    None => {}
                }
                filled.push_str(rest);
            }
            Value::String(filled)
        }
        Value::Array(items) => items.iter().map(|item| fill(item, values)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), fill(field, values))).collect()
        }
        other => other.clone(),
    }
}

/// Content of a text message: its first line, and the values of the placeholders.
#[derive(Clone, Debug)]
pub struct Text {
    kind: Kind,
    first: String,
    values: Value,
}

impl Text {
    /// Writes the reminders of a person, for the person or the guardian.
    #[must_use]
    pub fn reminder(writing: Writing<'_>, name: &str, digest: &Digest) -> Self {
        let Writing { language, library, .. } = writing;
        let name = one_line(name);
        let library = named(library, language);
        let reminder = digest.reminder(&library).text_in(language);
        let first = one_line(&format!("{name}: {reminder}"));
        let lines = digest.lines.iter().chain(&digest.news);
        let count = lines.clone().count();
        let shown = lines.take(LONGEST_LIST).map(|line| one_line(&line.text_in(language)));
        let rest = count.saturating_sub(LONGEST_LIST);
        let rest =
            (rest > 0).then(|| message::text_more(i64::try_from(rest).unwrap_or(i64::MAX)).text_in(language));
        let text = std::iter::once(first.clone()).chain(shown).chain(rest).collect::<Vec<_>>().join("\n");
        let values = json!({ "text": text, "name": name, "library": library, "count": count });
        Self { kind: Kind::Digest, first, values }
    }

    /// Writes one notice of a person.
    #[must_use]
    pub fn notice(writing: Writing<'_>, name: &str, kind: NoticeKind, lines: &[Message]) -> Self {
        let Writing { language, library, .. } = writing;
        let name = one_line(name);
        let library = named(library, language);
        let first = one_line(&notice_subject(kind)(&library).text_in(language));
        let shown = lines.iter().map(|line| one_line(&line.text_in(language)));
        let text = std::iter::once(first.clone()).chain(shown).collect::<Vec<_>>().join("\n");
        let values = json!({ "text": text, "name": name, "library": library, "count": lines.len() });
        Self { kind: Kind::Notice, first, values }
    }

    /// Writes a test message.
    #[must_use]
    pub fn test(language: &str, library: &str) -> Self {
        let library = named(library, language);
        let first = one_line(&message::text_test(&library).text_in(language));
        let values = json!({ "text": first, "name": "", "library": library, "count": 0 });
        Self { kind: Kind::Test, first, values }
    }

    /// Makes a row of the outbox, with an id of its own.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn addressed(
        &self,
        person: Option<UserId>,
        phone: &str,
        now: i64,
        patience: i64,
    ) -> Result<NewMail, getrandom::Error> {
        Ok(NewMail {
            channel: Channel::Text,
            person,
            kind: self.kind,
            address: phone.to_owned(),
            subject: self.first.clone(),
            text: self.values.to_string(),
            html: String::new(),
            message_id: format!("msg_{}", new_id()?),
            not_before: now,
            expires_at: now + patience,
            digest_day: None,
            unsubscribe: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Options {
        Options {
            url: "http://localhost:9/".parse().expect("a URL"),
            header: None,
            template: None,
            key: None,
            redirect: None,
            rate: 1,
            patience: PATIENCE,
        }
    }

    fn error(change: impl FnOnce(&mut Options)) -> String {
        let mut options = options();
        change(&mut options);
        let made = TextGateway::new(options, "/nothing".as_ref());
        made.map_or_else(|error| format!("{error:#}"), |_| String::new())
    }

    #[test]
    fn a_gateway_that_cannot_work_is_refused_at_the_start() {
        assert_eq!(error(|_| ()), "");
        let with = |url: &str| error(|options| options.url = url.parse().expect("a URL"));
        assert!(with("http://sms.example/").contains("https"), "readers' names cross no network unencrypted");
        assert!(with("ftp://localhost/").contains("https"));
        assert!(with("https://me:secret@sms.example/").contains("--text-header-file"));
        let with = |template: &str| error(|options| options.template = Some(template.to_owned()));
        assert!(with("{").contains("not JSON"));
        assert!(with(r#"{"a": [{"b": "{{phone}}"}]}"#).contains("no placeholder {{phone}}"));
        assert!(with(r#"{"a": "{{to"}"#).contains("no placeholder {{to"), "never closed");
        assert!(error(|options| options.key = Some("whsec_c2hvcnQ=".into())).contains("24 bytes"));
    }

    #[test]
    fn a_value_is_never_searched_for_placeholders_nor_leaves_its_string() {
        let template: Value =
            serde_json::from_str(r#"["{{name}}-{{count}}", {"{{name}}": 7}]"#).expect("JSON");
        let values = json!({ "name": "{{count}}\", \"x\": \"", "count": 2 });
        let Value::Object(values) = values else { unreachable!("an object") };
        assert_eq!(fill(&template, &values), json!(["{{count}}\", \"x\": \"-2", { "{{name}}": 7 }]));
    }
}
