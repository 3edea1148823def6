//! Full or failing disks: answers stay true, reading continues, and no restart is needed (R3).

use std::{
    collections::BTreeSet,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    common::Database,
    durability::filled,
    files::ready,
    process::{Server, ask},
    rig::{Load, kept, not_run, rounds, tool, until},
};

/// A disk of a few MiB, in memory.
struct Small {
    folder: TempDir,
}

impl Small {
    fn new(mib: usize) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let size = format!("size={mib}m");
        tool("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", folder.path().to_str().expect("UTF-8")])?;
        Ok(Self { folder })
    }

    fn database(&self) -> Database {
        Database::sqlite_in(tempfile::tempdir_in(self.folder.path()).expect("room"))
    }

    /// Path of the file that fills the disk.
    fn ballast(&self) -> PathBuf {
        self.folder.path().join("ballast")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = tool("umount", &["--lazy", self.folder.path().to_str().expect("UTF-8")]);
    }
}

/// Fills the disk completely.
fn fill(path: &Path) {
    let mut ballast = File::create(path).expect("a file");
    for size in [64 * 1024, 4096, 1] {
        while ballast.write_all(&vec![0; size]).is_ok() {}
    }
}

/// Borrows while the disk fills up; returns the loans that were answered and those that are stored.
fn filled_up_under_load(disk: &Small, fault: Option<&str>) -> (BTreeSet<i64>, BTreeSet<i64>) {
    let database = disk.database();
    let (book, cookies) = filled(&database, 1000);
    let server = Server::start_faulty(&database.location.to_string(), fault);
    let load = Load::default();
    load.during(server.port, book, &cookies, || {
        until("a loan", || load.lent().len() > 20);
        fill(&disk.ballast());
        std::thread::sleep(Duration::from_millis(400));
    });
    let others = load.others();
    if fault.is_none() {
        assert!(others.keys().eq([&507]), "{others:?}");
    }
    std::fs::remove_file(disk.ballast()).expect("removed");
    server.stop();
    (load.lent(), kept(&database))
}

#[test]
fn a_full_disk_loses_nothing_and_is_told_as_it_is_r3_p12() {
    let disk = match Small::new(24) {
        Ok(disk) => disk,
        Err(why) => return not_run("R3", &why),
    };
    let (told, kept) = filled_up_under_load(&disk, None);
    // Neither "done" nor "nothing was changed" was ever wrong.
    assert_eq!(told, kept);
    // Control: a build that treats a failed commit as a success.
    let noticed = (0..5).any(|_| {
        let (told, kept) = filled_up_under_load(&disk, Some("swallowed-error"));
        told.difference(&kept).count() > 0
    });
    assert!(noticed, "the rig does not notice a false answer");
}

#[test]
fn with_a_full_disk_the_library_can_be_read_and_left_and_goes_on_when_there_is_room_p12() {
    let disk = match Small::new(24) {
        Ok(disk) => disk,
        Err(why) => return not_run("R3", &why),
    };
    let database = disk.database();
    let (book, cookies) = filled(&database, 1000);
    let server = Server::start(&database.location.to_string());
    let path = format!("/books/{book}/loans");
    let borrow = |reader: usize| ask(server.port, "POST", &path, &cookies[reader], None).expect("an answer");
    let who =
        |reader: usize| server.ask("GET", "/auth/session", &cookies[reader], None).expect("an answer").1;
    let leave =
        |reader: usize| server.ask("POST", "/auth/sign-out", &cookies[reader], None).expect("an answer").0;
    assert_eq!(borrow(0).0, 201);
    assert_eq!(ready(&server).0, 200);
    fill(&disk.ballast());
    until("notice", || borrow(0).0 == 507);
    let (_, told) = borrow(0);
    let words =
        "The disk of the library's server is full. Nothing was changed; please tell the library's staff.";
    assert_eq!((&told["code"], &told["detail"]), (&json!("disk-full"), &json!(words)));
    let (status, told) = ready(&server);
    assert!(status == 503 && told.contains("the disk is full"), "{status} {told}");
    assert_eq!(server.ask("GET", "/books", &cookies[0], None).map(|answer| answer.0), Some(200));
    for _ in 0..500 {
        assert_eq!(borrow(0).0, 507);
    }
    let log = server.log();
    assert!(log.contains("disk is full") && log.lines().count() < 20, "{log}");
    // Signing out takes effect.
    assert!(who(1)["user"].is_object());
    assert_eq!(leave(1), 204);
    assert!(who(1)["user"].is_null());

    std::fs::remove_file(disk.ballast()).expect("removed");
    until("writing", || borrow(0).0 == 201);
    assert_eq!(ready(&server), (200, "ready\n".to_owned()));
    assert!(who(1)["user"].is_null(), "still");
    let sessions = || database.raw("SELECT COUNT(*) FROM sessions").expect("readable")[0][0].clone();
    assert_eq!(sessions().as_deref(), Some("4"));
    assert_eq!(leave(2), 204);
    assert_eq!(sessions().as_deref(), Some("2"), "also the one that could not be ended before");
    server.stop();
}

