//! The desk: one scan, one decision (R-DESK-2). A scanned code opens a person's card, lends, returns or
//! renews a copy, or leads to a question; check-out, check-in and renewal apply the rules.

mod answer;
mod lend;
mod take_back;

use jiff::civil::Date;

use answer::offer;
pub use answer::{Answer, Choice, Class, Damage, Intent, Offered, Outcome, Reader, Scan, Title};
pub(super) use answer::{state_message, where_to};
use take_back::{ReturnOptions, offer_swap, offer_swap_for};

use super::{
    Actor, BlockShown, Error, Result,
    check_out::reader_blocks,
    hold::{self, Line},
    lost::lost_price,
    standing, stock, view,
};
use crate::{
    domain::{
        account::{User, folded_roll_number},
        change::{Change, HoldChange},
        copy::{Condition, Copy, Lending, State},
        hold::{Hold, HoldState},
        id::{BookId, ChangeId, CopyId, LoanId, UserId},
        isbn::isbn_13,
        loan::Loan,
        moment::{Moment, rfc3339},
        person::Details,
        rulebook::Rulebook,
    },
    message::{self, Message},
    money::Money,
    storage::{
        self, Tx, accounts, books, copies,
        events::{self, Filter},
        holds, ledger, loans, people, photos,
    },
};

/// Time after a loan in which a further scan does not return the copy, milliseconds (R-DESK-2).
const JUST_LENT: i64 = 2 * 60 * 1000;
/// Time within which a repeated code is a bounce of the scanner's trigger, milliseconds (Law 7).
const BOUNCE: i64 = 3 * 1000;
/// Maximum age of a return that counts as today's, milliseconds.
const RECENT: i64 = 12 * 60 * 60 * 1000;
/// Maximum number of a title's ended holds searched for the previous hold of a copy.
const PASSED_ON: i64 = 50;
/// Maximum number of people listed for a search text.
const HITS: u8 = 12;
/// Maximum number of copies offered to choose from.
const OFFERED: i64 = 50;

/// Context of one scan.
struct Desk<'a, 'c> {
    tx: &'a mut Tx<'c>,
    actor: Actor,
    moment: Moment,
    rulebook: &'a Rulebook,
    scan: &'a Scan,
}

/// True if the code belongs to a person, a copy or a title; other texts are searched for.
pub fn is_known(tx: &mut Tx<'_>, code: &str) -> storage::Result<bool> {
    Ok(accounts::by_roll_number(tx, &folded_roll_number(code))?.is_some()
        || copy_of(tx, code)?.is_some()
        || isbn_13(code).is_some())
}

/// Finds the copy with this barcode. A deleted title's copy still on loan is found only if no other copy has the barcode.
fn copy_of(tx: &mut Tx<'_>, barcode: &str) -> storage::Result<Option<Copy>> {
    match copies::by_barcode(tx, barcode)? {
        None => copies::on_loan_of_deleted_title(tx, barcode),
        found => Ok(found),
    }
}

/// Decides a scan and performs it (R-DESK-2). A refusal by the rules is an answer too.
///
/// # Errors
/// [`Error::Storage`], and [`Error::NotFound`] if the open person or a chosen object no longer exists.
pub fn scan(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    scan: &Scan,
) -> Result<Answer> {
    let mut decide = || Desk { tx: &mut *tx, actor, moment, rulebook, scan }.decide();
    match decide() {
        // The copy's loan ended concurrently: nothing was written, so the scan is decided again.
        Err(Error::NotFound) if scan.choice.is_none() => decide(),
        answer => answer,
    }
}

