//! Holds and queues.

use jiff::civil::Date;

messages! {
    // Errors in form fields.
    "mayStillCome" = may_still_come(): "A copy of this book may still come. Cancel the reservations one by one.";

    // Reasons why circulation refuses an action.
    "block.freeCopy" = block_free_copy(location: &str):
        "A copy is on the shelf. No need to wait: take it from {location}.";
    "block.hasTitle" = block_has_title(due: Date):
        "This person has a copy of this book, due {due, date, medium}.";
    "block.inLine" = block_in_line(): "This person has already reserved this book.";
    "block.noCopyLeft" = block_no_copy_left():
        "This book cannot be reserved: every copy is lost, missing, withdrawn or for reading here only.";
    "block.holdLimit" = block_hold_limit(held: i64, max: i64):
        "{held} of {max, plural, one {# reservation} other {# reservations}} are in use. Cancel one first.";

    // Recorded changes.
    "change.holdPlaced" = change_hold_placed(title: &str, place: i64): "“{title}” reserved, place {place} in line.";
    "change.holdReady" = change_hold_ready(title: &str, barcode: &str, until: Date):
        "“{title}” (copy {barcode}) is kept until {until, date, medium}.";
    "change.holdCancelled" = change_hold_cancelled(title: &str): "Reservation of “{title}” cancelled.";
    "change.holdExpired" = change_hold_expired(title: &str): "Reservation of “{title}” expired: not picked up in time.";
    "change.holdPutBack" = change_hold_put_back(title: &str): "The copy of “{title}” kept for this reader is no longer there. The reader is first in line again.";
    "change.holdsReordered" = change_holds_reordered(title: &str, from: i64, to: i64):
        "Moved from place {from} to place {to} in the line for “{title}”.";

    // Results of an undo.
    "undone.holdPlaced" = undone_hold_placed(title: &str): "Undone: “{title}” is not reserved.";
    "undone.holdCancelled" = undone_hold_cancelled(title: &str): "Undone: “{title}” is reserved again, in its old place.";
    "undone.holdReady" = undone_hold_ready(title: &str): "Undone: “{title}” is not kept; its reader is in line again.";
    "undone.holdStays" = undone_hold_stays(title: &str, name: &str):
        "The reservation of “{title}” for {name} stays cancelled: its place is gone.";
    "undone.holdsStay" = undone_holds_stay(holds: usize):
        "{holds, plural, one {# more reservation stays} other {# more reservations stay}} cancelled.";
}
