//! Scans that return a copy, swap it or record its damage.

use super::super::{
    CheckIn, CheckOut, CopyToLend, Error, Result, check_in, check_out,
    hold::Line,
    money::{self, NewCharge},
    reader, undo, view,
};
use super::{
    Answer, Choice, Class, Damage, Desk, Offered, Outcome, RECENT, Reader,
    answer::{offer, where_to},
    could_be_swapped,
};
use crate::{
    domain::{
        change::{Change, LoanChange},
        copy::{Condition, Copy, State},
        id::{ChangeId, CopyId, LoanId, UserId},
        ledger::ChargeKind,
        loan::Loan,
        rule::Invalid,
    },
    message,
    money::Money,
    storage::{
        accounts, copies,
        events::{self, Filter, Recorded},
        ledger, loans,
    },
};

/// Maximum number of a title's changes searched for the last change of a copy.
const MOST_SEARCHED: i64 = 200;

/// Options of a return at the desk.
#[derive(Clone, Copy, Default)]
pub(super) struct ReturnOptions {
    /// True if the copy is lent again or sent to repair in this transaction.
    pub(super) passing: bool,
    /// Returned copy, if it is not the lent one.
    pub(super) in_hand: Option<CopyId>,
}

/// Offers to take back a scanned copy in place of the copy that the reader has on loan.
pub(super) fn offer_swap(reader: &Reader, copy: &Copy, lent: &Loan) -> Offered {
    let name = &reader.person.details.name;
    offer(Choice::Swap(lent.id), message::desk_choice_swap(name, &copy.barcode, &lent.barcode))
}

pub(super) fn offer_swap_for(reader: &Reader, copy: &Copy, lent: &Loan) -> Offered {
    let name = &reader.person.details.name;
    offer(Choice::Swap(lent.id), message::desk_choice_swap_for(name, &copy.barcode, &lent.barcode))
}

impl Desk<'_, '_> {
    pub(super) fn take_back(&mut self, loan: LoanId, copy: &Copy, options: ReturnOptions) -> Result<Answer> {
        let waits = self.rulebook.on(self.today()).returns_wait_to_be_shelved;
        let to = if waits { Condition::ToShelve } else { Condition::OnShelf };
        let ReturnOptions { passing, in_hand } = options;
        let what = CheckIn { loan, to, returned_on: self.scan.returned_on, passing, in_hand };
        let back = check_in(self.tx, self.actor, self.moment, self.rulebook, what)?;
        let holder = accounts::by_id(self.tx, back.loan.user_id)?.and_then(|account| account.user);
        let name = holder.map_or_else(String::new, |holder| holder.name);
        // The loan keeps the title of a deleted book.
        let title = if copy.title.is_empty() { &back.loan.title } else { &copy.title };
        let headline = if self.scan.person == Some(back.loan.user_id) {
            message::desk_returned(title)
        } else {
            message::desk_returned_by(title, &name)
        };
        let class = if back.fine > Money::ZERO { Class::Attention } else { Class::Ok };
        let mut answer = self.answer(Outcome::Returned, class, headline)?;
        if back.fine > Money::ZERO {
            answer.tell(message::desk_fine(back.fine));
        }
        if let Some(day) = self.scan.returned_on {
            answer.tell(if back.on > day {
                message::desk_counted_since_lent(back.on)
            } else {
                message::desk_counted_as_of(back.on)
            });
        }
        answer.explain.extend(back.fine_reasons);
        let now = copies::by_id(self.tx, copy.id)?;
        match back.caught {
            Some(hold) => answer.keep(hold),
            // A copy that is lent again or repaired does not go to its shelf.
            None if passing => {}
            None => {
                if now.as_ref().is_some_and(|copy| copy.state == State::Withdrawn) {
                    answer.tell(message::desk_title_gone());
                }
                now.as_ref().and_then(where_to).into_iter().for_each(|step| answer.ask_for(step));
            }
        }
        if self.scan.person.is_none() {
            let rest = loans::open_of_user(self.tx, back.loan.user_id)?.len();
            answer.tell(message::desk_still_has(&name, rest));
        }
        answer.charged = back.charge.as_ref().map(|_| back.loan.user_id);
        answer.charge = back.charge;
        if !passing {
            self.ask_for_money(&mut answer);
        }
        answer.loan = Some(view(back.loan, self.rulebook, self.today()));
        answer.change = Some(back.change);
        answer.copy = now;
        Ok(answer)
    }

