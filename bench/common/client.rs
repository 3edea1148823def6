//! Small HTTP client: one request at a time on a persistent connection, so that the client itself costs little.

use std::io;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

pub struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
    body: Vec<u8>,
}

pub struct Answer {
    pub status: u16,
    /// Length of the body in bytes.
    pub length: usize,
    /// Cookies that the response sets, each as `name=value`.
    pub cookies: Vec<String>,
}

impl Connection {
    pub async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), line: String::new(), body: Vec::new() })
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&mut self, request: &str) -> io::Result<Answer> {
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        let mut answer = Answer { status: 0, length: 0, cookies: Vec::new() };
        loop {
            self.line.clear();
            if self.stream.read_line(&mut self.line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = self.line.trim_end();
            if answer.status == 0 {
                answer.status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(1);
            } else if line.is_empty() {
                break;
            } else if let Some((name, value)) = line.split_once(": ") {
                if name.eq_ignore_ascii_case("content-length") {
                    answer.length = value.parse().unwrap_or(0);
                } else if name.eq_ignore_ascii_case("set-cookie") {
                    answer.cookies.extend(value.split(';').next().map(str::to_owned));
                }
            }
        }
        self.body.resize(answer.length, 0);
        self.stream.read_exact(&mut self.body).await?;
        Ok(answer)
    }

    /// Returns the first number named `name` in the JSON of the last answer.
    pub fn number(&self, name: &str) -> Option<u64> {
        let text = std::str::from_utf8(&self.body).ok()?;
        let rest = text.split(&format!("\"{name}\":")).nth(1)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Returns the body of the last answer.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }

    /// Signs in; returns the cookies of the session.
    pub async fn sign_in(&mut self, address: &str, email: &str, password: &str) -> io::Result<String> {
        let body = format!(r#"{{"email":"{email}","password":"{password}"}}"#);
        let answer = self
            .send(&format!(
                "POST /library/api/v1/auth/sign-in HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            ))
            .await?;
        if answer.status != 200 {
            return Err(io::Error::other(format!("sign-in answered {}", answer.status)));
        }
        Ok(answer.cookies.join("; "))
    }
}
