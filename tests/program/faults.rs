//! Kills, power cuts, crashes and stops under load: everything answered is stored, and every client gets an answer. Each rig
//! has a control, the same with a planted fault, which it must detect (docs/reliability.md).

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use library::http::API;
use tempfile::TempDir;

use crate::{
    command_line::address,
    common::Database,
    durability::filled,
    files::ready,
    process::{Server, ask_with, done},
    rig::{Ended, Load, kept, not_run, rounds, tool, until},
};

/// Rounds that a control may take to show a loss; at worst one in three does (measured).
const TRIES: usize = 40;

/// Kills the server under load `rounds` times; returns the number of answered loans that were lost.
fn killed(fault: Option<&str>, rounds: usize) -> usize {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 100_000);
    let load = Load::default();
    let mut lost = 0;
    for _ in 0..rounds {
        let server = Server::start_faulty(&database.location.to_string(), fault);
        let wanted = load.lent().len() + 30;
        let (port, mut killed) = (server.port, Some(server));
        load.during(port, book, &cookies, || {
            load.until_more_than(wanted);
            killed.take().expect("it runs").kill();
        });
        lost = load.lent().difference(&kept(&database)).count();
        if fault.is_some() && lost > 0 {
            break;
        }
    }
    lost
}

#[test]
fn a_kill_loses_nothing_that_was_answered_r1() {
    assert_eq!(killed(None, rounds(5)), 0, "lost");
    // Control: a build that answers before COMMIT.
    assert!(killed(Some("early-answer"), TRIES) > 0, "the rig does not notice a loss");
}

