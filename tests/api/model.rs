//! The whole of circulation against a small model: after any sequence of actions, every copy is accounted for, and statuses,
//! dates and fines follow the rules.
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

const STUDENTS: usize = 4;

/// An action. Numbers select among what exists at that moment.
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
    /// Saves the form, loaded `age` looks ago, with this many copies more than it had loaded.
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
    /// A librarian adds copies of an existing title.
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
    Reserve {
        student: usize,
        book: usize,
    },
    /// A student cancels his hold of a title, or a librarian does.
    CancelHold {
        student: usize,
        book: usize,
        by_desk: bool,
    },
    /// A librarian moves a student in the queue.
    MoveInLine {
        student: usize,
        book: usize,
        place: usize,
    },
    /// The job that ends holds whose last day is past.
    ExpireHolds,
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
        6 => (0..STUDENTS, 0_usize..1000).prop_map(|(student, book)| Step::Reserve { student, book }),
        2 => (0..STUDENTS, 0_usize..1000, any::<bool>())
            .prop_map(|(student, book, by_desk)| Step::CancelHold { student, book, by_desk }),
        1 => (0..STUDENTS, 0_usize..1000, 0_usize..3)
            .prop_map(|(student, book, place)| Step::MoveInLine { student, book, place }),
        1 => Just(Step::ExpireHolds),
        2 => (1_i64..100).prop_map(|hours| Step::TimePasses { hours }),
    ]
}

/// State of a form when it was loaded.
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
    /// Every copy ever added, and its state.
    copies: BTreeMap<i64, State>,
    looks: Vec<Look>,
    /// Waiting students in queue order.
    line: Vec<Waiting>,
    /// Students with a kept copy, and its last day.
    kept: BTreeMap<i64, (Waiting, i64)>,
}

/// A student's open hold.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    id: i64,
    student: usize,
}

/// Destination of a copy that comes in.
#[derive(Clone, Copy, PartialEq)]
enum Arrives {
    OnShelf,
    ToShelve,
}

impl Book {
    /// A copy comes in: it is kept for the first in the queue, or goes to its destination (R-HOLD-2).
    fn arrive(&mut self, copy: i64, to: Arrives, today: i64) -> State {
        let state = if self.line.is_empty() {
            match to {
                Arrives::OnShelf => State::OnShelf,
                Arrives::ToShelve => State::ToShelve,
            }
        } else {
            self.kept.insert(copy, (self.line.remove(0), today + 3));
            State::OnHoldShelf
        };
        self.copies.insert(copy, state);
        state
    }

    /// Ends a hold; the copy kept for it goes to the next.
    fn drop_hold(&mut self, id: i64, today: i64) {
        self.line.retain(|waiting| waiting.id != id);
        let copy = self.kept.iter().find(|(_, (hold, _))| hold.id == id).map(|(copy, _)| *copy);
        if let Some(copy) = copy {
            self.kept.remove(&copy);
            self.arrive(copy, Arrives::ToShelve, today);
        }
    }

    /// True if a copy is there, on loan or in repair.
    fn may_be_filled(&self) -> bool {
        let gone = [State::Lost, State::Missing, State::Reference, State::Withdrawn];
        self.copies.values().any(|state| !gone.contains(state))
    }

    fn hold_of(&self, student: usize) -> Option<Waiting> {
        let kept = self.kept.values().map(|(hold, _)| hold);
        self.line.iter().chain(kept).find(|hold| hold.student == student).copied()
    }

    fn before(&self, student: usize) -> i64 {
        let before = self.line.iter().take_while(|waiting| waiting.student != student).count();
        i64::try_from(before).unwrap_or(i64::MAX)
    }

    fn on_the_shelf(&self) -> i64 {
        let count = self.copies.values().filter(|state| **state == State::OnShelf).count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// Recalculates the status, as after a borrow, a return and every move of a copy.
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
    /// True if the copy went back to the shelf, the day, and the fine at that time.
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
            line: Vec::new(),
            kept: BTreeMap::new(),
        });
    }
}

/// The people of one sequence.
struct People<'a> {
    admin: Person<'a>,
    students: Vec<Person<'a>>,
}

impl<'a> People<'a> {
    /// Signs everyone in again, because a month in a sequence ends earlier sessions.
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
    let today = model.today();
    learn_new_copies(people, model.books.last_mut().expect("just added"), copies, today).await;
}

