//! Loans: refusals, changes and due dates.

use jiff::civil::Date;

use super::Message;
use crate::money::Money;

messages! {
    // Failed requests.
    "problem.book-unavailable" = problem_book_unavailable(): "This book is currently not available for borrowing.";
    "problem.loan-fined" = problem_loan_fined():
        "This loan is overdue and has a fine. Please return the book at the library's desk.";

    // Reasons why circulation refuses an action.
    "block.inactive" = block_inactive(): "This person is no longer active.";
    "block.expired" = block_expired(on: Date): "Membership ended on {on, date, medium}.";
    "block.barred" = block_barred(until: Date, reason: &str):
        "This person may not borrow until {until, date, medium}: {reason}";
    "block.noCopy" = block_no_copy(): "This book is currently not available for borrowing.";
    "block.selfBorrow" = block_self_borrow(): "Books are borrowed at the library desk.";
    "block.selfReturn" = block_self_return(): "Books are returned at the library desk.";
    "block.selfRenew" = block_self_renew(): "Loans are extended at the library desk.";
    "block.limit" = block_limit(out: i64, max: i64, excess: i64):
        "{max, plural, =0 {No book may be borrowed.} other {{out, plural, one {# book is} other {# books are}} out; the limit is {max}. Return {excess} to borrow again.}}";
    "block.owes" = block_owes(owes: Money, limit: Money):
        "{owes, number, money} is owed; borrowing stops above {limit, number, money}. Pay at the library desk first.";
    "block.overdue" = block_overdue(overdue: i64, limit: i64):
        "{overdue, plural, one {# book is} other {# books are}} overdue; borrowing stops at {limit}. Return what is overdue first.";
    "block.sameTitle" = block_same_title(due: Date):
        "Another copy of this book is already out on this card, due {due, date, medium}.";
    "block.onLoan" = block_on_loan(due: Date): "This copy is on loan, due {due, date, medium}. Return it first.";
    "block.inRepair" = block_in_repair(): "This copy is in repair.";
    "block.lost" = block_lost(): "This copy is marked as lost.";
    "block.missing" = block_missing(): "This copy is marked as missing.";
    "block.reference" = block_reference(): "This copy is for reference only.";
    "block.withdrawn" = block_withdrawn(): "This copy was withdrawn.";
    "block.state" = block_state(state: &str): "This copy cannot be lent now ({state}).";
    "block.fined" = block_fined():
        "This loan is overdue and has a fine. Please return the book at the library's desk.";
    "block.renewLimit" = block_renew_limit(used: i64, max: i64):
        "{max, plural, =0 {This loan cannot be extended.} other {This loan was extended {used, plural, one {once} other {# times}}; {max} is the most.}}";
    "block.reserved" = block_reserved(waiting: i64, free: i64):
        "{waiting, plural, one {# reader is} other {# readers are}} waiting for this book, and {free, plural, =0 {no copy is free} one {# copy is free} other {# copies are free}}.";
    "block.keptForOther" = block_kept_for_other(until: Date):
        "This copy is kept for another reader until {until, date, medium}.";
    "block.renewWaiting" = block_renew_waiting(waiting: i64):
        "{waiting, plural, one {Another reader is} other {# readers are}} waiting for this book. Please bring it back by its due date.";
    "block.gainsNothing" = block_gains_nothing(due: Date, why: &Message):
        "{why}. It stays due {due, date, medium}: extending it would gain nothing.";

    // Recorded changes.
    "change.lent" = change_lent(title: &str, due: Date): "“{title}” lent, due {due, date, medium}.";
    "change.lentCopy" = change_lent_copy(title: &str, barcode: &str, due: Date):
        "“{title}” lent (copy {barcode}), due {due, date, medium}.";
    "change.loanImported" = change_loan_imported(title: &str, barcode: &str, lent: Date, due: Date):
        "“{title}” (copy {barcode}) imported as lent on {lent, date, medium}, due {due, date, medium}.";
    "change.returned" = change_returned(title: &str): "“{title}” returned to the shelf.";
    "change.returnedToShelve" = change_returned_to_shelve(title: &str): "“{title}” returned, to be shelved.";
    "change.returnedElsewhere" = change_returned_elsewhere(title: &str): "“{title}” returned.";
    "change.countedAsOf" = change_counted_as_of(day: Date): "Counted as of {day, date, medium}.";
    "change.withFine" = change_with_fine(fine: Money): "Fine {fine, number, money}.";
    "change.renewed" = change_renewed(title: &str, from: Date, to: Date):
        "“{title}” extended from {from, date, medium} to {to, date, medium}.";
    "change.charged" = change_charged(amount: Money): "{amount, number, money} fine charged up to that day.";
    "change.fineDropped" = change_fine_dropped(fine: Money): "Fine of {fine, number, money} dropped.";
    "change.fineCharged" = change_fine_charged(title: &str, fine: Money):
        "Fine of {fine, number, money} for “{title}” charged after the extension had dropped it.";
    "change.declaredLost" = change_declared_lost(title: &str, barcode: &str, price: Money):
        "“{title}” (copy {barcode}) declared lost; price {price, number, money}.";
    "change.dueDateMoved" = change_due_date_moved(title: &str, from: Date, to: Date):
        "Due date of “{title}” moved from {from, date, medium} to {to, date, medium}.";
    "change.slipPrinted" = change_slip_printed(loans: usize):
        "Reminder slip printed for {loans, plural, one {# book} other {# books}}.";
    "change.dueDateSet" = change_due_date_set(title: &str, from: Date, to: Date):
        "Due date of “{title}” set from {from, date, medium} to {to, date, medium} by hand.";
    "change.swapped" = change_swapped(in_hand: &str, lent: &str):
        "Copy {in_hand} came back in place of {lent}, which is missing.";
    "change.exchanged" = change_exchanged(in_hand: &str, lent: &str):
        "Copy {in_hand} was returned instead of {lent}. The other reader now has {lent}.";
    "change.caught" = change_caught(): "Kept for the reader who is first in line.";

    // Results of an undo.
    "undone.lent" = undone_lent(title: &str): "Undone: “{title}” was not lent.";
    "undone.returned" = undone_returned(title: &str, due: Date):
        "Undone: “{title}” is on loan again, due {due, date, medium}.";
    "undone.renewed" = undone_renewed(title: &str, due: Date): "Undone: “{title}” is due {due, date, medium} again.";

    // Explanations of due dates.
    "explain.dueImported" = explain_due_imported(file: &str): "From the imported list “{file}”";
    "explain.due" = explain_due(days: i64, from: Date):
        "{days, plural, =0 {The day itself, {from, date, full}} one {# day from {from, date, full}} other {# days from {from, date, full}}}";
    "explain.renewed" = explain_renewed(days: i64, from: Date):
        "{days, plural, one {# day more} other {# days more}}, counted from {from, date, full}";
    "explain.renewedTimes" = explain_renewed_times(times: i64, day: Date):
        "Extended {times, plural, one {once} other {# times}}, to {day, date, full}";
    "explain.byHand" = explain_by_hand(day: Date): "Set to {day, date, full} by the library";
    "explain.movedToOpenDay" = explain_moved_to_open_day(day: Date, to: Date):
        "{day, date, full} is closed; moved to {to, date, full}";
    "explain.movedPastHoliday" = explain_moved_past_holiday(day: Date, name: &str, to: Date):
        "{day, date, full} is closed ({name}); moved to {to, date, full}";
    "explain.allBackBy" = explain_all_back_by(day: Date): "All books are due back by {day, date, full}";
    "explain.allBackByClosed" = explain_all_back_by_closed(day: Date, to: Date):
        "All books are due back by {day, date, full}, which is closed; moved to {to, date, full}";
    "explain.validUntil" = explain_valid_until(day: Date): "This person may keep books until {day, date, full}";
    "explain.validUntilClosed" = explain_valid_until_closed(day: Date, to: Date):
        "This person may keep books until {day, date, full}, which is closed; moved to {to, date, full}";
    "explain.neverEarlier" = explain_never_earlier(day: Date):
        "Renewing never moves a date earlier; it stays {day, date, full}";
    "explain.neverOpen" = explain_never_open():
        "The calendar has no open day, so closed days are not taken into account";
}