impl Desk<'_, '_> {
    fn decide(&mut self) -> Result<Answer> {
        match self.scan.choice {
            Some(Choice::Person(person)) => return self.open(person),
            Some(Choice::Book(book)) => return self.title(&[book]),
            Some(Choice::Copy(copy)) => {
                let copy = copies::by_id(self.tx, copy)?.ok_or(Error::NotFound)?;
                return self.copy(copy);
            }
            Some(Choice::ChargeFine(renewal)) => return self.charge_anyway(renewal),
            _ => {}
        }
        let code = self.scan.code.trim();
        let person = accounts::by_roll_number(self.tx, &folded_roll_number(code))?;
        let copy = copy_of(self.tx, code)?;
        match (person.and_then(|account| account.user), copy) {
            // Possible only in databases older than the rule that no barcode is a roll number; `library doctor` lists
            // such pairs.
            (Some(person), Some(copy)) => {
                let title = copy.title.clone();
                let mut answer = self.answer(
                    Outcome::Ask,
                    Class::Ask,
                    message::desk_person_or_copy(&person.name, &title),
                )?;
                answer.choices = vec![
                    offer(Choice::Person(person.uid), message::desk_choice_person(&person.name)),
                    offer(Choice::Copy(copy.id), message::desk_choice_copy(&title, &copy.barcode)),
                ];
                Ok(answer)
            }
            (Some(person), None) if self.scan.person == Some(person.uid) => self.close(&person),
            (Some(person), None) => self.open(person.uid),
            (None, Some(copy)) => self.copy(copy),
            (None, None) => match isbn_13(code) {
                Some(isbn) => {
                    let titles = books::with_isbn(self.tx, &isbn)?;
                    if titles.is_empty() { self.search() } else { self.title(&titles) }
                }
                None => self.search(),
            },
        }
    }

    fn today(&self) -> Date {
        self.moment.today
    }

    fn move_copy(&mut self, copy: CopyId, to: Condition, note: &str) -> Result<(Copy, Option<ChangeId>)> {
        stock::move_copy_recorded(self.tx, self.actor, self.moment, self.rulebook, copy, to, note)
    }

    /// Builds an answer with the person's current state.
    fn answer(&mut self, outcome: Outcome, class: Class, headline: Message) -> Result<Answer> {
        let person = self.scan.person.map(|person| self.reader(person)).transpose()?;
        Ok(Answer {
            outcome,
            class,
            text: headline.text(),
            next: Vec::new(),
            messages: vec![headline],
            at: rfc3339(self.moment.at),
            person,
            loan: None,
            copy: None,
            book: None,
            hold: None,
            charge: None,
            charged: None,
            lost: None,
            choices: Vec::new(),
            blocks: Vec::new(),
            change: None,
            explain: Vec::new(),
        })
    }

    fn reader(&mut self, uid: UserId) -> Result<Reader> {
        let record = people::by_id(self.tx, uid)?.ok_or(Error::NotFound)?;
        let today = self.today();
        let policy = self.rulebook.policy(&record.details.category, today);
        let mut blocks = Vec::new();
        // Not locked: the reader is only displayed, and the title, later in the lock order, may be locked already.
        let who = accounts::reader(self.tx, uid)?.ok_or(Error::NotFound)?;
        reader_blocks(self.tx, self.moment, self.rulebook, &policy, &who, None, &mut blocks)?;
        let open = loans::open_of_user(self.tx, uid)?;
        let loans: Vec<Loan> = open.into_iter().map(|loan| view(loan, self.rulebook, today)).collect();
        let balance = ledger::balance(self.tx, uid)?;
        Ok(Reader {
            person: standing::person(
                record,
                standing::of_loans(&loans, balance),
                photos::versions(self.tx, &[uid])?.remove(&uid),
            ),
            max_loans: policy.max_loans,
            loans,
            balance,
            blocks: blocks.iter().map(BlockShown::from).collect(),
            ready: self.ready(uid)?,
        })
    }

    /// Returns the holds kept ready for a person.
    fn ready(&mut self, uid: UserId) -> Result<Vec<Hold>> {
        let mut open = holds::of_person(self.tx, uid, true, OFFERED)?;
        open.retain(|hold| hold.state == HoldState::Ready);
        Ok(open)
    }

    fn open(&mut self, person: UserId) -> Result<Answer> {
        let reader = self.reader(person)?;
        let person = &reader.person;
        let speaks_up = !reader.blocks.is_empty()
            || !reader.ready.is_empty()
            || person.overdue_loans > 0
            || person.owes > Money::ZERO;
        let (overdue, owes) = (person.overdue_loans, person.owes);
        let headline = message::desk_opened(&person.details.name, person.open_loans);
        let class = if speaks_up { Class::Attention } else { Class::Ok };
        let alone = &mut Desk { scan: &Scan::default(), tx: &mut *self.tx, ..*self };
        let mut answer = Answer { person: Some(reader), ..alone.answer(Outcome::Person, class, headline)? };
        if overdue > 0 {
            answer.tell(message::desk_opened_overdue(overdue));
        }
        if owes > Money::ZERO {
            answer.tell(message::desk_opened_owes(owes));
        }
        Ok(answer)
    }

