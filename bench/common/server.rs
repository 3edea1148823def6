//! Runs the commands and the server of a program.

use std::{
    io::Write as _,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use super::client::Connection;

/// Running server, killed on drop.
pub struct Server {
    child: Child,
    pub address: String,
    /// Address of the metrics, if the server was started with them.
    metrics: Option<String>,
    pub started_in: Duration,
}

/// Returns the database URL of a file.
pub fn sqlite(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

#[expect(clippy::disallowed_methods, reason = "the bench runs the programs it measures")]
fn command(binary: &Path, arguments: &[&str], database: &str) -> Command {
    let mut command = Command::new(binary);
    command.args(arguments).args(["--database", database]);
    // A few students make the changes of many, above the rate limit of one student.
    command.env("LIBRARY_STUDENT_CHANGES", "1000000");
    command.env("LIBRARY_LOG", "warn").stdin(Stdio::piped()).stdout(Stdio::null());
    command
}

/// Runs a command with `input` on its standard input; returns its duration.
pub fn run(binary: &Path, arguments: &[&str], database: &str, input: &str) -> Result<Duration> {
    let begun = Instant::now();
    let mut child = command(binary, arguments, database).spawn().context("the program does not start")?;
    child.stdin.take().context("its standard input is a pipe")?.write_all(input.as_bytes())?;
    ensure!(child.wait()?.success(), "{} {} failed", binary.display(), arguments.join(" "));
    Ok(begun.elapsed())
}

fn free_address() -> Result<String> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    Ok(format!("127.0.0.1:{port}"))
}

/// Starts a server on a free port and waits until it is ready.
pub async fn serve(binary: &Path, database: &str) -> Result<Server> {
    start(binary, database, None).await
}

/// Starts a server as [`serve`] does, with its metrics on another free port.
pub async fn serve_with_metrics(binary: &Path, database: &str) -> Result<Server> {
    start(binary, database, Some(free_address()?)).await
}

async fn start(binary: &Path, database: &str, metrics: Option<String>) -> Result<Server> {
    let address = free_address()?;
    let mut arguments = vec!["serve", "--listen", &address];
    if let Some(metrics) = &metrics {
        arguments.extend(["--metrics-listen", metrics.as_str()]);
    }
    when_ready(command(binary, &arguments, database), address, metrics, "/library/readyz").await
}

/// Starts another program on a free port and waits until it answers the path `ready`.
#[expect(clippy::disallowed_methods, reason = "the bench runs the programs it measures")]
pub async fn serve_other(
    binary: &Path,
    arguments: impl FnOnce(&str) -> Vec<String>,
    ready: &str,
) -> Result<Server> {
    let address = free_address()?;
    let mut command = Command::new(binary);
    command.args(arguments(&address)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    when_ready(command, address, None, ready).await
}

async fn when_ready(
    mut command: Command,
    address: String,
    metrics: Option<String>,
    ready: &str,
) -> Result<Server> {
    let begun = Instant::now();
    let child = command.spawn()?;
    let mut server = Server { child, address, metrics, started_in: Duration::ZERO };
    let request = format!("GET {ready} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    loop {
        if let Ok(mut connection) = Connection::open(&server.address).await
            && connection.send(&request).await.is_ok_and(|answer| answer.status == 200)
        {
            server.started_in = begun.elapsed();
            return Ok(server);
        }
        ensure!(server.child.try_wait()?.is_none(), "a program ended at once: {command:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

impl Server {
    /// Returns the process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns the processor time used so far, in user and kernel mode.
    pub fn processor_time(&self) -> Result<Duration> {
        // The name in brackets may contain blanks. Fields 14 and 15 are utime and stime, in hundredths of a second.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let ticks = fields.skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Returns the number of commits so far, and of the writes in them.
    pub async fn commits(&self) -> Result<(f64, f64)> {
        let address = self.metrics.as_ref().context("the server was started without metrics")?;
        let mut connection = Connection::open(address).await?;
        connection.send(&format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\n\r\n")).await?;
        let value = |name: &str| {
            let line = connection.text().lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0.0)
        };
        Ok((value("library_commit_writes_count"), value("library_commit_writes_sum")))
    }

    /// Returns the resident memory in MiB.
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
