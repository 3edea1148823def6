//! Migrations of old databases: nothing is lost or half-done, and both databases end alike (S27).

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf, time::Duration};

use library::{
    domain::id::BookId,
    sql,
    storage::{
        Db, Error, Location, Tx, backup, books, copies,
        events::{self, Filter},
        migrate::{MIGRATIONS, Migrated, Migration, Step, apply, plan},
        reviews,
    },
};

use crate::{common::Database, form};

/// Makes two tests of each function, each on an empty database that was never opened.
macro_rules! on_both_databases_unopened {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $( #[test] fn $test() { super::$test(&crate::common::Database::sqlite()); } )+ }
        mod postgres { $( #[test] fn $test() { super::$test(&crate::common::Database::postgres()); } )+ }
    };
}

on_both_databases_unopened!(
    a_database_without_checksums_is_taken_over_and_works,
    a_failing_migration_leaves_the_version_before_it,
    a_migration_that_breaks_a_reference_is_undone_and_names_it,
    a_step_of_the_program_belongs_to_its_migration,
    of_many_that_migrate_at_once_each_version_is_applied_by_one,
    a_dry_run_tells_what_would_happen_and_changes_nothing,
    a_database_with_another_history_is_refused,
    of_codes_and_links_those_that_rest_on_nothing_proved_end_with_the_upgrade_r_seam_8,
    the_upgrade_erases_what_an_undone_deactivation_kept_of_an_erased_person_r_people_6,
    people_and_open_loans_in_arabic_letters_are_found_after_the_upgrade_r_home_2,
);

fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs several statements without the program.
fn script(database: &Database, statements: &str) {
    match &database.location {
        Location::Sqlite(path) => rusqlite::Connection::open(path)
            .and_then(|connection| connection.execute_batch(statements))
            .expect("the script runs"),
        Location::Postgres(_) => {
            database.raw(statements).expect("the script runs");
        }
    }
}

fn is_postgres(database: &Database) -> bool {
    matches!(database.location, Location::Postgres(_))
}

/// Fills an empty database as the program of schema 0001 left it.
fn fill_0001(database: &Database) {
    let data = read("tests/fixtures/0001.sql").replace('␟', "\u{1f}");
    if is_postgres(database) {
        script(database, &read("migrations/postgres/0001_initial.sql"));
        script(database, &data);
        for (table, last) in [("users", 7), ("books", 9), ("reviews", 6), ("loans", 10), ("events", 13)] {
            script(database, &format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last})"));
        }
    } else {
        script(database, "PRAGMA journal_mode = WAL");
        script(database, &read("migrations/sqlite/0001_initial.sql"));
        script(database, &data);
        script(
            database,
            "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'books';
             UPDATE sqlite_sequence SET seq = 6 WHERE name = 'reviews';",
        );
    }
}

/// Returns every row of every table, one a line, in the same form for both databases, except the bookkeeping of versions.
fn content(database: &Database) -> String {
    let columns = if is_postgres(database) {
        "SELECT table_name, column_name, data_type FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name <> 'schema_version'"
    } else {
        "SELECT t.name, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'schema_version'"
    };
    let mut tables: BTreeMap<String, Vec<(bool, String, String)>> = BTreeMap::new();
    for row in database.raw(columns).expect("readable") {
        let [Some(table), Some(column), Some(kind)] = row.as_slice() else { panic!("{row:?}") };
        tables.entry(table.clone()).or_default().push((column != "id", column.clone(), kind.clone()));
    }
    let mut content = String::new();
    for (table, mut columns) in tables {
        columns.sort();
        let select: Vec<String> = columns
            .iter()
            .map(|(_, column, kind)| match kind.as_str() {
                "boolean" => format!("CAST({column} AS INTEGER)"),
                _ => column.clone(),
            })
            .collect();
        let rows = database.raw(&format!("SELECT {} FROM {table}", select.join(", "))).expect("readable");
        let mut rows: Vec<String> = rows
            .into_iter()
            .map(|row| {
                let cells = columns.iter().zip(row).map(|((_, column, _), cell)| match cell {
                    Some(cell) => {
                        format!("{column}={}", cell.replace('\u{1f}', "␟").replace('\n', "⏎"))
                    }
                    None => format!("{column} is null"),
                });
                cells.collect::<Vec<_>>().join(" | ")
            })
            .collect();
        rows.sort();
        writeln!(content, "{table}").expect("a string");
        for row in rows {
            writeln!(content, "  {row}").expect("a string");
        }
    }
    content
}

fn refused<T>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Open(told)) => {
            assert!(!told.contains('\n'), "more than a line: {told}");
            told
        }
        Err(other) => panic!("not for the operator: {other:?}"),
        Ok(_) => panic!("it was not refused"),
    }
}