    /// Tells the librarian to collect the fine of a return, unless the reader is not at the desk (R-DESK-11).
    fn ask_for_money(&self, answer: &mut Answer) {
        let open = answer.charge.as_ref().map_or(Money::ZERO, |charge| charge.open);
        if open > Money::ZERO && self.scan.returned_on.is_none() {
            answer.ask_for(message::desk_next_take(open));
        }
    }

    /// Returns a copy for one person and lends it to another, atomically.
    pub(super) fn return_and_lend(&mut self, loan: LoanId, copy: Copy) -> Result<Answer> {
        let Some(reader) = self.scan.person else { return Err(Error::NotFound) };
        reader::lock(self.tx, reader)?;
        let borrower = loans::lock_open(self.tx, loan)?.ok_or(Error::NotFound)?.user_id;
        // The returned copy counts as free, so people ahead in the queue get it first.
        let line = Line::lock(self.tx, copy.book_id)?;
        ledger::lock_all(self.tx, [borrower, reader])?;
        let waited_for = line.and_then(|line| line.reserved(reader, line.on_shelf + 1));
        if let Some(refusal) = self.lending_refusal(reader, &copy, waited_for)? {
            return self.refused(&refusal, copy);
        }
        let mut returned =
            self.take_back(loan, &copy, ReturnOptions { passing: true, ..ReturnOptions::default() })?;
        let what =
            CheckOut { reader, copy: CopyToLend::This(copy.id), overriding: self.scan.overriding.clone() };
        // An error rolls the return back too.
        let done = check_out(self.tx, self.actor, self.moment, self.rulebook, &what)?;
        events::link(self.tx, done.change, returned.change.ok_or(Error::NotFound)?)?;
        let mut answer = self.lent(done, &copy)?;
        for message in returned.messages.into_iter().take(2) {
            answer.tell(message);
        }
        if returned.class == Class::Attention {
            answer.class = Class::Attention;
        }
        answer.charge = returned.charge.take();
        answer.charged = returned.charged;
        self.ask_for_money(&mut answer);
        Ok(answer)
    }

    /// Takes a copy back in place of the lent one (R-DESK-6).
    pub(super) fn swap(&mut self, loan: LoanId, mut copy: Copy) -> Result<Answer> {
        // Lock both loans before the title.
        let own = loans::holder_of_copy(self.tx, copy.id)?.map(|(own, ..)| own);
        loans::lock_all(self.tx, own.into_iter().chain([loan]).collect())?;
        if let Some(mistaken) = self.find_mistaken_lending(loan, &copy)? {
            undo::undo(self.tx, self.actor, self.moment, 0, mistaken)?;
            copy = copies::by_id(self.tx, copy.id)?.ok_or(Error::NotFound)?;
        }
        let holder = copy.loan.as_ref().map(|loan| loan.user_name.clone());
        let lent = loans::lock_open(self.tx, loan)?.filter(|lent| lent.book_id == copy.book_id);
        // The loan may have ended since the offer.
        let Some(lent) = lent.filter(|_| could_be_swapped(copy.state) || copy.state == State::OnLoan) else {
            return self.show(copy);
        };
        let options = ReturnOptions { in_hand: Some(copy.id), ..ReturnOptions::default() };
        let mut answer = self.take_back(loan, &copy, options)?;
        answer.tell(match holder {
            Some(name) => message::desk_exchanged(&name, &lent.barcode),
            None => message::desk_left(&lent.barcode),
        });
        answer.class = Class::Attention;
        Ok(answer)
    }

