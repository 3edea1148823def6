-- Every physical copy is known by its barcode, an open loan knows its copy, and every event is a typed change.

CREATE TABLE copies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- no reference: the copies of a deleted title stay, with their history
    book_id INTEGER NOT NULL,
    barcode TEXT NOT NULL,
    -- lower-case: unique without regard to case; null once the title is deleted, so that the barcode is free again
    barcode_key TEXT UNIQUE,
    -- what the copy's state is while no loan is open on it
    condition TEXT NOT NULL CHECK (condition IN
        ('on-shelf', 'to-shelve', 'unseen', 'in-repair', 'lost', 'missing', 'reference', 'withdrawn')),
    -- null: the title's
    location TEXT,
    note TEXT NOT NULL DEFAULT '',
    -- in the currency's smallest unit
    price INTEGER CHECK (price >= 0),
    acquired_on TEXT,
    -- when it last came back, 0 before: the longest unused copy is lent first, one that was never lent is withdrawn
    -- first; of a copy on loan it says nothing
    used_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One row: the number of the next accession number (R-COPY-3).
CREATE TABLE accession (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    next INTEGER NOT NULL CHECK (next > 0)
) STRICT;

-- A copy for each that was on the shelf, on loan, or came back without being put on the shelf.
INSERT INTO accession (id, next) VALUES (1, 1);
CREATE TABLE first_copies (number INTEGER PRIMARY KEY, book_id INTEGER NOT NULL, loan_id INTEGER, condition TEXT NOT NULL);
INSERT INTO first_copies (number, book_id, loan_id, condition)
WITH RECURSIVE numbers (n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < (SELECT COALESCE(MAX(no_of_books), 0) FROM books)
), wanted (book_id, loan_id, condition) AS (
    SELECT books.id, NULL, 'on-shelf' FROM books JOIN numbers ON numbers.n <= books.no_of_books
    UNION ALL SELECT book_id, id, 'on-shelf' FROM loans WHERE ended_at IS NULL
    UNION ALL SELECT loans.book_id, loans.id, 'to-shelve' FROM loans JOIN books ON books.id = loans.book_id
        WHERE loans.ended_at IS NOT NULL AND NOT loans.restocked
)
SELECT ROW_NUMBER() OVER (ORDER BY book_id, loan_id IS NOT NULL, condition, loan_id), book_id, loan_id, condition FROM wanted;
CREATE INDEX first_copies_by_loan ON first_copies (loan_id);
INSERT INTO copies (id, book_id, barcode, barcode_key, condition, used_at)
SELECT number, book_id, 'L' || printf('%06d', number),
       CASE WHEN EXISTS (SELECT 1 FROM books WHERE id = book_id) THEN 'l' || printf('%06d', number) END, condition,
       CASE condition WHEN 'to-shelve' THEN 1 ELSE 0 END
FROM first_copies;
UPDATE accession SET next = (SELECT COALESCE(MAX(number), 0) + 1 FROM first_copies);

CREATE TABLE new_loans (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    -- null once it is forgotten who it was (R-PEOPLE-10)
    user_id INTEGER REFERENCES users (id),
    -- no reference: a deleted book leaves its loans open, and they carry the title (R-BOOK-6)
    book_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- null for loans that ended before copies were known
    copy_id INTEGER REFERENCES copies (id),
    entry_date TEXT NOT NULL,
    return_date TEXT NOT NULL CHECK (return_date >= entry_date),
    -- the days it was lent for (R-RULE-3)
    loan_days INTEGER NOT NULL CHECK (loan_days >= 0),
    renewals INTEGER NOT NULL DEFAULT 0 CHECK (renewals >= 0),
    -- why the return date is not simply entry date and loan days: messages, JSON; null where it is
    due_reasons TEXT,
    -- all five are null while the loan is open; ended_by also where it was a reader who is forgotten
    ended_at INTEGER,
    ended_on TEXT,
    ended_by INTEGER REFERENCES users (id),
    restocked INTEGER CHECK (restocked IN (0, 1)),
    -- in the currency's smallest unit
    fine INTEGER CHECK (fine >= 0),
    CHECK ((ended_at IS NULL) = (fine IS NULL) AND (ended_at IS NULL) = (restocked IS NULL)
       AND (ended_at IS NULL) = (ended_on IS NULL) AND (ended_by IS NULL OR ended_at IS NOT NULL)),
    CHECK (user_id IS NULL OR ended_at IS NULL OR ended_by IS NOT NULL),
    CHECK (ended_at IS NOT NULL OR (user_id IS NOT NULL AND copy_id IS NOT NULL))
) STRICT;
INSERT INTO new_loans (id, user_id, book_id, title, copy_id, entry_date, return_date, loan_days, renewals, ended_at, ended_on,
                       ended_by, restocked, fine)
SELECT id, user_id, book_id, title, (SELECT number FROM first_copies WHERE loan_id = loans.id), entry_date, return_date, 7,
       -- until now every renewal was 7 days
       MAX(0, CAST(julianday(return_date) - julianday(entry_date) AS INTEGER) / 7 - 1),
       ended_at, ended_on, ended_by, restocked, fine * 100
FROM loans;
DROP TABLE loans;
ALTER TABLE new_loans RENAME TO loans;
DROP TABLE first_copies;

CREATE INDEX open_loans ON loans (return_date, id) WHERE ended_at IS NULL;
CREATE INDEX open_loans_of_user ON loans (user_id, return_date, id) WHERE ended_at IS NULL;
-- A copy is lent once at a time.
CREATE UNIQUE INDEX open_loan_of_copy ON loans (copy_id) WHERE ended_at IS NULL;
CREATE INDEX copies_of_book ON copies (book_id, id, condition);
CREATE INDEX copies_to_lend ON copies (book_id, used_at, id) WHERE condition = 'on-shelf';
CREATE INDEX copies_elsewhere ON copies (condition, id) WHERE condition <> 'on-shelf';

-- What happened, as typed changes (JSON with a version); rows are only ever added. The program turns the old ones into
-- changes, and drops their table.
DROP TRIGGER events_are_never_changed;
DROP TRIGGER events_are_never_deleted;
DROP INDEX events_of_subject;
ALTER TABLE events RENAME TO old_events;
CREATE TABLE events (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor_id INTEGER,
    action TEXT NOT NULL,
    -- whom and what it concerns
    person_id INTEGER,
    book_id INTEGER,
    -- of a loan's copy the loan tells; this is for what happens to a copy by itself
    copy_id INTEGER,
    change TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_person ON events (person_id, id) WHERE person_id IS NOT NULL;
CREATE INDEX events_of_book ON events (book_id, id) WHERE book_id IS NOT NULL;
CREATE INDEX events_of_copy ON events (copy_id, id) WHERE copy_id IS NOT NULL;
-- What people do to others' loans and to the catalogue; what they do for themselves is found by the person.
CREATE INDEX events_by_actor ON events (actor_id, id) WHERE actor_id IS DISTINCT FROM person_id;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
