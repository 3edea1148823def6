//! A small HTTP client: one request at a time on a connection that stays open, so that measuring costs little itself.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

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
    /// The cookies that were set, as a browser sends them back.
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
        let mut answer = Answer { status: 0, cookies: Vec::new() };
        let mut length = 0;
        loop {
            self.line.clear();
            if self.stream.read_line(&mut self.line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = self.line.trim_end();
            if answer.status == 0 {
                answer.status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(1);
            } else if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap_or(0);
            } else if let Some(cookie) = line.strip_prefix("set-cookie: ") {
                answer.cookies.extend(cookie.split(';').next().map(str::to_owned));
            } else if line.is_empty() {
                break;
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).await?;
        Ok(answer)
    }
}

/// What a load saw.
#[derive(Default)]
pub struct Seen {
    /// How long each answer took, of those with a status of 200 to 299.
    pub latencies: Vec<Duration>,
    /// How many answers had another status.
    pub refused: BTreeMap<u16, u64>,
    pub took: Duration,
}

/// Sends requests over so many connections for so long. `request` makes each from its turn, which `turns` counts.
pub async fn load(
    address: &str,
    connections: usize,
    time: Duration,
    turns: &Arc<AtomicU64>,
    request: impl Fn(u64) -> String + Clone + Send + 'static,
) -> io::Result<Seen> {
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..connections {
        let (request, turns) = (request.clone(), Arc::clone(turns));
        let mut connection = Connection::open(address).await?;
        tasks.push(tokio::spawn(async move {
            let mut seen = Seen::default();
            while begun.elapsed() < time {
                let request = request(turns.fetch_add(1, Ordering::Relaxed));
                let sent = Instant::now();
                let status = connection.send(&request).await?.status;
                if (200..300).contains(&status) {
                    seen.latencies.push(sent.elapsed());
                } else {
                    *seen.refused.entry(status).or_default() += 1;
                }
            }
            io::Result::Ok(seen)
        }));
    }
    let mut all = Seen::default();
    for task in tasks {
        let seen = task.await.map_err(io::Error::other)??;
        all.latencies.extend(seen.latencies);
        for (status, count) in seen.refused {
            *all.refused.entry(status).or_default() += count;
        }
    }
    all.took = begun.elapsed();
    Ok(all)
}