    /// Closes the person's card, which was scanned again.
    fn close(&mut self, person: &User) -> Result<Answer> {
        let answer = self.answer(Outcome::Person, Class::Neutral, message::desk_closed(&person.name))?;
        Ok(Answer { person: None, ..answer })
    }

    /// Handles a scan of a copy.
    fn copy(&mut self, copy: Copy) -> Result<Answer> {
        if let Some(damage) = &self.scan.damaged {
            return self.damaged(&copy, damage);
        }
        if let Some(Choice::Swap(loan)) = self.scan.choice {
            return self.swap(loan, copy);
        }
        let lost = lost_price(self.tx, &copy)?;
        let answer = match copy.state {
            State::OnLoan => self.on_loan(copy),
            _ if self.scan.choice == Some(Choice::PutOnShelf) => self.put_on_shelf(&copy),
            _ if self.scan.choice == Some(Choice::Keep) => self.keep(&copy),
            _ if self.scan.person.is_some() && self.scan.intent != Some(Intent::Return) => self.lend(copy),
            _ => self.show(copy),
        }?;
        // The lost copy was found, so the charge for it may be reversed.
        let found = matches!(answer.outcome, Outcome::Shelved | Outcome::Kept | Outcome::Lent);
        Ok(Answer { lost: lost.filter(|_| found), ..answer })
    }

    /// Handles a scan of a copy on loan.
    fn on_loan(&mut self, copy: Copy) -> Result<Answer> {
        // The loan may have ended since the copy was read.
        let Some((loan, holder, begun_at)) = loans::holder_of_copy(self.tx, copy.id)? else {
            let copy = copies::by_id(self.tx, copy.id)?.ok_or(Error::NotFound)?;
            return if copy.state == State::OnLoan { Err(Error::NotFound) } else { self.copy(copy) };
        };
        if self.scan.intent == Some(Intent::Renew) {
            return self.renew(loan, copy);
        }
        let lent_at = begun_at.unwrap_or_default();
        // A deleted title's copy cannot be lent again, only returned.
        let choice = if copy.title.is_empty() { Some(Choice::Return) } else { self.scan.choice };
        match self.scan.person {
            Some(person) if person == holder => {
                let since = self.scan.since.unwrap_or(i64::MAX).min(self.moment.at - JUST_LENT);
                let asked_back = self.scan.intent == Some(Intent::Return) || choice == Some(Choice::Return);
                if asked_back || lent_at < since && self.scan.intent != Some(Intent::Lend) {
                    return self.take_back(loan, &copy, ReturnOptions::default());
                }
                let again = self.moment.at - lent_at < BOUNCE;
                let due = copy.loan.as_ref().map_or(self.today(), |loan| loan.return_date);
                let mut answer = self.answer(
                    if again { Outcome::Ignored } else { Outcome::Shown },
                    Class::Neutral,
                    message::desk_already_lent(&copy.title, due),
                )?;
                answer.choices = vec![offer(Choice::Return, message::desk_choice_return())];
                answer.copy = Some(copy);
                Ok(answer)
            }
            Some(_) if choice == Some(Choice::ReturnAndLend) => self.return_and_lend(loan, copy),
            Some(_) if choice != Some(Choice::Return) && self.scan.intent != Some(Intent::Return) => {
                let (name, due) = copy
                    .loan
                    .as_ref()
                    .map_or((String::new(), self.today()), |loan| (loan.user_name.clone(), loan.return_date));
                let headline = message::desk_on_loan_to_other(&copy.title, &name, due);
                let mut answer = self.answer(Outcome::Ask, Class::Ask, headline)?;
                let reader = answer.person.as_ref().map_or("", |open| open.person.details.name.as_str());
                let mut choices = vec![
                    offer(Choice::ReturnAndLend, message::desk_choice_return_and_lend(&name, reader)),
                    offer(Choice::Return, message::desk_choice_return_for(&name)),
                ];
                // A reader with another copy of the title is most likely returning that one.
                let swap = answer
                    .person
                    .as_ref()
                    .and_then(|open| Some(offer_swap(open, &copy, of_title(open, copy.book_id)?)));
                choices.splice(0..0, swap);
                answer.choices = choices;
                answer.copy = Some(copy);
                Ok(answer)
            }
            _ => self.take_back(loan, &copy, ReturnOptions::default()),
        }
    }

