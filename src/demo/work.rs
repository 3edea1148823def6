//! Half a year of the demo library: readers borrow, return late, pay and place holds. Deterministic: every demo is the
//! same.

use super::days_before;
use crate::{
    circulation::{
        self, Actor, CheckIn, CheckOut, CopyToLend, check_in, check_out,
        hold::{self, Place},
        lost::{DeclareLost, declare_lost},
        money::{self, Payment},
        stock,
    },
    domain::{
        copy::{Condition, State},
        id::{BookId, CopyId, LoanId, UserId},
        ledger::{Charge, Method},
        moment::Moment,
        person::Details,
        rulebook::Rulebook,
        rules::STUDENT,
    },
    money::Money,
    storage::{Error, Tx, books, copies, people},
};

/// Number of readers besides the reviewers in `catalogue.json`.
const READERS: usize = 288;
/// Number of simulated days before today.
const DAYS: i64 = 180;

/// Given and family names; each pair is used at most once.
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

/// Titles with all copies on loan: index in the catalogue, and number of holds.
const QUEUES: [(usize, usize); 3] = [(12, 3), (32, 2), (23, 1)];

/// Pseudo-random numbers with a fixed seed (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    /// Returns a number from 0 to `sides` - 1.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }
}

/// Adds the readers, without email and password (R-PEOPLE-3).
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
                phone: None,
                guardian_email: None,
                guardian_phone: None,
            }
        })
        .collect();
    people::add_all(tx, &readers, opened.at)
}

/// Open loan of the demo.
struct OpenLoan {
    loan: LoanId,
    /// Day of the return, in days before today; negative if the loan stays open.
    return_day: i64,
}

/// Turns a refusal by the rules into `None`: the demo skips such an action.
fn unless_refused<T>(done: circulation::Result<T>) -> Result<Option<T>, Error> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(circulation::Error::Refused(_) | circulation::Error::Invalid(_)) => Ok(None),
        Err(error) => Err(error.into_storage()),
    }
}

/// Simulation of the half year, day by day, so that the recorded changes are in chronological order.
pub(super) struct HalfYear<'a, 'c> {
    tx: &'a mut Tx<'c>,
    rulebook: &'a Rulebook,
    librarian: Actor,
    books: &'a [BookId],
    readers: Vec<UserId>,
    open: Vec<OpenLoan>,
    dice: Dice,
    moment: Moment,
    /// Moment of the next action on the simulated day.
    now: Moment,
}

