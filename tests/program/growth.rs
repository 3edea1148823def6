//! R-SEAM-10: time and memory of every file, list, export and search grow in proportion to its size at most, memory is bounded,
//! and a desk that scans meanwhile waits less than a second.
//!
//! Each case runs at a size, twice and four times that size, against the built program. Measured are the processor time and
//! peak resident memory of the process that does the work, and the longest wait of the desk.

use std::{
    fmt::Write as _,
    io::{Cursor, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Child,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use jiff::tz::TimeZone;
use library::{
    circulation::{self, stock},
    clock::Clock,
    domain::{account::Role, calendar::later, moment::Moment, rulebook::Rulebook},
    http::{
        API,
        idempotency::KEY,
        session::{hashed, new_token},
    },
    storage::{
        accounts::{self, NewAccount},
        sessions::{self, Opened},
    },
};
use serde_json::json;

use crate::{
    common::{Database, folder},
    durability::{form, now},
    process::{Server, ask, library},
    rig::{Ended, until},
};

/// Maximum ratio of the costs at twice the size.
const GROWTH: f64 = 2.6;
/// Costs below this are not compared: starting a page, a connection or a thread costs as much.
const FLOOR_TIME: Duration = Duration::from_millis(250);
const FLOOR_MEMORY: u64 = 16 * 1024;
/// KiB of the whole process.
const BOUND: u64 = 300 * 1024;
/// Maximum wait of a desk.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause between two scans of the desk: the server's time for them counts as the work's, and must stay small beside the work.
const SCAN_EVERY: Duration = Duration::from_millis(100);

/// Sizes of a case; `make soak` multiplies those of the gate.
fn sizes(base: usize, soak: usize) -> [usize; 3] {
    let times = if std::env::var_os("LIBRARY_TEST_SOAK").is_some() { soak } else { 1 };
    [1, 2, 4].map(|twice| twice * base * times)
}

/// Files: up to 96 000 rows; a debug build needs more than 30 s, the time limit of a request, for twice as many.
const OF_FILES: usize = 24;
/// Tables: their rows have the longest texts, and the search index of 32 000 such titles alone takes more than [`BOUND`].
const OF_TABLES: usize = 4;

/// Archives of photos: up to the limit of 5000 files.
const OF_PHOTOS: usize = 50;

/// Costs of one run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    time: Duration,
    /// KiB above the memory before.
    memory: u64,
    /// KiB.
    peak: u64,
    /// Longest wait of the desk.
    waited: Duration,
    /// Number of scans.
    scans: usize,
}

impl Cost {
    /// True if it took longer than twice the size explains.
    fn grew_beyond(&self, less: &Self) -> bool {
        self.time > less.time.max(FLOOR_TIME).mul_f64(GROWTH)
    }
}

/// Appends the costs of work that can be repeated. If they grew too much, measures twice more and keeps the least: a merge of
/// the index or another program only adds to processor time, and work that grows too fast does so each time.
fn append(costs: &mut Vec<Cost>, measure: impl Fn() -> Cost) {
    let mut cost = measure();
    for _ in 0..2 {
        if costs.last().is_some_and(|less| cost.grew_beyond(less)) {
            let again = measure();
            cost = if again.time < cost.time { again } else { cost };
        }
    }
    costs.push(cost);
}

/// Judges the costs of work that changes the library. If a time grew too much, measures all sizes twice more, each time in a
/// library of its own: on a shared machine the processor time of the same work differs by a fifth.
fn judge_afresh(what: &str, wrong: &Mutex<Vec<String>>, measure: impl Fn(&Library, &Server) -> [Cost; 3]) {
    for last in [false, false, true] {
        let library = Library::new();
        let server = library.serve();
        let costs = measure(&library, &server);
        server.stop();
        if last || !costs.array_windows().any(|[less, more]| more.grew_beyond(less)) {
            return judge(what, &costs, wrong);
        }
    }
}

/// Compares the costs of one size, twice and four times as much.
fn judge(what: &str, costs: &[Cost], wrong: &Mutex<Vec<String>>) {
    println!("{what}: {costs:?}");
    let mut told = String::new();
    for pair in costs.windows(2) {
        let [less, more] = pair else { continue };
        if more.grew_beyond(less) {
            let _ = write!(told, " time {:?} → {:?};", less.time, more.time);
        }
        #[expect(clippy::cast_precision_loss, reason = "KiB")]
        if more.memory as f64 > less.memory.max(FLOOR_MEMORY) as f64 * GROWTH {
            let _ = write!(told, " memory {} → {} KiB;", less.memory, more.memory);
        }
    }
    for cost in costs {
        if cost.peak > BOUND {
            let _ = write!(told, " {} KiB in all;", cost.peak);
        }
        if cost.scans == 0 || cost.waited >= PATIENCE {
            let _ = write!(told, " a desk waited {:?};", cost.waited);
        }
    }
    if !told.is_empty() {
        wrong.lock().expect("no panic").push(format!("{what}:{told}"));
    }
}

fn status(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

/// Returns the processor time so far, in the system's steps of 10 ms.
fn spent(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let times = after_name.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(10 * times.sum::<u64>())
}

/// A library in which a desk lends and takes back.
struct Library {
    database: Database,
    cookie: String,
    reader: i64,
    files: tempfile::TempDir,
}

impl Library {
    fn new() -> Self {
        let database = Database::sqlite();
        let token = new_token().expect("randomness");
        let hash = hashed(&token);
        let db = database.open();
        let reader = db
            .write_blocking(move |tx| -> circulation::Result<i64> {
                let mut last = 0;
                for (role, roll_number) in [(Role::Admin, None), (Role::Student, Some("desk".to_owned()))] {
                    let new = NewAccount {
                        email: format!("{}@college.edu", role.as_str()),
                        name: "Asha Rao".into(),
                        role,
                        roll_number,
                        department: None,
                        batch: None,
                        password_hash: "!".into(),
                    };
                    let user = accounts::add(tx, &new, 0)?.expect("nothing is taken");
                    if role == Role::Admin {
                        sessions::begin(tx, &hash, user.uid, now(), i64::MAX, Opened::default())?;
                    }
                    last = user.uid.0;
                }
                let moment = Moment { at: 0, today: jiff::civil::date(2026, 1, 1) };
                let barcodes = ["DESK-1".to_owned()];
                stock::add_title(tx, moment, &Rulebook::default(), &form(1), None, &barcodes)?;
                Ok(last)
            })
            .expect("the write is stored");
        db.close();
        Self { database, cookie: format!("library={token}"), reader, files: folder() }
    }

    /// Starts a server and waits until it has read the whole catalogue and is idle.
    fn serve(&self) -> Server {
        let server = Server::start(&self.database.location.to_string());
        until("the catalogue is read", || send(server.port, "GET", "/books?q=a", &[], b"").0 == 200);
        let mut before = Duration::MAX;
        until("the server rests", || {
            std::thread::sleep(Duration::from_millis(30));
            std::mem::replace(&mut before, spent(server.id())) == spent(server.id())
        });
        server
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    }

    /// Measures the costs of some work to this server while a desk scans.
    fn cost_of(&self, server: &Server, work: impl FnOnce()) -> Cost {
        let process = server.id();
        std::fs::write(format!("/proc/{process}/clear_refs"), "5").expect("the peak is forgotten");
        let (before, begun) = (status(process, "VmRSS:"), spent(process));
        let (waited, scans) = self.while_scanning(server.port, work);
        let peak = status(process, "VmHWM:");
        let memory = peak.saturating_sub(before);
        Cost { time: spent(process).saturating_sub(begun), memory, peak, waited, scans }
    }

    /// Measures the costs of a command while a desk scans.
    fn cost_of_command(&self, server: &Server, arguments: &[&str]) -> Cost {
        let database = self.database.location.to_string();
        let arguments = [arguments, &["--database", &database]].concat();
        let mut command = library(&arguments);
        let mut seen = (Duration::ZERO, 0);
        let (waited, scans) = self.while_scanning(server.port, || {
            let mut child = command.spawn().expect("the program starts");
            seen = watch(&mut child);
        });
        Cost { time: seen.0, memory: seen.1, peak: seen.1, waited, scans }
    }

    /// Returns the desk's longest wait while `work` runs, and the number of scans.
    fn while_scanning(&self, port: u16, work: impl FnOnce()) -> (Duration, usize) {
        let (over, longest, scans) =
            (AtomicBool::new(false), Mutex::new(Duration::ZERO), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let lend = json!({ "code": "DESK-1", "person": self.reader });
                let take_back = json!({ "code": "DESK-1", "intent": "return" });
                for scan in [lend, take_back].iter().cycle() {
                    let begun = Instant::now();
                    let answer = ask(port, "POST", "/desk/scans", &self.cookie, Some(scan));
                    let took = begun.elapsed();
                    assert_eq!(answer.map(|(status, _)| status), Some(200), "the desk was not served");
                    let mut longest = longest.lock().expect("no panic");
                    *longest = took.max(*longest);
                    scans.fetch_add(1, Ordering::Relaxed);
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    std::thread::sleep(SCAN_EVERY);
                }
            });
            let _ended = Ended(&over);
            work();
        });
        (longest.into_inner().expect("no panic"), scans.into_inner())
    }
}