fn versions(database: &Database) -> Vec<Vec<Option<String>>> {
    database.raw("SELECT version, name, checksum FROM schema_version ORDER BY version").expect("readable")
}

/// Returns the first release, followed by the test's migrations.
fn then(following: &[Migration]) -> Vec<Migration> {
    [&MIGRATIONS[..1], following].concat()
}

/// Builds a migration with the same text for both databases.
const fn both(name: &'static str, sql: &'static str) -> Migration {
    Migration { name, sqlite: sql, postgres: sql, step: None }
}

const NOTES: Migration =
    both("0002_notes", "CREATE TABLE notes (id BIGINT PRIMARY KEY); INSERT INTO notes (id) VALUES (1)");

#[test]
fn an_old_database_full_of_data_has_the_expected_content_on_both_s27() {
    let expected = read("tests/fixtures/0001.migrated.txt");
    for database in [Database::sqlite(), Database::postgres()] {
        fill_0001(&database);
        let db = database.open();
        let changes = db.read_blocking(|tx| {
            events::page(tx, &Filter::default(), library::domain::id::ChangeId(i64::MAX), 100)
        });
        assert_eq!(changes.expect("every old event is a change").len(), 13);
        let contradictions = db.read_blocking(|tx| copies::contradictions(tx, 10));
        assert_eq!(contradictions.expect("readable"), Vec::<String>::new());
        db.close();
        let content = content(&database);
        if content != expected {
            let kept = repository("target/0001.migrated.txt");
            std::fs::write(&kept, &content).expect("written");
            let without = |these: &str, those: &str| -> Vec<String> {
                these
                    .lines()
                    .filter(|line| those.lines().all(|other| other != *line))
                    .map(Into::into)
                    .collect()
            };
            panic!(
                "{}: the content is not that of tests/fixtures/0001.migrated.txt (compare {}); missing: {:#?}; more: {:#?}",
                database.location,
                kept.display(),
                without(&expected, &content),
                without(&content, &expected)
            );
        }
    }
}

#[test]
fn a_backup_is_of_the_database_as_it_is_and_migrates_nothing() {
    let (database, copy) = (Database::sqlite(), Database::sqlite());
    fill_0001(&database);
    let Location::Sqlite(to) = &copy.location else { panic!("a file") };
    backup(&database.location, to).expect("copied");
    for database in [&database, &copy] {
        let columns = database.raw("SELECT COUNT(*) FROM pragma_table_info('schema_version')");
        assert_eq!(columns, Ok(vec![vec![Some("2".to_owned())]]), "as the old program left it");
    }
    assert_eq!(content(&copy), content(&database));
    let nowhere = Location::Sqlite(to.with_extension("missing"));
    assert!(refused(backup(&nowhere, &to.with_extension("copy"))).contains("not there"));
}

fn a_database_without_checksums_is_taken_over_and_works(database: &Database) {
    fill_0001(database);
    let db = database.open();
    let checksum = MIGRATIONS[0].checksum(is_postgres(database));
    assert_eq!(
        versions(database)[0],
        [Some("1".to_owned()), Some("0001_initial".to_owned()), Some(checksum)]
    );
    // Ids continue after the highest ever used, even if that row is gone.
    let book = form("New", 1);
    let added = db.write_blocking(move |tx| books::add(tx, &book, None, 1)).expect("stored");
    assert_eq!(added, Some(BookId(10)));
    let page = db.read_blocking(|tx| reviews::page(tx, BookId(1), 9, 9)).expect("readable");
    assert_eq!(page.len(), 2);
    db.close();
    assert_eq!(apply(&database.location, MIGRATIONS).map(|done| done.applied).ok(), Some(Vec::new()));
}