    /// Handles a damaged copy: returns it if on loan, sends it to repair and charges the borrower.
    pub(super) fn damaged(&mut self, copy: &Copy, damage: &Damage) -> Result<Answer> {
        let (mut answer, loan) = match loans::holder_of_copy(self.tx, copy.id)? {
            Some((loan, holder, _)) => {
                let options = ReturnOptions { passing: true, ..ReturnOptions::default() };
                (self.take_back(loan, copy, options)?, Some((loan, holder)))
            }
            None => {
                let headline = message::desk_damaged(&copy.title);
                let answer = self.answer(Outcome::Returned, Class::Attention, headline)?;
                (answer, self.just_returned(copy)?)
            }
        };
        let (moved, change) = self.move_copy(copy.id, Condition::InRepair, &damage.note)?;
        answer.follow(self.tx, change)?;
        answer.ask_for(message::desk_to_repair());
        if damage.charge > Money::ZERO {
            let Some((loan, person)) = loan else {
                return Err(Error::Invalid(Invalid::field("damaged.charge", message::nobody_brought_it())));
            };
            let reason = format!("{}: {}", copy.title, damage.note);
            let new = NewCharge {
                person,
                of: ChargeKind::Damage,
                amount: damage.charge,
                reason: &reason,
                explain: &[],
                loan: Some(loan),
            };
            let (charge, change) = money::charge(self.tx, self.actor, self.moment, &new)?;
            answer.follow(self.tx, Some(change))?;
            answer.charged = Some(person);
            answer.charge = Some(charge);
        }
        self.ask_for_money(&mut answer);
        answer.person = self.scan.person.map(|person| self.reader(person)).transpose()?;
        answer.class = Class::Attention;
        answer.copy = Some(moved);
        Ok(answer)
    }

    /// Returns the loan and the reader of the copy's last return today.
    pub(super) fn just_returned(&mut self, copy: &Copy) -> Result<Option<(LoanId, UserId)>> {
        Ok(self.last_return(copy)?.and_then(|returned| match (returned.change, returned.person) {
            (Change::Loan(LoanChange::Returned { loan, .. }), Some((person, _))) => Some((loan, person)),
            _ => None,
        }))
    }

    /// Returns the change of the copy's last return today.
    pub(super) fn last_return(&mut self, copy: &Copy) -> Result<Option<Recorded>> {
        Ok(self.recent("returned", copy)?.into_iter().find(|returned| {
            let of = match &returned.change {
                Change::Loan(LoanChange::Returned { copy, .. }) => *copy,
                _ => None,
            };
            of == Some(copy.id) && !returned.undone
        }))
    }

    /// Returns the recent change that lent this copy to the reader of `loan`: a swap shows that this lending was a
    /// mistake.
    pub(super) fn find_mistaken_lending(&mut self, loan: LoanId, copy: &Copy) -> Result<Option<ChangeId>> {
        let Some((own, holder, _)) = loans::holder_of_copy(self.tx, copy.id)? else { return Ok(None) };
        let other = loans::open_of_user(self.tx, holder)?;
        if own == loan || !other.iter().any(|other| other.id == loan) {
            return Ok(None);
        }
        let recent = self.recent("lent", copy)?;
        Ok(recent.into_iter().find_map(|lent| match lent.change {
            Change::Loan(LoanChange::Lent { loan, .. }) if loan == own && !lent.undone => Some(lent.id),
            _ => None,
        }))
    }

    /// Returns the changes of this kind to the copy's title within [`RECENT`], newest first, at most
    /// [`MOST_SEARCHED`].
    pub(super) fn recent(&mut self, action: &str, copy: &Copy) -> Result<Vec<Recorded>> {
        let filter = Filter {
            book: Some(copy.book_id),
            action: Some(action.to_owned()),
            from: Some(self.moment.at - RECENT),
            ..Filter::default()
        };
        Ok(events::page(self.tx, &filter, ChangeId(i64::MAX), MOST_SEARCHED)?)
    }
}