/// Waits for the end of a command; returns its processor time and peak memory.
fn watch(child: &mut Child) -> (Duration, u64) {
    let (begun, process, mut seen) = (Instant::now(), child.id(), (Duration::ZERO, 0));
    loop {
        if let Some(ended) = child.try_wait().expect("a child") {
            assert!(ended.success(), "the command failed: {ended}");
            return seen;
        }
        assert!(begun.elapsed() < Duration::from_mins(5), "the command does not end");
        seen = (spent(process).max(seen.0), status(process, "VmHWM:").max(seen.1));
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a request with any body; returns the status and the whole answer.
fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_mins(2))).expect("a timeout");
    let headers: String = headers.iter().flat_map(|(name, value)| [*name, ": ", *value, "\r\n"]).collect();
    let head = format!(
        "{method} {API}{path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    // A server that refuses early may not read the rest.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer[..answer.len().min(20)]).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = String::from_utf8_lossy(&answer[..answer.len().min(2000)])
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    assert!(!chunked || answer.ends_with(b"0\r\n\r\n"), "{path} broke off");
    (status, answer)
}

/// Imports a file over HTTP, as the screen does; returns the status.
fn upload(server: &Server, library: &Library, file: &[u8], dry_run: bool) -> u16 {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let key = format!("import-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let headers = [("Cookie", library.cookie.as_str()), ("Content-Type", "text/csv"), (KEY, &key)];
    send(server.port, "POST", &format!("/people/import?dryRun={dry_run}"), &headers, file).0
}

fn rows(header: &str, count: usize, row: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = format!("{header}\n");
    (0..count).for_each(|n| text.push_str(&row(n)));
    text.into_bytes()
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).expect("packed");
    packed.finish().expect("packed")
}

