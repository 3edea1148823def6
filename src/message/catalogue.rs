//! Titles and reviews.

messages! {
    // Errors in form fields.
    "tooFewOnShelf" = too_few_on_shelf(copies: i64):
        "Copies were borrowed while you were editing: {copies, plural, =0 {none is} one {only # is} other {only # are}} on the shelf now. Reload the book and enter the number again.";

    "isbnLength" = isbn_length(digits: usize):
        "An ISBN has 10 or 13 digits; this one has {digits, plural, =0 {none} one {#} other {#}}.";
    "isbnCheck" = isbn_check(isbn: &str):
        "{isbn} is not an ISBN: its check digit does not fit. Compare it with the book.";

    "isbnKnown" = isbn_known(title: &str):
        "“{title}” already has this ISBN. Add copies to it instead.";

    "notPicture" = not_picture(): "This file is not a picture. Choose a JPEG, PNG or WebP file.";
    "pictureLarge" = picture_large(millions: u64):
        "This picture is too large. Choose one of at most {millions, number} million pixels.";
    "pictureDamaged" = picture_damaged():
        "This picture is damaged or incomplete. Copy it again, or choose another.";

    // Recorded changes.
    "change.bookAdded" = change_book_added(title: &str): "“{title}” added to the catalogue.";
    "change.bookUpdated" = change_book_updated(title: &str): "“{title}” edited.";
    "change.bookDeleted" = change_book_deleted(title: &str): "“{title}” deleted from the catalogue.";
    "change.booksImported" = change_books_imported(count: i64):
        "{count, plural, one {# book} other {# books}} imported.";
    "change.importUndone" = change_import_undone(count: i64):
        "{count, plural, one {# imported book} other {# imported books}} taken out again.";
    "change.reviewDeleted" = change_review_deleted(rating: i64): "Review of {rating, plural, one {# star} other {# stars}} deleted.";
    "change.reviewed" = change_reviewed(rating: i64): "Reviewed with {rating, plural, one {# star} other {# stars}}.";

    // Results of an undo.
    "undone.bookDeleted" = undone_book_deleted(title: &str): "Undone: “{title}” is in the catalogue again.";
}