/// Returns the copies of a title as the librarian sees them.
async fn shown_copies(people: &People<'_>, book: i64) -> BTreeMap<i64, State> {
    let list = people.admin.get(&format!("/books/{book}/copies")).await.expect(200);
    let copies = list["copies"].as_array().cloned().unwrap_or_default();
    let state = |copy: &Value| State::parse(copy["state"].as_str().unwrap_or_default()).expect("a state");
    copies.iter().map(|copy| (copy["id"].as_i64().expect("an id"), state(copy))).collect()
}

/// Adds this many new copies to the model: each is on the shelf or kept for the next in the queue.
async fn learn_new_copies(people: &People<'_>, book: &mut Book, expected: i64, today: i64) {
    let shown = shown_copies(people, book.id).await;
    let new: BTreeMap<i64, State> =
        shown.into_iter().filter(|(id, _)| !book.copies.contains_key(id)).collect();
    assert_eq!(i64::try_from(new.len()), Ok(expected));
    for (id, state) in new {
        assert_eq!(book.arrive(id, Arrives::OnShelf, today), state);
    }
}

async fn borrow(people: &People<'_>, model: &mut Model, student: usize, book: usize) {
    let today = model.today();
    let shelf = &mut model.books[book];
    let answer = people.students[student].ask(&format!("/books/{}/loans", shelf.id)).await;
    let kept = shelf.kept.iter().find(|(_, (hold, _))| hold.student == student).map(|(copy, _)| *copy);
    if !shelf.exists {
        answer.problem(404, "not-found");
    } else if kept.is_none() && shelf.on_the_shelf() == 0 {
        answer.problem(409, "book-unavailable");
    } else if kept.is_none() && shelf.on_the_shelf() <= shelf.before(student) {
        answer.problem(409, "refused");
    } else {
        let lent = answer.expect(201);
        let (id, copy) = (lent["id"].as_i64().expect("an id"), lent["copyId"].as_i64().expect("a copy"));
        assert!(kept.is_none_or(|kept| kept == copy), "the copy that is kept for him is the one he gets");
        let before = shelf.copies.insert(copy, State::OnLoan);
        let expected = if kept.is_some() { State::OnHoldShelf } else { State::OnShelf };
        assert_eq!(before, Some(expected), "only what is on the shelf, or kept for him, is lent");
        shelf.kept.remove(&copy);
        shelf.line.retain(|waiting| waiting.student != student);
        if kept.is_none() {
            shelf.status_follows();
        }
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
        assert_eq!(book.copies.get(&lent.copy), Some(&State::OnLoan));
        let to = match (book.exists, restocked) {
            (false, _) => State::Withdrawn,
            // Others wait, and the desk has not seen the copy.
            (true, _) if by.is_some() && !book.line.is_empty() => State::Unseen,
            (true, true) => book.arrive(lent.copy, Arrives::OnShelf, today),
            (true, false) => book.arrive(lent.copy, Arrives::ToShelve, today),
        };
        book.copies.insert(lent.copy, to);
        lent.ended = Some((to == State::OnShelf, today, fine));
        if to == State::OnShelf {
            book.available = true;
        }
    }
}

async fn extend(people: &People<'_>, model: &mut Model, by: Option<usize>, loan: usize) {
    let today = model.today();
    let lent = &mut model.loans[loan];
    let book = &model.books[lent.book];
    let more_wait = i64::try_from(book.line.len()).is_ok_and(|waiting| waiting > book.on_the_shelf());
    let person = by.map_or(&people.admin, |student| &people.students[student]);
    let answer = person.ask(&format!("/loans/{}/extend", lent.id)).await;
    if lent.ended.is_some() || by.is_some_and(|student| student != lent.student) {
        answer.problem(404, "not-found");
    } else if by.is_some() && lent.fine(today) > 0 {
        answer.problem(409, "loan-fined");
    } else if more_wait {
        answer.problem(409, "refused");
    } else {
        lent.due += 7;
        let extended = answer.expect(200);
        assert_eq!(
            (&extended["returnDate"], &extended["fine"]),
            (&json!(day(lent.due)), &json!(lent.fine(today)))
        );
    }
}