const PEOPLE: &str = "rollNumber,name,email,department,batch";

/// A character of four bytes.
const WIDE: &str = "\u{10348}";

/// Builds a hostile file of people of a given size.
type Content = fn(usize) -> Vec<u8>;

fn sound(size: usize) -> Vec<u8> {
    rows(PEOPLE, size, |n| format!("s{size}-{n},Reader {n},s{size}-{n}@college.edu,Physics,2027\n"))
}

fn longest(size: usize) -> Vec<u8> {
    let (name, mail, department, batch) =
        (WIDE.repeat(100), "m".repeat(60), WIDE.repeat(100), WIDE.repeat(20));
    rows(PEOPLE, size / 10, |n| {
        let host = format!("{}.{}.{}", "a".repeat(60), "b".repeat(60), "c".repeat(50));
        format!("l{size}-{n},{name},{mail}{n}@{host},{department},{batch}\n")
    })
}

const FILES: [(&str, Content); 14] = [
    ("sound rows", sound),
    ("the longest texts", longest),
    ("one roll number on every row", |size| rows("rollNumber,name", size, |_| "A1,Asha\n".into())),
    ("a column that became 2.02601E+11", |size| {
        rows(PEOPLE, size, |n| format!("2.02601E+11,R {n},e{n}@c.edu,,2027\n"))
    }),
    ("every roll number twice", |size| rows(PEOPLE, size, |n| format!("t{},Reader,,,\n", n / 2))),
    ("blank rows", |size| rows(PEOPLE, 20 * size, |_| ",,,,\n".into())),
    ("blank rows, packed", |size| packed(&rows(PEOPLE, 20 * size, |_| ",,,,\n".into()))),
    ("one huge cell", |size| rows(PEOPLE, 1, |_| format!("h,{},,,\n", "\u{fdfa}".repeat(80 * size)))),
    ("rows with everything wrong", |size| {
        rows(PEOPLE, size, |n| format!("\"{}{n}\",,no-mail,{},2027\n", "\"\"".repeat(40), "x".repeat(101)))
    }),
    ("zeros that were lost", |size| rows(PEOPLE, size, |n| format!("{},Reader {n},,,\n", 1_000_000 + n))),
    ("one address on every row", |size| {
        rows(PEOPLE, size, |n| format!("o{n},Reader {n},one@college.edu,,\n"))
    }),
    ("long addresses, packed", |size| {
        let host = format!("{}.{}.{}", "a".repeat(60), "b".repeat(60), "c".repeat(60));
        packed(&rows(PEOPLE, size, |n| format!("z{n},R,{}{n}@{host},,\n", "m".repeat(40))))
    }),
    ("a million cells in a row, packed", |size| {
        packed(&rows(PEOPLE, size / 200, |n| format!("m{n}{}\n", ",".repeat(1_000_000))))
    }),
    ("no table at all", |size| format!("[{}0]", "0,".repeat(100 * size)).into_bytes()),
];

