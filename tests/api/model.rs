//! The whole of circulation against a small model: whatever librarians and students do in whatever order, every copy is
//! accounted for, and statuses, dates and fines are what the rules say.
//!
//! `PROPTEST_CASES` sets the number of sequences.

use jiff::{Span, Timestamp, civil::date};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use crate::app::{NOW, Person, TestApp, form, with};

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
        2 => (student, which).prop_map(|(student, book)| Step::StudentOpens { student, book }),
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
    on_the_shelf: i64,
    available: bool,
    /// Copies ever added, less those that a form removed.
    owned: i64,
    looks: Vec<Look>,
}

struct Loan {
    id: i64,
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

    fn put_back(&mut self, book: usize) {
        let book = &mut self.books[book];
        if book.exists {
            book.on_the_shelf += 1;
            book.available = true;
        }
    }

    fn added(&mut self, answer: &crate::app::Answer, copies: i64) {
        let book = answer.expect(201);
        self.books.push(Book {
            id: book["id"].as_i64().unwrap_or_default(),
            exists: true,
            version: 1,
            on_the_shelf: copies,
            available: true,
            owned: copies,
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
    model.added(&answer, copies);
}

async fn borrow(people: &People<'_>, model: &mut Model, student: usize, book: usize) {
    let today = model.today();
    let shelf = &mut model.books[book];
    let answer = people.students[student].ask(&format!("/books/{}/loans", shelf.id)).await;
    if !shelf.exists {
        answer.problem(404, "not-found");
    } else if shelf.on_the_shelf == 0 {
        answer.problem(409, "book-unavailable");
    } else {
        let id = answer.expect(201)["id"].as_i64().unwrap_or_default();
        shelf.on_the_shelf -= 1;
        shelf.available = shelf.on_the_shelf > 0;
        model.loans.push(Loan { id, student, book, entry: today, due: today + 7, ended: None });
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
        lent.ended = Some((restocked, today, fine));
        if restocked {
            let book = lent.book;
            model.put_back(book);
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
    } else if book.on_the_shelf + copies < 0 {
        assert_eq!(answer.wrong_fields(), ["noOfBooks"]);
    } else {
        answer.expect(200);
        book.version += 1;
        book.on_the_shelf += copies;
        book.owned += copies;
        if status != look.available {
            book.available = status;
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
        }
        Step::StudentOpens { student, book } => {
            let book = model.chosen_book(book);
            let book = &mut model.books[book];
            let answer = people.students[student].get(&format!("/books/{}", book.id)).await;
            book.available = if book.exists { book.on_the_shelf > 0 } else { book.available };
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
    for (number, book) in model.books.iter_mut().enumerate() {
        let count = |wanted: fn(&Loan) -> bool| {
            let count = model.loans.iter().filter(|loan| loan.book == number && wanted(loan)).count();
            i64::try_from(count).unwrap_or(i64::MAX)
        };
        let out = count(|loan| loan.ended.is_none());
        let kept = count(|loan| loan.ended.is_some_and(|(restocked, ..)| !restocked));
        let away = app.copies_away(book.id).await;
        assert_eq!(away, (out, kept), "what is away of book {number}");
        let answer = people.admin.get(&format!("/books/{}", book.id)).await;
        if !book.exists {
            answer.problem(404, "not-found");
            continue;
        }
        let shown = answer.expect(200);
        let shelf = shown["noOfBooks"].as_i64().unwrap_or(-1);
        assert_eq!(book.owned, shelf + away.0 + away.1, "the ledger of book {number}");
        assert_eq!(shelf, book.on_the_shelf, "the shelf of book {number}");
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
            "overdueDays": loan.fine(today) / 5,
        })
    };
    let listed = |list: &Value| -> Vec<Value> {
        let bare = json!({ "title": null, "userName": null, "rollNumber": null, "batch": null });
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

async fn sequence(steps: Vec<Step>) {
    let app = TestApp::new().await;
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
        app.raw("SELECT id, restocked, ended_on, fine FROM loans WHERE ended_at IS NOT NULL ORDER BY id");
    let ended = model.loans.iter().filter_map(|loan| loan.ended.map(|ended| (loan.id, ended)));
    let expected: Vec<Vec<Option<String>>> = ended
        .map(|(id, (restocked, on, fine))| {
            [id.to_string(), i64::from(restocked).to_string(), day(on), fine.to_string()].map(Some).into()
        })
        .collect();
    assert_eq!(kept, expected);
    app.state.db.close();
}

#[test]
fn every_copy_is_accounted_for_whatever_people_do_r_loan_2_r_loan_3_r_loan_5_r_book_8() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let outcome = TestRunner::new(config).run(&prop::collection::vec(step(), 25..50), |steps| {
        runtime.block_on(sequence(steps));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