    /// Shows a copy that is neither on loan nor being lent.
    fn show(&mut self, copy: Copy) -> Result<Answer> {
        let last_returned_at = copies::last_returned_at(self.tx, copy.id)?;
        let (class, mut choices) = match copy.state {
            State::OnShelf => match self.first_in_line(copy.book_id)? {
                Some(name) => (Class::Ask, vec![offer(Choice::Keep, message::desk_choice_keep(&name))]),
                None => (Class::Ok, Vec::new()),
            },
            State::ToShelve | State::Unseen => {
                (Class::Ask, vec![offer(Choice::PutOnShelf, message::desk_choice_put_on_shelf())])
            }
            State::InRepair => (Class::Ask, vec![offer(Choice::PutOnShelf, message::desk_choice_repaired())]),
            State::Lost | State::Missing => {
                (Class::Ask, vec![offer(Choice::PutOnShelf, message::desk_choice_found())])
            }
            State::Withdrawn => {
                (Class::Stop, vec![offer(Choice::PutOnShelf, message::desk_choice_reinstate())])
            }
            State::Reference | State::OnHoldShelf | State::OnLoan => (Class::Neutral, Vec::new()),
        };
        // A copy returned today needs no swap; any other may have been handed in instead of the lent copy.
        let swap = if could_be_swapped(copy.state) && self.moment.at - last_returned_at >= RECENT {
            self.swap_with_the_only_one(&copy)?
        } else {
            None
        };
        choices.extend(swap);
        // A deleted title has no shelf.
        if copy.title.is_empty() {
            choices.clear();
        }
        let outcome = match class {
            // Second scan of the same return.
            _ if self.moment.at - last_returned_at < BOUNCE => Outcome::Ignored,
            Class::Ask => Outcome::Ask,
            _ => Outcome::Shown,
        };
        let class = if outcome == Outcome::Ignored { Class::Neutral } else { class };
        let mut answer = self.answer(outcome, class, state_message(&copy))?;
        if outcome != Outcome::Ignored
            && let Some(back) = self.last_return(&copy)?
        {
            let minutes = (self.moment.at - back.at) / (60 * 1000);
            let name = back.person.map_or_else(String::new, |(_, name)| name);
            answer.tell(message::desk_returned_ago(&name, minutes / 60, minutes));
        }
        answer.choices = choices;
        if copy.state == State::OnHoldShelf
            && let Some((hold, before)) = self.passed_on(&copy)?
        {
            answer.tell(message::desk_new_slip(&before));
            answer.keep(hold);
        }
        answer.copy = Some(copy);
        Ok(answer)
    }

    /// Returns the hold that keeps a copy, and the name still on the copy's slip: the reader of the previous hold,
    /// which expired or was cancelled.
    fn passed_on(&mut self, copy: &Copy) -> Result<Option<(Hold, String)>> {
        let Some(hold) = holds::keeping(self.tx, copy.id)? else { return Ok(None) };
        for action in ["hold-expired", "hold-cancelled"] {
            let filter =
                Filter { book: Some(copy.book_id), action: Some(action.to_owned()), ..Filter::default() };
            let ended = events::page(self.tx, &filter, ChangeId(i64::MAX), PASSED_ON)?;
            let before = ended.into_iter().find(|ended| match &ended.change {
                Change::Hold(
                    HoldChange::HoldExpired { ended, .. } | HoldChange::HoldCancelled { ended, .. },
                ) => ended.passed_to == Some(hold),
                _ => false,
            });
            if let Some((_, name)) = before.and_then(|before| before.person) {
                let hold = hold::shown(self.tx, &self.rulebook.calendar, self.today(), hold)?;
                return Ok(Some((hold, name)));
            }
        }
        Ok(None)
    }

    /// Offers a swap if exactly one copy of the title is on loan: its reader may have handed in this copy instead (R-DESK-6).
    fn swap_with_the_only_one(&mut self, copy: &Copy) -> Result<Option<Offered>> {
        let Some((_, holder)) = loans::only_open_of_book(self.tx, copy.book_id)? else { return Ok(None) };
        let holder = self.reader(holder)?;
        Ok(of_title(&holder, copy.book_id).map(|loan| offer_swap_for(&holder, copy, loan)))
    }

