//! People and their records.

use jiff::civil::Date;

use crate::money::Money;

messages! {
    // Errors in form fields.
    "rollNumberIsBarcode" = roll_number_is_barcode(label: &str):
        "{label}: a copy of a book has this as its barcode. Put a letter before one of the two numbers.";
    "moveOrDeactivate" = move_or_deactivate(): "Say to which batch they go, or that they are deactivated.";
    "samePerson" = same_person(): "Choose another record: this one cannot be merged with itself.";
    "sameBatch" = same_batch(): "Choose another batch than the one they are in.";
    "batchTooLarge" = batch_too_large(most: usize):
        "This batch has more than {most, number} people. Print their certificates one by one.";
    "tooManyCodes" = too_many_codes(most: usize):
        "These are more than {most, number} people. Choose a batch, or add search words.";

    "cannotBeMailed" = cannot_be_mailed(): "The library has no mail server, or no confirmed address of this person.";

    // Failed requests.
    "problem.last-librarian" = problem_last_librarian():
        "No librarian who may do everything would be left. Give another librarian all rights first.";
    "problem.own-account" = problem_own_account(): "This is your own account. Ask another librarian to do it.";
    "problem.more-capable" = problem_more_capable():
        "This person's account may do more than yours. Ask a librarian who may do as much.";
    "problem.person-email-taken" = problem_person_email_taken():
        "Another person here has this email address. Search for it in People.";
    "problem.person-roll-number-taken" = problem_person_roll_number_taken():
        "Another person here has this roll number. Search for it in People.";

    // Reasons why circulation refuses an action.
    "block.stillOpen" = block_still_open(books: i64, unseen: i64, holds: i64, owes: Money):
        "Something is still open: {books, plural, =0 {no book} one {# book} other {# books}} out, {unseen, plural, =0 {} one {# returned book not checked in yet, } other {# returned books not checked in yet, }}{holds, plural, =0 {no reservation} one {# reservation} other {# reservations}}, {owes, number, money} owed.";
    "block.previewOutdated" = block_preview_outdated(): "The batch has changed since the preview. Preview it again.";
    "block.movedBefore" = block_moved_before(people: usize, from: &str, to: &str, on: Date):
        "{people, plural, one {# of these people was} other {# of these people were}} moved from batch {from} to {to} on {on, date, medium}.";

    // Recorded changes.
    "change.registered" = change_registered(role: &str): "Account created ({role}).";
    "change.profileUpdated" = change_profile_updated(): "Profile changed.";
    "change.personAdded" = change_person_added(name: &str): "{name} added.";
    "change.personUpdated" = change_person_updated(name: &str): "Details of {name} changed.";
    "change.personDeactivated" = change_person_deactivated(): "Deactivated.";
    "change.personActivated" = change_person_activated(): "Active again.";
    "change.batchMoved" = change_batch_moved(from: &str, to: &str, people: usize):
        "{people, plural, one {# person} other {# people}} moved from batch {from} to {to}.";
    "change.batchLeft" = change_batch_left(from: &str, people: usize):
        "{people, plural, one {# person} other {# people}} of batch {from} deactivated.";
    "change.noDuesIssued" = change_no_dues_issued(number: &str): "No-dues certificate {number} issued.";
    "change.peopleMerged" = change_people_merged(name: &str, loans: usize, lines: usize):
        "Another record of the same person, {name}, merged into this one: {loans, plural, one {# loan} other {# loans}}, {lines, plural, one {# line of the account} other {# lines of the account}}.";
    "change.photoAdded" = change_photo_added(): "Photo added.";
    "change.photoChanged" = change_photo_changed(): "Photo changed.";
    "change.photoRemoved" = change_photo_removed(): "Photo removed.";
    "change.photoRestored" = change_photo_restored(): "Earlier photo restored.";
    "change.personErased" = change_person_erased(): "Personal data erased.";
    "change.readersForgotten" = change_readers_forgotten(loans: i64, holds: i64):
        "Readers’ names erased: {loans, plural, one {# loan} other {# loans}}, {holds, plural, one {# reservation} other {# reservations}}.";
    "change.librarianMade" = change_librarian_made(): "Made a librarian.";
    "change.librarianUnmade" = change_librarian_unmade(): "No longer a librarian.";
    "change.capabilitiesChanged" = change_capabilities_changed(): "What this librarian may do changed.";

    // Results of an undo.
    "undone.deactivated" = undone_deactivated(): "Undone: active again.";
    "undone.batchMoved" = undone_batch_moved(from: &str, people: usize):
        "Undone: {people, plural, one {# person is} other {# people are}} in batch {from} again.";
    "undone.batchLeft" = undone_batch_left(from: &str, people: usize):
        "Undone: {people, plural, one {# person} other {# people}} of batch {from} {people, plural, one {is} other {are}} active again.";
    "undone.batchStays" = undone_batch_stays(people: usize, names: &str):
        "{people, plural, one {# person was} other {# people were}} changed since and {people, plural, one {stays} other {stay}} as is: {names}.";
    "undone.batchGone" = undone_batch_gone(people: usize):
        "{people, plural, one {# person was} other {# people were}} removed or merged since.";
    "undone.peopleMerged" = undone_people_merged(name: &str): "Undone: {name} is a person of their own again.";
}