/// A disk of its own: a file with ext4 on it. A power cut loses everything that was not flushed yet.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Self { folder };
        let image = std::fs::File::create(disk.image()).expect("a file");
        image.set_len(96 * 1024 * 1024).expect("room");
        std::fs::create_dir(disk.place()).expect("a folder");
        tool("mkfs.ext4", &["-q", "-F", text(&disk.image())])?;
        disk.mount()?;
        Ok(disk)
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("disk.img")
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn mount(&self) -> Result<(), String> {
        tool("mount", &["-o", "loop", text(&self.image()), text(&self.place())])
    }

    fn unmount(&self) -> Result<(), String> {
        tool("umount", &[text(&self.place())])
    }

    /// Runs `EXT4_IOC_SHUTDOWN` without flushing the journal: nothing reaches the disk any more. The answered loans are read
    /// just before, because Linux 6.18 reports success for an fsync that it interrupts, which a machine without power could not
    /// (docs/reliability.md).
    fn cut(&self, answered: impl FnOnce() -> BTreeSet<i64>) -> BTreeSet<i64> {
        let shutdown = "import fcntl, os, struct, sys\n\
                        disk = os.open(sys.argv[1], os.O_RDONLY)\n\
                        print('ready', flush=True)\n\
                        sys.stdin.readline()\n\
                        fcntl.ioctl(disk, 0x8004587D, struct.pack('I', 2))";
        #[expect(clippy::disallowed_methods, reason = "the server starts no other program, but its rigs do")]
        let mut python = std::process::Command::new("python3")
            .args(["-c", shutdown, text(&self.place())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut ready = String::new();
        let told = python.stdout.take().expect("a pipe");
        BufReader::new(told).read_line(&mut ready).expect("it says that it is ready");
        let mut go = python.stdin.take().expect("a pipe");
        let answered = answered();
        go.write_all(b"\n").expect("it listens");
        assert!(python.wait().expect("it ends").success(), "the power is not cut");
        answered
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.unmount();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Counts answered loans that are missing after power cuts under load.
fn cut_off(disk: &Disk, fault: Option<&str>, rounds: usize) -> usize {
    let library = || {
        let database = Database::sqlite_in(tempfile::tempdir_in(disk.place()).expect("room"));
        let (book, cookies) = filled(&database, 20_000);
        (database, book, cookies, BTreeSet::new())
    };
    let (mut database, mut book, mut cookies, mut answered) = library();
    for round in 1..=rounds {
        // A round lends hundreds of copies, and the disk is small.
        if round % 30 == 0 {
            (database, book, cookies, answered) = library();
        }
        let load = Load::default();
        let server = Server::start_faulty(&database.location.to_string(), fault);
        let (port, mut running) = (server.port, Some(server));
        load.during(port, book, &cookies, || {
            load.until_more_than(30);
            answered.extend(disk.cut(|| load.lent()));
            running.take().expect("it runs").kill();
        });
        disk.unmount().expect("unmounted");
        disk.mount().expect("mounted again");
        let lost = answered.difference(&kept(&database)).count();
        if lost > 0 {
            return lost;
        }
    }
    0
}

#[test]
fn a_power_cut_loses_nothing_that_was_answered_r2() {
    let disk = match Disk::new().and_then(|disk| tool("python3", &["--version"]).map(|()| disk)) {
        Ok(disk) => disk,
        Err(why) => return not_run("R2", &why),
    };
    assert_eq!(cut_off(&disk, None, rounds(5)), 0, "lost");
    // Control: commits that do not wait for the disk.
    assert!(cut_off(&disk, Some("no-sync"), TRIES) > 0, "the rig does not notice a loss");
}

/// Stops the server under load; returns the number of requests without a complete answer, and of lost loans.
fn left_alone(end: impl FnOnce(Server, &AtomicBool)) -> (usize, usize) {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 100_000);
    let server = Server::start(&database.location.to_string());
    let (port, over) = (server.port, AtomicBool::new(false));
    let (lent, alone) = (Mutex::new(BTreeSet::new()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for cookie in &cookies {
            let request = format!(
                "POST {API}/books/{book}/loans HTTP/1.1\r\nHost: localhost:{port}\r\nCookie: {cookie}\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let (over, lent, alone) = (&over, &lent, &alone);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    // The listener is closed.
                    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return };
                    if stream.write_all(request.as_bytes()).is_err() {
                        continue;
                    }
                    let mut answer = String::new();
                    let whole = stream.read_to_string(&mut answer).is_ok();
                    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    match serde_json::from_str::<serde_json::Value>(body) {
                        Ok(loan) if whole && answer.starts_with("HTTP/1.1 201") => {
                            lent.lock().expect("no panic").insert(loan["id"].as_i64().expect("an id"));
                        }
                        _ => {
                            alone.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
        until("loans", || lent.lock().expect("no panic").len() > 30);
        let _ended = Ended(&over);
        end(server, &over);
    });
    let (lent, kept) = (lent.into_inner().expect("no panic"), kept(&database));
    (alone.into_inner(), lent.difference(&kept).count())
}

#[test]
fn a_stop_under_load_answers_everybody_who_asked_r17() {
    for _ in 0..rounds(3) {
        let begun = Instant::now();
        let stop = |server: Server, over: &AtomicBool| {
            server.terminate();
            until("a word to the load balancer", || ready(&server).0 == 503);
            // The load balancer sends clients elsewhere; those it has sent here are answered.
            std::thread::sleep(Duration::from_millis(200));
            over.store(true, Ordering::Relaxed);
            server.ended();
        };
        assert_eq!(left_alone(stop), (0, 0), "without an answer, and answered but not stored");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
    // Control: a stop without warning.
    let alone: usize =
        (0..TRIES).map(|_| left_alone(|server, _| server.kill()).0).find(|alone| *alone > 0).unwrap_or(0);
    assert!(alone > 0, "the rig does not notice who got no answer");
}

/// A `PostgreSQL` cluster of its own that keeps its data and can be crashed.
struct Cluster {
    folder: TempDir,
    bin: PathBuf,
    port: u16,
}

impl Cluster {
    fn new() -> Result<Self, String> {
        let versions = std::fs::read_dir("/usr/lib/postgresql").map_err(|error| error.to_string())?;
        let newest = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).max();
        let bin = newest.filter(|bin| bin.join("initdb").exists()).ok_or("there is no initdb")?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr());
        let cluster = Self {
            folder: tempfile::tempdir().expect("a folder"),
            bin,
            port: port.map_err(|error| error.to_string())?.port(),
        };
        // The server refuses to run as root.
        if tool("id", &["postgres"]).is_ok() {
            let _ = tool("chown", &["postgres", text(cluster.folder.path())]);
        }
        let (data, log) = (cluster.data(), cluster.folder.path().join("initdb.log"));
        let initialise = format!(
            "{}/initdb --pgdata {data} --username postgres --auth trust --encoding UTF8 --locale C.UTF-8 > {} 2>&1",
            cluster.bin.display(),
            log.display()
        );
        cluster.shell(&initialise)?;
        cluster.start()?;
        Ok(cluster)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// Runs a command as the user that owns the cluster.
    fn shell(&self, command: &str) -> Result<(), String> {
        let command = format!("cd {} && {command}", self.folder.path().display());
        match tool("runuser", &["-u", "postgres", "--", "true"]) {
            Ok(()) => tool("runuser", &["-u", "postgres", "--", "sh", "-c", &command]),
            Err(_) => tool("sh", &["-c", &command]),
        }
    }

    fn start(&self) -> Result<(), String> {
        let (folder, bin) = (self.folder.path().display(), self.bin.display());
        let options = format!("-h 127.0.0.1 -p {} -k {folder}", self.port);
        // Otherwise its output would keep the pipe open.
        self.shell(&format!(
            "{bin}/pg_ctl --pgdata {} --wait --log {folder}/server.log start --options '{options}' > /dev/null 2>&1",
            self.data()
        ))
    }

    fn crash(&self) -> Result<(), String> {
        self.shell(&format!(
            "{}/pg_ctl --pgdata {} --mode immediate stop > /dev/null 2>&1",
            self.bin.display(),
            self.data()
        ))
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.crash();
    }
}

/// Crashes the database under load, while clients repeat unanswered calls; counts answered loans that are missing, and loans
/// that were not requested.
fn crashed(cluster: &Cluster, with_key: bool, rounds: usize) -> (usize, usize) {
    let database = Database::postgres_in(cluster.url());
    let (book, cookies) = filled(&database, 3000 * i64::try_from(rounds + 1).expect("few"));
    let server = Server::start(&address(&database));
    let path = format!("/books/{book}/loans");
    let (over, answered) = (AtomicBool::new(false), Mutex::new(BTreeMap::new()));
    let (asked, repeated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for (reader, cookie) in cookies.iter().enumerate() {
            let (over, answered, asked, repeated) = (&over, &answered, &asked, &repeated);
            let (path, port) = (&path, server.port);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let key = format!("{reader}-{}", asked.fetch_add(1, Ordering::Relaxed));
                    let headers = [("Cookie", cookie.as_str()), ("Idempotency-Key", key.as_str())];
                    let headers = if with_key { &headers[..] } else { &headers[..1] };
                    let begun = Instant::now();
                    loop {
                        match ask_with(port, "POST", path, headers, None) {
                            Some((201, loan)) => {
                                answered
                                    .lock()
                                    .expect("no panic")
                                    .insert(loan["id"].as_i64().expect("an id"), key);
                                break;
                            }
                            Some((503, _)) | None => {
                                assert!(begun.elapsed() < Duration::from_secs(30), "no answer");
                                repeated.fetch_add(1, Ordering::Relaxed);
                                std::thread::sleep(Duration::from_millis(20));
                            }
                            Some(other) => panic!("{other:?}"),
                        }
                    }
                }
            });
        }
        let _ended = Ended(&over);
        for _ in 0..rounds {
            let wanted = answered.lock().expect("no panic").len() + 30;
            until("loans", || answered.lock().expect("no panic").len() > wanted);
            cluster.crash().expect("crashed");
            cluster.start().expect("it recovers");
            let begun = Instant::now();
            until("readiness", || ready(&server).0 == 200);
            assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        }
    });
    server.stop();
    done(&["doctor", "--database", &address(&database)]);
    assert!(repeated.into_inner() > 0, "nobody noticed the crash");
    let answered: BTreeSet<i64> = answered.into_inner().expect("no panic").into_keys().collect();
    let loans = database.raw(&format!("SELECT id FROM loans WHERE book_id = {book}")).expect("readable");
    let kept: BTreeSet<i64> =
        loans.into_iter().flatten().flatten().filter_map(|id| id.parse().ok()).collect();
    (answered.difference(&kept).count(), kept.difference(&answered).count())
}

#[test]
fn a_crash_of_postgres_loses_nothing_and_doubles_nothing_r7() {
    let cluster = match Cluster::new() {
        Ok(cluster) => cluster,
        Err(why) => return not_run("R7", &why),
    };
    assert_eq!(crashed(&cluster, true, rounds(3)), (0, 0), "lost, and done twice");
    // Control: clients that repeat without a key.
    let twice = (0..TRIES).map(|_| crashed(&cluster, false, 2).1).find(|twice| *twice > 0);
    assert!(twice.is_some(), "the rig does not notice what is done twice");
}
