//! Backups of a library in use.

use std::{
    os::unix::fs::PermissionsExt as _,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use library::storage::{Db, Error, Location, backup, books};

use crate::{
    Store,
    common::{Database, folder},
};

#[test]
fn a_backup_ends_while_readers_borrow_and_is_one_moment_of_the_library_s7() {
    let store = Store::on(Database::sqlite());
    let book = store.book("t", 100_000);
    // Large enough for many pages: each book has a description of four of them.
    store
        .database
        .raw(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
             INSERT INTO books (title, author, genre, photo_url, description, status, no_of_books, location, created_at)
             SELECT 'Book ' || i, '', '', '', printf('%.*c', 16000, 'd'), 'Available', 1, '', 0 FROM n",
        )
        .expect("writable");
    let (folder, over, begun) = (folder(), AtomicBool::new(false), Instant::now());
    let copy = folder.path().join("copy.db");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                store.write(move |tx| books::take_copy(tx, book));
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let (say, hear) = std::sync::mpsc::channel();
        let (from, to) = (store.db.location().clone(), copy.clone());
        std::thread::spawn(move || say.send(backup(&from, &to)));
        let outcome = hear.recv_timeout(Duration::from_secs(20));
        over.store(true, Ordering::Relaxed);
        outcome.expect("the backup ends").expect("the backup is made");
    });
    assert!(begun.elapsed() < Duration::from_secs(20));

    let rights = std::fs::metadata(&copy).expect("there").permissions().mode() & 0o777;
    assert_eq!(rights, 0o600, "nobody else reads a copy of the accounts (S19)");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 2, "nothing but the copy and its manifest stays: {left:?}");
    let restored = Db::open(&Location::Sqlite(copy)).expect("a whole library");
    assert_eq!(restored.read_blocking(books::count).ok(), Some(2001));
    restored.close();
}

#[test]
fn a_backup_leaves_other_peoples_files_alone_s19() {
    let store = Store::on(Database::sqlite());
    let folder = folder();
    let (copy, theirs) = (folder.path().join("copy.db"), folder.path().join("copy.partial"));
    std::fs::write(&theirs, "a thesis").expect("written");
    backup(store.db.location(), &copy).expect("the backup is made");
    assert_eq!(std::fs::read_to_string(&theirs).expect("still there"), "a thesis");
    match backup(store.db.location(), &copy) {
        Err(Error::Open(told)) => assert!(told.contains("exists"), "{told}"),
        other => panic!("{other:?}"),
    }
    let missing = folder.path().join("missing/copy.db");
    assert!(
        matches!(backup(store.db.location(), &missing), Err(Error::Open(told)) if told.contains("missing"))
    );
}
