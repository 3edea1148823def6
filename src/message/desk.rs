//! Scans at the desk.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    // Failed requests.
    "problem.card-unknown" = problem_card_unknown(): "No user found for the scanned roll number.";
    "problem.phone-ended" = problem_phone_ended():
        "This phone no longer scans for the desk. Scan the code on the desk's screen again.";
    "problem.phone-code-used" = problem_phone_code_used():
        "Another phone has already used this code. If that was not one of yours, disconnect it at the desk. Show a new code there, and scan that.";
    "problem.phone-code-expired" = problem_phone_code_expired():
        "This code is no longer valid. Show a new one at the desk, and scan that.";
    "problem.too-many-phones" = problem_too_many_phones(max: i64):
        "{max} phones already scan for you. Disconnect one first.";
    "problem.card-role-unknown" = problem_card_role_unknown(): "User role is not recognized.";

    // Answers to a scan.
    "desk.opened" = desk_opened(name: &str, loans: i64):
        "{name}: {loans, plural, =0 {no book out} one {# book out} other {# books out}}.";
    "desk.opened.overdue" = desk_opened_overdue(loans: i64): "{loans, plural, one {One is} other {# are}} overdue.";
    "desk.opened.owes" = desk_opened_owes(amount: Money): "{amount, number, money} is owed.";
    "desk.closed" = desk_closed(name: &str): "Closed: {name}.";
    "desk.lent" = desk_lent(title: &str, name: &str, due: Date): "Lent: “{title}” to {name}, due {due, date, full}.";
    "desk.countOf" = desk_count_of(out: i64, max: i64): "{out} of {max} out.";
    "desk.secondCopy" = desk_second_copy(name: &str, barcode: &str, due: Date):
        "{name} already has another copy: {barcode}, due {due, date, full}.";
    "desk.alreadyLent" = desk_already_lent(title: &str, due: Date):
        "“{title}” was lent just now, due {due, date, full}.";
    "desk.notLent" = desk_not_lent(title: &str): "Not lent: “{title}”.";
    "desk.returned" = desk_returned(title: &str): "Returned: “{title}”.";
    "desk.returnedBy" = desk_returned_by(title: &str, name: &str): "Returned: “{title}”, which {name} had.";
    "desk.countedAsOf" = desk_counted_as_of(day: Date): "Counts as returned on {day, date, full}.";
    "desk.countedSinceLent" = desk_counted_since_lent(day: Date):
        "Borrowed after the day of the book drop, so it counts as returned on {day, date, full}.";
    "desk.returnedAgo" = desk_returned_ago(name: &str, hours: i64, minutes: i64):
        "{name} returned it {hours, plural, =0 {{minutes, plural, one {# minute} other {# minutes}}} one {# hour} other {# hours}} ago.";
    "desk.fine" = desk_fine(fine: Money): "Fine: {fine, number, money}.";
    "desk.backTo" = desk_back_to(location: &str): "Goes to {location}.";
    "desk.putAside" = desk_put_aside(): "To the books to be shelved.";
    "desk.referenceAgain" = desk_reference_again(): "Back to the reference shelf.";
    "desk.titleGone" = desk_title_gone(): "Its title was deleted from the catalogue, so this copy is withdrawn.";
    "desk.stillHas" = desk_still_has(name: &str, loans: usize):
        "{loans, plural, =0 {{name} has nothing else.} one {{name} has # more book.} other {{name} has # more books.}}";
    "desk.renewedFor" = desk_renewed_for(name: &str, title: &str, due: Date, from: Date):
        "Extended for {name}: “{title}”, due {due, date, full}; it was due {from, date, full}.";
    "desk.fineDropped" = desk_fine_dropped(fine: Money): "The fine of {fine, number, money} is dropped.";
    "desk.fineCharged" = desk_fine_charged(name: &str, title: &str, fine: Money):
        "Charged to {name}: {fine, number, money} for “{title}”.";
    "desk.notRenewed" = desk_not_renewed(title: &str): "Not extended: “{title}”.";
    "desk.onLoanToOther" = desk_on_loan_to_other(title: &str, name: &str, due: Date):
        "“{title}” is on loan to {name}, due {due, date, full}.";
    "desk.onLoan" = desk_on_loan(title: &str): "“{title}” is on loan.";
    "desk.onShelf" = desk_on_shelf(title: &str, location: &str): "“{title}” belongs on the shelf: {location}.";
    "desk.toShelve" = desk_to_shelve(title: &str): "“{title}” is waiting to be shelved.";
    "desk.unseen" = desk_unseen(title: &str): "“{title}”: its reader says it is returned.";
    "desk.inRepair" = desk_in_repair(title: &str): "“{title}” is recorded as in repair.";
    "desk.lost" = desk_lost(title: &str): "“{title}” is recorded as lost.";
    "desk.missing" = desk_missing(title: &str): "“{title}” is recorded as missing.";
    "desk.reference" = desk_reference(title: &str, location: &str):
        "“{title}” is for reference only: {location}.";
    "desk.withdrawn" = desk_withdrawn(title: &str, barcode: &str): "Copy {barcode} was withdrawn: “{title}”.";
    "desk.kept" = desk_kept(title: &str): "A reader is waiting for “{title}”.";
    "desk.holdShelf" = desk_hold_shelf(until: Date, roll_number: &str):
        "Hold shelf, until {until, date, full} · {roll_number}";
    "desk.newSlip" = desk_new_slip(name: &str): "New slip: it was kept for {name}.";
    "desk.keptUntil" = desk_kept_until(title: &str, name: &str, until: Date):
        "“{title}” is kept for {name} until {until, date, full}.";
    "desk.choice.keep" = desk_choice_keep(name: &str): "Keep it for {name}";
    "desk.shelved" = desk_shelved(title: &str, location: &str): "On the shelf: “{title}”, {location}.";
    "desk.title" = desk_title(title: &str, author: &str): "“{title}”, {author}.";
    "desk.scanTheLabel" = desk_scan_the_label(): "Scan the label inside, or choose the copy.";
    "desk.noCopies" = desk_no_copies(): "No copies yet.";
    "desk.personOrCopy" = desk_person_or_copy(name: &str, title: &str):
        "This is both {name}'s card and a copy of “{title}”.";
    "desk.found" = desk_found(text: &str): "Found for “{text}”:";
    "desk.morePeople" = desk_more_people():
        "More people match: type more of the name, or find them under People.";
    "desk.unknown" = desk_unknown(code: &str): "No card, no copy and no book has the code {code}.";
    "desk.choice.person" = desk_choice_person(name: &str): "Open {name}";
    "desk.choice.personWith" = desk_choice_person_with(name: &str, facts: &str): "{name} · {facts}";
    "desk.choice.copy" = desk_choice_copy(title: &str, barcode: &str): "“{title}”, copy {barcode}";
    "desk.choice.title" = desk_choice_title(title: &str, author: &str): "“{title}”, {author}";
    "desk.choice.return" = desk_choice_return(): "Take it back";
    "desk.choice.returnFor" = desk_choice_return_for(name: &str): "Only return it for {name}";
    "desk.choice.returnAndLend" = desk_choice_return_and_lend(from: &str, to: &str):
        "Return it for {from} and lend it to {to}";
    "desk.choice.chargeFine" = desk_choice_charge_fine(fine: Money): "Charge {fine, number, money} anyway";
    "desk.choice.foundAndLend" = desk_choice_found_and_lend(): "It is here: lend it";
    "desk.choice.putOnShelf" = desk_choice_put_on_shelf(): "Put it on the shelf";
    "desk.choice.repaired" = desk_choice_repaired(): "Back from repair: put it on the shelf";
    "desk.choice.found" = desk_choice_found(): "Found: put it on the shelf";
    "desk.exchanged" = desk_exchanged(name: &str, barcode: &str): "{name} has copy {barcode} now.";
    "desk.left" = desk_left(barcode: &str): "Copy {barcode} is missing now: look for it on the shelf.";
    "desk.damaged" = desk_damaged(title: &str): "Damaged: “{title}”.";
    "desk.toRepair" = desk_to_repair(): "To the repair shelf.";
    "desk.next.keep" = desk_next_keep(name: &str): "Keep for {name}.";
    "desk.next.aside" = desk_next_aside(): "Put it aside.";
    "desk.next.take" = desk_next_take(amount: Money): "Take {amount, number, money}.";
    "desk.choice.swap" = desk_choice_swap(name: &str, in_hand: &str, lent: &str):
        "{name} is returning, not borrowing: take {in_hand} back for {lent}";
    "desk.choice.swapFor" = desk_choice_swap_for(name: &str, in_hand: &str, lent: &str):
        "{name} is returning it: take {in_hand} back for {lent}";
    "desk.choice.reinstate" = desk_choice_reinstate(): "Take it into the library again";
}
