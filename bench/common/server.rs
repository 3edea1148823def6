//! A program that runs: its commands, and its server.
#![allow(dead_code, reason = "each bench uses a part of it")]

use std::{
    io::Write as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use crate::client::Connection;

/// A running server, killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
    pub started_in: Duration,
}

/// The address of a database in a file.
pub fn sqlite(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

#[expect(clippy::disallowed_methods, reason = "the bench runs the programs it measures")]
fn command(binary: &Path, arguments: &[&str], database: &str) -> Command {
    let mut command = Command::new(binary);
    command.args(arguments).args(["--database", database]);
    command.env("LIBRARY_LOG", "warn").stdin(Stdio::piped()).stdout(Stdio::null());
    command
}

/// Runs a command to its end, with this text on its standard input.
pub fn run(binary: &Path, arguments: &[&str], database: &str, input: &str) -> Result<Duration> {
    let begun = Instant::now();
    let mut child = command(binary, arguments, database).spawn().context("the program does not start")?;
    child.stdin.take().context("its standard input is a pipe")?.write_all(input.as_bytes())?;
    ensure!(child.wait()?.success(), "{} {} failed", binary.display(), arguments.join(" "));
    Ok(begun.elapsed())
}

/// Starts a server on a free port and waits until it is ready.
pub async fn serve(binary: &Path, database: &str) -> Result<Server> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let address = format!("127.0.0.1:{port}");
    let begun = Instant::now();
    let child = command(binary, &["serve", "--listen", &address], database).spawn()?;
    let mut server = Server { child, address, started_in: Duration::ZERO };
    let request = format!("GET /library/readyz HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    loop {
        if let Ok(mut connection) = Connection::open(&server.address).await
            && connection.send(&request).await.is_ok_and(|answer| answer.status == 200)
        {
            server.started_in = begun.elapsed();
            return Ok(server);
        }
        ensure!(server.child.try_wait()?.is_none(), "{} ended at once", binary.display());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

impl Server {
    /// Processor time used so far, in the kernel too.
    pub fn processor_time(&self) -> Result<Duration> {
        // After the name in brackets; utime and stime are the 14th and 15th field, in hundredths of a second.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let ticks = fields.skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Resident memory in MiB.
    pub fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        Ok(resident.trim().trim_end_matches(" kB").parse::<u64>()? / 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