/// 0019: nothing records earlier changes of a code's person, nor who linked a self-registered account.
fn of_codes_and_links_those_that_rest_on_nothing_proved_end_with_the_upgrade_r_seam_8(database: &Database) {
    fill_0001(database);
    apply(&database.location, &MIGRATIONS[..18]).expect("applied");
    // 3 has registered and has a password; 4 has no password, and its code has no recorded maker; 6 was added, and got one.
    script(
        database,
        "UPDATE users SET password_hash = NULL WHERE id IN (4, 6);
         INSERT INTO events (id, at, actor_id, action, person_id, change) VALUES
           (101, 1, 1, 'sign-in-code-made', 3, '{\"v\":1,\"kind\":\"sign-in-code-made\",\"expires\":9}'),
           (102, 1, 2, 'sign-in-code-made', 6, '{\"v\":1,\"kind\":\"sign-in-code-made\",\"expires\":9}'),
           (103, 1, 7, 'profile-updated', 7,
            '{\"v\":1,\"kind\":\"profile-updated\",\"before\":{\"rollNumber\":null},\"after\":{\"rollNumber\":\"x\"}}');
         INSERT INTO sign_in_codes (user_id, code_hash, expires_at) VALUES (3, 'a', 9), (4, 'b', 9), (6, 'c', 9);
         INSERT INTO oidc_links (issuer, subject, user_id, linked_at, password_asked) VALUES
           ('i', 'three', 3, 1, FALSE), ('i', 'four', 4, 1, FALSE), ('j', 'three', 3, 1, TRUE);",
    );
    apply(&database.location, MIGRATIONS).expect("applied");
    let text = |text: &str| Some(text.to_owned());
    let codes = database.raw("SELECT user_id, code_hash, made_by FROM sign_in_codes").expect("readable");
    assert_eq!(codes, [[text("6"), text("c"), text("2")]]);
    let claimed = database.raw("SELECT id FROM users WHERE claimed ORDER BY id").expect("readable");
    assert_eq!(claimed, [[text("3")], [text("7")]]);
    let links = database.raw("SELECT issuer, subject FROM oidc_links ORDER BY issuer").expect("readable");
    assert_eq!(links, [[text("i"), text("four")], [text("j"), text("three")]]);
}

/// 0020: erasing a person left the reason in the undo of a deactivation.
fn the_upgrade_erases_what_an_undone_deactivation_kept_of_an_erased_person_r_people_6(database: &Database) {
    fill_0001(database);
    apply(&database.location, &MIGRATIONS[..19]).expect("applied");
    // 3 was erased, 4 is there, 6 was merged into 4.
    script(
        database,
        "UPDATE users SET gone_at = 1, active = FALSE, name = '' WHERE id = 3;
         UPDATE users SET gone_at = 1, active = FALSE, merged_into = 4 WHERE id = 6;
         INSERT INTO events (id, at, actor_id, action, person_id, change) VALUES
           (101, 1, 1, 'undone', 3,
            '{\"v\":1,\"kind\":\"undone\",\"change\":1,\"first\":{\"kind\":\"person-deactivated\",\"reason\":\"left\"}}'),
           (102, 1, 1, 'undone', 4,
            '{\"v\":1,\"kind\":\"undone\",\"change\":1,\"first\":{\"kind\":\"person-deactivated\",\"reason\":\"left\"}}'),
           (103, 1, 1, 'undone', 6,
            '{\"v\":1,\"kind\":\"undone\",\"change\":1,\"first\":{\"kind\":\"person-deactivated\",\"reason\":\"left\"}}'),
           (104, 1, 1, 'undone', 3,
            '{\"v\":1,\"kind\":\"undone\",\"change\":1,\"first\":{\"kind\":\"person-activated\"}}'),
           (105, 1, 1, 'hold-cancelled', 3,
            '{\"v\":1,\"kind\":\"hold-cancelled\",\"hold\":3,\"was\":\"waiting\",\"title\":\"T\",\"reason\":\"left\"}'),
           (106, 1, 1, 'hold-cancelled', 3,
            '{\"v\":1,\"kind\":\"hold-cancelled\",\"hold\":3,\"was\":\"waiting\",\"title\":\"T\"}');",
    );
    apply(&database.location, MIGRATIONS).expect("applied");
    let rows =
        "SELECT id, CAST(personal AS INTEGER), CASE WHEN change LIKE '%erased%' THEN 'erased' ELSE 'kept' END
         FROM events WHERE id > 100 ORDER BY id";
    let row = |cells: [&str; 3]| cells.map(|cell| Some(cell.to_owned())).to_vec();
    assert_eq!(
        database.raw(rows).expect("readable"),
        [
            row(["101", "1", "erased"]),
            row(["102", "1", "kept"]),
            row(["103", "1", "kept"]),
            row(["104", "0", "kept"]),
            row(["105", "1", "erased"]),
            row(["106", "0", "kept"]),
        ]
    );
}