fn files_of_people(wrong: &Mutex<Vec<String>>) {
    let library = Library::new();
    for (name, content) in FILES {
        let server = library.serve();
        let mut costs = Vec::new();
        for size in sizes(1000, OF_FILES) {
            let file = content(size);
            append(&mut costs, || {
                library.cost_of(&server, || {
                    let answered = upload(&server, &library, &file, true);
                    assert!(matches!(answered, 200 | 422 | 413), "{name}: {answered}");
                })
            });
        }
        judge(&format!("dry run of {name}"), &costs, wrong);
        server.stop();
    }
    for (name, content) in [("sound rows", sound as Content), ("the longest texts", longest)] {
        let import = |library: &Library, server: &Server, file: &[u8]| {
            assert_eq!(upload(server, library, file, false), 200, "{name}");
        };
        let imported = |library: &Library, server: &Server| {
            sizes(1000, OF_FILES).map(|size| {
                let file = content(size);
                library.cost_of(server, || import(library, server, &file))
            })
        };
        judge_afresh(&format!("import of {name}"), wrong, imported);
        // Every row changes its person.
        judge_afresh(&format!("changes by {name}"), wrong, |library, server| {
            let _ = imported(library, server);
            sizes(1000, OF_FILES).map(|size| {
                let file = String::from_utf8(content(size)).expect("text").replace(",2027", ",2028");
                let file = file.replace(&WIDE.repeat(20), &WIDE.repeat(19));
                library.cost_of(server, || import(library, server, file.as_bytes()))
            })
        });
    }
}

/// Side of a generated photo in pixels.
const SIDE: u32 = 600;