async fn reserve(people: &People<'_>, model: &mut Model, student: usize, book: usize) {
    let has =
        model.loans.iter().any(|loan| loan.ended.is_none() && loan.student == student && loan.book == book);
    let book = &mut model.books[book];
    let answer = people.students[student].ask(&format!("/books/{}/holds", book.id)).await;
    let waiting = i64::try_from(book.line.len()).unwrap_or(i64::MAX);
    if !book.exists {
        answer.problem(404, "not-found");
    } else if has || book.hold_of(student).is_some() || book.on_the_shelf() > waiting || !book.may_be_filled()
    {
        answer.problem(409, "refused");
    } else {
        let hold = answer.expect(201);
        assert_eq!(hold["place"], waiting + 1);
        book.line.push(Waiting { id: hold["id"].as_i64().expect("an id"), student });
    }
}

async fn edit(
    people: &People<'_>,
    book: &mut Book,
    today: i64,
    (age, copies, available): (usize, i64, Option<bool>),
) {
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
        if status != look.available {
            book.available = status;
        }
        if copies >= 0 {
            let before = book.line.len();
            learn_new_copies(people, book, copies, today).await;
            // A copy caught for a hold leaves the shelf, and the status follows.
            if book.line.len() < before {
                book.status_follows();
            }
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
    }
}

async fn move_copy(people: &People<'_>, book: &mut Book, copy: usize, to: Condition, today: i64) {
    let Some((id, from)) = book.copies.iter().map(|(id, state)| (*id, *state)).nth(copy) else { return };
    let answer = people.admin.post(&format!("/copies/{id}/move"), &json!({ "state": to.as_str() })).await;
    if from == to.state() {
        answer.expect(200);
    } else if !book.exists || !from.moves().contains(&to) {
        answer.problem(409, "copy-state");
    } else {
        if let Some((hold, _)) = book.kept.remove(&id) {
            book.line.insert(0, hold);
        }
        let state = match to {
            Condition::OnShelf => book.arrive(id, Arrives::OnShelf, today),
            Condition::ToShelve => book.arrive(id, Arrives::ToShelve, today),
            _ => to.state(),
        };
        assert_eq!(answer.expect(200)["state"], state.as_str());
        book.copies.insert(id, state);
        if state == State::OnShelf || from == State::OnShelf {
            book.status_follows();
        }
    }
}

async fn shelve_all(people: &People<'_>, model: &mut Model) {
    let today = model.today();
    let (mut on_shelf, mut kept) = (0, 0);
    let mut all: Vec<(i64, usize)> = Vec::new();
    for (number, book) in model.books.iter().enumerate() {
        let to_shelve = book.copies.iter().filter(|(_, state)| **state == State::ToShelve);
        all.extend(to_shelve.map(|(copy, _)| (*copy, number)));
    }
    all.sort_unstable();
    for (copy, number) in all {
        let book = &mut model.books[number];
        match book.arrive(copy, Arrives::OnShelf, today) {
            State::OnShelf => {
                on_shelf += 1;
                book.available = true;
            }
            _ => kept += 1,
        }
    }
    let answer = people.admin.ask("/copies/shelve").await.expect(200);
    assert_eq!(answer, json!({ "count": on_shelf, "kept": kept }));
}

async fn cancel_hold(people: &People<'_>, model: &mut Model, student: usize, book: usize, by_desk: bool) {
    let today = model.today();
    let book = &mut model.books[book];
    let Some(hold) = book.hold_of(student) else { return };
    let path = format!("/holds/{}", hold.id);
    let person = if by_desk { &people.admin } else { &people.students[student] };
    people.students[(student + 1) % STUDENTS].delete(&path).await.problem(404, "not-found");
    person.delete(&path).await.expect(204);
    book.drop_hold(hold.id, today);
}

async fn move_in_line(people: &People<'_>, book: &mut Book, student: usize, place: usize) {
    let Some(hold) = book.hold_of(student) else { return };
    let body = json!({ "place": place + 1, "reason": "r" });
    let answer = people.admin.post(&format!("/holds/{}/move", hold.id), &body).await;
    let Some(from) = book.line.iter().position(|waiting| waiting.id == hold.id) else {
        answer.problem(404, "not-found");
        return;
    };
    let moved = book.line.remove(from);
    let to = place.min(book.line.len());
    book.line.insert(to, moved);
    assert_eq!(answer.expect(200)["place"], to + 1);
}

