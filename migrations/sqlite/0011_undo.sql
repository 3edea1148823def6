-- Undo at once: a write tells the change that takes it back, and a deleted book is kept until the day ends.

-- The change that can be undone, as the answer told it.
ALTER TABLE idempotency ADD COLUMN change_id INTEGER;

CREATE TABLE deleted_books (
    id INTEGER PRIMARY KEY,
    deleted_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    genre TEXT NOT NULL,
    photo_url TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    no_of_books INTEGER NOT NULL,
    location TEXT NOT NULL,
    rating INTEGER,
    isbn TEXT,
    published_year INTEGER,
    language TEXT,
    version INTEGER NOT NULL,
    import_key TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deleted_reviews (
    id INTEGER PRIMARY KEY,
    book_id INTEGER NOT NULL REFERENCES deleted_books (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    rating INTEGER NOT NULL,
    comment TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deleted_reviews_of_book ON deleted_reviews (book_id);
CREATE INDEX deleted_reviews_of_user ON deleted_reviews (user_id);

-- What the copies of a deleted title were before.
CREATE TABLE deleted_copies (
    id INTEGER PRIMARY KEY,
    book_id INTEGER NOT NULL REFERENCES deleted_books (id) ON DELETE CASCADE,
    barcode TEXT NOT NULL,
    barcode_key TEXT NOT NULL,
    condition TEXT NOT NULL,
    -- what the deletion left of it
    left_as TEXT NOT NULL,
    -- the loan that was open
    loan_id INTEGER
) STRICT;
CREATE INDEX deleted_copies_of_book ON deleted_copies (book_id);
