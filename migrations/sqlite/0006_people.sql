-- People: whoever never signs in needs no email and no password; who may borrow until when; what librarians may do.

CREATE TABLE new_users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT,
    email_key TEXT UNIQUE,
    name TEXT NOT NULL,
    -- the name, folded, for the order of lists
    name_key TEXT NOT NULL DEFAULT '',
    -- name, roll number and batch, folded, for the search among loans (R-FINE-2)
    search_key TEXT NOT NULL,
    -- the same with email and department, for the search among people (R-PEOPLE-1)
    directory_key TEXT NOT NULL DEFAULT '',
    -- at the end of both: the roll numbers of the records that were merged into this one (R-PEOPLE-9)
    merged_key TEXT NOT NULL DEFAULT '',
    -- 'admin' or 'student'; anything else is refused at sign-in (R-LOGIN-5)
    role TEXT NOT NULL,
    -- what a librarian may do, with commas between; null: everything
    capabilities TEXT,
    roll_number TEXT UNIQUE,
    department TEXT,
    batch TEXT,
    -- whose rules hold for the person (R-RULE-2)
    category TEXT NOT NULL DEFAULT 'Student',
    -- null: nobody can sign in to the account
    password_hash TEXT,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    -- the last day on which the person may borrow
    valid_until TEXT,
    -- the last day on which the person may not borrow
    barred_until TEXT,
    barred_reason TEXT,
    -- erased, or merged into another: in no list any more
    gone_at INTEGER,
    merged_into INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL,
    CHECK ((email IS NULL) = (email_key IS NULL)),
    CHECK ((barred_until IS NULL) = (barred_reason IS NULL)),
    CHECK (merged_into IS NULL OR gone_at IS NOT NULL)
) STRICT;
INSERT INTO new_users (id, email, email_key, name, search_key, role, roll_number, department, batch, category, password_hash,
                       created_at)
SELECT id, email, email_key, name, search_key, role, roll_number, department, batch, category, password_hash, created_at
FROM users;
-- Numbers go on after the last ever given out.
DELETE FROM sqlite_sequence WHERE name = 'new_users';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_users', seq FROM sqlite_sequence WHERE name = 'users';
DROP TABLE users;
ALTER TABLE new_users RENAME TO users;

-- The search reads this index alone.
CREATE INDEX people_by_name ON users (name_key, id, directory_key) WHERE gone_at IS NULL;
CREATE INDEX people_by_roll_number ON users (COALESCE(roll_number, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX people_by_batch ON users (COALESCE(batch, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX people_by_department ON users (COALESCE(department, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX inactive_people ON users (name_key, id) WHERE gone_at IS NULL AND NOT active;
CREATE INDEX librarians ON users (name_key, id) WHERE gone_at IS NULL AND role = 'admin';
CREATE INDEX merged_people ON users (merged_into) WHERE merged_into IS NOT NULL;

-- Codes for the first sign-in, or for a forgotten password: one a person, used once. Only its hash is kept.
CREATE TABLE sign_in_codes (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

-- A person's sessions end with the account.
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE INDEX ended_loans_of_user ON loans (user_id, ended_at, id) WHERE ended_at IS NOT NULL;

-- Certificates that nothing was open; the number is on the paper, and anybody can ask whether it still holds.
CREATE TABLE no_dues (
    number TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    issued_at INTEGER NOT NULL,
    issued_on TEXT NOT NULL
) STRICT;
CREATE INDEX no_dues_of_user ON no_dues (user_id);

-- What went from one record to another when two were merged, JSON: exactly that goes back in an undo. Kept for the day.
CREATE TABLE merges (
    change_id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    moved TEXT NOT NULL
) STRICT;
CREATE INDEX reviews_of_user ON reviews (user_id);

-- Of a loan whose reader is forgotten: what is still counted by (R-PEOPLE-10).
ALTER TABLE loans ADD COLUMN department TEXT;
ALTER TABLE loans ADD COLUMN batch TEXT;

-- A change is never edited; one that tells who somebody was can be made to tell it no more (R-PEOPLE-6), and one of a loan
-- or a hold whose reader is forgotten loses the reader (R-PEOPLE-10).
DROP TRIGGER events_are_never_changed;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
WHEN NOT (NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.action = OLD.action
          AND NEW.book_id IS OLD.book_id AND NEW.copy_id IS OLD.copy_id
          AND ((NEW.actor_id IS OLD.actor_id AND NEW.person_id IS OLD.person_id
                AND NEW.change = '{"v":1,"kind":"erased"}')
               OR (NEW.person_id IS NULL AND NEW.change = OLD.change
                   AND (NEW.actor_id IS OLD.actor_id OR (NEW.actor_id IS NULL AND OLD.actor_id IS OLD.person_id)))))
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
