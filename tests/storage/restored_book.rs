//! Restoring one deleted title from a backup into the library in use.

use library::{
    domain::copy::Condition,
    storage::{
        books, copies, people,
        restored_book::{self, DeletedBook, Hindrance},
    },
};

use crate::{
    Store,
    circulation::{TODAY, give_back, lend, sound, title},
    replaceable,
    undo::{delete, review},
};

on_both_databases!(a_deleted_book_is_restored_from_a_backup);

/// A librarian notices next week that the wrong book was deleted; the backup still has it.
fn a_deleted_book_is_restored_from_a_backup(store: &Store) {
    let [asha, bala] = [1, 2].map(|n| store.student(n));
    let book = title(store, "Godaan", 3);
    review(store, book, &asha);
    review(store, book, &bala);
    let lent = lend(store, asha.uid, book, TODAY);
    let held = store.read(move |tx| restored_book::read(tx, book)).expect("it is there");
    let put_on = |held: &DeletedBook, day_begins: i64| {
        let held = held.clone();
        store.write(move |tx| restored_book::put(tx, &held, i64::MAX, day_begins))
    };
    // The day after the deletion, before the server's daily job.
    let put = |held: &DeletedBook| put_on(held, i64::MAX);
    assert_eq!(put(&held), Err(Hindrance::IsThere));
    delete(store, book);
    assert_eq!(put_on(&held, 0), Err(Hindrance::Undoable), "nothing is lost by that");
    // A person was erased meanwhile, whose name is still in the backup.
    store.write(move |tx| {
        let erased = replaceable(tx, bala.uid);
        people::erase(tx, &erased, 2)
    });
    let other = title(store, "Gaban", 1);
    let barcode =
        store.database.raw("SELECT barcode FROM copies ORDER BY id LIMIT 1").expect("read")[0][0].clone();
    let barcode = barcode.expect("a barcode");
    let taken = barcode.clone();
    store.write(move |tx| {
        copies::add(tx, other, &taken, None)?.expect("free since the deletion");
        books::count_copies(tx, other)
    });
    assert_eq!(put(&held), Err(Hindrance::Taken(vec![barcode])));
    store
        .database
        .raw("UPDATE copies SET barcode = 'X1', barcode_key = 'x1' WHERE id = (SELECT MAX(id) FROM copies)")
        .expect("writable");
    assert_eq!(put(&held), Ok(()));

    let rows = |statement: &str| store.database.raw(statement).expect("readable").concat();
    let shelf = rows(&format!("SELECT no_of_books FROM books WHERE id = {book}"));
    assert_eq!(shelf, [Some("2".to_owned())], "the third is on loan");
    let names = rows(&format!("SELECT user_name FROM reviews WHERE book_id = {book} ORDER BY id"));
    assert_eq!(names, [Some(asha.name.clone()), Some(String::new())], "an erased person stays erased");
    give_back(store, lent.id, Condition::OnShelf, TODAY);
    let shelf = rows(&format!("SELECT no_of_books FROM books WHERE id = {book}"));
    assert_eq!(shelf, [Some("3".to_owned())], "the loan goes on as it was");
    sound(store);
    let another = title(store, "Kafan", 1);
    let foreign = store.read(move |tx| restored_book::read(tx, another)).expect("it is there");
    store.database.raw(&format!("DELETE FROM books WHERE id = {another}")).expect("writable");
    assert_eq!(put(&foreign), Err(Hindrance::NeverDeleted), "the backup of another library");
    let deleted = store.database.raw("SELECT COUNT(*) FROM deleted_books").expect("readable").concat();
    assert_eq!(deleted, [Some("0".to_owned())]);
}
