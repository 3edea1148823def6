//! Undo, and the parts that changes of several areas share.

use jiff::civil::Date;

use super::Message;

messages! {
    // Reasons why circulation refuses an action.
    "block.undoneAlready" = block_undone_already(): "This was already undone.";
    "block.undoLater" = block_undo_later():
        "Something was done after this. Undo that first, or correct it by hand.";
    "block.undoSince" = block_undo_since(what: &Message):
        "Since then: {what} Undo that first, or correct it by hand.";
    "block.undoSinceFor" = block_undo_since_for(what: &Message, name: &str):
        "Since then, for {name}: {what} Undo that first, or correct it by hand.";
    "block.undoPaid" = block_undo_paid(): "Something of this was paid or waived. Undo that first.";
    "block.undoClosedReceipt" = block_undo_closed_receipt(receipt: &str, closing: i64):
        "Receipt {receipt} is in closing {closing}. Cancel the payment on the person's account instead.";
    "block.undoClosed" = block_undo_closed(closing: i64):
        "This money is in closing {closing}. Correct it on the person's account.";
    "block.undoDay" = block_undo_day(instead: &Message): "Only what was done today can be undone. {instead}";
    "block.undoPeople" = block_undo_people(people: usize, names: &str):
        "{people, plural, one {# person was} other {# people were}} changed since: {names}. Correct the rest by hand.";
    "block.undoLent" = block_undo_lent(books: i64):
        "{books, plural, one {# of these books was} other {# of these books were}} lent, reserved or reviewed since. Delete the others one by one.";
    "block.undoLoans" = block_undo_loans(loans: i64):
        "{loans, plural, one {# of these loans was} other {# of these loans were}} returned, extended or changed since. Return the others at the desk one by one.";
    "block.undoCharges" = block_undo_charges(charges: i64):
        "{charges, plural, one {# of these charges was} other {# of these charges were}} paid, waived or cancelled since. Cancel the others one by one.";
    "block.undoImported" = block_undo_imported(people: i64):
        "{people, plural, one {# of these people has used the library or was} other {# of these people have used the library or were}} changed since. Correct the others by hand.";
    "block.undoKind" = block_undo_kind(): "This cannot be undone. Correct it by hand.";

    "block.undoLate" = block_undo_late(minutes: i64):
        "This can be undone for {minutes} minutes only. Ask at the library desk.";
    "block.undoAtDesk" = block_undo_at_desk():
        "This can no longer be undone here. Ask at the library desk.";

    // Ways to correct a change after its day.
    "instead.return" = instead_return(): "Return it at the desk.";
    "instead.lend" = instead_lend(): "Lend it again at the desk.";
    "instead.returnAndLend" = instead_return_and_lend(): "Return it at the desk, and lend it again.";
    "instead.found" = instead_found(): "When the copy is found, return it at the desk and cancel the charge.";
    "instead.setDueDate" = instead_set_due_date(): "Set the due date again by hand.";
    "instead.cancelHold" = instead_cancel_hold(): "Cancel the reservation.";
    "instead.reserve" = instead_reserve(): "Reserve the title again.";
    "instead.moveCopy" = instead_move_copy(): "Move the copy on the book’s page.";
    "instead.cancelCharge" = instead_cancel_charge(): "Cancel the charge on the person’s account.";
    "instead.charge" = instead_charge(): "Charge it again on the person’s account.";
    "instead.reversePayment" = instead_reverse_payment(): "Cancel the payment on the person’s account.";
    "instead.takePayment" = instead_take_payment(): "Take the payment again on the person’s account.";
    "instead.activate" = instead_activate(): "Reactivate the person.";
    "instead.activateAll" = instead_activate_all(): "Reactivate the people of the batch.";
    "instead.moveBatch" = instead_move_batch(): "Move the people back to their batch.";
    "instead.addPerson" = instead_add_person(): "Add the other person again.";
    "instead.addTitle" = instead_add_title(): "Add the title again.";

    // Recorded changes.
    "change.note" = change_note(note: &str): "Note: {note}";
    "change.overridden" = change_overridden(reason: &str): "Against the rules: {reason}";
    "change.erased" = change_erased(): "Erased with the person's data.";
    "change.newer" = change_newer(): "Something newer, which this version of the program cannot show.";
    "change.reason" = change_reason(reason: &str): "Reason: {reason}";

    // Results of an undo.
    "undone.has" = undone_has(name: &str, due: Date): "{name} has it until {due, date, full}.";
    "undone.nextInLine" = undone_next_in_line(name: &str): "Next in line: {name}.";
    "undone.other" = undone(): "Undone.";
}
