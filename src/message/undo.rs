//! Undo, and the parts that changes of several areas share.

use jiff::civil::Date;

use super::Message;

messages! {
    // Why circulation refuses something.
    "block.undoneAlready" = block_undone_already(): "This was undone already.";
    "block.undoLater" = block_undo_later():
        "Something was done after this. Undo that first, or correct it by hand.";
    "block.undoSince" = block_undo_since(what: &Message):
        "Since then: {what} Undo that first, or correct it by hand.";
    "block.undoSinceFor" = block_undo_since_for(what: &Message, name: &str):
        "Since then, for {name}: {what} Undo that first, or correct it by hand.";
    "block.undoPaid" = block_undo_paid(): "Something of this was paid or waived. Undo that first.";
    "block.undoClosedReceipt" = block_undo_closed_receipt(receipt: &str, closing: i64):
        "Receipt {receipt} is in closing {closing}. Reverse the payment on the person's account instead.";
    "block.undoClosed" = block_undo_closed(closing: i64):
        "This money is in closing {closing}. Correct it on the person's account.";
    "block.undoDay" = block_undo_day(): "Only what was done today can be undone. Correct it by hand.";
    "block.undoPeople" = block_undo_people(people: usize, names: &str):
        "{people, plural, one {# person was} other {# people were}} changed since: {names}. Correct the rest by hand.";
    "block.undoKind" = block_undo_kind(): "This cannot be undone. Correct it by hand.";

    // What happened.
    "change.note" = change_note(note: &str): "Note: {note}";
    "change.overridden" = change_overridden(reason: &str): "Against the rules: {reason}";
    "change.erased" = change_erased(): "Erased with the person's data.";
    "change.newer" = change_newer(): "Something newer, which this version of the program cannot show.";
    "change.reason" = change_reason(reason: &str): "Reason: {reason}";

    // What an undo restores.
    "undone.has" = undone_has(name: &str, due: Date): "{name} has it until {due, date, full}.";
    "undone.nextInLine" = undone_next_in_line(name: &str): "Next in line: {name}.";
    "undone.other" = undone(): "Undone.";
}
