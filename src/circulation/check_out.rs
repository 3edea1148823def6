//! Check-out of a copy.

use super::{
    Actor, Block, Done, Error, Override, Result, decide,
    hold::{self, Line},
    reader, record, view,
};
use crate::{
    domain::{
        change::LoanChange,
        copy::{Condition, State},
        due, fine,
        id::{BookId, CopyId, LoanId, UserId},
        loan::OpenLoan,
        moment::Moment,
        rulebook::Rulebook,
        rules::Policy,
    },
    message::Message,
    money::Money,
    storage::{
        self, Tx,
        accounts::{self, Reader},
        books,
        copies::{self, Facts},
        events::Entry,
        ledger, loans,
    },
};

/// Copy to lend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyToLend {
    /// The copy kept for the reader, else the longest unused copy on the shelf (R-COPY-5).
    AnyOf(BookId),
    /// This copy, which is at hand.
    This(CopyId),
}

/// Arguments of [`check_out`].
#[derive(Clone, Debug)]
pub struct CheckOut {
    pub reader: UserId,
    pub copy: CopyToLend,
    pub overriding: Option<Override>,
}

/// Lends a copy: takes it off the shelf and opens a loan, atomically (R-LOAN-2).
///
/// # Errors
/// [`Error::Refused`] with all blocks; [`Error::NotFound`] if title, copy or reader does not exist.
pub fn check_out(
    tx: &mut Tx<'_>,
    actor: Actor,
    moment: Moment,
    rulebook: &Rulebook,
    what: &CheckOut,
) -> Result<Done> {
    let reader = reader::lock(tx, what.reader)?;
    let category = reader.category.clone();
    let rules = rulebook.on(moment.today);
    let policy = rules.for_category(&category);
    let mut blocks = Vec::new();
    if matches!(actor, Actor::Student(_)) && !rules.self_borrow {
        blocks.push(Block::SelfBorrowOff);
    }
    let (book, in_hand) = match what.copy {
        CopyToLend::AnyOf(book) => (book, None),
        CopyToLend::This(copy) => (copies::book_of(tx, copy)?.ok_or(Error::NotFound)?, Some(copy)),
    };
    reader_blocks(tx, moment, rulebook, &policy, &reader, Some(book), &mut blocks)?;
    // The lock of the title's row covers its copies and its queue.
    let mut line = Line::lock(tx, book)?.ok_or(Error::NotFound)?;
    let kept_for_reader = line.of(what.reader).and_then(|own| own.kept).map(|(copy, _)| copy);
    let facts = match in_hand.or(kept_for_reader) {
        Some(copy) => Some(copies::lock(tx, copy)?.ok_or(Error::NotFound)?),
        None => None,
    };
    match &facts {
        None if line.on_shelf == 0 => blocks.insert(0, Block::NoCopy),
        None => blocks.extend(line.reserved(what.reader, line.on_shelf)),
        Some(facts) => blocks.extend(copy_block(facts, &line, what.reader)),
    }
    let overridden = decide(actor, blocks, what.overriding.as_ref())?;
    let was = facts.as_ref().map(|facts| facts.condition).filter(|was| *was != Condition::OnShelf);
    let (copy, barcode) = match &facts {
        None => {
            books::count_out(tx, book)?;
            copies::to_lend(tx, book, moment.at)?.ok_or_else(|| {
                storage::Error::Inconsistent("a title counts a copy that is not on the shelf")
            })?
        }
        Some(facts) => {
            if facts.state() == State::OnShelf {
                if line.on_shelf == 0 {
                    return Err(storage::Error::Inconsistent(
                        "a copy on the shelf that its title does not count",
                    )
                    .into());
                }
                books::count_out(tx, book)?;
            }
            // A reference copy keeps its condition through the loan.
            if !matches!(facts.condition, Condition::Reference | Condition::OnShelf) {
                copies::set_condition(tx, facts.id, Condition::OnShelf)?;
            }
            (facts.id, facts.record.barcode.clone())
        }
    };
    let by = actor.uid();
    let filled = hold::fulfil(tx, moment, by, rulebook, &mut line, what.reader, copy)?;
    let cancel = what.overriding.as_ref().is_some_and(|given| given.cancel_hold);
    let passed_over = hold::pass_over(tx, moment, by, &mut line, copy, cancel)?;
    let due = due::first(moment.today, &policy, &rulebook.calendar);
    let due = due::within_membership(due, moment.today, reader.valid_until, moment.today, &rulebook.calendar);
    let mut loan = OpenLoan {
        id: LoanId(0),
        user_id: what.reader,
        book_id: book,
        title: line.title,
        copy_id: copy,
        barcode,
        entry_date: moment.today,
        return_date: due.day,
        loan_days: policy.loan_days,
        renewals: 0,
        due_reasons: (due.explain.len() > 1).then(|| Message::to_stored(&due.explain)),
        category,
        // Needed only for the fine of an overdue loan; a new loan has none.
        price: None,
        title_deleted: false,
    };
    loan.id = loans::begin(tx, &loan, moment.at)?;
    let change = LoanChange::Lent {
        loan: loan.id,
        title: loan.title.clone(),
        copy: Some(copy),
        barcode: Some(loan.barcode.clone()),
        due: due.day,
        overridden,
        filled,
        passed_over,
        was,
    };
    let entry = Entry { person: Some(what.reader), book: Some(book), copy: None, change: change.into() };
    let change = record(tx, moment, actor, &entry)?;
    Ok(Done { loan: view(loan, rulebook, moment.today), change })
}

