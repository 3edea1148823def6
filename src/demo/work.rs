//! The demo at work: readers who have borrowed, returned late, paid and queued for half a year. Every demo is the same.

use super::days_before;
use crate::{
    circulation::{
        self, Actor, CheckIn, CheckOut, Moment, Take, check_in, check_out,
        hold::{self, Place},
        lost::{DeclareLost, declare_lost},
        money::{self, Payment},
        stock,
    },
    domain::{
        copy::{Condition, State},
        id::{BookId, CopyId, LoanId, UserId},
        ledger::{Charge, Method},
        money::Money,
        person::Details,
        rulebook::Rulebook,
        rules::STUDENT,
    },
    storage::{Error, Tx, books, copies, people},
};

/// Readers beside those of the catalogue, who wrote its reviews.
const READERS: usize = 288;
/// For so many days before today they have borrowed.
const DAYS: i64 = 180;

/// Given and family names; every pair of them is used once.
const GIVEN: [&str; 32] = [
    "Aarav", "Aditi", "Aisha", "Akash", "Amrita", "Anil", "Bhavna", "Chetan", "Daniel", "Deepa", "Farhan",
    "Gauri", "Harish", "Ishita", "Jaya", "Kabir", "Lakshmi", "Manoj", "Maria", "Nikhil", "Pooja", "Pranav",
    "Rehana", "Ritu", "Sameer", "Sneha", "Suresh", "Tara", "Uday", "Vani", "Yusuf", "Zoya",
];
const FAMILY: [&str; 27] = [
    "Agarwal",
    "Ansari",
    "Banerjee",
    "Bhat",
    "Chauhan",
    "Das",
    "D’Souza",
    "Gowda",
    "Gupta",
    "Hegde",
    "Iqbal",
    "Joshi",
    "Kaur",
    "Kulkarni",
    "Kumar",
    "Menon",
    "Mishra",
    "Nair",
    "Naidu",
    "Patel",
    "Pereira",
    "Rao",
    "Reddy",
    "Sharma",
    "Singh",
    "Thomas",
    "Verma",
];
const DEPARTMENTS: [(&str, &str); 8] = [
    ("cs", "Computer Science"),
    ("ce", "Civil Engineering"),
    ("ec", "Electronics and Communication"),
    ("en", "English"),
    ("ma", "Mathematics"),
    ("hi", "History"),
    ("bt", "Biotechnology"),
    ("ph", "Physics"),
];
const BATCHES: [&str; 4] = ["2025", "2026", "2027", "2028"];

/// Titles of which all copies are out, by their place in the catalogue, and how many people wait for each.
const QUEUES: [(usize, usize); 3] = [(12, 3), (32, 2), (23, 1)];

/// Numbers that look like chance and are the same in every demo (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    /// A number from 0 to one below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }
}

/// The readers, who need neither an email nor a password (R-PEOPLE-3).
fn readers(tx: &mut Tx<'_>, opened: Moment) -> Result<Vec<UserId>, Error> {
    let readers: Vec<_> = (0..READERS)
        .map(|n| {
            let (code, department) = DEPARTMENTS[(n + n / GIVEN.len()) % DEPARTMENTS.len()];
            let batch = BATCHES[(n / DEPARTMENTS.len() + n / GIVEN.len()) % BATCHES.len()];
            Details {
                name: format!("{} {}", GIVEN[n % GIVEN.len()], FAMILY[n * 5 % FAMILY.len()]),
                email: None,
                roll_number: Some(format!("{code}{}-{}", &batch[2..], 101 + n)),
                department: Some(department.into()),
                batch: Some(batch.into()),
                category: STUDENT.into(),
                valid_until: None,
                barred: None,
            }
        })
        .collect();
    people::add_all(tx, &readers, opened.at)
}

/// A loan of the demo, and how many days before today it comes back; below zero it is still out.
struct Out {
    loan: LoanId,
    back: i64,
}

/// What the rules refuse does not happen in the demo either.
fn allowed<T>(done: circulation::Result<T>) -> Result<Option<T>, Error> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(circulation::Error::Refused(_) | circulation::Error::Invalid(_)) => Ok(None),
        Err(error) => Err(error.into_storage()),
    }
}

/// The library's half year, day by day, so that the record of what happened is in the order of time.
pub(super) struct Year<'a, 'c> {
    tx: &'a mut Tx<'c>,
    rulebook: &'a Rulebook,
    librarian: Actor,
    books: &'a [BookId],
    readers: Vec<UserId>,
    out: Vec<Out>,
    dice: Dice,
    moment: Moment,
    /// Of the day that is played.
    now: Moment,
}

impl<'a, 'c> Year<'a, 'c> {
    pub(super) fn new(
        tx: &'a mut Tx<'c>,
        rulebook: &'a Rulebook,
        librarian: UserId,
        books: &'a [BookId],
        moment: Moment,
        opened: Moment,
    ) -> Result<Self, Error> {
        let readers = readers(tx, opened)?;
        let librarian = Actor::Librarian(librarian);
        Ok(Self {
            tx,
            rulebook,
            librarian,
            books,
            readers,
            out: Vec::new(),
            dice: Dice(20_261),
            moment,
            now: moment,
        })
    }

