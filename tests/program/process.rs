//! Runs the built program and talks to it.

use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use library::http::API;
use serde_json::Value;

/// Builds a command line for the built program, without the settings of the environment.
pub fn library(arguments: &[&str]) -> Command {
    program(env!("CARGO_BIN_EXE_library").as_ref(), arguments)
}

/// Same as [`library`], of the release build where `LIBRARY_TEST_RELEASE` names it: `make soak` and `make contract` ask more
/// than a debug build can answer. It has no planted faults.
pub fn released(arguments: &[&str]) -> Command {
    match std::env::var_os("LIBRARY_TEST_RELEASE") {
        Some(path) => program(&path, arguments),
        None => library(arguments),
    }
}

fn program(path: &OsStr, arguments: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the server starts no other program, but its tests start the server"
    )]
    let mut command = Command::new(path);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LIBRARY_")) {
        command.env_remove(name);
    }
    // A few students here do as much as many in a library.
    command.env("LIBRARY_STUDENT_CHANGES", "1000000");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit and output of a command.
pub struct Ended {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end, which must come within 15 seconds.
pub fn run(mut command: Command, input: &str) -> Ended {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    // A command that does not read its input may have exited already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let read = |mut pipe: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).map(|_| text)
        })
    };
    let stdout = read(Box::new(child.stdout.take().expect("a pipe")));
    let stderr = read(Box::new(child.stderr.take().expect("a pipe")));
    let status = wait(&mut child, Duration::from_secs(15));
    let text = |thread: std::thread::JoinHandle<std::io::Result<String>>| {
        thread.join().expect("no panic").expect("text")
    };
    Ended { success: status.success(), stdout: text(stdout), stderr: text(stderr) }
}

fn wait(child: &mut Child, patience: Duration) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if begun.elapsed() > patience {
            let _ = child.kill();
            panic!("the program did not end within {patience:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a command that must succeed; returns its output.
pub fn done(arguments: &[&str]) -> String {
    let ended = run(library(arguments), "");
    assert!(ended.success, "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

/// Runs a command that must fail; returns its one line.
pub fn refused(arguments: &[&str]) -> String {
    refused_with(arguments, "")
}

/// Same as [`refused`], with standard input.
pub fn refused_with(arguments: &[&str], input: &str) -> String {
    let ended = run(library(arguments), input);
    assert!(!ended.success, "{arguments:?} succeeded: {}", ended.stdout);
    assert_eq!(ended.stderr.trim_end().lines().count(), 1, "{arguments:?}: {}", ended.stderr);
    assert!(ended.stderr.starts_with("library: "), "{}", ended.stderr);
    ended.stderr.trim_end().to_owned()
}

/// A server process, killed with the test.
pub struct Server {
    child: Child,
    pub port: u16,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts on a free port and waits until the library is open.
    pub fn start(database: &str) -> Self {
        Self::start_with(database, &[])
    }

    /// Same as [`Self::start`], with more options.
    pub fn start_with(database: &str, options: &[&str]) -> Self {
        let mut command = library(&["serve", "--listen", "127.0.0.1:0", "--database", database]);
        command.args(options);
        Self::start_as(command)
    }

    /// Same as [`Self::start`], with a fault planted for a rig's control.
    pub fn start_faulty(database: &str, fault: Option<&str>) -> Self {
        let mut command = library(&["serve", "--listen", "127.0.0.1:0", "--database", database]);
        if let Some(fault) = fault {
            command.env("LIBRARY_FAULT", fault);
        }
        Self::start_as(command)
    }

    /// Starts this command and waits until the library is open.
    pub fn start_as(mut command: Command) -> Self {
        let child = command.spawn().expect("the program starts");
        let log = Arc::default();
        let mut server = Self { child, port: 0, log: Arc::clone(&log) };
        let (say, hear) = mpsc::channel();
        let lines = BufReader::new(server.child.stderr.take().expect("a pipe")).lines();
        // Reads to the end, so that the server never blocks on a full pipe.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                log.lock().expect("no panic").push(line.clone());
                let _ = say.send(line);
            }
        });
        let begun = Instant::now();
        let mut said = Vec::new();
        // A demo is created first, which takes a loaded machine some seconds.
        while begun.elapsed() < Duration::from_secs(40) {
            let Ok(line) = hear.recv_timeout(Duration::from_millis(200)) else {
                if server.child.try_wait().expect("a child").is_some() {
                    break;
                }
                continue;
            };
            let port =
                line.split("://localhost:").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
            if let Some(port) = port {
                server.port = port;
                return server;
            }
            said.push(line);
        }
        panic!("the server did not start: {said:?}");
    }

    /// Sends a request; `None` if the connection ended before the whole answer.
    pub fn ask(&self, method: &str, path: &str, cookie: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        ask(self.port, method, path, cookie, body)
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("no panic").join("\n")
    }

    /// Returns the resident memory in KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a resident size");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        #[expect(clippy::disallowed_methods, reason = "the standard library sends no SIGTERM")]
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }

    /// Stops the server as an operator does; it must exit successfully.
    pub fn stop(self) {
        self.terminate();
        self.ended();
    }

    /// Waits for the exit after [`Self::terminate`]; it must be successful.
    pub fn ended(mut self) {
        let status = wait(&mut self.child, Duration::from_secs(15));
        assert!(status.success(), "{status}");
    }

    /// Kills the server.
    pub fn kill(mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request to a server of this machine; `None` without a complete answer.
pub fn ask(port: u16, method: &str, path: &str, cookie: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    ask_with(port, method, path, &[("Cookie", cookie)], body)
}

/// Same as [`ask`], with these headers.
pub fn ask_with(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let (status, body) = ask_for_text(port, method, path, headers, body)?;
    Some((status, serde_json::from_str(&body).unwrap_or_default()))
}

/// Same as [`ask_with`], but returns the body as text.
pub fn ask_for_text(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Option<(u16, String)> {
    ask_at(port, method, &format!("{API}{path}"), headers, body)
}

/// Same as [`ask_for_text`], for a path outside the API.
pub fn ask_at(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(15))).ok()?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let media = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let headers: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n{headers}{media}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let promised = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    (promised.unwrap_or(0) == body.len()).then(|| (status, body.to_owned()))
}
