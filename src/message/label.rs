//! Labels of copies.

messages! {
    // Errors in form fields.
    "labelOffPaper" = label_off_paper(label: &str): "{label}: the last label would not be on the paper.";
    "labelsOverlap" = labels_overlap(label: &str):
        "{label}: from the first to the last label there is no room for this many.";
    "otherLetters" = other_letters(letters: &str):
        "The first and the last barcode must have the same letters before their number: {letters}.";
    "beforeFirst" = before_first(): "The last barcode must not be before the first.";
}
