//! Copies and their barcodes.

messages! {
    // Errors in form fields.
    "notBarcode" = not_barcode(label: &str):
        "{label} must be letters, digits, spaces and signs that a barcode can hold (printable ASCII).";
    "barcodeTaken" = barcode_taken(barcode: &str):
        "{barcode} is the barcode of another copy, or a reader's roll number. Use another one.";
    "barcodeTwice" = barcode_twice(barcode: &str): "{barcode} is in the list twice.";
    "tooManyBarcodes" = too_many_barcodes(given: usize, wanted: i64):
        "There are {given, plural, one {# barcode} other {# barcodes}} for {wanted, plural, one {# copy} other {# copies}}.";

    // Failed requests.
    "problem.copy-state" = problem_copy_state(from: &str, to: &str): "A copy that is {from} cannot become {to}.";

    // Recorded changes.
    "change.copiesAdded" = change_copies_added(count: i64, first: &str):
        "{count, plural, one {Copy {first} added.} other {# copies added, from {first} on.}}";
    "change.copyUpdated" = change_copy_updated(barcode: &str): "Copy {barcode} edited.";
    "change.copyMoved" = change_copy_moved(barcode: &str, from: &str, to: &str): "Copy {barcode} moved: {from} → {to}.";

    // Results of an undo.
    "undone.moved" = undone_moved(barcode: &str, state: &str): "Undone: copy {barcode} is {state} again.";
}
