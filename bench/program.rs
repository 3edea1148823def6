//! The programs that are compared: each a binary with a database of its own.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use crate::client::Connection;

/// Students that borrow. Each is registered and signed in through the API, where hashing takes its time.
pub const STUDENTS: usize = 64;

pub struct Program {
    pub name: String,
    binary: PathBuf,
    /// A database with the catalogue and the signed-in students; each round begins with a copy of it.
    prepared: PathBuf,
    /// The sessions of the students.
    pub cookies: Vec<String>,
}

/// A running server, killed when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
    pub started_in: Duration,
}

#[expect(clippy::disallowed_methods, reason = "the bench runs the programs it measures")]
fn command(binary: &Path, arguments: &[&str], database: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(arguments).arg("--database").arg(format!("sqlite:{}", database.display()));
    command.env("LIBRARY_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn run(binary: &Path, arguments: &[&str], database: &Path) -> Result<Duration> {
    let begun = Instant::now();
    let status = command(binary, arguments, database).status().context("the program does not start")?;
    ensure!(status.success(), "{} {} failed", binary.display(), arguments.join(" "));
    Ok(begun.elapsed())
}

impl Program {
    /// Imports the catalogue and signs the students in.
    pub async fn prepare(name: &str, binary: &Path, catalogue: &Path, folder: &Path) -> Result<Self> {
        let (work, prepared) = (folder.join(format!("{name}-work.db")), folder.join(format!("{name}.db")));
        let mut program = Self {
            name: name.into(),
            binary: binary.into(),
            prepared: prepared.clone(),
            cookies: Vec::new(),
        };
        program.import(catalogue, &work, folder)?;
        let server = program.serve(&work).await?;
        let mut connection = Connection::open(&server.address).await?;
        for n in 0..STUDENTS {
            let sign_in =
                format!(r#"{{"email":"student{n}@example.org","password":"measured, not judged"}}"#);
            let register = sign_in.replace(
                '}',
                &format!(
                    r#","name":"Student {n}","rollNumber":"cs28-{n}","department":"Physics","batch":"2028"}}"#
                ),
            );
            for (path, body) in [("register", register), ("sign-in", sign_in)] {
                let answer = connection
                    .send(&format!(
                        "POST /library/api/v1/auth/{path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
                         content-length: {}\r\n\r\n{body}",
                        server.address,
                        body.len()
                    ))
                    .await?;
                ensure!(answer.status < 300, "{name}: auth/{path} answered {}", answer.status);
                if path == "sign-in" {
                    program.cookies.push(answer.cookies.join("; "));
                }
            }
        }
        // A copy without the log of what is not yet in the file.
        run(&program.binary, &["backup", &prepared.display().to_string()], &work)?;
        Ok(program)
    }

    /// Imports a file of books into a database and answers how long it took.
    pub fn import(&self, books: &Path, database: &Path, folder: &Path) -> Result<Duration> {
        let rejected = folder.join("rejected.csv");
        let arguments =
            ["import", "books", &books.display().to_string(), "--rejected", &rejected.display().to_string()];
        run(&self.binary, &arguments, database)
    }

    /// Starts on a copy of what was prepared.
    pub async fn start(&self, folder: &Path) -> Result<Server> {
        let database = folder.join(format!("{}-round.db", self.name));
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.join(format!("{}-round.db{suffix}", self.name)));
        }
        std::fs::copy(&self.prepared, &database)?;
        self.serve(&database).await
    }

    async fn serve(&self, database: &Path) -> Result<Server> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = format!("127.0.0.1:{port}");
        let begun = Instant::now();
        let child = command(&self.binary, &["serve", "--listen", &address], database).spawn()?;
        let mut server = Server { child, address, started_in: Duration::ZERO };
        let request = format!("GET /library/readyz HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
        loop {
            if let Ok(mut connection) = Connection::open(&server.address).await
                && connection.send(&request).await.is_ok_and(|answer| answer.status == 200)
            {
                server.started_in = begun.elapsed();
                return Ok(server);
            }
            ensure!(server.child.try_wait()?.is_none(), "{} ended at once", self.name);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
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