    /// Returns the name of the person who gets the next copy of a title.
    fn first_in_line(&mut self, book: BookId) -> Result<Option<String>> {
        let line = Line::lock(self.tx, book)?;
        let Some(first) = line.as_ref().and_then(Line::first) else { return Ok(None) };
        Ok(accounts::by_id(self.tx, first)?.and_then(|account| account.user).map(|user| user.name))
    }

    /// Handles a title that was chosen, or scanned by its ISBN; only a copy's label identifies the copy.
    fn title(&mut self, titles: &[BookId]) -> Result<Answer> {
        let found = books::cards(self.tx, titles)?;
        let Some(first) = found.first() else { return Err(Error::NotFound) };
        let headline = message::desk_title(&first.title, &first.author);
        let mut answer = self.answer(Outcome::Ask, Class::Ask, headline)?;
        answer.book = Some(Title {
            id: first.id,
            title: first.title.clone(),
            author: first.author.clone(),
            location: first.location.clone(),
            no_of_books: first.no_of_books,
        });
        for book in found {
            for copy in copies::of_book(self.tx, book.id, CopyId(0), OFFERED)? {
                if copy.state == State::Withdrawn {
                    continue;
                }
                let message = message::desk_choice_copy(&copy.title, &copy.barcode);
                let choice = offer(Choice::Copy(copy.id), message);
                answer.choices.push(Offered { copy: Some(copy), ..choice });
            }
        }
        // Copies on loan to the person come first, to be returned; then copies that can be lent.
        let person = self.scan.person;
        answer.choices.sort_by_key(|offered| {
            offered.copy.as_ref().map(|copy| {
                let theirs = copy.loan.as_ref().is_some_and(|loan| Some(loan.user_id) == person);
                (!theirs, copy.state.lending() != Lending::Yes)
            })
        });
        if answer.choices.is_empty() {
            answer.outcome = Outcome::Shown;
            answer.class = Class::Neutral;
            answer.tell(message::desk_no_copies());
        } else {
            answer.tell(message::desk_scan_the_label());
        }
        Ok(answer)
    }

    /// Handles an unknown code: searches for people and titles that contain the code.
    fn search(&mut self) -> Result<Answer> {
        let code = self.scan.code.trim();
        let mut people = people::search(self.tx, code, i64::from(HITS) + 1)?;
        let more = people.len() > usize::from(HITS);
        people.truncate(usize::from(HITS));
        let titles = books::cards(self.tx, &self.scan.titles)?;
        if people.is_empty() && titles.is_empty() {
            return self.answer(Outcome::Unknown, Class::Stop, message::desk_unknown(code));
        }
        let mut answer = self.answer(Outcome::Ask, Class::Neutral, message::desk_found(code))?;
        if more {
            answer.tell(message::desk_more_people());
        }
        answer.choices.extend(people.into_iter().map(|person| {
            let Details { name, roll_number, department, batch, .. } = &person.details;
            let roll_number = roll_number.as_deref().map(str::to_uppercase);
            let facts: Vec<&str> =
                [&roll_number, department, batch].into_iter().flatten().map(String::as_str).collect();
            offer(Choice::Person(person.uid), message::desk_choice_person_with(name, &facts.join(" · ")))
        }));
        answer.choices.extend(
            titles.into_iter().map(|book| {
                offer(Choice::Book(book.id), message::desk_choice_title(&book.title, &book.author))
            }),
        );
        Ok(answer)
    }
}

/// True if a copy in this state may have been handed in instead of another.
fn could_be_swapped(state: State) -> bool {
    matches!(state, State::OnShelf | State::ToShelve | State::Unseen)
}

/// Returns the reader's loan of a title.
fn of_title(reader: &Reader, book: BookId) -> Option<&Loan> {
    reader.loans.iter().find(|loan| loan.book_id == book)
}

/// Returns the reader's loan of another copy of the title.
fn other_of_title(reader: &Reader, book: BookId, than: LoanId) -> Option<&Loan> {
    reader.loans.iter().find(|loan| loan.book_id == book && loan.id != than)
}