/// Makes an archive with this number of photos, named by the roll numbers of [`sound`] rows.
fn photos(size: usize) -> Vec<u8> {
    let mut picture = Cursor::new(Vec::new());
    image::RgbImage::from_fn(SIDE, SIDE, |x, y| image::Rgb([x.to_le_bytes()[0], y.to_le_bytes()[0], 99]))
        .write_to(&mut picture, image::ImageFormat::Jpeg)
        .expect("encoded");
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for n in 0..size {
        archive
            .start_file(format!("s5000-{n}.jpg"), zip::write::SimpleFileOptions::default())
            .expect("a file");
        archive.write_all(picture.get_ref()).expect("written");
    }
    archive.finish().expect("an archive").into_inner()
}

/// Imports an archive of photos, and waits for the end of the work in the background.
fn import_photos(server: &Server, library: &Library, archive: &[u8]) {
    let headers = [("Cookie", library.cookie.as_str()), ("Content-Type", "application/octet-stream")];
    let (status, _) = send(server.port, "POST", "/imports/photos?replace=true", &headers, archive);
    assert_eq!(status, 202, "the import begins");
    let begun = Instant::now();
    loop {
        let newest = ask(server.port, "GET", "/imports/photos", &library.cookie, None)
            .and_then(|(_, list)| list.pointer("/imports/0").cloned())
            .unwrap_or_default();
        if newest["state"] == "done" {
            assert_eq!((&newest["done"], &newest["rejected"]), (&newest["rows"], &json!(0)));
            return;
        }
        assert!(begun.elapsed() < Duration::from_mins(5), "the import does not end: {newest}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn photos_of_people(wrong: &Mutex<Vec<String>>) {
    let library = Library::new();
    let server = library.serve();
    assert_eq!(upload(&server, &library, &sound(5000), false), 200, "the people of the photos");
    let mut costs = Vec::new();
    for size in sizes(25, OF_PHOTOS) {
        let archive = photos(size);
        append(&mut costs, || library.cost_of(&server, || import_photos(&server, &library, &archive)));
    }
    judge("import of photos", &costs, wrong);
    server.stop();
}

fn commands(wrong: &Mutex<Vec<String>>) {
    type Import = (&'static str, Content);
    // The last import is measured.
    let run = |name: &str, base: usize, imports: &[Import]| {
        let (measured, before) = imports.split_last().expect("an import");
        let what = measured.0;
        judge_afresh(&format!("library import {what}: {name}"), wrong, |library, server| {
            sizes(base, OF_FILES).map(|size| {
                let import = |(what, content): &Import| {
                    let file = library.file(&format!("{what}.csv"), &content(size));
                    let rejected = library.files.path().join("rejected.csv");
                    let text = |path: &Path| path.to_str().expect("text").to_owned();
                    let (file, rejected) = (text(&file), text(&rejected));
                    library.cost_of_command(server, &["import", what, &file, "--rejected", &rejected])
                };
                for other in before {
                    let _ = import(other);
                }
                import(measured)
            })
        });
    };
    run("twins", 1000, &[("people", FILES[2].1)]);
    run("sound rows", 1000, &[("people", sound)]);
    run(
        "sound rows",
        1000,
        &[("books", |size| {
            rows("title,author,genre", size, |n| format!("Title {size} {n},Author,Fiction\n"))
        })],
    );
    run(
        "one title on every row",
        1000,
        &[("books", |size| rows("title,author", size, |_| "Godaan,Premchand\n".into()))],
    );
    run(
        "long rejected rows",
        50,
        &[("books", |size| rows("title,description", size, |n| format!(",{n} {}\n", "d".repeat(200_000))))],
    );
    let barcodes: Content = |size| {
        let barcodes: Vec<String> = (0..size.min(20_000)).map(|n| format!("B{size}-{n}")).collect();
        rows("title,author,barcode", 1, |_| format!("Many {size},A,{}\n", barcodes.join("|")))
    };
    run("barcodes in one cell", 1000, &[("books", barcodes)]);
    let loans: Content = |size| {
        let row = |n| format!("B{size}-{n},s{size}-{n},2020-01-01,2020-01-15,1\n");
        rows("barcode,rollNumber,lent,due,renewals", size.min(20_000), row)
    };
    run("open loans", 1000, &[("people", sound), ("books", barcodes), ("loans", loans)]);
    run(
        "rejected loans",
        1000,
        &[("loans", |size| {
            rows("barcode,rollNumber,lent,due", size, |n| format!("X{n},unknown-{n},01/02/2020,03/04/2020\n"))
        })],
    );
    run(
        "bad barcodes in one cell",
        1000,
        &[("books", |size| {
            rows("title,author,barcode", 1, |_| {
                format!("Bad {size},A,{}\n", "é|".repeat(40 * size.min(8000)))
            })
        })],
    );
    run(
        "copies without barcodes",
        10,
        &[("books", |size| {
            rows("title,author,noOfBooks", size.min(100), |n| format!("Set {size} {n},A,200\n"))
        })],
    );
}

/// Fills the tables up to a size, with the longest texts.
fn fill(library: &Library, from: usize, to: usize) {
    let numbers =
        format!("WITH RECURSIVE c (n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM c WHERE n + 1 < {to})");
    let (long, reason, now) = (WIDE.repeat(90), WIDE.repeat(500), now());
    let first = "100 + n";
    for statement in [
        format!(
            "INSERT INTO users (id, name, name_key, search_key, directory_key, role, roll_number, department, batch, created_at)
             SELECT {first}, '{long}' || n, 'a{long}' || n, 'a{long}' || n, 'a{long}' || n, 'student', 'f' || n, '{long}', '2027', 0
             FROM c"
        ),
        format!(
            "INSERT INTO copies (id, book_id, barcode, barcode_key, condition)
             SELECT {first}, 1, 'F' || n, 'fill-' || n, 'on-shelf' FROM c"
        ),
        format!(
            "INSERT INTO loans (user_id, book_id, title, copy_id, entry_date, return_date, loan_days)
             SELECT {first}, 1, '{reason}', {first}, '2026-01-01', '2026-01-15', 14 FROM c"
        ),
        format!(
            "INSERT INTO holds (book_id, title, user_id, state, queue_key, placed_at)
             SELECT 2, '{reason}', {first}, 'waiting', n, n FROM c"
        ),
        format!(
            "INSERT INTO account_lines (at, person_id, kind, of, amount, reason, by_id)
             SELECT {now}, {first}, 'charge', 'other', 100, '{reason}', 1 FROM c"
        ),
        format!(
            "INSERT INTO balances (person_id, balance) SELECT {first}, 100 FROM c WHERE TRUE
             ON CONFLICT (person_id) DO UPDATE SET balance = excluded.balance"
        ),
        format!(
            "INSERT INTO events (at, actor_id, action, person_id, change)
             SELECT {now}, 1, 'person-deactivated', {first}, '{{\"v\":1,\"kind\":\"person-deactivated\",\"reason\":\"{reason}\"}}'
             FROM c"
        ),
        format!(
            "INSERT INTO books (title, author, genre, photo_url, description, status, no_of_books, location, created_at)
             SELECT '{reason}' || n, '{reason}', '', '', '', 'Available', 0, '', 0 FROM c"
        ),
    ] {
        let statement = match statement.split_once(")\n") {
            Some((into, select)) => format!("{into}) {numbers} {}", select.trim_start()),
            None => statement.replacen(") SELECT", &format!(") {numbers} SELECT"), 1),
        };
        library.database.raw(&statement).unwrap_or_else(|error| panic!("{error}: {statement:.200}"));
    }
}

fn lists(wrong: &Mutex<Vec<String>>) {
    let library = Library::new();
    let words = "a".repeat(60) + "%20" + &"b".repeat(60) + "%20" + &"%25_".repeat(15);
    let asked = [
        // (path, how often, most doublings it may take part in)
        ("/people.csv".to_owned(), 1),
        ("/people.csv?sort=-owes&q=a".to_owned(), 1),
        ("/people.csv?filter=overdue&sort=overdueLoans".to_owned(), 1),
        ("/changes.csv".to_owned(), 1),
        ("/money/lines.csv".to_owned(), 1),
        ("/labels.csv".to_owned(), 1),
        ("/loans?limit=100".to_owned(), 5),
        (format!("/loans?q={words}"), 5),
        ("/holds?limit=100".to_owned(), 5),
        ("/holds/titles".to_owned(), 5),
        ("/money/lines?limit=100".to_owned(), 5),
        ("/money/debtors?limit=100".to_owned(), 5),
        ("/changes?limit=100".to_owned(), 5),
        ("/people?limit=100&sort=-owes".to_owned(), 5),
        (format!("/people?q={words}"), 5),
        (format!("/books?q={words}"), 5),
        ("/books?q=a&limit=100".to_owned(), 5),
    ];
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); asked.len()];
    let mut filled = 0;
    for size in sizes(1000, OF_TABLES) {
        fill(&library, filled, size);
        filled = size;
        let server = library.serve();
        for ((path, times), costs) in asked.iter().zip(&mut costs) {
            append(costs, || {
                library.cost_of(&server, || {
                    for _ in 0..*times {
                        let (status, _) = send(server.port, "GET", path, &[("Cookie", &library.cookie)], b"");
                        assert_eq!(status, 200, "{path}");
                    }
                })
            });
        }
        server.stop();
    }
    for ((path, _), costs) in asked.iter().zip(&costs) {
        judge(&format!("{path:.60}"), costs, wrong);
    }
}

/// Saves a calendar that closes the day on which all open loans are due (T13; more than 20 000 loans: decision 336).
fn calendars(wrong: &Mutex<Vec<String>>) {
    let due = later(Clock::system(TimeZone::UTC).today(), 10);
    let calendar =
        json!({ "closedWeekdays": [], "closedDates": [{ "from": due, "name": "Holiday" }] }).to_string();
    let saved = |size| {
        let library = Library::new();
        fill(&library, 0, size);
        let lent = format!("UPDATE loans SET title = 'Godaan', return_date = '{due}' WHERE copy_id >= 100");
        library.database.raw(&lent).expect("due on one day");
        let server = library.serve();
        let cost = library.cost_of(&server, || {
            let headers = [
                ("Cookie", library.cookie.as_str()),
                ("Content-Type", "application/json"),
                (KEY, "a-calendar"),
            ];
            let (status, answer) =
                send(server.port, "PUT", "/settings/calendar", &headers, calendar.as_bytes());
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        });
        server.stop();
        let left = library.database.raw(&format!("SELECT 1 FROM loans WHERE return_date = '{due}'"));
        assert_eq!(left.map(|loans| loans.len()), Ok(0), "every loan has moved");
        cost
    };
    let mut costs = Vec::new();
    for size in sizes(400, 1) {
        append(&mut costs, || saved(size));
    }
    judge("a calendar that moves every due date", &costs, wrong);
}

/// Runs some cases and reports all failures at once.
fn run(cases: fn(&Mutex<Vec<String>>)) {
    let wrong = Mutex::new(Vec::new());
    cases(&wrong);
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_of_people_cost_what_their_size_asks_for_and_no_desk_waits_r_seam_10() {
    run(files_of_people);
}

#[test]
fn photos_of_people_cost_what_their_number_asks_for_and_no_desk_waits_r_seam_10() {
    run(photos_of_people);
}

#[test]
fn imports_by_the_command_line_cost_what_their_size_asks_for_and_no_desk_waits_r_seam_10() {
    run(commands);
}

#[test]
fn lists_exports_and_searches_cost_what_their_size_asks_for_and_no_desk_waits_r_seam_10() {
    run(lists);
}

#[test]
fn a_calendar_that_moves_due_dates_costs_what_their_number_asks_for_and_no_desk_waits_r_seam_10() {
    run(calendars);
}
