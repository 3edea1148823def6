//! A load for `make bench`: a bounded time, a number of connections, latencies from the first byte sent to the last
//! byte of the answer. Usage: load ADDRESS CONNECTIONS SECONDS METHOD COOKIE|- PATH [PATH …]; `{n}` in a path becomes a
//! changing number from 1 to 60 000.

use std::{
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

static TURN: AtomicU64 = AtomicU64::new(0);

#[derive(Default)]
struct Seen {
    microseconds: Vec<u64>,
    bytes: u64,
    refused: u64,
}

struct Load {
    address: String,
    method: String,
    cookie: String,
    paths: Vec<String>,
    until: Instant,
}

impl Load {
    fn request(&self) -> String {
        let turn = TURN.fetch_add(1, Ordering::Relaxed);
        let path = &self.paths[usize::try_from(turn).unwrap_or(0) % self.paths.len()];
        // A multiplicative hash spreads the turns over the numbers.
        let number = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let path = path.replace("{n}", &(number % 60_000 + 1).to_string());
        format!(
            "{} {path} HTTP/1.1\r\nhost: {}\r\ncookie: library={}\r\ncontent-length: 0\r\n\r\n",
            self.method, self.address, self.cookie
        )
    }

    async fn connection(&self) -> std::io::Result<Seen> {
        let mut stream = BufReader::new(TcpStream::connect(&self.address).await?);
        stream.get_ref().set_nodelay(true)?;
        let mut seen = Seen::default();
        let mut line = String::new();
        let mut body = Vec::new();
        while Instant::now() < self.until {
            let request = self.request();
            let begun = Instant::now();
            stream.get_mut().write_all(request.as_bytes()).await?;
            let (mut length, mut status) = (0, String::new());
            loop {
                line.clear();
                if stream.read_line(&mut line).await? == 0 {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                let text = line.trim_end();
                if status.is_empty() {
                    text.clone_into(&mut status);
                } else if let Some(value) = text.strip_prefix("content-length: ") {
                    length = value.parse().unwrap_or(0);
                } else if text.is_empty() {
                    break;
                }
            }
            body.resize(length, 0);
            stream.read_exact(&mut body).await?;
            seen.microseconds.push(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
            seen.bytes += length as u64;
            seen.refused += u64::from(!status.contains(" 200 ") && !status.contains(" 201 "));
        }
        Ok(seen)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, seconds, method, cookie, paths @ ..] = arguments.as_slice() else {
        eprintln!("usage: load ADDRESS CONNECTIONS SECONDS METHOD COOKIE|- PATH [PATH …]");
        return ExitCode::FAILURE;
    };
    let (Ok(connections), Ok(seconds)) = (connections.parse::<usize>(), seconds.parse::<u64>()) else {
        eprintln!("CONNECTIONS and SECONDS are whole numbers");
        return ExitCode::FAILURE;
    };
    let begun = Instant::now();
    let load = std::sync::Arc::new(Load {
        address: address.clone(),
        method: method.clone(),
        cookie: cookie.clone(),
        paths: paths.to_vec(),
        until: begun + Duration::from_secs(seconds.min(60)),
    });
    let tasks: Vec<_> = (0..connections)
        .map(|_| {
            let load = std::sync::Arc::clone(&load);
            tokio::spawn(async move { load.connection().await })
        })
        .collect();
    let mut all = Seen::default();
    for task in tasks {
        match task.await {
            Ok(Ok(seen)) => {
                all.microseconds.extend(seen.microseconds);
                all.bytes += seen.bytes;
                all.refused += seen.refused;
            }
            Ok(Err(error)) => eprintln!("a connection failed: {error}"),
            Err(error) => eprintln!("a task failed: {error}"),
        }
    }
    let took = begun.elapsed().as_secs_f64();
    all.microseconds.sort_unstable();
    let count = all.microseconds.len();
    if count == 0 {
        eprintln!("no answer at all");
        return ExitCode::FAILURE;
    }
    let at = |per_mille: usize| {
        let micro = all.microseconds[(count * per_mille / 1000).min(count - 1)];
        format!("{}.{:02}", micro / 1000, micro % 1000 / 10)
    };
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate for people"
    )]
    let rate = (count as f64 / took) as u64;
    println!(
        "{rate:>7}/s   p50 {:>6} ms   p99 {:>6} ms   max {:>7} ms   {:>6} B   {} refused",
        at(500),
        at(990),
        at(1000),
        all.bytes / count as u64,
        all.refused
    );
    ExitCode::SUCCESS
}