/// Returns the reasons that keep a student from borrowing this title without the desk, apart from the state of its
/// copies. Locks nothing, so [`check_out`] decides again.
pub fn reasons_against(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    student: UserId,
    book: BookId,
) -> Result<Vec<Block>> {
    let Some(reader) = accounts::reader(tx, student)? else { return Ok(Vec::new()) };
    let rules = rulebook.on(moment.today);
    let mut blocks = Vec::new();
    if !rules.self_borrow {
        blocks.push(Block::SelfBorrowOff);
    }
    reader_blocks(
        tx,
        moment,
        rulebook,
        &rules.for_category(&reader.category),
        &reader,
        Some(book),
        &mut blocks,
    )?;
    Ok(blocks)
}

/// Returns the block that comes from the copy: its state, or people ahead in the queue.
fn copy_block(facts: &Facts, line: &Line, reader: UserId) -> Option<Block> {
    if let Some(due) = facts.due {
        return Some(Block::OnLoan { due });
    }
    match facts.state() {
        State::OnHoldShelf => line
            .keeping(facts.id)
            .filter(|hold| hold.user_id != reader)
            .and_then(|hold| hold.kept)
            .map(|(_, until)| Block::KeptForOther { until }),
        State::OnShelf => line.reserved(reader, line.on_shelf),
        // The copy at hand counts as free too.
        State::ToShelve | State::Unseen => line.reserved(reader, line.on_shelf + 1),
        state => Some(Block::State(state)),
    }
}

/// Adds the reader's blocks: those for any title and, with `book`, those for that title. Reads no loans if the rules
/// set no limit.
pub(super) fn reader_blocks(
    tx: &mut Tx<'_>,
    moment: Moment,
    rulebook: &Rulebook,
    policy: &Policy,
    reader: &Reader,
    book: Option<BookId>,
    blocks: &mut Vec<Block>,
) -> Result<()> {
    blocks.extend(reader::blocks(reader, moment.today));
    let limited = policy.max_loans.is_some()
        || policy.one_copy_per_title
        || policy.block_owing_over.is_some()
        || policy.block_overdue.is_some();
    if !limited {
        return Ok(());
    }
    // A check-out has locked the reader's row, so two concurrent loans cannot both be the last allowed.
    let open = loans::open_of_user(tx, reader.uid)?;
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    if let Some(max) = policy.max_loans.filter(|max| count(open.len()) >= *max) {
        blocks.push(Block::Limit { out: count(open.len()), max });
    }
    if let Some(limit) = policy.block_owing_over {
        let running: Money = open
            .iter()
            .map(|loan| {
                fine::amount(loan.return_date, moment.today, &rulebook.history, loan, &rulebook.calendar)
            })
            .sum();
        let owes = running + ledger::balance(tx, reader.uid)?;
        if owes > limit {
            blocks.push(Block::Owes { owes, limit });
        }
    }
    let overdue = count(open.iter().filter(|loan| loan.return_date < moment.today).count());
    if let Some(limit) = policy.block_overdue.filter(|limit| overdue >= *limit) {
        blocks.push(Block::Overdue { overdue, limit });
    }
    let same = open.iter().find(|loan| Some(loan.book_id) == book);
    if let Some(same) = same.filter(|_| policy.one_copy_per_title) {
        blocks.push(Block::SameTitle { due: same.return_date });
    }
    Ok(())
}