fn people_and_open_loans_in_arabic_letters_are_found_after_the_upgrade_r_home_2(database: &Database) {
    fill_0001(database);
    apply(&database.location, &MIGRATIONS[..55]).expect("applied");
    // As version 55 folded them: the letters of an Urdu keyboard. 5 was erased, 6 was merged into 4.
    script(
        database,
        "UPDATE users SET name = 'علی', name_key = 'علی', search_key = 'علی', directory_key = 'علی', batch = '2027',
                          email = 'ali@b.c', email_key = 'ali@b.c', roll_number = 'R4', department = NULL WHERE id = 4;
         UPDATE users SET gone_at = 1, active = FALSE, name = '', name_key = '', search_key = '', directory_key = ''
         WHERE id = 5;
         UPDATE users SET gone_at = 1, active = FALSE, roll_number = 'کی6', merged_into = 4 WHERE id = 6;
         UPDATE loans SET title = 'آگ کا دریا', search_key = 'آگ کا دریا' WHERE id = 1;",
    );
    apply(&database.location, MIGRATIONS).expect("applied");
    let keys = |select: &str| {
        let rows = database.raw(select).expect("readable");
        rows.into_iter().flatten().flatten().map(|key| key.replace('\u{1f}', "|")).collect::<Vec<_>>()
    };
    assert_eq!(
        keys("SELECT name_key, search_key, directory_key FROM users WHERE id = 4"),
        ["علي", "علي|r4|2027|كي6", "علي|r4|2027|ali@b.c||كي6"]
    );
    assert_eq!(keys("SELECT name_key, search_key, directory_key FROM users WHERE id = 5"), ["", "", ""]);
    let [loan] = &keys("SELECT search_key FROM loans WHERE id = 1")[..] else { panic!("one loan") };
    assert!(loan.starts_with("اگ كا دريا|"), "{loan}");
}

fn a_failing_migration_leaves_the_version_before_it(database: &Database) {
    fn give_up(tx: &mut Tx<'_>) -> Result<(), Error> {
        tx.execute(sql!("DELETE FROM reviews"), &[])?;
        Err(Error::NoRow)
    }
    fill_0001(database);
    let before = content(database);
    let failing = [
        both(
            "0003_bad",
            "CREATE TABLE half (id BIGINT); DELETE FROM reviews; INSERT INTO nowhere VALUES (1)",
        ),
        Migration { step: Some(Step { tables: &[], run: give_up }), ..both("0003_bad", "SELECT 1") },
    ];
    for bad in failing {
        let told = refused(apply(&database.location, &then(&[NOTES, bad])));
        assert!(told.contains("0003_bad") && told.contains("schema is still 2"), "{told}");
        assert_eq!(versions(database).len(), 2);
        assert_eq!(content(database), before.replace("reviews\n", "notes\n  id=1\nreviews\n"));
    }
    let good = then(&[NOTES, both("0003_bad", "INSERT INTO notes (id) VALUES (2)")]);
    assert_eq!(
        apply(&database.location, &good).expect("applied"),
        Migrated { from: 2, applied: vec!["0003_bad"] }
    );
}

