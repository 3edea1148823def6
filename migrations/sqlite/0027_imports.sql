-- Imports of books: their progress, what they added, and the records they came from.

CREATE TABLE imports (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    file_name TEXT NOT NULL,
    -- null for the command line
    by_id INTEGER REFERENCES users (id),
    state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done', 'undoing', 'undone')),
    -- 1 while it writes: one at a time
    active INTEGER UNIQUE CHECK (active = 1),
    -- rows of the file
    row_count INTEGER NOT NULL CHECK (row_count >= 0),
    -- rows read so far; of an undo, titles still there
    done INTEGER NOT NULL CHECK (done >= 0),
    added INTEGER NOT NULL,
    more INTEGER NOT NULL,
    copies INTEGER NOT NULL,
    known INTEGER NOT NULL,
    clashes INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    -- CSV with the rejected rows, cut where there are very many
    rejects TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    -- last sign of life
    updated_at INTEGER NOT NULL
) STRICT;

-- What an import added; no references, because it outlives deleted titles.
CREATE TABLE import_titles (
    import_id INTEGER NOT NULL,
    book_id INTEGER NOT NULL,
    PRIMARY KEY (import_id, book_id)
) STRICT, WITHOUT ROWID;
-- Copies of titles that were there before.
CREATE TABLE import_copies (
    import_id INTEGER NOT NULL,
    copy_id INTEGER NOT NULL,
    book_id INTEGER NOT NULL,
    PRIMARY KEY (import_id, copy_id)
) STRICT, WITHOUT ROWID;

-- Which column was what, by kind and headings of a file.
CREATE TABLE import_columns (
    kind TEXT NOT NULL,
    -- SHA-256 of the headings
    headings TEXT NOT NULL,
    -- JSON: the field of each column
    fields TEXT NOT NULL,
    PRIMARY KEY (kind, headings)
) STRICT;

-- MARC record that a title came from: ISO 2709 in UTF-8. No reference: a deleted title can be restored.
CREATE TABLE marc_records (
    book_id INTEGER PRIMARY KEY,
    record TEXT NOT NULL
) STRICT;
