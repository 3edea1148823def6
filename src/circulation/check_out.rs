//! Check-out: a copy leaves the library with a reader.

use super::{Actor, Block, Error, Moment, Override, Result, category, decide, record, view};
use crate::{
    domain::{
        change::Change,
        copy::{Condition, Lending, State},
        due, fine,
        id::{BookId, CopyId, LoanId, UserId},
        loan::{Loan, OpenLoan},
        money::Money,
        rulebook::Rulebook,
        rules::Policy,
    },
    message::Message,
    storage::{self, Tx, accounts, books, copies, events::Entry, loans},
};

/// Which copy is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Any on the shelf, the longest unused first (R-COPY-5).
    AnyOf(BookId),
    /// This one, which is in somebody's hand.
    This(CopyId),
}

/// Who borrows what.
#[derive(Clone, Debug)]
pub struct CheckOut {
    pub reader: UserId,
    pub take: Take,
    pub overriding: Option<Override>,
}

/// Lends a copy: the copy is off the shelf and a loan is open, or neither (R-LOAN-2).
///
/// # Errors
/// [`Error::Refused`] with every reason; [`Error::NotFound`] where title, copy or reader is gone.
pub fn check_out(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &CheckOut,
) -> Result<Loan> {
    let category = category(tx, what.reader)?;
    let rules = rulebook.on(moment.today);
    let policy = rules.for_category(&category);
    let mut blocks = Vec::new();
    if matches!(actor, Actor::Student(_)) && !rules.self_borrow {
        blocks.push(Block::SelfBorrowOff);
    }
    let book = match what.take {
        Take::AnyOf(book) => book,
        Take::This(copy) => copies::book_of(tx, copy)?.ok_or(Error::NotFound)?,
    };
    reader_blocks(tx, moment, rulebook, &policy, &category, what.reader, book, &mut blocks)?;
    let (title, copy, barcode, overridden) = match what.take {
        Take::AnyOf(_) => {
            // The title's row is the lock of all its copies.
            let Some(title) = books::take_copy(tx, book)? else {
                if !books::exists(tx, book)? {
                    return Err(Error::NotFound);
                }
                blocks.insert(0, Block::NoCopy);
                return Err(decide(actor, blocks, what.overriding.as_ref()).err().unwrap_or(Error::NotFound));
            };
            let overridden = decide(actor, blocks, what.overriding.as_ref())?;
            let (copy, barcode) = copies::to_lend(tx, book, moment.at)?.ok_or_else(|| {
                storage::Error::Inconsistent("a title counts a copy that is not on the shelf")
            })?;
            (title, copy, barcode, overridden)
        }
        Take::This(copy) => {
            let title = books::lock(tx, book)?.ok_or(Error::NotFound)?;
            let facts = copies::lock(tx, copy)?.ok_or(Error::NotFound)?;
            match (facts.state().lending(), facts.due) {
                (Lending::Yes, _) => {}
                (_, Some(due)) => blocks.push(Block::OnLoan { due }),
                _ => blocks.push(Block::State(facts.state())),
            }
            let overridden = decide(actor, blocks, what.overriding.as_ref())?;
            if facts.state() == State::OnShelf {
                books::take_copy(tx, book)?.ok_or_else(|| {
                    storage::Error::Inconsistent("a copy on the shelf that its title does not count")
                })?;
            }
            // A reference copy stays one, and is one again when it comes back.
            if !matches!(facts.condition, Condition::Reference | Condition::OnShelf) {
                copies::set_condition(tx, copy, Condition::OnShelf)?;
            }
            (title, copy, facts.record.barcode, overridden)
        }
    };
    let due = due::first(moment.today, &policy, &rulebook.calendar);
    let mut loan = OpenLoan {
        id: LoanId(0),
        user_id: what.reader,
        book_id: book,
        title,
        copy_id: copy,
        barcode,
        entry_date: moment.today,
        return_date: due.day,
        loan_days: policy.loan_days,
        renewals: 0,
        due_reasons: (due.explain.len() > 1).then(|| Message::to_stored(&due.explain)),
        charged: Money::ZERO,
        category,
    };
    loan.id = loans::begin(tx, &loan)?;
    let change = Change::Lent {
        loan: loan.id,
        title: loan.title.clone(),
        copy: Some(copy),
        barcode: Some(loan.barcode.clone()),
        due: due.day,
        overridden,
    };
    record(tx, moment, actor, &Entry { person: Some(what.reader), book: Some(book), copy: None, change })?;
    Ok(view(loan, rulebook, moment.today))
}

/// What of the reader stands in the way. Nothing is read where the rules set no limit.
#[expect(clippy::too_many_arguments, reason = "the facts of one decision")]
fn reader_blocks(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    policy: &Policy,
    category: &str,
    reader: UserId,
    book: BookId,
    blocks: &mut Vec<Block>,
) -> Result<()> {
    let limited = policy.max_loans.is_some()
        || policy.one_copy_per_title
        || policy.block_owing_over.is_some()
        || policy.block_overdue.is_some();
    if !limited {
        return Ok(());
    }
    // Two loans at the same moment must not both be the last one that is allowed.
    accounts::lock(tx, reader)?;
    let open = loans::open_of_user(tx, reader)?;
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    if let Some(max) = policy.max_loans.filter(|max| count(open.len()) >= *max) {
        blocks.push(Block::Limit { out: count(open.len()), max });
    }
    if let Some(limit) = policy.block_owing_over {
        let owes: Money = open
            .iter()
            .map(|loan| {
                loan.charged
                    + fine::amount(
                        loan.return_date,
                        moment.today,
                        &rulebook.history,
                        category,
                        &rulebook.calendar,
                    )
            })
            .sum();
        if owes > limit {
            blocks.push(Block::Owes { owes, limit });
        }
    }
    let overdue = count(open.iter().filter(|loan| loan.return_date < moment.today).count());
    if let Some(limit) = policy.block_overdue.filter(|limit| overdue >= *limit) {
        blocks.push(Block::Overdue { overdue, limit });
    }
    let same = open.iter().find(|loan| loan.book_id == book);
    if let Some(same) = same.filter(|_| policy.one_copy_per_title) {
        blocks.push(Block::SameTitle { due: same.return_date });
    }
    Ok(())
}