    /// Plays the year. `scripted` are loans that happen as they are told: who, which book, how many days ago.
    pub(super) fn play(mut self, scripted: &[(UserId, BookId, i64)]) -> Result<(), Error> {
        for day in (0..=DAYS).rev() {
            self.now = days_before(self.moment, day);
            // What happens on a day happens within an hour, one after the other.
            self.now.at -= 60 * 60 * 1000;
            self.returns(day)?;
            for (reader, book, _) in scripted.iter().filter(|(.., days_ago)| *days_ago == day) {
                self.lend(*reader, *book)?;
            }
            if day > 0 {
                self.loans(day)?;
            }
            match day {
                25 => self.damaged()?,
                15 => self.lost()?,
                1 => self.queues()?,
                _ => {}
            }
        }
        self.last_returns()
    }

    fn tick(&mut self) -> Moment {
        self.now.at += 20 * 1000;
        self.now
    }

    fn lend(&mut self, reader: UserId, book: BookId) -> Result<Option<LoanId>, Error> {
        let moment = self.tick();
        let what = CheckOut { reader, take: Take::AnyOf(book), overriding: None };
        let done = allowed(check_out(self.tx, Actor::Student(reader), moment, self.rulebook, &what))?;
        Ok(done.map(|done| done.loan.id))
    }

    fn anybody(&mut self) -> UserId {
        self.readers[self.dice.roll(self.readers.len())]
    }

    /// A few people borrow, most for less than the week that they may.
    fn loans(&mut self, day: i64) -> Result<(), Error> {
        for _ in 0..2 + self.dice.roll(4) {
            let book = self.books[self.dice.roll(self.books.len())];
            // The others find a copy too.
            if books::on_shelf(self.tx, book)? < 3 {
                continue;
            }
            let reader = self.anybody();
            let kept = if self.dice.roll(12) == 0 { 8 + self.dice.roll(9) } else { 1 + self.dice.roll(7) };
            let back = day - i64::try_from(kept).unwrap_or_default();
            if let Some(loan) = self.lend(reader, book)? {
                self.out.push(Out { loan, back });
            }
        }
        Ok(())
    }

    fn returns(&mut self, day: i64) -> Result<(), Error> {
        let (back, out) = std::mem::take(&mut self.out).into_iter().partition(|out: &Out| out.back == day);
        self.out = out;
        for Out { loan, .. } in back {
            self.take_back(loan, Condition::OnShelf)?;
        }
        Ok(())
    }

    /// Most fines are paid at the desk, some are let off, some are still owed.
    fn take_back(&mut self, loan: LoanId, to: Condition) -> Result<(), Error> {
        let (moment, actor) = (self.tick(), self.librarian);
        let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: None };
        let Some(back) = allowed(check_in(self.tx, actor, moment, self.rulebook, what))? else {
            return Ok(());
        };
        let Some(charge) = back.charge else { return Ok(()) };
        match self.dice.roll(10) {
            0..=5 => self.pay(back.loan.user_id, &charge, Method::Cash, ""),
            6 | 7 => self.pay(back.loan.user_id, &charge, Method::Upi, "demo@upi"),
            8 => {
                let moment = self.tick();
                allowed(money::waive(self.tx, actor, moment, charge.id, None, "Was ill")).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn pay(&mut self, person: UserId, charge: &Charge, method: Method, reference: &str) -> Result<(), Error> {
        let moment = self.tick();
        let what = Payment { person, amount: charge.amount, method, reference, charges: &[charge.id] };
        allowed(money::pay(self.tx, self.librarian, moment, self.rulebook, &what)).map(drop)
    }

    /// Two copies go to be repaired.
    fn damaged(&mut self) -> Result<(), Error> {
        for (place, note) in [(3, "Spine broken"), (25, "Pages loose")] {
            let moment = self.tick();
            let copies = copies::of_book(self.tx, self.books[place], CopyId(0), 20)?;
            let Some(copy) = copies.iter().rfind(|copy| copy.state == State::OnShelf) else { continue };
            let (actor, to) = (self.librarian, Condition::InRepair);
            allowed(stock::move_copy(self.tx, actor, moment, self.rulebook, copy.id, to, note))?;
        }
        Ok(())
    }

    /// One reader lost the book.
    fn lost(&mut self) -> Result<(), Error> {
        let Some(Out { loan, .. }) = self.out.pop() else { return Ok(()) };
        let moment = self.tick();
        let what = DeclareLost { loan, price: Some(Money::main(350)) };
        allowed(declare_lost(self.tx, self.librarian, moment, self.rulebook, what)).map(drop)
    }

    /// All copies of some titles are out, and people wait for them.
    fn queues(&mut self) -> Result<(), Error> {
        for (place, waiting) in QUEUES {
            let book = self.books[place];
            while books::on_shelf(self.tx, book)? > 0 {
                let reader = self.anybody();
                let Some(loan) = self.lend(reader, book)? else { break };
                self.out.push(Out { loan, back: -1 });
            }
            for _ in 0..waiting {
                let (moment, person) = (self.tick(), self.anybody());
                let what = Place { person, book, overriding: None };
                allowed(hold::place(self.tx, Actor::Student(person), moment, self.rulebook, &what))?;
            }
        }
        Ok(())
    }

    /// Today one book came back for which somebody waits, and two that wait to be put on the shelf.
    fn last_returns(mut self) -> Result<(), Error> {
        let awaited = self.out.iter().rposition(|out| out.back == -1);
        let awaited = awaited.map(|place| self.out.remove(place).loan);
        let others: Vec<_> =
            self.out.iter().filter(|out| out.back < -1).take(2).map(|out| out.loan).collect();
        for loan in others {
            self.take_back(loan, Condition::ToShelve)?;
        }
        awaited.map_or(Ok(()), |loan| self.take_back(loan, Condition::OnShelf))
    }
}
