//! A small SMTP server on its own port, which fails as a test asks.

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::certificate::Certificate;

/// What the server does with a mail.
#[derive(Clone, Debug)]
pub enum Act {
    Accept,
    /// Answers RCPT with this line.
    Recipient(&'static str),
    /// Answers the data with this line.
    Data(&'static str),
    /// Keeps the mail and breaks the connection off without an answer.
    Drop,
    /// Keeps the mail and never answers.
    Hang,
}

#[derive(Default)]
struct State {
    /// Acts for the next mails; then all are accepted.
    acts: Mutex<VecDeque<Act>>,
    /// Mails with their headers, as received.
    received: Mutex<Vec<String>>,
    /// Recipients of all mails.
    recipients: Mutex<Vec<String>>,
    sign_ins: AtomicUsize,
}

/// The server; its threads end with the test's process.
#[derive(Clone)]
pub struct MailServer {
    pub port: u16,
    state: Arc<State>,
}

impl MailServer {
    /// Starts a server without encryption.
    pub fn plain() -> Self {
        Self::start(None, false)
    }

    /// Starts a server with TLS from the first byte.
    pub fn encrypted(certificate: &Certificate) -> Self {
        Self::start(Some(certificate.server()), false)
    }

    /// Starts a server that takes mails after STARTTLS only.
    pub fn starttls(certificate: &Certificate) -> Self {
        Self::start(Some(certificate.server()), true)
    }

    fn start(tls: Option<Arc<ServerConfig>>, is_late: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State::default());
        let all = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (state, tls) = (Arc::clone(&all), tls.clone());
                std::thread::spawn(move || match tls {
                    Some(config) => {
                        if is_late {
                            starts_tls(&stream)?;
                        }
                        let connection = ServerConnection::new(config).expect("a connection");
                        converse(StreamOwned::new(connection, stream), &state, !is_late)
                    }
                    None => converse(stream, &state, true),
                });
            }
        });
        Self { port, state }
    }

    /// Acts so with the next mails.
    pub fn next(&self, acts: impl IntoIterator<Item = Act>) {
        self.state.acts.lock().expect("no panic").extend(acts);
    }

    /// Returns the number of mails received.
    pub fn count(&self) -> usize {
        self.state.received.lock().expect("no panic").len()
    }

    pub fn received(&self) -> Vec<String> {
        self.state.received.lock().expect("no panic").clone()
    }

    pub fn recipients(&self) -> Vec<String> {
        self.state.recipients.lock().expect("no panic").clone()
    }

    /// Number of tries to sign in; all are refused.
    pub fn sign_ins(&self) -> usize {
        self.state.sign_ins.load(Ordering::SeqCst)
    }

    /// Waits until `number` mails have arrived.
    pub async fn has_received(&self, number: usize) {
        for _ in 0..1000 {
            if self.count() >= number {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} mails instead of {number}", self.count());
    }
}

/// Talks in the clear until the client asks for TLS; takes no mail before (RFC 3207).
fn starts_tls(stream: &TcpStream) -> Option<()> {
    let mut lines = BufReader::new(stream);
    let say = |words: &str| (&mut &*stream).write_all(format!("{words}\r\n").as_bytes()).ok();
    say("220 test ESMTP")?;
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.split_whitespace().next().unwrap_or_default() {
            "EHLO" => say("250-test\r\n250 STARTTLS")?,
            "STARTTLS" => return say("220 2.0.0 Go on"),
            _ => say("530 5.7.0 Must issue a STARTTLS command first")?,
        }
    }
}

/// Talks with one client; ends with its connection.
fn converse(stream: impl Read + Write, state: &State, greets: bool) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let say = |stream: &mut BufReader<_>, line: &str| -> Option<()> {
        let inner: &mut _ = stream.get_mut();
        Write::write_all(inner, format!("{line}\r\n").as_bytes()).ok()?;
        Write::flush(inner).ok()
    };
    let mut act = Act::Accept;
    if greets {
        say(&mut stream, "220 test ESMTP")?;
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => say(&mut stream, "250-test\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN")?,
            "AUTH" => {
                state.sign_ins.fetch_add(1, Ordering::SeqCst);
                say(&mut stream, "535 5.7.8 Username and Password not accepted")?;
            }
            "MAIL" => {
                act = state.acts.lock().expect("no panic").pop_front().unwrap_or(Act::Accept);
                say(&mut stream, "250 2.1.0 Ok")?;
            }
            "RCPT" => match act {
                Act::Recipient(answer) => say(&mut stream, answer)?,
                _ => {
                    state.recipients.lock().expect("no panic").push(line.to_owned());
                    say(&mut stream, "250 2.1.5 Ok")?;
                }
            },
            "DATA" => {
                say(&mut stream, "354 Go on")?;
                let mut mail = String::new();
                while !mail.ends_with("\r\n.\r\n") {
                    if stream.read_line(&mut mail).ok()? == 0 {
                        return None;
                    }
                }
                if let Act::Data(answer) = act {
                    say(&mut stream, answer)?;
                    continue;
                }
                state.received.lock().expect("no panic").push(mail);
                match act {
                    Act::Drop => return None,
                    Act::Hang => {
                        // Until the client leaves.
                        let _ = stream.read_line(&mut String::new());
                        return None;
                    }
                    _ => say(&mut stream, "250 2.0.0 Queued")?,
                }
            }
            "QUIT" => {
                say(&mut stream, "221 2.0.0 Bye")?;
                return None;
            }
            _ => say(&mut stream, "250 2.0.0 Ok")?,
        }
    }
}

/// Returns the unfolded value of a header; panics unless it is there exactly once.
pub fn header(mail: &str, name: &str) -> String {
    let head = mail.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
    let start = format!("{}:", name.to_lowercase());
    let found: Vec<&str> = head.lines().filter(|line| line.to_lowercase().starts_with(&start)).collect();
    let [only] = found[..] else { panic!("{name}: {found:?} in {head}") };
    only[start.len()..].trim().to_owned()
}

/// Returns the names of all headers.
pub fn headers(mail: &str) -> Vec<String> {
    let head = mail.split("\r\n\r\n").next().unwrap_or_default();
    head.lines()
        .filter(|line| !line.starts_with([' ', '\t']))
        .filter_map(|line| line.split_once(':').map(|(name, _)| name.to_lowercase()))
        .collect()
}
