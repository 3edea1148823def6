//! The built program and a mail server: its command line, and kills while it sends.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::{
    common::Database,
    mail_server::{Act, MailServer, header},
    process::{Server, done, library, refused, run},
    rig::path,
};

/// Returns the number of mails to send, and of kills meanwhile.
fn size() -> (usize, usize) {
    if std::env::var_os("LIBRARY_TEST_SOAK").is_some() { (20_000, 200) } else { (150, 6) }
}

fn url(server: &MailServer) -> String {
    format!("smtp-plain://localhost:{}", server.port)
}

/// `kill -9` while mails are sent: none is lost, and a second copy has the same Message-ID.
#[test]
fn killed_servers_lose_no_mail_and_repeat_one_only_under_its_message_id_r1() {
    let (mails_to_send, kills) = size();
    let database = Database::sqlite();
    let location = database.location.to_string();
    done(&["migrate", "--database", &location]);
    let library = rusqlite::Connection::open(path(&database)).expect("a file");
    library.busy_timeout(Duration::from_secs(10)).expect("a timeout");
    library.execute_batch("BEGIN").expect("begun");
    for n in 0..mails_to_send {
        library
            .execute(
                "INSERT INTO mails (kind, address, subject, text, html, secret, message_id, created_at, not_before,
                                    expires_at)
                 VALUES ('test', ?1, 's', 't', 't', 0, ?2, 0, 0, 99999999999999)",
                [format!("s{n}@college.edu"), format!("<{n}@school.in>")],
            )
            .expect("a row");
    }
    library.execute_batch("COMMIT").expect("stored");
    let mails = MailServer::plain();
    let address = url(&mails);
    let options = ["--smtp-url", &address, "--mail-from", "library@school.in", "--mail-rate", "100000"];
    for kill in 1..=kills {
        let server = Server::start_with(&location, &options);
        let enough = mails.count() + mails_to_send / (2 * kills) + kill % 3;
        let begun = Instant::now();
        while mails.count() < enough {
            assert!(begun.elapsed() < Duration::from_secs(30), "{}", server.log());
            std::thread::yield_now();
        }
        server.kill();
        // The leases of the dead server have ended.
        library.execute_batch("UPDATE mails SET leased_until = 0; DELETE FROM leases").expect("done");
    }
    let server = Server::start_with(&location, &options);
    let waiting = || -> i64 {
        library
            .query_row("SELECT COUNT(*) FROM mails WHERE state <> 'sent'", [], |row| row.get(0))
            .expect("a number")
    };
    let begun = Instant::now();
    while waiting() > 0 {
        assert!(begun.elapsed() < Duration::from_mins(10), "{} mails wait: {}", waiting(), server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!server.log().contains("@college.edu"), "no address is in the log");
    server.stop();
    let mut copies: BTreeMap<String, usize> = BTreeMap::new();
    for mail in mails.received() {
        *copies.entry(header(&mail, "Message-ID")).or_default() += 1;
    }
    assert_eq!(copies.len(), mails_to_send, "none is lost");
    // Four are under way at the most when the server dies.
    let doubled = mails.count() - mails_to_send;
    println!("{mails_to_send} mails, {kills} kills, {doubled} second copies");
    assert!(doubled <= 4 * kills, "{doubled}");
}

#[test]
fn the_operator_tries_the_mail_server_and_reads_its_answer() {
    let database = Database::sqlite();
    let location = database.location.to_string();
    done(&["migrate", "--database", &location]);
    let mails = MailServer::plain();
    let address = url(&mails);
    let options =
        ["--smtp-url", &address, "--mail-from", "Bücherei <library@school.in>", "--database", &location];
    let test = [&["mail", "test", "asha@college.edu"], &options[..]].concat();
    assert!(done(&test).starts_with("Accepted by localhost."));
    let mail = mails.received().pop().expect("a mail");
    assert_eq!(header(&mail, "Subject"), "Test mail from the library");
    assert!(header(&mail, "From").ends_with("<library@school.in>"));
    mails.next([Act::Recipient("550 5.1.1 No such user")]);
    assert!(refused(&test).contains("There is no such mailbox: 5.1.1 No such user"));
    let doctor = [&["doctor"], &options[..]].concat();
    assert!(done(&doctor).contains("mail       localhost answers; 0 queued, 0 failed"));

    let with = |change: &[&str]| {
        refused(&[&["mail", "test", "a@college.edu", "--database", &location], change].concat())
    };
    assert!(with(&[]).contains("mail is off"));
    let from = ["--mail-from", "library@school.in", "--smtp-url"];
    let said = |url: &str| with(&[&from[..], &[url]].concat());
    assert!(said("smtp://user:secret@localhost").contains("--smtp-password-file"));
    assert!(said("smtp://user%40school.in@localhost").contains("signs in as user@school.in"));
    assert!(said("http://localhost").contains("smtps://"));
    // A server without encryption gets neither password nor mail.
    let mut command = library(&["mail", "test", "a@college.edu", "--database", &location]);
    command
        .args(from)
        .arg(format!("smtp://user@localhost:{}", mails.port))
        .env("LIBRARY_SMTP_PASSWORD", "secret");
    let ended = run(command, "");
    assert!(!ended.success && ended.stderr.contains("no secure connection"), "{}", ended.stderr);
    assert_eq!((mails.sign_ins(), mails.received().len()), (0, 1));
}