fn a_migration_that_breaks_a_reference_is_undone_and_names_it(database: &Database) {
    fill_0001(database);
    let before = content(database);
    let told = refused(apply(
        &database.location,
        &then(&[both("0002_bad", "DELETE FROM sessions; DELETE FROM users WHERE id = 4")]),
    ));
    assert!(told.contains("0002_bad") && told.contains("reviews") && told.contains("users"), "{told}");
    assert_eq!(content(database), before);
}

fn a_step_of_the_program_belongs_to_its_migration(database: &Database) {
    fn fold(tx: &mut Tx<'_>) -> Result<(), Error> {
        let notes = tx.query(sql!("SELECT id FROM notes"), &[], |row| row.get::<i64>(0))?;
        for note in notes {
            tx.execute(sql!("INSERT INTO notes (id) VALUES ($1)"), &[&(note * 10)])?;
        }
        Ok(())
    }
    let folded = then(&[Migration { step: Some(Step { tables: &[], run: fold }), ..NOTES }]);
    apply(&database.location, &folded).expect("applied");
    let ids = database.raw("SELECT id FROM notes ORDER BY id").expect("readable");
    assert_eq!(ids, [[Some("1".to_owned())], [Some("10".to_owned())]]);
}

fn of_many_that_migrate_at_once_each_version_is_applied_by_one(database: &Database) {
    let slow = Step {
        tables: &[],
        run: |_| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(())
        },
    };
    fill_0001(database);
    let versions = then(&[
        Migration { step: Some(slow), ..NOTES },
        both("0003_more", "INSERT INTO notes SELECT MAX(id) + 1 FROM notes"),
        both("0004_more", "INSERT INTO notes SELECT MAX(id) + 1 FROM notes"),
    ]);
    let applied: Vec<&str> = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..6).map(|_| scope.spawn(|| apply(&database.location, &versions).expect("migrated"))).collect();
        running.into_iter().flat_map(|one| one.join().expect("no panic").applied).collect()
    });
    assert_eq!(applied.len(), 3, "each once: {applied:?}");
    assert_eq!(database.raw("SELECT COUNT(*) FROM notes"), Ok(vec![vec![Some("3".to_owned())]]));
}

fn a_dry_run_tells_what_would_happen_and_changes_nothing(database: &Database) {
    let told = plan(&database.location, MIGRATIONS).expect("told").to_string();
    assert!(told.contains("is new"), "{told}");
    if let Location::Sqlite(path) = &database.location {
        assert!(!path.exists(), "a dry run made the file");
    }
    fill_0001(database);
    let seen = |database: &Database| {
        (content(database), database.raw("SELECT * FROM schema_version").expect("readable"))
    };
    let before = seen(database);
    let coming = then(&[
        NOTES,
        Migration {
            step: Some(Step { tables: &["users"], run: |_| Err(Error::NoRow) }),
            ..both("0003_loans", "-- books stay as they are\nUPDATE loans SET title = ''")
        },
    ]);
    let told = plan(&database.location, &coming).expect("told").to_string();
    for (line, expected) in told.lines().zip([
        "has schema 1 and would be brought to 3:",
        "  0002_notes only adds to the schema",
        "  0003_loans reads or changes loans (10 rows), users (7 rows)",
        "Make a backup first: once migrated, it can be opened by this program or a newer one only.",
    ]) {
        assert_eq!(line, expected);
    }
    assert_eq!(told.lines().count(), 4, "{told}");
    assert_eq!(seen(database), before);
    let told = plan(&database.location, &MIGRATIONS[..1]).expect("told").to_string();
    assert!(told.contains("nothing to do"), "{told}");
    assert_eq!(seen(database), before);
}

