//! Migrations: two folders, one schema.

use std::{collections::BTreeSet, path::Path};

use library::storage::{Db, Error, Location, books};

use crate::{Store, common::Database};

on_both_databases!(opening_again_changes_nothing, a_newer_schema_is_refused, several_may_open_at_once);

fn opening_again_changes_nothing(store: &Store) {
    store.book("kept", 1);
    let versions = "SELECT version, name FROM schema_version ORDER BY version";
    let before = store.database.raw(versions).expect("readable");
    let again = store.database.open();
    assert_eq!(again.read_blocking(books::count).ok(), Some(1));
    again.close();
    assert_eq!(store.database.raw(versions), Ok(before));
}

fn a_newer_schema_is_refused(store: &Store) {
    store
        .database
        .raw("INSERT INTO schema_version (version, name) VALUES (9999, 'future')")
        .expect("writable");
    match Db::open(&store.database.location) {
        Err(Error::Open(told)) => assert!(told.contains("9999") && told.contains("newer"), "{told}"),
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("a database of a newer program was opened"),
    }
}

fn several_may_open_at_once(store: &Store) {
    // In one of some hundred rounds a process looked while another created the file, and took it for deleted.
    let (rounds, fresh): (_, fn() -> Database) = match store.database.location {
        Location::Sqlite(_) => (30, Database::sqlite),
        Location::Postgres(_) => (1, Database::postgres),
    };
    for _ in 0..rounds {
        let fresh = fresh();
        let together = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    fresh.open().close();
                });
            }
        });
        assert_eq!(fresh.raw("SELECT COUNT(*) FROM catalogue"), Ok(vec![vec![Some("1".to_owned())]]));
    }
}

#[test]
fn both_folders_of_migrations_have_the_same_files() {
    let names = |folder: &str| -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
        let files = std::fs::read_dir(folder).expect("the folder of migrations");
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("sqlite"), names("postgres"));
    let database = Database::sqlite();
    database.open().close();
    let applied = database.raw("SELECT name FROM schema_version").expect("readable");
    let applied: BTreeSet<String> =
        applied.into_iter().flatten().flatten().map(|name| format!("{name}.sql")).collect();
    assert_eq!(applied, names("sqlite"), "every file is in the program");
}

#[test]
fn both_databases_have_the_same_columns_that_may_be_null_alike() {
    let columns = |database: &Database, ask: &str| -> BTreeSet<String> {
        database.open().close();
        let rows = database.raw(ask).expect("readable");
        rows.into_iter().map(|row| row.into_iter().flatten().collect::<Vec<_>>().join(" ")).collect()
    };
    let (sqlite, postgres) = (Database::sqlite(), Database::postgres());
    let sqlite = columns(
        &sqlite,
        "SELECT t.name || '.' || c.name, CASE WHEN c.\"notnull\" OR c.pk THEN 'always' ELSE 'or null' END
         FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    );
    let postgres = columns(
        &postgres,
        "SELECT table_name || '.' || column_name, CASE WHEN is_nullable = 'NO' THEN 'always' ELSE 'or null' END
         FROM information_schema.columns WHERE table_schema = 'public'",
    );
    assert!(sqlite.len() > 50);
    assert_eq!(sqlite, postgres);
}

#[test]
fn what_cannot_be_opened_is_told_in_one_line() {
    let folder = crate::common::folder();
    let file = folder.path().join("letters.txt");
    std::fs::write(&file, "These are letters and no database, however long one looks at them.".repeat(100))
        .expect("written");
    for (location, word) in [
        (Location::Sqlite(folder.path().to_owned()), "cannot be opened"),
        (Location::Sqlite(folder.path().join("missing").join("library.db")), "cannot be opened"),
        (Location::Sqlite(file), "not a SQLite database"),
        (Location::Postgres("postgres://library:secret@127.0.0.1:1/library".into()), "cannot be reached"),
    ] {
        match Db::open(&location) {
            Err(Error::Open(told) | Error::Unreachable(told)) => {
                assert!(told.contains(word) && !told.contains('\n') && !told.contains("secret"), "{told}");
            }
            Err(other) => panic!("{location}: {other:?}"),
            Ok(_) => panic!("{location} was opened"),
        }
    }
}