/// Lets some writes of the disk fail under load (`inject`, for `strace`) and recover; returns the number of answered loans that
/// are missing.
fn failed_under_load(inject: &str, fault: Option<&str>) -> Result<usize, String> {
    let database = Database::sqlite();
    let (book, cookies) = filled(&database, 100_000);
    let server = Server::start_faulty(&database.location.to_string(), fault);
    let load = Load::default();
    let mut failed = Ok(());
    load.during(server.port, book, &cookies, || {
        load.until_more_than(20);
        failed = failing(&server, inject, || {
            if fault.is_some() {
                // The number of a lost loan is given to the next one.
                return until("a false answer", || load.twice() > 0);
            }
            until("a failure", || load.others().contains_key(&503));
            assert_eq!(server.ask("GET", "/books", &cookies[0], None).map(|answer| answer.0), Some(200));
            // A single failure may be over before the health check runs.
            until("notice", || inject.contains("when") || ready(&server).0 == 503);
        });
        if failed.is_ok() {
            load.until_more_than(load.lent().len() + 20);
            until("healing", || ready(&server).0 == 200);
        }
    });
    failed?;
    let others = load.others();
    assert!(others.keys().all(|status| *status == 503), "{others:?}");
    // A swallowed error prevents a clean end.
    if fault.is_some() {
        server.kill();
    } else {
        server.stop();
    }
    Ok(load.lent().difference(&kept(&database)).count() + load.twice())
}

/// Fails every wait for the disk.
const WAITS: &str = "fsync,fdatasync:error=EIO";

#[test]
fn a_disk_that_fails_loses_nothing_and_heals_r3() {
    match failed_under_load(WAITS, None) {
        Ok(lost) => assert_eq!(lost, 0, "lost"),
        Err(why) => return not_run("R3-EIO", &why),
    }
    // The soak also fails each of the first writes and waits alone.
    for number in 1..rounds(1) {
        for what in ["pwrite64", "fsync,fdatasync"] {
            let inject = format!("{what}:error=EIO:when={number}");
            assert_eq!(failed_under_load(&inject, None), Ok(0), "{inject}");
        }
    }
    // Control: a build that treats a failed commit as a success.
    let lost = failed_under_load(WAITS, Some("swallowed-error")).expect("as before");
    assert!(lost > 0, "the rig does not notice a false answer");
}

/// Makes the server's system calls fail as `inject` says (`strace`) while `during` runs.
fn failing(server: &Server, inject: &str, during: impl FnOnce()) -> Result<(), String> {
    tool("strace", &["--version"])?;
    let calls = inject.split(':').next().unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "the server starts no other program, but its rigs do")]
    let mut strace = std::process::Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null"])
        .args(["-e", &format!("trace={calls}"), "-e", &format!("inject={inject}")])
        .args(["-p", &server.id().to_string()])
        .spawn()
        .map_err(|error| error.to_string())?;
    std::thread::sleep(Duration::from_millis(300));
    if strace.try_wait().expect("a child").is_some() {
        return Err("strace may not look at other processes here".into());
    }
    during();
    // `strace` detaches from the server at SIGTERM.
    tool("kill", &["-TERM", &strace.id().to_string()])?;
    strace.wait().expect("a child");
    Ok(())
}
