//! The storage contract: every function gives the same results on both databases.
//!
//! Each test is written once and runs as `sqlite::…` and as `postgres::…`, on its own database.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/loan.rs"]
mod loan;
#[path = "../common/ready.rs"]
mod ready;
#[path = "../common/relay.rs"]
mod relay;

use common::Database;
use library::domain::id::BookId;
use library::{
    domain::{
        account::{Role, User},
        book::{BookForm, Status},
        id::UserId,
    },
    storage::{
        Db, Error, Result, Tx,
        accounts::{self, NewAccount},
        authority::{Authority, Librarians, Replaceable, Subject},
        books,
    },
};

/// Makes two tests of each function: one on `SQLite`, one on `PostgreSQL`.
macro_rules! on_both_databases {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $( #[test] fn $test() { super::$test(&crate::Store::on(crate::common::Database::ready_sqlite())); } )+ }
        mod postgres { $( #[test] fn $test() { super::$test(&crate::Store::on(crate::common::Database::ready_postgres())); } )+ }
    };
}

mod accounts_of_people;
mod backup;
mod catalogue;
mod circulation;
mod encrypted;
mod events;
mod forgetting;
mod holds;
mod interleaving;
mod merging;
mod migrations;
mod money;
mod outage;
mod people;
mod plans;
mod restored_book;
mod schema;
mod transactions;
mod undo;

/// An open database and its location.
struct Store {
    // Closed before the database is dropped.
    db: Db,
    database: Database,
}

impl Store {
    fn on(database: Database) -> Self {
        Self { db: database.open(), database }
    }

    fn write<T: Send + 'static>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static) -> T {
        self.db.write_blocking(work).expect("the write is stored")
    }

    fn read<T: Send + 'static>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static) -> T {
        self.db.read_blocking(work).expect("the read answers")
    }

    fn refused<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Error {
        self.db.write_blocking(work).err().expect("the write is refused")
    }

    /// Creates student number `n`.
    fn student(&self, n: u32) -> User {
        self.write(move |tx| accounts::add(tx, &student(n), 1_000)).expect("nothing is taken")
    }

    /// Returns the librarian at the desk, the first account.
    fn librarian(&self) -> User {
        let account = NewAccount { role: Role::Admin, roll_number: None, ..student(0) };
        let added = self.write(move |tx| accounts::add(tx, &account, 1_000)).expect("nothing is taken");
        assert_eq!(added.uid, circulation::DESK.uid());
        added
    }

    /// Adds a book with this many copies; returns its id.
    fn book(&self, title: &str, copies: i64) -> BookId {
        let form = form(title, copies);
        self.write(move |tx| books::add(tx, &form, None, 1_000)).expect("a new book")
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.db.close();
    }
}

/// Returns a person for writes without the rules.
fn subject(tx: &mut Tx<'_>, uid: UserId) -> Subject {
    Authority::command_line().over(tx, uid).expect("somebody")
}

/// Same as [`subject`], for writes that take rights away.
fn replaceable(tx: &mut Tx<'_>, uid: UserId) -> Replaceable {
    let librarians = Librarians::lock(tx).expect("they are there");
    let subject = subject(tx, uid);
    librarians.leave(subject, &[]).expect("not the last librarian")
}

fn student(n: u32) -> NewAccount {
    NewAccount {
        email: format!("Student{n}@College.edu"),
        name: format!("Student {n}"),
        role: Role::Student,
        roll_number: Some(format!("cs25-{n:03}")),
        department: Some("Physics".into()),
        batch: Some("2027".into()),
        password_hash: "!".into(),
    }
}

fn form(title: &str, copies: i64) -> BookForm {
    BookForm {
        title: title.into(),
        author: "Premchand".into(),
        genre: "Fiction".into(),
        photo_url: "https://example.org/cover.jpg".into(),
        description: "d".repeat(200),
        no_of_books: copies,
        location: "A3".into(),
        status: Some(Status::of(copies)),
        rating: Some(4),
        ..BookForm::default()
    }
}
