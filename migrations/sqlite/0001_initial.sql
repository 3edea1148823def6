-- The embedded database (SQLite).
-- Instants are epoch milliseconds (UTC), calendar days are ISO text in the library's time zone, money is whole rupees,
-- *_key columns are folded in the program because databases disagree about case.

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- name, roll number and batch, folded, for the librarian's search (R-FINE-2)
    search_key TEXT NOT NULL,
    -- 'admin' or 'student'; anything else is refused at sign-in (R-LOGIN-5)
    role TEXT NOT NULL,
    roll_number TEXT UNIQUE,
    department TEXT,
    batch TEXT,
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE books (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    author TEXT NOT NULL,
    genre TEXT NOT NULL,
    photo_url TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('Available', 'Not Available')),
    -- copies on the shelf
    no_of_books INTEGER NOT NULL CHECK (no_of_books >= 0),
    location TEXT NOT NULL,
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),
    isbn TEXT,
    published_year INTEGER,
    language TEXT,
    -- counts the saved edits of the catalogue fields; a borrow is none (R-BOOK-7)
    version INTEGER NOT NULL DEFAULT 1,
    -- which row of an import this book came from, so that a second run adds nothing twice
    import_key TEXT UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE reviews (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    book_id INTEGER NOT NULL REFERENCES books (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    user_name TEXT NOT NULL,
    rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    comment TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX reviews_of_book ON reviews (book_id, id, rating);

CREATE TABLE loans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- no reference: a deleted book leaves its loans open, and they carry the title (R-BOOK-6)
    book_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    entry_date TEXT NOT NULL,
    return_date TEXT NOT NULL CHECK (return_date >= entry_date),
    -- all five are null while the loan is open
    ended_at INTEGER,
    ended_on TEXT,
    ended_by INTEGER REFERENCES users (id),
    restocked INTEGER CHECK (restocked IN (0, 1)),
    fine INTEGER CHECK (fine >= 0),
    CHECK ((ended_at IS NULL) = (fine IS NULL) AND (ended_at IS NULL) = (restocked IS NULL)
       AND (ended_at IS NULL) = (ended_on IS NULL) AND (ended_at IS NULL) = (ended_by IS NULL))
) STRICT;
CREATE INDEX open_loans ON loans (return_date, id) WHERE ended_at IS NULL;
CREATE INDEX open_loans_of_user ON loans (user_id, return_date, id) WHERE ended_at IS NULL;
CREATE INDEX loans_of_book ON loans (book_id);

-- Only the SHA-256 of a token is kept: a stolen copy of this table opens nothing.
CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Who did what to what, with the values before and after (JSON); never changed.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_id INTEGER,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    before TEXT,
    after TEXT
) STRICT;
CREATE INDEX events_of_subject ON events (subject, subject_id, id);
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

-- One row counts the changes of the catalogue. Its row lock lets changes commit in the order of their numbers, so that
-- whoever follows them by number misses none.
CREATE TABLE catalogue (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    changes INTEGER NOT NULL
) STRICT;
INSERT INTO catalogue (id, changes) VALUES (1, 0);

-- Books first_id to last_id may have been added, changed or deleted: whoever follows reads them again.
CREATE TABLE catalogue_changes (
    number INTEGER PRIMARY KEY,
    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL
) STRICT;
