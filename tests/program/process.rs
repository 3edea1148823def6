//! Runs the built program and talks to it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    time::{Duration, Instant},
};

use library::http::API;
use serde_json::Value;

/// A command line for the built program, without any setting of the person who runs the tests.
pub fn library(arguments: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "the server starts no other program, but its tests start the server"
    )]
    let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LIBRARY_")) {
        command.env_remove(name);
    }
    // A few students do here what many do in a library.
    command.env("LIBRARY_STUDENT_CHANGES", "1000000");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a command ended and what it said.
pub struct Ended {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end, which must come within a quarter of a minute.
pub fn run(mut command: Command, input: &str) -> Ended {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    // A command that does not read its input may be gone already.
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

/// Runs a command that must succeed; what it printed.
pub fn done(arguments: &[&str]) -> String {
    let ended = run(library(arguments), "");
    assert!(ended.success, "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

/// Runs a command that must fail; the one line that it says.
pub fn refused(arguments: &[&str]) -> String {
    refused_with(arguments, "")
}

/// [`refused`], with something on standard input.
pub fn refused_with(arguments: &[&str], input: &str) -> String {
    let ended = run(library(arguments), input);
    assert!(!ended.success, "{arguments:?} succeeded: {}", ended.stdout);
    assert_eq!(ended.stderr.trim_end().lines().count(), 1, "{arguments:?}: {}", ended.stderr);
    assert!(ended.stderr.starts_with("library: "), "{}", ended.stderr);
    ended.stderr.trim_end().to_owned()
}

/// A server of its own process, killed with the test.
pub struct Server {
    child: Child,
    pub port: u16,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts on a free port and waits until it is open.
    pub fn start(database: &str) -> Self {
        Self::start_with(database, &[])
    }

    /// [`Self::start`] with more options.
    pub fn start_with(database: &str, options: &[&str]) -> Self {
        let mut command = library(&["serve", "--listen", "127.0.0.1:0", "--database", database]);
        command.args(options);
        Self::start_as(command)
    }

    /// [`Self::start`], with a fault that only a rig's control wants.
    pub fn start_faulty(database: &str, fault: Option<&str>) -> Self {
        let mut command = library(&["serve", "--listen", "127.0.0.1:0", "--database", database]);
        if let Some(fault) = fault {
            command.env("LIBRARY_FAULT", fault);
        }
        Self::start_as(command)
    }

    /// Starts this command and waits until it is open.
    pub fn start_as(mut command: Command) -> Self {
        let child = command.spawn().expect("the program starts");
        let log = Arc::default();
        let mut server = Self { child, port: 0, log: Arc::clone(&log) };
        let (say, hear) = mpsc::channel();
        let lines = BufReader::new(server.child.stderr.take().expect("a pipe")).lines();
        // Reads on to the end, so that the server never waits for a full pipe.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                log.lock().expect("no panic").push(line.clone());
                let _ = say.send(line);
            }
        });
        let begun = Instant::now();
        let mut said = Vec::new();
        // A demo is made first, which takes a loaded machine some seconds.
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

    /// A request; `None` where the server broke off before the whole answer was there.
    pub fn ask(&self, method: &str, path: &str, cookie: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        ask(self.port, method, path, cookie, body)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("no panic").join("\n")
    }

    /// KiB of memory that it occupies.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a resident size");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Asks it to end, as an operator does.
    pub fn terminate(&self) {
        #[expect(clippy::disallowed_methods, reason = "the standard library sends no SIGTERM")]
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }

    /// Ends it as an operator does; it must end well.
    pub fn stop(self) {
        self.terminate();
        self.ended();
    }

    /// Waits for its end after [`Self::terminate`]; it must end well.
    pub fn ended(mut self) {
        let status = wait(&mut self.child, Duration::from_secs(15));
        assert!(status.success(), "{status}");
    }

    /// Ends it as a power cut does.
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

/// A request to a server of this machine; `None` where no whole answer came.
pub fn ask(port: u16, method: &str, path: &str, cookie: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    ask_with(port, method, path, &[("Cookie", cookie)], body)
}

/// [`ask`], with these headers.
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

/// [`ask_with`], for the body as it was sent.
pub fn ask_for_text(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Option<(u16, String)> {
    ask_at(port, method, &format!("{API}{path}"), headers, body)
}

/// [`ask_for_text`], of what is not the API.
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
