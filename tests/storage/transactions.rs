//! What is stored and what is rolled back: errors, panics, swallowed failures, and jobs that share a commit.

use std::{sync::mpsc, time::Duration};

use library::{
    money::Money,
    sql,
    storage::{Error, Result, Tx, books, catalogue},
};

use crate::{Store, form};

on_both_databases!(
    an_error_stores_nothing,
    a_swallowed_failure_stores_nothing,
    a_panic_stores_nothing_and_the_next_write_works,
    of_jobs_sent_together_only_the_good_are_stored,
    a_forbidden_value_is_refused_by_the_schema_too,
    more_rows_than_one_are_an_error,
    a_read_cannot_write_on_the_embedded_database,
    a_closed_database_says_so,
    a_write_whose_caller_left_is_still_whole,
    a_write_whose_caller_leaves_before_its_commit_is_taken_back,
    an_amount_of_money_is_stored_in_the_smallest_unit,
);

fn titles(store: &Store) -> Vec<String> {
    let mut titles: Vec<String> = store
        .read(|tx| catalogue::entries(tx, 0, i64::MAX, 100))
        .into_iter()
        .map(|entry| entry.title)
        .collect();
    titles.sort();
    titles
}

fn add(tx: &mut Tx<'_>, title: &str) -> Result<()> {
    books::add(tx, &form(title, 1), None, 1).map(|_| ())
}

fn fail(tx: &mut Tx<'_>) -> Result<u64> {
    tx.execute(sql!("UPDATE books SET no_of_books = -1 WHERE id > $1"), &[&0_i64])
}

fn an_error_stores_nothing(store: &Store) {
    let told = store.refused(|tx| {
        add(tx, "undone")?;
        Err::<(), _>(Error::NoRow)
    });
    assert!(matches!(told, Error::NoRow), "{told:?}");
    assert!(titles(store).is_empty());
}

fn a_swallowed_failure_stores_nothing(store: &Store) {
    let told = store.refused(|tx| {
        add(tx, "undone")?;
        assert!(fail(tx).is_err(), "the schema refuses it");
        assert!(matches!(add(tx, "too late"), Err(Error::Aborted)));
        Ok(())
    });
    assert!(matches!(told, Error::Aborted), "{told:?}");
    assert!(titles(store).is_empty());
}

fn a_panic_stores_nothing_and_the_next_write_works(store: &Store) {
    for _ in 0..20 {
        let told = store.refused(|tx| -> Result<()> {
            add(tx, "undone")?;
            panic!("a fault in the program, as the test wants it")
        });
        assert!(matches!(told, Error::Panicked), "{told:?}");
    }
    let panicked =
        store.db.read_blocking(|_| -> Result<()> { panic!("a fault while reading, as the test wants it") });
    assert!(matches!(panicked, Err(Error::Panicked)));
    store.write(|tx| add(tx, "stored"));
    assert_eq!(titles(store), ["stored"]);
}

fn of_jobs_sent_together_only_the_good_are_stored(store: &Store) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let (good, refused, panicked, swallowed, last) = tokio::join!(
            store.db.write(|tx| add(tx, "first")),
            store.db.write(|tx| {
                add(tx, "refused")?;
                Err::<(), _>(Error::NoRow)
            }),
            store.db.write(|tx| -> Result<()> {
                add(tx, "panicked")?;
                panic!("a fault in the program, as the test wants it")
            }),
            store.db.write(|tx| {
                add(tx, "swallowed")?;
                let _ = fail(tx);
                Ok::<(), Error>(())
            }),
            store.db.write(|tx| add(tx, "last")),
        );
        assert!(good.is_ok() && last.is_ok(), "{good:?} {last:?}");
        assert!(matches!(refused, Err(Error::NoRow)), "{refused:?}");
        assert!(matches!(panicked, Err(Error::Panicked)), "{panicked:?}");
        assert!(matches!(swallowed, Err(Error::Aborted)), "{swallowed:?}");
    });
    assert_eq!(titles(store), ["first", "last"]);
}

