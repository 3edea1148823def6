//! Scans that lend, renew, keep or shelve a copy.

use super::super::{
    Block, BlockShown, CheckOut, CopyToLend, Done, Error, Refusal, Renew, Result, charge_anyway, check_out,
    check_out::reader_blocks,
    decide,
    hold::{self, Line},
    reader, renew,
};
use super::{
    Answer, Choice, Class, Desk, Outcome,
    answer::{offer, refusal_title, state_message, where_to},
    could_be_swapped, of_title, other_of_title,
    take_back::offer_swap,
};
use crate::{
    domain::{
        copy::{Condition, Copy, State},
        id::{ChangeId, LoanId, UserId},
    },
    message,
    money::Money,
    storage::{accounts, copies, holds},
};

impl Desk<'_, '_> {
    pub(super) fn lend(&mut self, copy: Copy) -> Result<Answer> {
        let Some(reader) = self.scan.person else { return self.show(copy) };
        let sure = self.scan.choice == Some(Choice::Lend) || self.scan.overriding.is_some();
        // Lending implies that the copy was found or repaired, so the librarian must confirm it.
        if matches!(copy.state, State::Lost | State::Missing | State::InRepair) && !sure {
            let mut answer = self.answer(Outcome::Ask, Class::Ask, state_message(&copy))?;
            answer.choices = vec![
                offer(Choice::Lend, message::desk_choice_found_and_lend()),
                offer(Choice::PutOnShelf, message::desk_choice_put_on_shelf()),
            ];
            answer.copy = Some(copy);
            return Ok(answer);
        }
        if matches!(copy.state, State::Lost | State::Missing | State::InRepair) {
            // The first in the queue precedes the person at the desk.
            reader::lock(self.tx, reader)?;
            let line = Line::lock(self.tx, copy.book_id)?;
            if line.as_ref().and_then(Line::first).is_some_and(|first| first != reader) {
                return self.put_on_shelf(&copy);
            }
            if let Some(refusal) = self.lending_refusal(reader, &copy, None)? {
                return self.refused(&refusal, copy);
            }
            self.move_copy(copy.id, Condition::OnShelf, "")?;
        }
        let what =
            CheckOut { reader, copy: CopyToLend::This(copy.id), overriding: self.scan.overriding.clone() };
        let done = check_out(self.tx, self.actor, self.moment, self.rulebook, &what);
        self.answer_check_out(done, copy)
    }

    pub(super) fn answer_check_out(&mut self, done: Result<Done>, copy: Copy) -> Result<Answer> {
        match done {
            Ok(done) => self.lent(done, &copy),
            Err(Error::Refused(refusal)) => self.refused(&refusal, copy),
            Err(error) => Err(error),
        }
    }

    pub(super) fn lent(&mut self, done: Done, copy: &Copy) -> Result<Answer> {
        let due = done.loan.return_date;
        let mut answer = self.answer(Outcome::Lent, Class::Ok, message::desk_lent(&copy.title, "", due))?;
        // After the card is closed, only this message names the reader.
        let name = answer.person.as_ref().map_or("", |open| open.person.details.name.as_str()).to_owned();
        answer.headline(message::desk_lent(&copy.title, &name, due));
        let open = answer.person.as_ref();
        if let Some((max, out)) = open.and_then(|open| Some((open.max_loans?, open.person.open_loans))) {
            answer.tell(message::desk_count_of(out, max));
        }
        // The reader takes a second copy, or returns this one in place of the other (R-DESK-6).
        let open = answer.person.as_ref();
        let other = open.and_then(|open| other_of_title(open, copy.book_id, done.loan.id));
        if let Some((barcode, due)) = other.map(|other| (other.barcode.clone(), other.return_date)) {
            answer.class = Class::Attention;
            answer.tell(message::desk_second_copy(&name, &barcode, due));
        }
        let swap = answer
            .person
            .as_ref()
            .and_then(|open| Some(offer_swap(open, copy, other_of_title(open, copy.book_id, done.loan.id)?)));
        answer.choices.extend(swap);
        answer.explain.clone_from(&done.loan.reasons);
        answer.loan = Some(done.loan);
        answer.change = Some(done.change);
        answer.copy = copies::by_id(self.tx, copy.id)?;
        Ok(answer)
    }

