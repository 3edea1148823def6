-- Imports of open loans and of open charges, beside those of books.

ALTER TABLE imports ADD COLUMN kind TEXT NOT NULL DEFAULT 'books' CHECK (kind IN ('books', 'loans', 'charges'));

-- What such an import made, until it is undone. No references: it outlives erased people and forgotten loans.
CREATE TABLE import_entries (
    -- the change that made it
    change_id INTEGER PRIMARY KEY,
    import_id INTEGER NOT NULL,
    -- a loan as it was made: one that differs since was touched
    loan_id INTEGER,
    copy_id INTEGER,
    due TEXT,
    renewals INTEGER,
    -- a charge, and the SHA-256 of its row, so that a repeated import finds it
    line_id INTEGER,
    row_key TEXT UNIQUE,
    CHECK ((loan_id IS NULL) = (line_id IS NOT NULL) AND (loan_id IS NULL) = (row_key IS NOT NULL)
       AND (loan_id IS NULL) = (due IS NULL) AND (loan_id IS NULL) = (copy_id IS NULL)
       AND (loan_id IS NULL) = (renewals IS NULL))
) STRICT;
CREATE INDEX entries_of_import ON import_entries (import_id, change_id);