/// Runs the job that a server runs by itself.
async fn expire_holds(app: &TestApp, model: &mut Model) {
    let today = model.today();
    let mut past: Vec<(i64, i64, usize)> = Vec::new();
    for (number, book) in model.books.iter().enumerate() {
        let late = book.kept.values().filter(|(_, until)| *until < today);
        past.extend(late.map(|(hold, until)| (*until, hold.id, number)));
    }
    past.sort_unstable();
    library::jobs::expire_holds(&app.state.library, "here").await.expect("done");
    for (_, hold, number) in past {
        model.books[number].drop_hold(hold, today);
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
            let today = model.today();
            edit(people, &mut model.books[book], today, (age, copies, available)).await;
        }
        Step::Delete { book } => {
            let book = model.chosen_book(book);
            let book = &mut model.books[book];
            let answer = people.admin.delete(&format!("/books/{}", book.id)).await;
            answer.expect(if book.exists { 204 } else { 404 });
            book.exists = false;
            book.line.clear();
            book.kept.clear();
            for state in book.copies.values_mut().filter(|state| **state != State::OnLoan) {
                *state = State::Withdrawn;
            }
        }
        Step::Move { book, copy, to } => {
            let book = model.chosen_book(book);
            let today = model.today();
            move_copy(people, &mut model.books[book], copy, to, today).await;
        }
        Step::ShelveAll => shelve_all(people, model).await,
        Step::AddCopies { book, copies } => {
            let (book, today) = (model.chosen_book(book), model.today());
            let book = &mut model.books[book];
            let answer =
                people.admin.post(&format!("/books/{}/copies", book.id), &json!({ "count": copies })).await;
            answer.expect(if book.exists { 201 } else { 404 });
            if book.exists {
                let before = book.line.len();
                learn_new_copies(people, book, copies, today).await;
                // A copy caught for a hold leaves the shelf again.
                book.available = true;
                if book.line.len() < before {
                    book.status_follows();
                }
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
        Step::Reserve { student, book } => {
            let book = model.chosen_book(book);
            reserve(people, model, student, book).await;
        }
        Step::CancelHold { student, book, by_desk } => {
            let book = model.chosen_book(book);
            cancel_hold(people, model, student, book, by_desk).await;
        }
        Step::MoveInLine { student, book, place } => {
            let book = model.chosen_book(book);
            move_in_line(people, &mut model.books[book], student, place).await;
        }
        Step::ExpireHolds => expire_holds(app, model).await,
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
        let holds = people.admin.get(&format!("/books/{}/holds", book.id)).await.expect(200);
        let holds = holds["holds"].as_array().cloned().unwrap_or_default();
        let unseen = book.copies.values().filter(|state| **state == State::Unseen).count();
        let (ready, line): (Vec<&Value>, Vec<&Value>) =
            holds.iter().partition(|hold| hold["state"] == "ready");
        let in_line = book.line.iter().enumerate().map(|(at, waiting)| {
            json!([waiting.id, at + 1, if at < unseen { "processing" } else { "waiting" }])
        });
        let told = |hold: &&Value| json!([hold["id"], hold["place"], hold["state"]]);
        assert_eq!(
            line.iter().map(told).collect::<Vec<_>>(),
            in_line.collect::<Vec<_>>(),
            "the line of book {number}"
        );
        let kept: BTreeMap<i64, Value> = ready
            .iter()
            .map(|hold| (hold["copyId"].as_i64().expect("a copy"), json!([hold["id"], hold["readyUntil"]])))
            .collect();
        let expected = book.kept.iter().map(|(copy, (hold, until))| (*copy, json!([hold.id, day(*until)])));
        assert_eq!(kept, expected.collect(), "what is kept of book {number}");
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
            "renewalDays": 7, "titleDeleted": !model.books[loan.book].exists,
        })
    };
    let listed = |list: &Value| -> Vec<Value> {
        let bare = json!({
            "title": null, "userName": null, "rollNumber": null, "batch": null, "barcode": null, "explain": null,
            "reasons": null, "reminded": null, "refusals": null,
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
    // Every ended loan is stored with its day and its fine (R-LOAN-9).
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
    app.state.library.db.close();
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
    sequences(20, Database::ready_sqlite);
}

#[test]
fn every_copy_is_accounted_for_whatever_people_do_r_copy_2_r_loan_2_r_loan_3_r_loan_5_r_book_8_on_postgres() {
    sequences(6, Database::ready_postgres);
}
