//! The systemd unit of docs/operations.md, as printed there: it starts, and keeps trying (O1, O12, O13, O29).

use std::{os::unix::fs::PermissionsExt as _, path::Path};

use clap::Parser as _;
use library::config::{Cli, Command};

use crate::{
    common::folder,
    process::{Server, library, refused},
};

/// Returns the unit in the operator's guide.
fn unit() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operations.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let blocks = guide.split("\n```\n").filter(|block| block.starts_with("[Unit]\n"));
    let [unit] = *blocks.collect::<Vec<_>>() else { panic!("the guide has one unit") };
    unit.to_owned()
}

/// Returns the words of the unit's command line.
fn command_line(unit: &str) -> Vec<String> {
    let joined = unit.replace("\\\n", " ");
    let line = joined.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("ExecStart");
    line.split_whitespace().map(ToOwned::to_owned).collect()
}

#[test]
fn the_unit_of_the_guide_is_sound_and_keeps_trying_o1_o13_o29() {
    let unit = unit();
    let cli = Cli::try_parse_from(command_line(&unit)).map_err(|error| error.to_string());
    assert!(matches!(cli.expect("the program takes the options").command, Command::Serve(_)));
    let (head, service) = unit.split_once("[Service]").expect("two sections");
    assert!(head.contains("StartLimitIntervalSec=0"), "five failures in ten seconds would end it for good");
    assert!(head.contains("After=network-online.target postgresql.service"));
    for line in ["RestartSec=5", "MemoryMax=", "# ReadWritePaths="] {
        assert!(service.contains(&format!("\n{line}")), "{line}");
    }
    let there = folder();
    let file = there.path().join("library.service");
    // Verification looks for the program at its place.
    std::fs::write(&file, unit.replace("/usr/local/bin/library", env!("CARGO_BIN_EXE_library")))
        .expect("written");
    #[expect(clippy::disallowed_methods, reason = "systemd itself says whether it understands the unit")]
    let verified = std::process::Command::new("systemd-analyze").arg("verify").arg(&file).output();
    // A machine without systemd is content with the rest.
    if let Ok(verified) = verified {
        let told = String::from_utf8_lossy(&verified.stderr);
        let ours: Vec<_> = told.lines().filter(|line| line.contains("library.service")).collect();
        assert!(ours.is_empty(), "{told}");
    }
}

#[test]
fn the_service_starts_where_nothing_but_its_folder_is_there_o1() {
    let state = folder();
    let home = state.path().to_str().expect("UTF-8").to_owned();
    let mut words = command_line(&unit()).into_iter().skip(1).peekable();
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        // The test finds the port in the address.
        if word == "--public-url" {
            words.next();
        } else {
            options.push(word.replace("/var/lib/library", &home));
        }
    }
    let mut command = library(&[]);
    command.args(options).args(["--listen", "127.0.0.1:0"]).current_dir(state.path());
    let server = Server::start_as(command);
    let backups = std::fs::metadata(state.path().join("backups")).expect("made by the server");
    assert_eq!(backups.permissions().mode() & 0o777, 0o700);
    server.stop();
}

#[test]
fn a_backup_folder_that_the_server_cannot_use_is_told_at_the_start_o12() {
    let state = folder();
    let database = format!("sqlite:{}", state.path().join("library.db").display());
    let serve = |backups: &str| {
        refused(&["serve", "--listen", "127.0.0.1:0", "--database", &database, "--backup-folder", backups])
    };
    let file = state.path().join("file");
    std::fs::write(&file, "").expect("written");
    let missing = state.path().join("missing/backups");
    for wrong in [file.to_str().expect("UTF-8"), missing.to_str().expect("UTF-8"), "/proc/self/backups"] {
        let told = serve(wrong);
        assert!(told.contains("--backup-folder") && told.contains(wrong), "{told}");
    }
    // Even root cannot create a file in /proc/self.
    let told = serve("/proc/self");
    assert!(told.contains("ReadWritePaths"), "{told}");
    assert!(!state.path().join("library.db").exists(), "told before the database is made");
}