    /// Returns the refusal to lend this copy to this person, if the overrides leave one. Changes nothing.
    pub(super) fn lending_refusal(
        &mut self,
        reader: UserId,
        copy: &Copy,
        block: Option<Block>,
    ) -> Result<Option<Refusal>> {
        let who = reader::lock(self.tx, reader)?;
        let policy = self.rulebook.policy(&who.category, self.today());
        let mut blocks = Vec::new();
        let book = Some(copy.book_id);
        reader_blocks(self.tx, self.moment, self.rulebook, &policy, &who, book, &mut blocks)?;
        blocks.extend(block);
        match decide(self.actor, blocks, self.scan.overriding.as_ref()) {
            Ok(_) => Ok(None),
            Err(Error::Refused(refusal)) => Ok(Some(refusal)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn refused(&mut self, refusal: &Refusal, copy: Copy) -> Result<Answer> {
        let mut answer = self.answer(Outcome::Refused, Class::Stop, message::desk_not_lent(&copy.title))?;
        for block in &refusal.blocks {
            answer.tell(block.message());
        }
        answer.blocks = refusal.blocks.iter().map(BlockShown::from).collect();
        // It goes back to where it was kept.
        if let (State::OnHoldShelf, Some(hold)) = (copy.state, &copy.hold) {
            answer.ask_for(message::desk_next_keep(&hold.user_name));
        }
        // The reader may be returning this copy in place of the other (R-DESK-6).
        if refusal.blocks.iter().any(|block| matches!(block, Block::SameTitle { .. }))
            && could_be_swapped(copy.state)
        {
            let swap = answer
                .person
                .as_ref()
                .and_then(|open| Some(offer_swap(open, &copy, of_title(open, copy.book_id)?)));
            answer.choices.extend(swap);
        }
        answer.copy = Some(copy);
        Ok(answer)
    }

    pub(super) fn renew(&mut self, loan: LoanId, copy: Copy) -> Result<Answer> {
        let what = Renew { loan, overriding: self.scan.overriding.clone() };
        match renew(self.tx, self.actor, self.moment, self.rulebook, &what) {
            Ok(done) => {
                let holder = accounts::by_id(self.tx, done.loan.user_id)?.and_then(|account| account.user);
                let name = holder.map_or_else(String::new, |holder| holder.name);
                let due = done.loan.return_date;
                let headline = message::desk_renewed_for(&name, &copy.title, due, done.from);
                let mut answer = self.answer(Outcome::Renewed, Class::Ok, headline)?;
                if done.dropped > Money::ZERO {
                    answer.class = Class::Attention;
                    answer.tell(message::desk_fine_dropped(done.dropped));
                    let charge = message::desk_choice_charge_fine(done.dropped);
                    answer.choices = vec![offer(Choice::ChargeFine(done.change), charge)];
                }
                answer.explain.clone_from(&done.loan.reasons);
                answer.loan = Some(done.loan);
                answer.change = Some(done.change);
                answer.copy = copies::by_id(self.tx, copy.id)?;
                Ok(answer)
            }
            Err(Error::Refused(refusal)) => {
                let mut answer = self.refused(&refusal, copy)?;
                let headline = message::desk_not_renewed(&refusal_title(&answer));
                answer.headline(headline);
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }

    /// Charges the fine that a renewal dropped.
    pub(super) fn charge_anyway(&mut self, renewal: ChangeId) -> Result<Answer> {
        let done = charge_anyway(self.tx, self.actor, self.moment, renewal)?;
        let headline = message::desk_fine_charged(&done.name, &done.title, done.charge.amount);
        let mut answer = self.answer(Outcome::Charged, Class::Attention, headline)?;
        answer.explain.clone_from(&done.charge.explain);
        answer.charge = Some(done.charge);
        answer.charged = Some(done.person);
        answer.change = Some(done.change);
        Ok(answer)
    }

    /// Keeps an available copy for the first in the queue (R-HOLD-2).
    pub(super) fn keep(&mut self, copy: &Copy) -> Result<Answer> {
        let kept = hold::keep_in_hand_for_first(self.tx, self.actor, self.moment, self.rulebook, copy.id)?;
        let copy = copies::by_id(self.tx, copy.id)?.ok_or(Error::NotFound)?;
        let Some(kept) = kept else { return self.show(copy) };
        let mut answer = self.answer(Outcome::Kept, Class::Attention, message::desk_kept(&copy.title))?;
        answer.keep(kept);
        answer.copy = Some(copy);
        Ok(answer)
    }

    pub(super) fn put_on_shelf(&mut self, copy: &Copy) -> Result<Answer> {
        let (moved, change) = self.move_copy(copy.id, Condition::OnShelf, "")?;
        let mut answer = match holds::keeping(self.tx, moved.id)? {
            Some(hold) => {
                let hold = hold::shown(self.tx, &self.rulebook.calendar, self.today(), hold)?;
                let mut answer =
                    self.answer(Outcome::Kept, Class::Attention, message::desk_kept(&moved.title))?;
                answer.keep(hold);
                answer
            }
            None => {
                let headline = message::desk_shelved(&moved.title, &moved.location);
                let mut answer = self.answer(Outcome::Shelved, Class::Ok, headline)?;
                if let Some(step) = where_to(&moved) {
                    answer.ask_for(step);
                }
                answer
            }
        };
        answer.copy = Some(moved);
        answer.change = change;
        Ok(answer)
    }
}