fn a_forbidden_value_is_refused_by_the_schema_too(store: &Store) {
    let id = store.book("t", 1);
    for attack in [
        format!("UPDATE books SET no_of_books = -1 WHERE id = {id}"),
        format!("UPDATE books SET status = 'Lost' WHERE id = {id}"),
        format!("UPDATE books SET rating = 6 WHERE id = {id}"),
        format!("UPDATE books SET no_of_books = 'many' WHERE id = {id}"),
        "INSERT INTO loans (user_id, book_id, title, entry_date, return_date) VALUES (999, 1, 't', '2026-01-01', '2026-01-08')".into(),
        "INSERT INTO catalogue (id, changes) VALUES (2, 0)".into(),
    ] {
        assert!(store.database.raw(&attack).is_err(), "{attack}");
    }
}

fn more_rows_than_one_are_an_error(store: &Store) {
    store.book("a", 1);
    store.book("b", 1);
    let told = store.refused(|tx| {
        add(tx, "undone")?;
        tx.query_opt(sql!("SELECT id FROM books"), &[], |row| row.get::<i64>(0))
    });
    assert!(matches!(told, Error::ManyRows), "{told:?}");
    let told = store.refused(|tx| {
        tx.query_one(sql!("SELECT id FROM books WHERE id = $1"), &[&0_i64], |row| row.get::<i64>(0))
    });
    assert!(matches!(told, Error::NoRow), "{told:?}");
    let told = store.refused(|tx| tx.execute(sql!("DELETE FROM books WHERE id = $1"), &[]));
    assert!(matches!(told, Error::Database(_)), "a parameter short: {told:?}");
    assert_eq!(titles(store), ["a", "b"]);
}

fn a_read_cannot_write_on_the_embedded_database(store: &Store) {
    let tried =
        store.db.read_blocking(|tx| if tx.is_postgres() { Err(Error::NoRow) } else { add(tx, "sneaked in") });
    assert!(tried.is_err());
    assert!(titles(store).is_empty());
}

fn a_closed_database_says_so(store: &Store) {
    store.write(|tx| add(tx, "before"));
    store.db.close();
    assert!(matches!(store.db.write_blocking(|tx| add(tx, "after")), Err(Error::Closed)));
    assert!(matches!(store.db.read_blocking(books::count), Err(Error::Closed)));
    store.db.close();
    let again = store.database.open();
    assert_eq!(again.read_blocking(books::count).ok(), Some(1));
    again.close();
}

fn a_write_whose_caller_left_is_still_whole(store: &Store) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        for n in 0..50 {
            let write = store.db.write(move |tx| {
                add(tx, &format!("{n} one"))?;
                add(tx, &format!("{n} two"))
            });
            // Cancelled at once, or during the write.
            let _ = tokio::time::timeout(std::time::Duration::from_micros(n * 20), write).await;
        }
    });
    // Everything queued before this write is done when it is answered, on whichever writer.
    store.write(|tx| add(tx, "end"));
    store.db.close();
    let count = store.database.raw("SELECT COUNT(*) FROM books").expect("readable");
    let count: i64 = count[0][0].as_deref().unwrap_or_default().parse().expect("a number");
    assert_eq!(count % 2, 1, "pairs and the end: {count}");
}

/// A client that disconnects may repeat the write at another server and be refused there: that answer must stay true.
fn a_write_whose_caller_leaves_before_its_commit_is_taken_back(store: &Store) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let (running, is_running) = mpsc::channel();
    let (left, has_left) = mpsc::channel();
    runtime.block_on(async {
        let write = store.db.write(move |tx| {
            add(tx, "taken back")?;
            running.send(()).expect("the test goes on");
            has_left.recv().expect("the test goes on");
            Ok::<_, Error>(())
        });
        let begun = async {
            while is_running.try_recv().is_err() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            _ = write => panic!("it waits"),
            () = begun => {}
        }
    });
    left.send(()).expect("it waits");
    store.write(|tx| add(tx, "end"));
    store.db.close();
    assert_eq!(store.database.raw("SELECT title FROM books"), Ok(vec![vec![Some("end".to_owned())]]));
}

fn an_amount_of_money_is_stored_in_the_smallest_unit(store: &Store) {
    let answer = store.read(|tx| {
        tx.query_one(
            sql!("SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($1 AS BIGINT)"),
            &[&Money(-750), &None::<Money>],
            |row| Ok((row.get::<Money>(0)?, row.get::<Option<Money>>(1)?, row.get::<i64>(2)?)),
        )
    });
    assert_eq!(answer, (Money(-750), None, -750));
}