fn a_database_with_another_history_is_refused(database: &Database) {
    apply(&database.location, &then(&[NOTES])).expect("applied");
    let other = "CREATE TABLE notes (id BIGINT)";
    for (migrations, words) in [
        (then(&[both("0002_notes", other)]), ["schema 2", "not the one"]),
        (then(&[both("0002_other", NOTES.sqlite)]), ["schema 2", "not the one"]),
        (then(&[]), ["schema 2", "newer program"]),
    ] {
        for told in
            [refused(apply(&database.location, &migrations)), refused(plan(&database.location, &migrations))]
        {
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    }
    assert_eq!(versions(database).len(), 2);
}

/// The table of books without one column, rebuilt as `SQLite` requires.
const REBUILT: &str = "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL) STRICT";

#[test]
fn a_rebuilt_table_keeps_its_children_on_sqlite_s27() {
    let in_order = format!(
        "CREATE TABLE new_books ({REBUILT}; INSERT INTO new_books SELECT id, title FROM books;
         DROP TABLE books; ALTER TABLE new_books RENAME TO books;"
    );
    let renamed_first = format!(
        "ALTER TABLE books RENAME TO old_books; CREATE TABLE books ({REBUILT};
         INSERT INTO books SELECT id, title FROM old_books; DROP TABLE old_books;"
    );
    for rebuild in [in_order, renamed_first] {
        // A trigger that mentions the table must not block it.
        let sql = format!(
            "CREATE TRIGGER t AFTER INSERT ON loans BEGIN UPDATE books SET title = title WHERE id = NEW.book_id; END;
             {rebuild}"
        );
        let database = Database::sqlite();
        fill_0001(&database);
        let reviews = "SELECT * FROM reviews ORDER BY id";
        let before = database.raw(reviews).expect("readable");
        apply(&database.location, &then(&[both("0002_rebuild", sql.leak())])).expect("applied");
        assert_eq!(database.raw(reviews), Ok(before));
        // The foreign keys are those of the schema, and are enforced again.
        assert!(database.raw("INSERT INTO reviews VALUES (99, 99, 1, '', 1, '', 1)").is_err());
        database.raw("DELETE FROM books WHERE id = 1").expect("deleted with its reviews");
        assert_eq!(
            database.raw("SELECT COUNT(*) FROM reviews WHERE book_id = 1"),
            Ok(vec![vec![Some("0".to_owned())]])
        );
    }
}

#[test]
fn a_rebuild_that_loses_rows_others_refer_to_is_undone_on_sqlite_s27() {
    for (sql, words) in [
        (
            format!(
                "CREATE TABLE new_books ({REBUILT}; INSERT INTO new_books SELECT id, title FROM books WHERE id <> 1;
                 DROP TABLE books; ALTER TABLE new_books RENAME TO books;"
            ),
            "reviews 1 refers to books that are not there, reviews 2 refers to books that are not there",
        ),
        ("DROP TABLE books".to_owned(), "reviews refers to a table books that is not there"),
    ] {
        let database = Database::sqlite();
        fill_0001(&database);
        let before = content(&database);
        let told = refused(apply(&database.location, &then(&[both("0002_rebuild", sql.leak())])));
        assert!(told.contains("0002_rebuild") && told.contains(words), "{told}");
        assert_eq!(content(&database), before);
        // The previous program still opens the database.
        Db::open(&database.location).expect("opened").close();
    }
}

#[test]
fn a_released_migration_is_never_edited() {
    let pinned = read("migrations/released.sha256");
    assert!(pinned.lines().count() >= 2);
    for line in pinned.lines() {
        let (checksum, path) = line.split_once("  ").expect("as sha256sum writes it");
        let (folder, name) = path.split_once('/').expect("a folder");
        let known = MIGRATIONS.iter().find(|known| format!("{}.sql", known.name) == name);
        let found = known.expect("in the program").checksum(folder == "postgres");
        assert_eq!(found, checksum, "migrations/{path} was released: add a new version instead");
    }
    for (index, migration) in MIGRATIONS.iter().enumerate() {
        assert!(migration.name.starts_with(&format!("{:04}_", index + 1)), "{}", migration.name);
    }
}
