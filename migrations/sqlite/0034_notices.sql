-- Notices: what the library tells a person. A row is written in the transaction of its cause.

CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    loan_id INTEGER,
    hold_id INTEGER,
    line_id INTEGER,
    book_id INTEGER,
    -- the change that caused it; NULL for reminders
    change_id INTEGER,
    -- due date of the loan, or last day of the hold, that it speaks of
    about TEXT,
    -- rank among the reminders of one loan and due date
    step INTEGER,
    -- day of the daily job that wrote it; NULL if a change caused it
    day TEXT,
    -- messages, JSON
    text TEXT NOT NULL,
    -- a second notice with the same cause is never written
    cause TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    read_at INTEGER,
    -- when it stopped being true; cleared if it becomes true again
    withdrawn_at INTEGER,
    mailed_at INTEGER
) STRICT;
CREATE INDEX notices_of_person ON notices (person_id, id);
CREATE INDEX unread_notices ON notices (person_id) WHERE read_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX notices_of_loan ON notices (loan_id);
CREATE INDEX notices_of_hold ON notices (hold_id);
CREATE INDEX notices_of_line ON notices (line_id);
CREATE INDEX notices_of_change ON notices (change_id);
CREATE INDEX reminders_by_day ON notices (day) WHERE day IS NOT NULL;
CREATE INDEX notices_to_mail ON notices (id) WHERE mailed_at IS NULL AND withdrawn_at IS NULL;

-- The settings of notices are a document of their own.
CREATE TABLE new_settings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('rules', 'calendar', 'library', 'notices')),
    -- from which day on rules hold
    effective_from TEXT,
    -- JSON
    data TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    saved_by INTEGER NOT NULL REFERENCES users (id),
    CHECK ((kind = 'rules') = (effective_from IS NOT NULL))
) STRICT;
INSERT INTO new_settings (id, kind, effective_from, data, saved_at, saved_by)
SELECT id, kind, effective_from, data, saved_at, saved_by FROM settings;
DROP TABLE settings;
ALTER TABLE new_settings RENAME TO settings;
CREATE INDEX settings_of_kind ON settings (kind, id);