impl<'a, 'c> HalfYear<'a, 'c> {
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
            open: Vec::new(),
            dice: Dice(20_261),
            moment,
            now: moment,
        })
    }

    /// Runs the simulation. `scripted` lists fixed loans: reader, book, days ago.
    pub(super) fn play(mut self, scripted: &[(UserId, BookId, i64)]) -> Result<(), Error> {
        for day in (0..=DAYS).rev() {
            self.now = days_before(self.moment, day);
            // The actions of a day follow each other within an hour.
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
        let what = CheckOut { reader, copy: CopyToLend::AnyOf(book), overriding: None };
        let done = unless_refused(check_out(self.tx, Actor::Student(reader), moment, self.rulebook, &what))?;
        Ok(done.map(|done| done.loan.id))
    }

    fn any_reader(&mut self) -> UserId {
        self.readers[self.dice.roll(self.readers.len())]
    }

    /// Checks out books to a few readers, most of them for less than the week allowed.
    fn loans(&mut self, day: i64) -> Result<(), Error> {
        for _ in 0..2 + self.dice.roll(4) {
            let book = self.books[self.dice.roll(self.books.len())];
            // Skips titles with few copies left, so that the other readers find one too.
            if books::on_shelf(self.tx, book)? < 3 {
                continue;
            }
            let reader = self.any_reader();
            let days = if self.dice.roll(12) == 0 { 8 + self.dice.roll(9) } else { 1 + self.dice.roll(7) };
            let return_day = day - i64::try_from(days).unwrap_or_default();
            if let Some(loan) = self.lend(reader, book)? {
                self.open.push(OpenLoan { loan, return_day });
            }
        }
        Ok(())
    }

    fn returns(&mut self, day: i64) -> Result<(), Error> {
        let (ending, open) =
            std::mem::take(&mut self.open).into_iter().partition(|open: &OpenLoan| open.return_day == day);
        self.open = open;
        for OpenLoan { loan, .. } in ending {
            self.take_back(loan, Condition::OnShelf)?;
        }
        Ok(())
    }

    /// Checks in a loan. Most fines are paid at the desk, some are waived, some stay due.
    fn take_back(&mut self, loan: LoanId, to: Condition) -> Result<(), Error> {
        let (moment, actor) = (self.tick(), self.librarian);
        let what = CheckIn { loan, to, returned_on: None, passing: false, in_hand: None };
        let Some(returned) = unless_refused(check_in(self.tx, actor, moment, self.rulebook, what))? else {
            return Ok(());
        };
        let Some(charge) = returned.charge else { return Ok(()) };
        match self.dice.roll(10) {
            0..=5 => self.pay(returned.loan.user_id, &charge, Method::Cash, ""),
            6 | 7 => self.pay(returned.loan.user_id, &charge, Method::Upi, "demo@upi"),
            8 => {
                let moment = self.tick();
                unless_refused(money::waive(self.tx, actor, moment, charge.id, None, "Was ill")).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn pay(&mut self, person: UserId, charge: &Charge, method: Method, reference: &str) -> Result<(), Error> {
        let moment = self.tick();
        let what = Payment { person, amount: charge.amount, method, reference, charges: &[charge.id] };
        unless_refused(money::pay(self.tx, self.librarian, moment, self.rulebook, &what)).map(drop)
    }

    /// Sends two copies to repair.
    fn damaged(&mut self) -> Result<(), Error> {
        for (place, note) in [(3, "Spine broken"), (25, "Pages loose")] {
            let moment = self.tick();
            let copies = copies::of_book(self.tx, self.books[place], CopyId(0), 20)?;
            let Some(copy) = copies.iter().rfind(|copy| copy.state == State::OnShelf) else { continue };
            let (actor, to) = (self.librarian, Condition::InRepair);
            unless_refused(stock::move_copy(self.tx, actor, moment, self.rulebook, copy.id, to, note))?;
        }
        Ok(())
    }

    /// Declares the newest open loan lost.
    fn lost(&mut self) -> Result<(), Error> {
        let Some(OpenLoan { loan, .. }) = self.open.pop() else { return Ok(()) };
        let moment = self.tick();
        let what = DeclareLost { loan, price: Some(Money::main(350)) };
        unless_refused(declare_lost(self.tx, self.librarian, moment, self.rulebook, what)).map(drop)
    }

    /// Checks out all copies of some titles and places holds on them.
    fn queues(&mut self) -> Result<(), Error> {
        for (place, waiting) in QUEUES {
            let book = self.books[place];
            while books::on_shelf(self.tx, book)? > 0 {
                let reader = self.any_reader();
                let Some(loan) = self.lend(reader, book)? else { break };
                self.open.push(OpenLoan { loan, return_day: -1 });
            }
            for _ in 0..waiting {
                let (moment, person) = (self.tick(), self.any_reader());
                let what = Place { person, book, overriding: None };
                unless_refused(hold::place(self.tx, Actor::Student(person), moment, self.rulebook, &what))?;
            }
        }
        Ok(())
    }

    /// Checks in today's returns: one copy with a waiting hold, and two copies to be shelved.
    fn last_returns(mut self) -> Result<(), Error> {
        let awaited = self.open.iter().rposition(|open| open.return_day == -1);
        let awaited = awaited.map(|place| self.open.remove(place).loan);
        let others: Vec<_> =
            self.open.iter().filter(|open| open.return_day < -1).take(2).map(|open| open.loan).collect();
        for loan in others {
            self.take_back(loan, Condition::ToShelve)?;
        }
        awaited.map_or(Ok(()), |loan| self.take_back(loan, Condition::OnShelf))
    }
}
