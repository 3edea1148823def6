//! The whole of circulation against a small model: whatever librarians and students do in whatever order, every copy is
//! accounted for, and statuses, dates and fines are what the rules say.
//!
//! `PROPTEST_CASES` sets the number of sequences.

use std::collections::BTreeMap;

use jiff::{Span, Timestamp, civil::date};
use library::{
    domain::copy::{Condition, State},
    storage::copies,
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use crate::{
    app::{NOW, Person, TestApp, form, with},
    common::Database,
};

const STUDENTS: usize = 3;

/// What somebody tries. Numbers choose among what there is at that moment.
#[derive(Clone, Debug)]
enum Step {
    Borrow {
        student: usize,
        book: usize,
    },
    StudentReturns {
        student: usize,
        loan: usize,
    },
    AdminReturns {
        loan: usize,
        restock: Option<bool>,
    },
    Extend {
        by: Option<usize>,
        loan: usize,
    },
    /// Saves the form, loaded `age` looks ago, with so many copies more than it had loaded.
    Edit {
        book: usize,
        age: usize,
        copies: i64,
        available: Option<bool>,
    },
    Delete {
        book: usize,
    },
    /// A librarian moves a copy into another state.
    Move {
        book: usize,
        copy: usize,
        to: Condition,
    },
    /// A librarian puts all copies that wait to be shelved on the shelf.
    ShelveAll,
    /// A librarian adds copies of a title that is there.
    AddCopies {
        book: usize,
        copies: i64,
    },
    StudentOpens {
        student: usize,
        book: usize,
    },
    Add {
        copies: i64,
    },
    TimePasses {
        hours: i64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let (student, which) = (0..STUDENTS, 0_usize..1000);
    prop_oneof![
        8 => (student.clone(), which.clone()).prop_map(|(student, book)| Step::Borrow { student, book }),
        4 => (student.clone(), which.clone()).prop_map(|(student, loan)| Step::StudentReturns { student, loan }),
        2 => (which.clone(), any::<Option<bool>>()).prop_map(|(loan, restock)| Step::AdminReturns { loan, restock }),
        3 => (prop::option::of(student.clone()), which.clone()).prop_map(|(by, loan)| Step::Extend { by, loan }),
        6 => (which.clone(), prop_oneof![3 => Just(0_usize), 2 => 1_usize..4], -3_i64..4, any::<Option<bool>>())
            .prop_map(|(book, age, copies, available)| Step::Edit { book, age, copies, available }),
        1 => which.clone().prop_map(|book| Step::Delete { book }),
        2 => (student, which.clone()).prop_map(|(student, book)| Step::StudentOpens { student, book }),
        6 => (which.clone(), 0_usize..6, prop::sample::select(Condition::ALL))
            .prop_map(|(book, copy, to)| Step::Move { book, copy, to }),
        1 => Just(Step::ShelveAll),
        1 => (which, 1_i64..3).prop_map(|(book, copies)| Step::AddCopies { book, copies }),
        1 => (1_i64..4).prop_map(|copies| Step::Add { copies }),
        2 => (1_i64..100).prop_map(|hours| Step::TimePasses { hours }),
    ]
}

/// What a form had loaded.
#[derive(Clone)]
struct Look {
    etag: String,
    version: i64,
    copies: i64,
    available: bool,
}

struct Book {
    id: i64,
    exists: bool,
    version: i64,
    available: bool,
    /// Every copy that was ever added, and its state.
    copies: BTreeMap<i64, State>,
    looks: Vec<Look>,
}

impl Book {
    fn on_the_shelf(&self) -> i64 {
        let count = self.copies.values().filter(|state| **state == State::OnShelf).count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// As after a borrow, a return and every move of a copy.
    fn status_follows(&mut self) {
        self.available = self.on_the_shelf() > 0;
    }
}

struct Loan {
    id: i64,
    copy: i64,
    student: usize,
    book: usize,
    /// Days since 1970.
    entry: i64,
    due: i64,
    /// Whether the copy went back, the day, and the fine then.
    ended: Option<(bool, i64, i64)>,
}

impl Loan {
    fn fine(&self, today: i64) -> i64 {
        5 * (today - self.due).max(0)
    }
}

struct Model {
    now: Timestamp,
    books: Vec<Book>,
    loans: Vec<Loan>,
}

fn day(number: i64) -> String {
    date(1970, 1, 1).saturating_add(Span::new().days(number)).to_string()
}

impl Model {
    /// Days since 1970 in Kolkata, which is five and a half hours ahead all year.
    fn today(&self) -> i64 {
        (self.now.as_second() + 19_800).div_euclid(86_400)
    }

    fn chosen_book(&self, n: usize) -> usize {
        n % self.books.len()
    }

    fn added(&mut self, answer: &crate::app::Answer) {
        let book = answer.expect(201);
        self.books.push(Book {
            id: book["id"].as_i64().unwrap_or_default(),
            exists: true,
            version: 1,
            available: true,
            copies: BTreeMap::new(),
            looks: Vec::new(),
        });
    }
}

/// The people of one sequence.
struct People<'a> {
    admin: Person<'a>,
    students: Vec<Person<'a>>,
}

impl<'a> People<'a> {
    /// With sessions of today, because a month of a sequence ends those of its beginning.
    async fn sign_in(app: &'a TestApp) -> Self {
        let mut students = Vec::new();
        for n in 0..STUDENTS {
            students.push(app.student(n).await);
        }
        Self { admin: app.admin(0).await, students }
    }
}

async fn add(people: &People<'_>, model: &mut Model, copies: i64) {
    let answer = people.admin.post("/books", &form(&format!("Book {}", model.books.len()), copies)).await;
    model.added(&answer);
    learn_new_copies(people, model.books.last_mut().expect("just added"), copies).await;
}

/// The copies of a title as the librarian sees them.
async fn shown_copies(people: &People<'_>, book: i64) -> BTreeMap<i64, State> {
    let list = people.admin.get(&format!("/books/{book}/copies")).await.expect(200);
    let copies = list["copies"].as_array().cloned().unwrap_or_default();
    let state = |copy: &Value| State::parse(copy["state"].as_str().unwrap_or_default()).expect("a state");
    copies.iter().map(|copy| (copy["id"].as_i64().expect("an id"), state(copy))).collect()
}

/// So many copies came in, and each is on the shelf.
async fn learn_new_copies(people: &People<'_>, book: &mut Book, expected: i64) {
    let shown = shown_copies(people, book.id).await;
    let new: BTreeMap<i64, State> =
        shown.into_iter().filter(|(id, _)| !book.copies.contains_key(id)).collect();
    assert_eq!(i64::try_from(new.len()), Ok(expected));
    assert!(new.values().all(|state| *state == State::OnShelf), "{new:?}");
    book.copies.extend(new);
}

async fn borrow(people: &People<'_>, model: &mut Model, student: usize, book: usize) {
    let today = model.today();
    let shelf = &mut model.books[book];
    let answer = people.students[student].ask(&format!("/books/{}/loans", shelf.id)).await;
    if !shelf.exists {
        answer.problem(404, "not-found");
    } else if shelf.on_the_shelf() == 0 {
        answer.problem(409, "book-unavailable");
    } else {
        let lent = answer.expect(201);
        let (id, copy) = (lent["id"].as_i64().expect("an id"), lent["copyId"].as_i64().expect("a copy"));
        let before = shelf.copies.insert(copy, State::OnLoan);
        assert_eq!(before, Some(State::OnShelf), "only what is on the shelf is lent");
        shelf.status_follows();
        model.loans.push(Loan { id, copy, student, book, entry: today, due: today + 7, ended: None });
    }
}

async fn end(people: &People<'_>, model: &mut Model, by: Option<usize>, loan: usize, restock: Option<bool>) {
    let today = model.today();
    let lent = &mut model.loans[loan];
    let (path, body) = (format!("/loans/{}/return", lent.id), json!({ "restock": restock }));
    let answer = match by {
        Some(student) => people.students[student].ask(&path).await,
        None => people.admin.post(&path, &body).await,
    };
    let fine = lent.fine(today);
    if lent.ended.is_some() || by.is_some_and(|student| student != lent.student) {
        answer.problem(404, "not-found");
    } else if by.is_some() && fine > 0 {
        answer.problem(409, "loan-fined");
    } else {
        answer.expect(204);
        let restocked = by.is_some() || restock == Some(true);
        let book = &mut model.books[lent.book];
        let to = match (book.exists, restocked) {
            (false, _) => State::Withdrawn,
            (true, true) => State::OnShelf,
            (true, false) => State::ToShelve,
        };
        lent.ended = Some((to == State::OnShelf, today, fine));
        assert_eq!(book.copies.insert(lent.copy, to), Some(State::OnLoan));
        if to == State::OnShelf {
            book.available = true;
        }
    }
}

async fn extend(people: &People<'_>, model: &mut Model, by: Option<usize>, loan: usize) {
    let today = model.today();
    let lent = &mut model.loans[loan];
    let person = by.map_or(&people.admin, |student| &people.students[student]);
    let answer = person.ask(&format!("/loans/{}/extend", lent.id)).await;
    if lent.ended.is_some() || by.is_some_and(|student| student != lent.student) {
        answer.problem(404, "not-found");
    } else if by.is_some() && lent.fine(today) > 0 {
        answer.problem(409, "loan-fined");
    } else {
        lent.due += 7;
        let extended = answer.expect(200);
        assert_eq!(
            (&extended["returnDate"], &extended["fine"]),
            (&json!(day(lent.due)), &json!(lent.fine(today)))
        );
    }
}

async fn edit(people: &People<'_>, book: &mut Book, age: usize, copies: i64, available: Option<bool>) {
    let Some(look) = book.looks.iter().rev().nth(age).or(book.looks.first()).cloned() else { return };
    let wanted = look.copies + copies;
    let status = available.unwrap_or(look.available);
    let saved = with(
        &form("Edited", wanted),
        json!({ "status": if status { "Available" } else { "Not Available" } }),
    );
    let answer = people.admin.put(&format!("/books/{}", book.id), &look.etag, &saved).await;
    if !book.exists {
        answer.problem(404, "not-found");
    } else if wanted < 1 && !(wanted == 0 && look.copies == 0) {
        assert_eq!(answer.wrong_fields(), ["noOfBooks"]);
    } else if look.version != book.version {
        answer.problem(412, "stale");
    } else if book.on_the_shelf() + copies < 0 {
        assert_eq!(answer.wrong_fields(), ["noOfBooks"]);
    } else {
        answer.expect(200);
        book.version += 1;
        if copies >= 0 {
            learn_new_copies(people, book, copies).await;
        } else {
            let shown = shown_copies(people, book.id).await;
            let mut withdrawn = 0;
            for (id, state) in &mut book.copies {
                if *state == State::OnShelf && shown.get(id) == Some(&State::Withdrawn) {
                    *state = State::Withdrawn;
                    withdrawn += 1;
                }
            }
            assert_eq!(withdrawn, -copies, "what a smaller number takes away is withdrawn from the shelf");
        }
        if status != look.available {
            book.available = status;
        }
    }
}

async fn move_copy(people: &People<'_>, book: &mut Book, copy: usize, to: Condition) {
    let Some((id, from)) = book.copies.iter().map(|(id, state)| (*id, *state)).nth(copy) else { return };
    let answer = people.admin.post(&format!("/copies/{id}/move"), &json!({ "state": to.as_str() })).await;
    if from == to.state() {
        answer.expect(200);
    } else if !book.exists || !from.moves().contains(&to) {
        answer.problem(409, "copy-state");
    } else {
        assert_eq!(answer.expect(200)["state"], to.as_str());
        book.copies.insert(id, to.state());
        if to == Condition::OnShelf || from == State::OnShelf {
            book.status_follows();
        }
    }
}

async fn take(app: &TestApp, people: &People<'_>, model: &mut Model, step: &Step) {
    match *step {
        Step::Borrow { student, book } => {
            let book = model.chosen_book(book);
            borrow(people, model, student, book).await;
        }
        Step::StudentReturns { .. } | Step::AdminReturns { .. } | Step::Extend { .. }
            if model.loans.is_empty() => {}
        Step::StudentReturns { student, loan } => {
            let loan = loan % model.loans.len();
            end(people, model, Some(student), loan, None).await;
        }
        Step::AdminReturns { loan, restock } => {
            let loan = loan % model.loans.len();
            end(people, model, None, loan, restock).await;
        }
        Step::Extend { by, loan } => {
            let loan = loan % model.loans.len();
            extend(people, model, by, loan).await;
        }
        Step::Edit { book, age, copies, available } => {
            let book = model.chosen_book(book);
            edit(people, &mut model.books[book], age, copies, available).await;
        }
        Step::Delete { book } => {
            let book = model.chosen_book(book);
            let book = &mut model.books[book];
            let answer = people.admin.delete(&format!("/books/{}", book.id)).await;
            answer.expect(if book.exists { 204 } else { 404 });
            book.exists = false;
            for state in book.copies.values_mut().filter(|state| **state != State::OnLoan) {
                *state = State::Withdrawn;
            }
        }
        Step::Move { book, copy, to } => {
            let book = model.chosen_book(book);
            move_copy(people, &mut model.books[book], copy, to).await;
        }
        Step::ShelveAll => {
            let waiting =
                |book: &Book| book.copies.values().filter(|state| **state == State::ToShelve).count();
            let expected: usize = model.books.iter().map(waiting).sum();
            assert_eq!(people.admin.ask("/copies/shelve").await.expect(200)["count"], expected);
            for book in model.books.iter_mut().filter(|book| waiting(book) > 0) {
                for state in book.copies.values_mut().filter(|state| **state == State::ToShelve) {
                    *state = State::OnShelf;
                }
                book.available = true;
            }
        }
        Step::AddCopies { book, copies } => {
            let book = model.chosen_book(book);
            let book = &mut model.books[book];
            let answer =
                people.admin.post(&format!("/books/{}/copies", book.id), &json!({ "count": copies })).await;
            answer.expect(if book.exists { 201 } else { 404 });
            if book.exists {
                learn_new_copies(people, book, copies).await;
                book.available = true;
            }
        }
        Step::StudentOpens { student, book } => {
            let book = model.chosen_book(book);
            let book = &mut model.books[book];
            let answer = people.students[student].get(&format!("/books/{}", book.id)).await;
            book.available = if book.exists { book.on_the_shelf() > 0 } else { book.available };
            answer.expect(if book.exists { 200 } else { 404 });
        }
        Step::Add { copies } => add(people, model, copies).await,
        Step::TimePasses { hours } => {
            model.now = model.now.saturating_add(Span::new().hours(hours)).expect("hours are small");
            app.clock.set(model.now);
        }
    }
}

async fn compare(app: &TestApp, people: &People<'_>, model: &mut Model) {
    let today = model.today();
    assert_eq!(app.store(|tx| copies::contradictions(tx, 10)).await, Vec::<String>::new());
    for (number, book) in model.books.iter_mut().enumerate() {
        let answer = people.admin.get(&format!("/books/{}", book.id)).await;
        if !book.exists {
            answer.problem(404, "not-found");
            continue;
        }
        let shown = answer.expect(200);
        let shelf = shown["noOfBooks"].as_i64().unwrap_or(-1);
        assert_eq!(shelf, book.on_the_shelf(), "the shelf of book {number}");
        assert_eq!(shown_copies(people, book.id).await, book.copies, "the copies of book {number}");
        assert_eq!(
            shown["status"],
            if book.available { "Available" } else { "Not Available" },
            "book {number}"
        );
        let etag = answer.etag();
        if book.looks.last().is_none_or(|look| look.etag != etag) {
            book.looks.push(Look { etag, version: book.version, copies: shelf, available: book.available });
        }
    }

    let mut open: Vec<&Loan> = model.loans.iter().filter(|loan| loan.ended.is_none()).collect();
    open.sort_by_key(|loan| (loan.due, loan.id));
    let told = |loan: &Loan| {
        json!({
            "id": loan.id, "bookId": model.books[loan.book].id, "userId": people.students[loan.student].uid,
            "EntryDate": day(loan.entry), "returnDate": day(loan.due), "fine": loan.fine(today),
            "overdueDays": loan.fine(today) / 5, "copyId": loan.copy, "renewals": (loan.due - loan.entry) / 7 - 1,
            "renewalDays": 7,
        })
    };
    let listed = |list: &Value| -> Vec<Value> {
        let bare = json!({
            "title": null, "userName": null, "rollNumber": null, "batch": null, "barcode": null, "explain": null,
            "reasons": null,
        });
        list["loans"].as_array().into_iter().flatten().map(|loan| with(loan, bare.clone())).collect()
    };
    let all = people.admin.get("/loans?limit=100").await.expect(200);
    assert_eq!(listed(&all), open.iter().map(|loan| told(loan)).collect::<Vec<_>>());
    for (number, student) in people.students.iter().enumerate() {
        let mine = student.get("/me/loans").await.expect(200);
        let expected: Vec<&&Loan> = open.iter().filter(|loan| loan.student == number).collect();
        assert_eq!(listed(&mine), expected.iter().map(|loan| told(loan)).collect::<Vec<_>>());
        assert_eq!(mine["totalFine"], expected.iter().map(|loan| loan.fine(today)).sum::<i64>());
    }
}

async fn sequence(database: Database, steps: Vec<Step>) {
    let app = TestApp::on(database).await;
    let mut people = People::sign_in(&app).await;
    let mut model = Model { now: NOW.parse().expect("an instant"), books: Vec::new(), loans: Vec::new() };
    for copies in [1, 3] {
        add(&people, &mut model, copies).await;
    }
    compare(&app, &people, &mut model).await;
    for step in &steps {
        take(&app, &people, &mut model, step).await;
        if matches!(step, Step::TimePasses { .. }) {
            people = People::sign_in(&app).await;
        }
        compare(&app, &people, &mut model).await;
    }
    // Nothing is lost: every loan that ended is there with its day and its fine (R-LOAN-9).
    let kept =
        app.raw("SELECT id, CASE WHEN restocked THEN 1 ELSE 0 END, ended_on, fine FROM loans WHERE ended_at IS NOT NULL ORDER BY id");
    let ended = model.loans.iter().filter_map(|loan| loan.ended.map(|ended| (loan.id, ended)));
    let expected: Vec<Vec<Option<String>>> = ended
        .map(|(id, (restocked, on, fine))| {
            [id.to_string(), i64::from(restocked).to_string(), day(on), (fine * 100).to_string()]
                .map(Some)
                .into()
        })
        .collect();
    assert_eq!(kept, expected);
    app.state.db.close();
}

fn sequences(cases: u32, database: impl Fn() -> Database) {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let outcome = TestRunner::new(config).run(&prop::collection::vec(step(), 25..50), |steps| {
        runtime.block_on(sequence(database(), steps));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn every_copy_is_accounted_for_whatever_people_do_r_copy_2_r_loan_2_r_loan_3_r_loan_5_r_book_8_on_sqlite() {
    sequences(48, Database::sqlite);
}

#[test]
fn every_copy_is_accounted_for_whatever_people_do_r_copy_2_r_loan_2_r_loan_3_r_loan_5_r_book_8_on_postgres() {
    sequences(12, Database::postgres);
}
